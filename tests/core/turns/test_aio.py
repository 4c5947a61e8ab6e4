"""`cogwire.aio.run`: whatever a tool does, the batch gets one result in call order."""

import asyncio
import contextvars
import functools
import importlib
import json
import threading

import pytest

from tests import cogwire
from tests.rows import rows

aio = importlib.import_module(f"{cogwire.__name__}.aio")

CANCELLED = "Cancelled: this call has no result."
#: How long a test waits for what must happen, before it fails.
PATIENCE = 30


def opened(*calls):
    batch = cogwire.Batch(clock=None)
    for call in calls:
        name, args = call if isinstance(call, tuple) else (call, {})
        batch.take({"type": "call", "content": json.dumps({"name": name, "args": args})})
    batch.take({"type": "execute"})
    return batch


def outcomes(result):
    return [(item["status"], item["content"]) for item in json.loads(result["content"])]


def run(batch, tools, **options):
    """Run a batch and return its outcomes."""

    async def main():
        return await asyncio.wait_for(aio.run(batch, tools, **options), PATIENCE)

    return outcomes(asyncio.run(main()))


async def forever():
    await asyncio.Event().wait()


class InTurn:
    """Makes a batch run its calls one after the other, as dialects may say."""

    def __init__(self, batch):
        self._batch = batch

    def __getattr__(self, name):
        return False if name == "parallel" else getattr(self._batch, name)


# -- Calling --------------------------------------------------------------------------------


def test_tools_are_called_with_the_arguments_by_name():
    """A coroutine function in the loop, any other function in a thread."""

    async def add(left, right):
        return left + right

    def join(parts, between=", "):
        return between.join(parts)

    batch = opened(("add", {"left": 1, "right": 2}), ("join", {"parts": ["a", "b"]}))
    assert run(batch, {"add": add, "join": join}) == [("success", 3), ("success", "a, b")]
    assert not batch.is_open


def test_the_result_is_the_event():
    """It is what the last `settle` returned, and what the batch keeps."""
    batch = opened("a")
    result = asyncio.run(aio.run(batch, {"a": lambda: 1}))
    assert result == {
        "type": "result",
        "content": '[\n  {"tool": "a", "status": "success", "content": 1}\n]',
        "payload": {"tools_executed": 1, "success_count": 1, "failure_count": 0},
    }
    assert batch.result == result


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


def test_only_calls_that_wait_are_run():
    """An application may settle some calls itself, such as those that a person refused."""
    batch = opened("a", "b")
    batch.settle(0, "failure", "Refused.")
    assert run(batch, {"b": lambda: 2}) == [("failure", "Refused."), ("success", 2)]


def test_a_batch_that_is_not_open_is_misuse():
    """Nothing may run before `execute`, and nothing twice."""
    batch = cogwire.Batch()
    batch.take({"type": "call", "content": '{"name": "a", "args": {}}'})
    with pytest.raises(ValueError, match="not open"):
        asyncio.run(aio.run(batch, {"a": lambda: 1}))


# -- Together, and one after the other ------------------------------------------------------


def test_a_parallel_batch_is_in_flight_at_once():
    """No call ends before all have begun."""
    waiting, have_met = [], asyncio.Event()

    async def meet():
        waiting.append(1)
        if len(waiting) == 5:
            have_met.set()
        await have_met.wait()

    assert run(opened(*["meet"] * 5), {"meet": meet}) == [("success", None)] * 5


def test_plain_functions_are_in_flight_at_once_too():
    """However few processors there are."""
    barrier = threading.Barrier(64)

    def meet():
        barrier.wait(PATIENCE)

    assert run(opened(*["meet"] * 64), {"meet": meet}) == [("success", None)] * 64


def test_results_are_in_call_order():
    """Here the last call ends first."""
    done = [asyncio.Event() for _ in range(4)]
    ended = []

    async def wait(index):
        if index + 1 < len(done):
            await done[index + 1].wait()
        ended.append(index)
        done[index].set()
        return index

    batch = opened(*(("wait", {"index": index}) for index in range(4)))
    assert run(batch, {"wait": wait}) == [("success", index) for index in range(4)]
    assert ended == [3, 2, 1, 0]


def test_calls_in_turn_do_not_overlap():
    """One ends before the next begins; a failure and a time-out stop none of them."""
    log = []

    async def step(index):
        log.append(f"begin {index}")
        await asyncio.sleep(0)
        log.append(f"end {index}")
        if index == 1:
            raise KeyError("k")

    batch = InTurn(
        opened(("step", {"index": 0}), ("step", {"index": 1}), "slow", ("step", {"index": 2}))
    )
    tools = {"step": step, "slow": forever}
    assert run(batch, tools, timeouts={"slow": 0.01}) == [
        ("success", None),
        ("failure", "KeyError: 'k'"),
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("success", None),
    ]
    assert log == ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"]


# -- Failures -------------------------------------------------------------------------------


def raising(error):
    def tool():
        raise error

    return tool


def araising(error):
    async def tool():
        raise error

    return tool


class SelfishError(Exception):
    def __str__(self):
        return ""


class MuteError(Exception):
    def __str__(self):
        raise ValueError("nothing to say")


@rows("make", [raising, araising])
@rows(
    ("error", "message"),
    [
        (ValueError("no such line"), "ValueError: no such line"),
        (SelfishError(1), "SelfishError"),
        (MuteError(1), "MuteError"),
        (TimeoutError("the server's"), "TimeoutError: the server's"),
        (asyncio.CancelledError(), CANCELLED),
        (OSError(2, "Gone", "\udcff"), "FileNotFoundError: [Errno 2] Gone: '\\udcff'"),
        (ValueError("\udcff"), "ValueError: \ufffd"),
        (ValueError("x" * 1_000_000), "ValueError: " + "x" * 9988),
    ],
)
def test_an_exception_is_a_failure(make, error, message):
    """The model reads its type and message; other calls are not disturbed."""
    done = asyncio.Event()

    async def wait():
        await done.wait()
        return "there"

    async def release():
        done.set()

    batch = opened("wait", "fail", "release")
    tools = {"wait": wait, "fail": make(error), "release": release}
    assert run(batch, tools) == [("success", "there"), ("failure", message), ("success", None)]


@rows("make", [raising, araising])
def test_stop_iteration_is_a_failure(make):
    """A future could not carry it."""
    ((status, message),) = run(opened("t"), {"t": make(StopIteration(1))})
    assert status == "failure"
    assert "StopIteration" in message


def test_a_tool_that_cancels_itself_fails_alone():
    """Only whoever cancels `run` cancels the batch."""

    async def vanish():
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    assert run(opened("vanish", "b"), {"vanish": vanish, "b": lambda: 1}) == [
        ("failure", CANCELLED),
        ("success", 1),
    ]


def test_wrong_arguments_are_a_failure():
    """Without a toolset the function itself objects."""
    ((status, message),) = run(opened(("t", {"x": 1})), {"t": lambda: 1})
    assert status == "failure"
    assert message.startswith("TypeError: ")


def test_an_unknown_tool_is_a_failure():
    """The message lists the tools there are."""
    batch = opened("c", "a")
    assert run(batch, {"a": lambda: 1, "b": lambda: 2}) == [
        ("failure", "There is no tool 'c'. Tools: a, b."),
        ("success", 1),
    ]
    assert run(opened("c"), {}) == [("failure", "There is no tool 'c'. Tools: none.")]


@rows(
    ("value", "message"),
    [
        ({"x": [{1}]}, "RenderError: /1/content/x/0: a value of type set; JSON cannot hold it"),
        ((1,), "RenderError: /1/content: a value of type tuple; use a plain list"),
        (float("inf"), "RenderError: /1/content: inf; JSON has no such number"),
    ],
)
def test_a_value_that_json_cannot_hold_is_a_failure(value, message):
    """The message says where in the results it would stand."""
    batch = opened("good", "bad", "good")
    assert run(batch, {"good": lambda: 1, "bad": lambda: value}) == [
        ("success", 1),
        ("failure", message),
        ("success", 1),
    ]


# -- Time limits ----------------------------------------------------------------------------


def test_a_time_limit_is_of_each_call():
    """The others have their outcomes."""
    batch = opened("slow", "quick")
    assert run(
        batch, {"slow": forever, "quick": lambda: 1}, timeout=0.01, timeouts={"quick": None}
    ) == [
        ("failure", "TimeoutError: no outcome within 0.01 seconds"),
        ("success", 1),
    ]


def test_a_thread_that_takes_too_long_is_left_alone():
    """Nothing can stop it, and nobody waits for it."""
    release = threading.Event()
    assert run(opened("slow"), {"slow": lambda: release.wait(PATIENCE)}, timeout=0.01) == [
        ("failure", "TimeoutError: no outcome within 0.01 seconds")
    ]
    assert not release.is_set()
    release.set()


def test_a_tool_in_time_is_not_disturbed():
    """A limit that is not reached changes nothing."""
    assert run(opened("a"), {"a": lambda: 1}, timeout=PATIENCE) == [("success", 1)]


# -- Cancelling -----------------------------------------------------------------------------


def test_cancelling_run_cancels_the_calls():
    """What was done is kept; the exception goes on once the calls have ended."""
    ended = []
    batch = opened("quick", "slow", "thread")
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
        tools = {"slow": slow, "thread": lambda: release.wait(PATIENCE)}
        task = asyncio.create_task(aio.run(batch, tools))
        await started.wait()
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
    ]


def test_what_is_not_begun_is_cancelled_too():
    """One after the other, the later calls never run."""
    batch = opened("slow", "next")
    began = []

    async def main():
        tools = {"slow": forever, "next": lambda: began.append(1)}
        await asyncio.wait_for(aio.run(InTurn(batch), tools), 0.01)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(main())
    assert began == []
    assert outcomes(batch.result) == [("failure", CANCELLED)] * 2


class HaltError(BaseException):
    """Neither an exception of a tool nor a signal."""


@rows("make", [raising, araising])
@rows("kind", [KeyboardInterrupt, SystemExit, HaltError])
def test_what_ends_the_program_ends_the_batch(make, kind):
    """It is no outcome of a call."""
    ended = []

    async def slow():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    batch = opened("slow", "halt")
    with pytest.raises(kind):
        run(batch, {"slow": slow, "halt": make(kind())})
    assert ended == ["slow"]
    assert outcomes(batch.result) == [("failure", CANCELLED)] * 2


# -- With a toolset -------------------------------------------------------------------------

ADD = {
    "name": "add",
    "parameters": {
        "type": "object",
        "properties": {"left": {"type": "integer"}, "right": {"type": "integer"}},
        "required": ["left", "right"],
    },
}


def test_a_toolset_judges_before_anything_runs():
    """A call with problems fails alone, and says all of them."""
    toolset = cogwire.Toolset([ADD, {"name": "unbound", "parameters": {"type": "object"}}])
    ran = []

    def add(left, right):
        ran.append((left, right))
        return left + right

    batch = opened(
        ("add", {"left": 1, "right": 2}),
        ("add", {"left": "1"}),
        ("sub", {}),
        ("unbound", {}),
    )
    good, bad, unknown, unbound = run(batch, {"add": add}, toolset=toolset)
    assert good == ("success", 3)
    problems = toolset.check({"name": "add", "args": {"left": "1"}}).problems
    assert len(problems) == 2
    assert bad == ("failure", "\n".join(problem["message"] for problem in problems))
    (problem,) = toolset.check({"name": "sub", "args": {}}).problems
    assert unknown == ("failure", problem["message"])
    assert unbound == ("failure", "There is no tool 'unbound'. Tools: add.")
    assert ran == [(1, 2)]


def test_the_arguments_are_those_that_the_toolset_gives():
    """A dialect whose values are all strings has them converted there."""

    class Converting:
        def check(self, call):
            checked = cogwire.Toolset([ADD]).check(call)
            return checked._replace(args={"left": 40, "right": 2}, problems=[])

    batch = opened(("add", {"left": "40", "right": "2"}))
    tools = {"add": lambda left, right: left + right}
    assert run(batch, tools, toolset=Converting()) == [("success", 42)]


def test_a_toolset_that_raises_breaks_off():
    """That is a mistake of the program; the calls are cancelled, the error goes on."""

    class Broken:
        def check(self, call):
            raise LookupError(call)

    batch = opened("a", "b")
    with pytest.raises(LookupError):
        run(batch, {"a": lambda: 1, "b": lambda: 2}, toolset=Broken())
    assert outcomes(batch.result) == [("failure", CANCELLED)] * 2
