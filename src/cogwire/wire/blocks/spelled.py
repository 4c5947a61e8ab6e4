# SPDX-License-Identifier: MIT
"""Reads calls whose args are not JSON on the wire, and spells the args as JSON meanwhile.

What the text makes certain of the args is appended to a list, once; the content of a call and its
deltas are made of the same pieces.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from ...events import Event, Limits
from ...text import pointer
from ...text.strict_json import quoted
from .interface import FULL, BlockReader, Fault, too_many_calls
from .literals_parts import Part

#: Called when a part is done, with the text and the place after the part.
Then = Callable[[Any, str, int], None]


class SpelledReader(BlockReader):
    """Reads calls; give it text until it is `closed` or raises `Fault`."""

    __slots__ = (*("_out", "_part", "_shown", "_steps", "_then", "_tool", "_whole"),)

    _full = FULL

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        #: For call deltas: the calls of the last text, and how many pieces of the open call have
        #: been shown.
        self._whole: list[tuple[str, str]] = []
        self._shown = 0
        #: The name of the open call, once it is known, and the pieces of its args.
        self._tool = ""
        self._out: list[str] = []
        self.open()

    def open(self) -> None:
        super().open()
        #: The part that is being read, and what to do after it.
        self._part: Part | None = None
        self._then: Then = SpelledReader._after_part
        #: The index of the open call, and the keys and indices that lead to the place in its args;
        #: `None` for a key that is not known yet.  Empty outside of all calls.
        self._steps: list[str | int | None] = []

    # -- What the parser uses ---------------------------------------------------------------

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        part = self._part if self.in_text else None
        if len(chunk) > self._room or part is None or not part.extend(chunk):
            return self._read_chunk(chunk)
        self._pieces.append(chunk)
        self._room -= len(chunk)
        return []

    def deltas(self, text: str, pos: int, stop: int) -> list[tuple[str, str]]:
        whole, self._whole = self._whole, []
        out, self._shown = self._out[self._shown :], len(self._out)
        return [*whole, (self._tool, "".join(out))]

    def unread(self, _text: str, _at: int, _closer: str) -> str:
        return ""

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside of all calls."""
        return pointer(self._steps) or None

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        try:
            pos = self._read_on(text, pos, end)
        except Fault as fault:
            fault.path = self.path() if fault.path is None else fault.path
            raise
        self.in_text = self._part is not None and self._part.in_text
        return pos

    @abstractmethod
    def _read_on(self, text: str, pos: int, end: int) -> int:
        """Do what `_advance` does; a `Fault` needs no path."""

    def _after_part(self, text: str, pos: int) -> None:
        """Do what follows the part that was read last."""

    # -- Calls ------------------------------------------------------------------------------

    def _show(self, text: str) -> None:
        """Take text of a string."""
        self._out.append(quoted(text)[1:-1])

    def _begin_call(self, pos: int) -> None:
        """Begin a call at `pos`, if there may be another one."""
        if self.count >= self._limits.calls:
            code, message = too_many_calls(self._limits.calls)
            raise Fault(code, pos, message)
        self._opened = pos - self._origin()

    def _end_call(self, pos: int) -> None:
        """End the open call before `pos`."""
        args = "".join(self._out)
        content = f'{{"name": {quoted(self._tool)}, "args": {args}}}'
        self.found.append((content, self._origin() + self._opened, pos))
        if self.shows_deltas:
            self._whole.append((self._tool, "".join(self._out[self._shown :])))
        self.tools.append(self._tool)
        self.count += 1
        self._tool = ""
        self._out = []
        self._shown = 0
