"""Tool objects of other libraries: what models are shown, and what runs.

The objects here have the attributes that are read; those of the libraries themselves are in
`tests/integrations/bridges/test_foreign_tools.py`.
"""

import asyncio
import importlib
import json
from datetime import datetime
from types import SimpleNamespace

import pydantic
import pytest

from tests import cogwire
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")
foreign = importlib.import_module(f"{cogwire.__name__}.tools.declaring")

SCHEMA = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}


def read(file):
    return f"text of {file}"


async def read_async(file):
    return f"text of {file}"


def outcome(toolset, name="read", **args):
    """Return the status and the content of a call."""
    batch = cogwire.Batch(clock=None)
    batch.take({"type": "call", "content": json.dumps({"name": name, "args": args})})
    batch.take({"type": "execute"})
    (item,) = json.loads(asyncio.run(aio.run(batch, toolset))["content"])
    return item["status"], item["content"]


def objects(**members):
    return SimpleNamespace(name="read", description="Read a file.", **members)


# --- Any library ------------------------------------------------------------------------------------
class Slotted:
    __slots__ = ("__dict__", "approval", "function", "name")
    parameters = SCHEMA

    def __init__(self, approval=None):
        self.name, self.function, self.approval = "read", read, approval


class Asking:
    name, parameters = "read", SCHEMA
    needs_approval = True

    def function(self, file): ...

    @property
    def approved(self):
        return False


class OneSlot:
    __slots__ = "approval"  # noqa: PLC0205 (Python allows it)
    name, parameters = "read", SCHEMA

    def __init__(self):
        self.approval = True

    def function(self, file): ...


@rows(
    ("definition", "special"),
    [
        (objects(parameters=SCHEMA, function=read, needs_approval=True), "needs_approval"),
        (objects(parameters=SCHEMA, func=read, retries=0, hooks=[read]), "retries, hooks"),
        (Slotted(approval=True), "approval"),
        (OneSlot(), "approval"),
        (Asking(), "needs_approval"),
    ],
)
def test_a_function_is_not_taken_from_an_object_that_may_do_more_with_a_call(definition, special):
    toolset = cogwire.Toolset([definition])
    assert toolset.functions == {}
    assert toolset.warnings == (
        f"tool 'read': it has no function to run, since only its library applies {special}",
    )
    with pytest.raises(ValueError, match=rf"for 'read' \(only its library applies {special}\)"):
        outcome(toolset, file="a")
    # Another toolset of its tools, and a function of the program's own.
    again = cogwire.Toolset(toolset.tools)
    assert again.warnings == toolset.warnings
    batch = cogwire.Batch(clock=None)
    batch.take({"type": "call", "content": '{"name": "read", "args": {"file": "a"}}'})
    batch.take({"type": "execute"})
    result = asyncio.run(aio.run(batch, {"read": read}, toolset=again))
    assert result["payload"]["success_count"] == 1


class Callable:
    name = "read"
    parameters = SCHEMA

    def __init__(self):
        self.client = object()

    def __call__(self, file):
        return read(file)


@rows("definition", [Slotted(), Callable()])
def test_an_object_that_is_called_or_only_holds_a_function_runs(definition):
    assert outcome(cogwire.Toolset([definition]), file="a") == ("success", "text of a")


# --- pydantic-ai ------------------------------------------------------------------------------------
def when(at):
    return {"year": at.year, "kind": type(at).__name__}


async def when_async(at):
    return when(at)


class At(pydantic.BaseModel):
    at: datetime


class Validator:
    """Validates JSON, as the validator of a function does."""

    def validate_json(self, text):
        return dict(At.model_validate_json(text))


class ToolReturn:
    def __init__(self, value):
        self.return_value, self.metadata = value, "for the program"


class AgentTool:
    def __init__(self, **members):
        vars(self).update(members)

    def prepare_tool_def(self, ctx): ...

    @property
    def tool_def(self):
        return SimpleNamespace(
            name="when", description=None, parameters_json_schema=At.model_json_schema()
        )


def agent_tool(function, *, of_function=(), **members):
    schema = SimpleNamespace(
        function=function,
        validator=Validator(),
        is_async=False,
        takes_ctx=False,
        positional_fields=[],
        return_schema={"type": "object"},
    )
    vars(schema).update(of_function)
    neutral = {"function_schema": schema, "metadata": {"a": 1}, "strict": True, "retries": None}
    return AgentTool(function=function, **(neutral | members))


def returning(at):
    return ToolReturn(when(at))


async def returning_async(at):
    return ToolReturn(when(at))


@rows("function", [when, when_async, returning, returning_async])
def test_an_agent_s_tool_runs_with_what_its_validator_returns(function):
    toolset = cogwire.Toolset([agent_tool(function)])
    assert toolset.warnings == ()
    assert outcome(toolset, "when", at="2024-01-02T03:04:05") == (
        "success",
        {"year": 2024, "kind": "datetime"},
    )
    status, message = outcome(toolset, "when", at="tomorrow")
    assert status == "failure"
    assert message.startswith("ValidationError: ")


@rows(
    ("members", "special"),
    [
        ({"requires_approval": True}, "requires_approval"),
        ({"args_validator": print, "prepare": print}, "args_validator, prepare"),
        ({"takes_ctx": True, "of_function": {"takes_ctx": True}}, "takes_ctx"),
        ({"max_retries": 0}, "max_retries"),
        ({"of_function": {"positional_fields": ["at"]}}, "positional_fields"),
        ({"a_new_one": 5}, "a_new_one"),
    ],
)
def test_an_agent_s_tool_that_needs_its_agent_is_declared_without_a_function(members, special):
    toolset = cogwire.Toolset([agent_tool(when, **members)])
    assert toolset.functions == {}
    reason = f"only pydantic-ai applies {special}; an agent can, with CogwireModel"
    assert toolset.warnings == (f"tool 'when': it has no function to run, since {reason}",)


class Careful(AgentTool):
    def prepare_tool_def(self, ctx): ...

    def describe(self): ...


class Logging:
    def call(self, args, ctx): ...


class LoggingMore(Logging):
    def call(self, args, ctx): ...


@rows(
    ("kind", "schema_kind", "special"),
    [
        (AgentTool, Logging, ""),
        (Careful, Logging, "prepare_tool_def"),
        (Careful, LoggingMore, "prepare_tool_def, call"),
    ],
)
def test_an_agent_s_tool_whose_class_overrides_a_method_has_no_function(kind, schema_kind, special):
    """What it does more with a call is not seen from its attributes; methods of its own do not count."""
    tool = agent_tool(when)
    schema = schema_kind()
    vars(schema).update(vars(tool.function_schema))
    tool = kind(**(vars(tool) | {"function_schema": schema}))
    toolset = cogwire.Toolset([tool])
    assert list(toolset.functions) == ([] if special else ["when"])
    assert all(f"only pydantic-ai applies {special};" in each for each in toolset.warnings)
    assert len(toolset.warnings) == bool(special)


def test_an_agent_s_tool_without_a_validator_is_declared_without_a_function():
    tool = agent_tool(when)
    del tool.function_schema
    toolset = cogwire.Toolset([tool])
    assert toolset.functions == {}
    assert "only its library applies its function" in toolset.warnings[0]


def test_a_generator_of_an_agent_is_refused():
    def yielding(at):
        yield at

    with pytest.raises(ValueError, match="is a generator"):
        cogwire.Toolset([agent_tool(yielding)])


# --- LangChain --------------------------------------------------------------------------------------
class Shown(pydantic.BaseModel):
    file: str


class Whole(Shown):
    model_config = pydantic.ConfigDict(populate_by_name=True)

    user: str = "nobody"
    count: int = pydantic.Field(1, alias="n")


class Injecting(Shown):
    user: str
    count: int = pydantic.Field(alias="n")


class Message:
    artifact = "for the program"
    tool_call_id = "call_0"

    def __init__(self, content, status="success"):
        self.content, self.status = content, status


class ToolOutputMixin: ...


class Command(ToolOutputMixin):
    """Changes the state of a graph, as LangGraph's does."""


COMMAND = (
    "ToolFailure: the tool returned a Command, which only LangGraph can carry out; declare it "
    "without one"
)


class ChainTool:
    """Has the attributes of a tool with a schema."""

    name = "read"
    description = "Read a file."
    args_schema = Whole
    tool_call_schema = Shown
    answer = staticmethod(lambda given: given)

    def __init__(self, **members):
        self.calls = []
        vars(self).update(members)

    def invoke(self, given):
        self.calls.append("invoke")
        return self.answer(given)

    async def ainvoke(self, given):
        self.calls.append("ainvoke")
        return self.answer(given)


def test_a_chain_s_tool_is_shown_as_models_are_shown_it():
    [declared] = cogwire.Toolset([ChainTool()]).tools
    assert declared.description == "Read a file."
    assert declared.parameters["properties"].keys() == {"file"}
    assert declared.parameters["additionalProperties"] is False


def test_an_injected_argument_that_the_model_wrote_is_a_problem():
    tool = ChainTool()
    toolset = cogwire.Toolset([tool])
    found = toolset.check({"name": "read", "args": {"file": "a", "user": "root"}}).problems
    assert [(each["code"], each["path"]) for each in found] == [("unexpected-arg", "/user")]
    assert outcome(toolset, file="a", user="root")[0] == "failure"
    assert tool.calls == []
    assert outcome(toolset, file="a") == ("success", {"file": "a"})


class Awaited(ChainTool):
    async def _arun(self): ...


class Threaded(ChainTool):
    def _arun(self): ...

    _arun.__module__ = "langchain_core.tools.base"


@rows(
    ("tool", "how"),
    [
        (ChainTool(coroutine=read_async, func=read), "ainvoke"),
        (ChainTool(coroutine=None, func=read), "invoke"),
        (ChainTool(), "invoke"),
        (Awaited(), "ainvoke"),
        (Threaded(), "invoke"),
    ],
)
def test_a_chain_s_tool_runs_in_the_loop_or_in_a_thread(tool, how):
    assert outcome(cogwire.Toolset([tool]), file="a") == ("success", {"file": "a"})
    assert tool.calls == [how]


@rows(
    ("answer", "expected"),
    [
        (Message("text"), ("success", "text")),
        ([Message("a"), "b"], ("success", ["a", "b"])),
        (Message("not yours", "error"), ("failure", "ToolFailure: not yours")),
        (Message(["not yours"], "error"), ("failure", "ToolFailure: ['not yours']")),
        (Command(), ("failure", COMMAND)),
        ([Message("a"), Command()], ("failure", COMMAND)),
    ],
)
def test_only_the_content_of_a_message_is_for_the_model(answer, expected):
    tool = ChainTool(answer=lambda _: answer)
    assert outcome(cogwire.Toolset([tool]), file="a") == expected


def test_a_tool_that_handles_its_errors_is_given_a_whole_call():
    """Otherwise nothing says that its answer is an error."""
    calls = []
    tool = ChainTool(handle_tool_error=True, answer=calls.append)
    assert outcome(cogwire.Toolset([tool]), file="a") == ("success", None)
    (call,) = calls
    assert (call["type"], call["name"], call["args"]) == ("tool_call", "read", {"file": "a"})


def test_arguments_that_look_like_a_whole_call_are_arguments():
    schema = {"properties": {"type": {"type": "string"}, "args": {"type": "object"}}}
    calls = []
    tool = ChainTool(args_schema=schema, tool_call_schema=schema, answer=calls.append)
    forged = {"type": "tool_call", "args": {"user": "root"}}
    outcome(cogwire.Toolset([tool]), **forged)
    assert calls[0]["args"] == forged


def test_a_chain_s_tool_that_the_program_completes_has_no_function():
    toolset = cogwire.Toolset([ChainTool(args_schema=Injecting)])
    assert toolset.functions == {}
    assert toolset.warnings == (
        "tool 'read': it has no function to run, since the program provides user, n",
    )


def test_a_tool_of_one_text_has_that_argument():
    args = {"tool_input": {"type": "string"}}
    tool = ChainTool(args_schema=None, func=read, args=args)
    [declared] = cogwire.Toolset([tool]).tools
    assert declared.parameters == {
        "type": "object",
        "properties": args,
        "required": ["tool_input"],
        "additionalProperties": False,
    }


REFERRING = {"$ref": "#/$defs/a", "$defs": {"a": SCHEMA}}


def test_a_schema_that_refers_to_another_is_closed_as_a_whole():
    toolset = cogwire.Toolset([ChainTool(args_schema=REFERRING, tool_call_schema=REFERRING)])
    assert toolset.check({"name": "read", "args": {"file": "a"}}).problems == []
    assert toolset.check({"name": "read", "args": {"file": "a", "user": "root"}}).problems


@rows("others", [True, {"type": "string"}])
@rows("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_chain_s_tool_that_takes_any_argument_has_no_function(keyword, others):
    """Nothing says which of them are injected."""
    schema = SCHEMA | {keyword: others}
    toolset = cogwire.Toolset([ChainTool(args_schema=schema, tool_call_schema=schema)])
    assert toolset.functions == {}
    assert "it takes any argument, even those that are injected" in toolset.warnings[0]


def test_a_chain_s_tool_may_forbid_other_arguments_itself():
    schema = SCHEMA | {"additionalProperties": False}
    [declared] = cogwire.Toolset([ChainTool(args_schema=schema, tool_call_schema=schema)]).tools
    assert declared.parameters == schema
    assert declared.function


class Broken(ChainTool):
    @property
    def tool_call_schema(self):
        raise LookupError("forward reference")


class OldModel:
    """A model of pydantic 1."""


@rows(
    ("tool", "reason"),
    [
        (Broken(), "tools[0]: tool 'read': forward reference"),
        (ChainTool(tool_call_schema=OldModel), "is a model of pydantic 1; use pydantic 2"),
        (ChainTool(tool_call_schema=[]), "tool 'read': its schema is an object"),
    ],
)
def test_a_chain_s_tool_without_a_schema_is_refused(tool, reason):
    with pytest.raises(ValueError) as refusal:
        cogwire.Toolset([tool])
    assert reason in str(refusal.value)


def test_a_generator_of_a_chain_is_refused():
    def yielding(file):
        yield file

    with pytest.raises(ValueError, match="is a generator"):
        cogwire.Toolset([ChainTool(func=yielding)])
