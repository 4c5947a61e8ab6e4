# SPDX-License-Identifier: MIT
"""Reads separate calls: there may be text between the calls of a batch, and after an error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ....events import Event
from ...blocks.interface import Fault
from ..machine import Machine, Options
from ..markers import Markers, Pair

if TYPE_CHECKING:
    from ...blocks.format import CallFormat, CallReader
    from ..frame import MarkerSet


class SingleMachine(Machine):
    """Reads calls that have their own markers; a subclass decides what runs them."""

    __slots__ = ("_is_void", "_payloads", "_waiting")

    #: The calls of the batch.
    _payloads: "CallReader"

    def __init__(
        self, markers: Markers, block: Pair, calls: "CallFormat", options: Options
    ) -> None:
        super().__init__(markers, block, calls, options)
        #: Whether the batch has broken a rule; reading continues all the same.
        self._is_void = False
        #: If calls are sealed, the text of their batch, from its first marker on.
        self._waiting: list[str] = []

    def read(self, text: str, base: int, replaced: Sequence[int]) -> list[Event]:
        if self._waiting:
            self._waiting.append(text)
        return super().read(text, base, replaced)

    def _enter_call(self, at: int, _end: int) -> None:
        if self._options.sealed and not (self._calls or self._is_void):
            self._waiting = [self._text[at:]]
        self._open_payload()

    def _open_payload(self) -> None:
        self._region = "payload"
        if self._calls:
            self._payloads.open()
        else:
            reader = self._format.reader(self._block[0], self._options.limits)
            self._payloads = cast("CallReader", reader)  # the frame has no other calls
            is_shown = self._options.call_deltas and not self._is_void
            self._follower = self._format.deltas() if is_shown else None
        self._reader = self._payloads

    def _end_block(self, at: int) -> None:
        del at
        if self._is_void:
            self._calls = 0
        self._region = "called"

    def _end_batch(self, tools: list[str] | None) -> None:
        self._set_void(is_void=False)
        super()._end_batch(tools)

    def _enter_results(self, at: int, end: int) -> None:
        self._set_void(is_void=True)
        super()._enter_results(at, end)

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        if not (self._options.sealed and self._is_void):
            # Otherwise no execute will follow with which they could be emitted.
            super()._emit_calls(text, pos, stop)

    def _void(self, fault: Fault) -> None:
        """Emit the error of the batch, if it is its first."""
        if not self._is_void:
            super()._void(fault)
        self._calls = 0
        self._set_void(is_void=True)

    def _set_void(self, *, is_void: bool) -> None:
        self._is_void = is_void
        self._waiting = []

    _SCANS = {**Machine._SCANS, "payload": Machine.scan_block}
    _ENTRIES = {**Machine._ENTRIES, "call": _enter_call, "results": _enter_results}
    _STATES = {**Machine._STATES, "payload": "execute", "called": "execute"}


def reach(markers: "MarkerSet", text: str, pos: int) -> int:
    """Return where `text`, from `pos` on, ceases to be the beginning of any of `markers`."""
    stop = pos
    while stop < len(text) and markers.may_hold(text[pos : stop + 1]):
        stop += 1
    return stop
