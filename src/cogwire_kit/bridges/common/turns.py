# SPDX-License-Identifier: MIT
"""A live turn, for all bridges, in the steps that streaming APIs have.

Laws: a call that must not run is never finished as a call that may.  Calls are shown when their
`execute` arrives; those that are shown earlier, because the parser emits `call_delta` events, end
as `Broken` if it does not, and the last of them ends, and has its last brace, only if it does.
Calls begin in the model's order, which is that of `Finished`.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from cogwire import EventStream, Finish, Toolset, exchanges
from cogwire.tooling import WHITE, members, notation
from cogwire_kit.bridges.common.outcomes import string
from cogwire_kit.bridges.common.taken import TakenEvents
from cogwire_kit.bridges.common.tools import Distinct

T = TypeVar("T")

#: The events of a turn that its reader is shown.
_SHOWN: Final = frozenset({"think", "respond", "call", "call_delta"})


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
        self._distinct = Distinct()
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
            return self.next_turn(event)
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
        if kind == "execute" and self._shown > len(self._calls):
            # A program has left out a call of which a part was shown.
            return self._break(_UNFINISHED, "unfinished")
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

    def next_turn(self, answer: Mapping[str, Any]) -> list[Piece]:
        """End the turn, if one has begun, as `answer` does, and begin another."""
        pieces = self.answer(answer)
        self._calls_before += len(self._calls)
        self._begin()
        return pieces

    def answer(self, answer: Mapping[str, Any]) -> list[Piece]:
        """End the turn, if one has begun, with an event of the user or of tools.

        A result shows that its calls have run, since no `execute` is stored.
        """
        if self.is_over or not self._calls or answer["type"] == "user":
            return self.close() if self._is_begun else []
        calls = (f'{{"name": {string(name)}, "args": {args}}}' for _, name, args in self._calls)
        (turn,) = exchanges([*({"type": "call", "content": each} for each in calls), answer])
        return self.close() if turn["void"] is not None else self.take({"type": "execute"})

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
        (typed,) = (event,) if self._toolset is None else self._toolset.typed((event,))
        self._calls.append(WholeCall(own_id, *name_and_args(typed["content"])))

    def _id_of(self, index: int, event: Mapping[str, Any]) -> str:
        """Return the id of a call of this turn, which no other call of the conversation has."""
        if index == len(self._ids):
            wanted = event.get("id", f"call_{self._calls_before + index}")
            self._ids.append(self._distinct.id_of(str(wanted)))
        return self._ids[index]

    def _release(self, *, is_early: bool) -> list[Piece]:
        """Return the calls that have not been shown at all."""
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
        if event["type"] in ("user", "result"):
            written = self._written(self._pieces.answer(event))
            self._is_answered = self._pieces.is_over
            return written
        if not self._pieces.is_over or event["type"] == "metric":
            return self._written(self._pieces.take(event))
        if event["type"] in _SHOWN and (self._is_answered or self._finished is not None):
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
        """Return what the API sends first."""

    @abstractmethod
    def _write(self, piece: Piece) -> Iterable[dict[str, Any]]:
        """Return what the API sends for a piece."""

    @abstractmethod
    def _end(self) -> Iterable[dict[str, Any]]:
        """Return what the API sends last."""


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
