# SPDX-License-Identifier: MIT
"""Which implementation passes what: the reports of the conformance suite, read together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import listing, reports
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.judge import PASSING
from website import links

#: The verdict on a case that a report does not have, or has in another revision.
NOT_RUN: Final = "not run"

Record = dict[str, Any]


@dataclass(frozen=True)
class Implementation:
    """A parser that was held against the corpus."""

    name: str
    about: str
    #: Whether it is expected to conform.
    conforms: bool
    report: reports.Report
    #: Where the report is.
    path: Path

    @cached_property
    def records(self) -> dict[str, Record]:
        """The result of each case, by its id."""
        return {record["id"]: record for record in self.report.cases}

    def record(self, case: Case) -> Record | None:
        """Return the result of a case, unless it was not run as it is now."""
        found = self.records.get(case.id)
        return found if found and found["revision"] == case.data["revision"] else None

    def verdict(self, case: Case) -> str:
        """Return the verdict on a case."""
        found = self.record(case)
        return found["verdict"] if found else NOT_RUN

    def tally(self, cases: Iterable[Case]) -> tuple[int, int]:
        """Return how many of the cases it passes, and of how many that it can be asked."""
        verdicts = [self.verdict(case) for case in cases]
        asked = [verdict for verdict in verdicts if verdict not in {NOT_RUN, "unsupported"}]
        return sum(verdict in PASSING for verdict in asked), len(asked)


def failing(record: Record) -> list[str]:
    """Return the properties of a case that do not hold."""
    return [n for n, seen in record["properties"].items() if seen["verdict"] not in PASSING]


@dataclass(frozen=True)
class Standing:
    """The corpus, and every implementation that was held against it."""

    cases: list[Case]
    implementations: list[Implementation]
    _by_clause: dict[str, list[Case]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for case in self.cases:
            for clause in case.data["clauses"]:
                self._by_clause.setdefault(clause, []).append(case)

    def testing(self, clause: str) -> list[Case]:
        """Return the cases that test a clause."""
        return self._by_clause.get(clause, [])

    def asked(self, name: str, cases: list[Case], *, here: str) -> str:
        """Return the way to the cases of a clause, a code or a bug, with who passes them."""
        count = f"[{len(cases)} case{'s' * (len(cases) != 1)}]({links.up(here)}{links.asked(name)})"
        return " · ".join([count, *self.summary(cases)])

    def summary(self, cases: list[Case]) -> list[str]:
        """Return who passes some cases, in words, and how many of them others pass."""
        tallies = [(one.name, *one.tally(cases)) for one in self.implementations]
        passing = [name for name, passed, asked in tallies if asked and passed == asked]
        others = [
            f"{name} {passed} of {asked}" for name, passed, asked in tallies if passed < asked
        ]
        if not passing:
            return others
        verb = "passes" if len(passing) == 1 else "pass"
        return [f"{', '.join(passing)} {verb}", *others]


def implementations(folders: Iterable[Path]) -> list[Implementation]:
    """Return those of the listed adapters that have a report, in the first folder that has one."""
    found = []
    places = list(folders)
    for adapter in listing.adapters():
        paths = (place / f"{adapter.name}.jsonl" for place in places)
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            listed = (adapter.name, adapter.about, adapter.conforms)
            found.append(Implementation(*listed, reports.read(path), path))
    return found
