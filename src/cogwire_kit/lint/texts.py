# SPDX-License-Identifier: MIT
"""Findings of a transcript: its error events, its calls, and what was probably not meant."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from cogwire import Event, Limits, Span, Toolset, tooling
from cogwire.tooling import (
    HasDialect,
    Notation,
    Placed,
    Start,
    dialect_names,
    format_names,
    literal,
    notation,
)
from cogwire_kit.lint.findings import Finding, Notes, for_people
from cogwire_kit.texts.notices import OPENED, look_alike
from cogwire_kit.texts.rendered import no_author, role_marker
from cogwire_kit.texts.words import counted

#: What ends a marker, and what a name in one may go on with.
_TAILS: Final = (">", "/>", " >", ":", "]")
#: Where a null character is looked for, as git and grep do.
_PROBE: Final = 8000


class TranscriptReading(NamedTuple):
    """A transcript as the parser reads it."""

    text: str
    #: Where it holds characters that the decoder replaced.
    replaced: Sequence[int]
    wire: Notation
    events: Sequence[Placed]
    pieces: Sequence[Span]
    notes: Notes

    def prose(self) -> Iterator[tuple[Span, str]]:
        """Yield the prose, piece by piece."""
        for piece in self.pieces:
            if piece.kind == "prose":
                yield piece, self.text[piece.start : piece.end]

    def until(self, end: int) -> "TranscriptReading":
        """Return what was read up to `end`, where the results of a block have ended."""
        text = self.text[:end]
        events = [
            each._replace(begin=min(each.begin, end), end=min(each.end, end))
            for each in takewhile(
                lambda each: each.begin < end or _is_of_results(each.event), self.events
            )
        ]
        return self._replace(
            text=text,
            replaced=[at for at in self.replaced if at < end],
            events=events,
            pieces=[piece for piece in self.pieces if piece.start < end],
            notes=Notes(text),
        )


def _is_of_results(event: Event) -> bool:
    """Whether an event is an error in results, which may be known only at the next marker."""
    return event["type"] == "error" and event["code"].startswith("results-")


def lint_text(
    text: str | bytes,
    dialect: str | HasDialect | None = None,
    *,
    toolset: Toolset | None = None,
    start: Start = "prose",
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> list[Finding]:
    """Return what is wrong with the transcript `text`, in the order of the text.

    With a `toolset` each call that may run is validated with the schema of its tool, and the
    default dialect is the toolset's.  `start` is what the turns begin in, as for `spans`.  Raises
    `ValueError` for a dialect that does not exist, and never for malformed text.
    """
    own = dialect or toolset or "xml-json"
    return findings_of(read_text(text, own, limits, start), toolset)


def read_text(
    text: str | bytes, dialect: str | HasDialect, limits: Limits, start: Start = "prose"
) -> TranscriptReading:
    """Return the transcript `text` as the parser reads it."""
    characters, replaced, events, pieces = tooling.read(text, dialect, limits=limits, start=start)
    wire = notation(dialect)
    return TranscriptReading(characters, replaced, wire, events, pieces, Notes(characters))


def findings_of(reading: TranscriptReading, toolset: Toolset | None) -> list[Finding]:
    """Return what is wrong with a transcript that has been read, as `lint_text` does."""
    if reading.replaced and is_binary(reading.text):
        return [binary()]
    _note_errors(reading)
    _note_replaced(reading)
    _note_unclosed(reading)
    _note_blocks(reading)
    _note_near_markers(reading)
    _note_foreign_markers(reading)
    _note_trained_format(reading)
    _note_rendered(reading)
    if toolset is not None:
        _note_problems(reading, toolset)
    return reading.notes.in_order()


def is_binary(text: str) -> bool:
    """Whether text was read from bytes that are not text: with U+0000 and replaced bytes."""
    return "\0" in text[:_PROBE] and "\ufffd" in text


def binary() -> Finding:
    """Return the finding of a file or a text that is not one: nothing else is looked for."""
    notes = Notes("")
    message = "This is not text: it has null characters, and bytes that are not UTF-8."
    notes.note("not-text", (0, 0), message)
    return notes.findings[0]


def _note_errors(reading: TranscriptReading) -> None:
    for index, (event, start, end, _) in enumerate(reading.events):
        if event["type"] == "error":
            path = event.get("path")
            message = for_people(event["content"])
            reading.notes.note(event["code"], (start, end), message, event=index, path=path)


def _note_replaced(reading: TranscriptReading) -> None:
    """Note that characters were replaced, unless errors say so at every place."""
    errors = (placed.event for placed in reading.events)
    known = {event["offset"] for event in errors if event["type"] == "error"}
    note_replaced(reading.notes, [at for at in runs(reading.replaced) if at not in known])


def runs(replaced: Sequence[int]) -> list[int]:
    """Return the places of replaced characters, of several in a row only the first."""
    before = [-2, *replaced]
    return [at for at, last in zip(replaced, before, strict=False) if at != last + 1]


def note_replaced(notes: Notes, places: Sequence[int]) -> None:
    """Note at the first of `places` at how many the input is not UTF-8; at none, nothing."""
    if not places:
        return
    place = (places[0], places[0] + 1)
    count = len(places)
    notes.note(
        "replaced-character", place, _not_utf8(count), occurrences=count if count > 1 else None
    )


def more_replaced(found: Finding, count: int) -> Finding:
    """Return a finding of `note_replaced` with `count` more places."""
    count += found.occurrences or 1
    return found._replace(message=_not_utf8(count), occurrences=count)


def _not_utf8(count: int) -> str:
    where = f"Here and at {counted(count - 1, 'other place')}" if count > 1 else "Here"
    return f"{where} the input is not UTF-8, or half of a surrogate pair."


def _note_unclosed(reading: TranscriptReading) -> None:
    """Note a think that has a closer in this dialect, and none here."""
    opener, closer = reading.wire.think
    if not closer:
        return
    is_open: Span | None = None
    for piece in reading.pieces:
        if piece.kind == "marker":
            is_think = reading.text.startswith(opener, piece.start)
            is_open = piece if is_think and piece.author == "model" else None
    if is_open is not None:
        message = f"The text ends inside {opener}, before {closer}."
        place = (is_open.start, is_open.end)
        reading.notes.note("unclosed-think", place, message, event=is_open.event)


def _note_blocks(reading: TranscriptReading) -> None:
    """Note blocks without calls, and blocks without results."""
    events = reading.events
    has_calls = False
    for index, (event, start, end, _) in enumerate(events):
        if event["type"] == "execute":
            if not has_calls:
                message = "The block has no calls, so nothing runs."
                reading.notes.note("empty-block", (start, end), message, event=index)
            following = events[index + 1].event if index + 1 < len(events) else None
            may_be_answered = reading.wire.mode == "transcript"  # else there are no results
            is_answer = following and (following["type"] == "result" or _is_of_results(following))
            if following is not None and may_be_answered and not is_answer:
                message = f"No results follow, but {_named(following)} does."
                reading.notes.note("unanswered-execute", (start, end), message, event=index)
        if event["type"] not in ("think", "respond"):
            has_calls = event["type"] == "call"


def _named(event: Event) -> str:
    return {"respond": "prose", "end": "the end of the turn", "call": "another call"}.get(
        event["type"], f"another {event['type']}"
    )


def _note_near_markers(reading: TranscriptReading) -> None:
    """Note what in prose a careless reader would take for a marker."""
    lookalikes = reading.wire.lookalikes
    names = sorted((each.rstrip(">:]") for each in lookalikes), key=len, reverse=True)
    for piece, prose in reading.prose():
        for at in reading.wire.lookalikes_in(prose):
            lower = prose[at : at + len(names[0])].lower()
            name = next(each for each in names if lower.startswith(each.lower()))
            end = at + len(name)
            if prose[end : end + 1].isalnum() or prose[end : end + 1] in ("-", "_"):
                continue
            end += next((len(tail) for tail in _TAILS if prose.startswith(tail, end)), 0)
            place = (piece.start + at, piece.start + end)
            _note_near_marker(reading, place, prose[at:end], piece.event)
        for closer in _closers_in_calls(reading.wire):
            for found in re.finditer(re.escape(closer), prose):
                place = (piece.start + found.start(), piece.start + found.end())
                _note_stray_closer(reading, place, closer, piece.event)


@cache
def _closers_in_calls(wire: Notation) -> list[str]:
    """Return the closers of values and of arguments in a described format, if they are tags."""
    if wire.form is None or wire.form.payload.kind != "tags":
        return []
    closers = {wire.form.payload.value[1], wire.form.payload.end}
    named = (each for each in closers - {*wire.lookalikes} if re.search(r"\w", each))
    return sorted(each for each in named if "{key}" not in each)


def _note_near_marker(
    reading: TranscriptReading, place: tuple[int, int], written: str, event: int | None
) -> None:
    wire = reading.wire
    closers = {*wire.lookalikes} - {*wire.openers, f"{wire.end[:1]}/{wire.end[1:]}"}
    if written in closers:
        _note_stray_closer(reading, place, written, event)
    else:
        message = f"{written} is not a marker here, and is read as prose."
        reading.notes.note("near-marker", place, message, event=event, replacement=literal(written))


def _note_stray_closer(
    reading: TranscriptReading, place: tuple[int, int], written: str, event: int | None
) -> None:
    message = f"{written} closes nothing here, and is read as prose."
    begins_line = reading.text[max(0, place[0] - 1) : place[0]] in ("", "\n")
    if written == reading.wire.think[1] and begins_line:
        message += f" {OPENED}"
    reading.notes.note("stray-closer", place, message, event=event, replacement=literal(written))


def _note_foreign_markers(reading: TranscriptReading) -> None:
    """Note what in prose would be a marker in a dialect with other markers."""
    families = {
        frozenset(map(str.lower, other.openers)): other
        for other in map(notation, reversed(dialect_names()))
    }
    own = frozenset(map(str.lower, reading.wire.openers))
    for openers, other in families.items():
        if openers & own:
            continue
        for piece, prose in reading.prose():
            for at, end in other.markers_in(prose):
                written = prose[at:end]
                place = (piece.start + at, piece.start + end)
                message = f"{written} is a marker of {other.name}, and prose in this dialect."
                reading.notes.note(
                    "foreign-marker",
                    place,
                    message,
                    event=piece.event,
                    replacement=literal(written),
                )


def _note_trained_format(reading: TranscriptReading) -> None:
    """Note the first opener of calls of a format that models are trained on, if it looks like one.

    It is not escaped, because all of the text should be read in that format.
    """
    openers = _call_openers()
    text = reading.text
    if any(opener in text for each in openers.values() for opener in each):
        name = look_alike(text, reading.wire)
        places = [(text.index(each), each) for each in openers.get(name, ()) if each in text]
        if places:
            at, opener = min(places)
            message = f"{opener} begins calls of {name}, and is prose in this dialect."
            reading.notes.note("foreign-marker", (at, at + len(opener)), message)


def _note_rendered(reading: TranscriptReading) -> None:
    """Note the marker of a role at the beginning, in a format of one's own."""
    if marker := role_marker(reading.text, reading.wire):
        at = reading.text.index(marker)
        message = f"T{no_author(marker, reading.wire)[1:]}."
        reading.notes.note("foreign-marker", (at, at + len(marker)), message)


@cache
def _call_openers() -> dict[str, tuple[str, ...]]:
    return {name: notation(name).call_openers for name in format_names()}


@lru_cache(maxsize=64)  # many texts are of few dialects
def toolset_in(toolset: Toolset, dialect: HasDialect) -> Toolset:
    """Return the tools of `toolset` for calls of a dialect: its texts have the types of schemas."""
    return Toolset(toolset.tools, dialect)


def _note_problems(reading: TranscriptReading, toolset: Toolset) -> None:
    """Note what keeps a call that may run from being a call of its tool."""
    if toolset.dialect != reading.wire.name:
        toolset = toolset_in(toolset, reading.wire)
    for piece in reading.pieces:
        if piece.kind != "call" or piece.event is None:
            continue
        event = reading.events[piece.event].event
        assert event["type"] == "call"  # noqa: S101 (its piece says so)
        checked = toolset.check(event["content"])
        for problem in checked.problems:
            path = f"/args{problem['path']}" if problem["path"] else None
            place = (piece.start, piece.end)
            reading.notes.note(
                problem["code"], place, problem["message"], event=piece.event, path=path
            )
