"""`Batch`: from calls to one result, in call order, whatever happens in between."""

import itertools
import json
import re
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.rows import rows

CANCELLED = "Cancelled: this call has no result."
EXECUTE = {"type": "execute"}


def call(name="a", **args):
    return {"type": "call", "content": json.dumps({"name": name, "args": args})}


def error(code="json-syntax", content="The message."):
    return {"type": "error", "code": code, "content": content, "offset": 3, "calls": 0}


def opened(*names):
    """Return a batch whose calls may run."""
    batch = cogwire.Batch(clock=None)
    for name in names:
        assert batch.take(call(name)) == []
    assert batch.take(EXECUTE) == []
    return batch


def counts(ran, succeeded, failed):
    return {"tools_executed": ran, "success_count": succeeded, "failure_count": failed}


def test_a_batch_is_collected_opened_and_answered():
    """Calls may run once `execute` has come; the last outcome brings the result."""
    batch = cogwire.Batch(clock=None)
    assert batch.take(call("read", file="a")) == []
    assert not batch.is_open
    assert batch.waiting == ()
    assert [each.name for each in batch.calls] == ["read"]
    assert batch.take(call("ls")) == []
    assert batch.take(EXECUTE) == []
    assert batch.is_open
    assert batch.waiting == (0, 1)
    assert batch.settle(0, "success", "x") == []
    assert batch.waiting == (1,)
    assert batch.settle(1, "failure", "gone") == [
        {
            "type": "result",
            "content": (
                '[\n  {"tool": "read", "status": "success", "content": "x"},\n'
                '  {"tool": "ls", "status": "failure", "content": "gone"}\n]'
            ),
            "payload": counts(2, 1, 1),
        }
    ]
    assert not batch.is_open
    assert batch.calls == ()
    batch.close()


def test_a_call_is_decoded_and_kept_as_it_was_written():
    """A call has its index, name, arguments and text, and does not change."""
    content = '{"args": {"n": 1e2, "s": "\\u00e9"}, "note": 0, "name": "w"}'
    batch = cogwire.Batch()
    batch.take({"type": "call", "content": content})
    (first,) = batch.calls
    assert (first.index, first.name, first.content) == (0, "w", content)
    assert first.args == {"n": 100.0, "s": "é"}
    with pytest.raises(FrozenInstanceError):
        first.name = "x"


@rows("order", list(itertools.permutations(range(3))))
def test_outcomes_come_in_any_order(order):
    """The result is in call order all the same."""
    batch = opened("a", "b", "c")
    results = [result for index in order for result in batch.settle(index, "success", index)]
    assert len(results) == 1
    items = json.loads(results[0]["content"])
    assert [(item["tool"], item["content"]) for item in items] == [("a", 0), ("b", 1), ("c", 2)]
    assert results[0]["payload"] == counts(3, 3, 0)


def test_the_content_is_what_render_results_frames():
    """Markers in an outcome cannot break out of the results."""
    items = [
        {"tool": "a", "status": "success", "content": {"x": "</results> <END"}},
        {"tool": "b", "status": "failure", "content": "<execute>"},
    ]
    batch = opened("a", "b")
    batch.settle(1, "failure", items[1]["content"])
    (result,) = batch.settle(0, "success", items[0]["content"])
    assert f"<results>\n{result['content']}\n</results>" == cogwire.render_results(items)


def test_an_outcome_is_kept_as_it_was_when_it_came():
    """What the tool does with its value later has no effect."""
    value = [1]
    batch = opened("a", "b")
    batch.settle(0, "success", value)
    value.append(2)
    (result,) = batch.settle(1, "success", None)
    assert [item["content"] for item in json.loads(result["content"])] == [[1], None]


def test_an_empty_batch_is_answered_at_once():
    """There is nothing to wait for."""
    batch = cogwire.Batch(clock=None)
    assert batch.take(EXECUTE) == [{"type": "result", "content": "[]", "payload": counts(0, 0, 0)}]
    assert not batch.is_open


@rows("code", ["json-syntax", "unclosed-execute", "forged-results"])
def test_a_void_block_is_answered_by_its_message(code):
    """One failure of the reserved tool; none of the calls ran."""
    batch = cogwire.Batch(clock=None)
    batch.take(call())
    assert batch.take(error(code, "Not <execute>.")) == [
        {
            "type": "result",
            "content": (
                '[\n  {"tool": "execute", "status": "failure", '
                '"content": "Not \\u003cexecute>."}\n]'
            ),
            "payload": counts(0, 0, 1),
        }
    ]
    assert batch.calls == ()
    batch.close()


@rows("code", ["results-shape", "results-count", "results-order"])
def test_errors_of_results_are_not_answered(code):
    """They say what is wrong with an answer, not with a block."""
    batch = opened("a")
    assert batch.take(error(code)) == []
    assert batch.is_open


@rows(
    "event",
    [
        {"type": "user", "content": "u"},
        {"type": "think", "content": "t"},
        {"type": "respond", "content": "r"},
        {"type": "result", "content": "[]", "payload": counts(0, 0, 0)},
        {"type": "end"},
        {"type": "metric", "total": {"input": 1, "output": 1}},
    ],
)
def test_other_events_change_nothing(event):
    """`take` is given the whole stream, whether a batch is open or not."""
    batch = cogwire.Batch()
    batch.take(call())
    assert batch.take(event) == []
    assert len(batch.calls) == 1
    batch.take(EXECUTE)
    assert batch.take(event) == []
    assert batch.waiting == (0,)


@rows("ending", ["interrupt", "cancelled"])
def test_what_has_no_outcome_fails_as_cancelled(ending):
    """What did finish is kept."""
    batch = opened("a", "b", "c")
    batch.settle(1, "success", "done")
    (result,) = batch.take({"type": ending})
    assert json.loads(result["content"]) == [
        {"tool": "a", "status": "failure", "content": CANCELLED},
        {"tool": "b", "status": "success", "content": "done"},
        {"tool": "c", "status": "failure", "content": CANCELLED},
    ]
    assert result["payload"] == counts(3, 1, 2)
    assert not batch.is_open


@rows("ending", ["interrupt", "cancelled"])
def test_calls_that_were_never_to_run_have_no_result(ending):
    """Without `execute` there is nothing to answer."""
    batch = cogwire.Batch()
    batch.take(call())
    assert batch.take({"type": ending}) == []
    assert batch.calls == ()
    assert batch.result is None


@rows("event", [call(), EXECUTE, error()])
def test_the_next_block_waits_for_the_outcomes(event):
    """The error names what is missing, and nothing is lost."""
    batch = opened("a", "b")
    batch.settle(0, "success", 1)
    with pytest.raises(ValueError, match=r"call 1 \(b\)"):
        batch.take(event)
    with pytest.raises(ValueError, match=r"call 1 \(b\)"):
        batch.close()
    assert batch.waiting == (1,)
    assert len(batch.settle(1, "success", 2)) == 1


@rows("index", [-1, 2, 0])
def test_an_outcome_is_of_a_call_that_waits(index):
    """Neither out of range nor a second time."""
    batch = opened("a", "b")
    batch.settle(0, "success", 1)
    with pytest.raises(ValueError, match=r"call 1 \(b\)"):
        batch.settle(index, "success", 2)


def test_no_outcome_comes_before_execute():
    """Nothing may have run."""
    batch = cogwire.Batch()
    batch.take(call())
    with pytest.raises(ValueError, match="none"):
        batch.settle(0, "success", 1)


@rows(
    ("status", "content", "path"),
    [
        ("ok", 1, "/1/status"),
        ("failure", {"message": "x"}, "/1/content"),
        ("success", {"x": [{1}]}, "/1/content/x/0"),
        ("failure", "\ud800", "/1/content"),
    ],
)
def test_an_outcome_that_cannot_be_written_is_refused(status, content, path):
    """The path leads into the results; the call still waits."""
    batch = opened("a", "b")
    with pytest.raises(cogwire.RenderError) as caught:
        batch.settle(1, status, content)
    assert caught.value.path == path
    assert batch.waiting == (0, 1)


@rows(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"name": "execute", "args": {}}',
        '{"name": "a", "args": {"x": NaN}}',
        '{"name": "a", "args": {"x": 1, "x": 2}}',
        '{"name": "a", "args": {}} ',
        '{"name": "a", "args": {}}, {"name": "b", "args": {}}',
        '{"name": "a", "args": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    ],
)
def test_a_content_that_is_no_call_is_refused(content):
    """No call runs with a value that the model did not write."""
    batch = cogwire.Batch()
    batch.take(call("b"))
    with pytest.raises(ValueError, match=r"call|nested"):
        batch.take({"type": "call", "content": content})
    assert [each.name for each in batch.calls] == ["b"]


def test_a_call_beyond_the_default_limits_is_taken():
    """The parser that gave it had limits of its own."""
    content = json.dumps({"name": "a", "args": {"x": json.loads("[" * 200 + "]" * 200)}})
    batch = cogwire.Batch()
    batch.take({"type": "call", "content": content})
    assert batch.calls[0].content == content


def test_the_clock_stamps_results():
    """It is read once each time, before anything changes."""
    times = iter([1.5, 2.5, 3.5])
    batch = cogwire.Batch(clock=lambda: next(times))
    batch.take(call())
    batch.take(EXECUTE)
    (result,) = batch.settle(0, "success", 1)
    assert list(result) == ["type", "content", "payload", "timestamp"]
    assert result["timestamp"] == 3.5


def test_every_result_is_stamped():
    """A batch without calls, a void block and a cancelled batch have their time too."""
    times = iter([1.5, 2.5, 3.5, 4.5, 5.5])
    batch = cogwire.Batch(clock=lambda: next(times))
    (empty,) = batch.take(EXECUTE)
    (void,) = batch.take(error())
    assert [empty["timestamp"], void["timestamp"]] == [1.5, 2.5]
    batch.take(call())
    batch.take(EXECUTE)
    (cancelled,) = batch.take({"type": "interrupt"})
    assert cancelled["timestamp"] == 5.5


@rows(
    ("misuse", "message"),
    [
        (lambda batch: batch.take(call("c")), "a call came before the outcomes of {}"),
        (lambda batch: batch.take(EXECUTE), "an execute came before the outcomes of {}"),
        (lambda batch: batch.take(error()), "an error came before the outcomes of {}"),
        (lambda batch: batch.next_turn(), "the next turn came before the outcomes of {}"),
        (lambda batch: batch.close(), "the end came before the outcomes of {}"),
        (
            lambda batch: batch.settle(2, "success", 1),
            "2 is no call that waits; waiting: {}",
        ),
    ],
)
def test_misuse_names_the_calls_that_wait(misuse, message):
    """All of them, by index and name, in their order."""
    batch = opened("a", "b")
    with pytest.raises(ValueError, match=re.escape(message.format("call 0 (a), call 1 (b)")) + "$"):
        misuse(batch)


def test_where_no_call_waits_the_message_says_so():
    """An outcome may come twice."""
    with pytest.raises(ValueError, match=r"^0 is no call that waits; waiting: none$"):
        cogwire.Batch().settle(0, "success", 1)


def test_an_execute_behind_an_error_says_what_to_do():
    """By lines the turn goes on, and nothing of it runs."""
    batch = cogwire.Batch("delimiter")
    batch.take(error())
    message = "an execute came behind an error; next_turn() begins another turn"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        batch.take(EXECUTE)


def test_arguments_too_deep_for_python_are_no_call():
    """A content may come from storage, where no limit was set."""
    deep = "[" * 100_000 + "]" * 100_000
    batch = cogwire.Batch()
    with pytest.raises(ValueError, match=r"^the arguments are nested too deeply to be decoded$"):
        batch.take({"type": "call", "content": f'{{"name": "a", "args": {{"x": {deep}}}}}'})
    assert batch.calls == ()


def test_a_message_that_no_json_holds_is_refused_with_its_place():
    """An error may come from storage too."""
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.Batch().take(error(content="\ud800"))
    assert caught.value.path == "/0/content"


def test_a_clock_that_fails_changes_nothing():
    """The same can be tried again."""
    failing = [False]

    def clock():
        if failing[0]:
            raise OSError("no time")
        return 1.0

    batch = cogwire.Batch(clock=clock)
    batch.take(call())
    batch.take(EXECUTE)
    failing[0] = True
    with pytest.raises(OSError, match="no time"):
        batch.settle(0, "success", 1)
    failing[0] = False
    assert batch.waiting == (0,)
    assert len(batch.settle(0, "success", 1)) == 1


def test_the_last_result_is_kept():
    """Whoever missed it finds it on the batch."""
    batch = cogwire.Batch()
    assert batch.result is None
    (first,) = batch.take(EXECUTE)
    assert batch.result == first
    batch.take(call())
    (second,) = batch.take(error())
    assert batch.result == second != first


def test_the_dialect_says_how_calls_run():
    """In the default dialect all at once; an unknown one is misuse."""
    assert cogwire.Batch().parallel
    with pytest.raises(ValueError, match="xml-json"):
        cogwire.Batch("yaml")


def test_a_batch_takes_what_a_parser_gives():
    """Two turns, one void and one good, on one batch."""
    parser = cogwire.Parser(clock=None)
    batch = cogwire.Batch(clock=None)

    def turn(text):
        parser.next_turn() if parser.stopped else None
        return [result for event in parser.feed(text) for result in batch.take(event)]

    (void,) = turn('<execute>[{"name": "a", "args": {}}, x]</execute>')
    assert void["payload"] == counts(0, 0, 1)
    assert turn('Again. <execute>[{"name": "a", "args": {}}]</execute>') == []
    (result,) = batch.settle(0, "success", {})
    assert result["payload"] == counts(1, 1, 0)


@given(st.lists(st.sampled_from(["success", "failure"]), min_size=1, max_size=6), st.randoms())
def test_the_result_answers_its_block(statuses, random):
    """Block and result together are a transcript without errors, counts included."""
    batch = cogwire.Batch(clock=None)
    calls = [call(f"t{index}", x=index) for index in range(len(statuses))]
    for event in [*calls, EXECUTE]:
        batch.take(event)
    order = list(range(len(statuses)))
    random.shuffle(order)
    results = [
        result for index in order for result in batch.settle(index, statuses[index], "<end>")
    ]
    events = [*calls, EXECUTE, *results]
    assert cogwire.parse_transcript(cogwire.render_events(events), clock=None) == events
