# SPDX-License-Identifier: MIT
"""Documents and faults of each dialect, texts damaged, and everything a parser may be fed."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _lines, _tags
from cogwire_kit.strategies._hostile import hostile_pieces, hostile_texts
from cogwire_kit.strategies._wire import DIALECTS, TAGS, Document

# --- Documents --------------------------------------------------------------------------------

#: The writers of each dialect.
_WRITERS: Final[dict[str, Any]] = {name: _tags if name in TAGS else _lines for name in DIALECTS}


@functools.cache
def turns(dialect: str) -> st.SearchStrategy[Document]:
    """Draw one model output."""
    drawn: st.SearchStrategy[Document] = _WRITERS[dialect].turns(dialect)
    return drawn


@functools.cache
def transcripts(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a whole conversation."""
    drawn: st.SearchStrategy[Document] = _WRITERS[dialect].transcripts(dialect)
    return drawn


@functools.cache
def documents(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a turn or a transcript.

    It is valid by construction, apart from results that a model wrote.  In the delimiter dialects
    some documents break a rule of a batch on purpose.
    """
    return st.one_of(turns(dialect), transcripts(dialect))


# --- Faults -----------------------------------------------------------------------------------

_EVERYWHERE = ("bad-encoding", "forged-results", "limit-size", "limit-calls", "limit-depth")
_RESULTS = ("results-shape", "results-count", "results-order")
_JSON = (
    "json-syntax",
    "not-object",
    "missing-name",
    "bad-name",
    "missing-args",
    "bad-args",
    "duplicate-key",
    "number-range",
    "lone-surrogate",
    "trailing-text",
    "limit-digits",
)
_LINES = (*_EVERYWHERE, *_JSON, "unclosed-call", "missing-execute", *_RESULTS)

#: The codes of each dialect, from the table in spec/errors.md; those of results occur in
#: transcripts only.
CODES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "xml-json": (
            *_EVERYWHERE,
            *_JSON,
            "not-array",
            "unclosed-execute",
            *_RESULTS,
        ),
        "xml-elements": (
            *_EVERYWHERE,
            "xml-syntax",
            "xml-forbidden",
            "duplicate-arg",
            "unclosed-execute",
            *_RESULTS,
        ),
        "delimiter": _LINES,
        "delimiter-upper": _LINES,
    }
)


@functools.cache
def faults(dialect: str, code: str | None = None) -> st.SearchStrategy[Document]:
    """Draw a document of `dialect` with a fault of `code`, or of any of the dialect's codes.

    Segments, calls and other text are before and after the fault.  Shrinks to a short text with
    only the faulty part, in a turn.  `ValueError` for a dialect or a code that is not in
    `CODES`.  The codes are those of err-codes; a few documents have an earlier fault of another.
    """
    if dialect not in CODES:
        raise ValueError(f"no dialect is called {dialect!r}")
    if code is None:
        return st.one_of([faults(dialect, each) for each in CODES[dialect]])
    if code not in CODES[dialect]:
        raise ValueError(f"{dialect} gives no error {code!r}")
    writers = _WRITERS[dialect]
    drawn: st.SearchStrategy[Document] = (
        writers.result_faults if code in _RESULTS else writers.faults
    )(dialect, code)
    return st.one_of(drawn, drawn.map(_as_bytes)) if code == "bad-encoding" else drawn


def _as_bytes(document: Document) -> Document:
    """Return a document as bytes, in which half of a surrogate pair is no UTF-8."""
    data = document.data
    return document if isinstance(data, bytes) else Document(encoded(data), document.options)


def encoded(text: str) -> bytes:
    """Return a text as bytes, in which half of a surrogate pair is no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


# --- Other texts ------------------------------------------------------------------------------


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


def _text(document: Document) -> str:
    data = document.data
    return data if isinstance(data, str) else data.decode("utf-8", "replace")


@functools.cache
def texts(dialect: str) -> st.SearchStrategy[str]:
    """Draw any text at all: valid, damaged or hostile."""
    valid = documents(dialect).map(_text)
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
    data = encoded(draw(texts))
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BAD_BYTES)) + data[place:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 5)) == 0 else data


@functools.cache
def inputs(dialect: str) -> st.SearchStrategy[str | bytes]:
    """Draw everything that a parser may be fed: mostly text, and bytes, valid UTF-8 or not."""
    any_text = texts(dialect)
    return st.one_of(any_text, any_text, any_text, byte_texts(any_text))
