"""Most chunks of a stream need no search for markers from the start, and are not read in full."""

import pytest

from tests import cogwire
from tests.rows import rows

DELTAS = {"stream": "token", "call_deltas": True}
HERMES = '<tool_call>{"name": "f", "arguments": {"k": "'
QWEN = "<tool_call>\n<function=f>\n<parameter=k>\n"
#: A format, the options of its parser, a text that comes first, and a chunk after it.
CHUNKS = [
    ("hermes", {}, "Hi", " there"),
    ("hermes", {"stream": "token"}, "<think>Hi", " > there"),
    ("minimax-m2", {}, "Hi", " there"),  # its markers begin with "<" or "["
    ("minimax-m2", {"stream": "token"}, "Hi", " there"),
    ("hermes", {}, "Hi", " x < 3 <b>"),  # no marker begins so
    ("minimax-m2", {"stream": "token"}, "Hi", " x < 3 [1]"),
    ("hermes", {}, "<to", "ol_c"),
    ("dsml", {}, "Hi <｜DS", "ML｜tool"),
    ("dsml", {}, "<｜DSML｜tool_calls> <｜DS", "ML｜invoke"),
    ("harmony", {}, "<|start|>assis", "tant<|chan"),
    ("harmony", {}, "<|start|>assistant<|chan", "nel|>a < b<"),
    ("harmony", {}, "<|start|>" + "a" * 240, "a" * 7),
    ("hermes", {}, f"{HERMES}a", "b c"),
    ("hermes", {"calls": "sealed"}, f"{HERMES}a", "b c"),
    ("xml-json", {"raw": True, "spans": True}, '<execute>[{"name": "f', '", "args": {'),
    ("qwen3-coder", {}, f"{QWEN}a", "b c"),
    ("xml-json", DELTAS, '<execute>[{"name": "f", "args": {"k": "a', "b c"),
    ("hermes", DELTAS, '<tool_call>{"name": "f", "arguments": {"k": [1', ", 2"),
    ("qwen3-coder", DELTAS, f"{QWEN}a", 'b\n"'),
    ("qwen3-coder", DELTAS, QWEN, "a"),
]


@rows("dialect, options, before, chunk", CHUNKS)
def test_a_chunk_in_a_part_is_not_read_in_full(dialect, options, before, chunk):
    parser = cogwire.Parser(dialect, **options)
    parser.feed(before)
    read = []
    with pytest.MonkeyPatch.context() as patch:
        machine = type(parser._machine)
        patch.setattr(machine, "read", lambda *_: read.append(chunk) or [])
        parser.feed(chunk)
    assert not read


# A format, the options, the chunks, and the events of the last one.
LAST = [
    ("minimax-m2", {"stream": "token"}, ["Hi", " there[", "e~["], ["respond", "end"]),
    ("minimax-m2", {"stream": "token"}, ["Hi", " a<think>"], ["respond"]),
    ("minimax-m2", {"stream": "token"}, ["Hi", " a<"], ["respond"]),
    ("hermes", {"stream": "token"}, ["Hi", " <b></", "tool_call><t"], ["respond"]),
    ("hermes", {"stream": "token"}, ["Hi <to", "ol_x"], ["respond"]),
    ("harmony", {"stream": "token"}, ["<|start|>" + "a" * 240, "a" * 8], []),
    ("harmony", {"stream": "token"}, ["<|start|>" + "a" * 240, "a" * 17], ["respond"]),
    ("harmony", {"stream": "token"}, ["<|start|>a", "\ufffd"], ["respond"]),
    ("harmony", {"stream": "token"}, ["<|start|>a", "<|return|>"], ["respond", "end"]),
    ("hermes", DELTAS, ['<tool_call>{"id": "a', "b"], []),
    ("hermes", DELTAS, [f"{HERMES}a", "b"], ["call_delta"]),
    ("hermes", {"calls": "sealed"}, [f"{HERMES}a", '"}', "}", "</tool_call>{", "x"], []),
    ("hermes", {"calls": "sealed"}, [f"{HERMES}a", '"}', "x"], ["error"]),
    ("hermes", {"raw": True}, [f"Hi{HERMES}a", '"}', "}</tool_call>"], ["call"]),
    ("xml-json", {"raw": True}, ["<execute>", '[{"name"', ":1", "}]</execute>a"], []),
    ("qwen3-coder", DELTAS, [f"{QWEN}a", "\n"], []),
    ("qwen3-coder", DELTAS, [f"{QWEN}a", "\n", "b"], ["call_delta"]),
]


@rows("dialect, options, chunks, kinds", LAST)
def test_what_a_chunk_gives_is_the_same_as_when_it_is_read_in_full(dialect, options, chunks, kinds):
    parser = cogwire.Parser(dialect, **options, clock=lambda: 7.5)
    given = [parser.feed(chunk) for chunk in chunks]
    full = cogwire.Parser(dialect, **options, clock=lambda: 7.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(full._machine), "_set_fast_path", lambda _: None)
        assert [full.feed(chunk) for chunk in chunks] == given
    assert all(event["timestamp"] == 7.5 for events in given for event in events)
    assert [event["type"] for event in given[-1]] == kinds
    assert (parser.tail, parser.discarded) == (full.tail, full.discarded)
