# SPDX-License-Identifier: MIT
"""Documents of `xml-json`: blocks are JSON arrays."""

from hypothesis import strategies as st

from cogwire_kit.strategies import _tags as tags
from cogwire_kit.strategies._json import Call, calls
from cogwire_kit.strategies._wire import call, execute

tiny_calls = st.sampled_from(
    [
        Call('{"name":"a","args":{}}', "a"),
        Call('{"name": "b", "args": {}}', "b"),
        Call('{"name":"c","args":{"x":1}}', "c"),
        Call('{"args":{},"name":"d"}', "d"),
        Call('{"name":"e","args":{"s":"</execute>"}}', "e"),
    ]
)


@st.composite
def batches(draw: st.DrawFn) -> list[Call]:
    """Draw the calls of a block: a few of any kind, or a run of tiny ones."""
    if draw(st.booleans()):
        return draw(st.lists(calls(), max_size=3))
    run = [draw(tiny_calls)] * draw(st.integers(1, 9))
    return [*run, *draw(st.lists(st.one_of(tiny_calls, calls()), max_size=2))]


@st.composite
def blocks(draw: st.DrawFn) -> tags.Block:
    """Write a valid block; return its text, its events and the names of its calls."""
    batch = draw(batches())
    text, _ = draw(tags.framed("execute", [one.source for one in batch]))
    return text, [*(call(one.source) for one in batch), execute()], [one.name for one in batch]


turns = tags.turns(blocks())
transcripts = tags.transcripts(blocks())
