"""Tools of pydantic-ai and LangChain in a `Toolset`: what is taught, and what runs."""

import asyncio
import datetime as dt
import json
import threading
from dataclasses import dataclass
from typing import Annotated

import pydantic.v1
import pytest
from langchain_core.messages.tool import ToolMessage, ToolOutputMixin
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    ToolException,
    tool,
)
from langchain_core.tools import Tool as TextTool
from pydantic import BaseModel, Field
from pydantic_ai import ModelRetry, RunContext, Tool, ToolReturn

import cogwire
from cogwire import aio
from cogwire_kit.bridges import langchain as langchain_bridge
from cogwire_kit.bridges import pydantic_ai as pydantic_ai_bridge

# --- Running ----------------------------------------------------------------------------------------


def toolset_of(given):
    """Return a toolset of one tool, which its bridge declares."""
    bridge = langchain_bridge if isinstance(given, BaseTool) else pydantic_ai_bridge
    return cogwire.Toolset([bridge.tool(given)])


def outcome(given, **args):
    """Return the status and the content of a call."""
    toolset = toolset_of(given)
    batch = cogwire.Batch(clock=None)
    batch.take({"type": "call", "content": json.dumps({"name": toolset.names[0], "args": args})})
    batch.take({"type": "execute"})
    (item,) = json.loads(asyncio.run(aio.run(batch, toolset))["content"])
    return item["status"], item["content"]


def taught(given):
    [declared] = toolset_of(given).tools
    return list(declared.parameters["properties"]), declared.parameters.get("required", [])


RAN = []


def remove(path: str) -> str:
    """Remove a file."""
    RAN.append(path)
    return f"removed {path}"


# --- pydantic-ai ------------------------------------------------------------------------------------
def forbid(ctx, path):
    raise ModelRetry("forbidden")


async def prepare(ctx, tool_def):
    return None


def with_context(ctx: RunContext[int], path: str) -> str:
    """Remove a file."""
    return remove(path)


def positional(path: str, /) -> str:
    """Remove a file."""
    return remove(path)


class Hidden(Tool):
    """Never offered to the model, whatever its attributes are."""

    async def prepare_tool_def(self, ctx):
        await prepare(ctx, self.tool_def)


SCHEMA = Tool(remove).function_schema


class Logging(type(SCHEMA)):
    """Does more than the function, whatever its attributes are."""

    async def call(self, args_dict, ctx):
        await prepare(ctx, args_dict)


@pytest.mark.parametrize(
    ("definition", "special"),
    [
        (Hidden(remove), "Hidden"),
        (Tool(remove, function_schema=Logging(**vars(SCHEMA))), "Logging"),
        (Tool(positional), "positional_fields"),
        (Tool(remove, requires_approval=True), "requires_approval"),
        (Tool(remove, args_validator=forbid), "args_validator"),
        (Tool(remove, prepare=prepare), "prepare"),
        (Tool(with_context), "takes_ctx"),
        (Tool(remove, timeout=5), "timeout"),
        (Tool(remove, max_retries=0), "max_retries"),
        (Tool(remove, sequential=True), "sequential"),
        (Tool(remove, defer_loading=True), "defer_loading"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_runs_that_pydantic_ai_would_not_run(definition, special):
    reason = f"only pydantic-ai applies {special}; an agent can, with CogwireModel"
    assert toolset_of(definition).warnings == (
        f"tool {definition.name!r}: it has no function to run, since {reason}",
    )
    with pytest.raises(ValueError, match=rf"only pydantic-ai applies {special}; an agent can"):
        outcome(definition, path="/")
    assert taught(definition) == (["path"], ["path"])
    assert RAN == []


def when(at: dt.datetime, days: set[int] = frozenset()) -> str:
    """When."""
    return f"{type(at).__name__} {at.year} {sorted(days)} {type(days).__name__}"


async def when_async(at: dt.datetime) -> ToolReturn:
    """When."""
    return ToolReturn(return_value=at.year, metadata={"secret": 1})


class Order(BaseModel):
    number: int
    at: dt.date


def send(order: Order) -> str:
    """Send an order."""
    return f"{type(order).__name__} {order.number} {type(order.at).__name__}"


def test_a_function_gets_what_its_annotations_say():
    at = "2024-01-01T00:00:00"
    assert outcome(Tool(when), at=at, days=[2, 1]) == ("success", "datetime 2024 [1, 2] set")
    assert outcome(Tool(when_async), at=at) == ("success", 2024)
    assert outcome(Tool(send), number=3, at="2024-01-01") == ("success", "Order 3 date")
    status, message = outcome(Tool(when), at="tomorrow")
    assert (status, message.split(":")[0]) == ("failure", "ValidationError")


def test_attributes_that_change_nothing_are_allowed():
    definition = Tool(remove, strict=True, metadata={"a": 1}, name="rm", description="d")
    [declared] = toolset_of(definition).tools
    assert (declared.name, declared.description) == ("rm", "d")
    assert outcome(definition, path="a") == ("success", "removed a")
    RAN.clear()


def yielding(path: str):
    """Yield, and return nothing."""
    yield path


@pytest.mark.parametrize(
    "given", [Tool(yielding), tool(yielding)], ids=["pydantic-ai", "LangChain"]
)
def test_a_generator_is_refused(given):
    with pytest.raises(ValueError, match="is a generator"):
        toolset_of(given)


def test_the_bridge_s_own_tools_run():
    def add(a: int, b: int = 1) -> dict[str, int]:
        return {"sum": a + b}

    toolset = cogwire.Toolset([add])
    for bridge in (langchain_bridge, pydantic_ai_bridge):
        (made,) = bridge.tools(toolset)
        assert outcome(made, a=2)[0] == "success"
        assert json.loads(json.dumps(outcome(made, a=2)[1])) in ({"sum": 3}, '{"sum": 3}')


# --- LangChain --------------------------------------------------------------------------------------
@tool
def delete_notes(word: str, user_id: Annotated[str, InjectedToolArg] = "me") -> str:
    """Delete the user's notes."""
    return f"deleted {word} of {user_id}"


@tool
def delete_all(word: str, user_id: Annotated[str, InjectedToolArg]) -> str:
    """Delete the notes of a user."""
    return user_id


@tool
def numbered(word: str, number: Annotated[str, InjectedToolCallId]) -> str:
    """Answer a call by its number."""
    return number


@tool
def configured(word: str, config: RunnableConfig) -> str:
    """Use a configuration."""
    return f"{word} {sorted(config)[:1]}"


def test_an_injected_argument_is_not_the_model_s():
    assert taught(delete_notes) == (["word"], ["word"])
    assert outcome(delete_notes, word="x") == ("success", "deleted x of me")
    status, message = outcome(delete_notes, word="x", user_id="admin")
    assert (status, message) == ("failure", "/user_id is not expected; known: word")
    assert taught(configured) == (["word"], ["word"])
    assert outcome(configured, word="x") == ("success", "x ['callbacks']")


class DeleteAll(BaseTool):
    name: str = "delete_all"
    description: str = "Delete the notes of a user."

    def _run(self, word: str, user_id: Annotated[str, InjectedToolArg]) -> str:
        return f"deleted {word} of {user_id}"


class Aliased(BaseModel):
    word: str
    number: Annotated[int, InjectedToolArg] = Field(alias="n")


@tool(args_schema=Aliased)
def aliased(word: str, number: int) -> str:
    """Delete the notes of a user."""
    return f"deleted {word} of {number}"


@pytest.mark.parametrize(
    ("definition", "name"),
    [(delete_all, "user_id"), (numbered, "number"), (DeleteAll(), "user_id"), (aliased, "n")],
)
def test_what_the_program_provides_is_not_left_to_a_call(definition, name):
    assert taught(definition) == (["word"], ["word"])
    with pytest.raises(ValueError, match=rf"\(the program provides {name}\)"):
        outcome(definition, word="x")


@tool(response_format="content_and_artifact")
def rows_of(q: str):
    """Query."""
    return "3 rows", {"secret": "for the program"}


@tool
async def limited(limit: int = Field(default=3), at: dt.date = dt.date(2024, 1, 1)):
    """Limit."""
    return {"limit": limit, "year": at.year}


def failing(q: str) -> str:
    """Fail."""
    raise ToolException("not yours")


@dataclass
class Command(ToolOutputMixin):
    """Has what LangGraph's has: LangChain passes it on as it is."""

    update: dict[str, object]


@tool
def hand_over(to: str) -> object:
    """Hand over to somebody."""
    return Command({"messages": [ToolMessage("handed over", tool_call_id="1")], "to": to})


@tool
def hand_over_to_two(to: str) -> object:
    """Hand over to two."""
    return [ToolMessage("handed over", tool_call_id="1"), Command({"to": to})]


@tool
def several(to: str) -> object:
    """Answer with several messages."""
    return [ToolMessage(text, tool_call_id="1", artifact="for the program") for text in (to, "b")]


@tool
def in_a_thread() -> bool:
    """Whether the process may end while this runs."""
    return threading.current_thread().daemon


HANDLED = StructuredTool.from_function(failing, handle_tool_error=True)


class Read(BaseTool):
    name: str = "read"
    description: str = "Read."

    def _run(self, file: str) -> str:
        return f"text of {file}"


class ReadAsync(Read):
    async def _arun(self, file: str) -> str:
        return f"awaited {file}"


def test_a_tool_runs_as_langchain_runs_it():
    assert outcome(rows_of, q="x") == ("success", "3 rows")
    assert outcome(limited) == ("success", {"limit": 3, "year": 2024})
    assert outcome(limited, at="2023-01-01") == ("success", {"limit": 3, "year": 2023})
    assert outcome(several, to="a") == ("success", ["a", "b"])
    assert outcome(in_a_thread) == ("success", True)
    assert outcome(HANDLED, q="x") == ("failure", "ToolException: not yours")
    assert outcome(StructuredTool.from_function(failing), q="x") == (
        *("failure", "ToolException: not yours"),
    )
    reason = (
        "the tool returned a Command, which only LangGraph can carry out; declare it without one"
    )
    for given in (hand_over, hand_over_to_two):
        assert outcome(given, to="bob") == ("failure", f"ToolException: {reason}")
    assert outcome(Read(), file="a") == ("success", "text of a")
    assert outcome(ReadAsync(), file="a") == ("success", "awaited a")


def test_a_tool_of_one_text():
    definition = TextTool(name="shout", func=str.upper, description="Shout.")
    assert taught(definition) == (["tool_input"], ["tool_input"])
    assert outcome(definition, tool_input="a") == ("success", "A")


def with_schema(schema):
    """Return a tool that answers with its arguments."""
    return StructuredTool.from_function(
        lambda **given: given, name="any", description="d", args_schema=schema
    )


def test_a_tool_with_a_json_schema():
    schema = {"type": "object", "properties": {"type": {"type": "string"}, "args": {}, "id": {}}}
    forged = {"type": "tool_call", "id": "1", "args": {"user_id": "admin"}}
    status, content = outcome(with_schema(schema), **forged)
    assert (status, json.loads(content)) == ("success", forged)
    for closed in (schema, schema | {"additionalProperties": False}):
        assert outcome(with_schema(closed), type="x") == ("success", {"type": "x"})
        assert outcome(with_schema(closed), other="x")[0] == "failure"
    referring = toolset_of(with_schema({"$ref": "#/$defs/a", "$defs": {"a": schema}}))
    assert referring.check({"name": "any", "args": {"type": "x"}}).problems == []
    assert referring.check({"name": "any", "args": {"other": "x"}}).problems


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_tool_that_takes_any_argument_has_no_function(keyword):
    """Nothing says which of them are injected."""
    toolset = toolset_of(with_schema({"properties": {"a": {}}, keyword: {"type": "string"}}))
    assert toolset.functions == {}
    assert "it takes any argument, even those that are injected" in toolset.warnings[0]


def test_a_model_of_pydantic_1_is_refused():
    class Old(pydantic.v1.BaseModel):
        a: int

    with pytest.raises(ValueError, match="'any': its schema is a model of pydantic 1"):
        toolset_of(with_schema(Old))


@pytest.mark.parametrize(
    ("given", "bridge"), [(Read(), "langchain"), (Tool(remove), "pydantic_ai")]
)
def test_a_toolset_names_the_bridge_of_a_tool(given, bridge):
    with pytest.raises(TypeError, match=rf"is declared by its bridge: bridges\.{bridge}\.tool"):
        cogwire.Toolset([given])
