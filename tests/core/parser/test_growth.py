"""Linear work and little memory, in counts of calls and of bytes: law 5 of the parser."""

import gc
import importlib
import itertools
import json
import statistics
import tracemalloc

import pytest

from tests import cogwire
from tests.core.growing import FAMILIES, GROWING
from tests.core.helpers import operations

pytestmark = pytest.mark.verify

BOUNDLESS = cogwire.Limits(size=10**9, calls=10**9, depth=10**9, digits=10**9)

#: Calls that wait for their batch, and are shown while they are written.
WATCHED = {"stream": "token", "calls": "sealed", "call_deltas": True}


def parser_of(dialect, **options):
    return cogwire.Parser(dialect, clock=None, mode="transcript", limits=BOUNDLESS, **options)


@pytest.mark.parametrize(("dialect", "name"), FAMILIES)
def test_twice_the_text_is_twice_the_work(dialect, name):
    """In calls of functions; the next test sees what one call may cost."""

    def work(length, size, options):
        text = GROWING[dialect][name](length)
        parser = parser_of(dialect, **options)
        chunks = [text[at : at + size] for at in range(0, len(text), size)]

        def feed():
            for chunk in chunks:
                parser.feed(chunk)
            parser.close(finished=True)

        return operations(feed)

    for size, length in ((1, 1000), (7, 2000), (10**9, 2000)):
        for options in ({"stream": "event"}, {"stream": "token"}, WATCHED):
            once, twice = work(length, size, options), work(2 * length, size, options)
            assert twice <= 2.2 * once + 50, (size, options)


BAR = cogwire.Format.from_json(
    {
        "name": "bar",
        "call": ["<c>", "</c>"],
        "payload": {"kind": "object"},
        "header": {"open": ["|"], "close": ">>"},
    }
)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("functionary-v3.2", ">" * 1200),
        ("functionary-v3.2", (">" * 250 + "\n") * 4),
        ("harmony", "<|start|>" * 130),
        ("harmony", ("<|start|>" + "a " * 120 + "<|return|") * 4),
        (BAR, "|" * 1200),
        (BAR, "|>" * 600),
        (BAR, ("|" * 250 + "\ufffd") * 4),
    ],
)
def test_what_may_begin_a_header_is_not_read_to_its_end_each_time(dialect, text):
    """A text that begins a header at each character costs tens of calls a character, not hundreds."""

    def work(size):
        parser = cogwire.Parser(dialect, clock=None)

        def feed():
            for at in range(0, len(text), size):
                parser.feed(text[at : at + size])
            parser.close(finished=True)

        return operations(feed) / len(text)

    assert work(len(text)) < 80
    assert work(1) < 300


@pytest.mark.parametrize(
    ("dialect", "block"),
    [
        ("xml-json", '<execute>[{"name":"a","args":{"x":1 2}}]</execute>\n'),
        ("delimiter", '§call: {"name":"a","args":{"x":1 2}}\n§execute\n'),
    ],
)
def test_the_scanner_refuses_without_reading_the_text_before(dialect, block, monkeypatch):
    """An error of the standard library counts the lines before its place: no call of its own."""
    places = []

    class Counting(json.JSONDecodeError):
        def __init__(self, message, text, place):
            places.append(place)
            super().__init__(message, text, place)

    monkeypatch.setattr(json.decoder, "JSONDecodeError", Counting)
    parser = parser_of(dialect)
    parser.feed(block * 100)
    assert len(places) >= 100
    assert max(places) <= len(block)


def test_prose_that_begins_like_calls_is_not_copied_with_all_text_after_it(monkeypatch):
    """In a format whose lists may lack markers, a marker that prose names is no call."""
    costs = []
    machine = importlib.import_module(f"{cogwire.__name__}.wire.frames.bare").BareMachine
    read_as_prose = machine._read_as_prose

    def measured(*given):
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        place = read_as_prose(*given)
        costs.append(tracemalloc.get_traced_memory()[1] - before)
        return place

    monkeypatch.setattr(machine, "_read_as_prose", measured)
    tracemalloc.start()
    try:
        cogwire.parse("Say [TOOL_CALLS], then. " * 2000, "xlam", clock=None)
    finally:
        tracemalloc.stop()
    assert len(costs) >= 2000
    assert statistics.median(costs) < 4000


@pytest.mark.parametrize(("dialect", "name"), FAMILIES)
def test_a_character_is_not_paid_for_again(dialect, name):
    """Late in a long text one more character allocates no more than early: nothing is copied."""
    text = GROWING[dialect][name](30_000)
    streams = ({"stream": "event"}, {"stream": "token"}, WATCHED)
    for options, raw in itertools.product(streams, (False, True)):
        parser = parser_of(dialect, raw=raw, **options)
        parser.feed(text[:-200])
        assert statistics.median(allocations(parser, text[-200:])) < 4000, (options, raw)


def allocations(parser, text):
    """Return how many bytes each character of `text` makes a parser allocate."""
    allocated = []
    tracemalloc.start()
    try:
        for character in text:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            parser.feed(character)
            _, peak = tracemalloc.get_traced_memory()
            allocated.append(peak - before)
    finally:
        tracemalloc.stop()
    return allocated


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("xml-json", "prose"),
        ("xml-json", "half markers"),
        ("xml-json", "a think"),
        ("xml-json", "thinks"),
        ("xml-json", "discarded"),
        ("xml-elements", "prose"),
        ("delimiter", "prose"),
        ("delimiter", "half markers"),
        ("delimiter", "segments"),
        ("delimiter", "broken calls"),
        ("delimiter", "discarded"),
        ("delimiter-upper", "half markers"),
    ],
)
@pytest.mark.parametrize("raw", [False, True])
def test_tokens_need_no_memory(dialect, name, raw):
    """In token mode a hundred and fifty thousand characters leave nothing after."""
    text = GROWING[dialect][name](150_000)
    parser = cogwire.Parser(dialect, clock=None, stream="token", raw=raw)
    parser.feed(text[:1000])
    gc.collect()
    tracemalloc.start()
    try:
        for at in range(1000, len(text), 1000):
            parser.feed(text[at : at + 1000])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000
