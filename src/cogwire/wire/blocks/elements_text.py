# SPDX-License-Identifier: MIT
"""The text of XML: names, characters, references and sections, and reading them as they arrive."""

import re
from abc import abstractmethod
from typing import Final

from ...events import Code
from ...text import WHITE, describe, jump
from .interface import Fault, Step
from .spelled import SpelledReader

# NCName of "Namespaces in XML 1.0" over the classes of XML 1.0, fifth edition.
_LATER: Final = ".0-9\xb7\u0300-\u036f\u203f\u2040-"
_NAME: Final = (
    rf"[A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    rf"\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff{_LATER}]"
)
#: Characters that XML does not allow, not even as references; surrogates never occur in text.
NO_CHARACTERS: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"

# There are no more of these: the class takes longer to compile than most turns to read.
NAME_RUN: Final = re.compile(f"{_NAME}*")
XML_NAME: Final = re.compile(f"(?![{_LATER}]){_NAME}+")
NO_CHARACTER: Final = re.compile(f"[{NO_CHARACTERS}]")

CDATA: Final = "<![CDATA["
#: The most common references: the five entities, and ASCII by number.
_COMMON: Final = "amp|lt|gt|quot|apos|#(?:9|1[03]|3[2-9]|[4-9][0-9])|#x(?:[9aAdD]|[2-7][0-9a-fA-F])"
#: The longest run of text that needs no further check.
_CHARACTER: Final = rf"[^<&\]{NO_CHARACTERS}]"
TEXT_RUN: Final = re.compile(rf"{_CHARACTER}*(?:(?:\](?!\]>)|&(?:{_COMMON});){_CHARACTER}*)*")

ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
#: A reference, or a whole section, in text that was checked.
CODED: Final = re.compile(
    r"<!\[CDATA\[(.*?)\]\]>|&(?:#x0*([0-9a-fA-F]+)|#0*([0-9]+)|([a-z]+));", re.DOTALL
)
#: The length from which `bytes.translate` is faster at checking characters.
_LONG: Final = 256
_CONTROLS: Final = bytes({*range(0x20)} - {*WHITE.encode()})


def is_name(text: str) -> bool:
    """Whether `text` may be the name of an element; a colon would be a namespace's."""
    return XML_NAME.fullmatch(text) is not None


def decoded(text: str) -> str:
    """Return the decoded text of an argument, which has been checked."""
    if "&" not in text and CDATA not in text:
        return text
    return CODED.sub(decode_match, text)


def decode_match(match: re.Match[str]) -> str:
    """Return the decoded text of a reference or a section."""
    section, hexadecimal, decimal, entity = match.groups()
    if entity:
        return ENTITIES[entity]
    if section is None:
        return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
    return str(section)


def is_sound(text: str) -> bool:
    """Whether XML allows all characters of `text`; it does if the text is printable."""
    if len(text) < _LONG:
        return NO_CHARACTER.search(text) is None
    data = text.encode()
    return (
        len(data.translate(None, _CONTROLS)) == len(data)
        and "\ufffe" not in text
        and "\uffff" not in text
    )


#: The longest run of a section that needs no further check.
_CDATA_RUN: Final = re.compile(rf"[^\]{NO_CHARACTERS}]*(?:\](?!\]>)[^\]{NO_CHARACTERS}]*)*")

#: The references, and the beginnings of references, after the "&".
_REFERENCES: Final = frozenset(f"{name};" for name in ENTITIES)
_BEGINNINGS: Final = frozenset(
    {each[:length] for each in _REFERENCES for length in range(1, len(each))} | {"#", "#x"}
)
_DIGITS: Final = {10: frozenset("0123456789"), 16: frozenset("0123456789abcdefABCDEF")}
_ZEROS: Final = re.compile("0*")
_LAST: Final = 0x10FFFF
_CDATA_HINT: Final = (
    'Write "<" as &lt; and "&" as &amp;, or put the whole value into <![CDATA[…]]>.'
)
_NO_MARKUP: Final = (
    f"An argument contains only text, without elements or other markup. {_CDATA_HINT}"
)


class ArgumentReader(SpelledReader):
    """Reads the text of arguments; a reference, a section or a "]]>" may be cut anywhere.

    A subclass reads tags.
    """

    __slots__ = (
        *("_argument", "_base", "_brackets", "_held", "_is_digit", "_level", "_matched"),
        *("_number", "_step", "_token", "_value_begin", "_was_section"),
    )

    _step: Step
    # The nesting level: 0 between tools, 1 in the start tag of a tool, 2 between its arguments,
    # 3 in an argument.
    _level: int
    # The argument being read, or an empty text.
    _argument: str
    # Where the open value begins in the current text, or -1 if it began in an earlier one; and for
    # call deltas, the last pieces of it that are not certain yet, and whether the text before them
    # ends in a section.
    _value_begin: int
    _held: list[str]
    _was_section: bool
    # The fixed token or reference being read, and how many "]" the text ends with.
    _matched: int
    _token: str
    _base: int
    _number: int
    _is_digit: bool
    _brackets: int

    @abstractmethod
    def _begin_end_tag(self, pos: int) -> int:
        """Continue after a "</"."""

    def _fault(self, code: Code, at: int, message: str) -> Fault:
        return Fault(code, at, message, self.path())

    def _unexpected(self, expected: str, char: str, at: int, hint: str = "") -> Fault:
        if NO_CHARACTER.match(char):
            hint = "XML cannot represent this character at all."
        message = f"Expected {expected}, but got {describe(char)}. {hint}"
        return self._fault("xml-syntax", at, message.rstrip())

    def _match(self, word: str, text: str, pos: int, end: int) -> int:
        """Read as much of the rest of `word` as there is at `pos`."""
        stop = min(end, pos + len(word) - self._matched)
        rest = word[self._matched : self._matched + stop - pos]
        if text.startswith(rest, pos):
            self._matched += stop - pos
            return stop
        while text[pos] == word[self._matched]:
            self._matched += 1
            pos += 1
        return pos

    # -- In an argument ---------------------------------------------------------------------

    def _read_text(self, text: str, pos: int, end: int) -> int:
        stop = self._closed_section(text, pos, end) if self._brackets else 0
        if stop:
            raise self._section_end(stop - 1)
        stop = jump(TEXT_RUN, text, pos, end)
        if stop == end:
            self._count_brackets(text, pos, end)
            self.in_text = True
            return end
        self._brackets = 0
        char = text[stop]
        if char == "<":
            self._step = ArgumentReader._read_markup
        elif char == "&":
            self._token = ""
            self._step = ArgumentReader._read_reference
        elif char == "]":
            raise self._section_end(stop + 2)
        else:
            raise self._unexpected("text", char, stop)
        return stop + 1

    def _section_end(self, at: int) -> Fault:
        message = 'Text must not contain "]]>" outside of <![CDATA[…]]>. Write ]]&gt; instead.'
        return self._fault("xml-syntax", at, message)

    def _closed_section(self, text: str, pos: int, end: int) -> int:
        """Return the end of a "]]>" that began before `pos`, or 0 if there is none."""
        known = self._brackets
        at = (known * "]" + text[pos : min(pos + 2, end)]).find("]]>")
        return pos + at + 3 - known if at >= 0 else 0

    def _count_brackets(self, text: str, pos: int, end: int) -> None:
        """Remember how much of a "]]>" the text may end with."""
        if pos < end and text[end - 1] != "]":
            self._brackets = 0
            return
        last = text[max(pos, end - 2) : end]
        count = len(last) - len(last.rstrip("]"))
        self._brackets = min(2, count + (self._brackets if count == end - pos else 0))

    def _read_markup(self, text: str, pos: int, _end: int) -> int:
        """Read the character after "<" in an argument."""
        char = text[pos]
        if char == "/":
            return self._begin_end_tag(pos)
        if char == "!":
            self._step = ArgumentReader._read_bang
            return pos + 1
        if char == "?" or XML_NAME.match(char):
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        raise self._unexpected(f"</{self._argument}>", char, pos, _CDATA_HINT)

    def _read_bang(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in "-D":
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        self._matched = 2
        self._step = ArgumentReader._read_section_opener
        return self._read_section_opener(text, pos, end)

    def _read_section_opener(self, text: str, pos: int, end: int) -> int:
        pos = self._match(CDATA, text, pos, end)
        if self._matched == len(CDATA):
            self._step = ArgumentReader._read_section
        elif pos < end:
            raise self._unexpected(CDATA, text[pos], pos, _CDATA_HINT)
        return pos

    def _read_section(self, text: str, pos: int, end: int) -> int:
        stop = self._closed_section(text, pos, end) if self._brackets else 0
        if not stop:
            at = jump(_CDATA_RUN, text, pos, end)
            if at == end:
                self._count_brackets(text, pos, end)
                self.in_text = True
                return end
            if text[at] != "]":
                raise self._unexpected("text", text[at], at)
            stop = at + 3
        self._brackets = 0
        self._step = ArgumentReader._read_text
        return stop

    # -- References -------------------------------------------------------------------------

    def _read_reference(self, text: str, pos: int, end: int) -> int:
        token = self._token + text[pos]
        if token in _BEGINNINGS:
            self._token = token
        elif token in _REFERENCES:
            self._step = ArgumentReader._read_text
        elif token[0] == "#":
            self._base = 10 if token[:2] != "#x" else 16
            self._number = 0
            self._is_digit = False
            self._step = ArgumentReader._read_number
            return self._read_number(text, pos, end)
        else:
            raise self._no_reference(text[pos], pos)
        return pos + 1

    def _no_reference(self, char: str, at: int) -> Fault:
        hint = 'An "&" that is meant as text is written &amp;.'
        expected = "&amp; or another of the references &lt; &gt; &quot; &apos; and &#10; or &#xA;"
        return self._unexpected(expected, char, at, hint)

    def _read_number(self, text: str, pos: int, end: int) -> int:
        if not self._number:
            begin, pos = pos, jump(_ZEROS, text, pos, end)
            self._is_digit = self._is_digit or pos > begin
            if pos == end:
                return end
        char = text[pos]
        if char in _DIGITS[self._base]:
            self._is_digit = True
            self._number = self._number * self._base + int(char, self._base)
            if self._number > _LAST:
                message = "This is beyond U+10FFFF, the last code point."
                raise self._fault("xml-syntax", pos, message)
        elif char != ";" or not self._is_digit:
            raise self._no_reference(char, pos)
        elif 0xD800 <= self._number <= 0xDFFF or NO_CHARACTER.match(chr(self._number)):
            message = (
                f"XML cannot represent the character U+{self._number:04X}, not even as a reference."
            )
            raise self._fault("xml-syntax", pos, message)
        else:
            self._step = ArgumentReader._read_text
        return pos + 1

    # -- Call deltas ------------------------------------------------------------------------

    def _next_text(self, text: str, pos: int, stop: int) -> str:
        """Return the decoded text of the open value that `text[pos:stop]` makes certain."""
        if self._value_begin >= 0:
            self._held = []
            self._was_section = False
        written = text[max(self._value_begin, pos) : stop]
        self._value_begin = -1
        is_text = self._step is ArgumentReader._read_text
        if is_text and not (self._held or self._was_section):
            return decoded(written)
        is_section = self._step is ArgumentReader._read_section
        if is_text or is_section:
            written = "".join([*self._held, written])
            # The end of a section may begin here.
            begin = max(len(written.rstrip("]")), len(written) - 2) if is_section else len(written)
        else:
            # A reference, a tag or the beginning of a section is open.
            references = ArgumentReader._read_reference, ArgumentReader._read_number
            opener = written.rfind("&" if self._step in references else "<")
            if opener < 0:
                self._held.append(written)
                return ""
            begin = sum(map(len, self._held)) + opener
            written = "".join([*self._held, written])
        self._held = [written[begin:]] if begin < len(written) else []
        whole = f"{CDATA * self._was_section}{written[:begin]}{']]>' * is_section}"
        self._was_section = is_section
        return decoded(whole)
