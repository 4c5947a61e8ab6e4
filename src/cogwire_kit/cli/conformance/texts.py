# SPDX-License-Identifier: MIT
"""The commands for parsers of any format: `cogwire conformance format` and `… invariance`.

The first expects what is right for the texts of a format that models are trained on.  The second
compares a parser with itself, which needs no description of the format: however a text is cut, it
must produce what the whole text does.
"""

import fnmatch
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console

from cogwire_kit.cli.conformance import shown, terminal
from cogwire_kit.cli.conformance.options import (
    Testing,
    badge_option,
    baseline_option,
    command_argument,
    corpus_option,
    drawn,
    failed_option,
    first_option,
    junit_option,
    loaded,
    not_run,
    seed_option,
    timeout_option,
    vocabulary_of,
)
from cogwire_kit.cli.conformance.run import write_outputs
from cogwire_kit.cli.files import keep_files
from cogwire_kit.cli.options import OUTPUT, adding, choice_option, exit_codes, file_option
from cogwire_kit.conformance import (
    baseline,
    causes,
    corpus,
    formats,
    fresh,
    readings,
    text_reports,
)
from cogwire_kit.conformance.formats import Format, FormatCase
from cogwire_kit.conformance.grouping import by_cause
from cogwire_kit.conformance.invariance import (
    COUNTED,
    Asking,
    Growth,
    comparison,
    joined,
    of_format,
    record,
    text_case,
)
from cogwire_kit.conformance.readings import Late, Reader, Reading
from cogwire_kit.conformance.target import Answer, Target, TargetError
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.texts.words import counted, meant, share

_T = TypeVar("_T")

#: The options of commands that compare every cut of a text with the whole.
_cutting: Final = adding(
    timeout_option,
    file_option(
        "--vocabulary",
        "vocabulary",
        "Cut into tokens, too: of a tokenizer.json of Hugging Face (BPE or Unigram), or of a plain "
        "list, one JSON string a line.",
    ),
    file_option("--report", "report", "Write what was found as JSON.", OUTPUT),
    first_option,
    command_argument,
)


def _format(name: str, place: Path, seed: int | None = None) -> tuple[Format, dict[str, Any]]:
    """Return a format, and what every request for its texts has: its name, or its description.

    With a seed, it has fresh texts, too.
    """
    description: dict[str, Any] | None
    if name.endswith(".json"):
        found, description = formats.described(Path(name), place)
        request = {"op": "parse", "format": description, "tools": found.tools}
    else:
        found, description = formats.load(name, place), formats.description(name, place)
        request = {"op": "parse", "format": name, "tools": found.tools}
    if seed is None:
        return found, request
    of_seed = fresh.of_format(found, request, description, seed)
    return replace(found, cases=[*found.cases, *of_seed]), request


@contextmanager
def _started(
    command: tuple[str, ...], request: dict[str, Any], seed: int, timeout: float
) -> Iterator[tuple[Target, Answer]]:
    try:
        with readings.started(command, request, seed, timeout) as started:
            yield started
    except TargetError as problem:
        raise not_run(command, problem) from None


# --- Texts of a format ----------------------------------------------------------------------------

_FORMAT_CODES: Final = exit_codes(
    {
        0: "every text is read as expected, whole and however it is cut, or is known not to be",
        1: "some text is not, or has no answer, or an entry of the baseline does not hold",
        2: "wrong usage",
        3: "the target cannot be run, answers nothing, or failed too often",
    }
)

_FORMAT_EXAMPLE: Final = """\b
Example:
  cogwire conformance format hermes -- node adapter.mjs"""


@click.command(
    cls=Testing,
    name="format",
    epilog=_FORMAT_EXAMPLE + _FORMAT_CODES,
    short_help="Test a parser of a format that models are trained on.",
)
@click.argument("name")
@click.option(
    "--case",
    "only",
    metavar="ID",
    multiple=True,
    help="Read the text with this id, or those that a pattern such as '*-string' matches; may be "
    "given several times.",
)
@failed_option
@baseline_option
@click.option(
    "--without", metavar="PART", multiple=True, help="A part that is not read: reasoning."
)
@choice_option(
    "--markers",
    readings.MARKERS,
    "Whether markers that are tokens of the models are cut like any text, or only counted where "
    "they are cut.",
)
@junit_option
@badge_option
@seed_option
@corpus_option
@_cutting
def format_(
    name: str,
    command: tuple[str, ...],
    only: tuple[str, ...],
    without: tuple[str, ...],
    place: Path,
    *,
    failed: Path | None,
    known: Path | None,
    report: Path | None,
    junit_file: Path | None,
    badge_file: Path | None,
    first: int,
    **how: Any,
) -> int:
    """Test COMMAND's parser of the format NAME with texts in it, whole and cut.

    NAME is a format of the corpus, or a file with a description, whose name ends with .json: the
    texts are then written from the description, which each request has in place of the name.

    Each request is a line, {"id": "…", "op": "parse", "format": NAME, "tools": […], "chunks": […]},
    and each reply one, {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk gave, and what
    the end did, as items {"reasoning": "…"}, {"content": "…"}, {"call": "the name"} and
    {"arguments": …}, which are those of the last call: an object, or pieces of its JSON.  With an
    `index`, the last two are of the call with this index.

    An adapter is also sent what its first reply names in `takes` (spec/conformance.md, on formats).
    """
    keep_files([failed, known, name], report=report, junit=junit_file, badge=badge_file)
    if how["seed"] is None and failed is not None:
        how["seed"] = text_reports.load(failed).run.get("seed", 0)
    how["seed"] = drawn(how["seed"])
    found, request = _format(name, place, how["seed"])
    cases = _chosen(found, only, without)
    if failed is not None:
        names = text_reports.failing(failed, name)
        cases = [case for case in cases if case.id in names]
        if not cases:
            reason = f"{failed}: no text of {found.name} that is asked failed"
            raise corpus.UnusableError(reason)
    entries = [] if known is None else baseline.read(known, is_of_texts=True)
    made = {
        "format": name,
        "corpus": corpus.version(place, formats.files(name, place)),
        "without": list(without),
        "command": list(command),
        **_asked(command, found, request, cases, formats.markers(name, place), **how),
    }
    if report is not None:
        text_reports.write(report, made)
    judged = TextReport.of(made)
    judged.unasked = len(found.cases) - len(judged.cases)
    everywhere = {one["case"] for one in entries if formats.case_named(one["case"], place)}
    everywhere.update(case.id for case in found.cases)
    judged.end["baseline"] = baseline.apply(entries, judged.cases, everywhere)
    write_outputs(judged, None, {"junit": junit_file, "badge": badge_file})
    return shown.write(terminal.console(), judged, first)


def _asked(
    command: tuple[str, ...],
    found: Format,
    request: dict[str, Any],
    cases: list[FormatCase],
    marks: list[str],
    *,
    markers: str,
    timeout: float,
    vocabulary: Path | None,
    seed: int,
) -> dict[str, Any]:
    """Ask a parser for texts, and return what a report says of it and of them."""
    known = vocabulary_of(vocabulary)
    how: dict[str, Any] = {"markers": markers, "seed": seed, "vocabulary": known}
    how["known"] = marks
    greeting = {**request, "protocol": formats.PROTOCOL}
    with _started(command, greeting, seed, timeout) as (target, answer):
        target.limits.failures = readings.FAILURES * len(cases)
        takes = readings.takes(answer)
        reader = Reader(target, request, tokens=found.tokens, taken=takes, **how)
        asked = [case for case in cases if reader.asks(case)]
        read, stopped = _read(reader, asked, readings.chosen(asked, seed))
    is_silent = len(read) > 1 and all(isinstance(one.whole, str) for one in read)
    left_out = Counter(", ".join(case.options) for case in cases if not reader.asks(case))
    given = [one.is_at_close for one in read if one.is_at_close is not None]
    at_close = len(given) if all(given) else 0
    for one in read if at_close else ():
        # It reads whole texts, of which nothing comes late by itself.
        one.late = None
    return {
        "takes": sorted(takes),
        "markers": markers,
        "seed": seed,
        "vocabulary": str(vocabulary or ""),
        "left_out": {} if is_silent else left_out,
        "stopped": stopped,
        "at_close": at_close,
        "cases": [_record(one, marks) for one in read],
    }


def _read(
    reader: Reader, cases: list[FormatCase], beside: list[FormatCase]
) -> tuple[list[Reading], str]:
    """Return how texts are read, each beside another, and why that is not known of all, if so.

    If no text of several has an answer, none is cut.
    """
    found: list[Reading] = []
    try:
        whole = map(reader.whole, cases)
        found += takewhile(lambda one: isinstance(one.whole, str), whole)
        if len(found) == len(cases) > 1:
            return found, ""
        found.clear()
        pairs = list(zip(cases, beside, strict=True))
        for each in terminal.followed(pairs, lambda pair: pair[0].id or pair[0].text):
            found.append(reader.read(*each))
    except TargetError as problem:
        return found, str(problem)
    return found, ""


def _chosen(found: Format, only: tuple[str, ...], without: tuple[str, ...]) -> list[FormatCase]:
    ids = [case.id for case in found.cases]
    named = {pattern: set(fnmatch.filter(ids, pattern)) for pattern in only}
    if unknown := [pattern for pattern, those in named.items() if not those]:
        hint = f"; {meant(unknown[0], ids)}".rstrip("; ")
        raise click.UsageError(f"{found.name} has no case {', '.join(unknown)}{hint}")
    parts = {part for case in found.cases for part in case.data.get("requires", ())}
    if unknown := sorted(set(without) - parts):
        raise click.UsageError(f"--without {unknown[0]}: no case requires it")
    return [
        case
        for case in found.cases
        if (not only or case.id in set().union(*named.values()))
        and not set(without) & set(case.data.get("requires", ()))
    ]


def _record(one: Reading, markers: list[str]) -> dict[str, Any]:
    """Return what a report says of a text, with the cause of what differs."""
    record = one.record()
    is_right = one.verdict == "right"
    return record if is_right else {**record, "cause": causes.of_reading(one, markers)}


# --- Texts of any parser --------------------------------------------------------------------------

_TEXTS_CODES: Final = exit_codes(
    {
        0: "every text produces the same however it is cut",
        1: "some text does not, or has no answer, or no text produces anything",
        2: "wrong usage, or no texts",
        3: "the target cannot be run, answers nothing, or failed too often",
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
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="The seed of random cuts."
)
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
    request, texts = _of_corpus(dialect, name, place)
    cases = [text_case(text) for text in dict.fromkeys([*_texts_in(places), *texts])]
    if not cases:
        raise click.UsageError("there are no texts: name some with --texts, --trained or --dialect")
    how: dict[str, Any] = {"seed": seed, "vocabulary": vocabulary_of(vocabulary)}
    compared = comparison(of_format if name else joined)
    with _started(command, request, seed, timeout) as (target, _):
        asking = Asking(target, request, compared, as_bytes=as_bytes, **how)
        found, stopped = _read(asking, cases, cases)
        growth = Growth() if stopped else asking.growth(found)
    if report is not None:
        members = {"command": list(command), "seed": seed, "growth": growth.times}
        members |= {"texts": list(map(record, found))}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    code = _write_found(terminal.console(), found, growth, first)
    return shown.stopped(terminal.console(), stopped) or code


def _of_corpus(
    dialect: str | None, name: str | None, place: Path
) -> tuple[dict[str, Any], list[str]]:
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


def _write_found(console: Console, found: list[Reading], growth: Growth, first: int) -> int:
    """Write what was found, and return the exit code."""
    say = partial(terminal.say, console)
    silent = [one for one in found if one.outcome is None]
    if len(silent) == len(found) > 1:
        return shown.unanswered(console, [one.whole for one in silent])
    for lines, style in (
        (_examples(silent, lambda one: one.whole, first, _unanswered), "red"),
        (_examples([one for one in found if one.differing], _cause, first, _differing), "red"),
        (_lateness(found, first), "yellow"),
    ):
        for line in lines:
            say(line, style if line.startswith("\n") else "")
    for name, times in sorted(growth.times.items()):
        grows = times > _GROWTH
        if grows or name != COUNTED:
            label = "\ngrows: " if grows else ""
            text = f"{label}for twice the text, {times:.1f} times the {name}"
            say(text, "yellow" if grows else "")
    if growth.failure:
        say(f"\ngrows: no answer for a longer text: {growth.failure}", "red")
    return _total(found, say) or int(bool(growth.failure))


def _total(found: list[Reading], say: Callable[[str, str], None]) -> int:
    """Write how many texts produce the same for all cuts, and return the exit code."""
    cuts = sum(one.cuts for one in found)
    different = sum(len(one.differing) for one in found)
    right = sum(one.verdict == "right" for one in found)
    is_empty = all(one.verdict == "right" and not one.whole for one in found)
    is_good = right == len(found) and not is_empty
    same = share(right, len(found), "text", "gives", "give")
    but = f"; {different:,} differ" if different else ""
    but += "; nothing is given for any of them" if is_empty else ""
    say(f"{same} the same for all of {counted(cuts, 'cut')}{but}", "green" if is_good else "red")
    for line in shown.unasked(sum(one.unasked for one in found)):
        say(line, "yellow")
    return 0 if is_good else 1


def _examples(
    found: Iterable[_T],
    cause: Callable[[_T], str],
    first: int,
    lines: Callable[[str, list[_T]], Iterator[str]],
    noun: str = "text",
) -> Iterator[str]:
    """Yield lines about the first groups of what was found, the largest first."""
    groups = by_cause(found, cause)
    for group in groups[:first]:
        yield from lines(*group)
    yield from terminal.more([len(those) for _, those in groups], first, noun)


def _cause(one: Reading) -> str:
    return causes.of_items(one.whole, one.differing[0].given)


def _unanswered(why: str, those: list[Reading]) -> Iterator[str]:
    """Yield why texts have no answer: each reason once, with a text."""
    many = f" for {len(those):,} texts, such as" if those[1:] else ""
    yield f"\nno answer{many}: {_beginning(those[0])}"
    yield f"  {why}"


def _differing(title: str, those: list[Reading]) -> Iterator[str]:
    """Yield what differs in texts for one cause, and the shortest of them."""
    one = min(those, key=lambda found: len(found.case.text))
    least = one.differing[0]
    many = f" in {len(those):,} texts, such as this" if those[1:] else ""
    number = share(len(one.differing), one.cuts, "cut", "differs", "differ")
    yield f"\n{title}{many}: {number}; the least:"
    yield f"  {terminal.with_cuts(least.chunks)}"
    other = [least.given] if isinstance(least.given, str) else least.given
    yield from (f"  {line}" for line in terminal.compared(one.whole, other))


def _lateness(found: list[Reading], first: int) -> Iterator[str]:
    """Yield what arrived later than it could."""
    late = [(one, item) for one in found for item in one.slow]
    yield from _examples(late, lambda pair: causes.of_late(pair[1]), first, _late, "late item")
    if short := [one for one in found if one.short is not None]:
        texts, after = counted(len(short), "text"), counted(short[0].short or 0, "character")
        yield f"\nlate: {texts}; after {after}, single ones have given less than one chunk"
        yield f"  {_beginning(short[0])}"
    given = [one.is_at_close for one in found if one.is_at_close is not None]
    if given and all(given):
        yield "\nlate: nothing is given before the end"


def _late(title: str, those: list[tuple[Reading, Late]]) -> Iterator[str]:
    one, item = min(those, key=lambda pair: len(pair[0].case.text))
    yield f"\nlate: {item.when}: {json.dumps(item.item, ensure_ascii=False)[:_SHOWN]}"
    yield f"  {_beginning(one)}"
    if those[1:]:
        texts = len({found.case.text for found, _ in those})
        yield f"  {title}: {counted(len(those), 'item')} in {counted(texts, 'text')}"


def _beginning(one: Reading) -> str:
    return terminal.one_line(one.case.text)[:_SHOWN]
