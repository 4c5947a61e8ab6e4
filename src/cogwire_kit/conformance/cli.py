# SPDX-License-Identifier: MIT
"""The commands `cogwire conformance …`."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from cogwire.wire.dialects import dialect_names
from cogwire_kit._protocol import ABILITIES, OPS
from cogwire_kit.conformance import (
    badge,
    baseline,
    copying,
    corpus,
    differing,
    explaining,
    judge,
    junit,
    matrix,
    page,
    reports,
    runner,
    session,
    target,
    terminal,
)

_RUN_EXIT_CODES: Final = """

\b
Exit codes:
  0    conformant: every mandatory case that was selected passes, or is a known failure
  1    not conformant
  2    wrong usage, or nothing is selected
  3    the target cannot be run, is not to be trusted, or failed too often
  130  interrupted"""

_MATRIX_EXIT_CODES: Final = """

\b
Exit codes:
  0    every adapter was run, and those that are said to conform do
  1    one that is said to conform does not
  2    wrong usage
  3    an adapter could not be run"""

_RUN_EXAMPLES: Final = """\b
Examples:
  cogwire conformance run -- cogwire adapter
  cogwire conformance run --dialect xml-json --op parse -- node adapter.mjs
  cogwire conformance run --property events -- ./whole-text-parser
  cogwire conformance run --case 'xml-json-*' --report run.jsonl --html run.html -- ./adapter"""

_SHOWN_FAILURES: Final = 5

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUTPUT: Final = click.Path(dir_okay=False, path_type=Path)
_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)


class HarnessError(click.ClickException):
    """The target, or the corpus, is not what a run needs."""

    exit_code = 3

    def show(self, file: Any = None) -> None:
        """Write the message to stderr."""
        click.echo(f"cogwire: {self.message}", file=file, err=True)


def _selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose cases."""
    options = (
        click.option(
            "--dialect",
            "dialects",
            type=click.Choice(dialect_names()),
            help="A dialect that is claimed; by default all.",
            multiple=True,
        ),
        click.option(
            "--op",
            "ops",
            type=click.Choice(OPS),
            help="An op that is claimed; by default all.",
            multiple=True,
        ),
        click.option(
            "--case",
            "cases",
            metavar="ID",
            help="An id, or a pattern such as 'xml-json-*'.",
            multiple=True,
        ),
        click.option(
            "--clause",
            "clauses",
            metavar="ID",
            help="A clause that the case tests, or a pattern.",
            multiple=True,
        ),
        click.option(
            "--tag",
            "tags",
            metavar="FLAG",
            help="A class of bugs that the case finds, or a pattern.",
            multiple=True,
        ),
        click.option(
            "--without",
            type=click.Choice(ABILITIES),
            help="An ability that is not claimed: what needs it is not selected.",
            multiple=True,
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


_jobs: Final = click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=min(os.cpu_count() or 1, 4),
    show_default="a few",
    help="How many processes of the target share the cases.",
)

_corpus_option: Final = click.option(
    "--corpus",
    "place",
    metavar="DIR",
    type=_FOLDER,
    default=corpus.PLACE,
    help="A copy of the corpus; by default the one of this version.",
)


def _loaded(place: Path) -> list[corpus.Case]:
    try:
        return corpus.load(place)
    except corpus.CorpusError as problem:
        raise HarnessError(str(problem)) from None


def _selected(cases: list[corpus.Case], selection: corpus.Selection) -> list[corpus.Case]:
    try:
        return selection.of(cases)
    except corpus.CorpusError as problem:
        raise click.UsageError(str(problem)) from None


@click.group()
def conformance() -> None:
    """Hold a parser in any language against the specification, case by case."""


@conformance.command(epilog=_RUN_EXAMPLES + _RUN_EXIT_CODES)
@_selecting
@click.option(
    "--property",
    "properties",
    type=click.Choice(judge.PROPERTIES),
    multiple=True,
    help="Judge this property, and no other that is not named but `events`; by default all.",
)
@_corpus_option
@click.option(
    "--baseline",
    "known",
    metavar="FILE",
    type=_FILE,
    help="Failures that are known, in TOML.",
)
@click.option(
    "--report",
    "report_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the report as JSON Lines; - is stdout.",
)
@click.option("--junit", "junit_file", metavar="FILE", type=_OUTPUT, help="Write JUnit XML.")
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    type=_OUTPUT,
    help="Write a page that stands alone.",
)
@click.option("--badge", "badge_file", metavar="FILE", type=_OUTPUT, help="Write an SVG badge.")
@click.option(
    "--first",
    metavar="N",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many failing cases are shown.",
)
@click.option("--strict", is_flag=True, help="Fail for cases of the level `should`, too.")
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=None,
    help="What is drawn at random; by default another each time.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.001),
    default=10,
    show_default=True,
    help="For one reply; more for requests of megabytes.",
)
@click.option(
    "--start-timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.001),
    default=120,
    show_default=True,
    help="For the reply to `hello`.",
)
@_jobs
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    command: tuple[str, ...],
    place: Path,
    properties: tuple[str, ...],
    known: Path | None,
    report_file: str | None,
    *,
    first: int,
    seed: int | None,
    timeout: float,
    start_timeout: float,
    jobs: int,
    strict: bool,
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
    everything = _loaded(place)
    cases = _selected(everything, corpus.Selection(**criteria))
    entries = _known(known)
    seed = time.time_ns() % 1_000_000 if seed is None else seed
    options = runner.Options(
        frozenset(properties or judge.PROPERTIES), frozenset(criteria["without"]), seed
    )
    selection = {**criteria, "properties": properties}
    limits = target.Limits(start=start_timeout, reply=timeout)
    console = Console(stderr=report_file == "-", soft_wrap=False)
    report = carried_out(
        list(command),
        cases,
        options=options,
        limits=limits,
        selection=selection,
        place=place,
        console=Console(stderr=True),
        jobs=jobs,
    )
    if entries:
        problems = baseline.apply(entries, report.cases, {case.id for case in everything})
        report.end |= reports.footer(report.cases, **{**_kept(report.end), "baseline": problems})
    _written(report, report_file, {"junit": junit_file, "html": html_file, "badge": badge_file})
    terminal.summary(console, report, first=first)
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


def _written(
    report: reports.Report, report_file: str | None, others: dict[str, Path | None]
) -> None:
    if report_file == "-":
        reports.write(report, sys.stdout)
    elif report_file is not None:
        with Path(report_file).open("w", encoding="ascii") as output:
            reports.write(report, output)
    for kind, path in others.items():
        if path is not None:
            path.write_text(_made(kind, [report]), encoding="utf-8")


def _made(kind: str, several: list[reports.Report]) -> str:
    """Return a report, or for a page several, in another form."""
    if kind == "junit":
        return junit.written(several[0])
    if kind == "html":
        return page.written(several)
    return badge.written(several[0])


@conformance.command(name="report")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option(
    "--to",
    "kind",
    type=click.Choice(["text", "junit", "html", "badge", "baseline"]),
    default="text",
    show_default=True,
    help="The form that is written; text is what a run shows.",
)
@click.option(
    "--first",
    metavar="N",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many failing cases are shown.",
)
def report_(files: tuple[Path, ...], kind: str, first: int) -> None:
    """Write the report in FILE in another form; a page can hold several.

    `baseline` gives the failures as known ones; each needs a reason before a run takes it.  It is
    made of a run of all that is claimed, to its end: not with --case, --clause or --tag.
    """
    if kind != "html" and len(files) > 1:
        raise click.UsageError(f"{kind} is made of one report")
    several = [_read(path) for path in files]
    if kind == "text":
        terminal.summary(Console(), several[0], first=first)
    elif kind == "baseline":
        click.echo(_as_baseline(several[0]), nl=False)
    else:
        click.echo(_made(kind, several), nl=False)


def _as_baseline(report: reports.Report) -> str:
    try:
        return baseline.written(report)
    except baseline.BaselineError as problem:
        raise click.UsageError(str(problem)) from None


def _read(path: Path) -> reports.Report:
    try:
        return reports.read(path)
    except reports.ReportError as problem:
        raise click.UsageError(str(problem)) from None


@conformance.command(name="matrix", epilog=_MATRIX_EXIT_CODES)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--adapters",
    "listed",
    metavar="FILE",
    type=_FILE,
    default=matrix.ADAPTERS,
    help="The adapters, in TOML; by default those that come with the kit.",
)
@click.option("--conforming", is_flag=True, help="Run only the adapters that are said to conform.")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="Run this adapter, and no other that is not named.",
)
@_corpus_option
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="What is drawn at random."
)
@click.option(
    "--kills",
    metavar="FILE",
    type=_FILE,
    help="Broken parsers and the cases that catch them, as JSON, for the page.",
)
@_jobs
def matrix_(
    directory: Path,
    listed: Path,
    only: tuple[str, ...],
    *,
    conforming: bool,
    place: Path,
    seed: int,
    jobs: int,
    kills: Path | None,
) -> int:
    """Run several adapters, and write their results into DIRECTORY.

    It gets a page, index.html, with a column for each adapter, and for each its report and badge.
    Each adapter is judged by what it claims in the list of adapters.
    """
    cases = _loaded(place)
    console = Console(stderr=True)
    several = []
    failed = []
    disproved = []
    for one in _adapters(listed, only):
        if conforming and not one.conforms:
            continue
        try:
            several.append(_run_adapter(one, cases, place, seed=seed, jobs=jobs, console=console))
        except HarnessError as problem:
            failed.append(f"{one.name}: {problem.message}")
            continue
        console.print(f"[bold]{one.name}[/]: {terminal.verdict(several[-1])}", highlight=False)
        _publish(several[-1], one.name, directory)
        if one.conforms and not several[-1].is_conformant:
            terminal.summary(console, several[-1], first=_SHOWN_FAILURES)
            disproved.append(one.name)
    found = json.loads(kills.read_text("utf-8")) if kills else []
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "index.html").write_text(page.written(several, found), "utf-8")
    for line in failed:
        click.echo(f"cogwire: {line}", err=True)
    for name in disproved:
        click.echo(f"cogwire: {name} is said to conform, and does not", err=True)
    return 3 if failed else 1 if disproved else 0


def _adapters(listed: Path, only: tuple[str, ...]) -> list[matrix.Adapter]:
    try:
        found = matrix.adapters(listed)
    except matrix.MatrixError as problem:
        raise click.UsageError(str(problem)) from None
    if unknown := set(only) - {one.name for one in found}:
        raise click.UsageError(f"{listed} has no adapter {', '.join(sorted(unknown))}")
    return [one for one in found if not only or one.name in only]


def _run_adapter(
    one: matrix.Adapter,
    cases: list[corpus.Case],
    place: Path,
    *,
    seed: int,
    jobs: int,
    console: Console,
) -> reports.Report:
    return carried_out(
        one.command,
        _selected(cases, one.selection),
        options=runner.Options(one.properties, frozenset(one.selection.without), seed),
        limits=target.Limits(),
        selection=one.criteria,
        place=place,
        console=console,
        jobs=jobs,
        folder=one.folder,
    )


def _publish(report: reports.Report, name: str, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    _written(report, str(directory / f"{name}.jsonl"), {"badge": directory / f"{name}.svg"})


@conformance.command()
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
def diff(before: Path, after: Path) -> int:
    """Say what changed between two reports; exit with 1 if a case fails that did not."""
    changes = differing.changes(_read(before), _read(after))
    for change in changes:
        click.echo(change.line())
    click.echo(differing.total(changes))
    return 1 if any(change.is_worse for change in changes) else 0


@conformance.command(name="list")
@_selecting
@_corpus_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "ids", "jsonl"]),
    default="text",
    show_default=True,
    help="Titles for people, ids alone, or whole cases as JSON Lines.",
)
def list_(place: Path, form: str, **criteria: Any) -> None:
    """Write the cases."""
    for case in _selected(_loaded(place), corpus.Selection(**criteria)):
        if form == "jsonl":
            click.echo(json.dumps(case.data, ensure_ascii=True))
        elif form == "ids":
            click.echo(case.id)
        else:
            click.echo(f"{case.id}  {case.data['level']}  {case.data['title']}")


@conformance.command()
@click.argument("name", metavar="CASE")
@_corpus_option
def explain(name: str, place: Path) -> None:
    """Say what CASE asks, what is expected, which clauses say so, and why it matters.

    CASE may be the id of a clause, too: its text is shown, and the cases that test it.
    """
    try:
        explaining.explain(Console(), name, _loaded(place), place)
    except LookupError as problem:
        raise click.UsageError(str(problem.args[0])) from None


@conformance.group(name="corpus")
def corpus_() -> None:
    """Work with the cases as files."""


@corpus_.command(name="copy")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def copy(directory: Path) -> None:
    """Copy the corpus to DIRECTORY, with its version and checksums, to be vendored."""
    try:
        told = copying.copy(directory)
    except copying.CopyError as problem:
        raise click.UsageError(str(problem)) from None
    click.echo(
        f"{directory}: corpus {told['version']}, {told['cases']} cases, sha256 {told['sha256']}"
    )
