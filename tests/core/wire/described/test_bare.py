"""Calls that may come without their markers: turns by hand, deltas, snapshots and refusals."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, end, error, execute, respond, think
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    check_turn,
    description,
    each_turn,
    refusal,
)
from tests.core.wire.trained.formats import delta, turn
from tests.rows import rows

#: Llama 4.
LISTS = description("llama4-pythonic")
OPEN, CLOSE = LISTS["call"]
LIST_TURNS = {
    "a list": turn(" \n[a(x=1), b()] \n<|eot|>", [CALL_A, CALL_B, execute()]),
    "a list between its markers": turn(f"{OPEN}[b()]{CLOSE}c", [CALL_B, respond("c"), execute()]),
    "both": turn(
        f"[b()]{OPEN}[b()]{CLOSE}[a(x=1)];c", [CALL_B, CALL_B, CALL_A, respond("c"), execute()]
    ),
    "after a think": turn("<think>[b()]</think>\n[b()]", [think("[b()]"), CALL_B, execute()]),
    "after prose": turn("a [b()]", [respond("a [b()]")], state="prose"),
    "two separators": turn("[b()] ;; [b()]", [CALL_B, respond("; [b()]"), execute()]),
    "prose between lists": turn("[b()]c[b()]", [CALL_B, respond("c[b()]"), execute()]),
    "no call": turn("[]; [b()]", [respond("[]; [b()]")], state="prose"),
    "no call, and a marker": turn("[ ]<|eom|>", [respond("[ ]"), end()], state="ended"),
    "no call after a call": turn("[b()] [] c", [CALL_B, respond("c"), execute()]),
    "no call between markers": turn(f"{OPEN}[]{CLOSE}c", [respond("c")], state="prose"),
    "a link": turn(f"[the page](url) {OPEN}[b()]", [respond("[the page](url)"), CALL_B, execute()]),
    "an argument without a key": turn("[a(b)]", [respond("[a(b)]")], state="prose"),
    "a key that is cut": turn("[a(x", [respond("[a(x")], state="prose"),
    "a key": turn(f"[a(x={CARET}", [error("unclosed-call", "/0/args/x")], state="execute"),
    "a value that is none": turn(
        f"[a(x={CARET}y)] c<think>d</think> [b()]",
        [error("json-syntax", "/0/args/x"), think("d"), CALL_B],
    ),
    "an error after a call": turn(
        f"[b(), {CARET}(c)]{CLOSE}d{OPEN}[b()]{CLOSE}",
        [CALL_B, error("bad-name", "/1", calls=1), CALL_B],
    ),
    "an error between markers": turn(
        f"{OPEN}[1{CARET}]{CLOSE}[b()]", [error("missing-args", "/0"), CALL_B]
    ),
    "an error, and prose in brackets": turn(
        f"{OPEN}[1{CARET}]{CLOSE}[1]", [error("missing-args", "/0"), respond("[1]")]
    ),
    "text before the closer": turn(
        f"{OPEN}[b()]{CARET};{CLOSE}c", [CALL_B, error("trailing-text", calls=1), respond("c")]
    ),
    "a closer without an opener": turn(f"[b()]{CLOSE}", [CALL_B, respond(CLOSE), execute()]),
    "a lost character": turn("[a\ud800(x=1)]", [respond("[a\ufffd(x=1)]")], state="prose"),
    "a name that is too long": turn(
        "[abc()]", [respond("[abc()]")], state="prose", limits=cogwire.Limits(size=3)
    ),
}

#: An array whose opener begins like it; the members have several names.
ARRAYS = {
    "name": "arrays",
    "call": [["[TOOL_CALLS]", "<call>"], ""],
    "payload": {"kind": "array", "name": ["name", "tool"], "args": ["arguments", "args"]},
    "bare": True,
}
A = '{"tool": "a", "args": {"x": 1}}'
B = '{"name": "b", "arguments": {}}'
ARRAY_TURNS = {
    "an array": turn(f"[{A}, {B}]", [CALL_A, CALL_B, execute()]),
    "an opener": turn(f"[TOOL_CALLS] [{B}]", [CALL_B, execute()]),
    "an opener that is cut": turn("[TOOL_", [respond("[TOOL_")], state="prose"),
    "a bracket": turn("[", [respond("[")], state="prose"),
    "an array after another": turn(f"[{B}];[{A}] c", [CALL_B, CALL_A, respond("c"), execute()]),
    "an answer in JSON": turn('[{"name": "x"}, 2]', [respond('[{"name": "x"}, 2]')], state="prose"),
    "an answer in numbers": turn("[1, 2]", [respond("[1, 2]")], state="prose"),
    "both members": turn(
        f'[{{"tool": "a", "args": {CARET}1}}] c', [error("bad-args", "/0/args")], state="execute"
    ),
    "a broken array after an opener": turn("<call>[1]", [respond("[1]")], state="prose"),
    "an element that is none": turn(
        f"[{B}, {CARET}1]<call>[{B}]", [CALL_B, error("not-object", "/1", calls=1), CALL_B]
    ),
    "an array after an error": turn(
        f"[{B}{CARET}}}] [{A}]", [CALL_B, error("json-syntax", "/0", calls=1)], state="execute"
    ),
}

#: Arrays with an opener that may become a longer marker.
LONGER = {**ARRAYS, "name": "longer", "result": ["<call></s>", "</r>"]}
LONGER_TURNS = {
    "an opener at the end": turn("b<call>", [respond("b")], state="prose"),
    "an opener at the end of what is no call": turn(
        '[{"x": "<call>', [respond('[{"x": "')], state="prose"
    ),
    "another array after it": turn(
        f'[{{"x": "<call>[{B}]', [respond('[{"x": "'), CALL_B, execute()]
    ),
}

#: An object between the markers of hermes, or without them.
OBJECTS = {
    "name": "objects",
    "call": ["<tool_call>", "</tool_call>"],
    "payload": {"kind": "object"},
    "ignored": ["<answer>", "<answer>:"],
    "bare": True,
}
OBJECT_TURNS = {
    "an object": turn(f"{B}\n", [CALL_B, execute()]),
    "after a marker without meaning": turn(f"<answer> {B}", [CALL_B, execute()]),
    "a marker that may be longer": turn("b<answer>", [respond("b")], state="prose"),
    "an object that is none": turn('{"a": 1}', [respond('{"a": 1}')], state="prose"),
    "the same between markers": turn(
        f'<tool_call>{{"a": 1{CARET}}}</tool_call>', [error("missing-name", "/0")]
    ),
    "cut between markers": turn(
        f'<tool_call>{{"a": 1{CARET}', [error("unclosed-call", "/0/a")], state="execute"
    ),
}


#: An object around an array, as Salesforce's first xLAM models write it.
AROUND = description("xlam-1")
AROUND_TURNS = {
    "an object": turn(
        f'\n{{"thought": "I [{{", "tool_calls": [{B}, {B}]}}<|EOT|>', [CALL_B, CALL_B, execute()]
    ),
    "an object after another": turn(
        f'{{"tool_calls": [{B}]}};{{"tool_calls": [{B}]}} c',
        [CALL_B, CALL_B, respond("c"), execute()],
    ),
    "an opener": turn(f'[TOOL_CALLS]{{"tool_calls": [{B}]}}', [CALL_B, execute()]),
    "no call": turn(
        '{"thought": "Hello.", "tool_calls": []} c',
        [respond('{"thought": "Hello.", "tool_calls": []} c')],
        state="prose",
    ),
    "an answer in JSON": turn(
        '{"name": "x", "arguments": {}}', [respond('{"name": "x", "arguments": {}}')], state="prose"
    ),
    "an array alone": turn(f"[{B}]", [respond(f"[{B}]")], state="prose"),
    "no array": turn('{"tool_calls": {}}', [respond('{"tool_calls": {}}')], state="prose"),
    "a member with the members of a call, cut": turn(
        '{"0": {"name": "x", "arguments": {',
        [respond('{"0": {"name": "x", "arguments": {')],
        state="prose",
    ),
    "a call that is cut": turn(
        f'{{"tool_calls": [{{"name": "x", "arguments": {{{CARET}',
        [error("unclosed-call", "/0/arguments")],
        state="execute",
    ),
    "a broken member after the calls": turn(
        f'{{"tool_calls": [{B}], "x": {CARET}y}}',
        [CALL_B, error("json-syntax", "/x", calls=1)],
        state="execute",
    ),
}


@each_turn(
    *((LISTS, LIST_TURNS), (ARRAYS, ARRAY_TURNS), (LONGER, LONGER_TURNS), (OBJECTS, OBJECT_TURNS)),
    (AROUND, AROUND_TURNS),
)
def test_a_turn(described, row):
    check_turn(described, row)


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
