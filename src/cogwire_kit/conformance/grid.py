# SPDX-License-Identifier: MIT
"""A page of reports on parsers of formats: parsers by formats, and why texts differ."""

import json
import shlex
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from cogwire_kit.conformance import causes, formats
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.forms import STYLE
from cogwire_kit.texts.words import counted

Record = dict[str, Any]

#: What a report of a format says of a text that is read right, as other reports say it.
_VERDICTS: Final = {"right": "pass"}

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
    optional = {"left_out", "stopped", "at_close"}
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


def explained(path: Path) -> Record:
    """Return the report of a format that is in a file, with the texts that it may leave out.

    Raises:
        UnusableError: it is no such report, or no corpus has one of its texts as it was then.
    """
    report = required(path)
    short = {one["id"]: one for one in _wrong(report) if "text" not in one}
    known = {case.id: case for case in formats.load(report["format"]).cases} if short else {}
    for name, one in short.items():
        case = known.get(name)
        if case is None or case.revision != one["revision"]:
            raise UnusableError(f"{path}: {name} is no longer in the corpus as it was sent")
        one |= {member: case.data[member] for member in ("title", "flags", "text", "expect")}
        one["expected"] = one.pop("expect")
        one.setdefault("cause", "not said")
    return report


def judged(report: Record) -> list[Record]:
    """Return the texts of a report with verdicts as those of the cases of other reports."""
    return [
        {**one, "verdict": _VERDICTS.get(one["verdict"], one["verdict"]), "properties": {}}
        for one in report["cases"]
    ]


def _wrong(report: Record) -> list[Record]:
    return [one for one in report["cases"] if one["verdict"] != "right"]


def failing(path: Path) -> set[str]:
    """Return the ids of the texts that are not read as expected in the report in a file.

    Raises:
        UnusableError: it is not such a report.
    """
    return {one["id"] for one in _wrong(required(path))}


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
    groups = causes.grouped(_wrong(report), lambda case: str(case.get("cause", "not said")))
    rows = (
        f'<tr><td>{escape(title)}</td><td class="number">{counted(len(cases), "text")}</td>'
        f'<td title="{escape(", ".join(case["id"] for case in cases))}">'
        f"<code>{escape(cases[0]['id'])}</code></td></tr>"
        for title, cases in groups
    )
    left = report.get("left_out", {}).items()
    missing = "".join(f"<p>{counted(n, 'text')} not asked: needs {escape(w)}.</p>" for w, n in left)
    if report.get("at_close"):
        missing += "<p>Nothing is given before the end of a text.</p>"
    return (
        f'<h2 id="{_identity(report)}">{escape(_parser(report))}, {escape(report["format"])}</h2>'
        f"<pre>{escape(shlex.join(report['command']))}</pre>{missing}"
        f'<div class="scroll"><table>{"".join(rows)}</table></div>'
    )
