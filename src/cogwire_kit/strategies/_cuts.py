# SPDX-License-Identifier: MIT
"""Where to cut a text or bytes: often inside a unit, and with few cuts after shrinking.

Every cut is one number, which is larger the later the cut, and the lowest numbers mean that no
further cut follows.  A failing example therefore shrinks to fewer cuts, and each of them to an
earlier one, however it was drawn.
"""

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Final, TypeVar

from hypothesis import strategies as st

_Data = TypeVar("_Data", str, bytes)

#: A unit for a reader: a marker, an escape, a reference, a line end, a surrogate pair; and of
#: bytes, which are read as Latin-1, a character of several bytes in UTF-8.
_WHOLE: Final = re.compile(
    r"</?(?:think|execute|results|end)>|\xc2?§[a-z]+:?|\[SYSTEM: |\\u[0-9a-f]{4}(?:\\u[0-9a-f]{4})?"
    r"|\\.|&\#?[0-9a-z]+;|<!\[CDATA\[|\]\]>|\r\n|[\ud800-\udbff][\udc00-\udfff]"
    r"|[\xc2-\xf4][\x80-\xbf]+",
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
    text = data if isinstance(data, str) else data.decode("latin-1")
    found = _WHOLE.finditer(text)
    return [place for one in found for place in range(one.start() + 1, one.end())]


@st.composite
def chunkings(draw: st.DrawFn, data: str | bytes) -> list[int]:
    """Draw where to cut `data`: places from 1 to its length, in order.

    Half of the cuts are inside of markers, escapes, surrogate pairs or UTF-8 sequences, if there
    are any; a place may occur twice, which makes an empty chunk.  Sometimes all pieces are small.
    Shrinks to one piece, then to few cuts, then to early ones.
    """
    if not data:
        return []
    # All fragile places together are drawn as often as all places.
    inside = fragile(data)
    often = len(data) // len(inside) if inside else 0
    places = sorted([*range(1, len(data) + 1), *inside * often])
    #: A later place has a larger number; the lowest numbers mean no place.
    numbers = [0] * (1 + len(places) // (_STOP - 1)) + places
    stride = draw(st.sampled_from((0,) * 12 + _STRIDES))
    if stride * _MANY < len(data):
        stride = 0
    cuts: list[int] = []
    while True:
        low, high = 0, len(numbers) - 1
        if stride:
            before = cuts[-1] if cuts else 0
            is_last = before + stride >= len(data)
            low = 0 if is_last else bisect_right(numbers, before)
            high = 0 if is_last else bisect_right(numbers, before + stride) - 1
        place = numbers[draw(st.integers(low, high))]
        if not place:
            return sorted(cuts)
        cuts.append(place)
