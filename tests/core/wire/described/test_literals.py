"""Calls in the notation of Python, in a list or on lines, and in that of Gemma."""

import ast
import json
import warnings

import pytest

from tests import cogwire
from tests.core.helpers import CARET, bare, call, error, execute, respond, run, think
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    check_turn,
    description,
    each_turn,
    path_refused,
    refusal,
)
from tests.core.wire.trained.formats import delta, turn
from tests.rows import rows

#: LFM2 and LFM2.5.
LFM = description("lfm2")
OPEN, CLOSE = LFM["call"]


def lfm(payload, events, *, state="execute", **options):
    """Return a turn that is one list of calls, which breaks a rule or is cut."""
    return turn(f"{OPEN}{payload}", events, state=state, **options)


LFM_TURNS = {
    "a render": turn(
        f'c{OPEN}[get_weather(city=\'Paris, "é"\', n=5, o={{"k": [1, null, true]}}, b=True), '
        f"get_weather()]{CLOSE}<|im_end|>",
        [
            respond("c"),
            call(
                '{"name": "get_weather", "args": {"city": "Paris, \\"é\\"", "n": 5, '
                '"o": {"k": [1, null, true]}, "b": true}}'
            ),
            call('{"name": "get_weather", "args": {}}'),
            execute(),
        ],
    ),
    "white space everywhere": turn(
        f"{OPEN} [\na\t( x\r=  1 ) , b ( ) \n] {CLOSE}", [CALL_A, CALL_B, execute()]
    ),
    "commas at the ends": turn(
        f"{OPEN}[a(x=[1, {{'k': 2,}},],),]{CLOSE}",
        [call('{"name": "a", "args": {"x": [1, {"k": 2}]}}'), execute()],
    ),
    "no call": turn(f"{OPEN}[]{CLOSE}c", [respond("c")], state="prose"),
    "two lists": turn(f"{OPEN}[a(x=1)]{CLOSE}{OPEN}[b()]{CLOSE}", [CALL_A, CALL_B, execute()]),
    "names with signs": turn(
        f"{OPEN}[Calendar.create-event(é/$1=1)]{CLOSE}",
        [call('{"name": "Calendar.create-event", "args": {"é/$1": 1}}'), execute()],
    ),
    "words of both notations": turn(
        f"{OPEN}[a(x=[True, False, None, true, false, null])]{CLOSE}",
        [call('{"name": "a", "args": {"x": [true, false, null, true, false, null]}}'), execute()],
    ),
    "numbers as they are spelled": turn(
        f"{OPEN}[a(x=[-0, 1.50, 2E+3, 10])]{CLOSE}",
        [call('{"name": "a", "args": {"x": [-0, 1.50, 2E+3, 10]}}'), execute()],
    ),
    "closers in strings": turn(
        f"{OPEN}[a(x=\"{CLOSE})]\", y='<|im_end|>')]{CLOSE}",
        [call(f'{{"name": "a", "args": {{"x": "{CLOSE})]", "y": "<|im_end|>"}}}}'), execute()],
    ),
    "three quotes": turn(
        f'{OPEN}[a(x=\'\'\'it\'s \'\'\n\'\'\', y=""""b""\\"""")]{CLOSE}',
        [call('{"name": "a", "args": {"x": "it\'s \'\'\\n", "y": "\\"b\\"\\"\\""}}'), execute()],
    ),
    "empty strings": turn(
        f"{OPEN}[a(x='', y=\"\", z='''''', k={{'': ''}})]{CLOSE}",
        [call('{"name": "a", "args": {"x": "", "y": "", "z": "", "k": {"": ""}}}'), execute()],
    ),
    "a line feed in one quote": turn(
        f"{OPEN}[a(x='b\nc')]{CLOSE}", [call('{"name": "a", "args": {"x": "b\\nc"}}'), execute()]
    ),
    "a key in three quotes": turn(
        f"{OPEN}[a(x={{'''k''': 1}})]{CLOSE}",
        [call('{"name": "a", "args": {"x": {"k": 1}}}'), execute()],
    ),
    "a closer that is cut": turn(f"{OPEN}[b()]<|tool", [CALL_B, execute()]),
    "no list": lfm(f"{CARET}b()", [error("not-array")]),
    "a list in a list": lfm(f"[{CARET}[b()]]", [error("bad-name", "/0")]),
    "a call that is no call": lfm(f"[{CARET}(b)()]", [error("bad-name", "/0")]),
    "the reserved name": lfm(f"[execute{CARET} ()]", [error("bad-name", "/0")]),
    "a name without arguments": lfm(
        f"[b(), a{CARET}]", [CALL_B, error("missing-args", "/1", calls=1)]
    ),
    "two names": lfm(f"[a {CARET}b()]", [error("missing-args", "/0")]),
    "no comma between calls": lfm(
        f"[b() {CARET}a()]", [CALL_B, error("json-syntax", "/0", calls=1)]
    ),
    "two commas": lfm(f"[b(),{CARET},]", [CALL_B, error("bad-name", "/1", calls=1)]),
    "an argument without a key": lfm(f"[a({CARET}'x')]", [error("json-syntax", "/0/args")]),
    "a number without a key": lfm(f"[a(1{CARET})]", [error("json-syntax", "/0/args")]),
    "an unpacked dictionary": lfm(f"[a(**{CARET}{{}})]", [error("json-syntax", "/0/args")]),
    "a repeated key": lfm(f"[a(x=1, x{CARET}=2)]", [error("duplicate-arg", "/0/args/x")]),
    "a repeated key and white space": lfm(
        f"[a(x=1, x{CARET} =2)]", [error("duplicate-arg", "/0/args/x")]
    ),
    "a repeated key of a dictionary": lfm(
        f"[a(x={{'k': 1, \"k{CARET}\": 2}})]", [error("duplicate-key", "/0/args/x/k")]
    ),
    "a repeated empty key": lfm(
        f"[a(x={{'': 1, ''{CARET}: 2}})]", [error("duplicate-key", "/0/args/x/")]
    ),
    "what cannot follow an empty key": lfm(
        f"[a(x={{''{CARET}1: 2}})]", [error("json-syntax", "/0/args/x")]
    ),
    "no colon": lfm(f"[a(x={{'k' {CARET}1}})]", [error("json-syntax", "/0/args/x")]),
    "two signs between a key and a value": lfm(
        f"[a(x={CARET}=1)]", [error("json-syntax", "/0/args/x")]
    ),
    "a key of a dictionary without quotes": lfm(
        f"[a(x={{{CARET}k: 1}})]", [error("json-syntax", "/0/args/x")]
    ),
    "an expression": lfm(f"[a(x=1{CARET}+1)]", [error("json-syntax", "/0/args/x")]),
    "two strings": lfm(f"[a(x='b' {CARET}'c')]", [error("json-syntax", "/0/args/x")]),
    "a method of a string": lfm(f"[a(x='b'{CARET}.strip())]", [error("json-syntax", "/0/args/x")]),
    "a name as a value": lfm(f"[a(x={CARET}y)]", [error("json-syntax", "/0/args/x")]),
    "a string with a letter before it": lfm(
        f"[a(x={CARET}f'b')]".replace("f'", "r'"), [error("json-syntax", "/0/args/x")]
    ),
    "a string with the first letter of a word": lfm(
        f"[a(x=f{CARET}'b')]", [error("json-syntax", "/0/args/x")]
    ),
    "a tuple": lfm(f"[a(x={CARET}(1, 2))]", [error("json-syntax", "/0/args/x")]),
    "a comprehension": lfm(f"[a(x=[1 {CARET}for y in z])]", [error("json-syntax", "/0/args/x/0")]),
    "a set": lfm(f"[a(x={{'b'{CARET}}})]", [error("json-syntax", "/0/args/x")]),
    "an integer with a line": lfm(f"[a(x=1{CARET}_000)]", [error("json-syntax", "/0/args/x")]),
    "a hexadecimal number": lfm(f"[a(x=0{CARET}x1F)]", [error("json-syntax", "/0/args/x")]),
    "a fraction without digits": lfm(f"[a(x=1.{CARET})]", [error("json-syntax", "/0/args/x")]),
    "a word that goes on": lfm(f"[a(x=None{CARET}1)]", [error("json-syntax", "/0/args/x")]),
    "only a comma": lfm(f"[a(x=[{CARET},])]", [error("json-syntax", "/0/args/x/0")]),
    "a comment": lfm(f"[a(x=1, {CARET}# y\n)]", [error("json-syntax", "/0/args")]),
    "a number beyond doubles": lfm(f"[a(x=1e999{CARET})]", [error("number-range", "/0/args/x")]),
    "a digit after it": lfm(f"[a(x=1e999{CARET}x)]", [error("json-syntax", "/0/args/x")]),
    "text after the list": turn(
        f"{OPEN}[b()] {CARET}c{CLOSE}d", [CALL_B, error("trailing-text", calls=1), respond("d")]
    ),
    "an error, and the next call": turn(
        f"{OPEN}[b(), a(x={CARET}y)]{CLOSE}{OPEN}[a(x=1)]{CLOSE}",
        [CALL_B, error("json-syntax", "/1/args/x", calls=1), CALL_A],
    ),
    "a list that is cut": lfm(f"[b(){CARET}", [CALL_B, error("unclosed-call", "/0", calls=1)]),
    "cut after a comma": lfm(f"[b(),{CARET}", [CALL_B, error("unclosed-call", "/1", calls=1)]),
    "cut in a string": lfm(f"[a(x=['b{CARET}", [error("unclosed-call", "/0/args/x/0")]),
    "cut after a key": lfm(f"[a(x{CARET}", [error("unclosed-call", "/0/args")]),
    "a character that is lost": lfm(
        f"[a(x='{CARET}\ud800')]", [error("bad-encoding", "/0/args/x")]
    ),
}

#: What is between two quotes, and the string that it is, or the code of its error.
STRINGS = {
    r"\\ \' \" \a\b\f\n\r\t\v": "\\ ' \" \a\b\f\n\r\t\v",
    r"\0 \7x \12 \101 \1011 \777": "\0 \7x \n A A1 ǿ",
    r"\x41 é \U0001F600": "A é 😀",
    r"\ud83d\ude00 \uD83D\uDE00": "😀 😀",
    "a\\\nb": "ab",
    r"\d+\.\8 \é": "\\d+\\.\\8 \\é",
    "\\\r": "\\\r",
}
#: What is after an opening quote, with its error.
BROKEN = {
    r"\‸N{DASH}": "json-syntax",
    r"\x4‸g": "json-syntax",
    r"\u00‸ ": "json-syntax",
    r"\U0011000‸0": "json-syntax",
    r"\ud83d‸'": "lone-surrogate",
    r"\ud83d‸a": "lone-surrogate",
    r"\ud83d\‸n": "lone-surrogate",
    r"\ud83d\‸1": "lone-surrogate",
    r"\ud83d\‸N": "json-syntax",
    r"\ud83d\u004‸1": "lone-surrogate",
    r"\ude0‸0": "lone-surrogate",
    r"\U0000d83‸d": "lone-surrogate",
}

#: Olmo 3.
OLMO = description("olmo-3")
OLMO_TURNS = {
    "two calls": turn(
        "<function_calls>\na(x=1)\nb()\n</function_calls>c",
        [CALL_A, CALL_B, respond("c"), execute()],
    ),
    "one call on the line": turn("<function_calls>b()</function_calls>", [CALL_B, execute()]),
    "no call": turn("<function_calls>\n</function_calls>c", [respond("c")], state="prose"),
    "a call on several lines": turn(
        "<function_calls>a(\n  x=1\n) \n\n\tb()</function_calls>", [CALL_A, CALL_B, execute()]
    ),
    "two calls on a line": turn(
        f"<function_calls>b() {CARET}a(x=1)\n</function_calls>c",
        [CALL_B, error("json-syntax", "/1", calls=1), respond("c")],
    ),
    "a comma after a call": turn(
        f"<function_calls>b(){CARET},\na(x=1)</function_calls>",
        [CALL_B, error("json-syntax", "/1", calls=1)],
    ),
    "a list": turn(f"<function_calls>{CARET}[b()]</function_calls>", [error("bad-name", "/0")]),
    "another closer": turn(
        f"<function_calls>b()</function{CARET}></function_calls>c",
        [CALL_B, error("json-syntax", "/1", calls=1), respond("c")],
    ),
    "no closer": turn(
        f"<function_calls>b()\n</function_call{CARET}",
        [CALL_B, error("unclosed-call", "/1", calls=1)],
        state="execute",
    ),
    "the size has the closer": turn(
        "<function_calls>b()</function_calls>",
        [CALL_B, execute()],
        limits=cogwire.Limits(size=len("b()</function_calls>")),
    ),
    "a size without its last character": turn(
        f"<function_calls>b()</function_calls{CARET}>c",
        [CALL_B, error("limit-size", "/1", calls=1)],
        state="execute",
        limits=cogwire.Limits(size=len("b()</function_calls>") - 1),
    ),
}

#: Gemma 4.
GEMMA = description("gemma-4")


def gemma(payload, *events):
    """Return a turn of Gemma with one call, which breaks a rule, and prose after it."""
    return turn(f"<|tool_call>{payload}<tool_call|>c", [*events, respond("c")])


GEMMA_TURNS = {
    "a render": turn(
        "<|channel>thought\nb\n<channel|><|tool_call>call:get_weather{b:true,city:"
        '<|"|>Paris, "é"<|"|>,n:5,o:{k:[1,None,true]}}<tool_call|><|tool_call>call:get_weather{}'
        "<tool_call|>c<|tool_response>",
        [
            think("b"),
            call(
                '{"name": "get_weather", "args": {"b": true, "city": "Paris, \\"é\\"", "n": 5, '
                '"o": {"k": [1, null, true]}}}'
            ),
            call('{"name": "get_weather", "args": {}}'),
            respond("c"),
            execute(),
        ],
    ),
    "white space": turn("<|tool_call>\n call: a { x : 1 } <tool_call|>", [CALL_A, execute()]),
    "white space inside of keys": turn(
        "<|tool_call>call:a{ x  y :{k l:1,k:2}}<tool_call|>",
        [call('{"name": "a", "args": {"x  y": {"k l": 1, "k": 2}}}'), execute()],
    ),
    "no colon after a key": gemma(f"call:a{{x y {CARET}}}", error("json-syntax", "/0/args")),
    "a repeated key with white space": gemma(
        f"call:a{{x y:1,x y {CARET}:2}}", error("duplicate-arg", "/0/args/x y")
    ),
    "keys between quotes": turn(
        '<|tool_call>call:a{<|"|>x y<|"|>:{<|"|><|"|>:1,k:2}}<tool_call|>',
        [call('{"name": "a", "args": {"x y": {"": 1, "k": 2}}}'), execute()],
    ),
    "nothing is an escape": turn(
        '<|tool_call>call:a{x:<|"|>\\n<|"<tool_call|>}\n<|"|>}<tool_call|>',
        [call('{"name": "a", "args": {"x": "\\\\n<|\\"<tool_call|>}\\n"}}'), execute()],
    ),
    "the beginning of a mark before it": turn(
        '<|tool_call>call:a{x:<|"|><|"<|"|>,y:[<|"|><<|"|>]}<tool_call|>',
        [call('{"name": "a", "args": {"x": "<|\\"", "y": ["<"]}}'), execute()],
    ),
    "another tool of the turn": turn(
        f"<|tool_call>call:a{{x:1}}<tool_call|><|tool_call>call:b{{x{CARET}}}<tool_call|>",
        [CALL_A, error("json-syntax", "/1/args", calls=1)],
    ),
    "no beginning": gemma(f"{CARET}a{{}}", error("bad-name", "/0")),
    "another beginning": gemma(f"ca{CARET}b:a{{}}", error("bad-name", "/0")),
    "no name": gemma(f"call:{CARET}{{}}", error("bad-name", "/0")),
    "the reserved name": gemma(f"call:execute{CARET}{{}}", error("bad-name", "/0")),
    "parentheses": gemma(f"call:a{CARET}(x=1)", error("missing-args", "/0")),
    "a string without quotes": gemma(
        f"call:a{{x:{CARET}Paris}}", error("json-syntax", "/0/args/x")
    ),
    "a string in double quotes": gemma(
        f'call:a{{x:{CARET}"b"}}', error("json-syntax", "/0/args/x")
    ),
    "another mark": gemma(f"call:a{{x:<|{CARET}'|>}}", error("json-syntax", "/0/args/x")),
    "a word of Python": gemma(f"call:a{{x:{CARET}True}}", error("json-syntax", "/0/args/x")),
    "a comma at the end": gemma(f"call:a{{x:1,{CARET}}}", error("json-syntax", "/0/args")),
    "a comma at the end of an array": gemma(
        f"call:a{{x:[1,{CARET}]}}", error("json-syntax", "/0/args/x/1")
    ),
    "an equals sign": gemma(f"call:a{{x{CARET}=1}}", error("json-syntax", "/0/args")),
    "a repeated key": gemma(f"call:a{{x:1,x{CARET}:2}}", error("duplicate-arg", "/0/args/x")),
    "a repeated key between quotes": gemma(
        f'call:a{{x:{{k:1,<|"|>k<|"|{CARET}>:2}}}}', error("duplicate-key", "/0/args/x/k")
    ),
    "text after the call": turn(
        f"<|tool_call>call:b{{}}{CARET};<tool_call|>c",
        [CALL_B, error("trailing-text", calls=1), respond("c")],
    ),
    "cut": turn(
        f'<|tool_call>call:a{{x:<|"|>b<|"{CARET}',
        [error("unclosed-call", "/0/args/x")],
        state="execute",
    ),
}

#: FunctionGemma.
ESCAPED = description("functiongemma")
ESCAPED_TURNS = {
    "a call": turn(
        "<start_function_call>call:a{x:<escape>Paris<escape>}<end_function_call>",
        [call('{"name": "a", "args": {"x": "Paris"}}'), execute()],
    )
}

SIZE = len("[a(x=1), b()]")
LIMITS = {
    "a size that fits": lfm(
        "[a(x=1), b()]",
        [CALL_A, CALL_B, execute()],
        state="paused",
        limits=cogwire.Limits(size=SIZE),
    ),
    "a size that does not": lfm(
        f"[a(x=1), b(){CARET}]",
        [CALL_A, CALL_B, error("limit-size", "/1", calls=2)],
        limits=cogwire.Limits(size=SIZE - 1),
    ),
    "a size that ends in a call": lfm(
        f"[a(x=1), b({CARET})]",
        [CALL_A, error("limit-size", "/1/args", calls=1)],
        limits=cogwire.Limits(size=SIZE - 2),
    ),
    "a character that breaks another rule": lfm(
        f"[a(x=1), b{CARET}]",
        [CALL_A, error("missing-args", "/1", calls=1)],
        limits=cogwire.Limits(size=SIZE - 3),
    ),
    "a batch in two lists": turn(
        f"{OPEN}[b()]{CLOSE}{OPEN}[b(){CARET}]",
        [CALL_B, CALL_B, error("limit-size", "/1", calls=2)],
        state="execute",
        limits=cogwire.Limits(size=9),
    ),
    "calls that fit": lfm(
        "[b(), b()]", [CALL_B, CALL_B, execute()], state="paused", limits=cogwire.Limits(calls=2)
    ),
    "a call too many": lfm(
        f"[b(), b(), {CARET}b()]",
        [CALL_B, CALL_B, error("limit-calls", "/2", calls=2)],
        limits=cogwire.Limits(calls=2),
    ),
    "the end of a list that is full": lfm(
        "[b(), b(), ]", [CALL_B, CALL_B, execute()], state="paused", limits=cogwire.Limits(calls=2)
    ),
    "a depth that fits": lfm(
        "[a(x=[{}])]",
        [call('{"name": "a", "args": {"x": [{}]}}'), execute()],
        state="paused",
        limits=cogwire.Limits(depth=4),
    ),
    "a depth that does not": lfm(
        f"[a(x=[1, {CARET}{{}}])]",
        [error("limit-depth", "/0/args/x/1")],
        limits=cogwire.Limits(depth=3),
    ),
    "no depth for arguments": lfm(
        f"[a{CARET}()]", [error("limit-depth", "/0")], limits=cogwire.Limits(depth=1)
    ),
    "digits that fit": lfm(
        "[a(x=-1.2e3)]",
        [call('{"name": "a", "args": {"x": -1.2e3}}'), execute()],
        state="paused",
        limits=cogwire.Limits(digits=3),
    ),
    "a digit too many": lfm(
        f"[a(x=-1.2{CARET}34)]",
        [error("limit-digits", "/0/args/x")],
        limits=cogwire.Limits(digits=2),
    ),
}
TABLES = (
    (LFM, LFM_TURNS),
    (LFM, LIMITS),
    (OLMO, OLMO_TURNS),
    (GEMMA, GEMMA_TURNS),
    (ESCAPED, ESCAPED_TURNS),
)


@each_turn(*TABLES)
def test_a_turn(described, row):
    check_turn(described, row)


@rows("inside, value", list(STRINGS.items()))
def test_a_string_is_what_it_is_in_python(inside, value):
    for quotes in ("'", '"', "'''", '"""'):
        text = f"{quotes}{inside}{quotes}"
        args = json.dumps({"x": value}, ensure_ascii=False)
        expected = [call(f'{{"name": "a", "args": {args}}}'), execute()]
        check_turn(LFM, lfm(f"[a(x={text})]", expected, state="paused"))
        if "\\u" not in inside and "\r" not in inside:  # Python has half characters, and no returns
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes that are none
                assert ast.literal_eval(text) == value


@rows("inside, code", list(BROKEN.items()))
def test_an_escape_that_is_none(inside, code):
    check_turn(LFM, lfm(f"[a(x='{inside}')]", [error(code, "/0/args/x")]))


def test_deltas_show_what_is_known():
    parser = cogwire.Parser(
        cogwire.Format.from_json(LFM), stream="token", call_deltas=True, clock=None
    )
    chunks = {
        f"{OPEN}[a(": [delta("{")],
        "x": [],
        "=": [delta('"x": ')],
        "'": [delta('"')],
        "b\\u00": [delta("b")],
        "e9\\": [delta("é")],
        "n'": [delta('\\n"')],
        ", y": [],
        "=[1": [delta(', "y": [1')],
        "2,": [delta("2")],
        "Tru": [delta(", ")],
        "e,]": [delta("true]")],
        ")": [delta("}"), call('{"name": "a", "args": {"x": "bé\\n", "y": [12, true]}}')],
    }
    assert {chunk: parser.feed(chunk) for chunk in chunks} == chunks


def test_deltas_end_before_a_character_for_which_there_is_no_room():
    form = cogwire.Format.from_json(LFM)
    for chunks in ([f"{OPEN}[a(x='bcd')]"], list(f"{OPEN}[a(x='bcd')]")):
        limits = cogwire.Limits(size=len("[a(x='bc"))
        options = {"limits": limits, "stream": "token", "call_deltas": True}
        shown, broken = bare(run(chunks, dialect=form, **options).events)
        assert shown == delta('{"x": "bc')
        assert (broken["code"], broken["path"]) == ("limit-size", "/0/args/x")


def test_long_strings_take_the_fast_path():
    """Chunks inside a string that no quote or escape is in are taken without the machine."""
    for described, text in (
        (LFM, f"{OPEN}[a(x='{'b' * 50}\\n{'c' * 50}', y={{'{'k' * 50}': '''{'d' * 50}'''}})]"),
        (GEMMA, f'<|tool_call>call:a{{x:<|"|>{"b" * 50}<{"c" * 50}<|"|>}}'),
    ):
        form = cogwire.Format.from_json(described)
        whole = bare(cogwire.parse(text, form, clock=None))
        assert whole[0]["type"] == "call"
        for size in (2, 3, 7):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            assert bare(run(chunks, dialect=form).events) == whole
            limits = cogwire.Limits(size=40)
            events = [run(each, dialect=form, limits=limits).events for each in (chunks, [text])]
            assert bare(events[0]) == bare(events[1])


# --- Writing ------------------------------------------------------------------------------------

CALLS = [
    {"name": "a", "args": {"x": 'it\'s "é"\n\\/', "n": [1, None, True, {"k.1": {}, "l m": 2.5}]}},
    {"name": "b", "args": {}},
]


@rows(
    "described, expected",
    [
        (
            LFM,
            (
                f'{OPEN}[a(x="it\'s \\"é\\"\\n\\\\/", n=[1, None, True, {{"k.1": {{}}, "l m": 2.5}}]), '
                f"b()]{CLOSE}"
            ),
        ),
        (
            {**OLMO, "gap": "\n"},
            (
                '<function_calls>\na(x="it\'s \\"é\\"\\n\\\\/", '
                'n=[1, None, True, {"k.1": {}, "l m": 2.5}])\nb()\n</function_calls>'
            ),
        ),
        (
            GEMMA,
            (
                '<|tool_call>call:a{x:<|"|>it\'s "é"\n\\/<|"|>,n:[1,null,true,'
                '{k.1:{},<|"|>l m<|"|>:2.5}]}<tool_call|>\n<|tool_call>call:b{}<tool_call|>'
            ),
        ),
    ],
)
def test_a_batch_is_written(described, expected):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == expected
    contents = [json.dumps(each, ensure_ascii=False) for each in CALLS]
    assert bare(cogwire.parse(expected, form, clock=None)) == [*map(call, contents), execute()]


@rows(
    "described, name, args, path",
    [
        (LFM, "a b", {}, "/0/name"),
        (LFM, "", {}, "/0/name"),
        (LFM, "a", {"x y": 1}, "/0/args/x y"),
        (LFM, "a", {"x": float("inf")}, "/0/args/x"),
        (LFM, "a", {"x": "\ud800"}, "/0/args/x"),
        (GEMMA, "a{", {}, "/0/name"),
        (GEMMA, "\ud800", {}, "/0/name"),
        (GEMMA, "a", {"x": {"y": '<|"|>'}}, "/0/args/x"),
        (GEMMA, "a", {'<|"|>': 1}, '/0/args/<|"|>'),
        (
            {**GEMMA, "payload": {**GEMMA["payload"], "quote": "<a<"}},
            "a",
            {"x": "b<a"},
            "/0/args/x",
        ),
    ],
)
def test_what_would_not_be_read_back_is_refused(described, name, args, path):
    assert path_refused([{"name": name, "args": args}], described) == path


def test_a_batch_that_is_longer_than_its_json_is_measured():
    """Each empty string is two thousand characters in this notation, and two in JSON."""
    items = [{"name": "a", "args": {"x": [""] * 4_500}}]
    assert cogwire.render_calls(items)
    payload = {**GEMMA["payload"], "quote": f"<{'q' * 1000}>"}
    with pytest.raises(cogwire.RenderError):
        cogwire.render_calls(items, cogwire.Format.from_json({**GEMMA, "payload": payload}))


@rows("described", [LFM, OLMO, GEMMA])
def test_a_call_of_another_format_keeps_its_numbers(described):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    text = '<execute>[{"name": "a", "args": {"\\u0078": 1.0, "y": "\\/"}}]</execute>'
    written = cogwire.convert(text, "xml-json", form)
    expected = call('{"name": "a", "args": {"x": 1.0, "y": "/"}}')
    assert bare(cogwire.parse(written, form, clock=None))[0] == expected


@rows(
    "described, text",
    [
        (LFM, "a list of all calls"),
        (OLMO, "each on a line of its own"),
        (GEMMA, "A string is between two of"),
    ],
)
def test_a_prompt_teaches_the_notation(described, text):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    assert text in cogwire.render_prompt(cogwire.Toolset([{"name": "a"}], form))


def test_a_tool_set_reads_the_values_as_they_are():
    tool = {"name": "a", "parameters": {"properties": {"x": {"type": "integer"}}}}
    toolset = cogwire.Toolset([tool], cogwire.Format.from_json(LFM))
    assert toolset.check({"name": "a", "args": {"x": 1}}).problems == []
    assert toolset.check({"name": "a", "args": {"x": "1"}}).problems != []


# --- Refusals -----------------------------------------------------------------------------------


@rows(
    "described, members, place",
    [
        (LFM, {"style": "ruby"}, "/payload/style"),
        (LFM, {"style": 1}, "/payload/style"),
        (LFM, {"lines": 1}, "/payload/lines"),
        (LFM, {"quote": "'"}, "/payload/quote"),
        (GEMMA, {"lines": True}, "/payload/lines"),
        (GEMMA, {"quote": ""}, "/payload/quote"),
        (GEMMA, {"quote": "a"}, "/payload/quote"),
        (GEMMA, {"quote": "["}, "/payload/quote"),
        (GEMMA, {"quote": "< "}, "/payload/quote"),
    ],
)
def test_a_description_is_refused(described, members, place):
    assert refusal({**described, "payload": {**described["payload"], **members}}).startswith(place)


@rows("call", [["<a>", ""], ["<a>", "end"], ["", "</a>"], ["<a>", ["</a>", "</b>"]]])
def test_markers_of_lines_are_refused(call):
    assert refusal({**OLMO, "call": call}).startswith("/call/")
