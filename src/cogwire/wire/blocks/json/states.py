# SPDX-License-Identifier: MIT
"""The states of reading JSON: which characters each allows, and what each of them leads to.

A character leads to another state, or to a step of the machine.  The most frequent steps are
integers, which the loop in `machine.py` handles itself; the others are methods.  A character that
leads nowhere is an error, so that an error is raised at the first character that cannot be valid.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from ....events import Code
from ....text.scan import WHITE, WHITE_RUN, jump

#: A step of the machine: takes the text, a place in it and its end, and returns where reading
#: continues.
Move = Callable[[Any, str, int, int], int]

#: The steps that the loop handles itself; the last one, at the end of a literal, ends a value.
SET_MEMBER, NUMBER, NEXT_NAME, NEXT_VALUE, END_VALUE = range(5)


class State(dict[str, Any]):
    """One state: the characters that it allows, and what each of them leads to."""

    def __init__(
        self, expected: str, code: Code = "json-syntax", *, is_element: bool = False
    ) -> None:
        super().__init__()
        #: What is expected here, for messages.
        self.expected = expected
        self.code: Code = code
        #: Whether an element is expected here, so that any other value has the wrong shape.
        self.is_element = is_element
        #: Whether this is inside a number, a literal or a closer, where no hint helps.
        self.is_token = False
        self.is_number = False
        #: Whether a number that ends here is certain to be finite, unless it is very long.
        self.ends_number = False
        #: The same state after a string, and whether this is such a state.
        self.after_string = self
        self.is_after_string = False

    def enter(self, steps: Mapping[str, "State | Move | int"]) -> None:
        """Add steps, each for all characters of its key."""
        for chars, step in steps.items():
            self.update(dict.fromkeys(chars, step))
            self.after_string.update(dict.fromkeys(chars, step))


def _place(expected: str, code: Code = "json-syntax", *, is_element: bool = False) -> State:
    """Return a state between tokens."""
    state = State(expected, code, is_element=is_element)
    # A line end is usually followed by more white space.
    state.enter({WHITE: state, "\n": _skip_white})
    return state


def _skip_white(_machine: Any, text: str, pos: int, end: int) -> int:
    return jump(WHITE_RUN, text, pos, end)


def _after_value(expected: str) -> State:
    """Return a state with a twin after strings, which models often close too early."""
    state, state.after_string = _place(expected), _place(expected)
    state.after_string.is_after_string = True
    return state


START: Final = _place('"[" and an array', "not-array")
PAYLOAD: Final = _place("an object", is_element=True)
FIRST_ELEMENT: Final = _place("an object or the end of the array", is_element=True)
ELEMENT: Final = _place("an object", is_element=True)
NEXT_ELEMENT: Final = _place('"," or "]"')
FIRST_NAME: Final = _place('a member name in double quotes or "}"')
NAME: Final = _place("a member name in double quotes")
COLON: Final = _place('":"')
#: The value of a member of an element, whose first character the shape checks.
MEMBER: Final = _place("a value")
VALUE: Final = _place("a value")
FIRST_ITEM: Final = _place('a value or "]"')
NEXT_MEMBER: Final = _after_value('"," or "}"')
NEXT_ITEM: Final = _after_value('"," or "]"')
#: Strings are not read by the table.
IN_NAME: Final = State("a string")
IN_STRING: Final = State("a string")


def _number_state(*, ends: bool = False) -> State:
    state = State("a digit")
    state.is_token = state.is_number = True
    state.ends_number = ends
    return state


_MINUS, _POINT, _E, _SIGN = (_number_state() for _ in range(4))
_ZERO, _INTEGER, _FRACTION = (_number_state(ends=True) for _ in range(3))
#: With an exponent, a number may be too large however short it is.
EXPONENT: Final = _number_state()
_NONZERO: Final = "123456789"
_DIGITS: Final = "0123456789"
_MINUS.enter({"0": _ZERO, _NONZERO: _INTEGER})
_ZERO.enter({".": _POINT, "eE": _E})
_INTEGER.enter({_DIGITS: _INTEGER, ".": _POINT, "eE": _E})
_POINT.enter({_DIGITS: _FRACTION})
_FRACTION.enter({_DIGITS: _FRACTION, "eE": _E})
_E.enter({"+-": _SIGN, _DIGITS: EXPONENT})
_SIGN.enter({_DIGITS: EXPONENT})
EXPONENT.enter({_DIGITS: EXPONENT})
#: The state after the first character of a number.
NUMBERS: Final = {"-": _MINUS, "0": _ZERO, **dict.fromkeys(_NONZERO, _INTEGER)}


def _spelling(word: str, end: Move | int, whole: str, code: Code = "json-syntax") -> State:
    """Return the state before `word`, the rest of `whole`; `end` is the last step."""
    state = State(whole, code)
    state.is_token = True
    state[word[0]] = _spelling(word[1:], end, whole, code) if word[1:] else end
    return state


@functools.cache
def closer_state(closer: str, end: Move) -> State:
    """Return the state after the array, which allows only `closer`; `end` is its last step."""
    state = _place(closer, "trailing-text")
    state.update(_spelling(closer, end, closer, "trailing-text"))
    return state


BEGINS_VALUE: Final = '{["-0123456789tfn'
for _state in (VALUE, FIRST_ITEM):
    _state.enter({"-0123456789": NUMBER})
    for _word in ("true", "false", "null"):
        _state.enter({_word[0]: _spelling(_word[1:], END_VALUE, _word)})
COLON.enter({":": SET_MEMBER})
NEXT_MEMBER.enter({",": NEXT_NAME})
NEXT_ITEM.enter({",": NEXT_VALUE})
