"""Drawn calls: the core, the executable spec and the library judge them as they were made."""

import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogwire_kit.strategies._toolsets import conforming_calls, toolsets, violating_calls
from tests import cogwire
from tests.core.helpers import DIALECTS
from tests.core.laws import law
from tests.oracle import validation
from tests.rows import rows

pytestmark = pytest.mark.verify

CODES = {"unknown-tool", "missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"}

KEYWORDS = {
    *("type", "enum", "const", "format", "description"),
    *("minLength", "maxLength", "pattern"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"),
    *("contains", "minContains", "maxContains"),
    *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"),
    *("required", "propertyNames", "minProperties", "maxProperties"),
    *("dependentRequired", "dependentSchemas", "if", "then", "else"),
    *("allOf", "anyOf", "oneOf", "not"),
    *("$ref", "$defs", "$anchor", "$id"),
}


def judged(make, least=0):
    """Draw tools, and calls that `make` makes for them."""

    def of(dialect):
        return toolsets(dialect, least).flatmap(
            lambda tools: st.tuples(
                st.just([tool.definition for tool in tools]),
                st.lists(make(tools, dialect), min_size=1, max_size=4),
            )
        )

    return of


def assert_judged(dialect, definitions, calls):
    """Hold the core and the executable spec to what is expected of calls."""
    toolset = cogwire.Toolset(definitions, dialect)
    for call, args, problems in calls:
        checked = toolset.check(call)
        found = [{key: each[key] for key in ("code", "path")} for each in checked.problems]
        assert (found, checked.args) == (problems, args), call
        assert all(each["message"] for each in checked.problems)
    plain = [call for call, _, _ in calls]
    problems, args = validation.validate(definitions, plain, dialect)
    assert problems == [each.problems for each in calls]
    assert args == [each.args for each in calls]


@law(judged(conforming_calls, 1))
def test_a_conforming_call_has_no_problem(dialect, drawn):
    assert_judged(dialect, *drawn)


@law(judged(violating_calls))
def test_a_violating_call_has_its_one_problem(dialect, drawn):
    assert all(len(each.problems) == 1 for each in drawn[1])
    assert_judged(dialect, *drawn)


def library_takes(definitions, call):
    """Whether the library finds the arguments valid, or nothing where it reckons in binary."""
    [parameters] = [
        each.get("parameters", {}) for each in definitions if each["name"] == call.call["name"]
    ]
    if "0.01" in json.dumps(parameters):
        return None
    return jsonschema.Draft202012Validator(parameters).is_valid(call.args)


@given(judged(conforming_calls, 1)("xml-json"))
def test_the_library_accepts_values_that_conform(drawn):
    definitions, calls = drawn
    assert all(library_takes(definitions, call) is not False for call in calls)


@given(judged(violating_calls)("xml-json"))
def test_the_library_refuses_values_that_violate_the_schema(drawn):
    definitions, calls = drawn
    for call in calls:
        if call.problems[0]["code"] != "unknown-tool":
            assert library_takes(definitions, call) is not True


@given(toolsets(least=1))
def test_schemas_are_valid_by_the_metaschema(tools):
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.definition.get("parameters", {}))


@pytest.mark.verify
@rows("dialect", ["xml-json", "xml-elements"])
def test_the_codes_are_drawn(dialect):
    """The rarest one may be missing."""
    seen = set()

    @settings(max_examples=40)
    @given(judged(violating_calls, 1)(dialect))
    def collect(drawn):
        seen.update(call.problems[0]["code"] for call in drawn[1])

    collect()
    assert seen <= CODES
    assert len(seen) >= len(CODES) - 1


def keywords(schema):
    """Yield the keywords of a schema and of those in it."""
    if isinstance(schema, dict):
        yield from schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from keywords(each)


def test_the_keywords_of_the_draft_are_drawn():
    seen = set()

    @settings(max_examples=100)
    @given(toolsets(least=1))
    def collect(tools):
        for tool in tools:
            seen.update(keywords(tool.definition))

    collect()
    assert len(seen & KEYWORDS) > 0.8 * len(KEYWORDS)


@rows("dialect", DIALECTS)
def test_tools_are_declared_without_a_warning(dialect):
    @given(toolsets(dialect))
    def holds(tools):
        definitions = [tool.definition for tool in tools]
        assert cogwire.Toolset(definitions, dialect).warnings == ()

    holds()
