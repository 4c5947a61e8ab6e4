# SPDX-License-Identifier: MIT
"""How values are written: in JSON, in other notations, and as text that is the value itself."""

import ast
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from cogwire_kit.grammars.nodes import (
    EMPTY,
    NOTHING,
    Book,
    Chars,
    FixedText,
    Node,
    Ranges,
    chars,
    common,
    either,
    one_of,
    repeat,
    sequence,
    spelled,
    unlike,
    without,
)
from cogwire_kit.grammars.patterns import CHARACTERS
from cogwire_kit.grammars.scanning import Scanner

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
#: The characters of texts without escapes: all except U+0000, at which engines end a text.
_RAW: Final = without(CHARACTERS, (0, 0))
#: The characters that a name without quotes cannot contain in literals, as the specification says.
_SIGNS: Final = " \t\r\n()[]{},:=<>\"'`|;#\\"
_NO_NAME: Final = re.compile(f"[{re.escape(_SIGNS)}\ud800-\udfff]")
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
#: An escape or a single quote: what a string in single quotes may spell differently.
_QUOTED: Final = re.compile(r"\\.|'")
_IN_SINGLE: Final[Mapping[str, str]] = {'\\"': '"', "'": "\\'"}
#: A numeric escape: of one character, or of both surrogates of a pair.
_NUMBERED: Final = sequence("\\u", either(_UNIT, sequence(_HIGH, "\\u", _LOW)))


class ValueSpelling(ABC):
    """How values are written."""

    #: The words of truth values and of null.
    words: ClassVar[Mapping[str, str]] = {"true": "true", "false": "false", "null": "null"}
    #: The characters that a string can contain only if its length is not bounded.
    unbounded: str = ""

    @abstractmethod
    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges, in any spelling if they are all characters."""

    def speller(self, used: Ranges, most: int | None) -> Callable[[Ranges], Node]:
        """Return what writes a character of a text of at most `most` characters in `used`.

        It writes more than `character` does if such a text cannot contain the end of a string.
        """
        del used, most
        return self.character

    @abstractmethod
    def string(self, body: Node) -> Node:
        """Return a string with this body."""

    @abstractmethod
    def longer(
        self, begin: Node, character: Node, shared: Callable[[Node], Node], least: int = 0
    ) -> Node:
        """Return the strings that begin with `begin` and have at least `least` characters after it.

        `character` is any character; those that are counted have no escape.  `shared` makes a
        token of a part, so that the grammar is not nested too deeply for an engine.
        """

    @abstractmethod
    def literal(self, value: Any) -> Node:
        """Return a value as it is written; `NOTHING` if it cannot be written."""

    def key(self, name: str) -> Node:
        """Return the name of a member, with the colon after it."""
        return sequence(self.literal(name), ":")

    def other_key(self, names: Iterable[str], book: Book) -> Node:
        """Return the names of members other than these, with the colon after them, or `NOTHING`."""
        del names, book
        return NOTHING


class Json(ValueSpelling):
    """JSON values, as written in a block or, with entities, in an element."""

    #: The escapes of one character.
    _short: Mapping[str, str] = _SHORT
    #: What is at both ends of a string.
    _quote: str = '"'
    #: Returns the value of a text.
    _decode: Callable[[str], Any] = staticmethod(json.loads)

    def __init__(
        self,
        *,
        in_element: bool = False,
        closers: Sequence[str] = (),
        escape: Callable[[str], str] = str,
    ) -> None:
        """Write values in which no string contains one of `closers`.

        A listed value may also be written as `escape` changes its text.
        """
        self._escape = escape
        self._entities = _ENTITIES if in_element else {}
        specials = [spelled(each) for each in (self._quote, "\\", *self._entities)]
        self._raw = without(CHARACTERS, _CONTROLS, *specials, *(_NO_XML if in_element else ()))
        self._in_element = in_element
        self._closers = closers
        self.unbounded = "".join(sorted({each[0] for each in closers}))

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges, in any spelling if they are all characters."""
        raw = without(self._raw, *map(spelled, self.unbounded))
        options: list[Node] = [chars(*common(ranges, raw))]
        options += self._escapes(ranges)
        options += [
            FixedText(text) for char, text in self._entities.items() if _is_in(char, ranges)
        ]
        return either(*options)

    def _escapes(self, ranges: Ranges) -> list[Node]:
        escapes = "".join(short for char, short in self._short.items() if _is_in(char, ranges))
        options: list[Node] = [sequence("\\", one_of(escapes))] if escapes else []
        if ranges == CHARACTERS:
            return [*options, _NUMBERED]
        others = [chr(code) for code in range(0x20) if _is_in(chr(code), ranges)]
        others += [each for each in self.unbounded if _is_in(each, ranges)]
        return options + [
            FixedText(f"\\u{ord(each):04x}") for each in others if each not in self._short
        ]

    def string(self, body: Node) -> Node:
        """Return a string with this body."""
        return sequence(self._quote, body, self._quote)

    def longer(
        self, begin: Node, character: Node, shared: Callable[[Node], Node], least: int = 0
    ) -> Node:
        """Return the strings that begin with `begin`; `character` is any character."""
        # A single repetition, for which llguidance decides about most words at once.
        rest = repeat(character, least)
        if self._closers:
            escapes = either(*self._escapes(CHARACTERS))
            others = Scanner(self._closers, self._raw, escapes, shared).rest()
            rest = sequence(repeat(character, least, least), others)
        return self.string(sequence(begin, rest))

    def key(self, name: str) -> Node:
        """Return the name of a member, with the colon after it."""
        return sequence(Json.literal(self, name), ":")

    def other_key(self, names: Iterable[str], book: Book) -> Node:
        """Return the names of members other than these, without escapes, and the colon."""
        raw = without(self._raw, *map(spelled, self.unbounded))
        rest = book.token("characters", repeat(Chars(raw)))
        body = unlike(names, raw, rest, whole=True)
        return sequence(book.token("name", self.string(body)), ":")

    def literal(self, value: Any) -> Node:
        """Return a value as it is written; `NOTHING` if it cannot be written."""
        text = self._dumped(value, ensure_ascii=False)
        if _HALF.search(text):
            return NOTHING
        if _LACKING.search(text):
            text = self._dumped(value, ensure_ascii=True)
        if self._in_element:
            return FixedText(_with_entities(text))
        other = self._escape(text)
        found = [text, other] if other != text and self._is_same(text, other) else [text]
        return either(*(text for text in found if not any(map(text.__contains__, self._closers))))

    def _dumped(self, value: Any, *, ensure_ascii: bool) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii)

    def _is_same(self, text: str, other: str) -> bool:
        """Whether both texts have the same value: what is escaped may be outside of strings."""
        try:
            return bool(self._decode(text) == self._decode(other))
        except (ValueError, SyntaxError):
            return False


class Python(Json):
    """Values in Python's notation, with strings in double or single quotes."""

    words: ClassVar[Mapping[str, str]] = {"true": "True", "false": "False", "null": "None"}
    _decode = staticmethod(ast.literal_eval)

    def __init__(
        self,
        quote: str = '"',
        *,
        closers: Sequence[str] = (),
        escape: Callable[[str], str] = str,
    ) -> None:
        """Write strings between two of `quote`; no string contains one of `closers`."""
        self._quote = quote
        self._short = {char: text for char, text in {**_SHORT, quote: quote}.items() if char != "/"}
        super().__init__(closers=closers, escape=escape)

    def _dumped(self, value: Any, *, ensure_ascii: bool) -> str:
        if isinstance(value, str):
            text = json.dumps(value, ensure_ascii=ensure_ascii)[1:-1]
            if self._quote == "'":
                text = _QUOTED.sub(lambda found: _IN_SINGLE.get(found[0], found[0]), text)
            return f"{self._quote}{text}{self._quote}"
        if isinstance(value, int | float) and not isinstance(value, bool):
            return json.dumps(value)

        def written(each: Any) -> str:
            return self._dumped(each, ensure_ascii=ensure_ascii)

        if isinstance(value, list):
            return f"[{', '.join(map(written, value))}]"
        if isinstance(value, dict):
            members = (f"{written(name)}: {written(each)}" for name, each in value.items())
            return f"{{{', '.join(members)}}}"
        return self.words[json.dumps(value)]


class Gemma(ValueSpelling):
    """Values in Gemma's notation, whose strings are between two quote marks."""

    def __init__(self, quote: str, mark: Callable[[str], Node] = FixedText) -> None:
        """Write strings between two of `quote`, whose node `mark` makes."""
        self._quote = quote
        self._mark = mark
        self.unbounded = quote[0]

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges, but not the first one of a quote mark."""
        return chars(*common(ranges, without(_RAW, spelled(self._quote[0]))))

    def speller(self, used: Ranges, most: int | None) -> Callable[[Ranges], Node]:
        """Return what writes a character of a text of at most `most` characters in `used`."""
        is_free = _is_free({self._quote}, self._quote, used, most)
        return _any_of if is_free else self.character

    def string(self, body: Node) -> Node:
        """Return a string with this body."""
        return sequence(self._mark(self._quote), body, self._mark(self._quote))

    def longer(
        self, begin: Node, character: Node, shared: Callable[[Node], Node], least: int = 0
    ) -> Node:
        """Return the strings that begin with `begin` and end at the first quote mark."""
        rest = Scanner([self._quote], _RAW, shared=shared).until([self._quote], self._mark)
        counted = repeat(character, least, least)
        return sequence(self._mark(self._quote), begin, counted, rest)

    def literal(self, value: Any) -> Node:
        """Return a value as it is written; `NOTHING` if it cannot be written."""
        if isinstance(value, str):
            is_text = self._quote not in value and not _HALF.search(value) and "\0" not in value
            return self.string(FixedText(value)) if is_text else NOTHING
        if isinstance(value, list):
            return sequence("[", *_listed(map(self.literal, value)), "]")
        if isinstance(value, dict):
            members = (sequence(self.key(each), self.literal(value[each])) for each in value)
            return sequence("{", *_listed(members), "}")
        return FixedText(json.dumps(value))

    def key(self, name: str) -> Node:
        """Return the name of a member, with the colon after it."""
        is_bare = not _NO_NAME.search(name) and name
        return sequence(FixedText(name) if is_bare else self.literal(name), ":")

    def other_key(self, names: Iterable[str], book: Book) -> Node:
        """Return the names of members other than these, without quote marks, and the colon."""
        raw = without(CHARACTERS, *map(spelled, _SIGNS))
        rest = book.token("characters", repeat(Chars(raw)))
        body = unlike([*names, ""], raw, rest, whole=True)
        return sequence(book.token("name", body), ":")


def _listed(nodes: Iterable[Node]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        found += [FixedText(","), node] if found else [node]
    return found


class Plain(ValueSpelling):
    """Text that is itself the value, as the content of an element."""

    _raw: Final = without(CHARACTERS, *_NO_XML, *map(spelled, _ENTITIES))

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges."""
        entities = (FixedText(text) for char, text in _ENTITIES.items() if _is_in(char, ranges))
        return either(chars(*common(ranges, self._raw)), *entities)

    def string(self, body: Node) -> Node:
        """Return a text with this body."""
        return body

    def longer(
        self, begin: Node, character: Node, shared: Callable[[Node], Node], least: int = 0
    ) -> Node:
        """Return the texts that begin with `begin`; `character` is any character."""
        del shared
        return sequence(begin, repeat(character, least))

    def literal(self, value: str) -> Node:
        """Return a text as it is written; `NOTHING` if XML does not allow it."""
        return NOTHING if _LACKING.search(value) else FixedText(_with_entities(value))


class Raw(ValueSpelling):
    """Text that is itself the value, up to the tag that ends it."""

    def __init__(
        self,
        closer: str,
        margin: str = "",
        others: Iterable[str] = (),
        *,
        is_first: bool = True,
        mark: Callable[[str], Node] = FixedText,
        before: str = "",
    ) -> None:
        """Write `margin` around each text, which contains none of `others`.

        `before` is already written before the text: the first margin does not repeat it.  If
        `is_first`, no text contains `closer`.
        """
        self._margin = margin
        self._written = margin.removeprefix(before)
        self._mark = mark
        self._end = f"{margin}{closer}"
        self._live = {*others, self._end, closer} if is_first else {*others, self._end}
        #: A text cannot begin with these, and one whose length is counted cannot contain them.
        self._begun = {*self._live, closer}
        self.unbounded = "".join(sorted({each[0] for each in self._begun}))

    def character(self, ranges: Ranges) -> Node:
        """Return one character of these ranges, but none with which the tag begins."""
        return chars(*common(ranges, without(_RAW, *map(spelled, self.unbounded))))

    def speller(self, used: Ranges, most: int | None) -> Callable[[Ranges], Node]:
        """Return what writes a character of a text of at most `most` characters in `used`."""
        return _any_of if _is_free(self._begun, self._end, used, most) else self.character

    def string(self, body: Node) -> Node:
        """Return a text with this body, and the tag that ends it."""
        return sequence(self._written, body, self._mark(self._end))

    def longer(
        self, begin: Node, character: Node, shared: Callable[[Node], Node], least: int = 0
    ) -> Node:
        """Return the texts that begin with `begin`, with the tag that ends them."""
        begin = sequence(begin, repeat(character, least, least))
        before = self._margin if begin == EMPTY else ""
        scanner = Scanner(self._live, _RAW, shared=shared, before=before)
        return sequence(self._written, begin, scanner.until([self._end], self._mark))

    def literal(self, value: str) -> Node:
        """Return a text as it is written, with its tag; `NOTHING` if it contains the tag."""
        written = f"{self._margin}{value}{self._end}"
        places = {written.find(each) for each in self._live}
        is_whole = places.isdisjoint(range(len(written) - len(self._end)))
        if not is_whole or _HALF.search(value) or "\0" in value:
            return NOTHING
        return self.string(FixedText(value))


def _any_of(ranges: Ranges) -> Node:
    """Return one character of these ranges, unescaped."""
    return chars(*common(ranges, _RAW))


def _is_free(live: Iterable[str], end: str, used: Ranges, most: int | None) -> bool:
    """Whether no marker begins in a text of at most `most` characters in `used`, before `end`."""

    def can_begin(marker: str) -> bool:
        return all(_is_in(char, used) for char in marker)

    return not any(
        (can_begin(marker) and (most is None or most >= len(marker)))
        or any(
            end.startswith(marker[at:]) and can_begin(marker[:at]) for at in range(1, len(marker))
        )
        for marker in live
    )


def free_text() -> Node:
    """Return any text of an element: characters, references, and CDATA sections."""
    xml = without(CHARACTERS, *_NO_XML)
    bracket = spelled("]")
    inner = without(xml, spelled("<"), spelled("&"), bracket)
    after = without(inner, spelled(">"))
    entity = sequence("&", either("amp", "lt", "gt", "quot", "apos", "#13"), ";")
    # A `]]` is not followed by `>`, and CDATA ends at its first `]]>`.
    run = repeat(Chars(inner))
    closing = repeat(FixedText("]"), 2)
    text = sequence(
        run,
        repeat(either(sequence("]", Chars(inner), run), sequence(closing, Chars(after), run))),
        repeat(FixedText("]")),
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
    """Return the characters with which no JSON text begins."""
    begins = (spelled(each) for each in '-0123456789tfn[{" \t\n\r')
    return without(CHARACTERS, *begins)


def _is_in(char: str, ranges: Ranges) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)


def _with_entities(text: str) -> str:
    return re.sub("[<>&]", lambda found: _ENTITIES[found[0]], text)
