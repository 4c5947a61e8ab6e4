# SPDX-License-Identifier: MIT
"""Failures of one cause together: what was given, and instead of what, in the words of the report.

A class of bugs is what a case was written to find.  One mistake fails cases of many classes, and a
case of one class may fail for another reason, so that the classes alone would not show the cause.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from cogwire_kit._counted import counted
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.judge import is_deadly
from cogwire_kit.conformance.reports import LEVELS, Record

#: A clause after a message.
_NAMED: Final = re.compile(r"\(([a-z]+(?:-[a-z0-9]+)+)\)(?:: |$)")
#: An event as messages show it: its type, and of an error the code.
_EVENT: Final = (
    r"(nothing more|[\w-]+)(?: ([a-z-]+))?(?: at \d+)?"
    r"""(?: (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))?"""
)
_INSTEAD: Final = re.compile(rf"(.*?)(?:turn \d+: )?event \d+: {_EVENT}, not {_EVENT}")
_ENDING: Final = re.compile(r"(exited with \d+|killed by signal \d+)(?:: (.+))?", re.DOTALL)
#: Where a message stops to be the same for one cause: at a value, or at a detail.
_DETAIL: Final = re.compile(r"['\"(:\d\n]")
_TOO_LONG: Final = 10**6
#: How many classes of a group are named.
_CLASSES: Final = 3
_NO_ANSWER: Final = "The parser gives no answer at all, and everything in the text is lost."


@dataclass(frozen=True)
class Group:
    """Cases that fail in the same way, the plainest first."""

    title: str
    cases: list[Record]
    #: What users suffer from it, if that is known.
    effect: str
    #: How many of the cases find each class of bugs, the most frequent class first.
    classes: list[tuple[str, int]]

    def heading(self) -> str:
        """Return the number of cases, what they were written to find, and the effect."""
        number = counted(len(self.cases), "case")
        named = [
            name if count == len(self.cases) else f"{name} {count}"
            for name, count in self.classes[:_CLASSES]
        ]
        named += [f"{len(self.classes) - _CLASSES} more"] * (len(self.classes) > _CLASSES)
        found = f" ({', '.join(named)})" if named else ""
        return f"{number}{found}{f'. {self.effect}' if self.effect else ''}"


def grouped(failing: list[Record]) -> list[Group]:
    """Return failing cases by cause: the worst levels first, then crashes, then the largest."""
    found: dict[str, list[Record]] = {}
    for case in failing:
        found.setdefault(_cause(case), []).append(case)

    def rank(group: Group) -> tuple[int, bool, int]:
        survives = not any(is_deadly(case["verdict"]) for case in group.cases)
        return min(map(_level, group.cases)), survives, -len(group.cases)

    return sorted((_group(title, cases) for title, cases in found.items()), key=rank)


def clause_of(case: Record) -> str:
    """Return the clause that a finding names at its end, or else the first of the case."""
    named = (_NAMED.search(one["message"]) for one in _findings(case))
    return next((name[1] for name in named if name), str(case["clauses"][0]))


def _group(title: str, cases: list[Record]) -> Group:
    classes = Counter(flag for case in cases for flag in case["flags"] if flag != "example")
    first, number = next(iter(classes.most_common(1)), ("", 0))
    # An effect is that of a class: the example is of this class, as at least half of the cases are.
    cases.sort(key=lambda case: (first not in [*case["flags"], ""], _level(case), _size(case)))
    effect = _effects(corpus.PLACE).get(first, "") if number * 2 >= len(cases) else ""
    effect = _NO_ANSWER if is_deadly(cases[0]["verdict"]) else effect
    return Group(title, cases, effect, classes.most_common())


def _level(case: Record) -> int:
    return LEVELS.index(case["level"])


def _findings(case: Record) -> list[Record]:
    return [seen["finding"] for seen in case["properties"].values() if "finding" in seen]


def _cause(case: Record) -> str:
    """Return what one cause makes of all its cases, in a few words."""
    clause = clause_of(case)
    if clause not in case["clauses"]:
        return clause
    found = sorted(_findings(case), key=lambda one: one["verdict"] != case["verdict"])
    if not found:
        return str(case["verdict"])
    verdict, message = found[0]["verdict"], str(found[0]["message"])
    if (instead := _INSTEAD.fullmatch(message)) is not None:
        cut = "in pieces: " if instead[1] else ""
        return cut + _instead(*instead.groups()[1:])
    if (ending := _ENDING.fullmatch(message)) is not None:
        if not ending[2]:
            return f"{verdict}: {ending[1]}"
        # The last line is the exception, after its traceback.
        message = ending[2].splitlines()[-1]
    summary = _DETAIL.split(message, maxsplit=1)[0].strip()
    return f"{verdict}: {summary}" if summary else str(verdict)


def _instead(actual: str, code: str | None, expected: str, expected_code: str | None) -> str:
    if expected == "error":
        if actual != "error":
            return f"no error {expected_code or ''}".strip()
        difference = "at another place" if code == expected_code else "with another code"
        return f"an error {difference}"
    if expected == "nothing more":
        return f"an extra {actual}" + (f" {code}" if code else "")
    if actual == "nothing more":
        return f"no {expected}"
    if actual == expected:
        return f"{expected} with other content"
    return f"{actual} instead of {expected}"


def _size(case: Record) -> int:
    """Return how much there is to read of what a case shows; what is too long comes last."""
    sizes = [len(str(one["request"])) for one in _findings(case) if one["request"] is not None]
    return min(sizes, default=_TOO_LONG)


@cache
def _effects(place: Path) -> dict[str, str]:
    """Return what users suffer from each class of bugs."""
    known = json.loads((place / "classes.json").read_text("utf-8"))
    return {name: str(entry["effect"]) for name, entry in known.items()}
