# SPDX-License-Identifier: MIT
"""Reads a block that is a JSON array of objects, and then a closer.

Elements that are whole in the chunk are first offered to the C scanner (`scanner.py`), which may
only accept: the machine reads whatever the scanner does not prove to be valid.
"""

import functools
import re
from typing import TYPE_CHECKING, ClassVar, Final

from ....events import Event, Limits
from ....text.scan import WHITE, WHITE_RUN, jump
from ....text.wording import counted
from ..interface import Fault, ReadCall
from .machine import ValueMachine
from .scanner import scanner_of
from .states import ELEMENT, FIRST_ELEMENT, NEXT_ELEMENT, PAYLOAD, START, closer_state

if TYPE_CHECKING:
    from ..format import Shape

#: The shortest piece for which the C scanner is worth trying.
_WORTH_OFFERING: Final = 24

#: The beginning of an array, through the first character of its first element, if it is there.
_FIRST: Final = re.compile(rf"[{WHITE}]*\[(?:[{WHITE}]*\{{)?")
#: The text between two elements of an array, through the first character of the second.
_COMMA: Final = re.compile(f"[{WHITE}]*,[{WHITE}]*\\{{")


@functools.cache
def _last(closer: str) -> re.Pattern[str]:
    """Return the text after the last element of an array, through `closer`."""
    return re.compile(rf"[{WHITE}]*\][{WHITE}]*{re.escape(closer)}")


class ArrayReader(ValueMachine):
    """Reads one block; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = ("_first", "_from", "_is_asked", "_pieces", "_room", "found")

    #: Whether reading stops after each element, and continues when the next one is opened.
    _is_single: ClassVar[bool] = False
    #: The text between two elements that the C scanner may read at once.
    _between: re.Pattern[str] = _COMMA

    #: The message of a block that exceeds the limit `size`.
    _full = "A block may contain at most {}. Send less at once, or in several blocks."

    def __init__(self, shape: "Shape", closer: str, limits: Limits) -> None:
        super().__init__(shape, closer, limits)
        #: The elements that the last `read` completed.
        self.found: list[ReadCall] = []

        # How many more characters the block may contain.
        self._room = limits.size

        # The text of the block, of which `_first` pieces come before the open element.  The part of
        # the current text from `_from` on has not been added yet.
        self._pieces: list[str] = []

    # -- What the parser uses ---------------------------------------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the closer.

        Raises `Fault` at the first character that breaks a rule; `found` contains the calls before.
        """
        if self.found:
            self.found = []
        self._from = pos
        # Whether the C scanner has been asked for elements of this text.
        self._is_asked = False
        self.in_body = False
        if end - pos <= self._room:
            at = self._advance(text, pos, end)
            self._room -= at - pos
        else:
            stop = pos + self._room
            at = self._advance(text, pos, stop)
            self._room -= at - pos
            if at == stop and not self.closed:
                at = self._cross_limit(text, at, end)
        if not self.closed or self._is_single or self._shape.is_quoted:
            self._pieces.append(text[self._from : at])
        self._from = at
        return at

    def extend(self, chunk: str, _base: int, _now: float | None) -> list[Event] | None:
        """Take `chunk`, which begins inside a string, if all of it continues the string."""
        size = len(chunk)
        if '"' in chunk or "\\" in chunk or not chunk.isprintable() or size > self._room:
            return None
        self._pieces.append(chunk)
        self._room -= size
        return []

    @property
    def tools(self) -> list[str]:
        """The tools of the elements so far, in order."""
        return self._shape.tools

    def text(self) -> str:
        """Return the text of the block so far; it is complete only if the shape `is_quoted`."""
        return "".join(self._pieces)

    def unread(self, _text: str, _at: int) -> str:
        """Return nothing: in JSON, no closer can begin before the offending character."""
        return ""

    def _cross_limit(self, text: str, pos: int, end: int) -> int:
        """Continue when the block is full: only the closer may follow."""
        if not self._in_closer():
            path, count = self.path(), len(self.found)
            pos = self._advance(text, pos, pos + 1)
            if not self._in_closer():
                del self.found[count:]
                message = self._full.format(counted(self._limits.size, "character"))
                raise Fault("limit-size", pos - 1, message, path)
        return self._advance(text, pos, end)

    def _in_closer(self) -> bool:
        return self._state.is_token and self._state.code == "trailing-text"

    # -- Elements ---------------------------------------------------------------------------

    def _open_block(self, text: str, pos: int, end: int) -> int:
        first = _FIRST.match(text, pos, end)
        if first is None:
            return jump(WHITE_RUN, text, pos, end)
        self._names.append(None)
        self._steps.append(0)
        self._state = FIRST_ELEMENT
        at = first.end()
        return self._open_element(text, at - 1, end) if text[at - 1] == "{" else at

    def _open_element(self, text: str, pos: int, end: int) -> int:
        if self.count >= self._shape.capacity:
            raise self._fault(pos, self._shape.surplus())
        if end - pos > _WORTH_OFFERING and not self._is_asked:
            self._is_asked = True
            after = self._offer(text, pos, end)
            if after != pos:
                return after
        self._pieces.append(text[self._from : pos])
        self._first = len(self._pieces)
        self._from = pos
        return self._open_object(text, pos, end)

    def _close_element(self, text: str, pos: int) -> int:
        self._steps[-1] = None
        if wrong := self._shape.ends(self._names[-1] or set()):
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        content = "".join(self._pieces[self._first :]) + text[self._from : pos + 1]
        self._pieces[self._first :] = [content]
        self._from = pos + 1
        self.found.append((content, pos + 1 - len(content), pos + 1))
        self.count += 1
        self.closed = self._is_single
        self._state = self._after = NEXT_ELEMENT
        return pos + 1

    def _close_array(self, text: str, pos: int, end: int) -> int:
        if wrong := self._shape.ends_array(self.count):
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        self._state = closer_state(self._closer, ArrayReader._close_block)
        last = _last(self._closer).match(text, pos, end)
        self.closed = last is not None
        return last.end() if last else pos + 1

    def _next_element(self, _text: str, pos: int, _end: int) -> int:
        self._steps[-1] += 1
        self._state = ELEMENT
        return pos + 1

    def _close_block(self, _text: str, pos: int, _end: int) -> int:
        self.closed = True
        return pos + 1

    # -- The C scanner ----------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Let the C scanner read elements from `pos` on, and return where the last one ends."""
        # A slice, because an error of the scanner counts the lines before it.
        source = text[pos : self._bound(text, pos, end)]
        if "}" not in source:
            return pos
        scanner = scanner_of(self._limits)
        found = scanner.read(source, pos, self._between, self._shape, self.count)
        if not found:
            return pos
        self.found += found
        self.count += len(found)
        self._steps[0] = self.count - 1
        self._state = NEXT_ELEMENT
        at = found[-1][2]
        self.closed = self._is_single
        last = None if self.closed else _last(self._closer).match(text, at, end)
        if last and not self._shape.ends_array(self.count):
            self.closed = True
            at = last.end()
        return at

    def _bound(self, text: str, pos: int, end: int) -> int:
        """Return how far the scanner may look, which bounds the cost of a failed attempt."""
        closer = text.find(self._closer, pos, end)
        return end if closer < 0 else closer

    START.enter({"[\n": _open_block})
    PAYLOAD.enter({"{": _open_element})
    FIRST_ELEMENT.enter({"{": _open_element, "]": _close_array})
    ELEMENT.enter({"{": _open_element})
    NEXT_ELEMENT.enter({",": _next_element, "]": _close_array})
