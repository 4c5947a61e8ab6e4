"""From ShareGPT's conversations to the types of `openai` and `anthropic`, and back again."""

import anthropic.types
import pytest
from hypothesis import given
from openai.types.chat import ChatCompletionMessageParam

from cogwire_kit import strategies
from cogwire_kit.bridges import anthropic as claude
from cogwire_kit.bridges import openai, sharegpt

from .forcing import judge
from .histories import conversation, summary

SDKS = [(openai, ChatCompletionMessageParam), (claude, anthropic.types.MessageParam)]


@pytest.mark.parametrize(("bridge", "accepted"), SDKS)
def test_a_conversation_survives_the_round_trip_through_an_sdk(bridge, accepted):
    written = sharegpt.to_messages(conversation())
    events = sharegpt.from_messages(written)
    # The types of OpenAI have no reasoning.
    judge(accepted, bridge.to_messages(events))
    messages = bridge.to_messages(events, think=True)
    assert summary(bridge.from_messages(messages)) == summary(events)
    assert sharegpt.to_messages(bridge.from_messages(messages)) == written


@pytest.mark.parametrize(("bridge", "accepted"), SDKS)
@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_every_history_survives_the_round_trip_unless_reported(dialect, bridge, accepted):
    @given(strategies.histories(dialect))
    def holds(events):
        report = []
        written = sharegpt.to_messages(events, dialect)
        events = sharegpt.from_messages(written, report=report)
        judge(accepted, bridge.to_messages(events))
        messages = bridge.to_messages(events, think=True, report=report)
        back = bridge.from_messages(messages, report=report)
        if not report:
            assert summary(back) == summary(events)
            assert sharegpt.to_messages(back) == written

    holds()
