# SPDX-License-Identifier: MIT
"""How calls in JSON are written and taught."""

from collections.abc import Iterable
from typing import Final

from ...events import Limits
from ...text.json_text import write_array
from ...text.strict_json import quoted
from .interface import CallFormat
from .values import ItemWriter

_LIMIT: Final = Limits().calls

_STRICT_JSON: Final = """\
- In a string `"` is written `\\"`, `\\` is written `\\\\`, a line break `\\n` and a tab `\\t`.
  Other text may be in it as it is, markers too.
- No object has two members of one name, and no number is `NaN` or `Infinity`."""


class ArrayWriting:
    """A JSON array of objects with `name` and `args`."""

    #: What the members with the name and with the args are called.
    name: str = "name"
    args: str = "args"
    #: The member of an object that the array is in, if it is in one.
    member: str = ""
    is_whole: bool = True
    description: str = (
        "a JSON array of objects, each with `name`, the tool, and `args`, its arguments."
    )
    #: The rule on the members of a call.
    members: str = (
        "Every call is an object with `name`, a string, and `args`, an object: `{}` without "
        "arguments."
    )
    rules: str = f"""\
one JSON array and nothing else: no
  words, no comments, no code fences, no trailing commas, at most {_LIMIT} calls.
- {members}
{_STRICT_JSON}"""

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return writer.write({self.name: name, self.args: args}, path)

    def spell(self, name: str, args: str) -> str:
        return f"{{{quoted(self.name)}: {name}, {quoted(self.args)}: {args}}}"

    def join(self, calls: Iterable[str], gap: str = "", _first: int = 0) -> str:
        array = write_array(calls)
        if self.member:
            array = f"{{{quoted(self.member)}: {array}}}"
        return f"{gap}{array}{gap}"


class PayloadWriting(ArrayWriting):
    """A JSON object after each marker."""

    is_whole: bool = False
    description: str = "a JSON object with `name`, the tool, and `args`, its arguments."
    members: str = (
        "Every call has a `name`, a string. Its `args` are an object, `{}` without arguments."
    )
    rules: str = f"""\
one JSON object and nothing else: no words, no comments, no code
  fences, no trailing commas. One message may contain at most {_LIMIT} calls.
- {members}
{_STRICT_JSON}"""

    def join(self, calls: Iterable[str], gap: str = "", _first: int = 0) -> str:
        return "".join(f"{gap}{call}{gap}" for call in calls)


def array_writing(member: str) -> ArrayWriting:
    """Return the writer of an array of calls, which may be a `member` of an object."""
    writing = ArrayWriting()
    writing.member = member
    if member:
        writing.rules = writing.rules.replace("one JSON array", "one JSON object")
    return writing


def article_of(*, is_array: bool, member: str) -> str:
    """Return the subject of a sentence on the members that each object has."""
    around = f"a JSON object whose member `{member}` is " if member else ""
    return f"{around}a JSON array of objects" if is_array else "a JSON object"


def json_writing(form: CallFormat) -> ArrayWriting:
    """Return the writer of calls as `form` reads them: objects, or an array of objects."""
    writing = PayloadWriting() if form.kind == "object" else array_writing(form.member)
    if not form.is_verbatim:
        writing.name, writing.args = form.name, form.args
        article = article_of(is_array=writing.is_whole, member=form.member)
        writing.description = f"{article} with `{form.name}`, the tool, and `{form.args}`."
        rules = writing.rules.replace("`name`", f"`{form.name}`")
        writing.rules = rules.replace("`args`", f"`{form.args}`")
    return writing
