# SPDX-License-Identifier: MIT
"""Tags, and a brace that begins a call if only white space precedes it."""

from ....text.scan import WHITE_RUN, jump
from ..markers import Found
from ..tags.markers import TagMarkers

#: What begins a call without a tag.
BRACE = "{"


class BareMarkers(TagMarkers):
    """Tags that are live anywhere, and a brace that is live at fresh places only."""

    __slots__ = ()

    def find(self, text: str, pos: int, *, fresh: bool) -> Found | None:
        if fresh:
            at = jump(WHITE_RUN, text, pos, len(text))
            if text.startswith(BRACE, at):
                return Found("call", at, at)  # the brace is a part of the call
        return super().find(text, pos, fresh=fresh)

    def is_fresh(self, text: str, pos: int, at: int, *, fresh: bool) -> bool:
        return fresh and jump(WHITE_RUN, text, pos, at) == at
