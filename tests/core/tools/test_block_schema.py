"""The schema of a block, and any schema held against any arguments."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.tools.helpers import DRAFT, OBJECT, assert_plain, tool
from tests.rows import rows


# --- The schema of a block --------------------------------------------------------------------------
def test_the_schema_of_a_block():
    toolset = cogwire.Toolset([tool(OBJECT, "a b"), tool({"maxProperties": 1}, "c")])
    assert toolset.schema() == {
        "$schema": DRAFT,
        "title": "Calls",
        "description": "The calls of one block, each valid for its tool.",
        "type": "array",
        "maxItems": 256,
        "items": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "name": {"const": "a b"},
                        "args": {"$id": "urn:cogwire:tool:a%20b", **OBJECT},
                    },
                    "required": ["name", "args"],
                },
                {
                    "type": "object",
                    "properties": {
                        "name": {"const": "c"},
                        "args": {
                            "type": "object",
                            "allOf": [{"$id": "urn:cogwire:tool:c", "maxProperties": 1}],
                        },
                    },
                    "required": ["name", "args"],
                },
            ]
        },
    }


@rows(
    "tools",
    [
        [],
        [
            tool(OBJECT),
            tool({"properties": {"v": {"$ref": "it"}}, "$defs": {"it": {"$id": "it"}}}, "u"),
        ],
    ],
)
def test_the_schema_of_a_block_is_valid_by_the_metaschema(tools):
    jsonschema.Draft202012Validator.check_schema(cogwire.Toolset(tools).schema())


def test_the_schema_of_a_block_without_tools_takes_the_empty_block_alone():
    whole = jsonschema.Draft202012Validator(cogwire.Toolset([]).schema())
    assert whole.is_valid([])
    assert not whole.is_valid([{"name": "a", "args": {}}])


@rows("each", corpus.array(corpus.PLACE / "texts" / "blocks.json"))
def test_the_schema_takes_the_calls_without_problems_that_a_parser_of_the_dialect_emits(each):
    """A call may omit its `args` where the dialect says so, if the tool needs none.

    A tool whose schema takes more than objects is given objects nevertheless.
    """
    toolset = cogwire.Toolset(each["tools"], each["dialect"])
    whole = jsonschema.Draft202012Validator(toolset.schema())
    for one in each["blocks"]:
        assert whole.is_valid(corpus.expanded(one["block"])) is one["fits"], one


@rows("dialect", ["xml-elements", "qwen3-coder", "glm-4.5"])
def test_arguments_that_are_text_have_no_schema(dialect):
    """What a text means depends on the schema of its tool, and no parser emits a number."""
    with pytest.raises(ValueError, match=f"^arguments in {dialect} are text, without a JSON Sch"):
        cogwire.Toolset([tool(OBJECT)], dialect).schema()


# --- Any schema, any arguments ----------------------------------------------------------------------
NAMES = st.sampled_from(["a", "b", "a/b", "~", "", "é"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3, width=16),
    st.text("ab😀", max_size=3),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def schemas(inner):
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    count = st.integers(0, 2)
    keywords = {
        "type": TYPES | st.lists(TYPES, min_size=1, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": st.integers(-3, 3),
        "exclusiveMaximum": st.integers(-3, 3),
        "multipleOf": st.integers(1, 3),
        "minLength": count,
        "maxLength": count,
        "pattern": st.sampled_from(["^a", "b$", "😀"]),
        "minItems": count,
        "maxItems": count,
        "uniqueItems": st.booleans(),
        "items": inner,
        "prefixItems": several,
        "contains": inner,
        "minContains": count,
        "maxContains": count,
        "unevaluatedItems": inner,
        "properties": named,
        "patternProperties": st.dictionaries(st.sampled_from(["a", "^$"]), inner, max_size=2),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "propertyNames": inner,
        "required": st.lists(NAMES, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True), max_size=2),
        "dependentSchemas": named,
        "minProperties": count,
        "maxProperties": count,
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
    }
    return st.fixed_dictionaries({}, optional=keywords).map(
        lambda schema: dict(list(schema.items())[:6])
    ) | st.sampled_from(sorted(keywords)).flatmap(
        lambda keyword: keywords[keyword].map(lambda value: {keyword: value})
    )


SCHEMAS = st.recursive(
    st.booleans() | st.sampled_from([{"$ref": "#/$defs/leaf"}, {"$ref": "#leaf"}, {}]),
    schemas,
    max_leaves=6,
)
CODES = {"missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"}


@given(schemas(SCHEMAS), st.dictionaries(NAMES, VALUES, max_size=3))
def test_problems_are_well_formed_and_there_exactly_when_the_arguments_are_invalid(schema, args):
    """Both the stock validator and the schema of a block decide what is valid."""
    schema |= {"$defs": {"leaf": {"$anchor": "leaf", "type": ["string", "object"]}}}
    toolset = cogwire.Toolset([tool(schema)])
    found = toolset.check({"name": "t", "args": args}).problems
    valid = jsonschema.Draft202012Validator(schema).is_valid(args)
    assert (found == []) is valid
    whole = jsonschema.Draft202012Validator(toolset.schema())
    assert whole.is_valid([{"name": "t", "args": args}]) is valid
    assert_plain(found, args)
    assert {problem["code"] for problem in found} <= CODES
    assert all(each["message"].startswith(each["path"] or "the arguments") for each in found)
