# SPDX-License-Identifier: MIT
"""The differences between messages and events: reporting them, and changing texts."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Final, Literal, TypedDict, get_args

from ..text import WHITE
from ..text.decoding import PAIR_OR_HALF, decode, is_text
from ..wire.dialects import Dialect, HasDialect, dialect_named
from ..wire.frames.markers import literal
from ..wire.writing import is_misread, writing_of
from ..wire.writing_interface import TextKind, literal_across

#: What was changed; the chapter of the specification says what each code means.
ChangeCode = Literal[
    "trimmed",
    "dropped",
    "retyped",
    "neutralised",
    "joined",
    "orphan",
    "surplus",
    "void",
    "moved",
    "completed",
    "mismatch",
    "skipped",
]
_RANKS: Final[dict[ChangeCode, int]] = {
    code: rank for rank, code in enumerate(get_args(ChangeCode))
}

Note = Callable[[int, ChangeCode, str], None]

#: A change: its event, the rank of its code, the code, and the message.
Noted = tuple[int, int, ChangeCode, str]
_ORDER: Final = itemgetter(0, 1)


class Change(TypedDict):
    """A place where the messages differ from the events."""

    #: The index of the event in the input.
    index: int
    #: The kind of change.
    code: ChangeCode
    #: For a person: what was changed, and why.
    message: str


def noting(noted: list[Noted]) -> Note:
    """Return a function that appends a change to `noted`, and in a deep copy to its copy."""
    return partial(_note, noted)


def _note(noted: list[Noted], index: int, code: ChangeCode, message: str) -> None:
    noted.append((index, _RANKS[code], code, message))


def note_all(noted: Iterable[Noted], note: Note) -> None:
    """Note changes that were collected until it was certain that their text is written."""
    for index, _, code, message in noted:
        note(index, code, message)


def report_of(noted: Iterable[Noted]) -> list[Change]:
    """Return the changes in the order of a report: by event, then by code."""
    return [
        {"index": index, "code": code, "message": message}
        for index, _, code, message in sorted(noted, key=_ORDER)
    ]


def safe_text(index: int, kind: TextKind, text: str, wire: Dialect, note: Note) -> str:
    """Return `text` as it will be read back, without anything that would be read as a marker."""
    text = trimmed(index, repaired(index, text, note), note)
    text = rewritten(index, text, writing_of(wire).unsafe(text, kind), literal, note)
    if kind != "user" and is_misread(kind, text, wire):
        return rewritten(index, text, [(0, 1)], literal, note)
    return text


def neutralise(text: str, dialect: str | HasDialect | None, tokens: Iterable[str] = ()) -> str:
    """Return `text` as a chat template may write it between its control tokens.

    Whatever could be mistaken for a marker of `dialect`, and each of `tokens`, has its first
    character in its literal form, such as `&lt;`; nothing else is changed.  With `None` only
    `tokens` count.  Raises `ValueError` for a dialect that does not exist, and for a token that is
    empty, has an `&`, or may be live across a reference that replaces such a character; `TypeError`
    for a text that is not a `str`, and for one text in the place of several tokens.
    """
    _require_texts(text, tokens)
    writing = None if dialect is None else writing_of(dialect_named(dialect))
    tokens = tuple(tokens)
    marks = writing.lookalikes if writing else ()  # in any case, and without the last punctuation
    likes = [each[0] + each[1:].rstrip(">:]").lower() for each in marks]
    written = *filter(None, tokens), *likes, *map(str.capitalize, likes)
    places = {at for at, _ in writing.lookalikes_in(text)} if writing else set[int]()
    for token in tokens:
        if not token or "&" in token:
            raise ValueError("a control token must not be empty or contain `&`")
        if other := literal_across(token, written) or literal_across(token.lower(), written):
            raise ValueError(f"{token!r} may be live in {literal(other)!r}, for {other!r}")
        places.update(each.start() for each in re.finditer(f"(?={re.escape(token)})", text))
    return rewritten(0, text, [(at, at + 1) for at in sorted(places)], literal, noting([]))


def _require_texts(text: object, tokens: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"the text must be a string, not {text!r}")
    if isinstance(tokens, str):  # it would be a list of its letters
        raise TypeError(f"`tokens` must be a list of texts, such as [{tokens!r}], not one")


def repaired(index: int, text: str, note: Note) -> str:
    """Return `text` with U+FFFD for each lone surrogate."""
    if is_text(text):
        return text
    for found in PAIR_OR_HALF.finditer(text):
        kind = "the two halves of a surrogate pair" if len(found[0]) > 1 else "a lone surrogate"
        note(index, "neutralised", f"{kind} at {found.start()}, which text cannot contain")
    whole, _ = decode(text)
    return whole


def trimmed(index: int, text: str, note: Note) -> str:
    """Return `text` without the white space around it."""
    content = text.strip(WHITE)
    if not content:
        note(index, "dropped", "there is no text, and nothing is written")
    elif content != text:
        note(index, "trimmed", "white space around the text is left out")
    return content


def rewritten(
    index: int,
    text: str,
    markers: Iterable[tuple[int, int]],
    rewrite: Callable[[str], str],
    note: Note,
) -> str:
    """Return `text` with the first character of each of the `markers` rewritten."""
    pieces: list[str] = []
    done = 0
    for start, end in markers:
        marker = text[start:end]
        note(index, "neutralised", f"{marker!r} at {start} could pass for a marker")
        pieces += text[done:start], rewrite(marker[0])
        done = start + 1
    return "".join([*pieces, text[done:]]) if pieces else text
