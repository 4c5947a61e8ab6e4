# SPDX-License-Identifier: MIT
"""Transcripts of the delimiter dialects in which results are the one fault.

dl-results to dl-results-skip define what they may contain.
"""

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._bodies import BODIES, answers, stays
from cogwire_kit.strategies._delimiter import open_turn
from cogwire_kit.strategies._faults_json import calls, flat
from cogwire_kit.strategies._faults_lines import FaultWriter, payloads
from cogwire_kit.strategies._faults_written import Fault, fault_of
from cogwire_kit.strategies._json import exact_objects, quoted
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._wire import WHITE, error

SHAPE, COUNT, ORDER = "results-shape", "results-count", "results-order"

tools = st.sampled_from(["a", "read", "é", "Execute"])

#: Faults of an item with the right tool: its status and its content, as JSON.
MISSHAPEN = [
    ('"ok"', '"x"'),
    ('"Success"', "1"),
    ('""', "null"),
    ("true", '"x"'),
    ("null", '"x"'),
    ('["success"]', '"x"'),
    ('"failure"', "1"),
    ('"failure"', "null"),
    ('"failure"', '{"message": "x"}'),
]

#: Answers to a batch without calls that are not an empty array.
NOT_EMPTY = ["", "none", "[1]", "[[]]", "[ ,]", "{}", "null", "0", '"[]"', "[]]", "] []"]


class ResultsWriter(FaultWriter):
    """Writes a batch, and results of which one has a fault."""

    #: Where the last body without a fault begins.
    body = 0

    def ask(self, names: list[str]) -> None:
        """Write a batch of calls of these names."""
        for index, name in enumerate(names):
            self.good(self.draw(payloads(self.draw(calls(flat, name=quoted(name))), index)))
        self.execute()
        self.begin_turn()

    def right(self, name: str) -> bool:
        """Write a result of a tool; return whether it ends with a bracket."""
        _, is_bracketed = self._results_marker()
        self.body = len(self.text)
        success = self.draw(st.booleans())
        body, _ = self.draw(answers(name, is_bracketed=is_bracketed, success=success))
        self._body(body, is_bracketed=is_bracketed)
        self.state = "results"
        return is_bracketed

    def wrong(self, body: str, code: str, at: int | None, path: str | None) -> int:
        """Write a result whose offending character is that at `at`, or the last one.

        Return where its marker begins.
        """
        offset, is_bracketed = self._results_marker()
        assume(stays(body, is_bracketed=is_bracketed))
        place = len(body.rstrip(WHITE)) - 1 if at is None else at
        self.spoil_results(code, len(self.text) + place, path)
        self._body(body, is_bracketed=is_bracketed)
        return offset

    def surplus(self) -> None:
        """Write a result for which there is no call."""
        offset, is_bracketed = self._results_marker()
        self.spoil_results(COUNT, offset, None)
        self._body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)

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

    def go_on(self) -> None:
        """Write results that are skipped, and perhaps the next turn."""
        for _ in range(self.draw(st.integers(0, 2))):
            _, is_bracketed = self._results_marker()
            self._body(self.draw(BODIES[is_bracketed]), is_bracketed=is_bracketed)
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
    item = draw(exact_objects([("tool", tool), ("status", status), ("content", content)]))
    return draw(white) + item + draw(white)


@st.composite
def result_faults(draw: st.DrawFn, dialect: str, code: str) -> Fault:
    """Draw a transcript with a batch, results that have a fault, and perhaps the next turn."""
    writer = ResultsWriter(draw, "transcript")
    open_turn(draw, writer)
    limits: dict[str, int] = {}
    if code == COUNT:
        is_over = _miscount(draw, writer)
    elif code == SHAPE and draw(st.integers(0, 3)) == 0:
        limits, is_over = _exceed(draw, writer), False
    else:
        _misshape(draw, writer, code)
        is_over = False
    if not is_over:
        writer.go_on()
    return draw(fault_of(writer.document(), dialect, limits))


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
    bracket = len(writer.text) - 1
    marker = writer.wrong(body, SHAPE, at, "/1")
    return {"size": (bracket if is_bracketed else marker) - writer.body + at}
