"""Messages of a history that goes on: those of all its events, at a cost that does not grow."""

import copy
import importlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import DIALECTS, call, execute, operations, respond, think
from tests.core.turns.histories import A, user
from tests.core.turns.test_messages_in_each_dialect import cases
from tests.rows import rows


def answer(dialect, content):
    """Give the result of one call."""
    batch = cogwire.Batch(dialect, clock=None)
    batch.take(call(A))
    batch.take(execute())
    return batch.settle(0, "success", content)


def whole(events, dialect="xml-json", **options):
    """Return what the events give all at once: messages and report."""
    report = []
    return cogwire.to_messages(events, dialect, report=report, **options), report


def turns(dialect, count, *, raw):
    """Return a history of `count` similar turns, each with a change in it."""
    block = cogwire.render_calls([{"name": "a", "args": {}}], dialect)
    text = cogwire.render_events([think("t"), respond("r")], dialect)
    turn = cogwire.parse(f"{text}\n{block}", dialect, raw=raw, clock=None)
    asked = user("<results>\n§result: x")
    return [event for _ in range(count) for event in (asked, *turn, *answer(dialect, ["ok"]))]


@rows("dialect", DIALECTS)
@rows("raw", [False, True])
def test_messages_and_report_are_those_of_all_events_so_far(dialect, raw):
    events = turns(dialect, 3, raw=raw)
    assembler = cogwire.Assembler(dialect, system="s")
    for count, event in enumerate(events, 1):
        assembler.take(event)
        assert (assembler.messages, assembler.report) == whole(events[:count], dialect, system="s")
    assert [message["role"] for message in assembler.messages[:3]] == [
        "system",
        "user",
        "assistant",
    ]


@given(cases, st.lists(st.booleans(), min_size=1))
def test_every_portion_of_a_history_has_the_messages_of_the_whole(case, reads):
    """Also for events that are not stored, for one more delta, and with the report read or not."""
    dialect, history = case
    assembler = cogwire.Assembler(dialect)
    for count, event in enumerate(history, 1):
        assembler.take(event)
        if reads[count % len(reads)]:
            assert (assembler.messages, assembler.report) == whole(history[:count], dialect)
    assert (assembler.messages, assembler.report) == whole(history, dialect)


@rows("dialect", DIALECTS)
@rows("raw", [False, True])
def test_a_turn_costs_the_same_however_long_the_history_is(dialect, raw):
    """In calls of functions: those that take it, and those that give messages and report."""
    assembler = cogwire.Assembler(dialect, system="s")
    turn = turns(dialect, 1, raw=raw)

    def go_on():
        assembler.take(*turn)
        return assembler.messages, assembler.report

    costs = [operations(go_on) for _ in range(50)]
    assert set(costs[2:]) == {costs[2]}
    assert (assembler.messages, assembler.report) == whole(turn * 50, dialect, system="s")


def test_a_refused_event_is_not_added():
    """The index is that of the next event, which may still come."""
    assembler = cogwire.Assembler()
    assembler.take(user("q"))
    for wrong in ({"type": "thought"}, call("rm"), {"type": "result", "content": 1}):
        with pytest.raises(ValueError, match="event 1: "):
            assembler.take(wrong)
    with pytest.raises(ValueError, match="event 2: "):
        assembler.take(call(A), {"type": "thought"}, user("never"))
    assert (assembler.messages, assembler.report) == whole([user("q"), call(A)])


def test_a_refused_result_leaves_its_calls_waiting():
    """A stored outcome is still that of the first call."""
    assembler = cogwire.Assembler()
    assembler.take(call(A))
    with pytest.raises(ValueError, match="event 1: `payload` is not an object"):
        assembler.take({"type": "result", "content": "[]", "payload": 1})
    outcome = {"type": "result", "payload": {"outcome": "done"}}
    assembler.take(outcome)
    assert assembler.messages == whole([call(A), outcome])[0]


@rows("dialect", DIALECTS)
@rows("name", ["parts_of", "message_of"])
def test_a_turn_that_could_not_be_written_is_written_the_next_time(monkeypatch, dialect, name):
    """The stack may have no room: no turn and no change is lost, and none is there twice."""
    module = importlib.import_module(f"{cogwire.__name__}.turns.messages")
    function = getattr(module, name)
    events = [user("q"), user("r"), *turns(dialect, 2, raw=True), *turns(dialect, 1, raw=False)]
    expected = whole(events, dialect)
    failures = 0

    def fail_later(*arguments):
        nonlocal calls_left, failures
        calls_left -= 1
        if not calls_left:
            failures += 1
            raise RecursionError
        return function(*arguments)

    for first in range(1, 12):
        calls_left = first
        monkeypatch.setattr(module, name, fail_later)
        assembler = cogwire.Assembler(dialect)
        with suppress(RecursionError):
            assembler.take(*events[:-2])
        with suppress(RecursionError):
            assembler.messages  # noqa: B018
        assembler.take(*events[-2:])
        monkeypatch.undo()
        assert (assembler.messages, assembler.report) == expected
    assert failures > 5


def test_returned_values_are_new_each_time():
    """A message may get members of a provider, the system's too; they are in no later answer."""
    events = [user("q"), respond("a"), user("r")]
    assembler = cogwire.Assembler(system="s")
    for event in events:
        assembler.take(event)
        for message in assembler.messages:
            message["cache_control"] = {"type": "ephemeral"}
        assembler.messages.clear()
        assembler.report.append("x")
    assert (assembler.messages, assembler.report) == whole(events, system="s")


@rows("copied", [copy.copy, copy.deepcopy])
@rows("dialect", DIALECTS)
def test_a_copy_is_a_separate_assembler(dialect, copied):
    """After every event, the deltas of a segment and what is left out included."""
    deltas = [{**respond("a"), "segment": 0}, {**respond("b"), "segment": 0}]
    events = [*turns(dialect, 1, raw=True), {"type": "thought"}, *turns(dialect, 1, raw=False)]
    later = [{**respond("x"), "segment": 0}, {"type": "thought"}, user("y")]
    assembler = cogwire.Assembler(dialect, strict=False)
    for count, event in enumerate(events := [*events, *deltas], 1):
        assembler.take(event)
        other = copied(assembler)
        other.take(*later)
        for each, taken in ((assembler, events[:count]), (other, [*events[:count], *later])):
            assert (each.messages, each.report) == whole(taken, dialect, strict=False)


@rows("system", [5, 0, b"s", ["s"]])
def test_a_system_that_is_not_text_is_refused(system):
    message = "system must be the text of a message or None, not "
    with pytest.raises(TypeError, match=message):
        cogwire.Assembler(system=system)
    with pytest.raises(TypeError, match=message):
        cogwire.to_messages([], system=system)
