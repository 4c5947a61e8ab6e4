# SPDX-License-Identifier: MIT
"""Calls that are JSON objects at the beginning of a text, or after a tag.

Text that turns out not to be a call is read again, as prose.
"""

import functools
from typing import ClassVar, Final

from ...text import WHITE, WHITE_RUN, jump
from ..blocks.interface import BlockReader, Fault
from ..blocks.json_payload import PayloadReader
from .machine import Machine, Options, State
from .markers import Found, FrameKind, Markers, MarkerSet, TagMarkers
from .single import SingleFormat
from .snapshot import Fields
from .wrapped import BRACE, Wrapped, WrappedMachine, markers_of

#: What may follow a call, without any meaning.
SEPARATOR: Final = ";"
_SEPARATORS: Final = TagMarkers({SEPARATOR: "close"})


class Bare(Wrapped):
    """A call is a JSON object at the beginning of a text, or after a tag; no marker runs the calls.

    An object that begins like a call is prose, unless it is certain that a call was intended.
    """

    __slots__ = ()

    kind: ClassVar[FrameKind] = "bare"

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machine(self, calls: SingleFormat[BlockReader], options: Options) -> Machine:
        return BareMachine(self, calls, options)


@functools.cache
def _markers(frame: Bare) -> Markers:
    return markers_of(frame)._replace(prose=BareMarkers(frame.roles))


class BareMarkers(TagMarkers):
    """Tags that are live anywhere, and a brace that is live at fresh places only."""

    __slots__ = ()

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        if fresh:
            at = jump(WHITE_RUN, text, pos, len(text))
            if text.startswith(BRACE, at):
                return Found("call", at, at)  # the brace is a part of the call
        return super().find(text, pos, fresh=fresh)

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        return fresh and jump(WHITE_RUN, text, pos, at) == at


class BareMachine(WrappedMachine):
    """Reads one turn: calls at the beginning of the text, after each other, or after a tag."""

    __slots__ = ()

    @property
    def has_closer(self) -> bool:
        """Whether something may follow a call: here a separator."""
        return True

    @property
    def state(self) -> State:
        return "prose" if self._region == "called" else super().state

    def _set_fast_path(self) -> None:
        if not (self._region == "prose" and (self._fresh or self._carry)):
            super()._set_fast_path()

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        stop = super()._hold_back(markers, text, pos)
        self._fresh = markers.is_fresh(text, pos, stop, fresh=self._fresh)
        return stop

    def _break_block(self, text: str, fault: Fault) -> int:
        if self._is_call():
            return super()._break_block(text, fault)
        return self._read_as_prose(self._payload_reader.payload_before(text, fault.at), fault.at)

    @property
    def _payload_reader(self) -> PayloadReader:
        reader = self._payloads
        assert isinstance(reader, PayloadReader)  # noqa: S101 (the frame has no other calls)
        return reader

    def _is_call(self) -> bool:
        """Whether the open object was intended as a call, although it breaks a rule."""
        return self._calls > 0 or self._payload_reader.members >= {"name", self._format.args}

    def _read_as_prose(self, payload: str, at: int) -> int:
        self._region = "prose"
        self._fresh = False
        self._waiting = []
        return self._step_back(payload, at)

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Skip the separator, if there is one; another call may follow either way."""
        seen = self._peek(_SEPARATORS, text, pos, size)
        if seen is None:
            return size
        self._region = "prose"
        self._fresh = True
        if isinstance(seen, int):
            return seen
        self._keep(seen)
        return seen.end

    def _take_end(self, *, finished: bool) -> None:
        while self._region == "payload" and not self._is_call():
            self._scan_rest(self._read_as_prose(self._payload_reader.payload(), len(self._text)))
        self.quick = None
        super()._take_end(finished=finished)

    def _load(self, fields: Fields) -> None:
        super()._load(fields)
        self._fresh = fresh = fields.flag("fresh")
        if self._region == "prose":
            has_begun = bool(fields.text("content").strip(WHITE))
            if self._options.token:
                has_begun = fields.flag("started")
            fields.require("fresh", not (fresh and has_begun))
        else:
            fields.require("fresh", fresh)

    def _legal(self) -> MarkerSet | None:
        # Prose that has begun may begin with a brace.
        return self._markers.void if self._region == "prose" else super()._legal()
