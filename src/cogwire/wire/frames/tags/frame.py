# SPDX-License-Identifier: MIT
"""Parts between tags: what they are, how they are written, and what a text must not hold."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..machine import Options
from ..markers import Markers, Pair, Role, literal
from .machine import TagMachine
from .markers import TagMarkers

if TYPE_CHECKING:
    from ...blocks.format import CallFormat
    from ..frame import PartKind, TextKind


class Tags(NamedTuple):
    """Parts between an opener and a closer; in prose an opener is live wherever it stands."""

    think: Pair
    execute: Pair
    results: Pair
    #: The marker that ends a turn; empty where there is none.
    end: str

    # What is said of every frame (`frame.py`).
    joint: str = "\n\n"
    closing: str = ""
    is_block_last: bool = True
    has_result_array: bool = True
    ignores_case: bool = False

    @property
    def openers(self) -> tuple[str, ...]:
        openers = (self.think[0], self.execute[0], self.results[0])
        return (*openers, self.end) if self.end else openers

    @property
    def block_ends(self) -> Pair:
        return self.execute

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], TagMachine]:
        ends = (self.execute, (self.results,))
        return functools.partial(TagMachine, self.markers, ends, calls, options)

    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        return self.think if kind == "think" else ("", "")

    def think_opener(self) -> str:
        return self.think[0]

    def call_parts(self, calls: Iterable[str], form: "CallFormat") -> list[str]:
        return [_framed(form.join(calls), self.execute)]

    def write_results(self, content: str, lookalike: re.Pattern[str]) -> str:
        del lookalike
        return _framed(content, self.results)

    @property
    def lookalikes(self) -> tuple[str, ...]:
        closers = (self.think[1], self.execute[1], self.results[1])
        # A reader that knows only openers and closers may take this for one.
        end = (f"{self.end[0]}/{self.end[1:]}",) if self.end else ()
        return (*self.openers, *closers, *end)

    def unsafe(self, text: str, kind: "TextKind") -> Iterator[tuple[int, int]]:
        return (found.span() for found in _unsafe(self, kind).finditer(text))

    def blurs(self, before: "PartKind", after: "PartKind") -> bool:
        return before == after and before in ("user", "respond")

    def wording(self, calls: "CallFormat") -> dict[str, str]:
        """Return the words for markers around their parts."""
        openers = [*self.think, *self.execute, *self.results, *filter(None, [self.end])]
        markers = " ".join(f"`{marker}`" for marker in openers)
        opener, closer = self.execute
        shown = literal(opener)
        return {
            "markers": (
                "A program reads what you write. It knows these markers, spelled exactly so, in "
                f"lower case:\n{markers}."
            ),
            "thinking": (
                f"{'reasoning'.join(self.think)}\n\n"
                f"Thinking is optional, and the user does not see it. It ends at the first "
                f"`{self.think[1]}`. What\nstands outside of the markers is your answer, which the "
                "user sees."
            ),
            "calling": f"Write one block: {calls.taught}",
            "stop": closer,
            "reading": '`content` is what the tool gave or, where `status` is `"failure"`, what '
            "went wrong.",
            "rules": "\n".join(
                [
                    f"- Between `{opener}` and `{closer}` there is {calls.rules}",
                    f"- The block ends with `{closer}`.",
                ]
            ),
            "quoting": (
                "In your answer a marker acts as a marker wherever it stands, in code and in "
                "quotes too. To show one\nto the user, write "
                f"`{shown[: shown.index(';') + 1]}` for its first character: `{shown}`."
            ),
        }


@functools.cache
def _markers(frame: Tags) -> Markers:
    live: dict[str, Role] = {
        frame.think[0]: "think",
        frame.execute[0]: "block",
        frame.results[0]: "results",
    }
    if frame.end:
        live[frame.end] = "end"
    return Markers(
        prose=TagMarkers(live),
        think=TagMarkers({frame.think[1]: "close"}),
        opening=TagMarkers({frame.think[0]: "think"}),
        answer=TagMarkers({frame.results[0]: "results"}),
        void=TagMarkers({frame.execute[1]: "close"}),
        results=(TagMarkers({frame.results[1]: "close"}),),
    )


@functools.cache
def _unsafe(frame: Tags, kind: "TextKind") -> re.Pattern[str]:
    if kind == "user":
        # Users may write markers, but nothing that could pass for results.
        return re.compile("|".join(map(re.escape, frame.results)), re.IGNORECASE | re.ASCII)
    live = frame.openers if kind == "respond" else frame.think[1:]
    return re.compile("|".join(map(re.escape, live)))


def _framed(content: str, markers: Pair) -> str:
    opener, closer = markers
    return "\n".join(filter(None, (opener, content, closer)))
