# SPDX-License-Identifier: MIT
"""Converts the records of data sets to another dialect, and reports what that changes."""

import functools
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import cogwire
from cogwire import Change, Event, Limits, Toolset
from cogwire.tooling import CANCELLED, RESERVED_NAME, Start, notation, short_repr
from cogwire_kit.bridges import openai, sharegpt
from cogwire_kit.bridges.common.changes import JOINT
from cogwire_kit.bridges.common.order import LATE
from cogwire_kit.bridges.common.reading import ARGUMENTS_AS_JSON, Events
from cogwire_kit.chats import tools_of_openai
from cogwire_kit.columns import columns_of, fixed_columns, rows_of, value_of
from cogwire_kit.records import (
    KEPT,
    MEMBERS,
    SYSTEM,
    TOOLS,
    Form,
    RefusedError,
    dialect_of,
    events_of,
    form_of,
    look_alikes_of,
    no_message,
    readable,
    tools_in,
    wire_dialect,
)
from cogwire_kit.texts.messages import FLAGS, has_weight
from cogwire_kit.texts.notices import count_look_alikes
from cogwire_kit.texts.rows import NULL_LEFT_OUT, Refusal, half_in, nulls_of
from cogwire_kit.wire_messages import left_out

#: The target that is no dialect: messages of OpenAI, with calls and results as values.
OPENAI_MESSAGES: Final = "openai-messages"
_HERMES: Final = "hermes"
#: The code of a row that can be read, but that the target cannot express.
_NOT_WRITABLE: Final = "not-writable"


class Changed(NamedTuple):
    """A place where the written record says something else than the one that was read."""

    #: A JSON Pointer to the message, or to the list or the text that it is in.
    pointer: str
    #: The offset in a text, in code points.
    offset: int | None
    #: The kind of change, as `cogwire.convert` and `cogwire.to_messages` name it.
    code: str
    message: str


def _system(text: str) -> dict[str, str]:
    return {"role": "system", "content": text}


class _Route(NamedTuple):
    """The options of one conversion."""

    dialect: str
    to: str
    #: Where the model's texts begin: in prose, in an open think or in a header.
    start: Start
    #: Which of the members that say how the model's messages are trained are kept.
    flags: Collection[str]
    #: Where to count texts without a marker of the dialect, by the format that they look like.
    looks: Counter[str] | None


def converted(
    record: Any,
    dialect: str,
    to: str,
    report: list[Changed],
    *,
    start: Start = "prose",
    flags: Collection[str] = FLAGS,
    looks: Counter[str] | None = None,
) -> Any:
    """Return a record with its texts and messages written in the dialect `to`.

    Messages are written with `role` and `content`; events become messages.  Other members and
    system messages are kept unchanged.  Arguments that are text in their dialect get the types that
    the record's tools declare.

    `OPENAI_MESSAGES` writes OpenAI's messages: thoughts are members of their own, `flags` are the
    members about training that the model's messages keep, a `system` of the record becomes the
    first message, and `tools` are written in OpenAI's form.

    `start` says where the model's texts begin.  Texts without a marker of `dialect` that look like
    another format are counted in `looks`, by that format.  Raises `RefusedError` if nothing can be
    read, and if a result would be left out while its call is written as cancelled.
    """
    found = readable(record)
    report += (Changed(each, None, "dropped", NULL_LEFT_OUT) for each in nulls_of(record))
    way = _Route(dialect, to, start, flags if to == OPENAI_MESSAGES else (), looks)
    if not isinstance(record, Mapping):
        return _rewritten(found[0], None, way, report)
    written, system = dict(record), None
    if to == OPENAI_MESSAGES:
        written |= {name: tools_of_openai(record[name]) for name in record if name == TOOLS}
        system = system_beside(record, report)
        if system is not None:
            del written[SYSTEM]
    has_prompt = any(pointer == "/prompt" for pointer, _, _ in found)
    for member in found:
        name = member[0].removeprefix("/")
        new = renamed(name, to)
        if new != name:
            if new in record:
                raise RefusedError(Refusal("not-text", f"it has {name!r} and {new!r}"))
            del written[name]
        written[new] = made = _rewritten(member, tools_in(record)[1], way, report)
        begins = name == "prompt" or not has_prompt
        if system and begins and isinstance(made, list) and made[0] != _system(system):
            made.insert(0, _system(system))
    return written


def system_beside(record: Any, report: list[Changed]) -> str | None:
    """Return the system prompt in a record's own member, if it is a text."""
    beside = {"role": "system", "content": record.get(SYSTEM)}
    system = _system_text(beside)
    if system is not None:
        report += _left_of_system(beside, f"/{SYSTEM}")
    return system


def chat_messages(
    placed: Sequence[tuple[str, Any]],
    form: Form,
    dialect: str,
    report: list[Changed],
    *,
    start: Start = "prose",
) -> list[tuple[str, dict[str, Any]]]:
    """Return messages of a form as OpenAI's messages, as `converted` writes them.

    Each message comes with its JSON Pointer: on return, that of the first message it is made from.
    """
    return _messages(
        placed, form, None, _Route(dialect, OPENAI_MESSAGES, start, FLAGS, None), report
    )


def renamed(name: str, to: str) -> str:
    """Return the name of a record's member once it contains messages in the dialect `to`."""
    # Readers expect ShareGPT's members in its `conversations`, which messages of OpenAI lack.
    others = ("events", "sharegpt") if to == OPENAI_MESSAGES else ("events",)
    return "messages" if MEMBERS.get(name) in others else name


def kept_beside(to: str) -> tuple[str, ...]:
    """Return the other members that a conversion keeps; a `system` may become a message."""
    return tuple(name for name in KEPT if name != SYSTEM or to != OPENAI_MESSAGES)


def _rewritten(
    member: tuple[str, str, Any], tools: object, way: _Route, report: list[Changed]
) -> str | list[dict[str, str]]:
    (pointer, kind, value), (dialect, to, start, _, looks) = member, way
    if isinstance(value, list):
        form = form_of(value, kind, dialect)
        if looks is not None:
            looks.update(look_alikes_of(value, form, dialect))
        if not value:
            raise no_message(pointer)
        placed = [(f"{pointer}/{index}", message) for index, message in enumerate(value)]
        return [message for _, message in _messages(placed, form, tools, way, report)]
    if looks is not None:
        looks.update(count_look_alikes([value], dialect))
    if to == OPENAI_MESSAGES:
        raise RefusedError(Refusal("not-text", f"{pointer or 'it'} is a transcript, not messages"))
    differences: list[cogwire.Difference] = []
    name = dialect_of(value, dialect)
    loses_types = _loses_types(name, to, tools)
    if loses_types and tools:
        changes: list[Change] = []
        events = cogwire.parse(value, name, mode=notation(name).mode, start=start, clock=None)
        typed = list(_typed(events, tools, name, changes))
        try:
            written = cogwire.render_events(typed, to)
        except cogwire.RenderError:
            pass  # What differs in more than types is converted with a report of it.
        else:
            report += (Changed(pointer, None, e["code"], e["message"]) for e in changes)
            return written
    if notation(to).mode == "turn":
        events = cogwire.parse(value, name, mode=notation(name).mode, start=start, clock=None)
        if any(event["type"] == "result" for event in events):
            reason = f"{to} cannot express results, which this transcript has"
            raise RefusedError(
                Refusal(_NOT_WRITABLE, f"{reason}; for messages {OPENAI_MESSAGES} can")
            )
    text = cogwire.convert(value, name, to, start=start, report=differences)
    report += (Changed(pointer, e["offset"], e["code"], e["message"]) for e in differences)
    if loses_types and any(_has_args(each) for each in cogwire.parse(text, to)):
        report.append(Changed(pointer, None, "retyped", f"{_TEXTS}, as those of a transcript are"))
    return text


#: The report on arguments whose types nothing declares.
_TEXTS: Final = "the values of arguments are written as strings"


def _loses_types(dialect: str, to: str, tools: object) -> bool:
    """Whether arguments are untyped text in `dialect`, and typed values in `to`.

    In the protocol's own `xml-elements` untyped values are strings, so only declared types matter.
    """
    read = notation(dialect)
    is_typed = to == OPENAI_MESSAGES or not notation(to).is_text
    return read.is_text and is_typed and (read.form is not None or bool(tools))


def _has_args(event: Event) -> bool:
    return event["type"] == "call" and bool(json.loads(event["content"]).get("args"))


@functools.lru_cache(maxsize=64)  # many records have the same tools
def _toolset(tools: str, dialect: str) -> Toolset | None:
    """Return the tools of a record, given as JSON; None if they cannot be read."""
    try:
        return Toolset(json.loads(tools), dialect)
    except (ValueError, TypeError, RecursionError):
        return None


def _typed(
    events: list[Event], tools: object, dialect: str, report: list[Change]
) -> Iterator[Event]:
    """Yield events whose text arguments are converted to the types that `tools` declare."""
    text = tools if isinstance(tools, str) else json.dumps(tools, default=str)
    toolset = _toolset(text, dialect) if tools else None
    declared = {tool.name for tool in toolset.tools} if toolset else set()
    for index, event in enumerate(events):
        if event["type"] != "call" or not _has_args(event):
            yield event
        elif (called := json.loads(event["content"])["name"]) in declared and toolset:
            yield from toolset.typed((event,))
        else:
            message = f"{_TEXTS}, since no tool of the record is called {called!r}"
            report.append({"index": index, "code": "retyped", "message": message})
            yield event


def _that_ran(events: Iterable[Event]) -> list[tuple[int, Event]]:
    """Return the events with their indices, without void blocks and the answers to these."""
    kept: list[tuple[int, Event]] = []
    for index, event in enumerate(events):
        if event["type"] == "error":
            if count := event.get("calls", 0):
                calls = [at for at, each in kept if each["type"] == "call"][-count:]
                kept = [(at, each) for at, each in kept if at not in calls]
        elif not (event["type"] == "result" and _answers_void(event["content"])):
            kept.append((index, event))
    return kept


def _answers_void(results: str) -> bool:
    items = json.loads(results) if _may_have(RESERVED_NAME, results) else []
    return len(items) == 1 and items[0].get("tool") == RESERVED_NAME


def _may_have(word: str, results: str) -> bool:
    """Whether an ASCII word may be in the JSON of results, where its letters may be escaped."""
    return word in results or "\\u00" in results


def _messages(
    placed: Sequence[tuple[str, Any]], form: Form, tools: object, way: _Route, report: list[Changed]
) -> list[tuple[str, dict[str, Any]]]:
    """Return the written messages, each with the pointer of the first message it is made from."""
    dialect, to, start, kept, _ = way
    known = len(report)
    pointers, messages = [pointer for pointer, _ in placed], [message for _, message in placed]
    if form == "wire":
        dialect = wire_dialect(messages, dialect)
    if form == "openai":
        ordered = list(openai.in_order(messages))
        pointers = [pointers[each.place] for each in ordered]
        messages = [each.message for each in ordered]
        late = (pointer for pointer, each in zip(pointers, ordered, strict=True) if each.is_late)
        report += (Changed(pointer, None, "moved", LATE) for pointer in late)
    written: list[tuple[str, dict[str, Any]]] = []
    for first, part in _between_systems(messages):
        if isinstance(part, str):
            written.append((pointers[first], _system(part)))
            report += _left_of_system(messages[first], pointers[first])
            continue
        read: list[Change] = []
        origins: list[int] = []
        flags = [_flags_in(each, kept) for each in part]
        has_flags = any(flags)
        bare = [_without(*each) for each in zip(part, flags, strict=True)] if has_flags else part
        events = events_of(bare, form, dialect, read, origins, start=start)
        for each in read:
            # Arguments that are values already say the same as their JSON.
            if each["message"] != ARGUMENTS_AS_JSON:
                pointer = pointers[first + each["index"]]
                report.append(Changed(pointer, None, each["code"], each["message"]))
        if form == "events":
            report += (
                Changed(pointers[first + index], None, "dropped", left_out(event.get("code")))
                for index, event in enumerate(events)
                if event["type"] == "error"
            )
        changes: list[Change] = []
        _note_results(events, form, to, changes)
        if form == "wire" and _loses_types(dialect, to, tools):
            events = list(_typed(events, tools, dialect, changes))
        for message, own in _written(events, to, changes):
            if has_flags and message["role"] == "assistant":
                sources = {at: (part[at], flags[at]) for at in sorted({origins[at] for at in own})}
                for at, lost in _add_flags(message, sources):
                    report.append(Changed(pointers[first + at], None, "dropped", lost))
            written.append((pointers[first + origins[own[0]]] if own else "", message))
        for each in changes:
            pointer = pointers[first + origins[each["index"]]]
            report.append(Changed(pointer, None, each["code"], each["message"]))
    if noted := report[known:]:
        found = {pointer: _Found(index, message) for index, (pointer, message) in enumerate(placed)}
        _require_results(noted, found)
        if all(message["role"] != "assistant" for _, message in written):
            _require_none_skipped(noted, found)
    if not written:
        pointer = pointers[0].rpartition("/")[0]
        raise no_message(pointer, "no message remains of those in it")
    return written


class _Found(NamedTuple):
    """A message, and its index in the record."""

    place: int
    message: Any


def _require_results(changes: Sequence[Changed], found: Mapping[str, _Found]) -> None:
    """Raise `RefusedError` if a result is left out and its call is written as cancelled.

    That happens to a result that comes after the user's next message, for example.  Its call is the
    one that its id names or, without an id, any earlier one.
    """
    for late in (each for each in changes if each.code == "surplus"):
        end, answer = found[late.pointer]
        named = _ids_in(answer, _ANSWERED)
        for orphan in (each for each in changes if each.code == "orphan"):
            begin, call = found[orphan.pointer]
            between = (each for at, each in found.values() if begin < at < end)
            answered = {own_id for each in between for own_id in _ids_in(each, _ANSWERED)}
            is_named = not named or named & _ids_in(call, ("id", "call_id")) - answered
            if begin < end and is_named:
                reason = "this result would be left out, and the call of"
                reason = f"{late.pointer}: {reason} {orphan.pointer} be cancelled"
                raise RefusedError(Refusal("surplus", reason))


def _require_none_skipped(changes: Iterable[Changed], found: Mapping[str, _Found]) -> None:
    """Raise `RefusedError` if all that the model wrote has been left out."""
    for each in changes:
        if each.code == "skipped" and sharegpt.role_in(found[each.pointer].message) in (
            "assistant",
            "call",
        ):
            reason = each.message.removeprefix("this is left out: ")
            reason = f"{each.pointer}: the model wrote nothing else: {reason}"
            raise RefusedError(Refusal("no-text", reason))


#: The members in which results, or messages with results, name the id of their call.
_ANSWERED: Final = ("tool_call_id", "tool_use_id", "call_id")


def _ids_in(message: Any, names: Collection[str]) -> set[str]:
    """Return the values of these members in a message and its parts, where they are strings."""
    members = message if isinstance(message, Mapping) else {}
    lists = (members.get(name) for name in ("tool_calls", "content"))
    parts = [members, *(part for each in lists if isinstance(each, list) for part in each)]
    objects = (part for part in parts if isinstance(part, Mapping))
    found = (part.get(name) for part in objects for name in names)
    return {each for each in found if isinstance(each, str)}


def _flags_in(message: object, names: Collection[str]) -> dict[str, Any]:
    """Return which of these members a message of the model has, with their values."""
    if not isinstance(message, Mapping) or message.keys().isdisjoint(names):
        return {}
    found = {name: message[name] for name in names if message.get(name) is not None}
    return found if sharegpt.role_in(message) == "assistant" else {}


def _without(message: Any, names: Mapping[str, Any]) -> Any:
    """Return a message without members of these names."""
    if not names:
        return message
    return {name: value for name, value in message.items() if name not in names}


def _add_flags(
    message: dict[str, Any], sources: Mapping[int, tuple[Any, dict[str, Any]]]
) -> Iterator[tuple[int, str]]:
    """Add the training flags of a message's `sources`; yield those that cannot be added.

    A message made from several is not trained if one of them is not.
    """
    for name in FLAGS if any(flags for _, flags in sources.values()) else ():
        if not any(name in flags for _, flags in sources.values()):
            continue
        nothing = 1 if name == "weight" else None
        value, *others = (flags.get(name, nothing) for _, flags in sources.values())
        is_whole = all(each == value for each in others)
        if name == "train_detail":  # it has offsets in the text
            texts = (each.get(sharegpt.names_in(each)[1]) for each, _ in sources.values())
            is_whole &= all(text == message["content"] for text in texts)
        if is_whole:
            message[name] = value
            continue
        if name == "weight" and not all(has_weight(flags) for _, flags in sources.values()):
            message[name] = 0
        for at, (_, flags) in sources.items():
            if name in flags:
                yield at, f"{name!r} of a message is not that of the message which it becomes"


def _written(
    events: list[Event], to: str, report: list[Change]
) -> list[tuple[dict[str, Any], list[int]]]:
    """Return messages; OpenAI's come with the indices of the events they are made from."""
    if to == OPENAI_MESSAGES:
        told = _that_ran(events)  # no data has what a framework says of a void block
        changes: list[Change] = []
        places: list[list[int]] = []
        chat = openai.to_messages(
            [each for _, each in told],
            think=True,
            any_name=True,
            report=changes,
            strict=False,
            places=places,
        )
        report += ({**each, "index": told[each["index"]][0]} for each in changes)
        results = [at for at, each in told if each["type"] == "result"]
        written = []
        for message, own in zip(chat, places, strict=True):
            origins = [told[at][0] for at in own]
            if message["role"] == "tool":  # its turn ends with the next result
                origins = [next((at for at in results if at > origins[-1]), origins[-1])]
            written.append((dict(message), origins))
        return written
    try:
        messages = cogwire.to_messages(events, to, report=report, strict=False)
    except cogwire.RenderError as problem:
        aliases = [alias for each in cogwire.formats() if each.name == to for alias in each.aliases]
        also = f" (also called {', '.join(aliases)})" if aliases else ""
        reason = f"{to}{also} cannot express {problem.reason}; {OPENAI_MESSAGES} can"
        raise RefusedError(Refusal(_NOT_WRITABLE, reason)) from None
    calls = {index for index, event in enumerate(events) if event["type"] == "call"}
    skipped = [each for each in report if each["code"] == "skipped" and each["index"] in calls]
    if calls and len(skipped) == len(calls):
        reason = f"{to} cannot express its calls ({skipped[0]['message']}); {OPENAI_MESSAGES} can"
        raise RefusedError(Refusal(_NOT_WRITABLE, reason))
    if reason := _beyond_limits(events, messages, to):
        raise RefusedError(Refusal(_NOT_WRITABLE, f"{to} would not be read again: {reason}"))
    return [({"role": each["role"], "content": each["content"]}, []) for each in messages]


#: The forms of messages in which a result states that it is a failure.
_STATED: Final = ("anthropic", "events", "wire")


def _note_results(events: list[Event], form: str, to: str, report: list[Change]) -> None:
    """Report the results whose text changes in the target."""
    is_stated = to == OPENAI_MESSAGES and form in _STATED
    for index, event in enumerate(events):
        if event["type"] != "result" or not (is_stated or to == _HERMES):
            continue
        if is_stated and not _may_have("failure", event["content"]):
            continue
        for item in json.loads(event["content"]):
            content = item["content"]
            if item["tool"] == RESERVED_NAME or content == CANCELLED:
                continue  # it is left out, or reported as an orphan
            if is_stated and item["status"] == "failure":
                message = f"the failure of {short_repr(item['tool'])} is written as JSON"
                report.append({"index": index, "code": "retyped", "message": message})
            elif to == _HERMES and sharegpt.is_wrapped(content):
                message = "this object is read as a result of hermes, of which `content` remains"
                report.append({"index": index, "code": "retyped", "message": message})


def _beyond_limits(events: Iterable[Event], written: Iterable[Mapping[str, Any]], to: str) -> str:
    """Return the message of the limit that the written calls would exceed, or an empty text."""
    calls = [event["content"] for event in events if event["type"] == "call"]
    limits = Limits()
    if len(calls) <= limits.calls and not any(
        len(each) > limits.size // limits.calls
        or each.count("[") + each.count("{") > limits.depth // 2
        for each in calls
    ):
        return ""
    for message in written:
        for event in (
            cogwire.parse(message["content"], to) if message["role"] == "assistant" else ()
        ):
            if event["type"] == "error" and event["code"].startswith("limit-"):
                return event["content"]
    return ""


def _between_systems(messages: list[Any]) -> Iterator[tuple[int, str | list[Any]]]:
    """Yield the texts of system messages, and the messages between them, each with its index."""
    first = 0
    for index, message in enumerate(messages):
        text = _system_text(message)
        if text is not None:
            if first < index:
                yield first, messages[first:index]
            yield index, text
            first = index + 1
    if first < len(messages):
        yield first, messages[first:]


def _system_text(message: object) -> str | None:
    """Return the text of a system message, joined from its parts; None for any other message."""
    if not isinstance(message, Mapping):
        return None
    origin, name = sharegpt.names_in(message)
    if message.get(origin) not in ("system", "developer"):
        return None
    content = message.get(name)
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    return JOINT.join(_texts_in(content))


def _texts_in(parts: list[Any]) -> list[str]:
    texts = (each.get("text") for each in parts if isinstance(each, Mapping))
    return [each for each in texts if isinstance(each, str)]


def _left_of_system(message: Mapping[str, Any], pointer: str) -> Iterator[Changed]:
    """Yield the parts of a system message that are not written."""
    events = Events()
    origin, name = sharegpt.names_in(message)
    if message[origin] != "system":
        events.note(0, "retyped", f"a {message[origin]} message is written as one of the system")
    if isinstance(message[name], list):
        events.text_of(0, message[name])
    events.note_unread(0, message, (origin, name))
    for each in events.entries:
        yield Changed(pointer, None, each["code"], each["message"])


def converted_rows(
    file: Path,
    column: str,
    dialect: str,
    to: str,
    *,
    start: Start = "prose",
    looks: Counter[str] | None = None,
) -> Iterator[tuple[int, Any, list[Changed]]]:
    """Yield the number of each row, the row as `converted` writes it or a refusal, and changes.

    Other columns are kept.  Texts without a marker of `dialect` that look like another format are
    counted in `looks`, by that format.  Raises `FileError` if the file is no table or has no such
    column.
    """
    fixed = fixed_columns(file, column)
    for number, record in rows_of(file, column):
        changes: list[Changed] = []
        columns = fixed or columns_of(record, column)
        read = value_of(record, columns)
        # All of a row is written, and what is not a text cannot be.
        whole = record if isinstance(read, str) else read
        members = whole.items() if isinstance(whole, Mapping) else [("row", whole)]
        read = half_in(members) or read
        try:
            written = read
            if not isinstance(read, Refusal):
                written = converted(read, dialect, to, changes, start=start, looks=looks)
            if isinstance(read, str):
                written = {**record, columns: written}
        except RefusedError as problem:
            (written,) = problem.args
        yield number, written, changes
