# SPDX-License-Identifier: MIT
"""Turns, with what came back for them, and what users said between them."""

from dataclasses import dataclass, field
from typing import Final

from ..events import ErrorEvent, Event, ResultEvent, persisted
from ..wire.frames.frame import Frame
from .calls import Call
from .storage import Deltas, Numbered, whole

#: Without `raw` these are not stored; with it they end a turn.  In tag dialects an error does so
#: too; in line dialects it makes the calls void, and the turn goes on.
STOPS: Final = frozenset({"execute", "end"})
#: Events that messages leave out, as they do errors that are no model's: those in results, which a
#: system wrote, and a framework's own, which have no code.
_SILENT: Final = frozenset({"metric", "interrupt"})
_NO_TURNS: Final = frozenset({"results-shape", "results-count", "results-order", ""})


@dataclass(slots=True)
class Exchange:
    """A turn, and the result that came back for its block."""

    frame: Frame
    taken: list[Numbered | Deltas] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    #: The rules that the turn is known to have broken.
    errors: list[tuple[int, ErrorEvent]] = field(default_factory=list)
    answer: tuple[int, ResultEvent] | None = None
    #: The user stopped the turn; its block is then final, but its result may still come.
    cancelled: bool = False
    #: Whether something has come after the turn, so that its result cannot come any more.
    is_over: bool = False
    #: The type of the last event of the turn.
    _last: str = ""

    def turn(self) -> list[Numbered]:
        """Return the events of the turn, with the deltas of each segment joined."""
        return list(map(whole, self.taken))

    @property
    def stop(self) -> str | None:
        """The type of the event that ended the turn, where that is known."""
        if self._last == "error" and self.frame.is_block_last:
            return self._last
        return self._last if self._last in STOPS else None

    def goes_on(self, kind: str) -> bool:
        """Whether an event of this type belongs to the turn."""
        if self.answer is not None or self.cancelled or self.stop is not None:
            return False
        is_text = kind in ("think", "respond")
        return not (self.frame.is_block_last and self._last == "call" and is_text)

    def add(self, taken: Numbered | Deltas, call: Call | None) -> None:
        """Add an event to the turn, or a segment; `call` is what a call says."""
        index, event = taken if isinstance(taken, tuple) else taken[0]
        self.taken.append(taken)
        self._last = event["type"]
        if call is not None:
            self.calls.append(call)
        elif event["type"] == "error":
            self.errors.append((index, event))


Step = Exchange | Numbered


class Steps:
    """The exchanges of a history, and the user events between them; keeps the last one."""

    __slots__ = ("_frame", "last")

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        #: The only one that can still change.
        self.last: Step | None = None

    def take(self, taken: Numbered | Deltas, call: Call | None) -> Step | None:
        """Take an event, or the segment that it begins, and return the step that is over then."""
        index, event = taken if isinstance(taken, tuple) else taken[0]
        if not _is_kept(event):
            return None
        last = self.last
        exchange = last if isinstance(last, Exchange) else None
        if event["type"] == "cancelled":
            if exchange is not None and exchange.answer is None:
                exchange.cancelled = True
            return None
        if event["type"] == "result":
            if exchange is None or exchange.answer is not None:
                exchange = self.last = Exchange(self._frame)
            exchange.answer = (index, event)
        elif event["type"] == "user":
            self.last = (index, event)
        else:
            if exchange is None or not exchange.goes_on(event["type"]):
                exchange = self.last = Exchange(self._frame)
            exchange.add(taken, call)
        if self.last is last:
            return None
        if isinstance(last, Exchange):
            last.is_over = True
        return last


def _is_kept(event: Event) -> bool:
    """Whether messages show anything of the event."""
    if event["type"] == "error" and event.get("code", "") in _NO_TURNS:
        return False
    return event["type"] not in _SILENT and persisted(event)
