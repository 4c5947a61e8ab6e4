"""Schemas that are refused when a tool is declared, and references that are taken."""

import tracemalloc

import jsonschema
import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.tools.helpers import DRAFT, problems, refusal, tool
from tests.rows import rows


# --- Schemas that are refused -----------------------------------------------------------------------
@rows("each", corpus.array(corpus.PLACE / "texts" / "schemas.json"))
def test_a_schema_that_cannot_be_used_is_refused_with_tool_and_place(each):
    """Among them are patterns that RE2 rejects, or reads differently from ECMA-262."""
    message = refusal(tool({}, "good"), tool(each["parameters"], "bad"))
    reason = each.get("reason") or f"at {each['place']!r}"
    assert message.startswith(f"tools[1]: tool 'bad': {reason}")


def test_a_refused_reference_is_named_and_nothing_is_fetched(monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: pytest.fail("fetched"))
    message = refusal(tool({"properties": {"a": {"$ref": "https://example.com/a"}}}))
    assert "'https://example.com/a'" in message
    assert "nothing is fetched" in message


def test_a_circle_is_shown_in_the_direction_of_its_references():
    message = refusal(
        tool({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}})
    )
    circle = ["'/$defs/a'", "'/$defs/b'", "'/$defs/b/not'"]
    shown = message.split("references: ")[1].split(" -> ")
    start = circle.index(shown[0])
    assert shown == [*circle[start:], *circle[:start], shown[0]]


def test_a_schema_nested_too_deeply_is_refused():
    schema = {}
    for _ in range(100_000):
        schema = {"not": schema}
    assert refusal(tool(schema)).startswith("tools[0]: tool 't': its schema is not JSON")


def test_the_nesting_of_schemas_is_bounded():
    """However deep the caller is: judging takes the same of the stack for each call."""
    schema = {}
    for depth in range(102):
        if depth == 100:
            assert problems(schema, {}) == []
        schema = {"properties": {"a": schema}}
    assert refusal(tool(schema)) == "tools[0]: tool 't': its schema is nested too deeply"


def test_a_schema_with_a_value_that_is_nested_too_deeply_is_refused():
    value = []
    for _ in range(600):
        value = [value]
    message = refusal(tool({"default": value}))
    assert message == "tools[0]: tool 't': its schema is nested too deeply"


def nested(depth, schema, name):
    for _ in range(depth):
        schema = {"properties": {name: schema}}
    return schema


@rows(
    ("schema", "reason"),
    [
        ({"properties": {"x" * 50_000: {"allOf": [{}] * 5_000}}}, "its schema is too large"),
        (nested(90, {"allOf": [{}] * 5_000}, "k" * 600), "its schema is too large"),
        ({"allOf": [{}] * 100_000}, "its schema is too large"),
        (
            {
                "$defs": {
                    f"r{each}": {"$id": f"r{each}", "$dynamicAnchor": "n"} for each in range(800)
                }
                | {f"s{each}": {"$dynamicRef": "r0#n"} for each in range(800)}
            },
            "its schema is too large",
        ),
        ({f"x-{each}": 1 for each in range(101)}, "at '': it has more than 100 keywords"),
        (
            {"patternProperties": {f"(a|b)*a(a|b){{12}}{each}": {} for each in range(2_000)}},
            "makes the patterns of this tool take too much memory",
        ),
        (
            {"allOf": [{"pattern": f"[a-z]{{1,500}}{each}"} for each in range(300)]},
            "too much memory",
        ),
    ],
)
def test_the_work_of_declaring_a_schema_is_bounded(schema, reason):
    """None of these takes more than a few megabytes before it is refused."""
    tracemalloc.start()
    message = refusal(tool(schema))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert message.endswith(reason)
    assert peak < 40_000_000


# --- Drafts and references that are taken -----------------------------------------------------------
@rows(
    ("keyword", "argument", "instead"),
    [
        ("dependencies", {"a": ["b"]}, "dependentRequired or dependentSchemas"),
        ("$recursiveRef", "#", "$dynamicRef"),
        ("additionalItems", False, "items beside prefixItems"),
        ("disallow", "string", "not"),
        ("divisibleBy", 2, "multipleOf"),
        ("extends", {}, "allOf"),
        ("id", "urn:x", "$id"),
    ],
)
def test_a_keyword_of_an_older_draft_is_warned_of(keyword, argument, instead):
    """It is ignored, wherever it appears; a member of its name is not a keyword."""
    inner = {"type": "object", "properties": {keyword: {}}, keyword: argument}
    toolset = cogwire.Toolset([tool({"properties": {"v": inner}})])
    reason = "it is ignored, since draft 2020-12 has no such keyword; it has"
    assert toolset.warnings == (f"tool 't': at '/properties/v/{keyword}': {reason} {instead}",)


def test_another_draft_is_read_as_this_one_with_a_warning():
    old = "http://json-schema.org/draft-07/schema#"
    schema = {
        "$schema": old,
        "properties": {
            "a": {"$schema": "https://example.com/own", "prefixItems": [{"type": "null"}]},
            "b": {"$schema": f"{DRAFT}#"},
            "$schema": {"type": "integer"},
        },
    }
    toolset = cogwire.Toolset([tool(schema)])
    assert toolset.warnings == (
        f"tool 't': at '/$schema': {old!r} is read as draft 2020-12",
        "tool 't': at '/properties/a/$schema': 'https://example.com/own' is read as draft 2020-12",
    )
    assert toolset.tools[0].parameters == schema
    assert problems(schema, {"a": [1], "$schema": "x"}) == [
        ("bad-type", "/$schema"),
        ("bad-type", "/a/0"),
    ]


@rows(
    ("draft", "schema"),
    [
        ("http://json-schema.org/draft-07/schema#", {"items": [{}]}),
        ("http://json-schema.org/draft-04/schema#", {"exclusiveMinimum": True}),
    ],
)
def test_a_schema_that_is_invalid_in_this_draft_is_refused_with_its_own(draft, schema):
    inside = {"properties": {"v": schema}}
    read_as = f"; its $schema is {draft}, but schemas are read as draft 2020-12"
    assert refusal(tool({"$schema": draft, **inside})).endswith(read_as)
    for parameters in (inside, {"$schema": DRAFT, **inside}):
        assert "2020-12" not in refusal(tool(parameters))


@rows("each", corpus.array(corpus.PLACE / "texts" / "references.json"))
def test_a_reference_inside_the_schema_is_followed(each):
    """The composed schema follows it too, and the same for two tools with the same names inside."""
    schema = each["parameters"]
    toolset = cogwire.Toolset([tool(schema, "one"), tool(schema, "two:1")])
    whole = jsonschema.Draft202012Validator(toolset.schema())
    for name in toolset.names:
        good, bad = ({"name": name, "args": {"v": value}} for value in (None, 5))
        assert toolset.check(good).problems == []
        assert [problem["path"] for problem in toolset.check(bad).problems] == ["/v"]
        assert whole.is_valid([good])
        assert not whole.is_valid([bad])


#: The outermost anchor forbids what the inner one allows.
OVERRIDDEN = {
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


def test_a_dynamic_reference_goes_by_the_way_there():
    """The outermost anchor of the name counts, as in the metaschema."""
    assert problems(OVERRIDDEN, {"next": {"next": {}}}) == []
    assert problems(OVERRIDDEN, {"next": {"other": 1}}) == [("unexpected-arg", "/next/other")]


def test_a_reference_inside_a_value_does_not_count():
    schema = {"properties": {"v": {"const": {"$ref": "https://example.com", "$schema": "x"}}}}
    toolset = cogwire.Toolset([tool(schema)])
    assert toolset.warnings == ()
    args = {"v": {"$ref": "https://example.com", "$schema": "x"}}
    assert toolset.check({"name": "t", "args": args}).problems == []
