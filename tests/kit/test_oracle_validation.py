"""The executable spec of validation, held against rows that were written by hand."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import validation
from tests.oracle.refused import Refused

READ = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "minLength": 1, "description": "The path."},
        "mode": {"enum": ["text", "bytes"]},
        "lines": {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "array", "items": {"type": "integer"}},
            ]
        },
    },
    "required": ["file"],
    "additionalProperties": False,
}


def judged(parameters, args, dialect="xml-json"):
    """Return the problems of one call, each as code and path, and its arguments."""
    tools = [{"name": "t", "parameters": parameters}]
    [problems], [given_on] = validation.validate(tools, [{"name": "t", "args": args}], dialect)
    return [f"{each['code']} {each['path']}" for each in problems], given_on


def of_value(schema, value):
    return judged({"properties": {"v": schema}}, {"v": value})[0]


def of_text(schema, text):
    """Return the problems of an argument that came as text, and what it became."""
    problems, args = judged({"properties": {"v": schema}}, {"v": text}, "xml-elements")
    return args["v"], problems


@pytest.mark.parametrize(
    ("args", "problems"),
    [
        ({"file": "a.txt"}, []),
        ({}, ["missing-arg /file"]),
        ({"path": "a.txt"}, ["missing-arg /file", "unexpected-arg /path"]),
        ({"file": 5}, ["bad-type /file"]),
        ({"file": ""}, ["bad-value /file"]),
        ({"file": "a.txt", "mode": "binary"}, ["not-in-enum /mode"]),
        (
            {"file": "a.txt", "mode": None, "lines": 0},
            ["bad-value /lines", "not-in-enum /mode"],
        ),
        ({"file": "a.txt", "lines": "all"}, ["bad-type /lines"]),
        ({"file": "a.txt", "lines": [1, "2"]}, ["bad-type /lines/1"]),
        ({"file": "a.txt", "a/b": {}}, ["unexpected-arg /a~1b"]),
    ],
)
def test_the_tool_of_the_page(args, problems):
    assert judged(READ, args) == (problems, args)


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "3", ["bad-type /v"]),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, 0, ["bad-value /v"]),
        ({"oneOf": [{"const": "asc"}, {"const": "desc"}]}, "up", ["not-in-enum /v"]),
        (
            {
                "anyOf": [
                    {"type": "string", "minLength": 2},
                    {"type": "string", "pattern": "^[0-9]"},
                ]
            },
            "x",
            ["bad-value /v"],
        ),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 1, ["bad-value /v"]),
        ({"type": "string", "enum": ["a"], "minLength": 9}, 5, ["bad-type /v"]),
        (
            {"type": "string", "enum": ["a"], "minLength": 9},
            "b",
            ["bad-value /v", "not-in-enum /v"],
        ),
        ({"prefixItems": [{}], "items": False}, [1, 2, 3], ["bad-value /v"]),
        ({"unevaluatedItems": {"type": "integer"}}, [1, "2"], ["bad-value /v"]),
        ({"multipleOf": 0.01}, 19.99, []),
        ({"enum": [1]}, True, ["not-in-enum /v"]),
        ({"type": "integer"}, 3.0, []),
        ({"uniqueItems": True}, [1, True, 1.0], ["bad-value /v"]),
        ({"allOf": [False]}, 1, ["bad-value /v"]),
        (False, 1, ["unexpected-arg /v"]),
        ({"format": "date"}, "soon", []),
        ({"not": {"type": "null"}}, None, ["bad-value /v"]),
        (
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
            {"a": 1},
            ["missing-arg /v/b"],
        ),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, ["missing-arg /v/b"]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1, "c": 2}, ["unexpected-arg /v/ab"]),
        (
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "b": 2},
            ["unexpected-arg /v/b"],
        ),
    ],
)
def test_problems_of_values(schema, value, problems):
    assert of_value(schema, value) == problems


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "01234", "01234"),
        ({"type": "integer"}, "-17", -17),
        ({"type": "number"}, "1.0", 1.0),
        ({"type": "boolean"}, "true", True),
        ({"type": ["integer", "string"]}, "1", 1),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "null", None),
        ({"anyOf": [{"const": "auto"}, {"type": "integer"}]}, "5", 5),
        ({"type": "array"}, " [1, 2]\n", [1, 2]),
        ({"enum": [1, "a"]}, "1", 1),
        ({"enum": [1, "1"]}, "1", "1"),
        ({}, "1", "1"),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]}, "5", 5),
        ({"anyOf": [{"type": "integer", "enum": [1]}, {"type": "string"}]}, "2", "2"),
    ],
)
def test_a_text_that_fits(schema, text, value):
    found, problems = of_text(schema, text)
    assert problems == []
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer"}, "01234"),
        ({"type": "integer"}, "1.0"),
        ({"type": "integer"}, "+1"),
        ({"type": "integer"}, "9" * 400),
        ({"type": "number"}, "1e999"),
        ({"type": "boolean"}, "True"),
        ({"type": "object"}, "[1, 2]"),
        ({"type": "array"}, "[1,]"),
        ({"type": "array"}, "[" * 126 + "]" * 126),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "one"),
    ],
)
def test_a_text_that_fits_no_type(schema, text):
    assert of_text(schema, text) == (text, ["bad-type /v"])


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "strng"},
        {"properties": {"a": {"items": [{}]}}},
        {"$ref": "https://example.com/schema"},
        {"properties": {"a": {"$ref": "#/default"}}, "default": {}},
        {"$ref": "#"},
        {"$defs": {"a": {"anyOf": [{"not": {"$ref": "#/$defs/a"}}]}}},
        {"$defs": {"a": {"$anchor": "x"}, "b": {"$dynamicAnchor": "x"}}},
        {"pattern": "("},
        {"patternProperties": {"(": {}}},
    ],
)
def test_a_schema_that_is_refused(parameters):
    with pytest.raises(Refused):
        judged(parameters, {})


def test_tools_that_are_refused():
    """A name that is none, and a name that is another tool's."""
    for tools in ([{"name": ""}], [{"name": "execute"}], [{"name": "a"}, {"name": "a"}]):
        with pytest.raises(Refused):
            validation.validate(tools, [], "xml-json")


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        ({"additionalProperties": {"type": "integer"}}, "7", 7),
        ({"patternProperties": {"^n": {"type": "integer"}}}, "7", 7),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"n": {"type": "integer"}}}}}, "7", 7),
        ({"anyOf": [{"required": ["x"]}, {"properties": {"n": {"type": "integer"}}}]}, "7", 7),
        (
            {"oneOf": [{"properties": {"n": {"type": kind}}} for kind in ("integer", "boolean")]},
            "true",
            True,
        ),
        ({}, "7", "7"),
    ],
)
def test_where_an_argument_is_declared(parameters, text, value):
    assert judged(parameters, {"n": text}, "xml-elements")[1] == {"n": value}


def test_references_inside_are_followed():
    by_address = {
        "$id": "https://example.com/root",
        "properties": {"v": {"$ref": "it#x"}},
        "$defs": {"it": {"$id": "/it", "$defs": {"x": {"$anchor": "x", "type": "null"}}}},
    }
    assert judged(by_address, {"v": 1})[0] == ["bad-type /v"]
    tree = {"properties": {"next": {"$ref": "#"}}, "additionalProperties": False}
    assert judged(tree, {"next": {"next": {"a/~": 1}}})[0] == ["unexpected-arg /next/next/a~1~0"]


def test_a_dynamic_reference_leads_to_the_outermost():
    schema = {
        "$id": "https://example.com/strict",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": False,
        "$defs": {
            "tree": {
                "$id": "tree",
                "$dynamicAnchor": "node",
                "properties": {"next": {"$dynamicRef": "#node"}},
            }
        },
    }
    assert judged(schema, {"next": {"next": {}}})[0] == []
    assert "unexpected-arg /next/other" in judged(schema, {"next": {"other": 1}})[0]


def test_an_unknown_tool_and_a_call_without_args():
    tools = [{"name": "t", "parameters": {"required": ["a"]}}, {"name": "u"}]
    calls = [{"name": "x", "args": {"n": "1"}}, {"name": "t"}, {"name": "u", "args": {"b": 1}}]
    problems, args = validation.validate(tools, calls, "delimiter")
    assert problems == [
        [{"code": "unknown-tool", "path": ""}],
        [{"code": "missing-arg", "path": "/a"}],
        [],
    ]
    assert args == [{"n": "1"}, {}, {"b": 1}]


def test_arguments_that_are_too_deep_to_judge_are_one_problem():
    value: dict[str, object] = {}
    for _ in range(100_000):
        value = {"a": value}
    assert judged({"properties": {"a": {"$ref": "#"}}}, value)[0] == ["too-much-work "]


# --- Whether a value is valid, by a library ---------------------------------------------------

NAMES = st.sampled_from(["a", "b", "a/b"])
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([1.0, 0.5, "", "ab"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2)
)
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]


def schemas(inner):
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=2)
    one_of_these = {
        "type": st.sampled_from(TYPES),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "minimum": st.integers(-2, 2),
        "multipleOf": st.sampled_from([2, 0.5]),
        "minLength": st.integers(0, 2),
        "pattern": st.just("^a"),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True), max_size=2),
        "properties": named,
        "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
        "dependentSchemas": named,
        **dict.fromkeys(["allOf", "anyOf", "oneOf", "prefixItems"], several),
        **dict.fromkeys(["not", "if", "then", "else", "items", "contains"], inner),
        **dict.fromkeys(["additionalProperties", "propertyNames"], inner),
        **dict.fromkeys(["unevaluatedProperties", "unevaluatedItems"], inner),
    }
    keyword = st.sampled_from(sorted(one_of_these))
    member = keyword.flatmap(lambda name: st.tuples(st.just(name), one_of_these[name]))
    return st.lists(member, max_size=4).map(dict)


SCHEMAS = st.recursive(st.booleans() | st.just({"$ref": "#/$defs/leaf"}), schemas, max_leaves=6)


@given(schemas(SCHEMAS), st.dictionaries(NAMES, VALUES, max_size=3))
def test_there_are_no_problems_exactly_where_the_arguments_are_valid(schema, args):
    schema = {**schema, "$defs": {"leaf": {"type": ["string", "object"]}}}
    problems, _ = judged(schema, args)
    assert (problems == []) is jsonschema.Draft202012Validator(schema).is_valid(args)
