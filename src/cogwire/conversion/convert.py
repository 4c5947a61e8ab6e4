# SPDX-License-Identifier: MIT
"""From one dialect to another: a transcript is read as events, which are written as they arrive.

Law: the events of the target are those of the source, except for the differences in the report.
If the source can write what it reads, the report is empty if and only if the text converts back.

To keep this law, only text that is certain to be read back is written.  Think and prose pass
through piece by piece, and what would be a marker of the target is put into its literal form.
Calls wait for their `execute`: they are then written in the target, read, written back in the
source and read again, and so are their results.  What does not survive this is left out.  Calls in
JSON or XML that are far from every limit survive it, as do results in JSON, and are only written.

Rules: spec/convert.md.
"""

import functools
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Final, Literal, NamedTuple, NoReturn, TypedDict

from ..events import RESULT_MEMBERS, CallEvent, ErrorEvent, Event, Limits, RespondEvent, ThinkEvent
from ..parser.placed import Placed, PlacedReader
from ..text.json_text import decoded, elements, members, same_json, write_array
from ..wire.blocks.values import RenderError, only
from ..wire.dialects import Dialect, HasDialect, dialect_named
from ..wire.frames.machine import Machine, Options, Start
from ..wire.frames.markers import literal
from ..wire.writing import call_writing_of, frame_calls, is_misread, spell_call, writing_of
from ..wire.writing_interface import ModelKind, marked_in

DifferenceCode = Literal["neutralised", "joined", "moved", "retyped", "completed", "dropped"]


class Difference(TypedDict):
    """A place where the target differs from the source."""

    #: The offset where it begins, in code points of the source.
    offset: int
    #: The kind of difference.
    code: DifferenceCode
    #: For a person: what was changed, and why.
    message: str


_Note = Callable[[DifferenceCode, int, str], None]
_Kind = Literal["think", "respond", "block", "results", "end"]
_Readers = tuple["_WrittenBlock", "_WrittenBlock"]
#: A delta or a call, and its offset.
_Held = tuple[ThinkEvent | RespondEvent | CallEvent, int]
_Typing = Callable[[list[CallEvent]], Iterable[CallEvent]]


def convert(
    text: str | bytes,
    source: str | HasDialect,
    target: str | HasDialect,
    *,
    start: Start = "prose",
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    report: list[Difference] | None = None,
) -> str:
    """Return the transcript `text`, read in the dialect `source`, written in the dialect `target`.

    `start` is that of `spans`.  If `source` is a toolset, arguments that are text get the types
    that it declares.  Differences are appended to `report`, in the order of the text.  `limits`
    apply to reading both the source and the target.  Raises `ValueError` for a dialect or a start
    that does not exist, `TypeError` for limits that are not a `Limits`, and nothing for malformed
    text.
    """
    converter = Converter(source, target, start=start, limits=limits)
    written = converter.feed(text) + converter.close(finished=True)
    if report is not None:
        report.extend(converter.report)
    return written


class Converter:
    """Converts a transcript as it arrives; its output, joined, is what `convert` returns.

    It holds back one block with the text between its calls, and text that may become a marker.
    Raises `ValueError` for a dialect or a start that does not exist, and `TypeError` for limits
    that are not a `Limits` and when it is copied.
    """

    __slots__ = (
        *("_are_calls_known", "_are_results_known", "_before", "_has_called", "_held", "_kind"),
        *("_limits", "_out", "_parser", "_pending_execute", "_prose", "_readers", "_running"),
        *("_source", "_target", "_typed", "_writing", "report"),
    )

    def __init__(
        self,
        source: str | HasDialect,
        target: str | HasDialect,
        *,
        start: Start = "prose",
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        self._source: Dialect = dialect_named(source)
        self._target: Dialect = dialect_named(target)
        self._writing = writing_of(self._target)
        #: Gives arguments that are text their types, if the source is a toolset.
        self._typed: _Typing = getattr(source, "typed", iter)
        self._limits = limits
        self._parser = PlacedReader(self._source, limits, start=start)
        # Whether both dialects are known to read what is written here, within the limits.
        both = self._source, self._target
        self._are_calls_known = limits.depth <= _DEPTH and all(map(_reads_all_calls, both))
        are_sure = all(writing_of(wire).is_sure_of_results for wire in both)
        self._are_results_known = self._are_calls_known and are_sure
        #: The differences so far, in the order of the source.
        self.report: list[Difference] = []

        # Text that is written but not yet returned; the kind of the last part; the open text, if
        # the last part is one.
        self._out: list[str] = []
        self._kind: _Kind | None = None
        self._running: _RunningText | None = None
        #: The prose before this place that may be read as something else with what follows it.
        self._prose = ""
        #: Whether the turn has calls in the target.
        self._has_called = False

        # The type of the previous event; and the calls that may still run, with the text between
        # and after them.
        self._before: str | None = None
        self._held: list[_Held] = []
        #: The offset of the held calls' `execute`, if the target runs calls at the end of a turn.
        self._pending_execute: int | None = None
        #: Returns the readers, for target and source, of the block that results may answer next.
        self._readers: Callable[[], _Readers] | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Converter cannot be copied; make another one and feed it the same text")

    def feed(self, chunk: str | bytes) -> str:
        """Take the next chunk, and return as much of the target's text as is certain.

        Raises `TypeError` and `RuntimeError` as the parser does.
        """
        return self._take_all(self._parser.feed(chunk))

    def close(self, *, finished: bool = False) -> str:
        """End the text and return the rest of the target's text; later calls return nothing.

        `finished` states that the model ended the last turn here (see `Parser.close`).
        """
        return self._take_all(self._parser.close(finished=finished), is_last=True)

    def _take_all(self, placed: Iterable[Placed], *, is_last: bool = False) -> str:
        for event, begin, _, _ in placed:
            self._take(event, begin)
            self._before = event["type"]
        if is_last and self._pending_execute is not None:
            self._write_block(self._pending_execute)
        written, self._out = "".join(self._out), []
        return written

    def _take(self, event: Event, at: int) -> None:
        if self._pending_execute is not None and (event["type"] != "end" or self._target.frame.end):
            self._settle(event["type"], self._pending_execute)
        readers, self._readers = self._readers, None
        if event["type"] == "think" or event["type"] == "respond":
            if self._held:
                self._held.append((event, at))
            else:
                self._write_delta(event, at)
        elif event["type"] == "call":
            self._held += ((typed, at) for typed in self._typed([event]))
        elif event["type"] == "execute":
            if self._target.frame.runs_at_end:
                self._pending_execute = at
            else:
                self._write_block(at)
        elif event["type"] == "result":
            self._write_results(event["content"], at, readers)
        elif event["type"] == "error":
            self._take_error(event)
        else:  # the only other event that a parser emits is `end`
            self._write_end(at)

    def _note(self, code: DifferenceCode, offset: int, message: str) -> None:
        difference: Difference = {"offset": offset, "code": code, "message": message}
        # After an error the payload is read again as prose, so a later note may precede it.
        insort(self.report, difference, key=itemgetter("offset"))

    def _drop(self, offset: int, reason: str) -> None:
        self._note("dropped", offset, reason)

    # -- Parts ------------------------------------------------------------------------------

    def _write_part(self, kind: _Kind, text: str) -> None:
        if self._kind is not None:
            self._out.append(self._writing.joint)
        self._out.append(text)
        if kind != "respond":
            self._prose = ""
        self._kind = kind
        self._has_called = kind == "block" or (self._has_called and kind in ("think", "respond"))

    def _write_delta(self, event: ThinkEvent | RespondEvent, at: int) -> None:
        kind = event["type"]
        opener, closer = self._writing.text_ends(kind)
        if self._running is None:
            running = _RunningText(kind, self._target, self._note, has_called=self._has_called)
            if kind == "respond" and self._is_joined():
                self._note("joined", at, "this prose follows prose, and would be part of it")
                opener = ""
                running.watch(self._prose, self._source, is_before=True)
            else:
                running.watch(event["content"], self._source)
            self._write_part(kind, opener)
            self._running = running
        if event["content"]:  # that of the last delta may be empty
            self._out.append(self._running.write(event["content"], at))
        if "done" in event:
            written = self._running.finish()
            self._prose = self._running.watched(written) if kind == "respond" else ""
            self._out.append(written + closer)
            self._running = None

    def _is_joined(self) -> bool:
        """Whether prose that begins here merges with the prose before it, in target or source."""
        if self._writing.loses_boundary("respond", "respond"):
            return self._kind == "respond"
        is_lost = writing_of(self._source).loses_boundary("respond", "respond")
        return is_lost and self._before == "respond"

    def _write_end(self, at: int) -> None:
        if marker := self._target.frame.end:
            self._write_part("end", marker)
        else:
            self._drop(at, f"{self._target.name} has no marker for the end")

    def _take_error(self, error: ErrorEvent) -> None:
        self._drop(error["offset"], f"an error, which cannot be written: {error['code']}")
        if not error["code"].startswith("results-"):
            self._drop_calls(_VOID)

    # -- Blocks -----------------------------------------------------------------------------

    def _drop_calls(self, reason: str) -> None:
        """Leave out the held calls, and write the text between them."""
        held, self._held = self._held, []
        for event, at in held:
            if event["type"] == "call":
                self._drop(at, reason)
            else:
                self._write_delta(event, at)
            self._before = event["type"]

    def _settle(self, kind: str, at: int) -> None:
        """Write the calls that ran at the end of the turn, at `at`, if results follow them."""
        self._pending_execute = None
        name = self._target.name
        if kind != "result":
            reason = f"{name} runs calls at the end of a turn, but no results follow here"
        elif self._target.frame.has_results:
            self._write_block(at)
            return
        else:
            reason = f"{name} has no markers for the results that follow this call"
        self._drop_calls(reason)
        self._drop(at, reason)

    def _write_block(self, at: int) -> None:
        """Write the held calls, whose `execute` is at `at`."""
        self._pending_execute = None
        contents = [event["content"] for event, _ in self._held if event["type"] == "call"]
        try:
            calls = self._write_calls(contents)
        except (RenderError, RecursionError) as problem:
            reason = f"a block that cannot be written: {problem}"
            self._drop_calls(reason)
            self._drop(at, reason)
            return
        texts = [call.text for call in calls]
        separate = self._writing.call_parts(texts, call_writing_of(self._target))
        # In a section all calls are one part, like a block; what follows the last call of a format
        # in which it ends the turn would be lost.
        frame = self._target.frame
        is_split = not frame.ends_at_call and frame.runs_at_end and len(separate) == len(calls)
        last = None if is_split else separate.pop()
        part: str | None = None
        written, parts = iter(calls), iter(separate)
        held, self._held = self._held, []
        for event, place in held:
            if event["type"] == "call":
                for code, message in next(written).notes.items():
                    self._note(code, place, message)
                part = next(parts, None)
                if part is not None:
                    self._write_part("block", part)
            else:
                if part is None and self._running is None:
                    self._note("moved", place, "this followed a call, and now precedes the block")
                self._write_delta(event, place)
            self._before = event["type"]
        if last is not None:
            self._write_part("block", last)

    def _write_calls(self, contents: Sequence[str]) -> Sequence["_WrittenCall"]:
        """Return the calls as the target writes them, and keep the readers that read them.

        Raises `RenderError` if the target, or the source on the way back, does not read them.
        """
        # Only where args may be missing is a call that is kept verbatim another text.
        source, target = self._source.calls, self._target.calls
        is_kept = self._are_calls_known and target.is_verbatim and not source.is_partial
        calls = [
            _WrittenCall(each, {}) if is_kept else _written_call(each, self._target)
            for each in contents
        ]
        texts = [call.text for call in calls]
        if self._are_calls_known and self._has_room_for(texts):
            self._readers = functools.partial(self._stand_ins, contents)
        else:
            readers = self._read_back(contents, texts)
            self._readers = lambda: readers
        return calls

    def _has_room_for(self, texts: Sequence[str]) -> bool:
        """Whether a block of these calls is certainly within the limits of both dialects."""
        # The limit `digits` and the depth of results need no check: numbers and nesting are the
        # same text in both dialects, or become text in XML.
        size, most, depth, _ = self._limits
        deepest = _ELEMENTS
        if not (self._source.calls.is_xml or self._target.calls.is_xml):
            deepest = max([text.count("{") + text.count("[") for text in texts], default=0) + 1
        return deepest <= depth and 0 < len(texts) <= most and _MOST * sum(map(len, texts)) <= size

    def _stand_ins(self, contents: Sequence[str]) -> "_Readers":
        """Return blocks of the same tools without args, which no result depends on."""
        names = [dict(members(content))["name"] for content in contents]
        target, source = (
            _WrittenBlock(wire, self._limits, [_stand_in(name, wire) for name in names])
            for wire in (self._target, self._source)
        )
        return target, source

    def _read_back(self, contents: Sequence[str], texts: Sequence[str]) -> "_Readers":
        """Read the calls in the target and, when they come back, in the source."""
        reader = _WrittenBlock(self._target, self._limits, texts)
        again = reader.read_calls()
        # The source is known to read calls that come back unchanged, if they are within its limits.
        is_known = again == contents and self._source.calls.is_verbatim
        if not is_known:
            again = [_written_call(content, self._source).text for content in again]
        source = _WrittenBlock(self._source, self._limits, again)
        if not is_known or source.size > self._limits.size:
            source.read_calls()
        return reader, source

    def _write_results(
        self, content: str, at: int, readers: "Callable[[], _Readers] | None"
    ) -> None:
        if readers is None:
            self._drop(at, "the results of a block that is left out")
            return
        try:
            kept, items = content, None
            if not self._target.frame.has_result_array:
                kept, items = _bare_results(content)
            written = self._writing.write_results(kept, items)
            if not self._are_results_known or _MOST * len(content) > self._limits.size:
                reader, source = readers()
                back = reader.read_results(written)
                _require_same(back, kept)
                again = writing_of(self._source).write_results(back)
                if back != content or len(again) > self._limits.size:
                    source.read_results(again)
        except (RenderError, RecursionError) as problem:
            self._drop(at, f"results that cannot be written: {problem}")
            return
        if kept is not content:
            self._drop(at, "members of a result beside tool, status and content")
        self._write_part("results", written)


class _WrittenBlock:
    """A block as it is written in one dialect, and its results, which are read back."""

    def __init__(self, wire: Dialect, limits: Limits, calls: Sequence[str]) -> None:
        """Prepare to read the block of `calls`, each as the dialect writes it."""
        self._wire = wire
        self._limits = limits
        self._block = frame_calls(calls, wire) + writing_of(wire).joint
        self._at = 0

    @functools.cached_property
    def _machine(self) -> Machine:
        return self._wire.machine(Options(self._limits, transcript=True))

    @property
    def size(self) -> int:
        """The length of the block in characters."""
        return len(self._block)

    def read_calls(self) -> list[str]:
        """Return the contents of the calls; `RenderError` if they are not a valid block."""
        events = self._read(self._block)
        self._block = ""
        return [event["content"] for event in events if event["type"] == "call"]

    def read_results(self, written: str) -> str:
        """Return the content of results as read back; `RenderError` if they are malformed."""
        events = self._read(self._block + written, is_last=True)
        (result,) = [event["content"] for event in events if event["type"] == "result"]
        return result

    def _read(self, text: str, *, is_last: bool = False) -> list[Event]:
        events = self._machine.read(text, self._at, [])
        self._at += len(text)
        if is_last:
            events += self._machine.finish(self._at, finished=True)
        for event in events:
            if event["type"] == "error":
                raise RenderError("", f"{self._wire.name} would not read it: {event['content']}")
        return events


def _require_same(back: str, results: str) -> None:
    """Raise `RenderError` unless `back` has the values of `results`, with numbers as spelled."""
    if not same_json(back, results):
        raise RenderError("", "they would be read as other values")


class _RunningText:
    """Think or prose that is being written in the target."""

    def __init__(
        self,
        kind: ModelKind,
        target: Dialect,
        note: _Note,
        *,
        has_called: bool,
    ) -> None:
        self._kind: ModelKind = kind
        self._writing = writing_of(target)
        self._markers = self._writing.live(kind, has_called=has_called, is_last=False)
        self._target = target
        self._note = note
        #: Text that may become a marker, and the offset in the source of the text after it.
        self._carry = ""
        self._next = 0
        self._fresh = True
        #: The dialects in which the whole text decides whether it is read back; and the text.
        self._watched: Sequence[Dialect] = ()
        self._whole: list[str] = []
        self._begin = 0
        #: The prose before this text, if the two may be read as something else.
        self._before = ""
        self._has_called = has_called

    def watch(self, text: str, source: Dialect, *, is_before: bool = False) -> None:
        """Wait for the end of what begins with `text` if it may be read as something else.

        `is_before` is whether `text` comes before this text, in which it may be continued.
        """
        self._before = text + self._writing.joint if is_before else ""
        self._watched = [
            wire
            for wire in (self._target, source)
            if text.startswith(writing_of(wire).risky(self._kind))
        ]

    def write(self, text: str, at: int) -> str:
        """Take the text at the offset `at`, and return what cannot be part of a marker."""
        safe = self._write(text, at)
        if not self._watched:
            return safe
        self._whole.append(safe)
        return ""

    def _write(self, text: str, at: int) -> str:
        if not self._next:
            self._begin = at
            # A brace is not a marker here; whether it begins a call is known at the end.
            self._fresh = not text.startswith(self._writing.risky(self._kind))
        self._next = at + len(text)
        text = self._carry + text
        safe, pos = self._neutralise(text, self._next - len(text), len(text))
        stop = self._markers.hold(text, pos, fresh=self._fresh)
        self._fresh = self._markers.is_fresh(text, pos, stop, fresh=self._fresh)
        self._carry = text[stop:]
        return safe + text[pos:stop]

    def finish(self) -> str:
        """Return the text that was held back; its closer and a line end may follow it."""
        whole = "".join(self._whole)
        if carry := self._carry:
            writing = self._writing
            self._markers = writing.live(self._kind, has_called=self._has_called, is_last=True)
            text = f"{carry}{writing.text_ends(self._kind)[1]}\n"
            safe, pos = self._neutralise(text, self._next - len(carry), len(carry), is_last=True)
            whole += safe + carry[pos:]
        for wire in self._watched:
            if is_misread(self._kind, self._before + whole, wire, has_called=self._has_called):
                message = f"{whole[0]!r} would not begin a {self._kind} of {wire.name} here"
                self._note("neutralised", self._begin, message)
                return literal(whole[0]) + whole[1:]
        return whole

    def watched(self, written: str) -> str:
        """Return the text so far if it may be read as something else; `written` is all of this."""
        return self._before + written if self._watched else ""

    def _neutralise(
        self, text: str, offset: int, end: int, *, is_last: bool = False
    ) -> tuple[str, int]:
        """Return `text` up to the last marker in it that begins before `end`, and the next place.

        The first character of each marker is in its literal form; another may begin in its rest.
        """
        pieces: list[str] = []
        pos = 0
        for at, stop in marked_in(text, end, self._markers, fresh=self._fresh, is_last=is_last):
            message = f"{text[at:stop]!r} would be a marker of {self._target.name}"
            self._note("neutralised", offset + at, message)
            pieces += text[pos:at], literal(text[at])
            pos = at + 1
            self._fresh = False
        return "".join(pieces), pos


@functools.lru_cache(maxsize=64)
def _reads_all_calls(wire: Dialect) -> bool:
    """Whether a dialect reads each call that it writes: it then reads one, and two."""
    if wire.calls.kind not in _CONTAINED:
        return False
    try:
        call = _written_call('{"name": "a", "args": {}}', wire).text
        return all(_WrittenBlock(wire, Limits(), [call] * size).read_calls() for size in (1, 2))
    except RenderError:  # its markers are part of longer ones, or of the name
        return False


class _WrittenCall(NamedTuple):
    """A call as a dialect writes it, and the differences when it is read back."""

    text: str
    notes: dict[DifferenceCode, str]


#: Deeper JSON might not be decoded.
_DEPTH: Final = Limits().depth

#: Calls whose markers are the same whatever they contain: JSON, and XML.
_CONTAINED: Final = frozenset({"array", "object", "objects", "keyed", "headed", "elements"})

#: The depth of an argument in XML, which is less deep in JSON.
_ELEMENTS: Final = 3

#: Blocks and results are at most so many times as long as calls or results in another dialect: a
#: character becomes `&amp;` or `\u001f`, and `<a/>` is `{"name": "a", "args": {}}` after a marker.
_MOST: Final = 16

_VOID: Final = "a call that was never to run: its block broke a rule, or has no end"

_MESSAGES: Final[dict[DifferenceCode, str]] = {
    "completed": "the call has no args, and is written with empty ones",
    "dropped": "there is no place for {}",
    "retyped": "{} written as text",
}


def _written_call(content: str, wire: Dialect) -> _WrittenCall:
    places: dict[DifferenceCode, list[str]] = {}

    def note(code: Literal["completed", "dropped", "retyped"], path: str, _message: str) -> None:
        places.setdefault(code, []).append(path)

    text = spell_call(content, wire, note)
    notes: dict[DifferenceCode, str] = {
        code: _MESSAGES[code].format(", ".join(sorted(places[code]))) for code in places
    }
    return _WrittenCall(text, notes)


@functools.lru_cache(maxsize=64)
def _stand_in(name: str, wire: Dialect) -> str:
    """Return a call without args as a dialect writes it; its name is in JSON."""
    return _written_call(f'{{"name": {name}, "args": {{}}}}', wire).text


def _bare_results(content: str) -> tuple[str, Sequence[object] | None]:
    """Return the results without the members that delimiter dialects cannot write.

    It is `content` itself if there are none.  Also return the decoded array, if it is known.
    """
    # The results were parsed, so each has at least the three members.
    values = decoded(content)
    if values is not None and all(len(item) == len(RESULT_MEMBERS) for item in values):
        return content, values
    return write_array(only(RESULT_MEMBERS, item) for item in elements(content)), None
