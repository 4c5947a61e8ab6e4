# SPDX-License-Identifier: MIT
"""A bar on stderr for what takes long."""

import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from cogwire_kit._source import Source

if TYPE_CHECKING:
    from rich.progress import Progress

#: What is done sooner shows no bar.
_PATIENCE_SECONDS: Final = 2.0


@contextmanager
def patient(progress: "Progress") -> Iterator["Progress"]:
    """Show `progress` from the third second on, if its console is a terminal."""
    timer = threading.Timer(_PATIENCE_SECONDS, progress.start)
    timer.daemon = True
    if progress.console.is_terminal:
        timer.start()
    try:
        yield progress
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        if progress.live.is_started:
            progress.stop()


def watched(source: Source, descriptor: int, name: str) -> Iterator[str]:
    """Yield the pieces of `source`; from the third second on, show how much has been read.

    The bar is for people: it needs a terminal on stderr, a regular file as the input, and an output
    that is not the terminal, which shows the progress itself.
    """
    kind = os.fstat(descriptor)
    if sys.stdout.isatty() or not sys.stderr.isatty() or not stat.S_ISREG(kind.st_mode):
        yield from source
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and rarely needed
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    with patient(bar) as progress:
        task = progress.add_task(name, total=kind.st_size)
        for piece in source:
            progress.update(task, completed=source.bytes_read)
            yield piece
