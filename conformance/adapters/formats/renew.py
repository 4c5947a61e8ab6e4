"""Run the parsers of parsers.toml on the formats, and store the reports: `make format-reports`.

`python -m conformance.adapters.formats.renew [NAME …]` runs the named parsers, or all of them; a
name such as `vllm/hermes` is of a parser and one of its formats.
"""

import functools
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus, formats, reports, text_reports

HERE: Final = Path(__file__).parent
TOP: Final = HERE.parents[2]
REPORTS: Final = HERE.parents[1] / "reports" / "formats"
#: The program that runs third-party parsers, as a path from the top of a checkout.
_RUN: Final = "conformance/adapters/formats/run"
#: The members of a parser that a report repeats.
REPORTED: Final = ("name", "version", "title", "language", "about")


def parsers() -> list[dict[str, Any]]:
    """Return the parsers, with the formats that each is run on."""
    return corpus.tables(HERE / "parsers.toml", "parser")


def main(names: list[str]) -> None:
    """Renew the reports of these parsers, or those of one format, such as `vllm/hermes`, or all."""
    known = parsers()
    jobs = {f"{one['name']}/{name}": (one, name) for one in known for name in one["formats"]}
    if unknown := set(names) - {one["name"] for one in known} - set(jobs):
        sys.exit(f"parsers.toml has no {', '.join(sorted(unknown))}")
    for job, (one, name) in jobs.items():
        if not names or job in names or one["name"] in names:
            _fetch(*_command(one))
            _renew(one, name, one["formats"][name])


def _command(parser: dict[str, Any]) -> list[str]:
    """Return the command that starts a parser."""
    command: list[str] = parser.get("command") or [_RUN, parser["name"], parser["version"]]
    return command


@functools.cache
def _fetch(*command: str) -> None:
    """Start a parser without a request: to fetch and build it may take longer than a reply may."""
    subprocess.run(  # noqa: S603 - what parsers.toml lists
        command, stdin=subprocess.DEVNULL, check=True, cwd=TOP, env=_environment()
    )


def _environment() -> dict[str, str]:
    """Return that of programs: those that are installed next to this Python come first."""
    found = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": found}


def _renew(parser: dict[str, Any], name: str, without: list[str]) -> None:
    if name not in {*formats.names(), *formats.shaped()}:
        sys.stdout.write(f"{parser['title']}: the corpus has no format {name}\n")
        return
    command = _command(parser)
    options = [word for part in without for word in ("--without", part)]
    report = _run(["format", name, "--markers", "whole", "--seed", "1", *options], command)
    drawn = [case for case in report.cases if case["basis"] == "fresh"]
    # What is stored is about the texts of the corpus.
    report.cases = [case for case in report.cases if case["basis"] not in ("fresh", "growth")]
    report.run["fresh"] = {"texts": len(drawn), "right": text_reports.read(drawn)}
    report.run["command"] = command
    report.run["date"] = f"{datetime.now(timezone.utc):%Y-%m-%d}"
    report.run["parser"] = {word: parser[word] for word in REPORTED}
    right = text_reports.read(report.cases)
    summary = f"{right} of {len(report.cases)} read as expected"
    # Only the texts that are written by hand are worth a second run.
    if name in formats.names():
        report.run["invariance"] = _summary(_run(["invariance", "--trained", name], command))
        summary += f", {report.run['invariance']}"
    REPORTS.mkdir(parents=True, exist_ok=True)
    stem = f"{parser['name']}-{parser['version']}-{name}"
    with (REPORTS / f"{stem}.jsonl").open("w", encoding="ascii") as output:
        reports.write(report, output)
    sys.stdout.write(f"{parser['title']}, {name}: {summary}\n")


def _run(arguments: list[str], command: list[str]) -> reports.Report:
    """Return the report of a command of the kit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.jsonl"
        kit = [sys.executable, "-m", "cogwire_kit", "conformance", *arguments]
        ran = subprocess.run(  # noqa: S603 - the kit, on what parsers.toml lists
            [*kit, "--timeout", "60", "--report", str(path), "--", *command],
            stdout=subprocess.DEVNULL,
            check=False,
            cwd=TOP,
            env=_environment(),
        )
        if ran.returncode not in (0, 1):
            sys.exit(f"{' '.join(arguments)}: exit code {ran.returncode}")
        return text_reports.load(path)


def _summary(invariance: reports.Report) -> dict[str, Any]:
    """Return the counts of a run that compared a parser with itself."""
    texts = invariance.cases
    same = sum(text["verdict"] == "pass" for text in texts)
    failed = sum("whole" in text for text in texts)
    late = sum("late" in text for text in texts)
    counts = {word: sum(text[word] for text in texts) for word in ("cuts", "differing")}
    summary = {"texts": len(texts), "same": same, "failed": failed, **counts, "late": late}
    return {**summary, "growth": invariance.end["growth"]}


if __name__ == "__main__":
    main(sys.argv[1:])
