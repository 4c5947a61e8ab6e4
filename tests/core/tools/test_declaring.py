"""How tools are declared: the shapes of APIs, typed functions, pydantic models."""

import __future__

import asyncio
import copy
import enum
import functools
import inspect
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NewType, Optional, Tuple, TypedDict  # noqa: UP035

import annotated_types
import pydantic
import pytest
import typing_extensions
from typing_extensions import Doc, NotRequired, ReadOnly, Required, TypeAliasType

from tests import cogwire
from tests.core.tools.helpers import parameters_of, refusal, tool
from tests.rows import rows

# --- Declaring tools --------------------------------------------------------------------------------
STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"file": STRING}, "required": ["file"]}


READ = {"name": "read", "description": "Read a file."}


def closed(required=(), **properties):
    """Return the schema of an object with these members alone, of which some may be required."""
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": [*required]} if required else schema


@pytest.mark.parametrize(
    "declaration",
    [
        {"type": "function", "function": {**READ, "parameters": SCHEMA}},
        {"type": "function", **READ, "parameters": SCHEMA, "strict": True},
        {**READ, "input_schema": SCHEMA},
        {**READ, "title": "Read", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
        {**READ, "parameters": SCHEMA},
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


@rows("declaration", [{"name": "now"}, {"name": "now", "parameters": None, "description": None}])
def test_a_tool_without_parameters_accepts_every_object(declaration):
    toolset = cogwire.Toolset([declaration])
    assert toolset.tools[0].description == ""
    assert toolset.tools[0].parameters == {"type": "object", "properties": {}}
    assert toolset.check({"name": "now", "args": {"any": [1]}}).problems == []


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


@rows(
    ("declaration", "reason"),
    [
        ({"name": ""}, "a non-empty string"),
        ({"name": 5}, "a non-empty string"),
        ({"description": "nameless"}, "a non-empty string"),
        ({"name": "execute"}, "'execute' is reserved"),
        ({"name": "a"}, "a tool called 'a' already"),
        ({"name": "\ud800"}, "surrogates"),
        ({"name": "b", "description": 5}, "'b': its description must be a string"),
        ({"type": "function", "function": "b"}, "`function` is an object"),
        ({"name": "b", "parameters": {}, "input_schema": {}}, "one of parameters, input_schema"),
        ({"name": "b", "parameters": True}, "'b': its schema must be an object"),
        ({"name": "b", "parameters": {"default": {1}}}, "'b': its schema is not JSON"),
        ({"name": "b", "parameters": {"minimum": float("nan")}}, "'b': its schema is not JSON"),
    ],
)
def test_an_invalid_definition_is_refused_with_its_index(declaration, reason):
    message = refusal({"name": "a"}, declaration)
    assert message.startswith("tools[1]: ")
    assert reason in message


@rows(
    "declaration",
    [
        *(5, "read", None, dict, [SCHEMA]),
        *(SimpleNamespace(name="read"), SimpleNamespace(parameters=SCHEMA)),
    ],
)
def test_a_value_that_declares_no_tool_is_a_type_error_with_its_index(declaration):
    with pytest.raises(TypeError, match=r"^tools\[1\]: .*a function"):
        cogwire.Toolset([{"name": "a"}, declaration])


@rows("kind", ["Node", "Start"])
def test_a_class_is_refused_with_the_way_to_pass_it(kind):
    """A dataclass or a TypedDict declares arguments, and nothing that runs."""
    with pytest.raises(TypeError, match=f"not the class {kind}; wrap it in a function"):
        cogwire.Toolset([globals()[kind]])


# --- Typed functions --------------------------------------------------------------------------------
class Mode(enum.Enum):
    READ = "r"
    WRITE = "w"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Bytes(enum.Enum):
    RAW = b"r"


class Empty(enum.Enum):
    pass


class Start(TypedDict):
    start: int


class Range(Start, total=False):
    stop: int


@dataclass
class Node:
    value: int
    children: "list[Node]" = field(default_factory=list)
    label: str = ""
    count: int = field(default=0, init=False)


UserId = NewType("UserId", int)


def search(
    text: Annotated[str, "What to look for."], mode: Mode = Mode.READ, *, limit: int | None = None
):
    """Look for
    a text.

    The rest is for people.
    """  # noqa: D205 (the first paragraph has two lines)


def taking(annotation):
    """Return a function of one argument, `x`."""

    def function(x): ...

    function.__annotations__ = {"x": annotation}
    return function


def test_a_function_declares_its_name_docstring_and_parameters():
    """The first paragraph of the docstring describes it; what has no default is required."""
    [declared] = cogwire.Toolset([search]).tools
    assert (declared.name, declared.description) == ("search", "Look for a text.")
    assert declared.parameters == closed(
        ["text"],
        text={"type": "string", "description": "What to look for."},
        mode={"type": "string", "enum": ["r", "w"], "default": "r"},
        limit={"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    )


def test_a_function_without_docstring_or_parameters():
    def ping(): ...

    [declared] = cogwire.Toolset([ping]).tools
    assert declared.description == ""
    assert declared.parameters == closed()


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
    (Tuple, {"type": "array"}),  # noqa: UP006
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
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
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


@rows(("annotation", "schema"), ANNOTATIONS)
def test_an_annotation_has_its_schema(annotation, schema):
    assert parameters_of(taking(annotation))["properties"] == {"x": schema}


def test_classes_are_definitions_and_may_be_recursive():
    def function(node: Node, ranges: list[Range]): ...

    parameters = parameters_of(function)
    assert parameters["properties"] == {
        "node": {"$ref": "#/$defs/Node"},
        "ranges": {"type": "array", "items": {"$ref": "#/$defs/Range"}},
    }
    assert parameters["$defs"] == {
        "Node": closed(
            ["value"],
            value={"type": "integer"},
            children={"type": "array", "items": {"$ref": "#/$defs/Node"}},
            label={"type": "string", "default": ""},
        ),
        "Range": closed(["start"], start={"type": "integer"}, stop={"type": "integer"}),
    }


class Loose(TypedDict, total=False):
    first: Required[str]
    second: Annotated[str, "The second."]


class Quoted(TypedDict):
    a: "int"
    b: "NotRequired[int]"
    c: NotRequired[int]


class Extended(typing_extensions.TypedDict):
    a: ReadOnly[typing_extensions.Any]
    b: NotRequired[int]


def test_each_member_of_a_class_may_be_marked_as_required():
    """In Python 3.10, which has no marks, by those of `typing_extensions`."""

    def function(loose: Loose, quoted: Quoted, extended: Extended): ...

    parameters = parameters_of(function)
    assert parameters["$defs"] == {
        "Loose": closed(
            ["first"],
            first={"type": "string"},
            second={"type": "string", "description": "The second."},
        ),
        "Quoted": closed(["a"], **{name: {"type": "integer"} for name in "abc"}),
        "Extended": closed(["a"], a={}, b={"type": "integer"}),
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


def test_members_of_a_class_keep_their_defaults():
    """Those that JSON can express; a factory is not called."""

    @dataclass
    class Options:
        mode: Mode = Mode.WRITE
        node: Node | None = None
        names: list[str] = field(default_factory=list)
        raw: Any = b"x"
        seed: InitVar[int] = 3

    schema = parameters_of(taking(Options))["$defs"]["Options"]
    assert schema["required"] == []
    assert {
        name: member["default"]
        for name, member in schema["properties"].items()
        if "default" in member
    } == {"mode": "w", "node": None, "seed": 3}


@rows("default", [object(), float("inf"), b"x"])
def test_a_default_that_json_cannot_represent_is_left_out(default):
    def function(it: Any = default): ...

    parameters = parameters_of(function)
    assert parameters["properties"] == {"it": {}}
    assert "required" not in parameters


def test_other_arguments_are_forbidden_unless_the_function_accepts_them():
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


class Unbound:
    def method(self, file: str): ...
    def of_class(cls, file: str): ...  # noqa: N805
    def annotated(self: int, file: str): ...
    def second(file: str, self): ...  # noqa: N805


@rows(
    ("function", "names"),
    [
        (Unbound().method, ["file"]),
        (functools.partial(Unbound.method, Unbound()), ["file"]),
        (functools.partial(Unbound.method, self=Unbound()), ["file"]),
        (Unbound.annotated, ["self", "file"]),
        (Unbound.second, ["file", "self"]),
    ],
)
def test_other_parameters_may_be_called_self(function, names):
    assert list(parameters_of(function)["properties"]) == names


def yielding(file: str):
    yield file


async def yielding_async(file: str):
    yield file


class Yielding:
    def __call__(self, file: str):
        yield file


def positional(a: int, /): ...
def starred(*a: int): ...
def unknown_name(a: "Missing"): ...  # noqa: F821
def broken_text(a: "1 +"): ...  # noqa: F722
def empty_text(a: ""): ...  # noqa: F722
def failing_text(a: "int[1 / 0]"): ...


class Reader:
    """Return the text of a file."""

    def __init__(self, files):
        self.files = files

    def __call__(self, file: "Name") -> str:
        return self.files[file]


Name = str


def read_in(folder: str, file: str, *, mode: str = "text", **rest: int) -> str:
    """Return the text of a file."""
    return f"{folder}/{file}"


def decorated(function):
    @functools.wraps(function)
    def wrapper(**args): ...

    return wrapper


IN_A = decorated(functools.partial(read_in, folder="a"))
SIGNED = decorated(functools.partial(read_in, file="a"))
SIGNED.__signature__ = inspect.signature(yielding)


def lazy(source):
    """Return a function `f` whose annotations may be of names for type checkers alone."""
    flags = 0 if sys.version_info >= (3, 14) else __future__.annotations.compiler_flag
    exec(compile(source, "f", "exec", flags), names := {})  # noqa: S102
    return names["f"]


@rows(
    ("function", "name", "properties"),
    [
        (lazy("def f(file: str) -> Missing: ..."), "f", {"file": STRING}),
        (IN_A, "wrapper", {"file": STRING, "mode": {**STRING, "default": "text"}, "folder": False}),
        (
            decorated(functools.partial(IN_A, mode="lines")),
            "wrapper",
            {"file": STRING, "mode": False, "folder": False},
        ),
        (SIGNED, "wrapper", {"file": STRING}),
        (Reader({}), "Reader", {"file": {"type": "string"}}),
        (
            functools.partial(read_in, "/tmp", mode="lines"),  # noqa: S108 (no such file is made)
            "read_in",
            {"file": {"type": "string"}, "mode": False},
        ),
        (functools.partial(functools.partial(Reader({}).__call__)), "__call__", {"file": STRING}),
        (functools.partial(Reader({}), file="a"), "Reader", {}),
    ],
)
def test_whatever_can_be_called_declares_a_tool(function, name, properties):
    """What a partial has bound is not the model's to give."""
    [declared] = cogwire.Toolset([function]).tools
    assert (declared.name, declared.description) == (name, "Return the text of a file.") or (
        name in ("__call__", "f")
    )
    assert declared.parameters["properties"] == properties


class Schema(pydantic.BaseModel):
    file: str


def read_file(file: str) -> str:
    return file


class Called:
    name, description, parameters = "read", "Read a file.", SCHEMA

    def __call__(self, file): ...


CALLED = Called()
TOOL = type(cogwire.Toolset([read_file]).tools[0])


def objects(**members):
    return SimpleNamespace(name="read", description="Read a file.", **members)


@rows(
    ("definition", "function"),
    [
        (objects(inputSchema=SCHEMA, title=None), None),
        (objects(input_schema=SCHEMA), None),
        (objects(parameters=SCHEMA), None),
        (objects(params_json_schema=SCHEMA, on_invoke_tool=read_file), None),
        (objects(parameters_json_schema=SCHEMA), None),
        (objects(parameters=SCHEMA, function=read_file, needs_approval=True), None),
        (CALLED, CALLED),
        (TOOL("read", "Read a file.", SCHEMA, read_file), read_file),
    ],
)
def test_the_objects_of_frameworks_declare_tools(definition, function):
    """MCP, Anthropic, any, openai-agents; what runs is the object, and no function that it holds."""
    toolset = cogwire.Toolset([definition])
    [declared] = toolset.tools
    assert (declared.name, declared.description) == ("read", "Read a file.")
    assert declared.parameters["properties"]["file"]["type"] == "string"
    assert declared.function is function
    assert toolset.functions == ({"read": function} if function else {})


def test_an_object_needs_no_description():
    definition = SimpleNamespace(name="read", parameters=SCHEMA)
    assert cogwire.Toolset([definition]).tools == (TOOL("read", "", SCHEMA),)


def test_why_a_tool_has_no_function_is_a_warning():
    """Also in a toolset of its tools."""
    toolset = cogwire.Toolset([TOOL("ask", "", SCHEMA, unbound="only its agent asks")])
    assert toolset.functions == {}
    reason = "it has no function to run, since only its agent asks"
    assert toolset.warnings == (f"tool 'ask': {reason}",)
    assert cogwire.Toolset(toolset.tools).warnings == toolset.warnings


class OfLangChain:
    """Has what a tool of LangChain has, which can be called in its older versions."""

    name, description, tool_call_schema = "read", "Read a file.", Schema

    def __call__(self, file): ...


class OfPydanticAI:
    name, function = "read", read_file

    @property
    def tool_def(self):
        raise AssertionError("it is not evaluated")


@rows(("definition", "bridge"), [(OfLangChain(), "langchain"), (OfPydanticAI(), "pydantic_ai")])
def test_a_tool_of_a_library_with_a_bridge_is_not_bypassed(definition, bridge):
    """What runs is for the bridge to say."""
    message = f"tools[0]: a tool of {bridge} is declared by its bridge: bridges.{bridge}.tool(…)"
    with pytest.raises(TypeError) as refusal:
        cogwire.Toolset([definition])
    assert str(refusal.value) == message
    [refused] = cogwire.Toolset([definition], strict=False).refused
    assert refused.name == "read"


def test_a_toolset_keeps_its_functions():
    """Also those that another toolset declared."""
    reader = Reader({})
    toolset = cogwire.Toolset([read_file, reader, {"name": "other"}])
    assert toolset.functions == {"read_file": read_file, "Reader": reader}
    assert cogwire.Toolset(toolset.tools).functions == toolset.functions


class Files:
    """An object that has a toolset of its own methods."""

    def __init__(self):
        self.toolset = cogwire.Toolset([self.read], "xml-elements")

    def read(self, lines: int): ...


@rows(
    "copied",
    [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))],  # noqa: S301
)
def test_a_toolset_is_copied_and_pickled_with_its_functions(copied):
    """Its caches are made again, since they depend on the identity of schemas."""
    first = cogwire.Toolset([tool(SCHEMA, "other"), read_file, search])
    second = copied(first)
    assert second.tools == first.tools
    assert cogwire.render_prompt(second, "xml-json") == cogwire.render_prompt(first)
    assert second.functions == first.functions
    assert second.dialect == "xml-json"
    call = {"name": "search", "args": {"text": 1, "mode": "r"}}
    assert second.check(call) == first.check(call)
    # Whichever of the two is pickled first.
    for again in (copied(Files().toolset), copied(Files()).toolset):
        assert again.functions["read"].__self__.toolset.names == ("read",)
        assert again.check({"name": "read", "args": {"lines": "3"}}) == ("read", {"lines": 3}, [])


# --- Constraints ------------------------------------------------------------------------------------
class Inner(pydantic.BaseModel):
    n: int = pydantic.Field(gt=0)


class Outer(pydantic.BaseModel):
    inner: Inner


@pydantic.dataclasses.dataclass
class Checked:
    n: int = pydantic.Field(ge=3)


@dataclass
class Sized:
    n: int = pydantic.Field(gt=0)
    m: InitVar[int] = pydantic.Field(default=3, le=9)  # noqa: RUF009


@dataclass
class Initial:
    a: int
    b: InitVar[str]
    c: InitVar[int] = 1


@rows(
    ("annotation", "named"),
    [
        *((Mode, "Mode"), (list[Node] | Mode, "Node, Mode"), (Outer, "Outer"), (Level, "")),
        *((Range, ""), (Annotated[Outer, pydantic.Field(description="a")], "Outer")),
        (Extended, ""),
        (Annotated[date, pydantic.Field(description="a")], "date"),
    ],
)
def test_that_a_function_gets_no_instances_is_a_warning(annotation, named):
    """Of an enumeration whose members are numbers or texts, it gets what equals them."""
    hint = "its function gets plain JSON values; build the objects in the function"
    expected = f"tool 'function': where it declares {named}, {hint}"
    warnings = cogwire.Toolset([taking(annotation)]).warnings
    assert warnings == ((expected,) if named else ())


#: As the `type` statement makes them, which evaluates the value when it is asked for.
Json = type(
    "TypeAliasType", (), {"__name__": "Json", "__value__": property(lambda _: int | list[Json])}
)()
Positive = TypeAliasType("Positive", Annotated[int, annotated_types.Gt(0)])


@rows(
    ("annotation", "good", "bad", "found"),
    [
        (Annotated[int, pydantic.Field(gt=0)], 1, 0, "bad-value /x"),
        (Annotated[int, annotated_types.Gt(0), "many"], 1, 0, "bad-value /x"),
        (Annotated[str, annotated_types.Len(1, 2)], "ab", "", "bad-value /x"),
        (
            list[Annotated[int, annotated_types.Interval(ge=0, lt=9)]],
            [0],
            [9],
            "bad-value /x/0",
        ),
        (Inner, {"n": 1}, {"n": 0}, "bad-value /x/n"),
        (list[Inner] | None, [{"n": 1}], [{"n": 0}], "bad-value /x/0/n"),
        (
            Annotated[Inner, pydantic.Field(description="d")],
            {"n": 1},
            {"n": 0},
            "bad-value /x/n",
        ),
        (Checked, {"n": 3}, {"n": 2}, "bad-value /x/n"),
        (Initial, {"a": 1, "b": "x", "c": 2}, {"a": 1, "c": 2}, "missing-arg /x/b"),
        (Sized, {"n": 1}, {"n": 0}, "bad-value /x/n"),
        (Sized, {"n": 1, "m": 9}, {"n": 1, "m": 10}, "bad-value /x/m"),
        (Sized, {"n": 1}, {"m": 9}, "missing-arg /x/n"),
        (tuple[()], [], [1], "bad-value /x"),
        (tuple, [1], 1, "bad-type /x"),
        (Json, [[1], 2], [["a"]], ""),
        (Positive, 1, 0, "bad-value /x"),
    ],
)
def test_what_an_annotation_demands_is_honoured(annotation, good, bad, found):
    """By pydantic's own schema, where the annotation is for pydantic."""
    toolset = cogwire.Toolset([taking(annotation)])
    assert toolset.check({"name": "function", "args": {"x": good}}).problems == []
    problems = toolset.check({"name": "function", "args": {"x": bad}}).problems
    texts = [f"{each['code']} {each['path']}" for each in problems]
    assert texts == [found] if found else texts


def test_a_description_in_a_field_or_a_note_is_the_argument_s():
    """And a field may be where a default would."""

    def function(
        a: Annotated[int, pydantic.Field(description="first")],
        b: Annotated[int, Doc("second")],
        c: int = pydantic.Field(3, gt=0, description="third"),
        d: int = pydantic.Field(gt=0),
    ): ...

    parameters = parameters_of(function)
    assert [each["description"] for each in list(parameters["properties"].values())[:3]] == [
        *("first", "second", "third")
    ]
    assert parameters["properties"]["c"]["default"] == 3
    assert parameters["required"] == ["a", "b", "d"]


def test_definitions_of_one_name_are_kept_apart():
    """Those of pydantic too."""

    def other():
        @dataclass
        class Inner:
            m: int

        return Inner

    def function(a, b, c): ...

    function.__annotations__ = {"a": other(), "b": Outer, "c": list[Outer]}
    toolset = cogwire.Toolset([function])
    args = {"a": {"m": 1}, "b": {"inner": {"n": 1}}, "c": [{"inner": {"n": 1}}]}
    assert toolset.check({"name": "function", "args": args}).problems == []


def test_constraints_without_pydantic_are_refused(monkeypatch):
    """They are pydantic's to read."""
    monkeypatch.delitem(sys.modules, "pydantic")
    function = taking(Annotated[int, annotated_types.Gt(0)])
    assert "needs pydantic, which is not imported" in refusal(function)


# --- Pydantic models --------------------------------------------------------------------------------
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


def test_the_repr_of_a_toolset_names_its_tools():
    tools = [{"name": f"t{number}", "parameters": {}} for number in range(21)]
    assert repr(cogwire.Toolset([])) == "<Toolset xml-json: no tools>"
    assert repr(cogwire.Toolset(tools[:2], "delimiter")) == "<Toolset delimiter: t0, t1>"
    assert repr(cogwire.Toolset(tools)).endswith(", t19 and 1 more>")


@rows(
    ("tools", "kind"),
    [
        ({"name": "a"}, "dict"),
        (print, "builtin_function_or_method"),
        ("a", "str"),
        (None, "NoneType"),
    ],
)
def test_a_value_that_is_not_a_list_of_tools_is_refused(tools, kind):
    """A single tool, too."""
    with pytest.raises(TypeError, match=rf"takes a list of tools, as in .*, not {kind}$"):
        cogwire.Toolset(tools)


# --- Defaults of fields -----------------------------------------------------------------------------
def limited(
    word: str,
    limit: int = pydantic.Field(default=3, ge=1),
    tags: list[str] = pydantic.Field(default_factory=list),  # noqa: B008
    *,
    skip: Annotated[int, pydantic.Field(default=5), "How many to skip."],
    plain: Annotated[int, pydantic.Field(default=7)] = 6,
    both: Annotated[int, pydantic.Field(default=8)] = pydantic.Field(gt=0),
):
    """Find a word."""
    return [word, limit, tags, skip, plain, both]


async def limited_async(limit: int = pydantic.Field(default=3)):
    return limit


def test_the_default_of_a_field_is_what_the_function_gets():
    """Python itself would pass the field."""
    toolset = cogwire.Toolset([limited, limited_async])
    [declared, _] = toolset.tools
    assert declared.parameters["required"] == ["word"]
    assert declared.parameters["properties"]["skip"]["default"] == 5
    run = toolset.functions["limited"]
    assert run(word="a") == ["a", 3, [], 5, 6, 8]
    assert run(word="a", limit=1, tags=["x"], skip=0, plain=1, both=2) == ["a", 1, ["x"], 0, 1, 2]
    run(word="a")[2].append("changed")
    assert run(word="a")[2] == []
    assert pickle.loads(pickle.dumps(run))(word="a") == ["a", 3, [], 5, 6, 8]  # noqa: S301
    assert inspect.iscoroutinefunction(toolset.functions["limited_async"])
    assert asyncio.run(toolset.functions["limited_async"]()) == 3
    assert cogwire.Toolset(toolset.tools).functions == toolset.functions


# --- Refused tools ----------------------------------------------------------------------------------
class Callback(pydantic.BaseModel):
    call: Callable[[int], int]


def looking_ahead(x: Annotated[str, pydantic.Field(pattern="(?=a)b")]): ...


def beside(annotation):
    def function(good: int, bad): ...

    function.__annotations__ = {"good": int, "bad": annotation}
    return function


def dependent(a: int, b: int = pydantic.Field(default_factory=lambda data: data["a"])): ...


def yielding_default(a: int = pydantic.Field(default=3)):
    yield a


SELF, CLS, A, BAD = (f"parameter {name!r}: " for name in ("self", "cls", "a", "bad"))
GENERATOR = "is a generator, and a call has one result; collect what it yields"
NAMELESS = "a lambda has no name; define the function with `def`"
UNBOUND = "this is a method of a class; pass the bound method of an object"
BY_NAME = "drop the `{}`, or wrap the function in one without it"


@rows(
    ("definition", "place", "reason"),
    [
        (Unbound.method, f"function 'method': {SELF}", UNBOUND),
        (Unbound.of_class, f"function 'of_class': {CLS}", UNBOUND),
        (functools.partial(Unbound.method), f"function 'method': {SELF}", UNBOUND),
        (functools.partial(Unbound.method, file="a"), f"function 'method': {SELF}", UNBOUND),
        # The result of a generator would be the generator itself.
        (yielding, "tool 'yielding'", GENERATOR),
        (yielding_async, "tool 'yielding_async'", GENERATOR),
        (yielding_default, "tool 'yielding_default'", GENERATOR),
        (Yielding(), "tool 'Yielding'", GENERATOR),
        (Yielding().__call__, "tool '__call__'", GENERATOR),
        (functools.partial(yielding), "tool 'yielding'", GENERATOR),
        (functools.partial(Yielding()), "tool 'Yielding'", GENERATOR),
        (TOOL("read", "", {}, yielding), "tool 'read'", GENERATOR),
        (lambda a: a, NAMELESS, ""),
        (functools.partial(lambda a: a, 1), NAMELESS, ""),
        (positional, f"function 'positional': {A}", BY_NAME.format("/")),
        (starred, f"function 'starred': {A}", BY_NAME.format("*")),
        (unknown_name, f"function 'unknown_name': {A}", "its annotation 'Missing' cannot be eval"),
        (lazy("def f(a: Missing): ..."), f"function 'f': {A}", "its annotation 'Missing' cannot"),
        (broken_text, f"function 'broken_text': {A}", "its annotation '1 +' cannot be evaluated"),
        (empty_text, f"function 'empty_text': {A}", "its annotation '' cannot be evaluated: "),
        (failing_text, f"function 'failing_text': {A}", "cannot be evaluated: division by zero"),
        (min, "function 'min': ", ""),
        (
            dependent,
            "function 'dependent': parameter 'b': ",
            "its default is made from other arguments; make it in the tool",
        ),
        (Callback, "model 'Callback': Cannot generate", ""),
        (
            objects(args_schema=Callback, input_schema=Callback),
            "model 'Callback': Cannot generate",
            "",
        ),
        (looking_ahead, "function 'looking_ahead': parameter 'x': Error building", ""),
        *(
            (beside(annotation), f"function 'function': {BAD}", reason)
            for annotation, reason in [
                (
                    Path,
                    "no value of JSON is a Path; use a type of JSON, such as `str` or `list`, and bui",
                ),
                (date, "build the date in the tool"),
                ([int], "a list is not a type; write list[int]"),
                ([int, "str"], "a list is not a type; write list[int | 'str']"),
                (bytes, "bytes"),
                (set[int], "set[int]"),
                (tuple[int, bytes], "bytes"),
                (dict[int, str], "keys must be strings"),
                (Literal[b"x"], "b'x' is not a JSON value"),
                (Bytes, "b'r' is not a JSON value"),
                (Empty, "the enumeration Empty has no members, so no value fits it; declare its"),
                (list[Bytes | int], "b'r' is not a JSON value"),
                (Annotated[int, annotated_types.Predicate(bool)], "cannot express Predicate"),
                (Annotated[int, pydantic.AfterValidator(abs)], "cannot express AfterValidator"),
                (Annotated[Reader, annotated_types.Gt(0)], "Unable to generate"),
            ]
        ),
    ],
)
def test_what_cannot_be_declared_is_refused_with_its_place(definition, place, reason):
    message = refusal({"name": "t"}, definition)
    assert message.startswith(f"tools[1]: {place}")
    assert reason in message


def test_a_definition_gives_a_lambda_a_name():
    assert cogwire.Toolset([TOOL("t", "", {}, lambda a: a)]).names == ("t",)


def test_tools_that_are_refused_can_be_left_out():
    """The others are declared."""
    tuples = {"properties": {"pair": {"type": "array", "items": [{}, {}]}}}
    bound = {"properties": {"n": {"minimum": 0, "exclusiveMinimum": True}}}
    function = {"type": "function", "function": tool(tuples, "pairs")}
    given = [
        tool(SCHEMA, "read"),
        *(function, tool(bound, "bounds"), looking_ahead, Callback),
        *(tool(SCHEMA, "read"), 5, {"name": 5}, {"function": 5}, objects(parameters=tuples)),
        tool(SCHEMA, "write"),
    ]
    toolset = cogwire.Toolset(given, "delimiter", strict=False)
    assert toolset.names == ("read", "write")
    assert [(each.index, each.name) for each in toolset.refused] == [
        *((1, "pairs"), (2, "bounds"), (3, "looking_ahead"), (4, "Callback"), (5, "read")),
        *((6, ""), (7, ""), (8, ""), (9, "read")),
    ]
    assert toolset.refused[0].message.startswith("tool 'pairs': at '/properties/pair/items'")
    again = pickle.loads(pickle.dumps(toolset))  # noqa: S301
    assert (again.names, again.refused) == (toolset.names, toolset.refused)
    assert cogwire.Toolset([tool(SCHEMA, "read")]).refused == ()
    with pytest.raises(TypeError):
        cogwire.Toolset({}, strict=False)
