# SPDX-License-Identifier: MIT
"""White space, skipping over characters with a regular expression, and JSON Pointers."""

import re
from typing import Final

#: White space, everywhere on the wire: U+0020, U+0009, U+000A, U+000D and nothing else.
WHITE: Final = " \t\n\r"

WHITE_RUN: Final = re.compile(f"[{WHITE}]*")


def jump(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Return the end of the match of `pattern` at `pos`; it must also match the empty string."""
    match = pattern.match(text, pos, end)
    return match.end() if match else pos


def pointer_step(step: str | int) -> str:
    """Return one reference token of a JSON Pointer (RFC 6901), with its slash."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")


def beginning_at_end(text: str, marker: str) -> str:
    """Return the longest proper prefix of `marker` with which `text` ends."""
    for size in range(min(len(marker) - 1, len(text)), 0, -1):
        if text.endswith(marker[:size]):
            return marker[:size]
    return ""
