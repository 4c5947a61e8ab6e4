# SPDX-License-Identifier: MIT
"""Texts of users and tools, in which a model finds nothing that could be mistaken for results.

A marker may be split over several texts of a message, because APIs and chat templates join them.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeVar

from cogwire.tooling import decode, literal, notation

T = TypeVar("T")
Write = Callable[[str], str]


def neutral(texts: Sequence[str], dialect: str) -> list[str]:
    """Return `texts` with the markers of results in their literal form.

    The markers are those of each text, and of all texts joined.
    """
    unsafe_in = notation(dialect).unsafe_in
    whole = [decode(text)[0] for text in texts]
    found = [start for start, _ in unsafe_in("".join(whole))]
    written: list[str] = []
    begin = 0
    for text in whole:
        end = begin + len(text)
        joined = found[bisect_left(found, begin) : bisect_left(found, end)]
        # Alone, a text begins a line, as it does for APIs that join texts by line ends.
        starts = {start for start, _ in unsafe_in(text)} | {at - begin for at in joined}
        pieces: list[str] = []
        done = 0
        for start in sorted(starts):
            # The literal form of a marker differs from it in the first character alone.
            pieces += text[done:start], literal(text[start])
            done = start + 1
        written.append("".join([*pieces, text[done:]]))
        begin = end
    return written


def neutralised(rewrite: Callable[[Write], T], dialect: str) -> T:
    """Return what `rewrite` returns if it writes its texts without markers of results.

    It is called twice, to read the texts and to write them, and calls its argument with each text
    in the same order.
    """
    texts: list[str] = []

    def read(text: str) -> str:
        texts.append(text)
        return text

    rewrite(read)
    written = iter(neutral(texts, dialect))
    return rewrite(lambda _: next(written))
