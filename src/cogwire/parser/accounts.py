# SPDX-License-Identifier: MIT
"""The text that each event accounts for (law 4), and the place of its content."""

from collections.abc import Sequence

from ..events import Event
from ..wire.frames.machine import Machine
from .ledger import Ledger


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
        events = self._completed(machine.read(text, base, replaced))
        if ledger is not None and machine.discarded:
            ledger.cut(base + len(text) - machine.discarded)
        return events

    def finish(self, size: int, *, finished: bool) -> list[Event]:
        """Do what `Machine.finish` does."""
        return self._completed(self._machine.finish(size, finished=finished))

    def _completed(self, events: list[Event]) -> list[Event]:
        trace, ledger = self._machine.trace, self.ledger
        places = trace.places if trace is not None else ()
        # A call delta has neither `raw` nor `span`.
        located = [event for event in events if "index" not in event]
        for event, (begin, end, claim, _) in zip(located, places, strict=True):
            if ledger is not None:
                event["raw"] = ledger.claim(claim)
            if self._spans:
                event["span"] = [begin, end]
        return events
