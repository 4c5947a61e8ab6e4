# SPDX-License-Identifier: MIT
"""Reads separate results, which together answer a batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....events import Code
from ....text.scan import WHITE
from ....text.wording import counted
from ...blocks.interface import Fault
from ..machine import FIRST_REGIONS, Options
from ..markers import Found, Markers, Pair
from ..transcript import Transcript
from ..window import LOST
from .bodies import Bodies
from .machine import SingleMachine

if TYPE_CHECKING:
    from ...blocks.format import CallFormat


class SingleTranscript(Transcript, SingleMachine):
    """Reads results that have their own markers; a subclass reads the turns."""

    def __init__(
        self,
        markers: Markers,
        ends: tuple[Pair, Sequence[Pair]],
        calls: "CallFormat",
        options: Options,
    ) -> None:
        super().__init__(markers, ends, calls, options)
        #: The bodies of the open results, `None` if one broke a rule; the text of the open one.
        self._bodies: Bodies | None = None
        self._body: list[str] = []
        #: Where the results begin, and where the last body that was read ends, as offsets.
        self._extent = (0, 0)

    def _open_answer(self, seen: Found) -> None:
        self._bodies = Bodies(self._answers, self._options.limits)
        self._extent = (self._base + seen.at, 0)
        self._open_body(seen.at)

    def _open_body(self, at: int) -> None:
        self._region = "body"
        self._form = self._form_at(at)

    def _scan_body(self, text: str, pos: int, size: int) -> int:
        markers = self._markers.results[self._form]
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._take_body(pos, self._hold_back(markers, text, pos))
            return size
        self._take_body(pos, found.at)
        end = self._pass_closer(found)
        self._end_body(found.at, end)
        self._region = "between"
        self._fresh = True
        return end

    def _take_body(self, pos: int, stop: int) -> None:
        """Keep the text of the open body, unless the body is skipped."""
        if self._bodies is None:
            return
        stop = min(stop, self._size())
        over = pos + self._bodies.room
        at = min(self._first_replaced(pos, stop), over)
        if at < stop:
            size = counted(self._options.limits.size, "character")
            message = f"Results may contain at most {size}." if at == over else LOST
            self._reject_bodies("results-shape", at, at + 1, message, self._bodies.path)
            return
        self._bodies.room -= stop - pos
        self._body.append(self._text[pos:stop])

    def _end_body(self, stop: int, end: int) -> None:
        """Read the body that ends at `stop`, and whose closer ends at `end`."""
        if self._bodies is None:
            return
        whole = "".join(self._body)
        self._body = []
        last = stop - len(whole) + len(whole.rstrip(WHITE))
        try:
            self._bodies.take(whole.strip(WHITE))
        except Fault as fault:
            self._reject_bodies(fault.code, last - 1, stop, fault.message, fault.path)
        self._extent = (self._extent[0], self._base + (end if end > stop else last))

    def _scan_between(self, text: str, pos: int, size: int) -> int:
        """Look for the next result; anything else ends the results."""
        seen = self._peek(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._end_results(seen)
            return seen
        self._keep(seen)
        if self._bodies is not None and not self._bodies.missing:
            at = seen.at
            message = (
                f"Expected {counted(self._bodies.expected, 'result')}, but here another one begins."
            )
            self._reject_bodies("results-count", at, at + 1, message, None)
        self._open_body(seen.at)
        return seen.end

    def _end_results(self, at: int) -> None:
        """Emit the results that end before `at`."""
        bodies = self._bodies
        if bodies is not None and bodies.missing:
            message = (
                f"Expected {counted(bodies.expected, 'result')}, but the results end after "
                f"{bodies.expected - bodies.missing}."
            )
            self._reject_bodies("results-count", at, at + 1, message, None)
        elif bodies is not None:
            begin, end = (offset - self._base for offset in self._extent)
            content, payload = bodies.content(), bodies.payload
            self._emit({"type": "result", "content": content, "payload": payload}, begin, end, at)
        self._region = FIRST_REGIONS[self._options.start]

    def _reject_bodies(self, code: Code, at: int, end: int, message: str, path: str | None) -> None:
        """Emit the one error of the results; the rest of them is skipped."""
        self._error(code, at, end, message, path=path, calls=0)
        self._bodies = None
        self._body = []

    def _end_text(self, pos: int, stop: int) -> None:
        if self._region in ("body", "between"):
            size = self._size()
            if self._region == "body":
                self._end_body(size, size)
            self._end_results(size)
            self._region = "between"
        super()._end_text(pos, stop)

    SCANS = {**Transcript.SCANS, "body": _scan_body, "between": _scan_between}
    STATES = {**Transcript.STATES, "body": "results", "between": "results"}
