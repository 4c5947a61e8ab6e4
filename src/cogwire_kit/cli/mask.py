# SPDX-License-Identifier: MIT
"""The command `cogwire mask`: who wrote which characters, and which of them are trained."""

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from cogwire.tooling import Start
from cogwire_kit.cli.files import (
    TEXTS,
    TroubleError,
    keep_files,
    misuse,
    named_as,
    notify,
    reading,
    refuse_records,
    rows_watched,
    say,
    searched,
    trouble,
    written,
)
from cogwire_kit.cli.options import (
    OUTPUT_OR_DASH,
    check_start,
    column_option,
    dialect_option,
    exit_codes,
    file_option,
    input_option,
    mask_options,
    names_in,
    refuse_tokens,
    token_options,
    turn_start_option,
)
from cogwire_kit.cli.painter import Screen
from cogwire_kit.columns import values_of
from cogwire_kit.masks import chosen
from cogwire_kit.records import RefusedError, flags_of, going_on, look_alikes_in, spans_of
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.messages import has_weight
from cogwire_kit.texts.notices import (
    NO_ROW,
    TURN,
    Refusals,
    changed,
    foreign,
    ignored,
    look_alikes,
    notices,
    place_of,
)
from cogwire_kit.texts.notices import going_on as said_of_going_on
from cogwire_kit.texts.rendered import no_author, role_marker
from cogwire_kit.texts.rows import (
    NULL_LEFT_OUT,
    SUFFIXES,
    FileError,
    Kind,
    Refusal,
    kind_of,
    nulls_of,
)
from cogwire_kit.texts.words import counted, on_a_line, visible

if TYPE_CHECKING:
    from cogwire_kit.chats import Trouble
    from cogwire_kit.conversions import Changed
    from cogwire_kit.tokens import Encoder

_END: Final = """\b
Examples:
  cogwire mask log.txt
  cogwire mask --train model --skip think,error runs.jsonl > masks.jsonl
  cogwire mask logs/ | jq -c '[.spans[] | select(.train) | [.start, .end]]'
  cogwire mask --tokenizer Qwen3-8B/ --dialect auto chats.parquet > train.jsonl""" + exit_codes(
    {
        2: "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects; or "
        "nothing could be read"
    }
)

#: Returns the lines for a text or a record in a dialect.
_Lines = Callable[[Any, str], Iterator[dict[str, Any]]]


@click.command(epilog=_END, short_help="Write who wrote which characters, and a loss mask.")
@click.argument(
    "files", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, allow_dash=True)
)
@dialect_option
@input_option
@column_option
@mask_options
@turn_start_option
@token_options
@click.option("--labels", is_flag=True, help="Write `labels` and `attention_mask` too.")
@click.option(
    "--show",
    is_flag=True,
    help="With --tokenizer: print what is trained of each text in place of its tokens; on a "
    "terminal the whole text, with that in colour.",
)
@file_option(
    "--rejects",
    "rejects_file",
    "Write, as JSON Lines, the rows and turns that cannot be read, each with the reason.",
    OUTPUT_OR_DASH,
)
@file_option(
    "--report",
    "report_file",
    "With --tokenizer: write, as JSON Lines, what changes where messages are converted first.",
    OUTPUT_OR_DASH,
)
def mask(
    files: tuple[str, ...],
    dialect: str,
    column: str,
    train: str,
    skip: str,
    *,
    start: Start,
    kind: Kind | None,
    tokenizer: Path | None,
    labels: bool,
    show: bool,
    rejects_file: str | None,
    report_file: str | None,
    **options: Any,
) -> int:
    """Write the spans of each transcript as a line of JSON, and which of them are trained.

    FILE is a transcript; or a data set, by its name or --input: Parquet, JSON Lines or JSON
    (.parquet, .jsonl, .jsonl.gz, .jsonl.zst, .json), of which each row is a transcript, or a record
    of messages whose texts are in a dialect; or a folder of these, and of transcripts called .txt
    or .log.  A line has `file`, `row` for a data set, `pointer` for a text of a record, `dialect`
    and `spans`.  The spans cover the text without a gap: each has its `author`, its `kind`, the
    index of its `event` in what `parse_transcript` returns, `start` and `end` in code points,
    `start_byte` and `end_byte` in UTF-8, and `train`.  A row that cannot be read has `refused`
    instead, with the reason, unless --rejects names a file for these.

    With --tokenizer, a line has `input_ids` and `assistant_masks`, as trainers read them.  Messages
    are written by the chat template: a conversation as one text, or turn by turn if they have
    calls or thoughts as values, which are read in the format of the template.  Messages of
    Anthropic, events and the like become those of OpenAI first, as `cogwire convert` writes them.
    Rows and turns that cannot be read are left out, and stderr says how many and why.
    """
    names = [names_in(train), names_in(skip)]
    with misuse("--train and --skip", ValueError):
        is_trained = chosen(*names)
    lines, encoder = _spans(is_trained, start), None
    if tokenizer is not None:
        encoder = _encoder(tokenizer, train=names[0], skip=names[1], start=start, **options)
        lines = _tokens(encoder, has_labels=labels, has_pieces=show)
    else:
        refuse_tokens("name a --tokenizer", "labels", "show", "report_file")
    endings = None if kind else SUFFIXES.keys() | TEXTS
    found = [file for file, _ in searched(files or ("-",), endings)]
    check_start(start, dialect)
    keep_files(found, rejects=rejects_file, report=report_file)
    is_any, is_whole = False, True
    with written(rejects_file) as rejects, written(report_file) as report:
        for file in found:
            written_of = _of_file(file, dialect, kind, column, lines, start=start)
            is_shown = tokenizer is None and rejects is None
            try:
                is_any |= _write(file, written_of, rejects, report, is_shown=is_shown)
            except TroubleError as problem:
                if len(found) == 1:
                    raise
                say(problem.message)
                is_whole = False
            _tell_foreign(file, encoder)
    return 0 if is_any and is_whole else 2


def _write(
    file: str,
    lines: Iterator[dict[str, Any]],
    rejects: TextIO | None,
    report: TextIO | None,
    *,
    is_shown: bool,
) -> bool:
    """Write the lines of a file, and return whether any could be read.

    stderr says how many could not, and why; those lines are written too if they are shown.
    """
    refused = Refusals()
    is_any, untrained = False, 0
    codes = Counter[str]()
    for line in lines:
        pieces = line.pop("pieces", None)
        text = json.dumps(line, ensure_ascii=False)
        if "code" in line:
            codes[line["code"]] += 1
            if report is not None:
                print(text, file=report)
            continue
        if "refused" not in line:
            is_any = True
            untrained += 1 not in line.get("assistant_masks", [1])
            for shown in [text] if pieces is None else _shown(line, pieces):
                click.echo(shown, color=pieces is not None)
            continue
        refused.add(line)
        if is_shown:
            click.echo(text)
        elif rejects is not None:
            print(text, file=rejects)
    notify(file, refused.said("refused" if is_shown else "left out"))
    notify(file, changed(codes))
    if untrained:
        notify(file, [f"{counted(untrained, 'line')} without a token that is trained"])
    if not is_any and not refused.codes:
        notify(file, [NO_ROW])
    return is_any


def _shown(line: dict[str, Any], pieces: list[tuple[bool, str]]) -> Iterator[str]:
    """Yield what `--show` prints of a text."""
    yield f"{on_a_line(line['file'])}{', ' + place_of(line) if 'row' in line else ''}:"
    screen = Screen()
    if screen.is_terminal and not screen.no_color:
        yield "".join(
            click.style(visible(text), **({"fg": "green"} if trained else {"dim": True}))
            for trained, text in pieces
        )
    else:
        yield from (json.dumps(text, ensure_ascii=False) for trained, text in pieces if trained)


def _tell_foreign(file: str, encoder: "Encoder | None") -> None:
    """Say how many conversations of a file have calls in another format than the template's."""
    if encoder is not None:
        notify(file, foreign(encoder.foreign))
        encoder.foreign.clear()


def _of_file(
    file: str, dialect: str, kind: Kind | None, column: str, lines: _Lines, *, start: Start
) -> Iterator[dict[str, Any]]:
    """Return the lines of a transcript or data set, and write notices to stderr."""
    if (kind or kind_of(file)) == "text":
        return _of_text(file, dialect, kind, lines, start)
    return rows_watched(_of_rows(file, dialect, kind, column, lines, start=start), file)


def _of_text(
    file: str, dialect: str, kind: Kind | None, lines: _Lines, start: Start
) -> Iterator[dict[str, Any]]:
    with reading(file) as source:
        text = source.whole()
        refuse_records(file, source.head, kind)
        (found,) = _masked(text, dialect, lines)
    if "refused" in found:
        raise TroubleError(f"{file}: {found['message']}")
    goes_on = _GoesOn(start)
    goes_on.add("", text, dialect)
    notify(file, goes_on.said())
    notify(file, notices(file, source.head, None if dialect == AUTO else dialect, start=start))
    yield {"file": file, **found}


def _of_rows(
    file: str, dialect: str, kind: Kind | None, column: str, lines: _Lines, *, start: Start
) -> Iterator[dict[str, Any]]:
    looks, flags, nulls = Counter[str](), Counter[str](), 0
    chats, goes_on = Counter[str](), _GoesOn(start)
    with trouble(file, FileError), named_as(file, kind) as path:
        for number, row, _ in values_of(path, column):
            looks += look_alikes_in(row, dialect)
            if isinstance(row, str) and dialect != AUTO:
                chats.update(filter(None, [role_marker(row, dialect)]))
            flags.update(name for _, name in flags_of(row))
            nulls += len(nulls_of(row))
            goes_on.add(f"row {number}", row, dialect)
            for text in _masked(row, dialect, lines):
                yield {"file": file, "row": number, **text}
    notify(file, look_alikes(dialect, looks))
    said = (f"{counted(count, 'row')}: {no_author(each, dialect)}" for each, count in chats.items())
    notify(file, said)
    notify(file, ignored(flags))
    notify(file, goes_on.said())
    if nulls:
        notify(file, [f"{counted(nulls, 'argument')}: {NULL_LEFT_OUT}"])


class _GoesOn:
    """The texts where another's message follows a call, by their format, and the first of each."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._counts = Counter[str]()
        self._first: dict[str, str] = {}

    def add(self, place: str, row: Any, dialect: str) -> None:
        with suppress(RefusedError):  # it is refused where it is read
            for pointer, name, at in going_on(row, dialect, start=self._start):
                self._counts[name] += 1
                places = filter(None, (place, pointer, f"offset {at}"))
                self._first.setdefault(name, ", ".join(places))

    def said(self) -> Iterator[str]:
        return said_of_going_on(self._counts, self._first)


def _masked(row: Any, dialect: str, lines: _Lines) -> Iterator[dict[str, Any]]:
    """Yield the lines of a row, and its refusals."""
    refusal = row if isinstance(row, Refusal) else None
    try:
        for line in () if refusal else lines(row, dialect):
            if line.get("pointer") == "":
                del line["pointer"]
            yield line
    except RefusedError as problem:
        (refusal,) = problem.args
    if refusal is not None:
        yield refusal.to_json()


def _spans(is_trained: Callable[[Any], bool], start: Start) -> _Lines:
    """Return the function that writes the spans of a row, and which are trained."""

    def lines(row: Any, dialect: str) -> Iterator[dict[str, Any]]:
        for pointer, name, pieces in spans_of(row, dialect, start=start):
            message = _at(row, pointer.split("/")[1:-1])
            weighs = not isinstance(message, dict) or has_weight(message)
            spans = [{**each._asdict(), "train": weighs and is_trained(each)} for each in pieces]
            yield {"pointer": pointer, "dialect": name, "spans": spans}

    return lines


def _at(value: Any, path: list[str]) -> Any:
    """Return the part of a record at a path of members and indices."""
    return functools.reduce(
        lambda inner, name: inner[int(name) if isinstance(inner, list) else name], path, value
    )


# --- Tokens -------------------------------------------------------------------------------------


def _encoder(path: Path, stop: str | None, **options: Any) -> "Encoder":
    """Return the encoder of a tokenizer.json or of the folder of a model."""
    with trouble(f"--tokenizer {path}", ImportError, ValueError):
        from cogwire_kit.tokens import Encoder, opened_model  # noqa: PLC0415 (an extra)

        return Encoder(*opened_model(path), stop=stop, **options)


def _tokens(encoder: "Encoder", *, has_labels: bool, has_pieces: bool) -> _Lines:
    """Return the function that writes the tokens of a row."""

    def lines(row: Any, dialect: str) -> Iterator[dict[str, Any]]:
        left_out: list[Trouble] = []
        changes: list[Changed] = []
        for pointer, found in encoder.encode(row, dialect, left_out, changes):
            line = {
                "pointer": pointer,
                "input_ids": found.ids,
                "assistant_masks": found.mask.tokens,
            }
            if has_labels:
                labels = found.mask.labels(found.ids)
                # Nothing predicts the first token, but in packed rows the row before it would.
                labels[:1] = [-100]
                line |= {"labels": labels, "attention_mask": [1] * len(found.ids)}
            if has_pieces:
                line["pieces"] = encoder.pieces(found)
            yield line
        for pointer, reason in left_out:
            yield {"pointer": pointer, "refused": TURN, "message": reason}
        yield from (each._asdict() for each in changes)

    return lines
