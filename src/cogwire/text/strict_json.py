# SPDX-License-Identifier: MIT
"""Decodes JSON in C, as far as the rules of blocks certainly allow it."""

import functools
import json
import json.scanner
import math
import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

#: Returns a string as JSON.
quoted: Final[Callable[[str], str]] = json.encoder.encode_basestring

#: Every number with this many digits and no exponent is finite.
FINITE_DIGITS: Final = 308
#: An escape of a surrogate, and the escapes that contain no lone one: pairs, and short escapes.
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HARMLESS: Final = re.compile(r"\\(?:[^u]|u[dD][89abAB]..\\u[dD][c-fC-F]..)")


def no_constant(name: str) -> NoReturn:
    """Refuse a constant that JSON does not have."""
    raise ValueError(f"{name} is not JSON")


def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these members; `ValueError` if two have the same name."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("two members have the same name")
    return value


def _no_value(_text: str, _start: int) -> NoReturn:
    """Decode nothing, so that the machine reads everything."""
    raise StopIteration


class StrictDecoder:
    """Decodes JSON in C, and accepts only what the rules of blocks certainly allow.

    The decoder of the standard library accepts more than strict JSON: duplicate names, numbers of
    any size, `NaN`, lone surrogates, any depth.  So each of these is ruled out here.
    """

    __slots__ = ("_bound", "_depth", "_scan", "_short")

    def __init__(self, depth: int, digits: int) -> None:
        """Accept values that are nested less than `depth` deep, and numbers of so many `digits`."""
        self._depth = depth
        self._bound = 10 ** min(digits, FINITE_DIGITS)
        #: A text with at most this many characters cannot exceed these limits.
        self._short = min(2 * depth - 2, digits, FINITE_DIGITS)

        def finite(token: str) -> float:
            value = float(token)
            if len(token) > digits or not math.isfinite(value):
                raise ValueError(token)
            return value

        decoder = json.JSONDecoder(
            object_pairs_hook=distinct, parse_float=finite, parse_constant=no_constant
        )
        # Where no value begins, `raw_decode` counts lines for its error: eight times as slow.  An
        # interpreter without the scanner in C has one that takes `\u1_23` for an escape.
        is_strict = vars(json.scanner)["c_make_scanner"] is not None
        self._scan: Callable[[str, int], tuple[Any, int]] = (
            vars(decoder)["scan_once"] if is_strict else _no_value
        )

    def decode(self, text: str, start: int) -> tuple[Any, str] | None:
        """Return the value that begins at `start`, and its text; `None` if in doubt."""
        try:
            value, stop = self._scan(text, start)
        except (ValueError, StopIteration, RecursionError):
            return None
        written = text[start:stop]
        if stop - start > self._short and not self._is_within_limits(value):
            return None
        if "\\u" in written and _HALF.search(_HARMLESS.sub("", written)):
            return None
        return value, written

    def _is_within_limits(self, value: Any) -> bool:
        """Whether nothing in `value` is nested too deeply, and no integer is too long."""
        bound = self._bound
        level: list[Any] = [[value]]
        for _ in range(self._depth):
            deeper: list[Any] = []
            for container in level:
                for inner in container.values() if container.__class__ is dict else container:
                    kind = inner.__class__
                    if kind is dict or kind is list:
                        deeper.append(inner)
                    elif kind is int and not -bound < inner < bound:
                        return False
            if not deeper:
                return True
            level = deeper
        return False


@functools.lru_cache(maxsize=4)
def decoder_of(depth: int, digits: int) -> StrictDecoder:
    """Return the decoder for these limits."""
    return StrictDecoder(depth, digits)
