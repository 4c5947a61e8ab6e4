# SPDX-License-Identifier: MIT
"""How calls in JSON are read, written and taught."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ....events import Limits
from ....text.json_array import write_array
from .array import ArrayReader
from .shapes import CallShape

if TYPE_CHECKING:
    from ..format import BlockReader, DeltaReader
    from ..values import ItemWriter

LIMIT: Final = Limits().calls

STRICT_JSON: Final = """\
- In a string `"` is written `\\"`, `\\` is written `\\\\`, a line break `\\n` and a tab `\\t`.
  Other text may stand in it as it is, markers too.
- No object has two members of one name, and no number is `NaN` or `Infinity`."""


class ArrayFormat:
    """A JSON array of objects with `name` and `args`."""

    is_text: bool = False
    is_partial: bool = False
    taught: str = "a JSON array of objects, each with `name`, the tool, and `args`, its arguments."
    rules: str = f"""\
one JSON array and nothing else: no
  words, no comments, no code fences, no trailing commas, at most {LIMIT} calls.
- Every call is an object with `name`, a string, and `args`, an object: `{{}}` without arguments.
{STRICT_JSON}"""

    def reader(self, closer: str, limits: Limits) -> "BlockReader":
        return ArrayReader(CallShape(limits.calls), closer, limits)

    def deltas(self) -> "DeltaReader":
        from .deltas import JsonDeltas  # noqa: PLC0415 (few parsers need it)

        return JsonDeltas(0)

    def write(self, name: str, args: dict[object, object], writer: "ItemWriter", path: str) -> str:
        return writer.write({"name": name, "args": args}, path)

    def join(self, calls: Iterable[str]) -> str:
        return write_array(calls)


ARRAY: Final = ArrayFormat()
