# SPDX-License-Identifier: MIT
"""A run: the adapters that are listed, what is asked of one, and the processes that share it."""

import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, fresh, judge, probes, questions, replies, reports
from cogwire_kit.conformance.corpus import Case, UnusableError
from cogwire_kit.conformance.judge import Judge, Options, Record
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.reports import Report
from cogwire_kit.conformance.shrinking import smallest
from cogwire_kit.conformance.target import Answer, Limits, Reply, Target, TargetError
from cogwire_kit.texts.words import counted

#: Each size of a growth case is asked for so often, in turns, and again while it seems to fail.
_REPETITIONS: Final = 3
_ROUNDS: Final = 4


#: What a property needs of the adapter, aside from what the case itself does.
_NEEDS: Final = {"tokens": "token", "prompt": "token", "resume": "restore"}


class Run:
    """One run of `cases` against a target that has greeted.

    Snapshots are restored in another process of the target.
    """

    def __init__(
        self,
        targets: tuple[Target, Target],
        cases: Iterable[Case],
        options: Options,
        lent: list[Case],
        over: threading.Event,
    ) -> None:
        self._target, self._other = targets
        target = self._target
        #: Set by the first run that has found enough.
        self._over = over
        self._options = options
        self._cases = list(cases)
        #: The cases that lend their inputs to fresh ones.
        self._lent = lent
        self._lacks = frozenset(target.hello.get("lacks", ())) | target.undeclared
        self._wanted = options.properties - self._lacks
        form = replies.Form(target.hello["offset_unit"], self._lacks)
        self._judges = {case.id: Judge(case, form, self._wanted) for case in self._cases}
        #: How many answers have come.
        self.answers = 0
        #: What is not claimed, with the number of cases that need it and were left out.
        self.left_out: Counter[str] = Counter()

    @property
    def judged(self) -> list[Judge]:
        """What has been judged, also when the run was interrupted."""
        return [found for found in self._judges.values() if found.properties]

    def carry_out(self, seen: Callable[[Judge], None]) -> None:
        """Ask everything, calling `seen` with each case when it is done.

        Raises:
            TargetError: the target failed too often.
        """
        judges = self._judges
        asked = [case for case in self._cases if self._is_claimed(judges[case.id])]
        timed = [case for case in asked if "growth" in case.data]
        saved: list[tuple[Question, dict[str, Any]]] = []
        for found, answers in self._by_case(self._target, self._questions(asked, judges)):
            is_saved = False
            for question, answer in answers:
                if found.is_over:
                    continue
                finding = found.take(question, answer)
                if finding is None and "save" in question.request and isinstance(answer, Reply):
                    saved.append((question, answer.members))
                    is_saved = True
            if not is_saved:
                self._show(found)
                self._done(found, seen)
        resumed = (one for question, reply in saved for one in questions.continued(question, reply))
        for found, answers in self._by_case(self._other, resumed):
            for question, answer in answers:
                if not found.is_over:
                    found.take(question, answer)
            self._done(found, seen)
        for case in timed:
            if "growth" in self._wanted and not self._over.is_set():
                self._time(judges[case.id])
            self._done(judges[case.id], seen)
        for found in judges.values():
            for name, judgement in found.properties.items():
                # Of what is right but late, another answer shows nothing.
                if judgement.first is not None and name != "prompt":
                    judgement.first = smallest(found, judgement.first, self._ask)

    def _done(self, found: Judge, seen: Callable[[Judge], None]) -> None:
        """Tell that a case is done, and see whether it is enough."""
        seen(found)
        is_mandatory = self._options.is_first_enough and found.case.is_mandatory
        if is_mandatory and found.properties and not found.is_passing:
            self._over.set()

    def _show(self, found: Judge) -> None:
        """Count snapshots that have not left their process as not shown, unless they fail."""
        if found.passes("resume") and "restore" not in self._abilities(found.case):
            if self._options.as_claimed or "restore" in self._options.without:
                found.forget("resume")
            else:
                found.refuse("resume", "not claimed: ability restore")

    def _by_case(
        self, target: Target, asked: Iterator[Question]
    ) -> Iterator[tuple[Judge, Iterator[tuple[Question, Answer]]]]:
        """Yield what is judged, with the questions about it and their answers."""
        return groupby(self._answers(target, asked), lambda pair: self._judges[pair[0].case.id])

    def _answers(
        self, target: Target, asked: Iterator[Question]
    ) -> Iterator[tuple[Question, Answer]]:
        sent: dict[int, Question] = {}

        def requests() -> Iterator[dict[str, Any]]:
            for place, question in enumerate(asked):
                sent[place] = question
                yield question.request

        def is_moot(place: int) -> bool:
            return self._judges[sent[place].case.id].is_over

        for place, answer in target.ask_all(requests(), is_moot):
            self.answers += 1
            yield sent.pop(place), answer

    def _abilities(self, case: Case) -> frozenset[str]:
        claimed = self._target.hello["dialects"].get(case.dialect, [])
        return frozenset(claimed) - self._options.without

    def _is_claimed(self, found: Judge) -> bool:
        """Say whether the target claims what a case needs; note what it does not."""
        case, hello = found.case, self._target.hello
        missing = [f"dialect {name}" for name in sorted(case.dialects - set(hello["dialects"]))]
        missing += [f"op {case.op}"] if case.op not in hello["ops"] else []
        if not missing:
            needs = set(case.data["requires"])
            missing = [f"ability {name}" for name in sorted(needs - self._abilities(case))]
            if "close" in self._lacks and not case.options.get("close", True):
                missing.append("texts that stay open")
        if missing and self._options.as_claimed:
            self.left_out.update(missing)
        elif missing:
            found.refuse("events", f"not claimed: {', '.join(missing)}")
        return not missing

    def _questions(self, cases: list[Case], judges: dict[str, Judge]) -> Iterator[Question]:
        for case in cases:
            found = judges[case.id]
            for question in self._of(case, found):
                if found.is_over or self._over.is_set():
                    break
                yield question

    def _of(self, case: Case, found: Judge) -> Iterator[Question]:
        if "growth" in case.data:
            return
        abilities = self._abilities(case)
        if "fresh" in case.data:
            claims = {
                name: frozenset(claimed) - self._options.without
                for name, claimed in self._target.hello["dialects"].items()
            }
            yield from fresh.asked(case, self._lent, claims, self._options.seed)
            return
        yield questions.whole(case)
        if (twin := questions.twin(case)) is not None:
            yield twin
        if case.op != "parse":
            return
        wanted = self._wanted
        dropped = abilities | self._options.without
        for name, ability in _NEEDS.items():
            has_points = name != "prompt" or "prompt" in case.data
            is_asked = name in wanted and has_points and not self._options.as_claimed
            # What is kept within the process is asked about first.
            is_asked &= name != "resume" or "snapshot" not in dropped
            if is_asked and ability not in dropped:
                found.refuse(name, f"not claimed: ability {ability}")
        for question in questions.parses(case, abilities, self._options.seed):
            if question.aspect == "prompt" and "close" in self._lacks:
                continue
            if judge.property_of(question.aspect) in wanted:
                yield question

    def _time(self, found: Judge) -> None:
        """Measure the sizes of a growth case, again while they seem to grow too fast."""
        rng = random.Random(f"{self._options.seed}/{found.case.id}")  # noqa: S311 - words, not keys
        for number in range(_ROUNDS):
            question = None
            for question in questions.growing(found.case, _REPETITIONS, rng):
                if found.is_over:
                    return
                found.take(question, self._target.ask_measured(question.request))
                self.answers += 1
            if question is None or found.is_over:
                return
            if found.judge_growth(question, is_last=number == _ROUNDS - 1):
                return

    def _ask(self, question: Question) -> Answer:
        self.answers += 1
        return self._target.ask(question.request)


#: Why a session ended that its user ended, and one of which the first failure was enough.
INTERRUPTED: Final = "interrupted"
FIRST: Final = "the first mandatory case has failed"


def _unwatched(_: Any) -> None:
    pass


@dataclass
class Watch:
    """What is called while a session lasts."""

    #: With each case that is done, from several threads.
    seen: Callable[[Judge], None] = _unwatched
    #: With the record of the run, as soon as the target has greeted.
    greeted: Callable[[Record], None] = _unwatched
    #: With each reason why the adapter is not to be trusted.
    doubted: Callable[[str], None] = _unwatched


def hold(
    command: list[str],
    cases: list[Case],
    options: Options,
    *,
    everything: list[Case],
    selection: Record,
    watch: Watch,
    limits: Limits,
    place: Path = corpus.PLACE,
    jobs: int = 1,
    folder: Path | None = None,
    journal: Path | None = None,
) -> Report:
    """Run `command` in up to `jobs` processes, test it with `cases`, and return the report.

    `everything` are all cases of the corpus in `place`, of whose inputs fresh ones are made, and
    `selection` says which of them `cases` are.  What is wrong with the target as such is at the end
    of the report.  An interrupt ends the session.  What is found goes to `journal` as it comes.

    Raises:
        TargetError: the target cannot be started, or does not greet back.
        UnusableError: nothing of `cases` is left to be asked.
    """
    started = time.perf_counter()
    limits = replace(limits, until=time.monotonic() + limits.run)
    doubts: list[str] = []
    stopped: str | None = None
    over = threading.Event()
    runs: list[Run] = []
    with ExitStack() as stack:
        first = stack.enter_context(Target(command, limits, options.seed, folder))
        targets = [first]
        header = reports.header(first.hello, command, selection, options, place)
        watch.greeted(header)
        seen = _seen(watch, reports.Journal(journal, header, stack) if journal else None)
        try:
            for problem in _problems(first, everything):
                doubts.append(problem)
                watch.doubted(problem)
            if probes.is_usable(first.hello):
                others, runs = _plan(first, cases, options, everything, jobs=jobs, over=over)
                targets += map(stack.enter_context, others)
                stopped = _together(runs[:-1], targets, seen) or _alone(runs[-1], seen)
                stopped = _ended(targets, stopped or (FIRST if over.is_set() else None))
        except TargetError as problem:
            stopped = str(problem)
        except KeyboardInterrupt:
            stopped = INTERRUPTED
    records = _records(cases, runs, stopped)
    end = reports.footer(
        records,
        seconds=time.perf_counter() - started,
        answers=sum(run.answers for run in runs),
        unseen=reports.unseen(header, records, everything, options),
        probes=doubts,
        unexplained=[line for target in targets for line in target.unexplained],
        stopped=stopped,
    )
    return Report(header, records, end)


def _seen(watch: Watch, journal: reports.Journal | None) -> Callable[[Judge], None]:
    """Return what takes each thing that is found."""

    def seen(found: Judge) -> None:
        watch.seen(found)
        if journal is not None:
            journal.add(found)

    return seen


def _plan(
    first: Target,
    cases: list[Case],
    options: Options,
    everything: list[Case],
    *,
    jobs: int,
    over: threading.Event,
) -> tuple[list[Target], list[Run]]:
    """Return the targets beside the first, and the runs of all cases; the last one is timed."""
    timed, parts = _shared(cases, options.seed, jobs)
    number = max(len(parts), 1)
    # A process of its own restores the snapshots of each.
    is_restored = any("restore" in claims for claims in first.hello["dialects"].values())
    seeds = range(options.seed + 1, options.seed + number * (2 if is_restored else 1))
    targets = [first, *(replace(first, seed=seed) for seed in seeds)]
    pairs = [*zip(targets, targets[-number:], strict=False)][: len(parts)]
    runs = [Run(*each, options, everything, over) for each in zip(pairs, parts, strict=True)]
    return targets[1:], [*runs, Run((first, first), timed, options, everything, over)]


def _shared(cases: list[Case], seed: int, jobs: int) -> tuple[list[Case], list[list[Case]]]:
    """Return the cases that are timed, and the others in up to `jobs` parts of a random order.

    What is timed is asked alone, when nothing else runs.
    """
    shuffled = random.Random(seed).sample(cases, len(cases))  # noqa: S311 - an order
    timed = [case for case in shuffled if "growth" in case.data]
    others = [case for case in shuffled if "growth" not in case.data]
    return timed, [part for number in range(jobs) if (part := others[number::jobs])]


def _records(cases: list[Case], runs: list[Run], stopped: str | None) -> list[Record]:
    """Return the records of what was judged, in the order of the cases.

    Raises:
        UnusableError: there is none, although the runs ended by themselves.
    """
    found = {judged.case.id: judged for run in runs for judged in run.judged}
    if not found and stopped is None and runs:
        raise UnusableError(_nothing(len(cases), runs))
    return [reports.of_case(found[case.id]) for case in cases if case.id in found]


def _nothing(selected: int, runs: list[Run]) -> str:
    """Return in words why nothing of a selection was asked."""
    left_out = sum((run.left_out for run in runs), Counter[str]())
    if not left_out:
        return "nothing is left to be run: the selected cases have none of these properties"
    number = counted(selected, "selected case")
    missing = ", ".join(f"{reason} ({cases})" for reason, cases in left_out.most_common())
    return f"nothing is left to be run: --as-claimed leaves out {number}; not claimed: {missing}"


def _problems(target: Target, everything: list[Case]) -> Iterator[str]:
    """Yield why an adapter is not to be trusted.

    What its replies lack without saying so is noted, so that the rest can be judged.
    """
    for probe in probes.probe(target):
        if probe.problem is not None:
            yield f"{probe.name}: {probe.problem} ({probe.clause})"
    if probes.is_usable(target.hello):
        for lack, member, holder in probes.undeclared(target, everything):
            target.undeclared |= {lack}
            yield (
                f"{holder} have no `{member}`: report it, or list `{lack}` in `lacks` "
                "(ad-reply-schema)"
            )


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


def _ended(targets: list[Target], stopped: str | None) -> str | None:
    """End the processes; return why the run `stopped`, or how one of them failed to exit."""
    endings = [stopped, *(target.finish() for target in targets)]
    return next((ending for ending in endings if ending is not None), None)


def _alone(run: Run, seen: Callable[[Judge], None]) -> str | None:
    try:
        run.carry_out(seen)
    except TargetError as problem:
        return str(problem)
    return None


ADAPTERS: Final = corpus.PLACE / "adapters" / "adapters.toml"


@dataclass(frozen=True)
class Adapter:
    """A program, and what is judged of it."""

    name: str
    about: str
    command: list[str]
    properties: frozenset[str]
    #: The folder in which the command is run.
    folder: Path
    #: Whether it is expected to pass what it claims.
    conforms: bool
    #: The program without which it is left out, if there is one.
    needs: str = ""

    @property
    def is_here(self) -> bool:
        """Whether what it needs is there."""
        return not self.needs or shutil.which(self.needs) is not None

    @property
    def criteria(self) -> dict[str, Any]:
        """What is judged, as a report has it."""
        chosen = self.properties if self.properties != frozenset(judge.PROPERTIES) else ()
        return {"properties": sorted(chosen)}


def adapters(path: Path = ADAPTERS) -> list[Adapter]:
    """Return the adapters that a TOML file lists.

    Raises:
        UnusableError: it is not TOML, or an entry is not what it should be.
    """
    entries = corpus.tables(path, "adapter")
    if not entries:
        raise UnusableError(f"{path}: it has no adapters")
    return [_adapter(entry, path) for entry in entries]


def _adapter(entry: dict[str, Any], path: Path) -> Adapter:
    unknown = entry.keys() - {"name", "about", "command", "conforms", "needs", "property"}
    missing = {"name", "about", "command"} - entry.keys()
    if unknown or missing:
        wrong = ", ".join(sorted(unknown or missing))
        raise UnusableError(f"{path}: {entry.get('name', 'an adapter')}: {wrong}")
    properties = frozenset(entry.get("property", judge.PROPERTIES))
    return Adapter(
        name=entry["name"],
        about=entry["about"],
        command=entry["command"],
        properties=properties,
        folder=path.parent,
        conforms=entry.get("conforms", False),
        needs=entry.get("needs", ""),
    )
