"""Tags that say what a value is, and tags with an id."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, bare, call, error, execute, respond, singles, think
from tests.core.wire.described.reading import (
    check_turn,
    description,
    each_turn,
    path_refused,
    refusal,
)
from tests.core.wire.trained.formats import delta, turn
from tests.rows import rows

DSML = {**description("dsml"), "gap": "\n"}


def dsml(*args, name="a"):
    """Return a call whose arguments are keys, whether the value is a string, and its text."""
    lines = [f'<｜DSML｜invoke name="{name}">']
    for key, string, value in args:
        tag = f'<｜DSML｜parameter name="{key}" string="{string}">'
        lines.append(f"{tag}{value}</｜DSML｜parameter>")
    return "\n".join([*lines, "</｜DSML｜invoke>"])


def read(value, string="false", *, before="", **options):
    """Return a row for a call with one argument, whose value breaks a rule at a caret."""
    text = dsml(*before, ("x", string, value))
    return turn(f"{text}b", [error(options.pop("code"), "/0/args/x"), respond("b")], **options)


DSML_TURNS = {
    "a render": turn(
        "<think>T</think>PROSE\n\n<｜DSML｜tool_calls>\n"
        + dsml(
            ("city", "true", 'Paris, "é"'), ("n", "false", 5), ("o", "false", '{"k": [1, null]}')
        )
        + "\n"
        + dsml(name="b")
        + "\n</｜DSML｜tool_calls><｜end▁of▁sentence｜>",
        [
            think("T"),
            respond("PROSE"),
            call(
                '{"name": "a", "args": {"city": "Paris, \\"é\\"", "n": 5, "o": {"k": [1, null]}}}'
            ),
            call('{"name": "b", "args": {}}'),
            execute(),
        ],
    ),
    "texts that look like JSON": turn(
        dsml(("x", "true", "5"), ("y", "true", "null"), ("z", "true", "")),
        [call('{"name": "a", "args": {"x": "5", "y": "null", "z": ""}}'), execute()],
    ),
    "every kind of value, as it is spelled": turn(
        dsml(
            *(("s", "false", ' "\\u0061" '), ("t", "false", "true"), ("u", "false", "\n null\n")),
            *(("v", "false", "-1.50E+3"), ("w", "false", "[\n]"), ("x", "false", '{"k" :{}}')),
        ),
        [
            call(
                '{"name": "a", "args": {"s": "\\u0061", "t": true, "u": null, "v": -1.50E+3, '
                '"w": [\n], "x": {"k" :{}}}}'
            ),
            execute(),
        ],
    ),
    "a closer in a string of JSON": turn(
        dsml(("x", "false", '["</｜DSML｜parameter>", "</｜DSML｜invoke>"]')),
        [
            call('{"name": "a", "args": {"x": ["</｜DSML｜parameter>", "</｜DSML｜invoke>"]}}'),
            execute(),
        ],
    ),
    "a closer in a text": turn(
        f"{dsml(('x', 'true', 'a</｜DSML｜parameter>'))}b".replace(
            "r></｜DSML｜p", f"r></｜DSML｜{CARET}p"
        ),
        [error("xml-syntax", "/0/args"), respond("b")],
    ),
    "a word": read(f"{CARET}Paris", code="json-syntax"),
    "no value": read(f"{CARET}", code="json-syntax"),
    "two values": read(f"1 {CARET}2", code="json-syntax"),
    "a comma after the value": read(f"1{CARET},", code="json-syntax"),
    "a comma after a number that is too large": read(f"1e999{CARET},", code="json-syntax"),
    "a number that is too large": read(f"1e999{CARET}", code="number-range"),
    "a literal that is not whole": read(f"tru{CARET} ", code="json-syntax"),
    "a name in an object twice": turn(
        dsml(("x", "false", f'{{"k": 1, "k{CARET}": 2}}')) + "b",
        [error("duplicate-key", "/0/args/x/k"), respond("b")],
    ),
    "half a character": read(f'"\\ud800{CARET}"', code="lone-surrogate"),
    "Python": turn(
        dsml(("x", "false", f"{{{CARET}'k': 1}}")) + "b",
        [error("json-syntax", "/0/args/x"), respond("b")],
    ),
    "after the first character of the closer": turn(
        dsml(("x", "false", f"1<{CARET}")) + "b", [error("xml-syntax", "/0/args/x"), respond("b")]
    ),
    "another attribute": turn(
        f'<｜DSML｜invoke name="a"><｜DSML｜parameter name="x" string="{CARET}maybe">',
        [error("xml-syntax", "/0/args/x")],
        state="execute",
    ),
    "a key twice, of two types": turn(
        dsml(("x", "false", 1), ("x", "true", 1)).replace('x" string="true', f'x{CARET}" string="')
        + "b",
        [error("duplicate-arg", "/0/args/x"), respond("b")],
    ),
    "a value that is cut": turn(
        dsml(("x", "false", "[1")).partition("[1")[0] + f"[1{CARET}",
        [error("unclosed-call", "/0/args/x/0")],
        state="execute",
    ),
    "a closer that is cut": turn(
        dsml(("x", "false", "1")).partition("1<")[0] + f"1 </｜DSML｜parameter{CARET}",
        [error("unclosed-call", "/0/args/x")],
        state="execute",
    ),
    "too deep": turn(
        dsml(("x", "false", f"[{CARET}[]]")) + "b",
        [error("limit-depth", "/0/args/x/0"), respond("b")],
        limits=cogwire.Limits(depth=3),
    ),
    "deep enough": turn(
        dsml(("x", "false", "[1]")),
        [call('{"name": "a", "args": {"x": [1]}}'), execute()],
        limits=cogwire.Limits(depth=3),
    ),
    "too many digits": read(f"12{CARET}3", code="limit-digits", limits=cogwire.Limits(digits=2)),
    "no room": turn(
        dsml(("x", "false", f'"0{CARET}123"')) + "b",
        [error("limit-size", "/0/args/x"), respond("b")],
        limits=cogwire.Limits(size=len('a">\n<｜DSML｜parameter name="x" string="false">"0')),
    ),
}

KIMI = description("kimi-k3")
KIMI_CALL = (
    '<|open|>call tool="a" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>'
    'Paris<|close|>argument<|sep|><|open|>argument key="n" type="number"<|sep|>5<|close|>argument'
    '<|sep|><|open|>argument key="o" type="object"<|sep|>{"k": [1]}<|close|>argument<|sep|>'
    "<|close|>call<|sep|>"
)
KIMI_A = call('{"name": "a", "args": {"city": "Paris", "n": 5, "o": {"k": [1]}}}')
KIMI_B = call('{"name": "b", "args": {}}')
KIMI_TURNS = {
    "a render": turn(
        "<|open|>think<|sep|>T<|close|>think<|sep|><|open|>response<|sep|>PROSE<|close|>response"
        f"<|sep|><|open|>tools<|sep|>{KIMI_CALL}"
        '<|open|>call tool="b" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
        "<|close|>message<|sep|><|end_of_msg|>",
        [think("T"), respond("PROSE"), KIMI_A, KIMI_B, execute()],
    ),
    "no id": turn('<|open|>call tool="b" index=""<|sep|><|close|>call<|sep|>', [KIMI_B, execute()]),
    "a sign in an id": turn(
        f'<|open|>call tool="b" index="1{CARET}-"<|sep|>',
        [error("xml-syntax", "/0/args")],
        state="execute",
    ),
    "no index": turn(
        f'<|open|>call tool="b"{CARET}<|sep|>', [error("xml-syntax", "/0/args")], state="execute"
    ),
    "an id that is cut": turn(
        f'<|open|>call tool="b" index="1{CARET}',
        [error("unclosed-call", "/0/args")],
        state="execute",
    ),
}

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
PARTED_TURNS = {
    "both kinds": turn(
        "<call>a<key:x#:\n1\n;<key:y = :\n1\n;</call>",
        [call('{"name": "a", "args": {"x": "1", "y": 1}}'), execute()],
    ),
}

TABLES = ((DSML, DSML_TURNS), (KIMI, KIMI_TURNS), (PARTED, PARTED_TURNS))


@each_turn(*TABLES)
def test_a_turn(described, row):
    check_turn(described, row)


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


def with_payload(**members):
    return {**PARTED, "payload": {**PARTED["payload"], **members}}


@rows(
    "described, pointer",
    [
        pytest.param(with_payload(types=1), "/types", id="no object"),
        pytest.param(with_payload(types={"": "text"}), "/types/", id="an empty marker"),
        pytest.param(with_payload(types={"#/\n": "text"}), "/types/#~1\n", id="white space"),
        pytest.param(with_payload(types={"#": "string"}), "/types/#", id="an unknown type"),
        pytest.param(with_payload(types={"#": "text", "##": "json"}), "/types", id="alike"),
        pytest.param(with_payload(key=["<key:", "#"]), "/types", id="another closer"),
        pytest.param(with_payload(words={"True": "true"}), "/words", id="words"),
        pytest.param(with_payload(tool=["", "{id}>"]), "/tool/1", id="nothing before an id"),
        pytest.param(with_payload(tool=["", "<{id}"]), "/tool/1", id="nothing after an id"),
        pytest.param(with_payload(tool=["", "<{id}a>"]), "/tool/1", id="a letter after an id"),
        pytest.param(with_payload(tool=["", "<{id} >"]), "/tool/1", id="white space after an id"),
        pytest.param(with_payload(tool=["", "< {id}>"]), "/tool/1", id="white space before an id"),
        pytest.param(with_payload(tool=["", "<{id}>{id}>"]), "/tool/1", id="two ids"),
    ],
)
def test_a_description_is_refused(described, pointer):
    assert refusal(described).startswith(f"/payload{pointer}: ")


def test_a_large_value_is_read_alike_in_every_way():
    form = cogwire.Format.from_json(DSML)
    value = "[" + ", ".join(['{"k": "some text"}'] * 50) + "]"
    expected = [call(f'{{"name": "a", "args": {{"x": {value}}}}}'), execute()]
    text = dsml(("x", "false", value))
    for chunks in ([text], singles(text)):
        events = [*cogwire.iter_events(iter(chunks), cogwire.Parser(form, clock=None))]
        assert bare(events) == expected
