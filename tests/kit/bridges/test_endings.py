"""Streams of turns that end in every way: the calls that a client gets are those that may run."""

from cogwire_kit.bridges import anthropic, openai, responses

from .endings import (
    anthropic_calls,
    every_dialect,
    every_ending,
    every_mode,
    executed,
    openai_calls,
    responses_calls,
    turns,
)


@every_ending
@every_mode
@every_dialect
def test_the_calls_of_a_stream_are_those_that_may_run(dialect, mode, ending):
    for events in turns(dialect, mode, ending):
        calls = executed(events)
        assert openai_calls(list(openai.chunks(events))) == calls
        assert anthropic_calls(list(anthropic.chunks(events))) == calls
        if not mode.startswith("sealed"):
            assert responses_calls(list(responses.chunks(events))) == calls


def test_no_id_is_given_twice():
    """As in histories: neither equal ids, nor one that a call without an id would have had."""
    events = [
        {"type": "call", "id": "x", "content": '{"name":"read"}'},
        {"type": "call", "id": "x", "content": '{"name":"rm"}'},
        {"type": "call", "id": "call_3", "content": '{"name":"ls"}'},
        {"type": "call", "content": '{"name":"say"}'},
        {"type": "execute"},
    ]
    expected = [("x", "read"), ("x_2", "rm"), ("call_3", "ls"), ("call_3_2", "say")]
    parts = [
        part
        for chunk in openai.chunks(events)
        for part in chunk["choices"][0]["delta"].get("tool_calls", ())
        if "id" in part
    ]
    assert [(part["id"], part["function"]["name"]) for part in parts] == expected
    blocks = [event.get("content_block") for event in anthropic.chunks(events)]
    assert [(block["id"], block["name"]) for block in blocks if block] == expected
    ends = [event for event in responses.chunks(events) if event["type"].endswith("item.done")]
    items = [event["item"] for event in ends]
    assert [(item["call_id"], item["name"]) for item in items] == expected
