# SPDX-License-Identifier: MIT
"""A page for each error code: its entry in the specification, and the cases that expect it."""

import re
from pathlib import Path
from typing import Any, Final

from cogwire_kit.conformance.corpus import Case, expanded
from website import links
from website.listing import listing
from website.standing import Standing
from website.text import page, write

_SOURCE: Final = "errors.md"
_ENTRY: Final = re.compile(
    r"^### `(?P<code>[a-z-]+)` \{ #err-(?P=code) \}\n(?P<body>.*?)(?=^###? |\Z)",
    re.DOTALL | re.MULTILINE,
)
_CAUSE: Final = re.compile(r"\*\*Cause\.\*\* (?P<text>.*?)\n\n", re.DOTALL)
_NAMED: Final = re.compile(r"\*\*Clauses\.\*\*(?P<text>.*?)(?=\n\n|\Z)", re.DOTALL)
_CLAUSE_LINK: Final = re.compile(r"\[([a-z]+-[a-z0-9-]+)\]\(")


def entries(spec: Path) -> dict[str, str]:
    """Return what the specification says of each code, as Markdown."""
    text = (spec / _SOURCE).read_text("utf-8")
    return {match["code"]: match["body"].strip() for match in _ENTRY.finditer(text)}


def named(body: str) -> list[str]:
    """Return the clauses that an entry names as those of its code."""
    match = _NAMED.search(body)
    return _CLAUSE_LINK.findall(match["text"]) if match else []


def write_pages(pages: Path, standing: Standing, spec: Path) -> None:
    """Write the page of each code, and of all of them."""
    expecting = _expecting(standing.cases)
    found = entries(spec)
    for code, body in found.items():
        cases = expecting.get(code, [])
        blocks = [
            f"[Errors](../spec/{_SOURCE}#codes) › a `code` of `error` events",
            links.moved(body, _SOURCE, "errors/"),
            "## Cases",
            f"{len(cases)} expect it; most have a twin, the nearest text without the error.",
            listing(cases, standing, here="errors/"),
        ]
        write(pages / links.error(code), page(code, *blocks))


def _expecting(cases: list[Case]) -> dict[str, list[Case]]:
    """Return the cases that expect each code."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        for code in _codes(case):
            found.setdefault(code, []).append(case)
    return found


def _codes(case: Case) -> set[str]:
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
