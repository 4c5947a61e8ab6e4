"""What LiteLLM makes of OpenAI's messages, chunks and streams: it converts them by code of its own.

It is a set of its own since it demands an older version of `openai` than the bridges are tested with.
"""

import copy
import json
import os
from importlib.metadata import version

import pytest
from hypothesis import given
from pydantic import TypeAdapter

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch one when it is imported
import litellm
from conformance.clients import readers
from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt
from litellm.types.llms.openai import AllMessageValues
from litellm.types.utils import ModelResponseStream

from cogwire_kit import strategies
from cogwire_kit.bridges import anthropic, openai
from tests.kit.bridges.histories import TURN, conversation, deltas, is_the_turn

#: What it warns of is its own: types, and models that it has no price of.
pytestmark = pytest.mark.filterwarnings("ignore")

TYPES = TypeAdapter(list[AllMessageValues])


def converted(messages):
    """Return what LiteLLM makes of OpenAI's messages for Anthropic's API."""
    TYPES.validate_python(copy.deepcopy(messages))
    return anthropic_messages_pt(copy.deepcopy(messages), model="claude", llm_provider="anthropic")


def comparable(messages):
    """Return Anthropic's messages with each failure in its text, as OpenAI's messages have it.

    And without white space after prose: LiteLLM leaves out that of the last message alone.
    """
    messages = copy.deepcopy(messages)
    for message in messages:
        for block in message["content"]:
            if message["role"] == "assistant" and block["type"] == "text":
                block["text"] = block["text"].rstrip()
            if block.pop("is_error", False):
                text = json.dumps(block["content"], ensure_ascii=False)
                block["content"] = f'{{"status": "failure", "content": {text}}}'
    return messages


def test_it_converts_a_conversation_to_what_the_other_bridge_writes():
    made = converted(openai.to_messages(conversation()))
    assert comparable(made) == comparable(anthropic.to_messages(conversation()))


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_it_converts_every_history_to_what_the_other_bridge_writes(dialect):
    @given(strategies.histories(dialect))
    def holds(events):
        events = [{"type": "user", "content": "Begin."}, *events]
        made = converted(openai.to_messages(events, dialect))
        assert comparable(made) == comparable(anthropic.to_messages(events, dialect))

    holds()


@pytest.mark.parametrize("call_deltas", [False, True])
@pytest.mark.parametrize("size", [1, 1000])
def test_it_joins_the_chunks_of_a_turn(size, call_deltas):
    chunks = openai.chunks(deltas(TURN, size, call_deltas=call_deltas))
    made = litellm.stream_chunk_builder([ModelResponseStream(**chunk) for chunk in chunks])
    (choice,) = made.choices
    is_the_turn(choice, first=0)


def test_it_makes_of_every_stream_what_is_stored():
    stored = json.loads((readers.HERE / "results.json").read_text("utf-8"))["litellm"]
    found = readers.differences(readers.litellm, "openai")
    assert stored == {"version": version("litellm"), "differs": found}
