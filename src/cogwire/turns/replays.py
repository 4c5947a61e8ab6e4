# SPDX-License-Identifier: MIT
"""Turns as the model wrote them, if their `raw` is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..events import UNLIMITED, Event
from ..wire.dialects import Dialect
from ..wire.frames.machine import Options
from ..wire.writing import writing_of
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
    is_run = last["type"] == "execute"
    outline = _outline([event for _, event in turn], is_run=is_run)
    begin = wire.frame.machines(wire.calls, _OPTIONS)
    for text in (raw, f"{writing_of(wire).think_opener()}{raw}"):
        machine = begin()
        read = machine.read(text, 0, []) + machine.finish(len(text), finished=True)
        if _outline(read, is_run=is_run) == outline:
            if text != raw:
                message = "the think's opener, which was in the prompt, is written"
                noting(changes)(first, "completed", message)
            return Replay(text, is_stop, changes, is_whole=machine.state == "prose")
    note(first, "mismatch", "`raw` is not the whole turn, which is written from its events")
    return None


def valid_calls(exchange: Exchange) -> Sequence[Call]:
    """Return the calls that are not void: all, or those that an `execute` ran after the error."""
    if not exchange.errors:
        return exchange.calls
    if exchange.stop != "execute":
        return []
    last, _ = exchange.errors[-1]
    return [call for call in exchange.calls if call.index > last]


def _outline(events: Iterable[Event], *, is_run: bool) -> list[tuple[str, str]]:
    """Return what the text of a turn must be read as.

    After an error, the calls of a turn that is not run are left out, as a transcript leaves them.
    """
    outline: list[tuple[str, str]] = []
    is_void = False
    for event in events:
        if event["type"] == "call":
            if is_run or not is_void:
                outline.append((event["type"], event["content"]))
        elif event["type"] == "think" or event["type"] == "respond":
            outline.append((event["type"], event["content"]))
        else:
            is_void = is_void or event["type"] == "error"
            outline.append((event["type"], ""))
    return outline
