# SPDX-License-Identifier: MIT
"""`cogwire` itself: its commands, and those about the command line."""

import importlib
import os
import sys
from collections.abc import Iterable
from typing import Final

import click
from click.shell_completion import get_completion_class, shell_complete

import cogwire
from cogwire_kit.cli.files import TroubleError
from cogwire_kit.cli.options import TEXT_TROUBLE, Commands, Named, exit_codes
from cogwire_kit.texts.words import meant, on_a_line

_EXIT_CODES: Final = exit_codes(
    {
        1: "something was found or differs (detect, lint, conformance, format check and from, "
        "vendor check and diff, and any command with --strict)",
        2: TEXT_TROUBLE,
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

_HELP_EXAMPLES: Final = """\b
Examples:
  cogwire help
  cogwire help conformance run""" + exit_codes({2: "wrong usage, or there is no such command"})

#: The variable by which a shell asks what the words on a line may become.
_COMPLETE: Final = "_COGWIRE_COMPLETE"


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
        vars(problem)["message"] = on_a_line(problem.message)
        problem.show()
        return problem.exit_code


#: The commands that are imported when they are asked for.
_LAZY: Final = (
    *("bulk", "conformance", "convert", "demo", "detect", "format", "grammar", "lint", "mask"),
    *("parse", "vendor", "view"),
)
#: Those whose module has another name than they: `format` is a function of Python.
_MODULES: Final = {"format": "formats"}


class _LazyGroup(Commands):
    """A group that imports most of its commands when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_LAZY])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _LAZY:
            return super().get_command(ctx, cmd_name)
        name = _MODULES.get(cmd_name, cmd_name)
        module = importlib.import_module(f"cogwire_kit.cli.{name}")
        command: click.Command = getattr(module, name)
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


@cli.command(epilog=_ADAPTER_EXAMPLES, short_help="Answer a conformance runner.")
def adapter() -> None:
    """Speak the adapter protocol: one JSON request a line in, one reply a line out.

    This is how a conformance runner in any language drives this parser.
    """
    from cogwire_kit.adapter import serve  # noqa: PLC0415 - no other command needs it

    serve(sys.stdin.buffer, sys.stdout.buffer)


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
    """Return the command that these names lead to, with its context; or raise `UsageError`."""
    for name in names:
        known = command.list_commands(context) if isinstance(command, click.Group) else []
        inner = command.get_command(context, name) if isinstance(command, click.Group) else None
        if inner is None:
            path = context.command_path
            hint = meant(name, known) or f"`{path} --help` lists them"
            raise click.UsageError(f"{path} has no command {name!r}; {hint.rstrip()}")
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
