"""Calls in the notation of Python, in a list or on lines, and in that of Gemma."""

import json

import pytest

from tests import cogwire
from tests.core.helpers import bare, call, execute, run
from tests.core.wire.described.reading import (
    description,
    path_refused,
)
from tests.core.wire.trained.formats import delta
from tests.rows import rows

#: LFM2 and LFM2.5.
LFM = description("lfm2")
OPEN, CLOSE = LFM["call"]


#: Olmo 3.
OLMO = description("olmo-3")
#: Gemma 4.
GEMMA = description("gemma-4")


def test_deltas_show_what_is_known():
    parser = cogwire.Parser(
        cogwire.Format.from_json(LFM), stream="token", call_deltas=True, clock=None
    )
    chunks = {
        f"{OPEN}[a(": [delta("{")],
        "x": [],
        "=": [delta('"x": ')],
        "'": [delta('"')],
        "b\\u00": [delta("b")],
        "e9\\": [delta("é")],
        "n'": [delta('\\n"')],
        ", y": [],
        "=[1": [delta(', "y": [1')],
        "2,": [delta("2")],
        "Tru": [delta(", ")],
        "e,]": [delta("true]")],
        ")": [delta("}"), call('{"name": "a", "args": {"x": "bé\\n", "y": [12, true]}}')],
    }
    assert {chunk: parser.feed(chunk) for chunk in chunks} == chunks


def test_deltas_end_before_a_character_for_which_there_is_no_room():
    form = cogwire.Format.from_json(LFM)
    for chunks in ([f"{OPEN}[a(x='bcd')]"], list(f"{OPEN}[a(x='bcd')]")):
        limits = cogwire.Limits(size=len("[a(x='bc"))
        options = {"limits": limits, "stream": "token", "call_deltas": True}
        shown, broken = bare(run(chunks, dialect=form, **options).events)
        assert shown == delta('{"x": "bc')
        assert (broken["code"], broken["path"]) == ("limit-size", "/0/args/x")


def test_long_strings_take_the_fast_path():
    """Chunks inside a string that no quote or escape is in are taken without the machine."""
    for described, text in (
        (LFM, f"{OPEN}[a(x='{'b' * 50}\\n{'c' * 50}', y={{'{'k' * 50}': '''{'d' * 50}'''}})]"),
        (GEMMA, f'<|tool_call>call:a{{x:<|"|>{"b" * 50}<{"c" * 50}<|"|>}}'),
    ):
        form = cogwire.Format.from_json(described)
        whole = bare(cogwire.parse(text, form, clock=None))
        assert whole[0]["type"] == "call"
        for size in (2, 3, 7):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            assert bare(run(chunks, dialect=form).events) == whole
            limits = cogwire.Limits(size=40)
            events = [run(each, dialect=form, limits=limits).events for each in (chunks, [text])]
            assert bare(events[0]) == bare(events[1])


# --- Writing ------------------------------------------------------------------------------------

CALLS = [
    {"name": "a", "args": {"x": 'it\'s "é"\n\\/', "n": [1, None, True, {"k.1": {}, "l m": 2.5}]}},
    {"name": "b", "args": {}},
]


@rows(
    "described, expected",
    [
        (
            LFM,
            (
                f"{OPEN}[a(x='it\\'s \"é\"\\n\\\\/', n=[1, None, True, {{'k.1': {{}}, 'l m': 2.5}}]), "
                f"b()]{CLOSE}"
            ),
        ),
        (
            {**OLMO, "gap": "\n"},
            (
                '<function_calls>\na(x="it\'s \\"é\\"\\n\\\\/", '
                'n=[1, None, True, {"k.1": {}, "l m": 2.5}])\nb()\n</function_calls>'
            ),
        ),
        (
            GEMMA,
            (
                '<|tool_call>call:a{x:<|"|>it\'s "é"\n\\/<|"|>,n:[1,null,true,'
                '{k.1:{},<|"|>l m<|"|>:2.5}]}<tool_call|>\n<|tool_call>call:b{}<tool_call|>'
            ),
        ),
    ],
)
def test_a_batch_is_written(described, expected):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == expected
    contents = [json.dumps(each, ensure_ascii=False) for each in CALLS]
    assert bare(cogwire.parse(expected, form, clock=None)) == [*map(call, contents), execute()]


@rows(
    "described, name, args, path",
    [
        (LFM, "a b", {}, "/0/name"),
        (LFM, "", {}, "/0/name"),
        (LFM, "a", {"x y": 1}, "/0/args/x y"),
        (LFM, "a", {"x": float("inf")}, "/0/args/x"),
        (LFM, "a", {"x": "\ud800"}, "/0/args/x"),
        (GEMMA, "a{", {}, "/0/name"),
        (GEMMA, "\ud800", {}, "/0/name"),
        (GEMMA, "a", {"x": {"y": '<|"|>'}}, "/0/args/x"),
        (GEMMA, "a", {'<|"|>': 1}, '/0/args/<|"|>'),
        (
            {**GEMMA, "payload": {**GEMMA["payload"], "quote": "<a<"}},
            "a",
            {"x": "b<a"},
            "/0/args/x",
        ),
    ],
)
def test_what_would_not_be_read_back_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_batch_that_is_longer_than_its_json_is_measured():
    """Each empty string is two thousand characters in this notation, and two in JSON."""
    items = [{"name": "a", "args": {"x": [""] * 4_500}}]
    assert cogwire.render_calls(items)
    payload = {**GEMMA["payload"], "quote": f"<{'q' * 1000}>"}
    with pytest.raises(cogwire.RenderError):
        cogwire.render_calls(items, cogwire.Format.from_json({**GEMMA, "payload": payload}))


@rows("described", [LFM, OLMO, GEMMA])
def test_a_call_of_another_format_keeps_its_numbers(described):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    text = '<execute>[{"name": "a", "args": {"\\u0078": 1.0, "y": "\\/"}}]</execute>'
    written = cogwire.convert(text, "xml-json", form)
    expected = call('{"name": "a", "args": {"x": 1.0, "y": "/"}}')
    assert bare(cogwire.parse(written, form, clock=None))[0] == expected


@rows(
    "described, text",
    [
        (LFM, "a list of all calls"),
        (LFM, "A string is in single quotes, as in Python: `'` is written `\\'`, `\\` is written"),
        (OLMO, "each on a line of its own"),
        (OLMO, 'A string is in double quotes, as in Python: `"` is written `\\"`, `\\` is written'),
        (GEMMA, "A string is between two of"),
    ],
)
def test_a_prompt_teaches_the_notation(described, text):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    assert text in cogwire.render_prompt(cogwire.Toolset([{"name": "a"}], form))


def test_a_tool_set_reads_the_values_as_they_are():
    tool = {"name": "a", "parameters": {"properties": {"x": {"type": "integer"}}}}
    toolset = cogwire.Toolset([tool], cogwire.Format.from_json(LFM))
    assert toolset.check({"name": "a", "args": {"x": 1}}).problems == []
    assert toolset.check({"name": "a", "args": {"x": "1"}}).problems != []


# --- Refusals -----------------------------------------------------------------------------------
