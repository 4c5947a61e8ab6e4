"""Texts of tags, which a tool set converts by schema: null, unions, Python's notation."""

import json

import pytest

from tests import cogwire
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
WORDS = {**JSON, "payload": {**JSON["payload"], "words": {"None": "null", "True": "true"}}}
PYTHON = {**JSON, "payload": {**JSON["payload"], "literals": "python"}}

STRING_OR_NULL = {"type": ["string", "null"]}
EITHER = {"anyOf": [{"type": "string"}, {"type": "null"}]}
OBJECT = {"type": "object"}
UNION = {"oneOf": [{"type": "integer"}, {"type": "array"}, {"type": "string"}]}


def converted(described, schema, text):
    """Return the value of a text, and the codes of its problems."""
    dialect = described if isinstance(described, str) else cogwire.Format.from_json(described)
    parameters = {
        "properties": {"v": schema},
        "$defs": {"maybe": EITHER, "list": {"type": "array"}},
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
    ],
)
def test_a_text_that_fits_no_type_is_kept_and_reported(described, schema, text):
    assert converted(described, schema, text) == (text, ["bad-type"])


def test_another_way_of_writing_values_is_refused():
    described = {**JSON, "payload": {**JSON["payload"], "literals": "ruby"}}
    with pytest.raises(ValueError, match="/payload/literals: "):
        cogwire.Format.from_json(described)
    typed = {"key": ["<key>", ""], "types": {"=": "json"}, "literals": "python"}
    with pytest.raises(ValueError, match="/payload/literals: "):
        cogwire.Format.from_json({**JSON, "payload": {**JSON["payload"], **typed}})
