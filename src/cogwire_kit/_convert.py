# SPDX-License-Identifier: MIT
"""`cogwire convert`: a transcript of one dialect as one of another, and what that changes."""

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import BinaryIO, Final, TextIO

from cogwire import Converter, Difference
from cogwire_kit._visible import visible

_LINE_END: Final = re.compile("\n")


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


def to_output(pieces: Iterable[str], converter: Converter, output: BinaryIO) -> Places:
    """Write what is made of `pieces` as they come, and a line end after it."""
    places = Places()
    is_empty = True
    for piece in pieces:
        places.add(piece)
        is_empty = not _write(converter.feed(piece), output) and is_empty
    is_empty = not _write(converter.close(finished=True), output) and is_empty
    if not is_empty:
        _write("\n", output)
    return places


def _write(text: str, output: BinaryIO) -> bool:
    if text:
        output.write(text.encode())
        output.flush()
    return bool(text)


def to_people(file: str, report: Iterable[Difference], places: Places, output: TextIO) -> None:
    """Write each difference in a line that begins as compilers write places."""
    for entry in report:
        line, column = places.line_and_column(entry["offset"])
        what = f"{entry['code']}: {visible(entry['message'])} (offset {entry['offset']})"
        print(f"{file}:{line}:{column}: {what}", file=output)


def to_programs(report: Iterable[Difference], output: TextIO) -> None:
    """Write the differences as JSON Lines."""
    for entry in report:
        print(json.dumps(entry, ensure_ascii=False), file=output)
