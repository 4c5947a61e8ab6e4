# SPDX-License-Identifier: MIT
"""A run: the adapters that are listed, what is asked of one, and the processes that share it."""

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

from cogwire_kit.conformance import corpus, fresh, judge, probes, questions, replies, reports
from cogwire_kit.conformance.corpus import Case, NothingLeftError
from cogwire_kit.conformance.grouping import of_message
from cogwire_kit.conformance.growth import MOST, measured
from cogwire_kit.conformance.judge import CommonOptions, Judge, Record, RunOptions, is_failing
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.reports import Report
from cogwire_kit.conformance.shrinking import smallest
from cogwire_kit.conformance.target import (
    Answer,
    Patience,
    Reply,
    Target,
    TargetError,
    brief,
    in_words,
)
from cogwire_kit.texts.words import counted

#: What fails is asked for again so often in a process of its own.
_ALONE: Final = 20


_Q = TypeVar("_Q")


@dataclass
class Asker:
    """Asks a process of the target, and another one for what has to leave the first."""

    target: Target
    other: Target
    #: How many answers have come.
    answers: int = 0
    #: How often what fails may still be asked in a process of its own, and why what did failed.
    left: int = _ALONE
    failing: set[str] = field(default_factory=set)

    def each(
        self,
        asked: Iterable[tuple[_Q, dict[str, Any]]],
        is_over: Callable[[], bool],
        *,
        of_other: bool = False,
    ) -> Iterator[tuple[_Q, Answer]]:
        """Yield each question with the answer to its request, which has no id.

        Questions are read ahead until it `is_over`.
        """
        sent: dict[int, _Q] = {}

        def requests() -> Iterator[dict[str, Any]]:
            for place, (question, request) in enumerate(asked):
                if is_over():
                    return
                sent[place] = question
                yield request

        target = self.other if of_other else self.target
        for place, answer in target.ask_all(requests(), lambda _: is_over()):
            self.answers += 1
            yield sent.pop(place), answer

    def one(self, request: dict[str, Any]) -> Answer:
        """Return the answer to one request."""
        self.answers += 1
        return self.target.ask(request)

    def passes_alone(
        self, request: dict[str, Any], cause: str, is_right: Callable[[Answer], bool]
    ) -> bool:
        """Say whether what fails passes in a process that is asked nothing else.

        Of those with one cause, one that fails there too is enough.
        """
        if cause in self.failing or not self.left:
            return False
        self.left -= 1
        with replace(self.target) as other:
            if is_right(Asker(other, other).one(request)):
                return True
        self.failing.add(cause)
        return False


_T = TypeVar("_T")
_J = TypeVar("_J")
_O = TypeVar("_O", bound=CommonOptions)


@dataclass
class Kind(ABC, Generic[_T, _J, _O]):
    """What a run asks for, and how the answers are judged."""

    cases: list[_T]
    options: _O
    _: KW_ONLY
    #: Which of all cases these are, as a report has it.
    selection: Record
    #: Whether the target has to greet, and to exit, as the protocol says.
    greets: ClassVar[bool] = True

    @abstractmethod
    def header(self, asker: Asker, command: list[str]) -> Record:
        """Return the record of the run; only a target that does not greet is asked for it."""

    def doubts(self, _: Asker, /) -> Iterator[str]:
        """Yield why the target is not to be trusted: nothing of one that makes no claims."""
        return iter(())

    @abstractmethod
    def parts(self, jobs: int, /) -> tuple[list[_T], list[list[_T]]]:
        """Return what is asked alone, and what up to so many processes ask side by side."""

    @abstractmethod
    def judging(self, one: _T) -> _J:
        """Return what keeps what is found about one of these."""

    @abstractmethod
    def ask(self, found: _J, asker: Asker) -> None:
        """Ask everything about it, and judge the answers.

        Raises:
            TargetError: the target failed too often.
        """

    @abstractmethod
    def record(self, found: _J) -> Record | None:
        """Return what a report says of it, or None if it was not asked."""

    @abstractmethod
    def report(self, header: Record, records: list[Record], **end: Any) -> Report:
        """Return the report, of records that are in the order in which they came."""


@dataclass
class Run(Generic[_T, _J]):
    """One run of what is asked of a target, which may be one of several side by side."""

    kind: Kind[_T, _J, Any]
    asker: Asker
    things: list[_T]
    #: Set by the first run that has found enough.
    over: threading.Event
    judged: list[_J] = field(default_factory=list)

    @property
    def records(self) -> list[Record]:
        """What has been found, also when the run was interrupted."""
        return [found for one in self.judged if (found := self.kind.record(one)) is not None]

    def carry_out(self, seen: Callable[[Record | None], None]) -> str | None:
        """Ask everything, and give `seen` what is found; return why that ended early, or None."""
        why = None
        for one in self.things:
            if why is not None or self.over.is_set():
                break
            found = self.kind.judging(one)
            try:
                self.kind.ask(found, self.asker)
            except TargetError as problem:
                why = str(problem)
            self.judged.append(found)
            record = self.kind.record(found)
            if self.kind.options.is_first_enough and record is not None and is_failing(record):
                self.over.set()
            seen(record)
        return why


#: What a property needs of the adapter, aside from what the case itself does.
_NEEDS: Final = {"tokens": "token", "prompt": "token", "resume": "restore"}


@dataclass
class Cases(Kind[Case, Judge, RunOptions]):
    """The cases of the corpus, of which a target claims some.

    Snapshots are restored in another process of the target.
    """

    _: KW_ONLY
    #: All cases of the corpus in `place`, of whose inputs fresh ones are made.
    everything: list[Case]
    place: Path = corpus.PLACE
    _hello: Record = field(init=False, default_factory=dict)
    _lacks: frozenset[str] = field(init=False, default=frozenset())
    #: What is not claimed, once for each case that needs it and was left out.
    _left_out: list[str] = field(init=False, default_factory=list)

    def header(self, asker: Asker, command: list[str]) -> Record:
        """Return the record of the run."""
        self._hello = asker.target.hello
        return reports.header(
            command,
            self.selection,
            corpus=corpus.version(self.place),
            seed=self.options.seed,
            target=reports.greeting(self._hello),
            as_claimed=self.options.as_claimed,
        )

    def doubts(self, asker: Asker, /) -> Iterator[str]:
        """Yield why an adapter is not to be trusted.

        What its replies lack without saying so is noted, so that the rest can be judged.
        """
        target = asker.target
        yield from probes.problems(target)
        if probes.is_usable(target.hello):
            for lack, problem in probes.undeclared(target, self.everything):
                target.undeclared |= {lack}
                yield problem
            self._lacks = frozenset(target.hello.get("lacks", ())) | target.undeclared

    def parts(self, jobs: int, /) -> tuple[list[Case], list[list[Case]]]:
        """Return the cases that are timed, and the others in up to `jobs` parts, in random order.

        What is timed is asked alone, when nothing else runs.
        """
        if not probes.is_usable(self._hello):
            return [], []
        rng = random.Random(self.options.seed)  # noqa: S311 - an order
        shuffled = rng.sample(self.cases, len(self.cases))
        timed = [case for case in shuffled if "growth" in case.data]
        others = [case for case in shuffled if "growth" not in case.data]
        return timed, [part for number in range(jobs) if (part := others[number::jobs])]

    @property
    def _without(self) -> frozenset[str]:
        """The abilities that are not asked for; what is emitted late is not there to go on from."""
        return self.options.without | ({"restore"} if "prompt" in self._lacks else frozenset())

    @property
    def _wanted(self) -> frozenset[str]:
        return self.options.properties - self._lacks

    def judging(self, one: Case) -> Judge:
        """Return what judges the answers to the questions of a case."""
        return Judge(one, replies.Form(self._hello["offset_unit"], self._lacks), self._wanted)

    def ask(self, found: Judge, asker: Asker) -> None:
        """Ask everything about a case, also what another process makes of its snapshots."""
        if not self._is_claimed(found):
            return
        if "growth" in found.case.data:
            if "growth" in self._wanted:
                self._time(found, asker)
            return
        saved: list[tuple[Question, dict[str, Any]]] = []
        for question, answer in self._answers(asker, found, self._of(found.case, found)):
            finding = found.take(question, answer)
            if finding is None and "save" in question.request and isinstance(answer, Reply):
                saved.append((question, answer.members))
        resumed = (one for question, reply in saved for one in questions.continued(question, reply))
        for question, answer in self._answers(asker, found, resumed, of_other=True):
            found.take(question, answer)
        if not saved:
            self._show(found)
        for name, judgement in found.properties.items():
            # Of what is right but late, another answer shows nothing.
            if judgement.first is not None and name != "prompt":
                judgement.first = smallest(found, judgement.first, asker.one)
        for judgement in found.properties.values():
            _try_alone(found, judgement.first, asker)

    def _answers(
        self, asker: Asker, found: Judge, asked: Iterator[Question], *, of_other: bool = False
    ) -> Iterator[tuple[Question, Answer]]:
        """Yield the questions about a case with their answers, until its verdict is known."""
        requests = ((question, question.request) for question in asked)
        answers = asker.each(requests, lambda: found.is_over, of_other=of_other)
        return (pair for pair in answers if not found.is_over)

    def record(self, found: Judge) -> Record | None:
        """Return what a report says of a case."""
        return reports.of_case(found) if found.properties else None

    def report(self, header: Record, records: list[Record], **end: Any) -> Report:
        """Return the report, in the order of the cases.

        Raises:
            NothingLeftError: nothing of the cases was asked, although the run ended by itself.
        """
        if not records and end["stopped"] is None and probes.is_usable(self._hello):
            raise NothingLeftError(self._nothing())
        order = {case.id: place for place, case in enumerate(self.cases)}
        records.sort(key=lambda record: order[record["id"]])
        unseen = reports.unseen(header, records, self.everything, self.options)
        return Report(header, records, reports.footer(records, unseen=unseen, **end))

    def _nothing(self) -> str:
        """Return in words why nothing of a selection was asked."""
        if not self._left_out:
            return "nothing is left to be run: the selected cases have none of these properties"
        number = counted(len(self.cases), "selected case")
        reasons = Counter(self._left_out).most_common()
        missing = ", ".join(f"{reason} ({cases})" for reason, cases in reasons)
        return (
            f"nothing is left to be run: --as-claimed leaves out {number}; not claimed: {missing}"
        )

    def _show(self, found: Judge) -> None:
        """Count snapshots that have not left their process as not shown, unless they fail."""
        if found.passes("resume") and "restore" not in self._abilities(found.case.dialect):
            if self.options.as_claimed or "restore" in self._without:
                del found.properties["resume"]
            else:
                found.refuse("resume", "not claimed: ability restore")

    def _abilities(self, dialect: str) -> frozenset[str]:
        return frozenset(self._hello["dialects"].get(dialect, [])) - self._without

    def _is_claimed(self, found: Judge) -> bool:
        """Say whether the target claims what a case needs; note what it does not."""
        case, hello = found.case, self._hello
        missing = [f"dialect {name}" for name in sorted(case.dialects - set(hello["dialects"]))]
        missing += [f"op {case.op}"] if case.op not in hello["ops"] else []
        if not missing:
            needs = set(case.data["requires"])
            missing = [f"ability {name}" for name in sorted(needs - self._abilities(case.dialect))]
            if "close" in self._lacks and not case.options.get("close", True):
                missing.append("texts that stay open")
        if missing and self.options.as_claimed:
            self._left_out += missing
        elif missing:
            found.refuse("events", f"not claimed: {', '.join(missing)}")
        return not missing

    def _of(self, case: Case, found: Judge) -> Iterator[Question]:
        abilities = self._abilities(case.dialect)
        if "fresh" in case.data:
            claims = {name: self._abilities(name) for name in self._hello["dialects"]}
            yield from fresh.asked(case, self.everything, claims, self.options.seed)
            return
        yield questions.whole(case)
        if (twin := questions.twin(case)) is not None:
            yield twin
        if case.op != "parse":
            return
        wanted = self._wanted
        dropped = abilities | self._without
        for name, ability in _NEEDS.items():
            has_points = name != "prompt" or "prompt" in case.data
            is_asked = name in wanted and has_points and not self.options.as_claimed
            # What is kept within the process is asked about first.
            is_asked &= name != "resume" or "snapshot" not in dropped
            if is_asked and ability not in dropped:
                found.refuse(name, f"not claimed: ability {ability}")
        for question in questions.parses(case, abilities, self.options.seed):
            if question.aspect == "prompt" and "close" in self._lacks:
                continue
            if judge.property_of(question.aspect) in wanted:
                yield question

    def _time(self, found: Judge, asker: Asker) -> None:
        """Measure the sizes of a growth case."""
        rng = random.Random(f"{self.options.seed}/{found.case.id}")  # noqa: S311 - words, not keys
        asked = questions.growing(found.case, MOST, rng)
        question = questions.whole(found.case, "growth")

        def ask(_: int) -> Reply | None:
            nonlocal question
            question = next(asked)  # of the small input and of the large one, in turns
            answer = asker.target.ask_measured(question.request)
            asker.answers += 1
            found.take(question, answer)
            return None if found.is_over or not isinstance(answer, Reply) else answer

        growth = found.case.data["growth"]
        if (judged := measured(growth["large"] / growth["small"], ask)) is not None:
            is_fine, note = judged
            found.judge_growth(question, is_fine=is_fine, note=note)


def _try_alone(found: Judge, first: judge.CaseFinding | None, asker: Asker) -> None:
    """Note of what was found if a process that is asked nothing else answers as it should."""
    if first is None or first.verdict != "differs" or first.question.before:
        return
    question, cause = first.question, of_message(first.verdict, first.message)
    if asker.passes_alone(
        question.request, cause, lambda answer: found.examined(question, answer) is None
    ):
        first.message = f"{judge.KEPT}: {first.message}"


#: Why a session ended that its user ended.
INTERRUPTED: Final = "interrupted"


@dataclass
class Watch:
    """What is called while a session lasts."""

    #: With what was found about each case that is done, from several threads.
    seen: Callable[[Record | None], None] = lambda _: None
    #: With the record of the run, as soon as the target has greeted.
    greeted: Callable[[Record], None] = lambda _: None
    #: With each reason why the adapter is not to be trusted.
    doubted: Callable[[str], None] = lambda _: None


def hold(
    command: list[str],
    kind: Kind[_T, _J, Any],
    *,
    watch: Watch,
    limits: Patience,
    jobs: int = 1,
    folder: Path | None = None,
    journal: Path | None = None,
) -> Report:
    """Run `command` in up to `jobs` processes, ask what its kind is, and return the report.

    What is wrong with the target as such is at the end of the report.  An interrupt ends the
    session.  What is found goes to `journal` as it comes.

    Raises:
        TargetError: the target cannot be started, or does not greet back.
        NothingLeftError: nothing is left to be asked.
    """
    started = time.perf_counter()
    limits = replace(limits, until=time.monotonic() + limits.run)
    doubts: list[str] = []
    stopped: str | None = None
    over = threading.Event()
    runs: list[Run[_T, _J]] = []
    with ExitStack() as stack:
        first = stack.enter_context(Target(command, limits, kind.options.seed, folder, kind.greets))
        targets, asker = [first], Asker(first, first)
        header = kind.header(asker, command)
        watch.greeted(header)
        written = reports.Journal(journal, header, stack) if journal else None

        def seen(found: Record | None) -> None:
            watch.seen(found)
            if written is not None and found is not None:
                written.add(found)

        try:
            for problem in kind.doubts(asker):
                doubts.append(problem)
                watch.doubted(problem)
            others, runs = _plan(asker, kind, jobs, over)
            targets += map(stack.enter_context, others)
            stopped = _together(runs[:-1], targets, seen) or runs[-1].carry_out(seen)
            stopped = stopped or (reports.FIRST if over.is_set() else None)
            if kind.greets and runs[1:]:
                stopped = _ended(targets, stopped)
        except TargetError as problem:
            stopped = str(problem)
        except KeyboardInterrupt:
            stopped = INTERRUPTED
    return kind.report(
        header,
        [record for run in runs for record in run.records],
        seconds=time.perf_counter() - started,
        answers=sum(run.asker.answers for run in runs),
        probes=doubts,
        unexplained=_unexplained(targets, runs),
        stopped=stopped,
    )


def _unexplained(targets: list[Target], runs: list[Run[_T, _J]]) -> list[str]:
    """Return what failed in no case, of probes and of requests that were answered alone."""
    verdicts = {record["verdict"] for run in runs for record in run.records}
    deaths = [words for kind, words in targets[0].deaths.items() if kind not in verdicts]
    return [*deaths, *in_words(one for target in targets for one in target.unexplained)]


def _plan(
    asker: Asker, kind: Kind[_T, _J, Any], jobs: int, over: threading.Event
) -> tuple[list[Target], list[Run[_T, _J]]]:
    """Return the targets beside the first, and the runs; the last one is carried out alone."""
    alone, parts = kind.parts(jobs)
    first = asker.target
    number = max(len(parts), 1)
    # A process of its own restores the snapshots of each.
    dialects = first.hello.get("dialects", {}) if parts else {}
    is_restored = any("restore" in claims for claims in dialects.values())
    seed = kind.options.seed
    seeds = range(seed + 1, seed + number * (2 if is_restored else 1))
    targets = [first, *(replace(first, seed=seed) for seed in seeds)]
    pairs = [*zip(targets, targets[-number:], strict=False)][: len(parts)]
    runs = [Run(kind, Asker(*each), part, over) for each, part in zip(pairs, parts, strict=True)]
    return targets[1:], [*runs, Run(kind, asker, alone, over)]


def _together(
    runs: list[Run[_T, _J]], targets: list[Target], seen: Callable[[Record | None], None]
) -> str | None:
    """Carry out the runs side by side; return why one of them was interrupted, or None."""
    with ThreadPoolExecutor(max(len(runs), 1)) as pool:
        futures = [pool.submit(run.carry_out, seen) for run in runs]
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
    return next((brief(ending) for ending in endings if ending is not None), None)
