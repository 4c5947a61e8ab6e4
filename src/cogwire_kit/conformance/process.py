# SPDX-License-Identifier: MIT
"""A process of the program under test: its three streams, its end, and how much it worked.

Work is the time that a process and its descendants had a processor.  It does not grow while a
process waits for its turn, as the time on a clock does, so it says the same on a machine that is
busy with other things.  Time that is neither is idle: the process slept, or waited for somebody
else to do its work.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict, deque
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from cogwire_kit.adapter import LINE_LIMIT

_PROCESSES: Final = Path("/proc")
#: In the clock of a process, as Linux numbers them: the time of all its threads, in its low bits.
_OF_ALL_THREADS: Final = 2


class _Process(NamedTuple):
    parent: int
    #: Processor time of its children that have ended, and theirs.
    ended: float


class Spent(NamedTuple):
    """What a process and all below it have spent, in seconds, ended ones included."""

    #: Processor time.
    work: float
    #: Time for which those that run now were ready and had no processor; None if that is not known.
    waited: float | None


def idle(before: Spent, after: Spent, seconds: float) -> float | None:
    """Return for how much of `seconds` nothing was done, and nothing could have been."""
    if before.waited is None or after.waited is None:
        return None
    return max(0.0, seconds - (after.work - before.work) - (after.waited - before.waited))


def spent(process: int) -> Spent | None:
    """Return what `process` and all below it have spent.

    None where the system does not report it for another process; Linux does.
    """
    if not (_PROCESSES / str(process) / "stat").exists():
        return None
    running = _running()
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number, found in running.items():
        below[found.parent].append(number)
    work, waited = 0.0, 0.0
    family = [process]
    while family:
        number = family.pop()
        family += below[number]
        with contextlib.suppress(OSError, KeyError):
            work += _clock(number) + running[number].ended
            waited += _waited(number)
    is_known = (_PROCESSES / str(process) / "schedstat").exists()
    return Spent(work, waited if is_known else None)


def _waited(process: int) -> float:
    """Return for how long the threads of a process waited for a processor."""
    total = 0
    for thread in (_PROCESSES / str(process) / "task").iterdir():
        with contextlib.suppress(OSError):
            total += int((thread / "schedstat").read_text("ascii").split()[1])
    return total / 1e9


def _clock(process: int) -> float:
    """Return what `clock_getcpuclockid` of POSIX gives access to, which Python does not have."""
    return time.clock_gettime((~process << 3) | _OF_ALL_THREADS)


def _running() -> dict[int, _Process]:
    found: dict[int, _Process] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    for folder in _PROCESSES.iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            # The name of the program, in parentheses, may hold anything.
            state = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            found[int(folder.name)] = _Process(
                int(state[1]), (int(state[13]) + int(state[14])) / ticks
            )
    return found


#: How much is read of the target at once, in bytes.
_READ: Final = 1 << 18
#: How much is kept of what is written to stderr: bytes of a line, and characters of the last lines.
_OF_A_LINE, _TAIL_OF_STDERR = 2000, 16_000
#: How many lines; the first ones may name what a process died of, before a long trace.
_FIRST_LINES, _LAST_LINES = 10, 400
#: How long a process may take to exit, also on a busy machine.
_EXIT_SECONDS: Final = 30
#: How long what is left in its pipes is waited for: something that it started may hold them open.
_REST_SECONDS: Final = 1
#: How many bytes are shown of a line that answers no request.
_SHOWN: Final = 200
#: How many bytes of replies are read ahead of what is judged.
_READ_AHEAD: Final = LINE_LIMIT
#: A group of its own lets a process be ended with all that it has started.  A session of its own
#: does that too, but Linux may then schedule it apart, which makes replies come in small pieces.
_GROUP: Final[dict[str, Any]] = (
    {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}
)
#: How long a thread sleeps that has read too far ahead.
_PAUSE: Final = 0.01


class Process:
    """One process of the target, with a thread for each of its streams.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, command: list[str], folder: Path | None) -> None:
        self._popen = subprocess.Popen(  # noqa: S603 - it is the command that the user gave
            _found(command, folder),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **_GROUP,
        )
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        #: Bytes of replies that were read, and that were taken; each is counted by one thread.
        self._received, self._taken = 0, 0
        #: How many replies have arrived, and were read.
        self.replies = 0
        self._is_over = False
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._first_noise: list[str] = []
        self._noise: deque[str] = deque(maxlen=_LAST_LINES)
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._write, self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, lines: bytes) -> None:
        """Write `lines` as soon as the process takes them; never block."""
        self._requests.put(lines)

    def _write(self) -> None:
        stdin = _pipes(self._popen)[0]
        with contextlib.suppress(OSError, ValueError):
            while (lines := self._requests.get()) is not None:
                stdin.write(lines)
                stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()

    def _read(self) -> None:
        with _pipes(self._popen)[1] as stdout:
            self._read_lines(stdout.fileno())

    def _read_lines(self, descriptor: int) -> None:
        pieces: list[bytes] = []
        size = 0
        while size <= LINE_LIMIT and (data := os.read(descriptor, _READ)):
            pieces.append(data)
            size += len(data)
            if b"\n" in data:
                *lines, rest = b"".join(pieces).split(b"\n")
                for line in lines:
                    self._replies.put(line + b"\n")
                self._received += size - len(rest)
                pieces, size = [rest], len(rest)
                while self._received - self._taken > _READ_AHEAD and not self._is_over:
                    time.sleep(_PAUSE)
        if rest := b"".join(pieces):
            self._replies.put(rest)
        self._replies.put(None)

    def reply(self, seconds: float) -> bytes | None:
        """Return the next line, or None if there are no more; `queue.Empty` if none has arrived."""
        line = self._next(seconds)
        if line is None:
            self._replies.put(None)
            return None
        self._taken += len(line)
        self.replies += 1
        return line

    def _next(self, seconds: float) -> bytes | None:
        """Wait for what is read next; a process that has ended writes nothing more."""
        deadline = time.monotonic() + seconds
        has_ended = False
        while (left := deadline - time.monotonic()) > _REST_SECONDS:
            try:
                return self._replies.get(timeout=_REST_SECONDS)
            except queue.Empty:
                # What it has started may hold its output open.
                if has_ended:
                    return None
                has_ended = self._popen.poll() is not None
        return self._replies.get(timeout=max(left, 0))

    def _listen(self) -> None:
        with _pipes(self._popen)[2] as stderr:
            while line := stderr.readline(_OF_A_LINE):
                is_first = len(self._first_noise) < _FIRST_LINES
                kept: list[str] | deque[str] = self._first_noise if is_first else self._noise
                kept.append(line.decode("utf-8", "backslashreplace"))

    def work(self) -> Spent | None:
        """Return what was spent so far, or None if the system does not say."""
        return spent(self._popen.pid)

    def ending(self) -> str:
        """Return how the process ended, and the first and the last that it wrote to stderr."""
        try:
            code = self._popen.wait(timeout=_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output, and lives on"
        self._threads[2].join(timeout=_REST_SECONDS)
        how = f"killed by signal {-code}" if code < 0 else f"exited with {code}"
        tail = "".join(self._noise)[-_TAIL_OF_STDERR:]
        noise = f"{''.join(self._first_noise)}{tail}".strip()
        return f"{how}: {noise}" if noise else how

    def kill(self) -> None:
        """End the process at once, and all that it has started."""
        self._end_group()
        self._requests.put(None)
        self._popen.wait()
        self._close()

    def finish(self) -> str | None:
        """Close the standard input; return how the process failed to end as it should, or None.

        It has to exit with 0, and to have written nothing after its last reply.
        """
        self._requests.put(None)
        try:
            self._popen.wait(timeout=_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return f"still running {_EXIT_SECONDS} s after its input had ended"
        problem = None if self._popen.returncode == 0 else f"{self.ending()} (ad-exit)"
        problem = problem or self._excess()
        self._end_group()
        self._close()
        return problem

    def _excess(self) -> str | None:
        """Return what was written that answers no request, or None."""
        with contextlib.suppress(queue.Empty):
            if line := self.reply(_REST_SECONDS):
                shown = line[:_SHOWN].decode("utf-8", "backslashreplace").rstrip()
                return f"a line after the last reply (ad-lines): {shown!r}"
        return None

    def _end_group(self) -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._popen.kill()
            else:
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _close(self) -> None:
        """Close what the threads have done with; what left its group may hold a pipe open."""
        self._is_over = True
        deadline = time.monotonic() + _REST_SECONDS
        for thread, pipe in zip(self._threads, _pipes(self._popen), strict=True):
            thread.join(timeout=max(deadline - time.monotonic(), 0))
            if not thread.is_alive():
                with contextlib.suppress(OSError):
                    pipe.close()


def _found(command: list[str], folder: Path | None) -> list[str]:
    """Return the command with its program as the shell of `folder` would find it."""
    if folder is None or "/" not in command[0]:
        return command
    return [str(folder / command[0]), *command[1:]]


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """Return the input, the output and the errors of a process, which are pipes."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise TypeError("a process of a target has three pipes")
    return process.stdin, process.stdout, process.stderr
