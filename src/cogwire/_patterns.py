# SPDX-License-Identifier: MIT
"""Regular expressions whose search takes time in proportion to the text, whatever they are.

Python's `re` tries one way to match after another, and there may be exponentially many; who may
write both a pattern and a text can stop a program with a few characters.  Here all ways are
followed at once (K. Thompson, Regular Expression Search Algorithm, 1968): a pattern becomes a
program, and what is kept at each place of the text is the set of its instructions that the text
before may have led to.  Sets that were met are kept, with the sets that characters lead to, so
that most characters take one look into a dictionary.

What a pattern means is what it means to `re.search`.  Single characters, classes and places are
left to `re`; what cannot be followed in this way (backreferences, looking ahead or behind,
possessive and atomic groups, flags) is refused.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple, NoReturn, Protocol

from ._work import Work

#: How many instructions the patterns of one tool may have: counted repetitions are written out in
#: them, so that a short pattern may become a long one.
LONGEST: Final = 50_000

#: Texts that are longer are searched without what earlier searches left behind, so that how much
#: work it takes does not depend on these.
_SHORT: Final = 1_000

#: How much a pattern remembers of the sets that it met, in instructions and steps.
_MEMORY: Final = 10_000

#: One character outside of classes, as the pattern writes it.
_CHARACTER: Final = re.compile(
    r"\[\^?\]?(?:[^\]\\]|\\.)*\]"
    r"|\\(?:x..|u.{4}|U.{8}|N\{[^}]*\}|0[0-7]{0,2}|[0-7]{3}|[^1-9])"
    r"|[^\\]",
    re.DOTALL,
)
_PLACE: Final = re.compile(r"\^|\$|\\[AZzbB]")
_GROUP: Final = re.compile(r"\((?:\?:|\?P<\w+>|(?!\?))")
_REPEAT: Final = re.compile(r"([*+?]|\{([0-9]+|[0-9]*,[0-9]*)\})(\??)")


class Searcher(Protocol):
    """What has been made of a pattern, such as a compiled pattern of `re`."""

    def search(self, text: str, /) -> object:
        """Return something true if the pattern is found in the text."""
        ...


#: Whether a text has what a pattern means; the work that this takes is spent.
Matcher = Callable[[str, Work], bool]


class Matchers:
    """Makes the matchers of one tool's patterns.

    `make` is another maker of searchers, such as `re.compile`; how long these take is for whoever
    chose it.  `ValueError` for what is no pattern, cannot be followed, or is too much.
    """

    def __init__(self, make: Callable[[str], Searcher] | None = None) -> None:
        self._make = make
        self._left = LONGEST

    def __call__(self, pattern: str) -> Matcher:
        """Return the matcher of a pattern."""
        return _searching(self._make, pattern) if self._make else self._following(pattern)

    def _following(self, pattern: str) -> Matcher:
        try:
            re.compile(pattern)
        except (re.error, OverflowError) as error:
            raise ValueError(f"is no pattern: {error}") from None
        part = _Reader(pattern).read()
        self._left -= _length(part)
        if self._left < 0:
            raise ValueError(
                f"makes the patterns of this tool longer than {LONGEST} instructions, with what is "
                "to be repeated written out"
            )
        return _Program(part).is_in


def _searching(make: Callable[[str], Searcher], pattern: str) -> Matcher:
    try:
        searcher = make(pattern)
    except Exception as error:
        raise ValueError(f"is refused by `patterns`: {error}") from error

    def is_in(text: str, work: Work) -> bool:
        work.spend(len(text) // 16)
        return bool(searcher.search(text))

    return is_in


# --- What a pattern says ------------------------------------------------------------------------


class _One(NamedTuple):
    """One character of these."""

    source: str


class _At(NamedTuple):
    """A place, and no character."""

    source: str


class _All(NamedTuple):
    """One after the other."""

    parts: "Sequence[_Part]"


class _Any(NamedTuple):
    """One of these."""

    parts: "Sequence[_Part]"


class _Repeat(NamedTuple):
    """Several times; `most` is `None` where there is no bound."""

    part: "_Part"
    least: int
    most: int | None


_Part = _One | _At | _All | _Any | _Repeat


class _Reader:
    """Reads a pattern that `re` has read already, so that it is known to be one."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def read(self) -> _Part:
        """Return alternatives, up to a bracket that closes them, or the end."""
        branches = [self._sequence()]
        while self._takes("|"):
            branches.append(self._sequence())
        return _Any(branches)

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            parts.append(self._repeated(self._single()))
        return _All(parts)

    def _single(self) -> _Part:
        if self._pattern[self._at] == "(":
            self._match(_GROUP)
            inside = self.read()
            self._takes(")")
            return inside
        if place := _PLACE.match(self._pattern, self._at):
            self._at = place.end()
            return _At(place[0])
        return _One(self._match(_CHARACTER)[0])

    def _repeated(self, part: _Part) -> _Part:
        found = _REPEAT.match(self._pattern, self._at)
        if not found:
            return part
        if self._pattern.startswith("+", found.end()):
            self._refuse()
        # Whether as much is taken as can be, or as little, changes what is found, not whether.
        self._at = found.end()
        return _Repeat(part, *_bounds(found[1], found[2]))

    def _takes(self, character: str) -> bool:
        taken = self._pattern.startswith(character, self._at)
        self._at += taken
        return taken

    def _match(self, form: re.Pattern[str]) -> re.Match[str]:
        found = form.match(self._pattern, self._at)
        if not found:
            self._refuse()
        self._at = found.end()
        return found

    def _refuse(self) -> NoReturn:
        rest = self._pattern[self._at : self._at + 20]
        raise ValueError(
            f"is a pattern that may take any time, because of {rest!r}; `patterns` may choose what "
            "takes it"
        )


def _bounds(operator: str, counts: str | None) -> tuple[int, int | None]:
    if counts is None:
        return int(operator == "+"), 1 if operator == "?" else None
    least, comma, most = counts.partition(",")
    if not comma:
        return int(least), int(least)
    return int(least or 0), int(most) if most else None


def _length(part: _Part) -> int:
    """Return how many instructions a part is, repetitions written out."""
    if isinstance(part, _Repeat):
        times = part.least + 1 if part.most is None else part.most
        return times * (_length(part.part) + 1)
    if isinstance(part, _All | _Any):
        return sum(_length(each) + 1 for each in part.parts)
    return 1


# --- Searching ----------------------------------------------------------------------------------

#: A character, or at the end none, and the places before it, a bit for each.
_Symbol = tuple[str, int]


class _States(dict[_Symbol, "_Move"]):
    """A set of instructions, and what the symbols that were met there led to."""

    def __init__(self, instructions: frozenset[int]) -> None:
        self.instructions = instructions


class _Move(NamedTuple):
    """What a symbol leads to; `None` if the pattern is found.  And what that took."""

    states: _States | None
    steps: int


class _Memory:
    """The sets that were met; when they are too many, they are forgotten."""

    def __init__(self) -> None:
        self._known: dict[frozenset[int], _States] = {}
        self._kept = 0

    def states(self, instructions: frozenset[int]) -> _States:
        """Return a set of instructions."""
        known = self._known.get(instructions)
        if known is None:
            known = self._known[instructions] = _States(instructions)
        return known

    def keep(self, size: int) -> None:
        """Note that so much more is kept."""
        self._kept += size
        if self._kept > _MEMORY:
            self._known.clear()
            self._kept = 0


class _Program:
    """A pattern as instructions; one that goes on to others is a pair of what and where to."""

    def __init__(self, part: _Part) -> None:
        self._places: dict[str, int] = {}
        self._tests: dict[str, Callable[[str], object]] = {}
        self._ones: dict[int, tuple[Callable[[str], object], int]] = {}
        self._ats: dict[int, tuple[int, int]] = {}
        self._splits: dict[int, tuple[int, ...]] = {}
        self._count = 1  # The instruction 0 is the end: the pattern is found.
        self._first = self._written(part, 0)
        self._memory = _Memory()

    # -- Writing ----------------------------------------------------------------------------

    def _written(self, part: _Part, following: int) -> int:
        """Write a part that goes on to `following`; return where it begins."""
        if isinstance(part, _One):
            test = self._tests.setdefault(part.source, re.compile(part.source).fullmatch)
            self._ones[self._count] = test, following
        elif isinstance(part, _At):
            bit = self._places.setdefault(part.source, 1 << len(self._places))
            self._ats[self._count] = bit, following
        elif isinstance(part, _All):
            for each in reversed(part.parts):
                following = self._written(each, following)
            return following
        elif isinstance(part, _Any):
            return self._split(*(self._written(each, following) for each in part.parts))
        else:
            return self._repetition(part, following)
        self._count += 1
        return self._count - 1

    def _repetition(self, repeat: _Repeat, following: int) -> int:
        after = following
        if repeat.most is None:
            after = self._split(following)
            self._splits[after] = following, self._written(repeat.part, after)
        else:
            for _ in range(repeat.most - repeat.least):
                after = self._split(following, self._written(repeat.part, after))
        for _ in range(repeat.least):
            after = self._written(repeat.part, after)
        return after

    def _split(self, *following: int) -> int:
        self._splits[self._count] = following
        self._count += 1
        return self._count - 1

    # -- Following --------------------------------------------------------------------------

    def is_in(self, text: str, work: Work) -> bool:
        """Whether the text has what the pattern means."""
        is_short = len(text) <= _SHORT
        memory = self._memory if is_short else _Memory()
        places = self._places_of(text)
        states = memory.states(frozenset())
        is_found = False
        left = work.left - 4 - len(text) // 8
        for symbol in chain(zip(text, places, strict=False), [("", places[-1])]):
            move = states.get(symbol)
            if move is None or is_short:
                move = move or self._move(memory, states, symbol)
                left -= move.steps
            is_found = move.states is None
            if move.states is None or left < 0:
                break
            states = move.states
        work.spend(work.left - left)
        return is_found

    def _places_of(self, text: str) -> bytearray:
        """Return which of the places each character and the end stand at."""
        places = bytearray(len(text) + 1)
        for source, bit in self._places.items():
            for found in re.finditer(source, text):
                places[found.start()] |= bit
        return places

    def _move(self, memory: _Memory, states: _States, symbol: _Symbol) -> _Move:
        character, places = symbol
        reached = self._reached(states.instructions, places)
        following: _States | None = None
        if 0 not in reached:
            ones = (self._ones[each] for each in reached if each in self._ones)
            following = memory.states(frozenset(after for test, after in ones if test(character)))
        memory.keep(1 + len(reached))
        move = states[symbol] = _Move(following, len(reached))
        return move

    def _reached(self, instructions: Iterable[int], places: int) -> set[int]:
        """Return the instructions that these lead to before the next character."""
        reached: set[int] = set()
        waiting = [*instructions, self._first]
        while waiting:
            each = waiting.pop()
            if each not in reached:
                reached.add(each)
                if each in self._splits:
                    waiting += self._splits[each]
                elif each in self._ats and self._ats[each][0] & places:
                    waiting.append(self._ats[each][1])
        return reached
