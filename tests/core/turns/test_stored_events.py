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
    end,
    execute,
    operations,
    respond,
    result,
    singles,
    think,
    with_room,
)
from tests.core.turns.histories import A, B, item, user
from tests.rows import rows

EVENTS = corpus.PLACE / "messages" / "events.json"
#: What is nested too deeply for `repr`.
DEEP = functools.reduce(lambda inner, _: [inner], range(100_000), [])


def outcome(**members):
    return {"type": "result", "payload": members}


def read(*events):
    return cogwire.read_events(events)


def contents(*events):
    """Return the items of the results among the events read."""
    return [json.loads(event["content"]) for event in read(*events) if event["type"] == "result"]


# --- Events as they are -----------------------------------------------------------------------

ERROR = {"type": "error", "code": "json-syntax", "content": "Expected …", "offset": 9, "calls": 0}


@rows(
    "event",
    [
        user("q"),
        think("t"),
        respond("r"),
        call(A),
        call("not JSON"),
        execute(),
        result(f"[{item('a', 'success', 1)}]", 1),
        end(),
        {"type": "metric", "total": {"input": 1, "output": 2}},
        {
            "type": "metric",
            "total": {"input": 1, "output": 2, "duration": 1.5},
            "step": {"input": 0, "output": 0},
        },
        ERROR,
        {**ERROR, "path": "/0"},
        {"type": "interrupt"},
        {"type": "cancelled"},
    ],
)
@rows("origin", [{}, {"raw": "x"}, {"timestamp": 1.5}, {"raw": "", "timestamp": 2}])
def test_an_event_of_the_table_stays_as_it_is(event, origin):
    assert read({**event, **origin}) == [{**event, **origin}]


def test_members_are_in_order():
    (event,) = read({"timestamp": 1.0, "raw": "a ", "content": "a", "type": "think"})
    assert list(event) == ["type", "content", "raw", "timestamp"]


def test_members_beyond_the_table_are_left_out():
    assert read({**think("t"), "model": 7}, {**call(A), "segment": 1, "done": 0}) == [
        think("t"),
        call(A),
    ]


def test_an_id_is_kept():
    """By what reads events, whatever their type; that of a segment is the one of its first delta."""
    every = [user("q"), think("t"), call(A), execute(), result("[]"), end(), ERROR]
    every += [{"type": "cancelled"}, {"type": "metric", "total": {"input": 1, "output": 2}}]
    named = [{**event, "id": number} for number, event in enumerate(every)]
    assert read(*named, {**named[0], "id": "x", "timestamp": 1}) == [
        *named,
        {**named[0], "id": "x", "timestamp": 1},
    ]
    deltas = [{**delta(respond, text, 0), "id": text} for text in "ab"]
    assert read(*deltas) == [{**respond("ab"), "id": "a"}]
    assert read(delta(respond, "a", 0), deltas[1]) == [respond("ab")]
    assert cogwire.to_messages(named[:2]) == cogwire.to_messages(every[:2])
    assert cogwire.render_events([{**respond("a"), "id": 1}]) == "a"


def test_an_error_without_a_code_is_the_frameworks_own():
    """It may say what happened; where the wire was broken it does not say."""
    own = {"type": "error", "content": "429", "timestamp": 1.0}
    assert read(own, {"type": "error"}) == [own, {"type": "error"}]
    assert read({**ERROR, "code": None, "path": ""}) == [{"type": "error", "content": "Expected …"}]
    assert cogwire.to_messages([user("q"), own]) == [{"role": "user", "content": "q"}]


def test_null_is_as_good_as_absent():
    """A row of a table has a value in every column."""
    row = {"raw": None, "timestamp": None, "payload": None, "segment": None, "done": None}
    metric = {"type": "metric", "total": {"input": 1, "output": 2}}
    events = [think("t"), execute(), metric, ERROR]
    assert read(*({**row, "step": None, "path": None, **event} for event in events)) == events
    assert read({**row, **delta(think, "a", 0, done=True)}) == [think("a")]


def test_the_events_given_are_not_changed():
    events = [{"type": "metrics", "total": {"input": 1, "output": 2}}, outcome(outcome="x")]
    before = json.dumps(events)
    read(*events)
    assert json.dumps(events) == before


# --- Older spellings --------------------------------------------------------------------------


@rows("kind", ["execute", "end", "interrupt", "cancelled"])
@rows("content", ["", None])
def test_control_events_have_no_content(kind, content):
    assert read({"type": kind, "content": content}) == [{"type": kind}]


@rows(
    ("members", "status", "content"),
    [
        ({"outcome": "Success"}, "success", "Success"),
        (
            {"outcome": "Found file", "content": "line 1", "error": False},
            "success",
            "Found file\nline 1",
        ),
        ({"outcome": "No file", "content": "", "error": True}, "failure", "No file"),
        ({"outcome": "No file", "content": None, "error": None}, "success", "No file"),
        ({"outcome": "", "content": "x"}, "success", "\nx"),
        ({"outcome": "é </results>", "error": "why"}, "failure", "é </results>"),
        ({"outcome": "", "error": 0}, "failure", ""),
    ],
)
def test_an_outcome_is_read_as_one_item(members, status, content):
    """In `payload`, and as JSON in `content`."""
    counts = (1, 0) if status == "success" else (0, 1)
    expected = [call(A), result(f"[{item('a', status, content)}]", *counts)]
    assert read(call(A), outcome(**members)) == expected
    assert read(call(A), {"type": "result", "content": json.dumps(members)}) == expected
    assert read(call(A), {**outcome(**members), "content": ""}) == expected


ONE, TWO = outcome(outcome="1"), outcome(outcome="2")


@rows(
    ("events", "order"),
    [
        ([call(A), ONE, call(B), TWO], [0, 1, 2, 3]),
        ([call(A), call(B), ONE, TWO], [0, 2, 1, 3]),
        ([call(A), call(B), execute(), ONE, TWO], [0, 3, 1, 2, 4]),
        ([call(A), ERROR, call(B), ONE], [0, 3, 1, 2]),
        ([call(A), {"type": "call_delta"}, call(B), ONE], [0, 3, 2]),
        ([call(A), {**execute(), "raw": ""}, call(B), ONE], [0, 1, 2, 3]),
        ([call(A), call(B), {**execute(), "raw": ""}, ONE, TWO], [0, 1, 2, 3, 4]),
        ([call(A), call(B), {"type": "cancelled"}, ONE], [0, 1, 2, 3]),
        ([call(A), result("x"), ONE], [0, 1, 2]),
    ],
)
def test_an_outcome_is_read_directly_after_its_call(events, order):
    """Where nothing else is stored between them, as storage has no errors and no control events."""
    found = read(*({**event, "timestamp": at} for at, event in enumerate(events)))
    assert [event["timestamp"] for event in found] == order
    for dialect in DIALECTS:
        assert cogwire.to_messages(found, dialect) == cogwire.to_messages(events, dialect)


@rows("function", [cogwire.read_events, cogwire.exchanges, cogwire.to_messages])
def test_twice_the_outcomes_are_twice_the_work(function):
    once, twice = ([call(A)] * count + [ONE] * count for count in (200, 400))
    assert operations(lambda: function(twice)) <= 2.2 * operations(lambda: function(once))


def test_no_outcome_is_that_of_a_call_whose_turn_is_over():
    events = [call(A), execute(), call(B), ONE]
    first, second = cogwire.exchanges(events)
    assert [each["calls"][0]["status"] for each in (first, second)] == ["missing", "mismatch"]


def test_an_outcome_keeps_its_origin():
    (event,) = read({**outcome(outcome="x"), "raw": "§result: x", "timestamp": 1.0})
    assert (event["raw"], event["timestamp"]) == ("§result: x", 1.0)


@rows(
    ("before", "tool"),
    [
        ([], "unknown"),
        ([call(A)], "a"),
        ([call("not JSON")], "unknown"),
        ([call("[]")], "unknown"),
        ([call('{"name": 1}')], "unknown"),
        ([call(A), call(B)], "a"),
        ([call(A), execute(), {"type": "metrics", "total": {"input": 1, "output": 1}}], "a"),
        ([call(A), {"type": "cancelled"}], "a"),
        ([call(A), user("q"), call(B)], "b"),
        ([call(A), think("t"), call(B)], "b"),
        ([call(A), respond("r"), call(B)], "b"),
        ([call(A), outcome(outcome="1")], "unknown"),
        ([call(A), call(B), outcome(outcome="1")], "b"),
        ([call(A), result("[]"), call(B)], "b"),
    ],
)
def test_an_outcome_belongs_to_the_first_call_without_one(before, tool):
    assert contents(*before, outcome(outcome="x"))[-1][0]["tool"] == tool


@rows(
    "content",
    ["{}", '{"outcome": 1}', '{"outcome": "x", "content": {}}', '["outcome"]', '"outcome"'],
)
def test_a_value_that_is_not_an_outcome_is_unchanged(content):
    (event,) = read({"type": "result", "content": content})
    assert event["content"] == content


# --- Payloads ---------------------------------------------------------------------------------


@rows(
    ("content", "counts"),
    [
        ("[]", (0, 0, 0)),
        ("plain", (1, 1, 0)),
        ("[NaN]", (1, 1, 0)),
        ('{"a": 1}', (1, 1, 0)),
        (f"[{item('a', 'success', 1)}, {item('b', 'failure', 'x')}]", (2, 1, 1)),
        (f"[{item('execute', 'failure', 'x')}]", (0, 0, 1)),
        (f"[{item('execute', 'success', 'x')}]", (1, 1, 0)),
        (f"[{item('execute', 'failure', 'x')}, {item('a', 'success', 1)}]", (2, 1, 1)),
        ('[1, {"status": "odd"}]', (2, 0, 0)),
    ],
)
def test_a_missing_payload_is_counted(content, counts):
    expected = dict(zip(("tools_executed", "success_count", "failure_count"), counts, strict=True))
    for event in (
        {"type": "result", "content": content},
        {"type": "result", "content": content, "payload": None},
    ):
        assert read(event) == [{"type": "result", "content": content, "payload": expected}]


def test_a_payload_is_kept_without_counting():
    event = result("[]", 5, 2)
    assert read(event) == [event]
    assert read({**event, "payload": {**event["payload"], "more": 1}}) == [event]


# --- Deltas -----------------------------------------------------------------------------------


def delta(make, content, segment, **members):
    return {**make(content), "segment": segment, **members}


def test_the_deltas_of_a_segment_are_joined():
    events = [
        delta(think, "a", 0, raw="<think>a", timestamp=1.0),
        delta(think, " b", 0, raw=" b", timestamp=2.0),
        delta(think, "", 0, done=True, raw="</think>", timestamp=3.0),
        delta(respond, "c", 1, raw="c", timestamp=3.0),
    ]
    assert read(*events) == [
        {**think("a b"), "raw": "<think>a b</think>", "timestamp": 3.0},
        {**respond("c"), "raw": "c", "timestamp": 3.0},
    ]


@rows(
    "between",
    [
        [{"type": "metric", "total": {"input": 1, "output": 2}}],
        [{"type": "interrupt"}],
        [execute(), end(), ERROR],
    ],
)
def test_events_that_are_not_stored_do_not_divide_a_segment(between):
    """Else storage would say something else than memory."""
    events = read(delta(respond, "a", 0), *between, delta(respond, "b", 0))
    assert events == [respond("ab"), *between]


@rows(
    ("first", "between", "second"),
    [
        (delta(respond, "a", 0, done=True), [], delta(respond, "b", 0)),
        (delta(respond, "a", 0), [], delta(respond, "b", 1)),
        (delta(respond, "a", 0), [], delta(think, "b", 0)),
        (delta(respond, "a", 0), [], respond("b")),
        (respond("a"), [], delta(respond, "b", 0)),
        (delta(respond, "a", 0), [user("q")], delta(respond, "b", 0)),
        (delta(respond, "a", 0), [{**end(), "raw": "<end>"}], delta(respond, "b", 0)),
    ],
)
def test_segments_stay_apart(first, between, second):
    bare = [{key: event[key] for key in ("type", "content")} for event in (first, second)]
    assert read(first, *between, second) == [bare[0], *between, bare[1]]


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


def test_a_segment_has_raw_only_if_all_its_deltas_do():
    assert read(delta(respond, "a", 0, raw="a"), delta(respond, "b", 0)) == [respond("ab")]
    assert read(delta(respond, "a", 0), delta(respond, "b", 0, raw="b")) == [respond("ab")]


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
