# SPDX-License-Identifier: MIT
"""JSON as text: decoding it strictly, taking it apart, and writing it with its own spelling."""

import functools
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NoReturn

from .decoding import is_text
from .deep import decode, decode_at, is_equal
from .scan import WHITE

#: The text before the first item of an array, between two items, and after the last.
_FIRST: Final = "[\n  "
_NEXT: Final = ",\n  "
_LAST: Final = "\n]"
#: Besides its n items, a block has `AROUND` + n * `EACH` characters.
EACH: Final = len(_NEXT)
AROUND: Final = len("\n" + _FIRST + _LAST + "\n") - EACH


def decoded(text: str) -> Any:
    """Return the value of the JSON `text`, or None if it is not JSON; numbers are floats."""
    try:
        return decode(_DECODER, text)
    except (ValueError, RecursionError):
        return None


def strict(text: str) -> Any:
    """Return the value of the JSON `text`, in which no name is repeated and nothing is `NaN`.

    Raises `ValueError` for any other text, and `RecursionError` for one that is nested too deeply.
    """
    return decode(_STRICT, text)


def sound(text: str) -> Any:
    """Return the value of the JSON `text`, or None if a reader of blocks might refuse it.

    There must be no white space around it.  Limits are not checked.
    """
    if not is_text(text):
        return None
    known = decoder_of(sys.maxsize, sys.maxsize).decode(text, 0)
    return known[0] if known is not None and known[1] == text else None


def value_at_start(text: str) -> Any:
    """Return the value that `text` begins with, which is JSON."""
    value, _ = _scan(text, 0)
    return value


def is_refused(text: str) -> bool:
    """Whether `text`, which begins like a JSON value, is certainly not one."""
    try:
        _, end = _scan(text, 0)
    except (ValueError, StopIteration):
        return True
    except RecursionError:
        return False
    return end < len(text.rstrip(WHITE))


def elements(array: str) -> list[str]:
    """Return the texts of the elements of `array`, a JSON array without white space around it."""
    return [text for text, _ in spelled(array)]


def spelled(array: str) -> Iterator[tuple[str, Any]]:
    """Yield the text and the value of each element of `array`, which has no white space around it.

    Numbers are floats.
    """
    end = 1
    while found := _ELEMENT.search(array, end):
        start = found.start()
        value, end = decode_at(_DECODER, array, start)
        yield array[start:end], value


def members(source: str, *, deep: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the name and the value's text of each member of `source`, an object in JSON.

    There must be no white space around the object.  Values may be nested more deeply than anything
    can decode them if the caller knows that all of `source` is JSON, and says `deep`; otherwise
    they are a `RecursionError`.
    """
    end = 1
    while found := _MEMBER.match(source, end):
        start = found.end()
        string = _STRING.match(source, start)
        end = string.end() if string else _value_end(source, start, deep=deep)
        name = found[1]
        yield value_at_start(name) if "\\" in name else name[1:-1], source[start:end]


def _value_end(source: str, start: int, *, deep: bool) -> int:
    if not deep:
        return decode_at(_DECODER, source, start)[1]
    try:
        return _scan(source, start)[1]
    except RecursionError:
        return _container_end(source, start)


def _container_end(source: str, start: int) -> int:
    level = 0
    end = start
    for found in _NESTING.finditer(source, start):  # pragma: no branch (each bracket is closed)
        end = found.end()
        level += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if not level:
            break
    return end


def write_array(items: Iterable[str]) -> str:
    """Return the array of `items`, which are JSON texts, one per line."""
    lines = _NEXT.join(items)
    return f"{_FIRST}{lines}{_LAST}" if lines else "[]"


def on_one_line(text: str) -> str:
    """Return the JSON `text` with a space after each comma and colon, and no other white space."""
    pieces = _STRING.split(text)
    # The text between the strings is processed at once: U+0000 separates it, which JSON excludes.
    between = "".join("\0".join(pieces[::2]).split())
    pieces[::2] = between.replace(",", ", ").replace(":", ": ").split("\0")
    return "".join(pieces)


def escaped(marker: str) -> str:
    """Return `marker` with its first character as a JSON escape, as it may be in a string."""
    return f"\\u{ord(marker[0]):04x}{marker[1:]}"


def same_json(text: str, other: str) -> bool:
    """Whether two JSON texts have the same value; numbers are equal if they are spelled alike.

    A text that repeats a member's name has no value.
    """
    try:
        return is_equal(decode(_AS_SPELLED, text), decode(_AS_SPELLED, other))
    except (ValueError, RecursionError):
        return False


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


#: Integers are read as floats, since Python by default converts no long text to `int`.
_DECODER: Final = json.JSONDecoder(parse_int=float, parse_constant=_no_constant)


class _Number(str):
    """The spelling of a number, which is not equal to any JSON string."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Number) and str(self) == str(other)

    __hash__ = str.__hash__


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("two members have the same name")
    return value


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
            object_pairs_hook=_distinct, parse_float=finite, parse_constant=_no_constant
        )
        self._scan: Callable[[str, int], tuple[Any, int]] = vars(decoder)["scan_once"]

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


_STRICT: Final = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)
#: Every number with this many digits and no exponent is finite.
FINITE_DIGITS: Final = 308
#: An escape of a surrogate, and the escapes that contain no lone one: pairs, and short escapes.
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HARMLESS: Final = re.compile(r"\\(?:[^u]|u[dD][89abAB]..\\u[dD][c-fC-F]..)")
#: Decodes the value at a place and returns where it ends; `StopIteration` if there is none.
_scan: Final[Callable[[str, int], tuple[Any, int]]] = vars(_DECODER)["scan_once"]

_AS_SPELLED: Final = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_int=_Number,
    parse_float=_Number,
    parse_constant=_no_constant,
)
#: The first character of an element; the name of a member, with everything up to its value.
_ELEMENT: Final = re.compile(f"[^],{WHITE}]")
_STRING: Final = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
#: What changes how deeply a text is nested, and the strings, in which nothing does.
_NESTING: Final = re.compile(f"[][{{}}]|{_STRING.pattern}", re.DOTALL)
_MEMBER: Final = re.compile(f"[,{WHITE}]*{_STRING.pattern}[{WHITE}]*:[{WHITE}]*", re.DOTALL)
