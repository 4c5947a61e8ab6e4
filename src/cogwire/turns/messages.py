# SPDX-License-Identifier: MIT
"""From events to the messages of a chat, and back.

`to_messages` is a pipeline; each step takes what the one before it gave:

    numbered_events    what was stored or is live, in one spelling, with deltas joined
    persisted          what storage keeps, so that memory and storage say the same
    _steps             turns with what came back for them, and what users said
    _write             parts: a segment, a block, results, a turn replayed, a user's text
    _stand_in          parts, with something of the model between a user's text and results
    _settle            parts, with no replay left open where more is joined behind it
    _merge             neighbours of one role as one message

Law: one more event changes at most the last message.  So a turn never depends on what comes after
its result, and a block whose results were written stays as it is.

Rules: spec/messages.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from typing import Final, Literal, TypedDict, get_args

from ..events import RESERVED_NAME, UNLIMITED, WHITE, ErrorEvent, Event, ResultEvent, persisted
from ..parser.parser import Parser, parse_transcript
from ..parser.placed import read_placed
from ..text.decoding import PAIR_OR_HALF, Decoder
from ..text.json_text import decoded, elements, escaped, members, same_json
from ..text.json_values import ItemWriter, RenderError, write_array
from ..wire.dialects import Dialect, dialect_named
from ..wire.frames.frame import Frame, PartKind
from ..wire.frames.markers import literal
from .render import (
    CANCELLED,
    frame_calls,
    frame_prose,
    frame_results,
    frame_think,
    read_call,
    spell_call,
)
from .storage import Numbered, is_list, is_members, is_void_answer, numbered_events

Role = Literal["system", "user", "assistant"]
_ROLES: Final[tuple[Role, ...]] = get_args(Role)

ChangeCode = Literal[
    "trimmed",
    "dropped",
    "retyped",
    "neutralised",
    "joined",
    "orphan",
    "surplus",
    "void",
    "moved",
    "completed",
    "mismatch",
]
_CHANGE_CODES: Final[tuple[ChangeCode, ...]] = get_args(ChangeCode)

_Note = Callable[[int, ChangeCode, str], None]
_Members = Mapping[str, object]

_ITEM: Final = {"tool", "status", "content"}
#: Without `raw` these are not stored; with it they say that a turn is over.  Between tags an error
#: does so too; by lines it makes the calls void, and the turn goes on.
_STOPS: Final = frozenset({"execute", "end"})
#: Errors of a model that leave no block to close.
_BLOCKLESS: Final = frozenset(
    {"forged-results", "unclosed-execute", "unclosed-call", "missing-execute"}
)
#: Of these no message says anything, not even of errors in what a system wrote.
_SILENT: Final = frozenset({"metric", "interrupt"})
_RESULTS_ERRORS: Final = frozenset({"results-shape", "results-count", "results-order"})


class Message(TypedDict):
    """One message of a chat."""

    #: Who says it; results are said by the user.
    role: Role
    #: The text, which is never empty.
    content: str


class Change(TypedDict):
    """A place where the messages say something else than the events."""

    #: The place of the event in what was given.
    index: int
    #: What kind of change it is.
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

    `events` are those of memory or of storage, which gives the same.  What the messages say
    otherwise is appended to `report`, in the order of the events, and for each of them in that of
    `ChangeCode`.  Raises `ValueError`, naming the index, for what is no event, and for a call that
    no block can hold.
    """
    wire = dialect_named(dialect)
    changes: list[Change] = []
    note = _noting(changes)
    steps = _steps(filter(_is_kept, numbered_events(events)), wire.frame)
    parts = list(_settle(list(_stand_in(_write(steps, wire, note), wire)), wire, note))
    messages = _merge(parts, wire, note)
    if system is not None and system.strip(WHITE):
        messages.insert(0, {"role": "system", "content": system})
    if report is not None:
        _note_mismatches(parts, wire, note)
        report.extend(sorted(changes, key=_place))
    return messages


def from_messages(messages: Iterable[_Members], dialect: str = "xml-json") -> list[Event]:
    """Return the events that `messages` say; system messages are left out.

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


# -- Notes ----------------------------------------------------------------------------------------


def _noting(changes: list[Change]) -> _Note:
    def note(index: int, code: ChangeCode, message: str) -> None:
        changes.append({"index": index, "code": code, "message": message})

    return note


def _note_all(changes: Iterable[Change], note: _Note) -> None:
    """Note what was kept until it was known whether the text is written."""
    for change in changes:
        note(change["index"], change["code"], change["message"])


def _place(change: Change) -> tuple[int, int]:
    """Return where the change stands in a report."""
    return change["index"], _CHANGE_CODES.index(change["code"])


# -- Steps ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Exchange:
    """A turn, and the result that came back for its block."""

    turn: list[Numbered]
    frame: Frame
    answer: tuple[int, ResultEvent] | None = None
    #: The user stopped the turn; its block is then as it is, but its result may still come.
    cancelled: bool = False
    #: Nothing has come behind the turn, so that its result may still come.
    is_open: bool = False

    @property
    def stop(self) -> str | None:
        """The type of the event that ended the turn, where that is known."""
        last = self.turn[-1][1]["type"] if self.turn else None
        if last == "error" and self.frame.is_block_last:
            return last
        return last if last in _STOPS else None

    @property
    def errors(self) -> list[tuple[int, ErrorEvent]]:
        """The rules that the turn is known to have broken."""
        return [(index, event) for index, event in self.turn if event["type"] == "error"]

    def goes_on(self, event: Event) -> bool:
        """Whether `event` belongs to this turn."""
        if self.answer is not None or self.cancelled or self.stop is not None:
            return False
        is_text = event["type"] in ("think", "respond")
        is_after_block = self.frame.is_block_last and self.turn[-1][1]["type"] == "call"
        return not (is_after_block and is_text)


_Step = _Exchange | Numbered


def _is_kept(numbered: Numbered) -> bool:
    _, event = numbered
    if event["type"] in _SILENT or (event["type"] == "error" and event["code"] in _RESULTS_ERRORS):
        return False
    return persisted(event)


def _steps(kept: Iterable[Numbered], frame: Frame) -> list[_Step]:
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
                exchange = _Exchange([], frame)
                steps.append(exchange)
            exchange.answer = (index, event)
        elif exchange is not None and exchange.goes_on(event):
            exchange.turn.append((index, event))
        else:
            exchange = _Exchange([(index, event)], frame)
            steps.append(exchange)
    if exchange is not None:
        exchange.is_open = not exchange.cancelled
    return steps


# -- Parts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """What a message holds one or more of."""

    kind: PartKind
    #: The place of the event that it comes from, or of the first one.
    index: int
    text: str
    #: Whether the turn is over behind it, and the text says so.
    is_stop: bool = False
    #: The block that these results came back for, and the array of them.
    block: str = ""
    results: str = ""
    #: What is written otherwise in a replay; and the turn, if the replay leaves a region open.
    changes: Sequence[Change] = ()
    unfinished: _Exchange | None = None

    @property
    def role(self) -> Literal["user", "assistant"]:
        return "user" if self.kind in ("user", "results") else "assistant"


@dataclass(frozen=True, slots=True)
class _Call:
    index: int
    tool: str
    text: str
    #: What the text says otherwise.
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class _Result:
    index: int
    content: str
    #: The texts of the items; what is no array is the only one.
    items: Sequence[str]
    is_array: bool
    is_void: bool


#: What is known of the block of a turn: that there is none; its calls, of which some may be those
#: of an earlier turn that broke off; that it is as it is; or that it stands in a replay.
_Bond = Literal["none", "loose", "fixed", "replayed"]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Calls, and the text of the array of their results."""

    #: The place of the result, or of the last event of the turn.
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
    calls = _read_calls(exchange.turn, wire)
    replay = _replay(exchange, wire, note)
    calls = _valid_calls(exchange, calls, replay, wire)
    bond = _bond(exchange, calls, is_replayed=replay is not None)
    batches = list(_batches(exchange, calls, bond, wire, note))
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
    exchange: _Exchange, first_call: int | None, wire: Dialect, note: _Note
) -> Iterator[_Part]:
    """Yield what a turn says but for its calls, of which the first that is written is given."""
    for part in _write_texts(exchange.turn, wire, note):
        if first_call is not None and first_call < part.index:
            note(part.index, "moved", "this stood behind a call, and is written before it")
        yield part
    for index, _ in exchange.errors[:1]:
        note(index, "void", "what broke the rules of the wire is left out")


def _write_batch(batch: _Batch, bond: _Bond, wire: Dialect, note: _Note) -> Iterator[_Part]:
    block = _void_block(wire)
    if batch.calls is not None:
        block = frame_calls([call.text for call in batch.calls], wire)
        if bond != "replayed":
            for call in batch.calls:
                _note_all(call.changes, note)
            index = batch.calls[0].index if batch.calls else batch.index
            yield _Part("block", index, block, is_stop=True)
    if batch.results is not None:
        text = frame_results(batch.results, wire)
        yield _Part("results", batch.index, text, block=block, results=batch.results)


def _write_texts(numbered: Iterable[Numbered], wire: Dialect, note: _Note) -> Iterator[_Part]:
    for index, event in numbered:
        if event["type"] == "user" or event["type"] == "think" or event["type"] == "respond":
            text = _safe_text(index, event["type"], event["content"], wire, note)
            if text and event["type"] == "think":
                text = frame_think(text, wire)
            elif text and event["type"] == "respond":
                text = frame_prose(text, wire)
            if text:
                yield _Part(event["type"], index, text)


def _void_block(wire: Dialect) -> str:
    opener, closer = wire.frame.block_ends
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
            results = None if exchange.is_open else _orphaned(calls, index, wire, note)
            yield _Batch(index, calls, results)
        return
    index, event = exchange.answer
    result = _read_result(index, event["content"])
    if result.is_void and bond != "replayed":
        if bond == "fixed":
            yield _Batch(index, calls, _orphaned(calls, index, wire, note))
        yield _Batch(index, None, _write_results(result, [], [RESERVED_NAME], wire, note))
        return
    missing = max(0, len(calls) - len(result.items))
    if bond == "loose" and missing:
        yield _Batch(index, calls[:missing], _orphaned(calls[:missing], index, wire, note))
        calls, missing = calls[missing:], 0
    # An empty result with no calls of its own came back for an empty block.
    if calls or bond == "replayed" or not result.items:
        orphans = _cancel(calls[:missing], wire, note)
        tools = [call.tool for call in calls[missing:]]
        yield _Batch(index, calls, _write_results(result, orphans, tools, wire, note))
    else:
        _note_surplus(result, 0, note)


def _orphaned(calls: Sequence[_Call], index: int, wire: Dialect, note: _Note) -> str:
    """Return the array of results of orphans; `index` is the place of a block without calls."""
    if not calls:
        note(index, "orphan", "no result came back for this empty block: it is written here")
    return write_array(_cancel(calls, wire, note))


def _cancel(calls: Sequence[_Call], wire: Dialect, note: _Note) -> list[str]:
    """Return the results of calls that have none."""
    for call in calls:
        note(call.index, "orphan", "no result came back: it is written here, as cancelled")
    return [_item(call.tool, "failure", _string(CANCELLED, wire), wire) for call in calls]


def _item(tool: str, status: str, content: str, wire: Dialect) -> str:
    """Return the text of a result whose `content` is JSON text."""
    return f'{{"tool": {_string(tool, wire)}, "status": "{status}", "content": {content}}}'


def _string(text: str, wire: Dialect) -> str:
    """Return `text` as JSON, however long it is."""
    return ItemWriter(wire.lookalike, UNLIMITED.size).write(text, "")


def _read_calls(turn: Iterable[Numbered], wire: Dialect) -> Sequence[_Call]:
    return [
        _read_call(index, event["content"], wire)
        for index, event in turn
        if event["type"] == "call"
    ]


def _valid_calls(
    exchange: _Exchange, calls: Sequence[_Call], replay: _Part | None, wire: Dialect
) -> Sequence[_Call]:
    """Return those of `calls` that no error made void: all, or what an `execute` ran behind it."""
    if not exchange.errors:
        return calls
    if exchange.stop != "execute":
        return []
    if replay is not None:
        return calls[len(calls) - _count_run(replay.text, wire) :]
    last, _ = exchange.errors[-1]
    return [call for call in calls if call.index > last]


def _read_call(index: int, content: str, wire: Dialect) -> _Call:
    """Return the call, as one that any reader of blocks will find; `ValueError` if it is none."""
    changes: list[Change] = []
    note = _noting(changes)
    text = content.strip(WHITE)
    if text != content:
        note(index, "trimmed", "white space around the call is left out")

    def changed(code: Literal["completed", "dropped", "retyped"], _path: str, message: str) -> None:
        note(index, code, message)

    try:
        tool = read_call(text)
    except ValueError as problem:
        reason = f"the content is not that of one call. {problem}"
        raise ValueError(f"event {index}: {reason}") from None
    try:
        return _Call(index, tool, spell_call(text, wire, changed), changes)
    except RecursionError:
        raise ValueError(f"event {index}: the call is nested too deeply to be decoded") from None
    except RenderError as error:
        raise ValueError(f"event {index}: the call cannot be written. {error}") from None


def _read_result(index: int, content: str) -> _Result:
    items = decoded(content)
    if is_list(items):
        texts = elements(content.strip(WHITE))
        return _Result(index, content, texts, is_array=True, is_void=is_void_answer(items))
    return _Result(index, content, [content], is_array=False, is_void=False)


def _write_results(
    result: _Result, orphans: Sequence[str], tools: Sequence[str], wire: Dialect, note: _Note
) -> str:
    """Return the array of `orphans`, and of what came back for calls of the `tools`."""
    own = result.items[: len(tools)]
    _note_surplus(result, len(own), note)
    if not result.is_array:
        own = [_carried(result, tool, wire, note) for tool in tools[-1:]]
        return write_array([*orphans, *own])
    text = _trimmed(result.index, result.content, note)
    if not wire.frame.has_result_array:
        own = list(_line_items(result.index, own, tools, wire, note))
    if orphans or own != result.items:
        text = write_array([*orphans, *own])
    text = _repaired(result.index, text, note)
    return _rewritten(result.index, text, _lookalikes_in(text, wire), escaped, note)


def _note_surplus(result: _Result, kept: int, note: _Note) -> None:
    if kept < len(result.items):
        note(result.index, "surplus", f"{len(result.items) - kept} results of no call are left out")


def _carried(result: _Result, tool: str, wire: Dialect, note: _Note) -> str:
    """Return the content of `result`, which is no array, as that of one success."""
    note(result.index, "completed", "the content is no array of results: it is that of one")
    text = _repaired(result.index, result.content, note)
    # They are escaped with all else that a string cannot hold.
    _rewritten(result.index, text, _lookalikes_in(text, wire), escaped, note)
    return _item(tool, "success", _string(text, wire), wire)


def _lookalikes_in(text: str, wire: Dialect) -> Iterator[tuple[int, int]]:
    return (found.span() for found in wire.lookalike.finditer(text))


def _line_items(
    index: int, items: Sequence[str], tools: Sequence[str], wire: Dialect, note: _Note
) -> Iterator[str]:
    """Yield `items`, which answer calls of the `tools`, as results that are written one by one."""
    for item, tool in zip(items, tools, strict=True):
        given = list(members(item)) if item.startswith("{") else []
        said = {name: text for name, text in given if name in _ITEM}
        if said.keys() < _ITEM:
            note(index, "completed", "what is no result is carried as the content of one")
            yield _item(tool, "success", item, wire)
            continue
        for _ in range(len(given) - len(said)):
            note(index, "dropped", "a member of a result that has no place here is left out")
        kept = (f'"{name}": {text}' for name, text in said.items())
        yield f"{{{', '.join(kept)}}}" if len(given) > len(said) else item


# -- Texts ----------------------------------------------------------------------------------------


def _safe_text(
    index: int, kind: Literal["user", "think", "respond"], text: str, wire: Dialect, note: _Note
) -> str:
    """Return `text` as it is read again, with nothing in it that would be read as more."""
    text = _trimmed(index, _repaired(index, text, note), note)
    return _rewritten(index, text, wire.frame.unsafe(text, kind), literal, note)


def _repaired(index: int, text: str, note: _Note) -> str:
    for found in PAIR_OR_HALF.finditer(text):
        told = "two halves of one character" if len(found[0]) > 1 else "half a character"
        note(index, "neutralised", f"{told} at {found.start()}, which text cannot hold")
    decoder = Decoder()
    return decoder.decode(text) + decoder.finish()


def _trimmed(index: int, text: str, note: _Note) -> str:
    trimmed = text.strip(WHITE)
    if not trimmed:
        note(index, "dropped", "there is no text, and nothing is written")
    elif trimmed != text:
        note(index, "trimmed", "white space around the text is left out")
    return trimmed


def _rewritten(
    index: int,
    text: str,
    markers: Iterable[tuple[int, int]],
    rewrite: Callable[[str], str],
    note: _Note,
) -> str:
    """Return `text` with each of the `markers` rewritten."""
    pieces: list[str] = []
    done = 0
    for start, end in markers:
        marker = text[start:end]
        note(index, "neutralised", f"{marker!r} at {start} could pass for a marker")
        pieces += text[done:start], rewrite(marker)
        done = end
    return "".join([*pieces, text[done:]])


# -- Replays --------------------------------------------------------------------------------------


def _replay(exchange: _Exchange, wire: Dialect, note: _Note) -> _Part | None:
    """Return the turn as the model wrote it, if that is known and says what the events say."""
    turn = exchange.turn
    raws = [event["raw"] for _, event in turn if "raw" in event]
    if not raws or len(raws) < len(turn):
        return None
    first, last = turn[0][0], turn[-1][1]
    changes: list[Change] = []
    raw = _repaired(first, "".join(raws), _noting(changes))
    is_stop = last["type"] in _STOPS
    if exchange.errors and not is_stop and exchange.errors[-1][1]["code"] not in _BLOCKLESS:
        raw = f"{raw}\n{wire.frame.block_ends[1]}"
        is_stop = True
    for text in (raw, _reopened(raw, wire)):
        parser = Parser(wire.name, mode="transcript", clock=None, limits=UNLIMITED)
        said = parser.feed(text) + parser.close()
        if list(map(_outline, said)) == [_outline(event) for _, event in turn]:
            if text != raw:
                told = "the think's opener, which the prompt held, is written"
                changes.append({"index": first, "code": "completed", "message": told})
            unfinished = None if parser.state == "prose" else exchange
            return _Part("replay", first, text, is_stop, changes=changes, unfinished=unfinished)
    note(first, "mismatch", "the raw does not say this turn as a whole: it is written from events")
    return None


def _count_run(text: str, wire: Dialect) -> int:
    """Count the calls that the end of `text` runs; no event tells where void batches end."""
    placed = read_placed(text, wire, UNLIMITED)
    batches = [each.batch for each in placed if each.event["type"] == "call"]
    return batches.count(placed[-1].batch)


def _reopened(raw: str, wire: Dialect) -> str:
    """Return `raw` behind the opener of a think."""
    return f"{wire.frame.think_opener()}{raw}"


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
            yield _Part("think", part.index, frame_think("", wire).rstrip(WHITE))
        yield part
        role = part.role


def _settle(parts: Sequence[_Part], wire: Dialect, note: _Note) -> Iterator[_Part]:
    """Write a replay from its events where it is open, and would swallow what is joined to it."""
    for part, after in zip_longest(parts, parts[1:]):
        if part.unfinished is not None and after is not None and after.role == part.role:
            yield from _write_turn(part.unfinished, None, wire, note)
        else:
            _note_all(part.changes, note)
            yield part


def _merge(parts: Sequence[_Part], wire: Dialect, note: _Note) -> list[Message]:
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


def _is_ended(part: _Part, after: _Part | None) -> bool:
    """Whether the end of the turn has to be written behind `part`; a replay is a whole turn."""
    is_last = after is None or "replay" in (part.kind, after.kind)
    return is_last and part.role == "assistant" and not part.is_stop


def _is_blurred(before: _Part, part: _Part, wire: Dialect) -> bool:
    """Whether the boundary between two parts is lost."""
    if before.role == part.role and "replay" in (before.kind, part.kind):
        return True
    return wire.frame.blurs(before.kind, part.kind)


def _note_mismatches(parts: Iterable[_Part], wire: Dialect, note: _Note) -> None:
    for part in parts:
        if part.kind == "results":
            answer, _ = _read_answer(part.block, part.text, wire)
            if answer and answer["type"] == "error":
                note(part.index, "mismatch", answer["content"])
            elif answer and answer["type"] == "result" and not _is_alike(answer, part.results):
                note(part.index, "mismatch", "these are not the results as they would be read")


def _is_alike(answer: ResultEvent, results: str) -> bool:
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
    """Return the first event of `text`, read as what stands behind `block`, and what is left.

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
