"""Snapshots: a parser continues elsewhere as if nothing had happened, and forgeries are refused.

The first byte selects which of the two is checked.  An even one is followed by a feed, with a
snapshot between its chunks; an odd one by a forged snapshot as JSON on a line, and a text to feed.
"""

import json
from typing import Any

from fuzz.targets.harness import (
    DIALECTS,
    Feed,
    Reader,
    cogwire,
    json_of,
    main,
    options_of,
    same,
    text_of,
)
from fuzz.targets.mutating import json_mutator
from tests.core.helpers import hopped, run, singles, without

#: The longest text with a snapshot at every character: each of them reads its block again.
MOST_HOPS = 40

STATES = {"prose", "think", "execute", "results", "paused", "ended"}
TEXTS = {"think", "respond"}

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


# --- Resuming ---------------------------------------------------------------------------------


def check_going_on(feed: Feed) -> None:
    """No snapshot changes anything, and each is plain JSON that makes itself again."""
    options = options_of(feed.reading) | {"stream": feed.stream, "raw": feed.raw}
    parser = cogwire.Parser(clock=None, **options)
    events = []
    for chunk in feed.chunks:
        events += parser.feed(chunk)
        parser = carried_over(parser)
    events += parser.close(finished=True)
    expected = run(feed.chunks, **options)
    found = (events, parser.state, parser.discarded, parser.tail)
    same(found, tuple(expected), f"with snapshots at {feed.cuts}")
    same(carried_over(parser).close(finished=True), [], "what a closed parser gives elsewhere")
    if len(feed.units) <= MOST_HOPS:
        one_by_one = singles(feed.units)
        hopping = run(one_by_one, hop=True, **options)
        same(hopping, run(one_by_one, **options), "with snapshots everywhere")
    if options["mode"] == "turn":
        again = carried_over(parser)
        again.next_turn()
        events = [event for chunk in feed.chunks for event in again.feed(chunk)]
        same([*events, *again.close(finished=True)], expected.events, "the turn after a snapshot")


def carried_over(parser: Any) -> Any:
    """Return the parser that another process makes from the unchanged snapshot."""
    value = parser.snapshot()
    written = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    same(json.loads(written), value, "a snapshot as JSON")
    restored = cogwire.Parser.restore(json.loads(written), clock=None)
    same(restored.snapshot(), value, "the snapshot of what was restored")
    return restored


# --- Forged snapshots ---------------------------------------------------------------------------


def check_forged(value: Any, text: bytes) -> None:
    """Restore a forged snapshot, which is refused, or makes a parser that obeys the laws."""
    try:
        parser, other = (cogwire.Parser.restore(value, clock=None) for _ in range(2))
    except ValueError:
        return
    hopping = carried_over(parser)
    if value["closed"]:
        same(parser.close(finished=True), [], "what a closed parser gives")
        return
    data = text if value["unit"] == "bytes" else text_of(text)
    whole = [*parser.feed(data), *parser.close(finished=True)]
    cut = [event for chunk in singles(data) for event in other.feed(chunk)] + other.close(
        finished=True
    )
    same(written(cut), written(whole), "one by one after a forged snapshot")
    same(ending(other), ending(parser), "the end after a forged snapshot")
    middle = len(data) // 2
    hopped_events = hopping.feed(data[:middle])
    hopping = hopped(hopping)
    hopped_events += hopping.feed(data[middle:]) + hopping.close(finished=True)
    same(written(hopped_events), written(whole), "a snapshot after a forged one")
    assert parser.state in STATES, parser.state
    assert parser.discarded >= 0, parser.discarded
    assert isinstance(parser.tail, str), parser.tail
    same(hopped(parser).close(finished=True), [], "what a closed parser gives elsewhere")


def ending(parser: Any) -> tuple[str, int, str]:
    """Return how a parser ends."""
    return parser.state, parser.discarded, parser.tail


def written(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join adjacent text events of one type, which token mode may cut anywhere."""
    runs: list[dict[str, Any]] = []
    for event in without(events, "segment", "done"):
        if runs and event["type"] in TEXTS and runs[-1]["type"] == event["type"]:
            for name in {"content", "raw"} & event.keys():
                runs[-1][name] += event[name]
        else:
            runs.append(dict(event))
    return runs


mutate = json_mutator(1, WORDS)

if __name__ == "__main__":
    main(TestOneInput, mutate)
