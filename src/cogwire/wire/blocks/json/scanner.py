# SPDX-License-Identifier: MIT
"""Decodes whole elements with the standard library's C scanner, and proves what it does not check.

The scanner takes more than strict JSON does: duplicate names, numbers of any size, `NaN`, halves of
surrogate pairs, any depth.  So its result counts only with a proof for each of these rules, which
costs a few searches in the source and one look at the values.  What is not proved is not refused:
it is for the machine, which alone reports errors.
"""

import functools
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ....events import Limits
from ....text.scan import WHITE

#: A number of so many digits, without an exponent, is finite.
FINITE_DIGITS: Final = 308

#: What comes between two elements of an array, through the first character of the second.
COMMA: Final = re.compile(f"[{WHITE}]*,[{WHITE}]*\\{{")
#: An escape that may be half of a surrogate pair: only the machine follows escapes in order.
_HALF_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Run:
    """Elements of an array, one after the other."""

    elements: list[dict[str, Any]]
    #: Where each begins and ends in the source.
    spans: list[tuple[int, int]]
    #: Where the next element begins, if the scanner did not take it.
    refused: int | None

    def is_sound(self, source: str, limits: Limits, nested: str) -> bool:
        """Prove that no element breaks a rule that the scanner does not check.

        `nested` is the member that holds values of its own; others may too, but seldom do.
        """
        if not self.spans:
            return False
        begin, end = self.spans[0][0], self.spans[-1][1]
        coded = source.find("\\u", begin, end) >= 0
        if coded and _HALF_ESCAPE.search(source, begin, end):
            return False
        short = min(2 * limits.depth - 2, limits.digits, FINITE_DIGITS)
        doubtful: list[dict[str, Any]] = []
        quotes = 0
        for element, (start, stop) in zip(self.elements, self.spans, strict=True):
            if stop - start <= short:
                # Too short to be too deep or to hold too long a number.  As many names as colons:
                # none was lost to a duplicate, and there are no others.
                names = len(element)
                value: Any = element.get(nested)
                if value.__class__ is dict:
                    names += len(value)
                if names == source.count(":", start, stop):
                    continue
            doubtful.append(element)
            quotes += source.count('"', start, stop)
            if coded:
                quotes -= _count_escaped(source, start, stop)
        survey = _survey(doubtful, limits.depth, 10 ** min(limits.digits, FINITE_DIGITS))
        if survey is None:
            return False
        # The quotes tell how many strings were written: a duplicate leaves more of them than there
        # are names and values.  Quotes in strings do not count; where no character is written as a
        # number, they are those of the values.
        strings, inner = survey
        return quotes == 2 * strings + (0 if coded else inner)


@functools.cache
def marker_between(marker: str) -> re.Pattern[str]:
    """Return what comes between two elements where `marker`, in any ASCII case, divides them."""
    return re.compile(
        rf"[{WHITE}]*(?i:{re.escape(marker)})[{WHITE}]*\{{",
        re.ASCII,
    )


def decode(
    source: str, at: int, most: int, limits: Limits, dividing: re.Pattern[str] = COMMA
) -> Run:
    """Decode up to `most` elements from `at` on, as far as the scanner goes."""
    scan = _scanner(limits.digits)
    elements: list[dict[str, Any]] = []
    spans: list[tuple[int, int]] = []
    between = ""
    while len(spans) < most:
        try:
            element, stop = scan(source, at)
        except (ValueError, StopIteration, RecursionError):
            return Run(elements, spans, at)
        elements.append(element)
        spans.append((at, stop))
        if not between or not source.startswith(between, stop):
            # What comes between two elements is most often the same everywhere.
            following = dividing.match(source, stop)
            if following is None:
                break
            between = following.group()
        at = stop + len(between) - 1
    return Run(elements, spans, None)


def _count_escaped(source: str, start: int, stop: int) -> int:
    """Count the quotes that a backslash escapes."""
    return source[start:stop].replace("\\\\", "").count('\\"')


def _survey(elements: list[dict[str, Any]], depth: int, bound: int) -> tuple[int, int] | None:
    """Count names and string values, and the quotes in them.

    `None` if a value is nested deeper than `depth`, or an integer not below `bound`.
    """
    strings = quotes = 0
    level: list[Any] = [*elements]
    for _ in range(depth - 1):
        deeper: list[Any] = []
        for container in level:
            values = container
            if container.__class__ is dict:
                strings += len(container)
                quotes += "".join(container).count('"')
                values = container.values()
            for value in values:
                kind = value.__class__
                if kind is str:
                    strings += 1
                    quotes += value.count('"')
                elif kind is dict or kind is list:
                    deeper.append(value)
                elif kind is int and not -bound < value < bound:
                    return None
        if not deeper:
            return strings, quotes
        level = deeper
    return None


def _no_constant(token: str) -> float:
    raise ValueError(token)


@functools.lru_cache(maxsize=4)
def _scanner(digits: int) -> Callable[[str, int], tuple[Any, int]]:
    """Return the C scanner, made to refuse what no limit lets through."""

    def finite(token: str) -> float:
        value = float(token)
        if len(token) > digits or not math.isfinite(value):
            raise ValueError(token)
        return value

    decoder = json.JSONDecoder(parse_float=finite, parse_constant=_no_constant)
    scan: Callable[[str, int], tuple[Any, int]] = vars(decoder)["scan_once"]
    return scan
