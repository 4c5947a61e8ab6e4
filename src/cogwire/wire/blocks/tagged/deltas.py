# SPDX-License-Identifier: MIT
"""The args of calls between tags as JSON text, while they are being written."""

import json
from typing import Final

from ....events import UNLIMITED, CallDeltaEvent
from .reader import TaggedReader
from .tags import Tags

_encode: Final = json.encoder.encode_basestring


class TaggedDeltas(TaggedReader):
    """Reads text that another reader has already accepted, so it never meets a broken rule."""

    __slots__ = ("_carry", "_deltas", "_shown", "_written")

    def __init__(self, tags: Tags) -> None:
        super().__init__(tags, UNLIMITED)
        #: How many characters of the open value have been emitted, and those held back because
        #: they may belong to its closing tag; `None` before its first character.
        self._shown = 0
        self._carry: str | None = None
        #: The pieces of the open call's args in the current text, and the deltas of earlier calls.
        self._written: list[str] = []
        self._deltas: dict[int, CallDeltaEvent] = {}

    def follow(self, text: str) -> dict[int, CallDeltaEvent]:
        """Take the text that was accepted next, and return its deltas by the call's index."""
        self._deltas = {}
        pos = 0
        while pos < len(text):
            if self.closed:
                self.open()
            pos = self.read(text, pos, len(text))
            if self.closed:
                self._written.append("}")
                self._show(self.count - 1)
        if text and self._in_value:
            self._take_value(self._pieces[-1])
        self._show(self.count)
        return self._deltas

    def _show(self, index: int) -> None:
        if piece := "".join(self._written):
            self._deltas[index] = {
                "type": "call_delta",
                "index": index,
                "name": self._tool,
                "content": piece,
            }
        self._written = []

    def _take_tool(self, name: str, char: str, at: int) -> None:
        super()._take_tool(name, char, at)
        self._written.append("{")

    def _take_key(self, name: str, char: str, at: int) -> None:
        super()._take_key(name, char, at)
        self._written.append(f'{", " * bool(self._args)}{_encode(name)}: "')
        self._shown, self._carry = 0, None

    def _take_value(self, piece: str) -> None:
        """Add `piece`, the next text of the open value, as far as it is certainly content."""
        tags = self._tags
        if not piece:
            return
        if self._carry is None:
            piece = piece.removeprefix(tags.margin)
        text = (self._carry or "") + piece
        ends = tags.value[1], tags.margin + tags.value[1]
        stop = max(0, len(text) - len(ends[1]))
        while stop < len(text) and not any(end.startswith(text[stop:]) for end in ends):
            stop += 1
        self._write(text[:stop])
        self._carry = text[stop:]

    def _end_value(self, text: str, pos: int) -> int:
        key = self._key
        pos = super()._end_value(text, pos)
        self._write(self._args[key or ""][self._shown :])
        self._written.append('"')
        return pos

    def _write(self, text: str) -> None:
        self._shown += len(text)
        self._written.append(_encode(text)[1:-1])
