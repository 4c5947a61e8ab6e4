# SPDX-License-Identifier: MIT
"""Tool objects of other libraries: their schemas, and functions that run their calls.

Nothing here imports these libraries: an object is recognised by its attributes.  A library does
more with a call than to run a function: it asks for approval, injects arguments, validates and
converts.  So a call is run through the library's own entry point, or the function is taken where
each attribute of the tool is known not to change how a call runs.  Otherwise the schema is taken
alone.
"""

import inspect
import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from .problems import is_array, is_object

#: The member of a tool's definition that is its schema, in various APIs.
SCHEMA_MEMBERS: Final = ("parameters", "input_schema", "inputSchema")
#: The attribute of a tool object that is its schema, including openai-agents and pydantic-ai.
_SCHEMA_ATTRIBUTES: Final = (*SCHEMA_MEMBERS, "params_json_schema", "parameters_json_schema")
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


class Found(NamedTuple):
    """What a tool object declares, not yet validated."""

    name: Any
    description: Any
    schema: Any
    function: Callable[..., object] | None
    #: Why the function of the object is not taken.
    unbound: str = ""


class ToolFailure(Exception):  # noqa: N818 (what a tool reports as failed is not our error)
    """A failure of a call that the tool's library has turned into a message."""


def is_model(value: Any) -> bool:
    """Whether a value is a pydantic model class."""
    return isinstance(value, type) and hasattr(value, "model_json_schema")


def model_schema(model: Any) -> Any:
    """Return the JSON Schema of a pydantic model; `ValueError` if it cannot be written."""
    try:
        return model.model_json_schema()
    except Exception as error:
        raise ValueError(f"model {model.__name__!r}: {error}") from error


def _kind(value: object) -> type[object]:
    """Return the class of an object, whose properties are not evaluated when it is asked."""
    return type(value)


def found_in(tool: Any) -> Found | None:
    """Return what a tool object declares, or `None` if it lacks the attributes."""
    if hasattr(_kind(tool), "tool_call_schema"):
        return _in_langchain(tool)
    definition = getattr(tool, "tool_def", tool)  # pydantic-ai keeps the definition there
    schemas = (getattr(definition, name, None) for name in _SCHEMA_ATTRIBUTES)
    schema: Any = next((schema for schema in schemas if schema is not None), None)
    if schema is None or not hasattr(definition, "name"):
        return None
    function, unbound = _bound(tool) if definition is tool else _bound_by_pydantic_ai(tool)
    return Found(
        definition.name,
        getattr(definition, "description", None) or "",
        model_schema(schema) if is_model(schema) else schema,
        function,
        unbound,
    )


def _bound(tool: Any) -> tuple[Callable[..., object] | None, str]:
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
    for kind in type(thing).__mro__:
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


def _only_there(library: str, names: Iterable[str]) -> str:
    return f"only {library} applies {', '.join(names)}"


# --- pydantic-ai --------------------------------------------------------------------------------


def _bound_by_pydantic_ai(tool: Any) -> tuple[Callable[..., object] | None, str]:
    schema = getattr(tool, "function_schema", None)
    if schema is None:
        return None, _only_there("its library", ["its function"])
    special = _special(tool, _NEUTRAL_OF_TOOL)
    special += [name for name in _special(schema, _NEUTRAL_OF_FUNCTION) if name not in special]
    if special:
        return None, f"{_only_there('pydantic-ai', special)}; an agent can, with CogwireModel"
    return Validated(schema), ""


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


def _in_langchain(tool: Any) -> Found:
    own: Any = getattr(tool, "args_schema", None)
    function: Any = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    if own is None and function is not None:
        # A tool of one text, whose own schema is that of an internal method.
        schema: Any = {"type": "object", "properties": tool.args, "required": list(tool.args)}
    else:
        schema = _call_schema(tool)
    found = Found(tool.name, tool.description or "", schema, None)
    if not is_object(schema):
        return found
    properties = schema.get("properties", {})
    if injected := [name for name in _required(own) if name not in properties]:
        return found._replace(unbound=f"the program provides {', '.join(injected)}")
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    if others is None:
        # The model may not give an argument that it is not shown, since that may be injected.
        is_simple = {"$ref", "allOf", "anyOf", "oneOf"}.isdisjoint(schema)
        closing = "additionalProperties" if is_simple else "unevaluatedProperties"
        schema = {**schema, closing: False}
    elif others is not False:
        return found._replace(unbound="it takes any argument, even those that are injected")
    return found._replace(schema=schema, function=Invoked(tool, function))


def _call_schema(tool: Any) -> Any:
    """Return the schema of the arguments that models are shown."""
    try:
        schema = tool.tool_call_schema
    except Exception as error:
        raise ValueError(f"tool {tool.name!r}: {error}") from error
    if isinstance(schema, type) and not is_model(schema):
        raise ValueError(f"tool {tool.name!r}: its schema is a model of pydantic 1; use pydantic 2")
    return model_schema(schema) if is_model(schema) else schema


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
        return result
    if result.status == "error":
        raise ToolFailure(str(result.content))
    return result.content
