# SPDX-License-Identifier: MIT
"""Reads results between tags: one block of them answers a batch."""

from typing import Final

from ....text.scan import WHITE
from ...blocks.interface import Fault
from ...blocks.json.array import ArrayReader
from ...blocks.json.results import ResultShape
from ..machine import FIRST_REGIONS
from ..markers import Found
from ..transcript import Transcript
from .machine import TagMachine

_RESULTS_CODES: Final = frozenset({"results-shape", "results-count", "results-order"})


class TagTranscript(Transcript, TagMachine):
    """Reads turns between tags, and their results."""

    #: The shape that the results being read must have.
    _shape: ResultShape
    _after_void = "answer"

    def _form_at(self, at: int) -> int:
        del at
        return 0

    def _open_answer(self, seen: Found) -> None:
        del seen
        self.open_results()

    def open_results(self) -> None:
        """Begin to read the results of the batch."""
        self._region = "results"
        self._shape = ResultShape(self._answers)
        self._reader = ArrayReader(self._shape, self._results[0][1], self._options.limits)

    def _scan_results(self, text: str, pos: int, size: int) -> int:
        reader = self._reader
        try:
            at = self._read_marked(text, pos, size)
        except Fault as fault:
            self._reject(fault)
            self._region = "broken"
            return fault.at
        if reader.closed:
            opener, closer = self._results[0]
            block = reader.text()
            content = block.removesuffix(closer).strip(WHITE)
            begin, payload = at - len(block) - len(opener), self._shape.payload()
            self._emit({"type": "result", "content": content, "payload": payload}, begin, at, at)
            self._keep(Found("close", at - len(closer), at))
            self._region = FIRST_REGIONS[self._options.start]
        return at

    def _reject(self, fault: Fault) -> None:
        """Emit the one error of results, whichever rule they broke."""
        code = fault.code if fault.code in _RESULTS_CODES else "results-shape"
        self._error(code, fault.at, fault.at + 1, fault.message, path=fault.path, calls=0)

    def _scan_broken(self, text: str, pos: int, size: int) -> int:
        after = FIRST_REGIONS[self._options.start]
        return self._skip(self._markers.results[0], text, pos, size, after)

    def _take_end(self) -> None:
        if self._region == "results":
            opener, closer = self._results[0]
            message = f"The text ends inside {opener}, before {closer}."
            self._reject(Fault("results-shape", 0, message, self._reader.path()))
        else:
            super()._take_end()

    _SCANS = {
        **TagMachine._SCANS,
        **Transcript.SCANS,
        "results": _scan_results,
        "broken": _scan_broken,
    }
    _ENTRIES = {**TagMachine._ENTRIES, **Transcript.ENTRIES}
    _STATES = {
        **TagMachine._STATES,
        **Transcript.STATES,
        "results": "results",
        "broken": "results",
    }
