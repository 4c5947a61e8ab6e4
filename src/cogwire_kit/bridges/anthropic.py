# SPDX-License-Identifier: MIT
"""Anthropic's messages: text, thinking, calls and results as blocks of content.

It needs no package.  The messages are those that `anthropic` has types for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from cogwire import Change, Event, Toolset, TurnText
from cogwire.tooling import WHITE, same_json
from cogwire_kit.bridges._anthropic_stream import Chunks, chunks
from cogwire_kit.bridges._changes import Changes
from cogwire_kit.bridges._events import Events, json_text, members, plain
from cogwire_kit.bridges._outcomes import (
    Outcome,
    failure,
    is_same,
    plain_text,
    read_outcome,
    write_outcome,
)
from cogwire_kit.bridges._turns import Call, Names, ShownTurn, shown_turns

if TYPE_CHECKING:
    from anthropic.types import MessageParam, ToolParam

__all__ = ["Chunks", "chunks", "from_messages", "to_messages", "tools"]

#: The longest id and the longest name that the API accepts.
_LONGEST_ID: Final = 64
_LONGEST_NAME: Final = 64

_JOINT: Final = "\n\n"

_Block = dict[str, Any]

#: The members of blocks that are read, or that change nothing, such as those of caches.
_READ: Final = {
    "text": {"text", "cache_control"},
    "thinking": {"thinking"},
    "tool_use": {"id", "name", "input", "cache_control", "caller"},
    "tool_result": {"tool_use_id", "content", "is_error", "cache_control"},
}


def tools(toolset: Toolset) -> "list[ToolParam]":
    """Return the tools of a toolset for `tools=`.

    Raises `ValueError` for a name that the API refuses.
    """
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    given: list[ToolParam] = []
    for tool in toolset.tools:
        declared: ToolParam = {
            "name": names.require(tool.name),
            "input_schema": {**tool.parameters, "type": "object"},
        }
        if tool.description:
            declared["description"] = tool.description
        given.append(declared)
    return given


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str = "xml-json",
    *,
    think: bool = False,
    report: list[Change] | None = None,
    strict: bool = True,
) -> "list[MessageParam]":
    """Return a history as messages with `tool_use` and `tool_result` blocks.

    The system prompt is not a message: pass it to the API as `system=`.  `events`, `dialect` and
    `strict` are those of `cogwire.exchanges`.  With `think`, reasoning is kept as thinking blocks
    without a signature, which Anthropic's own API refuses.  What the messages cannot express, or
    express differently, is appended to `report`.  Raises `ValueError`, naming the index, for
    anything but an event.
    """
    changes = Changes()
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    messages: list[dict[str, Any]] = []
    for turn in shown_turns(events, dialect, changes, names, strict=strict):
        for role, block in _blocks(turn, changes, think=think):
            if not messages or messages[-1]["role"] != role:
                messages.append({"role": role, "content": []})
            messages[-1]["content"].append(block)
    changes.give(report)
    return cast("list[MessageParam]", messages)


def _blocks(
    turn: ShownTurn, changes: Changes, *, think: bool
) -> Iterator[tuple[Literal["user", "assistant"], _Block]]:
    """Yield the blocks of a turn and of its results, each with its role."""
    for text in turn.texts:
        if text["type"] == "user":
            yield turn.role, {"type": "text", "text": text["content"]}
        elif text["type"] == "respond":
            yield turn.role, {"type": "text", "text": _trimmed(text, changes)}
        elif think:
            yield turn.role, {"type": "thinking", "thinking": text["content"], "signature": ""}
        else:
            changes.note(text["index"], "dropped", "reasoning without a signature has no place")
    for call in turn.calls:
        yield (
            "assistant",
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": _input(call, changes),
            },
        )
    for call in turn.calls:
        if call.outcome is not None:
            yield "user", _result(call, call.outcome, changes)
    if turn.void is not None:
        yield "user", {"type": "text", "text": turn.void}


def _trimmed(text: TurnText, changes: Changes) -> str:
    """Return prose without trailing white space, which the API refuses in the last message."""
    content = text["content"].rstrip(WHITE)
    if content != text["content"]:
        changes.note(text["index"], "trimmed", "white space at the end of the text is left out")
    return content


def _input(call: Call, changes: Changes) -> object:
    """Return the arguments of a call as a value."""
    try:
        value = json.loads(call.args)
        text = json_text(value)
    except ValueError:  # an integer that is too long for Python
        value = json.loads(call.args, parse_int=float)
        text = ""
    if not same_json(call.args, text):
        changes.note(call.place, "retyped", "a number of the arguments is spelled otherwise")
    return value


def _result(call: Call, outcome: Outcome, changes: Changes) -> _Block:
    is_failure = outcome.status == "failure"
    text = plain_text(outcome.content) if is_failure else write_outcome(outcome)
    if not is_failure and not is_same(read_outcome(text), outcome):
        changes.note(call.place, "retyped", "the result is written as text")
    block: _Block = {"type": "tool_result", "tool_use_id": call.id, "content": text}
    if is_failure:
        block["is_error"] = True
    return block


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Iterable[Any], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express; objects of the SDK are accepted as well.

    An `index` of the report is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for anything but a message, and for a call whose input is
    not an object; without `strict` these are left out and reported, a call with its result.
    """
    changes = Changes()
    events = Events(changes, strict=strict)
    for index, given in enumerate(messages):
        message = members(plain(given))
        role = message.get("role") if message is not None else None
        if message is None or role not in ("system", "user", "assistant"):
            events.refuse(index, "not an object" if message is None else f"{role!r} is not a role")
            continue
        if role == "system":
            changes.note(index, "dropped", "a system message has no event")
            continue
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, Iterable):
            events.refuse(index, "`content` is neither a string nor a list of blocks")
            continue
        if role == "assistant":
            events.settle()
            _read_assistant(index, blocks, events, changes)
        else:
            _read_user(index, blocks, events, changes)
    events.settle()
    changes.give(report)
    return events.events


def _read_assistant(index: int, blocks: Iterable[Any], events: Events, changes: Changes) -> None:
    has_calls = False
    for block in _read_blocks(index, blocks, changes):
        kind = block.get("type")
        if kind == "text":
            if has_calls:
                changes.note(index, "moved", "this text came after a call")
            events.text(index, "respond", str(block.get("text", "")))
        elif kind == "thinking":
            events.text(index, "think", str(block.get("thinking", "")))
        elif kind == "tool_use":
            has_calls = True
            events.call(index, block.get("id"), block.get("name"), block.get("input"))
        else:
            changes.note(index, "dropped", f"a block of type {kind!r} has no event")
    events.execute()


def _read_user(index: int, blocks: Iterable[Any], events: Events, changes: Changes) -> None:
    texts: list[str] = []
    for block in _read_blocks(index, blocks, changes):
        kind = block.get("type")
        if kind == "tool_result":
            text = _result_text(index, block.get("content"), changes)
            outcome = failure(text) if block.get("is_error") is True else read_outcome(text)
            events.answer(index, block.get("tool_use_id"), outcome)
        elif kind == "text":
            texts.append(str(block.get("text", "")))
        else:
            changes.note(index, "dropped", f"a block of type {kind!r} has no event")
    events.settle()
    for text in texts:
        events.text(index, "user", text)


def _read_blocks(
    index: int, blocks: Iterable[Any], changes: Changes
) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks, and note members that no event can express."""
    for given in blocks:
        block = members(plain(given))
        if block is None:
            changes.note(index, "dropped", "a block that is not an object has no event")
            continue
        yield block
        read = _READ.get(str(block.get("type")))
        if read is not None:
            for name, value in block.items():
                if name not in read | {"type"} and value not in (None, [], {}, "", False):
                    message = f"{name!r} of a {block['type']} block has no event"
                    changes.note(index, "dropped", message)


def _result_text(index: int, content: object, changes: Changes) -> str:
    """Return the text of a result, which may be in blocks."""
    if content is None or isinstance(content, str):
        return content or ""
    texts: list[str] = []
    for block in _read_blocks(index, content if isinstance(content, Iterable) else (), changes):
        if block.get("type") == "text":
            texts.append(str(block.get("text", "")))
        else:
            message = f"a block of type {block.get('type')!r} in a result has no event"
            changes.note(index, "dropped", message)
    if len(texts) > 1:
        changes.note(index, "joined", f"{len(texts)} blocks of a result are joined")
    return _JOINT.join(texts)
