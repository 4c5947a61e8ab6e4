# SPDX-License-Identifier: MIT
"""From calls to their result: a state machine that collects outcomes and runs nothing itself."""

import math
import sys
import time
from _thread import RLock
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard

from ..events import (
    RESERVED_NAME,
    CallEvent,
    Event,
    Payload,
    ResultEvent,
    StoredEvent,
    payload_of,
)
from ..text import counted
from ..text.json_text import strict, write_array
from ..wire.dialects import Dialect, HasDialect, dialect_named
from ..wire.writing import read_call, sound_call
from .render import CANCELLED, write_item
from .storage import CAUSELESS

#: The events that end a turn.
_TURN_ENDS: Final = frozenset({"end", "user", "result", "interrupt", "cancelled"})
#: Keeps threads that settle calls of a batch at the same time from answering it twice.
_LOCK: Final = RLock()


@dataclass(frozen=True, slots=True, eq=False)
class BatchCall:
    """One call of a batch, compared by identity: two calls with the same content are not equal."""

    #: Its index in the batch, from 0.
    index: int
    #: The tool that is called.
    name: str
    #: The arguments, decoded; `{}` if the call has none.  Where the dialect has them as text, they
    #: are text: `Toolset.check(call.content)` returns them with their types.
    args: dict[str, Any]
    #: The call as the model wrote it.
    content: str
    #: The `id` of its event, if it has one.
    id: str | int | None = None


class Batch:
    """Collects the calls of a block, accepts their outcomes in any order, and returns one result.

    The states of a batch, which may begin again after each answer:

    - collecting: `take` keeps each `call`.  Nothing may run yet.
    - open: an `execute` arrived.  Each of `calls` may run, and `settle` takes its outcome.
    - answered: the last outcome arrived, and that `settle` returned the `result`.

    A shallow copy of a batch, by `copy.copy`, is an independent batch in the same state.  Threads
    may settle the calls of one batch, while another one takes events.

    `take` itself answers an `execute` without calls, a void block and forged results.  It answers
    an open batch at an `interrupt` or `cancelled`: calls without an outcome fail as cancelled.

    A turn ends at an `end`, `user`, `result`, `interrupt` or `cancelled`, and at `next_turn`.  The
    calls that no `execute` has followed are then dropped, so that the next turn does not run them.
    Before a `user` and a `result` the history has the turn's answer, so `result` is then `None`.

    In the delimiter dialects a turn continues after an error, and may contain calls that must never
    run.  So nothing is collected from the error to the turn's end.  The answer is returned at the
    error, but in a history it belongs after the whole turn.

    `clock` returns the results' timestamps, in seconds; `None` leaves them out.  Raises
    `ValueError` for a dialect that does not exist.
    """

    __slots__ = (
        "_calls",
        "_clock",
        "_dialect",
        "_failures",
        "_is_open",
        "_is_void",
        "_items",
        "_result",
    )

    def __init__(
        self,
        dialect: str | HasDialect = "xml-json",
        *,
        clock: Callable[[], float] | None = time.time,
    ) -> None:
        self._dialect = dialect_named(dialect)
        self._clock = clock
        self._result: ResultEvent | None = None
        #: Whether the turn continues after an error.
        self._is_void = False
        self._reset()

    def _reset(self) -> None:
        self._calls: list[BatchCall] = []
        self._is_open = False
        #: The outcomes so far, as items of the result.
        self._items: dict[int, str] = {}
        self._failures = 0

    def __copy__(self) -> "Batch":
        other = Batch.__new__(Batch)
        for name in Batch.__slots__:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, list | dict) else value)
        return other

    @property
    def dialect(self) -> str:
        """The name of the dialect in which the calls are written."""
        return self._dialect.name

    @property
    def wire(self) -> Dialect:
        """The dialect itself."""
        return self._dialect

    @property
    def parallel(self) -> bool:
        """Whether the calls run together, or one after the other in their order."""
        return self._dialect.parallel

    @property
    def calls(self) -> tuple[BatchCall, ...]:
        """The calls collected; they may run only while the batch is open."""
        return tuple(self._calls)

    @property
    def is_open(self) -> bool:
        """Whether an `execute` has arrived and outcomes are missing."""
        return self._is_open

    @property
    def waiting(self) -> tuple[int, ...]:
        """The indices of the calls that may run and have no outcome yet."""
        if not self._is_open:
            return ()
        return tuple(call.index for call in self._calls if call.index not in self._items)

    def is_waiting(self, call: BatchCall) -> bool:
        """Whether `call` is one of `calls` that may run and has no outcome yet."""
        return self._is_own(call) and self._is_index_waiting(call.index)

    @property
    def result(self) -> ResultEvent | None:
        """The last answer that `take` or `settle` returned in this turn, or `None`."""
        return self._result

    def __repr__(self) -> str:
        """Show the dialect, the state, and the number of calls."""
        where = "collecting"
        if self._is_open:
            where = f"open, {len(self.waiting)} waiting"
        elif self._is_void:
            where = "void"
        elif self._result is not None and not self._calls:
            where = "answered"
        return f"<Batch {self._dialect.name}: {where}, {counted(len(self._calls), 'call')}>"

    def take(self, event: StoredEvent) -> list[ResultEvent]:
        """Take an event of any type, and return the result that it causes, if any.

        Raises `ValueError` for a malformed call, for an event that is not allowed while outcomes
        are missing, and for a value without a `type`.
        """
        now, kind = self._now(), _type_of(event)
        with _LOCK:
            if kind in _TURN_ENDS:
                return self._end_turn(kind, now)
            if self._is_void:
                if event["type"] == "execute":
                    raise ValueError(
                        "an execute came after an error; next_turn() begins another turn"
                    )
            elif event["type"] == "call":
                self._require_answered("a call")
                self._calls.append(_call(len(self._calls), event))
            elif event["type"] == "execute":
                self._require_answered("an execute")
                self._is_open = True
                return self._answer(now)
            elif event["type"] == "error" and str(event.get("code") or "") not in CAUSELESS:
                self._require_answered("an error")
                self._is_void = not self._dialect.frame.is_block_last
                return self._answer_void(str(event.get("content", "")), now)
        return []

    def take_last(self, events: Iterable[Event]) -> list[Event]:
        """Take the last events of a turn that was stopped; return what a history stores of its end.

        `events` are what `cut` or `stop` of an iterator returned, and the turn is this batch's only
        one, or was begun with `next_turn` or a `user`.  Its answer is put among them, so throw away
        what `take` returned in this turn: the answer to a void block is stored before a
        `cancelled`, and any other after all events.  Another turn begins then, unless the batch is
        still open.  Raises as `take` does.
        """
        stored: list[Event] = []
        for event in events:
            if _type_of(event) == "cancelled" and self._result and _is_void(self._result):
                stored.append(self._result)
                self.next_turn()
            stored.append(event)
            self.take(event)
        if self._result and not self._is_open:
            stored.append(self._result)
            self.next_turn()
        return stored

    def settle(
        self, call: BatchCall | int, status: Literal["success", "failure"], content: object
    ) -> list[ResultEvent]:
        """Take the outcome of one call, and return the result if no other outcome is missing.

        `call` is one of `calls`, or its index.  If outcomes may arrive late, pass the call: a call
        of an earlier batch is refused, while an index always means a call of the current batch.
        `content` is the value that the tool returned, any JSON value, or the message of a failure.
        Raises `ValueError` for a call that is not waiting, and `RenderError`, a subclass of it, for
        an outcome that JSON cannot express; the call then still waits.
        """
        now = self._now()
        with _LOCK:
            own = self._required(call)
        # No thread waits for the JSON of another one, which may settle this call meanwhile.
        item = self._item(own, status, content)
        with _LOCK:
            self._required(own)
            self._record(own, status, item)
            return self._answer(now)

    def next_turn(self) -> None:
        """Begin another turn; `ValueError` if outcomes are missing.

        Calls of the last turn that no `execute` has followed are dropped.
        """
        self._require_answered("the next turn")
        self._result = None
        self._is_void = False
        self._reset()

    def close(self) -> None:
        """Declare that no more events follow; `ValueError` if outcomes are missing."""
        self._require_answered("the end")

    def _now(self) -> float | None:
        return self._clock() if self._clock else None

    def _require_answered(self, event: str) -> None:
        if self._is_open:
            raise ValueError(f"{event} came before the outcomes of {self._missing()}")

    def _is_own(self, call: BatchCall) -> bool:
        return self._calls[call.index : call.index + 1] == [call]

    def _is_index_waiting(self, index: object) -> TypeGuard[int]:
        if not isinstance(index, int) or isinstance(index, bool):
            return False
        return self._is_open and 0 <= index < len(self._calls) and index not in self._items

    def _missing(self) -> str:
        return ", ".join(f"call {index} ({self._calls[index].name})" for index in self.waiting)

    def _required(self, call: BatchCall | int) -> BatchCall:
        """Return a call that is waiting; `ValueError` for any other."""
        index: object = call
        if isinstance(call, BatchCall):
            index = call.index
            if not self._is_own(call):
                raise ValueError(f"call {index} ({call.name}) is not one of this batch's calls")
        if not self._is_index_waiting(index):
            waiting = self._missing() or "none"
            raise ValueError(f"{index!r} is not a call that is waiting; waiting: {waiting}")
        return self._calls[index]

    def _item(self, call: BatchCall, status: str, content: object) -> str:
        return write_item(call.name, status, content, self._dialect, f"/{call.index}")

    def _record(self, call: BatchCall, status: str, item: str) -> None:
        self._items[call.index] = item
        self._failures += status == "failure"

    def _end_turn(self, kind: str, now: float | None) -> list[ResultEvent]:
        self._is_void = False
        if kind in ("user", "result"):
            self._result = None
        if not self._is_open:
            self._reset()
        if not self._is_open or kind not in ("interrupt", "cancelled"):
            return []
        for index in self.waiting:
            call = self._calls[index]
            self._record(call, "failure", self._item(call, "failure", CANCELLED))
        return self._answer(now)

    def _answer(self, now: float | None) -> list[ResultEvent]:
        if len(self._items) < len(self._calls):
            return []
        items = [self._items[call.index] for call in self._calls]
        failed = self._failures
        return self._give(items, payload_of(len(items) - failed, failed), now)

    def _answer_void(self, message: str, now: float | None) -> list[ResultEvent]:
        item = write_item(RESERVED_NAME, "failure", message, self._dialect, "/0")
        return self._give([item], payload_of(0, 1, is_void=True), now)

    def _give(self, items: list[str], payload: Payload, now: float | None) -> list[ResultEvent]:
        self._result = {"type": "result", "content": write_array(items), "payload": payload}
        if now is not None:
            self._result["timestamp"] = now
        self._reset()
        return [self._result]


def require_timeout(limit: object, name: str = "timeout") -> None:
    """Raise `TypeError` or `ValueError` for anything but a time limit of calls, or `None`."""
    wanted = f"{name} is a number of seconds, or None for no limit, not {limit!r}"
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise TypeError(wanted)
    if not limit >= 0 or math.inf > limit > sys.float_info.max:  # NaN is not, either
        raise ValueError(wanted)


def _type_of(event: StoredEvent) -> str:
    try:
        kind: str = event["type"]
        hash(kind)
    except (KeyError, TypeError):
        raise ValueError("an event must be an object with a `type`") from None
    return kind


def _is_void(result: ResultEvent) -> bool:
    return result["payload"]["failure_count"] > result["payload"]["tools_executed"]


def _call(index: int, event: CallEvent) -> BatchCall:
    content = event.get("content")
    if type(content) is not str:
        raise ValueError("the content is not that of one call: it is not a string")
    call = sound_call(content)
    try:
        if call is None:
            read_call(content)
            call = strict(content)
    except ValueError as problem:
        raise ValueError(f"the content is not that of one call: {problem}") from None
    except RecursionError:
        raise ValueError("the arguments are nested too deeply to be decoded") from None
    return BatchCall(index, call["name"], call.get("args", {}), content, event.get("id"))
