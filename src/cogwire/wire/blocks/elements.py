# SPDX-License-Identifier: MIT
"""Reads a block of elements: a tool is an element, and so is each of its arguments.

Theory of operation
-------------------
This is exactly the part of XML 1.0 that the dialect allows: there are no declarations, so there is
nothing to expand except five entities and character references, and nothing is ever fetched.

The machine has one function for each state, which reads as far as the state goes, may stop
anywhere, and sets `_step` to the next function.  The machine only checks: the text of an argument
is kept as it was written, and decoded when it is complete.

Tools that are whole in the chunk are first tried with one regular expression, which may only
accept: the machine reads whatever it does not match.
"""

import re
from typing import Final

from ...events import RESERVED_NAME, Event, Limits
from ...text import WHITE, WHITE_RUN, describe, jump, pointer_step, quote
from ...text.strict_json import quoted
from .elements_text import (
    CODED,
    NAME_RUN,
    NO_CHARACTER,
    TEXT_RUN,
    XML_NAME,
    ArgumentReader,
    decode_match,
    decoded,
    is_sound,
)
from .interface import CallFormat, CallKind, Fault, ReadCall, Step, too_many_calls

_NAME_HINTS: Final = {
    ":": "Names contain no colon, because there are no namespaces here.",
    "=": "Arguments are elements, not attributes.",
}


class ElementReader(ArgumentReader):
    """Reads one block; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = ("_arguments", "_closer", "_name", "_value")

    #: How many pieces of the text come before the value of the open argument.
    _value: int

    def __init__(self, closer: str, limits: Limits) -> None:
        super().__init__(limits)
        self._level = 0
        self._argument = ""
        self._closer = closer
        self._step: Step = ElementReader._read_between
        # The names of the arguments of the open call.
        self._arguments: set[str] = set()

    # -- What the parser uses ---------------------------------------------------------------

    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        size = len(chunk)
        if (
            not self.in_text
            or "<" in chunk
            or "&" in chunk
            or not (chunk.isprintable() or is_sound(chunk))
            or size > self._room
        ):
            return self._read_chunk(chunk)
        if self._brackets or "]" in chunk:
            if ">" in chunk:
                return self._read_chunk(chunk)
            self._count_brackets(chunk, 0, size)
        self._pieces.append(chunk)
        self._room -= size
        return []

    def _next_of_value(self, text: str, pos: int, stop: int) -> str:
        return quoted(self._next_text(text, pos, stop))[1:-1] if self._level == 3 else ""

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` between tools."""
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

    def _is_in_closer(self) -> bool:
        # The next character shows whether "<" begins the closer or a tool.
        return self._step in (ElementReader._read_tag, ElementReader._read_closer)

    # -- Between tools ----------------------------------------------------------------------

    def _read_between(self, text: str, pos: int, end: int) -> int:
        if end - pos >= _WORTH_OFFERING and not self.shows_deltas:
            pos = self._offer(text, pos, end)
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        if text[pos] != "<":
            raise self._stray(text[pos], pos, f"a tool or {self._closer}")
        if text.startswith(self._closer, pos, end):
            self.closed = True
            return pos + len(self._closer)
        self._opened = pos - self._origin()
        self._step = ElementReader._read_tag
        return pos + 1

    def _read_tag(self, text: str, pos: int, _end: int) -> int:
        """Read the character after "<" between tools."""
        char = text[pos]
        if XML_NAME.match(char):
            if self.count >= self._limits.calls:
                code, message = too_many_calls(self._limits.calls)
                raise self._fault(code, pos, message)
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
        stop = jump(NAME_RUN, text, pos, end)
        self._name.append(text[pos:stop])
        if stop == end:
            return end
        name, char = "".join(self._name), text[stop]
        if char not in "/>" and char not in WHITE:
            hint = _NAME_HINTS.get(char, "")
            raise self._unexpected(f'">" after the name {quote(name)}', char, stop, hint)
        if self._level == 1:
            if name == RESERVED_NAME:
                message = (
                    f'No tool is called "{RESERVED_NAME}": the block is open already, '
                    f"and the name is reserved. Blocks end with {self._closer}."
                )
                raise self._fault("xml-forbidden", stop, message)
            self._tool = name
            self._out.append("{")
        else:
            if name in self._arguments:
                message = f"The argument {quote(name)} appears twice in one call; write it once."
                path = f"{self.path()}{pointer_step(name)}"
                raise Fault("duplicate-arg", stop, message, path)
            self._argument = name
            self._out.append(f'{", " if self._arguments else ""}{quoted(name)}: "')
            self._arguments.add(name)
        self._step = ElementReader._read_start_tag
        return self._read_start_tag(text, stop, end)

    def _read_start_tag(self, text: str, pos: int, end: int) -> int:
        """Read the text after the name in a start tag."""
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
            self._pieces.append(text[self._from : pos + 1])
            self._from = pos + 1
            self._value = len(self._pieces)
            self._value_begin = pos + 1
            self._brackets = 0
            self._step = ElementReader._read_text
            return pos + 1
        if char == "/":
            self._step = ElementReader._read_slash
            return pos + 1
        if XML_NAME.match(char):
            name = self._tool
            example = f"<{name}><argument>value</argument></{name}>"
            if self._level == 2:
                example = f"<{self._argument}>value</{self._argument}>"
            message = f"Arguments are elements, not attributes: write {example}."
            raise self._fault("xml-forbidden", pos, message)
        raise self._unexpected('">" or "/>"', char, pos)

    def _read_slash(self, text: str, pos: int, _end: int) -> int:
        if text[pos] != ">":
            raise self._unexpected('">" after "/"', text[pos], pos)
        if self._level == 1:
            self._end_tool(pos + 1)
        else:
            self._out.append('"')
            self._argument = ""
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
        """Read the character after "<" between arguments."""
        char = text[pos]
        if XML_NAME.match(char):
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
            self._end_tool(pos)
            return pos
        written = "".join(self._pieces[self._value :]) + text[self._from : pos]
        self._end_value(quoted(decoded(written[: written.rindex("</")]))[1:])
        self._argument = ""
        self._pieces[self._value :] = [written]
        self._from = pos
        self._level = 2
        self._step = ElementReader._read_inside
        return pos

    def _wrong_end(self, char: str, at: int) -> Fault:
        kind, name = ("tool", self._tool) if self._level == 2 else ("argument", self._argument)
        hint = f"The {kind} {quote(name)} is still open and has to be closed first."
        return self._unexpected(f"</{name}>", char, at, hint)

    def _end_tool(self, end: int) -> None:
        self._out.append("}")
        self._end_call(end)
        self._arguments = set()
        self._level = 0
        self._step = ElementReader._read_between

    # -- Whole tools ------------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Read whole tools from `pos` on, and return where the last valid one ends."""
        if self._limits.depth < 3:
            return pos
        tools, calls = _whole_tools(text, pos, end, self._limits.calls - self.count)
        if not calls:
            return pos
        self.tools += tools
        self.found += calls
        self.count += len(calls)
        return calls[-1][2]

    # -- Messages ---------------------------------------------------------------------------

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


def _tag_hint(char: str) -> str:
    if char in WHITE:
        return 'The name follows directly after "<".'
    return "A name begins with a letter or an underscore."


# -- Whole tools ----------------------------------------------------------------------------------
#
# They are read by one regular expression, which may only accept valid ones.  There is only one way
# to match a text, and a run of any characters but one is followed by just that one, so that a
# failed attempt costs no more than what the machine then reads.  (Possessive quantifiers would
# guarantee that, but match wrongly on CPython 3.11.0 to 3.11.4: gh-106052.)

#: What follows "<![CDATA[" in a section, the text of an argument with the next "<", a whole tool,
#: and an argument in it.
_SECTION_REST: Final = r"[^\]]*\](?:(?!\]>)[^\]]*\])*\]>"
_TEXT: Final = rf"[^<]*<(?:!\[CDATA\[{_SECTION_REST}[^<]*<)*"
# Names of ASCII alone; the machine reads the others.
_NAME: Final = "[A-Za-z_][A-Za-z_0-9.-]*"
_TOOL: Final = re.compile(
    rf"[{WHITE}]*<({_NAME})(?:/>|>((?:[{WHITE}]*<({_NAME})(?:/>|>{_TEXT}/\3>))*)[{WHITE}]*</\1>)"
)
_ARGUMENT: Final = re.compile(rf"<([^<>/]+)(?:/|>([^<]*(?:<!\[CDATA\[{_SECTION_REST}[^<]*)*)<)")
_SECTION: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
#: The shortest piece for which an attempt is worth its cost: the shortest tool, and the closer.
_WORTH_OFFERING: Final = len("<a/></execute>")


def _whole_tools(text: str, pos: int, end: int, most: int) -> tuple[list[str], list[ReadCall]]:
    """Return the names of up to `most` tools from `pos` on, and their calls."""
    tools: list[str] = []
    calls: list[ReadCall] = []
    while len(tools) < most and (match := _TOOL.match(text, pos, end)):
        tool, inside = match[1], match[2] or ""
        if tool == RESERVED_NAME or not (inside.isprintable() or is_sound(inside)):
            break
        written: list[tuple[str, str]] = _ARGUMENT.findall(inside)
        arguments = dict(written)
        if len(arguments) < len(written):
            break
        if "&" in inside or "]]>" in inside:
            for name, value in written:
                decoded_value = _decoded(value)
                if decoded_value is None:
                    return tools, calls
                arguments[name] = decoded_value
        pos = match.end()
        tools.append(tool)
        calls.append((_content_of(tool, arguments), match.start(1) - 1, pos))
    return tools, calls


def _decoded(written: str) -> str | None:
    """Return the decoded text of an argument, or `None` if the machine must read it."""
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
    """Do what `_decoded` does for text without sections."""
    if ">" in text and "]]>" in text:
        return None
    if "&" not in text:
        return text
    # These three are usually the only ones.
    most = text.replace("&lt;", "<").replace("&gt;", ">")
    plain = most.replace("&amp;", "&")
    if len(most) - len(plain) == 4 * plain.count("&"):
        return plain
    return CODED.sub(decode_match, text) if TEXT_RUN.fullmatch(text) else None


def _content_of(tool: str, arguments: dict[str, str]) -> str:
    """Return the call as JSON text; names need no escapes."""
    members = ", ".join([f'"{name}": {quoted(value)}' for name, value in arguments.items()])
    return f'{{"name": "{tool}", "args": {{{members}}}}}'


class _Elements(CallFormat):
    """An element for each call, with one for each of its arguments."""

    kind: CallKind = "elements"
    is_text: bool = True
    is_xml: bool = True
    reads_closer: bool = True
    names: re.Pattern[str] | None = XML_NAME

    def reader(self, closer: str, limits: Limits) -> ElementReader:
        return ElementReader(closer, limits)


ELEMENTS: Final = _Elements()
