"""Classes of bugs that parsers of streamed model output have had."""

import itertools
import json

import pytest

from tests import cogwire
from tests.core.helpers import bare, call, execute, repaired, respond, run, singles, think

A = '{"name":"a","args":{}}'
#: A block up to the value of the argument `x`.
X = '<execute>[{"name":"a","args":{"x":'

SIZE = 40_000


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        pytest.param("<execute>" + "[" * 20_000, "not-object", 10, id="arrays of arrays"),
        pytest.param(X + "[" * 20_000, "limit-depth", len(X) + 125, id="arrays in args"),
        pytest.param(X + '{"a":' * 20_000, "limit-depth", len(X) + 625, id="objects in args"),
        pytest.param(X + "[" * 20_000 + "]" * 20_000, "limit-depth", len(X) + 125, id="closed"),
    ],
)
def test_deep_nesting(text, code, offset):
    """Depth is limited, and no recursion of ours comes before the limit."""
    for chunks in ([text], singles(text)):
        [event] = run(chunks).events
        assert (event["code"], event["offset"]) == (code, offset)


def test_deep_nesting_where_it_is_allowed():
    """The parser's own stack is not the interpreter's."""
    content = '{"name":"a","args":{"x":' + "[" * 20_000 + "]" * 20_000 + "}}"
    limits = cogwire.Limits(depth=30_000)
    text = f"<execute>[{content}]</execute>"
    for chunks in ([text], singles(text)):
        assert run(chunks, limits=limits).events == [call(content), execute()]
    events = run([text], limits=limits, stream="token", call_deltas=True).events
    shown = "".join(event["content"] for event in events if event["type"] == "call_delta")
    assert shown == content[len('{"name":"a","args":') : -1]


def test_events_are_never_revoked():
    """What a prefix gave stays given."""
    text = f"Interface <|interface> <think>a < b</think> x <thin <execute>[{A},{A}]</execute>"
    whole = run(singles(text), stream="token").events
    for size in range(len(text)):
        parser = cogwire.Parser(clock=None, stream="token")
        events = list(itertools.chain(*map(parser.feed, text[:size])))
        assert events == whole[: len(events)]


def test_a_long_string_is_not_parsed_again_for_each_chunk():
    """It comes as one call at its brace, wherever the chunks end."""
    content = json.dumps({"name": "write_file", "args": {"content": "line\n" * 10_000}})
    text = f"<execute>[{content}]</execute>"
    parser = cogwire.Parser(clock=None)
    feeds = [parser.feed(text[at : at + 4]) for at in range(0, len(text), 4)]
    assert [event for events in feeds for event in events] == [call(content), execute()]


def both_ways(text, **options):
    """Run a large text whole and one by one; the result is the same."""
    whole = run([text], **options)
    assert bare(run(singles(text), **options).events) == bare(whole.events)
    return whole


def test_a_long_call_one_by_one():
    content = '{"name":"w","args":{"c":"' + "x" * SIZE + '"}}'
    assert both_ways(f"<execute>[{content}]</execute>").events == [call(content), execute()]


def test_long_prose_is_emitted_as_it_arrives():
    """The first character is an event at once."""
    parser = cogwire.Parser(clock=None, stream="token")
    assert parser.feed("x") == [{"type": "respond", "content": "x", "segment": 0}]
    text = "word " * (SIZE // 5)
    assert both_ways(text).events == [respond(text.strip())]


@pytest.mark.parametrize(
    "text",
    [
        "<" * SIZE,
        "<think" * (SIZE // 6),
        "{" * SIZE,
        "[" + "prose " * (SIZE // 6) + "x",
        "x" + " " * SIZE + "<thin",
        "&lt;" * (SIZE // 4),
        "Thought: .. Action: x " * (SIZE // 22) + "x",
        "[f(" + ", ".join(f"a{n}=1" for n in range(SIZE // 9)),
        '{"a":"' * (SIZE // 6),
        "\\" * SIZE,
    ],
    ids=lambda text: text[:12],
)
def test_dense_prose(text):
    """Texts on which pattern matching may backtrack, or a lexer start over."""
    assert both_ways(text).events == [respond(text)]
    assert both_ways(f"<think>{text}").events == [think(text)]


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ("x" * SIZE, "unclosed-execute"),
        ('\\"' * (SIZE // 2), "unclosed-execute"),
        ("\\ud83d\\ude00" * (SIZE // 12), "unclosed-execute"),
        ("</execute>" * (SIZE // 10), "unclosed-execute"),
        ("\\ud", "unclosed-execute"),
        ("\\ud83d" * 2, "lone-surrogate"),
    ],
    ids=lambda text: text[:12],
)
def test_dense_strings(inside, code):
    [event] = both_ways(f'{X}"{inside}').events
    assert event["code"] == code


def test_a_block_without_an_end():
    """The size limit ends it, and then nothing is kept but the look-out for its closer."""
    limits = cogwire.Limits(size=10_000)
    outcome = both_ways(X + '"' + "x" * SIZE + "</execute>after", limits=limits)
    [event] = outcome.events
    assert (event["code"], event["offset"]) == ("limit-size", 9 + 10_000)
    assert (outcome.state, outcome.discarded) == ("paused", 5)


def test_a_void_block_without_an_end():
    text = "<execute>x" + "</execut" * (SIZE // 8)
    outcome = both_ways(text)
    assert [event["code"] for event in outcome.events] == ["not-array"]
    assert outcome.state == "execute"


def test_many_members():
    """Duplicates are looked for in a set."""
    members = ",".join(f'"k{n}":0' for n in range(5_000))
    content = '{"name":"a","args":{' + members + "}}"
    assert both_ways(f"<execute>[{content}]</execute>").events == [call(content), execute()]


def test_bytes_that_never_decode():
    """One character each, and progress always."""
    data = b"\xff" * 5_000
    assert bare(run([data]).events) == [respond(repaired(data))]
    assert bare(run(singles(data)).events) == [respond("\ufffd" * 5_000)]
