# SPDX-License-Identifier: MIT
"""Documents and faults of each dialect, texts damaged, and everything a parser may be fed.

The expected events follow from how a text is written, by the clauses of spec/errors.md and of the
chapter of its dialect, and never from a parser.
"""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _line_faults, _lines, _tags
from cogwire_kit.strategies._hostile import hostile_pieces, hostile_texts
from cogwire_kit.strategies._wire import DIALECTS, LINES, TAGS, Document
from cogwire_kit.strategies._written import Fault

# --- Documents --------------------------------------------------------------------------------

#: The writers of each dialect.
_WRITERS: Final[dict[str, Any]] = {name: _tags if name in TAGS else _lines for name in DIALECTS}


@functools.cache
def turns(dialect: str) -> st.SearchStrategy[Document]:
    """Draw one model output and its required events."""
    drawn: st.SearchStrategy[Document] = _WRITERS[dialect].turns(dialect)
    return drawn


@functools.cache
def transcripts(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a whole conversation and its required events."""
    drawn: st.SearchStrategy[Document] = _WRITERS[dialect].transcripts(dialect)
    return drawn


@functools.cache
def documents(dialect: str) -> st.SearchStrategy[Document]:
    """Draw a turn or a transcript.

    It is valid by construction, and its events are those that were written, in the normal form;
    no parser was used.  In the delimiter dialects some documents break a rule of a batch on
    purpose, and state the error.
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
def faults(dialect: str, code: str | None = None) -> st.SearchStrategy[Fault]:
    """Draw a text of `dialect` with exactly one fault, of `code` or of any of the dialect's codes.

    Segments, calls and other text are before and after the fault.  Shrinks to a short text with
    only the faulty part, in a turn.  `ValueError` for a dialect or a code that is not in
    `CODES`.  The fault is one of err-codes; its place is defined by err-offset and the clauses
    on paths, and the treatment of the rest by xj-void, xe-void and dl-void.
    """
    if dialect not in CODES:
        raise ValueError(f"no dialect is called {dialect!r}")
    if code is None:
        return st.one_of([faults(dialect, each) for each in CODES[dialect]])
    if code not in CODES[dialect]:
        raise ValueError(f"{dialect} gives no error {code!r}")
    if dialect in LINES:
        return (_line_faults.result_faults if code in _RESULTS else _line_faults.turn_faults)(
            dialect, code
        )
    if code in _RESULTS:
        return _tags.result_faults(dialect, code)
    if code == "forged-results":
        return _tags.forged(dialect)
    return _tags.block_faults(dialect, code)


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
