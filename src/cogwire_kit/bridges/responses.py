# SPDX-License-Identifier: MIT
"""OpenAI's Responses API: histories as the items of `input`, which are those of `output` too.

It needs no package.  Where a chat completion has one message with `tool_calls`, the API has an item
for each text, for the reasoning and for each call, in the model's order; results are items as well.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from cogwire import Change, Event, Toolset
from cogwire.tooling import HasDialect
from cogwire_kit.bridges.common import turns as p
from cogwire_kit.bridges.common.outcomes import read_outcome
from cogwire_kit.bridges.common.reading import Events, object_of
from cogwire_kit.bridges.common.tools import declared

if TYPE_CHECKING:
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam

__all__ = ["from_messages", "to_messages", "tools"]

#: The members of items that are read, or say nothing that an event could.
_READ: Final = {
    "message": {"role", "content", "phase"},
    "reasoning": {"content", "summary"},
    "function_call": {"call_id", "name", "arguments"},
    "custom_tool_call": {"call_id", "name", "input"},
    "function_call_output": {"call_id", "output"},
    "custom_tool_call_output": {"call_id", "output"},
}
_ALL: Final = frozenset({"type", "id", "status"})


def tools(toolset: Toolset) -> "list[FunctionToolParam]":
    """Return the tools of a toolset for `tools=`.

    They are not `strict`, because that allows only some schemas.  Raises `ValueError` for a name
    that the API refuses.
    """
    given: list[FunctionToolParam] = []
    for tool, schema in declared(toolset):
        function: FunctionToolParam = {
            "type": "function",
            "name": tool.name,
            "parameters": schema,
            "strict": False,
        }
        if tool.description:
            function["description"] = tool.description
        given.append(function)
    return given


# -- From events to items -------------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    think: bool = False,
    report: list[Change] | None = None,
    strict: bool = True,
) -> "list[ResponseInputItemParam]":
    """Return a history as items of `input`, after a `system` message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  With `think`, reasoning
    is kept as `reasoning` items, which OpenAI's own API accepts only with the ids that it gave
    them.  What the items cannot express, or express differently, is appended to `report`.  Raises
    `ValueError`, naming the index, for anything but an event.
    """
    items: list[dict[str, Any]] = []
    if system and system.strip():
        items.append(_message("system", system))
    for turn in p.shown_turns(events, dialect, report, strict=strict):
        items += _turn(turn, think=think)
    thoughts = (each for each in items if each["type"] == "reasoning")
    for number, item in enumerate(thoughts):
        item["id"] = f"rs_{number}"
    return cast("list[ResponseInputItemParam]", items)


def _message(role: str, content: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def _turn(turn: p.ShownTurn, *, think: bool) -> Iterator[dict[str, Any]]:
    """Yield the items of a turn, and those that answer it."""
    for text in turn.texts:
        if text["type"] != "think":
            yield _message(turn.role, text["content"])
        elif think:
            part = {"type": "reasoning_text", "text": text["content"]}
            yield {"type": "reasoning", "id": "", "summary": [], "content": [part]}
        else:
            turn.changes.note(text["index"], "dropped", "reasoning has no place here")
    for call in turn.calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.args,
        }
    for call in turn.calls:
        if (answer := call.answer()) is not None:
            yield {"type": "function_call_output", "call_id": call.id, "output": answer}
    if turn.void is not None:
        yield _message("user", turn.void)


# -- From items to events -------------------------------------------------------------------------


def from_messages(
    items: Iterable[Any], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that items of `input` or `output` express; objects of an SDK as well.

    An `index` of the report is that of an item.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for anything but an item, and for a call whose arguments
    are not a JSON object; without `strict` these are left out and reported, a call with its result.
    """
    reader = _Reader(Events(strict=strict))
    for index, given in enumerate(items):
        item = object_of(given)
        if item is None:
            reader.events.refuse(index, "not an object")
        else:
            reader.read(index, item)
    reader.end_calls()
    return reader.events.end(report)


class _Reader:
    """Reads items, in which nothing but the kind of the next one ends a turn."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self._is_calling = False
        self._is_answered = False

    def read(self, index: int, item: Mapping[str, Any]) -> None:
        """Take the next item."""
        kind = item.get("type", "message" if "role" in item else None)
        if kind not in _READ:
            self.events.note(index, "dropped", f"an item of type {kind!r} has no event")
            return
        for name in item.keys() - _READ[kind] - _ALL:
            if item[name] not in (None, [], {}, ""):
                self.events.note(index, "dropped", f"{name!r} of an item has no event")
        if kind.endswith("output"):
            self.end_calls()
            self._is_answered = True
            text = self.events.text_of(index, item.get("output"))
            self.events.answer(index, item.get("call_id"), read_outcome(text))
            return
        if self._is_answered or item.get("role", "assistant") != "assistant":
            self.end_calls()
            self.events.settle()
            self._is_answered = False
        if kind == "message":
            self._message(index, item)
        elif kind == "reasoning":
            parts = item.get("content") or item.get("summary")
            self.events.text(index, "think", self.events.text_of(index, parts))
        else:
            self._call(index, item, kind)

    def end_calls(self) -> None:
        """Say that the calls so far may run, if there are any."""
        if self._is_calling:
            self.events.execute()
        self._is_calling = False

    def _message(self, index: int, item: Mapping[str, Any]) -> None:
        role = item.get("role")
        if role in ("system", "developer"):
            self.events.note(index, "dropped", f"a {role} message has no event")
        elif role == "user" or role == "assistant":  # noqa: PLR1714 (it narrows the type)
            text = self.events.text_of(index, item.get("content"))
            self.events.text(index, "user" if role == "user" else "respond", text)
        else:
            self.events.refuse(index, f"{role!r} is not a role")

    def _call(self, index: int, item: Mapping[str, Any], kind: str) -> None:
        self._is_calling = True
        args = item.get("arguments", "")
        if kind == "custom_tool_call":
            message = "the text for a custom tool is read as its argument `input`"
            self.events.note(index, "retyped", message)
            args = {"input": item.get("input")}
        elif not isinstance(args, str):
            message = "the arguments are not text: they are written as JSON"
            self.events.note(index, "retyped", message)
        self.events.call(index, item.get("call_id"), item.get("name"), args)
