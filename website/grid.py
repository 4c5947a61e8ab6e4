# SPDX-License-Identifier: MIT
"""Parsers by formats: how many calls that a template defines each reads, however they are cut.

Texts whose meaning we had to decide do not count, because whoever decided otherwise has not failed;
nor do those without a call, which a parser reads that returns its input.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, formats, text_reports
from cogwire_kit.conformance.formats import FormatCase
from website.readings import Reading, counts, readings
from website.text import table

#: Where README has the grid, and the page of results its tables, each between two lines.
README: Final = Path(__file__).parents[1] / "README.md"
RESULTS: Final = corpus.PLACE / "formats" / "results.md"
_PARSERS: Final = corpus.PLACE / "adapters" / "formats" / "parsers.toml"
BEGIN: Final = "<!-- The stored results: `python -m website grid` writes them. -->\n"
_END: Final = "\n<!-- The end of the results. -->"
#: README shows only formats that so many parsers of others read, and parsers of so many of these.
_READERS: Final = 6
_READ: Final = 3
_OWN: Final = "cogwire"
#: From which share on a cell has the second colour.
_MOST: Final = 0.9


@dataclass(frozen=True)
class Cell:
    """How one parser reads the texts of one format that count, in their present revision."""

    reading: Reading
    #: How many texts are read as expected in every cut, in one piece at least, and were asked.
    right: int
    whole: int
    asked: int
    #: How many were run only in an earlier revision.
    outdated: int
    #: The shortest text that it does not read in every cut.
    breaking: FormatCase | None

    @property
    def share(self) -> str:
        """The share of texts that are read in every cut; 100 % only if it is all of them."""
        return f"{100 * self.right // self.asked} %"

    @property
    def both(self) -> str:
        """The share, and after it that of texts in one piece if it is another one."""
        more = f" ({100 * self.whole // self.asked})" if self.whole > self.right else ""
        return self.share + more

    @property
    def summary(self) -> str:
        """The numbers in words."""
        texts = f"{self.right} of {self.asked} texts in every cut, {self.whole} in one piece"
        texts += f", {self.outdated} outdated" if self.outdated else ""
        return f"{self.reading.title}, {self.reading.format}: {texts}"


@dataclass(frozen=True)
class Grid:
    """The parsers and formats that have results, in the order in which they are shown."""

    parsers: list[str]
    formats: list[str]
    cells: dict[tuple[str, str], Cell]


def grid() -> Grid:
    """Return what is stored, sorted by who reads most and what is read most, cogwire first."""
    known = {*formats.names(), *formats.shaped()}
    found = {(one.title, one.format): _cell(one) for one in readings() if one.format in known}
    cells = {place: cell for place, cell in found.items() if cell}
    readers = Counter(title for title, _ in cells)
    read = Counter(name for _, name in cells)
    parsers = sorted(readers, key=lambda title: (_OWN not in title, -readers[title], title))
    return Grid(parsers, sorted(read, key=lambda name: (-read[name], name)), cells)


def _cell(one: Reading) -> Cell | None:
    cases = [case for case in formats.load(one.format).cases if _counts(case)]
    records = [(case, record) for case in cases if (record := one.record(case))]
    if not records:
        return None
    broken = [case for case, record in records if not text_reports.read([record])]
    return Cell(
        one,
        *counts([record for _, record in records]),
        len(records),
        len(one.outdated(cases)),
        min(broken, key=lambda case: len(case.text), default=None),
    )


def _counts(case: FormatCase) -> bool:
    return not case.is_decided and bool(case.data["expect"]["calls"])


def as_html() -> str:
    """Return the grid as HTML; each cell leads to the shortest text that the parser breaks."""
    shown = grid()
    heads = "".join(_head(shown, title) for title in shown.parsers)
    rows = "\n".join(_row(shown, name) for name in shown.formats)
    return (
        '<div class="matrix"><table class="shares">\n'
        f'<thead><tr><th scope="col">format</th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>'
        "</table></div>"
    )


def _head(shown: Grid, title: str) -> str:
    reading = next(cell.reading for (named, _), cell in shown.cells.items() if named == title)
    parser = reading.report["parser"]
    goal, name = f"formats.html#{parser['name']}", escape(parser["title"]).replace("_", "_<wbr>")
    return f'<th scope="col"><a href="{goal}" title="{escape(title)}">{name}</a></th>'


def _row(shown: Grid, name: str) -> str:
    lacking = {
        f"{one['title']} {one['version']}"
        for one in corpus.tables(_PARSERS, "parser")
        if name in one.get("lacking", ())
    }
    cells = "".join(
        "<td>none</td>" if title in lacking else _td(shown.cells.get((title, name)))
        for title in shown.parsers
    )
    head = f'<a href="formats/{name}.html">{escape(name)}</a>'
    return f'<tr><th scope="row">{head}</th>{cells}</tr>'


def _td(cell: Cell | None) -> str:
    if cell is None:
        return "<td>–</td>"
    goal = f"formats/{cell.reading.format}.html"
    goal += f"#{cell.breaking.id}" if cell.breaking else ""
    share = cell.right / cell.asked
    kind = "pass" if share == 1 else "late" if share >= _MOST else "differs"
    label = escape(cell.summary)
    return f'<td class="{kind}"><a href="{goal}" title="{label}">{cell.both}</a></td>'


def as_markdown() -> str:
    """Return the grid in short, for README: the formats that most parsers read, and these."""
    shown = grid()
    counts = {
        name: sum((title, name) in shown.cells for title in shown.parsers if _OWN not in title)
        for name in shown.formats
    }
    kept = [name for name in shown.formats if counts[name] >= _READERS]
    rows = (tuple(_shares(shown, title, kept)) for title in shown.parsers)
    kept_rows = [row for row in rows if len([*filter(None, row[1:])]) >= _READ]
    return table(("parser", *(f"`{name}`" for name in kept)), kept_rows)


def _shares(shown: Grid, title: str, kept: Sequence[str]) -> Iterator[str]:
    yield title
    for name in kept:
        cell = shown.cells.get((title, name))
        yield cell.both if cell else ""


def in_readme() -> str:
    """Return README with the grid as it is stored now."""
    return _with(README, [as_markdown()])


def in_results() -> str:
    """Return the page of results with its tables, as they are stored now."""
    parsers = corpus.tables(_PARSERS, "parser")
    order = [one["name"] for one in parsers]
    found = sorted(readings(), key=lambda one: order.index(one.report["parser"]["name"]))
    shown = [_tallies(found, names) for names in (formats.names(), formats.shaped())]
    return _with(RESULTS, [*shown, _commands(parsers), _absent(parsers)])


def _absent(parsers: Sequence[dict[str, Any]]) -> str:
    """Return the table of the formats without a row of an engine, and what that means."""
    rows = (
        (f"{one['title']} {one['version']}", ", ".join(one["lacking"]), ", ".join(one["unasked"]))
        for one in parsers
        if "lacking" in one
    )
    return table(("parser", "has no parser of", "has one that was not run"), rows)


def _tallies(found: Sequence[Reading], names: Sequence[str]) -> str:
    """Return the table of the counts of every parser of these formats."""
    heads = ("format", "parser", "template", "decided", "late", "cut markers", "answered")
    rows = (
        (name, one.title, *one.tallies(formats.load(name).cases))
        for name in names
        for one in found
        if one.format == name
    )
    return table(heads, rows)


def _commands(parsers: Sequence[dict[str, Any]]) -> str:
    """Return the table of how each row is run."""
    found: dict[str, list[Reading]] = {}
    for one in readings():
        found.setdefault(one.title, []).append(one)
    packages = {one["name"]: one["package"] for one in parsers}
    rows = [
        (
            title,
            packages[those[0].report["parser"]["name"]],
            _period(one.report["date"] for one in those),
            f"`{' '.join(those[0].report['command'])}`",
            _without(those),
        )
        for title, those in found.items()
    ]
    names = ("parser", "package", "run on", "COMMAND", "with `--without reasoning`")
    return table(names, rows)


def _period(dates: Iterable[str]) -> str:
    """Return the day of several runs, or the first and the last one."""
    found = sorted({*dates})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _without(those: Sequence[Reading]) -> str:
    """Return the formats of which a parser was not sent the texts with reasoning."""
    found = [one.format for one in those if one.report["without"]]
    others = [one.format for one in those if not one.report["without"]]
    if len(others) >= len(found):
        return ", ".join(found)
    return f"all but {', '.join(others)}" if others else "all"


def _with(path: Path, tables: Sequence[str]) -> str:
    """Return a file with its tables, each between two lines."""
    before, *rest = path.read_text("utf-8").split(BEGIN)
    parts = zip(tables, rest, strict=True)
    shown = (f"{BEGIN}\n{each}\n{_END}{one.partition(_END)[2]}" for each, one in parts)
    return before + "".join(shown)


def renew() -> None:
    """Write the grid into README, and its tables into the page of results."""
    for path, text in ((README, in_readme()), (RESULTS, in_results())):
        path.write_text(text, "utf-8", newline="\n")
