"""Little stack and little memory: what is within the limits is read, and nothing is half done."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import cogwire
from tests.core.faulty import TEXTS, parsed, parser_of, pieces
from tests.core.helpers import call, execute, hopped, run, singles, split
from tests.rows import rows

#: What a parser may take of the stack, whatever it reads: far less than the depth of what it reads.
FRAMES = 40
DEEP = 120


@pytest.fixture
def shallow():
    """Leave a few frames to whoever is called."""

    def run(function):
        depth, frame = 0, sys._getframe()
        while frame:
            depth, frame = depth + 1, frame.f_back
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(depth + FRAMES)
        try:
            return function()
        finally:
            sys.setrecursionlimit(before)

    return run


NESTED = "[" * DEEP + "]" * DEEP
OBJECTS = '{"a":' * DEEP + "1" + "}" * DEEP
CALL = '{"name":"a","args":{}}'
RESULT = '{"tool":"a","status":"success","content":@}'
NESTING = [
    *(
        (dialect, mode, text.replace("@", value))
        for value in (NESTED, OBJECTS)
        for dialect, mode, text in (
            ("xml-json", "turn", 'a<execute>[{"name":"a","args":{"x":@}}]</execute>b'),
            (
                "xml-json",
                "transcript",
                f"<execute>[{CALL}]</execute><results>[{RESULT}]</results>",
            ),
            ("delimiter", "turn", '§call: {"name":"a","args":{"x":@}}\n§execute'),
            ("delimiter", "transcript", '§call: {"name":"a"}\n§execute\n§result: @\n§end'),
            ("delimiter-upper", "transcript", '§CALL: {"name":"a"}\n§EXECUTE\n[SYSTEM: @]\n§END'),
        )
    ),
    # Deeper than the limit: an error as ever.
    ("xml-json", "turn", '<execute>[{"name":"a","args":{"x":' + "[" * 100_000),
    ("delimiter", "turn", '§call: {"name":"a","args":{"x":' + "[" * 100_000),
    ("xml-elements", "turn", "<execute><a><b>" + "<c>" * 100_000),
]


@rows(("dialect", "mode", "text"), [*NESTING, *TEXTS])
@rows("size", [1, 10**9])
def test_parsing_takes_few_frames(shallow, dialect, mode, text, size):
    """The nesting is not on the stack; nor is it when a snapshot is restored."""
    text = text[:1000] if size == 1 else text

    def read():
        parser = parser_of(dialect, mode)
        events = []
        for chunk in pieces(text, size):
            events += parser.feed(chunk)
        return parser, events

    expected = parsed(dialect, mode, text)
    parser, events = shallow(read)
    snapshot = json.loads(json.dumps(shallow(parser.snapshot)))
    other = shallow(lambda: cogwire.Parser.restore(snapshot, clock=None))
    assert events + shallow(lambda: parser.close(finished=True)) == expected
    assert events + shallow(lambda: other.close(finished=True)) == expected


@rows(("opener", "closer"), [("[", "]"), ('{"a": ', "}")])
def test_deep_nesting_where_it_is_allowed(opener, closer):
    """The parser's own stack is not the interpreter's."""
    args = f'{{"x":{opener * 20_000}0{closer * 20_000}}}'
    content = f'{{"name":"a","args":{args}}}'
    limits = cogwire.Limits(depth=30_000)
    text = f"<execute>[{content}]</execute>"
    for chunks in ([text], split(text, len(text) // 2), singles(text)):
        assert run(chunks, limits=limits).events == [call(content), execute()]
    for chunks in ([text], split(text, len(text) // 2)):
        *deltas, called, ended = run(chunks, limits=limits, stream="token", call_deltas=True).events
        assert [called, ended] == [call(content), execute()]
        assert "".join(event["content"] for event in deltas) == args


class Heavy(str):
    """A text that does not fit in memory."""

    __slots__ = ()

    def isascii(self):
        raise MemoryError

    def encode(self, *_):
        raise MemoryError


@rows("stream", ["event", "token"])
def test_a_chunk_that_does_not_fit_in_memory(stream):
    """Nothing of it was consumed; the same text can be fed again."""
    for dialect, mode, text in TEXTS:
        calm = parser_of(dialect, mode, stream=stream)
        parser = parser_of(dialect, mode, stream=stream)
        # The first chunk says what the chunks are.
        assert parser.feed("") == calm.feed("")
        for chunk in pieces(text, 6):
            before = parser.snapshot()
            with pytest.raises(MemoryError):
                parser.feed(Heavy(chunk))
            assert parser.snapshot() == before
            assert parser.feed(chunk) == calm.feed(chunk)
        assert parser.close(finished=True) == calm.close(finished=True)


#: Feeds a think until there is no memory left, in a process that may not have much.
STARVED = """
import json, resource, sys
from cogwire import Parser, parse
text = "<think>" + "word " * 20_000
parser = Parser(clock=None)
parser.feed(text)
snapshot = json.dumps(parser.snapshot())
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), -1))
chunks = 0
try:
    while True:
        parser.feed("word " * 500_000 + str(chunks))
        chunks += 1
except MemoryError:
    del parser
again = Parser.restore(json.loads(snapshot), clock=None)
events = again.feed("</think>b<execute>[]</execute>")
print(json.dumps([chunks, events == parse(text + "</think>b<execute>[]</execute>", clock=None)]))
"""


def test_after_memory_has_run_out():
    """A snapshot taken before goes on, and new parsers read as ever."""
    ended = subprocess.run(
        [sys.executable, "-c", STARVED],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": str(Path(cogwire.__file__).parents[1])},
    )
    chunks, is_same = json.loads(ended.stdout)
    assert chunks > 3
    assert is_same


def test_a_snapshot_outlives_its_parser():
    """What is done to the parser later does not reach it."""
    for dialect, mode, text in TEXTS:
        parser = parser_of(dialect, mode)
        events = parser.feed(text[: len(text) // 2])
        snapshot = parser.snapshot()
        written = json.dumps(snapshot)
        parser.feed("x" + text)
        parser.close(finished=True)
        assert json.dumps(snapshot) == written
        other = hopped(cogwire.Parser.restore(snapshot, clock=None))
        events += other.feed(text[len(text) // 2 :]) + other.close(finished=True)
        assert events == parsed(dialect, mode, text)
