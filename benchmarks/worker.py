"""One peer in a separate process: prepares the requested job, and runs it again and again.

Its arguments are the module of its readers and the packages whose versions it reports.  It reads
one job per line and answers with a line; nothing else in the process writes to its standard output.
"""

import gc
import importlib
import json
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

#: How long a reader runs before the next has its turn, in seconds.
SLICE = 0.05


def main() -> None:
    """Answer each line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(told: Any) -> None:
        answers.write(json.dumps(told) + "\n")
        answers.flush()

    try:
        module = importlib.import_module(f"readers.{sys.argv[1]}")
    except Exception as failure:  # noqa: BLE001 (whatever a peer does when it is imported)
        answer({"failure": said(failure)})
        return
    # The garbage collector does not examine the peer's own objects again and again.
    gc.collect()
    gc.freeze()
    answer({"versions": {name: _version(name) for name in sys.argv[2:]}})
    prepared: dict[str, Any] = {}
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if "prepare" in job:
                function, *arguments = job["prepare"]
                reader = getattr(module, "READERS", {}).get(job["series"])
                if hasattr(reader, function):
                    made = getattr(reader, function)(*arguments)
                else:
                    made = getattr(module, function)(job["series"], *arguments)
                prepared[job["series"]] = made
                note = made.note or getattr(reader, "note", "")
                answer({"units": made.units, "note": note, "is_over": made.is_over})
            else:
                answer({"least": least(prepared[job["series"]].run)})
        except Exception as failure:  # noqa: BLE001 (the reason is reported, and the peer left out)
            answer({"failure": said(failure)})


def least(run: Any) -> float:
    """Return the best of the runs that fit into a time slice, at least one."""
    end = time.process_time() + SLICE
    best: float = run()
    while time.process_time() < end:
        best = min(best, run())
    return best


def said(failure: Exception) -> str:
    """Return the message of an exception, on one line."""
    return " ".join(f"{type(failure).__name__}: {failure}".split())[:200]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
