"""Which problems are found, and how their messages are worded.

Single rules are in the cases of the corpus and in the official suite; here is what they do not say.
"""

import enum

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.tools.helpers import (
    INTEGER,
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
@rows("each", corpus.array(corpus.PLACE / "messages" / "problems.json"))
def test_a_message_states_what_was_expected_and_what_was_found(each):
    dialect = each.get("dialect", "xml-json")
    assert message(each["parameters"], each["args"], dialect) == each["message"]


@rows(
    ("schema", "value", "expected"),
    [
        (INTEGER, b"x", "/v: expected integer, got value \"b'x'\""),
        ({}, [float("inf")], "/v/0: expected a number in the range of doubles"),
    ],
)
def test_a_value_that_is_not_json_is_shown_as_python_writes_it(schema, value, expected):
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
