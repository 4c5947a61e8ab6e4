"""A bar is for people who wait: on a terminal, and for what takes long."""

import io
import os
import time

import pytest
from rich.console import Console
from rich.progress import Progress

from cogwire_kit import _progress
from cogwire_kit._source import Source


def shown(monkeypatch, seconds, *, is_terminal=True, until=lambda _: True):
    """Return what is shown of work that goes on until a condition holds."""
    monkeypatch.setattr(_progress, "_PATIENCE_SECONDS", seconds)
    screen = io.StringIO()
    progress = Progress(console=Console(file=screen, force_terminal=is_terminal), transient=True)
    progress.add_task("reading")
    with _progress.patient(progress):
        deadline = time.monotonic() + 30
        while not until(progress) and time.monotonic() < deadline:
            time.sleep(0.001)
    assert not progress.live.is_started
    return screen.getvalue()


def test_a_bar_appears_when_work_takes_long(monkeypatch):
    assert "reading" in shown(monkeypatch, 0, until=lambda bar: bar.live.is_started)


@pytest.mark.parametrize("options", [{"seconds": 60}, {"seconds": 0, "is_terminal": False}])
def test_no_bar_appears_for_short_work_or_in_a_pipe(monkeypatch, options):
    assert "reading" not in shown(monkeypatch, **options)


def test_what_is_watched_is_what_arrives(monkeypatch, tmp_path):
    """On a terminal, too: the bar takes nothing away."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    file = tmp_path / "a.txt"
    file.write_text("é" * 70_000, "utf-8")
    descriptor = os.open(file, os.O_RDONLY)
    try:
        pieces = list(_progress.watched(Source(descriptor), descriptor, "a.txt"))
    finally:
        os.close(descriptor)
    assert "".join(pieces) == "é" * 70_000
