# SPDX-License-Identifier: MIT
"""Reads calls that are JSON objects, each after a marker of its own."""

from typing import Final

from ....events import Limits
from .array import RUN, ArrayReader
from .format import LIMIT, STRICT_JSON, ArrayFormat
from .scanner import decode, marker_between
from .shapes import CallShape, Shape
from .states import PAYLOAD


class PayloadReader(ArrayReader):
    """Reads elements that come one by one, as if in an array whose brackets are left out.

    Where the C scanner vouches for it, it reads on over the markers to the elements after them.
    """

    __slots__ = ("_alone_to", "_dividing", "_payload")

    _is_single = True

    def __init__(self, shape: Shape, marker: str, limits: Limits) -> None:
        """Read elements with `marker` before each but the first."""
        super().__init__(shape, marker, limits)
        self._names.append(None)
        self._steps.append(0)
        self._dividing = marker_between(marker)
        #: Up to where in the text elements are offered to the C scanner one by one.
        self._alone_to = 0
        self.open()

    def open(self) -> None:
        """Go on with another element."""
        self.closed = False
        self._state = PAYLOAD
        self._steps[0] = self.count
        #: How many pieces of `_done` come before the open element.
        self._payload = len(self._done)

    def read_again(self, block: str, *, is_open: bool) -> None:
        """Read the elements that `text` returned, of which the last may still be open."""
        pos = 0
        while (pos := self.read(block, pos, len(block))) < len(block):
            self.open()
        if is_open and self.closed:
            self.open()

    def payload(self) -> str:
        """Return what was read of the open element."""
        return "".join([*self._done[self._payload :], *(self._open or ())])

    def payload_before(self, text: str, at: int) -> str:
        """Return the open element up to `at`, where reading `text` stopped."""
        # The character that crosses a limit may have been read already.
        read = self.payload()
        return read + text[self._from : at] if self._from <= at else read[: at - self._from]

    def _offer(self, text: str, pos: int, end: int) -> int:
        self._refused = pos
        most = 1 if pos < self._alone_to else min(RUN, self._shape.capacity - self.count)
        block = text[pos : self._bound(text, pos, end, most)]
        run = decode(block, 0, most, self._limits, self._dividing)
        if run.spans and not run.is_sound(block, self._limits, self._shape.nested):
            # The machine has to read one of them; see `ArrayReader`.
            self._alone_to = pos + run.spans[-1][1]
            run = decode(block, 0, 1, self._limits, self._dividing)
        if not run.is_sound(block, self._limits, self._shape.nested):
            return pos
        base = pos
        for element, (begin, stop) in zip(run.elements, run.spans, strict=True):
            if not self._shape.accepts(self.count, element):
                self._alone_to = base + run.spans[-1][1]
                break
            if self.closed:
                self._pass_marker(text, pos)
            pos = base + stop
            self.found.append((block[begin:stop], base + begin, pos))
            self.count += 1
            self.closed = True
        return pos

    def _bound(self, text: str, pos: int, end: int, most: int) -> int:
        """Return how far `most` elements may go: what a failed attempt costs must not grow."""
        bound = pos
        for _ in range(most):
            bound = text.find(self._closer[0], bound + 1, end)
            if bound < 0:
                return end
        return bound

    def _pass_marker(self, text: str, pos: int) -> None:
        """Leave out the marker after `pos`, which is no part of the elements."""
        after = text.index(":", pos) + 1
        self._done.append(text[self._from : pos])
        self._from = after
        self._room += after - pos


class _Payloads(ArrayFormat):
    """A JSON object after a marker of its own."""

    is_partial: bool = True
    taught: str = "a JSON object with `name`, the tool, and `args`, its arguments."
    rules: str = f"""\
one JSON object and nothing else: no words, no comments, no code
  fences, no trailing commas. One block holds at most {LIMIT} calls.
- Every call has a `name`, a string. Its `args` are an object, `{{}}` without arguments.
{STRICT_JSON}"""

    def reader(self, closer: str, limits: Limits) -> PayloadReader:
        return PayloadReader(CallShape(limits.calls, is_partial=True), closer, limits)


PAYLOADS: Final = _Payloads()
