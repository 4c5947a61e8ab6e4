# SPDX-License-Identifier: MIT
"""Inputs that no corpus has: drawn from a seed, and judged by what the reference makes of them.

An adapter that knows the corpus by heart, or was made to fit it, cannot know these.  They are
crossings of inputs of the corpus, with pieces of the dialect and words that nobody could know; and
of ops that read no text, requests of the corpus with such a word in them.
"""

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec
from typing import Any, Final

from cogwire_kit import adapter
from cogwire_kit.conformance import normal, questions
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.questions import Question

#: How many inputs are drawn for each dialect, and up to which length the corpus lends its own.
INPUTS: Final = 60
_LONGEST: Final = 250
#: How many requests are drawn for each dialect and each op that reads no text.
REQUESTS: Final = 20
#: How many pieces are put in at most.
_PIECES: Final = 3

_COMMON: Final = (*' \n\r\té😀{}[],"\\<§', "&lt;")


def cases(corpus: list[Case]) -> list[Case]:
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
        "why": "A parser that is right for the cases alone is wrong for its users.",
        "source": "spec",
        "since": "1.0.0",
        "expect": {},
        **members,
    }


def asked(
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
        yield questions.parse(one, "fresh", [text])
        singles = questions.cut(text, range(1, len(text)))
        yield questions.parse(one, "fresh", singles, schedule="single characters")
        places = sorted(rng.sample(range(1, len(text)), 3))
        yield questions.parse(one, "fresh", questions.cut(text, places), schedule="random cuts")
        if "token" in abilities:
            yield questions.parse(
                one, "fresh", singles, schedule="single characters", stream="token"
            )
        if "bytes" in abilities:
            data = text.encode("utf-8")
            single_bytes = questions.cut(data, range(1, len(data)))
            yield questions.parse(one, "fresh", single_bytes, schedule="single bytes")


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
            yield questions.whole(one, "fresh")


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


def _expected(case: Case) -> normal.Outcome | None:
    """Return what the reference gives, or None where it does not take the request."""
    is_parse = case.op == "parse"
    asking = questions.parse(case, "fresh", [case.input]) if is_parse else questions.whole(case)
    request = {"id": "1", **asking.request}
    reply = json.loads(adapter.answer(json.dumps(request).encode("ascii")))
    return None if reply.keys() & {"error", "unsupported"} else normal.outcome(case, reply)
