"""Conversion: any text, from any dialect into any.

The report is empty if and only if the text converts back to the same events; no cut changes
anything; nothing is written that would run, or be an error; and the executable spec agrees.
"""

import json
from typing import Any

from fuzz.targets.harness import DIALECTS, Feed, Reader, cogwire, main, options_of, same
from tests.core.helpers import repaired, singles
from tests.oracle import converting

CODES = {"neutralised", "joined", "moved", "retyped", "completed", "dropped"}


class Number(tuple[str, ...]):
    """A number as it is spelled."""

    __slots__ = ()


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check the conversion of one input."""
    feed = Feed.read(Reader(data))
    check(feed, target_of(feed))


def target_of(feed: Feed) -> str:
    """Return the target dialect, which the two highest flags select."""
    return DIALECTS[feed.flags >> 6]


def check(feed: Feed, target: str) -> None:
    """Check that one conversion obeys its laws."""
    source = feed.dialect
    limits = options_of(feed.reading)["limits"]
    report: list[dict[str, Any]] = []
    converted = cogwire.convert(feed.data, source, target, limits=limits, report=report)
    expect_plain_report(feed, report)

    given = events_of(feed.data, source, limits)
    read = events_of(converted, target, limits)
    back = cogwire.convert(converted, target, source, limits=limits)
    same(read == given, report == [], "the target says the same if and only if nothing is reported")
    is_back = events_of(back, source, limits) == given
    same(is_back, report == [], "the way back gives the same if and only if nothing is reported")
    kinds = [event["type"] for event in read]
    assert "error" not in kinds, converted
    assert kinds.count("execute") <= [event["type"] for event in given].count("execute"), converted

    for chunks in (feed.chunks, singles(feed.units)):
        converter = cogwire.Converter(source, target, limits=limits)
        written = "".join([converter.feed(chunk) for chunk in chunks]) + converter.close(
            finished=True
        )
        same((written, converter.report), (converted, report), "cut")
        same(converter.close(finished=True), "", "a second close")
    if not any(feed.limits):
        expect_spec(feed.data, source, target, converted, report)


def expect_plain_report(feed: Feed, report: list[dict[str, Any]]) -> None:
    """Each entry has a place in the text, a known code and a message, and they are in order."""
    text = repaired(feed.data)
    offsets = [entry["offset"] for entry in report]
    same(offsets, sorted(offsets), "the order of the report")
    for entry in report:
        same(entry.keys(), {"offset", "code", "message"}, "the members of an entry")
        assert entry["code"] in CODES, entry
        assert entry["message"], entry
        assert 0 <= entry["offset"] <= len(text), entry
        assert entry["code"] != "neutralised" or text[entry["offset"]] in "<§[", entry


def expect_spec(
    data: str | bytes, source: str, target: str, converted: str, report: list[dict[str, Any]]
) -> None:
    """Compare with the executable spec, which shares no code with the core."""
    outlined = [{key: entry[key] for key in ("offset", "code")} for entry in report]
    same((converted, outlined), converting.convert(data, source, target), "the executable spec")


def events_of(text: str | bytes, dialect: str, limits: Any) -> list[dict[str, Any]]:
    """Return the events of a transcript in the form to compare: JSON as values."""
    events = cogwire.parse_transcript(text, dialect, clock=None, limits=limits)
    for event in events:
        if event["type"] in ("call", "result"):
            event["content"] = json.loads(event["content"], parse_int=Number, parse_float=Number)
    return events


if __name__ == "__main__":
    main(TestOneInput)
