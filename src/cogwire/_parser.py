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
jumps to the next marker that is legal in its region, and leaves in `_carry` at most a proper prefix
of one, which is put before the next chunk.  A block is read by a block reader, which carries its
own state.  Everything that differs between wire formats stands in the dialect.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Final, Literal, TypeVar, get_args

from ._dialects import Dialect, dialect_named
from ._events import WHITE, Code, ErrorEvent, Event, RespondEvent, ThinkEvent
from ._json import WHITE_RUN, ArrayReader, Fault, jump
from ._limits import Limits
from ._markers import Markers, MarkerSet
from ._shapes import CallShape, ResultShape, shorten
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
    "execute",  # a block is read
    "void",  # the rest of a void block is skipped
    "answer",  # transcripts: results may come next
    "results",  # transcripts: a results block is read
    "broken",  # transcripts: the rest of a results block that broke a rule is skipped
    "forged",  # transcripts: the rest of a results block that answers nothing is skipped
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
    "results": "results",
    "broken": "results",
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

    `dialect` names the wire format.  `stream` is `"event"` for whole segments or `"token"` for
    deltas; `mode` is `"turn"`, which stops at `execute`, at an error and at `end`, or
    `"transcript"`, which reads a whole conversation with its results.  `start="think"` is for
    prompts that already hold the opener of the think.  `raw=True` adds to each event the text it
    accounts for.  `clock` gives the events' timestamps, `None` leaves them out.

    Raises `ValueError` for an option that does not exist.
    """

    __slots__ = (
        "_answers",
        "_base",
        "_block",
        "_call_shape",
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
        "_is_plain",
        "_lead",
        "_limits",
        "_mark",
        "_markers",
        "_now",
        "_offset",
        "_raw",
        "_reader",
        "_region",
        "_replaced",
        "_result_shape",
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

        # The open block: its reader, and how many calls it has given.
        self._reader: ArrayReader
        self._call_shape: CallShape
        self._result_shape: ResultShape
        self._calls = 0
        #: The tools of the batch that results may answer; `None` after a void block.
        self._answers: list[str] | None = None

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
        # segment may not hold, and the reader of the open block; and whether the decoder has
        # nothing to do for a chunk of ASCII.
        self._lead = ""
        self._block: ArrayReader | None = None
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
            if self._block is not None:
                return self._extend_block(self._block, chunk, now)
            if self._lead not in chunk:
                return self._extend_segment(chunk, now)
        if self._closed:
            raise RuntimeError("feed() after close(); next_turn() begins another turn")
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
        """How many characters came after the hard stop."""
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
        return self._scan(text, 0, size)

    def _scan(self, text: str, pos: int, size: int) -> list[Event]:
        while pos < size:
            pos = self._SCANS[self._region](self, text, pos, size)
        self._lead = ""
        self._block = None
        if self._raw:
            self._set_aside(size - len(self._carry))
            self._claimed = self._mark - (size - len(self._carry))
        elif self._is_plain and not self._carry:
            if self._region == "execute":
                self._block = self._reader
            elif self._started:
                think = self._region == "think"
                self._lead = (self._markers.think_closer if think else self._markers.prose).lead
        return self._events

    def _extend_block(self, block: ArrayReader, chunk: str, now: float | None) -> list[Event]:
        """Take a chunk that begins inside the open block."""
        size = len(chunk)
        if (
            block.body is not None
            and '"' not in chunk
            and "\\" not in chunk
            and chunk.isprintable()
            and size <= block.room
        ):
            # It lies inside one string.
            block.body.append(chunk)
            block.room -= size
            self._offset += size
            return []
        self._now = now
        self._text = chunk
        self._base = self._offset
        self._offset += size
        self._events = []
        pos = self._scan_execute(chunk, 0, size)
        return self._events if self._region == "execute" else self._scan(chunk, pos, size)

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
        self._block = None
        text, self._carry = self._carry, ""
        size = len(text)
        self._text = text
        self._base = self._offset - size
        self._mark, self._claimed = self._claimed, 0
        self._events = []
        if self._region in {"execute", "results"}:
            self._take_end_in_block()
        else:
            if self._region in {"opening", "answer"}:
                self._region = self._start
            if self._region in {"prose", "think"}:
                self._end_segment(0, size, size)
        if self._raw:
            self._set_aside(size)

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

    def _scan_prose(self, text: str, pos: int, size: int) -> int:
        markers = self._markers.prose
        match = markers.pattern.search(text, pos) if markers.lead in text else None
        if match is None:
            return self._hold(markers, text, pos, size)
        at, end, marker = match.start(), match.end(), match.group()
        self._end_segment(pos, at, at)
        if marker == self._dialect.think[0]:
            self._region = "think"
        elif marker == self._dialect.execute[0]:
            self._open_block()
        elif marker == self._dialect.results[0]:
            self._error("forged-results", at, end, self._forgery(), path=None, calls=0)
            self._region = "forged" if self._transcript else "paused"
        else:
            self._give({"type": "end"}, end)
            self._region = self._first_region() if self._transcript else "ended"
        return end

    def _scan_think(self, text: str, pos: int, size: int) -> int:
        markers = self._markers.think_closer
        match = markers.pattern.search(text, pos) if markers.lead in text else None
        if match is None:
            return self._hold(markers, text, pos, size)
        self._end_segment(pos, match.start(), match.end())
        self._region = "prose"
        return match.end()

    def _hold(self, markers: MarkerSet, text: str, pos: int, size: int) -> int:
        """Take what cannot be part of a marker, and carry the rest."""
        stop = size
        if markers.lead in text:
            stop = markers.hold(text, pos)
            self._carry = text[stop:]
        if self._token:
            self._give_delta(pos, stop)
        else:
            self._content.append(text[pos:stop])
            self._started = True
        return size

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

    # -- Between turns ----------------------------------------------------------------------

    def _scan_opening(self, text: str, pos: int, size: int) -> int:
        """Take the opener that the model repeats, if it does."""
        at, found = self._look_for(self._markers.think_opener, text, pos, size)
        if found is not None:
            self._region = "think"
        return at

    def _scan_answer(self, text: str, pos: int, size: int) -> int:
        """Look for the results of the batch; anything else begins the next turn."""
        at, found = self._look_for(self._markers.results_opener, text, pos, size)
        if found:
            self._open_results()
        elif found is not None:
            self._region = self._first_region()
        return at

    def _look_for(
        self, markers: MarkerSet, text: str, pos: int, size: int
    ) -> tuple[int, bool | None]:
        """Skip white space; say where that leads and whether the marker comes, if it is known."""
        at = jump(WHITE_RUN, text, pos, size)
        match = markers.pattern.match(text, at)
        if match is not None:
            return match.end(), True
        if markers.hold(text, at) == at:
            self._carry = text[at:]
            return size, None
        return at, False

    # -- Blocks -----------------------------------------------------------------------------

    def _open_block(self) -> None:
        self._region = "execute"
        self._calls = 0
        self._call_shape = CallShape(self._limits.calls)
        self._reader = ArrayReader(self._call_shape, self._dialect.execute[1], self._limits)

    def _open_results(self) -> None:
        self._region = "results"
        self._result_shape = ResultShape(self._answers)
        self._reader = ArrayReader(self._result_shape, self._dialect.results[1], self._limits)

    def _scan_execute(self, text: str, pos: int, size: int) -> int:
        reader = self._reader
        try:
            if self._replaced:
                at = self._read_broken(text, pos, size)
            else:
                at = reader.read(text, pos, size)
        except Fault as fault:
            self._give_calls()
            self._void(fault)
            return fault.at
        if reader.found:
            self._give_calls()
        if reader.closed:
            self._give({"type": "execute"}, at)
            self._answers = self._call_shape.names
            self._region = "answer" if self._transcript else "paused"
        return at

    def _scan_results(self, text: str, pos: int, size: int) -> int:
        try:
            at = self._read_broken(text, pos, size)
        except Fault as fault:
            self._spoil(fault)
            return fault.at
        if self._reader.closed:
            block = self._reader.text().removesuffix(self._dialect.results[1])
            payload = self._result_shape.payload()
            self._give({"type": "result", "content": block.strip(WHITE), "payload": payload}, at)
            self._region = self._first_region()
        return at

    def _read_broken(self, text: str, pos: int, size: int) -> int:
        """Read on to the end of the block or of the text; a replaced character breaks it."""
        index = bisect_left(self._replaced, pos)
        stop = self._replaced[index] if index < len(self._replaced) else size
        at = self._reader.read(text, pos, stop)
        if at == stop < size and not self._reader.closed:
            message = (
                "Here the input was not UTF-8, or half of a surrogate pair, and what was meant "
                "is lost. Send the block again."
            )
            raise Fault("bad-encoding", at, message, self._reader.path())
        return at

    def _give_calls(self) -> None:
        found = self._reader.found
        self._calls += len(found)
        for content, end in found:
            self._give({"type": "call", "content": content}, end)

    def _void(self, fault: Fault) -> None:
        at = fault.at
        self._error(fault.code, at, at + 1, fault.message, path=fault.path, calls=self._calls)
        self._answers = None
        self._region = "void"

    def _spoil(self, fault: Fault) -> None:
        """Give the one error of a results block, whichever rule it broke."""
        code = fault.code if fault.code in _RESULTS_CODES else "results-shape"
        self._error(code, fault.at, fault.at + 1, fault.message, path=fault.path, calls=0)
        self._region = "broken"

    def _take_end_in_block(self) -> None:
        opener, closer = (
            self._dialect.execute if self._region == "execute" else self._dialect.results
        )
        path = self._reader.path()
        if self._region == "results":
            message = f"The text ends inside {opener}, before {closer}."
            self._error("results-shape", 0, 0, message, path=path, calls=0)
            return
        message = (
            f"The text ends inside the block, before {closer}, so nothing in it has run. "
            "Send the whole block again."
        )
        self._error("unclosed-execute", 0, 0, message, path=path, calls=self._calls)

    def _forgery(self) -> str:
        opener = self._dialect.results[0]
        literal = opener.replace(opener[0], self._dialect.literal, 1)
        return (
            f"Results come from the system, never from the model: {opener} was not expected "
            f"here. End a block and wait for its results; to write the marker, write {literal}."
        )

    # -- What is skipped --------------------------------------------------------------------

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        return self._skip(
            self._markers.execute_closer,
            text,
            pos,
            size,
            "answer" if self._transcript else "paused",
        )

    def _scan_broken(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.results_closer, text, pos, size, self._first_region())

    def _scan_forged(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.results_closer, text, pos, size, "prose")

    def _skip(self, markers: MarkerSet, text: str, pos: int, size: int, region: Region) -> int:
        """Skip to the first closer and past it, into `region`."""
        match = markers.pattern.search(text, pos)
        if match is None:
            self._carry = text[markers.hold(text, pos) :]
            return size
        self._region = region
        return match.end()

    def _discard(self, _text: str, pos: int, size: int) -> int:
        if self._raw:
            self._set_aside(pos)
            self._mark = size
        self._discarded += size - pos
        return size

    _SCANS: ClassVar[dict[Region, Callable[["Parser", str, int, int], int]]] = {
        "opening": _scan_opening,
        "prose": _scan_prose,
        "think": _scan_think,
        "execute": _scan_execute,
        "void": _scan_void,
        "answer": _scan_answer,
        "results": _scan_results,
        "broken": _scan_broken,
        "forged": _scan_forged,
        "paused": _discard,
        "ended": _discard,
    }

    # -- Resuming ---------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the parser's state as a JSON value, for `restore` in this or another process.

        It holds the text of the open segment or block, so its size grows with that.
        """
        in_block = self._region in {"execute", "results"}
        answers = self._answers if self._region in {"answer", "results"} else None
        return {
            "version": SNAPSHOT_VERSION,
            "dialect": self._dialect.name,
            "stream": "token" if self._token else "event",
            "mode": "transcript" if self._transcript else "turn",
            "start": self._start,
            "raw": self._raw,
            "limits": asdict(self._limits),
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
            "block": self._reader.text() if in_block else "",
            "answers": None if answers is None else list(answers),
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

        in_segment = region in {"prose", "think"}
        in_block = region in {"execute", "results"}
        legal = self._legal(region)
        told = len(self._carry) + max(map(len, (content, white, block, unclaimed)))
        fields.require(
            "region",
            region not in (_TURN_REGIONS if self._transcript else _TRANSCRIPT_REGIONS),
            region != "opening" or self._start == "think",
        )
        fields.require("closed", not self._closed or not (decoder.pending or self._carry))
        fields.require("offset", self._offset >= told + self._discarded)
        fields.require("discarded", not self._discarded or self.stopped)
        fields.require("segment", not self._segment or self._token)
        fields.require(
            "carry", not self._carry or (legal is not None and self._carry in legal.prefixes)
        )
        fields.require(
            "claimed",
            self._claimed <= (self._raw and region in {"void", "broken"} and bool(self._carry)),
        )
        fields.require("started", not self._started or in_segment)
        fields.require(
            "content",
            not content or (in_segment and not self._token and self._started),
            legal is None or not legal.pattern.search(content),
        )
        fields.require("white", not white or (in_segment and self._token), not white.strip(WHITE))
        fields.require("block", not block or in_block)
        fields.require("answers", self._answers is None or region in {"answer", "results"})
        fields.require("unclaimed", not unclaimed or self._raw)
        if in_block:
            self._resume_block(block, fields)

    def _resume_block(self, block: str, fields: Fields) -> None:
        """Read the open block again; its calls have been given already."""
        if self._region == "execute":
            self._open_block()
        else:
            self._open_results()
        try:
            self._reader.read(block, 0, len(block))
        except Fault as fault:
            raise fields.wrong("block", fault.message) from None
        fields.require("block", not self._reader.closed)
        self._calls = self._reader.count
        self._reader.found = []

    def _legal(self, region: Region) -> MarkerSet | None:
        """Return the markers that end, or may be held back in, `region`."""
        markers = self._markers
        return {
            "opening": markers.think_opener,
            "prose": markers.prose,
            "think": markers.think_closer,
            "void": markers.execute_closer,
            "answer": markers.results_opener,
            "broken": markers.results_closer,
            "forged": markers.results_closer,
        }.get(region)


_TURN_REGIONS: Final = frozenset({"paused", "ended"})
_TRANSCRIPT_REGIONS: Final = frozenset({"answer", "results", "broken", "forged"})
_RESULTS_CODES: Final = frozenset({"results-shape", "results-count", "results-order"})


def parse(text: str | bytes, dialect: str = "xml-json", **options: Any) -> list[Event]:
    """Return the events of one turn; the options are those of `Parser`."""
    parser = Parser(dialect, **options)
    return parser.feed(text) + parser.close()


def parse_transcript(text: str | bytes, dialect: str = "xml-json", **options: Any) -> list[Event]:
    """Return the events of a whole conversation; the options are those of `Parser`."""
    return parse(text, dialect, mode="transcript", **options)
