# SPDX-License-Identifier: MIT
"""What parsers make of the texts of formats: the results that `make format-reports` stores."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from cogwire_kit.conformance import corpus, text_reports
from cogwire_kit.conformance.formats import FormatCase
from cogwire_kit.conformance.judge import Record
from cogwire_kit.conformance.reports import Report

STORED: Final = corpus.PLACE / "reports" / "formats"


@dataclass(frozen=True)
class Reading:
    """The result of a parser on a format, as it was stored."""

    path: Path
    stored: Report

    @property
    def report(self) -> Record:
        """What was run, when, and how."""
        return self.stored.run

    @property
    def title(self) -> str:
        """The parser, with its version."""
        return self.stored.target

    @property
    def format(self) -> str:
        """The name of the format."""
        return str(self.report["texts"])

    @cached_property
    def records(self) -> dict[tuple[str, int], Record]:
        """The result of each case, by its id and its revision."""
        return {(one["id"], one["revision"]): one for one in self.stored.cases}

    def record(self, case: FormatCase) -> Record | None:
        """Return the result of a case, unless it was not asked as it is now."""
        return self.records.get((case.id, case.revision))

    def asked(self, cases: Sequence[FormatCase]) -> list[Record]:
        """Return the results of the cases that were asked as they are now."""
        return [one for one in map(self.record, cases) if one]

    def outdated(self, cases: Sequence[FormatCase]) -> list[str]:
        """Return the ids of the cases that were asked, but not as they are now."""
        stored = {identity for identity, _ in self.records}
        return [case.id for case in cases if case.id in stored and not self.record(case)]

    def newer(self, cases: Sequence[FormatCase]) -> list[str]:
        """Return the ids of the cases that are newer than the run, which would have asked them."""
        stored = {identity for identity, _ in self.records}
        without, takes = {*self.report["without"]}, frozenset(self.report["takes"])
        return [
            case.id
            for case in cases
            if case.id not in stored and not case.parts & without and case.asked(takes) is not None
        ]

    def tallies(self, cases: Sequence[FormatCase]) -> tuple[str, str, str, str, str]:
        """Return how many texts are read as a template says, as we decided, and of these late.

        The next says of how many no cut inside a marker that is one token changes anything.  The
        last says how many texts of the format were asked, how many have only an answer to what they
        were before, and how many are newer.
        """
        decided = [case for case in cases if case.is_decided]
        others = [case for case in cases if not case.is_decided]
        late = sum(one["verdict"] == "late" for one in self.asked(cases))
        shown = "at the end" if self.stored.end.get("at_close") else str(late)
        cut = [one["inside_markers"] for one in self.asked(cases) if "inside_markers" in one]
        alike = sum(not inside["differing"] for inside in cut)
        inside = f"{alike} of {len(cut)}" if cut else ""
        answered = f"{len(self.asked(cases))} of {len(cases)}"
        older, newer = len(self.outdated(cases)), len(self.newer(cases))
        answered += f", {older} outdated" if older else ""
        answered += f", {newer} newer" if newer else ""
        return _tally(self.asked(others)), _tally(self.asked(decided)), shown, inside, answered


def _tally(asked: Sequence[Record]) -> str:
    right, whole = counts(asked)
    return f"{right} of {len(asked)} ({whole})" if asked else ""


def counts(records: Sequence[Record]) -> tuple[int, int]:
    """Return how many texts are read as expected in every cut, and how many in one piece."""
    return text_reports.read(records), sum("whole" not in one for one in records)


def readings(folder: Path = STORED) -> list[Reading]:
    """Return what is stored, by parser and by format."""
    found = [Reading(path, text_reports.load(path)) for path in folder.glob("*.jsonl")]
    return sorted(found, key=lambda one: (one.title.lower(), one.format))
