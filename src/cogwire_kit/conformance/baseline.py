# SPDX-License-Identifier: MIT
"""Baselines: a TOML file of known failures, each with a reason.

An entry that is no longer true is a failure too, so that the list only grows with a reason:

    [[known]]
    case = "xml-json-closer-in-a-string"
    verdict = "differs"
    properties = ["events"]
    reason = "The closer is searched for as text; to be fixed with the new reader."

In a list of texts of a format an entry has no `properties`, and its verdict is `cuts` or `wrong`,
or else `crashed`, `timed-out`, `unsupported` or `fault` where a parser did not answer.

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
from cogwire_kit.conformance.judge import PASSING, PROPERTIES, Record, is_unclaimed
from cogwire_kit.conformance.reports import Report

#: Properties that each run judges.
_ALWAYS: Final = ("events", "fresh")
#: Selections of a part of what is claimed.
_PARTS: Final = {
    "cases": "--case",
    "clauses": "--clause",
    "tags": "--tag",
    "failed": "--failed",
    "shard": "--shard",
}
_MEMBERS: Final[dict[str, type]] = {"case": str, "verdict": str, "properties": list, "reason": str}
#: The members of an entry for a text of a format.
_OF_TEXTS: Final[dict[str, type]] = {"case": str, "verdict": str, "reason": str}

_OTHER: Final = (
    "a baseline of `cogwire conformance {is_not}`, which has no {of}; `cogwire conformance report "
    "FILE --format baseline` writes one of each report"
)


def read(path: Path | None, *, is_of_texts: bool = False) -> list[Record]:
    """Return the entries of a baseline, of a run or of a format; none without a file.

    Raises:
        UnusableError: it is not TOML, it is one of the other kind, or an entry lacks a member, its
            reason above all.
    """
    if path is None:
        return []
    entries = tables(path, "known", beside="claimed")
    if is_of_texts and (claimed(path) or _is_of(entries, _MEMBERS)):
        raise UnusableError(f"{path}: {_OTHER.format(is_not='run', of='texts of formats')}")
    if not is_of_texts and _is_of(entries, _OF_TEXTS):
        raise UnusableError(f"{path}: {_OTHER.format(is_not='format', of='cases')}")
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        fault = _fault(entry, _OF_TEXTS if is_of_texts else _MEMBERS)
        if fault is None and entry["case"] in seen:
            fault = f"{entry['case']} is known twice"
        if fault is not None:
            raise UnusableError(f"{path}: entry {number}: {fault}")
        seen.add(entry["case"])
    return entries


def claimed(path: Path | None) -> Record:
    """Return what a baseline file says was claimed, which may be nothing.

    Raises:
        UnusableError: it is not TOML, or has something else there.
    """
    found = toml(path).get("claimed", {}) if path else {}
    is_right = isinstance(found, dict) and set(found) <= {"ops", "lacks", "dialects"}
    dialects = found.get("dialects", {}) if is_right else {}
    lists = [found.get("ops", []), found.get("lacks", [])] if is_right else [None]
    lists += dialects.values() if isinstance(dialects, dict) else [None]
    if not all(isinstance(names, list) for names in lists):
        raise UnusableError(f"{path}: `claimed` has the lists `ops` and `lacks`, and `dialects`")
    return dict(found)


def retreats(before: Record, target: Record) -> list[str]:
    """Return in words what a target claimed `before` and no longer claims."""
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


def _is_of(entries: list[Any], members: dict[str, type]) -> bool:
    """Whether there are entries, and each has these members."""
    of_each = [set(entry) if isinstance(entry, dict) else set() for entry in entries]
    return bool(entries) and all(names == set(members) for names in of_each)


def _fault(entry: Any, members: dict[str, type]) -> str | None:
    if not isinstance(entry, dict) or set(entry) != set(members):
        return f"an entry has the members {', '.join(members)}"
    for name, kind in members.items():
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
        else:
            outcome = _outcome(run[name])
            before = entry["verdict"], sorted(entry.get("properties", ()))
            if outcome == before:
                run[name]["known"] = entry["reason"]
            else:
                problems.append(
                    f"{name}: changed: known as {_shown(*before)}, now {_shown(*outcome)}"
                )
    return problems


def _shown(verdict: str, properties: list[str]) -> str:
    return f"{verdict} in {', '.join(properties)}" if properties else verdict


def _outcome(case: Record) -> tuple[str, list[str]]:
    """Return the verdict of a case, and the properties that do not pass, sorted."""
    failing = [n for n, seen in case["properties"].items() if seen["verdict"] not in PASSING]
    return case["verdict"], sorted(failing)


def written(report: Report) -> str:
    """Return the failures of a run as a baseline; each reason is for a person to write.

    Raises:
        UnusableError: the run was of a part of what is claimed, or reached no verdict, so that
            failures are missing.
    """
    target = report.run.get("target")
    # Texts of a format are claimed by nobody.
    if target is not None and (gaps := "; ".join(_gaps(target, report.run["selection"]))):
        raise UnusableError(f"a baseline is made of a run of all that is claimed: {gaps}")
    if report.end["probes"] or report.end["stopped"]:
        raise UnusableError("a baseline is made of a run that reached a verdict")
    entries = []
    for case in report.cases:
        verdict, properties = _outcome(case)
        if verdict not in PASSING and not is_unclaimed(case):
            known: Record = {"case": case["id"], "verdict": verdict}
            known |= {"properties": properties} if case["properties"] else {}
            known |= {"reason": case.get("known", "")}
            # In TOML, strings and lists of them are written as in JSON.
            lines = [f"{name} = {json.dumps(value)}" for name, value in known.items()]
            entries.append("\n".join(["[[known]]", *lines]) + "\n")
    if target is None:
        return "\n".join(entries)
    claims = ["[claimed]", *(f"{name} = {json.dumps(target[name])}" for name in ("ops", "lacks"))]
    claims += [
        f"dialects.{name} = {json.dumps(known)}" for name, known in target["dialects"].items()
    ]
    return "\n".join([*entries, "\n".join(claims) + "\n"])


def _gaps(target: Record, selection: Record) -> list[str]:
    """Return the options of a selection that leave out something the target claims."""

    def unless_chosen(kind: str, claimed: Iterable[str]) -> list[str]:
        return [name for name in claimed if selection.get(kind) and name not in selection[kind]]

    judged = [name for name in PROPERTIES if name not in (*_ALWAYS, *target["lacks"])]
    abilities = {name for claimed in target["dialects"].values() for name in claimed}
    left_out = {
        "--dialect": unless_chosen("dialects", target["dialects"]),
        "--op": unless_chosen("ops", target["ops"]),
        "--property": unless_chosen("properties", judged),
        "--without": [name for name in selection.get("without", ()) if name in abilities],
    }
    parts = [f"{option} was given" for name, option in _PARTS.items() if name in selection]
    return parts + [
        f"{option} leaves out {', '.join(names)}" for option, names in left_out.items() if names
    ]
