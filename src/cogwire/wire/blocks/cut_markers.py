# SPDX-License-Identifier: MIT
"""Markers that may be cut between two texts: how much of one has been read."""

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from ...text import WHITE

_Next = TypeVar("_Next")


def end_of(marker: str, matched: str, text: str, pos: int, end: int) -> int:
    """Return where the first `marker` in `text[pos:end]` ends; -1 if there is none.

    It may begin in `matched`, which is before the text.
    """
    if matched:
        at = f"{matched}{text[pos : min(end, pos + len(marker) - 1)]}".find(marker)
        if at >= 0:
            return pos - len(matched) + at + len(marker)
    at = text.find(marker, pos, end)
    return at if at < 0 else at + len(marker)


@functools.lru_cache(maxsize=256)  # a marker may have the key of a value in it
def beginnings(*markers: str) -> frozenset[str]:
    """Return all proper prefixes of these markers, the empty one included."""
    return frozenset(each[:size] for each in markers for size in range(len(each)))


class Expected(Generic[_Next]):
    """Reads one of several markers, at a place where nothing else is allowed."""

    __slots__ = ("_longest", "_marker", "beginnings", "named", "shortest", "then", "whole")

    def __init__(self, then: Mapping[str, _Next]) -> None:
        """Expect one of the keys of `then`; the value of each is what follows it."""
        markers = self.then = then
        #: The markers, as messages list them.
        self.named = " or ".join(f"`{each}`" if '"' in each else each for each in markers)
        self._longest = max(map(len, markers))
        self.shortest = min(map(len, markers))
        #: All proper prefixes of the markers; and a pattern for one, also after white space.
        self.beginnings = beginnings(*markers)
        # A marker with which a longer one begins has not come if that may still come.
        several = "|".join(_alone(each, markers) for each in markers)
        self._marker = re.compile(several)
        self.whole = re.compile(f"[{WHITE}]*({several})")

    def read(self, matched: str, text: str, pos: int, end: int) -> tuple[str, str, int]:
        """Read on in `text[pos:end]`, after what has been `matched` in earlier text.

        Returns the marker that is complete, if any; what may still become one; and where reading
        stopped: after the marker, at `end`, or before it at a character that continues none.
        """
        seen = matched + text[pos : min(end, pos + self._longest)]
        if seen in self.beginnings:
            return "", seen, end
        if found := self._marker.match(seen):
            return found[0], "", pos + found.end() - len(matched)
        size = len(matched)
        while seen[: size + 1] in self.beginnings:
            size += 1
        return "", seen[:size], pos + size - len(matched)


def _alone(marker: str, markers: Iterable[str]) -> str:
    """Return a pattern for `marker` where no longer one of `markers` can begin with it."""
    pattern = re.escape(marker)
    for each in markers:
        if each.startswith(marker) and each != marker:
            pattern += f"(?=[^{re.escape(each[len(marker)])}])"
    return pattern
