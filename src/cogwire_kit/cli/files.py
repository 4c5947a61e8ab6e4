# SPDX-License-Identifier: MIT
"""The files and folders that a command reads: their text, as it arrives, and its flaws."""

import codecs
import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TextIO, TypeGuard, TypeVar

import click

from cogwire.tooling import WHITE, Start
from cogwire_kit.saving import opened_text
from cogwire_kit.texts.dialects import AUTO, resolved
from cogwire_kit.texts.rows import IS_UTF_16, UTF_16, FileError, ending, is_packed, kind_of, reader
from cogwire_kit.texts.words import counted, on_a_line

_READ_SIZE: Final = 65536
#: How much text before an offending character is kept, to show it in its line.
_CONTEXT: Final = 240
#: How much of the beginning is kept, from which a dialect can be detected afterwards.
_HEAD: Final = 262_144

_decoder: Final = codecs.getincrementaldecoder("utf-8")
#: How the names of transcripts end in a folder; a file that is named may be called anything.
TEXTS: Final = frozenset({".txt", ".log"})

#: How many of the files that are skipped are named.
_NAMED: Final = 3
#: What is done sooner shows no bar.
_PATIENCE_SECONDS: Final = 2.0
#: After how many rows their number is shown.
_ROWS_SHOWN: Final = 100

_Row = TypeVar("_Row")


class TroubleError(click.ClickException):
    """What is in the way, in one line."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Write the message to stderr."""
        click.echo(f"cogwire: {on_a_line(self.message)}", file=file, err=True)


@contextmanager
def trouble(
    place: object, *problems: type[Exception], kind: type[click.ClickException] = TroubleError
) -> Iterator[None]:
    """End the command with what one of these problems says, after the `place` that it is about."""
    try:
        yield
    except problems as problem:
        raise kind(f"{place}: {problem}" if place else str(problem)) from None


#: The same, where it is what the user gave that is wrong.
misuse: Final = partial(trouble, kind=click.UsageError)


class Source:
    """The text from a descriptor, in pieces: what one read gave, decoded as UTF-8.

    What is not UTF-8 is replaced by U+FFFD, as the parser does; `first_bad_byte` says where.
    """

    def __init__(
        self,
        descriptor: int,
        piece: int | None = None,
        read: Callable[[int], bytes] | None = None,
    ) -> None:
        """Take the descriptor, the most characters of a piece, and what reads in its place."""
        self.descriptor = descriptor
        self._read_bytes = read or partial(os.read, descriptor)
        self._piece = piece
        self._decoder = _decoder("strict")
        self._start = 0
        self._recent = ""
        self._whole: list[str] | None = None
        #: How many bytes have been read.
        self.bytes_read = 0
        #: The first characters of the text, up to 262,144 of them.
        self.head = ""
        #: The offset of the first byte that is not UTF-8, if there was one.
        self.first_bad_byte: int | None = None

    def __iter__(self) -> Iterator[str]:
        """Yield the text as it arrives, in pieces of at most `piece` characters."""
        for text in self._arriving() if self._whole is None else self._whole:
            yield from self._pieces(text)

    def whole(self) -> str:
        """Return the text when all of it has arrived; it is yielded as ever."""
        if self._whole is None:
            self._whole = list(self._arriving())
        return "".join(self._whole)

    def _arriving(self) -> Iterator[str]:
        while data := self._read():
            text = self._decode(data, final=False)
            self.bytes_read += len(data)
            if len(self.head) < _HEAD:
                self.head += text[: _HEAD - len(self.head)]
            yield text
        yield self._decode(b"", final=True)

    def _read(self) -> bytes:
        try:
            data = self._read_bytes(_READ_SIZE)
        except OSError as error:
            raise FileError(error.strerror) from None
        if self.bytes_read == 0 and data[:2] in UTF_16:
            raise FileError(IS_UTF_16)
        return data

    def _decode(self, data: bytes, *, final: bool) -> str:
        held = self._decoder.getstate()[0]
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            self.first_bad_byte = self.bytes_read - len(held) + error.start
            self._decoder = _decoder("replace")
            return self._decoder.decode(held + data, final)

    def _pieces(self, text: str) -> Iterator[str]:
        size = self._piece or max(len(text), 1)
        for begin in range(0, len(text), size):
            piece = text[begin : begin + size]
            kept = self._recent[-_CONTEXT:]
            self._start += len(self._recent) - len(kept)
            self._recent = kept + piece
            yield piece

    def not_utf8(self) -> str | None:
        """Return what to say about bytes that are not UTF-8, if there were any so far."""
        if self.first_bad_byte is None:
            return None
        return f"not UTF-8 at byte {self.first_bad_byte}; read as U+FFFD; save the text as UTF-8"

    def ends_blank(self, count: int) -> bool:
        """Whether the last `count` characters, if so many are kept, are white space only."""
        return count <= len(self._recent) and not self._recent[-count:].strip(WHITE)

    def line_at(self, offset: int) -> tuple[str, str]:
        """Return what is known of the line around `offset`: before it, and from it on."""
        position = offset - self._start
        before = self._recent[max(position - _CONTEXT, 0) : position].rpartition("\n")[2]
        after = self._recent[position : position + _CONTEXT].partition("\n")[0]
        return before, after


# --- Files and folders ----------------------------------------------------------------------------


class TextFile(click.Path):
    """A file, or - for standard input."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of the file, or say what to do with a folder."""
        if Path(value).is_dir():
            files = f"its files, such as {Path(value) / '*.txt'}"
            named = "one of its files" if param is not None and param.nargs == 1 else files
            self.fail(f"{value!r} is a directory; name {named}", param, ctx)
        return super().convert(value, param, ctx)


@contextmanager
def opened(file: str) -> Iterator[int]:
    """Open a file, or standard input, and say so where a person has to type it.

    Raises `FileError` if it cannot be opened.
    """
    if file == "-":
        if sys.stdin.isatty():
            click.echo("cogwire: reading what you type; Ctrl-D ends it", err=True)
        yield sys.stdin.fileno()
        return
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError as problem:
        raise FileError(problem.strerror) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def sourced(file: str, piece: int | None = None) -> Iterator[Source]:
    """Open a text, which comes in pieces of this size, and say that it cannot be read."""
    with trouble(file, FileError), opened(file) as descriptor:
        if is_packed(file):
            with (
                open(descriptor, "rb", closefd=False) as stream,
                reader(stream, file) as read,
            ):
                yield Source(descriptor, piece, read)
        else:
            # What has arrived is read at once.
            yield Source(descriptor, piece)


@contextmanager
def reading(file: str, piece: int | None = None) -> Iterator[Source]:
    """Open a text as `sourced` does, and say in the end if it is not UTF-8."""
    with sourced(file, piece) as source:
        yield source
    if damage := source.not_utf8():
        raise TroubleError(f"{file}: {damage}")


@contextmanager
def named_as(file: str, kind: str | None) -> Iterator[Path]:
    """Return a path to what a file or standard input contains, whose name says that it is `kind`.

    Without a `kind` it is the file itself, unless that is a pipe, which can be read only once.
    """
    if file != "-" and Path(file).is_file() and kind in (None, kind_of(file)):
        yield Path(file)
        return
    with TemporaryDirectory() as folder:
        named = Path(folder) / f"input.{kind or kind_of(file)}"
        with (
            trouble(file, FileError),
            opened(file) as descriptor,
            open(descriptor, "rb", closefd=False) as stream,
            opened_text(named) as copy,
            reader(stream, file) as read,
        ):
            while data := read(_READ_SIZE):
                copy.buffer.write(data)
        yield named


def refuse_records(file: str, head: str, kind: str | None) -> None:
    """Raise `TroubleError` if what is read as a transcript begins as a data set does.

    All of it would be the model's.  `kind` is that of `--input`, if it was given.
    """
    from cogwire_kit.columns import begins_record  # noqa: PLC0415 (parse and others need it not)

    if kind is None and begins_record(head):
        raise TroubleError(
            f"{file}: this looks like the records of a data set, not like a transcript; name what "
            "it is: --input jsonl, --input json or --input text"
        )


def searched(files: Iterable[str], endings: Collection[str] | None) -> Iterator[tuple[str, str]]:
    """Yield the files that are named, and those of the folders, each with its folder or nothing.

    A file that has several names is there once, by the first of them.
    """
    known: dict[Path, str] = {}
    for file in files:
        is_folder = file != "-" and Path(file).is_dir()
        for each in map(str, files_in(Path(file), endings)) if is_folder else [file]:
            if each == "-" or _is_first(each, known):
                yield each, file if is_folder else ""


def _is_first(file: str, known: dict[Path, str]) -> bool:
    """Whether a file is not `known` by another name, as it is then; stderr names it if it is."""
    real = Path(file).resolve()
    if real in known:
        say(f"{file}: this is read once, as {known[real]}")
        return False
    known[real] = file
    return True


def files_in(
    folder: Path, endings: Collection[str] | None, apart: Path | None = None
) -> list[Path]:
    """Return the files below `folder` with these endings, or all, in the order of their paths.

    Hidden files, names that begin with an underscore, as those of other programs' notes do, and
    what is in the folder `apart` do not count.  stderr names what else is skipped, such as the
    standard output, and a link to a file that is there.  A folder that cannot be read is there as
    a file that cannot be, and whoever reads it says so.  Raises `TroubleError` if there are none.
    """
    output = _stream_file(sys.stdout)
    known: dict[Path, str] = {}
    found: list[Path] = []
    skipped: list[str] = []
    closed: set[Path] = set()
    walk = os.walk(folder, onerror=lambda problem: closed.add(Path(problem.filename)))
    every = {Path(at, name) for at, _, names in walk for name in names}
    for each in sorted(every | closed):
        name = each.relative_to(folder)
        if any(part.startswith((".", "_")) for part in name.parts):
            continue
        if each in closed:
            found.append(each)
        elif each.is_symlink() and not each.exists():
            say(f"{each}: this link leads to no file")
        if not each.is_file():
            continue
        if apart is not None and apart.resolve() in each.resolve().parents:
            continue
        if output and os.path.samestat(each.stat(), output):
            say(f"{each}: this is the standard output, and is not read")
        elif endings is not None and ending(each) not in endings:
            skipped.append(name.as_posix())
        elif _is_first(str(each), known):
            found.append(each)
    if skipped:
        names = ", ".join([*skipped[:_NAMED], *(["…"] if len(skipped) > _NAMED else [])])
        read = " ".join(sorted(endings or ()))
        say(
            f"{folder}: {counted(len(skipped), 'file')} skipped ({names}); "
            f"in a folder, {read} files are read, also as .gz and .zst"
        )
    if not found:
        raise TroubleError(f"{folder}: there is no file to read in this folder")
    return found


def keep_files(read: Iterable[str | Path | None], **written: str | Path | None) -> None:
    """Raise `TroubleError` if an option names a file that is read, or that another one writes.

    `written` has the file of each option by its name; None, - and devices replace nothing.  The
    standard output must not be a file that is read: it would be read for ever.  The standard input
    is read once.
    """
    files = [file for file in read if file is not None]
    if files.count("-") > 1:
        raise TroubleError("-: standard input is named twice, and is there once")
    kept = [Path(file) for file in files if _is_file(file)]
    own = _stream_file(sys.stdin) if "-" in map(str, files) else None
    output = _stream_file(sys.stdout)
    for name, state in [*((str(old), old.stat()) for old in kept if old.exists()), ("-", own)]:
        if state and output and os.path.samestat(state, output):
            raise TroubleError(f"{name}: this is the standard output too; name another file")
    for name, file in written.items():
        if not _is_file(file):
            continue
        new = Path(file)
        if own and new.exists() and os.path.samestat(own, new.stat()):
            raise TroubleError(f"{_option(name)} {new} would replace -; name another file")
        for old in kept:
            if new.samefile(old) if new.exists() and old.exists() else new == old:
                raise TroubleError(f"{_option(name)} {new} would replace {old}; name another file")
        kept.append(new)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _stream_file(stream: TextIO) -> os.stat_result | None:
    """Return what the system says of a standard stream, if that is a regular file."""
    try:
        state = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return state if stat.S_ISREG(state.st_mode) else None


def _is_file(file: str | Path | None) -> TypeGuard[str | Path]:
    """Return whether it is the name of a file, or of one that there may be."""
    if file is None or str(file) == "-":
        return False
    return Path(file).is_file() or not Path(file).exists()


@contextmanager
def written(file: str | None) -> Iterator[TextIO | None]:
    """Open the file of an option that writes one, in place of what it has; - is stderr."""
    if file is None or file == "-":
        yield None if file is None else sys.stderr
        return
    with opened_text(Path(file)) as output:
        yield output


def named_dialect(dialect: str, file: str, source: Source, mode: str, start: Start) -> str:
    """Return the dialect of `source`, which is to be read so; if it is detected, say so."""
    if dialect != AUTO:
        return dialect
    name, reason = resolved(dialect, source.whole(), mode=mode, start=start)
    if name is None:
        raise TroubleError(f"{file}: {reason}")
    say(f"{file}: {reason}")
    return name


def json_in(file: Path) -> Any:
    """Return the value in a file of JSON; raises `TroubleError` for anything else."""
    with trouble(f"{file}: this is not JSON", ValueError, RecursionError):
        return json.loads(file.read_bytes())


def tools_in(data: bytes) -> list[Any]:
    """Return the tools that a file declares: a list, or an object that has it as `tools`.

    Raises `ValueError` or `TypeError` for anything else.
    """
    try:
        tools = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"this is not JSON: {problem}") from None
    if isinstance(tools, dict):
        tools = tools.get("tools")
    if not isinstance(tools, list):
        raise TypeError("tools are an array, or an object with the array `tools`")
    return tools


# --- Words on stderr ------------------------------------------------------------------------------


def say(line: str) -> None:
    """Write a line to stderr, which no name in it ends, and in which nothing acts on a terminal."""
    click.echo(f"cogwire: {on_a_line(line)}", err=True)


def notify(file: str, lines: Iterable[str]) -> None:
    """Write lines about a file to stderr, after what stdout has so far."""
    sys.stdout.flush()
    for line in lines:
        say(f"{file}: {line}")


@contextmanager
def progress(task: str, total: float | None = None) -> Iterator[Callable[..., None]]:
    """Show how far a task is, from the third second on, if stderr is a terminal.

    What is yielded is called with what has changed: `completed`, `advance` or `description`.
    """
    if not sys.stderr.isatty():
        yield lambda **_: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and only for people
    from rich.progress import Progress  # noqa: PLC0415

    # What is printed meanwhile comes above the bar, but only if it is for the terminal, too.
    console, is_shown = Console(stderr=True), sys.stdout.isatty()
    bar = Progress(console=console, transient=True, redirect_stdout=is_shown)
    number = bar.add_task(task, total=total)
    timer = threading.Timer(_PATIENCE_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield partial(bar.update, number)
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()


def rows_watched(rows: Iterable[_Row], name: str) -> Iterator[_Row]:
    """Yield the rows of a data set, and show how many there have been.

    The output must not be the terminal, which shows the progress itself.
    """
    if sys.stdout.isatty():
        yield from rows
        return
    with progress(name) as show:
        for number, row in enumerate(rows, 1):
            yield row
            if not number % _ROWS_SHOWN:
                show(description=f"{name}: {number:,} rows")


def watched(source: Source, name: str) -> Iterator[str]:
    """Yield the pieces of `source`, and show how much has been read.

    The input must be a regular file, and the output not the terminal, which shows the progress
    itself.
    """
    kind = os.fstat(source.descriptor)
    if sys.stdout.isatty() or not stat.S_ISREG(kind.st_mode):
        yield from source
        return
    with progress(name, kind.st_size) as show:
        for piece in source:
            # Of a compressed file more has been read than the file has.
            show(completed=os.lseek(source.descriptor, 0, os.SEEK_CUR))
            yield piece
