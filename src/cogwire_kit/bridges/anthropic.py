# SPDX-License-Identifier: MIT
"""Anthropic's messages: text, thinking, calls and results as blocks of content.

It needs no package.  The messages are those that `anthropic` has types for.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from cogwire import Change, Event, Toolset, TurnText
from cogwire.tooling import WHITE, HasDialect, short_repr
from cogwire_kit.bridges.common import turns as p
from cogwire_kit.bridges.common.changes import Changes
from cogwire_kit.bridges.common.outcomes import failure, read_outcome
from cogwire_kit.bridges.common.reading import Events, object_of
from cogwire_kit.bridges.common.reasons import cut_of, reason_of
from cogwire_kit.bridges.common.shown import ShownTurn, shown_turns
from cogwire_kit.bridges.common.tools import declared

if TYPE_CHECKING:
    from anthropic.types import MessageParam, ToolParam

__all__ = ["Chunks", "chunks", "from_messages", "to_messages", "tools"]

#: The longest id that the API accepts.
_LONGEST_ID: Final = 64
#: The reasons of a text that the model did not end.
_CUT: Final = ("max_tokens", "refusal", "model_context_window_exceeded")
#: The type and the member of a piece of a text.
_DELTAS: Final = {"think": ("thinking_delta", "thinking"), "respond": ("text_delta", "text")}

_Block = dict[str, Any]

#: The members of blocks that are read, or that change nothing, such as those of caches.
_READ: Final = {
    "text": {"text", "cache_control"},
    "thinking": {"thinking"},
    "tool_use": {"id", "name", "input", "cache_control", "caller"},
    "tool_result": {"tool_use_id", "content", "is_error", "cache_control"},
}


#: The other types of blocks that the API has.
_OTHERS: Final = frozenset(
    {"image", "document", "search_result", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
    | {"mcp_tool_result", "container_upload", "web_search_tool_result", "web_fetch_tool_result"}
    | {"code_execution_tool_result", "bash_code_execution_tool_result", "thinking"}
    | {"text_editor_code_execution_tool_result", "tool_search_tool_result", "tool_use"}
    | {"tool_result"}
)


def tools(toolset: Toolset) -> "list[ToolParam]":
    """Return the tools of a toolset for `tools=`.

    Raises `ValueError` for a name that the API refuses.
    """
    definitions: list[ToolParam] = []
    for tool, schema in declared(toolset):
        definition: ToolParam = {"name": tool.name, "input_schema": schema}
        if tool.description:
            definition["description"] = tool.description
        definitions.append(definition)
    return definitions


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str | HasDialect = "xml-json",
    *,
    think: bool = False,
    report: list[Change] | None = None,
    strict: bool = True,
) -> "list[MessageParam]":
    """Return a history as messages with `tool_use` and `tool_result` blocks.

    The system prompt is not a message: pass it to the API as `system=`.  `events`, `dialect` and
    `strict` are those of `cogwire.exchanges`.  If `dialect` is a toolset, arguments that are text
    in its dialect have the types that it declares.  With `think`, reasoning is kept as thinking
    blocks without a signature, which Anthropic's own API refuses.  What the messages cannot
    express, or express differently, is appended to `report`.  Raises `ValueError`, naming the
    index, for anything but an event.
    """
    messages: list[dict[str, Any]] = []
    for turn in shown_turns(events, dialect, report, strict=strict, longest_id=_LONGEST_ID):
        for role, block in _blocks(turn, think=think):
            if not messages or messages[-1]["role"] != role:
                messages.append({"role": role, "content": []})
            messages[-1]["content"].append(block)
    return cast("list[MessageParam]", messages)


def _blocks(
    turn: ShownTurn, *, think: bool
) -> Iterator[tuple[Literal["user", "assistant"], _Block]]:
    """Yield the blocks of a turn and of its results, each with its role."""
    for text in turn.texts:
        if text["type"] == "user":
            yield turn.role, {"type": "text", "text": text["content"]}
        elif text["type"] == "respond":
            yield turn.role, {"type": "text", "text": _trimmed(text, turn.changes)}
        elif think:
            yield turn.role, {"type": "thinking", "thinking": text["content"], "signature": ""}
        else:
            message = "reasoning without a signature has no place"
            turn.changes.note(text["index"], "dropped", message)
    for call in turn.calls:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.values()}
        yield "assistant", block
    for call in turn.calls:
        if (sent := call.sent()) is not None:
            block = {"type": "tool_result", "tool_use_id": call.id, "content": sent[0]}
            yield "user", {**block, "is_error": True} if sent[1] else block
    if turn.void is not None:
        yield "user", {"type": "text", "text": turn.void}


def _trimmed(text: TurnText, changes: Changes) -> str:
    """Return prose without trailing white space, which the API refuses in the last message."""
    content = text["content"].rstrip(WHITE)
    if content != text["content"]:
        changes.note(text["index"], "trimmed", "white space at the end of the text is left out")
    return content


#: The members of a message that are read, and those in which a response says how it was made.
_MESSAGE: Final = frozenset({"role", "content", "id", "type", "model", "container"}) | {
    "stop_reason",
    "stop_sequence",
    "usage",
}


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Iterable[Any],
    *,
    report: list[Change] | None = None,
    strict: bool = True,
    places: list[int] | None = None,
) -> list[Event]:
    """Return the events that `messages` express; objects of the SDK are accepted as well.

    The index of the message that each event comes from is appended to `places`.
    The `index` in `report` is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for anything but a message, and for a call whose input is
    not an object; without `strict` these are left out and reported, a call with its result.
    """
    events = Events(strict=strict)
    for index, each in enumerate(messages):
        message = object_of(each)
        role = message.get("role") if message is not None else None
        if message is None or role not in ("system", "user", "assistant"):
            events.refuse(
                index, "not an object" if message is None else f"{short_repr(role)} is not a role"
            )
            continue
        if role == "system":
            events.note(index, "dropped", "a system message has no event")
            continue
        events.note_unread(index, message, _MESSAGE)
        content = message.get("content")
        blocks = content
        if isinstance(content, str):
            blocks = [{"type": "text", "text": content}] if content else []
        if not isinstance(blocks, Iterable):
            events.refuse(index, "`content` is neither a string nor a list of blocks")
            continue
        if not blocks:
            events.note_empty(index)
        if role == "assistant":
            events.settle()
            reason = message.get("stop_reason")
            cut = cut_of([("stop_reason", reason)])
            if not reason and message.get("type") == "message":
                # A response whose stream broke: the SDK has completed the input of its calls.
                cut = "the response has no `stop_reason`"
            _read_assistant(index, blocks, events, cut)
        else:
            _read_user(index, blocks, events)
    return events.end(report, places)


def _read_assistant(index: int, blocks: Iterable[Any], events: Events, cut: str) -> None:
    has_calls = False
    for block in _read_blocks(index, blocks, events):
        kind = block.get("type")
        if kind == "text":
            if has_calls:
                events.note(index, "moved", "this text came after a call")
            events.text(index, "respond", events.text_of(index, block.get("text")))
        elif kind == "thinking":
            events.text(index, "think", events.text_of(index, block.get("thinking")))
        elif kind == "tool_use":
            has_calls = True
            _read_call(index, block, events)
        else:
            _note_other(index, kind, events)
    events.execute(cut=cut)


def _read_call(index: int, block: Mapping[str, Any], events: Events) -> None:
    own_id, name, args = (block.get(member) for member in ("id", "name", "input"))
    if isinstance(args, str):
        known = own_id if isinstance(own_id, str) and own_id else None
        events.refuse_call(index, known, name, "`input` is text, and not an object.")
    else:
        events.call(index, own_id, name, args)


def _note_other(index: int, kind: object, events: Events) -> None:
    """Note a block that no event can express, or that the API does not have."""
    if isinstance(kind, str) and kind in _OTHERS:
        events.note(index, "dropped", f"a block of type {kind!r} has no event")
    else:
        events.note(
            index, "skipped", f"this is left out: {short_repr(kind)} is not a type of block"
        )


def _read_user(index: int, blocks: Iterable[Any], events: Events) -> None:
    texts: list[str] = []
    for block in _read_blocks(index, blocks, events):
        kind = block.get("type")
        if kind == "tool_result":
            if texts:
                events.note(index, "moved", "this result came after a text")
            text = _result_text(index, block.get("content"), events)
            outcome = failure(text) if block.get("is_error") is True else read_outcome(text)
            events.answer(index, block.get("tool_use_id"), outcome)
        elif kind == "text":
            texts.append(events.text_of(index, block.get("text")))
        else:
            _note_other(index, kind, events)
    if texts:  # the API joins messages in a row, so that the next one may have other results
        events.settle()
    for text in texts:
        events.text(index, "user", text)


def _read_blocks(index: int, blocks: Iterable[Any], events: Events) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks, and note members that no event can express."""
    for each in blocks:
        block = object_of(each)
        if block is None:
            events.note(index, "dropped", "a block that is not an object has no event")
            continue
        yield block
        kind = block.get("type")
        if isinstance(kind, str) and kind in _READ:
            members = {name: value for name, value in block.items() if value is not False}
            events.note_unread(index, members, _READ[kind] | {"type"}, f"a {kind} block")


def _result_text(index: int, content: object, events: Events) -> str:
    """Return the text of a result, which may be in blocks."""
    if content is None or isinstance(content, str):
        return content or ""
    texts: list[str] = []
    for block in _read_blocks(
        index, content if isinstance(content, Iterable) else [content], events
    ):
        if block.get("type") == "text":
            texts.append(events.text_of(index, block.get("text")))
        else:
            message = f"a block of type {short_repr(block.get('type'))} in a result has no event"
            events.note(index, "dropped", message)
    return events.joined(index, texts, "blocks of a result")


# -- Streams ---------------------------------------------------------------------------------------


class Chunks(p.TurnWriter):
    """Takes the events of one turn as they arrive, and returns events as a server sends them.

    Each is the JSON of a server-sent event whose name is its `type`.  A turn that broke a rule, or
    was interrupted, ends with an `error`, for which clients raise: they run none of its calls.
    `model` and `id` are members of the message.  With `think`, reasoning is a thinking block
    without a signature; otherwise it is left out.  `calls_before` is the number of calls in the
    history before this turn, from which calls get their ids.  With a `toolset` in whose dialect
    arguments are text, they have the types that it declares, and are sent when the call may run.
    """

    def __init__(
        self,
        *,
        model: str = "cogwire",
        id: str = "msg_cogwire",  # noqa: A002 (the name that the API has)
        think: bool = True,
        calls_before: int = 0,
        toolset: Toolset | None = None,
    ) -> None:
        self._message: dict[str, Any] = {
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        super().__init__(calls_before, toolset, think=think)
        #: How many content blocks have begun.
        self._blocks = 0

    def _begin(self) -> Iterator[dict[str, Any]]:
        yield {"type": "message_start", "message": self._message}

    def _write(self, piece: p.Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, p.TextPiece | p.TextEnd):
            yield from self._text(piece)
        elif isinstance(piece, p.CallStart):
            call = {"type": "tool_use", "id": piece.id, "name": piece.name, "input": {}}
            yield self._begin_block(call)
        elif isinstance(piece, p.CallArgs):
            yield self._delta({"type": "input_json_delta", "partial_json": piece.content})
        elif isinstance(piece, p.CallEnd):
            yield self._end_block()
        elif isinstance(piece, p.Broken):
            message = f"{piece.code}: {piece.message}"
            yield {"type": "error", "error": {"type": "invalid_turn", "message": message}}

    def _end(self) -> Iterator[dict[str, Any]]:
        if self._finished is not None:
            calls, cut = self._finished
            reason = reason_of(cut, *_CUT) if cut else "end_turn"
            delta = {"stop_reason": "tool_use" if calls else reason, "stop_sequence": None}
            read, written = self._used or p.Used(0, 0)
            usage = {"input_tokens": read, "output_tokens": written}
            yield {"type": "message_delta", "delta": delta, "usage": usage}
            yield {"type": "message_stop"}

    def _text(self, piece: p.TextPiece | p.TextEnd) -> Iterator[dict[str, Any]]:
        if isinstance(piece, p.TextEnd):
            yield self._end_block()
            return
        if piece.is_first:
            is_think = piece.kind == "think"
            yield self._begin_block(
                {"type": "thinking", "thinking": "", "signature": ""}
                if is_think
                else {"type": "text", "text": "", "citations": None}
            )
        kind, member = _DELTAS[piece.kind]
        yield self._delta({"type": kind, member: piece.content})

    def _begin_block(self, block: dict[str, Any]) -> dict[str, Any]:
        self._blocks += 1
        return {
            "type": "content_block_start",
            "index": self._blocks - 1,
            "content_block": block,
        }

    def _delta(self, delta: dict[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": self._blocks - 1, "delta": delta}

    def _end_block(self) -> dict[str, Any]:
        return {"type": "content_block_stop", "index": self._blocks - 1}


def chunks(events: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[dict[str, Any]]:
    """Yield a turn as the events of a stream as its events arrive; `options` as in `Chunks`.

    If `events` is an `EventStream` whose source yielded a `Finish`, a text that was cut ends
    with `max_tokens`, or with another such reason that the API has.

    Raises `ValueError`, naming the index, for anything but an event.
    """
    return p.streamed(Chunks(**options), events)
