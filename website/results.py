# SPDX-License-Identifier: MIT
"""The page of results: every implementation, every case, and a filter."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, forms
from cogwire_kit.conformance.corpus import Case
from website import errors, links
from website.clauses import Clauses
from website.standing import Implementation, Standing, failing
from website.text import code, page, prose, table, write

_TABLE = """\
<noscript><p>This table needs JavaScript. The page of each topic has its
<a href="cases.html">cases</a>, with who passes them.</p></noscript>
<form class="filter" id="filter" role="search" hidden>
<label>Find <input name="words" type="search" placeholder="title, id, clause, code or bug"></label>
<label>Dialect <select name="dialect"><option value="">all</option></select></label>
<label>Op <select name="op"><option value="">all</option></select></label>
<label>Verdict <select name="verdict"><option value="">all</option>
<option value="!">anything but pass</option></select></label>
<label class="check"><input name="unlike" type="checkbox"> where they differ</label>
</form>
<p><span id="about"></span> <span id="shown" role="status"></span>
<button id="whole" hidden>Show all</button></p>
<div class="matrix"><table id="matrix" class="matrix-table"></table></div>
<script type="module" src="theme/results.mjs"></script>"""

_OWN = """\
<div class="drop" id="own" hidden>
<label for="report">Compare your own report, the file that
<code>cogwire conformance run --report</code> wrote. It stays in this browser.</label>
<input id="report" type="file" accept=".jsonl">
<p id="told" role="status"></p>
</div>"""


_HEADS: Final = ("", "conforms", "passes", "asked", "drawn inputs", "corpus", "run on")


def write_page(pages: Path, standing: Standing, known: Clauses) -> None:
    """Write the page."""
    shown = standing.implementations
    folder = pages / "results"
    folder.mkdir()
    for one in shown:
        shutil.copyfile(one.path, folder / one.path.name)
        (folder / f"{one.name}.svg").write_text(forms.as_badge(one.report), "utf-8", newline="\n")
    blocks = [
        (
            "This page shows the results of implementations of the protocol on the cases of the "
            "[corpus](cases.md). Each is run unmodified, through an adapter, and asked only for "
            "what it claims: the rest is *unsupported*, and counts neither way. *Drawn inputs* are "
            "not cases of the corpus: each run [draws a set of them](spec/conformance.md#cf-fresh) "
            "for every dialect and op. A case is mandatory if one of its clauses is a MUST. "
            "[Conformance](spec/conformance.md) defines how a run works, and [Test your parser]"
            "(library/test-your-parser.md) shows how to get your own column. Parsers from the "
            "package index that are older than this specification never claimed to meet it; they "
            "show what it changes. A case that has changed since a run does not count in its row."
        ),
        table(_HEADS, [_summary(one, standing.cases) for one in shown]),
        "## By dialect",
        _dialects(standing),
        "## Who they are",
        *(_about(one) for one in shown),
        "## Cases { #cases }",
        _TABLE,
        _OWN,
    ]
    write(pages / "matrix.md", page("Conformance results", *blocks, hide=["toc"]))
    data = json.dumps(_data(standing, known), ensure_ascii=False, separators=(",", ":"))
    write(pages / "matrix.json", data)


def _summary(one: Implementation, cases: list[Case]) -> tuple[str, ...]:
    run = one.report.run
    passed, asked = one.tally(cases)
    known = {case.id for case in cases}
    drawn = one.tally([Case(each) for each in one.report.cases if each["id"] not in known])
    found = one.report.verdict
    kind, label = _KINDS[found.kind]
    return (
        f"[{one.name}](#{links.slug(one.name)})",
        f'<span class="verdict {kind}">{label}</span>',
        f"{passed:,}",
        f"{asked:,}",
        f"{drawn[0]} of {drawn[1]}" if drawn[1] else "",
        _corpus(run["corpus"]),
        run["started"][:10],
    )


def _corpus(asked: dict[str, str]) -> str:
    """Return the corpus of a run, with a remark if it is not today's."""
    name = f"{asked['version']} {code(asked['sha256'][:8])}"
    is_todays = asked["sha256"] == corpus.version(corpus.PLACE)["sha256"]
    return name if is_todays else f"{name}, not today's"


def _claims(target: dict[str, Any]) -> str:
    """Return in words what an adapter claims, and what it says that its parser lacks."""
    dialects = "; ".join(
        f"{code(name)} with {', '.join(map(code, abilities))}" if abilities else code(name)
        for name, abilities in target["dialects"].items()
    )
    lacks = f", and lacks {', '.join(map(code, target['lacks']))}" if target["lacks"] else ""
    unit = target["offset_unit"]
    offsets = f", with offsets in {code(unit)}" if unit != "codepoint" else ""
    return f"{', '.join(map(code, target['ops']))} in {dialects}{offsets}{lacks}"


#: The style of a verdict, and its name.
_KINDS: Final = {
    "conformant": ("pass", "yes"),
    "partial": ("late", "what it claims"),
    "failing": ("differs", "no"),
    "none": ("fault", "no verdict"),
}


def _about(one: Implementation) -> str:
    run, end = one.report.run, one.report.end
    found = prose(one.report.verdict.text.capitalize())
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


def _data(standing: Standing, known: Clauses) -> dict[str, Any]:
    """Return the data from which a browser makes the table of cases; its script reads them."""
    names = {
        **{each.id: f"spec/{each.page}#{each.id}" for each in known.all.values()},
        **{code: links.error(code) for code in errors.entries(known.spec)},
        **{flag: links.bug(flag) for flag in known.classes},
    }
    numbers = {name: number for number, name in enumerate(names)}
    pages: dict[str, int] = {}
    outcomes: dict[tuple[str, str], int] = {}
    rows = []
    for case in standing.cases:
        page_of = links.case(case).partition("#")[0].replace(".md", ".html")
        about = [*case.data["clauses"], *case.data["flags"], *sorted(errors.codes(case))]
        row = (
            case.id,
            case.data["title"],
            case.dialect,
            case.op,
            pages.setdefault(page_of, len(pages)),
            [numbers[name] for name in about if name in numbers],
            [
                outcomes.setdefault(_outcome(one, case), len(outcomes))
                for one in standing.implementations
            ],
        )
        rows.append(row)
    return {
        "implementations": [one.name for one in standing.implementations],
        "names": {name: goal.replace(".md", ".html") for name, goal in names.items()},
        "pages": list(pages),
        "told": list(outcomes),
        "cases": rows,
    }


def _outcome(one: Implementation, case: Case) -> tuple[str, str]:
    """Return a verdict, and the properties that fail; both are empty if the case was not run."""
    found: dict[str, Any] | None = one.record(case)
    if found is None:
        return ("", "")
    verdict = found["verdict"]
    return (verdict, ", ".join(failing(found)) if verdict != "unsupported" else "")
