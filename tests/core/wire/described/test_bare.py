"""Calls that may come without their markers: deltas, snapshots, and sealed calls."""

import pytest

from tests import cogwire
from tests.core.helpers import execute
from tests.core.wire.described.reading import (
    CALL_B,
    delta,
    description,
)
from tests.rows import rows

#: Llama 4.
LISTS = description("llama4-pythonic")
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


def test_a_snapshot_with_a_closer_that_no_call_has_is_refused():
    form = cogwire.Format.from_json(ARRAYS)
    parser = cogwire.Parser(form, clock=None)
    parser.feed("[{")
    snapshot = parser.snapshot() | {"fresh": False}
    with pytest.raises(ValueError, match="the snapshot's 'fresh' is invalid"):
        cogwire.Parser.restore(snapshot, dialect=form, clock=None)


def test_sealed_calls_are_emitted_with_the_end():
    form = cogwire.Format.from_json(LISTS)
    parser = cogwire.Parser(form, calls="sealed", clock=None)
    for char in "[b()]":
        parser = cogwire.Parser.restore(parser.snapshot(), dialect=form, clock=None)
        assert parser.feed(char) == []
    assert parser.close(finished=True) == [CALL_B, execute()]
