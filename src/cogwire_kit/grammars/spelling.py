# SPDX-License-Identifier: MIT
"""How the characters of a value are written: in JSON, in an element, or in JSON in an element."""

import json
import re
from collections.abc import Iterable
from typing import Final

from cogwire_kit.grammars.nodes import (
    NOTHING,
    Book,
    Chars,
    Node,
    Ranges,
    Text,
    chars,
    common,
    differing,
    either,
    one_of,
    repeat,
    sequence,
    spelled,
    without,
)
from cogwire_kit.grammars.patterns import CHARACTERS

_SHORT: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "\b": "b",
    "\f": "f",
    "\n": "n",
    "\r": "r",
    "\t": "t",
}
_CONTROLS: Final = (0x00, 0x1F)
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_NO_XML: Final[Ranges] = ((0x0, 0x8), (0xB, 0xC), (0xE, 0x1F), (0xFFFE, 0xFFFF))
#: Surrogates, which are not text.
_HALF: Final = re.compile("[\ud800-\udfff]")
_LACKING: Final = re.compile(
    f"[{''.join(f'{chr(begin)}-{chr(end)}' for begin, end in (*_NO_XML, (0xD800, 0xDFFF)))}]"
)

_HEX: Final = one_of("0123456789ABCDEFabcdef")
_HIGH: Final = sequence(one_of("Dd"), one_of("89ABab"), _HEX, _HEX)
_LOW: Final = sequence(one_of("Dd"), one_of("CDEFcdef"), _HEX, _HEX)
_UNIT: Final = either(
    sequence(one_of("0123456789ABCEFabcef"), _HEX, _HEX, _HEX),
    sequence(one_of("Dd"), one_of("01234567"), _HEX, _HEX),
)
#: A numeric escape: of one character, or of both surrogates of a pair.
_NUMBERED: Final = sequence("\\u", either(_UNIT, sequence(_HIGH, "\\u", _LOW)))


class Json:
    """JSON values, as written in a block or, with entities, in an element."""

    def __init__(self, *, in_element: bool = False) -> None:
        self._entities = _ENTITIES if in_element else {}
        specials = [spelled(each) for each in ('"', "\\", *self._entities)]
        self._raw = without(CHARACTERS, _CONTROLS, *specials, *(_NO_XML if in_element else ()))
        self._in_element = in_element

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges; if they are all characters, in any spelling."""
        options: list[Node] = [chars(*common(ranges, self._raw))]
        escapes = "".join(short for char, short in _SHORT.items() if _is_in(char, ranges))
        if escapes:
            options.append(sequence("\\", one_of(escapes)))
        if ranges == CHARACTERS:
            options.append(_NUMBERED)
        else:
            others = [chr(code) for code in range(0x20) if _is_in(chr(code), ranges)]
            options += [Text(f"\\u{ord(each):04x}") for each in others if each not in _SHORT]
        options += [Text(text) for char, text in self._entities.items() if _is_in(char, ranges)]
        return either(*options)

    def string(self, body: Node) -> Node:
        """Return a string with this body."""
        return sequence('"', body, '"')

    def name_unlike(self, names: Iterable[str], book: Book) -> Node:
        """Return the names of members other than these, without escapes."""
        rest = book.token("characters", repeat(Chars(self._raw)))
        body = differing(names, self._raw, rest)
        return book.token("name", sequence('"', body, '"'))

    def literal(self, value: object) -> Node:
        """Return a value as it is written; `NOTHING` if it cannot be written."""
        text = json.dumps(value, ensure_ascii=False)
        if _HALF.search(text):
            return NOTHING
        if _LACKING.search(text):
            text = json.dumps(value)
        return Text(_escaped(text)) if self._in_element else Text(text)


class Plain:
    """Text that is a value itself, as the content of an element."""

    _raw: Final = without(CHARACTERS, *_NO_XML, *map(spelled, _ENTITIES))

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges."""
        entities = (Text(text) for char, text in _ENTITIES.items() if _is_in(char, ranges))
        return either(chars(*common(ranges, self._raw)), *entities)

    def string(self, body: Node) -> Node:
        """Return a text with this body."""
        return body

    def literal(self, value: str) -> Node:
        """Return a text as it is written; `NOTHING` if XML does not allow it."""
        return NOTHING if _LACKING.search(value) else Text(_escaped(value))


def free_text() -> Node:
    """Return any text of an element: characters, references, and CDATA sections."""
    xml = without(CHARACTERS, *_NO_XML)
    bracket = spelled("]")
    inner = without(xml, spelled("<"), spelled("&"), bracket)
    after = without(inner, spelled(">"))
    entity = sequence("&", either("amp", "lt", "gt", "quot", "apos", "#13"), ";")
    # A `]]` is not followed by `>`, and CDATA ends at its first `]]>`.
    run = repeat(Chars(inner))
    closing = repeat(Text("]"), 2)
    text = sequence(
        run,
        repeat(either(sequence("]", Chars(inner), run), sequence(closing, Chars(after), run))),
        repeat(Text("]")),
    )
    raw, raw_after = without(xml, bracket), without(xml, bracket, spelled(">"))
    section = sequence(
        "<![CDATA[",
        repeat(either(Chars(raw), sequence("]", Chars(raw)), sequence(closing, Chars(raw_after)))),
        closing,
        ">",
    )
    return sequence(text, repeat(sequence(either(entity, section), text)))


def starting_as_no_json() -> Ranges:
    """Return the characters that can begin a text which is certainly not JSON."""
    begins = (spelled(each) for each in '-0123456789tfn[{" \t\n\r')
    return without(CHARACTERS, *begins)


def _is_in(char: str, ranges: Ranges) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)


def _escaped(text: str) -> str:
    return re.sub("[<>&]", lambda found: _ENTITIES[found[0]], text)
