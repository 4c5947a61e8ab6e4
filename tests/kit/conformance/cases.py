"""The cases of the corpus, file by file, and what they expect."""

import json
import re
from functools import cache

from cogwire_kit.conformance import corpus
from tests.rows import rows

CASES = corpus.load()
#: The ops that read what may be wrong; the others take events, and an error may be one of them.
READING = ("parse", "from_messages")
DIALECTS = ("xml-json", "xml-elements", "delimiter", "delimiter-upper")


@cache
def cases_of(path):
    return [corpus.Case(data) for data in json.loads(path.read_text("utf-8"))]


def named(path):
    return f"{path.parent.name}/{path.stem}"


each_file = rows("path", corpus.case_files())


def judge(problems):
    """Fail with what was found, a line for each."""
    found = list(problems)
    assert not found, "\n".join(["", *found])


def outcomes(case):
    """Return what the case expects and what else it allows, of growth at the small size."""
    size = case.data.get("growth", {}).get("small", 0)
    expected = [case.data["expect"], *(other["expect"] for other in case.data.get("also", []))]
    return [corpus.expanded(one, size) for one in expected]


def turns(outcome):
    return outcome.get("turns", [outcome])


def events(case):
    """Return the events that the case expects to be read."""
    if case.op not in READING:
        return []
    return [event for turn in turns(outcomes(case)[0]) for event in turn.get("events", [])]


def errors(case):
    return [event for event in events(case) if event["type"] == "error"]


@cache
def dialects_of_codes():
    """Return the dialects that can give each error, as the page on errors has them."""
    page = (corpus.PAGES / "errors.md").read_text("utf-8")
    listed = re.findall(r"^\| \[`([\w-]+)`\]\(#err-\1\) \| .* \| (.*) \|$", page, re.MULTILINE)
    return {code: _dialects_in(where) for code, where in listed}


def _dialects_in(where):
    if where in ("all", "transcripts"):
        return set(DIALECTS)
    if where.startswith("all but "):
        return set(DIALECTS) - {where.removeprefix("all but ")}
    return set(where.split(", "))
