# SPDX-License-Identifier: MIT
"""The open segment: a run of think or prose, emitted whole or as deltas.

White space at its ends is not content.
"""

from typing import Any, Literal

from ...events import Event, RespondEvent, ThinkEvent
from ...text import NOTHING, WHITE

#: An event, and where its content begins and ends in the text that was taken last, as indices,
#: which may be negative.
SegmentEvent = tuple[ThinkEvent | RespondEvent, int, int]


class Segment:
    """Returns one event for each segment, at its end."""

    __slots__ = ("_pieces", "begins", "kind", "lead", "number", "started")

    def __init__(self) -> None:
        #: The type of its events.
        self.kind: Literal["think", "respond"] = "respond"
        #: Whether text has been added to it.
        self.started = False
        #: `extend` refuses a chunk that contains this character and what matches there.
        self.lead = ""
        self.begins = NOTHING
        #: How many segments have had a delta so far; whole segments are not numbered.
        self.number: int = 0
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """The text of which no event has been returned yet."""
        return "".join(self._pieces)

    def take(self, text: str, pos: int, stop: int) -> SegmentEvent | None:
        """Add `text[pos:stop]`, and return the delta that is now certain, if any."""
        if pos < stop:
            self._pieces.append(text[pos:stop])
            self.started = True
        return None

    def finish(self, text: str, pos: int, stop: int) -> SegmentEvent | None:
        """Add `text[pos:stop]`, and return the event of the segment, or its last delta."""
        before = 0
        if self._pieces:
            text = self.text + text[pos:stop]
            before = stop - len(text)
            pos, stop = 0, len(text)
            self._pieces = []
        self.started = False
        begin, end = _trimmed(text, pos, stop)
        if begin == end:
            return None
        event: Any = {"type": self.kind, "content": text[begin:end]}
        return event, before + begin, before + end

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        """Take a chunk inside the segment; `None` if the chunk may contain a marker."""
        if self.lead in chunk and self.begins.search(chunk):
            return None
        self._pieces.append(chunk)
        return []


class DeltaSegment(Segment):
    """Returns deltas of certain content; only white space waits, until more text follows."""

    __slots__ = ()

    def take(self, text: str, pos: int, stop: int) -> SegmentEvent | None:
        begin, end = _trimmed(text, pos, stop)
        if begin == end:
            if pos < stop and self.started:
                self._pieces.append(text[pos:stop])
            return None
        content = text[begin:end]
        if self.started and (self._pieces or begin > pos):
            content = self.text + text[pos:end]
        self._pieces = [text[end:stop]] if end < stop else []
        self.started = True
        event: Any = {"type": self.kind, "content": content, "segment": self.number}
        return event, end - len(content), end

    def finish(self, text: str, pos: int, stop: int) -> SegmentEvent | None:
        """Return the last delta, which may be empty."""
        begin, end = _trimmed(text, pos, stop)
        content = text[begin:end]
        if self.started:
            if begin == end:
                end = pos - len(self.text)
            elif self._pieces or begin > pos:
                content = self.text + text[pos:end]
        elif begin == end:
            return None
        event: Any = {"type": self.kind, "content": content, "segment": self.number, "done": True}
        self.number += 1
        self.started = False
        self._pieces = []
        return event, end - len(content), end

    def extend(self, chunk: str, now: float | None) -> list[Event] | None:
        if self.lead in chunk and self.begins.search(chunk):
            return None
        content, white = chunk, self._pieces
        if not chunk or chunk[-1] in WHITE:
            if not (content := chunk.rstrip(WHITE)):
                white.append(chunk)
                return []
            self._pieces = [chunk[len(content) :]]
        elif white:
            self._pieces = []
        if white:
            content = "".join([*white, content])
        # This is the hot path of most streams; calling `take` here would cost a tenth of it.
        event: Any = {"type": self.kind, "content": content, "segment": self.number}
        if now is not None:
            event["timestamp"] = now
        return [event]


def _trimmed(text: str, pos: int, stop: int) -> tuple[int, int]:
    """Return where the content of `text[pos:stop]` begins and ends; at one place if it is empty."""
    # There is usually so little white space that a search would take longer.
    while pos < stop and text[stop - 1] in WHITE:
        stop -= 1
    while pos < stop and text[pos] in WHITE:
        pos += 1
    return pos, stop
