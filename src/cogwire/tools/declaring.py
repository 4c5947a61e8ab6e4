# SPDX-License-Identifier: MIT
"""The ways to declare a tool: shapes and objects of other APIs, functions, pydantic models."""

import inspect
import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..events import RESERVED_NAME
from ..text import is_array, is_object
from ..wire.blocks.values import is_mapping
from .signatures import Defaulted, described, executed, first_paragraph, function_schema

#: The member of a tool's definition that is its schema, in various APIs.
_SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")
#: The attribute of a tool object that is its schema, including openai-agents and pydantic-ai.
_SCHEMA_ATTRIBUTES: Final = (*_SCHEMA_MEMBERS, "params_json_schema", "parameters_json_schema")
#: The attribute of a tool object that is its function.
_FUNCTION_ATTRIBUTES: Final = ("coroutine", "func", "function")

#: The attributes that do not change how a call runs.
_NEUTRAL: Final = frozenset({"name", "description", "title", "args_schema"}).union(
    _SCHEMA_ATTRIBUTES, _FUNCTION_ATTRIBUTES
)
#: Those of pydantic-ai's tools: what is sent to providers, and what the schema was made with.
_NEUTRAL_OF_TOOL: Final = frozenset(
    {"function", "function_schema", "name", "description", "strict", "metadata"}
    | {"docstring_format", "require_parameter_descriptions", "include_return_schema"}
)
_NEUTRAL_OF_FUNCTION: Final = frozenset(
    {"function", "name", "description", "validator", "json_schema", "is_async"}
    | {"single_arg_name", "return_schema"}
)
#: What Python and pydantic keep in each object.
_OF_PYTHON: Final = frozenset({"__dict__", "__weakref__", "__pydantic_fields_set__"})


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
    #: Why it has no function although the object that declared it has one; otherwise empty.
    unbound: str = field(default="", compare=False, repr=False)
    #: The classes that its function declares, but of which calls have plain JSON values.
    unbuilt: str = field(default="", compare=False, repr=False)


class ToolFailure(Exception):  # noqa: N818 (what a tool reports as failed is not our error)
    """A failure of a call that the tool's library has turned into a message."""


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
        raise ValueError(f"a tool has one of {', '.join(_SCHEMA_MEMBERS)}")
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
    run = Defaulted(function, fields) if fields else function
    return Tool(name, first_paragraph(source), schema, run, unbuilt=", ".join(classes))


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
        raise ValueError(f"tool {name!r}: its schema is an object")
    return plain


# --- Tool objects of other libraries --------------------------------------------------------------
#
# None of them is imported: an object is recognised by its attributes.  A library does more with a
# call than to run a function: it asks for approval, injects arguments, validates and converts.  So
# a call is run through the library's own entry point, or the function is taken where each attribute
# of the tool is known not to change how a call runs.  Otherwise the schema is taken alone.


def _kind(value: object) -> type[object]:
    """Return the class of an object, whose properties are not evaluated when it is asked."""
    return type(value)


def _from_object(tool: Any) -> Tool | None:
    """Return the tool that a library's object declares, or `None` if it lacks the attributes."""
    if hasattr(_kind(tool), "tool_call_schema"):
        return _from_langchain(tool)
    definition = getattr(tool, "tool_def", tool)  # pydantic-ai keeps the definition there
    schemas = (getattr(definition, name, None) for name in _SCHEMA_ATTRIBUTES)
    schema: Any = next((schema for schema in schemas if schema is not None), None)
    if schema is None or not hasattr(definition, "name"):
        return None
    function, unbound = _function_of(tool) if definition is tool else _function_of_pydantic_ai(tool)
    return Tool(
        definition.name,
        getattr(definition, "description", None) or "",
        _model_schema(schema) if _is_model(schema) else schema,
        function,
        unbound,
    )


def _function_of(tool: Any) -> tuple[Callable[..., object] | None, str]:
    """Return the function of an object, and why it is not taken."""
    functions = (getattr(tool, name, None) for name in _FUNCTION_ATTRIBUTES)
    function = next(filter(callable, functions), None)
    if function is None:
        return (tool if callable(tool) else None), ""
    special = _special(tool, _NEUTRAL)
    return (None, _only_there("its library", special)) if special else (function, "")


def _special(thing: Any, neutral: Iterable[str]) -> list[str]:
    """Return the names of the attributes that may change how a call runs."""
    members: dict[str, Any] = {}
    for kind in reversed(type(thing).__mro__):
        # Methods and properties are not settings.
        settings = {name: value for name, value in vars(kind).items() if not _is_method(value)}
        members |= {name: value for name, value in settings.items() if not name.startswith("__")}
        slots = vars(kind).get("__slots__", ())
        names = [slots] if isinstance(slots, str) else slots
        members |= {name: getattr(thing, name, None) for name in names}
    members |= getattr(thing, "__dict__", {})
    return [
        name
        for name, value in members.items()
        if name not in neutral
        and name not in _OF_PYTHON
        and not (value is None or value is False or (isinstance(value, list) and not value))
    ]


def _is_method(value: object) -> bool:
    return callable(value) or hasattr(value, "__get__")


def _only_there(library: str, names: Iterable[str]) -> str:
    return f"only {library} applies {', '.join(names)}"


# --- pydantic-ai --------------------------------------------------------------------------------


def _function_of_pydantic_ai(tool: Any) -> tuple[Callable[..., object] | None, str]:
    schema = getattr(tool, "function_schema", None)
    if schema is None:
        return None, _only_there("its library", ["its function"])
    special = [
        *_special(tool, _NEUTRAL_OF_TOOL),
        *_overridden(tool, "tool_def"),
        *_special(schema, _NEUTRAL_OF_FUNCTION),
        *_overridden(schema, "call"),
    ]
    if special:
        reason = _only_there("pydantic-ai", dict.fromkeys(special))
        return None, f"{reason}; an agent can, with CogwireModel"
    return Validated(schema), ""


def _overridden(thing: Any, known: str) -> list[str]:
    """Return which methods of the first class that has `known` are replaced by other classes."""
    kinds = type(thing).__mro__
    first = next((kind for kind in reversed(kinds) if known in vars(kind)), None)
    return [
        name
        for kind in (kinds[: kinds.index(first)] if first else ())
        for name, value in vars(kind).items()
        if name in vars(first) and not name.startswith("__") and _is_method(value)
    ]


@dataclass(frozen=True, eq=False)
class Validated:
    """Runs the function of a pydantic-ai tool with the arguments that its validator returns."""

    schema: Any

    @property
    def wrapped(self) -> Any:
        """The function itself."""
        return self.schema.function

    def __call__(self, /, **args: Any) -> object:
        """Run a call."""
        # As JSON, in which a validator accepts the text of a date or a list for a set.
        values = self.schema.validator.validate_json(json.dumps(args))
        return _then(self.wrapped(**values), _returned)


def _returned(value: Any) -> object:
    """Return what is for the model: a `ToolReturn` has metadata for the program, too."""
    return value.return_value if type(value).__name__ == "ToolReturn" else value


def _then(value: Any, convert: Callable[[Any], object]) -> object:
    """Convert a value, which may first have to be awaited."""

    async def wait() -> object:
        return convert(await value)

    return wait() if inspect.isawaitable(value) else convert(value)


# --- LangChain ----------------------------------------------------------------------------------


def _from_langchain(tool: Any) -> Tool:
    own: Any = getattr(tool, "args_schema", None)
    function: Any = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    if own is None and function is not None:
        # A tool of one text, whose own schema is that of an internal method.
        schema: Any = {"type": "object", "properties": tool.args, "required": list(tool.args)}
    else:
        schema = _call_schema(tool)
    found = Tool(tool.name, tool.description or "", schema)
    if not is_object(schema):
        return found
    properties = schema.get("properties", {})
    if injected := [name for name in _required(own) if name not in properties]:
        return replace(found, unbound=f"the program provides {', '.join(injected)}")
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    if others is None:
        # The model may not give an argument that it is not shown, since that may be injected.
        is_simple = {"$ref", "allOf", "anyOf", "oneOf"}.isdisjoint(schema)
        closing = "additionalProperties" if is_simple else "unevaluatedProperties"
        schema = {**schema, closing: False}
    elif others is not False:
        return replace(found, unbound="it takes any argument, even those that are injected")
    return replace(found, parameters=schema, function=Invoked(tool, function))


def _call_schema(tool: Any) -> Any:
    """Return the schema of the arguments that models are shown."""
    try:
        schema = tool.tool_call_schema
    except Exception as error:
        raise ValueError(f"tool {tool.name!r}: {error}") from error
    if isinstance(schema, type) and not _is_model(schema):
        raise ValueError(f"tool {tool.name!r}: its schema is a model of pydantic 1; use pydantic 2")
    return _model_schema(schema) if _is_model(schema) else schema


def _required(model: Any) -> Iterable[str]:
    """Return the names of a model's required arguments, as its schema has them."""
    fields: dict[str, Any] = getattr(model, "model_fields", {})
    return [
        str(field.validation_alias or field.alias or name)
        for name, field in fields.items()
        if field.is_required()
    ]


@dataclass(frozen=True, eq=False)
class Invoked:
    """Runs a LangChain tool as LangChain does; a call has the content, and not the artifact."""

    tool: Any
    #: The function that the tool was made from, if it was.
    wrapped: Any

    def __call__(self, /, **args: Any) -> object:
        """Run a call."""
        given: dict[str, Any] = args
        if self._handles_errors or args.get("type") == "tool_call":
            # Only the answer to a whole call says that it is an error, and arguments may look like
            # a whole call.
            call_id = f"call_{uuid.uuid4().hex}"
            given = {"type": "tool_call", "id": call_id, "name": self.tool.name, "args": args}
        # In a thread, since LangChain's own would keep the process alive.
        run = self.tool.ainvoke if self._is_async else self.tool.invoke
        return _then(run(given), _content)

    @property
    def _handles_errors(self) -> bool:
        names = ("handle_tool_error", "handle_validation_error")
        return any(getattr(self.tool, name, None) for name in names)

    @property
    def _is_async(self) -> bool:
        if hasattr(self.tool, "coroutine"):
            return self.tool.coroutine is not None
        # A subclass runs in its own `_arun`, or in a `_run` that is called in a thread.
        own = getattr(_kind(self.tool), "_arun", None)
        return own is not None and not own.__module__.startswith("langchain_core.")


def _content(result: Any) -> object:
    """Return what is for the model: a message has an artifact for the program, too."""
    if is_array(result):
        return [_content(each) for each in result]
    if not (hasattr(result, "tool_call_id") and hasattr(result, "artifact")):
        if any(kind.__name__ == "ToolOutputMixin" for kind in _kind(result).__mro__):
            name = _kind(result).__name__
            reason = f"returned a {name}, which only LangGraph can carry out"
            raise ToolFailure(f"the tool {reason}; declare it without one")
        return result
    if result.status == "error":
        raise ToolFailure(str(result.content))
    return result.content
