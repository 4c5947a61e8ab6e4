# SPDX-License-Identifier: MIT
"""Reads calls whose args are not JSON on the wire, and writes the args as JSON as it goes.

What the text makes certain of the args is appended to a list, once; the content of a call and its
deltas are made of the same pieces.
"""

from ...events import Limits
from ...text.strict_json import quoted
from .interface import BlockReader, Fault, too_many_calls


class SpelledReader(BlockReader):
    """Keeps the args of the open call as JSON, and how much of them has been shown."""

    __slots__ = ("_opened", "_out", "_shown", "_shown_of_value", "_tool", "_whole")

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        #: For call deltas: the calls of the last text; how many pieces of the open call have been
        #: shown, and how many characters of a value that is taken at its end.
        self._whole: list[tuple[str, str]] = []
        self._shown = self._shown_of_value = 0
        #: The name of the open call, once it is known, and the pieces of its args.
        self._tool = ""
        self._out: list[str] = []
        #: Where the call begins in the block that was opened last.
        self._opened = 0
        self.open()

    def _origin(self) -> int:
        """Return where the block begins in the text being read, mostly before it."""
        return self._text_begin + self._room - self._limits.size

    def unread(self, text: str, at: int, closer: str, /) -> str:
        # The character that exceeds a limit may have been read already.
        read, excess = self.text(), self._from - at
        before = read[:-excess] if excess > 0 else read + text[self._from : at]
        return beginning_at_end(before[self._opened :], closer)

    def deltas(self, text: str, pos: int, stop: int) -> list[tuple[str, str]]:
        if piece := self._next_of_value(text, pos, stop):
            self._out.append(piece)
            self._shown_of_value += len(piece)
        whole, self._whole = self._whole, []
        out, self._shown = self._out[self._shown :], len(self._out)
        return [*whole, (self._tool, "".join(out))]

    def _show(self, text: str) -> None:
        """Take text of a string."""
        self._out.append(quoted(text)[1:-1])

    def _next_of_value(self, _text: str, _pos: int, _stop: int) -> str:
        """Return the JSON that the text makes certain of a value which is taken at its end."""
        return ""

    def _end_value(self, json: str) -> None:
        """Take a whole value, or all after its opening quote; deltas may have shown a part."""
        self._out.append(json[self._shown_of_value :])
        self._shown_of_value = 0

    def _begin_call(self, pos: int) -> None:
        """Begin a call at `pos`; `Fault` if there are too many."""
        if self.count >= self._limits.calls:
            code, message = too_many_calls(self._limits.calls)
            raise Fault(code, pos, message, self.path())
        self._opened = pos - self._origin()

    def _end_call(self, pos: int) -> None:
        """End the open call before `pos`."""
        content = f'{{"name": {quoted(self._tool)}, "args": {"".join(self._out)}}}'
        self.found.append((content, self._origin() + self._opened, pos))
        if self.shows_deltas:
            self._whole.append((self._tool, "".join(self._out[self._shown :])))
        self.tools.append(self._tool)
        self.count += 1
        self._tool = ""
        self._out = []
        self._shown = 0


def beginning_at_end(text: str, marker: str) -> str:
    """Return the longest proper prefix of `marker` with which `text` ends."""
    at = text.find(marker[:1], max(0, len(text) - len(marker) + 1))
    while 0 <= at < len(text):
        if marker.startswith(text[at:]):
            return text[at:]
        at = text.find(marker[0], at + 1)
    return ""
