"""What came of parsers of others on formats is stored, and the pages show it."""

import json
import re

import pytest

import cogwire
from cogwire_kit.conformance import corpus, formats
from tests.core.helpers import TRAINED
from website import formats as pages

ADAPTERS = corpus.PLACE / "adapters" / "formats"
LISTED = corpus.tables(ADAPTERS / "parsers.toml", "parser")


def test_every_listed_parser_has_a_report_of_each_of_its_formats():
    """`make format-reports` renews them."""
    expected = {
        f"{one['name']}-{one['version']}-{name}"
        for one in LISTED
        for name in one["formats"].keys() & {*formats.names(), *formats.shaped()}
    }
    assert {path.stem for path in pages.STORED.glob("*.json")} == expected


def test_stored_reports_are_of_the_parsers_and_the_cases_that_there_are():
    listed = {one["name"]: one for one in LISTED}
    assert len({one["language"] for one in LISTED}) >= 3
    for one in pages.readings():
        parser = one.report["parser"]
        assert {word: listed[parser["name"]][word] for word in parser} == parser
        run = ["conformance/adapters/formats/run", parser["name"], parser["version"]]
        assert one.report["command"] == listed[parser["name"]].get("command", run)
        without = listed[parser["name"]]["formats"][one.format]
        cases = [
            case.id
            for case in formats.load(one.format).cases
            if not set(without) & set(case.data.get("requires", ()))
        ]
        assert {case["id"] for case in one.report["cases"]} <= set(cases)


def test_the_script_runs_what_is_listed():
    script = (ADAPTERS / "run").read_text("utf-8")
    names = re.search(r"where PARSER is (.*?)\.", script, re.DOTALL)[1].replace("\n# ", " ")
    assert set(re.split(r", | or ", names)) == {o["name"] for o in LISTED if "command" not in o}


def test_the_reference_reads_every_text_of_its_formats_as_expected():
    """In the version of this checkout, and the cases as they are now."""
    own = {one.format: one for one in pages.readings() if one.report["parser"]["name"] == "cogwire"}
    assert set(own) == set(TRAINED)
    for name, one in own.items():
        assert one.report["parser"]["version"] == cogwire.__version__
        assert set(one.records) == {(c.id, c.revision) for c in formats.load(name).cases}
        assert {record["verdict"] for record in one.records.values()} == {"right"}
        assert one.report["invariance"]["same"] == len(one.records)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Store a report of two cases; return the pages."""
    cases = formats.load("hermes").cases[:3]
    verdicts = zip(cases, ("right", "cuts", "right"), strict=True)
    records = [
        {"id": c.id, "revision": 1, "verdict": v, "cuts": 9, "differing": 4} for c, v in verdicts
    ]
    records[2]["revision"] = 7
    parser = {"name": "p", "version": "1", "title": "P|<b>", "language": "X", "about": "An `a`."}
    invariance = {"texts": 3, "same": 2, "failed": 1}
    report = {"format": "hermes", "without": ["reasoning"], "command": ["run", "p"], "date": "D"}
    report |= {"parser": parser, "cases": records, "invariance": invariance}
    folder = tmp_path / "stored"
    folder.mkdir()
    (folder / "p-1-hermes.json").write_text(json.dumps(report), "utf-8")
    monkeypatch.setattr(pages, "STORED", folder)
    monkeypatch.setattr(pages, "readings", lambda read=pages.readings: read(folder))
    out = tmp_path / "pages"
    out.mkdir()
    pages.write_pages(out)
    return out


def test_a_page_counts_the_cases_as_they_are_now(stored):
    """One that was asked at another revision does not count."""
    text = (stored / "formats.md").read_text("utf-8")
    assert "| P&#124;&#60;b&#62; 1 | X | 1 of 2 (2) |  | 2 of 2, 1 refused |" in text
    assert "Not tested for reasoning in hermes." in text
    assert "No parser has been tested yet." in text
    assert "## What differs most" in text
    assert not re.search(r"\]\((?!https?:|formats/|spec/|library/)", text)


def test_the_page_of_a_format_shows_its_texts(stored):
    text = (stored / "formats" / "hermes.md").read_text("utf-8")
    assert text.count("<details>") == len(formats.load("hermes").cases)
    rows = re.findall(r'<tr id="(.*?)">.*?</details></td><td(.*?)</td></tr>', text)
    assert [cell.partition(">")[2] for _, cell in rows[:4]] == ["yes", "whole", "", ""]
    assert 'title="4 of 9 cuts differ"' in rows[1][1]
    assert "&lt;tool_call&gt;&#10;" in text
    assert (stored / "formats" / "p-1-hermes.json").exists()


def test_the_page_of_a_format_links_to_pages_of_the_site(stored):
    """The files of the corpus link to each other otherwise."""
    for page in (stored / "formats").glob("*.md"):
        for link in re.findall(r"\]\((?!https?:)(.*?)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), (page.name, link)
