"""Snapshots: a parser continues elsewhere as if nothing had happened, and forgeries are refused.

The first byte selects which of the two is checked.  An even one is followed by a feed, with a
snapshot between its chunks; an odd one by a forged snapshot as JSON on a line, and a text to feed.
"""

from typing import Any

from fuzz.targets.harness import (
    DIALECTS,
    Feed,
    Reader,
    cogwire,
    hold,
    json_of,
    main,
    options_of,
    same,
    text_of,
)
from fuzz.targets.mutating import json_mutator
from tests.core.helpers import hopped, singles
from tests.core.parser import test_laws, test_snapshot_refused

#: The longest text with a snapshot at every character: each of them reads its block again.
MOST_HOPS = 40

LAWS = (
    test_laws.test_9_another_process_continues_with_the_same_events,
    test_laws.test_9_a_restored_parser_is_the_same,
)
LAWS_OF_FORGERIES = (
    test_snapshot_refused.test_a_forged_snapshot_is_refused_or_harmless,
    test_snapshot_refused.test_a_forged_snapshot_changes_no_law,
)

WORDS = (
    *("<", "</", "<thi", "</exec", "<execute>", "[", "]", "{", '{"name":"a","args":{}}', "<a/>"),
    *("§", "§exe", "§call: ", "§end", "[SYST", "\n", "<a><b>&", "\ufffd"),
    *("prose", "think", "execute", "results", "paused", "ended", "opening", "void", "payload"),
    *("called", "answer", "broken", "body", "between", "forged", "turn", "transcript", "event"),
    *("token", "str", "bytes", *DIALECTS, 0xD83D, 0xE2, 127, 128, [0xE2], [0xD83D], ["a"]),
    *('{"tool":"a","status":"success","content":1}', "version", "limits", "bodies", "room"),
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check snapshots on one input."""
    if data[:1] and data[0] % 2:
        line, _, text = data[1:].partition(b"\n")
        try:
            value = json_of(line)
        except ValueError:
            return
        check_forged(value, text)
    else:
        check_going_on(Feed.read(Reader(data[1:])))


def check_going_on(feed: Feed) -> None:
    """No snapshot changes anything, and each is plain JSON that makes itself again."""
    known: dict[str, Any] = {"reading": feed.reading, "stream": feed.stream, "raw": feed.raw}
    known["reading"] |= {"calls": "shown"}
    feeds = [feed.fed]
    if len(feed.data) <= MOST_HOPS:
        feeds.append(feed.fed._replace(chunks=singles(feed.data)))
    for fed in feeds:
        for law in LAWS:
            hold(law, feed.dialect, feed=fed, **known)
    if feed.reading["mode"] == "turn":
        expect_next_turn(feed)


def expect_next_turn(feed: Feed) -> None:
    """Begin another turn after a snapshot, in which the parser behaves like a new one."""
    options = options_of(feed.reading) | {"stream": feed.stream, "raw": feed.raw}
    parser = cogwire.Parser(clock=None, **options)
    expected = [event for chunk in feed.chunks for event in parser.feed(chunk)]
    expected += parser.close(finished=True)
    again = hopped(parser)
    again.next_turn()
    events = [event for chunk in feed.chunks for event in again.feed(chunk)]
    same([*events, *again.close(finished=True)], expected, "the turn after a snapshot")


def check_forged(value: Any, text: bytes) -> None:
    """Restore a forged snapshot, which is refused, or makes a parser that obeys the laws."""
    for law in LAWS_OF_FORGERIES:
        hold(law, DIALECTS[0], value=value, text=text_of(text))


mutate = json_mutator(1, WORDS)

if __name__ == "__main__":
    main(TestOneInput, mutate)
