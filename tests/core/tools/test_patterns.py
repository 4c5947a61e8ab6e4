"""Patterns mean what ECMA-262 says, are matched in linear time, or are refused when declared."""

import sys

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.tools.helpers import refusal, tool, value_problems
from tests.rows import rows


def finds(pattern, text):
    return value_problems({"pattern": pattern}, text) == []


@rows("each", corpus.array(corpus.PLACE / "texts" / "patterns.json"))
def test_a_pattern_means_what_it_means_in_ecma_262(each):
    pattern, fitting = each["pattern"], each["found"]
    assert [text for text in [*fitting, *each["not_found"]] if finds(pattern, text)] == fitting


def test_a_pattern_with_half_of_a_surrogate_pair_is_refused():
    message = refusal(tool({"properties": {"a": {"pattern": "\ud800"}}}))
    assert message.startswith("tools[0]: tool 't': at '/properties/a/pattern': ")


def test_a_refusal_names_the_place_and_the_reason():
    assert refusal(tool({"pattern": "^a(?!-)"})) == (
        "tools[0]: tool 't': at '/pattern': \"^a(?!-)\" is a pattern that is not supported, because "
        "of '(?!-)': patterns are those of ECMA-262 that RE2 can match, without lookaround and "
        "backreferences; remove it and let the tool check the text itself"
    )
    assert "RE2 refuses: invalid repetition size: {1001}" in refusal(tool({"pattern": "a{1001}"}))
    assert "'/patternProperties/('" in refusal(tool({"patternProperties": {"(": {}}}))


@rows(
    "pattern",
    [
        *("^(a+)+$", "^(a|a)*$", "(a*)*b", "(a|b|ab)*c", "(.*){5}c", ".*.*.*=", "a{1,30}b"),
        *("(a?){30}a{30}b", "^(([a-z])+.)+[A-Z]([a-z])+$", r"^(\w+\s?)*$", "x*y"),
    ],
)
def test_no_pattern_tries_one_way_after_another(pattern):
    """With any other engine this test would not end."""
    assert not finds(pattern, "a" * 2_000 + "!\n")


def test_a_large_pattern_has_memory_and_a_long_text_work():
    assert finds(r"^\p{L}{1,100}$", "é" * 100)
    assert finds(r"^[^\0]*$", "x" * 1_000_000)


def test_without_re2_a_tool_with_a_pattern_is_refused_and_no_other(monkeypatch):
    """So in the browser.  No engine that tries one way after another takes its place."""
    monkeypatch.setitem(sys.modules, "re2", None)
    assert cogwire.Toolset([tool({"$id": "a", "$anchor": "b"})]).names == ("t",)
    for schema in ({"pattern": "a"}, {"patternProperties": {"a": {}}}):
        message = refusal(tool(schema))
        assert message.endswith("patterns need the package google-re2: pip install google-re2")


def test_without_jsonschema_a_toolset_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(ImportError, match=r"pip install jsonschema google-re2$"):
        cogwire.Toolset([])
