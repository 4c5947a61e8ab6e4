# SPDX-License-Identifier: MIT
"""The commands."""

import importlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click
from click.shell_completion import get_completion_class, shell_complete

import cogwire
from cogwire_kit import _adapter, _convert, _parse
from cogwire_kit._dialect import AUTO, detect_dialect
from cogwire_kit._exit_codes import exit_codes
from cogwire_kit._meant import meant
from cogwire_kit._notices import notices
from cogwire_kit._options import (
    Commands,
    Named,
    color_option,
    dialect_option,
    format_option,
    from_option,
    start_option,
    to_option,
)
from cogwire_kit._progress import watched
from cogwire_kit._source import Source, SourceError

if TYPE_CHECKING:
    from cogwire_kit._painter import Painter

_TEXT_TROUBLE: Final = (
    "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects"
)
_EXIT_CODES: Final = exit_codes(
    {
        1: "something was found, where the command looks for it (lint, vendor check and diff, "
        "conformance), or with --strict",
        2: _TEXT_TROUBLE,
        3: "the parser to be tested cannot be run (conformance)",
    }
)

_EXAMPLES: Final = """\b
Examples:
  cogwire demo
  cogwire parse turn.txt
  my-model | cogwire parse --stream token
  cogwire detect log.txt
  cogwire convert --from delimiter --to xml-json log.txt
  cogwire lint logs/
  cogwire view log.txt -o log.html
  cogwire vendor add agent/_vendor/wire --only parse
  cogwire adapter < requests.jsonl

\b
Completion of commands, options and ids: cogwire completion --help"""

_PARSE_EXAMPLES: Final = """\b
Examples:
  cogwire parse turn.txt
  cogwire parse --mode transcript logs/*.txt
  cogwire parse --strict --chunk 1 turn.txt
  cogwire parse --dialect auto turn.txt
  cogwire parse --mode transcript --format text --color always log.txt | less -R
  my-model | cogwire parse --stream token | jq -r 'select(.type == "respond").content'"""
_PARSE_CODES: Final = exit_codes(
    {1: "--strict was given, and there was an error event", 2: _TEXT_TROUBLE}
)

_CONVERT_EXAMPLES: Final = """\b
Examples:
  cogwire convert --from delimiter --to xml-json log.txt > new.txt
  cogwire convert --from auto --to delimiter --strict --report changes.jsonl log.txt
  my-agent | cogwire convert --from xml-json --to xml-elements""" + exit_codes(
    {1: "--strict was given, and something changed or nothing was recognised", 2: _TEXT_TROUBLE}
)

_ADAPTER_EXAMPLES: Final = """\b
Example:
  echo '{"id": "1", "op": "parse", "text": "<think>hm</think>"}' | cogwire adapter""" + exit_codes(
    {2: "wrong usage"}
)


_COMPLETION_EXAMPLES: Final = """\b
Examples:
  cogwire completion bash > ~/.local/share/bash-completion/completions/cogwire
  cogwire completion zsh > ~/.zfunc/_cogwire   # a folder of fpath
  cogwire completion fish > ~/.config/fish/completions/cogwire.fish""" + exit_codes(
    {2: "wrong usage"}
)

_DEMO_EXAMPLES: Final = """\b
Examples:
  cogwire demo
  cogwire demo --fast --color never""" + exit_codes({2: "wrong usage"})

_HELP_EXAMPLES: Final = """\b
Examples:
  cogwire help
  cogwire help conformance run""" + exit_codes({2: "wrong usage, or there is no such command"})

#: The variable by which a shell asks what the words on a line may become.
_COMPLETE: Final = "_COGWIRE_COMPLETE"


class TroubleError(click.ClickException):
    """What is in the way, in one line."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Write the message to stderr."""
        click.echo(f"cogwire: {self.message}", file=file, err=True)


def run() -> int:
    """Run the command that `sys.argv` names and return its exit code."""
    if instruction := os.environ.get(_COMPLETE):
        return shell_complete(cli, {}, "cogwire", _COMPLETE, instruction)
    try:
        with cli.make_context("cogwire", sys.argv[1:]) as context:
            return int(cli.invoke(context) or 0)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code


class TextFile(click.Path):
    """A file, or - for standard input."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of the file, or say what to do with a folder."""
        if Path(value).is_dir():
            files = Path(value) / "*.txt"
            self.fail(f"{value!r} is a directory; name its files, such as {files}", param, ctx)
        return super().convert(value, param, ctx)


def _painter(color: str, *, offsets: bool) -> "Painter":
    """Return a painter on stdout; what it imports is slow, and pipes do without."""
    from cogwire_kit._painter import Painter, Screen  # noqa: PLC0415

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    if color == "auto" and not os.environ.get("NO_COLOR"):
        return Painter(Screen(highlight=False), offsets=offsets)
    coloured = color == "always"
    screen = Screen(
        highlight=False,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
    )
    return Painter(screen, offsets=offsets)


#: The groups of commands that are imported when they are asked for: slow, and rarely used.
_LAZY: Final = {
    "bulk": "cogwire_kit.bulk.cli",
    "conformance": "cogwire_kit.conformance.cli",
    "detect": "cogwire_kit._detect",
    "grammar": "cogwire_kit.grammars.cli",
    "lint": "cogwire_kit.lint.cli",
    "mask": "cogwire_kit._mask",
    "vendor": "cogwire_kit.vendoring.cli",
    "view": "cogwire_kit.view.cli",
}


class _LazyGroup(Commands):
    """A group that imports its larger commands when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted([*super().list_commands(ctx), *_LAZY])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        if cmd_name not in _LAZY:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(importlib.import_module(_LAZY[cmd_name]), cmd_name)
        return command


@click.group(
    cls=_LazyGroup,
    epilog=_EXAMPLES + _EXIT_CODES,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)
@click.version_option(
    cogwire.__version__, "-V", "--version", prog_name="cogwire", message="%(prog)s %(version)s"
)
def cli() -> None:
    """Read, watch, check and convert the text a model streams when it thinks and calls tools."""


@cli.command(epilog=_PARSE_EXAMPLES + _PARSE_CODES, short_help="Write the events of a text.")
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=TextFile(exists=True, allow_dash=True),
)
@dialect_option
@click.option(
    "--stream",
    type=click.Choice(["event", "token"]),
    default="event",
    show_default=True,
    help="Whole segments, or their text piece by piece as it becomes known.",
)
@click.option(
    "--mode",
    type=click.Choice(["turn", "transcript"]),
    default="turn",
    show_default=True,
    help="One output of a model, or a whole conversation with its results.",
)
@start_option
@click.option(
    "--calls",
    type=click.Choice(["shown", "sealed"]),
    default="shown",
    show_default=True,
    help="Each call when it is complete, or together with its execute.",
)
@click.option(
    "--call-deltas", is_flag=True, help="Show calls while they are written, with --stream token."
)
@click.option("--raw", is_flag=True, help="Add to each event the text that it accounts for.")
@click.option("--timestamps", is_flag=True, help="Add the time of each event (JSON Lines).")
@click.option(
    "--chunk", metavar="N", type=click.IntRange(min=1), help="Feed at most N characters at a time."
)
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
    for file in files or ("-",):
        painter = _painter(color, offsets=True) if is_text else None
        if painter and len(files) > 1:
            painter.note(f"==> {file} <==", "bold")
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
    with opened(file) as descriptor:
        source = Source(descriptor, chunk)
        with readable(file, source):
            detected = options["dialect"] == AUTO
            options["dialect"] = _named(options["dialect"], file, source, options)
            pieces = watched(source, descriptor, file)
            if painter:
                outcome = _parse.to_people(pieces, source, painter, **options)
            else:
                name = file if named else None
                outcome = _parse.to_programs(pieces, sys.stdout.buffer, file=name, **options)
            dialect = None if detected else options["dialect"]
            lost = 0 if source.ends_blank(outcome.discarded) else outcome.discarded
            notify(file, notices(file, source.head, dialect, outcome.counts, lost))
    return outcome.counts["error"]


def notify(file: str, lines: Iterable[str]) -> None:
    """Write lines about a file to stderr, after what stdout has so far."""
    sys.stdout.flush()
    for line in lines:
        click.echo(f"cogwire: {file}: {line}", err=True)


@cli.command(epilog=_CONVERT_EXAMPLES, short_help="Write a transcript in another dialect.")
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
            dialect = _named(source_dialect, file, source, {"mode": "transcript"})
            converter = cogwire.Converter(dialect, target_dialect)
            pieces = watched(source, descriptor, file)
            places = _convert.to_output(pieces, converter, sys.stdout.buffer)
            known = None if source_dialect == AUTO else dialect
            notify(file, notices(file, source.head, known, option="--from"))
            if report is None:
                _convert.to_people(file, converter.report, places, sys.stderr)
            else:
                _convert.to_programs(converter.report, report)
            is_unknown = source_dialect == AUTO and not cogwire.detect(source.head).candidates
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


def _named(dialect: str, file: str, source: Source, options: dict[str, Any]) -> str:
    """Return the dialect of `source` if it is to be detected, and say so."""
    if dialect != AUTO:
        return dialect
    name, reason = detect_dialect(source.whole(), **options)
    if name is None:
        raise TroubleError(f"{file}: {reason}")
    click.echo(f"cogwire: {file}: {reason}", err=True)
    return name


@contextmanager
def readable(file: str, source: Source) -> Iterator[None]:
    """Say what is wrong with the text as such."""
    try:
        yield
    except SourceError as problem:
        raise TroubleError(f"{file}: {problem}") from None
    if damage := source.not_utf8():
        raise TroubleError(f"{file}: {damage}")


@contextmanager
def opened(file: str) -> Iterator[int]:
    """Open a file, or standard input, and say so where a person has to type it."""
    if file == "-":
        if sys.stdin.isatty():
            click.echo("cogwire: reading what you type; Ctrl-D ends it", err=True)
        yield sys.stdin.fileno()
        return
    descriptor = os.open(file, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@cli.command(epilog=_DEMO_EXAMPLES, short_help="Run an agent loop on recorded model turns.")
@click.option("--fast", is_flag=True, help="Do not wait between the tokens.")
@color_option
def demo(color: str, *, fast: bool) -> None:
    """Run an agent loop on recorded model turns, without a network.

    The turns stream in token by token, their calls are checked against the schemas of real tools
    and run on files in a temporary folder, and what the model would be sent next is shown.  The
    loop is examples/agent_loop.py, made to be copied.
    """
    from cogwire_kit import _demo  # noqa: PLC0415 - asyncio, which no other command needs

    _demo.run(_painter(color, offsets=False), slow=sys.stdout.isatty() and not fast)


@cli.command(epilog=_ADAPTER_EXAMPLES, short_help="Answer a conformance runner.")
def adapter() -> None:
    """Speak the adapter protocol: one JSON request a line in, one reply a line out.

    This is how a conformance runner in any language drives this parser.
    """
    _adapter.serve(sys.stdin.buffer, sys.stdout.buffer)


@cli.command(epilog=_COMPLETION_EXAMPLES, short_help="Write a completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Write the script with which SHELL completes the commands and options of cogwire."""
    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - a shell that click no longer knows
        raise TroubleError(f"there is no completion for {shell}")
    # The script itself is asked for: for bash, `source` would run bash to see its version.
    script = kind(cli, {}, "cogwire", _COMPLETE)
    click.echo(script.source_template % script.source_vars())


def _names(ctx: click.Context) -> list[str]:
    """Return the commands that may follow those that are given."""
    command = _called(cli, ctx, ctx.params.get("names") or ())[0]
    return command.list_commands(ctx) if isinstance(command, click.Group) else []


def _called(
    command: click.Command, context: click.Context, names: Iterable[str]
) -> tuple[click.Command, click.Context]:
    """Return the command that names in a row call, and its context; or say that there is none."""
    for name in names:
        known = command.list_commands(context) if isinstance(command, click.Group) else []
        inner = command.get_command(context, name) if isinstance(command, click.Group) else None
        if inner is None:
            path = context.command_path
            hint = meant(name, known) or f"`{path} --help` lists them"
            raise click.UsageError(f"{path}: there is no command {name!r}; {hint.rstrip()}")
        context = click.Context(inner, info_name=name, parent=context)
        command = inner
    return command, context


@cli.command(name="help", epilog=_HELP_EXAMPLES, short_help="Show the help of a command.")
@click.argument("names", metavar="[COMMAND]...", nargs=-1, type=Named(_names))
@click.pass_context
def help_(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, as `cogwire COMMAND --help` does, or of cogwire."""
    command, context = _called(cli, ctx.find_root(), names)
    click.echo(command.get_help(context))
