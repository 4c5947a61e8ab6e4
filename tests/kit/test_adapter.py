"""The adapter, as a runner sees it: a process that reads lines and writes lines.

That every op gives what it should is seen in tests/kit/conformance/test_answers.py, where all cases
are asked of it, and in tests/spec/test_pages.py, where the examples of its page are.
"""

import json
import subprocess
import sys

import pytest

from cogwire.tooling import format_names
from cogwire_kit import adapter
from tests.processes import ran
from tests.rows import rows
from tests.schemas import validator

BLOCK = '<execute>[{"name":"ls","args":{}}]</execute>'


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


def test_a_text_begins_in_a_header():
    chunks = [" to=self<|message|>a<|eom|>"]
    asked = {"tools": [], "chunks": chunks, "start": "header"}
    assert ask("parse", format="muse", **asked)["feeds"] == [[{"reasoning": "a"}]]
    assert ask("parse", format="hermes", **asked) == {"unsupported": "start 'header'"}
    assert ask("parse", dialect="xml-json", chunks=[], start="header") == {
        "unsupported": "start 'header'"
    }
    assert ask("parse", format="muse", chunks=[], start="end") == {"unsupported": "start 'end'"}


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
    muse = ask("parse", dialect="muse", start="header", chunks=[" to=self<|message|>a<|eom|>"])
    assert muse["feeds"] == [[{"type": "think", "content": "a"}]]


def test_parse_is_told_why_the_text_ended():
    text = '§call: {"name": "a"}\n§execute'
    for finish, last in (("stop", "execute"), ("length", "respond"), ("interrupted", "respond")):
        reply = ask("parse", dialect="delimiter", chunks=[text], finish=finish)
        assert reply["close"][-1]["type"] == last
    cancelled = ask("parse", dialect="delimiter", chunks=[text], finish="cancelled")["close"]
    assert "The user stopped the turn" in cancelled[0]["content"]
    assert "unsupported" in ask("parse", chunks=[""], finish="x")


def test_parse_returns_raw_and_tail():
    reply = ask("parse", chunks=[" <think>a</think> \n"], raw=True)
    assert reply["feeds"] == [[{"type": "think", "content": "a", "raw": " <think>a</think>"}]]
    assert reply["tail"] == " \n"


def test_parse_seals_calls_and_shows_them_while_they_are_written():
    text = '<execute>[{"name": "a", "args": {}}'
    options = {"stream": "token", "calls": "sealed", "call_deltas": True, "close": False}
    delta = {"type": "call_delta", "index": 0, "name": "a", "content": "{}"}
    assert ask("parse", chunks=[text, "]"], **options)["feeds"] == [[delta], []]


def test_parse_leaves_the_text_open_on_request():
    assert ask("parse", chunks=["a"], close=False)["close"] == []
    assert ask("parse", chunks=["a"])["close"] == [{"type": "respond", "content": "a"}]


@rows("after", range(6))
def test_parse_continues_from_a_snapshot(after):
    """Whatever the chunk after which another parser takes over, the reply is the same."""
    request = {"text": "hi<think>x" + BLOCK + "</think>" + BLOCK, "cuts": [1, 4, 9, 30, 63]}
    assert ask("parse", **request, snapshots=[after]) == ask("parse", **request)
    assert "crashed" not in ask("parse", **request)


def test_another_process_continues_from_a_snapshot_that_was_shown():
    chunks = ["h", "i<t", "hink>x</think>", BLOCK[:20], BLOCK[20:], "lost"]
    whole = ask("parse", stream="token", raw=True, chunks=chunks)
    requests = []
    for after in range(len(chunks)):
        first = ask("parse", stream="token", raw=True, chunks=chunks, save=[after])
        (snapshot,) = first.pop("saved")
        assert first == whole
        rest = {"chunks": chunks[after + 1 :], "restore": snapshot, "raw": True}
        requests.append(json.dumps({"id": "1", "op": "parse", **rest}))
    replies = talk("\n".join(requests).encode()).stdout.splitlines()
    for after, reply in enumerate(map(json.loads, replies), 1):
        assert whole["feeds"][:after] + reply.pop("feeds") == whole["feeds"]
        assert (
            reply.items() >= {n: whole[n] for n in ("close", "state", "discarded", "tail")}.items()
        )
    assert len(replies) == len(chunks)


@rows("value", [None, {}, [], "x", {"version": 1}])
def test_what_is_no_snapshot_is_refused(value):
    assert ask("parse", chunks=["a"], restore=value).keys() == {"refused"}


def test_an_input_may_be_empty():
    assert ask("parse", turns=[]) == {"turns": []}
    assert ask("parse", chunks=[])["feeds"] == []


def test_a_snapshot_after_a_chunk_that_is_not_there_has_no_effect():
    assert ask("parse", chunks=["a"], snapshots=[1]) == ask("parse", chunks=["a"])


@rows("number", ["9" * 5000, "-" + "9" * 5000, "1e999"])
def test_a_number_too_large_for_a_double_is_refused(number):
    line = '{"id": "1", "op": "calls", "calls": [{"name": "a", "args": {"x": NUMBER}}]}'
    reply = json.loads(adapter.answer(line.replace("NUMBER", number).encode()))
    assert reply["id"] == "1"
    assert "/0/args/x" in reply["refused"]


def test_a_reply_that_json_cannot_represent_is_refused():
    line = b'{"id": "1", "op": "validate", "tools": [], "calls": [{"name": "a", "args": {"x": 1e999}}]}'
    assert set(json.loads(adapter.answer(line))) == {"id", "refused"}


def test_lone_surrogates_are_repaired_in_a_conversion():
    line = b'{"id": "1", "op": "convert", "from": "xml-json", "to": "delimiter", "text": "\\udc00<end>"}'
    reply = json.loads(adapter.answer(line))
    assert reply == {"id": "1", "text": "§respond: \ufffd\n§end", "report": []}


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


@rows(
    "request_",
    [
        {"op": None},
        {"op": "hello"},
        {"op": "hello", "protocol": True},
        {"op": "parse"},
        {"op": "parse", "dialect": 1, "chunks": []},
        {"op": "parse", "chunks": "abc"},
        {"op": "parse", "chunks": ["a", 5]},
        {"op": "parse", "chunks": ["a"], "cuts": [0]},
        {"op": "parse", "chunks": ["a"], "call_deltas": True},
        {"op": "parse", "chunks": ["a"], "stream": "token", "call_deltas": 1},
        {"op": "parse", "chunks": ["a"], "calls": True},
        {"op": "parse", "chunks_b64": ["?"]},
        {"op": "parse", "chunks_b64": ["é"]},
        {"op": "parse", "chunks_b64": 3},
        {"op": "parse", "turns": ["abc"]},
        {"op": "parse", "text": "abc", "chunks": []},
        {"op": "parse", "text": "abc", "cuts": [-1]},
        {"op": "parse", "text": "abc", "raw": "yes"},
        {"op": "parse", "text": "abc", "snapshots": 1},
        {"op": "parse", "text": "abc", "save": [-1]},
        {"op": "parse", "turns": [["a"]], "save": [0]},
        {"op": "parse", "turns": [["a"]], "restore": {}},
        {"op": "parse", "text": "abc", "limits": {"calls": 0}},
        {"op": "validate", "tools": []},
        {"op": "calls", "calls": {}},
        {"op": "results"},
        {"op": "render", "events": None},
        {"op": "batch", "events": [], "outcomes": [[0]]},
        {"op": "batch", "events": [], "outcomes": [["0", {"status": "failure", "content": ""}]]},
        {"op": "batch", "events": [], "ending": "over"},
        {"op": "messages", "events": [], "system": 1},
        {"op": "from_messages"},
        {"op": "exchanges", "events": {}},
        {"op": "convert", "text": ""},
    ],
)
def test_a_request_that_is_malformed_gets_an_error_with_its_id_and_does_not_fit_the_schema(
    request_,
):
    assert ask(**request_).keys() == {"error"}
    assert not validator("adapter-request").is_valid({"id": "7", **request_})


@rows(
    "request_",
    [
        {"op": "parse", "text": "abc", "cuts": [2, 1]},
        {"op": "parse", "text": "abc", "cuts": [4]},
        {"op": "parse", "turns": [["a"], ["b"]], "close": False},
        {"op": "parse", "turns": [["a"]], "mode": "transcript"},
        {"op": "batch", "events": [1]},
        {"op": "batch", "events": [{"content": "x"}]},
        {"op": "batch", "events": [{"type": "call", "content": 3}]},
        {"op": "batch", "events": [{"type": "error", "code": "not-array"}]},
    ],
)
def test_what_no_schema_can_express_is_an_error_too(request_):
    assert ask(**request_).keys() == {"error"}
    assert validator("adapter-request").is_valid({"id": "7", **request_})


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
    with subprocess.Popen(
        [sys.executable, "-m", "cogwire_kit", "adapter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
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
