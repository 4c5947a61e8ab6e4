"""The events of a text, and how they account for every character of it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from .block import DEFAULT_LIMITS, Limits, Written
from .text import WHITE, Text


# m-state m-tail
@dataclass(frozen=True)
class Outcome:
    """The outcome of a whole text. An error event has no message here: its wording is free."""

    events: list[dict[str, Any]]
    state: str
    discarded: int
    tail: str


# m-limits-default
class Options(NamedTuple):
    """How a text is read."""

    mode: str = "turn"
    start: str = "prose"
    raw: bool = False
    spans: bool = False
    calls: str = "shown"
    call_deltas: bool = False
    is_finished: bool = True
    limits: Limits = DEFAULT_LIMITS


class Held(NamedTuple):
    """An event that may be held back: where it begins and ends, and where it was complete."""

    event: dict[str, Any]
    first: int
    last: int
    at: int


# xj-result-payload b-payload
# The number of items of each status, and of executed calls.
def payload(statuses: list[Any], executed: int) -> dict[str, int]:
    return {
        "tools_executed": executed,
        "success_count": statuses.count("success"),
        "failure_count": statuses.count("failure"),
    }


# conv-span-members
class Part(NamedTuple):
    """The kind of a piece of text, its author, and its event."""

    first: int
    last: int
    author: str
    kind: str
    event: dict[str, Any] | None
    # Its batch, whose end, once it is known, determines whether it counts.
    batch: list[dict[str, Any]]


class Ledger:
    """One text: how far it has been read, and how far its events account for it."""

    def __init__(self, text: Text, options: Options) -> None:
        self.text = text
        self.characters = text.characters
        self.mode = options.mode
        self.start = options.start
        self.limits = options.limits
        self.raw = options.raw
        self.spans = options.spans
        self.is_sealed = options.calls == "sealed"
        self.call_deltas = options.call_deltas
        self.is_finished = options.is_finished
        # The events read from the first call of a sealed batch on.
        self.held: list[Held] = []
        self.events: list[dict[str, Any]] = []
        # The event that was read last, which may be held back.
        self.latest: dict[str, Any] = {}
        # For each event the place of its first character, and the number of its turn.
        self.places: list[tuple[int, int]] = []
        self.turn = 0
        # Where the markers recognised outside of thinks and blocks begin and end.
        self.markers: list[tuple[int, int]] = []
        # The kind of each piece of the text, except white space; and the places after which a turn
        # is over, so that the system continues.
        self.parts: list[Part] = []
        self.stops: set[int] = set()
        # The event that ended the open batch: its execute, or the error that made it void.
        self.batch: list[dict[str, Any]] = []
        # Where the text stopped, once it is read.
        self.state = ""
        self.at = 0
        self.claimed = 0
        # Where the last body of results that was read separately ends.
        self.body_end_at = 0
        # The tools that the last block called, or None if it was void.
        self.called: list[str] | None = None

    # m-sealed m-sealed-order m-sealed-void m-sealed-same
    # A sealed call and the events after it wait for the execute, or for an error, which removes the
    # calls.
    def emit(self, kind: str, first: int, **rest: Any) -> None:
        event = {"type": kind, **rest}
        self.latest = event
        held = Held(event, first, self.span_end(kind, first, **rest), self.at)
        is_over = kind in ("execute", "error")
        if self.is_sealed and not is_over and (kind == "call" or self.held):
            self.held.append(held)
            return
        for each in self.held:
            if kind == "execute" or each.event["type"] != "call":
                self.release(each)
        self.held = []
        self.release(held)

    # m-law-ledger m-raw m-raw-next m-sealed-raw m-parser-types m-event-order
    # The raw of an event runs from the end of the previous one's through the character that
    # completed this one.  Text is not claimed twice.
    def release(self, held: Held) -> None:
        event = held.event
        if self.raw:
            event["raw"] = self.characters[self.claimed : held.at]
        if self.spans:
            event["span"] = [held.first, held.last]
        self.claimed = max(self.claimed, held.at)
        self.events.append(event)
        self.places.append((held.first, self.turn))

    # m-call-delta m-call-delta-fields m-call-delta-broken m-call-delta-sealed
    # The text so far of the args of a call whose name is known, in one delta.
    def emit_call_delta(self, index: int, written: Written) -> None:
        if self.call_deltas and written.name and written.args:
            delta = {"type": "call_delta", "index": index, "name": written.name}
            self.events.append({**delta, "content": written.args})
            self.places.append((self.at, self.turn))

    # conv-span-kinds conv-span-author
    # Records the kind of a piece of the text.
    def part(  # noqa: PLR0917 (what a part is, in the order of the table)
        self,
        kind: str,
        first: int,
        last: int,
        event: dict[str, Any] | None,
        author: str = "model",
        batch: list[dict[str, Any]] | None = None,
    ) -> None:
        if first < last:
            owner = [] if batch is None else batch
            self.parts.append(Part(first, last, author, kind, event, owner))

    # conv-span-kinds conv-span-white
    # A piece without the white space around it.
    def inner_part(
        self, kind: str, first: int, last: int, event: dict[str, Any], author: str = "model"
    ) -> None:
        text = self.characters[first:last]
        begins = first + len(text) - len(text.lstrip(WHITE))
        self.part(kind, begins, first + len(text.rstrip(WHITE)), event, author)

    # m-span m-span-segment m-span-call m-span-marker m-span-result m-span-error
    # The span of a segment is its content, that of an error its character; any other event ends
    # where it is complete, and results in a delimiter dialect end with their last body.
    def span_end(self, kind: str, first: int, content: str = "", **_: object) -> int:
        if kind in ("think", "respond"):
            return first + len(content)
        if kind == "error":
            return min(first + 1, len(self.characters))
        if kind == "result" and self.body_end_at:
            return self.body_end_at
        return self.at

    # m-raw-error err-shape err-offset err-calls
    # An error is complete at the offending character.  It has a path among the calls only.
    def emit_error(self, code: str, offset: int, path: str, calls: int) -> None:
        self.at = min(offset + 1, len(self.characters))
        place = {"path": path} if path else {}
        self.emit("error", offset, code=code, offset=offset, **place, calls=calls)

    # m-event-mode m-segment-trim m-segment-white m-segment-inner m-raw-segment
    # White space at the ends of a segment is not content; a segment of only white space produces no
    # event.  Returns the event.
    def emit_segment(self, kind: str, first: int, last: int) -> dict[str, Any] | None:
        content = self.characters[first:last].lstrip(WHITE)
        if not content:
            return None
        self.emit(kind, last - len(content), content=content.rstrip(WHITE))
        return self.latest

    # xj-result-payload
    # The payload of a result counts its items; no call of a void block was executed.
    def emit_result(self, first: int, content: str, statuses: list[str]) -> None:
        executed = 0 if self.called is None else len(statuses)
        self.emit("result", first, content=content, payload=payload(statuses, executed))

    # m-white
    def after_white(self) -> int:
        at = self.at
        while at < len(self.characters) and self.characters[at] in WHITE:
            at += 1
        return at

    # m-tail m-transcript-discarded m-sealed-tail
    # Returns the events of a whole text, and where it stopped.  The text of an event that was not
    # emitted is in the tail.
    def outcome(self, state: str) -> Outcome:
        return Outcome(
            events=self.events,
            state=state,
            discarded=len(self.characters) - self.at,
            tail=self.characters[self.claimed : self.at] if self.raw else "",
        )
