# SPDX-License-Identifier: MIT
"""The outcomes of the calls of a history.

Rules: spec/messages.md, "Exchanges".
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from ..text.json_text import members
from ..wire.dialects import HasDialect, dialect_named
from .batches import Result, is_outcome, read_result, without_skipped
from .calls import Call, stored_call
from .changes import Change, Noted, noting, report_of
from .exchanges import Exchange, Step, Steps
from .replays import valid_calls
from .storage import Numbered, is_members, is_void_answer

Status = Literal["success", "failure", "mismatch", "open", "missing", "cancelled", "void"]
_Outcome = tuple[Status, str | None]


class TurnText(TypedDict):
    """Text of a turn: prose, or thinking."""

    #: The index of the event in the input; for deltas, of the first one.
    index: int
    #: Whose text it is: the user's, or the model's thinking or prose.
    type: Literal["user", "think", "respond"]
    #: The text, verbatim.
    content: str


class TurnCall(TypedDict):
    """A call of a turn, and its outcome."""

    #: The `id` of its event, or `call_` and the number of calls before it.
    id: str
    #: The index of the event in the input.
    index: int
    #: The tool that is called.
    name: str
    #: The JSON text of its arguments, verbatim; `{}` if the call has none.
    args: str
    #: Its outcome; only a `success` and a `failure` have a result.
    status: Status
    #: The JSON text of the result's content for a `success` or a `failure`, of the whole item for a
    #: `mismatch`.  Other calls have none.
    content: str | None


class Turn(TypedDict):
    """A user's text, or a turn of the model with the results of its calls."""

    #: Whose turn it is.
    role: Literal["user", "assistant"]
    #: The index of its first event in the input.
    index: int
    #: Its text.
    texts: list[TurnText]
    #: Its calls, in their order.
    calls: list[TurnCall]
    #: The JSON texts of results that answer no call.
    surplus: list[str]
    #: Whether the user stopped it.
    cancelled: bool
    #: The error message for the model, if the turn broke a rule.
    void: str | None


def exchanges(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[Turn]:
    """Return the turns of a history, each call with its outcome.

    `events` may come from memory or from storage, which does not keep everything: neither where a
    turn without results ends, nor that a block is void if no answer was stored.  Appending an event
    changes at most the last turn, and never an `id`.  So ids are not made unique: an event may have
    the `id` `call_0`, which another call has by its number, or that of another event.

    An outcome is never guessed.  The `status` of a call is that of its result, or

    - `mismatch`: the item in the place of its result does not answer it.
    - `open`: no event has followed.  It may be running, or still being written: only an `execute`
      means that a call may run.
    - `missing`: an event has followed, but no result.
    - `cancelled`: the user stopped the turn, and no result arrived.
    - `void`: its block broke a rule; it did not run, and must not be shown as a call that did.

    Raises `ValueError`, naming the index, for anything but an event, and for a malformed call;
    without `strict` it is left out, a call with its result, and is `skipped` in `report`.
    """
    noted: list[Noted] = []
    wire = dialect_named(dialect)
    skip = None if strict else noting(noted)
    steps = Steps(wire.frame, stored_call, skip, is_live=True)
    read = [over for over in map(steps.take, events) if over is not None]
    if steps.last is not None:
        read.append(steps.last)
    if report is not None:
        report += report_of(noted)
    numbers = itertools.count()
    return [_turn(step, numbers) for step in read]


def _turn(step: Step, numbers: Iterator[int]) -> Turn:
    if isinstance(step, Exchange):
        return _model_turn(without_skipped(step), numbers)
    return _text_turn("user", [step])


def _text_turn(role: Literal["user", "assistant"], events: Sequence[Numbered]) -> Turn:
    """Return a turn with the texts of `events`."""
    texts: list[TurnText] = [
        {"index": index, "type": event["type"], "content": event["content"]}
        for index, event in events
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond"
    ]
    index, _ = events[0]
    return {
        "role": role,
        "index": index,
        "texts": texts,
        "calls": [],
        "surplus": [],
        "cancelled": False,
        "void": None,
    }


def _model_turn(exchange: Exchange, numbers: Iterator[int]) -> Turn:
    """Return a turn of the model; `numbers` numbers all calls of the history."""
    events = exchange.turn()
    answer = exchange.answer
    turn = _text_turn("assistant", [*events, answer] if answer else events)
    turn["cancelled"] = exchange.cancelled
    for _, error in exchange.errors:
        turn["void"] = error.get("content", "")
    calls = valid_calls(exchange)
    rest: Status = "missing" if exchange.is_over or answer else "open"
    if exchange.cancelled:
        rest = "cancelled"
    outcomes: dict[int, _Outcome] = {call.index: (rest, None) for call in calls}
    if answer is not None:
        index, event = answer
        result = read_result(index, event["content"])
        if exchange.stop != "execute" and is_void_answer(result.items):
            turn["void"] = _message(result)
            outcomes = {}
        else:
            answered = calls[result.first_of(calls) :]
            outcomes |= _outcomes(result, answered)
            turn["surplus"] = result.texts()[len(answered) :]
    ids = {
        index: str(event.get("id", f"call_{next(numbers)}"))
        for index, event in events
        if event["type"] == "call"
    }
    for call in exchange.calls:
        status, content = outcomes.get(call.index, ("void", None))
        turn["calls"].append(_turn_call(call, ids[call.index], status, content))
    return turn


def _message(result: Result) -> str:
    """Return the message of the one failure in `result`."""
    (item,) = result.items
    content = item.get("content") if is_members(item) else None
    return content if isinstance(content, str) else ""


def _outcomes(result: Result, calls: Sequence[Call]) -> dict[int, _Outcome]:
    """Return the outcomes of `calls`, which `result` answers, by their index."""
    outcomes: dict[int, _Outcome] = {}
    for call, item, text in zip(calls, result.items, result.texts(), strict=False):
        if not result.is_array:
            outcomes[call.index] = "success", text
        elif is_outcome(item, call.tool):
            status: Status = "success" if item["status"] == "success" else "failure"
            outcomes[call.index] = status, dict(members(text))["content"]
        else:
            outcomes[call.index] = "mismatch", text
    return outcomes


def _turn_call(call: Call, name: str, status: Status, content: str | None) -> TurnCall:
    return {
        "id": name,
        "index": call.index,
        "name": call.tool,
        "args": call.args,
        "status": status,
        "content": content,
    }
