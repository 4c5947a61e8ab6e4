"""Hold drawn formats to the executable spec: `python fuzz/descriptions.py --texts N --seed S`.

A description of a format is drawn, and texts of it, of which most are damaged.  Each text is read
whole and in pieces, with options of its own, sometimes with a snapshot after each piece; the events
and the state must be those of the executable spec.  Its calls are written in the format and read
back: they must be the same, unless the writer refuses them.

Text number n of a seed is always the same.  One that is read otherwise is made as small as
possible, and printed with its description and the command that reads it again.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import running  # noqa: E402
from fuzz.running import Tally  # noqa: E402
from fuzz.streams import from_choices  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tests.core.helpers import singles, split  # noqa: E402
from tests.core.wire.described.reading import read_alike  # noqa: E402

import cogwire  # noqa: E402
from cogwire_kit import strategies as make  # noqa: E402
from cogwire_kit.strategies._descriptions import PIECES, markers_of  # noqa: E402

#: How many texts are read in a format: some as they were drawn, the others damaged.
DRAWN = 5
FAMILY = 100
#: No text is longer.
LONGEST = 400
#: How many formats a process reads before it reports the outcome.
PORTION = 5
#: How many findings are made small and printed.
PRINTED = 5
#: Limits, the default ones more often than those that many texts exceed.
LIMITS = (*[(8_388_608, 256, 128, 1000)] * 3, (40, 2, 2, 2), (90, 1, 3, 1))

Description = dict[str, Any]


class Way(NamedTuple):
    """How a text is read."""

    options: dict[str, Any]
    limits: tuple[int, int, int, int]
    stream: str
    is_finished: bool
    has_snapshots: bool
    #: The places at which the text is cut, or nothing for pieces of one character.
    cuts: tuple[int, ...]


# --- Formats and texts --------------------------------------------------------------------------


@st.composite
def families(draw: st.DrawFn) -> tuple[Description, list[str]]:
    """Draw a description, and texts of its format."""
    described = draw(make.descriptions())
    return described, [draw(make.described_texts(described)) for _ in range(DRAWN)]


@cache
def drawing() -> Callable[[random.Random], tuple[Description, list[str]]]:
    """Return a function that draws a family."""
    return from_choices(families())


def family_of(seed: int, number: int) -> tuple[Description, list[str]]:
    """Return format `number` of `seed`, and all its texts."""
    source = random.Random(f"{seed} {number}")
    described, texts = drawing()(source)
    markers = markers_of(described)
    damaged = [damage(source, texts, markers) for _ in range(FAMILY - DRAWN)]
    return described, [*texts, *damaged]


def damage(source: random.Random, texts: list[str], markers: list[str]) -> str:
    """Return one of these texts with one to three changes."""
    text = source.choice(texts)
    for _ in range(source.choice((1, 1, 2, 3))):
        start = source.randrange(len(text) + 1)
        stop = start + source.choice((0, 0, 1, 1, 2, 3, 8, 20))
        other = source.choice(texts)[source.randrange(5) :][:40]
        pieces = ("", text[start:stop] * 2, other, source.choice(markers), source.choice(PIECES))
        rest = text[stop:] if source.randrange(6) else ""
        text = f"{text[:start]}{source.choice(pieces)}{rest}"
    return text[:LONGEST]


def way_of(seed: int, number: int, described: Description, text: str) -> Way:
    """Return how text `number` of `seed` is read."""
    source = random.Random(f"{seed} {number} way")
    starts = ("prose",) * 4 + ("think",) + ("header",) * ("header" in described)
    options = {"start": source.choice(starts), "calls": source.choice(("shown", "sealed"))}
    has_deltas = source.random() < 0.4
    options |= {"call_deltas": True} if has_deltas else {"raw": True, "spans": True}
    places = range(len(text) + 1)
    return Way(
        options,
        source.choice(LIMITS),
        "token" if has_deltas else source.choice(("event", "token")),
        is_finished=source.random() < 0.8,
        has_snapshots=source.random() < 0.3,
        cuts=tuple(sorted(source.choices(places, k=source.choice((0, 1, 2, 4))))),
    )


# --- Reading them -------------------------------------------------------------------------------


def difference(described: Description, text: str, way: Way) -> tuple[str, list[Any]]:
    """Return what is wrong with writing the calls, or nothing, and the events.

    Raises if the core does not read the text as the executable spec does.
    """
    pieces = split(text, *way.cuts) if way.cuts else singles(text)
    ways = [([text], way.has_snapshots), (pieces, way.has_snapshots)]
    how = {"limits": way.limits, "finished": way.is_finished, "stream": way.stream}
    events = read_alike(described, text, ways, **how, **way.options)
    return read_back(cogwire.Format.from_json(described), events), events


def read_back(form: cogwire.Format, events: list[Any]) -> str:
    """Write the calls of a turn, and return what is wrong with reading them again."""
    calls = [json.loads(event["content"]) for event in events if event["type"] == "call"]
    if not calls:
        return ""
    try:
        written = cogwire.render_calls(calls, dialect=form)
    except ValueError:
        return ""
    came = cogwire.parse(written, dialect=form, clock=None)
    again = [json.loads(event["content"]) for event in came if event["type"] == "call"]
    is_run = came[-1:] == [{"type": "execute"}]
    return "" if is_run and again == calls else f"{written!r} is read as {came}"


def complaint(described: Description, text: str, way: Way) -> str:
    """Return what is wrong, if anything is."""
    try:
        return difference(described, text, way)[0]
    except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
        return f"{type(failure).__name__}: {failure}"


# --- Running ------------------------------------------------------------------------------------


def examine(seed: int, numbers: range) -> Tally:
    """Read the texts of these formats, and return the outcome."""
    tally = Tally()
    for number in numbers:
        described, texts = family_of(seed, number)
        tally.counts["formats", described["payload"]["kind"]] += 1
        for index, text in enumerate(texts, start=number * FAMILY):
            way = way_of(seed, index, described, text)
            try:
                wrong, events = difference(described, text, way)
            except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
                wrong, events = str(failure), []
            if wrong:
                tally.findings.append((index, described["payload"]["kind"]))
            tally.done += 1
            tally.counts["characters",] += len(text)
            tally.counts.update(("events", event["type"]) for event in events)
            tally.counts.update(("codes", event["code"]) for event in events if "code" in event)
    return tally


def report(tally: Tally, options: argparse.Namespace) -> dict[str, Any]:
    """Return all counts, and the command that counts again."""
    formats = tally.counted("formats")
    numbers = {
        "texts": tally.done,
        "characters": tally.counts["characters",],
        "formats": {**formats, "total": sum(formats.values())},
        "events": tally.counted("events"),
        "codes": tally.counted("codes"),
        "findings": len(tally.findings),
    }
    command = running.command("descriptions", options, "texts")
    return running.report(command, options.seed, numbers)


def shown(seed: int, number: int) -> str:
    """Write a text, its description, how it is read, and what is wrong, if anything is."""
    described, texts = family_of(seed, number // FAMILY)
    text = texts[number % FAMILY]
    way = way_of(seed, number, described, text)
    if complaint(described, text, way):
        text = running.smallest(
            text, running.shorter, lambda less: complaint(described, less, way) != ""
        )
    return (
        f"Text {number}; again:\n  python fuzz/descriptions.py --seed {seed} --only {number}\n"
        f"{json.dumps(described)}\n{text!r}\n{way}\n{complaint(described, text, way)}\n"
    )


def main() -> int:
    """Read the texts; return whether one was read otherwise."""
    options = running.arguments(__doc__.splitlines()[0], "texts").parse_args()
    if options.only is not None:
        sys.stdout.write(shown(options.seed, options.only))
        return 0
    tally = running.tallied(options, "texts", examine, portion=PORTION, each=FAMILY)
    if options.report:
        running.write(report(tally, options), options.report)
    found = {number // FAMILY: number for number, _ in reversed(tally.findings)}
    for number in sorted(found.values())[:PRINTED]:
        sys.stdout.write(f"{shown(options.seed, number)}\n")
    sys.stdout.write(
        f"{tally.done:,} texts of seed {options.seed}, {len(tally.findings)} findings\n"
    )
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
