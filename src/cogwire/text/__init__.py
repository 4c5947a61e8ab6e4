# SPDX-License-Identifier: MIT
"""Text: white space, JSON Pointers, and how messages name what they are about.

The modules in this folder decode text, and read and write JSON as text.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

#: White space, everywhere on the wire: U+0020, U+0009, U+000A, U+000D and nothing else.
WHITE: Final = " \t\n\r"

WHITE_RUN: Final = re.compile(f"[{WHITE}]*")
#: Matches nothing.
NOTHING: Final = re.compile("(?!)")


def jump(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Return the end of the match of `pattern` at `pos`; it must also match the empty string."""
    match = pattern.match(text, pos, end)
    return match.end() if match else pos


def pointer_step(step: str | int) -> str:
    """Return one reference token of a JSON Pointer (RFC 6901), with its slash."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")


def pointer(steps: Iterable[str | int | None]) -> str:
    """Return the JSON Pointer that takes `steps`, without those that are `None`: not yet known."""
    return "".join([pointer_step(step) for step in steps if step is not None])


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def describe(char: str) -> str:
    """Name one character so that a person and a model can recognise it."""
    if char == '"':
        return "a double quote"
    if char.isprintable() and char != " ":
        return f'"{char}"'
    name = {" ": "a space", "\t": "a tab", "\n": "a line feed", "\r": "a carriage return"}.get(char)
    return f"{name} (U+{ord(char):04X})" if name else f"the character U+{ord(char):04X}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quote(value: str) -> str:
    """Quote a string for a message, shortened if it is long; one with quotes is in backticks."""
    sign = "`" if '"' in value else '"'
    return f"{sign}{shorten(value)}{sign}"


def shorten(text: str, length: int = 64) -> str:
    """Return `text`, shortened for a message."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def short_repr(value: object) -> str:
    """Return the `repr` of a text or a number for a message, shortened; of another value, its type.

    `repr` itself raises for a value that is nested too deeply, and for an integer that is too long.
    """
    if isinstance(value, str):
        return repr(shorten(value))
    if (
        value is None
        or isinstance(value, float)
        or (isinstance(value, int) and abs(value) < 1 << 64)
    ):
        return repr(value)
    return f"a value of type {type(value).__name__}"


# -- Smaller copies -------------------------------------------------------------------------------


def lacking(part: str, only: str) -> str:
    """Return the message for a part that this copy lacks; `only` is the smallest copy with it."""
    return (
        f"this copy of {_package()} lacks {part}; `cogwire vendor add DIR --only {only}` copies it"
    )


def raise_foreign(error: ModuleNotFoundError) -> None:
    """Raise `error`, unless it is about a module of this package."""
    if not str(error.name).startswith(f"{_package()}."):
        raise error


def _package() -> str:
    return __name__.removesuffix(".text")
