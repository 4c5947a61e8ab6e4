# SPDX-License-Identifier: MIT
"""Markers that are live at the start of a line, or after another marker."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ....text.scan import WHITE
from ..markers import Found, Role, proper_prefixes

_BLANK: Final = " \t"
_LINE_END: Final = "\r\n"
_LINE_ENDS: Final = frozenset(_LINE_END)

#: How many characters of a text are searched first.
_WINDOW: Final = 256


class LineMarkers:
    """Markers that are live only at fresh places, and perhaps a closer live at a line's end.

    The end of the text is a line end, which the caller must add.
    """

    __slots__ = (
        "_closer",
        "_leads",
        "_longest",
        "_mark",
        "_pattern",
        "_prefixes",
        "_roles",
        "lead",
        "leads",
    )

    def __init__(self, mark: str, roles: Mapping[str, Role], closer: str = "") -> None:
        self._mark = mark
        self._closer = closer
        self._roles: Mapping[str, Role] = {
            self._folded(marker): role for marker, role in roles.items()
        }
        exact = [marker for marker in self._roles if not marker.startswith(self._mark)]
        #: The beginnings of all markers.
        self._leads = tuple(filter(None, (self._mark, *exact, closer)))
        self.leads = frozenset(lead[0] for lead in self._leads)
        self.lead = min(self.leads) if len(self.leads) == 1 else ""
        bare = [marker for marker in self._roles if _needs_boundary(marker)]
        self._prefixes = proper_prefixes(self._roles) | set(bare)
        self._longest = max(map(len, self._roles))
        self._pattern = re.compile("|".join(map(self._expression, self._roles)), re.ASCII)

    def _folded(self, marker: str) -> str:
        """Return `marker` in lower case if it is read in any case."""
        is_folded = marker.startswith(self._mark) and marker[1:].isascii()
        return marker.lower() if is_folded else marker

    def _expression(self, marker: str) -> str:
        boundary = rf"(?=[{_BLANK}{_LINE_END}{self._mark}])" if _needs_boundary(marker) else ""
        literal = re.escape(marker) + boundary
        return f"(?i:{literal})" if marker.startswith(self._mark) else literal

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        # In windows that grow: without them, each of many markers of one lead could cost a search
        # of the whole text for another lead.
        start, size = pos, _WINDOW
        first: Found | None = None
        while start < len(text) and first is None:
            stop = start + size
            for lead in self._leads:
                at = text.find(lead, start, stop + len(lead) - 1)
                while at >= 0:
                    if found := self._marker_at(text, pos, at, fresh=fresh):
                        first, stop = found, at
                        break
                    at = text.find(lead, at + 1, stop + len(lead) - 1)
            start += size
            size *= 2
        return first

    def _marker_at(self, text: str, pos: int, at: int, *, fresh: bool) -> Found | None:
        """Return the marker at `at`, if it is live there."""
        if self._closer and text.startswith(self._closer, at):
            end = at + len(self._closer)
            return Found("close", at, end) if text[end : end + 1] in _LINE_ENDS else None
        return self.match(text, at) if is_fresh(text, pos, at, fresh=fresh) else None

    def match(self, text: str, pos: int) -> Found | None:
        match = self._pattern.match(text, pos)
        return match and Found(self._roles[self._folded(match[0])], pos, match.end())

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        if self._closer and text.endswith(self._closer, pos):
            return len(text) - len(self._closer)
        # A marker begins with its lead, and contains no other lead.
        start = max(pos, len(text) - self._longest)
        at = max([text.rfind(first, start) for first in self.leads])
        if at >= 0 and self.may_hold(text[at:]) and is_fresh(text, pos, at, fresh=fresh):
            return at
        return len(text)

    def may_hold(self, carry: str) -> bool:
        return self._folded(carry) in self._prefixes or bool(carry and carry == self._closer)

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        return is_fresh(text, pos, at, fresh=fresh)


def is_fresh(text: str, pos: int, at: int, *, fresh: bool) -> bool:
    """Whether `at` is fresh, given whether `pos` is."""
    while at > pos:
        # Piece by piece, to avoid copying a long text.
        start = max(pos, at - _WINDOW)
        before = text[start:at].rstrip(_BLANK)
        if before:
            return before[-1] in _LINE_END
        at = start
    return fresh


def between(text: str, calls: Sequence[tuple[str, int, int]]) -> Iterator[Found]:
    """Yield the markers between adjacent `calls`, whose places are in `text`."""
    for (_, _, last), (_, first, _) in pairwise(calls):
        gap = text[last:first]
        yield Found("call", first - len(gap.lstrip(WHITE)), last + len(gap.rstrip(WHITE)))


def _needs_boundary(marker: str) -> bool:
    return marker[-1].isalnum()
