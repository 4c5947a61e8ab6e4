# SPDX-License-Identifier: MIT
"""Reads a transcript as events with their places, for conversion, detection and spans."""

from typing import NamedTuple

from ..events import Event, Limits, require_limits
from ..text.decoding import Decoder
from ..wire.dialects import Dialect
from ..wire.frames.machine import Options, Start
from ..wire.frames.markers import Found
from ..wire.frames.window import Trace


class Placed(NamedTuple):
    """An event and its position, in code points from the start of the text."""

    #: The event.
    event: Event
    #: Where its content, its marker or the offending character begins.
    begin: int
    #: Where that ends.
    end: int
    #: How many batches have ended before it, including void ones.
    batch: int


class PlacedReader:
    """Reads a transcript as it arrives, in deltas or, with `token=False`, in whole segments.

    Raises `ValueError` for a `start` that turns of the dialect do not have, and `TypeError` for
    limits that are not a `Limits`.
    """

    __slots__ = ("_decoder", "_is_closed", "_machine", "_size")

    def __init__(
        self,
        dialect: Dialect,
        limits: Limits,
        *,
        token: bool = True,
        start: Start = "prose",
        markers: bool = False,
    ) -> None:
        require_limits(limits)
        begun = dialect.checked_start(start)
        options = Options(limits, token=token, transcript=True, start=begun, places=True)
        self._machine = dialect.machine(options)
        self._decoder = Decoder()
        self._size = 0
        self._is_closed = False
        if markers:
            self._trace.markers = []

    @property
    def markers(self) -> list[Found]:
        """The live markers so far, including closers; only a reader with `markers` keeps them."""
        markers = self._trace.markers
        assert markers is not None  # noqa: S101 (`markers=True`)
        return markers

    @property
    def left_out(self) -> list[tuple[int, int, int]]:
        """Where the calls are that have no event, and the batch of each; kept with `markers`."""
        return self._trace.left_out

    @property
    def _trace(self) -> Trace:
        trace = self._machine.trace
        assert trace is not None  # noqa: S101 (`places=True` above)
        return trace

    def feed(self, chunk: str | bytes) -> list[Placed]:
        """Take the next chunk, and return its events; raises as `Parser.feed` does."""
        if self._is_closed:
            raise RuntimeError("feed() after close()")
        return self._read(self._decoder.decode(chunk))

    def close(self, *, finished: bool = False) -> list[Placed]:
        """End the text and return the last events, as `Parser.close`; later calls return none."""
        if self._is_closed:
            return []
        self._is_closed = True
        last = self._read(self._decoder.finish())
        return last + self._placed(self._machine.finish(self._size, finished=finished))

    def _read(self, text: str) -> list[Placed]:
        base = self._size
        self._size += len(text)
        return self._placed(self._machine.read(text, base, self._decoder.replaced))

    def _placed(self, events: list[Event]) -> list[Placed]:
        return [
            Placed(event, begin, end, batch)
            for event, (begin, end, _, batch) in zip(events, self._trace.places, strict=True)
        ]
