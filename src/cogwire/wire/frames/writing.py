# SPDX-License-Identifier: MIT
"""The interface for writing the parts of a frame, which parsers do not need."""

import functools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from ..blocks.format import CallWriting
from .frame import PartKind, TextKind
from .markers import Pair


class FrameWriting(ABC):
    """How the parts of a message are written and taught, and what a text must not contain."""

    #: The text between two parts of one message.
    joint: ClassVar[str]

    @property
    def closing(self) -> str:
        """The marker at the end of a model's message that no block ends; may be empty."""
        return ""

    @abstractmethod
    def text_ends(self, kind: Literal["think", "respond"]) -> Pair:
        """Return the markers before and after running text."""

    @abstractmethod
    def think_opener(self) -> str:
        """Return the marker that begins a think."""

    @abstractmethod
    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        """Return the parts of a batch of `calls`, each as its format writes it.

        The last part runs the batch.  If a block ends the turn, it is one part; else there is one
        part for each call, and text may be between them.
        """

    @abstractmethod
    def write_results(self, content: str, items: Sequence[object] | None) -> str:
        """Return the results block of `content`, the text of an array.

        `items` is the decoded array, if it is known.
        """

    # -- What a text must not contain -------------------------------------------------------

    @property
    @abstractmethod
    def lookalikes(self) -> tuple[str, ...]:
        """The markers, and texts that a careless reader may mistake for one."""

    @functools.cached_property
    def lookalike(self) -> re.Pattern[str]:
        """The first character of whatever could be mistaken for a marker, in any ASCII case."""
        # Without the punctuation at the end, which a careless reader may not check.
        names = (marker.rstrip(">:]") for marker in self.lookalikes)
        choices = "|".join(f"{re.escape(name[0])}(?={re.escape(name[1:])})" for name in names)
        return re.compile(choices, re.IGNORECASE | re.ASCII)

    @abstractmethod
    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        """Yield the places of markers in `text` that a text of this kind must not contain."""

    @abstractmethod
    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        """Whether the boundary between two parts of one role is lost."""

    # -- Words for the prompt ---------------------------------------------------------------

    @abstractmethod
    def wording(self, calls: CallWriting) -> Mapping[str, str]:
        """Return the instructions on the markers, by their names in the prompt's template."""
