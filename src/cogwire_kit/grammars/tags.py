# SPDX-License-Identifier: MIT
"""The calls of a tool whose names and values are between the tags of a description."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from cogwire.tooling import Tool
from cogwire_kit.grammars.elements import Options, Texts
from cogwire_kit.grammars.negations import kind_of
from cogwire_kit.grammars.nodes import EMPTY, NOTHING, Book, Node, Text, either, sequence
from cogwire_kit.grammars.schemas import KINDS, All, Places, Schemas
from cogwire_kit.grammars.spelling import Raw
from cogwire_kit.grammars.values import Values

#: Where a template has the id of a call, and where the closer of a value has its key.
ID: Final = "{id}"
KEY: Final = "{key}"


class Tagging(NamedTuple):
    """The tags, as a description names them, and what is written between them."""

    tool: tuple[str, str]
    key: tuple[str, str]
    value: tuple[str, str]
    end: str
    margin: str
    #: The words of values, with the JSON that each means; the closers of keys, with their types.
    words: tuple[tuple[str, str], ...]
    types: tuple[tuple[str, str], ...]
    #: Whether arrays and objects may be in tags.
    has_trees: bool
    #: How the text of a key is written; its values; those of JSON and other notations; and an id.
    plain: Callable[[str], Raw]
    texts: Values
    values: Values
    others: tuple[Values, ...]
    number: Node
    #: Writes a tag, and says whether a call can be written.
    mark: Callable[[str], Node]
    can_write: Callable[[dict[str, Any]], bool]


class Tags(Texts):
    """Makes the nodes of calls whose names and values are between the tags of a description."""

    def __init__(
        self,
        tool: Tool,
        schemas: Schemas,
        book: Book,
        left: int,
        *,
        form: Tagging,
        between: "Tags | None" = None,
    ) -> None:
        """Write values as `form` says, or as `between` does, whose markers are around a value."""
        super().__init__(tool, schemas, form.values, book, left)
        self._form = form
        self._between = between

    def _can_name(self, name: str, *, is_tool: bool) -> bool:
        args = {} if is_tool else {name: ""}
        return self._form.can_write({"name": name if is_tool else self._tool.name, "args": args})

    def _around(self, arguments: Node) -> Node:
        form, space = self._form, self._values.space
        opener, closer = form.tool
        before, field, after = closer.partition(ID)
        number = form.number if field else EMPTY
        head = sequence(form.mark(opener), self._tool.name, form.mark(before))
        return sequence(head, number, form.mark(after), arguments, space, form.mark(form.end))

    def _argument(self, name: str, places: Places) -> Node:
        form, space = self._form, self._values.space
        if any(type_ != "text" for _, type_ in form.types):
            return self._typed(name, places)
        closers = [tag for tag, _ in form.types] or [form.key[1]]
        key = sequence(form.mark(form.key[0]), name, either(*map(form.mark, closers)))
        before = sequence(space, form.mark(form.value[0])) if form.value[0] else EMPTY
        content = self._content(name, places)
        if self._between is not None:
            content = either(content, self._between.whole(name, places))
        return sequence(key, before, self._book.rule(name, content))

    def whole(self, name: str, places: Places) -> Node:
        """Return the values of an argument, with the markers around each."""
        return sequence(self._form.mark(self._form.value[0]), self._content(name, places))

    def _typed(self, name: str, places: Places) -> Node:
        """Return an argument whose key says what the value is."""
        form, space = self._form, self._values.space
        known = {type_: tag for tag, type_ in reversed(form.types)}
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
        return sequence(form.mark(form.key[0]), name, content)

    def _spelling(self, name: str) -> Raw:
        return self._form.plain(name)

    def _ended(self, name: str, text: Node) -> Node:
        margin, closer = self._form.margin, self._form.value[1].replace(KEY, name)
        return sequence(margin, text, margin, self._form.mark(closer))

    def _string_content(self, name: str, text: Node) -> Node:
        if self._form.has_trees and not isinstance(text, Text) and text != NOTHING:
            begin = name.join(self._form.key)
            self._schemas.narrow("", f"no text of {name!r} contains {begin}")
        return text  # with its end

    def _text(self, name: str, held: All, kind: str, options: Options, places: Places) -> Node:
        # A text that is null is null beside a string too, whichever is declared first.
        if kind == "null" and any(
            (each.type, each.members) == (kind, None) for each in options or ()
        ):
            return self._value(held, kind)
        return super()._text(name, held, kind, options, places)

    def _value(self, held: All, kind: str) -> Node:
        value = super()._value(held, kind)
        if value == NOTHING:
            return value
        words = [word for word, json_ in self._form.words if kind_of(json.loads(json_)) == kind]
        others = (each.of(held, kind, self._left) for each in self._form.others)
        return either(value, *words, *others)

    def _is_ambiguous(self, types: list[str]) -> bool:
        return "null" in types
