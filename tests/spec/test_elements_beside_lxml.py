"""Blocks of elements are read as lxml reads them, except where the dialect has its own rule."""

import json

from hypothesis import given
from lxml import etree

from tests import cogwire
from tests.rows import rows
from tests.spec.beside_lxml import (
    DIALECT,
    WRONG,
    arbitrary,
    blocks,
    check,
    mutated,
    read_by_cogwire,
    read_by_lxml,
    unhurried,
)


@unhurried
@given(blocks)
def test_valid_blocks(text):
    assert read_by_cogwire(text)[0] is not None
    check(text)


@unhurried
@given(mutated())
def test_mutated_blocks(text):
    check(text)


@unhurried
@given(arbitrary)
def test_arbitrary_blocks(text):
    check(text)


@rows("wrong", WRONG)
@rows(
    "around",
    [
        ("<execute>", "<w><a>1</a></w></execute>"),
        ("<execute><", "w><a>1</a></w></execute>"),
        ("<execute><w", "><a>1</a></w></execute>"),
        ("<execute><w>", "<a>1</a></w></execute>"),
        ("<execute><w><a", ">1</a></w></execute>"),
        ("<execute><w><a>1", "2</a></w></execute>"),
        ("<execute><w><a>1</a", "></w></execute>"),
        ("<execute><w><a>1</a>", "</w></execute>"),
        ("<execute><w><a>1</a></w>", "</execute>"),
    ],
)
def test_everything_wrong_everywhere(wrong, around):
    check(wrong.join(around))


# --- The differences, one by one --------------------------------------------------------------


def test_line_ends_are_kept():
    text = "<execute><w><a>1\r\n2\r3&#13;\n</a></w></execute>"
    (call, _) = cogwire.parse(text, DIALECT, clock=None)
    assert json.loads(call["content"])["args"] == {"a": "1\r\n2\r3\r\n"}
    assert etree.fromstring(text)[0][0].text == "1\n2\n3\r\n"


def test_the_closer_has_one_form():
    text = "<execute><w/></execute >"
    assert read_by_lxml(text) == [("w", [])]
    assert read_by_cogwire(text)[0] is None


@rows("space", ["&#32;", "&#10;", "<![CDATA[ ]]>"])
@rows("around", ["<execute>{}<w/></execute>", "<execute><w>{}</w></execute>"])
def test_white_space_between_elements_is_plain(space, around):
    text = around.format(space)
    assert read_by_lxml(text) == [("w", [])]
    assert read_by_cogwire(text)[1]["code"] == "xml-forbidden"


def test_no_name_contains_a_colon():
    for name in ("xml:w", "n:w"):
        assert read_by_cogwire(f"<execute><{name}/></execute>")[1]["code"] == "xml-syntax"


def test_limits_are_the_dialects_own():
    text = f"<execute>{'<w/>' * 257}</execute>"
    assert len(read_by_lxml(text)) == 257
    assert read_by_cogwire(text)[1]["code"] == "limit-calls"


# --- Attacks ----------------------------------------------------------------------------------

BILLION = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
BOMB = f'<!DOCTYPE execute [<!ENTITY e0 "lol">{BILLION}]>'
OUTSIDE = '<!DOCTYPE execute [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@rows("declaration", [BOMB, OUTSIDE])
@rows("entity", ["e9", "x"])
def test_declarations_before_a_block_are_prose(declaration, entity):
    """Nothing outside of a block is XML, so a block has only the five entities."""
    text = f"{declaration}<execute><w><a>&{entity};</a></w></execute>"
    prose, wrong = cogwire.parse(text, DIALECT, clock=None)
    assert prose == {"type": "respond", "content": declaration}
    assert (wrong["code"], wrong["path"]) == ("xml-syntax", "/0/args/a")
    assert wrong["offset"] == text.index("<execute>") + len("<execute><w><a>&")


@rows("declaration", [BOMB, OUTSIDE, "<!DOCTYPE execute>", "<!ENTITY x 'y'>"])
@rows(
    "around",
    [
        "<execute>{}</execute>",
        "<execute>{}<w><a>&x;</a></w></execute>",
        "<execute><w>{}</w></execute>",
        "<execute><w><a>{}</a></w></execute>",
        "<execute><w/>{}</execute>",
    ],
)
def test_declarations_void_a_block(declaration, around):
    text = around.format(declaration)
    assert read_by_lxml(text) is None
    wrong = read_by_cogwire(text)[1]
    assert wrong["type"] == "error"
    assert wrong["offset"] <= text.index(declaration) + 2


@rows("depth", [3, 200, 100_000])
def test_deep_nesting(depth):
    text = f"<execute>{'<a>' * depth}{'</a>' * depth}</execute>"
    assert read_by_lxml(text) is None
    wrong = read_by_cogwire(text)[1]
    assert (wrong["code"], wrong["offset"]) == ("xml-forbidden", len("<execute><a><a><"))


def test_huge_references():
    for digits, base in (("9" * 100_000, ""), ("F" * 100_000, "x"), ("1" + "0" * 100_000, "")):
        text = f"<execute><w><a>&#{base}{digits};</a></w></execute>"
        assert read_by_lxml(text) is None
        wrong = read_by_cogwire(text)[1]
        assert (wrong["code"], wrong["offset"] < 30) == ("xml-syntax", True)
    zeros = "0" * 100_000
    text = f"<execute><w><a>&#{zeros}65;&#x{zeros}42;</a></w></execute>"
    assert read_by_cogwire(text)[0] == read_by_lxml(text) == [("w", [("a", "AB")])]


def test_references_are_read_once():
    """The character of a reference is text, even where it looks like another one, or like a tag."""
    check("<execute><w><a>&amp;lt;&#38;#60;&#60;b&#62;&lt;/a&gt;</a></w></execute>")
