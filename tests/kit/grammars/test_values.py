"""What is written for each keyword of JSON Schema: values by hand, and what is noted where it is less."""

import json

import pytest

from cogwire import Toolset, render_calls
from cogwire_kit.grammars import GrammarError, turn_grammar
from tests.kit.grammars.reading import Matcher
from tests.kit.grammars.turns import TEXTS
from tests.rows import rows

pytestmark = pytest.mark.verify


def grammar_of(schema, dialect="xml-json"):
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    if isinstance(schema, dict) and "$defs" in schema:
        parameters["$defs"] = schema["$defs"]
    return turn_grammar(Toolset([{"name": "f", "parameters": parameters}], dialect))


def accepted_by(grammar):
    """Return what says whether a grammar has a value in its calls."""
    matcher = Matcher(grammar)
    return lambda text: matcher.accepts(
        f'<execute>[{{"name":"f","args":{{"x":{text}}}}}]</execute>'
    )


#: Schemas with texts that a grammar of them writes, and with others.
VALUES = {
    each["name"]: (each["schema"], each["written"], each["others"]) for each in TEXTS["values"]
}


@rows("name", VALUES)
def test_a_keyword(name):
    schema, good, bad = VALUES[name]
    accepts = accepted_by(grammar_of(schema))
    assert [text for text in good if not accepts(text)] == []
    assert [text for text in bad if accepts(text)] == []


@rows("name", VALUES)
def test_the_toolset_accepts_what_the_grammar_accepts(name):
    schema, good, _ = VALUES[name]
    parameters = {"type": "object", "properties": {"x": schema}, "$defs": {}}
    if isinstance(schema, dict):
        parameters["$defs"] = schema.get("$defs", {})
    toolset = Toolset([{"name": "f", "parameters": parameters}])
    for text in good:
        assert not toolset.check({"name": "f", "args": {"x": json.loads(text)}}).problems


@rows(("schema", "place", "word"), [tuple(each.values()) for each in TEXTS["refused"]])
def test_a_schema_that_cannot_be_expressed_is_refused_with_its_place(schema, place, word):
    with pytest.raises(GrammarError) as refusal:
        grammar_of(schema)
    assert str(refusal.value).startswith(f"tool 'f': at {place!r}: ")
    assert word in str(refusal.value)


@rows(("schema", "note"), [tuple(each.values()) for each in TEXTS["narrowed"]])
def test_what_is_left_out_is_noted(schema, note):
    assert any(each.endswith(note) for each in grammar_of(schema).narrowed)


@rows("bounds, accepted, refused, place", [tuple(each.values()) for each in TEXTS["lengths"]])
def test_short_lengths_are_counted_and_longer_ones_named(bounds, accepted, refused, place):
    schema = {"type": "string", **bounds}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}
    grammar = turn_grammar(Toolset([tool]), lengths="short")
    accepts = accepted_by(grammar)
    assert [size for size in accepted if not accepts(f'"{"a" * size}"')] == []
    assert [size for size in refused if accepts(f'"{"a" * size}"')] == []
    note = "lengths above 100 are left to the check of the arguments"
    wanted = (f"tool 'f': at {place!r}: {note}",) if place else ()
    assert grammar.widened == wanted


@rows(
    "name",
    [
        "string",
        "enum",
        "types",
        "length",
        "object",
        "tuple",
        "all of",
        "recursive",
        "not",
        "bounds",
    ],
)
def test_no_note_is_needed_if_only_the_form_is_fixed(name):
    noted = {"not": 0}
    assert len(grammar_of(VALUES[name][0]).narrowed) == noted.get(name, 0)


def test_half_of_a_surrogate_pair_is_never_written():
    schema = {"enum": ["\ud83d", "a"]}
    assert accepted_by(grammar_of(schema))('"a"')
    with pytest.raises(GrammarError, match="surrogate"):
        grammar_of({"type": "object", "properties": {"\ud83d": {"type": "null"}}})


def test_schemas_that_double_with_each_step_take_no_longer():
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d40": {"type": "null"}}}
    assert accepted_by(grammar_of(schema))("null")


def test_a_dynamic_reference_is_refused():
    schema = {"$dynamicAnchor": "a", "type": "object", "properties": {"x": {"$dynamicRef": "#a"}}}
    with pytest.raises(GrammarError, match="dynamicRef"):
        turn_grammar(Toolset([{"name": "f", "parameters": schema}]))


@pytest.mark.parametrize(
    "schema",
    [{"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object"}, {}],
)
def test_members_that_no_schema_names(schema):
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}
    toolset = Toolset([tool])

    def accepts(matcher, value):
        return matcher.accepts(render_calls([{"name": "f", "args": {"x": value}}]))

    named, free = turn_grammar(toolset), turn_grammar(toolset, maps="any")
    assert any(note.endswith("only named members are written") for note in named.narrowed)
    assert free.narrowed == ()
    named, free = Matcher(named), Matcher(free)
    for value in ({"a": "b"}, {"a": "b", "é c": "d"}):
        assert not accepts(named, value)
        assert accepts(free, value)
    assert accepts(named, {})
    assert accepts(free, {})
    assert accepts(free, {"a": 1}) == ("additionalProperties" not in schema)


def test_other_members_have_other_names_than_declared_ones():
    declared = {"ab": {"type": "integer"}, "": {"type": "null"}}
    schema = {
        "type": "object",
        "properties": declared,
        "required": ["ab"],
        "additionalProperties": {"type": "string"},
    }
    matcher = Matcher(turn_grammar(Toolset([{"name": "f", "parameters": schema}]), maps="any"))

    def accepts(args):
        return matcher.accepts(render_calls([{"name": "f", "args": args}]))

    assert accepts({"ab": 1})
    assert accepts({"ab": 1, "": None, "abc": "x", "a": "y", "b": "z"})
    assert not accepts({"ab": "x"})
    assert not accepts({"ab": 1, "": "x"})
    assert not accepts({"ab": 1, "c": 2})


def test_counted_maps():
    inner = {"type": "object", "minProperties": 1, "maxProperties": 2}
    schema = {"type": "object", "properties": {"x": inner}, "additionalProperties": False}
    matcher = Matcher(turn_grammar(Toolset([{"name": "f", "parameters": schema}]), maps="any"))
    maps = [dict.fromkeys("abc"[:count]) for count in range(4)]
    texts = [render_calls([{"name": "f", "args": {"x": each}}]) for each in maps]
    assert [matcher.accepts(text) for text in texts] == [False, True, True, False]


def test_an_empty_element_is_written_in_both_ways():
    schema = {
        "type": "object",
        "properties": {"deps": {"type": "string"}, "n": {"type": "integer"}},
        "additionalProperties": False,
    }
    tools = [{"name": "f", "parameters": schema}]
    matcher = Matcher(turn_grammar(Toolset(tools, "xml-elements")))
    text = render_calls([{"name": "f", "args": {"deps": ""}}], "xml-elements")
    short = text.replace("<deps></deps>", "<deps/>")
    assert matcher.accepts(text)
    assert short != text
    assert matcher.accepts(short)
    assert not matcher.accepts(short.replace("deps", "n"))
    # All arguments of the tool are optional.
    assert matcher.accepts("<execute><f/></execute>")
