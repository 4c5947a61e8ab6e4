# SPDX-License-Identifier: MIT
"""Calls in the form of chat APIs: JSON objects with `name`, and `arguments` or `parameters`."""

import re
from typing import TYPE_CHECKING, Final

from ....events import Limits
from ....text.json_text import members
from .calls import CallShape
from .format import ArrayFormat
from .payload import PayloadReader

if TYPE_CHECKING:
    from ..format import CallKind, DeltaReader, Shape

#: Matches nothing: the machine reads the text between two calls.
_NOTHING: Final = re.compile("(?!)")


class _ArgumentsReader(PayloadReader):
    """Reads such objects, and returns each as a call."""

    __slots__ = ()

    def __init__(self, shape: "Shape", marker: str, limits: Limits) -> None:
        super().__init__(shape, marker, limits)
        self._between = _NOTHING

    def read(self, text: str, pos: int, end: int) -> int:
        at = super().read(text, pos, end)
        args = self._shape.nested
        self.found = [(_as_call(content, args), begin, end) for content, begin, end in self.found]
        return at


class _Arguments(ArrayFormat):
    """A JSON object with `name`, and with a member for the args, whose name may be another."""

    kind: "CallKind" = "object"
    reads_closer: bool = False
    is_verbatim: bool = False

    def __init__(self, args: str, *, is_partial: bool) -> None:
        self.args = args
        self.is_partial = is_partial

    def reader(self, closer: str, limits: Limits) -> PayloadReader:
        shape = CallShape(limits.calls, is_partial=self.is_partial, args=self.args)
        return _ArgumentsReader(shape, closer, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import JsonDeltas  # noqa: PLC0415 (few parsers need it)

        return JsonDeltas(1, self.args)


def _as_call(content: str, args: str) -> str:
    """Return the object `content` as a call, with the name and the arguments verbatim."""
    texts = dict(members(content))
    return f'{{"name": {texts["name"]}, "args": {texts.get(args, "{}")}}}'


ARGUMENTS: Final = _Arguments("arguments", is_partial=True)
PARAMETERS: Final = _Arguments("parameters", is_partial=False)
