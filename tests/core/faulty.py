"""Texts of every dialect in which every kind of event comes, and what raises."""

import asyncio

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import without

#: Turns and transcripts to cut, to interrupt and to edit.
CUT, INTERRUPTED, EDITED = (
    [each | {"text": corpus.expanded(each["text"])} for each in group["texts"]]
    for group in corpus.array(corpus.PLACE / "texts" / "turns.json")
)
#: Those in which every kind of event comes, as dialect, mode and text.
TEXTS = [(each["dialect"], each["mode"], each["text"]) for each in INTERRUPTED]


class BrokenError(Exception):
    """What a clock, a tool, a source or a consumer may raise."""


class Source:
    """Gives chunks to both kinds of code; `take` says which, and raises `over` after the last one."""

    closed = 0

    def take(self, over):
        raise NotImplementedError

    def __iter__(self):
        return self

    def __next__(self):
        return self.take(StopIteration)

    def close(self):
        self.closed += 1

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.sleep(0)
        return self.take(StopAsyncIteration)

    async def aclose(self):
        self.closed += 1
        await asyncio.sleep(0)


class Clock:
    """Raises once, when it has been asked `left` times; while that is `None`, never."""

    def __init__(self, error, left=None):
        self.error = error
        self.left = left

    def __call__(self):
        if self.left is not None:
            self.left -= 1
            if self.left == -1:
                raise self.error
        return 0.0


class HaltError(BaseException):
    """Neither an exception like others nor a signal."""


class MuteError(Exception):
    """An exception whose text cannot be had."""

    def __str__(self):
        raise ValueError("nothing to say")


#: What ends programs, and all that a clock may raise.
ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, HaltError]
RAISED = [BrokenError, MemoryError, RecursionError, StopIteration, *ENDS]


def parser_of(dialect, mode, **options):
    return cogwire.Parser(dialect, mode=mode, **{"clock": None, **options})


def parsed(dialect, mode, text, *, finished=True, **options):
    """Return the events of a run that nothing disturbs."""
    parser = parser_of(dialect, mode, **options)
    return parser.feed(text) + parser.close(finished=finished)


def pieces(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)]


def untimed(events):
    return without(events, "timestamp")
