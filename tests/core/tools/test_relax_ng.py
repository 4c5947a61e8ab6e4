"""The RELAX NG schema that is made from a toolset: what it says for each declaration.

Whether it takes the right blocks is tested with a validator, elsewhere.
"""

import textwrap

import pytest

from tests import cogwire
from tests.core.helpers import DIALECTS, TRAINED
from tests.rows import rows

BEGIN = (
    '<grammar xmlns="http://relaxng.org/ns/structure/1.0" '
    'datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">\n'
)
END = "</grammar>\n"


def made(*tools):
    """Return the schema without its frame."""
    text = cogwire.Toolset(tools, "xml-elements").relax_ng()
    assert text.startswith(BEGIN)
    assert text.endswith(END)
    return textwrap.dedent(text.removeprefix(BEGIN).removesuffix(END))


@rows("dialect", [*DIALECTS, *TRAINED])
def test_only_blocks_that_are_xml_have_a_schema(dialect):
    toolset = cogwire.Toolset([{"name": "t"}], dialect)
    if dialect == "xml-elements":
        assert toolset.relax_ng()
        return
    with pytest.raises(ValueError, match=rf"RELAX NG is for blocks that are XML, .* {dialect};"):
        toolset.relax_ng()


def defined(parameters):
    """Return the pattern of a tool with these parameters."""
    text = made({"name": "t", "parameters": parameters})
    before, _, pattern = text.partition('<define name="tool.t">\n')
    assert before == (
        "<start>\n"
        '  <element name="execute">\n'
        "    <zeroOrMore>\n"
        '      <ref name="tool.t"/>\n'
        "    </zeroOrMore>\n"
        "  </element>\n"
        "</start>\n"
    )
    return textwrap.dedent(pattern.removesuffix("</define>\n"))


def value(schema):
    """Return the pattern of the one argument."""
    parameters = {
        "properties": {"v": schema},
        "required": ["v"],
        "additionalProperties": False,
        "$defs": {"e": {"type": "string", "enum": ["a"]}},
    }
    begin, end = (
        '<element name="t">\n  <interleave>\n    <element name="v">\n',
        "    </element>\n  </interleave>\n</element>\n",
    )
    text = defined(parameters)
    assert text.startswith(begin)
    assert text.endswith(end)
    return textwrap.dedent(text.removeprefix(begin).removesuffix(end))


TEXT = "<text/>\n"
NOT_ALLOWED = "<notAllowed/>\n"
INTEGER = '<data type="string">\n  <param name="pattern">-?(0|[1-9][0-9]*)</param>\n</data>\n'
NUMBER = INTEGER.replace("</param>", r"(\.[0-9]+)?([eE][+\-]?[0-9]+)?</param>")


def is_one_of(*texts):
    values = [f'<value type="string">{text}</value>' for text in texts]
    if len(values) == 1:
        return f"{values[0]}\n"
    return "<choice>\n" + "".join(f"  {each}\n" for each in values) + "</choice>\n"


@rows(
    ("schema", "pattern"),
    [
        ({}, TEXT),
        ({"type": "string", "minLength": 1}, TEXT),
        ({"type": "array"}, TEXT),
        ({"type": "object"}, TEXT),
        ({"enum": ["a", 1]}, TEXT),
        ({"type": "integer"}, INTEGER),
        ({"type": "number"}, NUMBER),
        ({"type": "number", "enum": [1]}, NUMBER),
        ({"type": "boolean"}, is_one_of("true", "false")),
        ({"type": "boolean", "const": False}, is_one_of("false")),
        ({"type": "boolean", "enum": [1, "true"]}, NOT_ALLOWED),
        ({"type": "null"}, is_one_of("null")),
        (
            {"type": "string", "enum": ["a", "", 1, "<&>\r"]},
            is_one_of("a", "", "&lt;&amp;&gt;&#13;"),
        ),
        ({"type": "string", "enum": ["\x00", "\ud800"]}, NOT_ALLOWED),
        ({"type": "integer", "enum": [0, 2.0, 2.5, True, "3"]}, is_one_of("0", "-0", "2")),
        ({"type": ["string", "null"]}, TEXT),
        ({"type": ["null", "boolean"]}, is_one_of("null", "true", "false")),
        ({"anyOf": [{"$ref": "#/$defs/e"}, {"type": "null"}]}, is_one_of("a", "null")),
    ],
)
def test_values(schema, pattern):
    assert value(schema) == pattern


OTHERS = (
    '<zeroOrMore>\n  <element>\n    <nsName ns=""/>\n    <text/>\n  </element>\n</zeroOrMore>\n'
)


def tool_of(*patterns):
    inside = textwrap.indent("".join(patterns), "    ")
    return f'<element name="t">\n  <interleave>\n{inside}  </interleave>\n</element>\n'


def argument(name):
    return f'<element name="{name}">\n  <text/>\n</element>\n'


def optional(name):
    return f"<optional>\n{textwrap.indent(argument(name), '  ')}</optional>\n"


def others_than(*names):
    known = "".join(f"        <name>{name}</name>\n" for name in names)
    others = f'    <nsName ns="">\n      <except>\n{known}      </except>\n    </nsName>\n'
    return OTHERS.replace('    <nsName ns=""/>\n', others)


@rows(
    ("parameters", "pattern"),
    [
        ({}, tool_of(OTHERS)),
        ({"additionalProperties": False}, '<element name="t">\n  <empty/>\n</element>\n'),
        (
            {"properties": {"a": {}, "b": {}}, "required": ["b"], "additionalProperties": False},
            tool_of(optional("a"), argument("b")),
        ),
        ({"properties": {"a": {}, "b c": {}}}, tool_of(optional("a"), others_than("a"))),
        ({"required": ["a"]}, tool_of(argument("a"), others_than("a"))),
        ({"properties": {"a": False}}, tool_of(others_than("a"))),
        ({"properties": {"a": False}, "required": ["a"]}, NOT_ALLOWED),
        ({"required": ["a b"]}, NOT_ALLOWED),
        ({"patternProperties": {"^n": {}}, "additionalProperties": False}, tool_of(OTHERS)),
        (
            {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"required": ["b"]}]},
            tool_of(argument("a"), argument("b"), others_than("a", "b")),
        ),
        (
            {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, True]},
            tool_of(optional("a"), others_than("a")),
        ),
        (
            {"allOf": [{"properties": {"a": {}}}, {"additionalProperties": False}]},
            '<element name="t">\n  <empty/>\n</element>\n',
        ),
        (
            {"$ref": "#/$defs/p", "$defs": {"p": {"required": ["a"]}}},
            tool_of(argument("a"), others_than("a")),
        ),
    ],
)
def test_arguments(parameters, pattern):
    assert defined(parameters) == pattern


def test_tools():
    """Those that no element can be called are left out."""
    empty = {"additionalProperties": False}
    names = ["a", "b c", "été"]
    assert made(*({"name": name, "parameters": empty} for name in names)) == (
        "<start>\n"
        '  <element name="execute">\n'
        "    <zeroOrMore>\n"
        "      <choice>\n"
        '        <ref name="tool.a"/>\n'
        '        <ref name="tool.été"/>\n'
        "      </choice>\n"
        "    </zeroOrMore>\n"
        "  </element>\n"
        "</start>\n"
        '<define name="tool.a">\n'
        '  <element name="a">\n'
        "    <empty/>\n"
        "  </element>\n"
        "</define>\n"
        '<define name="tool.été">\n'
        '  <element name="été">\n'
        "    <empty/>\n"
        "  </element>\n"
        "</define>\n"
    )


def test_no_tools():
    nothing = '<start>\n  <element name="execute">\n    <empty/>\n  </element>\n</start>\n'
    assert made() == nothing
    assert made({"name": "a b"}) == nothing
