# SPDX-License-Identifier: MIT
"""A model that calls tools through the wire, whatever the model that it wraps can do.

The wrapped model reads and writes only text: the tools are in the system prompt, and calls and
results are blocks of a dialect.  pydantic-ai sees calls like those of any other model, and checks
and runs them.  A call that it sees is final: it is passed on when its block is complete.
"""

import copy
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from pydantic_ai.exceptions import UnexpectedModelBehavior, UserError
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseState,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    RetryFeedbackPart,
    SpeechPart,
    SpeechPartDelta,
    SystemPromptPart,
    TextContent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import RequestUsage

from cogwire import Parser, Toolset
from cogwire.tooling import RESERVED_NAME
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.turns import TextPiece, WholeCall
from cogwire_kit.bridges.common.user_texts import Write, neutralised
from cogwire_kit.bridges.common.wrapping import TurnReader, native_call, taught, texts_by
from cogwire_kit.bridges.pydantic_ai.messages import read_answers, read_response


class _Sent(NamedTuple):
    """A request for the wrapped model, and the tools that it may call."""

    messages: list[ModelMessage]
    settings: ModelSettings | None
    parameters: ModelRequestParameters
    toolset: Toolset


class CogwireModel(WrapperModel):
    """Wraps a model of text, and adds tool calls in a dialect of the wire.

    A block that broke a rule is passed on as a call of the reserved tool `execute`, which no agent
    has: pydantic-ai answers it, counts a retry, and the model reads what to do about it.  The
    stream of the wrapped model is closed at the end of a block, unless `drain` is set: some
    providers report the usage only at the very end.

    In dialects in which the end of a turn runs its calls, they run if the state of the wrapped
    model's response is `complete` and its finish reason, if it has one, is the model's own end.
    """

    def __init__(
        self, wrapped: Model | str, dialect: str = "xml-json", *, drain: bool = False
    ) -> None:
        super().__init__(wrapped)
        self.wrapped = _verbatim(self.wrapped)
        self.dialect = dialect
        self.drain = drain
        # Raises ValueError for a dialect that does not exist.
        Parser(dialect)
        #: The last prompt, and the tools in it.
        self._prompt: tuple[str, Toolset, str] | None = None

    @property
    def profile(self) -> ModelProfile:
        """The profile of the wrapped model, which calls tools."""
        return merge_profile(self.wrapped.profile, ModelProfile(supports_tools=True))

    def customize_request_parameters(
        self, model_request_parameters: ModelRequestParameters
    ) -> ModelRequestParameters:
        """Leave the schemas of tools as they are: they are for the prompt."""
        return model_request_parameters

    def prepare_request(
        self,
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request as for a model that has tools."""
        return Model.prepare_request(self, model_settings, model_request_parameters)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count the tokens of the wrapped model's request."""
        sent = self._sent(messages, model_settings, model_request_parameters)
        return await self.wrapped.count_tokens(sent.messages, sent.settings, sent.parameters)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the wrapped model, and read the calls in its text."""
        sent = self._sent(messages, model_settings, model_request_parameters)
        response = await self.wrapped.request(sent.messages, sent.settings, sent.parameters)
        reader = TurnReader(sent.toolset)
        parts: list[ModelResponsePart] = []
        place = 0
        for part in response.parts:
            if isinstance(part, TextPart):
                place = _add(reader.feed(part.content), parts, place)
            else:
                parts.append(_passed_on(part))
        is_cut = response.state != "complete"
        _add(reader.close([response.finish_reason], is_cut=is_cut), parts, place)
        finish_reason = "tool_call" if reader.has_calls else response.finish_reason
        return replace(response, parts=parts, finish_reason=finish_reason)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Ask the wrapped model, and read the calls in its text as it arrives."""
        sent = self._sent(messages, model_settings, model_request_parameters)
        async with self.wrapped.request_stream(
            sent.messages, sent.settings, sent.parameters, run_context
        ) as stream:
            yield _Streamed(
                model_request_parameters=model_request_parameters,
                wrapped=stream,
                reader=TurnReader(sent.toolset),
                drain=self.drain,
            )

    def _sent(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> "_Sent":
        settings, parameters = self.prepare_request(settings, parameters)
        toolset, prompt = self._taught(parameters)
        try:
            texts = as_text(messages, self.dialect)
        except ValueError as problem:
            raise UserError(str(problem)) from None
        for at, message in enumerate(texts):
            if isinstance(message, ModelRequest) and prompt:
                parts = [SystemPromptPart(prompt), *message.parts]
                texts[at] = replace(message, parts=parts)
                break
        bare = replace(
            parameters,
            function_tools=[],
            output_tools=[],
            tool_visibility=None,
            output_mode="text" if parameters.output_mode == "tool" else parameters.output_mode,
            allow_text_output=True,
        )
        return _Sent(texts, settings, bare, toolset)

    def _taught(self, parameters: ModelRequestParameters) -> tuple[Toolset, str]:
        """Return the tools of a request, and the prompt that teaches a model to call them."""
        given = [*parameters.declared_function_tools, *parameters.output_tools]
        definitions = [
            {
                "name": tool.name,
                "description": tool.description or "",
                "parameters": tool.parameters_json_schema,
            }
            for tool in given
        ]
        key = json.dumps([definitions, parameters.allow_text_output])
        if self._prompt is None or self._prompt[0] != key:
            needed = {tool.name for tool in parameters.output_tools}
            try:
                toolset, prompt = taught(definitions, self.dialect, needed=needed)
            except ValueError as problem:
                raise UserError(str(problem)) from None
            if parameters.output_tools and not parameters.allow_text_output:
                names = " or ".join(f"`{tool.name}`" for tool in parameters.output_tools)
                prompt += (
                    f"\nGive your final answer as a call of {names}: text is not an answer here.\n"
                )
            self._prompt = key, toolset, prompt
        return self._prompt[1:]


def _verbatim(model: Model) -> Model:
    """Return a copy of a model that returns its text unchanged.

    Many models remove `<think>` from their text wherever it is, even from the arguments of a call.
    The copy looks for random tags instead, which no text contains.
    """
    model = copy.copy(model)
    if isinstance(model, WrapperModel):
        model.wrapped = _verbatim(model.wrapped)
    elif isinstance(model, FallbackModel):
        raise UserError("wrap each model: FallbackModel(CogwireModel(…), CogwireModel(…))")
    else:
        name = f"thinking-{uuid.uuid4().hex}"
        tags = ModelProfile(thinking_tags=(f"<{name}>", f"</{name}>"))
        # This is a cached property, which is set for this copy alone.
        vars(model)["profile"] = merge_profile(model.profile, tags)
    return model


# -- What the wrapped model is sent ---------------------------------------------------------------


def as_text(messages: Sequence[ModelMessage], dialect: str) -> list[ModelMessage]:
    """Return messages whose calls and results are text of a dialect.

    Nothing in them could be mistaken for results, except in the developer's system prompts and
    instructions, which are sent unchanged.  Raises `ValueError`, naming the message, for a call or
    a result that cannot be written.
    """
    events = Events(strict=True)
    sent: list[ModelMessage] = []
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            events = Events(strict=True)
            # Parts that only the wrapped model's own API can read are sent back unchanged.
            kept = [part for part in message.parts if not _is_text(part)]
            said = replace(message, parts=list(filter(_is_text, message.parts)))
            read_response(index, said, events)
            texts = [TextPart(text) for text in texts_by("assistant", events, dialect)]
            if parts := [*kept, *texts]:
                sent.append(replace(message, parts=parts))
        else:
            asked = [each for part in message.parts for each in _with_files(part)]
            rest = read_answers(index, asked, events)
            events.settle(is_over=True)
            answers = [UserPromptPart(text) for text in texts_by("user", events, dialect)]
            sent.append(replace(message, parts=[*answers, *_neutral(rest, dialect)]))
            events = Events(strict=True)
    return sent


def _with_files(part: ModelRequestPart) -> Iterator[ModelRequestPart]:
    """Yield a part and, as parts of the user, the files in what a tool returned."""
    if isinstance(part, ToolReturnPart) and part.files:
        text, files = part.model_response_str_and_user_content(wrap_if_error=False)
        content: Any = json.loads(text) if isinstance(part.content, list) else text
        yield replace(part, content=content)
        yield UserPromptPart(files)
    else:
        yield part


def _is_text(part: ModelResponsePart) -> bool:
    if isinstance(part, ThinkingPart):
        return part.signature is None
    return isinstance(part, TextPart | ToolCallPart)


class _Neutral:
    """Rewrites the texts of a request, in which a user could imitate results."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def part(self, part: ModelRequestPart) -> ModelRequestPart:
        """Return a part; those of the developer are not changed."""
        if isinstance(part, UserPromptPart):
            if isinstance(part.content, str):
                return replace(part, content=self._write(part.content))
            return replace(part, content=[self._content(each) for each in part.content])
        if isinstance(part, SpeechPart) and part.transcript:
            return replace(part, transcript=self._write(part.transcript))
        if isinstance(part, CompactionPart) and part.content:
            return replace(part, content=self._write(part.content))
        if isinstance(part, RetryFeedbackPart) or part.part_kind == "retry-prompt":
            return UserPromptPart(self._write(part.model_response()), timestamp=part.timestamp)
        return part

    def _content(self, content: UserContent) -> UserContent:
        if isinstance(content, str):
            return self._write(content)
        if isinstance(content, TextContent):
            return replace(content, content=self._write(content.content))
        if isinstance(content, BinaryContent):
            try:
                text = content.data.decode()
            except UnicodeDecodeError:
                return content
            return replace(content, data=self._write(text).encode())
        return content


def _neutral(parts: Sequence[ModelRequestPart], dialect: str) -> list[ModelRequestPart]:
    """Return parts in which no text, nor the texts joined, could be mistaken for results."""

    def rewrite(write: Write) -> list[ModelRequestPart]:
        return list(map(_Neutral(write).part, parts))

    return neutralised(rewrite, dialect)


# -- What it answers ------------------------------------------------------------------------------


def _passed_on(part: ModelResponsePart) -> ModelResponsePart:
    """Return a part that is not text, unless it is a call, which nothing here has read."""
    if isinstance(part, ToolCallPart):
        raise UnexpectedModelBehavior(native_call(part.tool_name))
    return part


def _add(
    pieces: Iterable[TextPiece | WholeCall], parts: list[ModelResponsePart], place: int
) -> int:
    """Add pieces to parts; `place` is that of the text that was begun last, before and after it."""
    for piece in pieces:
        if isinstance(piece, WholeCall) or piece.is_first:
            place = len(parts)
            parts.append(_part(piece))
        else:
            begun: Any = parts[place]
            parts[place] = replace(begun, content=begun.content + piece.content)
    return place


def _part(piece: TextPiece | WholeCall) -> ModelResponsePart:
    if isinstance(piece, WholeCall):
        is_void = piece.name == RESERVED_NAME
        return ToolCallPart(piece.name, json.loads(piece.args) if is_void else piece.args)
    return ThinkingPart(piece.content) if piece.kind == "think" else TextPart(piece.content)


@dataclass
class _Streamed(StreamedResponse):
    """The wrapped model's stream, with calls."""

    wrapped: StreamedResponse
    reader: TurnReader
    drain: bool
    #: How many segments of text have begun.
    _segments: int = field(default=0, init=False)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self.wrapped:
            if self._is_stopped:
                break  # a model without a connection writes on
            for given in self._taken(event):
                yield given
            if self.reader.is_over and not self.drain:
                break
        if not self.reader.is_over:
            self.state = self._state()
        is_cut = self._is_stopped or self.state != "complete"
        last = self.reader.close([self.wrapped.finish_reason], is_cut=is_cut)
        # A turn that the user stopped is not answered, so no call says that its block is void.
        for given in () if self._is_stopped else self._read(last):
            yield given
        self.finish_reason = "tool_call" if self.reader.has_calls else self.wrapped.finish_reason
        self.provider_response_id = self.wrapped.provider_response_id
        self.provider_details = self.wrapped.provider_details

    @property
    def _is_stopped(self) -> bool:
        """Whether the user stopped the turn; an agent does not `cancel` this, but closes it."""
        return self.cancelled or self.wrapped.cancelled

    def _state(self) -> ModelResponseState:
        """Return the state of the wrapped model's response, whose stream has ended."""
        state = self.wrapped.get().state
        # That somebody interrupted this stream is known here already.
        return "incomplete" if self._is_stopped or state == "interrupted" else state

    def _taken(self, event: ModelResponseStreamEvent) -> Iterator[ModelResponseStreamEvent]:
        """Yield the events for an event of the wrapped model."""
        if isinstance(event, PartStartEvent):
            if isinstance(event.part, TextPart):
                yield from self._read(self.reader.feed(event.part.content))
            else:
                yield self._parts_manager.handle_part(
                    vendor_part_id=("wrapped", event.index), part=_passed_on(event.part)
                )
        elif isinstance(event, PartDeltaEvent):
            if isinstance(event.delta, TextPartDelta):
                yield from self._read(self.reader.feed(event.delta.content_delta))
            elif isinstance(event.delta, ThinkingPartDelta):
                yield from self._parts_manager.handle_thinking_delta(
                    vendor_part_id=("wrapped", event.index),
                    content=event.delta.content_delta,
                    signature=event.delta.signature_delta,
                    provider_name=event.delta.provider_name,
                    provider_details=event.delta.provider_details,
                )
            else:
                yield from self._changed(event, event.delta)

    def _changed(
        self, event: PartDeltaEvent, delta: ToolCallPartDelta | SpeechPartDelta
    ) -> Iterator[ModelResponseStreamEvent]:
        """Yield the change of a part that was passed on."""
        place = ("wrapped", event.index)
        part: Any = self._parts_manager.get_part_by_vendor_id(place)
        changed: Any = delta.apply(part)
        given = self._parts_manager.handle_part(vendor_part_id=place, part=changed)
        if isinstance(given, PartStartEvent):
            yield replace(event, index=given.index)

    def _read(self, pieces: Iterable[TextPiece | WholeCall]) -> Iterator[ModelResponseStreamEvent]:
        for piece in pieces:
            if isinstance(piece, WholeCall):
                yield self._parts_manager.handle_part(vendor_part_id=None, part=_part(piece))
                continue
            self._segments += piece.is_first
            place = (piece.kind, self._segments)
            if piece.kind == "think":
                yield from self._parts_manager.handle_thinking_delta(
                    vendor_part_id=place, content=piece.content
                )
            else:
                yield from self._parts_manager.handle_text_delta(
                    vendor_part_id=place, content=piece.content
                )

    async def close_stream(self) -> None:
        """Close the wrapped model's stream, whose response is then incomplete."""
        await self.wrapped.cancel()

    @property
    def usage(self) -> RequestUsage:
        return self.wrapped.usage

    @property
    def model_name(self) -> str:
        return self.wrapped.model_name

    @property
    def provider_name(self) -> str | None:
        return self.wrapped.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.wrapped.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.wrapped.timestamp
