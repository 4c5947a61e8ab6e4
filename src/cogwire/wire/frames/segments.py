# SPDX-License-Identifier: MIT
"""The open segment: a run of think or prose, emitted whole or as deltas.

White space at its ends is not content.  `take` and `finish` return an event, and where its content
begins and ends, as indices into the text that was taken last; they may be negative.
"""

from typing import Any, Literal

from ...events import Event, RespondEvent, ThinkEvent
from ...text import WHITE

Kind = Literal["think", "respond"]

#: An event, and where its content begins and ends in the text that was taken.
Given = tuple[ThinkEvent | RespondEvent, int, int]


class WholeSegment:
    """Returns one event for each segment, at its end."""

    __slots__ = ("_pieces", "kind", "lead", "started")

    #: Whole segments are not numbered.
    number: int = 0
    white: str = ""

    def __init__(self) -> None:
        #: The type of its events.
        self.kind: Kind = "respond"
        #: Whether text has been added to it.
        self.started = False
        #: A character; `extend` refuses any chunk that contains it.
        self.lead = ""
        self._pieces: list[str] = []

    @property
    def content(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def load(self, kind: Kind, number: int, content: str, white: str, *, started: bool) -> None:
        """Restore a segment; deltas have no content, and whole segments no number."""
        self.kind, self.started = kind, started
        self._pieces = [content] if content else []

    def take(self, text: str, pos: int, stop: int) -> Given | None:
        """Add `text[pos:stop]`, and return the delta that is now certain, if any."""
        self._pieces.append(text[pos:stop])
        self.started = True
        return None

    def finish(self, text: str, pos: int, stop: int) -> Given | None:
        """Add `text[pos:stop]`, and return the event of the segment, or its last delta."""
        before = 0
        if self._pieces:
            text = "".join(self._pieces) + text[pos:stop]
            before = stop - len(text)
            pos, stop = 0, len(text)
            self._pieces = []
        self.started = False
        begin, end = _trimmed(text, pos, stop)
        if begin == end:
            return None
        event: Any = {"type": self.kind, "content": text[begin:end]}
        return event, before + begin, before + end

    def extend(self, chunk: str, _base: int, _now: float | None) -> list[Event] | None:
        """Take a chunk inside the segment; `None` if the chunk may contain a marker."""
        if self.lead in chunk:
            return None
        self._pieces.append(chunk)
        return []


class DeltaSegment:
    """Returns deltas of certain content, holding white space back until more text follows."""

    __slots__ = ("_white", "kind", "lead", "number", "started")

    #: Deltas keep nothing but white space.
    content: str = ""

    def __init__(self) -> None:
        self.kind: Kind = "respond"
        #: Whether a delta has been returned.
        self.started = False
        self.lead = ""
        #: How many segments have had an event so far.
        self.number = 0
        self._white: list[str] = []

    @property
    def white(self) -> str:
        """The white space that is content only if more follows."""
        return "".join(self._white)

    def load(self, kind: Kind, number: int, content: str, white: str, *, started: bool) -> None:
        """Do what `WholeSegment.load` does."""
        self.kind, self.number, self.started = kind, number, started
        self._white = [white] if white else []

    def take(self, text: str, pos: int, stop: int) -> Given | None:
        """Do what `WholeSegment.take` does."""
        begin, end = _trimmed(text, pos, stop)
        if begin == end:
            if pos < stop and self.started:
                self._white.append(text[pos:stop])
            return None
        content = text[begin:end]
        if self.started and (self._white or begin > pos):
            content = self.white + text[pos:end]
        self._white = [text[end:stop]] if end < stop else []
        self.started = True
        event: Any = {"type": self.kind, "content": content, "segment": self.number}
        return event, end - len(content), end

    def finish(self, text: str, pos: int, stop: int) -> Given | None:
        """Do what `WholeSegment.finish` does; the last delta may be empty."""
        begin, end = _trimmed(text, pos, stop)
        content = text[begin:end]
        if self.started:
            if begin == end:
                end = pos - len(self.white)
            elif self._white or begin > pos:
                content = self.white + text[pos:end]
        elif begin == end:
            return None
        number = self.number
        self.number = number + 1
        self.started = False
        if self._white:
            self._white = []
        event: Any = {"type": self.kind, "content": content, "segment": number, "done": True}
        return event, end - len(content), end

    def extend(self, chunk: str, _base: int, now: float | None) -> list[Event] | None:
        """Do what `WholeSegment.extend` does; `now` is the time of the chunk."""
        if self.lead in chunk:
            return None
        content = chunk.rstrip(WHITE)
        if self._white or content != chunk or not chunk:
            if not content:
                self._white.append(chunk)
                return []
            white = chunk[len(content) :]
            content = self.white + content
            self._white = [white] if white else []
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
