"""Measures cogwire beside other parsers and beside the parts that it uses, as ratios of one run.

Each peer is installed in a separate environment and runs in a separate process.  At each point all
take turns, a twentieth of a second each, until the time is up.  The best run of each counts, in
processor time, on which other processes have the least influence.  Before that, each has to return
the turn with which it is measured.  This is not a test: no time is asserted.
"""

import argparse
import contextlib
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from benchmarks import report  # noqa: E402
from fuzz.running import commit  # noqa: E402
from measures import FORMATS, MEASURES, PEERS, UNITS, Measure, Peer, Series  # noqa: E402

REPORTS = ROOT / "benchmarks" / "reports"
#: The least number of turns that each has, unless one takes longer than so many seconds.
ROUNDS = 3
PATIENCE = 1.0


class UnmeasurableError(Exception):
    """Something cannot be measured; the text is the reason."""


# -- Peers -----------------------------------------------------------------------------------


class Process:
    """A peer's worker."""

    def __init__(self, peer: Peer, place: Path) -> None:
        install(peer, place)
        self._peer = peer
        self._worker = subprocess.Popen(
            [sys.executable, ROOT / "benchmarks" / "worker.py", peer.reader, *peer.names],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{ROOT / 'src'}"},
            text=True,
        )
        self._versions = self._answer()["versions"]

    def ask(self, **job: Any) -> Any:
        """Return the answer to a job; raises `UnmeasurableError` if that is a failure."""
        if self._worker.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._worker.stdin.write(json.dumps(job) + "\n")
                self._worker.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        line = self._worker.stdout.readline() if self._worker.stdout else ""
        told = json.loads(line or '{"failure": "its process ended"}')
        if "failure" in told:
            raise UnmeasurableError(told["failure"])
        return told

    def name(self, series: Series) -> str:
        """Return what the table calls a series: a package, its version, and which reader."""
        if series.name:
            return series.name.format(self._versions.get(self._peer.package, ""))
        if series.reader in self._versions:
            return f"{series.reader} {self._versions[series.reader]}"
        version = self._versions.get(self._peer.package, "")
        return f"{self._peer.title} {version}".strip() + (series.reader and f", {series.reader}")

    def close(self) -> None:
        """End the worker."""
        self._worker.communicate()


def install(peer: Peer, place: Path) -> None:
    """Install what a peer needs, if necessary; raises `UnmeasurableError` if pip fails."""
    wanted = json.dumps([sys.version, peer.alone, peer.whole])
    stamp = place / ".installed"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(place, ignore_errors=True)
    for packages, options in ((peer.whole, []), (peer.alone, ["--no-deps"])):
        if not packages:
            continue
        print(f"installing {' '.join(packages)}", file=sys.stderr)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:"]
        command += [*options, "--upgrade", f"--target={place}", *packages]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            errors = [line for line in ran.stderr.splitlines() if line.startswith("ERROR:")]
            raise UnmeasurableError(errors[-1] if errors else "pip failed")
    place.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)


class Bench:
    """The workers, and what could not be measured."""

    def __init__(self, places: Path, seconds: float, peers: list[str]) -> None:
        self._places, self._seconds, self._peers = places, seconds, peers
        self._processes: dict[str, Process | None] = {}
        self.missing: list[report.Missing] = []

    def close(self) -> None:
        """End the workers."""
        for process in filter(None, self._processes.values()):
            process.close()

    def measured(self, measure: Measure) -> report.Measure:
        """Return a measure with the series that could be measured."""
        print(f"{measure.title}:", end="", flush=True, file=sys.stderr)
        named = {one: process.name(one) for one, process in self._reading(measure)}
        notes = dict.fromkeys(named, "")
        values: dict[Series, list[float]] = {one: [] for one in named}
        over: dict[Series, list[int]] = {one: [] for one in named}
        for index, point in enumerate(measure.points):
            print(f" {point}", end="", flush=True, file=sys.stderr)
            units = {}
            for one in list(values):
                try:
                    told = self._ask(one, prepare=measure.job(point))
                except UnmeasurableError as failure:
                    self._leave_out(f"{named[one]} in {measure.id}", failure)
                    del values[one]
                else:
                    units[one], notes[one] = told["units"], notes[one] or told["note"]
                    over[one] += [index] * told["is_over"]
            least = self._least({one: named[one] for one in units})
            for one, count in units.items():
                if one in least:
                    values[one].append(UNITS[measure.unit](least[one], count))
                else:
                    del values[one]
        print(file=sys.stderr)
        rows = [report.Series(named[one], notes[one], values[one], over[one]) for one in values]
        shape = (measure.id, measure.title, measure.unit, measure.axis, measure.points)
        return report.Measure(*shape, rows)

    def _reading(self, measure: Measure) -> Iterator[tuple[Series, Process]]:
        """Yield what can be measured, and the workers that do it."""
        for one in measure.series:
            if one.peer not in self._processes and one.peer in self._peers:
                self._processes[one.peer] = self._started(one.peer)
            if process := self._processes.get(one.peer):
                yield one, process

    def _started(self, name: str) -> Process | None:
        try:
            return Process(PEERS[name], self._places / name)
        except UnmeasurableError as failure:
            self._leave_out(next(iter(PEERS[name].alone), name), failure)
            return None

    def _leave_out(self, name: str, failure: UnmeasurableError) -> None:
        self.missing.append(report.Missing(name, str(failure)))
        print(f"\nnot measured: {name}: {failure}", file=sys.stderr)

    def _least(self, rows: dict[Series, str]) -> dict[Series, float]:
        """Return the best run of each, all of them taking turns; runs that fail are left out."""
        least = dict.fromkeys(rows, math.inf)
        slow: set[Series] = set()
        began, rounds = time.monotonic(), 0
        while rounds < ROUNDS or time.monotonic() - began < self._seconds:
            rounds += 1
            for one in [one for one in least if one not in slow]:
                begins = time.monotonic()
                try:
                    least[one] = min(least[one], self._ask(one)["least"])
                except UnmeasurableError as failure:
                    self._leave_out(rows[one], failure)
                    del least[one]
                if time.monotonic() - begins > PATIENCE:
                    slow.add(one)
            if slow.issuperset(least):
                break
        return least

    def _ask(self, one: Series, **job: Any) -> Any:
        process = self._processes[one.peer]
        if process is None:
            raise UnmeasurableError("it is not there")
        return process.ask(series=one.reader, **job)


# -- The run ---------------------------------------------------------------------------------


def processor() -> str:
    """Return the name of the machine's processor."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main() -> int:
    """Measure what was chosen, print the table, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="say what there is, and end")
    parser.add_argument(
        "--formats", action="store_true", help="formats beside engines, in place of all else"
    )
    parser.add_argument(
        "--only", action="append", metavar="TEXT", help="measures with this in their names"
    )
    parser.add_argument(
        "--peer", action="append", choices=PEERS, help="beside cogwire (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="for each point (4)")
    parser.add_argument("--quick", action="store_true", help="each three times: hardly exact")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the report")
    parser.add_argument("--store", action="store_true", help="renew the report of the site")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print a report's table, and end")
    options = parser.parse_args()
    chosen = [
        one
        for one in (FORMATS if options.formats else MEASURES)
        if any(text in f"{one.id} {one.title}" for text in options.only or [""])
    ]
    if options.show:
        print(*report.lines(report.read(options.show)), sep="\n")
        return 0
    if options.list:
        print(*(f"{one.id:<28}{one.title}, {one.unit}" for one in chosen), sep="\n")
        return 0
    if not chosen:
        parser.error("no measure has such a name")

    peers = ["cogwire", "formats", "imports", *(options.peer or PEERS)]
    bench = Bench(Path(sys.prefix) / "peers", 0 if options.quick else options.seconds, peers)
    measured = commit()  # before somebody commits on
    try:
        measures = [bench.measured(one) for one in chosen]
    finally:
        bench.close()
    made = report.Report(
        command=" ".join(
            ["make bench", *(f"BENCH={' '.join(sys.argv[1:])!r}" for _ in sys.argv[1:2])]
        ),
        date=datetime.now(UTC).date().isoformat(),
        commit=measured,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cpu=processor(),
        measures=measures,
        missing=bench.missing,
    )
    stored = REPORTS / ("formats.json" if options.formats else "speed.json")
    for path in [options.json] * bool(options.json) + [stored] * options.store:
        report.write(made, path)
    print(*report.lines(made), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
