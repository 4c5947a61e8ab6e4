# SPDX-License-Identifier: MIT
"""A pool of processes, each of which works on one task at a time.

A pool of `concurrent.futures` in which a process was killed ends in tracebacks of its threads, or
waits for ever (gh-94777 and what followed it).  The processes of loky 3.7 outlive the one that
started them, if that is killed.  Pebble 5.2 has neither fault, but a licence (LGPL) that nothing
else has that is installed.  Here one thread talks to each process over a pipe, whose end says that
the process is gone.
"""

import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Final, TypeVar

Key = TypeVar("Key")


#: What to say of a process that was killed.
KILLED: Final = "a process of the pool was killed, perhaps because memory ran out"


class WorkerKilledError(Exception):
    """A process ended before its task was done."""


def unordered(
    processes: int,
    work: Callable[..., Any],
    tasks: Iterable[tuple[Key, tuple[Any, ...]]],
) -> Generator[tuple[Key, Any], None, None]:
    """Yield the key and the answer of each task, in the order in which they are done.

    A task is a key and the arguments of `work`, which with its answer must be fit to be pickled.
    However this ends, no process is left.  Those at work are killed if one was, or if nobody waits
    for what they do, as after Ctrl-C; else what has begun is finished first.

    Raises `WorkerKilledError`, and what `work` raises.
    """
    started: dict[Connection, Any] = {}
    busy: dict[Connection, Key] = {}
    try:
        for key, arguments in tasks:
            if len(busy) == processes:
                yield from _answers(busy)
            idle = next((each for each in started if each not in busy), None)
            if idle is None:
                idle, process = _start(work)
                started[idle] = process
            busy[idle] = key
            with _alive():
                idle.send(arguments)
        while busy:
            yield from _answers(busy)
    except (WorkerKilledError, KeyboardInterrupt, GeneratorExit):
        for process in started.values():
            process.kill()
        raise
    finally:
        # A process ends when its task is done and nobody is there to hear of it.
        for worker in started:
            worker.close()
        for process in started.values():
            process.join()


def _start(work: Callable[..., Any]) -> tuple[Connection, Any]:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    with _unheard():
        process.start()
    theirs.close()
    return ours, process


def _answers(busy: dict[Connection, Key]) -> Iterator[tuple[Key, Any]]:
    """Wait for finished tasks and yield them; their processes are free again."""
    ready = set(wait(list(busy)))
    for worker in [each for each in busy if each in ready]:
        with _alive():
            answer, problem, where = worker.recv()
        key = busy.pop(worker)
        if problem is not None:
            raise problem from _InWorkerError(where)
        yield key, answer


class _InWorkerError(Exception):
    """The traceback of an exception in the other process, as its cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@contextmanager
def _alive() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        raise WorkerKilledError from None


@contextmanager
def _unheard() -> Iterator[None]:
    """Start processes that ignore Ctrl-C: this process handles it, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415 (Windows has none)

    resource_tracker.ensure_running()  # it would unblock the signal when it is first started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(tasks: Connection, work: Callable[..., Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    with suppress(EOFError, OSError):  # nobody is there any more
        while True:
            tasks.send(_outcome(work, tasks.recv()))


def _outcome(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Any, str]:
    """Return the answer, or the exception that was raised and where."""
    try:
        return work(*arguments), None, ""
    except Exception as problem:  # noqa: BLE001 (it is raised where the answer is awaited)
        return None, problem, traceback.format_exc()


def _end_with(sentinel: int) -> None:
    """End this process as soon as the one that started it has ended, in whatever way."""
    wait([sentinel])
    os._exit(1)
