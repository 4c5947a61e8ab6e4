# SPDX-License-Identifier: MIT
"""What a process of the pool does: one unit, from its rows to a file of the output.

A file has its name only when it is whole and on the disk: whatever is killed, and whenever, a unit
is done or it is not.  What the summary needs of a unit is in the file's own metadata.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from cogwire_kit import arrow
from cogwire_kit.bulk.units import Unit
from cogwire_kit.columns import record_of
from cogwire_kit.records import look_alikes_in
from cogwire_kit.saving import whole_file
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.numbers import json_of
from cogwire_kit.texts.rows import HALVES, TEXT_COLUMN, Refusal, decoded, json_value, text_in

#: The key under which a part has its counts.
COUNTS: Final = b"cogwire.counts"

#: The member by which the items of a list are counted, by the column.
_COUNTED: Final = {
    "events": "type",
    "spans": "kind",
    "findings": "rule",
    "changes": "code",
    "ignored": "name",
    "foreign": "name",
    "goes_on": "name",
}

#: What a line has in which a string has half of a surrogate pair: its escape, its byte, or UTF-16.
_HALVES: Final = (b"\\ud", b"\\uD", b"\xed", b"\0")


class Plan(NamedTuple):
    """The operation on every row, with its options."""

    operation: arrow.Operation
    #: The column of the transcripts, or the columns of records.
    text: str | tuple[str, ...]
    dialect: str
    dialect_column: str | None
    keep: tuple[str, ...]
    #: What else the operation is given, such as the dialect that is written, of a conversion.
    more: dict[str, Any]
    #: How many rows a part has at most.
    part_rows: int

    @property
    def columns(self) -> list[str]:
        """The columns that are read, those of the transcripts or records first."""
        others = (each for each in (self.dialect_column, *self.keep) if each is not None)
        return list(dict.fromkeys((*self.read, *others)))

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of the transcripts or records."""
        return (self.text,) if isinstance(self.text, str) else self.text


def part_name(file: int, number: int) -> str:
    """Return the name of the file that a unit becomes."""
    return f"part-{file:05}-{number:06}.parquet"


def do(plan: Plan, unit: Unit, name: str, folder: Path) -> dict[str, Any]:
    """Write what becomes of a unit of the file called `name`; return its counts."""
    table, records = _records_of(plan, unit.rows)
    looks = Counter[str]()
    if plan.dialect != AUTO and plan.dialect_column is None:
        records = _counted(records, plan.dialect, looks)
    answer = _answer(plan, table, records)
    size = answer.num_rows
    numbers = pa.array(range(unit.first, unit.first + size), pa.int64())
    answer = answer.add_column(0, "row", numbers).add_column(0, "file", pa.array([name] * size))
    counts = {"first": unit.first, **_counts(answer, arrow.ANSWERS[plan.operation])}
    # Of JSON Lines a name may be wrong, and each of its values is then missing.
    if others := plan.columns[len(plan.read) :]:
        counts["values"] = {each: len(table) - table[each].null_count for each in others}
    if looks:
        counts["look_alikes"] = looks
    answer = answer.replace_schema_metadata({COUNTS: json.dumps(counts)})
    with whole_file(folder / part_name(unit.file, unit.number)) as output:
        parquet.write_table(answer, output, compression="zstd")
    return counts


def _answer(plan: Plan, table: pa.Table, records: Iterable[Any]) -> pa.Table:
    options: dict[str, Any] = {
        "text": plan.text,
        "dialect": plan.dialect,
        "dialect_column": plan.dialect_column,
        "keep": plan.keep,
        "given": records,
        **plan.more,
    }
    answer: pa.Table = getattr(arrow, plan.operation)(table, **options)
    return answer


def _counted(records: Iterable[Any], dialect: str, looks: Counter[str]) -> Iterator[Any]:
    """Yield the records, and count texts without a marker of `dialect` by what they look like."""
    for each in records:
        record = decoded(each) if isinstance(each, bytes) else each
        looks += look_alikes_in(record, dialect)
        yield record


def _records_of(plan: Plan, rows: pa.Table | list[bytes]) -> tuple[pa.Table, Iterable[Any]]:
    """Return the rows as a table and as records; in the table, values of JSON are JSON text."""
    if isinstance(rows, pa.Table):
        values = arrow.given_in(rows, plan.text)
        return rows, values if isinstance(plan.text, str) else map(_row, values)
    # What is read is given as it is: it is not written as JSON to be read once more.
    columns = {name: pa.nulls(len(rows), pa.string()) for name in plan.read}
    others = [name for name in plan.columns if name not in columns or name in plan.keep]
    read: Iterable[Any] = map(json_value, rows)
    if not others:
        return pa.table(columns), map(_record, read, rows, repeat(plan.text))
    read = [*read]
    records = [*map(_record, read, rows, repeat(plan.text))]
    objects = [each if isinstance(each, dict) else {} for each in read]
    for name in others:
        texts = [_spelled(each.get(name)) for each in objects]
        # Arrow has no halves of surrogate pairs.
        known = [text and HALVES.sub("\ufffd", text) for text in texts]
        columns[name] = pa.array(known, pa.string())
    return pa.table(columns), records


def _record(value: Any, line: bytes, columns: str | tuple[str, ...]) -> Any:
    """Return the text or the record in these columns of a line's value, or a refusal."""
    if isinstance(value, Refusal):
        return value
    if not isinstance(value, dict):
        return Refusal("not-json", "the line is not a JSON object")
    if isinstance(columns, str):
        return text_in(value, columns)
    members = ((name, value.get(name)) for name in columns)
    return _row(record_of(members, has_halves=any(each in line for each in _HALVES)))


def _row(record: Any) -> Any:
    """Return a record, or only the transcript of one that has it, as in a file of transcripts."""
    has = isinstance(record, dict) and record.get(TEXT_COLUMN) is not None
    return {TEXT_COLUMN: record[TEXT_COLUMN]} if has else record


def _spelled(value: Any) -> str | None:
    """Return a value of a line as text."""
    if value is None or isinstance(value, str):
        return value
    return json_of(value)


def _counts(answer: pa.Table, added: Iterable[pa.Field]) -> dict[str, Any]:
    """Return the counts of these rows for the summary; `added` are the columns of the answer."""
    counts: dict[str, Any] = {
        "rows": answer.num_rows,
        "characters": pc.sum(answer["characters"]).as_py() or 0,
        "refused": _tally(answer["refused"]),
    }
    for column in (field.name for field in added):
        if column in _COUNTED:
            items = pc.list_flatten(answer[column])
            counts[column] = _tally(pc.struct_field(items, _COUNTED[column]))
            if column == "events":
                counts["errors"] = _tally(pc.struct_field(items, "code"))
        if column == "left_out":
            counts["left_out"] = {
                "turns": pc.sum(pc.list_value_length(answer[column])).as_py() or 0
            }
        if column == "texts":
            texts = pc.list_flatten(answer[column])
            masks = pc.list_flatten(pc.struct_field(texts, "assistant_masks"))
            trained = pc.sum(masks).as_py() or 0
            counts["tokens"] = {"trained": trained, "others": len(masks) - trained}
    return counts


def _tally(values: pa.ChunkedArray) -> dict[str, int]:
    found = pc.value_counts(values.drop_null()).to_pylist()
    return {each["values"]: each["counts"] for each in found}
