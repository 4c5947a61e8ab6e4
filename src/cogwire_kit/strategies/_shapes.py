# SPDX-License-Identifier: MIT
"""Schemas of values with what conforms to them, and what violates them in exactly one way.

val-missing-arg to val-one-of in spec/validation.md define the problem of each violation, and
val-coerce to val-coerce-misfit what a text becomes.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Given(NamedTuple):
    """A value that conforms: as it was written, and as it is passed on."""

    given: Any
    handed_on: Any


class Wrong(NamedTuple):
    """A value that violates its schema: as it was written and passed on, and its one problem."""

    given: Any
    handed_on: Any
    code: str
    path: str


class View(NamedTuple):
    """Values that conform, and the ways in which values violate."""

    good: st.SearchStrategy[Given]
    wrong: list[st.SearchStrategy[Wrong]]


class Shape(NamedTuple):
    """A schema, and its values as JSON and as texts."""

    schema: Any
    json: View
    text: View


Values = st.SearchStrategy[Any]

#: Values of each type, and of no other but `number`.
OF_TYPE: dict[str, list[Any]] = {
    "string": ["", "x", "5", "null", "[]"],
    "integer": [0, -7, 12],
    "number": [0.5, -1.25],
    "boolean": [True, False],
    "null": [None],
    "array": [[], [1, "a"]],
    "object": [{}, {"a": 1}],
}

#: Texts that fit no type but `string` (val-coerce-types), by the type that they nearly fit.
NO_TEXT_OF: dict[str, list[str]] = {
    "integer": ["x", "1.0", "+1", "01", "-", "", " 1", "1e3", "true", "1" + "0" * 309],
    "number": ["x", ".5", "1.", "+1", "1e", "1e999", "NaN", "0x1", "01.5", ""],
    "boolean": ["True", "FALSE", "1", "yes", "", "true "],
    "null": ["None", "NULL", "", "0", "null "],
    "array": ["[1,]", "{}", "x", "1", "[1] x", "", "[NaN]", "['a']"],
    "object": ["[]", '{"a": 1, "a": 2}', "{'a': 1}", "x", "", '{"a": "\\ud83d"}'],
}

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


def same(value: Any) -> Given:
    """Return a value that is passed on as it was written."""
    return Given(value, value)


def from_text(wrong: Wrong) -> Wrong:
    """Return a violation that is written as text."""
    return wrong._replace(given=text_of(wrong.given))


def bad_values(values: Values) -> list[st.SearchStrategy[Wrong]]:
    """Return that these values break a rule."""
    return [values.map(lambda value: Wrong(value, value, "bad-value", ""))]


def not_listed(values: Sequence[Any]) -> list[st.SearchStrategy[Wrong]]:
    """Return that these values are none of those that are listed."""
    return [st.sampled_from(values).map(lambda value: Wrong(value, value, "not-in-enum", ""))]


def typed(
    kinds: Sequence[str],
    schema: dict[str, Any],
    good: Values,
    wrong: Sequence[st.SearchStrategy[Wrong]] = (),
) -> Shape:
    """Return a shape of these types; `wrong` are values of the type that violate."""
    # Every integer is a number.
    others = OF_TYPE.keys() - kinds - ({"integer"} if "number" in kinds else set())
    values = [value for kind in OF_TYPE if kind in others for value in OF_TYPE[kind]]
    mistyped = st.sampled_from(values).map(lambda value: Wrong(value, value, "bad-type", ""))
    texts = [] if "string" in kinds else [st.sampled_from(_no_texts(kinds))]
    misfits = [each.map(lambda text: Wrong(text, text, "bad-type", "")) for each in texts]
    return Shape(
        schema,
        View(good.map(same), [mistyped, *wrong]),
        View(
            good.map(lambda value: Given(text_of(value), value)),
            [*misfits, *(each.map(from_text) for each in wrong)],
        ),
    )


def _no_texts(kinds: Sequence[str]) -> list[str]:
    """Return texts that fit none of these types."""
    if len(kinds) == 1:
        return NO_TEXT_OF[kinds[0]]
    return ["x", "", "+1", ".5", "yes", "None", "[1,]", "{,}", "'a'"]


# --- Single values ----------------------------------------------------------------------------

letters = st.text("abcdefg", min_size=2, max_size=6)


@st.composite
def strings(draw: st.DrawFn) -> Shape:
    """Draw a schema of strings."""
    schema, good, wrong = draw(
        st.sampled_from(
            [
                ({}, st.text("ab 1{[\n<é😀", max_size=5), []),
                ({"minLength": 2}, letters, bad_values(st.sampled_from(["", "a", "😀"]))),
                ({"maxLength": 6}, letters, bad_values(st.just("abcdefgh"))),
                ({"pattern": "^[a-g]+$"}, letters, bad_values(st.sampled_from(["", "A", "a b"]))),
                (
                    {"pattern": "^[a-g]", "minLength": 1, "maxLength": 6},
                    letters,
                    bad_values(st.sampled_from(["", "Abc", "xxxxxxxx"])),
                ),
                ({"format": "date-time"}, st.sampled_from(["soon", "2000-01-01"]), []),
                (
                    {"enum": ["asc", "desc"]},
                    st.sampled_from(["asc", "desc"]),
                    not_listed(["up", ""]),
                ),
                ({"const": "yes"}, st.just("yes"), not_listed(["no", "Yes", "yes "])),
                ({"not": {"const": "root"}}, letters, bad_values(st.just("root"))),
                (
                    {"allOf": [{"minLength": 2}, {"maxLength": 6}]},
                    letters,
                    bad_values(st.just("a")),
                ),
            ]
        )
    )
    return typed(["string"], {"type": "string", **schema}, good, wrong)


@st.composite
def numbers(draw: st.DrawFn) -> Shape:
    """Draw a schema of integers or numbers."""
    low = draw(st.integers(-5, 5))
    good = st.integers(low, low + 9)
    below, above = st.integers(low - 9, low - 1), st.integers(low + 10, low + 20)
    rules = [
        ({}, good, []),
        ({"minimum": low}, good, bad_values(below)),
        ({"maximum": low + 9}, good, bad_values(above)),
        ({"minimum": low, "maximum": low + 9}, good, bad_values(st.one_of(below, above))),
        ({"exclusiveMinimum": low - 1}, good, bad_values(st.just(low - 1))),
        ({"exclusiveMaximum": low + 10}, good, bad_values(st.just(low + 10))),
        ({"enum": [low, low + 1]}, st.integers(low, low + 1), not_listed([low - 1, low + 2])),
        ({"const": low}, st.just(low), not_listed([low + 1])),
        ({"multipleOf": 3}, st.integers(-9, 9).map(lambda n: 3 * n), bad_values(st.just(4))),
        ({"not": {"minimum": low + 10}}, good, bad_values(above)),
    ]
    schema, values, wrong = draw(st.sampled_from(rules))
    if draw(st.booleans()):
        return typed(["integer"], {"type": "integer", **schema}, values, wrong)
    if not schema:
        values = st.one_of(values, st.floats(-1e9, 1e9, allow_nan=False))
    if draw(st.booleans()):
        schema, wrong = {"multipleOf": 0.01}, bad_values(st.sampled_from([0.005, 19.999]))
        values = st.sampled_from([19.99, 0.07, 4, -1.1])
    return typed(["number"], {"type": "number", **schema}, values, wrong)


booleans = st.just(typed(["boolean"], {"type": "boolean"}, st.booleans()))
nulls = st.just(typed(["null"], {"type": "null"}, st.none()))


@st.composite
def listed(draw: st.DrawFn) -> Shape:
    """Draw a schema without a type that lists its values (val-coerce-untyped)."""
    values = draw(
        st.lists(st.sampled_from(["a", 1, None, True, [1], {"b": 2}]), min_size=1, max_size=3)
    )
    schema: dict[str, Any] = {"const": values[0]} if len(values) == 1 else {"enum": _unique(values)}
    if draw(st.booleans()):
        # Each branch that fits the type reports `not-in-enum` (val-any-enum).
        word = draw(st.sampled_from(["anyOf", "oneOf"]))
        schema = {word: [{"const": value} for value in _unique(values)]}
    good = st.sampled_from(values)
    others = ["zzz", "2", 7, [], False, 1.5]
    wrong = [Wrong(other, other, "not-in-enum", "") for other in others]
    texts = [Wrong(text_of(other), text_of(other), "not-in-enum", "") for other in others]
    return Shape(
        schema,
        View(good.map(same), [st.sampled_from(wrong)]),
        View(good.map(lambda value: Given(text_of(value), value)), [st.sampled_from(texts)]),
    )


def _unique(values: list[Any]) -> list[Any]:
    return [
        value for place, value in enumerate(values) if repr(value) not in map(repr, values[:place])
    ]


anything = st.sampled_from([{}, True, {"description": "Whatever."}, {"format": "email"}]).map(
    lambda schema: Shape(schema, View(json_values.map(same), []), View(letters.map(same), []))
)

#: Unions of types, and values of them whose texts fit no earlier one.
UNIONS: list[tuple[list[str], Values]] = [
    (["integer", "null"], st.sampled_from([0, -3, None])),
    (["boolean", "integer"], st.sampled_from([True, False, 5])),
    (["null", "array"], st.sampled_from([None, [], ["x"]])),
    (["object", "array", "boolean"], st.sampled_from([{}, {"a": 1}, [1], True])),
    (["integer", "string"], st.sampled_from([4, "four", ""])),
    (["null", "number", "string"], st.sampled_from([None, 1.5, 2, "x"])),
]


@st.composite
def unions(draw: st.DrawFn) -> Shape:
    """Draw a schema of several types, in `type`, `anyOf` or `oneOf` (val-any-type)."""
    kinds, good = draw(st.sampled_from(UNIONS))
    word = draw(st.sampled_from(["type", "anyOf", "oneOf"]))
    schema = {"type": kinds} if word == "type" else {word: [{"type": kind} for kind in kinds]}
    return typed(kinds, schema, good)


@st.composite
def optional(draw: st.DrawFn, shapes: st.SearchStrategy[Shape]) -> Shape:
    """Draw a schema that accepts null too; its one other branch reports problems (val-any-one)."""
    shape = draw(shapes)
    null = [{"type": "null"}, shape.schema]
    schema = {draw(st.sampled_from(["anyOf", "oneOf"])): null[:: draw(st.sampled_from([1, -1]))]}
    is_null = st.just(Given(None, None))
    wrong = [each.filter(lambda one: one.given is not None) for each in shape.json.wrong]
    return Shape(schema, View(st.one_of(shape.json.good, is_null), wrong), shape.text)


#: Alternatives of one type: what fits none breaks a rule (val-any-value), and so does what fits
#: several of a `oneOf` (val-one-of).
ALTERNATIVES = st.sampled_from(
    [
        typed(
            ["string"],
            {
                "anyOf": [
                    {"type": "string", "minLength": 3},
                    {"type": "string", "pattern": "^[0-9]"},
                ]
            },
            st.sampled_from(["abc", "1", "1abc"]),
            bad_values(st.sampled_from(["", "x", "a1"])),
        ),
        typed(
            ["number"],
            {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]},
            st.sampled_from([1, 10.5, -4]),
            bad_values(st.sampled_from([10, 11])),
        ),
        typed(
            ["integer"],
            {"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]},
            st.sampled_from([2, 3, 4, -9]),
            bad_values(st.sampled_from([1, 6, 0, 7])),
        ),
    ]
)


# --- Arrays -----------------------------------------------------------------------------------


def _item_wrongs(
    item: Shape, before: st.SearchStrategy[list[Given]]
) -> list[st.SearchStrategy[Wrong]]:
    """Return that the last item of an array is wrong."""

    def last(drawn: tuple[list[Given], Wrong]) -> Wrong:
        first = [each.given for each in drawn[0]]
        value = [*first, drawn[1].given]
        return Wrong(value, value, drawn[1].code, f"/{len(first)}{drawn[1].path}")

    return [st.tuples(before, each).map(last) for each in item.json.wrong]


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[Shape]) -> Shape:
    """Draw a schema of arrays."""
    item = draw(items)
    good = item.json.good.map(lambda each: each.given)
    one, few = st.lists(good, max_size=1), st.lists(good, max_size=2)
    some = st.lists(good, min_size=1, max_size=2)
    more, many = st.lists(good, min_size=2, max_size=3), st.lists(good, min_size=4, max_size=5)
    inside = _item_wrongs(item, st.lists(item.json.good, max_size=2))
    first = _item_wrongs(item, st.just([]))
    with_another = few.map(lambda values: [*values[:1], "more"] if values else [])
    of_items, of_first = {"items": item.schema}, {"prefixItems": [item.schema]}
    rules: list[tuple[dict[str, Any], Values, list[st.SearchStrategy[Wrong]]]] = [
        (of_items, few, inside),
        ({**of_items, "minItems": 1}, some, bad_values(st.just([]))),
        ({**of_items, "maxItems": 3}, few, bad_values(many)),
        (of_first, with_another, first),
        ({**of_first, "items": False}, one, bad_values(more)),
        ({**of_first, "unevaluatedItems": False}, one, bad_values(more)),
        (
            {"uniqueItems": True},
            st.lists(st.integers(0, 9), max_size=3, unique=True),
            bad_values(json_values.map(lambda value: [value, 12.5, value])),
        ),
        (
            {"contains": {"const": 7}},
            st.sampled_from([[7], ["a", 7]]),
            bad_values(st.sampled_from([[], [6, "7"]])),
        ),
        (
            {"contains": {"type": "null"}, "minContains": 2, "maxContains": 3},
            st.sampled_from([[None, None], [1, None, None, None]]),
            bad_values(st.sampled_from([[], [None], [None] * 4])),
        ),
        (
            {"not": {"contains": {"const": "x"}}},
            few.filter(lambda values: "x" not in values),
            bad_values(st.just(["x"])),
        ),
    ]
    schema, values, wrong = draw(st.sampled_from(rules))
    return typed(["array"], {"type": "array", **schema}, values, wrong)
