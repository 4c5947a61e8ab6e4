# SPDX-License-Identifier: MIT
"""A dialect, as data: a frame, which marks the parts of a message, and a format of calls.

Callers use the members of a frame, and never test for its class.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeVar

from .blocks.interface import CallFormat, CallKind
from .frames.machine import Machine, Options
from .frames.markers import FrameKind, Markers, Pair

#: The kinds of calls that each kind of frame can have.
_PAIRS: Final[dict[FrameKind, tuple[CallKind, ...]]] = {
    "tags": ("array", "elements"),
    "lines": ("object",),
    "wrapped": ("object", "objects", "keyed", "headed", "tagged", "literals", "text"),
    "bare": ("object", "objects", "literals"),
}


#: The roles of markers with which calls begin.
_CALLS: Final = ("block", "section", "call")

_Calls = TypeVar("_Calls", bound=CallFormat)
_Calls_contra = TypeVar("_Calls_contra", bound=CallFormat, contravariant=True)


class Frame(Protocol[_Calls_contra]):
    """How the parts of a message are marked; a frozen value.

    Its type says which formats of calls it can have.
    """

    def __hash__(self) -> int: ...

    kind: ClassVar[FrameKind]
    #: Whether a block or an error ends the turn; else an error only makes its calls void.
    is_block_last: ClassVar[bool]
    #: Whether results are written as one array; else each has a separate body.
    has_result_array: ClassVar[bool]
    #: Whether calls run when their turn ends; else a marker runs them.
    runs_at_end: ClassVar[bool]
    #: Whether markers are read in any ASCII letter case.
    ignores_case: ClassVar[bool]

    @property
    def has_headers(self) -> bool:
        """Whether headers say what follows them."""
        ...

    @property
    def call_headers(self) -> tuple[str, ...]:
        """The markers that begin headers, where a header names the tool of a call."""
        ...

    @property
    def has_results(self) -> bool:
        """Whether results have markers, so that there are transcripts."""
        ...

    @property
    def end(self) -> str:
        """The marker that ends a turn; empty if there is none."""
        ...

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are live in prose."""
        ...

    @property
    def block_ends(self) -> Pair:
        """The markers before and after the calls of a block."""
        ...

    @property
    def markers(self) -> Markers:
        """The markers, by where they are legal."""
        ...

    def machines(self, calls: _Calls_contra, options: Options) -> Callable[[], Machine]:
        """Return a factory of machines, each of which reads a turn or a transcript.

        `calls` is the format of calls in blocks.
        """
        ...


class _DialectFields(NamedTuple):
    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    #: It can have these calls, since no other pair can be made.
    frame: Frame[Any]
    #: How the calls of a block are read and written.
    calls: CallFormat
    #: Whether the calls of a block run together or one after the other.
    parallel: bool
    #: The `Format` of which it was made; `None` if it is no described format.
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
        return hash(self.name)  # faster than hashing all members

    @property
    def dialect(self) -> str:
        """The name; with `wire`, a dialect is accepted wherever what is for one is."""
        return self.name

    @property
    def wire(self) -> "Dialect":
        """The dialect itself."""
        return self

    @property
    def call_openers(self) -> tuple[str, ...]:
        """The markers that are live in prose and with which calls, or their headers, begin."""
        live = self.frame.markers.prose
        found = ((marker, live.match(f"{marker}\n", 0)) for marker in self.frame.openers)
        openers = (marker for marker, each in found if each and each.role in _CALLS)
        return *openers, *self.frame.call_headers
