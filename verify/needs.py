"""What the targets of the Makefile need of a machine, beside Python and make.

`python -m verify.needs TARGET …` says what is missing for targets, before anything of them runs.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from typing import Final, NamedTuple


class Program(NamedTuple):
    """A program, what it is for, and the package in which Debian has it."""

    name: str
    package: str
    use: str
    #: The oldest version that is new enough, and what to run to see which one is there.
    least: tuple[int, ...] = ()
    asking: str = "--version"


PROGRAMS: Final = (
    Program("git", "git", "finds the lines that have changed"),
    Program("node", "nodejs", "runs the implementation in JavaScript, and Python 3.14", (18,)),
    Program("npm", "npm", "installs what the site draws with"),
    Program("go", "golang-go", "builds the implementation in Go", (1, 19), "version"),
    Program("chromium", "chromium", "shows the pages of the site to their tests"),
)
#: The programs that each target needs; `verify` needs all of them.
TARGETS: Final = {
    "conformance": ("node", "go"),
    "matrix": ("node", "go"),
    "site": ("node", "npm", "go"),
    "docs": ("node", "npm", "go"),
    "pictures": ("node", "npm", "go", "chromium"),
    "rest": ("node", "go", "chromium"),
    "pythons": ("node", "npm"),
    "mutants": ("git",),
    "verify": tuple(program.name for program in PROGRAMS),
}
#: Some tools of the site are not for 3.10.
PYTHON: Final = (3, 11)


def main(targets: list[str]) -> int:
    """Print what targets lack, with the line that installs it; return 0 if that is nothing."""
    lines = missing({name for target in targets for name in TARGETS[target]})
    if lines:
        what = f"make {' '.join(targets)} needs programs that are missing:"
        print(what, *lines, sep="\n", file=sys.stderr)
    return 2 if lines else 0


def missing(names: Collection[str] = TARGETS["verify"]) -> list[str]:
    """Return a line for each of these programs that is missing, and last what installs them."""
    lines, packages = [], []
    for program in PROGRAMS:
        if program.name in names and (fault := _fault(program)):
            lines.append(f"  {program.name:9} {fault}; it {program.use}")
            packages.append(program.package)
    if sys.version_info < PYTHON:
        lines.append(f"  python3   is {sys.version.split()[0]}, and has to be 3.11 or newer")
        packages.append("python3 python3-venv")
    if lines:
        lines.append(f"On Debian: apt-get update && apt-get install {' '.join(packages)}")
    return lines


def _fault(program: Program) -> str | None:
    path = shutil.which(program.name)
    if path is None:
        return "is not installed"
    if not program.least:
        return None
    done = subprocess.run([path, program.asking], capture_output=True, check=False, text=True)
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    if found is None:
        return f"does not say its version (it exits with {done.returncode})"
    version = tuple(map(int, found.groups()))
    least = ".".join(map(str, program.least))
    return None if version >= program.least else f"is {found[0]}, and has to be {least} or newer"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
