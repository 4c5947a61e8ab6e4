# SPDX-License-Identifier: MIT
"""Histories as the messages of AG-UI, which a run's input contains, and tools as its tools."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ag_ui.core import (
    AssistantMessage,
    FunctionCall,
    Message,
    ReasoningMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

from cogwire import Change, Event, Toolset
from cogwire.tooling import HasDialect
from cogwire_kit.bridges.common.outcomes import failure, read_outcome
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.tools import declared
from cogwire_kit.bridges.common.turns import ShownTurn, shown_turns


def tools(toolset: Toolset) -> list[Tool]:
    """Return the tools of a toolset, for a `RunAgentInput`.

    Raises `ValueError` for a name that providers refuse.
    """
    return [
        Tool(name=tool.name, description=tool.description, parameters=schema)
        for tool, schema in declared(toolset)
    ]


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    report: list[Change] | None = None,
    strict: bool = True,
) -> list[Message]:
    """Return a history as messages, for a `MessagesSnapshotEvent`.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  What the messages
    cannot express, or express differently, is appended to `report`.  Raises `ValueError`, naming
    the index, for anything but an event.
    """
    messages: list[Message] = []
    for turn in shown_turns(events, dialect, report, strict=strict):
        for message in _messages(turn):
            message.id = f"message_{len(messages)}"
            messages.append(message)
    return messages


def _messages(turn: ShownTurn) -> Iterator[Message]:
    """Yield the messages of a turn, which have no ids yet."""
    calls = [
        ToolCall(id=call.id, function=FunctionCall(name=call.name, arguments=call.args))
        for call in turn.calls
    ]
    texts = turn.texts
    for text in texts:
        if text["type"] == "user":
            yield UserMessage(id="", content=text["content"])
        elif text["type"] == "think":
            yield ReasoningMessage(id="", content=text["content"])
        elif text is texts[-1] and calls:
            yield AssistantMessage(id="", content=text["content"], tool_calls=calls)
        else:
            yield AssistantMessage(id="", content=text["content"])
    if calls and not (texts and texts[-1]["type"] == "respond"):
        yield AssistantMessage(id="", tool_calls=calls)
    for call in turn.calls:
        if (sent := call.sent()) is not None:
            answer, is_failure = sent
            error = answer if is_failure else None
            yield ToolMessage(id="", tool_call_id=call.id, content=answer, error=error)
    if turn.void is not None:
        yield UserMessage(id="", content=turn.void)


def from_messages(
    messages: Iterable[Message], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express, such as those of a `RunAgentInput`.

    An `index` of the report is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for a call whose arguments are not a JSON object; without
    `strict` it is left out and reported, with its result.
    """
    events = Events(strict=strict)
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            text = text_of(index, message.content, events)
            outcome = read_outcome(text)
            if message.error is not None:
                if message.error != text:
                    events.note(index, "joined", "the error is joined to the content")
                    text = "\n".join(filter(None, (message.error, text)))
                outcome = failure(text)
            events.answer(index, message.tool_call_id, outcome)
            continue
        events.settle()
        if isinstance(message, UserMessage):
            events.text(index, "user", text_of(index, message.content, events))
        elif isinstance(message, ReasoningMessage):
            events.text(index, "think", message.content)
        elif isinstance(message, AssistantMessage):
            events.text(index, "respond", message.content or "")
            for call in message.tool_calls or ():
                events.call(index, call.id, call.function.name, call.function.arguments)
            events.execute()
        else:
            events.note(index, "dropped", f"a message of the role {message.role} has no event")
        if getattr(message, "encrypted_value", None):
            events.note(index, "dropped", "the encrypted value of a message has no event")
    return events.end(report)


def text_of(index: int, content: str | list[Any], events: Events) -> str:
    """Return the text of a message, whose content may be in parts."""
    if isinstance(content, str):
        return content
    texts = [part.text for part in content if part.type == "text"]
    if len(texts) < len(content):
        events.note(index, "dropped", "content that is not text has no event")
    return events.joined(index, texts, "parts of the content")
