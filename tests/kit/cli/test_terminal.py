"""What people see on a terminal: a bar where work takes long, and a summary; programs get JSON."""

import io
import json
import os
import sys
import time

import pytest

from cogwire_kit.cli import files
from cogwire_kit.cli.bulk import _show
from cogwire_kit.cli.files import Source
from tests.kit.cli.running import stored


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True


def shown(monkeypatch, seconds, stderr, until=""):
    """Return what is shown of work that goes on until this is shown."""
    monkeypatch.setattr(files, "_PATIENCE_SECONDS", seconds)
    monkeypatch.setattr("sys.stderr", stderr)
    with files.progress("reading", 3) as show:
        show(advance=1)
        deadline = time.monotonic() + 30
        while until not in stderr.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
        sys.stdout.write("a row\n")
    return stderr.getvalue()


def test_a_bar_appears_when_work_takes_long(monkeypatch, capsys):
    """What is printed beside it stays in the output."""
    written = shown(monkeypatch, 0, Terminal(), until="reading")
    assert " 33%" in written
    assert "a row" not in written
    assert capsys.readouterr().out == "a row\n"


@pytest.mark.parametrize(("seconds", "stderr"), [(60, Terminal()), (0, io.StringIO())])
def test_no_bar_appears_for_short_work_or_in_a_pipe(monkeypatch, seconds, stderr):
    assert shown(monkeypatch, seconds, stderr) == ""


@pytest.mark.parametrize(("is_terminal", "shown"), [(False, True), (True, False)])
def test_the_number_of_rows_is_shown_where_they_do_not_appear(monkeypatch, is_terminal, shown):
    """Rows that are written to the terminal show the progress themselves."""
    stderr = Terminal()
    monkeypatch.setattr(files, "_PATIENCE_SECONDS", 0)
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal, raising=False)
    rows = files.rows_watched(range(100_000_000), "a.jsonl")
    deadline = time.monotonic() + (30 if shown else 0.2)
    for _ in rows:
        if "00 rows" in stderr.getvalue() or time.monotonic() > deadline:
            break
    rows.close()
    assert ("a.jsonl: " in stderr.getvalue(), "00 rows" in stderr.getvalue()) == (shown, shown)


def test_watched_input_is_unchanged(monkeypatch, tmp_path):
    """On a terminal, too: the bar takes nothing away."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    file = stored(tmp_path / "a.txt", "é" * 70_000)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        pieces = list(files.watched(Source(descriptor), "a.txt"))
    finally:
        os.close(descriptor)
    assert "".join(pieces) == "é" * 70_000


def test_the_summary_of_a_job_is_json_when_asked_for(capsys):
    summary = {"rows": 2, "files": 1, "characters": 3, "read": 1, "refused": {"no-text": 1}}
    _show(summary, 0.4, as_json=True)
    assert json.loads(capsys.readouterr().out) == summary
    _show(summary, 0.4, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "2 rows of 1 file; 1 read: 3 characters in 0 s",
        "refused:",
        "               1  no-text",
    ]
