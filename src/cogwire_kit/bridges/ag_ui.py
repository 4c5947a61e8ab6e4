# SPDX-License-Identifier: MIT
"""AG-UI: a run as the events that a user interface shows, its messages, and its tools.

It needs `ag-ui-protocol`: `pip install 'ag-ui-protocol>=1.0'`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

try:
    from ag_ui.core import (
        ActivityDeltaEvent,
        ActivitySnapshotEvent,
        AssistantMessage,
        BaseEvent,
        CustomEvent,
        EventType,
        FunctionCall,
        Message,
        ReasoningEndEvent,
        ReasoningMessage,
        ReasoningMessageContentEvent,
        ReasoningMessageEndEvent,
        ReasoningMessageStartEvent,
        ReasoningStartEvent,
        RunErrorEvent,
        RunFinishedCancelledOutcome,
        RunFinishedEvent,
        RunFinishedSuccessOutcome,
        RunStartedEvent,
        TextMessageContentEvent,
        TextMessageEndEvent,
        TextMessageStartEvent,
        TokenUsage,
        Tool,
        ToolCall,
        ToolCallArgsEvent,
        ToolCallEndEvent,
        ToolCallResultEvent,
        ToolCallStartEvent,
        ToolMessage,
        UserMessage,
    )
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.bridges.ag_ui needs ag-ui-protocol: pip install 'ag-ui-protocol>=1.0'"
    ) from missing

from cogwire import Change, Event, Finish, Toolset, exchanges
from cogwire.tooling import HasDialect, short_repr
from cogwire_kit.bridges.common import turns as p
from cogwire_kit.bridges.common.changes import Changes
from cogwire_kit.bridges.common.order import Link
from cogwire_kit.bridges.common.outcomes import (
    CallOutcome,
    failure,
    read_outcome,
    string,
    write_outcome,
)
from cogwire_kit.bridges.common.reading import Events
from cogwire_kit.bridges.common.shown import ShownTurn, known_outcome, shown_turns
from cogwire_kit.bridges.common.taken import TakenEvents
from cogwire_kit.bridges.common.tools import declared

__all__ = ["Chunks", "chunks", "from_chunks", "from_messages", "to_messages", "tools"]


def tools(toolset: Toolset) -> list[Tool]:
    """Return the tools of a toolset, for a `RunAgentInput`.

    Raises `ValueError` for a name that providers refuse.
    """
    return [
        Tool(name=tool.name, description=tool.description, parameters=schema)
        for tool, schema in declared(toolset)
    ]


#: The type of the activities that show calls before it is known whether they may run.
_DRAFT: Final = "cogwire.call"
#: The members of messages and of calls that no event can express, ids aside.
_UNREAD: Final = ("name", "encrypted_value", "metadata", "subagent_run_id")


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

    The `index` in `report` is that of a message.  A system message has no event, and is left out.
    Raises `ValueError`, naming the index, for a call whose arguments are not a JSON object; without
    `strict` it is left out and reported, with its result.
    """
    events = Events(strict=strict)
    for index, message in events.in_order(messages, _link_of):
        _note_unread(index, message, events)
        if isinstance(message, ToolMessage):
            text = events.text_of(index, message.content)
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
            events.text(index, "user", events.text_of(index, message.content))
        elif isinstance(message, ReasoningMessage):
            events.text(index, "think", message.content)
        elif isinstance(message, AssistantMessage):
            events.text(index, "respond", message.content or "")
            for call in _calls_of(message):
                events.call(index, call.id, call.function.name, call.function.arguments)
            events.execute()
        elif getattr(message, "activity_type", None) != _DRAFT:
            events.note(index, "dropped", f"a message of the role {message.role} has no event")
    return events.end(report)


def _link_of(message: Message) -> Link:
    if isinstance(message, ToolMessage):
        return message.role, [message.tool_call_id]
    return message.role, [call.id for call in _calls_of(message)]


def _calls_of(message: Message) -> list[ToolCall]:
    return message.tool_calls or [] if isinstance(message, AssistantMessage) else []


def _note_unread(index: int, message: Message, events: Events) -> None:
    """Note members of a message and of its calls that no event can express."""
    for each in (message, *_calls_of(message)):
        what = "a message" if each is message else "a call"
        members = {name: getattr(each, name, None) for name in _UNREAD}
        events.note_unread(index, members, (), what)


# -- Streams ---------------------------------------------------------------------------------------


class Chunks:
    """Takes the events of a run as they arrive: one turn, or several turns with their results.

    `begin` opens the run, and `close` ends it.  The events of a call are emitted when its `execute`
    has arrived, because AG-UI cannot take back a call that was begun.  If the parser emits
    `call_delta` events, a call that is being written is shown as an activity, `cogwire.call`, whose
    `state` is `writing`, and then `ready` or `void`.  A void block is a custom event,
    `cogwire.error`, and so are a failure of the program, which has no `code`, and that an answer
    was cut, `cogwire.cut`.  With a `toolset` in whose dialect arguments are text, they have the
    types that it declares, and no call is shown while it is written.
    """

    def __init__(
        self,
        thread_id: str,
        run_id: str,
        *,
        calls_before: int = 0,
        toolset: Toolset | None = None,
    ) -> None:
        self._thread_id = thread_id
        self._run_id = run_id
        self._events = TakenEvents()
        self._pieces = p.Pieces(calls_before, toolset)
        #: The number of messages, and the id of the one that is open or was the last of its turn.
        self._messages = 0
        self._message = ""
        #: The same id, if that message is prose, which the calls of its turn then belong to.
        self._spoken: str | None = None
        #: The activities of the turn, by the ids of their calls.
        self._drafts: dict[str, str] = {}
        #: The calls of the last turn that may run and have no result, and those of earlier turns.
        self._waiting: list[p.WholeCall] = []
        self._pending: list[str] = []
        self._usage = [0, 0]
        self._is_over = False
        self._is_cancelled = False

    def begin(self) -> list[BaseEvent]:
        """Open the run."""
        return [
            RunStartedEvent(thread_id=self._thread_id, run_id=self._run_id, protocol_version="1.0")
        ]

    def take(self, event: Mapping[str, Any]) -> list[BaseEvent]:
        """Take an event, and return the AG-UI events for it; `ValueError` for anything else."""
        event = self._events.read(event)
        if self._is_over:
            return []
        kind = event["type"]
        if kind == "metric":
            # Without steps, what is known is the cost of the conversation.
            before, used = self._usage, event.get("step")
            if used is None:
                before, used = [0, 0], event["total"]
            self._usage = [before[0] + used["input"], before[1] + used["output"]]
            return []
        written = [each for piece in self._pieces.take(event) for each in self._written(piece)]
        if kind == "result":
            written += self._results(event)
        elif kind == "interrupt":
            self._is_over = True
            written.append(RunErrorEvent(message="The stream was interrupted.", code="interrupt"))
        elif kind == "cancelled":
            self._is_cancelled = True
        elif kind == "error" and not event.get("code"):  # a failure of the program, for its users
            written.append(_error("", event.get("content", "")))
        return written

    def close(self, finish: Finish | None = None) -> list[BaseEvent]:
        """End the run, which has failed if its stream was interrupted.

        `finish` is why its last turn ends, if that is known.
        """
        if self._is_over:
            return []
        written = [each for piece in self._pieces.close(finish) for each in self._written(piece)]
        self._is_over = True
        self._begin_turn(())
        read, wrote = self._usage
        usage = [TokenUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)]
        outcome = (
            RunFinishedCancelledOutcome()
            if self._is_cancelled
            else RunFinishedSuccessOutcome(pending_tool_call_ids=self._pending or None)
        )
        end = RunFinishedEvent(
            thread_id=self._thread_id,
            run_id=self._run_id,
            outcome=outcome,
            usage=usage if read + wrote else None,
        )
        return [*written, end]

    def _written(self, piece: p.Piece) -> Iterator[BaseEvent]:
        if isinstance(piece, p.TextPiece | p.TextEnd):
            yield from self._text(piece)
        elif isinstance(piece, p.CallStart):
            if piece.is_early:
                yield self._draft(piece)
        elif isinstance(piece, p.CallArgs):
            if piece.id in self._drafts:
                yield self._redraft(piece.id, "add", "/args/-", piece.content)
        elif isinstance(piece, p.Finished):
            for own_id in self._drafts:
                yield self._redraft(own_id, "replace", "/state", "ready")
            # The calls of a turn are of one message, so that an interface does not part them.
            parent = self._spoken or (self._next_id() if piece.calls else "")
            for call in piece.calls:
                yield from self._call(call, parent)
            if piece.cut:
                yield CustomEvent(name="cogwire.cut", value={"reason": piece.cut.reason})
            self._begin_turn(piece.calls)
        elif isinstance(piece, p.Broken):
            for own_id in self._drafts:
                yield self._redraft(own_id, "replace", "/state", "void")
            if piece.code != "interrupt":  # then the run itself fails
                yield _error(piece.code, piece.message)
            self._begin_turn(())

    def _begin_turn(self, waiting: Iterable[p.WholeCall]) -> None:
        self._pending += [call.id for call in self._waiting]
        self._waiting = list(waiting)
        self._drafts = {}
        self._spoken = None

    def _next_id(self) -> str:
        """Return the id of another message of the run."""
        self._messages += 1
        return f"{self._run_id}-{self._messages}"

    def _draft(self, call: p.CallStart) -> BaseEvent:
        """Show a call that may still turn out to be void."""
        own_id = self._drafts[call.id] = self._next_id()
        content = {"toolCallId": call.id, "name": call.name, "args": [], "state": "writing"}
        return ActivitySnapshotEvent(message_id=own_id, activity_type=_DRAFT, content=content)

    def _redraft(self, call_id: str, operation: str, path: str, value: str) -> BaseEvent:
        patch: list[Any] = [{"op": operation, "path": path, "value": value}]
        own_id = self._drafts[call_id]
        return ActivityDeltaEvent(message_id=own_id, activity_type=_DRAFT, patch=patch)

    def _call(self, call: p.WholeCall, parent: str) -> Iterator[BaseEvent]:
        yield ToolCallStartEvent(
            tool_call_id=call.id, tool_call_name=call.name, parent_message_id=parent
        )
        yield ToolCallArgsEvent(tool_call_id=call.id, delta=call.args)
        yield ToolCallEndEvent(tool_call_id=call.id)

    def _text(self, piece: p.TextPiece | p.TextEnd) -> Iterator[BaseEvent]:
        if isinstance(piece, p.TextPiece) and piece.is_first:
            self._message = self._next_id()
        message = self._message
        self._spoken = message if piece.kind == "respond" else None
        if piece.kind == "respond":
            if isinstance(piece, p.TextEnd):
                yield TextMessageEndEvent(message_id=message)
                return
            if piece.is_first:
                yield TextMessageStartEvent(message_id=message, role="assistant")
            yield TextMessageContentEvent(message_id=message, delta=piece.content)
        elif isinstance(piece, p.TextEnd):
            yield ReasoningMessageEndEvent(message_id=message)
            yield ReasoningEndEvent(message_id=message)
        else:
            if piece.is_first:
                yield ReasoningStartEvent(message_id=message)
                yield ReasoningMessageStartEvent(message_id=message, role="reasoning")
            yield ReasoningMessageContentEvent(message_id=message, delta=piece.content)

    def _results(self, result: Mapping[str, Any]) -> Iterator[BaseEvent]:
        """Yield the results of the waiting calls, in their order."""
        waiting, self._waiting = self._waiting, []
        for call, outcome in zip(waiting, _outcomes(waiting, result), strict=True):
            if outcome is None:
                self._waiting.append(call)
            else:
                yield ToolCallResultEvent(
                    message_id=self._next_id(),
                    tool_call_id=call.id,
                    content=write_outcome(outcome),
                    role="tool",
                )


def _error(code: str, message: str) -> BaseEvent:
    return CustomEvent(name="cogwire.error", value={"code": code, "message": message})


def _outcomes(calls: list[p.WholeCall], result: Mapping[str, Any]) -> list[CallOutcome | None]:
    """Return the outcomes of the calls of a block, given its result."""
    events: list[Mapping[str, object]] = [
        {"type": "call", "content": f'{{"name": {string(call.name)}, "args": {call.args}}}'}
        for call in calls
    ]
    events += {"type": "execute"}, result
    (turn,) = exchanges(events)
    return [known_outcome(call, Changes()) for call in turn["calls"]]


def chunks(
    events: Iterable[Mapping[str, Any]], thread_id: str, run_id: str, **options: Any
) -> Iterator[BaseEvent]:
    """Yield a run as its events arrive; `options` are those of `Chunks`.

    Raises `ValueError`, naming the index, for anything but an event.
    """
    writer = Chunks(thread_id, run_id, **options)
    yield from writer.begin()
    yield from p.streamed(writer, events)


# -- Back to events -------------------------------------------------------------------------------


def from_chunks(
    events: Iterable[BaseEvent], *, report: list[Change] | None = None, strict: bool = True
) -> list[Event]:
    """Return the events of a conversation, given the AG-UI events of its runs.

    The `index` in `report` is that of an AG-UI event.  Raises `ValueError`, naming the index, for
    a call whose arguments are not a JSON object; without `strict` it is left out and reported, with
    its result.
    """
    reader = _RunReader(strict=strict)
    index = 0
    for index, event in enumerate(events):
        reader.take(index, event)
    reader.end(index)
    return reader.events.end(report)


_CHUNKS: Final = {
    EventType.TEXT_MESSAGE_CHUNK,
    EventType.REASONING_MESSAGE_CHUNK,
    EventType.TOOL_CALL_CHUNK,
}
#: These say nothing that other events do not say.
_WITHOUT_EVENT: Final = {EventType.REASONING_START, EventType.REASONING_END}
_KINDS: Final[dict[str, Literal["user", "think", "respond"]]] = {
    "user": "user",
    "reasoning": "think",
    "assistant": "respond",
}


class _RunReader:
    def __init__(self, *, strict: bool) -> None:
        self.events = Events(strict=strict)
        #: The open messages by their ids: the role of each, and the pieces of its text.
        self._texts: dict[str, tuple[str, list[str]]] = {}
        #: The open calls by their ids: the name of each tool, and the pieces of the arguments.
        self._args: dict[str, tuple[str, list[str]]] = {}
        #: The open message or call of events that have no explicit end.
        self._chunk: tuple[EventType, str] | None = None
        #: The calls that wait for a result.
        self._calls: set[str] = set()
        self._is_running = False

    def take(self, index: int, event: BaseEvent) -> None:
        received: Any = event
        kind = event.type
        if kind in _CHUNKS:
            self._take_chunk(index, received)
            return
        self._end_chunks(index, is_cut=kind == EventType.RUN_ERROR)
        if kind in (EventType.TEXT_MESSAGE_START, EventType.REASONING_MESSAGE_START):
            self._start(index, self._texts, received.message_id, received.role or "assistant")
        elif kind in (EventType.TEXT_MESSAGE_CONTENT, EventType.REASONING_MESSAGE_CONTENT):
            self._texts.setdefault(received.message_id, ("assistant", []))[1].append(received.delta)
        elif kind in (EventType.TEXT_MESSAGE_END, EventType.REASONING_MESSAGE_END):
            self._end_text(index, received.message_id)
        elif kind == EventType.TOOL_CALL_START:
            self._start(index, self._args, received.tool_call_id, received.tool_call_name)
        elif kind == EventType.TOOL_CALL_ARGS:
            self._args.setdefault(received.tool_call_id, ("", []))[1].append(received.delta)
        elif kind == EventType.TOOL_CALL_END:
            self._end_call(index, received.tool_call_id)
        elif kind == EventType.TOOL_CALL_RESULT:
            self._calls.discard(received.tool_call_id)
            text = self.events.text_of(index, received.content)
            self.events.answer(index, received.tool_call_id, read_outcome(text))
        elif kind == EventType.RUN_STARTED:
            self._is_running = True
        elif kind in (EventType.RUN_FINISHED, EventType.RUN_ERROR):
            self._is_running = False
            self._end_run(index)
            outcome = getattr(received, "outcome", None)
            if kind == EventType.RUN_ERROR:
                self.events.add(index, {"type": "interrupt"})
            elif outcome is not None and outcome.type == "cancelled":
                self.events.add(index, {"type": "cancelled"})
        elif kind not in _WITHOUT_EVENT and getattr(received, "activity_type", None) != _DRAFT:
            self.events.note(index, "dropped", f"{kind.value} has no event")

    def end(self, index: int) -> None:
        self._end_chunks(index, is_cut=True)
        self._end_run(index)

    def _take_chunk(self, index: int, event: Any) -> None:
        """Take a chunk event, which opens its message or call; a chunk of another one ends it."""
        is_call = event.type == EventType.TOOL_CALL_CHUNK
        own_id = event.tool_call_id if is_call else event.message_id
        if own_id is not None and (event.type, own_id) != self._chunk:
            self._end_chunks(index)
            self._chunk = event.type, own_id
            if is_call:
                self._start(index, self._args, own_id, event.tool_call_name or "")
            else:
                is_think = event.type == EventType.REASONING_MESSAGE_CHUNK
                role = "reasoning" if is_think else event.role
                self._start(index, self._texts, own_id, role or "assistant")
        if self._chunk is not None and event.type == self._chunk[0]:
            opened = self._args if is_call else self._texts
            opened[self._chunk[1]][1].append(event.delta or "")
        elif event.delta:
            self.events.note(index, "dropped", "a chunk without an id, which continues nothing")

    def _end_chunks(self, index: int, *, is_cut: bool = False) -> None:
        """End what chunks have opened, except for a call if the run is cut there."""
        if self._chunk is not None:
            (kind, own_id), self._chunk = self._chunk, None
            if kind != EventType.TOOL_CALL_CHUNK:
                self._end_text(index, own_id)
            elif not is_cut:
                self._end_call(index, own_id)

    def _start(
        self, index: int, opened: dict[str, tuple[str, list[str]]], own_id: str, name: str
    ) -> None:
        """Open a message or a call; before it a block of calls ends that are all answered."""
        if own_id in self._texts and opened is self._texts:
            self._end_text(index, own_id)
        elif own_id in self._args and opened is self._args:
            self._leave_out(index, own_id)
        if not self._calls and not self._args:
            self.events.execute()
            self.events.settle()
        opened[own_id] = name, []

    def _end_text(self, index: int, own_id: str) -> None:
        role, pieces = self._texts.pop(own_id, ("assistant", []))
        kind = _KINDS.get(role)
        if kind is None:
            self.events.note(index, "dropped", f"a {role} message has no event")
        else:
            self.events.text(index, kind, "".join(pieces))

    def _end_call(self, index: int, own_id: str) -> None:
        self._calls.add(own_id)
        name, pieces = self._args.pop(own_id, ("", []))
        self.events.call(index, own_id, name, "".join(pieces))

    def _leave_out(self, index: int, own_id: str) -> None:
        name, _ = self._args.pop(own_id)
        message = f"the call of {short_repr(name)} has no end, and is left out"
        self.events.note(index, "dropped", message)

    def _end_run(self, index: int) -> None:
        for own_id in list(self._texts):
            self._end_text(index, own_id)
        cut = "a call has no end" if self._args else ""
        for own_id in list(self._args):
            self._leave_out(index, own_id)
        self._calls.clear()
        self.events.execute(cut=cut or ("the run has no end" if self._is_running else ""))
        self.events.settle()
