# SPDX-License-Identifier: MIT
"""Texts with exactly one fault of a chosen code, and the events that they must produce.

The expected events follow from how a text is written, by the clauses of spec/errors.md and of the
chapter of its dialect, and never from a parser.
"""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hypothesis import strategies as st

from cogwire_kit.strategies import _faults_line_results as line_results
from cogwire_kit.strategies import _faults_lines as lines
from cogwire_kit.strategies import _faults_results as results
from cogwire_kit.strategies import _faults_tags as tags
from cogwire_kit.strategies._faults_written import Fault
from cogwire_kit.strategies._wire import LINES

__all__ = ["CODES", "Fault", "faults"]

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
        return (line_results.result_faults if code in _RESULTS else lines.turn_faults)(
            dialect, code
        )
    if code in _RESULTS:
        return results.result_faults(dialect, code)
    if code == "forged-results":
        return tags.forged(dialect)
    return tags.block_faults(dialect, code)
