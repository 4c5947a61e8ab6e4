# SPDX-License-Identifier: MIT
"""Turns and transcripts of the dialects whose parts are between tags, valid or with one fault."""

import functools
import json
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies import _elements, _json
from cogwire_kit.strategies._wire import (
    HALVES,
    LIVE,
    WHITE,
    Document,
    crossed,
    running,
    starts,
    white,
)

prose = running.filter(lambda text: not any(marker in text for marker in LIVE))
#: Text with any markers: depending on region and stop it is content or discarded.
anything = st.lists(st.one_of(running, st.sampled_from(LIVE)), max_size=3).map("".join)
thought = anything.filter(lambda text: "</think>" not in text)
skipped = anything.filter(lambda text: "</results>" not in text)


@st.composite
def spoken(draw: st.DrawFn, start: str) -> str:
    """Draw the thinks and the prose of a turn."""
    text = draw(prose)
    if start == "think":
        first = draw(thought)
        opener = draw(st.one_of(st.just(""), white.map(lambda gap: f"{gap}<think>")))
        if not opener and first.lstrip(WHITE).startswith(("<think>", "<results>")):
            opener = "x"
        text = f"{opener}{first}</think>{text}"
    for _ in range(draw(st.integers(0, 2))):
        text += f"<think>{draw(thought)}</think>{draw(prose)}"
    return text


# --- Blocks and results -----------------------------------------------------------------------


class Block(NamedTuple):
    """The inside of a block, and the names of its calls."""

    inside: str
    names: list[str]

    @property
    def text(self) -> str:
        """The block with its tags."""
        return f"<execute>{self.inside}</execute>"


#: Calls that occur many times in a block.
TINY: Final = (
    *('{"name":"a","args":{}}', '{ "name" : "b" , "args" : {} }', '{"name":"c","args":{"x":1}}'),
    *('{"args":{},"name":"d"}', '{"name":"e","args":{"s":"</execute>"}}'),
)
tiny_calls = st.sampled_from(TINY)


@st.composite
def blocks(draw: st.DrawFn, dialect: str, bad: str = "", least: int = 0) -> Block:
    """Draw a block of at least so many calls, with a bad one among them if it is given."""
    gap, most = draw(white), max(4, least)
    if dialect == "xml-elements":
        names = draw(st.lists(_elements.names, min_size=least, max_size=most))
        tools = [draw(_elements.tools(name)) for name in names]
        inside = gap.join(["", *_with(draw, tools, bad), ""])
        return Block(inside, names)
    run = [draw(tiny_calls)] * draw(st.one_of(st.just(0), st.integers(1, 9)))
    more = st.lists(st.one_of(_json.calls(), tiny_calls), min_size=least, max_size=max(3, least))
    calls = [*run, *draw(more)]
    names = [json.loads(call, parse_int=str)["name"] for call in calls]
    array = _json.array(_with(draw, calls, bad), gap)
    return Block(draw(white) + array + draw(white), names)


def _with(draw: st.DrawFn, calls: list[str], bad: str) -> list[str]:
    place = draw(st.integers(0, len(calls))) if bad else 0
    return [*calls[:place], *([bad] if bad else []), *calls[place:]]


def framed(items: list[str], gap: str) -> str:
    return f"<results>{gap}{_json.array(items, gap)}{gap}</results>"


@st.composite
def results(draw: st.DrawFn, names: list[str] | None) -> str:
    """Draw the results of calls of these names; there are none where the block was void."""
    failed = [draw(_json.failures)] if names is None else []
    return framed(failed or [draw(_json.items(name)) for name in names or ()], draw(white))


# --- Documents --------------------------------------------------------------------------------


@functools.cache
def _stops(dialect: str) -> st.SearchStrategy[str]:
    """Draw what stops a turn, and what the model wrote after that."""
    whole = st.tuples(blocks(dialect).map(lambda block: block.text), anything).map("".join)
    return st.one_of(
        st.just(""),
        thought.map(lambda text: f"<think>{text}"),
        anything.map(lambda text: f"<end>{text}"),
        anything.map(lambda text: f"<results>{text}"),
        *[whole] * 3,
    )


@st.composite
def turns(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    start = draw(starts)
    text = draw(spoken(start)) + draw(_stops(dialect))
    return Document(text, {"dialect": dialect, "mode": "turn", "start": start})


@st.composite
def transcripts(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a conversation: turns that end in a block or in `<end>`, results, and a last turn."""
    start, text = draw(starts), ""
    for _ in range(draw(st.integers(0, 3))):
        text += draw(spoken(start))
        if draw(st.integers(0, 4)) == 4:
            text += f"x<results>{draw(skipped)}</results>"
        if draw(st.integers(0, 4)) == 4:
            text += "<end>"
            continue
        block = draw(blocks(dialect))
        text += block.text
        if draw(st.booleans()):
            text += draw(white) + draw(results(block.names))
    text += draw(st.one_of(st.just(""), spoken(start)))
    return Document(text, {"dialect": dialect, "mode": "transcript", "start": start})


# --- Faults -----------------------------------------------------------------------------------

#: Text that cannot continue JSON.
CONTROLS: Final = ("\x01", "\0", "\x1f")
STRAY: Final = ("x", "'", ";", "/", "#", "=", "(", "é", "\u00a0", "\0", "\x0b", "\ufeff", "<", "§")
#: Text in place of the array.
NO_ARRAY: Final = (
    *("{", '"', "x", "1", "-", "Sure: ", "```json\n", "//", "<", "]", "null", "é", "\0"),
)
#: Text that follows the array.
TRAILING: Final = (
    *("]", "}", ",", ";", "[]", "x", "please", "```", "\u00a0", "\0", "<", "<execute>", "</"),
    *("</exe", "</Execute>", "</executes>", "</execute >"),
)


@st.composite
def _put(draw: st.DrawFn, text: str, puts: tuple[str, ...]) -> str:
    """Put something anywhere into a text."""
    place = draw(st.integers(0, len(text)))
    return text[:place] + draw(st.sampled_from(puts)) + text[place:]


@st.composite
def _struck(draw: st.DrawFn, array: str, code: str) -> str:
    """Put something before, in or after an array."""
    if code == "not-array":
        return draw(
            st.sampled_from(("", *(text + after for text in NO_ARRAY for after in ("", array))))
        )
    if code == "trailing-text":
        return f"{array}{draw(white)}{draw(st.sampled_from(TRAILING))}"
    inside = draw(st.one_of(_put(array[1:-1], CONTROLS), st.sampled_from(STRAY)))
    return f"[{inside}]"


@st.composite
def _spoiled(draw: st.DrawFn, dialect: str, code: str) -> str:
    """Draw a block with a fault."""
    if code in {"limit-size", "limit-calls"}:
        return draw(blocks(dialect, least=4)).text
    if dialect == "xml-elements":
        if code == "limit-depth":
            return draw(blocks(dialect, draw(_elements.tools("a", least=1)))).text
        if code in _elements.CODES:
            return draw(blocks(dialect, draw(_elements.bad_tools(code)))).text
    elif code in _json.CALLS and (code != "json-syntax" or draw(st.booleans())):
        return draw(blocks(dialect, draw(_json.CALLS[code]))).text
    block = draw(blocks(dialect))
    if code == "unclosed-execute":
        return block.text[: draw(st.integers(len("<execute>"), len(block.text) - 1))]
    if code == "bad-encoding":
        return f"<execute>{draw(_put(block.inside, HALVES))}</execute>"
    return f"<execute>{draw(_struck(block.inside.strip(WHITE), code))}</execute>"


@st.composite
def faults(draw: st.DrawFn, dialect: str, code: str) -> Document:
    """Draw a turn or a transcript with one fault that is not in results."""
    start, mode = draw(starts), draw(st.sampled_from(["turn", "turn", "transcript"]))
    deepest = 2 if dialect == "xml-elements" else 7
    options = {"dialect": dialect, "mode": mode, "start": start} | draw(crossed(code, deepest))
    text = draw(spoken(start))
    if code == "unclosed-execute":
        return Document(text + draw(_spoiled(dialect, code)), options)
    if code == "forged-results":
        text += f"x<results>{draw(skipped)}{draw(st.sampled_from(['', '</results>']))}"
    else:
        text += draw(_spoiled(dialect, code))
        if mode == "transcript" and "limits" not in options and draw(st.booleans()):
            text += draw(white) + draw(results(None))
    return Document(text + draw(anything if mode == "turn" else prose), options)


SHAPE, COUNT, ORDER = "results-shape", "results-count", "results-order"


@st.composite
def _bad_results(draw: st.DrawFn, names: list[str], code: str) -> str:
    """Draw results that are not those of calls of these names."""
    place = draw(st.integers(0, max(0, len(names) - 1)))
    if code == COUNT:
        return draw(results(draw(st.sampled_from([names[:place], [*names, "a"]]))))
    if code == ORDER:
        others = [name for name in ("other", "execute", f"{names[place]} ") if name != names[place]]
        return draw(results([*names[:place], draw(st.sampled_from(others)), *names[place + 1 :]]))
    whole, way = draw(results(names)), draw(st.integers(0, 5))
    if way == 0:
        return whole[: draw(st.integers(len("<results>"), len(whole) - 1))]
    inside = whole.removeprefix("<results>").removesuffix("</results>")
    if way == 1:
        inside = draw(_put(inside, HALVES))
    elif way == 2 or not names:
        strike = draw(st.sampled_from(["json-syntax", "not-array", "trailing-text"]))
        inside = draw(_struck(inside.strip(WHITE), strike))
    else:
        items = [draw(_json.items(name)) for name in names]
        items[place] = draw(_json.bad_items(names[place]))
        return framed(items, draw(white))
    return f"<results>{inside}</results>"


#: Contents that cross a limit which the call of `TINY` keeps.
BEYOND: Final = (
    *(({"size": 40}, '"' + "x" * 40 + '"'), ({"digits": 4}, "12345"), ({"digits": 2}, "[1e-400]")),
    ({"depth": 3}, '{"a":[1]}'),
)


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Document:
    """Draw a transcript with a block, results that have a fault, and prose after them."""
    start = draw(starts)
    options: dict[str, Any] = {"dialect": dialect, "mode": "transcript", "start": start}
    text = draw(spoken(start))
    if code == SHAPE and draw(st.integers(0, 3)) == 3:
        options["limits"], content = draw(st.sampled_from(BEYOND))
        inside = "<a/>" if dialect == "xml-elements" else f"[{TINY[0]}]"
        item = _json.items("a", {"status": '"success"', "content": content}, 0)
        text += Block(inside, ["a"]).text + framed([draw(item)], draw(white))
    else:
        block = draw(blocks(dialect, least=code in {COUNT, ORDER}))
        text += block.text + draw(white) + draw(_bad_results(block.names, code))
    # What follows results that are cut is in them.
    return Document(text + draw(prose) if text.endswith("</results>") else text, options)
