"""`Batch` and `aio.run` in every dialect: what differs is who runs together."""

import asyncio
import importlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.helpers import DIALECTS, call, execute
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")

#: How long a test waits for what must happen, before it fails.
PATIENCE = 30


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
