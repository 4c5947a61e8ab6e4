# SPDX-License-Identifier: MIT
"""A tool of LangChain as one of a toolset, if it can run without its agent."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools import Tool as TextTool
from pydantic import BaseModel

from cogwire.tooling import Tool
from cogwire_kit.bridges.common.tools import then


def tool(given: BaseTool) -> Tool:
    """Return a tool of LangChain as a `Toolset` takes it; its calls run through LangChain.

    Models are shown its `tool_call_schema`, which has no injected argument, and of an answer the
    content without the artifact.  A tool that needs an injected argument of the program, or that
    takes any argument, has no function, and `unbound` says why.  Raises `ValueError` for a schema
    that is a model of pydantic 1.
    """
    schema, needed = _schema(given)
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    unbound = ""
    if injected := [name for name in needed if name not in schema.get("properties", {})]:
        unbound = f"the program provides {', '.join(injected)}"
    elif others is None:
        # The model may not give an argument that it is not shown, since that may be injected.
        is_simple = {"$ref", "allOf", "anyOf", "oneOf"}.isdisjoint(schema)
        closing = "additionalProperties" if is_simple else "unevaluatedProperties"
        schema = {**schema, closing: False}
    elif others is not False:
        unbound = "it takes any argument, even those that are injected"
    function = None if unbound else _Invoked(given)
    return Tool(given.name, given.description, schema, function, unbound)


def _schema(given: BaseTool) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the schema that models are shown, and the names of all arguments that a call needs."""
    if isinstance(given, TextTool) and given.args_schema is None:
        # Its own schema is that of an internal method.
        return {"type": "object", "properties": given.args, "required": [*given.args]}, ()
    shown = given.tool_call_schema
    if isinstance(shown, dict):
        return shown, ()
    whole = given.get_input_schema()
    if not (issubclass(shown, BaseModel) and issubclass(whole, BaseModel)):
        reason = "its schema is a model of pydantic 1; use pydantic 2"
        raise ValueError(f"tool {given.name!r}: {reason}")  # noqa: TRY004 (of the right type)
    return shown.model_json_schema(), [
        str(field.validation_alias or field.alias or name)
        for name, field in whole.model_fields.items()
        if field.is_required()
    ]


@dataclass(frozen=True, eq=False)
class _Invoked:
    tool: BaseTool

    @property
    def wrapped(self) -> Any:
        """The function that the tool was made from, if it was."""
        return getattr(self.tool, "coroutine", None) or getattr(self.tool, "func", None)

    def __call__(self, /, **args: Any) -> object:
        given: dict[str, Any] = args
        handles = self.tool.handle_tool_error or self.tool.handle_validation_error
        if handles or args.get("type") == "tool_call":
            # Only the answer to a whole call says that it is an error, and arguments may look like
            # a whole call.
            call_id = f"call_{uuid.uuid4().hex}"
            given = {"type": "tool_call", "id": call_id, "name": self.tool.name, "args": args}
        # In a thread, since LangChain's own would keep the process alive.
        run = self.tool.ainvoke if self._is_async else self.tool.invoke
        return then(run(given), _content)

    @property
    def _is_async(self) -> bool:
        if isinstance(self.tool, (StructuredTool, TextTool)):
            return self.tool.coroutine is not None
        # A subclass runs in its own `_arun`, or in a `_run` that is called in a thread.
        return type(self.tool)._arun is not BaseTool._arun  # noqa: SLF001 (it is for subclasses)


def _content(result: Any) -> object:
    """Return what is for the model: a message has an artifact for the program, too."""
    if isinstance(result, list):
        return [_content(each) for each in result]
    if isinstance(result, ToolMessage):
        if result.status == "error":
            raise ToolException(str(result.content))
        return result.content
    if isinstance(result, ToolOutputMixin):
        reason = f"returned a {type(result).__name__}, which only LangGraph can carry out"
        raise ToolException(f"the tool {reason}; declare it without one")
    return result
