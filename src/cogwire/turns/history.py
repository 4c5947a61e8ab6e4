# SPDX-License-Identifier: MIT
"""A history in steps: turns of the model with their results, and the users' texts between them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..events import STORED, ErrorEvent, Event, ResultEvent
from ..text import WHITE
from ..text.json_text import member, members
from ..wire.blocks.values import RenderError
from ..wire.dialects import Dialect
from ..wire.frames.machine import Frame
from ..wire.writing import read_call, sound_call, spell_call
from .changes import Noted, noting
from .storage import CAUSELESS, Deltas, EventReader, Numbered, Refuse, whole

#: These events end a turn, but are stored only with `raw`.  An error also ends a turn in the xml
#: dialects; in the delimiter dialects it makes the calls void, and the turn continues.
STOPS: Final = frozenset({"execute", "end"})
_OF_TURNS: Final = STOPS | {"think", "respond", "call", "error"}
#: Events that messages leave out, along with errors that no call caused.
_SILENT: Final = frozenset({"metric", "interrupt"})


@dataclass(slots=True)
class Call:
    """A call of a history, as stored or as a dialect writes it."""

    index: int
    tool: str
    text: str
    #: How the text differs from the event.
    changes: Sequence[Noted] = ()
    #: Whether it cannot be read, and is left out together with its result.
    is_skipped: bool = False
    #: The JSON text of its arguments, as they are stored.
    args: str = "{}"


def stored_call(index: int, content: str) -> Call:
    """Return the call without white space around it; `ValueError` if it is not a call."""
    text = content.strip(WHITE)
    if (call := sound_call(text)) is not None:
        args = member(text, "args", call) if "args" in call else "{}"
        return Call(index, call["name"], text, args=args)
    try:
        tool = read_call(text)
        return Call(index, tool, text, args=dict(members(text)).get("args", "{}"))
    except RecursionError:
        raise ValueError("the call is nested too deeply to be decoded") from None
    except ValueError as problem:
        raise ValueError(f"the content is not that of one call. {problem}") from None


def written_call(index: int, content: str, wire: Dialect) -> Call:
    """Return the call as every reader of blocks will read it; `ValueError` if it is not a call."""
    text = content.strip(WHITE)
    call = sound_call(text)
    tool = stored_call(index, text).tool if call is None else call["name"]
    try:
        changes: list[Noted] = []
        note = noting(changes)
        if text != content:
            note(index, "trimmed", "white space around the call is left out")
        written = spell_call(text, wire, lambda code, _, message: note(index, code, message), call)
        return Call(index, tool, written, changes)
    except RenderError as error:
        raise ValueError(f"the call cannot be written. {error}") from None


# -- Turns and steps -------------------------------------------------------------------------------


@dataclass(slots=True)
class Turn:
    """A turn of the model, and the result of its block."""

    frame: Frame[Any]
    taken: list[Numbered | Deltas] = field(default_factory=list[Numbered | Deltas])
    calls: list[Call] = field(default_factory=list[Call])
    #: The rules that the turn is known to have broken.
    errors: list[tuple[int, ErrorEvent]] = field(default_factory=list[tuple[int, ErrorEvent]])
    answer: tuple[int, ResultEvent] | None = None
    #: Whether the user stopped the turn; its block is then final, but its result may still arrive.
    cancelled: bool = False
    #: Whether another event has followed the turn, so that its result can no longer arrive.
    is_over: bool = False
    #: The type of the last event of the turn.
    _last: str = ""

    def events(self) -> list[Numbered]:
        """Return the events of the turn, with the deltas of each segment joined."""
        return whole(self.taken)

    @property
    def stop(self) -> str | None:
        """The type of the event that ended the turn, if it is known."""
        if self._last == "error" and self.frame.is_block_last:
            return self._last
        return self._last if self._last in STOPS else None

    @property
    def valid_calls(self) -> Sequence[Call]:
        """The calls that are not void: all, or those that an `execute` ran after the error."""
        if not self.errors:
            return self.calls
        if self.stop != "execute":
            return []
        last, _ = self.errors[-1]
        return [call for call in self.calls if call.index > last]

    def divided(self, call: int | None) -> "Turn | None":
        """Take away the events up to the call with this index, and return them as another turn.

        Returns None, and takes nothing, if no calls follow that call, or anything else does.
        """
        count = next((n for n, each in enumerate(self.calls, 1) if each.index == call), 0)
        if count in {0, len(self.calls)}:
            return None
        end = len(self.taken) - len(self.calls) + count
        last = self.taken[end - 1]
        if not (isinstance(last, tuple) and last[0] == call):
            return None
        answered = replace(self, taken=self.taken[:end], calls=self.calls[:count])
        del self.taken[:end], self.calls[:count]
        self.errors = []
        return answered

    def add(self, taken: Numbered | Deltas, index: int, event: Event, call: Call | None) -> bool:
        """Add an event or a segment to the turn, if it belongs to it, and return whether it does.

        `call` is the call that the event contains.
        """
        last, kind = self._last, event["type"]
        if self.answer is not None or self.cancelled or last in STOPS:
            return False
        if last == "error" and self.frame.is_block_last:
            return False
        self.taken.append(taken)
        self._last = kind
        if call is not None:
            self.calls.append(call)
        elif event["type"] == "error":
            self.errors.append((index, event))
        return True


Step = Turn | Numbered


class Steps:
    """Reads a history event by event: its turns, and the user events between them.

    `call_of` reads a call, given its index and content.  Anything but an event, or but a call in a
    `call` event, is left out unless `refuse` raises.  Only events that storage keeps are read,
    unless `is_live`: then the events that end a turn, and errors, count too.
    """

    __slots__ = ("_call_of", "_count", "_frame", "_is_live", "_reader", "_refuse", "last")

    def __init__(
        self,
        frame: Frame[Any],
        call_of: Callable[[int, str], Call],
        refuse: Refuse,
        *,
        is_live: bool = False,
    ) -> None:
        self._frame = frame
        self._call_of = call_of
        self._refuse = refuse
        self._is_live = is_live
        self._reader = EventReader()
        #: How many events have been taken.
        self._count = 0
        #: The only step that can still change.
        self.last: Step | None = None

    def take(self, event: Mapping[str, object]) -> Step | None:
        """Take the next event, and return the step that it ends, if any."""
        index = self._count
        read: Event | None = None
        call: Call | None = None
        try:
            read = self._reader.read(event)
            if read is not None and read["type"] == "call":
                call = self._call_of(index, read["content"])
        except ValueError as problem:
            self._refuse(index, problem)
            if read is not None:
                call = Call(index, "", "", is_skipped=True)
        self._count = index + 1
        if read is None:
            return None
        joined = self._reader.join(index, read)
        if joined is None or not (read["type"] in STORED or self._is_of_step(read)):
            return None
        return self._add(joined, index, read, call)

    def _is_of_step(self, event: Event) -> bool:
        """Whether an event of a type that need not be stored is part of a turn."""
        if not (self._is_live or "raw" in event) or event["type"] in _SILENT:
            return False
        return event["type"] != "error" or event.get("code", "") not in CAUSELESS

    def _add(
        self, taken: Numbered | Deltas, index: int, event: Event, call: Call | None
    ) -> Step | None:
        """Add an event, or the segment that it begins, and return the step that it ends, if any."""
        last = self.last
        turn = last if isinstance(last, Turn) else None
        if event["type"] in _OF_TURNS:
            if turn is not None and turn.add(taken, index, event, call):
                return None
            self.last = Turn(self._frame)
            self.last.add(taken, index, event, call)
        elif event["type"] == "user":
            self.last = (index, event)
        elif event["type"] == "result":
            if turn is None or turn.answer is not None:
                turn = self.last = Turn(self._frame)
            elif not turn.cancelled and (answered := turn.divided(self._reader.outcome_of)):
                last = turn = answered
            turn.answer = (index, event)
        elif event["type"] == "cancelled" and turn is not None and turn.answer is None:
            turn.cancelled = True
        if self.last is last:
            return None
        if isinstance(last, Turn):
            last.is_over = True
        return last
