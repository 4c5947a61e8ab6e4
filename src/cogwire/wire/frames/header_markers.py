# SPDX-License-Identifier: MIT
"""Headers: markers with a text between their ends, which says what follows them.

A header lasts from a marker of `open` through `close`, or through the opener of a think, a section
or a call.  It is found like a marker, so that text which is not a header stays prose.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ...text import WHITE
from .longest import LongestMarkers, markers_in
from .markers import Found, MarkerSet, Role

#: The most characters between the opener of a header and its end.
LONGEST_HEADER: Final = 256
#: A character that may have replaced another one.
_LOST: Final = "\ufffd"
#: Not enough text to say whether it is a header.
_UNDECIDED: Final = "undecided"


@dataclass(frozen=True)
class Header:
    """How headers are written; the words in them say what follows."""

    #: The markers that begin a header, or are within one; and the marker that ends it.
    open: tuple[str, ...]
    close: str
    #: The words of a think, and those of prose that could be taken for the name of a tool.
    think: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    #: What the word with the name of a tool begins with; one of several.
    call: str | tuple[str, ...] = ()

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What the word with the name of a tool may begin with."""
        return (self.call,) if isinstance(self.call, str) else self.call

    @property
    def name_end(self) -> re.Pattern[str]:
        """What ends the name of a tool."""
        return re.compile("|".join((f"[{WHITE}]", *map(re.escape, (*self.open, self.close)))))


class HeaderMarkers(LongestMarkers):
    """Markers that are live anywhere, and headers."""

    __slots__ = ("_breaks", "_header", "_inner", "_is_apart", "_is_last", "_names", "_undecided")

    def __init__(
        self,
        roles: Mapping[str, Role],
        header: Header,
        inner: Mapping[str, Role],
        *,
        is_last: bool = False,
    ) -> None:
        """Find markers with these roles; those of `inner` end a header, or break it."""
        openers: dict[str, Role] = dict.fromkeys(header.open, "header")
        super().__init__({**roles, **openers})
        self._header = header
        #: What the name of a tool begins with, the longest first.
        self._names = tuple(sorted(header.prefixes, key=len, reverse=True))
        self._is_last = is_last
        closer: dict[str, Role] = {header.close: "close"}
        self._inner = markers_in({**inner, **openers, **closer}, is_last=is_last)
        #: What is certainly the beginning of a header, if it is not too long; and whether nothing
        #: else is, since no marker in a header may overlap another one.
        begins, ends = ("|".join(map(re.escape, each)) for each in (openers, {**inner, **closer}))
        leads = re.escape("".join(sorted(self._inner.leads)))
        run = f"[^{leads}{_LOST}]*"
        self._undecided = re.compile(rf"(?:{begins}){run}(?:(?!{ends}|{_LOST})[{leads}]{run})*")
        self._is_apart = type(self._inner) is MarkerSet and not any(
            one[start:].startswith(other[: len(one) - start])
            for one in openers
            for other in (*inner, *closer)
            for start in range(len(one))
        )
        white = f"[{WHITE}]+"
        self._breaks = re.compile(
            "|".join((white, *map(re.escape, sorted(header.open, reverse=True))))
        )

    def _certain(self, found: Found | None, text: str) -> Found | None:
        return found if self._is_last else super()._certain(found, text)

    def _search(self, text: str, pos: int) -> Found | int | None:
        """Return the first marker from `pos` on, or where a header that is not decided begins."""
        while (found := super().find(text, pos, fresh=True)) is not None:
            if found.role != "header":
                return found
            read = self.read(text, found)
            if read == _UNDECIDED:
                return found.at
            if read is not None:
                return read
            pos = found.at + 1  # another marker may begin in what is not a header
        return None

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        found = self._search(text, pos)
        return found if isinstance(found, Found) else None

    def match(self, text: str, pos: int) -> Found | None:
        found = super().match(text, pos)
        if found is None or found.role != "header":
            return found
        read = self.read(text, found)
        return read if isinstance(read, Found) else None

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        held = super().hold(text, pos, fresh=fresh)
        found = self._search(text, pos)
        return min(held, found) if isinstance(found, int) else held

    def may_hold(self, carry: str) -> bool:
        is_short = len(carry) <= LONGEST_HEADER and not self._is_last
        if carry in self._prefixes or (is_short and self._undecided.fullmatch(carry)):
            return True
        return not (is_short and self._is_apart) and self._is_undecided(carry)

    def _is_undecided(self, carry: str) -> bool:
        """Whether `carry` begins with a header that has not ended."""
        found = super().match(carry, 0)
        if found is None or found.role != "header":
            return False
        return self._end(carry, found) == _UNDECIDED

    def read(self, text: str, opener: Found) -> Found | Literal["undecided"] | None:
        """Return the header after `opener`; `None` if there is none."""
        end = self._end(text, opener)
        if isinstance(end, Found) and end.role == "close":
            return self._meaning(text, opener, end)
        return end

    def _end(self, text: str, opener: Found) -> Found | Literal["undecided"] | None:
        """Return the closer of a header, or the whole of one that an opener ends."""
        at = begin = opener.end
        while found := self._inner.find(text, at, fresh=True):
            if found.at - begin > LONGEST_HEADER or _LOST in text[at : found.at]:
                return None
            if found.role == "close":
                return found
            if found.role in ("think", "section", "call"):
                return Found(found.role, opener.at, found.end)
            if found.role != "header":
                return None
            at = found.end
        held = self._inner.hold(text, at, fresh=True)
        is_over = held - begin > LONGEST_HEADER or _LOST in text[at:held]
        return None if self._is_last or is_over else _UNDECIDED

    def _meaning(self, text: str, opener: Found, closer: Found) -> Found | None:
        """Return what the words of a header say."""
        header, prefixes = self._header, self._names
        names: list[int] = []
        is_think = is_prose = False
        at = opener.end
        spans = [gap.span() for gap in self._breaks.finditer(text, at, closer.at)]
        for stop, after in (*spans, (closer.at, closer.at)):
            word = text[at:stop]
            if word in header.think:
                is_think = True
            elif word in header.prose:
                is_prose = True
            elif word and word.startswith(prefixes):
                prefix = next(each for each in prefixes if word.startswith(each))
                names.append(at + len(prefix))
            at = after
        if "" in prefixes and (spans or not (names or is_think or is_prose)):
            return None  # every other word is the name of a tool, so there is only one
        if len(names) > 1:
            return None
        if names:
            return Found("call", opener.at, names[0])
        return Found("think" if is_think else "prose", opener.at, closer.end)


class OpenedHeader(HeaderMarkers):
    """The rest of a header that the prompt has begun."""

    __slots__ = ()

    def may_hold(self, carry: str) -> bool:
        return self.hold(carry, 0, fresh=True) == 0

    def match(self, text: str, pos: int) -> Found | None:
        read = self.read(text, Found("header", pos, pos))
        return read if isinstance(read, Found) else None

    def hold(self, text: str, pos: int, *, fresh: bool) -> int:
        is_undecided = self.read(text, Found("header", pos, pos)) == _UNDECIDED
        return pos if is_undecided else len(text)
