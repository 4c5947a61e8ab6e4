"""The executable spec reads texts: its laws, and other readers beside it.

The events of single texts are in the cases of the corpus, each of which is compared with the
executable spec in tests/kit/conformance/test_answers.py. This file has its laws, readers made by
others, and a few texts that are too unusual for a case.
"""

import json
import math
import sys
from itertools import product
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import DIALECTS, Outcome, parse
from tests.oracle.text import decode
from tests.rows import rows

EXECUTE = {"type": "execute"}
PING = '{"name":"ping","args":{}}'
PONG = '{"tool":"ping","status":"success","content":1}'
NO = '{"tool":"ls","status":"failure","content":"no"}'
VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'
VOID_ANSWER = f"<results>[{VOID_ITEM}]</results>"
LINES = ("delimiter", "delimiter-upper")
LS = '{"name":"ls"}'
CALL = f"§call: {LS}"


# Characters


def test_bytes_decode_as_python_decodes_them():
    """All characters, and sequences of the bytes at which the rules of UTF-8 change."""
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000), 0x12345, 0x10FFFF]))
    assert decode(every.encode()).characters == every
    turning = b"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xed\xee\xef\xf0\xf1\xf4\xf5\xff"
    for sequence in (
        bytes(pieces) for size in (1, 2, 3) for pieces in product(turning, repeat=size)
    ):
        assert decode(sequence).characters == sequence.decode("utf-8", "replace"), sequence


@rows(
    "data, characters, replaced",
    [
        (b"\xf1\x80\x80\xe1\x80\xc2a\x80", "\ufffd\ufffd\ufffda\ufffd", {0, 1, 2, 4}),
        (b"\xf0\x9f\x98\x80\xf0\x9f\x98<", "\U0001f600\ufffd<", {1}),
        (b"\xef\xbf\xbd", "\ufffd", set()),
        ("\ud83d\ude00", "\U0001f600", set()),
        ("\ude00\ud83d", "\ufffd\ufffd", {0, 1}),
        ("\ud83d\ud83d\ude00a\ud83d\ufffd", "\ufffd\U0001f600a\ufffd\ufffd", {0, 3}),
    ],
)
def test_replaced_characters_are_distinguished_from_written_ones(data, characters, replaced):
    text = decode(data)
    assert (text.characters, text.replaced) == (characters, replaced)


# Names of elements


def error_of_elements(inside):
    (error,) = parse(f"<execute>{inside}", "xml-elements").events
    return error["code"], error["offset"] - len("<execute>")


@rows("start", '-.1\u00b7\u0300\u00d7\u00f7\u037e\u2000\u3000\ufdd0\ufffe\U000f0000 :<>&"\x7f')
def test_characters_that_begin_no_name(start):
    assert error_of_elements(f"<{start}") == ("xml-syntax", 1)
    assert error_of_elements(f"<w><{start}") == ("xml-syntax", 4)


@rows("inner", '\u00d7\u00f7\u037e\u2000\u2041\U000f0000:=<&!?"\x00\uffff')
def test_characters_that_are_in_no_name(inner):
    assert error_of_elements(f"<w{inner}") == ("xml-syntax", 2)
    assert error_of_elements(f"<w><a{inner}") == ("xml-syntax", 5)


# Texts that are not cases


def test_a_depth_beyond_the_stack_of_python_is_read():
    depth = 3 * sys.getrecursionlimit()
    value = "[" * depth + "]" * depth
    element = f'{{"name":"a","args":{{"x":{value}}}}}'
    outcome = parse(f"<execute>[{element}]</execute>", limits=(99_999, 9, depth + 3, 9))
    assert outcome.events == [{"type": "call", "content": element}, EXECUTE]


def test_only_the_content_of_a_failure_has_to_be_a_string():
    items = f'{PONG} , {{"content":"</results>","x":[],"status":"failure","tool":"pong"}}'
    text = (
        f"<execute>[{PING},{PING.replace('ping', 'pong')}]</execute>\n<results>[{items}]</results>"
    )
    *_, result = parse(text, mode="transcript").events
    counts = {"tools_executed": 2, "success_count": 1, "failure_count": 1}
    assert result == {"type": "result", "content": f"[{items}]", "payload": counts}


def test_no_tail_is_given_unless_asked():
    assert parse(" a<think> ") == Outcome([{"type": "respond", "content": "a"}], "think", 0, "")


@rows("options", [{"mode": "chat"}, {"start": "end"}, {"dialect": "morse"}])
def test_a_mode_a_start_or_a_dialect_that_does_not_exist_is_refused(options):
    with pytest.raises(ValueError, match="|".join(options.values())):
        parse("", **options)


# Other readers, and the events against each other

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
        *["\\ud83d", "\\ude00", '"a":', ',"a":1', '"name":"b",', "1e999", "01", "null", "tru"],
        *["\n", "\x1f", "\xa0", "\u0661", "\ud800", "", "", "<", "</execute>", "<end>"],
    ]
)


@st.composite
def nearly_valid(draw):
    """Draw a block with something inserted, and perhaps something removed."""
    text = draw(BLOCKS)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(TOKENS) + text[at + draw(st.integers(0, 2)) :]
    return text


def is_batch(text):
    """Return whether `text` is an array of calls, by Python's own reader of JSON."""

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
        *["<a>", "</a>", "<a/>", "<b>", "</b >", "<b c='1'/>", "<execute>", "</execute>"],
        *["&amp;", "&lt", "&#65;", "&#x1F600;", "&#x110000;", "&#0;", "&nbsp;", "<!-- -->"],
        *["<![CDATA[", "]]>", "]]", "<?p?>", "<!DOCTYPE a>", "n:", "\x01", "\ufffe", "\x85", "é"],
        *["", ""],
    ]
)
VALUES_OF_ELEMENTS = st.sampled_from(
    ["", "x", " a b\n", "&amp;&#65;&quot;", "<![CDATA[<b>&]]>", "]]&gt;", "]]", "é\x85", "a>b"]
)


@st.composite
def nearly_elements(draw):
    """Draw a block of elements with something inserted, and perhaps something removed."""
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
    """Return the calls in `text`, by Python's own reader of XML, or nothing."""
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
        *[f"[{PING}]", "[", "]", PING, PONG, f"[{PONG}]", ",", " \n", "a", "\ud83d", "\ude00"],
        *['"', "<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>"],
        *["<end>", "<", f"<execute>[{PING}]</execute>", f"<results>[{PONG}]</results>"],
        *[VOID_ANSWER],
    ]
)
LINE_PIECES = st.sampled_from(
    [
        *[CALL, f"{CALL}\n§execute\n", "§call:", "§call: ", LS, NO, VOID_ITEM, "[]", "{", '"'],
        *["§think:", "§respond: ", "§result:", "[SYSTEM: ", "[SYS", "]", "]\n", "§execute"],
        *["§end", "§ex", "§", "\n", " ", "a", "\ud83d", "\ude00"],
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


#: The code for a text that ends too early.
TOO_EARLY = (
    "unclosed-execute",
    "unclosed-call",
    "missing-execute",
    "trailing-text",
    "results-shape",
)


def is_judged_at_once(dialect, event):
    """Return whether an error is emitted at its character; others wait for a marker or a body."""
    code = event.get("code", "")
    waits = ("forged-results", "missing-execute")
    return (
        event["type"] == "error"
        and code not in waits
        and not (dialect in LINES and code.startswith("results-"))
    )


@given(READINGS | nearly_valid().map(lambda text: ("xml-json", f"<execute>{text}")), MODES, STARTS)
def test_an_error_depends_on_nothing_after_its_character(reading, mode, start):
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
def test_the_two_delimiter_dialects_are_read_in_the_same_way(data, mode, start):
    first, second = (parse(data, name, mode=mode, start=start, raw=True) for name in LINES)
    assert first == second
