# SPDX-License-Identifier: MIT
"""The open segment: a run of think or prose, given whole or as deltas.

White space at its ends is not content.  A method returns an event and how many characters of
white space follow the event's content in the text that was taken.
"""

from typing import Protocol

from ...events import RespondEvent, ThinkEvent
from ...text.scan import WHITE

#: An event, and how much white space follows its content.
Given = tuple[ThinkEvent | RespondEvent, int]


class Segment(Protocol):
    """The open segment, to which a machine adds text."""

    #: Whether it is a think, or prose.
    is_think: bool
    #: Whether text has been added to it; of deltas, whether one has been given.
    started: bool
    #: A character; `extend` takes no chunk that holds it.
    lead: str

    def take(self, piece: str) -> Given | None:
        """Add `piece`, and return the delta that it makes certain."""
        ...

    def finish(self, piece: str) -> Given | None:
        """Add `piece`, which is the last one, and return the event of the segment, or its end."""
        ...

    def extend(self, chunk: str, base: int, /) -> list[ThinkEvent | RespondEvent] | None:
        """Take a chunk that lies inside the segment; `None` if it may not lie inside it."""
        ...


class WholeSegment:
    """Gives one event for each segment, when it is over."""

    __slots__ = ("_pieces", "is_think", "lead", "started")

    #: Whole segments are not numbered.
    number: int = 0
    white: str = ""

    def __init__(self) -> None:
        self.is_think = False
        self.started = False
        self.lead = ""
        self._pieces: list[str] = []

    @property
    def content(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def resume(self, number: int, content: str, white: str, *, started: bool) -> None:
        """Go on with a segment whose text so far is `content`."""
        del number, white
        self._pieces = [content] if content else []
        self.started = started

    def take(self, piece: str) -> Given | None:
        self._pieces.append(piece)
        self.started = True
        return None

    def finish(self, piece: str) -> Given | None:
        if self._pieces:
            self._pieces.append(piece)
            piece = "".join(self._pieces)
            self._pieces = []
        self.started = False
        size = len(piece)
        content = piece.rstrip(WHITE)
        after = size - len(content)
        content = content.lstrip(WHITE)
        if not content:
            return None
        if self.is_think:
            return {"type": "think", "content": content}, after
        return {"type": "respond", "content": content}, after

    def extend(self, chunk: str, _base: int) -> list[ThinkEvent | RespondEvent] | None:
        if self.lead in chunk:
            return None
        self._pieces.append(chunk)
        return []


class DeltaSegment:
    """Gives deltas of what is certainly content; white space is held back until more follows."""

    __slots__ = ("_white", "is_think", "lead", "number", "started")

    #: Deltas keep nothing but white space.
    content: str = ""

    def __init__(self) -> None:
        self.is_think = False
        self.started = False
        self.lead = ""
        #: How many segments have given an event so far.
        self.number = 0
        self._white: list[str] = []

    @property
    def white(self) -> str:
        """The white space that is content only if more follows."""
        return "".join(self._white)

    def resume(self, number: int, content: str, white: str, *, started: bool) -> None:
        """Go on with segment `number`, whose last delta `white` follows."""
        del content
        self.number = number
        self._white = [white] if white else []
        self.started = started

    def take(self, piece: str) -> Given | None:
        content = piece.rstrip(WHITE)
        if not content:
            if piece:
                self._white.append(piece)
            return None
        after = len(piece) - len(content)
        white = piece[len(content) :]
        content = self._released(content)
        self.started = True
        if white:
            self._white.append(white)
        return self._delta(content), after

    def finish(self, piece: str) -> Given | None:
        content = piece.rstrip(WHITE)
        after = len(piece) - len(content)
        if not content:
            after += sum(map(len, self._white))
        content = self._released(content)
        self._white = []
        if not (self.started or content):
            return None
        self.started = False
        delta = self._delta(content)
        delta["done"] = True
        self.number += 1
        return delta, after

    def extend(self, chunk: str, _base: int) -> list[ThinkEvent | RespondEvent] | None:
        if self.lead in chunk:
            return None
        content = chunk.rstrip(WHITE)
        if self._white or len(content) < len(chunk):
            white = chunk[len(content) :]
            content = self._released(content)
            if white:
                self._white.append(white)
        if not content:
            return []
        # One delta a chunk is what streams are made of; a call would be a tenth of its cost.
        if self.is_think:
            return [{"type": "think", "content": content, "segment": self.number}]
        return [{"type": "respond", "content": content, "segment": self.number}]

    def _released(self, content: str) -> str:
        """Return `content` after the white space that was held back, which is now content too."""
        if not content:
            return content
        if not self.started:
            self._white = []
            return content.lstrip(WHITE)
        if self._white:
            content = "".join(self._white) + content
            self._white = []
        return content

    def _delta(self, content: str) -> ThinkEvent | RespondEvent:
        if self.is_think:
            return {"type": "think", "content": content, "segment": self.number}
        return {"type": "respond", "content": content, "segment": self.number}
