"""Compare the core with other readers, on any number of generated streams.

`python fuzz/differential.py --streams N --seed S` reads streams 0 to N - 1 of a seed with the
core, and compares it with the executable spec, with the implementation in JavaScript, with `json`
and with `lxml` (see `fuzz/comparing.py`).  A stream on which they differ is made as small as
possible and printed as a conformance case, with the command that reads the stream again.
"""

import argparse
import functools
import gc
import json
import math
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import comparing, reducing, running, streams  # noqa: E402
from fuzz.comparing import IN_FLIGHT, Adapter, Reply  # noqa: E402
from fuzz.running import Tally  # noqa: E402
from fuzz.streams import CODES, DIALECTS, Request, Stream  # noqa: E402
from lxml import etree  # noqa: E402

#: How many streams a process reads before it reports the outcome.
PORTION = 256
#: How many differences of one reader are made small and printed.
PRINTED = 3

#: The readers to compare.
READERS = ("spec", "javascript", "json", "lxml")


# --- Comparing --------------------------------------------------------------------------------


def compare(
    seed: int | str,
    numbers: Sequence[int],
    javascript: Adapter | None,
    dialect: str | None = None,
) -> Tally:
    """Read these streams, of a dialect or of any, with every reader; return the outcome."""
    tally = Tally()
    for start in range(0, len(numbers), IN_FLIGHT):
        some = numbers[start:][:IN_FLIGHT]
        batch = [(number, streams.stream(seed, number, dialect)) for number in some]
        replies = ask(javascript, batch)
        for number, stream in batch:
            reply = comparing.read_by_core(stream.request)
            tally.done += 1
            tally.counts.update(traits(stream, reply))
            for reader in READERS:
                answer = replies.get(number) if reader == "javascript" else None
                found, differs = judge(reader, stream, reply, answer)
                tally.counts["compared", reader] += found > 0 or differs
                tally.counts["read", reader] += found
                if differs:
                    tally.findings.append((number, reader))
    return tally


def traits(stream: Stream, reply: Reply) -> Iterator[tuple[Any, ...]]:
    """Yield what is counted of a stream and its events."""
    dialect = stream.request["dialect"]
    yield "streams", dialect
    yield "kinds", stream.kind
    # In characters or bytes.
    yield "lengths", sum(len(chunk) for turn in streams.data_of(stream.request) for chunk in turn)
    for event in comparing.events_of(reply):
        yield "events", dialect, event["type"]
        if event["type"] == "error":
            yield "codes", dialect, event["code"]


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


# --- Running ----------------------------------------------------------------------------------

#: The adapter of this process.
_javascript: list[Adapter] = []


def begin(*, has_javascript: bool) -> None:
    """Start the adapter of a process; it ends with its input."""
    # Modules loaded so far are permanent, so the garbage collector can ignore them.
    gc.freeze()
    if has_javascript:
        _javascript.append(Adapter().__enter__())


def compare_in_process(seed: int, numbers: range) -> Tally:
    """Compare some streams in a process that has begun."""
    return compare(seed, numbers, _javascript[0] if _javascript else None)


# --- Differences ------------------------------------------------------------------------------


def reduced(reader: str, stream: Stream, javascript: Adapter | None) -> Request:
    """Return the smallest request on which the core and a reader differ."""
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
    begin(has_javascript=has_javascript)
    shown: Counter[str] = Counter()
    for number, reader in sorted(differences):
        shown[reader] += 1
        if shown[reader] <= PRINTED:
            javascript = _javascript[0] if _javascript else None
            sys.stdout.write(f"{described(seed, number, reader, javascript)}\n")
            sys.stdout.flush()


# --- The report -------------------------------------------------------------------------------


def report(tally: Tally, options: argparse.Namespace) -> dict[str, Any]:
    """Return all counts, and the command that counts again."""
    codes = {dialect: dict.fromkeys(CODES[dialect], 0) for dialect in DIALECTS}
    for dialect in DIALECTS:
        codes[dialect] |= tally.counted("codes", dialect)
    totals: Counter[str] = Counter()
    for each in codes.values():
        totals.update(each)
    lengths = sorted(Counter(tally.counted("lengths")).elements())
    numbers = {
        "lxml": ".".join(map(str, etree.LXML_VERSION[:3])),
        "node": node_version() if options.javascript else None,
        "streams": tally.counted("streams") | {"total": tally.done},
        "kinds": tally.counted("kinds"),
        "lengths": {
            "median": statistics.median_low(lengths),
            "ninth_decile": lengths[len(lengths) * 9 // 10],
            "longest": lengths[-1],
            "total": sum(lengths),
        },
        "events": {dialect: tally.counted("events", dialect) for dialect in DIALECTS},
        "codes": codes,
        "codes_in_total": dict(totals),
        "rarest_code": min(totals, key=lambda code: totals[code]),
        "streams_compared": {
            reader: count for reader, count in tally.counted("compared").items() if count
        },
        "values_and_blocks_read": {
            reader: tally.counts["read", reader] for reader in ("json", "lxml")
        },
        "differences": {
            reader: sum(reader == other for _, other in tally.findings) for reader in READERS
        },
    }
    flags = () if options.javascript else ("--no-javascript",)
    command = running.command("differential", options, "streams", *flags)
    return running.report(command, options.seed, numbers)


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
    parser = running.arguments(__doc__.splitlines()[0], "streams")
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
    if options.javascript and not shutil.which("node"):
        parser.error("node is not installed; --no-javascript goes without it")
    if options.minutes < math.inf and not options.keep:
        parser.error("--minutes needs --keep, or what was read is lost")
    if options.only is not None:
        return read_one(options)

    sys.stderr.write(f"seed {options.seed}\n")
    tally = running.tallied(
        options,
        "streams",
        compare_in_process,
        portion=PORTION,
        begin=functools.partial(begin, has_javascript=options.javascript),
        until=time.monotonic() + 60 * options.minutes,
    )
    if tally.done < options.streams:
        sys.stdout.write(f"{tally.done:,} of {options.streams:,} streams; go on with --keep\n")
        return 0
    whole = report(tally, options)
    if options.report:
        running.write(whole, options.report)
    show(options.seed, tally.findings, has_javascript=options.javascript)
    sys.stdout.write(summary(whole))
    return 1 if tally.findings else 0


def read_one(options: argparse.Namespace) -> int:
    """Read one stream, and print it, its events, and every difference."""
    stream = streams.stream(options.seed, options.only)
    begin(has_javascript=options.javascript)
    tally = compare_in_process(options.seed, range(options.only, options.only + 1))
    reply = comparing.read_by_core(stream.request)
    sys.stdout.write(f"{json.dumps(stream._asdict())}\n{json.dumps(reply)}\n")
    show(options.seed, tally.findings, has_javascript=False)
    sys.stdout.write(f"{len(tally.findings)} differences\n")
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
