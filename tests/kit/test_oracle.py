"""The executable spec is itself checked: hand-written examples, with what each must give."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import Outcome, parse
from tests.oracle.text import decode

EXECUTE = {"type": "execute"}
END = {"type": "end"}
PING = '{"name":"ping","args":{}}'
PONG = '{"tool":"ping","status":"success","content":1}'
VOID_ANSWER = '<results>[{"tool":"execute","status":"failure","content":"no"}]</results>'


def think(content):
    return {"type": "think", "content": content}


def respond(content):
    return {"type": "respond", "content": content}


def call(content):
    return {"type": "call", "content": content}


def result(content, executed, success, failure):
    return {
        "type": "result",
        "content": content,
        "payload": {
            "tools_executed": executed,
            "success_count": success,
            "failure_count": failure,
        },
    }


def error(code, offset, path="", calls=0):
    place = {"path": path} if path else {}
    return {"type": "error", "code": code, "offset": offset, **place, "calls": calls}


def block_error(inside, **options):
    """Give the one error of a block, its offset counted from behind `<execute>`."""
    events = parse("<execute>" + inside, **options).events
    broken = [event for event in events if event["type"] == "error"]
    assert broken == events[-1:]
    found = broken[0]
    return found["code"], found["offset"] - 9, found.get("path", ""), found["calls"]


def block_calls(inside, **options):
    """Give the calls of a block that is closed and whole."""
    events = parse(f"<execute>{inside}</execute>", **options).events
    assert events[-1] == EXECUTE
    return [event["content"] for event in events[:-1]]


def answer(results, calls=(PING,), **options):
    """Give what follows the execute (or the error) when `results` answer `calls` in a transcript."""
    head = f"<execute>[{','.join(calls)}]</execute>"
    outcome = parse(head + results, mode="transcript", **options)
    return outcome.events[len(calls) + 1 :], outcome.state, len(head)


def shape_error(inside, calls=(PING,), **options):
    """Give the one error of a results block, its offset counted from behind `<results>`."""
    (found,), state, head = answer(f"<results>{inside}", calls, **options)
    assert state in ("prose", "results")
    assert found["type"] == "error"
    assert found["calls"] == 0
    return found["code"], found["offset"] - head - 9, found.get("path", "")


# Characters


@pytest.mark.parametrize("kept", ["x\x1f", "x\xa0", "x\u2028", "\ufeffx", "x\x00", "\x0bx"])
def test_only_four_characters_are_white_space(kept):
    assert parse(f" \t{kept}\r\n").events == [respond(kept)]


def test_a_byte_order_mark_is_content():
    assert parse(b"\xef\xbb\xbfx").events == [respond("\ufeffx")]


@pytest.mark.parametrize(
    ("data", "characters", "replaced"),
    [
        (b"\xe2\x82A", "\ufffdA", {0}),
        (b"a\xe2\x82", "a\ufffd", {1}),
        (b"\xe2\x82\xac", "\u20ac", set()),
        (b"\xef\xbf\xbd", "\ufffd", set()),
        (b"\xc0\x80", "\ufffd\ufffd", {0, 1}),
        (b"\xc1\xbf", "\ufffd\ufffd", {0, 1}),
        (b"\xe0\x9f\xbf", "\ufffd\ufffd\ufffd", {0, 1, 2}),
        (b"\xe0\xa0\x80", "\u0800", set()),
        (b"\xed\x9f\xbf", "\ud7ff", set()),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", {0, 1, 2}),
        (b"\xf0\x8f\xbf", "\ufffd\ufffd\ufffd", {0, 1, 2}),
        (b"\xf0\x9f\x98\x80", "\U0001f600", set()),
        (b"\xf0\x9f\x98<", "\ufffd<", {0}),
        (b"\xf1\x80\x80\xe1\x80\xc2a\x80", "\ufffd\ufffd\ufffda\ufffd", {0, 1, 2, 4}),
        (b"\xf4\x8f\xbf\xbf", "\U0010ffff", set()),
        (b"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd", {0, 1, 2, 3}),
        (b"\xf5\xff\xfe", "\ufffd\ufffd\ufffd", {0, 1, 2}),
        ("\ud83d\ude00", "\U0001f600", set()),
        ("\ude00\ud83d", "\ufffd\ufffd", {0, 1}),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600", {0}),
        ("a\ud83d", "a\ufffd", {1}),
        ("\ufffd", "\ufffd", set()),
    ],
)
def test_one_replacement_for_each_maximal_subpart_and_each_lone_half(data, characters, replaced):
    text = decode(data)
    assert (text.characters, text.replaced) == (characters, replaced)


def test_every_character_decodes_as_python_encodes_it():
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000), 0x12345, 0x10FFFF]))
    assert decode(every.encode()).characters == every


def test_text_behind_a_hard_stop_is_counted_in_characters():
    assert parse("<end>\ud83d\ude00").discarded == 1
    assert parse(b"<end>\xf0\x9f\x98").discarded == 1
    assert parse(b"<end>\xf0\x9f\x98\x80 \n") == Outcome([END], "ended", 3, "")


@pytest.mark.parametrize(
    "near",
    [
        "<THINK>a",
        "< think>",
        "<think >",
        "<end/>",
        "a</execute>b",
        "</think>Hi",
        "</results>",
        "&lt;execute>[]",
        "<thi",
        "<",
        "<End>",
    ],
)
def test_what_is_nearly_a_marker_is_prose(near):
    assert parse(near) == Outcome([respond(near)], "prose", 0, "")


def test_a_marker_counts_wherever_it_stands():
    assert parse("<<end>").events == [respond("<"), END]
    assert parse("a<thi<think>b</think").events == [respond("a<thi"), think("b</think")]


def test_inside_a_region_only_its_own_closer_is_a_marker():
    assert block_error("[<end>") == ("json-syntax", 1, "/0", 0)
    assert parse("<think><end><results></execute></think>").events == [
        think("<end><results></execute>")
    ]


@pytest.mark.parametrize("broken", [b"\xff", b"\xe2\x82"])
def test_a_replaced_character_in_a_block_voids_it(broken):
    outcome = parse(b"<execute>[" + broken + b"]</execute>!")
    assert outcome == Outcome([error("bad-encoding", 10, "/0")], "paused", 1, "")


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("\ud800[]", ("bad-encoding", 0, "", 0)),
        ('[{"\ud800', ("bad-encoding", 3, "/0", 0)),
        ('[{"name":"\ud800', ("bad-encoding", 10, "/0/name", 0)),
        (f"[{PING}\ud800", ("bad-encoding", 26, "/0", 1)),
        (f"[{PING},\ud800", ("bad-encoding", 27, "/1", 1)),
        ("[]\ud800", ("bad-encoding", 2, "", 0)),
        ("[]</exec\ud800", ("bad-encoding", 8, "", 0)),
        ('[{"x":1e999\ud800', ("bad-encoding", 11, "/0/x", 0)),
        ('[{"x":"\\ud83d\ud800', ("bad-encoding", 13, "/0/x", 0)),
        ('[{"x":tr\ud800', ("bad-encoding", 8, "/0/x", 0)),
    ],
)
def test_bad_encoding_comes_before_every_other_rule(inside, expected):
    assert block_error(inside) == expected


def test_bad_encoding_comes_before_the_size():
    assert block_error("[ \ud800]", limits=(2, 256, 128, 1000)) == ("bad-encoding", 2, "/0", 0)


def test_a_replacement_character_that_was_written_is_content():
    inside = '[{"name":"\ufffd","args":{}}]'
    assert block_calls(inside) == ['{"name":"\ufffd","args":{}}']
    assert parse(f"<execute>{inside}</execute>".encode()).events[-1] == EXECUTE


def test_replaced_characters_outside_a_live_block_are_content():
    assert parse("\ud800<think>\udc00</think>").events == [respond("\ufffd"), think("\ufffd")]
    outcome = parse("<execute>x\ud800</execute>")
    assert outcome.events == [error("not-array", 9)]
    assert outcome.state == "paused"


# Segments


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        ("", [], "prose"),
        (" \n", [], "prose"),
        ("<think>", [], "think"),
        ("<think> a ", [think("a")], "think"),
        ("<think> a </think> b ", [think("a"), respond("b")], "prose"),
        ("<think>a<think>b</think>", [think("a<think>b")], "prose"),
        ("a<think> </think>b", [respond("a"), respond("b")], "prose"),
        ("a<think></think><think>b</think>", [respond("a"), think("b")], "prose"),
    ],
)
def test_segments(data, events, state):
    assert parse(data) == Outcome(events, state, 0, "")


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        ("", [], "think"),
        (" ", [], "think"),
        ("a</think>b", [think("a"), respond("b")], "prose"),
        ("<think>a</think>b", [think("a"), respond("b")], "prose"),
        (" \n<think>a</think>b", [think("a"), respond("b")], "prose"),
        ("<think><think>a</think>", [think("<think>a")], "prose"),
        ("x<think>a</think>", [think("x<think>a")], "prose"),
        (" <thin", [think("<thin")], "think"),
        ("<end></think><end>", [think("<end>"), END], "ended"),
        ("</think><think>b</think>", [think("b")], "prose"),
    ],
)
def test_a_start_in_think(data, events, state):
    assert parse(data, start="think") == Outcome(events, state, 0, "")


# Hard stops


def test_hard_stops():
    assert parse("a<end>b<think>") == Outcome([respond("a"), END], "ended", 8, "")
    assert parse("<execute>[]</execute> b") == Outcome([EXECUTE], "paused", 2, "")
    assert parse("<execute>x</execute> b") == Outcome([error("not-array", 9)], "paused", 2, "")


def test_results_in_a_turn_are_forged():
    outcome = parse("ok <results>[]</results>")
    assert outcome == Outcome([respond("ok"), error("forged-results", 3)], "paused", 12, "")


def test_the_second_of_two_blocks_is_discarded():
    data = f"<execute>[{PING}]</execute>"
    assert parse(data + data) == Outcome([call(PING), EXECUTE], "paused", len(data), "")


# Blocks


def test_the_calls_of_a_block_are_its_elements_verbatim():
    first = (
        '{ "args" : {"a":[1,{"b":null}], "c":"</execute>"} , "x":[true,false], "name":"\\u0061"}'
    )
    assert block_calls(f"\n [ {first}\t,\r\n{PING} ] \n") == [first, PING]
    assert block_calls("[]") == []
    assert block_calls(" [ ] ") == []


@pytest.mark.parametrize(
    "value",
    [
        "9007199254740993",
        "9" * 300,
        "-" + "9" * 308,
        "1e-400",
        "-0",
        "-0.0E+0",
        "0.10",
        "1e308",
        '"\\ud83d\\ude00"',
        '"\\uD83D\\uDE00 \\"\\\\\\/\\b\\f\\n\\r\\t"',
        '"\x7f\x80\ufeff"',
        "[[],{},[[1,2],[3]]]",
    ],
)
def test_values_that_are_accepted(value):
    element = f'{{"name":"a","args":{{"x":{value}}}}}'
    assert block_calls(f"[{element}]") == [element]
    spaced = f'{{"x":{value} ,"args":{{}},"y":[{value}\n],"name":"a"}}'
    assert block_calls(f"[{spaced}]") == [spaced]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        # before and after the array
        ("</execute>", ("not-array", 0, "", 0)),
        ("Sure: []</execute>", ("not-array", 0, "", 0)),
        (" NaN", ("not-array", 1, "", 0)),
        ("{", ("not-array", 0, "", 0)),
        ("[] x</execute>", ("trailing-text", 3, "", 0)),
        ("[]</exe</execute>", ("trailing-text", 7, "", 0)),
        ("[]<x", ("trailing-text", 3, "", 0)),
        ("[]</execute >", ("trailing-text", 11, "", 0)),
        (f"[{PING}],", ("trailing-text", 27, "", 1)),
        # grammar
        ("[Sure]", ("json-syntax", 1, "/0", 0)),
        ('[{"name":x', ("json-syntax", 9, "/0/name", 0)),
        ("[,", ("json-syntax", 1, "/0", 0)),
        ("[}", ("json-syntax", 1, "/0", 0)),
        (f"[{PING},]", ("json-syntax", 27, "/1", 1)),
        (f"[{PING}x", ("json-syntax", 26, "/0", 1)),
        (f"[{PING}{PING}", ("json-syntax", 26, "/0", 1)),
        ("[{x", ("json-syntax", 2, "/0", 0)),
        ("[{'", ("json-syntax", 2, "/0", 0)),
        ('[{"a"x', ("json-syntax", 5, "/0", 0)),
        ('[{"a":1,}', ("json-syntax", 8, "/0", 0)),
        ('[{"a":1]', ("json-syntax", 7, "/0/a", 0)),
        ('[{"a":"b"c', ("json-syntax", 9, "/0/a", 0)),
        ('[{"a":[1,]', ("json-syntax", 9, "/0/a/1", 0)),
        ('[{"a":[1 2', ("json-syntax", 9, "/0/a/0", 0)),
        ('[{"a":[]}x', ("missing-name", 8, "/0", 0)),
        ('[{"a":[{"b":[2,3}', ("json-syntax", 16, "/0/a/0/b/1", 0)),
        ('[{"a":[{"b":2},{"c":4}x', ("json-syntax", 22, "/0/a/1", 0)),
        ('[{"a/~":{"~1":x', ("json-syntax", 14, "/0/a~1~0/~01", 0)),
        ('[{"":{"":x', ("json-syntax", 9, "/0//", 0)),
        ('[{"x":trux', ("json-syntax", 9, "/0/x", 0)),
        ('[{"x":truex', ("json-syntax", 10, "/0/x", 0)),
        ('[{"x":nul,', ("json-syntax", 9, "/0/x", 0)),
        ('[{"x":NaN', ("json-syntax", 6, "/0/x", 0)),
        ('[{"x":"\n', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":"\t', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":"\x00', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":"\\x', ("json-syntax", 8, "/0/x", 0)),
        ('[{"x":"\\u00g', ("json-syntax", 11, "/0/x", 0)),
        ('[{"x":"\\u\uff11', ("json-syntax", 9, "/0/x", 0)),
        ('[{"x":\xa01', ("json-syntax", 6, "/0/x", 0)),
        ("[/", ("json-syntax", 1, "/0", 0)),
        # numbers
        ('[{"x":01', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":+1', ("json-syntax", 6, "/0/x", 0)),
        ('[{"x":.5', ("json-syntax", 6, "/0/x", 0)),
        ('[{"x":1.,', ("json-syntax", 8, "/0/x", 0)),
        ('[{"x":0x1', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":1_000', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":-}', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":1e+,', ("json-syntax", 9, "/0/x", 0)),
        ('[{"x":1.5.', ("json-syntax", 9, "/0/x", 0)),
        ('[{"x":\u0661', ("json-syntax", 6, "/0/x", 0)),
        ('[{"x":1\u0661', ("json-syntax", 7, "/0/x", 0)),
        ('[{"x":1e999,', ("number-range", 11, "/0/x", 0)),
        ('[{"x":-1e999 ', ("number-range", 12, "/0/x", 0)),
        ('[{"x":1e999<', ("json-syntax", 11, "/0/x", 0)),
        ('[{"x":1e999]', ("json-syntax", 11, "/0/x", 0)),
        ('[{"x":[1e999]', ("number-range", 12, "/0/x/0", 0)),
        ('[{"x":[1e999}', ("json-syntax", 12, "/0/x/0", 0)),
        ('[{"name":"a","x":1e999}', ("number-range", 22, "/0/x", 0)),
        ('[{"x":' + "9" * 309 + ",", ("number-range", 315, "/0/x", 0)),
        # the end of the text
        ("", ("unclosed-execute", 0, "", 0)),
        (" ", ("unclosed-execute", 1, "", 0)),
        ("[", ("unclosed-execute", 1, "/0", 0)),
        ("[{", ("unclosed-execute", 2, "/0", 0)),
        ('[{"x', ("unclosed-execute", 4, "/0", 0)),
        ('[{"x":', ("unclosed-execute", 6, "/0/x", 0)),
        ('[{"x":-', ("unclosed-execute", 7, "/0/x", 0)),
        ('[{"x":1.', ("unclosed-execute", 8, "/0/x", 0)),
        ('[{"x":1e', ("unclosed-execute", 8, "/0/x", 0)),
        ('[{"x":1e999', ("unclosed-execute", 11, "/0/x", 0)),
        ('[{"x":"\\ud83d', ("unclosed-execute", 13, "/0/x", 0)),
        (f"[{PING}", ("unclosed-execute", 26, "/0", 1)),
        (f"[{PING},", ("unclosed-execute", 27, "/1", 1)),
        (f"[{PING}]", ("unclosed-execute", 27, "", 1)),
        (f"[{PING}]</execute", ("unclosed-execute", 36, "", 1)),
        # shape
        ("[1]", ("not-object", 1, "/0", 0)),
        ('["', ("not-object", 1, "/0", 0)),
        ("[[", ("not-object", 1, "/0", 0)),
        ("[-", ("not-object", 1, "/0", 0)),
        ("[nothing", ("not-object", 1, "/0", 0)),
        (f"[{PING},true", ("not-object", 27, "/1", 1)),
        ('[{"name":1', ("bad-name", 9, "/0/name", 0)),
        ('[{"name":null', ("bad-name", 9, "/0/name", 0)),
        ('[{"name":{', ("bad-name", 9, "/0/name", 0)),
        ('[{"name":""', ("bad-name", 10, "/0/name", 0)),
        ('[{"name":"execute"', ("bad-name", 17, "/0/name", 0)),
        ('[{"name":"\\u0065xecute"', ("bad-name", 22, "/0/name", 0)),
        ('[{"name":"a","args":[', ("bad-args", 20, "/0/args", 0)),
        ('[{"args":"', ("bad-args", 9, "/0/args", 0)),
        ("[{}]", ("missing-name", 2, "/0", 0)),
        ('[{"args":{}}]', ("missing-name", 11, "/0", 0)),
        ('[{"name":"a"}]', ("missing-args", 12, "/0", 0)),
        (f'[{PING},{{"name":"a"}}]', ("missing-args", 38, "/1", 1)),
        ('[{"name":"a","args":{"name":1,"args":2}', ("unclosed-execute", 39, "/0/args", 0)),
        # whole values
        ('[{"a":1,"a"', ("duplicate-key", 10, "/0/a", 0)),
        ('[{"a":1,"\\u0061"', ("duplicate-key", 15, "/0/a", 0)),
        ('[{"name":"a","name"', ("duplicate-key", 18, "/0/name", 0)),
        ('[{"args":{},"args"', ("duplicate-key", 17, "/0/args", 0)),
        ('[{"args":{"x":[{"b/":1,"b/"', ("duplicate-key", 26, "/0/args/x/0/b~1", 0)),
        ('[{"\U0001f600":1,"\\ud83d\\ude00"', ("duplicate-key", 21, "/0/\U0001f600", 0)),
        ('[{"x":"\\udc00"', ("lone-surrogate", 12, "/0/x", 0)),
        ('[{"x":"\\ud83d"', ("lone-surrogate", 13, "/0/x", 0)),
        ('[{"x":"\\ud83d\\u0041"', ("lone-surrogate", 18, "/0/x", 0)),
        ('[{"x":"\\ud83d\\ud83d', ("lone-surrogate", 18, "/0/x", 0)),
        ('[{"x":"\\ud83dx', ("lone-surrogate", 13, "/0/x", 0)),
        ('[{"x":"\\ud83d\\n', ("lone-surrogate", 14, "/0/x", 0)),
        ('[{"x":"\\ud83d\\x', ("json-syntax", 14, "/0/x", 0)),
        ('[{"x":"\\ud83d\\u00g', ("json-syntax", 17, "/0/x", 0)),
        ('[{"x":"\\ud83d\n', ("json-syntax", 13, "/0/x", 0)),
        ('[{"x":"\\ud83d\\ude00\\ude00', ("lone-surrogate", 24, "/0/x", 0)),
        ('[{"x":"\\udc<', ("json-syntax", 11, "/0/x", 0)),
        ('[{"a":1,"\\udc00', ("lone-surrogate", 14, "/0", 0)),
        ('[{"name":"\\ud83d"', ("lone-surrogate", 16, "/0/name", 0)),
    ],
)
def test_the_first_broken_rule_of_a_block(inside, expected):
    assert block_error(inside) == expected


def test_names_differ_without_normalisation():
    element = '{"name":"a","args":{"\u00e9":1,"e\u0301":2,"A":3,"a":4}}'
    assert block_calls(f"[{element}]") == [element]


def test_calls_before_an_error_have_been_given():
    assert parse(f"<execute>[{PING},1]</execute>").events == [
        call(PING),
        error("not-object", 36, "/1", 1),
    ]


@pytest.mark.parametrize(
    ("data", "state", "discarded"),
    [
        ("<execute>[{bad", "execute", 0),
        ("<execute></execute>x", "paused", 1),
        ("<execute>[]</exe</execute>x", "paused", 1),
        ('<execute>[{"a":"\n</execute>"}]</execute>', "paused", 13),
        ('<execute>[{"a":"</execute>\n"}]</execute>x', "paused", 1),
        ("<execute>[x</execute", "execute", 0),
        (f"<execute>[{PING}]</execute", "execute", 0),
    ],
)
def test_a_void_block_ends_at_the_first_closer_from_the_error_on(data, state, discarded):
    outcome = parse(data)
    assert outcome.events[-1]["type"] == "error"
    assert (outcome.state, outcome.discarded) == (state, discarded)


# Limits


def test_calls_at_the_limit_and_over_it():
    assert len(block_calls(f"[{','.join([PING] * 256)}]")) == 256
    inside = f"[{','.join([PING] * 257)}]"
    assert block_error(inside) == ("limit-calls", 1 + 256 * 26, "/256", 256)
    limits = (1000, 1, 128, 1000)
    assert block_error(f"[{PING},1", limits=limits) == ("not-object", 27, "/1", 1)


def test_depth_at_the_limit_and_over_it():
    def nested(depth):
        # args is 3, its arrays go on from 4
        return f'[{{"name":"a","args":{{"x":{"[" * (depth - 3)}{"]" * (depth - 3)}}}}}]'

    assert len(block_calls(nested(128))) == 1
    assert block_error(nested(129)) == ("limit-depth", 25 + 125, "/0/args/x" + "/0" * 125, 0)
    assert block_error("[{", limits=(9, 9, 1, 9)) == ("limit-depth", 1, "/0", 0)
    assert block_error('[{"name":"a","args":{', limits=(99, 9, 2, 9)) == (
        "limit-depth",
        20,
        "/0/args",
        0,
    )
    assert block_error('[{"args":[', limits=(99, 9, 2, 9)) == ("bad-args", 9, "/0/args", 0)


def test_a_depth_beyond_the_stack_of_python_is_read():
    depth = 3 * sys.getrecursionlimit()
    value = "[" * depth + "]" * depth
    element = f'{{"name":"a","args":{{"x":{value}}}}}'
    assert block_calls(f"[{element}]", limits=(99_999, 9, depth + 3, 9)) == [element]


@pytest.mark.parametrize("number", ["9" * 300 + "." + "9" * 700, "-0." + "0" * 997 + "e-01"])
def test_digits_at_the_limit_and_over_it(number):
    assert len(block_calls(f'[{{"x":{number},"name":"a","args":{{}}}}]')) == 1
    inside = f'[{{"x":{number}0'
    assert block_error(inside) == ("limit-digits", len(inside) - 1, "/0/x", 0)


@pytest.mark.parametrize(
    ("inside", "size", "expected"),
    [
        ("  ", 1, ("limit-size", 1, "", 0)),
        (" [", 1, ("limit-size", 1, "", 0)),
        (" x", 1, ("not-array", 1, "", 0)),
        ("[]", 1, ("limit-size", 1, "/0", 0)),
        ("[] </execute>", 2, ("limit-size", 2, "", 0)),
        ("[]</exex", 2, ("trailing-text", 7, "", 0)),
        ("[]x", 2, ("trailing-text", 2, "", 0)),
        ("[]<", 2, ("unclosed-execute", 3, "", 0)),
        (f"[{PING}]", 25, ("limit-size", 25, "/0/args", 0)),
        (f"[{PING}]", 26, ("limit-size", 26, "/0", 1)),
        (f"[{PING} ", 26, ("limit-size", 26, "/0", 1)),
        (f"[{PING},", 26, ("limit-size", 26, "/0", 1)),
        ('[{"a":', 5, ("limit-size", 5, "/0", 0)),
        ('[{"name":""', 10, ("bad-name", 10, "/0/name", 0)),
        ("[{}", 2, ("missing-name", 2, "/0", 0)),
        ("[", 1, ("unclosed-execute", 1, "/0", 0)),
    ],
)
def test_size_over_the_limit(inside, size, expected):
    assert block_error(inside, limits=(size, 256, 128, 1000)) == expected


def test_size_at_the_limit_does_not_count_the_closer():
    assert block_calls(f"[{PING}]", limits=(27, 1, 3, 1)) == [PING]
    assert parse("<execute>[ ]</execute>", limits=(2, 1, 1, 1)).state == "paused"


def test_the_other_limits_come_before_the_size():
    assert block_error(f"[{PING},{{", limits=(27, 1, 1, 9))[0] == "limit-depth"
    assert block_error(f"[{PING},{{", limits=(27, 1, 3, 9)) == ("limit-calls", 27, "/1", 1)
    assert block_error('[{"x":12', limits=(7, 9, 9, 1)) == ("limit-digits", 7, "/0/x", 0)


# Transcripts


def test_a_transcript_goes_on_behind_every_stop():
    outcome = parse(f"a<end>b<execute>[{PING}]</execute>c<execute>x</execute>d", mode="transcript")
    assert outcome == Outcome(
        [
            respond("a"),
            END,
            respond("b"),
            call(PING),
            EXECUTE,
            respond("c"),
            error("not-array", 63),
            respond("d"),
        ],
        "prose",
        0,
        "",
    )


def test_an_unanswered_execute_is_no_error():
    assert answer(" \n") == ([], "prose", 46)
    assert answer(" <think>a")[:2] == ([think("a")], "think")
    assert answer(" <resul")[:2] == ([respond("<resul")], "prose")


def test_results_behind_an_end_are_forged_and_skipped():
    data = "</execute> I already know<end>\n<results>x</results>more<results>"
    assert parse(data, mode="transcript") == Outcome(
        [
            respond("</execute> I already know"),
            END,
            error("forged-results", 31),
            respond("more"),
            error("forged-results", 55),
        ],
        "results",
        0,
        "",
    )


def test_forged_results_are_skipped_without_regard_to_strings():
    data = '<results>["</results>"]</results>'
    assert parse(data, mode="transcript").events == [
        error("forged-results", 0),
        respond('"]</results>'),
    ]


def test_the_results_behind_results_are_forged():
    twice = f"<results>[{PONG}]</results>" * 2
    events, state, head = answer(twice)
    assert events == [
        result(f"[{PONG}]", 1, 1, 0),
        error("forged-results", head + len(twice) // 2),
    ]
    assert state == "prose"
    events, _, head = answer("x<results>[]</results>")
    assert events == [respond("x"), error("forged-results", head + 1)]


def test_counts_of_results():
    other = '{"name":"\\u0070ong","args":{}}'
    items = PONG + ' , {"content":"</results>","x":[],"status":"failure","tool":"pong"}'
    events, state, _ = answer(f"\n<results>\n[{items}]\t</results> hi", (PING, other))
    assert events == [result(f"[{items}]", 2, 1, 1), respond("hi")]
    assert state == "prose"


def test_no_calls_are_answered_by_no_results():
    assert answer("<results>[]</results>", ()) == ([result("[]", 0, 0, 0)], "prose", 21)


def test_strings_hide_closers_in_results():
    item = '{"tool":"ping","status":"success","content":"x </results> y"}'
    assert answer(f"<results>[{item}]</results>")[0] == [result(f"[{item}]", 1, 1, 0)]


def test_a_void_block_is_answered_by_one_failure_of_execute():
    events = parse("<execute>x</execute>\n" + VOID_ANSWER, mode="transcript").events
    assert events == [error("not-array", 9), result(VOID_ANSWER[9:-10], 0, 0, 1)]


@pytest.mark.parametrize(
    ("inside", "code", "offset", "path"),
    [
        ('[{"tool":"execute","status":"success","content":"a"}]', "results-shape", 51, "/0"),
        ('[{"tool":"ping"', "results-order", 14, "/0/tool"),
        ("[]", "results-count", 1, "/0"),
        (VOID_ANSWER[9:-11] + ",{", "results-count", 54, "/1"),
    ],
)
def test_a_void_block_is_answered_by_nothing_else(inside, code, offset, path):
    data = "<execute>x</execute><results>" + inside
    events = parse(data, mode="transcript").events
    assert events[1:] == [error(code, 29 + offset, path)]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("</results>", ("results-shape", 0, "")),
        ("", ("results-shape", 0, "")),
        ("[", ("results-shape", 1, "/0")),
        ("{}</results>", ("results-shape", 0, "")),
        ("[Sure", ("results-shape", 1, "/0")),
        ("[1]</results>", ("results-shape", 1, "/0")),
        ('[{"tool":1', ("results-shape", 9, "/0/tool")),
        ('[{"tool":"pong"', ("results-order", 14, "/0/tool")),
        ('[{"tool":"pin\\ud83d"', ("results-shape", 19, "/0/tool")),
        ('[{"status":true', ("results-shape", 11, "/0/status")),
        ('[{"status":"ok"', ("results-shape", 14, "/0/status")),
        (
            '[{"tool":"ping","status":"success","content": data}]',
            ("results-shape", 46, "/0/content"),
        ),
        ('[{"tool":"ping","status":"success"}', ("results-shape", 34, "/0")),
        ('[{"tool":"ping","content":1}', ("results-shape", 27, "/0")),
        ('[{"status":"success","content":1}', ("results-shape", 32, "/0")),
        ('[{"tool":"ping","content":1,"status":"failure"}', ("results-shape", 46, "/0")),
        ('[{"tool":"ping","tool"', ("results-shape", 21, "/0/tool")),
        ('[{"content":[1e999]', ("results-shape", 18, "/0/content/0")),
        ("[]", ("results-count", 1, "/0")),
        (f"[{PONG},{{", ("results-count", 48, "/1")),
        (f"[{PONG},1", ("results-shape", 48, "/1")),
        (f"[{PONG},]", ("results-shape", 48, "/1")),
        (f"[{PONG}]x", ("results-shape", 48, "")),
        (f"[{PONG}]</resul</results>", ("results-shape", 55, "")),
        (f"[{PONG}]</result", ("results-shape", 56, "")),
        ("[\ud800", ("results-shape", 1, "/0")),
        ('[{"tool":"ping","status":"success","content":"', ("results-shape", 46, "/0/content")),
    ],
)
def test_the_first_broken_rule_of_a_results_block(inside, expected):
    assert shape_error(inside) == expected


def test_fewer_results_than_calls():
    assert shape_error(f"[{PONG}]", (PING, PING)) == ("results-count", 47, "/0")


def test_limits_hold_in_results():
    assert shape_error('[{"x":12', (), limits=(99, 9, 9, 1))[0] == "results-count"
    assert shape_error('[{"x":12', limits=(99, 9, 9, 1)) == ("results-shape", 7, "/0/x")
    assert shape_error('[{"x":[[', limits=(99, 9, 3, 9)) == ("results-shape", 7, "/0/x/0")
    assert shape_error(f"[{PONG}]", limits=(46, 9, 9, 9)) == ("results-shape", 46, "/0/content")


@pytest.mark.parametrize(
    ("results", "state"),
    [
        ("<results>", "results"),
        ("<results>[x", "results"),
        ("<results>[x</results>", "prose"),
        ("<results></results>", "prose"),
    ],
)
def test_the_state_behind_a_broken_results_block(results, state):
    assert answer(results)[1] == state


def test_the_text_behind_a_broken_results_block_is_the_next_turn():
    events, state, head = answer('<results>[x"</results>"hi<results>')
    assert events == [
        error("results-shape", head + 10, "/0"),
        respond('"hi'),
        error("forged-results", head + 25),
    ]
    assert state == "results"


def test_every_turn_of_a_transcript_starts_in_think():
    data = (
        f"a</think><execute>[{PING}]</execute> <results>[{PONG}]</results> <think>b</think>"
        "<end>c</think><execute>[]</execute>d</think><execute>x</execute> \n"
        f"{VOID_ANSWER}<results></think>e<results></results>f<execute>[]</execute> "
    )
    outcome = parse(data, mode="transcript", start="think")
    kinds = [(event["type"], event.get("content", event.get("code"))) for event in outcome.events]
    assert kinds == [
        ("think", "a"),
        ("call", PING),
        ("execute", None),
        ("result", f"[{PONG}]"),
        ("think", "b"),
        ("end", None),
        ("think", "c"),
        ("execute", None),
        ("think", "d"),
        ("error", "not-array"),
        ("result", VOID_ANSWER[9:-10]),
        ("think", "<results>"),
        ("respond", "e"),
        ("error", "forged-results"),
        ("respond", "f"),
        ("execute", None),
    ]
    assert (outcome.state, outcome.discarded) == ("think", 0)


@pytest.mark.parametrize(
    ("data", "state"),
    [
        ("", "prose"),
        ("<end>", "prose"),
        ("<execute>[]</execute>", "prose"),
        ("<execute>[x", "execute"),
        ("<execute>[x</execute>", "prose"),
        ("<execute>[", "execute"),
    ],
)
def test_the_state_of_a_transcript(data, state):
    assert parse(data, mode="transcript").state == state


# The ledger


def test_no_raw_and_no_tail_unless_asked():
    outcome = parse(" a <think> ")
    assert outcome == Outcome([respond("a")], "think", 0, "")


@pytest.mark.parametrize(
    ("data", "raws", "tail", "discarded"),
    [
        ("", [], "", 0),
        (" \n", [], " \n", 0),
        (" a \n", [" a \n"], "", 0),
        (" a \n<think> b </think> ", [" a \n", "<think> b </think>"], " ", 0),
        ("a<think> </think>b", ["a", "<think> </think>b"], "", 0),
        ("<think> \n", [], "<think> \n", 0),
        ("<think>a ", ["<think>a "], "", 0),
        (" <end> x", [" <end>"], "", 2),
        ("a <results>[]", ["a ", "<results>"], "", 2),
        (
            f"a\n<execute>\n[{PING} , {PING} ]\n</execute>b",
            ["a\n", f"<execute>\n[{PING}", f" , {PING}", " ]\n</execute>"],
            "",
            1,
        ),
        ("<execute>[x]</execute>b", ["<execute>[x"], "]</execute>", 1),
        ("<execute>[x] ", ["<execute>[x"], "] ", 0),
        ("<execute></execute>b", ["<execute><"], "/execute>", 1),
        ("<execute>[]</exe</execute>b", ["<execute>[]</exe<"], "/execute>", 1),
        ("<execute>[ ", ["<execute>[ "], "", 0),
        ("<execute>[]</exec", ["<execute>[]</exec"], "", 0),
        ("<execute>[\ud800]</execute>", ["<execute>[\ufffd"], "]</execute>", 0),
        ('<execute>[{"x":1e999,', ['<execute>[{"x":1e999,'], "", 0),
    ],
)
def test_every_character_of_a_turn_is_accounted_for_once(data, raws, tail, discarded):
    outcome = parse(data, raw=True)
    assert [event["raw"] for event in outcome.events] == raws
    assert (outcome.tail, outcome.discarded) == (tail, discarded)


@pytest.mark.parametrize(
    ("data", "raws", "tail"),
    [
        ("<end> \na", ["<end>", " \na"], ""),
        ("<execute>[x]</execute> b", ["<execute>[x", "]</execute> b"], ""),
        (
            "<execute>[]</execute> <results> []\n</results> ",
            ["<execute>[]</execute>", " <results> []\n</results>"],
            " ",
        ),
        (
            "<execute>[]</execute> <results>x]</results> b",
            ["<execute>[]</execute>", " <results>x", "]</results> b"],
            "",
        ),
        ("a<results>b</results>c", ["a", "<results>", "b</results>c"], ""),
        ("<results>b", ["<results>"], "b"),
        ("<execute>[]</execute><results>[", ["<execute>[]</execute>", "<results>["], ""),
    ],
)
def test_every_character_of_a_transcript_is_accounted_for_once(data, raws, tail):
    outcome = parse(data, raw=True, mode="transcript")
    assert [event["raw"] for event in outcome.events] == raws
    assert (outcome.tail, outcome.discarded) == (tail, 0)


def test_a_start_in_think_is_in_the_ledger():
    outcome = parse(" <think> a </think> b", start="think", raw=True)
    assert [event["raw"] for event in outcome.events] == [" <think> a </think>", " b"]


# The canonical documents


OVERVIEW = """<think>reasoning about the problem</think>

<execute>
[{"name": "read", "args": {"file": "config.json"}}]
</execute>

<results>
[{"tool": "read", "status": "success", "content": "..."}]
</results>

The config shows the API endpoint is set to production.
"""

READ = '{"name": "read", "args": {"file": "config.json"}}'


def test_the_overview_as_a_turn():
    consumed = OVERVIEW.index("</execute>") + len("</execute>")
    assert parse(OVERVIEW) == Outcome(
        [think("reasoning about the problem"), call(READ), EXECUTE],
        "paused",
        len(OVERVIEW) - consumed,
        "",
    )


def test_the_overview_as_a_transcript():
    assert parse(OVERVIEW, mode="transcript").events == [
        think("reasoning about the problem"),
        call(READ),
        EXECUTE,
        result('[{"tool": "read", "status": "success", "content": "..."}]', 1, 1, 0),
        respond("The config shows the API endpoint is set to production."),
    ]


@pytest.mark.parametrize(
    "elements",
    [
        ['{"name": "[tool_name]", "args": {"[arg_name]": "[value]"}}'] * 2,
        ['{"name": "write", "args": {"content": "<html><body>Hello</body></html>"}}'],
        ['{"name": "write", "args": {"content": "Hello </write> world"}}'],
        [r"""{"name": "shell", "args": {"cmd": "echo \"hello\" && echo 'world'"}}"""],
    ],
)
def test_the_blocks_of_the_canonical_document(elements):
    inside = "\n[\n  " + ",\n  ".join(elements) + "\n]\n"
    assert block_calls(inside) == elements
    assert json.loads(inside) == [json.loads(element) for element in elements]


COMPLETE = r"""<think>Need to read config, update it, verify the change</think>

<execute>
[
  {"name": "read", "args": {"file": "config.json"}}
]
</execute>

<results>
[
  {"tool": "read", "status": "success", "content": {"api": "old.com"}}
]
</results>

<think>API is old.com, need to update to new.com</think>

<execute>
[
  {"name": "write", "args": {"file": "config.json", "content": "{\"api\": \"new.com\"}"}},
  {"name": "read", "args": {"file": "config.json"}}
]
</execute>

<results>
[
  {"tool": "write", "status": "success", "content": {"bytes": 22}},
  {"tool": "read", "status": "success", "content": {"api": "new.com"}}
]
</results>

Configuration updated successfully.
"""


def test_the_complete_example_as_a_transcript():
    outcome = parse(COMPLETE, mode="transcript", raw=True)
    assert "".join(event["raw"] for event in outcome.events) + outcome.tail == COMPLETE
    events = [
        {key: value for key, value in event.items() if key != "raw"} for event in outcome.events
    ]
    assert events == [
        think("Need to read config, update it, verify the change"),
        call(READ),
        EXECUTE,
        result(
            '[\n  {"tool": "read", "status": "success", "content": {"api": "old.com"}}\n]', 1, 1, 0
        ),
        think("API is old.com, need to update to new.com"),
        call(
            r'{"name": "write", "args": {"file": "config.json", "content": "{\"api\": \"new.com\"}"}}'
        ),
        call(READ),
        EXECUTE,
        result(
            '[\n  {"tool": "write", "status": "success", "content": {"bytes": 22}},\n'
            '  {"tool": "read", "status": "success", "content": {"api": "new.com"}}\n]',
            2,
            2,
            0,
        ),
        respond("Configuration updated successfully."),
    ]


@pytest.mark.parametrize("item", ['"content": data', '"content": [...]'])
def test_a_template_is_no_example(item):
    code, _, path = shape_error('[{"tool":"ping","status":"success",' + item + "}]")
    assert (code, path[:10]) == ("results-shape", "/0/content")


def test_a_mode_or_a_start_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="chat"):
        parse("", mode="chat")
    with pytest.raises(ValueError, match="end"):
        parse("", start="end")


# Properties, against what Python itself knows, and of the events against each other


@given(st.binary() | st.lists(st.sampled_from(list(range(0x7E, 0x100)))).map(bytes))
def test_bytes_decode_as_python_decodes_them(data):
    assert decode(data).characters == data.decode("utf-8", "replace")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["a", "b c", "\U0001f600", "\x7f", "execute"]),
        "args": st.dictionaries(st.text(), VALUES),
    }
)
BLOCKS = st.builds(
    json.dumps,
    st.lists(CALLS, min_size=1, max_size=2),
    ensure_ascii=st.booleans(),
    indent=st.sampled_from([None, 1]),
)
TOKENS = st.sampled_from(
    [
        *'{}[]",:.-+0eE\\/u',
        "\\ud83d",
        "\\ude00",
        '"a":',
        ',"a":1',
        '"name":"b",',
        "1e999",
        "01",
        "null",
        "tru",
        "\n",
        "\x1f",
        "\xa0",
        "\u0661",
        "\ud800",
        "",
        "",
        "<",
        "</execute>",
        "<end>",
    ]
)


@st.composite
def nearly_valid(draw):
    """Give a block with something put in, and something perhaps taken out."""
    text = draw(BLOCKS)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(TOKENS) + text[at + draw(st.integers(0, 2)) :]
    return text


def is_batch(text):
    """Say whether `text` is an array of calls, by Python's own reader of JSON."""

    def unique(pairs):
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a name twice")
        return dict(pairs)

    def finite(number):
        if not math.isfinite(float(number)):
            raise ValueError("out of range")
        return number

    def refuse(constant):
        raise ValueError(constant)

    try:
        value = json.loads(
            text,
            object_pairs_hook=unique,
            parse_float=finite,
            parse_int=finite,
            parse_constant=refuse,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return False
    return isinstance(value, list) and all(
        isinstance(call, dict)
        and isinstance(call.get("name"), str)
        and call["name"] not in ("", "execute")
        and isinstance(call.get("args"), dict)
        for call in value
    )


@given(nearly_valid())
def test_a_block_is_valid_exactly_when_python_reads_it_as_calls(text):
    outcome = parse(f"<execute>{text}</execute>")
    whole = outcome.events[-1] == EXECUTE and outcome.discarded == 0
    assert whole == is_batch(text)
    if whole:
        contents = [json.loads(event["content"]) for event in outcome.events[:-1]]
        assert contents == json.loads(text)


PIECES = st.sampled_from(
    [
        f"[{PING}]",
        "[",
        "]",
        PING,
        PONG,
        f"[{PONG}]",
        ",",
        " \n",
        "a",
        "\ud83d",
        "\ude00",
        '"',
        "<think>",
        "</think>",
        "<execute>",
        "</execute>",
        "<results>",
        "</results>",
        "<end>",
        "<",
        f"<execute>[{PING}]</execute>",
        f"<results>[{PONG}]</results>",
        VOID_ANSWER,
    ]
)
TEXTS = st.lists(PIECES, max_size=10).map("".join)
MODES = st.sampled_from(["turn", "transcript"])
STARTS = st.sampled_from(["prose", "think"])


@given(TEXTS, MODES, STARTS)
def test_the_ledger_balances(data, mode, start):
    outcome = parse(data, mode=mode, start=start, raw=True)
    characters = decode(data).characters
    accounted = "".join(event["raw"] for event in outcome.events) + outcome.tail
    assert accounted == characters[: len(accounted)]
    assert len(characters) - len(accounted) == outcome.discarded
    stripped = [{key: event[key] for key in event if key != "raw"} for event in outcome.events]
    assert parse(data, mode=mode, start=start) == Outcome(
        stripped, outcome.state, outcome.discarded, ""
    )


@given(TEXTS | nearly_valid().map("<execute>".__add__), MODES, STARTS)
def test_an_error_depends_on_nothing_behind_its_character(data, mode, start):
    characters = decode(data.replace("\ud83d", "").replace("\ude00", "")).characters
    for event in parse(characters, mode=mode, start=start).events:
        if event["type"] == "error" and event["code"] != "forged-results":
            through = event["offset"] + 1
            assert parse(characters[:through], mode=mode, start=start).events[-1] == event
            if through <= len(characters):
                before = parse(characters[: through - 1], mode=mode, start=start).events[-1]
                assert before["code"] in ("unclosed-execute", "results-shape")
                assert before["offset"] == through - 1
