# SPDX-License-Identifier: MIT
"""What `cogwire conformance explain` says of a case, a text, a clause or a class of bugs."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from rich.markup import escape

from cogwire_kit.conformance import corpus, formats, judge, questions, turns
from cogwire_kit.conformance.corpus import Case, Class, Clause
from cogwire_kit.conformance.formats import FormatCase, FormatCases
from cogwire_kit.conformance.text_reports import command_of
from cogwire_kit.lint.rules import CODES, PROBLEMS
from cogwire_kit.texts.words import beginning, counted, meant, visible

#: What `source` says of a case.
SOURCES: Final = {
    "protocol": "an example of the protocol's own documents",
    "decision": "a decision of the specification, where two careful readers would differ",
    "bug": "a bug that parsers of this kind have had",
    "spec": "the clause",
    "limit": "the edge of a limit",
}
#: Longer values are not shown whole.
_LONG: Final = 2000
#: So often the request of a growth case that is shown has what is repeated.
_SMALL: Final = 2
#: How many ids that contain the one that is given are named.
_NEAR: Final = 5
_FRESH: Final = (
    "Every run draws {} of them from its seed; the output of the reference is what is expected.\n"
    "The report of a run shows one that fails, with its request and what is expected."
)


@dataclass(frozen=True)
class Explained:
    """What a name means, and what belongs to it: of a clause or a class all that has it."""

    meaning: Case | FormatCase | Clause | Class
    clauses: list[Clause]
    classes: list[Class]
    cases: list[Case]
    #: The texts of formats, each with its format.
    texts: list[tuple[FormatCases, FormatCase]]

    def as_json(self) -> dict[str, Any]:
        """Return it as an object that has `clauses`, `classes` and `cases`, as lists."""
        return {
            "clauses": list(map(asdict, self.clauses)),
            "classes": list(map(asdict, self.classes)),
            "cases": [*(case.data for case in self.cases), *(text.data for _, text in self.texts)],
        }

    def lines(self, place: Path) -> Iterator[str]:
        """Yield it for people, with rich's markup; `place` is where the corpus is."""
        if isinstance(self.meaning, Case):
            return self._of_case(self.meaning)
        if isinstance(self.meaning, FormatCase):
            return self._of_text(self.meaning, place)
        return self._of_several(self.meaning)

    def _of_case(self, case: Case) -> Iterator[str]:
        data = case.data
        kind = f"revision {data['revision']}, {data['level']}, {case.dialect}, {case.op}"
        yield f"[bold]{case.id}[/] ({kind})"
        yield f"{escape(data['title'])}."
        yield _part("Why it matters", escape(data["why"]), *self._effects())
        yield f"  from: {SOURCES[data['source']]}"
        yield _part("The clauses", *map(_clause, self.clauses))
        if "fresh" in data:
            yield _part("Inputs", _FRESH.format(data["fresh"]))
        else:
            yield from _asked(case)
        seed = " --seed SEED" if "fresh" in data else ""
        command = f"cogwire conformance run --case {case.id}{seed} --as-claimed -- COMMAND"
        yield _part("To run it", command)

    def _of_text(self, case: FormatCase, place: Path) -> Iterator[str]:
        ((of, _),) = self.texts
        yield f"[bold]{case.id}[/] (revision {case.revision}, a text of {of.title})"
        yield f"{escape(case.data['title'])}."
        yield from self._effects()
        for member, value in (({"text": case.text} if case.text else {}) | case.options).items():
            yield _part(member, _json(value))
        yield _part("As a request", _json({"id": "1", **case.request(of)}))
        yield from map(_clause, self.clauses)
        why = "we decided so" if case.is_decided else "by the format's template"
        why = "by these clauses" if self.clauses else why
        for outcome in case.outcomes:
            where = {"place": case.data["place"]} if "place" in case.data else {}
            yield _part(f"Expected, {why}", _json({**outcome, **where}))
            why = "or this, which passes too"
        if of.name in formats.names(place):
            page = escape(str(place / "formats" / of.name / "README.md"))
            yield _part("The template, and what was decided", page)
        yield _part("To run it", f"{' '.join(command_of(of.name))} --case {case.id} -- COMMAND")

    def _of_several(self, meaning: Clause | Class) -> Iterator[str]:
        """Yield what a clause or a class says, and which cases and texts have it, or why none."""
        verb, reason = "find", ""
        if isinstance(meaning, Clause):
            yield _clause(meaning)
            verb, reason = "test", corpus.why_untested(meaning.id)
        else:
            effect = escape(meaning.effect)
            yield f"{meaning.id} (class of bugs)\n  {escape(meaning.title)}\n  {effect}"
        if number := len(self.cases):
            titles = (f"{case.id}  {escape(case.data['title'])}" for case in self.cases)
            yield _part(counted(number, f"case {verb}s it", f"cases {verb} it"), *titles)
        elif not self.texts:
            yield f"\nNo case {verb}s it. {escape(reason)}".rstrip()
        if number := len(self.texts):
            ids: dict[str, list[str]] = {}
            for of, case in self.texts:
                ids.setdefault(of.name, []).append(case.id)
            have = counted(number, f"text of a format {verb}s it", f"texts of formats {verb} it")
            yield _part(have, *(f"{name}: {', '.join(each)}" for name, each in ids.items()))

    def _effects(self) -> list[str]:
        return [f"  {each.id}: {escape(each.effect)}" for each in self.classes]


def explained(name: str, cases: list[Case], place: Path) -> Explained:
    """Return what a name in the corpus at `place`, which has these cases, refers to.

    Raises:
        LookupError: no case, text, clause or class is called so.
    """
    clauses, classes = corpus.clauses(), corpus.classes(place)
    for case in cases:
        if case.id == name:
            return Explained(case, *_named_in(case, clauses, classes), [case], [])
    texts = [(of, case) for of in turns.every(place) for case in of.cases]
    for of, text in texts:
        if text.id == name:
            return Explained(text, *_named_in(text, clauses, classes), [], [(of, text)])
    meaning = clauses.get(name) or classes.get(name)
    if meaning is None:
        ids = [*(case.id for case in cases), *(text.id for _, text in texts)]
        hint = _hint(name, ids, [*clauses, *classes])
        raise LookupError(f"no case, clause or class of bugs is called {name!r}; {hint}")
    member = "clauses" if isinstance(meaning, Clause) else "flags"
    return Explained(
        meaning,
        [meaning] if isinstance(meaning, Clause) else [],
        [meaning] if isinstance(meaning, Class) else [],
        [case for case in cases if name in case.data[member]],
        [(of, text) for of, text in texts if name in text.data.get(member, ())],
    )


def _named_in(
    case: Case | FormatCase, clauses: dict[str, Clause], classes: dict[str, Class]
) -> tuple[list[Clause], list[Class]]:
    """Return the clauses and the classes that a case names."""
    flags = [classes[flag] for flag in case.data["flags"] if flag in classes]
    return [clauses[identity] for identity in case.data.get("clauses", ())], flags


def _hint(name: str, ids: list[str], others: list[str]) -> str:
    """Return the known name that an unknown one probably means."""
    if "-fresh-" in name:
        return "it is drawn from the seed of a run, whose report has it, if it does not pass"
    if name in CODES or name in PROBLEMS:
        return f"`cogwire lint --explain {name}` explains this code"
    if near := [each for each in ids if name in each][:_NEAR]:
        return f"did you mean {' or '.join(near)}?"
    return meant(name, [*others, *ids]).rstrip() or "`cogwire conformance list` names the cases"


def _part(title: str, *lines: str) -> str:
    return "\n".join([f"\n[dim]{title}[/]", *lines])


def _clause(clause: Clause) -> str:
    return f"{clause.id} ({clause.page}, {clause.level})\n  {escape(clause.text)}"


def _asked(case: Case) -> Iterator[str]:
    """Yield what a case asks, and what is expected."""
    data = case.data
    for member in ("input", "turns", "options", "request"):
        if member in data:
            yield _part(member.capitalize(), escape(_readable(data[member])))
    yield _part("Expected", *_outcome(data["expect"]))
    for other in data.get("also", []):
        yield f"\n[dim]Or, as {other['clause']} allows[/]: {escape(other['why'])}"
        yield from _outcome(other["expect"])
    for point in data.get("prompt", []):
        yield f"\n[dim]After[/] {escape(_readable(point['after']))}"
        yield from _outcome({"events": point["events"]})
    if "twin" in data:
        yield _part("The nearest valid input", escape(_readable(data["twin"])))
    as_request = "As a request"
    if "growth" in data:
        yield _part("Measured", judge.sizes(data["growth"]))
        as_request = f"{as_request}, with n = {_SMALL}"
        case = Case({**data, "input": corpus.expanded(data["input"], _SMALL)})
    line = questions.command_line(questions.whole(case))
    if len(line) <= _LONG:
        yield _part(as_request, escape(line))


def _outcome(outcome: dict[str, Any]) -> Iterator[str]:
    for name, value in outcome.items():
        if name == "events":
            yield from (f"  {_json(event)}" for event in value)
        else:
            yield f"  {name}: {_json(value)}"


def _json(value: Any) -> str:
    return escape(json.dumps(value, ensure_ascii=False))


def _readable(value: Any) -> str:
    """Return a text unchanged and anything else as JSON, with control characters escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(beginning(text, _LONG))
