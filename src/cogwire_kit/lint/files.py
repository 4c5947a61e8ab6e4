# SPDX-License-Identifier: MIT
"""Lints a file record by record, with places in it, and writes a fixed copy."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from cogwire.tooling import decode
from cogwire_kit.columns import records_in
from cogwire_kit.lint.findings import Finding, Notes, excerpt_at
from cogwire_kit.lint.records import (
    LintOptions,
    dialect_of,
    dialect_of_events,
    lint_events,
    lint_record,
)
from cogwire_kit.lint.texts import binary, is_binary, lint_text, more_replaced, note_replaced, runs
from cogwire_kit.records import MEMBERS, is_event
from cogwire_kit.saving import whole_file
from cogwire_kit.texts.notices import BYTE_ORDER_MARK
from cogwire_kit.texts.places import Places, inside, locate
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.texts.rows import (
    IS_LINES,
    IS_UTF_16,
    UTF_16,
    FileError,
    Kind,
    RepeatedError,
    cut_off,
    is_packed,
    not_json,
    parquet_records,
    read_json,
    strings_in,
)

#: How much of a line is shown.
_WIDTH: Final = 100

#: How many reasons are named for adjacent lines that cannot be read.
_REASONS: Final = 5

_EMPTY: Final = "There is no record."
_NOT_JSON: Final = "This is not JSON: "
_NONE_IS_JSON: Final = (
    "None of the {:,} lines can be read as JSON: use --input json for one document, and "
    "--input text for a transcript."
)


def lint_file(
    file: BinaryIO, kind: Kind, options: LintOptions, advance: Callable[[int], object] = id
) -> Iterator[Finding]:
    """Yield what is wrong with a file, in order, with places in the file.

    A finding about several places is yielded once all of them are known.  `advance` is called
    with how many bytes have been read since the last time.  Raises `FileError` for UTF-16, for what
    is not Parquet although its name says so, and where `pyarrow` is needed and not installed.
    """
    if kind == "parquet":
        yield from _lint_parquet(file, options, advance)
    elif kind == "jsonl":
        yield from _lint_lines(file, options, advance)
    else:
        data = file.read()
        if data[:2] in UTF_16:
            raise FileError(IS_UTF_16)
        yield from (_lint_document if kind == "json" else _lint_whole)(data, options)
        advance(len(data))


def _lint_whole(data: bytes, options: LintOptions) -> Iterable[Finding]:
    text = data.decode("utf-8", "replace")
    if is_binary(text):
        return [binary()]
    dialect, reason = dialect_of([data], options)
    if dialect is None or rendered(data):
        raise FileError(rendered(data) or reason)
    _count(options, 0, text)
    return lint_text(
        data, dialect, toolset=options.toolset, limits=options.limits, start=options.start
    )


def _count(options: LintOptions, records: int, *texts: str) -> None:
    """Count what was read, if it is asked for."""
    if options.tally is not None:
        options.tally.records += records
        options.tally.characters += sum(map(len, texts))


# -- JSON -----------------------------------------------------------------------------------------


def _lint_document(data: bytes, options: LintOptions) -> Iterable[Finding]:
    """Yield the findings of a JSON document; last, whether it is not UTF-8."""
    source, value, problem = _decoded(data)
    if is_binary(source):
        yield binary()
        return
    if problem is not None:
        _count(options, 0, source)
        yield problem
    else:
        yield from _lint_value(source, value, options)
    if replaced := _replaced(data, source, 1):
        yield replaced


def _lint_value(source: str, value: Any, options: LintOptions) -> list[Finding]:
    """Return the findings of the JSON `source`: a record, or a list of records."""
    listed = records_in(value, options.column)
    _count(options, len(listed), source)
    if listed is not value:
        return _placed(lint_record(value, options), source, 1)
    found = [
        each._replace(record=number + 1, pointer=f"/{number}{each.pointer}")
        for number, record in enumerate(listed)
        for each in lint_record(record, options)
    ]
    return _placed(found, source, 1)


def _lint_lines(
    file: BinaryIO, options: LintOptions, advance: Callable[[int], object]
) -> Iterator[Finding]:
    """Yield the findings of JSON Lines: a record each, or an event each of one history."""
    events: list[tuple[int, str, Any]] = []
    unread = _Unread()
    replaced: Finding | None = None
    for number, data in enumerate(file, 1):
        if number == 1 and data[:2] in UTF_16:
            raise FileError(IS_UTF_16)
        advance(len(data))
        if not data.strip():
            continue
        unread.is_empty = False
        source, value, problem = _decoded(data, is_line=True)
        if problem is not None and is_binary(source):
            yield binary()._replace(line=number, end_line=number, record=number)
            return
        _count(options, 1, source)
        replaced = _replaced(data, source, number, replaced)
        if problem is not None:
            unread.add(problem, number, source.rstrip())
            continue
        unread.is_all = False
        yield from unread.found()
        is_own = isinstance(value, Mapping) and MEMBERS.keys().isdisjoint(value)
        if options.column is None and is_own and is_event(value):
            events.append((number, source, value))
        else:
            placed = _placed(lint_record(value, options), source, number)
            yield from (each._replace(record=number) for each in placed)
    yield from unread.found()
    if unread.is_empty:
        yield _bad_record("", 0, _EMPTY)
    if replaced is not None:
        yield replaced._replace(record=replaced.line)
    yield from _lint_history(events, options)


class _Unread:
    """Lines that are not JSON; adjacent ones are one finding."""

    def __init__(self) -> None:
        self._problem: Finding | None = None
        self._count = 0
        #: The first line of each reason, up to a number of them.
        self._reasons: dict[str, int] = {}
        #: Whether no line has been JSON, and whether there is none but blank ones.
        self.is_all = self.is_empty = True

    def add(self, problem: Finding, number: int, line: str) -> None:
        self._count += 1
        if len(self._reasons) < _REASONS:
            self._reasons.setdefault(problem.message.removeprefix(_NOT_JSON), number)
        if self._problem is None:
            self._problem = problem._replace(line=number, end_line=number, record=number)
        else:
            self._problem = self._problem._replace(end_line=number, end_column=len(line) + 1)

    def found(self) -> Iterator[Finding]:
        """Yield the finding of the lines since the last time, if there are any."""
        problem, count = self._problem, self._count
        (_, *others), self._reasons = self._reasons.items() or [("", 0)], {}
        self._problem, self._count = None, 0
        if problem is not None and count > 1:
            what = _NONE_IS_JSON if self.is_all else "These {:,} lines cannot be read."
            reason = problem.message.removeprefix(_NOT_JSON)
            more = "".join(f" In line {number}: {other}" for other, number in others)
            message = f"{what.format(count)} In the first: {reason}{more}"
            problem = problem._replace(message=message, occurrences=count)
        if problem is not None:
            yield problem


def _replaced(data: bytes, source: str, line: int, known: Finding | None = None) -> Finding | None:
    """Return the finding that a file is not UTF-8: `known`, if it was not before `line`."""
    places = runs(decode(data)[1]) if "\ufffd" in source else []
    if not places:
        return known
    if known is not None:
        return more_replaced(known, len(places))
    notes = Notes(source)
    note_replaced(notes, places)
    (found,) = notes.findings
    return found._replace(line=found.line + line - 1, end_line=found.end_line + line - 1)


def _lint_history(events: list[tuple[int, str, Any]], options: LintOptions) -> Iterator[Finding]:
    """Yield the findings of a history, an event a line: its line, its text and its value."""
    dialect = dialect_of_events(options)
    for found in lint_events((event for _, _, event in events), dialect):
        number, source, _ = events[int((found.pointer or "/0").split("/")[1])]
        line = source.rstrip()
        yield found._replace(
            line=number,
            end_line=number,
            end_column=len(line) + 1,
            record=number,
            pointer="",
            excerpt=line[:_WIDTH],
        )


def _decoded(data: bytes, *, is_line: bool = False) -> tuple[str, Any, Finding | None]:
    """Return the text of some JSON and its value, or the finding that it is not JSON."""
    source = json_text(data.decode("utf-8", "replace"))
    text = source.rstrip("\r\n") if is_line else source
    try:
        value = read_json(text)
    except RepeatedError as error:
        return source, None, _bad_record(source, 0, f"{str(error).capitalize()}.")
    except RecursionError:
        return source, None, _bad_record(source, 0, "This is nested too deeply.")
    except ValueError as error:
        at = getattr(error, "pos", 0)
        # Some of these messages are meant to go on with a place.
        reason = getattr(error, "msg", not_json(error))
        if reason == "Invalid control character at":
            reason = "a control character in a string is written as an escape, such as \\n"
        if not source.strip():
            return source, None, _bad_record(source, 0, _EMPTY)
        if is_line and (cut := cut_off(error)):
            return source, None, _bad_record(source, at, f"{cut[0].upper()}{cut[1:]}.")
        if reason == "Extra data" and not is_line:
            reason = f"{reason}; {IS_LINES}"
        return source, None, _bad_record(source, at, f"{_NOT_JSON}{reason}.")
    return source, value, None


def json_text(source: str) -> str:
    """Return JSON with a space for a byte order mark, so that offsets do not change."""
    return f" {source[1:]}" if source.startswith(BYTE_ORDER_MARK) else source


def _bad_record(source: str, at: int, message: str) -> Finding:
    notes = Notes(source)
    notes.note("bad-record", (at, at), message)
    (found,) = notes.findings
    return found._replace(end=at + 1, end_column=found.column + 1)


def _placed(found: list[Finding], source: str, first_line: int) -> list[Finding]:
    """Return findings of what the JSON `source` holds, with places in the file."""
    if not found:
        return found
    places = Places()
    places.add(source)
    placed: list[Finding] = []
    for each, (start, end) in zip(found, spans_of(found, source), strict=True):
        line, column = places.line_and_column(start)
        end_line, end_column = places.line_and_column(end)
        excerpt, caret = (each.excerpt, each.caret) if each.excerpt else excerpt_at(source, start)
        placed.append(
            each._replace(
                excerpt=excerpt,
                caret=caret,
                line=first_line + line - 1,
                column=column,
                end_line=first_line + end_line - 1,
                end_column=end_column,
            )
        )
    return placed


def spans_of(found: Sequence[Finding], source: str) -> Iterator[tuple[int, int]]:
    """Yield where each finding is written in the JSON `source`."""
    pointers = [each.pointer or "" for each in found]
    values = locate(source, pointers)
    offsets: dict[str, set[int]] = {}
    for pointer, each in zip(pointers, found, strict=True):
        offsets.setdefault(pointer, set()).update((each.start, each.end))
    written = {
        pointer: inside(source, values[pointer], places)
        for pointer, places in offsets.items()
        if source.startswith('"', values[pointer])
    }
    for pointer, each in zip(pointers, found, strict=True):
        start = values[pointer]
        places = written.get(pointer)
        yield (places[each.start], places[each.end]) if places else (start, start + 1)


# -- Parquet --------------------------------------------------------------------------------------


def _lint_parquet(
    file: BinaryIO, options: LintOptions, advance: Callable[[int], object]
) -> Iterator[Finding]:
    """Yield the findings of the rows of a Parquet file; a line is the number of a row."""
    for number, record in parquet_records(file, column=options.column):
        texts = strings_in(record)
        _count(options, 1, *texts)
        for found in lint_record(record, options):
            place = number + 1
            yield found._replace(record=place, line=place, column=1, end_line=place, end_column=1)
        advance(sum(map(len, texts)))


#: Where a finding is, and what would replace what is there.
_Edit = tuple[int, int, Finding]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def fix_file(file: Path, new: Path, kind: Kind, found: Iterable[Finding]) -> list[Finding]:
    """Write `file` to `new` with the replacements of `found`, and return the findings used.

    Raises `FileError` for Parquet, for what is compressed or not UTF-8, and if `new` exists.
    """
    if kind == "parquet":
        raise FileError("--fix does not write Parquet")
    if is_packed(file):
        raise FileError("--fix does not read what is compressed; decompress the file first")
    if new.exists():
        raise FileError(f"{new} exists, and --fix replaces no file; name a new one")
    try:
        source = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"not UTF-8 at byte {error.start}, so nothing is changed") from None
    lines = _LINE.findall(source) if kind == "jsonl" else [source]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    pieces: dict[int, list[Finding]] = {}
    for each in found:
        if each.replacement is not None:
            pieces.setdefault(each.line - 1 if kind == "jsonl" else 0, []).append(each)
    edits: list[_Edit] = []
    for number, those in pieces.items():
        for start, end, each in _written(those, lines[number], kind):
            edits.append((starts[number] + start, starts[number] + end, each))
    return _apply(source, edits, new)


def _written(found: list[Finding], source: str, kind: Kind) -> Iterator[_Edit]:
    """Yield where findings are written in `source`: a text, a document, or a line of records."""
    if kind == "text":
        yield from ((each.start, each.end, each) for each in found)
        return
    for each, (start, end) in zip(found, spans_of(found, json_text(source)), strict=True):
        yield start, end, each


def _apply(source: str, edits: list[_Edit], new: Path) -> list[Finding]:
    """Write `source` with `edits` to `new`; of two that overlap, only the first is made."""
    pieces: list[str] = []
    used: list[Finding] = []
    at = 0
    for start, end, found in sorted(edits, key=lambda edit: edit[:2]):
        if start >= at and found.replacement is not None:
            pieces += source[at:start], found.replacement
            used.append(found)
            at = end
    pieces.append(source[at:])
    with whole_file(new) as written:
        written.write("".join(pieces).encode())
    return used
