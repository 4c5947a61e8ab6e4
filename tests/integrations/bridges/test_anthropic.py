"""What `anthropic` makes of what the bridge writes: by its types, and by its client."""

import json

import anthropic
import httpx2
import pytest
from anthropic.types import MessageParam, RawMessageStreamEvent, ToolParam

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import anthropic as bridge

from . import histories
from .forcing import judge, judge_model
from .histories import CUT_TURN, PLAIN_TURN, TOOLS, TURN, VOID_TURN, conversation, deltas


def test_the_judge_is_strict():
    with pytest.raises(ValueError, match="tool_use_id"):
        judge(MessageParam, [{"role": "user", "content": [{"type": "tool_result"}]}])


def test_the_types_accept_a_conversation():
    messages = bridge.to_messages(conversation())
    judge(MessageParam, messages)
    assert [message["role"] for message in messages] == ["user", "assistant"] * 3 + ["user"]
    assert [block["type"] for block in messages[2]["content"]] == ["tool_result"] * 2


def test_the_types_accept_tools():
    judge(ToolParam, bridge.tools(cogwire.Toolset(TOOLS)))


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_the_types_accept_every_history_and_it_survives_the_round_trip(dialect):
    def check(messages):
        judge(MessageParam, messages)
        assert_answered(messages)

    histories.comes_back(bridge, dialect, check)


def assert_answered(messages):
    """Roles alternate, and each call has its answer first in the message after it."""
    waiting = []
    for before, message in zip([None, *messages], messages, strict=False):
        assert before is None or before["role"] != message["role"]
        kinds = [block["type"] for block in message["content"]]
        answers = [
            block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"
        ]
        assert answers == waiting
        assert kinds[: len(answers)] == ["tool_result"] * len(answers)
        waiting = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
    assert not waiting or messages[-1]["role"] == "assistant"


# --- Streams -------------------------------------------------------------------------------------


def final(events):
    """Return the message that the SDK joins of a stream."""
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    answer = httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    transport = httpx2.MockTransport(lambda _request: answer)
    client = anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=transport))
    with client.messages.stream(model="a", max_tokens=1, messages=[]) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("call_deltas", [False, True])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_sdk_joins_a_turn(size, call_deltas):
    events = list(bridge.chunks(deltas(TURN, size, call_deltas=call_deltas), calls_before=4))
    judge_model(RawMessageStreamEvent, events)
    message = final(events)
    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    thinking, text, read, ls = message.content
    assert (thinking.thinking, text.text) == ("The port is in the config.", "One moment.")
    assert (read.id, read.name, ls.id, ls.name) == ("call_4", "read", "call_5", "ls")
    assert read.input == {"file": "config.json", "lines": [1, 2.5], "more": {"é": None}}
    assert ls.input == {}


@pytest.mark.parametrize("turn", [VOID_TURN, CUT_TURN])
@pytest.mark.parametrize("call_deltas", [False, True])
def test_a_client_raises_for_a_void_block(turn, call_deltas):
    events = list(bridge.chunks(deltas(turn, call_deltas=call_deltas)))
    with pytest.raises(anthropic.APIStatusError) as raised:
        final(events)
    assert ("not-object" if turn is VOID_TURN else "unclosed-execute") in str(raised.value)
    if not call_deltas:
        assert "tool_use" not in str(events)


def test_the_cost_of_a_turn_is_last():
    usage = {"type": "metric", "total": {"input": 7, "output": 5}}
    message = final(bridge.chunks([*deltas(PLAIN_TURN), usage], think=False))
    assert message.stop_reason == "end_turn"
    assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 5)
    assert [block.type for block in message.content] == ["text"]


def test_a_turn_without_anything():
    message = final(bridge.chunks([]))
    assert (message.content, message.stop_reason) == ([], "end_turn")


def test_the_messages_of_the_sdk_are_read():
    message = final(bridge.chunks(deltas(TURN)))
    for given_back in (message, message.to_param()):
        report = []
        events = bridge.from_messages([given_back], report=report)
        assert report == []
        assert events == cogwire.parse(TURN, clock=None)
