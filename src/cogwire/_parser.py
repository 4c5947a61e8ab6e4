# SPDX-License-Identifier: MIT
"""The parser: text in, events out, resumable at every character.

Laws
----
Every later part leans on these, and each is a property test over every dialect.

1. Never raises.  `feed` and `close` return events for any input; malformed text is an `error`
   event.  Only misuse raises.  The clock is called once per `feed`, before anything changes.
2. Chunking is invisible.  However the text is cut, the events are the same once the deltas of a
   segment are joined, `raw`, `offset`, messages, `tail` and `discarded` included.
3. Modes agree.  The deltas of a segment joined are its event's content.
4. The ledger balances.  Joined `raw`s and `tail` are the text consumed, `discarded` counts the
   rest.
5. Linear.  Work grows with the characters, memory with one block and the white space held back.
6. Prompt.  A character is held back only while it may be part of a marker that is legal here, of
   trailing white space, or of an open block; an error comes at the first impossible character.
7. Nothing runs by accident.  A call may run only when an `execute` event has followed it.
8. Round trip.  What the renderers write, the parser reads back.
9. Resumable.  `snapshot` is a JSON value from which another process goes on with the same events.

Theory of operation
-------------------
The region says where the text stands, and `_SCANS` gives the method that reads on from there: it
jumps to the next marker that is legal in its region, and leaves in `_carry` at most what may become
one, which is put before the next chunk.  What a marker does is its role, and `_ENTRIES` gives the
method for it.  A block is read by a block reader, which carries its own state.  Everything that
differs between wire formats stands in the dialect; some regions occur in its kind of frame only.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal, TypeVar, get_args

from ._blocks import PAYLOADS, BlockReader
from ._bodies import Bodies
from ._dialects import Dialect, Lines, Tags, dialect_named, literal
from ._events import WHITE, Code, ErrorEvent, Event, Payload, RespondEvent, ThinkEvent
from ._json import WHITE_RUN, ArrayReader, Fault, PayloadReader, jump
from ._limits import LIMITS, Limits
from ._markers import Found, Markers, MarkerSet, Role, is_fresh, reach
from ._shapes import ResultShape, counted, shorten
from ._snapshot import SNAPSHOT_VERSION, Fields
from ._text import Decoder, is_text

Stream = Literal["event", "token"]
Mode = Literal["turn", "transcript"]
Start = Literal["prose", "think"]
State = Literal["prose", "think", "execute", "results", "paused", "ended"]
Clock = Callable[[], float]

Region = Literal[
    "opening",  # a turn begins in a think whose opener the prompt wrote, or the model repeats
    "prose",
    "think",
    "execute",  # tags: a block is read
    "void",  # tags: the rest of a void block is skipped
    "payload",  # lines: a call is read
    "called",  # lines: a call is over, and a marker is due
    "answer",  # transcripts: results may come next
    "results",  # transcripts, tags: a results block is read
    "broken",  # transcripts, tags: the rest of a results block that broke a rule is skipped
    "body",  # transcripts, lines: the body of one result is read, or skipped
    "between",  # transcripts, lines: another result may come next
    "forged",  # transcripts: the rest of results that answer nothing is skipped
    "paused",
    "ended",
]

_STREAMS: Final[dict[str, Stream]] = {name: name for name in get_args(Stream)}
_MODES: Final[dict[str, Mode]] = {name: name for name in get_args(Mode)}
_STARTS: Final[dict[str, Start]] = {name: name for name in get_args(Start)}
_REGIONS: Final[dict[str, Region]] = {name: name for name in get_args(Region)}

_STATES: Final[dict[Region, State]] = {
    "opening": "think",
    "prose": "prose",
    "think": "think",
    "execute": "execute",
    "void": "execute",
    "payload": "execute",
    "called": "execute",
    "results": "results",
    "broken": "results",
    "body": "results",
    "between": "results",
    "forged": "results",
    "paused": "paused",
    "ended": "ended",
}


_Choice = TypeVar("_Choice")


def _chosen(option: str, value: object, choices: Mapping[str, _Choice]) -> _Choice:
    """Return the choice called `value`, or raise `ValueError` with the ones there are."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{option} is one of {', '.join(choices)}, not {value!r}")
    return choices[value]


class Parser:
    """Parses one model output, or one transcript, as it arrives.

    `dialect` names the wire format: `"xml-json"`, `"xml-elements"`, `"delimiter"` or
    `"delimiter-upper"`.  `stream` is `"event"` for whole segments or `"token"` for
    deltas; `mode` is `"turn"`, which stops at `execute`, at an error and at `end`, or
    `"transcript"`, which reads a whole conversation with its results.  `start="think"` is for
    prompts that already hold the opener of the think.  `raw=True` adds to each event the text it
    accounts for.  `clock` gives the events' timestamps, in seconds; `None` leaves them out.
    `limits` bound what one block may hold.  A copy of a parser is a parser of its own.

    Raises `ValueError` for an option that does not exist.
    """

    __slots__ = (
        "_answers",
        "_base",
        "_block",
        "_bodies",
        "_by_line",
        "_calls",
        "_carry",
        "_claimed",
        "_clock",
        "_closed",
        "_content",
        "_decoder",
        "_dialect",
        "_discarded",
        "_events",
        "_form",
        "_fresh",
        "_in_line",
        "_is_plain",
        "_is_void",
        "_lead",
        "_limits",
        "_mark",
        "_markers",
        "_now",
        "_offset",
        "_payloads",
        "_raw",
        "_reader",
        "_region",
        "_replaced",
        "_results",
        "_segment",
        "_start",
        "_started",
        "_text",
        "_token",
        "_transcript",
        "_unclaimed",
        "_white",
    )

    def __init__(
        self,
        dialect: str = "xml-json",
        *,
        stream: Stream = "event",
        mode: Mode = "turn",
        start: Start = "prose",
        raw: bool = False,
        clock: Clock | None = time.time,
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        self._dialect: Dialect = dialect_named(dialect)
        self._by_line = isinstance(self._dialect.frame, Lines)
        self._markers = Markers.of(self._dialect)
        self._token = _chosen("stream", stream, _STREAMS) == "token"
        self._transcript = _chosen("mode", mode, _MODES) == "transcript"
        self._start: Start = _chosen("start", start, _STARTS)
        self._raw = bool(raw)
        self._clock = clock
        self._limits = limits
        self._begin()

    def _begin(self) -> None:
        """Stand at the first character of a turn or transcript."""
        self._decoder = Decoder()
        self._region: Region = self._first_region()
        self._closed = False
        self._discarded = 0
        #: How many characters of text there have been.
        self._offset = 0
        #: The proper prefix of a legal marker that the text ends with, and how much of it an error
        #: has claimed: the character that voids a block may begin its closer.
        self._carry = ""
        self._claimed = 0

        # The open segment: its number, whether it has content, the content (event mode), and the
        # white space that is content only if more follows (token mode).
        self._segment = 0
        self._started = False
        self._content: list[str] = []
        self._white: list[str] = []

        # Lines: whether a marker would count here, and whether the calls so far are void.
        self._fresh = True
        self._is_void = False

        # The open block: its reader, and how many calls it has given.
        self._reader: BlockReader
        self._calls = 0
        #: The tools of the batch that results may answer; `None` after a void block.
        self._answers: list[str] | None = None
        #: Tags: the results being read.
        self._results: ResultShape
        # Lines: the calls of the batch; the bodies of its results, `None` if one broke a rule; and
        # which of the results markers opened the last one.
        self._payloads: PayloadReader
        self._bodies: Bodies | None = None
        self._form = 0

        # The text being scanned: the offset of its first character, where the part that no event
        # has claimed begins, and which of its characters the decoder replaced.
        self._text = ""
        self._base = 0
        self._mark = 0
        self._replaced: list[int] = []
        self._unclaimed: list[str] = []
        self._events: list[Event] = []
        self._now: float | None = None
        # The short ways of `feed`, where there is one: the character that a chunk of the open
        # segment may not hold, or whether one is open by lines; and the reader of the open block.
        # And whether the decoder has nothing to do for a chunk of ASCII.
        self._lead = ""
        self._in_line = False
        self._block: BlockReader | None = None
        self._is_plain = False

    # -- Public -----------------------------------------------------------------------------

    def feed(self, chunk: str | bytes) -> list[Event]:
        """Take the next chunk and return the events that it completes.

        Raises `TypeError` if `chunk` is neither `str` nor `bytes`, or not what the first one was,
        and `RuntimeError` after `close`.  Never raises for what the text says.
        """
        clock = self._clock
        now = clock() if clock is not None else None
        if (
            type(chunk) is str
            and (self._lead or self._block)
            and (chunk.isascii() or is_text(chunk))
        ):
            # Most chunks lie inside one segment or inside one block.
            block = self._block
            if block is not None:
                if block.in_body and block.extend(chunk):
                    self._offset += len(chunk)
                    return []
                return self._extend_block(chunk, now)
            if self._lead not in chunk:
                return self._extend_segment(chunk, now)
        if self._closed:
            raise RuntimeError("feed() after close(); next_turn() begins another turn")
        if (
            self._in_line
            and type(chunk) is str
            and (chunk.isascii() or is_text(chunk))
            and self._markers.prose.leads.isdisjoint(chunk)
        ):
            self._fresh = is_fresh(chunk, 0, len(chunk), fresh=self._fresh)
            return self._extend_segment(chunk, now)
        text = chunk
        if type(text) is not str or not self._is_plain or not text.isascii():
            decoder = self._decoder
            text = decoder.decode(chunk)
            self._replaced = decoder.replaced
            self._is_plain = decoder.unit == "str" and not decoder.pending and not decoder.replaced
        self._now = now
        return self._read(text)

    def close(self) -> list[Event]:
        """Say that the text has ended, and return the last events; later calls return none."""
        if self._closed:
            return []
        self._now = None if self._clock is None else self._clock()
        text = self._decoder.finish()
        self._replaced = self._decoder.replaced
        events = self._read(text)
        self._closed = True
        self._finish()
        return events + self._events

    def next_turn(self) -> None:
        """Begin another turn, as a new parser would, after a hard stop or `close`.

        Raises `RuntimeError` while the turn is still open, and in a transcript.
        """
        if self._transcript:
            raise RuntimeError("a transcript holds its turns; next_turn() is for mode='turn'")
        if not (self._closed or self.stopped):
            raise RuntimeError("the turn is still open; close() it first")
        self._begin()

    @property
    def state(self) -> State:
        """Where the text stands: in prose, a think, a block or results, or at a hard stop."""
        if self._region == "answer":
            return self._start
        return _STATES[self._region]

    @property
    def stopped(self) -> bool:
        """Whether the turn has come to a hard stop, so that later text is discarded."""
        return self._region in _TURN_REGIONS

    @property
    def discarded(self) -> int:
        """How many characters, as code points, came after the hard stop."""
        return self._discarded

    @property
    def tail(self) -> str:
        """The text that no event has claimed yet; empty without `raw`."""
        if not self._raw:
            return ""
        return "".join(self._unclaimed) + self._carry[self._claimed :]

    # -- From chunk to text -----------------------------------------------------------------

    def _read(self, text: str) -> list[Event]:
        size = len(text)
        self._offset += size
        if self._carry:
            held = len(self._carry)
            size += held
            text = self._carry + text
            self._carry = ""
            if self._replaced:
                self._replaced = [at + held for at in self._replaced]
        self._text = text
        self._base = self._offset - size
        self._mark, self._claimed = self._claimed, 0
        self._events = []
        return self._scan(0)

    def _scan(self, pos: int) -> list[Event]:
        while pos < (size := len(self._text)):
            pos = self._SCANS[self._region](self, self._text, pos, size)
        self._lead = ""
        self._in_line = False
        self._block = None
        if self._raw:
            self._set_aside(size - len(self._carry))
            self._claimed = self._mark - (size - len(self._carry))
        elif self._is_plain and not self._carry:
            if self._region in _BLOCKS:
                self._block = self._reader
            elif self._started and self._by_line:
                self._in_line = True
            elif self._started:
                self._lead = self._segment_markers().lead
        return self._events

    def _extend_block(self, chunk: str, now: float | None) -> list[Event]:
        """Take a chunk that begins inside the open block."""
        size = len(chunk)
        self._now = now
        self._text = chunk
        self._base = self._offset
        self._offset += size
        self._events = []
        region = self._region
        pos = self._SCANS[region](self, chunk, 0, size)
        return self._events if self._region == region else self._scan(pos)

    def _extend_segment(self, chunk: str, now: float | None) -> list[Event]:
        """Take a chunk that lies inside the open segment."""
        size = len(chunk)
        self._offset += size
        if not self._token:
            self._content.append(chunk)
            return []
        content = chunk.rstrip(WHITE)
        if self._white or len(content) < size:
            white = chunk[len(content) :]
            content = self._release(content)
            if white:
                self._white.append(white)
        if not content:
            return []
        event: ThinkEvent | RespondEvent
        if self._region == "think":
            event = {"type": "think", "content": content, "segment": self._segment}
        else:
            event = {"type": "respond", "content": content, "segment": self._segment}
        if now is not None:
            event["timestamp"] = now
        return [event]

    def _release(self, content: str) -> str:
        """Put the white space that was held back before `content`, if there is any."""
        if content and self._white:
            content = "".join(self._white) + content
            self._white = []
        return content

    def _finish(self) -> None:
        """Take the end of the text."""
        self._lead = ""
        self._in_line = False
        self._block = None
        text, self._carry = self._carry, ""
        size = len(text)
        self._text = text
        self._base = self._offset - size
        self._mark, self._claimed = self._claimed, 0
        self._events = []
        if self._region == "payload":
            self._take_end_in_payload()
        elif self._by_line:
            self._take_end_of_lines()
        elif self._region in {"execute", "results"}:
            self._take_end_in_block()
        else:
            self._take_end_of_segment()
        if self._raw:
            self._set_aside(len(self._text))
        self._fresh = True

    def _take_end_of_segment(self) -> None:
        if self._region in {"opening", "answer"}:
            self._region = self._start
        if self._region in {"prose", "think"}:
            size = self._offset - self._base
            self._end_segment(0 if not self._by_line else size, size, size)

    def _first_region(self) -> Region:
        return "opening" if self._start == "think" else "prose"

    # -- Events and the ledger --------------------------------------------------------------

    def _give(self, event: Event, end: int) -> None:
        """Give an event that accounts for the text up to `end`."""
        if self._raw:
            self._set_aside(end)
            event["raw"] = "".join(self._unclaimed)
            self._unclaimed = []
        if self._now is not None:
            event["timestamp"] = self._now
        self._events.append(event)

    def _set_aside(self, end: int) -> None:
        """Keep the text up to `end` for the next event to claim."""
        end = min(end, self._offset - self._base)
        if self._mark < end:
            self._unclaimed.append(self._text[self._mark : end])
            self._mark = end

    def _error(
        self, code: Code, at: int, end: int, message: str, *, path: str | None, calls: int
    ) -> None:
        offset = self._base + at
        if path:
            message = f"At {shorten(path)}: {message}"
        event: ErrorEvent
        if path is None:
            event = {
                "type": "error",
                "code": code,
                "content": message,
                "offset": offset,
                "calls": calls,
            }
        else:
            event = {
                "type": "error",
                "code": code,
                "content": message,
                "offset": offset,
                "path": path,
                "calls": calls,
            }
        self._give(event, end)

    # -- Segments ---------------------------------------------------------------------------

    def _segment_markers(self) -> MarkerSet:
        return self._markers.think if self._region == "think" else self._markers.prose

    def _scan_segment(self, text: str, pos: int, size: int) -> int:
        markers = self._segment_markers()
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            return self._hold(markers, text, pos, size)
        self._end_segment(pos, found.at, found.end if found.role == "close" else found.at)
        return self._enter(found)

    def _hold(self, markers: MarkerSet, text: str, pos: int, size: int) -> int:
        """Take what cannot be part of a marker."""
        stop = self._hold_back(markers, text, pos)
        if self._token:
            self._give_delta(pos, stop)
        else:
            self._content.append(text[pos:stop])
            self._started = True
        return size

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        """Carry what may become a marker, and return where it begins."""
        stop = markers.hold(text, pos, fresh=self._fresh)
        self._carry = text[stop:]
        if self._by_line:
            self._fresh = is_fresh(text, pos, stop, fresh=self._fresh)
        return stop

    def _give_delta(self, pos: int, stop: int) -> None:
        """Give what is content for certain; white space at the end waits for what follows."""
        piece = self._text[pos:stop]
        content = piece.rstrip(WHITE)
        if not content:
            if piece:
                self._white.append(piece)
            return
        end = pos + len(content)
        if self._started:
            content = self._release(content)
        else:
            content = content.lstrip(WHITE)
            self._started = True
        self._white = [] if end == stop else [self._text[end:stop]]
        self._give(self._delta(content), end)

    def _delta(self, content: str) -> ThinkEvent | RespondEvent:
        if self._region == "think":
            return {"type": "think", "content": content, "segment": self._segment}
        return {"type": "respond", "content": content, "segment": self._segment}

    def _end_segment(self, pos: int, stop: int, end: int) -> None:
        """End the segment at `stop`; what it gives accounts for the text up to `end`."""
        piece = self._text[pos:stop]
        if self._token:
            content = piece.rstrip(WHITE)
            content = self._release(content) if self._started else content.lstrip(WHITE)
            if self._started or content:
                delta = self._delta(content)
                delta["done"] = True
                self._give(delta, end)
                self._segment += 1
            self._white = []
            self._started = False
            return
        self._content.append(piece)
        content = "".join(self._content).strip(WHITE)
        self._content = []
        self._started = False
        if content:
            if self._region == "think":
                self._give({"type": "think", "content": content}, end)
            else:
                self._give({"type": "respond", "content": content}, end)

    # -- Markers ----------------------------------------------------------------------------

    def _enter(self, found: Found) -> int:
        """Do what the marker says, and return where reading goes on."""
        self._fresh = True
        self._ENTRIES[found.role](self, found.at, found.end)
        return found.end

    def _enter_think(self, _at: int, _end: int) -> None:
        self._region = "think"

    def _enter_prose(self, _at: int, _end: int) -> None:
        self._region = "prose"

    def _enter_block(self, _at: int, _end: int) -> None:
        self._region = "execute"
        self._reader = self._dialect.calls.reader(self._block_ends[1], self._limits)

    def _enter_call(self, _at: int, _end: int) -> None:
        self._region = "payload"
        if self._calls:
            self._payloads.open()
        else:
            self._payloads = PAYLOADS.reader(self._block_ends[0], self._limits)
        self._reader = self._payloads

    def _enter_execute(self, _at: int, end: int) -> None:
        if self._is_void:
            self._answers = None
        else:
            self._answers = self._payloads.tools if self._calls else []
            self._give({"type": "execute"}, end)
        self._end_batch()

    def _enter_results(self, at: int, end: int) -> None:
        """Take results where none are due: a turn stops here, so that its calls are void."""
        calls, self._calls = self._calls, 0
        self._is_void = self._by_line
        self._error("forged-results", at, end, self._forgery(at, end), path=None, calls=calls)
        self._form = self._form_at(at)
        self._region = "forged" if self._transcript else "paused"

    def _enter_end(self, at: int, end: int) -> None:
        self._miss_execute(at)
        self._end_batch()
        self._give({"type": "end"}, end)
        self._region = self._first_region() if self._transcript else "ended"

    _ENTRIES: ClassVar[dict[Role, Callable[["Parser", int, int], None]]] = {
        "think": _enter_think,
        "prose": _enter_prose,
        "close": _enter_prose,
        "block": _enter_block,
        "call": _enter_call,
        "execute": _enter_execute,
        "results": _enter_results,
        "end": _enter_end,
    }

    def _end_batch(self) -> None:
        self._calls = 0
        self._is_void = False
        self._region = "answer" if self._transcript else "paused"

    def _miss_execute(self, at: int) -> None:
        """Give the error of calls that nothing may run any more."""
        if self._calls:
            message = (
                f"The calls have not run: {self._block_ends[1]} did not follow them. Send them "
                f"again, and {self._block_ends[1]} behind the last."
            )
            self._error("missing-execute", at, at + 1, message, path=None, calls=self._calls)

    def _forgery(self, at: int, end: int) -> str:
        marker = self._text[at:end].rstrip(WHITE)
        return (
            f"Results come from the system, never from the model: {marker} was not expected "
            f"here. Say what to run and wait for its results; to write the marker, write "
            f"{literal(marker)}."
        )

    def _look(self, markers: MarkerSet, text: str, pos: int, size: int) -> Found | int | None:
        """Skip white space; return the marker behind it, or where else it leads, if it is known."""
        at = jump(WHITE_RUN, text, pos, size)
        found = markers.match(text, at)
        if found is None and markers.hold(text, at, fresh=True) == at:
            self._carry = text[at:]
            return None
        return found or at

    # -- Between turns ----------------------------------------------------------------------

    def _scan_opening(self, text: str, pos: int, size: int) -> int:
        """Take the opener that the model repeats, if it does."""
        seen = self._look(self._markers.opening, text, pos, size)
        if seen is None:
            return size
        self._region = "think"
        return seen if isinstance(seen, int) else seen.end

    def _scan_answer(self, text: str, pos: int, size: int) -> int:
        """Look for the results of the batch; anything else begins the next turn."""
        seen = self._look(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._region = self._first_region()
            return seen
        if self._by_line:
            self._bodies = Bodies(self._answers, self._limits)
            self._open_body(seen.at)
        else:
            self._region = "results"
            self._open_result_array()
        return seen.end

    # -- Tags: blocks -----------------------------------------------------------------------

    @property
    def _block_ends(self) -> tuple[str, str]:
        """The markers before and behind a batch of calls."""
        frame = self._dialect.frame
        return frame.execute if isinstance(frame, Tags) else (frame.call, frame.execute)

    @property
    def _results_ends(self) -> tuple[str, str]:
        """The markers before and behind results."""
        frame = self._dialect.frame
        return frame.results if isinstance(frame, Tags) else frame.results[self._form]

    def _open_result_array(self) -> None:
        self._results = ResultShape(self._answers)
        self._reader = ArrayReader(self._results, self._results_ends[1], self._limits)

    def _scan_execute(self, text: str, pos: int, size: int) -> int:
        reader = self._reader
        read = self._read_marked if self._replaced else reader.read
        try:
            at = read(text, pos, size)
        except Fault as fault:
            self._give_calls()
            self._void(fault)
            self._region = "void"
            return self._step_back(reader.unread(text, fault.at), fault.at)
        if reader.found:
            self._give_calls()
        if reader.closed:
            self._give({"type": "execute"}, at)
            self._answers = reader.tools
            self._end_batch()
        return at

    def _scan_results(self, text: str, pos: int, size: int) -> int:
        reader = self._reader
        try:
            at = self._read_marked(text, pos, size)
        except Fault as fault:
            self._spoil(fault)
            self._region = "broken"
            return fault.at
        if reader.closed:
            block = reader.text().removesuffix(self._results_ends[1])
            self._give_result(block.strip(WHITE), self._results.payload(), at)
        return at

    def _read_marked(self, text: str, pos: int, size: int) -> int:
        """Read on to the end of the block or of the text; a replaced character breaks it."""
        reader = self._reader
        stop = self._first_replaced(pos, size)
        at = reader.read(text, pos, stop)
        if at == stop < size and not reader.closed:
            raise Fault("bad-encoding", at, _LOST, reader.path())
        return at

    def _first_replaced(self, pos: int, size: int) -> int:
        """Return where the first replaced character in `text[pos:size]` stands, or `size`."""
        index = bisect_left(self._replaced, pos)
        return min(self._replaced[index], size) if index < len(self._replaced) else size

    def _give_calls(self) -> None:
        found = self._reader.found
        self._calls += len(found)
        for content, end in found:
            self._give({"type": "call", "content": content}, end)

    def _give_result(self, content: str, payload: Payload, end: int) -> None:
        self._give({"type": "result", "content": content, "payload": payload}, end)
        self._region = self._first_region()

    def _void(self, fault: Fault) -> None:
        """Give the one error of a batch, whose calls will not run."""
        if not self._is_void:
            at = fault.at
            self._error(fault.code, at, at + 1, fault.message, path=fault.path, calls=self._calls)
        self._answers = None
        self._calls = 0
        self._is_void = self._by_line

    def _spoil(self, fault: Fault) -> None:
        """Give the one error of results, whichever rule they broke."""
        code = fault.code if fault.code in _RESULTS_CODES else "results-shape"
        self._error(code, fault.at, fault.at + 1, fault.message, path=fault.path, calls=0)

    def _take_end_in_block(self) -> None:
        path = self._reader.path()
        if self._region == "results":
            opener, closer = self._results_ends
            message = f"The text ends inside {opener}, before {closer}."
            self._spoil(Fault("results-shape", 0, message, path))
            return
        message = (
            f"The text ends inside the block, before {self._block_ends[1]}, so nothing in it has "
            "run. Send it again, with fewer calls if it was cut for its length."
        )
        self._void(Fault("unclosed-execute", 0, message, path))

    # -- Lines: calls -----------------------------------------------------------------------

    def _scan_payload(self, text: str, pos: int, size: int) -> int:
        reader = self._payloads
        read = self._read_marked if self._replaced else reader.read
        try:
            at = read(text, pos, size)
        except Fault as fault:
            return self._break_payload(fault, reader.payload_before(text, fault.at))
        if reader.closed:
            self._give_calls()
            if self._is_void:
                self._calls = 0
            self._region = "called"
        return at

    def _break_payload(self, fault: Fault, payload: str) -> int:
        """Read `payload` again, as prose; return where it begins."""
        self._void(fault)
        self._region = "prose"
        return self._step_back(payload, fault.at)

    def _step_back(self, again: str, at: int) -> int:
        """Return where `again`, which stands before `at`, begins, so that it is read once more."""
        earlier = len(again) - at
        if earlier <= 0:
            return -earlier
        # Some of it came in chunks before this one.
        self._text = again[:earlier] + self._text
        self._base -= earlier
        self._mark += earlier
        self._replaced = [place + earlier for place in self._replaced]
        return 0

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Look for the marker that must follow a call."""
        markers = self._markers.prose
        seen = self._look(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            at = reach(markers, text, seen)
            message = (
                "After a call only another marker may come, at the start of a line. "
                f"Write {self._block_ends[1]} to run the calls."
            )
            is_lost = at in self._replaced
            self._void(
                Fault("bad-encoding", at, _LOST) if is_lost else Fault("trailing-text", at, message)
            )
            self._region = "prose"
            self._fresh = False
            return seen
        return self._enter(seen)

    def _take_end_in_payload(self) -> None:
        reader = self._payloads
        message = (
            "The text ends inside the call, so nothing has run. Send the calls again, fewer at "
            "once if they were cut for their length."
        )
        self._break_payload(Fault("unclosed-call", 0, message, reader.path()), reader.payload())
        self._take_end_of_lines()
        # That is where the text stopped, although it has been read again as prose.
        self._enter_call(0, 0)

    def _take_end_of_lines(self) -> None:
        """Take the end of the text, which is a line end to what waits for one."""
        size = len(self._text)
        self._text += "\n"
        pos = 0
        while pos < size:
            pos = self._SCANS[self._region](self, self._text, pos, size + 1)
        self._carry = ""
        if self._region in {"body", "between"}:
            if self._region == "body":
                self._end_body(size)
            self._end_results(size)
            self._region = "between"
        self._take_end_of_segment()
        self._miss_execute(size)

    # -- Lines: results ---------------------------------------------------------------------

    def _form_at(self, at: int) -> int:
        """Return which of the results markers stands at `at`."""
        frame = self._dialect.frame
        if isinstance(frame, Tags):
            return 0
        firsts = [opener[0] for opener, _ in frame.results]
        return firsts.index(self._text[at])

    def _open_body(self, at: int) -> None:
        self._region = "body"
        self._form = self._form_at(at)

    def _scan_body(self, text: str, pos: int, size: int) -> int:
        markers = self._markers.results[self._form]
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._take_body(pos, self._hold_back(markers, text, pos))
            return size
        self._take_body(pos, found.at)
        self._end_body(found.at)
        self._region = "between"
        self._fresh = True
        return found.end if found.role == "close" else found.at

    def _take_body(self, pos: int, stop: int) -> None:
        """Keep what belongs to the open body, if it is not skipped."""
        if self._bodies is None:
            return
        stop = min(stop, self._offset - self._base)
        over = pos + self._bodies.room
        at = min(self._first_replaced(pos, stop), over)
        if at < stop:
            too_long = f"Results hold at most {counted(self._limits.size, 'character')}."
            message = too_long if at == over else _LOST
            self._spoil_bodies("results-shape", at, at + 1, message, self._bodies.path)
            return
        self._bodies.room -= stop - pos
        self._content.append(self._text[pos:stop])

    def _end_body(self, stop: int) -> None:
        """Judge the body that ends at `stop`; what is wrong with it is so at its last character."""
        if self._bodies is None:
            return
        whole = "".join(self._content)
        self._content = []
        try:
            self._bodies.take(whole.strip(WHITE))
        except Fault as fault:
            at = stop - len(whole) + len(whole.rstrip(WHITE)) - 1
            self._spoil_bodies(fault.code, at, stop, fault.message, fault.path)

    def _scan_between(self, text: str, pos: int, size: int) -> int:
        """Look for the next result; anything else ends the results."""
        seen = self._look(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._end_results(seen)
            return seen
        if self._bodies is not None and not self._bodies.missing:
            at = seen.at
            message = (
                f"Expected {counted(self._bodies.due, 'result')}, but here another one begins."
            )
            self._spoil_bodies("results-count", at, at + 1, message, None)
        self._open_body(seen.at)
        return seen.end

    def _end_results(self, at: int) -> None:
        """Give the results that end before `at`."""
        bodies = self._bodies
        if bodies is not None and bodies.missing:
            message = (
                f"Expected {counted(bodies.due, 'result')}, but the results end after "
                f"{bodies.due - bodies.missing}."
            )
            self._spoil_bodies("results-count", at, at + 1, message, None)
        elif bodies is not None:
            self._give_result(bodies.content(), bodies.payload, at)
        self._region = self._first_region()

    def _spoil_bodies(self, code: Code, at: int, end: int, message: str, path: str | None) -> None:
        """Give the one error of the results; the rest of them is skipped."""
        self._error(code, at, end, message, path=path, calls=0)
        self._bodies = None
        self._content = []

    # -- What is skipped --------------------------------------------------------------------

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        after: Region = "answer" if self._transcript else "paused"
        return self._skip(self._markers.void, text, pos, size, after)

    def _scan_broken(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.results[0], text, pos, size, self._first_region())

    def _scan_forged(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.results[self._form], text, pos, size, "prose")

    def _skip(self, markers: MarkerSet, text: str, pos: int, size: int, region: Region) -> int:
        """Skip to what ends this, and past it if it is a closer, into `region`."""
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._hold_back(markers, text, pos)
            return size
        self._region = region
        self._fresh = True
        return found.end if found.role == "close" else found.at

    def _discard(self, _text: str, pos: int, size: int) -> int:
        if self._raw:
            self._set_aside(pos)
            self._mark = size
        self._discarded += size - pos
        return size

    _SCANS: ClassVar[dict[Region, Callable[["Parser", str, int, int], int]]] = {
        "opening": _scan_opening,
        "prose": _scan_segment,
        "think": _scan_segment,
        "execute": _scan_execute,
        "void": _scan_void,
        "payload": _scan_payload,
        "called": _scan_called,
        "answer": _scan_answer,
        "results": _scan_results,
        "broken": _scan_broken,
        "body": _scan_body,
        "between": _scan_between,
        "forged": _scan_forged,
        "paused": _discard,
        "ended": _discard,
    }

    # -- Resuming ---------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the parser's state as a JSON value, for `restore` in this or another process.

        It holds the text of the open segment or block, so its size grows with that.
        """
        in_answer = self._region in _ANSWERS
        bodies = self._bodies if self._region in {"body", "between"} else None
        return {
            "version": SNAPSHOT_VERSION,
            "dialect": self._dialect.name,
            "stream": "token" if self._token else "event",
            "mode": "transcript" if self._transcript else "turn",
            "start": self._start,
            "raw": self._raw,
            "limits": {name: getattr(self._limits, name) for name in LIMITS},
            "unit": self._decoder.unit,
            "pending": list(self._decoder.pending),
            "region": self._region,
            "offset": self._offset,
            "discarded": self._discarded,
            "closed": self._closed,
            "carry": self._carry,
            "claimed": self._claimed,
            "segment": self._segment,
            "started": self._started,
            "content": "".join(self._content),
            "white": "".join(self._white),
            "fresh": self._fresh,
            "void": self._is_void,
            "block": self._reader.text() if self._region in _OPEN or self._calls else "",
            "answers": list(self._answers) if in_answer and self._answers is not None else None,
            "bodies": None if bodies is None else bodies.items,
            "room": 0 if bodies is None else bodies.room,
            "form": self._form,
            "unclaimed": "".join(self._unclaimed),
        }

    @classmethod
    def restore(cls, value: object, *, clock: Clock | None = time.time) -> "Parser":
        """Return a parser that goes on from `value`, which `snapshot` gave.

        Raises `ValueError` if `value` is of another version, or no state a parser can be in.
        """
        fields = Fields(value)
        parser = cls(
            fields.text("dialect"),
            stream=_chosen("stream", fields.text("stream"), _STREAMS),
            mode=_chosen("mode", fields.text("mode"), _MODES),
            start=_chosen("start", fields.text("start"), _STARTS),
            raw=fields.flag("raw"),
            clock=clock,
            limits=fields.limits(),
        )
        parser._resume(fields)
        return parser

    def __copy__(self) -> "Parser":
        """Return a parser of its own that stands at the same place."""
        return type(self).restore(self.snapshot(), clock=self._clock)

    def _resume(self, fields: Fields) -> None:
        decoder = self._decoder
        decoder.unit, decoder.pending = fields.unit(), fields.pending()
        region = _chosen("region", fields.text("region"), _REGIONS)
        self._region = region
        self._closed = fields.flag("closed")
        self._offset = fields.count("offset")
        self._discarded = fields.count("discarded")
        self._segment = fields.count("segment")
        self._started = fields.flag("started")
        self._carry = fields.text("carry")
        self._claimed = fields.count("claimed")
        content, white = fields.text("content"), fields.text("white")
        block, unclaimed = fields.text("block"), fields.text("unclaimed")
        self._content = [content] if content else []
        self._white = [white] if white else []
        self._unclaimed = [unclaimed] if unclaimed else []
        self._answers = fields.names("answers")
        self._fresh, self._is_void = fields.flag("fresh"), fields.flag("void")
        self._form = fields.count("form")
        self._require_possible(fields, content, white, max(map(len, (block, unclaimed))))
        self._resume_bodies(fields)
        if self._by_line:
            self._resume_payloads(block, fields)
        elif region in _OPEN:
            self._resume_block(block, fields)
        else:
            fields.require("block", not block)

    def _require_possible(self, fields: Fields, content: str, white: str, kept: int) -> None:
        """Refuse what no parser can hold beside the open block and the results."""
        region, decoder = self._region, self._decoder
        in_segment = region in {"prose", "think"}
        legal = self._legal(region, fields)
        told = len(self._carry) + max(len(content), len(white), kept)
        fields.require(
            "region",
            region not in (_TURN_REGIONS if self._transcript else _TRANSCRIPT_REGIONS),
            region not in (_TAGS_REGIONS if self._by_line else _LINES_REGIONS),
            region != "opening" or self._start == "think",
        )
        fields.require("closed", not self._closed or not (decoder.pending or self._carry))
        fields.require("unit", decoder.unit is not None or not self._offset)
        fields.require("offset", self._offset >= told + self._discarded)
        fields.require("discarded", not self._discarded or self.stopped)
        fields.require("segment", not self._segment or self._token)
        fields.require(
            "carry", not self._carry or (legal is not None and legal.may_hold(self._carry))
        )
        fields.require("claimed", self._claimed <= (len(self._carry) if self._raw else 0))
        fields.require("started", not self._started or in_segment)
        fields.require(
            "content",
            not content or region == "body" or (in_segment and not self._token and self._started),
            legal is None or not legal.find(content, 0, fresh=True),
        )
        fields.require("white", not white or (in_segment and self._token), not white.strip(WHITE))
        told_fresh = (
            is_fresh(white, 0, len(white), fresh=not self._started)
            if self._token
            else is_fresh(content, 0, len(content), fresh=True)
        )
        fields.require(
            "fresh",
            self._fresh or self._by_line,
            not (self._by_line and in_segment) or self._fresh == told_fresh,
        )
        fields.require("void", not self._is_void or self._by_line)
        fields.require("answers", self._answers is None or region in _ANSWERS)
        fields.require("unclaimed", self._raw or not self._unclaimed)

    def _resume_block(self, block: str, fields: Fields) -> None:
        """Read the open block again; its calls have been given already."""
        if self._region == "execute":
            self._enter_block(0, 0)
        else:
            self._open_result_array()
        reader = self._reader
        try:
            reader.read(block, 0, len(block))
        except Fault as fault:
            raise fields.wrong("block", fault.message) from None
        fields.require("block", not reader.closed)
        self._calls = reader.count if self._region == "execute" else 0
        reader.found = []

    def _resume_payloads(self, block: str, fields: Fields) -> None:
        """Read the calls of the batch again; they have been given already."""
        is_open = self._region == "payload"
        if not (is_open or block):
            return
        region, self._calls = self._region, 0
        self._enter_call(0, 0)
        self._region = region
        reader = self._payloads
        pos = 0
        try:
            while (pos := reader.read(block, pos, len(block))) < len(block):
                reader.open()
        except Fault as fault:
            raise fields.wrong("block", fault.message) from None
        if is_open and reader.closed:
            reader.open()
        fields.require("block", reader.closed != is_open, not (self._is_void and reader.count))
        self._calls = reader.count
        reader.found = []

    def _resume_bodies(self, fields: Fields) -> None:
        items, room = fields.names("bodies"), fields.count("room")
        fields.require("bodies", items is None or self._region in {"body", "between"})
        if items is None:
            fields.require("room", room == 0)
            return
        bodies = Bodies(self._answers, self._limits)
        fields.require("bodies", len(items) <= bodies.due)
        try:
            for item in items:
                bodies.take(item)
        except Fault as fault:
            raise fields.wrong("bodies", fault.message) from None
        fields.require("bodies", bodies.items == items)
        fields.require("room", room <= self._limits.size)
        bodies.room = room
        self._bodies = bodies

    def _legal(self, region: Region, fields: Fields) -> MarkerSet | None:
        """Return the markers that end, or may be held back in, `region`."""
        markers = self._markers
        fields.require("form", self._form < len(markers.results))
        return {
            "opening": markers.opening,
            "prose": markers.prose,
            "think": markers.think,
            "void": markers.void,
            "called": markers.prose,
            "answer": markers.answer,
            "between": markers.answer,
            "broken": markers.results[0],
            "body": markers.results[self._form],
            "forged": markers.results[self._form],
        }.get(region)


#: Where a reader reads on.
_BLOCKS: Final = frozenset({"execute", "payload"})
_OPEN: Final = _BLOCKS | {"results"}
#: Where it matters which calls were made.
_ANSWERS: Final = frozenset({"answer", "results", "body", "between"})
_TURN_REGIONS: Final = frozenset({"paused", "ended"})
_TRANSCRIPT_REGIONS: Final = frozenset({"answer", "results", "broken", "body", "between", "forged"})
_TAGS_REGIONS: Final = frozenset({"execute", "void", "results", "broken"})
_LINES_REGIONS: Final = frozenset({"payload", "called", "body", "between"})
_RESULTS_CODES: Final = frozenset({"results-shape", "results-count", "results-order"})

_LOST: Final = (
    "Here the input was not UTF-8, or half of a surrogate pair, and what was meant is lost. "
    "Send it again."
)


def parse(text: str | bytes, dialect: str = "xml-json", **options: Any) -> list[Event]:
    """Return the events of one turn; the options are those of `Parser`.

    `text` is `str`, or `bytes` of UTF-8.  Raises `ValueError` for an option that does not exist,
    and never for what the text says.
    """
    parser = Parser(dialect, **options)
    return parser.feed(text) + parser.close()


def parse_transcript(text: str | bytes, dialect: str = "xml-json", **options: Any) -> list[Event]:
    """Return the events of a whole conversation; the options are those of `Parser`.

    The results in it are events, too.  All else is as in `parse`.
    """
    return parse(text, dialect, mode="transcript", **options)
