"""Tags that say what a value is, and tags with an id."""

from tests import cogwire
from tests.core.helpers import bare, call, execute, singles
from tests.core.wire.described.reading import (
    description,
    path_refused,
)
from tests.core.wire.trained.formats import delta
from tests.rows import rows

DSML = {**description("dsml"), "gap": "\n"}


def dsml(*args, name="a"):
    """Return a call whose arguments are keys, whether the value is a string, and its text."""
    lines = [f'<｜DSML｜invoke name="{name}">']
    for key, string, value in args:
        tag = f'<｜DSML｜parameter name="{key}" string="{string}">'
        lines.append(f"{tag}{value}</｜DSML｜parameter>")
    return "\n".join([*lines, "</｜DSML｜invoke>"])


KIMI = description("kimi-k3")
#: A marker before the value, which is between white space; and no call has anything but texts.
PARTED = {
    "name": "parted",
    "call": ["<call>", "</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ""],
        "key": ["<key:", ""],
        "value": [":", ";"],
        "margin": "\n",
        "types": {"#": "text", "=": "json"},
    },
    "gap": "\n",
}


def test_deltas_have_a_quote_where_the_value_is_known_to_be_text():
    parser = cogwire.Parser(
        cogwire.Format.from_json(DSML), stream="token", call_deltas=True, clock=None
    )
    chunks = {
        '<｜DSML｜invoke name="a"><｜DSML｜parameter name="x"': '{"x": ',
        ' string="true">': '"',
        'b"': 'b\\"',
        '</｜DSML｜parameter><｜DSML｜parameter name="y" string="false">\n': '", "y": ',
        " [1, ": "[1, ",
        '"': '"',
        'c"]': 'c"]',
        " \n": None,
    }
    for chunk, content in chunks.items():
        assert parser.feed(chunk) == ([] if content is None else [delta(content)])
    assert parser.feed("</｜DSML｜parameter></｜DSML｜invoke>") == [
        delta("}"),
        call('{"name": "a", "args": {"x": "b\\"", "y": [1, "c"]}}'),
    ]


CALLS = [
    {"name": "a", "args": {"s": "1", "n": 1, "f": 1.5, "b": True, "z": None, "o": {}, "l": ["</"]}},
    {"name": "b", "args": {}},
]


@rows(
    ("described", "expected"),
    [
        (
            DSML,
            "\n".join(
                [
                    "<｜DSML｜tool_calls>",
                    dsml(
                        *(("s", "true", "1"), ("n", "false", "1"), ("f", "false", "1.5")),
                        *(("b", "false", "true"), ("z", "false", "null"), ("o", "false", "{}")),
                        ("l", "false", '["</"]'),
                    ),
                    dsml(name="b"),
                    "</｜DSML｜tool_calls>",
                ]
            ),
        ),
        (
            PARTED,
            (
                "<call>a\n<key:s#\n:\n1\n;\n<key:n=\n:\n1\n;\n<key:f=\n:\n1.5\n;\n"
                "<key:b=\n:\ntrue\n;\n<key:z=\n:\nnull\n;\n<key:o=\n:\n{}\n;\n"
                '<key:l=\n:\n["</"]\n;\n</call>\n<call>b\n</call>'
            ),
        ),
    ],
)
def test_a_batch_is_written(described, expected):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == expected
    first = '{"s": "1", "n": 1, "f": 1.5, "b": true, "z": null, "o": {}, "l": ["</"]}'
    contents = [f'{{"name": "a", "args": {first}}}', '{"name": "b", "args": {}}']
    assert bare(cogwire.parse(expected, form, clock=None)) == [*map(call, contents), execute()]


def test_an_id_is_the_index_of_its_call():
    form = cogwire.Format.from_json(KIMI)
    calls = [{"name": "b", "args": {}}, {"name": "b", "args": {}}]
    assert cogwire.render_calls(calls, form) == (
        '<|open|>tools<|sep|>\n<|open|>call tool="b" index="0"<|sep|><|close|>call<|sep|>\n'
        '<|open|>call tool="b" index="1"<|sep|><|close|>call<|sep|>\n<|close|>tools<|sep|>'
    )


ONLY_TEXT = {**PARTED, "payload": {**PARTED["payload"], "types": {"#": "text", "%": "text"}}}
ONLY_NUMBERS = {**PARTED, "payload": {**PARTED["payload"], "types": {"#": "number"}}}


@rows(
    ("described", "call", "path"),
    [
        (DSML, {"name": "a", "args": {"x": "</｜DSML｜parameter>"}}, "/0/args/x"),
        (DSML, {"name": "a", "args": {"x": float("nan")}}, "/0/args/x"),
        (DSML, {"name": "a", "args": {"x": (1,)}}, "/0/args/x"),
        (DSML, {"name": "a", "args": {'"': 1}}, '/0/args/"'),
        (KIMI, {"name": "a\0", "args": {}}, "/0/name"),
        (ONLY_TEXT, {"name": "a", "args": {"x": 1}}, "/0/args/x"),
        (ONLY_NUMBERS, {"name": "a", "args": {"x": "a"}}, "/0/args/x"),
    ],
)
def test_what_has_no_marker_or_would_end_is_refused(described, call, path):
    assert path_refused([call], described) == path


def test_a_conversion_keeps_the_spelling_of_json():
    form = cogwire.Format.from_json({**DSML, "result": ["<r>", "</r>"]})
    text = (
        '<execute>[{"name": "a", "args": {"s": "\\u0061", "n": 1.50, "b": false, "z": null, '
        '"o": {"k":1}, "l": [ ]}}]</execute>'
        '<results>[{"tool": "a", "status": "success", "content": 1}]</results>'
    )
    written = cogwire.convert(text, "xml-json", form)
    assert written.startswith(
        "<｜DSML｜tool_calls>\n"
        + dsml(
            *(("s", "true", "a"), ("n", "false", "1.50"), ("b", "false", "false")),
            *(("z", "false", "null"), ("o", "false", '{"k":1}'), ("l", "false", "[ ]")),
        )
    )


def test_a_conversion_leaves_out_what_would_end_a_value():
    form = cogwire.Format.from_json({**DSML, "result": ["<r>", "</r>"]})
    text = (
        '<execute>[{"name": "a", "args": {"s": "</｜DSML｜parameter>"}}]</execute>'
        '<results>[{"tool": "a", "status": "success", "content": 1}]</results>'
    )
    report = []
    assert cogwire.convert(text, "xml-json", form, report=report) == ""
    assert "/args/s: </｜DSML｜parameter>, which would end the value" in report[0]["message"]


TOOL = {
    "name": "a",
    "parameters": {"properties": {"x": {"type": "integer"}, "y": {"type": "string"}}},
}


def test_a_tool_set_converts_nothing_where_the_tags_say_what_a_value_is():
    toolset = cogwire.Toolset([TOOL], cogwire.Format.from_json(DSML))
    checked = toolset.check({"name": "a", "args": {"x": "5", "y": "5"}})
    assert [problem["path"] for problem in checked.problems] == ["/x"]
    assert checked.args == {"x": "5", "y": "5"}


def test_a_tool_set_converts_the_values_where_all_are_text():
    toolset = cogwire.Toolset([TOOL], cogwire.Format.from_json(ONLY_TEXT))
    assert toolset.check({"name": "a", "args": {"x": "5", "y": "5"}}).args == {"x": 5, "y": "5"}


def test_python_s_values_are_converted_where_all_are_text():
    described = {**ONLY_TEXT, "payload": {**ONLY_TEXT["payload"], "literals": "python"}}
    tool = {
        "name": "a",
        "parameters": {"properties": {"x": {"type": "object"}, "y": {"type": "string"}}},
    }
    toolset = cogwire.Toolset([tool], cogwire.Format.from_json(described))
    checked = toolset.check({"name": "a", "args": {"x": "{'k': [True, None]}", "y": "True"}})
    assert checked.args == {"x": {"k": [True, None]}, "y": "True"}


def with_payload(**members):
    return {**PARTED, "payload": {**PARTED["payload"], **members}}


def test_a_large_value_is_read_alike_in_every_way():
    form = cogwire.Format.from_json(DSML)
    value = "[" + ", ".join(['{"k": "some text"}'] * 50) + "]"
    expected = [call(f'{{"name": "a", "args": {{"x": {value}}}}}'), execute()]
    text = dsml(("x", "false", value))
    for chunks in ([text], singles(text)):
        events = [*cogwire.iter_events(iter(chunks), cogwire.Parser(form, clock=None))]
        assert bare(events) == expected
