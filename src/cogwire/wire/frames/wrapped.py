# SPDX-License-Identifier: MIT
"""Calls between tags, as models are trained to write them; the end of the text runs them."""

import functools
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar, Final, NamedTuple

from ..blocks.interface import BlockReader, Fault, ReadCall
from ..blocks.spelled import beginning_at_end
from .header_markers import Header, HeaderMarkers, OpenedHeader
from .longest import LongestMarkers, markers_in
from .machine import Frame, Machine, Options, Region
from .markers import Found, FrameKind, Markers, MarkerSet, Pair, Role
from .single import NOT_ENDED, UNCLOSED_CALL, SingleFormat, SingleMachine, reach
from .snapshot import Fields

#: The message for a call that the model left open.
_NOT_CLOSED: Final = (
    "The turn ends inside the call, so nothing has run. Close each value and each call, and send "
    "the calls again."
)
#: How a call without a marker begins if it is an object, and how a list of calls begins.
BRACE: Final = "{"
BRACKET: Final = "["


class Sides(NamedTuple):
    """The markers around a part: all of them are read, and the first of each side is written."""

    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()

    @property
    def written(self) -> Pair:
        """The opener and the closer that are written; empty where there is none."""
        return next(iter(self.openers), ""), next(iter(self.closers), "")


class _WrappedFields(NamedTuple):
    think: Sides
    call: Sides
    #: The markers around one result, if the format has results, and around several calls.
    result: Sides
    section: Sides
    #: The white space that is written between the markers of a call or a result and its content.
    gap: str
    #: The markers that end a turn, and those that have no meaning.
    ends: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    #: Whether the opener of a call or a section ends a think.
    think_ends_at_call: bool = False
    #: The headers, if there are any.
    header: Header | None = None
    #: What a call without a marker begins with.
    begins: str = BRACE
    #: The closers of values that are no prose after a call: one there shows that a value was cut.
    strays: tuple[str, ...] = ()


class Wrapped(_WrappedFields, Frame[SingleFormat[BlockReader]]):
    """Each call and each result is between its own tags.

    Calls run where the turn ends: at the end of the text, at a marker that ends a turn, or in a
    transcript before the results.  If calls have no closer, their format defines where they end.
    In a section calls may have no opener, if each is an object.
    """

    kind: ClassVar[FrameKind] = "wrapped"
    runs_at_end: ClassVar[bool] = True
    end: str = ""

    @property
    def header_end(self) -> str:
        return self.header.close if self.header is not None else ""

    @property
    def call_headers(self) -> tuple[str, ...]:
        return self.header.open if self.header is not None and self.header.prefixes else ()

    @property
    def has_results(self) -> bool:
        return bool(self.result.openers)

    @property
    def openers(self) -> tuple[str, ...]:
        return *self.roles, *(self.header.open if self.header is not None else ())

    @property
    def roles(self) -> dict[str, Role]:
        return {
            **dict.fromkeys(self.think.openers, "think"),
            **self.call_roles,
            **dict.fromkeys(self.result.openers, "results"),
            **dict.fromkeys(self.ends, "end"),
            **dict.fromkeys(self.ignored, "prose"),
        }

    @property
    def header_roles(self) -> dict[str, Role]:
        """The roles of the markers that break or end a header."""
        closers = self.think.closers if self.think_ends_at_call else ()
        return {**dict.fromkeys(closers, "prose"), **self.roles}

    @property
    def call_roles(self) -> dict[str, Role]:
        """The roles of the markers that begin calls."""
        return {
            **dict.fromkeys(self.section.openers, "section"),
            **dict.fromkeys(self.call.openers, "call"),
        }

    @property
    def ends_at_call(self) -> bool:
        return self.call.written[1] in self.ends

    @property
    def may_end_call(self) -> bool:
        """Whether the end of a turn may be the closer of a call, which a server has cut off."""
        return not {*self.call.closers}.isdisjoint(self.ends)

    @property
    def may_repeat(self) -> bool:
        """Whether a call can be read together with the markers after it and the next call.

        It can if no longer marker, no header and no end of the turn begins with these markers.
        """
        live = (self.markers.prose, self.markers.void, self.live.section)
        is_certain = all(each is None or type(each) is MarkerSet for each in live)
        return all(self.call.written) and is_certain and not self.ends_at_call

    @property
    def call_closers(self) -> dict[str, Role]:
        """The roles of the closers of a call; one of `ends` also ends the turn."""
        return {each: "end" if each in self.ends else "close" for each in self.call.closers}

    @property
    def skip_ends(self) -> tuple[str, ...]:
        """The markers that end the text skipped after an error, outside of a section."""
        headers = self.header.open if self.header is not None else ()
        live = (each for each in self.roles if not each.startswith(headers))
        return self.call.closers or (*live,)

    @property
    def section_skip_ends(self) -> dict[str, Role]:
        """The roles of the markers that end the text skipped after an error in a section."""
        openers = () if self.call.closers else self.call.openers
        return {
            **dict.fromkeys(self.call.closers, "close"),
            **dict.fromkeys(self.section.closers, "prose"),
            **dict.fromkeys(openers, "call"),
        }

    @property
    def block_ends(self) -> Pair:
        return self.call.written

    @functools.cached_property
    def live(self) -> "LiveMarkers":
        """The markers while more text may follow."""
        return LiveMarkers(self, is_last=False)

    @functools.cached_property
    def last(self) -> "LiveMarkers":
        """The markers when no more text can follow."""
        return LiveMarkers(self, is_last=True)

    @functools.cached_property
    def markers(self) -> Markers:
        return self.live.usual

    def machine(self, calls: SingleFormat[BlockReader], options: Options) -> Machine:
        return WrappedMachine(self, calls, options)


class LiveMarkers:
    """The markers of such a frame; each set is made when it is first needed."""

    def __init__(self, frame: Wrapped, *, is_last: bool) -> None:
        """Find the markers of `frame`; `is_last` is whether no more text can follow."""
        self._frame = frame
        self._is_last = is_last

    @functools.cached_property
    def plain(self) -> Markers:
        """The markers of a turn without a call so far, without calls that may lack markers."""
        return self._markers({})

    @functools.cached_property
    def usual(self) -> Markers:
        """The markers of a turn without a call so far."""
        return self.plain

    @functools.cached_property
    def after_call(self) -> Markers:
        """The markers of a turn that has a call."""
        return self._markers(dict.fromkeys(self._frame.strays, "stray"))

    def _markers(self, strays: Mapping[str, Role]) -> Markers:
        frame = self._frame

        def marked(roles: Mapping[str, Role], *, has_headers: bool = False) -> MarkerSet:
            if has_headers and frame.header is not None:
                return self.headers(roles, strays)
            return markers_in(roles, is_last=self._is_last) if roles else prose

        closers: dict[str, Role] = dict.fromkeys(frame.think.closers, "close")
        prose = marked({**frame.roles, **strays}, has_headers=True)
        thinking = frame.call_roles if frame.think_ends_at_call else {}
        return Markers(
            prose=prose,
            think=marked({**closers, **thinking, **strays}, has_headers=frame.think_ends_at_call),
            opening=marked(dict.fromkeys(frame.think.openers, "think")),
            answer=marked(dict.fromkeys(frame.result.openers, "results")),
            void=marked(frame.call_closers),
            results=(marked(dict.fromkeys(frame.result.closers, "close")),),
            block=frame.call.written,
            result=(frame.result.written,),
        )

    def headers(
        self,
        roles: Mapping[str, Role],
        strays: Mapping[str, Role],
        kind: type[HeaderMarkers] = HeaderMarkers,
    ) -> HeaderMarkers:
        """Return the markers with these roles, and headers.

        The markers of prose break a header in any region, and so do `strays`.
        """
        header = self._frame.header
        assert header is not None  # noqa: S101 (the frame has headers)

        def apart(live: Mapping[str, Role]) -> dict[str, Role]:
            return {each: role for each, role in live.items() if not each.startswith(header.open)}

        inner = apart({**self._frame.header_roles, **strays})
        return kind(apart(roles), header, inner, is_last=self._is_last)

    @functools.cached_property
    def section(self) -> MarkerSet | None:
        """The markers between the calls of a section, if there are sections."""
        frame = self._frame
        if not frame.section.openers:
            return None
        roles: dict[str, Role] = {
            **dict.fromkeys(frame.call.openers or (BRACE,), "call"),
            **dict.fromkeys(frame.section.closers, "section_end"),
            **dict.fromkeys(frame.ends, "end"),
        }
        return markers_in(roles, is_last=self._is_last)

    @functools.cached_property
    def void_in_section(self) -> MarkerSet:
        """The markers that end the text skipped after an error in a section."""
        return markers_in(self._frame.section_skip_ends, is_last=self._is_last)


class WrappedMachine(SingleMachine[BlockReader]):
    """Reads one turn: calls, each between an opener and a closer, and text around them."""

    __slots__ = ("_frame", "_has_closer", "_in_section", "_sets", "_uncertain")

    def __init__(self, frame: Wrapped, calls: SingleFormat[BlockReader], options: Options) -> None:
        super().__init__(frame.markers, calls, options)
        self._frame = frame
        #: Whether a closer follows each call, rather than being part of it.
        self._has_closer = bool(frame.call.closers) and not calls.reads_closer
        #: The markers, which depend on whether more text can follow.
        self._sets = frame.live
        self._set_opening()
        #: At the end of a text that the model did not end: the markers that more text might make.
        self._uncertain: MarkerSet | None = None
        #: Whether the place is in a section.
        self._in_section = False

    def _set_opening(self) -> None:
        if self._options.start == "header":
            opened = self._sets.headers({}, {}, OpenedHeader)
            self._markers = self._markers._replace(opening=opened)

    # -- Sections ---------------------------------------------------------------------------

    def _enter_section(self, at: int, _end: int) -> None:
        self._begin_batch(at)
        self._in_section = True
        self._region = "section"

    def _scan_section(self, text: str, pos: int, size: int) -> int:
        """Expect a call, or the end of the section."""
        markers = self._sets.section
        assert markers is not None  # noqa: S101 (only a frame with sections has the region)
        seen = self._peek(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            opener, closer = self._frame.block_ends[0] or BRACE, self._frame.section.written[1]
            message = f"Between calls only {opener} or {closer} may follow."
            return self._break_after_call(reach(markers, text, seen), message)
        if seen.role == "call" and not self._frame.call.openers:
            seen = Found("call", seen.at, seen.at)  # the brace is a part of the call
        return self._enter(seen)

    def _enter_section_end(self, _at: int, _end: int) -> None:
        self._region = "prose"
        self._leave_section()

    def _end_batch(self, tools: list[str] | None) -> None:
        self._in_section = False
        super()._end_batch(tools)

    def _leave_section(self) -> None:
        self._in_section = False
        if not self._calls:
            self._waiting = []

    def _break_after_call(self, at: int, message: str) -> int:
        """Handle the fault of the text at `at`, which must not follow a call."""
        fault = self._fault_after_call(at, message)
        self._void(fault)
        self._region = "void"
        return fault.at

    @property
    def _void_markers(self) -> MarkerSet:
        """The markers that end the text skipped after an error here."""
        return self._sets.void_in_section if self._in_section else self._markers.void

    # -- Calls ------------------------------------------------------------------------------

    def _keep_between(self, text: str, found: list[ReadCall]) -> None:
        opener, closer = self._frame.block_ends
        for (_, _, last), (_, first, _) in () if self._format.has_lists else pairwise(found):
            at = text.index(closer, last)
            begin = text.index(opener, at, first)
            self._keep(Found("close", at, at + len(closer)))
            self._keep(Found("call", begin, begin + len(opener)))

    def _break_block(self, text: str, fault: Fault) -> int:
        return self._skip_call(fault, lambda end: self._reader.unread(text, fault.at, end))

    def _skip_call(self, fault: Fault, begun: Callable[[str], str]) -> int:
        """Handle a fault in or after a call; `begun` returns how much of a closer was read."""
        self._void(fault)
        self._region = "void"
        frame = self._frame
        ends = frame.section_skip_ends if self._in_section else frame.skip_ends
        return self._step_back(max(map(begun, ends), key=len, default=""), fault.at)

    @property
    def _after_call(self) -> MarkerSet:
        section = self._sets.section if self._region == "section" else None
        return section or self._markers.void

    def _end_block(self, at: int) -> None:
        super()._end_block(at)
        if not self._has_closer:
            self._leave_call()

    def _leave_call(self) -> None:
        self._region = "section" if self._in_section else "prose"
        if self._calls:
            self._set_text(has_called=True)
        elif not self._in_section:
            self._waiting = []  # an array had no calls

    def _set_text(self, *, has_called: bool) -> None:
        """Set the markers that are live in text and break headers; some are only after a call."""
        if self._frame.strays:
            live = self._sets.after_call if has_called else self._sets.usual
            if self._markers.prose is not live.prose:
                self._markers = self._markers._replace(prose=live.prose, think=live.think)

    def _set_void(self, *, is_void: bool) -> None:
        super()._set_void(is_void=is_void)
        self._set_text(has_called=False)

    def _enter_stray(self, at: int, end: int) -> None:
        """Take the closer of a value after a call: it shows that a value in the call was cut."""
        closer = self._text[at:end]
        message = (
            f"{closer} closes nothing here: a value in a call before it contains {closer}, and "
            "ended there, so nothing has run. Send the calls again, without it in a value."
        )
        self._void(Fault("trailing-text", at, message), end)

    def _scan_called(self, text: str, pos: int, size: int) -> int:
        """Expect the closer, which must follow a call."""
        markers = self._markers.void
        seen = self._peek(markers, text, pos, size)
        if seen is None:
            return size
        if isinstance(seen, int):
            message = f"The call is complete here, so only {self._markers.block[1]} may follow."
            fault = self._fault_after_call(reach(markers, text, seen), message)
            # The closer of a section may begin in what was read of that of a call.
            read = text[seen : fault.at]
            return self._skip_call(fault, lambda end: beginning_at_end(read, end))
        if seen.role == "end":
            return self._enter(seen)
        self._keep(seen)
        self._leave_call()
        return seen.end

    def _scan_void(self, text: str, pos: int, size: int) -> int:
        region: Region = "section" if self._in_section else "prose"
        return self._skip(self._void_markers, text, pos, size, region)

    def _enter_end(self, at: int, end: int) -> None:
        self._leave_section()
        size, more = len(self._text), self._uncertain
        if self._calls and more is not None and end < size and more.may_hold(self._text[at:]):
            # The model was writing a longer marker, perhaps that of another call.
            self._void(Fault("missing-execute", size, NOT_ENDED))
            self._region = "prose"
            self._text = self._text[:end]
        elif self._calls or self._is_void:
            self._run(at, end)
        else:
            super()._enter_end(at, end)

    def _run(self, at: int, end: int) -> None:
        """Run the calls of the turn, if there are any, since it ends at `text[at:end]`."""
        if self._calls:
            self._emit({"type": "execute"}, at, end, end)
            self._end_batch(self._payloads.tools)
        elif self._is_void:
            self._end_batch(None)

    def _settle(self) -> None:
        """Read the text that was held back for a longer marker, since no more text follows."""
        self._sets = self._frame.last
        self._markers = self._sets.usual
        self._set_opening()
        self._read_rest()
        if self._text and self._region == "opening":
            self._region = self._first  # it did not become the opener of the think
            self._read_rest()

    def _take_end(self, *, finished: bool) -> None:
        is_opening = self._region == "opening"
        if self._text and (is_opening or isinstance(self._live, LongestMarkers)):
            self._uncertain = None if finished else self._live
            self._settle()
        size = len(self._text)
        is_open = self._region == "payload"
        if is_open and finished and self._frame.may_end_call and self._payloads.finish():
            self._emit_calls(self._text, size, size)
            self._end_block(size)
        elif is_open:
            message = _NOT_CLOSED if finished else UNCLOSED_CALL
            self._void(Fault("unclosed-call", size, message, self._payloads.path()))
            # The text stopped in a call, and nothing more of it will be read.
            self._open_payload()
            return
        self._end_text(0, size)
        if self._calls and not finished:
            self._void(Fault("missing-execute", size, NOT_ENDED))
        if self._region != "void":
            self._run(size, size)
        self._waiting = []  # a section without calls

    # -- Results and snapshots --------------------------------------------------------------

    def _result_kind_at(self, at: int) -> int:
        return 0  # all openers of results are alike

    def _enter_results(self, at: int, end: int) -> None:
        """In a transcript, results run the calls that they answer."""
        if not (self._options.transcript and (self._calls or self._is_void)):
            super()._enter_results(at, end)
            return
        self._run(at, at)
        self._open_answer(at)

    def _end_text(self, pos: int, stop: int) -> None:
        if self._region == "between" and pos < stop:
            # The text that was held back did not become the marker of a result.
            self._end_results(pos)
        super()._end_text(pos, stop)

    def _region_of(self, batch: str) -> Region:
        # The turn began there, before any call, so that no closer is a marker yet.
        live = self._frame.markers.prose
        is_opened = self._options.start == "header" and not live.match(batch, 0)
        return "opening" if is_opened else "prose"

    def save(self) -> dict[str, Any]:
        return {**super().save(), "section": self._in_section and not self._waiting}

    def _load(self, fields: Fields) -> None:
        self._in_section = in_section = fields.typed("section", bool)
        super()._load(fields)
        self._set_text(has_called=self._calls > 0)
        fields.require("region", self._has_closer or self._region != "called")
        fields.require("section", self._sets.section is not None or not in_section)
        is_inside = self._region in {"section", "payload", "called", "void"}
        fields.require("section", is_inside if in_section else self._region != "section")
