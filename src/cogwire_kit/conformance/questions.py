# SPDX-License-Identifier: MIT
"""The requests of a case: its input cut in every way that matters.

A parse is asked for whole, in one chunk, and then cut: at every single place, into single
characters, single bytes and halves of surrogate pairs, with empty chunks between, at every two
places where the input is short, and at random.  All of them must produce what the whole does.
"""

import base64
import json
import random
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import combinations, pairwise
from typing import Any, Final

from cogwire_kit import adapter
from cogwire_kit.conformance import replies
from cogwire_kit.conformance.corpus import Case, Input, expanded, join

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
#: Up to here the token stream is cut at every place, too; it is never cut at every two.
TOKEN_CUTS: Final = 50

#: All of one kind.
Chunks = list[Input]


@dataclass
class Question:
    """One request of a case, and what it is asked for."""

    case: Case
    #: `events`, `twin`, `chunking`, `tokens`, `resume`, `prompt` or `growth`.
    aspect: str
    #: The request without its id.
    request: dict[str, Any]
    #: How the input was cut, for people.
    schedule: str = "whole"
    #: Which of the case's points, sizes or repetitions this is.
    index: int = 0
    chunks: Chunks = field(default_factory=list)


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
    is_whole = not any("\ud800" <= character <= "\udfff" for character in text)
    if is_whole and "bytes" in abilities:
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
    if is_whole and "snapshot" in abilities and len(case.input) <= EVERY_CUT:
        singles = cut(case.input, range(1, len(case.input)))
        every = list(range(len(singles)))
        yield parse(
            case,
            "resume",
            singles,
            schedule="after every chunk",
            # The token stream has more to remember.
            stream="token" if "token" in abilities else "event",
            snapshots=every,
        )
    if "token" in abilities:
        for index, point in enumerate(case.data.get("prompt", [])):
            chunks = list(point["after"])
            yield parse(
                case, "prompt", chunks, schedule="so far", stream="token", index=index, close=False
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


def growing(case: Case, repetitions: int) -> Iterator[Question]:
    """Yield the questions whose answers are timed: the small input, the large one, and again."""
    growth = case.data["growth"]
    for _ in range(repetitions):
        for index, name in enumerate(("small", "large")):
            text = expanded(case.data["input"], growth[name])
            places = list(range(growth["chunk"], len(text), growth["chunk"]))
            yield parse(case, "growth", cut(text, places), schedule=name, index=index)


def joined(chunks: Chunks, place: int) -> Chunks:
    """Return `chunks` without the cut before the one at `place`."""
    return [*chunks[: place - 1], join(chunks[place - 1 : place + 1]), *chunks[place + 1 :]]


def recut(question: Question, chunks: Chunks) -> Question:
    """Return the same question with its input cut otherwise."""
    members: dict[str, Any] = {
        name: question.request[name] for name in ("stream", "close") if name in question.request
    }
    if "snapshots" in question.request:
        members["snapshots"] = list(range(len(chunks)))
    return parse(question.case, question.aspect, chunks, schedule="least cut", **members)


def command_line(question: Question) -> str:
    """Return the request as one line of JSON, for people to send by hand."""
    return json.dumps({"id": "1", **question.request}, ensure_ascii=True)


#: How many inputs are drawn for each dialect, and up to which length the corpus lends its own.
INPUTS: Final = 60
_LONGEST: Final = 250
#: How many requests are drawn for each dialect and each op that reads no text.
REQUESTS: Final = 20
#: How many pieces are put in at most.
_PIECES: Final = 3

_COMMON: Final = (*' \n\r\té😀{}[],"\\<§', "&lt;")


def fresh_cases(corpus: list[Case]) -> list[Case]:
    """Return for each dialect and op of a corpus the case of its fresh inputs."""
    asked = (case for case in corpus if case.op == "parse" or any(_words(case.data["request"])))
    pairs = dict.fromkeys((case.dialect, case.op) for case in asked)
    return [Case(_data(dialect, op)) for dialect, op in pairs]


def _data(dialect: str, op: str) -> dict[str, Any]:
    """Return the case of an op, as a corpus would have it."""
    is_parse = op == "parse"
    how = "read" if is_parse else "answered"
    members = {"fresh": INPUTS, "input": ""} if is_parse else {"fresh": REQUESTS, "request": {}}
    return {
        "id": f"{dialect}-fresh" + ("" if is_parse else f"-{op.replace('_', '-')}"),
        "revision": 1,
        "title": f"Inputs that are in no corpus are {how} as the specification says",
        "dialect": dialect,
        "op": op,
        "level": "must",
        "clauses": ["cf-fresh"],
        "requires": [],
        "flags": [],
        "why": "A parser that is right for the fresh_cases alone is wrong for its users.",
        "source": "spec",
        "since": "1.0.0",
        "expect": {},
        **members,
    }


def fresh_asked(
    case: Case, corpus: list[Case], claims: dict[str, frozenset[str]], seed: int
) -> Iterator[Question]:
    """Yield the questions about fresh inputs: whole, cut, as deltas and as bytes.

    `claims` are the abilities of the target in each dialect that it has.
    """
    rng = random.Random(f"{seed}/{case.id}")  # noqa: S311 - texts, not keys
    abilities = claims[case.dialect]
    if case.op != "parse":
        yield from _requests(case, corpus, claims, rng)
        return
    lent = [
        (one.input, one.options)
        for one in corpus
        if one.op == "parse"
        and one.dialect == case.dialect
        and isinstance(one.data.get("input"), str)
        and len(one.data["input"]) <= _LONGEST
        and set(one.data["requires"]) <= abilities
        and one.options.get("close", True)
    ]
    for _ in range(INPUTS if lent else 0):
        text, options = _drawn(case.wire.pieces, lent, rng)
        also = (name for name in ("raw", "spans") if name in abilities and rng.random() < 1 / 4)
        options |= dict.fromkeys(also, True)
        one = Case({**case.data, "input": text, "options": options})
        one = Case({**one.data, "expect": _expected(one)})
        yield parse(one, "fresh", [text])
        singles = cut(text, range(1, len(text)))
        yield parse(one, "fresh", singles, schedule="single characters")
        places = sorted(rng.sample(range(1, len(text)), 3))
        yield parse(one, "fresh", cut(text, places), schedule="random cuts")
        if "token" in abilities:
            yield parse(one, "fresh", singles, schedule="single characters", stream="token")
        if "bytes" in abilities:
            data = text.encode("utf-8")
            single_bytes = cut(data, range(1, len(data)))
            yield parse(one, "fresh", single_bytes, schedule="single bytes")


def _requests(
    case: Case, corpus: list[Case], claims: dict[str, frozenset[str]], rng: random.Random
) -> Iterator[Question]:
    """Yield requests of the corpus in which one word is another."""
    lent = [
        one.data["request"]
        for one in corpus
        if (one.op, one.dialect) == (case.op, case.dialect)
        and one.dialects <= claims.keys()
        and set(one.data["requires"]) <= claims[one.dialect]
        and any(_words(one.data["request"]))
        and (_KNOWS_PATTERNS or '"pattern' not in json.dumps(one.data["request"]))
    ]
    for _ in range(REQUESTS if lent else 0):
        request = deepcopy(rng.choice(lent))
        holder, name, word = rng.choice(list(_words(request)))
        place = rng.randint(word.start() + 1, word.end() - 1)
        text = holder[name]
        holder[name] = f"{text[:place]}w{rng.getrandbits(40):x}{text[place:]}"
        one = Case({**case.data, "request": request})
        if (expected := _expected(one)) is not None:
            one = Case({**one.data, "expect": expected})
            yield whole(one, "fresh")


#: Without google-re2 the reference refuses tools with patterns, and cannot say what is right.
_KNOWS_PATTERNS: Final = find_spec("re2") is not None
#: Members whose values mean something to the protocol, or are schemas.
_MEANING: Final = frozenset(
    {"type", "role", "status", "name", "tool", "to", "from", "ending", "tools"}
)
#: What JSON in a string must have as it is.
_JSON_WORDS: Final = frozenset(
    {"name", "args", "tool", "status", "content", "success", "failure", "true", "false", "null"}
)
_WORD: Final = re.compile("[a-z]{2,}")


def _words(value: Any) -> Iterator[tuple[Any, Any, re.Match[str]]]:
    """Yield the words of the strings in a request, each with what holds the string, and its name.

    Strings in parts are left as they are.
    """
    members: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in members:
        if isinstance(member, str) and name not in _MEANING:
            for word in _WORD.finditer(member):
                if word[0] not in _JSON_WORDS and member[word.start() - 1 : word.start()] != "\\":
                    yield value, name, word
        elif isinstance(member, dict | list) and name not in _MEANING and not _is_part(member):
            yield from _words(member)


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & {"parts", "base64", "repeat"})


def _drawn(
    known: tuple[str, ...], lent: list[tuple[Any, dict[str, Any]]], rng: random.Random
) -> tuple[str, dict[str, Any]]:
    """Draw an input, and the options with which it is read."""
    (first, options), (second, _) = rng.choice(lent), rng.choice(lent)
    # As often as not the first stays whole, so that what is in it means something still.
    place = rng.randint(0, len(first)) if rng.random() < 1 / 2 else len(first)
    text = first[:place] + (second[rng.randint(0, len(second)) :] if rng.random() < 1 / 2 else "")
    pieces = [*_COMMON, *known]
    drawn = [rng.choice(pieces) for _ in range(rng.randint(0, _PIECES))]
    for piece in [*drawn, f"w{rng.getrandbits(40):x}"]:
        place = rng.randint(0, len(text))
        text = text[:place] + piece + text[place:]
    return text, dict(options)


def _expected(case: Case) -> replies.Outcome | None:
    """Return the reference's answer, or None if it does not accept the request."""
    is_parse = case.op == "parse"
    asking = parse(case, "fresh", [case.input]) if is_parse else whole(case)
    request = {"id": "1", **asking.request}
    reply = json.loads(adapter.answer(json.dumps(request).encode("ascii")))
    return None if reply.keys() & {"error", "unsupported"} else replies.outcome(case, reply)
