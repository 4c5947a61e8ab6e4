"""Hold drawn formats to the executable spec: `python fuzz/descriptions.py --texts N --seed S`.

A description of a format is drawn, and texts of it, of which most are damaged.  Each text is read
whole and in pieces, with options of its own, sometimes with a snapshot after each piece; the events
and the state must be those of the executable spec.  Its calls are written in the format and read
back: they must be the same, unless the writer refuses them.  So must a history with pieces of the
texts in every place, but for what the report names; and no call may be read that is not in it.
Texts of a model are written as the executable spec has it, in messages and in conversions.

Text number n of a seed is always the same.  One that is read otherwise is made as small as
possible, and printed with its description and the command that reads it again.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from fuzz import running  # noqa: E402
from fuzz.running import TOOLS, Tally  # noqa: E402
from fuzz.streams import from_choices  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tests.core.helpers import singles, split  # noqa: E402
from tests.core.wire.described.drawing import (  # noqa: E402
    PIECES,
    described_texts,
    descriptions,
    markers_of,
)
from tests.core.wire.described.mistaken import mistaken_descriptions  # noqa: E402
from tests.core.wire.described.reading import read_alike  # noqa: E402
from tests.oracle.literal import written  # noqa: E402

import cogwire  # noqa: E402

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
Event = dict[str, Any]


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


class Family(NamedTuple):
    """A format, and texts of it."""

    described: Description
    texts: list[str]
    #: Why the descriptions that were drawn before this one are refused.
    refused: tuple[str, ...] = ()


@st.composite
def families(draw: st.DrawFn) -> Family:
    """Draw a description that is not refused, and texts of its format."""
    refused: list[str] = []
    drawn = st.one_of(descriptions(), *[mistaken_descriptions()] * 3)
    while reason := refusal(described := draw(drawn)):
        refused.append(reason)
    texts = [draw(described_texts(described)) for _ in range(DRAWN)]
    return Family(described, texts, tuple(refused))


def refusal(described: Description) -> str:
    """Return why a description is refused, or nothing."""
    try:
        cogwire.Format.from_json(described)
    except ValueError as error:
        return str(error)
    return ""


@cache
def drawing() -> Callable[[random.Random], Family]:
    """Return a function that draws a family."""
    return from_choices(families())


def family_of(seed: int, number: int) -> Family:
    """Return format `number` of `seed`, and all its texts."""
    source = random.Random(f"{seed} {number}")
    family = drawing()(source)
    markers = markers_of(family.described)
    damaged = [damage(source, family.texts, markers) for _ in range(FAMILY - DRAWN)]
    return family._replace(texts=[*family.texts, *damaged])


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


def difference(
    described: Description, form: cogwire.Format, text: str, way: Way
) -> tuple[str, list[Any]]:
    """Return what is wrong with writing the calls, or nothing, and the events.

    Raises if the core does not read the text as the executable spec does.
    """
    pieces = split(text, *way.cuts) if way.cuts else singles(text)
    ways = [([text], way.has_snapshots), (pieces, way.has_snapshots)]
    how = {"limits": way.limits, "finished": way.is_finished, "stream": way.stream}
    events = read_alike(described, form, text, ways, **how, **way.options)
    return read_back(form, events), events


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


# --- Writing histories --------------------------------------------------------------------------


def history_of(seed: int, number: int, described: Description, texts: list[str]) -> list[Event]:
    """Return what a user, a model and its tools say in turn, in pieces of these texts."""
    source = random.Random(f"{seed} {number} history")
    markers = markers_of(described)

    def text() -> str:
        whole = source.choice(texts)
        start = source.randrange(len(whole) + 1)
        end = source.choice(("", "", source.choice(markers), source.choice(PIECES)))
        return f"{whole[start : start + source.choice((0, 3, 9, 40))]}{end[: source.randint(1, 9)]}"

    events: list[Event] = []
    for kind in ("user", "think", "respond"):
        events += [{"type": kind, "content": text()}] if source.random() < 0.6 else []
    payload = described["payload"]
    calls: list[Any] = []
    for _ in range(source.choice((0, 1, 1, 2))):
        names = ("a", "b", source.choice(markers))
        args = {source.choice(("x", "y", text())): text() for _ in range(source.randrange(3))}
        call = {"name": source.choice(names), "args": args}
        if payload["kind"] == "text":
            call = {"name": payload["tool"], "args": {payload["arg"]: text()}}
        calls.append(call)
    events += [{"type": "call", "content": json.dumps(call)} for call in calls]
    if not calls:
        return events
    events.append({"type": "execute"})
    if "result" not in described:
        return events
    items = [
        {"tool": call["name"], "status": source.choice(("success", "failure")), "content": text()}
        for call in calls
    ]
    events.append(running.answered(items))
    for kind in ("user", "think", "respond"):
        events += [{"type": kind, "content": text()}] if source.random() < 0.4 else []
    return events


def rewritten(form: cogwire.Format, events: list[Event]) -> tuple[str, str]:
    """Write a history as messages and read it; return what is wrong, and what was done."""
    report: list[Any] = []
    try:
        messages = cogwire.to_messages(events, form, report=report)
    except ValueError:
        return "", "refused"
    said, is_joined = running.marked(events, report)
    heard = read_messages(messages, form)
    if is_joined:
        said, heard = ([each for each in one if each["type"] in TOOLS] for one in (said, heard))
    kinds = [[event["type"] for event in one] for one in (said, heard)]
    if kinds[0] != kinds[1]:
        return f"{messages} have {kinds[1]}, not {kinds[0]}", "written"
    for one, other in zip(said, heard, strict=True):
        if not is_same(one, other, form.to_json()):
            return f"{messages} have {other}, not {one}", "written"
    return "", "reported" if report else "written"


def converted(form: cogwire.Format, events: list[Event]) -> str:
    """Convert what a model says from another dialect; return what is wrong, if anything is."""
    for event in events:
        if event["type"] not in ("think", "respond"):
            continue
        kind, text = event["type"], event["content"].strip(" \t\r\n")
        try:
            source = cogwire.render_events([{"type": kind, "content": text}], "xml-json")
        except ValueError:  # it contains a marker of xml-json, or half a character
            continue
        target = cogwire.convert(source, "xml-json", form)
        came = cogwire.parse(target, form, clock=None)
        expected = [{"type": kind, "content": written(text, kind, form.to_json())}]
        if came != expected:
            return f"{source!r} is converted to {target!r}, which has {came}, not {expected}"
    return ""


def read_messages(messages: list[Any], form: cogwire.Format) -> list[Event]:
    """Return the events in messages; a format without results has none of a conversation."""
    if "" not in form.result:
        return [dict(each) for each in cogwire.from_messages(messages, form)]
    heard: list[Event] = []
    for message in messages:
        if message["role"] == "user":
            heard.append({"type": "user", "content": message["content"]})
        else:
            heard += [dict(each) for each in cogwire.parse(message["content"], form, clock=None)]
    return heard


def is_same(said: Event, heard: Event, described: Description) -> bool:
    """Whether an event is read as it was written, but for what the report names."""
    if "content" not in said:
        return True
    content, changed = said["content"], said["changed"]
    if said["type"] in ("call", "result"):
        is_whole = json.loads(content) == json.loads(heard["content"])
        return is_whole or bool(changed - {"neutralised"})
    text = written(content, said["type"], described)
    trimmed = content.strip(" \t\r\n")
    told = ("trimmed" in changed, "neutralised" in changed)
    return told == (trimmed != content, text != trimmed) and bool(heard["content"] == text)


def complaint(described: Description, text: str, way: Way) -> str:
    """Return what is wrong, if anything is."""
    try:
        return difference(described, cogwire.Format.from_json(described), text, way)[0]
    except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
        return f"{type(failure).__name__}: {failure}"


# --- Running ------------------------------------------------------------------------------------


def examine(seed: int, numbers: range) -> Tally:
    """Read the texts of these formats and write their histories, and return the outcome."""
    tally = Tally()
    for number in numbers:
        described, texts, refused = family_of(seed, number)
        form, kind = cogwire.Format.from_json(described), described["payload"]["kind"]
        tally.counts["formats", kind] += 1
        tally.counts.update(("refused", place_of(reason)) for reason in refused)
        for index, text in enumerate(texts, start=number * FAMILY):
            way = way_of(seed, index, described, text)
            try:
                wrong, events = difference(described, form, text, way)
            except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
                wrong, events = str(failure), []
            try:
                history = history_of(seed, index, described, texts)
                lost, came = rewritten(form, history)
                lost = lost or converted(form, history)
            except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
                lost, came = str(failure), "raised"
            if wrong or lost:
                tally.findings.append((index, kind))
            tally.done += 1
            tally.counts["characters",] += len(text)
            kinds = {event["type"] for event in events}
            tally.counts.update(("texts", each) for each in kinds)
            tally.counts["histories", came] += 1
            tally.counts.update(("events", event["type"]) for event in events)
            tally.counts.update(("codes", event["code"]) for event in events if "code" in event)
    return tally


def place_of(reason: str) -> str:
    """Return the member that a refusal names."""
    return re.split("[/:]", f"{reason}:")[1 if reason.startswith("/") else 0]


def report(tally: Tally, options: argparse.Namespace) -> dict[str, Any]:
    """Return all counts, and the command that counts again."""
    formats = tally.counted("formats")
    numbers = {
        "texts": tally.done,
        "characters": tally.counts["characters",],
        "formats": {**formats, "total": sum(formats.values())},
        "refused": tally.counted("refused"),
        "histories": tally.counted("histories"),
        "texts with": tally.counted("texts"),
        "events": tally.counted("events"),
        "codes": tally.counted("codes"),
        "findings": len(tally.findings),
    }
    command = running.command("descriptions", options, "texts")
    return running.report(command, options.seed, numbers)


def shown(seed: int, number: int) -> str:
    """Write a text, its description, how it is read, and what is wrong, if anything is."""
    described, texts, _ = family_of(seed, number // FAMILY)
    text = texts[number % FAMILY]
    way = way_of(seed, number, described, text)
    if complaint(described, text, way):
        text = running.smallest(
            text, running.shorter, lambda less: complaint(described, less, way) != ""
        )
    form = cogwire.Format.from_json(described)
    history = history_of(seed, number, described, texts)
    if loss(form, history):
        history = running.smallest(history, smaller, lambda less: loss(form, less) != "")
    return (
        f"Text {number}; again:\n  python fuzz/descriptions.py --seed {seed} --only {number}\n"
        f"{json.dumps(described)}\n{text!r}\n{way}\n{complaint(described, text, way)}\n"
        f"{history}\n{loss(form, history)}\n"
    )


def loss(form: cogwire.Format, history: list[Event]) -> str:
    """Return what is wrong with writing a history, if anything is."""
    try:
        return rewritten(form, history)[0] or converted(form, history)
    except Exception as failure:  # noqa: BLE001 - whatever is raised is wrong
        return f"{type(failure).__name__}: {failure}"


def smaller(history: list[Event]) -> Iterator[list[Event]]:
    """Yield histories with fewer or shorter texts."""
    for at, event in enumerate(history):
        if event["type"] in TOOLS:
            continue
        yield history[:at] + history[at + 1 :]
        for text in running.shorter(event["content"]):
            yield [*history[:at], {**event, "content": text}, *history[at + 1 :]]


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
