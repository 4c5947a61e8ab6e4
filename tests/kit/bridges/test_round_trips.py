"""Laws for every bridge to plain messages: what is not reported is kept, and can be sent."""

import json

import pytest

import cogwire
from cogwire_kit import strategies as make
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt
from tests.rows import rows

from .histories import HALVES, comes_back, keeps_every_text, replaces_half

BRIDGES = {
    "openai": (openai, {"think": True}),
    "anthropic": (anthropic, {"think": True}),
    "responses": (responses, {"think": True}),
    "sharegpt": (sharegpt, {}),
}


@pytest.mark.parametrize("dialect", make.DIALECTS)
@pytest.mark.parametrize("name", BRIDGES)
def test_every_history_survives_the_round_trip(name, dialect):
    bridge, options = BRIDGES[name]
    comes_back(bridge, dialect, **options)


@pytest.mark.parametrize("name", BRIDGES)
def test_every_text_of_a_chat_is_in_an_event_or_reported(name):
    keeps_every_text(BRIDGES[name][0], name)


@pytest.mark.parametrize("name", BRIDGES)
@rows("status, content, value", HALVES)
def test_half_a_character_in_a_result_is_replaced(status, content, value, name):
    messages = replaces_half(BRIDGES[name][0], status, content, value)
    json.dumps(messages, ensure_ascii=False).encode()


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
