# SPDX-License-Identifier: MIT
"""The pages of the formats that models are trained on: what their texts say, and who reads them."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, formats
from cogwire_kit.conformance.formats import Format, FormatCase
from website.text import code, escaped, page, prose, seen, table, write

#: The results of parsers, as `make format-reports` stores them.
STORED: Final = corpus.PLACE / "reports" / "formats"

Record = dict[str, Any]

#: The style of a verdict, and its name.
_KINDS: Final = {"right": ("pass", "yes"), "cuts": ("late", "whole"), "wrong": ("differs", "no")}

_INTRODUCTION: Final = (
    "For each format the corpus has texts with their meaning, and the results of parsers: those "
    "of other projects unmodified and without their servers. Each text is sent whole, and [cut in "
    "many ways](spec/conformance.md#formats). The first number is how many texts are read as "
    "expected in every cut, the one in brackets how many are in one piece. *Template* counts the "
    "texts whose meaning the format's public template defines; *decided* counts those for which "
    "no template does, so that we had to decide: there a difference is not a deviation from a "
    "standard. *Same* counts the texts that have the same outcome in every cut, whatever it is; a "
    "text that the parser answers with an error is not compared, but counted as *refused*. "
    "`cogwire conformance format` tests [your own parser](library/test-your-parser.md#formats). "
    "cogwire's own readers were developed with these texts: their rows show only that they still "
    "read them."
)
_OTHERS: Final = (
    "These formats have no page of their own. Most of their texts are shapes of the corpus, "
    "written from our description of the format: they lack white space between markers that a "
    "template may write, and a parser that needs it is not listed."
)
_LEGEND: Final = (
    "*yes*: read as expected in every cut. *whole*: in one piece, but not in every cut. *no*: not "
    "even in one piece. Open a text to see it and what passes."
)


@dataclass(frozen=True)
class Reading:
    """The result of a parser on a format, as it was stored."""

    path: Path
    report: Record

    @property
    def title(self) -> str:
        """The parser, with its version."""
        return f"{self.report['parser']['title']} {self.report['parser']['version']}"

    @property
    def format(self) -> str:
        """The name of the format."""
        return str(self.report["format"])

    @cached_property
    def records(self) -> dict[tuple[str, int], Record]:
        """The result of each case, by its id and its revision."""
        return {(one["id"], one["revision"]): one for one in self.report["cases"]}

    def record(self, case: FormatCase) -> Record | None:
        """Return the result of a case, unless it was not asked as it is now."""
        return self.records.get((case.id, case.revision))

    def tally(self, cases: Sequence[FormatCase], *, decided: bool) -> str:
        """Return how many texts are read as expected, of how many."""
        found = [self.record(case) for case in cases if case.is_decided is decided]
        verdicts = [one["verdict"] for one in found if one]
        if not verdicts:
            return ""
        whole = len(verdicts) - verdicts.count("wrong")
        return f"{verdicts.count('right')} of {len(verdicts)} ({whole})"


def readings(folder: Path = STORED) -> list[Reading]:
    """Return what is stored, by parser and by format."""
    found = [Reading(path, json.loads(path.read_text("utf-8"))) for path in folder.glob("*.json")]
    return sorted(found, key=lambda one: (one.title.lower(), one.format))


def write_pages(pages: Path) -> None:
    """Write the page of all formats, and one for each of them."""
    known = [formats.load(name) for name in formats.names()]
    found = readings()
    asked = {one.format for one in found} - set(formats.names())
    others = [formats.load(name) for name in formats.shaped() if name in asked]
    folder = pages / "formats"
    folder.mkdir()
    for one in found:
        shutil.copyfile(one.path, folder / one.path.name)
    for each in (*known, *others):
        those = [one for one in found if one.format == each.name]
        write(folder / f"{each.name}.md", _format_page(each, those))
    write(pages / "formats.md", page("Formats", *_overview(known, others, found), hide=["toc"]))


def _overview(known: list[Format], others: list[Format], found: list[Reading]) -> Iterator[str]:
    yield _INTRODUCTION
    titles = list(dict.fromkeys(one.title for one in found))
    by_title = {title: [one for one in found if one.title == title] for title in titles}
    for each in known:
        rows = [_row(one, each) for one in found if one.format == each.name]
        yield f"## {escaped(each.title)} {{ #{each.name} }}"
        label = f"The format, its {len(each.cases)} texts, and which parsers read each"
        yield f"[{label}](formats/{each.name}.md)."
        yield (
            table(("", "language", "template", "decided", "same"), rows)
            if rows
            else "No parser has been tested yet."
        )
    if others:
        yield "## Other formats { #others }"
        yield _OTHERS
        rows = [
            (f"[{each.name}](formats/{each.name}.md)", *_row(one, each)[:-1])
            for each in others
            for one in found
            if one.format == each.name
        ]
        yield table(("format", "", "language", "template", "decided"), rows)
    yield "## The parsers"
    for title in titles:
        yield _about(title, by_title[title])
    yield _remarks((corpus.PLACE / "formats" / "results.md").read_text("utf-8"))


def _row(one: Reading, each: Format) -> tuple[str, ...]:
    tallies = [one.tally(each.cases, decided=decided) for decided in (False, True)]
    same = _same(one.report["invariance"]) if "invariance" in one.report else ""
    return (escaped(one.title), one.report["parser"]["language"], *tallies, same)


def _same(invariance: Record) -> str:
    failed = f", {invariance['failed']} refused" if invariance["failed"] else ""
    return f"{invariance['same']} of {invariance['texts'] - invariance['failed']}{failed}"


def _about(title: str, those: list[Reading]) -> str:
    links = ", ".join(f"[{one.format}](formats/{one.path.name})" for one in those)
    parts = {
        part: [one.format for one in those if part in one.report["without"]]
        for part in sorted({part for one in those for part in one.report["without"]})
    }
    without = "".join(f" Not tested for {part} in {', '.join(n)}." for part, n in parts.items())
    report = those[0].report
    command = code(" ".join(report["command"]))
    return (
        f"**{escaped(title)}** ({report['parser']['language']}). {prose(report['parser']['about'])}"
        f"{without} Run on {report['date']} with {command}. Reports: {links}."
    )


_LINK: Final = re.compile(r"\]\((?!https?:)[^)]*\)")


def _remarks(text: str) -> str:
    """Return the sections that are written by hand, without links to files beside them."""
    _, heading, rest = text.partition("\n## ")
    return _LINK.sub("]", f"{heading.strip()} {rest}") if heading else ""


#: Links between the files of the corpus.
_BESIDE: Final = re.compile(r"\]\(\.\./(?:(?P<format>[\w.-]+)/README|results)\.md\)")


def _linked(text: str) -> str:
    """Return a format's page with links to the pages of the site."""
    return _BESIDE.sub(lambda m: f"]({m['format'] or '../formats'}.md)", text)


def _format_page(each: Format, those: list[Reading]) -> str:
    path = corpus.PLACE / "formats" / each.name / "README.md"
    text = _linked(path.read_text("utf-8")).partition("\n")[2] if path.exists() else ""
    return page(
        each.title,
        "[All formats](../formats.md)",
        text.strip(),
        "## The texts",
        _LEGEND,
        _matrix(each, those),
        hide=["toc"],
    )


def _matrix(each: Format, those: list[Reading]) -> str:
    """Return the table of the texts, as HTML."""
    heads = "".join(f'<th scope="col">{escape(one.title)}</th>' for one in those)
    lines = ['<div class="matrix"><table class="matrix-table">']
    lines.append(f'<thead><tr><th scope="col">text</th>{heads}</tr></thead><tbody>')
    for case in each.cases:
        cells = "".join(_cell(one.record(case)) for one in those)
        lines.append(f'<tr id="{escape(case.id)}"><td>{_text(case)}</td>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def _text(case: FormatCase) -> str:
    """Return the cell of a text, which shows it when it is opened."""
    outcomes = "".join(
        f"<pre>{_shown(json.dumps(one, ensure_ascii=False))}</pre>" for one in case.outcomes
    )
    basis = "We decided this." if case.is_decided else "The template says this."
    return (
        f"<details><summary>{escape(case.data['title'])}</summary>"
        f"<p>{escape(case.id)}. {basis}</p><pre>{_shown(case.text)}</pre>"
        f"<p>What passes:</p>{outcomes}</details>"
    )


def _shown(text: str) -> str:
    """Return a text in HTML that no reader of Markdown takes for anything else."""
    return escape(seen(text)).replace("\n", "&#10;")


def _cell(found: Record | None) -> str:
    if found is None:
        return "<td></td>"
    kind, word = _KINDS[found["verdict"]]
    title = f"{found['differing']:,} of {found['cuts']:,} cuts differ"
    return f'<td class="{kind}" title="{title}">{word}</td>'
