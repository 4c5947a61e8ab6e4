# SPDX-License-Identifier: MIT
"""The command `cogwire mask`: who wrote which characters, and which of them are trained."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cogwire_kit.cli.files import TEXTS, TroubleError, notify, reading, searched
from cogwire_kit.cli.options import (
    column_option,
    dialect_option,
    exit_codes,
    mask_options,
    names_in,
    token_options,
)
from cogwire_kit.masks import chosen
from cogwire_kit.records import RefusedError, spans_of, values_of
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import count_look_alikes, look_alikes, notices
from cogwire_kit.texts.rows import FORMATS, FileError, Refusal, ending
from cogwire_kit.texts.words import counted

if TYPE_CHECKING:
    from cogwire_kit.chats import Trouble
    from cogwire_kit.tokens import Encoder

_END: Final = """\b
Examples:
  cogwire mask log.txt
  cogwire mask --train model --skip think,error runs.jsonl > masks.jsonl
  cogwire mask logs/ | jq -c '[.spans[] | select(.train) | [.start, .end]]'
  cogwire mask --tokenizer Qwen3-8B/ --dialect auto chats.parquet > train.jsonl""" + exit_codes(
    {2: "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects"}
)

#: Returns the lines that become of a text or a record in a dialect.
_Lines = Callable[[Any, str], Iterator[dict[str, Any]]]


@click.command(epilog=_END, short_help="Write who wrote which characters, and a loss mask.")
@click.argument(
    "files", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, allow_dash=True)
)
@dialect_option
@column_option
@mask_options
@token_options
@click.option("--labels", is_flag=True, help="Write `labels` and `attention_mask` too.")
def mask(
    files: tuple[str, ...],
    dialect: str,
    column: str,
    train: str,
    skip: str,
    *,
    tokenizer: Path | None,
    labels: bool,
    **options: Any,
) -> int:
    """Write the spans of each transcript as a line of JSON, and which of them are trained.

    FILE is a transcript; or a data set, by its name: Parquet, or JSON Lines (.parquet, .jsonl,
    .jsonl.gz, .jsonl.zst), of which each row is a transcript, or a record of messages whose texts
    are in a dialect; or a folder of these, and of transcripts called .txt or .log.  A line has
    `file`, `row` for a data set, `pointer` for a text of a record, `dialect` and `spans`.  The
    spans cover the text without a gap: each has its `author`, its `kind`, the index of its
    `event` in what `parse_transcript` returns, `start` and `end` in code points, `start_byte` and
    `end_byte` in UTF-8, and `train`.  A row that cannot be read has `refused` instead, with the
    reason.

    With --tokenizer, a line has `input_ids` and `assistant_masks`, as trainers read them.  Messages
    are written by the chat template: a conversation as one text, or turn by turn if they have
    `tool_calls` or `reasoning_content`, which are read in the format of the template.  Rows and
    turns that cannot be read are left out, and stderr says how many and why.
    """
    names = [names_in(train), names_in(skip)]
    try:
        is_trained = chosen(*names)
    except ValueError as problem:
        raise click.UsageError(f"--train and --skip: {problem}") from None
    lines = _spans(is_trained)
    if tokenizer is not None:
        encoder = _encoder(tokenizer, train=names[0], skip=names[1], **options)
        lines = _tokens(encoder, has_labels=labels)
    is_written = False
    for file, _ in searched(files or ("-",), FORMATS | TEXTS):
        read = _of_rows if ending(file) in FORMATS else _of_text
        found = read(file, dialect, column, lines)
        for line in found if tokenizer is None else _checked(file, found):
            click.echo(json.dumps(line, ensure_ascii=False))
            is_written = True
    return 0 if is_written or tokenizer is None else 2


def _of_text(file: str, dialect: str, _column: str, lines: _Lines) -> Iterator[dict[str, Any]]:
    with reading(file) as source:
        (found,) = _masked(source.whole(), dialect, lines)
    if "refused" in found:
        raise TroubleError(f"{file}: {found['message']}")
    notify(file, notices(file, source.head, None if dialect == AUTO else dialect))
    yield {"file": file, **found}


def _of_rows(file: str, dialect: str, column: str, lines: _Lines) -> Iterator[dict[str, Any]]:
    looks = Counter[str]()
    try:
        for number, given, _ in values_of(Path(file), column):
            if isinstance(given, str):
                looks += count_look_alikes([given], dialect)
            for text in _masked(given, dialect, lines):
                yield {"file": file, "row": number, **text}
    except FileError as problem:
        raise TroubleError(f"{file}: {problem}") from None
    notify(file, look_alikes(dialect, looks))


def _masked(given: Any, dialect: str, lines: _Lines) -> Iterator[dict[str, Any]]:
    """Yield the lines of a row, without empty pointers, or why there are none or not all."""
    refusal = given if isinstance(given, Refusal) else None
    try:
        for line in () if refusal else lines(given, dialect):
            if line.get("pointer") == "":
                del line["pointer"]
            yield line
    except RefusedError as problem:
        (refusal,) = problem.args
    if refusal is not None:
        yield {"refused": refusal.code, "message": refusal.message}


def _spans(is_trained: Callable[[Any], bool]) -> _Lines:
    """Return how the spans of a row are written, and which of them are trained."""

    def lines(given: Any, dialect: str) -> Iterator[dict[str, Any]]:
        for pointer, name, pieces in spans_of(given, dialect):
            spans = [{**each._asdict(), "train": is_trained(each)} for each in pieces]
            yield {"pointer": pointer, "dialect": name, "spans": spans}

    return lines


# --- Tokens -------------------------------------------------------------------------------------


def _encoder(path: Path, stop: str | None, **options: Any) -> "Encoder":
    """Return what tokenizes, of a tokenizer.json or the folder of a model."""
    try:
        from cogwire_kit.tokens import Encoder, opened_model  # noqa: PLC0415 (an extra)

        return Encoder(*opened_model(path), stop=stop, **options)
    except (ImportError, ValueError) as problem:
        raise TroubleError(f"--tokenizer {path}: {problem}") from None


def _tokens(encoder: "Encoder", *, has_labels: bool) -> _Lines:
    """Return how the tokens of a row are written."""

    def lines(given: Any, dialect: str) -> Iterator[dict[str, Any]]:
        left_out: list[Trouble] = []
        for pointer, found in encoder.encode(given, dialect, left_out):
            line = {
                "pointer": pointer,
                "input_ids": found.ids,
                "assistant_masks": found.mask.tokens,
            }
            if has_labels:
                line |= {
                    "labels": found.mask.labels(found.ids),
                    "attention_mask": [1] * len(found.ids),
                }
            yield line
        for pointer, reason in left_out:
            yield {"refused": _TURN, "message": f"{pointer}: {reason}"}

    return lines


#: What is left out of a row that has other turns.
_TURN: Final = "turn"


def _checked(file: str, lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines that can be trained; stderr says how many cannot, and why."""
    refused, first, untrained = Counter[str](), "", 0
    for line in lines:
        if "refused" not in line:
            untrained += 1 not in line["assistant_masks"]
            yield line
        else:
            first = first or f"; the first is row {line['row']}: {line['message']}"
            refused[line["refused"]] += 1
    if refused:
        turns = refused.pop(_TURN, 0)
        named = ", ".join(
            [f"{count:,} {code}" for code, count in refused.most_common()]
            + ([counted(turns, "turn")] if turns else [])
        )
        notify(file, [f"left out: {named}{first}"])
    if untrained:
        notify(file, [f"{counted(untrained, 'line')} without a token that is trained"])
