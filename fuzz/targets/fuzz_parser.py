"""The parser: any text or bytes, in any dialect, mode, stream and chunks, with any limits.

The laws of the tests hold for each input, also with a snapshot between its chunks, and another turn
is read as by a new parser.
"""

from typing import Any

from fuzz.targets.harness import CUT_OFF, Feed, Reader, cogwire, hold, main, options_of, same
from tests.core.helpers import hopped, joined, run, singles
from tests.core.parser import test_laws

#: The laws for any text, and those for turns.
LAWS = (
    test_laws.test_0_the_core_is_the_executable_spec,
    test_laws.test_1_any_input_produces_plain_events,
    test_laws.test_2_no_cut_changes_anything,
    test_laws.test_4_every_character_is_accounted_for_once,
)
LAW_OF_TURNS = test_laws.test_7_only_a_whole_and_strictly_valid_block_runs
#: The longest text with a snapshot at every character: each of them reads its block again.
MOST_HOPS = 40
LAW_OF_SNAPSHOTS = test_laws.test_9_another_process_continues_with_the_same_events


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check the parser on one input."""
    check(Feed.read(Reader(data)))


def check(feed: Feed) -> None:
    """Check that one feed obeys the laws of the parser."""
    known: dict[str, Any] = {
        "feed": feed.fed,
        "reading": feed.reading,
        "stream": feed.stream,
        "raw": feed.raw,
        "finished": not feed.flags & CUT_OFF,
    }
    is_turn = feed.reading["mode"] == "turn"
    for law in (*LAWS, LAW_OF_TURNS) if is_turn else LAWS:
        hold(law, feed.dialect, **known)
    known["reading"] = {**feed.reading, "calls": "shown"}
    feeds = [feed.fed]
    if len(feed.data) <= MOST_HOPS:
        feeds.append(feed.fed._replace(chunks=singles(feed.data)))
    for fed in feeds:
        hold(LAW_OF_SNAPSHOTS, feed.dialect, **{**known, "feed": fed})
    if is_turn:
        expect_next_turn(feed)


def expect_next_turn(feed: Feed) -> None:
    """Begin another turn after a snapshot, in which the parser behaves like a new one."""
    options = options_of(feed.reading)
    parser = cogwire.Parser(clock=None, raw=True, **options)
    parser.feed(feed.data)
    parser.close(finished=True)
    same(parser.close(finished=True), [], "a second close")
    parser = hopped(parser)
    parser.next_turn()
    again = [*parser.feed(feed.data), *parser.close(finished=True)]
    whole = run([feed.data], raw=True, **options)
    same(joined(again), joined(whole.events), "the next turn")


if __name__ == "__main__":
    main(TestOneInput)
