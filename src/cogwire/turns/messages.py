# SPDX-License-Identifier: MIT
"""From events to the messages of a chat, and back.

`to_messages` is a pipeline; each step takes what the one before it gave:

    numbered_events    what was stored or is live, in one spelling, with deltas joined
    persisted          what storage keeps, so that memory and storage give the same
    steps_of             turns with what came back for them, and what users said
    _write             parts: a segment, a block, results, a turn replayed, a user's text
    _stand_in          parts, with something of the model between a user's text and results
    _settle            parts, with no replay left open where more is joined after it
    _merge             neighbours of one role as one message

Law: one more event changes at most the last message.  So a turn never depends on what comes after
its result, and a block whose results were written stays as it is.

Rules: spec/messages.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from typing import Final, Literal, TypedDict, get_args

from ..events import UNLIMITED, WHITE, Event, ResultEvent
from ..parser.parser import Parser, parse_transcript
from ..parser.placed import read_placed
from ..text.json_text import same_json
from ..wire.dialects import Dialect, dialect_named
from ..wire.frames.frame import PartKind
from .batches import Batch, Bond, Call, batches_of, bond_of, read_calls
from .changes import Change, Note, note_all, noting, order_of, repaired, safe_text
from .exchanges import STOPS, Exchange, Step, is_kept, steps_of
from .render import (
    frame_calls,
    frame_prose,
    frame_results,
    frame_think,
)
from .storage import Numbered, is_members, numbered_events

Role = Literal["system", "user", "assistant"]
_ROLES: Final[tuple[Role, ...]] = get_args(Role)

#: Errors of a model that leave no block to close.
_BLOCKLESS: Final = frozenset(
    {"forged-results", "unclosed-execute", "unclosed-call", "missing-execute"}
)


class Message(TypedDict):
    """One message of a chat."""

    #: Who says it; results are said by the user.
    role: Role
    #: The text, which is never empty.
    content: str


def to_messages(
    events: Iterable[Mapping[str, object]],
    dialect: str = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
) -> list[Message]:
    """Return `events` as messages for a model, after a `system` message if one is given.

    `events` may come from memory or from storage; both give the same.  Every change is appended
    to `report`, in the order of the events, and for one event in that of
    `ChangeCode`.  Raises `ValueError`, naming the index, for what is no event, and for a call that
    no block can hold.
    """
    wire = dialect_named(dialect)
    changes: list[Change] = []
    note = noting(changes)
    steps = steps_of(filter(is_kept, numbered_events(events)), wire.frame)
    parts = list(_settle(list(_stand_in(_write(steps, wire, note), wire)), wire, note))
    messages = _merge(parts, wire, note)
    if system is not None and system.strip(WHITE):
        messages.insert(0, {"role": "system", "content": system})
    if report is not None:
        _note_mismatches(parts, wire, note)
        report.extend(sorted(changes, key=order_of))
    return messages


def from_messages(
    messages: Iterable[Mapping[str, object]], dialect: str = "xml-json"
) -> list[Event]:
    """Return the events that `messages` express; system messages are left out.

    The events have whole segments and no timestamps.  Raises `ValueError`, naming the index, for
    what is no message.
    """
    wire = dialect_named(dialect)
    events: list[Event] = []
    block: str | None = None
    for index, message in enumerate(messages):
        role, content = _read_message(index, message)
        if role == "assistant":
            said = parse_transcript(content, wire.name, clock=None, limits=UNLIMITED)
            events += said
            block = content if said and said[-1]["type"] == "execute" else _void_block(wire)
        elif role == "user":
            if block is not None:
                answer, rest = _read_answer(block, content, wire)
                if answer is not None and answer["type"] == "result":
                    events.append(answer)
                    content = rest
                block = None
            if text := content.strip(WHITE):
                events.append({"type": "user", "content": text})
    return events


# -- Parts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """What a message holds one or more of."""

    kind: PartKind
    #: The place of the event that it comes from, or of the first one.
    index: int
    text: str
    #: Whether the turn is over after it, and the text says so.
    is_stop: bool = False
    #: The block that these results came back for, and the array of them.
    block: str = ""
    results: str = ""
    #: The changes made in a replay; and the turn, if the replay leaves a region open.
    changes: Sequence[Change] = ()
    unfinished: Exchange | None = None

    @property
    def role(self) -> Literal["user", "assistant"]:
        """Who says it."""
        return "user" if self.kind in ("user", "results") else "assistant"


def _write(steps: Iterable[Step], wire: Dialect, note: Note) -> Iterator[Part]:
    for step in steps:
        if isinstance(step, Exchange):
            yield from _write_exchange(step, wire, note)
        else:
            yield from _write_texts([step], wire, note)


def _write_exchange(exchange: Exchange, wire: Dialect, note: Note) -> Iterator[Part]:
    calls = read_calls(exchange.turn, wire)
    replay = replay_of(exchange, wire, note)
    calls = _valid_calls(exchange, calls, replay, wire)
    bond = bond_of(exchange, calls, is_replayed=replay is not None)
    batches = list(batches_of(exchange, calls, bond, wire, note))
    if replay is not None:
        yield replay
    else:
        first = next((call.index for batch in batches for call in batch.calls or ()), None)
        yield from _write_turn(exchange, first, wire, note)
    for batch in batches:
        yield from _write_batch(batch, bond, wire, note)
        if batch.calls is None and not exchange.errors:
            note(batch.index, "void", "what this answers was void, and is left out")


def _write_turn(
    exchange: Exchange, first_call: int | None, wire: Dialect, note: Note
) -> Iterator[Part]:
    """Yield the parts of a turn without its calls; `first_call` is the first that is written."""
    for part in _write_texts(exchange.turn, wire, note):
        if first_call is not None and first_call < part.index:
            note(part.index, "moved", "this stood behind a call, and is written before it")
        yield part
    for index, _ in exchange.errors[:1]:
        note(index, "void", "what broke the rules of the wire is left out")


def _write_batch(batch: Batch, bond: Bond, wire: Dialect, note: Note) -> Iterator[Part]:
    block = _void_block(wire)
    if batch.calls is not None:
        block = frame_calls([call.text for call in batch.calls], wire)
        if bond != "replayed":
            for call in batch.calls:
                note_all(call.changes, note)
            index = batch.calls[0].index if batch.calls else batch.index
            yield Part("block", index, block, is_stop=True)
    if batch.results is not None:
        text = frame_results(batch.results, wire)
        yield Part("results", batch.index, text, block=block, results=batch.results)


def _write_texts(numbered: Iterable[Numbered], wire: Dialect, note: Note) -> Iterator[Part]:
    for index, event in numbered:
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond":
            text = safe_text(index, event["type"], event["content"], wire, note)
            if text and event["type"] == "think":
                text = frame_think(text, wire)
            elif text and event["type"] == "respond":
                text = frame_prose(text, wire)
            if text:
                yield Part(event["type"], index, text)


def _void_block(wire: Dialect) -> str:
    opener, closer = wire.frame.block_ends
    return f"{opener}?\n{closer}"


# -- Replays --------------------------------------------------------------------------------------


def replay_of(exchange: Exchange, wire: Dialect, note: Note) -> Part | None:
    """Return the turn as the model wrote it, if that is known and parses to the same events."""
    turn = exchange.turn
    raws = [event["raw"] for _, event in turn if "raw" in event]
    if not raws or len(raws) < len(turn):
        return None
    first, last = turn[0][0], turn[-1][1]
    changes: list[Change] = []
    raw = repaired(first, "".join(raws), noting(changes))
    is_stop = last["type"] in STOPS
    if exchange.errors and not is_stop and exchange.errors[-1][1]["code"] not in _BLOCKLESS:
        raw = f"{raw}\n{wire.frame.block_ends[1]}"
        is_stop = True
    for text in (raw, _reopened(raw, wire)):
        parser = Parser(wire.name, mode="transcript", clock=None, limits=UNLIMITED)
        read = parser.feed(text) + parser.close()
        if list(map(_outline, read)) == [_outline(event) for _, event in turn]:
            if text != raw:
                message = "the think's opener, which the prompt held, is written"
                changes.append({"index": first, "code": "completed", "message": message})
            unfinished = None if parser.state == "prose" else exchange
            return Part("replay", first, text, is_stop, changes=changes, unfinished=unfinished)
    note(first, "mismatch", "the raw does not say this turn as a whole: it is written from events")
    return None


def _valid_calls(
    exchange: Exchange, calls: Sequence[Call], replay: Part | None, wire: Dialect
) -> Sequence[Call]:
    """Return those of `calls` that no error made void: all, or those an `execute` ran after it."""
    if not exchange.errors:
        return calls
    if exchange.stop != "execute":
        return []
    if replay is not None:
        return calls[len(calls) - _count_run(replay.text, wire) :]
    last, _ = exchange.errors[-1]
    return [call for call in calls if call.index > last]


def _count_run(text: str, wire: Dialect) -> int:
    """Count the calls that the end of `text` runs; no event shows where void batches end."""
    placed = read_placed(text, wire, UNLIMITED)
    batches = [each.batch for each in placed if each.event["type"] == "call"]
    return batches.count(placed[-1].batch)


def _reopened(raw: str, wire: Dialect) -> str:
    """Return `raw` after the opener of a think."""
    return f"{wire.frame.think_opener()}{raw}"


def _outline(event: Event) -> tuple[str, str]:
    if event["type"] == "think" or event["type"] == "respond" or event["type"] == "call":
        return event["type"], event["content"]
    return event["type"], ""


# -- Messages -------------------------------------------------------------------------------------


def _stand_in(parts: Iterable[Part], wire: Dialect) -> Iterator[Part]:
    """Put an empty think where results would directly follow a user's text.

    The block that they answer is not written.  But if it had calls, it may have been written while
    it was open; then the user's message was not the last one, and cannot change.
    """
    role = "assistant"
    for part in parts:
        if part.kind == "results" and role == "user":
            yield Part("think", part.index, frame_think("", wire).rstrip(WHITE))
        yield part
        role = part.role


def _settle(parts: Sequence[Part], wire: Dialect, note: Note) -> Iterator[Part]:
    """Write a replay from its events where it is left open and would swallow what follows."""
    for part, after in zip_longest(parts, parts[1:]):
        if part.unfinished is not None and after is not None and after.role == part.role:
            yield from _write_turn(part.unfinished, None, wire, note)
        else:
            note_all(part.changes, note)
            yield part


def _merge(parts: Sequence[Part], wire: Dialect, note: Note) -> list[Message]:
    for before, part in pairwise(parts):
        if _is_blurred(before, part, wire):
            note(part.index, "joined", "this is joined to what the same role said before it")
    messages: list[Message] = []
    for _, group in groupby(parts, key=lambda part: part.role):
        run = list(group)
        texts: list[str] = []
        for part, after in zip_longest(run, run[1:]):
            texts.append(part.text)
            if wire.frame.closing and _is_ended(part, after):
                texts.append(wire.frame.closing)
        messages.append({"role": run[0].role, "content": wire.joint.join(texts)})
    return messages


def _is_ended(part: Part, after: Part | None) -> bool:
    """Whether the end of the turn has to be written after `part`; a replay is a whole turn."""
    is_last = after is None or "replay" in (part.kind, after.kind)
    return is_last and part.role == "assistant" and not part.is_stop


def _is_blurred(before: Part, part: Part, wire: Dialect) -> bool:
    """Whether the boundary between two parts is lost."""
    if before.role == part.role and "replay" in (before.kind, part.kind):
        return True
    return wire.frame.blurs(before.kind, part.kind)


def _note_mismatches(parts: Iterable[Part], wire: Dialect, note: Note) -> None:
    for part in parts:
        if part.kind == "results":
            answer, _ = _read_answer(part.block, part.text, wire)
            if answer and answer["type"] == "error":
                note(part.index, "mismatch", answer["content"])
            elif answer and answer["type"] == "result" and not _matches(answer, part.results):
                note(part.index, "mismatch", "these are not the results as they would be read")


def _matches(answer: ResultEvent, results: str) -> bool:
    return answer["content"] == results or same_json(answer["content"], results)


# -- Reading messages -----------------------------------------------------------------------------


def _read_message(index: int, message: object) -> tuple[Role, str]:
    if not is_members(message):
        raise ValueError(f"message {index}: not an object")
    content = message.get("content")
    role: Role | None = next((role for role in _ROLES if role == message.get("role")), None)
    if role is None:
        raise ValueError(f"message {index}: {message.get('role')!r} is no role")
    if not isinstance(content, str):
        raise ValueError(f"message {index}: `content` is not a string")  # noqa: TRY004 (bad data)
    return role, content


def _read_answer(block: str, text: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event of `text`, read as what follows `block`, and what is left.

    `block` is a block, or a whole message that ends with one.
    """
    parser = Parser(wire.name, mode="transcript", raw=True, clock=None, limits=UNLIMITED)
    parser.feed(block + wire.joint)
    events = parser.feed(text) + parser.close()
    rest = "".join(event["raw"] for event in events[1:] if "raw" in event) + parser.tail
    if not events:
        return None, rest
    answer = events[0].copy()
    answer.pop("raw", None)
    return answer, rest
