"""`Batch` as an object: what it keeps, its clock, and what its refusals say.

What batches give is in the cases of the corpus.
"""

import copy
import functools
import itertools
import json
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import FrozenInstanceError

import pytest

from tests import cogwire
from tests.core.helpers import DIALECTS, operations
from tests.rows import rows

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


@rows("dialect", DIALECTS)
def test_only_xml_json_runs_its_calls_together(dialect):
    assert cogwire.Batch(dialect).parallel is (dialect == "xml-json")


def test_a_call_is_decoded_and_kept_as_it_was_written():
    """A call has its index, name, arguments and text, and does not change."""
    content = '{"args": {"n": 1e2, "s": "\\u00e9"}, "note": 0, "name": "w"}'
    batch = cogwire.Batch()
    batch.take({"type": "call", "content": content, "id": "toolu_1"})
    (first,) = batch.calls
    assert (first.index, first.name, first.content, first.id) == (0, "w", content, "toolu_1")
    assert first.args == {"n": 100.0, "s": "é"}
    with pytest.raises(FrozenInstanceError):
        first.name = "x"


def test_an_outcome_is_kept_as_it_was_when_it_arrived():
    """What the tool does with its value later has no effect."""
    value = [1]
    batch = opened("a", "b")
    batch.settle(0, "success", value)
    value.append(2)
    (result,) = batch.settle(1, "success", None)
    assert [item["content"] for item in json.loads(result["content"])] == [[1], None]


def test_calls_that_threads_settle_are_settled_and_answered_once(monkeypatch):
    module = sys.modules[cogwire.Batch.__module__]
    write = module.write_item
    monkeypatch.setattr(module, "write_item", lambda *item: (together.wait(60), write(*item))[1])

    def settle(index):
        with suppress(ValueError):
            settled.append(batch.settle(index % 4, "failure", "no"))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(200):
                batch, together, settled = opened(*["a"] * 4), threading.Barrier(8), []
                list(pool.map(settle, range(8)))
                assert [len(each) for each in settled].count(0) == len(settled) - 1 == 3
                assert batch.result["payload"] == counts(4, 0, 4)
    finally:
        sys.setswitchinterval(interval)


def test_the_outcome_of_an_earlier_batch_is_refused():
    """Even if the calls are equal: a late outcome does not belong to a call that has not run."""
    batch = opened("pay", "pay")
    late, done = batch.calls
    assert batch.settle(done, "success", 1) == []
    batch.take({"type": "cancelled"})
    for event in (call("pay"), EXECUTE):
        batch.take(event)
    for earlier in (late, done):
        with pytest.raises(
            ValueError, match=f"call {earlier.index} .pay. is not one of this batch"
        ):
            batch.settle(earlier, "success", "paid")
    assert batch.waiting == (0,)
    (call_now,) = batch.calls
    assert [batch.is_waiting(each) for each in (call_now, late, done)] == [True, False, False]
    (result,) = batch.settle(call_now, "failure", "no money")
    assert result["payload"] == counts(1, 0, 1)


def test_a_copy_is_a_separate_batch():
    """What one takes, the other does not have."""
    batch = opened("a", "b")
    batch.settle(0, "failure", "no")
    other = copy.copy(batch)
    assert (other.calls, other.waiting, other.is_open) == (batch.calls, (1,), True)
    (result,) = other.settle(other.calls[1], "success", 2)
    assert result["payload"] == counts(2, 1, 1)
    assert (batch.waiting, batch.result) == ((1,), None)
    collecting = cogwire.Batch("delimiter", clock=None)
    later = copy.copy(collecting)
    collecting.take(call("a"))
    assert (later.calls, later.parallel) == ((), False)


def test_every_result_is_stamped():
    """A batch without calls, a void block and a cancelled batch have their time too.

    The clock is read once each time.
    """
    times = itertools.count(1.5)
    batch = cogwire.Batch(clock=lambda: next(times))
    results = batch.take(EXECUTE) + batch.take(error())
    for end in (lambda: batch.settle(0, "success", 1), lambda: batch.take({"type": "interrupt"})):
        batch.take(call())
        batch.take(EXECUTE)
        results += end()
    assert [result["timestamp"] for result in results] == [1.5, 2.5, 5.5, 8.5]
    assert {tuple(result) for result in results} == {("type", "content", "payload", "timestamp")}


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
            "2 is not a call that is waiting; waiting: {}",
        ),
        (
            lambda batch: batch.settle(0, "success", {1}),
            "a value of type set; JSON cannot contain it",
        ),
    ],
)
def test_misuse_names_the_calls_that_wait(misuse, message):
    """All of them, by index and name, in their order; and they can still be settled."""
    batch = opened("a", "b")
    with pytest.raises(ValueError, match=re.escape(message.format("call 0 (a), call 1 (b)")) + "$"):
        misuse(batch)
    assert batch.settle(0, "success", 1) == []
    (result,) = batch.settle(1, "failure", "no")
    assert result["payload"] == counts(2, 1, 1)
    with pytest.raises(ValueError, match=r"^0 is not a call that is waiting; waiting: none$"):
        batch.settle(0, "success", 1)


@rows("members", [{}, {"content": None}, {"content": b"{}"}, {"content": "[]"}])
def test_a_call_without_its_content_is_malformed(members):
    with pytest.raises(ValueError, match=r"^the content is not that of one call: "):
        cogwire.Batch().take({"type": "call", **members})


@rows("value", [None, "execute", [], {}, {"role": "user", "content": "x"}, {"type": ["execute"]}])
def test_a_value_without_a_type_is_not_an_event(value):
    batch = opened("a")
    for take in (batch.take, lambda value: batch.take_last([value])):
        with pytest.raises(ValueError, match=r"^an event must be an object"):
            take(value)
    assert batch.waiting == (0,)


@rows("code", [{}, {"code": None}, {"code": ""}])
def test_an_error_without_a_code_is_one_of_the_framework(code):
    """It is not answered: no call caused it."""
    batch = opened("a")
    assert batch.take({"type": "error", "content": "The disk is full.", **code}) == []
    assert batch.waiting == (0,)


@rows("index", ["0", True, 0.0, None, -1])
def test_an_index_is_a_number_of_a_call(index):
    """True is 1 in Python, and yet it is not an index."""
    message = f"{index!r} is not a call that is waiting; waiting: call 0 (a), call 1 (b)"
    batch = opened("a", "b")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        batch.settle(index, "success", 1)
    assert batch.waiting == (0, 1)


def test_an_outcome_costs_the_same_however_many_calls_there_are():
    opened("a").settle(0, "success", 1)  # what writes results is imported once
    costs = []
    for count in (2, 500):
        batch = opened(*["a"] * count)
        last = batch.calls[-1]
        costs.append(operations(functools.partial(batch.settle, last, "success", 1)))
    assert costs[0] == costs[1]


def test_another_turn_begins_without_the_calls_that_nothing_ran():
    for before in (call("a"), error()):
        batch = cogwire.Batch("delimiter", clock=None)
        batch.take(before)
        batch.next_turn()
        batch.take(call("b"))
        batch.take(EXECUTE)
        assert [each.name for each in batch.calls] == ["b"]


def test_an_execute_after_an_error_explains_what_to_do():
    """By lines the turn goes on, and nothing of it runs."""
    batch = cogwire.Batch("delimiter")
    batch.take(error())
    message = "an execute came after an error; next_turn() begins another turn"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        batch.take(EXECUTE)


def test_arguments_too_deep_for_python_are_not_a_call():
    """A content may come from storage, where no limit was set."""
    deep = "[" * 100_000 + "]" * 100_000
    batch = cogwire.Batch(clock=None)
    batch.take(call())
    with pytest.raises(ValueError, match=r"^the arguments are nested too deeply to be decoded$"):
        batch.take({"type": "call", "content": f'{{"name": "a", "args": {{"x": {deep}}}}}'})
    batch.take(
        {"type": "call", "content": f'{{"name": "b", "args": {{"x": {deep[99_880:-99_880]}}}}}'}
    )
    assert [each.name for each in batch.calls] == ["a", "b"]


def test_a_message_that_json_cannot_represent_is_refused_with_its_place():
    """An error may come from storage too."""
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.Batch().take(error(content="\ud800"))
    assert caught.value.path == "/0/content"


def test_the_last_result_is_kept():
    """Whoever missed it finds it on the batch."""
    batch = cogwire.Batch()
    assert batch.result is None
    (first,) = batch.take(EXECUTE)
    assert batch.result == first
    batch.take(call())
    (second,) = batch.take(error())
    assert batch.result == second != first
    for kind, kept in ("end", second), ("result", None):
        batch.take({"type": kind})
        assert batch.result == kept
    batch.take(EXECUTE)
    batch.next_turn()
    assert batch.result is None


TEXT = {"type": "respond", "content": "Hm."}
INTERRUPT, CANCELLED = {"type": "interrupt"}, {"type": "cancelled"}


@rows(
    ("before", "last", "stored"),
    [
        ([], [TEXT, CANCELLED], "respond cancelled"),
        ([call()], [CANCELLED], "cancelled"),
        # A user's text follows the answer, which is stored by then.
        ([EXECUTE, {"type": "user"}], [TEXT, CANCELLED], "respond cancelled"),
        # Of a void block the answer comes before the `cancelled`, whenever it was caused.
        ([call()], [error(), CANCELLED], "error result cancelled"),
        ([call(), error()], [TEXT, CANCELLED], "respond result cancelled"),
        ([error()], [], "result"),
        ([call()], [error(), INTERRUPT], "error interrupt result"),
        # Calls that may have run are answered after it, also if `aio.run` has taken it before.
        ([call(), EXECUTE], [CANCELLED], "cancelled result"),
        ([call(), EXECUTE, CANCELLED], [CANCELLED], "cancelled result"),
        ([call()], [EXECUTE, INTERRUPT], "execute interrupt result"),
        # So is a block without calls, of which none ran either.
        ([], [EXECUTE, CANCELLED], "execute cancelled result"),
    ],
)
def test_the_end_of_a_stopped_turn_has_its_answer_where_histories_have_it(before, last, stored):
    """The answer is in it once, and not in the end of the next turn."""
    batch = cogwire.Batch("delimiter", clock=None)
    for event in before:
        batch.take(event)
    events = batch.take_last(last)
    assert " ".join(event["type"] for event in events) == stored
    assert [event for event in events if event["type"] != "result"] == last
    assert (batch.result, batch.take_last([])) == (None, [])


def test_a_stopped_turn_whose_calls_still_run_keeps_its_batch_open():
    batch = opened("a", "b")
    assert batch.take_last([]) == []
    assert batch.waiting == (0, 1)


def test_the_repr_of_a_batch_shows_its_state():
    batch = cogwire.Batch("delimiter", clock=None)
    shown = [repr(batch)]
    for event in (call(), call(), EXECUTE):
        batch.take(event)
        shown.append(repr(batch))
    for index in range(2):
        batch.settle(index, "success", "x")
        shown.append(repr(batch))
    batch.take(error("bad-name"))
    shown.append(repr(batch))
    assert shown == [
        f"<Batch delimiter: {where}>"
        for where in (
            "collecting, 0 calls",
            "collecting, 1 call",
            "collecting, 2 calls",
            "open, 2 waiting, 2 calls",
            "open, 1 waiting, 2 calls",
            "answered, 0 calls",
            "void, 0 calls",
        )
    ]
