# SPDX-License-Identifier: MIT
"""Transcripts: a batch and the end of a turn do not end the text, and results may answer a batch.

A subclass reads the results of one kind of frame; it also inherits from the machine of its turns.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from .machine import FIRST_REGIONS, Entry, Machine, Options, Scan, State
from .markers import Found, Markers, Pair, Role
from .window import Region

if TYPE_CHECKING:
    from ..blocks.format import CallFormat


class Transcript(Machine):
    """Reads one turn after another, and the results between them."""

    def __init__(
        self,
        markers: Markers,
        ends: tuple[Pair, Sequence[Pair]],
        calls: "CallFormat",
        options: Options,
    ) -> None:
        """Read with the `markers` of a frame; `ends` are the pairs around blocks and results."""
        block, self._results = ends
        super().__init__(markers, block, calls, options)
        #: Which of the results markers opened the last results.
        self._form = 0
        #: The tools of the batch that results may answer; `None` after a void one.
        self._answers: list[str] | None = None

    @property
    def state(self) -> State:
        return self._options.start if self._region == "answer" else self._STATES[self._region]

    def _end_batch(self, tools: list[str] | None) -> None:
        super()._end_batch(tools)
        self._answers = tools
        self._region = "answer"

    def _enter_results(self, at: int, end: int) -> None:
        super()._enter_results(at, end)
        self._form = self._form_at(at)
        self._region = "forged"

    def _enter_end(self, at: int, end: int) -> None:
        super()._enter_end(at, end)
        self._region = FIRST_REGIONS[self._options.start]

    @abstractmethod
    def _form_at(self, at: int) -> int:
        """Return which of the results markers is at `at`."""

    def _scan_answer(self, text: str, pos: int, size: int) -> int:
        """Look for the results of the batch; anything else begins the next turn."""
        seen = self._peek(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._region = FIRST_REGIONS[self._options.start]
            return seen
        self._keep(seen)
        self._open_answer(seen)
        return seen.end

    @abstractmethod
    def _open_answer(self, seen: Found) -> None:
        """Begin to read the results of the batch."""

    def _scan_forged(self, text: str, pos: int, size: int) -> int:
        """Skip results that answer nothing."""
        return self._skip(self._markers.results[self._form], text, pos, size, "prose")

    #: Additions to the tables of a frame's machine.
    SCANS: ClassVar[Mapping[Region, Scan]] = {"answer": _scan_answer, "forged": _scan_forged}
    ENTRIES: ClassVar[Mapping[Role, Entry]] = {"results": _enter_results, "end": _enter_end}
    STATES: ClassVar[Mapping[Region, State]] = {"forged": "results"}
