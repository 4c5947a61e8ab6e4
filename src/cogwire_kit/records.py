# SPDX-License-Identifier: MIT
"""Reads the records of data sets: finds the form of their messages, and returns their events.

A record is a transcript (a string), a list of messages or events, or an object with some of
`MEMBERS`.  Messages are OpenAI's, Anthropic's or ShareGPT's, or have texts in a dialect (`wire`).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import cogwire
from cogwire import Change, Event, Parser, Span, detect
from cogwire.tooling import WHITE, Notation, Start, format_names, notation, short_repr
from cogwire.tooling import pointer as pointer_to
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt
from cogwire_kit.bridges.common.changes import Changes
from cogwire_kit.bridges.common.reading import EMPTY_THINK, REASONING, role_of
from cogwire_kit.masks import message_spans
from cogwire_kit.stored_events import stored_events
from cogwire_kit.texts.dialects import AUTO, resolved
from cogwire_kit.texts.messages import flags_in
from cogwire_kit.texts.notices import count_look_alikes
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.texts.rows import NOT_TEXT, TEXT_COLUMN, Refusal, json_list, lacks
from cogwire_kit.wire_messages import resolved_in, wire_events

#: The members of records that are read, and what each contains.
MEMBERS: Final = {
    "messages": "messages",
    "prompt": "messages",
    "completion": "messages",
    "chosen": "messages",
    "rejected": "messages",
    "conversations": "sharegpt",
    "conversation": "sharegpt",
    "events": "events",
    "text": "text",
    "transcript": "text",
}
#: The member with the tools that a record declares.
TOOLS: Final = "tools"
#: The same in older records of OpenAI.
FUNCTIONS: Final = "functions"
#: The member with the system prompt where it is not a message, as in Anthropic's records.
SYSTEM: Final = "system"
#: The other members that a conversion keeps unchanged.
KEPT: Final = (TOOLS, FUNCTIONS, SYSTEM)

#: The types by which a value is known to be an event.
EVENT_TYPES: Final = frozenset(
    {"user", "think", "call", "execute", "result", "respond", "end", "metric", "metrics", "error"}
    | {"interrupt", "cancelled"}
)
#: The types of items that only the Responses API of OpenAI has.
_ITEMS: Final = frozenset({"function_call", "function_call_output", "reasoning"})
#: The members of messages that only the chat completions of OpenAI have.
_OWN: Final = frozenset({"tool_calls", "function_call", "refusal", "audio"})
_BLOCKS: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})

#: The form of a record's messages; those of `wire` have texts in a dialect.
Form = Literal["events", "wire", "sharegpt", "anthropic", "responses", "openai"]

#: The format of the calls in ShareGPT's texts.
_HERMES: Final = "hermes"

#: A call: its pointer, its name and its arguments.
Call = tuple[str, object, object]
#: Why an empty list of messages is refused.
NO_MESSAGE: Final = "there is no message"
#: Changes, each after the pointer of its message.
Noted = list[tuple[str, Change]]


class RefusedError(Exception):
    """A record cannot be read as asked; the argument is the `Refusal`."""


def members_in(record: object, column: str | None = None) -> Iterator[tuple[str, str, Any]]:
    """Yield what can be read of a record: a pointer, the kind of value, and the text or list.

    With a `column`, only this member is read.
    """
    if isinstance(record, str):
        yield "", "text", record
    elif isinstance(record, list):
        yield "", "", _in_lower_case(record)
    elif isinstance(record, Mapping):
        record = with_lists(record)
        for name, kind in _kinds(column).items():
            value = record.get(name)
            if isinstance(value, str if kind == "text" else list):
                yield pointer_to([name]), kind, _in_lower_case(value)


def _kinds(column: str | None) -> Mapping[str, str]:
    """Return the members that are read, and what each contains."""
    return MEMBERS if column is None else {column: MEMBERS.get(column, "text")}


def with_lists(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record in which lists of messages that are JSON in a text are decoded."""
    texts = {
        name: json_list(record[name], name)
        for name, kind in MEMBERS.items()
        if kind != "text" and isinstance(record.get(name), str)
    }
    lists = {name: each for name, each in texts.items() if isinstance(each, list)}
    return {**record, **lists} if lists else record


def _in_lower_case(value: Any) -> Any:
    """Return messages with their roles in lower case; some data sets capitalise them."""
    if isinstance(value, str):
        return value
    return [
        {**each, name: lower}
        if isinstance(each, Mapping)
        and isinstance(role := each.get(name := sharegpt.names_in(each)[0]), str)
        and (lower := role.lower()) != role
        and role_of(lower)
        else each
        for each in value
    ]


def is_text(name: str) -> bool:
    """Whether the member of this name contains plain text, not JSON."""
    return MEMBERS.get(name) == "text" or name == SYSTEM


def flags_of(record: Any) -> Iterator[tuple[str, str]]:
    """Yield the members about training that have no effect, each with its message's pointer."""
    for pointer, _, value in members_in(record):
        for index, message in enumerate(value if isinstance(value, list) else ()):
            if sharegpt.role_in(message) == "assistant":
                yield from ((f"{pointer}/{index}", name) for name in flags_in(message))


def unread(record: object, column: str | None = None) -> str:
    """Return why a value is not a record, or why its `column` cannot be read."""
    if not isinstance(record, Mapping):
        return "This is neither an object nor a list nor a text."
    if broken := broken_in(record, column):
        return broken.message
    for name, kind in _kinds(column).items():
        if name in record:
            wanted = "not a string" if kind == "text" else "not a list"
            is_empty = "null" if record[name] is None else "empty" if record[name] == [] else ""
            return f"`{name}` is {is_empty or wanted}."
    if column is not None:
        return f"{lacks(record, f'no `{column}`')}."
    if "role" in record:
        return "This is a message: a record has `messages`, and a file of events has no messages."
    if isinstance(record.get("type"), str):
        return f"{short_repr(record['type'])} is not a type of event."
    known = f"none of `{'`, `'.join(MEMBERS)}`"
    return f"{lacks(record, known)}; rename the member with messages."


def broken_in(record: Mapping[str, Any], column: str | None = None) -> Refusal | None:
    """Return why a record is refused: a member is no text or is broken JSON; None if it is fine."""
    for name, kind in _kinds(column).items():
        value = record.get(name)
        if name == TEXT_COLUMN and not isinstance(value, str | None):
            return Refusal("not-text", NOT_TEXT.format(name))
        if kind != "text" and isinstance(value, str):
            read = json_list(value, name)
            if isinstance(read, Refusal):
                return read
    return None


def _declared(record: Mapping[str, Any], name: str) -> Any:
    """Return the tools in a member of a record; JSON text for no tools is decoded."""
    value, empty = record.get(name), dict[str, Any]({"[]": [], "": [], "null": None})
    return empty.get("".join(value.split()), value) if isinstance(value, str) else value


def tools_in(record: object) -> tuple[str, Any]:
    """Return the pointer and the value of the tools that a record declares; it may be JSON text.

    An empty list, or null, declares none.  `functions` of older records are returned as tools.
    """
    members = record if isinstance(record, Mapping) else {}
    tools = _declared(members, TOOLS)
    if tools or not _declared(members, FUNCTIONS):
        return f"/{TOOLS}", tools
    functions = members[FUNCTIONS]
    if isinstance(functions, str):
        functions = json_list(functions, FUNCTIONS)
    if isinstance(functions, list):
        functions = [{"type": "function", "function": each} for each in functions]
    return f"/{FUNCTIONS}", functions


# -- The form of messages -------------------------------------------------------------------------


def form_of(
    messages: list[Any], kind: str = "", dialect: str = AUTO, *, as_written: bool = False
) -> Form:
    """Return the form of messages or events, by their members; `kind` is a value of `MEMBERS`.

    Calls in Hermes's format make the form `sharegpt`, whether the format is named or detected.
    With `as_written`, where a mask is made of the texts, a named format makes it `wire`.
    """
    if kind == "events" or (not kind and _are_events(messages)):
        return "events"
    # Where no dialect is named, an empty list says that the text has no calls either.
    objects = list(_objects(messages))
    names: set[str] = set().union(*objects)
    own = _values(objects, _OWN) if names & _OWN else []
    has_own = any(own) or (dialect == AUTO and [] in own)
    is_sharegpt = "from" in names or (kind == "sharegpt" and not has_own)
    if not is_sharegpt and has_own:
        return "openai"
    if any(str(block.get("type")) in _BLOCKS for _, block in blocks_in(messages)):
        return "anthropic"
    if "type" in names and any(str(each.get("type")) in _ITEMS for each in objects):
        return "responses"
    # No text decides what members say: prose may name the markers of a dialect.
    roles = set(map(sharegpt.role_in, objects))
    if "call" in roles:
        return "sharegpt"
    texts = _texts(messages)
    if is_sharegpt or _have_calls(texts):
        is_named = dialect != AUTO and (as_written or dialect != _HERMES)
        return "wire" if _are_wire(messages, texts, dialect, is_named=is_named) else "sharegpt"
    if "tool" in roles:
        # Results that answer no call as a value answer those in the texts, if there are any.
        return "wire" if _are_called(messages, dialect) else "openai"
    is_in_parts = any(isinstance(each.get("content"), list) for each in objects)
    return "openai" if is_in_parts else "wire"


def _objects(messages: list[Any]) -> Iterator[Mapping[str, Any]]:
    return (each for each in messages if isinstance(each, Mapping))


def _are_events(messages: list[Any]) -> bool:
    return bool(messages) and all(is_event(each) and "role" not in each for each in messages)


def is_event(value: object) -> bool:
    """Whether `value` has the type of an event."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    return isinstance(kind, str) and kind in EVENT_TYPES


def _values(objects: Iterable[Mapping[str, Any]], names: Collection[str]) -> list[Any]:
    """Return the values of these members in all messages."""
    return [each[name] for each in objects for name in each if name in names]


def has_thoughts(messages: list[Any]) -> bool:
    """Whether messages have thoughts in members of their own."""
    return any(_values(_objects(messages), REASONING))


def _texts(messages: Iterable[Any]) -> list[str]:
    """Return the texts of the model."""
    return [text for role, text in map(sharegpt.role_and_text, messages) if role == "assistant"]


def look_alikes_in(record: Any, dialect: str) -> Counter[str]:
    """Count a record's texts without a marker of `dialect` by the format that they look like.

    These are transcripts, and the model's texts in messages whose calls are not values.
    """
    found = Counter[str]()
    for _, kind, value in members_in(record) if dialect != AUTO else ():
        if isinstance(value, str):
            found += count_look_alikes([value], dialect)
        else:
            found += look_alikes_of(value, form_of(value, kind, dialect), dialect)
    return found


def look_alikes_of(messages: list[Any], form: Form, dialect: str) -> Counter[str]:
    """Return the same counts for messages of a form.

    Messages with results, and no call of the dialect in a text, have the form `openai`, too.
    """
    if form != "wire" and (form != "openai" or any(_values(_objects(messages), _OWN))):
        return Counter()
    return count_look_alikes(_texts(messages), dialect)


def _have_calls(texts: Iterable[str]) -> bool:
    """Whether one of the model's texts has calls in Hermes's format."""
    return any(map(sharegpt.begins_calls, texts))


def _are_plain(messages: list[Any], form: Form) -> bool:
    """Whether messages are only the user's, the model's and the system's, without calls."""
    roles = {role for role, _ in map(sharegpt.role_and_text, messages)}
    has_others = not roles <= {"system", "user", "assistant"} or _have_calls(_texts(messages))
    return form == "sharegpt" and not has_others


def _are_wire(messages: list[Any], texts: list[str], dialect: str, *, is_named: bool) -> bool:
    """Whether the texts of a conversation are in a dialect, by their markers or their calls."""
    # A `<think>` may be Hermes's too; a block, and the markers around another think, are not.
    wire = notation(dialect if is_named else _HERMES)
    own = wire.block[:1] if wire.think[0] == "<think>" else wire.openers
    if is_named and any(each in text for each in own for text in texts):
        return True
    if _have_calls(texts):
        return False
    if is_named and _are_called(messages, dialect):
        return True
    name, _ = resolved_in(messages, AUTO)
    if name in format_names():
        return True
    return any(each.dialect or dialect in each.candidates for each in map(detect, texts))


def _are_called(messages: list[Any], dialect: str) -> bool:
    """Whether a text of the model has a block of the dialect; for `AUTO` that is detected."""
    name, _ = resolved_in(messages, dialect)
    return name is not None and any(
        event["type"] in ("call", "error")
        for text in _texts(messages)
        for event in cogwire.parse(text, name, clock=None)
    )


def blocks_in(messages: list[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the content blocks of messages, each with its pointer."""
    for index, message in enumerate(messages):
        content = message.get("content") if isinstance(message, Mapping) else None
        for number, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, Mapping):
                yield f"/{index}/content/{number}", block


def _anthropic_calls(messages: list[Any]) -> Iterator[Call]:
    for pointer, block in blocks_in(messages):
        if block.get("type") == "tool_use":
            yield pointer, block.get("name"), block.get("input")


def _openai_calls(messages: list[Any]) -> Iterator[Call]:
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            continue
        calls = message.get("tool_calls")
        found = {
            f"/{index}/tool_calls/{number}/function": call.get("function")
            for number, call in enumerate(calls if isinstance(calls, list) else [])
            if isinstance(call, Mapping)
        }
        found[f"/{index}/function_call"] = message.get("function_call")
        for pointer, function in found.items():
            if isinstance(function, Mapping):
                yield pointer, function.get("name"), function.get("arguments")


def _response_calls(messages: list[Any]) -> Iterator[Call]:
    for index, item in enumerate(messages):
        if isinstance(item, Mapping) and item.get("type") == "function_call":
            yield f"/{index}", item.get("name"), item.get("arguments")


#: For each form, what reads its messages and what yields their calls.
READERS: Final[dict[str, tuple[Callable[..., Any], Callable[[list[Any]], Iterable[Call]]]]] = {
    "openai": (openai.from_messages, _openai_calls),
    "anthropic": (anthropic.from_messages, _anthropic_calls),
    "responses": (responses.from_messages, _response_calls),
    "sharegpt": (sharegpt.from_messages, sharegpt.calls_of),
}


# -- What records say -----------------------------------------------------------------------------


def events_of(
    messages: list[Any],
    form: Form,
    dialect: str = AUTO,
    report: list[Change] | None = None,
    places: list[int] | None = None,
    *,
    start: Start = "prose",
) -> list[Event]:
    """Return the events of messages; what cannot be read is left out and reported.

    For each event, the index of its message is appended to `places`.  Texts of the form `wire` are
    in `dialect`; raises `RefusedError` if it cannot be detected.  `start` says where the model's
    texts begin.
    """
    if form == "events":
        return stored_events(messages, report, places)
    if form != "wire":
        if form == "openai":
            left = Changes()
            messages = [
                _with_thought(index, each, left, start) for index, each in enumerate(messages)
            ]
            left.give(report)
        elif form == "sharegpt":
            messages = with_start(messages, start)
        read: list[Event] = READERS[form][0](messages, report=report, strict=False, places=places)
        return read
    return wire_events(messages, wire_dialect(messages, dialect), report, places, start=start)


#: A think at the beginning of a text, with the line ends that many chat templates write.
_THOUGHT: Final = re.compile(
    r"(?P<before>[ \t\r\n]*)<think>\n?(?P<thought>.*?)\n?</think>\n{0,2}", re.DOTALL
)


def _with_thought(index: int, message: Any, left: Changes, start: Start) -> Any:
    """Move a think at the beginning of a message's text into a member of its own."""
    if not isinstance(message, Mapping) or message.get("role") != "assistant":
        return message
    text = message.get("content")
    opener = "<think>" * (start == "think")
    found = _THOUGHT.match(opener + text) if isinstance(text, str) else None
    if found is None or has_thoughts([message]):
        return message
    if found["before"]:
        left.note(index, "trimmed", "white space before a think is left out")
    thought = found["thought"]
    if not thought.strip(WHITE):
        left.note(index, "dropped", EMPTY_THINK)
        thought = ""
    return {**message, REASONING[0]: thought, "content": found.string[found.end() :]}


def with_start(messages: list[Any], start: Start) -> list[Any]:
    """Add the opener of a think that the prompt has written to the model's ShareGPT texts."""
    if start != "think":
        return messages
    return [
        {**each, sharegpt.names_in(each)[1]: "<think>" + text}
        if role == "assistant" and not has_thoughts([each])
        else each
        for each, (role, text) in zip(messages, map(sharegpt.role_and_text, messages), strict=True)
    ]


def wire_messages(given: Iterable[Any]) -> list[dict[str, str]]:
    """Return messages with texts in a dialect, as `role` and `content`.

    Raises `RefusedError` for anything but messages of text.
    """
    messages: list[dict[str, str]] = []
    for index, message in enumerate(given):
        role, text = sharegpt.role_and_text(message)
        if not role:
            raise RefusedError(Refusal("not-text", f"message {index}: {text}"))
        messages.append({"role": role, "content": text})
    return messages


def wire_dialect(messages: Iterable[Any], dialect: str) -> str:
    """Return the dialect of messages, detected for `AUTO`; raises `RefusedError` if unknown."""
    name, reason = resolved_in(messages, dialect)
    if name is None:
        raise RefusedError(Refusal("no-dialect", reason))
    return name


#: The hint for calls and thoughts that are values, and become text by a template.
_WRITTEN: Final = "with --tokenizer, cogwire mask writes them by a chat template"


def spans_of(
    record: Any, dialect: str = AUTO, *, start: Start = "prose"
) -> Iterator[tuple[str, str, Sequence[Span]]]:
    """Yield the pointer, the dialect and the spans of each text of a record.

    `start` says where the model's texts begin, as for `spans`.  Raises `RefusedError` for messages
    that have calls and results as values, not as text.
    """
    for pointer, kind, value in readable(record):
        if isinstance(value, str):
            name = dialect_of(value, dialect)
            yield pointer, name, cogwire.spans(value, name, start=start)
            continue
        if not value:
            raise no_message(pointer)
        form = form_of(value, kind, dialect, as_written=True)
        if form == "sharegpt" and dialect == AUTO:
            form = form_of(value, kind, _HERMES, as_written=True)  # its calls may be in the texts
        if form != "wire" and not _are_plain(value, form):
            named = ", or name the dialect of their texts with --dialect" * (form == "sharegpt")
            message = f"messages of {form} are not texts of a dialect; {_WRITTEN}{named}"
            raise RefusedError(Refusal("not-text", message))
        if has_thoughts(value):
            message = f"the model's thoughts beside its texts would not be trained; {_WRITTEN}"
            raise RefusedError(Refusal("not-text", message))
        messages = wire_messages(value)
        name = wire_dialect(value, dialect)
        for index, pieces in enumerate(message_spans(messages, name, start=start)):
            yield f"{pointer}/{index}/{sharegpt.names_in(value[index])[1]}", name, pieces


def going_on(
    record: Any, dialect: str = AUTO, *, start: Start = "prose"
) -> Iterator[tuple[str, str, int]]:
    """Yield transcripts that go on after a call, in formats without results.

    Each is a pointer, the format and the offset of the next author's message.  A tool's
    text there would be read as the model's, since no marker names its author.
    """
    for pointer, _, value in members_in(record):
        if not isinstance(value, str):
            continue
        name = dialect_of(value, dialect)
        if (wire := notation(name)).mode == "transcript":
            continue
        opener, author = _own_header(wire)
        has_call = has_ended = False
        for piece in cogwire.spans(value, name, start=start):
            text = value[piece.start : piece.end]
            if piece.kind == "marker":
                has_ended = text in wire.form.ends
                is_own = not author or text.startswith(opener + author)
                is_others = text.startswith(opener) and not is_own
            else:
                has_call |= piece.kind == "call"
                is_others = has_ended and piece.kind in ("prose", "think")
            if has_call and is_others:
                yield pointer, name, piece.start
                break


def _own_header(wire: Notation) -> tuple[str, str]:
    """Return the marker that begins the model's headers, and the author that they name."""
    for opener in wire.form.header.open if wire.form.header else ():
        if found := re.match(rf"{re.escape(opener)}(\w+)", wire.think[0]):
            return opener, found[1]
    return "", ""


def dialect_of(text: str, dialect: str) -> str:
    """Return the dialect of a transcript, detected for `AUTO`; raises `RefusedError` if unknown."""
    name, reason = resolved(dialect, text)
    is_rendered = rendered(text)
    if is_rendered or name is None:
        raise RefusedError(Refusal("no-dialect", is_rendered or reason))
    return name


def readable(record: Any) -> list[tuple[str, str, Any]]:
    """Return what `members_in` yields; raises `RefusedError` if that is nothing."""
    members = record if isinstance(record, Mapping) else {}
    if broken := broken_in(members):
        raise RefusedError(broken)
    if found := list(members_in(record)):
        return found
    name = next((each for each in MEMBERS if each in members), "")
    if members.get(name) is not None and is_text(name):
        code = "not-text"
    else:
        code = "not-json" if isinstance(members.get(name), str) else "no-text"
    raise RefusedError(Refusal(code, unread(record)))


def parsed(text: str, dialect: str = AUTO, *, start: Start = "prose") -> tuple[list[Event], int]:
    """Return the events of a transcript, with `raw` and spans, and its size in code points."""
    name = dialect_of(text, dialect)
    mode = notation(name).mode
    parser = Parser(name, mode=mode, start=start, raw=True, spans=True, clock=None)
    events = parser.feed(text) + parser.close(finished=True)
    return events, sum(len(event["raw"]) for event in events) + len(parser.tail)


def events_in(
    record: Any, dialect: str = AUTO, changes: Noted | None = None, *, start: Start = "prose"
) -> Iterator[tuple[str, Event]]:
    """Yield the events of a record, each with the pointer of its list or text.

    What is left out or changed is appended to `changes`, with the pointer of the message.  Raises
    `RefusedError` if nothing can be read.
    """
    for pointer, kind, value in readable(record):
        if isinstance(value, str):
            found = parsed(value, dialect, start=start)[0]
        elif not value:
            raise no_message(pointer)
        else:
            report: list[Change] = []
            form = form_of(value, kind, dialect)
            found = events_of(value, form, dialect, report, start=start)
            if not found and any(change["code"] == "skipped" for change in report):
                raise no_message(pointer, "no message remains of those in it")
            if changes is not None:
                changes += ((f"{pointer}/{each['index']}", each) for each in report)
        yield from ((pointer, event) for event in found)


def no_message(pointer: str, reason: str = NO_MESSAGE) -> RefusedError:
    """Return the refusal of the list at a pointer, which is empty for a whole record."""
    return RefusedError(Refusal("no-text", f"{pointer and f'{pointer}: '}{reason}"))
