# SPDX-License-Identifier: MIT
"""Typed functions as JSON Schemas: what a function's annotations say of its arguments.

The schema describes JSON, and arguments are handed over as the JSON they are: a parameter of an
enumeration gets the member's value, one of a dataclass gets a dict.
"""

import dataclasses
import functools
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeGuard

from .problems import type_name

_Schema = dict[str, Any]

_SCALARS: Final[Mapping[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    types.NoneType: "null",
}
_ARRAYS: Final = (list, Sequence)
_OBJECTS: Final = (dict, Mapping)
_UNIONS: Final = (typing.Union, types.UnionType)
#: Whether a member marked so must be there; a type that is read-only says nothing of it.
_MARKS: Final[Mapping[Any, bool]] = {
    getattr(typing, name): is_required
    for name, is_required in (("Required", True), ("NotRequired", False))
    if hasattr(typing, name)  # since Python 3.11
}
_QUALIFIERS: Final = (*_MARKS, *filter(None, [getattr(typing, "ReadOnly", None)]))
#: What evaluating an annotation may raise.
_UNREADABLE: Final = (ValueError, TypeError, NameError, AttributeError, SyntaxError)


def function_schema(function: Callable[..., Any]) -> _Schema:
    """Return the JSON Schema of `function`'s arguments.

    Arguments that it does not declare are forbidden, unless it takes `**kwargs`.  `ValueError`,
    with the parameter's name, for an annotation that has no schema, and for a parameter that
    cannot be given by name.
    """
    definitions = _Definitions()
    scope = _scope(function)
    bound = set(function.keywords) if isinstance(function, functools.partial) else set()
    properties: _Schema = {}
    required: list[str] = []
    others: _Schema | bool = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in bound:
            continue  # What the program has decided is not the model's to give.
        try:
            schema = _parameter_schema(parameter, scope, definitions)
        except _UNREADABLE as error:
            raise ValueError(f"parameter {parameter.name!r}: {error}") from None
        if parameter.kind is parameter.VAR_KEYWORD:
            others = schema or True
            continue
        properties[parameter.name] = schema
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    whole: _Schema = {"type": "object", "properties": properties, "additionalProperties": others}
    if others is not False:
        properties |= dict.fromkeys(bound, False)
    if required:
        whole["required"] = required
    if definitions.schemas:
        whole["$defs"] = definitions.schemas
    return whole


def described(function: Callable[..., Any]) -> Any:
    """Return what has the name and the docstring of `function`: a function, or a class."""
    if isinstance(function, functools.partial):
        return described(function.func)
    return function if inspect.isroutine(function) else type(function)


def _scope(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return what the names in the annotations of `function` mean."""
    if isinstance(function, functools.partial):
        return _scope(function.func)
    inner = function if inspect.isroutine(function) else type(function).__call__
    scope: Mapping[str, Any] = getattr(inspect.unwrap(inner), "__globals__", {})
    return scope


def first_paragraph(documented: object) -> str:
    """Return the first paragraph of a docstring on one line; empty if there is none."""
    return " ".join((inspect.getdoc(documented) or "").split("\n\n")[0].split())


def _parameter_schema(
    parameter: inspect.Parameter, scope: Mapping[str, Any], definitions: "_Definitions"
) -> _Schema:
    if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL}:
        raise ValueError("a call gives its arguments by name")
    if parameter.annotation is parameter.empty:
        schema: _Schema = {}
    else:
        holder = types.SimpleNamespace(__annotations__={"it": parameter.annotation})
        # One parameter at a time, so that the annotation to blame is known.
        hints = typing.get_type_hints(holder, dict(scope), include_extras=True)
        schema = definitions.schema_of(hints["it"])
    if parameter.default is not parameter.empty:
        schema |= _default(parameter.default)
    return schema


def _default(value: object) -> _Schema:
    """Return a default as far as JSON can express it."""
    value = value.value if isinstance(value, Enum) else value
    try:
        return {"default": json.loads(json.dumps(value, allow_nan=False))}
    except (TypeError, ValueError):
        return {}


class _Definitions:
    """Makes the schemas of annotations; classes become definitions, since they may be recursive."""

    def __init__(self) -> None:
        self.schemas: _Schema = {}
        self._names: dict[type[Any], str] = {}

    def schema_of(self, annotation: Any) -> _Schema:
        origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self._annotated(parts[0], parts[1:])
        if origin is typing.Literal:
            return _enumeration(parts)
        if origin in _UNIONS:
            return {"anyOf": [self.schema_of(part) for part in parts]}
        if origin in _QUALIFIERS:
            return self.schema_of(parts[0])
        if isinstance(annotation, typing.NewType):
            return self.schema_of(annotation.__supertype__)
        kind = origin or annotation
        if kind is Any or kind is object:
            return {}
        if kind in _SCALARS:
            return {"type": _SCALARS[kind]}
        if kind in _ARRAYS:
            return self._array(parts)
        if kind is tuple:
            return self._tuple(parts)
        if kind in _OBJECTS:
            return self._mapping(parts)
        if _is_class(annotation):
            return self._class(annotation)
        raise _no_schema(annotation)

    def _annotated(self, annotation: Any, notes: tuple[Any, ...]) -> _Schema:
        schema = self.schema_of(annotation)
        description = next((note for note in notes if isinstance(note, str)), None)
        return schema if description is None else schema | {"description": description}

    def _array(self, parts: tuple[Any, ...]) -> _Schema:
        return {"type": "array"} | ({"items": self.schema_of(parts[0])} if parts else {})

    def _tuple(self, parts: tuple[Any, ...]) -> _Schema:
        if not parts or parts[-1] is ...:
            return self._array(parts)
        schemas = [self.schema_of(part) for part in parts]
        return {"type": "array", "prefixItems": schemas, "items": False, "minItems": len(parts)}

    def _mapping(self, parts: tuple[Any, ...]) -> _Schema:
        if not parts:
            return {"type": "object"}
        if parts[0] is not str:
            raise ValueError(f"keys are strings in JSON, not {parts[0]!r}")
        return {"type": "object", "additionalProperties": self.schema_of(parts[1])}

    def _class(self, kind: type[Any]) -> _Schema:
        if issubclass(kind, Enum):
            return _enumeration(tuple(kind))
        if kind not in self._names:
            self._define(kind)
        return {"$ref": f"#/$defs/{self._names[kind]}"}

    def _define(self, kind: type[Any]) -> None:
        members = _members(kind)
        name = kind.__name__
        while name in self.schemas:
            name += "_"
        self._names[kind] = name
        # Its name is taken before its members are looked at: one of them may lead back here.
        self.schemas[name] = {}
        hints = typing.get_type_hints(kind, include_extras=True)
        required = [
            member
            for member, needed in members.items()
            if _MARKS.get(typing.get_origin(hints[member]), needed)
        ]
        self.schemas[name] = {
            "type": "object",
            "properties": {member: self.schema_of(hints[member]) for member in members},
            "additionalProperties": False,
            "required": required,
        }


def _members(kind: type[Any]) -> dict[str, bool]:
    """Return the names of a class's members, and whether each must be there."""
    if typing.is_typeddict(kind):
        required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        return {name: name in required for name in typing.get_type_hints(kind)}
    if dataclasses.is_dataclass(kind):
        return {
            field.name: field.default is field.default_factory
            for field in dataclasses.fields(kind)
            if field.init
        }
    raise _no_schema(kind)


def _enumeration(members: tuple[Any, ...]) -> _Schema:
    values = [member.value if isinstance(member, Enum) else member for member in members]
    for value in values:
        if value is not None and not isinstance(value, str | int | float):
            raise ValueError(f"{value!r} is no JSON value")
    kinds = {type_name(value) for value in values}
    return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": values}


def _is_class(annotation: object) -> TypeGuard[type[Any]]:
    # In Python 3.10 `set[int]` is a class too.
    return isinstance(annotation, type) and typing.get_origin(annotation) is None


def _no_schema(annotation: object) -> ValueError:
    name = annotation.__name__ if _is_class(annotation) else repr(annotation)
    return ValueError(f"JSON Schema cannot express {name}")
