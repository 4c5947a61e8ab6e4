# SPDX-License-Identifier: MIT
"""Text: white space, JSON Pointers, and how messages name characters, counts and long strings.

The modules in this folder decode text, and read and write JSON as text.
"""

import re
from collections.abc import Iterable
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
    at = text.find(marker[:1], max(0, len(text) - len(marker) + 1))
    while 0 <= at < len(text):
        if marker.startswith(text[at:]):
            return text[at:]
        at = text.find(marker[0], at + 1)
    return ""


def end_of(marker: str, matched: str, text: str, pos: int, end: int) -> int:
    """Return where the first `marker` in `text[pos:end]` ends; -1 if there is none.

    It may begin in `matched`, which is before the text.
    """
    if matched:
        at = f"{matched}{text[pos : min(end, pos + len(marker) - 1)]}".find(marker)
        if at >= 0:
            return pos - len(matched) + at + len(marker)
    at = text.find(marker, pos, end)
    return at if at < 0 else at + len(marker)


class Expected:
    """The markers of which one has to come at a place."""

    __slots__ = ("_beginnings", "_longest", "_markers", "named")

    def __init__(self, markers: Iterable[str]) -> None:
        #: The markers, for messages.
        self.named = " or ".join(markers)
        # Of two markers of which one begins with the other, the longer one comes first.
        self._markers = sorted(markers, reverse=True)
        self._longest = max(map(len, self._markers))
        self._beginnings = {each[:size] for each in self._markers for size in range(len(each))}

    def read(self, matched: str, text: str, pos: int, end: int) -> tuple[str, str, int]:
        """Read on in `text[pos:end]`, after what has been `matched` in earlier text.

        Returns the marker that is complete, if any; what may still become one; and where reading
        stopped: after the marker, at `end`, or before it at a character that continues none.
        """
        beginnings = self._beginnings
        seen = matched + text[pos : min(end, pos + self._longest)]
        if seen in beginnings:
            return "", seen, end
        for marker in self._markers:
            # A marker with which a longer one begins has not come if that may still come.
            if seen.startswith(marker) and seen[: len(marker) + 1] not in beginnings:
                return marker, "", pos + len(marker) - len(matched)
        size = len(matched)
        while seen[: size + 1] in beginnings:
            size += 1
        return "", seen[:size], pos + size - len(matched)


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
    """Quote a string for a message, shortened if it is long."""
    return f'"{shorten(value)}"'


def shorten(text: str) -> str:
    """Return `text`, shortened for a message."""
    return text if len(text) <= 64 else f"{text[:63]}…"
