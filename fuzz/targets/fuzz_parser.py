"""The parser: any text or bytes, in any dialect, mode, stream and chunks, with any limits.

It never raises; no cut changes anything; joined deltas are the events; every character is in the
ledger once; and the events are those of the executable spec.
"""

import json
from typing import Any

from fuzz.targets.harness import Feed, Reader, cogwire, main, options_of, same
from tests import oracle
from tests.core.helpers import (
    LINES,
    MEMBERS,
    Run,
    assert_ledger,
    bare,
    joined,
    messages,
    repaired,
    run,
    singles,
    without,
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check the parser on one input."""
    check(Feed.read(Reader(data)))


def check(feed: Feed) -> None:
    """Check that one feed obeys the laws of the parser."""
    options = options_of(feed.reading)
    whole = run([feed.data], raw=True, **options)
    expect_spec(feed, whole)
    expect_one_stop(feed, whole.events)
    given = outline(whole)

    drawn = run(feed.chunks, stream=feed.stream, raw=feed.raw, **options)
    expect_plain_events(feed, drawn.events)
    same(outline(drawn), given if feed.raw else without_raw(given), f"cut at {feed.cuts}")
    expect_ledger_on_the_way(feed, options)

    tokens = run(singles(feed.units), stream="token", raw=True, **options)
    same(outline(tokens), given, "one by one")
    assert_ledger(feed.data, tokens.events, tokens.tail, tokens.discarded, feed.dialect)
    expect_next_turn(feed, options, whole)


def outline(outcome: Run) -> dict[str, Any]:
    """Return everything about a run that no chunking and no stream may change."""
    return {
        "events": bare(outcome.events),
        "messages": messages(outcome.events),
        "state": outcome.state,
        "discarded": outcome.discarded,
        "tail": outcome.tail,
    }


def without_raw(given: dict[str, Any]) -> dict[str, Any]:
    """Return the events without `raw`."""
    return given | {"events": without(given["events"], "raw"), "tail": ""}


def expect_spec(feed: Feed, whole: Run) -> None:
    """Compare with the executable spec, which shares no code with the core."""
    expected = oracle.parse(feed.data, raw=True, **feed.reading)
    same(bare(whole.events), expected.events, "the executable spec")
    same(
        (whole.state, whole.discarded, whole.tail),
        (expected.state, expected.discarded, expected.tail),
        "the executable spec: state, discarded and tail",
    )


def expect_plain_events(feed: Feed, events: list[dict[str, Any]]) -> None:
    """Every event is a JSON object that UTF-8 can represent, with the members of its type."""
    for event in events:
        optional = {"segment", "done", "path", "raw"} & event.keys()
        same(event.keys() - optional, MEMBERS[event["type"]], "the members of an event")
        same("raw" in event, feed.raw, "whether an event has a raw")
        is_delta = feed.stream == "token" and event["type"] in {"think", "respond"}
        same("segment" in event, is_delta, "whether an event has a segment")
        assert event["type"] != "error" or event["content"], "an error has a message"
    written = json.dumps(events, ensure_ascii=False, allow_nan=False)
    same(json.loads(written.encode()), events, "events as JSON")


def expect_one_stop(feed: Feed, events: list[dict[str, Any]]) -> None:
    """In a turn a block has one error, and no event follows the stop of the turn."""
    if feed.reading["mode"] == "transcript":
        return
    types = [event["type"] for event in events]
    codes = [event["code"] for event in events if event["type"] == "error"]
    if feed.dialect in LINES:
        assert not {"execute", "end"} & set(types[:-1]), types
        assert "forged-results" not in codes[:-1], codes
        assert len(codes) - codes.count("forged-results") <= 1, codes
        assert not codes or types[-1] != "execute", types
    else:
        assert all(kind in {"think", "respond", "call"} for kind in types[:-1]), types
        assert types.count("execute") + len(codes) + types.count("end") <= 1, types


def expect_ledger_on_the_way(feed: Feed, options: dict[str, Any]) -> None:
    """After every chunk, `tail` is the text that no event has claimed, without half characters."""
    parser = cogwire.Parser(clock=None, raw=True, stream=feed.stream, **options)
    claimed, fed_so_far = "", feed.data[:0]
    for chunk in feed.chunks:
        claimed += "".join(event["raw"] for event in parser.feed(chunk))
        fed_so_far += chunk
        text = repaired(fed_so_far)
        assert text.startswith(claimed + parser.tail), (claimed, parser.tail)
        known = len(claimed) + len(parser.tail) + parser.discarded
        assert known in {len(text), len(text) - 1}, (known, len(text))


def expect_next_turn(feed: Feed, options: dict[str, Any], whole: Run) -> None:
    """Let the parser begin another turn, in which it behaves like a new one."""
    if options["mode"] == "transcript":
        return
    parser = cogwire.Parser(clock=None, raw=True, **options)
    parser.feed(feed.data)
    parser.close(finished=True)
    same(parser.close(finished=True), [], "a second close")
    parser.next_turn()
    again = [*parser.feed(feed.data), *parser.close(finished=True)]
    same(joined(again), joined(whole.events), "the next turn")


if __name__ == "__main__":
    main(TestOneInput)
