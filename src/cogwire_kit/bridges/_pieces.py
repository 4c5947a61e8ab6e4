# SPDX-License-Identifier: MIT
"""A turn while it is written, in the steps that streaming APIs have for one.

Laws: a call that must not run is never finished as a call that may.  Calls are shown when their
`execute` arrives; those that are shown earlier, because the parser emits `call_delta` events, end
as `Broken` if it does not.  Calls begin in the model's order, which is that of `Finished`.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from cogwire import Toolset
from cogwire_kit.bridges._calling import name_and_args


class Text(NamedTuple):
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


class Broken(NamedTuple):
    """None of the calls of the turn may run.  It has ended, except for texts that may follow."""

    message: str
    code: str


class Used(NamedTuple):
    """The usage of the turn, in tokens."""

    input: int
    output: int


Piece = Text | TextEnd | CallStart | CallArgs | CallEnd | Finished | Broken | Used

#: Messages for turns that end early, so that their calls may not run.
_UNFINISHED: Final = "The turn ended before its calls could run."
_INTERRUPTED: Final = "The stream was interrupted before the turn ended."


class Pieces:
    """Takes the events of a conversation; each turn ends with `Finished` or `Broken`.

    `calls_before` is the number of calls in the history before the first event, which makes the ids
    of calls those of `cogwire.exchanges`.  With a `toolset` whose dialect has arguments that are
    text, whole calls have arguments of the declared types.
    """

    def __init__(self, calls_before: int = 0, toolset: Toolset | None = None) -> None:
        self._calls_before = calls_before
        self._toolset = toolset
        self._begin()

    def _begin(self) -> None:
        self._text: tuple[Literal["think", "respond"], object] | None = None
        #: The calls whose `call` event has arrived, and how many calls have been shown.
        self._calls: list[WholeCall] = []
        self._shown = 0
        #: The call that is shown while it is written.
        self._open: CallStart | None = None
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
            return self._take_delta(event)
        if kind == "call":
            return self._take_call(event)
        if kind == "execute":
            return [*self._end_open(), *self._release(is_early=False), self._finish(*self._calls)]
        if kind == "end" or kind == "cancelled":  # noqa: PLR1714 (two reasons)
            return self.close()
        if kind == "interrupt":
            return self._break(_INTERRUPTED, "interrupt")
        if kind == "error" and event.get("code"):
            return self._break(event.get("content", ""), event["code"])
        return []

    def close(self) -> list[Piece]:
        """End the turn, if it has not ended."""
        if self.is_over:
            return self._end_open()
        if self._calls or self._shown:
            return self._break(_UNFINISHED, "unfinished")
        return [*self._end_open(), self._finish()]

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
            pieces.append(Text(kind, event["content"], is_first=self._text is None))
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
            self._open = CallStart(index, self._id_of(index), event["name"], is_early=True)
            self._shown += 1
            pieces.append(self._open)
        if event["content"]:
            pieces.append(CallArgs(index, self._open.id, event["content"]))
        return pieces

    def _take_call(self, event: Mapping[str, Any]) -> list[Piece]:
        index = len(self._calls)
        own_id = self._id_of(index)
        is_shown = index < self._shown
        if not is_shown:
            own_id = str(event.get("id", own_id))
        self._calls.append(WholeCall(own_id, *name_and_args(event["content"], self._toolset)))
        return self._end_open() if is_shown else []

    def _id_of(self, index: int) -> str:
        return f"call_{self._calls_before + index}"

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
            return [CallEnd(call.number, call.id)]
        if self._text is not None:
            (kind, _), self._text = self._text, None
            return [TextEnd(kind)]
        return []

    def _finish(self, *calls: WholeCall) -> Finished:
        self.is_over = True
        return Finished(calls)

    def _break(self, message: str, code: str) -> list[Piece]:
        self.is_over = True
        ends = self._end_open() if self._open is None else []
        self._open = None
        return [*ends, Broken(message, code)]
