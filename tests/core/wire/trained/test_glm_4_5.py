"""The format `glm-4.5`: its turns by hand, and what differs from `qwen3-coder`."""

from tests import cogwire, oracle
from tests.core.helpers import CARET, messages, run
from tests.core.wire.trained.formats import Format

A = "a\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
BLOCK = f"<tool_call>{A}"


GLM = Format(
    name="glm-4.5",
    think=("<think>", "</think>"),
    result="<tool_response>\n{}\n</tool_response>",
    calls=(BLOCK, "<tool_call>b\n</tool_call>"),
    args='{"x": "1"}',
    spans=(A, "b\n</tool_call>"),
    broken=(f"<tool_call>{CARET}</tool_call>", "bad-name", ""),
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
