# SPDX-License-Identifier: MIT
"""`cogwire parse`: the events of a text, for people or for programs."""

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from cogwire import Event, Parser
from cogwire_kit._source import Source

if TYPE_CHECKING:
    from cogwire_kit._painter import Painter

_WHITE = " \t\n\r"
_TAIL_SHOWN = 60


def to_programs(source: Source, output: BinaryIO, **options: Any) -> int:
    """Write JSON Lines; return how many error events there were."""
    parser = Parser(**options)
    errors = 0
    for text in source:
        errors += _write(parser.feed(text), output)
    return errors + _write(parser.close(), output)


def _write(events: list[Event], output: BinaryIO) -> int:
    if events:
        output.writelines(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in events)
        output.flush()
    return sum(event["type"] == "error" for event in events)


def to_people(source: Source, painter: "Painter", *, raw: bool, **options: Any) -> int:
    """Write coloured lines and a summary; return how many error events there were."""
    # The raw text of each event says where the next one begins.
    parser = Parser(raw=True, **options)
    reader = _Reader(source, painter, raw=raw)
    for text in source:
        reader.show(parser.feed(text))
    reader.show(parser.close())
    painter.close()
    _summary(parser, painter)
    return painter.counts["error"]


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
    counts = ", ".join(f"{count} {kind}" for kind, count in painter.counts.items())
    painter.note(f"-- {counts or 'no events'}; state {parser.state}")
    if tail := parser.tail.strip(_WHITE):
        shown = tail if len(tail) <= _TAIL_SHOWN else tail[: _TAIL_SHOWN - 1] + "…"
        painter.note(f"-- part of no event: {json.dumps(shown, ensure_ascii=False)}")
    if parser.discarded:
        painter.note(f"-- {parser.discarded} characters after the stop were discarded")
