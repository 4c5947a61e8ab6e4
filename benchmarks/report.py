"""The results of a run of the benchmarks, as JSON for programs and as a table for people."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Series:
    """The values of one reader, at each point of its measure."""

    name: str
    #: What it does not do, or does differently from cogwire; may be empty.
    note: str
    values: list[float]
    #: The indices of the points at which it was stopped, so that it takes longer than the value.
    over: list[int] = field(default_factory=list)

    def cells(self, texts: Iterable[str]) -> list[str]:
        """Return texts about its values, with what says that they are lower bounds."""
        return [f"over {text}" if at in self.over else text for at, text in enumerate(texts)]


@dataclass(frozen=True)
class Measure:
    """One measurement, of cogwire first and then of the readers with which it is compared."""

    id: str
    title: str
    #: For `MB/s` more is better; for everything else less is better.
    unit: str
    #: The unit of the points; unused if the points are names.
    axis: str
    points: list[int | str]
    series: list[Series]

    def __post_init__(self) -> None:
        for one in self.series:
            if len(one.values) != len(self.points) or not all(value > 0 for value in one.values):
                raise ValueError(f"{self.id}: {one.name} needs {len(self.points)} positive values")

    def heads(self) -> list[str]:
        """Return each point as the head of a column."""
        return [f"{one:,} {self.axis}" if isinstance(one, int) else one for one in self.points]

    def ratios(self, series: Series) -> list[float]:
        """Return the time of a series as a multiple of cogwire's."""
        pairs = zip(self.series[0].values, series.values, strict=True)
        return [ours / its if self.unit == "MB/s" else its / ours for ours, its in pairs]


@dataclass(frozen=True)
class Missing:
    """What could not be measured, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Report:
    """One run, all of it on one machine."""

    command: str
    #: The day, as in 2026-11-23, and the commit that was measured.
    date: str
    commit: str
    python: str
    system: str
    cpu: str
    measures: list[Measure]
    missing: list[Missing]

    def measure(self, identity: str) -> Measure:
        """Return a measure; raises `KeyError` if the run did not have it."""
        for one in self.measures:
            if one.id == identity:
                return one
        raise KeyError(identity)


def read(path: Path) -> Report:
    """Return the report in a file; raises `ValueError` if the file is not a report."""
    try:
        data = json.loads(path.read_text("utf-8"))
        measures = [
            Measure(**{**one, "series": [Series(**each) for each in one["series"]]})
            for one in data.pop("measures")
        ]
        missing = [Missing(**one) for one in data.pop("missing")]
        return Report(**data, measures=measures, missing=missing)
    except (TypeError, KeyError, AttributeError) as failure:
        raise ValueError(f"{path} is no report of benchmarks: {failure}") from failure


def write(report: Report, path: Path) -> None:
    """Write a report, and the folder above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n", "utf-8")


def number(value: float) -> str:
    """Return a measured value with three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the table, followed by its notes and what could not be measured."""
    yield f"commit {report.commit}, Python {report.python}, {report.system}, {report.cpu}"
    yield "Beside each value: how many times cogwire's time, or memory, that is."
    notes: list[str] = []
    for measure in report.measures:
        heads = "".join(f"{one:>23}" for one in measure.heads())
        yield f"\n{f'{measure.title}, {measure.unit}':<52}{heads}"
        for series in measure.series:
            if series.note and series.note not in notes:
                notes.append(series.note)
            mark = f" [{notes.index(series.note) + 1}]" if series.note else ""
            values = series.cells(map(number, series.values))
            pairs = zip(values, measure.ratios(series), strict=True)
            times = (f"{value:>13}{_times(ratio):>10}" for value, ratio in pairs)
            yield f"  {series.name + mark:<50}{''.join(times)}"
    yield ""
    yield from (f"[{index}] {note}" for index, note in enumerate(notes, 1))
    yield from (f"Not measured: {one.name}: {one.reason}" for one in report.missing)


def _times(ratio: float) -> str:
    return f"{number(ratio)} ×"
