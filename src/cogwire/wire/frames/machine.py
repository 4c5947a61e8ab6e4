# SPDX-License-Identifier: MIT
"""The machine that reads the text of a turn or transcript: what all frames have in common.

Theory of operation
-------------------
The region says where the text is, and `_SCANS` gives the method that reads on from there: it
jumps to the next marker that is legal in its region, and leaves in `_carry` at most what may become
one, which is put before the next text.  What a marker does is its role, and `_ENTRIES` gives the
method for it.  A block is read by a block reader, which carries its own state.

A subclass reads one kind of frame.  It has the regions and roles that only that kind has.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, get_args

from ...events import Event, Limits
from ...text.scan import WHITE
from ..blocks.interface import Fault
from .batch import OpenBatch
from .markers import Found, Markers, Pair, Role, literal
from .segments import DeltaSegment, WholeSegment
from .window import Region, Trace

if TYPE_CHECKING:
    from ..blocks.format import CallFormat
    from .snapshot import Fields

Start = Literal["prose", "think"]
State = Literal["prose", "think", "execute", "results", "paused", "ended"]

STATES: Final[Mapping[Region, State]] = {
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
#: The regions where a turn is over, and those only of transcripts.
TURN_REGIONS: Final = frozenset({"paused", "ended"})
TRANSCRIPT_REGIONS: Final = frozenset({"answer", "results", "broken", "body", "between", "forged"})

#: The regions where a reader reads on, and those where it matters which calls were made.
_OPEN: Final = frozenset({"execute", "payload", "results"})
_ANSWERS: Final = frozenset({"answer", "results", "body", "between"})

#: Takes a chunk that lies inside what is open, and the chunk's offset and time; returns its events,
#: which have the time, or `None` if the chunk has to be read.
QuickWay = Callable[[str, int, "float | None"], "list[Event] | None"]


class Options(NamedTuple):
    """What a machine has to do."""

    #: Whether segments are given as deltas.
    token: bool
    #: Whether the text is a conversation, with its results.
    transcript: bool
    #: Where a turn begins.
    start: Start
    limits: Limits
    #: Whether to keep the positions of events and markers.
    trace: bool
    #: Whether calls wait for their `execute`.
    sealed: bool = False
    #: Whether the args of a call are shown while it is being written.
    call_deltas: bool = False

    @property
    def first_region(self) -> Region:
        """Where a turn begins."""
        return "opening" if self.start == "think" else "prose"


class Machine(OpenBatch):
    """Reads text as one frame has it, and gives events."""

    __slots__ = (
        *("_block", "_form", "_format", "_markers", "_options", "_results", "_segment"),
        "quick",
    )

    def __init__(
        self,
        markers: Markers,
        ends: tuple[Pair, Sequence[Pair]],
        calls: "CallFormat",
        options: Options,
    ) -> None:
        """Read with the `markers` of a frame; `ends` are those around a block, and results."""
        self._markers = markers
        self._block, self._results = ends
        self._format = calls
        self._options = options
        #: A fast path for the next chunk, where there is one.
        self.quick: QuickWay | None = None
        self.trace = Trace() if options.trace else None
        self.discarded = 0
        self._replaced = ()
        self._carry = ""
        self._fresh = True
        self._is_sealed = options.sealed
        if options.sealed:
            self._held, self._batch = [], []

        self._region = "opening" if options.start == "think" else "prose"
        self._segment: WholeSegment | DeltaSegment = (
            DeltaSegment() if options.token else WholeSegment()
        )
        self._calls = 0
        self._is_void = False
        self._follower = None
        self._answers = None
        #: Which of the results markers opened the last results.
        self._form = 0

    # -- What the parser uses ---------------------------------------------------------------

    @property
    def state(self) -> State:
        """Where the text is."""
        return self._options.start if self._region == "answer" else STATES[self._region]

    @property
    def stopped(self) -> bool:
        """Whether the turn has come to a hard stop."""
        return self._region in TURN_REGIONS

    def read(self, text: str, base: int, replaced: Sequence[int], now: float | None) -> list[Event]:
        """Read `text`, whose first character has the offset `base`, and return its events.

        `replaced` says which of its characters the decoder replaced, in order; `now` is its time.
        """
        if self._is_sealed and self._batch:
            self._batch.append(text)
        if self._carry:
            held = len(self._carry)
            text = self._carry + text
            base -= held
            self._carry = ""
            if replaced:
                replaced = [at + held for at in replaced]
        self._replaced = replaced
        events = self._open(text, base, now)
        self._scan(0)
        self._replaced = ()
        return events

    def finish(self, size: int, now: float | None) -> list[Event]:
        """Take the end of the text, which has `size` characters, and return the last events."""
        text, self._carry = self._carry, ""
        events = self._open(text, size - len(text), now)
        self.quick = None
        self._take_end()
        self._fresh = True
        return events

    def _scan(self, pos: int) -> None:
        scans = self._SCANS
        while pos < (size := len(self._text)):
            pos = scans[self._region](self, self._text, pos, size)
        self.quick = None
        if not self._carry and self.trace is None:
            self._find_quick_way()

    @abstractmethod
    def _find_quick_way(self) -> None:
        """Set the fast path for a chunk here, if there is one."""

    @abstractmethod
    def _take_end(self) -> None:
        """Take the end of the text; only what was held back is left to read."""

    def _extend_block(self, chunk: str, base: int, now: float | None) -> list[Event]:
        """Take a chunk that begins inside the open block."""
        reader = self._reader
        if reader.in_body and reader.extend(chunk):
            return []
        events = self._open(chunk, base, now)
        try:
            at = reader.read(chunk, 0, len(chunk))
        except Fault as fault:
            self._give_calls(chunk, 0, fault.at)
            self._scan(self._break_block(chunk, fault))
        else:
            if reader.found:
                self._give_calls(chunk, 0, at)
            if reader.closed:
                self._end_block(at)
                self._scan(at)
        return events

    # -- Segments ---------------------------------------------------------------------------

    def _scan_segment(self, text: str, pos: int, size: int) -> int:
        segment = self._segment
        segment.is_think = self._region == "think"
        markers = self._markers.think if segment.is_think else self._markers.prose
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            given = segment.take(text, pos, self._hold_back(markers, text, pos))
            if given is not None:
                event, end = given
                self._give(event, end - len(event["content"]), end, end)
            return size
        self._end_segment(pos, found.at, found.end if found.role == "close" else found.at)
        return self._enter(found)

    def _end_segment(self, pos: int, stop: int, claim: int) -> None:
        """End the segment at `stop`."""
        given = self._segment.finish(self._text, pos, stop)
        if given is not None:
            event, end = given
            self._give(event, end - len(event["content"]), end, claim)

    def _end_text(self, pos: int, stop: int) -> None:
        """End the segment that is open at the end of the text; `text[pos:stop]` is left of it."""
        if self._region in ("opening", "answer"):
            self._region = self._options.start
        if self._region in ("prose", "think"):
            self._segment.is_think = self._region == "think"
            self._end_segment(pos, stop, len(self._text))

    # -- Markers ----------------------------------------------------------------------------

    def _enter(self, found: Found) -> int:
        """Do what the marker says, and return where reading goes on."""
        self._fresh = True
        if self.trace is not None:
            self._keep(found)
        self._ENTRIES[found.role](self, found.at, found.end)
        return found.end

    def _enter_think(self, _at: int, _end: int) -> None:
        self._region = "think"

    def _enter_prose(self, _at: int, _end: int) -> None:
        self._region = "prose"

    def _enter_results(self, at: int, end: int) -> None:
        """Take results where none are due: a turn stops here, so that its calls are void."""
        calls, self._calls = self._calls, 0
        marker = self._text[at:end].rstrip(WHITE)
        message = (
            f"Results come from the system, never from the model: {marker} was not expected here. "
            f"Say what to run and wait for its results; to write the marker, write "
            f"{literal(marker)}."
        )
        self._error("forged-results", at, end, message, path=None, calls=calls)
        self._form = self._form_at(at)
        self._region = "forged" if self._options.transcript else "paused"

    def _enter_end(self, at: int, end: int) -> None:
        self._give({"type": "end"}, at, end, end)
        self._region = self._options.first_region if self._options.transcript else "ended"

    @abstractmethod
    def _form_at(self, at: int) -> int:
        """Return which of the results markers is at `at`."""

    def _end_batch(self) -> None:
        self._calls = 0
        if self.trace is not None:
            self.trace.batch += 1
        self._region = "answer" if self._options.transcript else "paused"

    # -- Between turns ----------------------------------------------------------------------

    def _scan_opening(self, text: str, pos: int, size: int) -> int:
        """Take the opener that the model repeats, if it does."""
        seen = self._look(self._markers.opening, text, pos, size)
        if seen is None:
            return size
        self._region = "think"
        if isinstance(seen, int):
            return seen
        self._keep(seen)
        return seen.end

    def _scan_answer(self, text: str, pos: int, size: int) -> int:
        """Look for the results of the batch; anything else begins the next turn."""
        seen = self._look(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._region = self._options.first_region
            return seen
        self._keep(seen)
        self._open_answer(seen)
        return seen.end

    @abstractmethod
    def _open_answer(self, seen: Found) -> None:
        """Begin to read the results of the batch."""

    # -- What is skipped --------------------------------------------------------------------

    def _scan_forged(self, text: str, pos: int, size: int) -> int:
        return self._skip(self._markers.results[self._form], text, pos, size, "prose")

    def _discard(self, _text: str, pos: int, size: int) -> int:
        self.discarded += size - pos
        return size

    _SCANS: ClassVar[Mapping[Region, Callable[[Any, str, int, int], int]]] = {
        "opening": _scan_opening,
        "prose": _scan_segment,
        "think": _scan_segment,
        "answer": _scan_answer,
        "forged": _scan_forged,
        "paused": _discard,
        "ended": _discard,
    }
    _ENTRIES: ClassVar[Mapping[Role, Callable[[Any, int, int], None]]] = {
        "think": _enter_think,
        "prose": _enter_prose,
        "close": _enter_prose,
        "results": _enter_results,
        "end": _enter_end,
    }

    # -- Resuming ---------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the state as members of a JSON object; `resume` reads them."""
        segment = self._segment
        in_answer = self._region in _ANSWERS and self._answers is not None
        return {
            "region": self._region,
            "carry": self._carry,
            "segment": segment.number,
            "started": segment.started,
            "content": segment.content,
            "white": segment.white,
            "fresh": self._fresh,
            "void": self._is_void,
            "block": self._reader.text() if self._region in _OPEN or self._calls else "",
            "batch": "".join(self._batch) if self._is_sealed else "",
            "answers": list(self._answers or ()) if in_answer else None,
            "bodies": None,
            "room": 0,
            "form": self._form,
            "extent": [0, 0],
        }

    def resume(self, fields: "Fields") -> None:
        """Go on from what `snapshot` returned; `ValueError` for a state no machine can be in."""
        self._form = fields.count("form")
        fields.require("form", self._form < len(self._markers.results))
        if batch := fields.text("batch"):
            self._read_again(batch, fields)
        else:
            self._resume(fields)

    def _resume(self, fields: "Fields") -> None:
        options, segment = self._options, self._segment
        region = fields.chosen("region", get_args(Region))
        in_segment = region in ("prose", "think")
        content, white = fields.text("content"), fields.text("white")
        fields.require(
            "region",
            region in self._SCANS,
            region not in (TURN_REGIONS if options.transcript else TRANSCRIPT_REGIONS),
            region != "opening" or options.start == "think",
        )
        self._region = region
        self._carry = fields.text("carry")
        self._fresh = fields.flag("fresh")
        self._answers = fields.names("answers")
        number, started = fields.count("segment"), fields.flag("started")
        fields.require("segment", not number or options.token)
        fields.require("started", not started or in_segment)
        fields.require(
            "content",
            not content or region == "body" or (in_segment and not options.token and started),
        )
        fields.require("white", not white or (in_segment and options.token), not white.strip(WHITE))
        segment.is_think = region == "think"
        segment.resume(number, content if in_segment else "", white, started=started)
        legal = self._markers.legal(region, self._form)
        fields.require(
            "carry", not self._carry or (legal is not None and legal.may_hold(self._carry))
        )
        fields.require("content", legal is None or not legal.find(content, 0, fresh=True))
        fields.require("answers", self._answers is None or region in _ANSWERS)

    def _read_again(self, batch: str, fields: "Fields") -> None:
        """Read a sealed batch again; its text does not say how many segments came before it."""
        base = fields.size - len(batch)
        fields.require("batch", self._is_sealed, base >= 0, not fields.flag("closed"))
        self.read(batch, base, (), None)
        segment = self._segment
        earlier = fields.count("segment") - segment.number
        fields.require("segment", earlier >= 0)
        segment.resume(
            segment.number + earlier, segment.content, segment.white, started=segment.started
        )
        for event, _ in self._held:
            if event["type"] in ("think", "respond") and "segment" in event:
                event["segment"] += earlier
        state = self.snapshot()
        fields.require_all({"batch": state["batch"], **state})
