"""The shapes of turns, and the writer that makes texts of them in any format."""

import json
import sys

import pytest

from cogwire_kit.conformance import corpus, formats, shapes
from tests import schemas
from tests.kit.conformance.cases import judge
from tests.kit.conformance.helpers import invoke
from tests.kit.conformance.test_formats import CLASSES
from tests.rows import rows

SHAPES, TOOLS = shapes.load()
BY_ID = {shape.id: shape for shape in SHAPES}
#: As many shapes has a format at least, and as many cases by hand where it has any.
LEAST, BY_HAND = 60, 20
#: A format of each kind of payload.
OBJECT = {"name": "x", "call": ["<c>", "</c>"], "payload": {"kind": "object"}, "gap": "\n"}
ARRAY = {
    "name": "x",
    "call": ["<c>", ""],
    "payload": {"kind": "array", "name": "tool", "args": "input"},
    "ends": ["<e>"],
}
HEAD = {
    "name": "x",
    "section": ["<s>", "</s>"],
    "call": ["<c>", "</c>"],
    "payload": {"kind": "arguments", "head": ["f.{name}:{id}<a>"]},
    "think": ["<t>", "</t>"],
}
TAGS = {
    "name": "x",
    "call": ["<c>", "</c>"],
    "payload": {
        "kind": "tags",
        "tool": ["<f=", ">"],
        "key": ["<p=", ">"],
        "value": ["", "</p>"],
        "margin": "\n",
        "words": {"True": "true", "False": "false"},
    },
}
PYTHON = {"name": "x", "call": ["<c>", "</c>"], "payload": {"kind": "literals", "style": "python"}}
LINES = {**PYTHON, "payload": {**PYTHON["payload"], "lines": True}}
GEMMA = {**PYTHON, "payload": {"kind": "literals", "style": "gemma"}}
TYPED = {
    **TAGS,
    "payload": {
        "kind": "tags",
        "tool": ["<f=", "#{id}>"],
        "key": ["<p=", ""],
        "value": ["", "</p>"],
        "types": {' s="t">': "text", ' s="n">': "number", ' s="j">': "json"},
    },
}
ENDED = {**TAGS, "payload": {**TAGS["payload"], "end": "</f>", "margin": ""}}


def test_shapes_conform_to_their_schema():
    judge(
        f"{shape.id}: {fault}" for shape in SHAPES for fault in schemas.faults("shape", shape.data)
    )
    for members in (("id",), ("title",), ("kinds", "turn", "space", "edits")):
        values = {json.dumps([shape.data.get(member) for member in members]) for shape in SHAPES}
        assert len(values) == len(SHAPES)


@rows(
    "description, shape, text",
    [
        (OBJECT, "one-call", '<c>\n{"name": "read", "arguments": {"file": "a.txt"}}\n</c>'),
        (
            OBJECT,
            "two-calls",
            (
                '<c>\n{"name": "read", "arguments": {"file": "a.txt"}}\n</c>\n'
                '<c>\n{"name": "ls", "arguments": {}}\n</c>'
            ),
        ),
        (ARRAY, "one-call", '<c>[{"tool": "read", "input": {"file": "a.txt"}}]'),
        (
            ARRAY,
            "two-calls",
            '<c>[{"tool": "read", "input": {"file": "a.txt"}}, {"tool": "ls", "input": {}}]',
        ),
        (HEAD, "one-call", '<s><c>f.read:0<a>{"file": "a.txt"}</c></s>'),
        (
            HEAD,
            "two-calls",
            '<s><c>f.read:0<a>{"file": "a.txt"}</c><c>f.ls:1<a>{}</c></s>',
        ),
        (
            HEAD,
            "prose-between",
            '<s><c>f.read:0<a>{"file": "a.txt"}</c></s>And then:<s><c>f.ls:0<a>{}</c></s>',
        ),
        (TAGS, "one-call", "<c><f=read>\n<p=file>\na.txt\n</p></c>"),
        (TAGS, "no-arguments", "<c><f=ls></c>"),
        (
            ENDED,
            "several-arguments",
            (
                "<c><f=run><p=command>make</p><p=timeout>-30</p><p=ratio>0.25</p>"
                "<p=background>False</p></f></c>"
            ),
        ),
        (
            HEAD,
            "thinking-before",
            '<t>What is in it?</t><s><c>f.read:0<a>{"file": "a.txt"}</c></s>',
        ),
        (ENDED, "call-in-thinking", "<think><c><f=read><p=file>b.txt</p></f></c></think>Hello."),
        (
            OBJECT,
            "white-space-between",
            (
                '<c>\n{"name": "read", "arguments": {"file": "a.txt"}} \n\n\t</c> \n\n\t'
                '<c>\n{"name": "ls", "arguments": {}} \n\n\t</c>'
            ),
        ),
        (
            ENDED,
            "closer-in-a-text",
            "<c><f=write><p=file>a.md</p><p=text>ends with </c> always</p></f></c>",
        ),
        (PYTHON, "one-call", '<c>[read(file="a.txt")]</c>'),
        (PYTHON, "two-calls", '<c>[read(file="a.txt"), ls()]</c>'),
        (
            PYTHON,
            "null-inside",
            '<c>[search(query="x", options={"a": None, "b": [None, True, 1.5]})]</c>',
        ),
        (LINES, "two-calls", '<c>read(file="a.txt")\nls()</c>'),
        (GEMMA, "two-calls", '<c>call:read{file:<|"|>a.txt<|"|>}</c><c>call:ls{}</c>'),
        (
            GEMMA,
            "null-inside",
            '<c>call:search{query:<|"|>x<|"|>,options:{a:null,b:[null,true,1.5]}}</c>',
        ),
        (
            {**ENDED, "payload": {**ENDED["payload"], "literals": "python"}},
            "null-inside",
            (
                "<c><f=search><p=query>x</p>"
                '<p=options>{"a": None, "b": [None, True, 1.5]}</p></f></c>'
            ),
        ),
        (
            {**ENDED, "payload": {**ENDED["payload"], "words": {"None": "null", "Yes": "true"}}},
            "several-arguments",
            (
                "<c><f=run><p=command>make</p><p=timeout>-30</p><p=ratio>0.25</p>"
                "<p=background>false</p></f></c>"
            ),
        ),
        (
            TYPED,
            "several-arguments",
            (
                '<c><f=run#0><p=command s="t">make</p><p=timeout s="n">-30</p>'
                '<p=ratio s="n">0.25</p><p=background s="j">false</p></c>'
            ),
        ),
        (OBJECT, "cut-in-the-opener", "I will look.<"),
        (OBJECT, "cut-in-the-name", '<c>\n{"name": "read"'),
        (OBJECT, "cut-in-a-text", '<c>\n{"name": "run", "arguments": {"command": "rm -rf'),
        (
            OBJECT,
            "cut-before-the-last-brace",
            '<c>\n{"name": "read", "arguments": {"file": "a.txt"}',
        ),
        (OBJECT, "cut-in-the-closer", '<c>\n{"name": "read", "arguments": {"file": "a.txt"}}\n</'),
        (ENDED, "cut-before-the-closer", "<c><f=read><p=file>a.txt</p></f>"),
        (HEAD, "cut-in-the-section-closer", '<s><c>f.read:0<a>{"file": "a.txt"}</c></'),
        (HEAD, "no-section", '<c>f.read:0<a>{"file": "a.txt"}</c>'),
        (HEAD, "section-closer-twice", '<s><c>f.read:0<a>{"file": "a.txt"}</c></s></s>'),
        (ARRAY, "trailing-comma", '<c>[{"tool": "read", "input": {"file": "a.txt",}}]'),
        (OBJECT, "stray-closer", "Done. </c> Really."),
        (
            ARRAY,
            "end-in-a-text",
            '<c>[{"tool": "write", "input": {"file": "a.md", "text": "then <e> comes"}}]',
        ),
    ],
)
def test_a_shape_is_written_in_a_format(description, shape, text):
    assert BY_ID[shape].text(description) == text


@rows(
    "description, shape",
    [
        # It has no such marker.
        (ARRAY, "stray-closer"),
        (OBJECT, "no-section"),
        (OBJECT, "end-in-a-text"),
        # Its payload has no such fault, or no such end.
        (TAGS, "trailing-comma"),
        (TAGS, "cut-before-the-closer"),
        (ENDED, "cut-before-the-end-of-tags"),
        # What its marker closes would end a value or a name.
        ({**ENDED, "call": ["<c>", "</p>"]}, "closer-in-a-text"),
        (
            {**HEAD, "payload": {"kind": "arguments", "head": ["{name}:"]}},
            "punctuation-in-the-name",
        ),
        (PYTHON, "punctuation-in-the-name"),
        ({**TYPED, "payload": {**TYPED["payload"], "types": {">": "text"}}}, "several-arguments"),
        ({**GEMMA, "payload": {**GEMMA["payload"], "quote": "`"}}, "quotes"),
        # Nobody has described how it is written.
        ({**OBJECT, "payload": {"kind": "other"}}, "one-call"),
    ],
)
def test_a_format_may_lack_a_shape(description, shape):
    assert BY_ID[shape].text(description) is None


def test_a_marker_that_may_be_several_is_written_as_the_first():
    description = {**OBJECT, "call": [["<c>", "<d>"], "</c>"]}
    assert shapes.markers(description)["opener"] == "<c>"


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


def test_a_marker_is_filled_in_wherever_a_shape_names_it():
    case = BY_ID["closer-in-a-text"].case("x", "…", {"closer": "</c>"})
    assert case["expect"]["calls"][0]["arguments"]["text"] == "ends with </c> always"


def test_a_file_with_a_description_is_a_format_of_shapes(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**HEAD, "name": "own"}), "utf-8")
    found, description = formats.described(path)
    assert description == {**HEAD, "name": "own"}
    assert {"own-one-call", "own-no-section"} <= {case.id for case in found.cases}
    assert all(case.is_shape for case in found.cases)
    files = formats.files(str(path))
    assert files == [path, corpus.PLACE / "shapes.json"]
    assert corpus.version(corpus.PLACE, files)["version"] == corpus.version(corpus.PLACE)["version"]


@rows("text, reason", [("{", "own.json: "), ("[]", "an object"), ('{"name": "own"}', "is missing")])
def test_a_file_without_a_description_is_refused(tmp_path, text, reason):
    path = tmp_path / "own.json"
    path.write_text(text, "utf-8")
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
