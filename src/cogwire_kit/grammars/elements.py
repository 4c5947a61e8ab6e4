# SPDX-License-Identifier: MIT
"""The calls of a tool as elements, whose texts are coerced to the types that the schema declares.

The first declared type that a text fits decides its value.  So a text is written only if that type
is the intended one; other texts are left out, which is reported.
"""

import json
from collections.abc import Iterable
from typing import Any, Final

from cogwire.tooling import Option, Tool, is_name
from cogwire_kit.grammars.members import Members
from cogwire_kit.grammars.negations import kind_of
from cogwire_kit.grammars.nodes import (
    NOTHING,
    Book,
    Node,
    either,
    optional,
    sequence,
)
from cogwire_kit.grammars.schemas import KINDS, All, Places, Schemas
from cogwire_kit.grammars.spelling import Plain, free_text, starting_as_no_json
from cogwire_kit.grammars.values import Values

_Options = tuple[Option, ...] | None

_ANY: Final = "any"
#: The option that accepts every text.
_TEXTS: Final = frozenset({"string", _ANY})


class Elements:
    """Makes the nodes of the calls of one tool."""

    def __init__(self, tool: Tool, schemas: Schemas, values: Values, book: Book, left: int) -> None:
        self._tool = tool
        self._schemas = schemas
        self._values = values
        self._book = book
        #: How deep a value in an argument may nest.
        self._left = left

    def call(self) -> Node:
        """Return the calls of the tool."""
        name = self._tool.name
        if not is_name(name):
            self._schemas.refuse("", f"XML cannot represent the name {name!r}")
        if self._schemas.listed([""]) is not None:
            self._schemas.refuse("", "the arguments are listed whole, which is not read as text")
        found = (self._of(Members(self._schemas, held)) for held in self._objects())
        body = either(*found)
        closed = sequence(f"<{name}>", body, optional(self._values.space), f"</{name}>")
        return either(f"<{name}/>", closed) if body == optional(body) else closed

    def _objects(self) -> Any:
        options = self._schemas.alternatives(("",))
        return [held for held in options if "object" in self._values.types(held)]

    def _of(self, members: Members) -> Node:
        members.note_others()
        written: list[tuple[Node, bool]] = []
        for name, places in members.places.items():
            element: Node = NOTHING
            if is_name(name):
                content = self._book.rule(name, self._content(name, places))
                element = sequence(f"<{name}>", content)
                if self._schemas.fits(self._schemas.whole.read(name, ""), places):
                    element = either(f"<{name}/>", element)
                element = sequence(self._values.space, element)
            elif name not in members.required:
                self._schemas.narrow("", f"XML cannot represent the name {name!r}")
            written.append((element, name in members.required))
        parts = (
            node if is_required else optional(node) for node, is_required in members.enough(written)
        )
        return sequence(*parts)

    def _content(self, name: str, places: Places) -> Node:
        """Return the texts of an argument, with the tag that ends it."""
        end = f"</{name}>"
        values = self._schemas.listed(places)
        if values is not None:
            return sequence(self._literals(name, values, places), end)
        options = self._schemas.whole.options(name)
        found: list[Node] = []
        for held in self._schemas.alternatives(places):
            values = self._values.listed_in(held)
            if values is not None:
                found.append(sequence(self._literals(name, values, places), end))
                continue
            for kind in KINDS:
                node = self._text(held, kind, options, places)
                if kind == "string" and node != NOTHING:
                    # One token, since a lexer cannot tell where the text ends.
                    found.append(self._book.token(f"{name}-text", sequence(node, end)))
                else:
                    found.append(sequence(node, end))
        return either(*found)

    def _literals(self, name: str, values: Iterable[Any], places: Places) -> Node:
        """Return the texts that are read as one of these values."""
        found: list[Node] = []
        for value in values:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            read = self._schemas.whole.read(name, text)
            if self._schemas.fits(read, places):
                found.append(Plain().literal(text))
        return either(*found)

    def _text(self, held: All, kind: str, options: _Options, places: Places) -> Node:
        """Return the texts of the values of a type that are read as this type."""
        if kind == "string":
            return self._string(held, options, places)
        wanted = {"integer", "number"} if kind in ("integer", "number") else {kind}
        for option in options or ():
            if option.type in wanted and option.members is None:
                return self._values.of(held, kind, self._left)
            if option.type in _TEXTS and option.members is None:
                break
            if option.type in _TEXTS and _lists(option.members or (), wanted):
                self._narrow(places, f"texts of type {kind} may be among the strings listed before")
                break
        return NOTHING

    def _string(self, held: All, options: _Options, places: Places) -> Node:
        """Return the texts that are read as strings."""
        plain = Plain()
        node = self._values.string(held, plain)
        if node == NOTHING:
            return NOTHING
        if options:
            types = [each.type for each in options if each.members is None]
            place = next((i for i, kind in enumerate(types) if kind in _TEXTS), None)
            if place is None:
                return NOTHING
            if place or len(types) < len(options):
                self._narrow(places, "strings do not begin like JSON")
                first = plain.character(starting_as_no_json())
                return self._values.string(held, plain, first)
        if node == self._values.string((), plain):
            return self._book.token("text", free_text())
        return node

    def _narrow(self, places: Places, reason: str) -> None:
        self._schemas.narrow(places[0] if places else "", reason)


def _lists(members: tuple[str, ...], kinds: set[str]) -> bool:
    """Whether one of the listed texts is JSON of these types."""
    for member in members:
        value = json.loads(member)
        try:
            read = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            continue
        if kind_of(read) in kinds:
            return True
    return False
