# SPDX-License-Identifier: MIT
"""A history in the form of chat APIs: turns, and each call with its answer.

`exchanges` returns the outcomes of the calls; this module decides, for all bridges, how an API sees
them.  A call of a void block is never shown.  A call that any event has followed is always
answered, because every API refuses a history with an unanswered call.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from cogwire import Turn, TurnCall, TurnText, exchanges
from cogwire.tooling import CANCELLED, WHITE
from cogwire_kit.bridges._changes import Changes
from cogwire_kit.bridges._outcomes import Outcome, failure, string
from cogwire_kit.bridges._pieces import WholeCall

#: The message for a void block whose error has none.
_VOID: Final = "The block of calls broke a rule, so nothing in it has run."
#: The characters that every API accepts in the names of tools and in the ids of calls.
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")


class Call(NamedTuple):
    """A call that may be shown."""

    place: int
    id: str
    name: str
    #: The JSON text of its arguments, as the model wrote it.
    args: str
    #: `None` while it may still arrive.
    outcome: Outcome | None


class ShownTurn(NamedTuple):
    """A user's text, or a turn of the model with the answers of its calls."""

    role: Literal["user", "assistant"]
    place: int
    #: None of them is empty.
    texts: list[TurnText]
    calls: list[Call]
    #: What the model reads about a block that was void.
    void: str | None


def shown_turns(
    events: Iterable[Mapping[str, object]],
    dialect: str,
    changes: Changes,
    names: "Names",
    *,
    strict: bool,
) -> Iterator[ShownTurn]:
    """Yield the turns of a history, and note what APIs do not see of them."""
    given: list[Any] = list(events)
    kinds = [event.get("type") if isinstance(event, Mapping) else None for event in given]
    try:
        turns = exchanges(given, dialect, report=changes.entries, strict=strict)
    except RecursionError:
        raise ValueError("an event is nested too deeply to be decoded") from None
    for turn in turns:
        void = _void(turn, kinds, changes)
        calls = [
            Call(
                call["index"],
                names.id_of(call, changes),
                names.name_of(call, changes),
                call["args"],
                _outcome(call, changes),
            )
            for call in turn["calls"]
            if call["status"] != "void"
        ]
        if turn["surplus"]:
            message = f"{len(turn['surplus'])} results without a call are left out"
            changes.note(_first({"result"}, turn, kinds), "surplus", message)
        yield ShownTurn(
            turn["role"], turn["index"], list(_texts(turn, calls, changes)), calls, void
        )
    for index, kind in enumerate(kinds):
        if kind == "cancelled":
            changes.note(index, "dropped", "that the user stopped the turn has no place here")


def _texts(turn: Turn, calls: list[Call], changes: Changes) -> Iterator[TurnText]:
    for text in turn["texts"]:
        if not text["content"].strip(WHITE):
            changes.note(text["index"], "dropped", "there is no text, and nothing is written")
            continue
        if calls and calls[0].place < text["index"]:
            message = "this came after a call, and is written before it"
            changes.note(text["index"], "moved", message)
        yield {**text, "content": changes.text(text["index"], text["content"])}


def _first(wanted: set[str], turn: Turn, kinds: list[object]) -> int:
    """Return the index of the first event in or after a turn that has a wanted type."""
    places = range(turn["index"], len(kinds))
    return next(place for place in places if kinds[place] in wanted)


def _void(turn: Turn, kinds: list[object], changes: Changes) -> str | None:
    """Return what the model reads about a block that was void, if it was."""
    for call in turn["calls"]:
        if call["status"] == "void":
            changes.note(call["index"], "void", "this call never ran, and is left out")
    if turn["void"] is None:
        return None
    place = _first({"error", "result"}, turn, kinds)
    changes.note(place, "void", "the answer to a void block is written as a user's text")
    return changes.text(turn["index"], turn["void"]) or _VOID


def _outcome(call: TurnCall, changes: Changes) -> Outcome | None:
    """Return the outcome that an API sees of a call."""
    outcome = _known(call, changes)
    if call["status"] == "mismatch":
        changes.note(call["index"], "mismatch", "the returned value is not a result of this call")
    elif outcome is None and call["status"] != "open":
        changes.note(call["index"], "orphan", "no result was returned: it is written as cancelled")
        return failure(CANCELLED)
    return outcome


def _known(call: TurnCall, changes: Changes) -> Outcome | None:
    """Return the outcome of a call, if one was returned; a mismatch is a value."""
    if call["content"] is None:
        return None
    content = changes.json(call["index"], call["content"])
    return Outcome("failure" if call["status"] == "failure" else "success", content)


def outcomes_of(calls: Sequence[WholeCall], results: str) -> list[Outcome | None]:
    """Return the outcomes of the calls of a block, given the content of its result."""
    events: list[Mapping[str, object]] = [
        {"type": "call", "content": f'{{"name": {string(call.name)}, "args": {call.args}}}'}
        for call in calls
    ]
    events += {"type": "execute"}, {"type": "result", "content": results}
    (turn,) = exchanges(events)
    return [_known(call, Changes()) for call in turn["calls"]]


class Names:
    """Ids and names that an API accepts: a few letters, digits, hyphens and underscores."""

    def __init__(self, longest_id: int, longest_name: int) -> None:
        self._longest_id = longest_id
        self._longest_name = longest_name
        self._ids: set[str] = set()
        #: How often each id was used, which is the number that makes the next one distinct.
        self._given: dict[str, int] = {}

    def id_of(self, call: TurnCall, changes: Changes) -> str:
        """Return the id of a call, which no other call of the history has."""
        base = _NOT_IN_NAMES.sub("_", call["id"])[: self._longest_id] or "_"
        found, number = base, self._given.get(base, 1)
        while found in self._ids:
            number += 1
            end = f"_{number}"
            found = base[: self._longest_id - len(end)] + end
        self._given[base] = number
        self._ids.add(found)
        if found != call["id"]:
            changes.note(call["index"], "retyped", f"the id {call['id']!r} is written as {found}")
        return found

    def name_of(self, call: TurnCall, changes: Changes) -> str:
        """Return the name of the tool that a call is for."""
        name = _NOT_IN_NAMES.sub("_", call["name"])[: self._longest_name]
        if name != call["name"]:
            message = f"the name {call['name']!r} is written as {name}: no tool may be called that"
            changes.note(call["index"], "retyped", message)
        return name

    def require(self, name: str) -> str:
        """Return the name of a tool; `ValueError` if the API refuses it."""
        if _NOT_IN_NAMES.search(name) or len(name) > self._longest_name:
            raise ValueError(
                f"tool {name!r}: its name must be of at most {self._longest_name} letters, digits, "
                "hyphens and underscores"
            )
        return name
