# SPDX-License-Identifier: MIT
"""How calls in JSON are written and taught."""

from collections.abc import Iterable
from typing import Final

from ...events import Limits
from ...text.json_text import write_array
from ..writing_interface import ValueWriter
from .interface import CallFormat

_LIMIT: Final = Limits().calls

_STRICT_JSON: Final = """\
- In a string `"` is written `\\"`, `\\` is written `\\\\`, a line break `\\n` and a tab `\\t`.
  Other text may be in it as it is, markers too.
- No object has two members of one name, and no number is `NaN` or `Infinity`."""


class ArrayWriting:
    """A JSON array of objects with `name` and `args`."""

    #: What the member with the args is called.
    args: str = "args"
    description: str = (
        "a JSON array of objects, each with `name`, the tool, and `args`, its arguments."
    )
    rules: str = f"""\
one JSON array and nothing else: no
  words, no comments, no code fences, no trailing commas, at most {_LIMIT} calls.
- Every call is an object with `name`, a string, and `args`, an object: `{{}}` without arguments.
{_STRICT_JSON}"""

    def write(self, name: str, args: dict[object, object], writer: ValueWriter, path: str) -> str:
        return writer.write({"name": name, self.args: args}, path)

    def spell(self, name: str, args: str) -> str:
        return f'{{"name": {name}, "{self.args}": {args}}}'

    def join(self, calls: Iterable[str], _gap: str = "") -> str:
        return write_array(calls)


class PayloadWriting(ArrayWriting):
    """A JSON object after each marker."""

    description: str = "a JSON object with `name`, the tool, and `args`, its arguments."
    rules: str = f"""\
one JSON object and nothing else: no words, no comments, no code
  fences, no trailing commas. One message may contain at most {_LIMIT} calls.
- Every call has a `name`, a string. Its `args` are an object, `{{}}` without arguments.
{_STRICT_JSON}"""

    def join(self, calls: Iterable[str], _gap: str = "") -> str:
        return "".join(f"{_gap}{call}{_gap}" for call in calls)


class ArgumentsWriting(PayloadWriting):
    """A JSON object with `name`, and with the args by another name."""

    def __init__(self, args: str) -> None:
        self.args = args
        self.description = f"a JSON object with `name`, the tool, and `{args}`."
        self.rules = PayloadWriting.rules.replace("`args`", f"`{args}`")


def object_writing(form: CallFormat) -> PayloadWriting:
    """Return the writer of calls that are JSON objects, as `form` reads them."""
    return PayloadWriting() if form.is_verbatim else ArgumentsWriting(form.args)
