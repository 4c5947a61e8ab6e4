# SPDX-License-Identifier: MIT
"""The entry point: what can go wrong around a command is answered here, in a line."""

import errno
import gc
import os
import sys
from importlib.util import find_spec
from io import TextIOWrapper
from typing import Final, TextIO

#: What every command needs, and what some need; each module with the package that has it.
_NEEDED: Final = ("click", "rich", "jsonschema")
_PACKAGES: Final = {**{name: name for name in _NEEDED}, "re2": "google-re2"}
if sys.version_info < (3, 11):
    _PACKAGES["tomli"] = "tomli"

#: Why a write fails where no more can be stored, and what to do; Windows has no quotas.
_FULL: Final = {
    **dict.fromkeys((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)), "make room there"),
    errno.EFBIG: "raise the limit (ulimit -f)",
}

TROUBLE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.stderr is None:
        # What is said goes nowhere, and no file that is opened becomes the standard error.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdin is None or sys.stdout is None:
        _say("standard input and output must be open")
        sys.exit(TROUBLE)
    if isinstance(sys.stdout, TextIOWrapper):
        # Programs read what they wrote: UTF-8, in any locale.  A terminal has its own encoding.
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        _say("; ".join(["interrupted", *map(str, stop.args)]))
        code = INTERRUPTED
    except MemoryError:
        _say("memory ran out; read smaller files or rows, or use fewer --jobs")
        code = TROUBLE
    except BrokenPipeError:
        _drop(sys.stdout)
        code = BROKEN_PIPE
    except OSError as error:
        _drop(sys.stdout)
        _say(_said(error))
        code = TROUBLE
    # The interpreter would look for garbage once more, which is a tenth of the work of a short run.
    gc.freeze()
    sys.exit(code)


def _run() -> int:
    if any(find_spec(name) is None for name in _NEEDED):
        packages = [package for name, package in _PACKAGES.items() if find_spec(name) is None]
        needed = ", ".join(packages)
        _say(f"the command line needs {needed}; install cogwire with its extra, in a clone by")
        _say("    python -m pip install '.[kit]'")
        return TROUBLE
    from cogwire_kit.cli.main import run  # noqa: PLC0415 - it imports what may not be installed

    return run()


def _said(error: OSError) -> str:
    """Return what is wrong with which file: all others that are written have a name."""
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    if error.errno not in _FULL:
        return what
    place = "" if error.filename else "standard output: "
    return f"{place}{what}; {_FULL[error.errno]}, and run the same command again"


def _say(message: str) -> None:
    from cogwire_kit.texts.words import on_a_line  # noqa: PLC0415 - seldom needed

    try:
        print(f"cogwire: {on_a_line(message)}", file=sys.stderr)
    except OSError:
        _drop(sys.stderr)


def _drop(output: TextIO) -> None:
    """Let the interpreter's own flush at exit go nowhere: the output cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


if __name__ == "__main__":
    main()
