"""Records as chat templates read them; what becomes of them is tested with a tokenizer."""

import pytest

from cogwire_kit.chats import Chat, tools_of, tools_of_openai
from cogwire_kit.conformance import corpus
from cogwire_kit.records import RefusedError
from tests.rows import rows

(TEXTS,) = corpus.array(corpus.PLACE / "texts" / "templates.json")
SYSTEM = {"role": "system", "content": "S"}
ASKED = {"role": "user", "content": "Q"}
ANSWER = {"role": "assistant", "content": "A"}


def called(arguments, **more):
    function = {"name": "ls", "arguments": arguments}
    calls = [{"type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def table(name):
    return [tuple(each.values()) for each in TEXTS[name]]


def chat_of(messages, **record):
    placed = ((f"/messages/{index}", message) for index, message in enumerate(messages))
    return Chat(record.get("system"), placed)


@rows("system, messages, pointers", table("systems"))
def test_a_system_beside_the_messages_is_written_once(system, messages, pointers):
    chat = chat_of(messages, system=system)
    assert chat.pointers == pointers
    before = [{**SYSTEM, "content": system}] if pointers[0] == "/system" else []
    assert chat.messages == [*before, *messages]


@rows("given, expected", table("messages"))
def test_a_message_is_read_as_one_of_openai(given, expected):
    assert chat_of([given]).messages == [expected]


@rows(
    "arguments",
    [
        *("{x", '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', "[]"),
        *('{"a": NaN}', '{"a": -Infinity}', '{"a": 1e400}', {"a": float("inf")}),
    ],
)
def test_a_conversation_ends_before_a_call_that_cannot_be_read(arguments):
    chat = chat_of([ASKED, called(arguments), {"role": "tool", "content": "R"}, ANSWER])
    assert chat.messages == [ASKED]
    assert [each.pointer for each in chat.left_out] == ["/messages/1/tool_calls/0", "/messages/3"]


@rows(
    "message, reason",
    [
        (5, "/messages/0: it is not an object"),
        ({"content": "Q"}, "/messages/0: a chat template has no role None"),
        ({"from": "function_call", "value": "{}"}, "has no role 'function_call'"),
        ({**ANSWER, "tool_calls": {"name": "ls"}}, "/messages/0/tool_calls: it is not a list"),
        ({**ASKED, "content": "\ud800"}, "/messages/0: it has half of a surrogate pair"),
    ],
)
def test_what_is_no_message_is_refused(message, reason):
    with pytest.raises(RefusedError, match=reason):
        chat_of([message])


@rows("given, expected", [*table("tools"), ("", [])])
def test_tools_may_be_json(given, expected):
    assert tools_of({"tools": given}) == expected


def test_tools_in_a_text_stay_one_and_their_numbers_stay_as_they_are():
    given = '[{"name": "ls", "parameters": {"minProperties": 1, "maxProperties": 1e3}}]'
    assert tools_of_openai(given) == (
        '[{"type": "function", "function": '
        '{"name": "ls", "parameters": {"minProperties": 1, "maxProperties": 1e3}}}]'
    )


@rows(
    "given, reason",
    [
        ("x", "/tools: it is not JSON"),
        ('["a', "/tools: the line ends inside a string"),
        ("{}", "/tools: it is not a list"),
        (["\ud800"], "/tools: it has half of a surrogate pair"),
        ([{}, '{"name": "ls"}'], "/tools/1: it is not an object"),
    ],
)
def test_what_is_no_list_of_tools_is_refused(given, reason):
    with pytest.raises(RefusedError, match=reason):
        tools_of({"tools": given})
