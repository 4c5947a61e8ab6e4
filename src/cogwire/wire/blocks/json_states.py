# SPDX-License-Identifier: MIT
"""The states of reading JSON: what is expected in each, and the messages for what is not allowed.

What each character leads to is in the table at the end of `json_reader.py`, whose steps it names.
Here are the states inside numbers, strings and literals, which lead to each other.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ...events import Code
from ...text import WHITE, counted, describe
from .interface import Step, Wrong

BEGINS_VALUE: Final = '{["-0123456789tfn'
_DIGITS: Final = "0123456789"
_HEX: Final = "0123456789abcefABCEF"
_D: Final = "dD"
_SHORT_ESCAPES: Final = '"\\/bfnrt'

#: Where a line end leads, which more white space usually follows.
SKIP_WHITE: Final = "skip"


class JsonState(dict[str, Any]):
    """One state: the characters that it allows, and where each of them leads.

    A character leads to another state, or to a step of the reader.  A character that leads nowhere
    is an error, unless it continues a string or ends a number; so an error is raised at the first
    character that cannot be valid.
    """

    __slots__ = (
        *("after", "code", "ends_number", "escape", "expected", "is_element", "is_kept"),
        *("is_token", "refuse"),
    )

    def __init__(
        self,
        expected: str,
        code: Code = "json-syntax",
        *,
        is_element: bool = False,
        is_token: bool = False,
        is_kept: bool = False,
        refuse: Callable[[str], Wrong] | None = None,
    ) -> None:
        super().__init__({} if is_token else {**dict.fromkeys(WHITE, self), "\n": SKIP_WHITE})
        #: What is expected here, for messages, or what makes the error of a character instead.
        self.expected = expected
        self.code: Code = code
        self.refuse = refuse
        #: Whether an element is expected here, so that any other value has the wrong shape.
        self.is_element = is_element
        #: Whether this is inside a token, where white space is not skipped, and no hint helps.
        self.is_token = is_token
        #: Whether the reader needs the text of this token at its end: a number, or some strings.
        self.is_kept = is_kept
        #: The state after the value that is expected here, or after a number that may end here.
        self.after: JsonState = self
        #: Whether such a number is certain to be finite, unless it is very long.
        self.ends_number = False
        #: Inside a string, the state after a backslash.
        self.escape: JsonState | None = None

    def enter(self, steps: "Mapping[str, JsonState | Step]") -> None:
        """Add steps, each for all characters of its key."""
        for chars, step in steps.items():
            self.update(dict.fromkeys(chars, step))


def spelling(word: str, end: JsonState | Step, whole: str, code: Code = "json-syntax") -> JsonState:
    """Return the state before `word`, the rest of `whole`; its end leads to `end`."""
    state = JsonState(whole, code, is_token=True)
    state[word[0]] = spelling(word[1:], end, whole, code) if word[1:] else end
    return state


def number(after: JsonState) -> JsonState:
    """Return the state before a number, after which `after` follows."""
    state, minus, point, e, sign, zero, integer, fraction, exponent = (
        JsonState("a digit", is_token=True, is_kept=True) for _ in range(9)
    )
    # With an exponent, a number may be too large however short it is.
    for last in (zero, integer, fraction, exponent):
        last.after = after
        last.ends_number = last is not exponent
    state.enter({"-": minus, "0": zero, _DIGITS[1:]: integer})
    minus.enter({"0": zero, _DIGITS[1:]: integer})
    zero.enter({".": point, "eE": e})
    integer.enter({_DIGITS: integer, ".": point, "eE": e})
    point.enter({_DIGITS: fraction})
    fraction.enter({_DIGITS: fraction, "eE": e})
    e.enter({"+-": sign, _DIGITS: exponent})
    sign.enter({_DIGITS: exponent})
    exponent.enter({_DIGITS: exponent})
    return state


def string(end: JsonState | Step, *, is_kept: bool = False) -> JsonState:
    """Return the state inside a string, whose closing quote leads to `end`.

    The states of its escapes say which halves of surrogate pairs follow each other.
    """

    def inside(refuse: Callable[[str], Wrong]) -> JsonState:
        return JsonState("a string", is_token=True, is_kept=is_kept, refuse=refuse)

    def digits(count: int, last: JsonState) -> JsonState:
        """Return the state before `count` hexadecimal digits; `last` follows them."""
        for _ in range(count):
            state = inside(no_digit)
            state.enter({_HEX + _D: last})
            last = state
        return last

    inner, escape = inside(control_character), inside(no_escape)
    inner.enter({'"': end})
    inner.escape = escape
    pair = inside(lambda char: control_character(char) if char < " " else LONE_SURROGATE)
    second = inside(lambda char: LONE_SURROGATE if char in _SHORT_ESCAPES else no_escape(char))
    alone = inside(lambda char: LONE_SURROGATE if char in _HEX + _D else no_digit(char))
    unit, unit_d = inside(no_digit), inside(no_digit)
    escape.enter({_SHORT_ESCAPES: inner, "u": unit})
    unit.enter({_HEX: digits(3, inner), _D: unit_d})
    unit_d.enter({"01234567": digits(2, inner), "89abAB": digits(2, pair)})
    unit_d.enter({"cdefCDEF": digits(1, alone)})
    # The second half of a pair; any other digits are an error at the last one.
    unit, unit_d = inside(no_digit), inside(no_digit)
    pair.enter({"\\": second})
    second.enter({"u": unit})
    unit.enter({_HEX: digits(2, alone), _D: unit_d})
    unit_d.enter({"cdefCDEF": digits(2, inner), _DIGITS + "abAB": digits(1, alone)})
    return inner


START: Final = JsonState('"[" and an array', "not-array")
PAYLOAD: Final = JsonState("an object", is_element=True)
NEXT_ELEMENT: Final = JsonState('"," or "]"')

# -- Messages -------------------------------------------------------------------------------------


def control_character(char: str) -> Wrong:
    """Return the error of a control character in a string."""
    return "json-syntax", (
        f"A string must not contain {describe(char)} unescaped. "
        "Escape control characters: \\n for a line feed, \\t for a tab."
    )


def no_escape(char: str) -> Wrong:
    """Return the error of `char` after a backslash."""
    return "json-syntax", (
        f'A backslash in a string escapes one of " \\ / b f n r t u, not {describe(char)}. '
        "Write two backslashes for one."
    )


def no_digit(char: str) -> Wrong:
    """Return the error of `char` among the digits of an escape."""
    message = f"Expected four hexadecimal digits after \\u, but got {describe(char)}."
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
    """Return the error of a number with more than `digits` digits."""
    return "limit-digits", (
        f"A number has at most {counted(digits, 'digit')}. Write it as a string if it needs more."
    )


def too_deep(depth: int) -> Wrong:
    """Return the error of a value that is nested more than `depth` levels deep."""
    return "limit-depth", (
        f"Values may be nested {depth} deep; this is one level more. "
        "Nest less, or pass the value as JSON in a string where the tool accepts one."
    )
