"""Many parsers at once, on one event loop and in threads: each gives what it gives alone."""

import asyncio
import copy
import json
import random
import sys
import threading

import pytest

from tests import cogwire
from tests.core.faulty import parser_of
from tests.core.helpers import IS_BRIEF, hopped, joined, singles, unmeasured
from tests.core.parser.test_snapshot import TRANSCRIPTS, TURNS
from tests.rows import rows

PARSERS = 10_000
THREADS = 8
LIMITS = cogwire.Limits(size=200, calls=2, depth=4, digits=5)


def task(number, rng):
    """Return a text that no other parser has, and how it is read."""
    mode, texts = rng.choice([("turn", TURNS), ("transcript", TRANSCRIPTS)])
    dialect = rng.choice(sorted(texts))
    options = {
        "stream": rng.choice(["event", "token"]),
        "raw": rng.random() < 0.5,
        "limits": rng.choice([LIMITS, cogwire.Limits()]),
    }
    return dialect, mode, f"{number}\n{rng.choice(texts[dialect])}", options


@pytest.mark.verify
def test_ten_thousand_parsers_on_one_loop():
    """Their chunks come in random order."""
    rng = random.Random(6)
    tasks = [task(number, rng) for number in range(PARSERS)]
    given = [None] * PARSERS

    async def source(text):
        at = 0
        while at < len(text):
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)
            size = rng.randint(4, 40)
            yield text[at : at + size]
            at += size

    async def consume(number):
        dialect, mode, text, options = tasks[number]
        parser = parser_of(dialect, mode, **options)
        async with cogwire.aiter_events(source(text), parser) as stream:
            given[number] = [event async for event in stream], parser.state, parser.tail

    async def main():
        await asyncio.gather(*map(consume, rng.sample(range(PARSERS), PARSERS)))

    asyncio.run(main())
    for (dialect, mode, text, options), (events, state, tail) in zip(tasks, given, strict=True):
        alone = parser_of(dialect, mode, **options)
        expected = alone.feed(text) + alone.close(finished=True)
        assert joined(events) == joined(expected), text
        assert state == alone.state, text
        # After a stop the stream has not asked for more.
        assert alone.stopped or tail == alone.tail, text


@pytest.fixture
def hectic():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work):
    """Run `work` in eight threads that begin at once; what one raises is raised here."""
    barrier = threading.Barrier(THREADS)
    raised = []

    def run(number):
        barrier.wait()
        try:
            work(random.Random(number))
        except BaseException as error:  # noqa: BLE001 (whatever it is, the test fails)
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in raised:
        raise error


@pytest.mark.usefixtures("hectic")
@unmeasured()
def test_threads_with_a_parser_each():
    """They share the limits and what the dialects are made of; snapshots are taken and restored."""
    tasks = [task(number, random.Random(number)) for number in range(100)]
    expected = []
    for dialect, mode, text, options in tasks:
        parser = parser_of(dialect, mode, **options)
        expected.append(
            [parser.feed(each) for each in singles(text)] + [parser.close(finished=True)]
        )

    def work(rng):
        for number in rng.sample(range(len(tasks)), 20 if IS_BRIEF else 60):
            dialect, mode, text, options = tasks[number]
            parser = parser_of(dialect, mode, **options)
            given = []
            for each in singles(text):
                given.append(parser.feed(each))
                parser = hopped(parser) if rng.random() < 0.1 else parser
            assert [*given, parser.close(finished=True)] == expected[number]

    together(work)


TOOLS = [
    {
        "name": "write",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "pattern": "^[a-z]+$"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "maxItems": 3},
            },
            "required": ["path"],
            "additionalProperties": False,
            "$defs": {"line": {"type": "integer"}},
        },
    }
]
CHECKED = [
    {"path": "a", "lines": [1]},
    {"path": "A"},
    {},
    {"path": "a", "lines": [1, 2, 3, 4]},
    {"path": 1, "more": 2},
    {"path": "a", "lines": ["x"]},
]


@pytest.mark.usefixtures("hectic")
@rows("dialect", ["xml-json", "xml-elements"])
def test_threads_share_a_toolset(dialect):
    toolset = cogwire.Toolset(TOOLS, dialect)
    calls = [{"name": "write", "args": args} for args in CHECKED]
    if dialect == "xml-elements":
        as_text = [{name: json.dumps(value) for name, value in args.items()} for args in CHECKED]
        calls = [{"name": "write", "args": args} for args in as_text]
    expected = [cogwire.Toolset(TOOLS, dialect).check(call) for call in calls]
    assert len({json.dumps(each.problems) for each in expected}) > 3

    def work(rng):
        for _ in range(60):
            place = rng.randrange(len(calls))
            assert toolset.check(copy.deepcopy(calls[place])) == expected[place]

    together(work)


@pytest.mark.usefixtures("hectic")
def test_threads_with_a_batch_each():
    def work(rng):
        for _ in range(40):
            batch = cogwire.Batch("delimiter", clock=None)
            count = rng.randint(1, 5)
            for index in range(count):
                batch.take({"type": "call", "content": f'{{"name": "t{index}"}}'})
            batch.take({"type": "execute"})
            for index in rng.sample(range(count), count):
                given = batch.settle(index, "success", index)
            [result] = given
            items = json.loads(result["content"])
            assert [item["tool"] for item in items] == [f"t{index}" for index in range(count)]

    together(work)
