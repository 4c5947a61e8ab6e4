# SPDX-License-Identifier: MIT
"""Finding markers, and what may become one.

A marker set holds the markers that are legal in one region, each with its role: what it does there.
Where a marker counts only at certain places, a place is called fresh; the parser says whether the
place at which it asks is one.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from ._dialects import Dialect, Lines, Tags

#: What a marker does where it is found.
Role = Literal[
    "think",  # a think begins
    "prose",  # prose begins
    "block",  # a block begins
    "call",  # one call begins
    "execute",  # the calls before it may run
    "results",
    "end",
    "close",  # what is open ends here, the marker included
]

_BLANK: Final = " \t"
_LINE_END: Final = "\r\n"
_LINE_ENDS: Final = frozenset(_LINE_END)

#: How much of a text is looked at first.
_WINDOW: Final = 256


class Found(NamedTuple):
    """A marker, and where it begins and ends."""

    role: Role
    at: int
    end: int


class MarkerSet(Protocol):
    """The markers that are legal in one region."""

    #: The first character of the markers, or by lines of most of them; and of all of them.
    lead: str
    leads: frozenset[str]

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        """Return the first marker from `pos` on, which is fresh or not."""
        ...

    def match(self, text: str, pos: int) -> Found | None:
        """Return the marker at `pos`, which is fresh."""
        ...

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        """Return where what ends `text[pos:]` and may become a marker begins."""
        ...

    def may_hold(self, carry: str) -> bool:
        """Whether `carry` is what `hold` may leave."""
        ...


class TagMarkers:
    """Markers that count wherever they stand, all with one first character."""

    __slots__ = ("_longest", "_pattern", "_prefixes", "_roles", "lead", "leads")

    def __init__(self, roles: Mapping[str, Role]) -> None:
        self.leads = frozenset(marker[0] for marker in roles)
        (self.lead,) = self.leads
        self._roles = roles
        self._pattern = re.compile("|".join(map(re.escape, roles)))
        self._prefixes = _proper_prefixes(roles)
        self._longest = max(map(len, roles))

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        del fresh
        at = text.find(self.lead, pos)
        return None if at < 0 else self._found(self._pattern.search(text, at))

    def match(self, text: str, pos: int) -> Found | None:
        return self._found(self._pattern.match(text, pos))

    def _found(self, match: re.Match[str] | None) -> Found | None:
        return match and Found(self._roles[match[0]], match.start(), match.end())

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        del fresh
        at = text.find(self.lead, max(pos, len(text) - self._longest + 1))
        while at >= 0:
            if text[at:] in self._prefixes:
                return at
            at = text.find(self.lead, at + 1)
        return len(text)

    def may_hold(self, carry: str) -> bool:
        return carry in self._prefixes


class LineMarkers:
    """Markers that count at fresh places only, and perhaps a closer that counts at a line's end.

    The end of the text is a line end; whoever reaches it puts one there.
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

    def __init__(self, frame: Lines, roles: Mapping[str, Role], closer: str = "") -> None:
        self.lead = self._mark = frame.mark
        self._closer = closer
        self._roles: Mapping[str, Role] = {
            self._folded(marker): role for marker, role in roles.items()
        }
        exact = [marker for marker in self._roles if not marker.startswith(self._mark)]
        #: What every marker begins with.
        self._leads = tuple(filter(None, (self._mark, *exact, closer)))
        self.leads = frozenset(lead[0] for lead in self._leads)
        bare = [marker for marker in self._roles if _needs_boundary(marker)]
        self._prefixes = _proper_prefixes(self._roles) | set(bare)
        self._longest = max(map(len, self._roles))
        self._pattern = re.compile("|".join(map(self._expression, self._roles)), re.ASCII)

    def _folded(self, marker: str) -> str:
        """Return `marker` in the one spelling that stands for all of it."""
        is_folded = marker.startswith(self._mark) and marker[1:].isascii()
        return marker.lower() if is_folded else marker

    def _expression(self, marker: str) -> str:
        boundary = rf"(?=[{_BLANK}{_LINE_END}{self._mark}])" if _needs_boundary(marker) else ""
        literal = re.escape(marker) + boundary
        return f"(?i:{literal})" if marker.startswith(self._mark) else literal

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        # In windows that grow: how far one lead is looked for must not depend on where another is
        # the next one, or each of many markers would cost the whole text.
        start, size = pos, _WINDOW
        while start < len(text):
            for at in self._candidates(text, start, start + size):
                if found := self._judge(text, pos, at, fresh=fresh):
                    return found
            start += size
            size *= 2
        return None

    def _candidates(self, text: str, start: int, stop: int) -> Iterator[int]:
        """Yield where the leads stand that begin in `text[start:stop]`, in their order."""
        ends = {lead: stop + len(lead) - 1 for lead in self._leads}
        places = {
            lead: at for lead, end in ends.items() if (at := text.find(lead, start, end)) >= 0
        }
        while places:
            lead = min(places, key=places.__getitem__)
            at = places[lead]
            yield at
            places[lead] = text.find(lead, at + 1, ends[lead])
            if places[lead] < 0:
                del places[lead]

    def _judge(self, text: str, pos: int, at: int, *, fresh: bool) -> Found | None:
        """Return what stands at `at` and counts there."""
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
        # A marker begins with its lead, and holds none behind it.
        start = max(pos, len(text) - self._longest)
        at = max(text.rfind(lead[0], start) for lead in self._leads)
        if at >= 0 and self.may_hold(text[at:]) and is_fresh(text, pos, at, fresh=fresh):
            return at
        return len(text)

    def may_hold(self, carry: str) -> bool:
        return self._folded(carry) in self._prefixes or bool(carry and carry == self._closer)


def is_fresh(text: str, pos: int, at: int, *, fresh: bool) -> bool:
    """Whether a marker would count at `at`, where `fresh` says it of `pos`."""
    while at > pos:
        # Piece by piece, so that a long text is not copied to look at its end.
        start = max(pos, at - _WINDOW)
        before = text[start:at].rstrip(_BLANK)
        if before:
            return before[-1] in _LINE_END
        at = start
    return fresh


def _needs_boundary(marker: str) -> bool:
    return marker[-1].isalnum()


def _proper_prefixes(markers: Iterable[str]) -> frozenset[str]:
    return frozenset(marker[:size] for marker in markers for size in range(1, len(marker)))


def reach(markers: MarkerSet, text: str, pos: int) -> int:
    """Return how far `text` goes on from `pos` towards any of `markers`."""
    stop = pos
    while stop < len(text) and markers.may_hold(text[pos : stop + 1]):
        stop += 1
    return stop


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """The markers of a dialect, by where they are legal."""

    prose: MarkerSet
    think: MarkerSet
    #: What may begin a turn that starts in think.
    opening: MarkerSet
    #: What may follow a block in a transcript.
    answer: MarkerSet
    #: What ends a block that is skipped.
    void: MarkerSet
    #: What ends results, or the body of one, for each way in which they can be opened.
    results: tuple[MarkerSet, ...]

    @classmethod
    @functools.cache
    def of(cls, dialect: Dialect) -> "Markers":
        """Return the markers of `dialect`."""
        frame = dialect.frame
        return _tag_markers(frame) if isinstance(frame, Tags) else _line_markers(frame)


def _tag_markers(frame: Tags) -> Markers:
    live: dict[str, Role] = {
        frame.think[0]: "think",
        frame.execute[0]: "block",
        frame.results[0]: "results",
    }
    if frame.end:
        live[frame.end] = "end"
    return Markers(
        prose=TagMarkers(live),
        think=TagMarkers({frame.think[1]: "close"}),
        opening=TagMarkers({frame.think[0]: "think"}),
        answer=TagMarkers({frame.results[0]: "results"}),
        void=TagMarkers({frame.execute[1]: "close"}),
        results=(TagMarkers({frame.results[1]: "close"}),),
    )


def _line_markers(frame: Lines) -> Markers:
    results: dict[str, Role] = {opener: "results" for opener, _ in frame.results}
    live: dict[str, Role] = {
        frame.think: "think",
        frame.respond: "prose",
        frame.call: "call",
        frame.execute: "execute",
        frame.end: "end",
        **results,
    }
    everywhere = LineMarkers(frame, live)
    return Markers(
        prose=everywhere,
        think=everywhere,
        opening=LineMarkers(frame, {frame.think: "think"}),
        answer=LineMarkers(frame, results),
        void=everywhere,
        results=tuple(LineMarkers(frame, live, closer) for _, closer in frame.results),
    )
