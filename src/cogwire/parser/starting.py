# SPDX-License-Identifier: MIT
"""Finds from the end of a prompt where the model's turn begins."""

from typing import Final

from ..text import WHITE
from ..wire.dialects import HasDialect, dialect_named
from ..wire.frames.machine import Start
from ..wire.frames.markers import MarkerSet

#: The most characters at the end of a prompt that a think's opener or an open header has.
_REACH: Final = 600


def start_of(prompt: str, dialect: str | HasDialect) -> Start:
    """Return the `start` of a turn after `prompt`, which the last characters of it show.

    It is `"think"` if the prompt ends with the opener of a think, `"header"` if it ends in a
    header, and `"prose"` otherwise; white space at its end does not count.  Raises `ValueError` if
    the dialect does not exist.
    """
    frame = dialect_named(dialect).frame
    markers = frame.markers.prose
    text = prompt.rstrip(WHITE)[-_REACH:]
    # A marker may end with a line feed, which a prompt that was trimmed does not have.
    for end in (prompt[-_REACH:], f"{text}\n"):
        role, at = _last_marker(markers, end)
        if role == "think" and not end[at:].strip(WHITE):
            return "think"
    begin = markers.hold(text, _last_marker(markers, text)[1], fresh=True)
    return "header" if frame.has_headers and text.startswith(frame.openers, begin) else "prose"


def _last_marker(markers: MarkerSet, text: str) -> tuple[str, int]:
    """Return the role of the last marker in a text, and where it ends."""
    role, at = "", 0
    while (found := markers.find(text, at, fresh=True)) is not None:
        role, at = found.role, found.end
    return role, at
