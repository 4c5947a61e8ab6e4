# SPDX-License-Identifier: MIT
"""The shapes of calls and of results, which the elements of a JSON array must have.

A reader checks at the first character of a member's value and at the end of a string, of an element
and of the array, so that a wrong shape is an error at the first character that makes it wrong.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from ...events import ARGS_NAMES, RESERVED_NAME, Payload, payload_of
from ...text import WHITE, counted, describe, quote
from . import json_states as states
from .interface import Wrong, too_many_calls

_USE_A_TOOL: Final = "Use the name of a tool."

#: Stands for a member that is not known yet; half of a surrogate pair, so none has this name.
NO_NAME: Final = "\ud800"


class CallShape:
    """Calls: objects with a `name` and `args`; other members are ignored.

    A partial call may leave out its `args`, unless it has another of their usual names.  On the
    wire, `args` may have another name.
    """

    #: The name of one element, for messages.
    single: ClassVar[str] = "A call"

    def __init__(
        self, limit: int, *, is_partial: bool = False, name: str = "name", args: str = "args"
    ) -> None:
        #: How many elements there may be.
        self.capacity = limit
        #: The members with the name and with the args.
        self.named = name
        self.nested = args
        #: An example of an element, for messages.
        self.example = f'{{"{name}": "…", "{args}": {{…}}}}'
        self._is_partial = is_partial
        #: The members instead of which the args are expected.
        self._instead = ARGS_NAMES - {name}
        #: The tool of the open call, once its name is complete, and those of the calls so far.
        self.name: str = ""
        self.tools: list[str] = []

    def surplus(self) -> Wrong:
        """Return the error of an element that is one too many."""
        return too_many_calls(self.capacity)

    def check_first(self, member: str, char: str) -> Wrong | None:
        """Check the first character of a member's value."""
        if member == self.named and char != '"':
            return "bad-name", mistyped(member, "a string", char, _USE_A_TOOL)
        if member == self.nested and char != "{":
            return "bad-args", mistyped(member, "an object", char, args_hint(char))
        return None

    def needs(self, member: str) -> bool:
        """Whether `check_string` needs the member's string."""
        return member == self.named

    def check_string(self, index: int, member: str, value: str) -> Wrong | None:
        """Check a whole string, unescaped, at its closing quote."""
        if not value:
            return "bad-name", f'"{self.named}" is empty. {_USE_A_TOOL}'
        if value == RESERVED_NAME:
            return "bad-name", (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. {_USE_A_TOOL}'
            )
        self.name = value
        return None

    def check_end(self, names: set[str]) -> Wrong | None:
        """Check a whole element, which has these members, at its closing brace."""
        if self.named not in names or (
            self.nested not in names and not (self._is_partial and self._instead.isdisjoint(names))
        ):
            return missing(names, self.named, self.nested, self.example)
        self.tools.append(self.name)
        self.name = ""
        return None

    def check_array_end(self, _count: int) -> Wrong | None:
        """Check the array, which has so many elements, at its closing bracket."""
        return None

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
        """Check a decoded element and add its tool; if it is wrong, the reader finds the error."""
        name, args = element.get(self.named), self.nested
        if (
            type(name) is str
            and name
            and name != RESERVED_NAME
            and (
                type(element.get(args)) is dict
                or (self._is_partial and args not in element and self._instead.isdisjoint(element))
            )
        ):
            self.tools.append(name)
            return True
        return False


class ResultShape:
    """Results: objects with `tool`, `status` and `content`, one for each call of the batch."""

    single: ClassVar[str] = "A result"
    example: str = '{"tool": "…", "status": "success", "content": …}'
    nested: str = "content"
    name: str = ""

    def __init__(self, tools: Sequence[str] | None) -> None:
        """Expect a result of each of `tools`, or with `None` the answer to a void block."""
        self._void = tools is None
        self.tools = [RESERVED_NAME] if tools is None else list(tools)
        self.capacity = len(self.tools)
        self._status = ""
        self._is_text = False
        self._counts = {"success": 0, "failure": 0}

    def payload(self) -> Payload:
        """Return how many calls ran, succeeded and failed."""
        return payload_of(**self._counts, is_void=self._void)

    def surplus(self) -> Wrong:
        return "results-count", (
            f"Expected {counted(len(self.tools), 'result')}, but here another one begins."
        )

    def check_first(self, member: str, char: str) -> Wrong | None:
        if member in {"tool", "status"} and char != '"':
            return "results-shape", (
                f'"{member}" must be a string, but {describe(char)} begins another value.'
            )
        if member == "content":
            self._is_text = char == '"'
        return None

    def needs(self, member: str) -> bool:
        return member in {"tool", "status"}

    def check_string(self, index: int, member: str, value: str) -> Wrong | None:
        if member == "tool" and value != self.tools[index]:
            return "results-order", (
                f"Result {index} must be for {quote(self.tools[index])}, the call at its "
                f"position, but it is for {quote(value)}."
            )
        if member == "status":
            if value not in self._counts:
                return "results-shape", (
                    f'"status" must be "success" or "failure", not {quote(value)}.'
                )
            self._status = value
        return None

    def check_end(self, names: set[str]) -> Wrong | None:
        for name in ("tool", "status", "content"):
            if name not in names:
                return "results-shape", f'The result has no "{name}". Each is {self.example}.'
        return self._count(self._status, is_text=self._is_text)

    def _count(self, status: str, *, is_text: bool) -> Wrong | None:
        if status == "success" and self._void:
            return "results-shape", "A void block is answered by a failure, not by a success."
        if status == "failure" and not is_text:
            return "results-shape", "The content of a failure must be a string, its message."
        self._counts[status] += 1
        return None

    def check_array_end(self, count: int) -> Wrong | None:
        if count == len(self.tools):
            return None
        return "results-count", (
            f"Expected {counted(len(self.tools), 'result')}, but the results end after {count}."
        )

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
        status = element.get("status")
        return (
            element.get("tool") == self.tools[index]
            and status in ("success", "failure")
            and "content" in element
            and self._count(status, is_text=type(element["content"]) is str) is None
        )


Shape = CallShape | ResultShape


# -- Messages -------------------------------------------------------------------------------------

#: What a character that is not allowed at its place was probably meant to be.
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
    "<": "A block ends only after its brackets are closed.",
    "+": "JSON numbers begin with a digit or a minus sign.",
    ".": "JSON numbers begin with a digit or a minus sign.",
}


def refusal(state: states.JsonState, char: str, shape: Shape, closer: str, before: str) -> Wrong:
    """Return the code and the message of the error of `char` in `state`, after `before`."""
    if state.refuse is not None:
        return state.refuse(char)
    if state.code == "trailing-text":
        return state.code, f"After the array only {closer} may follow, but got {describe(char)}."
    if state.is_element and char in states.BEGINS_VALUE:
        return "not-object", (
            f"{shape.single} is {shape.example}, but {describe(char)} begins another value."
        )
    message = f"Expected {state.expected}, but got {describe(char)}"
    if state.is_token:
        return state.code, message + ("." if state.is_kept else " in it.")
    return state.code, f"{message}. {_hint(state, char, shape, before)}".rstrip()


def mistyped(member: str, expected: str, char: str, hint: str) -> str:
    """Return the message for a member of a call whose value begins with the wrong `char`."""
    return f'"{member}" must be {expected}, but {describe(char)} begins another value. {hint}'


def args_hint(char: str) -> str:
    """Return a hint on what to write instead of args that begin with `char`."""
    hint = "Write the arguments as an object, not as JSON in a string. " if char == '"' else ""
    return f"{hint}Write {{}} for no arguments."


def missing(names: set[str], name: str, args: str, example: str) -> Wrong:
    """Return the error of a call without its name or args; its members have these `names`."""
    if name not in names:
        return "missing-name", f'The call has no "{name}". Each call is {example}.'
    if others := (names & ARGS_NAMES) - {name}:
        return "missing-args", (
            f'The call has "{min(others)}" where "{args}" is expected. '
            f'Write the arguments as "{args}": {{…}}.'
        )
    return "missing-args", f'The call has no "{args}". Write "{args}": {{}} for no arguments.'


def _hint(state: states.JsonState, char: str, shape: Shape, before: str) -> str:
    """Return a sentence on what was probably meant, or an empty text."""
    end = ", without a code fence." if char == "`" else "."
    if state is states.START:
        end = ", and an empty block is []." if char == "<" else end
        return f"A block is [{shape.example}, …]{end}"
    if state is states.PAYLOAD:
        return f"Write {shape.example}{end}"
    last = before.rstrip(WHITE)[-1:]
    if last == "," and state.expected != "a value" and char in "}]":
        return "JSON has no trailing comma."
    # Models often close a string too early.
    if last == '"' and state.expected.startswith('","') and char not in '{}[]:"':
        return 'A double quote inside a string is written \\".'
    return _HINTS.get(char, "")
