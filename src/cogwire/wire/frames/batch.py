# SPDX-License-Identifier: MIT
"""The open batch: what reads its calls, and what is given of them, and when."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, cast

from ...events import CallDeltaEvent, Event
from ..blocks.interface import Fault
from .window import LOST, Window

if TYPE_CHECKING:
    from ..blocks.format import BlockReader, DeltaReader


class OpenBatch(Window, ABC):
    """Reads blocks, and gives their calls: at once, or sealed, with their `execute`."""

    __slots__ = ("_answers", "_batch", "_calls", "_follower", "_is_void", "_reader")

    #: The reader of the open block, and how many calls the open batch has so far.
    _reader: "BlockReader"
    _calls: int
    #: Whether the batch has broken a rule, and goes on all the same.
    _is_void: bool
    #: The tools of the batch that results may answer; `None` after a void one.
    _answers: list[str] | None
    #: What follows the reader, where the args of a call are shown while they are written.
    _follower: "DeltaReader | None"
    #: By lines, where calls are sealed, the text of the batch from its first marker on.
    _batch: list[str]

    @property
    def waiting(self) -> str:
        """The text of an open batch whose calls are sealed: no event has claimed it."""
        if not self._is_sealed:
            return ""
        return "".join(self._batch) if self._batch or not self._held else self._reader.text()

    # -- Reading ----------------------------------------------------------------------------

    def scan_block(self, text: str, pos: int, size: int) -> int:
        """Read on in the open block, and return where reading goes on behind it."""
        reader = self._reader
        try:
            at = (self._read_marked if self._replaced else reader.read)(text, pos, size)
        except Fault as fault:
            self._give_calls(text, pos, fault.at)
            return self._break_block(text, fault)
        if reader.found or self._follower is not None:
            self._give_calls(text, pos, at)
        if reader.closed:
            self._end_block(at)
        return at

    def _read_marked(self, text: str, pos: int, size: int) -> int:
        """Read on to the end of the block or of the text; a replaced character breaks it."""
        reader = self._reader
        stop = self._first_replaced(pos, size)
        at = reader.read(text, pos, stop)
        if at == stop < size and not reader.closed:
            raise Fault("bad-encoding", at, LOST, reader.path())
        return at

    @abstractmethod
    def _break_block(self, text: str, fault: Fault) -> int:
        """Take the rule that the open block broke, and return where reading goes on."""

    @abstractmethod
    def _end_block(self, at: int) -> None:
        """Take the end of the open block, or of its one call, which is at `at`."""

    # -- Giving -----------------------------------------------------------------------------

    def _give_calls(self, text: str, pos: int, stop: int) -> None:
        """Give the calls found in `text[pos:stop]`, and what is certain of the next one's args."""
        if self._is_sealed and self._is_void:
            # There will be no execute that they could come with.
            return
        deltas = self._follower.follow(text[pos:stop]) if self._follower is not None else []
        deltas.reverse()
        for content, begin, end in self._reader.found:
            if deltas and deltas[-1][0] == self._calls:
                self._give_delta(*deltas.pop())
            self._calls += 1
            self._give({"type": "call", "content": content}, begin, end, end)
        if deltas:
            self._give_delta(*deltas.pop())

    def _give_delta(self, index: int, name: str, content: str) -> None:
        """Give a piece of the args of a call; it accounts for no text."""
        delta: CallDeltaEvent
        delta = {"type": "call_delta", "index": index, "name": name, "content": content}
        if self._now is not None:
            delta["timestamp"] = self._now
        # It stands outside of the union: who asks for it expects it.
        self._events.append(cast("Event", delta))

    def _void(self, fault: Fault) -> None:
        """Give the one error of a batch, whose calls will not run."""
        if not self._is_void:
            at = fault.at
            self._error(fault.code, at, at + 1, fault.message, path=fault.path, calls=self._calls)
        self._answers = None
        self._calls = 0
