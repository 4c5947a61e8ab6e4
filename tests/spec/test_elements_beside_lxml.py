"""Blocks of elements are read as lxml reads them, except where the dialect has its own rule."""

import json

from lxml import etree

from tests import cogwire
from tests.rows import rows
from tests.spec.beside_lxml import (
    DIALECT,
    WRONG,
    check,
    read_by_cogwire,
    read_by_lxml,
)


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
