"""The RELAX NG schemas: the one of all blocks, and those that a toolset returns."""

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
    is_escaped_white,
    read_by_cogwire,
    unhurried,
)

SCHEMAS = Path(__file__).parents[2] / "spec" / "schemas"


# --- RELAX NG ---------------------------------------------------------------------------------


def schema(text):
    return etree.RelaxNG(etree.fromstring(text))


GENERIC = schema((SCHEMAS / "execute.rng").read_bytes())

EXAMPLE = [
    {
        "name": "read",
        "parameters": {
            "type": "object",
            "properties": {
                "file": {"type": "string", "minLength": 1},
                "lines": {"type": ["integer", "null"], "minimum": 1},
            },
            "required": ["file"],
            "additionalProperties": False,
        },
    },
    {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "order": {"type": "string", "enum": ["name", "date"]},
                "weight": {"type": "number"},
                "deep": {"type": "boolean"},
                "in": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["text"],
        },
    },
    {"name": "list", "parameters": {"type": "object", "additionalProperties": False}},
]


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


def test_the_published_example():
    written = cogwire.Toolset(EXAMPLE, DIALECT).relax_ng()
    assert (SCHEMAS / "toolset-example.rng").read_text() == written


VALID = [
    *["", "<list/>", "<read><file>a</file></read><list></list>"],
    *[
        "<read>\n<lines>12</lines>\n<file/></read>",
        "<read><file>a</file><lines>null</lines></read>",
    ],
    "<search><in>[]</in><text><![CDATA[<]]></text><weight>-1.5e3</weight></search>",
    "<search><text/><order>date</order><deep>true</deep><other>1</other></search>",
]


@rows(
    "inside",
    [
        *VALID,
        *["<write/>", "<read/>", "<read><lines>1</lines></read>"],
        *["<read><file>a</file><lines>01</lines></read>"],
        *["<read><file>a</file><lines> 1</lines></read>", "<read><file>a</file><lines/></read>"],
        *["<read><file>a</file><x>1</x></read>", "<list><x/></list>"],
        *["<search><text/><order>Date</order></search>"],
        *["<search><text/><order> date</order></search>"],
        *["<search><text/><weight>1.</weight></search>"],
        *["<search><text/><deep>1</deep></search>"],
    ],
)
def test_blocks_of_the_example(inside):
    text = f"<execute>{inside}</execute>"
    published = schema((SCHEMAS / "toolset-example.rng").read_bytes())
    toolset = cogwire.Toolset(EXAMPLE, DIALECT)
    events = cogwire.parse(text, DIALECT, clock=None)
    problems = [toolset.check(event).problems for event in events if event["type"] == "call"]
    assert GENERIC.validate(etree.fromstring(text))
    assert published.validate(etree.fromstring(text)) == (inside in VALID)
    assert inside in VALID or any(problems)


def test_rules_that_relax_ng_cannot_express():
    """Such a block passes, although its calls have problems."""
    for inside in (
        "<read><file></file></read>",
        "<read><file>a</file><lines>0</lines></read>",
        "<search><text/><weight>1e999</weight></search>",
        "<search><text/><in>a, b</in></search>",
    ):
        toolset = cogwire.Toolset(EXAMPLE, DIALECT)
        text = f"<execute>{inside}</execute>"
        assert schema(toolset.relax_ng()).validate(etree.fromstring(text))
        assert toolset.check(cogwire.parse(text, DIALECT, clock=None)[0]).problems


#: Schemas of arguments that RELAX NG can express fully, and texts that may fit them.
SAYABLE = [
    {},
    True,
    False,
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["boolean", "integer"]},
    {"type": ["integer", "string"]},
    {"type": "string", "enum": ["a", "", " a", "<&>\r\n", "\x00", "\ud800", 1]},
    {"type": "string", "const": "a\nb"},
    {"type": "integer", "enum": [0, -1, 2.0, True, "1"]},
    {"type": "boolean", "enum": [True, 1]},
    {"type": "null", "enum": [None, False]},
    {"type": "string", "enum": [1]},
    {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer"}]},
    {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/e"}]},
    {"$ref": "#/$defs/e"},
    {"allOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/e"}]},
    {"type": ["integer", "null"], "allOf": [{"type": "integer"}]},
]
#: Schemas that RELAX NG cannot express fully.
MORE = [
    *[{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 1}],
    *[{"type": "number", "enum": [1, 2.5]}, {"type": "array"}, {"type": "object"}],
    *[{"type": ["array", "boolean"]}, {"enum": ["a", 1]}, {"const": None}],
    *[{"allOf": [{"type": "integer"}, {"type": "null"}]}, {"not": {"const": "a"}}],
]
DEFS = {"e": {"type": "string", "enum": ["a", "b"]}}
TEXTS = [
    *["", "a", "b", " a", "a ", "a\nb", "<&>\r\n", "0", "-0", "1", "-1", "2", "01", "+1", "1.0"],
    *["2.5", "1e3", " 1", "true", "false", "True", "null", "[]", "{}", "[1", '"a"', "é"],
]
ARGUMENTS = ["a", "b", "été", "n"]
#: What must hold besides.
OTHERS = [{"required": ["a"]}, {"required": ["a b"]}, {"additionalProperties": False}]


@st.composite
def toolsets(draw, schemas):
    """Return a tool with one of every keyword that may declare arguments."""
    properties = draw(st.dictionaries(st.sampled_from(ARGUMENTS), st.sampled_from(schemas)))
    parameters = {"properties": properties, "$defs": DEFS}
    if draw(st.booleans()):
        parameters["required"] = draw(st.lists(st.sampled_from(ARGUMENTS), unique=True))
    if draw(st.booleans()):
        parameters["additionalProperties"] = draw(st.sampled_from([True, False, False]))
    if draw(st.booleans()):
        parameters = {"$ref": "#/$defs/p", "$defs": {**DEFS, "p": parameters}}
        parameters["$defs"]["p"].pop("$defs")
    if draw(st.booleans()):
        other = draw(st.sampled_from(OTHERS))
        inner = {key: each for key, each in parameters.items() if key != "$defs"}
        parameters = {"allOf": [inner, other], "$defs": parameters["$defs"]}
    tool = {"name": "t", "parameters": parameters}
    return cogwire.Toolset([tool, {"name": "other"}], DIALECT)


arguments = st.dictionaries(st.sampled_from([*ARGUMENTS, "x"]), st.sampled_from(TEXTS))


@unhurried
@given(toolsets(SAYABLE), arguments)
def test_a_schema_agrees_with_its_toolset(toolset, args):
    call = {"name": "t", "args": args}
    block = etree.fromstring(cogwire.render_calls([call], DIALECT))
    assert schema(toolset.relax_ng()).validate(block) == (not toolset.check(call).problems)


@unhurried
@given(toolsets([*SAYABLE, *MORE]), arguments)
def test_a_schema_never_refuses_a_good_call(toolset, args):
    call = {"name": "t", "args": args}
    block = etree.fromstring(cogwire.render_calls([call], DIALECT))
    if not toolset.check(call).problems:
        assert schema(toolset.relax_ng()).validate(block)
