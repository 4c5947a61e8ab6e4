"""JSON that is cut anywhere: the character-wise reader and the scanner in C take turns in it.

A text that is whole and plain is for the scanner; one that is cut inside of a call, is spaced oddly
or comes to a limit is not, and both have to agree on where everything is.
"""

import json

from tests import cogwire
from tests.core.helpers import bare, call, execute, run, unmeasured
from tests.rows import rows

#: Each comma and colon with a space on neither side, on one, and on both.
SPACED = (
    '{"name" : "a" ,"args":{"x" : [1 ,2 , 3,4 ,[5 , 6],{"a" :1 , "b" : 2 ,"c":3," ":7 }] , '
    '"y" :"z" , "w":" : , " } }'
)
LONG = [f'{{"name": "{name}", "args": {{"text": "twenty more characters"}}}}' for name in "abcdef"]


def block(*calls, between=","):
    return f"<execute>[{between.join(calls)}]</execute>"


def lines(*calls):
    return "".join(f"§call: {each}\n" for each in calls) + "§execute"


def up_to_an_error(chunks, dialect="xml-json", **limits):
    """Return the events up to the first error."""
    events = run(chunks, dialect=dialect, limits=cogwire.Limits(**limits)).events
    wrong = next((at for at, event in enumerate(events) if event["type"] == "error"), len(events))
    return events[: wrong + 1]


def in_two(text):
    """Cut `text` at each place, and not at all."""
    return [[text[:at], text[at:]] for at in range(len(text))]


@rows(
    ("dialect", "text"),
    [("xml-json", block(SPACED, SPACED, between=" , ")), ("delimiter", lines(SPACED, SPACED))],
)
def test_white_space_is_allowed_around_each_comma_and_colon(dialect, text):
    for chunks in in_two(text):
        assert up_to_an_error(chunks, dialect) == [call(SPACED), call(SPACED), execute()], chunks


@rows(("dialect", "text"), [("xml-json", block(SPACED)), ("delimiter", lines(SPACED))])
def test_a_call_continues_in_another_process_at_each_character(dialect, text):
    """The snapshot holds all of the open call, in however many pieces it came."""
    outcome = run([*text, "\n"], hop=True, dialect=dialect)
    assert bare(outcome.events)[:2] == [call(SPACED), execute()]


def test_the_size_is_crossed_at_its_very_character():
    """Wherever the text is cut: before, after, or at every place."""
    inside = f"[{SPACED} , {SPACED}]"
    text = f"<execute>{inside}"
    ends = (1 + len(SPACED), len(inside) - 1)
    for size in range(1, len(inside)):
        given = [call(SPACED)] * sum(size >= end for end in ends)
        for chunks in ([text], list(text), [text[: 8 + size], text[8 + size :]]):
            *calls, wrong = up_to_an_error(chunks, size=size)
            assert calls == given, chunks
            assert (wrong["code"], wrong["calls"]) == ("limit-size", len(given)), chunks
            assert wrong["offset"] == len("<execute>") + size


def test_a_closer_in_a_string_that_is_too_large_ends_nothing():
    """Only what begins after the character that is too much is looked at."""
    before = '[{"name": "a", "args": {"x": "'
    text = f"<execute>{before}</execute>"
    for size in range(len(before) + 1, len(before) + len("</execute>")):
        for chunks in ([text], list(text), [text[: 9 + size], text[9 + size :]]):
            parser = cogwire.Parser(clock=None, limits=cogwire.Limits(size=size))
            events = [event for chunk in chunks for event in parser.feed(chunk)]
            assert [event["code"] for event in events] == ["limit-size"]
            assert parser.state == "execute", (size, chunks)


def test_the_closer_may_be_cut_where_the_block_is_as_large_as_it_may_be():
    for inside in ("[]", f"[{LONG[0]}]", f"[{SPACED} ]"):
        calls = [call(each) for each in (LONG[0], SPACED) if each in inside]
        for chunks in in_two(f"<execute>{inside}</execute>"):
            assert up_to_an_error(chunks, size=len(inside)) == [*calls, execute()], chunks


def test_a_payload_is_counted_without_its_marker():
    """By lines a block is as large as its payloads, with what follows the colons."""
    calls = [json.dumps({"name": "a", "args": {"x:y": [":", n]}}) for n in range(80)]
    size = sum(len(each) + 1 for each in calls)
    for marker in ("§call: {}\n", "\n§CALL: {}", "§call: {} \t\n"):
        text = "".join(marker.format(each) for each in calls) + "\n§execute"
        for chunks in ([text], in_two(text)[70], in_two(text)[len(text) - 30]):
            *given, last = up_to_an_error(chunks, "delimiter", size=size)
            assert given == [call(each) for each in calls], marker
            assert last == execute()
            *given, last = up_to_an_error(chunks, "delimiter", size=size - 1)
            assert given == [call(each) for each in calls[:-1]], marker
            assert last["code"] == "limit-size"


@rows("before, after", [("<tool_call>\n", "\n</tool_call>\n"), ("<tool_call>", "</tool_call>")])
def test_a_call_is_counted_without_the_tags_around_it(before, after):
    """A closer in a string separates no calls."""
    args = [json.dumps({"x": "</tool_call><tool_call>{", "y": n}) for n in range(80)]
    payloads = [f'{before[11:]}{{"name": "a", "arguments": {each}}}' for each in args]
    text = "".join(f"<tool_call>{each}{after}" for each in payloads)
    calls = [call(f'{{"name": "a", "args": {each}}}') for each in args]
    size = sum(map(len, payloads))
    for chunks in ([text], in_two(text)[70], in_two(text)[len(text) - 30]):
        assert up_to_an_error(chunks, "hermes", size=size) == [*calls, execute()]
        assert up_to_an_error(chunks, "hermes", calls=80) == [*calls, execute()]
        *given, last = up_to_an_error(chunks, "hermes", size=size - 1)
        assert (given, last["code"]) == (calls[:-1], "limit-size")
        *given, last = up_to_an_error(chunks, "hermes", calls=79)
        assert (given, last["code"]) == (calls[:-1], "limit-calls")


@rows("dialect", ["xml-json", "delimiter"])
def test_calls_are_not_mixed_up_where_each_chunk_begins_with_one(dialect):
    """Nothing of an earlier chunk is looked at again, though it was at the same place."""
    if dialect == "xml-json":
        chunks = ["<execute>[", *(f"{each}," for each in LONG[:-1]), LONG[-1], "]</execute>"]
    else:
        chunks = ["§call:", *(f"{each}\n§call:" for each in LONG[:-1]), LONG[-1], "\n§execute\n"]
    assert up_to_an_error(chunks, dialect) == [*map(call, LONG), execute()]


@rows(("dialect", "written"), [("xml-json", block), ("delimiter", lines)])
@rows("most", [1, 2, 3, 5])
@unmeasured()
def test_no_more_calls_than_allowed_are_given(dialect, written, most):
    """Also after one that the scanner is not trusted with."""
    paired = LONG[1].replace("characters", "\\ud83d\\ude00")
    for calls in (LONG, [LONG[0], paired, *LONG[2:]]):
        for chunks in in_two(written(*calls)):
            *given, wrong = up_to_an_error(chunks, dialect, calls=most)
            assert given == [call(each) for each in calls[:most]], chunks
            assert (wrong["type"], wrong["code"], wrong["calls"]) == ("error", "limit-calls", most)


@rows("value", ["1\u0662", '"\\u1_23"', '"\\u+123"'])
def test_without_a_scanner_in_c_nothing_more_is_accepted(value, monkeypatch):
    """That in Python takes these for JSON."""
    monkeypatch.setattr(json.scanner, "c_make_scanner", None)
    monkeypatch.setattr(json.scanner, "make_scanner", json.scanner.py_make_scanner)
    monkeypatch.setattr(json.decoder, "scanstring", json.decoder.py_scanstring)
    whole = block(f'{{"name": "a", "args": {{"x": {value}}}}}')
    assert json.loads(whole[9:-10], cls=json.JSONDecoder)
    events = cogwire.parse(whole, limits=cogwire.Limits(depth=77), clock=None)
    assert [event["type"] for event in events] == ["error"]
