# SPDX-License-Identifier: MIT
"""The dialect of a text: by a name, from a file, or where the user wants it detected."""

import functools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from cogwire import Detected, Event, Format, Parser, detect, formats, iter_events, parse, spans
from cogwire.tooling import (
    WHITE,
    Notation,
    Start,
    detected,
    dialect_names,
    format_names,
    looks_like,
    notation,
)
from cogwire_kit.texts.rows import RepeatedError, unrepeated

#: What takes the place of a dialect that is to be detected.
AUTO: Final = "auto"

#: How the name of a file with a description ends.
_ENDING: Final = ".json"

#: Code in a line of prose, which names markers and begins no call.
_QUOTED: Final = re.compile(r"(?<!`)`[^`\n]+`(?!`)")

#: Finds how the markers of all dialects begin, and those of most formats.
_FIRST: Final = re.compile(r"[<\[§]").search

#: What follows a marker that prose names: a space and words, punctuation, or nothing.
_AFTER_NAMED: Final = re.compile(r"[ \t]+[^\s\[{<]|[.,;:!?)'\"]|\s*\Z")

#: How many characters of a text are read at once where its first call is looked for.
_PIECE: Final = 2000

#: Why a text is in a format that models write.
HAS_CALLS: Final = "it has calls of this format"
_MIXED: Final = "its texts have markers of different dialects"


class DescribedName(str):  # noqa: SLOT000 (it has one attribute, and is made once)
    """The name of a format that has no other name, with the format: a dialect like any other."""

    def __new__(cls, form: Format) -> "DescribedName":
        """Return the name of `form`."""
        return super().__new__(cls, form.name)

    def __init__(self, form: Format) -> None:
        self.form: Final = form

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy in another process is made of."""
        return (self.form,)

    @property
    def dialect(self) -> str:
        """The name."""
        return str(self)

    @property
    def wire(self) -> object:
        """The dialect itself."""
        return self.form.wire


def markers_in(form: Format, member: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the openers and the closers that a format has in a member, such as `think`."""
    openers, closers = getattr(form.wire.frame, member)
    return openers, closers


def known_dialects() -> list[str]:
    """Return the names of all dialects and formats, and their aliases."""
    aliases = (alias for each in formats() for alias in each.aliases)
    return [*dialect_names(), *format_names(), *aliases]


def chosen_dialect(named: str, folder: Path = Path()) -> str:
    """Return the name of the dialect or format called `named`, or of the one that a file describes.

    A name is not read as that of a file, and a file is named from `folder`.  Raises `ValueError`,
    which says what `named` may mean.
    """
    file = folder / named
    if named in dialect_names():
        return named
    if not (named.endswith(_ENDING) or Path(named).name != named):
        try:
            return notation(named).name
        except ValueError as problem:
            if not file.is_file():
                raise
            hint = f"a file whose name does not end in {_ENDING} is given as ./{named}"
            raise ValueError(f"{problem}; {hint}") from None
    try:
        value = json.loads(file.read_bytes(), object_pairs_hook=unrepeated)
    except RepeatedError as problem:
        raise ValueError(f"{named}: {problem}") from None
    except OSError as problem:
        raise ValueError(
            f"{named}: {problem.strerror}; a dialect is a name or a file with a description"
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{named}: this is not JSON: {problem}") from None
    return described(value, named)


def require_start(start: Start, dialect: str) -> None:
    """Raise `ValueError` unless there is a dialect of this name and its turns can begin so.

    The marker of a header that the prompt has begun is not in the text, so that no format of it is
    detected.
    """
    if dialect != AUTO:
        wire = notation(dialect)
        if start != "prose":
            Parser(wire, start=start)
    elif start == "header":
        raise ValueError(
            "a format is not detected by a header that the prompt has begun; name the format"
        )


def is_begun(text: str, dialect: str, start: Start) -> bool:
    """Whether a text goes on with what its prompt has begun, by how it is read."""
    return start != "prose" and spans(text, dialect, start=start) != spans(text, dialect)


def described(value: object, place: str) -> DescribedName:
    """Return the name of the format that a JSON value describes; `place` is where it is from.

    Raises `ValueError` for a value that is not a description, or has the name of another format.
    """
    try:
        form = Format.from_json(value)
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None
    if form.name in known_dialects() and notation(form.name).wire != form.wire:
        raise ValueError(
            f"{place}: /name: {form.name!r} is the name of another format; call this one otherwise"
        )
    return DescribedName(form)


def _named(
    texts: Sequence[str | bytes], found: Sequence[Detected], options: dict[str, Any]
) -> tuple[str | None, str]:
    """Return the dialect of texts with these detections, and why; `None` if it matters."""
    marked = [each for each in found if each.candidates] or found[:1]
    common = set.intersection(*(set(each.candidates) for each in marked))
    if len(common) == 1:
        (name,) = common
        reason = next((each.reason for each in marked if each.dialect), marked[0].reason)
        return name, f"read as {name}, since {reason}"
    reason = marked[0].reason if common or len(marked) == 1 else _MIXED
    named = (name for each in marked for name in each.candidates)
    candidates = [*dict.fromkeys(name for name in named if name in common or not common)]
    meant = " or ".join(candidates) or "plain prose"
    read = candidates or dialect_names()
    # A text without a marker of any dialect is prose in each, unless it begins in a think.
    is_prose = not candidates and options["start"] == "prose"
    if not is_prose and not all(_are_same(text, read, options) for text in texts):
        return None, f"this may be {meant}, since {reason}; name the dialect"
    if not candidates:
        return read[0], f"plain prose, since {reason}"
    # What it may be that is never detected is at the end of the reason.
    hint = "".join(reason.partition("; ")[1:])
    return read[0], f"read as {read[0]}; it may be {meant}; both read it the same way{hint}"


def resolved(
    dialect: str, *texts: str | bytes, mode: str = "transcript", start: Start = "prose"
) -> tuple[str | None, str]:
    """Return the dialect or format of `texts`, and why; or `None` and why it is not known.

    It is detected for `AUTO`.  Several texts are turns of one conversation.  `mode` and `start` are
    how they will be read: where several dialects read the same events, the first of them will do.
    """
    if dialect != AUTO:
        return dialect, ""
    return _detected(texts or ("",), mode, start, format_names())


@functools.lru_cache(maxsize=1)  # the form of a record, and its messages, depend on the same texts
def _detected(
    texts: tuple[str | bytes, ...], mode: str, start: Start, known: tuple[str, ...]
) -> tuple[str | None, str]:
    options: dict[str, Any] = {"mode": mode, "start": start}
    # What has no marker at all says nothing beside what has one.
    marked = [each for each in texts if _may_mark(each)] or texts[:1] or ("",)
    found = list(map(detected, marked))
    name, _ = _named(marked, found, options)
    for text, each in zip(marked, found, strict=True):
        if name is None or each.dialect:
            continue  # What has a dialect of the protocol looks like no format.
        plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        bare = _QUOTED.sub("", plain)
        trained = looks_like(bare, name, each if bare == plain else None)
        if trained in known and begins_call(bare, trained):
            return trained, f"read as {trained}, since {HAS_CALLS}"
    # A reason may name a format, too, but not that of a text which has a dialect.
    hinted = [
        each if each.dialect else detect(text) for text, each in zip(marked, found, strict=True)
    ]
    return _named(marked, hinted, options)


def _may_mark(text: str | bytes) -> bool:
    """Whether a text may have a marker of any dialect or format."""
    if isinstance(text, bytes) or _FIRST(text):
        return True
    return any(opener in text for opener in _other_openers(format_names()))


@functools.cache
def _other_openers(names: tuple[str, ...]) -> list[str]:
    """Return the openers of calls of these formats that begin with none of the usual characters."""
    openers = {opener for name in names for opener in notation(name).call_openers}
    return [opener for opener in openers if not _FIRST(opener)]


def begins_call(text: str, name: str) -> bool:
    """Whether a text has a call of a format, valid or broken, and not just its marker in prose."""
    wire = notation(name)
    # The first call is most often near the beginning, and nothing after it is read.
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    begin = 0
    for event in iter_events(pieces, Parser(wire, mode=wire.mode, raw=True, clock=None)):
        if event["type"] == "call":
            return True
        if event["type"] == "error" and not _is_named(text, begin, event["offset"], wire):
            return True
        begin += len(event["raw"])
    return False


def _is_named(text: str, begin: int, wrong: int, wire: Notation) -> bool:
    """Whether prose only names the marker of a block that begins there and is wrong at `wrong`.

    The marker is not at the beginning of a line, and no call follows it.
    """
    openers = (opener for opener in wire.call_openers if text.startswith(opener, begin))
    opener = max(openers, key=len, default="")
    # Only the white space before it is looked at, since a line may be as long as the text.
    before = begin
    while before and text[before - 1] in " \t\r":
        before -= 1
    is_inside_line = before > 0 and text[before - 1] != "\n"
    end = begin + len(opener)
    is_wrong_at_once = not text[end:wrong].strip(WHITE)
    follows = is_wrong_at_once or _AFTER_NAMED.match(text, end) is not None
    return bool(opener) and is_inside_line and follows


def _are_same(text: str | bytes, dialects: Sequence[str], options: dict[str, Any]) -> bool:
    """Whether the events are the same in all of `dialects`, but for how messages are worded."""
    if isinstance(text, str) and _are_thoughts(text, tuple(dialects)):
        return True
    first, *others = (_outline(parse(text, name, clock=None, **options)) for name in dialects)
    return all(other == first for other in others)


def _are_thoughts(text: str, dialects: tuple[str, ...]) -> bool:
    """Whether a text has no marker of dialects but those of a think, which is the same in all."""
    wires = [notation(each) for each in dialects]
    thinks = {each.think for each in wires}
    others = {each for wire in wires for each in wire.openers if each != wire.think[0]}
    return len(thinks) == 1 and not any(each in text for each in others)


def _outline(events: list[Event]) -> list[dict[str, Any]]:
    return [{**event, "content": ""} if event["type"] == "error" else {**event} for event in events]
