# SPDX-License-Identifier: MIT
"""JSON as text: taking it apart and putting it on one line without changing its spelling."""

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

from .decoding import is_text
from .deep import decode, decode_at, is_equal
from .scan import WHITE


def decoded(text: str) -> Any:
    """Return the value of the JSON `text`, or None if it is not JSON; numbers are floats."""
    try:
        return decode(_DECODER, text)
    except (ValueError, RecursionError):
        return None


def sound(text: str) -> Any:
    """Return the value of the JSON `text`, or None if a reader of blocks might refuse it.

    There must be no white space around it.  Limits are not checked.
    """
    if _MAYBE_HALF.search(text) or not is_text(text):
        return None
    try:
        value, end = _scan_strict(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    return value if end == len(text) else None


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


def members(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value's text of each member of `source`, an object in JSON.

    There must be no white space around the object.
    """
    end = 1
    while found := _MEMBER.match(source, end):
        start = found.end()
        string = _STRING.match(source, start)
        end = string.end() if string else decode_at(_DECODER, source, start)[1]
        name = found[1]
        yield value_at_start(name) if "\\" in name else name[1:-1], source[start:end]


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


def _integer(digits: str) -> int:
    if len(digits) > _FINITE_DIGITS:
        raise ValueError("perhaps beyond the range of doubles")
    return int(digits)


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("beyond the range of doubles")
    return value


#: Every integer with this many digits is a finite double.
_FINITE_DIGITS: Final = 308
_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_int=_integer,
    parse_float=_finite,
    parse_constant=_no_constant,
)
#: Decodes the value at a place and returns where it ends; `StopIteration` if there is none.
_scan: Final[Callable[[str, int], tuple[Any, int]]] = vars(_DECODER)["scan_once"]
_scan_strict: Final[Callable[[str, int], tuple[Any, int]]] = vars(_STRICT)["scan_once"]
#: An escape that may be half of a surrogate pair.  A pattern finds it faster than `in` does.
_MAYBE_HALF: Final = re.compile(r"\\u[dD]")

_AS_SPELLED: Final = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_int=_Number,
    parse_float=_Number,
    parse_constant=_no_constant,
)
#: The first character of an element; the name of a member, with everything up to its value.
_ELEMENT: Final = re.compile(f"[^],{WHITE}]")
_STRING: Final = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_MEMBER: Final = re.compile(f"[,{WHITE}]*{_STRING.pattern}[{WHITE}]*:[{WHITE}]*", re.DOTALL)
