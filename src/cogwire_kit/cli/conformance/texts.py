# SPDX-License-Identifier: MIT
"""The commands for parsers of any format: `cogwire conformance format` and `… invariance`.

The first expects what is right for the texts of a format that models are trained on.  The second
compares a parser with itself: however a text is cut, it must produce what the whole text does.
That finds what is lost, doubled or split at the edges of chunks, without a description of the
format.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from cogwire_kit.cli.conformance import terminal
from cogwire_kit.cli.conformance.options import (
    OUTPUT,
    Testing,
    corpus_option,
    cutting,
    first_option,
    loaded,
    not_run,
    vocabulary_of,
)
from cogwire_kit.cli.options import adding, exit_codes
from cogwire_kit.conformance import corpus, cuts, formats
from cogwire_kit.conformance.cuts import Found, Growth, Late, Vocabulary
from cogwire_kit.conformance.formats import Format, FormatCase, Message
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.target import Answer, Target, TargetError
from cogwire_kit.texts.words import counted, share, visible

_T = TypeVar("_T")

_cutting: Final = adding(
    cutting,
    click.option("--report", metavar="FILE", type=OUTPUT, help="Write what was found as JSON."),
    first_option,
    click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED),
)


def _format(name: str, place: Path) -> tuple[Format, dict[str, Any]]:
    """Return a format, and what every request for its texts has: its name, or its description."""
    if not name.endswith(".json"):
        found = formats.load(name, place)
        return found, {"op": "parse", "format": name, "tools": found.tools}
    found, description = formats.described(Path(name), place)
    return found, {"op": "parse", "format": description, "tools": found.tools}


@contextmanager
def _started(
    command: tuple[str, ...], request: dict[str, Any], seed: int, timeout: float
) -> Iterator[Target]:
    try:
        with cuts.started(command, request, seed, timeout) as target:
            yield target
    except TargetError as problem:
        raise not_run(command, problem) from None


def _shown_as_asked(asked: Sequence[_T], name: str) -> Iterable[_T]:
    """Return what is asked, and show on a terminal how far that is."""
    errors = terminal.console(stderr=True)
    return track(asked, name, console=errors, transient=True, disable=not errors.is_terminal)


def _say(console: Console, line: str, style: str = "") -> None:
    console.print(escape(visible(line)), style=style or None, highlight=False, soft_wrap=True)


# --- Texts of a format ----------------------------------------------------------------------------

_FORMAT_CODES: Final = exit_codes(
    {
        0: "every text is read as expected, whole and however it is cut",
        1: "some text is not, or has no answer",
        2: "wrong usage",
        3: "the target cannot be run, or failed too often",
    }
)

_FORMAT_EXAMPLE: Final = """\b
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
    cls=Testing,
    name="format",
    epilog=_FORMAT_EXAMPLE + _FORMAT_CODES,
    short_help="Test a parser of a format that models are trained on.",
)
@click.argument("name")
@click.option("--case", "only", metavar="ID", multiple=True, help="Read this text alone.")
@click.option(
    "--without", metavar="PART", multiple=True, help="A part that is not read: reasoning."
)
@corpus_option
@_cutting
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

    NAME is a format of the corpus, or a file with a description, whose name ends with .json: the
    texts are then written from the description, which each request has in place of the name.

    Each request is a line, {"id": "…", "op": "parse", "format": NAME, "tools": […], "chunks": […]},
    and each reply one, {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk gave, and what
    the end did, as items {"reasoning": "…"}, {"content": "…"}, {"call": "the name"} and
    {"arguments": …}, which are those of the last call: an object, or pieces of its JSON.
    """
    found, request = _format(name, place)
    cases = _chosen(found, only, without)
    tokens = vocabulary_of(vocabulary)
    with _started(command, request, seed, timeout) as target:
        readings = _silent(target, request, cases)
        if not readings:
            asked = _shown_as_asked(cases, name)
            readings = [_reading(target, request, case, seed, tokens) for case in asked]
    if report is not None:
        members: dict[str, Any] = {
            "format": name,
            "corpus": corpus.version(place, formats.files(name, place)),
            "without": list(without),
        }
        members |= {"command": list(command), "cases": [one.record() for one in readings]}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    return _write_readings(terminal.console(), found, readings, first)


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
        asked = {**request, **case.options, "chunks": [case.text]}
        whole = _message(target.ask(asked), 1)
        if isinstance(whole, Message):
            return []
        found.append(Reading(case, whole, None))
    return found


def _reading(
    target: Target,
    request: dict[str, Any],
    case: FormatCase,
    seed: int,
    vocabulary: Vocabulary | None,
) -> Reading:
    """Ask for a text whole, and cut in every way in which cases of a dialect are."""
    request = {**request, **case.options}
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


def _write_readings(console: Console, found: Format, readings: list[Reading], first: int) -> int:
    """Write what differs, and how much is right, and return the exit code."""
    say = partial(_say, console)
    wrong = [one for one in readings if one.verdict != "right"]
    if len(readings) > 1 and all(isinstance(one.whole, str) for one in readings):
        for line in cuts.unanswered([str(one.whole) for one in readings]):
            say(line, "red")
        return 1
    for one in wrong[:first]:
        for line in _differing_reading(one):
            say(line, "red" if line.startswith("\n") else "")
    if len(wrong) > first:
        say(f"\n{len(wrong) - first:,} more; --first {len(wrong)} shows all of them.")
    say("")
    for line in totals(found, readings):
        say(line, "red" if wrong else "green")
    return 1 if wrong else 0


def _differing_reading(one: Reading) -> Iterator[str]:
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


# --- Texts of any parser --------------------------------------------------------------------------

_TEXTS_CODES: Final = exit_codes(
    {
        0: "every text produces the same however it is cut",
        1: "some text does not, or has no answer, or no text produces anything",
        2: "wrong usage, or no texts",
        3: "the target cannot be run, or failed too often",
    }
)

_TEXTS_EXAMPLES: Final = """\b
Examples:
  cogwire conformance invariance --texts recorded/ -- node adapter.mjs
  cogwire conformance invariance --trained hermes -- node adapter.mjs
  cogwire conformance invariance --dialect xml-json -- cogwire adapter"""

#: Of the corpus, texts up to here are taken.
_LONGEST: Final = 2000
_SHOWN: Final = 300
#: For twice the text there may be so many times as much.
_GROWTH: Final = 3


@click.command(
    cls=Testing,
    name="invariance",
    epilog=_TEXTS_EXAMPLES + _TEXTS_CODES,
    short_help="Compare a parser of any format with itself.",
)
@click.option(
    "--texts",
    "places",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="A text, a folder of them, or JSON Lines of strings (*.jsonl).",
)
@click.option("--dialect", help="Take the inputs of this dialect from the corpus.")
@click.option(
    "--trained",
    "name",
    metavar="NAME",
    help="Take the texts of this format, which models are trained on, from the corpus; requests "
    "have its name and its tools.",
)
@corpus_option
@click.option("--bytes", "as_bytes", is_flag=True, help="Cut bytes, too, as `chunks_b64`.")
@_cutting
def invariance(
    command: tuple[str, ...],
    places: tuple[Path, ...],
    dialect: str | None,
    name: str | None,
    place: Path,
    *,
    as_bytes: bool,
    vocabulary: Path | None,
    seed: int,
    timeout: float,
    report: Path | None,
    first: int,
) -> int:
    """Compare COMMAND's parser with itself: each cut of a text must produce what the whole does.

    Each request is a line, {"id": "…", "op": "parse", "chunks": ["…", …]}, and each reply one,
    {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk produced, and what the end did.
    An object with one member, a string, is a piece of text, and is joined to the like that follow
    it; anything else is compared as it is.  With --trained, requests and items are those of
    `cogwire conformance format`, and the arguments of calls are compared as JSON values.

    A reply may have `counts`, an object of numbers such as {"characters read": 120}: what the
    parser has counted of its own work.  It must not grow faster than the text.
    """
    if dialect and name:
        raise click.UsageError("--dialect and --trained have different requests: name one of them")
    request, texts = _asked(dialect, name, place)
    texts = list(dict.fromkeys([*_texts_in(places), *texts]))
    if not texts:
        raise click.UsageError("there are no texts: name some with --texts, --trained or --dialect")
    tokens = vocabulary_of(vocabulary)
    form = cuts.of_format if name else cuts.joined
    cut = partial(cuts.ways, seed=seed, vocabulary=tokens, as_bytes=as_bytes)
    with _started(command, request, seed, timeout) as target:
        asking = cuts.Asking(target, request, form, cut)
        found = [asking.of(text) for text in _shown_as_asked(texts, "texts")]
        growth = asking.growth([one.text for one in found if not one.failure])
    if report is not None:
        members = {"command": list(command), "seed": seed, "growth": growth.times}
        members |= {"texts": [one.record() for one in found]}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    return _write_found(terminal.console(), found, growth, first)


def _asked(dialect: str | None, name: str | None, place: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what every request has, and the texts of the corpus."""
    if name:
        found, request = _format(name, place)
        return request, [case.text for case in found.cases]
    if dialect:
        return {"op": "parse", "dialect": dialect}, list(_of_dialect(dialect, place))
    return {"op": "parse"}, []


def _texts_in(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        if place.is_dir():
            yield from _texts_in(sorted(path for path in place.iterdir() if path.is_file()))
        else:
            try:
                text = place.read_bytes().decode("utf-8")
                texts = map(json.loads, text.splitlines()) if place.suffix == ".jsonl" else [text]
                yield from (_text(one) for one in texts)
            except ValueError as problem:
                raise click.UsageError(f"{place}: {problem}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a line is not a string")  # noqa: TRY004 - it is about the file
    return value


def _of_dialect(dialect: str, place: Path) -> Iterator[str]:
    for case in loaded(place):
        if case.dialect == dialect and case.op == "parse" and not case.options:
            text = case.input if isinstance(case.data.get("input"), str) else ""
            if isinstance(text, str) and 0 < len(text) <= _LONGEST:
                yield text


def _write_found(console: Console, found: list[Found], growth: Growth, first: int) -> int:
    """Write what was found, and return the exit code."""
    say = partial(_say, console)
    silent = [one for one in found if one.failure]
    if len(silent) == len(found) > 1:
        for line in cuts.unanswered([one.failure for one in found]):
            say(line, "red")
        return 1
    differing = [one for one in found if one.differing]
    for line in chain(_unanswered(silent, first), *map(_differing_text, differing[:first])):
        say(line, "red" if line.startswith("\n") else "")
    if len(differing) > first:
        say(f"{len(differing) - first:,} more; --first {len(differing)} shows all of them.")
    for line in _lateness(found, first):
        say(line, "yellow" if line.startswith("\n") else "")
    for name, times in sorted(growth.times.items()):
        grows = times > _GROWTH
        if grows or name != cuts.OUTPUT:
            label = "\ngrows: " if grows else ""
            say(
                f"{label}for twice the text, {times:.1f} times the {name}",
                "yellow" if grows else "",
            )
    if growth.failure:
        say(f"\ngrows: no answer for a longer text: {growth.failure}", "red")
    return _total(found, say) or int(bool(growth.failure))


def _total(found: list[Found], say: Callable[[str, str], None]) -> int:
    """Write how many texts produce the same for all cuts, and return the exit code."""
    cuts = sum(one.cuts for one in found)
    different = sum(len(one.differing) for one in found)
    right = sum(not one.is_wrong for one in found)
    is_empty = not any(one.whole or one.is_wrong for one in found)
    is_good = right == len(found) and not is_empty
    same = share(right, len(found), "text", "gives", "give")
    but = f"; {different:,} differ" if different else ""
    but += "; nothing is given for any of them" if is_empty else ""
    say(f"{same} the same for all of {counted(cuts, 'cut')}{but}", "green" if is_good else "red")
    return 0 if is_good else 1


def _unanswered(silent: list[Found], first: int) -> Iterator[str]:
    """Yield why texts have no answer: each reason once, with a text."""
    whys: dict[str, list[str]] = {}
    for one in silent:
        whys.setdefault(one.failure, []).append(one.text)
    for why, texts in list(whys.items())[:first]:
        many = f" for {len(texts):,} texts, such as" if len(texts) > 1 else ""
        yield f"\nno answer{many}: {terminal.one_line(texts[0])[:_SHOWN]}"
        yield f"  {why}"
    if len(whys) > first:
        yield f"{counted(len(whys) - first, 'more reason')}; --first {len(whys)} shows all of them."


def _differing_text(one: Found) -> Iterator[str]:
    chunks, given = one.differing[0]
    yield f"\n{share(len(one.differing), one.cuts, 'cut', 'differs', 'differ')}; the least:"
    yield f"  {terminal.with_cuts(chunks)}"
    other = [given] if isinstance(given, str) else given
    yield from (f"  {line}" for line in terminal.compared(one.whole, other))


def _lateness(found: list[Found], first: int) -> Iterator[str]:
    """Yield what arrived later than it could."""
    late = [(one, item) for one in found for item in one.late]
    for one, item in late[:first]:
        yield f"\nlate: {_when(item)}: {json.dumps(item.item, ensure_ascii=False)[:_SHOWN]}"
        yield f"  {terminal.one_line(one.text)[:_SHOWN]}"
    if len(late) > first:
        more = counted(len(late) - first, "more is", "more are")
        yield f"{more} late; --first {len(late)} shows all of them."
    short = [one for one in found if one.short is not None]
    if short:
        texts, after = len(short), short[0].short or 0
        yield (
            f"\nlate: {counted(texts, 'text')}; after {counted(after, 'character')}, single ones "
            "have given less than one chunk"
        )
        yield f"  {terminal.one_line(short[0].text)[:_SHOWN]}"
    given = [one for one in found if one.whole]
    if given and all(one.is_at_close for one in given):
        yield "\nlate: nothing is given before the end"


def _when(late: Late) -> str:
    arrived = "at the end" if late.came is None else f"at {late.came}"
    return f"complete at character {late.complete}, came {arrived}"
