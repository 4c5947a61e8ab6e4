"""cogwire itself, and what of the standard library its work is held against."""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from readers.base import Prepared, Reader, check
from turns import TURNS, Turn, delimiter, in_strings, prose, turn, xml_elements, xml_json

import cogwire

LIMITS = cogwire.Limits(calls=1_000_000, size=1 << 30)


class Ours(Reader):
    """A parser of a dialect, in token mode."""

    def __init__(self, dialect: str, written: Callable[[Turn], str]) -> None:
        self.dialect, self.written = dialect, written  # type: ignore[method-assign]
        self.has_strings_only = dialect == "xml-elements"

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return the two methods of a new parser."""
        parser = cogwire.Parser(self.dialect, stream="token", limits=LIMITS)
        return parser.feed, parser.close

    def seen(self, outputs: list[Any]) -> Turn:
        """Join the deltas."""
        return told(event for events in outputs for event in events)


def told(events: Iterable[Any]) -> Turn:
    """Return the turn of some events, each of which counts only if the calls may run."""
    parts: dict[str, list[str]] = {"think": [], "respond": [], "call": [], "execute": []}
    for event in events:
        parts[event["type"]].append(event.get("content", ""))
    if not parts["execute"]:
        raise ValueError("nothing may run")
    calls = list(map(json.loads, parts["call"]))
    return Turn("".join(parts["think"]), "".join(parts["respond"]), calls)


READERS = {
    "": Ours("xml-json", xml_json),
    "xml-elements": Ours("xml-elements", xml_elements),
    "delimiter": Ours("delimiter", delimiter),
}


def timed(function: Callable[[], object], units: float = 1) -> Prepared:
    """Return the measurement of a function."""

    def run() -> float:
        begin = time.process_time()
        function()
        return time.process_time() - begin

    return Prepared(run, units)


# -- Whole texts -----------------------------------------------------------------------------


def whole(series: str, kind: str, size: int) -> Prepared:
    """Read a text in one chunk, event by event; or do the least that must be done."""
    made = TURNS[kind](size)
    text = xml_json(made)
    if series == "limit":
        block = text[text.index("<execute>") + 9 : text.rindex("</execute>")]
        return timed(lambda: (json.loads(block), text.find("</execute>")))
    check(made, told(cogwire.parse(text, limits=LIMITS)))
    return timed(lambda: cogwire.parse(text, limits=LIMITS))


# -- Histories -------------------------------------------------------------------------------


def history(turns: int) -> list[Any]:
    """Return the events of so many turns of a model, each answered; all arguments are strings."""
    events: list[Any] = []
    said = xml_json(in_strings(turn(900)))
    for _ in range(turns):
        batch = cogwire.Batch()
        answers: list[Any] = []
        for event in cogwire.parse(said):
            events.append(event)
            answers += batch.take(event)
        for call in batch.calls:
            answers += batch.settle(call.index, "success", prose(300))
        events += answers
    return events


def messages(series: str, turns: int, unit: str) -> Prepared:
    """Make the messages of a history, take one more turn of it, or write its events as JSON."""
    events = history(turns)
    if series == "assembler":
        assembler = cogwire.Assembler()
        assembler.take(*events)
        last = history(1)
        return timed(lambda: (assembler.take(*last), assembler.messages))
    function = cogwire.to_messages if series == "" else json.dumps
    return timed(lambda: function(events), len(events) if unit == "event" else 1)


# -- Text to text, values to text ------------------------------------------------------------


def convert(series: str, way: str) -> Prepared:
    """Convert 200 kB of transcript; or read and write its events as JSON."""
    source, target = way.split(" to ")
    events = history(100)
    text = cogwire.render_events(events, source)
    if series == "json":
        written = list(map(json.dumps, events))
        return timed(lambda: [json.dumps(json.loads(line)) for line in written], _bytes(text))
    result = cogwire.convert(text, source, target, limits=LIMITS)
    if kinds(cogwire.parse_transcript(result, target)) != kinds(events):
        raise ValueError("the conversion lost events")
    return timed(lambda: cogwire.convert(text, source, target, limits=LIMITS), _bytes(text))


def transcript(series: str, dialect: str) -> Prepared:
    """Read a transcript; or its events as JSON."""
    events = history(100)
    text = cogwire.render_events(events, dialect)
    if series == "json":
        written = list(map(json.dumps, events))
        return timed(lambda: [json.loads(line) for line in written], _bytes(text))
    if kinds(cogwire.parse_transcript(text, dialect)) != kinds(events):
        raise ValueError("the transcript is not what was written")
    return timed(lambda: cogwire.parse_transcript(text, dialect), _bytes(text))


def _bytes(text: str) -> int:
    return len(text.encode())


def kinds(events: Iterable[Any]) -> list[str]:
    """Return the type of each event."""
    return [event["type"] for event in events]


def results(series: str, count: int) -> Prepared:
    """Write small results."""
    made = [
        {"tool": "read", "status": "success", "content": f"{index}: {prose(60)}"}
        for index in range(count)
    ]
    if series == "json":
        return timed(lambda: json.dumps(made, ensure_ascii=False))
    return timed(lambda: cogwire.render_results(made))
