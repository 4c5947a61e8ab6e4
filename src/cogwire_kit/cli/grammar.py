# SPDX-License-Identifier: MIT
"""The command `cogwire grammar`."""

import json
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

import click

from cogwire import Limits, Parser, Toolset
from cogwire.tooling import Start
from cogwire_kit.cli.files import tools_in, trouble
from cogwire_kit.cli.options import (
    STARTS,
    DialectName,
    choice_option,
    exit_codes,
    file_option,
    format_option,
    number_option,
)
from cogwire_kit.grammars import (
    ENGINES,
    LIMITS,
    GrammarError,
    special_tokens,
    structural_tag,
    turn_grammar,
    write,
)

_STRUCTURAL: Final = "structural-tag"

_END: Final = """\b
Examples:
  cogwire grammar --format lark tools.json > turn.lark
  cogwire grammar --format gbnf --dialect delimiter tools.json > turn.gbnf
  my-server --list-tools | cogwire grammar --format xgrammar --strict -""" + exit_codes(
    {
        1: "--strict was given, and the grammar and the tools differ, as stderr says",
        2: "wrong usage, or tools that are not JSON or that no grammar can express; stderr names "
        "the tool and the place",
    }
)


@click.command(epilog=_END, short_help="Write the grammar of turns that fit tools.")
@click.argument("tools", metavar="TOOLS", type=click.File("rb"))
@format_option(
    (*ENGINES, _STRUCTURAL),
    "Lark for llguidance, GBNF for llama.cpp, EBNF or a structural tag for XGrammar.",
    required=True,
)
@click.option(
    "--dialect",
    type=DialectName(),
    default="xml-json",
    show_default=True,
    help="What the model writes.",
)
@choice_option(
    "--start",
    STARTS,
    "think, header: the prompt already contains the opener of the think, or of a header.",
)
@click.option("--require-calls", is_flag=True, help="Only turns that end with calls.")
@number_option("--max-calls", "How many calls a turn has at most.", default=LIMITS.calls)
@number_option(
    "--depth",
    "How deeply JSON may nest, where the array of a block is 1; less makes a smaller grammar.",
    default=LIMITS.depth,
    least=3,
)
@choice_option(
    "--maps",
    ("named", "any"),
    "any: JSON objects may have members that no schema names; a model can then write a name twice.",
)
@click.option(
    "--lengths",
    type=click.Choice(["all", "short"]),
    show_default="short for XGrammar, else all",
    help="The bounds on lengths of strings that the grammar has; short: those up to 100.",
)
@file_option(
    "--vocabulary",
    "vocabulary",
    "The tokenizer.json of the model, whose special tokens llguidance knows by numbers.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if the grammar and the tools differ.")
def grammar(
    tools: BinaryIO,
    form: str,
    dialect: str,
    start: Start,
    *,
    max_calls: int,
    depth: int,
    vocabulary: Path | None,
    maps: Literal["named", "any"],
    lengths: Literal["all", "short"] | None,
    require_calls: bool,
    strict: bool,
) -> int:
    """Write a grammar of the turns in which every call fits its tool.

    TOOLS is a JSON file, or - for standard input: an array of tools as OpenAI, Anthropic and MCP
    declare them, or an object that has it as `tools`.  An engine that follows the grammar writes
    only turns that are read without an error, and calls without a problem.

    stderr names each place where the grammar allows less than the tools, and each length that it
    leaves to the check of the arguments.
    """
    limits = Limits(calls=max_calls, depth=depth, digits=LIMITS.digits)
    options: dict[str, Any] = {
        "calls": "must" if require_calls else "may",
        "maps": maps,
        "lengths": lengths or ("short" if form in ("xgrammar", _STRUCTURAL) else "all"),
        "limits": limits,
    }
    special: dict[str, int] = {}
    if vocabulary is not None:
        with trouble(vocabulary, ValueError, RecursionError, OSError):
            special = special_tokens(json.loads(vocabulary.read_bytes()))
    with trouble("", ValueError):
        Parser(dialect, start=start)  # what is wrong with these is not wrong in the file
    with trouble(tools.name, GrammarError, ValueError, TypeError):
        toolset = Toolset(tools_in(tools.read()), dialect)
        if form == _STRUCTURAL:
            tag, notes = structural_tag(toolset, **options)
            written = f"{json.dumps(tag, ensure_ascii=False)}\n"
        else:
            made = turn_grammar(toolset, start=start, special=special, **options)
            written, notes = write(made, form), (*made.narrowed, *made.widened)
    click.echo(written, nl=False)
    for note in notes:
        click.echo(f"{tools.name}: {note}", err=True)
    return 1 if strict and notes else 0
