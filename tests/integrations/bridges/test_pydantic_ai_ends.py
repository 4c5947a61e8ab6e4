"""What runs of a turn that the model of an agent did not end itself: nothing that its end runs."""

import asyncio
import datetime as dt
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition

from cogwire_kit.bridges import pydantic_ai as bridge
from tests.kit.bridges.endings import SCHEMAS, every_dialect, text_of, written_turns

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
    function_tools=[
        ToolDefinition(name=name, parameters_json_schema=schema) for name, schema in SCHEMAS.items()
    ]
)


@dataclass
class Stream(StreamedResponse):
    """Streams a text in pieces, and then says how it ended."""

    text: str
    ending: tuple
    #: Whether it does not end when it is cancelled, like a model without a connection.
    goes_on: bool = False
    model_name = "m"
    provider_name = provider_url = None
    timestamp = dt.datetime.now(dt.timezone.utc)

    async def _get_event_iterator(self):
        for at in range(0, len(self.text), 7):
            piece = self.text[at : at + 7]
            for event in self._parts_manager.handle_text_delta(vendor_part_id=0, content=piece):
                yield event
            if self.cancelled and not self.goes_on:
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
    calls = [part for part in response.parts if part.part_kind == "tool-call"]
    return [(call.tool_name, call.args_as_dict()) for call in calls if call.tool_name != "execute"]


@pytest.mark.parametrize("ending", [*FINISHED, *CUT, ("interrupted", None)])
@every_dialect
def test_the_calls_of_a_turn_are_those_that_may_run(dialect, ending):
    ways = [{"streaming": False}]
    if ending[0] != "interrupted":  # a stream that was says so itself
        ways += {"streaming": True}, {"streaming": True, "drain": True}
    for text, calls in written_turns(dialect, finished=ending in FINISHED, step=40):
        for way in ways:
            response = answer(text, dialect, ending, **way)
            assert calls_of(response) == calls
            is_whole = response.finish_reason == "tool_call"
            assert is_whole or (response.state, response.finish_reason) == ending
            assert bool(calls) <= is_whole


@every_dialect
def test_a_call_that_was_cut_never_runs(dialect):
    for ending in ("complete", "stop"), ("complete", "length"):
        for text, calls in written_turns(dialect, finished=ending in FINISHED):
            assert calls_of(answer(text, dialect, ending, streaming=False)) == calls


@pytest.mark.parametrize("stop", ["cancel", "close_stream"])
@every_dialect
def test_a_stream_that_was_cancelled_has_no_calls(dialect, stop):
    """Nor one that says so of a void block.  An agent, whose stream this is a part of, closes it."""

    async def main(*, goes_on):
        model = bridge.CogwireModel(Ending(text_of(dialect), "complete", "stop"), dialect)
        async with model.request_stream([], None, PARAMETERS) as stream:
            stream.wrapped.goes_on = goes_on
            async for _ in stream:
                await getattr(stream, stop)()
            assert stream.wrapped.cancelled
            return stream.get()

    for goes_on in (False, True):
        response = asyncio.run(main(goes_on=goes_on))
        assert response.state == ("interrupted" if stop == "cancel" else "incomplete")
        assert [part.part_kind for part in response.parts] == ["text"]


def test_an_agent_asks_again_after_a_turn_that_was_cut():
    cut = ModelResponse([TextPart(text_of("hermes"))], finish_reason="length")
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
