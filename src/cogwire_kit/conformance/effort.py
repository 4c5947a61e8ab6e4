# SPDX-License-Identifier: MIT
"""How much work a process and its descendants have done: the time that they had a processor.

It does not grow while a process waits for its turn, as the time on a clock does, so it says the
same on a machine that is busy with other things.
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


def spent(process: int) -> float | None:
    """Return the seconds of processor time of `process` and all below it, ended ones included.

    None where the system does not tell it of another process: it is told on Linux.
    """
    if not (_PROCESSES / str(process) / "stat").exists():
        return None
    running = _running()
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number, found in running.items():
        below[found.parent].append(number)
    total = 0.0
    family = [process]
    while family:
        number = family.pop()
        family += below[number]
        with contextlib.suppress(OSError, KeyError):
            total += _clock(number) + running[number].ended
    return total


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
