"""Heads whose name the object ends, heads that begin with an id, and heads with fences."""

from tests import cogwire
from tests.core.helpers import bare, execute, messages
from tests.core.wire.described.reading import CALL_A, CALL_B, path_refused
from tests.rows import rows

#: The brace of the object ends the name, as where a format has no separator.
BRACED = {
    "name": "braced",
    "call": ["<call>call:", "</call>"],
    "payload": {"kind": "arguments", "head": ["{name}"]},
}
#: Functionary 3.1; agents with the same markers and tags in them are another format.
FUNCTIONARY = {
    "name": "functionary-3.1",
    "call": ["<function=", "</function>"],
    "payload": {"kind": "arguments", "head": ["{name}>"]},
    "ends": ["<|eom_id|>", "<|eot_id|>"],
}
SOLAR = {
    "name": "solar-open",
    "think": ["<|think|>", "<|end|>"],
    "section": ["<|tool_calls|>", "<|calls|>"],
    "call": ["<|tool_call:begin|>", "<|tool_call:end|>"],
    "payload": {
        "kind": "arguments",
        "head": ["{id}<|tool_call:name|>{name}<|tool_call:args|>"],
    },
    "ignored": ["<|begin|>assistant"],
}
#: DeepSeek V3 and R1: the arguments are in a fence, whose end is a part of the closer.
DEEPSEEK = {
    "name": "deepseek-v3",
    "section": ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"],
    "call": ["<｜tool▁call▁begin｜>", "```<｜tool▁call▁end｜>"],
    "payload": {"kind": "arguments", "head": ["function<｜tool▁sep｜>{name}\n```json\n"]},
    "ends": ["<｜end▁of▁sentence｜>"],
}
FENCED_A = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{"x": 1}\n```<｜tool▁call▁end｜>'
FENCED_B = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>b\n```json\n{}\n```<｜tool▁call▁end｜>"
CALLS = [{"name": "a", "args": {"x": 1}}, {"name": "b", "args": {}}]


@rows(
    ("described", "expected"),
    [
        (BRACED, '<call>call:a{"x": 1}</call>\n<call>call:b{}</call>'),
        (FUNCTIONARY, '<function=a>{"x": 1}</function>\n<function=b>{}</function>'),
        (
            SOLAR,
            (
                "<|tool_calls|>\n<|tool_call:begin|>0<|tool_call:name|>a<|tool_call:args|>"
                '{"x": 1}<|tool_call:end|>\n<|tool_call:begin|>1<|tool_call:name|>b'
                "<|tool_call:args|>{}<|tool_call:end|>\n<|calls|>"
            ),
        ),
        (
            DEEPSEEK,
            f"<｜tool▁calls▁begin｜>\n{FENCED_A}\n{FENCED_B}\n<｜tool▁calls▁end｜>".replace(
                "\n```<", "```<"
            ),
        ),
    ],
)
def test_a_batch_is_written(described, expected):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == expected
    assert bare(cogwire.parse(expected, form, clock=None)) == [CALL_A, CALL_B, execute()]


@rows("name", ["a b", "a{", "", "execute", "a\n", "\ud83d"])
def test_a_name_that_the_object_does_not_end_is_refused(name):
    assert path_refused([{"name": name, "args": {}}], BRACED) == "/0/name"


@rows(
    ("head", "text", "message"),
    [
        (["{name}"], "[]", "What follows the name must be an object, but"),
        (["a:{name}", "b:{name}[A]"], "b:x[B", "After the name of the tool [A] and an object with"),
    ],
)
def test_a_message_names_what_may_follow(head, text, message):
    form = cogwire.Format.from_json({**BRACED, "payload": {"kind": "arguments", "head": head}})
    (event,) = cogwire.parse(f"<call>call:{'' if head[1:] else 'a'} {text}", form, clock=None)
    assert message in event["content"]


HARMONY_CALL = "<|start|>assistant to=functions.tool <|constrain|>json<|message|>"
KIMI_HEAD = "functions.tool:0<|tool_call_argument_begin|>"
NO_OBJECT = "Expected an object, but got"
NO_ARGS = "Write the arguments as an object, or {} for none"


@rows(
    ("name", "text", "expected"),
    [
        ("harmony", f"{HARMONY_CALL}print(1)", f'At /0/args: {NO_OBJECT} "p". {NO_ARGS}.'),
        ("functionary-v3.2", ">>>tool\nprint(1)", f'At /0/args: {NO_OBJECT} "p". {NO_ARGS}.'),
        (
            "kimi-k2",
            f"<|tool_call_begin|>{KIMI_HEAD}```",
            f'At /0/args: {NO_OBJECT} "`". {NO_ARGS}, without a code fence.',
        ),
        (
            "kimi-k2",
            "<|tool_call_begin|>1",
            f'At /0: A call begins with {KIMI_HEAD}, but got "1".',
        ),
        (
            "solar-open",
            "<|tool_call:begin|>0<|tool_call:name|>{",
            (
                'At /0: Expected the name of a tool, but got "{". '
                "A call is 0<|tool_call:name|>tool<|tool_call:args|>{…}."
            ),
        ),
        (
            "mistral",
            '[TOOL_CALLS]a[ARGS]"{}"',
            (
                "At /0/args: What follows [ARGS] must be an object, but a double quote begins another "
                "value. Write the arguments as an object, not as JSON in a string. Write {} for no "
                "arguments."
            ),
        ),
        (
            "hermes",
            "<tool_call>read",
            f'At /0: {NO_OBJECT} "r". Write {{"name": "…", "arguments": {{…}}}}.',
        ),
    ],
)
def test_a_message_has_what_the_model_can_write(name, text, expected):
    assert messages(cogwire.parse(text, name, clock=None)) == [expected]


def test_a_prompt_teaches_the_name_and_the_object():
    form = cogwire.Format.from_json({**BRACED, "result": ["<r>", "</r>"]})
    tool = {"name": "a", "parameters": {}}
    prompt = cogwire.render_prompt(cogwire.Toolset([tool], form))
    assert "the name of the tool, and its arguments as a JSON object." in prompt
