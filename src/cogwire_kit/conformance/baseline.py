# SPDX-License-Identifier: MIT
"""Failures that are known: a TOML file in which each has its reason.

An entry that is no longer true is a failure too, so that the list only grows with a reason:

    [[known]]
    case = "xml-json-closer-in-a-string"
    verdict = "differs"
    properties = ["events"]
    reason = "The closer is searched for as text; to be fixed with the new reader."

It may also have what was claimed when it was written.  A run that claims less fails, because a case
that nobody asks for any more would otherwise look as if it passed:

    [claimed]
    ops = ["parse"]
    lacks = ["prompt"]
    dialects.xml-json = ["token"]
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance.corpus import UnusableError, tables, toml
from cogwire_kit.conformance.judge import PASSING
from cogwire_kit.conformance.reports import Record, Report, is_unclaimed

#: Selections of a part of what is claimed.
_PARTS: Final = {
    "cases": "--case",
    "clauses": "--clause",
    "tags": "--tag",
    "failed": "--failed",
    "shard": "--shard",
}
_MEMBERS: Final = {"case": str, "verdict": str, "properties": list, "reason": str}


def read(path: Path) -> list[Record]:
    """Return the entries of a baseline file.

    Raises:
        UnusableError: it is not TOML, or an entry lacks a member, its reason above all.
    """
    entries = tables(path, "known", beside="claimed")
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        fault = _fault(entry)
        if fault is None and entry["case"] in seen:
            fault = f"{entry['case']} is known twice"
        if fault is not None:
            raise UnusableError(f"{path}: entry {number}: {fault}")
        seen.add(entry["case"])
    return entries


def claimed(path: Path) -> Record:
    """Return what a baseline file says was claimed, which may be nothing.

    Raises:
        UnusableError: it is not TOML, or has something else there.
    """
    found = toml(path).get("claimed", {})
    is_right = isinstance(found, dict) and set(found) <= {"ops", "lacks", "dialects"}
    dialects = found.get("dialects", {}) if is_right else {}
    lists = [found.get("ops", []), found.get("lacks", [])] if is_right else [None]
    lists += dialects.values() if isinstance(dialects, dict) else [None]
    if not all(isinstance(names, list) for names in lists):
        raise UnusableError(f"{path}: `claimed` has the lists `ops` and `lacks`, and `dialects`")
    return dict(found)


def retreats(before: Record, target: Record) -> list[str]:
    """Return in words what a target claims no longer, of what it claimed `before`."""
    gone = [f"the op {name}" for name in before.get("ops", ()) if name not in target["ops"]]
    for dialect, abilities in before.get("dialects", {}).items():
        now = target["dialects"].get(dialect)
        if now is None:
            gone.append(f"the dialect {dialect}")
        else:
            gone += [f"{name} in {dialect}" for name in abilities if name not in now]
    known = before.get("lacks")
    lacking = [] if known is None else [name for name in target["lacks"] if name not in known]
    return [f"{one} is no longer claimed" for one in gone] + [
        f"{name} was not lacking before" for name in lacking
    ]


def _fault(entry: Any) -> str | None:
    if not isinstance(entry, dict) or set(entry) != set(_MEMBERS):
        return f"an entry has the members {', '.join(_MEMBERS)}"
    for name, kind in _MEMBERS.items():
        if not isinstance(entry[name], kind):
            return f"`{name}` is of the wrong type"
    if not entry["reason"].strip():
        return f"{entry['case']} has no reason"
    return None


def apply(entries: Iterable[Record], cases: list[Record], everything: set[str]) -> list[str]:
    """Mark the cases that are known to fail, and return what is wrong with the entries.

    `everything` holds the ids of the whole corpus; an entry for a case that was not run is let be.
    """
    run = {case["id"]: case for case in cases}
    problems = []
    for entry in entries:
        name = entry["case"]
        if name not in everything:
            problems.append(f"{name}: there is no such case")
        elif name not in run:
            continue
        elif run[name]["verdict"] in PASSING:
            problems.append(f"{name}: stale: it passes now; remove the entry")
        elif (outcome := _outcome(run[name])) != (entry["verdict"], sorted(entry["properties"])):
            problems.append(
                f"{name}: changed: known as {entry['verdict']} in "
                f"{', '.join(sorted(entry['properties']))}, "
                f"now {outcome[0]} in {', '.join(outcome[1])}"
            )
        else:
            run[name]["known"] = entry["reason"]
    return problems


def _outcome(case: Record) -> tuple[str, list[str]]:
    """Return the verdict of a case, and the properties that do not pass, sorted."""
    failing = [n for n, seen in case["properties"].items() if seen["verdict"] not in PASSING]
    return case["verdict"], sorted(failing)


def written(report: Report) -> str:
    """Return the failures of a run as a baseline; each reason is for a person to write.

    What is claimed (dialects, ops, abilities, properties) may be any part of the corpus.

    Raises:
        UnusableError: the run was of a part of what is claimed, or reached no verdict, so that
            failures are missing.
    """
    for name, option in _PARTS.items():
        if name in report.run["selection"]:
            raise UnusableError(f"a baseline is made of a run without {option}")
    if report.end["probes"] or report.end["stopped"]:
        raise UnusableError("a baseline is made of a run that reached a verdict")
    entries = []
    for case in report.cases:
        verdict, properties = _outcome(case)
        if verdict not in PASSING and not is_unclaimed(case):
            members = [
                f"case = {json.dumps(case['id'])}",
                f"verdict = {json.dumps(verdict)}",
                f"properties = {json.dumps(properties)}",
                f"reason = {json.dumps(case.get('known', ''))}",
            ]
            entries.append("\n".join(["[[known]]", *members]) + "\n")
    target = report.run["target"]
    claims = ["[claimed]", *(f"{name} = {json.dumps(target[name])}" for name in ("ops", "lacks"))]
    claims += [
        f"dialects.{name} = {json.dumps(known)}" for name, known in target["dialects"].items()
    ]
    return "\n".join([*entries, "\n".join(claims) + "\n"])
