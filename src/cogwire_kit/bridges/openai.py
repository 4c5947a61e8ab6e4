# SPDX-License-Identifier: MIT
"""OpenAI's chat completions, which many other servers and libraries support too.

It needs no package.  The messages are those that `openai` and `litellm` have types for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from cogwire import Change, Event, Toolset
from cogwire.tooling import HasDialect, short_repr
from cogwire_kit.bridges.common import order
from cogwire_kit.bridges.common import turns as p
from cogwire_kit.bridges.common.changes import JOINT
from cogwire_kit.bridges.common.order import PlacedMessage
from cogwire_kit.bridges.common.outcomes import json_text, read_outcome
from cogwire_kit.bridges.common.reading import ARGUMENTS_AS_JSON, Events, object_of, role_of
from cogwire_kit.bridges.common.reasons import reason_of
from cogwire_kit.bridges.common.shown import ShownTurn, shown_turns
from cogwire_kit.bridges.common.tools import declared

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
    from openai.types.shared_params import FunctionDefinition

__all__ = ["Chunks", "chunks", "from_messages", "to_messages", "tools"]

#: The member for each kind of text in a chunk.
_MEMBERS: Final = {"think": "reasoning_content", "respond": "content"}
#: The members of messages that are read.
_READ: Final = {
    "user": {"content"},
    "assistant": {"content", "tool_calls", "function_call", "refusal"},
    "tool": {"content", "tool_call_id", "name"},
    "function": {"content", "name"},
}
#: The members of calls and their functions that are read, or that change nothing.
_OF_CALLS: Final = frozenset({"id", "type", "index", "function", "name", "arguments"})


def tools(toolset: Toolset) -> "list[ChatCompletionFunctionToolParam]":
    """Return the tools of a toolset for `tools=`.

    Raises `ValueError` for a name that the API refuses.
    """
    definitions: list[ChatCompletionFunctionToolParam] = []
    for tool, schema in declared(toolset):
        function: FunctionDefinition = {"name": tool.name, "parameters": schema}
        if tool.description:
            function["description"] = tool.description
        definitions.append({"type": "function", "function": function})
    return definitions


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    system: str | None = None,
    think: bool = False,
    any_name: bool = False,
    report: list[Change] | None = None,
    strict: bool = True,
    places: list[list[int]] | None = None,
) -> "list[ChatCompletionMessageParam]":
    """Return a history as messages with `tool_calls`, after a `system` message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset,
    arguments that are text in its dialect have the types that it declares.  With `think`, reasoning
    is kept as `reasoning_content`, which OpenAI's own API refuses, and with `any_name` calls keep
    names that it refuses, as data sets have them.  What the messages cannot
    express, or express differently, is appended to `report`, and the indices of the events that
    each message is of, which are those of a whole turn of the model, to `places`.  Raises
    `ValueError`, naming the index, for anything but an event.
    """
    messages: list[dict[str, Any]] = []
    origins: list[list[int]] = []
    if system and system.strip():
        messages.append({"role": "system", "content": system})
        origins.append([])
    for turn in shown_turns(events, dialect, report, strict=strict, any_name=any_name):
        if turn.role == "user":
            messages += ({"role": "user", "content": text["content"]} for text in turn.texts)
            origins += ([text["index"]] for text in turn.texts)
            continue
        messages += _turn(turn, think=think)
        own = [*(text["index"] for text in turn.texts), *(call.place for call in turn.calls)]
        origins += [own] * (len(messages) - len(origins))
    if places is not None:
        places += origins
    return cast("list[ChatCompletionMessageParam]", messages)


def _turn(turn: ShownTurn, *, think: bool) -> Iterator[dict[str, Any]]:
    """Yield the message of a turn, and the messages that answer it."""
    content = turn.joined("respond")
    message: dict[str, Any] = {"role": "assistant", "content": content or None}
    if think:
        if reasoning := turn.joined("think"):
            message["reasoning_content"] = reasoning
        turn.note_moved()
    else:
        for text in turn.texts:
            if text["type"] == "think":
                turn.changes.note(text["index"], "dropped", "reasoning has no place here")
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.args},
            }
            for call in turn.calls
        ]
    else:
        message["content"] = content
    if len(message) > 2 or content:
        yield message
    for call in turn.calls:
        if (answer := call.answer()) is not None:
            yield {"role": "tool", "tool_call_id": call.id, "content": answer}
    if turn.void is not None:
        yield {"role": "user", "content": turn.void}


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Iterable[Any],
    *,
    report: list[Change] | None = None,
    strict: bool = True,
    places: list[int] | None = None,
) -> list[Event]:
    """Return the events that `messages` express; objects of an SDK are accepted as well.

    The index of the message that each event comes from is appended to `places`.
    The `index` in `report` is that of a message.  A system message has no event, and is left out.
    A result that other messages separate from its call, whose id it has, is read after the call,
    unless one of them is the user's.
    Raises `ValueError`, naming the index, for anything but a message, and for a call whose
    arguments are not a JSON object; without `strict` these are left out and reported, a call with
    its result.
    """
    events = Events(strict=strict)
    before: str | None = None
    for index, message in events.in_order(map(object_of, messages), _link_of):
        role = _role_in(message)
        if message is None or role not in ("system", "developer", *_READ):
            events.refuse(
                index, "not an object" if message is None else f"{short_repr(role)} is not a role"
            )
            continue
        if role not in ("tool", "function"):
            events.settle()
        read = _READ.get(str(role), {"content"}) | {"role"}
        is_empty = False
        if role == "user":
            text = events.text_of(index, message.get("content"), has_calls=False)
            events.text(index, "user", text)
            is_empty = not (text or message.get("content"))
        elif role == "assistant":
            if before == "assistant":
                events.note(index, "joined", "this is of one turn with the message before it")
            read |= _read_assistant(index, message, events)
            is_empty = not any(message.get(name) for name in read - {"role"})
        elif role in ("tool", "function"):
            _read_result(index, message, events)
        else:
            events.note(index, "dropped", f"a {role} message has no event")
        if role != "assistant" and message.get("tool_calls"):
            events.note(index, "skipped", f"calls are left out: {role!r} is not the model's role")
            read |= {"tool_calls"}
        if is_empty:
            events.note_empty(index)
        events.note_unread(index, message, read)
        before = str(role)
    return events.end(report, places)


def in_order(messages: Iterable[Any]) -> Iterator[PlacedMessage]:
    """Yield messages in the order in which they are read, with None for what is not an object."""
    return order.in_order(map(object_of, messages), _link_of)


def _link_of(message: Mapping[str, Any] | None) -> order.Link:
    role = _role_in(message)
    if message is None or role == "user":
        return role, ()
    if role == "tool":
        return role, [message.get("tool_call_id")]
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, Sequence) else ()
    return role, [(object_of(call) or {}).get("id") for call in listed]


def _role_in(message: Mapping[str, Any] | None) -> object:
    """Return the role of a message; data sets call a tool `ipython`, for example."""
    role = message.get("role") if message is not None else None
    return "tool" if role != "function" and role_of(role) == "tool" else role


def _read_result(index: int, message: Mapping[str, Any], events: Events) -> None:
    """Read the result of a call, which data sets also have as the value itself."""
    content = message.get("content")
    if content is None or isinstance(content, str | Sequence):
        text = events.text_of(index, content)
    else:
        try:
            text = json_text(content)
        except ValueError as problem:
            events.refuse(index, f"the result is not text. {problem}")
            return
        events.note(index, "retyped", "the result is not text: it is written as JSON")
    # The older form: one function call per message, answered by its name.
    name = message.get("name")
    known = name if isinstance(name, str) else None
    events.answer(index, message.get("tool_call_id"), read_outcome(text), known)


def _read_assistant(index: int, message: Mapping[str, Any], events: Events) -> frozenset[str]:
    """Read a message of the model, and return its members for reasoning that were read."""
    read = events.reasoning(index, message)
    has_calls = bool(message.get("tool_calls") or message.get("function_call"))
    text = events.text_of(index, message.get("content"), has_calls=has_calls)
    events.text(index, "respond", text)
    events.refusal(index, message.get("refusal"))
    calls = message.get("tool_calls") or []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        events.refuse(index, "`tool_calls` is not a list")
        calls = []
    if function := message.get("function_call"):
        calls = [*calls, {"function": function}]
    for call in calls:
        _read_call(index, object_of(call) or {}, events)
    events.execute()
    return read


def _read_call(index: int, call: Mapping[str, Any], events: Events) -> None:
    custom, function = object_of(call.get("custom")), object_of(call.get("function")) or {}
    if custom is not None:
        events.custom_call(index, call.get("id"), custom.get("name"), custom.get("input"))
        return
    if not function:  # data sets have calls without this member, too
        function = call
    events.note_unread(index, {**call, **function}, _OF_CALLS, "a call")
    arguments = function.get("arguments")
    if arguments is None:
        arguments = ""
    if not isinstance(arguments, str):
        events.note(index, "retyped", ARGUMENTS_AS_JSON)
    events.call(index, call.get("id"), function.get("name"), arguments)


# -- Streams ---------------------------------------------------------------------------------------


class Chunks(p.TurnWriter):
    """Takes the events of one turn as they arrive, and returns chunks as a server sends them.

    Each chunk is the JSON of one server-sent event; `data: [DONE]` ends them.  A turn that broke a
    rule, or was interrupted, ends with `{"error": …}`, for which clients raise: they run none of
    its calls.  `model`, `id` and `created` are members of the chunks, and `index` is that of their
    choice, where a request has several.  With `think`, reasoning is `reasoning_content`; otherwise
    it is left out.  `calls_before` is the number of calls in the history before this turn, from
    which calls get their ids.  With a `toolset` in whose dialect arguments are text, they have the
    types that it declares, and are sent when the call may run.
    """

    def __init__(
        self,
        *,
        model: str = "cogwire",
        id: str = "chatcmpl-cogwire",  # noqa: A002 (the name that the API has)
        created: int = 0,
        index: int = 0,
        think: bool = True,
        calls_before: int = 0,
        toolset: Toolset | None = None,
    ) -> None:
        self._index = index
        self._whole = {
            "id": id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
        }
        super().__init__(calls_before, toolset, think=think)
        self._kinds: set[str] = set()

    def _begin(self) -> Iterator[dict[str, Any]]:
        yield self._chunk({"role": "assistant", "content": ""})

    def _end(self) -> Iterator[dict[str, Any]]:
        if self._used is not None:
            read, written = self._used
            usage = {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
            }
            yield {**self._whole, "choices": [], "usage": usage}

    def _write(self, piece: p.Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, p.TextPiece):
            is_next = piece.is_first and piece.kind in self._kinds
            self._kinds.add(piece.kind)
            text = JOINT + piece.content if is_next else piece.content
            yield self._chunk({_MEMBERS[piece.kind]: text})
        elif isinstance(piece, p.CallStart):
            function = {"name": piece.name, "arguments": ""}
            call = {"index": piece.number, "id": piece.id, "type": "function", "function": function}
            yield self._chunk({"tool_calls": [call]})
        elif isinstance(piece, p.CallArgs):
            part = {"index": piece.number, "function": {"arguments": piece.content}}
            yield self._chunk({"tool_calls": [part]})
        elif isinstance(piece, p.Finished):
            reason = reason_of(piece.cut, "length", "content_filter") if piece.cut else "stop"
            yield self._chunk({}, "tool_calls" if piece.calls else reason)
        elif isinstance(piece, p.Broken):
            error = {"message": piece.message, "type": "invalid_turn", "code": piece.code}
            yield {"error": error}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": self._index, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._whole, "choices": [choice]}


def chunks(events: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[dict[str, Any]]:
    """Yield a turn as chunks as its events arrive; `options` are those of `Chunks`.

    If `events` is an `EventStream` whose source yielded a `Finish`, a text that was cut ends
    with `length`, or with `content_filter`.

    Raises `ValueError`, naming the index, for anything but an event.
    """
    return p.streamed(Chunks(**options), events)
