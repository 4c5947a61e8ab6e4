# SPDX-License-Identifier: MIT
"""Hypothesis strategies for parsers of the wire protocol, in Python or driven through an adapter.

A document is valid by construction, and its events are those of cogwire's parser:

    @given(strategies.documents("xml-json"))
    def test_my_parser(document):
        with strategies.reported(document):
            assert my_parser(document.data, **document.options) == document.events

Events are JSON objects in the normal form: deltas joined, without timestamps and the messages of
errors.  A failure under `reported` ends with a conformance case that can be kept.
"""

try:
    import hypothesis as _hypothesis  # noqa: F401 - what follows needs it
except ImportError as missing:
    raise ImportError(
        "cogwire_kit.strategies needs Hypothesis: pip install hypothesis"
    ) from missing

from cogwire_kit.strategies._cases import case, reported
from cogwire_kit.strategies._cuts import chunkings, split
from cogwire_kit.strategies._histories import cut_histories, histories
from cogwire_kit.strategies._hostile import hostile_pieces, hostile_texts
from cogwire_kit.strategies._texts import (
    CODES,
    documents,
    faults,
    inputs,
    mutated,
    texts,
    transcripts,
    turns,
)
from cogwire_kit.strategies._toolsets import (
    DrawnTool,
    Judged,
    conforming_calls,
    toolsets,
    violating_calls,
)
from cogwire_kit.strategies._wire import (
    DEFAULT_LIMITS,
    DIALECTS,
    Document,
    calls,
    limits,
    modes,
    starts,
    streams,
)

__all__ = [
    "CODES",
    "DEFAULT_LIMITS",
    "DIALECTS",
    "Document",
    "DrawnTool",
    "Judged",
    "calls",
    "case",
    "chunkings",
    "conforming_calls",
    "cut_histories",
    "documents",
    "faults",
    "histories",
    "hostile_pieces",
    "hostile_texts",
    "inputs",
    "limits",
    "modes",
    "mutated",
    "reported",
    "split",
    "starts",
    "streams",
    "texts",
    "toolsets",
    "transcripts",
    "turns",
    "violating_calls",
]
