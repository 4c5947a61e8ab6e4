# SPDX-License-Identifier: MIT
"""The command `cogwire view`."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from cogwire.tooling import Start
from cogwire_kit.cli.files import (
    TEXTS,
    TroubleError,
    keep_files,
    misuse,
    named_as,
    notify,
    progress,
    say,
    searched,
    sourced,
    trouble,
)
from cogwire_kit.cli.options import (
    check_start,
    column_option,
    dialect_option,
    exit_codes,
    mask_options,
    names_in,
    number_option,
    turn_start_option,
)
from cogwire_kit.columns import values_of
from cogwire_kit.records import MEMBERS, look_alikes_in, members_in, unread
from cogwire_kit.saving import save
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import (
    NO_ROW,
    look_alikes,
    no_values,
    nothing_read,
    notices,
)
from cogwire_kit.texts.rows import (
    SUFFIXES,
    FileError,
    Refusal,
    count,
    drawn,
    kind_of,
    names_of,
    records,
)
from cogwire_kit.texts.rows import document as document_in
from cogwire_kit.texts.words import counted
from cogwire_kit.view.page import ViewedTranscript, page
from cogwire_kit.view.records import document
from cogwire_kit.view.records import documents as transcripts

_END: Final = """\b
Examples:
  cogwire view session.txt -o session.html
  cogwire view logs/ -o logs.html
  cogwire view before.txt after.txt -o both.html
  my-agent --log - | cogwire view - -o session.html
  cogwire view runs.parquet --column text --sample 20 -o sample.html
  cogwire view runs.jsonl --rows 3,17 --id name -o rows.html
  cogwire view session.txt --train model --skip think,error -o session.html""" + exit_codes(
    {2: "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects"}
)

#: From which size on a browser takes long to open a page: 16 s for 100 MB, minutes for 300 MB.
_MANY_BYTES: Final = 100_000_000
_MANY: Final = (
    "it has {} MB, and a browser may take minutes to open it, or fail; show less of the data with "
    "--sample or --rows, or name fewer files"
)


@click.command(epilog=_END, short_help="Show transcripts as a page of HTML.")
@click.argument(
    "files", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, allow_dash=True)
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="The file to write; by default standard output, unless that is a terminal.",
)
@dialect_option
@click.option("--title", help="The heading of the page; by default the name of the file.")
@column_option
@click.option("--id", "id_column", help="The column of a data set that names its rows.")
@number_option(
    "--sample", "How many rows of a data set are shown, drawn at random.", to="size", default=20
)
@click.option(
    "--seed", default=0, show_default=True, help="Another number draws other rows of a data set."
)
@click.option(
    "--rows",
    "numbers",
    metavar="N,N…",
    help="Show these rows of a data set, counted from 0, as bulk and mask count.",
)
@mask_options
@turn_start_option
def view(
    files: tuple[str, ...], output: str, dialect: str, title: str | None, **options: Any
) -> int:
    """Write each FILE, or standard input, on one page of HTML that needs nothing else.

    FILE is a transcript; or a data set, by its name: Parquet, JSON Lines or JSON (.parquet, .jsonl,
    .json), of which a sample is shown; or a folder, which is searched for these, and for
    transcripts called .txt or .log.  A data set has a column of transcripts, or the messages and
    events that `cogwire lint` reads: texts in a dialect are shown turn by turn, and messages of
    OpenAI, Anthropic and ShareGPT as they are.  With --dialect auto, a format that models are
    trained on is read as well.

    The page has the text of the wire next to the events parsed from it, shows who wrote which
    character and what a loss mask by author would keep, and has each error in its place.  Its one
    script creates rows as they come into view, filters and searches them; it loads nothing, and
    nothing in a transcript runs.
    """
    check_start(options["start"], dialect)
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError("this is a page for a browser; name a file: -o page.html")
    with progress("writing the page"):
        return _view(files or ("-",), output, dialect, title, options)


def _view(
    paths: tuple[str, ...], output: str, dialect: str, title: str | None, options: dict[str, Any]
) -> int:
    """Write the page, and return the exit code."""
    found_in = searched(paths, SUFFIXES.keys() | TEXTS)
    files = [(file, _shown(file, folder, is_one=len(paths) == 1)) for file, folder in found_in]
    # Files of one name are told apart by their folders.
    names = Counter(shown for _, shown in files)
    files = [(file, shown if names[shown] == 1 else file) for file, shown in files]
    is_one = len(paths) == 1 and files[0][0] == paths[0]
    keep_files((file for file, _ in files), output=output)
    documents: list[ViewedTranscript] = []
    is_whole = True
    for file, shown in files:
        try:
            if kind_of(file) != "text":
                found = _data(file, dialect, options)
                if not found:
                    notify(file, [NO_ROW])
                    is_whole = False
                named = (one._replace(name=f"{shown}: {one.name}") for one in found)
                documents += found if is_one else named
            else:
                document, is_clean = _text(file, shown, dialect, options["start"], is_one=is_one)
                documents.append(document)
                is_whole = is_whole and is_clean
        except TroubleError as problem:
            if len(files) == 1:
                raise
            say(problem.message)
            is_whole = False
    if not any(each.dialect for each in documents):
        return 2
    name = _name(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    train, skip = (names_in(options[each]) for each in ("train", "skip"))
    with misuse("--train and --skip", ValueError):
        data = page(title or name, documents, train=train, skip=skip).encode("utf-8")
    if len(data) > _MANY_BYTES:
        notify("the page" if output == "-" else output, [_MANY.format(len(data) // 1_000_000)])
    if output == "-":
        sys.stdout.buffer.write(data)
    else:
        save(Path(output), data)
    return 0 if is_whole else 2


def _shown(file: str, folder: str, *, is_one: bool) -> str:
    """Return the name to show of a file: in the one folder that is named its path from there."""
    if not folder:
        return _name(file)
    return (Path(file).relative_to(folder) if is_one else Path(file)).as_posix()


def _name(file: str) -> str:
    return "standard input" if file == "-" else Path(file).resolve().name


def _text(
    file: str, name: str, dialect: str, start: Start, *, is_one: bool
) -> tuple[ViewedTranscript, bool]:
    """Return the transcript of a file, and whether it is UTF-8; a dialect is needed for one."""
    with sourced(file) as source:
        text = source.whole()
    damage = source.not_utf8()
    notify(file, [damage] if damage else [])
    notify(file, notices(file, source.head, None if dialect == AUTO else dialect, start=start))
    found = document(name, text, dialect, start)
    if found.dialect is None and is_one:
        raise TroubleError(f"{file}: {found.text.partition(': ')[2]}")
    return found, damage is None


def _data(file: str, dialect: str, options: dict[str, Any]) -> list[ViewedTranscript]:
    """Return the transcripts of a data set: of a column, or else of its messages and events."""
    with trouble(file, FileError), named_as(file, None) as path:
        of_kind = _of_json if kind_of(path) == "json" else _of_rows
        return of_kind(file, path, dialect, options)


def _of_rows(
    file: str, path: Path, dialect: str, options: dict[str, Any]
) -> list[ViewedTranscript]:
    """Return what the rows of a data set contain, or the history that they are."""
    column, id_column = options["column"], options["id_column"]
    names = names_of(path)
    if kind_of(path) == "jsonl" and {"type"} <= {*names} and "role" not in names:
        events = [value for _, value in records(path)]
        return transcripts({"events": events}, "History", dialect, options["start"])
    wanted = _wanted(file, count(path), options)
    chosen = list(values_of(path, column, [id_column] if id_column else [], wanted))
    documents = _of_records(chosen, "Row", dialect, options)
    if documents and not any(each.dialect for each in documents):
        refused = dict.fromkeys(each.text.partition(":")[0] for each in documents)
        notify(file, [nothing_read(column, refused)])
    if id_column and all(others[id_column] is None for _, _, others in chosen):
        notify(file, [no_values(id_column, "--id")])
    looks = Counter[str]()
    for _, row, _ in chosen:
        looks += look_alikes_in(row, dialect)
    notify(file, look_alikes(dialect, looks))
    return documents


def _wanted(file: str, total: int, options: dict[str, Any]) -> set[int]:
    """Return which of the rows of a file are shown, or say which of them are not there."""
    if options["numbers"] is not None:
        wanted = _numbers(options["numbers"])
        if missing := wanted - set(range(total)):
            has = f"{counted(total, 'row')}, 0 to {total - 1}" if total else "no rows"
            listed = ", ".join(map(str, sorted(missing)))
            raise TroubleError(f"{file}: there is no row {listed}; it has {has}")
        return wanted
    return drawn(total, options["size"], options["seed"])


def _of_records(
    chosen: Iterable[tuple[int, Any, Mapping[str, Any]]],
    noun: str,
    dialect: str,
    options: dict[str, Any],
) -> list[ViewedTranscript]:
    """Return what rows contain, each of which is named by its number and a column."""
    id_column, start = options["id_column"], options["start"]
    found: list[ViewedTranscript] = []
    for number, row, others in chosen:
        value = others.get(id_column) if id_column else None
        name = f"{noun} {number}" + ("" if value is None else f": {value}")
        if isinstance(row, Refusal):
            found.append(ViewedTranscript(name, f"{row.code}: {row.message}", None))
        elif isinstance(row, str):
            found.append(document(name, row, dialect, start))
        elif any(members_in(row)):
            shown = transcripts(row, name, dialect, start)
            unreadable = ViewedTranscript(name, "no-text: no message of it can be read", None)
            found += shown or [unreadable]
        else:
            found.append(ViewedTranscript(name, f"no-text: {unread(row)}", None))
    return found


def _of_json(
    file: str, path: Path, dialect: str, options: dict[str, Any]
) -> list[ViewedTranscript]:
    """Return the transcripts of a JSON document: one record, or a list of them."""
    value = document_in(path)
    listed = value if isinstance(value, list) else [value]
    if any(isinstance(each, dict) and not MEMBERS.keys().isdisjoint(each) for each in listed):
        wanted = _wanted(file, len(listed), options) if listed is value else {0}
        records = ((number, listed[number]) for number in sorted(wanted))
        chosen = ((n, each, each if isinstance(each, dict) else {}) for n, each in records)
        return _of_records(chosen, "Record", dialect, options)
    return transcripts({"messages": listed}, "Messages", dialect, options["start"])


def _numbers(text: str) -> set[int]:
    try:
        numbers = {int(number) for number in text.split(",")}
    except ValueError:
        numbers = {-1}
    if min(numbers) < 0:
        raise click.BadParameter(
            "these are numbers from 0, with commas between", param_hint="--rows"
        )
    return numbers
