# SPDX-License-Identifier: MIT
"""The interfaces of a format of calls: reading blocks, and checking shapes."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol

from ...events import Code, Event, Limits
from ...text import counted

#: A call that a reader completed: its content, and where it begins and ends in the text being read;
#: the beginning is negative if it was in an earlier text.
ReadCall = tuple[str, int, int]
#: What a call is: an element of the array of a block, an object that comes alone, an element of one
#: of several arrays, an object whose only member is the tool, an element of XML, a head and an
#: object, tags with a name and values, a name and values in the notation of a language, or a text
#: that is one argument.
CallKind = Literal[
    "array", "object", "objects", "keyed", "elements", "headed", "tagged", "literals", "text"
]


class Tree(NamedTuple):
    """A value as text, with the keys and values in it; elements of an array have the key `item`."""

    text: str
    item: str
    #: `None` if the value has no parts, and is only a text.
    parts: "list[tuple[str, Tree]] | None" = None


#: What a machine tries first for a chunk inside the open segment or block: it takes the chunk and
#: the timestamp for its events, and returns them.  After `None`, the machine's `read` must follow
#: with the same chunk.  A segment has then kept nothing of it.  A reader has already read it:
#: `found` has the calls, and `stopped` is what `read` would have returned or raised.
FastPath = Callable[[str, "float | None"], "list[Event] | None"]

#: One step of a reader: takes the text, a place in it and its end, may stop anywhere, and returns
#: where reading continues.
Step = Callable[[Any, str, int, int], int]

#: What is wrong with an element: the error's code and its message.
Wrong = tuple[Code, str]


class Fault(Exception):  # noqa: N818 (it is caught where it is raised and becomes an event)
    """The block broke a rule at one character."""

    def __init__(self, code: Code, at: int, message: str, path: str | None = None) -> None:
        self.code: Code = code
        #: Index of the offending character in the text being read.
        self.at = at
        self.message = message
        self.path = path


#: The message if all calls of a turn, each between its own markers, exceed the limit `size`.
FULL: Final = "The calls of a turn may contain at most {}. Send less at once, or in several turns."


def too_many_calls(limit: int) -> Wrong:
    """Return the error of a call that is one more than a turn may contain."""
    return "limit-calls", (
        f"A turn may contain at most {counted(limit, 'call')}, and here another one begins. "
        "Send the rest in the next turn."
    )


class BlockReader(ABC):
    """Reads one block; feed it text until it is `closed` or raises `Fault`."""

    __slots__ = (
        *("_from", "_limits", "_pieces", "_room", "_text_begin", "ahead", "closed", "count"),
        *("cut_deltas", "found", "in_text", "shows_deltas", "stopped", "tools"),
    )

    #: The message of a block that exceeds the limit `size`.
    _full: ClassVar[str] = (
        "A block may contain at most {}. Send less at once, or in several blocks."
    )

    #: Where the current text begins, and the part of it that is not yet in `_pieces`.
    _text_begin: int
    _from: int

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        #: Whether the block has ended, or the one call if calls are read one by one.
        self.closed: bool = False
        #: The text that was read after the call and is not part of it: its closer.
        self.ahead: str = ""
        #: Whether the text read last ends inside a string or text, which most chunks continue.
        self.in_text: bool = False
        #: What `read` would have returned or raised, had it been called instead of `extend`.
        self.stopped: int | Fault = 0
        #: The number of calls so far, and the tools called, in order.
        self.count: int = 0
        self.tools: list[str] = []
        #: The calls that the last `read` or `extend` completed, until the machine has taken them.
        self.found: list[ReadCall] = []
        #: Whether `deltas` is called after each `read`; it may be set before the first one.
        self.shows_deltas: bool = False
        #: The deltas before the first character that exceeds the limit `size`, if there is one.
        self.cut_deltas: list[tuple[str, str]] | None = None
        #: How many more characters the block may contain, and its text so far.
        self._room: int = limits.size
        self._pieces: list[str] = []

    def open(self) -> None:
        """Continue with another call, if calls are read one by one."""
        self.closed = self.in_text = False

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the block.

        Raises `Fault` at the first character that breaks a rule; `found` contains the calls before.
        """
        if self.found:
            self.found = []
        self.in_text = False
        self._from = self._text_begin = pos
        stop = end if end - pos <= self._room else max(pos, pos + self._room)
        at = self._advance(text, pos, stop)
        if stop < end:
            at = self._cross_limit(text, at, end)
        self._room -= at - pos
        self._pieces.append(text[self._from : at])
        self._from = at
        return at

    @abstractmethod
    def _advance(self, text: str, pos: int, end: int) -> int:
        """Read on as `read` does, where there is room for all of it."""

    def _cross_limit(self, text: str, pos: int, end: int) -> int:
        """Read on at `pos`, where the block is full or closed: only its closer may follow."""
        while pos < end and not self.closed:
            self._pieces.append(text[self._from : pos])
            self._from = pos
            at, path, count = pos, self.path(), len(self.found)
            # The next character may break a rule.
            self.cut_deltas = self.cut_deltas or self.deltas(text, self._text_begin, pos)
            pos = self._advance(text, pos, pos + 1)
            if not self._is_in_closer():
                del self.found[count:]
                message = self._full.format(counted(self._limits.size, "character"))
                raise Fault("limit-size", at, message, path)
        return pos

    def _is_in_closer(self) -> bool:
        """Whether the text may end with a part of the closer of the block."""
        return False

    def finish(self) -> bool:
        """End the open call where the model ended its turn; return whether it can end there."""
        return False

    @property
    def quick(self) -> FastPath:
        """The method that takes the next chunk: `extend`, or another that does the same."""
        return self.extend

    @abstractmethod
    def extend(self, chunk: str, _now: float | None) -> list[Event] | None:
        """Read a chunk as `read` does; `None` if it completes anything, or has a fault."""

    def _read_chunk(self, chunk: str) -> list[Event] | None:
        """Do what `extend` does, for any chunk."""
        size = len(chunk)
        try:
            if size > self._room:
                at = self.read(chunk, 0, size)
            else:  # what `read` does where there is room
                self.in_text = False
                self._from = self._text_begin = 0
                at = self._advance(chunk, 0, size)
                self._room -= at
                self._pieces.append(chunk[self._from : at])
                self._from = at
            self.stopped = at
        except Fault as fault:
            self.stopped = fault
            return None
        return None if self.found or self.closed else []

    def text(self) -> str:
        """Return the text of the block so far."""
        return "".join(self._pieces)

    def unread(self, _text: str, _at: int, _closer: str, /) -> str:
        """Return the part of the closer with which the text ends before a `Fault`.

        Empty if a closer that begins there does not count.
        """
        return ""

    @abstractmethod
    def path(self) -> str | None:
        """Return the JSON Pointer of the place where `read` stopped; `None` outside of calls."""

    @abstractmethod
    def deltas(self, text: str, pos: int, stop: int) -> list[tuple[str, str]]:
        """Return what `text[pos:stop]`, which was read last, adds to the args of calls.

        These are pairs of the name of a call and a text, which may be empty: one for each call
        in `found`, and one for the open call.
        """


class CallFormat(Protocol):
    """How calls are read.  The defaults are the usual case; a class states what differs."""

    #: What a call is.
    kind: CallKind
    #: Whether the values of arguments are always text.
    is_text: bool = False
    #: Whether a block is XML.
    is_xml: bool = False
    #: Whether there may be several calls between the markers of a call.
    has_lists: bool = False
    #: Whether a call may leave its `args` out.
    is_partial: bool = False
    #: Whether the content of a `call` event is the call's text on the wire.
    is_verbatim: bool = False
    #: The names of the members with the name and the `args` on the wire, if calls are JSON.
    name: str = "name"
    args: str = "args"
    #: The member of an object that an array of calls is in; empty if it is in none.
    member: str = ""
    #: Whether the reader also reads the closer of its block; otherwise the machine does.
    reads_closer: bool = False
    #: The closer that a block of its calls must have; `None` for any.
    closer: str | None = None
    #: The names that tools and arguments can have on the wire; `None` for every name.
    names: "re.Pattern[str] | None" = None

    def json_of(self, text: str, /) -> str:
        """Return the JSON of a value that is not a string, given its text."""
        return text

    def tree_of(self, text: str, /) -> "Tree | None":
        """Return the parts of a value, given its text; `None` if the format has no such values."""
        return None

    def reader(self, closer: str, limits: Limits, /) -> BlockReader:
        """Return a reader of the text before `closer`."""
        ...
