# SPDX-License-Identifier: MIT
"""The commands for parsers of any format: `cogwire conformance format` and `… invariance`.

The first expects what is right for the texts of a format that models are trained on.  The second
compares a parser with itself, which needs no description of the format: however a text is cut, it
must produce what the whole text does.
"""

import fnmatch
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from cogwire_kit.cli.conformance import shown, terminal
from cogwire_kit.cli.conformance.options import (
    Testing,
    badge_option,
    baseline_option,
    command_argument,
    corpus_option,
    cutting,
    drawn,
    failed_option,
    first_option,
    junit_option,
    loaded,
    not_run,
    seed_option,
    vocabulary_of,
)
from cogwire_kit.cli.files import keep_files
from cogwire_kit.cli.options import OUTPUT, adding, choice_option, exit_codes, file_option
from cogwire_kit.conformance import (
    baseline,
    causes,
    corpus,
    cuts,
    formats,
    forms,
    fresh,
    readings,
    text_reports,
)
from cogwire_kit.conformance.cuts import Found, Growth
from cogwire_kit.conformance.formats import Format, FormatCase, Message
from cogwire_kit.conformance.readings import Reading
from cogwire_kit.conformance.target import Answer, Target, TargetError
from cogwire_kit.texts.words import counted, meant, share

_cutting: Final = adding(
    cutting,
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
        with cuts.started(command, request, seed, timeout) as started:
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

#: How often an adapter may fail for each text.
_FAILURES: Final = 2 * (readings.DEATHS + 1)

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
        how["seed"] = text_reports.required(failed).get("seed", 0)
    how["seed"] = drawn(how["seed"])
    found, request = _format(name, place, how["seed"])
    cases = _chosen(found, only, without)
    if failed is not None:
        names = text_reports.failing(failed, name)
        if not names:
            click.echo(f"{failed}: nothing failed")
            return 0
        cases = _among(cases, names, f"{failed}: no text of {found.name} that is asked failed")
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
    everywhere = {one["case"] for one in entries if formats.case_named(one["case"], place)}
    everywhere.update(case.id for case in found.cases)
    accepted, problems = baseline.of_texts(made, entries, everywhere)
    if junit_file is not None:
        junit_file.write_text(forms.junit_of_texts(made, accepted, problems), "utf-8")
    if badge_file is not None:
        badge_file.write_text(forms.badge_of_texts(found, made, accepted), "utf-8")
    console = terminal.console()
    code = shown.write(console, made, first, accepted)
    for problem in problems:
        terminal.say(console, problem, "red")
    return 3 if made["stopped"] else code or int(bool(problems))


def _among(cases: list[FormatCase], names: Collection[str], why_none: str) -> list[FormatCase]:
    """Return the cases with these names; if there are none, raise `UnusableError`."""
    if found := [case for case in cases if case.id in names]:
        return found
    raise corpus.UnusableError(why_none)


def _asked(
    command: tuple[str, ...],
    found: Format,
    request: dict[str, Any],
    cases: list[FormatCase],
    marks: list[str],
    *,
    markers: str,
    seed: int,
    timeout: float,
    vocabulary: Path | None,
) -> dict[str, Any]:
    """Ask a parser for texts, and return what a report says of it and of them."""
    tokens = vocabulary_of(vocabulary)
    greeting = {**request, "protocol": formats.PROTOCOL}
    with _started(command, greeting, seed, timeout) as (target, answer):
        target.limits.failures = _FAILURES * len(cases)
        takes = readings.takes(answer)
        how: dict[str, Any] = {
            "markers": markers,
            "seed": seed,
            "vocabulary": tokens,
            "known": marks,
        }
        reader = readings.Reader(target, request, found.tokens, takes, **how)
        read, stopped = _read(reader, [case for case in cases if reader.asks(case)], seed)
        is_silent = len(read) > 1 and all(isinstance(one.whole, str) for one in read)
        left_out = {} if is_silent else _left_out(cases, reader)
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
        "left_out": left_out,
        "stopped": stopped,
        "at_close": at_close,
        "cases": [_record(one, marks) for one in read],
    }


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


def _left_out(cases: Sequence[FormatCase], reader: readings.Reader) -> dict[str, int]:
    """Return how many texts the adapter is not asked, by the members of requests that they need."""
    return Counter(", ".join(case.options) for case in cases if not reader.asks(case))


def _read(reader: readings.Reader, cases: list[FormatCase], seed: int) -> tuple[list[Reading], str]:
    """Return how the texts are read, and why that is not known of all of them, if so."""
    found: list[Reading] = []
    try:
        if _is_silent(reader, cases, found):
            return found, ""
        found.clear()
        pairs = list(zip(cases, readings.chosen(cases, seed), strict=True))
        for case, beside in terminal.followed(pairs, lambda pair: pair[0].id):
            found.append(reader.read(case, beside))
    except TargetError as problem:
        return found, str(problem)
    return found, ""


def _is_silent(reader: readings.Reader, cases: list[FormatCase], found: list[Reading]) -> bool:
    """Ask for whole texts until one has an answer; say whether none of several has one."""
    for case in cases if len(cases) > 1 else ():
        whole = reader.whole(case)
        if isinstance(whole, Message):
            return False
        found.append(Reading(case, whole, None))
    return bool(found)


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
    texts = list(dict.fromkeys([*_texts_in(places), *texts]))
    if not texts:
        raise click.UsageError("there are no texts: name some with --texts, --trained or --dialect")
    tokens = vocabulary_of(vocabulary)
    form = cuts.of_format if name else cuts.joined
    cut = partial(cuts.ways, seed=seed, vocabulary=tokens, as_bytes=as_bytes)
    with _started(command, request, seed, timeout) as (target, _):
        asking = cuts.Asking(target, request, form, cut)
        found = [asking.of(text) for text in terminal.followed(texts, str)]
        growth = asking.growth([one.text for one in found if not one.failure])
    if report is not None:
        members = {"command": list(command), "seed": seed, "growth": growth.times}
        members |= {"texts": [one.record() for one in found]}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    return _write_found(terminal.console(), found, growth, first)


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


def _write_found(console: Console, found: list[Found], growth: Growth, first: int) -> int:
    """Write what was found, and return the exit code."""
    say = partial(terminal.say, console)
    silent = [one for one in found if one.failure]
    if len(silent) == len(found) > 1:
        for line in cuts.unanswered([one.failure for one in found]):
            say(line, "red")
        return 3
    for line in _unanswered(silent, first):
        say(line, "red" if line.startswith("\n") else "")
    differing = [one for one in found if one.differing]
    groups = causes.grouped(differing, lambda one: causes.of_items(one.whole, one.differing[0][1]))
    for title, those in groups[:first]:
        for line in _differing_text(title, those):
            say(line, "red" if line.startswith("\n") else "")
    if len(groups) > first:
        say(f"{counted(len(groups) - first, 'more group')}; --first {len(groups)} shows all.")
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


def _differing_text(title: str, those: list[Found]) -> Iterator[str]:
    """Yield what differs in texts for one cause, and the shortest of them."""
    one = min(those, key=lambda found: len(found.text))
    chunks, given = one.differing[0]
    many = f" in {len(those):,} texts, such as this" if those[1:] else ""
    number = share(len(one.differing), one.cuts, "cut", "differs", "differ")
    yield f"\n{title}{many}: {number}; the least:"
    yield f"  {terminal.with_cuts(chunks)}"
    other = [given] if isinstance(given, str) else given
    yield from (f"  {line}" for line in terminal.compared(one.whole, other))


def _lateness(found: list[Found], first: int) -> Iterator[str]:
    """Yield what arrived later than it could."""
    late = [(one, item) for one in found for item in one.late]
    groups = causes.grouped(late, lambda pair: causes.of_late(pair[1]))
    for title, those in groups[:first]:
        one, item = min(those, key=lambda pair: len(pair[0].text))
        yield f"\nlate: {item.when}: {json.dumps(item.item, ensure_ascii=False)[:_SHOWN]}"
        yield f"  {terminal.one_line(one.text)[:_SHOWN]}"
        if those[1:]:
            texts = len({found.text for found, _ in those})
            yield f"  {title}: {counted(len(those), 'item')} in {counted(texts, 'text')}"
    if len(groups) > first:
        more = sum(len(those) for _, those in groups[first:])
        yield (
            f"{counted(len(groups) - first, 'more group')} with {counted(more, 'late item')}; "
            f"--first {len(groups)} shows an example of each."
        )
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
