# SPDX-License-Identifier: MIT
"""The rows of a data set: Parquet, or JSON Lines, one transcript a row."""

import json
import random
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile

#: What files of each kind are called.
PARQUET: Final = frozenset({".parquet", ".pq"})
LINES: Final = frozenset({".jsonl", ".ndjson"})
FORMATS: Final = PARQUET | LINES

_BATCH: Final = 256

NEEDS_ARROW: Final = "this needs pyarrow; install it with\n    python -m pip install pyarrow"


class TableError(Exception):
    """A data set cannot be read as one."""


class Refusal(NamedTuple):
    """Why a row has no text that could be read."""

    #: One of those that `cogwire_kit.arrow` lists.
    code: str
    message: str


class TableRow(NamedTuple):
    """A row, and what is asked of it."""

    #: Counted from 0.
    number: int
    #: The transcript, as UTF-8 or what should be, or why there is none.
    text: bytes | Refusal
    #: The values of other columns that were asked for.
    others: dict[str, Any]


def rows(
    file: Path, column: str, others: Iterable[str] = (), wanted: Collection[int] | None = None
) -> Iterator[TableRow]:
    """Yield the rows of `file`, whose transcripts are in `column`, or those that are wanted.

    Raises `TableError` if it is not such a table, or has no such column.
    """
    names = list(others)
    if file.suffix.lower() not in PARQUET:
        for number, line in _lines(file, wanted):
            yield line_row(number, line, column, names)
        return
    refusal = Refusal("no-text", f"{column!r} is null")
    for batch, places in _batches(file, [column, *names], wanted):
        texts = batch.column(column).cast("large_binary")
        for number, place in places:
            text = texts[place].as_py()
            kept = {name: batch.column(name)[place].as_py() for name in names}
            yield TableRow(number, refusal if text is None else text, kept)


def names_of(file: Path) -> list[str]:
    """Return the columns of `file`: of JSON Lines, the members of its first row."""
    if file.suffix.lower() in PARQUET:
        with _parquet(file) as table:
            return list(table.schema_arrow.names)
    with file.open("rb") as lines:
        try:
            first = json.loads(next(written(lines), b"{}"))
        except (ValueError, RecursionError):
            return []
    return list(first) if isinstance(first, dict) else []


def records(file: Path, wanted: Collection[int]) -> Iterator[tuple[int, Any]]:
    """Yield the wanted rows of `file` as values; one that is not JSON is a refusal.

    Raises `TableError` if it is not such a table.
    """
    if file.suffix.lower() not in PARQUET:
        for number, line in _lines(file, wanted):
            yield number, _value(line)
        return
    for batch, places in _batches(file, None, wanted):
        for number, place in places:
            yield number, batch.slice(place, 1).to_pylist()[0]


def _lines(file: Path, wanted: Collection[int] | None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are rows, or those that are wanted, with their numbers."""
    last = max(wanted, default=-1) if wanted is not None else None
    with file.open("rb") as lines:
        for number, line in enumerate(written(lines)):
            if last is not None and number > last:
                return
            if wanted is None or number in wanted:
                yield number, line


def _batches(
    file: Path, columns: list[str] | None, wanted: Collection[int] | None
) -> "Iterator[tuple[RecordBatch, list[tuple[int, int]]]]":
    """Yield batches of some columns, or of all, and which of their rows are wanted.

    These are named by the number of the row and its place in the batch.
    """
    with _parquet(file) as table:
        for name in columns or ():
            require(name, table.schema_arrow.names, table.schema_arrow.names)
        names = None if columns is None else list(dict.fromkeys(columns))
        end = 0
        for group in range(table.num_row_groups):
            first, end = end, end + table.metadata.row_group(group).num_rows
            if wanted is not None and not any(first <= each < end for each in wanted):
                continue
            for batch in table.iter_batches(_BATCH, row_groups=[group], columns=names):
                rows_ = enumerate(range(first, first + batch.num_rows))
                yield batch, [(n, at) for at, n in rows_ if wanted is None or n in wanted]
                first += batch.num_rows


def _value(line: bytes) -> Any:
    """Return the value of a line of JSON; a line that is none is a refusal."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        kind = "not-utf8" if isinstance(error, UnicodeDecodeError) else "not-json"
        return Refusal(kind, f"the line is not JSON: {error}")


def written(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that are rows: blank ones are not."""
    return filter(bytes.strip, lines)


def count(file: Path) -> int:
    """Return how many rows `file` has.  Raises `TableError` if it is not such a table."""
    if file.suffix.lower() in PARQUET:
        with _parquet(file) as table:
            number: int = table.metadata.num_rows
            return number
    with file.open("rb") as lines:
        return sum(1 for _ in written(lines))


def line_row(number: int, line: bytes, column: str, others: Iterable[str]) -> TableRow:
    """Return the row that a line of JSON is; a line that is none is a refusal."""
    value = _value(line)
    if isinstance(value, Refusal):
        return TableRow(number, value, {})
    if not isinstance(value, dict):
        return TableRow(number, Refusal("not-json", "the line is not a JSON object"), {})
    text = value.get(column)
    kept = {name: value.get(name) for name in others}
    if isinstance(text, str):
        # Half of a surrogate pair is refused with all else that is not UTF-8.
        return TableRow(number, text.encode("utf-8", "surrogatepass"), kept)
    if text is None:
        return TableRow(number, Refusal("no-text", f"{column!r} is null, or not there"), kept)
    return TableRow(number, Refusal("not-text", f"{column!r} is not a string"), kept)


@contextmanager
def _parquet(file: Path) -> "Iterator[ParquetFile]":
    """Open a file of Parquet, and say in our words what is wrong with it."""
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise TableError(NEEDS_ARROW) from None
    try:
        with parquet.ParquetFile(file) as table:
            yield table
    except (pa.ArrowException, OSError) as error:
        raise TableError(str(error).partition("\n")[0]) from None


def require(column: str, names: Iterable[str], all_names: Iterable[str]) -> None:
    """Raise `TableError` if there is no such column."""
    if column not in set(names):
        raise TableError(f"there is no column {column!r}; there are {', '.join(all_names)}")


def decoded(text: bytes | Refusal) -> str | Refusal:
    """Return the text, if it is UTF-8."""
    if isinstance(text, Refusal):
        return text
    try:
        return str(text, "utf-8")
    except UnicodeDecodeError as error:
        return Refusal("not-utf8", f"not UTF-8 at byte {error.start}")


def drawn(total: int, size: int, seed: int) -> set[int]:
    """Return `size` of the numbers below `total`, or all; each set of them is as likely."""
    return set(random.Random(seed).sample(range(total), min(size, total)))  # noqa: S311 (no secret)


def sample(file: Path, column: str, others: Iterable[str], size: int, seed: int) -> list[TableRow]:
    """Return `size` of the rows, each set of them as likely as any other, in their order.

    Raises as `rows` does.
    """
    return list(rows(file, column, others, drawn(count(file), size, seed)))
