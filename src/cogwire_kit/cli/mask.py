# SPDX-License-Identifier: MIT
"""The command `cogwire mask`: who wrote which characters, and which of them are trained."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from cogwire_kit.cli.files import TEXTS, Source, TroubleError, notify, opened, readable, searched
from cogwire_kit.cli.options import column_option, dialect_option, exit_codes, mask_options
from cogwire_kit.masks import chosen
from cogwire_kit.records import RefusedError, spans_of, values_of
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import count_look_alikes, look_alikes, notices
from cogwire_kit.texts.rows import FORMATS, FileError, Refusal, ending

_END: Final = """\b
Examples:
  cogwire mask log.txt
  cogwire mask --train model --skip think,error runs.jsonl > masks.jsonl
  cogwire mask logs/ | jq -c '[.spans[] | select(.train) | [.start, .end]]'""" + exit_codes(
    {2: "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects"}
)

#: Whether a piece of text is trained.
_Trained = Callable[[Any], bool]


@click.command(epilog=_END, short_help="Write who wrote which characters, and a loss mask.")
@click.argument(
    "files", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, allow_dash=True)
)
@dialect_option
@column_option
@mask_options
def mask(files: tuple[str, ...], dialect: str, column: str, train: str, skip: str) -> None:
    """Write the spans of each transcript as a line of JSON, and which of them are trained.

    FILE is a transcript; or a data set, by its name: Parquet, or JSON Lines (.parquet, .jsonl,
    .jsonl.gz, .jsonl.zst), of which each row is a transcript, or a record of messages whose texts
    are in a dialect; or a folder of these, and of transcripts called .txt or .log.  A line has
    `file`, `row` for a data set, `pointer` for a text of a record, `dialect` and `spans`.  The
    spans cover the text without a gap: each has its `author`, its `kind`, the index of its
    `event` in what `parse_transcript` returns, `start` and `end` in code points, `start_byte` and
    `end_byte` in UTF-8, and `train`.  A row that cannot be read has `refused` instead, with the
    reason.
    """
    try:
        is_trained = chosen(*(list(filter(None, each.split(","))) for each in (train, skip)))
    except ValueError as problem:
        raise click.UsageError(f"--train and --skip: {problem}") from None
    for file, _ in searched(files or ("-",), FORMATS | TEXTS):
        if ending(file) in FORMATS:
            lines = _of_rows(file, dialect, column, is_trained)
        else:
            lines = iter([{"file": file, **_of_text(file, dialect, is_trained)}])
        for line in lines:
            click.echo(json.dumps(line, ensure_ascii=False))


def _of_text(file: str, dialect: str, is_trained: _Trained) -> dict[str, Any]:
    with opened(file) as descriptor:
        source = Source(descriptor)
        with readable(file, source):
            (found,) = _masked(source.whole(), dialect, is_trained)
    if "refused" in found:
        raise TroubleError(f"{file}: {found['message']}")
    notify(file, notices(file, source.head, None if dialect == AUTO else dialect))
    return found


def _of_rows(
    file: str, dialect: str, column: str, is_trained: _Trained
) -> Iterator[dict[str, Any]]:
    looks = Counter[str]()
    try:
        for number, given in values_of(Path(file), column):
            place = {"file": file, "row": number}
            if isinstance(given, str):
                looks += count_look_alikes([given], dialect)
            for text in _masked(given, dialect, is_trained):
                yield {**place, **text}
    except FileError as problem:
        raise TroubleError(f"{file}: {problem}") from None
    notify(file, look_alikes(dialect, looks))


def _masked(given: Any, dialect: str, is_trained: _Trained) -> Iterator[dict[str, Any]]:
    """Yield the dialect and the spans of each text of a row, or why there are none."""
    refusal = given if isinstance(given, Refusal) else None
    try:
        for pointer, name, pieces in () if refusal else spans_of(given, dialect):
            spans = [{**each._asdict(), "train": is_trained(each)} for each in pieces]
            place = {"pointer": pointer} if pointer else {}
            yield {**place, "dialect": name, "spans": spans}
    except RefusedError as problem:
        (refusal,) = problem.args
    if refusal is not None:
        yield {"refused": refusal.code, "message": refusal.message}
