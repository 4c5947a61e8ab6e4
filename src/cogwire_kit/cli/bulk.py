# SPDX-License-Identifier: MIT
"""The command `cogwire bulk`."""

import json
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cogwire_kit.cli.files import TroubleError, files_in, notify, progress, say, trouble
from cogwire_kit.cli.options import (
    TOKEN_OPTIONS,
    check_start,
    column_option,
    dialect_option,
    exit_codes,
    jobs_option,
    json_options,
    mask_options,
    names_in,
    number_option,
    refuse_tokens,
    to_option,
    token_options,
    turn_start_option,
)
from cogwire_kit.columns import columns_in, shared_columns
from cogwire_kit.conversions import OPENAI_MESSAGES, kept_beside
from cogwire_kit.texts.notices import (
    NO_ROW,
    foreign,
    going_on,
    ignored,
    look_alikes,
    no_values,
    nothing_read,
)
from cogwire_kit.texts.rows import FORMATS, NEEDS_ARROW, FileError, ending
from cogwire_kit.texts.words import counted

if TYPE_CHECKING:
    from cogwire_kit.arrow import Operation
    from cogwire_kit.bulk.job import OnProgress

_END: Final = """\b
Examples:
  cogwire bulk runs.parquet findings --do lint
  cogwire bulk logs/ events --do events --column log --dialect-column dialect --keep id
  cogwire bulk runs.jsonl converted --do convert --to delimiter | jq .refused
  cogwire bulk chats/ tokens --do mask --tokenizer Qwen3-8B/ --dialect auto

\b
What is written:
  OUTPUT/part-FILE-UNIT.parquet  the answer, a row for each row of the input, which it names
  OUTPUT/_job.json               what is done; the same command continues from it
  OUTPUT/_summary.json           what was counted, once all is done""" + exit_codes(
    {
        0: "done; refused rows are rows of the answer",
        2: "wrong usage, input or output that cannot be used, or no row that could be read; the "
        "other files are done if one of a folder cannot be read",
        130: "interrupted; the same command continues",
    }
)


def _processors() -> int:
    """Return how many processors this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


@click.command(epilog=_END, short_help="Read, check or convert millions of transcripts.")
@click.argument("source", metavar="INPUT", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", metavar="OUTPUT", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--do",
    "operation",
    type=click.Choice(["events", "spans", "lint", "convert", "mask"]),
    required=True,
    help="What is done with each transcript.",
)
@column_option
@dialect_option
@click.option("--dialect-column", help="A column that has the dialect of each transcript.")
@to_option(
    "to",
    OPENAI_MESSAGES,
    required=False,
    help_=f"With --do convert: the dialect that is written; or {OPENAI_MESSAGES}, for records.",
)
@turn_start_option
@mask_options
@token_options
@click.option(
    "--keep",
    default="",
    metavar="NAME,…",
    help="Columns of the input that are copied to the answer.",
)
@jobs_option(_processors, "one for each processor", "How many processes share the rows.")
@number_option(
    "--part-rows",
    "The most rows of a part, which also has at most about 8 MiB of text.",
    default=8192,
)
@json_options(
    "The form of the summary; auto: text on a terminal, JSON in a pipe.",
    forms=("auto", "text", "json"),
)
def bulk(
    source: Path,
    folder: Path,
    operation: "Operation",
    keep: str,
    jobs: int,
    *,
    column: str,
    form: str,
    **options: Any,
) -> int:
    """Process each row of INPUT on all processors of this machine, and write to OUTPUT.

    INPUT is a file of Parquet or of JSON Lines, which may be compressed (.jsonl.gz, .jsonl.zst), or
    a folder of them; OUTPUT is a folder.  A row is a transcript in --column; or, if there is no
    such column, a record as `cogwire lint` reads it, with `messages`, `conversations` or `events`.
    Files of a folder may have different columns.  A row or a file that cannot be read
    does not stop the job: the row of the answer says why, and stderr names the file.  A job that
    was killed continues where it stopped: no row is lost, and none is written twice.

    The summary is written to standard output: for people on a terminal, and as JSON in a pipe.
    """
    more = _more(operation, options)
    try:
        from cogwire_kit.bulk.job import Inputs, Job, JobError  # noqa: PLC0415 (they need pyarrow)
        from cogwire_kit.bulk.work import Plan  # noqa: PLC0415
    except ImportError:
        raise TroubleError(NEEDS_ARROW) from None

    if operation == "mask":
        _require_tokenizer(more["tokenizer"])
    found = _files(source, folder)
    kept = tuple(dict.fromkeys(names_in(keep)))
    root = source if source.is_dir() else source.parent
    started = time.monotonic()
    with trouble("", JobError, FileError, ImportError, ValueError, TypeError):
        inputs = Inputs(found, root, column)
        text = inputs.known_columns(folder) or _columns_in(found, column)
        columns = [text] if isinstance(text, str) else text
        if taken := {"file", "row", *columns} & set(kept):
            raise click.UsageError(
                f"--keep: the answer has its own column {min(taken)!r}, or needs none"
            )
        if operation == "convert":
            kept = (*kept, *(name for name in kept_beside(more["to"]) if name in columns))
        plan = Plan(operation=operation, text=text, keep=kept, more=more, **options)
        job = Job(plan, inputs, folder)
        with _progress("reading") as on_progress:
            summary = job.run(jobs, on_progress)
    for reason in (unread := summary.get("unread", [])):
        say(reason)
    is_unread = not summary["read"]
    if not summary["rows"]:
        notify(str(source), [NO_ROW])
    elif is_unread:
        notify(str(source), [nothing_read(column, summary["refused"], job.first_reason())])
    notify(str(source), _notices(summary, kept, plan.dialect, plan.dialect_column))
    as_json = form == "json" or (form == "auto" and not sys.stdout.isatty())
    _show(summary, time.monotonic() - started, as_json=as_json)
    return 2 if is_unread or unread else 0


def _require_tokenizer(path: str) -> None:
    """Say what is wrong with a tokenizer before anything is written that names it."""
    try:
        from cogwire_kit.tokens import opened_model  # noqa: PLC0415 (an extra)

        opened_model(Path(path))
    except (ImportError, ValueError) as problem:
        raise TroubleError(f"--tokenizer {path}: {problem}") from None


def _columns_in(files: list[Path], column: str) -> str | tuple[str, ...]:
    """Return the columns to read from these files; every line is looked at."""
    with _progress("looking for columns") as on_progress:
        return shared_columns(column, _names(files, on_progress))


#: The options that only one operation has, and needs.
_NEEDED: Final = {"convert": "to", "mask": "tokenizer"}


def _more(operation: "Operation", options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of all operations, and return those of this one."""
    if options["dialect_column"] is None:
        check_start(options["start"], options["dialect"])
    for each, name in _NEEDED.items():
        if (options[name] is None) == (operation == each):
            raise click.UsageError(
                f"--do {each} needs --{name}, and --{name} is only for --do {each}"
            )
    if operation != "mask":
        refuse_tokens("name --do mask", "train", "skip")
    to, train, skip, start = (options.pop(name) for name in ("to", "train", "skip", "start"))
    more = {name: options.pop(name) for name in TOKEN_OPTIONS}
    more |= {"tokenizer": str(more["tokenizer"]), "train": names_in(train), "skip": names_in(skip)}
    own = {"mask": more, "convert": {"to": to}}.get(operation, {})
    return {**own, "start": start}


def _notices(
    summary: Mapping[str, Any], kept: Sequence[str], dialect: str, dialect_column: str | None
) -> Iterator[str]:
    """Yield notices: columns without a value in any row, and what was counted in the others."""
    for name, number in summary.get("values", {}).items():
        if summary["rows"] and not number:
            yield no_values(name, "--keep" if name in kept else "--dialect-column")
    found = {**summary.get("findings", {}), **summary.get("changes", {})}
    surplus = 0 if dialect_column else found.get("surplus", 0)
    yield from look_alikes(dialect, summary.get("look_alikes", {}), surplus=surplus)
    yield from ignored(summary.get("ignored", {}))
    yield from foreign(summary.get("foreign", {}))
    yield from going_on(summary.get("goes_on", {}), {})


def _files(source: Path, folder: Path) -> list[Path]:
    """Return the files to read: the source, or those in it outside of the output folder."""
    if source.is_dir():
        if folder.resolve() in (source.resolve(), *source.resolve().parents):
            raise TroubleError(f"{folder}: INPUT is in this folder; name another one for OUTPUT")
        return files_in(source, FORMATS, folder)
    if not source.is_file():
        raise TroubleError(f"{source}: a pipe is read only once; write it to a file first")
    if ending(source) not in FORMATS:
        names, is_json = " ".join(sorted(FORMATS)), ending(source) == ".json"
        hint = "write a record on each line" if is_json else "for a transcript, use cogwire lint"
        raise TroubleError(f"{source}: {names} files are read; {hint}")
    return [source]


def _names(files: list[Path], on_progress: "OnProgress") -> list[Collection[str]]:
    """Return the columns of the files that can be read; the job names the others."""
    found: list[Collection[str]] = []
    for number, file in enumerate(files):

        def on_share(share: float, number: int = number) -> None:
            on_progress(None, (number + share) / len(files))

        try:
            found += columns_in(file, on_share)
        except FileError as problem:
            if len(files) == 1:
                raise FileError(f"{file}: {problem}") from None
    return found


@contextmanager
def _progress(task: str) -> Iterator["OnProgress"]:
    with progress(task, 1.0) as show:

        def update(done: tuple[int, int] | None, share: float) -> None:
            words = done and f"{counted(done[0], 'row')}, {done[1] / 1e6:,.0f} M characters"
            show(completed=share, description=words)

        yield update


def _show(summary: dict[str, Any], seconds: float, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False))
        return
    rows, files = counted(summary["rows"], "row"), counted(summary["files"], "file")
    characters = counted(summary["characters"], "character")
    click.echo(f"{rows} of {files}; {summary['read']:,} read: {characters} in {seconds:.0f} s")
    for name, tally in summary.items():
        if isinstance(tally, dict) and tally:
            click.echo(f"{name}:")
            for value, count in tally.items():
                click.echo(f"  {count:>14,}  {value}")
