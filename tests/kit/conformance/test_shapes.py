"""The shapes of turns, and the writer that makes texts of them in any format."""

import json
import sys

import pytest

from cogwire_kit.conformance import corpus, formats, shapes
from tests import schemas
from tests.kit.cli.running import stored
from tests.kit.conformance.cases import judge
from tests.kit.conformance.helpers import invoke
from tests.kit.conformance.test_formats import CLASSES
from tests.rows import rows

SHAPES, TOOLS = shapes.load()
#: As many shapes has a format at least, and as many cases by hand where it has any.
LEAST, BY_HAND = 60, 20
#: A format of each kind of payload.
OBJECT = {"name": "x", "call": ["<c>", "</c>"], "payload": {"kind": "object"}, "gap": "\n"}
HEAD = {
    "name": "x",
    "section": ["<s>", "</s>"],
    "call": ["<c>", "</c>"],
    "payload": {"kind": "arguments", "head": ["f.{name}:{id}<a>"]},
    "think": ["<t>", "</t>"],
}


def test_shapes_conform_to_their_schema():
    judge(
        f"{shape.id}: {fault}" for shape in SHAPES for fault in schemas.faults("shape", shape.data)
    )
    for members in (("id",), ("title",), ("kinds", "turn", "space", "edits")):
        values = {json.dumps([shape.data.get(member) for member in members]) for shape in SHAPES}
        assert len(values) == len(SHAPES)


@rows("name", formats.shaped())
def test_the_texts_of_a_format_are_those_of_its_description(name):
    folder = corpus.PLACE / "formats" / name
    description = json.loads((folder / "description.json").read_text("utf-8"))
    written = json.loads((folder / "shapes.json").read_text("utf-8"))
    assert written == shapes.texts(description, SHAPES)


@rows("name", formats.shaped())
def test_the_shapes_of_a_format_are_cases(name):
    found = formats.load(name)
    judge(
        f"{case.id}: {fault}"
        for case in found.cases
        for fault in schemas.faults("format-case", case.data)
    )
    for member in ("id", "text"):
        assert len({case.data[member] for case in found.cases}) == len(found.cases)
    assert sum(case.is_shape for case in found.cases) >= LEAST
    by_hand = [case for case in found.cases if not case.is_shape]
    assert all(case.is_decided for case in by_hand if case.data.get("also"))
    assert not by_hand or len(by_hand) >= BY_HAND
    assert {flag for case in found.cases for flag in case.data["flags"]} <= CLASSES
    assert found.tools


def test_the_files_of_a_format_are_all_that_decides_its_cases():
    names = ("apriel", "hermes")
    found = [
        [path.relative_to(corpus.PLACE).as_posix() for path in formats.files(n)] for n in names
    ]
    assert found == [
        ["formats/apriel/shapes.json", "shapes.json"],
        ["formats/hermes/cases.json", "formats/hermes/format.json"],
    ]


def test_a_file_with_a_description_is_a_format_of_shapes(tmp_path):
    path = stored(tmp_path / "own.json", {**HEAD, "name": "own"})
    found, description = formats.described(path)
    assert description == {**HEAD, "name": "own"}
    assert {"own-one-call", "own-no-section"} <= {case.id for case in found.cases}
    assert all(case.is_shape for case in found.cases)
    files = formats.files(str(path))
    assert files == [path, corpus.PLACE / "shapes.json"]
    assert corpus.version(corpus.PLACE, files)["version"] == corpus.version(corpus.PLACE)["version"]


@rows("text, reason", [("{", "own.json: "), ("[]", "an object"), ('{"name": "own"}', "is missing")])
def test_a_file_without_a_description_is_refused(tmp_path, text, reason):
    path = stored(tmp_path / "own.json", text)
    with pytest.raises(corpus.UnusableError, match=reason):
        formats.described(path)


@pytest.mark.verify
def test_a_parser_of_a_described_format_is_tested_with_its_shapes(tmp_path):
    path, report = tmp_path / "own.json", tmp_path / "report.json"
    path.write_text(json.dumps({**OBJECT, "name": "own"}), "utf-8")
    command = [sys.executable, "-m", "cogwire_kit", "adapter"]
    cases = ("--case", "own-one-call", "--case", "own-cut-in-the-closer")
    output = invoke("format", path, *cases, "--report", report, "--", *command)
    assert "0 of " in output
    head = json.loads(report.read_text("utf-8").partition("\n")[0])
    assert head["texts"] == str(path)
    assert "has no case own-no-section" in invoke(
        "format", path, "--case", "own-no-section", "--", *command, code=2
    )


@pytest.mark.verify
def test_a_case_is_asked_with_what_its_text_begins_in():
    command = [sys.executable, "-m", "cogwire_kit", "adapter"]
    cases = ("--case", "muse-as-the-template", "--case", "muse-whole-header")
    assert "depend on the cut, in 358 cuts" in invoke("format", "muse", *cases, "--", *command)
