"""Run the laws of the parser for as long as you like: `python fuzz/laws.py --seconds N`.

The properties are those of `tests/core/test_laws.py` and `tests/core/test_snapshot.py`, in every
dialect, on new random inputs each time.  A failing input is made as small as it gets and printed
as a test.
"""

import argparse
import itertools
import sys
import time
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from tests.core import test_laws, test_snapshot  # noqa: E402
from tests.core.generators import DIALECTS  # noqa: E402

#: Examples between two looks at the clock.
ROUND = 100

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
    """A law in one dialect, and what it was last given: after a failure, the smallest input."""

    def __init__(self, module: ModuleType, name: str, dialect: str) -> None:
        self.module = module.__name__
        self.name = name
        self.dialect = dialect
        self.arguments: tuple[Any, ...] = ()
        law = getattr(module, name).law

        def recorded(drawn: tuple[Any, ...]) -> None:
            self.arguments = drawn
            law.holds(dialect, *drawn)

        self.run = PATIENT(given(law.drawn[dialect])(recorded))

    def as_test(self) -> str:
        """Write the last input as a test of its own."""
        package, module = self.module.rsplit(".", 1)
        given_values = "".join(f"        {value!r},\n" for value in (self.dialect, *self.arguments))
        return (
            f"from {package} import {module}\n"
            f"from {package}.generators import Document\n\n\n"
            "def test_found():\n"
            f"    law = {module}.{self.name}.law\n"
            f"    law.holds(\n{given_values}    )\n"
        )


def laws(pattern: str, dialects: list[str]) -> list[Recorder]:
    """Return every property whose name holds `pattern`, in each of the dialects."""
    return [
        Recorder(module, name, dialect)
        for module in (test_laws, test_snapshot)
        for name, value in sorted(vars(module).items())
        if name.startswith("test_") and hasattr(value, "law") and pattern in name
        for dialect in value.law.drawn
        if dialect in dialects
    ]


def main() -> int:
    """Run rounds of each law in turn until the time is over or one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--only", default="", metavar="TEXT", help="laws whose name holds TEXT")
    parser.add_argument("--dialect", choices=DIALECTS, help="in one dialect (default: in all)")
    options = parser.parse_args()

    chosen = laws(options.only, [options.dialect] if options.dialect else list(DIALECTS))
    if not chosen:
        parser.error(f"no law's name holds {options.only!r}")
    stop = time.monotonic() + options.seconds
    examples = 0
    for law in itertools.cycle(chosen):
        try:
            law.run()
        except Exception:  # noqa: BLE001 (a law may fail in any way)
            traceback.print_exc(limit=-3)
            sys.stdout.write(f"\n{law.as_test()}")
            return 1
        examples += ROUND
        if time.monotonic() > stop:
            sys.stdout.write(f"{examples} examples of {len(chosen)} laws, none failed\n")
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
