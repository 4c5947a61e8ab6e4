# SPDX-License-Identifier: MIT
"""Words for people: numbers with their nouns, the name that was meant, text for a terminal."""

import difflib
import re
from collections.abc import Iterable
from typing import Final

#: Control and direction characters, and halves of surrogate pairs, which no terminal can be given.
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return `number` with what it counts: 1 file, 1,200 files; `many` if an s is not enough."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def share(number: int, total: int, noun: str, does: str, do: str) -> str:
    """Return how many of a total do something: 1 of 24 cases passes, 3 of 24 cases pass."""
    return f"{number:,} of {counted(total, noun)} {does if 1 in (number, total) else do}"


def meant(given: str, known: Iterable[str]) -> str:
    """Return `did you mean …? ` with the names that are like `given`, or an empty string."""
    near = difflib.get_close_matches(given, list(known))
    return f"did you mean {' or '.join(near)}? " if near else ""


def beginning(text: str, size: int) -> str:
    """Return a text, or its first `size` characters and a sign that there are more."""
    return text if len(text) <= size else f"{text[:size]}…"


def visible(text: str) -> str:
    """Return `text` with the characters that act on a terminal written as escapes."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def on_a_line(text: str) -> str:
    """Return `text` for one line on a terminal, which no name of a file in it may end."""
    return visible(text).replace("\n", "\\n")
