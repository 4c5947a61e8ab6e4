"""Laws of every bridge to a package: what is stored in its types comes back, and can be sent."""

import asyncio
import json

import pytest
from ag_ui.core import Message
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)
from pydantic import TypeAdapter
from pydantic_ai import UserError
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import ag_ui, langchain, mcp, pydantic_ai
from tests.kit.bridges.histories import (
    CHATS,
    HALVES,
    comes_back,
    conversation,
    keeps_every_text,
    replaces_half,
    summary,
)
from tests.kit.bridges.test_messages import reads
from tests.rows import rows

from .forcing import no_extras

MESSAGES = TypeAdapter(list[Message])


class Silent(BaseChatModel):
    """A chat model of LangChain that must not be asked."""

    _llm_type = "silent"

    def _generate(self, *_, **__):
        raise AssertionError


def stored_by_ag_ui(messages):
    read = MESSAGES.validate_json(MESSAGES.dump_json(messages, by_alias=True))
    assert read == messages
    no_extras(read)
    return read


def stored_by_langchain(messages):
    read = messages_from_dict(json.loads(json.dumps(messages_to_dict(messages))))
    assert read == messages
    return read


def stored_by_pydantic_ai(messages):
    return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))


BRIDGES = {
    "ag_ui": (ag_ui, stored_by_ag_ui),
    "langchain": (langchain, stored_by_langchain),
    "pydantic_ai": (pydantic_ai, stored_by_pydantic_ai),
}


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
@pytest.mark.parametrize("name", BRIDGES)
def test_every_history_survives_the_round_trip(name, dialect):
    bridge, stored = BRIDGES[name]
    comes_back(bridge, dialect, stored=stored)


READ = {
    "langchain": messages_from_dict,
    "pydantic_ai": ModelMessagesTypeAdapter.validate_python,
    "ag_ui": lambda given: MESSAGES.validate_python([{"id": "m", **each} for each in given]),
}


@pytest.mark.parametrize("name", BRIDGES)
def test_every_text_of_a_chat_is_in_an_event_or_reported(name):
    keeps_every_text(BRIDGES[name][0], name, READ[name])


@rows("row", [row for row in CHATS["read"] if row["api"] in BRIDGES])
def test_messages_of_a_package_are_read(row):
    messages = READ[row["api"]](row["messages"])
    bridge, _ = BRIDGES[row["api"]]
    reads({**row, "messages": messages}, row.get("strict", True), bridge)


@pytest.mark.parametrize("name", BRIDGES)
def test_a_conversation_survives_the_round_trip(name):
    """Except for its system prompt, and its void block, which becomes a text of the user."""
    bridge, stored = BRIDGES[name]
    prompt = {} if bridge is ag_ui else {"system": "Be brief."}
    messages = bridge.to_messages(conversation(), report=(report := []), **prompt)
    back = bridge.from_messages(stored(messages), report=(lost := []))
    assert [entry["code"] for entry in report] == ["void", "void"]
    assert [(entry["index"], entry["code"]) for entry in lost] == [(0, "dropped")] * len(prompt)
    expected = summary(conversation())
    at = expected.index(("respond", "On it.")) + 1
    (void,) = (turn["void"] for turn in cogwire.exchanges(conversation()) if turn["void"])
    void = f"None of the calls in your last message has run: send all of them again. {void}"
    assert summary(back) == [*expected[:at], ("user", void), *expected[at:]]


@pytest.mark.parametrize("name", BRIDGES)
@pytest.mark.parametrize(("status", "content", "value"), HALVES)
def test_half_a_character_in_a_result_is_replaced(name, status, content, value):
    replaces_half(BRIDGES[name][0], status, content, value)


@pytest.mark.parametrize(
    "make", [langchain.tools, pydantic_ai.tools, lambda tools: mcp.server("tools", tools)]
)
def test_a_tool_without_a_function_is_refused(make):
    with pytest.raises(ValueError, match="tool 'ls' has no function to run"):
        make(cogwire.Toolset([{"name": "ls"}]))


def read_by_langchain(args, result, outcome, **options):
    call = {"name": "execute", "args": args, "id": "a"}
    status = "error" if outcome == "failed" else outcome
    messages = [
        AIMessage("", tool_calls=[call]),
        ToolMessage(result, tool_call_id="a", status=status),
    ]
    return langchain.from_messages(messages, **options)


def read_by_pydantic_ai(args, result, outcome, **options):
    call = ToolCallPart("execute", json.dumps(args), "a")
    returned = ToolReturnPart("execute", result, "a", outcome=outcome)
    messages = [ModelResponse([call]), ModelRequest([returned])]
    return pydantic_ai.from_messages(messages, **options)


READERS = [read_by_langchain, read_by_pydantic_ai]


@pytest.mark.parametrize("read", READERS)
def test_a_void_block_is_read(read):
    """An agent has the answer of a void block as a failed call of `execute`."""
    (event,) = read({"error": "At /1: wrong"}, "No such tool.", "failed")
    (item,) = json.loads(event["content"])
    assert item == {"tool": "execute", "status": "failure", "content": "At /1: wrong"}


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("args", "outcome", "index"),
    [
        ({"command": "ls"}, "success", 0),
        ({"command": "ls"}, "failed", 0),
        ({}, "failed", 0),
        ({"error": 1}, "failed", 0),
        ({"error": "a", "command": "ls"}, "failed", 0),
        ({"error": "a"}, "success", 1),
    ],
)
def test_a_tool_named_execute_is_no_void_block(read, args, outcome, index):
    """A provider's own tool may be called that: its call is refused as any other bridge does."""
    with pytest.raises(ValueError, match=rf"^message {index}: .*execute"):
        read(args, "a.txt", outcome)
    report = []
    read(args, "a.txt", outcome, strict=False, report=report)
    assert (report[0]["index"], report[0]["code"]) == (index, "skipped")


def said_by_langchain(ended):
    call = {"name": "rm", "args": {}, "id": "a"}
    said = AIMessage("", tool_calls=[call], response_metadata=ended)
    return langchain.from_messages, said, ToolMessage("ok", tool_call_id="a")


def said_by_pydantic_ai(ended):
    said = ModelResponse([ToolCallPart("rm", "{}", "a")], **ended)
    return pydantic_ai.from_messages, said, ModelRequest([ToolReturnPart("rm", "ok", "a")])


@pytest.mark.parametrize(
    ("said", "member", "reasons", "last"),
    [
        (said_by_langchain, "finish_reason", ("tool_calls", "", None), "execute"),
        (said_by_langchain, "stop_reason", ("max_tokens",), "error"),
        (said_by_pydantic_ai, "finish_reason", ("tool_call", None), "execute"),
        (said_by_pydantic_ai, "finish_reason", ("length",), "error"),
        (said_by_pydantic_ai, "state", ("incomplete", "interrupted"), "error"),
    ],
)
def test_calls_of_a_turn_that_was_cut_do_not_run(said, member, reasons, last):
    """Who continues the history opens its batch.  A result shows that they have run."""
    for reason in reasons:
        read, call, result = said({member: reason})
        assert [event["type"] for event in read([call])] == ["call", last]
        assert [event["type"] for event in read([call, result])] == ["call", "execute", "result"]


def asked_by_langchain(name, args, answered):
    messages = [
        HumanMessage("Pay."),
        AIMessage("Soon.", tool_calls=[{"name": name, "args": args, "id": "a"}]),
        ToolMessage("paid 5 euro", tool_call_id=answered),
    ]
    langchain.CogwireChatModel(wrapped=Silent(), dialect="xml-elements").invoke(messages)


def asked_by_pydantic_ai(name, args, answered):
    messages = [
        ModelRequest([UserPromptPart("Pay.")]),
        ModelResponse([TextPart("Soon."), ToolCallPart(name, json.dumps(args), "a")]),
        ModelRequest([ToolReturnPart(name, "paid 5 euro", answered)]),
    ]
    model = pydantic_ai.CogwireModel(FunctionModel(lambda *_: ModelResponse([])), "xml-elements")
    asyncio.run(model.request(messages, None, ModelRequestParameters()))


@pytest.mark.parametrize("ask", [asked_by_langchain, asked_by_pydantic_ai])
@pytest.mark.parametrize(
    ("name", "args", "answered", "message"),
    [
        ("pay", {"x": [float("nan")]}, "a", "1: the call of 'pay' is invalid. At /args/x/0:"),
        ("execute", {"x": 1}, "a", "1: the call of 'execute' is invalid. At /name:"),
        ("pay", {"my sum": 5}, "a", "1 cannot be sent whole: .* /args/my sum: "),
        ("pay", {"x": 5}, "b", "2 cannot be sent whole: a result that answers no call"),
    ],
)
def test_no_call_or_result_is_kept_from_the_wrapped_model(ask, name, args, answered, message):
    """It would pay again: it reads neither that it paid nor that something is missing."""
    with pytest.raises((ValueError, UserError), match=f"^message {message}"):
        ask(name, args, answered)


@pytest.mark.parametrize("dialect", ["no-such", ""])
def test_a_dialect_that_does_not_exist_is_refused_at_once(dialect):
    with pytest.raises(ValueError, match="unknown dialect"):
        langchain.CogwireChatModel(wrapped=Silent(), dialect=dialect)
    with pytest.raises(ValueError, match="unknown dialect"):
        pydantic_ai.CogwireModel(FunctionModel(lambda *_: ModelResponse([])), dialect)
