"""Iterating over a source of chunks, in both kinds of code."""

import asyncio
import collections
import queue
import signal
import threading
import time
from contextlib import contextmanager, nullcontext

import pytest

from tests import cogwire
from tests.core import faulty
from tests.core.faulty import BrokenError
from tests.core.helpers import call, end, execute, parser_of, respond, think
from tests.rows import rows

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"


class Source(faulty.Source):
    """Chunks, pulled one at a time; an exception among them is raised."""

    def __init__(self, *chunks):
        self.chunks = list(chunks)
        self.pulled = 0

    def take(self, over):
        if not self.chunks:
            raise over
        self.pulled += 1
        chunk = self.chunks.pop(0)
        if isinstance(chunk, BaseException):
            raise chunk
        return chunk


class Sync:
    """Drives an `EventStream`."""

    def __init__(self, source, parser=None, **options):
        self.stream = cogwire.iter_events(source, parser, **options)

    def next(self):
        return next(self.stream, None)

    def rest(self):
        return list(self.stream)

    def close(self):
        self.stream.close()

    def stop(self, reason):
        return self.stream.stop(reason)

    def leave(self, failure=None):
        with pytest.raises(type(failure)) if failure else nullcontext(), self.stream as entered:
            assert entered is self.stream
            if failure is not None:
                raise failure


#: The end of `asyncio.run` would close the generators that a stream has to close.
in_loop = asyncio.new_event_loop().run_until_complete


class Async:
    """Drives an `AsyncEventStream`."""

    def __init__(self, source, parser=None, **options):
        self.stream = cogwire.aiter_events(source, parser, **options)

    def next(self):
        return in_loop(anext(self.stream, None))

    async def _rest(self):
        return [event async for event in self.stream]

    def rest(self):
        return in_loop(self._rest())

    def close(self):
        in_loop(self.stream.aclose())

    def stop(self, reason):
        return in_loop(self.stream.stop(reason))

    def leave(self, failure=None):
        async def run():
            async with self.stream as entered:
                assert entered is self.stream
                if failure is not None:
                    raise failure

        with pytest.raises(type(failure)) if failure else nullcontext():
            in_loop(run())


both = rows("drive", [Sync, Async])


@both
@rows(
    ("chunks", "events"),
    [
        (["a <thi", "nk>b</think>", " c"], [respond("a"), think("b"), respond("c")]),
        ([b"\xc3", b"\xa9"], [respond("\u00e9")]),
        ([], []),
    ],
)
def test_all_events_of_a_source(drive, chunks, events):
    source = Source(*chunks)
    driven = drive(source, parser_of())
    assert driven.rest() == events
    assert driven.rest() == []
    assert (source.pulled, source.closed) == (len(chunks), 1)
    assert (driven.stream.parser.state, list(driven.stream.pending)) == ("prose", [])


@both
def test_a_parser_is_made_if_none_is_passed(drive):
    [event] = drive(Source("a")).rest()
    assert event["content"] == "a"
    assert "timestamp" in event


@both
@rows("reader", ["delimiter", 7])
def test_a_value_that_is_not_a_parser_is_refused_at_once(drive, reader):
    """A dialect is in the place of a parser in `parse`."""
    with pytest.raises(TypeError, match=rf"^events are read by a Parser.*, not by {reader!r}$"):
        drive(Source("a"), reader)


def test_asynchronous_chunks_have_an_iterator_of_their_own():
    async def chunks():
        yield "a"

    with pytest.raises(TypeError, match="asynchronous chunks must be read with `aiter_events`"):
        cogwire.iter_events(chunks())


@both
@rows("stop", [lambda driven: driven.stop, lambda driven: driven.stream.cut])
def test_a_stopped_turn_emits_its_events_so_far(drive, stop):
    """Also one that is cut before its source is closed."""
    source = Source("a<think>b</think>c", " d")
    driven = drive(source, parser_of())
    assert driven.next() == respond("a")
    last = [think("b"), respond("c"), {"type": "cancelled"}]
    assert stop(driven)("cancelled") == last
    assert (source.pulled, source.closed) == (1, int(stop(driven) == driven.stop))
    assert (driven.rest(), driven.stop("interrupt"), source.closed) == ([], [], 1)


@both
@rows("reason", ["canceled", None, ["cancelled"]])
def test_a_reason_that_does_not_exist_is_refused_before_anything_changes(drive, reason):
    source = Source("a<think>b", "c")
    driven = drive(source, parser_of())
    assert driven.next() == respond("a")
    with pytest.raises(ValueError, match=r"^`reason` must be 'interrupt' or 'cancelled', not"):
        driven.stop(reason)
    assert source.closed == 0
    assert driven.rest() == [think("bc")]


@both
def test_a_turn_that_has_ended_is_not_interrupted(drive):
    """But the user may stop its calls; and what has not been read can be interrupted."""
    for text in ("a", "<execute>[]</execute>"):
        driven = drive(Source(text), parser_of())
        assert len(driven.rest()) == 1
        assert driven.stop("interrupt") == []
        driven = drive(Source(text), parser_of())
        driven.rest()
        assert driven.stop("cancelled") == [{"type": "cancelled"}]
        assert driven.stop("cancelled") == []
    driven = drive(Source("a<execute>[]</execute>"), parser_of())
    assert driven.next() == respond("a")
    assert driven.stop("interrupt") == [execute(), {"type": "interrupt"}]


@both
def test_the_model_learns_that_the_user_stopped_its_block(drive):
    """And not to send it again."""
    driven = drive(Source("a<execute>[", "]</execute>"), parser_of())
    assert driven.next() == respond("a")
    error, last = driven.stop("cancelled")
    assert (error["code"], last) == ("unclosed-execute", {"type": "cancelled"})
    assert error["content"].startswith("The user stopped the turn")


@both
@rows("reason", ["interrupt", "cancelled"])
def test_a_stopped_turn_runs_no_calls_where_the_end_would_run_them(drive, reason):
    """It is stopped once: the second time there is nothing left of it."""
    driven = drive(Source("[TOOL_CALLS]a[ARGS]{}", "b"), parser_of(dialect="mistral"))
    assert driven.next() == call('{"name": "a", "args": {}}')
    error, last = driven.stop(reason)
    assert (error["code"], last) == ("missing-execute", {"type": reason})
    assert driven.stop("interrupt") == driven.stop("cancelled") == []


@both
def test_a_source_that_broke_is_not_the_end_of_a_turn(drive):
    """Unless it goes on: an iterator may raise and have more all the same."""
    for after, code in (((), "missing-execute"), (("b",), None)):
        source = Source("[TOOL_CALLS]a[ARGS]{}", BrokenError(), *after)
        driven = drive(source, parser_of(dialect="mistral"))
        with pytest.raises(BrokenError):
            driven.rest()
        *_, last = driven.rest()
        assert last.get("code") == code


@both
def test_a_source_may_be_read_to_its_end(drive):
    """It may say there what the turn has cost; no event comes later for that."""
    source = Source(f"{BLOCK} and", " so", " on")
    driven = drive(source, parser_of(), drain=True)
    assert [driven.next(), driven.next(), source.pulled] == [call(A), execute(), 1]
    assert driven.rest() == []
    assert (source.pulled, source.closed, driven.stream.parser.discarded) == (3, 1, 10)


@both
def test_events_are_emitted_as_soon_as_they_are_known(drive):
    """A chunk is pulled only when there is nothing left to hand out."""
    source = Source("a<think>b</think>", "c", "<end>")
    driven = drive(source, parser_of())
    assert source.pulled == 0
    assert driven.next() == respond("a")
    assert driven.next() == think("b")
    assert source.pulled == 1
    assert driven.next() == respond("c")
    assert source.pulled == 3
    assert driven.next() == end()
    assert driven.next() is None


@both
@rows(
    ("text", "state", "types"),
    [
        ("a<end>", "ended", ["respond", "end"]),
        (BLOCK, "paused", ["call", "execute"]),
        ("<execute>x</execute>", "paused", ["error"]),
        ("a<results>", "paused", ["respond", "error"]),
    ],
)
def test_nothing_is_pulled_after_a_hard_stop(drive, text, state, types):
    """What came in the same chunk is discarded, what did not come is not asked for."""
    source = Source(text[:3], f"{text[3:]}xyz", "never", BrokenError())
    driven = drive(source, parser_of())
    assert [event["type"] for event in driven.rest()] == types
    assert (source.pulled, source.closed) == (2, 1)
    assert (driven.stream.parser.state, driven.stream.parser.discarded) == (state, 3)


@both
def test_a_transcript_is_read_to_its_end(drive):
    source = Source(BLOCK, "a<end>", "b")
    events = drive(source, parser_of(mode="transcript")).rest()
    assert events == [call(A), execute(), respond("a"), end(), respond("b")]
    assert source.pulled == 3


@both
def test_the_next_turn_continues_with_the_same_parser(drive):
    parser = parser_of()
    assert drive(Source(BLOCK), parser).rest() == [call(A), execute()]
    parser.next_turn()
    assert drive(Source("done", "<end>"), parser).rest() == [respond("done"), end()]


@both
def test_closing_again_does_nothing(drive):
    source = Source("a", "b")
    driven = drive(source, parser_of())
    driven.close()
    driven.close()
    assert (source.pulled, source.closed) == (0, 1)
    assert driven.rest() == []


def test_a_source_that_another_task_reads_is_closed_later():
    """A generator cannot be closed while it runs; whoever runs it closes it."""
    closed = []

    async def source():
        try:
            yield "a"
            await asyncio.sleep(0.01)
            yield "b"
        finally:
            closed.append(True)

    async def main():
        stream = cogwire.aiter_events(source(), parser_of())
        reading = asyncio.create_task(anext(stream))
        await asyncio.sleep(0)
        assert await stream.stop("cancelled") == [respond("a"), {"type": "cancelled"}]
        assert closed == []
        with pytest.raises(StopAsyncIteration):
            await reading
        assert closed == [True]
        assert await stream.stop("cancelled") == []

    asyncio.run(main())


def test_a_source_that_runs_is_closed_later():
    """Here it stops its own stream, which another thread could do as well."""
    closed = []

    def source():
        try:
            yield "a"
            assert stream.stop("cancelled") == [respond("a"), {"type": "cancelled"}]
            yield "b"
        finally:
            closed.append(True)

    stream = cogwire.iter_events(source(), parser_of())
    assert list(stream) == []
    assert closed == [True]
    assert stream.stop("cancelled") == []


#: For each dialect a text whose end would run its call.
RUN_AT_END = {
    "delimiter": '§call: {"name": "a", "args": {}}\n§execute',
    "delimiter-upper": '§CALL: {"name": "a", "args": {}}\n§EXECUTE',
    "hermes": '<tool_call>{"name": "a", "arguments": {}}</tool_call>',
    "qwen3-coder": "<tool_call><function=a></function></tool_call>",
    "mistral": "[TOOL_CALLS]a[ARGS]{}",
    "llama3-json": '{"name": "a", "parameters": {}}',
    "glm-4.5": "<tool_call>a</tool_call>",
}


@rows("dialect, text", RUN_AT_END.items())
def test_a_turn_that_another_thread_stopped_runs_nothing(dialect, text):
    """`stop` closes a queue, which ends the source while the reader waits for it."""

    class Source(queue.SimpleQueue):
        def __iter__(self):
            return iter(self.get, None)

        def close(self):
            self.put(None)

    source = Source()
    stream = cogwire.iter_events(source, parser_of(dialect=dialect))
    read = []
    reader = threading.Thread(target=lambda: read.extend(stream))
    reader.start()
    source.put(text)
    while source.qsize():
        time.sleep(0.001)
    events = stream.stop("cancelled")
    reader.join()
    assert events[-1] == {"type": "cancelled"}
    assert "execute" not in [event["type"] for event in [*read, *events]]


@rows("dialect, text", [*RUN_AT_END.items(), ("xml-json", "<execute>[]</execute>")])
def test_a_turn_that_another_task_stopped_runs_nothing(dialect, text):
    """An async generator runs while it is stopped, and would give the text that runs the call."""

    async def source():
        yield "Hi."
        await asyncio.sleep(0.001)
        yield text

    async def main():
        stream = cogwire.aiter_events(source(), parser_of(dialect=dialect))

        async def read():
            return [event async for event in stream]

        reading = asyncio.create_task(read())
        await asyncio.sleep(0)
        events = await stream.stop("cancelled")
        assert events[-1] == {"type": "cancelled"}
        assert "execute" not in [event["type"] for event in [*await reading, *events]]

    asyncio.run(main())


@both
@rows("dialect, text", RUN_AT_END.items())
def test_a_source_says_why_it_ended(drive, dialect, text):
    """Without a word, its end is the model's; a reason that nobody knows is not."""

    def types(*said):
        events = drive(Source(text, *said), parser_of(dialect=dialect)).rest()
        return [event["type"] for event in events]

    by_model, by_others = ("stop", "STOP", "end_turn", "tool_use"), ("length", "content_filter")
    kinds = {reason: types(cogwire.Finish(reason)) for reason in (*by_model, *by_others, "x", None)}
    runs = {reason for reason, types in kinds.items() if "execute" in types}
    assert runs == {*by_model}
    assert "error" in kinds["length"]
    assert "execute" in types()


@both
@rows(
    ("dialect", "chunks", "is_cut"),
    [
        ("xml-json", ["Half an ans"], False),
        ("xml-json", ["Half an ans", cogwire.Finish("stop")], False),
        ("xml-json", ["Half an ans", cogwire.Finish("length")], True),
        ("xml-json", ["<think>Half", cogwire.Finish(None)], True),
        ("xml-json", [f"{BLOCK} and more", cogwire.Finish("length")], False),
        ("xml-json", ["Done.<end>", cogwire.Finish("length")], False),
        ("mistral", ["[TOOL_CALLS]a[ARGS]{}", cogwire.Finish("stop")], False),
        ("mistral", ["[TOOL_CALLS]a[ARGS]{}", cogwire.Finish("length")], True),
        # The last reason counts.
        ("mistral", ["[TOOL_CALLS]a[ARGS]{}", *map(cogwire.Finish, ("stop", "length"))], True),
    ],
)
def test_a_turn_that_the_model_did_not_end_is_cut(drive, dialect, chunks, is_cut):
    driven = drive(Source(*chunks), parser_of(dialect=dialect), drain=True)
    assert not driven.stream.is_cut
    types = [event["type"] for event in driven.rest()]
    assert ("error" in types) == (dialect == "mistral" and is_cut)
    said = [chunk for chunk in chunks if isinstance(chunk, cogwire.Finish)]
    assert [driven.stream.finish] == (said or [None])[-1:]
    assert driven.stream.is_cut is is_cut
    driven.stop("interrupt")
    assert driven.stream.is_cut is is_cut


@both
def test_a_turn_that_was_stopped_is_cut(drive):
    driven = drive(Source("a", "b"), parser_of())
    driven.stop("cancelled")
    assert driven.stream.is_cut
    interrupted = [respond("a"), {"type": "interrupt"}]
    rest, stop = drive.rest, lambda driven: driven.stop("interrupt")
    for last, expected in (rest, [respond("a")]), (stop, interrupted):
        driven = drive(Source("a", BrokenError()), parser_of())
        with pytest.raises(BrokenError):
            driven.rest()
        assert not driven.stream.is_cut
        assert last(driven) == expected
        assert driven.stream.is_cut


class Stubborn(Source):
    """A source that cannot be closed."""

    kind = RuntimeError

    def close(self):
        raise self.kind("not now")

    async def aclose(self):
        self.close()


@both
def test_the_last_events_come_before_the_source_is_closed(drive):
    """Closing may take long, or raise: the turn is complete by then, and nothing cancels it."""
    driven = drive(Stubborn(BLOCK, "never"), parser_of())
    assert [driven.next(), driven.next()] == [call(A), execute()]
    with pytest.raises(RuntimeError, match="not now"):
        driven.next()
    assert (driven.next(), driven.stop("interrupt"), driven.stream.is_cut) == (None, [], False)


@both
@rows("kind", [ValueError, RuntimeError])
def test_what_a_source_raises_when_it_is_closed_goes_through(drive, kind, monkeypatch):
    monkeypatch.setattr(Stubborn, "kind", kind)
    driven = drive(Stubborn("<think>a</think><think>b</think>c", "d"), parser_of())
    driven.next()
    with pytest.raises(kind, match="not now"):
        driven.stop("cancelled")
    assert driven.rest() == []
    assert driven.stop("cancelled") == [think("b"), respond("c"), {"type": "cancelled"}]
    assert driven.stop("cancelled") == []
    with pytest.raises(kind, match="not now"):
        drive(Stubborn("a"), parser_of()).leave()
    # Whatever leaves the context is more than that.
    drive(Stubborn("a"), parser_of()).leave(BrokenError())


class Response:
    """A source that is not its own iterator, as the streams of clients of model APIs are."""

    def __init__(self, closed, failure=None):
        self.closed = closed
        self.failure = failure

    @contextmanager
    def _iterating(self):
        try:
            yield
        finally:
            self.closed.append("iterator")
            if self.failure is not None:
                raise self.failure

    def __iter__(self):
        with self._iterating():
            yield "a"
            yield "b"

    async def __aiter__(self):
        with self._iterating():
            yield "a"
            yield "b"

    def close(self):
        self.closed.append("source")


class AsyncResponse(Response):
    """A source that is closed asynchronously."""

    async def aclose(self):
        await asyncio.sleep(0)
        self.closed.append("source")

    close = None


class ResponseOfAClient(AsyncResponse):
    """A source with the same under another name."""

    close = AsyncResponse.aclose
    aclose = None


class Unclosed(Response):
    """A source that cannot be closed, as a list cannot."""

    close = None


@rows(
    ("drive", "kind"),
    [
        *((Sync, Response), (Async, Response), (Async, AsyncResponse), (Async, ResponseOfAClient)),
        *((Sync, Unclosed), (Async, Unclosed)),
    ],
)
def test_a_source_is_closed_after_its_iterator_whatever_that_raises(drive, kind):
    for failure in (None, BrokenError()):
        closed = []
        driven = drive(kind(closed, failure), parser_of(stream="token"))
        assert driven.next()["content"] == "a"
        with pytest.raises(BrokenError) if failure else nullcontext():
            driven.close()
        driven.close()
        assert closed == ["iterator", *["source"] * (kind is not Unclosed)]


def test_any_iterable_will_do():
    """A list has nothing to close."""
    assert list(cogwire.iter_events(["a", "<end>"], parser_of())) == [respond("a"), end()]
    assert list(cogwire.iter_events("a<end>", parser_of())) == [respond("a"), end()]
    with cogwire.iter_events(["a"], parser_of()) as events:
        assert next(events) == respond("a")


@both
@rows(
    ("chunk", "message"),
    [
        (None, "NoneType"),
        (cogwire.Finish(1), r'^a reason is a string, such as "stop", or None, not 1$'),
    ],
)
def test_an_invalid_chunk_is_not_skipped(drive, chunk, message):
    """Going on does not get around it."""
    driven = drive(Source("a", chunk, "b"), parser_of())
    for _ in range(2):
        with pytest.raises(TypeError, match=message):
            driven.next()
    driven.close()
    assert driven.next() is None
    assert driven.stream.parser.close(finished=True) == [respond("a")]


@rows("reading, text", [(1, "Hi"), (2, "Hi there."), (3, "Hi there.")])
def test_a_signal_handler_stops_the_turn_while_the_parser_reads(reading, text):
    """It runs in the thread that feeds the parser, or closes it, so it cannot wait for it."""
    returned = []

    def clock():
        nonlocal reading
        reading -= 1
        if reading == 0:
            signal.raise_signal(signal.SIGUSR1)
        return 1.0

    stream = cogwire.iter_events(["Hi ", "there."], cogwire.Parser(stream="token", clock=clock))
    before = signal.signal(signal.SIGUSR1, lambda *_: returned.append(stream.stop("cancelled")))
    try:
        events = list(stream)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert returned == [[]]
    assert "".join(event.get("content", "") for event in events) == text
    assert events[-1] == {"type": "cancelled"}


@both
@rows("chunks", [["<end>"], ["<end>", "a"]])
def test_a_parser_that_has_stopped_takes_nothing_of_the_next_source(drive, chunks):
    parser = parser_of()
    drive(Source(*chunks), parser).rest()
    source = Source("b")
    assert drive(source, parser).rest() == []
    assert (source.pulled, parser.discarded) == (0, 0)


class Interrupted(str):  # noqa: SLOT000 (it has a stream)
    """A chunk that runs a signal handler where it is looked at, just before it is fed."""

    @property
    def __class__(self):
        self.stream.stop("cancelled")
        return str


def test_a_signal_handler_may_run_before_a_chunk_is_fed():
    stream = cogwire.iter_events([chunk := Interrupted("Hi <think>a</think>b")], parser_of())
    chunk.stream = stream
    assert next(stream) == respond("Hi")
    assert stream.stop("cancelled") == []
    assert [event["type"] for event in stream] == ["think", "respond", "cancelled"]


class Emptied(collections.deque):
    """Events that a signal handler takes after the iterator has seen that there are some."""

    def __bool__(self):
        has_some = len(self) > 0
        self.stream.cut("cancelled")
        return has_some


@both
def test_a_signal_handler_may_take_the_events_that_wait(drive):
    driven = drive(Source("a"), parser_of())
    driven.stream.pending = events = Emptied([respond("a")])
    events.stream = driven.stream
    assert driven.next() is None
