"""Blocks of elements are read as lxml reads them, except where the dialect has its own rule."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from cogwire_kit import strategies as make
from cogwire_kit.strategies import _elements, _tags
from tests import cogwire
from tests.core.helpers import repaired
from tests.rows import rows
from tests.spec.beside_lxml import (
    DIALECT,
    WRONG,
    check,
    is_escaped_white,
    read_by_cogwire,
    read_by_lxml,
    unhurried,
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


# --- The RELAX NG schema of all blocks ----------------------------------------------------------

SCHEMA = Path(__file__).parents[2] / "spec" / "schemas" / "execute.rng"
GENERIC = etree.RelaxNG(etree.fromstring(SCHEMA.read_bytes()))

bad_tools = st.sampled_from(_elements.CODES).flatmap(_elements.bad_tools)
blocks = (st.just("") | bad_tools).flatmap(lambda bad: _tags.blocks(DIALECT, bad))
insides = blocks.map(lambda block: block.inside)
pieces = st.sampled_from(WRONG) | make.hostile_pieces(DIALECT)
any_insides = insides | make.mutated(insides, pieces) | st.lists(pieces, max_size=12).map("".join)


@unhurried
@given(any_insides.map(lambda inside: f"<execute>{repaired(inside)}</execute>"))
def test_the_generic_schema(text):
    """It accepts what the parser accepts, and refuses the rest as far as it can."""
    try:
        block = etree.fromstring(text.encode())
    except etree.XMLSyntaxError:
        return
    if read_by_cogwire(text)[0] is not None:
        assert GENERIC.validate(block)
    elif GENERIC.validate(block):
        wrong = read_by_cogwire(text)[1]
        assert (
            wrong["code"] == "duplicate-arg"
            or "xmlns" in text
            or "<!-" in text
            or "<?" in text
            or is_escaped_white(text, wrong)
            or text.endswith("</execute >")
        )


@rows(
    "inside",
    [
        *["x", "<w>x</w>", "<w a='1'/>", "<w><a b='1'/></w>", "<w><a><b/></a></w>"],
        *["<w><a>1<b/></a></w>", "<execute/>", "<w xmlns='u'/>", "<w/>x"],
    ],
)
def test_the_generic_schema_refuses(inside):
    text = f"<execute>{inside}</execute>"
    assert not GENERIC.validate(etree.fromstring(text))
    assert read_by_cogwire(text)[0] is None
