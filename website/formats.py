# SPDX-License-Identifier: MIT
"""The pages of the formats that models write: which model writes which, and who reads it how."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import cogwire
from cogwire import KnownFormat
from cogwire_kit.cli.formats import description, example_calls, limits_of
from cogwire_kit.conformance import corpus, formats
from cogwire_kit.conformance.formats import FormatCase, FormatCases
from cogwire_kit.conformance.judge import Record
from website import differences, grid
from website.readings import Reading, readings
from website.text import code, escaped, fence, page, prose, seen, table, write

_WHICH: Final = (
    "Look for your model here or with the search of this site. The name of its format, or one of "
    "its aliases, is accepted wherever a dialect is: by `Parser`, `Toolset` and every other "
    "function of the library, and by the `--dialect` of each command. The page of a format shows a "
    "text in it, the two lines of Python that read it, what the format cannot do, and how the "
    "parsers of engines read it."
)
_ASK: Final = (
    "`cogwire detect --model NAME` finds the format by the name of a model, and `cogwire detect "
    "--template tokenizer_config.json` by its chat template, which is more reliable. In a program, "
    "`cogwire.detect_format` does the same; it also accepts the text of a turn."
)
_ABSENT: Final = (
    "If your model is not in the table, first pass its chat template to `cogwire detect "
    "--template`: many models write the format of another one. If no format fits and the model "
    "has a `response_template`, `cogwire format from tokenizer_config.json` describes its format. "
    "Otherwise [describe what it writes](library/formats.md#describe-your-own): a description is "
    "a file of JSON, which is accepted wherever a name is. Begin with one of a similar format: "
    "`cogwire format show NAME --json > my.json`."
)
_RESULTS: Final = (
    "Each number is the share of a format's texts that a parser reads as expected, however they "
    "are cut into chunks. Where the parser reads more of them in one piece, that share is in "
    "brackets. The number links to the shortest text that the parser does not read in every cut. "
    "Only texts that contain a call, and whose meaning the format's public template defines, count "
    "here; the page of a format has the others too. Parsers of other projects are unmodified and "
    "run without their servers; the versions, dates and commands are [below](#the-parsers). [How a "
    "format is tested](spec/conformance.md#formats) says which cuts are tried, and `cogwire "
    "conformance format` tests [your own parser](library/test-your-parser.md#formats). cogwire's "
    "own readers were developed with these texts, so their column shows only that they still read "
    "them. *none* means that the engine has no parser of the format, by the names in its registry, "
    "and – that its parser was not run."
)
_COUNTS: Final = (
    "The first number is how many texts are read as expected in every cut, and the number in "
    "brackets is how many are in one piece. *Template* counts the texts whose meaning the format's "
    "public template defines, and *decided* those where we had to decide, so that a difference is "
    "not a deviation from a standard. *Late* counts the texts of both columns that are read as "
    "expected, but of which something is returned later than it could be; *at the end* is for a "
    "parser that returns nothing before the end of a text. *Cut markers* counts the texts that are "
    "read in the same way when a marker that is one token is cut; the other columns count no such "
    "cut. "
    "*Answered* says for how many of the format's texts the report has an answer. An answer to an "
    "earlier revision of a text is *outdated* and counts nowhere else; a text that is *newer* than "
    "the run has no answer; and other texts need what the parser or its adapter does not have. "
    "*Same* counts the texts that have the same outcome in every cut, whatever it is; a text that "
    "the parser answers with an error is counted as *refused* instead."
)
_LEGEND: Final = (
    "*yes*: read as expected in every cut. *late*: the same, but something arrives later than it "
    "could. *whole*: in one piece, but not in every cut. *no*: not even in one piece. *outdated*: "
    "only an earlier revision of the text was run. Open a text to see it and what passes."
)
_SHAPES: Final = (
    "Where a format has no page written by hand, most of its texts are shapes of the corpus, "
    "written from our description of the format: they lack white space between markers that a "
    "template may write, and a parser that needs it is not listed."
)
#: An empty field of the filter, which theme/site.mjs brings to life.
_FILTER: Final = '<div class="narrow" data-rows=".which tbody tr" data-of="formats"></div>'


def write_pages(pages: Path) -> None:
    """Write the page of all formats by model, that of all results, and one for each format."""
    catalogue = {each.name: each for each in cogwire.formats()}
    in_corpus = {name: formats.load(name) for name in (*formats.names(), *formats.shaped())}
    found = [one for one in readings() if one.format in in_corpus]
    folder = pages / "formats"
    folder.mkdir()
    for one in found:
        shutil.copyfile(one.path, folder / one.path.name)
    for name in sorted({*catalogue, *in_corpus}):
        those = [one for one in found if one.format == name]
        text = _format_page(name, catalogue.get(name), in_corpus.get(name), those)
        write(folder / f"{name}.md", text)
    rows = _which(sorted(catalogue.values(), key=lambda each: each.name), found)
    absent = ("## If your model is not here { #absent }", _ABSENT)
    which = page("Which format does my model write?", _WHICH, _ASK, rows, *absent, hide=["toc"])
    write(pages / "which-format.md", which)
    text = (corpus.PLACE / "formats" / "results.md").read_text("utf-8")
    differing = differences.write_pages(pages / "parsers", found, _remarks(text))
    results = _results(found, text, differing)
    write(pages / "formats.md", page("Parsers by format", *results, hide=["toc"]))


# --- All formats ----------------------------------------------------------------------------------


def _which(known: Sequence[KnownFormat], found: Sequence[Reading]) -> str:
    """Return the table of the models of each format, as HTML."""
    read_by: dict[str, list[str]] = {}
    for one in found:
        read_by.setdefault(one.format, []).append(one.report["parser"]["title"])
    rows = "\n".join(_which_row(each, read_by.get(each.name, [])) for each in known)
    return (
        f'{_FILTER}\n<div class="matrix which"><table class="matrix-table">\n'
        '<thead><tr><th scope="col">format</th><th scope="col">models</th>'
        '<th scope="col">also called</th><th scope="col">results of</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _which_row(known: KnownFormat, readers: Sequence[str]) -> str:
    name = escape(known.name)
    others = ", ".join(title for title in readers if title != "cogwire")
    cells = (
        f'<a href="formats/{name}.html"><code>{name}</code></a>',
        escape(", ".join(known.models)),
        ", ".join(f"<code>{escape(alias)}</code>" for alias in known.aliases),
        escape(others),
    )
    return f'<tr id="{name}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _results(found: Sequence[Reading], text: str, differing: Mapping[str, str]) -> Iterator[str]:
    yield _RESULTS
    yield grid.as_html()
    yield from _caveats(text)
    yield _SHAPES
    yield "## The parsers"
    titles = dict.fromkeys(one.title for one in found)
    for title in titles:
        those = [one for one in found if one.title == title]
        yield from _about(title, those, differing.get(title))
    yield _remarks(text)


def _about(title: str, those: Sequence[Reading], differing: str | None) -> Iterator[str]:
    links = ", ".join(f"[{one.format}](formats/{one.path.name})" for one in those)
    parts = {
        part: [one.format for one in those if part in one.report["without"]]
        for part in sorted({part for one in those for part in one.report["without"]})
    }
    without = "".join(f" Not tested for {part} in {', '.join(n)}." for part, n in parts.items())
    differs = f" [What differs, as texts to send]({differing})." if differing else ""
    report = those[0].report
    command = code(" ".join(report["command"]))
    yield f"### {escaped(title)} {{ #{report['parser']['name']} }}"
    yield (
        f"{report['parser']['language']}. {prose(report['parser']['about'])}"
        f"{without} Run on {report['date']} with {command}.{_older(those)}{differs} "
        f"Reports: {links}."
    )


def _older(those: Sequence[Reading]) -> str:
    """Return a sentence if some rows were run on an earlier corpus, else an empty text."""
    today = corpus.version(corpus.PLACE)["sha256"]
    older = [one.format for one in those if one.report["corpus"]["sha256"] != today]
    if not older:
        return ""
    which = "" if len(older) == len(those) else f" in {', '.join(older)}"
    return f" The corpus has changed since then{which}: only texts that are still the same count."


_LINK: Final = re.compile(r"\]\((?!https?:)[^)]*\)")


def _caveats(text: str) -> Iterator[str]:
    """Yield what is written by hand between the first paragraph and the first table."""
    before, _, _ = text.partition(grid.BEGIN)
    yield from (_LINK.sub("]", one) for one in before.split("\n\n")[2:] if one.strip())


def _remarks(text: str) -> str:
    """Return the sections that are written by hand, without links to files beside them."""
    _, heading, rest = text.partition("\n## ")
    return _LINK.sub("]", f"{heading.strip()} {rest}") if heading else ""


# --- One format -----------------------------------------------------------------------------------

#: Links between the files of the corpus.
_BESIDE: Final = re.compile(r"\]\(\.\./(?:(?P<format>[\w.-]+)/README|results)\.md\)")


def _format_page(
    name: str, known: KnownFormat | None, tested: FormatCases | None, those: Sequence[Reading]
) -> str:
    blocks = ["[All formats, by model](../which-format.md)"]
    blocks += _of_catalogue(known) if known else []
    if tested:
        blocks += _read_by(tested, those)
        blocks += [_definition(name), "## The texts", _LEGEND, _matrix(tested, those)]
    title = f"{name}: the calls of {known.models[0]}" if known and known.models else name
    return page(title, *blocks, hide=["toc"])


def _of_catalogue(known: KnownFormat) -> Iterator[str]:
    """Yield what the catalogue says of a format, as blocks of Markdown."""
    aliases = f" It is also called {', '.join(map(code, known.aliases))}." if known.aliases else ""
    yield (
        f"{escaped(', '.join(known.models))} write this format, as [its source]({known.source}) "
        f"shows.{aliases}"
    )
    form = known.format
    yield fence(cogwire.render_calls(example_calls(form), known))
    yield "Two lines of Python read a turn, and `chunks` is whatever your server streams:"
    reading = f'cogwire.iter_events(chunks, cogwire.Parser("{known.name}"))'
    yield fence(f"for event in {reading}:\n    print(event)", "python")
    if limits := limits_of(known):
        yield f"**What it cannot do.** {prose(' '.join(limits))}"
    yield (
        '<details markdown="1"><summary>Its description, to begin your own with</summary>\n\n'
        f"{fence(description(form), 'json')}\n\n</details>"
    )


def _read_by(tested: FormatCases, those: Sequence[Reading]) -> Iterator[str]:
    yield "## Who reads it"
    if not those:
        yield f"No parser of others has been run on its {len(tested.cases)} texts yet."
        return
    yield table(
        ("", "language", "template", "decided", "late", "cut markers", "answered", "same"),
        [_row(one, tested) for one in those],
    )
    yield f"{_COUNTS} [All parsers and formats](../formats.md)."


def _row(one: Reading, each: FormatCases) -> tuple[str, ...]:
    same = _same(one.report["invariance"]) if "invariance" in one.report else ""
    title = f"[{escaped(one.title)}](../formats.md#{one.report['parser']['name']})"
    return (title, one.report["parser"]["language"], *one.tallies(each.cases), same)


def _same(invariance: Record) -> str:
    failed = f", {invariance['failed']} refused" if invariance["failed"] else ""
    return f"{invariance['same']} of {invariance['texts'] - invariance['failed']}{failed}"


def _definition(name: str) -> str:
    """Return what the corpus says of a format, with links to the pages of the site."""
    path = corpus.PLACE / "formats" / name / "README.md"
    if not path.exists():
        return ""
    text = _BESIDE.sub(lambda m: f"]({m['format'] or '../formats'}.md)", path.read_text("utf-8"))
    return f"## The format\n{text.partition(chr(10))[2]}".replace("\n## ", "\n### ").strip()


def _matrix(each: FormatCases, those: Sequence[Reading]) -> str:
    """Return the table of the texts, as HTML."""
    heads = "".join(f'<th scope="col">{escape(one.title)}</th>' for one in those)
    lines = ['<div class="matrix"><table class="matrix-table">']
    lines.append(f'<thead><tr><th scope="col">text</th>{heads}</tr></thead><tbody>')
    older = {one.path: one.outdated(each.cases) for one in those}
    for case in each.cases:
        cells = "".join(_cell(one, case, older[one.path]) for one in those)
        lines.append(f'<tr id="{escape(case.id)}"><td>{_text(case, those)}</td>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def _text(case: FormatCase, those: Sequence[Reading]) -> str:
    """Return the cell of a text, which shows it when it is opened."""
    outcomes = "".join(f"<pre>{_shown(_json(one))}</pre>" for one in case.outcomes)
    basis = "We decided this." if case.is_decided else "The template says this."
    return (
        f"<details><summary>{escape(case.data['title'])}</summary>"
        f"<p>{escape(case.id)}. {basis}</p><pre>{_shown(case.text)}</pre>"
        f"<p>What passes:</p>{outcomes}{''.join(_others(case, those))}</details>"
    )


def _others(case: FormatCase, those: Sequence[Reading]) -> Iterator[str]:
    """Yield what parsers return instead, where the reports have it."""
    for one in those:
        found = one.record(case)
        if found and "gives" in found:
            chunks = f" of the chunks {_json(found['chunks'])}" if "chunks" in found else ""
            yield f"<p>What {escape(one.title)} makes{_shown(chunks)}:</p>"
            yield f"<pre>{_shown(_json(found['gives']))}</pre>"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(text: str) -> str:
    """Return a text as HTML in which Markdown has no effect."""
    return escape(seen(text)).replace("\n", "&#10;")


_WORDS: Final = {"pass": ("pass", "yes"), "late": ("late", "late")}


def _cell(one: Reading, case: FormatCase, outdated: Sequence[str]) -> str:
    found = one.record(case)
    if found is None:
        return f"<td>{'outdated' if case.id in outdated else ''}</td>"
    kind, word = ("differs", "no") if "whole" in found else ("late", "whole")
    kind, word = _WORDS.get(found["verdict"], (kind, word))
    title = f"{found['differing']:,} of {found['cuts']:,} cuts differ"
    return f'<td class="{kind}" title="{title}">{word}</td>'
