# SPDX-License-Identifier: MIT
"""Tools with JSON Schemas (val-draft), calls that conform to them, and calls with one problem.

A nested object and the arguments of a call are drawn in the same way.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire import Toolset
from cogwire_kit.strategies._shapes import (
    ALTERNATIVES,
    NO_TEXTS,
    DrawnSchema,
    Values,
    anything,
    arrays,
    booleans,
    json_values,
    listed,
    nulls,
    numbers,
    optional,
    strings,
    text_of,
    typed,
    unions,
)
from cogwire_kit.strategies._wire import LINES

# --- Objects ----------------------------------------------------------------------------------


class Member(NamedTuple):
    """A member of an object: its name, its shape, and whether it must be there."""

    name: str
    shape: DrawnSchema
    is_required: bool


class Need(NamedTuple):
    """A rule that requires the member `other` if there is `this`."""

    this: str
    other: str
    schema: dict[str, Any]


class ObjectPlan(NamedTuple):
    """The members of an object, the shape of all others, if any may be there, and a rule."""

    members: list[Member]
    extra: DrawnSchema | None
    need: Need | None
    schema: dict[str, Any]


Shapes = st.SearchStrategy[DrawnSchema]

#: Names of members that no plan has.
EXTRA_NAMES = st.sampled_from(["zz", "other-1", "_more"])
#: Names that can be those of elements.
NAMES = ["file", "mode", "n", "text", "name", "args", "execute", "é", "a-b", "_x", "x.y"]
#: Names that need care in pointers and in references.
ODD_NAMES = ["a/b", "~t", "", "a b", "%25", "$ref", "\U0001f600", "#"]


@st.composite
def plans(
    draw: st.DrawFn, shapes: Shapes, names: Sequence[str], *, is_call: bool = False
) -> ObjectPlan:
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
    return ObjectPlan(members, extra, need, schema | closing | (need.schema if need else {}))


@st.composite
def _closings(
    draw: st.DrawFn, called: list[str], *, is_call: bool
) -> tuple[DrawnSchema | None, dict[str, Any]]:
    """Draw the shape of the members that are not named, and the keywords that declare it."""
    integer = typed(["integer"], {"type": "integer"}, st.integers(-9, 9))
    # No clause states which type `unevaluatedProperties` declares for a text.
    others = "additionalProperties" if is_call else "unevaluatedProperties"
    names = {"propertyNames": {"enum": called}}
    ways: list[tuple[DrawnSchema | None, dict[str, Any]]] = [
        (draw(anything), {}),
        (integer, {"additionalProperties": integer.schema}),
        (integer, {others: integer.schema}),
        (None, {"additionalProperties": False}),
        (None, {"unevaluatedProperties": False}),
        (None, names),
        (None, {**names, "additionalProperties": False}),
    ]
    chosen: tuple[DrawnSchema | None, dict[str, Any]] = draw(st.sampled_from(ways))
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
    return Need(this, other, schema) if schema else None


def values_of(plan: ObjectPlan, *, is_text: bool = False) -> tuple[Values, Values]:
    """Return what conforms to a plan, and what nearly always does not; members may be texts."""

    def good(shape: DrawnSchema) -> Values:
        return shape.good.map(text_of) if is_text else shape.good

    def bad(shape: DrawnSchema) -> Values:
        return st.one_of(shape.bad.map(text_of), NO_TEXT) if is_text else shape.bad

    goods = {each.name: good(each.shape) for each in plan.members}
    required = {each.name: goods[each.name] for each in plan.members if each.is_required}
    free = {name: goods[name] for name in goods if name not in required}
    if plan.extra is not None:
        free = free | {"zz": good(plan.extra)}
    members = st.fixed_dictionaries(required, optional=free)
    if (need := plan.need) is not None:
        members = members.filter(lambda one: need.this not in one or need.other in one)
    # What is added to members that conform, and the name that is left out.
    changes: list[tuple[Values, str]] = [(st.just({}), name) for name in required]
    changes += [(st.fixed_dictionaries({e.name: bad(e.shape)}), "") for e in plan.members]
    extra = st.sampled_from(["", "x"]) if plan.extra is None else bad(plan.extra)
    changes.append((st.dictionaries(EXTRA_NAMES, extra, min_size=1, max_size=1), ""))
    if need is not None:
        changes.append((st.fixed_dictionaries({need.this: goods[need.this]}), need.other))
    return members, st.one_of([_changed(members, *change) for change in changes])


NO_TEXT: Values = st.sampled_from(NO_TEXTS)


def _changed(members: Values, more: Values, name: str) -> Values:
    """Return members with more, and without the one of a name."""
    return st.tuples(members, more).map(
        lambda pair: {key: value for key, value in (pair[0] | pair[1]).items() if key != name}
    )


@st.composite
def objects(draw: st.DrawFn, shapes: Shapes) -> DrawnSchema:
    """Draw a schema of objects; `minProperties` and `maxProperties` count the present members."""
    if draw(st.integers(0, 4)) == 0:
        count = st.dictionaries(
            st.sampled_from("abcdef"), st.integers(0, 9), min_size=1, max_size=3
        )
        few: tuple[dict[str, Any], dict[str, int]] = ({"minProperties": 1}, {})
        many = ({"maxProperties": 3}, dict.fromkeys("abcd", 1))
        rule, value = draw(st.sampled_from([few, many]))
        return typed(["object"], {"type": "object", **rule}, count, st.just(value))
    plan = draw(plans(shapes, [*NAMES, *ODD_NAMES]))
    return typed(["object"], plan.schema, *values_of(plan))


simple: Shapes = st.one_of(strings, numbers(), booleans, ALTERNATIVES)
_leaves: Shapes = st.one_of(
    strings, listed(), numbers(), simple, nulls, listed(), unions(), anything, optional(simple)
)
_nested: Shapes = st.one_of(arrays(_leaves), objects(_leaves))
#: A schema of any kind; shrinks to one of strings.
shapes: Shapes = st.one_of(
    _leaves, _leaves, _nested, optional(_nested), arrays(_nested), objects(_nested)
)


# --- Tools ------------------------------------------------------------------------------------


class DrawnTool(NamedTuple):
    """A tool: its definition in the form of the adapter protocol, and its arguments."""

    definition: dict[str, Any]
    plan: ObjectPlan

    @property
    def name(self) -> str:
        return str(self.definition["name"])


class Judged(NamedTuple):
    """A call `{"name", "args"}`, and what cogwire passes on as its arguments and its problems.

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


_bad_trees: Values = st.recursive(
    st.sampled_from([{"value": "x"}, {"value": -1}, {"children": []}, {"value": 1, "children": 0}]),
    lambda inner: inner.map(lambda tree: _tree(1, _tree(2), tree)),
    max_leaves=3,
)
#: A recursive type: its references lead to its own `$id`.
TREE: DrawnSchema = typed(
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
    _bad_trees,
)


@st.composite
def _tools(draw: st.DrawFn, name: str, argument_names: list[str]) -> DrawnTool:
    definition: dict[str, Any] = {
        "name": name,
        "description": draw(st.sampled_from(["", "Does it."])),
    }
    plan = draw(plans(shapes, argument_names, is_call=True))
    if draw(st.integers(0, 7)) == 0:
        plan = ObjectPlan([], draw(anything), None, {})
    else:
        if draw(st.integers(0, 4)) == 0:
            plan = _with_tree(plan)
        definition["parameters"] = draw(_with_references(plan.schema))
    return DrawnTool(definition, plan)


def _with_tree(plan: ObjectPlan) -> ObjectPlan:
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


def toolsets(dialect: str = "xml-json", least: int = 0) -> st.SearchStrategy[list[DrawnTool]]:
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


@st.composite
def any_calls(
    draw: st.DrawFn, tools: list[DrawnTool], dialect: str, *, is_good: bool = False
) -> dict[str, Any]:
    """Draw a call of one of `tools` that conforms, or nearly always does not.

    In `xml-elements` the arguments are texts.  In the delimiter dialects a call without arguments
    needs no `args` (val-no-args).
    """
    is_text = dialect == "xml-elements"
    if not is_good and (not tools or draw(st.integers(0, 9)) == 0):
        known = {tool.name for tool in tools}
        names = ["nothing", "READ", "reed", "ls ", "é\u0301"]
        name = draw(st.sampled_from([each for each in names if each not in known]))
        values = st.just("x") if is_text else json_values
        return {
            "name": name,
            "args": draw(st.dictionaries(st.sampled_from(NAMES), values, max_size=2)),
        }
    tool = draw(st.sampled_from(tools))
    good, bad = values_of(tool.plan, is_text=is_text)
    args = draw(good if is_good else bad)
    if not args and dialect in LINES and draw(st.booleans()):
        return {"name": tool.name}
    return {"name": tool.name, "args": args}


@st.composite
def _judged(draw: st.DrawFn, tools: list[DrawnTool], dialect: str, *, is_good: bool) -> Judged:
    toolset = Toolset([tool.definition for tool in tools], dialect)
    call = draw(any_calls(tools, dialect, is_good=is_good))
    _, args, problems = toolset.check(call)
    return Judged(call, args, [{"code": each["code"], "path": each["path"]} for each in problems])


def conforming_calls(
    tools: list[DrawnTool], dialect: str = "xml-json"
) -> st.SearchStrategy[Judged]:
    """Draw a call, of one of `tools`, that has no problem (val-valid); there must be a tool.

    In `xml-elements` the arguments are texts, and passed on in the type that the schema declares
    (val-coerce).  In the delimiter dialects a call without arguments needs no `args` (val-no-args).
    """
    return _judged(tools, dialect, is_good=True).filter(lambda judged: not judged.problems)


def violating_calls(tools: list[DrawnTool], dialect: str = "xml-json") -> st.SearchStrategy[Judged]:
    """Draw a call with exactly one problem (val-problem), of an unknown tool or of one of `tools`.

    Shrinks to a call of an unknown tool (val-unknown-tool) with no arguments.
    """
    return _judged(tools, dialect, is_good=False).filter(lambda judged: len(judged.problems) == 1)
