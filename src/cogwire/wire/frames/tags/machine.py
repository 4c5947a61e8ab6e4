# SPDX-License-Identifier: MIT
"""Reads parts between tags; a block ends the turn."""

from typing import TYPE_CHECKING, ClassVar

from ...blocks.interface import Fault
from ..machine import Machine
from ..markers import Found
from ..window import Region

if TYPE_CHECKING:
    from .resuming import TagResuming


class TagMachine(Machine):
    """Reads parts between an opener and a closer."""

    __slots__ = ()

    #: The region after a void block.
    _after_void: ClassVar[Region] = "paused"

    def resuming(self) -> "TagResuming":
        from .resuming import TagResuming  # noqa: PLC0415 (few parsers need it)

        return TagResuming(self)

    def _set_fast_path(self) -> None:
        segment = self._segment
        if segment.started:
            markers = self._markers
            segment.lead = (markers.think if segment.kind == "think" else markers.prose).lead
            if segment.lead:
                self.quick = segment.extend
        elif self._region == "execute" and self._follower is None:
            self.quick = self._extend_block

    def _enter_block(self, _at: int, _end: int) -> None:
        self._region = "execute"
        self._reader = self._format.reader(self._block[1], self._options.limits)
        if self._options.call_deltas:
            self._follower = self._format.deltas()

    def _break_block(self, text: str, fault: Fault) -> int:
        self._void(fault)
        self._end_batch(None)
        self._region = "void"
        return self._step_back(self._reader.unread(text, fault.at), fault.at)

    def _end_block(self, at: int) -> None:
        begin = at - len(self._block[1])
        self._emit({"type": "execute"}, begin, at, at)
        if self.trace is not None:
            self._keep(Found("close", begin, at))
        self._end_batch(self._reader.tools)

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.void, text, pos, size, self._after_void)

    def _take_end(self) -> None:
        if self._region == "execute":
            message = (
                f"The text ends inside the block, before {self._block[1]}, so nothing in it has "
                "run. Send it again, with fewer calls if it was cut for its length."
            )
            self._void(Fault("unclosed-execute", 0, message, self._reader.path()))
        else:
            self._end_text(0, len(self._text))

    _SCANS = {**Machine._SCANS, "execute": Machine.scan_block, "void": _scan_void}
    _ENTRIES = {**Machine._ENTRIES, "block": _enter_block}
    _STATES = {**Machine._STATES, "execute": "execute", "void": "execute"}
