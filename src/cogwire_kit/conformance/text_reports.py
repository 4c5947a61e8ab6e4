# SPDX-License-Identifier: MIT
"""The report of a parser on texts of a format, or on any: what has the same cause is one group."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from cogwire_kit.conformance import reports
from cogwire_kit.conformance.corpus import NothingLeftError, UnusableError
from cogwire_kit.conformance.grouping import Group, by_cause
from cogwire_kit.conformance.judge import PASSING, Record, is_unclaimed
from cogwire_kit.conformance.reports import Report, Verdict
from cogwire_kit.texts.words import counted, share

#: What a report on turns in formats by description is on, and the command that asks for them.
DESCRIBED: Final = "described"
#: What a report on texts is on of which nothing is expected.
ALONE: Final = "texts alone"
#: What the end of a report may have that is wrong with a parser, aside from its texts.
_FAULTS: Final = ("baseline", "unexplained", "faults")
#: What the expectation of a text is based on, and how what is expected of it has come about.
BASES: Final = {
    "template": ("by the template", "by the public template of the format"),
    "decision": (
        "as we decided",
        "as cogwire decided; no template says it, and another reading may be as safe",
    ),
    "fresh": ("drawn", "as of the text of the corpus that says the same in other words"),
    "clauses": ("by the clauses", "by the clauses of the case"),
    "growth": (
        "made longer",
        "as of the same text with a short value; the work may grow as its length does",
    ),
    "reference": (
        "drawn, as the reference reads them",
        "as the reference reads it; it was drawn from a turn with these clauses",
    ),
}
#: What a record of a text has without saying it.
_IMPLIED: Final[Record] = {"op": "parse", "clauses": [], "properties": {}}


@dataclass
class TextReport(Report):
    """A run of a parser on the texts of a format, or on any that it reads as it does itself.

    The verdicts of texts are those of other cases, or else `cuts` or `wrong`.
    """

    nouns: ClassVar[tuple[str, str]] = ("text of the format", "texts of the format")

    def __post_init__(self) -> None:
        self.cases = [{"flags": [], **_IMPLIED, "dialect": self.about, **c} for c in self.cases]

    @property
    def about(self) -> str:
        """The format, or nothing where a parser is held against itself."""
        return str(self.run.get("texts", ""))

    @property
    def silent(self) -> list[str]:
        """What became of texts, if none of several, or of enough, has an answer: none was cut."""
        given = [None if one["cuts"] else one.get("gives") for one in self.cases]
        whys = [why for why in given if isinstance(why, str)]
        is_enough = bool(whys[1:]) or self._is_first_enough
        return whys if is_enough and len(whys) == len(given) else []

    @property
    def _is_first_enough(self) -> bool:
        return self.end.get("stopped") == reports.FIRST

    @property
    def subject(self) -> str:
        """What it is a report on."""
        return f"on {self.about or ALONE}"

    def name(self, case: Record) -> str:
        """Return what says which text it is: where nothing is expected of it, the text itself."""
        return super().name(case) if self.about else str(case["text"])

    def written(self) -> Iterator[Record]:
        """Yield the records of a file, which has nothing that is implied."""
        for case in self.cases:
            kept = {n: v for n, v in case.items() if n != "dialect" and _IMPLIED.get(n, ...) != v}
            yield {n: v for n, v in kept.items() if n != "flags" or v}

    @property
    def target(self) -> str:
        """The name of the parser, or what was run where nobody has given it one."""
        parser = self.run.get("parser")
        command = shlex.join(self.run["command"])
        return f"{parser['title']} {parser['version']}" if parser else command

    @property
    def dialects(self) -> list[str]:
        """The format, also where no text was asked."""
        return [self.about]

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
        how = f", in the chunks in which it was sent{beside}"
        how = ", of which a value was made longer" if case["basis"] == "growth" else how
        return [
            {
                **({"The tools of the request": case["tools"]} if "tools" in case else {}),
                f"The text{how}": sent,
                f"Expected, {BASES[case['basis']][-1]}": case["expected"],
                "Received": case["gives"],
            }
        ]

    def again(self, case: Record) -> str:
        """Return the command that asks for one text again."""
        options = ["--case", case["id"]]
        options += ["--markers", "whole"] if self.run.get("markers") == "whole" else []
        options += ["--as-claimed"] if self.run.get("as_claimed") else []
        for name in ("seed", "vocabulary"):
            options += [f"--{name}", str(self.run[name])] if self.run.get(name) else []
        return shlex.join([*command_of(self.about), *options, "--", *self.run["command"]])

    @property
    def verdict(self) -> Verdict:
        """The verdict on the parser, which is good only if it reads every text in every cut."""
        right = read(self.cases)
        late, grows = (sum(c["verdict"] == one for c in self.cases) for one in ("late", "grows"))
        known = sum("known" in case for case in self.cases)
        unasked = self.end.get("unasked", 0)
        unsupported = sum(self.end.get("unsupported", {}).values())
        left_out = unasked + (unsupported if self.run.get("as_claimed") else 0)
        words = [f"{right:,} of {counted(len(self.cases) + left_out, 'text')} in every cut"]
        words += [f"{late:,} of them late"] if late else []
        words += [f"{grows:,} with work that grows too fast"] if grows else []
        words += [f"{known:,} known to fail"] if known else []
        words += [f"{unasked:,} not asked"] if unasked else []
        words += [f"{unsupported:,} unsupported"] if unsupported else []
        words += ["nothing before the end"] if self.end.get("at_close") else []
        words += [f"lacks {', '.join(lacks)}"] if (lacks := self.run.get("lacks")) else []
        is_held_against_it = self.about == DESCRIBED and not self.run.get("as_claimed")
        gaps = unsupported or lacks or self.end.get("left_out")
        hint = "--as-claimed" if is_held_against_it and gaps else ""
        short = ", ".join(words)
        of_all = share(right, len(self.cases), "text", "is read", "are read")
        text = ", ".join([f"{of_all} as expected in every cut", *words[1:]])
        stopped = None if self._is_first_enough else self.end["stopped"]
        text += " so far" if self.end["stopped"] or self.silent else ""
        if stopped := stopped or ("it answers nothing" if self.silent else None):
            return Verdict("none", short, f"no verdict: {stopped}; {text}")
        if self.wrong or any(self.end.get(name) for name in _FAULTS):
            return Verdict("failing", short, text, hint)
        kind = "conformant" if right == len(self.cases) and not words[1:] else "partial"
        return Verdict(kind if self.cases else "none", short, text, hint)


def command_of(name: str) -> list[str]:
    """Return the command that asks for the texts of a format, or for turns in described ones."""
    return ["cogwire", "conformance", *([] if name == DESCRIBED else ["format"]), name]


def read(cases: Iterable[Record]) -> int:
    """Return how many texts are read as expected in every cut, even if late or slowly."""
    return sum(case["verdict"] in (*PASSING, "late", "grows") for case in cases)


def _best_first(texts: list[Record]) -> list[Record]:
    classes = Counter(flag for one in texts for flag in one["flags"])

    def rank(one: Record) -> tuple[bool, bool, int, int]:
        most = max((classes[flag] for flag in one["flags"]), default=0)
        is_decided = one.get("basis") == "decision"
        return is_decided, "example" not in one["flags"], -most, len(one.get("text", ""))

    return sorted(texts, key=rank)


def load(path: Path, *, is_whole: bool = True) -> Report:
    """Return the report in a file, as `reports.read` does: on texts, or of a run."""
    found = reports.read(path, is_whole=is_whole)
    return TextReport(found.run, found.cases, found.end) if "takes" in found.run else found


def failing(path: Path, subject: str) -> set[str]:
    """Return the names of what does not pass in the report in a file, which is of this subject.

    The report may be of a run that was interrupted, and has no end.

    Raises:
        NothingLeftError: everything in it passes.
        UnusableError: it is not such a report.
    """
    report = load(path, is_whole=False)
    # A file with a description may have moved.
    is_moved = isinstance(report, TextReport) and subject.endswith(".json")
    if report.subject != subject and not is_moved:
        raise UnusableError(f"{path}: a report {report.subject}, and not {subject}")
    asked = [case for case in report.cases if not is_unclaimed(case)]
    found = {report.name(case) for case in asked if case["verdict"] not in PASSING}
    if not found:
        raise NothingLeftError(f"{path}: everything that was asked passes")
    return found
