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
