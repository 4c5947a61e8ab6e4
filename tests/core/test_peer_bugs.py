"""Classes of bugs that parsers of streamed model output have had, one case or more for each."""

import itertools
import json

import pytest

from tests import cogwire
from tests.core.helpers import (
    bare,
    call,
    check,
    end,
    error,
    execute,
    joined,
    repaired,
    respond,
    run,
    singles,
    think,
)

A = '{"name":"a","args":{}}'
RM = '{"name":"rm","args":{"p":"/"}}'


def check_feeds(chunks, expected):
    """Run these chunks in both modes, and the same text cut every other way."""
    for stream in ("event", "token"):
        assert bare(run(chunks, stream=stream).events) == expected
    check("".join(chunks), expected)


def check_block(*contents):
    """Assert that calls with these contents run."""
    expected = [*(call(content) for content in contents), execute()]
    check("<execute>[" + ",".join(contents) + "]</execute>", expected, state="paused")


def check_no_call(text, code, path=None, *, calls=0, **options):
    """Assert that the block breaks at the caret and nothing runs."""
    check(text, [call(A)] * calls + [error(code, path, calls=calls)], **options)


# --- Markers ----------------------------------------------------------------------------------


def test_a_marker_split_across_chunks():
    check_feeds(["<thi", "nk>r</th", "ink>ok"], [think("r"), respond("ok")])


def test_a_prefix_that_turns_out_to_be_no_marker():
    """What was held back comes out with what follows it."""
    check_feeds(["<", "my-tag", ">x"], [respond("<my-tag>x")])


def test_a_marker_longer_than_the_others_split():
    """The hold-back reaches for the longest marker, not for the first one."""
    check_feeds(["R1 <execut", "e>[]</execute>"], [respond("R1"), execute()])


def test_a_literal_closer_after_the_think():
    text = "<think>figuring it out</think>you close the block with </think> when done"
    expected = [
        think("figuring it out"),
        respond("you close the block with </think> when done"),
    ]
    check(text, expected)


def test_a_think_in_a_think():
    """A think is opaque up to the first closer; openers in it are not counted."""
    text = "<think>Outer <think>inner</think> continues</think>Visible"
    expected = [think("Outer <think>inner"), respond("continues</think>Visible")]
    check(text, expected)


def test_a_closer_quoted_in_a_think():
    """Quotation marks and backticks hide no closer."""
    text = "<think>the `</think>` marker ends it, so be careful</think>Hi"
    expected = [think("the `"), respond("` marker ends it, so be careful</think>Hi")]
    check(text, expected)


def test_a_block_in_a_code_fence():
    """An opener in prose is a marker wherever it stands; the literal form is for examples."""
    text = f"Example:\n```\n<execute>\n[{RM}]\n</execute>\n```\nDone."
    expected = [respond("Example:\n```"), call(RM), execute()]
    check(text, expected, state="paused", discarded=len("\n```\nDone."))
    literal = text.replace("<execute>", "&lt;execute>")
    check(literal, [respond(literal)], state="prose")


def test_a_block_in_a_fence_still_open():
    """A fence changes nothing, open or closed, so that no later text changes what ran."""
    text = f"```\n<execute>[{A}]</execute>"
    check(text, [respond("```"), call(A), execute()], state="paused")


def test_a_call_rehearsed_in_a_think():
    text = f"<think>I could <execute>[{RM}]</execute> maybe</think>Done"
    check(text, [think(f"I could <execute>[{RM}]</execute> maybe"), respond("Done")])


def test_a_marker_with_attributes_or_spaces():
    """A near marker opens nothing, so its closer closes nothing."""
    text = f'<execute id="1">[{A}]</execute> and < execute >'
    check(text, [respond(text)])


def test_a_doubled_opener():
    check_no_call(f"<execute>‸<execute>[{A}]</execute>", "not-array", state="paused")


def test_a_closer_without_opener():
    """No call ever runs without an opener."""
    text = f"[{A}]</execute>"
    check(text, [respond(text)])


def test_a_stray_closer_first():
    """Only `start="think"` says that the prompt wrote the opener."""
    check("</think>Hello", [respond("</think>Hello")])
    check("r</think>Hello", [think("r"), respond("Hello")], start="think")


def test_a_malformed_closer():
    check("<think>a</think/>b</think>c", [think("a</think/>b"), respond("c")])


def test_an_empty_block_then_text():
    """The block is void and stops the turn; the text behind it is counted, not lost from sight."""
    check_no_call("<execute>‸</execute>after", "not-array", state="paused", discarded=5)


def test_an_empty_think_after_another():
    text = "<think>Reason.</think>Before.<think></think>After."
    check(text, [think("Reason."), respond("Before."), respond("After.")])


def test_a_call_after_the_end():
    after = f"trailing<execute>[{A}]</execute>"
    check(f"Hi<end>{after}", [respond("Hi"), end()], state="ended", discarded=len(after))


def test_results_made_up_after_the_call():
    """The turn stops at the block: the model's own results and answer are never events."""
    block = '<execute>[{"name":"uuid","args":{}}]</execute>'
    after = (
        '\n<results>\n[{"tool":"uuid","status":"success","content":"550e8400-e29b"}]\n</results>'
        "\nThe UUID is 550e8400.<end>"
    )
    expected = [call('{"name":"uuid","args":{}}'), execute()]
    check(block + after, expected, state="paused", discarded=len(after))


def test_newlines_around_a_think():
    """White space at the ends of a segment is no content, however it is cut; `raw` keeps it."""
    text = "<think>\nfoo\n</think>\n\nHello"
    check(text, [think("foo"), respond("Hello")])
    events = run([text], raw=True).events
    assert [event["raw"] for event in events] == ["<think>\nfoo\n</think>", "\n\nHello"]


def test_chunks_of_white_space_inside_content():
    check_feeds(["1. London", "\n", "2. Paris", " ", "x"], [respond("1. London\n2. Paris x")])


def test_a_space_at_the_start_of_the_last_chunk():
    check_feeds(["there", " altogether?"], [respond("there altogether?")])


def test_blank_lines_between_a_think_and_a_block():
    chunks = ["<think>t</think>\n\n", f"<execute>[{A}]</execute>"]
    check_feeds(chunks, [think("t"), call(A), execute()])
    tokens = run(chunks, stream="token").events
    assert all(event["content"].strip() for event in tokens if event["type"] == "respond")


def test_special_tokens_glued_to_a_block():
    """They come after the stop, so they are discarded, in one chunk or two."""
    check_feeds([f"<execute>[{A}]</execute>"], [call(A), execute()])
    text = f"<execute>[{A}]</execute><|im_end|>"
    check(text, [call(A), execute()], state="paused", discarded=10)


def test_half_a_marker_before_a_whole_one():
    chunks = ["<exec", f"<execute>[{A}]</execute>"]
    check_feeds(chunks, [respond("<exec"), call(A), execute()])


# --- Texts that are cut -----------------------------------------------------------------------


def test_a_think_never_closed_before_a_call():
    """The end of the text closes the think; what is in it never runs and is never prose."""
    text = f"<think>hmm\n<execute>[{A}]</execute>"
    check(text, [think(f"hmm\n<execute>[{A}]</execute>")], state="think")


def test_a_cut_inside_the_opener():
    check("Ok.\n<execu", [respond("Ok.\n<execu")], state="prose")


@pytest.mark.parametrize(
    ("text", "path", "calls"),
    [
        pytest.param(
            '<execute>[{"name":"shell","args":{"cmd":"rm -rf build‸', "/0/args/cmd", 0, id="string"
        ),
        pytest.param(
            '<execute>[{"name":"run","args":{"cmds":["npm install","npm test"‸',
            "/0/args/cmds/1",
            0,
            id="between items",
        ),
        pytest.param('<execute>[{"name":"a","args":{"n":12‸', "/0/args/n", 0, id="number"),
        pytest.param('<execute>[{"name":"a","args":{"b":tr‸', "/0/args/b", 0, id="literal"),
        pytest.param(f"<execute>[{A}]‸", None, 1, id="before the closer"),
        pytest.param(f"<execute>[{A}]</execut‸", None, 1, id="in the closer"),
    ],
)
def test_a_cut_inside_a_block(text, path, calls):
    """A cut block is void, whole calls in it included: nothing is repaired, nothing runs."""
    check_no_call(text, "unclosed-execute", path, calls=calls, state="execute")


def test_a_cut_answer_is_told_by_its_missing_end():
    """Why a stream ended is not the parser's to know; `state` says whether the model ended it."""
    chopped, whole = cogwire.Parser(), cogwire.Parser()
    chopped.feed("Use -f with")
    chopped.close()
    whole.feed("Use -f with care.<end>")
    whole.close()
    assert (chopped.state, whole.state) == ("prose", "ended")


def test_prose_that_begins_with_a_brace():
    text = "{not a call at all, just prose starting with a brace}"
    check(text, [respond(text)])


@pytest.mark.parametrize("cut", ["<think>a", "a<thi", "<execute>[{", "a  ", "<end>x"])
@pytest.mark.parametrize("stream", ["event", "token"])
def test_nothing_leaks_into_the_next_turn(cut, stream):
    parser = cogwire.Parser(clock=None, raw=True, stream=stream)
    parser.feed(cut)
    parser.close()
    parser.next_turn()
    events = joined(parser.feed("Hi") + parser.close())
    assert events == [{"type": "respond", "content": "Hi", "raw": "Hi"}]
    assert (parser.state, parser.discarded, parser.tail) == ("prose", 0, "")


def test_no_bytes_leak_into_the_next_turn():
    parser = cogwire.Parser(clock=None)
    parser.feed(b"a<end>\xe2\x82")
    parser.close()
    parser.next_turn()
    assert parser.feed(b"\xacHi") + parser.close() == [respond("\ufffdHi")]


@pytest.mark.parametrize(
    "text", ["<execute>[{bad", "<end>", "<think>", f"<execute>[{A}]</execute>x"]
)
def test_the_stream_and_the_whole_are_read_by_the_same_code(text):
    """What streamed well does not fail as a whole."""
    assert bare(cogwire.parse(text, clock=None)) == bare(run(singles(text)).events)


def test_a_second_end():
    check_feeds(["Hi<end>", ""], [respond("Hi"), end()])
    check("Hi<end><end>", [respond("Hi"), end()], state="ended", discarded=5)


# --- JSON -------------------------------------------------------------------------------------


def test_a_closer_in_a_string_split_inside():
    content = '{"name":"w","args":{"c":"x </execute> y"}}'
    chunks = ['<execute>[{"name":"w","args":{"c":"x </exec', 'ute> y"}}]</exec', "ute>"]
    check_feeds(chunks, [call(content), execute()])


def test_brackets_in_strings():
    check_block('{"name":"w","args":{"m":"}A","n":"x]y","o":"if (x) { return y }"}}')


def test_an_escaped_quote_before_the_closer():
    check_block(r'{"name":"w","args":{"c":"a\"</execute>"}}')


def test_an_escaped_backslash_before_a_quote():
    check_block(r'{"name":"w","args":{"p":"C:\\","q":"</execute>"}}')


def test_a_chunk_that_ends_in_a_backslash():
    chunks = ['<execute>[{"name":"w","args":{"c":"a\\', "nb\\", "\\\\", '"d"}}]</execute>']
    content = r'{"name":"w","args":{"c":"a\nb\\\"d"}}'
    check_feeds(chunks, [call(content), execute()])


def test_an_escaped_pair_split_in_the_middle():
    chunks = ['<execute>[{"name":"w","args":{"c":"\\ud83d', '\\ude00"}}]</execute>']
    check_feeds(chunks, [call(r'{"name":"w","args":{"c":"\ud83d\ude00"}}'), execute()])


def test_a_character_split_across_chunks_of_bytes():
    chunks = [
        bytes.fromhex(part)
        for part in ("3c7468696e6b3ec3", "a920f09f", "98803c2f7468696e6b3ee4bd", "a0")
    ]
    expected = [think("é \U0001f600"), respond("你")]
    assert bare(run(chunks).events) == expected
    check(b"".join(chunks), expected)


def test_an_invalid_byte_in_the_middle():
    """It costs one character, never the rest of the stream."""
    assert bare(run([b"ok \xff", b" more text"]).events) == [respond("ok \ufffd more text")]
    check(b"ok \xff more text", [respond("ok \ufffd more text")])


X = '<execute>[{"name":"a","args":{"x":'


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        pytest.param(X + '"use App\\‸Http\\Models;"}}]', "json-syntax", "/0/args/x", id="escape"),
        pytest.param("<execute>[{‸'name':'a','args':{}}]", "json-syntax", "/0", id="single quotes"),
        pytest.param(X + "‸True}}]", "json-syntax", "/0/args/x", id="True"),
        pytest.param(X + "‸None}}]", "json-syntax", "/0/args/x", id="None"),
        pytest.param(X + '"say "‸hi" now"}}]', "json-syntax", "/0/args/x", id="inner quotes"),
        pytest.param(
            '<execute>[{"name":"a","args":{"path":"/safe","path‸":"/etc/passwd"}}]',
            "duplicate-key",
            "/0/args/path",
            id="duplicate keys",
        ),
        pytest.param(X + '"\\ud‸ (', "json-syntax", "/0/args/x", id="a partial escape"),
        pytest.param('<execute>[{"name":"ls"‸},', "missing-args", "/0", id="no args"),
        pytest.param('<execute>[{"name":"ls","args":‸null}', "bad-args", "/0/args", id="null args"),
        pytest.param('<execute>[{"name":"ls","args":‸""}', "bad-args", "/0/args", id="empty args"),
        pytest.param(
            '<execute>[{"name":"w","args":‸"{\\"city\\":\\"Paris\\"}"}]',
            "bad-args",
            "/0/args",
            id="args in a string",
        ),
        pytest.param("<execute>‸" + A, "not-array", None, id="one object"),
        pytest.param(f"<execute>‸Sure: [{A}] done", "not-array", None, id="prose before"),
        pytest.param(
            X + '"bar"‸: 2}}, {"name":"b","args":{}}]', "json-syntax", "/0/args/x", id="middle"
        ),
        pytest.param(X + '1, ‸description": "x"}}]', "json-syntax", "/0/args", id="a key's quote"),
        pytest.param(X + '"a‸\0b"}}]', "json-syntax", "/0/args/x", id="nul"),
    ],
)
def test_broken_json_is_an_error_and_never_repaired(text, code, path):
    check_no_call(f"{text}</execute>", code, path, state="paused")


def test_prose_after_the_array():
    check_no_call(f"<execute>[{A}] ‸done</execute>", "trailing-text", calls=1, state="paused")


def test_an_extra_bracket():
    check_no_call(f"<execute>[{A}]‸]</execute>", "trailing-text", calls=1, state="paused")


def test_an_integer_of_thousands_of_digits():
    """Its digits are limited, so that no consumer's conversion fails or takes long."""
    [event] = run([X, "9" * 5000, "}}]</execute>"]).events
    assert (event["code"], event["offset"]) == ("limit-digits", len(X) + 1000)


def test_an_exponent_of_many_digits_is_out_of_range():
    check_no_call(X + "1e1000000000‸}}]</execute>", "number-range", "/0/args/x", state="paused")


def test_digits_are_kept():
    """The content is the model's text; no number passes through a float."""
    check_block('{"name":"a","args":{"id":9007199254740993,"x":1.10,"y":1e2,"z":1.0}}')


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        pytest.param("<execute>" + "[" * 100_000, "not-object", 10, id="arrays of arrays"),
        pytest.param(X + "[" * 100_000, "limit-depth", len(X) + 125, id="arrays in args"),
        pytest.param(X + '{"a":' * 100_000, "limit-depth", len(X) + 625, id="objects in args"),
        pytest.param(X + "[" * 100_000 + "]" * 100_000, "limit-depth", len(X) + 125, id="closed"),
    ],
)
def test_deep_nesting(text, code, offset):
    """Depth is limited, and no recursion of ours comes before the limit."""
    for chunks in ([text], singles(text)):
        [event] = run(chunks).events
        assert (event["code"], event["offset"]) == (code, offset)


def test_deep_nesting_where_it_is_allowed():
    """The parser's own stack is not the interpreter's."""
    content = '{"name":"a","args":{"x":' + "[" * 50_000 + "]" * 50_000 + "}}"
    limits = cogwire.Limits(depth=60_000)
    for chunks in ([f"<execute>[{content}]</execute>"], singles(f"<execute>[{content}]</execute>")):
        assert run(chunks, limits=limits).events == [call(content), execute()]


def test_args_before_name():
    check_block('{"args":{"x":1},"name":"a"}')


def test_members_called_name_and_args_inside_args():
    check_block('{"name":"mk","args":{"name":"x","args":{"name":"y"}}}')


def test_names_are_verbatim():
    """White space and dots are the tool set's business."""
    check_block('{"name":"execute_bash  ","args":{}}', '{"name":"functions.read","args":{}}')


def test_one_malformed_call_voids_the_batch():
    """A partial batch is worse than none: what came before does not run, what follows is not read."""
    text = f'<execute>[{A},{{"nme":"b"‸}},{{"name":"c","args":{{}}}}]</execute>'
    check_no_call(text, "missing-name", "/1", calls=1, state="paused")


def test_a_call_with_a_very_long_argument():
    content = json.dumps({"name": "w", "args": {"c": "</execute> x" * 15_000}})
    text = f"<execute>[{content}]</execute>"
    for chunks in ([text], singles(text)):
        assert run(chunks).events == [call(content), execute()]


def test_text_after_a_broken_block():
    """A void block is a hard stop: text behind it is counted once, and not sliced twice."""
    check_no_call("<execute>[{‸bad]</execute>more text", "json-syntax", "/0", discarded=9)


# --- Streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        '{"name":"a","args":{"city":"Dallas","state":"TX"}}',
        '{"name":"a","args":{"code":"uptime"}}',
        '{"name":"a","args":{"code": 1}}',
        '{"name":"a","args":{"code": 23 }}',
        '{"name":"a","args":{"x":true}}',
        '{"name":"a","args":{"x":null}}',
        '{"name":"a","args":{"x":[1]}}',
        '{"name":"a","args":{"x":{}}}',
        '{"name":"ping","args":{}}',
        '{"name":"__proto__","args":{"constructor":{"__class__":0}}}',
    ],
)
def test_a_call_is_one_event_with_its_own_text(content):
    """There are no deltas of arguments to join wrongly: a call comes once, whole and verbatim."""
    check_block(content)


def test_events_are_never_taken_back():
    """What a prefix gave stays given."""
    text = f"Interface <|interface> <think>a < b</think> x <thin <execute>[{A},{A}]</execute>"
    whole = run(singles(text), stream="token").events
    for size in range(len(text)):
        parser = cogwire.Parser(clock=None, stream="token")
        events = list(itertools.chain(*map(parser.feed, text[:size])))
        assert events == whole[: len(events)]


def test_a_call_that_began_and_never_ended():
    """A cut call was never an event, and its error comes at the end."""
    check_no_call(
        '<execute>[{"name":"a","args":{"c":"mid-sen‸',
        "unclosed-execute",
        "/0/args/c",
        state="execute",
    )


def test_segments_begin_and_end_in_pairs():
    """An empty think is no segment; each other one is done once, and they never overlap."""
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


def test_identical_calls_are_all_kept():
    content = '{"name":"read","args":{"f":"a"}}'
    check_block(content, content)


def test_calls_keep_the_order_of_the_text():
    """Not that of a registry of tools."""
    check_block('{"name":"b","args":{}}', A, '{"name":"b","args":{}}')


def test_no_rule_is_judged_on_half_a_value():
    """A name that may yet become the reserved one, or stop being it, is no error."""
    parser = cogwire.Parser(clock=None)
    for character in '<execute>[{"name":"execute':
        assert parser.feed(character) == []
    assert parser.feed('r","args":{}}') == [call('{"name":"executer","args":{}}')]


# --- Large and adversarial texts --------------------------------------------------------------

SIZE = 200_000


def both_ways(text, **options):
    """Run a large text whole and one by one; the result is the same."""
    whole = run([text], **options)
    assert bare(run(singles(text), **options).events) == bare(whole.events)
    return whole


def test_a_long_call_one_by_one():
    content = '{"name":"w","args":{"c":"' + "x" * SIZE + '"}}'
    assert both_ways(f"<execute>[{content}]</execute>").events == [call(content), execute()]


def test_long_prose_is_given_as_it_comes():
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


def test_a_block_that_goes_on_without_end():
    """The size limit ends it, and then nothing is kept but the look-out for its closer."""
    limits = cogwire.Limits(size=50_000)
    outcome = both_ways(X + '"' + "x" * SIZE + "</execute>after", limits=limits)
    [event] = outcome.events
    assert (event["code"], event["offset"]) == ("limit-size", 9 + 50_000)
    assert (outcome.state, outcome.discarded) == ("paused", 5)


def test_a_void_block_that_goes_on_without_end():
    text = "<execute>x" + "</execut" * (SIZE // 8)
    outcome = both_ways(text)
    assert [event["code"] for event in outcome.events] == ["not-array"]
    assert outcome.state == "execute"


def test_many_members():
    """Duplicates are looked for in a set."""
    members = ",".join(f'"k{n}":0' for n in range(20_000))
    content = '{"name":"a","args":{' + members + "}}"
    assert both_ways(f"<execute>[{content}]</execute>").events == [call(content), execute()]


def test_bytes_that_never_decode():
    """One character each, and progress always."""
    data = b"\xff" * 20_000
    assert bare(run([data]).events) == [respond(repaired(data))]
    assert bare(run(singles(data)).events) == [respond("\ufffd" * 20_000)]
