# SPDX-License-Identifier: MIT
"""Histories as the messages of LangChain, and the tools of a toolset as its tools."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.tools import StructuredTool, ToolException

from cogwire import Change, Event, Toolset
from cogwire.tooling import RESERVED_NAME, HasDialect, short_repr
from cogwire_kit.bridges.common.outcomes import failure, plain_text, read_outcome
from cogwire_kit.bridges.common.reading import VOID_MEMBER, Events
from cogwire_kit.bridges.common.tools import Caller, caller, declared
from cogwire_kit.bridges.common.turns import ShownTurn, shown_turns

#: Where LangChain looks for the reasoning of a message.
REASONING: Final = "reasoning_content"


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
        return asyncio.run(run(**args))

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
    for block in message.content_blocks:
        if block["type"] == "reasoning":
            events.text(index, "think", events.text_of(index, block.get("reasoning")))
    events.text(index, "respond", text_of(index, message, events))
    for call in message.tool_calls:
        if call["name"] == RESERVED_NAME:
            events.void(str(call["args"].get(VOID_MEMBER, "")), call["id"])
        else:
            events.call(index, call["id"], call["name"], call["args"])
    for invalid in message.invalid_tool_calls:
        name, args = invalid["name"] or "", invalid["args"] or ""
        events.refuse(
            index,
            f"{short_repr(name)} is called with arguments that are not JSON: {short_repr(args)}",
        )
    events.execute()


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
        if kind == "text":
            said = block if isinstance(block, str) else block.get("text")
            texts.append(events.text_of(index, said))
        elif kind not in ("reasoning", "tool_call", "tool_use", "thinking"):
            events.note(index, "dropped", f"a block of the type {short_repr(kind)} has no event")
    if isinstance(message, AIMessage):  # the blocks of one text
        return "".join(texts)
    return events.joined(index, texts, "blocks of the content")
