"""What the tests of the core share: events in short, and one check that runs a text every way."""

import contextlib
import gc
import importlib
import itertools
import json
import os
import re
import sys
import traceback
from typing import NamedTuple

from tests import cogwire

#: Whether to run one way of each kind, and no more: `make test`.
IS_BRIEF = os.environ.get("HYPOTHESIS_PROFILE") == "few"

#: Up to here a text is cut at every two places.
TINY = 12

WHITE = " \t\n\r"
LIVE = ("<think>", "<execute>", "<results>", "<end>")

#: Every dialect; the laws hold in each of them.
DIALECTS = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")
#: Formats that models are trained on, and that the core reads.
TRAINED = ("hermes", "qwen3-coder", "mistral", "llama3-json", "glm-4.5")
#: The tool and its argument in the formats that have one.
ONE_TOOL = {"mini-swe-agent": ("bash", "command"), "smolagents": ("python_interpreter", "code")}
#: The dialects whose parts are between tags.
TAGS = ("xml-json", "xml-elements")
#: The dialects whose parts begin with a marker at the start of a line.
LINES = ("delimiter", "delimiter-upper")

#: A whole marker of the delimiter dialects; the text after the last two is not part of it.
MARKER = re.compile(
    r"§(?:think:|call:|respond:|result:|(?:execute|end)(?=[ \t\n\r§]|\Z))|\[(?-i:SYSTEM): ",
    re.IGNORECASE | re.ASCII,
)

#: Marks the character at which an error is expected; it is not part of the text.
CARET = "‸"


#: The members that an event of each type always has.
MEMBERS = {
    "think": {"type", "content"},
    "respond": {"type", "content"},
    "call": {"type", "content"},
    "call_delta": {"type", "index", "name", "content"},
    "execute": {"type"},
    "end": {"type"},
    "result": {"type", "content", "payload"},
    "error": {"type", "code", "content", "offset", "calls"},
}


# --- Events in short --------------------------------------------------------------------------


def think(content):
    return {"type": "think", "content": content}


def respond(content):
    return {"type": "respond", "content": content}


def call(content):
    return {"type": "call", "content": content}


def execute():
    return {"type": "execute"}


def end():
    return {"type": "end"}


def result(content, succeeded=0, failed=0, *, executed=None):
    """Give a result; `executed` is how many tools ran, where that is not the number of items."""
    executed = succeeded + failed if executed is None else executed
    payload = {"tools_executed": executed, "success_count": succeeded, "failure_count": failed}
    return {"type": "result", "content": content, "payload": payload}


def error(code, path=None, *, calls=0, offset=None):
    """Give an error without message; without `offset` it is at the next caret of the text."""
    event = {"type": "error", "code": code, "offset": offset, "calls": calls}
    return event if path is None else event | {"path": path}


# --- The module under test --------------------------------------------------------------------


def parser_of(**options):
    return cogwire.Parser(clock=None, **options)


def room(name):
    """Return a module of the core by its path there, for tests that add a dialect of their own."""
    return importlib.import_module(f"{cogwire.__name__}.{name}")


def form_of(dialect):
    """Return a dialect by its name, or the format of a description."""
    return dialect if isinstance(dialect, str) else cogwire.Format.from_json(dialect)


# --- Texts ------------------------------------------------------------------------------------

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


def repaired(data):
    """Return the text a parser reads, from `str` or `bytes`."""
    if isinstance(data, bytes):
        return data.decode("utf-8", "replace")
    return _LONE.sub("\ufffd", _PAIR.sub(_combined, data))


def _combined(pair):
    high, low = map(ord, pair[0])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def encodable(data):
    """Whether `data` is text without a surrogate, which is the same as `str` and as bytes."""
    return isinstance(data, str) and not _LONE.search(data)


def split(data, *cuts):
    """Return the chunks of `data` between `cuts`."""
    return [data[start:stop] for start, stop in itertools.pairwise((0, *cuts, len(data)))]


def singles(data):
    """One character or byte a chunk."""
    return [data[index : index + 1] for index in range(len(data))]


def in_fives(data):
    """Five characters or bytes a chunk."""
    return [data[index : index + 5] for index in range(0, len(data), 5)]


# --- Running ----------------------------------------------------------------------------------


class Run(NamedTuple):
    """What a parser gave."""

    events: list
    state: str
    discarded: int
    tail: str


def run(chunks, *, hop=False, closing=None, **options):
    """Feed `chunks`; with `hop`, go on from a snapshot in a new parser after each, and the end.

    `closing` has the options of `close`; without it, the model ended its turn with the text.
    """
    parser = cogwire.Parser(clock=None, **options)
    events = []
    for chunk in chunks:
        events += parser.feed(chunk)
        if hop:
            parser = hopped(parser, dialect=options.get("dialect"))
    events += parser.close(**({"finished": True} if closing is None else closing))
    if hop:
        parser = hopped(parser, dialect=options.get("dialect"))
    return Run(events, parser.state, parser.discarded, parser.tail)


def hopped(parser, clock=None, dialect=None):
    """Return the parser that another process would restore; an empty chunk changes nothing in it.

    A snapshot has the name of a dialect alone, so a described format goes along with it.
    """
    stored = json.loads(json.dumps(parser.snapshot()))
    described = {"dialect": dialect} if isinstance(dialect, cogwire.Format) else {}
    other = cogwire.Parser.restore(stored, clock=clock, **described)
    if stored["unit"] is not None and not stored["closed"]:
        assert other.feed("" if stored["unit"] == "str" else b"") == []
    return other


def joined(events, *, whole=True):
    """Join the deltas of each segment and call, and hold every delta to the rules of token mode.

    `whole` says that the text has ended, so that no segment may be left open.
    """
    joined_events = []
    number, is_open = -1, False
    for event in events:
        if event["type"] == "call_delta":
            # A sealed segment may be held back meanwhile; what is held back is not here yet.
            _join_args(joined_events, event)
            continue
        if "segment" not in event:
            assert not is_open, "an event came while a segment was open"
            joined_events.append(event)
            continue
        assert event["content"] or "done" in event, "only the last delta may be empty"
        assert event.get("done", True) is True, "done is true or absent"
        delta = {key: event[key] for key in event if key not in {"segment", "done"}}
        if is_open:
            assert event["segment"] == number, "the deltas of a segment share its number"
            segment = joined_events[-1]
            assert segment["type"] == event["type"], "a segment has one type"
            segment["content"] += event["content"]
            if "raw" in event:
                segment["raw"] += event["raw"]
            if "span" in event:
                segment["span"] = [segment["span"][0], event["span"][1]]
        else:
            number += 1
            assert event["segment"] == number, "segments are counted from 0"
            joined_events.append(delta)
        is_open = "done" not in event
    assert not (whole and is_open), "the last segment was never done"
    return joined_events


def _join_args(events, delta):
    """Add a call delta to the last event, if that is one of the same call."""
    assert delta["content"], "no call delta is empty"
    last = events[-1] if events else {"type": None}
    if last["type"] == "call_delta" and last["index"] == delta["index"]:
        assert last["name"] == delta["name"], "a call has one name"
        last["content"] += delta["content"]
    else:
        events.append(dict(delta))


def without(events, *keys):
    """Return the events without these keys."""
    return [{key: event[key] for key in event if key not in keys} for event in events]


def bare(events, *keys):
    """Keep what is compared: joined, without timestamps, messages of errors and `keys`."""
    return [
        {key: event[key] for key in event if not (key == "content" and event["type"] == "error")}
        for event in without(joined(events), "timestamp", *keys)
    ]


def messages(events):
    """Return the messages of the errors."""
    return [event["content"] for event in events if event["type"] == "error"]


# --- The ledger -------------------------------------------------------------------------------


def assert_ledger(data, events, tail, discarded):
    """Law 4: every character of `data` is in one `raw`, in `tail`, or is discarded.

    Which `raw` it is in is what the executable spec and the cases of the corpus say.
    """
    text = repaired(data)
    # A call delta accounts for nothing.
    raws = [event["raw"] for event in events if event["type"] != "call_delta"]
    assert "".join(raws) + tail == text[: len(text) - discarded]


# --- The check --------------------------------------------------------------------------------


def check(text, expected, *, state=None, discarded=0, **options):
    """Run `text` every way and assert that it gives `expected`, `state` and `discarded` each time.

    The ways: whole, one by one, and cut at every place; as text and as bytes; with events and
    with tokens; with and without `raw`; and through a snapshot at every cut.
    """
    data, expected = placed(text, expected)
    seen = {}

    def check_each(ways):
        nonlocal seen
        for stream, raw, hop, chunks in ways:
            outcome = run(chunks, hop=hop, stream=stream, raw=raw, **options)
            assert bare(outcome.events, "raw") == expected, (stream, raw, chunks)
            assert outcome.discarded == discarded, (stream, raw, chunks)
            assert state in (None, outcome.state), (stream, raw, chunks)
            checked = {"state": outcome.state, "messages": messages(outcome.events)}
            assert all(checked["messages"]), "an error has a message"
            if raw:
                assert_ledger(data, outcome.events, outcome.tail, discarded)
                checked["spans"] = [event["raw"] for event in joined(outcome.events)]
                checked["tail"] = outcome.tail
            else:
                assert outcome.tail == ""
                assert not any("raw" in event for event in outcome.events)
            assert checked.items() <= (seen := checked | seen).items(), (stream, raw, chunks)

    check_each(_measured_ways(data))
    with unmeasured():
        check_each(_ways_in_brief(data) if IS_BRIEF else _other_ways(data))


@contextlib.contextmanager
def unmeasured():
    """Run what reaches no branch that others do not, without measuring coverage.

    It also decorates a test, which otherwise takes three to five times as long.
    """
    trace = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)


def placed(text, expected):
    """Take the carets out of `text`, and put the places where they was into `expected`."""
    if isinstance(text, bytes):
        return text, expected
    parts = text.split(CARET)
    places = iter(itertools.accumulate(len(repaired(part)) for part in parts[:-1]))
    events = []
    for event in expected:
        wants_place = event["type"] == "error" and event["offset"] is None
        events.append(event | {"offset": next(places)} if wants_place else event)
    assert next(places, None) is None, "a caret without an error"
    return "".join(parts), events


def _measured_ways(data):
    """Yield ways to read `data`: stream, `raw`, whether through snapshots, and chunks.

    They reach every branch of the parser that the others do.
    """
    one_by_one = singles(data)
    for stream, raw in (("event", False), ("token", True)):
        yield stream, raw, False, [data]
        yield stream, raw, False, one_by_one
    yield "token", True, True, in_fives(data)


def _ways_in_brief(data):
    """Yield the other ways that `make test` tries, so that it tries one of each kind."""
    yield "event", False, True, in_fives(data)
    yield from _as_bytes(data)


def _as_bytes(data):
    if encodable(data):
        encoded = data.encode()
        yield "event", False, False, [encoded]
        yield "token", True, False, singles(encoded)


def _other_ways(data):
    """Yield the other ways to read `data`.

    Every text is cut at every place, and a very short one at every two; a snapshot is taken after
    each character.  What other ways there are to cut and to go on, the laws try.
    """
    one_by_one = singles(data)
    for stream, raw in (("event", True), ("token", False)):
        yield stream, raw, False, [data]
        yield stream, raw, False, one_by_one
    yield "event", False, False, [part for one in one_by_one for part in (one, data[:0])]
    yield "token", True, True, one_by_one
    yield from _as_bytes(data)
    if encodable(data) and not data.isascii():  # else no byte waits for others
        yield "token", True, True, singles(data.encode())
    yield "event", False, True, one_by_one
    # After each character a snapshot would undo what the one before has lost: here is only one.
    for cut in cuts(len(data)):
        yield "event", False, cut % 3 == 0, split(data, cut)
    for pair in itertools.combinations(range(1, len(data)), 2) if len(data) <= TINY else ():
        yield "token", True, False, split(data, *pair)


def cuts(length):
    """Every place to cut a text; in a long one, the places near its ends and some between."""
    if length <= 1200:
        return range(1, length)
    ends = (*range(1, 12), *range(length - 12, length))
    return sorted({*ends, *range(12, length, length // 12)})


# --- Work -------------------------------------------------------------------------------------


def operations(function):
    """Count the calls of functions, Python's and the interpreter's own, that `function` makes.

    No garbage is collected meanwhile: the calls that this would cause do not count as work.
    """
    count = 0

    def profile(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    previous, is_collecting = sys.getprofile(), gc.isenabled()
    gc.disable()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(previous)
        if is_collecting:
            gc.enable()
    return count


def with_room(frames, function):
    """Return what `function` returns where the stack has room for so many more frames."""

    def descend(count):
        return function() if count <= 0 else descend(count - 1)

    used = sum(1 for _ in traceback.walk_stack(None))
    return descend(sys.getrecursionlimit() - used - frames)
