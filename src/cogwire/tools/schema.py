# SPDX-License-Identifier: MIT
"""The schema of one tool as those read it who make something else of it, such as a grammar."""

import importlib
import sys
from typing import Any, Final
from urllib.parse import quote

from ..text import is_object
from ..wire.dialects import HasDialect, dialect_named
from .coercing import Arguments, Options
from .declaring import Tool
from .problems import Work
from .resource import Resource, children
from .validation import Rules

_URI: Final = "urn:cogwire:tool"


class ToolSchema:
    """Every schema inside the schema of one tool, by place: a JSON Pointer.

    Schemas can be added at places of one's own, which no JSON Pointer may be.
    """

    def __init__(self, tool: Tool, dialect: str | HasDialect = "xml-elements") -> None:
        """Read the schema of `tool`, whose texts are read as `dialect` says."""
        self._library = importlib.import_module("jsonschema")
        resource = Resource(self._library, tool.parameters, _URI, Work(sys.maxsize))
        #: Whether there is a `$dynamicRef`, whose target may depend on the value.
        self.is_dynamic: Final = any(
            "$dynamicRef" in each for each in resource.schemas.values() if is_object(each)
        )
        #: Every schema, by its place.
        self.schemas: Final[dict[str, Any]] = dict(resource.schemas)
        #: The place that the `$ref` of a place refers to.
        self.targets: Final[dict[str, str]] = dict(resource.targets)
        self._links = resource.links
        self._root = resource.root
        self._matchers = resource.matchers
        self._arguments = Arguments(resource, dialect_named(dialect).calls)
        self._addresses = {_address(place): place for place in resource.schemas}
        self._own = frozenset(resource.schemas)
        self._rules: dict[str, Rules] = {}

    def add(self, place: str, schema: Any) -> None:
        """Add a schema and all schemas in it; its references are those of `reference`."""
        self.schemas[place] = schema
        if is_object(schema):
            if "$ref" in schema:
                self.targets[place] = self._addresses[schema["$ref"]]
                self._link(schema)
            for path, child in children(schema):
                self.add(place + path, child)

    def reference(self, place: str) -> dict[str, Any]:
        """Return a schema that is the one at `place`, wherever it is put."""
        if place in self._own:
            return {"$ref": _address(place)}
        schema = self.schemas[place]
        return schema if is_object(schema) else {"allOf": [schema]}

    def fits(self, value: object, place: str) -> bool:
        """Whether a value fits the schema at `place`; raises `TooMuchWorkError`."""
        if place not in self._rules:
            schema = {"$id": f"{_URI}:value", "$defs": {"tool": self._root}}
            schema |= self.reference(place)
            self._link(schema)
            self._rules[place] = Rules(self._library, schema, self._matchers, self._links)
        return not self._rules[place].violations(value, Work())

    def _link(self, schema: dict[str, Any]) -> None:
        if self._links is not None and "$ref" in schema:
            self._links["$ref", id(schema)] = self.schemas[self._addresses[schema["$ref"]]]

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern of the schema matches somewhere in a text."""
        return self._matchers[pattern](text, Work())

    def options(self, name: str) -> Options:
        """Return what the text of an argument may be read as, in order; `None` for all types."""
        return self._arguments.options(name)

    def read(self, name: str, text: str) -> object:
        """Return the value that the text of an argument is read as; raises `TooMuchWorkError`."""
        return self._arguments.read({name: text}, Work())[name]


def _address(place: str) -> str:
    return f"{_URI}#{quote(place)}"
