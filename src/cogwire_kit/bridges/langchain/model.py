# SPDX-License-Identifier: MIT
"""A chat model that calls tools through the wire, whatever the model that it wraps can do.

Law: a call that it returns is final.  A call is returned when its block is complete; a block that
broke a rule is a call of the reserved tool `execute`, which no agent has: whatever an agent
answers, the model reads what was wrong with the block.
"""

import uuid
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, closing
from typing import Any, Final, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import (
    agenerate_from_stream,
    generate_from_stream,
)
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from cogwire import Toolset
from cogwire_kit.bridges.common.changes import JOINT
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.turns import Text, WholeCall
from cogwire_kit.bridges.common.user_texts import neutral_content
from cogwire_kit.bridges.common.wrapping import TurnReader, taught, texts_by
from cogwire_kit.bridges.langchain.messages import (
    REASONING,
    read_answer,
    read_response,
)

#: The states of a response of OpenAI.
_STATUSES: Final = ("completed", "failed", "in_progress", "cancelled", "queued", "incomplete")
#: Hides the wrapped model's output, which is wire text, from streams of LangChain.
_UNSEEN: Final[RunnableConfig] = {"callbacks": []}


class CogwireChatModel(BaseChatModel):
    """Wraps a chat model of text, and adds tool calls in a dialect of the wire.

    The stream of the wrapped model is closed at the end of a block, unless `drain` is set: some
    providers report the usage only at the very end.

    In dialects in which the end of a turn runs its calls, they run if the wrapped model has
    returned, and every reason in its `response_metadata`, such as `finish_reason`, is the model's
    own end.
    """

    wrapped: BaseChatModel
    dialect: str = "xml-json"
    drain: bool = False

    @property
    def _llm_type(self) -> str:
        return f"cogwire:{self.wrapped._llm_type}"  # noqa: SLF001 - as LangChain's own wrappers do

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return this model with tools, which are taught in the system prompt."""
        if tool_choice not in (None, "auto"):
            raise ValueError("a model of text chooses its tools itself; leave `tool_choice` out")
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        chunks = self._stream(messages, stop, run_manager, tools, **kwargs)
        return generate_from_stream(chunks)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        chunks = self._astream(messages, stop, run_manager, tools, **kwargs)
        return await agenerate_from_stream(chunks)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        toolset, sent = self._sent(messages, tools)
        reader = _Reader(toolset)
        stream = self.wrapped.stream(sent, _UNSEEN, stop=stop, **kwargs)
        with closing(cast("Generator[AIMessageChunk]", stream)) as source:
            for given in source:
                for chunk in reader.take(given):
                    if run_manager is not None:
                        run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
                    yield chunk
                if reader.is_over and not self.drain:
                    break
        yield from reader.close()

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        toolset, sent = self._sent(messages, tools)
        reader = _Reader(toolset)
        stream = self.wrapped.astream(sent, _UNSEEN, stop=stop, **kwargs)
        async with aclosing(cast("AsyncGenerator[AIMessageChunk]", stream)) as source:
            async for given in source:
                for chunk in reader.take(given):
                    if run_manager is not None:
                        await run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
                    yield chunk
                if reader.is_over and not self.drain:
                    break
        for chunk in reader.close():
            yield chunk

    def _sent(
        self, messages: list[BaseMessage], tools: Sequence[dict[str, Any]]
    ) -> tuple[Toolset, list[BaseMessage]]:
        """Return the tools that may be called, and the messages for the wrapped model."""
        toolset, prompt = taught(tools, self.dialect)
        sent = as_text(messages, self.dialect)
        if prompt:
            if sent and isinstance(sent[0], SystemMessage):
                sent[0] = SystemMessage(f"{sent[0].text}\n\n{prompt}")
            else:
                sent.insert(0, SystemMessage(prompt))
        return toolset, sent


def as_text(messages: Sequence[BaseMessage], dialect: str) -> list[BaseMessage]:
    """Return messages whose calls and results are text of a dialect.

    Nothing in them could be mistaken for results, except in a system message, which is sent
    unchanged: it is the developer's.
    """
    events = Events()
    sent: list[BaseMessage] = []

    def answer() -> None:
        events.settle(is_over=True)
        sent.extend(map(HumanMessage, texts_by("user", events, dialect)))

    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            read_answer(index, message, events)
            continue
        answer()
        events = Events()
        if isinstance(message, AIMessage):
            read_response(index, message, events)
            sent.extend(map(AIMessage, texts_by("assistant", events, dialect)))
        elif isinstance(message, SystemMessage):
            sent.append(message)
        else:  # a text of the user or of a tool, whatever its role is called
            content = neutral_content(message.content, dialect)
            sent.append(message.model_copy(update={"content": content}))
    answer()
    return sent


# -- What it answers ------------------------------------------------------------------------------


class _Reader:
    """Converts chunks of text to chunks with calls."""

    def __init__(self, toolset: Toolset) -> None:
        self._turn = TurnReader(toolset)
        self._kinds: set[str] = set()
        #: Why the turn ended, by the member that says so: some chunks say it of themselves alone.
        self._reasons: dict[str, object] = {}
        self._calls = 0

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended, so that later text is not part of it."""
        return self._turn.is_over

    def take(self, given: BaseMessage) -> Iterator[ChatGenerationChunk]:
        """Yield the chunks that a chunk of the wrapped model completes."""
        yield from map(self._chunk, self._turn.feed(given.text))
        self._reasons |= dict(_reasons(given.response_metadata))
        if isinstance(given, AIMessageChunk) and (given.usage_metadata or given.response_metadata):
            yield _chunk(
                usage_metadata=given.usage_metadata, response_metadata=given.response_metadata
            )

    def close(self) -> Iterator[ChatGenerationChunk]:
        """Yield the last chunks."""
        yield from map(self._chunk, self._turn.close(self._reasons.values()))
        yield _chunk(chunk_position="last")

    def _chunk(self, piece: Text | WholeCall) -> ChatGenerationChunk:
        if isinstance(piece, WholeCall):
            self._calls += 1
            call = tool_call_chunk(
                name=piece.name, args=piece.args, id=f"call_{uuid.uuid4().hex}", index=self._calls
            )
            return _chunk(tool_call_chunks=[call])
        text = piece.content
        if piece.is_first and piece.kind in self._kinds:
            text = JOINT + text
        self._kinds.add(piece.kind)
        if piece.kind == "think":
            return _chunk(additional_kwargs={REASONING: text})
        return _chunk(content=text)


def _reasons(metadata: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield why a response ended, as far as its metadata says."""
    for key, value in metadata.items():
        if value and key.lower().endswith("reason"):  # finish_reason, stop_reason, stopReason, …
            yield key, value
    status = metadata.get("status")  # that of OpenAI's responses
    if status in _STATUSES:
        yield "status", "stop" if status == "completed" else status


def _chunk(content: str = "", **members: Any) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=content, **members))
