# SPDX-License-Identifier: MIT
"""The shape of the calls of a block."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ....events import RESERVED_NAME
from ....text.wording import counted, describe

if TYPE_CHECKING:
    from ..format import Wrong

_USE_A_TOOL: Final = "Use the name of a tool."


class CallShape:
    """Calls: objects with a `name` and `args`; other members are ignored.

    Partial calls may leave out their `args`, which may have another name on the wire.
    """

    single: ClassVar[str] = "A call"
    is_quoted: ClassVar[bool] = False

    def __init__(self, limit: int, *, is_partial: bool = False, args: str = "args") -> None:
        self.capacity = limit
        #: The member with the args.
        self.nested = args
        self.example = f'{{"name": "…", "{args}": {{…}}}}'
        self._is_partial = is_partial
        self._name = ""
        self.tools: list[str] = []

    def surplus(self) -> "Wrong":
        return "limit-calls", (
            f"A turn may contain at most {counted(self.capacity, 'call')}, and here another one "
            "begins. Send the rest in the next turn."
        )

    def begins(self, member: str, char: str) -> "Wrong | None":
        if member == "name" and char != '"':
            return "bad-name", (
                f'"name" must be a string, but {describe(char)} begins another value. {_USE_A_TOOL}'
            )
        if member == self.nested and char != "{":
            hint = (
                "Write the arguments as an object, not as JSON in a string. " if char == '"' else ""
            )
            return "bad-args", (
                f'"{member}" must be an object, but {describe(char)} begins another value. {hint}'
                "Write {} for no arguments."
            )
        return None

    def keeps(self, member: str) -> bool:
        return member == "name"

    def check_string(self, index: int, member: str, value: str) -> "Wrong | None":
        if not value:
            return "bad-name", f'"name" is empty. {_USE_A_TOOL}'
        if value == RESERVED_NAME:
            return "bad-name", (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. {_USE_A_TOOL}'
            )
        self._name = value
        return None

    def ends(self, names: set[str]) -> "Wrong | None":
        if "name" not in names:
            return "missing-name", f'The call has no "name". Each call is {self.example}.'
        args = self.nested
        if args not in names and not self._is_partial:
            return "missing-args", (
                f'The call has no "{args}". Write "{args}": {{}} for no arguments.'
            )
        self.tools.append(self._name)
        return None

    def ends_array(self, count: int) -> "Wrong | None":
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        name, args = element.get("name"), self.nested
        if (
            type(name) is str
            and name
            and name != RESERVED_NAME
            and (type(element.get(args)) is dict or (self._is_partial and args not in element))
        ):
            self.tools.append(name)
            return True
        return False
