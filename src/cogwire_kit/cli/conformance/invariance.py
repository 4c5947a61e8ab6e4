# SPDX-License-Identifier: MIT
"""The command `cogwire conformance invariance`: any parser, of any format, held against itself.

Nothing is expected of a text but that the parser gives for it, however it is cut, what it gives for
the whole.  That finds what is lost, doubled or torn at the edges of chunks without a word of what
the format is.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
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
    loaded,
    not_run,
    vocabulary_of,
)
from cogwire_kit.cli.options import exit_codes
from cogwire_kit.conformance import corpus, cuts, formats, terminal
from cogwire_kit.conformance.cuts import Found, Growth, Late
from cogwire_kit.conformance.target import TargetError
from cogwire_kit.texts.words import counted, share, visible

_EXIT_CODES: Final = exit_codes(
    {
        0: "every text gives, however it is cut, what it gives whole",
        1: "some text does not, or has no answer, or no text gives anything",
        2: "wrong usage, or no texts",
        3: "the target cannot be run, or failed too often",
    }
)

_EXAMPLES: Final = """\b
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
    name="invariance",
    epilog=_EXAMPLES + _EXIT_CODES,
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
@cutting
@click.option("--report", metavar="FILE", type=OUTPUT, help="Write what was found as JSON.")
@first_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
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
    """Compare COMMAND's parser with itself: every cut of a text must give what the whole gives.

    Each request is a line, {"id": "…", "op": "parse", "chunks": ["…", …]}, and each reply one,
    {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk gave, and what the end did.  An
    object with one member, a string, is a piece of text, and is joined to the like that follow it;
    anything else is compared as it is.  With --trained, requests and items are those of `cogwire
    conformance format`, and the arguments of calls are compared as JSON values.

    A reply may have `counts`, an object of numbers such as {"characters read": 120}: what the
    parser has counted of its own work.  It must not grow faster than the text.
    """
    if dialect and name:
        raise click.UsageError("--dialect and --trained have different requests: give one")
    request, texts = _asked(dialect, name, place)
    texts = list(dict.fromkeys([*_read(places), *texts]))
    if not texts:
        raise click.UsageError("no texts: give --texts, --trained or --dialect")
    tokens = vocabulary_of(vocabulary)
    form = cuts.of_format if name else cuts.joined
    cut = partial(cuts.ways, seed=seed, vocabulary=tokens, as_bytes=as_bytes)
    errors = terminal.console(stderr=True)
    try:
        with cuts.started(command, request, seed, timeout) as target:
            asking = cuts.Asking(target, request, form, cut)
            shown = track(
                texts, "texts", console=errors, transient=True, disable=not errors.is_terminal
            )
            found = [asking.of(text) for text in shown]
            growth = asking.growth([one.text for one in found if not one.failure])
    except TargetError as problem:
        raise not_run(command, problem) from None
    if report is not None:
        members = {"command": list(command), "seed": seed, "growth": growth.times}
        members |= {"texts": [one.record() for one in found]}
        report.write_text(json.dumps(members, indent=1) + "\n", "utf-8")
    return _write_result(terminal.console(), found, growth, first)


def _asked(dialect: str | None, name: str | None, place: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what every request has, and the texts of the corpus."""
    if name:
        try:
            found = formats.load(name, place)
        except corpus.CorpusError as problem:
            raise click.UsageError(str(problem)) from None
        request = {"op": "parse", "format": name, "tools": found.tools}
        return request, [case.text for case in found.cases]
    if dialect:
        return {"op": "parse", "dialect": dialect}, list(_of_dialect(dialect, place))
    return {"op": "parse"}, []


def _read(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        if place.is_dir():
            yield from _read(sorted(path for path in place.iterdir() if path.is_file()))
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


def _write_result(console: Console, found: list[Found], growth: Growth, first: int) -> int:
    """Write what was found, and return the exit code."""

    def say(line: str, style: str = "") -> None:
        console.print(escape(visible(line)), style=style or None, highlight=False, soft_wrap=True)

    silent = [one for one in found if one.failure]
    if len(silent) == len(found) > 1:
        for line in cuts.unanswered([one.failure for one in found]):
            say(line, "red")
        return 1
    differing = [one for one in found if one.differing]
    for line in chain(_unanswered(silent, first), *map(_difference, differing[:first])):
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
    """Write how many texts give the same, and return the exit code."""
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


def _difference(one: Found) -> Iterator[str]:
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
