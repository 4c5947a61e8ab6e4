"""Every parse of the conformance corpus, whole and in pieces.

The runner cuts each everywhere, and takes snapshots there.
"""

import itertools
import json
from pathlib import Path

import pytest

from cogwire_kit.conformance.corpus import expanded
from tests import cogwire
from tests.core.helpers import IS_BRIEF, assert_ledger, bare, joined, run, singles, without

CASES = Path(__file__).parents[3] / "conformance" / "cases"
FILES = sorted(CASES.glob("*/*.json"))
#: Longer texts are cut into large pieces, not into characters.
LONG = 30_000
#: These are known when the text or what they are about is over, the others at their character.
LATE = ("unclosed-", "missing-execute", "forged-results", "results-")


def normal(events, dialect):
    """Drop what is not compared, and read the calls of elements, whose spelling is free."""
    events = bare(events, "raw")
    if dialect != "xml-elements":
        return events
    return [
        event | {"content": json.loads(event["content"])} if event["type"] == "call" else event
        for event in events
    ]


def pieces(data):
    return singles(data) if len(data) <= LONG else [data[: len(data) // 2], data[len(data) // 2 :]]


def check_read(text, expected, dialect, options):
    """Read `text` whole and in pieces, the pieces also with tokens."""
    options = dict(options)
    finish = options.pop("finish", "stop")
    closing = {"finished": finish == "stop", "cancelled": finish == "cancelled"}
    options["closing"] = closing
    tokens = options | {"stream": "token"}
    outcomes = [
        run([text], raw=True, dialect=dialect, **options),
        run(pieces(text), raw=True, dialect=dialect, **tokens),
    ]
    in_pieces = [] if IS_BRIEF else [run(pieces(text), dialect=dialect, **options)]
    for outcome in (*outcomes, *in_pieces):
        assert normal(outcome.events, dialect) == normal(expected["events"], dialect)
        assert (outcome.state, outcome.discarded) == (expected["state"], expected["discarded"])
    for outcome in outcomes:
        assert_ledger(text, joined(outcome.events), outcome.tail, outcome.discarded)
        assert outcome.tail == expected.get("tail", outcome.tail)


def check_open(text, expected, dialect, options):
    """Read `text`, of which more may come."""
    for chunks in ([text], singles(text)):
        parser = cogwire.Parser(dialect, clock=None, **options)
        events = [*itertools.chain(*map(parser.feed, chunks))]
        assert normal(events, dialect) == normal(expected["events"], dialect)
        assert (parser.state, parser.discarded) == (expected["state"], expected["discarded"])


def check_errors(text, dialect, options):
    """Assert that an error comes with its character, if it is not about what is over."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    for at, character in enumerate(text):
        for event in parser.feed(character):
            if event["type"] == "error" and not event["code"].startswith(LATE):
                assert event["offset"] == at, event["code"]


def check_turns(turns, expected, dialect, options):
    """Read one turn after the other with the same parser, whole and in pieces."""
    for cut in ((lambda turn: [turn]), singles):
        parser = cogwire.Parser(dialect, clock=None, **options)
        for number, (turn, each) in enumerate(zip(turns, expected, strict=True)):
            if number:
                parser.next_turn()
            events = [*itertools.chain(*map(parser.feed, cut(turn))), *parser.close(finished=True)]
            assert normal(events, dialect) == normal(each["events"], dialect)
            assert (parser.state, parser.discarded) == (each["state"], each["discarded"])


def check_prompt(case, options):
    """Assert how much is shown when a part of the text has come."""
    parser = cogwire.Parser(case["dialect"], clock=None, **options | {"stream": "token"})
    shown, fed = [], ""
    for point in case["prompt"]:
        after = expanded(point["after"])
        shown += itertools.chain(*map(parser.feed, after.removeprefix(fed)))
        fed = after
        assert _so_far(shown) == point["events"], after


def _so_far(events):
    kept = joined(events, whole=False)
    return [event if event["type"] != "error" else without([event], "content")[0] for event in kept]


def check_case(case):
    dialect, options = case["dialect"], dict(case.get("options", {}))
    is_closed = options.pop("close", True)
    options.pop("raw", None)
    if "limits" in options:
        options["limits"] = cogwire.Limits(**options["limits"])
    expected = expanded(case["expect"])
    if "turns" in case:
        check_turns(expanded(case["turns"]), expected["turns"], dialect, options)
        return
    text = expanded(case["input"])
    if is_closed:
        check_read(text, expected, dialect, options)
    else:
        check_open(text, expected, dialect, options)
    options.pop("finish", None)
    if isinstance(text, str) and len(text) <= LONG and not _has_halves(text):
        check_errors(text, dialect, options)
    if "prompt" in case:
        check_prompt(case, options)
    if "twin" in case:
        parser = cogwire.Parser(dialect, clock=None, **options)
        valid = parser.feed(expanded(case["twin"])) + (
            parser.close(finished=True) if is_closed else []
        )
        assert "error" not in {event["type"] for event in valid}, "the valid twin"


def _has_halves(text):
    return any("\ud800" <= character <= "\udfff" for character in text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_cases_of(path):
    failures = []
    for case in json.loads(path.read_text("utf-8")):
        if case["op"] == "parse" and "growth" not in case:
            try:
                check_case(case)
            except AssertionError as failure:
                failures.append(f"{case['id']}: {failure}")
    assert not failures, "\n".join(failures)


def test_there_are_cases():
    assert len(FILES) > 50
