# SPDX-License-Identifier: MIT
"""Files that are there as a whole or not at all, and a folder that one process works in.

What was done is then known by its file, whatever was killed and whenever.  What the system says of
a write, such as that the disk is full, names the file.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Final

LOCK: Final = ".lock"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written, which is there as a whole, and on the disk, or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _named(path):
            with unfinished.open("wb") as output:
                yield output
                output.flush()
                os.fsync(output.fileno())
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def save(path: Path, data: bytes) -> None:
    """Write such a file in place of the one that a link names; a device takes the data itself."""
    is_device = path.exists() and not path.is_file()
    with _named(path), path.open("wb") if is_device else whole_file(path.resolve()) as output:
        output.write(data)


def write_json(path: Path, value: object) -> None:
    """Write a value as such a file."""
    save(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def opened_text(path: Path, encoding: str = "utf-8") -> TextIOWrapper:
    """Open a file for text that is written as it comes, in place of what it has.

    The half of a surrogate pair, as in a name that is not UTF-8, is written as an escape.
    """
    return TextIOWrapper(BufferedWriter(_Output(path, "w")), encoding, "backslashreplace")


class _Output(FileIO):
    def write(self, data: Any, /) -> int:
        with _named(self.name):
            return super().write(data)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in what the system says of a write, which does not."""
    try:
        yield
    except OSError as problem:
        problem.filename = str(path)
        raise


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
