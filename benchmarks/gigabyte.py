"""Sends a gigabyte through `cogwire parse --stream token`, and checks that memory does not grow.

The command line reads its standard input and writes events into a pipe.  Everything it writes is
read back and checked: the number of segments, and the number of characters of content.  The system
reports the peak resident set when the process has ended; with a thousand times the text it may be
at most a few MB larger.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fuzz import running  # noqa: E402

COMMAND = ("-m", "cogwire_kit", "parse", "--stream", "token")
SIZES = (10**6, 10**8, 10**9)
#: How much larger the peak may be with the longest text than with the shortest, in KiB.
ALLOWED = 4096
#: How much is written at a time, and how often progress is reported, in bytes.
BLOCK = 1 << 20
TOLD = 50_000_000

WORDS = "The file is read once, é and \U0001f600 included, before a <thin line is drawn. "


class Text(NamedTuple):
    """A think and an answer, repeated; neither begins or ends with white space."""

    think: str
    answer: str

    @property
    def unit(self) -> bytes:
        """What is repeated."""
        return f"<think>{self.think}</think>{self.answer}".encode()


TEXTS = {
    "prose with thinks": Text((WORDS * 8).strip(), (WORDS * 40).strip()),
    "dense markers": Text((WORDS * 2).strip(), "Read a </think> b."),
}


class Expected(NamedTuple):
    """The output, however it is cut into pieces."""

    segments: int
    characters: int


def written(text: Text, size: int, pipe: BinaryIO) -> None:
    """Write `size` bytes of `text`, as fast as they are read."""
    units, rest = divmod(size, len(text.unit))
    many = BLOCK // len(text.unit)
    try:
        pipe.write(b"a" * rest)
        pipe.writelines(text.unit * min(left, many) for left in range(units, 0, -many))
        pipe.close()
    except BrokenPipeError:
        pass  # the process has ended, and will be seen to have


def expected(text: Text, size: int) -> Expected:
    """Return the contents of `size` bytes of `text`; a partial unit comes first."""
    units, rest = divmod(size, len(text.unit))
    characters = units * (len(text.think) + len(text.answer)) + rest
    return Expected(2 * units + (rest > 0), characters)


def seen(lines: Iterator[bytes], name: str, size: int) -> Expected:
    """Count the complete segments and the characters, and check every event."""
    segments = characters = told = 0
    for line in lines:
        event = json.loads(line)
        if event["type"] not in {"think", "respond"} or event["segment"] != segments:
            raise SystemExit(f"{name}: an event that is not due: {line[:200]!r}")
        characters += len(event["content"])
        segments += event.get("done", False)
        if characters - told >= TOLD:
            told = characters
            print(f"{name}: {told / size:.0%} of {size:,} bytes", file=sys.stderr)
    return Expected(segments, characters)


def measured(name: str, size: int) -> dict[str, Any]:
    """Send `size` bytes of a text through the command line, and return the numbers."""
    text = TEXTS[name]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    writer = threading.Thread(target=written, args=(text, size, process.stdin))
    writer.start()
    got = seen(iter(process.stdout or ()), name, size)
    # This process is smaller, but its memory before the other process began counts for both.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    writer.join()
    seconds = time.monotonic() - began
    if process.returncode != 0:
        raise SystemExit(f"{name}: the command line ended with {process.returncode}")
    if got != expected(text, size):
        raise SystemExit(f"{name}: {got} came of {size} bytes, not {expected(text, size)}")
    return {
        "text": name,
        "bytes": size,
        "segments": got.segments,
        "characters": got.characters,
        "seconds": round(seconds, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_kib": usage.ru_maxrss,
    }


def main() -> int:
    """Measure each text at each size, and compare the peaks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=SIZES,
        metavar="BYTES",
        help="(default: 1 MB to 1 GB)",
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="where to write the numbers")
    options = parser.parse_args()

    runs = []
    growth = {}
    for name in TEXTS:
        for size in options.sizes:
            run = measured(name, size)
            runs.append(run)
            rate = size / 1e6 / max(run["processor_seconds"], 0.01)
            print(
                f"{name}: {size:>13,} bytes, {run['segments']:>9,} segments, {rate:6.1f} MB/s of "
                f"processor time, peak {run['peak_kib'] / 1024:.1f} MiB",
                flush=True,
            )
        peaks = [run["peak_kib"] for run in runs if run["text"] == name]
        growth[name] = peaks[-1] - peaks[0]
    if options.report:
        words = ["--sizes", *map(str, options.sizes)] if options.sizes != SIZES else []
        numbers = {
            "measured": " ".join(["python", *COMMAND]),
            "allowed_growth_kib": ALLOWED,
            "growth_kib": growth,
            "runs": runs,
        }
        command = " ".join(["python benchmarks/gigabyte.py", *words])
        running.write(running.report(command, None, numbers), options.report)
    grown = [name for name, more in growth.items() if more > ALLOWED]
    for name in grown:
        print(f"GROWS {name}: {growth[name]} KiB more for the longest text")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
