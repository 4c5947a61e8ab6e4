# SPDX-License-Identifier: MIT
"""The command `cogwire conformance format`: a parser of a format that models are trained on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from cogwire_kit.cli.conformance.options import (
    OUTPUT,
    corpus_option,
    cutting,
    first_option,
    not_run,
    vocabulary_of,
)
from cogwire_kit.cli.options import exit_codes
from cogwire_kit.conformance import corpus, cuts, formats, terminal
from cogwire_kit.conformance.cuts import Vocabulary
from cogwire_kit.conformance.formats import Format, FormatCase, Message
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.target import Answer, Target, TargetError
from cogwire_kit.texts.words import share, visible

_EXIT_CODES: Final = exit_codes(
    {
        0: "every text is read as expected, whole and however it is cut",
        1: "some text is not, or has no answer",
        2: "wrong usage",
        3: "the target cannot be run, or failed too often",
    }
)

_EXAMPLE: Final = """\b
Example:
  cogwire conformance format hermes -- node adapter.mjs"""

#: What is wrong with a case, in words.
VERDICTS: Final = {
    "right": "whole and in every cut",
    "cuts": "whole, but not in every cut",
    "wrong": "not even whole",
}


@dataclass
class Reading:
    """How a parser reads one text."""

    case: FormatCase
    #: What the whole gives, or why it gives nothing.
    whole: Message | str
    outcome: int | None
    cuts: int = 0
    #: The cuts that give anything else than the outcome, each with what it gives.
    differing: list[tuple[Chunks, Message | str]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        return "wrong" if self.outcome is None else "cuts" if self.differing else "right"

    def record(self) -> dict[str, Any]:
        """Return what a report says of the case."""
        members = {
            "id": self.case.id,
            "revision": self.case.revision,
            "verdict": self.verdict,
            "basis": self.case.data["basis"],
        }
        members |= {"cuts": self.cuts, "differing": len(self.differing)}
        if self.outcome is None:
            return {**members, "gives": _shown(self.whole)}
        if self.differing:
            chunks, other = self.differing[0]
            return {**members, "chunks": chunks, "gives": _shown(other)}
        return members


@click.command(
    name="format",
    epilog=_EXAMPLE + _EXIT_CODES,
    short_help="Test a parser of a format that models are trained on.",
)
@click.argument("name")
@click.option("--case", "only", metavar="ID", multiple=True, help="Read this text alone.")
@click.option(
    "--without", metavar="PART", multiple=True, help="A part that is not read: reasoning."
)
@corpus_option
@cutting
@click.option("--report", metavar="FILE", type=OUTPUT, help="Write what was found as JSON.")
@first_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def format_(
    name: str,
    command: tuple[str, ...],
    only: tuple[str, ...],
    without: tuple[str, ...],
    place: Path,
    *,
    seed: int,
    timeout: float,
    vocabulary: Path | None,
    report: Path | None,
    first: int,
) -> int:
    """Test COMMAND's parser of the format NAME with texts in it, whole and cut.

    Each request is a line, {"id": "…", "op": "parse", "format": NAME, "tools": […], "chunks": […]},
    and each reply one, {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk gave, and what
    the end did, as items {"reasoning": "…"}, {"content": "…"}, {"call": "the name"} and
    {"arguments": …}, which are those of the last call: an object, or pieces of its JSON.
    """
    try:
        found = formats.load(name, place)
    except corpus.CorpusError as problem:
        raise click.UsageError(str(problem)) from None
    cases = _chosen(found, only, without)
    tokens = vocabulary_of(vocabulary)
    errors = terminal.console(stderr=True)
    request = {"op": "parse", "format": name, "tools": found.tools}
    try:
        with cuts.started(command, request, seed, timeout) as target:
            shown = track(
                cases, name, console=errors, transient=True, disable=not errors.is_terminal
            )
            silent = _silent(target, request, cases)
            readings = silent or [_read(target, request, case, seed, tokens) for case in shown]
    except TargetError as problem:
        raise not_run(command, problem) from None
    if report is not None:
        members: dict[str, Any] = {
            "format": name,
            "corpus": corpus.version(place, formats.files(name, place)),
            "without": list(without),
        }
        members |= {"command": list(command), "cases": [one.record() for one in readings]}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    return _write_result(terminal.console(), found, readings, first)


def _chosen(found: Format, only: tuple[str, ...], without: tuple[str, ...]) -> list[FormatCase]:
    if unknown := sorted(set(only) - {case.id for case in found.cases}):
        raise click.UsageError(f"{found.name} has no case {', '.join(unknown)}")
    parts = {part for case in found.cases for part in case.data.get("requires", ())}
    if unknown := sorted(set(without) - parts):
        raise click.UsageError(f"--without {unknown[0]}: no case requires it")
    return [
        case
        for case in found.cases
        if (not only or case.id in only) and not set(without) & set(case.data.get("requires", ()))
    ]


def _silent(target: Target, request: dict[str, Any], cases: list[FormatCase]) -> list[Reading]:
    """Return readings without cuts if no text of several has an answer, and else none."""
    found: list[Reading] = []
    for case in cases if len(cases) > 1 else ():
        whole = _message(target.ask({**request, "chunks": [case.text]}), 1)
        if isinstance(whole, Message):
            return []
        found.append(Reading(case, whole, None))
    return found


def _read(
    target: Target,
    request: dict[str, Any],
    case: FormatCase,
    seed: int,
    vocabulary: Vocabulary | None,
) -> Reading:
    """Ask for a text whole, and cut in every way in which cases of a dialect are."""
    whole = _message(target.ask({**request, "chunks": [case.text]}), 1)
    reading = Reading(case, whole, None if isinstance(whole, str) else case.outcome(whole))
    ways = cuts.ways(case.text, seed, vocabulary, name=case.id)
    reading.cuts = len(ways)
    for place, answer in target.ask_all({**request, "chunks": chunks} for chunks in ways):
        message = _message(answer, len(ways[place]))
        outcome = None if isinstance(message, str) else case.outcome(message)
        # Where the format leaves more than one open, all cuts are to come to the same.
        if outcome is None or outcome != (outcome if reading.outcome is None else reading.outcome):
            reading.differing.append((ways[place], message))
    reading.differing.sort(key=lambda pair: len(pair[0]))
    return reading


def _message(answer: Answer, chunks: int) -> Message | str:
    feeds = cuts.fed(answer, chunks)
    if isinstance(feeds, str):
        return feeds
    return formats.message(one for feed in feeds for one in feed)


def _shown(message: Message | str) -> Any:
    return message if isinstance(message, str) else message.shown()


def _write_result(console: Console, found: Format, readings: list[Reading], first: int) -> int:
    """Write what differs, and how much is right, and return the exit code."""

    def say(line: str, style: str = "") -> None:
        console.print(escape(visible(line)), style=style or None, highlight=False, soft_wrap=True)

    wrong = [one for one in readings if one.verdict != "right"]
    if len(readings) > 1 and all(isinstance(one.whole, str) for one in readings):
        for line in cuts.unanswered([str(one.whole) for one in readings]):
            say(line, "red")
        return 1
    for one in wrong[:first]:
        for line in _difference(one):
            say(line, "red" if line.startswith("\n") else "")
    if len(wrong) > first:
        say(f"\n{len(wrong) - first:,} more; --first {len(wrong)} shows all of them.")
    say("")
    for line in totals(found, readings):
        say(line, "red" if wrong else "green")
    return 1 if wrong else 0


def _difference(one: Reading) -> Iterator[str]:
    why = "we decided" if one.case.is_decided else "by the template"
    yield f"\n{one.case.id}: {one.case.data['title']} ({why}; {', '.join(one.case.data['flags'])})"
    if one.outcome is None:
        yield f"  read {VERDICTS['wrong']}: {terminal.with_cuts([one.case.text])}"
        other = one.whole
    else:
        chunks, other = one.differing[0]
        number = share(len(one.differing), one.cuts, "cut", "differs", "differ")
        yield f"  {number}; the least: {terminal.with_cuts(chunks)}"
    expected = (
        one.case.data["expect"] if not one.outcome else one.case.data["also"][one.outcome - 1]
    )
    shown = _shown(other)
    if isinstance(shown, str):
        yield f"  {shown}"
        return
    for part in ("reasoning", "content", "calls"):
        wanted, given = expected.get(part, []), shown.get(part, [])
        if wanted is not None and wanted != given:
            yield f"  - {part} {json.dumps(wanted, ensure_ascii=False)}"
            yield f"  + {part} {json.dumps(given, ensure_ascii=False)}"


def totals(found: Format, readings: list[Reading]) -> Iterator[str]:
    """Yield how many texts are read right, by what the expectation is on."""
    for is_decided, words in ((False, "by the template"), (True, "where we decided")):
        those = [one for one in readings if one.case.is_decided is is_decided]
        if those:
            right = sum(one.verdict == "right" for one in those)
            whole = sum(one.outcome is not None for one in those)
            read = share(right, len(those), "text", "is read", "are read")
            yield f"{found.name}, {words}: {read} as expected in every cut, {whole} in one piece"
    differing = sum(len(one.differing) for one in readings)
    yield share(differing, sum(one.cuts for one in readings), "cut", "differs", "differ")
