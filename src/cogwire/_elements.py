# SPDX-License-Identifier: MIT
"""Reads and writes a block of elements: a tool is an element, and so is each of its arguments.

Theory of operation
-------------------
This is as much of XML 1.0 as the dialect lets in, and no more: there are no declarations, so there
is nothing to expand but five entities and character references, and nothing is ever fetched.

The machine is one function a state, which reads on from where it is as far as its state goes, may
stop anywhere, and says in `_step` who reads on.  It only judges: the text of an argument is kept as
it was written, and decoded when it is whole.

Tools that lie whole in the chunk are first offered to one regular expression.  It may only accept:
what it does not vouch for, the machine reads and judges.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ._events import RESERVED_NAME, WHITE, Code
from ._json import WHITE_RUN, Fault, jump, pointer_step
from ._limits import Limits
from ._shapes import counted, describe, quote
from ._values import RenderError

# NCName of "Namespaces in XML 1.0" over the classes of XML 1.0, fifth edition.
_NAME_START: Final = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME_REST: Final = f"{_NAME_START}.0-9\xb7\u0300-\u036f\u203f\u2040-"
#: What no XML document may hold, not even as a reference; surrogates are no text at all.
_NO_CHARACTERS: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"

_BEGINS_NAME: Final = re.compile(f"[{_NAME_START}]")
_NAME_RUN: Final = re.compile(f"[{_NAME_REST}]*")
NAME: Final = re.compile(f"[{_NAME_START}][{_NAME_REST}]*")
NO_CHARACTER: Final = re.compile(f"[{_NO_CHARACTERS}]")

_CDATA: Final = "<![CDATA["
#: The references that are met most: the five entities, and ASCII by number.
_COMMON: Final = "amp|lt|gt|quot|apos|#(?:9|1[03]|3[2-9]|[4-9][0-9])|#x(?:[9aAdD]|[2-7][0-9a-fA-F])"
#: The longest run of text, and of a section, in which nothing has to be judged.
_TEXT_BODY: Final = rf"[^<&\]{_NO_CHARACTERS}]"
_TEXT_RUN: Final = re.compile(rf"{_TEXT_BODY}*(?:(?:\](?!\]>)|&(?:{_COMMON});){_TEXT_BODY}*)*")
_CDATA_RUN: Final = re.compile(rf"[^\]{_NO_CHARACTERS}]*(?:\](?!\]>)[^\]{_NO_CHARACTERS}]*)*")

_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
#: What a reference may be, and begin with, behind its "&".
_REFERENCES: Final = frozenset(f"{name};" for name in _ENTITIES)
_BEGINNINGS: Final = frozenset(
    {each[:length] for each in _REFERENCES for length in range(1, len(each))} | {"#", "#x"}
)
_DIGITS: Final = {10: frozenset("0123456789"), 16: frozenset("0123456789abcdefABCDEF")}
_ZEROS: Final = re.compile("0*")
_LAST: Final = 0x10FFFF
#: A reference, or a whole section, in text that was judged.
_CODED: Final = re.compile(
    r"<!\[CDATA\[(.*?)\]\]>|&(?:#x0*([0-9a-fA-F]+)|#0*([0-9]+)|([a-z]+));", re.DOTALL
)

#: A section, the text of an argument, and a whole tool.  There is one way only to match a text, so
#: that a failed attempt costs no more than what the machine then reads.  (Possessive quantifiers
#: would say so themselves, but match wrongly on CPython 3.11.0 to 3.11.4: gh-106052.)
_INSIDE_SECTION: Final = r"[^\]]*(?:\](?!\]>)[^\]]*)*"
_TEXT: Final = rf"[^<]*(?:<!\[CDATA\[{_INSIDE_SECTION}\]\]>[^<]*)*"
_TOOL: Final = re.compile(
    rf"[{WHITE}]*<([{_NAME_START}][{_NAME_REST}]*)(?:/>|>"
    rf"((?:[{WHITE}]*<([{_NAME_START}][{_NAME_REST}]*)(?:/>|>{_TEXT}</\3>))*)"
    rf"[{WHITE}]*</\1>)"
)
_ARGUMENT: Final = re.compile(rf"<([^<>/]+)(?:/|>({_TEXT})<)")
_SECTION: Final = re.compile(rf"<!\[CDATA\[({_INSIDE_SECTION})\]\]>")
#: From what length on another way of judging characters is faster.
_LONG: Final = 256
_CONTROLS: Final = bytes({*range(0x20)} - {*WHITE.encode()})
#: The least that a tool takes.
_WORTH_OFFERING: Final = len("<a/>")

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode

Step = Callable[["ElementReader", str, int, int], int]


class ElementReader:
    """Reads one block; give it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        "_argument",
        "_arguments",
        "_base",
        "_body",
        "_brackets",
        "_closer",
        "_done",
        "_from",
        "_is_digit",
        "_level",
        "_limits",
        "_matched",
        "_name",
        "_number",
        "_room",
        "_step",
        "_token",
        "_tool",
        "_value",
        "closed",
        "count",
        "found",
        "in_body",
        "tools",
    )

    def __init__(self, closer: str, limits: Limits) -> None:
        self._closer = closer
        self._limits = limits
        #: Whether the closer has been read.
        self.closed = False
        #: How many tools were called so far, and which, in order.
        self.count = 0
        self.tools: list[str] = []
        #: Whether the text stands in that of an argument, so that `extend` may take a chunk.
        self.in_body = False
        #: The calls that the last `read` completed: their content, and where each ends.
        self.found: list[tuple[str, int]] = []

        # How many more characters the block may hold.
        self._room = limits.size
        self._step: Step = ElementReader._read_between
        # How far the text is inside: 0 between tools, 1 in the start tag of a tool, 2 between its
        # arguments, 3 in one.
        self._level = 0

        # The text of the block: before the value of the open argument, and from there on.  What
        # stands in the current text from `_from` on is not in either yet.  `_body` is the one of
        # the two that is added to.
        self._done: list[str] = []
        self._body = self._done
        self._value: list[str] | None = None
        self._from = 0

        # The call being read.
        self._tool = ""
        self._argument = ""
        self._arguments: dict[str, str] = {}

        # The name, fixed word or reference being read, and how many "]" the text ends with.
        self._name: list[str] = []
        self._matched = 0
        self._token = ""
        self._base = 10
        self._number = 0
        self._is_digit = False
        self._brackets = 0

    # -- What the parser uses ---------------------------------------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or behind the closer.

        Raises `Fault` at the first character that breaks a rule; `found` holds what came before.
        """
        if self.found:
            self.found = []
        self.in_body = False
        self._from = begin = pos
        stop = min(end, pos + self._room)
        pos = self._advance(text, pos, stop)
        self._room -= pos - begin
        if pos == stop < end:
            pos = self._cross(text, pos, end)
        self._body = self._done if self._value is None else self._value
        self._body.append(text[self._from : pos])
        self._from = pos
        return pos

    def extend(self, chunk: str) -> bool:
        """Take `chunk` if it is nothing but more text of the open argument."""
        size = len(chunk)
        if (
            not self.in_body
            or "<" in chunk
            or "&" in chunk
            or not (chunk.isprintable() or _is_sound(chunk))
            or size > self._room
        ):
            return False
        if self._brackets or "]" in chunk:
            if ">" in chunk:
                return False
            self._count_brackets(chunk, 0, size)
        self._body.append(chunk)
        self._room -= size
        return True

    def text(self) -> str:
        """Return what was read of the block so far."""
        return "".join(self._done) + "".join(self._value or ())

    def unread(self, text: str, at: int) -> str:
        """Return the beginning of a closer that the text up to `at` ends with, after a `Fault`."""
        # The character that crosses a limit may have been read already.
        read, excess = self.text(), self._from - at
        before = read[:-excess] if excess > 0 else read + text[self._from : at]
        before = before[1 - len(self._closer) :]
        begin = before.rfind("<")
        ending = before[begin:]
        return ending if begin >= 0 and self._closer.startswith(ending) else ""

    def path(self) -> str | None:
        """Return the JSON Pointer of where the text stands; `None` between tools."""
        if not self._level:
            return None
        if self._level == 1:
            return f"/{self.count}"
        path = f"/{self.count}/args"
        return path if self._level == 2 else path + pointer_step(self._argument)

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.closed:
            pos = self._step(self, text, pos, end)
        return pos

    def _cross(self, text: str, pos: int, end: int) -> int:
        """Read on where the block has no room left: only the closer may still come."""
        while pos < end and not self.closed:
            path, count = self.path(), len(self.found)
            pos = self._advance(text, pos, pos + 1)
            # Whether "<" begins the closer or a tool, the next character tells.
            if self._step not in (ElementReader._read_tag, ElementReader._read_closer):
                del self.found[count:]
                message = (
                    f"A block holds at most {counted(self._limits.size, 'character')}. "
                    "Send less at once, or in several blocks."
                )
                raise Fault("limit-size", pos - 1, message, path)
        return pos

    def _fault(self, code: Code, at: int, message: str) -> Fault:
        return Fault(code, at, message, self.path())

    def _unexpected(self, expected: str, char: str, at: int, hint: str = "") -> Fault:
        if NO_CHARACTER.match(char):
            hint = "XML cannot hold this character at all."
        message = f"Expected {expected}, but got {describe(char)}. {hint}"
        return self._fault("xml-syntax", at, message.rstrip())

    def _no_markup(self, char: str, at: int) -> Fault:
        kind = "comments and declarations" if char == "!" else "processing instructions"
        message = f"A block holds elements and their text, and no {kind}. Leave it out."
        return self._fault("xml-forbidden", at, message)

    def _stray(self, char: str, at: int, expected: str) -> Fault:
        """Return the error of what is neither white space nor a tag, where only these may be."""
        if NO_CHARACTER.match(char):
            return self._unexpected(expected, char, at)
        if char in "[{":
            hint = "Calls in JSON are of the dialect xml-json; here each call is an element"
            message = f"Expected {expected}, but got {describe(char)}. {hint}."
        elif self._level:
            message = (
                "Each argument stands in an element of its own, "
                f"as in <{self._tool}><argument>value</argument></{self._tool}>, "
                f"but here is {describe(char)}."
            )
        else:
            message = (
                "A block holds nothing but tools, each <tool><argument>value</argument></tool>, "
                f"but here is {describe(char)}. Text belongs before the block or behind it."
            )
        return self._fault("xml-forbidden", at, message)

    def _match(self, word: str, text: str, pos: int, end: int) -> int:
        """Go over as much of what is left of `word` as stands at `pos`."""
        stop = min(end, pos + len(word) - self._matched)
        rest = word[self._matched : self._matched + stop - pos]
        if text.startswith(rest, pos):
            self._matched += stop - pos
            return stop
        while text[pos] == word[self._matched]:
            self._matched += 1
            pos += 1
        return pos

    # -- Between tools ----------------------------------------------------------------------

    def _read_between(self, text: str, pos: int, end: int) -> int:
        if end - pos >= _WORTH_OFFERING:
            pos = self._offer(text, pos, end)
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        if text[pos] != "<":
            raise self._stray(text[pos], pos, f"a tool or {self._closer}")
        self._step = ElementReader._read_tag
        return pos + 1

    def _read_tag(self, text: str, pos: int, _end: int) -> int:
        """Read what follows "<" between tools."""
        char = text[pos]
        if _BEGINS_NAME.match(char):
            if self.count >= self._limits.calls:
                message = (
                    f"A block holds at most {counted(self._limits.calls, 'call')}, and here "
                    "another one begins. Send the rest in a block of its own."
                )
                raise self._fault("limit-calls", pos, message)
            self._nest(2, pos)
            self._level = 1
            return self._begin_name(char, pos)
        if char == "/":
            self._matched = 2
            self._step = ElementReader._read_closer
            return pos + 1
        if char in "!?":
            raise self._no_markup(char, pos)
        raise self._unexpected(f"the name of a tool or {self._closer}", char, pos, _tag_hint(char))

    def _read_closer(self, text: str, pos: int, end: int) -> int:
        pos = self._match(self._closer, text, pos, end)
        self.closed = self._matched == len(self._closer)
        if pos < end and not self.closed:
            hint = "No tool is open here, so only the block can be closed, in exactly this form."
            raise self._unexpected(self._closer, text[pos], pos, hint)
        return pos

    # -- Start tags -------------------------------------------------------------------------

    def _nest(self, depth: int, pos: int) -> None:
        if depth > self._limits.depth:
            message = (
                f"Elements may be nested {self._limits.depth} deep; this is one level more. "
                "Leave it out."
            )
            raise self._fault("limit-depth", pos, message)

    def _begin_name(self, char: str, pos: int) -> int:
        self._name = [char]
        self._step = ElementReader._read_name
        return pos + 1

    def _read_name(self, text: str, pos: int, end: int) -> int:
        stop = jump(_NAME_RUN, text, pos, end)
        self._name.append(text[pos:stop])
        if stop == end:
            return end
        name, char = "".join(self._name), text[stop]
        if char not in "/>" and char not in WHITE:
            hint = _NAME_HINTS.get(char, "")
            raise self._unexpected(f'">" behind the name {quote(name)}', char, stop, hint)
        if self._level == 1:
            if name == RESERVED_NAME:
                message = (
                    f'No tool is called "{RESERVED_NAME}": the block is open already, '
                    f"and the name is reserved. Blocks end with {self._closer}."
                )
                raise self._fault("xml-forbidden", stop, message)
            self._tool = name
        else:
            if name in self._arguments:
                message = f"The argument {quote(name)} stands twice in one call; write it once."
                path = f"{self.path()}{pointer_step(name)}"
                raise Fault("duplicate-arg", stop, message, path)
            self._argument = name
        self._step = ElementReader._read_start_tag
        return self._read_start_tag(text, stop, end)

    def _read_start_tag(self, text: str, pos: int, end: int) -> int:
        """Read what follows the name in a start tag."""
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        char = text[pos]
        if char == ">":
            if self._level == 1:
                self._level = 2
                self._step = ElementReader._read_inside
                return pos + 1
            self._level = 3
            self._done.append(text[self._from : pos + 1])
            self._from = pos + 1
            self._value = []
            self._brackets = 0
            self._step = ElementReader._read_text
            return pos + 1
        if char == "/":
            self._step = ElementReader._read_slash
            return pos + 1
        if _BEGINS_NAME.match(char):
            name = self._tool
            example = f"<{name}><argument>value</argument></{name}>"
            if self._level == 2:
                example = f"<{self._argument}>value</{self._argument}>"
            message = f"Arguments are elements, not attributes: write {example}."
            raise self._fault("xml-forbidden", pos, message)
        raise self._unexpected('">" or "/>"', char, pos)

    def _read_slash(self, text: str, pos: int, _end: int) -> int:
        if text[pos] != ">":
            raise self._unexpected('">" behind "/"', text[pos], pos)
        if self._level == 1:
            self._give(pos + 1)
        else:
            self._arguments[self._argument] = ""
            self._step = ElementReader._read_inside
        return pos + 1

    # -- In a tool --------------------------------------------------------------------------

    def _read_inside(self, text: str, pos: int, end: int) -> int:
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        if text[pos] != "<":
            raise self._stray(text[pos], pos, f"an argument or </{self._tool}>")
        self._step = ElementReader._read_inner_tag
        return pos + 1

    def _read_inner_tag(self, text: str, pos: int, _end: int) -> int:
        """Read what follows "<" between arguments."""
        char = text[pos]
        if _BEGINS_NAME.match(char):
            self._nest(3, pos)
            return self._begin_name(char, pos)
        if char == "/":
            return self._begin_end_tag(pos)
        if char in "!?":
            raise self._no_markup(char, pos)
        expected = f"the name of an argument or </{self._tool}>"
        raise self._unexpected(expected, char, pos, _tag_hint(char))

    def _begin_end_tag(self, pos: int) -> int:
        self._matched = 0
        self._step = ElementReader._read_end_name
        return pos + 1

    def _read_end_name(self, text: str, pos: int, end: int) -> int:
        name = self._tool if self._level == 2 else self._argument
        pos = self._match(name, text, pos, end)
        if self._matched == len(name):
            self._step = ElementReader._read_end_tag
        elif pos < end:
            raise self._wrong_end(text[pos], pos)
        return pos

    def _read_end_tag(self, text: str, pos: int, end: int) -> int:
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        if text[pos] != ">":
            raise self._wrong_end(text[pos], pos)
        pos += 1
        if self._level == 2:
            self._give(pos)
            return pos
        written = "".join(self._value or ()) + text[self._from : pos]
        self._arguments[self._argument] = _decoded(written[: written.rindex("</")])
        self._done.append(written)
        self._from = pos
        self._value = None
        self._level = 2
        self._step = ElementReader._read_inside
        return pos

    def _wrong_end(self, char: str, at: int) -> Fault:
        kind, name = ("tool", self._tool) if self._level == 2 else ("argument", self._argument)
        hint = f"The {kind} {quote(name)} is still open and has to be closed first."
        return self._unexpected(f"</{name}>", char, at, hint)

    def _give(self, end: int) -> None:
        self.found.append((_content(self._tool, self._arguments), end))
        self.tools.append(self._tool)
        self.count += 1
        self._arguments = {}
        self._level = 0
        self._step = ElementReader._read_between

    # -- In an argument ---------------------------------------------------------------------

    def _read_text(self, text: str, pos: int, end: int) -> int:
        stop = self._closed_section(text, pos, end) if self._brackets else 0
        if stop:
            raise self._section_end(stop - 1)
        stop = jump(_TEXT_RUN, text, pos, end)
        if stop == end:
            self._count_brackets(text, pos, end)
            self.in_body = True
            return end
        self._brackets = 0
        char = text[stop]
        if char == "<":
            self._step = ElementReader._read_markup
        elif char == "&":
            self._token = ""
            self._step = ElementReader._read_reference
        elif char == "]":
            raise self._section_end(stop + 2)
        else:
            raise self._unexpected("text", char, stop)
        return stop + 1

    def _section_end(self, at: int) -> Fault:
        message = 'Text may not hold "]]>" outside of <![CDATA[…]]>. Write ]]&gt; instead.'
        return self._fault("xml-syntax", at, message)

    def _closed_section(self, text: str, pos: int, end: int) -> int:
        """Return where a "]]>" ends that began before `pos`; 0 if none did."""
        known = self._brackets
        at = (known * "]" + text[pos : min(pos + 2, end)]).find("]]>")
        return pos + at + 3 - known if at >= 0 else 0

    def _count_brackets(self, text: str, pos: int, end: int) -> None:
        """Remember as much of a "]]>" as there may be at the end of the text."""
        if pos < end and text[end - 1] != "]":
            self._brackets = 0
            return
        last = text[max(pos, end - 2) : end]
        count = len(last) - len(last.rstrip("]"))
        self._brackets = min(2, count + (self._brackets if count == end - pos else 0))

    def _read_markup(self, text: str, pos: int, _end: int) -> int:
        """Read what follows "<" in an argument."""
        char = text[pos]
        if char == "/":
            return self._begin_end_tag(pos)
        if char == "!":
            self._step = ElementReader._read_bang
            return pos + 1
        if char == "?" or _BEGINS_NAME.match(char):
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        raise self._unexpected(f"</{self._argument}>", char, pos, _TEACH_CDATA)

    def _read_bang(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in "-D":
            raise self._fault("xml-forbidden", pos, _NO_MARKUP)
        self._matched = 2
        self._step = ElementReader._read_section_opener
        return self._read_section_opener(text, pos, end)

    def _read_section_opener(self, text: str, pos: int, end: int) -> int:
        pos = self._match(_CDATA, text, pos, end)
        if self._matched == len(_CDATA):
            self._step = ElementReader._read_section
        elif pos < end:
            raise self._unexpected(_CDATA, text[pos], pos, _TEACH_CDATA)
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
        self._step = ElementReader._read_text
        return stop

    # -- References -------------------------------------------------------------------------

    def _read_reference(self, text: str, pos: int, end: int) -> int:
        token = self._token + text[pos]
        if token in _BEGINNINGS:
            self._token = token
        elif token in _REFERENCES:
            self._step = ElementReader._read_text
        elif token[0] == "#":
            self._base = 10 if token[:2] != "#x" else 16
            self._number = 0
            self._is_digit = False
            self._step = ElementReader._read_number
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
                message = "This is past U+10FFFF, the last character there is."
                raise self._fault("xml-syntax", pos, message)
        elif char != ";" or not self._is_digit:
            raise self._no_reference(char, pos)
        elif 0xD800 <= self._number <= 0xDFFF or NO_CHARACTER.match(chr(self._number)):
            message = f"XML cannot hold the character U+{self._number:04X}, not even like this."
            raise self._fault("xml-syntax", pos, message)
        else:
            self._step = ElementReader._read_text
        return pos + 1

    # -- Whole tools ------------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Read whole tools from `pos` on; return where what is sound ends."""
        most = self._limits.calls if self._limits.depth >= 3 else 0
        while self.count < most and (match := _TOOL.match(text, pos, end)):
            tool, inside = match.groups(default="")[:2]
            if tool == RESERVED_NAME or not _is_sound(inside):
                break
            written = _ARGUMENT.findall(inside)
            arguments = dict(written)
            if len(arguments) < len(written):
                break
            if "&" in inside or "]]>" in inside:
                for name, value in written:
                    meant = _understood(value)
                    if meant is None:
                        return pos
                    arguments[name] = meant
            pos = match.end()
            self.found.append((_content(tool, arguments), pos))
            self.tools.append(tool)
            self.count += 1
        return pos


_TEACH_CDATA: Final = (
    'Write "<" as &lt; and "&" as &amp;, or put the whole value into <![CDATA[…]]>.'
)
_NO_MARKUP: Final = f"An argument holds text, and no elements or other markup. {_TEACH_CDATA}"
_NAME_HINTS: Final = {
    ":": "Names hold no colon: there are no namespaces here.",
    "=": "Arguments are elements, not attributes.",
}


def _tag_hint(char: str) -> str:
    if char in WHITE:
        return 'The name stands directly behind "<".'
    return "A name begins with a letter or an underscore."


def _decoded(text: str) -> str:
    """Return what the text of an argument says; it was judged before."""
    if "&" not in text and _CDATA not in text:
        return text
    return _CODED.sub(_meant, text)


def _meant(match: re.Match[str]) -> str:
    section, hexadecimal, decimal, entity = match.groups()
    if entity:
        return _ENTITIES[entity]
    if section is None:
        return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
    return str(section)


def _is_sound(text: str) -> bool:
    """Whether XML can hold all of `text`."""
    if len(text) < _LONG and text.isprintable():
        return True
    data = text.encode()
    return (
        len(data.translate(None, _CONTROLS)) == len(data)
        and "\ufffe" not in text
        and "\uffff" not in text
    )


def _understood(written: str) -> str | None:
    """Return what the text of an argument says, if that can be told at once."""
    if "<" not in written:
        return _plain(written)
    pieces: list[str] = _SECTION.split(written)
    for index in range(0, len(pieces), 2):
        piece = _plain(pieces[index])
        if piece is None:
            return None
        pieces[index] = piece
    return "".join(pieces)


def _plain(text: str) -> str | None:
    """Do the same for text without sections."""
    if ">" in text and "]]>" in text:
        return None
    if "&" not in text:
        return text
    # Most often these three are all.
    most = text.replace("&lt;", "<").replace("&gt;", ">")
    meant = most.replace("&amp;", "&")
    if len(most) - len(meant) == 4 * meant.count("&"):
        return meant
    return _CODED.sub(_meant, text) if _TEXT_RUN.fullmatch(text) else None


def _content(tool: str, arguments: dict[str, str]) -> str:
    """Return the call as JSON text; names need no escapes."""
    members = ", ".join([f'"{name}": {_encode(value)}' for name, value in arguments.items()])
    return f'{{"name": "{tool}", "args": {{{members}}}}}'


# --- Writing ------------------------------------------------------------------------------------

_SPECIAL: Final = re.compile("[&<>\r]")
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def is_name(text: str) -> bool:
    """Whether XML can hold `text` as the name of an element; colons are for namespaces."""
    return NAME.fullmatch(text) is not None


def write_element(name: str, args: Mapping[Any, object], path: str) -> str:
    """Return the call of the tool `name` as an element, on one line where its arguments are.

    `name` is not reserved.  Raises `RenderError` for what XML, or the dialect, cannot hold; `path`
    is that of the call.
    """
    _check_name(name, f"{path}/name", "a tool")
    parts = [
        _argument(key, value, path + "/args" + pointer_step(str(key)))
        for key, value in args.items()
    ]
    return f"<{name}>{''.join(parts)}</{name}>" if parts else f"<{name}/>"


def _argument(name: str, value: object, path: str) -> str:
    _check_name(name, path, "an argument")
    if type(value) is not str:
        kind = type(value).__name__
        raise RenderError(path, f"a value of type {kind}; elements hold text, a plain str")
    if found := NO_CHARACTER.search(value):
        raise RenderError(path, f"{describe(found.group())}, which XML cannot hold")
    if _SURROGATE.search(value):
        raise RenderError(path, "half a surrogate pair; XML holds whole characters")
    return f"<{name}>{escaped(value)}</{name}>"


def escaped(text: str) -> str:
    """Return `text`, which XML can hold, as character data."""
    return _SPECIAL.sub(_escape, text)


def _check_name(name: str, path: str, owner: str) -> None:
    if type(name) is not str or not is_name(name):
        reason = f"{name!r} is no XML name without a colon, as that of {owner} must be"
        raise RenderError(path, reason)


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES[found.group()]
