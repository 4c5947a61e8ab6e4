# SPDX-License-Identifier: MIT
"""Reads calls that have a head and, after it, a JSON object of arguments."""

import json
import re
from typing import TYPE_CHECKING, Any, Final

from .....events import Limits
from .....text.scan import WHITE
from ...interface import Fault
from ..calls import CallShape
from ..payload import PayloadReader
from ..states import BEGINS_VALUE, PAYLOAD, State
from .head import ARGS, Head

if TYPE_CHECKING:
    from ...format import Wrong

#: What comes between two calls is for the machine to read.
_NOTHING: Final = re.compile("(?!)")


class ArgumentsShape(CallShape):
    """The arguments of calls: objects with any members; their tools are named before them."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.example = f"tool{ARGS}{{…}}"
        #: The tool whose arguments come next.
        self.name = ""

    def begins(self, member: str, char: str) -> "Wrong | None":
        return None

    def keeps(self, member: str) -> bool:
        return False

    def ends(self, names: set[str]) -> "Wrong | None":
        self.tools.append(self.name)
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        self.tools.append(self.name)
        return True

    def not_object(self, char: str) -> "Wrong | None":
        """Return the error of arguments that begin with `char`, if they cannot."""
        wrong = super().begins(self.nested, char)
        return wrong and (wrong[0], wrong[1].replace(f'"{self.nested}"', f"What follows {ARGS}"))


class HeadedReader(PayloadReader):
    """Reads calls that have a head, one by one."""

    __slots__ = ("_arguments", "_head")

    def __init__(self, marker: str, limits: Limits) -> None:
        """Read calls, each of which follows `marker`."""
        self._arguments = ArgumentsShape(limits.calls)
        super().__init__(self._arguments, marker, limits)
        self._between = _NOTHING

    def open(self) -> None:
        super().open()
        self._head = Head()

    def read(self, text: str, pos: int, end: int) -> int:
        at = super().read(text, pos, end)
        if self.found:
            size = len(self.payload().lstrip(WHITE))
            name = json.dumps(self._head.name, ensure_ascii=False)
            self.found = [
                (f'{{"name": {name}, "args": {args}}}', stop - size, stop)
                for args, _, stop in self.found
            ]
        return at

    def path(self) -> str | None:
        path = super().path()
        if path is None or not self._head.done:
            return path
        index = f"/{self._steps[0]}"
        return f"{index}/args{path.removeprefix(index)}"

    def _advance(self, text: str, pos: int, end: int) -> int:
        head = self._head
        if not head.done:
            try:
                pos = head.read(text, pos, end)
            except Fault as fault:
                raise self._fault(fault.at, (fault.code, fault.message)) from None
            self._arguments.name = head.name
        return super()._advance(text, pos, end) if head.done else pos

    def _refusal(self, state: State, char: str, at: int) -> Fault:
        is_value = state is PAYLOAD and char in BEGINS_VALUE
        wrong = self._arguments.not_object(char) if is_value else None
        return self._fault(at, wrong) if wrong else super()._refusal(state, char, at)
