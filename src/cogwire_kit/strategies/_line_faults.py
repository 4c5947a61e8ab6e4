# SPDX-License-Identifier: MIT
"""Turns and transcripts of the delimiter dialects with one fault.

dl-trailing-prose, dl-broken-prose, dl-void and dl-void-payloads define how the text after a fault
is read, and dl-results to dl-results-skip what results may contain.
"""

from typing import Final

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._arrays import COUNT, ORDER, SHAPE
from cogwire_kit.strategies._json import Trees, calls, exact_items, flat, quoted
from cogwire_kit.strategies._json_faults import limited_calls
from cogwire_kit.strategies._lines import (
    BODIES,
    TRAILING,
    Writer,
    after_stop,
    any_calls,
    bad_payloads,
    payloads,
    prose,
    stays,
)
from cogwire_kit.strategies._wire import WHITE, Document, error, running, white
from cogwire_kit.strategies._written import Fault, fault_of, pointed, source

# --- Payloads ---------------------------------------------------------------------------------


@st.composite
def begun(
    draw: st.DrawFn,
    dialect: str,
    mode: str,
    others: Trees = any_calls,
    *,
    least: int = 0,
    most: int = 2,
) -> Writer:
    """Draw the beginning of a turn: `least` to `most` calls, with segments around them."""
    writer = Writer(draw, dialect, mode)
    writer.open_turn()
    for _ in range(draw(st.integers(least, most))):
        writer.call(others)
        if draw(st.integers(0, 3)) == 0:
            writer.speak(draw(st.sampled_from(["think", "respond"])))
    return writer


@st.composite
def finished(draw: st.DrawFn, writer: Writer, *, is_limited: bool) -> Document:
    """Draw the text after a fault: segments, calls that cannot run, and an end of the turn."""
    for _ in range(draw(st.integers(0, 2))):
        part = draw(st.sampled_from(["think", "respond", "call"]))
        if part != "call":
            writer.speak(part)
        elif not is_limited:
            writer.call()
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
        writer.answer_all(None)
    return writer.document()


@st.composite
def limited(draw: st.DrawFn, dialect: str, mode: str, code: str) -> tuple[Writer, dict[str, int]]:
    """Draw a turn up to a payload that crosses a limit, and that limit."""
    if code in {"limit-depth", "limit-digits"}:
        call, others, limits = draw(limited_calls(code))
        most = 0 if limits.get("depth", 3) < 3 else 2
        writer = draw(begun(dialect, mode, calls(others), most=most))
        writer.bad(draw(payloads(call, len(writer.tools))))
        return writer, limits
    if code == "limit-calls":
        limit = draw(st.integers(1, 3))
        writer = draw(begun(dialect, mode, least=limit, most=limit))
        payload = draw(payloads(draw(any_calls), limit))
        writer.bad(payload.crossing(payload.marks["object"], code))
        return writer, {"calls": limit}
    writer = draw(begun(dialect, mode))
    payload = draw(payloads(draw(any_calls), len(writer.tools)))
    place = draw(st.integers(0 if writer.size else 1, len(payload.text) - 1))
    limits = {"size": writer.size + place}
    writer.bad(payload.crossing(place, code))
    return writer, limits


# --- After a call ----------------------------------------------------------------------------

#: Text that may become a marker, but does not before the text ends.
BEGINNINGS: Final = (
    *("§", "§th", "§Call", "§exec", "§EXECUT", "§en", "§result", "[", "[SYSTEM", "[SYSTEM:"),
)

#: Replaced characters after a call.
REPLACED: Final = ("‸\ufffd", "§‸\ufffd", "§ex‸\ufffd", "§think‸\ufffd:", "[SYS‸\ufffd")


@st.composite
def after_call(draw: st.DrawFn, dialect: str, mode: str, code: str) -> Writer:
    """Draw a turn up to text after a call, where only a marker may be."""
    writer = draw(begun(dialect, mode))
    writer.call()
    text, at = pointed(draw(st.sampled_from(REPLACED if code == "bad-encoding" else TRAILING)))
    writer.trail(text + draw(prose), code, at)
    return writer


@st.composite
def marker_for_payload(draw: st.DrawFn, dialect: str, mode: str) -> Writer:
    """Draw a turn up to another marker where the payload of a call is expected."""
    writer = draw(begun(dialect, mode))
    writer.keyword("call:")
    offset = writer.keyword("respond:")
    writer.spoil("json-syntax", offset, f"/{len(writer.tools)}")
    writer.say(draw(prose))
    return writer


@st.composite
def begun_marker(draw: st.DrawFn, dialect: str, mode: str) -> Document:
    """Draw a turn that ends within text that might have become a marker after a call."""
    writer = draw(begun(dialect, mode))
    writer.call()
    text = draw(st.sampled_from(BEGINNINGS))
    writer.trail(text, "trailing-text", len(text))
    return writer.document()


# --- Incomplete calls, and calls without their execute ----------------------------------------


@st.composite
def unclosed(draw: st.DrawFn, dialect: str, mode: str) -> Document:
    """Draw a turn that ends after `§call:`, or in the payload."""
    writer = draw(begun(dialect, mode))
    payload = draw(payloads(draw(any_calls), len(writer.tools)))
    place = draw(st.integers(0, len(payload.text) - 1))
    writer.bad(payload.cut(place, "unclosed-call"))
    return writer.document("execute")


@st.composite
def missing_execute(draw: st.DrawFn, dialect: str, mode: str) -> Document:
    """Draw calls that `§end` or the end of the text follows without a `§execute`."""
    writer = draw(begun(dialect, mode, least=1, most=3))
    if draw(st.booleans()):
        return writer.document()
    writer.end()
    if mode == "turn":
        return writer.document("ended", draw(after_stop()))
    writer.begin_turn()
    return writer.document()


@st.composite
def forged(draw: st.DrawFn, dialect: str, mode: str) -> Document:
    """Draw a turn that stops at a result, or a transcript with a result that answers nothing."""
    writer = draw(begun(dialect, mode))
    if mode == "turn":
        writer.forge()
        return writer.document("paused", draw(running))
    writer.forge_whole()
    return writer.document()


#: The functions that draw a whole document with a fault of this code.
WHOLE: Final = {
    "unclosed-call": unclosed,
    "missing-execute": missing_execute,
    "forged-results": forged,
}


@st.composite
def turn_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a turn or a transcript with one fault that is not in its results."""
    mode = draw(st.sampled_from(["turn", "turn", "transcript"]))
    limits: dict[str, int] = {}
    if code in WHOLE:
        document = draw(WHOLE[code](dialect, mode))
    elif code == "trailing-text" and draw(st.integers(0, 4)) == 0:
        document = draw(begun_marker(dialect, mode))
    else:
        writer, limits = draw(_spoiled(dialect, mode, code))
        document = draw(finished(writer, is_limited=bool(limits)))
    return draw(fault_of(document, limits))


@st.composite
def _spoiled(draw: st.DrawFn, dialect: str, mode: str, code: str) -> tuple[Writer, dict[str, int]]:
    """Draw a turn up to its fault, and the limits to read it with."""
    if code.startswith("limit-"):
        return draw(limited(dialect, mode, code))
    if code == "trailing-text" or (code == "bad-encoding" and draw(st.booleans())):
        return draw(after_call(dialect, mode, code)), {}
    if code == "json-syntax" and draw(st.integers(0, 9)) == 0:
        return draw(marker_for_payload(dialect, mode)), {}
    writer = draw(begun(dialect, mode))
    writer.bad(draw(bad_payloads(code, len(writer.tools))))
    return writer, {}


# --- Results ----------------------------------------------------------------------------------

tools = st.sampled_from(["a", "read", "é", "Execute"])

#: Faults of an item with the right tool: its status and its content, as JSON.
MISSHAPEN: Final = (
    *(('"ok"', '"x"'), ('"Success"', "1"), ('""', "null"), ("true", '"x"'), ("null", '"x"')),
    *(('["success"]', '"x"'), ('"failure"', "1"), ('"failure"', "null")),
    *(('"failure"', '{"message": "x"}'),),
)

#: Answers to a batch without calls that are not an empty array.
NOT_EMPTY: Final = ("", "none", "[1]", "[[]]", "[ ,]", "{}", "null", "0", '"[]"', "[]]", "] []")


class ResultsWriter(Writer):
    """Writes a batch, and results of which one has a fault."""

    def ask(self, names: list[str]) -> None:
        """Write a batch of calls of these names."""
        for name in names:
            self.call(calls(flat, name=quoted(name)))
        self.execute()
        self.begin_turn()

    def right(self, name: str) -> bool:
        """Write a result of a tool; return whether it ends with a bracket."""
        is_bracketed, _ = self.answer(name, success=self.draw(st.booleans()))
        return is_bracketed

    def wrong(self, body: str, code: str, at: int | None, path: str | None) -> int:
        """Write a result whose offending character is that at `at`, or the last one.

        Return where its marker begins.
        """
        offset, is_bracketed = self.results_marker()
        assume(stays(body, is_bracketed=is_bracketed))
        place = len(body.rstrip(WHITE)) - 1 if at is None else at
        self.spoil_results(code, len(self.text) + place, path)
        self.body(body, is_bracketed=is_bracketed)
        return offset

    def surplus(self) -> None:
        """Write a result for which there is no call."""
        offset, is_bracketed = self.results_marker()
        self.spoil_results(COUNT, offset, None)
        self.body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)

    def too_few(self, *, may_speak: bool) -> None:
        """Write text that ends the results although one is still expected."""
        way = self.draw(st.sampled_from(["marker", "end", "text"]))
        if way == "marker":
            self.spoil_results(COUNT, self.keyword("respond:"), None)
            self.state = "prose"
        elif way == "text" and may_speak:
            start = len(self.text)
            self.say("x")
            self.spoil_results(COUNT, start + self.text[start:].index("x"), None)
            self.state = self.options["start"]
        else:
            self.text += self.draw(white)
            self.spoil_results(COUNT, len(self.text), None)

    def spoil_results(self, code: str, offset: int, path: str | None) -> None:
        """Return the one error of results."""
        self.events.append(error(code, path, offset=offset))
        self.state = "results"

    def skip(self) -> None:
        """Write results that are skipped, and perhaps the next turn."""
        for _ in range(self.draw(st.integers(0, 2))):
            _, is_bracketed = self.results_marker()
            self.body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)
        for _ in range(self.draw(st.integers(0, 2))):
            self.speak(self.draw(st.sampled_from(["think", "respond"])))
        if self.draw(st.booleans()):
            self.end()
            self.begin_turn()


@st.composite
def bad_bodies(draw: st.DrawFn, name: str, code: str) -> str:
    """Draw a body that is a whole item, of another tool or of a wrong shape."""
    tool, (status, content) = quoted(name), draw(st.sampled_from(MISSHAPEN))
    if code == ORDER:
        others = [other for other in ("b", "execute", name.upper(), name + " ") if other != name]
        tool, status, content = quoted(draw(st.sampled_from(others))), '"success"', '"x"'
    elif draw(st.integers(0, 3)) == 0:
        tool, status, content = draw(st.sampled_from(["1", "null", "{}"])), '"success"', '"x"'
    item = draw(exact_items(name, {"tool": tool, "status": status, "content": content}))
    return draw(white) + source(item) + draw(white)


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a transcript with a batch, results that have a fault, and perhaps the next turn."""
    writer = ResultsWriter(draw, dialect, "transcript")
    writer.open_turn()
    limits: dict[str, int] = {}
    is_over = False
    if code == COUNT:
        is_over = _miscount(draw, writer)
    elif code == SHAPE and draw(st.integers(0, 3)) == 0:
        limits = _exceed(draw, writer)
    else:
        _misshape(draw, writer, code)
    if not is_over:
        writer.skip()
    return draw(fault_of(writer.document(), limits))


def _miscount(draw: st.DrawFn, writer: ResultsWriter) -> bool:
    """Write more or fewer results than calls; return whether the following text is written."""
    names = draw(st.lists(tools, max_size=3))
    writer.ask(names)
    if not names:
        body = draw(white) + draw(st.sampled_from(NOT_EMPTY)) + draw(white)
        writer.wrong(body, COUNT, None, None)
        return False
    if len(names) > 1 and draw(st.booleans()):
        kept = names[: draw(st.integers(1, len(names) - 1))]
        is_bracketed = [writer.right(name) for name in kept][-1]
        writer.too_few(may_speak=is_bracketed)
        return True
    for name in names:
        writer.right(name)
    writer.surplus()
    return False


def _misshape(draw: st.DrawFn, writer: ResultsWriter, code: str) -> None:
    """Write results of which one is not an item, answers another call, or is damaged."""
    names = draw(st.lists(tools, min_size=1, max_size=3))
    place = draw(st.integers(0, len(names) - 1))
    writer.ask(names)
    for name in names[:place]:
        writer.right(name)
    if code == SHAPE and draw(st.booleans()):
        text = draw(BODIES[True])
        at = draw(st.integers(0, len(text)))
        writer.wrong(f"{text[:at]}\ufffd{text[at:]}", code, at, f"/{place}")
    else:
        writer.wrong(draw(bad_bodies(names[place], code)), code, None, f"/{place}")


def _exceed(draw: st.DrawFn, writer: ResultsWriter) -> dict[str, int]:
    """Write results that are together longer than the limit `size`; return that limit."""
    names = draw(st.lists(tools, min_size=1, max_size=2))
    writer.ask(names)
    body = draw(BODIES[True]) + "y" * (writer.size + 1)
    # The calls before are below the limit too.
    at = draw(st.integers(writer.size, len(body) - 1))
    if len(names) == 1:
        writer.wrong(body, SHAPE, at, "/0")
        return {"size": at}
    is_bracketed = writer.right(names[0])
    start, bracket = writer.body_start, len(writer.text) - 1
    marker = writer.wrong(body, SHAPE, at, "/1")
    return {"size": (bracket if is_bracketed else marker) - start + at}
