# SPDX-License-Identifier: MIT
"""The spans of a transcript: who wrote each piece of its text, and what it is.

The pieces tile the text.  They are made from what the parser's machine traces: the places of the
events' contents and of the live markers.  The text between two of these is white space or part of
what is open there: the brackets of a block, the text of results, or text that an error made void.

Rules: spec/convert.md, "Spans".
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from ..events import Limits
from ..parser.placed import Placed, PlacedReader
from ..text import WHITE
from ..text.decoding import decode
from ..wire.dialects import DEFAULT, Dialect, HasDialect, dialect_named
from ..wire.frames.machine import Start
from ..wire.frames.markers import Found, Role
from .detect import looks_like, unnamed

#: Who wrote a piece of a text.
Author = Literal["model", "system", "user"]
#: What a piece of a text is.
SpanKind = Literal["think", "prose", "call", "marker", "syntax", "results", "error", "white"]


class Span(NamedTuple):
    """A piece of a text: its author, its kind, its event and its place."""

    #: Who wrote it.
    author: Author
    #: What it is; everything that belongs to an error is `error`.
    kind: SpanKind
    #: The index of its event in what `parse_transcript` returns; `None` if it has no event.
    event: int | None
    #: The offset where it begins, in code points.
    start: int
    #: The offset where it ends, in code points.
    end: int
    #: The offset where it begins, in bytes of the text as UTF-8.
    start_byte: int
    #: The offset where it ends, in bytes of the text as UTF-8.
    end_byte: int


class Reading(NamedTuple):
    """A transcript as a parser reads it."""

    #: Its characters.
    text: str
    #: The offsets of those that the decoder replaced, in code points.
    replaced: Sequence[int]
    #: Its events, and their places.
    events: Sequence[Placed]
    #: Its pieces, in order and without gaps.
    spans: list[Span]


def spans(
    text: str | bytes,
    dialect: str | HasDialect | None = None,
    *,
    start: Start = "prose",
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> list[Span]:
    """Return the pieces of the transcript `text`, in order and without gaps.

    The default `dialect` is `xml-json`; but a text without a marker of it that looks like another
    dialect is then refused with a `ValueError` that names that one: all of it would be prose.

    `start` is the state in which its turns begin: `"think"` for templates that put the think's
    opener into the prompt, and `"header"` for those that end it in a header, where the format has
    headers.  `limits` are those of the parser.  A character that the decoder replaced counts as
    U+FFFD, which has three bytes.  Raises `ValueError` for an option that does not exist,
    `TypeError` for limits that are not a `Limits`, and nothing for malformed text.
    """
    reading = read(text, dialect or DEFAULT, start=start, limits=limits)
    if dialect is None and (names := looks_like(reading.text, DEFAULT)):
        raise ValueError(unnamed(names))
    return reading.spans


def read(
    text: str | bytes,
    dialect: str | HasDialect,
    *,
    start: Start = "prose",
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> Reading:
    """Return what a parser finds in the transcript `text`, and where.

    The options are those of `spans`, and so is what is raised; the dialect is always named.
    """
    wire = dialect_named(dialect)
    characters, replaced = decode(text)
    reader = PlacedReader(wire, limits, token=False, start=start, markers=True)
    placed = reader.feed(text) + reader.close(finished=True)
    tiled = _Tiling(characters, wire, placed).tiled(reader)
    return Reading(characters, replaced, placed, tiled)


class _Content(NamedTuple):
    """The content of a segment or a call, and its event."""

    at: int
    end: int
    event: int
    #: The index of its batch.
    batch: int
    is_call: bool


_Item = Found | _Content

#: The author, kind and event of the open part, or of its last segment before white space.
_Label = tuple[Author, SpanKind, "int | None"]

_MODEL: Final[_Label] = ("model", "white", None)
_SYSTEM: Final[_Label] = ("system", "white", None)


class _Tiling:
    """One text, and the spans that cover it so far."""

    def __init__(self, text: str, wire: Dialect, placed: Sequence[Placed]) -> None:
        self._text = text
        self._is_block_last = wire.frame.is_block_last
        #: Whether calls run at the end of their turn; the text after a call is then prose, and not
        #: a part of the error of its batch.
        self._runs_at_end = wire.frame.runs_at_end
        self._has_lists = wire.calls.has_lists
        self._placed = placed
        self._spans: list[Span] = []
        self._at = 0
        self._byte = 0
        #: The label of text here that is not an item, and the role of the open marker; and the
        #: label of white space in the open section.
        self._open: _Label = _MODEL
        self._role: Role | None = None
        self._section: _Label | None = None
        #: How many batches have ended, and the label of the results that answer the last one.
        self._batch: int = 0
        self._answer: _Label | None = None
        #: Where turns without calls end, in order.
        self._ends = [each.begin for each in placed if each.event["type"] == "end"]
        self._sort_events(placed)

    def _sort_events(self, placed: Sequence[Placed]) -> None:
        #: The event that ended each batch: its execute, or the error that made it void.
        self._executes: dict[int, int] = {}
        self._errors: dict[int, int] = {}
        #: The errors of forged results, ends and results, by the offset of the marker.
        self._at_marker: dict[int, int] = {}
        broken: list[int] = []
        for index, (event, begin, _, batch) in enumerate(placed):
            if event["type"] == "execute":
                self._executes[batch] = index
            elif event["type"] in ("result", "end"):
                self._at_marker[begin] = index
            elif event["type"] == "error":
                if event["code"].startswith("results-"):
                    broken.append(index)
                elif event["code"] == "forged-results":
                    self._at_marker[begin] = index
                    # In the xml dialects it is not an error of the block that may follow.
                    self._errors.setdefault(batch, index)
                elif self._is_block_last:
                    self._errors[batch] = index
                else:
                    self._errors.setdefault(batch, index)
        #: The errors of results where results were expected, in order.
        self._broken = iter(broken)

    def tiled(self, reader: PlacedReader) -> list[Span]:
        """Return the spans of the text that `reader` has read."""
        left_out = [
            _Content(begin, end, self._errors[batch], batch, is_call=True)
            for begin, end, batch in reader.left_out
        ]
        # These are sorted runs.
        items: list[_Item] = [*reader.markers, *self._contents(), *left_out]
        items.sort(key=lambda item: item.at)
        for before, item, after in zip([None, *items], items, [*items[1:], None], strict=False):
            if isinstance(item, Found):
                self._cover(item.at, keeps_end=item.role == "close")
                self._take_marker(item, after)
            elif not self._is_in_error(before):
                self._cover(item.at, keeps_end=False)
                self._take_content(item, before)
        self._cover(len(self._text), keeps_end=False)
        return self._spans

    def _contents(self) -> Iterator[_Content]:
        """Yield the contents of segments and calls, in the order of the text."""
        for index, (event, begin, end, batch) in enumerate(self._placed):
            if event["type"] in ("think", "respond", "call"):
                yield _Content(begin, end, index, batch, event["type"] == "call")

    # -- Markers and contents ---------------------------------------------------------------

    def _is_in_error(self, before: _Item | None) -> bool:
        """Whether the content after `before` is in a void block or call, which is one piece."""
        is_in_call = self._runs_at_end and self._role == "call" and isinstance(before, Found)
        return (is_in_call or self._role == "block") and self._open[1] == "error"

    def _take_content(self, content: _Content, before: _Item | None) -> None:
        self._answer = None
        event = content.event
        if content.is_call:
            kind: SpanKind = "call" if content.batch in self._executes else "error"
        elif not self._runs_at_end and _belongs_to_call(before):
            kind = "error"
        else:
            kind = "think" if self._placed[event].event["type"] == "think" else "prose"
        if kind == "error":
            event = self._errors[content.batch]
        self._add("model", kind, event, content.end)
        if self._role != "block" and not content.is_call:  # a call's opener has said it
            self._open = ("model", "error" if kind == "error" else "white", event)

    def _take_marker(self, marker: Found, after: _Item | None) -> None:
        role = marker.role
        if role == "stray":
            self._open = self._in_batch(marker.at, "white")
            self._add_marker(marker)
            self._open = _MODEL
            return
        if role in ("close", "section_end"):
            if role == "section_end":
                self._open, self._section = self._section or _MODEL, None
            self._take_closer(marker)
            return
        if role == "results":
            self._take_results(marker)
            return
        self._answer = None
        self._role = role
        content = after if isinstance(after, _Content) else None
        if role == "end":
            self._take_end(marker)
        elif role in ("think", "prose"):
            self._open = _MODEL
            event = content.event if content is not None else None
            self._add("model", "marker", event, marker.end)
        elif role == "call":
            self._take_opener(marker, content)
        elif role == "section":
            self._section = self._open = self._in_batch(marker.at, "white")
            self._add_marker(marker)
        else:
            self._take_batch(marker)

    def _take_opener(self, marker: Found, content: _Content | None) -> None:
        """Take the marker of a call, or of text that turned out to be prose."""
        is_prose = self._runs_at_end and content is not None and not content.is_call
        self._open = self._in_batch(marker.at, "syntax")
        if is_prose or (self._open[1] != "error" and not self._has_lists):
            self._open = ("model", "white", None if content is None else content.event)
        self._add_marker(marker)

    def _take_batch(self, marker: Found) -> None:
        """Take a marker of the open batch; the event that ends the batch decides its label."""
        self._open = self._in_batch(marker.at, "syntax")
        self._add_marker(marker)
        if marker.role != "block":
            self._open = _SYSTEM
            self._batch += 1

    def _take_end(self, marker: Found) -> None:
        """Take a marker that ends the turn, and that ends its batch if there is one."""
        event = self._at_marker.get(marker.at)
        is_of_batch = event is None
        own: _Label = ("model", "white", event)
        self._open = self._in_batch(marker.at, "white") if is_of_batch else own
        self._add_marker(marker)
        self._batch += is_of_batch if self._runs_at_end else not self._is_block_last
        self._open, self._section = _SYSTEM, None

    def _in_batch(self, at: int, kind: SpanKind) -> _Label:
        """Return the label of what belongs to the open batch at this offset."""
        execute, error = self._executes.get(self._batch), self._errors.get(self._batch)
        event = error if execute is None else execute
        if event is None:
            return _MODEL
        end = bisect(self._ends, at)
        if end < len(self._ends) and self._ends[end] < self._placed[event].begin:
            return _MODEL  # the batch is of a later turn
        return ("model", "error" if execute is None else kind, event)

    def _add_marker(self, marker: Found) -> None:
        author, kind, event = self._open
        self._add(author, "error" if kind == "error" else "marker", event, marker.end)

    def _take_results(self, marker: Found) -> None:
        event = self._at_marker.get(marker.at)
        if event is not None and self._placed[event].event["type"] == "error":
            self._answer = None
            label: _Label = ("model", "error", event)
        elif self._answer is not None:
            label = self._answer
        else:
            is_broken = event is None
            event = next(self._broken) if event is None else event
            label = self._answer = ("system", "error" if is_broken else "results", event)
            self._batch = self._placed[event].batch
        self._open, self._role = label, "results"
        self._add_marker(marker)

    def _take_closer(self, marker: Found) -> None:
        author, kind, event = self._open
        if self._role not in ("block", "results"):
            author = "model"  # after a hard stop, the prompt may have opened a think
        self._open = (author, kind, event)
        self._add_marker(marker)
        is_block = self._role == "block"
        self._batch += is_block
        self._open = _SYSTEM if is_block or author == "system" else self._section or _MODEL
        self._role = None

    # -- Pieces -----------------------------------------------------------------------------

    def _cover(self, end: int, *, keeps_end: bool) -> None:
        """Cover the text up to `end`, in which there is no item."""
        if self._at == end:
            return
        author, kind, event = self._open
        gap = self._text[self._at : end]
        first = self._at + len(gap) - len(gap.lstrip(WHITE))
        last = max(first, self._at + len(gap.rstrip(WHITE)))
        if kind == "error":
            last = end if keeps_end else self._at + len(gap.rstrip(WHITE))
            self._add(author, "error", event, last)
        elif first < last:
            if kind == "white":  # a closer that the end of the text cuts
                kind = "marker"
            self._add(author, "white", None, first)
            self._add(author, kind, event, last)
        self._add(author, "white", None, end)

    def _add(self, author: Author, kind: SpanKind, event: int | None, end: int) -> None:
        """Cover the text up to `end` with one piece, merged with the last one of the same error."""
        at, byte = self._at, self._byte
        if at == end:
            return
        piece = self._text[at:end]
        self._at = end
        self._byte += len(piece) if piece.isascii() else len(piece.encode())
        last = self._spans[-1] if self._spans else None
        if last is not None and kind == "error" and last[:3] == (author, kind, event):
            self._spans[-1] = last._replace(end=end, end_byte=self._byte)
        else:
            self._spans.append(Span(author, kind, event, at, end, byte, self._byte))


def _belongs_to_call(before: _Item | None) -> bool:
    """Whether the text after `before` is a payload that was read again, or follows a call."""
    if isinstance(before, _Content):
        return before.is_call
    return before is not None and before.role == "call"
