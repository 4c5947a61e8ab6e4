# SPDX-License-Identifier: MIT
"""Schemas of values, with values that conform to them, and values of which nearly all do not."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]


class DrawnSchema(NamedTuple):
    """A schema, values that conform to it, and values of which nearly all do not."""

    schema: Any
    good: Values
    bad: Values


#: Values of each type, and of no other but `number`.
OF_TYPE: Final[dict[str, list[Any]]] = {
    "string": ["", "x", "5", "null", "[]"],
    "integer": [0, -7, 12],
    "number": [0.5, -1.25],
    "boolean": [True, False],
    "null": [None],
    "array": [[], [1, "a"]],
    "object": [{}, {"a": 1}],
}

#: Texts that nearly fit a type, and fit none but `string` (val-coerce-types).
NO_TEXTS: Final = (
    *("x", "1.0", "+1", "01", "-", "", " 1", "1e3", "1" + "0" * 309, ".5", "1.", "1e", "1e999"),
    *("NaN", "0x1", "01.5", "True", "FALSE", "yes", "true ", "None", "NULL", "null ", "[1,]"),
    *("[1] x", "[NaN]", "['a']", '{"a": 1, "a": 2}', "{'a': 1}", "{,}", '{"a": "\\ud83d"}'),
)

json_values: Values = st.recursive(
    st.sampled_from([value for values in OF_TYPE.values() for value in values]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)


def text_of(value: Any) -> str:
    """Return the text of an argument with this value."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def typed(
    kinds: Sequence[str], schema: dict[str, Any], good: Values, bad: Values | None = None
) -> DrawnSchema:
    """Return a shape of these types; `bad` are values of the type that violate."""
    # Every integer is a number.
    others = OF_TYPE.keys() - kinds - ({"integer"} if "number" in kinds else set())
    values = [value for kind in OF_TYPE if kind in others for value in OF_TYPE[kind]]
    mistyped = st.sampled_from(values)
    return DrawnSchema(schema, good, mistyped if bad is None else st.one_of(mistyped, bad))


def _of(*values: Any) -> Values:
    return st.sampled_from(values)


# --- Single values ----------------------------------------------------------------------------

letters = st.text("abcdefg", min_size=2, max_size=6)

#: Keywords of strings, with strings that conform and that do not.
STRINGS: Final[list[tuple[dict[str, Any], Values, Values | None]]] = [
    ({}, st.text("ab 1{[\n<é😀", max_size=5), None),
    ({"minLength": 2}, letters, _of("", "a", "😀")),
    ({"maxLength": 6}, letters, _of("abcdefgh")),
    ({"pattern": "^[a-g]+$"}, letters, _of("", "A", "a b")),
    (
        {"pattern": "^[a-g]", "minLength": 1, "maxLength": 6},
        letters,
        _of("", "Abc", "xxxxxxxx"),
    ),
    ({"format": "date-time"}, _of("soon", "2000-01-01"), None),
    ({"enum": ["asc", "desc"]}, _of("asc", "desc"), _of("up", "")),
    ({"const": "yes"}, _of("yes"), _of("no", "Yes", "yes ")),
    ({"not": {"const": "root"}}, letters, _of("root")),
    ({"allOf": [{"minLength": 2}, {"maxLength": 6}]}, letters, _of("a")),
]
strings = st.sampled_from(STRINGS).map(
    lambda row: typed(["string"], {"type": "string", **row[0]}, *row[1:])
)


@st.composite
def numbers(draw: st.DrawFn) -> DrawnSchema:
    low = draw(st.integers(-5, 5))
    good = st.integers(low, low + 9)
    below, above = st.integers(low - 9, low - 1), st.integers(low + 10, low + 20)
    rules: list[tuple[dict[str, Any], Values, Values | None]] = [
        ({}, good, None),
        ({"minimum": low}, good, below),
        ({"maximum": low + 9}, good, above),
        ({"minimum": low, "maximum": low + 9}, good, st.one_of(below, above)),
        ({"exclusiveMinimum": low - 1}, good, _of(low - 1)),
        ({"exclusiveMaximum": low + 10}, good, _of(low + 10)),
        ({"enum": [low, low + 1]}, _of(low, low + 1), _of(low - 1, low + 2)),
        ({"const": low}, _of(low), _of(low + 1)),
        ({"multipleOf": 3}, st.integers(-9, 9).map(lambda n: 3 * n), _of(4)),
        ({"not": {"minimum": low + 10}}, good, above),
    ]
    schema, values, bad = draw(st.sampled_from(rules))
    if draw(st.booleans()):
        return typed(["integer"], {"type": "integer", **schema}, values, bad)
    if not schema:
        values = st.one_of(values, st.floats(-1e9, 1e9, allow_nan=False))
    if draw(st.booleans()):
        schema, values, bad = {"multipleOf": 0.01}, _of(19.99, 0.07, 4, -1.1), _of(0.005, 19.999)
    return typed(["number"], {"type": "number", **schema}, values, bad)


booleans = st.just(typed(["boolean"], {"type": "boolean"}, st.booleans()))
nulls = st.just(typed(["null"], {"type": "null"}, st.none()))


@st.composite
def listed(draw: st.DrawFn) -> DrawnSchema:
    """Draw a schema without a type that lists its values (val-coerce-untyped)."""
    known = ["a", 1, None, True, [1], {"b": 2}]
    values = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique_by=repr))
    schema: dict[str, Any] = {"const": values[0]} if len(values) == 1 else {"enum": values}
    if draw(st.booleans()):
        # Each branch that fits the type reports `not-in-enum` (val-any-enum).
        schema = {draw(_of("anyOf", "oneOf")): [{"const": value} for value in values]}
    return DrawnSchema(schema, st.sampled_from(values), _of("zzz", "2", 7, [], False, 1.5))


anything = _of({}, True, {"description": "Whatever."}, {"format": "email"}).map(
    lambda schema: DrawnSchema(schema, json_values, st.nothing())
)

#: Unions of types, and values of them whose texts fit no earlier one.
UNIONS: Final[list[tuple[list[str], Values]]] = [
    (["integer", "null"], _of(0, -3, None)),
    (["boolean", "integer"], _of(True, False, 5)),
    (["null", "array"], _of(None, [], ["x"])),
    (["object", "array", "boolean"], _of({}, {"a": 1}, [1], True)),
    (["integer", "string"], _of(4, "four", "")),
    (["null", "number", "string"], _of(None, 1.5, 2, "x")),
]


@st.composite
def unions(draw: st.DrawFn) -> DrawnSchema:
    """Draw a schema of several types, in `type`, `anyOf` or `oneOf` (val-any-type)."""
    kinds, good = draw(st.sampled_from(UNIONS))
    word = draw(_of("type", "anyOf", "oneOf"))
    schema = {"type": kinds} if word == "type" else {word: [{"type": kind} for kind in kinds]}
    return typed(kinds, schema, good)


@st.composite
def optional(draw: st.DrawFn, shapes: st.SearchStrategy[DrawnSchema]) -> DrawnSchema:
    """Draw a schema that accepts null too; its one other branch reports problems (val-any-one)."""
    shape = draw(shapes)
    branches = draw(st.permutations([{"type": "null"}, shape.schema]))
    return DrawnSchema({draw(_of("anyOf", "oneOf")): branches}, shape.good | st.none(), shape.bad)


#: Alternatives of one type: what fits none breaks a rule (val-any-value), and so does what fits
#: several of a `oneOf` (val-one-of).
ALTERNATIVES: Final = _of(
    typed(
        ["string"],
        {"anyOf": [{"type": "string", "minLength": 3}, {"type": "string", "pattern": "^[0-9]"}]},
        _of("abc", "1", "1abc"),
        _of("", "x", "a1"),
    ),
    typed(
        ["number"],
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]},
        _of(1, 10.5, -4),
        _of(10, 11),
    ),
    typed(
        ["integer"],
        {"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]},
        _of(2, 3, 4, -9),
        _of(1, 6, 0, 7),
    ),
)


# --- Arrays -----------------------------------------------------------------------------------


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[DrawnSchema]) -> DrawnSchema:
    item = draw(items)
    one, few = st.lists(item.good, max_size=1), st.lists(item.good, max_size=2)
    some = st.lists(item.good, min_size=1, max_size=2)
    more = st.lists(item.good, min_size=2, max_size=3)
    many = st.lists(item.good, min_size=4, max_size=5)
    inside = st.tuples(few, item.bad).map(lambda pair: [*pair[0], pair[1]])
    first = item.bad.map(lambda value: [value])
    with_another = few.map(lambda values: [*values[:1], "more"] if values else [])
    of_items, of_first = {"items": item.schema}, {"prefixItems": [item.schema]}
    counted = {"contains": {"type": "null"}, "minContains": 2, "maxContains": 3}
    rules: list[tuple[dict[str, Any], Values, Values]] = [
        (of_items, few, inside),
        ({**of_items, "minItems": 1}, some, _of([])),
        ({**of_items, "maxItems": 3}, few, many),
        (of_first, with_another, first),
        ({**of_first, "items": False}, one, more),
        ({**of_first, "unevaluatedItems": False}, one, more),
        (
            {"uniqueItems": True},
            st.lists(st.integers(0, 9), max_size=3, unique=True),
            json_values.map(lambda value: [value, 12.5, value]),
        ),
        ({"contains": {"const": 7}}, _of([7], ["a", 7]), _of([], [6, "7"])),
        (counted, _of([None, None], [1, None, None, None]), _of([], [None], [None] * 4)),
        (
            {"not": {"contains": {"const": "x"}}},
            few.filter(lambda values: "x" not in values),
            _of(["x"]),
        ),
    ]
    schema, values, bad = draw(st.sampled_from(rules))
    return typed(["array"], {"type": "array", **schema}, values, bad)
