# SPDX-License-Identifier: MIT
"""The outcomes of the calls of a history.

Rules: spec/messages.md, "Exchanges".
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from ..text.json_text import member, members
from ..wire.blocks.values import is_mapping
from ..wire.dialects import HasDialect, dialect_named
from .changes import Change, Noted, report_of
from .history import Call, Steps, Turn, stored_call
from .results import Result, is_outcome, read_result, without_skipped
from .storage import Numbered, is_void_answer, refused, skipping

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


class Exchange(TypedDict):
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
) -> list[Exchange]:
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
    refuse = refused if strict else skipping(noted)
    steps = Steps(wire.frame, stored_call, refuse, is_live=True)
    read = [over for over in map(steps.take, events) if over is not None]
    if steps.last is not None:
        read.append(steps.last)
    if report is not None:
        report += report_of(noted)
    numbers = itertools.count()
    return [
        _model_exchange(without_skipped(step), numbers)
        if isinstance(step, Turn)
        else _texts_alone("user", [step])
        for step in read
    ]


def _texts_alone(role: Literal["user", "assistant"], events: Sequence[Numbered]) -> Exchange:
    """Return an exchange with the texts of `events`, and nothing else."""
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


def _model_exchange(turn: Turn, numbers: Iterator[int]) -> Exchange:
    """Return the exchange of a turn of the model; `numbers` numbers all calls of the history."""
    events = turn.events()
    answer = turn.answer
    exchange = _texts_alone("assistant", [*events, answer] if answer else events)
    exchange["cancelled"] = turn.cancelled
    for _, error in turn.errors:
        exchange["void"] = error.get("content", "")
    calls = turn.valid_calls
    rest: Status = "missing" if turn.is_over or answer else "open"
    if turn.cancelled:
        rest = "cancelled"
    outcomes: dict[int, _Outcome] = {call.index: (rest, None) for call in calls}
    if answer is not None:
        index, event = answer
        result = read_result(index, event["content"])
        if turn.stop != "execute" and is_void_answer(result.items):
            exchange["void"] = _message(result, exchange["void"] or "")
            outcomes = {}
        else:
            answered = calls[result.first_of(calls) :]
            texts = result.texts()
            outcomes |= _outcomes(result, texts, answered)
            exchange["surplus"] = texts[len(answered) :]
    ids = {
        index: str(event.get("id", f"call_{next(numbers)}"))
        for index, event in events
        if event["type"] == "call"
    }
    for call in turn.calls:
        status, content = outcomes.get(call.index, ("void", None))
        exchange["calls"].append(
            {
                "id": ids[call.index],
                "index": call.index,
                "name": call.tool,
                "args": call.args,
                "status": status,
                "content": content,
            }
        )
    return exchange


def _message(result: Result, other: str) -> str:
    """Return the message of the one failure in `result`, or another one where it has none."""
    content = next((each.get("content") for each in result.items if is_mapping(each)), None)
    return content if isinstance(content, str) else other


def _outcomes(result: Result, texts: Sequence[str], calls: Sequence[Call]) -> dict[int, _Outcome]:
    """Return the outcomes of `calls`, which `result` answers with `texts`, by their index."""
    outcomes: dict[int, _Outcome] = {}
    for call, item, text in zip(calls, result.items, texts, strict=False):
        if not result.is_array:
            outcomes[call.index] = "success", text
        elif is_outcome(item, call.tool):
            status: Status = "success" if item["status"] == "success" else "failure"
            is_sound = result.is_sound
            own = member(text, "content", item) if is_sound else dict(members(text))["content"]
            outcomes[call.index] = status, own
        else:
            outcomes[call.index] = "mismatch", text
    return outcomes
