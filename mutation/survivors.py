"""The list of the mutants that no test sees, each with the reason why this is no fault."""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from mutation.workshop import MODULES, Mutant, Outcome, digest

FILE: Final = Path(__file__).with_name("survivors.json")


class Survivor(NamedTuple):
    """A mutant, and why no test has to see it."""

    mutant: Mutant
    reason: str


class Record(NamedTuple):
    """What a run on a module gave, and the source that it was run on."""

    source: str
    mutants: int
    by_types: int
    by_cases: int
    by_tests: int
    survivors: tuple[Survivor, ...]

    def known(self) -> list[Mutant]:
        """Return the mutants of the list; a change made in two places stands in it twice."""
        return [each.mutant for each in self.survivors]


def load() -> dict[str, Record]:
    """Return the list, by module."""
    data = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return {module: _read(record) for module, record in data.items()}


def save(records: dict[str, Record]) -> None:
    """Write the list."""
    data = {module: _written(records[module]) for module in sorted(records)}
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def renewed(outcome: Outcome, before: Record | None) -> Record:
    """Return a record of what a run gave, with the reasons that are known already."""
    reasons = {each.mutant: each.reason for each in before.survivors} if before else {}
    return Record(
        digest(outcome.module),
        outcome.mutants,
        outcome.by_types,
        outcome.by_cases,
        outcome.by_tests,
        tuple(Survivor(mutant, reasons.get(mutant, "")) for mutant in outcome.survivors),
    )


def faults(records: dict[str, Record]) -> list[str]:
    """Return what is wrong with the list itself, in lines for people."""
    found = []
    for module in MODULES:
        again = f"python -m mutation run {module}"
        record = records.get(module)
        if record is None:
            found.append(f"{module}: not in the list; {again}")
            continue
        if record.source != digest(module):
            found.append(f"{module}: changed since its mutants were tested; {again}")
        found += [
            f"{module}: a survivor without a reason: {survivor.mutant.text()}"
            for survivor in record.survivors
            if not survivor.reason
        ]
    return found


def _read(record: dict[str, Any]) -> Record:
    survivors = tuple(
        Survivor(Mutant(each["function"], each["was"], each["becomes"]), each["reason"])
        for each in record["survivors"]
    )
    return Record(**{**record, "survivors": survivors})


def _written(record: Record) -> dict[str, Any]:
    survivors = [{**mutant._asdict(), "reason": reason} for mutant, reason in record.survivors]
    return {**record._asdict(), "survivors": survivors}
