# SPDX-License-Identifier: MIT
"""What the elements of a block must be: calls, or the results that answer them.

The JSON machine consults it at the first character of a member's value, at the end of a string,
of an element and of the array, so that a wrong shape is an error at the first character that makes
it wrong.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Protocol

from ....events import RESERVED_NAME, Code, Payload
from ....text.wording import counted, describe, quote

#: What is wrong: the error's code and its message.
Wrong = tuple[Code, str]

_USE_A_TOOL: Final = "Use the name of a tool."


class Shape(Protocol):
    """What the elements of the array must be."""

    #: What one element is, and what it looks like, for messages.
    single: ClassVar[str]
    example: ClassVar[str]
    #: The member that holds values of its own.
    nested: ClassVar[str]
    #: Whether the text of the whole array is needed.
    is_quoted: ClassVar[bool]

    #: How many elements there may be.
    capacity: int
    #: Their tools: for calls those so far, for results all that are due.
    tools: list[str]

    def surplus(self) -> Wrong:
        """Say what is wrong with a surplus element."""
        ...

    def begins(self, member: str, char: str) -> Wrong | None:
        """Judge the first character of a member's value."""
        ...

    def keeps(self, member: str) -> bool:
        """Whether `says` needs the member's string."""
        ...

    def says(self, index: int, member: str, value: str) -> Wrong | None:
        """Judge a whole string, unescaped, at its closing quote."""
        ...

    def ends(self, names: set[str]) -> Wrong | None:
        """Judge a whole element, which has these members, at its closing brace."""
        ...

    def ends_array(self, count: int) -> Wrong | None:
        """Judge the array at its closing bracket."""
        ...

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        """Whether a decoded element passes all of the above; the machine says why if not."""
        ...


class CallShape:
    """Calls: objects with a `name` and `args`; other members are ignored.

    Partial ones may leave out their `args`.
    """

    single: ClassVar[str] = "A call"
    example: ClassVar[str] = '{"name": "…", "args": {…}}'
    nested: ClassVar[str] = "args"
    is_quoted: ClassVar[bool] = False

    def __init__(self, limit: int, *, is_partial: bool = False) -> None:
        self.capacity = limit
        self._is_partial = is_partial
        self._name = ""
        self.tools: list[str] = []

    def surplus(self) -> Wrong:
        return "limit-calls", (
            f"A block holds at most {counted(self.capacity, 'call')}, and here another one begins. "
            "Send the rest in a block of its own."
        )

    def begins(self, member: str, char: str) -> Wrong | None:
        if member == "name" and char != '"':
            return "bad-name", (
                f'"name" must be a string, but {describe(char)} begins another value. {_USE_A_TOOL}'
            )
        if member == "args" and char != "{":
            hint = (
                "Write the arguments as an object, not as JSON in a string. " if char == '"' else ""
            )
            return "bad-args", (
                f'"args" must be an object, but {describe(char)} begins another value. {hint}'
                "Write {} for no arguments."
            )
        return None

    def keeps(self, member: str) -> bool:
        return member == "name"

    def says(self, index: int, member: str, value: str) -> Wrong | None:
        if not value:
            return "bad-name", f'"name" is empty. {_USE_A_TOOL}'
        if value == RESERVED_NAME:
            return "bad-name", (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. {_USE_A_TOOL}'
            )
        self._name = value
        return None

    def ends(self, names: set[str]) -> Wrong | None:
        if "name" not in names:
            return "missing-name", f'The call has no "name". Each call is {self.example}.'
        if "args" not in names and not self._is_partial:
            return "missing-args", 'The call has no "args". Write "args": {} for no arguments.'
        self.tools.append(self._name)
        return None

    def ends_array(self, count: int) -> Wrong | None:
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        name = element.get("name")
        if (
            type(name) is str
            and name
            and name != RESERVED_NAME
            and (type(element.get("args")) is dict or (self._is_partial and "args" not in element))
        ):
            self.tools.append(name)
            return True
        return False


class ResultShape:
    """Results: objects with `tool`, `status` and `content`, one for each call of the batch."""

    single: ClassVar[str] = "A result"
    example: ClassVar[str] = '{"tool": "…", "status": "success", "content": …}'
    nested: ClassVar[str] = "content"
    is_quoted: ClassVar[bool] = True

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
        success, failure = self._counts["success"], self._counts["failure"]
        return {
            "tools_executed": 0 if self._void else success + failure,
            "success_count": success,
            "failure_count": failure,
        }

    def surplus(self) -> Wrong:
        return "results-count", (
            f"Expected {counted(len(self.tools), 'result')}, but here another one begins."
        )

    def begins(self, member: str, char: str) -> Wrong | None:
        if member in {"tool", "status"} and char != '"':
            return "results-shape", (
                f'"{member}" must be a string, but {describe(char)} begins another value.'
            )
        if member == "content":
            self._is_text = char == '"'
        return None

    def keeps(self, member: str) -> bool:
        return member in {"tool", "status"}

    def says(self, index: int, member: str, value: str) -> Wrong | None:
        if member == "tool" and value != self.tools[index]:
            return "results-order", (
                f"Result {index} must be of {quote(self.tools[index])}, the call in its "
                f"place, but it is of {quote(value)}."
            )
        if member == "status":
            if value not in self._counts:
                return "results-shape", (
                    f'"status" must be "success" or "failure", not {quote(value)}.'
                )
            self._status = value
        return None

    def ends(self, names: set[str]) -> Wrong | None:
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

    def ends_array(self, count: int) -> Wrong | None:
        if count == len(self.tools):
            return None
        return "results-count", (
            f"Expected {counted(len(self.tools), 'result')}, but the results end after {count}."
        )

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        status = element.get("status")
        return (
            element.get("tool") == self.tools[index]
            and status in ("success", "failure")
            and "content" in element
            and self._count(status, is_text=type(element["content"]) is str) is None
        )


class AnyShape:
    """One object with any members."""

    single: ClassVar[str] = "An object"
    example: ClassVar[str] = "{…}"
    nested: ClassVar[str] = "content"
    is_quoted: ClassVar[bool] = False

    def __init__(self) -> None:
        self.capacity = 1
        self.tools: list[str] = []
        self.count = 0
        self.names: set[str] = set()

    def surplus(self) -> Wrong:
        return "results-count", "There is more than one object."

    def begins(self, member: str, char: str) -> Wrong | None:
        return None

    def keeps(self, member: str) -> bool:
        return True

    def says(self, index: int, member: str, value: str) -> Wrong | None:
        return None

    def ends(self, names: set[str]) -> Wrong | None:
        self.names = names
        return None

    def ends_array(self, count: int) -> Wrong | None:
        self.count = count
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        self.names = set(element)
        return True
