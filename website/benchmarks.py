# SPDX-License-Identifier: MIT
"""The page of benchmarks: its text, and the stored run as charts and tables."""

import math
import shutil
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

from benchmarks.report import Measure, Report, Series, number, read

from website.text import escaped, prose, table, write

_HERE: Final = Path(__file__).parent
_REPORTS: Final = _HERE.parent / "benchmarks" / "reports"
STORED: Final = _REPORTS / "speed.json"
#: The run of formats beside the parsers of engines, which is a run of its own.
FORMATS: Final = _REPORTS / "formats.json"

#: The chart shows this measure, and the share of a core is that at this point of it.
_SHOWN: Final = "stream"
_LENGTH: Final = 20_000
#: Which measures are under which heading; the others are under the last.
_SECTIONS: Final = ("stream", "whole")
#: Tokens a second of a fast model.
_TOKENS: Final = 100
#: How many times cogwire's time the parser of an engine takes, or more, unless the page names it.
_GOAL: Final = 3

#: In units of the picture: its width, that of the names beside it, and the height of the plot.
_WIDTH: Final = 720
_NAMES: Final = 190
_PLOT: Final = 260
_TICKS: Final = tuple(digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5))


def write_page(pages: Path) -> None:
    """Write the page and the run that it shows."""
    report, formats = read(STORED), read(FORMATS)
    text = (_HERE / "benchmarks.md").read_text("utf-8")
    contents = {
        **_contents(report),
        "formats": _formats(formats),
        "formats-near": _near(formats),
        "formats-missing": _missing(formats),
        "formats-run": _run(formats),
        "formats-command": formats.command,
    }
    for name, content in contents.items():
        text = text.replace(f"{{{{{name}}}}}", content)
    write(pages / "benchmarks.md", text)
    shutil.copyfile(STORED, pages / "benchmarks.json")
    shutil.copyfile(FORMATS, pages / "benchmarks-formats.json")


def _contents(report: Report) -> dict[str, str]:
    shown = report.measure(_SHOWN)
    at = shown.points.index(_LENGTH)
    groups: dict[str, list[Measure]] = {name: [] for name in (*_SECTIONS, "rest")}
    for measure in report.measures:
        first = measure.id.partition("-")[0]
        groups[first if first in _SECTIONS else "rest"].append(measure)
    return {
        "run": _run(report),
        "lines": curves(shown),
        **{name: "\n\n".join(map(_table, group)) for name, group in groups.items()},
        "notes": _notes(report.measures),
        "missing": _missing(report),
        # A chunk is a token; so many µs of a second, in percent.
        "share": f"{shown.series[0].values[at] * _TOKENS / 1e4:.2g}",
    }


def _run(report: Report) -> str:
    return prose(
        f"Measured on {report.date}, commit `{report.commit}`: Python {report.python}, "
        f"{report.system}, {report.cpu}."
    )


def _formats(report: Report) -> str:
    """Return one row for each format and parser."""
    rows = [
        (
            escaped(measure.title),
            escaped(series.name + " *" * bool(series.note)),
            *_cells(measure, series),
        )
        for measure in report.measures
        for series in measure.series
    ]
    heads = ("format", report.measures[0].unit, *report.measures[0].heads())
    return table(heads, rows)


def _near(report: Report) -> str:
    """Return the parsers that take less than `_GOAL` times cogwire's time, with the formats."""
    near: dict[str, list[str]] = {}
    for measure in report.measures:
        for series in measure.series:
            least = min(measure.ratios(series))
            if least < _GOAL and not series.name.startswith("cogwire"):
                formats = near.setdefault(series.name, [])
                formats.append(f"{escaped(measure.title)} ({number(least)} ×)")
    return "\n".join(f"- {escaped(name)}: {', '.join(formats)}" for name, formats in near.items())


def _table(measure: Measure) -> str:
    rows = [(escaped(series.name), *_cells(measure, series)) for series in measure.series]
    heads = (f"{escaped(measure.title)}, {measure.unit}", *measure.heads())
    return table(heads, rows)


def _cells(measure: Measure, series: Series) -> list[str]:
    """Return each value with its ratio, and what says that they are lower bounds."""
    pairs = zip(series.values, measure.ratios(series), strict=True)
    return series.cells(f"{number(value)} ({number(ratio)} ×)" for value, ratio in pairs)


def _notes(measures: Iterable[Measure]) -> str:
    """Return the notes on the readers, each of them once."""
    notes: dict[str, list[str]] = {}
    for series in (series for measure in measures for series in measure.series):
        names = notes.setdefault(series.note, [])
        names += [series.name] * (series.name not in names)
    return "\n".join(
        f"- **{escaped('; '.join(names))}.** {prose(note)}" for note, names in notes.items() if note
    )


def _missing(report: Report) -> str:
    lines = [f"- {escaped(one.name)}: {escaped(one.reason)}" for one in report.missing]
    return "\n".join(["Not measured:\n", *lines]) if lines else ""


# --- Charts ---------------------------------------------------------------------------------


def curves(measure: Measure) -> str:
    """Return a line for each series over all points, both axes logarithmic, as HTML with SVG."""
    lengths = [math.log(int(one)) for one in measure.points]
    costs = [[math.log(value) for value in series.values] for series in measure.series]
    high = max(map(max, costs))
    low = max(tick for tick in map(math.log, _TICKS) if tick < min(map(min, costs)))
    left, right = 50, _WIDTH - _NAMES - 20

    def across(length: float) -> float:
        return left + (right - left) * (length - lengths[0]) / (lengths[-1] - lengths[0])

    def down(cost: float) -> float:
        return 10 + _PLOT * (high - cost) / (high - low)

    parts = []
    for tick in (tick for tick in _TICKS if low <= math.log(tick) <= high):
        y = down(math.log(tick))
        parts.append(f'<path d="M{left} {y:.1f}H{right}" class="grid"/>')
        parts.append(_text(left - 8, y + 4, number(tick), 1, anchor="end"))
    for length, one in zip(lengths, measure.points, strict=True):
        parts.append(_text(across(length), _PLOT + 30, f"{one:,}", 1, anchor="middle"))
    places = _spread([down(cost[-1]) for cost in costs])
    for row, (series, cost) in enumerate(zip(measure.series, costs, strict=True)):
        spots = [(across(x), down(y)) for x, y in zip(lengths, cost, strict=True)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        parts.append(f'<path d="M{path}"{_own(row, "line")}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"{_own(row)}/>' for x, y in spots]
        leader = f"M{right + 4} {spots[-1][1]:.1f}L{right + 16} {places[row]:.1f}"
        parts.append(f'<path d="{leader}" class="grid"/>')
        parts.append(_text(right + 20, places[row] + 4, series.name, row))
    caption = escape(
        f"{measure.title}, {measure.unit} over the length of the text in {measure.axis}, both "
        "logarithmic."
    )
    descriptions = (f"{one.name}: {', '.join(map(number, one.values))}" for one in measure.series)
    # One block of HTML, without blank lines; a wide picture scrolls in its own box.
    return "\n".join(
        [
            '<figure class="chart">',
            f'<div tabindex="0" role="group" aria-label="{caption}">',
            f'<svg role="img" viewBox="0 0 {_WIDTH} {_PLOT + 40}">',
            f"<title>{caption}</title>",
            f"<desc>{escape('; '.join(descriptions))}</desc>",
            *parts,
            "</svg>",
            f"</div>\n<figcaption>{caption}</figcaption>\n</figure>",
        ]
    )


def _spread(wanted: list[float], gap: float = 16) -> list[float]:
    """Return places as near to those `wanted` as leaves a gap between them, none below the plot."""
    places = list(wanted)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for above, below in pairwise(order):
        places[below] = max(places[below], places[above] + gap)
    lowest: float = _PLOT + 10
    for one in reversed(order):
        places[one] = min(places[one], lowest)
        lowest = places[one] - gap
    return places


def _own(row: int, kind: str = "") -> str:
    """Return the class of a shape: cogwire's, which is the first, stands out."""
    names = " ".join(filter(None, ("own" if row == 0 else "", kind)))
    return f' class="{names}"' if names else ""


def _text(x: float, y: float, text: str, row: int, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{_own(row)}>{escape(text)}</text>'
