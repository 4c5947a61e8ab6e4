# SPDX-License-Identifier: MIT
"""A page for each topic: its cases, what each asks, what is expected, why, and who passes it."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from cogwire_kit.cli.conformance.explaining import SOURCES
from cogwire_kit.conformance import corpus, questions
from cogwire_kit.conformance.corpus import Case
from website import links, permalink
from website.clauses import Clauses
from website.standing import Implementation, Standing, failing
from website.text import code, escaped, fence, folded, json_line, page, prose, table, write

#: A longer request is not shown: its line would be no help.
_LONGEST_REQUEST: Final = 2000
#: Only a page with more cases is folded.
_FEW: Final = 10
#: A longer member has a block of its own.
_SHORT: Final = 60


def write_pages(pages: Path, standing: Standing, known: Clauses, place: Path) -> None:
    """Write the page of each topic, and of all of them."""
    topics = {
        path: [Case(data) for data in corpus.array(path)] for path in corpus.case_files(place)
    }
    write(pages / "cases.md", _index(topics))
    for path, cases in topics.items():
        dialect, name = path.parent.name, path.stem
        write(pages / links.topic(dialect, name), _topic(dialect, name, cases, standing, known))


def _index(topics: dict[Path, list[Case]]) -> str:
    total = sum(map(len, topics.values()))
    blocks = [
        (
            f"The corpus has {total:,} cases, each of which is a request with the answer of a "
            "conforming implementation. [Conformance](spec/conformance.md) defines what a case is "
            "and how it is run, the [results](matrix.md) show who passes which, and the "
            "[downloads](downloads.md) contain all of them."
        )
    ]
    for dialect, paths in groupby(topics, key=lambda path: path.parent.name):
        rows = []
        for path in paths:
            cases = topics[path]
            ops = ", ".join(sorted({case.op for case in cases}))
            link = f"[{_words(path.stem)}]({links.topic(dialect, path.stem)})"
            rows.append((link, str(len(cases)), ops))
        blocks += [f"## {dialect}", table(("topic", "cases", "ops"), rows)]
    return page("Cases", *blocks)


def _words(topic: str) -> str:
    return topic.replace("-", " ")


def _topic(dialect: str, name: str, cases: list[Case], standing: Standing, known: Clauses) -> str:
    blocks = [
        f"[Cases](../../cases.md) › {dialect}",
        (
            f"{len(cases)} conformance case{'s' * (len(cases) != 1)} of {dialect} on the topic "
            f"“{_words(name)}”: the input, what is expected and why, and who passes them."
        ),
        _listing(cases, standing),
        folded("cases") if len(cases) > _FEW else "",
        *(_case(case, standing, known) for case in cases),
    ]
    return page(f"Cases of {dialect}: {_words(name)}", *blocks, leaf=True)


def _listing(cases: list[Case], standing: Standing) -> str:
    asked = [one for one in standing.implementations if one.tally(cases)[1]]
    rows = []
    for case in cases:
        link = f"[{prose(case.data['title'])}](#{case.id})"
        rows.append((link, case.data["level"], *(_verdict(one, case) for one in asked)))
    return table(("case", "level", *(one.name for one in asked)), rows)


def _verdict(one: Implementation, case: Case) -> str:
    verdict = one.verdict(case)
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def _case(case: Case, standing: Standing, known: Clauses) -> str:
    data = case.data
    blocks = [
        f"## {escaped(data['title'])} {{ #{case.id} }}",
        f"`{case.id}`, {data['level']}, {case.op}, revision {data['revision']}",
        *_asked(case),
        *_expected(case),
        f"**Why.** {prose(data['why'])} Source: {SOURCES[data['source']]}.",
        *_effects(case, known),
        *(known.quoted(identity, "cases/x/") for identity in data["clauses"]),
        _results(case, standing),
        *_findings(case, standing),
        fence(f"cogwire conformance run --case {case.id} --as-claimed -- COMMAND", "console"),
    ]
    if "growth" not in data:
        line = questions.command_line(questions.whole(case))
        if len(line) <= _LONGEST_REQUEST:
            blocks += [
                "As a line of the [adapter protocol](../../spec/adapter.md):",
                fence(line),
            ]
    return "\n\n".join(filter(None, blocks))


def _asked(case: Case) -> Iterator[str]:
    data = case.data
    if "input" in data:
        yield "**Input**"
        yield _shown(data["input"])
    if "growth" in data:
        growth = data["growth"]
        yield (
            f"In two sizes, where *n* is {growth['small']:,} and {growth['large']:,}, in chunks of "
            f"{_characters(growth['chunk'])}: the time must not grow much faster than the input."
        )
    for member in ("turns", "request"):
        if member in data:
            yield f"**{member.capitalize()}**"
            yield _members(data[member])
    if case.options:
        chosen = (f"{name} {code(json_line(value))}" for name, value in case.options.items())
        yield f"With {', '.join(chosen)}."
    if link := permalink.of(case):
        yield f"[Open it in the playground](../../playground/index.md{link})"


def _characters(count: int) -> str:
    return f"{count:,} character{'' if count == 1 else 's'}"


def _shown(value: Any) -> str:
    return fence(value) if isinstance(value, str) else fence(json_line(value), "json")


def _members(value: Any) -> str:
    """Return the members of a request, or the turns of an input, each readable by itself."""
    if isinstance(value, list):
        return "\n\n".join(_shown(element) for element in value)
    return "\n\n".join(f"{code(name)}\n\n{_long(member)}" for name, member in value.items())


def _expected(case: Case) -> Iterator[str]:
    data = case.data
    yield "**Expected**"
    yield _outcome(data["expect"])
    for other in data.get("also", []):
        yield f"Or, as `{other['clause']}` allows: {prose(other['why'])}"
        yield _outcome(other["expect"])
    for point in data.get("prompt", []):
        yield "**After a part of it:** when this much has arrived"
        yield _shown(point["after"])
        yield "the token stream has produced"
        yield fence("\n".join(map(json_line, point["events"])), "json")
    if "twin" in data:
        yield "**The nearest valid input**, which produces no error"
        twin = data["twin"]
        yield _shown(twin) if isinstance(twin, str) else _members(twin)


def _outcome(outcome: dict[str, Any]) -> str:
    """Return the members of a reply: the events first, short ones together on a line."""
    blocks, short = [], []
    if "events" in outcome:
        blocks.append(fence("\n".join(map(json_line, outcome["events"])), "json"))
    for name, value in outcome.items():
        if name != "events":
            if len(json_line(value)) <= _SHORT:
                short.append(f"{code(name)} {code(json_line(value))}")
            else:
                blocks.append(f"{code(name)}\n\n{_long(value)}")
    return "\n\n".join([*blocks, ", ".join(short)])


def _long(value: Any) -> str:
    if isinstance(value, list):
        return fence("\n".join(map(json_line, value)), "json")
    return _shown(value)


def _effects(case: Case, known: Clauses) -> Iterator[str]:
    rows = [
        f"- [{escaped(known.classes[flag]['title'])}](../../{links.bug(flag)}): "
        f"{prose(known.classes[flag]['effect'])}"
        for flag in case.data["flags"]
        if flag in known.classes
    ]
    if rows:
        yield "Parsers that fail it have one of these bugs:"
        yield "\n".join(rows)


def _results(case: Case, standing: Standing) -> str:
    """Return the verdicts in one line, with the properties that fail."""
    results = []
    for one in standing.implementations:
        found = one.record(case)
        if found is None:
            continue
        names = ", ".join(failing(found)) if found["verdict"] != "unsupported" else ""
        results.append(f"{one.name} {_verdict(one, case)}{f' ({names})' if names else ''}")
    return f"**Results.** {' · '.join(results)}"


def _findings(case: Case, standing: Standing) -> Iterator[str]:
    for one in standing.implementations:
        found = one.record(case) or {"properties": {}}
        for name, seen in found["properties"].items():
            finding = seen.get("finding")
            if finding and finding["actual"]:
                schedule, message = finding["schedule"], finding["message"]
                yield f"{one.name} on `{name}`, {escaped(schedule)}: {escaped(message)}"
