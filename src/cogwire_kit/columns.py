# SPDX-License-Identifier: MIT
"""Columns of data sets: which are read, and the transcript or record that a row has in them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cogwire_kit.records import KEPT, MEMBERS, is_event, is_text, members_in, with_lists
from cogwire_kit.texts.notices import RECORD
from cogwire_kit.texts.rows import (
    TEXT_COLUMN,
    Refusal,
    document,
    half_in,
    has_nulls,
    json_value,
    kind_of,
    kinds_of_lines,
    names_of,
    parquet_texts,
    records,
    text_in,
)


def read_columns(column: str, names: Collection[str]) -> str | tuple[str, ...]:
    """Return what is read of rows with these columns: `column`, or else those of records.

    A column that is named as a member of records for messages or events is one of them.
    """
    is_named = column in names or column != TEXT_COLUMN
    if MEMBERS.get(column, "text") != "text":
        read = [column, *KEPT]
    elif is_named or MEMBERS.keys().isdisjoint(names):
        return column
    else:
        read = [*MEMBERS, *KEPT]
    return tuple(name for name in read if name in names)


def columns_in(
    file: Path, on_share: Callable[[float], None] = lambda _: None
) -> list[Collection[str]]:
    """Return the columns of a data set: the members of each kind of row that are not null.

    Of Parquet, it is the transcript that may be null.  All lines of JSON are looked at; `on_share`
    is called with the share of the file that has been.
    """
    if kind_of(file) == "parquet":
        names = names_of(file)
        others = [name for name in names if name != TEXT_COLUMN]
        has_texts, has_others = has_nulls(file, TEXT_COLUMN) if others != names else (True, False)
        return [*([names] if has_texts else ()), *([others] if has_others else ())]
    return list(kinds_of_lines(file, (*MEMBERS, *KEPT), on_share))


def shared_columns(column: str, named: Iterable[Collection[str]]) -> str | tuple[str, ...]:
    """Return what is read of rows that have these columns: each has some of those that are read.

    Where one row has a transcript and another one a record, a transcript is read as a record.
    """
    kinds = [names for names in named if column in names or not MEMBERS.keys().isdisjoint(names)]
    found = dict.fromkeys(read_columns(column, names) for names in kinds)
    if len(found) < 2:
        return next(iter(found), column)
    read = {name for each in found for name in ((each,) if isinstance(each, str) else each)}
    read.update(name for name in KEPT if any(name in names for names in kinds))
    return tuple(name for name in (*MEMBERS, *KEPT) if name in read)


def values_of(
    file: Path, column: str, others: Sequence[str] = (), wanted: Collection[int] | None = None
) -> Iterator[tuple[int, Any, dict[str, Any]]]:
    """Yield the rows of a data set, or those that are wanted, each with its number.

    A row is a text, a record or a refusal; after it are the values of other columns.  Raises
    `FileError` if it is not such a table, or has no such column.
    """
    fixed = fixed_columns(file, column)
    if isinstance(fixed, str):
        yield from parquet_texts(file, fixed, others, wanted)
        return
    for number, record in rows_of(file, column, wanted):
        has = record if isinstance(record, Mapping) else {}
        value = value_of(record, fixed or columns_of(record, column))
        yield number, value, {name: has.get(name) for name in others}


def records_in(value: Any, column: str | None = None) -> list[Any]:
    """Return the records of a JSON document: those that it lists, or the one that it is.

    What has a `column` that is named is a record too.
    """
    is_list = isinstance(value, list) and value and all(_is_record(each, column) for each in value)
    return value if is_list else [value]


def begins_record(head: str) -> bool:
    """Whether a text begins as JSON Lines or JSON with records does."""
    line = head.lstrip().partition("\n")[0]
    if not line.startswith(("{", "[")):
        return False
    value = json_value(line.strip())
    if isinstance(value, dict):
        return any(members_in(value)) or (is_event(value) and "role" not in value)
    return RECORD.match(head) is not None


def _is_record(value: object, column: str | None) -> bool:
    if isinstance(value, Mapping):
        return column in value or not MEMBERS.keys().isdisjoint(value)
    return isinstance(value, list)


def rows_of(
    file: Path, column: str, wanted: Collection[int] | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a data set as values, as `records` does; of a document its records."""
    if kind_of(file) != "json":
        yield from records(file, wanted)
        return
    for number, record in enumerate(records_in(document(file), column)):
        if wanted is None or number in wanted:
            yield number, record


def fixed_columns(file: Path, column: str) -> str | tuple[str, ...] | None:
    """Return what is read of every row; None if each row has its own members, as in JSON Lines."""
    if kind_of(file) != "parquet":
        return None
    found = {read_columns(column, names) for names in columns_in(file)}
    return found.pop() if len(found) == 1 else None


def columns_of(record: Any, column: str) -> str | tuple[str, ...]:
    """Return what is read of one row; one that has none of these members is a record."""
    names: Collection[str] = record.keys() if isinstance(record, Mapping) else ()
    if column == TEXT_COLUMN and column in names and record[column] is None:
        names = [name for name in names if name != column]
    columns = read_columns(column, names)
    return columns if columns in names or column != TEXT_COLUMN else (*MEMBERS,)


def value_of(record: Any, columns: str | tuple[str, ...]) -> Any:
    """Return what a row has in these columns: its text, itself, or a refusal."""
    if isinstance(record, list):
        return record
    if not isinstance(record, Mapping):
        is_refused = isinstance(record, Refusal)
        return record if is_refused else Refusal("not-json", "it is not a JSON object")
    return text_in(record, columns) if isinstance(columns, str) else with_lists(record)


def record_of(
    members: Iterable[tuple[str, Any]],
    row: dict[str, Any] | None = None,
    *,
    has_halves: bool = True,
) -> dict[str, Any] | Refusal:
    """Return the record with these members, which may be JSON in a text; null is not there.

    It is `row`, if that is given.  It is searched for halves of surrogate pairs, unless it is known
    that it has none.
    """
    record: dict[str, Any] = {} if row is None else row
    for name, value in members:
        is_json = isinstance(value, str) and not is_text(name)
        read = json_value(value) if is_json else value
        if isinstance(read, Refusal):
            read = value  # who reads the record refuses it; tools are refused by who checks calls
        if has_halves and (refusal := half_in([(name, read)])):
            return refusal
        if read is not None:
            record[name] = read
        else:
            record.pop(name, None)
    return record
