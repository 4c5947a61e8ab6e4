# SPDX-License-Identifier: MIT
"""Writes a report as JUnit XML, a badge, a self-contained page, or issues."""

import json
import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from textwrap import indent
from typing import Any, Final

from cogwire_kit.conformance import text_reports
from cogwire_kit.conformance.corpus import UnusableError, clauses
from cogwire_kit.conformance.grouping import Group, clause_of
from cogwire_kit.conformance.judge import PASSING, VERDICTS, Record
from cogwire_kit.conformance.reports import Report
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.texts.words import counted, visible

#: XML 1.0 cannot hold these characters, not even as references (production 2).
_NO_XML: Final = re.compile("[^\\t\\n\\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: Report) -> str:
    """Return the report as a document of one test suite for each dialect, and one of the run."""
    root = ET.Element("testsuites", name=_held(f"cogwire conformance of {report.target}"))
    for dialect in report.dialects:
        suite = _suite(root, dialect, report)
        for case in report.cases:
            if case["dialect"] == dialect:
                _add(suite, case, report)
        _count(suite)
    _add_run(root, report)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ET.Element, name: str, report: Report) -> ET.Element:
    started = {"timestamp": report.run["started"]} if "started" in report.run else {}
    return ET.SubElement(root, "testsuite", {"name": _held(name), **started})


def _add_run(root: ET.Element, report: Report) -> None:
    """Add the verdict on the run as such, so that none without a verdict looks like a good one."""
    found = report.verdict
    suite = _suite(root, "run", report)
    test = _test(suite, "run", "verdict")
    names = ("probes", "unexplained", "baseline")
    lines = [line for name in names for line in report.end.get(name, ())]
    if found.kind == "none" or lines or not report.cases:
        _fail(test, found.kind, found.text, "\n".join(lines))
    else:
        ET.SubElement(test, "system-out").text = _held(found.text)
    _count(suite)


def _count(suite: ET.Element) -> None:
    """Add how many tests a suite has, and how many of them failed, erred, or were skipped."""
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))


def _add(suite: ET.Element, case: Record, report: Report) -> None:
    test = _test(suite, f"{case['dialect']}.{case['op']}", case["id"])
    properties = ET.SubElement(test, "properties")
    of_case = {**case, "clauses": " ".join(case["clauses"])}
    for name in ("level", "clauses", "basis"):
        if value := of_case.get(name):
            ET.SubElement(properties, "property", name=name, value=value)
    if case["verdict"] in PASSING:
        return
    if "known" in case:
        ET.SubElement(test, "skipped", message=_held(f"known: {case['known']}"))
        return
    details = [
        f"{name}: {json.dumps(value)}"
        for found in report.findings(case)
        for name, value in found.items()
    ]
    text = "\n".join([case["title"], *details, report.again(case)])
    _fail(test, case["verdict"], report.message(case), text)


#: What a parser gave was judged; where it gave no answer, nothing could be.
_JUDGED: Final = ("differs", "late", "grows", "unsupported", "cuts", "wrong")


def _test(suite: ET.Element, classname: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_held(classname), name=name)


def _fail(test: ET.Element, verdict: str, message: str, text: str) -> None:
    tag = "failure" if verdict in _JUDGED else "error"
    ET.SubElement(test, tag, type=verdict, message=_held(message)).text = _held(text)


def _held(text: str) -> str:
    """Return `text` with the characters that XML cannot contain escaped."""
    return _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_CHARACTER: Final = 6.6
_PADDING: Final = 12
_COLOURS: Final = {
    "conformant": "#1a7f37",
    "partial": "#57606a",
    "failing": "#c93c37",
    "none": "#c93c37",
}


def as_badge(report: Report) -> str:
    """Return the badge as SVG, with the version of the corpus and the dialects or the format."""
    found = report.verdict
    dialects = ", ".join(report.dialects)
    label = f"{dialects}: {found.short}" if dialects else found.short
    corpus = f"cogwire corpus {report.run['corpus']['version']}"
    title = f"{report.target}: {found.text}"
    left, right = (round(len(text) * _CHARACTER + _PADDING) for text in (corpus, label))
    colour = _COLOURS[found.kind]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img">'
        f"<title>{escape(title, quote=False)}</title>"
        f'<rect width="{left + right}" height="20" rx="3" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" rx="3" fill="{colour}"/>'
        f'<rect x="{left}" width="4" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{escape(corpus, quote=False)}</text>'
        f'<text x="{left + right / 2}" y="14">{escape(label, quote=False)}</text></g></svg>\n'
    )


_TEMPLATE: Final = Path(__file__).with_name("page.html")
_GRID: Final = Path(__file__).with_name("grid.html")
_STYLE: Final = _TEMPLATE.read_text("utf-8").partition("<style>")[2].partition("</style>")[0]


def as_page(several: list[Report], kills: Iterable[Record] = ()) -> str:
    """Return the page of one report or of several, a column for each.

    `kills` are broken parsers, each with its name, its class and the cases that catch it.
    """
    names = [report.target for report in several]
    title = f"Conformance of {', '.join(names)}" if len(names) == 1 else "Conformance"
    cases = _cases(several)
    data = {"targets": names, "cases": cases}
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        title=escape(title),
        runs="\n".join(_run(report) for report in several),
        summary=_summary(several),
        groups=_groups(several),
        matrix=_matrix(cases, names),
        zoo=_zoo(list(kills)),
        # A script element ends at the first `</`, whatever is around it.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _cases(several: list[Report]) -> list[dict[str, Any]]:
    """Return each case once, with its result in each report, or None where it was not run."""
    found: dict[str, dict[str, Any]] = {}
    for place, report in enumerate(several):
        for case in report.cases:
            kept = ("id", "title", "dialect", "level", "clauses", "flags")
            entry = found.setdefault(
                case["id"], {**{n: case[n] for n in kept}, "results": [None] * len(several)}
            )
            result = {
                name: case[name] for name in ("verdict", "properties", "known") if name in case
            }
            entry["results"][place] = result | {"again": report.again(case)}
    return sorted(found.values(), key=lambda case: str(case["dialect"]))


def _run(report: Report) -> str:
    run, end = report.run, report.end
    found = report.verdict
    chosen = "; ".join(f"{k} {', '.join(v)}" for k, v in sorted(run["selection"].items()))
    selected = f" Selected: {escape(chosen)}." if chosen else ""
    kind, word = _KINDS[found.kind]
    summary = found.text.removeprefix(word).removeprefix(": ")
    return (
        f"<p><strong>{escape(report.target)}</strong> ({escape(str(run['target']['language']))}): "
        f'<span class="verdict {kind}">{word}</span> {escape(summary)} '
        f'<span class="soft">Corpus {escape(run["corpus"]["version"])} '
        f"({run['corpus']['sha256'][:12]}), {escape(run['started'])}, seed {run['seed']}, "
        f"{counted(end['answers'], 'answer')} in {end['seconds']:.1f} s.{selected}</span></p>"
    )


#: The style of a verdict, and its name.
_KINDS: Final = {
    "conformant": ("pass", "conformant"),
    "partial": ("late", "in part"),
    "failing": ("differs", "not conformant"),
    "none": ("fault", "no verdict"),
}


def _summary(several: list[Report]) -> str:
    """Return the table of verdicts by target, dialect and level."""
    seen = [v for v in VERDICTS if any(v in report.end["counts"] for report in several)]
    heads = [f"<th scope=col>{name}</th>" for name in ("target", "dialect", "level")]
    heads += [f'<th scope=col class="number">{name}</th>' for name in ("cases", *seen)]
    rows = []
    for report in several:
        pairs = dict.fromkeys((case["dialect"], case["level"]) for case in report.cases)
        for dialect, level in sorted(pairs):
            counts = report.counts(dialect=dialect, level=level)
            cells = [f"<td>{escape(text)}</td>" for text in (report.target, dialect, level)]
            numbers = [counts.total(), *(counts[verdict] for verdict in seen)]
            cells += [f'<td class="number">{number}</td>' for number in numbers]
            rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _groups(several: list[Report]) -> str:
    """Return the table of what differs, by cause, with the plainest case of each."""
    rows = []
    for report in several:
        for group in report.groups():
            name = escape(group.cases[0]["id"])
            cells = [escape(text) for text in (report.target, group.title, group.heading())]
            cells.append(f'<button class="case" data-example="{name}">{name}</button>')
            rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    if not rows:
        return ""
    names = ("target", "what was returned", "cases", "example")
    heads = "".join(f"<th scope=col>{name}</th>" for name in names)
    return (
        '<h2 id="groups">What differs</h2><div class="scroll"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _matrix(cases: list[dict[str, Any]], names: list[str]) -> str:
    heads = "".join(f"<th scope=col>{escape(name)}</th>" for name in ("case", *names))
    groups = []
    for dialect in dict.fromkeys(case["dialect"] for case in cases):
        rows = [_row(case) for case in cases if case["dialect"] == dialect]
        group = f'<tr><th scope=rowgroup colspan="{len(names) + 1}">{dialect}</th></tr>'
        groups.append(f"<tbody>{group}{''.join(rows)}</tbody>")
    return f'<table id="matrix"><thead><tr>{heads}</tr></thead>{"".join(groups)}</table>'


def _row(case: dict[str, Any]) -> str:
    button = f'<button class="case" aria-expanded="false">{case["id"]}</button>'
    cells = [f"<td>{button}</td>", *(_verdict(result) for result in case["results"])]
    return f'<tr data-case="{case["id"]}">{"".join(cells)}</tr>'


def _verdict(result: Record | None) -> str:
    if result is None:
        return '<td><span class="soft">not run</span></td>'
    verdict = result["verdict"]
    known = " known" if "known" in result else ""
    failing = [n for n, p in result["properties"].items() if p["verdict"] not in PASSING]
    label = f"{verdict}: {', '.join(failing)}" if failing and verdict != "unsupported" else verdict
    return f'<td><span class="verdict {verdict}{known}">{label}</span></td>'


def _zoo(kills: list[Record]) -> str:
    """Return the table of broken parsers and of the cases that catch them."""
    if not kills:
        return ""
    heads = "".join(
        f"<th scope=col>{name}</th>" for name in ("parser", "what is broken", "caught by")
    )
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{escape(one['breaks'])}</td>"
        f'<td class="number" title="{escape(", ".join(one["cases"][:20]))}">'
        f"{len(one['cases'])}</td></tr>"
        for one in kills
    )
    return (
        '<h2 id="broken">Broken parsers</h2><p class="soft">Each is right but for one bug. '
        "A suite that lets one of them pass tests nothing.</p>"
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def as_grid(several: Sequence[TextReport]) -> str:
    """Return the page of several reports: a row for each format, a column for each parser.

    Raises:
        UnusableError: two are of the same parser and format.
    """
    found: dict[tuple[str, str], TextReport] = {}
    for report in several:
        key = (report.about, report.target)
        if key in found:
            raise UnusableError(f"a second report of {key[1]} on {key[0]}")
        found[key] = report
    formats = sorted({name for name, _ in found})
    parsers = list(dict.fromkeys(parser for _, parser in found))
    rows = (
        f"<tr><th scope=row>{escape(name)}</th>"
        f"{''.join(_share(found.get((name, parser))) for parser in parsers)}</tr>"
        for name in formats
    )
    return Template(_GRID.read_text("utf-8")).substitute(
        style=_STYLE,
        heads="".join(f"<th scope=col>{escape(one)}</th>" for one in ("format", *parsers)),
        rows="".join(rows),
        details="".join(map(_detail, (found[key] for key in sorted(found)))),
    )


def _identity(report: TextReport) -> str:
    return escape(f"{report.about} {report.target}".replace(" ", "-"), quote=True)


def _share(report: TextReport | None) -> str:
    if report is None:
        return '<td class="soft">not run</td>'
    number = len(report.cases)
    right = text_reports.read(report.cases)
    wrong = sum("whole" in case for case in report.cases)
    kind = "differs" if wrong else "late" if report.wrong else "pass"
    text = f"{right} of {number} ({number - wrong})"
    return f'<td><a class="verdict {kind}" href="#{_identity(report)}">{text}</a></td>'


def _detail(report: TextReport) -> str:
    """Return why texts differ: each cause, with how many texts have it, and one of them."""
    rows = (
        f'<tr><td>{escape(one.title)}</td><td class="number">{counted(len(one.cases), "text")}</td>'
        f'<td title="{escape(", ".join(case["id"] for case in one.cases))}">'
        f"<code>{escape(one.cases[0]['id'])}</code></td></tr>"
        for one in report.groups()
    )
    left = report.end.get("left_out", {}).items()
    missing = "".join(f"<p>{counted(n, 'text')} not asked: needs {escape(w)}.</p>" for w, n in left)
    if report.end.get("at_close"):
        missing += "<p>Nothing is returned before the end of a text.</p>"
    return (
        f'<h2 id="{_identity(report)}">{escape(report.target)}, {escape(report.about)}</h2>'
        f"<pre>{escape(shlex.join(report.run['command']))}</pre>{missing}"
        f'<div class="scroll"><table>{"".join(rows)}</table></div>'
    )


def page(several: Sequence[Report]) -> str:
    """Return the page of several reports: of runs, or on texts.

    Raises:
        UnusableError: they are of both kinds, or two are of the same parser and format.
    """
    of_texts = [one for one in several if isinstance(one, TextReport)]
    if not of_texts:
        return as_page(list(several))
    if len(of_texts) < len(several):
        raise UnusableError("a page has reports of runs or on texts of formats, not of both")
    return as_grid(of_texts)


_NOTHING: Final = "Nothing differs.\n"
#: How many of the inputs that differ alike are named.
_NAMED: Final = 10


def as_issues(report: Report, first: int) -> str:
    """Return the differences as Markdown for a parser's maintainers, an issue for each.

    Only those of the groups that are shown first are written.
    """
    groups = report.groups()
    return "\n".join(as_issue(report, group) for group in groups[:first]) if groups else _NOTHING


def as_issue(report: Report, group: Group) -> str:
    """Return the issue of one group of a report.

    It has the titles of the inputs that show it, the plainest of them, what is expected and why,
    what came, and the command that shows it again.
    """
    one = group.cases[0]
    clause = clauses().get(clause_of(one)) if one["clauses"] else None
    says = f"\n\n> {clause.text} (`{clause.id}`)" if clause else ""
    title = f"{report.target}, {one['dialect']}: {group.title}"
    what = f"{_named(group.cases, *report.nouns)}{says}"
    shown = [f"## {visible(title)}\n\n{visible(what)}\n"]
    parts = next(iter(report.findings(one)), {}).items()
    shown += [f"{name}:\n\n{_block(value)}\n" for name, value in parts if value is not None]
    shown += [f"To see it again:\n\n{indent(visible(report.again(one)), '    ')}\n"]
    return "\n".join(shown)


def _named(inputs: list[Record], one: str, many: str) -> str:
    """Return what inputs are about: one, or each of those that differ alike, the example first."""
    if not inputs[1:]:
        return f"{inputs[0]['title']}."
    # They differ alike, perhaps for several reasons: the title of one does not hold for all.
    listed = [f"- {each['title']} (`{each['id']}`)" for each in inputs[:_NAMED]]
    listed += [f"- and {len(inputs) - _NAMED:,} more"] if inputs[_NAMED:] else []
    return "\n".join([f"{counted(len(inputs), one, many)} show it; the first is below:\n", *listed])


def _block(value: Any) -> str:
    """Return a message unchanged, and anything else as JSON in a code block."""
    # What is indented cannot end the block, whatever is in it.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return indent(visible(text), "    ", lambda _: True)


#: The forms of one report, each by the name of its option.
FORMS: Final[dict[str, Callable[[Report], str]]] = {
    "junit": as_junit,
    "badge": as_badge,
    "html": lambda report: page([report]),
}
