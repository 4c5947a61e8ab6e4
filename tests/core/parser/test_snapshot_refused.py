"""What is no snapshot of any parser is refused, with the member that says so; or it is harmless."""

import copy
import itertools
import json
import re

import pytest
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import DIALECTS, hopped, singles, without
from tests.core.laws import law
from tests.core.test_snapshot import (
    BLOCK,
    CALL,
    ITEM,
    RUN,
    TRANSCRIPTS,
    TURNS,
    VOID_ITEM,
    WHOLE,
    A,
    parser_of,
)

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


def refused(value, words=r"\w"):
    with pytest.raises(ValueError, match=words):
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
    ("member", "value"),
    [
        pytest.param(
            "carry", changed(taken("a<thi"), carry="xyz"), id="held text that begins no marker"
        ),
        pytest.param(
            "carry", changed(taken("a<thi"), carry="<think>", offset=99), id="a whole marker held"
        ),
        pytest.param(
            "carry",
            changed(taken("a<thi"), carry="</thi", offset=99),
            id="another region's marker held",
        ),
        pytest.param("carry", changed(taken("<end>ab"), carry="<"), id="text held after a stop"),
        pytest.param("offset", changed(taken("a<thi"), offset=4), id="less text than is held"),
        pytest.param(
            "content", changed(taken("ab"), content="a<end>", offset=99), id="a marker in prose"
        ),
        pytest.param(
            "content", changed(taken("<think>ab</"), content="</think>"), id="a closer in a think"
        ),
        pytest.param("content", changed(taken("<end>ab"), content="a"), id="content after a stop"),
        pytest.param(
            "content", changed(taken("ab", stream="token"), content="a"), id="content in token mode"
        ),
        pytest.param(
            "white", changed(taken("ab ", stream="token"), white="x"), id="letters as white space"
        ),
        pytest.param("white", changed(taken("ab"), white=" "), id="white space in event mode"),
        pytest.param(
            "started", changed(taken("<end>ab"), started=True), id="an open segment after a stop"
        ),
        pytest.param(
            "segment", changed(taken("ab"), segment=1), id="a segment number in event mode"
        ),
        pytest.param(
            "discarded", changed(taken("ab"), discarded=1, offset=99), id="discarded text in prose"
        ),
        pytest.param(
            "offset", changed(taken("<end>ab"), discarded=8), id="more discarded than fed"
        ),
        pytest.param("unclaimed", changed(taken("ab"), unclaimed="a"), id="a ledger without raw"),
        pytest.param("block", changed(taken("ab"), block="["), id="a block in prose"),
        pytest.param("block", changed(taken("<execute>[{}"[:11]), block="[x"), id="a broken block"),
        pytest.param(
            "block", changed(taken("<execute>[   "), block="[1"), id="a block of the wrong shape"
        ),
        pytest.param(
            "block", changed(taken(BLOCK[:-1]), block="[]</execute>"), id="a closed block"
        ),
        pytest.param(
            "block", changed(taken(BLOCK[:-1]), block="[]</execute>x"), id="more than a block"
        ),
        pytest.param(
            "answers", changed(taken("ab"), answers=["a"]), id="a batch to answer in prose"
        ),
        pytest.param(
            "region", changed(taken("ab"), region="answer"), id="a transcript's region in a turn"
        ),
        pytest.param("region", changed(taken("ab"), region="results"), id="results in a turn"),
        pytest.param(
            "region",
            changed(taken("ab", mode="transcript"), region="paused"),
            id="a stopped transcript",
        ),
        pytest.param(
            "region", changed(taken("ab"), region="opening"), id="an opening where prose starts"
        ),
        pytest.param("closed", changed(taken("a<thi"), closed=True), id="text held after the end"),
        pytest.param(
            "pending",
            changed(taken("ab"), unit=None, pending=[0xD83D]),
            id="half a character of nothing",
        ),
        pytest.param("pending", changed(taken("ab"), pending=[0xDE00]), id="a low half waiting"),
        pytest.param(
            "pending", changed(taken("ab"), pending=[0xD83D, 0xD83D]), id="two halves waiting"
        ),
        pytest.param("pending", changed(taken("ab"), pending=[0x41]), id="a letter waiting"),
        pytest.param("pending", changed(taken("ab"), pending=[True]), id="a boolean waiting"),
        pytest.param("pending", changed(taken(b"ab"), pending=[0x41]), id="a whole byte waiting"),
        pytest.param(
            "pending", changed(taken(b"ab"), pending=[0xFF]), id="an invalid byte waiting"
        ),
        pytest.param("pending", changed(taken(b"ab"), pending=[256]), id="more than a byte"),
        pytest.param(
            "pending",
            changed(taken(b"ab"), pending=[0xE2, 0x82, 0xAC]),
            id="a whole character waiting",
        ),
        pytest.param(
            "pending", changed(taken(b"ab"), pending=[0xE2, 0x41]), id="a broken sequence waiting"
        ),
        pytest.param("unit", changed(taken(b"ab"), unit="bytearray"), id="another unit"),
        pytest.param("unit", changed(taken("ab"), unit=None), id="text of no unit"),
        pytest.param(
            "fresh", changed(taken("ab"), dialect="delimiter", fresh=2), id="no truth value"
        ),
        pytest.param(
            "fresh", changed(taken("ab"), fresh=False), id="a line in a dialect with tags"
        ),
        pytest.param(
            "claimed", changed(taken("a<thi", raw=True), claimed=5), id="more claimed than held"
        ),
        pytest.param("claimed", changed(taken("a<thi"), claimed=1), id="text claimed without raw"),
        pytest.param(
            "form", changed(taken("ab"), form=1), id="a second form of results between tags"
        ),
        pytest.param(
            "white", changed(taken("ab ", stream="token"), white="\xa0"), id="a space of Unicode"
        ),
        pytest.param(
            "content",
            changed(lines("ab"), content="§end\n", offset=99),
            id="a marker first by lines",
        ),
        pytest.param(
            "fresh",
            changed(lines("a \n", stream="token"), fresh=False),
            id="no new line behind a line end",
        ),
        pytest.param(
            "fresh", changed(lines("a ", stream="token"), fresh=True), id="a new line within one"
        ),
        pytest.param("fresh", changed(lines("a\nb"), fresh=True), id="a new line behind a letter"),
        pytest.param(
            "void", changed(taken("ab"), void=True), id="a void batch where there is none"
        ),
        pytest.param("room", changed(taken("ab"), room=1), id="room for results in prose"),
        pytest.param("form", changed(taken("ab"), form=2), id="a third form of results"),
        pytest.param("region", changed(taken("ab"), region="payload"), id="a payload between tags"),
        pytest.param("bodies", changed(taken("ab"), bodies=[]), id="bodies of results in prose"),
        pytest.param("block", changed(elements("<execute><a"), block="<a:"), id="broken elements"),
        pytest.param(
            "block",
            changed(elements("<execute><a/>"), block="<a/></execute>", offset=99),
            id="a closed block of elements",
        ),
        pytest.param("region", changed(lines("ab"), region="execute"), id="a block by lines"),
        pytest.param("region", changed(lines("ab"), region="void"), id="a void block by lines"),
        pytest.param(
            "fresh",
            changed(lines("§think: a"), content="", started=True),
            id="a line that began without text",
        ),
        pytest.param("carry", changed(lines("a\n§"), carry="§x", offset=99), id="no keyword held"),
        pytest.param(
            "carry", changed(lines("a\n§"), carry="§think:", offset=99), id="a whole keyword held"
        ),
        pytest.param(
            "carry",
            changed(lines("a\n§"), carry="[system", offset=99),
            id="a result in lower case held",
        ),
        pytest.param(
            "content",
            changed(lines("ab"), content="\n§end\n", offset=99),
            id="a marker in prose by lines",
        ),
        pytest.param("block", changed(lines("§call: {"), block="{}"), id="a broken payload"),
        pytest.param(
            "offset",
            changed(lines("§call: {"), block='{"name":"a"}'),
            id="a whole payload",
        ),
        pytest.param(
            "block", changed(lines(CALL), block='{"name"'), id="half a payload behind a call"
        ),
        pytest.param(
            "region", changed(lines(CALL), region="between"), id="a transcript by lines in a turn"
        ),
        pytest.param(
            "block", changed(lines(CALL), void=True), id="calls that wait in a void batch"
        ),
        pytest.param(
            "bodies",
            changed(lines(f"{RUN}§result: a", mode="transcript"), bodies=["x"]),
            id="no item",
        ),
        pytest.param(
            "bodies",
            changed(lines(f"{RUN}[SYSTEM: a]\n", mode="transcript"), bodies=[WHOLE] * 2),
            id="more items than calls",
        ),
        pytest.param(
            "room",
            changed(lines(f"{RUN}§result: a", mode="transcript"), room=10**9),
            id="too much room",
        ),
        pytest.param(
            "bodies",
            changed(lines(f"{RUN}§result: a", mode="transcript"), answers=[], bodies=[WHOLE]),
            id="items without calls",
        ),
    ],
)
def test_what_no_parser_can_hold(member, value):
    """The error names the member that says so."""
    refused(value, rf"^the snapshot's '{member}' cannot be(: [A-Z].*)?$")


@pytest.mark.parametrize(
    ("told", "value"),
    [
        pytest.param(6, taken("ab<thi"), id="content, and what is held back"),
        pytest.param(2, taken("a \n", stream="token"), id="white space"),
        pytest.param(6, taken("a \n<thi", stream="token"), id="white space, and what is held back"),
        pytest.param(4, taken('<execute>[{"a'), id="a block"),
        pytest.param(13, taken('<execute>[{"a', raw=True), id="a block in the ledger"),
        pytest.param(4, taken("abc<", raw=True), id="the ledger, and what is held back"),
        pytest.param(2, taken("<end>ab"), id="what was discarded"),
        pytest.param(6, lines("a\n§cal"), id="by lines, with the end of the line before"),
    ],
)
def test_as_much_text_was_fed_as_is_held(told, value):
    """One character less is refused."""
    assert cogwire.Parser.restore(changed(value, offset=told)).snapshot()["offset"] == told
    refused(changed(value, offset=told - 1), "^the snapshot's 'offset' cannot be$")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            changed(taken("<execute>["), block="[x"),
            "'block' cannot be: Expected an object or the end of the array, but got \"x\".",
        ),
        (
            changed(lines("§call: {"), block="{}"),
            '\'block\' cannot be: The call has no "name". Each call is {"name": "…", "args": {…}}.',
        ),
        (
            changed(lines(f"{RUN}§result: a", mode="transcript"), answers=[], bodies=[WHOLE]),
            "'bodies' cannot be: There were no calls; [] answers them.",
        ),
    ],
)
def test_what_a_reader_says_of_it_is_the_reason(value, said):
    with pytest.raises(ValueError, match=f"^the snapshot's {re.escape(said)}$"):
        cogwire.Parser.restore(value)


REGIONS = (
    "opening, prose, think, execute, void, payload, called, answer, results, broken, body, "
    "between, forged, paused, ended"
)


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("stream", "event, token"),
        ("mode", "turn, transcript"),
        ("start", "prose, think"),
        ("region", REGIONS),
    ],
)
def test_a_word_that_does_not_exist_is_refused_with_those_that_do(name, choices):
    refused(changed(taken("a"), **{name: "x"}), f"^{name} is one of {choices}, not 'x'$")


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
