# SPDX-License-Identifier: MIT
"""Runs a batch with asyncio.  The core does not import this module; import it by its name."""

import asyncio
import contextvars
import functools
import inspect
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal, Protocol, TypeVar
from weakref import WeakKeyDictionary

from .events import ResultEvent
from .text import short_repr
from .text.decoding import decode
from .text.json_text import strict
from .turns.batch import Batch, BatchCall, require_timeout
from .turns.plain import Conversion, Default, plain
from .turns.render import CANCELLED
from .wire.blocks.values import TOO_LONG, RenderError
from .wire.dialect import Dialect

#: A function or coroutine function that takes the arguments of a call by name, and returns JSON, or
#: what is written as JSON: tuples and sets as arrays; mappings, dataclasses and pydantic models as
#: objects; an `Enum` as its value; dates and times in ISO 8601; a `Path`, a `UUID` or a `Decimal`
#: as its text; bytes decoded as UTF-8; and a numeric key as its text.
Tool = Callable[..., object]
#: Called with each outcome as soon as it is known, in the form that `Batch.settle` takes.
OnOutcome = Callable[[BatchCall, Literal["success", "failure"], object], object]

_T = TypeVar("_T")


class _Checked(Protocol):
    @property
    def args(self) -> dict[str, Any]: ...
    @property
    def problems(self) -> Sequence[Mapping[str, Any]]: ...


class _Tool(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def unbound(self) -> str: ...


class _Toolset(Protocol):
    """What a `Toolset` is here; a copy may have no other."""

    @property
    def dialect(self) -> str: ...
    @property
    def wire(self) -> Dialect: ...
    @property
    def tools(self) -> Sequence[_Tool]: ...
    @property
    def functions(self) -> Mapping[str, Tool]: ...
    def check(self, call: str, /) -> _Checked: ...


#: The longest failure message, in characters; the first lines are what helps a model.
_MESSAGE: Final = 10_000
_UNWRITTEN: Final = "The tool has run, but its value cannot be written"
_GENERATOR: Final = "The tool returned a generator, whose body runs only as it is read"
#: How many seconds a cancelled coroutine has to end.
_GRACE: Final = 0.5
#: How many calls may be in threads at once in this process, including those that never end.
_THREADS: Final = 1024

_free_threads: Final = threading.Semaphore(_THREADS)
_cancelled: Final[set[asyncio.Task[object]]] = set()
#: Guards the two collections below, since event loops may run in several threads.
_lock: Final = threading.Lock()
#: The calls that are being run, in every event loop.
_taken: Final[set[BatchCall]] = set()
#: The calls that were stopped, each with its batch, as long as something runs them.
_stopped: Final["WeakKeyDictionary[_Work, Batch]"] = WeakKeyDictionary()


async def run(
    batch: Batch,
    tools: _Toolset | Mapping[str, Tool],
    *,
    toolset: _Toolset | None = None,
    timeout: float | None = 60,
    timeouts: Mapping[str, float | None] | None = None,
    default: Default | None = None,
    report: list[Conversion] | None = None,
    on_outcome: OnOutcome | None = None,
    sequential: bool = False,
) -> ResultEvent:
    """Run the waiting calls of an open batch, and return the batch's result.

    `tools` is a `Toolset`, which checks each call and runs the functions it was made from with the
    arguments that the check returned.  It may also be a mapping from names to functions, which
    come before those of the `toolset`; without one they run with whatever the model wrote.
    A coroutine function runs in this event loop, any other function in a thread, in parallel or in
    sequence as the dialect of the batch decides, or always in sequence if `sequential`.

    `timeout` is how many seconds each call may take, `None` for no limit, and `timeouts` overrides
    it for individual tools.  A call that takes longer has failed, whatever it does afterwards.
    A coroutine is cancelled and, if it has not ended half a second later, abandoned; a thread is
    abandoned at once.  In sequence, the calls that the same `Batch` has after an abandoned one fail
    until it has ended.  Threads do not keep the process alive, and at most 1,024 run at once.

    What a tool returns is written as JSON (see `Tool`).  Other values, and numbers that JSON does
    not have, are replaced by what `default` returns for them, or else by their `str`.  Each of them
    appends an entry to `report`: the `index` of the call, the `path` in its value, a `message`.

    Whatever goes wrong in a call becomes its failure and does not stop the others.  While this
    runs, nothing else may settle the batch.

    `on_outcome` is called in this event loop with each call as it ends, its status, and its value
    as JSON or the message of its failure: to show it, or to store it for another process to
    `settle`.  The call has the arguments that the model wrote, not those that the check returned.

    When this is cancelled, `on_outcome` raises anything, or a tool raises more than an `Exception`,
    such as `SystemExit`, the other calls are cancelled, those that still end keep their outcomes,
    the batch takes a `cancelled` event (its answer is then `batch.result`), and the exception
    propagates.  Raises `TypeError` for `tools`, a tool or a limit of another type; `RuntimeError`
    while another run has not ended; `ValueError` if the batch is not open or answered elsewhere, a
    tool has no function or does not exist, or a limit or the dialect does not fit.
    """
    if isinstance(tools, Mapping):
        functions = {**(toolset.functions if toolset else {}), **tools}  # tools may change theirs
    elif hasattr(tools, "functions") and hasattr(tools, "wire"):
        functions, toolset = {**tools.functions}, toolset or tools
    else:
        raise TypeError("tools must be a Toolset, or functions by name; make a Toolset of a list")
    _require_ready(batch, functions, toolset, timeouts or {}, default)
    require_timeout(timeout, "timeout")
    for name, limit in (timeouts or {}).items():
        require_timeout(limit, f"timeouts[{name!r}]")
    limits = dict.fromkeys(functions, timeout) | dict(timeouts or {})
    as_json = functools.partial(plain, default=default, report=[] if report is None else report)
    calls = [batch.calls[index] for index in batch.waiting]
    with _taking(calls):
        runner = _Runner(batch, functions, toolset, limits, as_json, on_outcome=on_outcome)
        return await runner.run(calls, is_parallel=batch.parallel and not sequential)


@contextmanager
def _taking(calls: Sequence[BatchCall]) -> Generator[None, None, None]:
    """Keep calls from being run by anyone else."""
    with _lock:
        if not _taken.isdisjoint(calls):
            raise RuntimeError(
                "another run of this batch has not ended; await that one, and do not start a second"
            )
        _taken.update(calls)
    try:
        yield
    finally:
        with _lock:
            _taken.difference_update(calls)


def _require_ready(
    batch: Batch,
    functions: Mapping[str, Tool],
    toolset: _Toolset | None,
    timeouts: Mapping[str, float | None],
    default: object,
) -> None:
    if not (default is None or callable(default)):
        raise TypeError(f"default must be a function, not {short_repr(default)}")
    if not batch.is_open:
        raise ValueError(
            "the batch is not open: take an execute event first, and run its calls once; if they "
            "all have outcomes, the answer is its result"
        )
    if toolset is not None and toolset.dialect != batch.dialect:
        raise ValueError(
            f"the toolset is for {toolset.dialect}, and the batch for {batch.dialect}; "
            f'declare the tools with Toolset(tools, "{batch.dialect}")'
        )
    if toolset is not None and toolset.wire.checksum != batch.wire.checksum:
        raise ValueError(f"the toolset is for another format that is called {batch.dialect}")
    unbound = ", ".join(
        f"{tool.name!r} ({tool.unbound})" if tool.unbound else repr(tool.name)
        for tool in (() if toolset is None else toolset.tools)
        if tool.name not in functions
    )
    if unbound:
        raise ValueError(
            f"there is no function to run for {unbound}: declare each tool by its function, or "
            "pass a mapping from the names to functions, together with the toolset"
        )
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"tools[{name!r}] must be a function, not {short_repr(function)}")
    if unknown := [name for name in timeouts if name not in functions]:
        known = ", ".join(functions) or "none"
        raise ValueError(f"timeouts: no tool is called {unknown[0]!r}; the tools are: {known}")


class _Runner:
    def __init__(
        self,
        batch: Batch,
        functions: Mapping[str, Tool],
        toolset: _Toolset | None,
        limits: Mapping[str, float | None],
        as_json: Callable[[object, int], object],
        *,
        on_outcome: OnOutcome | None,
    ) -> None:
        self._batch = batch
        self._functions = functions
        self._toolset = toolset
        self._limits = limits
        self._as_json = as_json
        is_async = inspect.iscoroutinefunction
        given: object = on_outcome
        is_plain = callable(given) and not is_async(given) and not is_async(type(given).__call__)
        if on_outcome is not None and not is_plain:
            raise TypeError("on_outcome is called and not awaited; pass a plain function")
        self._on_outcome = on_outcome
        #: The calls that run, in the order in which they began.
        self._running: dict[_Work, None] = {}
        #: The calls that have ended or timed out, as they do.
        self._due: asyncio.Queue[_Work] = asyncio.Queue()
        #: Calls that were cancelled, until they have had their time to end.
        self._late: list[_Work] = []
        self._results: list[ResultEvent] = []

    async def run(self, calls: Sequence[BatchCall], *, is_parallel: bool) -> ResultEvent:
        try:
            for group in [calls] if is_parallel else [[call] for call in calls]:
                ready: list[tuple[BatchCall, dict[str, Any]]] = []
                for call in group:
                    self._require_waiting(call)
                    if stuck := "" if is_parallel else self._stuck():
                        self._fail(call, f"Not run: {stuck}, and calls run one after the other.")
                    elif (args := self._check(call)) is not None:
                        ready.append((call, args))
                    await asyncio.sleep(0)  # the checks of many calls may take seconds
                for call, args in ready:
                    self._begin(call, args)
                while self._running:
                    await self._step()
                await self._wait_for_late()
        except BaseException as problem:
            running = list(self._running)
            self._cancel(running)
            try:
                await self._wait_for_late()
            finally:
                if calls[0] in self._batch.calls:
                    self._settle_ended(running, problem)
                    self._batch.take({"type": "cancelled"})
            raise
        return self._results[-1]

    def _require_waiting(self, call: BatchCall) -> None:
        """Raise `ValueError` if the call was answered meanwhile, and so must not begin."""
        if not self._batch.is_waiting(call):
            raise ValueError(f"call {call.index} ({call.name}) was answered before it could begin")

    def _check(self, call: BatchCall) -> dict[str, Any] | None:
        """Return the arguments to run the call with, or `None` if it has failed."""
        if self._toolset is None:
            # Decoded anew, since a function may change what it is given.
            args: dict[str, Any] = strict(call.content).get("args", {})
        else:
            checked = self._toolset.check(call.content)
            if checked.problems:
                self._fail(call, "\n".join(problem["message"] for problem in checked.problems))
                return None
            args = checked.args
        if call.name not in self._functions:
            known = ", ".join(self._functions) or "none"
            self._fail(call, f"There is no tool {call.name!r}. Tools: {known}.")
            return None
        return args

    def _begin(self, call: BatchCall, args: dict[str, Any]) -> None:
        self._require_waiting(call)
        function, limit = self._functions[call.name], self._limits[call.name]
        self._running[_Work(call, limit, function, args, self._due.put_nowait)] = None

    def _stuck(self) -> str:
        """Return which call of this or an earlier batch runs on; empty if none does."""
        with _lock:
            stopped = list(_stopped.items())
        for work, owner in stopped:
            if owner is self._batch and not work.is_over:
                which = f"call {work.call.index} ({work.call.name})"
                if work.call in self._batch.calls:
                    return f"{which} still runs after its time limit"
                return f"{which} of an earlier batch was stopped and still runs"
        return ""

    async def _step(self) -> None:
        """Wait until a call has ended or timed out, and settle it."""
        work = await self._due.get()
        if work not in self._running:
            return  # It timed out before it ended.
        if work.is_late:
            self._cancel([work])
            self._settle(work)
        elif work.task.done():
            self._settle(work)  # if this raises, the batch may still lack the outcome
            del self._running[work]
        else:
            work.wait_for_deadline()

    def _settle(self, work: "_Work") -> None:
        try:
            value = work.value()
        except asyncio.CancelledError:
            self._fail(work.call, CANCELLED)
        except BaseException as error:
            if _ends_program(error):
                raise
            self._fail(work.call, _message_of(error))
        else:
            self._succeed(work.call, value)

    def _settle_ended(self, works: Iterable["_Work"], problem: BaseException) -> None:
        """Settle the calls of a run that a problem has ended, if they have ended by themselves."""
        for work in works:
            if work.outcome is not None and work.outcome[1] is not problem:
                with suppress(BaseException):  # as a second `SystemExit`: the first one propagates
                    self._settle(work)

    def _succeed(self, call: BatchCall, value: object, *, is_converted: bool = False) -> None:
        try:
            self._results += self._batch.settle(call, "success", value)
        except RenderError as error:
            if is_converted or error.reason == TOO_LONG:
                self._fail_unwritten(call, error)
                return
        else:
            self._tell(call, "success", value)
            return
        # Most values are plain JSON; only the others are converted.
        try:
            converted = self._as_json(value, call.index)
        except Exception as error:  # noqa: BLE001 (`default` or a `str` may raise anything)
            is_generator = inspect.isgenerator(value) or inspect.isasyncgen(value)
            self._fail_unwritten(call, error, _GENERATOR if is_generator else _UNWRITTEN)
        else:
            self._succeed(call, converted, is_converted=True)

    def _fail_unwritten(self, call: BatchCall, error: Exception, what: str = _UNWRITTEN) -> None:
        why = str(error) if isinstance(error, RenderError) else _message_of(error)
        self._fail(call, f"{what}: {why}")

    def _fail(self, call: BatchCall, message: str) -> None:
        # Exceptions may quote file names that are not text.
        written, _ = decode(message[:_MESSAGE])
        self._results += self._batch.settle(call, "failure", written)
        self._tell(call, "failure", written)

    def _tell(
        self, call: BatchCall, status: Literal["success", "failure"], content: object
    ) -> None:
        on_outcome, self._on_outcome = self._on_outcome, None  # not called again if it raises
        if on_outcome is not None:
            on_outcome(call, status, content)
            self._on_outcome = on_outcome

    def _cancel(self, works: Iterable["_Work"]) -> None:
        for work in works:
            del self._running[work]
            self._late.append(work)
            with _lock:
                _stopped[work] = self._batch
            with suppress(RuntimeError):  # The loop may have been closed, with this in it.
                work.task.cancel()
            # The event loop itself does not keep tasks alive.
            _cancelled.add(work.task)
            work.task.add_done_callback(_cancelled.discard)

    async def _wait_for_late(self) -> None:
        late, self._late = self._late, []
        tasks = [work.task for work in late if not work.task.done()]
        if tasks and not tasks[0].get_loop().is_closed():
            await asyncio.wait(tasks, timeout=_GRACE)


class _Work:
    """A function that runs for a call."""

    def __init__(
        self,
        call: BatchCall,
        limit: float | None,
        function: Tool,
        args: dict[str, Any],
        on_due: "Callable[[_Work], None]",
    ) -> None:
        self.call: Final = call
        self.limit: Final = limit
        #: Called when the call has ended, and when it may have timed out.
        self._on_due = on_due
        self._timer: asyncio.TimerHandle | None = None
        #: Set when the function begins, since another call may block the event loop until then.
        self._deadline = math.inf
        self._end = math.inf
        #: What the call has returned, or raised by itself, even if its task does not know yet.
        self.outcome: tuple[object, BaseException | None] | None = None
        self._thread: threading.Thread | None = None
        self.task: Final = asyncio.create_task(self._run(function, args))
        self.task.add_done_callback(lambda _: on_due(self))

    def wait_for_deadline(self) -> None:
        """Call `on_due` when the time is up; a timer may be early."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._deadline - time.monotonic(), self._on_due, self)

    @property
    def is_late(self) -> bool:
        """Whether the time limit passed before the call ended."""
        return min(self._end, time.monotonic()) > self._deadline

    @property
    def is_over(self) -> bool:
        """Whether the function has ended; a thread continues after its task was cancelled."""
        is_over = self.task.done() or self.task.get_loop().is_closed()
        return self.outcome is not None or (
            is_over and not (self._thread and self._thread.is_alive())
        )

    def value(self) -> object:
        """Return what the function returned, or raise what it raised, if it was in time."""
        if self.is_late:
            raise TimeoutError(f"no outcome within {self.limit} seconds")
        value, error = self.outcome or (None, asyncio.CancelledError())
        if error is not None:
            raise error
        return value

    async def _run(self, function: Tool, args: dict[str, Any]) -> None:
        # A task that raises `SystemExit` stops the event loop, and an eager task does so before the
        # other calls could be cancelled.  So this raises nothing but a cancellation.
        if self.limit is not None:
            self._deadline = time.monotonic() + self.limit
            self.wait_for_deadline()
        try:
            is_async = inspect.iscoroutinefunction(function)
            value = function(**args) if is_async else await self._threaded(function, args)
            if inspect.isawaitable(value):
                value = await value
            if self.outcome is None:
                self.outcome = value, None
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 (`value` raises it)
            self.outcome = None, error
        finally:
            self._end = min(self._end, time.monotonic())
            if self._timer is not None:
                self._timer.cancel()

    async def _threaded(self, function: Tool, args: dict[str, Any]) -> object:
        """Call the function in a thread, which is abandoned when this is cancelled.

        Return what is to be awaited, if the function returns that: the call has not ended then.
        """
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        context = contextvars.copy_context()
        awaitable: object = None
        is_left = False

        def work() -> None:
            nonlocal awaitable
            try:
                value = context.run(function, **args)
            except BaseException as error:  # noqa: BLE001 (`value` raises it)
                outcome: tuple[object, BaseException | None] = None, error
            else:
                outcome = value, None
            if inspect.isawaitable(outcome[0]):
                awaitable = outcome[0]
                if is_left:
                    _close(awaitable)
            else:
                # The time must be taken here: another call may block the event loop.
                self._end = time.monotonic()
                self.outcome = outcome
            _free_threads.release()
            with suppress(RuntimeError):  # The loop may have been closed meanwhile.
                loop.call_soon_threadsafe(ended.set)

        if not _free_threads.acquire(blocking=False):
            raise RuntimeError(f"{_THREADS} calls run in threads, and no more may")
        # A daemon, so that a function that never ends does not keep the process from ending.
        self._thread = threading.Thread(target=work, name=f"cogwire-{self.call.name}", daemon=True)
        try:
            self._thread.start()
        except BaseException:
            _free_threads.release()
            raise
        try:
            await ended.wait()
        except asyncio.CancelledError:
            is_left = True  # before the thread, or this, sees what nobody awaits
            _close(awaitable)
            if self.outcome is None:
                raise
        return awaitable


def _close(awaitable: object) -> None:
    """Close a coroutine that is not awaited, so that nothing warns of it."""
    if inspect.iscoroutine(awaitable):
        awaitable.close()


def _ends_program(error: BaseException) -> bool:
    """Whether an exception, or one in a group, is meant for more than the call that raised it."""
    if inner := _members(error, "exceptions", BaseException):
        return any(map(_ends_program, inner))
    return not isinstance(error, Exception | asyncio.CancelledError)


def _message_of(error: BaseException) -> str:
    """Return the type and message of an exception, its notes, and the exceptions of a group."""
    lines: list[str] = []
    length = 0
    waiting = [(error, "")]
    while waiting and length <= _MESSAGE:
        each, indent = waiting.pop()
        for text in (_text_of(each), *_members(each, "__notes__", str)):
            lines.append(indent + text.replace("\n", f"\n{indent}"))
            length += len(lines[-1]) + 1
        inner = _members(each, "exceptions", BaseException)
        waiting += [(one, indent + "  ") for one in reversed(inner)]
    return "\n".join(lines)


def _text_of(error: BaseException) -> str:
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (a tool's exception class may do anything)
        message = ""
    return f"{name}: {message}" if message else name


def _members(error: BaseException, name: str, kind: type[_T]) -> list[_T]:
    """Return what an exception has of a kind; its class may do anything with the name."""
    try:
        members: Iterable[object] = getattr(error, name)
        return [one for one in members if isinstance(one, kind)]
    except Exception:  # noqa: BLE001 (most have no such attribute)
        return []
