# SPDX-License-Identifier: MIT
"""How much work a process and its descendants have done: the time that they had a processor.

It does not grow while a process waits for its turn, as the time on a clock does, so it says the
same on a machine that is busy with other things.  Time that is neither is idle: the process slept,
or waited for somebody else to do its work.
"""

import contextlib
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

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
