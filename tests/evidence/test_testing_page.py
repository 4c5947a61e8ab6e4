"""The numbers that are published are those of the reports."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from conformance.zoo.animals import ANIMALS

from cogwire_kit.conformance import corpus, questions
from tests.core.helpers import DIALECTS
from tests.core.parser.test_many_parsers import PARSERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "spec" / "testing.md").read_text("utf-8")
REPORTS = {path.stem: json.loads(path.read_text()) for path in (ROOT / "fuzz/reports").glob("*")}
TEXT = " ".join(PAGE.split())

#: What the page calls the readers of streams.
READERS = {
    "spec": "with the executable spec",
    "javascript": "with the JavaScript implementation",
    "json": "with `json`",
    "lxml": "with `lxml`",
}
#: Where the page has the numbers of a report.
SECTIONS = {
    "atheris": "fuzzing",
    "descriptions": "drawn",
    "differential": "two",
    "gigabyte": "growth",
    "growth": "growth",
    "injection": "injection",
}


def rows(heading):
    """Yield the cells of the rows of the table in a section."""
    section = PAGE.split(f"{{ #{heading} }}")[1].split("\n##")[0]
    for line in re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]:
        yield [cell.strip(" `").replace(",", "") for cell in line.split("|")]


def test_the_corpus_and_the_zoo_are_at_least_as_large_as_stated():
    """They grow, and no report does."""
    counts = re.findall(r"has more than ([\d,]+) cases|([\d,]+) \*broken parsers\*", TEXT)
    [cases, parsers] = [int("".join(count).replace(",", "")) for count in counts]
    assert 1000 < cases < len(corpus.load(corpus.PLACE))
    assert 500 < parsers < len(ANIMALS)


def test_a_report_and_its_section_name_the_commit():
    """What has grown since makes no report wrong."""
    for name, heading in SECTIONS.items():
        commit = REPORTS[name]["commit"]
        section = PAGE.split(f"{{ #{heading} }}")[1].split("\n## ")[0]
        assert re.fullmatch(r"[0-9a-f]{10}", commit), name
        assert f"commit `{commit}`" in " ".join(section.split()), name
    assert REPORTS.keys() == SECTIONS.keys()


def test_the_targets_are_those_of_the_report():
    targets = REPORTS["atheris"]["targets"]
    reported = [
        [
            name,
            *(str(one[key]) for key in ("executions", "edges_at_start", "edges", "new_inputs")),
            str(len(one["findings"])),
        ]
        for name, one in targets.items()
    ]
    assert sorted(rows("fuzzing")) == sorted(reported)


def test_the_streams_are_those_of_the_report():
    report = REPORTS["differential"]
    assert report["command"].split(" --report")[0] in TEXT
    streams, compared = report["streams"]["total"], report["streams_compared"]
    assert f"{streams:,} streams, {report['lengths']['total']:,} characters" in TEXT
    for reader, words in READERS.items():
        assert f"{compared[reader]:,} {words}" in TEXT, reader
    assert f"{sum(report['differences'].values())} differences" in TEXT
    assert min(report["codes_in_total"].values()) >= 1000
    for name, heading in (("codes", "codes-reached"), ("events", "events-reached")):
        counts = [report[name][dialect] for dialect in DIALECTS]
        assert sorted(rows(heading)) == sorted(
            [what, *(str(each[what]) if what in each else "" for each in counts), str(total)]
            for what in {what for each in counts for what in each}
            for total in [sum(each.get(what, 0) for each in counts)]
        )


def test_as_many_snapshots_are_restored_as_stated():
    """In the process that took them, and in another one."""
    taken = Counter()
    for case in corpus.load():
        is_asked = case.op == "parse" and not {"turns", "growth"} & case.data.keys()
        is_asked = is_asked and case.options.get("close", True)
        is_asked = is_asked and len(case.input) <= questions.EVERY_CUT
        asked = questions._stored(case, frozenset({"token", "snapshot", "restore"}), 0)
        for question in asked if is_asked else ():
            taken["here"] += len(question.request.get("snapshots", ()))
            taken["elsewhere"] += len(question.request.get("save", ()))
    (stated,) = re.findall(r"restores more than ([\d,]+) .*? and more than ([\d,]+) in", TEXT)
    here, elsewhere = (int(number.replace(",", "")) for number in stated)
    assert 100_000 < here < taken["here"]
    assert 50_000 < elsewhere < taken["elsewhere"]


def test_the_growth_is_that_of_the_report():
    report = REPORTS["growth"]
    assert report["command"] in TEXT
    assert report["missed"] == 0
    assert report["largest_ratio"] <= report["factor"] == 2.2
    assert f"{report['ratios']:,} ratios of {report['families']} families" in TEXT
    assert f"the largest is {report['largest_ratio']}" in TEXT
    counted = report["measurements_by_largest_kib"]
    assert f"{counted['8192']} of {sum(counted.values())} measurements go up to 8 MiB" in TEXT


def test_the_break_outs_are_those_of_the_report():
    report = REPORTS["injection"]
    assert f"a catalogue of {report['breakouts']['in the catalogue']:,} break-outs" in TEXT
    statement = (
        f"{report['examples']:,} conversations, {report['breakouts']['tried']:,} break-outs tried"
    )
    assert f"{statement}, {report['findings']} findings." in TEXT
    assert report["command"].split(" --report")[0] in TEXT


def test_the_drawn_formats_are_those_of_the_report():
    report = REPORTS["descriptions"]
    events, formats = report["events"], report["formats"]["total"]
    assert f"{report['texts']:,} texts of {formats:,} formats" in TEXT
    assert f"{report['characters']:,} characters, were read" in TEXT
    assert f"{events['call']:,} calls and {events['error']:,} errors." in TEXT
    assert f"implementations differed in {report['findings']} texts." in TEXT
    assert report["command"].split(" --report")[0] in TEXT


def test_the_gigabyte_is_that_of_the_report():
    runs = {(one["text"], one["bytes"]): one for one in REPORTS["gigabyte"]["runs"]}
    small, large = (runs["prose with thinks", size] for size in (10**6, 10**9))
    dense = runs["dense markers", 10**9]
    assert f"takes {large['peak_kib']:,} KiB at its peak" in TEXT
    assert f"1,000,000 bytes {small['peak_kib']:,} KiB" in TEXT
    assert f"{dense['segments']:,} segments, it takes {dense['peak_kib']:,} KiB" in TEXT
    assert f"{PARSERS:,} parsers on one event loop" in TEXT


@pytest.mark.parametrize(
    "command", re.findall(r"^\$ (?:\w+=\w+ )?(.*?)(?:  +#.*)?$", PAGE, re.MULTILINE)
)
def test_a_command_is_there(command):
    """A target of make, a module, or a program."""
    program, *words = command.split()
    if program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    else:
        assert program == "python"
        module = words[1] if words[0] == "-m" else ""
        assert module in {"pytest", "mutation"} or (ROOT / words[0]).is_file()
