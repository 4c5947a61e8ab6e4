"""What cannot be read is left out and reported, where that is asked for; else it is refused."""

import functools

import pytest

from tests import cogwire
from tests.core.helpers import call, execute, respond, think
from tests.core.turns import histories
from tests.core.turns.histories import CANCELLED, A, answer, item, listed, user
from tests.rows import rows

BLOCK_A = f"<execute>\n[\n  {A}\n]\n</execute>"
BAD = '{"name": "rm"'

assemble = functools.partial(histories.assemble, strict=False)


@rows("wrong", [{"type": "thought"}, [], user(1), {"type": "error", "code": "odd"}])
def test_an_invalid_event_is_left_out(wrong):
    events = [user("q"), wrong, respond("a")]
    report = []
    assert cogwire.read_events(events, strict=False, report=report) == [user("q"), respond("a")]
    assert [(change["index"], change["code"]) for change in report] == [(1, "skipped")]
    assert report[0]["message"].startswith("this is left out: ")
    assert assemble(events) == ([("user", "q"), ("assistant", "a")], [(1, "skipped")])
    for read in (cogwire.read_events, cogwire.to_messages):
        with pytest.raises(ValueError, match="event 1: "):
            read(events)


def test_without_a_report_it_is_left_out_as_well():
    assert cogwire.read_events([{}, user("q")], strict=False) == [user("q")]
    assert cogwire.to_messages([{}], strict=False) == []


def test_a_segment_continues_after_it():
    deltas = [{**respond("a"), "segment": 0}, {"type": "?"}, {**respond("b"), "segment": 0}]
    assert assemble(deltas) == ([("assistant", "ab")], [(1, "skipped")])


@rows("dialect", ["xml-json", "xml-elements", "delimiter"])
@rows("calls", [[BAD, A], [A, BAD], [A, BAD, A], [BAD, A, BAD]])
def test_a_call_is_left_out_with_its_result(dialect, calls):
    """Every other call keeps its own result."""
    events = [think("t"), *map(call, calls), answer(*(item(content=n) for n in range(len(calls))))]
    kept = [n for n, content in enumerate(calls) if content == A]
    whole = [think("t"), *[call(A)] * len(kept), answer(*(item(content=n) for n in kept))]
    messages, report = assemble(events, dialect)
    expected = cogwire.to_messages(whole, dialect)
    if dialect != "delimiter":
        # An array with an item left out is written again, with one item per line.
        assert messages[-1] == ("user", listed(*(item(content=n) for n in kept)))
        expected, messages = expected[:-1], messages[:-1]
    assert messages == [(message["role"], message["content"]) for message in expected]
    assert report == [(n + 1, "skipped") for n, content in enumerate(calls) if content == BAD]


@rows(
    "came_back",
    [[], [answer(item(content="gone"))], [answer()], [{"type": "result", "content": "gone"}]],
)
def test_a_block_with_an_unreadable_call_is_left_out_whole(came_back):
    events = [think("t"), call(BAD), execute(), *came_back, user("q")]
    expected = [("assistant", "<think>t</think>"), ("user", "q")]
    assert assemble(events) == (expected, [(1, "skipped")])


def test_a_text_result_belongs_to_the_last_call():
    messages, report = assemble([call(BAD), call(A), {"type": "result", "content": "x"}])
    assert messages == [("assistant", BLOCK_A), ("user", listed(item(content="x")))]
    assert report == [(0, "skipped"), (2, "completed")]


def test_the_calls_before_it_are_orphans_where_it_alone_was_answered():
    messages, report = assemble([call(A), call(BAD), answer(item(content="gone"))])
    assert messages == [
        ("assistant", BLOCK_A),
        ("user", listed(item(status="failure", content=CANCELLED))),
    ]
    assert report == [(0, "orphan"), (1, "skipped")]


def test_the_answer_of_a_void_block_stays():
    void = item("execute", "failure", "bad")
    messages, report = assemble([user("q"), call(BAD), answer(void)])
    assert messages[-1] == ("user", f"<results>\n[{void}]\n</results>")
    assert report == [(1, "skipped"), (2, "void")]


def test_a_surplus_stays_a_surplus():
    messages, report = assemble([call(BAD), call(A), answer(*(item(content=n) for n in range(3)))])
    assert messages == [("assistant", BLOCK_A), ("user", listed(item(content=1)))]
    assert report == [(0, "skipped"), (2, "surplus")]


def test_events_that_a_dialect_cannot_express_are_left_out_too():
    odd = '{"name": "my tool", "args": {}}'
    assert assemble([respond("a"), call(odd)], "xml-elements") == (
        [("assistant", "a")],
        [(1, "skipped")],
    )
