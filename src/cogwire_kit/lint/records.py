# SPDX-License-Identifier: MIT
"""Findings of one record of a data set: a history of events, a transcript, or messages."""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, get_args

from cogwire import Change, Limits, Toolset, to_messages
from cogwire.events import Code
from cogwire.tooling import WHITE, Start, decoded, literal, notation
from cogwire.tooling import pointer as pointer_to
from cogwire_kit.bridges import sharegpt
from cogwire_kit.lint.findings import Finding, Notes, Tally, for_people
from cogwire_kit.lint.rules import RULES
from cogwire_kit.lint.texts import (
    TranscriptReading,
    findings_of,
    lint_text,
    note_replaced,
    read_text,
    runs,
    toolset_in,
)
from cogwire_kit.records import (
    READERS,
    Call,
    blocks_in,
    broken_in,
    flags_of,
    form_of,
    look_alikes_of,
    members_in,
    tools_in,
    unread,
    with_start,
)
from cogwire_kit.texts.answers import answer_in, may_answer
from cogwire_kit.texts.dialects import AUTO, resolved
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.texts.rows import HALVES, NULL_LEFT_OUT, has_half, nulls_of
from cogwire_kit.wire_messages import resolved_in, wire_events

_CODES: Final = frozenset(get_args(Code))


class LintOptions(NamedTuple):
    """How texts are read, and by which tools calls are validated."""

    dialect: str = AUTO
    toolset: Toolset | None = None
    limits: Limits = Limits()
    #: Where it is counted what was read.
    tally: Tally | None = None
    #: The only member of records that is read, if one is named.
    column: str | None = None
    #: What the turns of transcripts, and the texts of the model in messages, begin in.
    start: Start = "prose"


_PLAIN: Final = LintOptions()


def lint_record(value: object, options: LintOptions = _PLAIN) -> list[Finding]:
    """Return what is wrong with one record: a JSON value, as `json.loads` returns it.

    A string is a transcript, a list is messages or events, and an object has one of `MEMBERS`.
    Calls are validated by the toolset of `options`, or else by the record's own `tools`.  Each
    finding has the pointer of what it is about.  Rules that a record names in its member `cogwire`,
    `{"ignore": [ids]}`, are left out.  Malformed data never raises.
    """
    if isinstance(value, str):
        return list(_lint_string(value, "", options))
    if isinstance(value, list):
        ((pointer, _, messages),) = members_in(value)
        if not messages:
            return [_note("bad-record", "", "This list is empty.")]
        return list(_lint_list(messages, pointer, options))
    if isinstance(value, Mapping):
        ignored = _ignored_in(value)
        return [each for each in _lint_members(value, options) if each.rule not in ignored]
    return [_note("bad-record", "", unread(value))]


def _ignored_in(record: Mapping[str, Any]) -> frozenset[str]:
    """Return the rules that a record itself says to ignore: `{"cogwire": {"ignore": [ids]}}`."""
    own = record.get("cogwire")
    ignored = own.get("ignore") if isinstance(own, Mapping) else None
    return frozenset(
        filter(RULES.__contains__, map(str, ignored if isinstance(ignored, list) else ()))
    )


def _lint_members(record: Mapping[str, Any], options: LintOptions) -> Iterator[Finding]:
    place, tools = tools_in(record)
    if options.toolset is None and tools not in (None, []):
        try:
            # Some data sets have them as JSON in a text.
            text = tools if isinstance(tools, str) else json.dumps(tools)
            options = options._replace(toolset=_toolset_of(text))
        except (TypeError, ValueError, RecursionError) as error:
            message = f"The {place[1:]} of this record cannot be read: {error}"
            yield _note("bad-tools", place, message)
    if broken := broken_in(record, options.column):
        yield _note("bad-record", "", broken.message)
    for place in nulls_of(record):
        yield _note("dropped", place, NULL_LEFT_OUT)
    is_known = broken is not None
    for pointer, kind, member in members_in(record, options.column):
        is_known = True
        if isinstance(member, str):
            yield from _lint_string(member, pointer, options)
        else:
            if not member and kind != "events":
                yield _note("bad-record", pointer, f"`{pointer[1:]}` is empty.")
            found = _lint_list(member, pointer, options, kind)
            # What is in JSON that is in a text has no place of its own, and is not fixed there.
            is_nested = isinstance(record[pointer[1:]], str)
            yield from (
                each._replace(start=0, end=0, replacement=None) if is_nested else each
                for each in found
            )
    if not is_known:
        yield _note("bad-record", "", unread(record, options.column))


@functools.lru_cache(maxsize=64)  # many records have the same tools
def _toolset_of(tools: str) -> Toolset:
    declared = json.loads(tools)
    if not isinstance(declared, list):
        raise TypeError("they are not a list")
    return Toolset(declared)


def lint_events(
    events: Iterable[object], dialect: str = "xml-json", pointer: str = ""
) -> Iterator[Finding]:
    """Yield what is wrong with a history; each finding has the pointer of its event."""
    report: list[Change] = []
    stored: list[Any] = list(events)
    to_messages(stored, dialect, report=report, strict=False)
    for index, event in enumerate(stored):
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


def _lint_string(text: str, pointer: str, options: LintOptions) -> Iterator[Finding]:
    dialect, reason = dialect_of([text], options)
    if dialect is None or rendered(text):
        found = _note("no-dialect", pointer, rendered(text) or reason)
        # Naming a dialect would not say who wrote what.
        yield found._replace(help="Check the messages.") if rendered(text) else found
        return
    for found in lint_text(
        text, dialect, toolset=options.toolset, limits=options.limits, start=options.start
    ):
        yield found._replace(pointer=pointer)


def dialect_of(
    texts: Sequence[str | bytes], options: LintOptions, messages: Sequence[Any] | None = None
) -> tuple[str | None, str]:
    """Return the dialect to read `texts` in, or `None` and why it cannot be detected.

    The texts may be those of the model in `messages`.
    """
    if messages is None:
        dialect, reason = resolved(options.dialect, *texts)
    else:
        dialect, reason = resolved_in(messages, options.dialect)
    if options.tally is not None and dialect is not None:
        options.tally.compare(texts, dialect, options.start)
    return dialect, reason


def dialect_of_events(options: LintOptions) -> str:
    """Return the dialect that a history is checked for; `AUTO` means xml-json."""
    return "xml-json" if options.dialect == AUTO else options.dialect


def _lint_list(
    messages: list[Any], pointer: str, options: LintOptions, kind: str = ""
) -> Iterator[Finding]:
    if has_half(messages):
        yield from _lint_halves(messages, pointer)
        messages = _repaired(messages)
    form = form_of(messages, kind, options.dialect)
    if form == "events":
        yield from lint_events(messages, dialect_of_events(options), pointer)
        return
    for place, name in flags_of(messages):
        message = f"`{name}` changes nothing: cogwire mask reads only a `weight` of 0."
        yield _note("ignored-flag", pointer + place, message)
    for index, message in enumerate(messages):
        role, text = sharegpt.role_and_text(message)
        if role == "assistant" and _are_fenced_calls(text):
            place = f"{pointer}/{index}/{sharegpt.names_in(message)[1]}"
            yield _note("fenced-calls", place, "The calls in this code fence are read as prose.")
    if form == "wire":
        yield from _lint_wire(messages, pointer, options)
        return
    if options.tally is not None:
        options.tally.recognised += 1
        options.tally.look_alikes += look_alikes_of(messages, form, options.dialect)
    if form == "sharegpt":
        yield from _lint_markers(messages, pointer)
        messages = with_start(messages, options.start)
    report: list[Change] = []
    read, calls_of = READERS[form]
    read(messages, report=report, strict=False)
    calls: list[Call] = list(calls_of(messages))
    for change in report:
        if change["message"] != sharegpt.UNCLOSED:  # its marker has been found
            yield _note(change["code"], f"{pointer}/{change['index']}", change["message"])
    yield from _lint_unanswered(messages, calls, pointer)
    yield from _lint_calls(calls, pointer, options.toolset)


def _lint_halves(value: Any, pointer: str) -> Iterator[Finding]:
    """Yield the texts with halves of surrogate pairs, for which commands refuse a record."""
    if isinstance(value, str):
        notes = Notes(_repaired(value))
        note_replaced(notes, runs([found.start() for found in HALVES.finditer(value)]))
        yield from (found._replace(pointer=pointer) for found in notes.findings)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from _lint_halves(member, pointer + pointer_to([name]))
            if HALVES.search(name):
                message = f"A name in it, {name!r}, has half of a surrogate pair."
                yield _note("replaced-character", pointer, message)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _lint_halves(member, f"{pointer}/{index}")


def _repaired(value: Any) -> Any:
    """Return a member with U+FFFD for each half of a surrogate pair in its texts."""
    if isinstance(value, str):
        return HALVES.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_repaired(name): _repaired(member) for name, member in value.items()}
    return [_repaired(each) for each in value] if isinstance(value, list) else value


#: A text that is one code fence, of JSON or of no named language.
_FENCE: Final = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<code>.*)\n[ \t]*```\s*", re.DOTALL)


def _are_fenced_calls(text: str) -> bool:
    """Whether a text is nothing but a code fence with a call, or a list of calls, in JSON."""
    fence = _FENCE.fullmatch(text)
    value = decoded(fence["code"].strip(WHITE)) if fence is not None else None
    calls = value if isinstance(value, list) else [value]
    return bool(calls) and all(
        isinstance(each, Mapping)
        and isinstance(each.get("name"), str)
        and any(isinstance(each.get(name), Mapping) for name in ("arguments", "args", "parameters"))
        for each in calls
    )


def _lint_markers(messages: list[Any], pointer: str) -> Iterator[Finding]:
    """Yield the markers of Hermes that are misplaced in texts of ShareGPT."""
    calls = 0
    for index, message in enumerate(messages):
        role, text = sharegpt.role_and_text(message)
        answered = sharegpt.answered_in(text, calls) if role == "user" else 0
        calls = int(role == "call" or (role == "assistant" and sharegpt.begins_calls(text)))
        if role not in ("user", "assistant"):
            continue
        notes = Notes(text)
        if role == "assistant":
            for span in sharegpt.unclosed_in(text):
                notes.note("unclosed-call", span, "The text ends before </tool_call>.")
        else:
            for start, end in sharegpt.markers_in(text):
                if start < answered:
                    continue
                marker = text[start:end]
                said = f"{marker} in what a user wrote passes for the framework's."
                notes.note("unsafe-text", (start, end), said, replacement=literal(marker))
        place = f"{pointer}/{index}/{sharegpt.names_in(message)[1]}"
        yield from (found._replace(pointer=place) for found in notes.findings)


def _lint_unanswered(messages: list[Any], calls: Iterable[Call], pointer: str) -> Iterator[Finding]:
    """Yield a finding for each message whose calls nothing answers, unless it is the last."""
    for index in dict.fromkeys(int(place.split("/")[1]) for place, _, _ in calls):
        if index + 1 < len(messages) and not _is_answered(messages, index):
            message = "The calls of this message have no result, and another message follows."
            yield _note("orphan", f"{pointer}/{index}", message)


def _is_answered(messages: list[Any], index: int) -> bool:
    """Whether a result follows the calls of a message, or is in the same turn and has their id."""
    if _is_answer(messages[index + 1]):
        return True
    calls = messages[index].get("tool_calls")
    ids = [each.get("id") for each in calls or () if isinstance(each, Mapping)]
    turn = takewhile(lambda each: sharegpt.role_and_text(each)[0] != "user", messages[index + 1 :])
    return any(
        isinstance(each, Mapping) and each.get("role") == "tool" and each.get("tool_call_id") in ids
        for each in turn
    )


def _is_answer(message: object) -> bool:
    if not isinstance(message, Mapping):
        return False
    role, text = sharegpt.role_and_text(message)
    if role == "user" and sharegpt.answered_in(text, 1):
        return True
    if message.get("role") in ("tool", "function") or sharegpt.role_in(message) == "tool":
        return True
    # Of the Responses API each call of a turn is an item.
    if message.get("type") in ("function_call", "function_call_output"):
        return True
    return any(block.get("type") == "tool_result" for _, block in blocks_in([message]))


def _lint_calls(calls: Iterable[Call], pointer: str, toolset: Toolset | None) -> Iterator[Finding]:
    """Yield the problems of calls with their tools' schemas."""
    if toolset is None:
        return
    if toolset.dialect != "xml-json":
        toolset = toolset_in(toolset, notation("xml-json"))  # the arguments are JSON
    for place, name, args in calls:
        try:
            written = args if isinstance(args, str) else json.dumps(args)
            written = "{}" if args is None else written.strip(WHITE) or "{}"
            checked = toolset.check(f'{{"name": {json.dumps(name)}, "args": {written}}}')
        except ValueError:
            continue
        for problem in checked.problems:
            path = f"/args{problem['path']}" if problem["path"] else None
            found = _note(problem["code"], pointer + place, problem["message"])
            yield found._replace(path=path)


# -- Messages whose texts are of a dialect --------------------------------------------------------


def _lint_wire(messages: list[Any], pointer: str, options: LintOptions) -> Iterator[Finding]:
    """Yield the findings of messages whose texts are in a dialect, results included."""
    texts: list[tuple[str, str]] = []
    for index, message in enumerate(messages):
        role, text = sharegpt.role_and_text(message)
        if not role:
            yield _note("skipped", f"{pointer}/{index}", f"this is left out: {text}")
        texts.append((role, text))
    answers = [text for role, text in texts if role == "assistant"]
    dialect, reason = dialect_of(answers, options, messages)
    if dialect is None:
        yield _note("no-dialect", pointer, reason)
        return
    if any(role == "tool" for role, _ in texts):
        report: list[Change] = []
        wire_events(messages, dialect, report, start=options.start)
        for change in report:
            if change["code"] in ("orphan", "surplus", "mismatch"):
                yield _note(change["code"], f"{pointer}/{change['index']}", change["message"])
    chat = _Chat(texts, dialect, options)
    for index, found in chat.findings():
        name = sharegpt.names_in(messages[index])[1]
        yield found._replace(pointer=f"{pointer}/{index}/{name}")


class _Chat:
    """Messages whose texts are in one dialect."""

    def __init__(
        self, texts: Sequence[tuple[str, str]], dialect: str, options: LintOptions
    ) -> None:
        self._texts = texts
        self._dialect = dialect
        self._wire = notation(dialect)
        self._options = options

    def findings(self) -> Iterator[tuple[int, Finding]]:
        answered = 0
        for index, (role, text) in enumerate(self._texts):
            if role == "assistant":
                # Results are at the beginning of a user's message, or in messages of tools, whose
                # number is judged already.
                following = self._texts[index + 1 : index + 3]
                tools = sum(1 for _ in takewhile(lambda each: each[0] == "tool", following))
                is_read = tools == 1 or (following[:1] and following[0][0] == "user")
                answer = following[0][1].rstrip(WHITE) if is_read else ""
                reading, answered = self._read(text, answer)
                is_over = tools > 0 or not following
                yield from self._turn(index, reading, text, answer[:answered], is_over=is_over)
            elif role == "user" or (role == "tool" and not sharegpt.is_answered(text)):
                yield from ((index, found) for found in self._others(role, text, answered))
                answered = 0

    def _read(self, turn: str, answer: str) -> tuple[TranscriptReading, int]:
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

    def _read_whole(self, text: str) -> TranscriptReading:
        return read_text(text, self._dialect, self._options.limits, self._options.start)

    def _turn(
        self, index: int, reading: TranscriptReading, turn: str, answer: str, *, is_over: bool
    ) -> Iterator[tuple[int, Finding]]:
        """Yield the findings of a turn of the model, and of its results."""
        base = len(turn) + len(self._wire.joint)
        for each in findings_of(reading, self._options.toolset):
            if each.start < base or not answer:
                yield index, each
            else:
                yield index + 1, moved(each, answer, base)
        if not (answer or is_over):
            yield from ((index, each) for each in self._unanswered(reading))

    def _unanswered(self, reading: TranscriptReading) -> Iterator[Finding]:
        """Yield a finding if the turn ends in a block."""
        closers = [piece for piece in reading.pieces if piece.kind != "white"]
        last = closers[-1] if closers else None
        if (
            last is not None
            and last.kind == "marker"
            and reading.text[last.start :].strip().lower() == self._wire.block[1].lower()
        ):
            notes = Notes(reading.text)
            message = "No results follow, but another message does."
            notes.note("unanswered-execute", (last.start, last.end), message, event=last.event)
            yield from notes.findings

    def _others(self, role: str, text: str, answered: int) -> Iterator[Finding]:
        """Yield the markers in what a user or a tool wrote."""
        notes = Notes(text)
        own = text[answered:]
        for start, end in self._wire.unsafe_in(own):
            marker = own[start:end]
            notes.note(
                "unsafe-text",
                (answered + start, answered + end),
                f"{marker} in what a {role} wrote passes for the framework's.",
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
