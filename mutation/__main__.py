"""Mutation testing of the core: `python -m mutation run|check`."""

import argparse
import importlib.util
import sys
from typing import Final

from mutation import changes, survivors, workshop

PLACE: Final = workshop.ROOT / "build" / "mutation"


def main() -> int:
    """Run a command; 0 where nothing was found, 1 where something was, 2 for misuse."""
    options = _options()
    if importlib.util.find_spec("mutmut") is None:
        sys.stderr.write("mutmut is not installed; requirements-dev.txt pins it\n")
        return 2
    try:
        return int(options.command(options))
    except workshop.MutmutError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def run(options: argparse.Namespace) -> int:
    """Mutate modules and renew their part of the list; new survivors have no reason yet."""
    listed = survivors.load()
    unexplained = 0
    for module in options.modules or workshop.MODULES:
        outcome = workshop.mutate(module, PLACE / module, options.children)
        record = survivors.renewed(outcome, listed.get(module))
        listed[module] = record
        survivors.save(listed)
        new = [each for each in record.survivors if not each.reason]
        unexplained += len(new)
        sys.stdout.write(f"{_summary(outcome)}; {len(new)} without a reason\n")
        sys.stdout.writelines(f"  {each.mutant.text()}\n" for each in new)
        sys.stdout.flush()
    return int(unexplained > 0)


def check(options: argparse.Namespace) -> int:
    """See that the list is of these sources, and that a change has not made it longer."""
    listed = survivors.load()
    faults = survivors.faults(listed)
    for module, names in changes.functions(options.base).items():
        chosen = changes.some(names, options.most)
        outcome = workshop.mutate(module, PLACE / module, options.children, chosen)
        sys.stdout.write(f"{_summary(outcome)}\n")
        known = listed[module].known() if module in listed else []
        for mutant in outcome.survivors:
            if mutant in known:
                known.remove(mutant)
            else:
                faults.append(f"{module}: no test sees {mutant.text()}")
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return int(bool(faults))


def _summary(outcome: workshop.Outcome) -> str:
    return (
        f"{outcome.module}: {outcome.mutants} mutants, {outcome.by_types} caught by types, "
        f"{outcome.by_cases} by cases, {outcome.by_tests} by tests, "
        f"{len(outcome.survivors)} survive"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    running = commands.add_parser("run", help="mutate modules, and renew their part of the list")
    running.add_argument("modules", nargs="*", metavar="MODULE", help="as _json; all without any")
    running.set_defaults(command=run)
    checking = commands.add_parser("check", help="see that the list holds for what has changed")
    checking.add_argument("--base", default="HEAD~1", help="the revision before (%(default)s)")
    checking.add_argument(
        "--most", type=int, default=5, help="functions of a module that are mutated (%(default)s)"
    )
    checking.set_defaults(command=check)
    for command in (running, checking):
        command.add_argument("--children", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args()
    for module in getattr(options, "modules", ()):
        if module not in workshop.MODULES:
            parser.error(f"{module} is none of {', '.join(workshop.MODULES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
