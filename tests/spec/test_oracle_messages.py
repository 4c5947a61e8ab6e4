"""The executable spec of messages: the examples of the page, refusals, and the core beside it.

The messages of single histories are in the cases of the corpus.
"""

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import cogwire
from tests.core.turns.test_messages_in_each_dialect import cases
from tests.oracle.exchanges import exchanges
from tests.oracle.messages import from_messages, messages
from tests.oracle.refused import Refused
from tests.oracle.stored import read
from tests.rows import rows

PAGE = Path(__file__).parents[2] / "spec" / "messages.md"
LS = '{"name": "ls", "args": {}}'


def call(content=LS):
    return {"type": "call", "content": content}


def page_examples():
    """Yield the input, the dialect, the outcome, and the report."""
    fences = re.findall(
        r"^```json (\w+) ?([\w-]*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    blocks = [
        (word, dialect, [json.loads(line) for line in body.splitlines()])
        for word, dialect, body in fences
    ]
    for given_events, expected, report in itertools.zip_longest(
        blocks, blocks[1:], blocks[2:], fillvalue=("", "", [])
    ):
        if given_events[0] in ("events", "stored"):
            changes = report[2] if report[0] == "report" else []
            yield expected[0], given_events[2], given_events[1], expected[2], changes


@rows("kind, given_events, dialect, expected, report", list(page_examples()))
def test_the_examples_of_the_page_hold(kind, given_events, dialect, expected, report):
    if kind == "turns":
        assert exchanges(given_events) == expected
        return
    if kind == "read":
        assert [placed.event for placed in read(given_events)] == expected
        return
    made, changes = messages(given_events, None, dialect or "xml-json")
    assert made == expected
    assert [[change["index"], change["code"]] for change in changes] == report


# --- What is stored ---


def test_members_within_a_member_are_those_of_the_table_too():
    usage = {"input": 1, "output": 2, "duration": None, "cost": 3}
    found = read([{"type": "metrics", "total": usage, "step": usage}])[0].event
    assert found == {
        "type": "metric",
        "total": {"input": 1, "output": 2},
        "step": {"input": 1, "output": 2},
    }


@rows(
    "members, succeeded",
    [
        ({}, 1),
        ({"error": None}, 1),
        ({"error": False}, 1),
        ({"error": True}, 0),
        ({"error": "x"}, 0),
    ],
)
def test_an_outcome_is_a_failure_if_it_has_an_error(members, succeeded):
    stored = {"type": "result", "payload": {"outcome": "a", **members}}
    assert read([stored])[0].event["payload"]["success_count"] == succeeded


def test_a_timestamp_is_any_number_of_json():
    think = {"type": "think", "content": "t"}
    assert read([think | {"timestamp": 10**400}])[0].event["timestamp"] == 10**400
    with pytest.raises(Refused):
        read([think | {"timestamp": float("inf")}])


def test_limits_do_not_apply_to_stored_events():
    events = [call() for _ in range(300)]
    for dialect in ("xml-json", "xml-elements", "delimiter"):
        made, report = messages(events, None, dialect)
        assert report == []
        assert from_messages(made, dialect) == [*events, {"type": "execute"}]


# --- Refusals ---


@rows(
    "event",
    [
        "text",
        {"type": "say", "content": "x"},
        {"type": "user"},
        {"type": "user", "content": 1},
        call("{bad"),
        call('{"args": {}}'),
        call('{"name": "execute", "args": {}}'),
        call(f"{LS}, {LS}"),
        call('{"name": "say", "args": {"text": "\ud83d"}}'),
        call('{"name": "say", "args": {"text": "\ud83d\ude00"}}'),
        {"type": "result", "content": "[]", "payload": {}},
        {"type": "error", "code": "odd", "content": "m", "offset": 0, "calls": 0},
        {"type": "think", "content": "t", "segment": -1},
    ],
)
def test_an_invalid_event_or_call_is_refused_with_its_place(event):
    with pytest.raises(Refused, match=r"^/1: "):
        messages([{"type": "user", "content": "q"}, event])


@rows("message", ["text", {}, {"role": "tool", "content": ""}, {"role": "user", "content": None}])
def test_an_invalid_message_is_refused_with_its_place(message):
    with pytest.raises(Refused, match=r"^/1: "):
        from_messages([{"role": "user", "content": "q"}, message])


# --- Against the core ---


@given(cases)
@settings(max_examples=4 * settings.default.max_examples)
def test_the_core_makes_the_same_messages_and_report(case):
    dialect, history = case
    changes = []
    made = cogwire.to_messages(history, dialect, report=changes)
    for change in changes:
        del change["message"]
    assert (made, changes) == messages(history, None, dialect)


@given(cases)
@settings(max_examples=4 * settings.default.max_examples)
def test_the_core_returns_the_same_exchanges(case):
    """In memory, and from storage, where calls have the same ids."""
    dialect, history = case
    stored = cogwire.read_events(filter(cogwire.persisted, history))
    ids = []
    for events in history, stored:
        given_turns = cogwire.exchanges(events, dialect)
        assert given_turns == exchanges(events, dialect)
        ids.append([call["id"] for turn in given_turns for call in turn["calls"]])
    assert ids[0] == ids[1]


def without_halves(text):
    return re.sub("[\ud800-\udfff]", "", text)


@given(cases, st.sampled_from(["user", "assistant"]))
@settings(max_examples=4 * settings.default.max_examples)
def test_the_core_reads_the_same_events(case, role):
    """For messages that it built, and for the texts of a history as messages of one role."""
    dialect, history = case
    texts = [without_halves(each["content"]) for each in history if each.get("content")]
    for given_messages in (
        cogwire.to_messages(history, dialect),
        [{"role": role, "content": text} for text in texts],
    ):
        expected = cogwire.from_messages(given_messages, dialect)
        for each in expected:
            each.pop("timestamp", None)
            if each["type"] == "error":
                del each["content"]
        assert from_messages(given_messages, dialect) == expected
