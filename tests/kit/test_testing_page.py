"""The numbers that are published are those of the reports."""

import json
import re
from pathlib import Path

import pytest
from conformance.zoo.animals import ANIMALS
from mutation import survivors

from cogwire_kit.conformance import corpus

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "spec" / "testing.md").read_text("utf-8")
REPORTS = {path.stem: json.loads(path.read_text()) for path in (ROOT / "fuzz/reports").glob("*")}
TEXT = " ".join(PAGE.split())


def rows(heading):
    """Yield the cells of the rows of the table in a section."""
    section = PAGE.split(f"{{ #{heading} }}")[1].split("\n## ")[0]
    for line in re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]:
        yield [cell.strip(" `").replace(",", "") for cell in line.split("|")]


def test_the_corpus_and_the_zoo_are_counted():
    assert f"has {len(corpus.load(corpus.PLACE)):,} cases" in TEXT
    assert f"{len(ANIMALS):,} *broken parsers*" in TEXT


def test_the_mutants_are_those_of_the_list():
    listed = [
        [name, *map(str, (one.mutants, one.by_types, one.by_cases, one.by_tests)), str(left)]
        for name, one in survivors.load().items()
        for left in [len(one.survivors)]
    ]
    assert sorted(rows("mutants")) == sorted(listed)


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


def test_the_break_outs_are_those_of_the_report():
    report = REPORTS["injection"]
    assert f"a catalogue of {report['breakouts']['in the catalogue']:,} break-outs" in TEXT
    said = (
        f"{report['examples']:,} conversations, {report['breakouts']['tried']:,} break-outs tried"
    )
    assert f"{said}, {report['findings']} findings." in TEXT
    assert report["command"].split(" --report")[0] in TEXT


def test_the_gigabyte_is_that_of_the_report():
    runs = {(one["text"], one["bytes"]): one for one in REPORTS["gigabyte"]["runs"]}
    small, large = (runs["prose with thinks", size] for size in (10**6, 10**9))
    dense = runs["dense markers", 10**9]
    assert f"takes {large['peak_kib']:,} KiB at its peak" in TEXT
    assert f"1,000,000 bytes {small['peak_kib']:,} KiB" in TEXT
    assert f"{dense['segments']:,} segments, it takes {dense['peak_kib']:,} KiB" in TEXT
    assert f"{REPORTS['faults']['parsers_on_one_loop']:,} parsers on one event loop" in TEXT


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
