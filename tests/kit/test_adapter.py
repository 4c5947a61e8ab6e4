"""The adapter, as a runner sees it: a process that reads lines and writes lines.

That every op gives what it should is seen in tests/kit/conformance/test_answers.py, where all cases
are asked of it, and in tests/spec/test_pages.py, where the examples of its page are.
"""

import json
import sys
from pathlib import Path

import pytest

from cogwire.tooling import format_names
from cogwire_kit import adapter
from cogwire_kit.conformance import corpus
from tests.kit.cli.running import piped
from tests.oracle import answering
from tests.processes import ran
from tests.rows import rows
from tests.schemas import validator


def ask(op, **request):
    """Return the reply to one request, without its id."""
    line = json.dumps({"id": "7", "op": op, **request}).encode()
    reply = json.loads(adapter.answer(line))
    assert reply.pop("id") == "7"
    return reply


def talk(data, **options):
    """Run the process on `data` and return how it ended."""
    return ran(sys.executable, "-m", "cogwire_kit", "adapter", text=False, input=data, **options)


def test_hello_names_the_adapter_and_its_abilities():
    reply = ask("hello", protocol=1)
    assert reply["protocol"] == 1
    assert (reply["name"], reply["language"]) == ("cogwire", "python")
    assert reply["offset_unit"] == "codepoint"
    ops = "parse validate calls results render batch messages from_messages exchanges convert"
    assert reply["ops"] == ops.split()
    abilities = (
        "token bytes raw spans sealed call-deltas limits transcript start finish snapshot restore"
    )
    abilities += " turns lone-surrogates bigint"
    dialects = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
    assert reply["dialects"] == dict.fromkeys(dialects, abilities.split())
    assert reply["formats"] == list(format_names())


def test_hello_refuses_another_protocol():
    assert ask("hello", protocol=2) == {"unsupported": "protocol 2"}


def test_a_format_is_read_as_its_cases_ask_for_it():
    chunks = [
        "<think>a</think>b<tool_call>",
        '{"name": "ls", "arguments": {"x": 1}}',
        "</tool_call>",
    ]
    assert ask("parse", format="hermes", tools=[], chunks=chunks) == {
        "feeds": [
            [{"reasoning": "a"}, {"content": "b"}],
            [{"call": "ls"}, {"arguments": {"x": 1}}],
            [],
        ],
        "close": [],
        "finish": "tool_calls",
    }
    tools = [{"name": "ls", "parameters": {"properties": {"x": {"type": "integer"}}}}]
    chunks = ["<tool_call><function=ls><parameter=x>1</parameter></function>"]
    reply = ask("parse", format="qwen3-coder", tools=tools, chunks=chunks)
    assert reply["feeds"] == [[{"call": "ls"}, {"arguments": {"x": 1}}]]
    refused = ask("parse", format="none", tools=[], chunks=[])
    assert refused == {"unsupported": "format 'none'"}
    assert ask("parse", format="xml-json", tools=[], chunks=[]) == {
        "unsupported": "format 'xml-json'"
    }
    assert ask("parse", format="qwen3_coder", tools=tools, chunks=chunks) == reply


def test_texts_of_a_format_are_read_at_the_same_time():
    sessions = [
        {"chunks": ["x</think>", "a", "b"], "start": "think"},
        {"chunks": ["c<tool_call>"], "finish": "length"},
    ]
    reply = ask("parse", format="hermes", tools=[], sessions=sessions, protocol=2)
    assert reply["takes"] == ["start", "finish", "sessions"]
    first, second = reply["sessions"]
    assert first["feeds"] == [[{"reasoning": "x"}], [{"content": "a"}], [{"content": "b"}]]
    assert (second["feeds"], first["finish"]) == ([[{"content": "c"}]], "stop")
    assert second["finish"] == "length"
    assert ask("parse", format="hermes", tools=[], sessions=[1]) == {
        "error": "`sessions` are objects"
    }


def test_a_described_format_is_read():
    """It has any name but that of another format."""
    description = {
        "name": "mine",
        "call": ["<mine>", "</mine>"],
        "payload": {"kind": "object"},
    }
    chunks = ['a<mine>{"name": "ls", "arguments": {}}</mine>']
    assert ask("parse", format=description, tools=[], chunks=chunks)["feeds"] == [
        [{"content": "a"}, {"call": "ls"}, {"arguments": {}}]
    ]
    assert ask("parse", format={"name": 1}, tools=[], chunks=[]) == {
        "refused": "`format`: the description: 'call' is missing"
    }
    assert "is the name of another" in str(
        ask("parse", format={**description, "name": "hermes"}, tools=[], chunks=[])["refused"]
    )
    assert ask("parse", format=1, tools=[], chunks=[]) == {
        "error": "`format` is a name, or an object that describes a format"
    }


def test_a_format_is_read_and_converted_wherever_a_dialect_is_named():
    form = {"name": "mine", "call": ["[[", "]]"], "payload": {"kind": "object"}}
    call = {"type": "call", "content": '{"name": "ls", "args": {}}'}
    for dialect, text in (
        ("hermes", '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'),
        (form, '[[{"name": "ls", "arguments": {}}]]'),
    ):
        reply = ask("parse", dialect=dialect, chunks=[text])
        assert (reply["feeds"], reply["close"]) == ([[call]], [{"type": "execute"}])
        asked = {"from": dialect, "to": "xml-json", "text": text}
        assert ask("convert", **asked)["text"].startswith("<execute>")
    reason = "has no markers of results, so it has no transcripts"
    asked = {"dialect": form, "mode": "transcript"}
    assert ask("parse", **asked, chunks=[]) == {"refused": f"mine {reason}"}
    form["payload"]["kind"] = "x"
    assert ask("parse", dialect=form, chunks=[])["refused"].startswith("`format`: /payload/kind: ")


def test_a_text_begins_in_a_header():
    asked = {"chunks": [" to=self<|message|>a<|eom|>"], "start": "header"}
    assert ask("parse", format="muse", **asked)["feeds"] == [[{"reasoning": "a"}]]
    think = {"type": "think", "content": "a"}
    assert ask("parse", dialect="muse", **asked)["feeds"] == [[think]]
    for lacking in ({"format": "hermes"}, {"dialect": "xml-json"}):
        assert ask("parse", **lacking, **asked) == {"unsupported": "start 'header'"}


def test_a_turn_that_the_user_stopped_is_said_to_be_one():
    text = '§call: {"name": "a"}\n§execute'
    cancelled = ask("parse", dialect="delimiter", chunks=[text], finish="cancelled")["close"]
    assert "The user stopped the turn" in cancelled[0]["content"]


@rows(
    "op, number, path",
    [
        ('"calls"', "9" * 5000, "/0/args/x"),
        ('"calls"', "-" + "9" * 5000, "/0/args/x"),
        ('"calls"', "1e999", "/0/args/x"),
        ('"validate", "tools": []', "1e999", ""),
    ],
)
def test_what_json_cannot_represent_is_refused(op, number, path):
    line = f'{{"id": "1", "op": {op}, "calls": [{{"name": "a", "args": {{"x": {number}}}}}]}}'
    reply = json.loads(adapter.answer(line.encode()))
    assert reply["id"] == "1"
    assert path in reply["refused"]


@rows(
    "request_, what",
    [
        ({"op": "sing"}, "op 'sing'"),
        ({"op": "parse", "dialect": "markdown", "chunks": []}, "dialect 'markdown'"),
        ({"op": "convert", "from": "a", "to": "delimiter", "text": ""}, "dialect 'a'"),
        ({"op": "convert", "from": "delimiter", "to": "b", "text": ""}, "dialect 'b'"),
        ({"op": "parse", "chunks": [], "stream": "word"}, "stream 'word'"),
        ({"op": "parse", "chunks": [], "mode": "chat"}, "mode 'chat'"),
        ({"op": "parse", "chunks": [], "start": "end"}, "start 'end'"),
        ({"op": "parse", "chunks": [], "limits": {"width": 1}}, "limit 'width'"),
    ],
)
def test_an_unknown_op_or_option_is_unsupported(request_, what):
    assert ask(**request_) == {"unsupported": what}
    assert answering.answer({"id": "7", **request_}).keys() == {"id", "unsupported"}


@rows(
    "line",
    [
        b"nonsense",
        b"[]",
        b"{}",
        b'{"id": null, "op": "hello"}',
        b'{"id": 1, "op": "hello"}',
        b'"\xff"',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_not_a_request_gets_an_error_without_an_id(line):
    reply = json.loads(adapter.answer(line))
    assert reply["id"] is None
    assert set(reply) == {"id", "error"}


@rows("each", corpus.array(Path(__file__).parent / "malformed_requests.json"))
def test_a_request_that_is_malformed_gets_an_error_with_its_id_and_does_not_fit_the_schema(each):
    """Some of them the executable specification answers with an error too."""
    assert ask(**each["request"]).keys() == {"error"}
    whole = {"id": "7", **each["request"]}
    if each["specified"]:
        assert answering.answer(whole).keys() == {"id", "error"}
    assert not validator("adapter-request").is_valid(whole)


@rows(
    "event",
    [
        1,
        {"content": "x"},
        {"type": "call", "content": 3},
        {"type": "error", "code": "not-array"},
    ],
)
def test_what_is_no_event_is_an_error_too(event):
    assert ask("batch", events=[event]).keys() == {"error"}


def test_a_crash_is_an_answer(monkeypatch):
    def break_down(request):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setitem(adapter._OPERATIONS, "parse", break_down)
    assert ask("parse", chunks=[]) == {"crashed": "ZeroDivisionError: on purpose"}


def test_the_process_answers_in_order_and_outlives_bad_lines():
    requests = [json.dumps({"id": str(n), "op": "parse", "chunks": ["a"]}) for n in range(64)]
    lines = [*requests, "nonsense", "", json.dumps({"id": "last", "op": "hello"})]
    done = talk("\n".join(lines).encode())
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [*map(str, range(64)), None, None, "last"]
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_process_ends_with_its_input():
    done = talk(b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_process_answers_each_line_at_once():
    with piped("adapter") as process:
        for number in range(3):
            process.stdin.write(b'{"id": "%d", "op": "parse", "chunks": []}\n' % number)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == str(number)
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.mark.verify  # it writes 64 MiB
def test_a_line_of_the_greatest_length_is_read_and_a_longer_one_answered():
    head, tail = b'{"id": "1", "op": "parse", "close": false, "text": "', b'"}'
    room = 64 * 1024 * 1024 - len(head) - len(tail)
    longest = head + b"a" * room + tail
    done = talk(longest + b"\n" + b"a" + longest + b'\n{"id": "2", "op": "parse", "text": ""}\n')
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["id"], first["state"]) == ("1", "prose")
    assert (second["id"], set(second)) == (None, {"id", "error"})
    assert third["id"] == "2"
    assert done.returncode == 0
