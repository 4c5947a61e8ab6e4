# SPDX-License-Identifier: MIT
"""The command `cogwire grammar`."""

import json
from typing import Any, BinaryIO, Final

import click

from cogwire import Limits, Toolset
from cogwire.wire.dialects import dialect_names
from cogwire_kit._cli import TroubleError, start_option
from cogwire_kit._exit_codes import exit_codes
from cogwire_kit.grammars import ENGINES, LIMITS, GrammarError, turn_grammar, write

_END: Final = """\b
Examples:
  cogwire grammar --to lark tools.json > turn.lark
  cogwire grammar --to gbnf --dialect delimiter tools.json > turn.gbnf
  my-server --list-tools | cogwire grammar --to xgrammar --strict -""" + exit_codes(
    {
        1: "--strict was given, and the grammar leaves something out that the tools allow",
        2: "wrong usage, or tools that are not JSON or that no grammar can express; stderr names "
        "the tool and the place",
    }
)


@click.command(epilog=_END, short_help="Write the grammar of turns that fit tools.")
@click.argument("tools", metavar="TOOLS", type=click.File("rb"))
@click.option(
    "--to",
    type=click.Choice(ENGINES),
    required=True,
    help="Lark for llguidance, GBNF for llama.cpp, EBNF for XGrammar.",
)
@click.option(
    "--dialect",
    type=click.Choice(dialect_names()),
    default="xml-json",
    show_default=True,
    help="What the model writes.",
)
@start_option
@click.option(
    "--calls",
    type=click.Choice(["may", "must"]),
    default="may",
    show_default=True,
    help="Whether the turn has to end with calls.",
)
@click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(3),
    default=LIMITS.depth,
    show_default=True,
    help="How deeply JSON may nest, where the array of a block is 1; less makes a smaller grammar.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is left out.")
def grammar(
    tools: BinaryIO, to: str, dialect: str, depth: int, *, strict: bool, **options: Any
) -> int:
    """Write a grammar of the turns in which every call fits its tool.

    TOOLS is a JSON file, or - for standard input: an array of tools as OpenAI, Anthropic and MCP
    declare them, or an object that has it as `tools`.  An engine that keeps to the grammar writes
    only turns that are read without an error, and calls without a problem.

    What the tools allow and the grammar leaves out is named on stderr, a line for each place.
    """
    limits = Limits(calls=LIMITS.calls, depth=depth, digits=LIMITS.digits)
    try:
        made = turn_grammar(Toolset(_declared(tools), dialect), limits=limits, **options)
    except (GrammarError, ValueError, TypeError) as problem:
        raise TroubleError(f"{tools.name}: {problem}") from None
    click.echo(write(made, to), nl=False)
    for note in made.narrowed:
        click.echo(f"{tools.name}: {note}", err=True)
    return 1 if strict and made.narrowed else 0


def _declared(file: BinaryIO) -> list[Any]:
    """Return the tools that a file declares."""
    try:
        tools = json.loads(file.read())
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"this is not JSON: {problem}") from None
    if isinstance(tools, dict):
        tools = tools.get("tools")
    if not isinstance(tools, list):
        raise TypeError("tools are an array, or an object with the array `tools`")
    return tools
