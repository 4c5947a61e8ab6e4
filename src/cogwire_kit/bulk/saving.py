# SPDX-License-Identifier: MIT
"""Files that are there as a whole or not at all, and a folder that one process works in.

What was done is then known by its file, whatever was killed and whenever.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

LOCK: Final = ".lock"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written, which is there as a whole, and on the disk, or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as output:
            yield output
            output.flush()
            os.fsync(output.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Write a value as such a file."""
    with whole_file(path) as output:
        output.write((json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Be the only process that works in this folder, where the system has locks for that.

    What is yielded is whether there is no other one.
    """
    try:
        import fcntl  # noqa: PLC0415 (not everywhere)
    except ImportError:
        yield True
        return
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
