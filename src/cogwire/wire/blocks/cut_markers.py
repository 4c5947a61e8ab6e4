# SPDX-License-Identifier: MIT
"""Markers that may be cut between two texts: how much of one has been read."""

import re
from collections.abc import Iterable

from ...text import NOTHING, WHITE


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


class Expected:
    """The markers of which one has to come at a place."""

    __slots__ = ("_beginnings", "_longest", "_markers", "named", "whole")

    def __init__(self, markers: Iterable[str]) -> None:
        #: The markers, for messages.
        self.named = " or ".join(markers)
        # Of two markers of which one begins with the other, the longer one comes first.
        self._markers = sorted(markers, reverse=True)
        self._longest = max(map(len, self._markers))
        self._beginnings = {each[:size] for each in self._markers for size in range(len(each))}
        #: What matches a marker after white space, unless a longer one may still come.
        self.whole: re.Pattern[str] = NOTHING
        if self._beginnings.isdisjoint(self._markers):
            several = "|".join(map(re.escape, self._markers))
            self.whole = re.compile(f"[{WHITE}]*({several})")

    def begins_with(self, text: str) -> bool:
        """Whether one of the markers, which is longer, begins with this text."""
        return text in self._beginnings

    def read(self, matched: str, text: str, pos: int, end: int) -> tuple[str, str, int]:
        """Read on in `text[pos:end]`, after what has been `matched` in earlier text.

        Returns the marker that is complete, if any; what may still become one; and where reading
        stopped: after the marker, at `end`, or before it at a character that continues none.
        """
        beginnings = self._beginnings
        seen = matched + text[pos : min(end, pos + self._longest)]
        if seen in beginnings:
            return "", seen, end
        for marker in self._markers:
            # A marker with which a longer one begins has not come if that may still come.
            if seen.startswith(marker) and seen[: len(marker) + 1] not in beginnings:
                return marker, "", pos + len(marker) - len(matched)
        size = len(matched)
        while seen[: size + 1] in beginnings:
            size += 1
        return "", seen[:size], pos + size - len(matched)
