# SPDX-License-Identifier: MIT
"""The writing that is common to all frames whose parts are between an opener and a closer."""

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from .frame import PartKind, TextKind
from .markers import Pair, literal
from .writing import FrameWriting


class PairedWriting(FrameWriting):
    """Writes think and prose; in prose the `openers` are live wherever they appear."""

    def __init__(self, think: Pair, results: Pair, openers: tuple[str, ...]) -> None:
        self._think = think
        self._results = results
        self._openers = openers

    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        return self._think if kind == "think" else ("", "")

    def think_opener(self) -> str:
        return self._think[0]

    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        return (found.span() for found in self._unsafe[kind].finditer(text))

    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        return before == after and before in ("user", "respond")

    @functools.cached_property
    def _unsafe(self) -> dict[TextKind, re.Pattern[str]]:
        # Users may write markers, but nothing that could be mistaken for results.
        return {
            "user": _any_of(self._results, re.IGNORECASE | re.ASCII),
            "think": _any_of(self._think[1:]),
            "respond": _any_of(self._openers),
        }

    def _words(self, markers: Iterable[str], opener: str) -> dict[str, str]:
        """Return the instructions on `markers`, on thinking, and on quoting a marker."""
        listed = " ".join(f"`{marker}`" for marker in markers)
        shown = literal(opener)
        case = "lower" if opener.islower() else "upper"
        return {
            "markers": (
                "A program reads what you write. It knows these markers, spelled exactly like "
                f"this, in {case} case:\n{listed}."
            ),
            "thinking": (
                f"{'reasoning'.join(self._think)}\n\n"
                "Thinking is optional, and the user does not see it. It ends at the first "
                f"`{self._think[1]}`. Text\noutside of the markers is your answer, which "
                "the user sees."
            ),
            "quoting": (
                "In your answer a marker acts as a marker wherever it appears, in code and in "
                "quotes too. To show one\nto the user, write "
                f"`{shown[: shown.index(';') + 1]}` for its first character: `{shown}`."
            ),
        }


def _any_of(markers: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, markers)), flags)
