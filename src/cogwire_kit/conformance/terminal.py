# SPDX-License-Identifier: MIT
"""What people see of a run on a terminal: progress, a summary, and the first differences."""

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cogwire_kit._visible import visible
from cogwire_kit.conformance.judge import PASSING, PROPERTIES, Judge, is_deadly
from cogwire_kit.conformance.reports import LEVELS, Record, Report, is_failing

#: A text in a report is shown up to here, around its cut.
_SHOWN: Final = 400
_CUT: Final = "‖"
_COLOURS: Final = {"pass": "green", "allowed": "green", "unsupported": "yellow", "late": "yellow"}


@contextmanager
def progress(console: Console, cases: int) -> Iterator[Any]:
    """Show how far a run is, on a terminal; give what is called with each case that is done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cases"),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("conformance", total=cases)

        def seen(found: Judge) -> None:
            failing = found.properties and found.verdict not in PASSING
            if failing:
                bar.update(task, description=f"[red]{found.verdict}[/] {found.case.id}"[:60])
            bar.advance(task)

        yield seen


def summary(console: Console, report: Report, *, first: int) -> None:
    """Write the tables, the first differences and the verdict."""
    run = report.run
    corpus = run["corpus"]
    console.print(
        f"[bold]{escape(report.target)}[/] ({escape(run['target']['language'])}), "
        f"corpus {corpus['version']} ({corpus['sha256'][:12]}), seed {run['seed']}",
        highlight=False,
    )
    if run["selection"]:
        chosen = "; ".join(f"{k} {', '.join(v)}" for k, v in sorted(run["selection"].items()))
        console.print(f"selected: {escape(chosen)}", highlight=False)
    console.print(_by_level(report), _by_property(report))
    failing = [case for case in report.cases if is_failing(case, LEVELS)]
    for case in failing[:first]:
        difference(console, case, run)
    if len(failing) > first:
        console.print(
            f"[dim]{len(failing) - first} more; --first {len(failing)} shows all of them.[/]"
        )
    _incidents(console, report)
    console.print(verdict(report), highlight=False)


def _by_level(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    verdicts = list(report.end["counts"])
    for name in ("dialect", "level", "cases", *verdicts):
        table.add_column(name, justify="left" if name in ("dialect", "level") else "right")
    for dialect in dict.fromkeys(case["dialect"] for case in report.cases):
        for level in LEVELS:
            counts = report.counts(dialect=dialect, level=level)
            if counts:
                cells = [_painted(counts[name], name) for name in verdicts]
                table.add_row(dialect, level, str(counts.total()), *cells)
    return table


def _by_property(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("property", "cases", "pass", "fail", "unsupported", "answers"):
        table.add_column(name, justify="left" if name == "property" else "right")
    for name in PROPERTIES:
        seen = [case["properties"][name] for case in report.cases if name in case["properties"]]
        passing = sum(one["verdict"] in PASSING for one in seen)
        unsupported = sum(one["verdict"] == "unsupported" for one in seen)
        if seen:
            table.add_row(
                name,
                str(len(seen)),
                _painted(passing, "pass"),
                _painted(len(seen) - passing - unsupported, "differs"),
                _painted(unsupported, "unsupported"),
                str(sum(one["runs"] for one in seen)),
            )
    dead = sum(is_deadly(case["verdict"]) for case in report.cases)
    asked = sum(case["verdict"] != "unsupported" for case in report.cases)
    if asked:
        alive, fell = _painted(asked - dead, "pass"), _painted(dead, "crashed")
        table.add_row("never dies", str(asked), alive, fell, _painted(0, "unsupported"), "")
    return table


def _painted(number: int, verdict: str) -> str:
    return f"[{_COLOURS.get(verdict, 'red')}]{number}[/]" if number else "[dim]0[/]"


def difference(console: Console, case: Record, run: Record) -> None:
    """Write what a case says, what came instead, and how to see it again."""
    colour = _COLOURS.get(case["verdict"], "red")
    console.print(
        f"\n[bold {colour}]{case['verdict']}[/] [bold]{case['id']}[/] "
        f"({case['level']}) {escape(case['title'])}",
        highlight=False,
    )
    for name, seen in case["properties"].items():
        if seen["verdict"] in PASSING:
            continue
        cuts = f"; one cut at {seen['cuts']}" if "cuts" in seen else ""
        of = f" {seen['failed']} of {seen['runs']}{cuts}" if seen["failed"] else ""
        console.print(f"  {name}: {seen['verdict']}{of}", highlight=False)
        finding = seen.get("finding")
        if finding is None:
            console.print(f"    {escape(seen.get('note', ''))}", highlight=False)
            continue
        console.print(f"    {escape(finding['message'])}", highlight=False)
        for line in _lines(finding):
            console.print(f"    {line}", highlight=False, soft_wrap=True)
    console.print(f"  clauses: {', '.join(case['clauses'])}", highlight=False)
    console.print(f"  see it again: {escape(again(case, run))}", highlight=False, soft_wrap=True)


def again(case: Record, run: Record) -> str:
    """Return the command that asks of one case what `run`, the record of a run, asked of it."""
    options = ["--case", case["id"]]
    for option, name in (("--property", "properties"), ("--without", "without")):
        for value in run["selection"].get(name, ()):
            options += [option, value]
    return shlex.join(["cogwire", "conformance", "run", *options, "--", *run["command"]])


def _lines(finding: Record) -> Iterator[str]:
    """Yield the input, its cuts marked, and the events that are due and that came."""
    request = finding["request"]
    if request is None:
        yield "[dim](too long to be shown)[/]"
        return
    yield f"input     {escape(_input(request))}"
    due, came = _events(finding["expected"]), _events(finding["actual"])
    for line in due:
        yield f"[green]- {escape(line)}[/]" if line not in came else f"  {escape(line)}"
    for line in came:
        if line not in due:
            yield f"[red]+ {escape(line)}[/]"


def _input(request: Record) -> str:
    if "chunks" in request:
        text = _CUT.join(_one_line(chunk) for chunk in request["chunks"])
    elif "chunks_b64" in request:
        text = f"(Base64) {_CUT.join(request['chunks_b64'])}"
    else:
        kept = {k: v for k, v in request.items() if k not in ("op", "dialect")}
        text = json.dumps(kept, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _one_line(text: str) -> str:
    return visible(text).replace("\n", "⏎").replace("\t", "⇥")


def _events(outcome: Any) -> list[str]:
    """Return an outcome as lines that can be held against each other."""
    if outcome is None:
        return []
    if isinstance(outcome, list):
        return [_shown(element) for element in outcome]
    lines: list[str] = []
    for name, value in outcome.items():
        if isinstance(value, list):
            lines += [_shown(element) for element in value]
        else:
            lines.append(f"{name}: {_shown(value)}")
    return lines


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _incidents(console: Console, report: Report) -> None:
    for name, value in report.end.items():
        if name in ("probes", "baseline", "unexplained"):
            for line in value:
                console.print(f"[red]{name}[/]: {escape(str(line))}", highlight=False)
    if report.end.get("stopped"):
        console.print(f"[red]stopped[/]: {escape(report.end['stopped'])}", highlight=False)


def verdict(report: Report) -> str:
    """Return the last line: whether the target conforms, and on what ground."""
    end = report.end
    rate = end["answers"] / end["seconds"] if end["seconds"] else 0
    ground = (
        f"{len(report.cases)} cases, {end['answers']:,} answers in {end['seconds']:.1f} s "
        f"({rate:,.0f} a second)"
    )
    known = f", {end['known']} known failures" if end["known"] else ""
    if end["conformant"]:
        return f"[bold green]conformant[/]{known}: {ground}"
    if end["probes"]:
        return "[bold red]no verdict[/]: the adapter is not to be trusted"
    if end["stopped"]:
        return f"[bold red]no verdict[/]: the target was not run to its end; {ground}"
    mandatory = sum(is_failing(case) for case in report.cases)
    return f"[bold red]not conformant[/]: {mandatory} mandatory cases fail{known}; {ground}"
