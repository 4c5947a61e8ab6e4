# SPDX-License-Identifier: MIT
"""Turns and transcripts of the dialects whose parts are between tags, valid or with one fault.

xj-skip, xe-void, xj-forged and xj-forged-transcript define how the text after a fault is read.
"""

from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies import _arrays, _elements
from cogwire_kit.strategies._wire import (
    LIVE,
    WHITE,
    Document,
    Event,
    call,
    end,
    error,
    execute,
    respond,
    running,
    segment,
    starts,
    think,
    white,
)
from cogwire_kit.strategies._written import Fault, Written, fault_of

#: Valid blocks.
BLOCKS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "xml-json": _arrays.blocks(),
    "xml-elements": _elements.blocks(),
}
CLOSER: Final = "</execute>"
#: How far before the offending character the closer of a void block may begin.
REACH_BACK: Final = {"xml-json": 0, "xml-elements": len(CLOSER) - 1}

prose = running.filter(lambda text: not any(marker in text for marker in LIVE))
#: Text with any markers: depending on region and stop it is content or discarded.
anything = st.lists(st.one_of(running, st.sampled_from(LIVE)), max_size=3).map("".join)
thought = anything.filter(lambda text: "</think>" not in text)
skipped = anything.filter(lambda text: "</results>" not in text)


class Writer:
    """Writes a text and, beside it, the events that it must produce."""

    def __init__(self, draw: st.DrawFn, dialect: str, mode: str, start: str = "") -> None:
        self.draw = draw
        start = start or draw(starts)
        self.options: dict[str, Any] = {"dialect": dialect, "mode": mode, "start": start}
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

    def spoil(self, written: Written) -> int:
        """Write a block and the events that it must produce; return the offset of its fault."""
        offence = written.fault
        offset = len(self.text) + offence.offset
        calls = [call(content) for content in written.calls_before(offence.offset)]
        fault = error(offence.code, offence.path, offset=offset, calls=len(calls))
        self.mark(written.text, *calls, fault)
        return offset

    def document(self, state: str, after: str = "") -> Document:
        """Return the document; text after a hard stop is discarded."""
        self.mark("")
        return Document(self.text + after, self._events, state, len(after), self.options)

    def open_turn(self) -> bool:
        """Write the beginning of a turn; return whether the text ends there."""
        draw = self.draw
        if self.options["start"] == "prose":
            self.say(draw(prose))
            return False
        text = draw(thought)
        opener = draw(st.sampled_from(["", "<think>"]))
        if opener:
            opener = draw(white) + opener
        elif text.lstrip(WHITE).startswith(("<think>", "<results>")):
            text = f"x{text}"
        is_over = draw(st.integers(0, 7)) == 0
        self.mark(opener + text + ("" if is_over else "</think>"), *segment(think, text))
        if not is_over:
            self.say(draw(prose))
        return is_over

    def go_on(self) -> None:
        """Write thinks with prose between them."""
        for _ in range(self.draw(st.integers(0, 2))):
            text = self.draw(thought)
            self.mark(f"<think>{text}</think>", *segment(think, text))
            self.say(self.draw(prose))

    def begin(self) -> None:
        """Write prose and thinks, after which a block may be."""
        if self.open_turn():
            self.mark("</think>")
        self.go_on()


# --- Documents --------------------------------------------------------------------------------


@st.composite
def turns(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    writer = Writer(draw, dialect, "turn")
    if writer.open_turn():
        return writer.document("think")
    writer.go_on()
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
        block = draw(BLOCKS[dialect])
        writer.mark(block.text, *block.events)
    return writer.document("paused", draw(anything))


@st.composite
def transcripts(draw: st.DrawFn, dialect: str) -> Document:
    """Draw a conversation: turns that end in a block or in `<end>`, results, and a last turn."""
    writer = Writer(draw, dialect, "transcript")
    for _ in range(draw(st.integers(0, 3))):
        if writer.open_turn():
            return writer.document("think")
        writer.go_on()
        if draw(st.integers(0, 4)) == 0:
            writer.say("x")
            writer.forge(f"<results>{draw(skipped)}</results>")
        if draw(st.integers(0, 4)) == 0:
            writer.mark("<end>", end())
            continue
        block = draw(BLOCKS[dialect])
        writer.mark(block.text, *block.events)
        if draw(st.booleans()):
            text, event = draw(_arrays.answers(block.names))
            writer.mark(draw(white) + text, event)
    return writer.document("think" if writer.open_turn() else "prose")


# --- Blocks with a fault ----------------------------------------------------------------------


@st.composite
def block_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a turn or a transcript with one fault in a block."""
    written, limits = draw(_blocks(dialect, code))
    whole = _in_transcript if draw(st.integers(0, 2)) == 2 else _in_turn
    return draw(whole(dialect, written, limits))


@st.composite
def _blocks(draw: st.DrawFn, dialect: str, code: str) -> tuple[Written, dict[str, int]]:
    """Draw a block with one fault of this code, and the limits to read it with."""
    of_dialect: Any = _arrays if dialect == "xml-json" else _elements
    block = draw(BLOCKS[dialect])
    inside = block.marks["inside"]
    if code == "bad-encoding":
        place = draw(st.integers(inside, len(block.text) - 1))
        return block.struck(place, "\ufffd", code), {}
    if code == "unclosed-execute":
        return block.cut(draw(st.integers(inside, len(block.text) - 1)), code), {}
    if code == "limit-size":
        return draw(_too_long(dialect))
    if code.startswith("limit-"):
        limited: tuple[Written, dict[str, int]] = draw(of_dialect.limited_blocks(code))
        return limited
    return draw(of_dialect.block_faults(code)), {}


@st.composite
def _too_long(draw: st.DrawFn, dialect: str) -> tuple[Written, dict[str, int]]:
    """Draw a block one of whose characters is the first beyond the limit `size`."""
    block = draw(
        BLOCKS[dialect].filter(lambda block: block.marks["closer"] > 1 + block.marks["inside"])
    )
    first = block.marks["inside"]
    place = draw(st.integers(first + 1, block.marks["closer"] - 1))
    # The `<` of a tool might be that of the closer, which is not counted.
    offset = place + (dialect == "xml-elements" and place in block.openers)
    return block.crossing(offset, "limit-size"), {"size": place - first}


def _stop_of(dialect: str, text: str, offset: int) -> int | None:
    """Return where the void block ends: at the first closer that is not before the offence."""
    found = text.find(CLOSER, max(0, offset - REACH_BACK[dialect]))
    return None if found < 0 else found + len(CLOSER)


@st.composite
def _in_turn(draw: st.DrawFn, dialect: str, written: Written, limits: dict[str, int]) -> Fault:
    """Put a block with a fault into a turn, and text that the model wrote after it."""
    writer = Writer(draw, dialect, "turn")
    writer.begin()
    offset = writer.spoil(written)
    is_cut = offset == len(writer.text)
    text = writer.text + ("" if is_cut else draw(anything))
    stop = _stop_of(dialect, text, offset)
    document = writer.document("execute" if stop is None else "paused")
    discarded = 0 if stop is None else len(text) - stop
    return draw(fault_of(document._replace(text=text, discarded=discarded), limits))


@st.composite
def _in_transcript(
    draw: st.DrawFn, dialect: str, written: Written, limits: dict[str, int]
) -> Fault:
    """Put a block with a fault into a transcript, and perhaps its answer and prose after it."""
    writer = Writer(draw, dialect, "transcript", "prose")
    writer.begin()
    offset = writer.spoil(written)
    stop = _stop_of(dialect, writer.text, offset)
    if stop == len(writer.text):
        if not limits and draw(st.booleans()):
            text, event = draw(_arrays.answers(["execute"], executed=0, success=False))
            writer.mark(draw(white) + text, event)
        writer.say(draw(prose))
    elif stop is not None:
        # The rest of the block is prose, and contains the closer.
        return draw(_in_turn(dialect, written, limits))
    document = writer.document("execute" if stop is None else "prose")
    return draw(fault_of(document, limits))


@st.composite
def forged(draw: st.DrawFn, dialect: str) -> Fault:
    """Draw a turn that stops at results, or a transcript with results that answer nothing."""
    mode = draw(st.sampled_from(["turn", "transcript"]))
    writer = Writer(draw, dialect, mode, draw(st.sampled_from(["prose", "think"])))
    writer.begin()
    if mode == "turn":
        writer.forge("<results>")
        document = writer.document("paused", draw(anything))
    elif draw(st.booleans()):
        writer.forge(f"<results>{draw(skipped)}</results>")
        writer.say(draw(prose))
        document = writer.document("prose")
    else:
        writer.forge(f"<results>{draw(skipped)}")
        document = writer.document("results")
    return draw(fault_of(document, {}))


# --- Results with a fault ---------------------------------------------------------------------


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a transcript with a block, results that have a fault, and perhaps prose after them."""
    writer = Writer(draw, dialect, "transcript")
    writer.begin()
    limits: dict[str, int] = {}
    if code == _arrays.SHAPE and draw(st.integers(0, 3)) == 0:
        results, limits = draw(_arrays.limited_answers())
        text, content = "<a/>", '{"name": "a", "args": {}}'
        if dialect == "xml-json":
            text, content = _arrays.TINY, _arrays.TINY[1:-1]
        writer.mark(f"<execute>{text}{CLOSER}", call(content), execute())
    else:
        is_any = code != _arrays.ORDER
        block = draw(BLOCKS[dialect].filter(lambda block: is_any or block.calls))
        writer.mark(block.text, *block.events)
        ways = {
            _arrays.SHAPE: _arrays.misshapen,
            _arrays.COUNT: _arrays.miscounted,
            _arrays.ORDER: _arrays.misordered,
        }
        results = draw(ways[code](block.names))
    gap = draw(white)
    offset = len(writer.text) + len(gap) + results.fault.offset
    writer.mark(gap + results.text, error(code, results.fault.path, offset=offset))
    # They end at the first closer that is not before the offence; here it is their own.
    closer = "</results>"
    found = writer.text.find(closer, offset)
    assume(found < 0 or found + len(closer) == len(writer.text))
    state = writer.options["start"] if found >= 0 else "results"
    if state == "prose":
        writer.say(draw(prose))
    return draw(fault_of(writer.document(state), limits))
