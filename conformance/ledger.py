"""The ledger of the corpus: every case that there ever was, with what it asked and expected.

`python -m conformance.ledger` adds what is new.  A line is never changed or taken away:
whoever has passed a case knows by its id and its revision what was passed.
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cogwire_kit.conformance import corpus, formats

#: A case at one of its revisions.
Key = tuple[str, int]
Entries = dict[Key, str]

#: As many digits of a digest as a line has.
DIGITS = 12

#: What decides who passes a case of a dialect, and a text in a format.
OF_A_CASE = (
    *("dialect", "op", "requires", "input", "turns", "options", "request"),
    *("expect", "also", "twin", "prompt", "growth", "level"),
)
OF_A_TEXT = ("text", "requires", "expect", "also")


def read(text: str) -> Entries:
    """Return the digest of each case at each revision."""
    lines = [line.split(" ") for line in text.splitlines()]
    return {(identity, int(revision)): digest for identity, revision, digest in lines}


def written(entries: Entries) -> str:
    """Return the ledger as text: a line for each entry, sorted."""
    lines = [f"{name} {revision} {digest}\n" for (name, revision), digest in entries.items()]
    return "".join(sorted(lines, key=lambda line: (line.split()[0], int(line.split()[1]))))


def present(cases: Iterable[corpus.Case], place: Path = corpus.PLACE) -> Entries:
    """Return the entry of each case, and each text and turn of the formats, as it is now."""
    deciding: dict[Key, Any] = {}
    for case in cases:
        deciding[case.id, case.data["revision"]] = {name: case.data.get(name) for name in OF_A_CASE}
    for name in {*formats.names(place), *formats.shaped(place)}:
        one = formats.load(name, place)
        for text in one.cases:
            if not text.is_shape:
                deciding[text.id, text.revision] = _of_a_text(text, one.tools)
    turns = [
        (case, [described, case["text"], case.get("options"), case["expect"]])
        for described, case in formats.turns(place)
    ]
    turns += (
        (case, [described, case["request"], case["expect"]])
        for described, case in formats.turns(place, formats.WRITTEN)
    )
    for turn, parts in [*turns, *((one, one["description"]) for one in formats.refusals(place))]:
        deciding[turn["id"], turn.get("revision", 1)] = parts
    return {key: _digest(parts) for key, parts in deciding.items()}


def _of_a_text(case: formats.FormatCase, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what decides who passes; of the tools only what is called: a format may get more."""
    called = {call["name"] for outcome in case.outcomes for call in outcome["calls"]}
    kept = {name: case.data.get(name) for name in OF_A_TEXT} | case.options
    return {**kept, "tools": [tool for tool in tools if tool["name"] in called]}


def _digest(deciding: object) -> str:
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:DIGITS]


def faults(entries: Entries, now: Entries, retired: set[str]) -> list[str]:
    """Return what the ledger forbids: ids used again, and changes without a new revision."""
    found = [f"{name} is retired, and there" for name, _ in now if name in retired]
    known = {name for name, _ in entries}
    found += [f"{name} is retired, and never was" for name in retired - known]
    there = {name for name, _ in now}
    found += [f"{name} is gone, and not retired" for name in known - there - retired]
    latest: dict[str, int] = {}
    for name, revision in entries:
        latest[name] = max(revision, latest.get(name, 0))
    for (name, revision), digest in now.items():
        next_revision = latest.get(name, 0) + 1
        if revision not in (next_revision - 1, next_revision):
            found.append(f"{name} has revision {revision}, where {next_revision} is the next")
        elif entries.get((name, revision), digest) != digest:
            found.append(f"{name} is changed: give it revision {next_revision}")
    return sorted(found)


def retired(place: Path = corpus.PLACE) -> set[str]:
    """Return the ids of the cases that were withdrawn."""
    return {case["id"] for case in json.loads((place / "retired.json").read_text("utf-8"))}


def main(place: Path = corpus.PLACE) -> None:
    """Add what is new to the ledger in `place`, or exit with what it forbids."""
    path = place / "ledger.txt"
    entries = read(path.read_text("ascii")) if path.exists() else {}
    now = present(corpus.load(place), place)
    if found := faults(entries, now, retired(place)):
        sys.exit("\n".join(found))
    path.write_text(written(entries | now), "ascii")
    sys.stdout.write(f"{len(now.keys() - entries.keys())} new\n")


if __name__ == "__main__":
    main()
