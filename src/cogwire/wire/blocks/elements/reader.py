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

from typing import Final

from ....events import RESERVED_NAME, Event, Limits
from ....text.scan import WHITE, WHITE_RUN, jump, pointer_step
from ....text.wording import counted, quote
from ..interface import Fault, ReadCall
from .argument import Step, TextMachine
from .characters import BEGINS_NAME, NAME_RUN, decoded, is_sound
from .whole import WORTH_OFFERING, content_of, whole_tools

_NAME_HINTS: Final = {
    ":": "Names contain no colon, because there are no namespaces here.",
    "=": "Arguments are elements, not attributes.",
}


class ElementReader(TextMachine):
    """Reads one block; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        "_arguments",
        "_body",
        "_closer",
        "_done",
        "_from",
        "_limits",
        "_name",
        "_opened",
        "_room",
        "_value",
        "closed",
        "found",
        "tools",
    )

    def __init__(self, closer: str, limits: Limits) -> None:
        self.count = 0
        self.in_body = False
        self._level = 0
        self._closer = closer
        self._limits = limits
        #: Whether the closer has been read.
        self.closed = False
        #: The tools called so far, in order.
        self.tools: list[str] = []
        #: The calls that the last `read` completed.
        self.found: list[ReadCall] = []

        # How many more characters the block may contain.
        self._room = limits.size
        self._step: Step = ElementReader._read_between

        # The text of the block: before the value of the open argument (`_done`), and from there on
        # (`_value`).  `_body` is the one to which text is added.  The part of the current text from
        # `_from` on has not been added yet.
        self._done: list[str] = []
        self._body: list[str] = self._done
        self._value: list[str] | None = None
        self._from = 0

        # Where the call being read begins, relative to the text, and the values of its arguments.
        self._opened = 0
        self._arguments: dict[str, str] = {}

    # -- What the parser uses ---------------------------------------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the closer.

        Raises `Fault` at the first character that breaks a rule; `found` contains the calls before.
        """
        if self.found:
            self.found = []
        self.in_body = False
        self._opened += pos - self._from
        self._from = begin = pos
        stop = end if end - pos <= self._room else pos + self._room
        pos = self._advance(text, pos, stop)
        self._room -= pos - begin
        if pos == stop < end:
            pos = self._cross_limit(text, pos, end)
        if not self.closed:
            self._body = self._done if self._value is None else self._value
            self._body.append(text[self._from : pos])
        self._from = pos
        return pos

    def extend(self, chunk: str, _base: int, _now: float | None) -> list[Event] | None:
        """Take `chunk`, which begins inside a text, if all of it continues the text."""
        size = len(chunk)
        if (
            "<" in chunk
            or "&" in chunk
            or not (chunk.isprintable() or is_sound(chunk))
            or size > self._room
        ):
            return None
        if self._brackets or "]" in chunk:
            if ">" in chunk:
                return None
            self._count_brackets(chunk, 0, size)
        self._body.append(chunk)
        self._room -= size
        return []

    def text(self) -> str:
        """Return the text of the block so far."""
        return "".join(self._done) + "".join(self._value or ())

    def unread(self, text: str, at: int) -> str:
        """Return the beginning of a closer that the text up to `at` ends with, after a `Fault`."""
        # The character that exceeds a limit may have been read already.
        read, excess = self.text(), self._from - at
        before = read[:-excess] if excess > 0 else read + text[self._from : at]
        before = before[1 - len(self._closer) :]
        begin = before.rfind("<")
        ending = before[begin:]
        return ending if begin >= 0 and self._closer.startswith(ending) else ""

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.closed:
            pos = self._step(self, text, pos, end)
        return pos

    def _cross_limit(self, text: str, pos: int, end: int) -> int:
        """Continue when the block is full: only the closer may follow."""
        while pos < end and not self.closed:
            path, count = self.path(), len(self.found)
            pos = self._advance(text, pos, pos + 1)
            # The next character shows whether "<" begins the closer or a tool.
            if self._step not in (ElementReader._read_tag, ElementReader._read_closer):
                del self.found[count:]
                message = (
                    f"A block may contain at most {counted(self._limits.size, 'character')}. "
                    "Send less at once, or in several blocks."
                )
                raise Fault("limit-size", pos - 1, message, path)
        return pos

    # -- Between tools ----------------------------------------------------------------------

    def _read_between(self, text: str, pos: int, end: int) -> int:
        if end - pos >= WORTH_OFFERING:
            pos = self._offer(text, pos, end)
        pos = jump(WHITE_RUN, text, pos, end)
        if pos == end:
            return end
        if text[pos] != "<":
            raise self._stray(text[pos], pos, f"a tool or {self._closer}")
        if text.startswith(self._closer, pos, end):
            self.closed = True
            return pos + len(self._closer)
        self._opened = pos
        self._step = ElementReader._read_tag
        return pos + 1

    def _read_tag(self, text: str, pos: int, _end: int) -> int:
        """Read the character after "<" between tools."""
        char = text[pos]
        if BEGINS_NAME.match(char):
            if self.count >= self._limits.calls:
                message = (
                    f"A turn may contain at most {counted(self._limits.calls, 'call')}, and here "
                    "another one begins. Send the rest in the next turn."
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
        else:
            if name in self._arguments:
                message = f"The argument {quote(name)} appears twice in one call; write it once."
                path = f"{self.path()}{pointer_step(name)}"
                raise Fault("duplicate-arg", stop, message, path)
            self._argument = name
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
            self._done.append(text[self._from : pos + 1])
            self._from = pos + 1
            self._value = []
            self._brackets = 0
            self._step = ElementReader._read_text
            return pos + 1
        if char == "/":
            self._step = ElementReader._read_slash
            return pos + 1
        if BEGINS_NAME.match(char):
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
        """Read the character after "<" between arguments."""
        char = text[pos]
        if BEGINS_NAME.match(char):
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
        written = "".join(self._value or ()) + text[self._from : pos]
        self._arguments[self._argument] = decoded(written[: written.rindex("</")])
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

    def _end_tool(self, end: int) -> None:
        content = content_of(self._tool, self._arguments)
        self.found.append((content, self._opened, end))
        self.tools.append(self._tool)
        self.count += 1
        self._arguments = {}
        self._level = 0
        self._step = ElementReader._read_between

    # -- Whole tools ------------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Read whole tools from `pos` on, and return where the last valid one ends."""
        if self._limits.depth < 3:
            return pos
        tools, calls = whole_tools(text, pos, end, self._limits.calls - self.count)
        if not calls:
            return pos
        self.tools += tools
        self.found += calls
        self.count += len(calls)
        return calls[-1][2]


def _tag_hint(char: str) -> str:
    if char in WHITE:
        return 'The name follows directly after "<".'
    return "A name begins with a letter or an underscore."
