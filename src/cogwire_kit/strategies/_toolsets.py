# SPDX-License-Identifier: MIT
"""Tools with JSON Schemas, calls that conform to them, and calls with exactly one problem.

val-draft defines the schemas, and val-problem to val-one-of the problem of each violation; both are
known by construction, without a validator.  A nested object and the arguments of a call are drawn
in the same way.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._shapes import (
    ALTERNATIVES,
    Given,
    Shape,
    View,
    Wrong,
    anything,
    arrays,
    booleans,
    json_values,
    listed,
    nulls,
    numbers,
    optional,
    strings,
    typed,
    unions,
)
from cogwire_kit.strategies._wire import LINES

# --- Objects ----------------------------------------------------------------------------------


def escaped(name: str) -> str:
    """Return a name as a step of a JSON Pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


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
    return Need(this, other, schema, "missing-arg", escaped(other))


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
        return Wrong(*_assembled(members), wrong.code, escaped(name) + wrong.path)

    return st.tuples(good, names, wrongs).map(put).filter(lambda drawn: keeps(drawn[0])).map(whole)


def _without(name: str) -> Callable[[Members], Wrong]:
    """Return that a member is missing."""

    def dropped(members: Members) -> Wrong:
        kept = {key: members[key] for key in members if key != name}
        return Wrong(*_assembled(kept), "missing-arg", escaped(name))

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


simple: Shapes = st.one_of(strings(), numbers(), booleans, ALTERNATIVES)
_leaves: Shapes = st.one_of(
    strings(), listed(), numbers(), simple, nulls, listed(), unions(), anything, optional(simple)
)
_nested: Shapes = st.one_of(arrays(_leaves), objects(_leaves))
#: A schema of any kind; shrinks to one of strings.
shapes: Shapes = st.one_of(
    _leaves, _leaves, _nested, optional(_nested), arrays(_nested), objects(_nested)
)


# --- Tools ------------------------------------------------------------------------------------


class Tool(NamedTuple):
    """A tool: its definition in the form of the adapter protocol, and its possible arguments."""

    definition: dict[str, Any]
    json: View
    text: View

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.definition["name"])


class Judged(NamedTuple):
    """A call `{"name", "args"}`, its arguments as they are handed on, and its problems.

    A problem has `code` and `path`; its message is each implementation's own.
    """

    call: dict[str, Any]
    args: dict[str, Any]
    problems: list[dict[str, str]]


def _tree(value: int, *children: Any) -> dict[str, Any]:
    return {"value": value, "children": list(children)}


_trees: st.SearchStrategy[Any] = st.recursive(
    st.builds(_tree, st.integers(0, 9)),
    lambda inner: st.builds(_tree, st.integers(0, 9), inner),
    max_leaves=3,
)


def _deeper(wrong: Wrong) -> Wrong:
    tree = _tree(1, _tree(2), wrong.given)
    return Wrong(tree, tree, wrong.code, "/children/1" + wrong.path)


_bad_leaves: st.SearchStrategy[Wrong] = st.sampled_from(
    [
        Wrong({"value": "x"}, {"value": "x"}, "bad-type", "/value"),
        Wrong({"value": -1}, {"value": -1}, "bad-value", "/value"),
        Wrong({"children": []}, {"children": []}, "missing-arg", "/value"),
        Wrong(
            {"value": 1, "children": None}, {"value": 1, "children": None}, "bad-type", "/children"
        ),
    ]
)
#: A recursive type: its references lead to its own `$id`.
TREE: Shape = typed(
    ["object"],
    {
        "$id": "urn:example:tree",
        "type": "object",
        "properties": {
            "value": {"type": "integer", "minimum": 0},
            "children": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["value"],
    },
    _trees,
    [st.one_of(_bad_leaves, _bad_leaves.map(_deeper), _bad_leaves.map(_deeper).map(_deeper))],
)


@st.composite
def _tools(draw: st.DrawFn, name: str, argument_names: list[str]) -> Tool:
    """Draw a tool of this name."""
    definition: dict[str, Any] = {
        "name": name,
        "description": draw(st.sampled_from(["", "Does it."])),
    }
    plan = draw(plans(shapes, argument_names, is_call=True))
    if draw(st.integers(0, 7)) == 0:
        plan = Plan([], draw(anything), None, {})
    else:
        if draw(st.integers(0, 4)) == 0:
            plan = _with_tree(plan)
        definition["parameters"] = draw(_with_references(plan.schema))
    return Tool(definition, view_of(plan, is_text=False), view_of(plan, is_text=True))


def _with_tree(plan: Plan) -> Plan:
    """Return a plan with a member `tree`, where members may have any name."""
    if "properties" not in plan.schema or "propertyNames" in plan.schema:
        return plan
    properties = {**plan.schema["properties"], "tree": TREE.schema}
    return plan._replace(
        members=[*plan.members, Member("tree", TREE, is_required=False)],
        schema={**plan.schema, "properties": properties},
    )


@st.composite
def _with_references(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Give some members their schemas by `$ref`, in `$defs` or by `$anchor` (val-reference)."""
    properties, definitions = dict(schema.get("properties", {})), {}
    for place, name in enumerate(properties):
        way = draw(st.sampled_from(["none", "none", "none", "pointer", "anchor"]))
        if way == "none" or not isinstance(properties[name], dict):
            continue
        key = f"d{place}/~"
        definitions[key] = properties[name]
        properties[name] = {"$ref": "#/$defs/" + f"d{place}~1~0"}
        if way == "anchor" and "$id" not in definitions[key]:
            definitions[key] = {"$anchor": f"here{place}", **definitions[key]}
            properties[name] = {"$ref": f"#here{place}"}
    if not definitions:
        return schema
    return {**schema, "properties": properties, "$defs": definitions}


def toolsets(dialect: str = "xml-json", least: int = 0) -> st.SearchStrategy[list[Tool]]:
    """Draw at least `least` tools, at most three, with schemas of nearly every keyword.

    Shrinks to tools that accept any argument.  In `xml-elements` tools and arguments have XML names
    (val-elements-warning).  `$id` occurs once in a tool (val-names), and no name is
    `execute` or used twice (val-tool-name).
    """
    odd = [] if dialect == "xml-elements" else ODD_NAMES
    names = st.sampled_from(
        ["read", "write", "ls", "é", "Execute", *(each for each in odd if each)]
    )
    each = names.flatmap(lambda name: _tools(name, [*NAMES, *odd]))
    return st.lists(each, min_size=least, max_size=3, unique_by=lambda tool: tool.name)


# --- Calls ------------------------------------------------------------------------------------


def _view(tool: Tool, dialect: str) -> View:
    return tool.text if dialect == "xml-elements" else tool.json


@st.composite
def conforming_calls(draw: st.DrawFn, tools: list[Tool], dialect: str = "xml-json") -> Judged:
    """Draw a call, of one of `tools`, that has no problem (val-valid); there must be a tool.

    In `xml-elements` the arguments are texts, and passed on in the type that the schema declares
    (val-coerce).  In the delimiter dialects a call without arguments needs no `args` (val-no-args).
    """
    tool = draw(st.sampled_from(tools))
    given, args = draw(_view(tool, dialect).good)
    call = {"name": tool.name, "args": given}
    if not given and dialect in LINES and draw(st.booleans()):
        call = {"name": tool.name}
    return Judged(call, args, [])


@st.composite
def violating_calls(draw: st.DrawFn, tools: list[Tool], dialect: str = "xml-json") -> Judged:
    """Draw a call with exactly one problem (val-problem), of an unknown tool or of one of `tools`.

    Shrinks to a call of an unknown tool (val-unknown-tool) with no arguments.
    """
    wrongs = [(tool.name, way) for tool in tools for way in _view(tool, dialect).wrong]
    if not wrongs or draw(st.integers(0, 9)) == 0:
        known = {tool.name for tool in tools}
        names = ["nothing", "READ", "reed", "ls ", "é\u0301"]
        name = draw(st.sampled_from([each for each in names if each not in known]))
        values = st.just("x") if dialect == "xml-elements" else json_values
        args = draw(st.dictionaries(st.sampled_from(NAMES), values, max_size=2))
        return Judged({"name": name, "args": args}, args, [{"code": "unknown-tool", "path": ""}])
    name, way = draw(st.sampled_from(wrongs))
    given, args, code, path = draw(way)
    return Judged({"name": name, "args": given}, args, [{"code": code, "path": path}])
