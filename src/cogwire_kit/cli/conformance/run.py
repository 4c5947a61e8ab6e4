# SPDX-License-Identifier: MIT
"""The commands `cogwire conformance run` and `… matrix`: one adapter, or several side by side."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console
from rich.markup import escape

from cogwire_kit.cli.conformance import terminal, text_terminal
from cogwire_kit.cli.conformance.options import (
    Testing,
    as_claimed_option,
    baseline_option,
    command_argument,
    corpus_option,
    drawn,
    jobs_option,
    lasting,
    loaded,
    not_run,
    part,
    seed_option,
    selecting,
    writing,
)
from cogwire_kit.cli.files import keep_files
from cogwire_kit.cli.options import adding, exit_codes, file_option
from cogwire_kit.conformance import (
    baseline,
    corpus,
    forms,
    judge,
    reports,
    session,
    target,
    text_reports,
)
from cogwire_kit.conformance.formats import FormatCase
from cogwire_kit.conformance.session import Cases
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.saving import opened_text, save

_T = TypeVar("_T", corpus.Case, FormatCase)

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

#: The options that say what is judged, and how.
_judging: Final = adding(
    as_claimed_option,
    click.option(
        "--property",
        "properties",
        type=click.Choice(judge.PROPERTIES),
        multiple=True,
        help="Check this property, and only those that are named, `events` and `fresh`; "
        "by default all.",
    ),
    corpus_option,
    baseline_option,
)

#: The options of the run itself.
_running: Final = adding(
    click.option("--strict", is_flag=True, help="Fail for cases of the level `should`, too."),
    seed_option,
    lasting,
    click.option(
        "--start-timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0.001),
        default=120,
        show_default=True,
        help="How long the reply to `hello` may take.",
    ),
    jobs_option,
)


@click.command(
    cls=Testing, epilog=_EXAMPLES + _EXIT_CODES, short_help="Test a parser, case by case."
)
@selecting
@part
@_judging
@writing
@_running
@command_argument
def run(
    command: tuple[str, ...],
    place: Path,
    properties: tuple[str, ...],
    known: Path | None,
    *,
    seed: int | None,
    timeout: float,
    start_timeout: float,
    time_limit: float,
    jobs: int,
    as_claimed: bool,
    fail_fast: bool,
    failed: Path | None,
    shard: tuple[int, int] | None,
    strict: bool,
    report_file: str | None,
    junit_file: Path | None,
    html_file: Path | None,
    badge_file: Path | None,
    first: int,
    **criteria: Any,
) -> int:
    """Run COMMAND, which speaks the adapter protocol, and check what it answers.

    Every input is given whole and cut in every way that matters, and inputs that are in no corpus
    are drawn from the seed.  The verdict is shown first, and then what differs, in groups of one
    cause, each with one example, the least cut that makes the difference, and the command that runs
    that case again.  What the target does not claim counts against it, unless --as-claimed leaves
    it out.
    """
    out = Outputs(report_file, junit_file, html_file, badge_file, first)
    out.keep(failed, known)
    everything = loaded(place, with_fresh=True)
    cases = in_part(corpus.Selection(**criteria).of(everything), failed, shard, "of a run")
    expected = ([], {}) if known is None else (baseline.read(known), baseline.claimed(known))
    options = judge.Options(
        frozenset(properties or judge.PROPERTIES) | {"fresh"},
        frozenset(criteria["without"]),
        drawn(seed),
        as_claimed,
        fail_fast,
    )
    chosen = {**criteria, "properties": properties, **part_named(failed, shard)}
    return carried_out(
        command,
        Cases(cases, options, everything=everything, selection=chosen, place=place),
        out,
        (*expected, {case.id for case in everything}),
        levels=("must", "should") if strict else (),
        limits=target.Limits(start=start_timeout, reply=timeout, run=time_limit),
        jobs=jobs,
    )


def part_named(failed: Path | None, shard: tuple[int, int] | None) -> dict[str, list[str]]:
    """Return the part of the cases that is selected, as a report has it."""
    return {
        "failed": [str(failed)] if failed else [],
        "shard": ["{}/{}".format(*shard)] if shard else [],
    }


def in_part(
    cases: list[_T], failed: Path | None, shard: tuple[int, int] | None, subject: str
) -> list[_T]:
    """Return those of the cases that failed in a report, and of them one part of several."""
    if failed is not None:
        names = text_reports.failing(failed, subject)
        cases = [case for case in cases if case.id in names]
    if shard is not None:
        cases = cases[shard[0] - 1 :: shard[1]]
    if not cases:
        raise corpus.UnusableError("nothing is selected: no case is in this part")
    return cases


@dataclass(frozen=True)
class Outputs:
    """What is written of a run."""

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
        """Where what is found is written as it comes."""
        return None if self.report_file in (None, "-") else Path(self.report_file or "")

    def write(self, report: reports.Report) -> None:
        """Write a report, and what else is asked for of it."""
        if self.report_file == "-":
            reports.write(report, sys.stdout)
        elif self.report_file is not None:
            with opened_text(Path(self.report_file), "ascii") as output:
                reports.write(report, output)
        for kind, path in self._others.items():
            if path is not None:
                # What a command line holds need not be whole characters.
                save(path, forms.FORMS[kind](report).encode(errors="backslashreplace"))


#: The entries of a baseline, what it says was claimed, and the ids of everything.
Known = tuple[list[judge.Record], judge.Record, set[str]]


def carried_out(
    command: Sequence[str],
    kind: session.Kind[Any, Any],
    out: Outputs,
    known: Known | None = None,
    *,
    levels: tuple[str, ...] = (),
    limits: target.Limits,
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
    """Mark what a baseline knows, and end the report with what is no longer as it says."""
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
    """Return what the end of a run says of the target as such."""
    derived = ("record", "conformant", "counts", "known")
    return {name: value for name, value in end.items() if name not in derived}


def _run_session(
    command: list[str],
    kind: session.Kind[Any, Any],
    *,
    greeted: Callable[[judge.Record], None] = lambda _: None,
    **how: Any,
) -> reports.Report:
    """Return the report of a run, whose progress is shown; `how` are options of `session.hold`.

    `greeted` is called with the record of the run as soon as it is known.
    """
    watching = terminal.watching(terminal.console(stderr=True), kind.number, greeted)
    with watching as watch, _ending():
        try:
            return session.hold(command, kind, watch=watch, **how)
        except target.TargetError as problem:
            raise not_run(command, problem) from None


@contextmanager
def _ending() -> Iterator[None]:
    """Let a signal to end do what an interrupt does: what was found is shown and written."""
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
  cogwire conformance matrix build/results --only cogwire-python"""

_MATRIX_CODES: Final = exit_codes(
    {
        0: "every adapter was run, and those that are expected to conform pass what they claim",
        1: "one that is expected to conform fails in what it claims",
        2: "wrong usage",
        3: "an adapter could not be run",
    }
)

_SHOWN_FAILURES: Final = 5


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
    default=session.ADAPTERS,
)
@click.option("--conforming", is_flag=True, help="Run only the adapters that should conform.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Run only this adapter, and others that are named.",
)
@corpus_option
@seed_option
@file_option(
    "--kills", "kills", "Broken parsers and the cases that catch them, as JSON, for the page."
)
@jobs_option
def matrix_(
    directory: Path,
    listed: Path,
    only: tuple[str, ...],
    *,
    conforming: bool,
    place: Path,
    seed: int | None,
    jobs: int,
    kills: Path | None,
) -> int:
    """Run several adapters, and write their results into DIRECTORY.

    DIRECTORY gets a page, index.html, with a column for each adapter, and for each its report and
    badge.  Each adapter is judged by what it claims, in the abilities and in the properties.
    """
    cases = loaded(place, with_fresh=True)
    options = judge.Options(seed=drawn(seed), as_claimed=True)
    console = terminal.console(stderr=True)
    several = []
    failed = []
    disproved = []
    for one in _adapters(listed, only):
        if conforming and not one.conforms:
            continue
        if not one.is_here and one.name not in only:
            console.print(f"[bold]{one.name}[/]: left out, because {one.needs} is not installed")
            continue
        try:
            report = _run_adapter(one, cases, options, place=place, jobs=jobs)
        except click.ClickException as problem:
            failed.append(f"{one.name}: {problem.message}")
            continue
        if report.end["stopped"] == session.INTERRUPTED:
            return 130
        several.append(report)
        _publish(report, one.name, directory)
        console.print(
            f"[bold]{one.name}[/]: {escape(report.verdict.text)}",
            highlight=False,
            soft_wrap=True,
        )
        if one.conforms and not report.verdict.is_good:
            terminal.header(console, report.run)
            terminal.summary(console, report, first=_SHOWN_FAILURES)
            disproved.append(f"{one.name} should conform, but does not")
    caught = json.loads(kills.read_text("utf-8")) if kills else []
    directory.mkdir(parents=True, exist_ok=True)
    save(directory / "index.html", forms.as_page(several, caught).encode())
    for line in failed + disproved:
        click.echo(f"cogwire: {line}", err=True)
    return 3 if failed else 1 if disproved else 0


def _run_adapter(
    one: session.Adapter,
    cases: list[corpus.Case],
    options: judge.Options,
    *,
    place: Path,
    jobs: int,
) -> reports.Report:
    judged = replace(options, properties=one.properties | {"fresh"})
    kind = Cases(cases, judged, everything=cases, selection=one.criteria, place=place)
    return _run_session(one.command, kind, limits=target.Limits(), jobs=jobs, folder=one.folder)


def _publish(report: reports.Report, name: str, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    Outputs(str(directory / f"{name}.jsonl"), badge_file=directory / f"{name}.svg").write(report)


def _adapters(listed: Path, only: tuple[str, ...]) -> list[session.Adapter]:
    found = session.adapters(listed)
    if unknown := set(only) - {one.name for one in found}:
        raise click.UsageError(f"{listed} has no adapter {', '.join(sorted(unknown))}")
    return [one for one in found if not only or one.name in only]
