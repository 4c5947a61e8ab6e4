# SPDX-License-Identifier: MIT
"""The interfaces of a frame.  Callers use its members and never test for its class."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, Protocol

from ..blocks.interface import CallFormat, CallWriting
from .machine import Machine, Options
from .markers import Markers, Pair

#: The kinds of frames.
FrameKind = Literal["tags", "lines", "wrapped", "bare"]
#: The kinds of parts of a message, and of running text.
PartKind = Literal["user", "results", "think", "respond", "block", "replay"]
TextKind = Literal["user", "think", "respond"]


class Frame(Protocol):
    """How the parts of a message are marked; a frozen value."""

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

    def machines(self, calls: CallFormat, options: Options) -> Callable[[], Machine]:
        """Return a factory of machines, each of which reads a turn or a transcript.

        `calls` is the format of calls in blocks.
        """
        ...


class FrameWriting(Protocol):
    """How the parts of a message are written and taught, and what a text must not contain."""

    #: The text between two parts of one message.
    joint: ClassVar[str]
    #: The characters with which prose may begin a call, or lose its first character.
    risky: ClassVar[tuple[str, ...]]

    @property
    def closing(self) -> str:
        """The marker at the end of a model's message that no block ends; may be empty."""
        ...

    @property
    def results_end(self) -> str:
        """The marker between results and a user's text in one message; empty if none is needed."""
        ...

    @property
    def lookalikes(self) -> tuple[str, ...]:
        """The markers, and texts that a careless reader may mistake for one."""
        ...

    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        """Return the markers before and after running text."""
        ...

    def think_opener(self) -> str:
        """Return the marker that begins a think."""
        ...

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        """Return the parts of a batch of `calls`, each as its format writes it.

        The last part runs the batch.  If a block ends the turn, it is one part; else there is one
        part for each call, and text may be between them.
        """
        ...

    def write_results(self, content: str, items: Sequence[object] | None = None) -> str:
        """Return the results block of `content`, the text of an array.

        The xml dialects keep it verbatim; the delimiter dialects write each result in its shortest
        form.  `items` is the decoded array, if it is known.
        """
        ...

    def lookalikes_in(self, text: str) -> list[tuple[int, int]]:
        """Return the places of the first characters of whatever could be mistaken for a marker."""
        ...

    def escape(self, text: str, spell: Callable[[str], str] = ...) -> str:
        """Return `text` with these characters spelled otherwise, as is allowed in JSON strings."""
        ...

    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        """Yield the places of markers in `text` that a text of this kind must not contain."""
        ...

    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        """Whether the boundary between two parts of one role is lost."""
        ...

    def wording(self, calls: CallWriting) -> Mapping[str, str]:
        """Return the instructions on the markers, by their names in the prompt's template."""
        ...
