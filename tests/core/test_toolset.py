"""Toolset: how tools are declared, which schemas are refused, and what is wrong with a call."""

import enum
import functools
import importlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, Required, TypedDict

import jsonschema
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def tool(parameters, name="t"):
    return {"name": name, "parameters": parameters}


def problems(parameters, args):
    """Return the problems of `args`, each as (code, path)."""
    checked = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args})
    return [(problem["code"], problem["path"]) for problem in checked.problems]


def value_problems(schema, value):
    """Return the problems of one value that a schema judges: those of the argument `v`."""
    return problems({"properties": {"v": schema}}, {"v": value})


def message(parameters, args):
    """Return the message of the only problem."""
    [problem] = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args}).problems
    return problem["message"]


def parameters_of(declaration):
    [declared] = cogwire.Toolset([declaration]).tools
    return declared.parameters


def refusal(*tools):
    """Return what is said of tools that are refused."""
    with pytest.raises(ValueError) as caught:
        cogwire.Toolset(tools)
    return str(caught.value)


# --- Declaring tools ----------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}


@pytest.mark.parametrize(
    "declaration",
    [
        {
            "type": "function",
            "function": {"name": "read", "description": "Read a file.", "parameters": SCHEMA},
        },
        {
            "type": "function",
            "name": "read",
            "description": "Read a file.",
            "parameters": SCHEMA,
            "strict": True,
        },
        {"name": "read", "description": "Read a file.", "input_schema": SCHEMA},
        {
            "name": "read",
            "title": "Read",
            "description": "Read a file.",
            "inputSchema": SCHEMA,
            "annotations": {"readOnlyHint": True},
        },
        {"name": "read", "description": "Read a file.", "parameters": SCHEMA},
    ],
    ids=["chat", "responses", "messages", "server", "adapter"],
)
def test_the_shapes_of_apis_declare_the_same_tool(declaration):
    toolset = cogwire.Toolset([declaration])
    [declared] = toolset.tools
    assert (declared.name, declared.description) == ("read", "Read a file.")
    assert declared.parameters == SCHEMA
    assert toolset.names == ("read",)
    assert toolset.warnings == ()
    assert toolset.dialect == "xml-json"


@pytest.mark.parametrize("declaration", [{"name": "now"}, {"name": "now", "parameters": None}])
def test_a_tool_without_parameters_takes_every_object(declaration):
    toolset = cogwire.Toolset([declaration])
    assert toolset.tools[0].parameters == {"type": "object", "properties": {}}
    assert toolset.check({"name": "now", "args": {"any": [1]}}).problems == []


def test_a_missing_or_null_description_is_empty():
    toolset = cogwire.Toolset([{"name": "a"}, {"name": "b", "description": None}])
    assert [declared.description for declared in toolset.tools] == ["", ""]


def test_tools_of_a_toolset_declare_another_one():
    first = cogwire.Toolset([tool(SCHEMA, "read")])
    assert cogwire.Toolset(first.tools).tools == first.tools


def test_a_declared_tool_cannot_be_changed_from_outside():
    """Neither through the definition nor through what the toolset gives."""
    definition = tool({"type": "object", "properties": {"a": {"type": "string"}}})
    toolset = cogwire.Toolset([definition])
    definition["parameters"]["properties"]["a"]["type"] = "integer"
    toolset.tools[0].parameters["properties"]["a"]["type"] = "null"
    toolset.schema()["items"]["anyOf"].clear()
    assert toolset.check({"name": "t", "args": {"a": "x"}}).problems == []
    assert len(toolset.schema()["items"]["anyOf"]) == 1
    with pytest.raises(AttributeError):
        toolset.tools[0].name = "u"


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ({"name": ""}, "a non-empty string"),
        ({"name": 5}, "a non-empty string"),
        ({"description": "nameless"}, "a non-empty string"),
        ({"name": "execute"}, "'execute' is reserved"),
        ({"name": "a"}, "a tool called 'a' already"),
        ({"name": "\ud800"}, "surrogates"),
        ({"name": "b", "description": 5}, "'b': its description is a string"),
        ({"type": "function", "function": "b"}, "`function` is an object"),
        ({"name": "b", "parameters": {}, "input_schema": {}}, "one of parameters, input_schema"),
        ({"name": "b", "parameters": True}, "'b': its schema is an object"),
        ({"name": "b", "parameters": {"default": {1}}}, "'b': its schema is not JSON"),
        ({"name": "b", "parameters": {"minimum": float("nan")}}, "'b': its schema is not JSON"),
    ],
)
def test_a_definition_that_is_none_is_refused_with_its_index(declaration, reason):
    said = refusal({"name": "a"}, declaration)
    assert said.startswith("tools[1]: ")
    assert reason in said


@pytest.mark.parametrize("declaration", [5, "read", None, dict, [SCHEMA]])
def test_what_declares_no_tool_is_a_type_error_with_its_index(declaration):
    with pytest.raises(TypeError, match=r"^tools\[1\]: .*typed function"):
        cogwire.Toolset([{"name": "a"}, declaration])


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ValueError, match="unknown dialect"):
        cogwire.Toolset([], "xml-yaml")


# --- Typed functions ----------------------------------------------------------------------------


class Mode(enum.Enum):
    READ = "r"
    WRITE = "w"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Bytes(enum.Enum):
    RAW = b"r"


class Range(TypedDict):
    start: int
    stop: NotRequired[int]


class Loose(TypedDict, total=False):
    first: Required[str]
    second: Annotated[str, "The second."]


class Quoted(TypedDict):
    a: "int"
    b: "NotRequired[int]"


@dataclass
class Node:
    value: int
    children: "list[Node]" = field(default_factory=list)
    label: str = ""
    count: int = field(default=0, init=False)


UserId = NewType("UserId", int)


def search(
    text: Annotated[str, "What to look for."],
    mode: Mode = Mode.READ,
    *,
    limit: int | None = None,
):
    """Look for
    a text.

    The rest is for people.
    """  # noqa: D205 (the first paragraph has two lines)


def test_a_function_declares_its_name_docstring_and_parameters():
    """The first paragraph of the docstring describes it; what has no default is required."""
    [declared] = cogwire.Toolset([search]).tools
    assert (declared.name, declared.description) == ("search", "Look for a text.")
    assert declared.parameters == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to look for."},
            "mode": {"type": "string", "enum": ["r", "w"], "default": "r"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "additionalProperties": False,
        "required": ["text"],
    }


def test_a_function_without_docstring_or_parameters():
    def ping(): ...

    [declared] = cogwire.Toolset([ping]).tools
    assert declared.description == ""
    assert declared.parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


ANNOTATIONS = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (object, {}),
    ("int", {"type": "integer"}),
    (list, {"type": "array"}),
    (list[None], {"type": "array", "items": {"type": "null"}}),
    (Sequence[str], {"type": "array", "items": {"type": "string"}}),
    (tuple, {"type": "array"}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": False,
            "minItems": 2,
        },
    ),
    (dict, {"type": "object"}),
    (
        dict[str, list[int]],
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "integer"}},
        },
    ),
    (Mapping[str, Any], {"type": "object", "additionalProperties": {}}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a", 1, None, True], {"enum": ["a", 1, None, True]}),  # noqa: PYI061
    (Literal[Mode.READ], {"type": "string", "enum": ["r"]}),
    (Mode, {"type": "string", "enum": ["r", "w"]}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),  # noqa: UP045
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (UserId, {"type": "integer"}),
    (Annotated[int, 5], {"type": "integer"}),
    (
        Annotated[int, {"unhashable": 1}, "A number.", "Not this."],
        {"type": "integer", "description": "A number."},
    ),
]


@pytest.mark.parametrize(("annotation", "schema"), ANNOTATIONS)
def test_an_annotation_has_its_schema(annotation, schema):
    def function(it): ...

    function.__annotations__ = {"it": annotation}
    assert parameters_of(function)["properties"] == {"it": schema}


def test_classes_are_definitions_and_may_be_recursive():
    def function(node: Node, ranges: list[Range], loose: Loose, quoted: Quoted): ...

    parameters = parameters_of(function)
    assert parameters["properties"] == {
        "node": {"$ref": "#/$defs/Node"},
        "ranges": {"type": "array", "items": {"$ref": "#/$defs/Range"}},
        "loose": {"$ref": "#/$defs/Loose"},
        "quoted": {"$ref": "#/$defs/Quoted"},
    }
    assert parameters["$defs"] == {
        "Node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "label": {"type": "string"},
            },
            "additionalProperties": False,
            "required": ["value"],
        },
        "Range": {
            "type": "object",
            "properties": {"start": {"type": "integer"}, "stop": {"type": "integer"}},
            "additionalProperties": False,
            "required": ["start"],
        },
        "Loose": {
            "type": "object",
            "properties": {
                "first": {"type": "string"},
                "second": {"type": "string", "description": "The second."},
            },
            "additionalProperties": False,
            "required": ["first"],
        },
        "Quoted": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "additionalProperties": False,
            "required": ["a"],
        },
    }


def test_classes_of_one_name_are_two_definitions():
    other = dataclass(type("Node", (), {"__annotations__": {"other": str}}))

    def function(first: Node, second: other, third: Node): ...

    parameters = parameters_of(function)
    assert parameters["properties"] == {
        "first": {"$ref": "#/$defs/Node"},
        "second": {"$ref": "#/$defs/Node_"},
        "third": {"$ref": "#/$defs/Node"},
    }
    assert parameters["$defs"]["Node_"]["required"] == ["other"]


@pytest.mark.parametrize("default", [object(), float("inf"), b"x"])
def test_a_default_that_json_cannot_hold_is_left_out(default):
    def function(it: Any = default): ...

    parameters = parameters_of(function)
    assert parameters["properties"] == {"it": {}}
    assert "required" not in parameters


def test_other_arguments_are_forbidden_unless_the_function_takes_them():
    def closed(a: int): ...
    def opened(a: int, **rest): ...
    def counted(a: int, **rest: int): ...

    toolset = cogwire.Toolset([closed, opened, counted])
    found = [
        [(each["code"], each["path"]) for each in toolset.check({"name": name, "args": args})[2]]
        for name in toolset.names
        for args in [{"a": 1, "b": "x"}]
    ]
    assert found == [[("unexpected-arg", "/b")], [], [("bad-type", "/b")]]


def test_a_method_and_an_async_function_declare_tools():
    """A bound method has no `self` left to give."""

    class Files:
        def read(self, file: str): ...
        async def write(self, file: str): ...

    files = Files()
    toolset = cogwire.Toolset([files.read, files.write])
    assert toolset.names == ("read", "write")
    assert [declared.parameters["required"] for declared in toolset.tools] == [["file"], ["file"]]


def positional(a: int, /): ...
def starred(*a: int): ...
def unknown_name(a: "Missing"): ...  # noqa: F821
def broken_text(a: "1 +"): ...  # noqa: F722


@pytest.mark.parametrize("function", [positional, starred, unknown_name, broken_text])
def test_a_parameter_that_cannot_be_declared_is_refused_by_name(function):
    said = refusal({"name": "t"}, function)
    assert said.startswith(f"tools[1]: function {function.__name__!r}: parameter 'a': ")


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (bytes, "bytes"),
        (set[int], "set[int]"),
        (tuple[int, bytes], "bytes"),
        (dict[int, str], "keys are strings"),
        (Literal[b"x"], "b'x' is no JSON value"),
        (Bytes, "b'r' is no JSON value"),
        (list[Bytes | int], "b'r' is no JSON value"),
    ],
)
def test_an_annotation_without_a_schema_is_refused_by_parameter(annotation, reason):
    def function(good: int, bad): ...

    function.__annotations__ = {"good": int, "bad": annotation}
    said = refusal(function)
    assert said.startswith("tools[0]: function 'function': parameter 'bad': ")
    assert reason in said


def test_a_callable_without_a_name_or_signature_is_refused():
    class Nameless:
        def __call__(self, a: int): ...

    assert "a non-empty string" in refusal(Nameless())
    assert refusal(min).startswith("tools[0]: function 'min': ")


# --- Pydantic models ----------------------------------------------------------------------------


class Open(pydantic.BaseModel):
    """Write a file."""

    file: str = pydantic.Field(min_length=1)
    mode: Literal["a", "w"] = "w"


class Closed(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    parent: Optional["Closed"] = None


def test_a_model_class_declares_its_schema():
    """Extra arguments are a problem where the model forbids them."""
    toolset = cogwire.Toolset([Open, Closed])
    assert toolset.names == ("Open", "Closed")
    assert [declared.description for declared in toolset.tools] == ["Write a file.", ""]

    def found(name, args):
        checked = toolset.check({"name": name, "args": args})
        return [(problem["code"], problem["path"]) for problem in checked.problems]

    assert found("Open", {"file": "a", "extra": 1}) == []
    assert found("Open", {"file": "", "mode": "r"}) == [
        ("bad-value", "/file"),
        ("not-in-enum", "/mode"),
    ]
    assert found("Closed", {"parent": {"parent": None}}) == []
    assert found("Closed", {"parent": {"extra": 1}, "extra": 2}) == [
        ("unexpected-arg", "/extra"),
        ("unexpected-arg", "/parent/extra"),
    ]


# --- Schemas that are refused -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "strng"}, "/type"),
        ({"properties": {"a/b": {"minLength": -1}}}, "/properties/a~1b/minLength"),
        ({"items": [{}]}, "/items"),
        ({"required": "file"}, "/required"),
        ({"exclusiveMinimum": True}, "/exclusiveMinimum"),
        ({"$defs": {"unused": {"enum": 5}}}, "/$defs/unused/enum"),
        ({"$id": "#fragment"}, "/$id"),
        ({"pattern": "("}, "/pattern"),
        ({"pattern": "a{99999999999}"}, "/pattern"),
        ({"patternProperties": {"^(": {}}}, "/patternProperties/^("),
        ({"$ref": "https://example.com/schema"}, "/$ref"),
        ({"$ref": "other.json#/a"}, "/$ref"),
        ({"$ref": DRAFT}, "/$ref"),
        ({"$ref": "http://[#a"}, "/$ref"),
        ({"$id": "https://example.com", "$ref": "http://["}, "/$ref"),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, "/properties/a/$ref"),
        ({"$dynamicRef": "#gone"}, "/$dynamicRef"),
        ({"$ref": "#/properties", "properties": {}}, "/$ref"),
        ({"$ref": "#/default", "default": {}}, "/$ref"),
        ({"$ref": "#/allOf/00", "allOf": [{}]}, "/$ref"),
        ({"$ref": "a#b", "$defs": {"a": {"$id": "a"}, "ab": {}}}, "/$ref"),
        ({"$defs": {"a": {"$id": "x"}, "b": {"$id": "x#"}}}, "/$defs/b/$id"),
        (
            {"$defs": {"a": {"$anchor": "x"}, "b": {"$dynamicAnchor": "x"}}},
            "/$defs/b/$dynamicAnchor",
        ),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_tool_and_place(schema, place):
    said = refusal(tool({}, "good"), tool(schema, "bad"))
    assert said.startswith(f"tools[1]: tool 'bad': at {place!r}")


def test_a_refused_reference_is_named_and_nothing_is_fetched(monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: pytest.fail("fetched"))
    said = refusal(tool({"properties": {"a": {"$ref": "https://example.com/a"}}}))
    assert "'https://example.com/a'" in said
    assert "nothing is fetched" in said


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"anyOf": [{}, {"$ref": "#"}]},
        {"oneOf": [{"$ref": "#"}]},
        {"not": {"$ref": "#"}},
        {"if": {"$ref": "#"}},
        {"if": {}, "then": {"$ref": "#"}},
        {"if": {}, "else": {"$ref": "#"}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {"$id": "urn:example:me", "$ref": "urn:example:me"},
        {"$anchor": "me", "$ref": "#me"},
        {"$dynamicAnchor": "me", "$dynamicRef": "#me"},
        {
            "properties": {"a": {"$ref": "#/$defs/b"}},
            "$defs": {"b": {"allOf": [{"$ref": "#/$defs/c"}]}, "c": {"$ref": "#/$defs/b"}},
        },
    ],
)
def test_references_round_in_a_circle_are_refused(schema):
    assert "tool 't': references go round in a circle: " in refusal(tool(schema))


def test_a_circle_is_shown_in_the_direction_of_its_references():
    said = refusal(
        tool({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}})
    )
    circle = ["'/$defs/a'", "'/$defs/b'", "'/$defs/b/not'"]
    shown = said.split("circle: ")[1].split(" -> ")
    start = circle.index(shown[0])
    assert shown == [*circle[start:], *circle[:start], shown[0]]


def test_a_schema_nested_too_deeply_is_refused():
    schema = {}
    for _ in range(100_000):
        schema = {"not": schema}
    assert refusal(tool(schema)).startswith("tools[0]: tool 't': its schema is not JSON")


def test_a_schema_that_the_validator_cannot_walk_is_refused():
    """JSON may be read deeper than a schema is judged."""
    schema = {}
    for _ in range(400):
        schema = {"not": schema}
    assert refusal(tool(schema)) == "tools[0]: tool 't': its schema is nested too deeply"


# --- Drafts and references that are taken -------------------------------------------------------


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


REFERENCES = [
    {"properties": {"v": {"$ref": "#/$defs/a~1b%25"}}, "$defs": {"a/b%": {"type": "null"}}},
    {"properties": {"v": {"$ref": "#it"}}, "$defs": {"it": {"$anchor": "it", "type": "null"}}},
    {
        "properties": {"v": {"$dynamicRef": "#it"}},
        "$defs": {"it": {"$dynamicAnchor": "it", "type": "null"}},
    },
    {"properties": {"v": {"$ref": "it"}}, "$defs": {"it": {"$id": "it", "type": "null"}}},
    {
        "$id": "https://example.com/schemas/root",
        "properties": {"v": {"$ref": "it#/definitions/x"}},
        "$defs": {"it": {"$id": "/schemas/it", "definitions": {"x": {"type": "null"}}}},
    },
    {
        "$id": "urn:example:root",
        "properties": {"v": {"$ref": "urn:example:root#/$defs/it"}},
        "$defs": {"it": {"$ref": "#here"}, "there": {"$anchor": "here", "type": "null"}},
    },
    {
        "properties": {"v": {"$ref": "#/$defs/it/$defs/inner"}},
        "$defs": {
            "it": {
                "$id": "it",
                "$defs": {"inner": {"$ref": "#/$defs/last"}, "last": {"type": "null"}},
            }
        },
    },
    {"properties": {"v": {"$ref": ""}}, "type": ["object", "null"]},
    {"properties": {"v": {"$ref": "#/properties/$ref"}, "$ref": {"type": "null"}}},
]


@pytest.mark.parametrize("schema", REFERENCES)
def test_a_reference_inside_the_schema_is_followed(schema):
    """The composed schema follows it too, and the same for two tools with the same names inside."""
    toolset = cogwire.Toolset([tool(schema, "one"), tool(schema, "two:1")])
    whole = jsonschema.Draft202012Validator(toolset.schema())
    for name in toolset.names:
        good, bad = ({"name": name, "args": {"v": value}} for value in (None, 5))
        assert toolset.check(good).problems == []
        assert [problem["path"] for problem in toolset.check(bad).problems] == ["/v"]
        assert whole.is_valid([good])
        assert not whole.is_valid([bad])


def test_a_dynamic_reference_goes_by_the_way_there():
    """The outermost anchor of the name counts, as in the metaschema."""
    schema = {
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
    assert problems(schema, {"next": {"next": {}}}) == []
    assert problems(schema, {"next": {"other": 1}}) == [("unexpected-arg", "/next/other")]


def test_what_looks_like_a_reference_in_a_value_is_none():
    schema = {"properties": {"v": {"const": {"$ref": "https://example.com", "$schema": "x"}}}}
    toolset = cogwire.Toolset([tool(schema)])
    assert toolset.warnings == ()
    args = {"v": {"$ref": "https://example.com", "$schema": "x"}}
    assert toolset.check({"name": "t", "args": args}).problems == []


# --- What gives which problem -------------------------------------------------------------------

OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("parameters", "args", "found"),
    [
        (OBJECT, {"a": 1}, []),
        (OBJECT, {}, [("missing-arg", "/a")]),
        (OBJECT, {"a": 1, "c": 2}, [("unexpected-arg", "/c")]),
        (OBJECT, {"a": "1"}, [("bad-type", "/a")]),
        (OBJECT, {"a": True}, [("bad-type", "/a")]),
        (OBJECT, {"a": 1.0}, []),
        (
            OBJECT,
            {"b": 1, "c/~": 2},
            [("missing-arg", "/a"), ("bad-type", "/b"), ("unexpected-arg", "/c~1~0")],
        ),
        (OBJECT, {"a": 1, "é": 0, "B": 0}, [("unexpected-arg", "/B"), ("unexpected-arg", "/é")]),
        ({"required": ["x", "y"]}, {}, [("missing-arg", "/x"), ("missing-arg", "/y")]),
        (
            {"dependentRequired": {"a": ["b", "c"], "d": ["e"]}},
            {"a": 1, "c": 1},
            [("missing-arg", "/b")],
        ),
        ({"properties": {"a": False}}, {"a": 1, "b": 2}, [("unexpected-arg", "/a")]),
        (
            {"patternProperties": {"^x": False, "y$": {"type": "null"}}},
            {"xy": 1},
            [("unexpected-arg", "/xy"), ("bad-type", "/xy")][::-1],
        ),
        (
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            {"x1": 1, "y": 1},
            [("unexpected-arg", "/y")],
        ),
        ({"additionalProperties": {"type": "integer"}}, {"a": 1, "b": "x"}, [("bad-type", "/b")]),
        (
            {"propertyNames": {"pattern": "^[a-z]+$"}},
            {"ok": 1, "No": 1},
            [("unexpected-arg", "/No")],
        ),
        (
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "b": 1, "c": 1},
            [("unexpected-arg", "/b"), ("unexpected-arg", "/c")],
        ),
        (
            {"properties": {"a": {}}, "unevaluatedProperties": {"type": "integer"}},
            {"a": "x", "b": 1, "c": "x"},
            [("bad-type", "/c")],
        ),
        ({"maxProperties": 1}, {"a": 1, "b": 1}, [("bad-value", "")]),
        ({"minProperties": 1}, {}, [("bad-value", "")]),
        ({"type": "string"}, {}, [("bad-type", "")]),
        ({"not": {"required": ["a"]}}, {"a": 1}, [("bad-value", "")]),
        (
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
            {"a": 1},
            [("missing-arg", "/b")],
        ),
        (
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
            {},
            [("missing-arg", "/c")],
        ),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, [("missing-arg", "/b")]),
        ({"allOf": [False]}, {}, [("bad-value", "")]),
        (
            {"properties": {"o": OBJECT}},
            {"o": {"b": 1}},
            [("missing-arg", "/o/a"), ("bad-type", "/o/b")],
        ),
    ],
)
def test_problems_of_objects(parameters, args, found):
    assert problems(parameters, args) == found


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"type": ["string", "null"]}, 5, ["bad-type /v"]),
        ({"type": "number"}, True, ["bad-type /v"]),
        ({"enum": ["a", 1]}, "b", ["not-in-enum /v"]),
        ({"enum": [1]}, True, ["not-in-enum /v"]),
        ({"enum": [0]}, 0.0, []),
        ({"const": {"a": [1]}}, {"a": [2]}, ["not-in-enum /v"]),
        ({"type": "string", "enum": ["a"], "minLength": 9}, 5, ["bad-type /v"]),
        (
            {"type": "string", "enum": ["a"], "minLength": 9},
            "b",
            ["bad-value /v", "not-in-enum /v"],
        ),
        ({"minLength": 2, "pattern": "^a"}, "b", ["bad-value /v"]),
        ({"minLength": 2}, "😀", ["bad-value /v"]),
        ({"maxLength": 1}, "😀", []),
        ({"format": "email"}, "nobody", []),
        ({"minimum": 1}, 0, ["bad-value /v"]),
        ({"exclusiveMaximum": 1}, 1, ["bad-value /v"]),
        ({"multipleOf": 3}, 7, ["bad-value /v"]),
        ({"multipleOf": 0.01}, 19.99, []),
        ({"multipleOf": 0.01}, 19.999, ["bad-value /v"]),
        ({"multipleOf": 0.1}, 10**400, []),
        ({"multipleOf": 2}, "2", []),
        ({"items": {"type": "integer"}}, [1, "2", None], ["bad-type /v/1", "bad-type /v/2"]),
        ({"prefixItems": [{}], "items": False}, [1, 2], ["bad-value /v"]),
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], ["bad-value /v"]),
        ({"uniqueItems": True}, [1, True, 1.0], ["bad-value /v"]),
        ({"contains": {"const": 1}}, [2], ["bad-value /v"]),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], ["bad-value /v"]),
        ({"contains": {"const": 1}, "minContains": 2}, [1], ["bad-value /v"]),
        (
            {"allOf": [{"type": "string"}, {"maxLength": 1}, {"maxLength": 2}]},
            "abc",
            ["bad-value /v"],
        ),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, 5, ["bad-type /v"]),
        (OBJECT, [], ["bad-type /v"]),
        (
            {"required": ["a"], "properties": {"a": {}}, "dependentRequired": {"a": ["b"]}},
            "text",
            [],
        ),
    ],
)
def test_problems_of_values(schema, value, found):
    assert [f"{code} {path}" for code, path in value_problems(schema, value)] == found


INTEGER, NULL, TEXT = {"type": "integer"}, {"type": "null"}, {"type": "string"}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("branches", "value", "found"),
    [
        ([INTEGER, NULL], "3", ["bad-type /v"]),
        ([INTEGER, {"anyOf": [NULL, TEXT]}], [], ["bad-type /v"]),
        ([INTEGER | {"minimum": 1}, NULL], 0, ["bad-value /v"]),
        (
            [{"type": "array", "items": INTEGER}, NULL],
            ["x", 1, "y"],
            ["bad-type /v/0", "bad-type /v/2"],
        ),
        ([OBJECT, TEXT], {"b": 1}, ["missing-arg /v/a", "bad-type /v/b"]),
        ([TEXT | {"enum": ["a"]}, NULL], "b", ["not-in-enum /v"]),
        ([{"const": "a"}, {"const": "b"}], "c", ["not-in-enum /v"]),
        ([{"const": "a"}, {"enum": ["b"]}, INTEGER], "c", ["not-in-enum /v"]),
        ([{"const": "a"}, TEXT | {"minLength": 2}], "c", ["bad-value /v"]),
        ([OBJECT, {"type": "object", "required": ["z"]}], {"b": "x"}, ["bad-value /v"]),
        ([False, False], 1, ["bad-value /v"]),
        ([False, INTEGER], "x", ["bad-type /v"]),
        ([False, {"$ref": "#/$defs/no"}, NULL], 1, ["bad-value /v"]),
        ([{"$ref": "#/$defs/i"}, NULL], "x", ["bad-type /v"]),
    ],
)
def test_problems_of_alternatives(keyword, branches, value, found):
    schema = {"properties": {"v": {keyword: branches}}, "$defs": {"i": INTEGER, "no": False}}
    assert [f"{code} {path}" for code, path in problems(schema, {"v": value})] == found


def test_a_value_that_fits_two_of_one_is_a_bad_value():
    assert value_problems({"oneOf": [INTEGER, {"type": "number"}]}, 1) == [("bad-value", "/v")]


# --- Messages -----------------------------------------------------------------------------------

DESCRIBED = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "description": "The path\n  of the file."},
        "mode": {"enum": ["r", "w"]},
        "size": {"anyOf": [INTEGER, NULL]},
        "kind": {"const": "x"},
        "any": True,
        "types": {"type": ["string", "null"]},
        "long": {"description": "d" * 1000},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file", "/file is missing: expected string (The path of the file.)"),
        ("mode", '/mode is missing: expected "r" or "w"'),
        ("size", "/size is missing: expected integer or null"),
        ("kind", '/kind is missing: expected "x"'),
        ("any", "/any is missing"),
        ("types", "/types is missing: expected string or null"),
        ("other", "/other is missing"),
        ("long", f"/long is missing ({'d' * 159}…)"),
    ],
)
def test_the_message_of_a_missing_argument_says_what_it_is(name, said):
    assert message(DESCRIBED | {"required": [name]}, {}) == said


def test_the_message_of_an_unexpected_argument_names_the_known_ones():
    assert message(DESCRIBED, {"fil": 1}) == (
        "/fil is not expected; known: file, mode, size, kind, any, types, long"
    )
    assert message({"additionalProperties": False}, {"a": 1}) == "/a is not expected"
    many = {"properties": {f"p{number}": {} for number in range(30)}, "additionalProperties": False}
    assert message(many, {"a": 1}).endswith("p18, p19, …")


@pytest.mark.parametrize(
    ("schema", "value", "said"),
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
        (
            {"minLength": 2, "pattern": "^a"},
            "b",
            '/v: expected a length of at least 2 and text that matches the pattern "^a", got string "b"',
        ),
        (
            {"prefixItems": [{}, {}], "items": False},
            [1, 2, 3],
            "/v: expected at most 2 items, got array [1, 2, 3]",
        ),
        (
            {"anyOf": [TEXT | {"minLength": 2}, TEXT | {"pattern": "^a"}]},
            "b",
            (
                "/v: expected a value that fits one of 2 alternatives "
                '(/v: expected a length of at least 2, got string "b"; '
                '/v: expected text that matches the pattern "^a", got string "b"), got string "b"'
            ),
        ),
    ],
)
def test_a_message_says_what_was_expected_and_what_came(schema, value, said):
    assert message({"properties": {"v": schema}}, {"v": value}) == said


def test_what_is_no_json_is_shown_as_python_writes_it():
    assert message({"properties": {"v": INTEGER}}, {"v": b"x"}) == (
        "/v: expected integer, got value \"b'x'\""
    )


def test_a_message_is_short_whatever_came():
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


# --- Unknown tools ------------------------------------------------------------------------------


def unknown(names, name):
    toolset = cogwire.Toolset([{"name": known} for known in names])
    checked = toolset.check({"name": name, "args": {"a": 1}})
    [problem] = checked.problems
    assert (checked.name, checked.args) == (name, {"a": 1})
    assert (problem["code"], problem["path"]) == ("unknown-tool", "")
    return problem["message"]


def test_an_unknown_tool_names_the_nearest_and_all_when_they_are_few():
    assert unknown(["read", "write"], "Reed") == (
        'No tool is called "Reed". Did you mean "read"? The tools are: read, write.'
    )
    assert unknown(["read", "write"], "WRITE") == (
        'No tool is called "WRITE". Did you mean "write"? The tools are: read, write.'
    )
    assert unknown(["read"], "zzz") == 'No tool is called "zzz". The tools are: read.'
    assert unknown([], "read") == 'No tool is called "read". The tools are: none.'


def test_many_tools_are_not_listed():
    names = [f"tool_{number:02}" for number in range(21)]
    said = unknown(names, "tool_20x")
    assert said.startswith('No tool is called "tool_20x". Did you mean "tool_20" or ')
    assert "The tools are" not in said


def test_a_name_is_shortened_in_the_message():
    assert len(unknown(["read"], "n" * 1_000_000)) < 150


# --- Calls --------------------------------------------------------------------------------------

CALL = '{"name": "t", "args": {"a": 1}}'


@pytest.mark.parametrize(
    "call",
    [
        {"type": "call", "content": CALL},
        {"type": "call", "content": CALL, "timestamp": 1.5, "raw": CALL},
        CALL,
        f" {CALL}\n",
        '{"args": {"a": 1}, "why": null, "name": "t"}',
        {"name": "t", "args": {"a": 1}},
        {"name": "t", "args": {"a": 1}, "type": "call", "content": "other"},
    ],
)
def test_a_call_is_an_event_its_content_or_its_value(call):
    assert cogwire.Toolset([tool(OBJECT)]).check(call) == ("t", {"a": 1}, [])


@pytest.mark.parametrize(
    "call",
    [
        "",
        "[]",
        '"t"',
        '{"name": "t"',
        '{"name": "t", "args": []}',
        '{"name": "", "args": {}}',
        '{"name": 5, "args": {}}',
        '{"name": "execute", "args": {}}',
        '{"name": "t", "args": {"a": NaN}}',
        '{"name": "t", "args": {"a": 1, "a": 2}}',
        '{"name": "t", "args": ' + '{"a": ' * 100_000,
        {"type": "call"},
        {"type": "call", "content": {"name": "t", "args": {}}, "args": None},
        {"type": "execute"},
        {"type": "think", "content": CALL},
        {"name": "t", "args": None},
        None,
        5,
    ],
)
def test_what_is_no_call_is_misuse(call):
    with pytest.raises(ValueError, match="this is no call"):
        cogwire.Toolset([tool(OBJECT)]).check(call)


def test_arguments_are_handed_on_as_they_came():
    """Nothing is converted, and no default is filled in."""
    parameters = {"properties": {"a": {"type": "integer"}, "b": {"default": 1}}}
    args = {"a": "3", "z": [3.0]}
    checked = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args})
    assert checked.args is args
    assert args == {"a": "3", "z": [3.0]}


def test_a_checked_call_has_named_members():
    checked = cogwire.Toolset([tool(OBJECT)]).check(CALL)
    assert (checked.name, checked.args, checked.problems) == ("t", {"a": 1}, [])


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_arguments_that_are_too_deep_or_too_long_to_judge_are_a_bad_value():
    recursive = {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}
    too_deep = "the arguments are nested too deeply, or hold too long a number, to be judged"
    assert problems(recursive, nested(40)) == []
    assert message(recursive, nested(10_000)) == too_deep
    assert message({"properties": {"a": TEXT}}, {"a": 10**5000}) == too_deep
    assert problems({"properties": {"a": INTEGER}}, {"a": 10**5000}) == []


def doubled(leaf, join, links=60):
    """Return a schema in which each definition refers to the next one twice."""
    definitions = {f"a{link}": join(f"#/$defs/a{link + 1}") for link in range(links)}
    return {"$ref": "#/$defs/a0", "$defs": definitions | {f"a{links}": leaf}}


def twice(keyword):
    return lambda reference: {keyword: [{"$ref": reference}, {"$ref": reference}]}


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        (doubled({"required": ["x"]}, twice("allOf")), ["missing-arg"]),
        (doubled({"required": ["x"]}, twice("anyOf")), ["bad-value"]),
        (doubled({}, twice("oneOf")), ["bad-value"]),
        (
            doubled({"required": ["x"]}, lambda to: {"if": {"$ref": to}, "else": {"$ref": to}}),
            ["missing-arg"],
        ),
        (
            doubled({"properties": {"a": {}}}, twice("allOf")) | {"unevaluatedProperties": False},
            ["unexpected-arg"],
        ),
        (
            doubled({"properties": {"a": {}}}, lambda to: {"$ref": to, "$dynamicRef": to})
            | {"unevaluatedProperties": False},
            ["unexpected-arg"],
        ),
    ],
)
def test_schemas_that_refer_to_each_other_twice_take_no_longer(schema, codes):
    assert problems(schema, {"a": 1, "b": 2}) == [
        (code, {"missing-arg": "/x", "unexpected-arg": "/b"}.get(code, "")) for code in codes
    ]


def test_a_type_whose_alternatives_hold_it_judges_what_goes_deep():
    """Without a record, each level of the value would double the work."""
    branches = [{"required": [name], "properties": {"a": {"$ref": "#"}}} for name in ("x", "y")]
    value = {"y": 1}
    for _ in range(100):
        value = {"a": value, "y": 1}
    assert problems({"anyOf": branches}, value) == []
    value["a"]["y"] = False
    del value["y"]
    assert problems({"anyOf": branches}, value) == [("bad-value", "")]


def allow(monkeypatch, steps):
    """Let one question take so much work."""
    module = importlib.import_module(f"{cogwire.__name__}._toolset")
    work = functools.partial(module.Work, steps)
    monkeypatch.setattr(module, "Work", work)


def test_what_takes_too_much_work_to_judge_is_a_bad_value(monkeypatch):
    """In every dialect; and nothing was converted."""
    allow(monkeypatch, 10_000)
    too_much = [("bad-value", "")]
    assert value_problems({"pattern": "a{1,900}b"}, "a" * 900) == too_much
    assert problems({"allOf": [{}] * 30}, {str(number): 1 for number in range(400)}) == too_much
    schema = {"properties": {"v": {"type": "integer"}}, "patternProperties": {"a{1,900}b": {}}}
    toolset = cogwire.Toolset([tool(schema)], "xml-elements")
    args = {"v": "2", "a" * 900: "1"}
    assert toolset.check({"name": "t", "args": args}) == (
        "t",
        args,
        [
            {
                "code": "bad-value",
                "path": "",
                "message": "to judge the arguments takes too much work",
            }
        ],
    )


def test_a_long_chain_of_references_ends():
    """Judged, or one problem; it depends on how deep the caller is."""
    for links, codes in ((200, [("missing-arg", "/x")]), (2_000, [("bad-value", "")])):
        chain = doubled({"required": ["x"]}, lambda to: {"$ref": to}, links)
        assert problems(chain, {}) == codes


def test_patterns_that_may_take_any_time_are_refused_unless_an_engine_is_chosen():
    schema = {"properties": {"a": {"pattern": "^(?!-).*$"}}}
    said = refusal(tool({}, "good"), tool(schema, "bad"))
    assert said.startswith("tools[1]: tool 'bad': at '/properties/a/pattern': \"^(?!-).*$\"")
    assert "`patterns`" in said
    toolset = cogwire.Toolset([tool(schema)], patterns=re.compile)
    found = [toolset.check({"name": "t", "args": {"a": text}}).problems for text in ("a", "-a")]
    assert [[problem["code"] for problem in each] for each in found] == [[], ["bad-value"]]
    with pytest.raises(ValueError, match=r"at '/pattern'.*refused by `patterns`"):
        cogwire.Toolset([tool({"pattern": "("})], patterns=re.compile)


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
    assert value_problems({"const": 1}, True) == [("not-in-enum", "/v")]


def test_values_of_classes_of_their_own_are_what_they_derive_from():
    class Members(dict): ...

    class Items(list): ...

    assert value_problems({"type": "object", "required": ["a"]}, Members(a=1)) == []
    assert value_problems({"type": "array", "maxItems": 1}, Items("ab")) == [("bad-value", "/v")]
    assert value_problems({"type": "integer"}, Level.LOW) == []
    assert value_problems({"type": "integer"}, float("inf")) == [("bad-type", "/v")]
    assert value_problems({"type": "string"}, b"a") == [("bad-type", "/v")]
    assert value_problems({"enum": ["a"]}, b"a") == [("not-in-enum", "/v")]


@pytest.mark.parametrize(
    ("schema", "value", "codes"),
    [
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1], []),
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], ["bad-value"]),
        ({"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}, [1, None], []),
        ({"contains": {"const": 1}, "unevaluatedItems": False}, [1, 1], []),
        ({"contains": {"const": 1}, "unevaluatedItems": False}, [1, 2], ["bad-value"]),
        ({"allOf": [{"items": {}}], "unevaluatedItems": False}, [1, 2], []),
        ({"anyOf": [{"items": INTEGER}, {}], "unevaluatedItems": False}, ["a"], ["bad-value"]),
        ({"allOf": [{"unevaluatedItems": {}}], "unevaluatedItems": False}, [1], []),
        ({"allOf": [True], "unevaluatedItems": False}, [1], ["bad-value"]),
        ({"contains": {"const": 1}, "minContains": 2}, [1, 2], ["bad-value"]),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], ["bad-value"]),
        ({"contains": {"const": 1}, "minContains": 0}, [2], []),
        ({"contains": {"const": 1}}, [2], ["bad-value"]),
    ],
)
def test_items_that_no_other_keyword_evaluates(schema, value, codes):
    assert [code for code, _ in value_problems(schema, value)] == codes


@pytest.mark.parametrize(
    ("schema", "value", "names"),
    [
        ({"if": {"properties": {"a": INTEGER}}, "then": {"properties": {"b": {}}}}, {"a": 1}, []),
        ({"if": {"properties": {"a": INTEGER}}, "then": {}}, {"a": 1, "b": 1}, ["b"]),
        ({"if": {"properties": {"a": INTEGER}}, "else": {}}, {"a": "x"}, ["a"]),
        ({"dependentSchemas": {"a": {"properties": {"a": {}}}}}, {"a": 1, "b": 1}, ["b"]),
        ({"dependentSchemas": {"b": {"properties": {"a": {}}}}}, {"a": 1}, ["a"]),
        ({"patternProperties": {"^a": {}}}, {"ab": 1, "b": 1}, ["b"]),
        ({"allOf": [{"additionalProperties": {}}]}, {"a": 1}, []),
        ({"allOf": [{"unevaluatedProperties": {}}]}, {"a": 1}, []),
        ({"$ref": "#/$defs/a"}, {"a": 1, "b": 1}, ["b"]),
        ({"$dynamicRef": "#/$defs/a"}, {"a": 1, "b": 1}, ["b"]),
        ({"anyOf": [{"properties": {"a": {}}}, False]}, {"a": 1, "b": 1}, ["b"]),
    ],
)
def test_members_that_no_other_keyword_evaluates(schema, value, names):
    closed = {**schema, "unevaluatedProperties": False, "$defs": {"a": {"properties": {"a": {}}}}}
    assert problems(closed, value) == [("unexpected-arg", f"/{name}") for name in names]


@pytest.mark.parametrize(
    "applied",
    [
        {"$ref": "#/$defs/a"},
        {"$dynamicRef": "#/$defs/a"},
        {"allOf": [{"$ref": "#/$defs/a"}]},
        {"if": {}, "then": {"$ref": "#/$defs/a"}},
        {"if": False, "else": {"$ref": "#/$defs/a"}},
        {"dependentSchemas": {"a": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]},
        {"oneOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]},
    ],
)
def test_a_schema_that_is_broken_declares_its_members_nevertheless(applied):
    """One wrong value does not make the members beside it unexpected."""
    definition = {"properties": {"a": INTEGER, "b": {}}}
    schema = {**applied, "unevaluatedProperties": False, "$defs": {"a": definition}}
    args = {"a": "x", "b": 1, "c": 1}
    assert problems(schema, args) == [("bad-type", "/a"), ("unexpected-arg", "/c")]


def test_not_judges_by_itself_and_says_what_may_not_be():
    assert value_problems({"not": NULL}, 1) == []
    said = message({"properties": {"v": {"not": NULL}}}, {"v": None})
    assert said == '/v: expected a value that does not fit {"type": "null"}, got null'


def test_a_pattern_may_stand_in_several_places():
    schema = {"properties": {name: {"pattern": "^a"} for name in "ab"}}
    assert problems(schema, {"a": "b", "b": "a"}) == [("bad-value", "/a")]


def test_a_schema_that_takes_too_much_work_to_read_is_refused(monkeypatch):
    allow(monkeypatch, 100)
    said = refusal(tool({"properties": {f"p{number}": {} for number in range(100)}}))
    assert said == "tools[0]: tool 't': its schema is too large"


def test_names_given_twice_in_required_are_found_in_long_lists():
    names = [f"n{number}" if number % 2 else number for number in range(2_000)]
    assert "at '/required" in refusal(tool({"required": names}))
    assert "at '/required'" in refusal(tool({"required": ["a", "b", "a"]}))


def test_keywords_of_objects_say_nothing_of_other_values():
    keywords = {
        "properties": {"a": False},
        "patternProperties": {"a": False},
        "additionalProperties": False,
        "unevaluatedProperties": False,
        "propertyNames": False,
        "required": ["a"],
        "dependentRequired": {"a": ["b"]},
    }
    for value in (None, "a", 1, ["a"]):
        assert value_problems(keywords, value) == []


# --- The schema of a block ----------------------------------------------------------------------


def test_the_schema_of_a_block():
    toolset = cogwire.Toolset([tool(OBJECT, "a b"), tool({"maxProperties": 1}, "c")])
    assert toolset.schema() == {
        "$schema": DRAFT,
        "title": "Calls",
        "description": "The calls of one block, each valid for its tool.",
        "type": "array",
        "maxItems": 256,
        "items": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "name": {"const": "a b"},
                        "args": {"$id": "urn:cogwire:tool:a%20b", **OBJECT},
                    },
                    "required": ["name", "args"],
                },
                {
                    "type": "object",
                    "properties": {
                        "name": {"const": "c"},
                        "args": {
                            "type": "object",
                            "allOf": [{"$id": "urn:cogwire:tool:c", "maxProperties": 1}],
                        },
                    },
                    "required": ["name", "args"],
                },
            ]
        },
    }


@pytest.mark.parametrize("tools", [[], [search, Closed, tool(REFERENCES[4])]])
def test_the_schema_of_a_block_is_valid_by_the_metaschema(tools):
    jsonschema.Draft202012Validator.check_schema(cogwire.Toolset(tools).schema())


def test_the_schema_of_a_block_without_tools_takes_the_empty_block_alone():
    whole = jsonschema.Draft202012Validator(cogwire.Toolset([]).schema())
    assert whole.is_valid([])
    assert not whole.is_valid([{"name": "a", "args": {}}])


@pytest.mark.parametrize(
    ("block", "valid"),
    [
        ([], True),
        ([{"name": "t", "args": {"a": 1}}] * 256, True),
        ([{"name": "t", "args": {"a": 1}}] * 257, False),
        ([{"name": "t", "args": {"a": 1}, "why": 1}], True),
        ([{"name": "t", "args": {"a": 1}}, {"name": "t", "args": {}}], False),
        ([{"name": "u", "args": {"a": 1}}], False),
        ([{"name": "t"}], False),
        ([{"args": {"a": 1}}], False),
        ([{"name": "n", "args": None}], False),
        ([{"name": "n", "args": {}}], True),
        ({"name": "t", "args": {"a": 1}}, False),
    ],
)
def test_the_schema_of_a_block_takes_calls_without_problems(block, valid):
    """A tool whose schema takes more than objects is given objects nevertheless."""
    toolset = cogwire.Toolset([tool(OBJECT), tool({"type": ["object", "null"]}, "n")])
    assert jsonschema.Draft202012Validator(toolset.schema()).is_valid(block) is valid


# --- Any schema, any arguments ------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "a/b", "~", "", "é"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3, width=16),
    st.text("ab😀", max_size=3),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def schemas(inner):
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    count = st.integers(0, 2)
    keywords = {
        "type": TYPES | st.lists(TYPES, min_size=1, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": st.integers(-3, 3),
        "exclusiveMaximum": st.integers(-3, 3),
        "multipleOf": st.integers(1, 3),
        "minLength": count,
        "maxLength": count,
        "pattern": st.sampled_from(["^a", "b$", "😀"]),
        "minItems": count,
        "maxItems": count,
        "uniqueItems": st.booleans(),
        "items": inner,
        "prefixItems": several,
        "contains": inner,
        "minContains": count,
        "maxContains": count,
        "unevaluatedItems": inner,
        "properties": named,
        "patternProperties": st.dictionaries(st.sampled_from(["a", "^$"]), inner, max_size=2),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "propertyNames": inner,
        "required": st.lists(NAMES, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True), max_size=2),
        "dependentSchemas": named,
        "minProperties": count,
        "maxProperties": count,
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
    }
    return st.fixed_dictionaries({}, optional=keywords).map(
        lambda schema: dict(list(schema.items())[:6])
    ) | st.sampled_from(sorted(keywords)).flatmap(
        lambda keyword: keywords[keyword].map(lambda value: {keyword: value})
    )


SCHEMAS = st.recursive(
    st.booleans() | st.sampled_from([{"$ref": "#/$defs/leaf"}, {"$ref": "#leaf"}, {}]),
    schemas,
    max_leaves=6,
)
CODES = {"missing-arg", "unexpected-arg", "bad-type", "not-in-enum", "bad-value"}


@given(schemas(SCHEMAS), st.dictionaries(NAMES, VALUES, max_size=3))
def test_problems_are_well_formed_and_there_exactly_when_the_arguments_are_invalid(schema, args):
    """What is valid is said by the stock validator, and by the schema of a block."""
    schema |= {"$defs": {"leaf": {"$anchor": "leaf", "type": ["string", "object"]}}}
    toolset = cogwire.Toolset([tool(schema)])
    found = toolset.check({"name": "t", "args": args}).problems
    valid = jsonschema.Draft202012Validator(schema).is_valid(args)
    assert (found == []) is valid
    whole = jsonschema.Draft202012Validator(toolset.schema())
    assert whole.is_valid([{"name": "t", "args": args}]) is valid
    places = [(problem["path"], problem["code"]) for problem in found]
    assert places == sorted(set(places))
    mistyped = {path for path, code in places if code == "bad-type"}
    for problem in found:
        assert problem.keys() == {"code", "path", "message"}
        assert problem["code"] in CODES
        assert (
            problem["code"] not in {"not-in-enum", "bad-value"} or problem["path"] not in mistyped
        )
        assert stands(problem["path"], args, missing=problem["code"] == "missing-arg")
        assert problem["message"].startswith(problem["path"] or "the arguments")
    assert json.loads(json.dumps(found)) == found


def stands(path, value, *, missing):
    """Whether a JSON Pointer leads to a value or, if `missing`, to a member that is not there."""
    *holders, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    for step in holders[1:]:
        value = value[int(step) if isinstance(value, list) else step]
    if missing:
        return last not in value
    return not holders or (int(last) < len(value) if isinstance(value, list) else last in value)


# --- Without and with jsonschema ----------------------------------------------------------------


def test_without_jsonschema_a_toolset_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(ImportError, match=r"pip install 'cogwire\[tools\]'"):
        cogwire.Toolset([])


def test_an_item_that_may_not_be_there_is_bad_itself():
    """Its own schema is `false`; an item behind all the listed ones is a fault of the array."""
    assert value_problems({"prefixItems": [True, False]}, ["a", "b"]) == [("bad-value", "/v/1")]
    assert value_problems({"prefixItems": [True, False]}, ["a"]) == []
    assert value_problems({"prefixItems": [True], "items": False}, [1, 2]) == [("bad-value", "/v")]
    assert value_problems({"prefixItems": [{"type": "string"}]}, [1]) == [("bad-type", "/v/0")]
    assert value_problems({"prefixItems": [False]}, "no array") == []
