"""Run the laws of the parser for any length of time: `python fuzz/laws.py --seconds N`.

The properties are those of the tests of laws and of snapshots, in every dialect, on inputs that the
seed chooses.  A failing input is made as small as possible, and
printed as a conformance case and as a test.
"""

import argparse
import itertools
import random
import shlex
import sys
import time
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import running  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
from tests.core.laws import ALL  # noqa: E402
from tests.core.parser import test_laws, test_snapshot, test_snapshot_refused  # noqa: E402

#: Examples between two looks at the clock.
ROUND = 100
#: Seconds between two reports of progress.
PAUSE = 30

PATIENT = settings(
    max_examples=ROUND,
    derandomize=False,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    report_multiple_bugs=False,
)


class Recorder:
    """A law in one dialect, and its last input: after a failure, the smallest one."""

    def __init__(self, module: ModuleType, name: str, dialect: str) -> None:
        self.module = module.__name__
        self.name = name
        self.dialect = dialect
        self.arguments: tuple[Any, ...] = ()
        self.examples = 0
        law = getattr(module, name).law

        def recorded(drawn: tuple[Any, ...]) -> None:
            self.arguments = drawn
            self.examples += 1
            law.check(dialect, drawn)

        self._run = PATIENT(given(law.drawn[dialect])(recorded))

    def run(self, chosen: str) -> None:
        """Run a round of examples, which `chosen` determines with the law and the dialect."""
        seed(f"{chosen}/{self.name}/{self.dialect}")(self._run)()

    def as_test(self) -> str:
        """Write the last input as a separate test."""
        package, module = self.module.rsplit(".", 1)
        given_values = "".join(f"        {value!r},\n" for value in (self.dialect, *self.arguments))
        return (
            "from cogwire_kit.strategies import Document\n"
            f"from {package} import {module}\n"
            "from tests.core.laws import Feed\n\n\n"
            "def test_found():\n"
            f"    law = {module}.{self.name}.law\n"
            f"    law.holds(\n{given_values}    )\n"
        )


def laws(pattern: str, dialects: list[str]) -> list[Recorder]:
    """Return every property whose name contains `pattern`, in each of the dialects."""
    return [
        Recorder(module, name, dialect)
        for module in (test_laws, test_snapshot, test_snapshot_refused)
        for name, value in sorted(vars(module).items())
        if name.startswith("test_") and hasattr(value, "law") and pattern in name
        for dialect in value.law.drawn
        if dialect in dialects
    ]


class Progress:
    """Reports the progress of the run on standard error from time to time."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._due = self._start + PAUSE

    def show(self, rounds: int, law: Recorder) -> None:
        """Report what was run last, if it is time to."""
        now = time.monotonic()
        if now > self._due:
            self._due = now + PAUSE
            passed = f"{now - self._start:.0f} s, {rounds} rounds"
            print(f"{passed}, last {law.name} in {law.dialect}", file=sys.stderr)


def search(chosen: list[Recorder], options: argparse.Namespace) -> tuple[int, Recorder | None]:
    """Run the laws in turn; return the number of rounds, and the law that failed."""
    stop = time.monotonic() + options.seconds
    progress = Progress()
    for rounds, law in enumerate(itertools.cycle(chosen), start=1):
        try:
            law.run(f"{options.seed}/{rounds}")
        except Exception:  # noqa: BLE001 (a law may fail in any way)
            traceback.print_exc(limit=-3)
            return rounds, law
        if rounds == options.rounds or (not options.rounds and time.monotonic() > stop):
            return rounds, None
        progress.show(rounds, law)
    raise AssertionError("the laws go round")


def command(options: argparse.Namespace, rounds: int) -> str:
    """Return the command that runs the same examples again."""
    words = ["python", "fuzz/laws.py", "--seed", str(options.seed), "--rounds", str(rounds)]
    words += ["--only", options.only] if options.only else []
    words += ["--dialect", options.dialect] if options.dialect else []
    return shlex.join(words)


def report(
    options: argparse.Namespace, rounds: int, chosen: list[Recorder], *, failed: bool
) -> dict[str, Any]:
    """Return the numbers of a run."""
    numbers = {
        "laws": len({law.name for law in chosen}),
        "rounds": rounds,
        "examples": {
            dialect: sum(law.examples for law in chosen if law.dialect == dialect)
            for dialect in ALL
        },
        "failures": int(failed),
    }
    return running.report(command(options, rounds), options.seed, numbers)


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument(
        "--rounds", type=int, default=0, metavar="N", help=f"instead: N times {ROUND} examples"
    )
    parser.add_argument("--seed", type=int, help="chooses the inputs (default: another each time)")
    parser.add_argument("--only", default="", metavar="TEXT", help="laws whose name holds TEXT")
    parser.add_argument("--dialect", choices=ALL, help="in one dialect (default: in all)")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the numbers as JSON")
    return parser


def main() -> int:
    """Run rounds of each law in turn until the time is up or one fails."""
    parser = arguments()
    options = parser.parse_args()
    chosen = laws(options.only, [options.dialect] if options.dialect else list(ALL))
    if not chosen:
        parser.error(f"no law's name holds {options.only!r}")
    if options.seed is None:
        options.seed = random.randrange(10**9)
    print(f"seed {options.seed}", flush=True)
    # Even if the time is short, any of them may be run.
    random.Random(options.seed).shuffle(chosen)
    rounds, failed = search(chosen, options)
    if options.report:
        whole = report(options, rounds, chosen, failed=failed is not None)
        running.write(whole, options.report)
    if failed:
        print(f"\n{failed.as_test()}\nagain: {command(options, rounds)}")
        return 1
    examples = sum(law.examples for law in chosen)
    print(f"{examples} examples of {len(chosen)} laws, none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
