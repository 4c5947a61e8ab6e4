# SPDX-License-Identifier: MIT
"""The ways to declare a tool: the shapes that APIs have, a typed function, a pydantic model."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from ..events import RESERVED_NAME
from .problems import is_object
from .signatures import first_paragraph, function_schema

#: What a tool's schema is called, in the shapes that APIs have for it.
_SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, as it was declared."""

    name: str
    description: str
    #: The JSON Schema of its arguments.
    parameters: dict[str, Any]


def declared(definition: Any) -> Tool:
    """Return the tool that `definition` declares, in any of these ways."""
    if isinstance(definition, Tool):
        tool = definition
    elif is_mapping(definition):
        tool = _from_mapping(definition)
    elif isinstance(definition, type) and hasattr(definition, "model_json_schema"):
        tool = _from_model(definition)
    elif callable(definition) and not isinstance(definition, type):
        tool = _from_function(definition)
    else:
        kind = type(definition).__name__
        raise TypeError(f"a tool is a definition, a typed function or a model class, not {kind}")
    name: Any = tool.name
    description: Any = tool.description
    if not isinstance(name, str) or not name:
        raise ValueError(f"a tool has a name, a non-empty string, not {name!r}")
    if name == RESERVED_NAME:
        raise ValueError(f"the name {name!r} is reserved for the block itself")
    if not isinstance(description, str):
        raise ValueError(f"tool {name!r}: its description is a string")  # noqa: TRY004 (data)
    return Tool(name, description, _plain(name, tool.parameters))


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping; its names are strings if it is what it should be."""
    return isinstance(value, Mapping)


def _from_mapping(definition: Mapping[str, Any]) -> Tool:
    inner = definition.get("function", definition)
    if not is_mapping(inner):
        raise ValueError("`function` is an object")
    schemas = [inner[key] for key in _SCHEMA_MEMBERS if inner.get(key) is not None]
    if len(schemas) > 1:
        raise ValueError(f"a tool has one of {', '.join(_SCHEMA_MEMBERS)}")
    parameters: Any = schemas[0] if schemas else {"type": "object", "properties": {}}
    return Tool(inner.get("name", ""), inner.get("description") or "", parameters)


def _from_model(model: Any) -> Tool:
    parameters = model.model_json_schema()
    return Tool(model.__name__, parameters.get("description", ""), parameters)


def _from_function(function: Callable[..., Any]) -> Tool:
    name = getattr(function, "__name__", "")
    try:
        return Tool(name, first_paragraph(function), function_schema(function))
    except ValueError as error:
        raise ValueError(f"function {name!r}: {error}") from error


def _plain(name: str, parameters: Any) -> dict[str, Any]:
    """Return a copy of a schema that is JSON and nothing else."""
    try:
        plain = json.loads(json.dumps(parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"tool {name!r}: its schema is not JSON: {error}") from error
    if not is_object(plain):
        raise ValueError(f"tool {name!r}: its schema is an object")
    return plain
