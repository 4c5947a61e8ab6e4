# SPDX-License-Identifier: MIT
"""`cogwire parse`: the events of a text, for people or for programs."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import click

from cogwire import Event, Finish, Parser
from cogwire.tooling import WHITE, notation
from cogwire_kit.cli.files import (
    Source,
    TextFile,
    TroubleError,
    keep_files,
    misuse,
    named_dialect,
    notify,
    reading,
    watched,
)
from cogwire_kit.cli.options import (
    TEXT_TROUBLE,
    choice_option,
    color_option,
    dialect_option,
    exit_codes,
    format_option,
    number_option,
    start_option,
)
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import notices
from cogwire_kit.texts.words import counted, on_a_line

if TYPE_CHECKING:
    from cogwire_kit.cli.painter import Painter

_TAIL_SHOWN: Final = 60

_EXAMPLES: Final = """\b
Examples:
  cogwire parse turn.txt
  cogwire parse --mode transcript logs/*.txt
  cogwire parse --strict --chunk 1 turn.txt
  cogwire parse --dialect auto turn.txt
  cogwire parse --mode transcript --format text --color always log.txt | less -R
  my-model | cogwire parse --stream token | jq -r 'select(.type == "respond").content'"""
_CODES: Final = exit_codes({1: "--strict was given, and there was an error event", 2: TEXT_TROUBLE})


@click.command(epilog=_EXAMPLES + _CODES, short_help="Write the events of a text.")
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=TextFile(exists=True, allow_dash=True),
)
@dialect_option
@choice_option(
    "--stream",
    ("event", "token"),
    "Whole segments, or their text piece by piece as it becomes known.",
)
@choice_option(
    "--mode",
    ("turn", "transcript"),
    "One output of a model, or a whole conversation with its results.",
)
@start_option
@choice_option(
    "--calls",
    ("shown", "sealed"),
    "Each call when it is complete, or together with its execute.",
)
@click.option(
    "--call-deltas", is_flag=True, help="Show calls while they are written, with --stream token."
)
@click.option(
    "--finish",
    metavar="REASON",
    default="stop",
    help="Why the turn ended, as its provider reports it; after length, for example, the end of "
    "the text runs no calls.",
)
@click.option("--raw", is_flag=True, help="Add to each event the text that it accounts for.")
@click.option("--timestamps", is_flag=True, help="Add the time of each event (JSON Lines).")
@number_option("--chunk", "Feed at most N characters at a time.")
@format_option(
    ("auto", "text", "jsonl"),
    "For people or for programs; auto: text on a terminal, JSON Lines in a pipe.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if there is an error event.")
@color_option
def parse(files: tuple[str, ...], *, strict: bool, timestamps: bool, **options: Any) -> int:
    """Write the events of each FILE, or of standard input, as they become known.

    Whatever the model wrote is data: a broken block is an error event, and the exit code is 0.
    Bytes that are not UTF-8 are read as U+FFFD; the first is named on stderr, and the exit code
    is 2.  With --dialect auto, stderr names the dialect in which the text is read, and why.
    stderr also names what the events do not show: text after the end of the turn, a byte order
    mark, and a text that looks like another dialect.  With more than one FILE, each line of JSON
    Lines has the member "file".
    """
    if options["call_deltas"] and options["stream"] != "token":
        raise click.UsageError("--call-deltas needs --stream token")
    options["clock"] = time.time if timestamps else None
    form, color, chunk = (options.pop(name) for name in ("form", "color", "chunk"))
    is_text = form == "text" or (form == "auto" and sys.stdout.isatty())
    errors = problems = 0
    keep_files(files or ("-",))
    for file in files or ("-",):
        painter = _painter(color) if is_text else None
        if painter and len(files) > 1:
            painter.note(f"==> {on_a_line(file)} <==", "bold")
        try:
            errors += _parse_one(file, chunk, painter, named=len(files) > 1, **options)
        except TroubleError as problem:
            problem.show()
            problems += 1
    return 2 if problems else 1 if strict and errors else 0


def _parse_one(
    file: str, chunk: int | None, painter: "Painter | None", *, named: bool, **options: Any
) -> int:
    """Write the events of one file; return how many of them are errors."""
    with reading(file, chunk) as source:
        detected = options["dialect"] == AUTO
        mode, start = options["mode"], options["start"]
        options["dialect"] = named_dialect(options["dialect"], file, source, mode, start)
        wire = notation(options["dialect"])
        if mode == "transcript" != wire.mode:
            reason = f"{wire.name} has no results, so it has no transcripts: read turns"
            raise TroubleError(f"{file}: {reason}") if detected else click.UsageError(reason)
        with misuse("", ValueError):
            Parser(wire, start=start)
        pieces = watched(source, file)
        if painter:
            outcome = to_people(pieces, source, painter, **options)
        else:
            name = file if named else None
            outcome = to_programs(pieces, sys.stdout.buffer, file=name, **options)
        dialect = None if detected else options["dialect"]
        lost = 0 if source.ends_blank(outcome.discarded) else outcome.discarded
        found = notices(
            file,
            source.head,
            dialect,
            outcome.counts,
            lost,
            state=outcome.state,
            start=options["start"],
        )
        notify(file, found)
    return outcome.counts["error"]


def _painter(color: str) -> "Painter":
    from cogwire_kit.cli.painter import on_stdout  # noqa: PLC0415 - rich is slow; pipes do without

    return on_stdout(color, offsets=True)


class EventCounts(NamedTuple):
    """The number of events of each type, and the state at the end of the text."""

    counts: Counter[str]
    #: How many characters were discarded at the end, and the parser's state there.
    discarded: int
    state: str


def to_programs(
    pieces: Iterable[str],
    output: BinaryIO,
    *,
    finish: str = "stop",
    file: str | None = None,
    **options: Any,
) -> EventCounts:
    """Write JSON Lines, each event with the name of its `file` if one is given."""
    parser = Parser(**options)
    counts = Counter[str]()
    place = {} if file is None else {"file": file}
    for text in pieces:
        counts += _write(parser.feed(text), output, place)
    state = parser.state
    counts += _write(parser.close(finished=Finish(finish).by_model), output, place)
    return EventCounts(counts, parser.discarded, state)


def _write(events: list[Event], output: BinaryIO, place: dict[str, str]) -> Counter[str]:
    if events:
        lines = (json.dumps({**place, **each}, ensure_ascii=False) for each in events)
        output.writelines(line.encode() + b"\n" for line in lines)
        output.flush()
    return Counter(event["type"] for event in events)


def to_people(
    pieces: Iterable[str],
    source: Source,
    painter: "Painter",
    *,
    finish: str,
    raw: bool,
    **options: Any,
) -> EventCounts:
    """Write coloured lines and a summary of the text in `source`, which comes in `pieces`."""
    # The raw text of each event says where the next one begins.
    parser = Parser(raw=True, **options)
    reader = _EventPrinter(source, painter, raw=raw)
    for text in pieces:
        reader.show(parser.feed(text))
    state = parser.state
    reader.show(parser.close(finished=Finish(finish).by_model))
    painter.close()
    _summary(parser, painter)
    return EventCounts(painter.counts, parser.discarded, state)


class _EventPrinter:
    """Shows events with their offsets, and errors with their line."""

    def __init__(self, source: Source, painter: "Painter", *, raw: bool) -> None:
        self._source = source
        self._painter = painter
        self._raw = raw
        self._position = 0

    def show(self, events: list[Event]) -> None:
        for event in events:
            if "index" in event:
                # A call delta accounts for no text.
                self._painter.event(event, self._position)
                continue
            raw = event["raw"]
            if event["type"] == "error":
                self._painter.event(event, event["offset"])
                self._painter.caret(*self._source.line_at(event["offset"]))
            else:
                white = len(raw) - len(raw.lstrip(WHITE))
                self._painter.event(event, self._position + white - _claimed(event, raw))
            if self._raw:
                self._painter.raw(raw)
            self._position += len(raw)


def _claimed(event: Event, raw: str) -> int:
    """Return how much of a segment the error before it has claimed: it is read a second time."""
    if event["type"] == "think" or event["type"] == "respond":
        return max(0, len(event["content"]) - len(raw.rstrip(WHITE)))
    return 0


def _summary(parser: Parser, painter: "Painter") -> None:
    counts = ", ".join(counted(count, kind) for kind, count in painter.counts.items())
    painter.note(f"-- {counts or 'no events'}; state {parser.state}")
    if tail := parser.tail.strip(WHITE):
        shown = tail if len(tail) <= _TAIL_SHOWN else tail[: _TAIL_SHOWN - 1] + "…"
        painter.note(f"-- part of no event: {json.dumps(shown, ensure_ascii=False)}")
