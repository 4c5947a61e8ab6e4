# SPDX-License-Identifier: MIT
"""Documents of the dialects whose parts are between tags."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from cogwire_kit.strategies._json import items
from cogwire_kit.strategies._prose import running, segment, white
from cogwire_kit.strategies._wire import (
    LIVE,
    WHITE,
    Document,
    Event,
    end,
    error,
    respond,
    result,
    think,
)

#: A block: its text, its events and the names of its calls.
Block = tuple[str, list[Event], list[str]]

prose = running.filter(lambda text: not any(marker in text for marker in LIVE))
#: Text with any markers: depending on region and stop it is content or discarded.
anything = st.lists(st.one_of(running, st.sampled_from(LIVE)), max_size=3).map("".join)
thought = anything.filter(lambda text: "</think>" not in text)
skipped = anything.filter(lambda text: "</results>" not in text)


@st.composite
def framed(draw: st.DrawFn, marker: str, sources: Sequence[str]) -> tuple[str, str]:
    """Write a JSON array between `<marker>` and `</marker>`; return the text and the array."""
    gap, before, after = draw(white), draw(white), draw(white)
    array = f"[{gap}" + f"{gap},{gap}".join(sources) + f"{gap}]"
    return f"<{marker}>{before}{array}{after}</{marker}>", array


@st.composite
def answers(draw: st.DrawFn, tools: Sequence[str]) -> tuple[str, list[Event]]:
    """Write results that answer calls of these names; return the text and the events."""
    succeeded = [draw(st.booleans()) for _ in tools]
    written = [
        draw(items(tool, success=success)) for tool, success in zip(tools, succeeded, strict=True)
    ]
    text, array = draw(framed("results", written))
    return text, [result(array, sum(succeeded), len(tools) - sum(succeeded))]


class Writer:
    """Writes a text and, beside it, the events that it must produce."""

    def __init__(self, mode: str, start: str) -> None:
        self.options: dict[str, Any] = {"mode": mode, "start": start}
        self.text = ""
        self._events: list[Event] = []
        self._prose = ""

    def say(self, text: str) -> None:
        """Write prose; adjacent prose is one segment."""
        self.text += text
        self._prose += text

    def mark(self, text: str, *events: Event) -> None:
        """Write a part that begins with a marker, and so ends the prose before it."""
        self._events += segment(respond, self._prose)
        self._prose = ""
        self.text += text
        self._events += events

    def forge(self, text: str) -> None:
        """Write results where none are expected."""
        self.mark(text, error("forged-results", offset=len(self.text)))

    def document(self, state: str, after: str = "") -> Document:
        """Return the document; text after a hard stop is discarded."""
        self.mark("")
        return Document(self.text + after, self._events, state, len(after), self.options)


def open_turn(draw: st.DrawFn, writer: Writer) -> bool:
    """Write the beginning of a turn; return whether the text ends there."""
    if writer.options["start"] == "prose":
        writer.say(draw(prose))
        return False
    text = draw(thought)
    opener = draw(st.sampled_from(["", "<think>"]))
    if opener:
        opener = draw(white) + opener
    elif text.lstrip(WHITE).startswith(("<think>", "<results>")):
        text = f"x{text}"
    is_over = draw(st.integers(0, 7)) == 0
    writer.mark(opener + text + ("" if is_over else "</think>"), *segment(think, text))
    if not is_over:
        writer.say(draw(prose))
    return is_over


def go_on(draw: st.DrawFn, writer: Writer) -> None:
    """Write thinks with prose between them."""
    for _ in range(draw(st.integers(0, 2))):
        text = draw(thought)
        writer.mark(f"<think>{text}</think>", *segment(think, text))
        writer.say(draw(prose))


@st.composite
def turns(draw: st.DrawFn, blocks: st.SearchStrategy[Block]) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    writer = Writer("turn", draw(st.sampled_from(["prose", "prose", "think"])))
    if open_turn(draw, writer):
        return writer.document("think")
    go_on(draw, writer)
    stop = draw(st.sampled_from(["none", "think", "end", "forged", "block", "block", "block"]))
    if stop == "none":
        return writer.document("prose")
    if stop == "think":
        text = draw(thought)
        writer.mark(f"<think>{text}", *segment(think, text))
        return writer.document("think")
    if stop == "end":
        writer.mark("<end>", end())
        return writer.document("ended", draw(anything))
    if stop == "forged":
        writer.forge("<results>")
    else:
        text, events, _ = draw(blocks)
        writer.mark(text, *events)
    return writer.document("paused", draw(anything))


@st.composite
def transcripts(draw: st.DrawFn, blocks: st.SearchStrategy[Block]) -> Document:
    """Draw a conversation: turns that end in a block or in `<end>`, results, and a last turn.

    `blocks` draws for each block its text, its events and the names of its calls.
    """
    writer = Writer("transcript", draw(st.sampled_from(["prose", "prose", "think"])))
    for _ in range(draw(st.integers(0, 3))):
        if open_turn(draw, writer):
            return writer.document("think")
        go_on(draw, writer)
        if draw(st.integers(0, 4)) == 0:
            writer.say("x")
            writer.forge(f"<results>{draw(skipped)}</results>")
        if draw(st.integers(0, 4)) == 0:
            writer.mark("<end>", end())
            continue
        text, events, tools = draw(blocks)
        writer.mark(text, *events)
        if draw(st.booleans()):
            text, events = draw(answers(tools))
            writer.mark(draw(white) + text, *events)
    return writer.document("think" if open_turn(draw, writer) else "prose")
