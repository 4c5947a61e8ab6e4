# SPDX-License-Identifier: MIT
"""A page of reports on parsers of formats: parsers by formats, and why texts differ."""

import json
import shlex
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from cogwire_kit.conformance import causes
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.forms import STYLE
from cogwire_kit.texts.words import counted

Record = dict[str, Any]

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


def read(path: Path) -> Record | None:
    """Return the report of a format that is in a file, or None if it is no such report."""
    try:
        report = json.loads(path.read_text("utf-8"))
    except ValueError:
        return None
    is_one = isinstance(report, dict) and {"format", "cases", "command"} <= report.keys()
    return report if is_one else None


def write(path: Path, members: Record) -> None:
    """Write a report, without what it need not say."""
    optional = {"left_out", "stopped"}
    kept = {key: value for key, value in members.items() if value or key not in optional}
    path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def required(path: Path) -> Record:
    """Return the report of a format that is in a file.

    Raises:
        UnusableError: it is no such report.
    """
    report = read(path)
    if report is None:
        raise UnusableError(f"{path}: not a report of `cogwire conformance format --report`")
    return report


def failing(path: Path) -> set[str]:
    """Return the ids of the texts that are not read as expected in the report in a file.

    Raises:
        UnusableError: it is not such a report.
    """
    return {one["id"] for one in required(path)["cases"] if one["verdict"] != "right"}


def as_grid(paths: Sequence[Path]) -> str:
    """Return the page of several reports: a row for each format, a column for each parser.

    Raises:
        UnusableError: a file is not such a report, or two are of the same parser and format.
    """
    found: dict[tuple[str, str], Record] = {}
    for path in paths:
        report = required(path)
        key = (report["format"], _parser(report))
        if key in found:
            raise UnusableError(f"{path}: a second report of {key[1]} on {key[0]}")
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


def _parser(report: Record) -> str:
    """Return the name of a parser, or what was run where nobody has given it one."""
    parser = report.get("parser")
    return f"{parser['title']} {parser['version']}" if parser else shlex.join(report["command"])


def _identity(report: Record) -> str:
    return escape(f"{report['format']} {_parser(report)}".replace(" ", "-"), quote=True)


def _cell(report: Record | None) -> str:
    if report is None:
        return '<td class="soft">not run</td>'
    verdicts = [case["verdict"] for case in report["cases"]]
    right, wrong = verdicts.count("right"), verdicts.count("wrong")
    kind = "pass" if right == len(verdicts) else "differs" if wrong else "late"
    text = f"{right} of {len(verdicts)} ({len(verdicts) - wrong})"
    return f'<td><a class="verdict {kind}" href="#{_identity(report)}">{text}</a></td>'


def _detail(report: Record) -> str:
    """Return why texts differ: each cause, with how many texts have it, and the first of them."""
    wrong = [case for case in report["cases"] if case["verdict"] != "right"]
    groups = causes.grouped(wrong, lambda case: str(case.get("cause", "not said")))
    rows = (
        f'<tr><td>{escape(title)}</td><td class="number">{counted(len(cases), "text")}</td>'
        f'<td title="{escape(", ".join(case["id"] for case in cases))}">'
        f"<code>{escape(cases[0]['id'])}</code></td></tr>"
        for title, cases in groups
    )
    left = report.get("left_out", {}).items()
    missing = "".join(f"<p>{counted(n, 'text')} not asked: needs {escape(w)}.</p>" for w, n in left)
    return (
        f'<h2 id="{_identity(report)}">{escape(_parser(report))}, {escape(report["format"])}</h2>'
        f"<pre>{escape(shlex.join(report['command']))}</pre>{missing}"
        f'<div class="scroll"><table>{"".join(rows)}</table></div>'
    )
