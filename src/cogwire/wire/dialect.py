# SPDX-License-Identifier: MIT
"""A dialect, as data: a frame, which marks the parts of a message, and a format of calls."""

from typing import Any, Final, NamedTuple, TypeVar

from .blocks.interface import CallFormat
from .frames.frame import Frame

#: The kinds of calls that each kind of frame can have.
_PAIRS: Final = {
    "tags": ("array", "elements"),
    "lines": ("object",),
    "wrapped": ("object", "headed", "tagged"),
    "bare": ("object",),
}


_Calls = TypeVar("_Calls", bound=CallFormat)


class _Members(NamedTuple):
    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    #: It can have these calls, since no other pair can be made.
    frame: Frame[Any]
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
        frame: Frame[_Calls],
        calls: _Calls,
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
