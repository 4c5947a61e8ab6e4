# SPDX-License-Identifier: MIT
"""The ledger: the text that no event has claimed yet (law 4)."""


class Ledger:
    """Keeps the text that has been read until an event claims it."""

    __slots__ = ("_mark", "_pieces", "_size", "_text")

    def __init__(self, tail: str = "", size: int = 0) -> None:
        """Start after `size` characters of text, of which the last, `tail`, are unclaimed."""
        #: The unclaimed text is `_pieces`, then `_text`, the last chunk, from `_mark` on.
        self._pieces: list[str] = []
        self._text = tail
        self._mark = 0
        #: How many characters have been added, including the last chunk.
        self._size = size

    @property
    def tail(self) -> str:
        """The text that no event has claimed."""
        return "".join(self._pieces) + self._text[self._mark :]

    def add(self, text: str) -> None:
        """Take the next chunk of text."""
        if self._mark < len(self._text):
            self._pieces.append(self._text[self._mark :])
        self._text = text
        self._mark = 0
        self._size += len(text)

    def claim(self, offset: int) -> str:
        """Return the unclaimed text up to `offset`, and mark it as claimed."""
        stop = len(self._text) - self._size + offset
        if stop < 0:
            self._step_back(-stop)
            stop = 0
        raw = self._text[self._mark : stop]
        self._mark += len(raw)
        if self._pieces:
            raw = "".join(self._pieces) + raw
            self._pieces = []
        return raw

    def _step_back(self, count: int) -> None:
        """Move the last `count` characters of the pieces, which were held back, into the chunk."""
        held: list[str] = [self._text]
        while self._pieces and count > 0:
            piece = self._pieces.pop()
            kept = max(0, len(piece) - count)
            count -= len(piece) - kept
            held.append(piece[kept:])
            if kept:
                self._pieces.append(piece[:kept])
        self._text = "".join(reversed(held))

    def cut(self, offset: int) -> None:
        """Drop the text from `offset` on, which is after the hard stop."""
        self._text = self._text[: max(self._mark, len(self._text) - self._size + offset)]
        self._size = offset
