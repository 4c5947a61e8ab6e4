# SPDX-License-Identifier: MIT
"""The commands `cogwire conformance run` and `… matrix`: one adapter, or several side by side."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.markup import escape

from cogwire_kit.cli.conformance import terminal, text_terminal
from cogwire_kit.cli.conformance.options import (
    SelectedPart,
    Testing,
    as_claimed_option,
    baseline_option,
    command_argument,
    corpus_option,
    dividing,
    gathered,
    jobs_option,
    lasting,
    loaded,
    not_run,
    random_seed_option,
    seconds_option,
    selecting,
    writing,
)
from cogwire_kit.cli.files import keep_files, say
from cogwire_kit.cli.options import exit_codes, file_option
from cogwire_kit.conformance import (
    baseline,
    corpus,
    forms,
    judge,
    listing,
    reports,
    session,
)
from cogwire_kit.conformance.session import Cases
from cogwire_kit.conformance.target import Patience, TargetError
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.saving import opened_text, save

_EXIT_CODES: Final = exit_codes(
    {
        0: "every mandatory case that was asked passes, or is a known failure; and everything is "
        "claimed, or --as-claimed was given",
        1: "something mandatory fails, or is not claimed",
        2: "wrong usage, or nothing is left to be run",
        3: "the target cannot be run, is not to be trusted, or failed too often",
    }
)

_EXAMPLES: Final = """\b
Examples:
  cogwire conformance run -- cogwire adapter
  cogwire conformance run --as-claimed -- node adapter.mjs
  cogwire conformance run --case 'xml-json-*' --report run.jsonl --html run.html -- ./adapter"""


@dataclass(frozen=True)
class Outputs:
    """The files in which a run writes its report."""

    report_file: str | None = None
    junit_file: Path | None = None
    html_file: Path | None = None
    badge_file: Path | None = None
    #: How many groups are shown with an example.
    first: int = 5

    @property
    def _others(self) -> dict[str, Path | None]:
        return {"junit": self.junit_file, "html": self.html_file, "badge": self.badge_file}

    def keep(self, *inputs: Path | str | None) -> None:
        """Refuse to write over what is read, or over another output."""
        keep_files([*inputs], report=self.report_file, **self._others)

    @property
    def journal(self) -> Path | None:
        """Return the file to which the report is written while it grows."""
        return None if self.report_file in (None, "-") else Path(self.report_file or "")

    def write(self, report: reports.Report) -> None:
        """Write a report in each form that was asked for."""
        if self.report_file == "-":
            reports.write(report, sys.stdout)
        elif self.report_file is not None:
            with opened_text(Path(self.report_file), "ascii") as output:
                reports.write(report, output)
        for kind, path in self._others.items():
            if path is not None:
                # What a command line holds need not be whole characters.
                save(path, forms.FORMS[kind](report).encode(errors="backslashreplace"))


@click.command(
    cls=Testing, epilog=_EXAMPLES + _EXIT_CODES, short_help="Test a parser, case by case."
)
@selecting
@dividing("cases", "mandatory case that fails")
@as_claimed_option
@click.option(
    "--property",
    "properties",
    type=click.Choice(judge.PROPERTIES),
    multiple=True,
    help="Check only this property, beside `events` and `fresh`, which are always checked; by "
    "default all.",
)
@corpus_option
@baseline_option
@writing
@click.option("--strict", is_flag=True, help="Fail for cases of the level `should`, too.")
@random_seed_option
@lasting
@seconds_option("--start-timeout", "start", "How long the reply to `hello` may take.")
@jobs_option
@command_argument
@gathered(part=SelectedPart, out=Outputs, limits=Patience)
def run(
    command: tuple[str, ...],
    place: Path,
    properties: tuple[str, ...],
    baseline_file: Path | None,
    *,
    part: SelectedPart,
    out: Outputs,
    limits: Patience,
    jobs: int,
    as_claimed: bool,
    strict: bool,
    **criteria: Any,
) -> int:
    """Run COMMAND, which speaks the adapter protocol, and check what it answers.

    Every input is given whole and cut in every way that matters, and inputs that are in no corpus
    are drawn from the seed.  The verdict is shown first, and then what differs, in groups of one
    cause, each with one example, the least cut that makes the difference, and the command that runs
    that case again.  What the target does not claim counts against it, unless --as-claimed leaves
    it out.
    """
    out.keep(part.failed, baseline_file)
    everything = loaded(place, with_fresh=True)
    cases = part.of(corpus.Selection(**criteria).of(everything), reports.OF_A_RUN)
    expected = baseline.read(baseline_file), baseline.claimed(baseline_file)
    options = judge.RunOptions(
        properties=frozenset(properties or judge.PROPERTIES) | {"fresh"},
        without=frozenset(criteria["without"]),
        seed=part.seed_of_run(),
        as_claimed=as_claimed,
        is_first_enough=part.fail_fast,
    )
    chosen = {**criteria, "properties": properties, **part.named}
    return carried_out(
        command,
        Cases(cases, options, everything=everything, selection=chosen, place=place),
        out,
        (*expected, {case.id for case in everything}),
        levels=("must", "should") if strict else (),
        limits=limits,
        jobs=jobs,
    )


#: The entries of a baseline, what it says was claimed, and the ids of everything.
Known = tuple[list[judge.Record], judge.Record, set[str]]


def carried_out(
    command: Sequence[str],
    kind: session.Kind[Any, Any, Any],
    out: Outputs,
    known: Known | None = None,
    *,
    levels: tuple[str, ...] = (),
    limits: Patience,
    **how: Any,
) -> int:
    """Run a command, write and show what was found, and return the exit code.

    Cases of `levels` must not fail; `how` are options of `session.hold`.
    """
    console = terminal.console(stderr=out.report_file == "-")
    header = partial(terminal.header, console) if kind.greets else (lambda _: None)
    how |= {"limits": limits, "journal": out.journal}
    report = _run_session(list(command), kind, greeted=header, **how)
    if known is not None and any(known[:2]):
        _compare(report, *known)
    out.write(report)
    show(console, report, out.first)
    return _exit_code(report, levels)


def show(console: Console, report: reports.Report, first: int) -> None:
    """Write what was found."""
    if isinstance(report, TextReport):
        text_terminal.summary(console, report, first=first)
    else:
        terminal.summary(console, report, first=first)


def _compare(
    report: reports.Report,
    known: list[judge.Record],
    claimed: judge.Record,
    everything: set[str],
) -> None:
    """Mark the failures that a baseline lists, and add the entries that no longer hold."""
    problems = baseline.apply(known, report.cases, everything)
    problems += baseline.retreats(claimed, report.run.get("target", {}))
    report.end |= reports.footer(report.cases, **{**_kept(report.end), "baseline": problems})


def _exit_code(report: reports.Report, levels: tuple[str, ...]) -> int:
    if report.end["stopped"] == session.INTERRUPTED:
        return 130
    found = report.verdict
    if found.kind == "none":
        return 3
    is_failing = any(judge.is_failing(case, levels) for case in report.cases)
    is_failing |= report.end["stopped"] == reports.FIRST
    return 1 if is_failing or not found.is_good else 0


def _kept(end: judge.Record) -> judge.Record:
    """Return what the end of a run says about the target, without what the cases decide."""
    derived = ("record", "conformant", "counts", "known")
    return {name: value for name, value in end.items() if name not in derived}


def _run_session(
    command: list[str],
    kind: session.Kind[Any, Any, Any],
    *,
    greeted: Callable[[judge.Record], None] = lambda _: None,
    **how: Any,
) -> reports.Report:
    """Return the report of a run, whose progress is shown; `how` are options of `session.hold`.

    `greeted` is called with the record of the run as soon as it is known.
    """
    watching = terminal.watching(terminal.console(stderr=True), len(kind.cases), greeted)
    with watching as watch, _ending():
        try:
            return session.hold(command, kind, watch=watch, **how)
        except TargetError as problem:
            raise not_run(command, problem) from None


@contextmanager
def _ending() -> Iterator[None]:
    """Handle SIGTERM like an interrupt, so that what was found is shown and written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# --- Several adapters -----------------------------------------------------------------------------

_MATRIX_EXAMPLES: Final = """\b
Examples:
  cogwire conformance matrix build/results
  cogwire conformance matrix build/results --only cogwire
  cogwire conformance matrix build/again --failed build/results"""

_MATRIX_CODES: Final = exit_codes(
    {
        0: "every adapter was run, and those that are expected to conform pass what they claim",
        1: "one that is expected to conform fails in what it claims",
        2: "wrong usage, or nothing is left to be run",
        3: "an adapter could not be run",
    }
)

_SHOWN_FAILURES: Final = 5

_earlier_option: Final = click.option(
    "--failed",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Of each adapter, run only what does not pass in its report in this folder, which an "
    "earlier run has written, with its seed; one that has no report there is run whole.",
)


@click.command(
    cls=Testing,
    name="matrix",
    epilog=_MATRIX_EXAMPLES + _MATRIX_CODES,
    short_help="Run several adapters, side by side.",
)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@file_option(
    "--adapters",
    "listed",
    "The adapters, in TOML; by default those that come with the kit.",
    default=listing.ADAPTERS,
)
@click.option("--conforming", is_flag=True, help="Run only the adapters that should conform.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Run only this adapter, and others that are named.",
)
@dividing(
    "cases",
    "adapter that cannot be run, or that should conform and does not, whose run ends with the "
    "first mandatory case that fails",
    _earlier_option,
)
@corpus_option
@random_seed_option
@file_option(
    "--kills", "kills", "Broken parsers and the cases that catch them, as JSON, for the page."
)
@jobs_option
@gathered(part=SelectedPart)
def matrix_(
    directory: Path,
    listed: Path,
    only: tuple[str, ...],
    *,
    part: SelectedPart,
    conforming: bool,
    place: Path,
    jobs: int,
    kills: Path | None,
) -> int:
    """Run several adapters, and write their results into DIRECTORY.

    DIRECTORY gets a page, index.html, with a column for each adapter, and for each its report and
    badge.  Each adapter is judged by what it claims, in the abilities and in the properties.
    """
    if part.failed is not None and part.failed.resolve() == directory.resolve():
        raise click.UsageError("--failed is the folder that is written; name another one")
    cases = loaded(place, with_fresh=True)
    several = _Several(directory, cases, place, part, jobs)
    for one in _adapters(listed, only):
        if conforming and not one.conforms:
            continue
        if one.is_here or one.name in only:
            several.add(one)
        else:
            several.say(one, f"left out, because {one.needs} is not installed")
        if several.is_over:
            break
    caught = json.loads(kills.read_text("utf-8")) if kills else []
    return several.finish(caught)


@dataclass
class _Several:
    """Runs adapters one after the other, and keeps their results."""

    directory: Path
    cases: list[corpus.Case]
    place: Path
    part: SelectedPart
    jobs: int
    console: Console = field(default_factory=lambda: terminal.console(stderr=True))
    found: list[reports.Report] = field(default_factory=list)
    #: Which adapters could not be run, which do not conform though they should, and which have
    #: nothing in the part that is run; in words.
    failed: list[str] = field(default_factory=list)
    disproved: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def _is_interrupted(self) -> bool:
        return any(one.end["stopped"] == session.INTERRUPTED for one in self.found)

    @property
    def is_over(self) -> bool:
        """Whether no other adapter is to be run."""
        has_failed = bool(self.failed or self.disproved)
        return self._is_interrupted or (self.part.fail_fast and has_failed)

    def say(self, one: listing.Adapter, text: str) -> None:
        shown = f"[bold]{one.name}[/]: {escape(text)}"
        self.console.print(shown, highlight=False, soft_wrap=True)

    def add(self, one: listing.Adapter) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / f"{one.name}.jsonl"
        try:
            report = self._report(one, path)
        except click.ClickException as problem:
            self.failed.append(f"{one.name}: {problem.message}")
            return
        except corpus.NothingLeftError as problem:
            if self.part.failed is None and self.part.shard is None:
                raise
            self.empty.append(str(problem))
            self.say(one, f"left out: {problem}")
            return
        self.found.append(report)
        Outputs(str(path), badge_file=path.with_suffix(".svg")).write(report)
        self.say(one, report.verdict.text)
        if one.conforms and not report.verdict.is_good:
            terminal.header(self.console, report.run)
            terminal.summary(self.console, report, first=_SHOWN_FAILURES)
            self.disproved.append(f"{one.name} should conform, but does not")

    def _report(self, one: listing.Adapter, path: Path) -> reports.Report:
        earlier = self.part.failed and self.part.failed / path.name
        part = replace(self.part, failed=earlier if earlier and earlier.exists() else None)
        options = judge.RunOptions(
            properties=one.properties | {"fresh"},
            seed=part.seed_of_run(),
            as_claimed=True,
            is_first_enough=part.fail_fast and one.conforms,
        )
        kind = Cases(
            part.of(self.cases, reports.OF_A_RUN),
            options,
            everything=self.cases,
            selection={**one.criteria, **part.named},
            place=self.place,
        )
        how: dict[str, Any] = {"jobs": self.jobs, "folder": one.folder, "journal": path}
        return _run_session(one.command, kind, limits=Patience(), **how)

    def finish(self, caught: list[Any]) -> int:
        """Write the page and the errors, and return the exit code."""
        if self.empty and not self.found and not self.failed:
            raise corpus.NothingLeftError("; ".join(dict.fromkeys(self.empty)))
        page = forms.as_page(self.found, caught)
        save(self.directory / "index.html", page.encode())
        for line in self.failed + self.disproved:
            say(line)
        if self._is_interrupted:
            return 130
        return 3 if self.failed else 1 if self.disproved else 0


def _adapters(listed: Path, only: tuple[str, ...]) -> list[listing.Adapter]:
    found = listing.adapters(listed)
    if unknown := set(only) - {one.name for one in found}:
        raise click.UsageError(f"{listed} has no adapter {', '.join(sorted(unknown))}")
    return [one for one in found if not only or one.name in only]
