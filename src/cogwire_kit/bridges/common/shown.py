# SPDX-License-Identifier: MIT
"""The turns of a history, as APIs are shown them, for all bridges.

Law: a call of a void block is never shown, and a call that any event has followed is always
answered, because every API refuses a history with an unanswered call.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, Literal, NamedTuple

from cogwire import Change, Exchange, TurnCall, TurnText, exchanges
from cogwire.tooling import CANCELLED, WHITE, HasDialect, short_repr
from cogwire_kit.bridges.common.changes import JOINT, Changes
from cogwire_kit.bridges.common.outcomes import (
    CallOutcome,
    failure,
    plain_text,
    spelled_outcome,
    value_of,
)
from cogwire_kit.bridges.common.tools import LONGEST_NAME, NOT_IN_NAMES, Distinct
from cogwire_kit.bridges.common.turns import name_and_args

#: A number in a JSON text, or in a string of one.
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
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
        """Return the outcome as text, if there is one."""
        if self.outcome is None:
            return None
        text, is_kept = spelled_outcome(self.outcome)
        if not is_kept:
            self.changes.note(self.place, "retyped", "the result is written as text")
        return text

    def sent(self) -> tuple[str, bool] | None:
        """Return the outcome as text, if there is one, and whether it is a failure's message."""
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
    ids = Distinct(longest_id)
    stored: list[Any] = list(events)
    # A toolset may be that of a vendored copy.
    retyped: Any = getattr(dialect, "typed", None)
    typed = list(retyped(stored)) if retyped else stored
    # With `strict` being false there may be other values, which are passed over.
    kinds = [str(event.get("type")) if isinstance(event, Mapping) else "" for event in stored]
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
                call["args"] if typed is stored else _args_of(call, stored, changes),
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
    """Return the outcome of a call as an API is shown it."""
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
    """Return the name of a call's tool in a form that APIs accept."""
    name = NOT_IN_NAMES.sub("_", call["name"])[:LONGEST_NAME]
    if name != call["name"]:
        message = (
            f"the name {short_repr(call['name'])} is written as {name}: no tool may be called that"
        )
        changes.note(call["index"], "retyped", message)
    return name


def _id_of(call: TurnCall, ids: Distinct, changes: Changes) -> str:
    """Return an id that APIs accept and that no other call of the history has."""
    found = ids.id_of(NOT_IN_NAMES.sub("_", call["id"]) or "_")
    if found != call["id"]:
        message = f"the id {short_repr(call['id'])} is written as {found}"
        changes.note(call["index"], "retyped", message)
    return found
