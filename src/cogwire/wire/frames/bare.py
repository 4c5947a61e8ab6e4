# SPDX-License-Identifier: MIT
"""Calls that may come without a marker: at the beginning of a text, after a think or a call.

Text that turns out not to be a call is read again, as prose.
"""

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ...events import Event
from ...text import WHITE_RUN, jump
from ..blocks.interface import BlockReader, Fault
from .longest import LongestMarkers
from .machine import Machine, Options, State
from .markers import Found, FrameKind, Markers, MarkerSet, Role
from .single import SingleFormat
from .snapshot import Fields
from .wrapped import LiveMarkers, Wrapped, WrappedMachine

#: What may follow a call without a closer, and has no meaning.
SEPARATOR: Final = ";"
_SEPARATORS: Final = MarkerSet({SEPARATOR: "close"})
#: The regions in a call, and in the text that is skipped after an error in it.
_IN_CALL: Final = frozenset({"payload", "called", "void"})


class Bare(Wrapped):
    """A call may come without its markers where a turn begins, or after a think or a call.

    Text that begins like such a call is prose, unless it is certain that a call was intended.
    """

    kind: ClassVar[FrameKind] = "bare"

    @functools.cached_property
    def live(self) -> LiveMarkers:
        return _LiveMarkers(self, is_last=False)

    @functools.cached_property
    def last(self) -> LiveMarkers:
        return _LiveMarkers(self, is_last=True)

    def machine(self, calls: SingleFormat[BlockReader], options: Options) -> Machine:
        return BareMachine(self, calls, options)


class _LiveMarkers(LiveMarkers):
    @functools.cached_property
    def usual(self) -> Markers:
        frame = self._frame
        prose = BareMarkers(frame.roles, frame.begins, is_last=self._is_last)
        return self.plain._replace(prose=prose)


class BareMarkers(LongestMarkers):
    """Tags that are live anywhere, and the beginning of a call, live at fresh places only."""

    __slots__ = ("_begin", "_is_last")

    def __init__(self, roles: Mapping[str, Role], begin: str, *, is_last: bool) -> None:
        """Find markers with these roles, and `begin`, with which a call begins."""
        super().__init__(roles)
        self._begin = begin
        self._is_last = is_last

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        if fresh:
            at = jump(WHITE_RUN, text, pos, len(text))
            is_held = not self._is_last and self.may_hold(text[at : at + self._longest])
            if text.startswith(self._begin, at) and not (is_held or self.match(text, at)):
                return Found("call", at, at)  # the beginning is a part of the call
        return super().find(text, pos, fresh=fresh)

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        return fresh and jump(WHITE_RUN, text, pos, at) == at

    def _certain(self, found: Found | None, text: str) -> Found | None:
        return found if self._is_last else super()._certain(found, text)


class BareMachine(WrappedMachine):
    """Reads one turn, in which a call may have no marker."""

    __slots__ = ("_begun", "_has_end", "_plain", "_withheld")

    def __init__(self, frame: Wrapped, calls: SingleFormat[BlockReader], options: Options) -> None:
        super().__init__(frame, calls, options)
        self._has_closer = True  # or a separator may follow a call
        #: The markers that are live in prose which has begun.
        self._plain = frame.live.plain.prose
        #: The offset at which the open call begins, and whether it has a closer; else it may turn
        #: out to be prose.
        self._begun = 0
        self._has_end = False
        #: The deltas of the open call, while it may turn out to be prose.
        self._withheld = ""

    @property
    def state(self) -> State:
        return "prose" if self._is_over else super().state

    def _settle(self) -> None:
        self._plain = self._frame.last.plain.prose
        super()._settle()

    def _set_fast_path(self) -> None:
        is_open = self._region == "payload" and not self._is_call
        if not (is_open or (self._region == "prose" and (self._fresh or self._carry))):
            super()._set_fast_path()

    @property
    def _after_call(self) -> MarkerSet:
        return super()._after_call if self._has_end else _SEPARATORS

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        stop = super()._hold_back(markers, text, pos)
        if self._region == "prose":
            self._live = self._plain  # prose that has begun may begin like a call
            self._fresh = markers.is_fresh(text, pos, stop, fresh=self._fresh)
        return stop

    # -- Calls ------------------------------------------------------------------------------

    def _enter_call(self, at: int, end: int) -> None:
        self._begun = self._base + end
        self._has_end = at < end and bool(self._frame.call.closers)
        self._withheld = ""
        super()._enter_call(at, end)

    @property
    def _is_call(self) -> bool:
        """Whether the open text is surely a call, although it breaks a rule."""
        reader: Any = self._payloads  # without a marker, only calls that know this can be read
        return self._calls > 0 or self._has_end or bool(reader.is_call)

    def _delta(self, name: str, args: str) -> list[Event]:
        args = self._withheld + args
        self._withheld = "" if self._is_call else args
        return super()._delta(name, "" if self._withheld else args)

    def _scan_payload(self, text: str, pos: int, size: int) -> int:
        at = self._read_block(text, pos, size)
        if self._is_over and not self._payloads.count:
            return self._read_as_prose(at)  # a list of nothing
        return at

    def _break_block(self, text: str, fault: Fault) -> int:
        if self._is_call:
            return super()._break_block(text, fault)
        return self._read_as_prose(fault.at)

    def _read_as_prose(self, at: int) -> int:
        """Go back from `at` to where the open call begins, which is prose."""
        earlier = self._base - self._begun
        read = self._payloads.text()[: max(earlier, 0)] + self._text[max(-earlier, 0) : at]
        self._region = "prose"
        self._fresh = False
        self._waiting = []
        return self._step_back(read, at)

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Expect the closer, or skip the separator; another call may follow either way."""
        if self._has_end:
            return super()._scan_called(text, pos, size)
        seen = self._peek(_SEPARATORS, text, pos, size)
        if seen is None:
            return size
        self._leave_call()
        if isinstance(seen, int):
            return seen
        self._keep(seen)
        return seen.end

    @property
    def _is_over(self) -> bool:
        """Whether a call without a closer has ended, so that a separator may follow."""
        return self._region == "called" and not self._has_end

    @property
    def _void_markers(self) -> MarkerSet:
        return super()._void_markers if self._has_end else self._plain

    def _take_end(self, *, finished: bool) -> None:
        self._settle_held()
        while self._region == "payload" and not self._is_call:
            self._read_rest(self._read_as_prose(len(self._text)))
            self._settle_held()
        super()._take_end(finished=finished)

    def _settle_held(self) -> None:
        is_begun = self._region == "prose" and self._fresh  # a marker may begin like a call
        if self._text and (is_begun or isinstance(self._live, LongestMarkers)):
            self._settle()

    # -- Snapshots --------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        fresh = self._fresh
        if self._waiting:
            fresh = True
        elif self._region in _IN_CALL:
            fresh = not self._has_end
        return {**super().save(), "fresh": fresh}

    def _load(self, fields: Fields) -> None:
        fresh = fields.typed("fresh", bool)
        self._has_end = not fresh
        super()._load(fields)
        if self._region in _IN_CALL:
            fields.require("fresh", bool(self._frame.call.closers) or fresh)
            self._begun = fields.typed("offset", int) - len(fields.typed("block", str))
        elif self._region == "prose":
            self._fresh = fresh and not (self._options.token and self._segment.started)

    def _shown_before(self, args: str) -> None:
        self._withheld = "" if self._is_call else args
