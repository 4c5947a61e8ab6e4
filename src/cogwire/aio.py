# SPDX-License-Identifier: MIT
"""Runs a batch with asyncio.  The core does not import this module; import it by its name."""

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Literal

from .events import ResultEvent
from .turns.batch import Batch, BatchCall
from .turns.render import CANCELLED
from .wire.blocks.values import RenderError, mended

if TYPE_CHECKING:
    from .tools.toolset import Toolset

#: A function or coroutine function that takes the arguments of a call by name, and returns JSON.
Tool = Callable[..., object]

_Outcome = tuple[Literal["success", "failure"], object]

#: Characters of a failure's message; what helps a model is in its first lines.
_MESSAGE: Final = 10_000


async def run(
    batch: Batch,
    tools: Mapping[str, Tool],
    *,
    toolset: "Toolset | None" = None,
    timeout: float | None = None,
    timeouts: Mapping[str, float | None] | None = None,
) -> ResultEvent:
    """Run the waiting calls of an open batch, and return the batch's result.

    `tools` maps each name to a function, which gets the call's arguments as keyword arguments: a
    coroutine function runs in this event loop, any other in a thread of its own.  The calls run in
    parallel or in sequence, as the dialect of the batch says.  With a `toolset` each call is
    checked first, and runs with the arguments that the check returned.  `timeout` is how many
    seconds each call may take, and `timeouts` overrides it for single tools; a thread that takes
    longer is abandoned.

    Whatever goes wrong in a call becomes its failure and stops no other call: an unknown tool, a
    problem that the toolset finds, an exception, the time-out, a value that JSON cannot hold.
    While this runs, nothing else may settle the batch.

    When this is cancelled, or a tool raises `KeyboardInterrupt`, `SystemExit` or the like, the
    calls are cancelled, the batch takes `cancelled` (its answer is then `batch.result`), and the
    exception propagates.  Raises `ValueError` if the batch is not open.
    """
    if not batch.is_open:
        raise ValueError("the batch is not open: no execute has come, or it has been answered")
    calls = [batch.calls[index] for index in batch.waiting]
    with _Runner(batch, tools, toolset, timeout, timeouts or {}) as runner:
        for group in [calls] if batch.parallel else [[call] for call in calls]:
            await runner.run(group)
    return runner.results[-1]


class _Runner:
    def __init__(
        self,
        batch: Batch,
        tools: Mapping[str, Tool],
        toolset: "Toolset | None",
        timeout: float | None,
        timeouts: Mapping[str, float | None],
    ) -> None:
        self._batch = batch
        self._tools = tools
        self._toolset = toolset
        self._timeout = timeout
        self._timeouts = timeouts
        #: A thread for each call: with fewer, calls that wait for each other would never end.
        self._threads = ThreadPoolExecutor(len(batch.waiting), thread_name_prefix="cogwire")
        self.results: list[ResultEvent] = []

    def __enter__(self) -> "_Runner":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if kind is not None:
            self._batch.take({"type": "cancelled"})

    async def run(self, calls: Sequence[BatchCall]) -> None:
        """Run the calls together; if this is interrupted, cancel them first."""
        tasks = [asyncio.create_task(self._run(call)) for call in calls]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def _run(self, call: BatchCall) -> None:
        status, content = await self._outcome(call)
        try:
            self.results += self._batch.settle(call.index, status, content)
        except RenderError as error:
            self.results += self._batch.settle(call.index, *_failed(error))

    async def _outcome(self, call: BatchCall) -> _Outcome:
        args = call.args
        if self._toolset is not None:
            checked = self._toolset.check(call.content)
            if checked.problems:
                return "failure", _clipped("\n".join(each["message"] for each in checked.problems))
            args = checked.args
        if call.name not in self._tools:
            known = ", ".join(self._tools) or "none"
            return "failure", _clipped(f"There is no tool {call.name!r}. Tools: {known}.")
        return await self._timed(call.name, args)

    async def _timed(self, name: str, args: dict[str, Any]) -> _Outcome:
        limit = self._timeouts.get(name, self._timeout)
        call = asyncio.ensure_future(self._called(self._tools[name], args))
        late = None
        try:
            done, _ = await asyncio.wait([call], timeout=limit)
            if not done:
                late = TimeoutError(f"no outcome within {limit} seconds")
                await _end(call)
            return _failed(late) if late else ("success", call.result())
        except asyncio.CancelledError:
            await _end(call)
            return "failure", CANCELLED
        except Exception as error:  # noqa: BLE001 (any exception is the call's failure)
            return _failed(error)

    async def _called(self, tool: Tool, args: dict[str, Any]) -> object:
        if inspect.iscoroutinefunction(tool):
            return await tool(**args)
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        value = await loop.run_in_executor(self._threads, lambda: context.run(_attempt, tool, args))
        return await value if inspect.isawaitable(value) else value


async def _end(call: "asyncio.Future[object]") -> None:
    """Cancel `call`, and wait until it has ended."""
    call.cancel()
    await asyncio.wait([call])


def _attempt(tool: Tool, args: dict[str, Any]) -> object:
    try:
        return tool(**args)
    except StopIteration as error:
        # A future cannot hold StopIteration: whoever awaits the future would wait for ever.
        raise RuntimeError("the tool raised StopIteration") from error


def _failed(error: Exception) -> _Outcome:
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (it is the tool's own, and may do anything)
        message = ""
    return "failure", _clipped(f"{name}: {message}" if message else name)


def _clipped(message: str) -> str:
    """Return what of `message` can be written; exceptions may quote undecodable file names."""
    return mended(message[:_MESSAGE])
