# SPDX-License-Identifier: MIT
"""The command `cogwire conformance run`, and how it is carried out."""

import sys
import time
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from cogwire_kit.conformance import (
    badge,
    baseline,
    corpus,
    judge,
    junit,
    page,
    reports,
    runner,
    session,
    target,
    terminal,
)
from cogwire_kit.conformance.options import (
    FILE,
    OUTPUT,
    HarnessError,
    adding,
    corpus_option,
    first_option,
    jobs_option,
    loaded,
    selected,
    selecting,
)

_EXIT_CODES: Final = """

\b
Exit codes:
  0    conformant: every mandatory case that was selected passes, or is a known failure
  1    not conformant
  2    wrong usage, or nothing is selected
  3    the target cannot be run, is not to be trusted, or failed too often
  130  interrupted"""

_EXAMPLES: Final = """\b
Examples:
  cogwire conformance run -- cogwire adapter
  cogwire conformance run --dialect xml-json --op parse -- node adapter.mjs
  cogwire conformance run --property events -- ./whole-text-parser
  cogwire conformance run --case 'xml-json-*' --report run.jsonl --html run.html -- ./adapter"""

#: The options that say what is judged, and how.
_judging: Final = adding(
    click.option(
        "--property",
        "properties",
        type=click.Choice(judge.PROPERTIES),
        multiple=True,
        help="Judge this property, and no other that is not named but `events`; by default all.",
    ),
    corpus_option,
    click.option(
        "--baseline",
        "known",
        metavar="FILE",
        type=FILE,
        help="Failures that are known, in TOML.",
    ),
)

#: The options that say what is written.
_writing: Final = adding(
    click.option(
        "--report",
        "report_file",
        metavar="FILE",
        type=click.Path(dir_okay=False, allow_dash=True),
        help="Write the report as JSON Lines; - is stdout.",
    ),
    click.option("--junit", "junit_file", metavar="FILE", type=OUTPUT, help="Write JUnit XML."),
    click.option(
        "--html",
        "html_file",
        metavar="FILE",
        type=OUTPUT,
        help="Write a page that stands alone.",
    ),
    click.option("--badge", "badge_file", metavar="FILE", type=OUTPUT, help="Write an SVG badge."),
    first_option,
)

#: The options of the run itself.
_running: Final = adding(
    click.option("--strict", is_flag=True, help="Fail for cases of the level `should`, too."),
    click.option(
        "--seed",
        metavar="N",
        type=int,
        default=None,
        help="What is drawn at random; by default another each time.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0.001),
        default=10,
        show_default=True,
        help="For one reply; more for requests of megabytes.",
    ),
    click.option(
        "--start-timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0.001),
        default=120,
        show_default=True,
        help="For the reply to `hello`.",
    ),
    jobs_option,
)


@click.command(epilog=_EXAMPLES + _EXIT_CODES)
@selecting
@_judging
@_writing
@_running
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
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
    jobs: int,
    strict: bool,
    report_file: str | None,
    junit_file: Path | None,
    html_file: Path | None,
    badge_file: Path | None,
    **criteria: Any,
) -> int:
    """Run COMMAND, which speaks the adapter protocol, and judge what it answers.

    Every input is given whole and cut in every way that matters.  What differs is shown with the
    least cut that makes the difference, and with the command that runs that case again.  A case
    whose op, dialect or ability the target does not claim is unsupported, and a mandatory one
    that is unsupported does not pass: say with --dialect, --op and --without what is claimed.
    """
    everything = loaded(place)
    cases = selected(everything, corpus.Selection(**criteria))
    entries = _known(known)
    report = carried_out(
        list(command),
        cases,
        options=runner.Options(
            frozenset(properties or judge.PROPERTIES),
            frozenset(criteria["without"]),
            time.time_ns() % 1_000_000 if seed is None else seed,
        ),
        limits=target.Limits(start=start_timeout, reply=timeout),
        selection={**criteria, "properties": properties},
        place=place,
        console=Console(stderr=True),
        jobs=jobs,
    )
    if entries:
        problems = baseline.apply(entries, report.cases, {case.id for case in everything})
        report.end |= reports.footer(report.cases, **{**_kept(report.end), "baseline": problems})
    written(report, report_file, {"junit": junit_file, "html": html_file, "badge": badge_file})
    terminal.summary(Console(stderr=report_file == "-", soft_wrap=False), report, first=first)
    return _exit_code(report, strict=strict)


def _exit_code(report: reports.Report, *, strict: bool) -> int:
    if report.end.get("probes") or report.end.get("stopped"):
        return 3
    levels = ("must", "should") if strict else ("must",)
    failing = any(reports.is_failing(case, levels) for case in report.cases)
    return 1 if failing or not report.is_conformant else 0


def _kept(end: reports.Record) -> reports.Record:
    """Return what the end of a run says of the target as such."""
    derived = ("record", "conformant", "counts", "known")
    return {name: value for name, value in end.items() if name not in derived}


def _known(path: Path | None) -> list[reports.Record]:
    try:
        return [] if path is None else baseline.read(path)
    except baseline.BaselineError as problem:
        raise click.UsageError(str(problem)) from None


def carried_out(
    command: list[str],
    cases: list[corpus.Case],
    *,
    options: runner.Options,
    limits: target.Limits,
    selection: reports.Record,
    place: Path,
    console: Console,
    jobs: int,
    folder: Path | None = None,
) -> reports.Report:
    """Return the report of a run; what is wrong with the target as such stands at its end."""
    started = time.perf_counter()
    try:
        with terminal.progress(console, len(cases)) as seen:
            outcome = session.hold(
                command, cases, options, seen=seen, limits=limits, jobs=jobs, folder=folder
            )
    except target.TargetError as problem:
        raise HarnessError(f"{command[0]}: {problem}") from None
    header = reports.header(outcome.hello, command, selection, options.seed, place)
    order = {case.id: number for number, case in enumerate(cases)}
    records = sorted(map(reports.of_case, outcome.judges), key=lambda record: order[record["id"]])
    end = reports.footer(
        records,
        seconds=time.perf_counter() - started,
        answers=outcome.answers,
        probes=outcome.probes,
        unexplained=outcome.unexplained,
        stopped=outcome.stopped,
    )
    return reports.Report(header, records, end)


def written(
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
            path.write_text(made(kind, [report]), encoding="utf-8")


def made(kind: str, several: list[reports.Report]) -> str:
    """Return a report, or for a page several, in another form."""
    if kind == "junit":
        return junit.written(several[0])
    if kind == "html":
        return page.written(several)
    return badge.written(several[0])
