"""Formats by description: turns by hand, refusals, and the laws on drawn descriptions."""

import copy
import gc
import json
import pickle
import sys
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import (
    bare,
    check,
    end,
    execute,
    respond,
    run,
    singles,
)
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    check_alike,
    description,
    path_refused,
    refusal,
)
from tests.core.wire.trained.formats import results, success
from tests.rows import rows

KIMI = description("kimi-k2")
OPEN, CLOSE = KIMI["section"]
HEAD = "<|tool_call_begin|>functions."
ARGS = "<|tool_call_argument_begin|>"
A = f'{HEAD}a:0{ARGS}{{"x": 1}}<|tool_call_end|>'
B = f"{HEAD}b:1{ARGS}{{}}<|tool_call_end|>"

DEEPSEEK = description("deepseek-v3.1")
DEEPSEEK_A = '<｜tool▁call▁begin｜>a<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜>'
HEADS = {
    "name": "two-heads",
    "call": ["[C]", ""],
    "payload": {"kind": "arguments", "head": ["{name}[A]", "{name}<I>{id}[A]"]},
    "ignored": ["[/C]"],
    "ends": ["</s>"],
}
MISTRAL_3 = {
    "name": "mistral-v3",
    "call": ["[TOOL_CALLS]", ""],
    "payload": {"kind": "array"},
    "ends": ["</s>"],
}
NEMOTRON = {
    "name": "nemotron",
    "call": ["<TOOLCALL>", "</TOOLCALL>"],
    "payload": {"kind": "array", "partial": True},
}
MINIMAX_2 = description("minimax-m2")
SEED = {
    "name": "seed-oss",
    "think": ["<seed:think>", "</seed:think>"],
    "call": ["<seed:tool_call>", "</seed:tool_call>"],
    "payload": {
        "kind": "tags",
        "tool": ["<function=", ">"],
        "key": ["<parameter=", ">"],
        "value": ["", "</parameter>"],
        "end": "</function>",
    },
    "ends": ["<seed:eos>"],
}


def like(described, **members):
    return {**described, **members}


def with_payload(described, **members):
    return {**described, "payload": {**described["payload"], **members}}


#: Markers that begin or end with another, or with a part of themselves.
OVERLAPPING = {
    "name": "overlapping",
    "think": [["<think>", "</think>\n"], "</think>"],
    "section": ["<calls>", "</calls>"],
    "call": ["<call>", "]]>"],
    "payload": {
        "kind": "tags",
        "tool": ["", "|"],
        "key": ["<key>", "="],
        "value": ["", "</value>"],
        "end": "<end>",
    },
    "ends": ["</calls>\n"],
    "ignored": ["</calls>\n<pad>"],
}
# --- Transcripts, writing and types -------------------------------------------------------------

ENDED = DEEPSEEK["ends"][0]
ANSWER = "<｜tool▁output▁begin｜>ok<｜tool▁output▁end｜>"


@rows(
    ("text", "events"),
    [
        (f"Hi.{ENDED}b", [respond("Hi."), end(), respond("b")]),
        (f"{DEEPSEEK_A}{ENDED}b", [CALL_A, execute(), respond("b")]),
        (
            f"{DEEPSEEK_A}{ENDED}{ANSWER}b",
            [CALL_A, execute(), results(success("a", '"ok"')), respond("b")],
        ),
    ],
)
def test_a_marker_ends_a_turn_of_a_transcript(text, events):
    check(text, events, dialect=cogwire.Format.from_json(DEEPSEEK), mode="transcript")


def test_a_transcript_needs_results():
    with pytest.raises(ValueError, match="kimi-k2"):
        cogwire.parse_transcript("a", cogwire.Format.from_json(KIMI))


CALLS = [{"name": "a", "args": {"x": 1}}, {"name": "b", "args": {}}]


def test_a_batch_is_written_as_a_section():
    written = cogwire.render_calls(CALLS, cogwire.Format.from_json(KIMI))
    assert written == f"{OPEN}\n{A}\n{B}\n{CLOSE}"


def test_a_batch_is_written_as_an_array():
    written = cogwire.render_calls(CALLS, cogwire.Format.from_json(NEMOTRON))
    assert written == (
        '<TOOLCALL>[\n  {"name": "a", "arguments": {"x": 1}},\n'
        '  {"name": "b", "arguments": {}}\n]</TOOLCALL>'
    )


@rows(
    "marker,value,written",
    [
        pytest.param("[a", "[a", r'{"x": "\u005ba"}', id="in a string"),
        pytest.param("[1", [1, "[1"], '{"x": [1, "[1"]}', id="where an array begins"),
        pytest.param('"a', ["a"], '{"x": ["a"]}', id="where a string begins"),
        pytest.param("ntry", "\ntry", r'{"x": "\ntry"}', id="in an escape"),
    ],
)
def test_a_marker_is_spelled_otherwise_only_where_the_value_stays_the_same(marker, value, written):
    form = cogwire.Format.from_json(like(KIMI, ignored=[marker]))
    text = cogwire.render_calls([{"name": "a", "args": {"x": value}}], form)
    assert written in text


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


def test_text_between_calls_is_moved_before_a_section():
    target = cogwire.Format.from_json({**DEEPSEEK, "payload": {"kind": "object"}})
    first, second = (
        f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>' for name in "ab"
    )
    results = "<tool_response>1</tool_response><tool_response>2</tool_response>"
    report = []
    text = cogwire.convert(f"{first}x{second}{results}", "hermes", target, report=report)
    events = bare(cogwire.parse_transcript(text, target, clock=None))
    assert [event["type"] for event in events] == ["respond", "call", "call", "execute", "result"]
    assert [change["code"] for change in report] == ["moved"]


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


def test_results_without_markers_are_refused():
    results = [{"tool": "a", "status": "success", "content": "x"}]
    with pytest.raises(cogwire.RenderError, match="no markers: use the model's chat template"):
        cogwire.render_results(results, cogwire.Format.from_json(KIMI))


def test_what_is_for_a_format_names_it():
    form = cogwire.Format.from_json(KIMI)
    assert cogwire.Format.from_json(KIMI).wire is form.wire
    for owner in (form, cogwire.Parser(form), cogwire.Batch(form), cogwire.Assembler(form)):
        assert cogwire.Toolset([], owner).wire == form.wire
        assert owner.dialect == owner.wire.dialect == "kimi-k2"


@rows("copied", [copy.copy, copy.deepcopy, lambda form: pickle.loads(pickle.dumps(form))])  # noqa: S301
def test_a_format_that_was_used_is_copied_without_its_dialect(copied):
    form = cogwire.format_named("harmony").format
    assert form.wire.name == "harmony"
    assert copied(form) == form
    assert "wire" not in vars(copied(form))


def sizes_without_bound():
    """Return how much each cache of the library has that is never emptied."""
    modules = [each for name, each in sys.modules.items() if name.startswith(cogwire.__name__)]
    caches = [
        value
        for module in modules
        for value in vars(module).values()
        if hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] is None
    ]
    return [cache.cache_info().currsize for cache in caches]


@rows(
    ("described", "varied", "body"),
    [
        (KIMI, "call_", f"{OPEN}{A}<|tool_calls_section_end|>"),
        (HEADS, "[A]", "[C]a[A]{}"),
        (MISTRAL_3, "[TOOL", '[TOOL_CALLS][{"name": "a", "arguments": {}}]'),
        (NEMOTRON, "TOOLCALL", '<TOOLCALL>[{"name": "a"}]</TOOLCALL>'),
        (SEED, "tool_call", f"{SEED['call'][0]}<function=a></function>{SEED['call'][1]}"),
        (
            {**description("hermes"), "bare": True, "payload": {"kind": "object"}},
            "tool_call",
            '<tool_call>{"name": "a", "arguments": {}}</tool_call>',
        ),
    ],
)
def test_no_description_is_kept_for_ever(described, varied, body):
    written = json.dumps({**described, "name": "custom"}, ensure_ascii=False)
    made, sizes = [], {}
    for number in range(100):
        other = f"{varied}{number}-"
        form = cogwire.Format.from_json(json.loads(written.replace(varied, other)))
        events = cogwire.parse(body.replace(varied, other), form)
        assert [event["type"] for event in events] == ["call", "execute"]
        cogwire.render_calls([{"name": "a", "args": {}}], form)
        cogwire.tooling.notation(form)
        made.append(weakref.ref(form))
        if number in {0, 99}:
            sizes[number] = sizes_without_bound()
    del form
    gc.collect()
    assert not any(one() for one in made[:30])
    assert sizes[99] == sizes[0]


@rows(
    ("described", "name", "args", "path"),
    [
        (KIMI, "a:b", {}, "/0/name"),
        (KIMI, "\ud83d", {}, "/0/name"),
        (MINIMAX_2, 'a"', {}, "/0/name"),
        (MINIMAX_2, "a", {"x": "</parameter>"}, "/0/args/x"),
        (MINIMAX_2, "a", {"x": 3}, "/0/args/x"),
    ],
)
def test_what_would_not_be_read_back_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_word_is_the_json_that_it_stands_for():
    described = with_payload(SEED, words={"True": "true"})
    tool = {"name": "a", "parameters": {"properties": {"b": {"type": "boolean"}}}}
    toolset = cogwire.Toolset([tool], cogwire.Format.from_json(described))
    for text, value in {"true": True, "True": True, "TRUE": "TRUE"}.items():
        assert toolset.check({"name": "a", "args": {"b": text}}).args == {"b": value}


def test_an_array_without_calls_holds_nothing_back():
    form = cogwire.Format.from_json(MISTRAL_3)
    text = "[TOOL_CALLS][]x[TOOL_CALLS][]"
    outcome = run(singles(text), dialect=form, hop=True, calls="sealed", raw=True)
    assert bare(outcome.events) == [{**respond("x"), "raw": "[TOOL_CALLS][]x"}]
    assert outcome.tail == "[TOOL_CALLS][]"


def test_the_member_with_the_name_may_be_called_as_args_are_elsewhere():
    form = cogwire.Format.from_json(
        with_payload(NEMOTRON, name="arguments", args="values")  # it is partial
    )
    text = '<TOOLCALL>[{"arguments": "b"}]</TOOLCALL>'
    assert bare(cogwire.parse(text, form, clock=None)) == [CALL_B, execute()]


# --- Refusals -----------------------------------------------------------------------------------


@rows(
    "described, message",
    [
        ([], "the description: an object is needed"),
        (
            "{}",
            "the description: an object is needed, not its text: decode it, as json.loads does",
        ),
        (
            like(KIMI, ends=["a", "<think>"]),
            "the description: /think/0 and /ends/1 are the same marker, '<think>'",
        ),
        (
            like(KIMI, ignored=["x<|im_end|>"]),
            "the description: '<|im_end|>' and 'x<|im_end|>', which contains it, are live together",
        ),
        (like(MINIMAX_2, call=["a", ""]), "/payload/end: a marker is needed here, or in /call/1"),
        (
            with_payload(MINIMAX_2, key=["", "b"]),
            "/payload/key/0: a marker is needed here",
        ),
        (
            like(KIMI, other=1),
            (
                "/other: unknown member; known: name, call, payload, think, section, result, ends, "
                "ignored, gap, think_ends_at_call, header, bare"
            ),
        ),
        (
            with_payload(SEED, words={"T": "true", "N": "null", "Y": "yes"}),
            "/payload/words/Y: 'yes' is not JSON, such as true",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(described, message):
    assert refusal(described) == message


def test_an_error_in_a_section_says_what_may_follow():
    (error,) = cogwire.parse("<|tool_calls_section_begin|>x", "kimi-k2", clock=None)
    markers = "<|tool_call_begin|> or <|tool_calls_section_end|>"
    assert error["content"].startswith(f"Between calls only {markers} may follow.")


# --- Laws ---------------------------------------------------------------------------------------


@given(st.data())
def test_it_reads_what_the_executable_spec_reads(data):
    described = data.draw(make.descriptions())
    check_alike(data, described, data.draw(make.described_texts(described)))
