# SPDX-License-Identifier: MIT
"""The requests of a case: its input cut in every way that matters.

A parse is asked for whole, in one chunk, and then cut: at every single place, into single
characters, single bytes and halves of surrogate pairs, with empty chunks between, at every two
places where the input is short, and at random.  All of them must produce what the whole does.
"""

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, cycle, pairwise
from string import ascii_letters, ascii_lowercase
from typing import Any, Final

from cogwire_kit.conformance.corpus import Case, Input, expanded, join
from cogwire_kit.texts.rows import has_half
from cogwire_kit.texts.words import counted

#: Up to here every two cuts are tried.
TWO_CUTS: Final = 32
#: Up to here every cut is tried; longer inputs are cut at so many places of the seed's choice.
EVERY_CUT: Final = 1000
SOME_CUTS: Final = 100
#: Beyond it, an input is given whole and in a few large chunks only.
LARGE: Final = 200_000
RANDOM_CUTS: Final = 6
#: How the names of schedules of one cut and of two begin.
CUT_ONCE: Final = "cut at "
CUT_TWICE: Final = "cut twice, at "
#: How the schedules of restored parsers begin.
RESTORED: Final = "restored in another process"
#: Up to here a snapshot is shown after every character; of longer inputs after so many.
EVERY_SNAPSHOT: Final = 32
SOME_SNAPSHOTS: Final = 12
#: Up to here the token stream is cut at every place, too; it is never cut at every two.
TOKEN_CUTS: Final = 50

#: All of one kind.
Chunks = list[Input]


@dataclass
class Question:
    """One request of a case, and what it is asked for."""

    case: Case
    #: `events`, `twin`, `chunking`, `tokens`, `resume`, `prompt`, `growth` or `fresh`.
    aspect: str
    #: The request without its id.
    request: dict[str, Any]
    #: How the input was cut, for people.
    schedule: str = "whole"
    #: Which of the case's points, sizes or repetitions this is.
    index: int = 0
    chunks: Chunks = field(default_factory=list)
    #: What the reference answers to the request, where that is asked for to see when events come.
    reference: dict[str, Any] | None = None
    #: What a parser had emitted for each chunk when the snapshot was taken that is restored here.
    before: list[Any] = field(default_factory=list)
    #: The request whose reply showed that snapshot.
    saving: dict[str, Any] | None = None


def whole(case: Case, aspect: str = "events") -> Question:
    """Return the question that a case is: everything in one chunk."""
    return _question(case, aspect, case.data.get("turns", case.data.get("input", {})))


def twin(case: Case) -> Question | None:
    """Return the question that asks for the nearest valid input of an invalid case."""
    return _question(case, "twin", case.data["twin"]) if "twin" in case.data else None


def _question(case: Case, aspect: str, given: Any) -> Question:
    """Return a question about an input, turns, or members of a request, as a case has them."""
    valid = expanded(given)
    if case.op != "parse":
        return Question(case, aspect, _request(case) | valid)
    if "turns" in case.data:
        return Question(case, aspect, _request(case) | {"turns": [[turn] for turn in valid]})
    return parse(case, aspect, [valid])


def parse(
    case: Case,
    aspect: str,
    chunks: Chunks,
    *,
    schedule: str = "whole",
    stream: str = "event",
    index: int = 0,
    **members: Any,
) -> Question:
    """Return the question that feeds `chunks` to the parser."""
    request = {**_request(case), **members, **sent(chunks)}
    if stream != "event":
        request["stream"] = stream
    return Question(case, aspect, request, schedule, index, chunks)


def sent(chunks: Chunks) -> dict[str, Any]:
    """Return the member of a request that holds these chunks."""
    if chunks and type(chunks[0]) is bytes:
        data = [chunk for chunk in chunks if isinstance(chunk, bytes)]
        return {"chunks_b64": [base64.b64encode(chunk).decode("ascii") for chunk in data]}
    return {"chunks": chunks}


def _request(case: Case) -> dict[str, Any]:
    request = {"op": case.op, "dialect": case.dialect}
    if case.op == "parse":
        return {**request, **case.data.get("options", {})}
    if case.op == "convert":
        request.pop("dialect")
    members: dict[str, Any] = expanded(case.data["request"])
    return request | members


def cut(text: Input, places: Sequence[int]) -> Chunks:
    """Return `text` in chunks, cut at `places`."""
    bounds = [0, *places, len(text)]
    return [text[first:last] for first, last in pairwise(bounds)]


def cuttings(case: Case, abilities: frozenset[str], seed: int) -> Iterator[tuple[str, Chunks]]:
    """Yield how the input of a case is cut, and the chunks."""
    text = case.input
    size = len(text)
    rng = random.Random(f"{seed}/{case.id}")  # noqa: S311 - cuts, not keys
    if size > LARGE:
        yield "large chunks", cut(text, list(range(65_536, size, 65_536)))
        return
    unit = "byte" if isinstance(text, bytes) else "character"
    yield f"single {unit}s", cut(text, range(1, size))
    every = range(1, size)
    places = every if size <= EVERY_CUT else sorted(rng.sample(every, SOME_CUTS))
    for place in places:
        yield f"{CUT_ONCE}{place}", cut(text, [place])
    if size <= TWO_CUTS:
        for two in combinations(range(1, size), 2):
            yield f"{CUT_TWICE}{two[0]} and {two[1]}", cut(text, two)
    for number in range(RANDOM_CUTS if size > 2 else 0):
        many = sorted(rng.sample(range(1, size), rng.randint(1, min(size - 1, 40))))
        yield f"random cuts {number}", cut(text, many)
    yield "empty chunks between", [c for one in cut(text, range(1, size)) for c in (text[:0], one)]
    if isinstance(text, str):
        yield from _cut_inside_characters(text, abilities)


def _cut_inside_characters(text: str, abilities: frozenset[str]) -> Iterator[tuple[str, Chunks]]:
    if "bytes" in abilities and not has_half(text):
        data = text.encode("utf-8")
        yield "single bytes", [data[place : place + 1] for place in range(len(data))]
    if "lone-surrogates" in abilities and max(text, default="") > "\uffff":
        yield "halves of surrogate pairs", _units(text)


def _units(text: str) -> Chunks:
    data = text.encode("utf-16-be", "surrogatepass")
    return [chr(data[i] << 8 | data[i + 1]) for i in range(0, len(data), 2)]


def parses(case: Case, abilities: frozenset[str], seed: int) -> Iterator[Question]:
    """Yield every question about a parse but those of time; the whole, and its twin, come first."""
    if "turns" in case.data:
        yield from _turns(case, abilities)
        return
    # Without the close a segment stays open, of which the two streams show different things.
    is_whole = case.options.get("close", True)
    for schedule, chunks in cuttings(case, abilities, seed):
        yield parse(case, "chunking", chunks, schedule=schedule)
        is_one_of_many = schedule.startswith(CUT_ONCE) and len(case.input) > TOKEN_CUTS
        is_left_out = is_one_of_many or schedule.startswith(CUT_TWICE)
        if is_whole and "token" in abilities and not is_left_out:
            yield parse(case, "tokens", chunks, schedule=schedule, stream="token")
    if is_whole and "token" in abilities:
        yield parse(case, "tokens", [case.input], stream="token")
    if is_whole and len(case.input) <= EVERY_CUT:
        yield from _stored(case, abilities, seed)
    if "token" in abilities:
        for index, point in enumerate(case.data.get("prompt", [])):
            chunks = list(point["after"])
            yield parse(
                case, "prompt", chunks, schedule="so far", stream="token", index=index, close=False
            )


def _stored(case: Case, abilities: frozenset[str], seed: int) -> Iterator[Question]:
    """Yield what asks for snapshots after single characters, which are used at once, or shown."""
    singles = cut(case.input, range(1, len(case.input)))
    every = list(range(len(singles)))
    rng = random.Random(f"{seed}/{case.id}/snapshots")  # noqa: S311 - places, not keys
    some = every if len(every) <= EVERY_SNAPSHOT else sorted(rng.sample(every, SOME_SNAPSHOTS))
    # One stream has deltas to remember, the other the text of the open segment.
    streams = ["event", *({"token"} & abilities)]
    for ability, name, places in (("snapshot", "snapshots", every), ("restore", "save", some)):
        for stream in streams if ability in abilities else ():
            members: dict[str, Any] = {"stream": stream, name: places}
            yield parse(case, "resume", singles, schedule="after every chunk", **members)


def continued(question: Question, reply: dict[str, Any]) -> Iterator[Question]:
    """Yield for each snapshot in the reply to a question what asks another process to go on."""
    places = question.request["save"]
    kept = {name: value for name, value in question.request.items() if name != "save"}
    for place, value in zip(places, reply["saved"], strict=True):
        name = "chunks" if "chunks" in kept else "chunks_b64"
        request = {**kept, name: kept[name][place + 1 :], "restore": value}
        yield replace(
            question,
            request=request,
            schedule=f"{RESTORED} after {counted(place + 1, 'chunk')}",
            before=reply["feeds"][: place + 1],
            saving={**question.request, "save": [place]},
        )


def _turns(case: Case, abilities: frozenset[str]) -> Iterator[Question]:
    inputs = expanded(case.data["turns"])
    singles = [cut(turn, range(1, len(turn))) for turn in inputs]
    ways = [("single characters", singles)]
    for number, turn in enumerate(inputs):
        for place in range(1, len(turn)):
            cutting = [[one] for one in inputs]
            cutting[number] = cut(turn, [place])
            ways.append((f"turn {number} cut at {place}", cutting))
    for schedule, turns in ways:
        yield Question(case, "chunking", _request(case) | {"turns": turns}, schedule)
        if "token" in abilities:
            request = _request(case) | {"turns": turns, "stream": "token"}
            yield Question(case, "tokens", request, schedule)
    if "snapshot" in abilities:
        every = list(range(max(map(len, singles))))
        for stream in ["event", *({"token"} & abilities)]:
            members = {"turns": singles, "snapshots": every, "stream": stream}
            yield Question(case, "resume", _request(case) | members, "after every chunk")


def growing(case: Case, repetitions: int, rng: random.Random) -> Iterator[Question]:
    """Yield the questions whose answers are timed: the small input, the large one, and again.

    Before each is a line of prose that no other has, and what grows is of another letter where one
    letter is repeated, so that nobody can have kept the answer, or that to the rest of the text.
    """
    growth = case.data["growth"]
    letters = cycle(rng.sample(ascii_lowercase, len(ascii_lowercase)))
    for _ in range(repetitions):
        for index, name in enumerate(("small", "large")):
            size = growth[name]
            line, letter = word(rng), next(letters)
            given, expect = (_of(letter, case.data[member]) for member in ("input", "expect"))
            text = f"{line}\n{expanded(given, size)}"
            places = list(range(growth["chunk"], len(text), growth["chunk"]))
            expected = _led(line, expanded(expect, size))
            one = Case({**case.data, "input": text, "expect": expected})
            chunks, members = cut(text, places), dict[str, Any]()
            if growth.get("snapshots"):
                members["snapshots"] = list(range(len(chunks)))
            yield parse(one, "growth", chunks, schedule=name, index=index, **members)


def _of(letter: str, value: Any) -> Any:
    """Return an input, or what is expected, with this letter for any other that is repeated."""
    if isinstance(value, list):
        return [_of(letter, one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: _of(letter, one) for name, one in value.items()}
    is_letter = found.get("times") == "n" and found.get("repeat") in [*ascii_letters]
    return {**found, "repeat": letter} if is_letter else found


def _led(line: str, outcome: dict[str, Any]) -> dict[str, Any]:
    """Return what a text produces with a line of prose before it: the line is a respond."""
    size = len(line) + 1
    first, *rest = (
        {**event, "offset": event["offset"] + size} if "offset" in event else event
        for event in outcome["events"]
    )
    if first["type"] == "respond":
        led = {name: f"{line}\n{first[name]}" for name in ("content", "raw") if name in first}
        events = [{**first, **led}, *rest]
    else:
        raw = {"raw": f"{line}\n"} if "raw" in first else {}
        events = [{"type": "respond", "content": line, **raw}, first, *rest]
    return {**outcome, "events": events}


def word(rng: random.Random) -> str:
    """Return a word as texts have it, which nobody can know."""
    syllables = (rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(3, 5)))
    return "".join(syllables) + rng.choice(_ENDS)


_CONSONANTS: Final = (*"bcdfghjklmnprstvwz", "ch", "st", "tr", "qu")
_VOWELS: Final = (*"aeiou", "ea", "ou", "io")
_ENDS: Final = ("", "", "", "n", "r", "s", "t", "ng", "ly")


def least(chunks: Chunks, fails: Callable[[Chunks], bool]) -> Chunks:
    """Return `chunks` without every cut without which they fail as well."""
    place = 1
    while place < len(chunks):
        fewer = [*chunks[: place - 1], join(chunks[place - 1 : place + 1]), *chunks[place + 1 :]]
        if fails(fewer):
            chunks = fewer
        else:
            place += 1
    return chunks


def recut(question: Question, chunks: Chunks) -> Question:
    """Return the same question with its input cut otherwise."""
    members: dict[str, Any] = {
        name: question.request[name] for name in ("stream", "close") if name in question.request
    }
    for name in ("snapshots", "save"):
        if name in question.request:
            members[name] = list(range(len(chunks)))
    schedule = "least cut" if len(chunks) > 1 else "whole"
    return parse(question.case, question.aspect, chunks, schedule=schedule, **members)


def command_line(question: Question) -> str:
    """Return the request as one line of JSON, for people to send by hand."""
    return json.dumps({"id": "1", **question.request}, ensure_ascii=True)
