# SPDX-License-Identifier: MIT
"""Replies: the form that the protocol gives them, and the normal form in which they are compared.

What a reply may hold depends on its request: deltas only in the token stream, `raw` only where it
was asked for, and what the parser lacks nowhere has to be.

Two implementations may word their messages and cut their deltas differently without either being
wrong.  What is left of a reply in the normal form is what a case expects: `events`, `state`,
`discarded`, … (spec/adapter.md, "Comparing").
"""

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final

from cogwire_kit.conformance.checks import Check, Compiler, Schema
from cogwire_kit.conformance.corpus import PAGES, Case, Input, expanded
from cogwire_kit.texts.words import counted

Record = dict[str, Any]

#: The members of an error event that a parser may lack, by the name of the lack.
OF_ERRORS: Final = {
    "offset": "offset",
    "path": "path",
    "code": "code",
    "calls": "calls",
    "messages": "content",
}
#: The members of a reply that may be lacking.
OF_REPLIES: Final = ("state", "discarded")

_REPLY: Final = "urn:cogwire:schema:adapter-reply:1"
#: The shape in the schema of the reply to each op.
_SHAPES: Final = {
    "hello": "hello",
    "parse": "parse",
    "validate": "validate",
    "calls": "text",
    "results": "text",
    "render": "text",
    "batch": "batch",
    "messages": "messages",
    "from_messages": "batch",
    "exchanges": "exchanges",
    "convert": "convert",
}
#: Replies that any request may get.
_OTHERS: Final = ("error", "unsupported", "refused", "crashed")
#: The clauses that forbid a member, or demand it.
_CLAUSES: Final = {
    "timestamp": "ad-no-timestamp",
    "segment": "m-event-mode",
    "done": "m-event-mode",
}
#: So deep may a reply be nested.
_DEPTH: Final = 200
TOO_DEEP: Final = f"a reply is nested more than {_DEPTH} levels deep (ad-reply-depth)"


def fault(request: Record, reply: Record, lacks: frozenset[str] = frozenset()) -> str | None:
    """Return what is wrong with the form of a reply to `request`, with its clause, or None."""
    found = _fault(request, reply, lacks)
    # What fits is nested no deeper than its schema, but for arguments.
    if (found or request["op"] == "validate" or "save" in request) and _is_too_deep(reply):
        return TOO_DEEP
    return found


def _is_too_deep(reply: Record) -> bool:
    level: list[Any] = [reply]
    for _ in range(_DEPTH):
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level = [one for values in inner for one in values if isinstance(one, (dict, list))]
        if not level:
            return False
    return True


def _fault(request: Record, reply: Record, lacks: frozenset[str]) -> str | None:
    for name in _OTHERS:
        if name in reply:
            return _with_clause(_compiled(name)(reply))
    op = request["op"]
    if op != "parse":
        return _with_clause(_compiled(_SHAPES.get(op, "error"))(reply))
    asked = {name for name in ("raw", "spans", "call_deltas") if request.get(name)}
    asked |= {request.get("stream", "event"), *({"save"} & request.keys())}
    if "turns" not in request:
        found = _compiled("parse", frozenset(asked), lacks)(reply)
        return _with_clause(found) or _miscounted(request, _chunks(request), reply)
    if (found := _compiled("turns", frozenset(asked), lacks)(reply)) is not None:
        return _with_clause(found)
    if len(reply["turns"]) != len(request["turns"]):
        return f"{len(reply['turns'])} turns, not {len(request['turns'])} (ad-turns)"
    pairs = zip(request["turns"], reply["turns"], strict=True)
    return next((f for turn, one in pairs if (f := _miscounted(request, len(turn), one))), None)


def _chunks(request: Record) -> int:
    if "text" in request:
        return len(request.get("cuts", ())) + 1
    return len(request["chunks"] if "chunks" in request else request["chunks_b64"])


def _miscounted(request: Record, chunks: int, reply: Record) -> str | None:
    if len(reply["feeds"]) != chunks:
        entries = counted(len(reply["feeds"]), "entry", "entries")
        return f"`feeds` has {entries} for {counted(chunks, 'chunk')} (ad-parse)"
    if request.get("close", True) is False and reply["close"]:
        return "`close` is not empty, although nothing was closed (ad-parse-no-close)"
    if "save" in request and len(reply["saved"]) != len(request["save"]):
        entries = counted(len(reply["saved"]), "entry", "entries")
        return f"`saved` has {entries} for {counted(len(request['save']), 'snapshot')} (ad-restore)"
    return None


def _with_clause(found: str | None) -> str | None:
    if found is None:
        return None
    name = next((name for name in _CLAUSES if f'"{name}"' in found), "")
    where = "" if found.startswith("/") else "the reply"
    return f"{where}{found} ({_CLAUSES.get(name, 'ad-reply-schema')})"


@cache
def _schemas() -> dict[str, Schema]:
    """Return the schemas that replies are made of, by their ids."""
    names = ("adapter-reply", "event", "problem")
    loaded = [
        json.loads((PAGES / "schemas" / f"{name}.schema.json").read_text("utf-8")) for name in names
    ]
    return {schema["$id"]: schema for schema in loaded}


def shape(name: str) -> Schema:
    """Return the schema of a kind of reply."""
    found: Schema = _schemas()[_REPLY]["$defs"][name]
    return found


@cache
def _compiled(
    name: str, asked: frozenset[str] = frozenset(), lacks: frozenset[str] = frozenset()
) -> Check:
    """Return the check of a shape; of a parse, which has what was `asked` for, but for `lacks`."""
    schemas = deepcopy(_schemas())
    reply, events = schemas[_REPLY], schemas["urn:cogwire:schema:event:1"]
    # A delta of a call is one more kind of event, where it was asked for.
    reply["$defs"]["parsed"] = reply["$defs"]["events"]
    delta = events["$defs"].pop("call_delta")
    for kind, event in events["$defs"].items():
        if "type" in event.get("properties", {}):
            given = {"raw": "raw" in asked, "span": "spans" in asked}
            _fit(kind, event, is_token="token" in asked, given=given)
    del delta["properties"]["timestamp"]
    if "call_deltas" in asked:
        events["$defs"]["call_delta"] = delta
        events["oneOf"].append({"$ref": "#/$defs/call_delta"})
    error = events["$defs"]["error"]
    if name in ("parse", "turns"):
        events["oneOf"].remove({"$ref": "#/$defs/framework-error"})
    _spare(error, [member for lack, member in OF_ERRORS.items() if lack in lacks])
    for one in (reply["$defs"]["parse"], reply["$defs"]["turns"]["properties"]["turns"]["items"]):
        _spare(one, [member for member in OF_REPLIES if member in lacks])
        _demand(one, "tail", is_given="raw" in asked)
    _demand(reply["$defs"]["parse"], "saved", is_given="save" in asked)
    return Compiler(schemas).of(reply["$defs"][name], reply)


def _fit(kind: str, event: Schema, *, is_token: bool, given: dict[str, bool]) -> None:
    """Make the shape of an event the one that it has in a parse."""
    del event["properties"]["timestamp"]
    for member, is_given in given.items():
        _demand(event, member, is_given=is_given)
    if kind in ("think", "respond"):
        _demand(event, "segment", is_given=is_token)
        if not is_token:
            event["properties"].pop("done")
            event["properties"]["content"] = {"type": "string", "minLength": 1}


def _demand(shape: Schema, member: str, *, is_given: bool) -> None:
    if is_given:
        shape["required"].append(member)
    else:
        del shape["properties"][member]


def _spare(shape: Schema, members: list[str]) -> None:
    """Let members be absent, or anything."""
    for member in members:
        shape["properties"][member] = {}
        if member in shape["required"]:
            shape["required"].remove(member)


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
            return {**event, "content": respelled(event["content"])}
        return event


def respelled(text: str) -> str:
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
            needed = shape(_SHAPES[case.op])["required"]
            return _normal(case, {name: reply[name] for name in needed if name != "id"})
        if "turns" not in case.data:
            return _turn(case, reply, case.input, form)
        pairs = zip(expanded(case.data["turns"]), reply["turns"], strict=True)
        return {"turns": [_turn(case, turn, text, form) for text, turn in pairs]}
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise FaultError(f"the reply to {case.op!r} has the wrong shape: {problem!r}") from None


def _turn(case: Case, reply: dict[str, Any], text: Input, form: Form) -> Outcome:
    names = (*OF_REPLIES, *(("tail",) if case.options.get("raw") else ()))
    members = {name: reply[name] for name in names if name not in form.lacks}
    found = {"events": joined(events_of(reply)), **members}
    return in_code_points(form.outcome(found), text, form.unit)


def events_of(reply: dict[str, Any]) -> list[Event]:
    """Return the events of all feeds of a reply, and those of its close."""
    return [*chain.from_iterable(reply["feeds"]), *reply["close"]]


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


def written_as(case: Case, expected: Outcome, actual: Outcome) -> Outcome:
    """Return an outcome in which an event that is as expected has the spelling of that one."""
    expected_events, actual_events = expected.get("events"), actual.get("events")
    if not isinstance(expected_events, list) or not isinstance(actual_events, list):
        return actual
    known = [(_comparable(case, event), event) for event in expected_events]
    spelled = (
        next((event for value, event in known if value == _comparable(case, one)), one)
        for one in actual_events
    )
    return {**actual, "events": [*spelled]}


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
        # An object is a list of pairs, under a name that keeps {} from being [].
        return [json.loads(text, object_pairs_hook=lambda pairs: {"": list(map(list, pairs))})]
    except (ValueError, TypeError):
        return text
