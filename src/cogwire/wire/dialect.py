# SPDX-License-Identifier: MIT
"""A dialect, as data: a frame, which marks the parts of a message, and a format of calls."""

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .blocks.interface import CallFormat, CallWriting
from .frames.frame import Frame, FrameWriting

#: The kinds of calls that each kind of frame can have.
_PAIRS: Final = {
    "tags": ("array", "elements"),
    "lines": ("object",),
    "wrapped": ("object", "objects", "headed", "tagged"),
    "bare": ("object",),
}


class _Members(NamedTuple):
    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    frame: Frame
    #: How the calls of a block are read and written.
    calls: CallFormat
    #: Whether the calls of a block run together or one after the other.
    parallel: bool


class Dialect(_Members):
    """One wire format, a frozen value.

    The parser, the renderers and the assembler read it, and have no other knowledge of any wire
    format.  Raises `ValueError` for a frame that cannot have such calls.
    """

    def __new__(
        cls,
        name: str,
        frame: Frame,
        calls: CallFormat,
        parallel: bool,  # noqa: FBT001 (as for every tuple, so that it can be copied and pickled)
    ) -> "Dialect":
        if calls.kind not in _PAIRS[frame.kind]:
            raise ValueError(
                f"the dialect {name} cannot have calls of the kind {calls.kind}: the frame "
                f"{frame.kind} can have {' or '.join(_PAIRS[frame.kind])}"
            )
        closer = frame.block_ends[1]
        # A call that may come without a tag ends with its JSON.
        needed = "" if frame.kind == "bare" else calls.closer
        if needed not in (None, closer):
            raise ValueError(
                f"the dialect {name} cannot have the closer {closer!r} after its calls: a frame "
                f"{frame.kind} with calls of the kind {calls.kind} needs {needed!r}"
            )
        return super().__new__(cls, name, frame, calls, parallel)

    def __hash__(self) -> int:
        return hash(self.name)  # faster than hashing all members

    @property
    def dialect(self) -> str:
        """The name; with `wire`, a dialect is accepted wherever what is for one is."""
        return self.name

    @property
    def wire(self) -> "Dialect":
        """The dialect itself."""
        return self

    @functools.cached_property
    def writing(self) -> FrameWriting:
        """The writer of the parts of its messages."""
        writing: FrameWriting = _writer(self.frame)
        return writing

    @functools.cached_property
    def call_writing(self) -> CallWriting:
        """The writer of its calls."""
        writing: CallWriting = _writer(self.calls)
        return writing


if TYPE_CHECKING:

    def _writer(read: Frame | CallFormat) -> Any: ...

else:  # a copy that only parses has no writers, which a type checker would miss

    def _writer(read: Frame | CallFormat) -> Any:
        """Return the writer of what is read; parsers need none, so it is imported here."""
        match read.kind:
            case "tags":
                from .frames.writing import TagWriting

                return TagWriting(read)
            case "lines":
                from .frames.writing import LineWriting

                return LineWriting(read)
            case "wrapped":
                from .frames.wrapped_writing import WrappedWriting

                return WrappedWriting(read)
            case "bare":
                from .frames.wrapped_writing import BareWriting

                return BareWriting(read)
            case "array" | "object" | "objects":
                from .blocks.json_writing import json_writing

                return json_writing(read)
            case "elements":
                from .blocks.elements_writing import ElementWriting

                return ElementWriting()
            case "headed":
                from .blocks.json.headed import HeadedWriting

                return HeadedWriting(read)
            case "tagged":
                from .blocks.tagged import TaggedWriting

                return TaggedWriting(read)
