# SPDX-License-Identifier: MIT
"""Grammars from a toolset, for engines that constrain what a model writes.

`turn_grammar` makes a grammar of the turns whose calls fit the tools, as data; `write` writes it in
the syntax of an engine:

    from cogwire import Toolset
    from cogwire_kit import grammars

    grammar = grammars.turn_grammar(Toolset(tools, "xml-json"))
    text = grammars.write(grammar, "lark")
"""

from collections.abc import Callable
from typing import Final

from cogwire_kit.grammars.nodes import Grammar, GrammarRule
from cogwire_kit.grammars.schemas import GrammarError
from cogwire_kit.grammars.syntaxes import ebnf, gbnf, lark
from cogwire_kit.grammars.turns import LIMITS, structural_tag, turn_grammar
from cogwire_kit.grammars.vocabulary import special_tokens

__all__ = ["ENGINES", "LIMITS", "Grammar", "GrammarError", "GrammarRule", "special_tokens"]
__all__ += ["structural_tag", "turn_grammar", "write"]

_WRITERS: Final[dict[str, Callable[[Grammar], str]]] = {
    "lark": lark,
    "gbnf": gbnf,
    "xgrammar": ebnf,
}

#: The syntaxes: Lark for llguidance, GBNF for llama.cpp, and the EBNF of XGrammar.
ENGINES: Final = tuple(_WRITERS)


def write(grammar: Grammar, to: str) -> str:
    """Return a grammar in the syntax of an engine, one of `ENGINES`; `ValueError` for another."""
    if to not in _WRITERS:
        raise ValueError(f"unknown syntax {to!r}; known: {', '.join(ENGINES)}")
    return _WRITERS[to](grammar)
