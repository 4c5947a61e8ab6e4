"""What runs of a turn that a chat model did not end itself: nothing that its end runs."""

import asyncio

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from cogwire_kit.bridges import langchain as bridge
from tests.kit.bridges.endings import SCHEMAS, every_dialect, text_of, written_turns

FINISHED = [
    {},
    {"finish_reason": "stop"},
    {"finish_reason": "STOP", "block_reason": None},
    {"stop_reason": "end_turn"},
    {"stopReason": "stop_sequence"},
    {"done_reason": "stop", "done": True},
    {"status": "completed", "incomplete_details": None},
    {"status": 200},
]
CUT = [
    {"finish_reason": "length"},
    {"finish_reason": "content_filter"},
    {"finish_reason": "MAX_TOKENS"},
    {"finish_reason": "of-some-new-kind"},
    {"stop_reason": "max_tokens", "finish_reason": "stop"},
    {"stopReason": "guardrail_intervened"},
    {"done_reason": "length", "done": True},
    {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
]
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": schema}}
    for name, schema in SCHEMAS.items()
]


class Whole(BaseChatModel):
    """Answers with a text, and with metadata in one of their two places."""

    text: str
    metadata: dict
    _llm_type = "test"

    def _generate(self, *_, **__):
        message = AIMessage(self.text)
        return ChatResult(
            generations=[ChatGeneration(message=message, generation_info=self.metadata)]
        )


class InMessage(Whole):
    def _generate(self, *_, **__):
        message = AIMessage(self.text, response_metadata=self.metadata)
        return ChatResult(generations=[ChatGeneration(message=message)])


class Streamed(Whole):
    """Streams it; until the end each chunk may say that it is not the last."""

    def _stream(self, *_, **__):
        for at in range(0, len(self.text), 7):
            yield ChatGenerationChunk(message=AIMessageChunk(self.text[at : at + 7]))
        yield ChatGenerationChunk(message=AIMessageChunk(""), generation_info=self.metadata)


class Unsure(Whole):
    def _stream(self, *_, **__):
        for at in range(0, len(self.text), 7):
            message = AIMessageChunk(self.text[at : at + 7])
            yield ChatGenerationChunk(message=message, generation_info={"finish_reason": "null"})
        message = AIMessageChunk("", response_metadata={"finish_reason": "stop", **self.metadata})
        yield ChatGenerationChunk(message=message)


def bound_to(model, dialect):
    return bridge.CogwireChatModel(wrapped=model, dialect=dialect).bind_tools(TOOLS)


def answers(model, dialect):
    """Return what a model answers in each way of asking it."""
    bound = bound_to(model, dialect)

    async def each():
        chunks = [chunk async for chunk in bound.astream("Go.")]
        return await bound.ainvoke("Go."), sum(chunks[1:], chunks[0])

    chunks = list(bound.stream("Go."))
    return [bound.invoke("Go."), sum(chunks[1:], chunks[0]), *asyncio.run(each())]


def calls_of(answer):
    assert answer.invalid_tool_calls == []
    calls = [(call["name"], call["args"]) for call in answer.tool_calls]
    return [(name, args) for name, args in calls if name != "execute"]


@pytest.mark.parametrize("kind", [Whole, InMessage, Streamed, Unsure])
@every_dialect
def test_the_calls_of_a_turn_are_those_that_may_run(dialect, kind):
    every = [*FINISHED, *CUT] if dialect == "hermes" else [*FINISHED[:2], *CUT[:2]]
    for metadata in every:
        *_, (text, calls) = written_turns(dialect, finished=metadata in FINISHED, step=1000)
        for answer in answers(kind(text=text, metadata=metadata), dialect):
            assert calls_of(answer) == calls


@every_dialect
def test_a_call_that_was_cut_never_runs(dialect):
    for metadata in {"finish_reason": "stop"}, CUT[0]:
        for text, calls in written_turns(dialect, finished=metadata in FINISHED):
            bound = bound_to(Streamed(text=text, metadata=metadata), dialect)
            assert calls_of(bound.invoke("Go.")) == calls


def test_a_reason_that_is_no_text_is_not_the_end_of_the_model():
    for answer in answers(Whole(text=text_of("hermes"), metadata={"finish_reason": 1}), "hermes"):
        assert calls_of(answer) == []


def test_the_reason_is_passed_on():
    answer = answers(Streamed(text=text_of("hermes"), metadata=CUT[0]), "hermes")[0]
    assert answer.response_metadata["finish_reason"] == "length"
    assert [call["name"] for call in answer.tool_calls] == ["execute"]


@every_dialect
def test_a_stream_that_breaks_has_no_calls(dialect):
    class Broken(Whole):
        def _stream(self, *_, **__):
            yield ChatGenerationChunk(message=AIMessageChunk(self.text))
            raise ConnectionError

    *_, (text, calls) = written_turns(dialect, finished=False, step=1000)
    model = bridge.CogwireChatModel(wrapped=Broken(text=text, metadata={}), dialect=dialect)
    chunks = []
    if calls:
        chunks += model.stream("Go.")
    else:
        with pytest.raises(ConnectionError):
            chunks += model.stream("Go.")
        assert not any(chunk.tool_call_chunks for chunk in chunks)
