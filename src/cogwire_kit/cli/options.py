# SPDX-License-Identifier: MIT
"""Options that commands share, each with one meaning, and exit codes."""

import json
import os
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from cogwire.tooling import Start, dialect_names
from cogwire_kit.cli.files import misuse, trouble
from cogwire_kit.masks import Straddling
from cogwire_kit.texts.dialects import AUTO, chosen_dialect, known_dialects, require_start
from cogwire_kit.texts.rows import TEXT_COLUMN
from cogwire_kit.texts.words import meant

Command = Callable[..., Any]


def adding(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds options, which the help names in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def choice_option(flag: str, values: Sequence[str], help_: str) -> Callable[[Command], Command]:
    """Return an option that is one of some values, and the first of them by default."""
    kind = click.Choice(values)
    return click.option(flag, type=kind, default=values[0], show_default=True, help=help_)


def number_option(
    flag: str, help_: str, *, to: str | None = None, default: int | None = None, least: int = 1
) -> Callable[[Command], Command]:
    """Return an option for a number, whose value is the parameter `to` if that is given."""
    return click.option(
        *(flag, *([to] if to else [])),
        metavar="N",
        type=click.IntRange(min=least),
        default=default,
        show_default=default is not None,
        help=help_,
    )


class _OutputFile(click.Path):
    """A file that is written, and never a stream."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the file; - would be one of this name."""
        if value == "-":
            self.fail("this is not written to a stream; name a file", param, ctx)
        return super().convert(value, param, ctx)


#: A file that is read, and one that is written.
FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT: Final = _OutputFile(dir_okay=False, path_type=Path)
#: A file of a model, or the folder with its files.
MODEL: Final = click.Path(exists=True, path_type=Path)
#: One that is written, or - for an output of the command.
OUTPUT_OR_DASH: Final = click.Path(dir_okay=False, allow_dash=True)


def file_option(
    flag: str, to: str, help_: str, kind: click.Path = FILE, default: Path | None = None
) -> Callable[[Command], Command]:
    """Return an option for a file, whose value is the parameter `to`."""
    return click.option(flag, to, metavar="FILE", type=kind, default=default, help=help_)


class Commands(click.Group):
    """A group of commands that suggests the nearest name for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the called command, or fail with the nearest name."""
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing and (hint := meant(args[0], known)):
            ctx.fail(f"There is no command {args[0]!r}; {hint.rstrip()}")
        return super().resolve_command(ctx, args)


def refusing(
    problem: type[Exception], shown: Callable[[str, click.Context], click.ClickException]
) -> type[click.Command]:
    """Return a class of commands that end with what `problem` says, as `shown` shows it."""

    class Refusing(click.Command):
        """A command whose input may be refused."""

        def invoke(self, ctx: click.Context) -> Any:
            try:
                return super().invoke(ctx)
            except problem as error:
                raise shown(str(error), ctx) from None

    return Refusing


class Named(click.types.StringParamType):
    """A name, or several with commas between, that the shell completes from those that are known.

    Which names are valid is for the command to say, because some accept patterns.
    """

    name = "name"

    def __init__(self, known: Callable[[click.Context], Collection[str]]) -> None:
        """Complete from what `known` returns; it is called only when the shell asks."""
        self.known = known

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that the last one may become, with the names before it."""
        del param
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + name)
            for name in self.known(ctx)
            if name.startswith(last)
        ]


class DialectName(click.types.StringParamType):
    """The name of a dialect, of a format or one of its aliases, or a file with a description."""

    name = "dialect"

    def __init__(self, *others: str) -> None:
        """Accept `others` too, such as `AUTO`."""
        self.others = others

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the dialect, with the format if it is of a file."""
        if value in self.others:
            return value
        try:
            return chosen_dialect(value)
        except ValueError as problem:
            # A file that is wrong is not a wrong name.
            others = () if Path(value).is_file() else self.others
            more = "".join(f" ({each} is accepted, too)" for each in others)
            self.fail(f"{problem}{more}", param, ctx)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return what may be named."""
        del param, ctx
        names = (*dialect_names(), "a format of `cogwire format list`", *self.others)
        return f"Name one of these: {', '.join(names)}"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; where there are none, the shell completes a file."""
        del ctx, param
        names = [*known_dialects(), *self.others]
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


_FOUND: Final = f"{', '.join(dialect_names())} or a format"
_OTHERS: Final = "a format that `cogwire format list` names, or a file with a description (.json)."

#: The same for every command that reads text: a dialect is what a model was asked to write
#: (conv-detect-run).
dialect_option: Final = click.option(
    "--dialect",
    type=DialectName(AUTO),
    default="xml-json",
    show_default=True,
    help=f"The dialect of the texts, {_OTHERS} auto: detected from the markers once all of a "
    f"text has been read: {_FOUND}. stderr names a text that looks like another dialect.",
)
#: The same, where it is required.
from_option: Final = click.option(
    "--from",
    "--dialect",
    "source_dialect",
    type=DialectName(AUTO),
    required=True,
    help=f"The dialect of the text, {_OTHERS} auto: detected from the markers once all of it "
    f"has been read: {_FOUND}.",
)


def to_option(name: str, *others: str, required: bool, help_: str) -> Callable[[Command], Command]:
    """Return the option `--to`, whose value is the parameter `name`; it accepts `others` too."""
    return click.option("--to", name, type=DialectName(*others), required=required, help=help_)


#: Where a turn begins.
STARTS: Final[tuple[Start, ...]] = get_args(Start)

start_option: Final = choice_option(
    "--start",
    STARTS,
    "What the prompt ends in: think, after the opener of a think; header, in an open header.",
)

#: The same for a whole transcript, each turn of which begins so.
turn_start_option: Final = choice_option(
    "--start",
    STARTS,
    "What the prompt of each turn ends in: think, after the opener of a think; header, in an open "
    "header.",
)


def check_start(start: Start, dialect: str, place: str = "--start") -> None:
    """Raise `UsageError` unless turns in a dialect can begin in `start`, which `place` says."""
    with misuse(f"{place} {start}", ValueError):
        require_start(start, dialect)


color_option: Final = choice_option(
    "--color",
    ("auto", "always", "never"),
    "Colour the text; auto: on a terminal, unless NO_COLOR is set.",
)


def is_coloured(color: str) -> bool:
    """Return whether the value of `--color` means that standard output is coloured."""
    if color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return color == "always"


def format_option(
    forms: Sequence[str], help_: str, *, required: bool = False
) -> Callable[[Command], Command]:
    """Return the option `--format`; the first form is the default, unless it is required."""
    default: dict[str, Any] = {} if required else {"default": forms[0], "show_default": True}
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        required=required,
        help=help_,
        **default,
    )


def json_options(
    what: str, *, forms: Sequence[str] = ("text", "json")
) -> Callable[[Command], Command]:
    """Return `--format` and its short form `--json`, for a command that writes one object."""
    return adding(
        format_option(forms, what),
        click.option("--json", "form", flag_value="json", help="The same as --format json."),
    )


def jobs_option(
    default: int | Callable[[], int], shown: str, help_: str
) -> Callable[[Command], Command]:
    """Return the option `--jobs`, which was `--processes` for `cogwire bulk`."""
    return click.option(
        "-j",
        "--jobs",
        "--processes",
        "jobs",
        metavar="N",
        type=click.IntRange(min=1),
        default=default,
        show_default=shown,
        help=help_,
    )


#: The same for every command that reads transcripts and data sets.
input_option: Final = click.option(
    "--input",
    "kind",
    type=click.Choice(["text", "json", "jsonl", "parquet"]),
    help="What each FILE contains; by default its name decides, and standard input is text.",
)
column_option: Final = click.option(
    "--column",
    default=TEXT_COLUMN,
    show_default=True,
    help="The column of a data set that has the transcripts, or else its messages or events.",
)
#: What a loss mask keeps: these two are the arguments of `cogwire_kit.masks.mask`.
mask_options: Final = adding(
    click.option(
        "--train",
        default="model",
        show_default=True,
        metavar="NAME,…",
        help="The authors and kinds of text that the loss mask keeps.",
    ),
    click.option(
        "--skip", default="", metavar="NAME,…", help="The authors and kinds that it leaves out."
    ),
)
#: How texts become tokens: the arguments of `cogwire_kit.tokens.Encoder`.
token_options: Final = adding(
    click.option(
        "--tokenizer",
        metavar="PATH",
        type=click.Path(exists=True, path_type=Path),
        help="Write tokens: a tokenizer.json, or a folder that has one with its chat template.",
    ),
    choice_option(
        "--straddling",
        get_args(Straddling),
        "What becomes of a token that contains both trained and other text; first: as its first "
        "character.",
    ),
    click.option(
        "--stop",
        metavar="TEXT",
        help="What the template writes after each message of the model, which it must learn; "
        "by default the `eos_token` of the folder.",
    ),
    click.option("--by-turn", is_flag=True, help="Write each turn of the model after its prompt."),
    click.option(
        "--special-tokens",
        type=click.Choice(["refuse", "keep"]),
        default="refuse",
        show_default=True,
        help="What becomes of a row with a special token of the tokenizer in a message's text, "
        "which a template writes as it is.",
    ),
    click.option(
        "--chat-template-kwargs",
        "template_options",
        metavar="JSON",
        default="{}",
        callback=lambda _context, _option, text: _json_object(text),
        help='More variables of the chat template, such as {"enable_thinking": false}.',
    ),
)
#: Their parameters.
TOKEN_OPTIONS: Final = (
    "tokenizer",
    "straddling",
    "stop",
    "by_turn",
    "special_tokens",
    "template_options",
)


def is_given(option: str) -> bool:
    """Whether the option with this parameter is on the command line."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not ParameterSource.DEFAULT


def refuse_tokens(hint: str, *more: str) -> None:
    """Refuse the options of tokens, and those with the parameters `more`, if one is given.

    The message ends in a `hint` to what they need.
    """
    for option in click.get_current_context().command.params:
        if option.name in (*TOKEN_OPTIONS, *more) and is_given(option.name):
            raise click.UsageError(f"{option.opts[0]} is for tokens; {hint}")


def _json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that is the value of an option."""
    with trouble("this is not JSON", ValueError, RecursionError, kind=click.BadParameter):
        value = json.loads(text)
    if not isinstance(value, dict):
        raise click.BadParameter("expected a JSON object")
    return value


def names_in(text: str) -> list[str]:
    """Return the names in the value of an option, with commas between."""
    return list(filter(None, text.split(",")))


# --- Exit codes -----------------------------------------------------------------------------------

_EVERYWHERE: Final = {
    0: "done",
    2: "wrong usage, or input that cannot be read",
    130: "interrupted",
    141: "the reader of the output has gone",
}
_WIDTH: Final = 90


def exit_codes(own: Mapping[int, str]) -> str:
    """Return the end of a help text: the codes of a command, `own` and those of every command."""
    codes = sorted({**_EVERYWHERE, **own}.items())
    lines = "\n".join(
        textwrap.fill(meaning, _WIDTH, initial_indent=f"  {code:<5}", subsequent_indent=" " * 7)
        for code, meaning in codes
    )
    return f"\n\n\b\nExit codes:\n{lines}"


#: What exit code 2 means for a command that reads transcripts.
TEXT_TROUBLE: Final = (
    "wrong usage, or input that cannot be read, is not UTF-8, or fits several dialects"
)
