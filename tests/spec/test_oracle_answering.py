"""The executable spec as an adapter reports what it can do and what it cannot.

The corpus, whose cases are sent to it as an adapter, shows that it answers every op.
"""

import base64

from tests.oracle import DIALECTS, answer
from tests.rows import rows


def asked(op, **members):
    """Return the reply without its id, which must be that of the request."""
    reply = answer({"id": "7", "op": op, "dialect": "xml-json", **members})
    assert reply.pop("id") == "7"
    return reply


def test_hello_lists_the_ops_and_dialects():
    hello = asked("hello", protocol=1)
    assert list(hello["dialects"]) == list(DIALECTS)
    assert {"parse", "validate", "convert"} <= set(hello["ops"])


@rows(
    "given_input, feeds",
    [
        ({"chunks": ["<e", "nd>"]}, 2),
        ({"chunks_b64": [base64.b64encode(b"<end>").decode()]}, 1),
        ({"text": "<end>", "cuts": [0, 3]}, 3),
    ],
)
def test_all_events_are_in_the_close(given_input, feeds):
    parsed = asked("parse", raw=True, **given_input)
    assert parsed == {
        "feeds": [[]] * feeds,
        "close": [{"type": "end", "raw": "<end>"}],
        "state": "ended",
        "discarded": 0,
        "tail": "",
    }


def test_a_segment_is_one_delta():
    parsed = asked("parse", text="a<think>b</think><end>", stream="token")
    assert parsed["close"] == [
        {"type": "respond", "content": "a", "segment": 0, "done": True},
        {"type": "think", "content": "b", "segment": 1, "done": True},
        {"type": "end"},
    ]


def test_each_turn_is_independent():
    turns = asked("parse", turns=[["<end>", "x"], []])["turns"]
    assert [(turn["state"], turn["discarded"]) for turn in turns] == [("ended", 1), ("prose", 0)]


@rows(
    "op, members",
    [
        ("sing", {}),
        ("hello", {"protocol": 2}),
        ("parse", {"dialect": "yaml", "text": ""}),
        ("convert", {"from": "xml-json", "to": "yaml", "text": ""}),
        ("parse", {"chunks": [""], "snapshots": [0]}),
        ("parse", {"text": "", "close": False}),
    ],
)
def test_an_unknown_op_or_option_is_unsupported(op, members):
    assert list(asked(op, **members)) == ["unsupported"]


@rows("event", [{"content": "x"}, {"type": None}, {"type": "call"}, "call"])
def test_a_value_that_is_not_an_event_is_refused(event):
    for op in ("render", "batch", "messages"):
        assert list(asked(op, events=[event], outcomes=[])) == ["refused"]
