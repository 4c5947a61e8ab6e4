# SPDX-License-Identifier: MIT
"""Reads JSON values as they arrive; it may stop anywhere, and continue in the next chunk.

The machine is a table (`states.py`).  The most frequent steps are in the loop, since a call for
each character would cost more than everything else.
"""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ....events import Limits
from ....text.wording import counted
from ..interface import Fault
from .scanner import FINITE_DIGITS
from .states import (
    BEGINS_VALUE,
    EXPONENT,
    FIRST_ITEM,
    FIRST_NAME,
    IN_NAME,
    IN_STRING,
    MEMBER,
    NAME,
    NEXT_ITEM,
    NEXT_MEMBER,
    NEXT_NAME,
    NEXT_VALUE,
    NUMBER,
    NUMBERS,
    SET_MEMBER,
    VALUE,
    Move,
    State,
)
from .strings import StringMachine

if TYPE_CHECKING:
    from ..format import Shape


class ValueMachine(StringMachine, ABC):
    """Reads the values of one block, whose elements have one shape."""

    __slots__ = ("_closer", "_limits", "_number", "_short", "_token", "closed")

    def __init__(self, shape: "Shape", closer: str, limits: Limits) -> None:
        super().__init__(shape)
        self._closer = closer
        self._limits = limits
        #: Whether the closer has been read, or the one element if elements are read one by one.
        self.closed = False

        # A number with at most this many characters is valid, unless it has an exponent.
        self._short = min(limits.digits, FINITE_DIGITS)
        # How many characters of the number being read are in earlier texts.
        self._number = 0

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        state = self._state
        if not state:
            pos = self._read_string(text, pos, end)
            if pos == end:
                return pos
            state = self._state
        begin = pos
        # Where the number being read begins, which may be before this text.
        number = pos - self._number
        steps = self._steps
        while pos < end:
            char = text[pos]
            step = state.get(char)
            if type(step) is State:
                state = step
            elif step is None:
                if not state.ends_number or pos - number > self._short:
                    self._leave(state, text, number, begin, pos)
                state = self._after
                continue
            elif type(step) is not int:
                self._state = state
                pos = step(self, text, pos, end)
                if self.closed:
                    return pos
                state = self._state
                continue
            elif step == SET_MEMBER:
                steps[-1] = self._member
                state = VALUE if len(steps) > 2 else MEMBER
            elif step == NUMBER:
                number = pos
                state = NUMBERS[char]
            elif step == NEXT_NAME:
                steps[-1] = None
                state = NAME
            elif step == NEXT_VALUE:
                steps[-1] += 1  # pyright: ignore[reportOperatorIssue] (an index)
                state = VALUE
            else:
                state = self._after
            pos += 1
        if state.is_number:
            self._keep_number(text, number, begin, pos)
        self._state = state
        return pos

    def _refusal(self, state: State, char: str, at: int) -> Fault:
        """Return the error of a character that is not allowed at this place."""
        from .words import refusal  # noqa: PLC0415 (most texts break no rule)

        return self._fault(at, refusal(state, char, self._shape, self._closer))

    # -- Other steps ------------------------------------------------------------------------

    def _open_name(self, text: str, pos: int, end: int) -> int:
        stop = text.find('"', pos + 1, end)
        if stop > 0 and (name := text[pos + 1 : stop]).isidentifier():
            # The whole name is there and needs no further check.
            self._take_name(name, stop)
            return stop + 1
        self._state = IN_NAME
        self._kept = []
        return self._read_string(text, pos + 1, end)

    def _open_string(self, text: str, pos: int, end: int) -> int:
        self._state = IN_STRING
        return self._read_string(text, pos + 1, end)

    def _open_object(self, _text: str, pos: int, _end: int) -> int:
        self._nest(pos)
        self._names.append(set())
        self._steps.append(None)
        self._after = NEXT_MEMBER
        self._state = FIRST_NAME
        return pos + 1

    def _open_array(self, _text: str, pos: int, _end: int) -> int:
        self._nest(pos)
        self._names.append(None)
        self._steps.append(0)
        self._after = NEXT_ITEM
        self._state = FIRST_ITEM
        return pos + 1

    def _close(self, text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            return self._close_element(text, pos)
        self._names.pop()
        self._steps.pop()
        self._state = self._after = NEXT_ITEM if self._names[-1] is None else NEXT_MEMBER
        return pos + 1

    @abstractmethod
    def _close_element(self, text: str, pos: int) -> int:
        """Read the brace at `pos`, which closes an element."""

    def _check_member(self, text: str, pos: int, _end: int) -> int:
        """Check the first character of a member's value, which is then read as any value."""
        member, char = self._steps[-1], text[pos]
        if wrong := self._shape.begins(member, char):
            raise self._fault(pos, wrong)
        if char == '"' and self._shape.keeps(member):
            self._kept = []
        self._state = VALUE
        return pos

    def _nest(self, pos: int) -> None:
        if len(self._names) >= self._limits.depth:
            message = (
                f"Values may be nested {self._limits.depth} deep; this is one level more. "
                "Nest less, or pass the value as JSON in a string where the tool accepts one."
            )
            raise self._fault(pos, ("limit-depth", message))

    # -- Numbers ----------------------------------------------------------------------------

    def _keep_number(self, text: str, number: int, begin: int, pos: int) -> None:
        """Keep the number that begins at `number`, before `begin` if an earlier text began it."""
        if number >= begin:
            self._token: list[str] = []
        self._token.append(text[max(number, begin) : pos])
        self._number = pos - number
        most = self._limits.digits
        if self._number > most:
            token = enumerate("".join(self._token), number)
            digits = [at for at, char in token if char.isdigit()]
            if len(digits) > most:
                message = (
                    f"A number has at most {counted(most, 'digit')}. "
                    "Write it as a string if it needs more."
                )
                raise self._fault(digits[most], ("limit-digits", message))

    def _leave(self, state: State, text: str, number: int, begin: int, pos: int) -> None:
        """Check a number that ends at `pos`, or raise the error of the character there."""
        char = text[pos]
        if state.is_number:
            self._keep_number(text, number, begin, pos)
            if state is EXPONENT or state.ends_number:
                state = self._after
        if char not in state:
            raise self._refusal(state, char, pos)
        if not math.isfinite(float("".join(self._token))):
            message = (
                "This number is beyond the range of a double. "
                "Write it as a string if this value is intended."
            )
            raise self._fault(pos, ("number-range", message))

    _OPENERS: ClassVar[dict[str, Move]] = {'"': _open_string, "{": _open_object, "[": _open_array}
    VALUE.enter(_OPENERS)
    FIRST_ITEM.enter({**_OPENERS, "]": _close})
    NEXT_ITEM.enter({"]": _close})
    FIRST_NAME.enter({'"': _open_name, "}": _close})
    NAME.enter({'"': _open_name})
    NEXT_MEMBER.enter({"}": _close})
    MEMBER.enter({BEGINS_VALUE: _check_member})
