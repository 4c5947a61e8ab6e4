# SPDX-License-Identifier: MIT
"""Where lines are in a text, and values in a JSON text."""

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, Final

_LINE_END: Final = re.compile("\n")
_WHITE: Final = re.compile(r"[ \t\r\n]*")
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
)
_DECODER: Final = json.JSONDecoder(strict=False)

#: The pointers that are asked for, step by step.
_Asked = dict[str, Any]


class Places:
    """Where the lines of a text begin that goes by in pieces."""

    def __init__(self) -> None:
        self._starts = array("Q", [0])
        self._length = 0

    def add(self, piece: str) -> None:
        """Take the next piece."""
        self._starts.extend(self._length + end.end() for end in _LINE_END.finditer(piece))
        self._length += len(piece)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return in which line `offset` is, and where in it, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def locate(source: str, pointers: Iterable[str]) -> dict[str, int]:
    """Return where in the JSON text `source` the value of each of `pointers` begins.

    The text is walked once, whatever is asked.
    Where there is none, it is where the innermost value begins that there is.
    """
    asked: _Asked = {}
    paths: dict[str, list[str]] = {}
    for pointer in pointers:
        steps = pointer.split("/")[1:]
        paths[pointer] = [step.replace("~1", "/").replace("~0", "~") for step in steps]
    for path in paths.values():
        inner = asked
        for step in path:
            inner = inner.setdefault(step, {})
    found: dict[tuple[str, ...], int] = {}
    _walk(source, _skip(source, 0), asked, (), found)
    places: dict[str, int] = {}
    for pointer, path in paths.items():
        known = tuple(path)
        while known not in found:
            known = known[:-1]
        places[pointer] = found[known]
    return places


def inside(source: str, string: int, offsets: Iterable[int]) -> dict[int, int]:
    """Return where the characters `offsets` of the string that begins at `string` are written."""
    places: dict[int, int] = {}
    at, count = string + 1, 0
    escape = _ESCAPE.search(source, at)
    for offset in sorted(set(offsets)):
        while escape is not None and escape.start() - at < offset - count:
            count += escape.start() - at + 1
            at = escape.end()
            escape = _ESCAPE.search(source, at)
        places[offset] = at + offset - count
    return places


def _walk(
    source: str,
    at: int,
    asked: _Asked,
    path: tuple[str, ...],
    found: dict[tuple[str, ...], int],
) -> int:
    """Find what is asked in the value at `at`, and return where that ends."""
    found[path] = at
    opener = source[at]
    if not asked or opener not in "{[":
        return _DECODER.raw_decode(source, at)[1]
    closer = "}" if opener == "{" else "]"
    at = _skip(source, at + 1)
    index = 0
    while source[at] != closer:
        name = str(index)
        if opener == "{":
            name, at = _DECODER.raw_decode(source, at)
            at = _skip(source, _skip(source, at) + 1)
            _forget(found, (*path, name))
        if name in asked:
            at = _walk(source, at, asked[name], (*path, name), found)
        else:
            at = _DECODER.raw_decode(source, at)[1]
        index += 1
        at = _skip(source, at)
        at = _skip(source, at + (source[at] == ","))
    return at + 1


def _forget(found: dict[tuple[str, ...], int], path: tuple[str, ...]) -> None:
    """Forget a member that is repeated: `json` reads the last one of a name."""
    if path in found:
        for known in [each for each in found if each[: len(path)] == path]:
            del found[known]


def _skip(source: str, at: int) -> int:
    match = _WHITE.match(source, at)
    return match.end() if match else at
