# SPDX-License-Identifier: MIT
"""Findings of one record of a data set: a history of events, a transcript, or messages."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from cogwire import Change, Event, Limits, Toolset, detect, to_messages
from cogwire.events import Code
from cogwire.tooling import WHITE, literal, notation
from cogwire.tooling import pointer as pointer_to
from cogwire_kit.bridges import anthropic, openai, sharegpt
from cogwire_kit.lint.findings import Finding, Notes, Tally, for_people
from cogwire_kit.lint.rules import RULES
from cogwire_kit.lint.texts import Reading, findings_of, lint_text, read_text
from cogwire_kit.texts.answers import answer_in, may_answer
from cogwire_kit.texts.dialects import AUTO, resolved

#: The members of records that hold messages or text, and what each holds.
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

#: The types of events that a line of a history begins with.
EVENT_TYPES: Final = frozenset(
    {"user", "think", "call", "execute", "result", "respond", "end", "metric", "metrics", "error"}
    | {"interrupt", "cancelled"}
)
_CODES: Final = frozenset(get_args(Code))
_BLOCKS: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})


#: A call: its pointer, its name and its arguments.
_Call = tuple[str, object, object]


class Options(NamedTuple):
    """How texts are read, and by which tools calls are judged."""

    dialect: str = AUTO
    toolset: Toolset | None = None
    limits: Limits = Limits()
    #: Where it is counted what was read.
    tally: Tally | None = None


_PLAIN: Final = Options()

#: How the messages of a record are written; `wire` is as texts in a dialect.
Form = Literal["events", "wire", "sharegpt", "anthropic", "openai"]


def lint_record(value: object, options: Options = _PLAIN) -> list[Finding]:
    """Return what is wrong with one record: a JSON value, as `json.loads` gives it.

    A string is a transcript, a list is messages or events, and an object has one of `MEMBERS`.
    Calls are judged by the toolset of `options` or, without one, by the record's own `tools`.  Each
    finding has the pointer of what it is about.  Malformed data never raises.
    """
    if isinstance(value, str):
        return list(_lint_string(value, "", options))
    if isinstance(value, list):
        return list(_lint_list(value, "", options))
    if isinstance(value, Mapping):
        return list(_lint_members(value, options))
    return [_note("bad-record", "", "This is neither an object nor a list nor a text.")]


def _lint_members(record: Mapping[str, Any], options: Options) -> Iterator[Finding]:
    if options.toolset is None and record.get("tools"):
        try:
            toolset = _toolset_of(_json_of(record["tools"]))
            options = options._replace(toolset=toolset)
        except (TypeError, ValueError, RecursionError) as error:
            yield _note("bad-tools", "/tools", f"The tools of this record cannot be read: {error}")
    is_known = False
    for name, kind in MEMBERS.items():
        given = record.get(name)
        if isinstance(given, str) and kind == "text":
            is_known = True
            yield from _lint_string(given, pointer_to([name]), options)
        elif isinstance(given, list) and kind != "text":
            is_known = True
            yield from _lint_list(given, pointer_to([name]), options, kind)
    if not is_known:
        yield _note("bad-record", "", _unread(record))


def _unread(record: Mapping[str, Any]) -> str:
    """Return why an object is not a record."""
    for name, kind in MEMBERS.items():
        if name in record:
            is_null = record[name] is None
            kinds = "null" if is_null else "not a text" if kind == "text" else "not a list"
            return f"`{name}` is {kinds}."
    if "role" in record:
        return "This is a message: a record has `messages`, and a file of events has no messages."
    if isinstance(record.get("type"), str):
        return f"{record['type']!r} is not a type of event."
    return f"This object has none of {', '.join(f'`{name}`' for name in MEMBERS)}."


def _json_of(tools: object) -> str:
    """Return the JSON of a record's tools, which some data sets hold as a text."""
    return tools if isinstance(tools, str) else json.dumps(tools)


@functools.lru_cache(maxsize=64)  # many records have the same tools
def _toolset_of(tools: str) -> Toolset:
    given = json.loads(tools)
    if not isinstance(given, list):
        raise TypeError("they are not a list")
    return Toolset(given)


def lint_events(
    events: Iterable[object], dialect: str = "xml-json", pointer: str = ""
) -> Iterator[Finding]:
    """Yield what is wrong with a history; each finding has the pointer of its event."""
    report: list[Change] = []
    given: list[Any] = list(events)
    to_messages(given, dialect, report=report, strict=False)
    for index, event in enumerate(given):
        if isinstance(event, Mapping) and event.get("type") == "error":
            code = event.get("code")
            if isinstance(code, str) and code in _CODES:
                message = for_people(str(event.get("content", "")))
                yield _note(code, f"{pointer}/{index}", message)
    for change in report:
        yield _note(change["code"], f"{pointer}/{change['index']}", change["message"])


def _note(rule: str, pointer: str, message: str) -> Finding:
    known = RULES[rule]
    return Finding(rule, known.severity, message, known.help, 0, 0, 1, 1, 1, 1, pointer=pointer)


def _lint_string(text: str, pointer: str, options: Options) -> Iterator[Finding]:
    dialect, reason = dialect_of([text], options)
    if dialect is None:
        yield _note("no-dialect", pointer, reason)
        return
    for found in lint_text(text, dialect, toolset=options.toolset, limits=options.limits):
        yield found._replace(pointer=pointer)


def dialect_of(texts: Sequence[str | bytes], options: Options) -> tuple[str | None, str]:
    """Return the dialect to read `texts` in, or `None` and why it cannot be detected."""
    dialect, reason = resolved(options.dialect, *texts)
    if options.tally is not None and dialect is not None:
        options.tally.compare(texts, dialect)
    return dialect, reason


def dialect_of_events(options: Options) -> str:
    """Return the dialect that a history is checked for: where it matters, one has to be given."""
    return "xml-json" if options.dialect == AUTO else options.dialect


def _lint_list(
    given: list[Any], pointer: str, options: Options, kind: str = ""
) -> Iterator[Finding]:
    form = form_of(given, kind, options)
    if form == "events":
        yield from lint_events(given, dialect_of_events(options), pointer)
        return
    if form == "wire":
        yield from _lint_wire(given, pointer, options)
        return
    report: list[Change] = []
    read, calls_of = _READERS[form]
    read(given, report=report, strict=False)
    calls: list[_Call] = list(calls_of(given))
    for change in report:
        yield _note(change["code"], f"{pointer}/{change['index']}", change["message"])
    yield from _lint_unanswered(given, calls, pointer)
    yield from _lint_calls(calls, pointer, options.toolset)


def form_of(given: list[Any], kind: str = "", options: Options = _PLAIN) -> Form:
    """Return in which form messages or events are, as their members say; `kind` is of `MEMBERS`."""
    if kind == "events" or (not kind and _are_events(given)):
        return "events"
    if kind == "sharegpt" or _has_member(given, "from") or _is_hermes(given):
        return "wire" if _is_wire(given, options) else "sharegpt"
    if _is_anthropic(given):
        return "anthropic"
    return "openai" if _is_openai(given) else "wire"


def events_of(given: list[Any], form: Form) -> list[Event]:
    """Return the events of messages in a form that is not `wire`; what they lack is left out."""
    return given if form == "events" else _READERS[form][0](given, strict=False)


def _are_events(given: list[Any]) -> bool:
    return bool(given) and all(is_event(each) and "role" not in each for each in given)


def is_event(value: object) -> bool:
    """Whether `value` has the type of an event."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    return isinstance(kind, str) and kind in EVENT_TYPES


def _has_member(given: list[Any], *names: str) -> bool:
    return any(isinstance(each, Mapping) and any(name in each for name in names) for each in given)


def _is_hermes(given: list[Any]) -> bool:
    """Whether calls are written as Hermes writes them, whatever the members are called."""
    contents = (each.get("content") for each in given if isinstance(each, Mapping))
    return any(isinstance(text, str) and "<tool_call>" in text for text in contents)


def _is_wire(given: list[Any], options: Options) -> bool:
    """Whether the texts of a conversation are of a dialect, as their markers say."""
    texts = [text for role, text in map(sharegpt.role_and_text, given) if role == "assistant"]
    if options.dialect != AUTO:
        # A think may be Hermes's too, but a block is not.
        opener = notation(options.dialect).block[0]
        if any(opener in text for text in texts):
            return True
    return any(
        found.dialect is not None or options.dialect in found.candidates
        for found in (detect(text) for text in texts if "<tool_call>" not in text)
    )


def _is_openai(given: list[Any]) -> bool:
    if _has_member(given, "tool_calls", "tool_call_id", "function_call"):
        return True
    return any(
        isinstance(each, Mapping)
        and (isinstance(each.get("content"), list) or each.get("role") in ("tool", "function"))
        for each in given
    )


def _is_anthropic(given: list[Any]) -> bool:
    return any(str(block.get("type")) in _BLOCKS for _, block in _blocks(given))


def _blocks(given: list[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the content blocks of messages, each with its pointer."""
    for index, message in enumerate(given):
        content = message.get("content") if isinstance(message, Mapping) else None
        for number, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, Mapping):
                yield f"/{index}/content/{number}", block


# -- Calls ----------------------------------------------------------------------------------------


def _anthropic_calls(given: list[Any]) -> Iterator[_Call]:
    for pointer, block in _blocks(given):
        if block.get("type") == "tool_use":
            yield pointer, block.get("name"), block.get("input")


def _openai_calls(given: list[Any]) -> Iterator[_Call]:
    for index, message in enumerate(given):
        calls = message.get("tool_calls") if isinstance(message, Mapping) else None
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            function = call.get("function") if isinstance(call, Mapping) else None
            if isinstance(function, Mapping):
                pointer = f"/{index}/tool_calls/{number}/function"
                yield pointer, function.get("name"), function.get("arguments")


_READERS: Final[dict[str, tuple[Callable[..., Any], Callable[[list[Any]], Iterable[_Call]]]]] = {
    "openai": (openai.from_messages, _openai_calls),
    "anthropic": (anthropic.from_messages, _anthropic_calls),
    "sharegpt": (sharegpt.from_messages, sharegpt.calls_of),
}


def _lint_unanswered(given: list[Any], calls: Iterable[_Call], pointer: str) -> Iterator[Finding]:
    """Yield a finding for each message whose calls nothing answers, unless it is the last."""
    for index in dict.fromkeys(int(place.split("/")[1]) for place, _, _ in calls):
        if index + 1 < len(given) and not _is_answer(given[index + 1]):
            message = "The calls of this message have no result, and another message follows."
            yield _note("orphan", f"{pointer}/{index}", message)


def _is_answer(message: object) -> bool:
    if not isinstance(message, Mapping):
        return False
    if message.get("role") in ("tool", "function") or sharegpt.is_answer(message):
        return True
    return any(block.get("type") == "tool_result" for _, block in _blocks([message]))


def _lint_calls(calls: Iterable[_Call], pointer: str, toolset: Toolset | None) -> Iterator[Finding]:
    """Yield what keeps calls from being calls of their tools; other values are noted already."""
    if toolset is None:
        return
    for place, name, args in calls:
        try:
            written = args if isinstance(args, str) else json.dumps(args)
            checked = toolset.check(f'{{"name": {json.dumps(name)}, "args": {written}}}')
        except ValueError:
            continue
        for problem in checked.problems:
            path = f"/args{problem['path']}" if problem["path"] else None
            found = _note(problem["code"], pointer + place, problem["message"])
            yield found._replace(path=path)


# -- Messages whose texts are of a dialect --------------------------------------------------------


def _lint_wire(given: list[Any], pointer: str, options: Options) -> Iterator[Finding]:
    """Yield what is wrong with messages whose texts are of a dialect, results included."""
    texts: list[tuple[str, str]] = []
    for index, message in enumerate(given):
        role, text = sharegpt.role_and_text(message)
        if not role:
            yield _note("skipped", f"{pointer}/{index}", f"this is left out: {text}")
        # The results of calls are at the beginning of a user's message.
        texts.append(("user" if role == "tool" else role, text))
    answers = [text for role, text in texts if role == "assistant"]
    dialect, reason = dialect_of(answers, options)
    if dialect is None:
        yield _note("no-dialect", pointer, reason)
        return
    chat = _Chat(texts, dialect, options)
    for index, found in chat.findings():
        name = sharegpt.names_in(given[index])[1]
        yield found._replace(pointer=f"{pointer}/{index}/{name}")


class _Chat:
    """Messages whose texts are of one dialect."""

    def __init__(self, texts: Sequence[tuple[str, str]], dialect: str, options: Options) -> None:
        self._texts = texts
        self._dialect = dialect
        self._wire = notation(dialect)
        self._options = options

    def findings(self) -> Iterator[tuple[int, Finding]]:
        """Yield the findings, each with the index of its message."""
        answered = 0
        for index, (role, text) in enumerate(self._texts):
            if role == "assistant":
                following = self._texts[index + 1 : index + 2]
                answer = "".join(each for role, each in following if role == "user")
                answer = answer.rstrip(WHITE)
                reading, answered = self._read(text, answer)
                is_last = index + 1 == len(self._texts)
                yield from self._turn(index, reading, text, answer[:answered], is_last=is_last)
            elif role == "user":
                yield from ((index, found) for found in self._user(text, answered))
                answered = 0

    def _read(self, turn: str, answer: str) -> tuple[Reading, int]:
        """Return `turn` as it is read, with the results that `answer` begins with.

        And how many characters of `answer` these have.
        """
        base = len(turn) + len(self._wire.joint)
        if may_answer(answer, self._dialect):
            whole = f"{turn}{self._wire.joint}{answer}"
            reading = self._read_whole(whole)
            answered = sum(len(piece) for _, piece in answer_in(whole, base, reading.pieces))
            if answered:
                return reading.until(base + answered), answered
        return self._read_whole(turn), 0

    def _read_whole(self, text: str) -> Reading:
        return read_text(text, self._dialect, self._options.limits)

    def _turn(
        self, index: int, reading: Reading, turn: str, answer: str, *, is_last: bool
    ) -> Iterator[tuple[int, Finding]]:
        """Yield the findings of a turn of the model, and of its results."""
        base = len(turn) + len(self._wire.joint)
        for each in findings_of(reading, self._options.toolset):
            if each.start < base or not answer:
                yield index, each
            else:
                yield index + 1, moved(each, answer, base)
        if not (answer or is_last):
            yield from ((index, each) for each in self._unanswered(reading))

    def _unanswered(self, reading: Reading) -> Iterator[Finding]:
        """Yield a finding if the turn ends in a block."""
        closers = [piece for piece in reading.pieces if piece.kind != "white"]
        last = closers[-1] if closers else None
        if (
            last is not None
            and last.kind == "marker"
            and self._ends_block(reading.text[last.start :])
        ):
            notes = Notes(reading.text)
            message = "No results follow, but another message does."
            notes.note("unanswered-execute", (last.start, last.end), message, event=last.event)
            yield from notes.findings

    def _ends_block(self, written: str) -> bool:
        return written.strip().lower() == self._wire.block[1].lower()

    def _user(self, text: str, answered: int) -> Iterator[Finding]:
        """Yield the markers in what a user wrote."""
        notes = Notes(text)
        own = text[answered:]
        for start, end in self._wire.unsafe_in(own):
            marker = own[start:end]
            notes.note(
                "unsafe-text",
                (answered + start, answered + end),
                f"{marker} in what a user wrote passes for the framework's.",
                replacement=literal(marker),
            )
        yield from notes.findings


def moved(found: Finding, text: str, base: int) -> Finding:
    """Return a finding of a longer text as one of `text`, which begins at `base` in it."""
    notes = Notes(text)
    start, end = max(found.start - base, 0), max(found.end - base, 0)
    notes.note(found.rule, (start, end), found.message, path=found.path)
    return notes.findings[0]._replace(
        event=found.event, replacement=found.replacement, occurrences=found.occurrences
    )
