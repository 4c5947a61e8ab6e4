# SPDX-License-Identifier: MIT
"""Turns, for all bridges: a live one in the steps that streaming APIs have, and those of a history.

Laws: a call that must not run is never finished as a call that may.  Calls are shown when their
`execute` arrives; those that are shown earlier, because the parser emits `call_delta` events, end
as `Broken` if it does not, and the last of them ends, and has its last brace, only if it does.
Calls begin in the model's order, which is that of `Finished`.

In a history a call of a void block is never shown, and a call that any event has followed is always
answered, because every API refuses a history with an unanswered call.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from cogwire import (
    Change,
    EventStream,
    Exchange,
    Finish,
    Toolset,
    TurnCall,
    TurnText,
    exchanges,
)
from cogwire.tooling import CANCELLED, WHITE, HasDialect, members, notation, short_repr
from cogwire_kit.bridges.common.changes import JOINT, Changes
from cogwire_kit.bridges.common.outcomes import (
    CallOutcome,
    failure,
    plain_text,
    spelled_outcome,
    value_of,
)
from cogwire_kit.bridges.common.taken import TakenEvents
from cogwire_kit.bridges.common.tools import LONGEST_NAME, NOT_IN_NAMES

T = TypeVar("T")

#: A number in a JSON text, or in a string of one.
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

#: The events of a turn that its reader is shown.
_SHOWN: Final = frozenset({"think", "respond", "call", "call_delta"})

# -- A live turn ----------------------------------------------------------------------------------


class TextPiece(NamedTuple):
    """A piece of a text, which is never empty."""

    kind: Literal["think", "respond"]
    content: str
    #: Whether the segment begins with it.
    is_first: bool


class TextEnd(NamedTuple):
    """The end of a segment that was begun."""

    kind: Literal["think", "respond"]


class CallStart(NamedTuple):
    """The beginning of a call."""

    number: int
    id: str
    name: str
    #: Whether it is shown before its `execute`, so that its block may still break a rule.
    is_early: bool


class CallArgs(NamedTuple):
    """A piece of the JSON text of the arguments of the call that was begun last."""

    number: int
    id: str
    content: str


class CallEnd(NamedTuple):
    """The end of the arguments of a call; it is not yet known whether the call may run."""

    number: int
    id: str


class WholeCall(NamedTuple):
    """A call that may run."""

    id: str
    name: str
    #: The JSON text of its arguments.
    args: str


class Finished(NamedTuple):
    """The turn has ended, and all its calls may run; there may be none."""

    calls: tuple[WholeCall, ...]
    #: Why its text was cut, if the model did not end it; then there are no calls.
    cut: Finish | None = None


class Broken(NamedTuple):
    """None of the calls of the turn may run.  It has ended, except for texts that may follow."""

    message: str
    code: str


class Used(NamedTuple):
    """The usage of the turn, in tokens."""

    input: int
    output: int


Piece = TextPiece | TextEnd | CallStart | CallArgs | CallEnd | Finished | Broken | Used

#: Messages for turns that end early, so that their calls may not run.
_UNFINISHED: Final = "The turn ended before its calls could run."
_INTERRUPTED: Final = "The stream was interrupted before the turn ended."


class Pieces:
    """Takes the events of a conversation; each turn ends with `Finished` or `Broken`.

    `calls_before` is the number of calls in the history before the first event, which makes the ids
    of calls those of `cogwire.exchanges`.  With a `toolset` whose dialect has arguments that are
    text, calls have arguments of the declared types, and none is shown while it is written.
    """

    def __init__(self, calls_before: int = 0, toolset: Toolset | None = None) -> None:
        self._calls_before = calls_before
        self._toolset = toolset if toolset and notation(toolset).is_text else None
        self._distinct = _Distinct()
        self._begin()

    def _begin(self) -> None:
        self._text: tuple[Literal["think", "respond"], object] | None = None
        #: The calls whose `call` event has arrived, and how many calls have been shown.
        self._calls: list[WholeCall] = []
        self._shown = 0
        #: The ids of the calls so far, those that are shown early as well.
        self._ids: list[str] = []
        #: The call that is shown while it is written, and a brace that may be its last one.
        self._open: CallStart | None = None
        self._held = ""
        #: Whether the turn is over, and whether it has begun.
        self.is_over = False
        self._is_begun = False

    def take(self, event: Mapping[str, Any]) -> list[Piece]:
        """Take an event, and return the pieces that it completes."""
        kind = event["type"]
        if kind == "metric":
            usage = event.get("step") or event["total"]
            return [Used(usage["input"], usage["output"])]
        if kind in ("user", "result"):
            return self.next_turn()
        if kind in ("think", "respond"):
            self._is_begun = True
            return self._take_text(event)
        if self.is_over:
            return []
        self._is_begun = True
        if kind == "call_delta":
            # What a text means is known when all of it has arrived.
            return self._take_delta(event) if self._toolset is None else []
        if kind == "call":
            self._take_call(event)
        if kind == "execute":
            return [*self._end_open(), *self._release(is_early=False), self._finish(*self._calls)]
        if kind in ("end", "cancelled"):
            return self.close()
        if kind == "interrupt":
            return self._break(_INTERRUPTED, "interrupt")
        if kind == "error" and event.get("code"):
            return self._break(event.get("content", ""), event["code"])
        return []

    def close(self, finish: Finish | None = None) -> list[Piece]:
        """End the turn, if it has not ended; `finish` is why it ends, if that is known."""
        if self.is_over:
            return self._end_open()
        if self._calls or self._shown:
            return self._break(_UNFINISHED, "unfinished")
        cut = None if finish is None or finish.by_model else finish
        return [*self._end_open(), self._finish(cut=cut)]

    def next_turn(self) -> list[Piece]:
        """End the turn, if one has begun, and begin another."""
        pieces = self.close() if self._is_begun else []
        self._calls_before += len(self._calls)
        self._begin()
        return pieces

    def _take_text(self, event: Mapping[str, Any]) -> list[Piece]:
        kind = event["type"]
        # An event without a segment is a whole segment, and continues no other.
        key = (kind, event.get("segment", object()))
        pieces: list[Piece] = []
        if self._text != key:
            pieces += self._end_open()
        if event["content"]:
            pieces.append(TextPiece(kind, event["content"], is_first=self._text is None))
            self._text = key
        if "segment" not in event or "done" in event:
            pieces += self._end_open()
        return pieces

    def _take_delta(self, event: Mapping[str, Any]) -> list[Piece]:
        index = event["index"]
        pieces: list[Piece] = []
        if self._open is None or self._open.number != index:
            if index != max(self._shown, len(self._calls)):
                # A call before it has no deltas and no event yet: all are shown when they may run.
                return []
            pieces = [*self._end_open(), *self._release(is_early=True)]
            self._open = CallStart(index, self._id_of(index, event), event["name"], is_early=True)
            self._shown += 1
            pieces.append(self._open)
        written = self._held + event["content"]
        # Without it, no client takes the last call for complete before it may run.
        self._held = "}" if written.endswith("}") else ""
        if shown := written.removesuffix(self._held):
            pieces.append(CallArgs(index, self._open.id, shown))
        return pieces

    def _take_call(self, event: Mapping[str, Any]) -> None:
        index = len(self._calls)
        own_id = self._id_of(index, event)
        (given,) = (event,) if self._toolset is None else self._toolset.typed((event,))
        self._calls.append(WholeCall(own_id, *name_and_args(given["content"])))

    def _id_of(self, index: int, event: Mapping[str, Any]) -> str:
        """Return the id of a call of this turn, which no other call of the conversation has."""
        if index == len(self._ids):
            wanted = event.get("id", f"call_{self._calls_before + index}")
            self._ids.append(self._distinct.id_of(str(wanted)))
        return self._ids[index]

    def _release(self, *, is_early: bool) -> list[Piece]:
        """Return the calls of which nothing was shown."""
        pieces: list[Piece] = []
        for index, call in enumerate(self._calls[self._shown :], self._shown):
            pieces.append(CallStart(index, call.id, call.name, is_early=is_early))
            pieces += CallArgs(index, call.id, call.args), CallEnd(index, call.id)
        self._shown = max(self._shown, len(self._calls))
        return pieces

    def _end_open(self) -> list[Piece]:
        if self._open is not None:
            call, self._open = self._open, None
            held, self._held = self._held, ""
            ends: list[Piece] = [CallArgs(call.number, call.id, held)] if held else []
            return [*ends, CallEnd(call.number, call.id)]
        if self._text is not None:
            (kind, _), self._text = self._text, None
            return [TextEnd(kind)]
        return []

    def _finish(self, *calls: WholeCall, cut: Finish | None = None) -> Finished:
        self.is_over = True
        return Finished(calls, cut)

    def _break(self, message: str, code: str) -> list[Piece]:
        self.is_over = True
        ends = self._end_open() if self._open is None else []
        self._open, self._held = None, ""
        return [*ends, Broken(message, code)]


def name_and_args(content: str) -> tuple[str, str]:
    """Return the name in the content of a `call` event, and the JSON text of its arguments."""
    texts = dict(members(content.strip(WHITE)))
    return json.loads(texts["name"]), texts.get("args", "{}")


class TurnWriter(ABC):
    """Writes one turn as the server of an API sends it; a subclass knows the API.

    `calls_before` and `toolset` are those of `Pieces`.  Without `think`, reasoning is left out.
    """

    def __init__(self, calls_before: int, toolset: Toolset | None, *, think: bool) -> None:
        self._events = TakenEvents()
        self._pieces = Pieces(calls_before, toolset)
        self._think = think
        self._is_begun = False
        self._is_closed = False
        self._used: Used | None = None
        self._finished: Finished | None = None
        #: Whether an event of the user or of tools has followed the turn.
        self._is_answered = False

    def take(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take an event, and return what it completes, as the server sends it.

        Raises `ValueError` for a text or a call of a later turn, which has an answer of its own,
        and for anything but an event.
        """
        event = self._events.read(event)
        if not self._pieces.is_over or event["type"] == "metric":
            return self._written(self._pieces.take(event))
        if event["type"] in ("user", "result"):
            self._is_answered = True
        elif event["type"] in _SHOWN and (self._is_answered or self._finished is not None):
            raise ValueError(
                f"this {event['type']} is of a later turn: begin a stream for each turn"
            )
        return []

    def close(self, finish: Finish | None = None) -> list[dict[str, Any]]:
        """End the turn, and return the last of it, which has its usage.

        `finish` is why it ends, if that is known.
        """
        if self._is_closed:
            return []
        self._is_closed = True
        return [*self._written(self._pieces.close(finish)), *self._end()]

    def _written(self, pieces: Iterable[Piece]) -> list[dict[str, Any]]:
        written: list[dict[str, Any]] = []
        for piece in pieces:
            if isinstance(piece, Used):
                self._used = piece
            elif self._think or not isinstance(piece, TextPiece | TextEnd) or piece.kind != "think":
                written += self._write(piece)
            if isinstance(piece, Finished):
                self._finished = piece
        if not self._is_begun and (written or self._pieces.is_over):
            self._is_begun = True
            return [*self._begin(), *written]
        return written

    @abstractmethod
    def _begin(self) -> Iterable[dict[str, Any]]:
        """Return what comes before everything else."""

    @abstractmethod
    def _write(self, piece: Piece) -> Iterable[dict[str, Any]]:
        """Return what a piece is written as."""

    @abstractmethod
    def _end(self) -> Iterable[dict[str, Any]]:
        """Return what comes after everything else."""


class _TurnWriter(Protocol[T]):
    def take(self, event: Mapping[str, Any]) -> list[T]: ...

    def close(self, finish: Finish | None = None) -> list[T]: ...


def streamed(writer: _TurnWriter[T], events: Iterable[Mapping[str, Any]]) -> Iterator[T]:
    """Yield what a writer of a stream returns for these events, as they arrive.

    An `EventStream` knows at its end why the turn ended.
    """
    for event in events:
        yield from writer.take(event)
    yield from writer.close(events.finish if isinstance(events, EventStream) else None)


# -- The turns of a history -----------------------------------------------------------------------

#: What the model reads about a void block, before the error's message.
_VOID: Final = "None of the calls in your last message has run: send all of them again."
#: The same if the user stopped the turn, who does not want these calls again.
_CANCELLED: Final = "None of the calls in your last message has run."


class ShownCall(NamedTuple):
    """A call that may be shown."""

    place: int
    id: str
    name: str
    #: The JSON text of its arguments: as the model wrote it, or with the types of a toolset.
    args: str
    #: `None` while it may still arrive.
    outcome: CallOutcome | None
    changes: Changes

    def values(self) -> dict[str, Any]:
        """Return its arguments as values."""
        value, is_kept = value_of(self.args)
        if not is_kept:
            message = "a number of the arguments is spelled otherwise"
            self.changes.note(self.place, "retyped", message)
        return dict(value)

    def answer(self) -> str | None:
        """Return the text that expresses its outcome, if it has one."""
        if self.outcome is None:
            return None
        text, is_kept = spelled_outcome(self.outcome)
        if not is_kept:
            self.changes.note(self.place, "retyped", "the result is written as text")
        return text

    def sent(self) -> tuple[str, bool] | None:
        """Return the text of its outcome, if it has one, and whether it is a failure's message."""
        if self.outcome is not None and self.outcome.status == "failure":
            return plain_text(self.outcome.content), True
        text = self.answer()
        return None if text is None else (text, False)


class ShownTurn(NamedTuple):
    """A user's text, or a turn of the model with the answers of its calls."""

    role: Literal["user", "assistant"]
    #: None of them is empty.
    texts: list[TurnText]
    calls: list[ShownCall]
    #: What the model reads about a block that was void.
    void: str | None
    changes: Changes

    def joined(self, kind: Literal["think", "respond"]) -> str:
        """Return the texts of one kind as one."""
        texts = [text for text in self.texts if text["type"] == kind]
        for text in texts[1:]:
            message = "this is joined to the text of its kind before it"
            self.changes.note(text["index"], "joined", message)
        return JOINT.join(text["content"] for text in texts)

    def note_moved(self) -> None:
        """Note reasoning after prose, which will be read before it."""
        is_after = False
        for text in self.texts:
            if is_after and text["type"] == "think":
                message = "this came after prose, and is written before it"
                self.changes.note(text["index"], "moved", message)
            is_after = is_after or text["type"] == "respond"


def shown_turns(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect,
    report: list[Change] | None,
    *,
    strict: bool,
    longest_id: int = 40,
    any_name: bool = False,
) -> Iterator[ShownTurn]:
    """Yield the turns of a history, and at last report what APIs do not see of them.

    If `dialect` is a toolset, arguments that are text have the types that it declares.  With
    `any_name` calls keep names that APIs refuse.
    """
    changes = Changes()
    ids = _Distinct(longest_id)
    given: list[Any] = list(events)
    # A toolset may be that of a vendored copy.
    retyped: Any = getattr(dialect, "typed", None)
    typed = list(retyped(given)) if retyped else given
    # With `strict` being false there may be other values, which are passed over.
    kinds = [str(event.get("type")) if isinstance(event, Mapping) else "" for event in given]
    try:
        turns = exchanges(typed, dialect, report=changes.entries, strict=strict)
    except RecursionError:
        raise ValueError("an event is nested too deeply to be decoded") from None
    for turn in turns:
        void = _void(turn, kinds, changes)
        calls = [
            ShownCall(
                call["index"],
                _id_of(call, ids, changes),
                call["name"] if any_name else _name_of(call, changes),
                call["args"] if typed is given else _args_of(call, given, changes),
                _outcome(call, changes),
                changes,
            )
            for call in turn["calls"]
            if call["status"] != "void"
        ]
        if turn["surplus"]:
            message = f"{len(turn['surplus'])} results without a call are left out"
            changes.note(_first({"result"}, turn, kinds), "surplus", message)
        yield ShownTurn(turn["role"], list(_texts(turn, calls, changes)), calls, void, changes)
    for index, kind in enumerate(kinds):
        if kind == "cancelled":
            changes.note(index, "dropped", "that the user stopped the turn has no place here")
    changes.give(report)


def _texts(turn: Exchange, calls: list[ShownCall], changes: Changes) -> Iterator[TurnText]:
    for text in turn["texts"]:
        if not text["content"].strip(WHITE):
            changes.note(text["index"], "dropped", "there is no text, and nothing is written")
            continue
        if calls and calls[0].place < text["index"]:
            message = "this came after a call, and is written before it"
            changes.note(text["index"], "moved", message)
        yield {**text, "content": changes.sendable(text["index"], text["content"])}


def _first(wanted: set[str], turn: Exchange, kinds: list[str]) -> int:
    """Return the index of the first event in or after a turn that has a wanted type."""
    places = range(turn["index"], len(kinds))
    return next(place for place in places if kinds[place] in wanted)


def _void(turn: Exchange, kinds: list[str], changes: Changes) -> str | None:
    """Return what the model reads about a block that was void, if it was."""
    for call in turn["calls"]:
        if call["status"] == "void":
            changes.note(call["index"], "void", "this call never ran, and is left out")
    if turn["void"] is None:
        return None
    place = _first({"error", "result"}, turn, kinds)
    changes.note(place, "void", "the answer to a void block is written as a user's text")
    # The user may have stopped the turn before or after it was answered.
    end = takewhile(lambda kind: kind not in ("user", "think", "respond", "call"), kinds[place:])
    first = _CANCELLED if "cancelled" in end else _VOID
    return f"{first} {changes.sendable(turn['index'], turn['void'])}".rstrip()


def _args_of(call: TurnCall, events: Sequence[Mapping[str, Any]], changes: Changes) -> str:
    """Return the arguments of a call, which the model wrote as in `events`."""
    written = name_and_args(events[call["index"]]["content"])[1]
    if {*_NUMBER.findall(call["args"])} - {*_NUMBER.findall(written)}:
        changes.note(call["index"], "retyped", "a number is spelled otherwise than the model did")
    return call["args"]


def _outcome(call: TurnCall, changes: Changes) -> CallOutcome | None:
    """Return the outcome that an API sees of a call."""
    outcome = known_outcome(call, changes)
    if call["status"] == "mismatch":
        changes.note(call["index"], "mismatch", "the returned value is not a result of this call")
    elif outcome is None and call["status"] != "open":
        changes.note(call["index"], "orphan", "no result was returned: it is written as cancelled")
        return failure(CANCELLED)
    return outcome


def known_outcome(call: TurnCall, changes: Changes) -> CallOutcome | None:
    """Return the outcome of a call, if one was returned; a mismatch is a value."""
    if call["content"] is None:
        return None
    content = changes.sendable_json(call["index"], call["content"])
    return CallOutcome("failure" if call["status"] == "failure" else "success", content)


def _name_of(call: TurnCall, changes: Changes) -> str:
    """Return the name of the tool that a call is for, as APIs accept it."""
    name = NOT_IN_NAMES.sub("_", call["name"])[:LONGEST_NAME]
    if name != call["name"]:
        message = (
            f"the name {short_repr(call['name'])} is written as {name}: no tool may be called that"
        )
        changes.note(call["index"], "retyped", message)
    return name


class _Distinct:
    """Ids, none of which is given twice: where one is wanted again, a number follows it."""

    def __init__(self, longest: int | None = None) -> None:
        self._longest = longest
        self._ids: set[str] = set()
        #: How often each id was used, which is the number that makes the next one distinct.
        self._given: dict[str, int] = {}

    def id_of(self, wanted: str) -> str:
        """Return the id that is wanted, or one like it that is free."""
        base = wanted[: self._longest]
        found, number = base, self._given.get(base, 1)
        while found in self._ids:
            number += 1
            end = f"_{number}"
            found = (base if self._longest is None else base[: self._longest - len(end)]) + end
        self._given[base] = number
        self._ids.add(found)
        return found


def _id_of(call: TurnCall, ids: _Distinct, changes: Changes) -> str:
    """Return the id of a call as an API accepts it, which no other call of the history has."""
    found = ids.id_of(NOT_IN_NAMES.sub("_", call["id"]) or "_")
    if found != call["id"]:
        message = f"the id {short_repr(call['id'])} is written as {found}"
        changes.note(call["index"], "retyped", message)
    return found
