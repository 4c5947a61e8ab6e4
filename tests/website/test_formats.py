"""What came of parsers of others on formats is stored, and the pages show it."""

import dataclasses
import json
import re

import pytest
from website.text import seen

import cogwire
from cogwire_kit.conformance import corpus, formats, forms, text_reports
from tests.core.helpers import TRAINED
from website import demo, differences, grid, readings
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
    assert {path.stem for path in readings.STORED.glob("*.jsonl")} == expected


def test_stored_reports_are_of_the_parsers_and_the_cases_that_there_are():
    """A text that is newer than a run has no answer in it, which the page of results counts."""
    listed = {one["name"]: one for one in LISTED}
    assert len({one["language"] for one in LISTED}) >= 3
    for one in readings.readings():
        parser = one.report["parser"]
        assert {word: listed[parser["name"]][word] for word in parser} == parser
        run = ["conformance/adapters/formats/run", parser["name"], parser["version"]]
        assert one.report["command"] == listed[parser["name"]].get("command", run)
        without = listed[parser["name"]]["formats"][one.format]
        takes = frozenset(one.report["takes"])
        cases = formats.load(one.format).cases
        sent = {
            case.id
            for case in cases
            if not set(without) & set(case.data.get("requires", ()))
            and case.asked(takes) is not None
        }
        asked = {case["id"] for case in one.stored.cases}
        assert asked <= sent, one.path.name
        assert {*one.newer(cases)} == sent - asked, one.path.name


def test_the_page_of_results_says_of_how_many_texts_a_row_is():
    """A text whose revision was raised since has no answer, and the page must not hide that."""
    rows = set(grid.RESULTS.read_text("utf-8").splitlines())
    heads = ("format", "parser", "template", "decided", "late", "cut markers", "answered")
    assert f"| {' | '.join(heads)} |" in rows
    for path in readings.STORED.glob("*.jsonl"):
        run, *records = map(json.loads, path.read_text("utf-8").splitlines())
        asked = {one["id"]: one["revision"] for one in records if one["record"] == "case"}
        cases = formats.load(run["texts"]).cases
        now = sum(asked.get(case.id) == case.revision for case in cases)
        outdated = sum(case.id in asked for case in cases) - now
        begins = f"| {run['texts']} | {run['parser']['title']} {run['parser']['version']} | "
        newer = len(readings.Reading(path, text_reports.load(path)).newer(cases))
        counted = ((outdated, "outdated"), (newer, "newer"))
        others = "".join(f", {number} {name}" for number, name in counted if number)
        ends = f" | {now} of {len(cases)}{others} |"
        assert [row for row in rows if row.startswith(begins) and row.endswith(ends)], path.name


def test_of_an_engine_every_format_has_a_row_or_is_said_to_have_none():
    """Formats that were written later are compared with the registry of the engine, too."""
    known = {*formats.names(), *formats.shaped()}
    engines = [one for one in LISTED if one["name"] in ("sglang", "vllm")]
    for one in engines:
        named = [*one["formats"], *one["lacking"], *one["unasked"]]
        assert sorted(named) == sorted(known), one["name"]
    assert len(engines) == 2


def test_the_script_runs_what_is_listed():
    script = (ADAPTERS / "run").read_text("utf-8")
    names = re.search(r"where PARSER is (.*?)\.", script, re.DOTALL)[1].replace("\n# ", " ")
    assert set(re.split(r", | or ", names)) == {o["name"] for o in LISTED if "command" not in o}


def test_the_reference_reads_every_text_of_its_formats_as_expected():
    """In the version of this checkout, and the cases as they are now."""
    own = {one.format: one for one in pages.readings() if one.report["parser"]["name"] == "cogwire"}
    assert set(own) > set(TRAINED)
    for name, one in own.items():
        assert one.report["parser"]["version"] == cogwire.__version__
        assert set(one.records) == {(c.id, c.revision) for c in formats.load(name).cases}
        assert {record["verdict"] for record in one.records.values()} == {"pass"}
        if name in formats.names():
            assert one.report["invariance"]["same"] == len(one.records)


def test_readme_shows_the_results_that_are_stored():
    """`python -m website grid` writes them anew."""
    assert grid.in_readme() == grid.README.read_text("utf-8")


def test_the_page_of_results_says_what_is_stored_and_how_each_row_is_run():
    """`python -m website grid` writes it anew."""
    page = grid.RESULTS.read_text("utf-8")
    assert grid.in_results() == page
    rows = re.findall(
        r"^\| (.+?) \| (.+?) \([\w ]+\) \| [\d-]+.*? \| `(.+?)` \| (.*?) \|$", page, re.MULTILINE
    )
    assert {title for title, *_ in rows} == {one.title for one in readings.readings()}
    script = (ADAPTERS / "run").read_text("utf-8")
    listed = {(one["name"], one["version"]): one for one in LISTED}
    for title, package, command, without in rows:
        program, *words = command.split()
        parser = listed[tuple(words) if len(words) == 2 else ("cogwire", cogwire.__version__)]
        assert title == f"{parser['title']} {parser['version']}"
        assert program == "cogwire" or (corpus.PLACE.parent / program).is_file()
        assert program == "cogwire" or package.split(" and ")[0].split("/")[0].strip("@") in script
        of = {name for name, parts in parser["formats"].items() if parts == ["reasoning"]}
        is_most, but = re.fullmatch(r"(all)?(?: but )?(.*)", without).groups()
        named = {*but.split(", ")} - {""}
        assert of == (set(parser["formats"]) - named if is_most else named)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Store a report of four cases, one of another revision; return the pages."""
    cases = formats.load("hermes").cases[:4]
    verdicts = zip(cases, ("pass", "cuts", "pass", "late"), strict=True)
    records = [
        {"record": "case", "id": c.id, "revision": 1, "verdict": v, "cuts": 9, "differing": 4}
        for c, v in verdicts
    ]
    records[1] |= {"chunks": ["<a", ">"], "gives": {"content": ["<a"]}, "cause": "a <lost> call"}
    records[3] |= {"chunks": ["b"], "gives": {}, "cause": "late"}
    for case, record in zip(cases, records, strict=True):
        record |= {
            "title": case.data["title"],
            "text": case.text,
            "basis": case.data["basis"],
            "expected": {},
        }
    records[2]["revision"] = 7
    for record, differing in zip(records, (0, 1, 0), strict=False):
        record["inside_markers"] = {"cuts": 4, "differing": differing}
    parser = {"name": "p", "version": "1", "title": "P|<b>", "language": "X", "about": "An `a`."}
    invariance = {"texts": 3, "same": 2, "failed": 1}
    # What is left is as in any report.
    path = next(readings.STORED.glob("mlx-lm-*-hermes.jsonl"))
    report, *_, end = map(json.loads, path.read_text("utf-8").splitlines())
    report |= {"takes": [], "without": ["reasoning"], "command": ["run", "p"], "date": "D"}
    report |= {"parser": parser, "invariance": invariance, "fresh": {}}
    folder = tmp_path / "stored"
    folder.mkdir()
    lines = map(json.dumps, [report, *records, end])
    (folder / "p-1-hermes.jsonl").write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr(grid, "readings", lambda: readings.readings(folder))
    monkeypatch.setattr(pages, "readings", lambda: readings.readings(folder))
    out = tmp_path / "pages"
    out.mkdir()
    pages.write_pages(out)
    return out


def test_a_page_counts_the_cases_as_they_are_now(stored):
    """One that was asked at another revision does not count."""
    text = (stored / "formats" / "hermes.md").read_text("utf-8")
    cases = formats.load("hermes").cases
    newer = sum(not case.parts and not case.options for case in cases) - 4
    row = "[P&#124;&#60;b&#62; 1](../formats.md#p) | X | 2 of 3 (3) |  | 1 | 1 of 2 "
    row += f"| 3 of {len(cases)}, 1 outdated, {newer} newer "
    assert f"{row}| 2 of 2, 1 refused |" in text
    other = (stored / "formats" / "kimi-k2.md").read_text("utf-8")
    assert "No parser of others has been run on its" in other
    text = (stored / "formats.md").read_text("utf-8")
    assert "### P&#124;&#60;b&#62; 1 { #p }" in text
    assert "Not tested for reasoning in hermes." in text
    assert "The corpus has changed since then: only texts that are still the same count." in text
    assert "## What differs most" in text
    assert not re.search(r"\]\((?!https?:|formats/|parsers/|spec/|library/|#)", text)


def test_a_share_leads_to_the_shortest_text_that_is_not_read(stored):
    text = (stored / "formats.md").read_text("utf-8")
    broken = formats.load("hermes").cases[1]
    told = "P|&lt;b&gt; 1, hermes: 2 of 3 texts in every cut, 3 in one piece, 1 outdated"
    goal = f"formats/hermes.html#{broken.id}"
    assert f'<td class="differs"><a href="{goal}" title="{told}">66 % (100)</a></td>' in text
    assert grid.as_markdown() == "| parser |\n| --- |"  # README has what six parsers read


def test_the_page_of_a_format_shows_its_texts(stored):
    text = (stored / "formats" / "hermes.md").read_text("utf-8")
    _, _, texts = text.partition("## The texts")
    assert texts.count("<details>") == len(formats.load("hermes").cases)
    rows = re.findall(r'<tr id="(.*?)">.*?</details></td><td(.*?)</td></tr>', texts)
    assert [cell.partition(">")[2] for _, cell in rows[:4]] == ["yes", "whole", "outdated", "late"]
    assert 'title="4 of 9 cuts differ"' in rows[1][1]
    assert "&lt;tool_call&gt;&#10;" in texts
    assert "makes of the chunks [&quot;&lt;a&quot;, &quot;&gt;&quot;]" in texts
    assert (stored / "formats" / "p-1-hermes.jsonl").exists()


def test_the_page_of_a_parser_has_a_text_to_send_of_each_difference(stored, tmp_path):
    shown = "[What differs, as texts to send](parsers/p.md)"
    assert shown in (stored / "formats.md").read_text("utf-8")
    text = (stored / "parsers" / "p.md").read_text("utf-8")
    broken = formats.load("hermes").cases[1].data["title"]
    assert "[2 of 3 texts](../formats/p-1-hermes.jsonl)" in text
    assert f"## P|<b> 1, hermes: a <lost> call\n\n{broken}.\n\nThe text, in the chunks" in text
    assert "<summary>a &lt;lost&gt; call (1 text)</summary>\n\n```text\n## P" in text
    # Of what is stored, each group has its text, and the remarks have the issues that are known.
    found = [one for one in readings.readings() if one.path.stem.startswith("sglang-0")]
    remarks = grid.RESULTS.read_text("utf-8").partition("\n## ")[2]
    named = differences.write_pages(tmp_path, found, remarks)
    text = (tmp_path / "sglang.md").read_text("utf-8")
    assert list(named) == [found[0].title]
    assert "github.com/sgl-project/sglang/issues/31915" in text
    assert "github.com/vllm-project/vllm/issues/48020" not in text
    for one in found:
        cases = one.asked(formats.load(one.format).cases)
        report = dataclasses.replace(one.stored, cases=cases)
        for group in report.groups():
            assert f"\n{seen(forms.as_issue(report, group))}\n" in text


def test_every_model_and_every_format_has_a_row_and_a_page(stored):
    which = (stored / "which-format.md").read_text("utf-8")
    rows = dict(re.findall(r'<tr id="(.+?)">(.*)</tr>', which))
    assert list(rows) == sorted(each.name for each in cogwire.formats())
    for each in cogwire.formats():
        assert all(name in rows[each.name] for name in (*each.models, *each.aliases))
        text = (stored / "formats" / f"{each.name}.md").read_text("utf-8")
        assert each.source in text
        assert f'cogwire.Parser("{each.name}")' in text


def test_the_page_of_a_format_links_to_pages_of_the_site(stored):
    """The files of the corpus link to each other otherwise."""
    for page in (stored / "formats").glob("*.md"):
        for link in re.findall(r"\]\((?!https?:)(.*?)\)", page.read_text("utf-8")):
            assert (page.parent / link.partition("#")[0]).exists(), (page.name, link)


def test_the_turns_to_begin_with_are_read_as_what_they_say():
    """Nothing in them is lost, and a call has the argument that it was made of."""
    for each in demo.formats():
        events = cogwire.parse(each["text"], each["name"], clock=None)
        kinds = [event["type"] for event in events]
        assert kinds in (["think", "respond", "call", "execute"], ["call", "execute"]), each["name"]
