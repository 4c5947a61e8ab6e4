# SPDX-License-Identifier: MIT
"""Reads a block that is a JSON array of objects, and then a closer.

Elements that lie whole in the chunk are first offered to the C scanner (`scanner.py`).  It may only
accept: what it does not vouch for, the machine reads and judges.
"""

from typing import ClassVar, Final

from ....events import Limits
from ....text.scan import WHITE_RUN, jump
from ....text.wording import counted, describe
from ..interface import Fault, ReadCall
from .machine import ValueMachine
from .scanner import decode
from .shapes import Shape
from .states import (
    ELEMENT,
    FIRST_ELEMENT,
    FIRST_ITEM,
    FIRST_NAME,
    NEXT_ELEMENT,
    NEXT_ITEM,
    NEXT_MEMBER,
    PAYLOAD,
    START,
    enter,
)

#: How long a piece must be for the C scanner to be worth trying.
_WORTH_OFFERING: Final = 24
#: How many elements it decodes at once: few enough to stay in the cache until they are judged.
RUN: Final = 64


class ArrayReader(ValueMachine):
    """Reads one block; give it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        "_body",
        "_done",
        "_from",
        "_open",
        "_refused",
        "_room",
        "_run",
        "_slice",
        "_slice_from",
        "_slice_to",
        "found",
    )

    #: Whether reading stops after each element, and goes on when the next one is opened.
    _is_single: ClassVar[bool] = False

    def __init__(self, shape: Shape, closer: str, limits: Limits) -> None:
        super().__init__(shape, closer, limits)
        #: The elements that the last `read` completed.
        self.found: list[ReadCall] = []

        # How many more characters the block may hold.
        self._room = limits.size

        # The text of the block: before the open element (`_done`), and from its first character on
        # (`_open`).  `_body` is whichever of the two the body of a string is added to.  The part of
        # the current text from `_from` on has not been added yet.
        self._done: list[str] = []
        self._body = self._done
        self._open: list[str] | None = None
        self._from = 0

        # The slice that the C scanner is given, how many elements it decodes at once, where the
        # slice begins and ends in the text, and where the element begins that it refused.
        self._slice = ""
        self._run = 1
        self._slice_from = 0
        self._slice_to = 0
        self._refused = -1

    # -- What the parser uses ---------------------------------------------------------------

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the closer.

        Raises `Fault` at the first character that breaks a rule; `found` holds what came before.
        """
        if self.found:
            self.found = []
        if self._slice_to:
            self._slice_to = 0
            self._refused = -1
        self._from = pos
        self.in_body = False
        if end - pos <= self._room:
            at = self._advance(text, pos, end)
            self._room -= at - pos
        else:
            stop = pos + self._room
            at = self._advance(text, pos, stop)
            self._room -= at - pos
            if at == stop:
                at = self._cross(text, at, end)
        pieces = self._done if self._open is None else self._open
        pieces.append(text[self._from : at])
        if self.in_body:
            self._body = pieces
        self._from = at
        return at

    def extend(self, chunk: str) -> bool:
        """Take `chunk` if it is nothing but more body of the open string."""
        size = len(chunk)
        if (
            self.in_body
            and '"' not in chunk
            and "\\" not in chunk
            and chunk.isprintable()
            and size <= self._room
        ):
            self._body.append(chunk)
            self._room -= size
            return True
        return False

    @property
    def tools(self) -> list[str]:
        """The tools of the elements so far, in order."""
        return self._shape.tools

    def text(self) -> str:
        """Return what was read of the block so far."""
        return "".join(self._done) + "".join(self._open or ())

    def unread(self, _text: str, _at: int) -> str:
        """Return nothing: in JSON no closer can begin before the character that breaks a rule."""
        return ""

    def _cross(self, text: str, pos: int, end: int) -> int:
        """Read on where the block has no room left: only the closer may still come."""
        if not self._in_closer() and not self.closed:
            path, count = self.path(), len(self.found)
            pos = self._advance(text, pos, pos + 1)
            if not self._in_closer():
                del self.found[count:]
                message = (
                    f"A block holds at most {counted(self._limits.size, 'character')}. "
                    "Send less at once, or in several blocks."
                )
                raise Fault("limit-size", pos - 1, message, path)
        return self._advance(text, pos, end)

    def _in_closer(self) -> bool:
        return self._resume is ArrayReader._read_closer and self._matched > 0

    # -- Elements ---------------------------------------------------------------------------

    def _open_block(self, _text: str, pos: int, _end: int) -> int:
        self._names.append(None)
        self._steps.append(0)
        self._state = FIRST_ELEMENT
        return pos + 1

    def _open_element(self, text: str, pos: int, end: int) -> int:
        if self.count >= self._shape.capacity:
            raise self._fault(pos, self._shape.surplus())
        if end - pos > _WORTH_OFFERING and pos != self._refused:
            after = self._offer(text, pos, end)
            if after != pos:
                return after
        self._nest(pos)
        self._done.append(text[self._from : pos])
        self._from = pos
        self._open = []
        self._names.append(set())
        self._steps.append(None)
        self._state = FIRST_NAME
        return pos + 1

    def _close_object(self, text: str, pos: int, _end: int) -> int:
        self._steps[-1] = None
        names = self._names[-1]
        if len(self._names) == 2 and names is not None:
            if wrong := self._shape.ends(names):
                raise self._fault(pos, wrong)
            content = "".join(self._open or ()) + text[self._from : pos + 1]
            self._done.append(content)
            self._open = None
            self._from = pos + 1
            self.found.append((content, pos + 1 - len(content), pos + 1))
            self.count += 1
            self.closed = self._is_single
        self._names.pop()
        self._steps.pop()
        self._end_value()
        return pos + 1

    def _close_array(self, _text: str, pos: int, _end: int) -> int:
        if len(self._names) == 1 and (wrong := self._shape.ends_array(self.count)):
            raise self._fault(pos, wrong)
        self._names.pop()
        self._steps.pop()
        if self._names:
            self._end_value()
        else:
            self._matched = 0
            self._resume = ArrayReader._read_closer
        return pos + 1

    def _next_element(self, _text: str, pos: int, _end: int) -> int:
        self._steps[-1] += 1
        self._state = ELEMENT
        return pos + 1

    def _read_closer(self, text: str, pos: int, end: int) -> int:
        if not self._matched:
            pos = jump(WHITE_RUN, text, pos, end)
        pos = self._match(self._closer, text, pos, end)
        if pos < end and self._matched < len(self._closer):
            message = (
                f"After the array only {self._closer} may come, but got {describe(text[pos])}."
            )
            raise Fault("trailing-text", pos, message)
        self.closed = self._matched == len(self._closer)
        return pos

    # -- The C scanner ----------------------------------------------------------------------

    def _offer(self, text: str, pos: int, end: int) -> int:
        """Let the C scanner read elements from `pos` on; return where what it vouches for ends."""
        if pos >= self._slice_to:
            # Never past a closer: what a failed attempt costs must not grow with the text after.
            closer = text.find(self._closer, pos, end)
            self._slice_from = pos
            self._slice_to = end if closer < 0 else closer
            self._slice = text[pos : self._slice_to]
            self._run = RUN
        block, base = self._slice, self._slice_from
        self._refused = pos
        if block.find("}", pos - base) < 0:
            return pos
        most = min(self._run, self._shape.capacity - self.count)
        run = decode(block, pos - base, most, self._limits)
        if not run.is_sound(block, self._limits, self._shape.nested):
            # The machine has to read one of them; so that no other is decoded again and again,
            # the rest of this text is offered one by one.
            self._run = 1
            run = decode(block, pos - base, 1, self._limits)
            if not run.is_sound(block, self._limits, self._shape.nested):
                return pos
        if run.refused is not None:
            self._refused = base + run.refused
        for element, (begin, stop) in zip(run.elements, run.spans, strict=True):
            if not self._shape.accepts(self.count, element):
                self._refused = base + begin
                break
            self.found.append((block[begin:stop], base + begin, base + stop))
            self.count += 1
            self._steps[0] = self.count - 1
            self._state = NEXT_ELEMENT
            pos = base + stop
        return pos

    enter(START, {"[": _open_block})
    enter(PAYLOAD, {"{": _open_element})
    enter(FIRST_ELEMENT, {"{": _open_element, "]": _close_array})
    enter(ELEMENT, {"{": _open_element})
    enter(NEXT_ELEMENT, {",": _next_element, "]": _close_array})
    enter(FIRST_NAME, {"}": _close_object})
    enter(FIRST_ITEM, {"]": _close_array})
    enter(NEXT_MEMBER, {"}": _close_object})
    enter(NEXT_ITEM, {"]": _close_array})
