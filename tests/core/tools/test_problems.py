"""Which problems are found, and how their messages are worded.

Single rules are in the cases of the corpus and in the official suite; here is what they do not say.
"""

import enum

from tests import cogwire
from tests.core.tools.helpers import (
    INTEGER,
    NULL,
    TEXT,
    message,
    refusal,
    tool,
    value_problems,
)
from tests.rows import rows


class Members(dict): ...


class Items(list): ...


class Level(enum.IntEnum):
    LOW = 1


# --- Problems ------------------------------------------------------------------------------------
@rows(
    ("schema", "value", "found"),
    [
        ({"multipleOf": 0.1}, 10**308, []),
        ({"type": "object", "required": ["a"]}, Members(a=1), []),
        ({"type": "array", "maxItems": 1}, Items("ab"), ["bad-value /v"]),
        (INTEGER, Level.LOW, []),
        (INTEGER, float("inf"), ["bad-value /v"]),
        (TEXT, b"a", ["bad-type /v"]),
        ({"enum": ["a"]}, b"a", ["not-in-enum /v"]),
    ],
)
def test_problems_of_values_that_only_programs_pass(schema, value, found):
    assert [f"{code} {path}" for code, path in value_problems(schema, value)] == found


# --- Messages ---------------------------------------------------------------------------------------
DESCRIBED = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "description": "The path\n  of the file."},
        "mode": {"enum": ["r", "w"]},
        "size": {"anyOf": [INTEGER, NULL]},
        "either": {"anyOf": [True, INTEGER]},
        "kind": {"const": "x"},
        "any": True,
        "types": {"type": ["string", "null"]},
        "long": {"description": "d" * 1000},
    },
    "additionalProperties": False,
}


@rows(
    ("name", "expected"),
    [
        ("file", "/file is missing: expected string (The path of the file.)"),
        ("mode", '/mode is missing: expected "r" or "w"'),
        ("size", "/size is missing: expected integer or null"),
        ("either", "/either is missing: expected integer"),
        ("kind", '/kind is missing: expected "x"'),
        ("any", "/any is missing"),
        ("types", "/types is missing: expected string or null"),
        ("other", "/other is missing"),
        ("long", f"/long is missing ({'d' * 159}…)"),
    ],
)
def test_the_message_of_a_missing_argument_describes_it(name, expected):
    assert message(DESCRIBED | {"required": [name]}, {}) == expected


def test_the_message_of_an_unexpected_argument_names_the_known_ones():
    assert message(DESCRIBED, {"fil": 1}) == (
        "/fil is not expected; known: file, mode, size, either, kind, any, types, long"
    )
    assert message({"additionalProperties": False}, {"a": 1}) == "/a is not expected"
    refused = {"properties": {"x": True, "y": False}}
    assert message(refused, {"y": 1}) == "/y is not expected; known: x"
    assert message({"properties": {"y": False}}, {"y": 1}) == "/y is not expected"
    many = {"properties": {f"p{number}": {} for number in range(30)}, "additionalProperties": False}
    assert message(many, {"a": 1}).endswith("p18, p19, …")


@rows(
    ("schema", "value", "expected"),
    [
        (INTEGER, "3", '/v: expected integer, got string "3"'),
        (INTEGER, None, "/v: expected integer, got null"),
        (INTEGER, 1.5, "/v: expected integer, got number 1.5"),
        (TEXT, True, "/v: expected string, got boolean true"),
        (TEXT, ["é"], '/v: expected string, got array ["é"]'),
        (TEXT, {"a": 1}, '/v: expected string, got object {"a": 1}'),
        (INTEGER, "x" * 1000, f'/v: expected integer, got string "{"x" * 78}…'),
        ({"anyOf": [INTEGER, NULL, INTEGER]}, "3", '/v: expected integer or null, got string "3"'),
        ({"enum": ["a", None]}, "b", '/v: expected "a" or null, got string "b"'),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, 3, "/v: expected 1 or 2, got integer 3"),
        ({"minimum": 1}, 0, "/v: expected at least 1, got integer 0"),
        ({"not": NULL}, None, '/v: expected a value that does not fit {"type": "null"}, got null'),
        # Values that are not JSON are shown as Python writes them.
        (INTEGER, b"x", "/v: expected integer, got value \"b'x'\""),
        ({}, [float("inf")], "/v/0: expected a number in the range of doubles"),
        (
            {"minLength": 2, "pattern": "^a"},
            "b",
            '/v: expected a length of at least 2 and text that matches the pattern "^a", got string "b"',
        ),
        (
            {"prefixItems": [{}, {}], "items": False},
            [1, 2, 3, 4],
            "/v: expected at most 2 items, got array [1, 2, 3, 4]",
        ),
        (
            {"anyOf": [TEXT | {"minLength": 2}, TEXT | {"pattern": "^a"}]},
            "b",
            (
                "/v: expected a value that fits one of 2 alternatives "
                '(expected a length of at least 2, got string "b"; '
                'expected text that matches the pattern "^a", got string "b"), got string "b"'
            ),
        ),
    ],
)
def test_a_message_states_what_was_expected_and_what_was_found(schema, value, expected):
    assert message({"properties": {"v": schema}}, {"v": value}) == expected


def test_a_message_is_short_for_any_value():
    schema = {"enum": ["x" * 1000] * 100, "description": "d" * 1000}
    long = "k" * 100_000
    args = {long: "y" * 100_000, "z" * 100_000: 1}
    checked = cogwire.Toolset(
        [tool({"properties": {long: schema}, "additionalProperties": False})]
    ).check({"name": "t", "args": args})
    assert [problem["code"] for problem in checked.problems] == ["not-in-enum", "unexpected-arg"]
    assert len(checked.problems[0]["message"]) < 500


def test_the_message_about_all_arguments_has_no_path():
    assert (
        message({"minProperties": 1}, {})
        == "the arguments: expected at least 1 members, got object {}"
    )


def test_equal_items_are_found_however_many_there_are():
    """1 is 1.0 but not true; the order of members does not matter."""
    unique = {"uniqueItems": True}
    assert value_problems(unique, [1, True, "1", None, [1], {"a": 1}, "", 0, False, []]) == []
    for twins in ([1, 1.0], [{"a": 1, "b": [0]}, {"b": [-0.0], "a": 1.0}], ["a", "a"], [[], []]):
        assert value_problems(unique, [*twins, *range(2_000, 4_000)]) == [("bad-value", "/v")]
    colliding = [number * (2**61 - 1) for number in range(3_000)]
    assert value_problems(unique, colliding) == []
    assert value_problems({"uniqueItems": False}, [1, 1]) == []
    assert value_problems({"enum": [{"a": [1]}, 2**70]}, {"a": [1.0]}) == []


def test_names_given_twice_in_required_are_found_in_long_lists():
    names = [f"n{number}" if number % 2 else number for number in range(2_000)]
    assert "at '/required" in refusal(tool({"required": names}))
    assert "at '/required'" in refusal(tool({"required": ["a", "b", "a"]}))
