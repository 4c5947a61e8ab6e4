"""What `make verify` needs of a machine, beside Python and make."""

import re
import shutil
import subprocess
import sys
from typing import Final, NamedTuple


class Program(NamedTuple):
    """A program, what it is for, and the package in which Debian has it."""

    name: str
    package: str
    use: str
    #: The least version that will do, and what to run to see which one is there.
    least: tuple[int, ...] = ()
    asking: str = "--version"


PROGRAMS: Final = (
    Program("git", "git", "tells which lines have changed"),
    Program("node", "nodejs", "runs the implementation in JavaScript, and Python 3.14", (18,)),
    Program("npm", "npm", "brings what the site draws with"),
    Program("go", "golang-go", "builds the implementation in Go", (1, 19), "version"),
    Program("chromium", "chromium", "shows the pages of the site to their tests"),
)
#: Some tools of the site are not for 3.10.
PYTHON: Final = (3, 11)


def missing() -> list[str]:
    """Return a line for everything that is not here, and last the line that installs it all."""
    lines, packages = [], []
    for program in PROGRAMS:
        if fault := _fault(program):
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
        return "is not here"
    if not program.least:
        return None
    done = subprocess.run([path, program.asking], capture_output=True, check=False, text=True)
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    if found is None:
        return f"does not say its version (it exits with {done.returncode})"
    version = tuple(map(int, found.groups()))
    least = ".".join(map(str, program.least))
    return None if version >= program.least else f"is {found[0]}, and has to be {least} or newer"
