# SPDX-License-Identifier: MIT
"""The format of calls in a JSON array."""

import re
from typing import TYPE_CHECKING, Final

from ....events import Limits
from .array import ArrayReader
from .calls import CallShape

if TYPE_CHECKING:
    from ..format import BlockReader, CallKind, DeltaReader


class ArrayFormat:
    """A JSON array of objects with `name` and `args`."""

    kind: "CallKind" = "array"
    is_text: bool = False
    is_xml: bool = False
    is_partial: bool = False
    is_verbatim: bool = True
    args: str = "args"
    reads_closer: bool = True
    names: re.Pattern[str] | None = None
    words: tuple[tuple[str, str], ...] = ()

    def reader(self, closer: str, limits: Limits) -> "BlockReader":
        return ArrayReader(CallShape(limits.calls), closer, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import JsonDeltas  # noqa: PLC0415 (few parsers need it)

        return JsonDeltas(0)


ARRAY: Final = ArrayFormat()
