# SPDX-License-Identifier: MIT
"""Calls whose name comes before a JSON object that has only their arguments.

A call is `name[ARGS]{…}` or `name[CALL_ID]id[ARGS]{…}`.
"""

import json
import re
from typing import Any, Final

from ....events import RESERVED_NAME, Limits
from ....text.decoding import is_text
from ....text.scan import WHITE, WHITE_RUN, jump
from ....text.wording import describe
from ...writing_interface import ValueWriter
from ..interface import CallKind, Fault, Wrong
from ..json_writing import PayloadWriting
from ..values import RenderError
from . import states
from .calls import ArrayFormat, CallShape
from .payload import NOTHING, PayloadReader
from .states import PAYLOAD, State

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


class ArgumentsShape(CallShape):
    """The arguments of calls: objects with any members; their tools are named before them."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.example = f"tool{ARGS}{{…}}"
        #: No member, since no name contains half of a surrogate pair.
        self.nested = "\ud800"

    def begins(self, member: str, char: str) -> Wrong | None:
        return None

    def keeps(self, member: str) -> bool:
        return False

    def ends(self, names: set[str]) -> Wrong | None:
        self.tools.append(self.name)
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        self.tools.append(self.name)
        return True


class HeadedReader(PayloadReader):
    """Reads calls that have a head, one by one."""

    __slots__ = ("_arguments", "_head")

    def __init__(self, marker: str, limits: Limits) -> None:
        """Read calls, each of which follows `marker`."""
        self._arguments = ArgumentsShape(limits.calls)
        super().__init__(self._arguments, marker, limits)
        self._between = NOTHING

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
        if state is PAYLOAD and char in states.BEGINS_VALUE:
            code, message = states.mistyped("args", char)
            return self._fault(at, (code, message.replace('"args"', f"What follows {ARGS}")))
        return super()._refusal(state, char, at)

    def _open_object(self, text: str, pos: int, end: int) -> int:
        self._args_begin, self._args_end = pos, None
        return super()._open_object(text, pos, end)


class _Headed(ArrayFormat):
    """The name of a tool, `[ARGS]`, and a JSON object with its arguments."""

    kind: CallKind = "headed"
    is_verbatim: bool = False
    closer: str | None = ""

    def reader(self, closer: str, limits: Limits) -> HeadedReader:
        return HeadedReader(closer, limits)


HEADED: Final = _Headed()


class HeadedWriting(PayloadWriting):
    """The name of a tool, `[ARGS]`, and a JSON object with its arguments."""

    description: str = f"the name of the tool, `{ARGS}`, and its arguments as a JSON object."
    rules: str = PayloadWriting.rules.replace(
        "one JSON object and nothing else",
        f"the tool's name, `{ARGS}`, one JSON object and nothing else",
    ).replace(
        "- Every call has a `name`, a string. Its `args` are an object, `{}` without arguments.",
        "- The object has the arguments by their names, and is `{}` without arguments.",
    )

    def write(self, name: str, args: dict[object, object], writer: ValueWriter, path: str) -> str:
        head = f"{_checked(name, f'{path}/name')}{ARGS}"
        return writer.take(head, path) + writer.write(args, f"{path}/args")

    def spell(self, name: str, args: str) -> str:
        return f"{_checked(json.loads(name), '/name')}{ARGS}{args}"


def _checked(name: str, path: str) -> str:
    """Return `name`, of a tool, if a head can contain it."""
    if NAME_RUN.fullmatch(name) is None or not is_text(name):
        raise RenderError(path, f"{name!r} has a `[`, a `{{` or white space, which end a name here")
    return name
