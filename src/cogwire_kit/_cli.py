# SPDX-License-Identifier: MIT
"""The commands."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

import cogwire
from cogwire._dialects import DIALECTS
from cogwire_kit import _adapter, _parse
from cogwire_kit._source import Source, SourceError

if TYPE_CHECKING:
    from cogwire_kit._painter import Painter

_EXIT_CODES: Final = """

\b
Exit codes:
  0    done
  1    --strict, and an error event came
  2    wrong usage, or input that cannot be read or is not UTF-8
  130  interrupted
  141  whoever read the output has gone"""

_EXAMPLES: Final = """\b
Examples:
  cogwire demo
  cogwire parse turn.txt
  my-model | cogwire parse --stream token
  cogwire adapter < requests.jsonl"""

_PARSE_EXAMPLES: Final = """\b
Examples:
  cogwire parse turn.txt
  cogwire parse --strict --chunk 1 turn.txt
  cogwire parse --mode transcript --format text --color always log.txt | less -R
  my-model | cogwire parse --stream token | jq -r 'select(.type == "respond").content'"""

_ADAPTER_EXAMPLES: Final = """\b
Example:
  echo '{"id": "1", "op": "parse", "text": "<think>hm</think>"}' | cogwire adapter"""


class TroubleError(click.ClickException):
    """What stands in the way, in one line."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Write the message to stderr."""
        click.echo(f"cogwire: {self.message}", file=file, err=True)


def run() -> int:
    """Run the command that `sys.argv` names and return its exit code."""
    try:
        with cli.make_context("cogwire", sys.argv[1:]) as context:
            return int(cli.invoke(context) or 0)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code


_color: Final = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour the text; auto: on a terminal, unless NO_COLOR is set.",
)


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


@click.group(epilog=_EXAMPLES + _EXIT_CODES, context_settings={"max_content_width": 100})
@click.version_option(cogwire.__version__, prog_name="cogwire", message="%(prog)s %(version)s")
def cli() -> None:
    """Read, watch and check the text a model streams when it thinks, answers and calls tools."""


@cli.command(epilog=_PARSE_EXAMPLES + _EXIT_CODES, short_help="Write the events of a text.")
@click.argument("file", default="-", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--dialect", type=click.Choice(list(DIALECTS)), default="xml-json", show_default=True)
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
@click.option(
    "--start",
    type=click.Choice(["prose", "think"]),
    default="prose",
    show_default=True,
    help="think: the prompt already held the <think>.",
)
@click.option("--raw", is_flag=True, help="Give each event the text it accounts for.")
@click.option("--timestamps", is_flag=True, help="Say when each event came (JSON Lines).")
@click.option(
    "--chunk", metavar="N", type=click.IntRange(min=1), help="Feed at most N characters at a time."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", "text", "jsonl"]),
    default="auto",
    show_default=True,
    help="For people or for programs; auto: text on a terminal, JSON Lines in a pipe.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if an error event came.")
@_color
def parse(
    file: str,
    form: str,
    chunk: int | None,
    color: str,
    *,
    strict: bool,
    timestamps: bool,
    **options: Any,
) -> int:
    """Write the events of FILE, or of standard input, as they become known.

    Whatever the model wrote is data: a broken block is an error event, and the exit code is 0.
    Bytes that are not UTF-8 are read as U+FFFD; the first is named on stderr, and the exit code
    is 2.
    """
    options["clock"] = time.time if timestamps else None
    with _opened(file) as descriptor:
        source = Source(descriptor, chunk)
        try:
            if form == "text" or (form == "auto" and sys.stdout.isatty()):
                painter = _painter(color, offsets=True)
                errors = _parse.to_people(source, painter, **options)
            else:
                errors = _parse.to_programs(source, sys.stdout.buffer, **options)
        except SourceError as problem:
            raise TroubleError(f"{file}: {problem}") from None
    if source.first_bad_byte is not None:
        raise TroubleError(f"{file}: not UTF-8 at byte {source.first_bad_byte}; read as U+FFFD")
    return 1 if strict and errors else 0


@contextmanager
def _opened(file: str) -> Iterator[int]:
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


@cli.command(short_help="Run an agent loop on recorded model turns.")
@click.option("--fast", is_flag=True, help="Do not wait between the tokens.")
@_color
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
