# SPDX-License-Identifier: MIT
"""Calls between tags, as models are trained to write them; the end of the text runs them."""

import functools
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from ..blocks.interface import Fault
from .machine import Machine, Options
from .markers import FrameKind, Markers, MarkerSet, Pair, Role, TagMarkers
from .single import NOT_ENDED, UNCLOSED_CALL, CallReader, SingleFormat, SingleMachine, reach
from .snapshot import Fields


class _WrappedFields(NamedTuple):
    think: Pair
    call: Pair
    result: Pair
    #: The white space that is written between the markers of a call or a result and its content.
    gap: str = "\n"


class Wrapped(_WrappedFields):
    """Each call and each result is between its own tags; no marker runs the calls.

    They run where the turn ends: at the end of the text, or in a transcript before the results.
    If calls have no closer, their format defines where they end.
    """

    __slots__ = ()

    kind: ClassVar[FrameKind] = "wrapped"
    is_block_last: ClassVar[bool] = False
    has_result_array: ClassVar[bool] = False
    runs_at_end: ClassVar[bool] = True
    ignores_case: ClassVar[bool] = False

    @property
    def end(self) -> str:
        return ""

    @property
    def openers(self) -> tuple[str, ...]:
        return self.think[0], self.call[0], self.result[0]

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each opener."""
        return dict(zip(self.openers, ("think", "call", "results"), strict=True))

    @property
    def block_ends(self) -> Pair:
        return self.call

    @property
    def markers(self) -> Markers:
        return markers_of(self)

    def machines(self, calls: SingleFormat[CallReader], options: Options) -> Callable[[], Machine]:
        return functools.partial(WrappedMachine, self.markers, calls, options)


@functools.cache
def markers_of(frame: Wrapped) -> Markers:
    """Return the markers of such a frame."""
    prose = TagMarkers(frame.roles)
    return Markers(
        prose=prose,
        think=TagMarkers({frame.think[1]: "close"}),
        opening=TagMarkers({frame.think[0]: "think"}),
        answer=TagMarkers({frame.result[0]: "results"}),
        void=TagMarkers({frame.call[1]: "close"}) if frame.call[1] else prose,
        results=(TagMarkers({frame.result[1]: "close"}),),
        block=frame.call,
        result=(frame.result,),
    )


class WrappedMachine(SingleMachine[CallReader]):
    """Reads one turn: calls, each between an opener and a closer, and text around them."""

    __slots__ = ()

    @property
    def has_closer(self) -> bool:
        """Whether a closer follows each call, rather than being part of it."""
        return bool(self._markers.block[1]) and not self._format.reads_closer

    def _set_fast_path(self) -> None:
        if not self._waiting:
            super()._set_fast_path()

    def _break_block(self, text: str, fault: Fault) -> int:
        self._void(fault)
        self._region = "void"
        return self._step_back(self._reader.unread(text, fault.at), fault.at)

    def _end_block(self, at: int) -> None:
        super()._end_block(at)
        if not self.has_closer:
            self._region = "prose"

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Expect the closer, which must follow a call."""
        markers = self._markers.void
        seen = self._peek(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            message = f"The call is complete here, so only {self._markers.block[1]} may follow."
            fault = self._fault_after_call(reach(markers, text, seen), message)
            self._void(fault)
            self._region = "void"
            return fault.at
        self._keep(seen)
        self._region = "prose"
        return seen.end

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.void, text, pos, size, "prose")

    def _run(self, at: int) -> None:
        """Run the calls of the turn, if there are any, since it ends at `at`."""
        if self._calls:
            self._emit({"type": "execute"}, at, at, at)
            self._end_batch(self._payloads.tools)
        elif self._is_void:
            self._end_batch(None)

    def _take_end(self, *, finished: bool) -> None:
        size = len(self._text)
        if self._region == "payload":
            self._void(Fault("unclosed-call", size, UNCLOSED_CALL, self._payloads.path()))
            # The text stopped in a call, and nothing more of it will be read.
            self._open_payload()
            return
        self._end_text(0, size)
        if self._calls and not finished:
            self._void(Fault("missing-execute", size, NOT_ENDED))
        if self._region != "void":
            self._run(size)

    # -- Results and snapshots --------------------------------------------------------------

    def _enter_results(self, at: int, end: int) -> None:
        """In a transcript, results run the calls that they answer."""
        if not (self._options.transcript and (self._calls or self._is_void)):
            super()._enter_results(at, end)
            return
        self._run(at)
        self._open_answer(at)

    def _end_text(self, pos: int, stop: int) -> None:
        if self._region == "between" and pos < stop:
            # The text that was held back did not become the marker of a result.
            self._end_results(pos)
        super()._end_text(pos, stop)

    def _load(self, fields: Fields) -> None:
        super()._load(fields)
        fields.require("region", self.has_closer or self._region != "called")

    def _legal(self) -> MarkerSet | None:
        # After a call only its closer is legal.
        return self._markers.void if self._region == "called" else super()._legal()
