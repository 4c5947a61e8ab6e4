# SPDX-License-Identifier: MIT
"""From steps to parts, and from parts to messages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypedDict, get_args

from ..events import UNLIMITED, Event, ResultEvent
from ..parser.parser import Parser
from ..text import WHITE
from ..text.json_text import same_json
from ..wire.dialects import Dialect
from ..wire.frames.machine import Options
from ..wire.writing import frame_calls, frame_text, writing_of
from ..wire.writing_interface import PartKind
from .changes import Note, Noted, note_all, noting, repaired, safe_text
from .history import STOPS, Step, Turn
from .results import AnsweredCalls, BlockState, batches_of, block_state, without_skipped
from .storage import Numbered

Role = Literal["system", "user", "assistant"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class Message(TypedDict):
    """One message of a chat."""

    #: Whose message it is; results are the user's.
    role: Role
    #: The text, which is never empty.
    content: str


@dataclass(slots=True)
class MessagePart:
    """A part of a message, which has one or more."""

    kind: PartKind
    #: The index of its event, or of its first one.
    index: int
    text: str
    #: Whether its text ends the turn.
    is_stop: bool = False
    #: The changes made in a replay, and the events of the turn if the replay leaves a region open.
    changes: Sequence[Noted] = ()
    unfinished: Sequence[Numbered] = ()


#: The role of the message that each kind of part belongs to.
ROLE_OF: Final[dict[PartKind, Role]] = {
    "user": "user",
    "results": "user",
    "think": "assistant",
    "respond": "assistant",
    "block": "assistant",
    "replay": "assistant",
}


#: Errors of a model that leave no block to close.
_BLOCKLESS: Final = frozenset(
    {"forged-results", "unclosed-execute", "unclosed-call", "missing-execute"}
)
_OPTIONS: Final = Options(UNLIMITED, transcript=True)


# -- From a step to its parts ---------------------------------------------------------------------


def parts_of(step: Step, wire: Dialect, note: Note) -> list[MessagePart]:
    """Return the parts of a step, in their order."""
    if isinstance(step, Turn):
        return _write_model_turn(step, wire, note)
    return _write_texts([step], wire, note)


def placeholder(part: MessagePart, wire: Dialect) -> MessagePart:
    """Return an empty think, to separate results from a user's text that precedes them directly.

    The block that they answer is not written.  But if it had calls, it may have been written while
    it was open; then the user's message was not the last one, and cannot change.
    """
    return MessagePart("think", part.index, frame_text("think", "", wire).rstrip(WHITE))


def void_block(wire: Dialect) -> str:
    """Return a block that breaks a rule."""
    opener, closer = wire.frame.block_ends
    return f"{opener}?\n{closer}"


def _write_model_turn(turn: Turn, wire: Dialect, note: Note) -> list[MessagePart]:
    turn = without_skipped(turn)
    events = turn.events()
    replay = _replay(turn, events, wire, note)
    calls = turn.valid_calls
    state = block_state(turn, calls, is_replayed=replay is not None)
    batches = batches_of(turn, calls, state, wire, note)
    if replay is not None:
        parts = [replay]
    else:
        written = [batch.calls[0].index for batch in batches if batch.calls]
        first = written[0] if written else None
        parts = _write_turn(events, first, wire, note)
    for batch in batches:
        parts += _write_batch(batch, state, wire, note)
        if batch.calls is None and not turn.errors:
            note(batch.index, "void", "the block that this answers was void, and is left out")
    return parts


def _write_turn(
    turn: Sequence[Numbered], first_call: int | None, wire: Dialect, note: Note
) -> list[MessagePart]:
    """Return the parts of a turn without its calls, the first of which is at `first_call`."""
    parts = _write_texts(turn, wire, note)
    if first_call is not None:
        for part in parts:
            if first_call < part.index:
                note(part.index, "moved", "this followed a call, and is written before it")
    return parts


def _write_batch(
    batch: AnsweredCalls, state: BlockState, wire: Dialect, note: Note
) -> Iterator[MessagePart]:
    block = ""
    if batch.calls is not None:
        block = frame_calls([call.text for call in batch.calls], wire)
        if state != "replayed":
            for call in batch.calls:
                if call.changes:
                    note_all(call.changes, note)
            index = batch.calls[0].index if batch.calls else batch.index
            yield MessagePart("block", index, block, is_stop=True)
    if batch.results is not None:
        text = writing_of(wire).write_results(batch.results, batch.items)
        if not batch.is_sound:
            answer, _ = read_answer(block or void_block(wire), text, wire)
            _note_mismatch(batch, answer, note)
        yield MessagePart("results", batch.index, text)


def _note_mismatch(batch: AnsweredCalls, answer: Event | None, note: Note) -> None:
    """Note if `answer`, the results as they are read back, differs from the results."""
    if answer and answer["type"] == "error":
        note(batch.index, "mismatch", answer["content"])
    elif answer and answer["type"] == "result" and not _matches(answer, batch.results):
        note(batch.index, "mismatch", "the results would be read back differently")


def _matches(answer: ResultEvent, results: str | None) -> bool:
    content = answer["content"]
    return results is not None and (content == results or same_json(content, results))


def _write_texts(turn: Iterable[Numbered], wire: Dialect, note: Note) -> list[MessagePart]:
    parts: list[MessagePart] = []
    is_void = False
    for index, event in turn:
        if event["type"] == "call":
            continue
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond":
            kind = event["type"]
            text = safe_text(index, kind, event["content"], wire, note)
            if text:
                if kind != "user":
                    text = frame_text(kind, text, wire)
                parts.append(MessagePart(kind, index, text))
        elif event["type"] == "error" and not is_void:
            note(index, "void", "text that broke a rule of the wire is left out")
            is_void = True
    return parts


def read_answer(block: str, text: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event of `text`, read as the text after `block`, and the rest of the text.

    `block` is a block, or a whole message that ends with one.
    """
    parser = Parser(wire, mode="transcript", raw=True, clock=None, limits=UNLIMITED)
    parser.feed(block + writing_of(wire).joint)
    events = parser.feed(text) + parser.close(finished=True)
    if wire.frame.runs_at_end and events and events[0]["type"] == "execute":
        del events[0]  # the results are what has run the calls
    rest_at = 1
    if writing_of(wire).results_end and [event["type"] for event in events[:2]] == [
        "result",
        "end",
    ]:
        rest_at = 2  # the marker between the results and the user's text
    rest = "".join(event["raw"] for event in events[rest_at:] if "raw" in event) + parser.tail
    for event in events[:1]:
        event.pop("raw", None)
    return (events[0] if events else None), rest


# -- Turns as the model wrote them ----------------------------------------------------------------


def _replay(
    turn: Turn, numbered: Sequence[Numbered], wire: Dialect, note: Note
) -> MessagePart | None:
    """Return the turn as the model wrote it, if its `raw` parses to the same events."""
    events = [event for _, event in numbered]
    if not (events and "raw" in events[0] and all("raw" in event for event in events)):
        return None
    first, last = numbered[0][0], events[-1]
    changes: list[Noted] = []
    raw = repaired(first, "".join([event.get("raw", "") for event in events]), noting(changes))
    is_stop = last["type"] in STOPS
    if turn.errors and not is_stop and turn.errors[-1][1]["code"] not in _BLOCKLESS:
        raw = f"{raw}\n{wire.frame.block_ends[1]}"
        is_stop = True
    is_run = last["type"] == "execute"
    outline = _outline(events, is_run=is_run)
    for text in (raw, f"{writing_of(wire).think_opener()}{raw}"):
        machine = wire.machine(_OPTIONS)
        read = machine.read(text, 0, []) + machine.finish(len(text), finished=True)
        if _outline(read, is_run=is_run) == outline:
            if text != raw:
                message = "the think's opener, which was in the prompt, is written"
                noting(changes)(first, "completed", message)
            unfinished = () if machine.state == "prose" else numbered
            return MessagePart("replay", first, text, is_stop, changes, unfinished)
    note(first, "mismatch", "`raw` is not the whole turn, which is written from its events")
    return None


def _outline(events: Iterable[Event], *, is_run: bool) -> list[tuple[str, str]]:
    """Return what the text of a turn must be read as.

    After an error, the calls of a turn that is not run are left out, as a transcript leaves them.
    """
    outline: list[tuple[str, str]] = []
    is_void = False
    for event in events:
        if event["type"] == "call":
            if is_run or not is_void:
                outline.append((event["type"], event["content"]))
        elif event["type"] == "think" or event["type"] == "respond":
            outline.append((event["type"], event["content"]))
        else:
            is_void = is_void or event["type"] == "error"
            outline.append((event["type"], ""))
    return outline


# -- From parts to a message ----------------------------------------------------------------------


def message_of(parts: Sequence[MessagePart], wire: Dialect, note: Note) -> Message:
    """Return the message of `parts`, which have one role."""
    role = ROLE_OF[parts[0].kind]
    writing = writing_of(wire)
    closing = writing.closing if role == "assistant" else ""
    settled = _settle(parts, wire, note)
    texts = [settled[0].text]
    for before, part in pairwise(settled):
        is_replay = "replay" in (before.kind, part.kind)
        if closing and is_replay and not before.is_stop:
            texts.append(closing)  # a replay is a whole turn
        if before.kind == "results" and writing.results_end:
            texts.append(writing.results_end)
        # Whether the boundary between the two is lost.
        if is_replay or writing.loses_boundary(before.kind, part.kind):
            note(part.index, "joined", "this is joined to the preceding text of the same role")
        texts.append(part.text)
    if closing and not parts[-1].is_stop:
        texts.append(closing)
    return {"role": role, "content": writing.joint.join(texts)}


def _settle(parts: Sequence[MessagePart], wire: Dialect, note: Note) -> Sequence[MessagePart]:
    """Write a replay from its events if an open region in it would swallow the next part."""
    if "replay" not in [part.kind for part in parts]:
        return parts
    settled: list[MessagePart] = []
    last = parts[-1]
    for part in parts:
        if part.unfinished and part is not last:
            settled += _write_turn(part.unfinished, None, wire, note)
        else:
            if part.changes:
                note_all(part.changes, note)
            settled.append(part)
    return settled
