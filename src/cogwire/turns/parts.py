# SPDX-License-Identifier: MIT
"""From steps to parts, and from parts to messages."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby, pairwise
from typing import Final, Literal, TypedDict, get_args

from ..events import RESERVED_NAME, UNLIMITED, Event, ResultEvent
from ..parser.parser import Parser, parse, parse_transcript
from ..text import WHITE
from ..text.json_text import same_json, write_array
from ..wire.blocks.values import RenderError
from ..wire.dialects import Dialect
from ..wire.frames.machine import Options
from ..wire.frames.markers import literal
from ..wire.writing import frame_calls, frame_text, spell_call, writing_of
from ..wire.writing_interface import PartKind
from .changes import Note, Noted, note_all, noting, repaired, safe_text
from .history import STOPS, Call, Step, Turn
from .results import (
    ResultsText,
    cancelled_results,
    note_surplus,
    read_result,
    results_text,
    without_skipped,
)
from .storage import Numbered, is_void_answer

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
        return _ModelTurn(step, wire, note).parts()
    return _write_texts([step], wire, note)


def placeholder(part: MessagePart, wire: Dialect) -> MessagePart:
    """Return an empty think, to separate results from a user's text that precedes them directly.

    The block that they answer is not written.  But if it had calls, it may have been written while
    it was open; then the user's message was not the last one, and cannot change.
    """
    return MessagePart("think", part.index, frame_text("think", "", wire).rstrip(WHITE))


@lru_cache(maxsize=64)
def void_block(wire: Dialect) -> str:
    """Return a block that breaks a rule; in some formats it is a call with a wrong character."""
    opener, closer = wire.frame.block_ends
    block = f"{opener}?\n{closer}"
    with suppress(RenderError):
        block = _block_of(['{"name": "a", "args": {"b": "c"}}'], wire)
    broken = (f"{block[:at]}\x01{block[at:]}" for at in range(len(block)))
    return next(filter(partial(_is_void, wire), (f"{opener}?\n{closer}", *broken)), block)


def _is_void(wire: Dialect, block: str) -> bool:
    events = parse(block + writing_of(wire).joint, wire, clock=None)
    types = {event["type"] for event in events}
    return "error" in types and types.isdisjoint(("call", "execute"))


def _block_of(calls: Iterable[str], wire: Dialect) -> str:
    """Return the block of calls, which are JSON, with nothing else in it."""

    def note(_code: str, _path: str, _message: str) -> None:
        """Forget what is read back differently: the block is only read, for its end."""

    return frame_calls([spell_call(call, wire, note) for call in calls], wire)


class _ModelTurn:
    """Writes a turn of the model: its text, or all of it as a replay, and the results."""

    def __init__(self, turn: Turn, wire: Dialect, note: Note) -> None:
        self._wire = wire
        self._note = note
        self._turn = turn = without_skipped(turn)
        self._events = turn.events()
        self._replay = _replay(turn, self._events, wire, note)
        #: Whether the block is in the replay.
        self._is_replayed = self._replay is not None and turn.stop == "execute"
        #: Blocks and results.
        self._batches: list[MessagePart] = []

    def parts(self) -> list[MessagePart]:
        turn, calls = self._turn, self._turn.valid_calls
        if turn.answer is not None:
            self._write_answered(*turn.answer, calls)
        elif calls or self._is_replayed:
            index, _ = self._events[-1]
            if turn.is_over or turn.cancelled:
                self._write_orphans(index, calls)
            else:
                self._write_batch(index, calls, None)
        if self._replay is not None:
            return [self._replay, *self._batches]
        first = next((part.index for part in self._batches if part.kind == "block"), None)
        return _write_turn(self._events, first, self._wire, self._note) + self._batches

    def _write_answered(self, index: int, event: ResultEvent, calls: Sequence[Call]) -> None:
        """Write the batch that a result answers, after the one whose result is missing."""
        wire, note = self._wire, self._note
        result = read_result(index, event["content"])
        if not self._is_replayed and is_void_answer(result.items):
            if calls and self._turn.cancelled:
                self._write_orphans(index, calls)
            self._write_results(index, "", results_text(result, [], [RESERVED_NAME], wire, note))
            if not self._turn.errors:
                note(index, "void", "the block that this answers was void, and is left out")
            return
        missing = result.first_of(calls)
        # The first calls may belong to an earlier turn, which was interrupted.
        if missing and not (self._is_replayed or self._turn.cancelled):
            self._write_orphans(index, calls[:missing])
            calls, missing = calls[missing:], 0
        if wire.frame.runs_at_end and not (calls or result.items):
            note(index, "dropped", f"{wire.name} has no block without calls, nor results of one")
        elif calls or self._is_replayed or not result.items:
            # An empty result without calls answers an empty block.
            orphans = cancelled_results(calls[:missing], wire, note)
            tools = [call.tool for call in calls[missing:]]
            self._write_batch(index, calls, results_text(result, orphans, tools, wire, note))
        else:
            note_surplus(result, 0, note)

    def _write_orphans(self, index: int, calls: Sequence[Call]) -> None:
        """Write a batch without a result; `index` is that of an empty block."""
        if not calls:
            message = "no result was returned for this empty block: it is written here"
            self._note(index, "orphan", message)
        array = write_array(cancelled_results(calls, self._wire, self._note))
        self._write_batch(index, calls, ResultsText(array))

    def _write_batch(self, index: int, calls: Sequence[Call], results: ResultsText | None) -> None:
        """Write a block and its results, which may still arrive if there are none."""
        block = frame_calls([call.text for call in calls], self._wire)
        if not self._is_replayed:
            for call in calls:
                if call.changes:
                    note_all(call.changes, self._note)
            first = calls[0].index if calls else index
            self._batches.append(MessagePart("block", first, block, is_stop=True))
        if results is not None:
            self._write_results(index, block, results)

    def _write_results(self, index: int, block: str, results: ResultsText) -> None:
        """Write the results of a block, or of a void one; note if they are read differently."""
        try:
            text = writing_of(self._wire).write_results(results.array, results.items)
        except RenderError as problem:
            raise RenderError(f"/{index}{problem.path}", problem.reason) from None
        if not results.is_sound:
            answer, _ = read_answer(block or void_block(self._wire), text, self._wire)
            if answer and answer["type"] == "error":
                self._note(index, "mismatch", answer["content"])
            elif (
                answer
                and answer["type"] == "result"
                and (content := answer["content"]) != results.array
                and not same_json(content, results.array)
            ):
                self._note(index, "mismatch", "the results would be read back differently")
        self._batches.append(MessagePart("results", index, text))


def _write_turn(
    turn: Sequence[Numbered], first_call: int | None, wire: Dialect, note: Note
) -> list[MessagePart]:
    """Return the parts of a turn without its calls, the first of which is at `first_call`."""
    parts = _write_texts(turn, wire, note)
    for part in parts:
        if first_call is not None and first_call < part.index:
            note(part.index, "moved", "this followed a call, and is written before it")
    return parts


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


def read_turn(assistant: str, text: str, wire: Dialect) -> tuple[list[Event], Event | None, str]:
    """Return the events of a message of the model, and what `read_answer` does of the next one."""
    parser = _reader_of(wire)
    turn = parser.feed(assistant + writing_of(wire).joint)
    is_open = parser.state == "results"
    found = parser.feed(text) + parser.close(finished=True)
    if found and found[0]["type"] == "execute":
        turn.append(found.pop(0))
    is_run = bool(turn) and turn[-1]["type"] == "execute" and not is_open
    if is_run and found and found[0]["type"] == "result":
        for event in turn:
            event.pop("raw", None)
        return turn, *_first_and_rest(found, parser.tail, wire)
    # Both are read alone: what the first one leaves open must not swallow the second.
    turn = parse_transcript(assistant, wire, clock=None, limits=UNLIMITED)
    block = assistant if turn and turn[-1]["type"] == "execute" else void_block(wire)
    if block == assistant and wire.frame.runs_at_end:
        # The results answer the calls, and not the text after them, which may be an open think.
        block = _block_of((each["content"] for each in turn if each["type"] == "call"), wire)
    return turn, *read_answer(block, text, wire)


def read_answer(block: str, text: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event of `text`, read as the text after `block`, and the rest of the text.

    `block` is a block, or a whole message that ends with one.
    """
    parser = _reader_of(wire)
    parser.feed(block + writing_of(wire).joint)
    events = parser.feed(text) + parser.close(finished=True)
    if wire.frame.runs_at_end and events and events[0]["type"] == "execute":
        del events[0]  # the results are what has run the calls
    return _first_and_rest(events, parser.tail, wire)


def _reader_of(wire: Dialect) -> Parser:
    return Parser(wire, mode="transcript", raw=True, clock=None, limits=UNLIMITED)


def _first_and_rest(events: list[Event], tail: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event, and the text after it."""
    rest_at = 1
    if writing_of(wire).results_end and [event["type"] for event in events[:2]] == [
        "result",
        "end",
    ]:
        rest_at = 2  # the marker between the results and the user's text
    rest = "".join(event["raw"] for event in events[rest_at:] if "raw" in event) + tail
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
    settled = _neutralised(_settle(parts, wire, note), wire, note)
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


def _neutralised(parts: Sequence[MessagePart], wire: Dialect, note: Note) -> Sequence[MessagePart]:
    """Neutralise prose that only together with the text beside it would be read as a call."""
    writing = writing_of(wire)
    if not (writing.risky("respond") and writing.loses_boundary("respond", "respond")):
        return parts
    safe: list[MessagePart] = []
    for is_text, group in groupby(parts, lambda part: part.kind in ("respond", "replay")):
        first, *rest = run = [*group]
        if is_text and rest:
            texts = [part.text for part in run]
            together = _count_calls(writing.joint.join(texts), wire)
            if together > sum(_count_calls(text, wire) for text in texts):
                message = f"{first.text[0]!r} would begin a call with the text beside it"
                note(first.index, "neutralised", message)
                run[0] = replace(first, text=literal(first.text[0]) + first.text[1:])
        safe += run
    return safe


def _count_calls(text: str, wire: Dialect) -> int:
    machine = wire.machine(_OPTIONS)
    events = machine.read(text, 0, []) + machine.finish(len(text), finished=True)
    return sum(event["type"] == "call" for event in events)


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
