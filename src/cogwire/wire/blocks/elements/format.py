# SPDX-License-Identifier: MIT
"""The format of calls in XML elements."""

import re
from typing import TYPE_CHECKING, Final

from ....events import Limits
from .characters import NAME
from .reader import ElementReader

if TYPE_CHECKING:
    from ..format import BlockReader, CallKind, DeltaReader


class _Elements:
    """An element for each call, with one for each of its arguments."""

    kind: "CallKind" = "elements"
    is_text: bool = True
    is_xml: bool = True
    is_partial: bool = False
    is_verbatim: bool = False
    args: str = "args"
    reads_closer: bool = True
    names: re.Pattern[str] | None = NAME
    words: tuple[tuple[str, str], ...] = ()

    def reader(self, closer: str, limits: Limits) -> "BlockReader":
        return ElementReader(closer, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import ElementDeltas  # noqa: PLC0415 (few parsers need it)

        return ElementDeltas()


ELEMENTS: Final = _Elements()
