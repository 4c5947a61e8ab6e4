"""The executable spec of spans is itself tested: the page's examples, and the core beside it."""

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import DIALECTS
from tests.core.laws import law
from tests.oracle.spanning import spans
from tests.rows import rows

PAGE = (Path(__file__).parents[2] / "spec" / "convert.md").read_text("utf-8")
EXAMPLES = re.findall(
    r"^```text spans (\S+)\n(.*?)^```\n+^```json spans\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
)


def in_short(text, dialect):
    return [[*piece[:3], text[piece[3] : piece[4]]] for piece in spans(text, dialect)]


@rows("dialect, text, expected", EXAMPLES)
def test_the_examples_of_the_page(dialect, text, expected):
    assert in_short(text.removesuffix("\n"), dialect) == json.loads(expected)


def test_the_page_has_examples():
    assert len(EXAMPLES) == 2


@rows(
    "text, dialect, expected",
    [
        ("", "xml-json", []),
        (" \n", "xml-json", [["model", "white", None, " \n"]]),
        ("<end>\n", "xml-json", [["model", "marker", 0, "<end>"], ["system", "white", None, "\n"]]),
        (
            "<execute>[ ",
            "xml-json",
            [["model", "error", 0, "<execute>["], ["model", "white", None, " "]],
        ),
        (
            "a<results>]",
            "xml-json",
            [["model", "prose", 0, "a"], ["model", "error", 1, "<results>]"]],
        ),
        ("§call: ", "delimiter", [["model", "error", 0, "§call:"], ["model", "white", None, " "]]),
        ("[SYSTEM: ", "delimiter", [["model", "error", 0, "[SYSTEM: "]]),
        (
            "§think:§end",
            "delimiter",
            [["model", "marker", None, "§think:"], ["model", "marker", 0, "§end"]],
        ),
    ],
)
def test_some_texts(text, dialect, expected):
    assert in_short(text, dialect) == expected


def test_bytes_are_those_of_the_text():
    assert spans(b"\xff\xc3\xa9<end>", "xml-json") == [
        ("model", "prose", 0, 0, 2, 0, 5),
        ("model", "marker", 1, 2, 7, 5, 10),
    ]


A = '{"name": "a", "args": {}}'
ITEM = '{"tool": "a", "status": "success", "content": "y"}'
PIECES = [
    *["<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>", "<end>", "x"],
    *["§think:", "§call:", "§respond:", "§execute", "§end", "§result:", "[SYSTEM: ", "]", "é"],
    *[A, '{"name": "a"}', ITEM, "[]", "[", "<a/>", '"', "§", " ", "\n", "\t", "\r", "<![CDATA["],
    *[f"<execute>[{A}]</execute>", f"<results>[{ITEM}]</results>", f"§call: {A}\n§execute\n"],
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(["prose", "think"])
)
def test_the_core_returns_the_same(text, start):
    for dialect in DIALECTS:
        assert [tuple(each) for each in cogwire.spans(text, dialect, start=start)] == spans(
            text, dialect, start
        )


@law(make.inputs, parses=False)
def test_the_core_returns_the_same_for_any_input(dialect, data):
    assert [tuple(each) for each in cogwire.spans(data, dialect)] == spans(data, dialect)
