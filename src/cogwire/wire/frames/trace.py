# SPDX-License-Identifier: MIT
"""Additional state that some parsers need: the places of events, and sealed calls."""

from ...events import Event
from ..blocks.interface import ReadCall
from .markers import Found

#: The place of an event, in code points from the start of the text: where its content (or its
#: marker, or the offending character) begins and ends, where the text that it accounts for ends
#: (law 4), and how many batches have ended before it, including void ones.
Place = tuple[int, int, int, int]


class Trace:
    """The places of events and markers, in the order in which they were read."""

    __slots__ = ("_is_sealed", "batch", "held", "left_out", "markers", "places")

    def __init__(self, *, is_sealed: bool) -> None:
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
        self._is_sealed = is_sealed

    def calls(self, events: list[Event], found: list[ReadCall], base: int) -> list[Event]:
        """Do what `release` does, for the `events` of the calls that were `found`."""
        batch = self.batch
        places = [(base + begin, base + end, base + end, batch) for _, begin, end in found]
        if self._is_sealed:
            self.held += zip(events, places, strict=True)
            return []
        self.places += places
        return events

    def leave_out(self, found: list[ReadCall], base: int) -> None:
        """Keep the places of the calls that were `found` in a void batch, for spans."""
        if self.markers is not None:
            self.left_out += [(base + begin, base + end, self.batch) for _, begin, end in found]

    def release(self, event: Event, begin: int, end: int, claim: int) -> list[Event]:
        """Return the events that `event` allows to be emitted, and keep their places."""
        place = (begin, end, claim, self.batch)
        if not self._is_sealed:
            self.places.append(place)
            return [event]
        held = self.held
        held.append((event, place))
        kind = event["type"]
        if kind == "error":
            # The calls of a void batch are never emitted.
            held = [each for each in held if each[0]["type"] != "call"]
        elif kind != "execute" and (len(held) > 1 or kind == "call"):
            return []
        self.held = []
        self.places += [place for _, place in held]
        return [each for each, _ in held]
