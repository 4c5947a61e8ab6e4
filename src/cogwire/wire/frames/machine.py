# SPDX-License-Identifier: MIT
"""The machine that reads the text of a turn: what all frames have in common.

Theory of operation
-------------------
The region is the machine's place in the text, and `_SCANS` has the method that reads in it: it
jumps to the next marker that is legal in the region, and leaves in `_carry` only text that may
become one, which is put before the next text.  The role of a marker is what it does, and `_ENTRIES`
has the method for it.  A block is read by a block reader, which has its own state.

A subclass reads one kind of frame, and adds the regions and roles that only this kind has.
Transcripts add further ones (`transcript.py`).
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from ...events import Event, Limits
from ...text.scan import WHITE
from ..blocks.interface import Fault
from .markers import Found, Markers, Pair, Role, literal
from .segments import DeltaSegment, WholeSegment
from .window import LOST, Region, Window

if TYPE_CHECKING:
    from ..blocks.format import BlockReader, CallFormat, DeltaReader
    from .resuming import Resuming

Start = Literal["prose", "think"]
State = Literal["prose", "think", "execute", "results", "paused", "ended"]

#: Takes a chunk inside the open segment or block, with its offset and time; returns its events,
#: with this time, or `None` if the chunk must be read in full.
FastPath = Callable[[str, int, "float | None"], "list[Event] | None"]

#: Reads in a region, and returns where reading continues; performs the role of a marker.
Scan = Callable[[Any, str, int, int], int]
Entry = Callable[[Any, int, int], None]

#: The region at the start of a turn.
FIRST_REGIONS: Final[Mapping[Start, Region]] = {"prose": "prose", "think": "opening"}


class Options(NamedTuple):
    """The options of a machine."""

    #: Whether segments are emitted as deltas.
    token: bool
    #: Whether the text is a conversation, with its results.
    transcript: bool
    #: The state in which a turn begins.
    start: Start
    limits: Limits
    #: Whether to keep the positions of events and markers.
    trace: bool
    #: Whether calls wait for their `execute`.
    sealed: bool = False
    #: Whether the args of a call are emitted while it is being written.
    call_deltas: bool = False


class Machine(Window):
    """Reads text in one frame, and returns events."""

    __slots__ = (
        *("_block", "_calls", "_follower", "_format", "_markers", "_options", "_reader"),
        *("_in_body", "_segment", "quick"),
    )

    #: The reader of the open block, and how many calls the open batch has so far.
    _reader: "BlockReader"
    _calls: int
    #: Returns deltas of the args of calls; `None` if there are no call deltas.
    _follower: "DeltaReader | None"

    def __init__(
        self, markers: Markers, block: Pair, calls: "CallFormat", options: Options
    ) -> None:
        """Read with the `markers` of a frame; `block` is the pair around a block of `calls`."""
        self._markers = markers
        self._block = block
        self._format = calls
        self._options = options
        #: A fast path for the next chunk, if there is one.
        self.quick: FastPath | None = None
        #: Whether that is the reader's `extend`, for text in a string or in an argument.
        self._in_body = False
        self.trace = None
        if options.trace or options.sealed:
            from .trace import Trace  # noqa: PLC0415 (few parsers need it)

            self.trace = Trace(is_sealed=options.sealed)
        self.discarded = 0
        self._replaced = ()
        self._carry = ""
        self._fresh = True
        self._segment: WholeSegment | DeltaSegment = (
            DeltaSegment() if options.token else WholeSegment()
        )
        self._calls = 0
        self._follower = None
        self._region = FIRST_REGIONS[options.start]

    # -- What the parser uses ---------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state that the parser reports for the region."""
        return self._STATES[self._region]

    @property
    def stopped(self) -> bool:
        """Whether the turn has come to a hard stop."""
        return self._region in ("paused", "ended")

    def read(self, text: str, base: int, replaced: Sequence[int]) -> list[Event]:
        """Read `text`, whose first character has the offset `base`, and return its events.

        `replaced` has the indices of the characters that the decoder replaced, in order.
        """
        if self._in_body and not replaced:
            return self._extend_block(text, base, None)
        if self._carry:
            held = len(self._carry)
            text = self._carry + text
            base -= held
            self._carry = ""
            if replaced:
                replaced = [at + held for at in replaced]
        self._replaced = replaced
        events = self._open(text, base)
        self._scan(0)
        self._replaced = ()
        return events

    def finish(self, size: int) -> list[Event]:
        """Take the end of the text, which has `size` characters, and return the last events."""
        text, self._carry = self._carry, ""
        events = self._open(text, size - len(text))
        self.quick = None
        self._in_body = False
        self._take_end()
        self._fresh = True
        return events

    @property
    def tail(self) -> str:
        """Always empty: only `Accounts` keeps the text that no event has claimed."""
        return ""

    @abstractmethod
    def resuming(self) -> "Resuming[Any]":
        """Return the writer and reader of this machine's state."""

    def _scan(self, pos: int) -> None:
        scans = self._SCANS
        while pos < (size := len(self._text)):
            pos = scans[self._region](self, self._text, pos, size)
        self.quick = None
        self._in_body = False
        if not (self._carry or self._options.trace):
            self._set_fast_path()

    @abstractmethod
    def _set_fast_path(self) -> None:
        """Set the fast path for a chunk at this place, if there is one."""

    @abstractmethod
    def _take_end(self) -> None:
        """Take the end of the text, after the text that was held back."""

    # -- Segments ---------------------------------------------------------------------------

    def _scan_segment(self, text: str, pos: int, size: int) -> int:
        segment = self._segment
        if self._region == "think":
            segment.kind, markers = "think", self._markers.think
        else:
            segment.kind, markers = "respond", self._markers.prose
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            given = segment.take(text, pos, self._hold_back(markers, text, pos))
            if given is not None:
                event, begin, end = given
                self._emit(event, begin, end, end)
            return size
        role, at, end = found
        if at > pos or segment.started:
            self._end_segment(pos, at, end if role == "close" else at)
        return self._enter(found)

    def _end_segment(self, pos: int, stop: int, claim: int) -> None:
        """End the segment at `stop`."""
        given = self._segment.finish(self._text, pos, stop)
        if given is not None:
            event, begin, end = given
            self._emit(event, begin, end, claim)

    def _end_text(self, pos: int, stop: int) -> None:
        """End the segment that is open at the end of the text; `text[pos:stop]` is its rest."""
        if self._region in ("opening", "answer"):
            self._region = self._options.start
        if self._region in ("prose", "think"):
            self._segment.kind = "think" if self._region == "think" else "respond"
            self._end_segment(pos, stop, len(self._text))

    # -- Markers ----------------------------------------------------------------------------

    def _enter(self, found: Found) -> int:
        """Perform the marker's role, and return where reading continues."""
        self._fresh = True
        if self.trace is not None:
            self._keep(found)
        role, at, end = found
        self._ENTRIES[role](self, at, end)
        return end

    def _enter_think(self, _at: int, _end: int) -> None:
        self._region = "think"

    def _enter_prose(self, _at: int, _end: int) -> None:
        self._region = "prose"

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

    def _enter_end(self, at: int, end: int) -> None:
        self._emit({"type": "end"}, at, end, end)
        self._region = "ended"

    def _scan_opening(self, text: str, pos: int, size: int) -> int:
        """Take the opener of the think, if the model repeats it."""
        seen = self._peek(self._markers.opening, text, pos, size)
        if seen is None:
            return size
        self._region = "think"
        if isinstance(seen, int):
            return seen
        self._keep(seen)
        return seen.end

    def _discard(self, _text: str, pos: int, size: int) -> int:
        self.discarded += size - pos
        return size

    # -- Blocks -----------------------------------------------------------------------------

    def scan_block(self, text: str, pos: int, size: int) -> int:
        """Read the open block, and return where reading continues."""
        reader = self._reader
        try:
            at = (self._read_marked if self._replaced else reader.read)(text, pos, size)
        except Fault as fault:
            self._emit_calls(text, pos, fault.at)
            return self._break_block(text, fault)
        if reader.found or self._follower is not None:
            self._emit_calls(text, pos, at)
        if reader.closed:
            self._end_block(at)
        return at

    def _read_marked(self, text: str, pos: int, size: int) -> int:
        """Read to the end of the block or of the text; a replaced character voids the block."""
        reader = self._reader
        stop = self._first_replaced(pos, size)
        at = reader.read(text, pos, stop)
        if at == stop < size and not reader.closed:
            raise Fault("bad-encoding", at, LOST, reader.path())
        return at

    def _extend_block(self, chunk: str, base: int, now: float | None) -> list[Event]:
        """Take a chunk that begins inside the open block."""
        reader = self._reader
        # This does what `_open` does where there is no trace.
        self._text, self._base = chunk, base
        events: list[Event] = []
        self._events = events
        try:
            at = reader.read(chunk, 0, len(chunk))
        except Fault as fault:
            self._emit_calls(chunk, 0, fault.at)
            self._scan(self._break_block(chunk, fault))
        else:
            if reader.found:
                self._emit_calls(chunk, 0, at)
            if reader.closed:
                self._end_block(at)
                self._scan(at)
            elif reader.in_body is not self._in_body:
                self._in_body = reader.in_body
                self.quick = reader.extend if self._in_body else self._extend_block
        if events and now is not None:
            for event in events:
                event["timestamp"] = now
        return events

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        """Emit the calls found in `text[pos:stop]`, and the deltas of the next one's args."""
        found, follower, trace = self._reader.found, self._follower, self.trace
        if follower is None:
            self._calls += len(found)
            events: Any = [{"type": "call", "content": call} for call, _, _ in found]
            self._events += events if trace is None else trace.calls(events, found, self._base)
            return
        # Deltas account for no text.
        deltas: Any = follower.follow(text[pos:stop])
        for content, begin, end in found:
            if self._calls in deltas:
                self._events.append(deltas[self._calls])
            self._calls += 1
            self._emit({"type": "call", "content": content}, begin, end, end)
        if self._calls in deltas:
            self._events.append(deltas[self._calls])

    @abstractmethod
    def _break_block(self, text: str, fault: Fault) -> int:
        """Handle the fault of the open block, and return where reading continues."""

    @abstractmethod
    def _end_block(self, at: int) -> None:
        """Take the end of the open block, or of its one call, which is at `at`."""

    def _void(self, fault: Fault) -> None:
        """Emit the one error of a batch, whose calls will not run."""
        at = fault.at
        self._error(fault.code, at, at + 1, fault.message, path=fault.path, calls=self._calls)
        self._calls = 0

    def _end_batch(self, tools: "list[str] | None") -> None:
        """Stop after a batch, which results may answer; `tools` is `None` if it was void."""
        del tools
        self._calls = 0
        if self.trace is not None:
            self.trace.batch += 1
        self._region = "paused"

    _SCANS: ClassVar[Mapping[Region, Scan]] = {
        "opening": _scan_opening,
        "prose": _scan_segment,
        "think": _scan_segment,
        "paused": _discard,
        "ended": _discard,
    }
    _ENTRIES: ClassVar[Mapping[Role, Entry]] = {
        "think": _enter_think,
        "prose": _enter_prose,
        "close": _enter_prose,
        "results": _enter_results,
        "end": _enter_end,
    }
    #: The state that the parser reports for each region.
    _STATES: ClassVar[Mapping[Region, State]] = {
        "opening": "think",
        "prose": "prose",
        "think": "think",
        "paused": "paused",
        "ended": "ended",
    }
