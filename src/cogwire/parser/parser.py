# SPDX-License-Identifier: MIT
"""The parser: text in, events out, resumable at every character.

Laws
----
Everything else relies on these, and each is a property test over every dialect.

1. Never raises.  `feed` and `close` return events for any input; malformed text is an `error`
   event.  Only misuse raises.  The clock is called once per `feed`, before anything changes.
2. Chunking is invisible.  However the text is cut, the events are the same once the deltas of a
   segment are joined; so are `raw`, `offset`, messages, `tail` and `discarded`.
3. Modes agree.  The joined deltas of a segment are the content of its event.
4. The ledger balances.  The joined `raw`s and `tail` are the text read; `discarded` is the rest.
5. Linear.  Work grows with the characters, memory with one block and the white space held back.
6. Prompt.  A character is held back only while it may be part of a marker that is legal here, of
   trailing white space, or of an open block; an error comes at the first impossible character.
7. Nothing runs by accident.  A call may run once an `execute` has followed it in the same turn,
   with no error between.  The end of a text runs calls only if the model ended its turn there.
8. Round trip.  What the renderers write, the parser reads back.
9. Resumable.  `snapshot` is a JSON value from which another process continues with the same events.

Theory of operation
-------------------
A chunk is decoded to text, and the machine of the dialect's frame (`wire/frames`) reads the text
and returns events, to which the parser adds timestamps.  Most chunks are inside one segment or one
string; for these the machine has a fast path, `quick`, which is tried first.
"""

import functools
import re
import time
from collections.abc import Callable
from typing import Any, Final, Literal, get_args

from ..events import Event, Limits, require_limits
from ..text import WHITE
from ..text.decoding import Decoder, is_text
from ..wire.dialects import Dialect, HasDialect, dialect_named
from ..wire.frames.machine import Options, Start, State
from ..wire.frames.markers import Markers, MarkerSet, live_in
from ..wire.frames.snapshot import SNAPSHOT_VERSION, Fields

#: How think and prose arrive: as whole events, or as deltas.
Stream = Literal["event", "token"]
#: What the text is: a turn of the model, or a transcript.
Mode = Literal["turn", "transcript"]
#: When calls are emitted: each at its end, or all when nothing can void them.
Calls = Literal["shown", "sealed"]
Clock = Callable[[], float]

_CHOICES: Final = {"stream": Stream, "mode": Mode, "calls": Calls}

#: The message of an error at the end of a text that the user stopped.
_CANCELLED: Final = "The user stopped the turn here, so none of its calls has run."
#: The most characters at the end of a prompt that a think's opener or an open header has.
_PROMPT_TAIL: Final = 600
#: What chat templates write after a message; a thought may well have `[OK]` or `<s>`.
_CONTROL_TOKEN: Final = re.compile(
    r"<[|｜][^<>\n]+>|<[^<>\n]+[|｜]>|</s>|\[/[A-Z_]+\]|<(?:start|end)_of_turn>"
)


class Parser:
    """Parses one model output, or one transcript, as it arrives.

    - `dialect` is `"xml-json"`, `"xml-elements"`, `"delimiter"`, `"delimiter-upper"`, a format that
      models are trained on, such as `"hermes"`, or an object with a `dialect`, such as a toolset.
    - `stream` is `"event"` for whole segments, or `"token"` for deltas.
    - `mode` is `"turn"`, which reads one turn and drops what follows it (see `stopped`), or
      `"transcript"`, which reads a whole conversation with its results.
    - `start` is `"think"` or `"header"` if the prompt has begun one (see `start_of`).
    - `raw` adds to each event the text that it accounts for.
    - `spans` adds the place of its content: `[start, end]` in code points.
    - `calls` is `"shown"`, which emits each call once it is complete, or `"sealed"`, which emits it
      with its `execute`, so that no call of a void block is emitted.
    - `call_deltas` also emits, in token mode, a `CallDeltaEvent` for each piece of a call's args.
    - `clock` returns the events' timestamps, in seconds; `None` leaves them out.
    - `limits` bound what one block may contain.

    Raises `ValueError` for an option that does not exist and for call deltas in event mode, and
    `TypeError` for limits that are not a `Limits`.  A copy is independent of the original.
    """

    __slots__ = (
        *("_clock", "_closed", "_decoder", "_dialect", "_is_plain", "_machine", "_offset"),
        "_options",
    )

    def __init__(
        self,
        dialect: str | HasDialect = "xml-json",
        *,
        stream: Stream = "event",
        mode: Mode = "turn",
        start: Start = "prose",
        raw: bool = False,
        spans: bool = False,
        calls: Calls = "shown",
        call_deltas: bool = False,
        clock: Clock | None = time.time,
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        self._dialect = wire = dialect_named(dialect)
        require_limits(limits)  # an equal tuple would find the options with equal limits
        options = wire, stream, mode, start, bool(raw), bool(spans), limits, calls, call_deltas
        try:
            self._options = _options(*options)
        except TypeError:  # an option that is not hashable
            self._options = _options.__wrapped__(*options)
        self._clock = clock
        self._begin()

    def _begin(self) -> None:
        """Start at the first character of a turn or transcript."""
        self._decoder = Decoder()
        self._machine = self._dialect.machine(self._options)
        self._closed = False
        #: How many characters of text have been read.
        self._offset = 0
        #: Whether the decoder would return a `str` without surrogates unchanged.
        self._is_plain = False

    # -- Public -----------------------------------------------------------------------------

    def feed(self, chunk: str | bytes) -> list[Event]:
        """Take the next chunk and return the events that it completes.

        Raises `TypeError` if `chunk` is neither `str` nor `bytes`, or not of the first one's type,
        and `RuntimeError` after `close`.  Malformed text never raises.
        """
        now = None if self._clock is None else self._clock()
        if self._is_plain and type(chunk) is str and (chunk.isascii() or is_text(chunk)):
            # Most chunks are inside one segment or one block.
            self._offset += len(chunk)
            quick = self._machine.quick
            if quick is not None:
                events = quick(chunk, now)
                if events is not None:
                    return events
            events = self._machine.read(chunk, self._offset - len(chunk), ())
        else:
            if self._closed:
                hint = "make a new Parser" if self._options.transcript else "call next_turn()"
                raise RuntimeError(f"feed() after close(): {hint} first")
            decoder, base = self._decoder, self._offset
            text = decoder.decode(chunk)
            self._is_plain = decoder.unit == "str" and not (decoder.pending or decoder.replaced)
            self._offset = base + len(text)
            quick = None if decoder.replaced else self._machine.quick
            if quick is not None:
                events = quick(text, now)
                if events is not None:
                    return events
            events = self._machine.read(text, base, decoder.replaced)
        if now is not None:
            for event in events:
                event["timestamp"] = now
        return events

    def close(self, *, finished: bool = False, cancelled: bool = False) -> list[Event]:
        """End the text and return the last events; later calls return none.

        `finished` states that the model ended its turn here, as a stop token or a finish reason
        says.  Otherwise the text may have been cut: its end runs no calls, and a `§execute` right
        before it is not a marker.  `cancelled` states that the user stopped the turn, so that no
        message asks the model to send its calls again.  Raises `ValueError` if both are given.
        """
        if finished and cancelled:
            raise ValueError("a turn can be finished or cancelled, not both")
        if self._closed:
            return []
        now = None if self._clock is None else self._clock()
        events: list[Event] = []
        end = self._offset
        if self._decoder.pending:
            text = self._decoder.finish()
            events = self._machine.read(text, self._offset, self._decoder.replaced)
            self._offset += 1
        self._closed = True
        self._is_plain = False
        events += self._machine.finish(self._offset, finished=bool(finished))
        for event in events if cancelled else ():
            # The stop may have cut a character, too.
            if event["type"] == "error" and event["offset"] >= end:
                event["content"] = _CANCELLED
        if now is not None:
            for event in events:
                event["timestamp"] = now
        return events

    def next_turn(self) -> None:
        """Begin another turn, as a new parser would, after a hard stop or `close`.

        Raises `RuntimeError` while the turn is still open, and in a transcript.
        """
        if self._options.transcript:
            raise RuntimeError("a transcript contains its turns; next_turn() is for mode='turn'")
        if not (self._closed or self.stopped):
            raise RuntimeError("the turn is still open; close() it first")
        self._begin()

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return self._dialect.name

    @property
    def wire(self) -> Dialect:
        """The dialect itself."""
        return self._dialect

    @property
    def state(self) -> State:
        """The parser's place in the text: prose, a think, a block, results, or a hard stop."""
        return self._machine.state

    @property
    def stopped(self) -> bool:
        """Whether the turn has come to a hard stop, so that later text is discarded."""
        return self._machine.stopped

    @property
    def discarded(self) -> int:
        """How many characters, in code points, arrived after the hard stop."""
        return self._machine.discarded

    @property
    def tail(self) -> str:
        """The text that no event has claimed yet; empty without `raw`."""
        return self._machine.tail

    def __repr__(self) -> str:
        """Show the dialect, the state, and the length of the text so far."""
        place = f"{self._dialect.name}: {self.state}, {self._offset} characters"
        return f"<Parser {place}, closed>" if self._closed else f"<Parser {place}>"

    # -- Resuming ---------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the parser's state as a JSON value, for `restore` in this or another process.

        It contains the text of the open segment or block, so its size grows with that text.
        """
        options, state = self._options, self._machine.save()
        if self._closed:
            state["text"] = ""
        return {
            "version": SNAPSHOT_VERSION,
            "dialect": self._dialect.name,
            "description": self._dialect.checksum,
            "stream": "token" if options.token else "event",
            "mode": "transcript" if options.transcript else "turn",
            "start": options.start,
            "calls": "sealed" if options.sealed else "shown",
            "raw": options.raw,
            "spans": options.spans,
            "call_deltas": options.call_deltas,
            "limits": options.limits._asdict(),
            "unit": self._decoder.unit,
            "pending": list(self._decoder.pending),
            "offset": self._offset,
            "discarded": self.discarded,
            "closed": self._closed,
            "unclaimed": self.tail,
            **state,
        }

    @classmethod
    def restore(
        cls,
        value: object,
        *,
        dialect: str | HasDialect | None = None,
        clock: Clock | None = time.time,
    ) -> "Parser":
        """Return a parser that continues from `value`, which `snapshot` returned.

        A snapshot has the name of its dialect, and no description, so that of a described format
        needs `dialect`.  Raises `ValueError` if `value` is of another dialect, another description
        or another version, or a state that no parser can be in.
        """
        # Only what could do harm is checked where it is read.  One test refuses all other states:
        # the restored parser must have exactly this snapshot.
        fields = Fields(value)
        name = fields.typed("dialect", str)
        try:
            wire = dialect_named(name if dialect is None else dialect)
        except ValueError as error:
            raise ValueError(f"{error}; a described format is passed as `dialect`") from None
        if fields.value("description") != wire.checksum:
            passed, missing = ", which was passed as `dialect`", "; pass `dialect` as it was then"
            hint = missing if dialect is None else passed
            raise fields.wrong("description", f"that of {wire.name} is another{hint}")
        names = (*_CHOICES, "start", "raw", "spans", "call_deltas")
        options = {option: fields.value(option) for option in names}
        parser = cls(wire, **options, clock=clock, limits=fields.limits())
        parser._load(fields)
        fields.require_all({**parser.snapshot(), "limits": fields.value("limits")})
        return parser

    def _load(self, fields: Fields) -> None:
        """Restore the state; `ValueError` if it could do harm."""
        decoder, machine = self._decoder, self._machine
        # Reading a part of a character again returns no text.
        if (chunk := fields.chunk()) is not None:
            decoder.decode(chunk)
        text, tail = fields.typed("text", str), fields.typed("unclaimed", str)
        self._closed = fields.typed("closed", bool)
        self._offset = fields.typed("offset", int)
        discarded = machine.discarded = fields.typed("discarded", int)
        fields.require("closed", not self._closed or not (decoder.pending or text))
        fields.require("unit", decoder.unit is not None or not self._offset)
        fields.require("offset", self._offset >= max(len(text), len(tail)) + discarded)
        machine.load(fields)
        fields.require("discarded", not discarded or self.stopped)
        if machine.trace is not None and self._options.raw:
            # An error before the text may have claimed its beginning.  No event has claimed sealed
            # calls, but their first character may be the offending one.
            is_held = bool(machine.trace.held)
            is_sound = tail.endswith(text[1:] if is_held else text)
            fields.require("unclaimed", is_sound or (not is_held and text.endswith(tail)))
            machine.trace.resume(tail, self._offset - discarded)

    def __reduce__(self) -> tuple[Callable[..., "Parser"], tuple[dict[str, Any]]]:
        """Return how an independent parser in the same state is made, for `copy` and `pickle`."""
        again = functools.partial(type(self).restore, dialect=self.wire, clock=self._clock)
        return again, (self.snapshot(),)


@functools.lru_cache(maxsize=32)  # most programs use the same options every time
def _options(  # noqa: PLR0917 (keyword arguments would cost more than the cache saves)
    dialect: Dialect,
    stream: Stream,
    mode: Mode,
    start: Start,
    raw: bool,  # noqa: FBT001
    spans: bool,  # noqa: FBT001
    limits: Limits,
    calls: Calls,
    call_deltas: bool,  # noqa: FBT001
) -> Options:
    """Return the options of a machine; raises `ValueError` for one that does not exist."""
    for option, value in zip(_CHOICES, (stream, mode, calls), strict=True):
        choices = get_args(_CHOICES[option])
        if value not in choices:
            raise ValueError(f"{option} must be one of {', '.join(choices)}, not {value!r}")
    if mode == "transcript" and not dialect.frame.has_results:
        raise ValueError(f"{dialect.name} has no markers of results, so it has no transcripts")
    if call_deltas and stream != "token":
        raise ValueError("call deltas need token mode, stream='token'")
    return Options(
        limits,
        token=stream == "token",
        transcript=mode == "transcript",
        start=dialect.checked_start(start),
        raw=raw,
        spans=spans,
        sealed=calls == "sealed",
        call_deltas=bool(call_deltas),
    )


def parse(
    text: str | bytes,
    dialect: str | HasDialect = "xml-json",
    *,
    finished: bool = True,
    stream: Stream = "event",
    mode: Mode = "turn",
    start: Start = "prose",
    raw: bool = False,
    spans: bool = False,
    calls: Calls = "shown",
    call_deltas: bool = False,
    clock: Clock | None = time.time,
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> list[Event]:
    """Return the events of a turn, or of a conversation; the options are those of `Parser`.

    `text` is `str` or UTF-8 `bytes`.  Its end counts as the end of the model's turn; for a text
    that was cut, pass `finished=False`.  Misuse raises what `Parser` and its methods raise.
    """
    parser = Parser(
        dialect,
        stream=stream,
        mode=mode,
        start=start,
        raw=raw,
        spans=spans,
        calls=calls,
        call_deltas=call_deltas,
        clock=clock,
        limits=limits,
    )
    return parser.feed(text) + parser.close(finished=finished)


def parse_transcript(
    text: str | bytes,
    dialect: str | HasDialect = "xml-json",
    *,
    finished: bool = True,
    stream: Stream = "event",
    start: Start = "prose",
    raw: bool = False,
    spans: bool = False,
    calls: Calls = "shown",
    call_deltas: bool = False,
    clock: Clock | None = time.time,
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> list[Event]:
    """Return the events of a whole conversation; the options are those of `Parser`.

    The results in it become events too.  Otherwise the same as `parse`.
    """
    return parse(
        text,
        dialect,
        finished=finished,
        stream=stream,
        mode="transcript",
        start=start,
        raw=raw,
        spans=spans,
        calls=calls,
        call_deltas=call_deltas,
        clock=clock,
        limits=limits,
    )


def start_of(prompt: str, dialect: str | HasDialect) -> Start:
    """Return the `start` of a turn after `prompt`, which its last characters show.

    It is `"header"` in a header that nothing has ended, `"think"` in a think, also after its first
    words, and `"prose"` otherwise.  A control token between messages ends a think, since a user may
    have written its opener; without such tokens, pass only what follows the last message of a user.
    Raises `ValueError` for a dialect that does not exist, and for a
    header whose words say what follows: feed them to the parser before the text.
    """
    frame = dialect_named(dialect).frame
    markers = frame.markers.prose
    text = prompt[-_PROMPT_TAIL:]
    # A marker may end with a line feed, which a prompt that was trimmed does not have.
    for end in (text, f"{text.rstrip(WHITE)}\n"):
        role, at = _last_marker(markers, end)
        if role == "think" and not end[at:].strip(WHITE):
            return "think"
    header = text[markers.hold(text, _last_marker(markers, text)[1], fresh=True) :]
    if not (frame.header_end and header.startswith(frame.openers)):
        return "think" if _is_in_think(prompt, frame.markers) else "prose"
    marker = markers.match(header + frame.header_end, 0)
    if marker is not None and marker.role != "prose":
        raise ValueError(f"{header!r} says what follows; feed it to the parser before the text")
    return "header"


def _is_in_think(prompt: str, markers: Markers) -> bool:
    """Whether the last think that begins in a prompt has not ended, and no message has."""
    begin = -1
    for role, _, end in live_in(prompt, markers.prose):
        if role in ("think", "end"):  # the end of a turn is that of its think
            begin = end if role == "think" else -1
    if begin < 0 or _CONTROL_TOKEN.search(prompt, begin):
        return False
    think = markers.think
    is_closed = think.find(prompt, begin, fresh=True) is not None
    return not is_closed and think.hold(prompt, begin, fresh=True) == len(prompt)


def _last_marker(markers: MarkerSet, text: str) -> tuple[str, int]:
    """Return the role of the last marker in a text, and where it ends."""
    *_, (role, _, end) = ("", 0, 0), *live_in(text, markers)
    return role, end
