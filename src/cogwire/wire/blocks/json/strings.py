# SPDX-License-Identifier: MIT
"""Reads the strings of a block as they arrive: names and values, and the escapes in them.

Open containers are two parallel stacks: `_names` has the member names so far (`None` for an array),
and `_steps` the member or index being read; the latter make the JSON Pointer of an error.
"""

import json
import re
from typing import TYPE_CHECKING, Any, Final

from ....text.scan import jump, pointer_step
from ....text.wording import describe, quote
from ..interface import Fault
from .states import COLON, IN_NAME, NEXT_ELEMENT, START, State

if TYPE_CHECKING:
    from ..format import Shape, Wrong

#: The next character that ends a string, begins an escape, or is not allowed.
_STRING_STOP: Final = re.compile(r'["\\\x00-\x1f]')
#: The longest run of string body whose escapes are complete and valid.
_STRING_RUN: Final = re.compile(
    r"[^\"\\\x00-\x1f]*(?:\\(?:[\"\\/bfnrt]|u(?:[0-9abcefABCEF][0-9a-fA-F]{3}"
    r"|[dD][0-7][0-9a-fA-F]{2}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
    r"[^\"\\\x00-\x1f]*)*"
)
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_SHORT_ESCAPES: Final = frozenset('"\\/bfnrt')


class StringMachine:
    """Reads strings, and keeps track of the containers around them."""

    __slots__ = (
        *("_after", "_escape", "_half", "_kept", "_member", "_names", "_shape", "_state"),
        *("_steps", "count", "in_body"),
    )

    def __init__(self, shape: "Shape") -> None:
        self._shape = shape
        #: The number of elements so far.
        self.count: int = 0
        #: Whether the place is inside a string, so that `extend` may take a chunk.
        self.in_body = False

        #: The state, and the state after the value being read.
        self._state: State = START
        self._after: State = NEXT_ELEMENT
        self._names: list[set[str] | None] = []
        self._steps: list[Any] = []

        # The string being read, if it is needed, and the last member's name.
        self._kept: list[str] | None = None
        self._escape = ""
        self._half = False
        self._member = ""

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside the array."""
        if not self._names:
            return None
        return "".join(pointer_step(step) for step in self._steps if step is not None)

    def _fault(self, at: int, wrong: "Wrong") -> Fault:
        return Fault(wrong[0], at, wrong[1], self.path())

    def _read_string(self, text: str, pos: int, end: int) -> int:
        """Read the open string to its closing quote, or to `end`."""
        begin = pos
        kept = self._kept
        if self._escape or self._half:
            pos = self._read_escape(text, pos, end)
        while pos < end:
            match = _STRING_STOP.search(text, pos, end)
            if match is None:
                pos = end
                break
            pos = match.start()
            char = text[pos]
            if char == '"':
                if kept is None:
                    self._state = self._after.after_string
                else:
                    self._close_kept("".join([*kept, text[begin:pos]]), pos)
                return pos + 1
            if char != "\\":
                raise self._control(char, pos)
            run = jump(_STRING_RUN, text, pos, end)
            pos = self._read_escape(text, pos, end) if run == pos else run
        if kept is not None:
            kept.append(text[begin:pos])
        else:
            self.in_body = not (self._escape or self._half)
        return pos

    def _read_escape(self, text: str, pos: int, end: int) -> int:
        """Read an escape that no run matches, since it is cut or invalid."""
        while pos < end:
            char = text[pos]
            if not self._escape:
                if char < " ":
                    raise self._control(char, pos)
                if char != "\\":
                    raise self._lone_surrogate(pos)
                self._escape = char
            elif self._escape == "\\":
                if char == "u":
                    self._escape += char
                elif char not in _SHORT_ESCAPES:
                    message = (
                        f'A backslash in a string escapes one of " \\ / b f n r t u, not '
                        f"{describe(char)}. Write two backslashes for one."
                    )
                    raise self._fault(pos, ("json-syntax", message))
                elif self._half:
                    raise self._lone_surrogate(pos)
                else:
                    self._escape = ""
            elif char in _HEX:
                self._escape += char
                if len(self._escape) == 6:
                    unit = int(self._escape.removeprefix("\\u"), 16)
                    if (0xDC00 <= unit <= 0xDFFF) != self._half:
                        raise self._lone_surrogate(pos)
                    self._half = 0xD800 <= unit <= 0xDBFF
                    self._escape = ""
            else:
                message = f"Expected four hexadecimal digits after \\u, but got {describe(char)}."
                raise self._fault(pos, ("json-syntax", message))
            pos += 1
            if not (self._escape or self._half):
                break
        return pos

    def _control(self, char: str, pos: int) -> Fault:
        message = (
            f"A string must not contain {describe(char)} unescaped. "
            "Escape control characters: \\n for a line feed, \\t for a tab."
        )
        return self._fault(pos, ("json-syntax", message))

    def _lone_surrogate(self, pos: int) -> Fault:
        message = (
            "An escape is half of a surrogate pair, without the other half. "
            "Write the character itself, or both halves."
        )
        return self._fault(pos, ("lone-surrogate", message))

    def _close_kept(self, value: str, pos: int) -> None:
        """Check a name, or a string that the shape needs, at its closing quote."""
        self._kept = None
        if "\\" in value:
            value = json.loads(f'"{value}"')
        if self._state is IN_NAME:
            self._take_name(value, pos)
            return
        if wrong := self._shape.check_string(self.count, self._steps[-1], value):
            raise self._fault(pos, wrong)
        self._state = self._after.after_string

    def _take_name(self, name: str, pos: int) -> None:
        names = self._names[-1]
        if names is None or name in names:
            message = f"The member {quote(name)} appears twice in one object; write it once."
            raise Fault("duplicate-key", pos, message, f"{self.path()}{pointer_step(name)}")
        names.add(name)
        self._member = name
        self._state = COLON
