# SPDX-License-Identifier: MIT
"""Reads one JSON value that a marker ends, as it arrives."""

import functools
from typing import Final

from ...events import Limits
from ...text import WHITE, pointer
from ...text.strict_json import decoder_of
from .json_payload import ObjectShape
from .json_reader import ArrayReader, steps_in, value_steps
from .json_states import JsonState

_MEMBERS: Final = ObjectShape(1)


@functools.lru_cache(maxsize=256)
def _value_state(marker: str) -> JsonState:
    """Return the state before a value that white space ends, or the beginning of `marker`."""
    state, value = JsonState(marker, is_token=True), JsonState("a value")
    state.enter({WHITE + marker[0]: ValueReader.end})
    value.after = state
    value.enter(value_steps(state))
    return value


class ValueReader(ArrayReader):
    """Reads one value, and the character after it; its brackets are on the third level."""

    __slots__ = ("_path",)

    def __init__(self, marker: str, path: str, limits: Limits) -> None:
        """Read the value at `path`, which `marker` follows."""
        super().__init__(_MEMBERS, marker, limits)
        self._path = path
        self._state = _value_state(marker)
        # The call and its args are outside of the value.
        self._open += self._state, self._state

    def read(self, text: str, pos: int, end: int) -> int:
        """Read on, and return `end`, or the place after the value, if it is `closed`."""
        self._from = pos
        at = self._advance(text, pos, end)
        self._pieces.append(text[pos:at])
        self._from = at
        return at

    def path(self, rest: str = "") -> str:
        return self._path + pointer(steps_in(self._before(rest)))

    def end(self, _text: str, pos: int, _end: int) -> int:
        self.closed = True
        return pos


def whole_value(text: str, pos: int, end: int, limits: Limits) -> int:
    """Return where the one value in `text[pos:end]` ends, or `pos` if the C decoder is in doubt."""
    source = text[pos:end]  # an error of the decoder counts the lines before it
    known = decoder_of(limits.depth - 1, limits.digits).decode(source, 0)
    if known is None or source[len(known[1]) :].strip(WHITE):
        return pos
    return pos + len(known[1])
