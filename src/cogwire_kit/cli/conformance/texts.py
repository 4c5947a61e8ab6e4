# SPDX-License-Identifier: MIT
"""The commands for parsers of any format: `cogwire conformance format` and `… invariance`.

The first expects what is right for the texts of a format that models are trained on.  The second
compares a parser with itself, which needs no description of the format: however a text is cut, it
must produce what the whole text does.
"""

import fnmatch
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from cogwire_kit.cli.conformance.options import (
    SelectedPart,
    Testing,
    as_claimed_option,
    baseline_option,
    command_argument,
    corpus_option,
    dividing,
    first_option,
    gathered,
    lasting,
    loaded,
    random_seed_option,
    report_option,
    seed_option,
    writing,
)
from cogwire_kit.cli.conformance.run import Outputs, carried_out
from cogwire_kit.cli.files import misuse
from cogwire_kit.cli.options import adding, choice_option, exit_codes, file_option
from cogwire_kit.conformance import (
    baseline,
    corpus,
    formats,
    fresh_texts,
    judge,
    readings,
    text_reports,
    turns,
)
from cogwire_kit.conformance.formats import FormatCase, FormatCases
from cogwire_kit.conformance.invariance import Asking, joined, of_format
from cogwire_kit.conformance.readings import How, Reader
from cogwire_kit.conformance.target import Patience
from cogwire_kit.conformance.vocabulary import read_vocabulary
from cogwire_kit.texts.words import meant

#: The options of commands that compare every cut of a text with the whole.
_cutting: Final = adding(
    lasting,
    file_option(
        "--vocabulary",
        "vocabulary",
        "Also cut into the tokens of a tokenizer.json of Hugging Face (BPE or Unigram), or of a "
        "plain list, one JSON string a line.",
    ),
)


#: The options that ask for a part of the texts.
_dividing: Final = dividing("texts", "text that fails")

_only: Final = click.option(
    "--case",
    "only",
    metavar="ID",
    multiple=True,
    help="Read the text with this id, or those that a pattern such as '*-string' matches; may be "
    "given several times.",
)


@dataclass(frozen=True)
class _Texts:
    """The texts that a command is asked, and the failures that are known."""

    command: tuple[str, ...]
    place: Path
    only: tuple[str, ...]
    without: tuple[str, ...]
    baseline_file: Path | None

    def asked(
        self,
        kind: type[Reader],
        found: FormatCases,
        how: How,
        part: SelectedPart,
        out: Outputs,
        *,
        limits: Patience,
        request: judge.Record,
        **about: Any,
    ) -> int:
        """Ask for these texts, and return the exit code."""
        cases = part.of(_chosen(found, self.only, self.without), f"on {about['texts']}")
        about |= {"number": len(found.cases), "without": list(self.without)}
        entries = baseline.read(self.baseline_file, is_of_texts=True)
        others = formats.every(self.place) if entries else []
        everything = {case.id for each in (found, *others) for case in each.cases}
        how = replace(how, is_first_enough=part.fail_fast)
        chosen = {"cases": list(self.only), **part.named}
        reader = kind(cases, how, request=request, about=about, selection=chosen)
        return carried_out(self.command, reader, out, (entries, {}, everything), limits=limits)


def _format(name: str, place: Path, seed: int | None = None) -> tuple[FormatCases, dict[str, Any]]:
    """Return a format, and what every request for its texts has: its name, or its description.

    With a seed, it has fresh texts, too.
    """
    description: dict[str, Any] | None
    if name.endswith(".json"):
        found, description = formats.described(Path(name), place)
        request = {"op": "parse", "format": description, "tools": found.tools}
    else:
        found, description = formats.load(name, place), formats.description(name, place)
        request = {"op": "parse", "format": name, "tools": found.usual}
    if seed is None:
        return found, request
    of_seed = fresh_texts.of_format(found, request, description, seed)
    return replace(found, cases=[*found.cases, *of_seed]), request


# --- Texts of a format ----------------------------------------------------------------------------

_CODES: Final = {
    0: "every text is read as expected, whole and however it is cut, or is known not to be",
    1: "some text is not, or has no answer, or an entry of the baseline does not hold",
    2: "wrong usage",
    3: "the target cannot be run, answers nothing, or failed too often",
}

_FORMAT_EXAMPLE: Final = """\b
Example:
  cogwire conformance format hermes -- node adapter.mjs"""


@click.command(
    cls=Testing,
    name="format",
    epilog=_FORMAT_EXAMPLE + exit_codes(_CODES),
    short_help="Test a parser of a format that models are trained on.",
)
@click.argument("name")
@_only
@_dividing
@baseline_option
@click.option(
    "--without",
    metavar="PART",
    multiple=True,
    help="Leave out the texts with this part: reasoning.",
)
@choice_option(
    "--markers",
    readings.MARKERS,
    "Whether cuts inside markers that are tokens of the models decide whether a text is read "
    "as expected (cut), or are only counted (whole).",
)
@writing
@random_seed_option
@corpus_option
@_cutting
@command_argument
@gathered(texts=_Texts, part=SelectedPart, out=Outputs, limits=Patience)
def format_(
    name: str,
    *,
    texts: _Texts,
    part: SelectedPart,
    out: Outputs,
    limits: Patience,
    vocabulary: Path | None,
    markers: str,
) -> int:
    """Test COMMAND's parser of the format NAME with texts in it, whole and cut.

    NAME is a format of the corpus, or a file with a description, whose name ends with .json: the
    texts are then written from the description, which each request has in place of the name.

    Each request is a line, {"id": "…", "op": "parse", "format": NAME, "tools": […], "chunks": […]},
    and each reply one, {"id": "…", "feeds": [[…], …], "close": […]}: what the parser returned for
    each chunk and for the end, as items {"reasoning": "…"}, {"content": "…"}, {"call": "the name"}
    and {"arguments": …}, which are those of the last call: an object, or pieces of its JSON.  With
    an `index`, the last two are of the call with this index.

    An adapter is also sent what its first reply names in `takes` (spec/conformance.md, on formats).
    """
    out.keep(part.failed, texts.baseline_file, name)
    seed, place = part.seed_of_run(), texts.place
    found, request = _format(name, place, seed)
    known = formats.markers(name, place)
    return texts.asked(
        Reader,
        found,
        How(
            seed=seed,
            vocabulary=read_vocabulary(vocabulary) if vocabulary else None,
            markers=markers,
            tokens=tuple(found.tokens),
            known=known,
        ),
        *(part, out),
        limits=limits,
        request=request,
        texts=name,
        corpus=corpus.version(place, formats.files(name, place)),
        markers=markers,
        vocabulary=str(vocabulary or ""),
    )


# --- Turns in formats by description --------------------------------------------------------------

_DESCRIBED_EXAMPLE: Final = """\b
Examples:
  cogwire conformance described -- cogwire adapter
  cogwire conformance described --case 'strays-*' --report turns.jsonl -- ./adapter"""
_UNCLAIMED: Final = "; or, without --as-claimed, something is lacking, not taken or unsupported"


@click.command(
    cls=Testing,
    name="described",
    epilog=_DESCRIBED_EXAMPLE + exit_codes({**_CODES, 1: _CODES[1] + _UNCLAIMED}),
    short_help="Test a parser that reads formats by description, event by event.",
)
@_only
@_dividing
@click.option(
    "--without",
    metavar="PART",
    multiple=True,
    help="A kind of payload, or another member of descriptions, that is not read, such as `tags` "
    "or `header`; `writing`, the requests to write; or `refused`, descriptions that are refused.",
)
@as_claimed_option
@baseline_option
@writing
@random_seed_option
@corpus_option
@lasting
@command_argument
@gathered(texts=_Texts, part=SelectedPart, out=Outputs, limits=Patience)
def described(
    *, texts: _Texts, part: SelectedPart, out: Outputs, limits: Patience, as_claimed: bool
) -> int:
    """Test COMMAND's parser of formats by description with turns in them, whole and cut.

    Each request is a line, {"id": "…", "op": "parse", "dialect": {…}, "chunks": […]}, with a
    description as its dialect, and each reply is that of a dialect: {"id": "…", "feeds": [[…], …],
    "close": […], "state": "…", "discarded": 0}, with events.

    An adapter is also sent what its first reply names in `takes`: `start`, `finish`, `calls`,
    `limits`, `tools`, `lone-surrogates`, and `writing`, requests that write (spec/conformance.md,
    on formats); turns that need another of them are left out.  A description that it does not read
    is answered with `unsupported`, and one that breaks a rule with `refused`.  Turns are also drawn
    anew, from the seed.
    """
    out.keep(part.failed, texts.baseline_file)
    seed, place = part.seed_of_run(), texts.place
    found = turns.load(place)
    found = replace(found, cases=[*found.cases, *fresh_texts.of_described(found, seed)])
    about: judge.Record = {"as_claimed": True} if as_claimed else {}
    return texts.asked(
        turns.Turns,
        found,
        How(seed=seed, as_claimed=as_claimed),
        *(part, out),
        limits=limits,
        request={"op": "parse"},
        texts=text_reports.DESCRIBED,
        corpus=corpus.version(place, sorted((place / "described").glob("*.json"))),
        **about,
    )


def _chosen(
    found: FormatCases, only: tuple[str, ...], without: tuple[str, ...]
) -> list[FormatCase]:
    ids = [case.id for case in found.cases]
    named = {pattern: set(fnmatch.filter(ids, pattern)) for pattern in only}
    if unknown := [pattern for pattern, those in named.items() if not those]:
        hint = f"; {meant(unknown[0], ids)}".rstrip("; ")
        raise click.UsageError(f"{found.name} has no case {', '.join(unknown)}{hint}")
    parts = {part for case in found.cases for part in case.parts}
    if unknown := sorted(set(without) - parts):
        hint = f"; there are {', '.join(sorted(parts))}" if parts else ""
        raise click.UsageError(f"--without {unknown[0]}: no case requires it{hint}")
    return [
        case
        for case in found.cases
        if (not only or case.id in set().union(*named.values()))
        and not case.parts.intersection(without)
    ]


# --- Texts of any parser --------------------------------------------------------------------------

_TEXTS_CODES: Final = exit_codes(
    {
        0: "every text produces the same however it is cut",
        1: "some text does not, or has no answer, or no text produces anything",
        2: "wrong usage, or no texts, or none that failed in the report of `--failed`",
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
@_dividing
@corpus_option
@seed_option("random cuts; by default 0, or that of the report of --failed.")
@click.option("--bytes", "as_bytes", is_flag=True, help="Cut bytes, too, as `chunks_b64`.")
@report_option
@first_option
@_cutting
@command_argument
@gathered(part=SelectedPart, out=Outputs, limits=Patience)
def invariance(
    command: tuple[str, ...],
    places: tuple[Path, ...],
    dialect: str | None,
    name: str | None,
    place: Path,
    *,
    part: SelectedPart,
    out: Outputs,
    limits: Patience,
    as_bytes: bool,
    vocabulary: Path | None,
) -> int:
    """Compare COMMAND's parser with itself: each cut of a text must give the same as the whole.

    Each request is a line, {"id": "…", "op": "parse", "chunks": ["…", …]}, and each reply one,
    {"id": "…", "feeds": [[…], …], "close": […]}: what the parser returned for each chunk and for
    the end.  An object with one member, a string, is a piece of text, and is joined to those of the
    same name that follow it; anything else is compared unchanged.  With --trained, requests and
    items are those of `cogwire conformance format`, and the arguments of calls are compared as
    JSON values.

    A reply may have `counts`, an object of numbers such as {"characters read": 120}: what the
    parser has counted of its own work.  It must not grow faster than the text.

    With --failed the same texts are named again, and those of them are asked that do not pass in
    the report.
    """
    if dialect and name:
        raise click.UsageError("--dialect and --trained have different requests: name one of them")
    out.keep(part.failed, vocabulary, *places)
    request, texts = _of_corpus(dialect, name, place)
    texts = list(dict.fromkeys([*_texts_in(places), *texts]))
    if not texts:
        raise click.UsageError("there are no texts: name some with --texts, --trained or --dialect")
    cases = [FormatCase({"id": f"text {n}", "text": text}) for n, text in enumerate(texts, 1)]
    how = How(
        seed=part.seed_of_run(usual=0),
        vocabulary=read_vocabulary(vocabulary) if vocabulary else None,
        as_bytes=as_bytes,
        is_first_enough=part.fail_fast,
    )
    kind = Asking(
        part.of(cases, f"on {text_reports.ALONE}", name=lambda case: case.text),
        how,
        request=request,
        about={"corpus": corpus.version(place)},
        selection=part.named,
        form=of_format if name else joined,
    )
    return carried_out(command, kind, out, limits=limits)


def _of_corpus(
    dialect: str | None, name: str | None, place: Path
) -> tuple[dict[str, Any], list[str]]:
    """Return what every request has, and the texts of the corpus."""
    if name:
        found, request = _format(name, place)
        return request, [case.text for case in found.cases]
    if dialect:
        parsed = [case for case in loaded(place) if (case.op, case.dialect) == ("parse", dialect)]
        plain = [
            case for case in parsed if isinstance(case.data.get("input"), str) and not case.options
        ]
        texts = [str(case.input) for case in plain if 0 < len(case.input) <= _LONGEST]
        return {"op": "parse", "dialect": dialect}, texts
    return {"op": "parse"}, []


def _texts_in(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        if place.is_dir():
            yield from _texts_in(sorted(path for path in place.iterdir() if path.is_file()))
        else:
            with misuse(place, ValueError, RecursionError):
                text = place.read_bytes().decode("utf-8")
                texts = map(json.loads, text.splitlines()) if place.suffix == ".jsonl" else [text]
                for one in texts:
                    if not isinstance(one, str):
                        raise click.UsageError(f"{place}: a line is not a string")
                    yield one
