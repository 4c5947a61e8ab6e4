"""What a call is, and calls that are judged in bounded time."""

import itertools

import pytest

from tests import cogwire
from tests.core.helpers import room, with_room
from tests.core.tools.helpers import OBJECT, message, problems, tool, value_problems
from tests.rows import rows


# --- Unknown tools ----------------------------------------------------------------------------------
def unknown(names, name):
    toolset = cogwire.Toolset([{"name": known} for known in names])
    checked = toolset.check({"name": name, "args": {"a": 1}})
    [problem] = checked.problems
    assert (checked.name, checked.args) == (name, {"a": 1})
    assert (problem["code"], problem["path"]) == ("unknown-tool", "")
    return problem["message"]


@rows(
    ("names", "name", "rest"),
    [
        (["read", "write"], "Reed", 'Did you mean "read"? The tools are: read, write.'),
        (["read", "write"], "WRITE", 'Did you mean "write"? The tools are: read, write.'),
        (["read"], "zzz", "The tools are: read."),
        ([], "read", "The tools are: none."),
    ],
)
def test_an_unknown_tool_names_the_nearest_and_all_when_they_are_few(names, name, rest):
    assert unknown(names, name) == f'No tool is called "{name}". {rest}'


def test_many_tools_are_not_listed():
    names = [f"tool_{number:02}" for number in range(21)]
    reason = unknown(names, "tool_20x")
    assert reason.startswith('No tool is called "tool_20x". Did you mean "tool_20" or ')
    assert "The tools are" not in reason


def test_a_name_is_shortened_in_the_message():
    assert len(unknown(["read"], "n" * 1_000_000)) < 150


# --- Calls ------------------------------------------------------------------------------------------
CALL = '{"name": "t", "args": {"a": 1}}'


@rows(
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
    checked = cogwire.Toolset([tool(OBJECT)]).check(call)
    assert checked == (checked.name, checked.args, checked.problems) == ("t", {"a": 1}, [])


@rows(
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
        {"name": "t", "arguments": {"a": 1}},
        {"type": "tool_use", "name": "t", "input": {"a": 1}},
        None,
        5,
    ],
)
def test_an_invalid_call_is_misuse(call):
    with pytest.raises(ValueError, match="this is not a call"):
        cogwire.Toolset([tool(OBJECT)]).check(call)


@rows(
    ("call", "hint"),
    [
        ({"name": "t", "arguments": {}}, ": rename `arguments` to `args`$"),
        ({"nme": "t"}, ': pass a call event, its content, or {"name": …, "args": {…}}, of which'),
    ],
)
def test_misuse_says_what_to_pass(call, hint):
    with pytest.raises(ValueError, match="^this is not a call" + hint):
        cogwire.Toolset([tool(OBJECT)]).check(call)


def test_arguments_are_passed_on_unchanged():
    """Nothing is converted, and no default is filled in."""
    parameters = {"properties": {"a": {"type": "integer"}, "b": {"default": 1}}}
    args = {"a": "3", "z": [3.0]}
    checked = cogwire.Toolset([tool(parameters)]).check({"name": "t", "args": args})
    assert checked.args is args
    assert args == {"a": "3", "z": [3.0]}


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_arguments_that_are_too_deep_are_not_validated():
    recursive = {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}
    too_deep = "the arguments are nested too deeply"
    assert problems(recursive, nested(2_000)) == []
    assert message({**recursive, "maxProperties": 0}, nested(100_000)) == too_deep


def doubled(leaf, join, links=60):
    """Return a schema in which each definition refers to the next one twice."""
    definitions = {f"a{link}": join(f"#/$defs/a{link + 1}") for link in range(links)}
    return {"$ref": "#/$defs/a0", "$defs": definitions | {f"a{links}": leaf}}


def twice(keyword):
    return lambda reference: {keyword: [{"$ref": reference}, {"$ref": reference}]}


@rows(
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


def test_a_recursive_type_validates_deep_values():
    """Without a record, each level of the value would double the work."""
    branches = [{"required": [name], "properties": {"a": {"$ref": "#"}}} for name in ("x", "y")]
    value = {"y": 1}
    for _ in range(100):
        value = {"a": value, "y": 1}
    assert problems({"anyOf": branches}, value) == []
    value["a"]["y"] = False
    del value["y"]
    assert problems({"anyOf": branches}, value) == [("bad-value", "")]


def test_arguments_that_take_too_much_work_are_not_validated():
    """In every dialect; and nothing was converted."""
    too_much = [("too-much-work", "")]
    assert value_problems({"pattern": "^(a|b)*a(a|b){900}c"}, "a" * 900_000) == too_much
    assert (
        problems({"allOf": [{}] * 30, "required": [f"r{n}" for n in range(60_000)]}, {}) == too_much
    )
    schema = {"properties": {"v": {"type": "integer"}}, "patternProperties": {"a{1,900}b": {}}}
    toolset = cogwire.Toolset([tool(schema)], "xml-elements")
    args = {"v": "2", "a" * 900_000: "1"}
    assert toolset.check({"name": "t", "args": args}) == (
        "t",
        args,
        [
            {
                "code": "too-much-work",
                "path": "",
                "message": "validating the arguments takes too much work",
            }
        ],
    )


class Word(str):
    __slots__ = ()


@rows(
    ("args", "found"),
    [
        ('{"x": 1e999}', [("bad-value", "/x")]),
        ('{"x": [{"a/b": -1e999}], "a": 1e999}', [("bad-value", "/a"), ("bad-value", "/x/0/a~1b")]),
        ({"x": float("nan")}, [("bad-value", "/x")]),
        ('{"x": 1' + 308 * "0" + "}", []),
        ('{"x": -1' + 309 * "0" + "}", [("bad-value", "/x")]),
        ({"x": 10**5000}, [("bad-value", "/x")]),
        ({(1, 2): 3}, [("bad-value", "")]),
        ({"x": {1: 3}}, [("bad-value", "/x")]),
        ({Word("a"): 1}, []),
    ],
)
def test_a_value_that_json_cannot_represent_is_a_problem(args, found):
    """Not a value that a tool gets, and not an exception; whatever the schema says."""
    for schema in ({}, {"patternProperties": {"^a": {}}, "additionalProperties": {}}):
        toolset = cogwire.Toolset([tool(schema)])
        call = f'{{"name": "t", "args": {args}}}' if isinstance(args, str) else None
        checked = toolset.check(call or {"name": "t", "args": args})
        assert [(problem["code"], problem["path"]) for problem in checked.problems] == found


@rows("inner", [{}, {"type": "object", "required": ["a"]}])
def test_a_deep_caller_changes_no_result(inner):
    """Wherever the stack ends meanwhile; the schema is applied at each level."""
    inner = {**inner, "properties": {"a": {"$ref": "#/$defs/d"}}}
    toolset = cogwire.Toolset([tool({"$ref": "#/$defs/d", "$defs": {"d": inner}})])
    content = '{"name": "t", "args": ' + '{"a": ' * 40 + "1" + "}" * 41
    expected = toolset.check(content)
    assert [problem["code"] for problem in expected.problems] == ["bad-type"] * ("type" in inner)
    for frames in range(80, 400, 5):
        assert with_room(frames, lambda: toolset.check(content)) == expected


Work = room("tools.problems").Work
NODE = {"$ref": "#/$defs/node"}


@rows(
    "node",
    [
        {"properties": {"a": NODE}, "additionalProperties": False},
        {"properties": {"a": {"anyOf": [{"type": "null"}, NODE]}}, "required": ["a"]},
        {"properties": {"a": {"oneOf": [NODE, {"type": "string"}]}}},
        {"anyOf": [{"required": [name], "properties": {"a": NODE}} for name in ("x", "a")]},
        {
            "if": {"properties": {"a": NODE}},
            "then": {"required": ["b"]},
            "else": {"minProperties": 9},
        },
        {"not": {"properties": {"a": NODE}, "required": ["b"]}},
        {"allOf": [{"properties": {"a": NODE}}], "unevaluatedProperties": False},
    ],
)
def test_a_value_in_pieces_has_the_violations_of_the_whole(node):
    """References that wait for a shallower stack count as if they had been followed at once."""
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    rules = cogwire.Toolset([tool(schema)])._tools["t"].rules
    for depth, leaf in itertools.product(
        (0, 3, 4, 5, 9, 30), (None, 1, "x", {}, {"b": 1}, {"a": "x"})
    ):
        value = leaf
        for _ in range(depth):
            value = {"a": value}
        whole = rules.violations(value, Work())
        assert rules.violations(value, Work(), in_pieces=True) == whole, (depth, leaf)


def test_a_value_as_deep_as_a_call_may_be():
    """Each level takes nine frames of the stack, which has a thousand."""
    node = {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, NODE]}}}
    schema = {"properties": {"a": NODE}, "$defs": {"node": node}}
    assert problems(schema, nested(126)) == []
    value = 1
    for _ in range(126):
        value = {"a": value}
    assert problems(schema, value) == [("bad-type", "/a" * 126)]


ITEMS = list(range(100_000))


@pytest.mark.verify
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"type": "string"}}, ITEMS),
        ({"items": {"enum": [f"e{number}" for number in range(100)]}}, ITEMS),
        ({"items": {"anyOf": [{}] * 20}}, ITEMS),
        ({"allOf": [{"items": True}] * 20}, ITEMS),
        ({"allOf": [{"uniqueItems": True}] * 20}, ITEMS),
        ({"items": {"properties": {"a": False}}}, [{"a": 1}] * 100_000),
        ({"allOf": [{"not": {"type": "array"}}] * 300}, ["x" * 300_000]),
        ({"allOf": [{"enum": [["x" * 90_000]]}] * 900}, ["x" * 90_000]),
        ({"allOf": [{"propertyNames": {"maxLength": 1}}] * 20}, dict.fromkeys(map(str, ITEMS))),
        ({"allOf": [{"additionalProperties": True}] * 20}, dict.fromkeys(map(str, ITEMS))),
        ({"allOf": [{"unevaluatedProperties": True}] * 20}, dict.fromkeys(map(str, ITEMS))),
        ({"patternProperties": {f"a{n}": True for n in range(20)}}, dict.fromkeys(map(str, ITEMS))),
    ],
)
def test_each_keyword_costs_work(schema, value):
    """So that none of them makes a call take long, however many items or members there are."""
    assert value_problems(schema, value) == [("too-much-work", "")]


def test_a_lone_surrogate_is_not_matched_against_a_pattern():
    """RE2 takes texts alone.  Where no pattern asks, it is a character like others."""
    assert message({"properties": {"v": {"pattern": "."}}}, {"v": "\ud800"}) == (
        "the arguments contain a lone surrogate, which no pattern can match"
    )
    assert value_problems({"maxLength": 1}, "\ud800") == []


def test_a_long_chain_of_references_ends():
    """Each link is followed once, however many there are."""
    for links in (150, 2_000):
        chain = doubled({"required": ["x"]}, lambda to: {"$ref": to}, links)
        assert problems(chain, {}) == [("missing-arg", "/x")]
