# SPDX-License-Identifier: MIT
"""A chat model that calls tools through the wire, whatever the model that it wraps can do.

Law: a call that the model returns is final.  A call is returned when its block is complete; a block
that broke a rule is a call of the reserved tool `execute`, which no agent has: whatever an agent
answers, the model reads what was wrong with the block.
"""

import uuid
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterator,
    Sequence,
)
from contextlib import aclosing, closing
from typing import Any, Final, TypeVar, cast

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
from pydantic import field_validator

from cogwire import Parser, Toolset
from cogwire_kit.bridges.common.changes import JOINT
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.turns import TextPiece, WholeCall
from cogwire_kit.bridges.common.wrapping import TurnReader, native_call, taught, texts_by
from cogwire_kit.bridges.langchain.messages import (
    READ_BLOCKS,
    READ_MEMBERS,
    REASONING,
    read_answer,
    read_response,
    reasons_of,
)
from cogwire_kit.bridges.langchain.neutralising import neutral_content

_Message = TypeVar("_Message", bound=BaseMessage)

#: What makes reasoning readable for the provider that wrote it, and only for that.
_SIGNED: Final = frozenset({"signature", "encrypted_content"})
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

    @field_validator("dialect")
    @classmethod
    def _known(cls, dialect: str) -> str:
        Parser(dialect)
        return dialect

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
        reader = _ChunkReader(toolset)
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
        reader = _ChunkReader(toolset)
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
            own = sent.pop(0).content if sent and isinstance(sent[0], SystemMessage) else ""
            is_text = isinstance(own, str)
            content = f"{own}{JOINT if own else ''}{prompt}" if is_text else [*own, *_text(prompt)]
            sent.insert(0, SystemMessage(content))
        return toolset, sent


def as_text(messages: Sequence[BaseMessage], dialect: str) -> list[BaseMessage]:
    """Return messages whose calls and results are text of a dialect.

    Nothing in them could be mistaken for results, except in a system message, which is sent
    unchanged: it is the developer's.  What is not text is sent unchanged, after the results if a
    tool has returned it.  Raises `ValueError`, naming the message, for a call or a result that
    cannot be written.
    """
    events = Events(strict=True)
    sent: list[BaseMessage] = []
    #: What the tools of a turn have returned that is not text.
    returned: list[Any] = []

    def answer() -> None:
        events.settle(is_over=True)
        others = neutral_content(returned, dialect)
        texts = texts_by("user", events, dialect)
        sent.extend(HumanMessage([*_text(text), *others] if others else text) for text in texts)
        returned.clear()

    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            answered, others = _divided(message)
            returned += others
            read_answer(index, answered, events)
            continue
        answer()
        events = Events(strict=True)
        if isinstance(message, AIMessage):
            said, others = _divided(message)
            given = message.additional_kwargs
            members = {name: given[name] for name in given.keys() - READ_MEMBERS if given[name]}
            read = {name: given[name] for name in given.keys() & READ_MEMBERS}
            read_response(index, said.model_copy(update={"additional_kwargs": read}), events)
            text = JOINT.join(texts_by("assistant", events, dialect))
            content = [*others, *_text(text)] if others else text
            if content or members:
                sent.append(AIMessage(content, additional_kwargs=members, name=message.name))
        elif isinstance(message, SystemMessage):
            sent.append(message)
        else:  # a text of the user or of a tool, whatever its role is called
            content = neutral_content(message.content, dialect)
            sent.append(message.model_copy(update={"content": content}))
    answer()
    return sent


def _text(text: str) -> list[Any]:
    """Return a text as blocks of content."""
    return [{"type": "text", "text": text}] if text else []


def _divided(message: _Message) -> tuple[_Message, list[Any]]:
    """Return a message with what has an event, and the blocks of its content that have none."""
    if isinstance(message.content, str):
        return message, []
    read: list[Any] = []
    others: list[Any] = []
    for block in message.content:
        (read if _has_event(block) else others).append(block)
    return message.model_copy(update={"content": read}), others


def _has_event(block: str | dict[Any, Any]) -> bool:
    if isinstance(block, str):
        return True
    is_signed = not _SIGNED.isdisjoint({*block, *(block.get("extras") or ())})
    return block.get("type") in READ_BLOCKS and not is_signed


# -- What it answers ------------------------------------------------------------------------------


class _ChunkReader:
    """Converts chunks of text to chunks with calls."""

    def __init__(self, toolset: Toolset) -> None:
        self._turn = TurnReader(toolset)
        self._kinds: set[str] = set()
        #: Why the turn ended, by the member that says so: some chunks say it of themselves alone.
        self._reasons: dict[str, object] = {}
        self._calls = 0

    @property
    def is_over(self) -> bool:
        return self._turn.is_over

    def take(self, given: BaseMessage) -> Iterator[ChatGenerationChunk]:
        """Yield the chunks that a chunk of the wrapped model completes."""
        if isinstance(given, AIMessage):
            yield from self._native(given)
        yield from map(self._chunk, self._turn.feed(given.text))
        self._reasons |= dict(reasons_of(given.response_metadata))
        if isinstance(given, AIMessage) and (given.usage_metadata or given.response_metadata):
            yield _chunk(
                usage_metadata=given.usage_metadata, response_metadata=given.response_metadata
            )

    def _native(self, given: AIMessage) -> Iterator[ChatGenerationChunk]:
        """Yield what is not text, as it is; `ValueError` for a call."""
        chunks = given.tool_call_chunks if isinstance(given, AIMessageChunk) else ()
        for call in (*chunks, *given.tool_calls, *given.invalid_tool_calls):
            raise ValueError(native_call(call["name"] or ""))
        blocks = [
            block
            for block in given.content
            if not isinstance(block, str) and block.get("type") != "text"
        ]
        members = given.additional_kwargs
        if members.get(REASONING):
            self._kinds.add("think")
        if blocks or members:
            yield _chunk(blocks or "", additional_kwargs=members)

    def close(self) -> Iterator[ChatGenerationChunk]:
        yield from map(self._chunk, self._turn.close(self._reasons.values()))
        yield _chunk(chunk_position="last")

    def _chunk(self, piece: TextPiece | WholeCall) -> ChatGenerationChunk:
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


def _chunk(content: str | list[Any] = "", **members: Any) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=content, **members))
