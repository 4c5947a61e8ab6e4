# SPDX-License-Identifier: MIT
"""The dialects, as data.

A dialect is a frozen value: the parser, the renderers and the assembler read it and hold no
knowledge of their own about any wire format.  A new dialect is a new value in `DIALECTS`, and,
where its blocks are not JSON arrays, a block reader.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One wire format."""

    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    #: Opener and closer of a think segment, of a block, and of a results block.
    think: tuple[str, str]
    execute: tuple[str, str]
    results: tuple[str, str]
    #: The marker that ends a turn.
    end: str
    #: What stands between two parts of one message.
    joint: str
    #: Whether the calls of a block run together or one after the other.
    parallel: bool
    #: The first character of whatever could pass for a marker, in any ASCII case.
    lookalike: re.Pattern[str]
    #: How that character is written inside a JSON string, and in running text.
    escape: str
    literal: str

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are live in prose."""
        return (self.think[0], self.execute[0], self.results[0], self.end)


XML_JSON: Final = Dialect(
    name="xml-json",
    think=("<think>", "</think>"),
    execute=("<execute>", "</execute>"),
    results=("<results>", "</results>"),
    end="<end>",
    joint="\n\n",
    parallel=True,
    lookalike=re.compile(r"<(?=/?(?:think|execute|results|end))", re.IGNORECASE | re.ASCII),
    escape=r"\u003c",
    literal="&lt;",
)

DIALECTS: Final[dict[str, Dialect]] = {dialect.name: dialect for dialect in (XML_JSON,)}


def dialect_named(name: str) -> Dialect:
    """Return the dialect called `name`, or raise `ValueError` with the names there are."""
    try:
        return DIALECTS[name]
    except (KeyError, TypeError):
        known = ", ".join(DIALECTS)
        raise ValueError(f"unknown dialect {name!r}; known: {known}") from None
