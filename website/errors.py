# SPDX-License-Identifier: MIT
"""The error codes: their entries in the specification, and the cases that expect them."""

import re
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance.corpus import Case, expanded
from website.standing import Standing
from website.text import TESTED

SOURCE: Final = "errors.md"
_ENTRY: Final = re.compile(
    r"^### `(?P<code>[a-z-]+)` \{ #err-(?P=code) \}\n(?P<body>.*?)(?=^###? |\Z)",
    re.DOTALL | re.MULTILINE,
)
_CAUSE: Final = re.compile(r"\*\*Cause\.\*\* (?P<text>.*?)\n\n", re.DOTALL)
_NAMED: Final = re.compile(r"\*\*Clauses\.\*\*(?P<text>.*?)(?=\n\n|\Z)", re.DOTALL)
_CLAUSE_LINK: Final = re.compile(r"\[([a-z]+-[a-z0-9-]+)\]\(")


def entries(spec: Path) -> dict[str, str]:
    """Return what the specification says of each code, as Markdown."""
    text = (spec / SOURCE).read_text("utf-8")
    return {match["code"]: match["body"].strip() for match in _ENTRY.finditer(text)}


def named(body: str) -> list[str]:
    """Return the clauses that an entry names as those of its code."""
    match = _NAMED.search(body)
    return _CLAUSE_LINK.findall(match["text"]) if match else []


def annotated(text: str, standing: Standing) -> str:
    """Return the chapter on errors with a line under each code: its cases, and who passes them."""
    expecting = _expecting(standing.cases)

    def entry(match: re.Match[str]) -> str:
        head, _, body = match[0].partition("\n")
        summary = standing.asked(match["code"], expecting.get(match["code"], []), here="spec/")
        return f"{head}\n\n{summary}\n{TESTED}\n{body}"

    return _ENTRY.sub(entry, text)


def _expecting(cases: list[Case]) -> dict[str, list[Case]]:
    """Return the cases that expect each code."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        for code in codes(case):
            found.setdefault(code, []).append(case)
    return found


def codes(case: Case) -> set[str]:
    """Return the codes of the errors that a case expects."""
    if case.op != "parse":
        return set()
    outcomes = [case.data["expect"], *case.data["expect"].get("turns", [])]
    events = [event for outcome in outcomes for event in expanded(outcome.get("events", []))]
    return {event["code"] for event in events if event["type"] == "error"}


def as_data(standing: Standing, spec: Path) -> list[dict[str, Any]]:
    """Return the list of codes for programs."""
    expecting = _expecting(standing.cases)
    return [
        {
            "code": code,
            "cause": " ".join(match["text"].split()) if (match := _CAUSE.search(body)) else "",
            "clauses": named(body),
            "cases": [case.id for case in expecting.get(code, [])],
        }
        for code, body in entries(spec).items()
    ]
