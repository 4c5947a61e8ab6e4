# SPDX-License-Identifier: MIT
"""The input in units: so many rows of one file that they are worth a process's while.

Where a unit begins and ends depends on the file and nothing else, so that a job that was killed
finds the units again that it has done.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from cogwire_kit.texts.rows import PARQUET, TableError, require, written

#: A unit is closed when it has so many bytes of text.
_BYTES: Final = 8 << 20
#: How many rows are read at once, and how much of a column's pages.
_READ_ROWS: Final = 64
_READ_BYTES: Final = 1 << 20


class Unit(NamedTuple):
    """Rows of one file."""

    #: Which file of the job, and which unit of it.
    file: int
    number: int
    #: Which row of the file is its first.
    first: int
    #: Rows of Parquet, or lines of JSON.
    rows: pa.Table | list[bytes]
    #: How much of the file was read when it was closed, from 0 to 1.
    share: float


def units(number: int, file: Path, columns: list[str], most: int) -> Iterator[Unit]:
    """Yield the units of a file, of `most` rows at most; `columns[0]` holds the transcripts.

    Raises `TableError` if it cannot be read, or lacks one of the columns of a Parquet file.
    """
    is_parquet = file.suffix.lower() in PARQUET
    pieces = _parquet(file, columns, most) if is_parquet else _lines(file, most)
    try:
        for unit, (first, rows, share) in enumerate(pieces):
            yield Unit(number, unit, first, rows, share)
    except TableError as problem:
        raise TableError(f"{file}: {problem}") from None


_Piece = tuple[int, "pa.Table | list[bytes]", float]


def _parquet(file: Path, columns: list[str], most: int) -> Iterator[_Piece]:
    try:
        with parquet.ParquetFile(file, buffer_size=_READ_BYTES) as table:
            for name in columns:
                require(name, table.schema_arrow.names, table.schema_arrow.names)
            total = table.metadata.num_rows
            first, held, count, size = 0, list[pa.RecordBatch](), 0, 0
            for batch in _batches(table, columns, min(most, _READ_ROWS)):
                held.append(batch)
                count += batch.num_rows
                size += batch.column(0).nbytes
                if size >= _BYTES or count + _READ_ROWS > most:
                    yield first, pa.Table.from_batches(held), (first + count) / total
                    first, held, count, size = first + count, [], 0, 0
            if held:
                yield first, pa.Table.from_batches(held), 1.0
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise TableError(
            f"{reason}; restore the file or leave it out, and name a new OUTPUT"
        ) from None


def _batches(table: parquet.ParquetFile, columns: list[str], most: int) -> Iterator[pa.RecordBatch]:
    """Yield batches that end where a group of rows does, whatever the version of pyarrow."""
    names = list(dict.fromkeys(columns))
    for group in range(table.num_row_groups):
        for batch in table.iter_batches(most, row_groups=[group], columns=names):
            yield batch.select(columns)


def _lines(file: Path, most: int) -> Iterator[_Piece]:
    total = max(file.stat().st_size, 1)
    first, held, size, read = 0, list[bytes](), 0, 0
    with file.open("rb", buffering=_READ_BYTES) as lines:
        for line in written(lines):
            held.append(line)
            size += len(line)
            if size >= _BYTES or len(held) >= most:
                read += size
                yield first, held, read / total
                first, held, size = first + len(held), [], 0
    if held:
        yield first, held, 1.0
