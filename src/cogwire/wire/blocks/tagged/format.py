# SPDX-License-Identifier: MIT
"""Calls whose names and values are between tags: what reads them."""

import re
from typing import TYPE_CHECKING, Final

from ....events import Limits
from .reader import TaggedReader
from .tags import Tags

if TYPE_CHECKING:
    from ..format import CallKind, DeltaReader

#: A name that is read back as it is written.
_NAME: Final = re.compile(r"(?![ \t\r])[^<>\n]+(?<![ \t\r])")


class Tagged:
    """The name of a tool, and then a key and a value for each argument, between `tags`."""

    kind: "CallKind" = "tagged"
    is_text: bool = True
    is_xml: bool = False
    is_partial: bool = False
    is_verbatim: bool = False
    args: str = "args"
    names: re.Pattern[str] | None = _NAME

    def __init__(
        self, tags: Tags, *, reads_closer: bool, words: tuple[tuple[str, str], ...] = ()
    ) -> None:
        """Read calls of which the last tag is the closer of the block, if it `reads_closer`."""
        self.tags = tags
        self.reads_closer = reads_closer
        self.words = words

    def reader(self, closer: str, limits: Limits) -> TaggedReader:
        del closer
        return TaggedReader(self.tags, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import TaggedDeltas  # noqa: PLC0415 (few parsers need it)

        return TaggedDeltas(self.tags)
