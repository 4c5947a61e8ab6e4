# SPDX-License-Identifier: MIT
"""Schemas that guarantee that a value violates a keyword.

Each entry returns schemas that contradict the keyword; a value that violates it need not fit any of
them, so a grammar may leave out some valid values.
"""

from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, Final

from cogwire.tooling import pointer

_ORDER: Final = ("null", "boolean", "integer", "number", "string", "array", "object")

#: Keywords that apply to no value.
IGNORED: Final = frozenset(
    (
        *(
            "$id",
            "$schema",
            "$anchor",
            "$dynamicAnchor",
            "$comment",
            "$defs",
            "$ref",
            "$vocabulary",
        ),
        *("definitions", "title", "description", "default", "deprecated", "readOnly", "writeOnly"),
        *("examples", "format", "contentEncoding", "contentMediaType", "contentSchema"),
        *("minContains", "maxContains"),
    )
)

Schema = dict[str, Any]
#: Returns a reference to the schema in a keyword, given its JSON Pointer from there.
Name = Callable[[str], Schema]
#: Takes a schema and yields schemas that contradict one of its keywords.
Negate = Callable[[Schema, Name], Iterator[Schema]]


def kind_of(value: Any) -> str:
    """Return the type of a JSON value; an integer is one."""
    kinds = {
        NoneType: "null",
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
    }
    return kinds[type(value)]


def types_of(node: Schema) -> set[str]:
    """Return the types that `type`, `const` or `enum` of one schema leave."""
    found = set[str](_ORDER)
    if "type" in node:
        declared = {node["type"]} if isinstance(node["type"], str) else set(node["type"])
        found &= declared | ({"integer"} if "number" in declared else set())
    if "const" in node or "enum" in node:
        values = [node["const"]] if "const" in node else node["enum"]
        found &= {kind_of(value) for value in values} | (
            # An integer may be written as a number, and some numbers as integers.
            {"integer", "number"} if {kind_of(each) for each in values} & _NUMERIC else set()
        )
    return found


_NUMERIC: Final = frozenset({"integer", "number"})


def _other_types(types: set[str]) -> Schema:
    # Some numbers are integers, so neither type excludes the other.
    taken = types | (_NUMERIC if types & _NUMERIC else set())
    return {"type": [each for each in _ORDER if each not in taken and each != "integer"]}


def _type(node: Schema, _: Name) -> Iterator[Schema]:
    declared = node["type"]
    yield _other_types({declared} if isinstance(declared, str) else set(declared))


def _values(node: Schema, _: Name) -> Iterator[Schema]:
    values = [node["const"]] if "const" in node else node["enum"]
    yield _other_types({kind_of(value) for value in values})
    lengths = [len(value) for value in values if isinstance(value, str)]
    if lengths:
        yield {"type": "string", "minLength": max(lengths) + 1}
        if min(lengths):
            yield {"type": "string", "maxLength": min(lengths) - 1}
    numbers = [value for value in values if kind_of(value) in _NUMERIC]
    if numbers:
        yield {"type": "number", "exclusiveMinimum": max(numbers)}
        yield {"type": "number", "exclusiveMaximum": min(numbers)}


def _required(node: Schema, _: Name) -> Iterator[Schema]:
    for name in node["required"]:
        yield {"type": "object", "properties": {name: False}}


def _properties(node: Schema, name_of: Name) -> Iterator[Schema]:
    for name in node["properties"]:
        wrong = {"not": name_of(pointer(["properties", name]))}
        yield {"type": "object", "required": [name], "properties": {name: wrong}}


def _contains(node: Schema, name_of: Name) -> Iterator[Schema]:
    if "minContains" not in node:
        yield {"type": "array", "items": {"not": name_of("/contains")}}


def _opposite(keyword: str, kind: str, other: str, change: int) -> Negate:
    def negate(node: Schema, _: Name) -> Iterator[Schema]:
        bound = node[keyword] + change
        if kind == "number" or bound >= 0:
            yield {"type": kind, other: bound}

    return negate


NEGATIONS: Final[Mapping[str, Negate]] = {
    "type": _type,
    "const": _values,
    "enum": _values,
    "required": _required,
    "properties": _properties,
    "contains": _contains,
    "minimum": _opposite("minimum", "number", "exclusiveMaximum", 0),
    "exclusiveMinimum": _opposite("exclusiveMinimum", "number", "maximum", 0),
    "maximum": _opposite("maximum", "number", "exclusiveMinimum", 0),
    "exclusiveMaximum": _opposite("exclusiveMaximum", "number", "minimum", 0),
    "minLength": _opposite("minLength", "string", "maxLength", -1),
    "maxLength": _opposite("maxLength", "string", "minLength", 1),
    "minItems": _opposite("minItems", "array", "maxItems", -1),
    "maxItems": _opposite("maxItems", "array", "minItems", 1),
}
