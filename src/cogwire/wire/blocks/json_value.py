# SPDX-License-Identifier: MIT
"""Reads one JSON value that a marker ends, as it arrives."""

import functools
from typing import Final

from ...events import Limits
from ...text import WHITE, pointer
from ...text.strict_json import decoder_of
from . import json_states as states
from .json_payload import ObjectShape
from .json_reader import ArrayReader
from .json_states import VALUE, JsonState

_MEMBERS: Final = ObjectShape(1)


@functools.lru_cache(maxsize=256)
def _end_state(marker: str) -> JsonState:
    """Return the state after the value, which ends it at white space or where `marker` begins."""
    state = JsonState(marker, is_token=True)
    state.enter({WHITE + marker[0]: ValueReader.end})
    return state


class ValueReader(ArrayReader):
    """Reads one value through the character after it; a bracket of it is on the third level."""

    __slots__ = ("_end", "_path")

    def __init__(self, marker: str, path: str, limits: Limits) -> None:
        """Read the value whose place is `path`, and after which there is `marker`."""
        super().__init__(_MEMBERS, marker, limits)
        self._path = path
        self._end = _end_state(marker)
        self._names.append(None)
        self._steps.append(None)
        self._state, self._after = VALUE, self._end

    def read(self, text: str, pos: int, end: int) -> int:
        """Read on, and return `end`, or the place after the value, if it is `closed`."""
        return self._advance(text, pos, end)

    def path(self) -> str:
        return self._path + pointer(self._steps)

    def end(self, _text: str, pos: int, _end: int) -> int:
        self.closed = True
        return pos

    def _nest(self, pos: int) -> None:
        # The call and its args are outside of the value.
        if len(self._names) + 1 >= self._limits.depth:
            raise self._fault(pos, states.too_deep(self._limits.depth))

    def _close_element(self, text: str, pos: int) -> int:
        self._names.pop()
        self._steps.pop()
        self._state = self._after = self._end
        return pos + 1


def whole_value(text: str, pos: int, end: int, limits: Limits) -> int:
    """Return where the one value in `text[pos:end]` ends, or `pos` if the C decoder is in doubt."""
    source = text[pos:end]  # an error of the decoder counts the lines before it
    known = decoder_of(limits.depth - 1, limits.digits).decode(source, 0)
    if known is None or source[len(known[1]) :].strip(WHITE):
        return pos
    return pos + len(known[1])
