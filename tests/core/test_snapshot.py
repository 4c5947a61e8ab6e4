"""Snapshots: a parser goes on elsewhere as if nothing had happened, and nothing forged gets in."""

import copy
import itertools
import json

import pytest
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import (
    DIALECTS,
    IS_BRIEF,
    LINES,
    bare,
    end,
    hopped,
    respond,
    run,
    singles,
    split,
    think,
    without,
)
from tests.core.laws import law

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
X = '<execute>[{"name":"a","args":{"x":'
ITEM = '{"tool":"a","status":"success","content":[1,"x"]}'

E = "<execute><w><a>"
CALL = '§call: {"name":"a"}\n'
RUN = f"{CALL}§execute\n"
WHOLE = '{"tool":"a","status":"failure","content":"no"}'
VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'

TURNS = {
    "xml-json": [
        "  a b \n<thi <think> c \U0001f600 </thin </think> d <end>e",
        f"a{BLOCK}rest",
        f'<execute> [ {A} , {{"args":{{"k":[{{"l":"\\ud83d\\ude00\\n"}},-1.5e+3,true,null]}},"name":"b"}} ] </execute>',
        f"<execute>[{A},x</exec</execute>y",
        "<execute>[{}]</execute>",
        X + '"\\ud83d"',
        X + '{"a":1,"a":2}',
        X + "1e999}",
        "a <results>b",
        "<think>never closed </think",
    ],
    "xml-elements": [
        "a<think>b</think><execute> <a/> <b ><x>1&#x1F600;&amp;]]</x >\n<y /></b> </execute>c",
        f"{E}<![CDATA[]</a>]]]]>]</a></w></execute>",
        f"{E}]]>x</exec</execute>y",
        "<execute><w/><w></execute>x",
        f"{E}</a><a/>",
        f"{E}&#x110000;",
        "<execute><execute/>",
        f"{E}\ud83d\ude00\ud83d</a>",
    ],
    "delimiter": [
        " a \n§thi\n §think: b §end \U0001f600\n§respond:c\n§End d",
        f"a\n{CALL}§think: b\n{CALL}\n§execute c",
        '§call: {"name":"a","args":{"x":[1,"\\ud83d\\ude00"]}}§execute',
        f"{CALL}§call: {{x\n{CALL}§call: y §execute",
        f"{CALL}§thing\n§end",
        f"{CALL}§respond: x\n§end",
        f"{CALL} §exe",
        '§call: {"name":"a","args":{"x":1',
        "a\n[SYSTEM: b",
    ],
    "delimiter-upper": [
        "§THINK: a\n\n§RESPOND: b\n[SYS\n§EXECUTES\n§EXECUTE",
        '§CALL:{"name":"a"} [SYSTEM:x',
        "§CALL: \ud83d",
    ],
}
TRANSCRIPTS = {
    "xml-json": [
        f"a{BLOCK} \n<results> [{ITEM}] </results> b<end>c{BLOCK}",
        f"{BLOCK}<results>[{ITEM},</results>a<results>]</result</results>b",
        '<execute>x</exe</execute>\n<results>[{"tool":"execute","status":"failure","content":"no"}]</results>',
        f"{BLOCK} <resul<think>a",
        f"{BLOCK}<results>[{ITEM}",
    ],
    "xml-elements": [
        f"a<execute><a/></execute> \n<results> [{ITEM}] </results> b<end>c<execute><b/></execute>",
        "<execute>x</exe</execute>\n<results>[</results>",
        "<execute><w></execute>\n<results>[{}]</results>a",
    ],
    "delimiter": [
        f"a\n{RUN}§result: x\n§thi\n§respond: b\n§end c",
        f"{CALL}{RUN}§result: {WHOLE}\n[SYSTEM: [1]\n]\nb\n",
        f"§call: x\n§execute\n§result: {VOID_ITEM}\n§result: y\n§res",
        f"{CALL}[SYSTEM: x]y\n§execute\n§result: z",
        f'{RUN}§result: {WHOLE[:-1]},"a":1}}\n§res§end',
        f"{CALL}{RUN}[SYSTEM: a]\n{RUN}[SYST",
        "§execute\n§result: []\n§execute\n[SYSTEM: x]\ny",
    ],
    "delimiter-upper": [
        f"{RUN}[SYSTEM: a]]\r\n [SYSTEM: b]\n§END",
        f"{RUN}[SYSTEM: \ud83d]\nb",
    ],
}


def texts(named):
    """List them as dialect and text."""
    return [(dialect, text) for dialect in DIALECTS for text in named[dialect]]


def parser_of(**options):
    return cogwire.Parser(clock=None, **options)


# --- Going on ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("dialect", "text"), texts(TURNS))
@pytest.mark.parametrize("stream", ["event", "token"])
@pytest.mark.parametrize("raw", [False, True], ids=["plain", "raw"])
@pytest.mark.parametrize("start", ["prose", "think"])
def test_a_turn_goes_on_at_every_character(dialect, text, stream, raw, start):
    check_every_cut(text, dialect=dialect, stream=stream, raw=raw, start=start)


@pytest.mark.parametrize(("dialect", "text"), texts(TRANSCRIPTS))
@pytest.mark.parametrize("stream", ["event", "token"])
@pytest.mark.parametrize("raw", [False, True], ids=["plain", "raw"])
@pytest.mark.parametrize("start", ["prose", "think"])
def test_a_transcript_goes_on_at_every_character(dialect, text, stream, raw, start):
    text = f"</think>{text}" if start == "think" and dialect not in LINES else text
    options = {"stream": stream, "raw": raw, "start": start}
    check_every_cut(text, dialect=dialect, mode="transcript", **options)


def check_every_cut(text, **options):
    """Assert that no snapshot changes anything, at one place or at all."""
    for data in (text, text.encode("utf-8", "surrogatepass")):
        whole = run(singles(data), **options)
        assert run(singles(data), hop=True, **options) == whole
    for cut in range(0, len(text) + 1, 10 if IS_BRIEF else 1):
        chunks = split(text, cut)
        assert run(chunks, hop=True, **options) == run(chunks, **options)


def test_half_a_character_goes_on():
    """Bytes and halves of a pair that wait for their rest are integers in the snapshot."""
    section_sign = b"\xc2\xa7end"
    for data in (
        "\U0001f600".encode(),
        "\ud83d\ude00",
        b"\xe2\x82\xac",
        b"\xe2\x82A",
        section_sign,
    ):
        for chunks, dialect in itertools.product((singles(data), singles(data[:-1])), DIALECTS):
            assert run(chunks, hop=True, dialect=dialect) == run(chunks, dialect=dialect)


def test_a_closed_parser_stays_closed():
    parser = parser_of()
    parser.feed("a")
    parser.close()
    other = hopped(parser)
    assert other.close() == []
    with pytest.raises(RuntimeError):
        other.feed("b")
    other.next_turn()
    assert other.feed("b<end>") == [respond("b"), end()]


@pytest.mark.parametrize(("dialect", "text"), texts(TURNS) + texts(TRANSCRIPTS))
@pytest.mark.parametrize("mode", ["turn", "transcript"])
def test_a_closed_parser_is_restored_wherever_it_was_closed(dialect, text, mode):
    for cut in range(len(text) + 1):
        parser = parser_of(dialect=dialect, mode=mode, raw=True)
        parser.feed(text[:cut])
        parser.close()
        other = hopped(parser)
        assert other.close() == []
        assert other.snapshot() == parser.snapshot()


def test_the_next_turn_after_a_snapshot():
    """Options survive; what belongs to a turn begins again."""
    parser = parser_of(stream="token", raw=True, start="think", limits=cogwire.Limits(calls=1))
    parser.feed("a</think>b<end>c")
    other = hopped(parser)
    assert other.discarded == 1
    other.next_turn()
    assert bare(other.feed(f"d</think><execute>[{A},{A}]")) == [
        {"type": "think", "content": "d", "raw": "d</think>"},
        {"type": "call", "content": A, "raw": f"<execute>[{A}"},
        {
            "type": "error",
            "code": "limit-calls",
            "offset": 9 + 9 + len(A) + 2,
            "path": "/1",
            "calls": 1,
            "raw": ",{",
        },
    ]


def test_a_clock_is_given_anew():
    """A clock is no JSON value."""
    parser = cogwire.Parser(clock=lambda: 1.0)
    parser.feed("a")
    value = parser.snapshot()
    assert cogwire.Parser.restore(value, clock=lambda: 2.0).close()[0]["timestamp"] == 2.0
    assert cogwire.Parser.restore(value).close()[0]["timestamp"] > 1_600_000_000
    assert "timestamp" not in cogwire.Parser.restore(value, clock=None).close()[0]


def test_one_snapshot_gives_many_parsers():
    """They share nothing with each other, the snapshot, or the parser it was taken from."""
    parser = parser_of()
    parser.feed("<think>a")
    value = parser.snapshot()
    before = copy.deepcopy(value)
    first, second = (cogwire.Parser.restore(value, clock=None) for _ in range(2))
    assert first.feed("b</think>") == [think("ab")]
    assert second.feed("c</think>") == [think("ac")]
    assert parser.feed("d</think>") == [think("ad")]
    assert value == before
    value.clear()
    assert parser.close() == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_copy_is_a_parser_of_its_own(dialect):
    """Neither sees what the other one is fed, wherever the text stands."""
    for text in [*TURNS[dialect], *TRANSCRIPTS[dialect]]:
        for place in range(0, len(text) + 1, 10 if IS_BRIEF else 1):
            parser = cogwire.Parser(
                dialect, clock=None, mode="transcript", stream="token", raw=True
            )
            before = parser.feed(text[:place])
            twin = copy.copy(parser)
            assert twin.snapshot() == parser.snapshot()
            twin.feed("<end>\n\ud83d §end [x]]>")
            alone = cogwire.Parser(dialect, clock=None, mode="transcript", stream="token", raw=True)
            after = parser.feed(text[place:]) + parser.close()
            assert (
                before + after
                == alone.feed(text[:place]) + alone.feed(text[place:]) + alone.close()
            )


def test_a_copy_keeps_the_clock():
    """It is the same parser but for its place in memory."""
    parser = cogwire.Parser(clock=lambda: 7.0)
    parser.feed("a")
    assert copy.copy(parser).close() == [{**respond("a"), "timestamp": 7.0}]


def test_a_snapshot_changes_nothing():
    text = f"a <think>b</think>{BLOCK}c"
    parser = parser_of(raw=True)
    events = []
    for character in text:
        assert parser.snapshot() == parser.snapshot()
        events += parser.feed(character)
    assert events == run(singles(text), raw=True).events


@law(
    make.inputs,
    st.fixed_dictionaries(
        {
            "mode": make.modes,
            "start": make.starts,
            "stream": make.streams,
            "raw": st.booleans(),
        }
    ),
)
def test_a_snapshot_is_plain_json(dialect, data, options):
    """It is what UTF-8 can hold, and what comes back from it is equal to it."""
    parser = parser_of(dialect=dialect, **options)
    for chunk in split(data, len(data) // 2):
        parser.feed(chunk)
        value = parser.snapshot()
        written = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        assert json.loads(written) == value
        assert type(value["version"]) is int


# --- What is refused --------------------------------------------------------------------------


def taken(text, **options):
    """Return a snapshot behind `text`."""
    parser = parser_of(**options)
    parser.feed(text)
    return json.loads(json.dumps(parser.snapshot()))


TAKEN = {
    "xml-json": [
        *(
            taken(text[:cut])
            for text in TURNS["xml-json"]
            for cut in (0, len(text) // 2, len(text))
        ),
        *(
            taken(text[: len(text) // 2], mode="transcript", raw=True)
            for text in TRANSCRIPTS["xml-json"]
        ),
        taken(f"{BLOCK}<results>[", mode="transcript"),
        taken(f"{BLOCK} ", mode="transcript", start="think"),
        taken(b"a\xe2\x82"),
        taken("a\ud83d"),
        taken("a ", stream="token"),
        taken("<think>a <", stream="token", raw=True),
        taken(" ", start="think"),
    ],
} | {
    dialect: [
        *(
            taken(text[:cut], dialect=dialect)
            for text in TURNS[dialect]
            for cut in (len(text) // 2, len(text))
        ),
        *(
            taken(text[: len(text) * part // 4], dialect=dialect, mode="transcript", raw=True)
            for text in TRANSCRIPTS[dialect]
            for part in (2, 3, 4)
        ),
        taken(" ", dialect=dialect, start="think"),
        taken("a \n", dialect=dialect, stream="token"),
    ]
    for dialect in DIALECTS[1:]
}
SOME = [value for values in TAKEN.values() for value in values]


def refused(value):
    with pytest.raises(ValueError, match=r"\w"):
        cogwire.Parser.restore(value)


@pytest.mark.parametrize(
    "value", [None, True, 1, 1.5, "", "{}", [], [1], {}, {1: 2}, {"version": 1}]
)
def test_what_is_no_snapshot(value):
    refused(value)


@pytest.mark.parametrize("version", [0, -1, 10**30, "2", 2.0, None, True, [2]])
def test_another_version(version):
    for value in SOME:
        refused(value | {"version": version})
        refused(value | {"version": value["version"] + 1})
        refused(value | {"version": value["version"] - 1})


def test_a_missing_member():
    for value in SOME:
        for name in value:
            refused({key: value[key] for key in value if key != name})


def test_an_unknown_member():
    for value in SOME:
        refused(value | {"more": None})


@pytest.mark.parametrize(
    "wrong", [{"a": 1}, 1.5, -1, [[]], ["\ud800", 1], "\ud800", "no such thing"]
)
def test_a_member_of_the_wrong_type(wrong):
    """None of these is a value of any member, but for text where text is free."""
    free = {"content", "white", "carry", "block", "unclaimed"}
    for value in SOME:
        for name in value:
            if wrong != "no such thing" or name not in free:
                refused(value | {name: wrong})


@pytest.mark.parametrize(
    "name",
    [
        *("version", "raw", "closed", "started", "offset", "discarded", "segment"),
        *("fresh", "void", "room", "form"),
    ],
)
def test_booleans_and_numbers_are_not_the_same(name):
    for value in SOME:
        old = value[name]
        refused(value | {name: int(old) if isinstance(old, bool) else bool(old)})


@pytest.mark.parametrize("name", ["size", "calls", "depth", "digits"])
@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "1", None])
def test_limits_that_no_parser_has(name, wrong):
    for value in SOME:
        refused(value | {"limits": value["limits"] | {name: wrong}})
        refused(value | {"limits": {key: 1 for key in value["limits"] if key != name}})
        refused(value | {"limits": value["limits"] | {"more": 1}})


def elements(text, **options):
    return taken(text, dialect="xml-elements", **options)


def lines(text, **options):
    return taken(text, dialect="delimiter", **options)


def changed(value, **members):
    assert members.keys() <= value.keys()
    return value | members


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(changed(taken("a<thi"), carry="xyz"), id="held text that begins no marker"),
        pytest.param(changed(taken("a<thi"), carry="<think>"), id="a whole marker held"),
        pytest.param(changed(taken("a<thi"), carry="</thi"), id="another region's marker held"),
        pytest.param(changed(taken("<end>ab"), carry="<"), id="text held after a stop"),
        pytest.param(changed(taken("a<thi"), offset=4), id="less text than is held"),
        pytest.param(changed(taken("ab"), content="a<end>"), id="a marker in prose"),
        pytest.param(changed(taken("<think>ab</"), content="</think>"), id="a closer in a think"),
        pytest.param(changed(taken("<end>ab"), content="a"), id="content after a stop"),
        pytest.param(changed(taken("ab", stream="token"), content="a"), id="content in token mode"),
        pytest.param(changed(taken("ab ", stream="token"), white="x"), id="letters as white space"),
        pytest.param(changed(taken("ab"), white=" "), id="white space in event mode"),
        pytest.param(changed(taken("<end>ab"), started=True), id="an open segment after a stop"),
        pytest.param(changed(taken("ab"), segment=1), id="a segment number in event mode"),
        pytest.param(changed(taken("ab"), discarded=1), id="discarded text in prose"),
        pytest.param(changed(taken("<end>ab"), discarded=8), id="more discarded than fed"),
        pytest.param(changed(taken("ab"), unclaimed="a"), id="a ledger without raw"),
        pytest.param(changed(taken("ab"), block="["), id="a block in prose"),
        pytest.param(changed(taken("<execute>[{}"[:11]), block="[x"), id="a broken block"),
        pytest.param(changed(taken("<execute>[   "), block="[1"), id="a block of the wrong shape"),
        pytest.param(changed(taken(BLOCK[:-1]), block="[]</execute>"), id="a closed block"),
        pytest.param(changed(taken(BLOCK[:-1]), block="[]</execute>x"), id="more than a block"),
        pytest.param(changed(taken("ab"), answers=["a"]), id="a batch to answer in prose"),
        pytest.param(changed(taken("ab"), region="answer"), id="a transcript's region in a turn"),
        pytest.param(changed(taken("ab"), region="results"), id="results in a turn"),
        pytest.param(
            changed(taken("ab", mode="transcript"), region="paused"), id="a stopped transcript"
        ),
        pytest.param(changed(taken("ab"), region="opening"), id="an opening where prose starts"),
        pytest.param(changed(taken("a<thi"), closed=True), id="text held after the end"),
        pytest.param(
            changed(taken("ab"), unit=None, pending=[0xD83D]), id="half a character of nothing"
        ),
        pytest.param(changed(taken("ab"), pending=[0xDE00]), id="a low half waiting"),
        pytest.param(changed(taken("ab"), pending=[0xD83D, 0xD83D]), id="two halves waiting"),
        pytest.param(changed(taken("ab"), pending=[0x41]), id="a letter waiting"),
        pytest.param(changed(taken("ab"), pending=[True]), id="a boolean waiting"),
        pytest.param(changed(taken(b"ab"), pending=[0x41]), id="a whole byte waiting"),
        pytest.param(changed(taken(b"ab"), pending=[0xFF]), id="an invalid byte waiting"),
        pytest.param(changed(taken(b"ab"), pending=[256]), id="more than a byte"),
        pytest.param(
            changed(taken(b"ab"), pending=[0xE2, 0x82, 0xAC]), id="a whole character waiting"
        ),
        pytest.param(changed(taken(b"ab"), pending=[0xE2, 0x41]), id="a broken sequence waiting"),
        pytest.param(changed(taken(b"ab"), unit="bytearray"), id="another unit"),
        pytest.param(changed(taken("ab"), unit=None), id="text of no unit"),
        pytest.param(changed(taken("ab"), dialect="delimiter", fresh=2), id="no truth value"),
        pytest.param(changed(taken("ab"), fresh=False), id="a line in a dialect with tags"),
        pytest.param(changed(taken("ab"), void=True), id="a void batch where there is none"),
        pytest.param(changed(taken("ab"), room=1), id="room for results in prose"),
        pytest.param(changed(taken("ab"), form=2), id="a third form of results"),
        pytest.param(changed(taken("ab"), region="payload"), id="a payload between tags"),
        pytest.param(changed(taken("ab"), bodies=[]), id="bodies of results in prose"),
        pytest.param(changed(elements("<execute><a"), block="<a:"), id="broken elements"),
        pytest.param(
            changed(elements("<execute><a/>"), block="<a/></execute>"),
            id="a closed block of elements",
        ),
        pytest.param(changed(lines("ab"), region="execute"), id="a block by lines"),
        pytest.param(changed(lines("ab"), region="void"), id="a void block by lines"),
        pytest.param(
            changed(lines("§think: a"), content="", started=True),
            id="a line that began without text",
        ),
        pytest.param(changed(lines("a\n§"), carry="§x"), id="no keyword held"),
        pytest.param(changed(lines("a\n§"), carry="§think:"), id="a whole keyword held"),
        pytest.param(changed(lines("a\n§"), carry="[system"), id="a result in lower case held"),
        pytest.param(changed(lines("ab"), content="\n§end\n"), id="a marker in prose by lines"),
        pytest.param(changed(lines("§call: {"), block="{}"), id="a broken payload"),
        pytest.param(changed(lines("§call: {"), block='{"name":"a"}'), id="a whole payload"),
        pytest.param(changed(lines(CALL), block='{"name"'), id="half a payload behind a call"),
        pytest.param(changed(lines(CALL), region="between"), id="a transcript by lines in a turn"),
        pytest.param(changed(lines(CALL), void=True), id="calls that wait in a void batch"),
        pytest.param(
            changed(lines(f"{RUN}§result: a", mode="transcript"), bodies=["x"]), id="no item"
        ),
        pytest.param(
            changed(lines(f"{RUN}[SYSTEM: a]\n", mode="transcript"), bodies=[WHOLE] * 2),
            id="more items than calls",
        ),
        pytest.param(
            changed(lines(f"{RUN}§result: a", mode="transcript"), room=10**9), id="too much room"
        ),
        pytest.param(
            changed(lines(f"{RUN}§result: a", mode="transcript"), answers=[], bodies=[WHOLE]),
            id="items without calls",
        ),
    ],
)
def test_what_no_parser_can_hold(value):
    refused(value)


# --- Whatever is not refused ------------------------------------------------------------------

#: What a forger may put anywhere: wrong, extreme, and nearly right.
junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 300),
    st.sampled_from([10**30, -(10**30), 0.5, 0xD83D, 0xDE00]),
    st.sampled_from(
        ["", " ", "<", "</", "<thi", "</thi", "</exec", "[", f"[{A}", f"[{A}]", "\ud83d"]
    ),
    st.sampled_from(["§", "§exe", "§end", "[SYST", "]", "\n", '{"name":"a"}', "<a/>", "<a><b>&"]),
    st.sampled_from(["payload", "called", "body", "between", *DIALECTS]),
    st.sampled_from(["prose", "think", "execute", "results", "paused", "ended", "opening", "void"]),
    st.sampled_from(["answer", "broken", "forged", "turn", "transcript", "event", "token"]),
    st.sampled_from(["str", "bytes"]),
    st.sampled_from(DIALECTS).flatmap(make.hostile_texts),
    st.lists(st.one_of(st.integers(0, 300), st.sampled_from(["a", "b", 0xD83D])), max_size=3),
    st.lists(st.sampled_from([WHOLE, VOID_ITEM, ITEM]), max_size=2),
)


def forged(dialect):
    """Draw a snapshot with a few members changed: by junk, or by another snapshot's."""
    return spoilt(st.sampled_from(TAKEN[dialect]))


@st.composite
def spoilt(draw, values):
    value = copy.deepcopy(draw(values))
    other = draw(st.one_of(values, values, st.sampled_from(SOME)))
    for name in draw(st.lists(st.sampled_from(sorted(value)), min_size=1, max_size=4)):
        value[name] = draw(st.one_of(st.just(other[name]), junk))
    return value


def restored(value):
    try:
        return cogwire.Parser.restore(value, clock=None)
    except ValueError:
        return None


@law(forged, make.hostile_texts, parses=False)
def test_a_forged_snapshot_is_refused_or_harmless(dialect, value, text):
    """What is restored never raises for what it is fed, and its own snapshots are good."""
    parser = restored(value)
    if parser is None:
        return
    chunks = singles(text.encode("utf-8", "surrogatepass") if value["unit"] == "bytes" else text)
    if not value["closed"]:
        for chunk in chunks:
            parser = hopped(parser)
            parser.feed(chunk)
    parser.close()
    assert parser.state in {"prose", "think", "execute", "results", "paused", "ended"}
    assert parser.discarded >= 0
    assert isinstance(parser.tail, str)
    assert hopped(parser).close() == []


@law(forged, make.hostile_texts, parses=False)
def test_a_forged_snapshot_changes_no_law(dialect, value, text):
    """Chunking stays invisible behind it."""
    parser = restored(value)
    if parser is None or value["closed"]:
        return
    data = text.encode("utf-8", "surrogatepass") if value["unit"] == "bytes" else text
    whole = [*parser.feed(data), *parser.close()]
    other = cogwire.Parser.restore(value, clock=None)
    cut = [*itertools.chain(*map(other.feed, singles(data))), *other.close()]
    assert written(without(whole, "segment", "done")) == written(without(cut, "segment", "done"))
    assert (parser.state, parser.discarded, parser.tail) == (
        other.state,
        other.discarded,
        other.tail,
    )


def written(events):
    """Join what token mode may cut anywhere: neighbours of one type that are text."""
    runs = []
    for event in events:
        if runs and event["type"] in {"think", "respond"} and runs[-1]["type"] == event["type"]:
            for name in {"content", "raw"} & event.keys():
                runs[-1][name] += event[name]
        else:
            runs.append(dict(event))
    return runs
