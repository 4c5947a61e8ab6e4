"""What kills most mutants of the core: the conformance cases, whole and by single characters.

When this is imported, nothing is mutated yet: each case is asked and judged, and what was accepted
is kept.  A mutant dies when it answers otherwise; words for people, which no case judges, apart.
The adapter answers in this process, so that a fork of it may answer with a mutant.
"""

import json
import os
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pytest

from cogwire import _markers
from cogwire_kit import _adapter
from cogwire_kit.conformance import corpus, questions
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.judge import Judge
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.target import Reply

#: Longer cases, as JSON, and longer inputs take more time than they are worth here.
LONGEST = 3000
LONGEST_INPUT = 1000
#: So many cases are one test: the shorter a test, the sooner it has killed.
PART = 40
STREAMS = frozenset({"token"})
#: Cases whose dialect and op hold this.
WORD = os.environ.get("MUTATION_CASES", "")
#: Members of replies that are words for people.
WORDS = {"message", "refused"}


class Asked(NamedTuple):
    """A request, and what was answered and accepted before anything was mutated."""

    place: str
    line: bytes
    answer: bytes


def short_cases() -> Iterator[Case]:
    for case in corpus.load(corpus.PLACE):
        is_long = (
            case.op == "parse" and "turns" not in case.data and len(case.input) > LONGEST_INPUT
        )
        is_meant = WORD in f"{case.dialect}-{case.op}" and "growth" not in case.data
        if is_meant and not is_long and len(json.dumps(case.data)) <= LONGEST:
            yield case


def questions_of(case: Case) -> Iterator[Question]:
    yield questions.whole(case)
    if case.op == "parse":
        for question in questions.parses(case, STREAMS, 0):
            if question.schedule.startswith("single") and question.aspect == "tokens":
                yield question


def asked() -> Iterator[Asked]:
    for case in short_cases():
        judge = Judge(case, "codepoint")
        for question in questions_of(case):
            line = json.dumps({"id": "1", **question.request}).encode()
            answer = _adapter.answer(line)
            finding = judge.take(question, Reply(json.loads(answer), 0.0))
            assert finding is None, finding
            yield Asked(f"{case.id}, {question.schedule}", line, answer)


def parts() -> Iterator[list[Asked]]:
    rest = asked()
    while part := list(islice(rest, PART)):
        yield part


def without_words(value: Any) -> Any:
    """Return a reply without what is said to people."""
    if isinstance(value, list):
        return [without_words(each) for each in value]
    if not isinstance(value, dict):
        return value
    words = WORDS | ({"content"} if value.get("type") == "error" else set())
    return {name: None if name in words else without_words(value[name]) for name in value}


PARTS = list(parts())
# What was made once and kept was made without a mutant.
_markers.Markers.of.cache_clear()


@pytest.mark.parametrize("number", range(len(PARTS)))
def test_cases(number: int) -> None:
    for place, line, accepted in PARTS[number]:
        answer = _adapter.answer(line)
        if answer != accepted:
            assert without_words(json.loads(answer)) == without_words(json.loads(accepted)), place
