# SPDX-License-Identifier: MIT
"""Jumping over characters instead of walking them, and places in JSON."""

import re
from typing import Final

#: White space, everywhere on the wire: U+0020, U+0009, U+000A, U+000D and nothing else.
WHITE: Final = " \t\n\r"

WHITE_RUN: Final = re.compile(f"[{WHITE}]*")


def jump(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Return where `pattern`, which matches the empty string too, ends at `pos`."""
    match = pattern.match(text, pos, end)
    return match.end() if match else pos


def pointer_step(step: str | int) -> str:
    """Return one reference token of a JSON Pointer (RFC 6901), with its slash."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1")
