# SPDX-License-Identifier: MIT
"""Reads results that come one by one: each body is a result as JSON, or the content of one."""

import re
import sys
from collections.abc import Set as AbstractSet
from typing import Final

from ...events import RESULT_MEMBERS, Limits, Payload, payload_of
from ...text import WHITE
from ...text.json_text import is_refused, write_array
from ...text.strict_json import quoted
from .interface import Fault
from .json_payload import ObjectShape
from .json_reader import ArrayReader
from .json_shapes import ResultShape, Shape

#: Closes the arrays that are made here; JSON cannot contain it.
_END: Final = "\0"

#: How JSON begins; a word also with all that may follow it, white space.
_MAYBE_JSON: Final = re.compile(rf'[{{["]|(?:[-+.0-9eE]+|true|false|null)[{WHITE}]*\Z')


class Bodies:
    """The results of one batch, body by body."""

    __slots__ = ("_counts", "_tools", "items", "limits", "room")

    def __init__(self, tools: list[str] | None, limits: Limits) -> None:
        """Expect a result for each of `tools`, or the answer to a void block if it is `None`."""
        self._tools = tools
        self.limits = limits
        #: The bodies so far, each as JSON.
        self.items: list[str] = []
        self._counts = {"success": 0, "failure": 0}
        #: How many more characters the bodies may contain.
        self.room = limits.size

    @property
    def expected(self) -> int:
        """How many bodies there must be: one per call, or one `[]` if there were no calls."""
        return 1 if self._tools is None else max(1, len(self._tools))

    @property
    def missing(self) -> int:
        """How many bodies are still missing."""
        return self.expected - len(self.items)

    @property
    def path(self) -> str:
        """The JSON Pointer of the next result."""
        return f"/{len(self.items)}"

    @property
    def payload(self) -> Payload:
        """How many calls ran, succeeded and failed."""
        return payload_of(**self._counts, is_void=self._tools is None)

    def content(self) -> str:
        """Return the array of the results."""
        return "[]" if self._tools == [] else write_array(self.items)

    def take(self, body: str) -> None:
        """Take the next body; raise `Fault`, without a place, if it is not the expected result."""
        if self._tools == []:
            if not _is_empty_array(body):
                raise Fault("results-count", -1, "There were no calls, so the result must be [].")
            self.items.append(body)
            return
        tool = None if self._tools is None else self._tools[len(self.items)]
        try:
            item, is_failure = _read_body(body, tool, self.limits)
        except Fault as fault:
            raise Fault(fault.code, -1, fault.message, self.path) from None
        self.items.append(item)
        self._counts["failure" if is_failure else "success"] += 1


def _read_body(body: str, tool: str | None, limits: Limits) -> tuple[str, bool]:
    """Return the item that `body` represents, as JSON, and whether it is a failure.

    `tool` is the tool of the call that it answers, or `None` for a void block.  Raises `Fault`,
    without a place, if it is not a result of this call.
    """
    members = _outline(body, limits) if body.startswith("{") else None
    if members == RESULT_MEMBERS:
        shape = ResultShape(None if tool is None else [tool])
        read_elements(body, shape, limits)
        return body, shape.payload()["failure_count"] > 0
    if tool is None:
        message = "A void block is answered by a failure, not by a success."
        raise Fault("results-shape", -1, message)
    # The array of results is level 1, a result level 2, and its content level 3.
    is_object = members is not None and body.count("{") + body.count("[") <= limits.depth - 2
    content = body if is_object or is_json(body, limits) else quoted(body)
    item = f'{{"tool": {quoted(tool)}, "status": "success", "content": {content}}}'
    return item, False


def _is_empty_array(body: str) -> bool:
    return body[:1] == "[" and body[1:].strip(WHITE) == "]"


def is_json(text: str, limits: Limits) -> bool:
    """Whether `text`, as the content of a result, is one JSON value by the rules of blocks."""
    if not _MAYBE_JSON.match(text) or is_refused(text):
        return False
    item = f'{{"tool": "", "status": "", "content": {text}}}'
    return _outline(item, limits) == RESULT_MEMBERS


def _outline(item: str, limits: Limits) -> AbstractSet[str] | None:
    """Return the names in `item` if it is exactly one object that a block may contain."""
    shape = ObjectShape(1)
    try:
        read_elements(item, shape, limits)
    except Fault:
        return None
    return shape.members


def read_elements(items: str, shape: Shape, limits: Limits) -> None:
    """Read the elements of an array, however long they are; raise `Fault`, without a place."""
    text = f"[{items}]{_END}"
    reader = ArrayReader(shape, _END, limits._replace(size=sys.maxsize))
    if reader.read(text, 0, len(text)) < len(text):
        raise Fault("json-syntax", 0, "the array ends too early")
