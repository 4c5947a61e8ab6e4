# SPDX-License-Identifier: MIT
"""The messages for characters that are not allowed at their place."""

from typing import TYPE_CHECKING, Final

from ....events import ARGS_NAMES
from ....text.wording import describe
from .states import BEGINS_VALUE, ELEMENT, NAME, PAYLOAD, START, State

if TYPE_CHECKING:
    from ..format import Shape, Wrong

USE_A_TOOL: Final = "Use the name of a tool."

#: The likely intent of a character that is not allowed at its place.
_HINTS: Final = {
    "'": "JSON strings are written in double quotes.",
    "“": "JSON strings are written in straight double quotes.",
    "/": "JSON has no comments.",
    "#": "JSON has no comments.",
    "N": "JSON has no NaN and no None; write null.",
    "T": "JSON spells true in lower case.",
    "F": "JSON spells false in lower case.",
    "I": "JSON has no Infinity.",
    "}": "Is a comma, a colon or a value missing, or is there one too many?",
    "]": "Is a comma, a brace or a value missing, or is there one too many?",
    "<": "The block continues until its array is closed.",
    "+": "JSON numbers begin with a digit or a minus sign.",
    ".": "JSON numbers begin with a digit or a minus sign.",
}


def refusal(state: State, char: str, shape: "Shape", closer: str) -> "Wrong":
    """Return the code and the message of the error of `char` in `state`."""
    if state.code == "trailing-text":
        return state.code, f"After the array only {closer} may follow, but got {describe(char)}."
    if state.is_element and char in BEGINS_VALUE:
        return "not-object", (
            f"{shape.single} is {shape.example}, but {describe(char)} begins another value."
        )
    message = f"Expected {state.expected}, but got {describe(char)}"
    if state.is_token:
        return state.code, message + ("." if state.is_number else " in it.")
    return state.code, f"{message}. {_hint(state, char, shape, closer)}".rstrip()


def mistyped(member: str, char: str) -> "Wrong":
    """Return the error of a `name`, or of other args, whose value begins with `char`."""
    begins = f"{describe(char)} begins another value"
    if member == "name":
        return "bad-name", f'"name" must be a string, but {begins}. {USE_A_TOOL}'
    hint = "Write the arguments as an object, not as JSON in a string. " if char == '"' else ""
    message = f'"{member}" must be an object, but {begins}. {hint}Write {{}} for no arguments.'
    return "bad-args", message


def missing(names: set[str], args: str, example: str) -> "Wrong":
    """Return the error of a call with members of these `names`, without a name or its `args`."""
    if "name" not in names:
        return "missing-name", f'The call has no "name". Each call is {example}.'
    if others := names & ARGS_NAMES:
        return "missing-args", (
            f'The call has "{min(others)}" where "{args}" is expected. '
            f'Write the arguments as "{args}": {{…}}.'
        )
    return "missing-args", f'The call has no "{args}". Write "{args}": {{}} for no arguments.'


def _hint(state: State, char: str, shape: "Shape", closer: str) -> str:
    """Return a sentence on the likely intent, or an empty text."""
    end = ", without a code fence." if char == "`" else "."
    if state is START:
        end = ", and an empty block is []." if char == "<" else end
        return f"A block is [{shape.example}, …]{end}"
    if state is PAYLOAD:
        # The closer of a payload is the marker of the next; a stored call has none.
        marker = f"{closer} " if closer.isprintable() else ""
        return f"Write {marker}{shape.example}{end}"
    if (state is NAME or state is ELEMENT) and char in "}]":
        return "JSON has no trailing comma."
    if state.is_after_string and char not in '{}[]:"':
        return 'A double quote inside a string is written \\".'
    return _HINTS.get(char, "")
