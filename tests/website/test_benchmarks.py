"""The page of benchmarks: the stored run is whole, and charts and tables show what it says."""

import dataclasses
import importlib
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from benchmarks import measures, report

from tests.processes import ran
from website import benchmarks

ROOT = Path(__file__).parents[2]
STORED = report.read(benchmarks.STORED)
MEASURE = report.Measure(
    *("stream", "Chunks < 5", "µs a chunk", "characters", [1000, 20_000]),
    [
        report.Series("cogwire", "", [1.0, 0.5]),
        report.Series("a & b", "Slower.", [2.0, 5.0]),
        report.Series("c", "", [2.0, 5.1], over=[1]),
    ],
)


def test_the_stored_run_has_every_measure_and_every_peer_or_a_reason():
    assert [one.id for one in STORED.measures] == [one.id for one in measures.MEASURES]
    for stored, measure in zip(STORED.measures, measures.MEASURES, strict=True):
        assert stored.series[0].name.startswith("cogwire")
        assert len(stored.series) == len(measure.series) or STORED.missing, stored.id
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", STORED.date)


def test_the_stored_run_of_formats_has_every_format_and_every_parser_or_a_reason():
    stored = report.read(benchmarks.FORMATS)
    lacking = {each.name for each in stored.missing}
    asked = [each for each in measures.FORMATS if each.id not in lacking]
    assert [one.id for one in stored.measures] == [one.id for one in asked]
    for one, measure in zip(stored.measures, asked, strict=True):
        assert one.points == measure.points
        names = [series.name for series in one.series]
        assert names[:2] == ["cogwire", "cogwire, arguments while they come"]
        left_out = {each.name for each in stored.missing if each.name.endswith(f" in {one.id}")}
        assert len(names) + len(left_out) == len(measure.series), one.id


@pytest.mark.parametrize(
    "change",
    [
        {"measures": [{}]},
        {"missing": [{"name": "a"}]},
        {"more": 1},
        {"measures": [dataclasses.asdict(MEASURE) | {"points": [1]}]},
    ],
)
def test_an_invalid_report_is_refused(tmp_path, change):
    path = tmp_path / "report.json"
    report.write(STORED, path)
    assert report.read(path) == STORED
    path.write_text(json.dumps(dataclasses.asdict(STORED) | change))
    with pytest.raises(ValueError, match=r"report|values"):
        report.read(path)


def test_a_ratio_is_how_many_times_cogwires_time_it_is():
    assert MEASURE.ratios(MEASURE.series[1]) == [2.0, 10.0]
    rates = dataclasses.replace(MEASURE, unit="MB/s")
    assert rates.ratios(MEASURE.series[1]) == [0.5, 0.1]
    table = "\n".join(report.lines(dataclasses.replace(STORED, measures=[MEASURE])))
    assert re.search(r"a & b \[1\] +2 +2 × +5 +10 ×\n", table)
    assert re.search(r"c +2 +2 × +over 5.1 +10.2 ×\n", table)
    assert "[1] Slower." in table


def drawn(figure):
    """Return the picture of a figure: XML, without a blank line, at which Markdown would end it."""
    assert "\n\n" not in figure
    picture = figure[figure.index("<svg") : figure.index("</svg>") + 6]
    svg = ET.fromstring(picture)  # noqa: S314 (it is our own)
    assert svg.get("role") == "img"
    assert svg.findtext("title").startswith("Chunks < 5, µs a chunk ")
    return svg


def test_each_series_has_a_line_and_no_names_overlap():
    svg = drawn(benchmarks.curves(MEASURE))
    assert svg.findtext("desc") == "cogwire: 1, 0.5; a & b: 2, 5; c: 2, 5.1"
    classes = [path.get("class") for path in svg.findall("path")]
    assert [name for name in classes if "line" in name] == ["own line", "line", "line"]
    names = {text.text: float(text.get("y")) for text in svg.findall("text")}
    assert names["c"] + 16 <= names["a & b"] < names["cogwire"]
    ticks = [names[tick] for tick in ("1", "2", "5")]
    assert ticks == sorted(ticks, reverse=True)


def test_the_page_shows_the_whole_run(tmp_path, monkeypatch):
    gap = report.Missing("a_peer", "no wheel for *this* machine")
    report.write(dataclasses.replace(STORED, missing=[gap]), tmp_path / "run.json")
    monkeypatch.setattr(benchmarks, "STORED", tmp_path / "run.json")
    benchmarks.write_page(tmp_path)
    page = (tmp_path / "benchmarks.md").read_text("utf-8")
    assert "{{" not in page
    assert "no wheel for &#42;this&#42; machine" in page
    shown = set(re.findall(r"[\d.,]+(?= \()", page))
    runs = [STORED, report.read(benchmarks.FORMATS)]
    values = [v for run in runs for m in run.measures for one in m.series for v in one.values]
    assert {report.number(value) for value in values} <= shown
    assert report.read(tmp_path / "benchmarks.json").missing == [gap]


def test_the_page_names_what_comes_near_and_what_was_stopped(tmp_path, monkeypatch):
    far = dataclasses.replace(MEASURE, series=[MEASURE.series[0], report.Series("d", "", [3, 9])])
    report.write(dataclasses.replace(STORED, measures=[MEASURE, far]), tmp_path / "run.json")
    monkeypatch.setattr(benchmarks, "FORMATS", tmp_path / "run.json")
    benchmarks.write_page(tmp_path)
    page = (tmp_path / "benchmarks.md").read_text("utf-8")
    near = [line for line in page.splitlines() if line.endswith("(2 ×)")]
    assert near == ["- a &#38; b: Chunks &#60; 5 (2 ×)", "- c: Chunks &#60; 5 (2 ×)"]
    assert "| over 5.1 (10.2 ×) |" in page


def test_the_program_measures_what_is_chosen(tmp_path):
    path = tmp_path / "run.json"
    chosen = ["--quick", "--only", "results", "--peer", "cogwire", "--json", str(path)]
    command = [sys.executable, ROOT / "benchmarks" / "run.py", *chosen]
    done = ran(*command, check=True)
    [measure] = report.read(path).measures
    assert [series.name for series in measure.series] == ["cogwire", "json.dumps"]
    assert measure.title in done.stdout


def test_a_reader_that_is_too_slow_is_stopped(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    base = importlib.import_module("readers.base")
    reader = importlib.import_module("readers.cogwire_").Ours("xml-json", turns().xml_json)
    assert not reader.prepare("half prose", 1000, 4).is_over
    monkeypatch.setattr(base, "LIMIT", 0.01)
    endless = re.compile("(a|aa)+b")
    monkeypatch.setattr(reader, "start", lambda: (lambda _: endless.match("a" * 99), list))
    stopped = reader.prepare("half prose", 1000, 4)
    assert (stopped.is_over, stopped.run()) == (True, 0.01)
    assert stopped.units > 200


def test_a_reader_that_gives_back_less_than_the_turn_is_not_measured(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    reader = importlib.import_module("readers.cogwire_").Ours("xml-json", turns().xml_json)
    assert reader.prepare("half prose", 1000, 4).units > 200
    whole = reader.seen
    monkeypatch.setattr(reader, "seen", lambda outputs: whole(outputs)._replace(think="Hm."))
    with pytest.raises(ValueError, match="think"):
        reader.prepare("half prose", 1000, 4)
    monkeypatch.setattr(
        reader, "seen", lambda outputs: whole(outputs)._replace(calls=whole(outputs).calls[1:])
    )
    with pytest.raises(ValueError, match="2 calls were read, not the 3"):
        reader.prepare("half prose", 1000, 4)


def test_a_reader_that_gives_back_the_calls_and_not_the_prose_is_measured_and_has_a_note(
    monkeypatch,
):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    reader = importlib.import_module("readers.cogwire_").Ours("xml-json", turns().xml_json)
    whole = reader.seen
    monkeypatch.setattr(reader, "seen", lambda outputs: whole(outputs)._replace(prose="Hm."))
    with pytest.raises(ValueError, match="prose"):
        reader.prepare("half prose", 1000, 4)
    monkeypatch.setattr(reader, "needs_prose", False)
    assert "prose is not what was written" in reader.prepare("half prose", 1000, 4).note


def turns():
    """Return the module of turns, under the name by which the readers know it."""
    return importlib.import_module("turns")
