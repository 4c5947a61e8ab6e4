# SPDX-License-Identifier: MIT
"""Numbers between bounds, as JSON spells them.

At most 15 significant digits are written, as many as every double keeps, and no exponent if a
schema has a bound.  Different numbers of this form are different doubles, so what is true of the
digits is true of the value that any reader decodes.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    FixedText,
    Node,
    either,
    one_of,
    optional,
    repeat,
    sequence,
)

#: The number of decimal digits that every double keeps.
DIGITS: Final = 15
#: The number of digits in an exponent: 999999999999999e99 is finite.
_EXPONENT: Final = 2
#: Every number with at most this many digits has a finite nearest double.
_LONGEST: Final = 308
#: How many decimal places are written if there is a bound, unless the bound itself has more.
_PLACES: Final = 6
#: The most states of an automaton that counts remainders; beyond it, so many multiples are listed.
_STATES: Final = 600
_LISTED: Final = 100

DIGIT: Final = one_of("0123456789")
_FIRST: Final = one_of("123456789")
_SIGN: Final = optional(one_of("-"))

#: Makes a rule of a node, and returns the reference to it.
MakeRule = Callable[[Node], Node]


class Bounds(NamedTuple):
    """The constraints on a number: bounds, if there are any, and a step that divides it."""

    least: Fraction | None = None
    most: Fraction | None = None
    #: Whether the bounds themselves are excluded.
    is_above: bool = False
    is_below: bool = False
    step: Fraction | None = None

    def units(self, unit: Fraction, limit: int) -> tuple[int, int]:
        """Return the bounds as multiples of a unit, limited to a range."""
        low, high = -limit, limit
        if self.least is not None:
            low = math.ceil(self.least / unit)
            low += self.is_above and low * unit == self.least
        if self.most is not None:
            high = math.floor(self.most / unit)
            high -= self.is_below and high * unit == self.most
        return max(low, -limit), min(high, limit)


def decimal(number: float) -> Fraction:
    """Return the exact value of a number's decimal digits."""
    return Fraction(str(number))


def _width(bounds: Bounds, digits: int) -> int:
    """Return how many digits are written: more than 15 only if every number has more."""
    nearest = max(bounds.least or 0, -(bounds.most or 0))
    return min(digits, _LONGEST, max(DIGITS, len(str(math.ceil(nearest)))))


def integers(bounds: Bounds, digits: int, rule: MakeRule) -> Node:
    """Return the integers within bounds, without a point or an exponent."""
    width = _width(bounds, digits)
    if bounds == Bounds():
        return sequence(_SIGN, either("0", sequence(_FIRST, repeat(DIGIT, 0, width - 1))))
    return _Scaled(bounds, 0, width, rule).node()


def numbers(bounds: Bounds, digits: int, rule: MakeRule) -> Node:
    """Return the numbers within bounds, including integers."""
    if bounds == Bounds():
        # All digits of a number count, including those of its fraction and exponent.
        width = min(digits, DIGITS)
        places = min(digits - width, DIGITS)
        fraction = optional(sequence(".", repeat(DIGIT, 1, places))) if places else EMPTY
        sign = optional(one_of("+-"))
        exponent = optional(sequence(one_of("eE"), sign, repeat(DIGIT, 1, _EXPONENT)))
        has_room = digits - width - places >= _EXPONENT
        return sequence(integers(bounds, digits, rule), fraction, exponent if has_room else EMPTY)
    width = _width(bounds, digits)
    ends = (bounds.least, bounds.most)
    most = max([_PLACES, *(_places(each) for each in ends if each is not None)])
    if bounds.step is not None:
        most = _places(bounds.step)  # Further places would all be zero.
    each = (_Scaled(bounds, places, width, rule) for places in range(min(most + 1, width)))
    return either(*(scaled.node() for scaled in each))


def _places(number: Fraction) -> int:
    """Return how many decimal places a number has, which was a decimal."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    return places


def _with_point(digits: str, places: int) -> str:
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


class _Scaled:
    """The numbers within bounds that are written with a fixed number of decimal places."""

    def __init__(self, bounds: Bounds, places: int, width: int, rule: MakeRule) -> None:
        unit = Fraction(1, 10**places)
        self._low, self._high = bounds.units(unit, 10**width - 1)
        self._step = 1 if bounds.step is None else (bounds.step / unit).numerator
        self._places = places
        self._width = width
        self._rule = rule
        self._known: dict[tuple[int, int, int, int], Node] = {}

    def node(self) -> Node:
        negative = self._naturals(max(1, -self._high), -self._low)
        return either(sequence("-", negative), self._naturals(max(0, self._low), self._high))

    def _naturals(self, low: int, high: int) -> Node:
        """Return the numbers from `low` to `high`, counted in units."""
        shortest = self._places + 1
        options = [self._after(shortest, 0, low, high)]
        free: list[int] = []
        for size in range(shortest + 1, self._width + 1):
            first, last = 10 ** (size - 1), 10**size - 1
            if self._states(size) > _STATES:
                options += self._listed(max(low, first), high)
                break
            if self._step == 1 and low <= first and last <= high:
                free.append(size)
            else:
                options.append(self._after(size, 0, max(low, first), high))
        if free:
            before = repeat(DIGIT, free[0] - shortest, free[-1] - shortest)
            options.append(sequence(_FIRST, before, self._fraction()))
        return either(*options)

    def _states(self, size: int) -> int:
        """Return how many states the numbers with `size` digits need, before their last digit."""
        return sum(self._step // math.gcd(self._step, 10**left) for left in range(1, size))

    def _listed(self, low: int, high: int) -> list[Node]:
        """Return the first multiples from `low` on."""
        first = -(-low // self._step) * self._step
        last = min(high, first + self._step * (_LISTED - 1))
        found = (str(multiple) for multiple in range(first, last + 1, self._step))
        return [FixedText(_with_point(digits, self._places)) for digits in found]

    def _fraction(self) -> Node:
        return sequence(".", repeat(DIGIT, self._places, self._places)) if self._places else EMPTY

    def _after(self, left: int, rest: int, low: int, high: int) -> Node:
        """Return `left` digits from `low` to `high` that bring `rest` to a multiple of the step."""
        low, high = max(low, 0), min(high, 10**left - 1)
        if low > high:
            return NOTHING
        key = left, rest, low, high
        if key not in self._known:
            node = self._digits(left, rest, low, high)
            # A node that several paths reach is written once.
            is_shared = self._step > 1 and left > 1 and node != NOTHING
            self._known[key] = self._rule(node) if is_shared else node
        return self._known[key]

    def _digits(self, left: int, rest: int, low: int, high: int) -> Node:
        if left == 0:
            return EMPTY if rest == 0 else NOTHING
        if self._step == 1 and (low, high) == (0, 10**left - 1):
            if self._places > left or not self._places:
                return repeat(DIGIT, left, left)
            before = left - self._places
            return sequence(repeat(DIGIT, before, before), self._fraction())
        unit = 10 ** (left - 1)
        groups: dict[Node, str] = {}
        for digit in range(10):
            after = self._after(
                left - 1,
                (rest + digit * unit) % self._step,
                low - digit * unit,
                high - digit * unit,
            )
            groups[after] = groups.get(after, "") + str(digit)
        options = (sequence(one_of(each), after) for after, each in groups.items())
        return sequence("." if left == self._places else "", either(*options))
