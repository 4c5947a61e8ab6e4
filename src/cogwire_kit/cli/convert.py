# SPDX-License-Identifier: MIT
"""`cogwire convert`: a transcript of one dialect as one of another, and what that changes."""

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, TextIO, get_args

import click

from cogwire import Converter, Difference, detect
from cogwire.tooling import ChangeCode, Start, format_names, pointer
from cogwire_kit.cli.files import (
    Source,
    TextFile,
    TroubleError,
    keep_files,
    named_as,
    named_dialect,
    notify,
    reading,
    refuse_records,
    rows_watched,
    trouble,
    watched,
    written,
)
from cogwire_kit.cli.options import (
    OUTPUT_OR_DASH,
    TEXT_TROUBLE,
    check_start,
    column_option,
    exit_codes,
    file_option,
    from_option,
    input_option,
    names_in,
    to_option,
    turn_start_option,
)
from cogwire_kit.conversions import OPENAI_MESSAGES, Changed, converted_rows
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import NO_ROW, Refusals, changed, look_alikes, notices, place_of
from cogwire_kit.texts.numbers import json_of
from cogwire_kit.texts.places import Places
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.texts.rows import FileError, Kind, Refusal, kind_of, line_numbers
from cogwire_kit.texts.words import meant, on_a_line, visible

#: The codes of changes.
_CODES: Final = frozenset(get_args(ChangeCode))

_END: Final = """\b
Examples:
  cogwire convert --from delimiter --to xml-json log.txt > new.txt
  cogwire convert --from auto --to delimiter --strict --report changes.jsonl log.txt
  my-agent | cogwire convert --from xml-json --to xml-elements""" + exit_codes(
    {1: "--strict was given, and something changed or nothing was recognised", 2: TEXT_TROUBLE}
)

_IS_TRANSCRIPT: Final = (
    f"--to {OPENAI_MESSAGES} is for data sets, and {{}} is read as a transcript; say what it "
    "contains, such as --input jsonl"
)


@click.command(epilog=_END, short_help="Write a transcript in another dialect.")
@click.argument("file", default="-", type=TextFile(exists=True, allow_dash=True))
@from_option
@turn_start_option
@to_option(
    "target_dialect",
    OPENAI_MESSAGES,
    required=True,
    help_=f"The dialect that is written; or {OPENAI_MESSAGES}, for the rows of a data set: calls "
    "and results as values, as OpenAI's API has them.",
)
@file_option(
    "--report",
    "report_file",
    "Write what changes as JSON Lines: to FILE, or for - to stderr.",
    OUTPUT_OR_DASH,
)
@input_option
@column_option
@file_option(
    "--rejects",
    "rejects_file",
    "Write, as JSON Lines, the rows that cannot be read, each with the reason.",
    OUTPUT_OR_DASH,
)
@click.option(
    "--refuse",
    "refused_codes",
    metavar="CODE,…",
    default="",
    help="Leave out the rows with a change of these codes of --report, such as skipped,dropped.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything changes.")
def convert(
    file: str,
    *,
    source_dialect: str,
    start: Start,
    target_dialect: str,
    report_file: str | None,
    kind: Kind | None,
    column: str,
    rejects_file: str | None,
    refused_codes: str,
    strict: bool,
) -> int:
    """Write the transcript in FILE, or on standard input, in another dialect, as it arrives.

    The output ends with a line end.  What the other dialect cannot express is written in the
    nearest form or left out, and stderr names each such place when the text has ended.  If it names
    none, the text of a dialect converts back to the same events; a format that models are trained
    on may read what it cannot write.  With --from auto, a text without a marker of a dialect is
    written as it is, which --strict does not accept.

    FILE may also be a data set, by its name or --input: JSON Lines, which may be compressed, JSON
    or Parquet.  It is written as JSON Lines: the transcripts in --column are converted, or else the
    messages or events that `cogwire lint` reads become messages whose texts are in the dialect of
    --to; system messages, tools and all other members are kept.  A row that cannot be read is left
    out; stderr says how many.
    """
    check_start(start, source_dialect)
    keep_files([file], report=report_file, rejects=rejects_file)
    codes = _codes(refused_codes)
    dialects = source_dialect, target_dialect
    if (kind or kind_of(file)) != "text":
        with (
            trouble(file, FileError),
            written(report_file) as report,
            written(rejects_file) as rejects,
            named_as(file, kind) as path,
        ):
            is_unread, is_changed = _convert_rows(
                file,
                path,
                report,
                rejects,
                column=column,
                dialects=dialects,
                start=start,
                codes=codes,
            )
        return 2 if is_unread else 1 if strict and is_changed else 0
    if target_dialect == OPENAI_MESSAGES:
        raise click.UsageError(_IS_TRANSCRIPT.format(file))
    with reading(file) as source, written(report_file) as report:
        is_changed = _convert_text(file, source, report, kind, dialects, start=start, strict=strict)
    return 1 if strict and is_changed else 0


def _convert_text(
    file: str,
    source: Source,
    report: TextIO | None,
    kind: Kind | None,
    dialects: tuple[str, str],
    *,
    start: Start,
    strict: bool,
) -> bool:
    """Convert a transcript as it arrives; return whether it changed or had no marker."""
    is_detected = dialects[0] == AUTO
    if is_detected:
        refuse_records(file, source.whole(), kind)
    dialect = named_dialect(dialects[0], file, source, "transcript", start)
    converter = Converter(dialect, dialects[1], start=start)
    pieces = watched(source, file)
    first = next(pieces, "")
    refuse_records(file, source.head, kind)
    if is_rendered := rendered(source.head):
        raise TroubleError(f"{file}: {is_rendered}")
    places = to_output(chain([first], pieces), converter, sys.stdout.buffer)
    known = None if is_detected else dialect
    notify(file, notices(file, source.head, known, option="--from", start=start))
    _tell(file, converter.report, places, report)
    is_format = dialect in format_names()
    is_unknown = is_detected and not is_format and not detect(source.head).candidates
    if is_unknown and strict:
        notify(file, ["--strict: no marker of a dialect was found, so nothing was converted"])
    return bool(converter.report or is_unknown)


def _codes(text: str) -> frozenset[str]:
    """Return the codes of changes that an option names, or raise `UsageError`."""
    codes = frozenset(names_in(text))
    if unknown := sorted(codes - _CODES):
        hint = f"{meant(unknown[0], sorted(_CODES))}there are {', '.join(sorted(_CODES))}"
        raise click.UsageError(f"--refuse {unknown[0]}: no change has this code; {hint}")
    return codes


def to_output(pieces: Iterable[str], converter: Converter, output: BinaryIO) -> Places:
    """Write the converted `pieces` as they come, and a line end."""
    places = Places()
    is_empty = True
    for piece in pieces:
        places.add(piece)
        is_empty = not _write(converter.feed(piece), output) and is_empty
    is_empty = not _write(converter.close(finished=True), output) and is_empty
    if not is_empty:
        _write("\n", output)
    return places


def _write(text: str, output: BinaryIO) -> bool:
    if text:
        output.write(text.encode())
        output.flush()
    return bool(text)


def _convert_rows(
    file: str,
    path: Path,
    report: TextIO | None,
    rejects: TextIO | None,
    *,
    column: str,
    dialects: tuple[str, str],
    start: Start,
    codes: Collection[str],
) -> tuple[bool, bool]:
    """Write each row of a data set as a line of JSON, but for those that are refused.

    A row in which something is changed that has one of these codes is refused, too.  stderr says
    what the texts look like, and what was changed.  Returned is whether no row could be read, and
    whether a row was changed or refused.
    """
    looks, first = Counter[str](), dict[str, str]()
    counts, refused = Counter[str](), Refusals()
    total, surplus = 0, ""
    rows = converted_rows(path, column, *dialects, start=start, looks=looks)
    placed = zip(rows, line_numbers(path), strict=False)
    for (number, found, changes), at in rows_watched(placed, file):
        total += 1
        place = {"row": number, "line": at} if at else {"row": number}
        first |= {name: place_of(place) for name in looks if name not in first}
        line = _line(found, changes, codes)
        if isinstance(line, Refusal):
            row = {**place, **line.to_json()}
            refused.add(row)
            if rejects is not None:
                print(json.dumps(row, ensure_ascii=False), file=rejects)
            continue
        print(line)
        counts.update(each.code for each in changes)
        if counts["surplus"] and not surplus:
            surplus = f"the first result that is left out is in {place_of(place)}"
        for each in changes if report else ():
            print(json.dumps({**place, **each._asdict()}, ensure_ascii=False), file=report)
    notify(file, refused.said("left out"))
    if surplus:
        notify(file, [f"{surplus}; --refuse surplus leaves out the rows that have one"])
    notify(file, changed(counts))
    if not total:
        notify(file, [NO_ROW])
    surplus_of = counts["surplus"]
    notify(file, look_alikes(dialects[0], looks, "--from", surplus=surplus_of, first=first))
    lost = refused.codes.total()
    return lost == total, bool(counts or lost)


#: Columns of Parquet have dates and the like.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str)


def _line(row: object, changes: list[Changed], codes: Collection[str]) -> str | Refusal:
    """Return the line of a row, or why there is none: NaN and Infinity are not JSON."""
    if isinstance(row, Refusal):
        return row
    for at, _, code, message in changes:
        if code in codes:
            return Refusal(code, f"{at or 'it'}: {message}")
    try:
        return json_of(row, _ENCODER)
    except ValueError:
        reason = "it has NaN or Infinity, which JSON does not have; write null, or leave it out"
        return Refusal("not-json", f"{_unwritten(row)}: {reason}")


def _unwritten(row: object) -> str:
    """Return the pointer of the first member of a row that JSON cannot have."""
    for name, value in row.items() if isinstance(row, Mapping) else ():
        try:
            json_of(value, _ENCODER)
        except ValueError:
            return pointer([name])
    return "it"


def _tell(file: str, changes: Iterable[Difference], places: Places, report: TextIO | None) -> None:
    """Write the changes as JSON Lines to `report`, or else to stderr as compilers write places."""
    for each in changes:
        if report is not None:
            print(json.dumps(each, ensure_ascii=False), file=report)
            continue
        line, column = places.line_and_column(each["offset"])
        what = f"{each['code']}: {visible(each['message'])} (offset {each['offset']})"
        print(f"{on_a_line(file)}:{line}:{column}: {what}", file=sys.stderr)
