# SPDX-License-Identifier: MIT
"""The shapes of calls and of results, and the format of calls in a JSON array."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from ...events import ARGS_NAMES, RESERVED_NAME, Limits, Payload, payload_of
from ...text import counted, describe, quote
from . import json_states as states
from .interface import BlockReader, CallFormat, CallKind, Shape, Wrong, too_many_calls
from .json_reader import ArrayReader


class CallShape(Shape):
    """Calls: objects with a `name` and `args`; other members are ignored.

    A partial call may leave out its `args`, unless it has another of their usual names.  On the
    wire, `args` may have another name.
    """

    single: ClassVar[str] = "A call"

    def __init__(
        self, limit: int, *, is_partial: bool = False, name: str = "name", args: str = "args"
    ) -> None:
        self.capacity = limit
        #: The members with the name and with the args.
        self.named = name
        self.nested = args
        self.example = f'{{"{name}": "…", "{args}": {{…}}}}'
        self._is_partial = is_partial
        #: The members instead of which the args are expected.
        self._instead = ARGS_NAMES - {name}
        self.name = ""
        self.tools: list[str] = []

    def surplus(self) -> Wrong:
        return too_many_calls(self.capacity)

    def check_first(self, member: str, char: str) -> Wrong | None:
        if member == self.named and char != '"':
            return "bad-name", states.mistyped(member, "a string", char, states.USE_A_TOOL)
        if member == self.nested and char != "{":
            return "bad-args", states.mistyped(member, "an object", char, states.args_hint(char))
        return None

    def needs(self, member: str) -> bool:
        return member == self.named

    def check_string(self, index: int, member: str, value: str) -> Wrong | None:
        if not value:
            return "bad-name", f'"{self.named}" is empty. {states.USE_A_TOOL}'
        if value == RESERVED_NAME:
            return "bad-name", (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. {states.USE_A_TOOL}'
            )
        self.name = value
        return None

    def check_end(self, names: set[str]) -> Wrong | None:
        if self.named not in names or (
            self.nested not in names and not (self._is_partial and self._instead.isdisjoint(names))
        ):
            return states.missing(names, self.named, self.nested, self.example)
        self.tools.append(self.name)
        self.name = ""
        return None

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
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


class ResultShape(Shape):
    """Results: objects with `tool`, `status` and `content`, one for each call of the batch."""

    single: ClassVar[str] = "A result"
    example: str = '{"tool": "…", "status": "success", "content": …}'
    nested: str = "content"

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


class ArrayFormat(CallFormat):
    """A JSON array of objects with `name` and `args`."""

    kind: CallKind = "array"
    is_verbatim: bool = True
    reads_closer: bool = True

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        return ArrayReader(CallShape(limits.calls), closer, limits)


ARRAY: Final = ArrayFormat()
