# SPDX-License-Identifier: MIT
"""OpenAI's chat completions, which many other servers and libraries support too.

It needs no package.  The messages are those that `openai` and `litellm` have types for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from cogwire import Change, Event, Toolset
from cogwire_kit.bridges._changes import Changes
from cogwire_kit.bridges._events import Events, members, plain
from cogwire_kit.bridges._openai_chunks import JOINT, Chunks, chunks
from cogwire_kit.bridges._outcomes import Outcome, is_same, read_outcome, write_outcome
from cogwire_kit.bridges._turns import Call, Names, ShownTurn, shown_turns

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
    from openai.types.shared_params import FunctionDefinition

__all__ = ["Chunks", "chunks", "from_messages", "to_messages", "tools"]

#: The longest id and the longest name that the API accepts.
_LONGEST_ID: Final = 40
_LONGEST_NAME: Final = 64

#: The members of messages that are read.
_READ: Final = {
    "user": {"content"},
    "assistant": {"content", "tool_calls", "function_call", "refusal"},
    "tool": {"content", "tool_call_id", "name"},
    "function": {"content", "name"},
}
#: The members for reasoning, in various servers.
_REASONING: Final = ("reasoning_content", "reasoning")


def tools(toolset: Toolset) -> "list[ChatCompletionFunctionToolParam]":
    """Return the tools of a toolset for `tools=`.

    Raises `ValueError` for a name that the API refuses.
    """
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    given: list[ChatCompletionFunctionToolParam] = []
    for tool in toolset.tools:
        function: FunctionDefinition = {
            "name": names.require(tool.name),
            "parameters": {**tool.parameters, "type": "object"},
        }
        if tool.description:
            function["description"] = tool.description
        given.append({"type": "function", "function": function})
    return given


# -- From events to messages ----------------------------------------------------------------------


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str = "xml-json",
    *,
    system: str | None = None,
    think: bool = False,
    report: list[Change] | None = None,
    strict: bool = True,
) -> "list[ChatCompletionMessageParam]":
    """Return a history as messages with `tool_calls`, after a `system` message if one is given.

    `events`, `dialect` and `strict` are those of `cogwire.exchanges`.  With `think`, reasoning is
    kept as `reasoning_content`, which OpenAI's own API refuses.  What the messages cannot express,
    or express differently, is appended to `report`.  Raises `ValueError`, naming the index, for
    anything but an event.
    """
    changes = Changes()
    names = Names(_LONGEST_ID, _LONGEST_NAME)
    messages: list[dict[str, Any]] = []
    if system and system.strip():
        messages.append({"role": "system", "content": system})
    for turn in shown_turns(events, dialect, changes, names, strict=strict):
        if turn.role == "user":
            messages += ({"role": "user", "content": text["content"]} for text in turn.texts)
        else:
            messages += _turn(turn, changes, think=think)
    changes.give(report)
    return cast("list[ChatCompletionMessageParam]", messages)


def _turn(turn: ShownTurn, changes: Changes, *, think: bool) -> Iterator[dict[str, Any]]:
    """Yield the message of a turn, and the messages that answer it."""
    message: dict[str, Any] = {"role": "assistant"}
    content = _joined(turn, "respond", changes)
    if content or not turn.calls:
        message["content"] = content
    else:
        message["content"] = None
    if think:
        if reasoning := _joined(turn, "think", changes):
            message["reasoning_content"] = reasoning
        _note_moved(turn, changes)
    else:
        for text in turn.texts:
            if text["type"] == "think":
                changes.note(text["index"], "dropped", "reasoning has no place here")
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.args},
            }
            for call in turn.calls
        ]
    if len(message) > 2 or content:
        yield message
    for call in turn.calls:
        if call.outcome is not None:
            answer = _outcome_text(call, call.outcome, changes)
            yield {"role": "tool", "tool_call_id": call.id, "content": answer}
    if turn.void is not None:
        yield {"role": "user", "content": turn.void}


def _joined(turn: ShownTurn, kind: str, changes: Changes) -> str:
    """Return the texts of one kind as one."""
    texts = [text for text in turn.texts if text["type"] == kind]
    for text in texts[1:]:
        changes.note(text["index"], "joined", "this is joined to the text of its kind before it")
    return JOINT.join(text["content"] for text in texts)


def _note_moved(turn: ShownTurn, changes: Changes) -> None:
    """Note reasoning after prose, which will be read before it."""
    is_after = False
    for text in turn.texts:
        if text["type"] == "respond":
            is_after = True
        elif is_after:
            changes.note(text["index"], "moved", "this came after prose, and is written before it")


def _outcome_text(call: Call, outcome: Outcome, changes: Changes) -> str:
    text = write_outcome(outcome)
    if not is_same(read_outcome(text), outcome):
        changes.note(call.place, "retyped", "the result is written as text")
    return text


# -- From messages to events ----------------------------------------------------------------------


def from_messages(
    messages: Iterable[Any], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events that `messages` express; objects of an SDK are accepted as well.

    An `index` of the report is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for anything but a message, and for a call whose
    arguments are not a JSON object; without `strict` these are left out and reported, a call with
    its result.
    """
    changes = Changes()
    events = Events(changes, strict=strict)
    before: str | None = None
    for index, given in enumerate(messages):
        message = members(plain(given))
        role = message.get("role") if message is not None else None
        if message is None or role not in ("system", "developer", *_READ):
            events.refuse(index, "not an object" if message is None else f"{role!r} is not a role")
            continue
        if role not in ("tool", "function"):
            events.settle()
        if role == "user":
            events.text(index, "user", _text(index, message.get("content"), changes))
        elif role == "assistant":
            if before == "assistant":
                changes.note(index, "joined", "this is of one turn with the message before it")
            _read_assistant(index, message, events, changes)
        elif role in ("tool", "function"):
            text = _text(index, message.get("content"), changes)
            # The older form: one function call per message, answered by its name.
            events.answer(index, message.get("tool_call_id"), read_outcome(text))
        else:
            changes.note(index, "dropped", f"a {role} message has no event")
        _note_unread(index, str(role), message, changes)
        before = str(role)
    events.settle()
    changes.give(report)
    return events.events


def _read_assistant(
    index: int, message: Mapping[str, Any], events: Events, changes: Changes
) -> None:
    for name in _REASONING:
        reasoning = message.get(name)
        if isinstance(reasoning, str):
            events.text(index, "think", reasoning)
            break
    events.text(index, "respond", _text(index, message.get("content"), changes))
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        changes.note(index, "retyped", "a refusal is read as prose")
        events.text(index, "respond", refusal)
    calls = message.get("tool_calls") or []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        events.refuse(index, "`tool_calls` is not a list")
        calls = []
    if function := message.get("function_call"):
        calls = [*calls, {"function": function}]
    for call in calls:
        _read_call(index, members(plain(call)) or {}, events, changes)
    events.execute()


def _read_call(index: int, call: Mapping[str, Any], events: Events, changes: Changes) -> None:
    custom, function = members(call.get("custom")), members(call.get("function")) or {}
    if custom is not None:
        changes.note(index, "retyped", "the text for a custom tool is read as its argument `input`")
        args = {"input": custom.get("input")}
        events.call(index, call.get("id"), custom.get("name"), args)
        return
    arguments = function.get("arguments", "")
    if not isinstance(arguments, str):
        changes.note(index, "retyped", "the arguments are not text: they are written as JSON")
    events.call(index, call.get("id"), function.get("name"), arguments)


def _text(index: int, content: object, changes: Changes) -> str:
    """Return the text of a message's content, which may be in parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in content if isinstance(content, Iterable) else [content]:
        given = members(plain(part)) or {}
        text = given.get("text", given.get("refusal"))
        if isinstance(text, str):
            texts.append(text)
        else:
            changes.note(index, "dropped", f"content of type {given.get('type')!r} has no event")
    if len(texts) > 1:
        changes.note(index, "joined", f"{len(texts)} parts of the content are joined")
    return JOINT.join(texts)


def _note_unread(index: int, role: str, message: Mapping[str, Any], changes: Changes) -> None:
    """Note members with a value that no event can express."""
    read = _READ.get(role, {"content"}) | {"role"}
    if role == "assistant":
        read |= {next((name for name in _REASONING if message.get(name)), "")}
    for name, value in message.items():
        if name not in read and value not in (None, [], {}, ""):
            changes.note(index, "dropped", f"{name!r} of a message has no event")
