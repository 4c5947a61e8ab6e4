# SPDX-License-Identifier: MIT
"""A parser that also says where in the text each event begins."""

from typing import Final

from ._dialects import Lines
from ._events import WHITE, Event
from ._json import WHITE_RUN, jump
from ._limits import Limits
from ._markers import Found, MarkerSet
from ._parser import Parser

#: The place of what has not come yet.
_NOWHERE: Final = -1


class PlacedParser(Parser):
    """Parses a transcript in token mode, and leaves each event in `given` with its offset.

    That is the offset of its content, of the marker that makes it, or an error's own.  None is
    given where a void batch ends, since no event tells.
    """

    __slots__ = ("_call_at", "_content_end", "_results_at", "given")

    def __init__(self, dialect: str, limits: Limits) -> None:
        super().__init__(dialect, stream="token", mode="transcript", clock=None, limits=limits)
        self.given: list[tuple[Event | None, int]] = []
        # Where the next call of the block begins, where the last results begin, and where the
        # content of the last segment ends that was closed.
        self._call_at = _NOWHERE
        self._results_at = 0
        self._content_end = 0

    def feed(self, chunk: str | bytes) -> list[Event]:
        """Take the next chunk, on no short way: those give events of which `_give` is not told."""
        self._lead, self._in_line, self._block = "", False, None
        return super().feed(chunk)

    def _scan(self, pos: int) -> list[Event]:
        if self._region == "execute" and self._call_at == _NOWHERE:
            self._seek_call(pos)
        return super()._scan(pos)

    def _enter(self, found: Found) -> int:
        if found.role == "block":
            self._seek_call(found.end)
        return super()._enter(found)

    def _seek_call(self, pos: int) -> None:
        """Look for the next call from `pos` on; it is the next that is not white."""
        size = len(self._text)
        at = jump(WHITE_RUN, self._text, pos, size)
        self._call_at = self._base + at if at < size else _NOWHERE

    def _look(self, markers: MarkerSet, text: str, pos: int, size: int) -> Found | int | None:
        seen = super()._look(markers, text, pos, size)
        if self._region == "answer" and isinstance(seen, Found):
            self._results_at = self._base + seen.at
        return seen

    def _end_segment(self, pos: int, stop: int, end: int) -> None:
        self._content_end = self._base + pos + len(self._text[pos:stop].rstrip(WHITE))
        super()._end_segment(pos, stop, end)

    def _end_batch(self) -> None:
        if self._is_void:
            self.given.append((None, self._offset))
        super()._end_batch()

    def _give(self, event: Event, end: int) -> None:
        super()._give(event, end)
        self.given.append((event, self._begins(event, self._base + end)))
        if event["type"] == "call":
            self._seek_call(end)

    def _begins(self, event: Event, end: int) -> int:
        """Return where `event` begins, which accounts for the text up to the offset `end`."""
        frame = self._dialect.frame
        if event["type"] == "think" or event["type"] == "respond":
            return (self._content_end if "done" in event else end) - len(event["content"])
        if event["type"] == "call":
            # The content of a call of text is made of it.
            return self._call_at if self._dialect.calls.is_text else end - len(event["content"])
        if event["type"] == "execute":
            return end - len(frame.execute if isinstance(frame, Lines) else frame.execute[1])
        if event["type"] == "result":
            return self._results_at
        return event["offset"] if event["type"] == "error" else end - len(frame.end)
