# SPDX-License-Identifier: MIT
"""The interface of a format of calls: a reader of blocks, and a writer."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from ...events import Limits
from .interface import ArgsDelta, ReadCall

if TYPE_CHECKING:
    from .values import ItemWriter


class BlockReader(Protocol):
    """Reads one block; give it text until it is `closed` or raises `Fault`."""

    #: Whether the block, or the one call that it was asked for, has ended.
    closed: bool
    #: How many calls there are so far.
    count: int
    #: The calls that the last `read` completed.
    found: list[ReadCall]

    @property
    def tools(self) -> list[str]:
        """The tools called so far, in order."""
        ...

    @property
    def in_body(self) -> bool:
        """Whether the text is inside a string or text that `extend` may continue."""
        ...

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the block.

        Raises `Fault` at the first character that breaks a rule; `found` holds what came before.
        """
        ...

    def extend(self, chunk: str) -> bool:
        """Take `chunk` if it is nothing but more of the string or text; only where `in_body`."""
        ...

    def text(self) -> str:
        """Return what was read of the block so far."""
        ...

    def unread(self, text: str, at: int, /) -> str:
        """Return the beginning of a closer that the text up to `at` ends with, after a `Fault`."""
        ...

    def path(self) -> str | None:
        """Return the JSON Pointer of the current place; `None` outside of all calls."""
        ...


class DeltaReader(Protocol):
    """Follows a reader, and says what the args are of the call that is being written."""

    def follow(self, text: str) -> list[ArgsDelta]:
        """Take the text that was read next; return what it says of each call, in order."""
        ...


class CallFormat(Protocol):
    """How calls are read and written."""

    #: Whether the values of arguments are text, and nothing else.
    is_text: bool
    #: Whether a call may leave its `args` out.
    is_partial: bool
    #: For instructions: what is written; and what a block holds, followed by the other rules as
    #: a list.
    taught: str
    rules: str

    def reader(self, closer: str, limits: Limits) -> BlockReader:
        """Return a reader of the text before `closer`."""
        ...

    def deltas(self) -> DeltaReader:
        """Return what follows such a reader."""
        ...

    def write(self, name: str, args: dict[object, object], writer: "ItemWriter", path: str) -> str:
        """Return the text of one call, whose place is `path`; `RenderError` if it has none."""
        ...

    def join(self, calls: Iterable[str]) -> str:
        """Return the content of a block of `calls`."""
        ...
