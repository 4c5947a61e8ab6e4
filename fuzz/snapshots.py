"""Kills processes that parse, and continues from their snapshots in others, at every character.

A process feeds a case of the conformance corpus character by character, or byte by byte where the
case is bytes, and writes out a snapshot after each.  It is killed by SIGKILL at an arbitrary
moment, and the next one continues from its last snapshot.  Another process, whose parsers have not
seen the text, restores every single snapshot and reads the rest.  Each time the events before and
after must be those of an uninterrupted run, and these must be the ones that the case expects.  For
some of the cases there is a process for each single character.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import running  # noqa: E402

from cogwire import Limits, Parser  # noqa: E402
from cogwire_kit.conformance import corpus, replies  # noqa: E402

#: Longer texts are fed in large chunks, with snapshots around their edges and at some other places.
EVERY = 6000
CHUNK = 65_536
CHUNKS = 4
SOME = 8
#: The number of repetitions in cases whose text grows.
TIMES = 100
#: The rest of a text is fed one by one only if it is shorter than this.
ONE_BY_ONE = 300
#: The most snapshots that a process writes before it is killed; the average is half of it.
LIFE = 400
LIFE_WITH_LONG_TEXTS = 4
#: Of runs with at most this many steps, the share that has a process for each character.
ALONE = 0.1
SHORT = 200
#: The number of runs for one restoring process, and how often progress is reported, in seconds.
READERS_LIFE = 100
PATIENCE = 30.0

Event = dict[str, Any]


class Step(NamedTuple):
    """A call of the parser; only `feed` has a chunk."""

    call: Literal["feed", "close", "next_turn"]
    chunk: str | bytes = ""

    def written(self) -> list[Any]:
        """Return a JSON value."""
        if isinstance(self.chunk, bytes):
            return [self.call, self.chunk.decode("latin-1"), "bytes"]
        return [self.call, self.chunk, "str"]

    def do(self, parser: Parser) -> list[Any]:
        """Make the call, and return its events."""
        if self.call == "feed":
            return parser.feed(self.chunk)
        if self.call == "close":
            return parser.close(finished=True)
        parser.next_turn()
        return []


def read_step(written: list[Any]) -> Step:
    """Return the step that was written."""
    call, chunk, unit = written
    return Step(call, chunk.encode("latin-1") if unit == "bytes" else chunk)


class Run(NamedTuple):
    """A case, in one of the streams, as calls of the parser."""

    case: corpus.Case
    stream: str
    #: If the case grows: the number of repetitions in its input.
    times: int
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.case.id}, {self.stream} stream"

    @property
    def is_long(self) -> bool:
        """Whether snapshots are taken only at some places."""
        return any(len(step.chunk) > 1 for step in self.steps)

    def parser(self) -> Parser:
        """Return a parser that has read nothing."""
        options = {name: value for name, value in self.case.options.items() if name != "close"}
        if "limits" in options:
            options["limits"] = Limits(**options["limits"])
        options["stream"] = self.stream
        return Parser(self.case.dialect, clock=None, **options)


class Outcome(NamedTuple):
    """The events of a run, with deltas joined."""

    events: list[Event]
    state: str
    discarded: int
    tail: str


class Snapshot(NamedTuple):
    """The output of a process: its snapshot as text, and the events of the step before it."""

    step: int
    text: str
    events: list[Event]


class FoundError(Exception):
    """A snapshot from which a parser did not continue correctly."""


# -- The runs -------------------------------------------------------------------------------


def runs(case: corpus.Case, seed: int) -> Iterator[Run]:
    """Yield the case in both streams; one that grows at two sizes."""
    rng = random.Random(f"{seed}/{case.id}")
    for times in (1, TIMES) if "growth" in case.data else (0,):
        texts = corpus.expanded(
            case.data["turns"] if "turns" in case.data else [case.data["input"]], times
        )
        steps: list[Step] = []
        for number, text in enumerate(texts):
            steps += [Step("next_turn")] if number else []
            steps += [Step("feed", piece) for piece in pieces(text, rng)]
            steps += [Step("close")] if case.options.get("close", True) else []
        streams = [case.options["stream"]] if "stream" in case.options else ["event", "token"]
        yield from (Run(case, stream, times, tuple(steps)) for stream in streams)


def pieces(text: str | bytes, rng: random.Random) -> list[Any]:
    """Cut a text into single characters or bytes, or a long one around the edges of chunks."""
    size = len(text)
    if size <= EVERY:
        places = list(range(1, size))
    else:
        edges = range(0, size, max(CHUNK, size // CHUNKS))
        around = {edge + by for edge in edges for by in (-1, 0, 1)}
        places = sorted({*around, *rng.sample(range(size), SOME)} & {*range(1, size)})
    return [text[first:last] for first, last in pairwise((0, *places, size))]


def uninterrupted(run: Run) -> Outcome:
    """Return the events without any snapshot, each text in one chunk."""
    parser = run.parser()
    events = [event for step in rest(run.steps) for event in step.do(parser)]
    return outcome(events, parser)


def rest(steps: Sequence[Step]) -> list[Step]:
    """Return `steps` with adjacent chunks joined."""
    whole: list[Step] = []
    chunks: list[Any] = []
    for step in (*steps, None):
        if step is not None and step.call == "feed":
            chunks.append(step.chunk)
            continue
        if chunks:
            whole.append(Step("feed", type(chunks[0])().join(chunks)))
            chunks = []
        if step is not None:
            whole.append(step)
    return whole


def outcome(events: Sequence[Any], parser: Parser) -> Outcome:
    """Return everything that must not change."""
    return Outcome(joined(events), parser.state, parser.discarded, parser.tail)


def joined(events: Sequence[Event]) -> list[Event]:
    """Join the deltas of each segment and call; keep messages, offsets and numbers."""
    whole: list[Event] = []
    is_open = False
    for event in events:
        kept = {name: member for name, member in event.items() if name != "done"}
        if is_open and kept.get("segment") == whole[-1]["segment"]:
            for name in {"content", "raw"} & kept.keys():
                whole[-1][name] += kept[name]
        elif "index" in kept and whole and kept["index"] == whole[-1].get("index"):
            whole[-1]["content"] += kept["content"]
        else:
            whole.append(kept)
        is_open = "segment" in event and "done" not in event
    return whole


def as_expected(run: Run, whole: Outcome) -> bool:
    """Whether the run is what its case expects, as far as that is defined."""
    case = run.case
    if run.times or "turns" in case.data or not case.options.get("close", True):
        return True  # compared with the uninterrupted run, which the conformance suite checks
    reply = {"feeds": [whole.events], "close": [], **whole._asdict()}
    actual = replies.outcome(case, reply)
    return any(replies.same(case, expected, actual) for expected in case.expected)


# -- Processes that are killed --------------------------------------------------------------


def killed(work: Callable[[Callable[[Any], None]], None], lines: int) -> list[Any]:
    """Run `work` in a process, kill it after a number of lines, and return them."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        _work(work, sink)
    os.close(sink)
    data = bytearray()
    missing = lines
    try:
        while missing > 0 and (more := os.read(source, 1 << 20)):
            data += more
            missing -= more.count(b"\n")
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(source)
    if missing > 0 or os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        raise FoundError(f"the process ended before it was killed: {data[-2000:].decode()}")
    # It may have been about to write more, or half of it.
    return [json.loads(line) for line in data.split(b"\n")[:lines]]


def _work(work: Callable[[Callable[[Any], None]], None], sink: int) -> None:
    """Work until killed; if the work ends, report why and exit."""

    def write(value: Any) -> None:
        data = memoryview(json.dumps(value).encode() + b"\n")
        while data:
            data = data[os.write(sink, data) :]

    try:
        work(write)
    except BaseException:  # noqa: BLE001 (it is reported by the parent)
        os.write(sink, traceback.format_exc().encode())
    finally:
        os._exit(1)


def parsing(run: Run, after: Snapshot | None, *, only: int | None = None) -> Callable[..., None]:
    """Return a function that takes the steps after `after`, and then waits to be killed.

    With `only` it takes that many steps, and then waits.
    """

    def work(write: Callable[[Any], None]) -> None:
        if after is None:
            parser, begin = run.parser(), 0
            write([0, json.dumps(parser.snapshot()), []])
        else:
            parser, begin = Parser.restore(json.loads(after.text), clock=None), after.step
        steps = run.steps[begin:] if only is None else run.steps[begin : begin + only]
        for number, step in enumerate(steps, begin + 1):
            events = step.do(parser)
            write([number, json.dumps(parser.snapshot()), events])
        while True:
            signal.pause()

    return work


def snapshots(run: Run, counts: Counter[str], rng: random.Random) -> list[Snapshot]:
    """Return the snapshots of a run after each step, from processes that live for a short time."""
    taken: list[Snapshot] = []
    life = LIFE_WITH_LONG_TEXTS if run.is_long else LIFE
    while missing := len(run.steps) + 1 - len(taken):
        lines = min(rng.randint(1, life), missing)
        written = killed(parsing(run, taken[-1] if taken else None), lines)
        counts["processes_killed"] += 1
        taken += [Snapshot(*line) for line in written]
    return taken


def singly(run: Run, counts: Counter[str]) -> list[Snapshot]:
    """Return the snapshots of a run, each from a separate process."""
    taken: list[Snapshot] = []
    for _ in range(len(run.steps) + 1):
        work = parsing(run, taken[-1] if taken else None, only=1 if taken else 0)
        taken += [Snapshot(*line) for line in killed(work, 1)]
        counts["processes_killed"] += 1
        counts["processes_for_one_character"] += 1
    return taken


# -- The process that restores --------------------------------------------------------------


class Restorer:
    """A process that restores snapshots, and reads only the rest of a text."""

    def __init__(self) -> None:
        code = "import snapshots; snapshots.restore()"
        path = f"{ROOT / 'fuzz'}:{ROOT / 'src'}"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def rest(self, places: Sequence[tuple[str, Sequence[Step]]]) -> list[Outcome]:
        """Return the events after each snapshot, when the rest of the text is fed."""
        request = [[snapshot, [step.written() for step in steps]] for snapshot, steps in places]
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise FoundError("the restoring process ended")
        reply = json.loads(line)
        if isinstance(reply, str):
            raise FoundError(reply)
        return [Outcome(*each) for each in reply]


def restore() -> None:
    """Restore the snapshots in the input, and answer with the events after them."""
    for line in sys.stdin.buffer:
        try:
            reply: Any = [
                _events_after(json.loads(snapshot), steps) for snapshot, steps in json.loads(line)
            ]
        except Exception:  # noqa: BLE001 (nothing may be raised here, so that all is reported)
            reply = traceback.format_exc()
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _events_after(snapshot: Any, written: list[Any]) -> list[Any]:
    parser = Parser.restore(snapshot, clock=None)
    events = [event for step in map(read_step, written) for event in step.do(parser)]
    return [events, parser.state, parser.discarded, parser.tail]


# -- The check ------------------------------------------------------------------------------


def check(
    run: Run, restorer: Restorer, rng: random.Random, counts: Counter[str], *, alone: bool = False
) -> None:
    """Kill, restore and compare; with `alone` there is a process for each character.

    Raises `FoundError` with everything that is needed to reproduce it.
    """
    whole = uninterrupted(run)
    if not as_expected(run, whole):
        raise FoundError(f"{run}: not the events that the case expects: {whole}")
    counts["runs"] += 1
    taken = singly(run, counts) if alone else snapshots(run, counts, rng)
    places = [(snapshot.text, rest_of(run, snapshot, rng)) for snapshot in taken]
    at_once = 1 if run.is_long else len(places)
    replies = [
        reply
        for first in range(0, len(places), at_once)
        for reply in restorer.rest(places[first : first + at_once])
    ]
    before: list[Event] = []
    for snapshot, after in zip(taken, replies, strict=True):
        before += snapshot.events
        counts["snapshots_restored"] += 1
        if after._replace(events=joined([*before, *after.events])) != whole:
            raise FoundError(
                f"{run}, after step {snapshot.step} of {len(run.steps)}:\n"
                f"snapshot {snapshot.text}\nbefore {before}\nafter  {after}\nwhole  {whole}"
            )


def rest_of(run: Run, snapshot: Snapshot, rng: random.Random) -> list[Step]:
    """Return the rest of a run: in one chunk or, if it is short, cut as the run was."""
    steps = list(run.steps[snapshot.step :])
    return steps if len(steps) < ONE_BY_ONE and rng.random() < 0.5 else rest(steps)


def main() -> int:
    """Check all cases, or some; report the first that differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of moments and samples (default: 0)")
    parser.add_argument("--case", default="*", metavar="PATTERN", help="cases by id (default: all)")
    parser.add_argument(
        "--alone",
        type=float,
        default=ALONE,
        metavar="SHARE",
        help=f"of the runs of at most {SHORT} characters, with a process for each of these "
        f"(default: {ALONE})",
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="where to write the numbers")
    options = parser.parse_args()
    try:
        cases = corpus.Selection(ops=("parse",), cases=(options.case,)).of(corpus.load())
    except corpus.UnusableError as problem:
        parser.error(str(problem))
    counts: Counter[str] = Counter(cases=len(cases))
    every = [run for case in cases for run in runs(case, options.seed)]
    counts["runs_of_long_texts"] = sum(run.is_long for run in every)
    try:
        check_all(every, options.seed, options.alone, counts)
    except FoundError as found:
        print(f"FOUND with --seed {options.seed}; --case selects the cases to run again\n{found}")
        return 1
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items()))
    if options.report:
        words = [f" --seed {options.seed}"] if options.seed else []
        words += [f" --case '{options.case}'"] if options.case != "*" else []
        words += [f" --alone {options.alone}"] if options.alone != ALONE else []
        numbers = {
            "long_texts": f"of more than {EVERY} characters: around the edges of chunks of {CHUNK} "
            f"characters or a quarter of the text, and at {SOME} places more",
            **counts,
        }
        command = f"python fuzz/snapshots.py{''.join(words)}"
        running.write(running.report(command, options.seed, numbers), options.report)
    return 0


def check_all(every: list[Run], seed: int, alone: float, counts: Counter[str]) -> None:
    """Check the runs; a share of them a second time, with their many processes."""
    reported = time.monotonic()
    for first in range(0, len(every), READERS_LIFE):
        with Restorer() as restorer:
            for index, run in enumerate(every[first : first + READERS_LIFE], first):
                # The treatment of a run does not depend on the runs before it.
                rng = random.Random(f"{seed}/{run}/{run.times}")
                check(run, restorer, rng, counts)
                if not run.is_long and len(run.steps) <= SHORT and rng.random() < alone:
                    check(run, restorer, rng, counts, alone=True)
                if time.monotonic() - reported > PATIENCE:
                    reported = time.monotonic()
                    print(f"{index + 1}/{len(every)} runs", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
