# SPDX-License-Identifier: MIT
"""Fresh inputs, which are in no corpus: drawn from a seed and answered by the reference.

Nothing in them says that they were drawn.  Their words are made of syllables, and everything else
is recombined from the inputs of the corpus, so that an adapter can neither know them by heart nor
see from their look that it is being tested.  Besides the ways in which cases are cut, they are cut
into chunks of any size; some are long, some are ill-formed bytes, and some are several turns.
"""

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Final

from cogwire_kit import adapter
from cogwire_kit.conformance import replies
from cogwire_kit.conformance.corpus import Case, Input
from cogwire_kit.conformance.questions import Chunks, Question, cut, parse, whole, word
from cogwire_kit.texts.rows import has_half

#: How many inputs are drawn for each dialect, and up to which length the corpus lends its own.
INPUTS: Final = 60
_LONGEST: Final = 250
#: How many requests are drawn for each dialect and each op that reads no text.
REQUESTS: Final = 20
#: How many pieces are put in at most.
_PIECES: Final = 3
#: One input in so many is long, is ill-formed bytes, or is the first of several turns.
_LONG, _ILL, _SEVERAL = 12, 4, 6
#: Of the long inputs, each has so many characters: more than the buffers that programs have.
_SIZES: Final = ((300, 1000), (1000, 4200), (4200, 17_000), (17_000, 65_000), (65_600, 70_000))
#: How many words stand in one place of a text: some 70,000 characters, more than 16 bits count.
_MUCH: Final = 6000
#: In how many places of the corpus a place of another kind, or one in a call, is looked for.
_TRIED: Final = 300
_CALLS_TRIED: Final = 60
#: What is in a string and does not end it.
_ESCAPED: Final = ('\\"', "\\\\")
#: How turns end that the model did not end, and limits, each up to where many inputs exceed it.
_FINISHES: Final = ("length", "interrupted", "cancelled")
_LIMITS: Final = {"size": 60, "depth": 4, "calls": 2, "digits": 3}
#: Longer ones are not cut into single characters, nor stored.
_SINGLES: Final = 1000
#: How many snapshots are taken of an input.
_SNAPSHOTS: Final = 5

#: What is put into inputs of every dialect, and of every format; some are other texts once they
#: are normalised, or once what nobody sees is left out.
COMMON: Final = (*' \n\r\té😀{}[],"\\<§\u200d', "e\u0301", "&lt;")
#: Bytes that are no UTF-8: parts of characters, overlong forms, halves of pairs, beyond U+10FFFF.
_ILL_FORMED: Final = (
    b"\x80",
    b"\xbf\xbf",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xed\xa0\xbd",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfe\xff",
)


def cases(corpus: list[Case]) -> list[Case]:
    """Return for each dialect and op of a corpus the case of its fresh inputs."""
    asked = (case for case in corpus if case.op == "parse" or any(words_of(case.data["request"])))
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
        "why": "A parser that is right for the cases alone is wrong for its users.",
        "source": "spec",
        "since": "1.0.0",
        "expect": {},
        **members,
    }


def asked(
    case: Case, corpus: list[Case], claims: dict[str, frozenset[str]], seed: int
) -> Iterator[Question]:
    """Yield the questions about the fresh inputs, or fresh requests, of a case.

    `claims` are the abilities of the target in each dialect that it has.
    """
    rng = random.Random(f"{seed}/{case.id}")  # noqa: S311 - texts, not keys
    if case.op == "parse":
        yield from _Drawing(case, corpus, claims[case.dialect], rng).questions()
    else:
        yield from _requests(case, corpus, claims, rng)


@dataclass(frozen=True)
class _Lent:
    """An input of the corpus, and the members of its request that are not at their defaults."""

    text: str
    options: dict[str, Any]


class _Drawing:
    """Draws the inputs of one dialect, and what is asked about each."""

    def __init__(
        self, case: Case, corpus: list[Case], abilities: frozenset[str], rng: random.Random
    ) -> None:
        self._case = case
        self._abilities = abilities
        self._rng = rng
        self._pieces = [*COMMON, *case.wire.pieces]
        self._lent = [
            _Lent(one.data["input"], one.options)
            for one in corpus
            if one.op == "parse"
            and one.dialect == case.dialect
            and isinstance(one.data.get("input"), str)
            and len(one.data["input"]) <= _LONGEST
            and set(one.data["requires"]) <= abilities
            and one.options.get("close", True)
        ]

    @property
    def _streams(self) -> list[str]:
        return ["event", *({"token"} & self._abilities)]

    def questions(self) -> Iterator[Question]:
        for number in range(INPUTS if self._lent else 0):
            if "turns" in self._abilities and number % _SEVERAL == 1:
                yield from self._about_turns()
            else:
                yield from self._about(self._input(number), self._options())
        # What ends a string or a block elsewhere is in a call that runs.
        for one in self._in_calls():
            yield from self._about(one.text, one.options)
        # Of prose, think, arguments and skipped text, much more may come.
        for one in self._everywhere():
            yield from self._about(one.text, one.options)

    def _in_calls(self) -> Iterator[_Lent]:
        """Yield for each piece an input of the corpus with it in a call, if there is one."""
        for piece in (*self._case.wire.pieces, *_ESCAPED):
            for lent, at in self._places(_CALLS_TRIED):
                other = f"{piece}{word(self._rng)}"
                kinds, reply = self._with(lent, at, other, other[len(piece) :])
                is_run = any(one["type"] == "execute" for one in replies.events_of(reply))
                if "call" in kinds and is_run:
                    yield _Lent(lent.text[:at] + other + lent.text[at:], lent.options)
                    break

    def _everywhere(self) -> Iterator[_Lent]:
        """Yield inputs of the corpus with much text in them, each at another kind of place."""
        seen = set[str]()
        much = " ".join(word(self._rng) for _ in range(_MUCH))
        for lent, at in self._places(_TRIED):
            other = word(self._rng)
            kinds, reply = self._with(lent, at, other, other)
            kinds |= {"discarded"} if reply["discarded"] > len(lent.text) - at else set()
            if "limits" not in lent.options and not kinds <= seen:
                seen |= kinds
                yield _Lent(lent.text[:at] + much + lent.text[at:], lent.options)

    def _places(self, number: int) -> list[tuple[_Lent, int]]:
        """Return so many places in words and at the ends of inputs of the corpus."""
        places = [(one, at) for one in self._lent for at in (*_in_words(one.text), len(one.text))]
        return self._rng.sample(places, min(number, len(places)))

    def _with(self, lent: _Lent, at: int, put: str, sign: str) -> tuple[set[str], dict[str, Any]]:
        """Return which events have `sign` after `put` is put into an input, and the answer."""
        text = lent.text[:at] + put + lent.text[at:]
        request = {**self._case.data, "input": text, "options": lent.options}
        reply = answer(whole(Case(request)).request)
        kinds = {one["type"] for one in replies.events_of(reply) if sign in one.get("content", "")}
        return kinds - {"error"}, reply

    def _input(self, number: int) -> Input:
        text = self._text()
        if number % _LONG == 2:
            text = self._lengthened(text, _SIZES[number // _LONG % len(_SIZES)])
        if "bytes" in self._abilities and number % _ILL == 3:
            return self._spoiled(text)
        return text

    def _text(self) -> str:
        """Return a text of parts of two inputs of the corpus, with some pieces and a word in it."""
        rng = self._rng
        first, second = rng.choice(self._lent), rng.choice(self._lent)
        self._last = first
        if rng.random() < 1 / 3 and (places := list(_in_words(first.text))):
            # All that has a meaning in it keeps it.
            place = rng.choice(places)
            return f"{first.text[:place]}{word(rng)}{first.text[place:]}"
        # As often as not the first stays whole, so that what is in it means something still.
        place = rng.randint(0, len(first.text)) if rng.random() < 1 / 2 else len(first.text)
        text = first.text[:place]
        text += second.text[rng.randint(0, len(second.text)) :] if rng.random() < 1 / 2 else ""
        drawn = [rng.choice(self._pieces) for _ in range(rng.randint(0, _PIECES))]
        for piece in [*drawn, word(rng)]:
            place = rng.randint(0, len(text))
            text = text[:place] + piece + text[place:]
        return text

    def _options(self) -> dict[str, Any]:
        """Return the options of the input from which the last text begins, and perhaps others."""
        rng, options = self._rng, dict(self._last.options)
        for name in ("raw", "spans"):
            if name in self._abilities and rng.random() < 1 / 4:
                options[name] = True
        if "finish" in self._abilities and rng.random() < 1 / 4:
            options.setdefault("finish", rng.choice(_FINISHES))
        if "limits" in self._abilities and rng.random() < 1 / 8:
            name, most = rng.choice([*_LIMITS.items()])
            options.setdefault("limits", {name: rng.randint(1, most)})
        return options

    def _lengthened(self, text: str, sizes: tuple[int, int]) -> str:
        """Return a text with a piece or a word repeated in it, up to a size within bounds."""
        rng = self._rng
        size = rng.randint(*sizes)
        units = (rng.choice(self._pieces), word(rng), f"{word(rng)} ", f"{word(rng)}\n")
        unit: str = rng.choice(units)
        run = unit * (size // len(unit) + 1)
        place = rng.randint(0, len(text))
        return text[:place] + run[: max(size - len(text), 0)] + text[place:]

    def _spoiled(self, text: str) -> bytes:
        """Return a text as UTF-8, with bytes in it that are none."""
        rng = self._rng
        data = text.encode("utf-8", "replace")
        for _ in range(rng.randint(1, 3)):
            place = rng.randint(0, len(data))
            data = data[:place] + rng.choice(_ILL_FORMED) + data[place:]
        return data

    def _about(self, text: Input, options: dict[str, Any]) -> Iterator[Question]:
        """Yield the questions about an input: whole, cut, as deltas, as bytes, and stored."""
        one = _answered({**self._case.data, "input": text, "options": options})
        yield _timed(parse(one, "fresh", [text]))
        ways = dict(self._ways(text))
        for schedule, chunks in ways.items():
            for stream in self._streams:
                yield _timed(parse(one, "fresh", chunks, schedule=schedule, stream=stream))
        chunks = self._rng.choice(list(ways.values()))
        if {"call-deltas", "token"} <= self._abilities:
            members = {**options, "call_deltas": True, "stream": "token"}
            other = _answered({**one.data, "options": members})
            yield _timed(parse(other, "fresh", chunks, schedule="with call deltas"))
        for stream in self._streams if len(chunks) <= _SINGLES else ():
            yield from self._stored(one, chunks, stream)

    def _ways(self, text: Input) -> Iterator[tuple[str, Chunks]]:
        """Yield how an input is cut, and the chunks."""
        rng, size = self._rng, len(text)
        places = sorted(rng.sample(range(1, size), min(3, size - 1)))
        yield "random cuts", cut(text, places)
        # As many characters at a time as a network or a file may hand over.
        length = max(2, int((size / 2) ** rng.random()))
        yield f"chunks of {length}", cut(text, range(length, size, length))
        if size > _SINGLES:
            return
        if isinstance(text, bytes):
            yield "single bytes", cut(text, range(1, size))
            return
        yield "single characters", cut(text, range(1, size))
        if "bytes" in self._abilities and not has_half(text):
            data = text.encode("utf-8")
            yield "single bytes", cut(data, range(1, len(data)))

    def _stored(self, one: Case, chunks: Chunks, stream: str) -> Iterator[Question]:
        """Yield what asks for snapshots: within the process, and to be restored in another."""
        number = min(_SNAPSHOTS, len(chunks))
        places = sorted(self._rng.sample(range(len(chunks)), number))
        names = {"snapshots": "snapshot", "save": "restore"}
        for name, ability in names.items():
            if ability in self._abilities:
                members: dict[str, Any] = {"stream": stream, name: places}
                yield _timed(parse(one, "fresh", chunks, schedule="stored", **members))

    def _about_turns(self) -> Iterator[Question]:
        """Yield the questions about several texts as the turns of one parser."""
        texts = [self._text() for _ in range(self._rng.randint(2, 3))]
        options = self._options()
        options.pop("mode", None)
        members = {n: value for n, value in self._case.data.items() if n != "input"}
        one = _answered({**members, "options": options, "turns": texts})
        request = {**whole(one, "fresh").request}
        yield Question(one, "fresh", request)
        cuttings = {
            "single characters": [list(text) for text in texts],
            "random cuts": [
                cut(text, sorted(self._rng.sample(range(1, len(text)), min(2, len(text) - 1))))
                for text in texts
            ],
        }
        for schedule, turns in cuttings.items():
            for stream in self._streams:
                members = {**request, "turns": turns}
                members |= {"stream": stream} if stream != "event" else {}
                yield _timed(Question(one, "fresh", members, schedule))


def _in_words(text: str) -> Iterator[int]:
    """Yield a place in each word of a text that is neither a marker nor a name of the protocol."""
    for found in _WORD.finditer(text):
        before = text[found.start() - 1 : found.start()]
        if found[0] not in _JSON_WORDS and before not in (*"</§\\&", "_"):
            yield found.start() + 1


def of_text(question: Question, text: Input) -> Question:
    """Return the question about another text, with what the reference makes of it."""
    return replace(question, case=_answered({**question.case.data, "input": text}))


def of_turns(question: Question, texts: list[str]) -> Question:
    """Return the question about other turns, each in one piece, likewise."""
    one = _answered({**question.case.data, "turns": texts})
    request = {**question.request, "turns": [[text] for text in texts]}
    return _timed(replace(question, case=one, request=request))


def _timed(question: Question) -> Question:
    """Return the question, with when the reference emits each event."""
    return replace(question, reference=answer(question.request))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the reference answers to a request."""
    line = json.dumps({"id": "1", **request}).encode("ascii")
    reply: dict[str, Any] = json.loads(adapter.answer(line))
    return reply


def _answered(members: dict[str, Any]) -> Case:
    """Return a case that expects what the reference answers, or None if it does not accept it."""
    case = Case(members)
    reply = answer(whole(case).request)
    is_answered = not reply.keys() & {"error", "unsupported"}
    return Case({**members, "expect": replies.outcome(case, reply) if is_answered else None})


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
        and any(words_of(one.data["request"]))
        and (_KNOWS_PATTERNS or '"pattern' not in json.dumps(one.data["request"]))
    ]
    for _ in range(REQUESTS if lent else 0):
        one = _answered({**case.data, "request": reworded(rng.choice(lent), rng)})
        if one.data["expect"] is not None:
            yield whole(one, "fresh")


#: Without google-re2 the reference refuses tools with patterns, and cannot say what is right.
_KNOWS_PATTERNS: Final = find_spec("re2") is not None
#: Members whose values mean something to the protocol, or are schemas.
_MEANING: Final = frozenset(
    {"op", "type", "role", "status", "name", "tool", "code", "to", "from", "ending", "tools"}
)
#: What JSON in a string must have as it is.
_JSON_WORDS: Final = frozenset(
    {"name", "args", "tool", "status", "content", "success", "failure", "true", "false", "null"}
)
_WORD: Final = re.compile("[a-z]{2,}")


def reworded(request: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a request that has words, one of them with another word in it."""
    request = deepcopy(request)
    holder, name, found = rng.choice(list(words_of(request)))
    place = rng.randint(found.start() + 1, found.end() - 1)
    text = holder[name]
    holder[name] = f"{text[:place]}{word(rng)}{text[place:]}"
    return request


def words_of(value: Any) -> Iterator[tuple[Any, Any, re.Match[str]]]:
    """Yield the words of the strings in a request, each with what holds the string, and its name.

    Strings in parts are left as they are.
    """
    members: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in members:
        if isinstance(member, str) and name not in _MEANING:
            for found in _WORD.finditer(member):
                if (
                    found[0] not in _JSON_WORDS
                    and member[found.start() - 1 : found.start()] != "\\"
                ):
                    yield value, name, found
        elif isinstance(member, dict | list) and name not in _MEANING and not _is_part(member):
            yield from words_of(member)


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & {"parts", "base64", "repeat"})
