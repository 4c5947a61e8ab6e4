# SPDX-License-Identifier: MIT
"""Arrays as they are written: one item a line."""

from collections.abc import Iterable
from typing import Final

#: What an array with one item a line has before the first item, between two, after the last.
_FIRST: Final = "[\n  "
_NEXT: Final = ",\n  "
_LAST: Final = "\n]"
#: Besides its n items, a block holds `AROUND` + n * `EACH` characters.
EACH: Final = len(_NEXT)
AROUND: Final = len("\n" + _FIRST + _LAST + "\n") - EACH


def write_array(items: Iterable[str]) -> str:
    """Return the array of `items`, which are JSON texts, one a line."""
    lines = _NEXT.join(items)
    return f"{_FIRST}{lines}{_LAST}" if lines else "[]"
