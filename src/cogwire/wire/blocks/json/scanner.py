# SPDX-License-Identifier: MIT
"""Decodes whole elements with the standard library's C scanner, and checks what it does not.

The scanner accepts more than strict JSON: duplicate names, numbers of any size, `NaN`, lone
surrogates, any depth.  So its result counts only if each of these is ruled out.  An element for
which this fails is not refused: the machine reads it, and only the machine reports errors.
"""

import functools
import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ....events import Limits
from ..interface import ReadCall

if TYPE_CHECKING:
    from ..format import Shape

#: Every number with this many digits and no exponent is finite.
FINITE_DIGITS: Final = 308

#: An escape of a surrogate, and the escapes that contain no lone one: pairs, and short escapes.
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HARMLESS: Final = re.compile(r"\\(?:[^u]|u[dD][89abAB]..\\u[dD][c-fC-F]..)")


class Scanner:
    """Decodes elements that are within the limits."""

    __slots__ = ("_bound", "_depth", "_scan", "_short")

    def __init__(self, limits: Limits) -> None:
        digits = min(limits.digits, FINITE_DIGITS)
        self._depth = limits.depth
        self._bound = 10**digits
        #: A text with at most this many characters cannot exceed the limits of depth and digits.
        self._short = min(2 * limits.depth - 2, digits)

        def finite(token: str) -> float:
            value = float(token)
            if len(token) > limits.digits or not math.isfinite(value):
                raise ValueError(token)
            return value

        decoder = json.JSONDecoder(
            object_pairs_hook=_distinct, parse_float=finite, parse_constant=_no_constant
        )
        self._scan = vars(decoder)["scan_once"]

    def read(
        self, text: str, base: int, between: re.Pattern[str], shape: "Shape", count: int
    ) -> list[ReadCall]:
        """Return the elements that `text` begins with, up to the first that may break a rule.

        Their places are counted from `base`, and `count` elements of this `shape` came before them.
        `between` matches the text between two elements, with the brace.
        """
        found: list[ReadCall] = []
        pos = 0
        for index in range(count, shape.capacity):
            try:
                element, stop = self._scan(text, pos)
            except (ValueError, StopIteration, RecursionError):
                break
            content = text[pos:stop]
            if stop - pos > self._short and not self._is_within_limits(element):
                break
            if "\\u" in content and _HALF.search(_HARMLESS.sub("", content)):
                break
            if not shape.accepts(index, element):
                break
            found.append((content, base + pos, base + stop))
            gap = between.match(text, stop)
            if gap is None:
                break
            pos = gap.end() - 1
        return found

    def _is_within_limits(self, element: dict[str, Any]) -> bool:
        """Whether no value in `element` is nested too deeply, and no integer is too long."""
        bound = self._bound
        level: list[Any] = [element]
        for _ in range(self._depth - 1):
            deeper: list[Any] = []
            for container in level:
                for value in container.values() if container.__class__ is dict else container:
                    kind = value.__class__
                    if kind is dict or kind is list:
                        deeper.append(value)
                    elif kind is int and not -bound < value < bound:
                        return False
            if not deeper:
                return True
            level = deeper
        return False


@functools.lru_cache(maxsize=4)
def scanner_of(limits: Limits) -> Scanner:
    """Return the scanner for these limits."""
    return Scanner(limits)


def _distinct(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        raise ValueError("two members have the same name")
    return value


def _no_constant(token: str) -> NoReturn:
    raise ValueError(token)
