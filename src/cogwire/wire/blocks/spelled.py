# SPDX-License-Identifier: MIT
"""Reads calls whose args are not JSON on the wire, and spells the args as JSON meanwhile.

What the text makes certain of the args is appended to a list, once; the content of a call and its
deltas are made of the same pieces.
"""

import json
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Final

from ...events import Event, Limits
from ...text import pointer_step
from .interface import Fault, ReadCall, too_many_calls
from .literals_parts import Part, too_many

encode: Final[Callable[[str], str]] = json.encoder.encode_basestring

#: Called when a part is done, with the text and the place after the part.
Then = Callable[[Any, str, int], None]


class SpelledReader:
    """Reads calls; give it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        *("_begun", "_last_deltas", "_limits", "_origin", "_out", "_part", "_pieces", "_room"),
        *("_shown", "_steps", "_then", "_tool", "_whole", "closed", "count", "found", "in_text"),
        *("shows_deltas", "tools"),
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.count = 0
        self.tools: list[str] = []
        self.found: list[ReadCall] = []
        self.shows_deltas = False
        #: How many more characters the calls may have, and their text so far.
        self._room = limits.size
        self._pieces: list[str] = []
        #: Where the calls begin in the text being read, mostly before it.
        self._origin = 0
        #: For call deltas: the calls of the last text, and how many pieces of the open call have
        #: been shown; and the deltas before a character for which there is no room.
        self._whole: list[tuple[str, str]] = []
        self._shown = 0
        self._last_deltas: list[tuple[str, str]] | None = None
        #: The name of the open call, once it is known; the pieces of its args; and where it begins.
        self._tool = ""
        self._out: list[str] = []
        self._begun = 0
        self.open()

    def open(self) -> None:
        """Go on with the next text of calls."""
        self.closed = False
        self.in_text = False
        #: The part that is being read, and what to do after it.
        self._part: Part | None = None
        self._then: Then = SpelledReader._after_part
        #: The index of the open call, and the keys and indices that lead to the place in its args;
        #: `None` for a key that is not known yet.  Empty outside of all calls.
        self._steps: list[str | int | None] = []

    # -- What the parser uses; `interface.py` describes it ----------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        if self.found:
            self.found = []
        begin = pos
        self._origin = pos + self._room - self._limits.size
        stop = min(end, pos + self._room)
        pos = self._advance_all(text, pos, stop)
        if pos == stop < end and not self.closed:
            self._cross_limit(text, begin, pos)
        self._room -= pos - begin
        self._pieces.append(text[begin:pos])
        self.in_text = self._part is not None and self._part.in_text
        return pos

    def extend(self, chunk: str, _base: int, _now: float | None) -> list[Event] | None:
        part = self._part
        if len(chunk) > self._room or part is None or not part.extend(chunk):
            return None
        self._pieces.append(chunk)
        self._room -= len(chunk)
        return []

    def deltas(self, text: str, pos: int, stop: int) -> list[tuple[str, str]]:
        if self._last_deltas is not None:
            last, self._last_deltas = self._last_deltas, None
            return last
        whole, self._whole = self._whole, []
        out, self._shown = self._out[self._shown :], len(self._out)
        return [*whole, (self._tool, "".join(out))]

    def text(self) -> str:
        return "".join(self._pieces)

    def unread(self, _text: str, _at: int, _closer: str) -> str:
        return ""

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside of all calls."""
        steps = [step for step in self._steps if step is not None]
        return "".join(map(pointer_step, steps)) if steps else None

    # -- The loop ---------------------------------------------------------------------------

    def _advance_all(self, text: str, pos: int, end: int) -> int:
        try:
            return self._advance(text, pos, end)
        except Fault as fault:
            fault.path = self.path() if fault.path is None else fault.path
            raise

    @abstractmethod
    def _advance(self, text: str, pos: int, end: int) -> int:
        """Read on, and return where reading stopped: `end`, or after the calls."""

    def _after_part(self, text: str, pos: int) -> None:
        """Do what follows the part that was read last."""

    def _cross_limit(self, text: str, begin: int, pos: int) -> None:
        """Refuse the character for which there is no room, if it breaks no other rule."""
        path, count = self.path(), len(self.found)
        self._last_deltas = self.deltas(text, begin, pos)
        self._advance_all(text, pos, pos + 1)
        del self.found[count:]
        raise Fault("limit-size", pos, too_many(self._limits.size), path)

    # -- Calls ------------------------------------------------------------------------------

    def _show(self, text: str) -> None:
        """Take text of a string."""
        self._out.append(encode(text)[1:-1])

    def _begin_call(self, pos: int) -> None:
        """Begin a call at `pos`, if there may be another one."""
        if self.count >= self._limits.calls:
            code, message = too_many_calls(self._limits.calls)
            raise Fault(code, pos, message)
        self._begun = pos - self._origin

    def _end_call(self, pos: int) -> None:
        """End the open call before `pos`."""
        args = "".join(self._out)
        content = f'{{"name": {encode(self._tool)}, "args": {args}}}'
        self.found.append((content, self._origin + self._begun, pos))
        if self.shows_deltas:
            self._whole.append((self._tool, "".join(self._out[self._shown :])))
        self.tools.append(self._tool)
        self.count += 1
        self._tool = ""
        self._out = []
        self._shown = 0
