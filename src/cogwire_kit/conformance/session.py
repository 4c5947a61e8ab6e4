# SPDX-License-Identifier: MIT
"""Several processes of one target that share the cases, so that every core has work."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import probes
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.judge import Judge
from cogwire_kit.conformance.runner import Options, Run
from cogwire_kit.conformance.target import Limits, Target, TargetError

#: Why a session ended that its user ended.
INTERRUPTED: Final = "interrupted"


def _unwatched(_: Any) -> None:
    pass


@dataclass
class Watch:
    """What is called while a session lasts."""

    #: With each case that is done, from several threads.
    seen: Callable[[Judge], None] = _unwatched
    #: With the reply to `hello`.
    greeted: Callable[[dict[str, Any]], None] = _unwatched
    #: With each reason why the adapter is not to be trusted.
    doubted: Callable[[str], None] = _unwatched


@dataclass
class Outcome:
    """The results of a session, and what was wrong with the target as such."""

    hello: dict[str, Any]
    judges: list[Judge] = field(default_factory=list)
    answers: int = 0
    #: Why the adapter is not to be trusted, so that its answers are not grounds for a verdict.
    probes: list[str] = field(default_factory=list)
    #: Failures that did not come again.
    unexplained: list[str] = field(default_factory=list)
    #: What is not claimed, with the number of cases that need it and were left out.
    left_out: Counter[str] = field(default_factory=Counter)
    #: Why the session ended early, or how a process failed to exit.
    stopped: str | None = None


def hold(
    command: list[str],
    cases: list[Case],
    options: Options,
    *,
    lent: list[Case],
    watch: Watch,
    limits: Limits,
    jobs: int = 1,
    folder: Path | None = None,
) -> Outcome:
    """Run `command` in up to `jobs` processes, hold it against `cases`, and return the outcome.

    `lent` are cases whose inputs fresh ones are made of.  An interrupt ends the session, and what
    was found is returned.

    Raises:
        TargetError: the target cannot be started, or does not greet back.
    """
    limits = replace(limits, until=time.monotonic() + limits.run)
    with ExitStack() as stack:
        first = stack.enter_context(Target(command, limits, options.seed, folder))
        outcome = Outcome(first.hello)
        targets, runs = [first], []
        watch.greeted(first.hello)
        try:
            for problem in _problems(first):
                outcome.probes.append(problem)
                watch.doubted(problem)
            if not probes.is_usable(first.hello):
                return outcome
            shuffled = random.Random(options.seed).sample(cases, len(cases))  # noqa: S311 - an order
            # What is timed is asked alone, when nothing else runs.
            timed = [case for case in shuffled if "growth" in case.data]
            others = [case for case in shuffled if "growth" not in case.data]
            parts = [part for number in range(jobs) if (part := others[number::jobs])]
            for number in range(1, len(parts)):
                seed = options.seed + number
                target = Target(command, limits, seed, folder, hello=first.hello)
                targets.append(stack.enter_context(target))
            runs += [Run(*pair, options, lent) for pair in zip(targets, parts, strict=False)]
            outcome.stopped = _together(runs, targets, watch.seen)
            runs.append(Run(first, timed, options, lent))
            if outcome.stopped is None:
                outcome.stopped = _alone(runs[-1], watch.seen)
            for target in targets:
                ending = target.finish()
                outcome.stopped = outcome.stopped or ending
        except TargetError as problem:
            outcome.stopped = str(problem)
        except KeyboardInterrupt:
            outcome.stopped = INTERRUPTED
        outcome.unexplained = [line for target in targets for line in target.unexplained]
        outcome.judges = [found for run in runs for found in run.judged]
        outcome.answers = sum(run.answers for run in runs)
        outcome.left_out = sum((run.left_out for run in runs), Counter())
    return outcome


def _problems(target: Target) -> Iterator[str]:
    """Yield why an adapter is not to be trusted."""
    for probe in probes.probe(target):
        if probe.problem is not None:
            yield f"{probe.name}: {probe.problem} ({probe.clause})"


def _together(runs: list[Run], targets: list[Target], seen: Callable[[Judge], None]) -> str | None:
    """Carry out the runs side by side; return why one of them was interrupted, or None."""
    with ThreadPoolExecutor(max(len(runs), 1)) as pool:
        futures = [pool.submit(_alone, run, seen) for run in runs]
        try:
            problems = [future.result() for future in futures]
        except BaseException:
            # Above all an interrupt: the threads end when their targets do.
            for target in targets:
                target.abandon()
            raise
    return next((problem for problem in problems if problem is not None), None)


def _alone(run: Run, seen: Callable[[Judge], None]) -> str | None:
    try:
        run.carry_out(seen)
    except TargetError as problem:
        return str(problem)
    return None
