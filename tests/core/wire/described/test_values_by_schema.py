"""Texts of tags, which a tool set converts by schema: null, unions, Python's notation, nested tags."""

import json

from tests import cogwire
from tests.core.wire.described.reading import DSML, NESTED, ONLY_TEXT, with_payload
from tests.rows import rows

JSON = {
    "name": "json",
    "call": ["<call>", "</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ""],
        "key": ["<key>", "</key>"],
        "value": ["<value>", "</value>"],
    },
}
WORDS = with_payload(JSON, words={"None": "null", "True": "true"})
PYTHON = with_payload(JSON, literals="python")
SEED = with_payload(JSON, words={"True": "true"})

STRING_OR_NULL = {"type": ["string", "null"]}
EITHER = {"anyOf": [{"type": "string"}, {"type": "null"}]}
OBJECT = {"type": "object"}
UNION = {"oneOf": [{"type": "integer"}, {"type": "array"}, {"type": "string"}]}


INTEGERS = {"type": "array", "items": {"type": "integer"}}
POINT = {"properties": {"x": {"type": "integer"}, "name": {"type": "string"}}, "type": "object"}


def items(*texts):
    """Return the text of an array in tags."""
    return "".join(f"[<item>{text}[</item>" for text in texts)


def converted(described, schema, text):
    """Return the value of a text, and the codes of its problems."""
    dialect = described if isinstance(described, str) else cogwire.Format.from_json(described)
    parameters = {
        "properties": {"v": schema},
        "$defs": {"maybe": EITHER, "list": {"type": "array"}, "point": POINT},
    }
    toolset = cogwire.Toolset([{"name": "t", "parameters": parameters}], dialect)
    checked = toolset.check({"name": "t", "args": {"v": text}})
    return checked.args["v"], [problem["code"] for problem in checked.problems]


@rows(
    "described, schema, text, value",
    [
        # null, beside other types
        *((each, STRING_OR_NULL, "null", None) for each in (JSON, WORDS, PYTHON)),
        *((each, EITHER, "null", None) for each in (JSON, "glm-4.5", "qwen3-coder", "seed-oss")),
        *((each, EITHER, "None", None) for each in (WORDS, PYTHON, "qwen3-coder", "seed-oss")),
        *((each, EITHER, "None", "None") for each in (JSON, "glm-4.5", "minimax-m2")),
        *((each, {"type": "string"}, "null", "null") for each in (JSON, "qwen3-coder")),
        *((each, {"type": "string"}, "None", "None") for each in (PYTHON, "qwen3-coder")),
        (JSON, {"$ref": "#/$defs/maybe"}, "null", None),
        (JSON, {"allOf": [EITHER, {"maxLength": 9}]}, "null", None),
        (JSON, {"allOf": [EITHER, {"type": "string"}]}, "null", "null"),
        (JSON, {"type": ["integer", "null"]}, "null", None),
        (JSON, {**STRING_OR_NULL, "enum": ["a", None]}, "null", None),
        (JSON, {**STRING_OR_NULL, "enum": ["a", "null"]}, "null", "null"),
        (JSON, {"enum": ["a", None]}, "null", None),
        (JSON, {"enum": ["a", "null", None]}, "null", "null"),
        (JSON, {}, "null", "null"),
        (JSON, True, "null", "null"),
        ("xml-elements", STRING_OR_NULL, "null", "null"),
        # unions, references and lists of values
        (JSON, UNION, "5", 5),
        (JSON, UNION, "[5]", [5]),
        (JSON, UNION, "five", "five"),
        (JSON, {"$ref": "#/$defs/list"}, '[{"k": "[1]"}]', [{"k": "[1]"}]),
        (JSON, {"allOf": [{"type": ["number", "string"]}, {"type": "integer"}]}, "5", 5),
        (JSON, {"enum": [1, "a"]}, "1", 1),
        (JSON, {"enum": [1, "1"]}, "1", "1"),
        # numbers as they are written
        (JSON, {"type": "number"}, "1e+16", 1e16),
        (JSON, {"type": "number"}, "5", 5),
        (JSON, {"type": "number"}, "5.0", 5.0),
        (PYTHON, {"type": "number"}, "1e-05", 1e-05),
        (PYTHON, {"type": "integer"}, "-5", -5),
        # Python
        (WORDS, {"type": "boolean"}, "True", True),
        (PYTHON, {"type": "boolean"}, "False", False),
        (
            PYTHON,
            OBJECT,
            "{'k': [1, None, True, -1.5e3], \"é\": {}}",
            {
                "k": [1, None, True, -1500.0],
                "é": {},
            },
        ),
        (PYTHON, OBJECT, '{"k": [1, null, true]}', {"k": [1, None, True]}),
        (
            PYTHON,
            {"type": "array"},
            r"['\x41\u00e9\U0001F600\101\n\\\'\"\t', 'a\
b']",
            ["Aé😀A\n\\'\"\t", "ab"],
        ),
        (PYTHON, {"type": "array"}, r"['\ud83d\ude00']", ["😀"]),
        (PYTHON, {"type": "array"}, '["it\'s", \'"\', "a\n"]', ["it's", '"', "a\n"]),
        (PYTHON, {"type": "array"}, r'["\/"]', ["/"]),
        (PYTHON, OBJECT, "{'k': true, 'l': [1, ], }", {"k": True, "l": [1]}),
        (PYTHON, {"type": "array"}, r"['\q']", ["\\q"]),
        (PYTHON, {"type": "string"}, "'a'", "'a'"),
        (PYTHON, {"enum": ["a", True]}, "True", True),
        (PYTHON, {"enum": [[1, None]]}, "[1, None]", [1, None]),
        ("minicpm5", OBJECT, "{'k': [1, None, True]}", {"k": [1, None, True]}),
        ("seed-oss", OBJECT, "{'k': [1, None, True]}", {"k": [1, None, True]}),
        # a word is the JSON that it stands for
        (SEED, {"type": "boolean"}, "true", True),
        (SEED, {"type": "boolean"}, "True", True),
        # tags that say what a value is, and calls whose values are typed
        (DSML, {"type": "string"}, "5", "5"),
        (ONLY_TEXT, {"type": "integer"}, "5", 5),
        (ONLY_TEXT, {"type": "string"}, "5", "5"),
        (
            with_payload(ONLY_TEXT, literals="python"),
            OBJECT,
            "{'k': [True, None]}",
            {"k": [True, None]},
        ),
        (with_payload(ONLY_TEXT, literals="python"), {"type": "string"}, "True", "True"),
        ("lfm2", {"type": "integer"}, 1, 1),
        # arrays and objects in tags
        (NESTED, INTEGERS, items("1", "-2"), [1, -2]),
        (NESTED, INTEGERS, f"\n{items('1')}\n{items('2')} ", [1, 2]),
        (
            NESTED,
            {"type": "array", "items": INTEGERS},
            items(items("1"), items(), ""),
            [[1], [], []],
        ),
        (NESTED, {"type": "array"}, items("1", " a ", ""), ["1", " a ", ""]),
        (
            NESTED,
            {"type": "array", "items": {"$ref": "#/$defs/point"}},
            items("[<x>5[</x>"),
            [{"x": 5}],
        ),
        (
            NESTED,
            {"type": "array", "prefixItems": [{"type": "boolean"}], "items": {"type": "null"}},
            items("true", "null", ""),
            [True, None, None],
        ),
        (NESTED, POINT, "[<x>5[</x>[<name>5[</name>", {"x": 5, "name": "5"}),
        (NESTED, {"anyOf": [POINT, {"type": "null"}]}, "[<x>5[</x>", {"x": 5}),
        (
            NESTED,
            {"allOf": [POINT, {"properties": {"y": INTEGERS}}]},
            f"[<y>{items('1')}[</y>",
            {"y": [1]},
        ),
        (
            NESTED,
            {"type": "object"},
            f"[<k>{items('1')}[</k>[<o>[<p>[</p>[</o>",
            {"k": ["1"], "o": {"p": ""}},
        ),
        (NESTED, {"type": "object"}, items("1"), {"item": "1"}),
        (
            NESTED,
            {"type": "object"},
            "[<k>[<l>1[</l>[<l>2[</l>[</k>",
            {"k": "[<l>1[</l>[<l>2[</l>"},
        ),
        (NESTED, {"type": "object"}, '{"k": [1]}', {"k": [1]}),
        (NESTED, {"type": ["array", "null"]}, "", []),
        (NESTED, {"type": ["null", "object"]}, "", None),
        (NESTED, {"type": ["string", "array"]}, items("1"), items("1")),
        (NESTED, {"type": "string"}, items("1"), items("1")),
        (NESTED, {"type": "string"}, "", ""),
        (NESTED, {"enum": ["", "b"]}, "", ""),
        (NESTED, {}, items("1"), items("1")),
    ],
)
def test_a_text_is_converted(described, schema, text, value):
    read, problems = converted(described, schema, text)
    assert json.dumps(read) == json.dumps(value)
    assert problems == []


@rows(
    "described, schema, text",
    [
        (JSON, OBJECT, "{'k': 1}"),
        (JSON, {"type": "null"}, "None"),
        (JSON, {"type": "boolean"}, "True"),
        (WORDS, {"type": "array"}, "[True]"),
        (PYTHON, {"type": "boolean"}, "TRUE"),
        (PYTHON, {"type": "integer"}, "1_000"),
        (PYTHON, {"type": "number"}, "nan"),
        (PYTHON, {"type": "number"}, "1e999"),
        (PYTHON, {"type": "integer"}, "1.0"),
        *(
            (PYTHON, OBJECT, text)
            for text in (
                *("{'k': (1,)}", "{'k': {1}}", "{1: 2}", "{'k': a}", "{'k': 1 + 1}", "{'k': 1}]"),
                *("{'k': b'a'}", "{'k': f'a'}", "{'k': 'a' 'b'}", "{'k': 'a}", "{'k': 1, 'k': 2}"),
                *(r"{'k': '\N{DASH}'}", r"{'k': '\x4'}", r"{'k': '\ud800'}", "{'k': 1}, x={}"),
                *("{})]", "{}), -(", "{'k': 1", "{}, -={}"),
                *(r"{'k': '\U00110000'}", "{'k': dict()}", "{'k': 1e999}"),
            )
        ),
        (SEED, {"type": "boolean"}, "TRUE"),
        (DSML, {"type": "integer"}, "5"),
        ("lfm2", {"type": "integer"}, "1"),
        *(
            (NESTED, {"type": "array"}, text)
            for text in (
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
            )
        ),
    ],
)
def test_a_text_that_fits_no_type_is_kept_and_reported(described, schema, text):
    assert converted(described, schema, text) == (text, ["bad-type"])


def test_values_are_nested_to_a_depth():
    deep = [""]
    for _ in range(126):
        deep.append(items(deep[-1]))
    assert converted(NESTED, {"type": "array"}, deep[125])[1] == []
    assert converted(NESTED, {"type": "array"}, deep[126]) == (deep[126], ["bad-type"])
