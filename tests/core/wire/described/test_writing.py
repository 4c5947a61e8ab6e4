"""What is written in a format: calls and their results, thoughts, messages and prompts."""

import json
import re

import pytest

from tests import cogwire
from tests.core.helpers import bare, call, check, execute, respond, think
from tests.core.wire.described.reading import (
    AROUND,
    BRACED,
    CDATA,
    CODE,
    COHERE,
    COMMAND,
    DSML,
    KEYED,
    KEYED_AROUND,
    NESTED,
    ONLY_TEXT,
    PARTED,
    answered,
    description,
    dsml,
    like,
    path_refused,
    results,
    success,
    with_payload,
)
from tests.oracle.literal import written as safe
from tests.rows import rows

HARMONY = description("harmony")
KIMI, KIMI_3 = description("kimi-k2"), description("kimi-k3")
APERTUS = description("apertus")
MINIMAX = description("minimax-m2")
MISTRAL, QWEN, GLM = map(description, ("mistral", "qwen3-coder", "glm-4.5"))
LFM, OLMO, GEMMA = map(description, ("lfm2", "olmo-3", "gemma-4"))
LISTS = description("llama4-pythonic")
#: One object for each call; the member with the name may be called as args are elsewhere.
OBJECTS = {
    "name": "objects",
    "call": ["<call>", "</call>"],
    "payload": {
        "kind": "object",
        "name": ["tool", "input"],
        "args": ["values", "args"],
        "partial": True,
    },
}
B = {"name": "b", "args": {}}
CALLS = [{"name": "a", "args": {"x": 1}}, B]
ESCAPED = [{"name": 'é"', "args": {"x": ["<"]}}, B]
VALUES = [
    {"name": "a", "args": {"x": 'it\'s "é"\n\\/', "n": [1, None, True, {"k.1": {}, "l m": 2.5}]}},
    B,
]
TYPED = [
    {"name": "a", "args": {"s": "1", "n": 1, "f": 1.5, "b": True, "z": None, "o": {}, "l": ["</"]}},
    B,
]
LFM_CALL = r"""a(x='it\'s "é"\n\\/', n=[1, None, True, {'k.1': {}, 'l m': 2.5}])"""
PYTHON = 'a(x="it\'s \\"é\\"\\n\\\\/", n=[1, None, True, {"k.1": {}, "l m": 2.5}])'


def text_of(described, text):
    """Return the row of a call that is one text."""
    payload = described["payload"]
    return described, [{"name": payload["tool"], "args": {payload["arg"]: text}}]


def cdata(value, written, described=CDATA):
    """Return the row of a call whose value may be between two more markers."""
    text = f'<function name="a">\n<param name="x">{written}</param></function>'
    return described, [{"name": "a", "args": {"x": value}}], text


@rows(
    "described, calls, written",
    [
        (
            KIMI,
            CALLS,
            (
                "<|tool_calls_section_begin|>\n"
                '<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{"x": 1}<|tool_call_end|>\n'
                "<|tool_call_begin|>functions.b:1<|tool_call_argument_begin|>{}<|tool_call_end|>\n"
                "<|tool_calls_section_end|>"
            ),
        ),
        (
            with_payload(description("nemotron"), partial=True),
            CALLS,
            (
                '<TOOLCALL>[\n  {"name": "a", "arguments": {"x": 1}},\n'
                '  {"name": "b", "arguments": {}}\n]</TOOLCALL>'
            ),
        ),
        (
            HARMONY,
            CALLS,
            (
                "<|start|>assistant<|channel|>commentary to=functions.a <|constrain|>json<|message|>"
                '{"x": 1}<|end|>\n'
                "<|start|>assistant<|channel|>commentary to=functions.b <|constrain|>json<|message|>"
                "{}<|call|>"
            ),
        ),
        (description("functionary-v3.2"), CALLS, '>>>a\n{"x": 1}\n>>>b\n{}'),
        (BRACED, CALLS, '<call>call:a{"x": 1}</call>\n<call>call:b{}</call>'),
        (
            description("functionary-v3.1"),
            CALLS,
            '<function=a>{"x": 1}</function>\n<function=b>{}</function>',
        ),
        (
            description("solar-open"),
            CALLS,
            (
                "<|tool_calls|>\n<|tool_call:begin|>0<|tool_call:name|>a<|tool_call:args|>"
                '{"x": 1}<|tool_call:end|>\n<|tool_call:begin|>1<|tool_call:name|>b'
                "<|tool_call:args|>{}<|tool_call:end|>\n<|calls|>"
            ),
        ),
        (
            description("deepseek-r1"),
            CALLS,
            (
                "<｜tool▁calls▁begin｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n"
                '{"x": 1}```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>b\n```json\n'
                "{}```<｜tool▁call▁end｜>\n<｜tool▁calls▁end｜>"
            ),
        ),
        (
            COHERE,
            ESCAPED,
            (
                '<|START_ACTION|>[\n  {"tool_name": "é\\"", "parameters": {"x": ["<"]}},\n  '
                '{"tool_name": "b", "parameters": {}}\n]<|END_ACTION|>'
            ),
        ),
        (
            OBJECTS,
            ESCAPED,
            (
                '<call>{"tool": "é\\"", "values": {"x": ["<"]}}</call>\n'
                '<call>{"tool": "b", "values": {}}</call>'
            ),
        ),
        (
            APERTUS,
            ESCAPED,
            '<|tools_prefix|>[\n  {"é\\"": {"x": ["<"]}},\n  {"b": {}}\n]<|tools_suffix|>',
        ),
        (KEYED, ESCAPED, '<calls>\n{"é\\"": {"x": ["<"]}}\n{"b": {}}\n</calls>'),
        (
            AROUND,
            ESCAPED,
            (
                '<call>{"tool_calls": [\n  {"name": "é\\"", "arguments": {"x": ["<"]}},\n  '
                '{"name": "b", "arguments": {}}\n]}</call>'
            ),
        ),
        (
            KEYED_AROUND,
            ESCAPED,
            '<call>{"é\\"": [\n  {"é\\"": {"x": ["<"]}},\n  {"b": {}}\n]}</call>',
        ),
        (LFM, VALUES, f"<|tool_call_start|>[{LFM_CALL}, b()]<|tool_call_end|>"),
        (LISTS, [B], "<|python_start|>[b()]<|python_end|>"),
        (like(OLMO, gap="\n"), VALUES, f"<function_calls>\n{PYTHON}\nb()\n</function_calls>"),
        (
            GEMMA,
            VALUES,
            (
                '<|tool_call>call:a{x:<|"|>it\'s "é"\n\\/<|"|>,n:[1,null,true,'
                '{k.1:{},<|"|>l m<|"|>:2.5}]}<tool_call|>\n<|tool_call>call:b{}<tool_call|>'
            ),
        ),
        (
            DSML,
            TYPED,
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
            TYPED,
            (
                "<call>a\n<key:s#\n:\n1\n;\n<key:n=\n:\n1\n;\n<key:f=\n:\n1.5\n;\n"
                "<key:b=\n:\ntrue\n;\n<key:z=\n:\nnull\n;\n<key:o=\n:\n{}\n;\n"
                '<key:l=\n:\n["</"]\n;\n</call>\n<call>b\n</call>'
            ),
        ),
        pytest.param(
            KIMI_3,
            [B, B],
            '<|open|>tools<|sep|>\n<|open|>call tool="b" index="0"<|sep|><|close|>call<|sep|>\n'
            '<|open|>call tool="b" index="1"<|sep|><|close|>call<|sep|>\n<|close|>tools<|sep|>',
            id="an id is the index of its call",
        ),
        (*text_of(CODE, "print(1)\n"), "<code>print(1)\n</code>"),
        (*text_of(COMMAND, "echo '```'\n"), "```bash\necho '```'\n\n```"),
        (*text_of(COMMAND, ""), "```bash\n\n```"),
        cdata("a & b", "a & b"),
        cdata("a < b", "<![CDATA[a < b]]>"),
        cdata("<![CDATA[a]]>", "<![CDATA[<![CDATA[a]]>]]>"),
        cdata("]]></param", "<![CDATA[]]></param]]>"),
        cdata("</param>", "<![CDATA[</param>]]>"),
        cdata("[", "[<[>]", with_payload(CDATA, raw=["[<", ">]"])),
        (
            NESTED,
            [{"name": "a", "args": {"x": "[<x>1[</x>[</call>"}}],
            "[<call:a>\n[<x>[<x>1[</x>[</call>[</x>[</call>",
        ),
    ],
)
def test_calls_are_written_and_read_back(described, calls, written):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(calls, form) == written
    contents = [json.dumps(each, ensure_ascii=False) for each in calls]
    check(written, [*map(call, contents), execute()], dialect=form)


@rows(
    "marker,value,written",
    [
        pytest.param("[a", "[a", r'{"x": "\u005ba"}', id="in a string"),
        pytest.param("[1", [1, "[1"], '{"x": [1, "[1"]}', id="where an array begins"),
        pytest.param('"a', ["a"], '{"x": ["a"]}', id="where a string begins"),
        pytest.param("ntry", "\ntry", r'{"x": "\u000atry"}', id="in an escape"),
    ],
)
def test_a_marker_is_spelled_otherwise_only_where_the_value_stays_the_same(marker, value, written):
    form = cogwire.Format.from_json(like(KIMI, ignored=[marker]))
    text = cogwire.render_calls([{"name": "a", "args": {"x": value}}], form)
    assert written in text


# --- What is refused ----------------------------------------------------------------------------

ONLY_NUMBERS = with_payload(PARTED, types={"#": "number"})


#: What ends a call begins like a key.
ENDED_LIKE_A_KEY = {
    "name": "ended",
    "call": ["<run ", "<end>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ":"],
        "key": ["<", ">"],
        "value": ["", "</{key}>"],
    },
}


@rows(
    "described, name, args, path",
    [
        *((QWEN, name, {}, "/0/name") for name in ("a<b", "\ud800")),
        (QWEN, "a", {"x\n": ""}, "/0/args/x\n"),
        *((QWEN, "a", {"x": x}, "/0/args/x") for x in (1, "</parameter>", "\ud800")),
        (GLM, "a", {"x": "</arg_value>"}, "/0/args/x"),
        *((MISTRAL, name, {}, "/0/name") for name in ("my tool", "a[ARGS]", "a{")),
        (KIMI, "a:b", {}, "/0/name"),
        (KIMI, "\ud83d", {}, "/0/name"),
        (MINIMAX, 'a"', {}, "/0/name"),
        (MINIMAX, "a", {"x": "</parameter>"}, "/0/args/x"),
        (MINIMAX, "a", {"x": 3}, "/0/args/x"),
        *((HARMONY, name, {}, "/0/name") for name in ("a b", "a<|message|>", "a<|end|>", "")),
        (HARMONY, "execute", {}, "/0/name"),
        *((BRACED, name, {}, "/0/name") for name in ("a b", "a{", "", "execute", "a\n", "\ud83d")),
        (LFM, "a b", {}, "/0/name"),
        (LFM, "", {}, "/0/name"),
        (LFM, "a", {"x y": 1}, "/0/args/x y"),
        (LFM, "a", {"x": float("inf")}, "/0/args/x"),
        (LFM, "a", {"x": "\ud800"}, "/0/args/x"),
        (GEMMA, "a{", {}, "/0/name"),
        (GEMMA, "\ud800", {}, "/0/name"),
        (GEMMA, "a", {"x": {"y": '<|"|>'}}, "/0/args/x"),
        (GEMMA, "a", {'<|"|>': 1}, '/0/args/<|"|>'),
        (with_payload(GEMMA, quote="<a<"), "a", {"x": "b<a"}, "/0/args/x"),
        (DSML, "a", {"x": "</｜DSML｜parameter>"}, "/0/args/x"),
        (DSML, "a", {"x": float("nan")}, "/0/args/x"),
        (DSML, "a", {"x": (1,)}, "/0/args/x"),
        (DSML, "a", {'"': 1}, '/0/args/"'),
        (KIMI_3, "a\0", {}, "/0/name"),
        (ONLY_TEXT, "a", {"x": 1}, "/0/args/x"),
        (ONLY_NUMBERS, "a", {"x": "a"}, "/0/args/x"),
        (CODE, "other", {"code": ""}, "/0/name"),
        (CODE, "python", {}, "/0/args"),
        (CODE, "python", {"code": "", "x": 1}, "/0/args"),
        (CODE, "python", {"code": 1}, "/0/args/code"),
        (CODE, "python", {"code": "</code>"}, "/0/args/code"),
        (CODE, "python", {"code": "\ud800"}, "/0/args/code"),
        (like(CODE, call=["<code>", "aba"]), "python", {"code": "ab"}, "/0/args/code"),
        (COMMAND, "bash", {"command": "a\n```"}, "/0/args/command"),
        (COMMAND, "bash", {"command": "```"}, "/0/args/command"),
        *(
            (ENDED_LIKE_A_KEY, "a", {key: "1"}, f"/0/args/{key}")
            for key in ("end", "encoding", "e")
        ),
        (description("minimax-m3"), "a", {"/invoke": "1"}, "/0/args/~1invoke"),
        *((NESTED, "a", {"x": x}, "/0/args/x") for x in ("[</x>", "[<x>", "[</x>[<x>")),
    ],
)
def test_what_would_not_be_read_back_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_value_that_would_end_too_early_is_refused():
    given = {"name": "a", "args": {"x": "]]></param> b"}}
    with pytest.raises(cogwire.RenderError, match="]]></param>, which would end the value"):
        cogwire.render_calls([given], cogwire.Format.from_json(CDATA))


@rows(
    "described,values,path",
    [
        pytest.param({"section": ["<s", "</s"], "ignored": ["<s\n"]}, "a", "", id="section"),
        pytest.param({"section": ["<s>", "<c/>"]}, ["", "/>"], "/1", id="a section's closer"),
        pytest.param({"ends": ["<c/>"]}, ["/>"], "/0", id="a marker that ends the turn"),
    ],
)
def test_an_opener_that_becomes_a_longer_marker_is_refused(described, values, path):
    payload = {"kind": "text", "tool": "a", "arg": "x"}
    form = cogwire.Format.from_json(
        {"name": "a", "call": ["<c", "c>"], "payload": payload} | described
    )
    with pytest.raises(cogwire.RenderError, match="would begin with the marker '<") as refused:
        cogwire.render_calls([{"name": "a", "args": {"x": value}} for value in values], form)
    assert refused.value.path == path


def test_a_batch_that_is_longer_than_its_json_is_measured():
    """Each empty string is two thousand characters in this notation, and two in JSON."""
    items = [{"name": "a", "args": {"x": [""] * 4_500}}]
    assert cogwire.render_calls(items)
    form = cogwire.Format.from_json(with_payload(GEMMA, quote=f"<{'q' * 1000}>"))
    with pytest.raises(cogwire.RenderError):
        cogwire.render_calls(items, form)


@rows(
    "call, result, alike",
    [
        (["{{", "}}"], ["<r>", "</r>"], "'{{'"),
        (["<c>", "]]>"], ["<r>", "</r>"], "']]>'"),
        (["<c>", "</c>"], ["[:", "</r>"], "'[:'"),
        (["<c>", "True"], ["<r>", "</r>"], "'True'"),
        (["<c>", "</c>"], ["-", "</r>"], "'-'"),
    ],
)
def test_results_whose_json_a_marker_may_be_in_are_refused(call, result, alike):
    """What is like a marker has an escape in strings alone."""
    payload = {"kind": "object"}
    form = cogwire.Format.from_json(
        {"name": "own", "call": call, "result": result, "payload": payload}
    )
    results = [{"tool": "a", "status": "success", "content": [[1]]}]
    with pytest.raises(cogwire.RenderError, match=f"^results: {re.escape(alike)} may be in") as why:
        cogwire.render_results(results, form)
    assert why.value.path == ""


def test_results_without_markers_are_refused():
    form = cogwire.Format.from_json(KIMI)
    results = [{"tool": "a", "status": "success", "content": "x"}]
    call = {"type": "call", "content": '{"name": "a", "args": {}}'}
    with pytest.raises(cogwire.RenderError, match="no markers: use the model's chat template"):
        cogwire.render_results(results, form)
    with pytest.raises(cogwire.RenderError, match=r"^/0: .*no markers: use the model's chat"):
        cogwire.to_messages([call, {"type": "user", "content": "Go on."}], form)
    with pytest.raises(cogwire.RenderError, match="of results, so it has no transcripts"):
        cogwire.render_events([{"type": "respond", "content": "Hi."}], form)


# --- Conversions --------------------------------------------------------------------------------

RESULT = '<results>[{"tool": "a", "status": "success", "content": 1}]</results>'


def block(args):
    """Return a call with these arguments, which are JSON."""
    return f'<execute>[{{"name": "a", "args": {args}}}]</execute>'


@rows("described", [LFM, OLMO, GEMMA])
def test_a_call_of_another_format_keeps_its_numbers(described):
    form = answered(described)
    written = cogwire.convert(block('{"\\u0078": 1.0, "y": "\\/"}'), "xml-json", form)
    expected = call('{"name": "a", "args": {"x": 1.0, "y": "/"}}')
    assert bare(cogwire.parse(written, form, clock=None))[0] == expected


def test_a_member_whose_name_has_a_quote_is_written_with_an_escape():
    described = {"name": "q", "call": ["<c>", "</c>"], "payload": {"kind": "object", "name": 'n"'}}
    written = cogwire.convert(block("{}"), "xml-json", cogwire.Format.from_json(described))
    assert written == '<c>{"n\\"": "a", "arguments": {}}</c>'


@rows(
    ("names", "text"),
    [
        (("xml-json", None), block("{}")),
        ((None, "xml-json"), '<s><c>{"name": "a", "arguments": {}}</c></s>'),
    ],
)
def test_no_call_is_converted_whose_opener_would_become_a_longer_marker(names, text):
    """Nor one that could be written, if it could not be converted back."""
    described = {"name": "a", "call": ["<c>", "</c>"], "section": ["<s>", ["</s>", "<c>\n"]]}
    form = cogwire.Format.from_json({**described, "gap": "\n", "payload": {"kind": "object"}})
    report = []
    source, target = (name or form for name in names)
    assert cogwire.convert(text, source, target, report=report) == ""
    assert {each["code"] for each in report} == {"dropped"}
    assert "would begin with the marker '<c>\\n'" in report[0]["message"]


@rows("described", [APERTUS, KEYED])
def test_a_call_in_another_format_is_written_with_its_own_spelling(described):
    text = '<execute>[{"name": "\\u0061", "args": {"x": 1.0}}]</execute>' + RESULT
    assert '{"\\u0061": {"x": 1.0}}' in cogwire.convert(text, "xml-json", answered(described))


def test_a_conversion_keeps_the_spelling_of_json():
    args = '{"s": "\\u0061", "n": 1.50, "b": false, "z": null, "o": {"k":1}, "l": [ ]}'
    written = cogwire.convert(block(args) + RESULT, "xml-json", answered(DSML))
    assert written.startswith(
        "<｜DSML｜tool_calls>\n"
        + dsml(
            *(("s", "true", "a"), ("n", "false", "1.50"), ("b", "false", "false")),
            *(("z", "false", "null"), ("o", "false", '{"k":1}'), ("l", "false", "[ ]")),
        )
    )


def test_a_conversion_leaves_out_what_would_end_a_value():
    report = []
    text = block('{"s": "</｜DSML｜parameter>"}') + RESULT
    assert cogwire.convert(text, "xml-json", answered(DSML), report=report) == ""
    assert "/args/s: </｜DSML｜parameter>, which would end the value" in report[0]["message"]


def test_a_call_of_another_format_is_written_as_one_text():
    text = '<execute>[{"name": "bash", "args": {"command": "l\\u0073"}}]</execute>'
    assert cogwire.convert(text, "xml-json", answered(COMMAND)) == "```bash\nls\n```"


def test_text_between_calls_is_moved_before_a_section():
    target = cogwire.Format.from_json(
        like(description("deepseek-v3.1"), payload={"kind": "object"})
    )
    first, second = (
        f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>' for name in "ab"
    )
    results = "<tool_response>1</tool_response><tool_response>2</tool_response>"
    report = []
    text = cogwire.convert(f"{first}x{second}{results}", "hermes", target, report=report)
    events = bare(cogwire.parse_transcript(text, target, clock=None))
    assert [event["type"] for event in events] == ["respond", "call", "call", "execute", "result"]
    assert [change["code"] for change in report] == ["moved"]


# --- Messages -----------------------------------------------------------------------------------


@rows(
    ("described", "block"),
    [
        ({}, "<C]{CALL}</C]\n<C]{CALL}</C]"),
        ({"section": ["<S]", "</S]"]}, "<S]\n<C]{CALL}</C]\n<C]{CALL}</C]\n</S]"),
        ({"payload": {"kind": "array"}}, "<C][\n  {CALL},\n  {CALL}\n]</C]"),
    ],
)
def test_messages_have_the_parts_of_the_format(described, block):
    form = cogwire.Format.from_json(
        {
            "name": "parts",
            "call": ["<C]", "</C]"],
            "payload": {"kind": "object"},
            "result": ["<R]", "</R]"],
            **described,
        }
    )
    call = {"type": "call", "content": '{"name": "a", "args": {}}'}
    events = [
        {"type": "user", "content": "<C] </r]"},
        *({"type": kind, "content": "<C] </think>"} for kind in ("think", "respond", "respond")),
        *(call, call),
        results(success("a", '"<c x </r"'), success("a", '"y"')),
    ]
    report = []
    assert cogwire.to_messages(events, form, report=report) == [
        {"role": "user", "content": "<C] &lt;/r]"},
        {
            "role": "assistant",
            "content": "<think><C] &lt;/think></think>\n&lt;C] </think>\n&lt;C] </think>\n"
            + block.replace("CALL", '"name": "a", "arguments": {}'),
        },
        {"role": "user", "content": '<R]"\\u003cc x \\u003c/r"</R]\n<R]y</R]'},
    ]
    neutralised = {(index, "neutralised") for index in (0, 1, 2, 3, 6)}
    assert {(each["index"], each["code"]) for each in report} == {*neutralised, (3, "joined")}


@rows(
    "text, written",
    [
        ("b<|start|>c", "b&lt;|start|>c"),
        ("b<atem:function_calls>c", "b&lt;atem:function_calls>c"),
        ("b<|eom|>c", "b&lt;|eom|>c"),
        ("b<|message|>c", "b<|message|>c"),
    ],
)
def test_a_think_is_written_without_what_would_end_it(text, written):
    """A header that names the tool is for the reader only, since the call has the name again."""
    opener = "<|start|>assistant to=self<|message|>"
    think_parts = [opener, ["<|eom|>", "<|eot|>"]]
    muse = like(description("muse"), think=think_parts, think_ends_at_call=True)
    assert cogwire.to_messages([think(text), respond("d")], answered(muse)) == [
        {"role": "assistant", "content": f"{opener}{written}<|eom|>\nd"}
    ]
    assert safe(text, "think", muse) == written


FENCED = {
    "name": "fenced",
    "think": ["```thought\n", "```"],
    "call": ["<call>", "</call>"],
    "result": ["```output\n", "```"],
    "payload": {"kind": "object"},
}


@rows(
    "text, written",
    [
        ("use `ls`", "use `ls&#96;"),
        ("use ``ls``", "use ``ls&#96;&#96;"),
        ("use `ls` ", "use `ls&#96;"),
        ("use `ls", "use `ls"),
    ],
)
def test_a_think_that_ends_like_the_beginning_of_its_closer_does_not_close_early(text, written):
    form = cogwire.Format.from_json(FENCED)
    report = []
    assert cogwire.to_messages([think(text), respond("d")], form, report=report) == [
        {"role": "assistant", "content": f"```thought\n{written}```\nd"}
    ]
    assert safe(text, "think", FENCED) == written
    assert bool(report) == (written != text)
    converted = cogwire.convert(f"<think>{text}</think>d", "xml-json", form)
    assert bare(cogwire.parse(converted, form, clock=None)) == [think(written), respond("d")]


#: The openers of a think and a result are the beginnings of others.
BEGUN = {
    "name": "begun",
    "think": ["<|", "</t>"],
    "call": ["<|call|>", "<|end|>"],
    "result": ["<|r|>", "<|/r|>"],
    "ignored": ["<|r|>[pad]", '<|r|>""', "<|z</t>"],
    "payload": {"kind": "object"},
}


@rows(
    "text, written",
    [
        ('call|>{"name": "a", "arguments": {}}', '&#99;all|>{"name": "a", "arguments": {}}'),
        ("call|", "call|"),
        ("r|>", "&#114;|>"),
        ("z", "&#122;"),
        ("z ", "&#122;"),
        ("zz", "zz"),
    ],
)
def test_a_think_that_makes_a_marker_of_its_opener_stays_a_think(text, written):
    form = cogwire.Format.from_json(BEGUN)
    report = []
    [message] = cogwire.to_messages([think(text), respond("d")], form, report=report)
    assert message["content"] == f"<|{written}</t>\nd"
    assert safe(text, "think", BEGUN) == written
    assert bool(report) == (written != text)
    converted = cogwire.convert(f"<think>{text}</think>d", "xml-json", form)
    assert converted == message["content"]
    assert bare(cogwire.parse(converted, form, clock=None)) == [think(written), respond("d")]


@rows(
    "content, body",
    [("[pad] a", '"[pad] a"'), ("[pa", "[pa"), ("[pad", '"[pad"'), ("a", "a"), ("b", '"b"')],
)
def test_a_result_that_makes_a_marker_of_those_around_it_is_json(content, body):
    described = {**BEGUN, "result": ["<|r|>", ["]|x", "b]|"]], "ignored": ["<|r|>[pad]"]}
    form = cogwire.Format.from_json(described)
    items = [{"tool": "a", "status": "success", "content": content}]
    assert cogwire.render_results(items, form) == f"<|r|>{body}]|x"


def test_a_result_whose_json_makes_a_marker_of_its_opener_is_refused():
    items = [{"tool": "a", "status": "success", "content": ""}]
    with pytest.raises(cogwire.RenderError, match="would make another marker"):
        cogwire.render_results(items, cogwire.Format.from_json(BEGUN))


def test_prose_that_more_prose_completes_to_a_marker_stays_prose():
    """What follows is joined to it with a line feed, which the marker has."""
    block = '```json\n[{"tool_name": "a", "parameters": {}}]\n```'
    report = []
    events = [respond("Action:"), respond(block)]
    [message] = cogwire.to_messages(events, "command-r", report=report)
    assert message["content"] == f"&#65;ction:\n{block}"
    assert safe("Action:", "respond", description("command-r")) == "&#65;ction:"
    assert [each["code"] for each in report] == ["neutralised", "joined"]
    converted = cogwire.convert(f"Action:<execute>[</execute>{block}", "xml-json", "command-r")
    assert converted == message["content"]


@rows(
    "opener, content, body",
    [
        ("nx>", "nnx>", r'"n\u006ex>"'),
        ("nx>", "a\nx>", r'"a\u000ax>"'),
        ("nx>", "\\\nx>", r'"\\\u000ax>"'),
        ("nx>", "\\nx>", r'"\\\u006ex>"'),
        ("/x>", "/x>", r'"\u002fx>"'),
        ("\U0001f600>", "\U0001f600>", r'"\ud83d\ude00>"'),
        ("B>", "b>", r'"\u0062>"'),
    ],
)
def test_an_escape_that_a_marker_begins_in_is_spelled_otherwise(opener, content, body):
    described = {
        "name": "own",
        "call": [[opener, "b>!"], "<end>"],
        "result": ["<r>", "</r>"],
        "payload": {"kind": "object"},
    }
    form = cogwire.Format.from_json(described)
    items = [{"tool": "a", "status": "success", "content": [content]}]
    assert cogwire.render_results(items, form) == f"<r>[{body}]</r>"


def test_prose_after_a_closer_that_opens_a_call_stays_prose():
    described = {**FENCED, "think": ["||t", "||"], "call": ["|\n", "</call>"]}
    form = cogwire.Format.from_json(described)
    prose = '{"name": "a", "arguments": {}}</call>'
    [message] = cogwire.to_messages([think("b|"), respond(prose)], form)
    read = cogwire.parse(message["content"], form, clock=None)
    assert bare(read) == [think("b&#124;"), respond(prose)]


@rows("content", ["use `ls`", "use ``ls``", "use `ls"])
def test_a_result_that_ends_like_the_beginning_of_its_closer_is_kept(content):
    form = cogwire.Format.from_json(FENCED)
    events = [
        call('{"name": "a", "args": {}}'),
        execute(),
        results(success("a", json.dumps(content))),
    ]
    messages = cogwire.to_messages([*events, {"type": "user", "content": "Go on."}], form)
    read = bare(cogwire.from_messages(messages, form))
    assert [each["content"] for each in json.loads(read[2]["content"])] == [content]
    assert read[3] == {"type": "user", "content": "Go on."}


@rows(
    "text, written",
    [
        ("[b()]", "&#91;b()]"),
        ("[1, 2]", "[1, 2]"),
        ("[the page](url)", "[the page](url)"),
        ("a [b()]", "a [b()]"),
    ],
)
def test_prose_that_would_be_a_call_is_neutralised(text, written):
    history = [{"type": "user", "content": "go"}, respond(text)]
    _, message = cogwire.to_messages(history, cogwire.Format.from_json(LISTS))
    assert message["content"] == written
    assert safe(text, "respond", LISTS) == written


# --- Prompts ------------------------------------------------------------------------------------

ONE_MEMBER = "Every call is an object with one member: the name of the tool"


@rows(
    "described, text",
    [
        (HARMONY, "Write each call before `<|call|>`: `<|start|>assistant<|channel|>commentary"),
        (HARMONY, " write `<|end|>`, since `<|call|>` ends your message."),
        (
            description("functionary-v3.2"),
            "Write each call in your message: `>>>`, the name of the tool, and its",
        ),
        (MINIMAX, " Write all calls between `<minimax:tool_call>` and `</mini"),
        (LFM, "a list of all calls"),
        (LFM, "A string is in single quotes, as in Python: `'` is written `\\'`, `\\` is written"),
        (OLMO, "each on a line of its own"),
        (OLMO, 'A string is in double quotes, as in Python: `"` is written `\\"`, `\\` is written'),
        (GEMMA, "A string is between two of"),
        (APERTUS, ONE_MEMBER),
        (KEYED, ONE_MEMBER),
        (AROUND, "a JSON object whose member `tool_calls` is a JSON array of objects with `name`"),
        (KEYED_AROUND, "is a JSON array of objects, each with one member, which is called like"),
        (AROUND, "one JSON object and nothing else"),
        (KEYED_AROUND, "one JSON object and nothing else"),
        (BRACED, "the name of the tool, and its arguments as a JSON object."),
    ],
)
def test_a_prompt_teaches_the_notation(described, text):
    tool = {"name": "a", "parameters": {"properties": {"x": {"type": "integer"}}}}
    assert text in cogwire.render_prompt(cogwire.Toolset([tool], answered(described)))


def test_a_prompt_with_other_tools_is_refused():
    with pytest.raises(ValueError, match="this format has one tool, 'python'"):
        cogwire.render_prompt(cogwire.Toolset([{"name": "python"}], answered(CODE)))
