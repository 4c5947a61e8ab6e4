"""How long it takes to import a module, in a new process each time."""

import subprocess
import sys

from readers.base import Prepared

#: Public names of cogwire load their rooms when they are first used.
STATEMENTS = {"cogwire": "from cogwire import Parser"}


def importing(series: str) -> Prepared:
    """Return the import of a module by a Python that has loaded nothing yet."""
    statement = STATEMENTS.get(series, f"import {series}")
    program = (
        f"import sys, time; sys.path[:0] = {sys.path}; begin = time.process_time(); {statement}; "
        "print(time.process_time() - begin)"
    )

    def run() -> float:
        command = [sys.executable, "-I", "-S", "-c", program]
        return float(subprocess.run(command, capture_output=True, check=True).stdout)

    run()  # which compiles what was not
    return Prepared(run, 1)
