"""What programs use that work on texts, events and tools themselves."""

import importlib
import json

import pytest

from tests import cogwire
from tests.core.helpers import DIALECTS
from tests.rows import rows

tooling = importlib.import_module(f"{cogwire.__name__}.tooling")


def test_every_name_is_there_and_no_other():
    assert sorted(tooling.__all__) == sorted(set(tooling.__all__))
    for name in tooling.__all__:
        vars(tooling).pop(name if name in tooling._HOMES else "", None)
        assert getattr(tooling, name) is getattr(tooling, name)
    with pytest.raises(AttributeError, match="has no attribute 'kitchen'"):
        tooling.kitchen  # noqa: B018 - it is imported when it is asked for


@rows("dialect", [*DIALECTS, *tooling.format_names()])
def test_the_markers_of_a_dialect(dialect):
    notation = tooling.notation(dialect)
    assert notation.name == notation.dialect == dialect
    assert (notation.mode == "transcript") is bool(notation.wire.frame.has_results)
    assert isinstance(notation.is_text, bool)
    opener = notation.block[0] or notation.call_openers[0]
    assert opener in notation.lookalikes
    text = f"é\n{opener}"
    assert notation.lookalikes_in(text)[0] == 2
    written = notation.escaped(json.dumps(opener))
    assert (opener not in written, json.loads(written)) == (opener != "[", opener)
    if opener in notation.openers:
        assert opener in notation.call_openers
        # A header has more than the marker with which it begins.
        is_whole = opener not in notation.wire.frame.call_headers
        assert notation.markers_in(text) == ([(2, len(text))] if is_whole else [])


@rows(
    "marker, literal",
    [("<end>", "&lt;end>"), ("§end", "&sect;end"), ("[SYSTEM: ", "&#91;SYSTEM: "), ("", "")],
)
def test_the_literal_form_of_a_marker(marker, literal):
    """A marker that a dialect does not have is empty, and so is its literal form."""
    assert tooling.literal(marker) == literal


def test_the_text_of_a_user_may_pass_for_results():
    text = "a <results> b </results>"
    found = [text[begin:end] for begin, end in tooling.notation("xml-json").unsafe_in(text)]
    assert found[0].startswith("<results")
    with pytest.raises(ValueError, match="unknown dialect"):
        tooling.notation("kitchen")


@rows(
    "text, characters, replaced",
    [
        ("aé", "aé", []),
        (b"a\xff\xc3\xa9\xf0\x9f", "a\ufffdé\ufffd", [1, 3]),
        ("\ud83d\ude00b\ud83d", "\U0001f600b\ufffd", [2]),
    ],
)
def test_the_characters_of_a_text(text, characters, replaced):
    assert tooling.decode(text) == (characters, replaced)


def test_a_transcript_with_its_places():
    reading = tooling.read(b"a\xff<think>b</think>", "xml-json")
    assert reading.text == "a\ufffd<think>b</think>"
    assert reading.replaced == [1]
    assert [(placed.event["type"], placed.begin, placed.end) for placed in reading.events] == [
        ("respond", 0, 2),
        ("think", 9, 10),
    ]
    assert reading.spans == cogwire.spans(reading.text)


# --- The schema of a tool -----------------------------------------------------------------------

TREE = {
    "properties": {"tree": {"$ref": "#/$defs/tree"}, "id": {"type": "string", "pattern": "^a"}},
    "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    "required": ["tree"],
}


def schema_of(parameters):
    (tool,) = cogwire.Toolset([{"name": "grow", "parameters": parameters}]).tools
    return tooling.ToolSchema(tool)


def test_every_schema_has_its_place_and_judges():
    schema = schema_of(TREE)
    assert schema.targets["/properties/tree"] == "/$defs/tree"
    assert schema.schemas["/properties/id"]["pattern"] == "^a"
    assert schema.fits([[], [[]]], "/properties/tree")
    assert not schema.fits([1], "/properties/tree")
    assert not schema.fits({}, "")
    assert schema.matches("^a", "ab")
    assert not schema.matches("^a", "ba")


def test_schemas_can_be_added():
    schema = schema_of(TREE)
    schema.add("\0", {"not": schema.reference("/$defs/tree")})
    schema.add("\1", False)
    assert schema.targets["\0/not"] == "/$defs/tree"
    assert schema.fits(1, "\0")
    assert not schema.fits([], "\0")
    assert schema.reference("\1") == {"allOf": [False]}
    assert not schema.fits(1, "\1")


def test_texts_are_read_as_a_dialect_writes_them():
    tools = [{"name": "f", "parameters": {"properties": {"x": {"type": ["string", "null"]}}}}]
    (tool,) = cogwire.Toolset(tools).tools
    assert tooling.ToolSchema(tool).read("x", "None") == "None"
    assert tooling.ToolSchema(tool, "qwen3-coder").read("x", "None") is None
    assert tooling.ToolSchema(tool, "xml-elements").read("x", "null") == "null"


def test_a_notation_has_the_description_of_its_format():
    known = cogwire.format_named("hermes")
    assert tooling.notation("hermes").form == known.format
    assert tooling.notation("xml-json").form is None


def test_texts_are_read_as_the_schema_declares():
    schema = schema_of({"properties": {"n": {"type": ["integer", "null"]}}})
    assert [option.type for option in schema.options("n")] == ["integer", "null"]
    assert schema.options("m") is None
    assert schema.read("n", "7") == 7


def test_a_reference_that_depends_on_the_value():
    assert not schema_of(TREE).is_dynamic
    dynamic = {"$dynamicAnchor": "all", "properties": {"a": {"$dynamicRef": "#all"}}}
    assert schema_of(dynamic).is_dynamic


@rows(
    "value, shown",
    [
        ("it's", '"it\'s"'),
        ("a" * 65, f"'{'a' * 63}…'"),
        (None, "None"),
        (True, "True"),
        (-1.5, "-1.5"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**64) + 1, "-18446744073709551615"),
        (2**64, "a value of type int"),
        (-(2**64), "a value of type int"),
        ([[]], "a value of type list"),
    ],
)
def test_a_value_that_cannot_be_read_is_shown_in_few_words(value, shown):
    assert tooling.short_repr(value) == shown
