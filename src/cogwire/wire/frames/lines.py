# SPDX-License-Identifier: MIT
"""Parts that begin with a marker at the start of a line, such as `§think:`.

A part lasts until the next marker, and a turn continues after an error.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Final, NamedTuple

from ...events import Event
from ...text import WHITE
from ..blocks.interface import Fault, ReadCall
from ..blocks.json_payload import PayloadReader
from .machine import Frame, Machine, Options
from .markers import Found, FrameKind, Markers, MarkerSet, Pair, Role, proper_prefixes
from .single import NOT_ENDED, UNCLOSED_CALL, SingleFormat, SingleMachine, reach
from .snapshot import Fields

_BLANK: Final = " \t"
_LINE_END: Final = "\r\n"
_LINE_ENDS: Final = frozenset(_LINE_END)

#: How many characters of a text are searched first.
_WINDOW: Final = 256


class _LineFields(NamedTuple):
    mark: str
    think: str
    call: str
    respond: str
    execute: str
    end: str
    #: The markers around the body of a result: those that are written, then others that are read.
    results: tuple[Pair, ...]


class Lines(_LineFields, Frame[SingleFormat[PayloadReader]]):
    """Parts that begin with a marker at the start of a line and last until the next marker.

    A marker that begins with `mark` is read in any ASCII letter case.
    """

    kind: ClassVar[FrameKind] = "lines"
    ignores_case: ClassVar[bool] = True

    @property
    def roles(self) -> dict[str, Role]:
        roles: dict[str, Role] = {
            self.think: "think",
            self.call: "call",
            self.respond: "prose",
            self.execute: "execute",
            self.end: "end",
        }
        return {**roles, **dict.fromkeys((opener for opener, _ in self.results), "results")}

    @property
    def block_ends(self) -> Pair:
        return self.call, self.execute

    @functools.cached_property
    def markers(self) -> Markers:
        live = self.roles
        everywhere = LineMarkers(self.mark, live)
        return Markers(
            prose=everywhere,
            think=everywhere,
            opening=LineMarkers(self.mark, {self.think: "think"}),
            answer=LineMarkers(self.mark, dict.fromkeys(dict(self.results), "results")),
            void=everywhere,
            results=tuple(LineMarkers(self.mark, live, closer) for _, closer in self.results),
            block=self.block_ends,
            result=self.results,
        )

    def machine(self, calls: SingleFormat[PayloadReader], options: Options) -> Machine:
        return LineMachine(self.markers, calls, options)


# -- Markers -------------------------------------------------------------------------------------


class LineMarkers(MarkerSet):
    """Markers that are live only at fresh places, and perhaps a closer live at a line's end.

    The end of the text is a line end, which the caller must add.
    """

    __slots__ = ("_closer", "_leads", "_mark")

    def __init__(self, mark: str, roles: Mapping[str, Role], closer: str = "") -> None:
        self._mark = mark
        self._closer = closer
        self._roles: Mapping[str, Role] = {
            self._folded(marker): role for marker, role in roles.items()
        }
        exact = [marker for marker in self._roles if not marker.startswith(self._mark)]
        #: The beginnings of all markers.
        self._leads = tuple(filter(None, (self._mark, *exact, closer)))
        self.leads = frozenset(lead[0] for lead in self._leads)
        self.lead = min(self.leads) if len(self.leads) == 1 else ""
        self.begins = re.compile(f"[{re.escape(''.join(sorted(self.leads)))}]")
        bare = [marker for marker in self._roles if _needs_boundary(marker)]
        self._prefixes = proper_prefixes(self._roles) | set(bare)
        self._longest = max(map(len, self._roles))
        self._pattern = re.compile("|".join(map(self._expression, self._roles)), re.ASCII)

    def _folded(self, marker: str) -> str:
        """Return `marker` in lower case if it is read in any case."""
        is_folded = marker.startswith(self._mark) and marker[1:].isascii()
        return marker.lower() if is_folded else marker

    def _expression(self, marker: str) -> str:
        boundary = rf"(?=[{_BLANK}{_LINE_END}{self._mark}])" if _needs_boundary(marker) else ""
        literal = re.escape(marker) + boundary
        return f"(?i:{literal})" if marker.startswith(self._mark) else literal

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        # In windows that grow: without them, each of many markers of one lead could cost a search
        # of the whole text for another lead.
        start, size = pos, _WINDOW
        first: Found | None = None
        while start < len(text) and first is None:
            stop = start + size
            for lead in self._leads:
                at = text.find(lead, start, stop + len(lead) - 1)
                while at >= 0:
                    if found := self._marker_at(text, pos, at, fresh=fresh):
                        first, stop = found, at
                        break
                    at = text.find(lead, at + 1, stop + len(lead) - 1)
            start += size
            size *= 2
        return first

    def _marker_at(self, text: str, pos: int, at: int, *, fresh: bool) -> Found | None:
        """Return the marker at `at`, if it is live there."""
        if self._closer and text.startswith(self._closer, at):
            end = at + len(self._closer)
            return Found("close", at, end) if text[end : end + 1] in _LINE_ENDS else None
        return self.match(text, at) if is_fresh(text, pos, at, fresh=fresh) else None

    def match(self, text: str, pos: int) -> Found | None:
        match = self._pattern.match(text, pos)
        return match and Found(self._roles[self._folded(match[0])], pos, match.end())

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        if self._closer and text.endswith(self._closer, pos):
            return len(text) - len(self._closer)
        # A marker begins with its lead, and contains no other lead.
        start = max(pos, len(text) - self._longest)
        at = max([text.rfind(first, start) for first in self.leads])
        if at >= 0 and self.may_hold(text[at:]) and is_fresh(text, pos, at, fresh=fresh):
            return at
        return len(text)

    def may_hold(self, carry: str) -> bool:
        return self._folded(carry) in self._prefixes or bool(carry and carry == self._closer)

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        return is_fresh(text, pos, at, fresh=fresh)


def is_fresh(text: str, pos: int, at: int, *, fresh: bool) -> bool:
    """Whether `at` is fresh, given whether `pos` is."""
    while at > pos:
        # Piece by piece, to avoid copying a long text.
        start = max(pos, at - _WINDOW)
        before = text[start:at].rstrip(_BLANK)
        if before:
            return before[-1] in _LINE_END
        at = start
    return fresh


def between(text: str, calls: Sequence[tuple[str, int, int]]) -> Iterator[Found]:
    """Yield the markers between adjacent `calls`, whose places are in `text`."""
    for (_, _, last), (_, first, _) in pairwise(calls):
        gap = text[last:first]
        yield Found("call", first - len(gap.lstrip(WHITE)), last + len(gap.rstrip(WHITE)))


def _needs_boundary(marker: str) -> bool:
    return marker[-1].isalnum()


# -- Reading -------------------------------------------------------------------------------------


class LineMachine(SingleMachine[PayloadReader]):
    """Reads parts that last until the next marker."""

    __slots__ = ("_is_over",)

    def __init__(
        self, markers: Markers, calls: SingleFormat[PayloadReader], options: Options
    ) -> None:
        super().__init__(markers, calls, options)
        #: Whether a line end was added for the end of the text.
        self._is_over = False

    def _hold_back(self, markers: MarkerSet, text: str, pos: int) -> int:
        stop = super()._hold_back(markers, text, pos)
        self._fresh = is_fresh(text, pos, stop, fresh=self._fresh)
        return stop

    def _extend_segment(self, chunk: str, now: float | None) -> list[Event] | None:
        """Take a chunk inside the open segment."""
        if not self._markers.prose.leads.isdisjoint(chunk):
            return None
        # Only a line end makes a place fresh.
        if self._fresh or "\n" in chunk or "\r" in chunk:
            self._fresh = is_fresh(chunk, 0, len(chunk), fresh=self._fresh)
        return self._segment.extend(chunk, now)

    def _size(self) -> int:
        return len(self._text) - self._is_over

    # -- Calls ------------------------------------------------------------------------------

    def _enter_execute(self, at: int, end: int) -> None:
        tools = None
        if not self._is_void:
            tools = self._payloads.tools if self._calls else []
            self._emit({"type": "execute"}, at, end, end)
        self._end_batch(tools)

    def _enter_end(self, at: int, end: int) -> None:
        self._report_missing_execute(at)
        self._end_batch(None)
        super()._enter_end(at, end)

    def _report_missing_execute(self, at: int) -> None:
        """Emit the error for calls that can no longer run."""
        if self._calls:
            message = (
                f"The calls have not run: {self._markers.block[1]} did not follow them. Send them "
                f"again, and {self._markers.block[1]} after the last."
            )
            self._error("missing-execute", at, at + 1, message, path=None, calls=self._calls)

    def _break_block(self, text: str, fault: Fault) -> int:
        return self._break_payload(fault, self._payloads.payload_before(text, fault.at))

    def _keep_between(self, text: str, found: list[ReadCall]) -> None:
        for marker in between(text, found):
            self._keep(marker)

    def _break_payload(self, fault: Fault, payload: str) -> int:
        """Read `payload` again, as prose; return where it begins."""
        self._void(fault)
        self._region = "prose"
        return self._step_back(payload, fault.at)

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Look for the marker that must follow a call."""
        markers = self._markers.prose
        seen = self._peek(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            self._break_after_call(reach(markers, text, seen))
            return seen
        return self._enter(seen)

    def _break_after_call(self, at: int, message: str = "") -> None:
        """Void the batch for the text after a call, which is not a marker since `at`."""
        expected = (
            "After a call only another marker may follow, at the start of a line. "
            f"Write {self._markers.block[1]} to run the calls."
        )
        self._void(self._fault_after_call(at, message or expected))
        self._region = "prose"
        self._fresh = False

    # -- The end ----------------------------------------------------------------------------

    def _take_end(self, *, finished: bool) -> None:
        if self._region == "payload":
            self._take_end_in_payload(finished=finished)
        else:
            self._take_end_of_line(finished=finished)

    def _take_end_in_payload(self, *, finished: bool) -> None:
        reader = self._payloads
        fault = Fault("unclosed-call", 0, UNCLOSED_CALL, reader.path())
        self._break_payload(fault, reader.payload())
        self._take_end_of_line(finished=finished)
        # The state is that of the open call, although its text has been read again as prose.
        self._open_payload()

    def _take_end_of_line(self, *, finished: bool) -> None:
        """Take the end of the text, which counts as a line end."""
        if not finished:
            self._leave_last_word()
        size = len(self._text)
        self._text += "\n"
        self._is_over = True
        pos = 0
        while pos < size:
            pos = self._scans[self._region](self, self._text, pos, size + 1)
        self._carry = ""
        self._end_text(pos, pos)
        self._report_missing_execute(size)
        self._waiting = []
        self._text, self._is_over = "", False

    def _leave_last_word(self) -> None:
        """Read to the last word; it is not a marker, since the model might have continued it."""
        self._read_rest()
        if self._region == "called":
            # What is held back after a call is white space, or the beginning of a marker.
            if self._text.strip(WHITE):
                self._break_after_call(len(self._text), NOT_ENDED)
        elif self._markers.prose.match(self._text + "\n", 0) is not None:
            self._fresh = False

    # -- Snapshots --------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        return {**super().save(), "fresh": self._fresh}

    def _load(self, fields: Fields) -> None:
        super()._load(fields)
        self._fresh = fields.typed("fresh", bool)
        if self._region in ("prose", "think"):
            # Reading the text again finds whether its end is fresh.
            self._fresh = not (self._options.token and self._segment.started)
