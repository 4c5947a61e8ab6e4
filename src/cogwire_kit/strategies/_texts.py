# SPDX-License-Identifier: MIT
"""Documents of each dialect, the same documents damaged, and everything a parser may be fed."""

import functools
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _delimiter, _xml_elements, _xml_json
from cogwire_kit.strategies._hostile import hostile_pieces, hostile_texts
from cogwire_kit.strategies._wire import Document

_TURNS: Final = {
    "xml-json": _xml_json.turns,
    "xml-elements": _xml_elements.turns,
    "delimiter": _delimiter.turns,
    "delimiter-upper": _delimiter.turns,
}
_TRANSCRIPTS: Final = {
    "xml-json": _xml_json.transcripts,
    "xml-elements": _xml_elements.transcripts,
    "delimiter": _delimiter.transcripts,
    "delimiter-upper": _delimiter.transcripts,
}


def _of(dialect: str, document: Document) -> Document:
    return document._replace(options=document.options | {"dialect": dialect})


@functools.cache
def turns(dialect: str) -> st.SearchStrategy[Document]:
    """Draw one model output and its required events."""
    return _TURNS[dialect].map(functools.partial(_of, dialect))


@functools.cache
def transcripts(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a whole conversation and its required events."""
    return _TRANSCRIPTS[dialect].map(functools.partial(_of, dialect))


@functools.cache
def documents(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a turn or a transcript.

    It is valid by construction, and its events are those that were written, in the normal form;
    no parser was used.  In the delimiter dialects some documents break a rule of a batch on
    purpose, and state the error.
    """
    return st.one_of(turns(dialect), transcripts(dialect))


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str], pieces: st.SearchStrategy[str]) -> str:
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
def texts(dialect: str) -> st.SearchStrategy[str]:
    """Draw any text at all: valid, damaged or hostile."""
    valid = documents(dialect).map(lambda document: document.text)
    damaged = mutated(valid, hostile_pieces(dialect))
    return st.one_of(valid, damaged, damaged, hostile_texts(dialect))


#: Bytes that are not UTF-8, or only the beginning of a sequence.
BAD_BYTES: Final = (
    *(b"\xff", b"\x80", b"\xc2", b"\xc3", b"\xa7", b"\xc0\xaf"),
    *(b"\xe2\x82", b"\xe0\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\xf0\x9f\x98"),
    *(b"\xf4\x90\x80\x80", b"\xef\xbb\xbf"),
)


@st.composite
def byte_texts(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> bytes:
    """Draw bytes, often with sequences that are not valid."""
    data = draw(texts).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BAD_BYTES)) + data[place:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 5)) == 0 else data


@functools.cache
def inputs(dialect: str) -> st.SearchStrategy[str | bytes]:
    """Draw everything that a parser may be fed: mostly text, and bytes, valid UTF-8 or not."""
    any_text = texts(dialect)
    return st.one_of(any_text, any_text, any_text, byte_texts(any_text))
