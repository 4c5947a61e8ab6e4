# SPDX-License-Identifier: MIT
"""Typed functions as JSON Schemas, made from the annotations of their parameters.

The schema describes JSON, and arguments are passed as decoded JSON: a parameter whose type is an
enumeration receives the member's value, and one whose type is a dataclass receives a dict.
"""

import dataclasses
import functools
import inspect
import json
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any, Final, TypeGuard

from ..text import is_array
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
_TUPLES: Final = (tuple, typing.Tuple)  # noqa: UP006 (an alias that annotations may use)
_UNIONS: Final = (typing.Union, types.UnionType)
#: Whether a member with this qualifier is required; `ReadOnly` does not change that.
_MARKS: Final[Mapping[str, bool]] = {"Required": True, "NotRequired": False}
_QUALIFIERS: Final = (*_MARKS, "ReadOnly")
#: Metadata that validates by running code, which no schema can express.
_INEXPRESSIBLE: Final = frozenset(
    {"Predicate", "BeforeValidator", "AfterValidator", "PlainValidator", "WrapValidator"}
)
#: The exceptions that evaluating an annotation may raise.
_UNREADABLE: Final = (
    *(ValueError, TypeError, NameError, AttributeError, SyntaxError),
    *(LookupError, ArithmeticError, RecursionError),
)
#: From Python 3.14 on, what an annotation names need not exist; `_annotation` reports it.
_LAZY: Final[dict[str, Any]] = (
    {"annotation_format": vars(inspect)["Format"].FORWARDREF} if "Format" in vars(inspect) else {}
)


def function_schema(
    function: Callable[..., Any],
) -> tuple[_Schema, dict[str, Any], Collection[str]]:
    """Return the JSON Schema of `function`'s arguments, and pydantic's fields with their defaults.

    Also return the names of the classes that are declared, but of which calls have JSON values.
    Arguments that it does not declare are forbidden, unless it takes `**kwargs`.  Raises
    `ValueError`, with the parameter's name, for an annotation that has no schema, for a
    positional-only parameter, and for the `self` or `cls` of a method that is not bound.
    """
    definitions = _Definitions()
    innermost, bound = _unwrapped(function)
    scope = _scope(innermost)
    properties: _Schema = {}
    required: list[str] = []
    fields: dict[str, Any] = {}
    others: _Schema | bool = False
    for parameter in inspect.signature(function, **_LAZY).parameters.values():
        if parameter.name in bound:
            continue  # The program has already bound it.
        try:
            if not properties:
                _require_bound(parameter)
            annotation = _annotation(parameter, scope)
            field = _field(parameter, annotation)
            schema = _parameter_schema(parameter, annotation, definitions)
        except _UNREADABLE as error:
            raise ValueError(f"parameter {parameter.name!r}: {error}") from None
        if parameter.kind is parameter.VAR_KEYWORD:
            others = schema or True
            continue
        properties[parameter.name] = schema
        if field is not None:
            fields[parameter.name] = field
        elif parameter.default is parameter.empty or _is_field(parameter.default):
            required.append(parameter.name)
    whole: _Schema = {"type": "object", "properties": properties, "additionalProperties": others}
    if others is not False:
        properties |= dict.fromkeys(bound, False)
    if required:
        whole["required"] = required
    if definitions.schemas:
        whole["$defs"] = definitions.schemas
    return whole, fields, definitions.classes


class Defaulted(functools.partial[Any]):
    """Calls a function with the defaults of pydantic's fields, which Python does not read.

    It is a partial, so that it is a coroutine function or a generator if the function is one.
    """

    fields: Mapping[str, Any]

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Call the function; what a call leaves out has the default of its field."""
        for name, field in self.fields.items():
            if name not in named:
                named[name] = field.get_default(call_default_factory=True)
        return super().__call__(*args, **named)


def described(function: Callable[..., Any]) -> Any:
    """Return the object that has the name and the docstring of `function`."""
    if _is_partial(function):
        return described(function.func)
    return function if inspect.isroutine(function) else type(function)


def executed(function: Callable[..., Any]) -> Any:
    """Return the function or method that runs when `function` is called."""
    source = described(function)
    return source if inspect.isroutine(source) else source.__call__


def _scope(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the global names that the annotations of `function` may use."""
    scope: Mapping[str, Any] = getattr(inspect.unwrap(executed(function)), "__globals__", {})
    return scope


def first_paragraph(documented: Any) -> str:
    """Return the first paragraph of a docstring on one line; empty if there is none."""
    inner = inspect.unwrap(documented)
    if _is_partial(inner) and documented.__doc__ == functools.partial.__doc__:
        # A decorator has copied it from a partial, which has the one of its class.
        return first_paragraph(described(inner))
    return " ".join((inspect.getdoc(documented) or "").split("\n\n")[0].split())


def _require_bound(first: inspect.Parameter) -> None:
    """Raise `ValueError` if the first parameter of a function is that of a method."""
    if first.name in ("self", "cls") and first.annotation is first.empty:
        raise ValueError("this is a method of a class; pass the bound method of an object")


def _annotation(parameter: inspect.Parameter, scope: Mapping[str, Any]) -> Any:
    """Return the type of a parameter, with its metadata; `Any` if it has no annotation."""
    if parameter.annotation is parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={"it": parameter.annotation})
    # One parameter at a time, so that the error names the right one.
    try:
        return typing.get_type_hints(holder, dict(scope), include_extras=True)["it"]
    except _UNREADABLE as error:
        written = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)
        text = f"its annotation {written!r} cannot be evaluated: {error}"
        raise ValueError(text) from None


def _parameter_schema(
    parameter: inspect.Parameter, annotation: Any, definitions: "_Definitions"
) -> _Schema:
    if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL}:
        sign = "`*`" if parameter.kind is parameter.VAR_POSITIONAL else "`/`"
        raise ValueError(
            f"a call passes its arguments by name; drop the {sign}, or wrap the function in one "
            "without it"
        )
    return definitions.with_default(annotation, parameter.default)


def _field(parameter: inspect.Parameter, annotation: Any) -> Any:
    """Return the `Field(…)` that has the default of a parameter, or `None` if none has one."""
    default: Any = parameter.default
    if not (default is parameter.empty or _is_field(default)):
        return None
    notes = typing.get_args(annotation)[1:] if _is_annotated(annotation) else ()
    fields: list[Any] = [default, *reversed(notes)]
    for note in fields:
        if _is_field(note) and not note.is_required():
            if getattr(note, "default_factory_takes_validated_data", False):
                raise ValueError("its default is made from other arguments; make it in the tool")
            return note
    return None


def _is_annotated(annotation: Any) -> bool:
    return typing.get_origin(annotation) is typing.Annotated


def _is_field(value: object) -> bool:
    """Whether this is pydantic's `Field(…)`, or of a subclass."""
    return hasattr(type(value), "is_required") and hasattr(type(value), "get_default")


def _is_partial(value: object) -> TypeGuard["functools.partial[Any]"]:
    return isinstance(value, functools.partial)


def _default(value: object) -> _Schema:
    """Return the `default` keyword, or nothing if JSON cannot express the value."""
    value = value.value if isinstance(value, Enum) else value
    try:
        return {"default": json.loads(json.dumps(value, allow_nan=False))}
    except (TypeError, ValueError):
        return {}


def _unwrapped(function: Callable[..., Any]) -> tuple[Callable[..., Any], frozenset[str]]:
    """Return what decorators and partials call in the end, and the names that partials bind."""
    inner = inspect.unwrap(function, stop=lambda each: hasattr(each, "__signature__"))
    if not _is_partial(inner) or hasattr(inner, "__signature__"):
        return inner, frozenset()
    innermost, names = _unwrapped(inner.func)
    return innermost, names | inner.keywords.keys()


class _Definitions:
    """Makes the schemas of annotations; classes become definitions, since they may be recursive."""

    def __init__(self) -> None:
        self.schemas: _Schema = {}
        #: The names of classes that the values of calls are not instances of.
        self.classes: dict[str, None] = {}
        self._names: dict[Any, str] = {}

    def with_default(self, annotation: Any, default: Any) -> _Schema:
        """Return the schema of a parameter or a member."""
        if _is_field(default):
            return self.schema_of(typing.Annotated[annotation, default])
        # What marks that there is no default is not JSON either.
        return self.schema_of(annotation) | _default(default)

    def schema_of(self, annotation: Any) -> _Schema:
        origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self._annotated(annotation, parts[0], parts[1:])
        if is_array(annotation):
            inner = " | ".join(map(inspect.formatannotation, annotation)) or "…"
            raise TypeError(f"a list is not a type; write list[{inner}]")
        if _is_alias(annotation):
            return self._alias(annotation)
        if _form(origin) == "Literal":
            return _enumeration(parts)
        if origin in _UNIONS:
            return {"anyOf": [self.schema_of(part) for part in parts]}
        if _form(origin) in _QUALIFIERS:
            return self.schema_of(parts[0])
        if isinstance(annotation, typing.NewType):
            return self.schema_of(annotation.__supertype__)
        kind = origin or annotation
        if _form(kind) == "Any" or kind is object:
            return {}
        if kind in _SCALARS:
            return {"type": _SCALARS[kind]}
        if kind in _ARRAYS:
            return self._array(parts)
        if kind is tuple:
            # The bare `typing.Tuple` has an origin too.
            return {"type": "array"} if annotation in _TUPLES else self._tuple(parts)
        if kind in _OBJECTS:
            return self._mapping(parts)
        if _is_class(annotation):
            return self._class(annotation)
        raise _no_schema(annotation)

    def _annotated(self, whole: Any, annotation: Any, notes: tuple[Any, ...]) -> _Schema:
        if any(map(_is_pydantic, notes)):
            schema = self._pydantic(whole, notes)
            inner = _Definitions()  # for the classes alone, of which calls have no instances
            with suppress(*_UNREADABLE):
                inner.schema_of(annotation)
            self.classes |= inner.classes
        else:
            schema = self.schema_of(annotation)
        texts = (getattr(note, "documentation", note) for note in notes)
        description = next((text for text in texts if isinstance(text, str)), None)
        return schema if description is None else schema | {"description": description}

    def _pydantic(self, annotation: Any, notes: tuple[Any, ...] = ()) -> _Schema:
        """Return the schema that pydantic makes, and add its definitions to ours."""
        for note in notes:
            if type(note).__name__ in _INEXPRESSIBLE:
                raise ValueError(f"JSON Schema cannot express {note!r}")
        pydantic: Any = sys.modules.get("pydantic")
        if pydantic is None:
            raise ValueError(f"{annotation!r} needs pydantic, which is not imported")
        try:
            adapter = pydantic.TypeAdapter(annotation)
            suffix = ""
            while True:
                schema: _Schema = adapter.json_schema(ref_template=f"#/$defs/{{model}}{suffix}")
                inner = schema.pop("$defs", {})
                named = {name + suffix: each for name, each in inner.items()}
                if all(self.schemas.get(name, each) == each for name, each in named.items()):
                    break
                suffix += "_"
        except Exception as error:  # noqa: BLE001 (pydantic has many, and types may run any code)
            raise ValueError(str(error)) from None
        self.schemas |= named
        return schema

    def _alias(self, alias: Any) -> _Schema:
        if alias not in self._names:
            # The alias is named first, since it may be recursive.
            name = self._named(alias)
            self.schemas[name] = self.schema_of(alias.__value__)
        return {"$ref": f"#/$defs/{self._names[alias]}"}

    def _array(self, parts: tuple[Any, ...]) -> _Schema:
        return {"type": "array"} | ({"items": self.schema_of(parts[0])} if parts else {})

    def _tuple(self, parts: tuple[Any, ...]) -> _Schema:
        if parts in ((), ((),)):  # `tuple[()]`, in Python 3.10 the second
            return {"type": "array", "maxItems": 0}
        if parts[-1] is ...:
            return self._array(parts)
        schemas = [self.schema_of(part) for part in parts]
        return {"type": "array", "prefixItems": schemas, "items": False, "minItems": len(parts)}

    def _mapping(self, parts: tuple[Any, ...]) -> _Schema:
        if not parts:
            return {"type": "object"}
        if parts[0] is not str:
            raise ValueError(f"keys must be strings in JSON, not {parts[0]!r}")
        return {"type": "object", "additionalProperties": self.schema_of(parts[1])}

    def _class(self, kind: type[Any]) -> _Schema:
        if not (_is_typeddict(kind) or issubclass(kind, str | int)):
            self.classes[kind.__name__] = None
        if issubclass(kind, Enum):
            if not len(kind):
                raise ValueError(
                    f"the enumeration {kind.__name__} has no members, so no value fits it; declare "
                    "its members, or use `str`"
                )
            return _enumeration(tuple(kind))
        if hasattr(kind, "__pydantic_core_schema__"):
            return self._pydantic(kind)
        if kind not in self._names:
            self._define(kind)
        return {"$ref": f"#/$defs/{self._names[kind]}"}

    def _named(self, kind: Any) -> str:
        name: str = kind.__name__
        while name in self.schemas:
            name += "_"
        self._names[kind] = name
        self.schemas[name] = {}
        return name

    def _define(self, kind: type[Any]) -> None:
        members = _members(kind)
        # The class is named before its members are visited, since it may be recursive.
        name = self._named(kind)
        hints = {
            member: hint.type if hint.__class__ is dataclasses.InitVar else hint
            for member, hint in typing.get_type_hints(kind, include_extras=True).items()
        }
        required = [
            member
            for member, default in members.items()
            if _MARKS.get(
                _form(typing.get_origin(hints[member])),
                default.is_required() if _is_field(default) else default is dataclasses.MISSING,
            )
        ]
        self.schemas[name] = {
            "type": "object",
            "properties": {
                member: self.with_default(hints[member], default)
                for member, default in members.items()
            },
            "additionalProperties": False,
            "required": required,
        }


def _members(kind: type[Any]) -> dict[str, Any]:
    """Return the members of a class with their defaults; `MISSING` if they are required.

    The default of a member that may be absent is `...`, and that of a factory the factory itself.
    """
    if _is_typeddict(kind):
        required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        hints = typing.get_type_hints(kind)
        return {name: dataclasses.MISSING if name in required else ... for name in hints}
    if dataclasses.is_dataclass(kind):
        initial = {
            name: getattr(kind, name, dataclasses.MISSING)
            for name, hint in typing.get_type_hints(kind).items()
            if isinstance(hint, dataclasses.InitVar)
        }
        return initial | {
            field.name: (
                field.default_factory if field.default is dataclasses.MISSING else field.default
            )
            for field in dataclasses.fields(kind)
            if field.init
        }
    raise _no_schema(kind)


def _enumeration(members: tuple[Any, ...]) -> _Schema:
    values = [member.value if isinstance(member, Enum) else member for member in members]
    for value in values:
        if value is not None and not isinstance(value, str | int | float):
            raise ValueError(f"{value!r} is not a JSON value")
    kinds = {type_name(value) for value in values}
    return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": values}


def _is_pydantic(note: Any) -> bool:
    """Whether metadata of an annotation is meant for pydantic."""
    return type(note).__module__.partition(".")[0] in ("pydantic", "annotated_types")


def _is_alias(annotation: Any) -> bool:
    """Whether this is a named alias, by a `type` statement or from `typing_extensions`."""
    return type(annotation).__name__ == "TypeAliasType" and hasattr(annotation, "__value__")


def _form(annotation: object) -> str:
    """Return the name of a special form, also of that of `typing_extensions`; empty for others."""
    module = getattr(annotation, "__module__", None)
    return getattr(annotation, "__name__", "") if module in ("typing", "typing_extensions") else ""


def _is_typeddict(kind: type[Any]) -> bool:
    """Whether this is a `TypedDict`, also that of `typing_extensions`."""
    return type(kind).__name__ == "_TypedDictMeta"


def _is_class(annotation: object) -> TypeGuard[type[Any]]:
    # In Python 3.10 `set[int]` is a class too.
    return isinstance(annotation, type) and typing.get_origin(annotation) is None


def _no_schema(annotation: object) -> ValueError:
    name = annotation.__name__ if _is_class(annotation) else repr(annotation)
    return ValueError(
        f"no value of JSON is a {name}; use a type of JSON, such as `str` or `list`, and "
        f"build the {name} in the tool"
    )
