# SPDX-License-Identifier: MIT
"""What changed between two reports, case by case."""

from collections import Counter
from dataclasses import dataclass

from cogwire_kit.conformance.judge import PASSING
from cogwire_kit.conformance.reports import Record, Report


@dataclass(frozen=True)
class Change:
    """A case whose verdict is another in the later report, or that only one of them has."""

    id: str
    before: str | None
    after: str | None
    #: What is different about the case itself, if anything.
    note: str = ""

    @property
    def is_worse(self) -> bool:
        """Whether the case fails now and did not, or not the same way, or is not run any more."""
        return self.after not in PASSING

    @property
    def kind(self) -> str:
        """What happened, in two words."""
        if self.before is None:
            return "new case"
        if self.after is None:
            return "no longer run"
        if self.before in PASSING:
            return "fails now" if self.after not in PASSING else "passes otherwise"
        return "passes now" if self.after in PASSING else "fails otherwise"

    def line(self) -> str:
        """Return the change for people."""
        verdicts = f"{self.before or '-'} -> {self.after or '-'}"
        return f"{self.kind:17} {self.id}  {verdicts}{f'  ({self.note})' if self.note else ''}"


def changes(before: Report, after: Report) -> list[Change]:
    """Return what changed, in the order of the later report; what it has no more comes last."""
    old = {case["id"]: case for case in before.cases}
    new = {case["id"]: case for case in after.cases}
    found = []
    for name in [*new, *(name for name in old if name not in new)]:
        one, other = old.get(name), new.get(name)
        if one is None or other is None or _verdicts(one) != _verdicts(other):
            verdicts = [None if case is None else str(case["verdict"]) for case in (one, other)]
            found.append(Change(name, verdicts[0], verdicts[1], _note(one, other)))
    return found


def _verdicts(case: Record) -> tuple[str, tuple[tuple[str, str], ...]]:
    return case["verdict"], tuple((n, seen["verdict"]) for n, seen in case["properties"].items())


def _note(one: Record | None, other: Record | None) -> str:
    if one is None or other is None:
        return ""
    if one["revision"] != other["revision"]:
        return f"revision {one['revision']} -> {other['revision']}"
    properties = [
        name
        for name in {**one["properties"], **other["properties"]}
        if one["properties"].get(name, {}).get("verdict")
        != other["properties"].get(name, {}).get("verdict")
    ]
    return ", ".join(properties)


def total(found: list[Change]) -> str:
    """Return the last line: how many changes of each kind there are."""
    if not found:
        return "nothing changed"
    return ", ".join(f"{number} {kind}" for kind, number in Counter(c.kind for c in found).items())
