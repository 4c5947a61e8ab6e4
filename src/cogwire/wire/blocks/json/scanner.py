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

    __slots__ = ("_bound", "_depth", "_loose", "_short", "_strict")

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

        decoder = json.JSONDecoder
        options: Any = {"parse_float": finite, "parse_constant": _no_constant}
        self._loose = vars(decoder(**options))["scan_once"]
        self._strict = vars(decoder(object_pairs_hook=_distinct, **options))["scan_once"]

    def read(
        self, text: str, base: int, between: re.Pattern[str], shape: "Shape", count: int
    ) -> list[ReadCall]:
        """Return the elements that `text` begins with, up to the first that may break a rule.

        Their places are counted from `base`, and `count` elements of this `shape` came before them.
        `between` matches the text between two elements, with the brace; `shape.nested` is the
        member whose value usually is an object.
        """
        found: list[ReadCall] = []
        loose, strict, short, nested = self._loose, self._strict, self._short, shape.nested
        pos, gap, size = 0, 0, len(text)
        # The end of the last element and the text after it, which usually recur, and whether short
        # elements seem to contain no objects but one.
        ending, is_flat = "}}", text.startswith("}}", text.find("}"))
        # The places of the next backslash, and of the next escape that may be a lone surrogate.
        escape = half = -1
        for index in range(count, shape.capacity):
            # Refusing duplicates costs as much as decoding a short element.
            end = text.find(ending, pos, pos + short) if is_flat else -1
            is_short = end > 0 or (is_flat and size - pos <= short)
            try:
                element, stop = (loose if is_short else strict)(text, pos)
                content = text[pos:stop]
                if is_short:
                    # A duplicate that was dropped leaves a colon too many (escapes may spell one).
                    colons = content.count(":") - len(element)
                    value = element.get(nested)
                    if value.__class__ is dict:
                        colons -= len(value)
                    if colons and ("\\u" in content or colons != _colons(element, value)):
                        is_flat = False
                        element, stop = strict(text, pos)
            except (ValueError, StopIteration, RecursionError):
                break
            if stop - pos > short and not self._is_within_limits(element):
                break
            if escape < pos:
                escape = text.find("\\", pos)
                if escape < 0:
                    escape = size
            if escape < stop:
                if half < pos:
                    match = _HALF.search(text, escape)
                    half = match.start() if match else size
                if half < stop and _HALF.search(_HARMLESS.sub("", content)):
                    break
            if not shape.accepts(index, element):
                break
            found.append((content, base + pos, base + stop))
            if not gap or (end + 2 != stop and not text.startswith(ending, stop - 2)):
                match = between.match(text, stop)
                if match is None:
                    break
                gap = match.end() - 1 - stop
                ending = text[stop - 2 : match.end()]
            pos = stop + gap
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


def _colons(*values: Any) -> int:
    """Return how many colons the strings in those `values` that are objects contain."""
    objects = [value.values() for value in values if value.__class__ is dict]
    strings = [value for members in objects for value in members if value.__class__ is str]
    return "".join(strings).count(":")


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
