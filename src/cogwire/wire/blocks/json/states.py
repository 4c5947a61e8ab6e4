# SPDX-License-Identifier: MIT
"""The places in a JSON text: which characters may come there, and the move each of them makes.

A character without a move is the error, so that an error comes at the first character that has no
valid continuation.
"""

from collections.abc import Callable
from typing import Any, Final

from ....events import Code

#: A step of the machine: it is given the text, a place in it and its end, and returns where reading
#: goes on.
Move = Callable[[Any, str, int, int], int]


class State(dict[str, Move]):
    """One place in the array: the move of each character that may come there."""

    def __init__(
        self, expected: str, code: Code = "json-syntax", *, is_element: bool = False
    ) -> None:
        super().__init__()
        self.expected = expected
        self.code: Code = code
        #: Whether what is due here is an element, so that another value is of a wrong shape.
        self.is_element = is_element


START: Final = State('"[" and an array', "not-array")
PAYLOAD: Final = State("an object", is_element=True)
FIRST_ELEMENT: Final = State("an object or the end of the array", is_element=True)
ELEMENT: Final = State("an object", is_element=True)
NEXT_ELEMENT: Final = State('"," or "]"')
FIRST_NAME: Final = State('a member name in double quotes or "}"')
NAME: Final = State("a member name in double quotes")
COLON: Final = State('":"')
VALUE: Final = State("a value")
FIRST_ITEM: Final = State('a value or "]"')
NEXT_MEMBER: Final = State('"," or "}"')
NEXT_ITEM: Final = State('"," or "]"')

BEGINS_VALUE: Final = frozenset('{["-0123456789tfn')

#: What was probably meant by a character that may not come where it does.
HINTS: Final = {
    "'": "JSON strings stand in double quotes.",
    "“": "JSON strings stand in straight double quotes.",
    "/": "JSON has no comments.",
    "#": "JSON has no comments.",
    "N": "JSON has no NaN and no None; write null.",
    "T": "JSON writes true in small letters.",
    "F": "JSON writes false in small letters.",
    "I": "JSON has no Infinity.",
    "}": "Was a comma, a colon or a value left out or too many?",
    "]": "Was a comma, a brace or a value left out or too many?",
    "<": "The block goes on until its array is closed.",
    "+": "JSON numbers begin with a digit or a minus sign.",
    ".": "JSON numbers begin with a digit or a minus sign.",
}


def enter(state: State, moves: dict[str, Move]) -> None:
    """Write the moves of one state, each for all of its characters."""
    for chars, move in moves.items():
        state.update(dict.fromkeys(chars, move))
