# SPDX-License-Identifier: MIT
"""A case, or a clause, explained to someone who asks "is it me or the suite?"."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from cogwire_kit._counted import counted
from cogwire_kit._visible import visible
from cogwire_kit.conformance import questions
from cogwire_kit.conformance.clauses import Clause, clauses
from cogwire_kit.conformance.corpus import Case

#: What `source` says of a case.
SOURCES: Final = {
    "protocol": "an example of the protocol's own documents",
    "decision": "a decision of the specification, where two careful readers would differ",
    "bug": "a bug that parsers of this kind have had",
    "spec": "the clause",
    "limit": "the edge of a limit",
}
_LONG = 2000


def explain(console: Console, name: str, cases: list[Case], place: Path) -> None:
    """Write what the case, or the clause, `name` says.

    Raises:
        LookupError: there is neither.
    """
    known = clauses()
    found = _found(name, cases, known)
    if isinstance(found, Case):
        _explain_case(console, found, known, place)
    else:
        _explain_clause(console, found, cases)


def as_json(name: str, cases: list[Case]) -> dict[str, Any]:
    """Return the case `name` with its clauses, or the clause with its cases; raises as `explain`.

    There are always `clauses` and `cases`, as lists.
    """
    known = clauses()
    found = _found(name, cases, known)
    if isinstance(found, Case):
        of_case = [asdict(known[identity]) for identity in found.data["clauses"]]
        return {"clauses": of_case, "cases": [found.data]}
    return {"clauses": [asdict(found)], "cases": [case.data for case in _testing(found, cases)]}


def _found(name: str, cases: list[Case], known: dict[str, Clause]) -> Case | Clause:
    found = next((case for case in cases if case.id == name), known.get(name))
    if found is None:
        near = [case.id for case in cases if name in case.id][:5]
        hint = (
            f"; perhaps {', '.join(near)}" if near else "; `cogwire conformance list` has them all"
        )
        raise LookupError(f"no case and no clause is called {name!r}{hint}")
    return found


def _testing(clause: Clause, cases: list[Case]) -> list[Case]:
    return [case for case in cases if clause.id in case.data["clauses"]]


def _explain_case(console: Console, case: Case, known: dict[str, Clause], place: Path) -> None:
    data = case.data
    say = _writer(console)
    kind = f"revision {data['revision']}, {data['level']}, {case.dialect}, {case.op}"
    say(f"[bold]{case.id}[/] ({kind})")
    say(escape(data["title"]) + ".")
    say(f"\n[dim]Why it matters[/]\n{escape(data['why'])}")
    classes = json.loads((place / "classes.json").read_text("utf-8"))
    for flag in data["flags"]:
        if flag in classes:
            say(f"  {flag}: {escape(classes[flag]['effect'])}")
    say(f"  from: {SOURCES[data['source']]}")
    say("\n[dim]The clauses[/]")
    for identity in data["clauses"]:
        _clause(console, known[identity])
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
    say(f"\n[dim]To run it[/]\ncogwire conformance run --case {case.id} -- COMMAND")


def _explain_clause(console: Console, clause: Clause, cases: list[Case]) -> None:
    _clause(console, clause)
    testing = _testing(clause, cases)
    say = _writer(console)
    tests = counted(len(testing), "case tests it", "cases test it")
    say(f"\n[dim]{tests}[/]" if testing else "\nNo case tests it.")
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
