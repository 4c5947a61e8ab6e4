# SPDX-License-Identifier: MIT
"""Headers: an opener, words that say what follows the header, and its end.

A header lasts from a marker of `open` through `close`, or through the opener of a think, a section
or a call.  It is found like a marker, so that text which is not a header stays prose.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ...text import WHITE
from .longest import LongestMarkers, markers_in
from .markers import Found, MarkerSet, Role, proper_prefixes

#: The most characters between the opener of a header and its end.
LONGEST_HEADER: Final = 256
#: A character that may have replaced another one.
_LOST: Final = "\ufffd"
#: Not enough text to say whether it is a header.
_UNDECIDED: Final = "undecided"


@dataclass(frozen=True)
class Header:
    """How headers are written; their words say what follows them."""

    #: The markers that begin a header, or are within one; and the marker that ends it.
    open: tuple[str, ...]
    close: str
    #: The words that mean a think; and of those of prose, the ones that could be a tool's name.
    think: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    #: The prefix of the word with the name of a tool, or several such prefixes.
    call: str | tuple[str, ...] = ()

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes that the word with the name of a tool may have."""
        return (self.call,) if isinstance(self.call, str) else self.call

    @property
    def name_end(self) -> re.Pattern[str]:
        """A pattern for what ends the name of a tool."""
        return re.compile("|".join((f"[{WHITE}]", *map(re.escape, (*self.open, self.close)))))


def _to_end(roles: Mapping[str, Role], *, is_last: bool) -> re.Pattern[str]:
    """Return a pattern for the text of a header between its opener and its end.

    Its group ends where the last opener does.  It stops before a lost character too.
    """

    def one_of(texts: Iterable[str]) -> str:
        return "|".join(map(re.escape, sorted(texts, reverse=True)))

    ends = [each for each, role in roles.items() if role != "header"]
    # At the end of the text a marker may become a longer one.
    unsure = [each for each in proper_prefixes(roles) if each.startswith((*roles,))]
    stop = "" if is_last or not unsure else rf"(?!(?:{one_of(unsure)})\Z)"
    openers = ""
    for opener in sorted(roles.keys() - ends, reverse=True):
        # Of several markers that begin at a place the longest one counts.
        longer = [each[len(opener) :] for each in ends if each.startswith(opener)]
        openers += "|" * bool(openers) + re.escape(opener)
        openers += f"(?!{one_of(longer)})" * bool(longer)
    leads = re.escape("".join(sorted({each[0] for each in roles})))
    other = rf"[^{leads}{_LOST}]+|{stop}(?!{one_of(ends)})[{leads}]"
    return re.compile(rf"(?:((?:{stop}(?:{openers}))+)|{other})*")


class HeaderMarkers(LongestMarkers):
    """Markers that are live anywhere, and headers."""

    __slots__ = (
        "_breaks",
        "_header",
        "_inner",
        "_is_apart",
        "_is_last",
        "_longest_within",
        "_names",
        "_to_end",
        "_undecided",
    )

    def __init__(
        self,
        roles: Mapping[str, Role],
        header: Header,
        inner: Mapping[str, Role],
        *,
        is_last: bool = False,
    ) -> None:
        """Find markers with these roles, and headers; those of `inner` end or break a header."""
        openers: dict[str, Role] = dict.fromkeys(header.open, "header")
        super().__init__({**roles, **openers})
        self._header = header
        #: The prefixes of the word with the name of a tool, the longest first.
        self._names = tuple(sorted(header.prefixes, key=len, reverse=True))
        self._is_last = is_last
        closer: dict[str, Role] = {header.close: "close"}
        within: dict[str, Role] = {**inner, **openers, **closer}
        self._inner = markers_in(within, is_last=is_last)
        self._to_end = _to_end(within, is_last=is_last)
        self._longest_within = max(map(len, within))
        #: A pattern for text that is surely the beginning of a header, unless it is too long.
        begins, ends = ("|".join(map(re.escape, each)) for each in (openers, {**inner, **closer}))
        leads = re.escape("".join(sorted(self._inner.leads)))
        run = f"[^{leads}{_LOST}]*"
        self._undecided = re.compile(rf"(?:{begins}){run}(?:(?!{ends}|{_LOST})[{leads}]{run})*")
        #: Whether no other text is, since no marker in a header can overlap an opener of headers;
        #: then all headers that begin before an end have this end.
        self._is_apart = type(self._inner) is MarkerSet and not any(
            one[start:].startswith(other[: len(one) - start])
            for one in openers
            for other in (*inner, *closer)
            for start in range(len(one))
        )
        white = f"[{WHITE}]"
        breaks = "|".join((white, *map(re.escape, sorted(header.open, reverse=True))))
        self._breaks = re.compile(f"(?:{breaks})+")

    def _certain(self, found: Found | None, text: str) -> Found | None:
        return found if self._is_last else super()._certain(found, text)

    def _search(self, text: str, pos: int) -> Found | int | None:
        """Return the first marker from `pos` on, or the place of a header that may still end."""
        end: re.Match[str] | None = None
        while (found := super().find(text, pos, fresh=True)) is not None:
            if found.role != "header":
                return found
            if not (end and self._is_apart and found.end <= end.end() < len(text)):
                end = self._pass(text, found, len(text) if self._is_apart else 0)
            read = self.read(text, found, end)
            if read == _UNDECIDED:
                return found.at
            if read is not None:
                return read
            pos = found.at + 1  # another marker may begin in what is not a header
            if self._is_apart:
                # A header that begins much before the end is too long, as this one is.
                pos = max(pos, end.end() - LONGEST_HEADER - 2 * self._longest_within)
        return None

    def _pass(self, text: str, opener: Found, stop: int = 0) -> re.Match[str]:
        """Match the text in a header, up to `stop` or as far as its end may be."""
        at = opener.end
        stop = max(stop, at + LONGEST_HEADER + self._longest_within)
        passed = self._to_end.match(text, at, stop)
        assert passed is not None  # noqa: S101 (it matches an empty text)
        return passed

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
        return self._end(carry, found, self._pass(carry, found)) == _UNDECIDED

    def read(
        self, text: str, opener: Found, passed: re.Match[str] | None = None
    ) -> Found | Literal["undecided"] | None:
        """Return the header after `opener`; `None` if there is none."""
        end = self._end(text, opener, passed or self._pass(text, opener))
        if isinstance(end, Found) and end.role == "close":
            return self._meaning(text, opener, end)
        return end

    def _end(
        self, text: str, opener: Found, passed: re.Match[str]
    ) -> Found | Literal["undecided"] | None:
        """Return the closer of a header, or the whole header if an opener ends it."""
        begin = opener.end
        if found := self._inner.match(text, passed.end()):
            if found.at - begin > LONGEST_HEADER:
                return None
            if found.role in ("think", "section", "call"):
                return Found(found.role, opener.at, found.end)
            return found if found.role == "close" else None
        # What follows the last opener may become a marker.
        at = max(begin, passed.end(1))
        held = self._inner.hold(text, at, fresh=True)
        is_over = held - begin > LONGEST_HEADER or _LOST in text[at:held]
        return None if self._is_last or is_over else _UNDECIDED

    def _meaning(self, text: str, opener: Found, closer: Found) -> Found | None:
        """Return a header by what its words mean; `None` if these words make no header."""
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
                if len(names) > 1:
                    return None
            at = after
        if "" in prefixes and (spans or not (names or is_think or is_prose)):
            return None  # every other word is the name of a tool, so there is only one
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
