"""Results with half a character in them, which no request can contain."""

import json

import pytest

import cogwire
from cogwire_kit.bridges import anthropic, openai, sharegpt
from tests.rows import rows

LS = {"type": "call", "content": '{"name": "ls", "args": {}}'}


@pytest.mark.parametrize("bridge", [openai, anthropic, sharegpt])
@rows(
    "content, value",
    [
        (r'"a \udce9"', "a \ufffd"),
        (r'"\ud83d\ude00 \uDE00\uD83D \\ud800"', "\U0001f600 \ufffd\ufffd \\ud800"),
        ('"\ud800"', "\ufffd"),
        (r'{"a": ["\uD800"]}', {"a": ["\ufffd"]}),
    ],
)
@pytest.mark.parametrize("status", ["success", "failure"])
def test_half_a_character_in_a_result_is_replaced(status, content, value, bridge):
    """JSON has it as an escape; a request that contained it could not be sent."""
    if status == "failure" and not isinstance(value, str):
        return
    result = f'[{{"tool": "ls", "status": "{status}", "content": {content}}}]'
    report = []
    messages = bridge.to_messages([LS, {"type": "result", "content": result}], report=report)
    assert [(entry["index"], entry["code"]) for entry in report] == [(0, "neutralised")]
    json.dumps(messages, ensure_ascii=False).encode()
    (turn,) = cogwire.exchanges(bridge.from_messages(messages))
    (call,) = turn["calls"]
    assert (call["status"], json.loads(call["content"])) == (status, value)


@rows("status", ["success", "failure"])
def test_half_a_character_that_an_older_version_stored_keeps_the_outcome(status):
    text = f'{{"status": "{status}", "content": "r\\udce9"}}'
    call = {"id": "a", "function": {"name": "ls", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": text},
    ]
    (turn,) = cogwire.exchanges(openai.from_messages(messages))
    (call,) = turn["calls"]
    assert (call["status"], json.loads(call["content"])) == (status, "r\ufffd")
