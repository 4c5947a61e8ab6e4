# SPDX-License-Identifier: MIT
"""The commands `cogwire conformance …`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.cli.conformance.explaining import explained
from cogwire_kit.cli.conformance.options import (
    EXPLAINED,
    Testing,
    corpus_option,
    first_option,
    loaded,
    selecting,
)
from cogwire_kit.cli.conformance.run import matrix_, run, show
from cogwire_kit.cli.conformance.texts import described, format_, invariance
from cogwire_kit.cli.options import FILE, Commands, exit_codes, format_option, json_options
from cogwire_kit.conformance import baseline, corpus, forms, reports, text_reports
from cogwire_kit.conformance.forms import FORMS
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.texts.words import counted, visible

_EXAMPLES: Final = """\b
Examples:
  cogwire conformance run --as-claimed -- python adapter.py
  cogwire conformance explain xml-json-closer-in-a-string
  cogwire conformance format hermes -- python adapter.py
  cogwire conformance invariance --texts captures/ -- python adapter.py""" + exit_codes(
    {
        1: "a parser differs from what is expected, or a report is worse than the other",
        3: "a parser cannot be run",
    }
)

_REPORT_EXAMPLES: Final = """\b
Examples:
  cogwire conformance report report.jsonl
  cogwire conformance report report.jsonl --format junit > junit.xml
  cogwire conformance report mine.jsonl theirs.jsonl --format html > page.html
  cogwire conformance report hermes.jsonl mistral.jsonl --format html > grid.html
  cogwire conformance report hermes.jsonl --format issue --first 1""" + exit_codes(
    {2: "wrong usage, or a file is not a report"}
)

_DIFF_EXAMPLES: Final = """\b
Examples:
  cogwire conformance diff before.jsonl after.jsonl
  cogwire conformance diff before.jsonl after.jsonl --format json | jq .worse""" + exit_codes(
    {
        0: "nothing is worse",
        1: "a case fails that did not, or is no longer run, or there is no verdict",
        2: "wrong usage, or a file is not a report",
    }
)

_LIST_EXAMPLES: Final = """\b
Examples:
  cogwire conformance list --case 'xml-json-closer-in-*'
  cogwire conformance list --dialect delimiter --format ids""" + exit_codes(
    {2: "wrong usage, or nothing is selected"}
)

_EXPLAIN_EXAMPLES: Final = """\b
Examples:
  cogwire conformance explain xml-json-closer-in-a-string
  cogwire conformance explain m-sealed
  cogwire conformance explain closer-in-string
  cogwire conformance explain m-sealed --format json | jq -r '.cases[].id'""" + exit_codes(
    {2: "wrong usage, or there is no such case, clause or class"}
)

_COPY_EXAMPLES: Final = """\b
Example:
  cogwire conformance corpus copy vendor/cogwire-corpus""" + exit_codes(
    {2: "wrong usage, or the folder cannot be used"}
)


_form: Final = json_options("For people, or one JSON object for programs.")


@click.group(
    cls=Commands,
    epilog=_EXAMPLES,
    short_help="Test a parser in any language against the specification.",
)
def conformance() -> None:
    """Test a parser in any language against the specification, case by case."""


conformance.command_class = Testing
conformance.add_command(run)
conformance.add_command(matrix_)
conformance.add_command(invariance)
conformance.add_command(format_)
conformance.add_command(described)


@conformance.command(
    name="report", epilog=_REPORT_EXAMPLES, short_help="Write a report in another form."
)
@click.argument("files", nargs=-1, required=True, type=FILE)
@format_option(
    ("text", "junit", "html", "badge", "baseline", "issue"),
    "The form that is written; text is what a run shows, and issue what a maintainer can be sent.",
)
@first_option
def report_(files: tuple[Path, ...], form: str, first: int) -> None:
    """Write the report in FILE in another form; a page can have several.

    A page of reports of `cogwire conformance format` has a row for each format, and a column for
    each parser.

    `issue` is Markdown for those who maintain the parser: for each cause the smallest input that
    shows it, what is expected and why, what came, and the command that shows it again.

    `baseline` lists the failures as known ones; each needs a reason before a run accepts it.  It
    needs the report of a complete run of all that is claimed, without --case, --clause or --tag.
    """
    path, *others = files
    if form == "html":
        click.echo(forms.page(list(map(text_reports.load, files))), nl=False)
        return
    if others:
        raise click.UsageError(f"--format {form} takes one report; --format html takes several")
    report = text_reports.load(path)
    if form == "text":
        if not isinstance(report, TextReport):
            terminal.header(terminal.console(), report.run)
        show(terminal.console(), report, first)
    elif form == "baseline":
        click.echo(baseline.written(report), nl=False)
    elif form == "issue":
        click.echo(forms.as_issues(report, first), nl=False)
    else:
        click.echo(FORMS[form](report), nl=False)


@conformance.command(epilog=_DIFF_EXAMPLES)
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@_form
def diff(before: Path, after: Path, form: str) -> int:
    """Show what changed between two reports.

    The exit code is 1 if a case fails that did not, or is no longer run, or if the later run
    reached no verdict.
    """
    old, new = (text_reports.load(path) for path in (before, after))
    if old.subject != new.subject:
        raise click.UsageError(
            f"{before} is a report {old.subject}, and {after} one {new.subject}: compare two of "
            "runs, or on the same format"
        )
    changes = reports.changes(old.cases, new.cases)
    was, now = old.verdict, new.verdict
    is_open = now.kind == "none"
    is_worse = is_open or any(change.is_worse for change in changes)
    if form == "json":
        listed = [{**asdict(change), "kind": change.kind} for change in changes]
        verdicts = [was.text, now.text]
        click.echo(json.dumps({"worse": is_worse, "verdicts": verdicts, "changes": listed}))
        return int(is_worse)
    for change in changes:
        click.echo(change.line())
    click.echo(reports.total_of(changes))
    if was.text != now.text:
        click.echo(f"{visible(was.text)} -> {visible(now.text)}")
    elif is_open:
        click.echo(visible(now.text))
    return int(is_worse)


@conformance.command(name="list", epilog=_LIST_EXAMPLES)
@selecting
@corpus_option
@format_option(
    ("text", "ids", "jsonl"), "Titles for people, ids alone, or whole cases as JSON Lines."
)
def list_(place: Path, form: str, **criteria: Any) -> None:
    """Write the cases."""
    for case in corpus.Selection(**criteria).of(loaded(place)):
        if form == "jsonl":
            click.echo(json.dumps(case.data, ensure_ascii=True))
        elif form == "ids":
            click.echo(case.id)
        else:
            click.echo(f"{case.id}  {case.data['level']}  {case.data['title']}")


@conformance.command(
    epilog=_EXPLAIN_EXAMPLES, short_help="Say what a case, a clause or a class of bugs is."
)
@click.argument("name", metavar="CASE", type=EXPLAINED)
@corpus_option
@_form
def explain(name: str, place: Path, form: str) -> None:
    """Say what CASE asks, what is expected, which clauses say so, and why it matters.

    CASE may be the id of a clause or a class of bugs, too: its text is shown, and the cases that
    test or find it.
    """
    try:
        found = explained(name, loaded(place, with_fresh=True), place)
    except LookupError as problem:
        raise click.UsageError(str(problem.args[0])) from None
    if form == "json":
        click.echo(json.dumps(found.as_json()))
    else:
        console = terminal.console()
        for line in found.lines(place):
            terminal.write(console, line)


@conformance.group(name="corpus", cls=Commands, epilog=_COPY_EXAMPLES)
def corpus_() -> None:
    """Work with the cases as files."""


corpus_.command_class = Testing


@corpus_.command(name="copy", epilog=_COPY_EXAMPLES, short_help="Copy it, to be vendored.")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@_form
def copy(directory: Path, form: str) -> None:
    """Copy the corpus to DIRECTORY, with its version and checksums, to be vendored."""
    summary = corpus.copied(directory)
    if form == "json":
        click.echo(json.dumps({"directory": str(directory), **summary}))
        return
    cases = counted(summary["cases"], "case")
    click.echo(f"{directory}: corpus {summary['version']}, {cases}, sha256 {summary['sha256']}")
