# SPDX-License-Identifier: MIT
"""The shape of the calls of a block."""

from typing import TYPE_CHECKING, Any, ClassVar

from ....events import ARGS_NAMES, RESERVED_NAME
from ....text.wording import counted
from .words import USE_A_TOOL, missing, mistyped

if TYPE_CHECKING:
    from ..format import Wrong


class CallShape:
    """Calls: objects with a `name` and `args`; other members are ignored.

    A partial call may leave out its `args`, unless it has another of their usual names.  On the
    wire, `args` may have another name.
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
        if (member == "name" and char != '"') or (member == self.nested and char != "{"):
            return mistyped(member, char)
        return None

    def keeps(self, member: str) -> bool:
        return member == "name"

    def check_string(self, index: int, member: str, value: str) -> "Wrong | None":
        if not value:
            return "bad-name", f'"name" is empty. {USE_A_TOOL}'
        if value == RESERVED_NAME:
            return "bad-name", (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. {USE_A_TOOL}'
            )
        self._name = value
        return None

    def ends(self, names: set[str]) -> "Wrong | None":
        is_absent = self._is_partial and ARGS_NAMES.isdisjoint(names)
        if "name" not in names or not (self.nested in names or is_absent):
            return missing(names, self.nested, self.example)
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
            and (
                type(element.get(args)) is dict
                or (self._is_partial and ARGS_NAMES.isdisjoint(element))
            )
        ):
            self.tools.append(name)
            return True
        return False
