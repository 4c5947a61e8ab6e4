# SPDX-License-Identifier: MIT
"""The text that a machine is reading, its events, and their places."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from ...events import Code, Event
from ...text.scan import WHITE_RUN, jump
from ...text.wording import shorten
from .markers import Found, MarkerSet

if TYPE_CHECKING:
    from .trace import Trace

LOST: Final = (
    "Here the input was not UTF-8, or was half of a surrogate pair, so the character is lost. "
    "Send it again."
)

Region = Literal[
    "opening",  # a turn begins in a think whose opener the prompt wrote, or the model repeats
    "prose",
    "think",
    "execute",  # tags: a block is read
    "void",  # tags: the rest of a void block is skipped
    "payload",  # lines: a call is read
    "called",  # lines: a call has ended, and a marker is expected
    "answer",  # transcripts: results may come next
    "results",  # transcripts, tags: a results block is read
    "broken",  # transcripts, tags: the rest of a results block that broke a rule is skipped
    "body",  # transcripts, lines: the body of one result is read, or skipped
    "between",  # transcripts, lines: another result may come next
    "forged",  # transcripts: the rest of results that answer nothing is skipped
    "paused",
    "ended",
]


class Window:
    """The text being read, and its events with their places."""

    __slots__ = (
        *("_base", "_carry", "_events", "_fresh", "_region", "_replaced", "_text"),
        *("discarded", "trace"),
    )

    #: The places of events and markers, and sealed calls, if they are needed.
    trace: "Trace | None"
    #: How many characters arrived after the hard stop.
    discarded: int
    #: The machine's place in the text.
    _region: Region
    #: The text, and the offset of its first character.
    _text: str
    _base: int
    #: The indices of the characters that the decoder replaced, in order.
    _replaced: Sequence[int]
    #: The events of the text.
    _events: list[Event]
    #: The end of the text that may become a legal marker.
    _carry: str
    #: Whether the place is fresh, so that a marker would be live.
    _fresh: bool

    def _open(self, text: str, base: int) -> list[Event]:
        """Take the text to read, and its offset; return the list for its events."""
        self._text = text
        self._base = base
        events: list[Event] = []
        self._events = events
        if self.trace is not None:
            self.trace.places = []
        return events

    def _emit(self, event: Event, begin: int, end: int, claim: int) -> None:
        """Emit an event with the content `text[begin:end]`; it accounts for text up to `claim`."""
        if self.trace is None:
            self._events.append(event)
        else:
            base = self._base
            self._events += self.trace.release(event, base + begin, base + end, base + claim)

    def _error(
        self, code: Code, at: int, claim: int, message: str, *, path: str | None, calls: int
    ) -> None:
        """Emit the error of the character at `at`, or of the end of the text."""
        if path:
            message = f"At {shorten(path)}: {message}"
        offset = self._base + at
        event: Any = {"type": "error", "code": code, "content": message, "offset": offset}
        if path is not None:
            event["path"] = path
        event["calls"] = calls
        self._emit(event, at, min(at + 1, self._size()), claim)

    def _size(self) -> int:
        """Return the size of the text, without a line end that was added to it."""
        return len(self._text)

    def _keep(self, found: Found) -> None:
        if self.trace is not None and self.trace.markers is not None:
            base = self._base
            self.trace.markers.append(Found(found.role, base + found.at, base + found.end))

    def _first_replaced(self, pos: int, size: int) -> int:
        """Return where the first replaced character in `text[pos:size]` is, or `size`."""
        index = bisect_left(self._replaced, pos)
        return min(self._replaced[index], size) if index < len(self._replaced) else size

    def _step_back(self, again: str, at: int) -> int:
        """Return where `again`, which ends at `at` and is to be read again, begins."""
        earlier = len(again) - at
        if earlier <= 0:
            return -earlier
        # Its beginning was in earlier chunks.
        self._text = again[:earlier] + self._text
        self._base -= earlier
        self._replaced = [place + earlier for place in self._replaced]
        return 0

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        """Carry the text that may become a marker, and return where it begins."""
        stop = markers.hold(text, pos, fresh=self._fresh)
        self._carry = text[stop:]
        return stop

    def _peek(self, markers: MarkerSet, text: str, pos: int, size: int) -> Found | int | None:
        """Return the marker after white space, or where that ends; `None` while undecided."""
        at = jump(WHITE_RUN, text, pos, size)
        found = markers.match(text, at)
        if found is None and markers.hold(text, at, fresh=True) == at:
            self._carry = text[at:]
            return None
        return found or at

    def _skip(self, markers: MarkerSet, text: str, pos: int, size: int, region: Region) -> int:
        """Skip to the next of `markers`, and past it if it is a closer; then enter `region`."""
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._hold_back(markers, text, pos)
            return size
        self._region = region
        self._fresh = True
        return self._pass_closer(found)

    def _pass_closer(self, found: Found) -> int:
        """Return where reading continues: after the marker if it is a closer, else at it."""
        if found.role != "close":
            return found.at
        self._keep(found)
        return found.end
