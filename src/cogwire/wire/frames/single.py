# SPDX-License-Identifier: MIT
"""Reads calls and results that are separate, each between its own markers.

There may be text between the calls of a batch, and after an error.  The results together answer the
batch; the body of each is a result as JSON, or only the content of one: JSON on one line, or text
as it is.
"""

from typing import Any, Final, Generic, Protocol, TypeVar

from ...events import UNLIMITED, Code, Limits
from ...text import WHITE, counted, is_array
from ..blocks.interface import BlockReader, CallFormat, Fault, ReadCall
from ..blocks.results import Bodies
from .machine import Machine, Options, Region
from .markers import Markers, MarkerSet
from .snapshot import Fields
from .window import LOST

UNCLOSED_CALL: Final = (
    "The text ends inside the call, so nothing has run. Send the calls again, fewer at once if "
    "they were cut for their length."
)
NOT_ENDED: Final = (
    "Nothing says that the turn ends here, so its calls have not run. Send them again, fewer at "
    "once if they were cut for their length."
)

_Reader = TypeVar("_Reader", bound=BlockReader)
_Reader_co = TypeVar("_Reader_co", bound=BlockReader, covariant=True)


class SingleFormat(CallFormat, Protocol[_Reader_co]):
    """A format of calls that come one by one."""

    def reader(self, marker: str, limits: Limits, /) -> _Reader_co:
        """Return a reader of calls, each of which follows `marker`."""
        ...


class SingleMachine(Machine, Generic[_Reader]):
    """Reads calls that have their own markers; a subclass decides what runs them."""

    __slots__ = ("_bodies", "_body", "_extent", "_is_void", "_new_reader", "_payloads")

    #: The calls of the batch.
    _payloads: _Reader

    def __init__(self, markers: Markers, calls: SingleFormat[_Reader], options: Options) -> None:
        super().__init__(markers, calls, options)
        self._new_reader = calls.reader
        #: Whether the batch has broken a rule; reading continues all the same.
        self._is_void = False
        #: The bodies of the open results, `None` if one broke a rule; the text of the open one.
        self._bodies: Bodies | None = None
        self._body: list[str] = []
        #: Where the results begin, and where the last body that was read ends, as offsets.
        self._extent = (0, 0)

    # -- Calls ------------------------------------------------------------------------------

    def _enter_call(self, at: int, _end: int) -> None:
        self._begin_batch(at)
        self._open_payload()

    def _begin_batch(self, at: int) -> None:
        """Keep the text from `at` on if calls are sealed, unless it belongs to a batch already."""
        if self._options.sealed and not (self._calls or self._is_void or self._waiting):
            self._waiting = [self._text[at:]]

    def _open_payload(self) -> None:
        self._region = "payload"
        if self._calls:
            self._payloads.open()
        else:
            self._payloads = self._new_reader(self._markers.block[0] or "{", self._options.limits)
            self._payloads.shows_deltas = self._options.call_deltas and not self._is_void
        self._reader = self._payloads

    _scan_payload = Machine._read_block

    def _end_block(self, at: int) -> None:
        if self._is_void:
            self._calls = 0
        self._region = "called"

    def _end_batch(self, tools: list[str] | None) -> None:
        self._set_void(is_void=False)
        super()._end_batch(tools)

    def _enter_results(self, at: int, end: int) -> None:
        self._set_void(is_void=True)
        super()._enter_results(at, end)

    def _emit_calls(self, text: str, pos: int, stop: int) -> None:
        if self._is_traced:
            self._keep_between(text, self._reader.found)
        if not (self._is_void and (self._options.sealed or self._options.transcript)):
            super()._emit_calls(text, pos, stop)
        elif self.trace is not None:
            # No execute follows, and in a transcript that of the next turn must not seem to.
            self.trace.leave_out(self._reader.found, self._base)

    def _keep_between(self, text: str, found: list[ReadCall]) -> None:
        """Keep the markers between calls that the reader has read past."""

    def _void(self, fault: Fault, claim: int | None = None) -> None:
        """Emit the error of the batch, if it is its first."""
        if not self._is_void:
            super()._void(fault, claim)
        self._calls = 0
        self._set_void(is_void=True)

    def _fault_after_call(self, at: int, message: str) -> Fault:
        """Return the fault of text at `at` that must not follow a call."""
        is_lost = at in self._replaced
        return Fault("bad-encoding", at, LOST) if is_lost else Fault("trailing-text", at, message)

    def _set_void(self, *, is_void: bool) -> None:
        self._is_void = is_void
        self._waiting = []

    # -- Results ----------------------------------------------------------------------------

    def _open_answer(self, at: int) -> None:
        self._bodies = Bodies(self._answers, self._options.limits)
        self._extent = (self._base + at, 0)
        self._open_body(at)

    def _open_body(self, at: int) -> None:
        self._region = "body"
        self._result_kind = self._result_kind_at(at)

    def _scan_body(self, text: str, pos: int, size: int) -> int:
        markers = self._markers.results[self._result_kind]
        found = markers.find(text, pos, fresh=self._fresh)
        if found is None:
            self._take_body(pos, self._hold_back(markers, text, pos))
            return size
        self._take_body(pos, found.at)
        end = self._pass_closer(found)
        self._end_body(found.at, end)
        self._region = "between"
        self._fresh = True
        return end

    def _take_body(self, pos: int, stop: int) -> None:
        """Keep the text of the open body, unless the body is skipped."""
        if self._bodies is None:
            return
        stop = min(stop, self._size())
        over = pos + self._bodies.room
        at = min(self._first_replaced(pos, stop), over)
        if at < stop:
            size = counted(self._options.limits.size, "character")
            message = f"Results may contain at most {size}." if at == over else LOST
            self._reject_bodies("results-shape", at, at + 1, message, self._bodies.path)
            return
        self._bodies.room -= stop - pos
        self._body.append(self._text[pos:stop])

    def _end_body(self, stop: int, end: int) -> None:
        """Read the body that ends at `stop`, and whose closer ends at `end`."""
        if self._bodies is None:
            return
        whole = "".join(self._body)
        self._body = []
        last = stop - len(whole) + len(whole.rstrip(WHITE))
        try:
            self._bodies.take(whole.strip(WHITE))
        except Fault as fault:
            self._reject_bodies(fault.code, last - 1, stop, fault.message, fault.path)
        self._extent = (self._extent[0], self._base + (end if end > stop else last))

    def _scan_between(self, text: str, pos: int, size: int) -> int:
        """Look for the next result; anything else ends the results."""
        seen = self._peek(self._markers.answer, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._end_results(seen)
            return seen
        self._keep(seen)
        if self._bodies is not None and not self._bodies.missing:
            at = seen.at
            message = (
                f"Expected {counted(self._bodies.expected, 'result')}, but here another one begins."
            )
            self._reject_bodies("results-count", at, at + 1, message, None)
        self._open_body(seen.at)
        return seen.end

    def _end_results(self, at: int) -> None:
        """Emit the results that end before `at`."""
        bodies = self._bodies
        if bodies is not None and bodies.missing:
            message = (
                f"Expected {counted(bodies.expected, 'result')}, but the results end after "
                f"{bodies.expected - bodies.missing}."
            )
            self._reject_bodies("results-count", at, at + 1, message, None)
        elif bodies is not None:
            begin, end = (offset - self._base for offset in self._extent)
            content, payload = bodies.content(), bodies.payload
            self._emit({"type": "result", "content": content, "payload": payload}, begin, end, at)
        self._begin_turn()

    def _reject_bodies(self, code: Code, at: int, end: int, message: str, path: str | None) -> None:
        """Emit the one error of the results; the rest of them is skipped."""
        self._error(code, at, end, message, path=path, calls=0)
        self._bodies = None
        self._body = []

    def _end_text(self, pos: int, stop: int) -> None:
        if self._region in ("body", "between"):
            size = self._size()
            if self._region == "body":
                self._end_body(size, size)
            self._end_results(size)
            self._region = "between"
        super()._end_text(pos, stop)

    # -- The end ----------------------------------------------------------------------------

    def _read_rest(self, pos: int = 0) -> None:
        """Read the rest of the text; only what is held back remains."""
        self._scan(pos)
        self._base += len(self._text) - len(self._carry)
        self._text, self._carry = self._carry, ""

    # -- Snapshots --------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        saved = {**super().save(), "void": self._is_void, "block": ""}
        saved |= {"bodies": None, "room": 0, "extent": [0, 0]}
        if self._waiting:
            saved["text"] = batch = "".join(self._waiting)
            saved["region"] = self._region_of(batch)
            saved["segment"], saved["started"] = self._first_segment(), False
        elif self._region == "payload" or self._calls:
            saved["block"] = self._payloads.text()
        elif self._region in ("body", "between"):
            body = "".join(self._body)
            saved["text"] = body + self._carry
            saved["extent"] = list(self._extent)
            if self._bodies is not None:
                saved["bodies"] = [*self._bodies.items]
                saved["room"] = self._bodies.room + len(body)
        return saved

    def _region_of(self, _batch: str) -> Region:
        """Return the region in which a batch begins: prose, even if turns begin in a think."""
        return "prose"

    def _first_segment(self) -> int:
        """Return the number of the first segment after the beginning of the sealed batch."""
        for event, _ in self.trace.held if self.trace is not None else ():
            if event["type"] in ("think", "respond") and "segment" in event:
                return event["segment"]
        return self._segment.number

    def _load(self, fields: Fields) -> None:
        super()._load(fields)
        self._is_void = fields.typed("void", bool)
        if self._region in ("body", "between"):
            self._load_bodies(fields)
        self._load_payloads(fields.typed("block", str), fields)

    def _load_payloads(self, block: str, fields: Fields) -> None:
        """Read the calls of the batch again; their events have been emitted already."""
        region, is_open = self._region, self._region == "payload"
        if not (is_open or block):
            return
        text = fields.typed("text", str)
        fields.require("text", not (is_open and text))
        fields.require("offset", fields.typed("offset", int) >= len(block) + len(text))
        # A sealed batch is read again from its first marker, as long as it is held back.
        is_shown = not self._options.sealed or self._is_void or fields.typed("closed", bool)
        fields.require("block", is_shown)
        self._open_payload()
        self._region = region
        reader = self._payloads
        try:
            pos = 0
            while (pos := reader.read(block, pos, len(block))) < len(block):
                reader.open()
        except Fault as fault:
            raise fields.wrong("block", fault.message) from None
        if is_open and reader.closed:
            reader.open()
        is_counted = reader.count > 0 and not is_open  # an open array of a void batch may have some
        fields.require("block", reader.closed != is_open, not (self._is_void and is_counted))
        if reader.shows_deltas:
            deltas = reader.deltas(block, 0, len(block))
            self._shown_before(deltas[-1][1])
        self._calls = reader.count
        reader.found = []

    def _shown_before(self, _args: str) -> None:
        """Take the deltas that the open call had before the snapshot."""

    def _load_bodies(self, fields: Fields) -> None:
        items, room, limits = (
            fields.names("bodies"),
            fields.typed("room", int),
            self._options.limits,
        )
        extent = fields.value("extent")
        size = fields.typed("offset", int)
        is_pair = is_array(extent) and [type(each) for each in extent] == [int, int]
        fields.require("extent", is_pair and 0 <= min(extent) <= max(extent) <= size)
        self._extent = extent[0], extent[1]
        if items is None:
            return
        fields.require("room", room <= limits.size)
        # A body that is within the limits may be nested more deeply as an item.
        self._bodies = bodies = Bodies(self._answers, UNLIMITED)
        fields.require("bodies", len(items) <= bodies.expected)
        try:
            for item in items:
                bodies.take(item)
        except Fault as fault:
            raise fields.wrong("bodies", fault.message) from None
        bodies.room, bodies.limits = room, limits


def reach(markers: MarkerSet, text: str, pos: int) -> int:
    """Return how far `text`, from `pos` on, is the beginning of one of `markers`."""
    stop = pos
    while stop < len(text) and markers.may_hold(text[pos : stop + 1]):
        stop += 1
    return stop
