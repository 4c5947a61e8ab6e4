# SPDX-License-Identifier: MIT
"""Text similar to the protocol: it resembles a marker, ends too early, or hides something."""

import functools
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _faults_elements
from cogwire_kit.strategies._faults_json import HALVES, NO_JSON
from cogwire_kit.strategies._pieces import BEGINNINGS, PIECES
from cogwire_kit.strategies._prose import words
from cogwire_kit.strategies._wire import TAGS

_TAGS: Final = (
    *("<think>", "</think>", "<execute>", "</execute>"),
    *("<results>", "</results>", "<end>"),
)
_KEYWORDS: Final = (
    *("§think:", "§call:", "§respond:", "§result:"),
    *("§execute", "§end", "[SYSTEM: "),
)

#: Characters that nobody sees: joiners, marks of direction, controls, a tag, and the like.
INVISIBLE: Final = (
    *("\u00ad", "\u034f", "\u061c", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u202e"),
    *("\u2060", "\u2066", "\ufe0f", "\ufeff", "\U000e0065", "\0", "\x08", "\x1b", "\x7f"),
)

#: Characters that look like one of a marker, or become one when letter case is folded.
_LOOKALIKES: Final = {
    "<": "\uff1c\u2039\u3008",
    ">": "\uff1e\u203a\u3009",
    "/": "\uff0f\u2044",
    "[": "\uff3b",
    ":": "\uff1a\ua789",
    "§": "\u00b6\ua7a8",
    " ": "\u00a0\u2009",
    "S": "\u0405\u017f",
    "c": "\u0441",
    "e": "\u0435\u00e9",
    "i": "\u0131\u0456",
    "k": "\u212a",
    "s": "\u017f\u0455",
}


def _markers(dialect: str) -> tuple[str, ...]:
    """Return every marker of a dialect; those of a line are at its start, too."""
    if dialect in TAGS:
        return _TAGS
    return (*_KEYWORDS, *(f"\n{keyword}" for keyword in _KEYWORDS))


@st.composite
def _in_any_case(draw: st.DrawFn, marker: str) -> str:
    """Spell a marker in any ASCII letter case; the simplest is its own."""
    swapped = draw(st.integers(0, (1 << len(marker)) - 1))
    return "".join(
        letter.swapcase() if letter.isascii() and swapped >> place & 1 else letter
        for place, letter in enumerate(marker)
    )


@st.composite
def _edited(draw: st.DrawFn, marker: str) -> str:
    """Change a marker at one place, so that it is none, or is one only for a careless reader."""
    place = draw(st.integers(0, len(marker) - 1))
    here = marker[place]
    puts = ["", " ", here * 2, *_LOOKALIKES.get(here, ""), *INVISIBLE]
    put: str = draw(st.sampled_from(puts))
    kept = here if put in INVISIBLE or put == " " else ""
    return marker[:place] + put + kept + marker[place + 1 :]


@st.composite
def _beginnings(draw: st.DrawFn, wholes: tuple[str, ...]) -> str:
    """Cut one of `wholes` anywhere after its first character."""
    whole = draw(st.sampled_from(wholes))
    return whole[: draw(st.integers(1, len(whole)))]


@functools.cache
def near_misses(dialect: str) -> st.SearchStrategy[str]:
    """Draw an almost-marker: any letter case, a character more, less, similar or invisible."""
    markers = st.sampled_from(_markers(dialect))
    return st.one_of(
        markers.flatmap(_in_any_case),
        markers.flatmap(_edited),
        _beginnings(_markers(dialect)),
    )


#: Some escapes are not those of JSON, though models write them.
_JSON_ESCAPES: Final = (
    *("\\ud83d\\ude00", "\\u003c/execute>", "\\\\", '\\"', "\\n", "\\/"),
    *("\\'", "\\x41", "\\q", "\\0"),
)
_XML_ESCAPES: Final = (
    *("&#x1F600;", "&#60;", "&lt;", "&amp;", "&apos;"),
    *("<![CDATA[</execute>]]>", "<![CDATA[]]]]>"),
)


@functools.cache
def cut_escapes(dialect: str) -> st.SearchStrategy[str]:
    """Draw an escape, a reference or a section, cut anywhere."""
    return _beginnings(_XML_ESCAPES if dialect == "xml-elements" else _JSON_ESCAPES)


@functools.cache
def hidden_markers(dialect: str) -> st.SearchStrategy[str]:
    """Draw a marker where a careful reader sees none: in a string, or in a CDATA section."""
    markers = st.sampled_from(_markers(dialect))
    if dialect == "xml-elements":
        return markers.map(lambda marker: f"<a><![CDATA[{marker}]]></a>")
    return markers.map(lambda marker: f'"x{marker}"'.replace("\n", "\\n"))


@functools.cache
def faulty(dialect: str) -> st.SearchStrategy[str]:
    """Draw a part of a block that has a fault."""
    elements = [row for rows in _faults_elements.TABLES.values() for row in rows]
    rows = elements if dialect == "xml-elements" else [*NO_JSON, *HALVES]
    return st.sampled_from([row[0] for row in rows])


@functools.cache
def hostile_pieces(dialect: str) -> st.SearchStrategy[str]:
    """Draw a piece that a model, a proxy or an attacker may put anywhere."""
    pieces = st.sampled_from(PIECES[dialect])
    made = st.one_of(near_misses(dialect), cut_escapes(dialect), hidden_markers(dialect))
    few = st.one_of(st.text(max_size=2), st.sampled_from(INVISIBLE), words)
    return st.one_of(pieces, pieces, pieces, faulty(dialect), made, few)


@functools.cache
def hostile_texts(dialect: str) -> st.SearchStrategy[str]:
    """Draw any text near the protocol, as `str`: halves of surrogate pairs may be in it."""
    return st.tuples(
        st.sampled_from(BEGINNINGS[dialect]),
        st.lists(hostile_pieces(dialect), max_size=14).map("".join),
    ).map("".join)
