# SPDX-License-Identifier: MIT
"""How parts that begin with a marker are written and taught, and what a text must not contain."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ...blocks.format import CallWriting
from ..frame import PartKind, TextKind
from ..markers import Pair, literal
from ..single.bodies import write_bodies
from ..writing import FrameWriting
from .frame import Lines


class LineWriting(FrameWriting):
    """Writes parts that last until the next marker."""

    joint = "\n"

    def __init__(self, frame: Lines) -> None:
        self._frame = frame

    @property
    def closing(self) -> str:
        return self._frame.end

    @property
    def results_end(self) -> str:
        # A body without a closer lasts until the next marker.
        _, closer = self._frame.results[0]
        return "" if closer else self._frame.end

    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        return f"{self._frame.think if kind == 'think' else self._frame.respond} ", ""

    def think_opener(self) -> str:
        return self._frame.think

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        del form
        return [*(f"{self._frame.call} {call}" for call in calls), self._frame.execute]

    def write_results(self, content: str, items: Sequence[object] | None) -> str:
        opener, closer = self._frame.results[0]
        opener = f"{opener.rstrip()} "
        # An empty array of results is written as `[]`, since a message must not be empty.
        bodies = write_bodies(content, items, self, closer) or ["[]"]
        return "\n".join([f"{opener}{body}{closer}" for body in bodies])

    @property
    def lookalikes(self) -> tuple[str, ...]:
        return self._frame.openers

    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        if kind == "user":
            yield from (found.span(1) for found in _unsafe_of_users(self._frame).finditer(text))
            return
        markers = self._frame.markers.prose
        if not any([lead in text for lead in markers.leads]):  # noqa: C419 (a generator takes longer)
            return
        # The text begins at a fresh place, after its segment's marker, and ends at a line's end.
        line = f"{text}\n"
        found = markers.find(line, 0, fresh=True)
        while found:
            yield found.at, found.end
            found = markers.find(line, found.end, fresh=False)

    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        return before == after == "user"

    def wording(self, calls: CallWriting) -> dict[str, str]:
        """Return the instructions on markers at the start of a line."""
        frame = self._frame
        results = [opener for opener, _ in frame.results]
        openers = (
            frame.think,
            frame.call,
            frame.execute,
            frame.respond,
            frame.end,
            *results,
        )
        markers = " ".join(f"`{marker}`" for marker in openers)
        bracketed = [opener for opener in results if not opener.startswith(frame.mark)]
        shown = " and ".join(f"`{literal(marker)}`" for marker in (frame.execute, *bracketed))
        return {
            "markers": (
                "A program reads what you write. It knows these markers, each at the start of a "
                f"line:\n{markers}.\nEach part ends at the next marker."
            ),
            "thinking": (
                f"{frame.think} reasoning\n\n"
                "Thinking is optional, and the user does not see it. Your answer, which the user "
                f"sees, comes after\n`{frame.respond}`."
            ),
            "calling": (
                f"Write `{frame.call}` and {calls.description}\n"
                f"Then write `{frame.execute}` on a line of its own. This is one block:"
            ),
            "stop": f"at `{frame.execute}`",
            "reading": (
                "A result is what the tool returned. After a failure, or where that could be "
                "misread, it is\nan object with `tool`, `status` and `content`: what the tool "
                'returned or, where `status` is\n`"failure"`, what went wrong.'
            ),
            "rules": "\n".join(
                [
                    f"- After `{frame.call}` there is {calls.rules}",
                    f"- After the last call there is `{frame.execute}`.",
                ]
            ),
            "quoting": (
                "In your answer a marker at the start of a line acts as a marker, in lower or "
                "upper case, in code and\nin quotes too. To show one to the user, write its first "
                f"character as in\n{shown}."
            ),
        }


def writing_of(frame: Lines) -> LineWriting:
    """Return the writer of the parts that `frame` reads."""
    return LineWriting(frame)


@functools.cache
def _unsafe_of_users(frame: Lines) -> re.Pattern[str]:
    # No marker precedes a user's text, so every marker in it would be live; and a model reads those
    # of results in any case.  After a marker's literal form no place in the line is fresh.
    boundary = rf"(?=[ \t\r\n{frame.mark}]|\Z)"
    markers = "|".join(
        re.escape(marker) + (boundary if marker[-1].isalnum() else "") for marker in frame.openers
    )
    return re.compile(rf"(?:\A|[\r\n])[ \t]*({markers})", re.IGNORECASE | re.ASCII)
