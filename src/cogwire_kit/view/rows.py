# SPDX-License-Identifier: MIT
"""A transcript as rows: each event with its text, cut where something changes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cogwire import Event, Parser, Span, spans
from cogwire.tooling import Start, notation
from cogwire_kit.texts.places import Places


class TextRun(NamedTuple):
    """A run of characters of one kind."""

    text: str
    #: The author and the kind, as in `cogwire.spans`.
    author: str
    kind: str
    #: The error that is at this character; at the end of the text the part is empty.
    error: int | None = None


class Row(NamedTuple):
    """An event and its text."""

    #: None for the text after the last event.
    event: Event | None
    #: Where the text begins, in code points.
    begin: int
    #: In which line that is, and in which column, both from 1.
    line: int
    column: int
    parts: list[TextRun]
    #: The line and the column of the character at which an error is, as `cogwire lint` counts them.
    place: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """The text that the event accounts for."""
        return "".join(part.text for part in self.parts)


class Item(NamedTuple):
    """A message or an event of a record, unchanged."""

    #: Its role, or the type of the event.
    kind: str
    author: str
    #: The JSON of it.
    source: str
    #: Its events, as far as it can be read.
    events: Sequence[Event]
    #: Its text, if there are no events, and what is wrong with it.
    said: str = ""


def rows(text: str, dialect: str, start: Start = "prose") -> list[Row]:
    """Return the rows of the transcript `text`; their texts, joined, are the text as it is read."""
    mode = notation(dialect).mode
    parser = Parser(dialect, mode=mode, start=start, raw=True, spans=True, clock=None)
    events = parser.feed(text) + parser.close(finished=True)
    text = "".join(event["raw"] for event in events) + parser.tail
    pieces = spans(text, dialect, start=start)
    # Where the last piece of each error ends.
    reaches = {each.event: each.end for each in pieces if each.kind == "error"}
    claims = list(_claims(events, reaches, len(text)))
    errors = {event["span"][0]: n for n, event in enumerate(events) if event["type"] == "error"}
    places = Places()
    places.add(text)
    return [_placed(row, places) for row in _rows(text, claims, pieces, errors)]


def _placed(row: Row, places: Places) -> Row:
    """Return a row with the place of its error, if it has one."""
    if row.event is None or row.event["type"] != "error":
        return row
    return row._replace(place=places.line_and_column(row.event["span"][0]))


def _claims(
    events: Sequence[Event], reaches: dict[int | None, int], size: int
) -> Iterator[tuple[Event | None, int]]:
    """Yield the events, and where the text of each ends: an error has the text that it voided."""
    end, last = 0, 0
    for index, event in enumerate(events):
        end += len(event["raw"])
        following = events[index + 1]["span"][0] if index + 1 < len(events) else size
        last = max(last, end, min(reaches.get(index, end), following))
        yield event, last
    if last < size:
        yield None, size


def _rows(
    text: str,
    claims: Sequence[tuple[Event | None, int]],
    pieces: Sequence[Span],
    errors: dict[int, int],
) -> Iterator[Row]:
    """Cut the text where a claim or a span ends, and around each offending character."""
    cuts = {each.end for each in pieces} | errors.keys() | {at + 1 for at in errors}
    ordered = iter(sorted(cut for cut in cuts if cut <= len(text)))
    cut = next(ordered, 0)
    piece, begin, line, line_start = 0, 0, 1, 0
    for event, end in claims:
        parts: list[TextRun] = []
        pos = begin
        while pos < end:
            while cut <= pos:
                cut = next(ordered, end)
            while pieces[piece].end <= pos:
                piece += 1
            stop = min(cut, end)
            span = pieces[piece]
            parts.append(TextRun(text[pos:stop], span.author, span.kind, errors.get(pos)))
            pos = stop
        if event is not None and event["type"] == "error" and event["span"][0] == len(text):
            parts.append(TextRun("", "model", "marker", errors[len(text)]))
        yield Row(event, begin, line, begin - line_start + 1, parts)
        if newlines := text.count("\n", begin, end):
            line += newlines
            line_start = text.rindex("\n", begin, end) + 1
        begin = end
