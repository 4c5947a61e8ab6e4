# SPDX-License-Identifier: MIT
"""The ways to declare a tool: shapes and objects of other APIs, functions, pydantic models."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

from ..events import RESERVED_NAME
from .problems import is_object
from .signatures import described, executed, first_paragraph, function_schema

#: The member of a tool's definition that is its schema, in various APIs.
_SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")
#: The attribute of a tool object that is its schema, including openai-agents and pydantic-ai.
_SCHEMA_ATTRIBUTES: Final = (*_SCHEMA_MEMBERS, "params_json_schema", "parameters_json_schema")
#: The attribute of a tool object that is its function, in LangChain and pydantic-ai.
_FUNCTION_ATTRIBUTES: Final = ("coroutine", "func", "function")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, as it was declared."""

    name: str
    description: str
    #: The JSON Schema of its arguments.
    parameters: dict[str, Any]
    #: Runs its calls, with keyword arguments; `None` if only the schema is known.
    function: Callable[..., object] | None = field(default=None, compare=False, repr=False)


def require_list(tools: object) -> None:
    """Raise `TypeError` for anything but a list or another iterable of definitions."""
    kind = type(tools).__name__
    if isinstance(tools, (str, Mapping)) or not isinstance(tools, Iterable):
        raise TypeError(f"a Toolset takes a list of tools, as in Toolset([tool]), not {kind}")


def declared(definition: Any) -> Tool:
    """Return the tool that `definition` declares in any of these ways.

    Raises `TypeError` for other types and `ValueError` for bad names, descriptions and schemas.
    """
    if isinstance(definition, Tool):
        tool = definition
    elif is_mapping(definition):
        tool = _from_mapping(definition)
    elif _is_model(definition):
        tool = _from_model(definition)
    elif isinstance(definition, type):
        tool = None
    elif inspect.isroutine(definition):
        tool = _from_function(definition)
    else:
        tool = _from_object(definition)
        if tool is None and callable(definition):
            tool = _from_function(definition)
    if tool is None:
        kind = type(definition).__name__
        if isinstance(definition, type):
            hint = "wrap it in a function whose parameters are its members"
            kind = f"the class {definition.__name__}; {hint}"
        raise TypeError(f"a tool is a definition, a typed function or a model class, not {kind}")
    name: Any = tool.name
    description: Any = tool.description
    if not isinstance(name, str) or not name:
        raise ValueError(f"a tool has a name, a non-empty string, not {name!r}")
    if name == RESERVED_NAME:
        raise ValueError(f"the name {name!r} is reserved for the block itself")
    if not isinstance(description, str):
        raise ValueError(f"tool {name!r}: its description is a string")  # noqa: TRY004 (data)
    if tool.function and _is_generator(tool.function):
        raise ValueError(
            f"tool {name!r}: its function is a generator, and a call has one result; collect what "
            "it yields in a list or a text, and return that"
        )
    return Tool(name, description, _plain(name, tool.parameters), tool.function)


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping, whose keys should be strings."""
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


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and hasattr(value, "model_json_schema")


def _from_model(model: Any) -> Tool:
    parameters = model.model_json_schema()
    return Tool(model.__name__, parameters.get("description", ""), parameters)


def _from_object(tool: Any) -> Tool | None:
    """Return the tool that a framework's object declares, or `None` if it lacks the attributes."""
    tool_def = getattr(tool, "tool_def", tool)  # pydantic-ai keeps the definition there
    schemas = (getattr(tool_def, name, None) for name in _SCHEMA_ATTRIBUTES)
    schema: Any = next((schema for schema in schemas if schema is not None), None)
    if schema is None or not hasattr(tool_def, "name"):
        return None
    parameters = schema.model_json_schema() if _is_model(schema) else schema
    functions = (getattr(tool, name, None) for name in (*_FUNCTION_ATTRIBUTES, "__call__"))
    # A function that takes the framework's context cannot be called with the arguments alone.
    function = (
        None if getattr(tool, "takes_ctx", False) else next(filter(callable, functions), None)
    )
    return Tool(tool_def.name, getattr(tool_def, "description", None) or "", parameters, function)


def _from_function(function: Callable[..., object]) -> Tool:
    source = described(function)
    name = getattr(source, "__name__", "")
    if name == "<lambda>":
        raise ValueError("a lambda has no name; define the function with `def`")
    try:
        return Tool(name, first_paragraph(source), function_schema(function), function)
    except ValueError as error:
        raise ValueError(f"function {name!r}: {error}") from error


def _is_generator(function: Callable[..., object]) -> bool:
    inner = executed(function)
    return inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)


def _plain(name: str, parameters: Any) -> dict[str, Any]:
    """Return a copy of a schema that consists of plain JSON values."""
    try:
        plain = json.loads(json.dumps(parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"tool {name!r}: its schema is not JSON: {error}") from error
    if not is_object(plain):
        raise ValueError(f"tool {name!r}: its schema is an object")
    return plain
