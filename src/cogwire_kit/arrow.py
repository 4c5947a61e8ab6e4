# SPDX-License-Identifier: MIT
"""Transcripts by the million: pure functions from Arrow record batch to Arrow record batch.

Each function takes a batch with a column of transcripts, and returns a batch with the same rows in
the same order: the other columns, and the columns of the answer.  No row ends a job: a transcript
that cannot be read has a row too, with the reason as a word in `refused` and as a sentence in
`reason`.

    no-text          the text is null
    not-utf8         it is not UTF-8, and none of it was read
    no-dialect       its dialect is null, or could not be detected
    unknown-dialect  there is no such dialect
    failed           a bug in this library; please report it

The functions need only pyarrow, have no state, and do no I/O, so that they run wherever Arrow does.
A batch may be a `RecordBatch` or a `Table`; a column of the answer may have at most 2 GiB.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, Literal, TypeVar

import cogwire
from cogwire.tooling import notation
from cogwire_kit.lint import lint_text
from cogwire_kit.texts.dialects import AUTO, resolved
from cogwire_kit.texts.rows import NEEDS_ARROW, Refusal, decoded

try:
    import pyarrow as pa
except ImportError:
    raise ImportError(NEEDS_ARROW) from None

Batch = TypeVar("Batch", bound=pa.RecordBatch | pa.Table)
Operation = Literal["events", "lint", "spans", "convert"]

_TEXT: Final = pa.string()
_COUNT: Final = pa.int64()

#: The last columns of every answer.
_COMMON: Final = (
    pa.field("characters", _COUNT),  # how many code points were read
    pa.field("refused", _TEXT),
    pa.field("reason", _TEXT),
)

#: The members of events; members that an event does not have are null.
_EVENT: Final = (
    pa.field("type", _TEXT),
    pa.field("content", _TEXT),
    pa.field("start", _COUNT),  # its span
    pa.field("end", _COUNT),
    pa.field("code", _TEXT),  # and the next three: of an error
    pa.field("offset", _COUNT),
    pa.field("path", _TEXT),
    pa.field("calls", _COUNT),
    pa.field("success_count", _COUNT),  # of a result
    pa.field("failure_count", _COUNT),
)
_SPAN: Final = tuple(
    pa.field(name, _TEXT if name in {"author", "kind"} else _COUNT)
    for name in ("author", "kind", "event", "start", "end", "start_byte", "end_byte")
)
_FINDING: Final = tuple(
    pa.field(name, _TEXT if name in {"rule", "severity", "message", "path"} else _COUNT)
    for name in ("rule", "severity", "message", "start", "end", "line", "column", "event", "path")
)
_finding: Final = attrgetter(*(field.name for field in _FINDING))
_CHANGE: Final = (pa.field("offset", _COUNT), pa.field("code", _TEXT), pa.field("message", _TEXT))


def _many(*fields: pa.Field) -> pa.ListType:
    return pa.list_(pa.struct(fields))


#: The columns that each function adds before the common ones.
ANSWERS: Final[dict[Operation, tuple[pa.Field, ...]]] = {
    "events": (pa.field("events", _many(*_EVENT)),),
    "lint": (pa.field("findings", _many(*_FINDING)),),
    "spans": (pa.field("spans", _many(*_SPAN)),),
    "convert": (pa.field("converted", _TEXT), pa.field("changes", _many(*_CHANGE))),
}

#: How many characters were read, and the values of the columns: a list of objects is one of tuples.
_Answer = tuple[int, tuple[Any, ...]]
_Work = Callable[[str, str], _Answer]


def events(batch: Batch, **options: Any) -> Batch:
    """Return `events`: those of each transcript, with their spans.

    All functions here have these options.  `text` names the column of the transcripts, which are
    strings or UTF-8 binaries.  `dialect` is the dialect of all of them, or "auto"; `dialect_column`
    names a column with the dialect of each.  `keep` names the columns that the answer keeps; by
    default all except the transcripts.

    Raises `ValueError` for a column or a dialect that does not exist, and for a kept column with
    the name of an added one; `TypeError` for a column that does not contain text.
    """
    return _answered(batch, "events", _events, **options)


def spans(batch: Batch, **options: Any) -> Batch:
    """Return `spans`: who wrote each piece of each transcript, and what it is (`cogwire.spans`)."""
    return _answered(batch, "spans", _spans, **options)


def lint(batch: Batch, **options: Any) -> Batch:
    """Return `findings`: what is wrong with each transcript, as `cogwire lint` reports it."""
    return _answered(batch, "lint", _lint, **options)


def convert(batch: Batch, *, to: str, **options: Any) -> Batch:
    """Return `converted`, each transcript in the dialect `to`, and `changes`: what that changed."""
    notation(to)

    def work(text: str, dialect: str) -> _Answer:
        report: list[cogwire.Difference] = []
        written = cogwire.convert(text, dialect, to, report=report)
        changes = [(each["offset"], each["code"], each["message"]) for each in report]
        return len(text), (written, changes)

    return _answered(batch, "convert", work, **options)


def schema(
    batch: pa.Schema, operation: Operation, *, text: str = "text", keep: Sequence[str] | None = None
) -> pa.Schema:
    """Return the schema of what `operation` makes of batches with the schema `batch`."""
    names = [name for name in batch.names if name != text] if keep is None else keep
    fields = [*map(batch.field, names), *ANSWERS[operation], *_COMMON]
    return pa.schema(fields, metadata=batch.metadata)


# -- One row ----------------------------------------------------------------------------------


def _events(text: str, dialect: str) -> _Answer:
    parser = cogwire.Parser(dialect, mode=notation(dialect).mode, raw=True, spans=True, clock=None)
    found = parser.feed(text) + parser.close(finished=True)
    # The events account for all of the text: the parser's fourth law.
    claimed = sum(len(event["raw"]) for event in found) + len(parser.tail)
    return claimed, ([_event(event) for event in found],)


def _event(event: cogwire.Event) -> tuple[Any, ...]:
    start, end = event["span"]
    first = (event["type"], event.get("content"), start, end)
    if event["type"] == "error":
        rest = (event["code"], event["offset"], event.get("path"), event["calls"])
        return (*first, *rest, None, None)
    if event["type"] == "result":
        payload = event["payload"]
        return (*first, None, None, None, None, payload["success_count"], payload["failure_count"])
    return (*first, None, None, None, None, None, None)


def _spans(text: str, dialect: str) -> _Answer:
    found = cogwire.spans(text, dialect)
    return found[-1].end if found else 0, (found,)


def _lint(text: str, dialect: str) -> _Answer:
    found = lint_text(text, dialect)
    return len(text), ([_finding(each) for each in found],)


# -- A batch ----------------------------------------------------------------------------------


def _answered(
    batch: Batch,
    operation: Operation,
    work: _Work,
    *,
    text: str = "text",
    dialect: str = "xml-json",
    dialect_column: str | None = None,
    keep: Sequence[str] | None = None,
) -> Batch:
    _require_dialect(dialect)
    names = batch.schema.names
    for name in (text, *([dialect_column] if dialect_column else ()), *(keep or ())):
        if name not in names:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(names)}")
    kept = [name for name in names if name != text] if keep is None else list(keep)
    fields = (*ANSWERS[operation], *_COMMON)
    if both := sorted(set(kept) & {field.name for field in fields}):
        raise ValueError(
            f"the answer has its own column {both[0]!r}; rename yours, or `keep` others only"
        )
    texts = _texts(batch.column(text), text)
    dialects = _dialects(batch, dialect, dialect_column)
    answers = _answers(operation, work, zip(texts, dialects, strict=True))
    together = schema(batch.schema, operation, text=text, keep=kept)
    columns = [*(batch.column(name) for name in kept), *answers]
    made: Batch = type(batch).from_arrays(columns, schema=together)
    return made


def _answers(
    operation: Operation, work: _Work, rows: Iterable[tuple[bytes | Refusal, str | None]]
) -> list[pa.Array]:
    """Return the columns of the answer to `rows`, each a text and its dialect."""
    columns = [_Column(field.type) for field in ANSWERS[operation]]
    counts: list[int | None] = []
    refusals: list[Refusal | None] = []
    for text, dialect in rows:
        answer = _row(work, text, dialect)
        if isinstance(answer, Refusal):
            refusals.append(answer)
            counts.append(None)
            values: tuple[Any, ...] = (None,) * len(columns)
        else:
            refusals.append(None)
            characters, values = answer
            counts.append(characters)
        for column, value in zip(columns, values, strict=True):
            column.add(value)
    return [
        *(column.array() for column in columns),
        pa.array(counts, _COUNT),
        pa.array([refusal and refusal.code for refusal in refusals], _TEXT),
        pa.array([refusal and refusal.message for refusal in refusals], _TEXT),
    ]


def _row(work: _Work, data: bytes | Refusal, dialect: str | None) -> _Answer | Refusal:
    text = decoded(data)
    if isinstance(text, Refusal):
        return text
    if dialect is None:
        return Refusal("no-dialect", "its dialect is null")
    try:
        _require_dialect(dialect)
    except ValueError as problem:
        return Refusal("unknown-dialect", str(problem))
    dialect, reason = resolved(dialect, text)
    if dialect is None:
        return Refusal("no-dialect", reason)
    try:
        return work(text, dialect)
    except Exception as error:  # noqa: BLE001 (a fault at one row must not end a job)
        return Refusal("failed", f"{type(error).__name__}: {error}")


class _Column:
    """A column of the answer while it is built; lists of tuples are kept flat."""

    def __init__(self, kind: pa.DataType) -> None:
        self._type = kind
        self._is_list = pa.types.is_list(kind)
        self._values: list[Any] = []
        self._offsets: list[int | None] = []

    def add(self, value: Any) -> None:
        """Add the value of the next row; `None` is null."""
        if not self._is_list:
            self._values.append(value)
        elif value is None:
            self._offsets.append(None)
        else:
            self._offsets.append(len(self._values))
            self._values += value

    def array(self) -> pa.Array:
        """Return all values as an array."""
        if not self._is_list:
            return pa.array(self._values, self._type)
        fields = [self._type.value_type.field(n) for n in range(self._type.value_type.num_fields)]
        columns = zip(*self._values, strict=True) if self._values else ([] for _ in fields)
        arrays = [
            pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)
        ]
        offsets = pa.array([*self._offsets, len(self._values)], pa.int32())
        items = pa.StructArray.from_arrays(arrays, fields=fields)
        return pa.ListArray.from_arrays(offsets, items).cast(self._type)


def _texts(column: pa.Array | pa.ChunkedArray, name: str) -> Iterator[bytes | Refusal]:
    refusal = Refusal("no-text", f"{name!r} is null")
    for value in _as_bytes(column, name):
        data = value.as_py()
        yield refusal if data is None else data


def _dialects(batch: Batch, dialect: str, column: str | None) -> Iterable[str | None]:
    if column is None:
        return [dialect] * batch.num_rows
    values = _as_bytes(batch.column(column), column).to_pylist()
    return [None if value is None else str(value, "utf-8", "replace") for value in values]


def _as_bytes(column: pa.Array | pa.ChunkedArray, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column of strings or binaries as binaries.

    A column of strings may contain invalid UTF-8, since few readers check.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if not any(is_one(kind) for is_one in _TEXTUAL):
        raise TypeError(f"the column {name!r} contains {column.type}, not string or binary")
    return column.cast(pa.large_binary())


_TEXTUAL: Final = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_null,
)


def _require_dialect(name: str) -> None:
    """Raise `ValueError` unless there is a dialect or a format of this name, or it is detected."""
    if name != AUTO:
        notation(name)
