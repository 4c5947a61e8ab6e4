# SPDX-License-Identifier: MIT
"""Calls with a head: what reads them."""

from typing import TYPE_CHECKING, Final

from .....events import Limits
from ..format import ArrayFormat
from .reader import HeadedReader

if TYPE_CHECKING:
    from ...format import CallKind, DeltaReader


class _Headed(ArrayFormat):
    """The name of a tool, `[ARGS]`, and a JSON object with its arguments."""

    kind: "CallKind" = "headed"
    is_verbatim: bool = False

    def reader(self, closer: str, limits: Limits) -> HeadedReader:
        return HeadedReader(closer, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import HeadedDeltas  # noqa: PLC0415 (few parsers need it)

        return HeadedDeltas()


HEADED: Final = _Headed()
