"""The executable spec of validation: references, where arguments are declared, and a library.

The problems of single arguments are in the cases of the corpus.
"""

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.tools.test_references import OVERRIDDEN
from tests.oracle import validation
from tests.rows import rows


def judged(parameters, args, dialect="xml-json"):
    """Return the problems of one call, each as code and path, and its arguments."""
    tools = [{"name": "t", "parameters": parameters}]
    [problems], [given_on] = validation.validate(tools, [{"name": "t", "args": args}], dialect)
    return [f"{each['code']} {each['path']}" for each in problems], given_on


@rows(
    "parameters, text, value",
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
    assert judged(OVERRIDDEN, {"next": {"next": {}}})[0] == []
    assert "unexpected-arg /next/other" in judged(OVERRIDDEN, {"next": {"other": 1}})[0]


def test_arguments_that_are_too_deep_to_validate_are_one_problem():
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
def test_both_find_the_same_problems_and_none_exactly_in_what_is_valid(schema, args):
    schema = {**schema, "$defs": {"leaf": {"type": ["string", "object"]}}}
    problems, given_on = judged(schema, args)
    checked = cogwire.Toolset([{"name": "t", "parameters": schema}]).check(
        {"name": "t", "args": args}
    )
    assert problems == [f"{each['code']} {each['path']}" for each in checked.problems]
    assert given_on == checked.args
    assert (problems == []) is jsonschema.Draft202012Validator(schema).is_valid(args)
