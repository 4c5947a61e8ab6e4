"""The executable spec as an adapter answers every op, and says what it cannot do."""

import base64

import pytest

from tests.oracle import DIALECTS, answer

LS = {"name": "ls", "args": {}}
CALL = {"type": "call", "content": '{"name": "ls", "args": {}}'}
EXECUTE = {"type": "execute"}
ITEM = {"tool": "ls", "status": "success", "content": 1}
BLOCK = '<execute>\n[\n  {"name": "ls", "args": {}}\n]\n</execute>'
CONTENT = '[\n  {"tool": "ls", "status": "success", "content": 1}\n]'
COUNTS = {"tools_executed": 1, "success_count": 1, "failure_count": 0}


def asked(op, **members):
    """Return the reply without its id, which must be that of the request."""
    reply = answer({"id": "7", "op": op, "dialect": "xml-json", **members})
    assert reply.pop("id") == "7"
    return reply


@pytest.mark.parametrize(
    ("op", "members", "expected"),
    [
        ("calls", {"calls": [LS]}, {"text": BLOCK}),
        ("results", {"results": [ITEM]}, {"text": f"<results>\n{CONTENT}\n</results>"}),
        ("render", {"events": [CALL, EXECUTE]}, {"text": BLOCK}),
        (
            "batch",
            {"events": [CALL, EXECUTE], "outcomes": [[0, {"status": "success", "content": 1}]]},
            {"events": [{"type": "result", "content": CONTENT, "payload": COUNTS}]},
        ),
        (
            "messages",
            {"events": [{"type": "user", "content": "q "}], "system": "s"},
            {
                "messages": [
                    {"role": "system", "content": "s"},
                    {"role": "user", "content": "q"},
                ],
                "report": [{"index": 0, "code": "trimmed"}],
            },
        ),
        (
            "from_messages",
            {"messages": [{"role": "assistant", "content": BLOCK}]},
            {"events": [CALL, EXECUTE]},
        ),
        (
            "convert",
            {"from": "xml-json", "to": "delimiter", "text": " §end"},
            {"text": "§respond: &sect;end", "report": [{"offset": 1, "code": "neutralised"}]},
        ),
        (
            "validate",
            {"tools": [{"name": "ls"}], "calls": [{"name": "rm"}]},
            {"problems": [[{"code": "unknown-tool", "path": ""}]], "args": [{}]},
        ),
    ],
)
def test_each_op_is_answered(op, members, expected):
    assert asked(op, **members) == expected


def test_hello_lists_what_there_is():
    hello = asked("hello", protocol=1)
    assert list(hello["dialects"]) == list(DIALECTS)
    assert {"parse", "validate", "convert"} <= set(hello["ops"])


@pytest.mark.parametrize(
    ("given_input", "feeds"),
    [
        ({"chunks": ["<e", "nd>"]}, 2),
        ({"chunks_b64": [base64.b64encode(b"<end>").decode()]}, 1),
        ({"text": "<end>", "cuts": [0, 3]}, 3),
    ],
)
def test_all_events_come_at_the_close(given_input, feeds):
    parsed = asked("parse", raw=True, **given_input)
    assert parsed == {
        "feeds": [[]] * feeds,
        "close": [{"type": "end", "raw": "<end>"}],
        "state": "ended",
        "discarded": 0,
        "tail": "",
    }


def test_each_turn_begins_anew():
    turns = asked("parse", turns=[["<end>", "x"], []])["turns"]
    assert [(turn["state"], turn["discarded"]) for turn in turns] == [("ended", 1), ("prose", 0)]


@pytest.mark.parametrize(
    ("op", "members"),
    [
        ("sing", {}),
        ("hello", {"protocol": 2}),
        ("parse", {"dialect": "yaml", "text": ""}),
        ("convert", {"from": "xml-json", "to": "yaml", "text": ""}),
        ("parse", {"text": "", "stream": "token"}),
        ("parse", {"chunks": [""], "snapshots": [0]}),
        ("parse", {"text": "", "close": False}),
    ],
)
def test_what_is_not_there_is_unsupported(op, members):
    assert list(asked(op, **members)) == ["unsupported"]


@pytest.mark.parametrize("op", ["render", "batch", "messages"])
@pytest.mark.parametrize("event", [{"content": "x"}, {"type": None}, {"type": "call"}, "call"])
def test_what_is_no_event_is_refused(op, event):
    assert list(asked(op, events=[event], outcomes=[])) == ["refused"]
