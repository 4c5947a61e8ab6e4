"""Single inputs on which careful readers would differ, one case for each.

A caret `‸` stands before the character at which the error is due; it is no part of the text.
"""

import pytest

from tests import cogwire
from tests.core.helpers import (
    bare,
    call,
    check,
    end,
    error,
    execute,
    placed,
    respond,
    result,
    run,
    singles,
    think,
)

A = '{"name":"a","args":{}}'
#: A block up to the value of the argument `x`, and the way out of it again.
X = '<execute>[{"name":"a","args":{"x":'
OUT = "}}]</execute>"


def cases(names, *rows):
    """Parametrise with `names`; a row is its id and then a value for each name, the last optional."""
    names = names.split()
    padded = [(*row, {})[: len(names) + 1] for row in rows]
    return pytest.mark.parametrize(names, [pytest.param(*row[1:], id=row[0]) for row in padded])


def check_void(text, code, path):
    """Assert that `text` breaks at its caret, and the parser skips the rest of the block, whatever it is."""
    check(text, [error(code, path)], state="execute")
    text, events = placed(text, [error(code, path)])
    for rest in ("", "}", "]", '"', "1"):
        outcome = run([text + rest + OUT])
        assert bare(outcome.events) == events
        assert outcome.state == "paused"


def check_call(element):
    """Assert that `element` is one call, whose content is its own text."""
    text = f"<execute>[{element}]</execute>"
    check(text, [call(element), execute()], state="paused")


# --- Characters -------------------------------------------------------------------------------


@cases(
    "text events options",
    ("unit separator", "x\x1f", [respond("x\x1f")]),
    ("no-break space", "x\u00a0", [respond("x\u00a0")]),
    ("line separator", "x\u2028", [respond("x\u2028")]),
    ("next line", "\u0085x\u0085", [respond("\u0085x\u0085")]),
    ("vertical tab and form feed", "\v\fx\f\v", [respond("\v\fx\f\v")]),
    ("in a think", "<think>\u00a0x\u00a0</think>", [think("\u00a0x\u00a0")]),
    ("alone", " \u00a0 ", [respond("\u00a0")]),
)
def test_only_four_characters_are_white_space(text, events, options):
    check(text, events, **options)


@cases(
    "text events options",
    ("space", "  x  ", [respond("x")]),
    ("tab", "\tx\t", [respond("x")]),
    ("newline", "\nx\n", [respond("x")]),
    ("carriage return", "\r\nx\r\n", [respond("x")]),
    ("in a think", "<think> \t\r\nx \t\r\n</think>", [think("x")]),
    ("inside a segment", " x \n\n y ", [respond("x \n\n y")]),
    ("alone", " \t\r\n", []),
    ("nothing at all", "", []),
)
def test_white_space_around_a_segment_is_no_content(text, events, options):
    check(text, events, state="prose", **options)


@cases(
    "text events options",
    ("byte order mark, text", "\ufeffHi", [respond("\ufeffHi")]),
    ("byte order mark, bytes", b"\xef\xbb\xbfHi", [respond("\ufeffHi")]),
    ("byte order mark before a marker", "\ufeff<think>a</think>", [respond("\ufeff"), think("a")]),
    ("nul", "a\0b", [respond("a\0b")]),
    ("nul alone", "\0", [respond("\0")]),
    ("a true replacement character", "a\ufffd", [respond("a\ufffd")]),
)
def test_rare_characters_are_content(text, events, options):
    check(text, events, **options)


@cases(
    "text events options",
    ("two of three bytes", b"\xe2\x82A", [respond("\ufffdA")]),
    ("three of four bytes", b"\xf0\x9f\x98A", [respond("\ufffdA")]),
    ("two lone bytes", b"\xff\xfe", [respond("\ufffd\ufffd")]),
    ("a lone continuation", b"a\x80b", [respond("a\ufffdb")]),
    ("an overlong form", b"\xc0\xafa", [respond("\ufffd\ufffda")]),
    ("a surrogate in utf-8", b"\xed\xa0\x80", [respond("\ufffd\ufffd\ufffd")]),
    ("above the last code point", b"\xf4\x90\x80\x80", [respond("\ufffd" * 4)]),
    ("cut at the end, two of three", b"a\xe2\x82", [respond("a\ufffd")]),
    ("cut at the end, three of four", b"a\xf0\x9f\x98", [respond("a\ufffd")]),
    ("cut by a marker", b"a\xe2\x82<end>", [respond("a\ufffd"), end()]),
    ("in a think", b"<think>\xff</think>", [think("\ufffd")]),
    ("in a marker", b"<thi\xffnk>", [respond("<thi\ufffdnk>")]),
)
def test_an_invalid_sequence_is_one_replacement_character(text, events, options):
    check(text, events, **options)


@cases(
    "text events options",
    ("a pair of halves", "\ud83d\ude00", [respond("\U0001f600")]),
    ("a lone high half at the end", "a\ud83d", [respond("a\ufffd")]),
    ("a lone high half before text", "\ud83da", [respond("\ufffda")]),
    ("a lone low half", "\ude00a", [respond("\ufffda")]),
    ("two high halves and a low one", "\ud83d\ud83d\ude00", [respond("\ufffd\U0001f600")]),
    ("halves the wrong way round", "\ude00\ud83d", [respond("\ufffd\ufffd")]),
    ("a high half before a marker", "\ud83d<end>", [respond("\ufffd"), end()]),
)
def test_surrogate_halves_join_and_lone_ones_are_replaced(text, events, options):
    check(text, events, **options)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("a", b"b", id="bytes after str"),
        pytest.param(b"a", "b", id="str after bytes"),
    ],
)
def test_mixing_str_and_bytes_is_misuse(first, second):
    parser = cogwire.Parser(clock=None)
    parser.feed(first)
    with pytest.raises(TypeError):
        parser.feed(second)


@cases(
    "text events options",
    ("a surrogate pair", "<end>\ud83d\ude00", [end()], {"discarded": 1}),
    ("a half alone", "<end>\ud83d", [end()], {"discarded": 1}),
    ("a character of four bytes", b"<end>\xf0\x9f\x98\x80", [end()], {"discarded": 1}),
    ("a character cut at the end", b"<end>\xf0\x9f", [end()], {"discarded": 1}),
    ("an invalid sequence", b"<end>\xe2\x82A", [end()], {"discarded": 2}),
    ("nothing", "<end>", [end()], {"discarded": 0}),
    ("white space", "<end> \n", [end()], {"discarded": 2}),
    ("markers", "<end><think>", [end()], {"discarded": 7}),
)
def test_text_after_a_stop_is_counted_in_characters(text, events, options):
    check(text, events, state="ended", **options)


def bad_encoding(path, offset, calls=0):
    return [call(A)] * calls + [error("bad-encoding", path, calls=calls, offset=offset)]


@cases(
    "text events options",
    ("byte before the array", b"<execute>\xff[]</execute>", bad_encoding(None, 9)),
    ("byte in the array", b"<execute>[\xff]</execute>", bad_encoding("/0", 10)),
    (
        "byte after a call",
        b'<execute>[{"name":"a","args":{}}\xff]</execute>',
        bad_encoding("/0", 32, calls=1),
    ),
    (
        "byte in a string",
        b'<execute>[{"name":"a","args":{"x":"\xff"}}]</execute>',
        bad_encoding("/0/args/x", 35),
    ),
    (
        "byte in a key",
        b'<execute>[{"name":"a","args":{"\xff":1}}]</execute>',
        bad_encoding("/0/args", 31),
    ),
    (
        "byte in a number",
        b'<execute>[{"name":"a","args":{"x":1\xff}}]</execute>',
        bad_encoding("/0/args/x", 35),
    ),
    ("byte after the array", b"<execute>[]\xff</execute>", bad_encoding(None, 11)),
    ("byte in the closer", b"<execute>[]</exe\xff</execute>", bad_encoding(None, 16)),
    ("a sequence cut by the closer", b"<execute>[\xe2\x82</execute>", bad_encoding("/0", 10)),
    ("lone half in the array", "<execute>[\ud83d]</execute>", bad_encoding("/0", 10)),
    ("lone low half", "<execute>[\ude00]</execute>", bad_encoding("/0", 10)),
    (
        "lone half in a string",
        '<execute>[{"name":"a","args":{"x":"\ud83d"}}]</execute>',
        bad_encoding("/0/args/x", 35),
    ),
    (
        "lone half after an escaped one",
        '<execute>[{"name":"a","args":{"x":"\\ud83d\ude00"}}]</execute>',
        bad_encoding("/0/args/x", 41),
    ),
    ("lone half at the closer", "<execute>[\ud83d</execute>", bad_encoding("/0", 10)),
)
def test_a_replaced_character_voids_its_block(text, events, options):
    check(text, events, state="paused")


def test_a_sequence_cut_at_the_end_voids_its_block():
    """The end shows that the sequence is invalid, which is said before the missing closer."""
    check(b"<execute>[\xe2\x82", [error("bad-encoding", "/0", offset=10)], state="execute")
    check("<execute>[\ud83d", [error("bad-encoding", "/0", offset=10)], state="execute")


@cases(
    "element",
    ("a true replacement character", '{"name":"a","args":{"x":"\ufffd"}}'),
    ("an escaped one", '{"name":"a","args":{"x":"\\ufffd"}}'),
    ("a byte order mark", '{"name":"a","args":{"x":"\ufeff"}}'),
    ("a character out of the first plane", '{"name":"a","args":{"\U0001f600":"\U0001f600"}}'),
)
def test_a_rare_character_in_a_string_is_content(element):
    check_call(element)


def test_a_pair_of_halves_in_a_block_is_one_character():
    """Repair comes before the grammar."""
    content = '{"name":"a","args":{"x":"\U0001f600"}}'
    check(X + '"\ud83d\ude00"' + OUT, [call(content), execute()], state="paused")


@pytest.mark.parametrize(
    "text",
    [
        "<THINK>",
        "<Think>a</Think>",
        "< think>",
        "<think >",
        "<think\n>",
        "<end/>",
        "<end />",
        "</end>",
        "<END>",
        "<execute id='1'>[]",
        "<execute/>",
        "</execute>",
        "</results>",
        "</think>Hi",
        "<thinking>",
        "<think",
        "<",
        "<<",
        "<t",
        "<executes>",
        "<result>",
        "&lt;execute>",
        "&lt;think&gt;",
        "\uff1cthink>",
        "<th\u0131nk>",
        "<thin\u212a>",
    ],
)
def test_what_is_nearly_a_marker_is_prose(text):
    check(text, [respond(text)], state="prose")


@cases(
    "text events options",
    ("think in think", "<think><think>a</think>", [think("<think>a")]),
    ("end in think", "<think><end></think>", [think("<end>")]),
    ("block in think", "<think><execute>[]</execute></think>", [think("<execute>[]</execute>")]),
    ("results in think", "<think><results></results></think>", [think("<results></results>")]),
    ("a nearly closed think", "<think></thinks></think>", [think("</thinks>")]),
    ("a prefix before the marker", "<<think>a</think>", [respond("<"), think("a")]),
    ("half a marker before it", "<thi<think>a</think>", [respond("<thi"), think("a")]),
    ("half a closer before it", "<think></thi</think>", [think("</thi")]),
    ("mid-word", "a<think>b</think>c", [respond("a"), think("b"), respond("c")]),
    ("end in prose", "a<end>", [respond("a"), end()], {"state": "ended"}),
)
def test_markers_are_live_in_prose_and_closers_in_their_region(text, events, options):
    check(text, events, **options)


def test_inside_a_block_only_its_closer_is_a_marker():
    check("<execute>[‸<end>", [error("json-syntax", "/0")], state="execute")


# --- xml-json: blocks -------------------------------------------------------------------------


@cases(
    "text",
    ("nothing", "<execute>‸</execute>"),
    ("white space", "<execute> \n‸</execute>"),
    ("prose", "<execute>‸Sure: []</execute>"),
    ("NaN", "<execute>‸NaN</execute>"),
    ("an object", '<execute>‸{"name":"a","args":{}}</execute>'),
    ("a string", '<execute>‸"[]"</execute>'),
    ("a closing bracket", "<execute>‸]</execute>"),
    ("another opener", f"<execute>‸<execute>[{A}]</execute>"),
    ("a fence", f"<execute>‸```json\n[{A}]\n```</execute>"),
    ("a comment", "<execute>‸// all\n[]</execute>"),
    ("a no-break space", "<execute>‸\u00a0[]</execute>"),
    ("a form feed", "<execute>‸\f[]</execute>"),
)
def test_before_the_array_stands_nothing_but_white_space(text):
    check(text, [error("not-array")], state="paused")


@cases(
    "text calls",
    ("text", "<execute>[] ‸x</execute>", 0),
    ("a second array", "<execute>[]‸[]</execute>", 0),
    ("a second bracket", "<execute>[]‸]</execute>", 0),
    ("a comma", "<execute>[]‸,</execute>", 0),
    ("an object", f"<execute>[]‸{A}</execute>", 0),
    ("a semicolon after a call", f"<execute>[{A}]‸;</execute>", 1),
    ("half a closer, then the closer", "<execute>[]</exe‸</execute>", 0),
    ("a space in the closer", "<execute>[]</execute‸ ></execute>", 0),
    ("an upper-case closer", "<execute>[]</‸EXECUTE></execute>", 0),
    ("another closer", "<execute>[]</‸results></execute>", 0),
    ("an opener", "<execute>[]<‸think></execute>", 0),
    ("a no-break space", "<execute>[]‸\u00a0</execute>", 0),
)
def test_after_the_array_stands_nothing_but_white_space(text, calls):
    check(text, [call(A)] * calls + [error("trailing-text", calls=calls)], state="paused")


@cases(
    "text events options",
    ("compact", f"<execute>[{A}]</execute>", [call(A), execute()]),
    ("spread out", f"<execute> \r\n[\t{A}\n] \r\n</execute>", [call(A), execute()]),
    ("two", f"<execute>[{A} , {A}]</execute>", [call(A), call(A), execute()]),
    ("empty", "<execute>[]</execute>", [execute()]),
    ("empty, spread out", "<execute>\n[\n]\n</execute>", [execute()]),
    ("after prose", f"Hi.\n\n<execute>[{A}]</execute>", [respond("Hi."), call(A), execute()]),
    (
        "after a think",
        f"<think>t</think><execute>[{A}]</execute>",
        [think("t"), call(A), execute()],
    ),
)
def test_a_valid_block(text, events, options):
    check(text, events, state="paused")


@cases(
    "text code path",
    ("a word", "<execute>[‸Sure]", "json-syntax", "/0"),
    ("a word as a value", '<execute>[{"name":‸x', "json-syntax", "/0/name"),
    ("a word in args", X + "‸x", "json-syntax", "/0/args/x"),
    ("NaN", X + "‸NaN", "json-syntax", "/0/args/x"),
    ("Infinity", X + "‸Infinity", "json-syntax", "/0/args/x"),
    ("minus Infinity", X + "-‸Infinity", "json-syntax", "/0/args/x"),
    ("True", X + "‸True", "json-syntax", "/0/args/x"),
    ("undefined", X + "‸undefined", "json-syntax", "/0/args/x"),
    ("single quotes", "<execute>[{‸'name'", "json-syntax", "/0"),
    ("a key without quotes", "<execute>[{‸name", "json-syntax", "/0"),
    ("a comment", "<execute>[‸/* */", "json-syntax", "/0"),
    ("tru!", X + "tru‸!", "json-syntax", "/0/args/x"),
    ("fals", X + "fals‸}", "json-syntax", "/0/args/x"),
    ("nul", X + "nul‸,", "json-syntax", "/0/args/x"),
    ("nulll", X + "null‸l", "json-syntax", "/0/args/x"),
    ("truefalse", X + "true‸false", "json-syntax", "/0/args/x"),
    ("a literal white space cuts", X + "tr‸ ue", "json-syntax", "/0/args/x"),
    ("two values", X + '"a" ‸"b"', "json-syntax", "/0/args/x"),
    ("no value", X + "‸}", "json-syntax", "/0/args/x"),
    ("no colon", '<execute>[{"name"‸"a"', "json-syntax", "/0"),
    ("no key after a comma", '<execute>[{"name":"a",‸}', "json-syntax", "/0"),
    ("no key before a comma", "<execute>[{‸,", "json-syntax", "/0"),
    ("no element after a comma", "<execute>[‸,", "json-syntax", "/0"),
    ("a number as a key", "<execute>[{‸1", "json-syntax", "/0"),
    ("a closing brace in the array", "<execute>[‸}", "json-syntax", "/0"),
    ("a closing bracket in an object", '<execute>[{"name":"a"‸]', "json-syntax", "/0/name"),
    ("a closing brace in a nested array", X + "[1‸}", "json-syntax", "/0/args/x/0"),
    ("a trailing comma in a nested array", X + "[1,‸]", "json-syntax", "/0/args/x/1"),
    ("a trailing comma in args", X + "1,‸}", "json-syntax", "/0/args"),
    ("a no-break space", "<execute>[‸\u00a0", "json-syntax", "/0"),
    ("a byte order mark", "<execute>[‸\ufeff", "json-syntax", "/0"),
    ("nul", "<execute>[‸\0", "json-syntax", "/0"),
)
def test_a_character_that_cannot_continue_the_json(text, code, path):
    check_void(text, code, path)


@cases(
    "text calls path",
    ("no comma", f"<execute>[{A}‸{A}]</execute>", 1, "/0"),
    ("a word", f"<execute>[{A} ‸and]</execute>", 1, "/0"),
    ("a trailing comma", f"<execute>[{A},‸]</execute>", 1, "/1"),
    ("two commas", f"<execute>[{A},‸,{A}]</execute>", 1, "/1"),
    ("a broken second call", f"<execute>[{A},{{‸name]</execute>", 1, "/1"),
    ("the closer in the array", f"<execute>[{A}‸</execute>", 1, "/0"),
    ("the closer after a comma", f"<execute>[{A},‸</execute>", 1, "/1"),
    ("one brace too many", f"<execute>[{A}‸}}]</execute>", 1, "/0"),
)
def test_an_error_after_calls_says_how_many_it_voids(text, calls, path):
    expected = [call(A)] * calls + [error("json-syntax", path, calls=calls)]
    check(text, expected, state="paused")


@cases(
    "text code path",
    ("a number", "<execute>[‸1]", "not-object", "/0"),
    ("a negative number", "<execute>[‸-1]", "not-object", "/0"),
    ("a string", '<execute>[‸"a"]', "not-object", "/0"),
    ("true", "<execute>[‸true]", "not-object", "/0"),
    ("false", "<execute>[‸false]", "not-object", "/0"),
    ("null", "<execute>[‸null]", "not-object", "/0"),
    ("an array", "<execute>[‸[]]", "not-object", "/0"),
    ("a word that begins like a value", "<execute>[‸no", "not-object", "/0"),
    ("a number as name", '<execute>[{"name":‸1', "bad-name", "/0/name"),
    ("an object as name", '<execute>[{"name":‸{}', "bad-name", "/0/name"),
    ("an array as name", '<execute>[{"name":‸["a"]', "bad-name", "/0/name"),
    ("null as name", '<execute>[{"name":‸null', "bad-name", "/0/name"),
    ("a minus as name", '<execute>[{"name":‸-', "bad-name", "/0/name"),
    ("an array as args", '<execute>[{"name":"a","args":‸[', "bad-args", "/0/args"),
    ("a string as args", '<execute>[{"name":"a","args":‸"{}"', "bad-args", "/0/args"),
    ("null as args", '<execute>[{"name":"a","args":‸null', "bad-args", "/0/args"),
    ("a number as args", '<execute>[{"name":"a","args":‸1', "bad-args", "/0/args"),
    ("args before name", '<execute>[{"args":‸[', "bad-args", "/0/args"),
    ("a name spelled with an escape", '<execute>[{"n\\u0061me":‸1', "bad-name", "/0/name"),
    ("args spelled with an escape", '<execute>[{"\\u0061rgs":‸1', "bad-args", "/0/args"),
    ("an empty name", '<execute>[{"name":"‸"', "bad-name", "/0/name"),
    ("the reserved name", '<execute>[{"name":"execute‸"', "bad-name", "/0/name"),
    ("the reserved name, escaped", '<execute>[{"name":"e\\u0078ecute‸"', "bad-name", "/0/name"),
    ("an empty object", "<execute>[{‸}]", "missing-name", "/0"),
    ("args alone", '<execute>[{"args":{}‸}]', "missing-name", "/0"),
    ("name alone", '<execute>[{"name":"a"‸}]', "missing-args", "/0"),
    ("a misspelled name", '<execute>[{"nme":"a","args":{}‸}]', "missing-name", "/0"),
    ("a name in capitals", '<execute>[{"Name":"a","args":{}‸}]', "missing-name", "/0"),
    ("arguments instead of args", '<execute>[{"name":"a","arguments":{}‸}]', "missing-args", "/0"),
    (
        "name and args inside args",
        '<execute>[{"args":{"name":"a","args":{}}‸}]',
        "missing-name",
        "/0",
    ),
)
def test_the_shape_of_a_call(text, code, path):
    check_void(text, code, path)


@cases(
    "text events options",
    ("a string", f'<execute>[{A},‸"b"]</execute>', [call(A), error("not-object", "/1", calls=1)]),
    ("no name", f"<execute>[{A},{{‸}}]</execute>", [call(A), error("missing-name", "/1", calls=1)]),
    (
        "a bad name",
        f'<execute>[{A},{A},{{"name":‸1}}]</execute>',
        [call(A), call(A), error("bad-name", "/2/name", calls=2)],
    ),
)
def test_a_shape_error_in_one_element_voids_all(text, events, options):
    check(text, events, state="paused")


@cases(
    "element",
    ("args before name", '{"args":{},"name":"a"}'),
    ("other members", '{"id":1,"name":"a","why":["x",null],"args":{}}'),
    ("members of the same name in args", '{"name":"a","args":{"name":1,"args":[{"name":[]}]}}'),
    ("a name with spaces", '{"name":" a b ","args":{}}'),
    ("a name nearly reserved", '{"name":"Execute","args":{}}'),
    ("a longer name", '{"name":"executes","args":{}}'),
    ("a name of white space", '{"name":" ","args":{}}'),
    ("a name out of ascii", '{"name":"\u00e9t\u00e9","args":{}}'),
    ("a name in escapes", '{"name":"\\u0061","args":{}}'),
    ("members in escapes", '{"\\u006eame":"a","\\u0061rgs":{}}'),
    ("white space everywhere", '{ \n"name"\t:\r"a" , "args" : { "x" : [ ] , "y" : { } } }'),
    ("keys that differ in normal form", '{"name":"a","args":{"\u00e9":1,"e\u0301":2}}'),
    ("keys that differ in case", '{"name":"a","args":{"a":1,"A":2}}'),
    ("one key in two objects", '{"name":"a","args":{"a":{"a":1},"b":[{"a":1},{"a":2}]}}'),
    ("an empty key", '{"name":"a","args":{"":0}}'),
    ("a key that looks like two", '{"name":"a","args":{"a\\":1,\\"a":2,"a":3}}'),
    ("every literal", '{"name":"a","args":{"x":[true,false,null]}}'),
    ("brackets in strings", '{"name":"a","args":{"x":"}]{[","y":"}}]"}}'),
    ("the closer in a string", '{"name":"a","args":{"x":"</execute>"}}'),
    ("the closer in a key", '{"name":"a","args":{"</execute>":1}}'),
    ("the closer in a name", '{"name":"</execute>","args":{}}'),
    ("the end in a string", '{"name":"a","args":{"x":"<end><think></results>"}}'),
    ("an escaped quote before the closer", '{"name":"a","args":{"x":"\\"</execute>\\""}}'),
    ("an escaped backslash at the end", '{"name":"a","args":{"x":"\\\\","y":"</execute>"}}'),
    ("every short escape", '{"name":"a","args":{"x":"\\"\\\\\\/\\b\\f\\n\\r\\t"}}'),
    ("escapes in both cases", '{"name":"a","args":{"x":"\\u00e9\\u00E9\\uABCD"}}'),
    ("an escaped pair", '{"name":"a","args":{"x":"\\ud83d\\ude00\\uD83D\\uDE00"}}'),
    ("an escaped pair in a key", '{"name":"a","args":{"\\ud83d\\ude00":0}}'),
    ("the lowest and the highest pair", '{"name":"a","args":{"x":"\\ud800\\udc00\\udbff\\udfff"}}'),
    ("escapes beside the surrogates", '{"name":"a","args":{"x":"\\ud7ff\\ue000\\uffff\\u0000"}}'),
    ("a backslash before what looks like a half", '{"name":"a","args":{"x":"\\\\ud83d\\\\ude00"}}'),
    ("delete in a string", '{"name":"a","args":{"x":"\x7f\x80"}}'),
    ("line separators in a string", '{"name":"a","args":{"x":"\u2028\u2029\u0085"}}'),
)
def test_a_valid_call(element):
    check_call(element)


@cases(
    "text code path",
    ("of args", '<execute>[{"name":"a","args":{"a":1,"a‸"', "duplicate-key", "/0/args/a"),
    ("escaped", '<execute>[{"name":"a","args":{"a":1,"\\u0061‸"', "duplicate-key", "/0/args/a"),
    (
        "escaped first",
        '<execute>[{"name":"a","args":{"\\u0061":1,"a‸"',
        "duplicate-key",
        "/0/args/a",
    ),
    ("name", '<execute>[{"name":"a","name‸"', "duplicate-key", "/0/name"),
    ("name, escaped", '<execute>[{"name":"a","\\u006eame‸"', "duplicate-key", "/0/name"),
    ("args", '<execute>[{"args":{},"name":"a","args‸"', "duplicate-key", "/0/args"),
    ("another member", '<execute>[{"x":1,"x‸"', "duplicate-key", "/0/x"),
    ("the empty name", X + '{"":1,"‸"', "duplicate-key", "/0/args/x/"),
    ("deep", X + '[0,{"b":{"c":1,"c‸"', "duplicate-key", "/0/args/x/1/b/c"),
    ("not beside each other", X + '{"a":1,"b":{"a":2},"a‸"', "duplicate-key", "/0/args/x/a"),
    ("with a slash", X + '{"a/b":1,"a\\/b‸"', "duplicate-key", "/0/args/x/a~1b"),
    ("with a tilde", X + '{"~1":1,"~1‸"', "duplicate-key", "/0/args/x/~01"),
    (
        "a pair, escaped",
        X + '{"\U0001f600":1,"\\ud83d\\ude00‸"',
        "duplicate-key",
        "/0/args/x/\U0001f600",
    ),
    ("a quote, escaped twice", X + '{"\\"":1,"\\u0022‸"', "duplicate-key", '/0/args/x/"'),
    ("white space before the colon", X + '{"a" :1,"a‸" :2', "duplicate-key", "/0/args/x/a"),
)
def test_a_duplicate_member(text, code, path):
    check_void(text, code, path)


@cases(
    "text path",
    ("nothing", "<execute>‸", None),
    ("white space", "<execute> ‸", None),
    ("an open array", "<execute>[‸", "/0"),
    ("an open element", "<execute>[{‸", "/0"),
    ("a key", '<execute>[{"na‸', "/0"),
    ("before the colon", '<execute>[{"name"‸', "/0"),
    ("after the colon", '<execute>[{"name":‸', "/0/name"),
    ("a name", '<execute>[{"name":"a‸', "/0/name"),
    ("after a name", '<execute>[{"name":"a"‸', "/0/name"),
    ("after a comma", '<execute>[{"name":"a",‸', "/0"),
    ("a minus", X + "-‸", "/0/args/x"),
    ("a point", X + "1.‸", "/0/args/x"),
    ("an exponent", X + "1e‸", "/0/args/x"),
    ("a signed exponent", X + "1e-‸", "/0/args/x"),
    ("a number", X + "12‸", "/0/args/x"),
    ("a number out of range", X + "1e999‸", "/0/args/x"),
    ("a literal", X + "tr‸", "/0/args/x"),
    ("a string", X + '"rm -rf build‸', "/0/args/x"),
    ("a backslash", X + '"\\‸', "/0/args/x"),
    ("an escape", X + '"\\u00‸', "/0/args/x"),
    ("half a pair", X + '"\\ud83d‸', "/0/args/x"),
    ("a nested array", X + '["npm install","npm test"‸', "/0/args/x/1"),
    ("a nested object", X + '{"y":{"z":1‸', "/0/args/x/y/z"),
    ("after args", '<execute>[{"name":"a","args":{}‸', "/0/args"),
)
def test_a_block_cut_by_the_end(text, path):
    check(text, [error("unclosed-execute", path)], state="execute")


@cases(
    "text path",
    ("after a call", f"<execute>[{A}‸", "/0"),
    ("after a comma", f"<execute>[{A},‸", "/1"),
    ("after the array", f"<execute>[{A}]‸", None),
    ("after white space", f"<execute>[{A}]\n‸", None),
    ("in the closer", f"<execute>[{A}]</execut‸", None),
    ("at the closer's first character", f"<execute>[{A}]<‸", None),
)
def test_a_block_cut_after_a_call_voids_it(text, path):
    expected = [call(A), error("unclosed-execute", path, calls=1)]
    check(text, expected, state="execute")


# --- xml-json: numbers ------------------------------------------------------------------------


@cases(
    "element",
    *(
        (number[:20], f'{{"name":"a","args":{{"x":{number}}}}}')
        for number in (
            "9007199254740993",
            "1" + "0" * 299,
            "1e-400",
            "-0",
            "0",
            "-0.0",
            "0e0",
            "10",
            "1.50",
            "1E5",
            "1e+5",
            "1e-05",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "-1.7976931348623158e308",
            "0.0e999",
            "0" + "." + "0" * 400 + "1e600",
            "1234567890.0987654321",
        )
    ),
)
def test_a_valid_number(element):
    check_call(element)


@cases(
    "text code path",
    ("leading zero", X + "0‸1", "json-syntax", "/0/args/x"),
    ("leading zero after a minus", X + "-0‸1", "json-syntax", "/0/args/x"),
    ("plus", X + "‸+1", "json-syntax", "/0/args/x"),
    ("leading point", X + "‸.5", "json-syntax", "/0/args/x"),
    ("minus and point", X + "-‸.5", "json-syntax", "/0/args/x"),
    ("trailing point", X + "1.‸}", "json-syntax", "/0/args/x"),
    ("two points", X + "1.5‸.", "json-syntax", "/0/args/x"),
    ("point and exponent", X + "1.‸e5", "json-syntax", "/0/args/x"),
    ("hexadecimal", X + "0‸x1", "json-syntax", "/0/args/x"),
    ("underscore", X + "1‸_000", "json-syntax", "/0/args/x"),
    ("two minuses", X + "-‸-1", "json-syntax", "/0/args/x"),
    ("minus alone", X + "-‸}", "json-syntax", "/0/args/x"),
    ("empty exponent", X + "1e‸}", "json-syntax", "/0/args/x"),
    ("empty signed exponent", X + "1e+‸}", "json-syntax", "/0/args/x"),
    ("exponent with a point", X + "1e5‸.", "json-syntax", "/0/args/x"),
    ("two exponents", X + "1e5‸e", "json-syntax", "/0/args/x"),
    ("white space in it", X + "1 ‸2", "json-syntax", "/0/args/x"),
    ("white space after the minus", X + "-‸ 1", "json-syntax", "/0/args/x"),
    ("a digit out of ascii", X + "‸\u0661", "json-syntax", "/0/args/x"),
    ("a digit out of ascii inside", X + "1‸\u0661", "json-syntax", "/0/args/x"),
    ("out of range, then a wrong character", X + "1e999‸<", "json-syntax", "/0/args/x"),
    ("out of range, then a wrong bracket", X + "1e999‸]", "json-syntax", "/0/args/x"),
    ("out of range at a comma", X + "1e999‸,", "number-range", "/0/args/x"),
    ("out of range at a brace", X + "1e999‸}", "number-range", "/0/args/x"),
    ("out of range at a bracket", X + "[1e999‸]", "number-range", "/0/args/x/0"),
    ("out of range at white space", X + "1e999‸ ", "number-range", "/0/args/x"),
    ("out of range, negative", X + "-1e999‸,", "number-range", "/0/args/x"),
    ("an integer out of range", X + "9" * 309 + "‸,", "number-range", "/0/args/x"),
    ("an integer out of range at a brace", X + "9" * 309 + "‸}", "number-range", "/0/args/x"),
    ("just out of range", X + "1.7976931348623159e308‸,", "number-range", "/0/args/x"),
    ("out of range in another member", '<execute>[{"name":"a","x":1e999‸}', "number-range", "/0/x"),
)
def test_an_invalid_number(text, code, path):
    check_void(text, code, path)


# --- xml-json: strings ------------------------------------------------------------------------


@cases(
    "text code path",
    ("low half", X + '"\\udc0‸0', "lone-surrogate", "/0/args/x"),
    ("high half at the quote", X + '"\\ud83d‸"', "lone-surrogate", "/0/args/x"),
    ("high half and another escape", X + '"\\ud83d\\u004‸1', "lone-surrogate", "/0/args/x"),
    ("two high halves", X + '"\\ud83d\\ud83‸d\\ude00', "lone-surrogate", "/0/args/x"),
    ("high half and text", X + '"\\ud83d‸x', "lone-surrogate", "/0/args/x"),
    ("high half and a short escape", X + '"\\ud83d\\‸n', "lone-surrogate", "/0/args/x"),
    ("high half and an escaped quote", X + '"\\ud83d\\‸"', "lone-surrogate", "/0/args/x"),
    ("high half and the closer", X + '"\\ud83d‸</execut', "lone-surrogate", "/0/args/x"),
    ("low half after a pair", X + '"\\ud83d\\ude00\\ude0‸0', "lone-surrogate", "/0/args/x"),
    ("low half after a backslash", X + '"\\\\ud83d\\ude0‸0', "lone-surrogate", "/0/args/x"),
    ("upper case", X + '"\\uDC0‸0', "lone-surrogate", "/0/args/x"),
    ("in a key", X + '{"\\udc0‸0', "lone-surrogate", "/0/args/x"),
    ("at the quote of a key", X + '{"\\ud83d‸"', "lone-surrogate", "/0/args/x"),
    ("in a key of the element", '<execute>[{"\\udc0‸0', "lone-surrogate", "/0"),
    ("in a name", '<execute>[{"name":"\\udc0‸0', "lone-surrogate", "/0/name"),
    ("low half, cut", X + '"\\udc‸<', "json-syntax", "/0/args/x"),
    ("high half and a bad escape", X + '"\\ud83d\\‸x', "json-syntax", "/0/args/x"),
    ("high half and a bad digit", X + '"\\ud83d\\u00‸g', "json-syntax", "/0/args/x"),
    ("high half and a control character", X + '"\\ud83d‸\n', "json-syntax", "/0/args/x"),
)
def test_a_lone_surrogate_escape(text, code, path):
    check_void(text, code, path)


@cases(
    "text code path",
    ("newline", X + '"a‸\n', "json-syntax", "/0/args/x"),
    ("carriage return", X + '"a‸\r\n', "json-syntax", "/0/args/x"),
    ("tab", X + '"‸\t', "json-syntax", "/0/args/x"),
    ("nul", X + '"‸\0', "json-syntax", "/0/args/x"),
    ("unit separator", X + '"‸\x1f', "json-syntax", "/0/args/x"),
    ("newline in a key", X + '{"‸\n', "json-syntax", "/0/args/x"),
    ("newline in a name", '<execute>[{"name":"a‸\n', "json-syntax", "/0/name"),
    ("escaped newline", X + '"\\‸\n', "json-syntax", "/0/args/x"),
    ("unknown escape", X + '"\\‸H', "json-syntax", "/0/args/x"),
    ("escaped single quote", X + "\"\\‸'", "json-syntax", "/0/args/x"),
    ("hexadecimal escape", X + '"\\‸x41', "json-syntax", "/0/args/x"),
    ("upper-case escape", X + '"\\‸U0041', "json-syntax", "/0/args/x"),
    ("short unicode escape", X + '"\\u00‸"', "json-syntax", "/0/args/x"),
    ("braced unicode escape", X + '"\\u‸{41}', "json-syntax", "/0/args/x"),
    ("a digit out of ascii", X + '"\\u004‸\uff11', "json-syntax", "/0/args/x"),
    ("a sign in an escape", X + '"\\u‸+041', "json-syntax", "/0/args/x"),
    ("an underscore in an escape", X + '"\\u0‸_41', "json-syntax", "/0/args/x"),
)
def test_what_a_string_cannot_hold(text, code, path):
    check_void(text, code, path)


# --- xml-json: after the error ----------------------------------------------------------------


@cases(
    "text options",
    ("cut", "<execute>[{‸bad", {"state": "execute"}),
    ("half a closer", "<execute>[{‸bad}]</execute", {"state": "execute"}),
    ("its closer", "<execute>[{‸bad}]</execute>", {"state": "paused"}),
    ("more text", "<execute>[{‸bad]</execute>more text", {"state": "paused", "discarded": 9}),
    ("a second error", "<execute>[{‸bad, worse}, 1, \\x</execute>", {"state": "paused"}),
    ("half a closer and the closer", "<execute>[{‸b</exec</execute>", {"state": "paused"}),
    ("a replaced character", "<execute>[{‸b\ud83d</execute>", {"state": "paused"}),
    ("another opener", "<execute>[{‸b<execute>[]</execute>x", {"state": "paused", "discarded": 1}),
    (
        "the offending character begins it",
        "<execute>[{‸</execute>x",
        {"state": "paused", "discarded": 1},
    ),
)
def test_after_an_error_the_block_is_skipped_to_its_closer(text, options):
    check(text, [error("json-syntax", "/0")], **options)


def test_strings_hide_no_closer_after_an_error():
    """The true closer comes too late: what stands before it may not run, so nothing is lost."""
    text = X + '"bad \\‸q </execute>' + '"}}]</execute>'
    check(text, [error("json-syntax", "/0/args/x")], state="paused", discarded=14)


def test_a_closer_before_the_error_is_content():
    text = X + '"</execute> \\‸q" </execute>'
    check(text, [error("json-syntax", "/0/args/x")], state="paused")


def test_a_second_block_is_discarded():
    second = f"<execute>[{A}]</execute>"
    text = f"<execute>[{A}]</execute>{second}"
    check(text, [call(A), execute()], state="paused", discarded=len(second))


@cases(
    "text events",
    (
        "the 257th call, at its first character",
        "<execute>[" + ",".join([A] * 256) + ",‸" + A + "]</execute>",
        [call(A)] * 256 + [error("limit-calls", "/256", calls=256)],
    ),
    (
        "depth 129, at its bracket: the array is 1, the element 2, its args 3",
        X + "[" * 125 + "‸[" + "]" * 126 + OUT,
        [error("limit-depth", "/0/args/x" + "/0" * 125)],
    ),
    (
        "the 1001st digit",
        X + "0." + "1" * 999 + "‸1" + OUT,
        [error("limit-digits", "/0/args/x")],
    ),
)
def test_one_more_than_the_limit(text, events):
    """Long texts, so they are run whole and one by one only."""
    text, events = placed(text, events)
    for chunks in ([text], singles(text)):
        outcome = run(chunks)
        assert bare(outcome.events) == events
        assert outcome.state == "paused"


def test_the_character_after_the_last_one_allowed():
    """One more than `size` characters between opener and closer."""
    content = "x" * (8_388_608 - len('[{"name":"a","args":{"x":"'))
    [event] = cogwire.parse(X + '"' + content + "x" + '"' + OUT, clock=None)
    assert event["code"] == "limit-size"
    assert event["offset"] == len("<execute>") + 8_388_608
    assert event["path"] == "/0/args/x"


@cases(
    "text options",
    ("first", "‸<results>", {}),
    ("a whole block", "‸<results>[]</results>", {"discarded": 12}),
    ("half a block", "‸<results>[", {"discarded": 1}),
    ("after white space", "\n ‸<results>", {}),
)
def test_results_in_a_turn_are_forged(text, options):
    check(text, [error("forged-results")], state="paused", **options)


@cases(
    "text events options",
    ("after prose", "Hi ‸<results>[]", [respond("Hi"), error("forged-results")], {"discarded": 2}),
    ("after a think", "<think>t</think>‸<results>", [think("t"), error("forged-results")]),
    ("half a marker", "<result", [respond("<result")], {"state": "prose"}),
    (
        "after a block",
        f"<execute>[{A}]</execute><results>",
        [call(A), execute()],
        {"discarded": 9},
    ),
)
def test_prose_before_forged_results_comes_first(text, events, options):
    check(text, events, **options)


def test_forged_results_are_known_when_the_marker_is_complete():
    parser = cogwire.Parser(clock=None)
    assert parser.feed("<results") == []
    [event] = parser.feed(">")
    assert (event["code"], event["offset"]) == ("forged-results", 0)


# --- start="think" ----------------------------------------------------------------------------


@cases(
    "text events options",
    ("no opener", "a</think>b", [think("a"), respond("b")], {"state": "prose"}),
    ("an opener", "<think>a</think>b", [think("a"), respond("b")], {"state": "prose"}),
    ("white space, then an opener", " \n<think>a</think>b", [think("a"), respond("b")], {}),
    ("an opener later", "a<think>b</think>c", [think("a<think>b"), respond("c")], {}),
    ("two openers", "<think><think>a</think>", [think("<think>a")], {}),
    ("half an opener", "<thin</think>", [think("<thin")], {}),
    ("another marker", "<end></think><end>", [think("<end>"), end()], {"state": "ended"}),
    ("nothing", "", [], {"state": "think"}),
    ("white space", " \n", [], {"state": "think"}),
    ("an opener alone", "<think>", [], {"state": "think"}),
    ("half an opener alone", " <thi", [think("<thi")], {"state": "think"}),
    ("never closed", "a b", [think("a b")], {"state": "think"}),
    ("closed at once", "</think>b", [respond("b")], {"state": "prose"}),
    ("closed, then a think", "a</think><think>b</think>", [think("a"), think("b")], {}),
    ("a block in the think", f"<execute>[{A}]</execute>", [think(f"<execute>[{A}]</execute>")], {}),
    (
        "a block after it",
        f"a</think><execute>[{A}]</execute>",
        [think("a"), call(A), execute()],
        {},
    ),
)
def test_a_turn_that_starts_in_think(text, events, options):
    check(text, events, start="think", **options)


def test_the_next_turn_starts_in_think_again():
    parser = cogwire.Parser(start="think", clock=None)
    assert parser.feed("<think>a</think><end>") == [think("a"), end()]
    parser.next_turn()
    assert parser.state == "think"
    assert parser.feed("b</think>c") == [think("b")]
    assert parser.close() == [respond("c")]


# --- Segments ---------------------------------------------------------------------------------


@cases(
    "text events options",
    ("two responds", "a<think> </think>b", [respond("a"), respond("b")]),
    ("an empty think", "<think></think>", []),
    ("white space between", "<think>a</think>\n\n<think>b</think>", [think("a"), think("b")]),
    (
        "think, prose, think",
        "<think>a</think> b <think>c</think>",
        [think("a"), respond("b"), think("c")],
    ),
    ("a think never closed", "a<think>b ", [respond("a"), think("b")], {"state": "think"}),
    ("an empty think never closed", "a<think>", [respond("a")], {"state": "think"}),
    ("half a closer at the end", "<think>a</thi", [think("a</thi")], {"state": "think"}),
    ("half an opener at the end", "a <thin", [respond("a <thin")], {"state": "prose"}),
    ("white space and half an opener", " <thin", [respond("<thin")], {"state": "prose"}),
    ("white space before half an opener", "a  <thinner", [respond("a  <thinner")]),
    ("after the end", "<end>a", [end()], {"state": "ended", "discarded": 1}),
    ("no end", "Done.", [respond("Done.")], {"state": "prose"}),
)
def test_segments(text, events, options):
    check(text, events, **options)


# --- Which rule is broken first ---------------------------------------------------------------


@cases(
    "text code path limits",
    ("an encoding before the grammar", "<execute>‸\ud83d", "bad-encoding", None),
    ("an encoding before the size", "<execute>[‸\ud83d", "bad-encoding", "/0", {"size": 1}),
    ("the grammar before the size", "<execute>[‸x", "json-syntax", "/0", {"size": 1}),
    ("a surrogate before a name", '<execute>[{"name":"\\ud83d‸"', "lone-surrogate", "/0/name"),
    ("a number before a missing name", '<execute>[{"x":1e999‸}', "number-range", "/0/x"),
    ("a name's type before the depth", '<execute>[{"name":‸[', "bad-name", "/0/name", {"depth": 2}),
    (
        "the type of args before the depth",
        '<execute>[{"args":‸[',
        "bad-args",
        "/0/args",
        {"depth": 2},
    ),
    ("a missing name before the size", "<execute>[{‸}", "missing-name", "/0", {"size": 2}),
    ("an array is no call at any depth", "<execute>[‸[", "not-object", "/0", {"depth": 1}),
    ("the depth before the size", "<execute>[‸{", "limit-depth", "/0", {"depth": 1, "size": 1}),
    (
        "the digits before the size",
        X + "1‸2",
        "limit-digits",
        "/0/args/x",
        {"digits": 1, "size": 26},
    ),
    ("a wrong character in the closer", "<execute>[]</‸x", "trailing-text", None, {"size": 2}),
)
def test_one_character_breaks_two_rules(text, code, path, limits):
    check(text, [error(code, path)], state="execute", limits=cogwire.Limits(**limits))


@cases(
    "text code limits",
    (
        "an element's type before the number of calls",
        f"<execute>[{A},‸[",
        "not-object",
        {"calls": 1},
    ),
    (
        "the number of calls before the size",
        f"<execute>[{A},‸{{",
        "limit-calls",
        {"calls": 1, "size": 24},
    ),
)
def test_one_character_of_the_second_element_breaks_two_rules(text, code, limits):
    expected = [call(A), error(code, "/1", calls=1)]
    check(text, expected, state="execute", limits=cogwire.Limits(**limits))


# --- Transcripts ------------------------------------------------------------------------------

BLOCK = f"<execute>[{A}]</execute>"
ITEM = '{"tool":"a","status":"success","content":1}'
FAILED = '{"tool":"a","status":"failure","content":"no"}'
VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'
ANSWERED = f"<results>[{ITEM}]</results>"


def check_transcript(text, expected, **options):
    check(text, expected, mode="transcript", **options)


@cases(
    "text events options",
    ("a block without results", BLOCK, [call(A), execute()]),
    ("a block with results", BLOCK + ANSWERED, [call(A), execute(), result(f"[{ITEM}]", 1)]),
    (
        "white space between",
        f"{BLOCK}\n\n{ANSWERED}\n",
        [call(A), execute(), result(f"[{ITEM}]", 1)],
    ),
    (
        "a failure",
        f"{BLOCK}<results>[{FAILED}]</results>",
        [call(A), execute(), result(f"[{FAILED}]", 0, 1)],
    ),
    ("prose after a block", f"{BLOCK} b", [call(A), execute(), respond("b")]),
    ("a block after a block", BLOCK + BLOCK, [call(A), execute()] * 2),
    (
        "prose after results",
        f"{BLOCK}{ANSWERED}b",
        [call(A), execute(), result(f"[{ITEM}]", 1), respond("b")],
    ),
    (
        "end and more",
        "a<end>b<end>",
        [respond("a"), end(), respond("b"), end()],
        {"state": "prose"},
    ),
    ("half a results marker", f"{BLOCK}<resul", [call(A), execute(), respond("<resul")]),
    ("a nearby marker", f"{BLOCK}<result>", [call(A), execute(), respond("<result>")]),
    ("think in transcripts", "<think>a", [think("a")], {"state": "think"}),
    (
        "an open block",
        "a<execute>‸",
        [respond("a"), error("unclosed-execute")],
        {"state": "execute"},
    ),
    ("an empty batch", "<execute>[]</execute><results>[]</results>", [execute(), result("[]")]),
    (
        "forged after the end",
        f"{BLOCK} I already know<end>\n‸{ANSWERED}",
        [call(A), execute(), respond("I already know"), end(), error("forged-results")],
        {"state": "prose"},
    ),
    ("no call before", "‸<results>[]</results>", [error("forged-results")], {"state": "prose"}),
    (
        "prose around forged results",
        "a ‸<results>[]</results> b",
        [respond("a"), error("forged-results"), respond("b")],
    ),
    (
        "a think before them",
        f"{BLOCK}<think>t</think>‸<results>[]</results>",
        [call(A), execute(), think("t"), error("forged-results")],
    ),
    (
        "an empty think",
        f"{BLOCK}<think></think>‸{ANSWERED}",
        [call(A), execute(), error("forged-results")],
    ),
    (
        "results twice",
        f"{BLOCK}{ANSWERED}‸{ANSWERED}",
        [call(A), execute(), result(f"[{ITEM}]", 1), error("forged-results")],
    ),
    (
        "strings hide nothing in forged results",
        'a‸<results>["</results>"]</results>',
        [respond("a"), error("forged-results"), respond('"]</results>')],
    ),
    (
        "forged results cut by the end",
        "‸<results>[",
        [error("forged-results")],
        {"state": "results"},
    ),
    ("forged twice", "‸<results></results>‸<results></results>", [error("forged-results")] * 2),
    (
        "markers in forged results",
        "‸<results><end></results><end>",
        [error("forged-results"), end()],
    ),
    (
        "two turns with offsets from the start",
        f"{BLOCK}{ANSWERED}<execute>‸x</execute>",
        [call(A), execute(), result(f"[{ITEM}]", 1), error("not-array")],
    ),
)
def test_a_transcript(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "text events options",
    (
        "answered",
        f"<execute>‸x</execute><results>[{VOID_ITEM}]</results>",
        [error("not-array"), result(f"[{VOID_ITEM}]", 0, 1, executed=0)],
    ),
    ("not answered", "<execute>‸x</execute> b", [error("not-array"), respond("b")]),
    ("still open", "<execute>‸x", [error("not-array")], {"state": "execute"}),
    (
        "its calls do not count",
        f"<execute>[{A}‸x]</execute>\n<results>[{VOID_ITEM}]</results>",
        [call(A), error("json-syntax", "/0", calls=1), result(f"[{VOID_ITEM}]", 0, 1, executed=0)],
    ),
    (
        "answered for its call",
        f'<execute>[{A}‸x]</execute><results>[{{"tool":"a‸"',
        [call(A), error("json-syntax", "/0", calls=1), error("results-order", "/0/tool")],
    ),
    (
        "answered by a success",
        '<execute>‸x</execute><results>[{"tool":"execute","status":"success","content":"no"‸}]',
        [error("not-array"), error("results-shape", "/0")],
    ),
    (
        "answered twice",
        f"<execute>‸x</execute><results>[{VOID_ITEM},‸{VOID_ITEM}]",
        [error("not-array"), error("results-count", "/1")],
    ),
    (
        "answered by nothing",
        "<execute>‸x</execute><results>[‸]",
        [error("not-array"), error("results-count", "/0")],
    ),
)
def test_a_void_block_in_a_transcript(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "text events options",
    (
        "every turn starts so",
        f"a</think>{BLOCK}b</think><end>c",
        [think("a"), call(A), execute(), think("b"), end(), think("c")],
        {"state": "think"},
    ),
    (
        "results come first",
        f"a</think>{BLOCK}\n{ANSWERED}\nb</think>c",
        [think("a"), call(A), execute(), result(f"[{ITEM}]", 1), think("b"), respond("c")],
        {"state": "prose"},
    ),
    ("an opener after a block", f"</think>{BLOCK} <think>b", [call(A), execute(), think("b")], {}),
    ("waiting for results", f"</think>{BLOCK}\n", [call(A), execute()], {"state": "think"}),
    (
        "half a results marker",
        f"</think>{BLOCK} <res</think>",
        [call(A), execute(), think("<res")],
        {},
    ),
    (
        "half a think marker",
        f"</think>{BLOCK} <thi</think>",
        [call(A), execute(), think("<thi")],
        {},
    ),
    ("results in the think", f"</think><end>{ANSWERED}</think>", [end(), think(ANSWERED)], {}),
    (
        "an opener after results",
        f"</think>{BLOCK}{ANSWERED} <think>b",
        [call(A), execute(), result(f"[{ITEM}]", 1), think("b")],
        {"state": "think"},
    ),
    ("an opener after the end", "</think><end><think>b", [end(), think("b")], {"state": "think"}),
    (
        "after a void block",
        "</think><execute>‸x</execute> <think>b",
        [error("not-array"), think("b")],
        {},
    ),
)
def test_a_transcript_that_starts_in_think(text, events, options):
    check_transcript(text, events, start="think", **options)


@cases(
    "text code path",
    ("empty", "‸</results>", "results-shape", None),
    ("prose", "‸ok", "results-shape", None),
    ("an object", "‸{", "results-shape", None),
    (
        "a placeholder",
        '[{"tool":"a","status":"success","content":‸data}]',
        "results-shape",
        "/0/content",
    ),
    ("a number as item", "[‸1]", "results-shape", "/0"),
    ("an array as item", "[‸[]]", "results-shape", "/0"),
    ("an empty item", "[{‸}]", "results-shape", "/0"),
    ("no content", '[{"tool":"a","status":"success"‸}]', "results-shape", "/0"),
    ("no status", '[{"tool":"a","content":1‸}]', "results-shape", "/0"),
    ("no tool", '[{"status":"success","content":1‸}]', "results-shape", "/0"),
    ("a number as tool", '[{"tool":‸1', "results-shape", "/0/tool"),
    ("null as tool", '[{"tool":‸null', "results-shape", "/0/tool"),
    ("true as status", '[{"status":‸true', "results-shape", "/0/status"),
    ("an object as status", '[{"status":‸{', "results-shape", "/0/status"),
    ("an unknown status", '[{"status":"ok‸"', "results-shape", "/0/status"),
    ("a status in capitals", '[{"status":"Success‸"', "results-shape", "/0/status"),
    ("an empty status", '[{"status":"‸"', "results-shape", "/0/status"),
    ("an empty tool", '[{"tool":"‸"', "results-order", "/0/tool"),
    (
        "a failure with a number",
        '[{"tool":"a","status":"failure","content":1‸}]',
        "results-shape",
        "/0",
    ),
    (
        "the content of a failure first",
        '[{"content":{},"status":"failure","tool":"a"‸}]',
        "results-shape",
        "/0",
    ),
    ("another tool", '[{"tool":"b‸","status":"success","content":1}]', "results-order", "/0/tool"),
    ("another case", '[{"tool":"A‸"', "results-order", "/0/tool"),
    ("fewer", "[‸]", "results-count", "/0"),
    ("more", f"[{ITEM},‸{ITEM}]", "results-count", "/1"),
    ("more, but no object", f"[{ITEM},‸1]", "results-shape", "/1"),
    ("a trailing comma", f"[{ITEM},‸]", "results-shape", "/1"),
    ("a trailing word", f"[{ITEM}]‸x", "results-shape", None),
    ("a wrong closer", f"[{ITEM}]</‸execute>", "results-shape", None),
    ("a duplicate member", '[{"tool":"a","tool‸"', "results-shape", "/0/tool"),
    ("a number out of range", '[{"content":1e999‸,', "results-shape", "/0/content"),
    ("a lone surrogate", '[{"content":"\\udc0‸0', "results-shape", "/0/content"),
    ("a replaced character", '[{"content":"‸\ud83d', "results-shape", "/0/content"),
    ("a raw newline", '[{"content":"‸\n', "results-shape", "/0/content"),
    ("cut at once", "‸", "results-shape", None),
    ("cut in a string", '[{"content":"‸', "results-shape", "/0/content"),
    ("cut after the array", f"[{ITEM}]‸", "results-shape", None),
    ("cut in the closer", f"[{ITEM}]</resul‸", "results-shape", None),
)
def test_results_that_break_a_rule(text, code, path):
    """The first error is the only one, and the results are skipped to their closer."""
    expected = [call(A), execute(), error(code, path)]
    is_closed = "</results>" in text
    state = "prose" if is_closed else "results"
    check_transcript(BLOCK + "<results>" + text, expected, state=state)


@cases(
    "text events",
    ("and prose goes on", "[‸1]</results> b", [respond("b")]),
    ("at the first closer", '[‸1,"</results>"]', [respond('"]')]),
    ("at the offending character", f"[{ITEM}‸</results>b", [respond("b")]),
    (
        "and a second block is forged",
        "[‸1]</results>‸<results>[]</results>",
        [error("forged-results")],
    ),
)
def test_bad_results_are_skipped(text, events):
    expected = [call(A), execute(), error("results-shape", "/0"), *events]
    check_transcript(BLOCK + "<results>" + text, expected, state="prose")


@cases(
    "text limits path",
    ("size", "[" + " " * 29 + "‸ ", {"size": 30}, "/0"),
    ("depth", '[{"content":[‸[', {"depth": 3}, "/0/content/0"),
    ("digits", '[{"content":1‸2', {"digits": 1}, "/0/content"),
)
def test_results_that_cross_a_limit(text, limits, path):
    expected = [call(A), execute(), error("results-shape", path)]
    text = BLOCK + "<results>" + text
    check_transcript(text, expected, state="results", limits=cogwire.Limits(**limits))


@cases(
    "content succeeded failed",
    ("one", f"[{ITEM}]", 1, 0),
    ("spread out", f"[\n  {ITEM}\n]", 1, 0),
    ("other members", '[{"id":7,"tool":"a","status":"success","content":1,"took":0.5}]', 1, 0),
    ("members in another order", '[{"content":[],"status":"success","tool":"a"}]', 1, 0),
    ("a failure in another order", '[{"content":"no","status":"failure","tool":"a"}]', 0, 1),
    (
        "the closer in a string",
        '[{"tool":"a","status":"success","content":"x </results> y"}]',
        1,
        0,
    ),
    (
        "any content",
        '[{"tool":"a","status":"success","content":{"x":[null,true,-1.5e3,""]}}]',
        1,
        0,
    ),
    ("null", '[{"tool":"a","status":"success","content":null}]', 1, 0),
    ("a tool in escapes", '[{"tool":"\\u0061","status":"\\u0073uccess","content":""}]', 1, 0),
    ("a failure", '[{"tool":"a","status":"failure","content":""}]', 0, 1),
    ("members in escapes", '[{"\\u0074ool":"a","st\\u0061tus":"success","c\\u006fntent":0}]', 1, 0),
)
def test_valid_results(content, succeeded, failed):
    """The content is the text between the markers, trimmed, verbatim."""
    expected = [call(A), execute(), result(content, succeeded, failed)]
    for text in (content, f"\n{content}\n", f" \t\r\n{content} "):
        check_transcript(f"{BLOCK}<results>{text}</results>", expected, state="prose")
