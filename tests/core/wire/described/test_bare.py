"""Calls that may come without their markers: turns by hand, deltas, snapshots and refusals."""

import pytest

from tests import cogwire
from tests.core.helpers import execute, respond
from tests.core.wire.described.reading import (
    CALL_B,
    description,
    refusal,
)
from tests.core.wire.trained.formats import delta
from tests.rows import rows

#: Llama 4.
LISTS = description("llama4-pythonic")
OPEN, CLOSE = LISTS["call"]
#: An array whose opener begins like it; the members have several names.
ARRAYS = {
    "name": "arrays",
    "call": [["[TOOL_CALLS]", "<call>"], ""],
    "payload": {"kind": "array", "name": ["name", "tool"], "args": ["arguments", "args"]},
    "bare": True,
}
#: An object around an array, as Salesforce's first xLAM models write it.
AROUND = description("xlam-1")


@rows(
    "described, text, expected",
    [
        (LISTS, "[a(x=1)", {4: delta('{"x": '), 5: delta("1"), 6: delta("}")}),
        (LISTS, "[a(x)]", {}),
        (ARRAYS, '[{"tool": "a", "args": {}', {23: delta("{"), 24: delta("}")}),
        (ARRAYS, '[{"args": {}, "tool": "a"', {24: delta("{}")}),
        (ARRAYS, '[{"args": {"x": 1}}', {}),
        (AROUND, '{"arguments": {}, "name": "a", "tool_calls": [{"name": "a"', {}),
        (
            AROUND,
            '{"tool_calls": [{"name": "a", "arguments": {}',
            {43: delta("{"), 44: delta("}")},
        ),
    ],
)
def test_deltas_wait_until_a_call_is_certain(described, text, expected):
    form = cogwire.Format.from_json(described)
    parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
    shown = {}
    for at, char in enumerate(text):
        parser = cogwire.Parser.restore(parser.snapshot(), dialect=form, clock=None)
        for event in parser.feed(char):
            if event["type"] == "call_delta":
                shown[at] = event
    assert shown == expected


NO_SECTION = "/bare: calls are in no section here, and after no header"
NO_SIGN = "/bare: only objects with a name and args, arrays and lists show a call"
PYTHON = {"kind": "literals", "style": "python"}


@rows(
    "change, reason",
    [
        ({"section": ["<s>", "</s>"]}, NO_SECTION),
        ({"header": {"open": ["<h>"], "close": "<m>"}}, NO_SECTION),
        ({"payload": {"kind": "object", "partial": True}}, NO_SIGN),
        ({"payload": {"kind": "array", "keyed": True}}, NO_SIGN),
        ({"payload": {"kind": "literals", "style": "gemma"}}, NO_SIGN),
        ({"payload": {**PYTHON, "lines": True}}, NO_SIGN),
        ({"payload": {"kind": "text", "tool": "a", "arg": "x"}}, NO_SIGN),
        *(
            ({member: markers}, "/bare: ';' may follow a call, and ';a' begins so")
            for member, markers in {
                "think": [";a", "b"],
                "call": [["<c", ";a"], "b"],
                "result": [";a", "b"],
                "ends": ["b", ";a"],
                "ignored": [";a"],
            }.items()
        ),
        ({"call": ["", "<c>"]}, "/call/0: a marker is needed here"),
        ({"bare": 1}, "/bare: true or false is needed"),
    ],
)
def test_a_description_is_refused(change, reason):
    assert refusal({**LISTS, **change}) == reason


def test_calls_are_written_between_their_markers():
    calls = [{"name": "b", "args": {}}]
    assert cogwire.render_calls(calls, cogwire.Format.from_json(LISTS)) == f"{OPEN}[b()]{CLOSE}"


@rows(
    "text, written",
    [
        ("[b()]", "&#91;b()]"),
        ("[1, 2]", "[1, 2]"),
        ("[the page](url)", "[the page](url)"),
        ("a [b()]", "a [b()]"),
    ],
)
def test_prose_that_would_be_a_call_is_neutralised(text, written):
    history = [{"type": "user", "content": "go"}, respond(text)]
    _, message = cogwire.to_messages(history, cogwire.Format.from_json(LISTS))
    assert message["content"] == written


def test_a_snapshot_with_a_closer_that_no_call_has_is_refused():
    form = cogwire.Format.from_json(ARRAYS)
    parser = cogwire.Parser(form, clock=None)
    parser.feed("[{")
    snapshot = parser.snapshot() | {"fresh": False}
    with pytest.raises(ValueError, match="the snapshot's 'fresh' cannot be"):
        cogwire.Parser.restore(snapshot, dialect=form, clock=None)


def test_sealed_calls_are_emitted_with_the_end():
    form = cogwire.Format.from_json(LISTS)
    parser = cogwire.Parser(form, calls="sealed", clock=None)
    for char in "[b()]":
        parser = cogwire.Parser.restore(parser.snapshot(), dialect=form, clock=None)
        assert parser.feed(char) == []
    assert parser.close(finished=True) == [CALL_B, execute()]
