"""Characters: the text, before anything is read in it."""

from collections.abc import Iterator
from dataclasses import dataclass

# m-white
# White space is these four characters and nothing else, everywhere.
WHITE = " \t\n\r"

REPLACEMENT = "\ufffd"

# m-utf8
# The well-formed UTF-8 sequences (Unicode, table 3-7): the lowest and the highest value of the
# first byte, then of each byte after it.
WELL_FORMED = (
    ((0x00, 0x7F),),
    ((0xC2, 0xDF), (0x80, 0xBF)),
    ((0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)),
    ((0xE1, 0xEC), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)),
    ((0xEE, 0xEF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF0, 0xF0), (0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF1, 0xF3), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)),
)


# m-codepoints
@dataclass(frozen=True)
class Text:
    """The code points that every offset counts, and which of them replace broken input."""

    characters: str
    replaced: frozenset[int]


# m-utf8 m-surrogates m-fffd m-no-bom m-no-normalising m-decode-after-stop m-discarded-half
# The input is a string or UTF-8; input that is not a character becomes U+FFFD. Its place is
# recorded, because a U+FFFD that was written is content like any other.
def decode(data: str | bytes) -> Text:
    if isinstance(data, str) and data.isascii():
        return Text(data, frozenset())
    characters: list[str] = []
    replaced: set[int] = set()
    for character in joined_halves(data) if isinstance(data, str) else decoded_bytes(data):
        if character is None:
            replaced.add(len(characters))
        characters.append(REPLACEMENT if character is None else character)
    return Text("".join(characters), frozenset(replaced))


# m-surrogates
# The two halves of a surrogate pair join; a lone half is replaced.
def joined_halves(data: str) -> Iterator[str | None]:
    at = 0
    while at < len(data):
        if is_high(ord(data[at])) and at + 1 < len(data) and is_low(ord(data[at + 1])):
            yield joined(ord(data[at]), ord(data[at + 1]))
            at += 2
        elif is_high(ord(data[at])) or is_low(ord(data[at])):
            yield None
            at += 1
        else:
            yield data[at]
            at += 1


# m-utf8 m-utf8-end
# A byte sequence that is not a character produces one replacement for each maximal subpart: the
# longest run of bytes with which a well-formed sequence could begin, or one byte where there is
# none.
def decoded_bytes(data: bytes) -> Iterator[str | None]:
    at = 0
    while at < len(data):
        length, whole = sequence(data, at)
        yield code_point(data[at : at + length]) if whole else None
        at += length


# m-utf8
# The number of bytes from `at` on that match a row of the table, and whether they complete it.
def sequence(data: bytes, at: int) -> tuple[int, bool]:
    for row in WELL_FORMED:
        if row[0][0] <= data[at] <= row[0][1]:
            length = 1
            for lowest, highest in row[1:]:
                if at + length == len(data) or not lowest <= data[at + length] <= highest:
                    return length, False
                length += 1
            return length, True
    return 1, False


# m-utf8
# The first byte contains 7, 5, 4 or 3 bits of the code point, each byte after it contains 6.
def code_point(sequence: bytes) -> str:
    number = sequence[0] & {1: 0x7F, 2: 0x1F, 3: 0x0F, 4: 0x07}[len(sequence)]
    for byte in sequence[1:]:
        number = number << 6 | byte & 0x3F
    return chr(number)


# m-surrogates
def is_high(unit: int) -> bool:
    return 0xD800 <= unit <= 0xDBFF


# m-surrogates
def is_low(unit: int) -> bool:
    return 0xDC00 <= unit <= 0xDFFF


# m-surrogates
def joined(high: int, low: int) -> str:
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
