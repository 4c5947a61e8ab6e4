# SPDX-License-Identifier: MIT
"""The text that each event accounts for (law 4), and the place of its content."""

from collections.abc import Sequence

from ..events import Event
from ..wire.frames.machine import Machine


class Ledger:
    """The ledger: keeps the text that has been read until an event claims it."""

    __slots__ = ("_mark", "_pieces", "_size", "_text")

    def __init__(self, tail: str = "", size: int = 0) -> None:
        """Start after `size` characters of text, of which the last, `tail`, are unclaimed."""
        #: The unclaimed text is `_text` from `_mark` on, and then `_pieces`.
        self._text = tail
        self._mark = 0
        self._pieces: list[str] = []
        #: How many characters have been added.
        self._size = size

    @property
    def tail(self) -> str:
        """The text that no event has claimed."""
        return self._text[self._mark :] + "".join(self._pieces)

    def add(self, text: str) -> None:
        """Take the next chunk of text."""
        self._pieces.append(text)
        self._size += len(text)

    def claim(self, offset: int) -> str:
        """Return the unclaimed text up to `offset`, and mark it as claimed."""
        stop = self._place(offset)
        begin, self._mark = self._mark, stop
        return self._text[begin:stop]

    def cut(self, offset: int) -> None:
        """Drop the text from `offset` on, which is after the hard stop."""
        stop = self._place(offset)
        self._text = self._text[:stop]
        self._size = offset

    def _place(self, offset: int) -> int:
        """Return where `offset` is in the text, or the mark if all before it has been claimed."""
        if self._pieces:
            # An event claims nearly all the text before it, so little is joined again.
            self._text = self.tail
            self._mark = 0
            self._pieces = []
        return max(self._mark, len(self._text) - self._size + offset)


class Accounts:
    """Reads with a machine, and adds `raw` and `span` to its events if they were requested."""

    __slots__ = ("_machine", "_spans", "ledger")

    def __init__(self, machine: Machine, *, raw: bool, spans: bool) -> None:
        self._machine = machine
        self._spans = spans
        #: The unclaimed text, if events have `raw`.
        self.ledger = Ledger() if raw else None

    @property
    def tail(self) -> str:
        """The text that no event has claimed yet; empty without `raw`."""
        return "" if self.ledger is None else self.ledger.tail

    def read(self, text: str, base: int, replaced: Sequence[int]) -> list[Event]:
        """Do what `Machine.read` does."""
        machine, ledger = self._machine, self.ledger
        if ledger is not None and not machine.stopped:
            ledger.add(text)
        return self._completed(machine.read(text, base, replaced), base + len(text))

    def finish(self, size: int, *, finished: bool) -> list[Event]:
        """Do what `Machine.finish` does."""
        return self._completed(self._machine.finish(size, finished=finished), size)

    def _completed(self, events: list[Event], size: int) -> list[Event]:
        """Complete the events of the text up to now, which has `size` characters."""
        trace, ledger = self._machine.trace, self.ledger
        places = trace.places if trace is not None else ()
        # A call delta has neither `raw` nor `span`.
        located = [event for event in events if "index" not in event]
        for event, (begin, end, claim, _) in zip(located, places, strict=True):
            if ledger is not None:
                event["raw"] = ledger.claim(claim)
            if self._spans:
                event["span"] = [begin, end]
        if ledger is not None and self._machine.discarded:
            ledger.cut(size - self._machine.discarded)
        return events
