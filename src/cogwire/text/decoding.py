# SPDX-License-Identifier: MIT
"""From chunks to text: UTF-8 decoding and surrogate repair, resumable at every cut.

Each maximal subpart of ill-formed input becomes one U+FFFD (Unicode 3.9, WHATWG Encoding).  The
decoder reports where, because a replaced character voids the block that it is in, while a U+FFFD
in the input is content like any other character.
"""

import codecs
import re
from typing import Final, Literal

REPLACEMENT: Final = "\ufffd"

PAIR_OR_HALF: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
#: Maximal subparts of ill-formed UTF-8 (Unicode table 3-7), each byte `b` as U+DC00 + b, which is
#: how the `surrogateescape` handler represents it.
_SUBPART: Final = re.compile(
    "[\udcf1-\udcf3][\udc80-\udcbf]{1,2}|\udcf0[\udc90-\udcbf][\udc80-\udcbf]?"
    "|\udcf4[\udc80-\udc8f][\udc80-\udcbf]?|[\udce1-\udcec\udcee\udcef][\udc80-\udcbf]"
    "|\udce0[\udca0-\udcbf]|\udced[\udc80-\udc9f]|[\udc80-\udcff]"
)

Unit = Literal["str", "bytes"]


class Decoder:
    """Turns `str` or UTF-8 `bytes` chunks into text without surrogates."""

    __slots__ = ("pending", "replaced", "unit")

    def __init__(self) -> None:
        #: The type of the first chunk; later chunks must have the same type.
        self.unit: Unit | None = None
        #: The start of a character that the next chunk may complete: bytes, or a high surrogate.
        self.pending: tuple[int, ...] = ()
        #: The offsets of replaced characters in the text last returned.
        self.replaced: list[int] = []

    def decode(self, chunk: object) -> str:
        """Return the text that `chunk` completes; `TypeError` if it is of the wrong type."""
        if isinstance(chunk, str):
            unit: Unit = "str"
        elif isinstance(chunk, bytes):
            unit = "bytes"
        else:
            raise TypeError(f"a chunk must be str or bytes, not {type(chunk).__name__}")
        if self.unit is None:
            self.unit = unit
        elif self.unit != unit:
            raise TypeError(f"this parser was given {self.unit}; a {unit} chunk cannot follow")
        self.replaced = []
        if not isinstance(chunk, str):
            return self._from_bytes(chunk)
        return self._repaired(chunk) if self.pending or not is_text(chunk) else str.__str__(chunk)

    def finish(self) -> str:
        """Return the text that the end of the input completes: at most one U+FFFD."""
        self.replaced = [0] if self.pending else []
        text = REPLACEMENT if self.pending else ""
        self.pending = ()
        return text

    def _repaired(self, chunk: str) -> str:
        chunk = "".join([*map(chr, self.pending), chunk])
        self.pending = ()
        if chunk and "\ud800" <= chunk[-1] <= "\udbff":
            self.pending = (ord(chunk[-1]),)
            chunk = chunk[:-1]
        shrunk = 0

        def repair(match: re.Match[str]) -> str:
            nonlocal shrunk
            half = match.group()
            if len(half) == 1:
                self.replaced.append(match.start() - shrunk)
                return REPLACEMENT
            shrunk += 1
            return half.encode("utf-16-le", "surrogatepass").decode("utf-16-le")

        return PAIR_OR_HALF.sub(repair, chunk)

    def _from_bytes(self, chunk: bytes) -> str:
        data = bytes(self.pending) + chunk
        text, used = codecs.utf_8_decode(data, "replace", False)
        if len(data) - used == 2 and data[used] == 0xED and data[used + 1] >= 0xA0:
            # CPython waits for the third byte of a UTF-8 surrogate, though none can make it valid.
            text, used = text + 2 * REPLACEMENT, used + 2
        self.pending = tuple(data[used:])
        if REPLACEMENT in text:
            escaped = data[:used].decode("utf-8", "surrogateescape")
            shrunk = 0
            for match in _SUBPART.finditer(escaped):
                self.replaced.append(match.start() - shrunk)
                shrunk += len(match.group()) - 1
        return text


def decode(text: str | bytes) -> tuple[str, list[int]]:
    """Return the characters of a whole text as a parser reads them, and which of them it replaced.

    A replaced one, U+FFFD, is a maximal subpart of ill-formed UTF-8, or half of a surrogate pair.
    """
    decoder = Decoder()
    characters = decoder.decode(text)
    replaced = decoder.replaced
    if last := decoder.finish():
        replaced = [*replaced, len(characters)]
    return characters + last, replaced


def is_text(text: str) -> bool:
    """Whether `text` contains no surrogates."""
    if text.isascii():
        return True
    try:
        text.encode("utf-32")  # much faster than a search or UTF-8
    except UnicodeEncodeError:
        return False
    return True
