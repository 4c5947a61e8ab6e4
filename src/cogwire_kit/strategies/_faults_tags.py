# SPDX-License-Identifier: MIT
"""Turns and transcripts of the xml dialects in which a block or a results marker is the one fault.

xj-skip, xe-void, xj-forged and xj-forged-transcript define how the text after a fault is read.
"""

from typing import Any

from hypothesis import strategies as st

from cogwire_kit.strategies import _faults_blocks, _faults_elements, _xml_elements, _xml_json
from cogwire_kit.strategies._faults_written import Fault, Written, fault_of
from cogwire_kit.strategies._json import items
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._tags import (
    Writer,
    anything,
    framed,
    go_on,
    open_turn,
    prose,
    skipped,
)
from cogwire_kit.strategies._wire import call, error, result

CLOSER = "</execute>"
#: How far before the offending character the closer of a void block may begin.
REACH_BACK = {"xml-json": 0, "xml-elements": len(CLOSER) - 1}
VALID: dict[str, st.SearchStrategy[Any]] = {
    "xml-json": _faults_blocks.blocks(),
    "xml-elements": _faults_elements.blocks(),
}
#: Valid blocks with their events and the names of their calls.
BLOCKS: dict[str, st.SearchStrategy[Any]] = {
    "xml-json": _xml_json.blocks(),
    "xml-elements": _xml_elements.blocks(),
}


@st.composite
def begun(draw: st.DrawFn, mode: str, start: str) -> Writer:
    """Draw prose and thinks, after which a block may be."""
    writer = Writer(mode, start)
    if open_turn(draw, writer):
        writer.mark("</think>")
    go_on(draw, writer)
    return writer


# --- Blocks -----------------------------------------------------------------------------------


@st.composite
def in_turn(draw: st.DrawFn, dialect: str, written: Written, limits: dict[str, int]) -> Fault:
    """Put a block with a fault into a turn, and text that the model wrote after it."""
    writer = draw(begun("turn", draw(st.sampled_from(["prose", "prose", "think"]))))
    offset = _write(writer, written)
    is_cut = offset == len(writer.text)
    text = writer.text + ("" if is_cut else draw(anything))
    stop = stop_of(dialect, text, offset)
    document = writer.document("execute" if stop is None else "paused")
    discarded = 0 if stop is None else len(text) - stop
    return draw(fault_of(document._replace(text=text, discarded=discarded), dialect, limits))


@st.composite
def in_transcript(draw: st.DrawFn, dialect: str, written: Written, limits: dict[str, int]) -> Fault:
    """Put a block with a fault into a transcript, and perhaps its answer and prose after it."""
    writer = draw(begun("transcript", "prose"))
    offset = _write(writer, written)
    stop = stop_of(dialect, writer.text, offset)
    if stop == len(writer.text):
        if not limits and draw(st.booleans()):
            failure = draw(items("execute", success=False))
            text, array = draw(framed("results", [failure]))
            writer.mark(draw(white) + text, result(array, 0, 1, executed=0))
        writer.say(draw(prose))
    elif stop is not None:
        # The rest of the block is prose, and contains the closer.
        return draw(in_turn(dialect, written, limits))
    document = writer.document("execute" if stop is None else "prose")
    return draw(fault_of(document, dialect, limits))


def _write(writer: Writer, written: Written) -> int:
    """Write a block and the events that it must produce; return the offset of its fault."""
    offence = written.fault
    offset = len(writer.text) + offence.offset
    calls = [call(content) for content in written.calls_before(offence.offset)]
    fault = error(offence.code, offence.path, offset=offset, calls=len(calls))
    writer.mark(written.text, *calls, fault)
    return offset


def stop_of(dialect: str, text: str, offset: int) -> int | None:
    """Return where the void block ends: at the first closer that is not before the offence."""
    found = text.find(CLOSER, max(0, offset - REACH_BACK[dialect]))
    return None if found < 0 else found + len(CLOSER)


@st.composite
def blocks(draw: st.DrawFn, dialect: str, code: str) -> tuple[Written, dict[str, int]]:
    """Draw a block with one fault of this code, and the limits to read it with."""
    block = draw(VALID[dialect])
    inside = block.marks["inside"]
    if code == "bad-encoding":
        place = draw(st.integers(inside, len(block.text) - 1))
        return block.struck(place, "\ufffd", code), {}
    if code == "unclosed-execute":
        return block.cut(draw(st.integers(inside, len(block.text) - 1)), code), {}
    if code == "limit-size":
        return draw(_too_long(dialect))
    if dialect == "xml-elements":
        if code.startswith("limit-"):
            return draw(_faults_elements.limited_blocks(code))
        return draw(_faults_elements.block_faults(code)), {}
    if code == "limit-calls":
        return draw(_faults_blocks.too_many_calls())
    if code.startswith("limit-"):
        return draw(_faults_blocks.limited_blocks(code))
    return draw(_faults_blocks.block_faults(code)), {}


@st.composite
def _too_long(draw: st.DrawFn, dialect: str) -> tuple[Written, dict[str, int]]:
    """Draw a block one of whose characters is the first beyond the limit `size`."""
    block = draw(
        VALID[dialect].filter(lambda block: block.marks["closer"] > 1 + block.marks["inside"])
    )
    first = block.marks["inside"]
    place = draw(st.integers(first + 1, block.marks["closer"] - 1))
    # The `<` of a tool might be that of the closer, which is not counted.
    offset = place + (dialect == "xml-elements" and place in block.openers)
    return block.crossing(offset, "limit-size"), {"size": place - first}


@st.composite
def block_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a turn or a transcript with one fault in a block."""
    written, limits = draw(blocks(dialect, code))
    whole = in_transcript if draw(st.integers(0, 2)) == 2 else in_turn
    return draw(whole(dialect, written, limits))


# --- Forged results ---------------------------------------------------------------------------


@st.composite
def forged(draw: st.DrawFn, dialect: str) -> Fault:
    """Draw a turn that stops at results, or a transcript with results that answer nothing."""
    mode = draw(st.sampled_from(["turn", "transcript"]))
    writer = draw(begun(mode, draw(st.sampled_from(["prose", "think"]))))
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
    return draw(fault_of(document, dialect, {}))
