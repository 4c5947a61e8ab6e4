"""What runs of a turn that the model of an agent did not end itself: nothing that its end runs."""

import asyncio
import datetime as dt
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition

from cogwire.wire.dialects import NAMES
from cogwire_kit.bridges import pydantic_ai as bridge

from .ends import ARGS, SCHEMA, runs, turn

FINISHED = [("complete", None), ("complete", "stop"), ("complete", "tool_call")]
#: The ends of streams.  A response that is not streamed may also be interrupted.
CUT = [
    ("complete", "length"),
    ("complete", "content_filter"),
    ("complete", "error"),
    ("incomplete", None),
    ("incomplete", "stop"),
    ("suspended", None),
]
PARAMETERS = ModelRequestParameters(
    function_tools=[ToolDefinition(name="rm", parameters_json_schema=SCHEMA)]
)


@dataclass
class Stream(StreamedResponse):
    """Streams a text in pieces, and then says how it ended."""

    text: str
    ending: tuple
    model_name = "m"
    provider_name = provider_url = None
    timestamp = dt.datetime.now(dt.timezone.utc)

    async def _get_event_iterator(self):
        for at in range(0, len(self.text), 7):
            piece = self.text[at : at + 7]
            for event in self._parts_manager.handle_text_delta(vendor_part_id=0, content=piece):
                yield event
            if self.cancelled:
                return
        self.state, self.finish_reason = self.ending

    async def close_stream(self):
        pass


class Ending(Model):
    """Answers with a text that ended so."""

    model_name = system = "m"

    def __init__(self, text, state, reason):
        super().__init__()
        self.text = text
        self.ending = state, reason

    async def request(self, *_):
        state, reason = self.ending
        return ModelResponse([TextPart(self.text)], state=state, finish_reason=reason)

    @asynccontextmanager
    async def request_stream(self, *_):
        yield Stream(model_request_parameters=PARAMETERS, text=self.text, ending=self.ending)


async def answered(model, *, streaming):
    messages = [ModelRequest([UserPromptPart("Go.")])]
    if not streaming:
        return await model.request(messages, None, PARAMETERS)
    async with model.request_stream(messages, None, PARAMETERS) as stream:
        async for _ in stream:
            pass
        return stream.get()


def answer(text, dialect, ending, *, streaming, drain=False):
    model = bridge.CogwireModel(Ending(text, *ending), dialect, drain=drain)
    return asyncio.run(answered(model, streaming=streaming))


def calls_of(response):
    return [(part.tool_name, part.args) for part in response.parts if part.part_kind == "tool-call"]


def check(text, dialect, ending, *, streaming, drain=False):
    response = answer(text, dialect, ending, streaming=streaming, drain=drain)
    if runs(text, dialect, finished=ending in FINISHED):
        ((name, args),) = calls_of(response)
        assert (name, json.loads(args)) == ("rm", ARGS)
        assert response.finish_reason == "tool_call"
    else:
        assert not [call for call in calls_of(response) if call[0] != "execute"]
        assert (response.state, response.finish_reason) == ending


@pytest.mark.parametrize("ending", [*FINISHED, *CUT, ("interrupted", None)])
@pytest.mark.parametrize("dialect", NAMES)
def test_only_a_turn_that_the_model_ended_runs(dialect, ending):
    check(turn(dialect), dialect, ending, streaming=False)


@pytest.mark.parametrize("ending", [*FINISHED, *CUT])
@pytest.mark.parametrize("dialect", NAMES)
def test_only_a_stream_that_the_model_ended_runs(dialect, ending):
    for drain in False, True:
        check(turn(dialect), dialect, ending, streaming=True, drain=drain)


@pytest.mark.parametrize("dialect", NAMES)
def test_a_call_that_was_cut_never_runs(dialect):
    whole = turn(dialect)
    for at in range(len(whole)):
        for ending in ("complete", "stop"), ("complete", "length"):
            check(whole[:at], dialect, ending, streaming=False)
        check(whole[:at], dialect, ("incomplete", None), streaming=True)


@pytest.mark.parametrize("dialect", NAMES)
def test_a_stream_that_was_cancelled_has_no_calls(dialect):
    async def main():
        model = bridge.CogwireModel(Ending(turn(dialect), "complete", "stop"), dialect)
        async with model.request_stream([], None, PARAMETERS) as stream:
            async for _ in stream:
                await stream.cancel()
            assert stream.wrapped.cancelled
            return stream.get()

    response = asyncio.run(main())
    assert (response.state, calls_of(response)) == ("interrupted", [])


def test_an_agent_asks_again_after_a_turn_that_was_cut():
    cut = ModelResponse([TextPart(turn("hermes"))], finish_reason="length")
    turns = iter([cut, ModelResponse([TextPart("Done.")], finish_reason="stop")])
    sent = []

    def write(messages, _):
        sent.append(messages)
        return next(turns)

    made = Agent(bridge.CogwireModel(FunctionModel(write), "hermes"))
    ran = []
    made.tool_plain(name="rm")(lambda path, deep: ran.append((path, deep)))
    assert asyncio.run(made.run("Go.")).output == "Done."
    assert ran == []
    assert "its calls have not run" in sent[1][-1].parts[0].content
