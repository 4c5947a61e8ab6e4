# SPDX-License-Identifier: MIT
"""Turns as the model wrote them, if their `raw` is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..events import UNLIMITED, Event
from ..parser.placed import read_placed
from ..wire.dialects import Dialect
from ..wire.frames.machine import Options
from .calls import Call
from .changes import Note, Noted, noting, repaired
from .exchanges import STOPS, Exchange
from .storage import Numbered

#: Errors of a model that leave no block to close.
_BLOCKLESS: Final = frozenset(
    {"forged-results", "unclosed-execute", "unclosed-call", "missing-execute"}
)
_OPTIONS: Final = Options(
    token=False, transcript=True, start="prose", limits=UNLIMITED, trace=False
)


@dataclass(slots=True)
class Replay:
    """A turn as the model wrote it."""

    text: str
    #: Whether the text ends the turn.
    is_stop: bool
    changes: Sequence[Noted]
    #: Whether no region is open at its end.
    is_whole: bool


def replay_of(
    exchange: Exchange, turn: Sequence[Numbered], wire: Dialect, note: Note
) -> Replay | None:
    """Return the turn as the model wrote it, if its `raw` parses to the same events."""
    if not (turn and "raw" in turn[0][1] and all("raw" in event for _, event in turn)):
        return None
    first, last = turn[0][0], turn[-1][1]
    changes: list[Noted] = []
    raw = repaired(first, "".join([event.get("raw", "") for _, event in turn]), noting(changes))
    is_stop = last["type"] in STOPS
    if exchange.errors and not is_stop and exchange.errors[-1][1]["code"] not in _BLOCKLESS:
        raw = f"{raw}\n{wire.frame.block_ends[1]}"
        is_stop = True
    outline = [_outline(event) for _, event in turn]
    begin = wire.frame.machines(wire.calls, _OPTIONS)
    for text in (raw, f"{wire.writing.think_opener()}{raw}"):
        machine = begin()
        read = machine.read(text, 0, []) + machine.finish(len(text), finished=True)
        if list(map(_outline, read)) == outline:
            if text != raw:
                message = "the think's opener, which was in the prompt, is written"
                noting(changes)(first, "completed", message)
            return Replay(text, is_stop, changes, is_whole=machine.state == "prose")
    note(first, "mismatch", "`raw` is not the whole turn, which is written from its events")
    return None


def valid_calls(exchange: Exchange, replay: Replay | None, wire: Dialect) -> Sequence[Call]:
    """Return the calls that are not void: all, or those that an `execute` ran after the error."""
    calls = exchange.calls
    if not exchange.errors:
        return calls
    if exchange.stop != "execute":
        return []
    if replay is not None:
        return calls[len(calls) - _count_run(replay.text, wire) :]
    last, _ = exchange.errors[-1]
    return [call for call in calls if call.index > last]


def _count_run(text: str, wire: Dialect) -> int:
    """Count the calls of the last batch; stored events do not show where void batches end."""
    placed = read_placed(text, wire, UNLIMITED)
    batches = [each.batch for each in placed if each.event["type"] == "call"]
    return batches.count(placed[-1].batch)


def _outline(event: Event) -> tuple[str, str]:
    if event["type"] == "think" or event["type"] == "respond" or event["type"] == "call":
        return event["type"], event["content"]
    return event["type"], ""
