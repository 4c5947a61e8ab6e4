# SPDX-License-Identifier: MIT
"""Text from a file descriptor, as it arrives."""

import codecs
import os
from collections.abc import Iterator
from typing import Final

from cogwire.tooling import WHITE

_READ_SIZE: Final = 65536
#: How text begins that is UTF-16.
UTF_16: Final = {b"\xff\xfe", b"\xfe\xff"}
#: How much text before an offending character is kept, to show it in its line.
_CONTEXT: Final = 240
#: How much of the beginning is kept, from which a dialect can be detected afterwards.
_HEAD: Final = 262_144

_decoder: Final = codecs.getincrementaldecoder("utf-8")


class SourceError(Exception):
    """The input cannot be read, or is text in another encoding."""


class Source:
    """The text from a descriptor, in pieces: what one read gave, decoded as UTF-8.

    What is not UTF-8 is replaced by U+FFFD, as the parser does; `first_bad_byte` says where.
    """

    def __init__(self, descriptor: int, piece: int | None = None) -> None:
        self._descriptor = descriptor
        self._piece = piece
        self._decoder = _decoder("strict")
        self._start = 0
        self._recent = ""
        self._whole: list[str] | None = None
        #: How many bytes have been read.
        self.bytes_read = 0
        #: The first characters of the text, up to 262,144 of them.
        self.head = ""
        #: The offset of the first byte that is not UTF-8, if there was one.
        self.first_bad_byte: int | None = None

    def __iter__(self) -> Iterator[str]:
        """Yield the text as it arrives, in pieces of at most `piece` characters."""
        for text in self._arriving() if self._whole is None else self._whole:
            yield from self._pieces(text)

    def whole(self) -> str:
        """Return the text when all of it has arrived; it is yielded as ever."""
        self._whole = list(self._arriving())
        return "".join(self._whole)

    def _arriving(self) -> Iterator[str]:
        while data := self._read():
            text = self._decode(data, final=False)
            self.bytes_read += len(data)
            if len(self.head) < _HEAD:
                self.head += text[: _HEAD - len(self.head)]
            yield text
        yield self._decode(b"", final=True)

    def _read(self) -> bytes:
        try:
            data = os.read(self._descriptor, _READ_SIZE)
        except OSError as error:
            raise SourceError(error.strerror) from None
        if self.bytes_read == 0 and data[:2] in UTF_16:
            raise SourceError("this is UTF-16; convert it to UTF-8 first")
        return data

    def _decode(self, data: bytes, *, final: bool) -> str:
        held = self._decoder.getstate()[0]
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            self.first_bad_byte = self.bytes_read - len(held) + error.start
            self._decoder = _decoder("replace")
            return self._decoder.decode(held + data, final)

    def _pieces(self, text: str) -> Iterator[str]:
        size = self._piece or max(len(text), 1)
        for begin in range(0, len(text), size):
            piece = text[begin : begin + size]
            kept = self._recent[-_CONTEXT:]
            self._start += len(self._recent) - len(kept)
            self._recent = kept + piece
            yield piece

    def not_utf8(self) -> str | None:
        """Return what to tell about bytes that are not UTF-8, if there were any so far."""
        if self.first_bad_byte is None:
            return None
        return f"not UTF-8 at byte {self.first_bad_byte}; read as U+FFFD; save the text as UTF-8"

    def ends_blank(self, count: int) -> bool:
        """Whether the last `count` characters, if so many are kept, are white space only."""
        return count <= len(self._recent) and not self._recent[-count:].strip(WHITE)

    def line_at(self, offset: int) -> tuple[str, str]:
        """Return what is known of the line around `offset`: before it, and from it on."""
        position = offset - self._start
        before = self._recent[max(position - _CONTEXT, 0) : position].rpartition("\n")[2]
        after = self._recent[position : position + _CONTEXT].partition("\n")[0]
        return before, after
