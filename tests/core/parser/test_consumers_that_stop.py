"""Consumers that stop early, and sources that raise: nothing is lost, nothing leaks."""

import asyncio
import gc
import itertools
import weakref

import pytest

from tests import cogwire
from tests.core import faulty
from tests.core.faulty import ENDS, TEXTS, BrokenError, Clock, parsed, parser_of, pieces, untimed
from tests.rows import rows

CHUNK = 7
#: How many chunks the longest text has.
MOST = max(len(pieces(text, CHUNK)) for _, _, text in TEXTS)


class Source(faulty.Source):
    """Gives the chunks of a text; it raises before the one at `place`, once."""

    def __init__(self, text, place=None, kind=BrokenError, *, closing=None):
        self.chunks = pieces(text, CHUNK)
        self.pulled = ""
        self.place = place
        self.kind = kind
        self.closing = closing
        #: Whether what it did before its end was to give a chunk.
        self.is_last_given = True

    def take(self, over):
        if self.place == 0:
            self.place = None
            self.is_last_given = False
            raise self.kind
        if not self.chunks:
            raise over
        if self.place is not None:
            self.place -= 1
        chunk = self.chunks.pop(0)
        self.pulled += chunk
        self.is_last_given = True
        return chunk

    def close(self):
        super().close()
        if self.closing is not None:
            raise self.closing

    async def __anext__(self):
        try:
            await asyncio.sleep(0)
            return await super().__anext__()
        except asyncio.CancelledError:
            self.is_last_given = False
            raise


def assert_nothing_is_lost(given_by, got, source, dialect, mode, **options):
    """Assert that what was given, is to be given, or is in the parser is of all that was pulled."""
    assert source.closed == 1
    calm = parser_of(dialect, mode, **options)
    whole = [event for chunk in pieces(source.pulled, CHUNK) for event in calm.feed(chunk)]
    known = [*got, *given_by.pending, *given_by.parser.close(finished=True)]
    assert known == whole + calm.close(finished=True)


# -- Stopping early -------------------------------------------------------------------------


def taken_by(source, parser, count):
    """Return a stream that was left after so many events, and these."""
    got = []
    with cogwire.iter_events(source, parser) as stream:
        for event in stream:
            got.append(event)
            if len(got) == count:
                break
    return stream, got


def taken_in_a_task(source, parser, count):
    async def take():
        got = []
        async with cogwire.aiter_events(source, parser) as stream:
            async for event in stream:
                got.append(event)
                if len(got) == count:
                    break
        return stream, got

    return asyncio.run(take())


@rows("take", [taken_by, taken_in_a_task])
@rows("stream_of", ["event", "token"])
def test_a_break_at_every_event(take, stream_of):
    """Leaving the loop leaves all in the stream; leaving the context closes the source."""
    for dialect, mode, text in TEXTS:
        for count in itertools.count(1):
            source = Source(text)
            stream, got = take(source, parser_of(dialect, mode, stream=stream_of), count)
            assert_nothing_is_lost(stream, got, source, dialect, mode, stream=stream_of)
            if len(got) < count:
                break


def test_a_stream_that_is_dropped_leaves_no_state():
    """Source, parser and stream go with the last reference, without the collector."""
    closed = []

    def source(text):
        try:
            yield from pieces(text, CHUNK)
        finally:
            closed.append(text)

    gc.disable()
    try:
        for dialect, mode, text in TEXTS:
            stream = cogwire.iter_events(source(text), Watched(dialect, mode=mode, clock=None))
            watched = [weakref.ref(stream), weakref.ref(stream.parser)]
            for _ in stream:
                break
            del stream, _
            assert closed.pop() == text
            assert [each() for each in watched] == [None, None]
    finally:
        gc.enable()


class Watched(cogwire.Parser):
    """A parser that can be referred to weakly."""


def consume(stream, got, place, kind):
    with stream:
        for event in stream:
            got.append(event)
            if len(got) > place:
                raise kind


def test_a_consumer_that_raises_loses_nothing():
    """At every event; what it raises goes on, and the source is closed."""
    for (dialect, mode, text), kind in itertools.product(TEXTS, [BrokenError, *ENDS]):
        expected = parsed(dialect, mode, text)
        for place in range(len(expected)):
            source = Source(text)
            stream = cogwire.iter_events(source, parser_of(dialect, mode))
            got = []
            with pytest.raises(kind):
                consume(stream, got, place, kind)
            assert_nothing_is_lost(stream, got, source, dialect, mode)


# -- Sources that raise ---------------------------------------------------------------------


async def collected(stream, got):
    async for event in stream:
        got.append(event)


@rows("kind", [BrokenError, *ENDS])
@rows("place", range(MOST))
def test_a_source_that_raises_can_continue(kind, place):
    """What it raises goes through; the next chunk it gives is read as if nothing had been."""
    for (dialect, mode, text), read in itertools.product(
        TEXTS, (cogwire.iter_events, cogwire.aiter_events)
    ):
        source = Source(text, place, kind)
        stream = read(source, parser_of(dialect, mode))
        got = []
        for _ in range(2):
            try:
                if read is cogwire.iter_events:
                    got += stream
                else:
                    driven(collected(stream, got), UNTIL_ITS_END)
            except kind:
                assert not stream.pending
        assert got == parsed(dialect, mode, source.pulled, finished=source.is_last_given)
        assert source.closed == 1


@rows("kind", [BrokenError, *ENDS])
def test_a_source_that_raises_when_it_is_closed(kind):
    """Whoever goes on gets the last events, too; it is closed once."""
    for dialect, mode, text in TEXTS:
        source = Source(text, closing=kind)
        stream = cogwire.iter_events(source, parser_of(dialect, mode))
        got = []
        with pytest.raises(kind):
            got += stream
        got += stream
        assert got == parsed(dialect, mode, source.pulled)
        assert stream.parser.close(finished=True) == []
        stream.close()
        assert source.closed == 1


# -- Clocks and parsers that are used from inside -------------------------------------------


@rows("kind", [BrokenError, *ENDS])
@rows("number", range(MOST + 1))
def test_a_clock_that_raises_in_a_stream(kind, number):
    """It goes through, and the parser is where it was; whoever goes on misses nothing."""
    for dialect, mode, text in TEXTS:
        source = Source(text)
        stream = cogwire.iter_events(source, parser_of(dialect, mode, clock=Clock(kind, number)))
        calm = parser_of(dialect, mode)
        got = []
        try:
            got += stream
        except kind:
            for chunk in pieces(text, CHUNK)[:number]:
                calm.feed(chunk)
            assert stream.parser.snapshot() == calm.snapshot()
        got += stream
        assert untimed(got) == parsed(dialect, mode, source.pulled)
        assert source.closed == 1


def test_a_consumer_that_feeds_the_parser():
    """What it feeds comes after the chunks that were pulled."""
    chunks = ["a <th", "ink>b", "</think>c", "<think>", "d", "</think>", "e"]
    order = []

    def source():
        for chunk in chunks:
            order.append(chunk)
            yield chunk

    stream = cogwire.iter_events(source(), parser_of("xml-json", "turn", stream="token"))
    handed = []
    for event in stream:
        handed.append(event)
        if order[-1] != chunks[-1]:
            order.append("!")
            handed += [*stream.pending, *stream.parser.feed("!")]
            stream.pending.clear()
    assert order.count("!") > 2
    assert contents(handed) == contents(parsed("xml-json", "turn", "".join(order), stream="token"))


def contents(events):
    """Join the deltas of each segment."""
    segments = {}
    for event in events:
        kind, so_far = segments.get(event["segment"], (event["type"], ""))
        assert kind == event["type"]
        segments[event["segment"]] = (kind, so_far + event["content"])
    return segments


def test_a_source_that_asks_its_own_stream():
    """A generator that runs cannot be resumed; the stream goes on with what it had."""

    def source():
        yield "a<think>"
        yield str(next(stream))

    stream = cogwire.iter_events(source(), parser_of("xml-json", "turn"))
    got = [next(stream)]
    with pytest.raises(ValueError, match="already executing"):
        next(stream)
    assert [*got, *stream] == parsed("xml-json", "turn", "a<think>")


# -- Cancelled ------------------------------------------------------------------------------


#: A place to which no coroutine here comes.
UNTIL_ITS_END = 10_000


def driven(coroutine, place):
    """Run a coroutine up to its await at `place`, and cancel it there; return how it ended."""
    try:
        for _ in range(place + 1):
            coroutine.send(None)
        coroutine.throw(asyncio.CancelledError)
    except StopIteration:
        return "over"
    except asyncio.CancelledError:
        return "cancelled"
    return "awaits"


async def collect(stream, got):
    async with stream:
        await collected(stream, got)


@rows("stream_of", ["event", "token"])
def test_cancelled_at_every_await(stream_of):
    """Whether a chunk is awaited or the end of the source: all can still be had."""
    for dialect, mode, text in TEXTS:
        for place in itertools.count():
            source = Source(text)
            stream = cogwire.aiter_events(source, parser_of(dialect, mode, stream=stream_of))
            got = []
            running = collect(stream, got)
            ended = driven(running, place)
            if ended == "awaits":
                # Leaving the context closes the source, which awaits too.
                with pytest.raises(asyncio.CancelledError):
                    running.send(None)
            assert_nothing_is_lost(stream, got, source, dialect, mode, stream=stream_of)
            if ended == "over":
                break


def test_a_consumer_that_continues_after_it_was_cancelled():
    """At every await: the source was not asked too often, and no chunk is missing."""
    for dialect, mode, text in TEXTS:
        for place in itertools.count():
            source = Source(text)
            stream = cogwire.aiter_events(source, parser_of(dialect, mode))
            got = []
            ended = driven(collected(stream, got), place)
            assert ended in {"over", "cancelled"}
            assert driven(collected(stream, got), UNTIL_ITS_END) == "over"
            assert got == parsed(dialect, mode, source.pulled, finished=source.is_last_given)
            assert stream.parser.stopped or source.pulled == text
            if ended == "over":
                break
