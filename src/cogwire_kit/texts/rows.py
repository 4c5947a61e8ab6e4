# SPDX-License-Identifier: MIT
"""The rows of a data set: Parquet, or JSON Lines, which may be compressed.

Everything that reads data sets reads them here, so that all commands read the same files.
"""

import functools
import gzip
import io
import itertools
import json
import os
import random
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, NoReturn, cast

from cogwire_kit.texts.numbers import number_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile

Kind = Literal["text", "json", "jsonl", "parquet"]

#: How the names of files end, by what is in them; a file of any other name is a transcript.
SUFFIXES: Final[dict[str, Kind]] = {
    ".json": "json",
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}
#: The endings of data sets, each row of which is a record.
FORMATS: Final = frozenset(name for name, kind in SUFFIXES.items() if kind in ("jsonl", "parquet"))
#: What follows the ending of a compressed file.
_PACKED: Final = frozenset({".gz", ".zst"})

#: The column of transcripts, if no other is named.
TEXT_COLUMN: Final = "text"

#: Finds half of a surrogate pair, which is refused with all else that is not UTF-8.
HALVES: Final = re.compile("[\ud800-\udfff]")

_BATCH: Final = 256
#: How much of a column's pages, or of a compressed file, is read at once.
_READ_BYTES: Final = 1 << 20

#: How a file begins that is UTF-16, and what is said of it.
UTF_16: Final = {b"\xff\xfe", b"\xfe\xff"}
IS_UTF_16: Final = "this is UTF-16; convert it to UTF-8 first"

_RESTORE: Final = "restore the file or leave it out"
NEEDS_ARROW: Final = "this needs pyarrow; install it: python -m pip install pyarrow"


class FileError(Exception):
    """A file cannot be read as the kind of file it should be."""


class Refusal(NamedTuple):
    """Why a row has no text that could be read."""

    #: One of those that `cogwire_kit.arrow` lists.
    code: str
    #: Why; after a JSON Pointer into the row, if it is about a part of it.
    message: str

    @property
    def placed(self) -> tuple[str, str]:
        """The pointer, empty if it is about the whole row, and the reason."""
        pointer, _, reason = self.message.partition(": ")
        return (pointer, reason) if pointer.startswith("/") and reason else ("", self.message)

    def to_json(self) -> dict[str, str]:
        """Return it as a line about the row has it."""
        pointer, reason = self.placed
        at = {"pointer": pointer} if pointer else {}
        return {**at, "refused": self.code, "message": reason}


#: What is said of a member or a column that has no text.
IS_NULL: Final = "`{}` is null."
NOT_TEXT: Final = "`{}` is not a string."


# -- Files ----------------------------------------------------------------------------------------


def ending(file: str | Path) -> str:
    """Return how the name of a file ends, in lower case, and without that it is compressed."""
    path = Path(str(file).lower())
    return Path(path.stem).suffix if path.suffix in _PACKED else path.suffix


def is_packed(file: str | Path) -> bool:
    """Whether the name of a file says that it is compressed."""
    return Path(file).suffix.lower() in _PACKED


def kind_of(file: str | Path) -> Kind:
    """Return what is in a file of this name."""
    return SUFFIXES.get(ending(file), "text")


@contextmanager
def unpacked(stream: BinaryIO, file: str | Path) -> Iterator[BinaryIO]:
    """Decompress what `stream` has of the file of this name, if it is compressed.

    Raises `FileError` if it is not what its name says, or cannot be read.
    """
    with decompressing(file), _plain(stream, file) as plain:
        yield plain


@contextmanager
def reader(stream: BinaryIO, file: str | Path) -> Iterator[Callable[[int], bytes]]:
    """Yield what reads so many bytes at most of what `unpacked` has, and raises as it does.

    Nothing else that is raised meanwhile, as by a write, is said of this file.
    """
    with _plain(stream, file) as plain:

        def read(size: int) -> bytes:
            with decompressing(file):
                return plain.read(size)

        yield read


@contextmanager
def _plain(stream: BinaryIO, file: str | Path) -> Iterator[BinaryIO]:
    suffix = Path(file).suffix.lower()
    if suffix == ".gz":
        with gzip.open(stream) as plain:
            yield cast("BinaryIO", plain)
    elif suffix == ".zst":
        pa = _arrow()
        with pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd") as plain:
            yield cast("BinaryIO", io.BufferedReader(plain, _READ_BYTES))
    else:
        yield stream


@contextmanager
def decompressing(file: str | Path) -> Iterator[None]:
    """Say that what is raised is the fault of the file of this name, which is read here."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, EOFError, zlib.error) as problem:
        if is_packed(file):
            raise FileError(f"this cannot be decompressed: {problem}; {_RESTORE}") from None
        raise FileError(getattr(problem, "strerror", None) or str(problem)) from None


@contextmanager
def opened_lines(file: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open JSON Lines: the lines, and the file itself, whose position says how far this is.

    Raises `FileError` for UTF-16, and if the file cannot be opened, or is cut off meanwhile.
    """
    try:
        opened = file.open("rb", buffering=_READ_BYTES)
    except OSError as problem:
        raise FileError(problem.strerror) from None
    with opened as stream, unpacked(stream, file) as lines:
        if cast("io.BufferedReader", lines).peek(2)[:2] in UTF_16:
            raise FileError(IS_UTF_16)
        size = os.fstat(stream.fileno()).st_size
        yield lines, stream
        if os.fstat(stream.fileno()).st_size < size:
            raise FileError("it was cut off while it was read; run the same command again")


def document(file: Path) -> Any:
    """Return the value of a JSON document.  Raises `FileError` for what is none."""
    with opened_lines(file) as (source, _):
        try:
            return read_json(source.read())
        except RepeatedError as problem:
            raise FileError(str(problem)) from None
        except (ValueError, RecursionError) as problem:
            hint = f"; {IS_LINES}" * ("Extra data" in str(problem))
            raise FileError(f"this is not JSON: {not_json(problem)}{hint}") from None


def _arrow() -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra)
    except ImportError:
        raise FileError(NEEDS_ARROW) from None
    return pa


@contextmanager
def opened_parquet(file: Path | BinaryIO) -> "Iterator[ParquetFile]":
    """Open a file of Parquet, and say in our words what is wrong with it.

    Its end is read first, so that all of it is in memory if it is compressed or a pipe.
    """
    pa = _arrow()
    from pyarrow import parquet  # noqa: PLC0415

    try:
        if not isinstance(file, Path):
            file = file if file.seekable() else io.BytesIO(file.read())
        elif is_packed(file):
            with file.open("rb") as stream, unpacked(stream, file) as plain:
                file = io.BytesIO(plain.read())
        with parquet.ParquetFile(file, buffer_size=_READ_BYTES) as table:
            yield table
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise FileError(f"this is not Parquet that can be read: {reason}; {_RESTORE}") from None


def batches(
    table: "ParquetFile",
    columns: list[str] | None = None,
    most: int = _BATCH,
    wanted: Collection[int] | None = None,
) -> "Iterator[tuple[int, RecordBatch]]":
    """Yield batches of some columns, or of all, each with the number of its first row.

    They end where a group of rows does, whatever the version of pyarrow.  Groups without a wanted
    row are left out.  Raises `FileError` if there is no such column, or several of one name.
    """
    known = table.schema_arrow.names
    for name in known if columns is None else columns:
        require(name, known)
    names = None if columns is None else list(dict.fromkeys(columns))
    end = 0
    for group in range(table.num_row_groups):
        first, end = end, end + table.metadata.row_group(group).num_rows
        if wanted is not None and not any(first <= each < end for each in wanted):
            continue
        for batch in table.iter_batches(most, row_groups=[group], columns=names):
            yield first, batch if columns is None else batch.select(columns)
            first += batch.num_rows


def require(column: str, names: Iterable[str]) -> None:
    """Raise `FileError` unless there is one such column."""
    known = list(names)
    if column not in known:
        raise FileError(f"there is no column {column!r}; there are {', '.join(known) or 'none'}")
    if (number := known.count(column)) > 1:
        raise FileError(f"there are {number} columns {column!r}; rename all but one of them")


# -- Rows -----------------------------------------------------------------------------------------


def parquet_texts(
    file: Path, column: str, others: Iterable[str] = (), wanted: Collection[int] | None = None
) -> Iterator[tuple[int, str | Refusal, dict[str, Any]]]:
    """Yield the rows of Parquet, or those that are wanted, with the text of a column.

    Each is its number, the text or why there is none, and the values of other columns.  Raises
    `FileError` if there is no such column.
    """
    names = list(others)
    is_null = Refusal("no-text", IS_NULL.format(column))
    not_text = Refusal("not-text", NOT_TEXT.format(column))
    with opened_parquet(file) as table:
        for first, batch in batches(table, [column, *names], wanted=wanted):
            given = batch.column(0)
            try:
                texts = given.cast("large_binary")
            except NotImplementedError:
                texts = given  # numbers, for one
            for number, place in _chosen(first, batch, wanted):
                text = texts[place].as_py()
                kept = {name: batch.column(name)[place].as_py() for name in names}
                found = decoded(text) if isinstance(text, bytes) else not_text
                yield number, is_null if text is None else found, kept


def records(file: Path, wanted: Collection[int] | None = None) -> Iterator[tuple[int, Any]]:
    """Yield the rows of `file`, or those that are wanted, as values; one not JSON is a refusal.

    Raises `FileError` if it is not such a table.
    """
    if kind_of(file) == "parquet":
        yield from parquet_records(file, wanted)
    else:
        for number, line in _lines(file, wanted):
            yield number, json_value(line)


def parquet_records(
    file: Path | BinaryIO, wanted: Collection[int] | None = None, column: str | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the rows of Parquet, without members that are null: each row has those of all rows.

    Raises `FileError` if there is no such `column`.
    """
    with opened_parquet(file) as table:
        if column is not None:
            require(column, table.schema_arrow.names)
        for first, batch in batches(table, wanted=wanted):
            for number, place in _chosen(first, batch, wanted):
                yield number, NestedRow(batch.slice(place, 1).to_pylist()[0])


def kinds_of_lines(
    file: Path, known: Collection[str], on_share: Callable[[float], None]
) -> Iterator[frozenset[str]]:
    """Yield each set of members that the first lines of JSON have, or one with a new name.

    `known` are the names that count after these lines, since all other lines are not decoded.
    `on_share` is called now and then with the share of the file that has been read.
    """
    kinds = set[frozenset[str]]()
    unseen = {name: json.dumps(name).encode() for name in known}
    total = max(file.stat().st_size, 1)
    with opened_lines(file) as (lines, stream):
        for number, line in enumerate(written(lines)):
            if number % _BATCH == 0:
                on_share(stream.tell() / total)
            if number >= _BATCH and not any(name in line for name in unseen.values()):
                continue
            row = json_value(line)
            members = row.items() if isinstance(row, dict) else ()
            names = frozenset(name for name, value in members if value is not None)
            if names not in kinds and (number < _BATCH or not names.isdisjoint(unseen)):
                kinds.add(names)
                yield names
            for name in names & unseen.keys():
                del unseen[name]


def names_of(file: Path) -> list[str]:
    """Return the columns of `file`: of JSON Lines, the members of its first rows."""
    if kind_of(file) == "parquet":
        with opened_parquet(file) as table:
            return list(table.schema_arrow.names)
    names: dict[str, None] = {}
    for _, row in records(file, range(_BATCH)):
        names |= dict.fromkeys(row if isinstance(row, dict) else ())
    return list(names)


def has_nulls(file: Path, column: str) -> tuple[bool, bool]:
    """Return whether a column of Parquet has values, and whether it has nulls.

    Where the file does not say how many nulls there are, it may have both.
    """
    with opened_parquet(file) as table:
        groups = [table.metadata.row_group(at) for at in range(table.num_row_groups)]
    values = nulls = 0
    for group in groups:
        for chunk in map(group.column, range(group.num_columns)):
            if chunk.path_in_schema == column:
                found = chunk.statistics
                if found is None or not found.has_null_count:
                    return True, True
                values += found.num_values
                nulls += found.null_count
    return values > 0, nulls > 0


def count(file: Path) -> int:
    """Return how many rows `file` has.  Raises `FileError` if it is not such a table."""
    if kind_of(file) == "parquet":
        with opened_parquet(file) as table:
            number: int = table.metadata.num_rows
            return number
    with opened_lines(file) as (lines, _):
        return sum(1 for _ in written(lines))


def line_numbers(file: Path) -> Iterator[int | None]:
    """Yield the line of each row of `file`, counted from 1; only those of JSON Lines have one."""
    if kind_of(file) != "jsonl":
        yield from itertools.repeat(None)
        return
    with opened_lines(file) as (lines, _):
        yield from (number for number, line in enumerate(lines, 1) if line.strip())


def _lines(file: Path, wanted: Collection[int] | None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are rows, or those that are wanted, with their numbers."""
    last = max(wanted, default=-1) if wanted is not None else None
    with opened_lines(file) as (lines, _):
        for number, line in enumerate(written(lines)):
            if last is not None and number > last:
                return
            if wanted is None or number in wanted:
                yield number, line


def _chosen(
    first: int, batch: "RecordBatch", wanted: Collection[int] | None
) -> Iterator[tuple[int, int]]:
    """Yield the rows of a batch that are wanted: the number of each, and its place in the batch."""
    for place in range(batch.num_rows):
        if wanted is None or first + place in wanted:
            yield first + place, place


def written(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that are rows: blank ones are not."""
    return filter(bytes.strip, lines)


def json_value(line: str | bytes, what: str = "") -> Any:
    """Return the value of a line of JSON, or of `what` it is else; what is none is a refusal."""
    # A line end in a string would be a control character, and the line was cut off.
    text = line.rstrip(b"\r\n") if isinstance(line, bytes) else line.rstrip("\r\n")
    try:
        # `json.loads` would take bytes with null characters for UTF-16 or UTF-32.
        if isinstance(text, bytes):
            text = str(text, "utf-8-sig", "surrogatepass")
        return read_json(text)
    except UnicodeDecodeError as error:
        return Refusal("not-utf8", _NOT_UTF8.format(error.start))
    except RepeatedError as error:
        return Refusal("not-json", f"{what}: {error}" if what else str(error))
    except (ValueError, RecursionError) as error:
        what = what or "the line"
        reason = cut_off(error, what) or f"{what} is not JSON: {not_json(error)}"
        return Refusal("not-json", reason)


_NOT_UTF8: Final = "not UTF-8 at byte {}"
#: What to do about a document that is followed by another one.
IS_LINES: Final = "if each line is a record, its name should end in .jsonl, or use --input jsonl"


def not_json(error: Exception) -> str:
    """Return why something is not JSON, without advice to programs."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).partition("; use sys.")[0]


#: How a list of messages or tools begins in JSON, and no prose, such as `[INST]`.
_LIST: Final = re.compile(r"\s*\[\s*[{\]]")


def json_list(text: str, member: str) -> Any:
    """Return the list of objects that a member's text is, another text as it is, or a refusal."""
    return json_value(text, f"`{member}`") if _LIST.match(text) else text


def no_number(name: str) -> NoReturn:
    """Refuse a constant that JSON does not have, such as NaN."""
    raise ValueError(f"{name} is not a number of JSON")


class RepeatedError(ValueError):
    """An object of JSON has a member twice, and reading it would lose one of its values."""

    def __init__(self, name: str) -> None:
        super().__init__(f"an object has the member {name!r} twice; keep one of them")
        self.name = name


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these members; `RepeatedError` if one of them is there twice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedError(next(each for each in names if names.count(each) > 1))
    return value


#: Reads JSON of which nothing is lost, with numbers that can be written as they were read.
read_json: Final = functools.partial(
    json.loads, object_pairs_hook=unrepeated, parse_constant=no_number, parse_float=number_of
)


def cut_off(error: Exception, what: str = "the line") -> str:
    """Return what to say of a line of JSON, without its end, that ends in a string; or nothing."""
    is_cut = getattr(error, "msg", "").startswith("Unterminated string")
    return f"{what} ends inside a string; it may be cut off" if is_cut else ""


def text_in(row: Mapping[str, Any], column: str) -> str | Refusal:
    """Return the text of a row, or why there is none."""
    text = row.get(column)
    if isinstance(text, str):
        # Half of a surrogate pair is refused with all else that is not UTF-8.
        return decoded(text.encode("utf-8", "surrogatepass"))
    if text is None:
        said = IS_NULL.format(column) if column in row else f"{lacks(row, f'no `{column}`')}."
        return Refusal("no-text", said)
    return Refusal("not-text", NOT_TEXT.format(column))


class NestedRow(dict[str, Any]):
    """A row of nested columns without its members that are null.

    A column has the members of all of its rows, so that nobody knows which are null and which are
    not there; `nulls` has the pointers of those that may be arguments of calls.
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        super().__init__(without_nulls(dict(row)))
        self.nulls = [*_null_arguments(row)]


def lacks(row: object, what: str) -> str:
    """Return that a row has, for example, `no text`; a nested one may have it and be null there."""
    return f"This object has {what}" + ", or only null" * isinstance(row, NestedRow)


#: The members of calls that have their arguments.
_ARGUMENTS: Final = frozenset({"arguments", "args", "input"})


def _null_arguments(value: Any, pointer: str = "", *, is_argument: bool = False) -> Iterator[str]:
    """Yield the pointers of the members that are null of the arguments of calls."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if each is not None:
                is_inside = is_argument or name in _ARGUMENTS
                yield from _null_arguments(each, place, is_argument=is_inside)
            elif is_argument:
                yield place
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _null_arguments(each, f"{pointer}/{index}", is_argument=is_argument)


def nulls_of(record: object) -> list[str]:
    """Return the pointers of arguments of a record that are left out and may have been null."""
    return record.nulls if isinstance(record, NestedRow) else []


#: What is said of such an argument.
NULL_LEFT_OUT: Final = (
    "an argument that is null is left out, because nested columns have null where a call has no "
    "such argument; JSON in a text keeps the two apart"
)


def without_nulls(value: Any) -> Any:
    """Return a value without members that are null."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    # A binary column holds text that may not be UTF-8, of which halves of pairs are reported.
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def strings_in(value: Any, *, names: bool = False) -> list[str]:
    """Return the strings in a value, in their order, also the `names` of members if asked."""
    found: list[str] = []
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            found += each if names else ()
            left += reversed(each.values())
        elif isinstance(each, list):
            left += reversed(each)
    return found


def has_half(value: Any) -> bool:
    """Whether a string in a value, or a name, has half of a surrogate pair."""
    text = "\n".join(strings_in(value, names=True))
    return not text.isascii() and HALVES.search(text) is not None


def half_in(members: Iterable[tuple[str, Any]]) -> Refusal | None:
    """Return the refusal of a row if one of these members has half of a surrogate pair."""
    for name, value in members:
        if has_half([name, value]):
            reason = f"{name!r}: a text of it is not UTF-8, or has half of a surrogate pair"
            return Refusal("not-utf8", reason)
    return None


def decoded(text: bytes | Refusal) -> str | Refusal:
    """Return the text, if it is UTF-8."""
    if isinstance(text, Refusal):
        return text
    try:
        return str(text, "utf-8")
    except UnicodeDecodeError as error:
        return Refusal("not-utf8", _NOT_UTF8.format(error.start))


def drawn(total: int, size: int, seed: int) -> set[int]:
    """Return `size` of the numbers below `total`, or all; each set of them is as likely."""
    return set(random.Random(seed).sample(range(total), min(size, total)))  # noqa: S311 (no secret)
