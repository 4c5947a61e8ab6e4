# SPDX-License-Identifier: MIT
"""Turns and transcripts of the delimiter dialects with one fault, in a payload or a marker.

dl-trailing-prose, dl-broken-prose, dl-void and dl-void-payloads define how the text after a fault
is read.
"""

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._bodies import BODIES
from cogwire_kit.strategies._delimiter import open_turn
from cogwire_kit.strategies._faults_blocks import CONTROLS, STRAY
from cogwire_kit.strategies._faults_json import (
    CALLS,
    Trees,
    calls,
    limited_calls,
)
from cogwire_kit.strategies._faults_written import Fault, Tree, Written, fault_of, write_tree
from cogwire_kit.strategies._line_writer import Writer
from cogwire_kit.strategies._lines import anything, holds_marker, line_ends, prose
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._wire import WHITE, Document, call


class FaultWriter(Writer):
    """Writes calls with and without a fault, and the events that they must produce."""

    #: The number of characters in the payloads of the batch.
    size = 0

    @property
    def pending(self) -> int:
        """The number of calls that wait for their `§execute`."""
        return len(self._tools)

    def _written(self, payload: Written) -> int:
        self.keyword("call:")
        start = len(self.text)
        self.text += payload.text
        self.size += len(payload.text)
        return start

    def good(self, payload: Written) -> None:
        """Write a call without a fault."""
        self._written(payload)
        self._anchor = len(self.text)
        self._tools.append("")
        self.events.append(call(payload.text.lstrip(WHITE)))
        self.state = "execute"

    def bad(self, payload: Written) -> None:
        """Write a payload with a fault, which is then read as prose."""
        assume(not holds_marker(payload.text))
        code, at, path = payload.fault
        start = self._written(payload)
        self._spoil(code, start + at, path)
        self._content = payload.text

    def trailing(self, text: str, code: str, at: int) -> None:
        """Write text after a call, which is read as prose; the offending character is at `at`."""
        gap = self.draw(white)
        self._spoil(code, len(self.text) + len(gap) + at, None)
        self.text += gap
        self.say(text)

    def forge_whole(self) -> None:
        """Write a whole result where none is expected, and optionally prose after it."""
        is_bracketed = self.forge()
        self._body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)
        self._kind = "respond"
        if is_bracketed:
            self.state = "prose"
            self.say(self.draw(prose))

    def marker_for_payload(self) -> None:
        """Write another marker where the payload of a call is expected."""
        self.keyword("call:")
        offset = self.keyword("respond:")
        self._spoil("json-syntax", offset, f"/{self.pending}")
        self.say(self.draw(prose))


# --- Payloads ---------------------------------------------------------------------------------


@st.composite
def payloads(draw: st.DrawFn, tree: Tree, index: int) -> Written:
    """Write a payload: white space and a call, from after its `§call:` on."""
    written = Written()
    written.put(draw(st.one_of(st.just(" "), white)), f"/{index}")
    written.mark("object")
    write_tree(written, tree, f"/{index}")
    return written


#: Calls without a fault, some of them without arguments.
any_calls: Trees = st.one_of(calls(), calls(args=None))


@st.composite
def begun(draw: st.DrawFn, mode: str, others: Trees, least: int = 0, most: int = 2) -> FaultWriter:
    """Draw the beginning of a turn: `least` to `most` calls, with segments around them."""
    writer = FaultWriter(draw, mode)
    open_turn(draw, writer)
    for index in range(draw(st.integers(least, most))):
        writer.good(draw(payloads(draw(others), index)))
        if draw(st.integers(0, 3)) == 0:
            writer.speak(draw(st.sampled_from(["think", "respond"])))
    return writer


@st.composite
def finished(draw: st.DrawFn, writer: FaultWriter, *, is_limited: bool) -> Document:
    """Draw the text after a fault: segments, calls that cannot run, and an end of the turn."""
    for _ in range(draw(st.integers(0, 2))):
        part = draw(st.sampled_from(["think", "respond", "call"]))
        if part != "call":
            writer.speak(part)
        elif not is_limited:
            writer.good(draw(payloads(draw(any_calls), writer.pending)))
            if writer.options["mode"] == "transcript":
                writer.events.pop()  # m-transcript-void
    stop = draw(st.sampled_from(["none", "end", "execute"]))
    if stop == "none":
        return writer.document()
    if stop == "end":
        writer.end()
    else:
        writer.execute()
    if writer.options["mode"] == "turn":
        return writer.document("ended" if stop == "end" else "paused", draw(after_stop()))
    writer.begin_turn()
    if stop == "execute" and not is_limited and draw(st.booleans()):
        writer.answer(None)
    return writer.document()


@st.composite
def after_stop(draw: st.DrawFn) -> str:
    """Draw text that a model wrote after `§end` or `§execute`, beginning with the boundary."""
    text = draw(anything)
    return draw(line_ends) + text if text and text[0] not in f"{WHITE}§" else text


@st.composite
def struck(draw: st.DrawFn, code: str, index: int) -> Written:
    """Draw a payload with something put in anywhere before its last brace."""
    payload = draw(payloads(draw(any_calls), index))
    place = draw(st.integers(0, len(payload.text) - 1))
    if code == "bad-encoding":
        return payload.struck(place, "\ufffd", code)
    characters = CONTROLS if payload.is_quoted[place] else STRAY
    return payload.struck(place, draw(st.sampled_from(characters)), code)


@st.composite
def payload_faults(draw: st.DrawFn, mode: str, code: str) -> tuple[FaultWriter, dict[str, int]]:
    """Draw a turn up to a payload with a fault, and the limits to read it with."""
    if code in {"limit-depth", "limit-digits"}:
        limited, others, limits = draw(limited_calls(code))
        most = 0 if limits.get("depth", 3) < 3 else 2
        writer = draw(begun(mode, calls(others), 0, most))
        writer.bad(draw(payloads(limited, writer.pending)))
        return writer, limits
    if code == "limit-calls":
        limit = draw(st.integers(1, 3))
        writer = draw(begun(mode, any_calls, limit, limit))
        payload = draw(payloads(draw(any_calls), limit))
        writer.bad(payload.crossing(payload.marks["object"], code))
        return writer, {"calls": limit}
    writer = draw(begun(mode, any_calls))
    if code == "limit-size":
        payload = draw(payloads(draw(any_calls), writer.pending))
        place = draw(st.integers(0 if writer.size else 1, len(payload.text) - 1))
        limits = {"size": writer.size + place}
        writer.bad(payload.crossing(place, code))
        return writer, limits
    ways = [struck(code, writer.pending)] if code in {"json-syntax", "bad-encoding"} else []
    if code in CALLS:
        bad = draw(CALLS[code])
        ways.append(payloads(bad, writer.pending))
    writer.bad(draw(st.one_of(ways)))
    return writer, {}


# --- After a call ----------------------------------------------------------------------------

#: Text that may not follow a call, and the place of its offending character.
TRAILING = [
    ("please", 0),
    ("]", 0),
    ("}", 0),
    (", then", 0),
    ('{"name": "a"}', 0),
    ("&sect;end", 0),
    ("\u00a0§end", 0),
    ("\0", 0),
    ("```", 0),
    ("§ think:", 1),
    ("§§end", 1),
    ("§.", 1),
    ("§thing", 5),
    ("§en d", 3),
    ("§end.", 4),
    ("§ending", 4),
    ("§executes", 8),
    ("§Execute-it", 8),
    ("§respond hi", 8),
    ("§CALL {}", 5),
    ("§thin\u212a:", 5),
    ("§re\u017fult:", 3),
    ("[SYS,", 4),
    ("[system: a]", 1),
    ("[SYSTEM:a]", 8),
    ("[1]", 1),
]

#: Text that may become a marker, but does not before the text ends.
BEGINNINGS = ["§", "§th", "§Call", "§exec", "§EXECUT", "§en", "§result", "[", "[SYSTEM", "[SYSTEM:"]

#: Replaced characters after a call.
REPLACED = [
    ("\ufffd", 0),
    ("§\ufffd", 1),
    ("§ex\ufffd", 3),
    ("§think\ufffd:", 6),
    ("[SYS\ufffd", 4),
]


@st.composite
def after_call(draw: st.DrawFn, mode: str, code: str) -> FaultWriter:
    """Draw a turn up to text after a call, where only a marker may be."""
    writer = draw(begun(mode, any_calls))
    writer.good(draw(payloads(draw(any_calls), writer.pending)))
    text, at = draw(st.sampled_from(REPLACED if code == "bad-encoding" else TRAILING))
    writer.trailing(text + draw(prose), code, at)
    return writer


@st.composite
def begun_marker(draw: st.DrawFn, mode: str) -> Document:
    """Draw a turn that ends within text that might have become a marker after a call."""
    writer = draw(begun(mode, any_calls))
    writer.good(draw(payloads(draw(any_calls), writer.pending)))
    text = draw(st.sampled_from(BEGINNINGS))
    writer.trailing(text, "trailing-text", len(text))
    return writer.document()


# --- Incomplete calls, and calls without their execute ----------------------------------------


@st.composite
def unclosed(draw: st.DrawFn, mode: str) -> Document:
    """Draw a turn that ends after `§call:`, or in the payload."""
    writer = draw(begun(mode, any_calls))
    payload = draw(payloads(draw(any_calls), writer.pending))
    place = draw(st.integers(0, len(payload.text) - 1))
    writer.bad(payload.cut(place, "unclosed-call"))
    return writer.document("execute")


@st.composite
def missing_execute(draw: st.DrawFn, mode: str) -> Document:
    """Draw calls that `§end` or the end of the text follows without a `§execute`."""
    writer = draw(begun(mode, any_calls, 1, 3))
    if draw(st.booleans()):
        return writer.document()
    writer.end()
    if mode == "turn":
        return writer.document("ended", draw(after_stop()))
    writer.begin_turn()
    return writer.document()


@st.composite
def forged(draw: st.DrawFn, mode: str) -> Document:
    """Draw a turn that stops at a result, or a transcript with a result that answers nothing."""
    writer = draw(begun(mode, any_calls))
    if mode == "turn":
        writer.forge()
        return writer.document("paused", draw(anything))
    writer.forge_whole()
    return writer.document()


# --- All of them ------------------------------------------------------------------------------


@st.composite
def turn_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a turn or a transcript with one fault that is not in its results."""
    mode = draw(st.sampled_from(["turn", "turn", "transcript"]))
    limits: dict[str, int] = {}
    if code in WHOLE:
        document = draw(WHOLE[code](mode))
    elif code == "trailing-text" and draw(st.integers(0, 4)) == 0:
        document = draw(begun_marker(mode))
    else:
        writer, limits = draw(_spoiled(mode, code))
        document = draw(finished(writer, is_limited=bool(limits)))
    return draw(fault_of(document, dialect, limits))


#: The functions that draw a whole document with a fault of this code.
WHOLE = {"unclosed-call": unclosed, "missing-execute": missing_execute, "forged-results": forged}


@st.composite
def _spoiled(draw: st.DrawFn, mode: str, code: str) -> tuple[FaultWriter, dict[str, int]]:
    """Draw a turn up to its fault, and the limits to read it with."""
    if code == "trailing-text" or (code == "bad-encoding" and draw(st.booleans())):
        return draw(after_call(mode, code)), {}
    if code == "json-syntax" and draw(st.integers(0, 9)) == 0:
        writer = draw(begun(mode, any_calls))
        writer.marker_for_payload()
        return writer, {}
    return draw(payload_faults(mode, code))
