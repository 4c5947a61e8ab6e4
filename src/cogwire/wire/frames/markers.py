# SPDX-License-Identifier: MIT
"""Markers: their roles, and the sets of them that are legal in one region.

If markers are live only at certain places, these places are called fresh; the machine keeps track
of whether its place is fresh.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, Protocol

#: An opener and its closer.
Pair = tuple[str, str]

#: What a marker does.
Role = Literal[
    "think",  # a think begins
    "prose",  # prose begins
    "block",  # a block begins
    "call",  # one call begins
    "execute",  # the calls before it may run
    "results",
    "end",
    "close",  # the open part ends after the marker
]

#: How the first character of a marker is written in running text.
_LITERALS: Final = {"<": "&lt;", "§": "&sect;"}


class Found(NamedTuple):
    """A marker, and where it begins and ends."""

    role: Role
    at: int
    end: int


class MarkerSet(Protocol):
    """The markers that are legal in one region."""

    #: The characters with which they begin; and that character, if there is only one.
    leads: frozenset[str]
    lead: str

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        """Return the first marker from `pos` on; `fresh` is whether `pos` is fresh."""
        ...

    def match(self, text: str, pos: int) -> Found | None:
        """Return the marker at `pos`, a fresh place."""
        ...

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        """Return where the suffix of `text[pos:]` that may become a marker begins."""
        ...

    def may_hold(self, carry: str) -> bool:
        """Whether `carry` is a suffix that `hold` may hold back."""
        ...

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        """Whether `at` is fresh, given whether `pos` is."""
        ...


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


def literal(marker: str) -> str:
    """Return `marker` in its literal form, which represents it in running text."""
    return _LITERALS.get(marker[0], f"&#{ord(marker[0])};") + marker[1:]


def proper_prefixes(markers: Iterable[str]) -> frozenset[str]:
    """Return the proper prefixes of all `markers`."""
    return frozenset(marker[:size] for marker in markers for size in range(1, len(marker)))
