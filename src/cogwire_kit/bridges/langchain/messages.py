# SPDX-License-Identifier: MIT
"""Histories as the messages of LangChain, and the tools of a toolset as its tools."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Literal

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.tools import StructuredTool, ToolException

from cogwire import Change, Event, Toolset
from cogwire.tooling import HasDialect, short_repr
from cogwire_kit.bridges.common.order import Link
from cogwire_kit.bridges.common.outcomes import failure, plain_text, read_outcome
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.reasons import cut_of
from cogwire_kit.bridges.common.shown import ShownTurn, shown_turns
from cogwire_kit.bridges.common.tools import Caller, caller, declared

#: Where LangChain looks for the reasoning of a message.
REASONING: Final = "reasoning_content"
#: The members of `additional_kwargs` that have events.
READ_MEMBERS: Final = frozenset({REASONING, "refusal", "tool_calls"})
#: The blocks of content whose texts have events, and those that say what other members say.
_TEXTS: Final = ("text", "refusal")
_THOUGHTS: Final = ("reasoning", "thinking", "reasoning_content")
_CALLS: Final = ("tool_call", "tool_call_chunk", "tool_use", "function_call", "invalid_tool_call")
READ_BLOCKS: Final = (*_TEXTS, *_CALLS, "reasoning", "thinking")
#: The members of such blocks that are read, or that change nothing.
_OF_BLOCKS: Final = frozenset({*_TEXTS, *_THOUGHTS, "type", "summary", "id", "index"}) | {
    "cache_control"
}
#: The states of a response of OpenAI.
_STATUSES: Final = ("completed", "failed", "in_progress", "cancelled", "queued", "incomplete")


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

    return _CheckedTool(
        name=name,
        description=description,
        args_schema={"title": name, **schema},
        func=run_here,
        coroutine=run,
        handle_tool_error=True,
    )


class _CheckedTool(StructuredTool):
    """Runs its functions with all arguments of a call, such as a `config` of the tool's own."""

    def _run(self, /, *_: Any, **args: Any) -> Any:
        return self.func(**args) if self.func is not None else None

    async def _arun(self, /, *_: Any, **args: Any) -> Any:
        return await self.coroutine(**args) if self.coroutine is not None else None


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

    The `index` in `report` is that of a message.  A system message has no event, and is left out.
    Calls of a turn that its `response_metadata` says was cut are void, unless one has a result.
    Raises `ValueError`, naming the index, for an invalid call; without `strict` it is left out and
    reported, with its result.
    """
    events = Events(strict=strict)
    for index, message in events.in_order(messages, _link_of):
        if isinstance(message, ToolMessage):
            read_answer(index, message, events)
            continue
        events.settle()
        if isinstance(message, HumanMessage):
            events.text(index, "user", text_of(index, message, events))
            events.note_unread(index, {"name": message.name}, ())
        elif isinstance(message, AIMessage):
            read_response(index, message, events)
        else:
            events.note(index, "dropped", f"a message of the type {message.type} has no event")
    return events.end(report)


def _link_of(message: BaseMessage) -> Link:
    if isinstance(message, ToolMessage):
        return "tool", [message.tool_call_id]
    if isinstance(message, AIMessage):
        return "assistant", [call["id"] for call in message.tool_calls]
    return "user" if isinstance(message, HumanMessage) else message.type, ()


def read_response(index: int, message: AIMessage, events: Events) -> None:
    """Read the text of a model, and the calls that may run."""
    members = message.additional_kwargs
    pieces = list(_pieces(index, message.content, events))
    thoughts = [text for kind, text in pieces if kind == "think"]
    # OpenAI's has its own name, and is read if there is no other.
    name = REASONING if members.get(REASONING) else "reasoning"
    beside = [*_thoughts(index, members.get(name), events)]
    if beside not in (thoughts, ["".join(thoughts)]):
        pieces = [*(("think", text) for text in beside), *pieces]
    for kind, texts in groupby(pieces, key=itemgetter(0)):
        said = [text for _, text in texts]
        for text in said if kind == "think" else ["".join(said)]:  # the blocks of one text
            events.text(index, kind, text)
    events.refusal(index, members.get("refusal"))
    events.note_unread(index, {**members, "name": message.name}, READ_MEMBERS | {name})
    _read_calls(index, message, events)


def _pieces(
    index: int, content: str | list[Any], events: Events
) -> Iterator[tuple[Literal["think", "respond"], str]]:
    """Yield the texts of a model in their order, and note what else is in its content."""
    is_after = False
    for block in [content] if isinstance(content, str) else content:
        given = {"type": "text", "text": block} if isinstance(block, str) else block
        kind = given.get("type")
        if kind in _CALLS:
            is_after = True
        elif kind not in (*_TEXTS, *_THOUGHTS):
            events.note(index, "dropped", f"a block of the type {short_repr(kind)} has no event")
        else:
            if is_after:
                events.note(index, "moved", "this text came after a call")
            if kind == "refusal":
                events.note(index, "retyped", "a refusal is read as prose")
            events.note_unread(index, given, _OF_BLOCKS, f"a {kind} block")
            if kind in _TEXTS:
                yield "respond", events.text_of(index, given.get(kind))
            else:
                parts = given.get(kind) or given.get("summary")
                yield from (("think", text) for text in _thoughts(index, parts, events))


def _thoughts(index: int, given: object, events: Events) -> Iterator[str]:
    """Yield the texts of reasoning, which is a text, or has parts or a summary."""
    if isinstance(given, Mapping) and "text" not in given:
        events.note_unread(index, given, _OF_BLOCKS, "reasoning")
        given = given.get("summary")
    for part in given if isinstance(given, list) else [given]:
        text = events.text_of(index, part if isinstance(part, str) or part is None else [part])
        if text:
            yield text


def _read_calls(index: int, message: AIMessage, events: Events) -> None:
    """Read the calls of a model, those of a chunk as it wrote them: LangChain completes these."""
    cut = cut_of(reasons_of(message.response_metadata))
    blocks = message.content if isinstance(message.content, list) else []
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    if isinstance(message, AIMessageChunk):
        calls = list(message.tool_call_chunks)
        cut = cut or ("" if message.chunk_position == "last" else "the last chunk is missing")
    if not calls and any(isinstance(each, dict) and each.get("type") in _CALLS for each in blocks):
        events.refuse(index, "its content has a call, which `tool_calls` lacks")
    for call in calls:
        name, args = call["name"] or "", "" if call["args"] is None else call["args"]
        if call.get("type") == "invalid_tool_call":
            problem = f"Its arguments are not JSON: {short_repr(args)}"
            events.refuse_call(index, call["id"], name, problem)
        else:
            events.call_or_void(index, call["id"], name, args)
    events.execute(cut=cut)


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
        else:
            events.note(index, "dropped", f"a block of the type {short_repr(kind)} has no event")
    return events.joined(index, texts, "blocks of the content")


def reasons_of(metadata: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield why a response ended, as far as its metadata says."""
    for key, value in metadata.items():
        if value and key.lower().endswith("reason"):  # finish_reason, stop_reason, stopReason, …
            yield key, value
    status = metadata.get("status")  # that of OpenAI's responses
    if status in _STATUSES:
        yield "status", "stop" if status == "completed" else status
