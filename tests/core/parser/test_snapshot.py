"""Snapshots: a parser goes on elsewhere as if nothing had happened."""

import copy
import itertools
import json
import pickle

import pytest
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.faulty import CUT
from tests.core.helpers import (
    DIALECTS,
    IS_BRIEF,
    bare,
    hopped,
    parser_of,
    respond,
    result,
    run,
    singles,
    split,
    think,
    unmeasured,
)
from tests.core.laws import law
from tests.rows import rows

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
#: In brief, not every place of a text is tried.
STEP = 7 if IS_BRIEF else 1
ITEM = '{"tool":"a","status":"success","content":[1,"x"]}'

CALL = '§call: {"name":"a"}\n'
RUN = f"{CALL}§execute\n"
WHOLE = '{"tool":"a","status":"failure","content":"no"}'
VOID_ITEM = '{"tool":"execute","status":"failure","content":"no"}'

TURNS, TRANSCRIPTS = (
    {
        dialect: [
            each["text"] for each in CUT if (each["dialect"], each["mode"]) == (dialect, mode)
        ]
        for dialect in DIALECTS
    }
    for mode in ("turn", "transcript")
)


def texts(dialect):
    """List them with their modes."""
    turns = [("turn", text) for text in TURNS[dialect]]
    return turns + [("transcript", text) for text in TRANSCRIPTS[dialect]]


# --- Going on ---------------------------------------------------------------------------------


def test_an_incomplete_character_continues():
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


@rows("dialect", DIALECTS)
@rows("mode", ["turn", "transcript"])
@rows("calls", ["shown", "sealed"])
@unmeasured()
def test_a_closed_parser_is_restored_wherever_it_was_closed(dialect, mode, calls):
    for _, text in texts(dialect):
        for cut in range(0, len(text) + 1, STEP):
            parser = parser_of(dialect=dialect, mode=mode, calls=calls, raw=True)
            parser.feed(text[:cut])
            parser.close(finished=True)
            other = hopped(parser)
            assert other.close(finished=True) == [], text[:cut]
            assert (other.state, other.snapshot()) == (parser.state, parser.snapshot()), text[:cut]
            with pytest.raises(RuntimeError):
                other.feed("b")
            if mode == "turn":
                other.next_turn()
                assert (
                    other.snapshot() == parser_of(dialect=dialect, calls=calls, raw=True).snapshot()
                )


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


def test_a_restored_parser_needs_its_clock_again():
    """A clock is not a JSON value; a copy keeps it."""
    parser = cogwire.Parser(clock=lambda: 1.0)
    parser.feed("a")
    assert copy.copy(parser).close(finished=True) == [{**respond("a"), "timestamp": 1.0}]
    value = parser.snapshot()
    assert cogwire.Parser.restore(value, clock=lambda: 2.0).close()[0]["timestamp"] == 2.0
    assert cogwire.Parser.restore(value).close(finished=True)[0]["timestamp"] > 1_600_000_000
    assert "timestamp" not in cogwire.Parser.restore(value, clock=None).close(finished=True)[0]


def test_many_parsers_can_be_restored_from_one_snapshot():
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
    assert parser.close(finished=True) == []


def pickled(parser):
    return pickle.loads(pickle.dumps(parser))  # noqa: S301 (its own)


@rows("dialect", DIALECTS)
@rows("copied", [copy.copy, copy.deepcopy, pickled])
@unmeasured()
def test_a_copy_is_a_separate_parser(dialect, copied):
    """Neither sees what the other one is fed, wherever the text is."""
    for number, (_, text) in enumerate(texts(dialect)):
        for place in range(0, len(text) + 1, 2 * STEP):
            stream = ("event", "token")[number % 2]
            options = {"dialect": dialect, "mode": "transcript", "stream": stream, "raw": True}
            parser, alone = parser_of(**options), parser_of(**options)
            assert parser.feed(text[:place]) == alone.feed(text[:place])
            twin, third = copied(parser), copied(parser)
            assert twin.snapshot() == parser.snapshot()
            third.feed("<end>\n\ud83d §end [x]]>")
            expected = alone.feed(text[place:]) + alone.close(finished=True)
            for each in (parser, twin):
                assert each.feed(text[place:]) + each.close(finished=True) == expected, (
                    text,
                    place,
                )


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


@rows("dialect", DIALECTS)
@rows("mode", ["turn", "transcript"])
@rows("start", ["prose", "think"])
@rows("stream", ["event", "token"])
@unmeasured()
def test_earlier_cuts_do_not_change_a_snapshot(dialect, mode, start, stream):
    """A snapshot says where the text is, and not how it came."""
    options = {"dialect": dialect, "mode": mode, "start": start, "stream": stream, "raw": True}
    for _, text in texts(dialect):
        by_one = parser_of(**options)
        for place, character in enumerate(text, 1):
            by_one.feed(character)
            if place % STEP:
                continue
            whole = parser_of(**options)
            whole.feed(text[:place])
            assert by_one.snapshot() == whole.snapshot(), text[:place]


def test_results_begin_within_the_text():
    parser = cogwire.Parser("delimiter", mode="transcript", spans=True, clock=None)
    parser.feed('§call: {"name": "a"}\n§execute\n§result: o')
    state = parser.snapshot()
    assert cogwire.Parser.restore(state, clock=None).feed("k\n§end ")[0]["span"] == [30, 41]
    for extent in ([state["offset"] + 1, 0], [0, state["offset"] + 1]):
        with pytest.raises(ValueError, match=r"^the snapshot's 'extent' is invalid$"):
            cogwire.Parser.restore(state | {"extent": extent}, clock=None)
    prose = cogwire.Parser("delimiter", clock=None)
    prose.feed("§respond: a")
    with pytest.raises(ValueError, match=r"^the snapshot's 'extent' is invalid$"):
        cogwire.Parser.restore(prose.snapshot() | {"extent": [1, 2]}, clock=None)


@rows("dialect", ["delimiter", "hermes", "qwen3-coder", "mistral", "glm-4.5"])
@rows("depth", [1, 2, 3, 4])
@unmeasured()
def test_results_that_are_within_the_limits_are_restored(dialect, depth):
    """As items they are nested more deeply than as bodies."""
    calls = [{"type": "call", "content": '{"name": "a", "args": {}}'}] * 2
    item = '{"tool": "a", "status": "success", "content": [[1]]}'
    events = [*calls, {"type": "execute"}, result(f"[{item}, {item}]", 2)]
    text = cogwire.render_events(events, dialect)
    options = {"mode": "transcript", "limits": cogwire.Limits(depth=depth)}
    for place in range(0, len(text), STEP):
        parser = parser_of(dialect=dialect, **options)
        parser.feed(text[:place])
        other = cogwire.Parser.restore(parser.snapshot(), clock=None)
        rest = [each.feed(text[place:]) + each.close(finished=True) for each in (parser, other)]
        assert rest[0] == rest[1]


def test_events_completed_by_the_end_have_the_time_of_the_close():
    times = iter([1.0, 2.0, 3.0])
    parser = cogwire.Parser(stream="token", clock=lambda: next(times))
    parser.feed("a")
    parser.feed("\ud83d")
    assert [event["timestamp"] for event in parser.close(finished=True)] == [3.0, 3.0]
