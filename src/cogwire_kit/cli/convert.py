# SPDX-License-Identifier: MIT
"""`cogwire convert`: a transcript of one dialect as one of another, and what that changes."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO

import click

from cogwire import Converter, Difference, detect
from cogwire_kit.cli.files import (
    Source,
    TextFile,
    named_dialect,
    notify,
    opened,
    readable,
    watched,
)
from cogwire_kit.cli.options import TEXT_TROUBLE, exit_codes, from_option, to_option
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import notices
from cogwire_kit.texts.places import Places
from cogwire_kit.texts.words import visible

_END: Final = """\b
Examples:
  cogwire convert --from delimiter --to xml-json log.txt > new.txt
  cogwire convert --from auto --to delimiter --strict --report changes.jsonl log.txt
  my-agent | cogwire convert --from xml-json --to xml-elements""" + exit_codes(
    {1: "--strict was given, and something changed or nothing was recognised", 2: TEXT_TROUBLE}
)


@click.command(epilog=_END, short_help="Write a transcript in another dialect.")
@click.argument("file", default="-", type=TextFile(exists=True, allow_dash=True))
@from_option
@to_option("target_dialect", required=True, help_="The dialect that is written.")
@click.option(
    "--report",
    "report_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write what changes as JSON Lines: to FILE, or for - to stderr.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything changes.")
def convert(
    file: str,
    source_dialect: str,
    target_dialect: str,
    report_file: str | None,
    *,
    strict: bool,
) -> int:
    """Write the transcript in FILE, or on standard input, in another dialect, as it arrives.

    The output ends with a line end.  What the other dialect cannot express is written in the
    nearest form or left out, and stderr names each such place when the text has ended.  If it names
    none, the text converts back to the same events.  With --from auto, a text without a marker of
    a dialect is written as it is, which --strict does not accept.
    """
    with opened(file) as descriptor, _written(report_file) as report:
        source = Source(descriptor)
        with readable(file, source):
            dialect = named_dialect(source_dialect, file, source, {"mode": "transcript"})
            converter = Converter(dialect, target_dialect)
            pieces = watched(source, descriptor, file)
            places = to_output(pieces, converter, sys.stdout.buffer)
            known = None if source_dialect == AUTO else dialect
            notify(file, notices(file, source.head, known, option="--from"))
            if report is None:
                to_people(file, converter.report, places, sys.stderr)
            else:
                to_programs(converter.report, report)
            is_unknown = source_dialect == AUTO and not detect(source.head).candidates
            if is_unknown and strict:
                notify(
                    file, ["--strict: no marker of a dialect was found, so nothing was converted"]
                )
    return 1 if strict and (converter.report or is_unknown) else 0


@contextmanager
def _written(file: str | None) -> Iterator[TextIO | None]:
    if file is None or file == "-":
        yield None if file is None else sys.stderr
        return
    with Path(file).open("w", encoding="utf-8") as output:
        yield output


def to_output(pieces: Iterable[str], converter: Converter, output: BinaryIO) -> Places:
    """Write what is made of `pieces` as they come, and a line end after it."""
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


def to_people(file: str, report: Iterable[Difference], places: Places, output: TextIO) -> None:
    """Write each difference in a line that begins as compilers write places."""
    for entry in report:
        line, column = places.line_and_column(entry["offset"])
        what = f"{entry['code']}: {visible(entry['message'])} (offset {entry['offset']})"
        print(f"{file}:{line}:{column}: {what}", file=output)


def to_programs(report: Iterable[Difference], output: TextIO) -> None:
    """Write the differences as JSON Lines."""
    for entry in report:
        print(json.dumps(entry, ensure_ascii=False), file=output)
