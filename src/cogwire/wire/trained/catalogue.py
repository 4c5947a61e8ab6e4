# SPDX-License-Identifier: MIT
"""The formats that have a name: by it or an alias, by a model's name, and by a text."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from ...events import Event, Limits
from ...text import WHITE, WHITE_RUN, jump
from ...text.decoding import decode
from ..blocks.interface import Fault
from ..dialect import PROTOCOL, Dialect
from ..frames.machine import Options
from ..frames.wrapped import Sides
from . import headers, heads, literals, objects, tags
from .format import Format
from .known import KnownFormat
from .payloads import ObjectPayload, TagsPayload, every

#: Each format, by its name.  Of two with one opener, the first is that of newer models.
FORMATS: Final = {
    each.name: each
    for source in (heads, headers, objects, tags, literals)
    for each in source.FORMATS
}
#: Each format, by its name and by each of its aliases.
NAMED: Final[dict[str, KnownFormat]] = {
    name: each for each in FORMATS.values() for name in (each.name, *each.aliases)
}


def written_by(model: str) -> tuple[KnownFormat, ...]:
    """Return the formats that a model called `model` writes; of several names in it, the first."""
    places = {name: place for name, each in FORMATS.items() if (place := each.place_in(model))}
    first = min(places.values(), default=None)
    return tuple(FORMATS[name] for name, place in places.items() if place == first)


def formats() -> tuple[KnownFormat, ...]:
    """Return the formats that models write and that have a name, with what is known of each."""
    return tuple(FORMATS.values())


def format_named(name: str) -> KnownFormat:
    """Return what is known of the format called `name`, which may be an alias.

    Raises `ValueError`, which says what `name` may mean, if there is none.
    """
    if name in PROTOCOL:
        raise ValueError(f"{name} is a dialect of the protocol; only formats have a description")
    if name not in NAMED:
        raise ValueError(f"unknown format {name!r}; `cogwire format list` names all{meant(name)}")
    return NAMED[name]


def meant(name: str, others: Iterable[str] = ()) -> str:
    """Return hints on an unknown `name`, each after `; `; it might be meant for one of `others`."""
    written = " or ".join(each.name for each in written_by(name))
    known, lower = [*others, *NAMED], name.lower()
    # The name of a model is often a little like that of a format, which is then not meant.
    close = difflib.get_close_matches(lower, known, cutoff=0.8 if written else 0.6)
    near = [lower] if lower in known else close
    names = dict.fromkeys(NAMED[each].name if each in NAMED else each for each in near)
    hint = f"; did you mean {' or '.join(names)}?" if names else ""
    return f"{hint}; a model of this name writes {written}" if written else hint


# -- By a text ------------------------------------------------------------------------------------

#: Characters of markers that prose hardly has by accident.
_MARKED: Final = re.compile(r"[_|\[:｜▁]").search
#: How a call begins whose name is like that of a tool.
_NAMED: Final = re.compile(r'\{"name": "[\w.:/-]+"').match


class FormatReading(NamedTuple):
    """How well a format reads a text: the greater of two readings fits better."""

    calls: int
    #: Minus the number of errors, and of calls whose names are hardly those of tools.
    sound: int
    #: Minus the number of characters that are prose.
    covered: int
    #: Whether the text has the section in which the format has its calls, if it has any.
    whole: bool


#: The reading of a format that finds no call in a text; its other numbers do not matter.
_NO_CALL: Final = FormatReading(0, 0, 0, whole=False)
#: How many characters after an opener are tried as a call; so few that most are in the cache.
_BEGINNING: Final = 12


class _Flawless(NamedTuple):
    """A format that reads one call at each of its openers in a text, and no error."""

    wire: Dialect
    calls: int
    thinks: int


def readings(text: str, *, is_best_enough: bool = False) -> dict[str, FormatReading]:
    """Return the readings of the formats that have an opener of calls in `text`.

    Formats whose calls may be any text are left out, because prose has such markers too.  If only
    the best format is needed, `is_best_enough`, a format that cannot fit better is not read.
    """
    found: dict[str, FormatReading] = {}
    flawless: _Flawless | None = None
    there = {each for each in openers() if each in text} if finds_opener(text) else set[str]()
    for wire, own in _readable() if there else ():
        if there.isdisjoint(own):
            continue
        if (flawless and _fits_less(text, wire, flawless)) or not _may_call(text, wire):
            found[wire.name] = _NO_CALL
            continue
        events = _events(text, wire)
        found[wire.name] = reading = _reading(text, wire, events)
        if not (is_best_enough and flawless is None and wire.calls.kind == "object"):
            continue
        if reading.whole and not reading.sound:
            thinks = sum(event["type"] == "think" for event in events)
            if 0 < reading.calls == _count(text, every(wire.form.call[0])):
                flawless = _Flawless(wire, reading.calls, thinks)
    return found


def _count(text: str, markers: Iterable[str]) -> int:
    return sum(map(text.count, filter(None, markers)))


def _fits_less(text: str, wire: Dialect, best: _Flawless) -> bool:
    """Whether a format after the `best` one surely cannot fit `text` better, so need not be read.

    It cannot if it has at most as many openers as `best` reads calls, and either has the same calls
    and no other markers in the text, so that it reads the same or an error, or would take a brace
    for the first character of the name of each tool.
    """
    form: Format = wire.form
    frame: Any = wire.frame
    openers = every(form.call[0])
    if not _needs_opener(form) or _count(text, openers) > best.calls:
        return False
    if _in_common(wire) == _in_common(best.wire):
        own = frame.result.openers, frame.ends, frame.ignored
        is_common = not any(marker in text for marker in chain.from_iterable(own))
        return is_common and _count(text, frame.think.openers) == best.thinks
    return _has_braces_for_names(text, form)


def _has_braces_for_names(text: str, form: Format) -> bool:
    """Whether a format takes a brace for the first character of the name of each tool in a text."""
    if not isinstance(form.payload, TagsPayload) or form.payload.tool[0] or form.payload.end:
        return False
    openers = (re.finditer(re.escape(each), text) for each in every(form.call[0]))
    ends = (found.end() for found in chain.from_iterable(openers))
    return all(text.startswith("{", jump(WHITE_RUN, text, end, len(text))) for end in ends)


def _in_common(wire: Dialect) -> object:
    """Return what is equal in two formats that read the same calls and thoughts, or an error."""
    frame: Any = wire.frame
    payload = wire.form.payload
    if isinstance(payload, ObjectPayload):
        payload = replace(payload, partial=False)
    return payload, frame._replace(result=Sides(), ends=(), ignored=(), gap="")


def finds_opener(text: str) -> bool:
    """Whether one of `openers` is in `text`; a few joint searches are faster than one for each."""
    return any(first in text and each.search(text) for first, each in _openers_by_first())


@cache
def _openers_by_first() -> list[tuple[str, re.Pattern[str]]]:
    rests: dict[str, list[str]] = {}
    for opener in openers():
        rests.setdefault(opener[0], []).append(re.escape(opener[1:]))
    # A search for a pattern that begins with one character goes from one such place to the next.
    patterns = ((first, f"{re.escape(first)}(?:{'|'.join(each)})") for first, each in rests.items())
    return [(first, re.compile(pattern)) for first, pattern in patterns]


@cache
def openers() -> frozenset[str]:
    """Return the openers of all formats but those whose calls may be any text."""
    return frozenset(chain.from_iterable(own for _, own in _readable()))


@cache
def _readable() -> tuple[tuple[Dialect, tuple[str, ...]], ...]:
    """Return these formats, each with its openers."""
    wires = (each.wire for each in FORMATS.values())
    return tuple((wire, wire.call_openers) for wire in wires if wire.calls.kind != "text")


def _may_call(text: str, wire: Dialect) -> bool:
    """Whether a call may begin at an opener in `text`, going by the first characters after it.

    Many formats share an opener, and most of them break at the first character after it.
    """
    form: Format = wire.form
    openers = every(form.call[0])
    return not _needs_opener(form) or any(
        _begins_call(text[found.end() : found.end() + _BEGINNING], opener, wire)
        for opener in openers
        for found in re.finditer(re.escape(opener), text)
    )


def _needs_opener(form: Format) -> bool:
    """Whether no call of a format begins without an opener."""
    return not form.bare and form.header is None and all(every(form.call[0]))


@lru_cache(maxsize=1024)
def _begins_call(text: str, opener: str, wire: Dialect) -> bool:
    reader = wire.calls.reader(opener, Limits())
    try:
        reader.read(text, 0, len(text))
    except Fault:
        return bool(reader.found)
    return True


def resembled(text: str, *, is_marked: bool, is_thought: bool) -> str:
    """Return the name of the format that `text` looks like, or an empty string.

    It is the format that fits the calls in `text` best, and of several the first; or, without a
    call whose name is like that of a tool, the one whose reading of a broken call goes furthest.
    In plain prose, an opener that is hardly there by accident is enough.  `is_marked` is whether
    a marker of a dialect is live in `text`, and `is_thought` whether none but those of a think are.
    """
    found = readings(text, is_best_enough=True)
    best = max(found, key=found.__getitem__, default="")
    if best and found[best].calls + found[best].sound > 0:
        return best
    if is_thought:
        known = (FORMATS[name] for name in found)
        fitting = (each for each in known if not _has_braces_for_names(text, each.format))
        broken = {each.name: _broken_at(text, each.wire) for each in fitting}
        furthest = max(broken, key=broken.__getitem__, default="")
        if furthest and broken[furthest]:
            return furthest
    if best and found[best].calls:
        return best
    if is_marked:
        return ""
    marks = ((name, each) for name in found for each in FORMATS[name].wire.call_openers)
    return next((name for name, opener in marks if opener in text and _MARKED(opener)), "")


def _events(text: str, wire: Dialect) -> list[Event]:
    text, replaced = decode(text)
    machine = wire.machine(Options(Limits(), transcript=True))
    return machine.read(text, 0, replaced) + machine.finish(len(text), finished=True)


def _reading(text: str, wire: Dialect, events: list[Event]) -> FormatReading:
    calls = [event["content"] for event in events if event["type"] == "call"]
    wrong = sum(not _NAMED(content) for content in calls)
    prose = sum(len(event["content"]) for event in events if event["type"] == "respond")
    errors = sum(event["type"] == "error" for event in events)
    section = [each for each, role in wire.frame.roles.items() if role == "section"]
    is_whole = not section or any(each in text for each in section)
    return FormatReading(len(calls), -errors - wrong, -prose, is_whole)


def _broken_at(text: str, wire: Dialect) -> int:
    """Return where the first call that has begun breaks a rule, or 0 if there is none."""
    for event in _events(text, wire):
        if event["type"] == "error":
            at = event["offset"]
            begun = ((text.rfind(each, 0, at), each) for each in wire.call_openers)
            if any(_is_begun(text, begin, opener, at) for begin, opener in begun):
                return at
    return 0


def _is_begun(text: str, at: int, opener: str, end: int) -> bool:
    """Whether more than an opener at `at` is there, at the start of a line if prose may have it."""
    if at < 0 or not text[at + len(opener) : end].strip(WHITE):
        return False
    return bool(_MARKED(opener)) or not text[:at].rpartition("\n")[2].strip(WHITE)
