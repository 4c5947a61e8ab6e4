"""The executable spec is itself checked: hand-written examples, with what each must give."""

import json
import math
import sys
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import DIALECTS, Outcome, parse
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


# Blocks of elements


def element_error(inside, **options):
    """Give the one error of a block of elements, its offset counted from behind `<execute>`."""
    return block_error(inside, dialect="xml-elements", **options)


def element_calls(inside, **options):
    """Give the calls of a block of elements that is closed and whole."""
    return block_calls(inside, dialect="xml-elements", **options)


def one_value(source):
    """Give the value of one argument that is written so."""
    (content,) = element_calls(f"<w><c>{source}</c></w>")
    found = json.loads(content)
    assert list(found) == ["name", "args"]
    assert (found["name"], list(found["args"])) == ("w", ["c"])
    return found["args"]["c"]


def test_an_element_is_a_call_and_its_elements_are_the_arguments():
    inside = (
        "\n  <write><file>a.txt</file><content>x</content></write>\n  <read ><file>b</file></read >"
    )
    data = f"<execute>{inside}\n</execute>"
    assert parse(data, "xml-elements", raw=True) == Outcome(
        [
            {
                **call('{"name": "write", "args": {"file": "a.txt", "content": "x"}}'),
                "raw": "<execute>\n  <write><file>a.txt</file><content>x</content></write>",
            },
            {
                **call('{"name": "read", "args": {"file": "b"}}'),
                "raw": "\n  <read ><file>b</file></read >",
            },
            {**EXECUTE, "raw": "\n</execute>"},
        ],
        "paused",
        0,
        "",
    )


@pytest.mark.parametrize(
    ("inside", "calls"),
    [
        ("", []),
        (" \n", []),
        ("<ping/>", ['{"name": "ping", "args": {}}']),
        ("<ping\t/>", ['{"name": "ping", "args": {}}']),
        ("<ls></ls>", ['{"name": "ls", "args": {}}']),
        ("<ls \n> \r\t</ls >", ['{"name": "ls", "args": {}}']),
        ("<w><file/></w>", ['{"name": "w", "args": {"file": ""}}']),
        ("<w> <file /> </w>", ['{"name": "w", "args": {"file": ""}}']),
        ("<w ></w >", ['{"name": "w", "args": {}}']),
        (
            "<w><c>1</c>\n<a>2</a><b ></b ></w>",
            ['{"name": "w", "args": {"c": "1", "a": "2", "b": ""}}'],
        ),
        ("<été><ß>ä</ß></été>", ['{"name": "été", "args": {"ß": "ä"}}']),
        ("<_-.0·/>", ['{"name": "_-.0·", "args": {}}']),
        ("<a\u0300\u203f/>", ['{"name": "a\u0300\u203f", "args": {}}']),
        ("<日本/>", ['{"name": "日本", "args": {}}']),
        ("<\U00010000\U000effff/>", ['{"name": "\U00010000\U000effff", "args": {}}']),
        ("<\ufffd/>", ['{"name": "\ufffd", "args": {}}']),
        (
            "<end/><think><a>1</a></think>",
            ['{"name": "end", "args": {}}', '{"name": "think", "args": {"a": "1"}}'],
        ),
        (
            "<executes/><Execute/>",
            ['{"name": "executes", "args": {}}', '{"name": "Execute", "args": {}}'],
        ),
        ("<w><execute>1</execute></w>", ['{"name": "w", "args": {"execute": "1"}}']),
        ("<w><w>1</w></w>", ['{"name": "w", "args": {"w": "1"}}']),
        ("<a/><a/>", ['{"name": "a", "args": {}}'] * 2),
        ('<w><c>"\\</c></w>', ['{"name": "w", "args": {"c": "\\"\\\\"}}']),
    ],
)
def test_blocks_of_elements_that_are_accepted(inside, calls):
    assert element_calls(inside) == calls


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (" a\tb\n ", " a\tb\n "),
        ("a\r\nb\rc", "a\r\nb\rc"),
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
        ("&amp;lt;", "&lt;"),
        ("&#65;&#x42;&#x63;&#0000100;&#x000000065;", "ABcde"),
        ("&#13;&#9;&#xA;&#xd;", "\r\t\n\r"),
        ("&#xD7FF;&#xE000;&#xFFFD;&#x10FFFF;&#1114111;", "\ud7ff\ue000\ufffd\U0010ffff\U0010ffff"),
        (
            "\x7f\x85\x9f\xa0\u2028\ufeff\ufffd\U0010ffff",
            "\x7f\x85\x9f\xa0\u2028\ufeff\ufffd\U0010ffff",
        ),
        ('{"api": "new.com"}', '{"api": "new.com"}'),
        ("a > b ]] ]> ]", "a > b ]] ]> ]"),
        ("]]&gt;", "]]>"),
        ("]&#93;>", "]]>"),
        ("]]<![CDATA[]]>>", "]]>"),
        ("<![CDATA[]]>", ""),
        ("<![CDATA[</execute>]]>", "</execute>"),
        ("<![CDATA[<b a='1'>&amp;<!-- ]] > -->]]>", "<b a='1'>&amp;<!-- ]] > -->"),
        ("<![CDATA[]]]]>", "]]"),
        ("a<![CDATA[]]]]><![CDATA[>]]>b", "a]]>b"),
        ("<![CDATA[<![CDATA[]]>", "<![CDATA["),
        ("&lt;end>", "<end>"),
    ],
)
def test_values_of_arguments(source, value):
    assert one_value(source) == value


@pytest.mark.parametrize("start", ["-", ".", "1", "\u00b7", "\u0300", "\u00d7", "\u00f7", "\u037e", "\u2000", "\u3000", "\ufdd0", "\ufffe", "\U000f0000", " ", ":", "<", ">", "&", '"', "\x7f"])  # fmt: skip
def test_characters_that_begin_no_name(start):
    assert element_error(f"<{start}") == ("xml-syntax", 1, "", 0)
    assert element_error(f"<w><{start}") == ("xml-syntax", 4, "/0/args", 0)


@pytest.mark.parametrize("inner", ["\u00d7", "\u00f7", "\u037e", "\u2000", "\u2041", "\U000f0000", ":", "=", "<", "&", "!", "?", '"', "\x00", "\uffff"])  # fmt: skip
def test_characters_that_are_in_no_name(inner):
    assert element_error(f"<w{inner}") == ("xml-syntax", 2, "/0", 0)
    assert element_error(f"<w><a{inner}") == ("xml-syntax", 5, "/0/args", 0)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        # between tools
        ("hello", ("xml-forbidden", 0, "", 0)),
        ('[{"name"', ("xml-forbidden", 0, "", 0)),
        ("\n{", ("xml-forbidden", 1, "", 0)),
        ("&amp;", ("xml-forbidden", 0, "", 0)),
        ("]]>", ("xml-forbidden", 0, "", 0)),
        ("\x7f", ("xml-forbidden", 0, "", 0)),
        ("\ufffd", ("xml-forbidden", 0, "", 0)),
        ("\xa0", ("xml-forbidden", 0, "", 0)),
        ("\x01", ("xml-syntax", 0, "", 0)),
        ("\x0b", ("xml-syntax", 0, "", 0)),
        ("\ufffe", ("xml-syntax", 0, "", 0)),
        ("<ping/>x", ("xml-forbidden", 7, "", 1)),
        ("<!--", ("xml-forbidden", 1, "", 0)),
        ("<!DOCTYPE", ("xml-forbidden", 1, "", 0)),
        ("<![CDATA[", ("xml-forbidden", 1, "", 0)),
        ("<?xml", ("xml-forbidden", 1, "", 0)),
        ("<ping/><?", ("xml-forbidden", 8, "", 1)),
        ("<[tool_name]>", ("xml-syntax", 1, "", 0)),
        ("<[a", ("xml-syntax", 1, "", 0)),
        # the closer
        ("</execute >", ("xml-syntax", 9, "", 0)),
        ("</x", ("xml-syntax", 2, "", 0)),
        ("</ execute>", ("xml-syntax", 2, "", 0)),
        ("</Execute>", ("xml-syntax", 2, "", 0)),
        ("</executes>", ("xml-syntax", 9, "", 0)),
        ("<ping/></exec<", ("xml-syntax", 13, "", 1)),
        # the start tag of a tool
        ("<n:w/>", ("xml-syntax", 2, "/0", 0)),
        ("<w a", ("xml-forbidden", 3, "/0", 0)),
        ('<read\n file="a.txt"/>', ("xml-forbidden", 7, "/0", 0)),
        ("<w  é", ("xml-forbidden", 4, "/0", 0)),
        ("<w =", ("xml-syntax", 3, "/0", 0)),
        ("<w :", ("xml-syntax", 3, "/0", 0)),
        ("<w 1", ("xml-syntax", 3, "/0", 0)),
        ("<w <", ("xml-syntax", 3, "/0", 0)),
        ("<w/ >", ("xml-syntax", 3, "/0", 0)),
        ("<w /x", ("xml-syntax", 4, "/0", 0)),
        ("<w//", ("xml-syntax", 3, "/0", 0)),
        ("<execute>", ("xml-forbidden", 8, "/0", 0)),
        ("<execute/>", ("xml-forbidden", 8, "/0", 0)),
        ("<execute ", ("xml-forbidden", 8, "/0", 0)),
        ("<execute:", ("xml-syntax", 8, "/0", 0)),
        ("<execute!", ("xml-syntax", 8, "/0", 0)),
        ("<ping/><execute>", ("xml-forbidden", 15, "/1", 1)),
        # inside a tool
        ("<read>config.json</read>", ("xml-forbidden", 6, "/0/args", 0)),
        ("<read>[", ("xml-forbidden", 6, "/0/args", 0)),
        ("<read>&#32;", ("xml-forbidden", 6, "/0/args", 0)),
        ("<read>\x00", ("xml-syntax", 6, "/0/args", 0)),
        ("<w><!", ("xml-forbidden", 4, "/0/args", 0)),
        ("<w><?", ("xml-forbidden", 4, "/0/args", 0)),
        ("<w><a>1</a>x", ("xml-forbidden", 11, "/0/args", 0)),
        ("<w></x>", ("xml-syntax", 5, "/0/args", 0)),
        ("<w></wx>", ("xml-syntax", 6, "/0/args", 0)),
        ("<w></ w>", ("xml-syntax", 5, "/0/args", 0)),
        ("<w></>", ("xml-syntax", 5, "/0/args", 0)),
        ("<w></w/>", ("xml-syntax", 6, "/0/args", 0)),
        ("<w></w a>", ("xml-syntax", 7, "/0/args", 0)),
        ("<read></rea>", ("xml-syntax", 11, "/0/args", 0)),
        ("<ping/><w></x>", ("xml-syntax", 12, "/1/args", 1)),
        # the start tag of an argument
        ("<w><a x", ("xml-forbidden", 6, "/0/args", 0)),
        ("<w><a:b", ("xml-syntax", 5, "/0/args", 0)),
        ("<w><a/ >", ("xml-syntax", 6, "/0/args", 0)),
        ("<w><a =", ("xml-syntax", 6, "/0/args", 0)),
        ("<w><a>1</a><a>", ("duplicate-arg", 13, "/0/args/a", 0)),
        ("<w><a>1</a><a ", ("duplicate-arg", 13, "/0/args/a", 0)),
        ("<w><a/><a/", ("duplicate-arg", 9, "/0/args/a", 0)),
        ("<w><a>1</a><a:", ("xml-syntax", 13, "/0/args", 0)),
        # the value of an argument
        ("<w><content><b>hi</b></content>", ("xml-forbidden", 13, "/0/args/content", 0)),
        ("<w><c>a<?", ("xml-forbidden", 8, "/0/args/c", 0)),
        ("<w><c><!-", ("xml-forbidden", 8, "/0/args/c", 0)),
        ("<w><c><!D", ("xml-forbidden", 8, "/0/args/c", 0)),
        ("<w><c><!d", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c><!x", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c><![x", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c><![cdata[", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c><![CDATA ", ("xml-syntax", 14, "/0/args/c", 0)),
        ("<w><c><![CDATA[\x01", ("xml-syntax", 15, "/0/args/c", 0)),
        ("<w><c>< ", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c><1", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c><:", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c></d>", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c></c x", ("xml-syntax", 10, "/0/args/c", 0)),
        ("<w><c></c/>", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>]]>", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c>a]]]>", ("xml-syntax", 10, "/0/args/c", 0)),
        ("<w><c><![CDATA[]]>]]>", ("xml-syntax", 20, "/0/args/c", 0)),
        ("<w><c>\x01", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<w><c>\x08", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<w><c>\x0c", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<w><c>\x1f", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<w><c>\ufffe", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<w><c>\uffff", ("xml-syntax", 6, "/0/args/c", 0)),
        ("<ping/><w><a/><c/d>", ("xml-syntax", 17, "/1/args", 1)),
        # references
        ("<w><c>&nbsp;", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c>a & b", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&&", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c>&;", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c>&AMP;", ("xml-syntax", 7, "/0/args/c", 0)),
        ("<w><c>&am;", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&ap;", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&lt ", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&quott", ("xml-syntax", 11, "/0/args/c", 0)),
        ("<w><c>&#;", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c>&#x;", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&#X41;", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c>&#4a;", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&#x4g;", ("xml-syntax", 10, "/0/args/c", 0)),
        ("<w><c>&#-1;", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c>&#\uff11;", ("xml-syntax", 8, "/0/args/c", 0)),
        ("<w><c>&#0;", ("xml-syntax", 9, "/0/args/c", 0)),
        ("<w><c>&#x1F;", ("xml-syntax", 11, "/0/args/c", 0)),
        ("<w><c>&#xD800;", ("xml-syntax", 13, "/0/args/c", 0)),
        ("<w><c>&#xDFFF;", ("xml-syntax", 13, "/0/args/c", 0)),
        ("<w><c>&#65534;", ("xml-syntax", 13, "/0/args/c", 0)),
        ("<w><c>&#x110000;", ("xml-syntax", 14, "/0/args/c", 0)),
        ("<w><c>&#1114112;", ("xml-syntax", 14, "/0/args/c", 0)),
        ("<w><c>&#99999999999;", ("xml-syntax", 14, "/0/args/c", 0)),
        # the end of the text
        ("", ("unclosed-execute", 0, "", 0)),
        ("<", ("unclosed-execute", 1, "", 0)),
        ("<w", ("unclosed-execute", 2, "/0", 0)),
        ("<execute", ("unclosed-execute", 8, "/0", 0)),
        ("<w ", ("unclosed-execute", 3, "/0", 0)),
        ("<w/", ("unclosed-execute", 3, "/0", 0)),
        ("<w/>", ("unclosed-execute", 4, "", 1)),
        ("<w/><", ("unclosed-execute", 5, "", 1)),
        ("<w/><v", ("unclosed-execute", 6, "/1", 1)),
        ("<w>", ("unclosed-execute", 3, "/0/args", 0)),
        ("<w><", ("unclosed-execute", 4, "/0/args", 0)),
        ("<w></", ("unclosed-execute", 5, "/0/args", 0)),
        ("<w></w ", ("unclosed-execute", 7, "/0/args", 0)),
        ("<w></w>", ("unclosed-execute", 7, "", 1)),
        ("<w><a", ("unclosed-execute", 5, "/0/args", 0)),
        ("<w><a/", ("unclosed-execute", 6, "/0/args", 0)),
        ("<w><a/>", ("unclosed-execute", 7, "/0/args", 0)),
        ("<w><a/><a", ("unclosed-execute", 9, "/0/args", 0)),
        ("<w><a>", ("unclosed-execute", 6, "/0/args/a", 0)),
        ("<w><a>&am", ("unclosed-execute", 9, "/0/args/a", 0)),
        ("<w><a>&#x10FFFF", ("unclosed-execute", 15, "/0/args/a", 0)),
        ("<w><a><![CDATA[x]]", ("unclosed-execute", 18, "/0/args/a", 0)),
        ("<w><a>x</a", ("unclosed-execute", 10, "/0/args/a", 0)),
        ("<w><a>x</a>", ("unclosed-execute", 11, "/0/args", 0)),
        ("<w/></execut", ("unclosed-execute", 12, "", 1)),
        # a replaced character
        ("\ud800", ("bad-encoding", 0, "", 0)),
        ("<\ud800", ("bad-encoding", 1, "", 0)),
        ("<w\ud800", ("bad-encoding", 2, "/0", 0)),
        ("<execute\ud800", ("bad-encoding", 8, "/0", 0)),
        ("<w \ud800", ("bad-encoding", 3, "/0", 0)),
        ("<w/\ud800", ("bad-encoding", 3, "/0", 0)),
        ("<w>\ud800", ("bad-encoding", 3, "/0/args", 0)),
        ("<w></\ud800", ("bad-encoding", 5, "/0/args", 0)),
        ("<w><a/><a\ud800", ("bad-encoding", 9, "/0/args", 0)),
        ("<w><c>\ud800", ("bad-encoding", 6, "/0/args/c", 0)),
        ("<w><c>&\ud800", ("bad-encoding", 7, "/0/args/c", 0)),
        ("<w><c>&#0\ud800", ("bad-encoding", 9, "/0/args/c", 0)),
        ("<w><c><![CDATA[\ud800", ("bad-encoding", 15, "/0/args/c", 0)),
        ("<w/></exec\ud800", ("bad-encoding", 10, "", 1)),
    ],
)
def test_the_first_broken_rule_of_a_block_of_elements(inside, expected):
    assert element_error(inside) == expected


@pytest.mark.parametrize(
    ("inside", "limits", "expected"),
    [
        # calls: only the first character of the name tells a call from the closer
        ("<a/><b", (99, 1, 9, 9), ("limit-calls", 5, "", 1)),
        ("<a/><!", (99, 1, 9, 9), ("xml-forbidden", 5, "", 1)),
        ("<a/><1", (99, 1, 9, 9), ("xml-syntax", 5, "", 1)),
        ("<a/><", (99, 1, 9, 9), ("unclosed-execute", 5, "", 1)),
        # depth: the block is 1, a tool 2, an argument 3
        ("<a", (99, 9, 1, 9), ("limit-depth", 1, "", 0)),
        ("<a><b", (99, 9, 2, 9), ("limit-depth", 4, "/0/args", 0)),
        ("<a></b", (99, 9, 2, 9), ("xml-syntax", 5, "/0/args", 0)),
        ("<a><?", (99, 9, 2, 9), ("xml-forbidden", 4, "/0/args", 0)),
        # size
        ("  ", (1, 9, 9, 9), ("limit-size", 1, "", 0)),
        (" x", (1, 9, 9, 9), ("xml-forbidden", 1, "", 0)),
        ("<a/>", (3, 9, 9, 9), ("limit-size", 3, "/0", 0)),
        ("<a/> ", (4, 9, 9, 9), ("limit-size", 4, "", 1)),
        ("<a/><", (4, 9, 9, 9), ("unclosed-execute", 5, "", 1)),
        ("<a/><b", (4, 9, 9, 9), ("limit-size", 5, "", 1)),
        ("<a/><b", (5, 9, 9, 9), ("limit-size", 5, "", 1)),
        ("<a/><b/", (6, 9, 9, 9), ("limit-size", 6, "/1", 1)),
        ("<a/><!", (4, 9, 9, 9), ("xml-forbidden", 5, "", 1)),
        ("<a/></x", (4, 9, 9, 9), ("xml-syntax", 6, "", 1)),
        ("<w><c>", (5, 9, 9, 9), ("limit-size", 5, "/0/args", 0)),
        ("<w><c><", (6, 9, 9, 9), ("limit-size", 6, "/0/args/c", 0)),
        ("<w><c>x</c></w>", (14, 9, 9, 9), ("limit-size", 14, "/0/args", 0)),
        # the size is last
        ("<w><a/><a/", (9, 9, 9, 9), ("duplicate-arg", 9, "/0/args/a", 0)),
        ("<execute>", (8, 9, 9, 9), ("xml-forbidden", 8, "/0", 0)),
        ("<a/><b", (4, 1, 9, 9), ("limit-calls", 5, "", 1)),
        ("<a", (1, 9, 1, 9), ("limit-depth", 1, "", 0)),
        ("<w><c>&#x110000", (14, 9, 9, 9), ("xml-syntax", 14, "/0/args/c", 0)),
    ],
)
def test_limits_of_a_block_of_elements(inside, limits, expected):
    assert element_error(inside, limits=limits) == expected


def test_blocks_of_elements_at_their_limits():
    assert len(element_calls("<a/>", limits=(4, 1, 2, 1))) == 1
    assert len(element_calls("<a></a>", limits=(7, 1, 2, 1))) == 1
    assert len(element_calls("<w><c>99</c></w>", limits=(16, 1, 3, 1))) == 1
    assert element_calls("", limits=(1, 1, 1, 1)) == []
    assert len(element_calls("<a/>" * 256)) == 256
    assert element_error("<a/>" * 257) == ("limit-calls", 1025, "", 256)


@pytest.mark.parametrize(
    ("data", "state", "discarded"),
    [
        ("<execute>hello</execute>x", "paused", 1),
        ("<execute><w a='</execute>'/></execute>x", "paused", 14),
        ("<execute><w/></exec</execute>x", "paused", 1),
        # the closer may have the offending character in it
        ("<execute><read><file>x</file></execute>yz", "paused", 2),
        ("<execute><w></execute></execute>", "paused", 10),
        ("<execute></execut></execute>", "paused", 0),
        ("<execute><w><c></execute", "execute", 0),
        ("<execute><w><c>&", "execute", 0),
        ("<execute><w><c>& </execut", "execute", 0),
        ("<execute></execute></execute>", "paused", 10),
    ],
)
def test_the_state_behind_a_block_of_elements(data, state, discarded):
    outcome = parse(data, "xml-elements")
    assert (outcome.state, outcome.discarded) == (state, discarded)


def test_a_broken_block_of_elements_is_in_the_ledger():
    outcome = parse("a <execute><ping/>x <b/></execute>y", "xml-elements", raw=True)
    assert outcome == Outcome(
        [
            {**respond("a"), "raw": "a "},
            {**call('{"name": "ping", "args": {}}'), "raw": "<execute><ping/>"},
            {**error("xml-forbidden", 18, "", 1), "raw": "x"},
        ],
        "paused",
        1,
        " <b/></execute>",
    )


def test_markers_and_segments_are_those_of_the_other_dialect_with_tags():
    data = "a<think><execute></think><thinking></execute><end>b"
    events = [respond("a"), think("<execute>"), respond("<thinking></execute>"), END]
    for dialect in ("xml-json", "xml-elements"):
        assert parse(data, dialect) == Outcome(events, "ended", 1, "")
    assert parse("a</think><results>", "xml-elements", start="think") == Outcome(
        [think("a"), error("forged-results", 9)], "paused", 0, ""
    )


def test_results_answer_elements_by_name():
    block = "<execute><été/><b/></execute>\n"
    first = '{"tool":"\\u00e9t\\u00e9","status":"success","content":{"a":[]}}'
    second = '{"tool":"b","status":"failure","content":"no"}'
    right = f"{block}<results>[{first},{second}]</results>"
    assert parse(right, "xml-elements", mode="transcript").events[2:] == [
        EXECUTE,
        result(f"[{first},{second}]", 2, 1, 1),
    ]
    wrong = f"{block}<results>[{second},{first}]</results>"
    assert parse(wrong, "xml-elements", mode="transcript").events[3:] == [
        error("results-order", 50, "/0/tool")
    ]


def test_void_and_empty_blocks_of_elements_are_answered():
    void = parse("<execute>x</execute>\n" + VOID_ANSWER, "xml-elements", mode="transcript")
    assert void.events == [error("xml-forbidden", 9), result(VOID_ANSWER[9:-10], 0, 0, 1)]
    empty = parse("<execute></execute><results>[]</results>", "xml-elements", mode="transcript")
    assert empty.events == [EXECUTE, result("[]", 0, 0, 0)]


# The document of elements


SEQUENTIAL = """<execute>
  <write><file>a.txt</file><content>x</content></write>
  <read><file>a.txt</file></read>
</execute>
"""

DUPLICATE_TOOLS = """<execute>
  <read><file>a.txt</file></read>
  <read><file>b.txt</file></read>
  <read><file>c.txt</file></read>
</execute>

<results>
[
  {"tool": "read", "status": "success", "content": "a"},
  {"tool": "read", "status": "success", "content": "b"},
  {"tool": "read", "status": "success", "content": "c"}
]
</results>
"""

MIXED_RESULTS = """<results>
[
  {"tool": "read", "status": "success", "content": "data"},
  {"tool": "write", "status": "failure", "content": "Permission denied"},
  {"tool": "read", "status": "success", "content": "data"}
]
</results>
"""

COMPLETE_ELEMENTS = """<think>read config, update endpoint, verify</think>

<execute>
  <read><file>config.json</file></read>
</execute>

<results>
[{"tool": "read", "status": "success", "content": {"api": "old.com"}}]
</results>

<think>writing updated config and verifying in one batch</think>

<execute>
  <write><file>config.json</file><content>{"api": "new.com"}</content></write>
  <read><file>config.json</file></read>
</execute>

<results>
[
  {"tool": "write", "status": "success", "content": {"bytes": 22}},
  {"tool": "read", "status": "success", "content": {"api": "new.com"}}
]
</results>

Config updated and verified.
"""


def read_file(name):
    return call(f'{{"name": "read", "args": {{"file": "{name}"}}}}')


@pytest.mark.parametrize("mode", ["turn", "transcript"])
def test_the_sequential_example_of_elements(mode):
    assert parse(SEQUENTIAL, "xml-elements", mode=mode).events == [
        call('{"name": "write", "args": {"file": "a.txt", "content": "x"}}'),
        read_file("a.txt"),
        EXECUTE,
    ]


def test_the_example_of_a_tool_called_three_times():
    calls = [read_file("a.txt"), read_file("b.txt"), read_file("c.txt")]
    consumed = DUPLICATE_TOOLS.index("</execute>") + 10
    assert parse(DUPLICATE_TOOLS, "xml-elements") == Outcome(
        [*calls, EXECUTE], "paused", len(DUPLICATE_TOOLS) - consumed, ""
    )
    array = DUPLICATE_TOOLS[DUPLICATE_TOOLS.index("[") : DUPLICATE_TOOLS.index("]") + 1]
    assert parse(DUPLICATE_TOOLS, "xml-elements", mode="transcript") == Outcome(
        [*calls, EXECUTE, result(array, 3, 3, 0)], "prose", 0, ""
    )


def test_the_example_of_success_and_failure():
    head = "<execute><read/><write/><read/></execute>\n"
    array = MIXED_RESULTS[MIXED_RESULTS.index("[") : MIXED_RESULTS.index("]") + 1]
    events = parse(head + MIXED_RESULTS, "xml-elements", mode="transcript").events
    assert events[3:] == [EXECUTE, result(array, 3, 2, 1)]
    assert parse(MIXED_RESULTS, "xml-elements").events == [error("forged-results", 0)]


def test_the_complete_example_of_elements():
    outcome = parse(COMPLETE_ELEMENTS, "xml-elements", mode="transcript", raw=True)
    assert "".join(event.pop("raw") for event in outcome.events) + outcome.tail == COMPLETE_ELEMENTS
    assert outcome.events == [
        think("read config, update endpoint, verify"),
        read_file("config.json"),
        EXECUTE,
        result('[{"tool": "read", "status": "success", "content": {"api": "old.com"}}]', 1, 1, 0),
        think("writing updated config and verifying in one batch"),
        call(
            '{"name": "write", "args": {"file": "config.json", "content": "{\\"api\\": \\"new.com\\"}"}}'
        ),
        read_file("config.json"),
        EXECUTE,
        result(
            '[\n  {"tool": "write", "status": "success", "content": {"bytes": 22}},\n'
            '  {"tool": "read", "status": "success", "content": {"api": "new.com"}}\n]',
            2,
            2,
            0,
        ),
        respond("Config updated and verified."),
    ]
    turn = parse(COMPLETE_ELEMENTS, "xml-elements")
    assert turn.events == outcome.events[:3]
    assert turn.discarded == len(COMPLETE_ELEMENTS) - COMPLETE_ELEMENTS.index("</execute>") - 10


def test_the_templates_of_elements_are_no_examples():
    block = "<execute>\n  <[tool_name]>\n    <[arg_name]>[value]</[arg_name]>\n  </[tool_name]>\n</execute>"
    assert parse(block, "xml-elements") == Outcome([error("xml-syntax", 13)], "paused", 0, "")
    results = '<results>\n[\n  {"tool": "name", "status": "success", "content": data},'
    data = "<execute><name/><name/></execute>\n" + results
    assert parse(data, "xml-elements", mode="transcript").events[-1] == error(
        "results-shape", 34 + results.index("data"), "/0/content"
    )


# Markers at the start of a line

LINES = ("delimiter", "delimiter-upper")
LS = '{"name":"ls"}'
#: Twenty characters, of which the payload has fourteen.
CALL = f"§call: {LS}"


def lines(data, **options):
    """Read a text in the dialects with markers on lines, which read alike."""
    outcome, other = (parse(data, name, **options) for name in LINES)
    assert other == outcome
    return outcome


@pytest.mark.parametrize(
    "near",
    [
        "§end.",
        "§END:",
        "§ending",
        "§end</s>",
        "§end\xa0",
        "§execute-order",
        "§execute:",
        "§executes",
        "§think",
        "§think :",
        "§ think:",
        "§thin\u212a: a",
        "§re\u017fpond: a",
        "§call",
        "§result",
        "§results: a",
        "§\u0130end",
        "§§end",
        "\xa0§end",
        "\u2028§end",
        "&sect;end",
        "a §end",
        "see §call: x",
        "see §result: a",
        "see [SYSTEM: a]",
        "[SYSTEM:",
        "[SYSTEM:x",
        "[SYSTEM:\tx",
        "[System: x]",
        "[ SYSTEM: x]",
        "the word §end here",
        "<think>a</think>",
        "<execute>[]</execute><end>",
    ],
)
def test_what_is_nearly_a_marker_on_a_line_is_prose(near):
    assert lines(near) == Outcome([respond(near)], "prose", 0, "")
    assert lines(f"§respond: {near}").events == [respond(near)]


@pytest.mark.parametrize(
    ("data", "events", "state", "discarded"),
    [
        # any ASCII case
        ("§think: a", [think("a")], "think", 0),
        ("§THINK: a", [think("a")], "think", 0),
        ("§tHiNk:a", [think("a")], "think", 0),
        ("§Respond: a", [respond("a")], "prose", 0),
        ("§End", [END], "ended", 0),
        ("§eXeCuTe", [EXECUTE], "paused", 0),
        # a boundary is looked at and not taken
        ("§end x", [END], "ended", 2),
        ("§end\n", [END], "ended", 1),
        ("§end§think: a", [END], "ended", 9),
        ("§execute§x", [EXECUTE], "paused", 2),
        ("§execute\t", [EXECUTE], "paused", 1),
        # the start of a line
        ("a\n§end", [respond("a"), END], "ended", 0),
        ("a\r§end", [respond("a"), END], "ended", 0),
        ("a\r\n\t §end", [respond("a"), END], "ended", 0),
        ("  §end", [END], "ended", 0),
        ("\n \n§end", [END], "ended", 0),
        ("a\n x §end", [respond("a\n x §end")], "prose", 0),
        ("a\n§ §end", [respond("a\n§ §end")], "prose", 0),
        ("§respond: the word §end here", [respond("the word §end here")], "prose", 0),
        ("§respond: a §respond: b", [respond("a §respond: b")], "prose", 0),
        # behind another marker
        ("§think: §end", [END], "ended", 0),
        ("§think:\t§respond:§end", [END], "ended", 0),
        ("§think: a §end", [think("a §end")], "think", 0),
        # segments
        ("", [], "prose", 0),
        (" \n", [], "prose", 0),
        ("a", [respond("a")], "prose", 0),
        ("§think:", [], "think", 0),
        ("§respond: \n", [], "prose", 0),
        ("§respond: a\n§respond: b", [respond("a"), respond("b")], "prose", 0),
        ("a\n§respond: b", [respond("a"), respond("b")], "prose", 0),
        ("§think: a\n§think: b\n\n c ", [think("a"), think("b\n\n c")], "think", 0),
        ("§think: a\n§respond: b\n§end", [think("a"), respond("b"), END], "ended", 0),
        ("§think: a\n§en", [think("a\n§en")], "think", 0),
        ("§think: a\n§ending\n§end", [think("a\n§ending"), END], "ended", 0),
        ("\ufeff§end", [respond("\ufeff§end")], "prose", 0),
        ("§think: \ud800\n§end", [think("\ufffd"), END], "ended", 0),
        ("§end \ud83d\ude00", [END], "ended", 2),
    ],
)
def test_markers_on_lines(data, events, state, discarded):
    assert lines(data) == Outcome(events, state, discarded, "")


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        ("", [], "think"),
        ("a", [think("a")], "think"),
        ("§think: a", [think("a")], "think"),
        (" \n§THINK: a", [think("a")], "think"),
        ("§think: §think: a", [think("a")], "think"),
        ("x §think: a", [think("x §think: a")], "think"),
        ("x\n§think: a", [think("x"), think("a")], "think"),
        ("a\n§respond: b", [think("a"), respond("b")], "prose"),
        ("§respond: b", [respond("b")], "prose"),
        ("a\n§end", [think("a"), END], "ended"),
        ("§end", [END], "ended"),
    ],
)
def test_a_start_in_think_on_lines(data, events, state):
    assert lines(data, start="think") == Outcome(events, state, 0, "")


# Calls on lines


@pytest.mark.parametrize(
    ("data", "contents"),
    [
        (f"{CALL}\n§execute", [LS]),
        (f"§CALL:{LS}§EXECUTE", [LS]),
        (f"{CALL} \t{CALL}\r\n\n{CALL}§execute", [LS] * 3),
        ('§call: {"name":"tool"}\n§execute', ['{"name":"tool"}']),
        (
            '§call:\n{\n  "args": {"a": [1, {}]},\n  "id": 7, "name": "\\u0061"\n}\n§execute',
            ['{\n  "args": {"a": [1, {}]},\n  "id": 7, "name": "\\u0061"\n}'],
        ),
        (
            '§call: {"name":"a","args":{"x":"§end","y":"[SYSTEM: ]","z":"\\n§execute"}}\n§execute',
            ['{"name":"a","args":{"x":"§end","y":"[SYSTEM: ]","z":"\\n§execute"}}'],
        ),
        ("§execute", []),
        ("\n §execute", []),
    ],
)
def test_calls_on_lines(data, contents):
    assert lines(data) == Outcome([*map(call, contents), EXECUTE], "paused", 0, "")


def test_segments_may_stand_between_calls_and_execute():
    data = f"§think: a\n{CALL}\n§respond: b\n§think: c\n{CALL}\n§respond: d\n§execute\n{CALL}"
    assert lines(data) == Outcome(
        [think("a"), call(LS), respond("b"), think("c"), call(LS), respond("d"), EXECUTE],
        "paused",
        21,
        "",
    )


def payload_error(payload, **options):
    """Give the one error of a payload, its offset counted from behind `§call:`."""
    found, *rest = lines("§call:" + payload, **options).events
    assert found["type"] == "error"
    assert [event["type"] for event in rest] in ([], ["respond"])
    assert found["calls"] == 0
    assert "".join(event["content"] for event in rest) == decode(payload).characters.strip(
        " \t\n\r"
    )
    return found["code"], found["offset"] - 6, found.get("path", "")


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ('"a §end', ("not-object", 0, "/0")),
        (" [", ("not-object", 1, "/0")),
        ("1", ("not-object", 0, "/0")),
        ("-", ("not-object", 0, "/0")),
        ("true", ("not-object", 0, "/0")),
        ("Sure", ("json-syntax", 0, "/0")),
        ("\n`", ("json-syntax", 1, "/0")),
        ("}", ("json-syntax", 0, "/0")),
        ("§", ("json-syntax", 0, "/0")),
        ("\xa0{", ("json-syntax", 0, "/0")),
        ('{"nme":"x"}', ("missing-name", 10, "/0")),
        ("{}", ("missing-name", 1, "/0")),
        ('{"args":{}}', ("missing-name", 10, "/0")),
        ('{"name":1}', ("bad-name", 8, "/0/name")),
        ('{"name":""', ("bad-name", 9, "/0/name")),
        ('{"name":"execute"', ("bad-name", 16, "/0/name")),
        ('{"name":"a","args":[]}', ("bad-args", 19, "/0/args")),
        ('{"name":"a","args":null', ("bad-args", 19, "/0/args")),
        ('{"name":"a","name"', ("duplicate-key", 17, "/0/name")),
        ('{"name":"a","args":{"x":1,"\\u0078"', ("duplicate-key", 33, "/0/args/x")),
        ('{"x":1e999,', ("number-range", 10, "/0/x")),
        ('{"x":1e999§', ("json-syntax", 10, "/0/x")),
        ('{"x":"\\udc00', ("lone-surrogate", 11, "/0/x")),
        ('{"x":01', ("json-syntax", 6, "/0/x")),
        ('{"x":"\n', ("json-syntax", 6, "/0/x")),
        ('{"x":"a" b', ("json-syntax", 9, "/0/x")),
        ('{"name":"a",}', ("json-syntax", 12, "/0")),
        ("{'", ("json-syntax", 1, "/0")),
        ('{"x":[1,{"a/b":x', ("json-syntax", 15, "/0/x/1/a~1b")),
        ("\ud800", ("bad-encoding", 0, "/0")),
        ('{"name":"\ud800', ("bad-encoding", 9, "/0/name")),
        ('{"x":1e999\ud800', ("bad-encoding", 10, "/0/x")),
        ("", ("unclosed-call", 0, "/0")),
        (" \n", ("unclosed-call", 2, "/0")),
        ("{", ("unclosed-call", 1, "/0")),
        ('{"name":"w","args":{"c":"x', ("unclosed-call", 26, "/0/args/c")),
        ('{"x":1e', ("unclosed-call", 7, "/0/x")),
        ('{"name":"a"', ("unclosed-call", 11, "/0/name")),
    ],
)
def test_the_first_broken_rule_of_a_payload(payload, expected):
    assert payload_error(payload) == expected


@pytest.mark.parametrize(
    ("payload", "limits", "expected"),
    [
        # the payload stands in an array: it is level 2, its args 3
        (LS, (99, 9, 1, 9), ("limit-depth", 0, "/0")),
        ('{"name":"a","args":{', (99, 9, 2, 9), ("limit-depth", 19, "/0/args")),
        ('{"args":[', (99, 9, 2, 9), ("bad-args", 8, "/0/args")),
        ('{"x":[[', (99, 9, 3, 9), ("limit-depth", 6, "/0/x/0")),
        ('{"x":1.23e4', (99, 9, 9, 3), ("limit-digits", 10, "/0/x")),
        (f" {LS}", (13, 9, 9, 9), ("limit-size", 13, "/0/name")),
        ("   ", (2, 9, 9, 9), ("limit-size", 2, "/0")),
        ("  x", (2, 9, 9, 9), ("json-syntax", 2, "/0")),
        ('{"name":"", ', (9, 9, 9, 9), ("bad-name", 9, "/0/name")),
    ],
)
def test_limits_of_a_payload(payload, limits, expected):
    assert payload_error(payload, limits=limits) == expected


def test_limits_of_the_calls_that_wait():
    two = f"{CALL}          \n{CALL}\n§execute"
    assert lines(two, limits=(28, 2, 2, 1)).events == [call(LS), call(LS), EXECUTE]
    data = f"{CALL}\n{CALL}\n§execute"
    assert lines(data, limits=(27, 9, 9, 9)) == Outcome(
        [call(LS), error("limit-size", 40, "/1/name", 1), respond(LS)], "paused", 0, ""
    )
    assert lines(data, limits=(99, 1, 9, 9)) == Outcome(
        [call(LS), error("limit-calls", 28, "/1", 1), respond(LS)], "paused", 0, ""
    )
    one = f"{CALL}\n§call: 5"
    assert lines(one, limits=(99, 1, 9, 9)).events[1] == error("not-object", 28, "/1", 1)
    later = f"{CALL}\n§execute"
    assert lines(later, limits=(14, 1, 2, 1)).events == [call(LS), EXECUTE]


def test_the_calls_of_a_void_batch_are_limited_one_by_one():
    data = f"§call: x\n{CALL}\n{CALL}\n§call:  {LS}\n§execute"
    assert lines(data, limits=(14, 1, 2, 1)) == Outcome(
        [error("json-syntax", 7, "/0"), respond("x"), call(LS), call(LS), respond(LS)],
        "paused",
        0,
        "",
    )


def test_256_calls_may_wait():
    assert lines(f"{CALL}\n" * 256 + "§execute").events == [call(LS)] * 256 + [EXECUTE]
    outcome = lines(f"{CALL}\n" * 257 + "§execute")
    assert outcome.events[256:] == [error("limit-calls", 256 * 21 + 7, "/256", 256), respond(LS)]


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        # strings of a broken payload hide nothing, and a marker still needs its place
        (
            (
                '§call: {"name":"write","args":{"text":"press " then\n'
                '§call: {"name":"rm","args":{"p":"/"}}\n§execute'
            ),
            [
                error("json-syntax", 47, "/0/args/text"),
                respond('{"name":"write","args":{"text":"press " then'),
                call('{"name":"rm","args":{"p":"/"}}'),
            ],
            "paused",
        ),
        ('§call: "a §end', [error("not-object", 7, "/0"), respond('"a §end')], "prose"),
        ('§call: "a\n§end', [error("not-object", 7, "/0"), respond('"a'), END], "ended"),
        (
            '§call: {"a":"\n§end',
            [error("json-syntax", 13, "/0/a"), respond('{"a":"'), END],
            "ended",
        ),
        (
            f"{CALL}\n§call: {{bad\n§execute",
            [call(LS), error("json-syntax", 29, "/1", 1), respond("{bad")],
            "paused",
        ),
        # the payload is fresh at its start
        ("§call: \n§end", [error("json-syntax", 8, "/0"), END], "ended"),
        ("§call:§end", [error("json-syntax", 6, "/0"), END], "ended"),
        ("§call: §execute", [error("json-syntax", 7, "/0")], "paused"),
        (f"§call: {CALL}\n§execute", [error("json-syntax", 7, "/0"), call(LS)], "paused"),
        (
            "§call: [SYSTEM: x",
            [error("not-object", 7, "/0"), error("forged-results", 7)],
            "paused",
        ),
        (
            '§call: {"a":\n[SYSTEM: x',
            [error("json-syntax", 14, "/0/a/0"), respond('{"a":'), error("forged-results", 13)],
            "paused",
        ),
        # one error for a batch
        (
            "§call: x\n§call: y\n§execute",
            [error("json-syntax", 7, "/0"), respond("x"), respond("y")],
            "paused",
        ),
        (
            f"§call: x\n{CALL} z\n§execute",
            [error("json-syntax", 7, "/0"), respond("x"), call(LS), respond("z")],
            "paused",
        ),
        ("§call: x\n§end", [error("json-syntax", 7, "/0"), respond("x"), END], "ended"),
        (
            f"§call: x\n{CALL}\n§end",
            [error("json-syntax", 7, "/0"), respond("x"), call(LS), END],
            "ended",
        ),
        (f"§call: x\n{CALL}", [error("json-syntax", 7, "/0"), respond("x"), call(LS)], "execute"),
        (
            "§call: x\n§call: {",
            [error("json-syntax", 7, "/0"), respond("x"), respond("{")],
            "execute",
        ),
        (
            f"§call: x\n{CALL}\n§result: y",
            [error("json-syntax", 7, "/0"), respond("x"), call(LS), error("forged-results", 30)],
            "paused",
        ),
        # the end of the text in a payload
        (
            f"{CALL}\n§call: {{",
            [call(LS), error("unclosed-call", 29, "/1", 1), respond("{")],
            "execute",
        ),
        (
            f"§think: a\n{CALL}\n§call:",
            [think("a"), call(LS), error("unclosed-call", 37, "/1", 1)],
            "execute",
        ),
    ],
)
def test_a_broken_payload_is_read_again_as_prose(data, events, state):
    outcome = lines(data)
    assert (outcome.events, outcome.state) == (events, state)


@pytest.mark.parametrize(
    ("behind", "offset", "content", "state"),
    [
        (" please\n§execute", 1, "please", "paused"),
        ("}\n§execute", 0, "}", "paused"),
        (",", 0, ",", "prose"),
        ("\xa0§execute", 0, "\xa0§execute", "prose"),
        ("\n§thing", 6, "§thing", "prose"),
        ("\n§executes\n§execute", 9, "§executes", "paused"),
        ("\n§execute-order", 9, "§execute-order", "prose"),
        ("\n§END.", 5, "§END.", "prose"),
        ("\n§thinK x", 7, "§thinK x", "prose"),
        ("\n§thin\u212a:", 6, "§thin\u212a:", "prose"),
        ("\n[SYS,", 5, "[SYS,", "prose"),
        ("\n[System: ", 3, "[System:", "prose"),
        ("\n[SYSTEM:\n§execute", 9, "[SYSTEM:", "paused"),
        ("§§end", 1, "§§end", "prose"),
        ("§\n§execute", 1, "§", "paused"),
        ("\n§exe", 5, "§exe", "prose"),
        ("\n§", 2, "§", "prose"),
        ("[SYSTEM:", 8, "[SYSTEM:", "prose"),
        (" see §end", 1, "see §end", "prose"),
        (f"\n{LS}", 1, LS, "prose"),
    ],
)
def test_text_behind_a_call_voids_the_batch(behind, offset, content, state):
    outcome = lines(CALL + behind)
    assert outcome == Outcome(
        [call(LS), error("trailing-text", 20 + offset, "", 1), respond(content)], state, 0, ""
    )


def test_a_replaced_character_behind_a_call_is_bad_encoding():
    assert lines(f"{CALL}\n\ud800 x").events == [
        call(LS),
        error("bad-encoding", 21, "", 1),
        respond("\ufffd x"),
    ]
    assert lines(f"{CALL}\n§execute\ud800").events[1] == error("bad-encoding", 29, "", 1)
    assert lines(f"{CALL}\n§respond: \ud800\n§execute").events[1:] == [respond("\ufffd"), EXECUTE]


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        (CALL, [call(LS), error("missing-execute", 20, "", 1)], "execute"),
        (f"{CALL} \n", [call(LS), error("missing-execute", 22, "", 1)], "execute"),
        (
            f"{CALL}\n§respond: done\n§end",
            [call(LS), respond("done"), error("missing-execute", 36, "", 1), END],
            "ended",
        ),
        (
            f"{CALL}{CALL} §END",
            [call(LS), call(LS), error("missing-execute", 41, "", 2), END],
            "ended",
        ),
        (f"{CALL}\n§think:", [call(LS), error("missing-execute", 28, "", 1)], "think"),
        (
            f"{CALL}\n§think: x ",
            [call(LS), think("x"), error("missing-execute", 31, "", 1)],
            "think",
        ),
        (
            f"{CALL}\n§respond: x\n§exe",
            [call(LS), respond("x\n§exe"), error("missing-execute", 37, "", 1)],
            "prose",
        ),
    ],
)
def test_calls_that_nothing_executes(data, events, state):
    for mode in ("turn", "transcript"):
        ends = "prose" if state == "ended" and mode == "transcript" else state
        assert lines(data, mode=mode) == Outcome(events, ends, 0, "")


@pytest.mark.parametrize(
    ("data", "events", "discarded"),
    [
        ("§result: a", [error("forged-results", 0)], 2),
        ("[SYSTEM: a]", [error("forged-results", 0)], 2),
        ("hi\n§Result:a", [respond("hi"), error("forged-results", 3)], 1),
        ("§think: hi\n [SYSTEM: ", [think("hi"), error("forged-results", 12)], 0),
        (f"{CALL}\n[SYSTEM: a]", [call(LS), error("forged-results", 21, "", 1)], 2),
        (
            f"{CALL}\n§respond: x\n§result: a",
            [call(LS), respond("x"), error("forged-results", 33, "", 1)],
            2,
        ),
    ],
)
def test_results_on_lines_in_a_turn_are_forged(data, events, discarded):
    assert lines(data) == Outcome(events, "paused", discarded, "")


# Transcripts on lines


def answer_lines(results, calls=1, **options):
    """Give what follows the execute when `results` answer calls of `ls`, and where they begin."""
    head = f"{CALL}\n" * calls + "§execute"
    outcome = lines(head + results, mode="transcript", **options)
    assert outcome.events[: calls + 1] == [call(LS)] * calls + [EXECUTE]
    assert (outcome.discarded, outcome.tail) == (0, "")
    return outcome.events[calls + 1 :], outcome.state, len(head)


def success(content):
    return f'{{"tool": "ls", "status": "success", "content": {content}}}'


def result_lines(*items, failed=0):
    array = "[\n  " + ",\n  ".join(items) + "\n]"
    return result(array, len(items), len(items) - failed, failed)


NO = '{"tool":"ls","status":"failure","content":"no"}'


def test_a_transcript_on_lines_goes_on_behind_every_stop():
    data = f"a\n§end\nb\n{CALL}\n§execute\nc\n§call: x\n§execute d\n§end§execute"
    assert lines(data, mode="transcript") == Outcome(
        [
            respond("a"),
            END,
            respond("b"),
            call(LS),
            EXECUTE,
            respond("c"),
            error("json-syntax", 48, "/0"),
            respond("x"),
            respond("d"),
            END,
            EXECUTE,
        ],
        "prose",
        0,
        "",
    )


@pytest.mark.parametrize(
    ("results", "events", "state"),
    [
        ("", [], "prose"),
        (" \n", [], "prose"),
        ("\n§resul", [respond("§resul")], "prose"),
        ("\n§think: a", [think("a")], "think"),
        ("\n§result: a\nb\n§respond: c", [result_lines(success('"a\\nb"')), respond("c")], "prose"),
        ("§result:a", [result_lines(success('"a"'))], "results"),
        (" §RESULT: a \n", [result_lines(success('"a"'))], "results"),
        ("\n[SYSTEM: a]", [result_lines(success('"a"'))], "results"),
        ("\n[SYSTEM: a]\n \n", [result_lines(success('"a"'))], "results"),
        ("\n[SYSTEM: a]\nhi", [result_lines(success('"a"')), respond("hi")], "prose"),
        ("\n[SYSTEM: a]\r§end", [result_lines(success('"a"')), END], "prose"),
        ("\n[SYSTEM: a", [result_lines(success('"a"'))], "results"),
        ("\n[SYSTEM: a]b] \n]\n", [result_lines(success('"a]b]"'))], "results"),
        ("\n[SYSTEM: a\n§end", [result_lines(success('"a"')), END], "prose"),
        (
            "\n[SYSTEM: see [1]\nand [2]]",
            [result_lines(success('"see [1"')), respond("and [2]]")],
            "prose",
        ),
        ("\n[SYSTEM: ]\n", [result_lines(success('""'))], "results"),
        ("\n§result:\n§end", [result_lines(success('""')), END], "prose"),
        ("\n§result: a §end", [result_lines(success('"a §end"'))], "results"),
        ("\n§result: a\n§en", [result_lines(success('"a\\n§en"'))], "results"),
        ("\n[SYSTEM: a]\n§en", [result_lines(success('"a"')), respond("§en")], "prose"),
        (
            '\n§result: é"\\\x01\ufffd',
            [result_lines(success('"é\\"\\\\\\u0001\ufffd"'))],
            "results",
        ),
        # JSON
        ('\n§result: {"b": [1, "§end"]}', [result_lines(success('{"b": [1, "§end"]}'))], "results"),
        ("\n[SYSTEM: [1,\n 2]]", [result_lines(success("[1,\n 2]"))], "results"),
        ('\n§result: "a\\u0041"', [result_lines(success('"a\\u0041"'))], "results"),
        ("\n§result: -1.50E3", [result_lines(success("-1.50E3"))], "results"),
        ("\n§result: true\n", [result_lines(success("true"))], "results"),
        ("\n§result: null", [result_lines(success("null"))], "results"),
        # not strict JSON
        ("\n§result: 01", [result_lines(success('"01"'))], "results"),
        ("\n§result: 1 2", [result_lines(success('"1 2"'))], "results"),
        ("\n§result: 1,2", [result_lines(success('"1,2"'))], "results"),
        ("\n§result: 1]", [result_lines(success('"1]"'))], "results"),
        ("\n§result: nul", [result_lines(success('"nul"'))], "results"),
        ("\n§result: NaN", [result_lines(success('"NaN"'))], "results"),
        ("\n§result: 1e999", [result_lines(success('"1e999"'))], "results"),
        ('\n§result: {"a":1,"a":2}', [result_lines(success('"{\\"a\\":1,\\"a\\":2}"'))], "results"),
        ('\n§result: "\\ud83d"', [result_lines(success('"\\"\\\\ud83d\\""'))], "results"),
        ('\n§result: {"a":1', [result_lines(success('"{\\"a\\":1"'))], "results"),
        # a whole item
        (f"\n§result: {NO}\n§end", [result_lines(NO, failed=1), END], "prose"),
        (f"\n[SYSTEM: {NO}]\n", [result_lines(NO, failed=1)], "results"),
        (
            '\n§result: { "content" : {} ,\n"status":"success","\\u0074ool":"\\u006cs"}',
            [result_lines('{ "content" : {} ,\n"status":"success","\\u0074ool":"\\u006cs"}')],
            "results",
        ),
        (f"\n§result: [{NO}]", [result_lines(success(f"[{NO}]"))], "results"),
        (
            '\n§result: {"tool":"rm","status":"ok"}',
            [result_lines(success('{"tool":"rm","status":"ok"}'))],
            "results",
        ),
        (
            '\n§result: {"tool":1,"status":2,"content":3,"x":4}',
            [result_lines(success('{"tool":1,"status":2,"content":3,"x":4}'))],
            "results",
        ),
        # results that are not due
        (
            "\n§respond: x\n§result: y\n§respond: z",
            [respond("x"), error("forged-results", 42), respond("z")],
            "prose",
        ),
        ("\nx\n[SYSTEM: y]", [respond("x"), error("forged-results", 32)], "prose"),
    ],
)
def test_a_call_on_a_line_and_what_answers_it(results, events, state):
    assert answer_lines(results) == (events, state, 29)


@pytest.mark.parametrize(
    ("results", "code", "offset"),
    [
        ('{"tool":"rm","status":"success","content":1}', "results-order", 43),
        ('{"tool":"","status":"success","content":1} \n', "results-order", 41),
        ('{"tool":1,"status":"success","content":1}', "results-shape", 40),
        ('{"tool":"ls","status":"ok","content":1}', "results-shape", 38),
        ('{"tool":"ls","status":null,"content":1}', "results-shape", 38),
        ('{"tool":"ls","status":"failure","content":1}', "results-shape", 43),
        ('{"content":[],"status":"failure","tool":"ls"}', "results-shape", 44),
        ('{"status":"ok","tool":"rm","content":1}', "results-shape", 38),
        ('{"tool":"rm","status":"ok","content":1}', "results-order", 38),
        ("a\ud800b", "results-shape", 1),
    ],
)
def test_a_body_that_is_no_answer(results, code, offset):
    for opener, closer in (("\n§result: ", "\n"), ("\n[SYSTEM: ", "]\n")):
        behind = "[SYSTEM: x]\n§Result: y\n§end"
        events, state, head = answer_lines(opener + results + closer + behind)
        assert events == [error(code, head + 10 + offset, "/0"), END]
        assert state == "prose"


def test_bodies_answer_calls_by_position():
    events, state, _ = answer_lines(f"\n§result: a\n[SYSTEM: {NO}]\n[SYSTEM: 3]\n§end", 3)
    assert events == [result_lines(success('"a"'), NO, success("3"), failed=1), END]
    assert state == "prose"


@pytest.mark.parametrize(
    ("results", "offset", "behind", "state"),
    [
        ("\n§result: a\n§respond: b", 12, [respond("b")], "prose"),
        ("\n[SYSTEM: a]\n b", 14, [respond("b")], "prose"),
        ("\n[SYSTEM: a]\n§en", 13, [respond("§en")], "prose"),
        ("\n[SYSTEM: a]\n", 13, [], "results"),
        ("\n§result: a", 11, [], "results"),
        # more results than calls are skipped
        ("\n§result: a\n§result: b\n[SYSTEM: c]", 23, [], "results"),
        ("\n[SYSTEM: a]\n[SYSTEM: b]\n[SYSTEM: c]\n§Result: d\n[SYSTEM: e] f]\ng", 25, [respond("g")], "prose"),
    ],
)  # fmt: skip
def test_more_or_fewer_bodies_than_calls(results, offset, behind, state):
    events, found, head = answer_lines(results, 2)
    assert (events, found) == ([error("results-count", head + offset), *behind], state)


def test_one_body_too_many():
    events, state, head = answer_lines("\n§result: a\n§result: b\n§respond: c")
    assert events == [error("results-count", head + 12), respond("c")]
    assert state == "prose"


def test_the_first_of_several_errors_in_results():
    wrong = '\n§result: {"tool":"rm","status":"success","content":1}'
    events, state, head = answer_lines(f"\n§result: a{wrong}{wrong}{wrong}", 3)
    assert events == [error("results-order", head + 11 + 53, "/1")]
    assert state == "results"


@pytest.mark.parametrize(
    ("results", "events", "state"),
    [
        ("\n§result: []", [result("[]", 0, 0, 0)], "results"),
        ("\n[SYSTEM: [ \n]]\n§end", [result("[]", 0, 0, 0), END], "prose"),
        ("\nhi", [respond("hi")], "prose"),
        ("\n§result: x \n§end", [error("results-count", 18), END], "prose"),
        ("\n§result: {}", [error("results-count", 19)], "results"),
        ("\n§result: [1]", [error("results-count", 20)], "results"),
        ("\n§result:", [error("results-count", 16)], "results"),
        ("\n[SYSTEM: ]\nx", [error("results-count", 17), respond("x")], "prose"),
        ("\n§result: []\n§result: []", [error("results-count", 21)], "results"),
        ("\n§result: \ud800", [error("results-shape", 18, "/0")], "results"),
    ],
)
def test_no_calls_on_lines_are_answered_by_an_empty_array(results, events, state):
    assert lines("§execute" + results, mode="transcript") == Outcome(
        [EXECUTE, *events], state, 0, ""
    )


VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'


@pytest.mark.parametrize(
    ("results", "events", "state"),
    [
        (VOID_ITEM, [result(f"[\n  {VOID_ITEM}\n]", 0, 0, 1)], "results"),
        (VOID_ITEM + "\n§end", [result(f"[\n  {VOID_ITEM}\n]", 0, 0, 1), END], "prose"),
        ("no \n§end", [error("results-shape", 28, "/0"), END], "prose"),
        ("", [error("results-shape", 25, "/0")], "results"),
        ("[]", [error("results-shape", 28, "/0")], "results"),
        (NO, [error("results-order", 73, "/0")], "results"),
        (VOID_ITEM.replace("failure", "success"), [error("results-shape", 78, "/0")], "results"),
        (VOID_ITEM + "\n[SYSTEM: a]", [error("results-count", 80)], "results"),
    ],
)
def test_a_void_batch_is_answered_by_one_failure_of_execute(results, events, state):
    data = "§call: x\n§execute\n§result: " + results
    assert lines(data, mode="transcript") == Outcome(
        [error("json-syntax", 7, "/0"), respond("x"), *events], state, 0, ""
    )


def test_limits_hold_in_bodies():
    # an item is level 2 in its array, the content of an item 3
    assert answer_lines("\n§result: [1]", limits=(99, 9, 3, 9))[0] == [result_lines(success("[1]"))]
    assert answer_lines("\n§result: [[]]", limits=(99, 9, 3, 9))[0] == [result_lines(success('"[[]]"'))]  # fmt: skip
    item = '{"tool":"ls","status":"success","content":[]}'
    assert answer_lines(f"\n§result: {item}", limits=(99, 9, 3, 9))[0] == [result_lines(item)]
    quoted = json.dumps(item)
    assert answer_lines(f"\n§result: {item}", limits=(99, 9, 2, 9))[0] == [result_lines(success(quoted))]  # fmt: skip
    assert answer_lines("\n§result: 123", limits=(99, 9, 9, 3))[0] == [result_lines(success("123"))]
    assert answer_lines("\n§result: 1234", limits=(99, 9, 9, 3))[0] == [result_lines(success('"1234"'))]  # fmt: skip


def test_the_size_of_all_bodies_is_limited():
    # white space at the ends counts
    events, _, head = answer_lines("\n§result: 123456789012\n§end", limits=(14, 9, 9, 99))
    assert events == [result_lines(success("123456789012")), END]
    events, _, head = answer_lines("\n§result: 1234567890123\n§end", limits=(14, 9, 9, 99))
    assert events == [error("results-shape", head + 23, "/0"), END]
    # a bracket that closes a body does not
    events, state, head = answer_lines("\n[SYSTEM: 12345678901234]\n", limits=(14, 9, 9, 99))
    assert events == [result_lines(success("12345678901234"))]
    events, state, head = answer_lines("\n[SYSTEM: 12345678901234]]\n", limits=(14, 9, 9, 99))
    assert (events, state) == ([error("results-shape", head + 24, "/0")], "results")
    # the bodies of one batch add up
    results = "\n§result: ab\n[SYSTEM: " + "x" * 24
    events, _, head = answer_lines(results + "]\n", 2, limits=(28, 9, 9, 9))
    assert events == [result_lines(success('"ab"'), success('"' + "x" * 24 + '"'))]
    events, _, head = answer_lines(results + "x]\n", 2, limits=(28, 9, 9, 9))
    assert events == [error("results-shape", head + 46, "/1")]


@pytest.mark.parametrize(
    ("data", "events", "state"),
    [
        ("§result: a\nb\n§respond: c", [error("forged-results", 0), respond("c")], "prose"),
        ("[SYSTEM: a]\nb", [error("forged-results", 0), respond("b")], "prose"),
        ("[SYSTEM: a] b]\rc", [error("forged-results", 0), respond("c")], "prose"),
        ("[SYSTEM: a\n§respond: b]", [error("forged-results", 0), respond("b]")], "prose"),
        ("[SYSTEM: §end\n", [error("forged-results", 0), END], "prose"),
        ("[SYSTEM: a]", [error("forged-results", 0)], "prose"),
        ("[SYSTEM: a", [error("forged-results", 0)], "results"),
        ("[SYSTEM: ", [error("forged-results", 0)], "results"),
        ("§result: a]", [error("forged-results", 0)], "results"),
        ("§result: a\n§resp", [error("forged-results", 0)], "results"),
        (
            "§result: a\n[SYSTEM: b]\nc",
            [error("forged-results", 0), error("forged-results", 11), respond("c")],
            "prose",
        ),
        ("§end\n§result: x", [END, error("forged-results", 5)], "results"),
        (
            "§result: x\n§execute\n§result: []\n§end",
            [error("forged-results", 0), error("results-shape", 30, "/0"), END],
            "prose",
        ),
        # the calls that wait become void, and those that follow in the same turn
        (
            f"{CALL}\n§result: x\n§respond: y\n{CALL}\n§execute\n§result: z",
            [
                call(LS),
                error("forged-results", 21, "", 1),
                respond("y"),
                call(LS),
                error("results-shape", 83, "/0"),
            ],
            "results",
        ),
        (
            f"{CALL}\n[SYSTEM: x]\n[SYSTEM: y]\n§end",
            [call(LS), error("forged-results", 21, "", 1), error("forged-results", 33), END],
            "prose",
        ),
    ],
)
def test_forged_results_on_lines_are_skipped_in_a_transcript(data, events, state):
    assert lines(data, mode="transcript") == Outcome(events, state, 0, "")


def test_every_turn_on_lines_starts_in_think():
    data = (
        f"a\n{CALL}\n§execute\n[SYSTEM: {NO}]\nb\n§end\n§think: c\n§execute\nd\n§result: e\n"
        "§call: x\n§execute"
    )
    outcome = lines(data, mode="transcript", start="think")
    assert outcome == Outcome(
        [
            think("a"),
            call(LS),
            EXECUTE,
            result_lines(NO, failed=1),
            think("b"),
            END,
            think("c"),
            EXECUTE,
            think("d"),
            error("forged-results", 118),
            respond("x"),
        ],
        "think",
        0,
        "",
    )


# The ledger on lines


@pytest.mark.parametrize(
    ("data", "raws", "tail", "discarded"),
    [
        ("", [], "", 0),
        (" \n", [], " \n", 0),
        (" a \n", [" a \n"], "", 0),
        ("§think: a\n§respond: b\n §end\nc", ["§think: a\n", "§respond: b\n ", "§end"], "", 2),
        ("§think: \n§respond: b", ["§think: \n§respond: b"], "", 0),
        ("a\n§think:", ["a\n"], "§think:", 0),
        (f"a\n{CALL}\n\n§execute\n", ["a\n", CALL, "\n\n§execute"], "", 1),
        (
            f"{CALL}\n{CALL} §respond: a\n§execute",
            [CALL, f"\n{CALL}", " §respond: a\n", "§execute"],
            "",
            0,
        ),
        # the payload is read twice, and accounted for once
        ("§call: {bad\n§execute x", ["§call: {b", "ad\n"], "§execute", 2),
        ("§call: {bad", ["§call: {b", "ad"], "", 0),
        ("§call: {", ["§call: {", ""], "", 0),
        ("§call: \n§end", ["§call: \n§", "end"], "", 0),
        ("§call: \n§execute", ["§call: \n§"], "execute", 0),
        ('§call: {"a":\n[SYSTEM: x', ['§call: {"a":\n[S', "", "YSTEM: "], "", 1),
        (f"§call: x\n{CALL}\n§execute", ["§call: x", "\n", CALL], "\n§execute", 0),
        (f"{CALL} please\n§execute", [CALL, " p", "lease\n"], "§execute", 0),
        (f"{CALL}\n§thing\n§end", [CALL, "\n§thing", "\n", "§end"], "", 0),
        (f"{CALL}\n§ex", [CALL, "\n§ex", ""], "", 0),
        (f"{CALL}\n§end", [CALL, "\n§", "end"], "", 0),
        (f"{CALL}\n", [CALL, "\n"], "", 0),
        (f"{CALL}\n§think: \n", [CALL, "\n§think: \n"], "", 0),
        ("a\n§result: b", ["a\n", "§result:"], "", 2),
    ],
)
def test_every_character_on_lines_is_accounted_for_once(data, raws, tail, discarded):
    outcome = lines(data, raw=True)
    assert [event["raw"] for event in outcome.events] == raws
    assert (outcome.tail, outcome.discarded) == (tail, discarded)


@pytest.mark.parametrize(
    ("data", "raws", "tail"),
    [
        ("§end \na", ["§end", " \na"], ""),
        ("§execute\n", ["§execute"], "\n"),
        ("§execute\n[SYSTEM: []]\n\n", ["§execute", "\n[SYSTEM: []]\n\n"], ""),
        ("§execute [SYSTEM: []]\n b", ["§execute", " [SYSTEM: []]\n ", "b"], ""),
        (
            f"{CALL}\n§execute\n§result: a\n\n§end",
            [CALL, "\n§execute", "\n§result: a\n\n", "§end"],
            "",
        ),
        (
            f"{CALL}{CALL}\n§execute\n[SYSTEM: a]\n§end",
            [CALL, CALL, "\n§execute", "\n[SYSTEM: a]\n§", "end"],
            "",
        ),
        (f"{CALL}{CALL}§execute§result: a", [CALL, CALL, "§execute", "§result: a"], ""),
        (
            "§execute\n§result: []\n§result: b\n§end",
            ["§execute", "\n§result: []\n§", "result: b\n§end"],
            "",
        ),
        ("§execute\n§result: b \n§end", ["§execute", "\n§result: b \n", "§end"], ""),
        ("§execute\n§result: b \n", ["§execute", "\n§result: b \n"], ""),
        ("§execute\n[SYSTEM: b ]\n", ["§execute", "\n[SYSTEM: b "], "]\n"),
        ("§execute\n§result: []\ud800", ["§execute", "\n§result: []\ufffd"], ""),
        ("[SYSTEM: a]\nb", ["[SYSTEM: ", "a]\nb"], ""),
        ("§result: a", ["§result:"], " a"),
        (
            f"§call: x\n§execute\n{CALL}\n§execute",
            ["§call: x", "\n", f"§execute\n{CALL}", "\n§execute"],
            "",
        ),
    ],
)
def test_every_character_of_a_transcript_on_lines_is_accounted_for_once(data, raws, tail):
    outcome = lines(data, raw=True, mode="transcript")
    assert [event["raw"] for event in outcome.events] == raws
    assert (outcome.tail, outcome.discarded) == (tail, 0)


# The documents with markers on lines


MAIN = '{"name": "file_read", "args": {"file": "main.py"}}'
LIST = '{"name": "file_list", "args": {"path": "."}}'
CONFIG = '{"name": "file_read", "args": {"file": "config.json"}}'


def test_the_overview_on_lines():
    data = (
        "§think: I need to examine the code structure first\n"
        f"§call: {MAIN}\n"
        "§execute\n"
        "§respond: Fixed the missing semicolon. Code runs correctly now.\n"
        "§end\n"
    )
    first = [think("I need to examine the code structure first"), call(MAIN), EXECUTE]
    assert lines(data) == Outcome(
        first, "paused", len(data) - data.index("§execute") - len("§execute"), ""
    )
    assert lines(data, mode="transcript") == Outcome(
        [*first, respond("Fixed the missing semicolon. Code runs correctly now."), END],
        "prose",
        0,
        "",
    )


@pytest.mark.parametrize("respond_marker", ["§respond:", "§RESPOND:"])
def test_the_simple_response_on_lines(respond_marker):
    text = "Python is a programming language created by Guido van Rossum."
    for mode, state in (("turn", "ended"), ("transcript", "prose")):
        outcome = lines(f"{respond_marker} {text}\n§end", mode=mode)
        assert outcome == Outcome([respond(text), END], state, 0, "")


def test_the_single_call_on_lines():
    data = (
        "§think: I should check what files exist first.\n"
        f"§call: {LIST}\n"
        "§execute\n"
        "§respond: I found 3 files: main.py, config.json, README.md\n"
        "§end"
    )
    first = [think("I should check what files exist first."), call(LIST), EXECUTE]
    assert lines(data) == Outcome(first, "paused", 64, "")
    assert lines(data, mode="transcript").events == [
        *first,
        respond("I found 3 files: main.py, config.json, README.md"),
        END,
    ]


def test_several_calls_on_lines():
    data = (
        f"§call: {LIST}\n§execute\n§call: {CONFIG}\n§execute\n"
        "§respond: This is a Node.js project with Express configuration.\n§end"
    )
    assert lines(data).events == [call(LIST), EXECUTE]
    assert lines(data, mode="transcript") == Outcome(
        [
            call(LIST),
            EXECUTE,
            call(CONFIG),
            EXECUTE,
            respond("This is a Node.js project with Express configuration."),
            END,
        ],
        "prose",
        0,
        "",
    )


def upper_result(content, tool):
    item = f'{{"tool": "{tool}", "status": "success", "content": {content}}}'
    return result(f"[\n  {item}\n]", 1, 1, 0)


def test_the_overview_in_upper_case():
    data = (
        "§THINK: I need to examine the code structure first\n"
        '§CALL: {"name": "read", "args": {"file": "main.py"}}\n'
        "§EXECUTE\n"
        "[SYSTEM: Found syntax error on line 15]\n"
        "§RESPOND: Fixed the missing semicolon. Code runs correctly now.\n"
        "§END\n"
    )
    first = [
        think("I need to examine the code structure first"),
        call('{"name": "read", "args": {"file": "main.py"}}'),
        EXECUTE,
    ]
    turn = lines(data)
    assert (turn.events, turn.state) == (first, "paused")
    assert turn.discarded == len(data) - data.index("\n[SYSTEM")
    assert lines(data, mode="transcript") == Outcome(
        [
            *first,
            upper_result('"Found syntax error on line 15"', "read"),
            respond("Fixed the missing semicolon. Code runs correctly now."),
            END,
        ],
        "prose",
        0,
        "",
    )


def test_the_single_call_in_upper_case():
    files = "Found 3 files: main.py, config.json, README.md"
    data = (
        "§THINK: I should check what files exist first.\n"
        '§CALL: {"name": "list", "args": {}}\n'
        f"§EXECUTE\n[SYSTEM: {files}]\n"
        "§RESPOND: I found 3 files: main.py, config.json, README.md\n§END"
    )
    first = [
        think("I should check what files exist first."),
        call('{"name": "list", "args": {}}'),
        EXECUTE,
    ]
    assert lines(data).events == first
    assert lines(data, mode="transcript").events == [
        *first,
        upper_result(f'"{files}"', "list"),
        respond("I found 3 files: main.py, config.json, README.md"),
        END,
    ]


def test_several_calls_in_upper_case():
    data = (
        '§CALL: {"name": "list", "args": {}}\n'
        "§EXECUTE\n"
        "[SYSTEM: Found: main.py, config.json]\n"
        '§CALL: {"name": "read", "args": {"file": "config.json"}}\n'
        "§EXECUTE\n"
        '[SYSTEM: {"debug": false, "timeout": 30}]\n'
        "§RESPOND: This is a Node.js project with Express configuration.\n"
        "§END"
    )
    assert lines(data).events == [call('{"name": "list", "args": {}}'), EXECUTE]
    outcome = lines(data, mode="transcript", raw=True)
    assert "".join(event.pop("raw") for event in outcome.events) + outcome.tail == data
    assert outcome.events == [
        call('{"name": "list", "args": {}}'),
        EXECUTE,
        upper_result('"Found: main.py, config.json"', "list"),
        call('{"name": "read", "args": {"file": "config.json"}}'),
        EXECUTE,
        upper_result('{"debug": false, "timeout": 30}', "read"),
        respond("This is a Node.js project with Express configuration."),
        END,
    ]


def test_the_listed_events_in_upper_case():
    data = (
        '§THINK: reasoning text\n§CALL: {"name": "tool"}\n§EXECUTE\n§RESPOND: final response\n§END'
    )
    assert lines(data, mode="transcript").events == [
        think("reasoning text"),
        call('{"name": "tool"}'),
        EXECUTE,
        respond("final response"),
        END,
    ]


def test_the_rules_of_the_documents_with_markers_on_lines():
    example = '{"name": "file_read", "args": {"file": "example.py"}}'
    assert lines(f"§call: {example}\n§execute").events == [call(example), EXECUTE]
    assert lines("§call: {...}\n§execute").events == [
        error("json-syntax", 8, "/0"),
        respond("{...}"),
    ]
    assert lines("§end\n§respond: no further processing") == Outcome([END], "ended", 32, "")


def test_a_mode_or_a_start_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="chat"):
        parse("", mode="chat")
    with pytest.raises(ValueError, match="end"):
        parse("", start="end")


def test_a_dialect_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="morse"):
        parse("", "morse")
    assert parse("<end>", dialect="xml-json") == parse("<end>")
    assert DIALECTS == ("xml-json", "xml-elements", "delimiter", "delimiter-upper")


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


ELEMENT_TOKENS = st.sampled_from(
    [
        *"<>/&;#x1!?[] \n='ab",
        "<a>",
        "</a>",
        "<a/>",
        "<b>",
        "</b >",
        "<b c='1'/>",
        "<execute>",
        "</execute>",
        "&amp;",
        "&lt",
        "&#65;",
        "&#x1F600;",
        "&#x110000;",
        "&#0;",
        "&nbsp;",
        "<!-- -->",
        "<![CDATA[",
        "]]>",
        "]]",
        "<?p?>",
        "<!DOCTYPE a>",
        "n:",
        "\x01",
        "\ufffe",
        "\x85",
        "é",
        "",
        "",
    ]
)
VALUES_OF_ELEMENTS = st.sampled_from(
    ["", "x", " a b\n", "&amp;&#65;&quot;", "<![CDATA[<b>&]]>", "]]&gt;", "]]", "é\x85", "a>b"]
)


@st.composite
def nearly_elements(draw):
    """Give a block of elements with something put in, and something perhaps taken out."""
    text = ""
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from(["a", "b", "été", "execute"]))
        arguments = draw(st.lists(st.sampled_from(["a", "b", "c"]), max_size=2))
        inside = "".join(f"<{one}>{draw(VALUES_OF_ELEMENTS)}</{one}>\n" for one in arguments)
        text += f"<{name}>{inside}</{name}> "
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(ELEMENT_TOKENS) + text[at + draw(st.integers(0, 2)) :]
    return text


def elements(text):
    """Give the calls that `text` is, by Python's own reader of XML, or nothing."""
    source = f"<execute>{text}</execute>".encode()
    reader = expat.ParserCreate()
    reader.buffer_text = False
    calls = []
    path = []

    def begin(name, attributes):
        if len(path) > 2 or attributes or ":" in name or (len(path) == 1 and name == "execute"):
            raise ValueError(name)
        if len(path) == 1:
            calls.append({"name": name, "args": {}})
        elif len(path) == 2:
            if name in calls[-1]["args"]:
                raise ValueError(name)
            calls[-1]["args"][name] = ""
        path.append(name)

    def characters(data):
        if len(path) == 3:
            calls[-1]["args"][path[-1]] += data
        elif data.strip(" \t\n\r") or source[reader.CurrentByteIndex] == ord("&"):
            raise ValueError(data)

    def begin_cdata():
        if len(path) < 3:
            raise ValueError(path)

    def refuse(*_):
        raise ValueError(path)

    reader.StartElementHandler = begin
    reader.EndElementHandler = lambda _: path.pop()
    reader.CharacterDataHandler = characters
    reader.StartCdataSectionHandler = begin_cdata
    reader.CommentHandler = refuse
    reader.ProcessingInstructionHandler = refuse
    try:
        reader.Parse(source, True)
    except (ValueError, expat.ExpatError):
        return None
    return calls


@given(nearly_elements())
def test_a_block_of_elements_is_valid_exactly_when_python_reads_it_as_calls(text):
    outcome = parse(f"<execute>{text}</execute>", "xml-elements")
    whole = outcome.events[-1] == EXECUTE and outcome.discarded == 0
    expected = elements(text)
    assert whole == (expected is not None)
    if whole:
        assert [json.loads(event["content"]) for event in outcome.events[:-1]] == expected


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
LINE_PIECES = st.sampled_from(
    [
        CALL,
        f"{CALL}\n§execute\n",
        "§call:",
        "§call: ",
        LS,
        NO,
        VOID_ITEM,
        "[]",
        "{",
        '"',
        "§think:",
        "§respond: ",
        "§result:",
        "[SYSTEM: ",
        "[SYS",
        "]",
        "]\n",
        "§execute",
        "§end",
        "§ex",
        "§",
        "\n",
        " ",
        "a",
        "\ud83d",
        "\ude00",
    ]
)
ELEMENT_PIECES = st.one_of(PIECES, ELEMENT_TOKENS, st.just("<execute><a><b>"))
TEXTS = {
    dialect: st.lists(pieces, max_size=10).map("".join)
    for dialect, pieces in zip(
        DIALECTS, (PIECES, ELEMENT_PIECES, LINE_PIECES, LINE_PIECES), strict=True
    )
}
READINGS = st.sampled_from(DIALECTS).flatmap(lambda name: st.tuples(st.just(name), TEXTS[name]))
MODES = st.sampled_from(["turn", "transcript"])
STARTS = st.sampled_from(["prose", "think"])


@given(READINGS, MODES, STARTS)
def test_the_ledger_balances(reading, mode, start):
    dialect, data = reading
    outcome = parse(data, dialect, mode=mode, start=start, raw=True)
    characters = decode(data).characters
    accounted = "".join(event["raw"] for event in outcome.events) + outcome.tail
    assert accounted == characters[: len(accounted)]
    assert len(characters) - len(accounted) == outcome.discarded
    stripped = [{key: event[key] for key in event if key != "raw"} for event in outcome.events]
    assert parse(data, dialect, mode=mode, start=start) == Outcome(
        stripped, outcome.state, outcome.discarded, ""
    )


#: What a text that ends too early gives instead.
TOO_EARLY = (
    "unclosed-execute",
    "unclosed-call",
    "missing-execute",
    "trailing-text",
    "results-shape",
)


def is_judged_at_once(dialect, event):
    """Say whether an error is seen at its character: others wait for a marker or for a body."""
    code = event.get("code", "")
    waits = ("forged-results", "missing-execute")
    return (
        event["type"] == "error"
        and code not in waits
        and not (dialect in LINES and code.startswith("results-"))
    )


@given(READINGS | nearly_valid().map(lambda text: ("xml-json", f"<execute>{text}")), MODES, STARTS)
def test_an_error_depends_on_nothing_behind_its_character(reading, mode, start):
    dialect, data = reading
    characters = decode(data.replace("\ud83d", "").replace("\ude00", "")).characters
    for event in parse(characters, dialect, mode=mode, start=start).events:
        if is_judged_at_once(dialect, event):
            through = event["offset"] + 1
            assert event in parse(characters[:through], dialect, mode=mode, start=start).events
            if through <= len(characters):
                before = parse(characters[: through - 1], dialect, mode=mode, start=start).events
                last = [one for one in before if one["type"] == "error"][-1]
                assert last["code"] in TOO_EARLY
                assert last["offset"] == through - 1


@given(TEXTS["delimiter"], MODES, STARTS)
def test_the_two_dialects_with_markers_on_lines_read_alike(data, mode, start):
    first, second = (parse(data, name, mode=mode, start=start, raw=True) for name in LINES)
    assert first == second
