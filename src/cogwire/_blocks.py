# SPDX-License-Identifier: MIT
"""The formats of calls: a JSON array of them, elements, or one JSON object behind each marker."""

from collections.abc import Iterable
from typing import ClassVar, Final, Protocol

from ._elements import ElementReader, write_element
from ._json import ArrayReader, PayloadReader
from ._limits import Limits
from ._shapes import CallShape
from ._values import ItemWriter, write_array

_LIMIT: Final = Limits().calls

_STRICT_JSON: Final = """\
- In a string `"` is written `\\"`, `\\` is written `\\\\`, a line break `\\n` and a tab `\\t`.
  Other text may stand in it as it is, markers too.
- No object has two members of one name, and no number is `NaN` or `Infinity`."""


class BlockReader(Protocol):
    """Reads one block; give it text until it is `closed` or raises `Fault`."""

    #: Whether the block, or the one call that it was asked for, has ended.
    closed: bool
    #: How many calls there are so far.
    count: int
    #: The calls that the last `read` completed: their content, and where each ends.
    found: list[tuple[str, int]]

    @property
    def tools(self) -> list[str]:
        """The tools called so far, in order."""
        ...

    @property
    def in_body(self) -> bool:
        """Whether the text stands in what `extend` may take."""
        ...

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or behind the block.

        Raises `Fault` at the first character that breaks a rule; `found` holds what came before.
        """
        ...

    def extend(self, chunk: str) -> bool:
        """Take `chunk` if it is nothing but more of the string or text that is open."""
        ...

    def text(self) -> str:
        """Return what was read of the block so far."""
        ...

    def unread(self, text: str, at: int, /) -> str:
        """Return the beginning of a closer that the text up to `at` ends with, after a `Fault`."""
        ...

    def path(self) -> str | None:
        """Return the JSON Pointer of where the text stands; `None` outside of all calls."""
        ...


class CallFormat(Protocol):
    """How calls are read and written."""

    #: Whether the values of arguments are text, and nothing else.
    is_text: bool
    #: Whether a call may leave its `args` out.
    is_partial: bool
    #: For instructions: what is written; and what stands in a block, with the other rules as a
    #: list behind it.
    taught: str
    rules: str

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        """Return a reader of what stands before `closer`."""
        ...

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        """Return one call, which stands at `path`; `RenderError` if it has no text."""
        ...

    def join(self, calls: Iterable[str]) -> str:
        """Return what stands in a block of `calls`."""
        ...


class _Array:
    """A JSON array of objects with `name` and `args`."""

    is_text: bool = False
    is_partial: bool = False
    taught: str = "a JSON array of objects, each with `name`, the tool, and `args`, its arguments."
    rules: str = f"""\
one JSON array and nothing else: no
  words, no comments, no code fences, no trailing commas, at most {_LIMIT} calls.
- Every call is an object with `name`, a string, and `args`, an object: `{{}}` without arguments.
{_STRICT_JSON}"""

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        return ArrayReader(CallShape(limits.calls), closer, limits)

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return writer.write({"name": name, "args": args}, path)

    def join(self, calls: Iterable[str]) -> str:
        return write_array(calls)


class _Elements:
    """An element for each call, with one for each of its arguments."""

    is_text: bool = True
    is_partial: bool = False
    taught: str = (
        "an element for each call, named as the tool, with an element for each of\n"
        "its arguments, whose text is the value; what is no string is JSON, such as `5` or `[1]`."
    )
    rules: str = f"""\
one element for each call and nothing
  else: no words, no JSON, no comments, no code fences, at most {_LIMIT} calls.
- An argument is an element that holds text: no attributes, no elements in it, and no two
  arguments of one name in a call. `<tool/>` is a call without arguments.
- In a value `<` is written `&lt;`, `&` is written `&amp;` and `]]>` is written `]]&gt;`, or all
  of it is CDATA, as it is: `<code><![CDATA[if (a < b && c)]]></code>`."""
    _indent: ClassVar[str] = "\n  "

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        return ElementReader(closer, limits)

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return writer.take(write_element(name, args, path), path)

    def join(self, calls: Iterable[str]) -> str:
        return self._indent.join(["", *calls]).removeprefix("\n")


class _Payloads(_Array):
    """A JSON object behind a marker of its own."""

    is_partial: bool = True
    taught: str = "a JSON object with `name`, the tool, and `args`, its arguments."
    rules: str = f"""\
one JSON object and nothing else: no words, no comments, no code
  fences, no trailing commas. One block holds at most {_LIMIT} calls.
- Every call has a `name`, a string. Its `args` are an object, `{{}}` without arguments.
{_STRICT_JSON}"""

    def reader(self, closer: str, limits: Limits) -> PayloadReader:
        return PayloadReader(CallShape(limits.calls, is_partial=True), closer, limits)


ARRAY: Final = _Array()
ELEMENTS: Final = _Elements()
PAYLOADS: Final = _Payloads()
