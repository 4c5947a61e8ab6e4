"""The parser as an object: its options, its misuse, its turns, clock, counts and messages."""

import itertools
import re
import sys

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import (
    DIALECTS,
    bare,
    call,
    end,
    execute,
    form_of,
    hopped,
    parser_of,
    respond,
    run,
    singles,
    split,
    think,
)
from tests.rows import rows

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"


# --- Options ----------------------------------------------------------------------------------


def test_the_canonical_dialect_is_the_default():
    assert cogwire.Parser("xml-json", clock=None).feed("<end>") == [end()]
    assert cogwire.Parser(dialect="xml-json", clock=None).feed("<end>") == [end()]
    assert parser_of().feed("<end>") == [end()]


@rows("name", ["size", "calls", "depth", "digits"])
def test_a_limit_is_a_positive_integer(name):
    for value in (0, -1, True, 1.0, "1", None):
        with pytest.raises(ValueError, match=name):
            cogwire.Parser(limits=cogwire.Limits(**{name: value}))
        with pytest.raises(ValueError, match=name):
            cogwire.Limits()._replace(**{name: value})


def test_limits_are_a_frozen_value():
    limits = cogwire.Limits()
    assert limits == cogwire.Limits(size=8_388_608, calls=256, depth=128, digits=1000)
    assert hash(limits) == hash(cogwire.Limits())
    with pytest.raises(AttributeError):
        limits.size = 1
    changed = cogwire.Limits(calls=2)._replace(depth=3)
    assert type(changed) is cogwire.Limits
    assert changed == cogwire.Limits(calls=2, depth=3)
    with pytest.raises(ValueError, match="digits"):
        cogwire.Limits._make([1, 2, 3, 0])


#: Those of a copy in another package.
OTHERS = type("Limits", (tuple,), {})((1, 2, 3, 4))


@rows("limits", [None, 5, {"size": 1}, (1, 2, 3, 4), OTHERS])
def test_limits_are_of_their_class(limits):
    """Wherever they are accepted."""
    for read in (
        lambda: cogwire.Parser(limits=limits),
        lambda: cogwire.convert("a", "xml-json", "delimiter", limits=limits),
        lambda: cogwire.spans("a", limits=limits),
        lambda: cogwire.CallFinder(formats=["hermes"], names=[], limits=limits),
    ):
        with pytest.raises(TypeError, match=r"^limits must be a Limits, not "):
            read()


def test_the_repr_of_a_parser_shows_its_state():
    parser = parser_of(dialect="delimiter")
    assert repr(parser) == "<Parser delimiter: prose, 0 characters>"
    parser.feed("§think: a")
    assert repr(parser) == "<Parser delimiter: think, 9 characters>"
    parser.close(finished=True)
    assert repr(parser) == "<Parser delimiter: think, 9 characters, closed>"


def test_options_are_named():
    with pytest.raises(TypeError):
        cogwire.Parser("xml-json", "token")


def test_parse_accepts_the_options_of_the_parser():
    assert cogwire.parse("a</think>b", start="think", clock=None) == [think("a"), respond("b")]
    assert cogwire.parse("a<end>", "xml-json", raw=True, clock=None)[1]["raw"] == "<end>"
    assert cogwire.parse(b"a", clock=None) == [respond("a")]


@rows("each", corpus.array(corpus.PLACE / "texts" / "starts.json"))
def test_the_start_is_found(each):
    """Or refused where a think would be shown, or a call be prose: its header has begun."""
    form, prompt = form_of(each["dialect"]), each["prompt"]
    if each["start"] is None:
        with pytest.raises(ValueError, match="says what follows; feed it to the parser"):
            cogwire.start_of(prompt, form)
    else:
        assert cogwire.start_of(prompt, form) == each["start"]


def test_a_format_without_headers_has_no_turn_that_begins_in_one():
    with pytest.raises(ValueError, match="hermes has no headers"):
        cogwire.Parser("hermes", start="header")


# --- Misuse -----------------------------------------------------------------------------------


@rows("chunk", [None, 1, ["a"], bytearray(b"a"), memoryview(b"a")])
def test_a_chunk_is_text_or_bytes(chunk):
    """The parser is where it was."""
    parser = parser_of()
    with pytest.raises(TypeError):
        parser.feed(chunk)
    parser.feed("a<th")
    with pytest.raises(TypeError):
        parser.feed(chunk)
    assert parser.feed("ink>") == [respond("a")]


class Word(str):
    """A chunk of a framework, which is text and more."""

    __slots__ = ()

    def __str__(self):
        return "another text"


class Octets(bytes):
    __slots__ = ()


@rows("kind", [Word, Octets])
@rows("chunk", ["<think>", "a", " b", "\ud83d", "\ude00", "</think>", "c\ud83d!"])
def test_events_are_plain_text(kind, chunk):
    """Whatever subclass of `str` or `bytes` is fed, and wherever it is cut."""
    whole = ["<think>a", chunk, "b</think>", "c", chunk]
    given = whole if kind is Word else [text.encode("utf-8", "surrogatepass") for text in whole]
    plain, parser = parser_of(stream="token"), parser_of(stream="token")
    for text in given:
        events = parser.feed(kind(text))
        assert events == plain.feed(text)
        assert {type(event.get("content", "")) for event in events} <= {str}
    assert parser.close(finished=True) == plain.close(finished=True)


@rows(("first", "second"), [("a", b"b"), (b"a", "b"), ("", b"b"), (b"", "b")])
def test_text_and_bytes_are_not_mixed(first, second):
    """The first chunk decides, empty or not, and a refused chunk changes nothing."""
    parser = parser_of()
    parser.feed(first)
    for refused in (second, second[:0]):
        with pytest.raises(TypeError):
            parser.feed(refused)
    parser.feed(first)
    assert parser.close(finished=True) == ([respond("aa")] if first else [])


def test_mixing_is_refused_after_a_stop_and_a_snapshot():
    parser = parser_of()
    parser.feed("<end>")
    with pytest.raises(TypeError):
        hopped(parser).feed(b"a")
    with pytest.raises(TypeError):
        parser.feed(b"a")


def test_nothing_comes_after_close():
    for mode, hint in (("turn", r"call next_turn\(\)"), ("transcript", "make a new Parser")):
        parser = parser_of(mode=mode)
        parser.feed("a")
        assert parser.close(finished=True) == [respond("a")]
        assert parser.close(finished=True) == []
        for chunk in ("b", "", b"b"):
            with pytest.raises(RuntimeError, match=rf"^feed\(\) after close\(\): {hint} first$"):
                parser.feed(chunk)
        assert parser.state == "prose"


@rows(
    ("options", "message"),
    [
        ({"stream": "words"}, "stream must be one of event, token, not 'words'"),
        ({"mode": None}, "mode must be one of turn, transcript, not None"),
        ({"start": ["think"]}, "start must be one of prose, think, header, not ['think']"),
        ({"calls": "open"}, "calls must be one of shown, sealed, not 'open'"),
        ({"call_deltas": True}, "call deltas need token mode, stream='token'"),
    ],
)
def test_an_unknown_option_is_refused_with_a_message(options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parser_of(**options)


# --- Turns ------------------------------------------------------------------------------------


@rows("text", ["", "a", "<think>a", "<execute>[", f"<execute>[{A}]", "<execute>x", "<results"])
def test_an_open_turn_has_no_next_one(text):
    parser = parser_of()
    parser.feed(text)
    with pytest.raises(RuntimeError, match=r"^the turn is still open; close\(\) it first$"):
        parser.next_turn()


@rows("text", ["a<end>", BLOCK, "<execute>x</execute>", "<results>", "<end>", f"{BLOCK}more"])
def test_a_stopped_turn_has_a_next_one(text):
    """Offsets, segments and counts begin again, closed or not."""
    for closed in (False, True):
        parser = parser_of(raw=True, stream="token")
        parser.feed(text)
        if closed:
            parser.close(finished=True)
        parser.next_turn()
        assert (parser.state, parser.discarded, parser.tail) == ("prose", 0, "")
        [delta, fault] = parser.feed("b<results>")
        assert (delta["content"], delta["segment"], delta["raw"]) == ("b", 0, "b")
        assert (fault["code"], fault["offset"], fault["raw"]) == ("forged-results", 1, "<results>")


@rows("text", ["", "a", "<think>a", "<execute>[", "<execute>x", "a<thi"])
def test_a_closed_turn_has_a_next_one(text):
    parser = parser_of()
    parser.feed(text)
    parser.close(finished=True)
    parser.next_turn()
    assert parser.state == "prose"
    assert parser.feed("<execute>") == []
    [fault] = parser.feed("x")
    assert (fault["code"], fault["offset"], fault["calls"]) == ("not-array", 9, 0)


def test_limits_and_calls_begin_again():
    parser = parser_of(limits=cogwire.Limits(calls=1, size=30))
    for _ in range(3):
        assert parser.feed(BLOCK) == [call(A), execute()]
        parser.next_turn()


@rows("function", [cogwire.parse, cogwire.parse_transcript])
def test_misuse_of_whole_texts_raises_what_a_parser_raises(function):
    with pytest.raises(TypeError, match=r"^a chunk must be str or bytes, not NoneType$"):
        function(None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        function("a", colour=1)


@rows("text", ["", "a<end>", BLOCK])
def test_a_transcript_contains_its_turns(text):
    parser = parser_of(mode="transcript")
    parser.feed(text)
    message = r"^a transcript contains its turns; next_turn\(\) is for mode='turn'$"
    with pytest.raises(RuntimeError, match=message):
        parser.next_turn()
    parser.close(finished=True)
    with pytest.raises(RuntimeError, match=message):
        parser.next_turn()


def test_many_turns():
    """One parser reads a whole session, as if each turn had its own."""
    texts = ["a<think>b</think>", f"{BLOCK}x", "<execute>{", "c<end>", "<results>[]", "d"]
    parser = parser_of(raw=True)
    for text in texts * 2:
        events = [*itertools.chain(*map(parser.feed, singles(text))), *parser.close(finished=True)]
        assert events == run([text], raw=True).events
        parser.next_turn()


def test_a_half_character_ends_with_its_turn():
    parser = parser_of()
    parser.feed("<end>\ud83d")
    assert parser.discarded == 0
    parser.close(finished=True)
    assert parser.discarded == 1
    parser.next_turn()
    assert parser.feed("\ude00") + parser.close(finished=True) == [respond("\ufffd")]


# --- Clock ------------------------------------------------------------------------------------


def test_the_default_clock_is_the_time():
    [event] = cogwire.parse("a")
    assert event["timestamp"] > 1_600_000_000


# --- Events -----------------------------------------------------------------------------------

ORDER = [
    "type",
    "code",
    "content",
    "segment",
    "done",
    "offset",
    "path",
    "calls",
    "payload",
    "raw",
    "timestamp",
]


def test_the_members_of_events_have_one_order():
    """So that what is written of them is the same everywhere."""
    item = '{"tool":"a","status":"success","content":1}'
    text = f"a<think>b</think>{BLOCK}<results>[{item}]</results>c<execute>[{{}}]</execute><end>"
    for stream, raw in itertools.product(("event", "token"), (False, True)):
        parser = cogwire.Parser(mode="transcript", stream=stream, raw=raw)
        events = [*itertools.chain(*map(parser.feed, singles(text))), *parser.close(finished=True)]
        assert {event["type"] for event in events} == {
            "respond",
            "think",
            "call",
            "execute",
            "result",
            "error",
            "end",
        }
        for event in events:
            assert list(event) == [key for key in ORDER if key in event]


def test_events_are_the_callers():
    """Changing one changes nothing in the parser, and no two share anything."""
    parser = parser_of(mode="transcript")
    item = '{"tool":"a","status":"success","content":1}'
    round_trip = f"{BLOCK}<results>[{item}]</results>"
    first = parser.feed(round_trip)
    copy = [dict(event) for event in first]
    for event in first:
        event.get("payload", {}).clear()
        event.clear()
    first.clear()
    second = parser.feed(round_trip)
    assert [event["type"] for event in second] == [event["type"] for event in copy]
    assert second[-1]["payload"] == {"tools_executed": 1, "success_count": 1, "failure_count": 0}


def test_each_feed_returns_a_separate_list():
    parser = parser_of()
    first = parser.feed("a")
    first.append("mine")
    assert parser.feed("b") == []
    assert parser.feed("<end>") == [respond("ab"), end()]


# --- Sealed calls -----------------------------------------------------------------------------


def test_a_turn_begins_without_pending_calls_of_the_last_one():
    """Sealed calls that were never run are forgotten with their turn."""
    parser = parser_of(calls="sealed")
    assert parser.feed(f"<execute>[{A}") == []
    assert [event["type"] for event in parser.close(finished=True)] == ["error"]
    parser.next_turn()
    assert parser.feed("<execute>[]</execute>") == [execute()]


def test_text_of_pending_calls_is_in_the_tail():
    text = f"§call: {A}\n§respond: b\n§ex"
    parser = cogwire.Parser("delimiter", calls="sealed", raw=True, clock=None)
    for at, character in enumerate(text, 1):
        assert parser.feed(character) == []
        assert parser.tail == text[:at]
        assert hopped(parser).tail == parser.tail


# --- raw, tail, discarded ---------------------------------------------------------------------


def test_without_raw_there_is_no_tail():
    parser = parser_of()
    parser.feed("a <thi")
    assert parser.tail == ""


def test_discarded_counts_as_text_arrives():
    parser = parser_of()
    for chunk, count in [("a<end>", 0), ("bc", 2), ("", 2), ("\ud83d", 2), ("\ude00d", 4)]:
        parser.feed(chunk)
        assert parser.discarded == count


# --- Where text is cut ------------------------------------------------------------------------

MARKERS = dict(zip(DIALECTS, ("<end>", "<end>", "§end", "§END"), strict=True))
SEGMENTS = ["<th", "ink>a", "b", " ", "c</think>", "d", "e", " ", "f"]
ANSWER = '{"tool": "a", "status": "success", "content": 1}'
ANSWERS = ["<results>", f"[{ANSWER}", f",{ANSWER}", "]</results>", "g", "h"]
#: A conversation in chunks that lie inside of segments and blocks, and across their ends.
TIMED = {
    "xml-json": [
        *(*SEGMENTS, '<execute>[{"name": "a", "args": {}', '}, {"name": "a"', ', "args": {}', "}]"),
        *("</execute>", *ANSWERS),
    ],
    "xml-elements": [*SEGMENTS, "<execute><a", "/><a", "></a", "> ", "</execute>", *ANSWERS],
    "delimiter": [
        *("§thi", "nk: a", "b", " ", "c\n§respond:", "d", "e", " ", "f\n", '§call: {"name": "a"'),
        *(', "args": {}}', "\n§call: ", '{"name": "a"}', "\n", "§execute\n", "§result: 1\n"),
        *("§result: ", "2", "\n\ng", "h"),
    ],
}

#: What other languages, and Python, call white space, and the protocol does not.
NOT_WHITE = "\xa0\x0b\x0c\x1c\x85\u2003\u3000\ufeff"


@rows("dialect", DIALECTS)
def test_only_white_space_of_the_protocol_is_trimmed(dialect):
    """In both streams, before and after a stop, and wherever the text is cut."""
    for space, marker in itertools.product(NOT_WHITE, ("", MARKERS[dialect])):
        content = f"{space}a {space}b{space}"
        text = f" {content}\n{marker}"
        stop = [end()] if marker else []
        for stream, chunks in itertools.product(
            ("event", "token"), [singles(text), *(split(text, at) for at in range(len(text)))]
        ):
            events = run(chunks, stream=stream, dialect=dialect).events
            assert bare(events) == [respond(content), *stop], (stream, chunks)


@rows("dialect", TIMED)
def test_events_have_the_time_of_the_chunk_that_completes_them(dialect):
    """On each of the ways that a chunk may take, inside of a segment and of a block."""
    for stream, calls in itertools.product(("event", "token"), ("shown", "sealed")):
        ticks = map(float, itertools.count(1))
        options = {"stream": stream, "mode": "transcript", "clock": ticks.__next__}
        options |= {"calls": calls, "call_deltas": stream == "token"}
        parser = cogwire.Parser(dialect, **options)
        seen = set()
        for fed, chunk in enumerate([*TIMED[dialect], None], 1):
            events = parser.close(finished=True) if chunk is None else parser.feed(chunk)
            assert {event["timestamp"] for event in events} <= {float(fed)}, chunk
            seen.update(event["type"] for event in events)
        assert seen >= {"think", "respond", "call", "execute", "result"}
        assert ("call_delta" in seen) == (stream == "token")


def test_invalid_utf8_is_detected_after_an_incomplete_call():
    """Though its beginning came in an earlier chunk and is read again."""
    text = '§call: {"name"x\n§execute\n§call: {"name": "a", "args": {"x": "\ud800"}}\n§execute\n'
    for at in range(len(text)):
        events = run(split(text, at), dialect="delimiter", mode="transcript").events
        errors = [event for event in events if event["type"] == "error"]
        assert [wrong["code"] for wrong in errors] == ["json-syntax", "bad-encoding"], at
        assert [wrong["offset"] for wrong in errors] == [text.index("x"), text.index("\ud800")], at
        assert "call" not in {event["type"] for event in events}


# --- The short way ----------------------------------------------------------------------------


@rows("stream", ["event", "token"])
@rows("chunk", ["word ", "wörd \U0001f600 "])
def test_a_chunk_inside_a_segment_does_not_go_through_the_machine(stream, chunk):
    """What comes of it is the same, so only the work can show it."""
    parser = parser_of(stream=stream)
    parser.feed("a ")
    called = []
    sys.setprofile(lambda frame, *_: called.append(frame.f_code.co_name))
    try:
        parser.feed(chunk)
    finally:
        sys.setprofile(None)
    assert "feed" in called
    assert "_read" not in called


def test_a_turn_is_finished_or_cancelled():
    parser = cogwire.Parser("hermes", clock=None)
    parser.feed('<tool_call>{"name": "a"}</tool_call>')
    with pytest.raises(ValueError, match="a turn can be finished or cancelled, not both"):
        parser.close(finished=True, cancelled=True)
    assert [event["type"] for event in parser.close(finished=True)] == ["execute"]
    assert parser.dialect == "hermes"
