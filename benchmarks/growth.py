"""Counts instructions: twice the text may take at most 2.2 times as many, up to 8 MiB.

The texts are the adversarial families of the tests, each close to a cause of slowness.  Valgrind's
cachegrind counts instructions, so the numbers do not depend on the load of the machine.  One
process reads all; every measurement is a fork of it, which feeds a text in chunks, and at each size
another fork closes the parser and ends.  The count for an empty text is subtracted.
"""

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fuzz import running  # noqa: E402

KIB = 1 << 10
#: How many characters a chunk has, where the stream is not cut into pieces like tokens.
CHUNK = 4096
#: How much more work twice the text may be.
FACTOR = 2.2
#: How often progress is reported, in seconds.
PATIENCE = 30.0

#: In KiB.  A family is read up to the largest of these that takes about so many instructions or
#: fewer, and at least up to the second: counting is thirty times slower than running.
SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
INSTRUCTIONS = 1_000_000_000
#: The size from which the number of instructions is estimated, in KiB.
PROBE = 16

#: The families whose work is in the segments, which the two streams emit in different ways.
IN_SEGMENTS = {
    "xml-json": (
        "prose",
        "marker starts",
        "half markers",
        "white space",
        "white space and a letter",
        "white space and half a marker",
        "a think",
        "thinks",
    ),
    "xml-elements": ("prose",),
    "delimiter": (
        "prose",
        "half markers",
        "white space",
        "white space and half a marker",
        "segments",
        "a call of brackets, broken",
    ),
    "delimiter-upper": ("half markers",),
}


class Measurement(NamedTuple):
    """One family, read in one way."""

    dialect: str
    family: str
    stream: str
    chunk: int

    def __str__(self) -> str:
        return f"{self.dialect}: {self.family}, {self.stream} stream, chunks of {self.chunk}"


# -- In the process that is counted ---------------------------------------------------------


def serve() -> None:
    """Measure what each line of the input requests, and answer with the ids of the processes."""
    from cogwire import Limits, Parser  # noqa: PLC0415 (only this process needs it)

    limits = Limits(size=10**9, calls=10**9, depth=10**9, digits=10**9)

    def parser(job: dict[str, Any]) -> Parser:
        return Parser(
            job["dialect"], mode="transcript", stream=job["stream"], clock=None, limits=limits
        )

    for line in sys.stdin:
        job = json.loads(line)
        text = Path(job["path"]).read_text("utf-8")
        size = job["chunk"]
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        # The first look at a text translates and specialises the code that reads it.
        warm = parser(job)
        for chunk in chunks[: 1 + 8192 // size]:
            warm.feed(chunk)
        warm.close(finished=True)
        child = os.fork()
        if child == 0:
            _feed(parser(job), chunks, {stop // size for stop in job["stops"]})
        os.waitpid(child, 0)
        sys.stdout.write("over\n")
        sys.stdout.flush()


def _feed(parser: Any, chunks: Sequence[str], stops: set[int]) -> None:
    """Feed `chunks`, and before each of the `stops` end the text in a separate process."""
    for index in range(len(chunks) + 1):
        if index in stops:
            child = os.fork()
            if child == 0:
                parser.close(finished=True)
                os._exit(0)
            os.waitpid(child, 0)
            os.write(1, f"{child}\n".encode())
        if index < len(chunks):
            parser.feed(chunks[index])
    os._exit(0)


# -- In the requesting process --------------------------------------------------------------


class Counted:
    """A process under cachegrind that feeds texts to parsers."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._process = subprocess.Popen(
            [
                *("valgrind", "--tool=cachegrind", "--cache-sim=no", "--log-file=/dev/null"),
                f"--cachegrind-out-file={place}/%p",
                *(sys.executable, "-S", "-c", "from growth import serve; serve()"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": f"{ROOT / 'benchmarks'}:{ROOT / 'src'}",
            },
        )
        self._jobs = io.TextIOWrapper(cast("BinaryIO", self._process.stdin))
        self._answers = io.TextIOWrapper(cast("BinaryIO", self._process.stdout))

    def close(self) -> None:
        """End the process."""
        self._jobs.close()
        self._process.wait()

    def instructions(self, measured: Measurement, text: str, sizes: Sequence[int]) -> list[int]:
        """Return the instructions for the first `sizes` characters, less those for no text."""
        path = self._place / "text"
        path.write_text(text[: sizes[-1]], "utf-8")
        job = {
            "dialect": measured.dialect,
            "stream": measured.stream,
            "chunk": measured.chunk,
            "path": str(path),
            "stops": [0, *sizes],
        }
        self._jobs.write(json.dumps(job) + "\n")
        self._jobs.flush()
        counts = []
        while (line := self._answers.readline()) != "over\n":
            if not line:
                raise SystemExit(f"the process that is counted ended at {measured}")
            counts.append(self._count(int(line)))
        nothing, *counts = counts
        return [count - nothing for count in counts]

    def _count(self, process: int) -> int:
        path = self._place / str(process)
        [total] = [
            line.split()[1] for line in path.read_text().splitlines() if line.startswith("summary:")
        ]
        path.unlink()
        return int(total)


def counted(process: Counted, measured: Measurement, options: argparse.Namespace) -> dict[str, Any]:
    """Measure at the requested sizes, and return the numbers in the form of the report."""
    from tests.core.growing import GROWING  # noqa: PLC0415 (it imports everything that the tests need)

    make = GROWING[measured.dialect][measured.family]
    sizes = options.sizes or _affordable(process, measured, make)
    texts = [_whole(make, size * KIB) for size in sizes]
    if all(texts[-1].startswith(text[:-64]) for text in texts):
        # Each text is a prefix of the longest, so one run measures them all.
        lengths = [len(text) for text in texts]
        instructions = process.instructions(measured, texts[-1], lengths)
    else:
        instructions = [process.instructions(measured, text, [len(text)])[0] for text in texts]
    ratios = [round(twice / once, 4) for once, twice in pairwise(instructions)]
    return {
        **measured._asdict(),
        "kib": list(sizes),
        "instructions": instructions,
        "ratios": ratios,
    }


def _affordable(process: Counted, measured: Measurement, make: Any) -> list[int]:
    """Return the sizes up to the largest that can be read in reasonable time."""
    [probed] = process.instructions(measured, _whole(make, PROBE * KIB), [PROBE * KIB])
    return [
        size
        for index, size in enumerate(SIZES)
        if index < 2 or probed * size / PROBE <= INSTRUCTIONS
    ]


def _whole(make: Any, size: int) -> str:
    """Return the text of `size` characters: families round down to whole units."""
    text: str = make(size)
    return (text if len(text) >= size else make(size + 64 + size // 64))[:size]


# -- What is measured -----------------------------------------------------------------------


def chosen(options: argparse.Namespace) -> list[Measurement]:
    """Return what is to be measured: all of the published report, or what `--only` names of it."""
    from tests.core.growing import FAMILIES  # noqa: PLC0415 (it imports everything that the tests need)

    in_segments = [(dialect, name) for dialect, names in IN_SEGMENTS.items() for name in names]
    planned = [
        *(Measurement(*family, "event", CHUNK) for family in FAMILIES),
        *(Measurement(*family, "token", CHUNK) for family in in_segments),
        *(Measurement(*family, "token", 64) for family in in_segments),
    ]
    return [
        measured for measured in planned if options.only in f"{measured.dialect}: {measured.family}"
    ]


def report(measured: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    """Return the report."""
    words = ["--sizes", *map(str, options.sizes)] if options.sizes else []
    words += ["--only", json.dumps(options.only)] if options.only else []
    ratios = [ratio for one in measured for ratio in one["ratios"]]
    largest = [one["kib"][-1] for one in measured]
    numbers = {
        "counter": "valgrind --tool=cachegrind --cache-sim=no",
        "factor": FACTOR,
        "families": len({(one["dialect"], one["family"]) for one in measured}),
        "measurements_by_largest_kib": {
            str(size): largest.count(size) for size in sorted({*largest})
        },
        "largest_ratio": max(ratios, default=0),
        "ratios": len(ratios),
        "instructions": sum(one["instructions"][-1] for one in measured),
        "missed": sum(ratio > FACTOR for ratio in ratios),
        "measurements": measured,
    }
    return running.report(" ".join(["python benchmarks/growth.py", *words]), 0, numbers)


def main() -> int:
    """Measure one after the other, and report which grow too fast."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="All that is published takes about an hour; --minutes and --go-on divide it.",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help='of "DIALECT: FAMILY"')
    parser.add_argument("--sizes", type=int, nargs="+", metavar="KIB", help="each twice the last")
    parser.add_argument("--report", type=Path, metavar="FILE", help="where to write the numbers")
    parser.add_argument("--minutes", type=float, help="begin no measurement after so long")
    parser.add_argument("--go-on", action="store_true", help="keep what the report holds already")
    options = parser.parse_args()
    sizes = options.sizes or SIZES
    if any(twice != 2 * once for once, twice in pairwise(sizes)):
        parser.error("each size is twice the one before")
    if any(size * KIB % CHUNK for size in sizes):
        parser.error("each size is a whole number of chunks")
    if shutil.which("valgrind") is None:
        parser.error("valgrind counts the instructions; install it: apt-get install valgrind")
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    to_do = chosen(options)
    if not to_do:
        parser.error(f"no family's name holds {options.only!r}")

    known: list[dict[str, Any]] = []
    if options.go_on and options.report and options.report.exists():
        known = json.loads(options.report.read_text())["measurements"]
    names = {json.dumps([one[name] for name in Measurement._fields]) for one in known}
    to_do = [measured for measured in to_do if json.dumps(measured) not in names]
    measure(to_do, known, options)
    summary = report(known, options)
    print(
        f"{summary['ratios']} ratios of {summary['families']} families: the largest is "
        f"{summary['largest_ratio']}, allowed {FACTOR}; {summary['missed']} missed"
    )
    return 1 if summary["missed"] else 0


def measure(
    to_do: list[Measurement], known: list[dict[str, Any]], options: argparse.Namespace
) -> None:
    """Add the numbers to `known`, and write the report after each of them."""
    began = told = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        process = Counted(Path(place))
        for index, measured in enumerate(to_do):
            if options.minutes and time.monotonic() - began > 60 * options.minutes:
                print(f"{len(to_do) - index} measurements are left; --go-on takes them up")
                break
            one = counted(process, measured, options)
            known.append(one)
            worst = max(one["ratios"], default=0)
            if worst > FACTOR:
                print(f"GROWS {measured}: {one['instructions']}")
            now = time.monotonic()
            if sys.stderr.isatty() or now - told > PATIENCE:
                told = now
                print(f"{index + 1}/{len(to_do)} {measured}: {worst}", file=sys.stderr)
            if options.report:
                running.write(report(known, options), options.report)
        process.close()


if __name__ == "__main__":
    sys.exit(main())
