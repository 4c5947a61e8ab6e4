# SPDX-License-Identifier: MIT
"""The normal form, in which replies are compared (spec/adapter.md, "Comparing").

Two implementations may word their messages and cut their deltas differently without either being
wrong.  What is left of a reply here is what a case expects: `events`, `state`, `discarded`, …
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from cogwire_kit.conformance.corpus import Case, Input, expanded
from cogwire_kit.conformance.shapes import OF_ERRORS

Event = dict[str, Any]
Outcome = dict[str, Any]

#: Members of an event that say how it arrived, not what it is.
_HOW: Final = ("segment", "done", "timestamp")


class FaultError(Exception):
    """The reply is not one of this protocol, so that nothing is known about the parser."""


@dataclass(frozen=True)
class Form:
    """How an adapter counts, and what its parser lacks (spec/adapter.md, "What is lacking")."""

    unit: str = "codepoint"
    lacks: frozenset[str] = frozenset()

    def outcome(self, value: Outcome) -> Outcome:
        """Return an outcome of a parse without what the parser lacks."""
        if not self.lacks:
            return value
        if "turns" in value:
            return {"turns": [self.outcome(turn) for turn in value["turns"]]}
        kept = {name: member for name, member in value.items() if name not in self.lacks}
        return kept | ({"events": self.events(value["events"])} if "events" in value else {})

    def events(self, events: list[Event]) -> list[Event]:
        """Return events without what the parser lacks."""
        return [self._event(event) for event in events] if self.lacks else events

    def _event(self, event: Event) -> Event:
        if event["type"] == "error":
            lacking = {OF_ERRORS.get(name) for name in self.lacks}
            return {name: member for name, member in event.items() if name not in lacking}
        if event["type"] == "call" and "verbatim-calls" in self.lacks:
            return {**event, "content": _call(event["content"])}
        return event


def _call(text: str) -> str:
    """Return the name and the arguments of a call, in one spelling; or `text` if it is none."""
    try:
        # As doubles, which is what most readers of JSON make of numbers.
        call = json.loads(text, parse_int=float)
        return json.dumps({"name": call["name"], "args": call.get("args", {})}, sort_keys=True)
    except (ValueError, TypeError, KeyError, AttributeError):
        return text


def outcome(case: Case, reply: dict[str, Any], form: Form = Form()) -> Outcome:
    """Return what `reply` gives for `case`, in the shape of the case's `expect`.

    Raises:
        FaultError: the reply lacks a member that its op demands, or one is of the wrong type.
    """
    if "refused" in reply:
        return {"refused": True}
    try:
        if case.op != "parse":
            return _normal(case, {name: reply[name] for name in _MEMBERS[case.op]})
        if "turns" not in case.data:
            return _turn(case, reply, case.input, form)
        pairs = zip(expanded(case.data["turns"]), reply["turns"], strict=True)
        return {"turns": [_turn(case, turn, text, form) for text, turn in pairs]}
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise FaultError(f"the reply to {case.op!r} has the wrong shape: {problem!r}") from None


_MEMBERS: Final = {
    "validate": ("problems", "args"),
    "calls": ("text",),
    "results": ("text",),
    "render": ("text",),
    "batch": ("events",),
    "messages": ("messages", "report"),
    "from_messages": ("events",),
    "exchanges": ("exchanges",),
    "convert": ("text", "report"),
}


def _turn(case: Case, reply: dict[str, Any], text: Input, form: Form) -> Outcome:
    events = [event for feed in reply["feeds"] for event in feed] + reply["close"]
    names = ("state", "discarded", *(("tail",) if case.options.get("raw") else ()))
    found = {"events": joined(events), **{n: reply[n] for n in names if n not in form.lacks}}
    return in_code_points(form.outcome(found), text, form.unit)


def joined(events: Iterable[Event]) -> list[Event]:
    """Return `events` with the deltas of each segment, or call, made one: the normal form."""
    whole: list[Event] = []
    open_segment = None
    for event in events:
        segment = event.get("index" if event["type"] == "call_delta" else "segment")
        kept = {name: member for name, member in event.items() if name not in _HOW}
        if event["type"] == "error":
            kept.pop("content", None)
        if segment is not None and segment == open_segment and whole[-1]["type"] == kept["type"]:
            for name in ("content", "raw"):
                if name in kept:
                    whole[-1][name] = whole[-1].get(name, "") + kept[name]
            if "span" in kept and "span" in whole[-1]:
                whole[-1]["span"] = [whole[-1]["span"][0], kept["span"][1]]
        else:
            whole.append(kept)
        open_segment = segment
    return whole


def _normal(case: Case, value: Outcome) -> Outcome:
    if case.op == "validate":
        return {**value, "problems": [_without_messages(found) for found in value["problems"]]}
    if "report" in value:
        return {**value, "report": _without_messages(value["report"])}
    return {"events": joined(value["events"])} if "events" in value else value


def _without_messages(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in entry.items() if k != "message"} for entry in entries]


def in_code_points(turn: Outcome, text: Input, unit: str) -> Outcome:
    """Return `turn` with what was counted in another unit of `text` counted in code points."""
    if unit == "codepoint":
        return turn
    ends = list(accumulate((_WIDTHS[unit](c) for c in decoded(text)), initial=0))
    places = {end: place for place, end in enumerate(ends)}

    def place(count: int) -> int:
        return places.get(count, -1)

    for event in turn["events"]:
        if "offset" in event:
            event["offset"] = place(event["offset"])
        if "span" in event:
            event["span"] = [place(count) for count in event["span"]]
    if "discarded" in turn:
        turn["discarded"] = len(ends) - 1 - place(ends[-1] - turn["discarded"])
    return turn


_WIDTHS: Final[dict[str, Callable[[str], int]]] = {
    "utf16": lambda character: 2 if character > "\uffff" else 1,
    "byte": lambda character: len(character.encode("utf-8")),
}


def decoded(text: Input) -> str:
    """Return the characters that offsets count: invalid input replaced, surrogate pairs joined."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def same(case: Case, expected: Outcome, actual: Outcome) -> bool:
    """Return whether two outcomes are equal in the normal form."""
    # Nearly always they are identical, which is seen much faster.
    if expected == actual and repr(expected) == repr(actual):
        return True
    return bool(_comparable(case, expected) == _comparable(case, actual))


def _comparable(case: Case, value: Any) -> Any:
    """Return `value` so that `==` compares it as JSON: true is not 1, and 1.0 is 1."""
    if isinstance(value, list):
        return [_comparable(case, element) for element in value]
    if isinstance(value, bool):
        return ("boolean", value)
    if not isinstance(value, dict):
        return value
    is_call = value.get("type") == "call" and case.op == "parse"
    if is_call and not case.wire.is_verbatim:
        value = {**value, "content": _json(value["content"])}
    return {name: _comparable(case, member) for name, member in value.items()}


def _json(text: Any) -> Any:
    """Return the value that `text` holds, duplicates kept, or the text itself if it holds none."""
    try:
        return ("json", json.loads(text, object_pairs_hook=lambda pairs: pairs))
    except (ValueError, TypeError):
        return text


def delta_faults(events: Iterable[Event]) -> str | None:
    """Return what is wrong with the deltas of a token stream, or None.

    Segments are numbered from 0; each has one last delta, which is `done`, and which alone may be
    empty (m-delta-segment, m-delta-done, m-delta-empty); no call delta is (m-call-delta-fields).
    """
    segment = 0
    is_open = False
    for event in events:
        if event["type"] == "call_delta" and not event.get("content"):
            return "an empty call delta (m-call-delta-fields)"
        if event["type"] not in ("think", "respond"):
            if is_open:
                return f"{event['type']} comes before segment {segment} is done (m-delta-done)"
            continue
        if event.get("segment") != segment:
            found = event.get("segment")
            return f"segment {found} where {segment} is expected (m-delta-segment)"
        is_open = event.get("done") is not True
        if is_open and not event.get("content"):
            return f"an empty delta, not the last of segment {segment} (m-delta-empty)"
        segment += not is_open
    return f"segment {segment} is never done (m-delta-done)" if is_open else None
