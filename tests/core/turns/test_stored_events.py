"""Reading stored events: older spellings, deltas, and invalid events."""

import functools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import (
    DIALECTS,
    call,
    execute,
    operations,
    respond,
    singles,
    think,
    with_room,
)
from tests.core.turns.histories import A, B, user
from tests.rows import rows

EVENTS = corpus.PLACE / "messages" / "events.json"
#: What is nested too deeply for `repr`.
DEEP = functools.reduce(lambda inner, _: [inner], range(100_000), [])


def outcome(**members):
    return {"type": "result", "payload": members}


def read(*events):
    return cogwire.read_events(events)


# --- Events as they are -----------------------------------------------------------------------

ERROR = {"type": "error", "code": "json-syntax", "content": "Expected …", "offset": 9, "calls": 0}


@rows("each", corpus.array(corpus.PLACE / "texts" / "stored.json"))
def test_what_is_stored_is_read(each):
    """As its messages say, too, in every dialect."""
    stored = each["stored"]
    expected = each.get("read", stored)
    assert list(map(exactly, read(*stored))) == list(map(exactly, expected))
    for dialect in DIALECTS:
        messages = cogwire.to_messages(stored, dialect, strict=False)
        assert messages == cogwire.to_messages(expected, dialect, strict=False)


def exactly(event):
    """Make a value that tells true from 1."""
    return json.dumps(event, sort_keys=True)


def test_members_are_in_order():
    (event,) = read({"timestamp": 1.0, "raw": "a ", "content": "a", "type": "think"})
    assert list(event) == ["type", "content", "raw", "timestamp"]


def test_an_id_is_in_nothing_that_is_written():
    events = [user("q"), think("t"), respond("a")]
    named = [{**event, "id": number} for number, event in enumerate(events)]
    assert cogwire.to_messages(named) == cogwire.to_messages(events)
    assert cogwire.render_events(named[1:]) == cogwire.render_events(events[1:])


def test_an_error_of_the_framework_is_in_no_message():
    own = {"type": "error", "content": "429", "timestamp": 1.0}
    assert cogwire.to_messages([user("q"), own]) == [{"role": "user", "content": "q"}]


def test_the_events_given_are_not_changed():
    events = [{"type": "metrics", "total": {"input": 1, "output": 2}}, outcome(outcome="x")]
    before = json.dumps(events)
    read(*events)
    assert json.dumps(events) == before


# --- Older spellings --------------------------------------------------------------------------

ONE = outcome(outcome="1")


@rows("function", [cogwire.read_events, cogwire.exchanges, cogwire.to_messages])
def test_twice_the_outcomes_are_twice_the_work(function):
    once, twice = ([call(A)] * count + [ONE] * count for count in (200, 400))
    assert operations(lambda: function(twice)) <= 2.2 * operations(lambda: function(once))


def test_no_outcome_is_that_of_a_call_whose_turn_is_over():
    events = [call(A), execute(), call(B), ONE]
    first, second = cogwire.exchanges(events)
    assert [each["calls"][0]["status"] for each in (first, second)] == ["missing", "mismatch"]


# --- Deltas -----------------------------------------------------------------------------------


@rows("dialect", DIALECTS)
def test_an_attempt_that_was_closed_is_kept_apart_from_the_next(dialect):
    """Wherever the stream broke; the `interrupt` after it is not stored."""
    text = cogwire.render_events([respond("Hello world."), think("t"), respond("x")], dialect)

    def attempt(text, stream):
        parser = cogwire.Parser(dialect, stream=stream, clock=None)
        events = [event for character in text for event in parser.feed(character)]
        return events + parser.close(finished=True)

    for end_of_first in range(len(text)):
        stored, expected = [], []
        for part in (text[:end_of_first], text):
            stored += [*attempt(part, "token"), {"type": "interrupt"}]
            expected += [*attempt(part, "event"), {"type": "interrupt"}]
        assert read(*filter(cogwire.persisted, stored)) == [*filter(cogwire.persisted, expected)]
        assert read(*stored) == expected


texts = make.texts("xml-json")


@given(texts, st.booleans())
def test_deltas_read_are_the_events_of_event_mode(text, raw):
    parser = cogwire.Parser(stream="token", raw=raw, clock=None)
    deltas = [event for char in singles(text) for event in parser.feed(char)] + parser.close(
        finished=True
    )
    assert read(*deltas) == cogwire.parse(text, raw=raw, clock=None)


@given(texts)
def test_the_events_of_a_parser_are_read_unchanged(text):
    events = cogwire.parse_transcript(text, raw=True)
    assert read(*events) == events
    assert read(*json.loads(json.dumps(events))) == events


# --- Invalid events ---------------------------------------------------------------------------


@rows(
    ("event", "reason"),
    lambda: [
        *((each["event"], each["reason"]) for each in corpus.array(EVENTS)),
        pytest.param({"type": 10**5_000}, "a value of type int is not a type of event", id="long"),
        pytest.param({"type": DEEP}, "a value of type list is not a type of event", id="deep"),
        ({**think("t"), "timestamp": float("inf")}, "`timestamp` is inf"),
        ({**think("t"), "timestamp": float("nan")}, "`timestamp` is nan"),
    ],
)
def test_an_invalid_event_is_refused_with_its_index(event, reason):
    with pytest.raises(ValueError, match="event 1: ") as raised:
        read(user("q"), event)
    assert reason in str(raised.value)


# -- Callers -------------------------------------------------------------------------------------


def test_a_deep_caller_changes_no_result():
    """Wherever the stack ends while what is stored is decoded."""
    deep = "[" * 200 + "]" * 200
    content = f'[{{"tool": "a", "status": "failure", "content": {deep}}}]'
    call = f'{{"name": "a", "args": {{"x": {deep}}}}}'

    def read():
        batch = cogwire.Batch(clock=None)
        batch.take({"type": "call", "content": call})
        return batch.calls[0].args, cogwire.read_events([{"type": "result", "content": content}])

    expected = read()
    assert expected[1][0]["payload"]["failure_count"] == 1
    for frames in range(80, 400, 20):
        assert with_room(frames, read) == expected
