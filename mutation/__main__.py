"""Mutation testing of the core: `python -m mutation survey|changed`."""

import argparse
import importlib.util
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mutation.functions import CORE, ROOT, Function, functions, sources, sources_of, touched

PLACE: Final = ROOT / "build" / "mutation"
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

    def counts(self) -> dict[str, int]:
        """Return the numbers of mutants that were made and killed."""
        names = ("mutants", "by_types", "by_cases", "by_tests")
        return {name: getattr(self, name) for name in names}

    def text(self) -> str:
        """Return a summary in one line."""
        return (
            f"{self.mutants} mutants: {self.by_types} refused by types, {self.by_cases} killed by "
            f"cases, {self.by_tests} by tests, {len(self.survivors)} survive"
        )


def survey(options: argparse.Namespace) -> int:
    """Make every mutant of modules, and record the outcomes."""
    from mutation.record import Record  # noqa: PLC0415 - mutmut may be missing

    if _git("status", "--porcelain", "--", CORE):
        sys.stderr.write(f"commit {CORE} first: a survey records the commit that it is about\n")
        return 2
    commit = _git("rev-parse", "--short=10", "HEAD")
    texts = sources()
    unknown = set(options.modules) - texts.keys()
    if unknown:
        sys.stderr.write(f"{CORE} has no {', '.join(sorted(unknown))}\n")
        return 2
    record = Record.load()
    unexplained = []
    for module in options.modules or texts:
        began = time.monotonic()
        outcome = tried({module: None}, texts, options.children)
        found = list(functions(module, texts[module]))
        counts = {"commit": commit, **outcome.counts()}
        new = record.renew(module, counts, found, outcome.survivors)
        unexplained += new
        if not options.modules and module == list(texts)[-1]:
            record.prune(texts, [each for name in texts for each in functions(name, texts[name])])
        record.save()
        seconds = time.monotonic() - began
        sys.stdout.write(f"{module}: {outcome.text()}, in {seconds:.0f} s\n")
        sys.stdout.writelines(f"  {each.text()}\n" for each in new)
        sys.stdout.flush()
    sys.stdout.write(f"{len(unexplained)} survivors have no reason in mutation/survivors.json\n")
    return 0


def changed(options: argparse.Namespace) -> int:
    """Make the mutants of the lines that a change touches; return 1 if one survives unexplained.

    If there was no time for all tests, survivors are listed, but do not count as a failure.
    """
    before = sources_of(options.base)
    if before is None:
        sys.stdout.write(
            f"{options.base} is not in this clone, so there is no change to make mutants of\n"
        )
        return 0
    texts = sources()
    wanted = touched(before, texts)
    if not wanted:
        sys.stdout.write(f"no function of the core has changed since {options.base}\n")
        return 0
    from mutation.record import Record  # noqa: PLC0415 - mutmut may be missing

    modules: dict[str, dict[Function, set[int]]] = {}
    for function, lines in wanted.items():
        modules.setdefault(function.module, {})[function] = lines
    outcome = tried(modules, texts, options.children, options.budget)
    record = Record.load()
    new = [mutant for mutant in outcome.survivors if not record.reason(mutant)]
    sys.stdout.write(f"{len(wanted)} functions changed; {outcome.text()}\n")
    if outcome.not_reached:
        sys.stdout.write(f"{outcome.not_reached} more were not reached in {options.budget:g} s\n")
    if outcome.is_cut:
        sys.stdout.write(
            "there was no time to find out what each test calls; other tests may detect more\n"
        )
    prefix = "no test that was run detects" if outcome.is_cut else "no test detects"
    sys.stdout.writelines(f"{prefix} {mutant.text()}\n" for mutant in new)
    return int(bool(new) and not outcome.is_cut)


def tried(
    wanted: Mapping[str, Mapping[Function, set[int]] | None],
    texts: Mapping[str, str],
    children: int,
    budget: float = float("inf"),
) -> Outcome:
    """Make mutants, and check them with types, cases and tests, in this order: the quickest first.

    Everything ends with the budget, in seconds of processor time, except for a case, a test or a
    mutant that is being run then.
    """
    from mutation import mutants, rounds  # noqa: PLC0415 - mutmut may be missing

    until = rounds.clock() + budget
    made = [
        each
        for module, some in wanted.items()
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


def _git(*arguments: str) -> str:
    return subprocess.run(  # noqa: S603 - arguments of our own
        ["git", *arguments],  # noqa: S607 - wherever it is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 2 for misuse."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    whole = commands.add_parser("survey", help="make every mutant, and renew survivors.json")
    whole.add_argument(
        "modules", nargs="*", metavar="MODULE", help="a module, such as aio.py (default: all)"
    )
    whole.set_defaults(command=survey)
    part = commands.add_parser("changed", help="make the mutants of the lines a change touches")
    part.add_argument("--base", default="HEAD~1", help="the revision to compare with (%(default)s)")
    part.add_argument(
        "--budget", type=float, default=300, help="in seconds of processor time (%(default)s)"
    )
    part.set_defaults(command=changed)
    for command in (whole, part):
        command.add_argument("--children", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("mutmut") is None:
        sys.stderr.write("mutmut is not installed; requirements-dev.txt pins it\n")
        return 2
    return int(options.command(options))


if __name__ == "__main__":
    sys.exit(main())
