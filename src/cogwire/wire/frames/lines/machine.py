# SPDX-License-Identifier: MIT
"""Reads parts that begin with a marker at the start of a line; a turn continues after an error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ....events import Event
from ...blocks.interface import Fault
from ..machine import Options
from ..markers import Markers, MarkerSet, Pair
from ..single.machine import SingleMachine, reach
from ..window import LOST
from .markers import between, is_fresh

if TYPE_CHECKING:
    from ...blocks.format import CallFormat, PayloadReading
    from ..snapshot import Fields


class LineMachine(SingleMachine):
    """Reads parts that last until the next marker."""

    __slots__ = ("_is_over",)

    def __init__(
        self,
        markers: Markers,
        ends: tuple[Pair, Sequence[Pair]],
        calls: "CallFormat",
        options: Options,
    ) -> None:
        super().__init__(markers, ends, calls, options)
        self._segment.lead = min(markers.prose.leads)
        #: Whether a line end was added for the end of the text.
        self._is_over = False

    def _set_fast_path(self) -> None:
        if self._waiting:
            return
        if self._region == "payload":
            if self._follower is None:
                self.quick = self._extend_block
        elif self._segment.started:
            self.quick = self._extend_segment

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        stop = super()._hold_back(markers, text, pos)
        self._fresh = is_fresh(text, pos, stop, fresh=self._fresh)
        return stop

    def _extend_segment(self, chunk: str, base: int, now: float | None) -> list[Event] | None:
        """Take a chunk inside the open segment."""
        if not self._markers.prose.leads.isdisjoint(chunk):
            return None
        # Only a line end makes a place fresh.
        if self._fresh or "\n" in chunk or "\r" in chunk:
            self._fresh = is_fresh(chunk, 0, len(chunk), fresh=self._fresh)
        return self._segment.extend(chunk, base, now)

    def _size(self) -> int:
        return len(self._text) - self._is_over

    # -- Calls ------------------------------------------------------------------------------

    def _enter_execute(self, at: int, end: int) -> None:
        tools = None
        if not self._is_void:
            tools = self._payloads.tools if self._calls else []
            self._emit({"type": "execute"}, at, end, end)
        self._end_batch(tools)

    def _enter_end(self, at: int, end: int) -> None:
        self._report_missing_execute(at)
        self._end_batch(None)
        super()._enter_end(at, end)

    def _report_missing_execute(self, at: int) -> None:
        """Emit the error for calls that can no longer run."""
        if self._calls:
            message = (
                f"The calls have not run: {self._block[1]} did not follow them. Send them "
                f"again, and {self._block[1]} after the last."
            )
            self._error("missing-execute", at, at + 1, message, path=None, calls=self._calls)

    def _break_block(self, text: str, fault: Fault) -> int:
        reader = cast("PayloadReading", self._payloads)  # lines have no other calls
        return self._break_payload(fault, reader.payload_before(text, fault.at))

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        if self._options.trace:
            # The reader may have read past the markers between calls.
            for found in between(text, self._reader.found):
                self._keep(found)
        super()._emit_calls(text, pos, stop)

    def _break_payload(self, fault: Fault, payload: str) -> int:
        """Read `payload` again, as prose; return where it begins."""
        self._void(fault)
        self._region = "prose"
        return self._step_back(payload, fault.at)

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Look for the marker that must follow a call."""
        markers = self._markers.prose
        seen = self._peek(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._break_after_call(reach(markers, text, seen))
            return seen
        return self._enter(seen)

    def _break_after_call(self, at: int) -> None:
        """Void the batch for the text after a call, which is no marker since `at`."""
        message = (
            "After a call only another marker may follow, at the start of a line. "
            f"Write {self._block[1]} to run the calls."
        )
        is_lost = at in self._replaced
        self._void(
            Fault("bad-encoding", at, LOST) if is_lost else Fault("trailing-text", at, message)
        )
        self._region = "prose"
        self._fresh = False

    # -- The end ----------------------------------------------------------------------------

    def _take_end(self, *, finished: bool) -> None:
        if self._region == "payload":
            self._take_end_in_payload(finished=finished)
        else:
            self._take_end_of_line(finished=finished)

    def _take_end_in_payload(self, *, finished: bool) -> None:
        reader = cast("PayloadReading", self._payloads)
        message = (
            "The text ends inside the call, so nothing has run. Send the calls again, fewer at "
            "once if they were cut for their length."
        )
        self._break_payload(Fault("unclosed-call", 0, message, reader.path()), reader.payload())
        self._take_end_of_line(finished=finished)
        # The state is that of the open call, although its text has been read again as prose.
        self._open_payload()

    def _take_end_of_line(self, *, finished: bool) -> None:
        """Take the end of the text, which counts as a line end."""
        if not finished:
            self._leave_last_word()
        size = len(self._text)
        self._text += "\n"
        self._is_over = True
        pos = 0
        while pos < size:
            pos = self._scans[self._region](self, self._text, pos, size + 1)
        self._carry = ""
        self._end_text(pos, pos)
        self._report_missing_execute(size)
        self._waiting = []
        self._text, self._is_over = "", False

    def _leave_last_word(self) -> None:
        """Read to the last word; it is no marker, since the model might have continued it."""
        self._scan(0)
        self.quick = None
        self._base += len(self._text) - len(self._carry)
        self._text, self._carry = self._carry, ""
        if self._markers.prose.match(self._text + "\n", 0) is None:
            return
        self._fresh = False
        if self._region == "called":
            self._break_after_call(len(self._text))

    # -- Results and snapshots --------------------------------------------------------------

    def _form_at(self, at: int) -> int:
        return [opener[0] for opener, _ in self._results].index(self._text[at])

    def _load(self, fields: "Fields") -> None:
        super()._load(fields)
        self._fresh = fields.flag("fresh")
        if self._region in ("prose", "think"):
            text, fresh = fields.text("content"), True
            if self._options.token:
                text, fresh = fields.text("white"), not fields.flag("started")
            fields.require("fresh", self._fresh == is_fresh(text, 0, len(text), fresh=fresh))
