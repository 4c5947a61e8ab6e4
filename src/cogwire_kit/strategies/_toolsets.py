# SPDX-License-Identifier: MIT
"""Tools with JSON Schemas, calls that conform to them, and calls with exactly one problem.

val-draft defines the schemas, and val-problem to val-one-of the problem of each violation; both are
known by construction, without a validator.
"""

from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._toolsets_objects import (
    NAMES,
    ODD_NAMES,
    Member,
    Plan,
    plans,
    shapes,
    view_of,
)
from cogwire_kit.strategies._toolsets_shapes import Shape, View, Wrong, anything, json_values, typed
from cogwire_kit.strategies._wire import LINES

__all__ = ["Judged", "Tool", "conforming_calls", "toolsets", "violating_calls"]


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


# --- Tools ------------------------------------------------------------------------------------


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
