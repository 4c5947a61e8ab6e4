# SPDX-License-Identifier: MIT
"""Markers: their roles, and the sets of them that are legal in one region.

If markers are live only at certain places, these places are called fresh; the machine keeps track
of whether its place is fresh.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

#: The kinds of frames.
FrameKind = Literal["tags", "lines", "wrapped", "bare"]

#: An opener and its closer.
Pair = tuple[str, str]

#: What a marker does.
Role = Literal[
    "think",  # a think begins
    "prose",  # prose begins
    "block",  # a block begins
    "section",  # several calls begin
    "call",  # one call begins
    "header",  # a header begins, which says what follows it
    "execute",  # the calls before it may run
    "results",
    "end",
    "close",  # the open part ends after the marker
    "section_end",
    "stray",  # the closer of a value, where a value before it was cut
]

#: How the first character of a marker is written in running text.
_LITERALS: Final = {"<": "&lt;", "§": "&sect;"}


class Found(NamedTuple):
    """A marker, and where it begins and ends."""

    role: Role
    at: int
    end: int


class MarkerSet:
    """The markers that are legal in one region, and live anywhere in it.

    A subclass narrows where they are live; `fresh` is whether `pos` is a fresh place.
    """

    __slots__ = ("_longest", "_pattern", "_prefixes", "_roles", "begins", "lead", "leads")

    def __init__(self, roles: Mapping[str, Role]) -> None:
        #: The characters with which they begin; and that character, if there is only one.
        self.leads = frozenset(marker[0] for marker in roles)
        self.lead = min(self.leads) if len(self.leads) == 1 else ""
        # At the end of a text every character may follow the first one of a marker.
        ends = "|".join(map(re.escape, sorted({marker[1:2] for marker in roles})))
        #: A pattern that matches in any text in which one begins, if the place before is not fresh.
        self.begins = re.compile(f"[{re.escape(''.join(sorted(self.leads)))}](?:{ends}|\\Z)")
        self._roles = roles
        # If one marker is a prefix of another, the longer one comes first.
        self._pattern = re.compile("|".join(map(re.escape, sorted(roles, reverse=True))))
        self._prefixes = proper_prefixes(roles)
        self._longest = max(map(len, roles))

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        """Return the first marker from `pos` on."""
        if lead := self.lead:
            pos = text.find(lead, pos)
            if pos < 0:
                return None
        match = self._pattern.search(text, pos)
        return match and Found(self._roles[match[0]], match.start(), match.end())

    def match(self, text: str, pos: int) -> Found | None:
        """Return the marker at `pos`, a fresh place."""
        match = self._pattern.match(text, pos)
        return match and Found(self._roles[match[0]], pos, match.end())

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        """Return where the suffix of `text[pos:]` that may become a marker begins."""
        size = len(text)
        pos = max(pos, size - self._longest + 1)
        if lead := self.lead:
            while (pos := text.find(lead, pos)) >= 0 and text[pos:] not in self._prefixes:
                pos += 1
            return size if pos < 0 else pos
        while begin := self.begins.search(text, pos):
            pos = begin.start()
            if text[pos:] in self._prefixes:
                return pos
            pos += 1
        return size

    def may_hold(self, carry: str) -> bool:
        """Whether `carry` is a suffix that `hold` may hold back."""
        return carry in self._prefixes

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        """Whether `at` is fresh."""
        return True


class Markers(NamedTuple):
    """The markers of a frame, by where they are legal."""

    prose: MarkerSet
    think: MarkerSet
    #: Those that may begin a turn that starts in a think.
    opening: MarkerSet
    #: Those that may follow a block in a transcript.
    answer: MarkerSet
    #: Those that end a block that is skipped.
    void: MarkerSet
    #: Those that end results, or the body of one, for each way in which they can be opened.
    results: tuple[MarkerSet, ...]
    #: The markers around the calls of a block, and those around results or the body of one.
    block: Pair
    result: tuple[Pair, ...]


def live_in(text: str, markers: MarkerSet) -> Iterator[Found]:
    """Yield those of `markers` that would be live in `text` if all of it were prose, in order."""
    found = markers.find(text, 0, fresh=True)
    while found:
        yield found
        found = markers.find(text, found.end, fresh=False)


def literal(marker: str) -> str:
    """Return `marker`, or nothing, in its literal form, which represents it in running text."""
    return marker and _LITERALS.get(marker[0], f"&#{ord(marker[0])};") + marker[1:]


def proper_prefixes(markers: Iterable[str]) -> frozenset[str]:
    """Return the proper prefixes of all `markers`."""
    return frozenset(marker[:size] for marker in markers for size in range(1, len(marker)))
