"""Mutation testing of the core: `python -m mutation`, of the lines that a change touches.

`python -m mutation --budget inf aio.py 'wire/*'` makes every mutant of some modules.
"""

import argparse
import fnmatch
import importlib.util
import json
import random
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mutation.functions import CORE, ROOT, Function, sources, sources_of, touched

PLACE: Final = ROOT / "build" / "mutation"
#: Mutants that no test can detect, each with the reason, by the digest of their function: a file
#: can be moved, renamed or split, and a function that has changed has none.
KNOWN: Final = ROOT / "mutation" / "survivors.json"
#: The number of mutants of a change that are tried, for each second of the budget.
PER_SECOND: Final = 2


class Outcome(NamedTuple):
    """How many mutants were made, killed and not reached, and which of them survive."""

    mutants: int
    by_types: int
    by_cases: int
    by_tests: int
    survivors: list
    not_reached: int
    #: Whether there was no time to find out for every test which functions it calls.
    is_cut: bool = False

    def text(self) -> str:
        """Return a summary in one line."""
        return (
            f"{self.mutants} mutants: {self.by_types} refused by types, {self.by_cases} killed by "
            f"cases, {self.by_tests} by tests, {len(self.survivors)} survive"
        )


def known() -> dict[str, Any]:
    """Return the functions of which no test can detect some mutants, with these."""
    found: dict[str, Any] = json.loads(KNOWN.read_text("utf-8"))["functions"]
    return found


def is_known(mutant: Any) -> bool:
    """Return whether a reason is stored for which no test detects a mutant."""
    return any(
        (each["was"], each["becomes"]) == (mutant.was, mutant.becomes)
        for each in known().get(mutant.function.digest(), {"survivors": ()})["survivors"]
    )


def wanted(options: argparse.Namespace) -> dict[str, dict[Function, set[int]] | None] | str:
    """Return which lines of which modules are mutated, None for all; or why there are none."""
    texts = sources()
    if chosen := {each: fnmatch.filter(texts, each) for each in options.modules}:
        unknown = ", ".join(each for each, found in chosen.items() if not found)
        found = dict.fromkeys(name for names in chosen.values() for name in names)
        return f"{CORE} has no {unknown}" if unknown else found
    before = sources_of(options.base)
    if before is None:
        return f"{options.base} is not in this clone, so there is no change to make mutants of"
    modules: dict[str, dict[Function, set[int]] | None] = {}
    for function, lines in touched(before, texts).items():
        modules[function.module] = {**(modules.get(function.module) or {}), function: lines}
    return modules or f"no function of the core has changed since {options.base}"


def run(options: argparse.Namespace) -> int:
    """Make mutants; return 1 if one survives for which no reason is stored.

    If there was no time for all tests, survivors are listed, but do not count as a failure.
    """
    modules = wanted(options)
    if isinstance(modules, str):
        sys.stdout.write(f"{modules}\n")
        return 2 if options.modules else 0
    outcome = tried(modules, sources(), options.children, options.budget)
    new = [mutant for mutant in outcome.survivors if not is_known(mutant)]
    sys.stdout.write(f"{', '.join(modules)}: {outcome.text()}\n")
    if outcome.not_reached:
        sys.stdout.write(f"{outcome.not_reached} more were not reached in {options.budget:g} s\n")
    if outcome.is_cut:
        sys.stdout.write(
            "there was no time to find out what each test calls; other tests may detect more\n"
        )
    prefix = "no test that was run detects" if outcome.is_cut else "no test detects"
    for mutant in new:
        sys.stdout.write(f"{prefix} {mutant.text()} (in {mutant.function.digest()})\n")
    return int(bool(new) and not outcome.is_cut)


def tried(
    chosen: Mapping[str, Mapping[Function, set[int]] | None],
    texts: Mapping[str, str],
    children: int,
    budget: float,
) -> Outcome:
    """Make mutants, and check them with types, cases and tests, in this order: the quickest first.

    Everything ends with the budget, in seconds of processor time, except for a case, a test or a
    mutant that is being run then.
    """
    from mutation import mutants, rounds  # noqa: PLC0415 - mutmut may be missing

    until = rounds.clock() + budget
    made = [
        each
        for module, some in chosen.items()
        for each in mutants.mutants(module, texts[module], some)
    ]
    # A reproducible random order, so that the first ones are a sample of all kinds.
    random.Random(0).shuffle(made)  # noqa: S311 - no secret
    left = until - rounds.clock()
    most = len(made) if left == float("inf") else max(0, int(PER_SECOND * left))
    not_reached = len(made[most:])
    made = made[:most]
    refused = mutants.refused_by_types(made, texts, PLACE)
    waiting = [mutant for number, mutant in enumerate(made) if number not in refused]
    survivors, late = rounds.round_of_cases(waiting, children, until) if waiting else ([], [])
    by_cases = len(waiting) - len(survivors) - len(late)
    not_reached += len(late)
    by_tests, is_cut = 0, False
    if survivors:
        waiting_for_tests = len(survivors)
        survivors, late, is_cut = rounds.round_of_tests(survivors, children, until)
        by_tests = waiting_for_tests - len(survivors) - len(late)
        not_reached += len(late)
    number = len(refused) + by_cases + by_tests + len(survivors)
    return Outcome(number, len(refused), by_cases, by_tests, sorted(survivors), not_reached, is_cut)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 2 for misuse."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument(
        "modules",
        nargs="*",
        metavar="MODULE",
        help="all mutants of a module, such as aio.py or 'wire/*' (default: of changed lines)",
    )
    parser.add_argument(
        "--base", default="HEAD~1", help="the revision before the change (%(default)s)"
    )
    parser.add_argument(
        "--budget", type=float, default=300, help="in seconds of processor time (%(default)s)"
    )
    parser.add_argument("--children", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("mutmut") is None:
        sys.stderr.write("mutmut is not installed; requirements-dev.txt pins it\n")
        return 2
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
