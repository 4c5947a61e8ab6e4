# SPDX-License-Identifier: MIT
"""The report of a parser on the texts of a format: one JSON object, in a file."""

import json
import shlex
from collections import Counter
from collections.abc import Container
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import causes, formats, readings
from cogwire_kit.conformance.corpus import UnusableError

Record = dict[str, Any]

#: What a report says of a text that is read right, as other reports say it.
_VERDICTS: Final = {"right": "pass"}
#: The members that a report has only where they say something.
_OPTIONAL: Final = frozenset({"left_out", "stopped", "at_close", "seed", "vocabulary"})


def read(path: Path) -> Record | None:
    """Return the report of a format that is in a file, or None if it is no such report."""
    try:
        report = json.loads(path.read_text("utf-8"))
    except ValueError:
        return None
    is_one = isinstance(report, dict) and {"format", "cases", "command"} <= report.keys()
    return report if is_one else None


def write(path: Path, members: Record) -> None:
    """Write a report, without what it need not say."""
    kept = {key: value for key, value in members.items() if value or key not in _OPTIONAL}
    path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def required(path: Path) -> Record:
    """Return the report of a format that is in a file.

    Raises:
        UnusableError: it is no such report.
    """
    report = read(path)
    if report is None:
        raise UnusableError(f"{path}: not a report of `cogwire conformance format --report`")
    return report


def explained(path: Path) -> Record:
    """Return the report of a format that is in a file, with the texts that it may leave out.

    Raises:
        UnusableError: it is no such report, or no corpus has one of its texts as it was then.
    """
    report = required(path)
    short = {one["id"]: one for one in wrong(report) if "text" not in one}
    known = {case.id: case for case in formats.load(report["format"]).cases} if short else {}
    for name, one in short.items():
        case = known.get(name)
        if case is None or case.revision != one["revision"]:
            raise UnusableError(f"{path}: {name} is no longer in the corpus as it was sent")
        one |= {member: case.data[member] for member in ("title", "flags", "text", "expect")}
        one["expected"] = one.pop("expect")
        one.setdefault("cause", "not said")
    return report


def failing(path: Path, name: str) -> set[str]:
    """Return the ids of the texts of a format that its report in a file says are read otherwise.

    Raises:
        UnusableError: it is not such a report, or one on another format.
    """
    report = required(path)
    # A file with a description may have moved.
    if report["format"] != name and not name.endswith(".json"):
        raise UnusableError(f"{path}: a report on {report['format']}, and not on {name}")
    return {one["id"] for one in wrong(report)}


def judged(report: Record) -> list[Record]:
    """Return the texts of a report with verdicts as those of the cases of other reports.

    What has no answer is `crashed`, `timed-out`, `unsupported` or `fault`, and not `cuts` or
    `wrong`.
    """
    return [{**one, "verdict": _verdict(one), "properties": {}} for one in report["cases"]]


def _verdict(one: Record) -> str:
    if one["verdict"] in ("cuts", "wrong") and isinstance(given := one.get("gives"), str):
        # Reports of older versions do not say it otherwise.
        return str(one.get("failure", readings.failure_of(given)))
    return str(one.get("failure", _VERDICTS.get(one["verdict"], one["verdict"])))


def wrong(report: Record, known: Container[str] = ()) -> list[Record]:
    """Return the texts that are not read as expected, but for those that are known not to be."""
    cases = report["cases"]
    return [one for one in cases if one["verdict"] != "right" and one["id"] not in known]


def groups(report: Record, known: Container[str] = ()) -> list[tuple[str, list[Record]]]:
    """Return those texts by what they have in common, the largest group and its best example first.

    The best example is one whose outcome the template of the format defines: an ordinary text, or
    else a short one of the class of bugs that most texts of the group were written to find.
    """
    found = causes.grouped(wrong(report, known), lambda one: str(one.get("cause", "not said")))
    return [(title, _best_first(texts)) for title, texts in found]


def _best_first(texts: list[Record]) -> list[Record]:
    classes = Counter(flag for one in texts for flag in one.get("flags", ()))

    def rank(one: Record) -> tuple[bool, bool, int, int]:
        flags = one.get("flags", ())
        most = max((classes[flag] for flag in flags), default=0)
        is_decided = one.get("basis") == "decision"
        return is_decided, "example" not in flags, -most, len(one.get("text", ""))

    return sorted(texts, key=rank)


def again(one: Record, report: Record) -> str:
    """Return the command that asks for one text of a report again."""
    options = ["--case", one["id"]]
    options += ["--markers", "whole"] if report.get("markers") == "whole" else []
    for name in ("seed", "vocabulary"):
        options += [f"--{name}", str(report[name])] if report.get(name) else []
    command = ["cogwire", "conformance", "format", report["format"], *options]
    return shlex.join([*command, "--", *report["command"]])


def parser_of(report: Record) -> str:
    """Return the name of a parser, or what was run where nobody has given it one."""
    parser = report.get("parser")
    return f"{parser['title']} {parser['version']}" if parser else shlex.join(report["command"])
