"""Hypothesis strategies: documents with the events they must give, mutated ones, and any text.

A document is valid by construction, and its events come from the generator, never from a parser.
"""

import functools
from types import MappingProxyType

from hypothesis import strategies as st

from tests.core.generators import delimiter, tags, xml_elements, xml_json
from tests.core.generators.common import Document, running, words
from tests.core.generators.laws import law
from tests.core.helpers import DIALECTS

__all__ = [
    "DEFAULTS",
    "DIALECTS",
    "Document",
    "anything",
    "chunkings",
    "documents",
    "hostile_texts",
    "inputs",
    "law",
    "limits",
    "modes",
    "running",
    "starts",
    "streams",
    "texts",
    "transcripts",
    "turns",
]

_MODULES = MappingProxyType(
    {
        "xml-json": xml_json,
        "xml-elements": xml_elements,
        "delimiter": delimiter,
        "delimiter-upper": delimiter,
    }
)


def _of(dialect, document):
    return document._replace(options=document.options | {"dialect": dialect})


@functools.cache
def turns(dialect):
    """Draw one model output and what must come of it."""
    return _MODULES[dialect].turns.map(functools.partial(_of, dialect))


@functools.cache
def transcripts(dialect):
    """Draw a whole conversation and what must come of it."""
    return _MODULES[dialect].transcripts.map(functools.partial(_of, dialect))


@functools.cache
def documents(dialect):
    """Draw a turn or a transcript."""
    return st.one_of(turns(dialect), transcripts(dialect))


# --- Damage -----------------------------------------------------------------------------------


@functools.cache
def hostile(dialect):
    """Draw a piece that a model, a proxy or an attacker may put anywhere."""
    pieces = st.sampled_from(_MODULES[dialect].HOSTILE)
    return st.one_of(pieces, pieces, pieces, st.text(max_size=2), words)


@functools.cache
def hostile_texts(dialect):
    """Draw any text near the protocol."""
    return st.tuples(
        st.sampled_from(_MODULES[dialect].BEGINNINGS),
        st.lists(hostile(dialect), max_size=14).map("".join),
    ).map("".join)


@st.composite
def mutated(draw, texts, pieces):
    """Damage a text in a few places: a span is left out, replaced, doubled, or something put in."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 1, 2, 5, 20])))
        inserted = draw(st.one_of(st.just(""), pieces, st.just(text[start:stop] * 2)))
        text = text[:start] + inserted + text[stop:]
    if draw(st.integers(0, 3)) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    return text


@functools.cache
def texts(dialect):
    """Draw any text at all."""
    valid = documents(dialect).map(lambda document: document.text)
    damaged = mutated(valid, hostile(dialect))
    return st.one_of(valid, damaged, damaged, hostile_texts(dialect))


#: Bytes that are no UTF-8, or only the beginning of it.
BAD_BYTES = [
    b"\xff",
    b"\x80",
    b"\xc2",
    b"\xc3",
    b"\xa7",
    b"\xc0\xaf",
    b"\xe2\x82",
    b"\xe0\x80",
    b"\xed\xa0\x80",
    b"\xf0\x9f",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
]


@st.composite
def byte_texts(draw, texts):
    """Draw bytes, often with sequences that are not valid."""
    data = draw(texts).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BAD_BYTES)) + data[place:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 5)) == 0 else data


@functools.cache
def inputs(dialect):
    """Draw everything that a parser may be fed."""
    any_text = texts(dialect)
    return st.one_of(any_text, any_text, any_text, byte_texts(any_text))


#: Text in which every marker of the tags may stand.
anything = tags.anything


# --- Ways to feed and to read -----------------------------------------------------------------


def chunkings(data):
    """Draw where to cut `data`; shrinks to one piece."""
    places = st.lists(st.integers(0, len(data)), max_size=8).map(sorted)
    every = st.integers(1, 7).map(lambda size: list(range(size, len(data), size)))
    return st.one_of(places, every)


modes = st.sampled_from(["turn", "transcript"])
starts = st.sampled_from(["prose", "prose", "think"])
streams = st.sampled_from(["event", "token"])

#: The limits' defaults, or small ones that documents cross: size, calls, depth, digits.
DEFAULTS = (8_388_608, 256, 128, 1000)
limits = st.one_of(
    st.just(DEFAULTS),
    st.tuples(st.integers(1, 200), st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)),
    st.tuples(st.integers(1, 120), *(st.just(default) for default in DEFAULTS[1:])),
)
