"""The executable spec of validation: references, where arguments are declared, and a library.

The problems of single arguments are in the cases of the corpus.
"""

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.core.tools.test_block_schema import NAMES, SCHEMAS, VALUES, schemas
from tests.core.tools.test_references import OVERRIDDEN
from tests.oracle import validation


def judged(parameters, args, dialect="xml-json"):
    """Return the problems of one call, each as code and path, and its arguments."""
    tools = [{"name": "t", "parameters": parameters}]
    [problems], [given_on] = validation.validate(tools, [{"name": "t", "args": args}], dialect)
    return [f"{each['code']} {each['path']}" for each in problems], given_on


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


@given(schemas(SCHEMAS), st.dictionaries(NAMES, VALUES, max_size=3))
def test_both_find_the_same_problems_and_none_exactly_in_what_is_valid(schema, args):
    schema = {**schema, "$defs": {"leaf": {"$anchor": "leaf", "type": ["string", "object"]}}}
    problems, given_on = judged(schema, args)
    checked = cogwire.Toolset([{"name": "t", "parameters": schema}]).check(
        {"name": "t", "args": args}
    )
    assert problems == [f"{each['code']} {each['path']}" for each in checked.problems]
    assert given_on == checked.args
    assert (problems == []) is jsonschema.Draft202012Validator(schema).is_valid(args)
