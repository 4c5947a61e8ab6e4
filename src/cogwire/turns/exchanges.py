# SPDX-License-Identifier: MIT
"""Turns, with what came back for them, and what users said between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..events import ErrorEvent, Event, ResultEvent, persisted
from ..wire.frames.frame import Frame
from .storage import Numbered

#: Without `raw` these are not stored; with it they end a turn.  In tag dialects an error does so
#: too; in line dialects it makes the calls void, and the turn goes on.
STOPS: Final = frozenset({"execute", "end"})
#: Events that messages leave out, as they do errors in results, which a system wrote.
_SILENT: Final = frozenset({"metric", "interrupt"})
_RESULTS_ERRORS: Final = frozenset({"results-shape", "results-count", "results-order"})


@dataclass(slots=True)
class Exchange:
    """A turn, and the result that came back for its block."""

    turn: list[Numbered]
    frame: Frame
    answer: tuple[int, ResultEvent] | None = None
    #: The user stopped the turn; its block is then final, but its result may still come.
    cancelled: bool = False
    #: Nothing has come after the turn, so that its result may still come.
    is_open: bool = False

    @property
    def stop(self) -> str | None:
        """The type of the event that ended the turn, where that is known."""
        last = self.turn[-1][1]["type"] if self.turn else None
        if last == "error" and self.frame.is_block_last:
            return last
        return last if last in STOPS else None

    @property
    def errors(self) -> list[tuple[int, ErrorEvent]]:
        """The rules that the turn is known to have broken."""
        return [(index, event) for index, event in self.turn if event["type"] == "error"]

    def goes_on(self, event: Event) -> bool:
        """Whether `event` belongs to this turn."""
        if self.answer is not None or self.cancelled or self.stop is not None:
            return False
        is_text = event["type"] in ("think", "respond")
        is_after_block = self.frame.is_block_last and self.turn[-1][1]["type"] == "call"
        return not (is_after_block and is_text)


Step = Exchange | Numbered


def is_kept(numbered: Numbered) -> bool:
    """Whether messages show anything of the event."""
    _, event = numbered
    if event["type"] in _SILENT or (event["type"] == "error" and event["code"] in _RESULTS_ERRORS):
        return False
    return persisted(event)


def steps_of(kept: Iterable[Numbered], frame: Frame) -> list[Step]:
    """Return the exchanges, and the user events between them."""
    steps: list[Step] = []
    exchange: Exchange | None = None
    for index, event in kept:
        if event["type"] == "user":
            exchange = None
            steps.append((index, event))
        elif event["type"] == "cancelled":
            if exchange is not None and exchange.answer is None:
                exchange.cancelled = True
        elif event["type"] == "result":
            if exchange is None or exchange.answer is not None:
                exchange = Exchange([], frame)
                steps.append(exchange)
            exchange.answer = (index, event)
        elif exchange is not None and exchange.goes_on(event):
            exchange.turn.append((index, event))
        else:
            exchange = Exchange([(index, event)], frame)
            steps.append(exchange)
    if exchange is not None:
        exchange.is_open = not exchange.cancelled
    return steps
