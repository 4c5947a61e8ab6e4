"""The format `glm-4.5`: its turns by hand, and what differs from `qwen3-coder`."""

from tests import cogwire, oracle
from tests.core.helpers import CARET, call, error, execute, messages, run
from tests.core.wire.trained.formats import Format, delta, turn

A = "a\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
BLOCK = f"<tool_call>{A}"
CALL_A = call('{"name": "a", "args": {"x": "1"}}')
CALL_B = call('{"name": "b", "args": {}}')


GLM = Format(
    name="glm-4.5",
    think=("<think>", "</think>"),
    result="<tool_response>\n{}\n</tool_response>",
    calls=(BLOCK, "<tool_call>b\n</tool_call>"),
    args='{"x": "1"}',
    spans=(A, "b\n</tool_call>"),
    broken=(f"<tool_call>{CARET}</tool_call>", "bad-name", ""),
    turns={
        "no line feed": turn("<tool_call>b</tool_call>", [CALL_B, execute()]),
        "a name in capital letters": turn(
            "<tool_call>XY</tool_call>", [call('{"name": "XY", "args": {}}'), execute()]
        ),
        "a line feed first": turn(f"<tool_call>\n {A}", [CALL_A, execute()]),
        "white space around a key only": turn(
            "<tool_call>a<arg_key> x\n </arg_key><arg_value>1</arg_value></tool_call>",
            [CALL_A, execute()],
        ),
        "cut in the closer": turn(
            f"{BLOCK}<tool_call>b</tool_call{CARET}",
            [CALL_A, error("unclosed-call", "/1/args", calls=1)],
            state="execute",
        ),
        "a sign for a name": turn(
            f"<tool_call>{CARET}>", [error("bad-name", "/0")], state="execute"
        ),
        "the reserved name": turn(
            f"<tool_call>execute{CARET}\n</tool_call>", [error("bad-name", "/0")]
        ),
        "a sign in a name": turn(
            f"<tool_call>a{CARET}>", [error("xml-syntax", "/0")], state="execute"
        ),
        "text after the name": turn(
            f"<tool_call>a\n{CARET}b</tool_call>", [error("xml-syntax", "/0/args")]
        ),
        "a value without a key": turn(
            f"<tool_call>a<arg_{CARET}value>1", [error("xml-syntax", "/0/args")], state="execute"
        ),
        "no key": turn(
            f"<tool_call>a<arg_key>{CARET}</arg_key>",
            [error("xml-syntax", "/0/args")],
            state="execute",
        ),
        "a key without a value": turn(
            f"<tool_call>a<arg_key>x</arg_key><{CARET}/tool_call>{BLOCK}",
            [error("xml-syntax", "/0/args/x"), CALL_A],
        ),
        "a key twice": turn(
            f"{BLOCK[:-12]}<arg_key>x{CARET}</arg_key></tool_call>{BLOCK}",
            [error("duplicate-arg", "/0/args/x"), CALL_A],
        ),
        "a closer in a value": turn(
            "<tool_call>a<arg_key>x</arg_key><arg_value>\n</tool_call>\n</arg_value></tool_call>",
            [call('{"name": "a", "args": {"x": "\\n</tool_call>\\n"}}'), execute()],
        ),
        "too many calls": turn(
            f"{BLOCK}<tool_call>{CARET}b",
            [CALL_A, error("limit-calls", "/1", calls=1)],
            state="execute",
            limits=cogwire.Limits(calls=1),
        ),
        "a size that fits": turn(BLOCK, [CALL_A, execute()], limits=cogwire.Limits(size=len(A))),
        "a size that does not": turn(
            f"<tool_call>{A[:-1]}{CARET}>",
            [error("limit-size", "/0/args")],
            limits=cogwire.Limits(size=len(A) - 1),
        ),
    },
    feeds=(
        ("<tool_call>a", []),
        ("\n", [delta("{")]),
        ("<arg_key>x</arg_key><arg_value>\n", [delta('"x": "\\n')]),
        ('"</arg_', [delta('\\"')]),
        ("value>", [delta('"')]),
        ("</tool_call>", [delta("}"), call('{"name": "a", "args": {"x": "\\n\\""}}')]),
    ),
    streamed=(
        "<tool_call>b<arg_key>x</arg_key>\n<arg_value><y>\n\nz</arg_value></tool_call>",
        '{"x": "<y>\\n\\nz"}',
    ),
    refused={"the end of a value": ("a", {"x": "</arg_value>"}, "/0/args/x")},
    end_of_value="</arg_value>",
    taught=(
        "<tool_call>read\n<arg_key>file</arg_key>\n<arg_value>b.txt</arg_value>\n</tool_call>",
    ),
    pieces=(
        "<tool_call> b </tool_call>",
        *("<tool_call>a", "<tool_call>execute", "<arg_key>x</arg_key>", "<arg_key> y\n"),
        *("<arg_key>", "<arg_value>", "</arg_value>", "</arg_key>", "</arg_v", "alue>", "<arg_"),
        *("<tool_call>", "</tool_call>", "</tool", "_call>", "</", "\n\n"),
    ),
)


def test_a_message_states_what_was_expected():
    expected = {
        "<tool_call>a>": 'At /0: Expected a line feed, but got ">".',
        "<tool_call>a<arg_key>x>": 'At /0/args: Expected </arg_key>, but got ">".',
    }
    for text, message in expected.items():
        assert messages(run([text], dialect="glm-4.5").events) == [message]


def test_a_boolean_is_json():
    tool = {"name": "a", "parameters": {"properties": {"b": {"type": "boolean"}}}}
    for text, value in {"true": True, "True": "True"}.items():
        checked = cogwire.Toolset([tool], "glm-4.5").check({"name": "a", "args": {"b": text}})
        assert checked.args == {"b": value}
        calls = [{"name": "a", "args": {"b": text}}]
        assert oracle.validation.validate([tool], calls, "glm-4.5")[1] == [{"b": value}]


def test_it_is_converted_to_qwen3_coder_and_back():
    report = []
    there = cogwire.convert(GLM.whole, "glm-4.5", "qwen3-coder", report=report)
    assert cogwire.convert(there, "qwen3-coder", "glm-4.5", report=report) == GLM.whole
    assert report == []
