# SPDX-License-Identifier: MIT
"""The states of reading JSON: what is expected in each, and the messages for what is not allowed.

What each character leads to is in the table at the end of `json_reader.py`, whose steps it names.
"""

from collections.abc import Mapping
from typing import Any, Final

from ...events import Code
from ...text import WHITE, WHITE_RUN, counted, describe, jump
from .interface import Step, Wrong

BEGINS_VALUE: Final = '{["-0123456789tfn'


def _skip_white(_reader: Any, text: str, pos: int, end: int) -> int:
    # A line end is usually followed by more white space.
    return jump(WHITE_RUN, text, pos, end)


class JsonState(dict[str, Any]):
    """One state: the characters that it allows, and what each of them leads to.

    A character leads to another state, or to a step of the reader.  The most frequent steps are
    integers, which the loop of the reader handles itself; the others are methods.  A character that
    leads nowhere is an error, so that an error is raised at the first character that cannot be
    valid.
    """

    def __init__(
        self,
        expected: str,
        code: Code = "json-syntax",
        *,
        is_element: bool = False,
        is_token: bool = False,
    ) -> None:
        super().__init__({} if is_token else {**dict.fromkeys(WHITE, self), "\n": _skip_white})
        #: What is expected here, for messages.
        self.expected = expected
        self.code: Code = code
        #: Whether an element is expected here, so that any other value has the wrong shape.
        self.is_element = is_element
        #: Whether this is inside a token, where white space is not skipped, and no hint helps.
        self.is_token = is_token
        self.is_number = False
        #: Whether a number that ends here is certain to be finite, unless it is very long.
        self.ends_number = False
        #: The same state after a string, and whether this is such a state.
        self.after_string = self
        self.is_after_string = False

    def enter(self, steps: Mapping[str, "JsonState | Step | int"]) -> None:
        """Add steps, each for all characters of its key."""
        for chars, step in steps.items():
            self.update(dict.fromkeys(chars, step))
            self.after_string.update(dict.fromkeys(chars, step))


def _after_value(expected: str) -> JsonState:
    """Return a state with a twin after strings, which models often close too early."""
    state, state.after_string = JsonState(expected), JsonState(expected)
    state.after_string.is_after_string = True
    return state


def _number_state(*, ends: bool = False) -> JsonState:
    state = JsonState("a digit", is_token=True)
    state.is_number = True
    state.ends_number = ends
    return state


def spelling(word: str, end: Step | int, whole: str, code: Code = "json-syntax") -> JsonState:
    """Return the state before `word`, the rest of `whole`; `end` is the last step."""
    state = JsonState(whole, code, is_token=True)
    state[word[0]] = spelling(word[1:], end, whole, code) if word[1:] else end
    return state


START: Final = JsonState('"[" and an array', "not-array")
PAYLOAD: Final = JsonState("an object", is_element=True)
FIRST_ELEMENT: Final = JsonState("an object or the end of the array", is_element=True)
ELEMENT: Final = JsonState("an object", is_element=True)
NEXT_ELEMENT: Final = JsonState('"," or "]"')
FIRST_NAME: Final = JsonState('a member name in double quotes or "}"')
NAME: Final = JsonState("a member name in double quotes")
COLON: Final = JsonState('":"')
#: The value of a member of an element, whose first character the shape checks.
MEMBER: Final = JsonState("a value")
VALUE: Final = JsonState("a value")
FIRST_ITEM: Final = JsonState('a value or "]"')
NEXT_MEMBER: Final = _after_value('"," or "}"')
NEXT_ITEM: Final = _after_value('"," or "]"')
#: Strings are not read by the table.
IN_NAME: Final = JsonState("a string", is_token=True)
IN_STRING: Final = JsonState("a string", is_token=True)

#: A number, from before its first character on.
NUMBER, _MINUS, _POINT, _E, _SIGN = (_number_state() for _ in range(5))
_ZERO, _INTEGER, _FRACTION = (_number_state(ends=True) for _ in range(3))
#: With an exponent, a number may be too large however short it is.
EXPONENT: Final = _number_state()
_DIGITS: Final = "0123456789"
NUMBER.enter({"-": _MINUS, "0": _ZERO, _DIGITS[1:]: _INTEGER})
_MINUS.enter({"0": _ZERO, _DIGITS[1:]: _INTEGER})
_ZERO.enter({".": _POINT, "eE": _E})
_INTEGER.enter({_DIGITS: _INTEGER, ".": _POINT, "eE": _E})
_POINT.enter({_DIGITS: _FRACTION})
_FRACTION.enter({_DIGITS: _FRACTION, "eE": _E})
_E.enter({"+-": _SIGN, _DIGITS: EXPONENT})
_SIGN.enter({_DIGITS: EXPONENT})
EXPONENT.enter({_DIGITS: EXPONENT})

# -- Messages -------------------------------------------------------------------------------------


def control_character(char: str) -> Wrong:
    """Return the error of a control character in a string."""
    return "json-syntax", (
        f"A string must not contain {describe(char)} unescaped. "
        "Escape control characters: \\n for a line feed, \\t for a tab."
    )


def no_escape(char: str, *, is_hex: bool) -> Wrong:
    """Return the error of `char` after a backslash, or among the digits of an escape."""
    if is_hex:
        message = f"Expected four hexadecimal digits after \\u, but got {describe(char)}."
    else:
        message = (
            f'A backslash in a string escapes one of " \\ / b f n r t u, not {describe(char)}. '
            "Write two backslashes for one."
        )
    return "json-syntax", message


LONE_SURROGATE: Final[Wrong] = (
    "lone-surrogate",
    (
        "An escape is half of a surrogate pair, without the other half. "
        "Write the character itself, or both halves."
    ),
)
OUT_OF_RANGE: Final[Wrong] = (
    "number-range",
    "This number is beyond the range of a double. Write it as a string if this value is intended.",
)


def too_long(digits: int) -> Wrong:
    """Return the error of a number with more than so many `digits`."""
    return "limit-digits", (
        f"A number has at most {counted(digits, 'digit')}. Write it as a string if it needs more."
    )


def too_deep(depth: int) -> Wrong:
    """Return the error of a value that is nested more than `depth` deep."""
    return "limit-depth", (
        f"Values may be nested {depth} deep; this is one level more. "
        "Nest less, or pass the value as JSON in a string where the tool accepts one."
    )
