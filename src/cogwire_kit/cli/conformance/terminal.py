# SPDX-License-Identifier: MIT
"""Shows a run to people: its progress, a summary, and the differences by cause."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cogwire_kit.cli.painter import Screen
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.grouping import clause_of
from cogwire_kit.conformance.judge import (
    LEVELS,
    PASSING,
    PROPERTIES,
    Record,
    is_deadly,
    is_failing,
    is_unclaimed,
)
from cogwire_kit.conformance.reports import Report
from cogwire_kit.conformance.session import Watch
from cogwire_kit.conformance.target import brief
from cogwire_kit.texts.words import beginning, counted, visible

#: How many characters of a text are shown, around its cut.
_SHOWN: Final = 400
_CUT: Final = "‖"
#: With more chunks of one character than this, the cuts are not shown.
_FEW: Final = 4
_LEGEND: Final = (
    "\n[dim]- is expected, + was returned instead; ‖ is a cut of the input, ⏎ a line end[/]"
)
#: The width of output that is not a terminal.
_NO_EDGE: Final = 10_000
#: How many characters of the current case are shown beside the bar.
_NAME: Final = 60
#: How many reasons are listed for which cases were not asked.
_NOTES: Final = 5
_COLOURS: Final = {"pass": "green", "allowed": "green", "unsupported": "yellow", "late": "yellow"}


@contextmanager
def watching(console: Console, cases: int, greeted: Callable[[Record], None]) -> Iterator[Watch]:
    """Show faults of the target at once, and on a terminal the progress of the run.

    `greeted` is called with the record of the run before the bar begins.
    """
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    is_hidden = not console.is_terminal
    bar = Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, disable=is_hidden
    )
    task = bar.add_task("conformance", total=cases)

    def seen(found: Record | None) -> None:
        if found is not None and found["verdict"] not in PASSING:
            shown = f"[red]{found['verdict']}[/] {escape(found['id'])}"
            bar.update(task, description=shown[:_NAME])
        bar.advance(task)

    def begun(run: Record) -> None:
        greeted(run)
        bar.start()

    def doubted(problem: str) -> None:
        # The summary has it, which may be long in coming for one who waits.
        if console.is_terminal:
            write(console, f"[red]probes[/]: {escape(problem)}")

    try:
        yield Watch(seen, begun, doubted)
    finally:
        bar.stop()


def console(*, stderr: bool = False) -> Console:
    """Return a console that wraps lines only at the width of a terminal."""
    found = Screen(stderr=stderr)
    return found if found.is_terminal else Screen(stderr=stderr, width=_NO_EDGE)


def say(console: Console, line: str, style: str = "") -> None:
    """Write a line without markup, with control characters escaped."""
    console.print(escape(visible(line)), style=style or None, highlight=False, soft_wrap=True)


def write(console: Console, markup: str) -> None:
    """Write a line of markup, with control characters escaped."""
    console.print(visible(markup), highlight=False, soft_wrap=True)


def header(console: Console, run: Record) -> None:
    """Write the target, the corpus and the selection."""
    target, corpus = run["target"], run["corpus"]
    write(
        console,
        f"[bold]{escape(target['name'])} {escape(target['version'])}[/] "
        f"({escape(str(target['language']))}), "
        f"corpus {corpus['version']} ({corpus['sha256'][:12]}), seed {run['seed']}",
    )
    if run["selection"]:
        chosen = "; ".join(f"{k} {', '.join(v)}" for k, v in sorted(run["selection"].items()))
        write(console, f"selected: {escape(chosen)}")


def summary(console: Console, report: Report, *, first: int) -> None:
    """Write the verdict, the tables, the differences, and what was not asked."""
    found = report.verdict
    colour = _VERDICTS[found.kind]
    write(console, f"[bold {colour}]{escape(found.text)}[/]")
    _incidents(console, report)
    if found.hint:
        write(console, f"{found.hint} leaves out what is not claimed")
    console.print(_by_level(report), _by_property(report))
    if explained := _explained(report):
        write(console, f"[dim]{'; '.join(explained)}[/]")
    groups = report.groups()
    if groups[:first]:
        write(console, _LEGEND)
    for group in groups[:first]:
        write(console, f"\n[bold red]{escape(group.title)}[/], {escape(group.heading())}")
        difference(console, group.cases[0], report)
    for line in more([len(group.cases) for group in groups], first, "case"):
        write(console, f"[dim]{line}[/]")
    _not_claimed(console, [c for c in report.cases if is_failing(c, LEVELS) and is_unclaimed(c)])
    write(console, f"[bold {colour}]{escape(found.text.partition(';')[0])}[/]; {_ground(report)}")


def more(sizes: Sequence[int], first: int, noun: str) -> Iterator[str]:
    """Yield a line about the groups that are not shown, if there are any."""
    if rest := sizes[first:]:
        groups = counted(len(rest), "more group")
        number = counted(sum(rest), noun)
        yield f"{groups} with {number}; --first {len(sizes)} shows an example of each."


def _not_claimed(console: Console, cases: list[Record]) -> None:
    """Write how many cases were not asked, and what they need."""
    notes = Counter(
        note.removeprefix("not claimed: ")
        for case in cases
        for note in dict.fromkeys(seen.get("note", "") for seen in case["properties"].values())
        if note.startswith("not claimed: ")
    )
    if cases:
        listed = [f"{escape(note)} ({number})" for note, number in notes.most_common(_NOTES)]
        listed += [counted(len(notes) - _NOTES, "more reason")] * (len(notes) > _NOTES)
        write(
            console, f"\n[yellow]not claimed[/], {counted(len(cases), 'case')}: {', '.join(listed)}"
        )
        write(console, "[dim]--as-claimed leaves these out.[/]")


#: The terms of the tables that need an explanation, each with its clause.
_WORDS: Final = {
    "chunks": "chunks: text in pieces does not produce what the whole does (m-law-chunking)",
    "tokens": "tokens: the joined deltas are not what the whole produces (m-law-modes)",
    "resume": "resume: a parser that is restored does not continue as before (m-law-resumable)",
    "prompt": "prompt: an event arrives later than the text determines it, or too soon "
    "(m-law-prompt)",
    "growth": "growth: the work grows much faster than the input, or its answer is wrong "
    "(m-law-linear)",
    "fresh": "fresh: inputs that are in no corpus, drawn from the seed (cf-fresh)",
    "fault": "fault: a reply that the protocol does not allow (ad-reply-schema)",
}
_NEVER_DIES: Final = (
    "never dies: a case fails that was crashed, timed-out or fault (m-law-never-raises)"
)


def _explained(report: Report) -> list[str]:
    """Return the meaning of the terms under which failures are listed."""
    failed = {
        name
        for case in report.cases
        for name, seen in case["properties"].items()
        if seen["verdict"] not in (*PASSING, "unsupported")
    }
    failed |= {case["verdict"] for case in report.cases}
    meanings = [meaning for word, meaning in _WORDS.items() if word in failed]
    return meanings + [_NEVER_DIES] * any(map(is_deadly, failed))


def _by_level(report: Report) -> Table:
    verdicts = list(report.end["counts"])
    table = _table(("dialect", "level"), ("cases", *verdicts))
    for dialect in report.dialects:
        for level in LEVELS:
            counts = report.counts(dialect=dialect, level=level)
            if counts:
                cells = [_painted(counts[name], name) for name in verdicts]
                table.add_row(dialect, level, str(counts.total()), *cells)
    return table


def _by_property(report: Report) -> Table:
    table = _table(("property",), ("cases", "pass", "fail", "unsupported", "answers"))
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


def _table(names: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in (*names, *numbers):
        table.add_column(name, justify="left" if name in names else "right")
    return table


def _painted(number: int, verdict: str) -> str:
    return f"[{_COLOURS.get(verdict, 'red')}]{number}[/]" if number else "[dim]0[/]"


def difference(console: Console, case: Record, report: Report) -> None:
    """Write a case: its clause, what was expected, what came, and how to run it again."""
    colour = _COLOURS.get(case["verdict"], "red")
    write(
        console,
        f"[bold {colour}]{case['verdict']}[/] [bold]{case['id']}[/] "
        f"({case['level']}) {escape(case['title'])}",
    )
    if (first := _clauses().get(clause_of(case))) is not None:
        write(console, f"  [dim]{first.id}:[/] {escape(first.text)}")
    for name, seen in case["properties"].items():
        if seen["verdict"] in PASSING or ("finding" not in seen and not is_unclaimed(case)):
            continue
        cuts = f"; one cut at {seen['cuts']}" if "cuts" in seen else ""
        of = f" {seen['failed']} of {seen['runs']}{cuts}" if seen["failed"] else ""
        write(console, f"  {name}: {seen['verdict']}{of}")
        finding = seen.get("finding")
        if finding is None:
            write(console, f"    {escape(seen.get('note', ''))}")
            continue
        prefix = "the adapter says: " if finding["verdict"] in _OWN_WORDS else ""
        write(console, f"    {prefix}{escape(brief(finding['message']))}")
        for line in _lines(finding):
            write(console, f"    {line}")
    # `cf-fresh` is a rule for runners, which a parser cannot break.
    if others := [one for one in case["clauses"] if one not in (clause_of(case), "cf-fresh")]:
        write(console, f"  see also: {', '.join(others)}")
    write(console, f"  see it again: {escape(report.again(case))}")


#: Verdicts on answers that carry a message of the adapter.
_OWN_WORDS: Final = ("crashed", "unsupported")
_clauses: Final = cache(corpus.clauses)


def _lines(finding: Record) -> Iterator[str]:
    """Yield the input, its cuts marked, and the expected and the actual events."""
    request, saving = finding["request"], finding.get("saving")
    if request is None:
        # The message of one that grows has how it is made.
        if finding["aspect"] != "growth":
            yield "[dim](too long to be shown)[/]"
        return
    yield f"input     {escape(_input(request if saving is None else _restored_in(saving)))}"
    is_cut = sum(map(len, request.get("chunks", ()))) > _SHOWN
    if finding["aspect"] == "fresh" or saving is not None or is_cut:
        # Nothing else shows what to send: no case contains it, or it is not shown whole.
        requests = [one for one in (saving, request) if one is not None]
        for number, one in enumerate(requests, 1):
            yield f"request   {escape(json.dumps({'id': str(number), **one}))}"
    for line in compared(finding["expected"], finding["actual"]):
        colour = _SIGNS.get(line[0])
        yield f"[{colour}]{escape(line)}[/]" if colour else escape(line)


_SIGNS: Final = {"-": "green", "+": "red"}


def compared(expected: Any, actual: Any) -> Iterator[str]:
    """Yield the lines of two outcomes: with - what only the first has, with + only the second."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        actual = {name: actual[name] for name in [*expected, *actual] if name in actual}
    expected_lines, actual_lines = _events(expected), _events(actual)
    # A line counts as often as it is there, and only in its place.
    same = SequenceMatcher(None, expected_lines, actual_lines, autojunk=False).get_matching_blocks()
    kept = {block.a + at for block in same for at in range(block.size)}
    found = {block.b + at for block in same for at in range(block.size)}
    yield from (f"{'  ' if at in kept else '- '}{line}" for at, line in enumerate(expected_lines))
    yield from (f"+ {line}" for at, line in enumerate(actual_lines) if at not in found)


def _restored_in(saving: Record) -> Record:
    """Return a request whose input is cut only where the parser was saved."""
    name, cut = "chunks" if "chunks" in saving else "chunks_b64", saving["save"][0] + 1
    parts = (saving[name][:cut], saving[name][cut:])
    # Base64 of single bytes cannot be joined.
    return {name: ["".join(part) for part in parts]} if name == "chunks" else saving


def _input(request: Record) -> str:
    if "chunks" in request:
        return with_cuts(request["chunks"])
    if "chunks_b64" in request:
        text = f"(Base64) {_CUT.join(request['chunks_b64'])}"
    else:
        kept = {k: v for k, v in request.items() if k not in ("op", "dialect")}
        text = json.dumps(kept, ensure_ascii=False)
    return beginning(text, _SHOWN)


def with_cuts(chunks: Sequence[str | bytes]) -> str:
    """Return an input in one line, its cuts marked."""
    shown = [one_line(c) if isinstance(c, str) else repr(c)[2:-1] for c in chunks]
    if len(shown) > _FEW and all(len(one) == 1 for one in chunks):
        return f"{beginning(''.join(shown), _SHOWN)} (in single characters)"
    return beginning(_CUT.join(shown), _SHOWN)


def one_line(text: str) -> str:
    """Return a text on one line, with control characters escaped."""
    return visible(text).replace("\n", "⏎").replace("\t", "⇥")


def _events(outcome: Any) -> list[str]:
    """Return an outcome as lines that can be compared."""
    if outcome is None:
        return []
    if isinstance(outcome, list):
        return [_shown(element) for element in outcome]
    lines: list[str] = []
    for name, value in outcome.items():
        if name == "id":
            continue
        if isinstance(value, list):
            # What came for chunks is shown without them; a fault of form may be anything.
            is_fed = name == "feeds" and all(isinstance(feed, list) for feed in value)
            lines += map(_shown, chain.from_iterable(value) if is_fed else value)
        else:
            lines.append(f"{name}: {_shown(value)}")
    return lines


def _shown(value: Any) -> str:
    return beginning(json.dumps(value, ensure_ascii=False), _SHOWN)


def _incidents(console: Console, report: Report) -> None:
    for name in ("probes", "baseline", "unexplained"):
        for line in report.end.get(name, ()):
            write(console, f"[red]{name}[/]: {escape(str(line))}")
    if report.end["stopped"]:
        write(console, f"[red]stopped[/]: {escape(report.end['stopped'])}")


def _ground(report: Report) -> str:
    """Return how much was asked for the verdict."""
    end = report.end
    rate = end["answers"] / end["seconds"] if end["seconds"] else 0
    return (
        f"{counted(len(report.cases), 'case')}, {counted(end['answers'], 'answer')} in "
        f"{end['seconds']:.1f} s "
        f"({rate:,.0f} a second)"
    )


_VERDICTS: Final = {"conformant": "green", "partial": "yellow", "failing": "red", "none": "red"}
