# SPDX-License-Identifier: MIT
"""Schemas compiled to functions, fast enough for each reply of a run and each line of a report.

Only the keywords that the schemas of the protocol and of reports use are known.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final, Literal

from cogwire_kit.texts.words import beginning

#: Returns where and how a value does not fit, or None.
Check = Callable[[Any], str | None]
Schema = dict[str, Any]

#: How many characters of a value are quoted.
_SHOWN: Final = 60
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict,),
    "array": (list,),
}


class Compiler:
    """Compiles schemas to functions; it knows only the keywords that these schemas use."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self._schemas = schemas

    def of(self, schema: Schema | Literal[True], root: Schema) -> Check:
        """Return the check of a schema of the document `root`."""
        if schema is True:
            return _anything
        if "$ref" in schema:
            document, _, path = schema["$ref"].partition("#")
            root = self._schemas[document] if document else root
            named: Any = root
            for step in path.split("/")[1:]:
                named = named[step]
            return self.of(named, root)
        if "oneOf" in schema:
            return self._kinds(schema["oneOf"], root)
        if schema.get("type") == "object":
            return self._object(schema, root)
        if schema.get("type") == "array":
            return _array(self.of(schema["items"], root) if "items" in schema else _anything)
        checks = [make(schema[name]) for name, make in _KEYWORDS.items() if name in schema]
        return checks[0] if len(checks) == 1 else _all(checks) if checks else _anything

    def _kinds(self, shapes: list[Schema], root: Schema) -> Check:
        """Return the check of a union of objects that differ by their `type`."""
        names = [one["$ref"].removeprefix("#/$defs/") for one in shapes]
        known = {name: self.of(root["$defs"][name], root) for name in names}

        def check(value: Any) -> str | None:
            if type(value) is not dict:
                return f" is {_shown(value)}, and not an object"
            kind = value.get("type")
            if type(kind) is not str or kind not in known:
                return f" has the `type` {_shown(kind)}"
            return known[kind](value)

        return check

    def _object(self, schema: Schema, root: Schema) -> Check:
        members = {name: self.of(one, root) for name, one in schema.get("properties", {}).items()}
        required = set(schema.get("required", ()))
        rest = schema.get("additionalProperties", True)
        others = self.of(rest, root) if isinstance(rest, dict) else _anything
        check_name = self.of(schema.get("propertyNames", {}), root)

        def check(value: Any) -> str | None:
            if type(value) is not dict:
                return f" is {_shown(value)}, and not an object"
            if missing := sorted(required - value.keys()):
                return f" has no `{missing[0]}`"
            if rest is False and (unknown := sorted(value.keys() - members.keys())):
                return f" has a member {_shown(unknown[0])}"
            for name in value:
                if (wrong := check_name(name)) is not None:
                    return f" has a member that{wrong}"
            for name, member in value.items():
                if (wrong := members.get(name, others)(member)) is not None:
                    return f"/{_shown(name)[1:-1]}{wrong}"
            return None

        return check


def _anything(_: Any) -> str | None:
    return None


def _all(checks: list[Check]) -> Check:
    def check(value: Any) -> str | None:
        for one in checks:
            if (wrong := one(value)) is not None:
                return wrong
        return None

    return check


def _array(check_one: Check) -> Check:
    def check(value: Any) -> str | None:
        if type(value) is not list:
            return f" is {_shown(value)}, and not an array"
        for place, one in enumerate(value):
            if (wrong := check_one(one)) is not None:
                return f"/{place}{wrong}"
        return None

    return check


def _type(kinds: str | list[str]) -> Check:
    names = [kinds] if isinstance(kinds, str) else kinds
    types = {kind for name in names for kind in _TYPES[name]}
    is_whole = "integer" in names

    def check(value: Any) -> str | None:
        if type(value) in types or (is_whole and type(value) is float and value.is_integer()):
            return None
        return f" is {_shown(value)}, and not of the type {' or '.join(names)}"

    return check


def _enum(values: list[Any]) -> Check:
    # None of the values is a boolean, which would equal a number.
    types = set(map(type, values))

    def check(value: Any) -> str | None:
        is_known = type(value) in types and value in values
        return None if is_known else f" is {_shown(value)}, which the protocol does not have"

    return check


def _minimum(least: int) -> Check:
    return lambda value: None if value >= least else f" is {value}, and less than {least}"


def _pattern(pattern: str) -> Check:
    fits = re.compile(pattern).search
    return lambda value: None if fits(value) else f" is {_shown(value)}, and does not fit {pattern}"


def _min_length(least: int) -> Check:
    return lambda value: None if len(value) >= least else " is empty"


#: In the order in which they are checked: what comes later takes the type for granted.
_KEYWORDS: Final[dict[str, Callable[[Any], Check]]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda value: _enum([value]),
    "minimum": _minimum,
    "minLength": _min_length,
    "pattern": _pattern,
}


def _shown(value: Any) -> str:
    """Return a value abbreviated, in ASCII."""
    try:
        return beginning(json.dumps(value), _SHOWN)
    except RecursionError:
        return "…"
