# SPDX-License-Identifier: MIT
"""The report of a run as JSON Lines, the verdict on it, and what changed between two of them.

The first line is the run, then comes one line for each case in the order of the corpus, and the
last line is the end; a report without it is of a run that was interrupted.  The schema is
`spec/schemas/report.schema.json`.
"""

import json
import platform
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final, TextIO

import cogwire
from cogwire_kit.adapter import ABILITIES, OPS
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.checks import Check, Compiler
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.grouping import Group, findings, grouped
from cogwire_kit.conformance.judge import (
    LEVELS,
    PASSING,
    PROPERTIES,
    VERDICTS,
    CaseFinding,
    Judge,
    Judgement,
    Record,
    RunOptions,
    is_failing,
    is_unclaimed,
)
from cogwire_kit.conformance.probes import LACKS, is_usable
from cogwire_kit.saving import opened_text
from cogwire_kit.texts.words import counted, share, visible

FORMAT: Final = 2

#: A finding with a longer request is reported without it.
_LONGEST_REQUEST: Final = 20_000
#: So much of what an adapter says is reported.
_LONGEST_MESSAGE: Final = 4_000

#: What is said of what no reply has, and that could be declared.
_UNDECLARED: Final = re.compile(rf"list (`[a-z-]+`) in `lacks` \({LACKS}\)$")
#: Why a run ended of which one failure was enough, as a report says it.
FIRST: Final = "the first failure was enough"
#: What a report of a run is.
OF_A_RUN: Final = "of a run"
_NO_REPORT: Final = "this is not a report, as --report writes it"


@dataclass
class Report:
    """A run: what it was, the result of each case, and how it ended."""

    run: Record
    cases: list[Record] = field(default_factory=list)
    end: Record = field(default_factory=dict)
    #: What one of the cases is called, and what several are.
    nouns: ClassVar[tuple[str, str]] = ("case", "cases")

    @property
    def subject(self) -> str:
        """What it is a report on."""
        return OF_A_RUN

    def name(self, case: Record) -> str:
        """Return what says in every report on the same subject which case it is."""
        return str(case["id"])

    @property
    def target(self) -> str:
        """The name and version of what was run."""
        hello = self.run["target"]
        return f"{hello['name']} {hello['version']}"

    def written(self) -> Iterable[Record]:
        """Return the records of the cases as a file has them."""
        return self.cases

    def counts(self, **of: str) -> Counter[str]:
        """Return how many cases have each verdict, of those whose members are as given."""
        return Counter(
            case["verdict"]
            for case in self.cases
            if all(case[name] == value for name, value in of.items())
        )

    @property
    def dialects(self) -> list[str]:
        """The dialects of the cases, in their order."""
        return list(dict.fromkeys(case["dialect"] for case in self.cases))

    @property
    def wrong(self) -> list[Record]:
        """The cases that were asked and did not pass, and of which nobody knew it."""
        return [c for c in self.cases if is_failing(c, LEVELS) and not is_unclaimed(c)]

    def groups(self) -> list[Group]:
        """Return these cases by cause, what matters most first."""
        return grouped(self.wrong)

    def message(self, case: Record) -> str:
        """Return in a line what is wrong with a case."""
        return "; ".join(
            f"{name}: {seen['verdict']}: {seen.get('finding', seen).get('message', note)}"
            for name, seen in case["properties"].items()
            if seen["verdict"] not in PASSING
            for note in [seen.get("note", "")]
        )

    def findings(self, case: Record) -> list[Record]:
        """Return what was found about a case, the worst first, each part with its name."""
        names = {"Found": "message", "The request that saved": "saving", "The request": "request"}
        names |= {"Expected": "expected", "Received": "actual"}
        return [
            {name: finding.get(member) for name, member in names.items()}
            for _, finding in findings(case)
        ]

    def again(self, case: Record) -> str:
        """Return the command that asks of one case what the run asked of it."""
        options = ["--case", case["id"]]
        for option, name in (("--property", "properties"), ("--without", "without")):
            for value in self.run["selection"].get(name, ()):
                options += [option, value]
        options += ["--as-claimed"] if self.run["as_claimed"] else []
        options += ["--seed", str(self.run["seed"])] if "cf-fresh" in case["clauses"] else []
        return shlex.join(["cogwire", "conformance", "run", *options, "--", *self.run["command"]])

    @property
    def verdict(self) -> "Verdict":
        """The verdict on the target."""
        end = self.end
        asked = [case for case in self.cases if not is_unclaimed(case)]
        passing = sum(case["verdict"] in PASSING for case in asked)
        chosen = "selected" if self.run["selection"] else "claimed"
        summary = share(passing, len(asked), f"{chosen} case", "passes", "pass")
        summary += " so far" if end["stopped"] else ""
        is_enough = end["stopped"] in (None, FIRST)
        if end["probes"] or not is_enough:
            reason = _doubt(end["probes"]) if is_enough else end["stopped"]
            return Verdict("none", "no verdict", f"no verdict: {reason}; {summary}")
        if end["conformant"]:
            return Verdict("conformant", "conformant", "conformant")
        short = f"{passing:,} of {len(asked):,} pass"
        if end["known"]:
            summary += f", {counted(end['known'], 'known failure')}"
            short += f", {end['known']:,} known to fail"
        departures = _departures(self.run["target"])
        short = ", ".join([short, *departures])
        summary = "; ".join([summary, *end["unseen"]])
        if wrong := _wrong(self):
            return Verdict("failing", short, f"not conformant: {', '.join(wrong)}; {summary}")
        is_held_against_it = departures or any(map(is_unclaimed, self.cases))
        hint = "--as-claimed" if is_held_against_it and not self.run["as_claimed"] else ""
        return Verdict("partial", short, summary, hint)


def _departures(target: Record) -> list[str]:
    """Return in words what a parser lacks, by its own account, and its other unit of offsets."""
    lacks, unit = target.get("lacks", ()), target["offset_unit"]
    found = [f"lacks {', '.join(lacks)}"] if lacks else []
    return found + [f"offsets in {unit} (m-codepoints)"] * (unit not in ("codepoint", "unknown"))


def header(command: list[str], selection: Record, **more: Any) -> Record:
    """Return the record that says what a run is; `more` is what its kind has besides."""
    return {
        "record": "run",
        "format": FORMAT,
        "kit": cogwire.__version__,
        **more,
        "command": command,
        "selection": {name: value for name, value in selection.items() if value},
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def greeting(hello: Record) -> Record:
    """Return what a report says of a target: one that greets badly is reported all the same."""
    names = ("name", "version", "language", "offset_unit", "ops", "dialects")
    known = hello if is_usable(hello) else {"ops": [], "dialects": {}}
    found = {name: _held(known.get(name, "unknown")) for name in names}
    return {**found, "lacks": known.get("lacks", [])}


def _held(value: Any) -> Any:
    """Return a name as every form of a report can hold it, in one line."""
    return value if not isinstance(value, str) else " ".join(visible(value).split())


class Journal:
    """A report that is written while its run lasts, so that what was found is there if it dies.

    Its cases are in the order in which they are done, and it has no end: when the run is over, the
    report takes its place.  The file is opened with the first case, and closed by `stack`.
    """

    def __init__(self, path: Path, run: Record, stack: ExitStack) -> None:
        self._path, self._run, self._stack = path, run, stack
        self._output: TextIO | None = None
        # Cases are done in several threads.
        self._lock = Lock()

    def add(self, found: Record) -> None:
        """Write what was found of one case at once."""
        with self._lock:
            if self._output is None:
                self._output = self._stack.enter_context(opened_text(self._path, "ascii"))
                self._output.write(_line(self._run))
            self._output.write(_line(found))
            self._output.flush()


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


def _of_finding(finding: CaseFinding) -> Record:
    question = finding.question
    record: Record = {
        "verdict": finding.verdict,
        "message": finding.message,
        "aspect": question.aspect,
        "schedule": question.schedule,
        "expected": finding.expected,
        "actual": finding.actual,
        "request": question.request,
        **({} if question.saving is None else {"saving": question.saving}),
    }
    if not _is_short(record):
        record |= {"expected": None, "actual": None, "request": None}
        record.pop("saving", None)
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


def ranges(places: Iterable[int]) -> str:
    """Return ascending numbers as people write them: 1-27, 30."""
    spans: list[list[int]] = []
    for place in sorted(set(places)):
        if spans and spans[-1][1] == place - 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    return ", ".join(str(one) if one == last else f"{one}-{last}" for one, last in spans)


def write(report: Report, output: TextIO) -> None:
    """Write a report as JSON Lines."""
    output.writelines(map(_line, (report.run, *report.written(), report.end)))


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=True) + "\n"


@cache
def _forms(*, is_of_texts: bool) -> dict[str, Check]:
    """Return the check of each kind of record, in a report of a run or of one on texts."""
    schema = json.loads((corpus.PAGES / "schemas" / "report.schema.json").read_text("utf-8"))
    names = ("textsRun", "text", "textsEnd") if is_of_texts else ("run", "case", "end")
    made = Compiler({schema["$id"]: schema})
    return {
        kind: made.of(schema["$defs"][name], schema)
        for kind, name in zip(("run", "case", "end"), names, strict=True)
    }


def read(path: Path, *, is_whole: bool = True) -> Report:
    """Return the report in a file, which needs an end only where it is to be whole.

    Raises:
        UnusableError: it is not a report, of another format, or not whole.
    """
    records = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = json.loads(line)
            record["record"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UnusableError(f"{path}:{number}: {_NO_REPORT}") from None
        records.append(record)
    if not records or records[0]["record"] != "run":
        raise UnusableError(f"{path}: {_NO_REPORT}")
    if records[0].get("format") != FORMAT:
        found = records[0].get("format")
        raise UnusableError(
            f"{path}: this report has format {found}, and this version of the kit reads {FORMAT}; "
            "run the command again"
        )
    forms = _forms(is_of_texts="takes" in records[0])
    for number, record in enumerate(records, 1):
        if (wrong := forms.get(str(record["record"]), forms["run"])(record)) is not None:
            other = records[0].get("kit", cogwire.__version__)
            hint = f"; version {other} of the kit wrote it" if other != cogwire.__version__ else ""
            raise UnusableError(f"{path}:{number}: {_NO_REPORT}: {wrong.lstrip()}{hint}")
    is_over = records[-1]["record"] == "end"
    if is_whole and not is_over:
        raise UnusableError(f"{path}: the run was interrupted: the report has no last line `end`")
    cases = [record for record in records if record["record"] == "case"]
    return Report(records[0], cases, records[-1] if is_over else {})


@dataclass(frozen=True)
class Verdict:
    """The verdict on a target."""

    #: `conformant`; `partial`, when what was asked passes; `failing`; or `none`.
    kind: str
    #: In a few words, for a badge.
    short: str
    #: All of it, in a line.
    text: str
    #: The option without which what is not claimed counts against the target.
    hint: str = ""

    @property
    def is_good(self) -> bool:
        """Whether everything that was asked passes."""
        return self.kind in ("conformant", "partial") and not self.hint


def _doubt(problems: list[str]) -> str:
    """Return why a run comes to no verdict that was completed."""
    names = [name for problem in problems for name in _UNDECLARED.findall(problem)]
    if len(names) < len(problems):
        return "the adapter is not to be trusted"
    return f"the reply to `hello` does not have {', '.join(names)} in `lacks`"


def _wrong(report: Report) -> list[str]:
    """Return in words what went wrong, aside from what was known."""
    failing = [case for case in report.wrong if is_failing(case)]
    unexplained, stale = report.end["unexplained"], report.end.get("baseline", ())
    counts = (
        (failing, "mandatory case fails", "mandatory cases fail"),
        (unexplained, "failure that no case explains", "failures that no case explains"),
        (stale, "entry of the baseline does not hold", "entries of the baseline do not hold"),
    )
    return [counted(len(those), one, many) for those, one, many in counts if those]


def unseen(
    run: Record, records: list[Record], everything: list[corpus.Case], options: RunOptions
) -> list[str]:
    """Return in words what the mandatory set of a target's dialects asks, and a run did not."""
    target = run["target"]
    dialects = {record["dialect"] for record in records}
    musts = [case for case in everything if case.data["level"] == LEVELS[0]]
    mandatory = {case.id for case in musts if case.dialects <= dialects}
    missing = mandatory - {record["id"] for record in records if not is_unclaimed(record)}
    unclaimed = {case.op for case in everything if case.id in mandatory} - set(target["ops"])
    ops = [op for op in OPS if op in unclaimed]
    claims = [set(target["dialects"].get(name, ())) for name in dialects]
    dropped = [n for n in ABILITIES if not all(n in one for one in claims) or n in options.without]
    unjudged = [name for name in PROPERTIES if name not in options.properties]
    gaps = _departures(target)
    if missing:
        gaps.append(f"{len(missing):,} of {counted(len(mandatory), 'mandatory case')} not asked")
    if ops:
        gaps.append(f"without the {'op' if len(ops) == 1 else 'ops'} {', '.join(ops)}")
    if dropped:
        gaps.append(f"without {', '.join(dropped)}")
    if unjudged:
        gaps.append(f"{', '.join(unjudged)} not judged")
    if run["corpus"]["sha256"] != corpus.version(corpus.PLACE)["sha256"]:
        gaps.append("not the cases of this version")
    return gaps


@dataclass(frozen=True)
class VerdictChange:
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


def changes(before: Iterable[Record], after: Iterable[Record]) -> list[VerdictChange]:
    """Return what changed in cases, in the order of the later ones; what these lack is last."""
    old, new = ({case["id"]: case for case in cases} for cases in (before, after))
    found = []
    for name in [*new, *(name for name in old if name not in new)]:
        one, other = old.get(name), new.get(name)
        if one is None or other is None or _verdicts(one) != _verdicts(other):
            verdicts = [None if case is None else str(case["verdict"]) for case in (one, other)]
            found.append(VerdictChange(name, verdicts[0], verdicts[1], _note(one, other)))
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


def total_of(found: list[VerdictChange]) -> str:
    """Return the last line: how many changes of each kind there are."""
    if not found:
        return "nothing changed"
    return ", ".join(f"{number} {kind}" for kind, number in Counter(c.kind for c in found).items())
