# SPDX-License-Identifier: MIT
"""Histories as the messages of pydantic-ai, and the tools of a toolset as its tools."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_ai import ModelRetry, Tool
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    tool_return_ta,
)

from cogwire import Change, Event, Toolset
from cogwire.tooling import HasDialect
from cogwire_kit.bridges.common.outcomes import (
    CallOutcome,
    failure,
    json_text,
    plain_text,
    value_of,
)
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.reasons import cut_of
from cogwire_kit.bridges.common.shown import ShownCall, ShownTurn, shown_turns
from cogwire_kit.bridges.common.tools import Caller, caller, declared


def tools(toolset: Toolset, *, timeout: float | None = 60) -> list[Tool[Any]]:
    """Return the tools of a toolset as an `Agent` accepts them.

    Their calls are checked by the toolset, and run as `cogwire.aio.run` runs them, for at most
    `timeout` seconds: problems of the arguments are a `ModelRetry`, and any other failure is a
    `ToolFailed`.  Raises `ValueError` for a tool without a function, and for a name that APIs
    refuse.
    """
    call = caller(toolset, timeout)
    typed = Toolset(toolset.tools)
    return [
        Tool.from_schema(
            _function(typed, tool.name, call),
            name=tool.name,
            description=tool.description or None,
            json_schema=schema,
        )
        for tool, schema in declared(toolset)
    ]


def _function(toolset: Toolset, name: str, call: Caller) -> Callable[..., Any]:
    async def run(**args: Any) -> object:
        if problems := toolset.check({"name": name, "args": args}).problems:
            raise ModelRetry("\n".join(problem["message"] for problem in problems))
        outcome = await call(name, args)
        if outcome.status == "failure":
            raise ToolFailed(plain_text(outcome.content))
        return json.loads(outcome.content)

    return run


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[ModelMessage]:
    """Return a history as the `message_history` of an agent.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  What the messages
    cannot express, or express differently, is appended to `report`.  Raises `ValueError`, naming
    the index, for anything but an event.
    """
    messages: list[ModelMessage] = []
    #: The parts of the next request.
    asked: list[ModelRequestPart] = [SystemPromptPart(system)] if system and system.strip() else []
    for turn in shown_turns(events, dialect, report, strict=strict):
        if turn.role == "user":
            asked += [UserPromptPart(text["content"]) for text in turn.texts]
            continue
        parts = list(_response_parts(turn))
        if parts:
            if asked:
                messages.append(ModelRequest(asked))
            messages.append(ModelResponse(parts))
            asked = []
        asked += [_returned(call, call.outcome) for call in turn.calls if call.outcome is not None]
        if turn.void is not None:
            asked.append(UserPromptPart(turn.void))
    if asked:
        messages.append(ModelRequest(asked))
    return messages


def _response_parts(turn: ShownTurn) -> Iterator[ModelResponsePart]:
    for text in turn.texts:
        kind = ThinkingPart if text["type"] == "think" else TextPart
        yield kind(text["content"])
    for call in turn.calls:
        yield ToolCallPart(call.name, call.args, call.id)


def _returned(call: ShownCall, outcome: CallOutcome) -> ToolReturnPart:
    content, is_kept = value_of(outcome.content)
    if not is_kept:
        message = "a number in the result is spelled differently"
        call.changes.note(call.place, "retyped", message)
    if outcome.status == "failure":
        return ToolReturnPart(call.name, content, call.id, outcome="failed")
    return ToolReturnPart(call.name, content, call.id)


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Sequence[ModelMessage], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express, such as those of `result.all_messages()`.

    The `index` in `report` is that of a message.  Instructions and system prompts have no event.
    Calls of a response that is not `complete`, or that its `finish_reason` says was cut, are void,
    unless one has a result.
    Raises `ValueError`, naming the index, for a call whose arguments are not a JSON object; without
    `strict` it is left out and reported, with its result.
    """
    events = Events(strict=strict)
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            events.settle()
            read_response(index, message, events)
        else:
            rest = read_answers(index, message.parts, events)
            if rest:  # results of deferred calls are in a request of their own
                events.settle()
            for part in rest:
                _read_asked(index, part, events)
            if message.instructions:
                events.note(index, "dropped", "instructions have no event")
    return events.end(report)


def read_response(index: int, message: ModelResponse, events: Events) -> None:
    """Read the text of a model, and the calls that may run."""
    for part in message.parts:
        if isinstance(part, ThinkingPart):
            if part.signature:
                events.note(index, "dropped", "the signature of a thinking part has no event")
            events.text(index, "think", part.content)
        elif isinstance(part, TextPart):
            events.text(index, "respond", part.content)
        elif isinstance(part, ToolCallPart):
            events.call_or_void(index, part.tool_call_id, part.tool_name, part.args or {})
        else:
            events.note(index, "dropped", f"a part of kind {part.part_kind!r} has no event")
    events.execute(cut=cut_of([("state", message.state), ("finish_reason", message.finish_reason)]))


def read_answers(
    index: int, parts: Sequence[ModelRequestPart], events: Events
) -> list[ModelRequestPart]:
    """Read the results of calls, and return the other parts."""
    rest: list[ModelRequestPart] = []
    for part in parts:
        if part.part_kind == "retry-prompt" and part.tool_name is not None:
            events.answer(index, part.tool_call_id, failure(part.model_response()))
            continue
        if not isinstance(part, ToolReturnPart):
            rest.append(part)
            continue
        if part.files:
            events.note(index, "dropped", "the files that a tool returned have no event")
        if part.outcome not in ("success", "failed"):
            events.note(index, "retyped", f"the outcome {part.outcome!r} is read as a failure")
        try:
            outcome = _outcome_of(part)
        except ValueError as problem:
            events.refuse(index, f"the result is not text. {problem}")
        else:
            events.answer(index, part.tool_call_id, outcome)
    return rest


def _outcome_of(part: ToolReturnPart) -> CallOutcome:
    """Return what a tool returned, without files; `ValueError` if it is not JSON."""
    if part.outcome != "success":
        return failure(part.model_response_str(wrap_if_error=False))
    files = part.files
    items = [each for each in part.content_items() if not any(each is file for file in files)]
    # As models of pydantic-ai get it: one value that is left of a list with files is no list.
    is_list = isinstance(part.content, list) and (len(items) > 1 or not files)
    value = items if is_list else items[0] if items else None
    try:
        return CallOutcome("success", tool_return_ta.dump_json(value, by_alias=True).decode())
    except ValueError:  # half a character, which only our own JSON may have
        return CallOutcome("success", json_text(value))


def _read_asked(index: int, part: ModelRequestPart, events: Events) -> None:
    if isinstance(part, UserPromptPart):
        contents = [part.content] if isinstance(part.content, str) else part.content
        for content in contents:
            text = content.content if isinstance(content, TextContent) else content
            if isinstance(text, str):
                events.text(index, "user", text)
            else:
                kind = type(content).__name__
                events.note(index, "dropped", f"content of the type {kind} has no event")
    elif isinstance(part, RetryFeedbackPart) or part.part_kind == "retry-prompt":
        events.note(index, "retyped", "feedback of the agent is read as a user's text")
        events.text(index, "user", part.model_response())
    elif not isinstance(part, SystemPromptPart) or part.content:
        events.note(index, "dropped", f"a part of kind {part.part_kind!r} has no event")
