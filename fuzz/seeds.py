"""The inputs that fuzzing begins with, made from the conformance cases: one for each case.

It has the same text in the same dialect and chunks, with the same limits, or the same events,
messages, tools and calls.  Cases that are longer than the longest input are left out.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from fuzz.targets import fuzz_messages
from fuzz.targets.harness import (
    DIALECTS,
    LONGEST,
    RAW,
    THINK,
    TOKENS,
    TRANSCRIPT,
    Feed,
    bytes_of,
    cogwire,
    json_bytes,
    options_of,
)

from cogwire_kit.conformance.corpus import Case, expanded, load

#: A name and an input.
Seed = tuple[str, bytes]

#: The largest number of cuts in a feed.
MOST_CUTS = 7


def feeds(case: Case) -> Iterator[tuple[str, Feed]]:
    """Yield the feeds of a parse case: cut where it must be prompt, each turn, and its twin."""
    flags = (
        (TRANSCRIPT if case.options.get("mode") == "transcript" else 0)
        | (THINK if case.options.get("start") == "think" else 0)
        | (RAW if case.options.get("raw") else 0)
    )
    limits = case.options.get("limits", {})
    bounds = tuple(limits.get(name, 0) for name in ("size", "calls", "depth", "digits"))
    if "turns" in case.data:
        for number, turn in enumerate(expanded(case.data["turns"])):
            yield f"{case.id}-turn-{number}", Feed(turn, (), case.dialect, flags, bounds)
        return
    if "growth" in case.data:
        return
    cuts = tuple(len(expanded(point["after"])) for point in case.data.get("prompt", []))
    yield case.id, Feed(case.input, cuts[:MOST_CUTS], case.dialect, flags, bounds)
    if "twin" in case.data:
        twin = expanded(case.data["twin"])
        flags |= TOKENS
        yield f"{case.id}-twin", Feed(twin, (len(twin) // 2,), case.dialect, flags, bounds)


def short_feeds(cases: list[Case]) -> Iterator[tuple[str, Feed]]:
    """Yield the feeds of the parse cases that fit into an input, whose header has their length."""
    for case in of_op(cases, "parse"):
        yield from ((name, feed) for name, feed in feeds(case) if len(feed.data) < LONGEST)


def parser_seeds(cases: list[Case]) -> Iterator[Seed]:
    """Yield the texts of the parse cases."""
    yield from ((name, feed.encoded()) for name, feed in short_feeds(cases))


def snapshot_seeds(cases: list[Case]) -> Iterator[Seed]:
    """Yield for each text of the parse cases the snapshot taken in its middle, and the rest."""
    for name, feed in short_feeds(cases):
        middle = len(feed.data) // 2
        before, after = feed.data[:middle], feed.data[middle:]
        options = options_of(feed.reading) | {"stream": feed.stream, "raw": feed.raw}
        parser = cogwire.Parser(clock=None, **options)
        parser.feed(before)
        text = after if isinstance(after, bytes) else bytes_of(after)
        yield name, json_bytes(parser.snapshot()) + b"\n" + text


def convert_seeds(cases: list[Case]) -> Iterator[Seed]:
    """Yield the conversions of the cases, and the parse cases for each dialect in turn."""
    for case in of_op(cases, "convert"):
        request = expanded(case.data["request"])
        flags = DIALECTS.index(request["to"]) << 6
        yield case.id, Feed(request["text"], (), request["from"], flags).encoded()
    for number, (name, feed) in enumerate(short_feeds(cases)):
        flags = feed.flags | number % len(DIALECTS) << 6
        yield name, feed._replace(flags=flags).encoded()


def messages_seeds(cases: list[Case]) -> Iterator[Seed]:
    """Yield the histories and chats of the cases, and each parse case as a short chat."""
    for case in cases:
        dialect = DIALECTS.index(case.dialect)
        if case.op == "messages":
            kind, rest = "events", json_bytes(expanded(case.data["request"]))
        elif case.op == "from_messages":
            kind, rest = "messages", json_bytes(expanded(case.data["request"])["messages"])
        elif case.op == "parse" and "input" in case.data and "growth" not in case.data:
            kind, rest = "talk", talk(case.input)
        else:
            continue
        yield case.id, bytes([dialect, fuzz_messages.KINDS.index(kind)]) + rest


def talk(text: str | bytes) -> bytes:
    """Return a chat in which the model writes `text`, and its calls are answered."""
    said = text if isinstance(text, bytes) else bytes_of(text)
    answer = fuzz_messages.PARTS.index("answer")
    parts = (b"\0Go.", b"\1" + said, bytes([answer]) + b"ok")
    return b"".join(fuzz_messages.SEPARATOR + part for part in parts)


def toolset_seeds(cases: list[Case]) -> Iterator[Seed]:
    """Yield the tools and calls of the cases."""
    for case in of_op(cases, "validate"):
        request = json_bytes(expanded(case.data["request"]))
        yield case.id, bytes([DIALECTS.index(case.dialect)]) + request


def of_op(cases: list[Case], op: str) -> list[Case]:
    """Return the cases of one op."""
    return [case for case in cases if case.op == op]


SEEDS: dict[str, Callable[[list[Case]], Iterator[Seed]]] = {
    "parser": parser_seeds,
    "snapshot": snapshot_seeds,
    "toolset": toolset_seeds,
    "messages": messages_seeds,
    "convert": convert_seeds,
}


def seeds_of(target: str, cases: list[Case] | None = None) -> dict[str, bytes]:
    """Return the inputs that a target begins with, by the name of their case."""
    made = SEEDS[target](load() if cases is None else cases)
    return {name: data for name, data in made if len(data) <= LONGEST}


def write(target: str, place: Path, cases: list[Case] | None = None) -> int:
    """Write the inputs of a target into `place`, which is made; return how many there are."""
    place.mkdir(parents=True, exist_ok=True)
    seeds = seeds_of(target, cases)
    for name, data in seeds.items():
        (place / name).write_bytes(data)
    return len(seeds)
