"""A value that is not a snapshot of a parser is refused with its wrong member, or harmless."""

import copy
import itertools
import json
import re

import pytest
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import DIALECTS, IS_BRIEF, hopped, singles, unmeasured, without
from tests.core.laws import law
from tests.core.parser.test_snapshot import (
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
from tests.rows import rows

# --- What is refused --------------------------------------------------------------------------


def taken(text, **options):
    """Return a snapshot after `text`."""
    parser = parser_of(**options)
    parser.feed(text)
    return json.loads(json.dumps(parser.snapshot()))


#: Between two calls of a batch.
SAID = "§respond: b c\n"

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
        taken(BLOCK[:-3], calls="sealed", raw=True, spans=True),
        taken(BLOCK[:-12], stream="token", calls="sealed", call_deltas=True),
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
        *(
            taken(TURNS[dialect][0][:-9], dialect=dialect, calls="sealed", **options)
            for options in ({"raw": True}, {"stream": "token", "call_deltas": True})
        ),
        *(
            taken(f"{text}§resp", dialect=dialect, calls="sealed", **options)
            for text in (
                f"a§think:b\n{CALL}",
                f"a\n{CALL}{SAID}{CALL} ",
                f"{CALL}{SAID}{CALL[:-3]}",
            )
            for options in ({"raw": True}, {"stream": "token", "call_deltas": True})
            if dialect != "xml-elements"
        ),
    ]
    for dialect in DIALECTS[1:]
}
SOME = [value for values in TAKEN.values() for value in values]


def refused(value, words=r"\w"):
    """Assert that `value` is refused in these words."""
    message = None
    try:
        cogwire.Parser.restore(value)
    except ValueError as refusal:
        message = str(refusal)
    assert message is not None, value
    assert re.search(words, message), value


def test_an_invalid_snapshot_is_refused():
    refused({**taken("a"), "dialect": "mine"}, "a described format is passed as `dialect`$")
    for value in (None, True, 1, 1.5, "", "{}", [], [1], {}, {1: 2}, {"version": 1}):
        refused(value)


def test_another_description_of_the_same_name():
    """Else a call might be ended by a marker that did not begin it."""
    described = cogwire.format_named("hermes").format.to_json()
    own, other = (
        cogwire.Format.from_json({**described, "name": "own", "call": [f"<{tag}>", f"</{tag}>"]})
        for tag in "ab"
    )
    value = cogwire.Parser(own).snapshot()
    assert cogwire.Parser.restore(value, dialect=own).snapshot() == value
    words = "the snapshot's 'description' is invalid: that of own is another, which was passed"
    with pytest.raises(ValueError, match=words):
        cogwire.Parser.restore(value, dialect=other)
    with pytest.raises(ValueError, match="that of hermes is another; pass `dialect`"):
        cogwire.Parser.restore({**value, "dialect": "hermes"})
    assert taken("a")["description"] is None


def test_another_version_is_named_in_few_words():
    named = [(7**200, "a value of type int"), ("2", "'2'"), (0, "0"), ([], "type list")]
    for version, words in named:
        value = parser_of().snapshot() | {"version": version}
        refused(value, f"of version (?:a value of )?{words};")
    for value in SOME:
        now = value["version"]
        for version in (-1, 10**30, 2.0, None, True, [2], now + 1, now - 1):
            refused(value | {"version": version})


def test_a_member_that_is_nested_deeply():
    """Its text would take more stack than there is."""
    deep = []
    for _ in range(5000):
        deep = [deep]
    value = taken("a")
    for name in value:
        refused(value | {name: deep})
        refused(value | {name: {"a": deep}})


def test_a_member_too_few_or_too_many():
    for value in SOME:
        for name in value:
            refused({key: value[key] for key in value if key != name})
        refused(value | {"more": None})


@unmeasured()
def test_a_member_of_the_wrong_type():
    """None of these is a value of any member, but for text where text is free."""
    free = {"text", "block", "unclaimed"}
    wrongs = ({"a": 1}, 1.5, -1, [[]], ["\ud800", 1], "\ud800", "no such thing")
    for value, wrong in itertools.product(SOME[:: 9 if IS_BRIEF else 1], wrongs):
        for name in value:
            if wrong != "no such thing" or name not in free:
                refused(value | {name: wrong})


NUMBERS = ("version", "offset", "discarded", "segment", "room", "form")
BOOLEANS = ("raw", "spans", "call_deltas", "closed", "started", "fresh", "void")


def test_booleans_and_numbers_are_not_the_same():
    for value, name in itertools.product(SOME, (*NUMBERS, *BOOLEANS)):
        if name not in value:
            continue  # it is of another kind of frame
        old = value[name]
        assert isinstance(old, bool) == (name in BOOLEANS)
        refused(value | {name: int(old) if isinstance(old, bool) else bool(old)})


def test_limits_that_no_parser_has():
    for value in SOME:
        old = value["limits"]
        refused(value | {"limits": old | {"more": 1}})
        for name in ("size", "calls", "depth", "digits"):
            refused(value | {"limits": {key: 1 for key in old if key != name}})
            for wrong in (0, -1, 1.5, True, "1", None):
                refused(value | {"limits": old | {name: wrong}})


def elements(text, **options):
    return taken(text, dialect="xml-elements", **options)


def lines(text, **options):
    return taken(text, dialect="delimiter", **options)


def changed(value, **members):
    assert members.keys() <= value.keys()
    return value | members


#: The member that says so, a good snapshot, and what is changed in it.
# fmt: off
FORGED = [
    ("offset", taken("a"), {"offset": 10**5000}),  # more characters than there can be
    ("text", taken("a<thi", stream="token"), {"text": "xyz"}),  # held text that begins no marker
    ("region", taken("a<thi"), {"text": "a<think>", "offset": 99}),  # a whole marker held
    ("started", taken("<th", stream="token"), {"text": "<<t"}),  # two beginnings held
    ("started", taken("<th", stream="token"), {"text": "§ex"}),  # a marker of lines held between tags
    ("text", taken("a<thi", stream="token"), {"text": "</thi", "offset": 99}),  # another region's marker held
    ("discarded", taken("<end>ab"), {"text": "<"}),  # text held after a stop
    ("offset", taken("a<thi"), {"offset": 4}),  # less text than is held
    ("region", taken("ab"), {"text": "a<end>", "offset": 99}),  # a marker in prose
    ("region", taken("<think>ab</"), {"text": "</think>"}),  # a closer in a think
    ("discarded", taken("<end>ab"), {"text": "a"}),  # content after a stop
    ("text", taken("ab", stream="token"), {"text": "a"}),  # content in token mode
    ("text", taken("ab ", stream="token"), {"text": "x"}),  # letters as white space
    ("text", taken("<think> ", stream="token"), {"text": " "}),  # white space before all content
    ("started", taken("<end>ab"), {"started": True}),  # an open segment after a stop
    ("started", taken("ab"), {"started": False}),  # text of no segment
    ("segment", taken("ab"), {"segment": 1}),  # a segment number in event mode
    ("discarded", taken("ab"), {"discarded": 1, "offset": 99}),  # discarded text in prose
    ("offset", taken("<end>ab"), {"discarded": 8}),  # more discarded than fed
    ("unclaimed", taken("ab"), {"unclaimed": "a"}),  # a ledger without raw
    ("unclaimed", taken("a<thi", raw=True), {"unclaimed": "b<thi"}),  # a ledger of another text
    ("text", taken("<execute>[{}"[:11]), {"text": "[x"}),  # a broken block
    ("text", taken("<execute>[ "), {"text": "[1"}),  # a block of the wrong shape
    ("region", taken(BLOCK[:-1]), {"text": "[]</execute>"}),  # a closed block
    ("discarded", taken(BLOCK[:-1]), {"text": "[]</execute>x"}),  # more than a block
    ("answers", taken("ab"), {"answers": ["a"]}),  # a batch to answer in prose
    ("region", taken("ab"), {"region": "answer"}),  # a transcript's region in a turn
    ("region", taken("ab"), {"region": "results"}),  # results in a turn
    ("region", taken("ab", mode="transcript"), {"region": "paused"}),  # a stopped transcript
    ("region", taken("ab"), {"region": "opening"}),  # an opening where prose starts
    ("region", taken(""), {"region": "opening"}),  # an opening of a text that begins as prose
    ("closed", taken("a<thi"), {"closed": True}),  # text held after the end
    ("closed", taken(BLOCK[:-1]), {"closed": True}),  # a block held after the end
    ("pending", taken(""), {"unit": None, "pending": [0xD83D]}),  # half a character of nothing
    ("pending", taken("ab"), {"pending": [0xDE00]}),  # a low half waiting
    ("pending", taken("ab"), {"pending": [0xD83D, 0xD83D]}),  # two halves waiting
    ("pending", taken("ab"), {"pending": [0x41]}),  # a letter waiting
    ("pending", taken("ab"), {"pending": [0x110000]}),  # no character waiting
    ("pending", taken("ab"), {"pending": [10**30]}),  # a number waiting
    ("pending", taken(b"ab"), {"pending": 10**12}),  # as many bytes as no memory holds
    ("pending", taken("ab"), {"pending": [True]}),  # a boolean waiting
    ("pending", taken(b"ab"), {"pending": [0x41]}),  # a whole byte waiting
    ("pending", taken(b"ab"), {"pending": [0xFF]}),  # an invalid byte waiting
    ("pending", taken(b"ab"), {"pending": [256]}),  # more than a byte
    ("pending", taken(b"ab"), {"pending": [0xE2, 0x82, 0xAC]}),  # a whole character waiting
    ("pending", taken(b"ab"), {"pending": [0xE2, 0x41]}),  # a broken sequence waiting
    ("unit", taken(b"ab"), {"unit": "bytearray"}),  # another unit
    ("unit", taken("ab"), {"unit": None}),  # text of no unit
    ("spans", taken("ab"), {"spans": object()}),  # no value of JSON
    ("form", taken("ab"), {"form": 1}),  # a second form of results between tags
    ("form", taken("ab"), {"form": 2}),  # a third form of results
    ("text", taken("ab ", stream="token"), {"text": "\xa0"}),  # a space of Unicode
    ("region", taken("ab"), {"region": "payload"}),  # a payload between tags
    ("text", elements("<execute><a"), {"text": "<a:"}),  # broken elements
    ("started", elements("<th", stream="token"), {"text": "<TH"}),  # a marker in another case held
    ("region", elements("<execute><a/>"), {"text": "<a/></execute>", "offset": 99}),  # a closed block of elements
    ("fresh", lines("ab"), {"fresh": 2}),  # no truth value
    ("discarded", lines("ab"), {"text": "§end\n", "offset": 99}),  # a marker first by lines
    ("fresh", lines("a \n", stream="token"), {"fresh": False}),  # no new line after a line end
    ("fresh", lines("a ", stream="token"), {"fresh": True}),  # a new line within one
    ("fresh", lines("a\nb"), {"fresh": True}),  # a new line after a letter
    ("fresh", lines("§think: a"), {"text": "", "started": True}),  # a line that began without text
    ("block", lines("ab"), {"block": "[", "offset": 99}),  # a block in prose
    ("room", lines("ab"), {"room": 1}),  # room for results in prose
    ("bodies", lines("ab"), {"bodies": []}),  # bodies of results in prose
    ("region", lines("ab"), {"region": "execute"}),  # a block by lines
    ("region", lines("ab"), {"region": "void"}),  # a void block by lines
    ("text", lines("a\n§", stream="token"), {"text": "\n§x", "offset": 99}),  # no keyword held
    ("region", lines("a\n§"), {"text": "a\n§think:", "offset": 99}),  # a whole keyword held
    ("started", lines("§ex", stream="token"), {"text": "<th"}),  # a tag held by lines
    ("started", lines("§ex", stream="token"), {"text": "§e\u017f"}),  # a letter of another case held
    ("text", lines("a\n§", stream="token"), {"text": "\n[system", "offset": 99}),  # a result in lower case held
    ("discarded", lines("ab"), {"text": "\n§end\n", "offset": 99}),  # a marker in prose by lines
    ("block", lines("§call: {"), {"block": "{}"}),  # a broken payload
    ("offset", lines("§call: {"), {"block": '{"name":"a"}'}),  # a whole payload
    ("text", lines("§call: {"), {"text": "{"}),  # text that is not of the payload
    ("block", lines(CALL), {"block": '{"name"'}),  # half a payload after a call
    ("region", lines(CALL), {"region": "between"}),  # a transcript by lines in a turn
    ("block", lines(CALL), {"void": True}),  # calls that wait in a void batch
    ("bodies", lines(f"{RUN}§result: a", mode="transcript"), {"bodies": ["x"]}),  # no item
    ("bodies", lines(f"{RUN}[SYSTEM: a]\n", mode="transcript"), {"bodies": [WHOLE] * 2}),  # more items than calls
    ("room", lines(f"{RUN}§result: a", mode="transcript"), {"room": 10**9}),  # too much room
    ("text", lines(f"{RUN}§result: a", mode="transcript"), {"room": 0}),  # too little room
    ("bodies", lines(f"{RUN}§result: a", mode="transcript"), {"answers": [], "bodies": [WHOLE]}),  # items without calls
    ("region", lines(CALL), {"region": "prose", "text": CALL, "block": ""}),  # a sealed batch of calls that are shown
    ("block", lines(CALL), {"calls": "sealed"}),  # sealed calls without their text
    ("text", lines(CALL, calls="sealed"), {"text": f"a\n{CALL}", "offset": 99}),  # prose before the first call
    ("text", lines(CALL, calls="sealed"), {"text": "§call: x", "offset": 99}),  # a void batch that waits
    ("discarded", lines(CALL, calls="sealed"), {"text": f"{CALL}§execute ", "offset": 99}),  # a batch that is over
    ("closed", lines(CALL, calls="sealed"), {"closed": True}),  # a batch that waits after the end
    ("offset", lines(CALL, calls="sealed"), {"offset": 3}),  # a batch longer than the text
    ("region", lines(CALL, calls="sealed"), {"region": "called"}),  # a batch that begins after a call
    ("offset", lines(CALL, calls="sealed"), {"block": '{"name":"b"}'}),  # a call that is not in the text
    ("block", lines(CALL, calls="sealed"), {"block": '{"name":"b"}', "offset": 99}),  # a sealed call that was shown
    ("segment", lines(CALL, calls="sealed"), {"segment": 1}),  # a segment number in event mode
    ("offset", taken(BLOCK[:-3], calls="sealed"), {"offset": 3}),  # a block longer than the text
    ("unclaimed", taken(BLOCK[:-3], calls="sealed", raw=True), {"unclaimed": "[x"}),  # text claimed that waits
    ("unclaimed", lines(CALL, calls="sealed", raw=True), {"unclaimed": ""}),  # text claimed that waits by lines
]
# fmt: on


def test_what_no_parser_can_hold():
    """The error names the member that says so."""
    for member, value, changes in FORGED:
        refused(changed(value, **changes), rf"^the snapshot's '{member}' is invalid(: [A-Z].*)?$")


@rows(
    ("held_length", "value"),
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
def test_the_offset_is_at_least_the_length_of_the_held_text(held_length, value):
    """One character less is refused."""
    assert (
        cogwire.Parser.restore(changed(value, offset=held_length)).snapshot()["offset"]
        == held_length
    )
    refused(changed(value, offset=held_length - 1), "^the snapshot's 'offset' is invalid$")


@rows(
    ("value", "message"),
    [
        (
            changed(taken("<execute>["), text="[x"),
            "'text' is invalid: At /0: Expected an object or the end of the array, but got \"x\".",
        ),
        (
            changed(lines("§call: {"), block="{}"),
            '\'block\' is invalid: The call has no "name". Each call is {"name": "…", "args": {…}}.',
        ),
        (
            changed(lines(f"{RUN}§result: a", mode="transcript"), answers=[], bodies=[WHOLE]),
            "'bodies' is invalid: There were no calls, so the result must be [].",
        ),
    ],
)
def test_the_error_of_a_reader_is_the_reason(value, message):
    with pytest.raises(ValueError, match=f"^the snapshot's {re.escape(message)}$"):
        cogwire.Parser.restore(value)


REGIONS = (
    "opening, prose, think, execute, void, payload, section, called, answer, results, broken, body, "
    "between, forged, paused, ended"
)


@rows(
    ("name", "choices"),
    [
        ("stream", "event, token"),
        ("mode", "turn, transcript"),
        ("start", "prose, think, header"),
        ("calls", "shown, sealed"),
        ("region", REGIONS),
    ],
)
def test_a_word_that_does_not_exist_is_refused_with_those_that_do(name, choices):
    refused(changed(taken("a"), **{name: "x"}), f"^{name} must be one of {choices}, not 'x'$")


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
        value[name] = draw(st.one_of(st.just(other.get(name)), junk))
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
    rest = parser.close(finished=True)
    assert not value["closed"] or rest == []
    assert parser.state in {"prose", "think", "execute", "results", "paused", "ended"}
    assert parser.discarded >= 0
    assert isinstance(parser.tail, str)
    assert hopped(parser).close(finished=True) == []


@law(forged, make.hostile_texts, parses=False)
def test_a_forged_snapshot_changes_no_law(dialect, value, text):
    """Chunking stays invisible after it, and so do snapshots."""
    parser = restored(value)
    if parser is None or value["closed"]:
        return
    data = text.encode("utf-8", "surrogatepass") if value["unit"] == "bytes" else text
    whole = [*parser.feed(data), *parser.close(finished=True)]
    other = cogwire.Parser.restore(value, clock=None)
    cut = [*itertools.chain(*map(other.feed, singles(data))), *other.close(finished=True)]
    middle = len(data) // 2
    hopping = hopped(cogwire.Parser.restore(value, clock=None))
    carried = hopping.feed(data[:middle])
    hopping = hopped(hopping)
    carried += [*hopping.feed(data[middle:]), *hopping.close(finished=True)]
    expected = written(without(whole, "segment", "done"))
    assert written(without(cut, "segment", "done")) == expected
    assert written(without(carried, "segment", "done")) == expected
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
