# SPDX-License-Identifier: MIT
"""From steps to parts, and from parts to messages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypedDict, get_args

from ..events import UNLIMITED, Event, ResultEvent
from ..parser.parser import Parser
from ..text.json_text import same_json
from ..text.scan import WHITE
from ..wire.dialects import Dialect
from ..wire.writing import frame_calls, frame_prose, frame_results, frame_think, writing_of
from ..wire.writing_interface import PartKind
from .batches import Batch, BlockState, batches_of, block_state, without_skipped
from .changes import Note, Noted, note_all, safe_text
from .exchanges import Exchange, Step
from .replays import Replay, replay_of, valid_calls
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
class Part:
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


# -- From a step to its parts ---------------------------------------------------------------------


def parts_of(step: Step, wire: Dialect, note: Note) -> list[Part]:
    """Return the parts of a step, in their order."""
    if isinstance(step, Exchange):
        return _write_exchange(step, wire, note)
    return _write_texts([step], wire, note)


def placeholder(part: Part, wire: Dialect) -> Part:
    """Return an empty think, to separate results from a user's text that precedes them directly.

    The block that they answer is not written.  But if it had calls, it may have been written while
    it was open; then the user's message was not the last one, and cannot change.
    """
    return Part("think", part.index, frame_think("", wire).rstrip(WHITE))


def void_block(wire: Dialect) -> str:
    """Return a block that breaks a rule."""
    opener, closer = wire.frame.block_ends
    return f"{opener}?\n{closer}"


def _write_exchange(exchange: Exchange, wire: Dialect, note: Note) -> list[Part]:
    exchange = without_skipped(exchange)
    turn = exchange.turn()
    replay = replay_of(exchange, turn, wire, note)
    calls = valid_calls(exchange)
    state = block_state(exchange, calls, is_replayed=replay is not None)
    batches = batches_of(exchange, calls, state, wire, note)
    if replay is not None:
        parts = [_write_replay(replay, turn)]
    else:
        written = [batch.calls[0].index for batch in batches if batch.calls]
        first = written[0] if written else None
        parts = _write_turn(turn, first, wire, note)
    for batch in batches:
        parts += _write_batch(batch, state, wire, note)
        if batch.calls is None and not exchange.errors:
            note(batch.index, "void", "the block that this answers was void, and is left out")
    return parts


def _write_replay(replay: Replay, turn: Sequence[Numbered]) -> Part:
    index, _ = turn[0]
    unfinished = () if replay.is_whole else turn
    return Part("replay", index, replay.text, replay.is_stop, replay.changes, unfinished)


def _write_turn(
    turn: Sequence[Numbered], first_call: int | None, wire: Dialect, note: Note
) -> list[Part]:
    """Return the parts of a turn without its calls, the first of which is at `first_call`."""
    parts = _write_texts(turn, wire, note)
    if first_call is not None:
        for part in parts:
            if first_call < part.index:
                note(part.index, "moved", "this followed a call, and is written before it")
    return parts


def _write_batch(batch: Batch, state: BlockState, wire: Dialect, note: Note) -> Iterator[Part]:
    block = ""
    if batch.calls is not None:
        block = frame_calls([call.text for call in batch.calls], wire)
        if state != "replayed":
            for call in batch.calls:
                if call.changes:
                    note_all(call.changes, note)
            index = batch.calls[0].index if batch.calls else batch.index
            yield Part("block", index, block, is_stop=True)
    if batch.results is not None:
        text = frame_results(batch.results, wire, batch.items)
        if not batch.is_sound:
            answer, _ = read_answer(block or void_block(wire), text, wire)
            _note_mismatch(batch, answer, note)
        yield Part("results", batch.index, text)


def _note_mismatch(batch: Batch, answer: Event | None, note: Note) -> None:
    """Note if `answer`, the results as they are read back, differs from the results."""
    if answer and answer["type"] == "error":
        note(batch.index, "mismatch", answer["content"])
    elif answer and answer["type"] == "result" and not _matches(answer, batch.results):
        note(batch.index, "mismatch", "the results would be read back differently")


def _matches(answer: ResultEvent, results: str | None) -> bool:
    content = answer["content"]
    return results is not None and (content == results or same_json(content, results))


def _write_texts(turn: Iterable[Numbered], wire: Dialect, note: Note) -> list[Part]:
    parts: list[Part] = []
    is_void = False
    for index, event in turn:
        if event["type"] == "call":
            continue
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond":
            kind = event["type"]
            text = safe_text(index, kind, event["content"], wire, note)
            if text:
                if kind == "think":
                    text = frame_think(text, wire)
                elif kind == "respond":
                    text = frame_prose(text, wire)
                parts.append(Part(kind, index, text))
        elif event["type"] == "error" and not is_void:
            note(index, "void", "text that broke a rule of the wire is left out")
            is_void = True
    return parts


def read_answer(block: str, text: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event of `text`, read as the text after `block`, and the rest of the text.

    `block` is a block, or a whole message that ends with one.
    """
    parser = Parser(wire.name, mode="transcript", raw=True, clock=None, limits=UNLIMITED)
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
    if not events:
        return None, rest
    answer = events[0].copy()
    answer.pop("raw", None)
    return answer, rest


# -- From parts to a message ----------------------------------------------------------------------


def message_of(parts: Sequence[Part], wire: Dialect, note: Note) -> Message:
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


def _settle(parts: Sequence[Part], wire: Dialect, note: Note) -> Sequence[Part]:
    """Write a replay from its events if an open region in it would swallow the next part."""
    if "replay" not in [part.kind for part in parts]:
        return parts
    settled: list[Part] = []
    last = parts[-1]
    for part in parts:
        if part.unfinished and part is not last:
            settled += _write_turn(part.unfinished, None, wire, note)
        else:
            if part.changes:
                note_all(part.changes, note)
            settled.append(part)
    return settled
