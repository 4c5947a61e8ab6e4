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
from cogwire.tooling import RESERVED_NAME, same_json
from cogwire_kit.bridges._calling import Caller, caller
from cogwire_kit.bridges._changes import Changes
from cogwire_kit.bridges._events import VOID_MEMBER, Events, json_text
from cogwire_kit.bridges._outcomes import Outcome, failure, plain_text, read_outcome, write_outcome
from cogwire_kit.bridges._turns import Call, Names, ShownTurn, shown_turns

#: The longest id and the longest name that the APIs which LangChain calls accept.
_LONGEST_ID: Final = 40
_LONGEST_NAME: Final = 64

_JOINT: Final = "\n\n"
#: Where LangChain looks for the reasoning of a message.
REASONING: Final = "reasoning_content"


def tools(toolset: Toolset, *, timeout: float | None = 60) -> list[StructuredTool]:
    """Return the tools of a toolset as agents accept them.

    Their calls are checked by the toolset, and run as `cogwire.aio.run` runs them, for at most
    `timeout` seconds; a failure is a message with the status `error`.  Raises `ValueError` for a
    tool without a function, and for a name that APIs refuse.
    """
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    call = caller(toolset, timeout)
    return [
        _tool(names.require(tool.name), tool.description, tool.parameters, call)
        for tool in toolset.tools
    ]


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
        args_schema={"title": name, **schema, "type": "object"},
        func=run_here,
        coroutine=run,
        handle_tool_error=True,
    )


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[BaseMessage]:
    """Return a history as messages, after a system message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  Reasoning is in
    `additional_kwargs`.  What the messages cannot express, or express differently, is appended to
    `report`.  Raises `ValueError`, naming the index, for anything but an event.
    """
    changes = Changes()
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    messages: list[BaseMessage] = []
    if system and system.strip():
        messages.append(SystemMessage(system))
    for turn in shown_turns(events, dialect, changes, names, strict=strict):
        if turn.role == "user":
            messages += (HumanMessage(text["content"]) for text in turn.texts)
        else:
            messages += _turn(turn, changes)
    changes.give(report)
    return messages


def _turn(turn: ShownTurn, changes: Changes) -> Iterator[BaseMessage]:
    """Yield the message of a turn, and the messages that answer it."""
    kinds: dict[str, list[str]] = {"think": [], "respond": []}
    for text in turn.texts:
        before = kinds[text["type"]]
        if before:
            changes.note(text["index"], "joined", "this is joined to the text of its kind before")
        if text["type"] == "think" and kinds["respond"]:
            changes.note(text["index"], "moved", "this came after prose, and is written before it")
        before.append(text["content"])
    calls = [ToolCall(name=call.name, args=_args(call, changes), id=call.id) for call in turn.calls]
    thought = _JOINT.join(kinds["think"])
    if calls or turn.texts:
        yield AIMessage(
            _JOINT.join(kinds["respond"]),
            tool_calls=calls,
            additional_kwargs={REASONING: thought} if thought else {},
        )
    for call in turn.calls:
        if call.outcome is not None:
            yield _answer(call, call.outcome, changes)
    if turn.void is not None:
        yield HumanMessage(turn.void)


def _args(call: Call, changes: Changes) -> dict[str, Any]:
    try:
        value = json.loads(call.args)
        text = json_text(value)
    except ValueError:  # an integer that is too long for Python
        value, text = json.loads(call.args, parse_int=float), ""
    if not same_json(call.args, text):
        changes.note(call.place, "retyped", "a number of the arguments is spelled otherwise")
    return dict(value)


def _answer(call: Call, outcome: Outcome, changes: Changes) -> ToolMessage:
    is_failure = outcome.status == "failure"
    text = plain_text(outcome.content) if is_failure else write_outcome(outcome)
    return ToolMessage(
        changes.text(call.place, text),
        tool_call_id=call.id,
        name=call.name,
        status="error" if is_failure else "success",
    )


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Sequence[BaseMessage], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express, such as those of an agent's state.

    An `index` of the report is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for an invalid call; without `strict` it is left out and
    reported, with its result.
    """
    changes = Changes()
    events = Events(changes, strict=strict)
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            read_answer(index, message, events, changes)
            continue
        events.settle()
        if isinstance(message, HumanMessage):
            events.text(index, "user", text_of(index, message, changes))
        elif isinstance(message, AIMessage):
            read_response(index, message, events, changes)
        else:
            changes.note(index, "dropped", f"a message of the type {message.type} has no event")
    events.settle()
    changes.give(report)
    return events.events


def read_response(index: int, message: AIMessage, events: Events, changes: Changes) -> None:
    """Read the text of a model, and the calls that may run."""
    for block in message.content_blocks:
        if block["type"] == "reasoning":
            events.text(index, "think", str(block.get("reasoning", "")))
    events.text(index, "respond", text_of(index, message, changes))
    for call in message.tool_calls:
        if call["name"] == RESERVED_NAME:
            events.void(str(call["args"].get(VOID_MEMBER, "")), call["id"])
        else:
            events.call(index, call["id"], call["name"], call["args"])
    for invalid in message.invalid_tool_calls:
        name, args = invalid["name"] or "", invalid["args"] or ""
        events.refuse(index, f"{name!r} is called with arguments that are not JSON: {args!r}")
    events.execute()


def read_answer(index: int, message: ToolMessage, events: Events, changes: Changes) -> None:
    """Read the result of a call."""
    text = text_of(index, message, changes)
    outcome = failure(text) if message.status == "error" else read_outcome(text)
    events.answer(index, message.tool_call_id, outcome)


def text_of(index: int, message: BaseMessage, changes: Changes) -> str:
    """Return the text of a message, whose content may be in blocks."""
    if isinstance(message.content, str):
        return message.content
    texts: list[str] = []
    for block in message.content:
        kind = "text" if isinstance(block, str) else block.get("type")
        if kind == "text":
            texts.append(block if isinstance(block, str) else str(block.get("text", "")))
        elif kind not in ("reasoning", "tool_call", "tool_use", "thinking"):
            changes.note(index, "dropped", f"a block of the type {kind!r} has no event")
    if isinstance(message, AIMessage):  # the blocks of one text
        return "".join(texts)
    if len(texts) > 1:
        changes.note(index, "joined", f"{len(texts)} blocks of the content are joined")
    return _JOINT.join(texts)
