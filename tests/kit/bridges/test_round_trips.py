"""A law for every bridge to plain messages: what is not reported is kept."""

import json

import pytest
from hypothesis import given

import cogwire
from cogwire_kit import strategies as make
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt

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

    @given(make.histories(dialect))
    def holds(events):
        messages = bridge.to_messages(events, dialect, report=(kept := []), **options)
        back = bridge.from_messages(messages, report=(lost := []))
        if not kept and not lost:
            assert texts(back, "xml-json") == texts(events, dialect)
        if not lost:
            assert bridge.to_messages(back, **options) == messages

    holds()


def texts(events, dialect):
    """Return what a history says."""
    entries = []
    for turn in cogwire.exchanges(events, dialect):
        entries += [
            (text["type"], text["content"]) for text in turn["texts"] if text["content"].strip()
        ]
        for call in turn["calls"]:
            answer = call["content"]
            value = None if answer is None else json.loads(answer)
            entries.append((call["name"], json.loads(call["args"]), call["status"], value))
    return entries
