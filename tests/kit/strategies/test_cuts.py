"""The strategies of cuts: where they cut, and how they shrink."""

import random
from itertools import pairwise

import pytest
from hypothesis import find

from cogwire_kit import strategies
from cogwire_kit.strategies import _cuts
from tests.kit.strategies.drawing import FOUND, drawn
from tests.rows import rows

#: Text with everything that has an inside.
WHOLE = 'a <think>b</think> \\ud83d\\ude00 \ud83d\ude00 &amp; <execute>[{"name":"a"}]</execute>'
LINE = 'é 😀 \n§call: {"name": "a\\n"}\r\n§execute\n[SYSTEM: <![CDATA[日]]>'


@rows("data", [WHOLE, LINE, LINE.encode(), "x", "", b"", b"\xff\xfe"])
def test_cuts_are_places_in_order_and_pieces_join(data):
    for cuts in drawn(strategies.chunkings(data), 60):
        assert cuts == sorted(cuts)
        assert all(1 <= cut <= len(data) for cut in cuts)
        chunks = strategies.split(data, cuts)
        assert data[:0].join(chunks) == data
        assert len(chunks) == len(cuts) + 1
    assert strategies.split("abc", [1, 1, 3]) == ["a", "", "bc", ""]


@rows(
    "data, inside",
    [
        ("<think>", range(1, 7)),
        ("a</EXECUTE>b", range(2, 11)),
        ("\\ud83d\\ude00", range(1, 12)),
        ("\\n\\u00e9x", [1, 3, 4, 5, 6, 7]),
        ("\ud83d\ude00", [1]),
        ("😀é", []),
        ("😀é".encode(), [1, 2, 3, 5]),
        ("§Call:", range(1, 6)),
        ("§end".encode(), range(1, 5)),
        ("&#x1F600;&lt", range(1, 9)),
        ("\r\n", [1]),
        ("[SYSTEM: ", range(1, 9)),
        ("<![CDATA[]]>", [*range(1, 9), 10, 11]),
    ],
)
def test_places_inside_of_indivisible_text(data, inside):
    assert _cuts.fragile(data) == list(inside)


@pytest.mark.verify
def test_cuts_are_often_inside_of_indivisible_text():
    """A text of which a hundredth is a marker is cut inside of it nearly half of the time."""
    data = "word " * 60 + "<think>" + "word " * 60
    inside = set(range(301, 307))
    cuts = [
        cut for cuts in drawn(strategies.chunkings(data), 400) if len(cuts) < 20 for cut in cuts
    ]
    assert len(cuts) > 100
    assert sum(cut in inside for cut in cuts) > 0.3 * len(cuts)


def test_now_and_then_all_pieces_are_small():
    """With few cuts there is always a long piece."""
    sizes = [
        max(map(len, strategies.split(WHOLE, cuts))) for cuts in drawn(strategies.chunkings(WHOLE))
    ]
    small = sum(size <= 7 for size in sizes)
    assert 0 < small < len(sizes) // 2


def at_least(count):
    return lambda cuts: len(set(cuts)) >= count


BYTES = WHOLE.encode("utf-8", "surrogatepass")


@pytest.mark.verify
@rows(
    "data, fails, least",
    [
        (WHOLE, lambda _: True, []),
        (BYTES, bool, [1]),
        (WHOLE, lambda cuts: max(cuts, default=0) >= 12, [12]),
        (WHOLE, lambda cuts: 17 in cuts, [17]),
        (BYTES, lambda cuts: {17, 31} <= set(cuts), [17, 31]),
        (WHOLE, lambda cuts: any(20 < cut < 30 for cut in cuts) and 33 in cuts, [21, 33]),
        (WHOLE, at_least(3), [1, 2, 3]),
        (BYTES, at_least(12), list(range(1, 13))),
        (WHOLE, lambda cuts: any(a == b for a, b in pairwise(cuts)), [1, 1]),
    ],
)
def test_cuts_shrink_to_the_fewest_and_earliest(data, fails, least):
    """However they were drawn: one by one, or all pieces small."""
    cuts = find(strategies.chunkings(data), fails, random=random.Random(1), settings=FOUND)
    assert cuts == least
