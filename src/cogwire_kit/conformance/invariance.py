# SPDX-License-Identifier: MIT
"""The command `cogwire conformance invariance`: any parser, of any format, held against itself.

Nothing is expected of a text but that the parser gives for it, however it is cut, what it gives for
the whole.  That finds what is lost, doubled or torn at the edges of chunks without a word of what
the format is.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.markup import escape

from cogwire_kit._visible import visible
from cogwire_kit.conformance import questions, terminal
from cogwire_kit.conformance.options import (
    HarnessError,
    corpus_option,
    cutting,
    first_option,
    loaded,
)
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.target import Answer, Failure, Limits, Target, TargetError

_EXIT_CODES: Final = """

\b
Exit codes:
  0    every text gives, however it is cut, what it gives whole
  1    some text does not, or has no answer
  2    wrong usage, or no texts
  3    the target cannot be run, or failed too often"""

_EXAMPLES: Final = """\b
Examples:
  cogwire conformance invariance --texts recorded/ -- node adapter.mjs
  cogwire conformance invariance --dialect xml-json -- cogwire adapter"""

#: Of the corpus, texts up to here are taken.
_LONGEST: Final = 2000
_SHOWN: Final = 300
#: What four copies of a text give in single characters may be so many times what two give.
_GROWTH: Final = 3


@dataclass
class Found:
    """What came of one text."""

    text: str
    whole: list[Any] = field(default_factory=list)
    #: Why it has no answer, if so.
    failure: str = ""
    cuts: int = 0
    #: The cuts that differ, the least first, each with what it gives.
    differing: list[tuple[Chunks, Any]] = field(default_factory=list)
    #: After how many characters less is known in single characters than in one chunk.
    late: int | None = None
    is_at_close: bool = False


@click.command(name="invariance", epilog=_EXAMPLES + _EXIT_CODES)
@click.option(
    "--texts",
    "places",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="A text, a folder of them, or JSON Lines of strings (*.jsonl).",
)
@click.option("--dialect", help="Take the inputs of this dialect from the corpus.")
@corpus_option
@click.option("--bytes", "as_bytes", is_flag=True, help="Cut bytes, too, as `chunks_b64`.")
@cutting
@first_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def invariance(
    command: tuple[str, ...],
    places: tuple[Path, ...],
    dialect: str | None,
    place: Path,
    *,
    as_bytes: bool,
    seed: int,
    timeout: float,
    first: int,
) -> int:
    """Hold COMMAND's parser against itself: the whole must give what every cut gives.

    Each request is a line, {"id": "…", "op": "parse", "chunks": ["…", …]}, and each reply one,
    {"id": "…", "feeds": [[…], …], "close": […]}: what each chunk gave, and what the end did.  An
    object with one member, a string, is a piece of text, and is joined to the like that follow it;
    anything else is compared as it is.
    """
    texts = list(dict.fromkeys([*_read(places), *_of_corpus(dialect, place)]))
    if not texts:
        raise click.UsageError("no texts: give --texts or --dialect")
    request = {"op": "parse", "dialect": dialect} if dialect else {"op": "parse"}
    try:
        with Target(list(command), Limits(reply=timeout), seed, greets=False) as target:
            asking = _Asking(target, request, seed, as_bytes=as_bytes)
            found = [asking.of(text) for text in texts]
            growth = asking.growth(max(texts, key=len))
    except TargetError as problem:
        raise HarnessError(visible(f"{command[0]}: {problem}")) from None
    return _told(terminal.console(), found, growth, first)


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
        raise ValueError("a line is no string")  # noqa: TRY004 - it is about the file
    return value


def _of_corpus(dialect: str | None, place: Path) -> Iterator[str]:
    for case in loaded(place) if dialect else ():
        if case.dialect == dialect and case.op == "parse" and not case.options:
            text = case.input if isinstance(case.data.get("input"), str) else ""
            if isinstance(text, str) and 0 < len(text) <= _LONGEST:
                yield text


class _Asking:
    """Asks a target for texts, cut in many ways."""

    def __init__(
        self, target: Target, request: dict[str, Any], seed: int, *, as_bytes: bool
    ) -> None:
        self._target = target
        self._request = request
        self._rng = random.Random(seed)  # noqa: S311 - cuts, not keys
        self._as_bytes = as_bytes

    def of(self, text: str) -> Found:
        """Return what comes of one text."""
        found = Found(text)
        whole = self._ask([text])
        if isinstance(whole, str):
            found.failure = whole
            return found
        found.whole = _joined(whole)
        ways = list(self._ways(text))
        found.cuts = len(ways)
        answers = self._target.ask_all(map(self._question, ways))
        singles: list[Any] = []
        for place, answer in answers:
            chunks, given = ways[place], fed(answer, len(ways[place]))
            if isinstance(given, str) or _joined(given) != found.whole:
                found.differing.append((chunks, given))
            elif len(chunks) == len(text):
                singles = given
                found.is_at_close = bool(found.whole) and not any(given[:-1])
            elif len(chunks) == 2 and singles and found.late is None:
                size = len(chunks[0])
                is_late = len(_joined(singles[:size])) < len(_joined(given[:1]))
                found.late = size if is_late else None
        found.differing.sort(key=lambda pair: len(pair[0]))
        if found.differing:
            found.differing[0] = self._least(*found.differing[0], found.whole)
        return found

    def _ways(self, text: str) -> Iterator[Chunks]:
        """Yield how a text is cut: into single characters, at each place, at random, as bytes."""
        size = len(text)
        yield questions.cut(text, range(1, size))
        every = range(1, size)
        is_short = size <= questions.EVERY_CUT
        places = every if is_short else sorted(self._rng.sample(every, questions.SOME_CUTS))
        yield from (questions.cut(text, [place]) for place in places)
        for _ in range(questions.RANDOM_CUTS if size > 2 else 0):
            number = self._rng.randint(1, min(size - 1, 40))
            yield questions.cut(text, sorted(self._rng.sample(every, number)))
        if self._as_bytes:
            data = text.encode("utf-8")
            yield questions.cut(data, range(1, len(data)))

    def _question(self, chunks: Chunks) -> dict[str, Any]:
        return {**self._request, **questions.sent(chunks)}

    def _ask(self, chunks: Chunks) -> list[Any] | str:
        return fed(self._target.ask(self._question(chunks)), len(chunks))

    def _least(self, chunks: Chunks, given: Any, whole: list[Any]) -> tuple[Chunks, Any]:
        """Take cuts away for as long as the rest still differ."""
        place = 1
        while place < len(chunks) and len(chunks) > 2:
            fewer = questions.joined(chunks, place)
            now = self._ask(fewer)
            if isinstance(now, str) or _joined(now) != whole:
                chunks, given = fewer, now
            else:
                place += 1
        return chunks, given

    def growth(self, text: str) -> float:
        """Return how many times what two copies of a text give four give, in single characters."""
        sizes = []
        for copies in (2, 4):
            given = self._ask(questions.cut(text * copies, range(1, len(text) * copies)))
            sizes.append(len(json.dumps(given)))
        return sizes[1] / sizes[0]


def fed(answer: Answer, chunks: int) -> list[Any] | str:
    """Return what each chunk and the end gave, or in words why that cannot be said."""
    if isinstance(answer, Failure):
        return f"{answer.kind}: {answer.message}"
    feeds, close = answer.members.get("feeds"), answer.members.get("close")
    is_right = isinstance(feeds, list) and all(isinstance(one, list) for one in feeds)
    if not is_right or not isinstance(close, list) or len(feeds or ()) != chunks:
        told = {name: value for name, value in answer.members.items() if name != "id"}
        return f"no reply with {chunks} feeds and a close: {json.dumps(told)[:_SHOWN]}"
    return [*(feeds or ()), close]


def _joined(given: list[Any]) -> list[Any]:
    """Return all that was given, with pieces of text joined to one, and none that is empty."""
    whole: list[Any] = []
    for one in (one for feed in given for one in feed):
        if not (isinstance(one, dict) and len(one) == 1):
            whole.append(one)
            continue
        ((name, piece),) = one.items()
        if not isinstance(piece, str):
            whole.append(one)
        elif whole and isinstance(whole[-1], dict) and list(whole[-1]) == [name]:
            whole[-1] = {name: whole[-1][name] + piece}
        elif piece:
            whole.append({name: piece})
    return whole


def _told(console: Console, found: list[Found], growth: float, first: int) -> int:
    """Write what was found, and return the exit code."""

    def say(line: str, style: str = "") -> None:
        console.print(escape(visible(line)), style=style or None, highlight=False, soft_wrap=True)

    wrong = [one for one in found if one.differing or one.failure]
    for one in wrong[:first]:
        if one.failure:
            say(f"\nno answer: {terminal.one_line(one.text)[:_SHOWN]}", "red")
            say(f"  {one.failure}")
            continue
        chunks, given = one.differing[0]
        say(f"\n{len(one.differing):,} of {one.cuts:,} cuts differ; the least:", "red")
        say(f"  {terminal.with_cuts(chunks)}")
        other = given if isinstance(given, str) else _joined(given)
        for line in terminal.compared(one.whole, other if isinstance(other, list) else [other]):
            say(f"  {line}")
    if len(wrong) > first:
        say(f"{len(wrong) - first} more; --first {len(wrong)} shows all of them.")
    late = [one for one in found if one.late is not None]
    if late:
        size = late[0].late
        say(
            f"\nlate: {len(late):,} texts; after {size} characters, single ones have given less",
            "yellow",
        )
        say(f"  {terminal.one_line(late[0].text)[:_SHOWN]}")
    if all(one.is_at_close for one in found if one.whole):
        say("\nlate: nothing is given before the end", "yellow")
    if growth > _GROWTH:
        say(f"\ngrows: twice the text gives {growth:.1f} times the output", "yellow")
    cuts = sum(one.cuts for one in found)
    alike = f"{len(found) - len(wrong):,} of {len(found):,} texts"
    say(f"{alike} give the same for all of {cuts:,} cuts", "red" if wrong else "green")
    return 1 if wrong else 0
