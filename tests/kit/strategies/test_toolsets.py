"""Drawn calls: the core, the executable spec and the library judge them alike."""

import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogwire_kit.strategies._toolsets import any_calls, conforming_calls, toolsets, violating_calls
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
    """Draw the definitions of tools, and calls that `make` makes for them."""

    def of(dialect):
        return toolsets(dialect, least).flatmap(
            lambda tools: st.tuples(
                st.just([tool.definition for tool in tools]),
                st.lists(make(tools, dialect), min_size=1, max_size=4),
            )
        )

    return of


def good_calls(tools, dialect):
    return any_calls(tools, dialect, is_good=True)


def assert_judged(dialect, definitions, calls):
    """Hold the core to what the executable spec says of calls, and return the problems."""
    toolset = cogwire.Toolset(definitions, dialect)
    problems, args = validation.validate(definitions, calls, dialect)
    for call, *expected in zip(calls, problems, args, strict=True):
        checked = toolset.check(call)
        found = [{key: each[key] for key in ("code", "path")} for each in checked.problems]
        assert [found, checked.args] == expected, call
        assert all(each["message"] for each in checked.problems)
    return problems


@law(judged(good_calls, 1))
def test_a_conforming_call_has_no_problem(dialect, drawn):
    assert not any(assert_judged(dialect, *drawn))


@law(judged(any_calls))
def test_a_violating_call_has_the_problems_that_the_executable_spec_finds(dialect, drawn):
    assert_judged(dialect, *drawn)


@law(judged(conforming_calls, 1), judged(violating_calls))
def test_calls_come_with_what_is_found_of_them(dialect, conforming, violating):
    for definitions, calls in (conforming, violating):
        problems, args = validation.validate(definitions, [each.call for each in calls], dialect)
        assert [(each.problems, each.args) for each in calls] == list(
            zip(problems, args, strict=True)
        )
    assert not any(each.problems for each in conforming[1])
    assert all(len(each.problems) == 1 for each in violating[1])


@given(judged(any_calls)("xml-json") | judged(good_calls, 1)("xml-json"))
def test_the_library_accepts_exactly_the_values_that_conform(drawn):
    definitions, calls = drawn
    schemas = {each["name"]: each.get("parameters", {}) for each in definitions}
    for call, problems in zip(calls, assert_judged("xml-json", definitions, calls), strict=True):
        schema = schemas.get(call["name"])
        # The library reckons in binary.
        if schema is not None and "0.01" not in json.dumps(schema):
            is_valid = jsonschema.Draft202012Validator(schema).is_valid(call.get("args", {}))
            assert is_valid is (not problems)


@given(toolsets(least=1))
def test_schemas_are_valid_by_the_metaschema(tools):
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.definition.get("parameters", {}))


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
