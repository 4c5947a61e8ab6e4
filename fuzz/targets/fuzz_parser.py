"""The parser: any text or bytes, in any dialect, mode, stream and chunks, with any limits.

The laws of the tests hold for each input, and another turn is read as by a new parser.
"""

from typing import Any

from fuzz.targets.harness import CUT_OFF, Feed, Reader, cogwire, hold, main, options_of, same
from tests.core.helpers import joined, run
from tests.core.parser import test_laws

#: The laws for any text, and those for turns.
LAWS = (
    test_laws.test_0_the_core_is_the_executable_spec,
    test_laws.test_1_any_input_produces_plain_events,
    test_laws.test_2_no_cut_changes_anything,
    test_laws.test_4_every_character_is_accounted_for_once,
    test_laws.test_4_the_ledger_balances_after_every_feed,
)
LAWS_OF_TURNS = (
    test_laws.test_1_a_block_has_one_error,
    test_laws.test_7_only_a_whole_and_strictly_valid_block_runs,
)


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
    for law in (*LAWS, *LAWS_OF_TURNS) if is_turn else LAWS:
        hold(law, feed.dialect, **known)
    if is_turn:
        expect_next_turn(feed)


def expect_next_turn(feed: Feed) -> None:
    """Let the parser begin another turn, in which it behaves like a new one."""
    options = options_of(feed.reading)
    parser = cogwire.Parser(clock=None, raw=True, **options)
    parser.feed(feed.data)
    parser.close(finished=True)
    same(parser.close(finished=True), [], "a second close")
    parser.next_turn()
    again = [*parser.feed(feed.data), *parser.close(finished=True)]
    whole = run([feed.data], raw=True, **options)
    same(joined(again), joined(whole.events), "the next turn")


if __name__ == "__main__":
    main(TestOneInput)
