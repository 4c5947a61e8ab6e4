# SPDX-License-Identifier: MIT
"""The input in units: so many rows of one file that they are worth a process's while.

Where a unit begins and ends depends on the file and nothing else, so that a job that was killed
finds the units again that it has done.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa

from cogwire_kit.arrow import require_text
from cogwire_kit.texts.rows import (
    FileError,
    batches,
    kind_of,
    opened_lines,
    opened_parquet,
    require,
    written,
)

#: After how many bytes of text a unit ends.
_BYTES: Final = 8 << 20
#: How many rows are read at once.
_READ_ROWS: Final = 64


class Unit(NamedTuple):
    """Rows of one file."""

    #: The number of the file in the job, and of the unit in the file.
    file: int
    number: int
    #: The number of its first row in the file.
    first: int
    #: Rows of Parquet, or lines of JSON.
    rows: pa.Table | list[bytes]
    #: The share of the file read by its end, from 0 to 1.
    share: float


def units(
    number: int,
    file: Path,
    columns: list[str],
    most: int,
    optional: Collection[str] = (),
    *,
    texts: Collection[str] = (),
) -> Iterator[Unit]:
    """Yield the units of a file, of `most` rows at most; `columns` are those that are read.

    Raises `FileError` if it cannot be read, or if it is Parquet and lacks a column that is not
    `optional`, or has no text in one of `texts`.
    """
    is_parquet = kind_of(file) == "parquet"
    pieces = _parquet(file, columns, most, optional, texts) if is_parquet else _lines(file, most)
    try:
        for unit, (first, rows, share) in enumerate(pieces):
            yield Unit(number, unit, first, rows, share)
    except FileError as problem:
        raise FileError(f"{file}: {problem}") from None


_Piece = tuple[int, "pa.Table | list[bytes]", float]


def _parquet(
    file: Path,
    columns: list[str],
    most: int,
    optional: Collection[str],
    texts: Collection[str],
) -> Iterator[_Piece]:
    with opened_parquet(file) as table:
        own = table.schema_arrow.names
        read = [name for name in columns if name in own or name not in optional]
        for name in texts:
            require(name, own)
            try:
                require_text(name, table.schema_arrow.field(name).type)
            except TypeError as problem:
                raise FileError(str(problem)) from None
        total = table.metadata.num_rows
        first, held, count, size = 0, list[pa.RecordBatch](), 0, 0
        for _, batch in batches(table, read, min(most, _READ_ROWS)):
            held.append(batch)
            count += batch.num_rows
            size += batch.nbytes
            if size >= _BYTES or count + _READ_ROWS > most:
                yield first, _with_all(held, columns), (first + count) / total
                first, held, count, size = first + count, [], 0, 0
        if held:
            yield first, _with_all(held, columns), 1.0


def _with_all(held: list[pa.RecordBatch], columns: list[str]) -> pa.Table:
    """Return batches as a table with all columns; one that is not there is null."""
    table = pa.Table.from_batches(held)
    for name in columns:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
    return table.select(columns)


def _lines(file: Path, most: int) -> Iterator[_Piece]:
    total = max(file.stat().st_size, 1)
    first, held, size = 0, list[bytes](), 0
    with opened_lines(file) as (lines, stream):
        for line in written(lines):
            held.append(line)
            size += len(line)
            if size >= _BYTES or len(held) >= most:
                yield first, held, stream.tell() / total
                first, held, size = first + len(held), [], 0
    if held:
        yield first, held, 1.0
