"""Classes of bugs that parsers of streamed model output have had."""

import itertools
import json

import pytest

from tests import cogwire
from tests.core.helpers import bare, call, execute, joined, repaired, respond, run, singles, think
from tests.core.wire.tables import check_rows

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
#: A block up to the value of the argument `x`.
X = '<execute>[{"name":"a","args":{"x":'

# fmt: off
READ = {
    "Markers": [
        ("<my-tag>x", "respond <my-tag>x"),  # a prefix that turns out to be no marker
        ("[" + A + "]</execute>", 'respond [{"name":"a","args":{}}]</execute>'),  # a closer without opener
        ("there altogether?", "respond there altogether?"),  # a space at the start of the last chunk
        ("<think>figuring it out</think>you close the block with </think> when done", "think figuring it out · respond you close the block with </think> when done"),  # a literal closer after the think
        ("<think>Outer <think>inner</think> continues</think>Visible", "think Outer <think>inner · respond continues</think>Visible"),  # a think in a think
        ("<think>the `</think>` marker ends it, so be careful</think>Hi", "think the ` · respond ` marker ends it, so be careful</think>Hi"),  # a closer quoted in a think
        ("```\n" + BLOCK, "respond ``` · call · execute → paused"),  # a block in a fence still open
        ('<think>I could <execute>[{"name":"rm","args":{"p":"/"}}]</execute> maybe</think>Done', 'think I could <execute>[{"name":"rm","args":{"p":"/"}}]</execute> maybe · respond Done'),  # a call rehearsed in a think
        ("<execute>‸" + BLOCK, "error not-array → paused"),  # a doubled opener
        ("r</think>Hello", "think r · respond Hello", "start=think"),  # a stray closer first
        ("Hi<end>trailing" + BLOCK, "respond Hi · end → ended +51"),  # a call after the end
        ('<execute>[{"name":"uuid","args":{}}]</execute>\n<results>\n[{"tool":"uuid","status":"success","content":"550e8400-e29b"}]\n</results>\nThe UUID is 550e8400.<end>', 'call {"name":"uuid","args":{}} · execute → paused +111'),  # results made up after the call
        ("<think>t</think>\n\n" + BLOCK, "think t · call · execute"),  # blank lines between a think and a block
        ("<exec" + BLOCK, "respond <exec · call · execute"),  # half a marker before a whole one
    ],
    # An opener in prose is a marker wherever it appears; the literal form is for examples.
    "a block in a code fence": [
        ('Example:\n```\n<execute>\n[{"name":"rm","args":{"p":"/"}}]\n</execute>\n```\nDone.', 'respond Example:\n``` · call {"name":"rm","args":{"p":"/"}} · execute → paused +10'),
        ('Example:\n```\n&lt;execute>\n[{"name":"rm","args":{"p":"/"}}]\n</execute>\n```\nDone.', 'respond Example:\n```\n&lt;execute>\n[{"name":"rm","args":{"p":"/"}}]\n</execute>\n```\nDone. → prose'),
    ],
    # They come after the stop, so they are discarded, in one chunk or two.
    "special tokens glued to a block": [
        (BLOCK, "call · execute"),
        (BLOCK + "<|im_end|>", "call · execute → paused +10"),
    ],
    "Texts that are cut": [
        ("<think>hmm\n" + BLOCK, 'think hmm\n<execute>[{"name":"a","args":{}}]</execute> → think'),  # a think never closed before a call
        ("{not a call at all, just prose starting with a brace}", "respond {not a call at all, just prose starting with a brace}"),  # prose that begins with a brace
        ("Hi<end>", "respond Hi · end"),  # a second end
    ],
    # A cut block is void, whole calls in it included: nothing is repaired, nothing runs.
    "a cut inside a block": [
        ('<execute>[{"name":"a","args":{"n":12‸', "error unclosed-execute /0/args/n → execute"),  # number
        ('<execute>[{"name":"a","args":{"b":tr‸', "error unclosed-execute /0/args/b → execute"),  # literal
    ],
    "JSON": [
        ('<execute>[{"name":"w","args":{"m":"}A","n":"x]y","o":"if (x) { return y }"}}]</execute>', 'call {"name":"w","args":{"m":"}A","n":"x]y","o":"if (x) { return y }"}} · execute → paused'),  # brackets in strings
        ('<execute>[{"name":"w","args":{"c":"a\\nb\\\\\\"d"}}]</execute>', 'call {"name":"w","args":{"c":"a\\nb\\\\\\"d"}} · execute'),  # a chunk that ends in a backslash
        ('<execute>[{"name":"w","args":{"c":"\\ud83d\\ude00"}}]</execute>', 'call {"name":"w","args":{"c":"\\ud83d\\ude00"}} · execute'),  # an escaped pair split in the middle
        (b"<think>\xc3\xa9 \xf0\x9f\x98\x80</think>\xe4\xbd\xa0", "think é 😀 · respond 你"),  # a character split across chunks of bytes
        ('<execute>[{"name":"a","args":{"id":9007199254740993,"x":1.10,"y":1e2,"z":1.0}}]</execute>', 'call {"name":"a","args":{"id":9007199254740993,"x":1.10,"y":1e2,"z":1.0}} · execute → paused'),  # digits are kept
    ],
    "broken json is an error and never repaired": [
        (X + '"use App\\‸Http\\Models;"}}]</execute>', "error json-syntax /0/args/x → paused"),  # escape
        (X + '"\\ud‸ (</execute>', "error json-syntax /0/args/x → paused"),  # a partial escape
        ("<execute>[{‸'name':'a','args':{}}]</execute>", "error json-syntax /0 → paused"),  # single quotes
        ('<execute>[{"name":"a","args":{"path":"/safe","path‸":"/etc/passwd"}}]</execute>', "error duplicate-key /0/args/path → paused"),  # duplicate keys
        ('<execute>[{"name":"ls"‸},</execute>', "error missing-args /0 → paused"),  # no args
        ('<execute>[{"name":"ls","args":‸null}</execute>', "error bad-args /0/args → paused"),  # null args
        ('<execute>[{"name":"ls","args":‸""}</execute>', "error bad-args /0/args → paused"),  # empty args
        ('<execute>[{"name":"w","args":‸"{\\"city\\":\\"Paris\\"}"}]</execute>', "error bad-args /0/args → paused"),  # args in a string
        ("<execute>‸Sure: [" + A + "] done</execute>", "error not-array → paused"),  # prose before
        (X + '1, ‸description": "x"}}]</execute>', "error json-syntax /0/args → paused"),  # a key's quote
    ],
    # There are no deltas of arguments to join wrongly: a call is emitted once, whole and verbatim.
    "a call is one event with its own text": [
        ('<execute>[{"name":"a","args":{"city":"Dallas","state":"TX"}}]</execute>', 'call {"name":"a","args":{"city":"Dallas","state":"TX"}} · execute → paused'),
        ('<execute>[{"name":"a","args":{"code":"uptime"}}]</execute>', 'call {"name":"a","args":{"code":"uptime"}} · execute → paused'),
        ('<execute>[{"name":"a","args":{"code": 1}}]</execute>', 'call {"name":"a","args":{"code": 1}} · execute → paused'),
        ('<execute>[{"name":"a","args":{"code": 23 }}]</execute>', 'call {"name":"a","args":{"code": 23 }} · execute → paused'),
        (X + "true}}]</execute>", 'call {"name":"a","args":{"x":true}} · execute → paused'),
        (X + "null}}]</execute>", 'call {"name":"a","args":{"x":null}} · execute → paused'),
        (X + "[1]}}]</execute>", 'call {"name":"a","args":{"x":[1]}} · execute → paused'),
        (X + "{}}}]</execute>", 'call {"name":"a","args":{"x":{}}} · execute → paused'),
    ],
    "Streams": [
        ('<execute>[{"name":"a","args":{"c":"mid-sen‸', "error unclosed-execute /0/args/c → execute"),  # a call that began and never ended
        ('<execute>[{"name":"b","args":{}},' + A + ',{"name":"b","args":{}}]</execute>', 'call {"name":"b","args":{}} · call · call {"name":"b","args":{}} · execute → paused'),  # calls keep the order of the text
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_known_bugs(section):
    check_rows(READ[section], "xml-json")


SIZE = 40_000


def test_a_cut_answer_is_recognised_by_its_missing_end():
    """Why a stream ended is not the parser's to know; `state` says whether the model ended it."""
    chopped, whole = cogwire.Parser(), cogwire.Parser()
    chopped.feed("Use -f with")
    chopped.close(finished=True)
    whole.feed("Use -f with care.<end>")
    whole.close(finished=True)
    assert (chopped.state, whole.state) == ("prose", "ended")


@pytest.mark.parametrize("cut", ["<think>a", "a<thi", "<execute>[{", "a  ", "<end>x"])
@pytest.mark.parametrize("stream", ["event", "token"])
def test_nothing_leaks_into_the_next_turn(cut, stream):
    parser = cogwire.Parser(clock=None, raw=True, stream=stream)
    parser.feed(cut)
    parser.close(finished=True)
    parser.next_turn()
    events = joined(parser.feed("Hi") + parser.close(finished=True))
    assert events == [{"type": "respond", "content": "Hi", "raw": "Hi"}]
    assert (parser.state, parser.discarded, parser.tail) == ("prose", 0, "")


def test_no_bytes_leak_into_the_next_turn():
    parser = cogwire.Parser(clock=None)
    parser.feed(b"a<end>\xe2\x82")
    parser.close(finished=True)
    parser.next_turn()
    assert parser.feed(b"\xacHi") + parser.close(finished=True) == [respond("\ufffdHi")]


def test_an_integer_of_thousands_of_digits():
    """Its digits are limited, so that no consumer's conversion fails or takes long."""
    [event] = run([X, "9" * 5000, "}}]</execute>"]).events
    assert (event["code"], event["offset"]) == ("limit-digits", len(X) + 1000)


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
    for chunks in ([f"<execute>[{content}]</execute>"], singles(f"<execute>[{content}]</execute>")):
        assert run(chunks, limits=limits).events == [call(content), execute()]


def test_a_call_with_a_very_long_argument():
    content = json.dumps({"name": "w", "args": {"c": "</execute> x" * 4_000}})
    text = f"<execute>[{content}]</execute>"
    for chunks in ([text], singles(text)):
        assert run(chunks).events == [call(content), execute()]


def test_events_are_never_revoked():
    """What a prefix gave stays given."""
    text = f"Interface <|interface> <think>a < b</think> x <thin <execute>[{A},{A}]</execute>"
    whole = run(singles(text), stream="token").events
    for size in range(len(text)):
        parser = cogwire.Parser(clock=None, stream="token")
        events = list(itertools.chain(*map(parser.feed, text[:size])))
        assert events == whole[: len(events)]


def test_segments_begin_and_end_in_pairs():
    """An empty think is not a segment; any other is done once, and they never overlap."""
    tokens = run(singles("<think></think>Hi<think>a</think> "), stream="token").events
    ends = [(event["type"], event["segment"]) for event in tokens if "done" in event]
    assert ends == [("respond", 0), ("think", 1)]
    assert joined(tokens) == [respond("Hi"), think("a")]


def test_a_long_string_is_not_parsed_again_for_each_chunk():
    """It comes as one call at its brace, wherever the chunks end."""
    content = json.dumps({"name": "write_file", "args": {"content": "line\n" * 10_000}})
    text = f"<execute>[{content}]</execute>"
    parser = cogwire.Parser(clock=None)
    feeds = [parser.feed(text[at : at + 4]) for at in range(0, len(text), 4)]
    assert [event for events in feeds for event in events] == [call(content), execute()]


def test_no_rule_is_checked_on_an_incomplete_value():
    """A name that may still become the reserved one, or a longer one, is not an error."""
    parser = cogwire.Parser(clock=None)
    for character in '<execute>[{"name":"execute':
        assert parser.feed(character) == []
    assert parser.feed('r","args":{}}') == [call('{"name":"executer","args":{}}')]


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
