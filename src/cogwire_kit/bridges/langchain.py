# SPDX-License-Identifier: MIT
"""LangChain: histories, tools, and a chat model that adds tool calls to any text model.

It needs `langchain-core`: `pip install 'langchain-core>=1.7'`.

Law: a call that the model returns is final.  A call is returned when its block is complete; a block
that broke a rule is a call of the reserved tool `execute`, which no agent has: whatever an agent
answers, the model reads what was wrong with the block.
"""

import asyncio
import json
import uuid
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

try:
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
        ToolCall,
        ToolMessage,
    )
    from langchain_core.messages.tool import ToolOutputMixin, tool_call_chunk
    from langchain_core.outputs import ChatGenerationChunk, ChatResult
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from langchain_core.tools import Tool as TextTool
    from langchain_core.utils.function_calling import convert_to_openai_tool
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.bridges.langchain needs langchain-core: pip install 'langchain-core>=1.7'"
    ) from missing

from pydantic import BaseModel, field_validator

from cogwire import Change, Event, Parser, Toolset
from cogwire.tooling import HasDialect, Tool, short_repr
from cogwire_kit.bridges.common.changes import JOINT
from cogwire_kit.bridges.common.outcomes import failure, plain_text, read_outcome
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.reasons import cut_of
from cogwire_kit.bridges.common.tools import Caller, caller, declared, then
from cogwire_kit.bridges.common.turns import ShownTurn, TextPiece, WholeCall, shown_turns
from cogwire_kit.bridges.common.user_texts import neutral_content
from cogwire_kit.bridges.common.wrapping import TurnReader, native_call, taught, texts_by

__all__ = ["CogwireChatModel", "from_messages", "to_messages", "tool", "tools"]

_Message = TypeVar("_Message", bound=BaseMessage)

#: Where LangChain looks for the reasoning of a message.
REASONING: Final = "reasoning_content"
#: The members of `additional_kwargs` that have events.
_READ_MEMBERS: Final = frozenset({REASONING, "refusal", "tool_calls"})
#: The blocks of content whose texts have events, and those that say what other members say.
_TEXTS: Final = ("text", "refusal")
_CALLS: Final = ("tool_call", "tool_use", "function_call", "invalid_tool_call")
_READ_BLOCKS: Final = (*_TEXTS, *_CALLS, "reasoning", "thinking")
#: What makes reasoning readable for the provider that wrote it, and only for that.
_SIGNED: Final = frozenset({"signature", "encrypted_content"})
#: The states of a response of OpenAI.
_STATUSES: Final = ("completed", "failed", "in_progress", "cancelled", "queued", "incomplete")
#: Hides the wrapped model's output, which is wire text, from streams of LangChain.
_UNSEEN: Final[RunnableConfig] = {"callbacks": []}


# -- Tools -----------------------------------------------------------------------------------------


def tool(given: BaseTool) -> Tool:
    """Return a tool of LangChain as a `Toolset` takes it; its calls run through LangChain.

    Models are shown its `tool_call_schema`, which has no injected argument, and of an answer the
    content without the artifact.  A tool that needs an injected argument of the program, or that
    takes any argument, has no function, and `unbound` says why.  Raises `ValueError` for a schema
    that is a model of pydantic 1.
    """
    schema, needed = _schema(given)
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    unbound = ""
    if injected := [name for name in needed if name not in schema.get("properties", {})]:
        unbound = f"the program provides {', '.join(injected)}"
    elif others is None:
        # The model may not give an argument that it is not shown, since that may be injected.
        is_simple = {"$ref", "allOf", "anyOf", "oneOf"}.isdisjoint(schema)
        closing = "additionalProperties" if is_simple else "unevaluatedProperties"
        schema = {**schema, closing: False}
    elif others is not False:
        unbound = "it takes any argument, even those that are injected"
    function = None if unbound else _Invoked(given)
    return Tool(given.name, given.description, schema, function, unbound)


def _schema(given: BaseTool) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the schema that models are shown, and the names of all arguments that a call needs."""
    if isinstance(given, TextTool) and given.args_schema is None:
        # Its own schema is that of an internal method.
        return {"type": "object", "properties": given.args, "required": [*given.args]}, ()
    shown = given.tool_call_schema
    if isinstance(shown, dict):
        return shown, ()
    whole = given.get_input_schema()
    if not (issubclass(shown, BaseModel) and issubclass(whole, BaseModel)):
        reason = "its schema is a model of pydantic 1; use pydantic 2"
        raise ValueError(f"tool {given.name!r}: {reason}")  # noqa: TRY004 (of the right type)
    return shown.model_json_schema(), [
        str(field.validation_alias or field.alias or name)
        for name, field in whole.model_fields.items()
        if field.is_required()
    ]


@dataclass(frozen=True, eq=False)
class _Invoked:
    tool: BaseTool

    @property
    def wrapped(self) -> Any:
        """The function that the tool was made from, if it was."""
        return getattr(self.tool, "coroutine", None) or getattr(self.tool, "func", None)

    def __call__(self, /, **args: Any) -> object:
        given: dict[str, Any] = args
        handles = self.tool.handle_tool_error or self.tool.handle_validation_error
        if handles or args.get("type") == "tool_call":
            # Only the answer to a whole call says that it is an error, and arguments may look like
            # a whole call.
            call_id = f"call_{uuid.uuid4().hex}"
            given = {"type": "tool_call", "id": call_id, "name": self.tool.name, "args": args}
        # In a thread, since LangChain's own would keep the process alive.
        run = self.tool.ainvoke if self._is_async else self.tool.invoke
        return then(run(given), _content)

    @property
    def _is_async(self) -> bool:
        if isinstance(self.tool, (StructuredTool, TextTool)):
            return self.tool.coroutine is not None
        # A subclass runs in its own `_arun`, or in a `_run` that is called in a thread.
        return type(self.tool)._arun is not BaseTool._arun  # noqa: SLF001 (it is for subclasses)


def _content(result: Any) -> object:
    """Return what is for the model: a message has an artifact for the program, too."""
    if isinstance(result, list):
        return [_content(each) for each in result]
    if isinstance(result, ToolMessage):
        if result.status == "error":
            raise ToolException(str(result.content))
        return result.content
    if isinstance(result, ToolOutputMixin):
        reason = f"returned a {type(result).__name__}, which only LangGraph can carry out"
        raise ToolException(f"the tool {reason}; declare it without one")
    return result


def tools(toolset: Toolset, *, timeout: float | None = 60) -> list[StructuredTool]:
    """Return the tools of a toolset as agents accept them.

    Their calls are checked by the toolset, and run as `cogwire.aio.run` runs them, for at most
    `timeout` seconds; a failure is a message with the status `error`.  Raises `ValueError` for a
    tool without a function, and for a name that APIs refuse.
    """
    call = caller(toolset, timeout)
    return [_tool(tool.name, tool.description, schema, call) for tool, schema in declared(toolset)]


def _tool(name: str, description: str, schema: dict[str, Any], call: Caller) -> StructuredTool:
    async def run(**args: Any) -> object:
        outcome = await call(name, args)
        if outcome.status == "failure":
            raise ToolException(plain_text(outcome.content))
        return json.loads(outcome.content)

    def run_here(**args: Any) -> object:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(run(**args))
        raise RuntimeError(f"the event loop runs, so tool {name!r} cannot wait: use `ainvoke`")

    return StructuredTool(
        name=name,
        description=description,
        args_schema={"title": name, **schema},
        func=run_here,
        coroutine=run,
        handle_tool_error=True,
    )


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[BaseMessage]:
    """Return a history as messages, after a system message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  Reasoning is in
    `additional_kwargs`.  What the messages cannot express, or express differently, is appended to
    `report`.  Raises `ValueError`, naming the index, for anything but an event.
    """
    messages: list[BaseMessage] = []
    if system and system.strip():
        messages.append(SystemMessage(system))
    for turn in shown_turns(events, dialect, report, strict=strict):
        if turn.role == "user":
            messages += (HumanMessage(text["content"]) for text in turn.texts)
        else:
            messages += _turn(turn)
    return messages


def _turn(turn: ShownTurn) -> Iterator[BaseMessage]:
    """Yield the message of a turn, and the messages that answer it."""
    thought, said = turn.joined("think"), turn.joined("respond")
    turn.note_moved()
    calls = [ToolCall(name=call.name, args=call.values(), id=call.id) for call in turn.calls]
    if calls or turn.texts:
        extra = {REASONING: thought} if thought else {}
        yield AIMessage(said, tool_calls=calls, additional_kwargs=extra)
    for call in turn.calls:
        if (sent := call.sent()) is not None:
            status = "error" if sent[1] else "success"
            yield ToolMessage(sent[0], tool_call_id=call.id, name=call.name, status=status)
    if turn.void is not None:
        yield HumanMessage(turn.void)


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Sequence[BaseMessage], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express, such as those of an agent's state.

    An `index` of the report is that of a message.  A system message has no event, and is left out.
    Calls of a turn that its `response_metadata` says was cut are void, unless one has a result.
    Raises `ValueError`, naming the index, for an invalid call; without `strict` it is left out and
    reported, with its result.
    """
    events = Events(strict=strict)
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            read_answer(index, message, events)
            continue
        events.settle()
        if isinstance(message, HumanMessage):
            events.text(index, "user", text_of(index, message, events))
        elif isinstance(message, AIMessage):
            read_response(index, message, events)
        else:
            events.note(index, "dropped", f"a message of the type {message.type} has no event")
    return events.end(report)


def read_response(index: int, message: AIMessage, events: Events) -> None:
    """Read the text of a model, and the calls that may run."""
    for block in cast("list[Any]", message.content_blocks):  # in part as they were given
        if isinstance(block, dict) and block.get("type") == "reasoning":
            events.text(index, "think", events.text_of(index, block.get("reasoning")))
    events.text(index, "respond", text_of(index, message, events))
    members = message.additional_kwargs
    events.refusal(index, members.get("refusal"))
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    blocks = message.content if isinstance(message.content, list) else []
    if not calls and any(isinstance(each, dict) and each.get("type") in _CALLS for each in blocks):
        events.refuse(index, "its content has a call, which `tool_calls` lacks")
    events.note_unread(index, members, _READ_MEMBERS)
    for call in message.tool_calls:
        events.call_or_void(index, call["id"], call["name"], call["args"])
    for invalid in message.invalid_tool_calls:
        name, args = invalid["name"] or "", invalid["args"] or ""
        events.refuse(
            index,
            f"{short_repr(name)} is called with arguments that are not JSON: {short_repr(args)}",
        )
    events.execute(cut=cut_of(_reasons(message.response_metadata)))


def read_answer(index: int, message: ToolMessage, events: Events) -> None:
    """Read the result of a call."""
    text = text_of(index, message, events)
    outcome = failure(text) if message.status == "error" else read_outcome(text)
    events.answer(index, message.tool_call_id, outcome)


def text_of(index: int, message: BaseMessage, events: Events) -> str:
    """Return the text of a message, whose content may be in blocks."""
    if isinstance(message.content, str):
        return message.content
    texts: list[str] = []
    for block in message.content:
        kind = "text" if isinstance(block, str) else block.get("type")
        if kind in _TEXTS:
            said = block if isinstance(block, str) else block.get(kind)
            texts.append(events.text_of(index, said))
        elif kind not in _READ_BLOCKS:
            events.note(index, "dropped", f"a block of the type {short_repr(kind)} has no event")
    if isinstance(message, AIMessage):  # the blocks of one text
        return "".join(texts)
    return events.joined(index, texts, "blocks of the content")


# -- The model -------------------------------------------------------------------------------------


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
            read_response(index, said, events)
            members = {
                name: value
                for name, value in message.additional_kwargs.items()
                if value and name not in _READ_MEMBERS
            }
            text = JOINT.join(texts_by("assistant", events, dialect))
            content = [*others, *_text(text)] if others else text
            if content or members:
                sent.append(AIMessage(content, additional_kwargs=members))
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
    return block.get("type") in _READ_BLOCKS and not is_signed


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
        self._reasons |= dict(_reasons(given.response_metadata))
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


def _reasons(metadata: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield why a response ended, as far as its metadata says."""
    for key, value in metadata.items():
        if value and key.lower().endswith("reason"):  # finish_reason, stop_reason, stopReason, …
            yield key, value
    status = metadata.get("status")  # that of OpenAI's responses
    if status in _STATUSES:
        yield "status", "stop" if status == "completed" else status


def _chunk(content: str | list[Any] = "", **members: Any) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=content, **members))
