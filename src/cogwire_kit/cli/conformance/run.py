# SPDX-License-Identifier: MIT
"""The commands `cogwire conformance run` and `… matrix`: one adapter, or several side by side."""

import json
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.cli.conformance.options import (
    Testing,
    badge_option,
    baseline_option,
    command_argument,
    corpus_option,
    drawn,
    failed_option,
    first_option,
    html_option,
    jobs_option,
    junit_option,
    loaded,
    not_run,
    seed_option,
    selecting,
    timeout_option,
)
from cogwire_kit.cli.files import keep_files
from cogwire_kit.cli.options import OUTPUT_OR_DASH, adding, exit_codes, file_option
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
    click.option(
        "--as-claimed",
        is_flag=True,
        help="Leave out what the target does not claim, and what it says it lacks.",
    ),
    click.option(
        "--property",
        "properties",
        type=click.Choice(judge.PROPERTIES),
        multiple=True,
        help="Check this property, and only those that are named and `events`; by default all.",
    ),
    corpus_option,
    baseline_option,
)

#: The options that say what is written.
_writing: Final = adding(
    file_option(
        "--report",
        "report_file",
        "Write the report as JSON Lines; - is stdout.",
        OUTPUT_OR_DASH,
    ),
    junit_option,
    html_option,
    badge_option,
    first_option,
)


def _shard(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Return which part of how many a value such as 2/5 names."""
    if value is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]*)/([1-9][0-9]*)", value)
    if found is None or int(found[1]) > int(found[2]):
        raise click.BadParameter("a part is named as 2/5, the second of five")
    return int(found[1]), int(found[2])


#: The options that run a part of what is selected.
_part: Final = adding(
    failed_option,
    click.option(
        "--shard",
        metavar="N/M",
        callback=_shard,
        help="Run one of M parts of the cases, such as 2/5, so that M machines share them.",
    ),
    click.option("--fail-fast", is_flag=True, help="End with the first mandatory case that fails."),
)

#: The options of the run itself.
_running: Final = adding(
    click.option("--strict", is_flag=True, help="Fail for cases of the level `should`, too."),
    seed_option,
    timeout_option,
    click.option(
        "--start-timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0.001),
        default=120,
        show_default=True,
        help="How long the reply to `hello` may take.",
    ),
    click.option(
        "--time-limit",
        metavar="SECONDS",
        type=click.FloatRange(min=0.001),
        default=3600,
        show_default=True,
        help="How long the whole run may take.",
    ),
    jobs_option,
)


@click.command(
    cls=Testing, epilog=_EXAMPLES + _EXIT_CODES, short_help="Test a parser, case by case."
)
@selecting
@_part
@_judging
@_writing
@_running
@command_argument
def run(
    command: tuple[str, ...],
    place: Path,
    properties: tuple[str, ...],
    known: Path | None,
    *,
    first: int,
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
    **criteria: Any,
) -> int:
    """Run COMMAND, which speaks the adapter protocol, and check what it answers.

    Every input is given whole and cut in every way that matters, and inputs that are in no corpus
    are drawn from the seed.  The verdict is shown first, and then what differs, in groups of one
    cause, each with one example, the least cut that makes the difference, and the command that runs
    that case again.  What the target does not claim counts against it, unless --as-claimed leaves
    it out.
    """
    others = {"junit": junit_file, "html": html_file, "badge": badge_file}
    keep_files([failed, known], report=report_file, **others)
    everything = loaded(place, with_fresh=True)
    cases = _in_part(corpus.Selection(**criteria).of(everything), failed, shard)
    expected = None if known is None else (baseline.read(known), baseline.claimed(known))
    console = terminal.console(stderr=report_file == "-")
    report = _run_session(
        list(command),
        cases,
        judge.Options(
            frozenset(properties or judge.PROPERTIES) | {"fresh"},
            frozenset(criteria["without"]),
            drawn(seed),
            as_claimed,
            fail_fast,
        ),
        greeted=partial(terminal.header, console),
        journal=None if report_file in (None, "-") else Path(report_file or ""),
        limits=target.Limits(start=start_timeout, reply=timeout, run=time_limit),
        selection={**criteria, "properties": properties, **_named(failed, shard)},
        everything=everything,
        place=place,
        jobs=jobs,
    )
    if expected is not None and any(expected):
        _compare(report, *expected, {case.id for case in everything})
    write_outputs(report, report_file, others)
    terminal.summary(console, report, first=first)
    return _exit_code(report, strict=strict)


def _named(failed: Path | None, shard: tuple[int, int] | None) -> dict[str, list[str]]:
    """Return the part of the cases that is selected, as a report has it."""
    return {
        "failed": [str(failed)] if failed else [],
        "shard": ["{}/{}".format(*shard)] if shard else [],
    }


def _in_part(
    cases: list[corpus.Case], failed: Path | None, shard: tuple[int, int] | None
) -> list[corpus.Case]:
    """Return those of the cases that failed in a report, and of them one part of several."""
    if failed is not None:
        names = text_reports.failing(failed)
        cases = [case for case in cases if case.id in names]
    if shard is not None:
        cases = cases[shard[0] - 1 :: shard[1]]
    if not cases:
        raise corpus.UnusableError("nothing is selected: no case is in this part")
    return cases


def _compare(
    report: reports.Report,
    known: list[judge.Record],
    claimed: judge.Record,
    everything: set[str],
) -> None:
    """Mark what a baseline knows, and end the report with what is no longer as it says."""
    problems = baseline.apply(known, report.cases, everything)
    problems += baseline.retreats(claimed, report.run["target"])
    report.end |= reports.footer(report.cases, **{**_kept(report.end), "baseline": problems})


def _exit_code(report: reports.Report, *, strict: bool) -> int:
    if report.end["stopped"] == session.INTERRUPTED:
        return 130
    if report.end["stopped"] == session.FIRST:
        return 1
    found = report.verdict
    if found.kind == "none":
        return 3
    levels = ("must", "should") if strict else ()
    is_failing = any(judge.is_failing(case, levels) for case in report.cases)
    return 1 if is_failing or not found.is_good else 0


def _kept(end: judge.Record) -> judge.Record:
    """Return what the end of a run says of the target as such."""
    derived = ("record", "conformant", "counts", "known")
    return {name: value for name, value in end.items() if name not in derived}


def _run_session(
    command: list[str],
    cases: list[corpus.Case],
    options: judge.Options,
    *,
    greeted: Callable[[judge.Record], None] = lambda _: None,
    **how: Any,
) -> reports.Report:
    """Return the report of a run, whose progress is shown; `how` are options of `session.hold`.

    `greeted` is called with the record of the run as soon as it is known.
    """
    watching = terminal.watching(terminal.console(stderr=True), len(cases), greeted)
    with watching as watch, _ending():
        try:
            return session.hold(command, cases, options, watch=watch, **how)
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


def write_outputs(
    report: reports.Report, report_file: str | None, others: dict[str, Path | None]
) -> None:
    """Write a report, and what else is asked for of it."""
    if report_file == "-":
        reports.write(report, sys.stdout)
    elif report_file is not None:
        with Path(report_file).open("w", encoding="ascii") as output:
            reports.write(report, output)
    for kind, path in others.items():
        if path is not None:
            # What a command line holds need not be whole characters.
            path.write_text(forms.FORMS[kind](report), "utf-8", errors="backslashreplace")


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

    It gets a page, index.html, with a column for each adapter, and for each its report and badge.
    Each adapter is judged by what it claims, in the abilities and in the properties.
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
            terminal.whole(console, report, _SHOWN_FAILURES)
            disproved.append(f"{one.name} should conform, but does not")
    caught = json.loads(kills.read_text("utf-8")) if kills else []
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "index.html").write_text(forms.as_page(several, caught), "utf-8")
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
    return _run_session(
        one.command,
        cases,
        replace(options, properties=one.properties | {"fresh"}),
        limits=target.Limits(),
        selection=one.criteria,
        everything=cases,
        place=place,
        jobs=jobs,
        folder=one.folder,
    )


def _publish(report: reports.Report, name: str, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    write_outputs(report, str(directory / f"{name}.jsonl"), {"badge": directory / f"{name}.svg"})


def _adapters(listed: Path, only: tuple[str, ...]) -> list[session.Adapter]:
    found = session.adapters(listed)
    if unknown := set(only) - {one.name for one in found}:
        raise click.UsageError(f"{listed} has no adapter {', '.join(sorted(unknown))}")
    return [one for one in found if not only or one.name in only]
