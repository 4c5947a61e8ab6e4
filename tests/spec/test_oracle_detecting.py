"""The executable spec of detection is itself tested: hand-written examples, and the page's own."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.oracle.detecting import AMBIGUOUS, PROSE, detect
from tests.rows import rows

PAGE = Path(__file__).parents[2] / "spec" / "convert.md"
ROW = re.compile(r"^\| `(?P<text>[^|]+)` \| (?P<told>none|`[\w-]+`|ambiguous).* \|$", re.MULTILINE)


def page_rows():
    """Yield the texts of the page's last table, each with its dialect."""
    for row in ROW.finditer(PAGE.read_text("utf-8").partition("## Detection")[2]):
        yield row["text"], {"none": PROSE}.get(row["told"], row["told"].strip("`"))


@rows("text, expected", list(page_rows()))
def test_the_table_of_the_page_holds(text, expected):
    assert detect(text) == expected


def test_the_table_is_read_whole():
    assert len(list(page_rows())) == 12


@rows(
    "text, expected",
    [
        ("", PROSE),
        ("Hello. §end [SYSTEM: x]", PROSE),
        ("§end.\n</think><THINK>", PROSE),
        ("[SYSTEM:x]\n[system: x]", PROSE),
        (" \t§end", "delimiter"),
        ("a\r§end", "delimiter"),
        ("[SYSTEM: x]", "delimiter-upper"),
        ("§THINK: a\n§EXECUTE\n[SYSTEM: x]", "delimiter-upper"),
        ("§think: a\n[SYSTEM: x]", AMBIGUOUS),
        ("§call: {}\n§execute\n§result: a\n§RESULT: b", AMBIGUOUS),
        # A keyword in a string, or in the middle of a line, does not count.
        ('§call: {"name": "a", "args": {"x": "§END"}}\n§execute', "delimiter"),
        ("§respond: never §END", "delimiter"),
        # Directly after a tag no marker begins a line.
        ("<think>a</think>§end", AMBIGUOUS),
        ("<execute>[]</execute>§end", "xml-json"),
        ("<execute>[]</execute>\n§end", AMBIGUOUS),
        # In a think, a block and results everything is content.
        ("<execute>[]</execute><results>\n§end\n</results>", "xml-json"),
        ("<think>\n§end</think><execute>[]", "xml-json"),
        ("§think: <execute>[]</execute>", "delimiter"),
        ("§respond: a\n§think: b\n§respond: <end>", AMBIGUOUS),
        # Blocks that do not show their dialect count for neither.
        ("<execute> \r\n\t[", "xml-json"),
        ("<execute>", AMBIGUOUS),
        ("<execute>ls</execute>x<execute><a/></execute>", "xml-elements"),
        ("<execute>[]</execute>x<execute><a/></execute>", AMBIGUOUS),
        # Text in a string or in CDATA is not a second block.
        (
            '<execute>[{"name": "a", "args": {"x": "</execute><execute><b/>"}}]</execute>',
            "xml-json",
        ),
        ("<execute><a><x><![CDATA[</execute><execute>[]]]></x></a></execute>", "xml-elements"),
    ],
)
def test_a_text_is_detected_by_its_markers(text, expected):
    assert detect(text) == expected
    assert detect(text.encode()) == expected


PIECES = ["<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>", "<end>"]
PIECES += ["§think:", "§call:", "§respond:", "§execute", "§end", "§result:", "[SYSTEM: ", "]"]
PIECES += ["§THINK:", "§CALL:", "§EXECUTE", "§END", '{"name": "a"}', "[]", "<a/>", "x", '"', "§"]
PIECES += [" ", "\n", "\t", "\r", "<![CDATA[", "]]>"]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_the_core_detects_the_same_dialect(text):
    detected = cogwire.detect(text)
    reasons = {0: PROSE, 1: detected.dialect}
    assert detect(text) == reasons.get(len(detected.candidates), AMBIGUOUS)
