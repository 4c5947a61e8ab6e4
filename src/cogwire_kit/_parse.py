# SPDX-License-Identifier: MIT
"""`cogwire parse`: the events of a text, for people or for programs."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from cogwire import Event, Parser
from cogwire_kit._counted import counted
from cogwire_kit._source import Source

if TYPE_CHECKING:
    from cogwire_kit._painter import Painter

_WHITE = " \t\n\r"
_TAIL_SHOWN = 60


class Outcome(NamedTuple):
    """How many events of each type there are, and how many characters were discarded at the end."""

    counts: Counter[str]
    discarded: int


def to_programs(
    pieces: Iterable[str], output: BinaryIO, *, file: str | None = None, **options: Any
) -> Outcome:
    """Write JSON Lines, each event with the name of its `file` if one is given."""
    parser = Parser(**options)
    counts = Counter[str]()
    place = {} if file is None else {"file": file}
    for text in pieces:
        counts += _write(parser.feed(text), output, place)
    counts += _write(parser.close(finished=True), output, place)
    return Outcome(counts, parser.discarded)


def _write(events: list[Event], output: BinaryIO, place: dict[str, str]) -> Counter[str]:
    if events:
        lines = (json.dumps({**place, **each}, ensure_ascii=False) for each in events)
        output.writelines(line.encode() + b"\n" for line in lines)
        output.flush()
    return Counter(event["type"] for event in events)


def to_people(
    pieces: Iterable[str], source: Source, painter: "Painter", *, raw: bool, **options: Any
) -> Outcome:
    """Write coloured lines and a summary of the text in `source`, which comes in `pieces`."""
    # The raw text of each event says where the next one begins.
    parser = Parser(raw=True, **options)
    reader = _Reader(source, painter, raw=raw)
    for text in pieces:
        reader.show(parser.feed(text))
    reader.show(parser.close(finished=True))
    painter.close()
    _summary(parser, painter)
    return Outcome(painter.counts, parser.discarded)


class _Reader:
    """Shows events with their offsets, and errors with their line."""

    def __init__(self, source: Source, painter: "Painter", *, raw: bool) -> None:
        self._source = source
        self._painter = painter
        self._raw = raw
        self._position = 0

    def show(self, events: list[Event]) -> None:
        for event in events:
            if "index" in event:
                # A call delta accounts for no text.
                self._painter.event(event, self._position)
                continue
            raw = event["raw"]
            if event["type"] == "error":
                self._painter.event(event, event["offset"])
                self._painter.caret(*self._source.line_at(event["offset"]))
            else:
                white = len(raw) - len(raw.lstrip(_WHITE))
                self._painter.event(event, self._position + white - _claimed(event, raw))
            if self._raw:
                self._painter.raw(raw)
            self._position += len(raw)


def _claimed(event: Event, raw: str) -> int:
    """Return how much of a segment the error before it has claimed: it is read a second time."""
    if event["type"] == "think" or event["type"] == "respond":
        return max(0, len(event["content"]) - len(raw.rstrip(_WHITE)))
    return 0


def _summary(parser: Parser, painter: "Painter") -> None:
    counts = ", ".join(counted(count, kind) for kind, count in painter.counts.items())
    painter.note(f"-- {counts or 'no events'}; state {parser.state}")
    if tail := parser.tail.strip(_WHITE):
        shown = tail if len(tail) <= _TAIL_SHOWN else tail[: _TAIL_SHOWN - 1] + "…"
        painter.note(f"-- part of no event: {json.dumps(shown, ensure_ascii=False)}")
