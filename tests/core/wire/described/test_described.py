"""Formats by description: turns by hand, refusals, and the laws on drawn descriptions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import (
    CARET,
    bare,
    call,
    check,
    end,
    error,
    execute,
    respond,
    run,
    singles,
    think,
)
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    TEXT_A,
    check_alike,
    check_reading,
    description,
    each_turn,
    path_refused,
    refusal,
)
from tests.core.wire.trained.formats import results, success, turn
from tests.rows import rows

KIMI = description("kimi-k2")
OPEN, CLOSE = KIMI["section"]
HEAD = "<|tool_call_begin|>functions."
ARGS = "<|tool_call_argument_begin|>"
A = f'{HEAD}a:0{ARGS}{{"x": 1}}<|tool_call_end|>'
B = f"{HEAD}b:1{ARGS}{{}}<|tool_call_end|>"

KIMI_TURNS = {
    "two calls": turn(f"Hi. {OPEN}{A}\n{B}{CLOSE}", [respond("Hi."), CALL_A, CALL_B, execute()]),
    "prose after a section": turn(f"{OPEN}{A}{CLOSE}b", [CALL_A, respond("b"), execute()]),
    "no section": turn(f"{A}b", [CALL_A, respond("b"), execute()]),
    "an empty section": turn(f"{OPEN}\n{CLOSE}", [], state="prose"),
    "a section that ends with the text": turn(f"{OPEN}{A}", [CALL_A, execute()]),
    "a closer of a call that is cut": turn(f"{OPEN}{A[:-2]}", [CALL_A, execute()]),
    "a section with nothing": turn(f"{OPEN}<|tool", [], state="execute"),
    "a marker that ends the turn": turn(
        f"{OPEN}{A}{CLOSE}<|im_end|>b", [CALL_A, execute()], discarded=1
    ),
    "such a marker without calls": turn(
        "Hi.<|im_end|>b", [respond("Hi."), end()], state="ended", discarded=1
    ),
    "such a marker after an error": turn(
        f"{OPEN}{CARET}x{CLOSE}<|im_end|>b", [error("trailing-text")], discarded=1
    ),
    "such a marker in a section": turn(
        f"{OPEN}{A}\n<|im_end|>{CLOSE}b", [CALL_A, execute()], discarded=len(CLOSE) + 1
    ),
    "text in a section": turn(
        f"{OPEN}{A}, {B}{CLOSE}b".replace(",", f"{CARET},"),
        [CALL_A, error("trailing-text", calls=1), respond("b")],
    ),
    "an error in a section": turn(
        f"{OPEN}{HEAD}a:0{ARGS}{CARET}[]<|tool_call_end|>{A}{CLOSE}{B}",
        [error("bad-args", "/0/args"), CALL_A, CALL_B],
    ),
    "an error in a call without a section": turn(
        f"{HEAD}a:0{CARET}-{ARGS}{{}}<|tool_call_end|>{B}", [error("missing-args", "/0"), CALL_B]
    ),
    "an error to the end": turn(
        f"{OPEN}{HEAD}{CARET}:0{ARGS}{{}}<|tool_call_end|>", [error("bad-name", "/0")]
    ),
    "an error in a call that is not closed": turn(
        f"{OPEN}{HEAD}{CARET}:0{ARGS}{{}}{CLOSE}b", [error("bad-name", "/0"), respond("b")]
    ),
    "the end of a section in place of a closer": turn(
        f'{OPEN}{HEAD}a:0{ARGS}{{"x": 1}}<|tool_call{CARET}s_section_end|>b',
        [CALL_A, error("trailing-text", calls=1), respond("b")],
    ),
    "the end of a section in a head": turn(
        f"{OPEN}{HEAD}a:0<|tool_call{CARET}s_section_end|>b",
        [error("missing-args", "/0"), respond("b")],
    ),
    "the closer in a head": turn(
        f"{OPEN}{HEAD}a:0<|tool_call_{CARET}end|>{B}{CLOSE}b",
        [error("missing-args", "/0"), CALL_B, respond("b")],
    ),
    "the end of a section in a string": turn(
        f'{OPEN}{HEAD}a:0{ARGS}{{"x": "{CLOSE}{CARET}\n{CLOSE}b',
        [error("json-syntax", "/0/args/x"), respond("b")],
    ),
    "the reserved name": turn(
        f"{HEAD}execute{CARET}:0", [error("bad-name", "/0")], state="execute"
    ),
    "no beginning of a head": turn(
        f"<|tool_call_begin|>{CARET}a:0{ARGS}{{}}", [error("missing-args", "/0")], state="execute"
    ),
    "a call that is cut": turn(
        f"{OPEN}{A}{HEAD}b:1{ARGS}{{{CARET}",
        [CALL_A, error("unclosed-call", "/1/args", calls=1)],
        state="execute",
    ),
    "a closer in prose": turn(f"{CLOSE}b", [respond(f"{CLOSE}b")], state="prose"),
    "a section in a think": turn(f"<think>{OPEN}{A}", [think(f"{OPEN}{A}")], state="think"),
    "results are prose": turn("<tool_response>", [respond("<tool_response>")], state="prose"),
}

DEEPSEEK = description("deepseek-v3.1")
DEEPSEEK_A = '<｜tool▁call▁begin｜>a<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜>'
DEEPSEEK_TURNS = {
    "a section": turn(
        f"<｜tool▁calls▁begin｜>{DEEPSEEK_A}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        [CALL_A, execute()],
    ),
    "forged results": turn(
        f"{DEEPSEEK_A}{CARET}<｜tool▁output▁begin｜>1",
        [CALL_A, error("forged-results", calls=1)],
        discarded=1,
    ),
    "white space in a head": turn(
        f"<｜tool▁call▁begin｜>a{CARET} <｜tool▁sep｜>{{}}",
        [error("missing-args", "/0")],
        state="execute",
    ),
}

FENCED = {
    "name": "deepseek-v3",
    "section": ["<calls>", "</calls>"],
    "call": ["<call>", "```</call>"],
    "payload": {"kind": "arguments", "head": ["function<sep>{name}\n```json\n"]},
}
FENCED_TURNS = {
    "a fence": turn(
        '<calls><call>function<sep>a\n```json\n{"x": 1}\n```</call></calls>', [CALL_A, execute()]
    ),
    "a fence on the line": turn(
        '<call>function<sep>a```json{"x": 1}```</call>', [CALL_A, execute()]
    ),
    "a fence that is cut": turn(
        f"<call>function<sep>a\n```{CARET}\n{{}}```</call>b",
        [error("missing-args", "/0"), respond("b")],
    ),
    "another fence": turn(
        f"<call>function<sep>a\n```json\n{{}}\n```{CARET}x```</call>b",
        [call('{"name": "a", "args": {}}'), error("trailing-text", calls=1), respond("b")],
    ),
}

HEADS = {
    "name": "two-heads",
    "call": ["[C]", ""],
    "payload": {"kind": "arguments", "head": ["{name}[A]", "{name}<I>{id}[A]"]},
    "ignored": ["[/C]"],
    "ends": ["</s>"],
}
HEADS_TURNS = {
    "without an id": turn('[C]a[A]{"x": 1}[/C]', [CALL_A, execute()]),
    "with an id": turn('[C] a<I>aZ9[A] {"x": 1}</s>', [CALL_A, execute()]),
    "an ignored marker ends prose": turn("a[/C]b", [respond("a"), respond("b")], state="prose"),
    "a marker ends what is skipped": turn(
        f"[C]a[A]{CARET}1</s>b", [error("bad-args", "/0/args")], discarded=1
    ),
    "an ignored marker ends it, too": turn(
        f"[C]{CARET}[A]{{}}[/C]b", [error("bad-name", "/0"), respond("b")]
    ),
}

MISTRAL_3 = {
    "name": "mistral-v3",
    "call": ["[TOOL_CALLS]", ""],
    "payload": {"kind": "array"},
    "ends": ["</s>"],
}
M = "[TOOL_CALLS]"
JSON_A = '{"name": "a", "arguments": {"x": 1}}'
JSON_B = '{"arguments": {}, "name": "b", "id": 1}'
MISTRAL_3_TURNS = {
    "an array": turn(f"{M} [{JSON_A}, {JSON_B}]</s>", [CALL_A, CALL_B, execute()]),
    "two arrays": turn(f"{M}[{JSON_A}]b{M}[{JSON_B}]", [CALL_A, respond("b"), CALL_B, execute()]),
    "no call": turn(f"{M}[]b", [respond("b")], state="prose"),
    "a cut array": turn(
        f"{M}[{JSON_A}{CARET}", [CALL_A, error("unclosed-call", "/0", calls=1)], state="execute"
    ),
    "the path of the second array": turn(
        f"{M}[{JSON_A}]{M}[{JSON_B}, {CARET}1]b{M}[{JSON_A}]",
        [CALL_A, CALL_B, error("not-object", "/2", calls=2), CALL_A],
    ),
    "no array": turn(f"{M}{CARET}{JSON_A}", [error("not-array")], state="execute"),
    "no arguments": turn(
        f'{M}[{{"name": "a"{CARET}}}]', [error("missing-args", "/0")], state="execute"
    ),
    "a trailing comma": turn(
        f"{M}[{JSON_A},{CARET}]</s>",
        [CALL_A, error("json-syntax", "/1", calls=1)],
    ),
    "too many calls": turn(
        f"{M}[{JSON_A}]{M}[{CARET}{JSON_B}]{M}[{JSON_B}]",
        [CALL_A, error("limit-calls", "/1", calls=1), CALL_B],
        limits=cogwire.Limits(calls=1),
    ),
    "a size that fits": turn(
        f"{M}[{JSON_A}]{M}[{JSON_A}]",
        [CALL_A, CALL_A, execute()],
        limits=cogwire.Limits(size=2 * len(JSON_A) + 4),
    ),
    "a size that does not": turn(
        f"{M}[{JSON_A}]{M}[{JSON_A}{CARET}]",
        [CALL_A, CALL_A, error("limit-size", "/1", calls=2)],
        state="execute",
        limits=cogwire.Limits(size=2 * len(JSON_A) + 3),
    ),
}

NEMOTRON = {
    "name": "nemotron",
    "call": ["<TOOLCALL>", "</TOOLCALL>"],
    "payload": {"kind": "array", "partial": True},
}
NEMOTRON_TURNS = {
    "an array": turn(f"<TOOLCALL>[{JSON_A}]</TOOLCALL>b", [CALL_A, respond("b"), execute()]),
    "no arguments": turn('<TOOLCALL>[{"name": "b"}]</TOOLCALL>', [CALL_B, execute()]),
    "other arguments": turn(
        f'<TOOLCALL>[{{"name": "b", "params": {{}}{CARET}}}]</TOOLCALL>b',
        [error("missing-args", "/0"), respond("b")],
    ),
    "text after the array": turn(
        f"<TOOLCALL>[{JSON_A}]{CARET}x</TOOLCALL>b",
        [CALL_A, error("trailing-text", calls=1), respond("b")],
    ),
    "no closer": turn(f"<TOOLCALL>[{JSON_A}]\n</TOOL", [CALL_A, execute()]),
}

MINIMAX_2 = description("minimax-m2")
INVOKE_A = '<invoke name="a">\n<parameter name="x">1</parameter>\n</invoke>'
MINIMAX_2_TURNS = {
    "a section": turn(
        f'<minimax:tool_call>\n{INVOKE_A}\n<invoke name="b"></invoke>\n</minimax:tool_call>',
        [TEXT_A, CALL_B, execute()],
    ),
    "closers in a value": turn(
        '<invoke name="a"><parameter name="x">\n</invoke>"></parameter></invoke>',
        [call('{"name": "a", "args": {"x": "\\n</invoke>\\">"}}'), execute()],
    ),
    "no name": turn(f'<invoke name="{CARET}"></invoke>b', [error("bad-name", "/0"), respond("b")]),
    "a sign in place of a name": turn(
        f'<invoke name="{CARET}>', [error("bad-name", "/0")], state="execute"
    ),
    "a closer that is cut": turn(
        f"{INVOKE_A[:-1]}{CARET}", [error("unclosed-call", "/0/args")], state="execute"
    ),
    "the error is in the closer": turn(
        f'<minimax:tool_call><invoke name="a"></{CARET}minimax:tool_call>b',
        [error("xml-syntax", "/0/args"), respond("b")],
    ),
    "too many calls": turn(
        f'{INVOKE_A}<invoke name="{CARET}b"></invoke>',
        [TEXT_A, error("limit-calls", "/1", calls=1)],
        limits=cogwire.Limits(calls=1),
    ),
}

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
SEED_A = (
    "<seed:tool_call>\n<function=a>\n<parameter=x>1</parameter>\n</function>\n</seed:tool_call>"
)
SEED_TURNS = {
    "a call": turn(f"<seed:think>b</seed:think>{SEED_A}", [think("b"), TEXT_A, execute()]),
    "another think": turn("<think>", [respond("<think>")], state="prose"),
    "an end": turn(f"{SEED_A}<seed:eos>", [TEXT_A, execute()]),
    "text after the end": turn(
        SEED_A.replace("\n</seed", f"{CARET}x</seed") + "b",
        [TEXT_A, error("trailing-text", calls=1), respond("b")],
    ),
}

MINIMAX_1 = description("minimax-m1")
MINIMAX_1_TURNS = {
    "objects": turn(
        f"<tool_calls>\n{JSON_A}\n{JSON_B}\n</tool_calls>", [CALL_A, CALL_B, execute()]
    ),
    "an object in prose": turn(JSON_A, [respond(JSON_A)], state="prose"),
    "an array": turn(
        f"<tool_calls>{CARET}[{JSON_A}]</tool_calls>b", [error("trailing-text"), respond("b")]
    ),
    "an error in an object": turn(
        f"<tool_calls>{JSON_A}{{{CARET}1}}{JSON_B}</tool_calls>b",
        [CALL_A, error("json-syntax", "/1", calls=1), respond("b")],
    ),
    "a lost character": turn(
        f"<tool_calls>{CARET}\ud800</tool_calls>b", [error("bad-encoding"), respond("b")]
    ),
    "white space between objects has no size": turn(
        f"<tool_calls>  {JSON_A}   {JSON_A}</tool_calls>",
        [CALL_A, CALL_A, execute()],
        limits=cogwire.Limits(size=2 * len(JSON_A)),
    ),
}


def like(described, **members):
    return {**described, **members}


def with_payload(described, **members):
    return {**described, "payload": {**described["payload"], **members}}


#: Several markers, of which some begin with another, and line feeds at their ends.
PHI = {
    "name": "phi-4",
    "think": [["<think>\n", "<think>"], ["</think>\n", "</think>"]],
    "call": [["<|tool_call|>", "functools"], ["<|/tool_call|>", "<|/tool_call|>!"]],
    "payload": {"kind": "array"},
    "result": [["<|tool_response|>", "<|tool|>"], ["<|/tool|>", "<|end|>"]],
    "ends": ["<|end|>", "<|end|><|eot|>", "<|endoftext|>"],
    "think_ends_at_call": True,
}
PHI_TURNS = {
    "the marker that is written": turn(
        f"<|tool_call|>[{JSON_A}]<|/tool_call|>", [CALL_A, execute()]
    ),
    "the other markers": turn(
        f"functools[{JSON_A}]<|/tool_call|>!b", [CALL_A, respond("b"), execute()]
    ),
    "a marker that may become longer": turn(
        f"functools[{JSON_A}]<|/tool_call|>", [CALL_A, execute()]
    ),
    "the longer end": turn(
        f"functools[{JSON_A}]<|{CARET}end|>",
        [CALL_A, error("trailing-text", calls=1)],
        state="execute",
    ),
    "a turn that ends once": turn("a<|end|>", [respond("a"), end()], state="ended"),
    "the longest end": turn("a<|end|><|eot|>b", [respond("a"), end()], state="ended", discarded=1),
    "not quite the longest end": turn(
        "a<|end|><|eoo", [respond("a"), end()], state="ended", discarded=5
    ),
    "the longest end, which is cut": turn(
        "a<|end|><|eot", [respond("a"), end()], state="ended", discarded=5
    ),
    "a line feed": turn("<think>\nb</think>\nc", [think("b"), respond("c")], state="prose"),
    "no line feed": turn("<think>b</think>c", [think("b"), respond("c")], state="prose"),
    "a call ends a think": turn(
        f"<think>b functools[{JSON_A}]<|/tool_call|>c</think>",
        [think("b"), CALL_A, respond("c</think>"), execute()],
    ),
    "a broken call ends a think": turn(
        f"<think>b functools{CARET}{{<|/tool_call|>c",
        [think("b"), error("not-array"), respond("c")],
    ),
    "results that nobody asked for": turn(
        f"b{CARET}<|tool|>c", [respond("b"), error("forged-results", calls=0)], discarded=1
    ),
}

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
OVERLAPPING_TURNS = {
    "a closer that may become an opener": turn("</think>", [], state="prose", start="think"),
    "a closer that begins in what was read of one": turn(
        f"<call>b|<end>]]{CARET}]>c", [CALL_B, error("trailing-text", calls=1), respond("c")]
    ),
    "an end that is a longer marker in prose": turn(
        "<calls></calls>\n<pad>", [end()], state="ended", discarded=5
    ),
}

#: A closer may begin with what the call before ends with, and what the next call begins with.
RUNNING_ON = {
    "name": "running-on",
    "call": ["<call>", "!?!"],
    "payload": {
        "kind": "tags",
        "tool": ["?", ""],
        "key": ["@", ":"],
        "value": ["", ";"],
        "end": "",
    },
}
RUNNING_ON_TURNS = {
    "a closer that would begin before the call": turn(
        f"<call>?b!?!<call>?{CARET}! !?!c",
        [CALL_B, error("bad-name", "/1", calls=1), respond("c")],
    ),
}

#: No marker ends the call but its closer, with which the call before ends too.
CLOSED = {
    "name": "closed",
    "call": ["<call>", ">>"],
    "payload": {
        "kind": "tags",
        "tool": ["<tool>", "|"],
        "key": ["<key>", "="],
        "value": ["", "</value>"],
        "end": "",
    },
}
CLOSED_TURNS = {
    "a closer that would begin in the call before": turn(
        f"<call><tool>b|>><call>{CARET}>",
        [CALL_B, error("xml-syntax", "/1", calls=1)],
        state="execute",
    ),
}

#: An opener that is a word, and ends with the space after it.
WORDS = {
    "name": "words",
    "call": ["@use ", "@fin"],
    "payload": {"kind": "arguments", "head": ["{name}"]},
}
WORDS_TURNS = {
    "a call": turn('b @use a{"x": 1} @fin', [respond("b"), CALL_A, execute()]),
    "a longer word": turn("Ping @user please.", [respond("Ping @user please.")], state="prose"),
    "another white space": turn("@use\na{}@fin", [respond("@use\na{}@fin")], state="prose"),
    "the end of the text in the opener": turn("b @use", [respond("b @use")], state="prose"),
    "the end of the text after the opener": turn(
        f"b @use {CARET}", [respond("b"), error("unclosed-call", "/0")], state="execute"
    ),
}

TABLES = (
    (WORDS, WORDS_TURNS),
    (OVERLAPPING, OVERLAPPING_TURNS),
    (RUNNING_ON, RUNNING_ON_TURNS),
    (CLOSED, CLOSED_TURNS),
    (PHI, PHI_TURNS),
    (KIMI, KIMI_TURNS),
    (DEEPSEEK, DEEPSEEK_TURNS),
    (FENCED, FENCED_TURNS),
    (HEADS, HEADS_TURNS),
    (MISTRAL_3, MISTRAL_3_TURNS),
    (NEMOTRON, NEMOTRON_TURNS),
    (MINIMAX_2, MINIMAX_2_TURNS),
    (SEED, SEED_TURNS),
    (MINIMAX_1, MINIMAX_1_TURNS),
)


@each_turn(*TABLES)
def test_a_turn(described, row):
    check_reading(described, row)


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
    "described, pointer",
    [
        pytest.param({"call": ["a", "b"], "payload": {"kind": "object"}}, "", id="no name"),
        pytest.param(like(KIMI, name="A"), "/name", id="upper case"),
        pytest.param(like(KIMI, name=1), "/name", id="no string"),
        pytest.param(like(KIMI, ends="a"), "/ends", id="no array"),
        pytest.param(like(KIMI, call=["a"]), "/call", id="half a pair"),
        pytest.param(with_payload(MINIMAX_2, key=["a"]), "/payload/key", id="half a pair of a key"),
        pytest.param(like(KIMI, gap="a"), "/gap", id="letters around a payload"),
        pytest.param(with_payload(NEMOTRON, partial=1), "/payload/partial", id="no truth value"),
        pytest.param(
            with_payload(HEADS, head=["{name}<", "a{name}<"]), "/payload/head", id="another field"
        ),
        pytest.param(
            with_payload(HEADS, head=["{name}<", "{name}< >"]), "/payload/head", id="a longer head"
        ),
        pytest.param(
            with_payload(HEADS, head=["a{name}{id}<"]), "/payload/head", id="two fields together"
        ),
        pytest.param(like(KIMI, name="-a"), "/name", id="a hyphen first"),
        pytest.param(like(KIMI, other=1), "/other", id="an unknown member"),
        pytest.param(with_payload(KIMI, end="a"), "/payload/end", id="of another kind"),
        pytest.param(with_payload(KIMI, kind="yaml"), "/payload/kind", id="an unknown kind"),
        pytest.param(like(KIMI, think=["", "b"]), "/think/0", id="an empty marker"),
        pytest.param(like(KIMI, think=["a", " b"]), "/think/1", id="white space first"),
        pytest.param(like(KIMI, ends=["a\n "]), "/ends/0", id="white space last"),
        pytest.param(like(KIMI, call=["a  ", "b"]), "/call/0", id="two spaces last"),
        pytest.param(like(KIMI, call=["a", "b "]), "/call/1", id="a space at the end of a closer"),
        pytest.param(like(KIMI, ends=["\n"]), "/ends/0", id="a line feed alone"),
        pytest.param(like(KIMI, call=[[], "b"]), "/call/0", id="no marker in an array"),
        pytest.param(like(KIMI, call=[["a", ""], "b"]), "/call/0/1", id="one of several is empty"),
        pytest.param(like(KIMI, call=["<call>", ["b", "b"]]), "/call", id="a marker twice"),
        pytest.param(like(KIMI, call="ab"), "/call", id="no pair"),
        pytest.param(
            like(KIMI, think=["<think>", "x<|tool_call_begin|>"], think_ends_at_call=True),
            "/think",
            id="the closer of a think contains what ends it",
        ),
        pytest.param(
            like(KIMI, ends=["<|tool_call_begin|>x"], think_ends_at_call=True),
            "/think_ends_at_call",
            id="an end begins with what ends a think",
        ),
        pytest.param(with_payload(SEED, end="a\n"), "/payload/end/0", id="a line feed in tags"),
        pytest.param(
            like(MINIMAX_2, call=['<invoke name="', ["</invoke>", "</call>"]]),
            "/call/1",
            id="tags that one of two markers ends",
        ),
        pytest.param(
            like(SEED, call=["<call>", ["</call>", "</call>x"]]),
            "/call",
            id="skipped tags that one of two like markers ends",
        ),
        pytest.param(like(KIMI, call=["", "b"]), "/call/0", id="no opener before a head"),
        pytest.param(
            {**NEMOTRON, "call": ["", ""], "section": ["a", "{b"], "payload": {"kind": "object"}},
            "/section",
            id="a closer like a call",
        ),
        pytest.param(
            {**NEMOTRON, "call": ["", "b"], "payload": {"kind": "object"}},
            "/call/0",
            id="no opener without a section",
        ),
        pytest.param(
            with_payload(SEED, key=["<p", ""], value=["", "</p>"]),
            "/payload/value/0",
            id="nothing ends a key",
        ),
        pytest.param(with_payload(SEED, end="<parameter="), "/payload/end", id="an end like a key"),
        pytest.param(
            with_payload(OVERLAPPING, end="<end]"),
            "/payload/end",
            id="an end in which the closer of the call may begin",
        ),
        pytest.param(
            with_payload(like(OVERLAPPING, call=["<call>", ""]), end="<end><"),
            "/payload/end",
            id="an end in which the next call may begin",
        ),
        pytest.param(
            like(OVERLAPPING, call=["<call>", ""], section=["<calls>", "<call>s"]),
            "/call",
            id="the next call or the end of the section",
        ),
        pytest.param(with_payload(SEED, margin="a"), "/payload/margin", id="a margin of letters"),
        pytest.param(with_payload(SEED, margin="\n\n"), "/payload/margin", id="a long margin"),
        pytest.param(
            with_payload(NEMOTRON, args="name"), "/payload/args", id="two members of one name"
        ),
        pytest.param(with_payload(HEADS, head=["a"]), "/payload/head", id="no field"),
        pytest.param(with_payload(HEADS, head=["{name}<{id}"]), "/payload/head", id="an id last"),
        pytest.param(
            with_payload(HEADS, head=["{name}", "{name}<"]), "/payload/head", id="a name last"
        ),
        pytest.param(
            with_payload(HEADS, head=["{name}<{id}y"]), "/payload/head", id="a letter after an id"
        ),
        pytest.param(
            with_payload(HEADS, head=["{name} id={id}>"]),
            "/payload/head",
            id="a letter after a name",
        ),
        pytest.param(
            with_payload(SEED, tool=["<tool=", "_>"]),
            "/payload/tool",
            id="the name of a tool ends in the middle",
        ),
        pytest.param(
            with_payload(SEED, key=["<p=", "9>"]),
            "/payload/key",
            id="a key ends in the middle",
        ),
        pytest.param(
            like(HEADS, call=["[C]", "</s>"]),
            "/call/1",
            id="every closer of a call ends the turn",
        ),
        pytest.param(
            like(KIMI, call=["[C]", ["[/C]", "<|im_end|>"]]),
            "/section",
            id="a closer of a call in a section ends the turn",
        ),
        pytest.param(
            with_payload(HEADS, head=["{name}<", "{name}<y"]),
            "/payload/head",
            id="heads that begin alike",
        ),
    ],
)
def test_a_description_is_refused(described, pointer):
    """At its place, with a reason."""
    place, _, reason = refusal(described).partition(": ")
    assert place == (pointer or "the description")
    assert reason not in ("", "None")


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
            with_payload(SEED, words={"T": "true", "N": "null", "Y": "yes"}),
            "/payload/words/Y: 'yes' is not JSON, such as true",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(described, message):
    assert refusal(described) == message


@each_turn(*TABLES)
def test_a_description_is_kept(described, row):
    form = cogwire.Format.from_json(described)
    assert cogwire.Format.from_json(form.to_json()) == form


# --- Laws ---------------------------------------------------------------------------------------


@given(st.data())
def test_it_reads_what_the_executable_spec_reads(data):
    described = data.draw(make.descriptions())
    check_alike(data, described, data.draw(make.described_texts(described)))
