"""Running the runner, in this process, against adapters of many kinds."""

import contextlib
import functools
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from unittest import mock

from click.testing import CliRunner
from lxml import etree

import cogwire_kit.cli.conformance  # noqa: F401 - before a test puts another corpus in its place
from cogwire_kit.cli.main import cli
from cogwire_kit.conformance import corpus, fresh, fresh_texts, reports, turns
from cogwire_kit.conformance.text_reports import TextReport
from tests.kit.conformance import starting

HERE = Path(__file__).parent
SMALL = HERE / "corpus"
REFERENCE = [sys.executable, "-m", "cogwire_kit", "adapter"]
#: The texts of all formats, which are read once for all runs.
EVERY = functools.cache(turns.every)


def fake(kind, *arguments):
    """Return the command of the adapter that misbehaves in this way."""
    return [sys.executable, "-m", "tests.kit.conformance.fake", kind, *map(str, arguments)]


def invoke(*arguments, code=0, with_fresh=False):
    """Run `cogwire conformance …`, require its exit code, and return what it wrote.

    The small corpus is that of this version, and has no fresh inputs unless they are asked for.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(subprocess, "Popen", starting.Popen))
        stack.enter_context(mock.patch.object(starting, "undone", stack.close))
        stack.enter_context(mock.patch.object(turns, "every", EVERY))
        if SMALL in arguments:
            stack.enter_context(mock.patch.object(corpus, "PLACE", SMALL))
        if not with_fresh:
            drawn = ((fresh, "cases"), (fresh_texts, "of_format"))
            for module, name in drawn:
                stack.enter_context(mock.patch.object(module, name, return_value=[]))
        command = ["conformance", *map(str, arguments)]
        result = CliRunner().invoke(cli, command, standalone_mode=False)
    if result.exception is not None and not hasattr(result.exception, "exit_code"):
        raise result.exception
    found = getattr(result.exception, "exit_code", result.return_value or 0)
    output = f"{result.stdout}{result.stderr}{result.exception or ''}"
    assert found == code, output
    return output


@functools.cache
def report_of(*kind, code=0):
    """Return the report of a run without further options, and what was written; run it once."""
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), fake(*kind) if kind else REFERENCE, code=code)


def run(tmp_path, command, *arguments, code=0, place=SMALL, with_fresh=False):
    """Run the small corpus against `command`; return the report and what was written."""
    path = tmp_path / "report.jsonl"
    options = ["--corpus", place, "--seed", 1, "--jobs", 1, "--timeout", 120, "--report", path]
    options += arguments
    output = invoke("run", *options, "--", *command, code=code, with_fresh=with_fresh)
    return (reports.read(path) if path.exists() else None), output


def verdicts(report):
    """Return the verdict of each case, without the part of the id that all have."""
    return {case["id"].removeprefix("xml-json-"): case["verdict"] for case in report.cases}


def properties(report, case):
    """Return the verdict of each property of a case."""
    (found,) = (one for one in report.cases if one["id"] == f"xml-json-{case}")
    return {name: seen["verdict"] for name, seen in found["properties"].items()}


def finding(report, case, name):
    """Return what was found first about a property of a case."""
    (found,) = (one for one in report.cases if one["id"] == f"xml-json-{case}")
    return found["properties"][name]["finding"]


def on_texts(name, *cases, stopped=None, at_close=0, left_out=(), **members):
    """Return a report on texts of a format, made by a command that is given or not."""
    known = {"kit": "1.0", "corpus": {"version": "1.0.0", "sha256": "0" * 64}}
    run = {"record": "run", "format": reports.FORMAT, **known, "texts": name, "takes": []}
    run |= {"command": ["run", "a b"], **members}
    records = [{"record": "case", "cuts": 9, "differing": 0, **case} for case in cases]
    counts = Counter(case["verdict"] for case in records)
    end = {"record": "end", "conformant": not stopped and set(counts) <= {"pass"}}
    end |= {"counts": counts, "known": 0, "seconds": 1.5, "answers": 9, "unseen": []}
    end |= {"probes": [], "unexplained": [], "stopped": stopped}
    end |= {"at_close": at_close, "left_out": dict(left_out)}
    return TextReport(run, records, end)


def saved(path, report):
    """Write a report, and return the path."""
    with path.open("w", encoding="ascii") as output:
        reports.write(report, output)
    return path


def document(text):
    """Return the root of an XML document."""
    return etree.fromstring(text.encode())
