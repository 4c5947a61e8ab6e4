# SPDX-License-Identifier: MIT
"""The interface of a frame.  Callers use its members and never test for its class."""

from collections.abc import Callable
from typing import ClassVar, Literal, Protocol, TypeVar

from ..blocks.interface import CallFormat
from .machine import Machine, Options
from .markers import Markers, Pair

#: The kinds of frames.
FrameKind = Literal["tags", "lines", "wrapped", "bare"]


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
