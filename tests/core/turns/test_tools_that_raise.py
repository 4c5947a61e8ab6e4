"""Tools that raise, in every place of a batch: the others have their outcomes, or all are over."""

import asyncio
import importlib
import json
import sys

import pytest

from tests import cogwire
from tests.core.faulty import ENDS, BrokenError, Clock, MuteError
from tests.core.turns.histories import CANCELLED
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")

CALLS = 3
#: What is wrong with a call alone, and the name its message has.
FAILURES = {
    BrokenError("no"): "BrokenError: no",
    MuteError("no"): "MuteError",
    MemoryError(): "MemoryError",
    RecursionError("deep"): "RecursionError: deep",
    TimeoutError(): "TimeoutError",
    OSError(2, "Gone", "\udcff"): "FileNotFoundError: [Errno 2] Gone: '\\udcff'",
    ValueError("\udcff"): "ValueError: \ufffd",
    ValueError("x" * 1_000_000): "ValueError: " + "x" * 9988,
    asyncio.CancelledError(): CANCELLED,
    StopAsyncIteration(): "StopAsyncIteration",
    # A future could not carry it.
    StopIteration(1): "StopIteration: 1",
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"): (
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: no"
    ),
}
if sys.version_info >= (3, 11):
    TWO = ExceptionGroup("two", [BrokenError(), MemoryError()])  # noqa: F821 - in Python 3.10 it is not there
    FAILURES[TWO] = "ExceptionGroup: two (2 sub-exceptions)\n  BrokenError\n  MemoryError"


def calls(batch):
    for index in range(CALLS):
        content = json.dumps({"name": "t", "args": {"index": index}}, separators=(",", ":"))
        batch.take({"type": "call", "content": content})
    batch.take({"type": "execute"})
    return batch


def tool(kind, place, error):
    """Return a tool that raises at one place; `began` is where it has been."""
    began = []

    def plain(index):
        began.append(index)
        if index == place:
            raise error
        return index

    async def coroutine(index):
        await asyncio.sleep(0)
        return plain(index)

    return {"plain": plain, "coroutine": coroutine}[kind], began


def outcomes(batch):
    return [(item["status"], item["content"]) for item in json.loads(batch.result["content"])]


everywhere = rows("place", range(CALLS))
#: The first runs its calls together, the other one after the other.
dialects = rows("dialect", ["xml-json", "delimiter"])
kinds = rows("kind", ["plain", "coroutine"])


@dialects
@kinds
@everywhere
@rows("error", FAILURES)
def test_a_tool_that_raises_fails_alone(dialect, kind, place, error):
    batch = calls(cogwire.Batch(dialect, clock=None))
    function, began = tool(kind, place, error)
    asyncio.run(aio.run(batch, {"t": function}))
    expected = [("success", index) for index in range(CALLS)]
    expected[place] = ("failure", FAILURES[error])
    if kind == "coroutine" and isinstance(error, StopIteration):  # which Python itself replaces
        expected[place] = ("failure", "RuntimeError: coroutine raised StopIteration")
    assert outcomes(batch) == expected
    assert sorted(began) == list(range(CALLS))


@dialects
@kinds
@everywhere
@rows("error", ENDS)
def test_an_exception_that_ends_the_program_ends_the_batch(dialect, kind, place, error):
    """It goes on; what was done is kept, the rest is cancelled; the batch can be used again."""
    batch = calls(cogwire.Batch(dialect, clock=None))
    function, began = tool(kind, place, error())
    with pytest.raises(error):
        asyncio.run(aio.run(batch, {"t": function}))
    given = outcomes(batch)
    assert given[place] == ("failure", CANCELLED)
    for index, outcome in enumerate(given):
        assert outcome in {("success", index), ("failure", CANCELLED)}
    if not batch.parallel:
        assert began == list(range(place + 1))
        assert given[:place] == [("success", index) for index in range(place)]
    assert (batch.is_open, batch.calls) == (False, ())
    asyncio.run(aio.run(calls(batch), {"t": lambda index: index}))
    assert outcomes(batch) == [("success", index) for index in range(CALLS)]


@dialects
@rows("place", range(5))
def test_run_is_cancelled_at_every_await(dialect, place):
    """The tools of calls that have begun end first, whatever they do then; in sequence no other begins."""
    batch = calls(cogwire.Batch(dialect, clock=None))
    began, ended = [], []

    async def work(index):
        began.append(index)
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            raise
        finally:
            ended.append(index)
        return index

    async def main():
        running = asyncio.create_task(aio.run(batch, {"t": work}))
        for _ in range(place):
            await asyncio.sleep(0)
        before = len(began)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert sorted(ended) == sorted(began)
        # The one whose turn it was may have been scheduled.
        assert batch.parallel or len(began) <= before + 1

    asyncio.run(main())
    if place:
        for index, outcome in enumerate(outcomes(batch)):
            assert outcome in {("success", index), ("failure", CANCELLED)}
        assert not batch.is_open
    else:
        # It had not begun, so that the batch is as it was.
        assert batch.waiting == tuple(range(CALLS))


@dialects
@everywhere
@rows("error", [BrokenError, *ENDS])
def test_a_clock_that_raises_ends_the_batch(dialect, place, error):
    """Also at the last outcome; every call that has ended has its own."""
    clock = Clock(error)
    batch = calls(cogwire.Batch(dialect, clock=clock))
    clock.left = place
    function, began = tool("coroutine", None, None)
    with pytest.raises(error):
        asyncio.run(aio.run(batch, {"t": function}))
    assert sorted(began) == list(range(CALLS if batch.parallel else place + 1))
    expected = [("success", index) for index in sorted(began)]
    assert outcomes(batch) == expected + [("failure", CANCELLED)] * (CALLS - len(began))
    assert not batch.is_open
