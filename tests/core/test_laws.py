"""The nine laws of the parser as properties, and the core held against the executable spec.

The laws are numbered as at the top of the parser's source.
"""

import gc
import itertools
import json
import math
import statistics
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire, oracle
from tests.core import generators as make
from tests.core.helpers import (
    LIVE,
    WHITE,
    assert_ledger,
    bare,
    cuts,
    encodable,
    hopped,
    joined,
    messages,
    repaired,
    run,
    singles,
    split,
)


@st.composite
def fed(draw, inputs=make.inputs):
    """Draw an input and its chunks."""
    data = draw(inputs)
    return data, split(data, *draw(make.chunkings(data)))


#: How to read it: everything that changes what the events are.
readings = st.fixed_dictionaries(
    {"mode": make.modes, "start": make.starts, "limits": make.limits},
)


def options_of(reading):
    return reading | {"limits": cogwire.Limits(*reading["limits"])}


def compared(outcome):
    """Everything about a run that no chunking may change."""
    events = joined(outcome.events)
    return bare(events), messages(events), outcome.state, outcome.discarded, outcome.tail


# --- Documents and the executable spec --------------------------------------------------------


@given(make.documents, make.streams, st.integers(1, 9))
def test_0_a_valid_document_gives_its_events(document, stream, size):
    """The expected events come from the generator of the document."""
    chunks = [document.text[at : at + size] for at in range(0, len(document.text), size)]
    outcome = run(chunks, stream=stream, **document.options)
    assert bare(outcome.events) == document.events
    assert outcome.state == document.state
    assert outcome.discarded == document.discarded


@given(make.documents)
def test_0_parse_is_feed_and_close(document):
    parse = {"turn": cogwire.parse, "transcript": cogwire.parse_transcript}
    events = parse[document.options["mode"]](
        document.text, start=document.options["start"], clock=None
    )
    assert bare(events) == document.events


@given(fed(), readings, make.streams, st.booleans())
def test_0_the_core_is_the_executable_spec(feed, reading, stream, raw):
    """Two implementations that share nothing agree on every input."""
    data, chunks = feed
    expected = oracle.parse(data, raw=raw, **reading)
    outcome = run(chunks, stream=stream, raw=raw, **options_of(reading))
    assert bare(outcome.events) == expected.events
    assert outcome.state == expected.state
    assert outcome.discarded == expected.discarded
    assert outcome.tail == expected.tail


#: Every kind of value, run together as models write it.
EDITED = {
    "calls": '<execute>[{"name":"a","args":{}},{"name":"b","args":{"x":[1,-2.5e3],"y":"\\n\\ud83d\\ude00"}}]'
    "</execute>",
    "pretty calls": '<execute>\n[\n  {"args": {"a": {"b": [true, null]}}, "name": "\\u00e9"}\n]\n</execute> x',
    "results": '<execute>[{"name":"a","args":{}}]</execute><results>[{"tool":"a","status":"failure",'
    '"content":"x"}]</results>y',
    "segments": " a <think> b </think> c<think></think>\n<end>d",
}


@pytest.mark.parametrize(
    ("name", "limits"), [*((name, make.DEFAULTS) for name in EDITED), ("calls", (60, 1, 4, 3))]
)
def test_0_every_single_edit(name, limits):
    """Each character left out, doubled, or replaced by or preceded by each of the others."""
    text = EDITED[name]
    alphabet = sorted({*text, *'<>/{}[]:,"\\ \n09-+.eEtnux\0\x7f\ud83d\ufffd'})
    edits = {text[:at] + text[at + 1 :] for at in range(len(text))}
    for at, new in itertools.product(range(len(text) + 1), alphabet):
        edits |= {text[:at] + new + text[at:], text[:at] + new + text[at + 1 :]}
    options = options_of({"mode": "transcript", "start": "prose", "limits": limits})
    for edited in edits:
        expected = oracle.parse(edited, mode="transcript", limits=limits)
        outcome = run([edited], **options)
        assert bare(outcome.events) == expected.events, edited
        assert outcome.state == expected.state, edited


# --- 1: never raises --------------------------------------------------------------------------

MEMBERS = {
    "think": {"type", "content"},
    "respond": {"type", "content"},
    "call": {"type", "content"},
    "execute": {"type"},
    "end": {"type"},
    "result": {"type", "content", "payload"},
    "error": {"type", "code", "content", "offset", "calls"},
}


@given(fed(), readings, make.streams, st.booleans())
def test_1_any_input_gives_plain_events(feed, reading, stream, raw):
    """Every event is a JSON object that UTF-8 can hold, with the members of its type."""
    _, chunks = feed
    outcome = run(chunks, stream=stream, raw=raw, **options_of(reading))
    for event in outcome.events:
        optional = {"segment", "done", "path", "raw"} & event.keys()
        assert event.keys() - optional == MEMBERS[event["type"]]
        assert ("raw" in event) == raw
        assert ("segment" in event) == (stream == "token" and event["type"] in {"think", "respond"})
    written = json.dumps(outcome.events, ensure_ascii=False, allow_nan=False)
    assert json.loads(written.encode()) == outcome.events


@given(fed(), readings)
def test_1_a_block_has_one_error(feed, reading):
    """In a turn at most one error comes, and nothing comes after it."""
    data, chunks = feed
    events = run(chunks, **options_of(reading | {"mode": "turn"})).events
    types = [event["type"] for event in events]
    assert all(kind in {"think", "respond", "call"} for kind in types[:-1]), data
    assert types.count("execute") + types.count("error") + types.count("end") <= 1


# --- 2: chunking is invisible -----------------------------------------------------------------


@given(fed(), readings, make.streams)
def test_2_no_cut_changes_anything(feed, reading, stream):
    """Messages of errors, `raw`, `tail` and `discarded` included."""
    data, chunks = feed
    options = options_of(reading) | {"stream": stream, "raw": True}
    expected = compared(run([data], **options))
    assert compared(run(chunks, **options)) == expected
    assert compared(run(singles(data), **options)) == expected
    interleaved = [piece for chunk in chunks for piece in (data[:0], chunk)]
    assert compared(run(interleaved, **options)) == expected
    if encodable(data):
        assert compared(run([data.encode()], **options)) == expected
        assert compared(run(singles(data.encode()), **options)) == expected


@given(make.inputs, readings, make.streams)
def test_2_no_single_cut_changes_anything(data, reading, stream):
    """Every place at which a text can be cut in two."""
    options = options_of(reading) | {"stream": stream}
    data = data[:300]
    expected = compared(run([data], **options))
    for cut in cuts(len(data)):
        assert compared(run(split(data, cut), **options)) == expected, cut


# --- 3: modes agree ---------------------------------------------------------------------------


@given(fed(), readings, st.booleans())
def test_3_joined_tokens_are_the_events(feed, reading, raw):
    data, chunks = feed
    options = options_of(reading) | {"raw": raw}
    tokens = run(chunks, stream="token", **options)
    assert compared(tokens) == compared(run([data], stream="event", **options))


# --- 4: the ledger balances -------------------------------------------------------------------


@given(fed(), readings, make.streams)
def test_4_every_character_is_accounted_for_once(feed, reading, stream):
    data, chunks = feed
    options = options_of(reading) | {"stream": stream}
    outcome = run(chunks, raw=True, **options)
    assert_ledger(data, outcome.events, outcome.tail, outcome.discarded)
    plain = run(chunks, raw=False, **options)
    assert bare(plain.events) == bare(outcome.events, "raw")
    assert (plain.state, plain.discarded, plain.tail) == (outcome.state, outcome.discarded, "")


@given(fed(), readings, make.streams)
def test_4_the_ledger_balances_after_every_feed(feed, reading, stream):
    """What no event has claimed yet is in `tail`, but for what the decoder holds."""
    data, chunks = feed
    parser = cogwire.Parser(clock=None, raw=True, stream=stream, **options_of(reading))
    claimed, fed_so_far = "", data[:0]
    for chunk in chunks:
        claimed += "".join(event["raw"] for event in parser.feed(chunk))
        fed_so_far += chunk
        known = len(claimed) + len(parser.tail) + parser.discarded
        assert repaired(fed_so_far).startswith(claimed + parser.tail)
        assert known in {len(repaired(fed_so_far)), len(repaired(fed_so_far)) - 1}


# --- 5: linear --------------------------------------------------------------------------------

X = '<execute>[{"name":"a","args":{"x":'

#: Texts that grow with their argument, each near a way to be slow.
GROWING = {
    "prose": lambda size: "word " * (size // 5),
    "marker starts": lambda size: "<" * size,
    "half markers": lambda size: "<think" * (size // 6),
    "white space": lambda size: " " * size,
    "white space and a letter": lambda size: ("a" + " " * 99) * (size // 100),
    "white space and half a marker": lambda size: (" " * 95 + "<thin") * (size // 100),
    "a think": lambda size: "<think>" + "</thin" * (size // 6),
    "thinks": lambda size: "<think>a</think>" * (size // 16),
    "a string": lambda size: X + '"' + "a" * size,
    "closers in a string": lambda size: X + '"' + "</execute>" * (size // 10),
    "escapes": lambda size: X + '"' + '\\"' * (size // 2),
    "unicode escapes": lambda size: X + '"' + "\\ud83d\\ude00" * (size // 12),
    "numbers": lambda size: X + "[" + "1," * (size // 2),
    "objects": lambda size: X + "[" + '{"a":1},' * (size // 8),
    "members": lambda size: X + "{" + ",".join(f'"{n}":1' for n in range(size // 8)),
    "white space in a block": lambda size: "<execute>" + " " * size,
    "white space in an element": lambda size: X + " " * size,
    "small calls": lambda size: "<execute>[" + '{"name":"a","args":{}},' * (size // 23),
    "calls with colons in strings": lambda size: (
        "<execute>[" + '{"name":"a","args":{"x":"::::::::"}},' * (size // 38)
    ),
    "calls with pairs in escapes": lambda size: (
        "<execute>[" + '{"name":"a","args":{"x":"\\ud83d\\ude00"}},' * (size // 43)
    ),
    "calls with long numbers": lambda size: (
        "<execute>[" + '{"name":"a","args":{"x":1.00000000000000}},' * (size // 44)
    ),
    "a call of brackets": lambda size: X + "[" * (size // 2) + "]" * (size // 2) + "}}",
    "many answers": lambda size: (
        "<execute>["
        + ",".join(['{"name":"a","args":{}}'] * (size // 100))
        + "]</execute><results>["
        + '{"tool":"a","status":"success","content":{"x":":"}},' * (size // 100)
    ),
    "a broken block": lambda size: "<execute>x" + "</execut" * (size // 8),
    "discarded": lambda size: "<end>" + "<think>" * (size // 7),
    "forged results": lambda size: "<results>" + "</result" * (size // 8),
    "results": lambda size: "<execute>[]</execute><results>[" + "1" * size,
    "waiting for results": lambda size: "<execute>[]</execute>" + " " * size,
    "rounds": lambda size: "<execute>[]</execute><results>[]</results>a<end>" * (size // 48),
}

BOUNDLESS = cogwire.Limits(size=10**9, calls=10**9, depth=10**9, digits=10**9)


def operations(function):
    """Count the calls of functions, Python's and the interpreter's own, that `function` makes."""
    count = 0

    def profile(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    previous = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(previous)
    return count


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
@pytest.mark.parametrize("size", [1, 7, 10**9], ids=["one by one", "by seven", "whole"])
@pytest.mark.parametrize("stream", ["event", "token"])
def test_5_twice_the_text_is_twice_the_work(grow, size, stream):
    """In calls of functions; the next test sees what one call may cost."""

    def work(length):
        text = grow(length)
        parser = cogwire.Parser(clock=None, mode="transcript", stream=stream, limits=BOUNDLESS)
        chunks = [text[at : at + size] for at in range(0, len(text), size)]

        def feed():
            for chunk in chunks:
                parser.feed(chunk)
            parser.close()

        return operations(feed)

    once, twice = work(2000), work(4000)
    assert twice <= 2.2 * once + 50


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
@pytest.mark.parametrize("stream", ["event", "token"])
@pytest.mark.parametrize("raw", [False, True], ids=["plain", "raw"])
def test_5_a_character_is_not_paid_for_again(grow, stream, raw):
    """Late in a long text one more character allocates no more than early: nothing is copied."""
    text = grow(60_000)
    options = {"clock": None, "mode": "transcript", "stream": stream, "raw": raw}
    parser = cogwire.Parser(limits=BOUNDLESS, **options)
    parser.feed(text[:-200])
    allocated = []
    tracemalloc.start()
    try:
        for character in text[-200:]:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            parser.feed(character)
            _, peak = tracemalloc.get_traced_memory()
            allocated.append(peak - before)
    finally:
        tracemalloc.stop()
    assert statistics.median(allocated) < 4000


@pytest.mark.parametrize("name", ["prose", "half markers", "a think", "thinks", "discarded"])
def test_5_tokens_need_no_memory(name):
    """In token mode two megabytes of text leave nothing behind."""
    text = GROWING[name](2_000_000)
    parser = cogwire.Parser(clock=None, stream="token")
    parser.feed(text[:1000])
    gc.collect()
    tracemalloc.start()
    try:
        for at in range(1000, len(text), 1000):
            parser.feed(text[at : at + 1000])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000


# --- 6: prompt --------------------------------------------------------------------------------


def shown(text, markers):
    """Return what of an open segment must have been given: all that cannot be a marker or trailing."""
    for size in range(min(len(text), max(map(len, markers)) - 1), 0, -1):
        if any(marker != text[-size:] and marker.startswith(text[-size:]) for marker in markers):
            text = text[:-size]
            break
    return text.strip(WHITE)


@given(make.texts)
def test_6_prose_and_think_are_given_at_once(text):
    """After each character the deltas hold all but what may be a marker or trailing white space."""
    text = repaired(text)
    parser = cogwire.Parser(clock=None, stream="token")
    segment, given, markers = "", "", LIVE
    for character in text:
        state = parser.state
        events = parser.feed(character)
        if state not in {"prose", "think"} or parser.state not in {"prose", "think"}:
            break
        segment += character
        marker = next((one for one in markers if segment.endswith(one)), "")
        given += "".join(event["content"] for event in events)
        if marker:
            content = segment[: -len(marker)].strip(WHITE)
            assert given == content
            assert not content or events[-1]["done"] is True
            segment, given = "", ""
            markers = LIVE if marker == "</think>" else ("</think>",)
        else:
            assert given == shown(segment, markers)
            assert not any("done" in event for event in events)


def test_6_what_may_be_a_repeated_opener_is_held():
    """Where a turn starts in think, its opener may still come."""
    parser = cogwire.Parser(clock=None, stream="token", start="think")
    assert parser.feed(" <thin") == []
    [delta] = parser.feed("g")
    assert delta["content"] == "<thing"


@given(make.inputs, readings)
def test_6_an_event_comes_with_its_last_character(data, reading):
    """Fed one by one, each event comes in the feed of the character that completes it."""
    text = repaired(data)
    parser = cogwire.Parser(clock=None, raw=True, **options_of(reading))
    claimed = 0
    for fed_so_far, character in enumerate(text, start=1):
        for event in parser.feed(character):
            claimed += len(event["raw"])
            at_end = event["type"] in {"call", "execute", "end", "result", "error"}
            assert not at_end or claimed == fed_so_far, event
            if event["type"] == "error" and event["code"] != "forged-results":
                assert event["offset"] == fed_so_far - 1
    late = parser.close()
    assert all(event["type"] != "execute" and event["type"] != "call" for event in late)
    for event in late:
        assert event.get("offset", len(text)) == len(text)


@given(make.texts, readings)
def test_6_an_error_says_nothing_of_what_comes_later(data, reading):
    """The text up to the offending character gives the same error as the whole."""
    text = repaired(data)
    whole = run([text], **options_of(reading)).events
    at = next((index for index, event in enumerate(whole) if event["type"] == "error"), None)
    if at is None or whole[at]["offset"] == len(text):
        return
    offset = whole[at]["offset"]
    known = offset + (len("<results>") if whole[at]["code"] == "forged-results" else 1)
    parser = cogwire.Parser(clock=None, **options_of(reading))
    assert parser.feed(text[:known]) == whole[: at + 1]


# --- 7: nothing runs by accident --------------------------------------------------------------


def strict(pairs):
    """Make an object of a block, for a reader that is not ours."""
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), "duplicate names"
    return dict(pairs)


def refuse(constant):
    raise AssertionError(constant)


def finite(digits):
    assert math.isfinite(float(digits))
    return digits


@given(fed(), readings)
def test_7_only_a_whole_and_strictly_valid_block_runs(feed, reading):
    """`execute` comes last, behind calls that a strict reader finds in the block, and no others."""
    _, chunks = feed
    reading = reading | {"mode": "turn"}
    events = run(chunks, raw=True, **options_of(reading)).events
    if not events or events[-1]["type"] != "execute":
        assert all(event["type"] != "execute" for event in events)
        return
    calls = [event for event in events if event["type"] == "call"]
    assert events[-1 - len(calls) : -1] == calls
    written = "".join(event["raw"] for event in events[-1 - len(calls) :])
    body = written[written.index("<execute>") + len("<execute>") : -len("</execute>")]
    assert written.endswith("</execute>")
    json.dumps(json.loads(body), ensure_ascii=False).encode()
    hooks = {"object_pairs_hook": strict, "parse_constant": refuse}
    elements = json.loads(body, parse_int=finite, parse_float=finite, **hooks)
    assert elements == [
        json.loads(event["content"], parse_int=finite, parse_float=finite, **hooks)
        for event in calls
    ]
    for element in elements:
        assert isinstance(element["name"], str)
        assert element["name"] not in {"", "execute"}
        assert isinstance(element["args"], dict)


@given(fed(), readings)
def test_7_in_a_transcript_calls_run_before_anything_else_comes(feed, reading):
    """The event behind calls is `execute`, or the error that voids them all."""
    _, chunks = feed
    events = run(chunks, **options_of(reading | {"mode": "transcript"})).events
    waiting = 0
    for event in events:
        if event["type"] == "call":
            waiting += 1
        elif waiting:
            assert event["type"] in {"execute", "error"}
            assert event["type"] == "execute" or event["calls"] == waiting
            waiting = 0
    assert waiting == 0


# --- 8: round trip ----------------------------------------------------------------------------

characters = st.characters(exclude_categories=["Cs"])
any_text = st.one_of(st.text(characters, max_size=8), make.running, make.anything)
any_value = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False),
        any_text,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)
    ),
    max_leaves=6,
)
tools = any_text.filter(lambda name: name not in {"", "execute"})
any_calls = st.lists(
    st.fixed_dictionaries(
        {"name": tools, "args": st.dictionaries(any_text, any_value, max_size=3)}
    ),
    max_size=4,
)


def exact(value):
    """Make a value that tells 1 from 1.0 and from True."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@given(any_calls)
def test_8_rendered_calls_are_read_back(calls):
    text = cogwire.render_calls(calls)
    events = cogwire.parse(text, clock=None)
    assert events.pop() == {"type": "execute"}
    assert [exact(json.loads(event["content"])) for event in events] == [
        exact(call) for call in calls
    ]
    assert not any(marker in text[len("<execute>") : -len("</execute>")] for marker in LIVE)


@st.composite
def any_batches(draw):
    """Draw calls and what came of them."""
    success = st.tuples(st.just("success"), any_value)
    failure = st.tuples(st.just("failure"), any_text)
    calls = draw(any_calls)
    outcomes = [draw(st.one_of(success, failure)) for _ in calls]
    return calls, [
        {"tool": call["name"], "status": status, "content": content}
        for call, (status, content) in zip(calls, outcomes, strict=True)
    ]


@given(any_batches())
def test_8_rendered_results_are_read_back(batch):
    calls, items = batch
    text = cogwire.render_results(items)
    assert not any(marker in text[1:] for marker in (*LIVE, "</think>", "</execute>"))
    assert text.count("</results>") == 1
    whole = cogwire.render_calls(calls) + "\n" + text
    *_, result = cogwire.parse_transcript(whole, clock=None)
    assert result["type"] == "result"
    assert exact(json.loads(result["content"])) == exact(items)
    assert result["payload"]["tools_executed"] == len(items)
    assert result["payload"]["failure_count"] == sum(item["status"] == "failure" for item in items)


def rendered(events):
    """Return the text of `events`, or nothing if the wire cannot say them."""
    try:
        return cogwire.render_events(events)
    except cogwire.RenderError:
        return None


@given(make.transcripts())
def test_8_rendered_events_are_read_back(document):
    """What the wire can say comes back as it was, and only what it cannot is refused."""
    text = rendered(
        [
            {"content": "what is wrong"} | event if event["type"] == "error" else event
            for event in document.events
        ]
    )
    types = [event["type"] for event in document.events]
    cannot = "error" in types or ("respond", "respond") in itertools.pairwise(types)
    assert (text is None) == cannot
    if text is not None:
        assert bare(cogwire.parse_transcript(text, clock=None)) == document.events


# --- 9: resumable -----------------------------------------------------------------------------


@given(fed(), readings, make.streams, st.booleans())
def test_9_another_process_goes_on_with_the_same_events(feed, reading, stream, raw):
    _, chunks = feed
    options = options_of(reading) | {"stream": stream, "raw": raw}
    assert run(chunks, hop=True, **options) == run(chunks, **options)


@given(fed(), readings, make.streams, st.booleans())
def test_9_a_restored_parser_is_the_same(feed, reading, stream, raw):
    """Its snapshot, state and counts are those of the parser it was taken from."""
    _, chunks = feed
    parser = cogwire.Parser(clock=None, stream=stream, raw=raw, **options_of(reading))
    for chunk in chunks:
        parser.feed(chunk)
        other = hopped(parser)
        assert other.snapshot() == parser.snapshot()
        assert (other.state, other.discarded) == (parser.state, parser.discarded)
        assert other.tail == parser.tail
    parser.close()
    assert hopped(parser).close() == []
