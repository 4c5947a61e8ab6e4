# SPDX-License-Identifier: MIT
"""A case, a clause or a class of bugs, for someone who asks "is it me or the suite?"."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from cogwire_kit.conformance import questions
from cogwire_kit.conformance.clauses import Clause, clauses
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.texts.words import counted, meant, visible

#: What `source` says of a case.
SOURCES: Final = {
    "protocol": "an example of the protocol's own documents",
    "decision": "a decision of the specification, where two careful readers would differ",
    "bug": "a bug that parsers of this kind have had",
    "spec": "the clause",
    "limit": "the edge of a limit",
}
_LONG = 2000
_FRESH: Final = (
    "Every run draws {} of them from its seed; the output of the reference is what is expected.\n"
    "The report of a run shows one that fails, with its request and what is expected."
)


@dataclass(frozen=True)
class Class:
    """A class of bugs, and what users suffer from it."""

    id: str
    title: str
    effect: str


@dataclass(frozen=True)
class _Known:
    """All that has a name."""

    cases: list[Case]
    clauses: dict[str, Clause]
    classes: dict[str, Class]


def explain(console: Console, name: str, cases: list[Case], place: Path) -> None:
    """Write what the case, the clause or the class of bugs `name` of the corpus in `place` says.

    Raises:
        LookupError: there is none of them.
    """
    known = _known(cases, place)
    found = _found(name, known)
    if isinstance(found, Case):
        _explain_case(console, found, known)
    else:
        _explain_listed(console, found, cases)


def as_json(name: str, cases: list[Case], place: Path) -> dict[str, Any]:
    """Return the case `name` with its clauses and classes, or one of these with its cases.

    There are always `clauses`, `classes` and `cases`, as lists.  It raises as `explain` does.
    """
    known = _known(cases, place)
    found = _found(name, known)
    if isinstance(found, Case):
        of_case = [asdict(known.clauses[identity]) for identity in found.data["clauses"]]
        flags = [asdict(known.classes[f]) for f in found.data["flags"] if f in known.classes]
        return {"clauses": of_case, "classes": flags, "cases": [found.data]}
    lists: dict[str, Any] = {"clauses": [], "classes": []}
    lists["clauses" if isinstance(found, Clause) else "classes"].append(asdict(found))
    return {**lists, "cases": [case.data for case in _testing(found, cases)]}


def _known(cases: list[Case], place: Path) -> _Known:
    classes = json.loads((place / "classes.json").read_text("utf-8"))
    named = {name: Class(name, one["title"], one["effect"]) for name, one in classes.items()}
    return _Known(cases, clauses(), named)


def _found(name: str, known: _Known) -> Case | Clause | Class:
    cases = known.cases
    named = known.clauses.get(name) or known.classes.get(name)
    found = next((case for case in cases if case.id == name), named)
    if found is None:
        near = [case.id for case in cases if name in case.id][:5]
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        hint = hint or meant(name, [*known.clauses, *known.classes, *(case.id for case in cases)])
        hint = f"; {hint.rstrip() or '`cogwire conformance list` has them all'}"
        raise LookupError(f"no case, clause or class of bugs is called {name!r}{hint}")
    return found


def _testing(found: Clause | Class, cases: list[Case]) -> list[Case]:
    member = "clauses" if isinstance(found, Clause) else "flags"
    return [case for case in cases if found.id in case.data[member]]


def _explain_case(console: Console, case: Case, known: _Known) -> None:
    data = case.data
    say = _writer(console)
    kind = f"revision {data['revision']}, {data['level']}, {case.dialect}, {case.op}"
    say(f"[bold]{case.id}[/] ({kind})")
    say(escape(data["title"]) + ".")
    say(f"\n[dim]Why it matters[/]\n{escape(data['why'])}")
    for flag in data["flags"]:
        if flag in known.classes:
            say(f"  {flag}: {escape(known.classes[flag].effect)}")
    say(f"  from: {SOURCES[data['source']]}")
    say("\n[dim]The clauses[/]")
    for identity in data["clauses"]:
        _clause(console, known.clauses[identity])
    if "fresh" in data:
        say(f"\n[dim]Inputs[/]\n{_FRESH.format(data['fresh'])}")
    else:
        _explain_outcome(console, case)
    seed = " --seed SEED" if "fresh" in data else ""
    say(f"\n[dim]To run it[/]\ncogwire conformance run --case {case.id}{seed} -- COMMAND")


def _explain_outcome(console: Console, case: Case) -> None:
    data = case.data
    say = _writer(console)
    if "input" in data:
        say("\n[dim]Input[/]")
        say(escape(_shown(data["input"])))
    for member in ("turns", "options", "request"):
        if member in data:
            say(f"\n[dim]{member.capitalize()}[/]\n{escape(_shown(data[member]))}")
    say("\n[dim]Expected[/]")
    _outcome(console, data["expect"])
    for other in data.get("also", []):
        say(f"\n[dim]Or, as {other['clause']} allows[/]: {escape(other['why'])}")
        _outcome(console, other["expect"])
    for point in data.get("prompt", []):
        say(f"\n[dim]After[/] {escape(_shown(point['after']))}")
        _outcome(console, {"events": point["events"]})
    if "twin" in data:
        say(f"\n[dim]The nearest valid input[/]\n{escape(_shown(data['twin']))}")
    if "growth" not in data:
        line = questions.command_line(questions.whole(case))
        if len(line) <= _LONG:
            say(f"\n[dim]As a request[/]\n{escape(line)}")


def _explain_listed(console: Console, found: Clause | Class, cases: list[Case]) -> None:
    """Write what a clause or a class says, and the cases that have it."""
    say = _writer(console)
    verb = "test"
    if isinstance(found, Clause):
        _clause(console, found)
    else:
        verb = "find"
        say(f"{found.id} (class of bugs)\n  {escape(found.title)}\n  {escape(found.effect)}")
    testing = _testing(found, cases)
    tests = counted(len(testing), f"case {verb}s it", f"cases {verb} it")
    say(f"\n[dim]{tests}[/]" if testing else f"\nNo case {verb}s it.")
    for case in testing:
        say(f"{case.id}  {escape(case.data['title'])}")


def _clause(console: Console, clause: Clause) -> None:
    _writer(console)(f"{clause.id} ({clause.page}, {clause.level})\n  {escape(clause.text)}")


def _outcome(console: Console, outcome: dict[str, Any]) -> None:
    say = _writer(console)
    for name, value in outcome.items():
        if name == "events":
            for event in value:
                say(f"  {escape(json.dumps(event, ensure_ascii=False))}")
        else:
            say(f"  {name}: {escape(json.dumps(value, ensure_ascii=False))}")


def _shown(value: Any) -> str:
    """Return a text as it is, and anything else as JSON, with nothing that acts on a terminal."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(text if len(text) <= _LONG else f"{text[:_LONG]}…")


def _writer(console: Console) -> Any:
    def say(markup: str) -> None:
        console.print(markup, highlight=False, soft_wrap=True)

    return say
