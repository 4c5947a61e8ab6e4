# SPDX-License-Identifier: MIT
"""The ways to declare a tool: shapes and objects of other APIs, functions, pydantic models."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..events import RESERVED_NAME
from ..text import is_object
from ..wire.blocks.values import is_mapping
from .signatures import Defaulted, described, executed, first_paragraph, function_schema

#: The member of a tool's definition that is its schema, in various APIs.
_SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")
#: The attribute of a tool object that is its schema, including openai-agents and pydantic-ai.
_SCHEMA_ATTRIBUTES: Final = (*_SCHEMA_MEMBERS, "params_json_schema", "parameters_json_schema")
#: The bridges to libraries whose tools do more with a call than to run it, by an attribute of them.
_BRIDGES: Final = {"tool_call_schema": "langchain", "tool_def": "pydantic_ai"}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, as it was declared."""

    #: Its name, which is not empty.
    name: str
    #: Its description; may be empty.
    description: str
    #: The JSON Schema of its arguments.
    parameters: dict[str, Any]
    #: Runs its calls, with keyword arguments; `None` if only the schema is known.
    function: Callable[..., object] | None = field(default=None, compare=False, repr=False)
    #: Why it has no function although what declared it has one; otherwise empty.
    unbound: str = field(default="", compare=False, repr=False)
    #: The classes that its function declares, but of which calls have plain JSON values.
    unbuilt: str = field(default="", compare=False, repr=False)


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
        raise TypeError(f"a tool must be a definition, a function or a model class, not {kind}")
    name: Any = tool.name
    description: Any = tool.description
    if not isinstance(name, str) or not name:
        raise ValueError(f"the name of a tool must be a non-empty string, not {name!r}")
    if name == RESERVED_NAME:
        raise ValueError(f"the name {name!r} is reserved for the block itself")
    if not isinstance(description, str):
        raise ValueError(f"tool {name!r}: its description must be a string")  # noqa: TRY004 (data)
    if tool.function and _is_generator(tool.function):
        raise ValueError(
            f"tool {name!r}: its function is a generator, and a call has one result; collect what "
            "it yields in a list or a text, and return that"
        )
    return replace(tool, parameters=_plain(name, tool.parameters))


def name_in(definition: Any) -> str:
    """Return the name in a definition that was refused; empty if there is none."""
    if is_mapping(definition):
        inner = definition.get("function", definition)
        name: Any = inner.get("name") if is_mapping(inner) else None
    else:
        name = getattr(definition, "name", None) or getattr(definition, "__name__", None)
    return name if isinstance(name, str) else ""


def _from_mapping(definition: Mapping[str, Any]) -> Tool:
    inner = definition.get("function", definition)
    if not is_mapping(inner):
        raise ValueError("`function` is an object")
    schemas = [inner[key] for key in _SCHEMA_MEMBERS if inner.get(key) is not None]
    if len(schemas) > 1:
        raise ValueError(f"a tool must have one of {', '.join(_SCHEMA_MEMBERS)}")
    parameters: Any = schemas[0] if schemas else {"type": "object", "properties": {}}
    return Tool(inner.get("name", ""), inner.get("description") or "", parameters)


def _from_model(model: Any) -> Tool:
    parameters = _model_schema(model)
    return Tool(model.__name__, parameters.get("description", ""), parameters)


def _is_model(value: Any) -> bool:
    """Whether a value is a pydantic model class."""
    return isinstance(value, type) and hasattr(value, "model_json_schema")


def _model_schema(model: Any) -> Any:
    """Return the JSON Schema of a pydantic model; `ValueError` if it cannot be written."""
    try:
        return model.model_json_schema()
    except Exception as error:
        raise ValueError(f"model {model.__name__!r}: {error}") from error


def _from_function(function: Callable[..., object]) -> Tool:
    source = described(function)
    name = getattr(source, "__name__", "")
    if name == "<lambda>":
        raise ValueError("a lambda has no name; define the function with `def`")
    try:
        schema, fields, classes = function_schema(function)
    except ValueError as error:
        raise ValueError(f"function {name!r}: {error}") from error
    run = function
    if fields:
        run = Defaulted(function)
        run.fields = fields
    return Tool(name, first_paragraph(source), schema, run, unbuilt=", ".join(classes))


def _kind(value: object) -> type[object]:
    """Return the class of an object, whose properties are not evaluated when it is asked."""
    return type(value)


def _from_object(tool: Any) -> Tool | None:
    """Return the tool that an object declares, or `None` if it lacks the attributes.

    It may do more with a call than to run a function that it holds, such as to ask for approval:
    what runs is the object itself, if it can be called.
    """
    for attribute, bridge in _BRIDGES.items():
        if hasattr(_kind(tool), attribute):
            raise TypeError(
                f"a tool of {bridge} is declared by its bridge: bridges.{bridge}.tool(…)"
            )
    schemas = (getattr(tool, name, None) for name in _SCHEMA_ATTRIBUTES)
    schema: Any = next((schema for schema in schemas if schema is not None), None)
    if schema is None or not hasattr(tool, "name"):
        return None
    return Tool(
        tool.name,
        getattr(tool, "description", None) or "",
        _model_schema(schema) if _is_model(schema) else schema,
        tool if callable(tool) else None,
    )


def _is_generator(function: Callable[..., object]) -> bool:
    inner = executed(getattr(function, "wrapped", None) or function)
    return inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)


def _plain(name: str, parameters: Any) -> dict[str, Any]:
    """Return a copy of a schema that consists of plain JSON values."""
    try:
        plain = json.loads(json.dumps(parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"tool {name!r}: its schema is not JSON: {error}") from error
    if not is_object(plain):
        raise ValueError(f"tool {name!r}: its schema must be an object")
    return plain
