# SPDX-License-Identifier: MIT
"""JSON as text: decoding it strictly, taking it apart, and writing it with its own spelling."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from . import WHITE
from .decoding import is_text
from .deep import decode, decode_at, is_equal
from .strict_json import decoder_of, distinct, no_constant

#: The text before the first item of an array, between two items, and after the last.
_FIRST: Final = "[\n  "
_NEXT: Final = ",\n  "
_LAST: Final = "\n]"
#: Besides its n items, a block has `AROUND` + n * `EACH` characters.
EACH: Final = len(_NEXT)
AROUND: Final = len("\n" + _FIRST + _LAST + "\n") - EACH
#: What may follow a backslash, each with its code.
_CODES: Final = {**dict(zip("bfnrt", b"\b\f\n\r\t", strict=True)), '"': 34, "/": 47, "\\": 92}


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


def members(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value's text of each member of `source`, an object in JSON.

    There must be no white space around the object.
    """
    return ((name, text) for name, _, text in spelled_members(source))


def spelled_members(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each such member, the name's text, and that of the value."""
    end = 1
    while found := _MEMBER.match(source, end):
        start = found.end()
        string = _STRING.match(source, start)
        end = string.end() if string else decode_at(_DECODER, source, start)[1]
        name = found[1]
        yield value_at_start(name) if "\\" in name else name[1:-1], name, source[start:end]


def member(source: str, name: str, value: Mapping[str, object]) -> str:
    """Return the text of the member `name` of `source`, an object in JSON with this `value`.

    There must be no white space around the object, and no name may be repeated in it.
    """
    # Most objects have what is long at their end, after short strings.
    found = _LEADING.match(source)
    if found is not None and found[1] == name == [*value][-1]:
        return source[found.end() : -1].rstrip(WHITE)
    return dict(members(source))[name]


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


def escaped(found: re.Match[str]) -> str:
    """Return the escape of a character of a string that is found in JSON."""
    char, at = found[0], found.start()
    begin = at
    while begin and found.string[begin - 1] == "\\":
        begin -= 1
    if (at - begin) % 2:  # the backslash before it begins an escape
        return f"u{_CODES[char]:04x}" if char in _CODES else char
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def same_json(text: str, other: str) -> bool:
    """Whether two JSON texts have the same value; numbers are equal if they are spelled alike.

    A text that repeats a member's name has no value.
    """
    try:
        return is_equal(decode(_AS_SPELLED, text), decode(_AS_SPELLED, other))
    except (ValueError, RecursionError):
        return False


#: Integers are read as floats, since Python by default converts no long text to `int`.
_DECODER: Final = json.JSONDecoder(parse_int=float, parse_constant=no_constant)


class _Number(str):
    """The spelling of a number, which is not equal to any JSON string."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Number) and str(self) == str(other)

    __hash__ = str.__hash__


#: Decodes the value at a place as `StrictDecoder` does; `StopIteration` if there is none.
_scan: Final[Callable[[str, int], tuple[Any, int]]] = vars(_DECODER)["scan_once"]

_STRICT: Final = json.JSONDecoder(object_pairs_hook=distinct, parse_constant=no_constant)
_AS_SPELLED: Final = json.JSONDecoder(
    object_pairs_hook=distinct,
    parse_int=_Number,
    parse_float=_Number,
    parse_constant=no_constant,
)
#: The first character of an element; the name of a member, with everything up to its value.
_ELEMENT: Final = re.compile(f"[^],{WHITE}]")
_STRING: Final = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_MEMBER: Final = re.compile(f"[,{WHITE}]*{_STRING.pattern}[{WHITE}]*:[{WHITE}]*", re.DOTALL)
_LEADING: Final = re.compile(r'\{(?:"[^"\\]{1,64}": "[^"\\]{0,64}", )*"([^"\\]{1,64})": ')
