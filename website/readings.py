# SPDX-License-Identifier: MIT
"""What parsers make of the texts of formats: the results that `make format-reports` stores."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.formats import FormatCase

STORED: Final = corpus.PLACE / "reports" / "formats"

Record = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """The result of a parser on a format, as it was stored."""

    path: Path
    report: Record

    @property
    def title(self) -> str:
        """The parser, with its version."""
        return f"{self.report['parser']['title']} {self.report['parser']['version']}"

    @property
    def format(self) -> str:
        """The name of the format."""
        return str(self.report["format"])

    @cached_property
    def records(self) -> dict[tuple[str, int], Record]:
        """The result of each case, by its id and its revision."""
        return {(one["id"], one["revision"]): one for one in self.report["cases"]}

    def record(self, case: FormatCase) -> Record | None:
        """Return the result of a case, unless it was not asked as it is now."""
        return self.records.get((case.id, case.revision))

    def tally(self, cases: Sequence[FormatCase], *, decided: bool) -> str:
        """Return how many texts are read as expected, of how many."""
        found = [self.record(case) for case in cases if case.is_decided is decided]
        verdicts = [one["verdict"] for one in found if one]
        if not verdicts:
            return ""
        whole = len(verdicts) - verdicts.count("wrong")
        return f"{verdicts.count('right')} of {len(verdicts)} ({whole})"


def readings(folder: Path = STORED) -> list[Reading]:
    """Return what is stored, by parser and by format."""
    found = [Reading(path, json.loads(path.read_text("utf-8"))) for path in folder.glob("*.json")]
    return sorted(found, key=lambda one: (one.title.lower(), one.format))
