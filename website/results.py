# SPDX-License-Identifier: MIT
"""The page of results: every implementation, every case, and a filter."""

import shutil
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import badge
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.verdict import verdict
from website import links
from website.standing import Implementation, Standing, failing
from website.text import code, page, prose, table, write

_FILTER = """\
<form class="filter" id="filter" role="search" hidden>
<label>Find <input name="words" type="search" placeholder="id, title, clause or class"></label>
<label>Dialect <select name="dialect"><option value="">all</option></select></label>
<label>Op <select name="op"><option value="">all</option></select></label>
<label>Verdict <select name="verdict"><option value="">all</option>
<option value="!">anything but pass</option></select></label>
<label class="check"><input name="unlike" type="checkbox"> where they differ</label>
</form>
<p><span id="shown" role="status"></span> <button id="whole" hidden>Show all</button></p>"""

_OWN = """\
<div class="drop" id="own" hidden>
<label for="report">See a report of your own beside them: what
<code>cogwire conformance run --report</code> wrote. It stays in this browser.</label>
<input id="report" type="file" accept=".jsonl">
<p id="told" role="status"></p>
</div>"""


_HEADS: Final = ("", "conforms", "passes", "asked", "corpus", "run on")


def write_page(pages: Path, standing: Standing) -> None:
    """Write the page."""
    shown = standing.implementations
    folder = pages / "results"
    folder.mkdir()
    for one in shown:
        shutil.copyfile(one.path, folder / one.path.name)
        (folder / f"{one.name}.svg").write_text(badge.written(one.report), "utf-8", newline="\n")
    blocks = [
        (
            "What implementations of the protocol do with the cases of the "
            "[corpus](cases.md). Each is run unmodified, through an adapter, and asked for "
            "what it claims alone: the rest is *unsupported*, and counts neither way. A case is "
            "mandatory if one of its clauses is a MUST. [Conformance](spec/conformance.md) says "
            "how a run works, and [Test your parser](library/test-your-parser.md) how to get a "
            "column of your own. Parsers of the package index that are older than this "
            "specification never claimed to meet it; they show what it changes."
        ),
        table(_HEADS, [_summary(one) for one in shown]),
        *(_about(one) for one in shown),
        "## By dialect",
        _dialects(standing),
        "## Cases",
        _OWN,
        _FILTER,
        _matrix(standing),
        '<script type="module" src="theme/results.mjs"></script>',
    ]
    write(pages / "matrix.md", page("Results", *blocks, search=False, hide=["toc"]))


def _summary(one: Implementation) -> tuple[str, ...]:
    run = one.report.run
    passed, asked = one.tally([Case(record) for record in one.report.cases])
    found = verdict(one.report)
    kind, told = _KINDS[found.kind]
    return (
        f"[{one.name}](#{links.slug(one.name)})",
        f'<span class="verdict {kind}">{told}</span>',
        f"{passed:,}",
        f"{asked:,}",
        f"{run['corpus']['version']} {code(run['corpus']['sha256'][:8])}",
        run["started"][:10],
    )


def _claims(target: dict[str, Any]) -> str:
    """Return in words what an adapter claims to do, and says that its parser lacks."""
    dialects = "; ".join(
        f"{code(name)} with {', '.join(map(code, abilities))}" if abilities else code(name)
        for name, abilities in target["dialects"].items()
    )
    lacks = f", and lacks {', '.join(map(code, target['lacks']))}" if target["lacks"] else ""
    return f"{', '.join(map(code, target['ops']))} in {dialects}{lacks}"


#: How a verdict is painted, and said in a word.
_KINDS: Final = {
    "conformant": ("pass", "yes"),
    "partial": ("late", "what it claims"),
    "failing": ("differs", "no"),
    "none": ("fault", "no verdict"),
}


def _about(one: Implementation) -> str:
    run, end = one.report.run, one.report.end
    found = prose(verdict(one.report).text.capitalize())
    target = run["target"]
    return (
        f"### {one.name} {{ #{links.slug(one.name)} }}\n\n{prose(one.about)} "
        f"{target['name']} {target['version']}, {target['language']}; "
        f"{end['answers']:,} answers in {end['seconds']:.0f} s. {found}."
        f" It claims {_claims(target)}."
        f" [Report](results/{one.path.name}), [badge](results/{one.name}.svg)."
    )


def _dialects(standing: Standing) -> str:
    names = dict.fromkeys(case.dialect for case in standing.cases)
    rows = []
    for one in standing.implementations:
        cells = []
        for name in names:
            passed, asked = one.tally([c for c in standing.cases if c.dialect == name])
            cells.append(f"{passed:,} of {asked:,}" if asked else "")
        rows.append((one.name, *cells))
    return table(("", *names), rows)


def _matrix(standing: Standing) -> str:
    """Return the table of all cases, as HTML: Markdown would take its time."""
    names = [one.name for one in standing.implementations]
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("case", *names))
    lines = ['<div class="matrix"><table id="matrix" class="matrix-table">']
    lines.append(f"<thead><tr>{heads}</tr></thead>")
    for dialect, cases in groupby(standing.cases, key=lambda case: case.dialect):
        lines.append(f'<tbody data-dialect="{dialect}">')
        lines.append(f'<tr><th colspan="{len(names) + 1}" scope="rowgroup">{dialect}</th></tr>')
        lines += [_row(case, standing) for case in cases]
        lines.append("</tbody>")
    return "\n".join([*lines, "</table></div>"])


def _row(case: Case, standing: Standing) -> str:
    words = " ".join([case.data["title"], *case.data["clauses"], *case.data["flags"]])
    page_of = links.case(case).replace(".md", ".html")
    cells = "".join(_cell(one, case) for one in standing.implementations)
    # A script shows the first; without one, the style sheet shows them all.
    return (
        f'<tr hidden id="{case.id}" data-op="{case.op}" data-words="{escape(words.lower())}">'
        f'<td><a href="{page_of}">{case.id}</a></td>{cells}</tr>'
    )


def _cell(one: Implementation, case: Case) -> str:
    """Return a cell; an empty one is quicker to draw, and there are thousands."""
    found: dict[str, Any] | None = one.record(case)
    if found is None:
        return "<td></td>"
    told = found["verdict"]
    names = ", ".join(failing(found)) if told != "unsupported" else ""
    title = f' title="{names}"' if names else ""
    return f'<td class="{told}"{title}>{told}</td>'
