# SPDX-License-Identifier: MIT
"""Schemas of objects with what conforms to them, and what violates them in exactly one way.

A nested object and the arguments of a call are drawn in the same way.  val-missing-arg,
val-unexpected-arg and val-applied in spec/validation.md define the problem of each violation.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._toolsets_shapes import (
    ALTERNATIVES,
    Given,
    Shape,
    View,
    Wrong,
    anything,
    arrays,
    booleans,
    listed,
    nulls,
    numbers,
    optional,
    step,
    strings,
    typed,
    unions,
)


class Member(NamedTuple):
    """A member of an object: its name, its shape, and whether it must be there."""

    name: str
    shape: Shape
    is_required: bool


class Need(NamedTuple):
    """A rule that requires the member `other` if there is `this`, and the problem if broken."""

    this: str
    other: str
    schema: dict[str, Any]
    code: str
    path: str


class Plan(NamedTuple):
    """The members of an object, the shape of all others, if any may be there, and a rule."""

    members: list[Member]
    extra: Shape | None
    need: Need | None
    schema: dict[str, Any]


Members = dict[str, Given]
Shapes = st.SearchStrategy[Shape]

#: Names of members that no plan has.
EXTRA_NAMES = st.sampled_from(["zz", "other-1", "_more"])
#: Names that can be those of elements.
NAMES = ["file", "mode", "n", "text", "name", "args", "execute", "é", "a-b", "_x", "x.y"]
#: Names that need care in pointers and in references.
ODD_NAMES = ["a/b", "~t", "", "a b", "%25", "$ref", "\U0001f600", "#"]


# --- Plans ------------------------------------------------------------------------------------


@st.composite
def plans(draw: st.DrawFn, shapes: Shapes, names: Sequence[str], *, is_call: bool = False) -> Plan:
    """Draw the members of an object or the arguments of a call, and how its schema states them."""
    called = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    members = [Member(name, draw(shapes), draw(st.booleans())) for name in called]
    schema: dict[str, Any] = {"type": "object"}
    # A name that is a word may be declared by a pattern.
    by_pattern = [
        name
        for name in called
        if name.isascii() and name.isalpha() and draw(st.integers(0, 4)) == 0
    ]
    properties = {each.name: each.shape.schema for each in members if each.name not in by_pattern}
    patterns = {f"^{each.name}$": each.shape.schema for each in members if each.name in by_pattern}
    required = [each.name for each in members if each.is_required]
    keywords = {"properties": properties, "patternProperties": patterns, "required": required}
    schema |= {keyword: value for keyword, value in keywords.items() if value}
    extra, closing = draw(_closings(called, is_call=is_call))
    need = draw(_needs([each.name for each in members if not each.is_required]))
    if extra is not None and not closing and draw(st.integers(0, 3)) == 0:
        schema = {"type": "object", "allOf": [{key: schema[key]} for key in schema]}
    return Plan(members, extra, need, schema | closing | (need.schema if need else {}))


@st.composite
def _closings(
    draw: st.DrawFn, called: list[str], *, is_call: bool
) -> tuple[Shape | None, dict[str, Any]]:
    """Draw the shape of the members that are not named, and the keywords that declare it."""
    integer = typed(["integer"], {"type": "integer"}, st.integers(-9, 9))
    # No clause states which type `unevaluatedProperties` declares for a text.
    others = "additionalProperties" if is_call else "unevaluatedProperties"
    names = {"propertyNames": {"enum": called}}
    ways: list[tuple[Shape | None, dict[str, Any]]] = [
        (draw(anything), {}),
        (integer, {"additionalProperties": integer.schema}),
        (integer, {others: integer.schema}),
        (None, {"additionalProperties": False}),
        (None, {"unevaluatedProperties": False}),
        (None, names),
        (None, {**names, "additionalProperties": False}),
    ]
    chosen: tuple[Shape | None, dict[str, Any]] = draw(st.sampled_from(ways))
    return chosen


@st.composite
def _needs(draw: st.DrawFn, free: list[str]) -> Need | None:
    """Draw a rule about two optional members, in one of the ways to state it."""
    if len(free) < 2:
        return None
    this, other = free[:2]
    has, needs = {"required": [this]}, {"required": [other]}
    ways: list[dict[str, Any]] = [
        {},
        {"dependentRequired": {this: [other]}},
        {"dependentSchemas": {this: needs}},
        {"if": has, "then": needs},
        {"if": {"not": has}, "else": needs},
        {"if": has, "then": {"allOf": [True, needs]}},
        {"anyOf": [{"not": has}, needs]},
        {"not": {"allOf": [has, {"not": needs}]}},
    ]
    schema = draw(st.sampled_from(ways))
    if not schema:
        return None
    if "anyOf" in schema or "not" in schema:
        return Need(this, other, schema, "bad-value", "")
    return Need(this, other, schema, "missing-arg", step(other))


# --- Values -----------------------------------------------------------------------------------


def view_of(plan: Plan, *, is_text: bool) -> View:
    """Return values that conform to or violate a plan, with members as JSON or as texts."""

    def of(shape: Shape) -> View:
        return shape.text if is_text else shape.json

    goods = {each.name: of(each.shape).good for each in plan.members}
    required = {each.name: goods[each.name] for each in plan.members if each.is_required}
    free = {name: goods[name] for name in goods if name not in required}
    if plan.extra is not None:
        free = free | {"zz": of(plan.extra).good}
    keeps, members = _keeping(plan.need), st.fixed_dictionaries(required, optional=free)
    good = members.filter(keeps)
    wrong: list[st.SearchStrategy[Wrong]] = []
    for each in plan.members:
        name = st.just(each.name)
        wrong += [_with_wrong(good, keeps, name, one) for one in of(each.shape).wrong]
        if each.is_required:
            wrong.append(good.map(_without(each.name)))
    if plan.extra is None:
        surplus = _closed_to(of(_surplus).good)
        wrong.append(_with_wrong(good, keeps, EXTRA_NAMES, surplus))
    else:
        ways = of(plan.extra).wrong
        wrong += [_with_wrong(good, keeps, EXTRA_NAMES, one) for one in ways]
    if plan.need is not None:
        wrong.append(_breaking(plan.need, good, goods[plan.need.this]))
    return View(good.map(_assembled), wrong)


_surplus = typed(["string"], {}, st.sampled_from(["", "x"]))


def _closed_to(goods: st.SearchStrategy[Given]) -> st.SearchStrategy[Wrong]:
    return goods.map(lambda one: Wrong(one.given, one.handed_on, "unexpected-arg", ""))


def _assembled(members: Members) -> Given:
    given = {name: each.given for name, each in members.items()}
    return Given(given, {name: each.handed_on for name, each in members.items()})


def _keeping(need: Need | None) -> Callable[[Members], bool]:
    """Return whether members keep the rule."""
    if need is None:
        return lambda _: True
    return lambda members: need.this not in members or need.other in members


def _with_wrong(
    good: st.SearchStrategy[Members],
    keeps: Callable[[Members], bool],
    names: st.SearchStrategy[str],
    wrongs: st.SearchStrategy[Wrong],
) -> st.SearchStrategy[Wrong]:
    """Draw members of which one is wrong, and no other rule is broken."""

    def put(drawn: tuple[Members, str, Wrong]) -> tuple[Members, Wrong, str]:
        members, name, wrong = drawn
        return {**members, name: Given(wrong.given, wrong.handed_on)}, wrong, name

    def whole(drawn: tuple[Members, Wrong, str]) -> Wrong:
        members, wrong, name = drawn
        return Wrong(*_assembled(members), wrong.code, step(name) + wrong.path)

    return st.tuples(good, names, wrongs).map(put).filter(lambda drawn: keeps(drawn[0])).map(whole)


def _without(name: str) -> Callable[[Members], Wrong]:
    """Return that a member is missing."""

    def dropped(members: Members) -> Wrong:
        kept = {key: members[key] for key in members if key != name}
        return Wrong(*_assembled(kept), "missing-arg", step(name))

    return dropped


def _breaking(
    need: Need, good: st.SearchStrategy[Members], this: st.SearchStrategy[Given]
) -> st.SearchStrategy[Wrong]:
    """Draw members with the one and without the other."""

    def broken(drawn: tuple[Members, Given]) -> Wrong:
        kept = {name: each for name, each in drawn[0].items() if name != need.other}
        return Wrong(*_assembled({**kept, need.this: drawn[1]}), need.code, need.path)

    return st.tuples(good, this).map(broken)


@st.composite
def objects(draw: st.DrawFn, shapes: Shapes) -> Shape:
    """Draw a schema of objects; `minProperties` and `maxProperties` count the present members."""
    if draw(st.integers(0, 4)) == 0:
        count = st.dictionaries(
            st.sampled_from("abcdef"), st.integers(0, 9), min_size=1, max_size=3
        )
        few: tuple[dict[str, Any], dict[str, int]] = ({"minProperties": 1}, {})
        many = ({"maxProperties": 3}, dict.fromkeys("abcd", 1))
        rule, value = draw(st.sampled_from([few, many]))
        bad = st.just(Wrong(value, value, "bad-value", ""))
        return typed(["object"], {"type": "object", **rule}, count, [bad])
    plan = draw(plans(shapes, [*NAMES, *ODD_NAMES]))
    view = view_of(plan, is_text=False)
    return typed(["object"], plan.schema, view.good.map(lambda one: one.given), view.wrong)


# --- All of them ------------------------------------------------------------------------------

simple: Shapes = st.one_of(strings(), numbers(), booleans, ALTERNATIVES)
_leaves: Shapes = st.one_of(
    strings(), listed(), numbers(), simple, nulls, listed(), unions(), anything, optional(simple)
)
_nested: Shapes = st.one_of(arrays(_leaves), objects(_leaves))
#: A schema of any kind; shrinks to one of strings.
shapes: Shapes = st.one_of(
    _leaves, _leaves, _nested, optional(_nested), arrays(_nested), objects(_nested)
)
