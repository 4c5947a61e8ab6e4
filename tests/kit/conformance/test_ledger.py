"""Ids are never used again, and no case changes without a new revision."""

import hashlib
import json
import re
import shutil
import subprocess

import pytest
from conformance import ledger

from cogwire.wire.dialects import dialect_names
from cogwire_kit.conformance import corpus, formats
from tests.kit.conformance.cases import CASES
from tests.kit.conformance.helpers import SMALL

LEDGER = corpus.PLACE / "ledger.txt"


def test_the_ledger_is_sorted_and_contains_every_case():
    """`python -m conformance.ledger` adds what is new."""
    text = LEDGER.read_text("ascii")
    entries = ledger.read(text)
    assert ledger.written(entries) == text
    assert ledger.present(CASES).keys() <= entries.keys()


def test_ids_are_never_used_again():
    entries = {("a-b", 1): "0", ("a-c", 1): "0"}
    gone = {("a-b", 1): "0"}
    assert ledger.faults(entries, gone, set()) == ["a-c is gone, and not retired"]
    assert ledger.faults(entries, gone, {"a-c"}) == []
    assert ledger.faults(entries, entries, {"a-c"}) == ["a-c is retired, and there"]
    assert ledger.faults(entries, entries, {"a-d"}) == ["a-d is retired, and never was"]
    assert (
        ledger.faults(
            ledger.read(LEDGER.read_text("ascii")), ledger.present(CASES), ledger.retired()
        )
        == []
    )


def test_no_case_changes_without_a_new_revision():
    twice = {("a-b", 1): "0", ("a-b", 2): "1"}
    for entries, present, faults in (
        (twice, {("a-b", 2): "1"}, []),
        (twice, {("a-b", 2): "5"}, ["a-b is changed: give it revision 3"]),
        (twice, {("a-b", 3): "5"}, []),
        (twice, {("a-b", 4): "0"}, ["a-b has revision 4, where 3 is the next"]),
        (twice, {("a-b", 1): "0"}, ["a-b has revision 1, where 3 is the next"]),
        ({}, {("a-b", 2): "0"}, ["a-b has revision 2, where 1 is the next"]),
    ):
        assert ledger.faults(entries, present, set()) == faults


def test_the_command_adds_new_entries_and_refuses_changed_ones(tmp_path):
    place = tmp_path / "corpus"
    shutil.copytree(SMALL, place)
    ledger.main(place)
    text = (place / "ledger.txt").read_text("ascii")
    assert len(text.splitlines()) == 7
    path = place / "cases" / "xml-json" / "few.json"
    path.write_text(path.read_text("utf-8").replace("Hello, you.", "Hello!"), "utf-8")
    with pytest.raises(SystemExit, match="xml-json-prose is changed: give it revision 2"):
        ledger.main(place)
    assert (place / "ledger.txt").read_text("ascii") == text


def test_a_changed_case_of_a_format_is_refused_too(tmp_path):
    """So is one that is decided otherwise by the schema of the tool that it calls."""
    place = tmp_path / "corpus"
    shutil.copytree(SMALL, place)
    shutil.copytree(corpus.PLACE / "formats" / "hermes", place / "formats" / "hermes")
    entries = (corpus.PLACE / "ledger.txt").read_text("ascii").splitlines(keepends=True)
    known = [entry for entry in entries if entry.startswith("hermes-")]
    (place / "ledger.txt").write_text("".join(known), "ascii")
    ledger.main(place)
    cases, about = formats.files("hermes", place)
    written = cases.read_text("utf-8"), about.read_text("utf-8")
    cases.write_text(written[0].replace("I will look.", "I look."), "utf-8")
    with pytest.raises(SystemExit, match=r"^hermes-prose-before is changed: give it revision 2$"):
        ledger.main(place)
    revised = '"id": "hermes-prose-before", "revision": 2,'
    text = cases.read_text("utf-8").replace('"id": "hermes-prose-before",', revised)
    cases.write_text(text, "utf-8")
    ledger.main(place)
    assert "hermes-prose-before 2 " in (place / "ledger.txt").read_text("ascii")
    tools = json.loads(written[1])
    tools["tools"].append({"name": "new", "parameters": {}})
    about.write_text(json.dumps(tools), "utf-8")
    ledger.main(place)
    tools["tools"][0]["parameters"] = {}
    about.write_text(json.dumps(tools), "utf-8")
    with pytest.raises(SystemExit, match=r"hermes-one-call is changed: give it revision 2"):
        ledger.main(place)


def frozen(place, version, sha256):
    """Make a frozen corpus."""
    folder = place / "frozen" / version
    (folder / "cases").mkdir(parents=True)
    (folder / "corpus.json").write_text(json.dumps({"version": version}), "utf-8")
    (folder / "VERSION.json").write_text(json.dumps({"sha256": sha256}), "utf-8")
    return folder


def changed(place):
    """Return the frozen corpora that have no more the cases with which they were released."""
    versions = sorted((place / "frozen").glob("*/VERSION.json"))
    return [
        path.parent.name
        for path in versions
        if json.loads(path.read_text("utf-8"))["sha256"] != corpus.version(path.parent)["sha256"]
    ]


def test_a_frozen_corpus_is_as_it_was_released(tmp_path):
    assert not changed(corpus.PLACE)
    frozen(tmp_path, "1.0.0", hashlib.sha256().hexdigest())
    frozen(tmp_path, "1.1.0", "0")
    assert changed(tmp_path) == ["1.1.0"]


def test_a_corpus_is_found_by_the_beginning_of_its_version(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "PLACE", tmp_path)
    (tmp_path / "corpus.json").write_text('{"version": "2.0.0"}', "utf-8")
    ninth, tenth, last = (frozen(tmp_path, f"1.{n}", "") for n in ("9.0", "10.1", "10.12"))
    found = {name: corpus.of_version(name) for name in ("1", "1.9", "1.10", "1.10.1", "2.0.0")}
    assert found == {"1": last, "1.9": ninth, "1.10": last, "1.10.1": tenth, "2.0.0": tmp_path}
    with pytest.raises(corpus.UnusableError, match=r"no corpus 1\.1 is here; there is 1\.10\.1, "):
        corpus.of_version("1.1")


def log(*arguments):
    """Return the lines of what git says about this checkout."""
    command = ["git", "-C", str(corpus.PLACE), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.verify
def test_each_case_is_since_the_version_with_which_it_came():
    """The history of the ledger has when each came, and that of the corpus its version then."""
    first: dict[str, str] = {}
    version = ""
    options = ["--reverse", "--no-merges", "--unified=0", "--format=", "-p"]
    for line in log("log", *options, "--", "corpus.json", "ledger.txt"):
        if found := re.fullmatch(r'\+ +"version": "(.*)",', line):
            version = found[1]
        elif (found := re.fullmatch(r"\+([\w.-]+) \d+ [0-9a-f]+", line)) and version:
            first.setdefault(found[1], version)
    wrong = [case.id for case in CASES if case.data["since"] != first.get(case.id)]
    assert not wrong


def test_no_format_has_the_name_of_a_dialect():
    """Ids begin with it, and are in one ledger."""
    assert not set(formats.names()) & set(dialect_names())


def test_the_withdrawn_are_listed_with_a_reason():
    for case in json.loads((corpus.PLACE / "retired.json").read_text("utf-8")):
        assert case.keys() == {"id", "since", "reason"}
        assert case["reason"].endswith(".")
