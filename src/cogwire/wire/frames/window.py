# SPDX-License-Identifier: MIT
"""The text that a machine is reading, its events, and their places."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final

from ...events import Code, Event
from ...text import WHITE, shorten
from ..blocks.interface import ReadCall
from .markers import Found, MarkerSet

LOST: Final = (
    "Here the input was not UTF-8, or was half of a surrogate pair, so the character is lost. "
    "Send it again."
)

#: The place of an event, in code points from the start of the text: where its content (or its
#: marker, or the offending character) begins and ends, where the text that it accounts for ends
#: (law 4), and how many batches have ended before it, including void ones.
Place = tuple[int, int, int, int]


class Trace:
    """Keeps the places of events and markers, and adds `raw` and `span` to events.

    For `raw` it keeps the text that has been read until an event claims it: the ledger (law 4).
    """

    __slots__ = (
        *("_is_sealed", "_mark", "_pieces", "_raw", "_size", "_spans", "_text"),
        *("batch", "held", "left_out", "markers", "places"),
    )

    def __init__(self, *, sealed: bool, raw: bool, spans: bool) -> None:
        self._is_sealed = sealed
        self._raw = raw
        self._spans = spans
        #: One for each event of the last `read` or `finish`, except call deltas.
        self.places: list[Place] = []
        #: The live markers of the whole text, if they are needed: they grow with it.
        self.markers: list[Found] | None = None
        #: If there are markers: where the calls are that were not emitted, since their batch is
        #: void, and how many batches have ended before each.
        self.left_out: list[tuple[int, int, int]] = []
        #: How many batches have ended.
        self.batch = 0
        #: If calls are sealed: the events that wait, from the first call of the open batch on.
        self.held: list[tuple[Event, Place]] = []
        #: The unclaimed text is `_text` from `_mark` on, and then `_pieces`.
        self._text = ""
        self._mark = 0
        self._pieces: list[str] = []
        #: How many characters have been added.
        self._size = 0

    def leave_out(self, found: list[ReadCall], base: int) -> None:
        """Keep the places of the calls that were `found` in a void batch, for spans."""
        if self.markers is not None:
            self.left_out += [(base + begin, base + end, self.batch) for _, begin, end in found]

    def release(self, event: Event, begin: int, end: int, claim: int) -> list[Event]:
        """Return the events that `event` allows to be emitted, and keep their places."""
        held = self.held
        held.append((event, (begin, end, claim, self.batch)))
        if self._is_sealed:
            kind = event["type"]
            if kind == "error":
                # The calls of a void batch are never emitted.
                held = [each for each in held if each[0]["type"] != "call"]
            elif kind != "execute" and (len(held) > 1 or kind == "call"):
                return []
        self.held = []
        for released, place in held:
            self.places.append(place)
            if self._raw:
                stop = self._index(place[2])
                released["raw"] = self._text[self._mark : stop]
                self._mark = stop
            if self._spans:
                released["span"] = [*place[:2]]
        return [each for each, _ in held]

    # -- The ledger -------------------------------------------------------------------------

    def resume(self, tail: str, size: int) -> None:
        """Continue after `size` characters of text, of which the last, `tail`, are unclaimed."""
        self._text = tail
        self._mark = 0
        self._pieces = []
        self._size = size

    @property
    def tail(self) -> str:
        """The text that no event has claimed yet; empty without `raw`."""
        return self._text[self._mark :] + "".join(self._pieces)

    def add(self, text: str) -> None:
        """Take the next text."""
        self._pieces.append(text)
        self._size += len(text)

    def drop(self, size: int) -> None:
        """Forget the last characters, which belong to no event."""
        if self._pieces and size <= len(self._pieces[-1]):
            last = self._pieces.pop()  # the rest is not joined for each chunk after a hard stop
            self._pieces += [last[: len(last) - size]] if size < len(last) else []
        else:
            stop = self._index(self._size - size)  # which may join the text
            self._text = self._text[:stop]
        self._size -= size

    def _index(self, offset: int) -> int:
        """Return where `offset` is in the text, or the mark if all before it has been claimed."""
        if self._pieces:
            # An event claims nearly all the text before it, so little is joined again.
            self._text = self.tail
            self._mark = 0
            self._pieces = []
        return max(self._mark, len(self._text) - self._size + offset)


class Window:
    """The text being read, what is held back of it, and its events; it knows no region."""

    __slots__ = (
        *("_base", "_carry", "_events", "_fresh", "_live", "_replaced", "_text"),
        *("discarded", "trace"),
    )

    #: The text, the offset of its first character, and its events.
    _text: str
    _base: int
    _events: list[Event]
    #: The markers that the text which is held back may become.
    _live: MarkerSet

    def __init__(self, trace: Trace | None) -> None:
        #: The places of events and markers, and sealed calls, if they are needed.
        self.trace = trace
        #: How many characters arrived after the hard stop.
        self.discarded: int = 0
        #: The indices of the characters that the decoder replaced, in order.
        self._replaced: Sequence[int] = ()
        #: The end of the text, if it may become a legal marker.
        self._carry = ""
        #: Whether the place is fresh, so that a marker would be live.
        self._fresh = True

    def _open(self, text: str, base: int) -> list[Event]:
        """Take the text to read, and its offset; return the list for its events."""
        self._text = text
        self._base = base
        self._events = []
        if self.trace is not None:
            self.trace.places = []
        return self._events

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

    def _wait(self, chunk: str, _now: float | None) -> list[Event] | None:
        """Take a chunk after which the text that is held back may still become a marker."""
        carry = self._carry + chunk
        if not self._live.may_hold(carry):
            return None
        self._carry = carry
        return []

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        """Carry the text that may become a marker, and return where it begins."""
        self._live = markers
        stop = markers.hold(text, pos, fresh=self._fresh)
        self._carry = text[stop:]
        return stop

    def _peek(
        self, markers: MarkerSet, text: str, pos: int, size: int, *, after_white: bool = True
    ) -> Found | int | None:
        """Return the marker after white space, or where that ends; `None` while undecided."""
        at = pos
        while after_white and at < size and text[at] in WHITE:
            at += 1
        if at == size:
            return None
        found = markers.match(text, at)
        if found is None and markers.hold(text, at, fresh=True) == at:
            self._live = markers
            self._carry = text[at:]
            return None
        return found or at

    def _pass_closer(self, found: Found) -> int:
        """Return where reading continues: after the marker if it is a closer, else at it."""
        if found.role != "close":
            return found.at
        self._keep(found)
        return found.end
