# SPDX-License-Identifier: MIT
"""Detecting the dialect of a text by the form of its markers.

Dialects with the same openers, ignoring case, are a family.  The family of the first live marker
decides how the text is read.  In this reading, everything inside think, blocks and results is
content, but a marker of another family that would be live in the prose makes the text ambiguous.

Rules: spec/convert.md, "Detection".
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from ..events import Limits
from ..parser.placed import PlacedReader
from ..text import WHITE, WHITE_RUN, jump
from ..text.decoding import decode
from ..wire.blocks.interface import CallKind
from ..wire.dialects import DEFAULT, Dialect, HasDialect, dialect_named, dialect_names, format_names
from ..wire.frames.markers import Found, live_in


class Detected(NamedTuple):
    """The dialect of a text, or the reason why none was detected."""

    #: `None` for plain prose, and if more than one dialect are possible.
    dialect: str | None
    #: The dialects that are possible; empty for plain prose.
    candidates: tuple[str, ...]
    #: For a person: why this dialect was detected, or none.
    reason: str


_Family = tuple[Dialect, ...]

#: The first character of a block, for dialects that share their markers.
_BEGINNINGS: Final[dict[CallKind, str]] = {"array": "[", "elements": "<"}


def detect(text: str | bytes) -> Detected:
    """Return the dialect of `text`, a turn or a transcript, by the exact form of its markers.

    `text` is `str`, or `bytes` of UTF-8.  Malformed text never raises.  A format that models are
    trained on is never the result, since several share their markers, but the reason may name one.
    """
    found = detected(text)
    name = trained_format(decode(text)[0], found)
    hint = f"; it looks like {name}: name it as the dialect" if name else ""
    return found._replace(reason=found.reason + hint)


def detected(text: str | bytes) -> Detected:
    """Return what `detect` does, without a hint at a format: each would have to read the text."""
    text, _ = decode(text)
    markers = {
        family: [*live_in(text, family[0].frame.markers.prose)]
        for family in _families(dialect_names())
    }
    firsts = [(found[0], family) for family, found in markers.items() if found]
    if not firsts:
        return Detected(None, (), "it has no marker of any dialect")
    first, family = min(firsts, key=lambda one: one[0].at)
    reading = _read(text, family)
    possible, reason = _candidates(reading, family)
    for other, found in markers.items():
        stray = None if other is family else reading.stray(found)
        if stray is not None:
            possible += _candidates(_read(text, other), other)[0]
            reason = (
                f"its first marker is {_quoted(text, first)}, "
                f"but {_quoted(text, stray)} in its prose is one of another dialect"
            )
    candidates = tuple(dialect.name for dialect in possible)
    return Detected(candidates[0] if len(candidates) == 1 else None, candidates, reason)


class FormatReading(NamedTuple):
    """What a format that models write reads in a text; of two, the greater one fits better."""

    calls: int
    #: Minus the number of errors, and of calls whose names are hardly those of tools.
    sound: int
    #: Minus the number of characters that are prose.
    covered: int
    #: Whether the text has the section in which the format has its calls, if it has any.
    whole: bool


def format_readings(text: str) -> dict[str, FormatReading]:
    """Return what each format reads in `text`, of those with an opener of calls in it.

    A format whose calls are any text is not among them, because prose has such markers too.
    """
    known = _call_openers(format_names())
    there = {opener for opener in _openers_of(format_names()) if opener in text}
    return {
        name: _format_reading(text, dialect_named(name))
        for name, openers in known.items()
        if not there.isdisjoint(openers)
    }


def trained_format(text: str, found: Detected) -> str:
    """Return the name of the format of a trained model that `text` looks like, or an empty string.

    `found` is what was detected.  If it names no dialect, the result is the format of this copy
    that fits the calls in `text` best, and of several the first; or, without a call whose name is
    like that of a tool, the one whose reading of a broken call goes furthest.  In plain prose, an
    opener that is hardly there by accident is enough.
    """
    if found.dialect:
        return ""
    readings = format_readings(text)
    best = max(readings, key=readings.__getitem__, default="")
    if best and readings[best].calls + readings[best].sound > 0:
        return best
    if _is_only_thought(text):
        broken = {name: _broken_at(text, dialect_named(name)) for name in readings}
        furthest = max(broken, key=broken.__getitem__, default="")
        if furthest and broken[furthest]:
            return furthest
    if best and readings[best].calls:
        return best
    if found.candidates:
        return ""
    known = _call_openers(format_names())
    openers = ((name, each) for name in readings for each in known[name] if each in text)
    return next((name for name, opener in openers if _MARKED(opener)), "")


def looks_like(text: str, dialect: str | HasDialect) -> str:
    """Return the names of the dialects that a text without a marker of `dialect` looks like.

    The result is empty if there is no other.  It is that of a format that models are trained on
    even if the text has a think, which such a format has in common with `dialect`.
    """
    frame = dialect_named(dialect).frame
    roles = {found.role for found in live_in(text, frame.markers.prose)}
    if frame.runs_at_end and roles - {"think"}:
        return ""
    if not _may_look_like(dialect_names(), format_names()).search(text):
        return ""
    found = detected(text)
    name = trained_format(text, found)
    return name if roles or name else " or ".join(found.candidates)


def unnamed(names: str) -> str:
    """Say that a text looks like `names`, where no dialect is named."""
    return (
        f"the text looks like {names}, and no dialect is named: name it, or {DEFAULT} if all of it "
        "is prose"
    )


#: What a marker has that prose hardly has by accident.
_MARKED: Final = re.compile(r"[_|\[:｜▁]").search
#: How a call begins whose name is like that of a tool.
_NAMED: Final = re.compile(r'\{"name": "[\w.:/-]+"').match


@cache
def _call_openers(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the openers of calls of each of these formats whose calls are not any text."""
    wires = map(dialect_named, names)
    return {each.name: each.call_openers for each in wires if each.calls.kind != "text"}


@cache
def _openers_of(names: tuple[str, ...]) -> frozenset[str]:
    """Return the same openers without their formats, many of which have the same ones."""
    return frozenset(chain.from_iterable(_call_openers(names).values()))


@cache
def _may_look_like(dialects: tuple[str, ...], formats: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds a place in a text where anything of these begins; most prose has none.

    For dialects it is a first character, since some of their markers may be in either case.
    """
    firsts = {each[0] for family in _families(dialects) for each in family[0].frame.openers}
    return re.compile("|".join(map(re.escape, firsts | _openers_of(formats))))


def _format_reading(text: str, wire: Dialect) -> FormatReading:
    reader = PlacedReader(wire, Limits())
    events = [each.event for each in reader.feed(text) + reader.close(finished=True)]
    calls = [event["content"] for event in events if event["type"] == "call"]
    wrong = sum(not _NAMED(content) for content in calls)
    prose = sum(len(event["content"]) for event in events if event["type"] == "respond")
    errors = sum(event["type"] == "error" for event in events)
    return FormatReading(len(calls), -errors - wrong, -prose, _has_section(text, wire))


def _is_only_thought(text: str) -> bool:
    """Whether no marker but those of a think is live in a text, in any dialect."""
    return all(
        found.role == "think"
        for family in _families(dialect_names())
        for found in live_in(text, family[0].frame.markers.prose)
    )


def _broken_at(text: str, wire: Dialect) -> int:
    """Return where the first call that has begun breaks a rule, or 0 if there is none."""
    reader = PlacedReader(wire, Limits())
    for each in reader.feed(text) + reader.close(finished=True):
        if each.event["type"] != "error":
            continue
        if any(
            _is_begun(text, text.rfind(opener, 0, each.begin), opener, each.begin)
            for opener in wire.call_openers
        ):
            return each.begin
    return 0


def _is_begun(text: str, at: int, opener: str, end: int) -> bool:
    """Whether more than an opener at `at` is there, at the start of a line if prose may have it."""
    if at < 0 or not text[at + len(opener) : end].strip(WHITE):
        return False
    return bool(_MARKED(opener)) or not text[:at].rpartition("\n")[2].strip(WHITE)


def _has_section(text: str, wire: Dialect) -> bool:
    """Whether `text` has the opener of a section; a format without sections has all it needs."""
    openers = [each for each, role in wire.frame.roles.items() if role == "section"]
    return not openers or any(each in text for each in openers)


@cache
def _families(names: tuple[str, ...]) -> list[_Family]:
    """Return the dialects of these names, grouped into families."""
    families: dict[frozenset[str], _Family] = {}
    for dialect in map(dialect_named, names):
        openers = frozenset(map(str.lower, dialect.frame.openers))
        families[openers] = (*families.get(openers, ()), dialect)
    return list(families.values())


def _quoted(text: str, found: Found) -> str:
    return repr(text[found.at : found.end])


class _DialectText:
    """A text as one dialect reads it."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        reader = PlacedReader(dialect, Limits(), markers=True)
        self.text = text
        self._placed = reader.feed(text) + reader.close(finished=True)
        #: The live markers.
        self.found = reader.markers

    def stray(self, markers: Iterable[Found]) -> Found | None:
        """Return the first of `markers`, which are in order, that is in the prose."""
        prose = ((each.begin, each.end) for each in self._placed if each.event["type"] == "respond")
        begin, end = 0, 0
        for found in markers:
            while end <= found.at:
                piece = next(prose, None)
                if piece is None:
                    return None
                begin, end = piece
            if begin <= found.at:
                return found
        return None

    def beginnings(self) -> list[str]:
        """Return the first character of each block after white space, empty if there is none."""
        size = len(self.text)
        blocks = [found.end for found in self.found if found.role == "block"]
        starts = [jump(WHITE_RUN, self.text, block, size) for block in blocks]
        return [self.text[start : start + 1] for start in starts]


def _read(text: str, family: _Family) -> _DialectText:
    """Return `text` as read in the dialect of `family` to which its first block belongs."""
    reading = _DialectText(text, family[0])
    owner = next(_owners(reading, family), family[0])
    return reading if owner is family[0] else _DialectText(text, owner)


def _owners(reading: _DialectText, family: _Family) -> Iterator[Dialect]:
    """Yield the dialect of each block whose first character identifies a dialect of `family`."""
    known = {_BEGINNINGS[one.calls.kind]: one for one in family if one.calls.kind in _BEGINNINGS}
    yield from (known[beginning] for beginning in reading.beginnings() if beginning in known)


def _candidates(reading: _DialectText, family: _Family) -> tuple[_Family, str]:
    """Return the dialects of `family` in which `reading` may be written, and the reason."""
    if len(family) == 1:
        return family, "its markers are of no other dialect"
    if family[0].frame.ignores_case:
        return _candidates_by_case(reading, family)
    return _candidates_by_blocks(reading, family)


def _candidates_by_case(reading: _DialectText, family: _Family) -> tuple[_Family, str]:
    keywords = [
        reading.text[found.at : found.end] for found in reading.found if found.role != "close"
    ]
    for case, is_cased in (("lower", str.islower), ("upper", str.isupper)):
        if all(map(is_cased, keywords)):
            fitting = tuple(dialect for dialect in family if is_cased(dialect.frame.end))
            return fitting, f"its keywords are in {case} case"
    return family, "its keywords are neither all in lower case nor all in upper case"


def _candidates_by_blocks(reading: _DialectText, family: _Family) -> tuple[_Family, str]:
    owners = tuple(dict.fromkeys(_owners(reading, family)))
    if len(owners) == 1:
        return owners, f"its blocks begin with {_BEGINNINGS[owners[0].calls.kind]!r}"
    if owners:
        return family, "its blocks begin in different ways"
    if reading.beginnings():
        return family, "its blocks begin like those of no dialect"
    return family, "it has no block, which would decide"
