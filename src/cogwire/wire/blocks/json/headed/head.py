# SPDX-License-Identifier: MIT
"""Reads what comes before the arguments of a call: `name[ARGS]`, or `name[CALL_ID]id[ARGS]`."""

import re
from typing import Final

from .....events import RESERVED_NAME
from .....text.scan import WHITE, WHITE_RUN, jump
from .....text.wording import describe
from ...interface import Fault

ARGS: Final = "[ARGS]"
_ID: Final = "[CALL_ID]"

#: The characters of a name, and those of the id of a call.
NAME_RUN: Final = re.compile(rf"[^\[{{{WHITE}]*")
_ID_RUN: Final = re.compile("[0-9A-Za-z]*")


class Head:
    """One head; give it text until it is `done` or raises `Fault`."""

    __slots__ = ("_is_named", "_legal", "_marker", "_pieces", "done", "name")

    def __init__(self) -> None:
        #: Whether `[ARGS]` has come, and the name, once it is known.
        self.done = False
        self.name = ""
        #: Whether a marker has ended the name.
        self._is_named = False
        self._pieces: list[str] = []
        #: The markers that are legal next, and the part of one that has been read.
        self._legal: tuple[str, ...] = (ARGS, _ID)
        self._marker = ""

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after `[ARGS]`."""
        while pos < end and not self.done:
            pos = self._read_marker(text, pos) if self._marker else self._read_run(text, pos, end)
        return pos

    def _read_run(self, text: str, pos: int, end: int) -> int:
        """Read the name or the id up to the character that ends it."""
        if self._is_named:
            pos = jump(_ID_RUN, text, pos, end)
        else:
            if not self._pieces:
                pos = jump(WHITE_RUN, text, pos, end)
            stop = jump(NAME_RUN, text, pos, end)
            if stop > pos:
                self._pieces.append(text[pos:stop])
            pos = stop
        return self._read_marker(text, pos) if pos < end else pos

    def _read_marker(self, text: str, pos: int) -> int:
        """Read the next character of a marker; its first one ends the name."""
        if not self._is_named and not self._marker:
            self._end_name(text[pos], pos)
        seen = self._marker + text[pos]
        if not any(marker.startswith(seen) for marker in self._legal):
            message = (
                f"After the name of the tool {ARGS} and an object with its arguments must follow, "
                f"but got {describe(text[pos])}. Write {ARGS}{{}} for no arguments."
            )
            raise Fault("missing-args", pos, message)
        self._marker = seen
        if seen in self._legal:
            self.done = seen == ARGS
            self._legal = (ARGS,)
            self._is_named, self._marker = True, ""
        return pos + 1

    def _end_name(self, char: str, pos: int) -> None:
        name = "".join(self._pieces)
        if not name:
            message = (
                f"Expected the name of a tool, but got {describe(char)}. A call is tool{ARGS}{{…}}."
            )
            raise Fault("bad-name", pos, message)
        if name == RESERVED_NAME:
            message = (
                f'No tool is called "{RESERVED_NAME}": the name is reserved. '
                "Use the name of a tool."
            )
            raise Fault("bad-name", pos, message)
        self.name = name
