# SPDX-License-Identifier: MIT
"""Inputs that no corpus has: drawn from a seed, and judged by what the reference makes of them.

An adapter that knows the corpus by heart, or was made to fit it, cannot know these.  They are
crossings of inputs of the corpus, with pieces of the dialect and words that nobody could know.
"""

import json
import random
from collections.abc import Iterator
from typing import Any, Final

from cogwire_kit import _adapter
from cogwire_kit.conformance import normal, questions
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.questions import Question

#: How many inputs are drawn for each dialect, and up to which length the corpus lends its own.
INPUTS: Final = 60
_LONGEST: Final = 250
#: How many pieces are put in at most.
_PIECES: Final = 3

_COMMON: Final = (*' \n\r\té😀{}[],"\\<§', "&lt;")
_TAGS: Final = (
    *("<think>", "</think>", "<execute>", "</execute>", "<results>", "<end>", "</thi", "<exec"),
    *("<execute>[]</execute>", "<think>hm</think>", "<THINK>", "</execute"),
)
_LINES: Final = (
    *("§think: ", "\n§call: ", "\n§respond: ", "\n§execute", "\n§end", "§EXECUTE", "\n§Think: a"),
    *('\n§call: {"name": "a", "args": {}}\n§execute\n', "\n[SYSTEM: ", "\n§result: "),
)


def cases(corpus: list[Case]) -> list[Case]:
    """Return for each dialect of a corpus the case that stands for its fresh inputs."""
    dialects = dict.fromkeys(case.dialect for case in corpus if case.op == "parse")
    return [Case(_data(dialect)) for dialect in dialects]


def _data(dialect: str) -> dict[str, Any]:
    return {
        "id": f"{dialect}-fresh",
        "revision": 1,
        "title": "Inputs that are in no corpus are read as the specification says",
        "dialect": dialect,
        "op": "parse",
        "level": "must",
        "clauses": ["cf-fresh"],
        "requires": [],
        "flags": [],
        "why": "A parser that is right for the cases alone is wrong for its users.",
        "source": "spec",
        "since": "1.0.0",
        "fresh": INPUTS,
        "input": "",
        "expect": {},
    }


def asked(
    case: Case, corpus: list[Case], abilities: frozenset[str], seed: int
) -> Iterator[Question]:
    """Yield the questions about fresh inputs: whole, cut, as deltas and as bytes."""
    rng = random.Random(f"{seed}/{case.id}")  # noqa: S311 - texts, not keys
    lent = [
        (one.input, one.options)
        for one in corpus
        if one.op == "parse"
        and one.dialect == case.dialect
        and isinstance(one.data.get("input"), str)
        and len(one.data["input"]) <= _LONGEST
        and set(one.data["requires"]) <= abilities
        and one.options.get("close", True)
        and "raw" not in one.options
    ]
    for _ in range(INPUTS if lent else 0):
        text, options = _drawn(case.dialect, lent, rng)
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


def _drawn(
    dialect: str, lent: list[tuple[Any, dict[str, Any]]], rng: random.Random
) -> tuple[str, dict[str, Any]]:
    """Draw an input, and the options with which it is read."""
    (first, options), (second, _) = rng.choice(lent), rng.choice(lent)
    # As often as not the first stays whole, so that what stands in it means something still.
    place = rng.randint(0, len(first)) if rng.random() < 1 / 2 else len(first)
    text = first[:place] + (second[rng.randint(0, len(second)) :] if rng.random() < 1 / 2 else "")
    pieces = [*_COMMON, *(_TAGS if dialect.startswith("xml") else _LINES)]
    drawn = [rng.choice(pieces) for _ in range(rng.randint(0, _PIECES))]
    for piece in [*drawn, f"w{rng.getrandbits(40):x}"]:
        place = rng.randint(0, len(text))
        text = text[:place] + piece + text[place:]
    return text, options


def _expected(case: Case) -> normal.Outcome:
    request = {"id": "1", **questions.parse(case, "fresh", [case.input]).request}
    reply = json.loads(_adapter.answer(json.dumps(request).encode("ascii")))
    return normal.outcome(case, reply)
