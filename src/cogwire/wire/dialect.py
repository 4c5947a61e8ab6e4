# SPDX-License-Identifier: MIT
"""A dialect, as data: a frame, which marks the parts of a message, and a format of calls.

Callers use the members of a frame, and never test for its class.
"""

import functools
from binascii import crc32
from typing import Any, Final, NamedTuple, TypeVar, get_args

from .blocks.interface import CallFormat, CallKind
from .frames.machine import Frame, Machine, Options, Start
from .frames.markers import FrameKind

#: The dialects of the protocol.
PROTOCOL: Final = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
#: The kinds of calls that each kind of frame can have.
_PAIRS: Final[dict[FrameKind, tuple[CallKind, ...]]] = {
    "tags": ("array", "elements"),
    "lines": ("object",),
    "wrapped": ("object", "objects", "keyed", "headed", "tagged", "literals", "text"),
    "bare": ("object", "objects", "literals"),
}
#: The roles of markers with which calls begin.
_CALL_ROLES: Final = ("block", "section", "call")

_Calls = TypeVar("_Calls", bound=CallFormat)


class _DialectFields(NamedTuple):
    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    #: How the parts are marked; `Dialect` refuses a frame that cannot hold these calls.
    frame: Frame[Any]
    #: How the calls of a block are read and written.
    calls: CallFormat
    #: Whether the calls of a block run together or one after the other.
    parallel: bool
    #: The `Format` of which it was made; `None` if it is not a described format.
    form: Any = None


class Dialect(_DialectFields):
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
        form: Any = None,
    ) -> "Dialect":
        if calls.kind not in _PAIRS[frame.kind]:
            raise ValueError(
                f"the dialect {name} cannot have calls of the kind {calls.kind}: the frame "
                f"{frame.kind} can have {' or '.join(_PAIRS[frame.kind])}"
            )
        closer = frame.block_ends[1]
        if calls.closer not in (None, closer):
            raise ValueError(
                f"the dialect {name} cannot have the closer {closer!r} after its calls: a frame "
                f"{frame.kind} with calls of the kind {calls.kind} needs {calls.closer!r}"
            )
        return super().__new__(cls, name, frame, calls, parallel, form)

    def __hash__(self) -> int:
        return hash((self.name, self.calls))  # of all members these are hashed fast

    @property
    def dialect(self) -> str:
        """The name; with `wire`, a dialect is accepted wherever what is for one is."""
        return self.name

    @property
    def wire(self) -> "Dialect":
        """The dialect itself."""
        return self

    def checked_start(self, start: object) -> Start:
        """Return the state in which turns begin; `ValueError` for one that they cannot begin in."""
        choices: tuple[Start, ...] = get_args(Start)
        if start not in choices:
            raise ValueError(f"start must be one of {', '.join(choices)}, not {start!r}")
        if start == "header" and not self.frame.header_end:
            raise ValueError(f"{self.name} has no headers, so no turn begins in one")
        # What was given may be equal, and no `str`.
        return next(each for each in choices if each == start)

    def machine(self, options: Options) -> Machine:
        """Return a machine that reads a turn or a transcript."""
        return self.frame.machine(self.calls, options)

    @functools.cached_property
    def checksum(self) -> int | None:
        """The CRC-32 of the description; `None` if this is not a described format."""
        return None if self.form is None else crc32(ascii(self.form).encode())

    @property
    def call_openers(self) -> tuple[str, ...]:
        """The markers that are live in prose and with which calls, or their headers, begin."""
        openers = (marker for marker, role in self.frame.roles.items() if role in _CALL_ROLES)
        return *openers, *self.frame.call_headers
