# SPDX-License-Identifier: MIT
"""The smallest failure: cuts, and of fresh inputs characters, are taken away while it fails."""

from collections.abc import Callable
from typing import Final

from cogwire_kit.conformance import fresh, questions
from cogwire_kit.conformance.corpus import join
from cogwire_kit.conformance.judge import CaseFinding, Judge, Record
from cogwire_kit.conformance.questions import Chunks, Question
from cogwire_kit.conformance.target import Answer

#: A failure is asked for again so often at most, and one that ends the process so often.
_ASKED: Final = 200
_ENDED: Final = 40


def smallest(found: Judge, first: CaseFinding, ask: Callable[[Record], Answer]) -> CaseFinding:
    """Return the smallest failure that could be made of `first`, which is of the same kind."""
    question = first.question
    is_cut = question.aspect in ("chunking", "tokens", "resume") and not question.before
    is_fresh = question.aspect == "fresh"
    turns = question.request.get("turns") if is_fresh else None
    is_known = is_cut or is_fresh
    if not is_known or not (question.chunks or turns) or first.verdict in ("timed-out", "fault"):
        return first
    search = _Search(found, first, ask)
    if turns:
        search.take_turns()
        return search.first
    if is_fresh:
        # What is wrong with a long text is nearly always wrong without any cut.
        search.try_chunks([join(question.chunks)])
        search.take_characters()
    questions.least(search.first.question.chunks, search.try_chunks)
    return search.first


class _Search:
    """Asks for less and less, of which the last failure is kept."""

    def __init__(self, found: Judge, first: CaseFinding, ask: Callable[[Record], Answer]) -> None:
        self.first = first
        self._found = found
        self._ask = ask
        self._left = _ENDED if first.verdict == "crashed" else _ASKED

    def try_chunks(self, chunks: Chunks) -> bool:
        """Ask for other chunks, and say whether they fail in the same way."""
        question = self.first.question
        if self._left == 0 or chunks == question.chunks:
            return False
        self._left -= 1
        if question.aspect == "fresh":
            question = fresh.of_text(question, join(chunks))
        return self._fails(questions.recut(question, chunks))

    def take_turns(self) -> None:
        """Take away turns, cuts and characters of turns, as far as it still fails."""
        place = len(self._turns) - 1
        while place >= 0 and len(self._turns) > 1:
            self._try_turns([*self._turns[:place], *self._turns[place + 1 :]])
            place -= 1
        for place in range(len(self._turns)):
            self._try_turn(place, self._turns[place])
            size = len(self._turns[place])
            while size := size // 2:
                at = 0
                while self._left and at < len(text := self._turns[place]):
                    if not self._try_turn(place, text[:at] + text[at + size :]):
                        at += size

    @property
    def _turns(self) -> list[str]:
        """The texts of the turns that fail, without their cuts."""
        return ["".join(one) for one in self.first.question.request["turns"]]

    def _try_turn(self, place: int, text: str) -> bool:
        turns = self._turns
        return self._try_turns([*turns[:place], text, *turns[place + 1 :]])

    def _try_turns(self, turns: list[str]) -> bool:
        question = self.first.question
        if self._left == 0:
            return False
        self._left -= 1
        return self._fails(fresh.of_turns(question, turns))

    def _fails(self, question: Question) -> bool:
        """Say whether a question fails as the first one does, and keep it if so."""
        finding = self._found.examined(question, self._ask(question.request))
        is_same = finding is not None and finding.verdict == self.first.verdict
        if finding is not None and is_same:
            self.first = finding
        return is_same

    def take_characters(self) -> None:
        """Take away large parts of the text, and then smaller ones, as far as it still fails."""
        size = sum(map(len, self.first.question.chunks)) // 2
        while self._left and size:
            place = 0
            while self._left and place < sum(map(len, self.first.question.chunks)):
                if not self.try_chunks(_without(self.first.question.chunks, place, place + size)):
                    place += size
            size //= 2


def _without(chunks: Chunks, start: int, end: int) -> Chunks:
    """Return chunks without the characters from `start` to `end`; one is left in any case."""
    kept: Chunks = []
    at = 0
    for one in chunks:
        parts: Chunks = [one[: max(start - at, 0)], one[max(end - at, 0) :]]
        kept.append(join(parts))
        at += len(one)
    return [one for one in kept if one] or [chunks[0][:0]]
