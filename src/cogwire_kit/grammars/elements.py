# SPDX-License-Identifier: MIT
"""The calls of a tool whose arguments are texts, which are coerced to the types of the schema.

The first declared type that a text fits decides its value.  So a text is written only if that type
is the intended one; other texts are left out, which is reported.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from cogwire.tooling import Option, Tool, is_name
from cogwire_kit.grammars.members import Members
from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    FixedText,
    Node,
    either,
    may_be_empty,
    optional,
    sequence,
)
from cogwire_kit.grammars.schemas import KINDS, All, Places, Schemas, kind_of
from cogwire_kit.grammars.spelling import Plain, Raw, ValueSpelling, free_text, starting_as_no_json
from cogwire_kit.grammars.values import Values

Options = tuple[Option, ...] | None

_ANY: Final = "any"
#: The option that accepts every text.
_TEXTS: Final = frozenset({"string", _ANY})


class Texts(ABC):
    """Makes the nodes of the calls of one tool whose arguments are texts."""

    #: Whether a text is read as null although a string is declared before it.
    _null_is_first: ClassVar[bool] = False

    def __init__(self, tool: Tool, schemas: Schemas, values: Values, book: Book, left: int) -> None:
        self._tool = tool
        self._schemas = schemas
        self._values = values
        self._book = book
        #: How deep a value in an argument may nest.
        self._left = left

    def call(self) -> Node:
        """Return the calls of the tool."""
        if not self._can_name(self._tool.name, is_tool=True):
            self._schemas.refuse("", f"no call can have the name {self._tool.name!r}")
        if self._schemas.listed([""]) is not None:
            self._schemas.refuse("", "text cannot express whole objects in `enum` or `const`")
        found = (
            self._of(Members(self._schemas, held))
            for held in self._schemas.alternatives(("",))
            if "object" in self._values.types(held)
        )
        return self._around(either(*found))

    def _of(self, members: Members) -> Node:
        members.note_others()
        written: list[tuple[Node, bool]] = []
        for name, places in members.places.items():
            argument: Node = NOTHING
            if self._can_name(name, is_tool=False):
                argument = sequence(self._values.space, self._argument(name, places))
            elif name not in members.required:
                self._schemas.narrow("", f"no argument can have the name {name!r}")
            written.append((argument, name in members.required))
        parts = (
            node if is_required else optional(node) for node, is_required in members.enough(written)
        )
        return sequence(*parts)

    @abstractmethod
    def _can_name(self, name: str, *, is_tool: bool) -> bool:
        """Whether a tool, or else an argument, can have this name."""

    @abstractmethod
    def _around(self, arguments: Node) -> Node:
        """Return the calls with these arguments."""

    @abstractmethod
    def _argument(self, name: str, places: Places) -> Node:
        """Return an argument with its name."""

    @abstractmethod
    def _spelling(self, name: str) -> ValueSpelling:
        """Return how a text is written, with its closer if a lexer cannot tell the two apart."""

    @abstractmethod
    def _ended(self, name: str, text: Node) -> Node:
        """Return the content of an argument that is not a string, with its closer."""

    def _content(self, name: str, places: Places) -> Node:
        """Return the content of an argument, with its closer."""
        values = self._schemas.listed(places)
        if values is not None:
            return self._literals(name, values, places)
        options = self._schemas.whole.options(name)
        found: list[Node] = []
        for held in self._schemas.alternatives(places):
            values = self._values.listed_in(held)
            if values is not None:
                found.append(self._literals(name, values, places))
                continue
            for kind in KINDS:
                node = self._text(name, held, kind, options, places)
                if kind == "string":
                    found.append(self._string_content(name, node))
                else:
                    found.append(self._ended(name, node))
        return either(*found)

    @abstractmethod
    def _string_content(self, name: str, text: Node) -> Node:
        """Return the content of an argument that is a string, with its closer."""

    def _literals(self, name: str, values: Iterable[Any], places: Places) -> Node:
        """Return the texts that are read as one of these values."""
        found: list[Node] = []
        for value in values:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            read = self._schemas.whole.read(name, text)
            if self._schemas.fits(read, places):
                found.append(self._string_content(name, self._spelling(name).literal(text)))
        return self._book.listed(found)

    def _text(self, name: str, held: All, kind: str, options: Options, places: Places) -> Node:
        """Return the texts of the values of a type that are read as this type."""
        if kind == "string":
            return self._string(name, held, options, places)
        wanted = {"integer", "number"} if kind in ("integer", "number") else {kind}
        for option in options or ():
            if option.type in wanted and option.members is None:
                return self._value(held, kind)
            if option.type in _TEXTS and option.members is None:
                break
            if option.type in _TEXTS and _lists(option.members or (), wanted):
                self._narrow(places, f"texts of type {kind} may be among the strings listed before")
                break
        return NOTHING

    def _value(self, held: All, kind: str) -> Node:
        return self._values.of(held, kind, self._left)

    def _string(self, name: str, held: All, options: Options, places: Places) -> Node:
        """Return the texts that are read as strings."""
        plain = self._spelling(name)
        node = self._values.string(held, plain)
        if node == NOTHING:
            return NOTHING
        if options:
            types = [each.type for each in options if each.members is None]
            place = next((i for i, kind in enumerate(types) if kind in _TEXTS), None)
            if place is None:
                return NOTHING
            if place or len(types) < len(options) or (self._null_is_first and "null" in types):
                self._narrow(places, "strings do not begin like JSON")
                first = plain.character(starting_as_no_json())
                return self._values.string(held, plain, first)
        return self._any_string(node)

    def _any_string(self, node: Node) -> Node:
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


# --- Elements -------------------------------------------------------------------------------------


class Elements(Texts):
    """Makes the nodes of calls that are elements."""

    _plain: Final = Plain()

    def _spelling(self, name: str) -> ValueSpelling:
        del name
        return self._plain

    def _can_name(self, name: str, *, is_tool: bool) -> bool:
        del is_tool
        return is_name(name)

    def _around(self, arguments: Node) -> Node:
        name = self._tool.name
        closed = sequence(f"<{name}>", arguments, optional(self._values.space), f"</{name}>")
        return either(f"<{name}/>", closed) if may_be_empty(arguments) else closed

    def _argument(self, name: str, places: Places) -> Node:
        content = self._book.rule(name, self._content(name, places))
        element = sequence(f"<{name}>", content)
        if self._schemas.fits(self._schemas.whole.read(name, ""), places):
            element = either(f"<{name}/>", element)
        return element

    def _ended(self, name: str, text: Node) -> Node:
        return sequence(text, f"</{name}>")

    def _string_content(self, name: str, text: Node) -> Node:
        if text == NOTHING or isinstance(text, FixedText):
            return self._ended(name, text)
        # One token, since a lexer cannot tell where the text ends.
        return self._book.token(f"{name}-text", self._ended(name, text))

    def _any_string(self, node: Node) -> Node:
        if node == self._values.string((), self._plain):
            return self._book.token("text", free_text())
        return node


# --- The tags of a description --------------------------------------------------------------------

#: Where a template has the id of a call, and where the closer of a value has its key.
ID: Final = "{id}"
KEY: Final = "{key}"


class Tagging(NamedTuple):
    """The tags of a description, and what is written between them."""

    payload: Mapping[str, Any]
    #: The markers around a value; the closer of a call, if calls include it, and the gap before it.
    value: tuple[str, str]
    end: str
    gap: Node
    #: How the text of a key is written; the values as texts, JSON and in other notations; an id.
    plain: Callable[[str], Raw]
    texts: Values
    values: Values
    others: tuple[Values, ...]
    number: Node
    #: Writes a tag, and says whether a call can be written.
    mark: Callable[[str], Node]
    can_write: Callable[[dict[str, Any]], bool]
    #: Whether a header names the tool, so that a call contains only arguments.
    is_headed: bool


class TagNodes(Texts):
    """Makes the nodes of calls whose names and values are between the tags of a description."""

    _null_is_first = True

    def __init__(
        self,
        tool: Tool,
        schemas: Schemas,
        book: Book,
        left: int,
        *,
        form: Tagging,
        between: "TagNodes | None" = None,
    ) -> None:
        """Write values as `form` says, or as `between` does, with its own markers around them."""
        super().__init__(tool, schemas, form.values, book, left)
        self._form = form
        self._between = between
        payload = form.payload
        self._tool_tags: tuple[str, str] = payload["tool"]
        self._key: tuple[str, str] = payload["key"]
        self._margin: str = payload.get("margin", "")
        #: The closers of keys, with the types that they declare.
        self._types: dict[str, str] = payload.get("types", {})

    def _can_name(self, name: str, *, is_tool: bool) -> bool:
        args = {} if is_tool else {name: ""}
        return self._form.can_write({"name": name if is_tool else self._tool.name, "args": args})

    def _around(self, arguments: Node) -> Node:
        form = self._form
        inner = sequence(arguments, form.gap, form.mark(form.end)) if form.end else arguments
        if form.is_headed:
            return inner
        opener, closer = self._tool_tags
        before, field, after = closer.partition(ID)
        number = form.number if field else EMPTY
        head = sequence(form.mark(opener), self._tool.name, form.mark(before))
        return sequence(head, number, form.mark(after), inner)

    def _argument(self, name: str, places: Places) -> Node:
        form, space = self._form, self._values.space
        if {*self._types.values()} - {"text"}:
            return self._typed(name, places)
        closers = [*self._types] or self._key[1:]
        key = sequence(form.mark(self._key[0]), name, either(*map(form.mark, closers)))
        before = sequence(space, form.mark(form.value[0])) if form.value[0] else EMPTY
        content = self._content(name, places)
        if self._between is not None:
            content = either(content, self._between.whole(name, places))
        return sequence(key, before, self._book.rule(name, content))

    def whole(self, name: str, places: Places) -> Node:
        """Return the values of an argument, with the markers around each."""
        return sequence(self._form.mark(self._form.value[0]), self._content(name, places))

    def _typed(self, name: str, places: Places) -> Node:
        """Return an argument whose key declares the type of the value."""
        form, space = self._form, self._values.space
        known = {type_: tag for tag, type_ in reversed(self._types.items())}
        found: list[Node] = []
        for kind in KINDS:
            type_ = {"string": "text", "integer": "number"}.get(kind, kind)
            tag = known.get(type_) or known.get("json")
            is_text = tag is not None and type_ == "text" and type_ in known
            value = (form.texts if is_text else self._values).kind(places, kind, self._left)
            if tag is None:
                if value != NOTHING:
                    self._narrow(places, f"`types` has no closer of a key for type {kind}")
                continue
            if not is_text:
                value = sequence(space, value, space, form.mark(form.value[1]))
            between = sequence(space, form.mark(form.value[0])) if form.value[0] else EMPTY
            found.append(sequence(form.mark(tag), between, value))
        content = self._book.rule(name, either(*found))
        return sequence(form.mark(self._key[0]), name, content)

    def _spelling(self, name: str) -> Raw:
        return self._form.plain(name)

    def _ended(self, name: str, text: Node) -> Node:
        closer = self._form.value[1].replace(KEY, name)
        return sequence(self._margin, text, self._margin, self._form.mark(closer))

    def _string_content(self, name: str, text: Node) -> Node:
        if "item" in self._form.payload and not isinstance(text, FixedText) and text != NOTHING:
            begin = name.join(self._key)
            self._schemas.narrow("", f"no text of {name!r} contains {begin}")
        return text  # with its end

    def _text(self, name: str, held: All, kind: str, options: Options, places: Places) -> Node:
        # A text that means null is read as null even if strings are declared, too, in any order.
        if kind == "null" and any(
            (each.type, each.members) == (kind, None) for each in options or ()
        ):
            return self._value(held, kind)
        return super()._text(name, held, kind, options, places)

    def _value(self, held: All, kind: str) -> Node:
        value = super()._value(held, kind)
        if value == NOTHING:
            return value
        meanings = self._form.payload.get("words", {}).items()
        words = [word for word, meant in meanings if kind_of(json.loads(meant)) == kind]
        others = (each.of(held, kind, self._left) for each in self._form.others)
        return either(value, *words, *others)
