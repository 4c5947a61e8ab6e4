"""What is written for each keyword of JSON Schema: values by hand, and what is noted where it is less."""

import json

import pytest

from cogwire import Toolset, render_calls
from cogwire_kit.grammars import GrammarError, turn_grammar
from tests.kit.grammars.reading import Matcher
from tests.rows import rows

pytestmark = pytest.mark.verify


def grammar_of(schema, dialect="xml-json"):
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    if isinstance(schema, dict) and "$defs" in schema:
        parameters["$defs"] = schema["$defs"]
    return turn_grammar(Toolset([{"name": "f", "parameters": parameters}], dialect))


def accepts(grammar, text):
    return Matcher(grammar).accepts(f'<execute>[{{"name":"f","args":{{"x":{text}}}}}]</execute>')


def members(names="", **properties):
    """Return the schema of an object whose members of these one-letter names are null."""
    nulls = {name: {"type": "null"} for name in names}
    return {"type": "object", "properties": nulls | properties}


#: A schema, texts that are written, and texts that are not.
VALUES = {
    "null": ({"type": "null"}, ["null"], ["", "nul", "0", "Null"]),
    "boolean": ({"type": "boolean"}, ["true", "false"], ["True", "1", '"true"']),
    "integer": (
        {"type": "integer"},
        ["0", "-0", "-1", "999999999999999", "-999999999999999"],
        ["01", "1000000000000000", "1.0", "1e2", "+1", "-"],
    ),
    "number": (
        {"type": "number"},
        ["0", "-0.5", "1.25e-3", "999999999999999.999999999999999E99", "1e+07"],
        ["1e999", "1e100", ".5", "1.", "1e", "00", "NaN", "0x1"],
    ),
    "string": (
        {"type": "string"},
        [
            *('""', '"a\\n\\u0000é😀"', '"</execute>"', '"\\ud83d\\ude00"', '"\\uD7FF\\ue000"'),
            '"\x7f"',
        ],
        [
            *('"\\ud83d"', '"\\ude00"', '"\\ud83d\\u0041"', '"\\ud83dx"', '"\n"', '"\\x"'),
            *("'a'", '"', '"\0"'),
        ],
    ),
    "enum": (
        {"enum": [1, "a", None, [1, {"b": 2}]]},
        ["1", '"a"', "null", '[1, {"b": 2}]'],
        ["1.0", '"b"', "[1]", "true"],
    ),
    "const, in a branch": (
        {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 5}]},
        ['"auto"', "5", "17"],
        ['"b"', "4"],
    ),
    "types": ({"type": ["integer", "null"]}, ["1", "null"], ['"1"', "1.5"]),
    "bounds": (
        {"type": "integer", "minimum": -12, "exclusiveMaximum": 105},
        ["-12", "-9", "0", "9", "10", "104"],
        ["-13", "-100", "105", "110", "1000", "-0"],
    ),
    "one bound": (
        {"type": "integer", "exclusiveMinimum": 0},
        ["1", "10", "123456789012345"],
        ["0", "-1"],
    ),
    "decimals": (
        {"type": "number", "minimum": 0.25, "exclusiveMaximum": 1.5},
        ["0.25", "0.3", "1", "1.499999", "1.0", "0.999999"],
        ["0.2", "0.24", "1.5", "1.50", "1e0", "2", "0"],
    ),
    "multiples": (
        {"type": "integer", "multipleOf": 7, "minimum": 10, "maximum": 1000},
        ["14", "70", "994"],
        ["7", "15", "1001", "0"],
    ),
    "decimal multiples": (
        {"type": "number", "multipleOf": 0.05, "minimum": 0},
        ["0", "0.05", "1.10", "12.35", "3"],
        ["0.01", "0.051", "1.12"],
    ),
    "length": (
        {"type": "string", "minLength": 2, "maxLength": 3},
        ['"ab"', '"é😀"', '"\\ud83d\\ude00\\n\\u0041"'],
        ['"a"', '"abcd"', '"\\ud83d\\ude00"'],
    ),
    "pattern": (
        {"type": "string", "pattern": "^[a-c]+-\\d{2}$"},
        ['"a-12"', '"cab-00"'],
        ['"-12"', '"a-1"', '"d-12"', '"a-12x"', '"a-\\u0031\\u0032"'],
    ),
    "pattern within": (
        {"type": "string", "pattern": "[0-9]"},
        ['"0"', '"ab7\\ncd"'],
        ['""', '"abc"'],
    ),
    "pattern with a length": (
        {"type": "string", "pattern": "^[a-c]+$", "minLength": 2, "maxLength": 4},
        ['"ab"', '"abca"'],
        ['"a"', '"abcab"'],
    ),
    "pattern of what is escaped": (
        {"type": "string", "pattern": '^["\\\\\\n]$'},
        ['"\\""', '"\\\\"', '"\\n"'],
        ['"a"', '"""', '"\\t"'],
    ),
    "array": (
        {"type": "array", "items": {"type": "integer"}},
        ["[]", "[1]", "[1, 2,3]", "[\n  1,\n  2\n]"],
        ["[1,]", "[,1]", '["1"]', "[1 ,2]", "[1\t]"],
    ),
    "items": (
        {"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 2},
        ["[null]", "[null,null]"],
        ["[]", "[null,null,null]"],
    ),
    "tuple": (
        {"type": "array", "prefixItems": [{"type": "null"}, {"type": "integer"}], "items": False},
        ["[]", "[null]", "[null, 1]"],
        ["[1]", "[null,1,1]"],
    ),
    "contains": (
        {"type": "array", "contains": {"const": 7}, "maxContains": 2},
        ["[7]", "[7, 1]", '[7, "a"]'],
        ["[]", "[1]", "[1, 7]", "[7,7,7]"],
    ),
    "unique, listed": (
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 1},
        ['["a"]', '["a", "c"]', '["a","b","c"]'],
        ["[]", '["a", "a"]', '["b", "a"]'],
    ),
    "unique": (
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        ["[]", '["a"]'],
        ['["a","a"]', '["a","b"]'],
    ),
    "object": (
        members("abc") | {"required": ["b"]},
        [
            *('{"b":null}', '{"a": null, "b": null}', '{"b":null,"c":null}'),
            '{\n "a":null,"b":null,"c":null}',
        ],
        ["{}", '{"a":null}', '{"b":null,"a":null}', '{"b":null,"b":null}', '{"b":null,"d":null}'],
    ),
    "required and not declared": (
        {"type": "object", "required": ["z"]},
        ['{"z":1}'],
        ["{}", '{"y":1}'],
    ),
    "names with escapes": (
        {"type": "object", "properties": {'a"\n': {"type": "null"}}},
        ["{}", '{"a\\"\\n":null}'],
        ['{"a":null}'],
    ),
    "how many members": (
        members("abc") | {"minProperties": 1, "maxProperties": 2},
        ['{"a":null}', '{"a":null,"b":null}'],
        ["{}", '{"a":null,"b":null,"c":null}'],
    ),
    "forbidden": (
        members("b", a=False),
        *(["{}", '{"b":null}'], ['{"a":null}']),
    ),
    "all of": (
        {
            "allOf": [
                members(a={"type": "integer", "minimum": 3}),
                {"properties": {"a": {"maximum": 5}, "b": {"type": "null"}}, "required": ["a"]},
            ]
        },
        ['{"a":3}', '{"a":5,"b":null}'],
        ['{"a":2}', '{"a":6}', "{}"],
    ),
    "closed beside all of": (
        members("a") | {"additionalProperties": False, "allOf": [members("b")]},
        ["{}", '{"a":null}'],
        ['{"b":null}', '{"a":null,"b":null}'],
    ),
    "unevaluated": (
        {"allOf": [members("a")], **members("b"), "unevaluatedProperties": False},
        ['{"b":null,"a":null}', "{}"],
        ['{"c":null}'],
    ),
    "one of": (
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]},
        ["1", "-4", "9"],
        ["10", "11"],
    ),
    "one of, by a member": (
        {
            "oneOf": [
                members(k={"const": k}, v={"type": v}) | {"required": ["k", "v"]}
                for k, v in (("n", "integer"), ("s", "string"))
            ]
        },
        ['{"k":"n","v":1}', '{"k":"s","v":"a"}'],
        ['{"k":"n","v":"a"}', '{"k":"s","v":1}', '{"k":"x","v":1}'],
    ),
    "not": (
        {"type": "string", "not": {"const": "root"}},
        ['"a"', '"roots"', '""'],
        ['"root"', '"\\u0072oot"'],
    ),
    "dependent": (
        members("ab") | {"dependentRequired": {"a": ["b"]}},
        ["{}", '{"b":null}', '{"a":null,"b":null}'],
        ['{"a":null}'],
    ),
    "if": (
        members("ab") | {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        ['{"b":null}', '{"a":null,"b":null}'],
        ['{"a":null}'],
    ),
    "property names": (
        members("b", ab={"type": "null"}) | {"propertyNames": {"maxLength": 1}},
        ["{}", '{"b":null}'],
        ['{"ab":null}'],
    ),
    "recursive": (
        {
            "$ref": "#/$defs/t",
            "$defs": {
                "t": members("v", c={"type": "array", "items": {"$ref": "#/$defs/t"}})
                | {"required": ["v"]}
            },
        },
        [
            *('{"v":null}', '{"v":null,"c":[]}'),
            '{"v":null,"c":[{"v":null},{"v":null,"c":[{"v":null}]}]}',
        ],
        ["{}", '{"v":null,"c":[1]}', '{"v":null,"c":{"v":null}}'],
    ),
    "anything": (
        {},
        ["null", "true", "-1.5", '"a"', "[[], [1]]", "{}"],
        ["", "nope", "[1,]", "1e999", '{"a":1,"a":2}'],
    ),
    "what judges nothing": (
        {"type": "null", "description": "x", "default": 5, "examples": [1], "format": "date"}
        | {"$comment": "c"},
        *(["null"], ["5"]),
    ),
}


@rows("name", VALUES)
def test_a_keyword(name):
    schema, good, bad = VALUES[name]
    grammar = grammar_of(schema)
    assert [text for text in good if not accepts(grammar, text)] == []
    assert [text for text in bad if accepts(grammar, text)] == []


@rows("name", VALUES)
def test_the_toolset_accepts_what_the_grammar_accepts(name):
    schema, good, _ = VALUES[name]
    parameters = {"type": "object", "properties": {"x": schema}, "$defs": {}}
    if isinstance(schema, dict):
        parameters["$defs"] = schema.get("$defs", {})
    toolset = Toolset([{"name": "f", "parameters": parameters}])
    for text in good:
        assert not toolset.check({"name": "f", "args": {"x": json.loads(text)}}).problems


#: A schema, the place that is named, and a word of the reason.
REFUSED = [
    ({"type": "string", "pattern": r"\bfoo"}, "/properties/x/pattern", r"\b"),
    ({"type": "string", "pattern": "^a|b^"}, "/properties/x/pattern", "^"),
    ({"type": "string", "pattern": r"^\p{L}$"}, "/properties/x/pattern", "property"),
    (
        {"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "b"}]},
        "/properties/x/allOf/1/pattern",
        "two",
    ),
    (
        {"type": "array", "uniqueItems": True, "minItems": 2},
        "/properties/x/uniqueItems",
        "different",
    ),
    ({"type": "string", "not": {"pattern": "^a"}}, "/properties/x/not", "`pattern`"),
    ({"type": "string", "minLength": 99999}, "/properties/x", "99999"),
    (
        {
            "anyOf": [{"const": n} for n in range(20)],
            "allOf": [{"anyOf": [{"minimum": n} for n in range(20)]}],
        },
        "/properties/x",
        "too many",
    ),
    ({"type": "integer", "minimum": 5, "maximum": 4}, "", "no call"),
    (False, "", "no call"),
]


@rows(("schema", "place", "word"), REFUSED)
def test_a_schema_that_cannot_be_expressed_is_refused_with_its_place(schema, place, word):
    with pytest.raises(GrammarError) as refusal:
        grammar_of(schema)
    assert str(refusal.value).startswith(f"tool 'f': at {place!r}: ")
    assert word in str(refusal.value)


#: A schema, and the end of what is noted.
NARROWED = [
    (
        {"type": "array", "uniqueItems": True},
        "at '/properties/x/uniqueItems': the grammar allows at most one item",
    ),
    (
        {"type": "object", "additionalProperties": {"type": "null"}},
        "/additionalProperties': only named members are written",
    ),
    (
        {"type": "array", "contains": {"const": 1}},
        "at '/properties/x/contains': the first 1 items fit it",
    ),
    (
        {"type": "string", "maxLength": 99999},
        "at '/properties/x': strings have at most 5000 characters",
    ),
    (
        {"type": "number", "minimum": 0},
        "at '/properties/x': numbers have no exponent, and few digits",
    ),
    (
        {"if": {"minimum": 1}, "then": {"maximum": 2}},
        "at '/properties/x/if': if the condition fails, `then` is required all the same",
    ),
]


@rows(("schema", "note"), NARROWED)
def test_what_is_left_out_is_noted(schema, note):
    assert any(each.endswith(note) for each in grammar_of(schema).narrowed)


@rows(
    ("bounds", "accepted", "refused", "place"),
    [
        ({"maxLength": 100}, [0, 100], [101], ""),
        ({"maxLength": 101}, [0, 102], [], "/properties/x"),
        ({"minLength": 101}, [100, 101], [99], "/properties/x"),
        ({"minLength": 2, "maxLength": 99999}, [2, 102], [1], "/properties/x"),
        ({"pattern": "^a+$", "maxLength": 101}, [1, 102], [0], "/properties/x"),
        ({"pattern": "^a{1,100}$"}, [1, 100], [0, 101], ""),
        ({"pattern": "^(?:a{1,101}|b)$"}, [1, 102], [0], "/properties/x/pattern"),
        ({"pattern": "^a{101,}$"}, [100, 101], [99], "/properties/x/pattern"),
    ],
)
def test_short_lengths_are_counted_and_longer_ones_named(bounds, accepted, refused, place):
    schema = {"type": "string", **bounds}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}
    grammar = turn_grammar(Toolset([tool]), lengths="short")
    assert [accepts(grammar, f'"{"a" * size}"') for size in accepted] == [True] * len(accepted)
    assert [accepts(grammar, f'"{"a" * size}"') for size in refused] == [False] * len(refused)
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
    assert accepts(grammar_of(schema), '"a"')
    with pytest.raises(GrammarError, match="surrogate"):
        grammar_of({"type": "object", "properties": {"\ud83d": {"type": "null"}}})


def test_schemas_that_double_with_each_step_take_no_longer():
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d40": {"type": "null"}}}
    assert accepts(grammar_of(schema), "null")


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

    def accepts(grammar, value):
        return Matcher(grammar).accepts(render_calls([{"name": "f", "args": {"x": value}}]))

    named, free = turn_grammar(toolset), turn_grammar(toolset, maps="any")
    assert any(note.endswith("only named members are written") for note in named.narrowed)
    assert free.narrowed == ()
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
