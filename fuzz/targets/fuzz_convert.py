"""Conversion: any text, from any dialect into any.

The report is empty if and only if the text converts back to the same events; no cut changes
anything; nothing is written that would run, or be an error; and the executable spec agrees.
"""

from typing import Any

from fuzz.targets.harness import DIALECTS, Feed, Reader, hold, main, options_of, same
from tests.core.conversion import test_convert
from tests.core.helpers import repaired
from tests.oracle import converting

CODES = {"neutralised", "joined", "moved", "retyped", "completed", "dropped"}


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
    converted, report = test_convert.assert_law(feed.data, source, target, limits=limits)
    expect_plain_report(feed, report)
    known: dict[str, Any] = {"target": target, "limits": feed.reading["limits"]}
    hold(test_convert.test_cuts_change_nothing, source, feed=feed.fed, **known)
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


if __name__ == "__main__":
    main(TestOneInput)
