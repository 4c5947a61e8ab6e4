"""Arrays and objects that are in tags themselves, and closers with the key of their value."""

import pytest

from tests import cogwire
from tests.core.wire.described.reading import refusal
from tests.rows import rows

NESTED = {
    "name": "nested",
    "call": ["[<call:", "[</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ">"],
        "key": ["[<", ">"],
        "value": ["", "[</{key}>"],
        "item": "item",
    },
}

#: The closer of a value has its key, and nothing is in tags in it.
KEYED = {
    "name": "keyed",
    "call": ["<call:", "</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ">"],
        "key": ["<", ""],
        "value": [">", "</{key}>"],
        "margin": "\n",
    },
}


def items(*texts):
    """Return the text of an array."""
    return "".join(f"[<item>{text}[</item>" for text in texts)


INTEGERS = {"type": "array", "items": {"type": "integer"}}
POINT = {"properties": {"x": {"type": "integer"}, "name": {"type": "string"}}, "type": "object"}


@rows(
    "schema, text, expected",
    [
        (INTEGERS, items("1", "-2"), [1, -2]),
        (INTEGERS, f"\n{items('1')}\n{items('2')} ", [1, 2]),
        ({"type": "array", "items": INTEGERS}, items(items("1"), items(), ""), [[1], [], []]),
        ({"type": "array"}, items("1", " a ", ""), ["1", " a ", ""]),
        ({"type": "array", "items": {"$ref": "#/$defs/point"}}, items("[<x>5[</x>"), [{"x": 5}]),
        (
            {"type": "array", "prefixItems": [{"type": "boolean"}], "items": {"type": "null"}},
            items("true", "null", ""),
            [True, None, None],
        ),
        (POINT, "[<x>5[</x>[<name>5[</name>", {"x": 5, "name": "5"}),
        ({"anyOf": [POINT, {"type": "null"}]}, "[<x>5[</x>", {"x": 5}),
        ({"allOf": [POINT, {"properties": {"y": INTEGERS}}]}, f"[<y>{items('1')}[</y>", {"y": [1]}),
        (
            {"type": "object"},
            f"[<k>{items('1')}[</k>[<o>[<p>[</p>[</o>",
            {"k": ["1"], "o": {"p": ""}},
        ),
        ({"type": "object"}, items("1"), {"item": "1"}),
        ({"type": "object"}, "[<k>[<l>1[</l>[<l>2[</l>[</k>", {"k": "[<l>1[</l>[<l>2[</l>"}),
        ({"type": "object"}, '{"k": [1]}', {"k": [1]}),
        ({"type": ["array", "null"]}, "", []),
        ({"type": ["null", "object"]}, "", None),
        ({"type": ["string", "array"]}, items("1"), items("1")),
        ({"type": "string"}, items("1"), items("1")),
        ({"type": "string"}, "", ""),
        ({"enum": ["", "b"]}, "", ""),
        ({}, items("1"), items("1")),
    ],
)
def test_a_value_is_converted(schema, text, expected):
    assert converted(schema, text) == (expected, [])


@rows(
    "text",
    [
        "[<item>1[</item>, [<item>2[</item>",
        "[<item>1[</x>",
        "[<item>1",
        "[<item>[<item>1[</item>",
        "[<item>[<k>1[</k>b[</item>",
        "[<>1[</>",
        "[< item>1[</ item>",
        "[<item",
        "[<k>1[</k>",
        "a",
        items(items("1"))[: -len("[</item>")],
    ],
)
def test_a_text_that_is_no_such_value_is_kept_and_reported(text):
    assert converted({"type": "array"}, text) == (text, ["bad-type"])


def test_values_are_nested_to_a_depth():
    deep = [""]
    for _ in range(126):
        deep.append(items(deep[-1]))
    assert converted({"type": "array"}, deep[125])[1] == []
    assert converted({"type": "array"}, deep[126]) == (deep[126], ["bad-type"])


def converted(schema, text):
    """Return a value, and the codes of its problems."""
    parameters = {"properties": {"v": schema}, "$defs": {"point": POINT}}
    form = cogwire.Format.from_json(NESTED)
    checked = cogwire.Toolset([{"name": "t", "parameters": parameters}], form).check(
        {"name": "t", "args": {"v": text}}
    )
    return checked.args["v"], [problem["code"] for problem in checked.problems]


def test_types_need_one_closer_of_values():
    payload = {**KEYED["payload"], "types": {'">': "text"}}
    reason = "/payload/value/1: with types, the closer of a value has no {key}"
    assert refusal({**KEYED, "payload": payload}) == reason


def test_a_value_that_would_end_elsewhere_is_not_written():
    form = cogwire.Format.from_json(NESTED)
    text = "[<x>1[</x>[</call>"
    assert cogwire.render_calls([{"name": "a", "args": {"x": text}}], form) == (
        f"[<call:a>\n[<x>{text}[</x>[</call>"
    )
    for text in ("[</x>", "[<x>", "[</x>[<x>"):
        with pytest.raises(cogwire.RenderError) as refused:
            cogwire.render_calls([{"name": "a", "args": {"x": text}}], form)
        assert refused.value.path == "/0/args/x"
