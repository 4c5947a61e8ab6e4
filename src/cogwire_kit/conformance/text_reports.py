# SPDX-License-Identifier: MIT
"""The report of a parser on the texts of a format: one JSON object, in a file."""

import json
import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from cogwire_kit.conformance import formats, readings, reports
from cogwire_kit.conformance.corpus import UnusableError
from cogwire_kit.conformance.grouping import Group, by_cause
from cogwire_kit.conformance.judge import PASSING, Record, is_unclaimed
from cogwire_kit.conformance.reports import Report, Verdict
from cogwire_kit.texts.words import counted, share

#: The members that a report has only where they say something.
_OPTIONAL: Final = frozenset({"left_out", "stopped", "at_close", "seed", "vocabulary"})
_BASES: Final = {
    "template": "by the public template of the format",
    "decision": "as cogwire decided; no template says it, and another reading may be as safe",
    "fresh": "as of the text of the corpus that says the same in other words",
}


@dataclass
class TextReport(Report):
    """A run of a parser on the texts of a format.

    The verdicts of texts are those of other cases, or else `cuts` or `wrong`; `reading` is what a
    file has in their place, which is `cuts` or `wrong` where there is no answer, too.
    """

    nouns: ClassVar[tuple[str, str]] = ("text of the format", "texts of the format")
    #: How many texts were not asked, where that is known.
    unasked: int = 0

    @classmethod
    def of(cls, members: Record) -> "TextReport":
        """Return the report that has these members in a file."""
        fixed: Record = {"dialect": members["format"], "op": "parse"}
        fixed |= {"clauses": [], "properties": {}}
        cases = [
            {"flags": [], **one, **fixed, "reading": one["verdict"], "verdict": _verdict(one)}
            for one in members["cases"]
        ]
        end: Record = {"probes": [], "unexplained": [], "stopped": members.get("stopped") or None}
        return cls({name: value for name, value in members.items() if name != "cases"}, cases, end)

    @property
    def target(self) -> str:
        """The name of the parser, or what was run where nobody has given it one."""
        parser = self.run.get("parser")
        command = shlex.join(self.run["command"])
        return f"{parser['title']} {parser['version']}" if parser else command

    @property
    def dialects(self) -> list[str]:
        """The format, also where no text was asked."""
        return [self.run["format"]]

    def groups(self) -> list[Group]:
        """Return the texts that differ by what they have in common, the largest group first.

        The first of a group is one whose outcome the template of the format defines: an ordinary
        text, or else a short one of the class of bugs that most were written to find.
        """
        found = by_cause(self.wrong, lambda one: str(one.get("cause", "not said")))
        return [Group(title, _best_first(texts), "", []) for title, texts in found]

    def message(self, case: Record) -> str:
        """Return in a line what is wrong with a text."""
        return str(case["cause"])

    def findings(self, case: Record) -> list[Record]:
        """Return what was found about a text, each part with its name."""
        beside = f", while the text {case['beside']} was read too" if "beside" in case else ""
        sent = case.get("chunks", [case["text"]])
        return [
            {
                f"The text, in the chunks in which it was sent{beside}": sent,
                f"Expected, {_BASES[case['basis']]}": case["expected"],
                "Received": case["gives"],
            }
        ]

    def again(self, case: Record) -> str:
        """Return the command that asks for one text again."""
        options = ["--case", case["id"]]
        options += ["--markers", "whole"] if self.run.get("markers") == "whole" else []
        for name in ("seed", "vocabulary"):
            options += [f"--{name}", str(self.run[name])] if self.run.get(name) else []
        command = ["cogwire", "conformance", "format", self.run["format"], *options]
        return shlex.join([*command, "--", *self.run["command"]])

    @property
    def verdict(self) -> Verdict:
        """The verdict on the parser, which is good only if it reads every text in every cut."""
        right = sum(case["verdict"] in PASSING for case in self.cases)
        known = sum("known" in case for case in self.cases)
        is_late = bool(self.run.get("at_close"))
        words = [f"{right:,} of {counted(len(self.cases) + self.unasked, 'text')} in every cut"]
        words += [f"{known:,} known to fail"] if known else []
        words += [f"{self.unasked:,} not asked"] if self.unasked else []
        words += ["nothing before the end"] if is_late else []
        read = share(right, len(self.cases), "text", "is read", "are read")
        short = ", ".join(words)
        text = ", ".join([f"{read} as expected in every cut", *words[1:]])
        if stopped := self.end["stopped"]:
            return Verdict("none", short, f"no verdict: {stopped}; {text} so far")
        if self.wrong or self.end.get("baseline"):
            return Verdict("failing", short, text)
        is_whole = right == len(self.cases) and not self.unasked and not is_late
        kind = "conformant" if is_whole else "partial"
        return Verdict(kind if self.cases else "none", short, text)


def _verdict(one: Record) -> str:
    """Return the verdict on a text, which says whether there was no answer."""
    if one["verdict"] in ("right", "late"):
        return "pass" if one["verdict"] == "right" else "late"
    # Reports of older versions do not say it otherwise.
    given = one.get("gives")
    instead = readings.failure_of(given) if isinstance(given, str) else one["verdict"]
    return str(one.get("failure", instead))


def _best_first(texts: list[Record]) -> list[Record]:
    classes = Counter(flag for one in texts for flag in one["flags"])

    def rank(one: Record) -> tuple[bool, bool, int, int]:
        most = max((classes[flag] for flag in one["flags"]), default=0)
        is_decided = one.get("basis") == "decision"
        return is_decided, "example" not in one["flags"], -most, len(one.get("text", ""))

    return sorted(texts, key=rank)


def load(path: Path, *, is_whole: bool = True) -> Report:
    """Return the report in a file: on the texts of a format, or of a run as `reports.read` does.

    Raises:
        UnusableError: it is not a report, or not whole.
    """
    try:
        members: Any = json.loads(path.read_text("utf-8"))
    except ValueError:
        members = None
    is_of_texts = isinstance(members, dict) and {"format", "cases", "command"} <= members.keys()
    return TextReport.of(members) if is_of_texts else reports.read(path, is_whole=is_whole)


def write(path: Path, members: Record) -> None:
    """Write a report, without what it need not say."""
    kept = {key: value for key, value in members.items() if value or key not in _OPTIONAL}
    path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def explained(path: Path) -> Report:
    """Return the report in a file, with the texts that one of an older version leaves out.

    Raises:
        UnusableError: it is not a report, or no corpus has one of its texts as it was then.
    """
    report = load(path)
    short = [one for one in report.wrong if isinstance(report, TextReport) and "text" not in one]
    known = {case.id: case for case in formats.load(report.run["format"]).cases} if short else {}
    for one in short:
        case = known.get(one["id"])
        if case is None or case.revision != one["revision"]:
            raise UnusableError(f"{path}: {one['id']} is no longer in the corpus as it was sent")
        one |= {member: case.data[member] for member in ("title", "flags", "text", "expect")}
        one["expected"] = one.pop("expect")
        one.setdefault("cause", "not said")
    return report


def failing(path: Path, name: str | None = None) -> set[str]:
    """Return the ids of what did not pass in the report in a file: on a format, or of a run.

    The report may be of a run that was interrupted, and has no end.

    Raises:
        UnusableError: it is not such a report, or everything in it passes.
    """
    report = load(path, is_whole=False)
    of = report.run["format"] if isinstance(report, TextReport) else None
    # A file with a description may have moved.
    if (of is None) != (name is None) or (of != name and not str(name).endswith(".json")):
        on = "of `cogwire conformance run`" if of is None else f"on {of}"
        other = "of a run" if name is None else f"on {name}"
        raise UnusableError(f"{path}: a report {on}, and not {other}")
    asked = [case for case in report.cases if not is_unclaimed(case)]
    found = {case["id"] for case in asked if case["verdict"] not in PASSING}
    if not found:
        raise UnusableError(f"{path}: everything that was asked passes")
    return found
