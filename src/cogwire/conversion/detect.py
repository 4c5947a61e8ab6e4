# SPDX-License-Identifier: MIT
"""Detecting the dialect of a text by the form of its markers.

Dialects with the same openers, ignoring case, are a family.  The family of the first live marker
decides how the text is read.  In this reading, everything inside think, blocks and results is
content, but a marker of another family that would be live in the prose makes the text ambiguous.

Rules: spec/convert.md, "Detection".
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import chain
from typing import Final, NamedTuple

from ..events import Limits
from ..parser.placed import Placed, PlacedReader
from ..text import WHITE_RUN, jump
from ..text.decoding import decode
from ..wire.blocks.interface import CallKind
from ..wire.dialects import DEFAULT, Dialect, HasDialect, catalogue, dialect_named, dialect_names
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
    name = _trained_format(decode(text)[0], found)
    hint = f"; it looks like {name}: name it as the dialect" if name else ""
    return found._replace(reason=found.reason + hint)


def detected(text: str | bytes) -> Detected:
    """Return what `detect` does, without a hint at a format: each would have to read the text."""
    text, _ = decode(text)
    markers = _live_markers(text)
    firsts = [(found[0], family) for family, found in markers.items() if found]
    if not firsts:
        return Detected(None, (), "it has no marker of any dialect")
    first, family = min(firsts, key=lambda one: one[0].at)
    reading = _read(text, family, markers[family])
    possible, reason = _candidates(reading, family)
    for other, found in markers.items():
        stray = reading.stray(found) if found and other is not family else None
        if stray is not None:
            possible += _candidates(_read(text, other, found), other)[0]
            reason = (
                f"its first marker is {_quoted(text, first)}, "
                f"but {_quoted(text, stray)} in its prose is one of another dialect"
            )
    candidates = tuple(dialect.name for dialect in possible)
    return Detected(candidates[0] if len(candidates) == 1 else None, candidates, reason)


def _trained_format(text: str, found: Detected) -> str:
    """Return the name of the format of a trained model that `text` looks like, or an empty string.

    `found` is what was detected; a smaller copy has no such formats.
    """
    formats = catalogue()
    if found.dialect or formats is None:
        return ""
    is_thought = not found.candidates or all(
        marker.role == "think" for marker in chain.from_iterable(_live_markers(text).values())
    )
    name: str = formats.resembled(text, is_marked=bool(found.candidates), is_thought=is_thought)
    return name


def looks_like(text: str, dialect: str | HasDialect, found: Detected | None = None) -> str:
    """Return the names of the dialects that a text without a marker of `dialect` looks like.

    The result is empty if there is no other.  It is that of a format that models are trained on
    even if the text has a think, which such a format has in common with `dialect`.  `found` is what
    `detected` returns for the text, if it is known.
    """
    frame = dialect_named(dialect).frame
    roles = (found.role for found in live_in(f"{text}\n", frame.markers.prose))
    first = next(roles, None)
    if first and frame.runs_at_end and (first != "think" or {*roles} - {"think"}):
        return ""
    formats, may_be = catalogue(), _may_look_like(dialect_names()).search
    if not (formats and formats.finds_opener(text) if first else may_be(text)):
        return ""
    found = found or detected(text)
    name = _trained_format(text, found)
    return name if first or name else " or ".join(found.candidates)


def unnamed(names: str) -> str:
    """Say that a text looks like `names`, where no dialect is named."""
    return (
        f"the text looks like {names}, and no dialect is named: name it, or {DEFAULT} if all of it "
        "is prose"
    )


@cache
def _may_look_like(dialects: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds a place in a text where a marker may begin; most prose has none.

    For `dialects` it is a first character, since some of their markers may be in either case.
    """
    firsts = {each[0] for family in _families(dialects) for each in family[0].frame.openers}
    formats = catalogue()
    openers = firsts if formats is None else firsts | formats.openers()
    return re.compile("|".join(map(re.escape, openers)))


def _live_markers(text: str) -> dict[_Family, list[Found]]:
    """Return the markers of each family that would be live in a text if all of it were prose."""
    families = _families(dialect_names())
    line = f"{text}\n"  # the end of the text is a line's end
    return {family: [*live_in(line, family[0].frame.markers.prose)] for family in families}


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
    """A text as one dialect reads it, which is read when a marker's place in it matters."""

    def __init__(self, text: str, dialect: Dialect, live: list[Found]) -> None:
        """Take a text; `live` are the markers of `dialect` in it if all of it were prose."""
        self.text = text
        self._dialect = dialect
        self._live = live

    @cached_property
    def _read(self) -> tuple[list[Placed], list[Found]]:
        reader = PlacedReader(self._dialect, Limits(), markers=True)
        return reader.feed(self.text) + reader.close(finished=True), reader.markers

    @property
    def found(self) -> list[Found]:
        """The live markers."""
        return self._read[1]

    def stray(self, markers: Iterable[Found]) -> Found | None:
        """Return the first of `markers`, which are in order, that is in the prose."""
        placed = self._read[0]
        prose = ((each.begin, each.end) for each in placed if each.event["type"] == "respond")
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
        if all(found.role != "block" for found in self._live):
            return []
        size = len(self.text)
        blocks = [found.end for found in self.found if found.role == "block"]
        starts = [jump(WHITE_RUN, self.text, block, size) for block in blocks]
        return [self.text[start : start + 1] for start in starts]


def _read(text: str, family: _Family, live: list[Found]) -> _DialectText:
    """Return `text` as read in the dialect of `family` to which its first block belongs."""
    reading = _DialectText(text, family[0], live)
    owner = next(_owners(reading, family), family[0])
    return reading if owner is family[0] else _DialectText(text, owner, live)


def _owners(reading: _DialectText, family: _Family) -> Iterator[Dialect]:
    """Yield the dialect of each block whose first character identifies a dialect of `family`."""
    known = {_BEGINNINGS[one.calls.kind]: one for one in family if one.calls.kind in _BEGINNINGS}
    yield from (known[beginning] for beginning in reading.beginnings() if beginning in known)


def _candidates(reading: _DialectText, family: _Family) -> tuple[_Family, str]:
    """Return the dialects of `family` in which `reading` may be written, and the reason."""
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
