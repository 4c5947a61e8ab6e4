# SPDX-License-Identifier: MIT
"""The machine that reads the text of a turn or of a transcript: what all frames have in common.

Theory of operation
-------------------
The region is the machine's place in the text.  The method `_scan_<region>` reads there: it jumps to
the next marker that is legal in the region, and leaves in `_carry` only text that may become one,
which is put before the next text.  The role of a marker is what it does: the method `_enter_<role>`
does it.  A block is read by a block reader, which has its own state.

In a transcript a batch and the end of a turn do not end the text, and results may answer a batch.
A subclass reads one kind of frame, and adds the regions and roles that only this kind has.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, TypeVar, get_args

from ...events import Event, Limits
from ...text import WHITE
from ..blocks.interface import BlockReader, CallFormat, FastPath, Fault
from .markers import Found, FrameKind, Markers, MarkerSet, Pair, Role, literal
from .segments import DeltaSegment, Segment
from .snapshot import Fields
from .window import LOST, Trace, Window

#: What a turn begins in, which the end of its prompt decides.
Start = Literal["prose", "think", "header"]
State = Literal["prose", "think", "execute", "results", "paused", "ended"]
Region = Literal[
    "opening",  # a turn begins in a think, whose opener the model may repeat, or in a header
    "prose",
    "think",
    "execute",  # tags: a block is read
    "void",  # tags: the rest of a void block is skipped
    "payload",  # lines: a call is read
    "section",  # trained formats: a call, or the end of the section around calls, is expected
    "called",  # lines: a call has ended, and a marker is expected
    "answer",  # transcripts: results may come next
    "results",  # transcripts, tags: a results block is read
    "broken",  # transcripts, tags: the rest of a results block that broke a rule is skipped
    "body",  # transcripts, lines: the body of one result is read, or skipped
    "between",  # transcripts, lines: another result may come next
    "forged",  # transcripts: the rest of results that answer nothing is skipped
    "paused",
    "ended",
]

#: The state that the parser reports for each region; for others, that in which a turn begins.
_STATES: Final[Mapping[str, State]] = {
    "prose": "prose",
    "think": "think",
    "paused": "paused",
    "ended": "ended",
    **dict.fromkeys(("execute", "void", "payload", "section", "called"), "execute"),
    **dict.fromkeys(("results", "broken", "body", "between", "forged"), "results"),
}
_TRANSCRIPT_ONLY: Final = frozenset({"answer", "results", "broken", "body", "between", "forged"})
#: The regions in which a block is read.
_BLOCKS: Final = frozenset({"execute", "payload", "results"})
#: The regions in which results may still answer the batch, so that a snapshot needs its tools.
_ANSWERS: Final = frozenset({"answer", "results", "body", "between"})

_Calls_contra = TypeVar("_Calls_contra", bound=CallFormat, contravariant=True)


class Frame(ABC, Generic[_Calls_contra]):
    """How the parts of a message are marked; a frozen value.

    Its type says which formats of calls it can have.
    """

    def __getstate__(self) -> None:
        """Pickle only the tuple: what is cached in `__dict__` is derived from it."""

    kind: ClassVar[FrameKind]
    #: Whether a block or an error ends the turn; else an error only makes its calls void.
    is_block_last: ClassVar[bool] = False
    #: Whether results are written as one array; else each has a separate body.
    has_result_array: ClassVar[bool] = False
    #: Whether calls run when their turn ends; else a marker runs them.
    runs_at_end: ClassVar[bool] = False
    #: Whether markers are read in any ASCII letter case.
    ignores_case: ClassVar[bool] = False
    #: The marker that ends a turn; empty if there is none.
    end: str
    #: The closers of values that are an error in text after a call.
    strays: tuple[str, ...] = ()

    @property
    def ends_at_call(self) -> bool:
        """Whether the marker that is written after the last call ends the turn."""
        return False

    @property
    def header_end(self) -> str:
        """The marker that ends a header; empty if there are no headers."""
        return ""

    @property
    def call_headers(self) -> tuple[str, ...]:
        """The markers that begin headers, where a header names the tool of a call."""
        return ()

    @property
    def has_results(self) -> bool:
        """Whether results have markers, so that there are transcripts."""
        return True

    @property
    @abstractmethod
    def roles(self) -> dict[str, Role]:
        """The role of each marker that is live in prose, apart from those that begin headers."""

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are live in prose."""
        return (*self.roles,)

    @property
    @abstractmethod
    def block_ends(self) -> Pair:
        """The markers before and after the calls of a block."""

    @functools.cached_property
    @abstractmethod
    def markers(self) -> Markers:
        """The markers, by where they are legal."""

    @abstractmethod
    def machine(self, calls: _Calls_contra, options: "Options") -> "Machine":
        """Return a machine that reads a turn or a transcript, with calls in this format."""


class Options(NamedTuple):
    """The options of a machine."""

    #: The limits of one block: characters, levels, digits and calls.
    limits: Limits
    #: Whether segments are emitted as deltas.
    token: bool = False
    #: Whether the text is a conversation, with its results.
    transcript: bool = False
    start: Start = "prose"
    #: Whether to keep the places of events and markers, and what to add to events: the text that
    #: they account for, and their spans.
    places: bool = False
    raw: bool = False
    spans: bool = False
    #: Whether calls wait for their `execute`.
    sealed: bool = False
    #: Whether the args of a call are emitted while it is being written.
    call_deltas: bool = False


def _methods(cls: type, prefix: str, known: Collection[str]) -> dict[str, Any]:
    """Return the methods of a class by what follows `prefix` in their names."""
    names = [name for name in dir(cls) if name.startswith(prefix)]
    methods = {name[len(prefix) :]: getattr(cls, name) for name in names}
    if unknown := methods.keys() - set(known):
        raise TypeError(f"{cls.__name__}: there is no {' and no '.join(sorted(unknown))}")
    return methods


class Machine(Window):
    """Reads text in one frame, and returns events."""

    __slots__ = (
        *("_answers", "_calls", "_format", "_in_block", "_is_traced", "_leads", "_ledger"),
        *("_markers", "_options", "_reader", "_region", "_result_kind", "_segment", "_waiting"),
        "quick",
    )

    #: The machine's place in the text.
    _region: Region
    #: Whether the place of every event and marker is needed; sealed calls alone need less.
    _is_traced: bool
    #: The reader of the open block, and how many calls the open batch has so far.
    _reader: BlockReader
    _calls: int

    #: The methods `_scan_<region>` and `_enter_<role>`, with those of the bases.
    _scans: ClassVar[Mapping[str, Callable[[Any, str, int, int], int]]]
    _entries: ClassVar[Mapping[str, Callable[[Any, int, int], None]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._scans = _methods(cls, "_scan_", get_args(Region))
        cls._entries = _methods(cls, "_enter_", get_args(Role))

    def __init__(self, markers: Markers, calls: CallFormat, options: Options) -> None:
        """Read with the `markers` of a frame, and calls in this format."""
        raw, spans, sealed = options.raw, options.spans, options.sealed
        self._is_traced = raw or spans or options.places
        is_kept = self._is_traced or sealed
        super().__init__(Trace(sealed=sealed, raw=raw, spans=spans) if is_kept else None)
        #: The markers of its frame, and the index in `Markers.result` of the pair last opened.
        self._markers = markers
        self._result_kind = 0
        #: The trace if it keeps the text for `raw`.
        self._ledger = self.trace if raw else None
        self._format = calls
        self._options = options
        #: A fast path for the next chunk, if there is one.
        self.quick: FastPath | None = None
        #: Whether that is the reader's, which has read the chunk when `read` is called.
        self._in_block = False
        self._segment = DeltaSegment() if options.token else Segment()
        #: What the markers begin with that are legal in the open segment, if it has a fast path.
        self._leads: frozenset[str] = frozenset()
        self._calls = 0
        #: If calls are sealed, the text of their batch, from its first marker on.
        self._waiting: list[str] = []
        #: The tools of the batch that results may answer; `None` after a void one.
        self._answers: list[str] | None = None
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._region = "prose" if self._options.start == "prose" else "opening"

    # -- What the parser uses ---------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state that the parser reports for the region."""
        return _STATES.get(self._region, self._first)

    @property
    def _first(self) -> Literal["prose", "think"]:
        """The region in which a turn begins, unless a header decides it."""
        return "think" if self._options.start == "think" else "prose"

    @property
    def stopped(self) -> bool:
        """Whether the turn has come to a hard stop."""
        return self._region in ("paused", "ended")

    def read(self, text: str, base: int, replaced: Sequence[int]) -> list[Event]:
        """Read `text`, whose first character has the offset `base`, and return its events.

        Text for which `quick` has just returned `None` is read from where that stopped.  `replaced`
        has the indices of the characters that the decoder replaced, in order.
        """
        if self._in_block and not replaced:  # `quick` has kept and read it
            events, reader = self._open(text, base), self._reader
            stopped, reader.stopped = reader.stopped, 0  # a fault would keep its traceback
            self._scan(self._take_read(text, 0, stopped))
        else:
            if self._waiting:
                self._waiting.append(text)
            if self._ledger is not None:
                self._ledger.add(text)
            if self._carry:
                held = len(self._carry)
                text, self._carry = self._carry + text, ""
                base -= held
                if replaced:
                    replaced = [at + held for at in replaced]
            self._replaced = replaced
            events = self._open(text, base)
            self._scan(0)
            self._replaced = ()
        return events

    def finish(self, size: int, *, finished: bool) -> list[Event]:
        """Take the end of the text, which has `size` characters, and return the last events.

        `finished` is whether the model ended its turn there: otherwise the end runs nothing.
        """
        text, self._carry = self._carry, ""
        events = self._open(text, size - len(text))
        self._take_end(finished=finished)
        self._fresh = True
        return events

    @property
    def tail(self) -> str:
        """The text that no event has claimed yet; empty without `raw`."""
        return "" if self.trace is None else self.trace.tail

    def _scan(self, pos: int) -> None:
        scans = self._scans
        while pos < (size := len(self._text)):
            pos = scans[self._region](self, self._text, pos, size)
        self.quick = None
        self._in_block = False
        self._set_fast_path()

    def _set_fast_path(self) -> None:
        """Set the fast path for a chunk at this place, if there is one."""
        segment = self._segment
        if self._is_traced or self._waiting:
            if self._region in _BLOCKS and not self._options.places:
                self._in_block = True
                self.quick = self._extend_kept
        elif self._carry:
            self.quick = self._wait
        elif segment.started:
            markers = self._markers
            live = markers.think if segment.kind == "think" else markers.prose
            if live.leads is not self._leads:
                self._leads, segment.lead = live.leads, min(live.leads)
                segment.begins = live.begins
            self.quick = segment.extend if live.lead else self._extend_segment
        elif self._region in _BLOCKS:
            self._in_block = True
            self.quick = self._extend_shown if self._reader.shows_deltas else self._reader.quick
        elif self._fresh and self._region in ("prose", "called", "section"):
            # A marker has come, and perhaps white space: most often another marker comes next.
            self._live = self._markers.prose if self._region == "prose" else self._after_call
            self.quick = self._wait

    @property
    def _after_call(self) -> MarkerSet:
        """The markers that may follow a call, or come between calls."""
        return self._markers.prose

    @abstractmethod
    def _take_end(self, *, finished: bool) -> None:
        """Take the end of the text, after the text that was held back."""

    # -- Segments ---------------------------------------------------------------------------

    def _extend_segment(self, chunk: str, now: float | None) -> list[Event] | None:
        """Take a chunk inside the open segment, where markers begin with several characters."""
        for lead in self._leads:
            if lead in chunk and self._segment.begins.search(chunk):
                return None
        return self._segment.extend(chunk, now)

    def _read_segment(self, text: str, pos: int, size: int) -> int:
        segment = self._segment
        if self._region == "think":
            segment.kind, markers = "think", self._markers.think
        else:
            segment.kind, markers = "respond", self._markers.prose
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            if (taken := segment.take(text, pos, self._hold_back(markers, text, pos))) is not None:
                event, begin, end = taken
                self._emit(event, begin, end, end)
            return size
        role, at, end = found
        if at > pos or segment.started:
            self._end_segment(pos, at, end if role == "close" else at)
        return self._enter(found)

    _scan_prose = _scan_think = _read_segment

    def _end_segment(self, pos: int, stop: int, claim: int) -> None:
        """End the segment at `stop`."""
        taken = self._segment.finish(self._text, pos, stop)
        if taken is not None:
            event, begin, end = taken
            self._emit(event, begin, end, claim)

    def _end_text(self, pos: int, stop: int) -> None:
        """End the segment that is open at the end of the text; `text[pos:stop]` is its rest."""
        if self._region in ("opening", "answer"):
            self._region = self._first
        if self._region in ("prose", "think"):
            self._segment.kind = "think" if self._region == "think" else "respond"
            self._end_segment(pos, stop, len(self._text))

    def _scan_opening(self, text: str, pos: int, size: int) -> int:
        """Take the opener of the think, if the model repeats it, or the rest of a header."""
        # A line feed may end the header.
        is_header = self._options.start == "header"
        seen = self._peek(self._markers.opening, text, pos, size, after_white=not is_header)
        if seen is None:
            return size
        self._region = self._first
        return seen if isinstance(seen, int) else self._enter(seen)

    def _scan_paused(self, _text: str, pos: int, size: int) -> int:
        self.discarded += size - pos
        if self._ledger is not None:
            self._ledger.drop(size - pos)
        return size

    _scan_ended = _scan_paused

    # -- Markers ----------------------------------------------------------------------------

    def _enter(self, found: Found) -> int:
        """Perform the marker's role, and return where reading continues."""
        self._fresh = True
        self._keep(found)
        role, at, end = found
        self._entries[role](self, at, end)
        return end

    def _enter_think(self, _at: int, _end: int) -> None:
        self._region = "think"

    def _enter_prose(self, _at: int, _end: int) -> None:
        self._region = "prose"

    _enter_close = _enter_prose

    def _enter_results(self, at: int, end: int) -> None:
        """Take results where none are expected: the turn stops here, and its calls are void."""
        calls, self._calls = self._calls, 0
        marker = self._text[at:end].rstrip(WHITE)
        message = (
            f"Results come from the system, never from the model: {marker} was not expected here. "
            f"Say what to run and wait for its results; to write the marker, write "
            f"{literal(marker)}."
        )
        self._error("forged-results", at, end, message, path=None, calls=calls)
        self._region = "paused"
        if self._options.transcript:
            self._result_kind = self._result_kind_at(at)
            self._region = "forged"

    def _enter_end(self, at: int, end: int) -> None:
        self._emit({"type": "end"}, at, end, end)
        self._region = "ended"
        if self._options.transcript:
            self._begin_turn()

    # -- Blocks -----------------------------------------------------------------------------

    def _read_block(self, text: str, pos: int, size: int) -> int:
        """Read the open block, and return where reading continues."""
        read = self._read_to_replaced if self._replaced else self._reader.read
        try:
            at = read(text, pos, size)
        except Fault as fault:
            return self._take_read(text, pos, fault)  # another name would keep its traceback
        return self._take_read(text, pos, at)

    def _take_read(self, text: str, pos: int, stopped: int | Fault) -> int:
        """Take what the reader has read from `pos` on; return where reading continues."""
        reader = self._reader
        if reader.found or reader.shows_deltas:
            self._emit_calls(text, pos, stopped.at if isinstance(stopped, Fault) else stopped)
            reader.found = []  # `extend` may take the next chunk without a look at it
        if isinstance(stopped, Fault):
            return self._break_block(text, stopped)
        if reader.closed:
            self._end_block(stopped)
            return self._step_back(reader.ahead, stopped) if reader.ahead else stopped
        return stopped

    def _read_to_replaced(self, text: str, pos: int, size: int) -> int:
        """Read to the end of the block or of the text; a replaced character voids the block."""
        reader = self._reader
        stop = self._first_replaced(pos, size)
        at = reader.read(text, pos, stop)
        if at == stop < size and not reader.closed:
            raise Fault("bad-encoding", at, LOST, reader.path())
        return at

    def _extend_kept(self, chunk: str, now: float | None) -> list[Event] | None:
        """Take a chunk in a block whose text is kept, for `raw` or until the calls may run."""
        if self._waiting:
            self._waiting.append(chunk)
        if self._ledger is not None:
            self._ledger.add(chunk)
        return (self._extend_shown if self._reader.shows_deltas else self._reader.quick)(chunk, now)

    def _extend_shown(self, chunk: str, now: float | None) -> list[Event] | None:
        """Take a chunk in a call of which deltas are emitted."""
        reader = self._reader
        if reader.quick(chunk, now) is None or reader.cut_deltas is not None:
            return None
        events = self._delta(*reader.deltas(chunk, 0, len(chunk))[0])
        if events and now is not None:
            events[0]["timestamp"] = now
        return events

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        """Emit the calls found in `text[pos:stop]`, and the deltas of the next one's args."""
        reader, found = self._reader, self._reader.found
        if not reader.shows_deltas:
            self._calls += len(found)
            for content, begin, end in found:
                self._emit({"type": "call", "content": content}, begin, end, end)
            return
        deltas = reader.cut_deltas or reader.deltas(text, pos, stop)
        reader.cut_deltas = None
        for (content, begin, end), delta in zip(found, deltas[:-1], strict=True):
            self._events += self._delta(*delta)
            self._calls += 1
            self._emit({"type": "call", "content": content}, begin, end, end)
        self._events += self._delta(*deltas[-1])

    def _delta(self, name: str, args: str) -> list[Event]:
        """Return a delta of a call's args, if there is any; it accounts for no text."""
        event: Any = {"type": "call_delta", "index": self._calls, "name": name, "content": args}
        return [event] if args else []

    @abstractmethod
    def _break_block(self, text: str, fault: Fault) -> int:
        """Handle the fault of the open block, and return where reading continues."""

    @abstractmethod
    def _end_block(self, at: int) -> None:
        """Take the end of the open block, or of its one call, which is at `at`."""

    def _void(self, fault: Fault, claim: int | None = None) -> None:
        """Emit the one error of a batch, whose calls will not run; its text ends at `claim`."""
        at = fault.at
        end = at + 1 if claim is None else claim
        self._error(fault.code, at, end, fault.message, path=fault.path, calls=self._calls)
        self._calls = 0

    def _end_batch(self, tools: list[str] | None) -> None:
        """Stop after a batch, which results may answer; `tools` is `None` if it was void."""
        self._calls = 0
        if self.trace is not None:
            self.trace.batch += 1
        self._region = "paused"
        if self._options.transcript:
            self._answers = tools
            self._region = "answer"

    def _skip(self, markers: MarkerSet, text: str, pos: int, size: int, region: Region) -> int:
        """Skip to the next of `markers`, and past it if it is a closer; then enter `region`."""
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._hold_back(markers, text, pos)
            return size
        self._region = region
        self._fresh = True
        return self._pass_closer(found)

    # -- Results, in transcripts ------------------------------------------------------------

    def _scan_answer(self, text: str, pos: int, size: int) -> int:
        """Look for the results of the batch; anything else begins the next turn."""
        seen = self._peek(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int) or seen.role != "results":  # a format without results has none
            self._begin_turn()
            return seen if isinstance(seen, int) else seen.at
        self._keep(seen)
        self._open_answer(seen.at)
        return seen.end

    @abstractmethod
    def _open_answer(self, at: int) -> None:
        """Begin to read the results of the batch, whose marker is at `at`."""

    def _scan_forged(self, text: str, pos: int, size: int) -> int:
        """Skip results that answer nothing."""
        return self._skip(self._markers.results[self._result_kind], text, pos, size, "prose")

    def _result_kind_at(self, at: int) -> int:
        """Return the index of the results marker at `at`."""
        return [opener[0] for opener, _ in self._markers.result].index(self._text[at])

    # -- Snapshots --------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the state as members of a JSON object; `load` reads them.

        `text` is the end of the text so far, which `load` reads again.
        """
        segment, region = self._segment, self._region
        answers = list(self._answers) if region in _ANSWERS and self._answers is not None else None
        return {
            "region": region,
            "segment": segment.number,
            "started": segment.started,
            "text": segment.text + self._carry,
            "answers": answers,
            "form": self._result_kind,
        }

    def load(self, fields: Fields) -> None:
        """Restore what `save` returned; `ValueError` for a state that could do harm."""
        self._load(fields)
        text = fields.typed("text", str)
        for event in self.read(text, fields.typed("offset", int) - len(text), ()):
            if event["type"] == "error":
                raise fields.wrong("text", event["content"])

    def _load(self, fields: Fields) -> None:
        """Restore the state before the text that is read again."""
        options, is_transcript = self._options, self._options.transcript
        self._region = region = fields.chosen("region", get_args(Region))
        fields.require(
            "region",
            region in self._scans,
            not self.stopped if is_transcript else region not in _TRANSCRIPT_ONLY,
            region != "opening" or options.start != "prose",
        )
        self._result_kind = fields.typed("form", int)
        fields.require("form", self._result_kind < len(self._markers.results))
        if is_transcript:
            self._answers = fields.names("answers")
        if options.token:
            self._segment.number = fields.typed("segment", int)
        if region in ("prose", "think"):
            self._segment.kind = "think" if region == "think" else "respond"
            self._segment.started = fields.typed("started", bool)
