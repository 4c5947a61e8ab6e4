# SPDX-License-Identifier: MIT
"""Reads calls that are JSON objects, each after a separate marker."""

import functools
import re
from collections.abc import Set as AbstractSet
from typing import Any, Final

from ...events import Limits
from ...text import NOTHING, WHITE
from .interface import FULL, CallKind, Wrong
from .json_reader import ArrayFormat, ArrayReader
from .json_shapes import NO_NAME, CallShape
from .json_states import NEXT_ELEMENT, PAYLOAD

#: The C decoder reads to the first marker after this many characters: often several payloads.
REACH: Final = 4096


@functools.lru_cache(maxsize=256)
def _text_between(marker: str, closer: str) -> re.Pattern[str]:
    """Return a pattern for the text between two elements; its group is `marker`.

    Without a `closer` before it the marker is read in any ASCII case.
    """
    gap = f"[{WHITE}]*"
    before = f"{gap}{re.escape(closer)}" if closer else ""
    flags = "" if closer else "?i:"
    return re.compile(rf"{before}{gap}(({flags}{re.escape(marker)})){gap}\{{", re.ASCII)


class ObjectShape(CallShape):
    """Objects with any members: the args of calls whose name comes before them, or other values."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.example = "the arguments as an object, or {} for none"
        self.nested = NO_NAME
        #: The names of the members of the last object.
        self.members: AbstractSet[str] = frozenset()

    def check_first(self, member: str, char: str) -> Wrong | None:
        return None

    def needs(self, member: str) -> bool:
        return False

    def check_end(self, names: set[str]) -> Wrong | None:
        self.members = names
        self.tools.append(self.name)
        return None

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
        self.members = element.keys()
        self.tools.append(self.name)
        return True


class PayloadReader(ArrayReader):
    """Reads elements one by one, as if in an array without brackets.

    If the C decoder proves elements valid, it reads several at once, with the markers between them.
    """

    __slots__ = ("_between", "_payload")

    _is_single = True
    _full = FULL

    def __init__(
        self, shape: CallShape, marker: str, limits: Limits, closer: str | None = ""
    ) -> None:
        """Read elements with `marker` before each but the first, perhaps after a `closer`.

        With `None` the machine reads what is between two elements.
        """
        super().__init__(shape, marker, limits)
        self._open.append(NEXT_ELEMENT)
        self._between = NOTHING if closer is None else _text_between(marker, closer)
        self.open()

    def open(self) -> None:
        """Continue with another element."""
        super().open()
        self._state = PAYLOAD
        #: How many pieces of the block precede the open payload.
        self._payload = self._first = len(self._pieces)

    def payload(self) -> str:
        """Return the text of the open element so far."""
        return "".join(self._pieces[self._payload :])

    def payload_before(self, text: str, at: int) -> str:
        """Return the open element up to `at`, where reading `text` stopped."""
        # The character that exceeds a limit may have been read already.
        read = self.payload()
        return read + text[self._from : at] if self._from <= at else read[: at - self._from]

    def _decode_whole_elements(self, text: str, pos: int, end: int) -> int:
        after = super()._decode_whole_elements(text, pos, end)
        for _, _, stop in self.found[:-1]:
            # The markers are not part of the block.
            gap = self._between.match(text, stop)
            begin = gap.end(1) if gap else stop
            self._pieces.append(text[self._from : stop])
            self._from = begin
            self._room += begin - stop
        return after

    def _bound(self, text: str, pos: int, end: int) -> int:
        bound = text.find(self._closer[0], pos + REACH, end)
        return end if bound < 0 else bound


class _Payloads(ArrayFormat):
    """A JSON object after each marker."""

    kind: CallKind = "object"
    is_partial: bool = True
    reads_closer: bool = False

    def reader(self, closer: str, limits: Limits) -> PayloadReader:
        return PayloadReader(CallShape(limits.calls, is_partial=True), closer, limits)


PAYLOADS: Final = _Payloads()
