# SPDX-License-Identifier: MIT
"""From events to the messages of a chat, and back.

`to_messages` is a pipeline; each step takes what the one before it gave:

    numbered_events    what was stored or is live, in one spelling, with deltas joined
    persisted          what storage keeps, so that memory and storage say the same
    _steps             turns with what came back for them, and what users said
    _write             parts: a segment, a block, results, a turn replayed, a user's text
    _stand_in          parts, with something of the model between a user's text and results
    _merge             neighbours of one role as one message

Law: one more event changes at most the last message.  So a turn never depends on what comes after
its result, and a block whose results were written stays as it is.

Rules: spec/messages.md.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final, Literal, TypedDict, get_args

from ._dialects import Dialect, dialect_named
from ._events import RESERVED_NAME, WHITE, Event, ResultEvent, persisted
from ._history import (
    Numbered,
    decoded,
    element_texts,
    is_list,
    is_void_answer,
    numbered_events,
)
from ._limits import UNLIMITED
from ._parser import Parser, parse_transcript
from ._render import CANCELLED, frame_calls, frame_results, read_call, write_item
from ._text import Decoder
from ._values import write_array

Role = Literal["system", "user", "assistant"]
_ROLES: Final[tuple[Role, ...]] = get_args(Role)

ChangeCode = Literal[
    "trimmed",
    "dropped",
    "joined",
    "neutralised",
    "orphan",
    "surplus",
    "void",
    "completed",
    "mismatch",
]

_Note = Callable[[int, ChangeCode, str], None]
_Members = Mapping[str, object]

#: Without `raw` these are not stored; with it they say that a turn is over.
_STOPS: Final = frozenset({"execute", "end", "error"})
#: Errors of a model that leave no block to close.
_BLOCKLESS: Final = frozenset({"forged-results", "unclosed-execute"})
#: Of these no message says anything, not even of errors in what a system wrote.
_SILENT: Final = frozenset({"metric", "interrupt"})
_RESULTS_ERRORS: Final = frozenset({"results-shape", "results-count", "results-order"})


class Message(TypedDict):
    """One message of a chat."""

    role: Role
    content: str


class Change(TypedDict):
    """A place where the messages say something else than the events."""

    #: The place of the event in what was given.
    index: int
    code: ChangeCode
    #: For a person: what was changed, and why.
    message: str


def to_messages(
    events: Iterable[_Members],
    dialect: str = "xml-json",
    *,
    system: str | None = None,
    report: list[Change] | None = None,
) -> list[Message]:
    """Return the messages that say `events` to a model, behind a `system` message if one is given.

    What the messages say otherwise than the events is appended to `report`, in the order of the
    events.  Raises `ValueError`, naming the index, for what is no event, and for a call that no
    block can hold.
    """
    wire = dialect_named(dialect)
    changes: list[Change] = []

    def note(index: int, code: ChangeCode, message: str) -> None:
        changes.append({"index": index, "code": code, "message": message})

    steps = _steps(filter(_is_kept, numbered_events(events)))
    parts = list(_stand_in(_write(steps, wire, note), wire))
    messages = _merge(parts, wire, note)
    if system is not None and system.strip(WHITE):
        messages.insert(0, {"role": "system", "content": system})
    if report is not None:
        _note_mismatches(parts, wire, note)
        report.extend(sorted(changes, key=lambda change: change["index"]))
    return messages


def from_messages(messages: Iterable[_Members], dialect: str = "xml-json") -> list[Event]:
    """Return the events that `messages` say; system messages are left out.

    Raises `ValueError`, naming the index, for what is no message.
    """
    wire = dialect_named(dialect)
    events: list[Event] = []
    block: str | None = None
    for index, message in enumerate(messages):
        role, content = _read_message(index, message)
        if role == "assistant":
            said = parse_transcript(content, wire.name, clock=None, limits=UNLIMITED)
            events += said
            block = _last_block(said, wire)
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


# -- Steps ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Exchange:
    """A turn, and the result that came back for its block."""

    turn: list[Numbered]
    answer: tuple[int, ResultEvent] | None = None
    #: The user stopped the turn; its block is then as it is, but its result may still come.
    cancelled: bool = False
    #: Nothing has come behind the turn, so that its result may still come.
    is_open: bool = False

    @property
    def stop(self) -> str | None:
        """The type of the event that ended the turn, where that is known."""
        last = self.turn[-1][1]["type"] if self.turn else None
        return last if last in _STOPS else None

    def goes_on(self, event: Event) -> bool:
        """Whether `event` belongs to this turn, in which the block is the last thing."""
        if self.answer is not None or self.cancelled or self.stop is not None:
            return False
        return self.turn[-1][1]["type"] != "call" or event["type"] not in ("think", "respond")


_Step = _Exchange | Numbered


def _is_kept(numbered: Numbered) -> bool:
    _, event = numbered
    if event["type"] in _SILENT or (event["type"] == "error" and event["code"] in _RESULTS_ERRORS):
        return False
    return persisted(event)


def _steps(kept: Iterable[Numbered]) -> list[_Step]:
    """Return the exchanges, and the user events between them."""
    steps: list[_Step] = []
    exchange: _Exchange | None = None
    for index, event in kept:
        if event["type"] == "user":
            exchange = None
            steps.append((index, event))
        elif event["type"] == "cancelled":
            if exchange is not None and exchange.answer is None:
                exchange.cancelled = True
        elif event["type"] == "result":
            if exchange is None or exchange.answer is not None:
                exchange = _Exchange([])
                steps.append(exchange)
            exchange.answer = (index, event)
        elif exchange is not None and exchange.goes_on(event):
            exchange.turn.append((index, event))
        else:
            exchange = _Exchange([(index, event)])
            steps.append(exchange)
    if exchange is not None:
        exchange.is_open = not exchange.cancelled
    return steps


# -- Parts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """What a message holds one or more of."""

    kind: Literal["user", "results", "think", "respond", "block", "replay"]
    #: The place of the event that it comes from, or of the first one.
    index: int
    text: str
    #: What stands here instead where more is joined behind.
    closed: str | None = None
    #: The block that these results came back for.
    block: str = ""

    @property
    def role(self) -> Literal["user", "assistant"]:
        return "user" if self.kind in ("user", "results") else "assistant"


@dataclass(frozen=True, slots=True)
class _Call:
    index: int
    tool: str
    text: str


#: What is known of the block of a turn: that there is none; its calls, of which some may be those
#: of an earlier turn that broke off; that it is as it is; or that it stands in a replay.
_Bond = Literal["none", "loose", "fixed", "replayed"]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Calls, and the text of the array of their results."""

    index: int
    #: None for those of a void block.
    calls: Sequence[_Call] | None
    #: None while they may still come.
    results: str | None


def _write(steps: Iterable[_Step], wire: Dialect, note: _Note) -> Iterator[_Part]:
    for step in steps:
        if isinstance(step, _Exchange):
            yield from _write_exchange(step, wire, note)
        else:
            yield from _write_texts([step], wire, note)


def _write_exchange(exchange: _Exchange, wire: Dialect, note: _Note) -> Iterator[_Part]:
    calls = _read_calls(exchange, note)
    replay = _replay(exchange.turn, wire, note)
    if replay is not None:
        yield replay
    else:
        yield from _write_texts(exchange.turn, wire, note)
        if exchange.stop == "error":
            note(exchange.turn[-1][0], "void", "what broke the rules of the wire is left out")
    bond = _bond(exchange, calls, is_replayed=replay is not None)
    for batch in _batches(exchange, calls, bond, wire, note):
        if batch.calls is None:
            block = _void_block(wire)
            if replay is None:
                note(batch.index, "void", "what this answers was void, and is left out")
        else:
            block = frame_calls([call.text for call in batch.calls], wire)
            if bond != "replayed":
                yield _Part("block", batch.index, block)
        if batch.results is not None:
            yield _Part("results", batch.index, frame_results(batch.results, wire), block=block)


def _write_texts(numbered: Iterable[Numbered], wire: Dialect, note: _Note) -> Iterator[_Part]:
    for index, event in numbered:
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond":
            text = _safe_text(index, event["type"], event["content"], wire, note)
            if text and event["type"] == "think":
                text = _think(text, wire)
            if text:
                yield _Part(event["type"], index, text)


def _think(text: str, wire: Dialect) -> str:
    opener, closer = wire.think
    return f"{opener}{text}{closer}"


def _void_block(wire: Dialect) -> str:
    opener, closer = wire.execute
    return f"{opener}?\n{closer}"


# -- Blocks and results ---------------------------------------------------------------------------


def _bond(exchange: _Exchange, calls: Sequence[_Call], *, is_replayed: bool) -> _Bond:
    if is_replayed and exchange.stop == "execute":
        return "replayed"
    if not calls:
        return "none"
    return "fixed" if exchange.cancelled else "loose"


def _batches(
    exchange: _Exchange, calls: Sequence[_Call], bond: _Bond, wire: Dialect, note: _Note
) -> Iterator[_Batch]:
    """Yield the batch of a turn, or the two that its result divides it into."""
    if exchange.answer is None:
        if bond != "none":
            index = exchange.turn[-1][0]
            results = None if exchange.is_open else write_array(_cancel(calls, index, wire, note))
            yield _Batch(index, calls, results)
        return
    index, result = exchange.answer
    content, items = _read_result(index, result["content"], calls, wire, note)
    if is_void_answer(items) and bond != "replayed":
        if bond == "fixed":
            yield _Batch(index, calls, write_array(_cancel(calls, index, wire, note)))
        yield _Batch(index, None, content)
        return
    if len(items) > len(calls):
        note(index, "surplus", f"{len(items) - len(calls)} results of no call are left out")
        content = write_array(element_texts(content)[: len(calls)])
    missing = max(0, len(calls) - len(items))
    cancelled = _cancel(calls[:missing], index, wire, note) if missing else []
    if bond in ("fixed", "replayed"):
        if cancelled:
            content = write_array([*cancelled, *element_texts(content)])
        yield _Batch(index, calls, content)
        return
    if cancelled:
        yield _Batch(index, calls[:missing], write_array(cancelled))
    # An empty result with no calls of its own came back for an empty block.
    if calls[missing:] or not items:
        yield _Batch(index, calls[missing:], content)


def _cancel(calls: Sequence[_Call], index: int, wire: Dialect, note: _Note) -> list[str]:
    """Return the results of calls that have none; `index` is the place of a block without calls."""
    for place in [call.index for call in calls] or [index]:
        note(place, "orphan", "no result came back: the results are written here, as cancelled")
    return [write_item(call.tool, "failure", CANCELLED, wire) for call in calls]


def _read_calls(exchange: _Exchange, note: _Note) -> list[_Call]:
    """Return the calls of a turn, none if it broke a rule."""
    calls = [
        _read_call(index, event["content"], note)
        for index, event in exchange.turn
        if event["type"] == "call"
    ]
    return [] if exchange.stop == "error" else calls


def _read_call(index: int, content: str, note: _Note) -> _Call:
    """Return the call, as one that any reader of blocks will find; `ValueError` if it is none."""
    text = content.strip(WHITE)
    if text != content:
        note(index, "trimmed", "white space around the call is left out")
    said = read_call(text)
    if said[0]["type"] == "error" and said[0]["code"] == "missing-args":
        text = text[:-1].rstrip(WHITE) + ', "args": {}}'
        note(index, "completed", "the call is written with empty args")
        said = read_call(text)
    if said[0] != {"type": "call", "content": text}:
        problem = next((event["content"] for event in said if event["type"] == "error"), "")
        raise ValueError(f"event {index}: the content is not that of one call. {problem}".rstrip())
    call = decoded(text)
    if call is None:
        raise ValueError(f"event {index}: the call is nested too deeply to be decoded")
    return _Call(index, call["name"], text)


def _read_result(
    index: int, content: str, calls: Sequence[_Call], wire: Dialect, note: _Note
) -> tuple[str, list[object]]:
    """Return the text of the array and its items; what is no array becomes the one item of one."""
    content = _repaired(index, content, note)
    items = decoded(content)
    if is_list(items):
        content = _trimmed(index, content, note)
        return _neutralised(index, content, wire.lookalike, wire.escape, note), items
    note(index, "completed", "the content is no array of results: it is carried as that of one")
    tool = calls[-1].tool if calls else RESERVED_NAME
    return write_array([write_item(tool, "success", content, wire)]), [content]


# -- Texts ----------------------------------------------------------------------------------------


@functools.cache
def _dangers(wire: Dialect, kind: Literal["user", "think", "respond"]) -> re.Pattern[str]:
    """Return what a text of this kind must not hold."""
    if kind == "user":
        return re.compile("|".join(map(re.escape, wire.results)), re.IGNORECASE | re.ASCII)
    markers = wire.openers if kind == "respond" else wire.think[1:]
    return re.compile("|".join(map(re.escape, markers)))


def _safe_text(
    index: int, kind: Literal["user", "think", "respond"], text: str, wire: Dialect, note: _Note
) -> str:
    """Return `text` as it is read again, with nothing in it that would be read as more."""
    text = _trimmed(index, _repaired(index, text, note), note)
    return _neutralised(index, text, _dangers(wire, kind), wire.literal, note)


def _repaired(index: int, text: str, note: _Note) -> str:
    decoder = Decoder()
    repaired = decoder.decode(text) + decoder.finish()
    if repaired != text:
        note(index, "neutralised", "half characters are written as U+FFFD, halves of one as one")
    return repaired


def _trimmed(index: int, text: str, note: _Note) -> str:
    trimmed = text.strip(WHITE)
    if not trimmed:
        note(index, "dropped", "there is no text, and nothing is written")
    elif trimmed != text:
        note(index, "trimmed", "white space around the text is left out")
    return trimmed


def _neutralised(
    index: int, text: str, danger: re.Pattern[str], replacement: str, note: _Note
) -> str:
    """Return `text` with `replacement` for the first character of each match of `danger`."""

    def neutralise(found: re.Match[str]) -> str:
        note(index, "neutralised", f"{found[0]!r} at {found.start()} could pass for a marker")
        return replacement + found[0][1:]

    return danger.sub(neutralise, text)


# -- Replays --------------------------------------------------------------------------------------


def _replay(turn: Sequence[Numbered], wire: Dialect, note: _Note) -> _Part | None:
    """Return the turn as the model wrote it, if that is known and says what the events say."""
    raws = [event["raw"] for _, event in turn if "raw" in event]
    if not raws or len(raws) < len(turn):
        return None
    (first, _), (_, last) = turn[0], turn[-1]
    raw = "".join(raws)
    if last["type"] == "error" and last["code"] not in _BLOCKLESS:
        raw = f"{raw}\n{wire.execute[1]}"
    for text in (raw, f"{wire.think[0]}{raw}"):
        parser = Parser(wire.name, mode="transcript", clock=None, limits=UNLIMITED)
        said = parser.feed(text) + parser.close()
        if list(map(_outline, said)) == [_outline(event) for _, event in turn]:
            if text != raw:
                note(first, "completed", "the think's opener, which the prompt held, is written")
            plain = wire.joint.join(part.text for part in _write_texts(turn, wire, note))
            return _Part("replay", first, text, text if parser.state == "prose" else plain)
    note(first, "mismatch", "the raw does not say this turn as a whole: it is written from events")
    return None


def _outline(event: Event) -> tuple[str, str]:
    if event["type"] == "think" or event["type"] == "respond" or event["type"] == "call":
        return event["type"], event["content"]
    return event["type"], ""


# -- Messages -------------------------------------------------------------------------------------


def _stand_in(parts: Iterable[_Part], wire: Dialect) -> Iterator[_Part]:
    """Put an empty think where results would stand directly behind a user's text.

    The block that they answer is not written, but if it had calls it may have been while it was
    open, and then the user's message was not the last one, and cannot change.
    """
    role = "assistant"
    for part in parts:
        if part.kind == "results" and role == "user":
            yield _Part("think", part.index, _think("", wire))
        yield part
        role = part.role


def _merge(parts: Sequence[_Part], wire: Dialect, note: _Note) -> list[Message]:
    for before, part in pairwise(parts):
        if _is_blurred(before, part):
            note(part.index, "joined", "this is joined to what the same role said before it")
    messages: list[Message] = []
    for _, group in groupby(parts, key=lambda part: part.role):
        *others, last = group
        texts = [part.text if part.closed is None else part.closed for part in others]
        content = wire.joint.join(filter(None, [*texts, last.text]))
        messages.append({"role": last.role, "content": content})
    return messages


def _is_blurred(before: _Part, part: _Part) -> bool:
    """Whether the boundary between two parts is lost."""
    kinds = {before.kind, part.kind}
    return kinds in ({"user"}, {"respond"}) or (before.role == part.role and "replay" in kinds)


def _note_mismatches(parts: Iterable[_Part], wire: Dialect, note: _Note) -> None:
    for part in parts:
        if part.kind == "results":
            answer, _ = _read_answer(part.block, part.text, wire)
            if answer is not None and answer["type"] == "error":
                note(part.index, "mismatch", answer["content"])


# -- Reading messages -----------------------------------------------------------------------------


def _read_message(index: int, message: _Members) -> tuple[Role, str]:
    content = message.get("content")
    role: Role | None = next((role for role in _ROLES if role == message.get("role")), None)
    if role is None:
        raise ValueError(f"message {index}: {message.get('role')!r} is no role")
    if not isinstance(content, str):
        raise ValueError(f"message {index}: `content` is not a string")  # noqa: TRY004 (bad data)
    return role, content


def _last_block(said: Sequence[Event], wire: Dialect) -> str:
    """Return the block that results may answer, a void one where there is none."""
    if not said or said[-1]["type"] != "execute":
        return _void_block(wire)
    calls: list[str] = []
    for event in reversed(said[:-1]):
        if event["type"] != "call":
            break
        calls.append(event["content"])
    return frame_calls(reversed(calls), wire)


def _read_answer(block: str, text: str, wire: Dialect) -> tuple[Event | None, str]:
    """Return the first event of `text`, read as what stands behind `block`, and what is left."""
    parser = Parser(wire.name, mode="transcript", raw=True, clock=None, limits=UNLIMITED)
    parser.feed(block)
    events = parser.feed(wire.joint + text) + parser.close()
    rest = "".join(event["raw"] for event in events[1:] if "raw" in event) + parser.tail
    if not events:
        return None, rest
    answer = events[0].copy()
    answer.pop("raw", None)
    return answer, rest
