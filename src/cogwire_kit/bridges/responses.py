# SPDX-License-Identifier: MIT
"""OpenAI's Responses API: histories as the items of `input`, those of `output` too, and streams.

It needs no package.  Where a chat completion has one message with `tool_calls`, the API has an item
for each text, for the reasoning and for each call, in the model's order; results are items as well.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from cogwire import Change, Event, Finish, Toolset
from cogwire.tooling import HasDialect, short_repr
from cogwire_kit.bridges.common import turns as p
from cogwire_kit.bridges.common.outcomes import read_outcome
from cogwire_kit.bridges.common.reading import ARGUMENTS_AS_JSON, Events, object_of
from cogwire_kit.bridges.common.reasons import reason_of
from cogwire_kit.bridges.common.shown import ShownTurn, shown_turns
from cogwire_kit.bridges.common.tools import declared

if TYPE_CHECKING:
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam

__all__ = ["Chunks", "chunks", "from_messages", "to_messages", "tools"]

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
    definitions: list[FunctionToolParam] = []
    for tool, schema in declared(toolset):
        function: FunctionToolParam = {
            "type": "function",
            "name": tool.name,
            "parameters": schema,
            "strict": False,
        }
        if tool.description:
            function["description"] = tool.description
        definitions.append(function)
    return definitions


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
    for turn in shown_turns(events, dialect, report, strict=strict):
        items += _turn(turn, think=think)
    thoughts = (each for each in items if each["type"] == "reasoning")
    for number, item in enumerate(thoughts):
        item["id"] = f"rs_{number}"
    return cast("list[ResponseInputItemParam]", items)


def _message(role: str, content: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def _turn(turn: ShownTurn, *, think: bool) -> Iterator[dict[str, Any]]:
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
    items: Iterable[Any],
    *,
    report: list[Change] | None = None,
    strict: bool = True,
    places: list[int] | None = None,
) -> list[Event]:
    """Return the events that items of `input` or `output` express; objects of an SDK as well.

    The index of the item that each event comes from is appended to `places`.
    The `index` in `report` is that of an item.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for anything but an item, and for a call whose arguments
    are not a JSON object; without `strict` these are left out and reported, a call with its result.
    """
    reader = _ItemReader(Events(strict=strict))
    for index, each in enumerate(items):
        item = object_of(each)
        if item is None:
            reader.events.refuse(index, "not an object")
        else:
            reader.read(index, item)
    reader.end_calls()
    return reader.events.end(report, places)


class _ItemReader:
    """Reads items, in which nothing but the kind of the next one ends a turn."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self._is_calling = False
        self._is_answered = False
        #: Why the model did not end the turn, if an item says so.
        self._cut = ""

    def read(self, index: int, item: Mapping[str, Any]) -> None:
        kind = item.get("type", "message" if "role" in item else None)
        if not isinstance(kind, str) or kind not in _READ:
            self.events.note(index, "dropped", f"an item of type {short_repr(kind)} has no event")
            return
        self.events.note_unread(index, item, _READ[kind] | _ALL, "an item")
        if kind.endswith("output"):
            self.end_calls()
            self._is_answered = True
            text = self.events.text_of(index, item.get("output"))
            self.events.answer(index, item.get("call_id"), read_outcome(text))
            return
        is_model = item.get("role", "assistant") == "assistant"
        if self._is_answered or not is_model:
            self.end_calls()
            self.events.settle()
            self._is_answered = False
        if is_model and (status := item.get("status")) not in (None, "", "completed"):
            self._cut = f"`status` is {short_repr(status)}"
        if kind == "message":
            self._message(index, item)
        elif kind == "reasoning":
            parts, summary = item.get("content"), item.get("summary")
            if parts and summary:
                self.events.note(index, "dropped", "the summary of whole reasoning has no event")
            parts = parts or summary
            self.events.text(index, "think", self.events.text_of(index, parts))
        else:
            self._call(index, item, kind)

    def end_calls(self) -> None:
        """Say that the calls so far may run, if there are any."""
        if self._is_calling:
            self.events.execute(cut=self._cut)
        self._is_calling = False
        self._cut = ""

    def _message(self, index: int, item: Mapping[str, Any]) -> None:
        role = item.get("role")
        if role in ("system", "developer"):
            self.events.note(index, "dropped", f"a {role} message has no event")
        elif role == "user" or role == "assistant":  # noqa: PLR1714 (it narrows the type)
            text = self.events.text_of(index, item.get("content"))
            self.events.text(index, "user" if role == "user" else "respond", text)
        else:
            self.events.refuse(index, f"{short_repr(role)} is not a role")

    def _call(self, index: int, item: Mapping[str, Any], kind: str) -> None:
        self._is_calling = True
        own_id, name, args = item.get("call_id"), item.get("name"), item.get("arguments", "")
        if kind == "custom_tool_call":
            self.events.custom_call(index, own_id, name, item.get("input"))
            return
        if not isinstance(args, str):
            self.events.note(index, "retyped", ARGUMENTS_AS_JSON)
        self.events.call(index, own_id, name, args)


# -- Streams ---------------------------------------------------------------------------------------


class Chunks(p.TurnWriter):
    """Takes the events of one turn as they arrive, and returns the API's events of a response.

    Each is the JSON of a server-sent event whose name is its `type`.  A call is done when all calls
    of the turn may run.  A turn that broke a rule, or was interrupted, ends with `response.failed`
    and an `error`, for which clients raise: none of its calls is ever done.  `model` and `id` are
    members of the response, and `created` is its time; ids of items contain that `id`.  With
    `think`, reasoning is an item; otherwise it is left out.  `calls_before` and `toolset` are those
    of Anthropic's `Chunks`.
    """

    def __init__(
        self,
        *,
        model: str = "cogwire",
        id: str = "resp_cogwire",  # noqa: A002 (the name that the API has)
        created: int = 0,
        think: bool = True,
        calls_before: int = 0,
        toolset: Toolset | None = None,
    ) -> None:
        self._response: dict[str, Any] = {
            "id": id,
            "object": "response",
            "created_at": created,
            "model": model,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
        super().__init__(calls_before, toolset, think=think)
        #: Part of the id of each item, so that ids of several responses differ.
        self._own_id = id.removeprefix("resp_")
        #: The items that have begun, and where among them the calls are.
        self._items: list[dict[str, Any]] = []
        self._calls: dict[str, int] = {}
        #: The pieces of the open text so far.
        self._parts: list[str] = []
        self._sent = 0

    def take(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take an event, and return the API's events that it completes.

        Raises `ValueError` for a text or a call of a later turn, which has an answer of its own,
        and for anything but an event.
        """
        return self._numbered(super().take(event))

    def close(self, finish: Finish | None = None) -> list[dict[str, Any]]:
        """End the turn, and return the last events, with its usage; `finish` is why it ends."""
        return self._numbered(super().close(finish))

    def _numbered(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        numbered = [{**each, "sequence_number": n} for n, each in enumerate(events, self._sent)]
        self._sent += len(events)
        return numbered

    def _begin(self) -> Iterator[dict[str, Any]]:
        for name in ("created", "in_progress"):
            yield self._state(f"response.{name}", "in_progress", output=[])

    def _end(self) -> Iterator[dict[str, Any]]:
        if self._finished is not None:
            members: dict[str, Any] = {}
            if cut := self._finished.cut:
                reason = reason_of(cut, "max_output_tokens", "content_filter")
                members["incomplete_details"] = {"reason": reason}
            status = "incomplete" if cut else "completed"
            yield self._state(f"response.{status}", status, **members)

    def _state(self, kind: str, status: str, **members: Any) -> dict[str, Any]:
        """Return an event with the whole response so far."""
        response = {**self._response, "status": status, "output": list(self._items), **members}
        used = p.Used(0, 0) if self._used is None and self._finished is not None else self._used
        if used is not None:
            read, written = used
            details = {"cached_tokens": 0, "cache_write_tokens": 0}
            response["usage"] = {
                "input_tokens": read,
                "input_tokens_details": details,
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + written,
            }
        return {"type": kind, "response": response}

    def _write(self, piece: p.Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, p.TextPiece | p.TextEnd):
            yield from self._text(piece)
        elif isinstance(piece, p.CallStart):
            self._calls[piece.id] = len(self._items)
            members = {"call_id": piece.id, "name": piece.name, "arguments": ""}
            yield self._begin_item("function_call", "fc", **members)
        elif isinstance(piece, p.CallArgs):
            kind = "response.function_call_arguments.delta"
            yield self._of_item(kind, self._calls[piece.id], delta=piece.content)
        elif isinstance(piece, p.Finished):
            for call in piece.calls:
                place = self._calls[call.id]
                kind = "response.function_call_arguments.done"
                yield self._of_item(kind, place, arguments=call.args)
                yield self._done(place, arguments=call.args)
        elif isinstance(piece, p.Broken):
            message = f"{piece.code}: {piece.message}"
            failed = {"code": "server_error", "message": message}
            yield self._state("response.failed", "failed", error=failed)
            error = {"code": piece.code, "message": message, "param": None}
            # The API's types have the members of its own event, and clients raise for `error`.
            yield {**error, "type": "error", "error": {**error, "type": "invalid_turn"}}

    def _text(self, piece: p.TextPiece | p.TextEnd) -> Iterator[dict[str, Any]]:
        """Yield the events of a message or of reasoning, each of which has one part."""
        is_think = piece.kind == "think"
        name = "reasoning_text" if is_think else "output_text"
        shared: dict[str, Any] = {"content_index": 0, **({} if is_think else {"logprobs": []})}
        part: dict[str, Any] = {"type": name, **({} if is_think else {"annotations": []})}
        place = len(self._items) - 1
        if isinstance(piece, p.TextEnd):
            text = "".join(self._parts)
            part["text"] = text
            yield self._of_item(f"response.{name}.done", place, text=text, **shared)
            yield self._of_item("response.content_part.done", place, content_index=0, part=part)
            yield self._done(place, content=[part])
            return
        if piece.is_first:
            place += 1
            self._parts = []
            members: dict[str, Any] = {"summary": []} if is_think else {"role": "assistant"}
            kind, prefix = ("reasoning", "rs") if is_think else ("message", "msg")
            yield self._begin_item(kind, prefix, content=[], **members)
            part["text"] = ""
            yield self._of_item("response.content_part.added", place, content_index=0, part=part)
        self._parts.append(piece.content)
        yield self._of_item(f"response.{name}.delta", place, delta=piece.content, **shared)

    def _begin_item(self, kind: str, prefix: str, **members: Any) -> dict[str, Any]:
        place = len(self._items)
        own_id = f"{prefix}_{self._own_id}_{place}"
        item = {"type": kind, "id": own_id, "status": "in_progress", **members}
        self._items.append(item)
        return {"type": "response.output_item.added", "output_index": place, "item": item}

    def _done(self, place: int, **members: Any) -> dict[str, Any]:
        item = {**self._items[place], "status": "completed", **members}
        self._items[place] = item
        return {"type": "response.output_item.done", "output_index": place, "item": item}

    def _of_item(self, kind: str, place: int, **members: Any) -> dict[str, Any]:
        own_id = self._items[place]["id"]
        return {"type": kind, "item_id": own_id, "output_index": place, **members}


def chunks(events: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[dict[str, Any]]:
    """Yield a turn as the events of a response as its events arrive; `options` as in `Chunks`.

    If `events` is an `EventStream` whose source yielded a `Finish`, a text that was cut ends
    with `response.incomplete`.  Raises `ValueError`, naming the index, for anything but an event.
    """
    return p.streamed(Chunks(**options), events)
