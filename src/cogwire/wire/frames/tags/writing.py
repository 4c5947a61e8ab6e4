# SPDX-License-Identifier: MIT
"""How parts between tags are written and taught, and what a text must not contain."""

from collections.abc import Iterable, Sequence

from ...blocks.format import CallWriting
from ..markers import Pair
from ..paired import PairedWriting
from .frame import Tags


class TagWriting(PairedWriting):
    """Writes parts between an opener and a closer."""

    joint = "\n\n"

    def __init__(self, frame: Tags) -> None:
        super().__init__(frame.think, frame.results, frame.openers)
        self._frame = frame

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        return [_framed(form.join(calls), self._frame.execute)]

    def write_results(self, content: str, items: Sequence[object] | None) -> str:
        del items
        return _framed(content, self._frame.results)

    @property
    def lookalikes(self) -> tuple[str, ...]:
        closers = (self._frame.think[1], self._frame.execute[1], self._frame.results[1])
        # A reader that knows only openers and closers may mistake this for one.
        end = (f"{self._frame.end[0]}/{self._frame.end[1:]}",) if self._frame.end else ()
        return (*self._frame.openers, *closers, *end)

    def wording(self, calls: CallWriting) -> dict[str, str]:
        """Return the instructions on markers around their parts."""
        frame = self._frame
        markers = [*frame.think, *frame.execute, *frame.results, *filter(None, [frame.end])]
        opener, closer = frame.execute
        return {
            **self._words(markers, opener),
            "calling": f"Write one block: {calls.description}",
            "stop": f"at `{closer}`",
            "reading": "`content` is what the tool returned or, where `status` is "
            '`"failure"`, what went wrong.',
            "rules": "\n".join(
                [
                    f"- Between `{opener}` and `{closer}` there is {calls.rules}",
                    f"- The block ends with `{closer}`.",
                ]
            ),
        }


def writing_of(frame: Tags) -> TagWriting:
    """Return the writer of the parts that `frame` reads."""
    return TagWriting(frame)


def _framed(content: str, markers: Pair) -> str:
    opener, closer = markers
    return f"{opener}\n{content}\n{closer}" if content else f"{opener}\n{closer}"
