# SPDX-License-Identifier: MIT
"""The command `cogwire conformance matrix`: several adapters, side by side."""

import json
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.markup import escape

from cogwire_kit.cli.conformance.options import (
    FILE,
    corpus_option,
    drawn,
    jobs_option,
    loaded,
    seed_option,
)
from cogwire_kit.cli.conformance.run import carried_out, written
from cogwire_kit.cli.options import exit_codes
from cogwire_kit.conformance import corpus, forms, reports, session, target, terminal

_EXAMPLES: Final = """\b
Examples:
  cogwire conformance matrix build/results
  cogwire conformance matrix build/results --only cogwire-python"""

_EXIT_CODES: Final = exit_codes(
    {
        0: "every adapter was run, and those that are expected to conform pass what they claim",
        1: "one that is expected to conform fails in what it claims",
        2: "wrong usage",
        3: "an adapter could not be run",
    }
)

_SHOWN_FAILURES: Final = 5


@click.command(
    name="matrix", epilog=_EXAMPLES + _EXIT_CODES, short_help="Run several adapters, side by side."
)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--adapters",
    "listed",
    metavar="FILE",
    type=FILE,
    default=session.ADAPTERS,
    help="The adapters, in TOML; by default those that come with the kit.",
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
@click.option(
    "--kills",
    metavar="FILE",
    type=FILE,
    help="Broken parsers and the cases that catch them, as JSON, for the page.",
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
    seed = drawn(seed)
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
            several.append(_run_adapter(one, cases, place, seed=seed, jobs=jobs, console=console))
        except click.ClickException as problem:
            failed.append(f"{one.name}: {problem.message}")
            continue
        if several[-1].end["stopped"] == session.INTERRUPTED:
            return 130
        found = reports.verdict(several[-1])
        console.print(f"[bold]{one.name}[/]: {escape(found.text)}", highlight=False, soft_wrap=True)
        _publish(several[-1], one.name, directory)
        if one.conforms and not found.is_good:
            terminal.header(console, several[-1].run)
            terminal.summary(console, several[-1], first=_SHOWN_FAILURES)
            disproved.append(one.name)
    caught = json.loads(kills.read_text("utf-8")) if kills else []
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "index.html").write_text(forms.as_page(several, caught), "utf-8")
    for line in failed:
        click.echo(f"cogwire: {line}", err=True)
    for name in disproved:
        click.echo(f"cogwire: {name} should conform, but does not", err=True)
    return 3 if failed else 1 if disproved else 0


def _adapters(listed: Path, only: tuple[str, ...]) -> list[session.Adapter]:
    try:
        found = session.adapters(listed)
    except session.MatrixError as problem:
        raise click.UsageError(str(problem)) from None
    if unknown := set(only) - {one.name for one in found}:
        raise click.UsageError(f"{listed} has no adapter {', '.join(sorted(unknown))}")
    return [one for one in found if not only or one.name in only]


def _run_adapter(
    one: session.Adapter,
    cases: list[corpus.Case],
    place: Path,
    *,
    seed: int,
    jobs: int,
    console: Console,
) -> reports.Report:
    return carried_out(
        one.command,
        cases,
        options=session.Options(one.properties | {"fresh"}, seed=seed, as_claimed=True),
        limits=target.Limits(),
        selection=one.criteria,
        everything=cases,
        place=place,
        console=console,
        jobs=jobs,
        folder=one.folder,
    )


def _publish(report: reports.Report, name: str, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    written(report, str(directory / f"{name}.jsonl"), {"badge": directory / f"{name}.svg"})
