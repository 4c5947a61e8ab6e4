"""The executable spec of conversion, held against rows that were written by hand, and its law.

A caret `‸` stands in a source before each place that the report names; it is no part of the text.
"""

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import DIALECTS, converting, parse
from tests.oracle.spelling import value

PAGE = (Path(__file__).parents[2] / "spec" / "convert.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^```text from (\S+)\n(.*?)^```\n+^```text to (\S+)\n(.*?)^```\n+^```json report\n(.*?)^```",
    PAGE,
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize(("source", "text", "target", "converted", "report"), EXAMPLES)
def test_the_examples_of_the_page(source, text, target, converted, report):
    assert converting.convert(text.removesuffix("\n"), source, target) == (
        converted.removesuffix("\n"),
        json.loads(report),
    )


def test_the_page_has_examples():
    assert len(EXAMPLES) > 8


A = '{"name": "a", "args": {}}'
B = '{"name": "b", "args": {}}'
WITH_ID = '{"id": 1, "tool": "a", "status": "success", "content": "x [1]"}'


@pytest.mark.parametrize(
    ("source", "target", "text", "converted", "codes"),
    [
        ("xml-json", "delimiter", "", "", []),
        ("xml-json", "delimiter", " <think> </think>", "", []),
        ("delimiter", "xml-json", "a ‸<end>§end", "a &lt;end>§end", ["neutralised"]),
        (
            "xml-json",
            "delimiter",
            "a\n\t‸§Call: §end\r‸[SYSTEM: x",
            "§respond: a\n\t&sect;Call: §end\r&#91;SYSTEM: x",
            ["neutralised"] * 2,
        ),
        (
            "xml-json",
            "delimiter",
            "a<think></think>‸‸§end",
            "§respond: a\n&sect;end",
            ["joined", "neutralised"],
        ),
        (
            "xml-json",
            "delimiter",
            "a<execute>‸x</execute>b",
            "§respond: a\n§respond: b",
            ["dropped"],
        ),
        (
            "xml-json",
            "xml-elements",
            "a<execute>‸x</execute>‸b",
            "a\n\nb",
            ["dropped", "joined"],
        ),
        (
            "delimiter",
            "xml-json",
            f"§call: {A}\n§think: ‸t\n§call: {B}\n§execute",
            f"<think>t</think>\n\n<execute>\n[\n  {A},\n  {B}\n]\n</execute>",
            ["moved"],
        ),
        (
            "delimiter",
            "xml-json",
            f"§call: ‸{A}\n‸§end\n§call: {B}\n§execute",
            f"<end>\n\n<execute>\n[\n  {B}\n]\n</execute>",
            ["dropped"] * 2,
        ),
        (
            "delimiter",
            "xml-elements",
            '§call: ‸‸{"id": 1, "name": "a", "args": {"n": [1.50,\n"<"]}}\n§execute',
            '<execute>\n  <a><n>[1.50, "&lt;"]</n></a>\n</execute>',
            ["dropped", "retyped"],
        ),
        (
            "xml-elements",
            "xml-json",
            "<execute> ‸<a/>\n‸<b></b>‸x</execute>",
            "",
            ["dropped"] * 3,
        ),
        (
            "xml-json",
            "delimiter-upper",
            f"<execute>[{A}]</execute>‸<results>[{WITH_ID}]</results>",
            f'§CALL: {A}\n§EXECUTE\n[SYSTEM: "x [1]"]',
            ["dropped"],
        ),
    ],
)
def test_what_is_written_and_reported(source, target, text, converted, codes):
    pieces = text.split("‸")
    places = list(itertools.accumulate(map(len, pieces[:-1])))
    written, report = converting.convert("".join(pieces), source, target)
    assert written == converted
    found = [(entry["offset"], entry["code"]) for entry in report]
    assert found == list(zip(places, codes, strict=True))


# --- The law of the report --------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *["a", " ", "\n", "é", "<think>", "</think>", "<end>", "§think:", "§respond: ", "§end"],
        *[f"<execute>[{A}]</execute>", "<execute><a/></execute>", "<execute>", "]</execute>"],
        *[f"§call: {A}", '\n§call: {"name": "b c", "x": 1}', "\n§execute\n", "§call: {", "x"],
        *['<results>[{"tool": "a", "status": "success", "content": "§end"}]</results>', "<b/>"],
        *["§result: 1", "\n[SYSTEM: 1]", '<execute>[{"name": "b c", "args": {"n": 1}}]</execute>'],
    ]
)


def events_of(text, dialect):
    events = parse(text, dialect, mode="transcript").events
    return [
        {**event, "content": value(event["content"])}
        if event["type"] in ("call", "result")
        else event
        for event in events
    ]


@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_report_is_empty_exactly_where_the_events_are_the_same(text):
    for source in DIALECTS:
        for target in DIALECTS:
            converted, report = converting.convert(text, source, target)
            is_same = events_of(converted, target) == events_of(text, source)
            assert (report == []) is is_same
            assert all(event["type"] != "error" for event in events_of(converted, target))
