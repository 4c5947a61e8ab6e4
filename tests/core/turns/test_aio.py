"""`cogwire.aio.run`: whatever a tool does, the batch gets one result in call order."""

import asyncio
import contextvars
import copy
import dataclasses
import datetime as dt
import enum
import functools
import gc
import importlib
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import uuid
from collections import OrderedDict
from contextlib import suppress
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import NamedTuple

import pydantic
import pytest

from tests import cogwire
from tests.core.faulty import ENDS, MuteError
from tests.core.helpers import operations
from tests.core.turns.histories import CANCELLED
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")

#: How long a test waits for what must happen, before it fails.
PATIENCE = 30


def reopened(batch, *calls):
    """Return a batch to which calls and an execute have come."""
    for name, args in (call if isinstance(call, tuple) else (call, {}) for call in calls):
        batch.take({"type": "call", "content": json.dumps({"name": name, "args": args})})
    batch.take({"type": "execute"})
    return batch


def opened(*calls):
    return reopened(cogwire.Batch(clock=None), *calls)


def in_sequence(*calls):
    return reopened(cogwire.Batch("delimiter", clock=None), *calls)


def outcomes(result):
    return [(item["status"], item["content"]) for item in json.loads(result["content"])]


def run(batch, tools, **options):
    """Run a batch and return its outcomes."""
    return run_for(aio.run(batch, tools, **options))


def run_for(awaitable):
    """Return the outcomes in the result that is awaited."""

    async def main():
        return await asyncio.wait_for(awaitable, PATIENCE)

    return outcomes(asyncio.run(main()))


async def forever():
    await asyncio.Event().wait()


# -- Calling --------------------------------------------------------------------------------


def test_tools_are_called_with_the_arguments_by_name():
    """A coroutine function in the loop, any other function in a thread; the batch has the result."""

    async def add(left, right):
        return left + right

    def join(parts, between=", "):
        return between.join(parts)

    batch = opened(("add", {"left": 1, "right": 2}), ("join", {"parts": ["a", "b"]}))
    result = asyncio.run(aio.run(batch, {"add": add, "join": join}))
    assert outcomes(result) == [("success", 3), ("success", "a, b")]
    assert result["payload"] == {"tools_executed": 2, "success_count": 2, "failure_count": 0}
    assert (batch.is_open, batch.result) == (False, result)


class Greeter:
    async def __call__(self, name):
        return f"hello {name}"


async def greet(greeting, name):
    return f"{greeting} {name}"


@rows(
    "tool",
    [
        Greeter(),
        functools.partial(greet, "hello"),
        lambda name: greet("hello", name),
        lambda name: f"hello {name}",
        "hello {name}".format,
    ],
)
def test_whatever_can_be_called_is_a_tool(tool):
    """What a function returns is awaited if it can be."""
    assert run(opened(("t", {"name": "you"})), {"t": tool}) == [("success", "hello you")]


def test_threads_see_the_context():
    """Context variables are those of the caller."""
    user = contextvars.ContextVar("user")
    user.set("ann")
    assert run(opened("who"), {"who": user.get}) == [("success", "ann")]


def test_a_batch_that_is_not_open_is_misuse():
    """Nothing may run before `execute`, and nothing twice."""
    batch = cogwire.Batch()
    batch.take({"type": "call", "content": '{"name": "a", "args": {}}'})
    with pytest.raises(ValueError, match="not open: take an execute event first"):
        asyncio.run(aio.run(batch, {"a": lambda: 1}))
    batch.take({"type": "execute"})
    batch.settle(0, "failure", "The user has refused this.")
    with pytest.raises(ValueError, match="if they all have outcomes, the answer is its result"):
        asyncio.run(aio.run(batch, {"a": lambda: 1}))


def test_a_batch_is_run_once_at_a_time():
    """The second run is refused, and disturbs nothing; a copy of the batch is the same calls."""
    batch = opened("slow", "slow")
    ran = []

    async def main():
        begun, release = asyncio.Event(), asyncio.Event()

        async def slow():
            ran.append(1)
            begun.set()
            await release.wait()

        first = asyncio.create_task(aio.run(batch, {"slow": slow}))
        await begun.wait()
        for again in (batch, copy.copy(batch)):
            with pytest.raises(
                RuntimeError, match="another run of this batch has not ended; await"
            ):
                await aio.run(again, {"slow": slow})
        release.set()
        return await first

    assert outcomes(asyncio.run(main())) == [("success", None)] * 2
    assert len(ran) == 2


# -- Together, and one after the other ------------------------------------------------------


def test_a_parallel_batch_is_in_flight_at_once():
    """No call ends before all have begun, however few processors there are for plain functions."""
    waiting, have_met = [], asyncio.Event()
    barrier = threading.Barrier(64)

    async def meet():
        waiting.append(1)
        if len(waiting) == 5:
            have_met.set()
        await have_met.wait()

    def meet_in_threads():
        barrier.wait(PATIENCE)

    tools = {"meet": meet, "meet_in_threads": meet_in_threads}
    for name, count in (("meet", 5), ("meet_in_threads", 64)):
        assert run(opened(*[name] * count), tools) == [("success", None)] * count


def test_each_outcome_is_told_when_it_is_known():
    """With it another process settles the batch, and the calls that ended do not run again."""
    told, is_told = [], asyncio.Event()

    def tell(*outcome):
        told.append(outcome)
        if len(told) == 3:
            is_told.set()

    async def pay(euros):
        return {Decimal(euros)}

    calls = ("pay", {"euros": 5}), "unknown", ("pay", {"euros": "x"}), "stop"
    batch = opened(*calls)

    async def main():
        tools = {"pay": pay, "stop": forever}
        running = asyncio.create_task(aio.run(batch, tools, on_outcome=tell))
        await is_told.wait()
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(main())
    failed = [("failure", "There is no tool 'unknown'. Tools: pay, stop.")]
    failed += [("failure", "InvalidOperation: [<class 'decimal.ConversionSyntax'>]")]
    assert sorted((call.index, *rest) for call, *rest in told) == [
        (0, "success", ["5"]),
        (1, *failed[0]),
        (2, *failed[1]),
    ]
    assert outcomes(batch.result)[3] == ("failure", CANCELLED)
    again = opened(*calls)
    for call, status, content in told:
        again.settle(call.index, status, content)
    assert run(again, {"stop": lambda: "stopped"}) == [
        ("success", ["5"]),
        *failed,
        ("success", "stopped"),
    ]


def test_what_a_tool_does_to_its_arguments_is_not_told():
    """They are the call's, as the model wrote it, and another process settles that one."""
    told = []
    run(
        opened(("add", {"names": ["a"]})),
        {"add": lambda names: names.append("b")},
        on_outcome=lambda call, *_: told.append(call.args),
    )
    assert told == [{"names": ["a"]}]


def test_twice_the_calls_are_twice_the_work():
    """Also where they end one after the other, each with a time limit."""

    def work(size):
        ended = [asyncio.Event() for _ in range(size + 1)]
        ended[0].set()

        async def wait(index):
            await ended[index].wait()
            ended[index + 1].set()

        batch = opened(*(("wait", {"index": index}) for index in range(size)))
        return operations(lambda: run(batch, {"wait": wait}))

    assert work(400) <= 2.2 * work(200)


@rows("value", [1, Decimal(1)])
def test_what_the_watcher_of_outcomes_raises_ends_the_run(value):
    told = []

    def watch(*outcome):
        told.append(outcome[1:])
        raise cogwire.RenderError("/0", "the disk is full")

    batch = in_sequence("one", "two")
    with pytest.raises(cogwire.RenderError, match="the disk is full"):
        run(batch, {"one": lambda: value, "two": forever}, on_outcome=watch)
    ended = ("success", 1) if isinstance(value, int) else ("success", "1")
    assert told == [ended]
    assert outcomes(batch.result) == [ended, ("failure", CANCELLED)]


def test_calls_in_turn_do_not_overlap():
    """One ends before the next begins, in a thread too; a failure and a time-out stop none of them."""
    log = []

    def thread():
        log.append("begin thread")
        time.sleep(0.01)
        log.append("end thread")

    async def step(index):
        log.append(f"begin {index}")
        await asyncio.sleep(0)
        log.append(f"end {index}")
        if index == 1:
            raise KeyError("k")

    batch = opened(*(("step", {"index": index}) for index in (0, 1)), "thread", "slow", "thread")
    tools = {"step": step, "slow": forever, "thread": thread}
    assert run(batch, tools, timeouts={"slow": 0.01}, sequential=True) == [
        ("success", None),
        ("failure", "KeyError: 'k'"),
        ("success", None),
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("success", None),
    ]
    assert log == ["begin 0", "end 0", "begin 1", "end 1", *["begin thread", "end thread"] * 2]


# -- Failures -------------------------------------------------------------------------------


def raising(error):
    def tool():
        raise error

    return tool


def araising(error):
    async def tool():
        raise error

    return tool


class Group(Exception):  # noqa: N818 (it is like those of Python)
    """As a group of exceptions is, in any Python."""

    def __init__(self, message, exceptions, notes=()):
        super().__init__(message)
        self.exceptions = exceptions
        self.__notes__ = notes


class UnreadableError(Exception):
    @property
    def exceptions(self):
        raise OSError


@rows(
    ("error", "message"),
    [
        (
            Group(
                "two", [ValueError("a\nb"), Group("more", (KeyError(1),), ["noted"]), "no error"]
            ),
            "Group: two\n  ValueError: a\n  b\n  Group: more\n  noted\n    KeyError: 1",
        ),
        (
            Group("noted", (), ["Try another.", 5, "Or none."]),
            "Group: noted\nTry another.\nOr none.",
        ),
        (Group("odd", 5, 5), "Group: odd"),
        (UnreadableError("odd"), "UnreadableError: odd"),
        (
            Group("many", [ValueError("x" * 9)] * 9000),
            "Group: many" + f"\n  {'ValueError: xxxxxxxxx'}" * 434,
        ),
    ],
)
def test_the_message_names_the_exceptions_of_a_group_and_the_notes(error, message):
    ((status, content),) = run(opened("t"), {"t": raising(error)})
    assert (status, content[:10_000].startswith(message[:10_000])) == ("failure", True)
    assert len(content) == min(len(message), 10_000) or error.args == ("many",)


class HaltGroup(BaseException):
    def __init__(self, *exceptions):
        super().__init__("several")
        self.exceptions = exceptions


def test_a_group_is_the_failure_of_its_call_unless_the_program_is_to_end():
    cancelled = asyncio.CancelledError("x")
    tools = {"t": raising(HaltGroup(cancelled, ValueError("a"))), "b": lambda: 1}
    message = "HaltGroup: several\n  CancelledError: x\n  ValueError: a"
    assert run(opened("t", "b"), tools) == [("failure", message), ("success", 1)]
    tools["t"] = raising(HaltGroup(cancelled, HaltGroup(SystemExit())))
    with pytest.raises(HaltGroup):
        run(opened("t", "b"), tools)


def test_a_tool_that_cancels_itself_fails_alone():
    """Only whoever cancels `run` cancels the batch."""

    async def vanish():
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    assert run(opened("vanish", "b"), {"vanish": vanish, "b": lambda: 1}) == [
        ("failure", CANCELLED),
        ("success", 1),
    ]


def test_an_unknown_tool_is_a_failure():
    """The message lists the tools there are; here there are none."""
    assert run(opened("c"), {}) == [("failure", "There is no tool 'c'. Tools: none.")]


#: A model that reads of a failure alone would call the tool again.
NOT_WRITTEN = "The tool has run, but its value cannot be written: "
GENERATOR = "The tool returned a generator, whose body runs only as it is read: a value of type"


@rows("error", [RecursionError("deep"), MemoryError(), RuntimeError("changed size")])
def test_whatever_fails_while_a_value_is_written_fails_one_call(error):
    """The batch is answered, and the message says why."""
    values = importlib.import_module(f"{cogwire.__name__}.wire.blocks.values")
    encode = values._encode

    def encoding(value):
        if value["content"] == "bad":
            raise error
        return encode(value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_encode", encoding)
        batch = opened("good", "bad", "good")
        outcomes = run(batch, {"good": lambda: 1, "bad": lambda: "bad"})
    message = f"{NOT_WRITTEN}/1: not written: {type(error).__name__}"
    assert outcomes == [("success", 1), ("failure", message), ("success", 1)]


class Color(enum.Enum):
    RED = "red"
    SIZES = (1, 2)


class Level(enum.IntEnum):
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: int
    place: pathlib.PurePosixPath


class Model(pydantic.BaseModel):
    at: dt.date


class Word(str):
    __slots__ = ()


class Pair(NamedTuple):
    a: int
    b: str


PATH = pathlib.PurePosixPath("/a/b")
DAY = dt.date(2024, 1, 2)
UUID = uuid.UUID(int=1)


@rows(
    ("value", "written"),
    [
        (PATH, "/a/b"),
        ((1, ("a",)), [1, ["a"]]),
        (Pair(1, "x"), [1, "x"]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({("a",)}), [["a"]]),
        ({1: 2, 1.5: 3, None: 4}, {"1": 2, "1.5": 3, "null": 4}),
        ({True: 1, DAY: 2, Color.RED: 3}, {"true": 1, "2024-01-02": 2, "red": 3}),
        (Point(1, PATH), {"x": 1, "place": "/a/b"}),
        ([Model(at=DAY)], [{"at": "2024-01-02"}]),
        (OrderedDict(a=MappingProxyType({"b": 1})), {"a": {"b": 1}}),
        ([DAY, dt.time(1, 2)], ["2024-01-02", "01:02:00"]),
        (
            dt.datetime(2024, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            "2024-01-02T03:00:00+01:00",
        ),
        ([Decimal("1.10"), UUID], ["1.10", str(UUID)]),
        ([Color.RED, Color.SIZES, Level.HIGH], ["red", [1, 2], 2]),
        (
            [Word("a"), b"caf\xc3\xa9", bytearray(b"x"), memoryview(b"y"), (True, None, 1.5)],
            ["a", "café", "x", "y", [True, None, 1.5]],
        ),
    ],
)
def test_a_value_is_written_as_an_equivalent_json_value(value, written):
    """A tool that has done its work has not failed, and nothing was lost."""
    report = []
    assert run(opened("t"), {"t": lambda: value}, report=report) == [("success", written)]
    assert report == []


def test_a_set_without_an_order_is_an_array():
    """As it comes."""
    ((status, written),) = run(opened("t"), {"t": lambda: {1, None, "a"}})
    assert (status, len(written)) == ("success", 3)
    assert {1, None, "a"} == set(written)


class Foreign:
    def __str__(self):
        return "something"


TEXT = "a value of type {} is written as its text"


@rows(
    ("value", "written", "path", "message"),
    [
        ({"a/b": [Foreign()]}, {"a/b": ["something"]}, "/a~1b/0", TEXT.format("Foreign")),
        (float("-inf"), "-inf", "", "-inf, which is not a number in JSON, is written as its text"),
        (2**1024, str(2**1024), "", TEXT.format("int")),
        # Longer than what `str` writes.
        (10**5000, "1" + "0" * 5000, "", TEXT.format("int")),
        (Foreign, str(Foreign), "", TEXT.format("type")),
        ({(1, 2): 1}, {"(1, 2)": 1}, "", "a key of type tuple is written as its text"),
        ({Foreign: 1}, {str(Foreign): 1}, "", TEXT.format("type")),
        (["\ud800"], ["\ufffd"], "/0", "characters that are not text are written as U+FFFD"),
        (b"a\xe2\x82", "a\ufffd", "", "characters that are not text are written as U+FFFD"),
    ],
)
def test_a_value_written_as_text_is_reported(value, written, path, message):
    """The program learns of it, whether it wants a report or not."""
    report = []
    tools = {"good": lambda: 1, "t": lambda: value}
    for options in ({"report": report}, {}):
        assert run(opened("good", "t"), tools, **options) == [("success", 1), ("success", written)]
    assert report == [{"index": 1, "path": path, "message": message}]


def test_default_determines_what_is_written():
    """Its value is converted too, and reported."""
    report = []
    options = {"default": lambda value: (str(value), DAY), "report": report}
    assert run(opened("t"), {"t": lambda: {"x": Foreign()}}, **options) == [
        ("success", {"x": ["something", "2024-01-02"]})
    ]
    message = "a value of type Foreign is written as `default` returned it"
    assert report == [{"index": 0, "path": "/x", "message": message}]


def circle():
    value = []
    value.append(value)
    return value


async def ticking():
    yield 1


def deep():
    value = []
    for _ in range(1000):
        value = [value]
    return value


@rows(
    ("value", "message", "options"),
    [
        (circle(), "/0: a value that contains itself; JSON has no cycles", {}),
        ({"d": {DAY: circle()}}, "/d/2024-01-02/0: a value that contains itself", {}),
        (deep(), f"{'/0' * 31}/…: nested deeper than 128 arrays and objects", {}),
        ({1: "a", "1": "b"}, "two keys that would both be written as '1'", {}),
        (iter([1]), "a value of type list_iterator; return what it yields, as", {}),
        ((1 for _ in "a"), f"{GENERATOR} generator; return what it yields, as a list", {}),
        (ticking(), f"{GENERATOR} async_generator; return what it yields, as a list", {}),
        ({"x": (1 for _ in "a")}, "/x: a value of type generator; return what", {}),
        (MuteError(), "ValueError: nothing to say", {}),
        (Foreign(), "nested deeper than 128 arrays and objects", {"default": lambda value: value}),
        (Foreign(), "KeyError: ", {"default": {}.__getitem__}),
        ((["a" * 9_000_000],), "is longer than 8388608 characters", {}),
        # What is too long is not converted first.
        (["a" * 9_000_000, Foreign()], "is longer than 8388608", {"default": {}.__getitem__}),
    ],
)
def test_a_value_that_cannot_be_written_is_a_failure(value, message, options):
    """The message says why, nothing is reported as written, and the others have their outcomes."""
    batch, report = opened("good", "bad", "good"), []
    good, (status, content), other = run(
        batch, {"good": lambda: 1, "bad": lambda: value}, report=report, **options
    )
    assert (good, status, other) == (("success", 1), "failure", ("success", 1))
    assert content.startswith(GENERATOR if GENERATOR in message else NOT_WRITTEN)
    assert message in content
    assert not [each for each in report if each["message"].endswith("is written as its text")]


# -- Time limits ----------------------------------------------------------------------------


def test_a_time_limit_is_of_each_call():
    """The others have their outcomes, also those that end after it has been cancelled."""
    is_cancelled = asyncio.Event()

    async def slow():
        try:
            await forever()
        finally:
            is_cancelled.set()

    async def last():
        await is_cancelled.wait()
        await asyncio.sleep(0)
        return 2

    tools = {"slow": slow, "quick": lambda: 1, "last": last}
    limits = {"quick": None, "last": None}
    assert run(opened(*tools), tools, timeout=0.01, timeouts=limits) == [
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("success", 1),
        ("success", 2),
    ]


def test_a_call_has_all_of_its_time_whatever_the_timers_of_the_loop_do():
    """The clock of a loop may be coarse, and its timers early."""
    ended = []

    class Early(asyncio.SelectorEventLoop):
        def call_later(self, delay, *rest, **options):
            # So early that a loaded machine does not make it late.
            return super().call_later(delay / 16, *rest, **options)

    async def slow():
        try:
            await forever()
        finally:
            ended.append(time.monotonic())

    loop, begun = Early(), time.monotonic()
    result = loop.run_until_complete(aio.run(opened("slow"), {"slow": slow}, timeout=0.5))
    loop.close()
    assert outcomes(result) == [("failure", "TimeoutError: no outcome within 0.5 seconds")]
    assert ended[0] - begun >= 0.5


@rows("names", [("blocks", "quick"), ("quick", "blocks")])
def test_a_call_that_blocks_the_loop_does_not_use_the_time_of_others(names):
    """Whether they began before it or wait for it, what they did in time has been done."""

    async def blocks():
        time.sleep(1.1)  # noqa: ASYNC251 (that is the bug of this tool)

    outcomes = run(opened(*names), {"blocks": blocks, "quick": lambda: 1}, timeout=1)
    assert dict(zip(names, outcomes, strict=True)) == {
        "blocks": ("failure", "TimeoutError: no outcome within 1 seconds"),
        "quick": ("success", 1),
    }


async def swallowing():
    """Go on when cancelled, until the event loop ends too."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    await asyncio.Event().wait()


async def answering():
    """Return something when cancelled."""
    try:
        await asyncio.Event().wait()
    finally:
        return "done"  # noqa: B012 (the fault that is tested)


async def blocking():
    """Let nothing else run, longer than the limit."""
    time.sleep(0.05)  # noqa: ASYNC251 (the fault that is tested)
    return "done"


@rows("tool", [swallowing, answering, blocking])
def test_a_call_that_takes_too_long_has_failed_whatever_it_does_later(tool):
    """And nobody waits for it longer than for what ends when it is cancelled."""
    batch = opened("slow", "quick")
    assert run(batch, {"slow": tool, "quick": lambda: 1}, timeouts={"slow": 0.01}) == [
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("success", 1),
    ]


def test_a_call_has_a_time_limit_unless_none_is_wanted():
    """A minute."""
    assert inspect.signature(aio.run).parameters["timeout"].default == 60


RELEASE = threading.Event()


def stopped_calls_of(batch):
    """Return the tools of the calls of a batch that were stopped and are still kept."""
    gc.collect()
    return [work.call.name for work, owner in aio._stopped.items() if owner is batch]


@rows("tool", [swallowing, lambda: RELEASE.wait(PATIENCE)])
def test_in_sequence_nothing_begins_while_a_call_runs_on(tool):
    """The rest of the batch fails, and says why."""
    RELEASE.clear()
    began = []
    batch = in_sequence("first", "slow", "next", "unknown")
    tools = {"first": lambda: 1, "slow": tool, "next": lambda: began.append(1)}
    reason = (
        "Not run: call 1 (slow) still runs after its time limit, and calls run one after the other."
    )
    assert run(batch, tools, timeouts={"slow": 0.01}) == [
        ("success", 1),
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("failure", reason),
        ("failure", reason),
    ]
    RELEASE.set()
    assert began == []


def test_in_sequence_nothing_begins_while_a_call_of_an_earlier_batch_runs_on():
    """Until it has ended; another batch has nothing to do with it."""
    release = threading.Event()
    tools = {"slow": lambda: release.wait(PATIENCE), "next": lambda: 1}
    batch = cogwire.Batch("delimiter", clock=None)
    reopened(batch, "slow")
    run(batch, tools, timeout=0.01)
    reason = (
        "Not run: call 0 (slow) of an earlier batch was stopped and still runs, and calls run one "
        "after the other."
    )
    reopened(batch, "next", "next")
    assert run(batch, tools) == [("failure", reason)] * 2
    assert run(in_sequence("next"), tools) == [("success", 1)]
    assert stopped_calls_of(batch) == ["slow"]
    release.set()
    while stopped_calls_of(batch):
        time.sleep(0.001)
    reopened(batch, "next")
    assert run(batch, tools) == [("success", 1)]


def test_in_sequence_nothing_begins_while_a_call_of_a_stopped_run_runs_on():
    """It does not matter who stopped it."""
    batch = in_sequence("slow", "next")
    ended = asyncio.Event()

    async def slow():
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await ended.wait()

    async def main():
        tools = {"slow": slow, "next": lambda: 1}
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(aio.run(batch, tools), 0.01)
        reopened(batch, "next")
        refused = await aio.run(batch, tools)
        ended.set()
        await asyncio.sleep(0.01)
        reopened(batch, "next")
        return outcomes(refused), outcomes(await aio.run(batch, tools))

    ((status, message),), done = asyncio.run(main())
    assert status == "failure"
    assert message.startswith("Not run: call 0 (slow) of an earlier batch was stopped")
    assert done == [("success", 1)]
    assert stopped_calls_of(batch) == []


def test_a_call_has_ended_when_its_event_loop_is_closed():
    """No code of it can run any more."""
    batch = in_sequence("slow")
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # a task is destroyed while it is pending
    loop.run_until_complete(aio.run(batch, {"slow": swallowing}, timeout=0.01))
    loop.close()
    reopened(batch, "next")
    assert run(batch, {"next": lambda: 1}) == [("success", 1)]


def test_in_sequence_a_call_that_runs_on_is_waited_for_once(monkeypatch):
    """However many calls come after it."""
    waits = []
    wait = asyncio.wait

    async def noted(tasks, **options):
        waits.append(options["timeout"])
        return await wait(tasks, **options)

    monkeypatch.setattr(asyncio, "wait", noted)
    batch = in_sequence("slow", *["next"] * 5)
    failures = run(batch, {"slow": swallowing, "next": lambda: 1}, timeout=0.01)
    assert [status for status, _ in failures] == ["failure"] * 6
    assert waits.count(0.5) == 1


def test_in_sequence_a_call_begins_when_the_late_one_has_ended():
    """What cleans up after it was cancelled is waited for."""
    log = []

    async def slow():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            log.append("slow ends")

    batch = in_sequence("slow", "next")
    tools = {"slow": slow, "next": lambda: log.append("next begins")}
    failed, done = run(batch, tools, timeouts={"slow": 0.01})
    assert (failed[0], done) == ("failure", ("success", None))
    assert log == ["slow ends", "next begins"]


ENDLESS = """
import asyncio, sys, threading
import {name}
from {name} import aio
batch = {name}.Batch(clock=None)
batch.take({{"type": "call", "content": '{{"name": "endless", "args": {{}}}}'}})
batch.take({{"type": "execute"}})
result = asyncio.run(aio.run(batch, {{"endless": threading.Event().wait}}, timeout=0.01))
print(result["payload"]["failure_count"])
"""


def test_a_function_that_never_ends_does_not_keep_the_process():
    """Its thread is a daemon."""
    source = ENDLESS.format(name=cogwire.__name__)
    ended = subprocess.run(  # noqa: PLW1510 (its output is compared)
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\n", "")


def test_threads_are_bounded_in_number(monkeypatch):
    """A call for which there is none left fails; one that ends makes room."""
    monkeypatch.setattr(aio, "_free_threads", threading.Semaphore(2))
    release = threading.Event()
    batch = opened("slow", "slow", "slow")
    outcomes = run(batch, {"slow": lambda: release.wait(PATIENCE)}, timeout=0.05)
    assert [message.split(":")[0] for _, message in outcomes] == [
        *("TimeoutError", "TimeoutError", "RuntimeError")
    ]
    release.set()

    while aio._free_threads._value < 2:
        time.sleep(0.001)
    assert run(opened("quick"), {"quick": lambda: 1}) == [("success", 1)]


def test_a_thread_that_cannot_begin_is_a_failure(monkeypatch):
    """And it holds no place."""

    class Thread(threading.Thread):
        def start(self):
            if self.name == "cogwire-a":
                raise RuntimeError("can't start new thread")
            super().start()

    room = threading.Semaphore(1)
    monkeypatch.setattr(aio, "_free_threads", room)
    monkeypatch.setattr(threading, "Thread", Thread)
    assert run(opened("a"), {"a": lambda: 1}) == [
        ("failure", "RuntimeError: can't start new thread")
    ]
    assert run(opened("b"), {"b": lambda: 1}) == [("success", 1)]


@rows(
    ("limit", "kind"),
    [
        *(("60", TypeError), (True, TypeError), ([1], TypeError)),
        *((float("nan"), ValueError), (-1, ValueError), (-0.5, ValueError)),
        (10**400, ValueError),
    ],
)
def test_a_time_limit_is_a_number_of_seconds(limit, kind):
    """It is refused in words, before anything runs."""
    for options, name in (
        ({"timeout": limit}, "timeout"),
        ({"timeouts": {"a": limit}}, r"timeouts\['a'\]"),
        ({"timeout": limit, "timeouts": {"timeout": 1}}, "timeout"),
    ):
        batch = opened("a")
        wanted = (
            f"^{name} is a number of seconds, or None for no limit, not {re.escape(repr(limit))}$"
        )
        with pytest.raises(kind, match=wanted):
            asyncio.run(aio.run(batch, dict.fromkeys(("a", "timeout"), lambda: 1), **options))
        assert batch.waiting == (0,)


@rows("limit", [5, 5.5, float("inf"), None])
def test_a_tool_in_time_is_not_disturbed_by_any_limit(limit):
    assert run(opened("a"), {"a": lambda: 1}, timeout=limit) == [("success", 1)]


# -- Cancelling -----------------------------------------------------------------------------


def test_cancelling_run_cancels_the_calls():
    """What was done is kept, even then; the exception goes on once the calls have ended."""
    ended = []
    batch = opened("quick", "slow", "thread", "answering")
    batch.settle(0, "success", 1)
    started = asyncio.Event()
    release = threading.Event()

    async def slow():
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("slow")

    async def main():
        tools = {"slow": slow, "thread": lambda: release.wait(PATIENCE), "answering": answering}
        task = asyncio.create_task(aio.run(batch, tools))
        await started.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    release.set()
    assert ended == ["slow"]
    assert not batch.is_open
    assert outcomes(batch.result) == [
        ("success", 1),
        ("failure", CANCELLED),
        ("failure", CANCELLED),
        ("success", "done"),
    ]


#: Makes tasks begin at once, where Python can.
EAGER = getattr(asyncio, "eager_task_factory", None)


def test_a_call_that_has_ended_is_answered_although_the_run_is_cancelled():
    """Else the model would have the tool do its work again."""
    told = []

    async def pay():
        return "paid"

    def show(call, status, _content):
        told.append((call.name, status))
        raise OSError("no display")

    batch = opened("pay", "pay", "halt", "halt", "slow")
    tools = {"pay": pay, "halt": araising(SystemExit()), "slow": forever}
    with pytest.raises(OSError, match="no display"):
        run(batch, tools, on_outcome=show)
    assert told == [("pay", "success")]
    paid, cancelled = ("success", "paid"), ("failure", CANCELLED)
    assert outcomes(batch.result) == [paid, paid, cancelled, cancelled, cancelled]


def test_a_thread_that_has_ended_has_its_outcome_although_the_run_is_cancelled():
    """It is told as any other; and what a function returned to be awaited is closed unbegun."""
    batch = opened("pay", "prepare", "leave")
    told, have_begun = [], []
    have_run = threading.Semaphore(0)

    async def begin():
        have_begun.append(True)

    prepared = begin()

    def pay():
        have_run.release()
        return "paid"

    def prepare():
        have_run.release()
        return prepared

    async def main():
        async def leave():
            for _ in range(2):
                assert have_run.acquire(timeout=PATIENCE)
            # The functions have returned, and the event loop has not heard of it.
            while any(thread.name.startswith("cogwire-p") for thread in threading.enumerate()):
                pass
            task.cancel()
            await forever()

        tools = {"pay": pay, "prepare": prepare, "leave": leave}
        task = asyncio.create_task(
            aio.run(batch, tools, on_outcome=lambda call, *rest: told.append((call.name, *rest)))
        )
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert outcomes(batch.result) == [("success", "paid"), *[("failure", CANCELLED)] * 2]
    assert told == [("pay", "success", "paid")]
    assert inspect.getcoroutinestate(prepared) == inspect.CORO_CLOSED
    assert have_begun == []


def test_what_a_function_returns_after_its_time_is_closed():
    """Nothing would await it, and Python would warn of that."""
    batch, have_ended, prepared = opened("prepare"), threading.Event(), forever()

    def prepare():
        assert have_ended.wait(PATIENCE)
        return prepared

    asyncio.run(aio.run(batch, {"prepare": prepare}, timeout=0.01))
    have_ended.set()
    for thread in threading.enumerate():
        if thread.name.startswith("cogwire-prepare"):
            thread.join(PATIENCE)
    assert inspect.getcoroutinestate(prepared) == inspect.CORO_CLOSED


def test_a_run_whose_event_loop_is_closed_has_cancelled_its_calls():
    """What has begun must not begin again in another loop."""
    batch = opened("pay", "slow")
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # tasks are destroyed while they are pending
    running = aio.run(batch, {"pay": lambda: 1, "slow": forever}, on_outcome=lambda *_: loop.stop())
    task = loop.create_task(running)
    loop.run_forever()
    loop.close()
    with suppress(RuntimeError):  # of what the loop has been waiting for
        task.get_coro().close()
    assert outcomes(batch.result) == [("success", 1), ("failure", CANCELLED)]
    reopened(batch, "pay")
    assert run(batch, {"pay": lambda: 2}) == [("success", 2)]


def test_the_event_loop_turns_between_the_checks_of_calls():
    """Each check may take long, and a batch may have many calls."""
    turns = []

    class Slow(cogwire.Toolset):
        def check(self, call):
            turns.append(0)
            return super().check(call)

    async def main():
        toolset = Slow([{"name": "add"}])
        running = aio.run(opened("add", "add", "add"), {"add": lambda: 1}, toolset=toolset)
        task = asyncio.create_task(running)
        while not task.done():
            await asyncio.sleep(0)
            if turns:
                turns[-1] += 1
        return await task

    assert outcomes(asyncio.run(main())) == [("success", 1)] * 3
    assert all(turns)


@rows("make", [raising, araising])
@rows("kind", ENDS)
def test_an_exception_that_ends_the_program_cancels_running_calls(make, kind):
    """No call goes on, and none settles a batch that comes later."""
    log = []

    async def pay():
        log.append("pay begins")
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            log.append("pay ends")
        return "paid"

    batch = opened("pay", "halt")

    async def main():
        asyncio.get_running_loop().set_task_factory(EAGER)
        with pytest.raises(kind):
            await aio.run(batch, {"pay": pay, "halt": make(kind())})
        assert log == ["pay begins", "pay ends"]
        assert outcomes(batch.result) == [("failure", CANCELLED)] * 2
        reopened(batch, "pay")
        await asyncio.sleep(0.01)
        assert batch.waiting == (0,)

    asyncio.run(main())


def test_a_batch_that_has_continued_meanwhile_is_left_alone():
    """The calls that are cancelled are those that were run, not those that came later."""
    batch = opened("a", "b")

    async def steal():
        batch.take({"type": "cancelled"})
        reopened(batch, "next")

    with pytest.raises(ValueError, match="is not one of this batch's calls"):
        run(batch, {"a": steal, "b": forever})
    assert batch.waiting == (0,)


# -- With a toolset -------------------------------------------------------------------------

ADD = {
    "name": "add",
    "parameters": {
        "type": "object",
        "properties": {"left": {"type": "integer"}, "right": {"type": "integer"}},
        "required": ["left", "right"],
    },
}


UNBOUND = {"name": "unbound", "parameters": {"type": "object"}}
(DECLARED,) = cogwire.Toolset([UNBOUND]).tools
ASKING = dataclasses.replace(DECLARED, unbound="only its agent asks")


@rows(
    ("tools", "options", "message"),
    [
        (
            cogwire.Toolset([ADD, UNBOUND]),
            {},
            r"no function to run for 'add', 'unbound': declare each tool by its function",
        ),
        (
            cogwire.Toolset([ASKING]),
            {},
            r"no function to run for 'unbound' \(only its agent asks\): declare each tool by its",
        ),
        (
            {"add": max},
            {"toolset": cogwire.Toolset([ADD, UNBOUND])},
            r"no function to run for 'unbound': .*, or pass a mapping from the names to functions",
        ),
        (
            {"add": max},
            {"toolset": cogwire.Toolset([ADD], "xml-elements")},
            "is for xml-elements, and the batch for xml-json; .* Toolset.tools, .xml-json..",
        ),
        ({"add": max}, {"timeouts": {"ad": 1}}, "no tool is called 'ad'; the tools are: add"),
        ({}, {"timeouts": {"ad": 1}}, "no tool is called 'ad'; the tools are: none"),
    ],
)
def test_mistakes_of_the_program_are_not_reported_to_the_model(tools, options, message):
    """They are raised before anything runs, and the batch can still be run."""
    batch = opened("add", "other")
    with pytest.raises(ValueError, match=message):
        run(batch, tools, **options)
    assert batch.waiting == (0, 1)
    assert run(batch, dict.fromkeys(("add", "other"), lambda: 1)) == [("success", 1)] * 2


async def watcher(*_):
    """Never runs."""


class Watcher:
    __call__ = watcher


AWAITED = "^on_outcome is called and not awaited; pass a plain function$"


@rows(
    ("tools", "options", "message"),
    [
        # A list has to be declared first.
        *((tools, {}, "make a Toolset of a list") for tools in ([len], None, "len")),
        ({"add": ADD}, {}, r"^tools\['add'\] must be a function, not a value of type dict$"),
        # Its outcomes would be lost without a word.
        *(({"add": max}, {"on_outcome": watch}, AWAITED) for watch in (watcher, Watcher(), 3)),
        ({"add": max}, {"default": 3}, "^default must be a function, not 3$"),
        (SimpleNamespace(functions={"add": max}), {}, "make a Toolset of a list"),
    ],
)
def test_tools_and_watchers_that_cannot_be_called_are_misuse(tools, options, message):
    batch = opened("add")
    with pytest.raises(TypeError, match=message):
        run(batch, tools, **options)
    assert batch.waiting == (0,)


def test_the_tools_of_a_run_are_those_that_it_was_given():
    """Whatever a tool does to the mapping of its program."""

    def change():
        tools["late"] = tools.pop("next")

    tools = {"change": change, "next": lambda: 1}
    assert run(in_sequence("change", "next", "late"), tools) == [
        ("success", None),
        ("success", 1),
        ("failure", "There is no tool 'late'. Tools: change, next."),
    ]


def test_a_toolset_validates_before_anything_runs():
    """A call with problems fails alone, and says all of them; a function is declared once."""
    ran = []

    def add(left: int, right: int):
        ran.append((left, right))
        return left + right

    declared, beside = cogwire.Toolset([add]), cogwire.Toolset([ADD])
    for tools, options in ((declared, {}), ({"add": add}, {"toolset": beside})):
        batch = opened(("add", {"left": 1, "right": 2}), ("add", {"left": "1"}), ("sub", {}))
        good, bad, unknown = run(batch, tools, **options)
        assert good == ("success", 3)
        toolset = options.get("toolset", tools)
        problems = toolset.check({"name": "add", "args": {"left": "1"}}).problems
        assert len(problems) == 2
        assert problems[0]["message"].startswith("/left: expected integer")
        assert bad == ("failure", "\n".join(problem["message"] for problem in problems))
        (problem,) = toolset.check({"name": "sub", "args": {}}).problems
        assert unknown == ("failure", problem["message"])
    assert ran == [(1, 2)] * 2


def test_functions_beside_a_toolset_come_before_its_own():
    """So that only the tools that have none need one."""

    def double(n):
        return 2 * n

    toolset = cogwire.Toolset([double, UNBOUND])
    batch = opened(("double", {"n": 2}), ("unbound", {}))
    tools = {"unbound": lambda: "asked"}
    assert run(batch, tools, toolset=toolset) == [("success", 4), ("success", "asked")]
    batch = opened(("double", {"n": 2}))
    tools |= {"double": lambda n: 3 * n}
    assert run(batch, tools, toolset=toolset) == [("success", 6)]


def test_the_arguments_are_those_that_the_toolset_returns():
    """A dialect whose values are all strings has them converted there."""
    batch = cogwire.Batch("xml-elements", clock=None)
    reopened(batch, ("add", {"left": "40", "right": "2"}))
    toolset = cogwire.Toolset([ADD], "xml-elements")
    tools = {"add": lambda left, right: left + right}
    assert run(batch, tools, toolset=toolset) == [("success", 42)]


def test_a_toolset_that_raises_breaks_off():
    """That is a mistake of the program; the calls are cancelled, the error goes on."""

    class Broken(cogwire.Toolset):
        def check(self, call):
            raise LookupError(call)

    batch = opened("a", "b")
    with pytest.raises(LookupError):
        run(batch, {"a": lambda: 1, "b": lambda: 2}, toolset=Broken([{"name": "a"}]))
    assert outcomes(batch.result) == [("failure", CANCELLED)] * 2


@pytest.mark.parametrize(
    "answer",
    [
        lambda batch: batch.settle(1, "failure", "Not allowed."),
        lambda batch: batch.take({"type": "cancelled"}),
        # Another batch has begun, in which a call with this index waits.
        lambda batch: (batch.take({"type": "cancelled"}), reopened(batch, "a", "b")),
    ],
)
def test_a_call_that_others_have_answered_does_not_begin(answer):
    """The model is told that it has not run, and so it must not."""
    began = []
    batch = in_sequence("a", "b")
    with pytest.raises(ValueError, match=r"^call 1 \(b\) was answered before it could begin$"):
        run(
            batch,
            {"a": lambda: 1, "b": lambda: began.append("b")},
            on_outcome=lambda *_: answer(batch),
        )
    assert began == []
