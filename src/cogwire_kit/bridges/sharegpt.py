# SPDX-License-Identifier: MIT
"""ShareGPT's conversations, with calls in the format of Hermes, as in many data sets.

A message is `{"from": …, "value": …}`; `role` and `content` are read, too.  A turn of the model has
its reasoning in `<think>`, and each call in `<tool_call>`; results are in a message from `tool`,
each in `<tool_response>`.  It needs no package.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any, Final, TypedDict

from cogwire import Change, Event, Parser
from cogwire.tooling import (
    UNLIMITED,
    WHITE,
    HasDialect,
    elements,
    literal,
    member,
    read_call,
    short_repr,
    sound,
)
from cogwire_kit.bridges.common.changes import Changes
from cogwire_kit.bridges.common.outcomes import CallOutcome, exact, read_outcome, string
from cogwire_kit.bridges.common.reading import REASONING, Events, is_wide, object_of, role_of
from cogwire_kit.bridges.common.shown import ShownTurn, shown_turns
from cogwire_kit.texts.words import counted

__all__ = ["Message", "from_messages", "to_messages"]

_MARKER: Final = re.compile(r"</?(?:think|tool_call|tool_response)>")
#: An opener, with the beginning of an object if one follows.
_OPENER: Final = re.compile(r"<(?P<name>tool_call|tool_response)>(?P<object>[ \t\r\n]*\{)?")
#: The quotes before an opener that prose names.
_QUOTES: Final = ("`", '"', "'")
#: What is in place of the `<` of an opener that prose names.
_NAMED: Final = "\ue0c1"
#: The name in a call that is not JSON, perhaps because it is spelled as Python spells values.
_NAME: Final = re.compile(r"""["']name["']\s*:\s*["']([^"']+)["']""")
#: What makes a text more than prose: a marker, or half of a surrogate pair.
_SPECIAL: Final = re.compile("[<\ud800-\udfff]")
#: The beginning of a turn, up to its calls, if the only markers in it are those of a think.
_HEAD: Final = re.compile(
    "[ \t\r\n]*(?:<think>(?P<think>[^<\ud800-\udfff]*)</think>)?"
    "(?P<respond>[^<\ud800-\udfff]*)(?=<tool_call>)"
)
_CLOSER: Final = re.compile(r"</think>")
_CALL: Final = ("<tool_call>", "</tool_call>")
_ANSWER: Final = ("<tool_response>", "</tool_response>")
#: The note for a call that is read although its text has no closer.
UNCLOSED: Final = "the text ends before </tool_call>, which its last call lacks"
#: Finds the end of a JSON value; the numbers in it are not converted.
_VALUE: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
#: The longest id, which is that of other formats, since data sets are converted to them.
_LONGEST_ID: Final = 64


#: One message of a conversation; `from` is `system`, `human`, `gpt` or `tool`.
Message = TypedDict("Message", {"from": str, "value": str})


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[Message]:
    """Return a history as a ShareGPT conversation, after a `system` message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  What the messages
    cannot express, or express differently, is appended to `report`.  Raises `ValueError`, naming
    the index, for anything but an event.
    """
    messages: list[Message] = []
    if system and system.strip():
        messages.append({"from": "system", "value": system})
    for turn in shown_turns(events, dialect, report, strict=strict, longest_id=_LONGEST_ID):
        if turn.role == "user":
            messages += ({"from": "human", "value": text["content"]} for text in turn.texts)
        else:
            messages += _turn(turn)
    return messages


def _turn(turn: ShownTurn) -> Iterator[Message]:
    """Yield the message of a turn, and the message that answers it."""
    parts = [_text(text, turn.changes) for text in turn.texts]
    for call in turn.calls:
        body = f'{{"name": {string(call.name)}, "arguments": {call.args}}}'
        parts.append(f"<tool_call>\n{_escaped(body)}\n</tool_call>")
    if parts:
        yield {"from": "gpt", "value": "\n".join(parts)}
    answers = [
        f"<tool_response>\n{_result(call.name, answer)}\n</tool_response>"
        for call in turn.calls
        if (answer := call.answer()) is not None
    ]
    if answers:
        yield {"from": "tool", "value": "\n".join(answers)}
    if turn.void is not None:
        yield {"from": "human", "value": turn.void}


def _text(text: Any, changes: Changes) -> str:
    is_think = text["type"] == "think"
    content, index = text["content"].strip(WHITE), text["index"]
    if content != text["content"]:
        changes.note(index, "trimmed", "white space around the text is left out")
    pattern = _CLOSER if is_think else _MARKER
    if found := pattern.search(content):
        changes.note(index, "neutralised", f"{found[0]} could pass for a marker")
        content = pattern.sub(lambda marker: literal(marker[0]), content)
    return f"<think>\n{content}\n</think>" if is_think else content


def _escaped(body: str) -> str:
    """Return JSON without literal markers, which can only be in strings."""
    return _MARKER.sub(lambda marker: f"\\u003c{marker[0][1:]}", body)


def _result(name: str, text: str) -> str:
    value = exact(text) if text == text.strip(WHITE) else None
    content = text if value is not None and not isinstance(value, str) else string(text)
    return _escaped(f'{{"name": {string(name)}, "content": {content}}}')


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Iterable[Any],
    *,
    report: list[Change] | None = None,
    strict: bool = True,
    places: list[int] | None = None,
) -> list[Event]:
    """Return the events that the messages of a conversation express.

    The index of each event's message, as `report` has it, is appended to `places`.  A system
    message has no event, and is left out.  A turn is read as `hermes` reads it; `arguments` may
    also be JSON in a string, or be called `parameters`.  If calls are in separate messages, texts
    have none; successive calls are one batch, and a list answers a list of as many calls.
    Raises `ValueError`, naming the index, for anything but a message, for a call that is not a JSON
    object with `name` and `arguments`, for results in the model's text, and for more results than
    calls or text after a result, because nothing then shows which result answers which call.
    Without `strict` these are left out and reported, a call with its result.
    """
    events = Events(strict=strict)
    answers: list[_Answer] = []
    before = ""
    has_calls = _has_calls(messages := list(messages))
    for index, (each, following) in enumerate(pairwise([*messages, None])):
        message = object_of(each) or {}
        role, value = role_and_text(with_text(index, each, events))
        after = role_and_text(following)[0]
        read = {*names_in(message)}
        at = answered_in(value, events.waiting) if (role, before) in _MAY_ANSWER else 0
        role = "tool" if at else role
        if not role:
            events.refuse(index, value)
        if role not in ("tool", "") and not role == before == "call":
            _settle(answers, events)
        if role == "user":
            events.text(index, "user", value)
        elif role in ("assistant", "call"):
            if before in ("assistant", "call"):
                events.note(index, "joined", "this is of one turn with the message before it")
            read |= events.reasoning(index, message)
            _read_turn(index, role, value, events, has_calls=has_calls)
            if not role == after == "call":
                events.execute()
        elif role == "tool":
            found = bodies(value[: at or None])
            if before == "call" and after != "tool" and found is not None and len(found) == 1:
                found = _of_each(found[0], events.waiting)
            read |= {"tool_call_id", "name"}  # calls in texts have no ids
            answers += ((index, message.get("name"), body) for body in found or (None,))
            if at and value[at:]:
                _settle(answers, events)
                events.text(index, role := "user", value[at:])
        elif role == "system":
            events.note(index, "dropped", "a system message has no event")
        if role:
            events.note_unread(index, message, read)
        if role in ("user", "assistant") and not value and len(read) == len(_MEMBERS):
            events.note_empty(index)
        before = role
    _settle(answers, events)
    return events.end(report, places)


def _has_calls(messages: Iterable[Any]) -> bool:
    """Whether calls are in separate messages."""
    calls = (each for each in map(object_of, messages) if role_in(each) == "call")
    return any(role_and_text(each)[0] for each in calls)


def role_and_text(value: object) -> tuple[str, str]:
    """Return the role and the text of a message; or an empty role, and the problem."""
    message = object_of(value)
    if message is None:
        return "", "not an object"
    name, member = names_in(message)
    origin, value = message.get(name), message.get(member)
    role = role_of(origin)
    if not role:
        missing = f"it has no `{name}`"
        return "", missing if origin is None else f"{short_repr(origin)} is not a role"
    if value is None and any(message.get(name) for name in REASONING):
        value = ""
    if not isinstance(value, str):
        return "", f"it has no `{member}`" if value is None else f"`{member}` is not a string"
    return role, value


def with_text(index: int, message: Any, events: Events) -> Any:
    """Return a message with its content as one text; OpenAI's may also be in parts, or null."""
    if not isinstance(message, Mapping):
        return message
    content = message.get("content", "")
    if "from" in message or not isinstance(content, list | None):
        return message
    return {**message, "content": events.text_of(index, content)}


def role_in(message: object) -> str:
    """Return the role of a message as it is called here; an empty text if it has none."""
    members = message if isinstance(message, Mapping) else {}
    return role_of(members.get(names_in(members)[0]))


#: The members for the role and the text.
_MEMBERS: Final = ("from", "value")


def begins_calls(value: str) -> bool:
    """Whether a text of the model has calls as Hermes writes them, valid or not.

    Prose may name the marker of a call; where the marker begins a call, an object follows it.
    """
    return any(each["object"] and each["name"] == "tool_call" for each in _OPENER.finditer(value))


def _without_named(value: str, *, is_prose: bool) -> str:
    """Return a text with another character in each opener that prose names.

    Such an opener has no object after it, and is in quotes or has no closer.  If the text is prose,
    every opener is named.
    """
    last = {name: value.rfind(f"</{name}>") for name in ("tool_call", "tool_response")}
    named = [
        each.start()
        for each in _OPENER.finditer(value)
        if is_prose
        or (
            not each["object"]
            and (value.endswith(_QUOTES, 0, each.start()) or each.start() > last[each["name"]])
        )
    ]
    pieces: list[str] = []
    begin = 0
    for at in named:
        pieces += value[begin:at], _NAMED
        begin = at + 1
    return "".join([*pieces, value[begin:]])


def names_in(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of the members for the role and the text."""
    return _MEMBERS if "from" in message else ("role", "content")


#: A piece of a turn: its kind, its text, and where it is.
_Piece = tuple[str, str, tuple[int, int]]


def _read_turn(index: int, role: str, value: str, events: Events, *, has_calls: bool) -> None:
    spans: list[tuple[int, int]] = []
    for kind, text, span in _pieces(role, value, has_calls=has_calls):
        if kind == "call":
            name, args, others, is_sound = _read_call(text)
            events.note_unread(index, others, (), "a call")
            if not name and not isinstance(exact(text.strip(WHITE)), dict):
                meant = _NAME.search(text)
                events.refuse_call(index, None, meant and meant[1], _problem(text))
            else:
                events.call(index, None, name, args, is_sound=is_sound)
        elif kind == "error":
            events.refuse(index, text)
        else:
            spans.append(span)
            events.text(index, "think" if kind == "think" else "respond", text)
    if is_wide(value):
        events.note_trimmed(index, value, spans)
    if role == "assistant" and not has_calls and any(unclosed_in(value)):
        events.note(index, "completed", UNCLOSED)


def _pieces(role: str, value: str, *, has_calls: bool) -> Iterator[_Piece]:
    """Yield the prose, reasoning and calls of a turn, as `hermes` has them, valid or not.

    If the conversation `has_calls` in separate messages, there is none in its texts.
    """
    span = (0, len(value))
    if role == "call":
        # Data sets have the calls of one turn as a list.
        is_list = isinstance(exact(value.strip(WHITE)), list)
        yield from (("call", text, span) for text in (elements(value) if is_list else [value]))
        return
    if _SPECIAL.search(value) is None:
        yield "text", value, span
        return
    if not has_calls and (regular := _regular(value)):
        yield from regular
        return
    begin = 0
    value, written = _without_named(value, is_prose=has_calls), value
    while begin < len(value):
        # It is read up to the first call that breaks a rule, which may still be one of a data set.
        parser = Parser("hermes", spans=True, clock=None, limits=UNLIMITED)
        at = begin
        for event in _read_until_error(parser, value, begin):
            kind, (first, last) = event["type"], event.get("span", (0, 0))
            if kind == "error" and event["code"] != "missing-execute":
                break
            if kind == "call":
                span = (begin + first, begin + last)
                yield kind, written[slice(*span)], span
            elif kind in ("think", "respond"):
                span = (begin + first, begin + last)
                yield kind, event["content"].replace(_NAMED, "<"), span
            at = max(at, begin + last)
        else:
            return
        if event["code"] == "forged-results":
            yield "error", "it has results, which no model writes", span
            return
        start = value.index(_CALL[0], at) + len(_CALL[0])
        end = _end_of(value, start, begin + event["offset"], _CALL[1])
        yield "call", written[start:end], (start, end)
        begin = end + len(_CALL[1])


def _regular(value: str) -> list[_Piece]:
    """Return the pieces of a turn as templates write it, with calls at its end; else nothing.

    A parser of `hermes` returns the same, but takes several times as long.
    """
    head = _HEAD.match(value)
    if head is None:
        return []
    pieces: list[_Piece] = []
    for kind in ("think", "respond"):
        if text := (head[kind] or "").strip(WHITE):
            begin = value.index(text, head.start(kind))
            pieces.append((kind, text, (begin, begin + len(text))))
    at = head.end()
    while at < len(value):
        begin = _after_white(value, at + len(_CALL[0]))
        is_object = value.startswith(_CALL[0], at) and value.startswith("{", begin)
        end = _end_of_value(value, begin) if is_object else None
        closer = len(value) if end is None else _after_white(value, end)
        if end is None or not value.startswith(_CALL[1], closer):
            return []
        pieces.append(("call", value[begin:end], (begin, end)))
        at = _after_white(value, closer + len(_CALL[1]))
    return pieces


def _read_until_error(parser: Parser, value: str, begin: int) -> Iterator[Any]:
    """Yield the events of the rest of a text, read only as far as they are requested.

    A call with text between it and its closer is left out.
    """
    for event, after in pairwise(chain(_fed(parser, value, begin), [{}])):
        if event["type"] != "call" or after.get("code") != "trailing-text":
            yield event


def _fed(parser: Parser, value: str, begin: int) -> Iterator[Any]:
    at = begin
    while at < len(value):
        end = value.find(_CALL[1], at)
        end = len(value) if end < 0 else end + len(_CALL[1])
        yield from parser.feed(value[at:end])
        at = end
    yield from parser.close()


def _read_call(body: str) -> tuple[str, str, dict[str, Any], bool]:
    """Return a call's name, the text of its arguments, the members that are not read, and a flag.

    The flag says whether the arguments are certainly an object.  The text of the arguments is the
    whole text of an invalid call.
    """
    body = body.strip(WHITE)
    call = exact(body)
    if not isinstance(call, dict):
        return "", body, {}, False
    own = "arguments" if "arguments" in call else "parameters"
    value = call.get(own, "")
    text = value if isinstance(value, str) else member(body, own, call)
    name = call.get("name")
    for read in ("name", own, "type"):  # there is only one type
        call.pop(read, None)
    return name if isinstance(name, str) else "", text, call, isinstance(value, dict)


def _problem(body: str) -> str:
    """Return why the text of a call is not a JSON object."""
    problem = "It is not a JSON object with `name` and `arguments`."
    text = body.strip(WHITE)
    end = _end_of_value(text, 0)
    if end is not None and end < len(text) and exact(text[:end]) is not None:
        return f"{problem} There is text after its end."
    try:
        read_call(text)
    except ValueError as error:
        return problem if exact(body) is not None else f"{problem} {error}"
    return problem


def bodies(value: str) -> list[str] | None:
    """Return the results in a message from a tool, or `None` if there is other text after one.

    A closer in a JSON string ends no result; a text that does not begin with an opener is one.
    """
    found, at = _results(value)
    if not found:
        return [value.strip(WHITE)]
    return found if at >= len(value) else None


def _results(value: str) -> tuple[list[str], int]:
    """Return the results with which a text begins, and where the text after them does.

    That is beyond the end of the text if the last result has no closer.
    """
    found: list[str] = []
    at = _after_white(value, 0)
    while value.startswith(_ANSWER[0], at):
        at += len(_ANSWER[0])
        end = _end_of(value, at, at, _ANSWER[1])
        found.append(value[at:end].strip(WHITE))
        at = _after_white(value, end + len(_ANSWER[1]))
    return found, at


def _of_each(body: str, calls: int) -> list[str]:
    """Return the results in a list that has one for each of several calls; else it is one result.

    Data sets that have the calls of a turn as a list also have its results as a list.
    """
    values = exact(body)
    if not isinstance(values, list) or not len(values) == calls > 1:
        return [body]
    texts = zip(elements(body), values, strict=True)
    return [value if isinstance(value, str) else text for text, value in texts]


def _end_of(text: str, begin: int, least: int, closer: str) -> int:
    """Return where a call or result ends: after its JSON value, or at a closer from `least` on."""
    end = _end_of_value(text, _after_white(text, begin))
    if end is not None:
        end = _after_white(text, end)
        if end == len(text) or text.startswith(closer, end):
            return end
    end = text.find(closer, least)
    return len(text) if end < 0 else end


def _end_of_value(text: str, begin: int) -> int | None:
    """Return where the JSON value ends that begins here, if there is one."""
    try:
        return _VALUE.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


def _after_white(text: str, at: int) -> int:
    while at < len(text) and text[at] in WHITE:
        at += 1
    return at


#: The roles of a message that may have results, and of the one before it.
_MAY_ANSWER: Final = {("user", "assistant"), ("user", "call")}
#: A possible result: the index of its message, the `name` in that message, and its text.
_Answer = tuple[int, object, str | None]


def _settle(answers: list[_Answer], events: Events) -> None:
    """Answer the calls of the turn that has ended, unless it is not certain which answers which."""
    if not answers:
        events.settle()
        return
    calls = events.waiting
    known = [(index, named, body) for index, named, body in answers if body is not None]
    unknown = [index for index, _, body in answers if body is None]
    if unknown or 0 < calls < len(known):
        reason = f"there are {len(known)} results for {counted(calls, 'call')}"
        if unknown:
            reason = "there is text after a result that is not part of any result"
        wrong = unknown[0] if unknown else known[-1][0]
        for index in sorted({index for index, _, _ in answers}, key=lambda index: index != wrong):
            events.refuse(index, reason)
    else:
        for index, named, body in known:
            name, outcome = _read_answer(body)
            if name is None and isinstance(named, str):
                name = named
            events.answer(index, None, outcome, name)
    answers.clear()
    events.settle()


def _read_answer(body: str) -> tuple[str | None, CallOutcome]:
    """Return the name of the tool, if a result has it, and what came of its call."""
    answer = exact(body)
    if body.startswith('"') and not _MARKER.search(body) and _is_written(sound(body)):
        return None, CallOutcome("success", body)
    if isinstance(answer, dict) and answer.keys() == {"tool", "status", "content"}:
        # That is how a failure is written in a format.
        status, content = answer["status"], member(body, "content", answer)
        if status == "success" or (status == "failure" and isinstance(answer["content"], str)):
            return answer["tool"], CallOutcome(status, content)
    if not is_wrapped(answer):
        return None, read_outcome(body)
    text, name = answer["content"], answer.get("name")
    text = text if isinstance(text, str) else member(body, "content", answer)
    return name if isinstance(name, str) else None, read_outcome(text)


def is_wrapped(answer: Any) -> bool:
    """Whether a result is the object in which Hermes writes it with the name of its tool."""
    is_named = isinstance(answer, dict) and answer.keys() <= {"name", "tool_call_id", "content"}
    return is_named and "content" in answer and len(answer) > 1


def _is_written(text: object) -> bool:
    """Whether a text is written as a JSON string, because it would not be read back unchanged."""
    if not isinstance(text, str):
        return False
    is_bare = text == text.strip(WHITE) and text not in ("", "null")
    return not is_bare or sound(text) is not None or _MARKER.search(text) is not None


def is_answered(value: str) -> bool:
    """Whether a user's text consists of results, as templates write them without a role `tool`."""
    text = value.strip(WHITE)
    return text.startswith(_ANSWER[0]) and text.endswith(_ANSWER[1])


def answered_in(value: str, calls: int) -> int:
    """Return where the results end with which a user's text begins: without `calls`, all of it."""
    found, at = ([value], len(value)) if is_answered(value) else _results(value if calls else "")
    return at if found and at <= len(value) else 0


def markers_in(value: str) -> Iterator[tuple[int, int]]:
    """Yield where a text has the markers of calls and results that are not named in quotes."""
    for found in _MARKER.finditer(_without_named(value, is_prose=False)):
        if "think" not in found[0]:
            yield found.span()


def unclosed_in(value: str) -> Iterator[tuple[int, int]]:
    """Yield where the last call of a text begins, if it has no closer."""
    if value.rfind(_CALL[0]) <= value.rfind(_CALL[1]):
        return  # most texts have none
    openers = [each for each in _OPENER.finditer(value) if each["object"]]
    if openers and openers[-1]["name"] == "tool_call":
        begin = openers[-1].start()
        if _CALL[1] not in value[begin:]:
            yield begin, begin + len(_CALL[0])


def calls_of(messages: Iterable[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the calls in a conversation: the pointer of the text, the name and the arguments."""
    has_calls = _has_calls(messages := list(messages))
    for index, each in enumerate(messages):
        message = object_of(each) or {}
        role, value = role_and_text(message)
        if role not in ("assistant", "call"):
            continue
        for kind, body, _ in _pieces(role, value, has_calls=has_calls):
            if kind == "call":
                yield f"/{index}/{names_in(message)[1]}", *_read_call(body)[:2]
