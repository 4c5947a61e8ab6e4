# SPDX-License-Identifier: MIT
"""Finding markers, and what may become one."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ._dialects import Dialect


@dataclass(frozen=True, slots=True)
class MarkerSet:
    """The markers that are legal in one region."""

    #: The character they begin with: text without it holds none.
    lead: str
    pattern: re.Pattern[str]
    #: Their proper prefixes, the empty one left out.
    prefixes: frozenset[str]
    longest: int

    @classmethod
    def of(cls, markers: Iterable[str]) -> "MarkerSet":
        """Return the set of `markers`, which all begin with one character."""
        markers = tuple(markers)
        (lead,) = {marker[0] for marker in markers}
        return cls(
            lead=lead,
            pattern=re.compile("|".join(map(re.escape, markers))),
            prefixes=frozenset(m[:n] for m in markers for n in range(1, len(m))),
            longest=max(map(len, markers)),
        )

    def hold(self, text: str, pos: int) -> int:
        """Return where the longest proper prefix of a marker that ends `text[pos:]` begins."""
        at = text.find(self.lead, max(pos, len(text) - self.longest + 1))
        while at >= 0:
            if text[at:] in self.prefixes:
                return at
            at = text.find(self.lead, at + 1)
        return len(text)


@dataclass(frozen=True, slots=True)
class Markers:
    """The markers of a dialect, by where they are legal."""

    prose: MarkerSet
    think_opener: MarkerSet
    think_closer: MarkerSet
    execute_closer: MarkerSet
    results_opener: MarkerSet
    results_closer: MarkerSet

    @classmethod
    @functools.cache
    def of(cls, dialect: Dialect) -> "Markers":
        """Return the markers of `dialect`."""
        return cls(
            prose=MarkerSet.of(dialect.openers),
            think_opener=MarkerSet.of(dialect.think[:1]),
            think_closer=MarkerSet.of(dialect.think[1:]),
            execute_closer=MarkerSet.of(dialect.execute[1:]),
            results_opener=MarkerSet.of(dialect.results[:1]),
            results_closer=MarkerSet.of(dialect.results[1:]),
        )
