"""Call deltas are for a display: whatever else takes events gives the same without them."""

import copy

import pytest

from tests import cogwire
from tests.core.helpers import DIALECTS, result
from tests.core.turns.histories import item, user
from tests.rows import rows

USER = user("Go.")


def delta(content, index=0):
    return {"type": "call_delta", "index": index, "name": "w", "content": content}


def without_deltas(events):
    return [event for event in events if event["type"] != "call_delta"]


def turn(dialect):
    """Return what a parser gives for a turn, with what came of it, and call deltas everywhere."""
    text = cogwire.render_calls([{"name": "w", "args": {"t": "a"}}], dialect)
    options = {"stream": "token", "call_deltas": True, "clock": None}
    given = cogwire.parse(text, dialect, **options)
    assert any(event["type"] == "call_delta" for event in given)
    prose = {"type": "respond", "content": "Do", "segment": 0}
    answered = result(f"[{item('w')}]", 1)
    before = [delta("{"), USER, prose, delta("{}", 1), {**prose, "content": "ne.", "done": True}]
    return [*before, *given, delta("{"), answered, delta("}")]


def batch(events, dialect):
    taken = cogwire.Batch(dialect, clock=None)
    given = [event for each in events if each["type"] != "result" for event in taken.take(each)]
    return given, [(call.index, call.content) for call in taken.calls], taken.is_open


def messages(events, dialect):
    report = []
    return cogwire.to_messages(events, dialect, report=report)


def assembled(events, dialect):
    assembler = cogwire.Assembler(dialect)
    assembler.take(*events)
    return assembler.messages


def read(events, _dialect):
    return cogwire.read_events(events)


def rendered(events, dialect):
    return cogwire.render_events([event for event in events if event != USER], dialect)


@rows("taken", [batch, messages, assembled, read, rendered])
def test_it_is_as_if_they_were_not_there(taken):
    for dialect in DIALECTS:
        events = turn(dialect)
        before = copy.deepcopy(events)
        assert taken(events, dialect) == taken(without_deltas(events), dialect)
        assert events == before


def test_they_are_not_stored():
    assert [event for event in turn("xml-json") if cogwire.persisted(event)] == [
        event for event in without_deltas(turn("xml-json")) if cogwire.persisted(event)
    ]


def test_the_index_of_an_event_that_is_refused_counts_them():
    with pytest.raises(ValueError, match=r"^event 1: "):
        cogwire.read_events([delta("{"), {"type": "no such type"}])
