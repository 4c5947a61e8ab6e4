"""The conformance cases, whole and by single characters: they kill most mutants.

Each case is asked and judged before anything is mutated, and what was accepted is kept.  A mutant
dies when it answers otherwise; words for people, which no case judges, apart.  The adapter answers
in this process, so that a fork of it may answer with a mutant.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from cogwire_kit import _adapter
from cogwire_kit.conformance import corpus, questions
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.judge import Judge
from cogwire_kit.conformance.normal import Form
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.target import Reply

#: Longer cases, as JSON, and longer inputs take more time than they are worth here.
LONGEST: Final = 3000
LONGEST_INPUT: Final = 1000
#: Members of replies that are words for people.
WORDS: Final = frozenset({"message", "refused"})


class Asked(NamedTuple):
    """A request, and what was answered and accepted before anything was mutated."""

    line: bytes
    answer: bytes

    def holds(self) -> bool:
        """Ask again, and say whether the answer is the same but for words."""
        answer = _adapter.answer(self.line)
        return answer == self.answer or _bare(json.loads(answer)) == _bare(json.loads(self.answer))


def asked() -> list[Asked]:
    """Ask the cases."""
    found = []
    for case in corpus.load(corpus.PLACE):
        if not _is_long(case):
            judge = Judge(case, Form())
            for question in _questions(case):
                line = json.dumps({"id": "1", **question.request}).encode()
                answer = _adapter.answer(line)
                finding = judge.take(question, Reply(json.loads(answer), 0.0))
                if finding is not None:
                    raise RuntimeError(f"{case.id} fails without a mutant: {finding}")
                found.append(Asked(line, answer))
    return found


def _is_long(case: Case) -> bool:
    if case.op == "parse" and "turns" not in case.data and len(case.input) > LONGEST_INPUT:
        return True
    return "growth" in case.data or len(json.dumps(case.data)) > LONGEST


def _questions(case: Case) -> Iterator[Question]:
    yield questions.whole(case)
    if case.op == "parse":
        for question in questions.parses(case, frozenset({"token"}), 0):
            if question.schedule.startswith("single") and question.aspect == "tokens":
                yield question


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    words = WORDS | ({"content"} if value.get("type") == "error" else set())
    return {name: None if name in words else _bare(value[name]) for name in value}
