# SPDX-License-Identifier: MIT
"""Reports as one self-contained HTML page: a matrix, a filter, and the result of each case."""

import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from cogwire_kit.conformance.judge import PASSING, VERDICTS
from cogwire_kit.conformance.reports import Record, Report
from cogwire_kit.conformance.terminal import again
from cogwire_kit.conformance.verdict import verdict
from cogwire_kit.texts.words import counted

_TEMPLATE: Final = Path(__file__).with_name("page.html")


def written(several: list[Report], kills: Iterable[Record] = ()) -> str:
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
            entry["results"][place] = result | {"again": again(case, report.run)}
    return sorted(found.values(), key=lambda case: str(case["dialect"]))


def _run(report: Report) -> str:
    run, end = report.run, report.end
    found = verdict(report)
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
