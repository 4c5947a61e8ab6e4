"""Formats with headers: turns by hand, writing, and refusals."""

from tests import cogwire
from tests.core.helpers import check, execute, respond, think
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    description,
    path_refused,
    refusal,
)
from tests.rows import rows

HARMONY = description("harmony")
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
FUNCTIONARY = {
    "name": "functionary-3.2",
    "header": {"open": [">>>"], "close": "\n", "prose": ["all"], "call": ""},
    "call": ["", ""],
    "payload": {"kind": "arguments", "head": [">>>{name}\n"]},
    "ends": ["<|eot_id|>"],
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


#: A marker comes before the name of a tool, and is not among those that begin a header.
LYRA = {
    "name": "lyra",
    "think": ["<|from|>lyra<|chan|>muse<|body|>", "<|eom|>"],
    "call": ["", "<|eom|>"],
    "payload": {"kind": "arguments", "head": ["<|from|>lyra<|chan|>act<|to|>{name}<|body|>"]},
    "header": {
        "open": ["<|from|>", "<|chan|>"],
        "close": "<|body|>",
        "think": ["muse"],
        "call": ["act<|to|>"],
    },
    "ends": ["<|eot|>"],
    "ignored": ["<|eom|>"],
}


def with_head(text):
    return {**LYRA, "payload": {"kind": "arguments", "head": [text]}}


@rows(
    "described, reason",
    [
        (
            with_header(LYRA, open=["<|from|>", "<|chan|>", "<|to|>"], call=["act"]),
            (
                "/payload/head: the word with {name} is '{name}', and begins with none of /header/call; "
                "write 'act<|to|>' there, and leave '<|to|>' out of /header/open"
            ),
        ),
        (
            with_header(LYRA, call=["go"]),
            (
                "/payload/head: the word with {name} is 'act<|to|>{name}', and begins with none of "
                "/header/call"
            ),
        ),
        (
            with_head("<|from|>lyra<|chan|>act<|to|>{tool}<|body|>"),
            (
                "/payload/head: the template '<|from|>lyra<|chan|>act<|to|>{tool}<|body|>' has {tool}; "
                "the fields are {name} and {id}"
            ),
        ),
        (
            with_head("<|chan|>act<|to|>{name}"),
            "/payload/head: a header that names a tool lasts from /header/open through '<|body|>'",
        ),
        (
            with_head("<|from|>lyra<|eot|><|chan|>act<|to|>{name}<|body|>"),
            "/payload/head: this is not a header that names a tool",
        ),
        (
            with_header(LYRA, think=["muze"]),
            (
                "/header: /think/0, '<|from|>lyra<|chan|>muse<|body|>', begins like a header, and none "
                "of its words is in /header/think; they are ['lyra', 'muse']"
            ),
        ),
        (
            with_header(LYRA, close="<|end|>"),
            (
                "/header: /think/0, '<|from|>lyra<|chan|>muse<|body|>', begins like a header, and does "
                "not end with /header/close, '<|end|>'"
            ),
        ),
        (
            {**LYRA, "result": ["<|from|>tool<|body|>", "<|eom|>"]},
            (
                "/header: /result/0, '<|from|>tool<|body|>', begins like a header, and no header begins "
                "a result: leave 'result' out"
            ),
        ),
        (
            {**LYRA, "ignored": ["<|eom|>", "<|chan|>muse<|body|>"]},
            "/header: /ignored/1, '<|chan|>muse<|body|>', begins like a header, and is another marker",
        ),
    ],
)
def test_a_refusal_says_what_to_write(described, reason):
    assert cogwire.Format.from_json(LYRA)
    assert refusal(described) == reason
