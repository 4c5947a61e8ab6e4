# SPDX-License-Identifier: MIT
"""Transcripts and messages by the million: pure functions from Arrow batch to Arrow batch.

Each function takes a batch with a column of transcripts, or with the columns of records that
`cogwire lint` reads, and returns a batch with the same rows in the same order: the other columns,
and the columns of the answer.  No row ends a job: one that cannot be read has a row too, with the
reason as a word in `refused` and as a sentence in `reason`.

    no-text          the text is null, or a record has none of its members
    not-text         messages have no text where text is needed
    not-writable     what it says has no form in the dialect that is written
    surplus          a result would be left out, and its call written as cancelled
    not-json         a member of a record should be JSON, and is not
    not-utf8         it is not UTF-8, and none of it was read
    no-tokens        the chat template does not write these messages, or not all of them
    no-dialect       its dialect is null, or could not be detected
    unknown-dialect  there is no such dialect, or its turns do not begin in `start`
    failed           a bug in this library; please report it

The functions need only pyarrow, have no state, and do no I/O, so that they run wherever Arrow does;
`mask` needs a tokenizer too, with its packages.
A batch may be a `RecordBatch` or a `Table`; a column of the answer may have at most 2 GiB.
"""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import cogwire
from cogwire.tooling import Start, notation
from cogwire_kit.bridges.common.reading import ARGUMENTS_AS_JSON
from cogwire_kit.chats import tools_of_openai
from cogwire_kit.columns import record_of
from cogwire_kit.conversions import OPENAI_MESSAGES, Changed, converted, kept_beside, renamed
from cogwire_kit.lint import LintOptions, lint_record, lint_text
from cogwire_kit.masks import SpecialTokens, Straddling
from cogwire_kit.records import (
    KEPT,
    MEMBERS,
    TOOLS,
    Noted,
    RefusedError,
    dialect_of,
    events_in,
    flags_of,
    going_on,
    parsed,
    spans_of,
)
from cogwire_kit.texts.dialects import require_start
from cogwire_kit.texts.rows import (
    IS_NULL,
    NEEDS_ARROW,
    NULL_LEFT_OUT,
    NestedRow,
    Refusal,
    decoded,
    nulls_of,
    strings_in,
)

try:
    import pyarrow as pa
except ImportError:
    raise ImportError(NEEDS_ARROW) from None

if TYPE_CHECKING:
    from cogwire_kit.chats import Trouble
    from cogwire_kit.tokens import Encoder

Batch = TypeVar("Batch", bound=pa.RecordBatch | pa.Table)
Operation = Literal["events", "lint", "spans", "convert", "mask"]

_TEXT: Final = pa.string()
_COUNT: Final = pa.int64()

#: The columns and members that are counts; others are texts, unless their type is named.
_COUNTS: Final = frozenset(
    {"characters", "event", "start", "end", "start_byte", "end_byte", "line", "column", "offset"}
    | {"calls", "success_count", "failure_count"}
)


def _fields(names: str, **types: pa.DataType) -> tuple[pa.Field, ...]:
    """Return fields with these names, and then those with other types."""
    known = {name: _COUNT if name in _COUNTS else _TEXT for name in names.split()}
    return tuple(pa.field(name, kind) for name, kind in {**known, **types}.items())


def _many(names: str, **types: pa.DataType) -> pa.ListType:
    """Return the type of lists of objects with such members."""
    return pa.list_(pa.struct(_fields(names, **types)))


#: The last columns of every answer, of which the first is how many code points were read.
_COMMON: Final = _fields("characters refused reason")
#: The members of events, of which `start` and `end` are the span; what an event lacks is null.
_EVENT: Final = "type content start end code offset path calls success_count failure_count pointer"
_SPAN: Final = "author kind event start end start_byte end_byte pointer"
_FINDING: Final = "rule severity message start end line column event path pointer"
_finding: Final = attrgetter(*_FINDING.split())
_CHANGES: Final = _many("offset code message pointer")
_MESSAGES: Final = _many("role content")
_CALLS: Final = _many("id type", function=pa.struct(_fields("name arguments")))
#: Messages in which calls and thoughts are values, as `OPENAI_MESSAGES` has them.
_OPENAI: Final = _many(
    "role content reasoning_content",
    tool_calls=_CALLS,
    tool_call_id=_TEXT,
    weight=pa.float64(),
)
#: The tokens of a text, and for each 1 if it is trained.
_TOKENS: Final = _many(
    "pointer", input_ids=pa.list_(pa.int32()), assistant_masks=pa.list_(pa.int8())
)

#: The columns that each function adds before the common ones, to transcripts.
ANSWERS: Final[dict[Operation, tuple[pa.Field, ...]]] = {
    "events": _fields("", events=_many(_EVENT), changes=_CHANGES),
    "lint": _fields("", findings=_many(_FINDING)),
    "spans": _fields("", spans=_many(_SPAN)),
    "convert": _fields("converted", changes=_CHANGES),
    "mask": _fields(
        "",
        texts=_TOKENS,
        left_out=_many("pointer reason"),
        ignored=_many("pointer name"),
        foreign=_many("name"),
        goes_on=_many("pointer name offset"),
        changes=_CHANGES,
    ),
}

#: How many characters were read, and the values of the columns: a list of objects is one of tuples.
_Answer = tuple[int, tuple[Any, ...]]
#: Takes a transcript or a record, and the dialect.
_Work = Callable[[Any, str], _Answer]
#: The column of the transcripts, or the columns of records.
Columns = str | Sequence[str]


def events(batch: Batch, *, start: Start = "prose", **options: Any) -> Batch:
    """Return `events`: those of each transcript, with their spans.

    `changes` has what the events of a record lack, such as a message that cannot be read, or say
    otherwise.

    All functions here have these options.  `text` names the column of the transcripts, which are
    strings or UTF-8 binaries; or it is a list that names columns of records, each as `cogwire lint`
    reads the member of its name (`messages`, `conversations`, `events`, …, and `tools`), with
    nested values or JSON as text.  What is found in a record has a `pointer` into it.  `dialect` is
    the dialect of all of them, or "auto"; `dialect_column` names a column with the dialect of each.
    `keep` names the columns that the answer keeps; by default all except those that are read.
    `start` is what the prompt of each turn ends in; for a header the format has to be named.

    Raises `ValueError` for a column or a dialect that does not exist, for a `start` that it lacks,
    and for a kept column with the name of an added one; `TypeError` for a column that does not
    contain text.
    """
    return _answered(batch, "events", partial(_events, start=start), start=start, **options)


def spans(batch: Batch, *, start: Start = "prose", **options: Any) -> Batch:
    """Return `spans`: who wrote each piece of each transcript, and what it is (`cogwire.spans`).

    Those of records are of the text of each message; a record whose calls are values is refused.
    """
    return _answered(batch, "spans", partial(_spans, start=start), start=start, **options)


def lint(batch: Batch, *, start: Start = "prose", **options: Any) -> Batch:
    """Return `findings`: the errors and warnings of each row, as `cogwire lint` reports them."""
    return _answered(batch, "lint", partial(_lint, start=start), start=start, **options)


def convert(
    batch: Batch,
    *,
    to: str,
    text: Columns = "text",
    start: Start = "prose",
    **options: Any,
) -> Batch:
    """Return `converted`, each transcript in the dialect `to`, and `changes`: what that changed.

    Columns of records keep their names, and contain messages whose texts are in the dialect `to`,
    system messages included; `events` become `messages`, and `tools` and `system` are kept as
    they are.  With "openai-messages" as `to`, their calls and thoughts are values, `system` is the
    first message, and `conversations` become `messages`, too.
    """
    if to != OPENAI_MESSAGES:
        notation(to)
    elif isinstance(text, str):
        raise ValueError(f"{to} is for records; the column {text!r} has transcripts")
    kinds = {} if isinstance(text, str) else _written(text, to)

    def work(record: Any, dialect: str) -> _Answer:
        report: list[Changed] = []
        written = converted(record, dialect, to, report, start=start, flags=["weight"])
        if isinstance(text, str):
            return _size(record), (written, [_change(each) for each in report])
        answers: list[Any] = []
        for name, kind in kinds.items():
            value = written.get(name) if isinstance(written, dict) else written
            if isinstance(value, list):
                value = [*map(_weighed, value)]
            elif value is not None and not (isinstance(value, str) and kind == _TEXT):
                what = "a text" if kind == _TEXT else "a list of messages"
                report.append(Changed(f"/{name}", None, "dropped", f"it is not {what}"))
                value = None
            answers.append(value)
        return _size(record), (*answers, [_change(each) for each in report])

    return _answered(batch, "convert", work, start=start, text=text, to=to, **options)


def mask(
    batch: Batch,
    *,
    tokenizer: str | Path,
    train: Sequence[str] = ("model",),
    skip: Sequence[str] = (),
    straddling: Straddling = "train",
    stop: str | None = None,
    by_turn: bool = False,
    special_tokens: SpecialTokens = "refuse",
    template_options: Mapping[str, Any] | None = None,
    start: Start = "prose",
    **options: Any,
) -> Batch:
    """Return `texts`: the tokens of each text that becomes of a row, and which are trained.

    `tokenizer` is the path of a tokenizer.json, or of a folder that has one with its chat template,
    wherever this runs.  The other options are those of `cogwire mask`, which writes the same:
    `input_ids` and `assistant_masks`, after the `pointer` of the text.  Turns that are not trained,
    such as one whose call is not JSON, are in `left_out`, with the pointer and the reason; members
    that say in vain how a message is trained are in `ignored`.  `foreign` names the format of the
    calls in the texts of a conversation, if the template writes another one, and `goes_on` where a
    transcript goes on after a call, in a format that does not say what a tool wrote there.  What
    becomes of records that no template has, such as Anthropic's, is that of `convert`, and
    `changes` has what that changes.

    Raises `ValueError` if the tokenizer cannot be read, and for an unknown author or kind.
    """
    policy: dict[str, Any] = {"train": [*train], "skip": [*skip], "straddling": straddling}
    policy |= {"stop": stop, "by_turn": by_turn, "special_tokens": special_tokens, "start": start}
    encoder = _encoder(str(tokenizer), json.dumps({**policy, "template_options": template_options}))

    def work(record: Any, dialect: str) -> _Answer:
        left_out: list[Trouble] = []
        report: list[Changed] = []
        encoder.foreign.clear()
        texts = encoder.encode(record, dialect, left_out, report)
        found = [(pointer or None, text.ids, text.mask.tokens) for pointer, text in texts]
        foreign = [(name,) for name in encoder.foreign]
        beyond = [
            (pointer or None, *more) for pointer, *more in going_on(record, dialect, start=start)
        ]
        changes = [*map(_change, report)]
        return _size(record), (found, left_out, [*flags_of(record)], foreign, beyond, changes)

    return _answered(batch, "mask", work, start=start, **options)


@functools.lru_cache(maxsize=4)
def _encoder(tokenizer: str, policy: str) -> "Encoder":
    """Return what tokenizes; `policy` is its options as JSON."""
    from cogwire_kit.tokens import Encoder, opened_model  # noqa: PLC0415 (an extra)

    return Encoder(*opened_model(Path(tokenizer)), **json.loads(policy))


def schema(
    batch: pa.Schema,
    operation: Operation,
    *,
    text: Columns = "text",
    keep: Sequence[str] | None = None,
    to: str = "",
) -> pa.Schema:
    """Return the schema of what `operation` makes of batches with the schema `batch`."""
    kept = _kept(batch, operation, text, keep, to)
    fields = [*map(batch.field, kept), *_added(operation, text, to)]
    if to == OPENAI_MESSAGES and TOOLS in kept and TOOLS in [*text]:
        at = kept.index(TOOLS)
        fields[at] = fields[at].with_type(_type_of_tools(fields[at].type))
    return pa.schema(fields, metadata=batch.metadata)


def _kept(
    batch: pa.Schema, operation: Operation, text: Columns, keep: Sequence[str] | None, to: str
) -> list[str]:
    if keep is not None:
        return list(keep)
    read = {text} if isinstance(text, str) else {*text}
    if operation == "convert":
        read.difference_update(kept_beside(to))
    return [name for name in batch.names if name not in read]


def _messages_in(to: str) -> pa.ListType:
    """Return the type of messages that a conversion writes."""
    return _OPENAI if to == OPENAI_MESSAGES else _MESSAGES


def _written(names: Sequence[str], to: str) -> dict[str, pa.DataType]:
    """Return the columns that a conversion writes of those of records, each with its type."""
    return {
        renamed(name, to): _TEXT if MEMBERS[name] == "text" else _messages_in(to)
        for name in names
        if name in MEMBERS
    }


def _added(operation: Operation, text: Columns, to: str) -> list[pa.Field]:
    """Return the fields that the answer adds; `ValueError` for a column that records lack."""
    fields = ANSWERS[operation]
    if not isinstance(text, str) and (strange := {*text} - {*MEMBERS, *KEPT}):
        known = ", ".join([*MEMBERS, *KEPT])
        raise ValueError(f"{min(strange)!r} is not a member of records, which have {known}")
    if operation == "convert" and not isinstance(text, str):
        written = _written(text, to).items()
        fields = (*(pa.field(name, kind) for name, kind in written), *fields[1:])
    return [*fields, *_COMMON]


# -- One row ----------------------------------------------------------------------------------


def _size(record: Any) -> int:
    return sum(map(len, strings_in(record)))


def _events(record: Any, dialect: str, start: Start) -> _Answer:
    if isinstance(record, str):
        found, size = parsed(record, dialect, start=start)
        return size, ([_event(event, None) for event in found], [])
    noted: Noted = []
    placed = events_in(record, dialect, noted, start=start)
    events = [_event(event, pointer) for pointer, event in placed]
    report = [Changed(each, None, "dropped", NULL_LEFT_OUT) for each in nulls_of(record)]
    report += (
        Changed(pointer, None, each["code"], each["message"])
        for pointer, each in noted
        # Arguments that are values already say the same as their JSON.
        if each["message"] != ARGUMENTS_AS_JSON
    )
    return _size(record), (events, [*map(_change, report)])


def _event(event: cogwire.Event, pointer: str | None) -> tuple[Any, ...]:
    # Stored events have no span, and what they lack is null.
    members: Mapping[str, Any] = event
    start, end = members.get("span", (None, None))
    payload = members.get("payload") if event["type"] == "result" else None
    counts = payload if isinstance(payload, Mapping) else {}
    own = (members.get(name) for name in ("code", "offset", "path", "calls"))
    return (
        event["type"],
        members.get("content"),
        start,
        end,
        *own,
        counts.get("success_count"),
        counts.get("failure_count"),
        pointer,
    )


def _spans(record: Any, dialect: str, start: Start) -> _Answer:
    is_text = isinstance(record, str)
    found = [
        (*piece, None if is_text else pointer)
        for pointer, _, pieces in spans_of(record, dialect, start=start)
        for piece in pieces
    ]
    return _size(record), (found,)


def _lint(record: Any, dialect: str, start: Start) -> _Answer:
    if isinstance(record, str):
        found = lint_text(record, dialect_of(record, dialect), start=start)
    else:
        found = lint_record(record, LintOptions(dialect, start=start))
    return _size(record), ([_finding(each) for each in found if each.severity != "note"],)


def _weighed(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its weight as a number, as data sets have it as text, too."""
    if "weight" not in message:
        return message
    try:
        return {**message, "weight": float(message["weight"])}
    except (TypeError, ValueError):
        return {**message, "weight": None}


def _change(change: Changed) -> tuple[Any, ...]:
    return (change.offset, change.code, change.message, change.pointer or None)


# -- A batch ----------------------------------------------------------------------------------


def _answered(
    batch: Batch,
    operation: Operation,
    work: _Work,
    *,
    start: Start,
    text: Columns = "text",
    dialect: str = "xml-json",
    dialect_column: str | None = None,
    keep: Sequence[str] | None = None,
    to: str = "",
    given: Iterable[Any] | None = None,
) -> Batch:
    """Return the answer to a batch; `given` is what is read of its rows, if that is known."""
    require_start(start if dialect_column is None else "prose", dialect)
    names = batch.schema.names
    read = [text] if isinstance(text, str) else list(text)
    for name in (*read, *([dialect_column] if dialect_column else ()), *(keep or ())):
        if name not in names:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(names)}")
    kept = _kept(batch.schema, operation, text, keep, to)
    added = _added(operation, text, to)
    if both := sorted(set(kept) & {field.name for field in added}):
        raise ValueError(
            f"the answer has its own column {both[0]!r}; rename yours, or `keep` others only"
        )
    given = given_in(batch, text) if given is None else given
    dialects = _dialects(batch, dialect, dialect_column)
    answers = _answers(added, work, start, zip(given, dialects, strict=True))
    together = schema(batch.schema, operation, text=text, keep=kept, to=to)
    columns = [*(batch.column(name) for name in kept), *answers]
    if to == OPENAI_MESSAGES and TOOLS in kept and TOOLS in read:
        at = kept.index(TOOLS)
        kind = together.field(at).type
        if kind != columns[at].type or not pa.types.is_nested(kind):
            columns[at] = pa.array([*map(tools_of_openai, columns[at].to_pylist())], kind)
    made: Batch = type(batch).from_arrays(columns, schema=together)
    return made


def _type_of_tools(kind: pa.DataType) -> pa.DataType:
    """Return the type that tools of this type have in OpenAI's form."""
    item = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind
    names = {field.name for field in item} if pa.types.is_struct(item) else set[str]()
    if "name" not in names or "function" in names:
        return kind
    function = pa.struct(
        [each.with_name("parameters") if each.name == "input_schema" else each for each in item]
    )
    return _many("type", function=function)


def _answers(
    fields: Sequence[pa.Field], work: _Work, start: Start, rows: Iterable[tuple[Any, str | None]]
) -> list[pa.Array]:
    """Return the columns of the answer to `rows`, each a text or a record, and its dialect."""
    own = fields[: -len(_COMMON)]
    columns: list[list[Any]] = [[] for _ in own]
    counts: list[int | None] = []
    refusals: list[Refusal | None] = []
    for given, dialect in rows:
        answer = _row(work, start, given, dialect)
        if isinstance(answer, Refusal):
            refusals.append(answer)
            counts.append(None)
            values: tuple[Any, ...] = (None,) * len(columns)
        else:
            refusals.append(None)
            characters, values = answer
            counts.append(characters)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return [
        *(pa.array(column, field.type) for column, field in zip(columns, own, strict=True)),
        pa.array(counts, _COUNT),
        pa.array([refusal and refusal.code for refusal in refusals], _TEXT),
        pa.array([refusal and refusal.message for refusal in refusals], _TEXT),
    ]


def _row(work: _Work, start: Start, given: Any, dialect: str | None) -> _Answer | Refusal:
    record = decoded(given) if isinstance(given, bytes) else given
    if isinstance(record, Refusal):
        return record
    if dialect is None:
        return Refusal("no-dialect", "its dialect is null")
    try:
        require_start(start, dialect)
    except ValueError as problem:
        return Refusal("unknown-dialect", str(problem))
    try:
        return work(record, dialect)
    except RefusedError as problem:
        (refusal,) = problem.args
        return Refusal(*refusal)
    except Exception as error:  # noqa: BLE001 (a fault at one row must not end a job)
        return Refusal("failed", f"{type(error).__name__}: {error}")


def given_in(batch: pa.RecordBatch | pa.Table, text: Columns) -> Iterator[Any]:
    """Yield what is read of the rows of a batch: texts as UTF-8, or records, or refusals."""
    return _texts(batch.column(text), text) if isinstance(text, str) else _records(batch, text)


def _texts(column: pa.Array | pa.ChunkedArray, name: str) -> Iterator[bytes | Refusal]:
    refusal = Refusal("no-text", IS_NULL.format(name))
    for value in _as_bytes(column, name):
        data = value.as_py()
        yield refusal if data is None else data


def _records(
    batch: pa.RecordBatch | pa.Table, names: Sequence[str]
) -> Iterator[dict[str, Any] | Refusal]:
    """Yield the records in some columns; a member that is null is not there."""
    columns = [batch.column(name) for name in names]
    for place in range(batch.num_rows):
        values = [column[place].as_py() for column in columns]
        row = NestedRow(dict(zip(names, values, strict=True)))
        yield record_of([*row.items()], row)


def _dialects(batch: Batch, dialect: str, column: str | None) -> Iterable[str | None]:
    if column is None:
        return [dialect] * batch.num_rows
    values = _as_bytes(batch.column(column), column).to_pylist()
    return [None if value is None else str(value, "utf-8", "replace") for value in values]


def _as_bytes(column: pa.Array | pa.ChunkedArray, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column of strings or binaries as binaries.

    A column of strings may contain invalid UTF-8, since few readers check.
    """
    require_text(name, column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_binary())


def require_text(name: str, kind: pa.DataType) -> None:
    """Raise `TypeError` unless a column of this kind has strings or binaries."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not any(is_one(plain) for is_one in _TEXTUAL):
        raise TypeError(f"the column {name!r} contains {plain}, not string or binary")


_TEXTUAL: Final = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_null,
)
