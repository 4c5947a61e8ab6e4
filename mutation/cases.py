"""The cases of dialects and formats, whole and in single characters: they kill most mutants.

Before anything is mutated, each case is sent to the adapter, and its answer is checked and kept.  A
mutant dies when it answers differently, except for the wording of messages, which no case checks.
The adapter answers in this process, so that a fork of it can answer with a mutant.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from cogwire_kit import adapter
from cogwire_kit.conformance import corpus, questions
from cogwire_kit.conformance import formats as texts
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.judge import Judge
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.replies import Form
from cogwire_kit.conformance.target import Reply

#: Cases that are longer, as JSON, and longer inputs would take too much time.
LONGEST: Final = 3000
LONGEST_INPUT: Final = 1000
#: The members of replies whose wording is free.
WORDS: Final = frozenset({"message", "refused"})


class Asked(NamedTuple):
    """A request, with the correct answer that it got before anything was mutated."""

    line: bytes
    answer: bytes

    def holds(self) -> bool:
        """Send the request again; return whether the answer is the same except for wording."""
        answer = adapter.answer(self.line)
        return answer == self.answer or _without_words(json.loads(answer)) == _without_words(
            json.loads(self.answer)
        )


def asked(*, formats: bool) -> list[Asked]:
    """Return the requests of the cases, of formats too if those are wanted, with their answers."""
    return [*_of_dialects(), *(_of_formats() if formats else ())]


def _of_dialects() -> Iterator[Asked]:
    for case in corpus.load(corpus.PLACE):
        if not _is_long(case):
            judge = Judge(case, Form())
            for question in _questions(case):
                line = json.dumps({"id": "1", **question.request}).encode()
                answer = adapter.answer(line)
                finding = judge.take(question, Reply(json.loads(answer), 0.0))
                if finding is not None:
                    raise RuntimeError(f"{case.id} fails without a mutant: {finding}")
                yield Asked(line, answer)


def _of_formats() -> Iterator[Asked]:
    for known in texts.every():
        for case in known.cases:
            options = case.asked({"start", "finish"}) or {}
            request = {
                "op": "parse",
                "format": known.name,
                "tools": known.tools,
                "sessions": [
                    {"chunks": chunks, **options} for chunks in ([case.text], list(case.text))
                ],
            }
            line = json.dumps({"id": "1", **request}).encode()
            answer = adapter.answer(line)
            for one in json.loads(answer)["sessions"]:
                items = (item for given in (*one["feeds"], one["close"]) for item in given)
                message = texts.message(items)
                if isinstance(message, str) or case.outcome(message) is None:
                    raise RuntimeError(f"{case.id} fails without a mutant: {message}")
            yield Asked(line, answer)


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


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(each) for each in value]
    if not isinstance(value, dict):
        return value
    words = WORDS | ({"content"} if value.get("type") == "error" else set())
    return {name: None if name in words else _without_words(value[name]) for name in value}
