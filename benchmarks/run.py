"""Measures the parser side by side with what it is compared to, and prints the ratios.

Every ratio comes from rounds in which both sides run one after the other, and is made of the best
round of each: the machine's speed drifts, and only what is measured together can be compared.
"""

import argparse
import asyncio
import importlib
import json
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from turns import FAMILIES, FAMILIES_OF, in_string, prose, tiny_calls, turn, turn_in

from cogwire import Limits, Parser

try:
    from cogency.core.parser import parse_tokens
except ImportError:
    parse_tokens = None

LIMITS = Limits(calls=1_000_000, size=1 << 30)
DIALECTS = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")

#: Where the last version stands that had the protocol with delimiters: beside the other packages,
#: since it has the same name as the version that has not.
BY_LINES = Path(sys.prefix) / "cogency-3.2.0" / "cogency"

#: One measurement: run it, get seconds.
Run = Callable[[], float]


class Nothing:
    """The unit: a parser whose `feed` does nothing, called by the same loop."""

    def feed(self, chunk: str) -> None:
        """Do nothing."""


def pieces(text: str, size: int) -> list[str]:
    """Cut `text` into pieces of `size` characters; 0 leaves it whole."""
    return [text[at : at + size] for at in range(0, len(text), size)] if size else [text]


def feeding(make: Callable[[], object], chunks: Sequence[str]) -> Run:
    """Return what times feeding all of `chunks` to a new parser."""

    def run() -> float:
        feed = make().feed  # type: ignore[attr-defined]
        begin = time.perf_counter()
        for chunk in chunks:
            feed(chunk)
        return time.perf_counter() - begin

    return run


def parsing(text: str) -> Run:
    """Return what times parsing `text` in one chunk, event by event."""

    def run() -> float:
        begin = time.perf_counter()
        parser = Parser(limits=LIMITS)
        parser.feed(text)
        parser.close()
        return time.perf_counter() - begin

    return run


def limit(text: str) -> Run:
    """Return what times the least that must be done: decode the block, search the text."""
    block = text[text.index("<execute>") + 9 : text.rindex("</execute>")]

    def run() -> float:
        begin = time.perf_counter()
        json.loads(block)
        text.find("</execute>")
        return time.perf_counter() - begin

    return run


def parser_by_lines() -> Callable[..., Any] | None:
    """Return cogency's parser of the protocol with delimiters, if it is there."""
    if not BY_LINES.is_dir():
        return None
    package = ModuleType("cogency_by_lines")
    package.__path__ = [str(BY_LINES)]
    sys.modules[package.__name__] = package
    parse: Callable[..., Any] = importlib.import_module("cogency_by_lines.core.parser").parse_tokens
    return parse


def cogency(chunks: Sequence[str], parse_tokens: Callable[..., Any] = parse_tokens) -> Run:
    """Return what times cogency's parser on the same chunks, its event loop already running."""

    async def source() -> AsyncIterator[str]:
        for chunk in chunks:
            yield chunk

    async def consume() -> float:
        begin = time.perf_counter()
        async for _ in parse_tokens(source()):
            pass
        return time.perf_counter() - begin

    return lambda: asyncio.run(consume())


def token_parser(dialect: str = "xml-json") -> Parser:
    """Return a parser in token mode."""
    return Parser(dialect, stream="token", limits=LIMITS)


def best(runs: Iterable[Run], seconds: float) -> list[float]:
    """Return the best time of each of `runs`, taken in turn for about `seconds`."""
    runs = list(runs)
    times = [run() for run in runs]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        times = [min(known, run()) for known, run in zip(times, runs, strict=True)]
    return times


class Report:
    """Prints a table a section, and counts the targets that are missed."""

    def __init__(self) -> None:
        self.missed = 0

    def section(self, title: str) -> None:
        """Begin a table."""
        print(f"\n{title}")

    def row(self, name: str, value: str, target: str = "", *, met: bool = True) -> None:
        """Print a line, and what it should have been."""
        self.missed += not met
        verdict = f"   {target}: {'met' if met else 'MISSED'}" if target else ""
        print(f"  {name:<46}{value:>24}{verdict}")


def against_cogency(report: Report, seconds: float) -> None:
    """4-character chunks in token mode, mixed turn."""
    report.section("Against cogency 3.3.0, mixed turn, 4-character chunks (times faster)")
    if parse_tokens is None:
        report.row("cogency is not installed", "see make bench")
        return
    for size, target in ((1_000, 2), (5_000, 5), (20_000, 20), (80_000, 80)):
        chunks = pieces(turn(size), 4)
        ours, theirs = best([feeding(token_parser, chunks), cogency(chunks)], seconds)
        ratio = theirs / ours
        report.row(f"{size:,} characters", f"{ratio:.1f} ×", f"≥ {target} ×", met=ratio >= target)


def chunk_costs(report: Report, seconds: float) -> None:
    """One chunk, in calls of a method that does nothing."""
    report.section("Cost of a chunk in calls of a method that does nothing (token mode)")
    dense = ",".join(
        f'{{"name":"t{i}","args":{{"a":{i},"b":[1,2,{{"c":true}}],"d":null}}}}' for i in range(999)
    )
    texts = {
        "prose": (prose(40_000), 8),
        "think": ("<think>" + prose(40_000), 8),
        "string body": (in_string("The quick brown fox. " * 2_000), 8),
        "calls as models write them": (turn(80_000).partition("<execute>")[2], 30),
        "dense JSON": (dense, 30),
    }
    for name, (text, target) in texts.items():
        prefix = "<execute>" if "calls" in name else "<execute>[" if "dense" in name else ""
        for size in (1, 4, 64):
            chunks = [prefix, *pieces(text, size)][:8_000]
            ours, nothing = best([feeding(token_parser, chunks), feeding(Nothing, chunks)], seconds)
            units, cost = ours / nothing, ours / len(chunks) * 1e6
            value = f"{cost:.2f} µs = {units:.1f} calls"
            wanted = f"≤ {target}" if size == 4 else ""
            report.row(
                f"{name}, {size} at a time", value, wanted, met=not wanted or units <= target
            )


def floor(report: Report, seconds: float) -> None:
    """Print what a chunk of prose cannot do without, in the same unit."""
    report.section("Of which, for a chunk that gives a delta")

    class Clock:
        def feed(self, _chunk: str) -> None:
            time.time()

    class Delta:
        def feed(self, chunk: str) -> list[dict[str, object]]:
            return [{"type": "respond", "content": chunk, "segment": 0, "timestamp": 0.0}]

    class White:
        def feed(self, chunk: str) -> None:
            "<" not in chunk and chunk.isascii() and chunk.rstrip(" \t\n\r")

    chunks = pieces(prose(40_000), 4)[:8_000]
    parts = {"the clock": Clock, "the event and its list": Delta, "looking at the text": White}
    nothing, *costs = best(
        [feeding(Nothing, chunks), *(feeding(part, chunks) for part in parts.values())], seconds
    )
    for name, cost in zip(parts, costs, strict=True):
        report.row(name, f"{cost / nothing - 1:.1f} calls")
    report.row("the call of feed itself", "1.0 calls")


def dialects(report: Report, seconds: float) -> None:
    """Measure the same turn in every dialect."""
    report.section("The same turn in each dialect: speed per character, as a share of xml-json's")
    for size, chunk in ((20_000, 4), (20_000, 0), (1_000_000, 0)):
        texts = [turn_in(dialect, size) for dialect in DIALECTS]
        costs = best(
            [
                feeding(partial(token_parser, dialect), pieces(text, chunk))
                for dialect, text in zip(DIALECTS, texts, strict=True)
            ],
            seconds,
        )
        first, *others = (cost / len(text) for cost, text in zip(costs, texts, strict=True))
        way = f"{chunk}-character chunks" if chunk else "whole"
        for dialect, cost in zip(DIALECTS[1:], others, strict=True):
            share = 100 * first / cost
            name = f"{dialect}, {size:,}, {way}"
            report.row(name, f"{share:.0f} %", "≥ 50 %", met=share >= 50)


def against_cogency_by_lines(report: Report, seconds: float) -> None:
    """4-character chunks in token mode; cogency splits the text, and reads no call."""
    report.section("Against cogency 3.2.0, delimiter, 4-character chunks (times faster)")
    theirs = parser_by_lines()
    if theirs is None:
        report.row("cogency 3.2.0 is not installed", "see make bench")
        return
    for size in (1_000, 20_000, 80_000):
        chunks = pieces(turn_in("delimiter", size), 4)
        ours, other = best(
            [feeding(partial(token_parser, "delimiter"), chunks), cogency(chunks, theirs)], seconds
        )
        report.row(f"{size:,} characters", f"{other / ours:.1f} ×")


def flatness(report: Report, seconds: float) -> None:
    """Cost per character at 1 MB against 20 kB."""
    report.section("Cost per character at 1 MB against 20 kB (4-character chunks / whole)")
    families = [("xml-json", name, family) for name, family in FAMILIES.items()]
    for dialect, more in FAMILIES_OF.items():
        families.append((dialect, f"{dialect}: turn", partial(turn_in, dialect)))
        families += [(dialect, f"{dialect}: {name}", family) for name, family in more.items()]
    for dialect, name, family in families:
        parser = partial(token_parser, dialect)
        ratios = []
        for size in (4, 0):
            small, large = family(20_000), family(1_000_000)
            # The small text many times over, so that both runs last alike.
            count = max(len(large) // len(small), 1)
            cut_small, cut_large = pieces(small, size), pieces(large, size)
            one = feeding(parser, cut_small)
            many, once = best(
                [
                    lambda one=one, count=count: sum(one() for _ in range(count)),
                    feeding(parser, cut_large),
                ],
                seconds,
            )
            ratios.append((once / len(large)) / (many / (len(small) * count)))
        value = " / ".join(f"{ratio:.2f}" for ratio in ratios)
        report.row(name, value, "≤ 1.2", met=max(ratios) <= 1.2)


def transcripts(report: Report, seconds: float) -> None:
    """Whole transcripts of many blocks that nothing answers, 1 MB against 20 kB."""
    report.section("Transcripts in one chunk, cost per character at 1 MB against 20 kB")
    blocks = {
        "void blocks": '<execute>[{"name":"aaaaaaaaaaaaaaa","args":{]</execute>\n',
        "closers in strings": '<execute>[{"name":"a","args":{"x":"</execute>"}}]</execute>\n',
    }
    for name, block in blocks.items():
        small, large = block * (20_000 // len(block)), block * (1_000_000 // len(block))

        def run(text: str) -> float:
            begin = time.perf_counter()
            Parser(mode="transcript").feed(text)
            return time.perf_counter() - begin

        one, many = best([lambda t=small: run(t), lambda t=large: run(t)], seconds)
        ratio = (many / len(large)) / (one / len(small))
        report.row(name, f"{ratio:.2f}", "≤ 1.2", met=ratio <= 1.2)


def whole_texts(report: Report, seconds: float) -> None:
    """Whole text in one chunk, as a share of the limit's speed."""
    report.section("Whole text, share of the speed of json.loads(block) and one str.find(text)")
    cases = [
        *(
            ("mixed turn", turn, size, target)
            for size, target in ((1_000, 20), (20_000, 35), (80_000, 40), (1_000_000, 40))
        ),
        *(("tiny calls", tiny_calls, size, 25) for size in (20_000, 80_000, 1_000_000)),
    ]
    for name, make, size, target in cases:
        text = make(size)
        ours, least = best([parsing(text), limit(text)], seconds)
        share = 100 * least / ours
        report.row(f"{name}, {size:,}", f"{share:.0f} %", f"≥ {target} %", met=share >= target)


def memory(report: Report, megabytes: int) -> None:
    """Memory while streaming prose or think in token mode."""
    report.section(f"Memory above the start while streaming {megabytes} MB in token mode")
    chunk = prose(1_000)
    for name, opener in (("prose", ""), ("think", "<think>")):
        parser = token_parser()
        parser.feed(opener)
        tracemalloc.start()
        start, _ = tracemalloc.get_traced_memory()
        for _ in range(megabytes * 1_000):
            parser.feed(chunk)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        extra = (peak - start) / 1024
        report.row(name, f"{extra:.1f} KiB", "≤ 1 MiB", met=extra <= 1024)


def main() -> int:
    """Run the benchmarks; 1 if a target is missed and `--strict` is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each comparison (2)")
    parser.add_argument("--megabytes", type=int, default=100, help="of the memory test (100)")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a target is missed")
    options = parser.parse_args()
    report = Report()
    print(f"cogwire on Python {sys.version.split()[0]}; best of rounds taken in turn")
    against_cogency(report, options.seconds)
    against_cogency_by_lines(report, options.seconds)
    dialects(report, options.seconds)
    chunk_costs(report, options.seconds)
    floor(report, options.seconds)
    flatness(report, options.seconds)
    transcripts(report, options.seconds)
    whole_texts(report, options.seconds)
    memory(report, options.megabytes)
    print(f"\n{report.missed} targets missed")
    return int(options.strict and report.missed > 0)


if __name__ == "__main__":
    sys.exit(main())
