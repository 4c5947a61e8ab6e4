"""A clock that raises: nothing was consumed, and the same call can be made again."""

import pytest

from tests import cogwire
from tests.core.faulty import RAISED, TEXTS, BrokenError, parsed, parser_of, pieces, untimed
from tests.core.helpers import hopped
from tests.rows import rows


class Clock:
    """Raises each time it is asked, and answers when it is asked again."""

    def __init__(self, kind):
        self.kind = kind
        self.asked = 0

    def __call__(self):
        self.asked += 1
        if self.asked % 2:
            raise self.kind
        return float(self.asked)


@rows("kind", RAISED)
@rows("stream", ["event", "token"])
@rows("raw", [False, True])
def test_a_feed_whose_clock_raises_changes_nothing(kind, stream, raw):
    """Every `feed` and `close` of every text raises once, and is made again."""
    for dialect, mode, text in TEXTS:
        options = {"stream": stream, "raw": raw}
        calm = parser_of(dialect, mode, **options)
        clock = Clock(kind)
        parser = parser_of(dialect, mode, clock=clock, **options)
        for chunk in pieces(text, 3):
            before = parser.snapshot()
            with pytest.raises(kind):
                parser.feed(chunk)
            assert parser.snapshot() == before
            assert untimed(parser.feed(chunk)) == calm.feed(chunk)
        with pytest.raises(kind):
            parser.close(finished=True)
        assert untimed(parser.close(finished=True)) == calm.close(finished=True)
        assert parser.close(finished=True) == []
        assert (parser.state, parser.discarded, parser.tail) == (
            calm.state,
            calm.discarded,
            calm.tail,
        )


def test_the_clock_is_asked_once_a_call():
    """Also for chunks that give many events, and none at all after the end."""
    for dialect, mode, text in TEXTS:
        asked = []
        parser = parser_of(dialect, mode, clock=lambda asked=asked: asked.append(1) or 0.0)
        for number, chunk in enumerate(("", text, text[:1], ""), 1):
            parser.feed(chunk)
            assert len(asked) == number
        parser.close(finished=True)
        parser.close(finished=True)
        assert len(asked) == 5


def test_a_snapshot_can_be_restored_with_another_clock():
    """A parser whose clock is broken for good goes on in another."""
    for dialect, mode, text in TEXTS:
        parser = parser_of(dialect, mode, clock=Clock(BrokenError))
        with pytest.raises(BrokenError):
            parser.feed(text)
        other = hopped(parser)
        assert other.feed(text) + other.close(finished=True) == parsed(dialect, mode, text)


class Feeder:
    """A clock that feeds a parser while that is being fed, now and then."""

    def __init__(self, chunks):
        self.chunks = chunks
        self.parser = None
        self.events = []

    def __call__(self):
        if self.chunks and len(self.chunks) % 2:
            self.feed(self.chunks.pop(0))
        return 0.0

    def feed(self, chunk):
        self.events += self.parser.feed(chunk)


def test_a_clock_that_feeds_its_parser():
    """Nothing has changed when it is asked, so that what it feeds comes first."""
    for dialect, mode, text in TEXTS:
        chunks = pieces(text, 5)
        feeder = Feeder(chunks.copy())
        feeder.parser = parser_of(dialect, mode, clock=feeder)
        while feeder.chunks:
            feeder.feed(feeder.chunks.pop(0))
        # With one chunk it feeds the next one first, so that each two change places.
        order = chunks[:1] if len(chunks) % 2 else []
        rest = chunks[len(order) :]
        for first, second in zip(rest[::2], rest[1::2], strict=True):
            order += [second, first]
        events = feeder.events + feeder.parser.close(finished=True)
        assert untimed(events) == parsed(dialect, mode, "".join(order))


CALL = {"type": "call", "content": '{"name": "a", "args": {}}'}
ERROR = {"type": "error", "code": "json-syntax", "content": "No.", "offset": 0, "calls": 0}


@rows("kind", RAISED)
def test_a_batch_whose_clock_raises_changes_nothing(kind):
    """Each step is made again, and the answers are those of a batch that was not disturbed."""

    def steps(batch):
        return [
            *(lambda event=event: batch.take(event) for event in (CALL, CALL, {"type": "execute"})),
            lambda: batch.settle(1, "success", 1),
            lambda: batch.settle(0, "failure", "no"),
            lambda: batch.take(CALL),
            lambda: batch.take(ERROR),
        ]

    calm = cogwire.Batch(clock=None)
    batch = cogwire.Batch(clock=Clock(kind))
    for step, again in zip(steps(calm), steps(batch), strict=True):
        before = (batch.calls, batch.waiting, batch.is_open, batch.result)
        with pytest.raises(kind):
            again()
        assert (batch.calls, batch.waiting, batch.is_open, batch.result) == before
        assert untimed(again()) == step()
