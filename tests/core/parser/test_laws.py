"""The nine laws of the parser as properties, and the core held against the executable spec.

The laws are numbered as at the top of the parser's source, and hold in every dialect.
"""

import itertools
import json
import math
import re
import string

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire, oracle
from tests.core import faulty
from tests.core.helpers import (
    DIALECTS,
    IS_BRIEF,
    LINES,
    LIVE,
    MEMBERS,
    ONE_TOOL,
    TAGS,
    WHITE,
    assert_ledger,
    bare,
    cuts,
    encodable,
    hopped,
    in_fives,
    joined,
    messages,
    repaired,
    respond,
    result,
    run,
    singles,
    split,
    unmeasured,
)
from tests.core.laws import ALL, args_at_once, chunked, inputs, law, spec_of
from tests.core.turns.test_render import exactly
from tests.core.turns.test_render_in_each_dialect import (
    items_of,
    json_calls,
    read_back,
    tools,
    xml_calls,
    xml_names,
)
from tests.rows import rows


def in_chunks(dialect):
    """Draw an input and its chunks."""
    return chunked(inputs(dialect))


def readings(dialect):
    """Draw how to read it: everything that changes what the events are."""
    return st.fixed_dictionaries(
        {
            "dialect": st.just(dialect),
            "mode": make.modes,
            "start": make.starts,
            "limits": make.limits,
        }
    )


def sealed_or_not(dialect):
    """Draw how to read it, and when its calls are given."""
    return st.builds(
        lambda reading, calls: reading | {"calls": calls}, readings(dialect), make.calls
    )


def specified(dialect):
    """Draw how to read it as the executable spec can: of trained formats, turns."""
    both = sealed_or_not(dialect)
    return both if dialect in DIALECTS else both.map(lambda reading: reading | {"mode": "turn"})


def turns(dialect):
    """Draw how to read it as a turn."""
    return readings(dialect).map(lambda reading: reading | {"mode": "turn"})


def transcripts(dialect):
    """Draw how to read it as a transcript."""
    return readings(dialect).map(lambda reading: reading | {"mode": "transcript"})


def options_of(reading):
    return reading | {"limits": cogwire.Limits(*reading["limits"])}


def compared(outcome):
    """Everything about a run that no chunking may change."""
    events = joined(outcome.events)
    return bare(events), messages(events), outcome.state, outcome.discarded, outcome.tail


# --- Documents and the executable spec --------------------------------------------------------


def documents(dialect):
    """Draw documents, with a fault or without."""
    return make.documents(dialect) | make.faults(dialect)


@law(documents, make.streams, st.integers(1, 9))
def test_0_a_document_is_read_as_the_executable_spec_reads_it(dialect, document, stream, size):
    """In the way that was chosen for it, with whole turns, and limits that it crosses."""
    data, options = document.data, dict(document.options)
    options["limits"] = cogwire.Limits(**options.get("limits", {}))
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    outcome = run(chunks, stream=stream, **options)
    expected = spec_of(document)
    assert bare(outcome.events) == expected.events
    assert outcome.state == expected.state
    assert outcome.discarded == expected.discarded


@law(in_chunks, specified, make.streams, st.booleans(), st.booleans(), dialects=ALL)
def test_0_the_core_is_the_executable_spec(dialect, feed, reading, stream, raw, finished):  # noqa: PLR0917
    """Two implementations that share nothing agree on every input, whoever ended it."""
    data, chunks = feed
    expected = oracle.parse(data, raw=raw, is_finished=finished, **reading)
    closing = {"finished": finished}
    outcome = run(chunks, stream=stream, raw=raw, closing=closing, **options_of(reading))
    assert bare(outcome.events) == expected.events
    assert outcome.state == expected.state
    assert outcome.discarded == expected.discarded
    assert outcome.tail == expected.tail


@law(in_chunks, specified, st.booleans(), dialects=ALL)
def test_0_call_deltas_are_those_of_the_executable_spec(dialect, feed, reading, hop):
    """Joined; the other events are as without them."""
    data, chunks = feed
    expected = oracle.parse(data, call_deltas=True, raw=True, **reading)
    options = options_of(reading) | {"stream": "token", "raw": True}
    outcome = run(chunks, hop=hop, call_deltas=True, **options)
    assert bare(outcome.events) == expected.events
    assert (outcome.state, outcome.discarded, outcome.tail) == expected_rest(expected)
    others = [event for event in outcome.events if event["type"] != "call_delta"]
    assert joined(others) == joined(run([data], **options).events)


def expected_rest(outcome):
    return outcome.state, outcome.discarded, outcome.tail


#: Texts of every dialect, with every kind of value, and the limits under which they are read.
EDITED = {each["name"]: each["text"] for each in faulty.EDITED}
TIGHT = (60, 1, 4, 3)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        *((name, make.DEFAULT_LIMITS) for name in EDITED),
        *((f"{dialect} calls", TIGHT) for dialect in ("xml-json", "xml-elements", "delimiter")),
    ],
)
@unmeasured()
def test_0_every_single_edit(name, limits):
    """Each character left out, doubled, or replaced by or preceded by each of the others."""
    text, dialect = EDITED[name], name.split()[0]
    alphabet = sorted({*text, *ALPHABETS[dialect], *"\ud83d\ufffd"})
    edits = {text[:at] + text[at + 1 :] for at in range(len(text))}
    for at, new in itertools.product(range(len(text) + 1), alphabet):
        edits |= {text[:at] + new + text[at:], text[:at] + new + text[at + 1 :]}
    reading = {"dialect": dialect, "mode": "transcript", "start": "prose", "limits": limits}
    # Some of them, the same each time; the differential runs take the others.
    for edited in sorted(edits)[:: 25 if IS_BRIEF else max(1, 40 // settings.default.max_examples)]:
        expected = oracle.parse(edited, **reading)
        outcome = run([edited], **options_of(reading))
        assert bare(outcome.events) == expected.events, edited
        assert outcome.state == expected.state, edited


ALPHABETS = {
    "xml-json": '<>/{}[]:,"\\ \n09-+.eEtnux\0\x7f',
    "xml-elements": "<>/![]-?&#;:=x \n09A\0\x7f\ufffe",
    "delimiter": '§[]{}:," \n\r\tetSx0\0',
    "delimiter-upper": "§[]{}: \n\r\tEtSx\0",
}


# --- 1: never raises --------------------------------------------------------------------------


@law(in_chunks, readings, make.streams, st.booleans(), dialects=ALL)
def test_1_any_input_produces_plain_events(dialect, feed, reading, stream, raw):
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


# --- 2: chunking is invisible, and 3: modes agree -----------------------------------------------


@law(in_chunks, sealed_or_not, make.streams, dialects=ALL)
def test_2_no_cut_changes_anything(dialect, feed, reading, stream):
    """Nor does the stream: messages of errors, `raw`, `tail` and `discarded` are those of the events."""
    data, chunks = feed
    options = options_of(reading) | {"stream": stream, "raw": True}
    expected = compared(run([data], **options | {"stream": "event"}))
    assert compared(run([data], **options)) == expected
    assert compared(run(chunks, **options)) == expected
    assert compared(run(singles(data), **options)) == expected
    interleaved = [piece for chunk in chunks for piece in (data[:0], chunk)]
    assert compared(run(interleaved, **options)) == expected
    if encodable(data):
        assert compared(run([data.encode()], **options)) == expected
        assert compared(run(singles(data.encode()), **options)) == expected


@law(inputs, readings, make.streams, dialects=ALL)
def test_2_no_single_cut_changes_anything(dialect, data, reading, stream):
    """Every place at which a text can be cut in two."""
    options = options_of(reading) | {"stream": stream}
    data = data[:300]
    expected = compared(run([data], **options))
    for cut in cuts(len(data)):
        assert compared(run(split(data, cut), **options)) == expected, cut


def two_calls(name):
    tool, argument = ONE_TOOL.get(name, ("w", "a"))
    calls = [{"name": tool, "args": {argument: text}} for text in ("xy", "hel\nlo <x>")]
    return cogwire.render_calls(calls, name)


@rows("name", [*EDITED, *(each.name for each in cogwire.formats())])
@unmeasured()
def test_2_small_chunks_beside_large_ones_change_nothing(name):
    """Of each text, every beginning and every end is one chunk, and the rest single characters.

    What a reader keeps of a large chunk, two calls even, must not be taken for that of a small one.
    """
    text = EDITED.get(name) or two_calls(name)
    options = {"dialect": name.split()[0], "mode": "transcript" if name in EDITED else "turn"}
    for more in ({}, {"stream": "token", "call_deltas": True}):
        expected = compared(run([text], **options, **more))
        for cut in cuts(len(text))[:: 24 if IS_BRIEF else 2]:
            before, after = split(text, cut)
            assert compared(run([before, *singles(after)], **options, **more)) == expected, cut
            assert compared(run([*singles(before), after], **options, **more)) == expected, cut
            chunks = [before, after[:3], after[3:]]
            assert compared(run(chunks, hop=True, **options, **more)) == expected, cut


# --- 4: the ledger balances -------------------------------------------------------------------


@law(in_chunks, sealed_or_not, make.streams, dialects=ALL)
def test_4_every_character_is_accounted_for_once(dialect, feed, reading, stream):
    """After every feed what no event has claimed yet is in `tail`, but for what the decoder holds."""
    data, chunks = feed
    options = options_of(reading) | {"stream": stream}
    parser = cogwire.Parser(clock=None, raw=True, **options)
    events, so_far = [], data[:0]
    for chunk in chunks:
        events += parser.feed(chunk)
        so_far += chunk
        claimed = "".join(event["raw"] for event in events)
        known = len(claimed) + len(parser.tail) + parser.discarded
        assert repaired(so_far).startswith(claimed + parser.tail)
        assert known in {len(repaired(so_far)), len(repaired(so_far)) - 1}
    events += parser.close(finished=True)
    assert_ledger(data, events, parser.tail, parser.discarded)
    plain = run(chunks, raw=False, **options)
    assert bare(plain.events) == bare(events, "raw")
    assert (plain.state, plain.discarded) == (parser.state, parser.discarded)
    assert plain.tail == ""


# --- 6: prompt --------------------------------------------------------------------------------


def shown(text, markers):
    """Return what of an open segment must have been given: all that cannot be a marker or trailing."""
    for size in range(min(len(text), max(map(len, markers)) - 1), 0, -1):
        if any(marker != text[-size:] and marker.startswith(text[-size:]) for marker in markers):
            text = text[:-size]
            break
    return text.strip(WHITE)


@law(make.texts, dialects=TAGS)
def test_6_prose_and_think_are_given_at_once(dialect, text):
    """After each character the deltas hold all but what may be a marker or trailing white space."""
    text = repaired(text)
    parser = cogwire.Parser(dialect, clock=None, stream="token")
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


KEYWORDS = ("§think:", "§call:", "§respond:", "§result:", "§execute", "§end")
FOLDED = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def begun(segment):
    """Return where the marker begins that `segment` may end in; a segment begins where one counts."""
    place = max(segment.rfind("§"), segment.rfind("["), 0)
    before, rest = segment[:place], segment[place:]
    counts = not before.strip(WHITE) or before.rstrip(" \t")[-1] in "\r\n"
    keyword = rest.translate(FOLDED)
    begins = "[SYSTEM: ".startswith(rest) or any(one.startswith(keyword) for one in KEYWORDS)
    return place if counts and begins else len(segment)


@law(make.texts, dialects=LINES)
def test_6_lines_are_given_at_once(dialect, text):
    """After each character the deltas hold all but what may be a marker or trailing white space."""
    text = repaired(text)
    parser = cogwire.Parser(dialect, clock=None, stream="token")
    segment, given = "", ""
    for character in text:
        events = parser.feed(character)
        if parser.state not in {"prose", "think"}:
            break
        segment += character
        given += "".join(event["content"] for event in events)
        place = begun(segment)
        content = segment[:place].strip(WHITE)
        assert given == content
        is_over = segment[place:].translate(FOLDED) in {"§think:", "§respond:"}
        assert not (is_over and content) or events[-1]["done"] is True
        assert is_over or not any("done" in event for event in events)
        if is_over:
            segment, given = "", ""


def test_6_what_may_be_a_repeated_opener_is_held():
    """Where a turn starts in think, its opener may still come."""
    parser = cogwire.Parser(clock=None, stream="token", start="think")
    assert parser.feed(" <thin") == []
    [delta] = parser.feed("g")
    assert delta["content"] == "<thing"


#: The longest marker of the line dialects, with what must be after it.
LONGEST = len("§execute ")


def assert_at_once(dialect, event, text, claimed, known):
    """Assert that `event` came when it was known; it accounts for `text[:claimed]`."""
    kind = event.get("code", event["type"])
    if kind in {"think", "respond"}:
        return
    if dialect not in LINES or kind in {"call", "forged-results"}:
        assert claimed == known, event
    elif kind in {"execute", "end"}:
        assert claimed == known - 1, event
    elif kind == "missing-execute":
        assert event["offset"] == known - len("§end "), event
    elif kind.startswith("result"):
        assert len(text[claimed:known].lstrip(WHITE)) <= LONGEST, event
    else:
        assert claimed == known, event
    if event["type"] == "error" and claimed == known and kind != "forged-results":
        assert event["offset"] == known - 1, event


@law(make.inputs, readings)
def test_6_an_event_is_emitted_with_its_last_character(dialect, data, reading):
    """Fed one by one, each event comes in the feed of the character that completes it."""
    text = repaired(data)
    parser = cogwire.Parser(clock=None, raw=True, **options_of(reading))
    claimed = 0
    for fed_so_far, character in enumerate(text, start=1):
        for event in parser.feed(character):
            claimed += len(event["raw"])
            assert_at_once(dialect, event, text, claimed, fed_so_far)
    for event in parser.close(finished=True):
        kind = event.get("code", event["type"])
        assert kind != "call"
        if dialect not in LINES:
            assert kind != "execute"
            assert event.get("offset", len(text)) == len(text)
        elif kind == "missing-execute":
            assert text[event["offset"] :].translate(FOLDED) in {"", "§end"}
        elif not kind.startswith("results-"):
            assert event.get("offset", len(text)) == len(text)


@law(make.texts, readings)
def test_6_an_error_reveals_nothing_of_later_text(dialect, data, reading):
    """The text up to the offending character gives the same error as the whole."""
    text = repaired(data)
    whole = run([text], **options_of(reading)).events
    at = next((index for index, event in enumerate(whole) if event["type"] == "error"), None)
    if at is None or whole[at]["offset"] == len(text):
        return
    known = whole[at]["offset"] + 1
    code = whole[at]["code"]
    if dialect in LINES and (code.startswith("results-") or code == "missing-execute"):
        return
    if code == "forged-results":
        known = (
            re.compile(r"<results>|§result:|\[SYSTEM: ", re.IGNORECASE).match(text, known - 1).end()
        )
    parser = cogwire.Parser(clock=None, **options_of(reading))
    assert parser.feed(text[:known]) == whole[: at + 1]


@law(inputs, specified, st.integers(2, 60), dialects=ALL)
def test_6_args_are_shown_at_once(dialect, text, reading, most):
    """After each chunk the call deltas are what the text so far says of the args, for good."""
    text = repaired(text)[:200]
    for size in (1, most):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        args_at_once(chunks=chunks, **reading)


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


def strict_json(text):
    hooks = {"object_pairs_hook": strict, "parse_constant": refuse}
    json.dumps(json.loads(text), ensure_ascii=False).encode()
    return json.loads(text, parse_int=finite, parse_float=finite, **hooks)


_CHARACTER = r"[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = rf"[{_START}][{_START}\-.0-9\u00b7\u0300-\u036f\u203f\u2040]*"
_REFERENCE = r"&(?:amp|lt|gt|quot|apos|\#[0-9]+|\#x[0-9A-Fa-f]+);"
_SECTION = rf"<!\[CDATA\[(?:(?!\]\]>){_CHARACTER})*\]\]>"
_TEXT = rf"(?:(?!\]\]>|[<&]){_CHARACTER}|{_REFERENCE}|{_SECTION})*"
_ARGUMENT = rf"<(?P<argument>{_NAME})[{WHITE}]*(?:/>|>(?P<text>{_TEXT})</(?P=argument)[{WHITE}]*>)[{WHITE}]*"
_TOOL = (
    rf"<(?P<tool>{_NAME})[{WHITE}]*"
    rf"(?:/>|>[{WHITE}]*(?P<arguments>(?:{_ARGUMENT})*)</(?P=tool)[{WHITE}]*>)[{WHITE}]*"
)
_PIECE = re.compile(rf"(?s)<!\[CDATA\[(.*?)\]\]>|({_REFERENCE})|(.)")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}


def strict_elements(text):
    """Read the tools of a block with patterns of XML, and nothing else."""
    place = len(text) - len(text.lstrip(WHITE))
    calls = []
    while place < len(text):
        tool = re.compile(_TOOL).match(text, place)
        arguments = [
            (found["argument"], "".join(map(plain, _PIECE.finditer(found["text"] or ""))))
            for found in re.finditer(_ARGUMENT, tool["arguments"] or "")
        ]
        calls.append({"name": tool["tool"], "args": strict(arguments)})
        place = tool.end()
    return calls


def plain(piece):
    section, reference, character = piece.groups()
    if reference in _ENTITIES:
        return _ENTITIES[reference]
    if reference:
        digits = reference[2:-1]
        return chr(int(digits[1:], 16) if digits[0] == "x" else int(digits))
    return character or section


def written_calls(dialect, events):
    """Return the calls that a strict reader finds in what the events account for."""
    written = "".join(event["raw"] for event in events)
    if dialect in LINES:
        for event in events[:-1]:
            if event["type"] == "call":
                before = event["raw"].removesuffix(event["content"])
                assert re.search(rf"(?ia)§call:[{WHITE}]*\Z", before)
        assert written.translate(FOLDED).endswith("§execute")
        return [strict_json(event["content"]) for event in events if event["type"] == "call"]
    body = written[written.index("<execute>") + len("<execute>") : -len("</execute>")]
    assert written.endswith("</execute>")
    return strict_elements(body) if dialect == "xml-elements" else strict_json(body)


@law(in_chunks, sealed_or_not, st.booleans(), dialects=ALL)
def test_7_sealed_calls_are_those_that_run(dialect, feed, reading, raw):
    """Sealed, the calls are those that an execute follows with no error between, and no others."""
    _, chunks = feed
    options = options_of(reading) | {"raw": raw}
    calls, run_of = [], []
    for event in run(chunks, **options | {"calls": "shown"}).events:
        if event["type"] == "call":
            calls.append(event["content"])
        elif event["type"] == "execute":
            run_of += calls
            calls = []
        elif event["type"] in {"error", "end"}:
            calls = []
    sealed = run(chunks, **options | {"calls": "sealed"}).events
    assert [event["content"] for event in sealed if event["type"] == "call"] == run_of


@law(in_chunks, turns)
def test_7_only_a_whole_and_strictly_valid_block_runs(dialect, feed, reading):
    """`execute` comes last, after calls that a strict reader finds in the block, and no others.

    At most one error comes for the block, and nothing comes after what stops the turn.
    """
    data, chunks = feed
    events = run(chunks, raw=True, **options_of(reading)).events
    types = [event["type"] for event in events]
    codes = [event["code"] for event in events if event["type"] == "error"]
    if dialect in LINES:
        assert not {"execute", "end"} & set(types[:-1]), data
        assert "forged-results" not in codes[:-1], data
        assert len(codes) - codes.count("forged-results") <= 1, data
        assert not codes or types[-1] != "execute", data
    else:
        assert all(kind in {"think", "respond", "call"} for kind in types[:-1]), data
        assert types.count("execute") + len(codes) + types.count("end") <= 1, data
    if types[-1:] != ["execute"]:
        assert "execute" not in types
        return
    calls = [event for event in events if event["type"] == "call"]
    if dialect not in LINES:
        assert events[-1 - len(calls) : -1] == calls
        events = events[-1 - len(calls) :]
    assert all(event["type"] != "error" for event in events)
    elements = written_calls(dialect, events)
    assert elements == [strict_json(event["content"]) for event in calls]
    for element in elements:
        assert isinstance(element["name"], str)
        assert element["name"] not in {"", "execute"}
        assert isinstance(
            element["args"] if dialect not in LINES else element.get("args", {}), dict
        )


@law(in_chunks, transcripts, dialects=ALL)
def test_7_in_a_transcript_calls_run_before_any_later_text(dialect, feed, reading):
    """After calls comes `execute`, or the error that voids them all, and never those of a void batch.

    Where calls are separate, segments may come between.
    """
    _, chunks = feed
    events = run(chunks, **options_of(reading)).events
    between = set() if dialect in TAGS else {"think", "respond"}
    waiting = 0
    for event in events:
        if event["type"] == "call":
            waiting += 1
        elif waiting and event["type"] not in between:
            assert event["type"] in {"execute", "error"}
            assert event["type"] == "execute" or event["calls"] == waiting
            waiting = 0
    assert waiting == 0


# --- 8: round trip ----------------------------------------------------------------------------


def any_calls(dialect):
    """Draw calls that a block can hold."""
    return st.lists(xml_calls if dialect == "xml-elements" else json_calls, max_size=4)


def any_items(dialect):
    """Draw results."""
    return st.lists(items_of(xml_names if dialect == "xml-elements" else tools), max_size=4)


def exact(value):
    """Make a value that tells 1 from 1.0 and from True."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


LOOKALIKES = {
    "xml": re.compile(r"<(?=/?(?:think|execute|results|end))", re.IGNORECASE | re.ASCII),
    "delimiter": re.compile(
        r"§(?=think|call|execute|respond|result|end)|\[(?=SYSTEM: )", re.IGNORECASE | re.ASCII
    ),
}


def lookalikes(dialect, text):
    """Count what a careless reader could take for a marker."""
    return len(LOOKALIKES[dialect.split("-")[0]].findall(text))


@law(any_calls)
def test_8_rendered_calls_are_read_back(dialect, calls):
    text = cogwire.render_calls(calls, dialect)
    events = cogwire.parse(text, dialect, clock=None)
    assert events.pop() == {"type": "execute"}
    assert exactly([json.loads(event["content"]) for event in events]) == exactly(calls)
    if dialect == "xml-elements":
        # Elements may be called anything; what they hold is escaped.
        assert text.count("<") == 2 + sum(
            2 + 2 * len(call["args"]) - (not call["args"]) for call in calls
        )
    else:
        assert lookalikes(dialect, text) == (1 + len(calls) if dialect in LINES else 2)


@law(any_items, st.booleans())
def test_8_rendered_results_are_read_back(dialect, items, more):
    """Whatever a tool gave is what a reader finds."""
    text = cogwire.render_results(items, dialect)
    assert lookalikes(dialect, text) == (max(1, len(items)) if dialect in LINES else 2)
    following = "\n§respond: more" if dialect in LINES else "\nmore"
    answer, *rest = read_back(items, dialect, following=following * more)
    assert exactly(json.loads(answer["content"])) == exactly(items)
    failed = [item["status"] for item in items].count("failure")
    assert answer == result(answer["content"], len(items) - failed, failed)
    assert rest == [respond("more")] * more


def rendered(events, dialect):
    """Return the text of `events`, or nothing if the wire cannot say them."""
    try:
        return cogwire.render_events(events, dialect)
    except cogwire.RenderError:
        return None


def contents_of(events):
    """Compare results as JSON: in the line dialects each body may be written in two ways."""
    return [
        event | {"content": exact(strict_json(event["content"]))}
        if event["type"] == "result"
        else event
        for event in events
    ]


@law(make.transcripts)
def test_8_rendered_events_are_read_back(dialect, document):
    """What the wire can say comes back as it was, and only what it cannot is refused.

    Deltas are joined first.
    """
    text = rendered(
        [
            {"content": "what is wrong"} | event if event["type"] == "error" else event
            for event in document.events
        ],
        dialect,
    )
    types = [event["type"] for event in document.events]
    cannot = "error" in types
    if dialect not in LINES:
        cannot = cannot or ("respond", "respond") in itertools.pairwise(types)
    assert (text is None) == cannot
    if text is not None:
        events = bare(cogwire.parse_transcript(text, dialect, clock=None))
        assert contents_of(events) == contents_of(document.events)
        deltas = run(in_fives(text), dialect=dialect, mode="transcript", stream="token").events
        assert cogwire.render_events(deltas, dialect) == text


# --- 9: resumable -----------------------------------------------------------------------------


@law(in_chunks, sealed_or_not, make.streams, st.booleans(), dialects=ALL)
def test_9_another_process_continues_with_the_same_events(dialect, feed, reading, stream, raw):
    """Its snapshot, state and counts are those of the parser that it was taken from, too.

    How a segment that waits for its sealed batch is divided, a snapshot does not tell.
    """
    _, chunks = feed
    options = options_of(reading) | {"stream": stream, "raw": raw}
    same = compared if reading["calls"] == "sealed" else list
    assert same(run(chunks, hop=True, **options)) == same(run(chunks, **options))
    parser = cogwire.Parser(clock=None, **options)
    for chunk in chunks:
        parser.feed(chunk)
        other = hopped(parser)
        assert other.snapshot() == parser.snapshot()
        assert (other.state, other.discarded) == (parser.state, parser.discarded)
        assert other.tail == parser.tail
    parser.close(finished=True)
    assert hopped(parser).close(finished=True) == []
