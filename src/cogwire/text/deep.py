# SPDX-License-Identifier: MIT
"""Decodes JSON, without recursion where it is nested more deeply than the caller's stack allows.

The decoder of the standard library recurses, and Python does not say how much of the stack is left:
a text within every limit would raise, or be read differently, if the caller is deep on the stack.
By the laws a parser never raises, and its events depend on the text alone.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from . import WHITE, WHITE_RUN, jump

#: More levels are refused with a `RecursionError`, as by Python's own decoder on an empty stack.
_DEEPEST: Final = 1000

_COLON: Final = re.compile(f"[{WHITE}]*:[{WHITE}]*")


def decode(decoder: json.JSONDecoder, text: str) -> Any:
    """Return the value of the JSON `text`; or `ValueError`, or `RecursionError` as above."""
    try:
        return decoder.decode(text)
    except RecursionError:
        value, end = _decode_at(decoder, text, _after_white(text, 0))
    if _after_white(text, end) < len(text):
        raise ValueError(f"there is more than one value at {end}")
    return value


def decode_at(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """Return the value of `text` that begins at `at`, and where it ends; errors as of `decode`."""
    try:
        return decoder.raw_decode(text, at)
    except RecursionError:
        return _decode_at(decoder, text, at)


def _decode_at(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    pairs: Callable[[list[Any]], Any] = vars(decoder)["object_pairs_hook"] or dict
    # The value is a container: anything else takes no stack.
    #: The open containers: their items, and for an object the name of the next member.
    items: list[list[Any]] = []
    names: list[str | None] = []
    value: Any
    while True:
        opener = text[at : at + 1]
        if opener == "[" or opener == "{":  # noqa: PLR1714 (`in` holds for no character at all)
            if len(items) == _DEEPEST:
                raise RecursionError
            items.append([])
            at = _after_white(text, at + 1)
            is_closed = text[at : at + 1] == ("]" if opener == "[" else "}")
            if opener == "{" and not is_closed:
                name, at = _name_at(decoder, text, at)
                names.append(name)
            else:
                names.append("" if opener == "{" else None)
            if not is_closed:
                continue
        else:
            value, at = decoder.raw_decode(text, at)
            items[-1].append(value if names[-1] is None else (names[-1], value))
            at = _after_white(text, at)
        while text[at : at + 1] == ("]" if names[-1] is None else "}"):
            value = _whole(items.pop(), names.pop(), pairs)
            if not items:
                return value, at + 1
            items[-1].append(value if names[-1] is None else (names[-1], value))
            at = _after_white(text, at + 1)
        if text[at : at + 1] != ",":
            raise ValueError(f"a comma or the end of the container is missing at {at}")
        at = _after_white(text, at + 1)
        if names[-1] is not None:
            names[-1], at = _name_at(decoder, text, at)


def is_equal(value: Any, other: Any) -> bool:
    """Whether two values of JSON are equal."""
    try:
        return bool(value == other)
    except RecursionError:
        pass
    left: list[tuple[Any, Any]] = [(value, other)]
    while left:
        one, two = left.pop()
        kind: object = one.__class__
        if kind is dict and two.__class__ is kind:
            if one.keys() != two.keys():
                return False
            left += [(one[name], two[name]) for name in one]
        elif kind is list and two.__class__ is kind:
            if len(one) != len(two):
                return False
            left += zip(one, two)  # noqa: B905 (their lengths are equal)
        elif one != two:
            return False
    return True


def _whole(items: list[Any], name: str | None, pairs: Callable[[list[Any]], Any]) -> Any:
    return items if name is None else pairs(items)


def _after_white(text: str, at: int) -> int:
    return jump(WHITE_RUN, text, at, len(text))


def _name_at(decoder: json.JSONDecoder, text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise ValueError(f"there is no member at {at}")
    name, end = decoder.raw_decode(text, at)
    colon = _COLON.match(text, end)
    if not colon:
        raise ValueError(f"a colon is missing at {end}")
    return name, colon.end()
