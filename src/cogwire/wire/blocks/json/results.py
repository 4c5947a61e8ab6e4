# SPDX-License-Identifier: MIT
"""The shape of results, which answer the calls of a block."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ....events import RESERVED_NAME, Payload
from ....text.wording import counted, describe, quote

if TYPE_CHECKING:
    from ..format import Wrong


class ResultShape:
    """Results: objects with `tool`, `status` and `content`, one for each call of the batch."""

    single: ClassVar[str] = "A result"
    example: str = '{"tool": "…", "status": "success", "content": …}'
    nested: str = "content"
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

    def surplus(self) -> "Wrong":
        return "results-count", (
            f"Expected {counted(len(self.tools), 'result')}, but here another one begins."
        )

    def begins(self, member: str, char: str) -> "Wrong | None":
        if member in {"tool", "status"} and char != '"':
            return "results-shape", (
                f'"{member}" must be a string, but {describe(char)} begins another value.'
            )
        if member == "content":
            self._is_text = char == '"'
        return None

    def keeps(self, member: str) -> bool:
        return member in {"tool", "status"}

    def check_string(self, index: int, member: str, value: str) -> "Wrong | None":
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

    def ends(self, names: set[str]) -> "Wrong | None":
        for name in ("tool", "status", "content"):
            if name not in names:
                return "results-shape", f'The result has no "{name}". Each is {self.example}.'
        return self._count(self._status, is_text=self._is_text)

    def _count(self, status: str, *, is_text: bool) -> "Wrong | None":
        if status == "success" and self._void:
            return "results-shape", "A void block is answered by a failure, not by a success."
        if status == "failure" and not is_text:
            return "results-shape", "The content of a failure must be a string, its message."
        self._counts[status] += 1
        return None

    def ends_array(self, count: int) -> "Wrong | None":
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
