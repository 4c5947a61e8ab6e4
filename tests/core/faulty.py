"""Texts of every dialect in which every kind of event comes, and what raises."""

import asyncio

from tests import cogwire
from tests.core.helpers import without

A = '{"name":"a","args":{}}'
ITEM = '{"tool":"a","status":"success","content":1}'

#: Turns and transcripts, as dialect, mode and text.
TEXTS = [
    ("xml-json", "turn", f" a <thi <think> b </think>c<execute>[{A}, {A}]</execute>d"),
    ("xml-json", "turn", f"a<execute>[{A}, {{]</execute>b"),
    ("xml-json", "turn", "<think>a</think> b <end> c"),
    ("xml-json", "turn", f"a<execute>[{A}"),
    (
        "xml-json",
        "transcript",
        f"a<execute>[{A}]</execute>\n<results>[{ITEM}]</results>b<end>c<results>[]</results>d",
    ),
    ("xml-elements", "turn", "a<think>b</think><execute> <a/><b><x>1&amp;2</x></b></execute>c"),
    ("xml-elements", "turn", "a<execute><a/><b>x</b></execute>c"),
    (
        "delimiter",
        "turn",
        '§think: a\n§call: {"name":"a"}\n§respond: b\n§call: {"name":"b"}\n§execute',
    ),
    ("delimiter", "turn", 'a\n§call: {"name":"a"} x\n§call: {"name":\n§end b'),
    ("delimiter", "turn", '§call: {"name":"a","args":{"x":'),
    (
        "delimiter",
        "transcript",
        'a\n§call: {"name":"a"}\n§execute\n§result: b\nc\n§respond: d\n§end\n§result: e',
    ),
    ("delimiter-upper", "turn", '§THINK: a\n§CALL: {"name":"a"}\n§EXECUTE\nb'),
    (
        "delimiter-upper",
        "transcript",
        '§CALL: {"name":"a"}\n§EXECUTE\n[SYSTEM: b]\n§RESPOND: c\n§END',
    ),
]


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
