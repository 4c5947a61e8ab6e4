"""Formats with headers: turns by hand, writing, and refusals."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, call, check, end, error, execute, respond, think
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    TEXT_A,
    check_turn,
    description,
    each_turn,
    path_refused,
    refusal,
)
from tests.core.wire.trained.formats import turn
from tests.rows import rows

HARMONY = description("harmony")
FINAL = "<|channel|>final<|message|>"
ANALYSIS = "<|channel|>analysis<|message|>"
TO_A = "<|channel|>commentary to=functions.a <|constrain|>json<|message|>"
LONG = "x" * 256
HARMONY_TURNS = {
    "a header that is too long for a call": turn(
        f"<|channel|>commentary to=functions.b {CARET}<|constrain|>json<|message|>{{}}",
        [error("limit-size", "/0")],
        state="execute",
        limits=cogwire.Limits(size=2),
    ),
    "a think and an answer": turn(
        f"{ANALYSIS}a<|end|><|start|>assistant{FINAL}b<|return|>",
        [think("a"), respond("b"), end()],
        state="ended",
    ),
    "a call": turn(f'{TO_A}{{"x": 1}}<|call|>', [CALL_A, execute()]),
    "two calls": turn(
        f'{TO_A}{{"x": 1}}<|end|>{TO_A.replace("a <", "b <")}{{}} <|call|>',
        [CALL_A, CALL_B, execute()],
    ),
    "text after the closer that ends the turn": turn(
        f'{TO_A}{{"x": 1}} <|call|>{FINAL}b<|end|>', [CALL_A, execute()], discarded=35
    ),
    "a closer that ends the turn, and the end of a text that nobody ended": turn(
        f'{TO_A}{{"x": 1}}<|call|>', [CALL_A, execute()], closing={"finished": False}
    ),
    "a closer that ends the turn, after an error": turn(
        f"{TO_A}{{}}{CARET}x<|call|>b",
        [call('{"name": "a", "args": {}}'), error("trailing-text", calls=1)],
        discarded=1,
    ),
    "the rest of a header": turn(
        ' to=functions.a<|channel|>commentary json<|message|>{"x": 1}<|call|>',
        [CALL_A, execute()],
        start="header",
    ),
    "prose in place of a header": turn(
        "It is 4.", [respond("It is 4.")], state="prose", start="header"
    ),
    "a header that the end cuts": turn(
        "a<|channel|>analysis", [respond("a<|channel|>analysis")], state="prose"
    ),
    "a header that a marker breaks": turn(
        "a<|channel|>analysis<|end|>b",
        [respond("a<|channel|>analysis"), respond("b")],
        state="prose",
    ),
    "a header of the greatest length": turn(
        f"<|start|>{LONG}<|message|>a", [respond("a")], state="prose"
    ),
    "a header that is too long": turn(
        f"<|start|>{LONG}x<|message|>a", [respond(f"<|start|>{LONG}x<|message|>a")], state="prose"
    ),
    "a lost character in a header": turn(
        "<|start|>\ud800<|message|>a", [respond("<|start|>\ufffd<|message|>a")], state="prose"
    ),
    "two names": turn(
        "<|start|>to=a to=b<|message|>{}",
        [respond("<|start|>to=a to=b<|message|>{}")],
        state="prose",
    ),
    "a name that is not one": turn(
        "<|start|>a to=assistant<|message|>{}", [respond("{}")], state="prose"
    ),
    "no name": turn(
        f"<|start|>to={CARET}<|message|>{{}}<|end|>b", [error("bad-name", "/0"), respond("b")]
    ),
    "a reserved name": turn(
        f"<|start|>to=execute{CARET} x<|message|>{{}}<|end|>b",
        [error("bad-name", "/0"), respond("b")],
    ),
    "a call in a think": turn(
        f"{ANALYSIS}{TO_A}{{}}<|end|>b", [think(f"{TO_A}{{}}"), respond("b")], state="prose"
    ),
    "a size that is exceeded in a name": turn(
        f"<|start|>to=a{CARET}b<|message|>{{}}<|end|>b",
        [error("limit-size", "/0"), respond("b")],
        limits=cogwire.Limits(size=1),
    ),
    "a size that is exceeded in a header": turn(
        f"<|start|>to=a x<|message{CARET}|>{{}}<|end|>b",
        [error("limit-size", "/0"), respond("b")],
        limits=cogwire.Limits(size=12),
    ),
}

#: A header that names the tool for the reader only, since the call has the name again.
MUSE = {
    "name": "muse",
    "header": {"open": ["<|start|>"], "close": "<|message|>", "think": ["to=self"]},
    "think": ["<|start|>assistant to=self<|message|>", ["<|eom|>", "<|eot|>"]],
    "section": ["<atem:function_calls>", "</atem:function_calls>"],
    "call": ['<atem:invoke name="', "</atem:invoke>"],
    "payload": {
        "kind": "tags",
        "tool": ["", '">'],
        "key": ['<atem:parameter name="', '">'],
        "value": ["", "</atem:parameter>"],
    },
    "ends": ["<|eot|>"],
    "ignored": ["<|eom|>"],
    "think_ends_at_call": True,
}
MUSE_CALL = (
    "<atem:function_calls>\n"
    '<atem:invoke name="a">\n<atem:parameter name="x">1</atem:parameter>\n</atem:invoke>\n'
    "</atem:function_calls>"
)
MUSE_TURNS = {
    "a think and a call": turn(
        f" to=self<|message|>b<|eom|><|start|>assistant to=a<|message|>{MUSE_CALL}<|eot|>",
        [think("b"), TEXT_A, execute()],
        start="header",
    ),
    "a header ends a think": turn(
        f" to=self<|message|>b<|start|>assistant to=a<|message|>{MUSE_CALL}<|eot|>",
        [think("b"), TEXT_A, execute()],
        start="header",
    ),
    "a call ends a think": turn(
        f" to=self<|message|>b{MUSE_CALL}<|eot|>", [think("b"), TEXT_A, execute()], start="header"
    ),
}

FUNCTIONARY = {
    "name": "functionary-3.2",
    "header": {"open": [">>>"], "close": "\n", "prose": ["all"], "call": ""},
    "call": ["", ""],
    "payload": {"kind": "arguments", "head": [">>>{name}\n"]},
    "ends": ["<|eot_id|>"],
}
FUNCTIONARY_TURNS = {
    "prose and calls": turn(
        'all\nHi>>>a\n{"x": 1}>>>b\n{}<|eot_id|>',
        [respond("Hi"), CALL_A, CALL_B, execute()],
        start="header",
    ),
    "a prompt of Python in prose": turn(
        "all\nWrite\n>>> x\n>>> f(x)\n1",
        [respond("Write\n>>> x\n>>> f(x)\n1")],
        state="prose",
        start="header",
    ),
    "nothing": turn(">>>\na", [respond(">>>\na")], state="prose"),
}

#: A block of each kind has its own marker, after the name of the tool.
INKLING = description("inkling")
INKLING_TURNS = {
    "blocks": turn(
        "<|content_thinking|>a<|end_message|><|message_model|><|content_text|>b<|end_message|>"
        '<|message_model|>a<|content_invoke_tool_json|>{"name": "a", "args": {"x": 1}}'
        "<|end_message|><|content_model_end_sampling|>",
        [think("a"), respond("b"), CALL_A, execute()],
        start="header",
    ),
    "a block without a kind": turn(
        "Hi.<|end_message|>", [respond("Hi.")], state="prose", start="header"
    ),
}

SOLAR = {
    "name": "solar-open",
    "header": {"open": ["<|begin|>"], "close": "<|content|>"},
    "think": [["<|begin|>assistant<|think|>", "<|think|>"], "<|end|>"],
    "section": [["<|begin|>assistant<|tool_calls|>", "<|tool_calls|>"], "<|calls|>"],
    "call": ["<|tool_call:begin|>", "<|tool_call:end|>"],
    "payload": {
        "kind": "arguments",
        "head": ["{id}<|tool_call:name|>{name}<|tool_call:args|>"],
    },
    "ignored": ["<|end|>"],
}
SOLAR_TURNS = {
    "a think and a call": turn(
        "<|think|>b<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>i0<|tool_call:name|>a"
        '<|tool_call:args|>{"x": 1}<|tool_call:end|><|calls|>',
        [think("b"), CALL_A, execute()],
        start="header",
    ),
    "an answer": turn(
        "<|think|><|end|><|begin|>assistant<|content|>b<|end|>",
        [respond("b")],
        state="prose",
        start="header",
    ),
}

#: It needs no header: its parts are known by fixed markers, which have line feeds in them.
GIGACHAT = {
    "name": "gigachat-3",
    "call": ["<|message_sep|>\n\nfunction call<|role_sep|>\n", ""],
    "payload": {"kind": "object"},
    "ends": ["<|message_sep|>"],
}
GIGACHAT_TURNS = {
    "prose and a call": turn(
        'b<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "a", "arguments": {"x": 1}}'
        "<|message_sep|>\n\n",
        [respond("b"), CALL_A, execute()],
        discarded=2,
    ),
    "prose": turn("b<|message_sep|>\n\n", [respond("b"), end()], state="ended", discarded=2),
}

KIMI = {
    "name": "kimi-k3",
    "think": ["<|open|>think<|sep|>", "<|close|>think<|sep|>"],
    "call": ["<call>", "</call>"],
    "payload": {"kind": "object"},
    "ends": ["<|end_of_msg|>"],
    "ignored": ["<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>"],
}
KIMI_TURNS = {
    "a think and an answer": turn(
        "b<|close|>think<|sep|><|open|>response<|sep|>c<|close|>response<|sep|>"
        "<|close|>message<|sep|><|end_of_msg|>",
        [think("b"), respond("c"), end()],
        state="ended",
        start="think",
    )
}

#: The marker that begins a header ends with the beginning of another marker.
OVERLAPPING = {
    "name": "overlapping",
    "header": {"open": ["a<"], "close": "[1]"},
    "call": ["<|", "|>"],
    "payload": {"kind": "object"},
}
OVERLAPPING_TURNS = {
    "a call in what is no header": turn(
        'a<|{"name": "b", "arguments": {}}|>', [respond("a"), CALL_B, execute()]
    ),
}

#: A think between two of one marker, which a header ends too.
ONE_MARKER = {
    "name": "one-marker",
    "call": ["<call>", "</call>"],
    "think": ["<t>", "<t>"],
    "think_ends_at_call": True,
    "header": {"open": ["<|"], "close": "|>"},
    "payload": {"kind": "object"},
}
ONE_MARKER_TURNS = {
    "a think that ends": turn("<t>a<t>b", [think("a"), respond("b")], state="prose"),
    "a header that ends a think and begins another": turn(
        "<t>a<|b<t>c<t>d", [think("a"), think("c"), respond("d")], state="prose"
    ),
}

#: A header whose end may become a longer marker.
LONGER = {**ONE_MARKER, "name": "longer", "ignored": ["|>>"]}
LONGER_TURNS = {
    "the end of a header at the end": turn("<|b|>", [], state="prose"),
    "the end of the header in which the turn starts": turn(
        "b|>", [], state="prose", start="header"
    ),
    "text after the end of a header": turn("<|b|>c", [respond("c")], state="prose"),
}

TABLES = (
    (LONGER, LONGER_TURNS),
    (ONE_MARKER, ONE_MARKER_TURNS),
    (OVERLAPPING, OVERLAPPING_TURNS),
    (HARMONY, HARMONY_TURNS),
    (MUSE, MUSE_TURNS),
    (FUNCTIONARY, FUNCTIONARY_TURNS),
    (INKLING, INKLING_TURNS),
    (SOLAR, SOLAR_TURNS),
    (GIGACHAT, GIGACHAT_TURNS),
    (KIMI, KIMI_TURNS),
)


@each_turn(*TABLES)
def test_a_turn(described, row):
    check_turn(described, row)


WRITTEN = "<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>"
CALLS = [{"name": "a", "args": {"x": 1}}, {"name": "b", "args": {}}]


@rows(
    "described, text",
    [
        (
            HARMONY,
            WRITTEN.replace("NAME", "a")
            + '{"x": 1}<|end|>\n'
            + WRITTEN.replace("NAME", "b")
            + "{}<|call|>",
        ),
        (FUNCTIONARY, '>>>a\n{"x": 1}\n>>>b\n{}'),
    ],
)
def test_calls_are_written_with_their_headers(described, text):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == text
    check(text, [CALL_A, CALL_B, execute()], dialect=form)


@rows("name", ["a b", "a<|message|>", "a<|end|>", "", "execute"])
def test_a_name_that_no_header_contains_is_refused(name):
    assert path_refused([{"name": name, "args": {}}], HARMONY) == "/0/name"


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
    form = cogwire.Format.from_json({**MUSE, "result": ["<r>", "</r>"]})
    assert cogwire.to_messages([think(text), respond("d")], form) == [
        {"role": "assistant", "content": f"{MUSE['think'][0]}{written}<|eom|>\nd"}
    ]


@rows(
    "described, text",
    [
        (HARMONY, "Write each call before `<|call|>`: `<|start|>assistant<|channel|>commentary"),
        (HARMONY, " write `<|end|>`, since `<|call|>` ends your message."),
        (FUNCTIONARY, "Write each call in your message: `>>>`, the name of the tool, and its"),
        (description("minimax-m2"), " Write all calls between `<minimax:tool_call>` and `</mini"),
    ],
)
def test_a_prompt_says_where_calls_are_written(described, text):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    assert text in cogwire.render_prompt(cogwire.Toolset([{"name": "a"}], form))


def with_header(described, **members):
    return {**described, "header": {**described["header"], **members}}


@rows(
    "described, pointer",
    [
        pytest.param({**HARMONY, "header": []}, "/header", id="no object"),
        pytest.param(with_header(HARMONY, open=[]), "/header/open", id="no opener"),
        pytest.param(with_header(HARMONY, open=["a", ""]), "/header/open/1", id="an empty opener"),
        pytest.param(with_header(HARMONY, close=""), "/header/close", id="no closer"),
        pytest.param(with_header(HARMONY, close=" a"), "/header/close", id="white space first"),
        pytest.param(with_header(HARMONY, other=1), "/header/other", id="an unknown member"),
        pytest.param(with_header(HARMONY, think=["a b"]), "/header/think", id="two words in one"),
        pytest.param(with_header(HARMONY, think=[""]), "/header/think", id="an empty word"),
        pytest.param(
            with_header(HARMONY, prose=["analysis"]), "/header/prose", id="a word of both"
        ),
        pytest.param(with_header(HARMONY, call="a<|start|>"), "/header/call", id="a marker"),
        pytest.param(with_header(HARMONY, close="<|end|>"), "/header", id="a closer that is live"),
        pytest.param(
            {**HARMONY, "ignored": ["<|start|>assistant"]}, "/header", id="begins like a header"
        ),
        pytest.param(
            {**HARMONY, "think": ["<|start|>final<|message|>", "<|end|>"]},
            "/header",
            id="a think that is prose",
        ),
        pytest.param({**HARMONY, "call": ["<call>", ""]}, "/call/0", id="two beginnings of a call"),
        pytest.param(
            {**HARMONY, "payload": {"kind": "object"}}, "/payload/head", id="another payload"
        ),
        pytest.param(
            {**HARMONY, "payload": {"kind": "arguments", "head": ["<|start|>to={name}"]}},
            "/payload/head",
            id="a template without an end",
        ),
        pytest.param(
            {**SOLAR, "payload": {"kind": "arguments", "head": ["a"]}},
            "/payload/head",
            id="a head without a name",
        ),
    ],
)
def test_a_description_is_refused(described, pointer):
    assert refusal(described).startswith(f"{pointer}: ")
