"""What `openai` makes of what the bridge writes: by its types, and by its client."""

import json

import httpx2
import openai
import pytest
from openai.types.chat import (
    ChatCompletionChunk,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageParam,
)
from openai.types.responses import ResponseStreamEvent

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import openai as bridge
from cogwire_kit.bridges import responses

from . import histories
from .forcing import judge, judge_model
from .histories import CUT_TURN, PLAIN_TURN, TOOLS, TURN, VOID_TURN, conversation, deltas


def test_the_judge_is_strict():
    """A dict for arguments is accepted, and members are left out, by those who do not force it."""
    call = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": {}}}
    message = {"role": "assistant", "tool_calls": [call]}
    with pytest.raises(ValueError, match="arguments"):
        judge(ChatCompletionMessageParam, [message])
    with pytest.raises(AssertionError):
        judge(ChatCompletionMessageParam, [{"role": "user", "content": "a", "more": 1}])


def test_the_types_accept_a_conversation():
    messages = bridge.to_messages(conversation(), system="Be brief.")
    judge(ChatCompletionMessageParam, messages)
    assert [message["role"] for message in messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "user",
    ]  # fmt: skip


def test_the_types_accept_tools():
    judge(ChatCompletionFunctionToolParam, bridge.tools(cogwire.Toolset(TOOLS)))


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_the_types_accept_every_history_and_it_survives_the_round_trip(dialect):
    def check(messages):
        judge(ChatCompletionMessageParam, messages)
        assert_answered(messages)

    histories.comes_back(bridge, dialect, check)


def assert_answered(messages):
    """Each call has one answer, directly after it, as the API demands; the last ones may be open."""
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting or messages[-1]["role"] == "assistant"


# --- Streams -------------------------------------------------------------------------------------


def client(chunks, body=""):
    """Return a client whose server sends these chunks after `body`."""
    body += "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    answer = httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    transport = httpx2.MockTransport(lambda _request: answer)
    return openai.OpenAI(api_key="none", http_client=httpx2.Client(transport=transport))


def completion(chunks):
    """Return the completion that the SDK joins of chunks."""
    with client(chunks).chat.completions.stream(model="a", messages=[]) as stream:
        return stream.get_final_completion()


@pytest.mark.parametrize("options", [{}, {"call_deltas": False}, {"calls": "sealed"}])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_sdk_joins_a_turn(size, options):
    if options.get("calls") == "sealed":
        options = {**options, "call_deltas": False}
    chunks = list(bridge.chunks(deltas(TURN, size, **options), model="a", calls_before=4))
    judge_model(ChatCompletionChunk, [without_reasoning(chunk) for chunk in chunks])
    (choice,) = completion(chunks).choices
    histories.is_the_turn(choice, first=4)


def without_reasoning(chunk):
    """Return a chunk as OpenAI itself has it; other servers have more."""
    (choice,) = chunk["choices"]
    delta = {name: value for name, value in choice["delta"].items() if name != "reasoning_content"}
    return {**chunk, "choices": [{**choice, "delta": delta}]}


def test_arguments_are_streamed_while_they_are_written():
    """No later than with the last character of each."""
    writer, parser = bridge.Chunks(), cogwire.Parser(stream="token", call_deltas=True, clock=None)
    shown = ""
    for at, character in enumerate(TURN):
        for event in parser.feed(character):
            for chunk in writer.take(event):
                for call in chunk["choices"][0]["delta"].get("tool_calls", ()):
                    shown += call["function"]["arguments"]
        if TURN[: at + 1].endswith("config.json"):
            assert shown == '{"file": "config.json'


@pytest.mark.parametrize("turn", [VOID_TURN, CUT_TURN])
@pytest.mark.parametrize("call_deltas", [False, True])
def test_a_client_raises_for_a_void_block(turn, call_deltas):
    """Whatever it was shown of the calls, it does not get a completion that has them."""
    chunks = list(bridge.chunks(deltas(turn, call_deltas=call_deltas)))
    with pytest.raises(openai.APIError) as raised:
        completion(chunks)
    code = "not-object" if turn is VOID_TURN else "unclosed-execute"
    assert raised.value.body["code"] == code
    assert not any(
        choice["finish_reason"] for chunk in chunks for choice in chunk.get("choices", ())
    )
    if not call_deltas:
        assert "tool_calls" not in str(chunks)


@pytest.mark.parametrize("ending", ["interrupt", "cancelled"])
def test_a_turn_that_breaks_off(ending):
    events = cogwire.iter_events(iter(["It is"]), cogwire.Parser(stream="token", clock=None))
    chunks = list(bridge.chunks([*events, {"type": ending}]))
    if ending == "interrupt":
        with pytest.raises(openai.APIError):
            completion(chunks)
    else:
        assert completion(chunks).choices[0].finish_reason == "stop"


def test_the_cost_of_a_turn_is_the_last_chunk():
    usage = {
        "type": "metric",
        "step": {"input": 7, "output": 5},
        "total": {"input": 9, "output": 9},
    }
    chunks = list(bridge.chunks([*deltas(PLAIN_TURN), usage], think=False))
    judge_model(ChatCompletionChunk, chunks)
    assert "Easy" not in str(chunks)
    done = completion(chunks)
    assert done.usage.total_tokens == 12
    assert done.choices[0].message.content == "It is 8080."


def test_segments_of_one_kind_keep_apart():
    chunks = list(bridge.chunks(deltas("a<think>b</think>c<think>d</think>")))
    message = completion(chunks).choices[0].message
    assert (message.content, message.reasoning_content) == ("a\n\nc", "b\n\nd")


def test_the_messages_of_the_sdk_are_read():
    """The object of a reply, as people put it back into their list of messages."""
    (choice,) = completion(bridge.chunks(deltas(TURN))).choices
    report = []
    events = bridge.from_messages(
        [{"role": "user", "content": "Which port?"}, choice.message], report=report
    )
    assert report == []
    assert [event["type"] for event in events] == [
        "user", "think", "respond", "call", "call", "execute",
    ]  # fmt: skip
    assert events[1:] == cogwire.parse(TURN, clock=None)


# --- The Responses API ---------------------------------------------------------------------------


def response(events):
    """Return the response that the SDK has at the end of a stream."""
    body = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    with client([], body).responses.stream(model="a", input="b") as stream:
        return stream.get_final_response()


@pytest.mark.parametrize("call_deltas", [False, True])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_sdk_joins_a_response(size, call_deltas):
    events = list(responses.chunks(deltas(TURN, size, call_deltas=call_deltas), calls_before=4))
    judge_model(ResponseStreamEvent, events)
    found = response(events)
    thought, prose, *calls = found.output
    assert (thought.content[0].text, prose.content[0].text) == (
        "The port is in the config.",
        "One moment.",
    )
    read = '{"file": "config.json", "lines": [1, 2.5], "more": {"é": null}}'
    assert [(call.call_id, call.name, call.arguments) for call in calls] == [
        ("call_4", "read", read),
        ("call_5", "ls", "{}"),
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


@pytest.mark.parametrize("turn", [VOID_TURN, CUT_TURN])
@pytest.mark.parametrize("call_deltas", [False, True])
def test_a_client_raises_for_a_response_with_a_void_block(turn, call_deltas):
    events = list(responses.chunks(deltas(turn, call_deltas=call_deltas)))
    with pytest.raises(openai.APIError) as raised:
        response(events)
    code = "not-object" if turn is VOID_TURN else "unclosed-execute"
    assert raised.value.body["code"] == code
    assert events[-2]["response"]["status"] == "failed"
