# SPDX-License-Identifier: MIT
"""A page of reports on parsers of formats: parsers by formats, and why texts differ."""

import shlex
from collections.abc import Sequence
from html import escape
from string import Template
from typing import Final

from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.forms import STYLE
from cogwire_kit.conformance.reports import Report
from cogwire_kit.texts.words import counted

_PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parsers of formats</title>
<style>$style</style>
</head>
<body>
<h1>Parsers of formats</h1>
<p class="soft">How many texts are read as expected however they are cut, of those that were sent;
in brackets, how many are in one piece.</p>
<div class="scroll"><table id="grid"><thead><tr>$heads</tr></thead>
<tbody>$rows</tbody></table></div>
$details
</body>
</html>
""")


def as_grid(reports: Sequence[Report]) -> str:
    """Return the page of several reports: a row for each format, a column for each parser.

    Raises:
        UnusableError: two are of the same parser and format.
    """
    found: dict[tuple[str, str], Report] = {}
    for report in reports:
        key = (report.run["format"], report.target)
        if key in found:
            raise UnusableError(f"a second report of {key[1]} on {key[0]}")
        found[key] = report
    formats = sorted({name for name, _ in found})
    parsers = list(dict.fromkeys(parser for _, parser in found))
    rows = (
        f"<tr><th scope=row>{escape(name)}</th>"
        f"{''.join(_cell(found.get((name, parser))) for parser in parsers)}</tr>"
        for name in formats
    )
    return _PAGE.substitute(
        style=STYLE,
        heads="".join(f"<th scope=col>{escape(one)}</th>" for one in ("format", *parsers)),
        rows="".join(rows),
        details="".join(map(_detail, (found[key] for key in sorted(found)))),
    )


def _identity(report: Report) -> str:
    return escape(f"{report.run['format']} {report.target}".replace(" ", "-"), quote=True)


def _cell(report: Report | None) -> str:
    if report is None:
        return '<td class="soft">not run</td>'
    verdicts = [case["reading"] for case in report.cases]
    right, wrong = verdicts.count("right"), verdicts.count("wrong")
    kind = "pass" if right == len(verdicts) else "differs" if wrong else "late"
    text = f"{right} of {len(verdicts)} ({len(verdicts) - wrong})"
    return f'<td><a class="verdict {kind}" href="#{_identity(report)}">{text}</a></td>'


def _detail(report: Report) -> str:
    """Return why texts differ: each cause, with how many texts have it, and one of them."""
    rows = (
        f'<tr><td>{escape(one.title)}</td><td class="number">{counted(len(one.cases), "text")}</td>'
        f'<td title="{escape(", ".join(case["id"] for case in one.cases))}">'
        f"<code>{escape(one.cases[0]['id'])}</code></td></tr>"
        for one in report.groups()
    )
    left = report.run.get("left_out", {}).items()
    missing = "".join(f"<p>{counted(n, 'text')} not asked: needs {escape(w)}.</p>" for w, n in left)
    if report.run.get("at_close"):
        missing += "<p>Nothing is given before the end of a text.</p>"
    return (
        f'<h2 id="{_identity(report)}">{escape(report.target)}, {escape(report.run["format"])}</h2>'
        f"<pre>{escape(shlex.join(report.run['command']))}</pre>{missing}"
        f'<div class="scroll"><table>{"".join(rows)}</table></div>'
    )
