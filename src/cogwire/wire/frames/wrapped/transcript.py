# SPDX-License-Identifier: MIT
"""Reads turns whose calls are between tags, and results, at which such a turn ends."""

from ..markers import Found
from ..single.transcript import SingleTranscript
from .machine import WrappedMachine


class WrappedTranscript(SingleTranscript, WrappedMachine):
    """Reads turns, and results, before which the calls of a turn run."""

    def _form_at(self, at: int) -> int:
        del at
        return 0

    def _enter_results(self, at: int, end: int) -> None:
        if not (self._calls or self._is_void):
            super()._enter_results(at, end)
            return
        self._run(at)
        self._open_answer(Found("results", at, end))

    def _end_text(self, pos: int, stop: int) -> None:
        if self._region == "between" and pos < stop:
            # The text that was held back did not become the marker of a result.
            self._end_results(pos)
        super()._end_text(pos, stop)

    _SCANS = {**WrappedMachine._SCANS, **SingleTranscript.SCANS}
    _ENTRIES = {**WrappedMachine._ENTRIES, **SingleTranscript.ENTRIES, "results": _enter_results}
    _STATES = {**WrappedMachine._STATES, **SingleTranscript.STATES}
