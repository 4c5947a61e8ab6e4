"""The format `qwen3-coder`: its turns by hand, messages, and types."""

from tests import cogwire, oracle
from tests.core.helpers import CARET, messages, run
from tests.core.wire.trained.formats import Format
from tests.rows import rows

A = "<function=a>\n<parameter=x>\n1\n</parameter>\n</function>"


def block(inside):
    return f"<tool_call>\n{inside}\n</tool_call>"


BLOCK = block(A)
B = block("<function=b>\n</function>")


def arguments(args):
    return f'<execute>[{{"name": "a", "args": {args}}}]</execute>'


QWEN = Format(
    name="qwen3-coder",
    think=("<think>", "</think>"),
    result="<tool_response>\n{}\n</tool_response>",
    calls=(BLOCK, B),
    args='{"x": "1"}',
    spans=(A, "<function=b>\n</function>"),
    broken=(f"<tool_call>{CARET}[1]</tool_call>", "xml-syntax", ""),
    changed={
        "values that are not strings": (
            arguments('{"x": [1, "a"], "y": true}'),
            block(
                '<function=a>\n<parameter=x>\n[1, "a"]\n</parameter>\n'
                "<parameter=y>\ntrue\n</parameter>\n</function>"
            ),
            ["retyped"],
        ),
        "a closer in a value": (
            arguments('{"x": "</tool_call>"}'),
            block("<function=a>\n<parameter=x>\n</tool_call>\n</parameter>\n</function>"),
            [],
        ),
        "the end of a value": (arguments('{"x": "</parameter>"}'), "", ["dropped"] * 2),
        "white space around a name": (arguments('{" x": "1"}'), "", ["dropped"] * 2),
        "an id": (arguments('{"x": "1"}, "id": 1'), BLOCK, ["dropped"]),
    },
    refused={
        "a tag in a name": ("a<b", {}, "/0/name"),
        "a number": ("a", {"x": 1}, "/0/args/x"),
        "white space around a name": ("a", {"x\n": ""}, "/0/args/x\n"),
        "the end of a value": ("a", {"x": "</parameter>"}, "/0/args/x"),
        "half a character": ("a", {"x": "\ud800"}, "/0/args/x"),
        "half a character in a name": ("\ud800", {}, "/0/name"),
    },
    end_of_value="</parameter>",
    taught=(
        "<function=read>\n<parameter=file>\nb.txt\n</parameter>\n</function>",
        "no value contains `</parameter>`",
    ),
    pieces=(
        "<tool_call><function=a><parameter=x>\n1\n</parameter></function></tool_call>",
        "<tool_call>\n<function= b >\n</function>\n</tool_call>",
        *("<function=", "<function=a>", "<function=execute>", "</function>", "<parameter=x>"),
        *("<parameter=", "<parameter= y z\n", "</parameter>", "\n</parameter>", "</param", "eter>"),
        *("<tool_call>", "</tool_call>", "</tool", "_call>", "</", "\n\n"),
    ),
)


@rows(
    ("text", "message"),
    [
        (
            f"<tool_call>{{{B}<tool_call><function=></tool_call><tool_call><function=b>1",
            'At /0: Expected <function=, but got "{".',
        ),
        ("<tool_call><function=>", 'At /0: Expected the name of a tool, but got ">".'),
        (
            '<tool_call><function=b>"',
            "At /0/args: Expected <parameter= or </function>, but got a double quote.",
        ),
        (
            "<tool_call><function=b></tool_call>",
            'At /0/args: Expected <parameter= or </function>, but got "</t".',
        ),
    ],
)
def test_messages_state_what_was_expected(text, message):
    assert messages(run([text], dialect="qwen3-coder").events) == [message]


def test_a_message_says_how_a_call_that_is_open_ended():
    text = "<tool_call><function=b><parameter=c>1</function></tool_call>"
    (left_open,) = messages(run([text], dialect="qwen3-coder").events)
    assert left_open == (
        "At /0/args/c: The turn ends inside the call, so nothing has run. Close each value and each "
        "call, and send the calls again."
    )
    (cut,) = messages(run([text], dialect="qwen3-coder", closing={}).events)
    assert cut.endswith("fewer at once if they were cut for their length.")


TOOL = {
    "name": "a",
    "parameters": {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "b": {"type": "boolean"},
            "o": {"type": ["object", "null"]},
            "s": {"type": "string"},
            "u": {},
            "e": {"enum": [True, False, None, "False"]},
            "c": {"anyOf": [{"const": True}, {"const": 1}]},
            "p": {"type": ["string", "null"]},
            "q": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    },
}


@rows(
    ("args", "values", "problems"),
    [
        ({"n": "1", "b": "True", "s": "True"}, {"n": 1, "b": True, "s": "True"}, []),
        ({"b": "False", "u": "False"}, {"b": False, "u": "False"}, []),
        ({"b": "true", "o": '{"a": "True"}'}, {"b": True, "o": {"a": "True"}}, []),
        ({"b": "TRUE"}, {"b": "TRUE"}, ["bad-type"]),
        ({"n": "True", "o": "None"}, {"n": "True", "o": None}, ["bad-type"]),
        ({"e": "True", "c": "True"}, {"e": True, "c": True}, []),
        ({"e": "False"}, {"e": "False"}, []),
        ({"e": "None", "c": "False"}, {"e": None, "c": "False"}, ["not-in-enum"]),
        ({"p": "None", "q": "null"}, {"p": None, "q": None}, []),
        ({"p": "NULL", "s": "None"}, {"p": "NULL", "s": "None"}, []),
    ],
)
def test_values_have_the_types_of_the_schema(args, values, problems):
    checked = cogwire.Toolset([TOOL], "qwen3-coder").check({"name": "a", "args": args})
    assert checked.args == values
    assert [problem["code"] for problem in checked.problems] == problems
    given = oracle.validation.validate([TOOL], [{"name": "a", "args": args}], "qwen3-coder")
    assert [found["code"] for found in given[0][0]] == problems
    assert given[1] == [values]


def test_names_that_cannot_be_written_are_warned_of():
    tools = [{"name": "a>b"}, {"name": "a b", "parameters": {"properties": {" x": {}, "y.z": {}}}}]
    assert cogwire.Toolset(tools, "qwen3-coder").warnings == (
        "tool 'a>b': its name cannot be written in qwen3-coder, so no call can name it",
        "tool 'a b': the name ' x' cannot be written in qwen3-coder, so no call can pass this argument",
    )
