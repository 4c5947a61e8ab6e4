"""Compare the core with other readers, on any number of generated streams.

`python fuzz/differential.py --streams N --seed S` reads streams 0 to N - 1 of a seed with the
core, and compares it with the executable spec, with the implementation in JavaScript, with `json`
and with `lxml` (see `fuzz/comparing.py`).  A stream on which they differ is made as small as
possible and printed as a conformance case, with the command that reads the stream again.
"""

import argparse
import datetime as dt
import gc
import json
import math
import multiprocessing
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import comparing, reducing, streams  # noqa: E402
from fuzz.commit import commit  # noqa: E402
from fuzz.comparing import IN_FLIGHT, Adapter, Reply  # noqa: E402
from fuzz.streams import CODES, DIALECTS, Request, Stream  # noqa: E402
from lxml import etree  # noqa: E402

#: How many streams a process reads before it reports the outcome.
PORTION = 256
#: How many differences of one reader are made small and printed.
PRINTED = 3
#: Seconds between two lines of progress, on a terminal and elsewhere.
PACES = (1.0, 30.0)

#: The readers to compare; `writer` wrote the stream, and knows what its events must be.
READERS = ("spec", "javascript", "json", "lxml", "writer")


@dataclass
class Tally:
    """The outcome of reading some streams."""

    #: How often each thing occurred; the first word names what is counted.
    counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    #: How many streams have how many characters or bytes.
    lengths: Counter[int] = field(default_factory=Counter)
    #: The streams and the readers that differ on them.
    differences: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the outcome of other streams."""
        self.counts.update(other.counts)
        self.lengths.update(other.lengths)
        self.differences += other.differences

    @property
    def done(self) -> int:
        """How many streams were read."""
        return self.lengths.total()

    def count(self, stream: Stream, reply: Reply) -> None:
        """Count a stream and its events."""
        dialect = stream.request["dialect"]
        self.counts["streams", dialect] += 1
        self.counts["kinds", stream.kind] += 1
        self.lengths[
            sum(len(chunk) for turn in streams.data_of(stream.request) for chunk in turn)
        ] += 1
        for event in events_of(reply):
            self.counts["events", dialect, event["type"]] += 1
            if event["type"] == "error":
                self.counts["codes", dialect, event["code"]] += 1


def kept(file: Path | None, seed: int) -> Tally:
    """Return the outcome that an earlier run wrote to a file, if there is one for this seed."""
    if file is None or not file.exists():
        return Tally()
    value = json.loads(file.read_text())
    if value["seed"] != seed:
        return Tally()
    counts = {tuple(key): count for key, count in value["counts"]}
    differences = [(number, reader) for number, reader in value["differences"]]
    return Tally(Counter(counts), Counter(dict(value["lengths"])), differences)


def keep(file: Path, seed: int, tally: Tally) -> None:
    """Write the outcome so far into a file, atomically."""
    value = {
        "seed": seed,
        "counts": list(tally.counts.items()),
        "lengths": list(tally.lengths.items()),
        "differences": tally.differences,
    }
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(value))
    beside.replace(file)


def events_of(reply: Reply) -> list[dict[str, Any]]:
    """Return all events of a reply, in the normal form."""
    turns = reply.get("turns", [reply])
    return [event for turn in turns for event in comparing.normal(comparing.feeds_of(turn))]


# --- Comparing --------------------------------------------------------------------------------


def compare(seed: int | str, numbers: Sequence[int], javascript: Adapter | None) -> Tally:
    """Read these streams with every reader, and return the outcome."""
    tally = Tally()
    for start in range(0, len(numbers), IN_FLIGHT):
        batch = [(number, streams.stream(seed, number)) for number in numbers[start:][:IN_FLIGHT]]
        replies = ask(javascript, batch)
        for number, stream in batch:
            reply = comparing.read_by_core(stream.request)
            tally.count(stream, reply)
            for reader in READERS:
                answer = replies.get(number) if reader == "javascript" else None
                found, differs = judge(reader, stream, reply, answer)
                tally.counts["compared", reader] += found > 0 or differs
                tally.counts["read", reader] += found
                if differs:
                    tally.differences.append((number, reader))
    return tally


def ask(javascript: Adapter | None, batch: list[tuple[int, Stream]]) -> dict[int, Reply]:
    """Return the replies of the adapter, for the streams that it can read."""
    if javascript is None:
        return {}
    read = [one for one in batch if one[1].request["dialect"] in javascript.dialects]
    replies = javascript.ask([comparing.line(number, stream.request) for number, stream in read])
    return {number: reply for (number, _), reply in zip(read, replies, strict=True)}


def judge(reader: str, stream: Stream, reply: Reply, answer: Reply | None) -> tuple[int, bool]:
    """Return how much one reader read of a stream, and whether the core differs from it."""
    if reader == "javascript" and answer is None:
        return 0, False
    if reader == "writer":
        return is_as_written(stream, reply)
    checks: dict[str, Callable[[], int]] = {
        "spec": lambda: comparing.check_spec(stream.request, reply),
        "javascript": lambda: comparing.check_adapter(answer or {}, reply),
        "json": lambda: comparing.check_json(stream.request, reply),
        "lxml": lambda: comparing.check_lxml(stream.request),
    }
    try:
        return checks[reader](), False
    except Exception:  # noqa: BLE001 - a reader may fail in any way
        return 0, True


def is_as_written(stream: Stream, reply: Reply) -> tuple[int, bool]:
    """Compare a reply with what the writer of a stream knows of it."""
    if stream.expected is None:
        return 0, False
    events = [
        {name: member for name, member in event.items() if name != "raw"}
        for event in events_of(reply)
    ]
    return 1, [events, reply.get("state"), reply.get("discarded")] != stream.expected


# --- Running ----------------------------------------------------------------------------------

#: The adapter of this process.
_javascript: list[Adapter] = []


def begin(has_javascript: bool) -> None:  # noqa: FBT001 - a pool gives arguments by place
    """Start the adapter of a process; it ends with its input."""
    # Modules loaded so far are permanent, so the garbage collector can ignore them.
    gc.freeze()
    if has_javascript:
        _javascript.append(Adapter().__enter__())


def compare_portion(portion: tuple[int, range]) -> Tally:
    """Compare some streams in a process that has begun."""
    return compare(*portion, _javascript[0] if _javascript else None)


def run(seed: int, first: int, options: argparse.Namespace) -> Iterator[Tally]:
    """Yield the outcomes of portions of the streams, in order, beginning with `first`."""
    starts = range(first, options.streams, PORTION)
    portions = ((seed, range(at, min(at + PORTION, options.streams))) for at in starts)
    with multiprocessing.Pool(options.processes, begin, (options.javascript,)) as pool:
        yield from pool.imap(compare_portion, portions)


class Progress:
    """Reports the progress of the run from time to time."""

    def __init__(self, count: int, first: int) -> None:
        self.count = count
        self.first = first
        self.began = self.said = time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def say(self, tally: Tally) -> bool:
        """Write a line, if it is time for one; return whether it was."""
        now = time.monotonic()
        done = tally.done
        if now - self.said < PACES[not self.is_terminal] and done < self.count:
            return False
        self.said = now
        rate = (done - self.first) / (now - self.began)
        left = dt.timedelta(seconds=round((self.count - done) / rate))
        line = (
            f"{done:,} of {self.count:,} streams, {rate:.0f}/s, {left} left, "
            f"{len(tally.differences)} differences"
        )
        is_open = self.is_terminal and done < self.count
        sys.stderr.write(("\r" if self.is_terminal else "") + line + ("" if is_open else "\n"))
        sys.stderr.flush()
        return True


# --- Differences ------------------------------------------------------------------------------


def reduced(reader: str, stream: Stream, javascript: Adapter | None) -> Request:
    """Return the smallest request on which the core and a reader differ."""
    if reader == "writer":
        # What the events must be is known only for the whole text.
        return stream.request
    return reducing.smallest(stream.request, differing(reader, javascript))


def differing(reader: str, javascript: Adapter | None) -> Callable[[Request], bool]:
    """Return a function that tests whether the core and a reader differ on a request."""

    def differs(request: Request) -> bool:
        stream = Stream(request, "damaged")
        answer = ask(javascript, [(0, stream)]).get(0)
        return judge(reader, stream, comparing.read_by_core(request), answer)[1]

    return differs


def described(seed: int | str, number: int, reader: str, javascript: Adapter | None) -> str:
    """Write a difference as a case, with the command that finds it again."""
    stream = streams.stream(seed, number)
    request = reduced(reader, stream, javascript)
    expected = comparing.read_by_spec(request)
    if "unsupported" in expected:
        expected = ask(javascript, [(0, Stream(request, "damaged"))])[0]
    case = reducing.case(request, expected, f"stream-{seed}-{number}")
    chunks = {name: request[name] for name in ("chunks", "chunks_b64", "turns") if name in request}
    return (
        f"The core and {reader} differ on stream {number}"
        f"{f', steered to {stream.aim}' if stream.aim else f', {stream.kind}'}; again:\n"
        f"  python fuzz/differential.py --seed {seed} --only {number}\n"
        f"  cut like this: {json.dumps(chunks)}, stream: {request.get('stream', 'event')}\n"
        f"{json.dumps(case, indent=2)}\n"
    )


def show(seed: int, differences: list[tuple[int, str]], *, has_javascript: bool) -> None:
    """Print the first differences of each reader."""
    begin(has_javascript)
    shown: Counter[str] = Counter()
    for number, reader in sorted(differences):
        shown[reader] += 1
        if shown[reader] <= PRINTED:
            javascript = _javascript[0] if _javascript else None
            sys.stdout.write(f"{described(seed, number, reader, javascript)}\n")
            sys.stdout.flush()


# --- The report -------------------------------------------------------------------------------


def counted(tally: Tally, *first: str) -> dict[str, int]:
    """Return the counts whose key is `first` and one more word."""
    return {
        key[-1]: count for key, count in sorted(tally.counts.items()) if key[:-1] == first and count
    }


def report(tally: Tally, options: argparse.Namespace) -> dict[str, Any]:
    """Return all counts, and the command that counts again."""
    codes = {dialect: dict.fromkeys(CODES[dialect], 0) for dialect in DIALECTS}
    for dialect in DIALECTS:
        codes[dialect] |= counted(tally, "codes", dialect)
    totals: Counter[str] = Counter()
    for each in codes.values():
        totals.update(each)
    lengths = sorted(tally.lengths.elements())
    return {
        "command": command(options),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "seed": options.seed,
        "commit": commit(),
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION[:3])),
        "node": node_version() if options.javascript else None,
        "streams": counted(tally, "streams") | {"total": len(lengths)},
        "kinds": counted(tally, "kinds"),
        "lengths": {
            "median": statistics.median_low(lengths),
            "ninth_decile": lengths[len(lengths) * 9 // 10],
            "longest": lengths[-1],
            "total": sum(lengths),
        },
        "events": {dialect: counted(tally, "events", dialect) for dialect in DIALECTS},
        "codes": codes,
        "codes_in_total": dict(totals),
        "rarest_code": min(totals, key=lambda code: totals[code]),
        "streams_compared": counted(tally, "compared"),
        "values_and_blocks_read": {
            reader: tally.counts["read", reader] for reader in ("json", "lxml")
        },
        "differences": {
            reader: sum(reader == other for _, other in tally.differences) for reader in READERS
        },
    }


def command(options: argparse.Namespace) -> str:
    """Return the command that makes the same report."""
    flags = f"--streams {options.streams} --seed {options.seed} --processes {options.processes}"
    flags += "" if options.javascript else " --no-javascript"
    return f"python fuzz/differential.py {flags} --report {options.report}"


def node_version() -> str:
    """Return the version of the program that runs the implementation in JavaScript."""
    run_ = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return run_.stdout.strip().removeprefix("v")


def summary(whole: dict[str, Any]) -> str:
    """Print the report in short."""
    rarest = whole["rarest_code"]
    compared = ", ".join(f"{name} {count:,}" for name, count in whole["streams_compared"].items())
    return (
        f"{whole['streams']['total']:,} streams of seed {whole['seed']}; compared with {compared}\n"
        f"rarest code: {rarest}, {whole['codes_in_total'][rarest]:,} times\n"
        f"differences: {sum(whole['differences'].values())}\n"
    )


# --- The command ------------------------------------------------------------------------------


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=20_000, help="how many (default: 20000)")
    parser.add_argument(
        "--seed", type=int, default=1, help="a number that chooses them (default: 1)"
    )
    parser.add_argument("--processes", type=int, default=1, help="how many at once (default: 1)")
    parser.add_argument("--only", type=int, metavar="N", help="read stream N alone, and show it")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write all counts as JSON")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep counts, and go on from them"
    )
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="stop after so many (default: at the end)"
    )
    parser.add_argument(
        "--no-javascript",
        dest="javascript",
        action="store_false",
        help="leave out the implementation in JavaScript, which needs node",
    )
    return parser


def main() -> int:
    """Run the streams; return whether readers differ."""
    parser = arguments()
    options = parser.parse_args()
    if options.streams < 1 or options.processes < 1:
        parser.error("there is at least one stream and one process")
    if options.javascript and not shutil.which("node"):
        parser.error("node is not installed; --no-javascript goes without it")
    if options.minutes < math.inf and not options.keep:
        parser.error("--minutes needs --keep, or what was read is lost")
    if options.only is not None:
        return read_one(options)

    tally = run_on(options)
    if tally.done < options.streams:
        sys.stdout.write(f"{tally.done:,} of {options.streams:,} streams; go on with --keep\n")
        return 0
    whole = report(tally, options)
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(f"{json.dumps(whole, indent=2, sort_keys=True)}\n")
    show(options.seed, tally.differences, has_javascript=options.javascript)
    sys.stdout.write(summary(whole))
    return 1 if tally.differences else 0


def run_on(options: argparse.Namespace) -> Tally:
    """Read the streams that an earlier run left unread, to the end or until the time is up."""
    tally = kept(options.keep, options.seed)
    progress = Progress(options.streams, tally.done)
    sys.stderr.write(f"seed {options.seed}\n")
    stop = time.monotonic() + 60 * options.minutes
    for portion in run(options.seed, tally.done, options):
        tally.add(portion)
        is_over = time.monotonic() > stop
        if (progress.say(tally) or is_over) and options.keep:
            keep(options.keep, options.seed, tally)
        if is_over:
            break
    return tally


def read_one(options: argparse.Namespace) -> int:
    """Read one stream, and print it, its events, and every difference."""
    stream = streams.stream(options.seed, options.only)
    begin(options.javascript)
    tally = compare_portion((options.seed, range(options.only, options.only + 1)))
    reply = comparing.read_by_core(stream.request)
    sys.stdout.write(f"{json.dumps(stream._asdict())}\n{json.dumps(reply)}\n")
    show(options.seed, tally.differences, has_javascript=False)
    sys.stdout.write(f"{len(tally.differences)} differences\n")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
