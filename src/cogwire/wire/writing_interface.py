# SPDX-License-Identifier: MIT
"""The interfaces of writing: the parts of a message, and the calls of a block."""

import functools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, Literal, Protocol

from ..text.json_text import escaped
from .blocks.values import ItemWriter
from .frames.markers import MarkerSet, Pair, literal

#: The kinds of parts of a message, and of running text.
PartKind = Literal["user", "results", "think", "respond", "block", "replay"]
TextKind = Literal["user", "think", "respond"]
#: The kinds of running text that a model writes.
ModelKind = Literal["think", "respond"]

#: Characters after the `&` of a reference such as `&lt;`, with which a marker may begin.
_IN_REFERENCE: Final = re.compile("[#a-z0-9;]")
#: A marker that begins with digits: these, the first other character, and the rest.
_AFTER_DIGITS: Final = re.compile(r"([0-9]+)([^0-9])(.*)", re.DOTALL)


class CallWriting(Protocol):
    """How calls are written and taught."""

    #: For instructions: the form of a call; and the contents of a block, followed by the other
    #: rules as a list.
    description: str
    rules: str
    #: Whether the calls of a batch are one text; else each is between its own markers.
    is_whole: bool

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        """Return the text of one call, whose place is `path`; `RenderError` if it is invalid."""
        ...

    def spell(self, name: str, args: str) -> str:
        """Return the call with a name and args that are spelled as JSON; `RenderError` likewise."""
        ...

    def join(self, calls: Iterable[str], gap: str = "", first: int = 0, /) -> str:
        """Return the content of a block of `calls`, of which one has the index `first`.

        `gap` is the white space between the block's own markers and its content, if it has any.
        """
        ...


class FrameWriting(ABC):
    """How the parts of a message are written and taught, and what a text must not contain."""

    #: The text between two parts of one message.
    joint: ClassVar[str]
    #: What a user's text must not contain, as the first group of its matches.
    _of_users: re.Pattern[str]

    #: Whether all results that it writes are read back, whatever their texts begin and end with.
    is_sure_of_results = True

    @property
    def closing(self) -> str:
        """The marker at the end of a model's message that no block ends; may be empty."""
        return ""

    @property
    def results_end(self) -> str:
        """The marker between results and a user's text in one message; empty if none is needed."""
        return ""

    @property
    @abstractmethod
    def lookalikes(self) -> tuple[str, ...]:
        """The markers, and texts that a careless reader may mistake for one."""

    @functools.cached_property
    def _lookalike(self) -> list[re.Pattern[str]]:
        """For each first character of the lookalikes, a search for it, in any ASCII case."""
        rests: dict[str, list[str]] = {}
        for marker in self.lookalikes:
            # Without the punctuation at the end, which a careless reader may not check.
            first = marker[0].lower() if marker[0].isascii() else marker[0]
            rests.setdefault(first, []).append(re.escape(marker[1:].rstrip(">:]")))
        # A search for one of several characters takes several times as long.
        return [
            re.compile(f"{re.escape(first)}(?={'|'.join(rest)})", re.IGNORECASE | re.ASCII)
            for first, rest in rests.items()
        ]

    @functools.cached_property
    def _escapable(self) -> list[re.Pattern[str]]:
        """Searches for the character to escape in each lookalike: the first, unless it is a digit.

        The escape of a digit ends with the same digit, so that the lookalike would still be there.
        """
        found = (_AFTER_DIGITS.match(marker.rstrip(">:]")) for marker in self.lookalikes)
        after = (
            rf"(?<={each[1]}){re.escape(each[2])}(?={re.escape(each[3])})" for each in found if each
        )
        return [
            *(each for each in self._lookalike if not each.pattern[0].isdigit()),
            *(re.compile(each, re.IGNORECASE | re.ASCII) for each in after),
        ]

    @abstractmethod
    def text_ends(self, kind: ModelKind) -> Pair:
        """Return the markers before and after running text."""

    def risky(self, _kind: TextKind) -> tuple[str, ...]:
        """Return the characters with which running text may be read as something else."""
        return ()

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
    def write_results(self, content: str, items: Sequence[object] | None = None) -> str:
        """Return the results block of `content`, the text of an array.

        The xml dialects keep it verbatim; the delimiter dialects write each result in its shortest
        form.  `items` is the decoded array, if it is known.
        """

    def lookalikes_in(self, text: str) -> list[tuple[int, int]]:
        """Return the places of the first characters of whatever could be mistaken for a marker."""
        places = [found.span() for each in self._lookalike for found in each.finditer(text)]
        return sorted(places)

    def escape(self, text: str) -> str:
        """Return `text`, JSON, with an escape for a character of whatever could be mistaken so."""
        for each in self._escapable:
            text = each.sub(escaped, text)
        return text

    @abstractmethod
    def live(self, kind: ModelKind, *, has_called: bool, is_last: bool) -> MarkerSet:
        """Return the markers that must not begin in such a text, in another marker either.

        `has_called` is whether the text follows a call, and `is_last` whether no more can follow.
        """

    def unsafe(self, text: str, kind: TextKind) -> Iterator[tuple[int, int]]:
        """Yield the places of markers in `text` that a text of this kind must not contain.

        They may overlap: if only the first one's first character were replaced, the next one would
        still be there.
        """
        if kind == "user":
            yield from (found.span(1) for found in self._of_users.finditer(text))
            return
        markers = self.live(kind, has_called=False, is_last=True)
        # What is written after the text may complete a marker: its own closer, if it has one.
        line = f"{text}{self.text_ends(kind)[1]}\n"
        yield from marked_in(line, len(text), markers, fresh=True, is_last=True)

    @abstractmethod
    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        """Whether the boundary between two parts of one role is lost."""

    @abstractmethod
    def wording(self, calls: CallWriting) -> Mapping[str, str]:
        """Return the instructions on the markers, by their names in the prompt's template."""


def marked_in(
    text: str, end: int, markers: MarkerSet, *, fresh: bool, is_last: bool
) -> Iterator[tuple[int, int]]:
    """Yield the places of those of `markers` that begin before `end`; they may overlap.

    With `is_last`, one that the text after it could complete counts too.
    """
    pos = 0
    while (found := markers.find(text, pos, fresh=fresh)) or is_last:
        at = found.at if found else markers.hold(text, pos, fresh=fresh)
        if at >= end:
            return
        yield at, found.end if found else end
        pos, fresh = at + 1, False


def literal_across(marker: str, others: Iterable[str]) -> str:
    """Return the first of `others` in whose literal form `marker` could be live, or nothing."""
    if "&" in marker or _IN_REFERENCE.match(marker):
        for other in others:
            if _is_across(marker, literal(other), len(literal(other[0]))):
                return other
    return ""


def _is_across(marker: str, written: str, size: int) -> bool:
    """Whether `marker` could be live across the first `size` characters of `written`."""
    return any(
        written.startswith(marker[max(0, -at) :][: len(written)])
        if at < 0
        else marker.startswith(written[at:][: len(marker)])
        for at in range(1 - len(marker), size)
    )
