# SPDX-License-Identifier: MIT
"""Reads and writes the bodies of separate results.

A body is a result as JSON, or only the content of one: JSON on one line, or text as it is.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ....events import UNLIMITED, Limits, Payload
from ....text.decoding import is_text
from ....text.json_array import write_array
from ....text.json_text import elements, is_refused, members, on_one_line, spelled
from ....text.scan import WHITE
from ...blocks.interface import Fault
from ...blocks.json.array import ArrayReader
from ...blocks.json.results import ResultShape

if TYPE_CHECKING:
    from ...blocks.format import Shape, Wrong
    from ..writing import FrameWriting

#: The members of a result; an object with exactly these members is a result.
_ITEM: Final = {"tool", "status", "content"}

_quoted: Final[Callable[[str], str]] = json.encoder.encode_basestring

#: Closes the arrays that are made here; JSON cannot contain it.
_END: Final = "\0"

#: What JSON begins with, or is but for the white space after it.
_MAYBE_JSON: Final = re.compile(rf'[{{["]|(?:[-+.0-9eE]+|true|false|null)[{WHITE}]*\Z')


class Bodies:
    """The results of one batch, body by body."""

    __slots__ = ("_items", "_tools", "limits", "payload", "room")

    def __init__(self, tools: list[str] | None, limits: Limits) -> None:
        """Expect a result for each of `tools`, or the answer to a void block if it is `None`."""
        self._tools = tools
        self.limits = limits
        self._items: list[str] = []
        self.payload: Payload = {"tools_executed": 0, "success_count": 0, "failure_count": 0}
        #: How many more characters the bodies may contain.
        self.room = limits.size

    @property
    def expected(self) -> int:
        """How many bodies there must be: one per call, or one `[]` if there were no calls."""
        return 1 if self._tools is None else max(1, len(self._tools))

    @property
    def missing(self) -> int:
        """How many bodies are still missing."""
        return self.expected - len(self._items)

    @property
    def path(self) -> str:
        """The JSON Pointer of the next result."""
        return f"/{len(self._items)}"

    @property
    def items(self) -> list[str]:
        """The bodies so far, each as JSON."""
        return list(self._items)

    def content(self) -> str:
        """Return the array of the results."""
        return "[]" if self._tools == [] else write_array(self._items)

    def take(self, body: str) -> None:
        """Take the next body; raise `Fault`, without a place, if it is not the expected result."""
        if self._tools == []:
            if not _is_empty_array(body):
                raise Fault("results-count", -1, "There were no calls, so the result must be [].")
            self._items.append(body)
            return
        tool = None if self._tools is None else self._tools[len(self._items)]
        try:
            item, counts = _read_body(body, tool, self.limits)
        except Fault as fault:
            raise Fault(fault.code, -1, fault.message, self.path) from None
        self._items.append(item)
        self.payload = {
            "tools_executed": self.payload["tools_executed"] + counts["tools_executed"],
            "success_count": self.payload["success_count"] + counts["success_count"],
            "failure_count": self.payload["failure_count"] + counts["failure_count"],
        }


def _read_body(body: str, tool: str | None, limits: Limits) -> tuple[str, Payload]:
    """Return the item that `body` represents, as JSON, and its counts.

    `tool` is the tool of the call that it answers, or `None` for a void block.  Raises `Fault`,
    without a place, if it is not a result of this call.
    """
    if body.startswith("{") and _outline(body, limits) == _ITEM:
        shape = ResultShape(None if tool is None else [tool])
        _read_array(body, shape, limits)
        return body, shape.payload()
    if tool is None:
        message = "A void block is answered by a failure, not by a success."
        raise Fault("results-shape", -1, message)
    content = body if _is_json(body, limits) else _quoted(body)
    item = f'{{"tool": {_quoted(tool)}, "status": "success", "content": {content}}}'
    return item, {"tools_executed": 1, "success_count": 1, "failure_count": 0}


def _is_empty_array(body: str) -> bool:
    return body[:1] == "[" and body[1:].strip(WHITE) == "]"


def write_bodies(
    content: str, items: Sequence[Any] | None, writing: "FrameWriting", closer: str
) -> list[str]:
    """Return the bodies of the results in `content`, an array; `closer` follows each body.

    `items` are the decoded results, or `None` if `content` has not been decoded.  Raises
    `ValueError` or `KeyError` for an item that is not a result.
    """
    texts: Sequence[str] = ()
    if items is None:
        known = list(spelled(content.strip(WHITE)))
        texts, items = [text for text, _ in known], [value for _, value in known]
    if not {dict}.issuperset(map(type, items)):
        raise ValueError("not an object")
    given = [item.get("content") for item in items]
    # One search in all contents is several times as fast as one in each.
    are_safe = _is_safe("\n".join([each for each in given if type(each) is str]), writing, closer)
    bodies: list[str] = []
    for index, (result, value) in enumerate(zip(items, given, strict=True)):
        is_bare = result["status"] == "success" and result.keys() == _ITEM
        if (
            (is_bare and type(value) is str and value and value == value.strip(WHITE))
            and (are_safe or _is_safe(value, writing, closer))
            and not _is_json(value, UNLIMITED)
        ):
            bodies.append(value)
            continue
        texts = texts or elements(content.strip(WHITE))
        text = texts[index]
        if is_bare and (type(value) is not dict or value.keys() != _ITEM):
            text = dict(members(text))["content"]
        bodies.append(writing.escape(on_one_line(text)))
    return bodies


def _is_json(text: str, limits: Limits) -> bool:
    """Whether `text`, as the content of a result, is one JSON value by the rules of blocks."""
    if not _MAYBE_JSON.match(text) or is_refused(text):
        return False
    item = f'{{"tool": "", "status": "", "content": {text}}}'
    return _outline(item, limits) == _ITEM


def _is_safe(text: str, writing: "FrameWriting", closer: str) -> bool:
    """Whether no line of `text` can be mistaken for anything else."""
    return is_text(text) and not (
        writing.lookalikes_in(text)
        or (closer and closer in text and re.search(rf"{re.escape(closer)}(?:[\r\n]|\Z)", text))
    )


def _outline(item: str, limits: Limits) -> set[str] | None:
    """Return the names in `item` if it is exactly one object that a block may contain."""
    shape = _AnyShape()
    try:
        _read_array(item, shape, limits)
    except Fault:
        return None
    return shape.names if shape.count == 1 else None


def _read_array(items: str, shape: "Shape", limits: Limits) -> None:
    text = f"[{items}]{_END}"
    reader = ArrayReader(shape, _END, limits._replace(size=sys.maxsize))
    if reader.read(text, 0, len(text)) < len(text):
        raise Fault("json-syntax", 0, "the array ends too early")


class _AnyShape:
    """One object with any members."""

    single: ClassVar[str] = "An object"
    example: str = "{…}"
    nested: str = "content"
    is_quoted: ClassVar[bool] = False

    def __init__(self) -> None:
        self.capacity = 1
        self.tools: list[str] = []
        self.count = 0
        self.names: set[str] = set()

    def surplus(self) -> "Wrong":
        return "results-count", "There is more than one object."

    def begins(self, member: str, char: str) -> "Wrong | None":
        return None

    def keeps(self, member: str) -> bool:
        return True

    def check_string(self, index: int, member: str, value: str) -> "Wrong | None":
        return None

    def ends(self, names: set[str]) -> "Wrong | None":
        self.names = names
        return None

    def ends_array(self, count: int) -> "Wrong | None":
        self.count = count
        return None

    def accepts(self, index: int, element: dict[str, Any]) -> bool:
        self.names = set(element)
        return True
