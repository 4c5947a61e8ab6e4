"""What `openai` and `anthropic` make of what the bridges write: by their types, and by their clients."""

import json
from collections.abc import Callable
from importlib.metadata import version
from types import ModuleType
from typing import Any, NamedTuple

import anthropic
import httpx2
import openai
import pytest
from anthropic.types import MessageParam, RawMessageStreamEvent, ToolParam
from conformance.clients import readers
from hypothesis import given
from openai.types.chat import (
    ChatCompletionChunk,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageParam,
)
from openai.types.responses import ResponseStreamEvent

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import anthropic as anthropic_bridge
from cogwire_kit.bridges import openai as openai_bridge
from cogwire_kit.bridges import responses, sharegpt
from tests.kit.bridges.histories import (
    CUT_TURN,
    PLAIN_TURN,
    TOOLS,
    TURN,
    VOID_TURN,
    conversation,
    deltas,
    is_the_turn,
    summary,
)

from .forcing import judge, judge_model

# --- Their clients ----------------------------------------------------------------------------


def client_of(sdk, events):
    """Return a client whose server sends these events."""
    names = (f"event: {each['type']}\n" if "type" in each else "" for each in events)
    lines = (
        f"{name}data: {json.dumps(each)}\n\n" for name, each in zip(names, events, strict=True)
    )
    body = "".join(lines) + ("" if sdk is anthropic.Anthropic else "data: [DONE]\n\n")
    answer = httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    transport = httpx2.MockTransport(lambda _request: answer)
    return sdk(api_key="none", http_client=httpx2.Client(transport=transport))


def completion(chunks):
    """Return the completion that the SDK joins of chunks."""
    client = client_of(openai.OpenAI, list(chunks))
    with client.chat.completions.stream(model="a", messages=[]) as stream:
        return stream.get_final_completion()


def message(events):
    """Return the message that the SDK joins of a stream."""
    client = client_of(anthropic.Anthropic, list(events))
    with client.messages.stream(model="a", max_tokens=1, messages=[]) as stream:
        return stream.get_final_message()


def response(events):
    """Return the response that the SDK has at the end of a stream."""
    client = client_of(openai.OpenAI, list(events))
    with client.responses.stream(model="a", input="b") as stream:
        return stream.get_final_response()


def is_completion_of_the_turn(found):
    (choice,) = found.choices
    is_the_turn(choice, first=4)


READ = '{"file": "config.json", "lines": [1, 2.5], "more": {"é": null}}'


def is_message_of_the_turn(found):
    assert found.stop_reason == "tool_use"
    assert [block.type for block in found.content] == ["thinking", "text", "tool_use", "tool_use"]
    thinking, text, *calls = found.content
    assert (thinking.thinking, text.text) == ("The port is in the config.", "One moment.")
    assert [(call.id, call.name, call.input) for call in calls] == [
        ("call_4", "read", json.loads(READ)),
        ("call_5", "ls", {}),
    ]


def is_response_of_the_turn(found):
    thought, prose, *calls = found.output
    texts = (thought.content[0].text, prose.content[0].text)
    assert texts == ("The port is in the config.", "One moment.")
    assert [(call.call_id, call.name, call.arguments) for call in calls] == [
        ("call_4", "read", READ),
        ("call_5", "ls", "{}"),
    ]


class Api(NamedTuple):
    """A bridge, the types of what it writes, and what the SDK makes of its streams."""

    bridge: ModuleType
    event: Any
    final: Callable[..., Any]
    is_the_turn: Callable[..., None]
    error: type[Exception]
    #: What a call is called in a stream.
    call: str
    message: Any = None
    tool: Any = None


APIS = {
    "openai": Api(
        *(openai_bridge, ChatCompletionChunk, completion, is_completion_of_the_turn),
        *(openai.APIError, "tool_calls"),
        *(ChatCompletionMessageParam, ChatCompletionFunctionToolParam),
    ),
    "anthropic": Api(
        *(anthropic_bridge, RawMessageStreamEvent, message, is_message_of_the_turn),
        *(anthropic.APIStatusError, "tool_use", MessageParam, ToolParam),
    ),
    "responses": Api(
        *(responses, ResponseStreamEvent, response, is_response_of_the_turn),
        *(openai.APIError, "function_call"),
    ),
}
every_api = pytest.mark.parametrize("api", APIS.values(), ids=APIS)
every_chat_api = pytest.mark.parametrize("api", list(APIS.values())[:2], ids=list(APIS)[:2])


# --- Their types ------------------------------------------------------------------------------


def test_the_judge_is_strict():
    """A dict for arguments is accepted, and members are left out, by those who do not force it."""
    call = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": {}}}
    with pytest.raises(ValueError, match="arguments"):
        judge(ChatCompletionMessageParam, [{"role": "assistant", "tool_calls": [call]}])
    with pytest.raises(AssertionError):
        judge(ChatCompletionMessageParam, [{"role": "user", "content": "a", "more": 1}])
    with pytest.raises(ValueError, match="tool_use_id"):
        judge(MessageParam, [{"role": "user", "content": [{"type": "tool_result"}]}])


def test_the_roles_of_a_conversation():
    messages = openai_bridge.to_messages(conversation(), system="Be brief.")
    judge(ChatCompletionMessageParam, messages)
    assert [message["role"] for message in messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    messages = anthropic_bridge.to_messages(conversation())
    assert [message["role"] for message in messages] == ["user", "assistant"] * 3 + ["user"]
    assert [block["type"] for block in messages[2]["content"]] == ["tool_result"] * 2


@every_chat_api
def test_the_types_accept_tools(api):
    judge(api.tool, api.bridge.tools(cogwire.Toolset(TOOLS)))


@every_chat_api
@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_the_types_accept_every_history(dialect, api):
    """It comes back: see `tests/kit/bridges/test_round_trips.py`."""

    @given(strategies.histories(dialect))
    def holds(events):
        messages = api.bridge.to_messages(events, dialect)
        judge(api.message, messages)
        answered = messages_are_answered if api.bridge is openai_bridge else blocks_are_answered
        assert not answered(messages) or messages[-1]["role"] == "assistant"

    holds()


def messages_are_answered(messages):
    """Each call has one answer, directly after it, as the API demands; return the open ones."""
    waiting = []
    for each in messages:
        if each["role"] == "tool":
            waiting.remove(each["tool_call_id"])
        else:
            assert not waiting
            waiting = [call["id"] for call in each.get("tool_calls", ())]
    return waiting


def blocks_are_answered(messages):
    """Roles alternate, and each call has its answer first in the message after it."""
    waiting = []
    for before, each in zip([None, *messages], messages, strict=False):
        assert before is None or before["role"] != each["role"]
        answers = [block for block in each["content"] if block["type"] == "tool_result"]
        assert [block["tool_use_id"] for block in answers] == waiting
        assert each["content"][: len(answers)] == answers
        waiting = [block["id"] for block in each["content"] if block["type"] == "tool_use"]
    return waiting


# --- Streams ----------------------------------------------------------------------------------


@every_api
@pytest.mark.parametrize(
    "options", [{}, {"call_deltas": False}, {"call_deltas": False, "calls": "sealed"}]
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_sdk_joins_a_turn(size, options, api):
    events = list(api.bridge.chunks(deltas(TURN, size, **options), calls_before=4))
    judge_model(api.event, [without_reasoning(event) for event in events])
    numbers = [event["sequence_number"] for event in events if "sequence_number" in event]
    assert numbers == list(range(len(events) if api.bridge is responses else 0))
    api.is_the_turn(api.final(events))


def without_reasoning(chunk):
    """Return a chunk as OpenAI itself has it; other servers have more."""
    if "choices" not in chunk:
        return chunk
    (choice,) = chunk["choices"]
    delta = {name: value for name, value in choice["delta"].items() if name != "reasoning_content"}
    return {**chunk, "choices": [{**choice, "delta": delta}]}


@every_api
@pytest.mark.parametrize("turn", [VOID_TURN, CUT_TURN])
@pytest.mark.parametrize("call_deltas", [False, True])
def test_a_client_raises_for_a_void_block(turn, call_deltas, api):
    """Whatever it was shown of the calls, it does not get a completion that has them."""
    events = list(api.bridge.chunks(deltas(turn, call_deltas=call_deltas)))
    with pytest.raises(api.error) as raised:
        api.final(events)
    assert ("not-object" if turn is VOID_TURN else "unclosed-execute") in str(raised.value.body)
    if api.bridge is responses:
        assert events[-2]["response"]["status"] == "failed"
        judge_model(api.event, [{name: events[-1][name] for name in events[-1] if name != "error"}])
    assert "'finish_reason': '" not in str(events)
    assert call_deltas or api.call not in str(events)


@every_chat_api
def test_the_messages_of_an_sdk_are_read(api):
    """The object of a reply, as people put it back into their list of messages."""
    found = api.final(api.bridge.chunks(deltas(TURN)))
    is_openai = api.bridge is openai_bridge
    for given_back in [found.choices[0].message] if is_openai else [found, found.to_param()]:
        report = []
        assert api.bridge.from_messages([given_back], report=report) == cogwire.parse(
            TURN, clock=None
        )
        assert report == []


def test_the_choices_of_a_request_are_joined_by_their_index():
    turns = [openai_bridge.chunks(deltas(TURN), index=index, calls_before=4) for index in (0, 1)]
    together = [chunk for both in zip(*turns, strict=True) for chunk in both]
    choices = completion(together).choices
    assert [choice.index for choice in choices] == [0, 1]
    for choice in choices:
        is_the_turn(choice, first=4)


def test_no_item_of_a_response_has_the_id_of_another_one():
    """Clients keep the items of all responses of a conversation, and send them back."""
    turns = [responses.chunks(deltas(TURN), id=f"resp_{number}") for number in (1, 2)]
    ids = [item.id for turn in turns for item in response(turn).output]
    assert ids[::4] == ["rs_1_0", "rs_2_0"]
    assert len(set(ids)) == 8


def test_arguments_are_streamed_while_they_are_written():
    """No later than with the last character of each."""
    writer = openai_bridge.Chunks()
    parser = cogwire.Parser(stream="token", call_deltas=True, clock=None)
    shown = ""
    for at, character in enumerate(TURN):
        for event in parser.feed(character):
            for chunk in writer.take(event):
                for call in chunk["choices"][0]["delta"].get("tool_calls", ()):
                    shown += call["function"]["arguments"]
        if TURN[: at + 1].endswith("config.json"):
            assert shown == '{"file": "config.json'


@pytest.mark.parametrize("ending", ["interrupt", "cancelled"])
def test_a_turn_that_breaks_off(ending):
    events = cogwire.iter_events(iter(["It is"]), cogwire.Parser(stream="token", clock=None))
    chunks = list(openai_bridge.chunks([*events, {"type": ending}]))
    if ending == "interrupt":
        with pytest.raises(openai.APIError):
            completion(chunks)
    else:
        assert completion(chunks).choices[0].finish_reason == "stop"


USAGE = {"type": "metric", "step": {"input": 7, "output": 5}, "total": {"input": 9, "output": 9}}


def test_the_cost_of_a_turn_is_last():
    chunks = list(openai_bridge.chunks([*deltas(PLAIN_TURN), USAGE], think=False))
    judge_model(ChatCompletionChunk, chunks)
    assert "Easy" not in str(chunks)
    done = completion(chunks)
    assert done.usage.total_tokens == 12
    assert done.choices[0].message.content == "It is 8080."
    usage = {name: USAGE[name] for name in ("type", "total")}
    found = message(anthropic_bridge.chunks([*deltas(PLAIN_TURN), usage], think=False))
    assert found.stop_reason == "end_turn"
    assert (found.usage.input_tokens, found.usage.output_tokens) == (9, 9)
    assert [block.type for block in found.content] == ["text"]


def test_a_turn_without_anything():
    found = message(anthropic_bridge.chunks([]))
    assert (found.content, found.stop_reason) == ([], "end_turn")


# --- From ShareGPT's conversations, and back -----------------------------------------------------


@every_chat_api
def test_a_conversation_survives_the_round_trip_through_an_sdk(api):
    """Every history does through each of the two: see `tests/kit/bridges/test_round_trips.py`."""
    written = sharegpt.to_messages(conversation())
    events = sharegpt.from_messages(written)
    # The types of OpenAI have no reasoning.
    judge(api.message, api.bridge.to_messages(events))
    messages = api.bridge.to_messages(events, think=True)
    assert summary(api.bridge.from_messages(messages)) == summary(events)
    assert sharegpt.to_messages(api.bridge.from_messages(messages)) == written


# --- The streams of `conformance/clients` -------------------------------------------------------

RESULTS = json.loads((readers.HERE / "results.json").read_text("utf-8"))
#: The client, its package, and the API whose streams it reads.
CLIENTS = [
    ("openai", "openai", "openai"),
    ("langchain", "langchain-core", "openai"),
    ("pydantic_ai", "pydantic-ai-slim", "openai"),
    ("anthropic", "anthropic", "anthropic"),
]


@pytest.mark.parametrize(("client", "package", "api"), CLIENTS)
def test_a_client_makes_of_every_stream_what_is_stored(client, package, api):
    found = readers.differences(getattr(readers, client), api)
    assert RESULTS[client] == {"version": version(package), "differs": found}
