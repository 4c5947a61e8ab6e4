# SPDX-License-Identifier: MIT
"""Where to cut a text or bytes: often inside a unit, and with few cuts after shrinking.

Every cut is one number, which is larger the later the cut, and the lowest numbers mean that no
further cut follows.  A failing example therefore shrinks to fewer cuts, and each of them to an
earlier one, however it was drawn.
"""

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Final, TypeVar

from hypothesis import strategies as st

_Data = TypeVar("_Data", str, bytes)

#: A unit for a reader: a marker, an escape, a reference, a line end, a surrogate pair.
_WHOLE: Final = re.compile(
    r"</?(?:think|execute|results|end)>|§[a-z]+:?|\[SYSTEM: |\\u[0-9a-f]{4}(?:\\u[0-9a-f]{4})?|\\."
    r"|&\#?[0-9a-z]+;|<!\[CDATA\[|\]\]>|\r\n|[\ud800-\udbff][\udc00-\udfff]",
    re.IGNORECASE | re.DOTALL,
)
#: The same in bytes, and characters of several bytes in UTF-8.
_WHOLE_BYTES: Final = re.compile(
    rb"</?(?:think|execute|results|end)>|\xc2\xa7[a-z]+:?|\[SYSTEM: "
    rb"|\\u[0-9a-f]{4}(?:\\u[0-9a-f]{4})?|\\.|&\#?[0-9a-z]+;|<!\[CDATA\[|\]\]>|\r\n"
    rb"|[\xc2-\xf4][\x80-\xbf]+",
    re.IGNORECASE | re.DOTALL,
)

#: Of this many draws of a cut, one means that no further cut follows.
_STOP: Final = 4
#: The sizes of pieces, in the draws where all pieces are small.
_STRIDES: Final = (1, 2, 3, 7)
#: Small pieces are so many at most.
_MANY: Final = 400


def split(data: _Data, cuts: list[int]) -> list[_Data]:
    """Return the chunks of `data` between `cuts`, which are in order; some may be empty."""
    return [data[start:stop] for start, stop in pairwise((0, *cuts, len(data)))]


def fragile(data: str | bytes) -> list[int]:
    """Return the places inside of markers, escapes, surrogate pairs, UTF-8 sequences and such."""
    found = _WHOLE.finditer(data) if isinstance(data, str) else _WHOLE_BYTES.finditer(data)
    return [place for one in found for place in range(one.start() + 1, one.end())]


class _Numbers:
    """Numbers for the places of a text: a fragile place has many, and a later place larger ones."""

    def __init__(self, data: str | bytes) -> None:
        self._fragile = fragile(data)
        # All fragile places together are drawn as often as all places.
        self._extra = len(data) // len(self._fragile) if self._fragile else 0
        #: For each fragile place its first number, from 1.
        self._first = [place + index * self._extra for index, place in enumerate(self._fragile)]
        places = len(data) + self._extra * len(self._fragile)
        #: Up to this number no place is meant.
        self.stop = max(1, places // (_STOP - 1))
        self.last = self.stop + places

    def place(self, number: int) -> int:
        """Return the place, from 1 to the length, that a number above `stop` means."""
        number -= self.stop
        index = bisect_right(self._first, number)
        if index and number <= self._first[index - 1] + self._extra:
            return self._fragile[index - 1]
        return number - index * self._extra

    def of(self, place: int) -> int:
        """Return the first number of a place."""
        return self.stop + place + bisect_left(self._fragile, place) * self._extra


@st.composite
def chunkings(draw: st.DrawFn, data: str | bytes) -> list[int]:
    """Draw where to cut `data`: places from 1 to its length, in order.

    Half of the cuts are inside of markers, escapes, surrogate pairs or UTF-8 sequences, if there
    are any; a place may occur twice, which makes an empty chunk.  Sometimes all pieces are small.
    Shrinks to one piece, then to few cuts, then to early ones.
    """
    if not data:
        return []
    numbers = _Numbers(data)
    stride = draw(st.sampled_from((0,) * 12 + _STRIDES))
    if stride * _MANY < len(data):
        stride = 0
    cuts: list[int] = []
    while True:
        low, high = 0, numbers.last
        if stride:
            before = cuts[-1] if cuts else 0
            low, high = _next(numbers, before, stride, len(data))
        number = draw(st.integers(low, high))
        if number <= numbers.stop:
            return sorted(cuts)
        cuts.append(numbers.place(number))


def _next(numbers: _Numbers, before: int, stride: int, size: int) -> tuple[int, int]:
    """Return the least and the greatest number that may follow where all pieces are small."""
    if before + stride >= size:
        return 0, 0
    return numbers.of(before + 1), numbers.of(before + stride)
