# SPDX-License-Identifier: MIT
"""The report of a run: JSON Lines, from which everything else is made.

The first line is the run, then comes one line for each case in the order of the corpus, and the
last line is the end; a report without it is of a run that was interrupted.  The schema is
`spec/schemas/report.schema.json`.
"""

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final, TextIO

import cogwire
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.judge import PASSING, VERDICTS, Finding, Judge, Judgement
from cogwire_kit.conformance.probes import is_usable
from cogwire_kit.conformance.runner import Options, ranges
from cogwire_kit.texts.words import visible

FORMAT: Final = 2
LEVELS: Final = ("must", "should", "may")

#: A finding with a longer request is reported without it.
_LONGEST_REQUEST: Final = 20_000
#: So much of what an adapter says is reported.
_LONGEST_MESSAGE: Final = 4_000

_NO_REPORT: Final = "this is not a report; `cogwire conformance run --report FILE` writes one"

Record = dict[str, Any]


class ReportError(Exception):
    """A file is not a report, or the report of a run that was interrupted."""


@dataclass
class Report:
    """A run: what it was, the result of each case, and how it ended."""

    run: Record
    cases: list[Record] = field(default_factory=list)
    end: Record = field(default_factory=dict)

    @property
    def target(self) -> str:
        """The name and version of what was run."""
        hello = self.run["target"]
        return f"{hello['name']} {hello['version']}"

    @property
    def is_conformant(self) -> bool:
        """Whether all that is mandatory in its dialects was asked, whole, and passed."""
        return bool(self.end["conformant"])

    @property
    def departures(self) -> list[str]:
        """How the parser departs from the protocol, by its own account."""
        return departures(self.run["target"])

    def counts(self, **of: str) -> Counter[str]:
        """Return how many cases have each verdict, of those whose members are as given."""
        return Counter(
            case["verdict"]
            for case in self.cases
            if all(case[name] == value for name, value in of.items())
        )


def departures(target: Record) -> list[str]:
    """Return in words what a parser lacks, and that it counts in another unit."""
    lacks, unit = target.get("lacks", ()), target["offset_unit"]
    found = [f"lacks {', '.join(lacks)}"] if lacks else []
    return found + [f"offsets in {unit} (m-codepoints)"] * (unit not in ("codepoint", "unknown"))


def header(
    hello: Record, command: list[str], selection: Record, options: Options, place: Path
) -> Record:
    """Return the record that says what a run is."""
    names = ("name", "version", "language", "offset_unit", "ops", "dialects")
    greeting = hello if is_usable(hello) else {}
    return {
        "record": "run",
        "format": FORMAT,
        "kit": cogwire.__version__,
        "corpus": version(place),
        # An adapter that greets badly is reported as such, and has a header all the same.
        "target": {
            **{name: _held(greeting.get(name, "unknown")) for name in names},
            "lacks": greeting.get("lacks", []),
        },
        "command": command,
        "as_claimed": options.as_claimed,
        "selection": {name: value for name, value in selection.items() if value},
        "seed": options.seed,
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _held(value: Any) -> Any:
    """Return a name as every form of a report can hold it, in one line."""
    return value if not isinstance(value, str) else " ".join(visible(value).split())


def version(place: Path, files: Iterable[Path] | None = None) -> Record:
    """Return the version of a corpus, and the SHA-256 of its cases, or of those in some files."""
    data = json.loads((place / "corpus.json").read_text("utf-8"))
    digest = hashlib.sha256()
    for path in corpus.case_files(place) if files is None else files:
        digest.update(path.relative_to(place).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return {"version": data["version"], "sha256": digest.hexdigest()}


def of_case(found: Judge) -> Record:
    """Return the record of one case."""
    data = found.case.data
    kept = ("id", "revision", "title", "dialect", "op", "level", "clauses", "flags")
    return {
        "record": "case",
        **{name: data[name] for name in kept},
        "verdict": found.verdict,
        "properties": {name: _of_property(seen) for name, seen in found.properties.items()},
    }


def _of_property(seen: Judgement) -> Record:
    record: Record = {"verdict": seen.verdict, "runs": seen.runs, "failed": seen.failed}
    if seen.note:
        record["note"] = seen.note
    if seen.cuts:
        record["cuts"] = ranges(seen.cuts)
    if seen.first is not None:
        record["finding"] = _of_finding(seen.first)
    return record


def _of_finding(finding: Finding) -> Record:
    question = finding.question
    record: Record = {
        "verdict": finding.verdict,
        "message": finding.message,
        "aspect": question.aspect,
        "schedule": question.schedule,
        "expected": finding.expected,
        "actual": finding.actual,
        "request": question.request,
    }
    if not _is_short(record):
        record |= {"expected": None, "actual": None, "request": None}
    record["message"] = record["message"][:_LONGEST_MESSAGE]
    return record


def _is_short(record: Record) -> bool:
    try:
        # JSON has no NaN.
        return len(json.dumps(record, allow_nan=False)) <= _LONGEST_REQUEST
    except ValueError:
        return False


def footer(
    records: Iterable[Record], *, seconds: float, answers: int, unseen: list[str], **more: Any
) -> Record:
    """Return the record that ends a run.

    `unseen` is what a conformant parser does that was not seen, and `more` what was wrong with the
    target as such.
    """
    cases = list(records)
    counts = Counter(case["verdict"] for case in cases)
    known = sum("known" in case for case in cases)
    is_clean = not any(map(is_failing, cases)) and not known and not any(more.values())
    return {
        "record": "end",
        "conformant": bool(cases) and is_clean and not unseen,
        "counts": {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]},
        "known": known,
        "seconds": round(seconds, 3),
        "answers": answers,
        "unseen": unseen,
        **more,
    }


def is_failing(case: Record, levels: tuple[str, ...] = ("must",)) -> bool:
    """Say whether a case of these levels did not pass, and nobody knew of it."""
    return case["level"] in levels and case["verdict"] not in PASSING and "known" not in case


def is_unclaimed(case: Record) -> bool:
    """Say whether a case, or some of its properties, was not asked because it is not claimed."""
    return case["verdict"] == "unsupported" and not any(
        "finding" in seen for seen in case["properties"].values()
    )


def write(report: Report, output: TextIO) -> None:
    """Write a report as JSON Lines."""
    records = (report.run, *report.cases, report.end)
    output.writelines(json.dumps(record, ensure_ascii=True) + "\n" for record in records)


def read(path: Path) -> Report:
    """Return the report in a file.

    Raises:
        ReportError: it is not a report, of another format, or not whole.
    """
    records = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = json.loads(line)
            record["record"]
        except (ValueError, TypeError, KeyError):
            raise ReportError(f"{path}:{number}: {_NO_REPORT}") from None
        records.append(record)
    if not records or records[0]["record"] != "run":
        raise ReportError(f"{path}: {_NO_REPORT}")
    if records[0].get("format") != FORMAT:
        found = records[0].get("format")
        raise ReportError(
            f"{path}: this report has format {found}, and this version of the kit reads {FORMAT}; "
            "run `cogwire conformance run` again"
        )
    if records[-1]["record"] != "end":
        raise ReportError(f"{path}: the run was interrupted: the report has no last line `end`")
    return Report(records[0], [r for r in records if r["record"] == "case"], records[-1])
