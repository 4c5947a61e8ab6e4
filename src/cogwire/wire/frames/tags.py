# SPDX-License-Identifier: MIT
"""Parts between tags, such as `<think>` and `</think>`.

A block ends the turn, and one block of results answers it.
"""

import functools
from typing import Any, ClassVar, Final, NamedTuple

from ...text import WHITE
from ..blocks.interface import CallFormat, Fault
from ..blocks.json_reader import ArrayReader
from ..blocks.json_shapes import ResultShape
from .machine import Frame, Machine, Options, Region
from .markers import Found, FrameKind, Markers, MarkerSet, Pair, Role
from .snapshot import Fields

_RESULTS_CODES: Final = frozenset({"results-shape", "results-count", "results-order"})


class _TagFields(NamedTuple):
    think: Pair
    execute: Pair
    results: Pair
    #: The marker that ends a turn.
    end: str


class Tags(_TagFields, Frame[CallFormat]):
    """Parts between an opener and a closer; in prose an opener is live wherever it appears."""

    kind: ClassVar[FrameKind] = "tags"
    is_block_last: ClassVar[bool] = True
    has_result_array: ClassVar[bool] = True

    @property
    def roles(self) -> dict[str, Role]:
        return {
            self.think[0]: "think",
            self.execute[0]: "block",
            self.results[0]: "results",
            self.end: "end",
        }

    @property
    def block_ends(self) -> Pair:
        return self.execute

    @functools.cached_property
    def markers(self) -> Markers:
        return Markers(
            prose=MarkerSet(self.roles),
            think=MarkerSet({self.think[1]: "close"}),
            opening=MarkerSet({self.think[0]: "think"}),
            answer=MarkerSet({self.results[0]: "results"}),
            void=MarkerSet({self.execute[1]: "close"}),
            results=(MarkerSet({self.results[1]: "close"}),),
            block=self.execute,
            result=(self.results,),
        )

    def machine(self, calls: CallFormat, options: Options) -> Machine:
        return TagMachine(self.markers, calls, options)


class TagMachine(Machine):
    """Reads parts between an opener and a closer."""

    __slots__ = ("_shape",)

    #: The shape that the results being read must have.
    _shape: ResultShape

    # -- Blocks -----------------------------------------------------------------------------

    def _enter_block(self, _at: int, _end: int) -> None:
        self._region = "execute"
        self._reader = self._format.reader(self._markers.block[1], self._options.limits)
        self._reader.shows_deltas = self._options.call_deltas

    _scan_execute = Machine._read_block

    def _break_block(self, text: str, fault: Fault) -> int:
        if self._region == "results":
            self._reject(fault)
            self._region = "broken"
            return fault.at
        self._void(fault)
        self._end_batch(None)
        self._region = "void"
        return self._step_back(
            self._reader.unread(text, fault.at, self._markers.block[1]), fault.at
        )

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        after: Region = "answer" if self._options.transcript else "paused"
        return self._skip(self._markers.void, text, pos, size, after)

    def _end_block(self, at: int) -> None:
        if self._region == "results":
            self._end_results(at)
            return
        begin = at - len(self._markers.block[1])
        self._emit({"type": "execute"}, begin, at, at)
        self._keep(Found("close", begin, at))
        self._end_batch(self._reader.tools)

    # -- Results ----------------------------------------------------------------------------

    def _open_answer(self, at: int) -> None:
        self._region = "results"
        self._shape = ResultShape(self._answers)
        self._reader = ArrayReader(self._shape, self._markers.result[0][1], self._options.limits)

    _scan_results = Machine._read_block

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        if self._region != "results":
            super()._emit_calls(text, pos, stop)

    def _end_results(self, at: int) -> None:
        opener, closer = self._markers.result[0]
        block = self._reader.text()
        content = block.removesuffix(closer).strip(WHITE)
        begin, payload = at - len(block) - len(opener), self._shape.payload()
        self._emit({"type": "result", "content": content, "payload": payload}, begin, at, at)
        self._keep(Found("close", at - len(closer), at))
        self._begin_turn()

    def _reject(self, fault: Fault) -> None:
        """Emit the one error of results, whichever rule they broke."""
        code = fault.code if fault.code in _RESULTS_CODES else "results-shape"
        self._error(code, fault.at, fault.at + 1, fault.message, path=fault.path, calls=0)

    def _scan_broken(self, text: str, pos: int, size: int) -> int:
        after: Region = "opening" if self._options.start == "think" else "prose"
        return self._skip(self._markers.results[0], text, pos, size, after)

    # -- The end ----------------------------------------------------------------------------

    def _take_end(self, *, finished: bool) -> None:
        if self._region == "execute":
            message = (
                f"The text ends inside the block, before {self._markers.block[1]}, so nothing in "
                "it has run. Send it again, with fewer calls if it was cut for its length."
            )
            self._void(Fault("unclosed-execute", 0, message, self._reader.path()))
        elif self._region == "results":
            opener, closer = self._markers.result[0]
            message = f"The text ends inside {opener}, before {closer}."
            self._reject(Fault("results-shape", 0, message, self._reader.path()))
        else:
            self._end_text(0, len(self._text))

    # -- Snapshots --------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        saved = super().save()
        if self._region in ("execute", "results"):
            saved["text"] = self._reader.text()
        return saved

    def _load(self, fields: Fields) -> None:
        super()._load(fields)
        if self._region == "execute":
            self._enter_block(0, 0)
        elif self._region == "results":
            self._open_answer(0)
