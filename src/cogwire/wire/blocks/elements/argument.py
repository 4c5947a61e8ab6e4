# SPDX-License-Identifier: MIT
"""Reads the text of an argument as it arrives: character data, references and sections.

A fixed token, a name, a reference or a "]]>" may be cut anywhere.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from ....events import Code
from ....text.scan import jump, pointer_step
from ....text.wording import describe
from ..interface import Fault
from .characters import (
    BEGINS_NAME,
    CDATA,
    ENTITIES,
    NO_CHARACTER,
    NO_CHARACTERS,
    TEXT_RUN,
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

#: One state of the machine: reads as far as the state goes, may stop anywhere, and sets the next
#: state.
Step = Callable[[Any, str, int, int], int]


class TextMachine(ABC):
    """Reads the text of arguments; tags are left to the reader."""

    __slots__ = (
        "_argument",
        "_base",
        "_brackets",
        "_is_digit",
        "_level",
        "_matched",
        "_number",
        "_step",
        "_token",
        "_tool",
        "count",
        "in_body",
    )

    #: How many tools were called so far.
    count: int
    #: Whether the place is inside the text of an argument, so that `extend` may take a chunk.
    in_body: bool
    _step: Step
    # The nesting level: 0 between tools, 1 in the start tag of a tool, 2 between its arguments,
    # 3 in an argument.
    _level: int
    # The tool and the argument being read.
    _tool: str
    _argument: str
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

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` between tools."""
        if not self._level:
            return None
        if self._level == 1:
            return f"/{self.count}"
        path = f"/{self.count}/args"
        return path if self._level == 2 else path + pointer_step(self._argument)

    def _fault(self, code: Code, at: int, message: str) -> Fault:
        return Fault(code, at, message, self.path())

    def _unexpected(self, expected: str, char: str, at: int, hint: str = "") -> Fault:
        if NO_CHARACTER.match(char):
            hint = "XML cannot represent this character at all."
        message = f"Expected {expected}, but got {describe(char)}. {hint}"
        return self._fault("xml-syntax", at, message.rstrip())

    def _no_markup(self, char: str, at: int) -> Fault:
        kind = "comments and declarations" if char == "!" else "processing instructions"
        message = f"A block contains only elements and their text. Leave out {kind}."
        return self._fault("xml-forbidden", at, message)

    def _stray(self, char: str, at: int, expected: str) -> Fault:
        """Return the error of a character where only white space and tags are allowed."""
        if NO_CHARACTER.match(char):
            return self._unexpected(expected, char, at)
        if char in "[{":
            hint = "Calls in JSON are of the dialect xml-json; here each call is an element"
            message = f"Expected {expected}, but got {describe(char)}. {hint}."
        elif self._level:
            message = (
                "Each argument is written in an element of its own, "
                f"as in <{self._tool}><argument>value</argument></{self._tool}>, "
                f"but here is {describe(char)}."
            )
        else:
            message = (
                "A block contains only tools, each <tool><argument>value</argument></tool>, "
                f"but here is {describe(char)}. Text belongs before the block or after it."
            )
        return self._fault("xml-forbidden", at, message)

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
            self.in_body = True
            return end
        self._brackets = 0
        char = text[stop]
        if char == "<":
            self._step = TextMachine._read_markup
        elif char == "&":
            self._token = ""
            self._step = TextMachine._read_reference
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
            self._step = TextMachine._read_bang
            return pos + 1
        if char == "?" or BEGINS_NAME.match(char):
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        raise self._unexpected(f"</{self._argument}>", char, pos, _CDATA_HINT)

    def _read_bang(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in "-D":
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        self._matched = 2
        self._step = TextMachine._read_section_opener
        return self._read_section_opener(text, pos, end)

    def _read_section_opener(self, text: str, pos: int, end: int) -> int:
        pos = self._match(CDATA, text, pos, end)
        if self._matched == len(CDATA):
            self._step = TextMachine._read_section
        elif pos < end:
            raise self._unexpected(CDATA, text[pos], pos, _CDATA_HINT)
        return pos

    def _read_section(self, text: str, pos: int, end: int) -> int:
        stop = self._closed_section(text, pos, end) if self._brackets else 0
        if not stop:
            at = jump(_CDATA_RUN, text, pos, end)
            if at == end:
                self._count_brackets(text, pos, end)
                self.in_body = True
                return end
            if text[at] != "]":
                raise self._unexpected("text", text[at], at)
            stop = at + 3
        self._brackets = 0
        self._step = TextMachine._read_text
        return stop

    # -- References -------------------------------------------------------------------------

    def _read_reference(self, text: str, pos: int, end: int) -> int:
        token = self._token + text[pos]
        if token in _BEGINNINGS:
            self._token = token
        elif token in _REFERENCES:
            self._step = TextMachine._read_text
        elif token[0] == "#":
            self._base = 10 if token[:2] != "#x" else 16
            self._number = 0
            self._is_digit = False
            self._step = TextMachine._read_number
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
            self._step = TextMachine._read_text
        return pos + 1
