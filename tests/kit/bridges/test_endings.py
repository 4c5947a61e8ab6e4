"""Streams of turns that end in every way: the calls that a client gets are those that may run."""

import json

from cogwire_kit.bridges import anthropic, openai
from tests.rows import rows

from .endings import every_dialect, every_ending, every_mode, executed, turns


def openai_calls(chunks):
    """Return the calls that a client runs; their numbers must be in the order of the list."""
    found = []
    for chunk in chunks:
        if "error" in chunk:
            return []
        (choice,) = chunk["choices"]
        for part in choice["delta"].get("tool_calls", ()):
            if part["index"] == len(found):
                assert part["id"] == f"call_{len(found)}"
                found.append([part["function"]["name"], ""])
            assert part["index"] == len(found) - 1
            found[-1][1] += part["function"]["arguments"]
    assert choice["finish_reason"] == ("tool_calls" if found else "stop")
    return [(name, json.loads(args)) for name, args in found]


def anthropic_calls(events):
    """Return the calls that a client runs."""
    found = []
    for event in events:
        kind = event["type"]
        if kind == "error":
            return []
        if kind == "content_block_start":
            name = event["content_block"].get("name")
            if name is not None:
                found.append([name, ""])
        elif kind == "content_block_delta":
            found[-1:] = [
                [name, text + event["delta"].get("partial_json", "")] for name, text in found[-1:]
            ]
    assert events[-2]["delta"]["stop_reason"] == ("tool_use" if found else "end_turn")
    return [(name, json.loads(args)) for name, args in found]


@rows(("bridge", "calls_of"), [(openai, openai_calls), (anthropic, anthropic_calls)])
@every_ending
@every_mode
@every_dialect
def test_the_calls_of_a_stream_are_those_that_may_run(dialect, mode, ending, bridge, calls_of):
    some = False
    for events in turns(dialect, mode, ending):
        calls = executed(events)
        some = some or bool(calls)
        assert calls_of(list(bridge.chunks(events))) == calls
    assert some or ending != "itself"
