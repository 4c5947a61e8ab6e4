"""`Batch` and `aio.run` in every dialect: what differs is who runs together, and what an error does."""

import asyncio
import importlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import DIALECTS, LINES, call, end, execute, result
from tests.core.turns.test_batch import error
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")

#: How long a test waits for what must happen, before it fails.
PATIENCE = 30

A = call('{"name": "a", "args": {"x": "1"}}')
BARE = call('{"name": "a"}')


def void(message="The message."):
    item = {"tool": "execute", "status": "failure", "content": message}
    return result(f"[\n  {json.dumps(item)}\n]", 0, 1, executed=0)


TURN_ENDS = {
    "end": end(),
    "user": {"type": "user", "content": "q"},
    "result": void(),
    "interrupt": {"type": "interrupt"},
    "cancelled": {"type": "cancelled"},
}


def collecting(dialect, *events):
    """Return a batch that took `events`, and what it gave."""
    batch = cogwire.Batch(dialect, clock=None)
    return batch, [given for each in events for given in batch.take(each)]


def statuses(given_result):
    return [item["status"] for item in json.loads(given_result["content"])]


# -- Calls and outcomes ---------------------------------------------------------------------


@rows("dialect", DIALECTS)
def test_only_xml_json_runs_its_calls_together(dialect):
    assert cogwire.Batch(dialect).parallel is (dialect == "xml-json")


@given(
    st.sampled_from(DIALECTS),
    st.lists(st.sampled_from(["success", "failure"]), min_size=1, max_size=5),
    st.randoms(),
)
def test_the_result_answers_its_block_in_every_dialect(dialect, given_statuses, random):
    """Block and result together are a transcript without errors, counts included."""
    calls = [
        call(json.dumps({"name": f"t{index}", "args": {}})) for index in range(len(given_statuses))
    ]
    batch, _ = collecting(dialect, *calls, execute())
    order = list(range(len(given_statuses)))
    random.shuffle(order)
    given = [
        each
        for index in order
        for each in batch.settle(index, given_statuses[index], "a\n§end <end>")
    ]
    events = [*calls, execute(), *given]
    read = cogwire.parse_transcript(cogwire.render_events(events, dialect), dialect, clock=None)
    assert [each.get("payload") for each in read] == [each.get("payload") for each in events]
    assert json.loads(read[-1]["content"]) == json.loads(given[0]["content"])


# -- Errors ---------------------------------------------------------------------------------


@rows("dialect", LINES)
@rows("code", ["json-syntax", "trailing-text", "forged-results", "unclosed-call"])
def test_after_an_error_nothing_is_collected_in_delimiter(dialect, code):
    """The turn goes on and shows calls, none of which may ever run."""
    batch, given = collecting(dialect, A, error(code), BARE, A)
    assert given == [void()]
    assert batch.calls == ()
    assert not batch.is_open
    assert batch.waiting == ()
    assert batch.take(error("forged-results")) == []
    assert batch.take({"type": "respond", "content": "r"}) == []
    with pytest.raises(ValueError, match="execute came after an error"):
        batch.take(execute())
    assert batch.result == void()
    batch.close()


@rows("dialect", LINES)
@rows("over", [*TURN_ENDS, "next_turn"])
def test_a_turn_with_an_error_ends_with_an_event_that_ends_it(dialect, over):
    batch, _ = collecting(dialect, A, error(), A)
    if over == "next_turn":
        batch.next_turn()
    else:
        assert batch.take(TURN_ENDS[over]) == []
    assert batch.take(BARE) == []
    assert batch.take(execute()) == []
    assert [each.content for each in batch.calls] == [BARE["content"]]
    assert statuses(batch.settle(0, "success", None)[0]) == ["success"]


@rows("dialect", DIALECTS)
@rows("over", TURN_ENDS)
def test_calls_of_a_turn_that_was_abandoned_do_not_run_in_the_next(dialect, over):
    batch, given = collecting(dialect, A, TURN_ENDS[over], BARE, execute())
    assert given == []
    assert [each.content for each in batch.calls] == [BARE["content"]]
    assert batch.waiting == (0,)


@rows("dialect", DIALECTS)
@rows("event", [A, execute(), error()])
def test_an_event_that_needs_outcomes_is_refused_while_they_are_missing(dialect, event):
    batch, _ = collecting(dialect, A, execute())
    with pytest.raises(ValueError, match=r"call 0 \(a\)"):
        batch.take(event)
    with pytest.raises(ValueError, match=r"the next turn came before .*call 0 \(a\)"):
        batch.next_turn()
    with pytest.raises(ValueError, match=r"the end came before .*call 0 \(a\)"):
        batch.close()
    assert batch.waiting == (0,)


# -- Running --------------------------------------------------------------------------------


def run(dialect, names, tools, **options):
    """Run a batch of calls without arguments, and return the outcomes."""
    calls = [call(json.dumps({"name": name})) for name in names]
    batch, _ = collecting(dialect, *calls, execute())

    async def main():
        return await asyncio.wait_for(aio.run(batch, tools, **options), PATIENCE)

    given_result = asyncio.run(main())
    assert not batch.is_open
    return [(item["status"], item["content"]) for item in json.loads(given_result["content"])]


SEQUENTIAL = [dialect for dialect in DIALECTS if dialect != "xml-json"]


@rows("dialect", SEQUENTIAL)
def test_one_call_ends_before_the_next_begins(dialect):
    """Coroutines and threads, the slow ones first."""
    log = []

    async def slow():
        log.append("slow begins")
        await asyncio.sleep(0.02)
        log.append("slow ends")

    def thread():
        log.append("thread begins")
        time.sleep(0.01)
        log.append("thread ends")

    async def quick():
        log.append("quick")

    tools = {"slow": slow, "thread": thread, "quick": quick}
    run(dialect, ["slow", "thread", "quick", "slow"], tools)
    assert log == [
        *("slow begins", "slow ends", "thread begins", "thread ends"),
        *("quick", "slow begins", "slow ends"),
    ]


@rows("dialect", SEQUENTIAL)
def test_a_run_that_is_cancelled_begins_no_further_call(dialect):
    """Its result says which calls were cancelled."""
    log = []

    async def first():
        log.append("first")
        return 1

    hangs = asyncio.Event()

    async def hanging():
        log.append("hanging")
        hangs.set()
        await asyncio.Event().wait()

    names = ["first", "hanging", "first"]
    batch, _ = collecting(dialect, *(call(json.dumps({"name": name})) for name in names), execute())

    async def main():
        task = asyncio.create_task(aio.run(batch, {"first": first, "hanging": hanging}))
        await hangs.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert log == ["first", "hanging"]
    assert statuses(batch.result) == ["success", "failure", "failure"]
