# SPDX-License-Identifier: MIT
"""Parts that begin with a marker: what they are, how written, and what a text must not hold."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..machine import Options
from ..markers import Markers, Pair, Role, literal
from .bodies import write_bodies
from .machine import LineMachine
from .markers import LineMarkers

if TYPE_CHECKING:
    from ...blocks.format import CallFormat
    from ..frame import PartKind, TextKind


class Lines(NamedTuple):
    """Parts that begin with a marker at the start of a line and last until the next marker.

    A marker that begins with `mark` is read in any ASCII letter case.
    """

    mark: str
    think: str
    call: str
    respond: str
    execute: str
    end: str
    #: What surrounds the body of a result: as it is written, then what else is read as one.
    results: tuple[Pair, ...]

    # What is said of every frame (`frame.py`).
    joint: str = "\n"
    is_block_last: bool = False
    has_result_array: bool = False
    ignores_case: bool = True

    @property
    def openers(self) -> tuple[str, ...]:
        results = (opener for opener, _ in self.results)
        return (self.think, self.call, self.respond, self.execute, self.end, *results)

    @property
    def closing(self) -> str:
        return self.end

    @property
    def block_ends(self) -> Pair:
        return self.call, self.execute

    @property
    def markers(self) -> Markers:
        return _markers(self)

    def machines(self, calls: "CallFormat", options: Options) -> Callable[[], LineMachine]:
        ends = (self.block_ends, self.results)
        return functools.partial(LineMachine, self.markers, ends, calls, options)

    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        return f"{self.think if kind == 'think' else self.respond} ", ""

    def think_opener(self) -> str:
        return self.think

    def call_parts(self, calls: Iterable[str], form: "CallFormat") -> list[str]:
        del form
        return [*(f"{self.call} {call}" for call in calls), self.execute]

    def write_results(self, content: str, lookalike: re.Pattern[str]) -> str:
        opener, closer = self.results[0]
        bodies = list(write_bodies(content, lookalike, closer))
        # No results are written as `[]`: the message must not be empty.
        return "\n".join(f"{opener.rstrip()} {body}{closer}" for body in bodies or ["[]"])

    @property
    def lookalikes(self) -> tuple[str, ...]:
        return self.openers

    def unsafe(self, text: str, kind: "TextKind") -> Iterator[tuple[int, int]]:
        if kind == "user":
            yield from (found.span(1) for found in _unsafe_of_users(self).finditer(text))
            return
        markers = self.markers.prose
        # After the marker of its own segment every place is fresh, and its end is a line's end.
        line = f"{text}\n"
        found = markers.find(line, 0, fresh=True)
        while found:
            yield found.at, found.end
            found = markers.find(line, found.end, fresh=False)

    def blurs(self, before: "PartKind", after: "PartKind") -> bool:
        return "user" in (before, after) and {before, after} <= {"user", "results"}

    def wording(self, calls: "CallFormat") -> dict[str, str]:
        """Return the words for markers at the start of a line."""
        results = [opener for opener, _ in self.results]
        openers = (self.think, self.call, self.execute, self.respond, self.end, *results)
        markers = " ".join(f"`{marker}`" for marker in openers)
        bracketed = [opener for opener in results if not opener.startswith(self.mark)]
        shown = " and ".join(f"`{literal(marker)}`" for marker in (self.execute, *bracketed))
        return {
            "markers": (
                "A program reads what you write. It knows these markers, each at the start of a "
                f"line:\n{markers}.\nWhat a marker begins ends at the next marker."
            ),
            "thinking": (
                f"{self.think} reasoning\n\n"
                "Thinking is optional, and the user does not see it. Your answer, which the user "
                f"sees, comes after\n`{self.respond}`."
            ),
            "calling": (
                f"Write `{self.call}` and {calls.taught}\n"
                f"Then write `{self.execute}` on a line of its own. This is one block:"
            ),
            "stop": self.execute,
            "reading": (
                "A result is what the tool gave. After a failure, or where that could be misread, "
                "it is an object\nwith `tool`, `status` and `content`: what the tool gave or, "
                'where `status` is `"failure"`, what\nwent wrong.'
            ),
            "rules": "\n".join(
                [
                    f"- After `{self.call}` there is {calls.rules}",
                    f"- After the last call there is `{self.execute}`.",
                ]
            ),
            "quoting": (
                "In your answer a marker at the start of a line acts as a marker, in lower or "
                "upper case, in code and\nin quotes too. To show one to the user, write its first "
                f"character as in\n{shown}."
            ),
        }


@functools.cache
def _markers(frame: Lines) -> Markers:
    results: dict[str, Role] = {opener: "results" for opener, _ in frame.results}
    live: dict[str, Role] = {
        frame.think: "think",
        frame.respond: "prose",
        frame.call: "call",
        frame.execute: "execute",
        frame.end: "end",
        **results,
    }
    everywhere = LineMarkers(frame.mark, live)
    return Markers(
        prose=everywhere,
        think=everywhere,
        opening=LineMarkers(frame.mark, {frame.think: "think"}),
        answer=LineMarkers(frame.mark, results),
        void=everywhere,
        results=tuple(LineMarkers(frame.mark, live, closer) for _, closer in frame.results),
    )


@functools.cache
def _unsafe_of_users(frame: Lines) -> re.Pattern[str]:
    # Nothing frames a user's text, so every marker in it would be live; and a model reads those of
    # results in any case.  Behind one in its literal form no place of the line is fresh.
    boundary = rf"(?=[ \t\r\n{frame.mark}]|\Z)"
    markers = "|".join(
        re.escape(marker) + (boundary if marker[-1].isalnum() else "") for marker in frame.openers
    )
    return re.compile(rf"(?:\A|[\r\n])[ \t]*({markers})", re.IGNORECASE | re.ASCII)
