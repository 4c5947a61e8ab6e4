# SPDX-License-Identifier: MIT
"""Reads JSON values as they arrive; it may stop anywhere, and go on in the next chunk.

The machine is a table (`states.py`).  What is longer than one character (a string, a number, a
literal) is read by the function in `_resume`.
"""

import math
import re
from typing import ClassVar, Final

from ....events import WHITE, Limits
from ....text.scan import WHITE_RUN, jump
from ....text.wording import counted, describe
from ..interface import Fault
from .scanner import FINITE_DIGITS
from .shapes import Shape
from .states import (
    BEGINS_VALUE,
    COLON,
    ELEMENT,
    FIRST_ELEMENT,
    FIRST_ITEM,
    FIRST_NAME,
    HINTS,
    NAME,
    NEXT_ELEMENT,
    NEXT_ITEM,
    NEXT_MEMBER,
    PAYLOAD,
    START,
    VALUE,
    Move,
    enter,
)
from .strings import StringMachine

_DIGITS: Final = re.compile("[0-9]*")
#: Where a number stands → what each character leads to; runs of digits are jumped over.
_NUMBER_MOVES: Final[dict[str, dict[str, str]]] = {
    "minus": {"0": "zero", **dict.fromkeys("123456789", "integer")},
    "zero": {".": "point", "e": "e", "E": "e"},
    "integer": {".": "point", "e": "e", "E": "e"},
    "point": dict.fromkeys("0123456789", "fraction"),
    "fraction": {"e": "e", "E": "e"},
    "e": {"+": "sign", "-": "sign", **dict.fromkeys("0123456789", "exponent")},
    "sign": dict.fromkeys("0123456789", "exponent"),
    "exponent": {},
}
_NUMBER_RUNS: Final = frozenset({"integer", "fraction", "exponent"})
_NUMBER_ENDS: Final = _NUMBER_RUNS | {"zero"}

_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}


class ValueMachine(StringMachine):
    """Reads the values of one block, which are of one shape."""

    __slots__ = (
        "_closer",
        "_digits",
        "_limits",
        "_matched",
        "_number",
        "_token",
        "_word",
        "closed",
    )

    def __init__(self, shape: Shape, closer: str, limits: Limits) -> None:
        super().__init__(shape)
        self._closer = closer
        self._limits = limits
        #: Whether the closer has been read, or the one element that was asked for.
        self.closed = False

        # The number or fixed word being read.
        self._token: list[str] = []
        self._number = ""
        self._digits = 0
        self._word = ""
        self._matched = 0

    # -- The loop ---------------------------------------------------------------------------

    def _advance(self, text: str, pos: int, end: int) -> int:
        while pos < end and not self.closed:
            resume = self._resume
            if resume is not None:
                pos = resume(self, text, pos, end)
                continue
            char = text[pos]
            move = self._state.get(char)
            if move is None:
                raise self._refusal(char, pos)
            pos = move(self, text, pos, end)
        return pos

    def _refusal(self, char: str, at: int) -> Fault:
        """Return the error of a character that no value, or no such value, may begin with."""
        state = self._state
        if state.is_element and char in BEGINS_VALUE:
            message = (
                f"{self._shape.single} is {self._shape.example}, "
                f"but {describe(char)} begins another value."
            )
            return self._fault(at, ("not-object", message))
        message = f"Expected {state.expected}, but got {describe(char)}. {self._hint(char)}"
        return self._fault(at, (state.code, message.rstrip()))

    def _hint(self, char: str) -> str:
        """Say what was probably meant."""
        state = self._state
        if state is START:
            return f"A block is [{self._shape.example}, …]."
        if state is PAYLOAD:
            # The closer of a payload is the marker of the next.
            return f"Write {self._closer} {self._shape.example}."
        if (state is NAME or state is ELEMENT) and char in "}]":
            return "JSON has no trailing comma."
        behind = state is NEXT_MEMBER or state is NEXT_ITEM
        if behind and self._after_string and char not in '{}[]:"':
            return 'A double quote inside a string is written \\".'
        return HINTS.get(char, "")

    # -- Between tokens ---------------------------------------------------------------------

    def _skip_white(self, text: str, pos: int, end: int) -> int:
        after = pos + 1
        if after == end or text[after] not in WHITE:
            return after
        return jump(WHITE_RUN, text, after, end)

    def _open_object(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value("{", pos)
        self._nest(pos)
        self._names.append(set())
        self._steps.append(None)
        self._state = FIRST_NAME
        return pos + 1

    def _open_array(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value("[", pos)
        self._nest(pos)
        self._names.append(None)
        self._steps.append(0)
        self._state = FIRST_ITEM
        return pos + 1

    def _nest(self, pos: int) -> None:
        if len(self._names) >= self._limits.depth:
            message = (
                f"Values may be nested {self._limits.depth} deep; this is one level more. "
                "Nest less, or pass the value as JSON in a string where the tool takes one."
            )
            raise self._fault(pos, ("limit-depth", message))

    # Most often one space follows a comma or a colon; it is not worth a move of its own.

    def _next_item(self, text: str, pos: int, end: int) -> int:
        self._steps[-1] += 1
        self._state = VALUE
        return pos + 1 + text.startswith(" ", pos + 1, end)

    def _next_member(self, text: str, pos: int, end: int) -> int:
        self._steps[-1] = None
        self._state = NAME
        return pos + 1 + text.startswith(" ", pos + 1, end)

    # -- Numbers ----------------------------------------------------------------------------

    def _open_number(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if len(self._names) == 2:
            self._begin_member_value(char, pos)
        self._token = [char]
        self._digits = int(char != "-")
        self._number = {"-": "minus", "0": "zero"}.get(char, "integer")
        self._resume = ValueMachine._read_number
        return self._read_number(text, pos + 1, end)

    def _read_number(self, text: str, pos: int, end: int) -> int:
        begin = pos
        while pos < end:
            if self._number in _NUMBER_RUNS:
                run = jump(_DIGITS, text, pos, end)
                self._count_digits(run - pos, run)
                pos = run
                if pos == end:
                    break
            stage = _NUMBER_MOVES[self._number].get(text[pos])
            if stage is None:
                return self._close_number(text[begin:pos], text[pos], pos)
            self._number = stage
            pos += 1
            self._count_digits(int(text[pos - 1] in "0123456789"), pos)
        self._token.append(text[begin:pos])
        return pos

    def _count_digits(self, count: int, pos: int) -> None:
        self._digits += count
        surplus = self._digits - self._limits.digits
        if surplus > 0:
            message = (
                f"A number has at most {counted(self._limits.digits, 'digit')}. "
                "Write it as a string if it needs more."
            )
            raise self._fault(pos - surplus, ("limit-digits", message))

    def _close_number(self, rest: str, char: str, pos: int) -> int:
        if self._number not in _NUMBER_ENDS:
            message = f"Expected a digit, but got {describe(char)}."
            raise self._fault(pos, ("json-syntax", message))
        self._resume = None
        self._end_value()
        if char not in self._state:
            raise self._refusal(char, pos)
        if self._number == "exponent" or self._digits > FINITE_DIGITS:
            token = "".join(self._token) + rest
            if not math.isfinite(float(token)):
                message = (
                    "This number is beyond the range of a double. "
                    "Write it as a string if it is meant so."
                )
                raise self._fault(pos, ("number-range", message))
        return pos

    # -- Fixed words --------------------------------------------------------------------------

    def _open_literal(self, text: str, pos: int, end: int) -> int:
        if len(self._names) == 2:
            self._begin_member_value(text[pos], pos)
        self._word = _LITERALS[text[pos]]
        self._matched = 1
        self._resume = ValueMachine._read_literal
        return self._read_literal(text, pos + 1, end)

    def _read_literal(self, text: str, pos: int, end: int) -> int:
        pos = self._match(self._word, text, pos, end)
        if pos < end and self._matched < len(self._word):
            message = f"Expected {self._word}, but got {describe(text[pos])} in it."
            raise self._fault(pos, ("json-syntax", message))
        if self._matched == len(self._word):
            self._resume = None
            self._end_value()
        return pos

    def _match(self, word: str, text: str, pos: int, end: int) -> int:
        """Pass as much of what is left of `word` as there is at `pos`."""
        stop = min(end, pos + len(word) - self._matched)
        while pos < stop and text[pos] == word[self._matched]:
            self._matched += 1
            pos += 1
        return pos

    # -- The table --------------------------------------------------------------------------

    _VALUES: ClassVar[dict[str, Move]] = {
        '"': StringMachine._open_string,
        "{": _open_object,
        "[": _open_array,
        "-0123456789": _open_number,
        "tfn": _open_literal,
    }

    enter(FIRST_NAME, {WHITE: _skip_white, '"': StringMachine._open_name})
    enter(NAME, {WHITE: _skip_white, '"': StringMachine._open_name})
    enter(COLON, {WHITE: _skip_white, ":": StringMachine._begin_member})
    enter(VALUE, {WHITE: _skip_white, **_VALUES})
    enter(FIRST_ITEM, {WHITE: _skip_white, **_VALUES})
    enter(NEXT_MEMBER, {WHITE: _skip_white, ",": _next_member})
    enter(NEXT_ITEM, {WHITE: _skip_white, ",": _next_item})
    enter(START, {WHITE: _skip_white})
    enter(PAYLOAD, {WHITE: _skip_white})
    enter(FIRST_ELEMENT, {WHITE: _skip_white})
    enter(ELEMENT, {WHITE: _skip_white})
    enter(NEXT_ELEMENT, {WHITE: _skip_white})
