# SPDX-License-Identifier: MIT
"""How a parser reads the texts of a format: whole, in pieces, and beside another text.

An adapter that names members of requests in its first reply (`takes`) is sent them.  Any other is
asked as adapters always were, and not for texts that need more.
"""

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise, takewhile
from typing import Any, Final

from cogwire_kit.conformance import cuts, formats, fresh, questions
from cogwire_kit.conformance.cuts import Late, Vocabulary
from cogwire_kit.conformance.formats import FormatCase, Message
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.target import Answer, Failure, Reply, Target
from cogwire_kit.texts.words import counted

#: How a text is read: whole and in every cut, so but too late, not in every cut, or not even whole.
VERDICTS: Final = ("right", "late", "cuts", "wrong")
#: Why there is no answer, as messages begin; every other reason is a fault of the reply.
_FAILURES: Final = ("crashed", "timed-out", "unsupported")
#: How a parser may be given the markers that are tokens: cut like any text, or always whole.
MARKERS: Final = ("cut", "whole")
#: After so many answers that a dead or silent process did not give, a text is no longer cut.
DEATHS: Final = 3
#: How many characters after the reference a parser may give what both give, besides two markers:
#: those that end a call and its section, for which it may wait.
LEEWAY: Final = 40
#: Shorter texts may be over where another word is put into them.
_SHORT: Final = 48


def takes(answer: Answer) -> frozenset[str]:
    """Return the members of requests that an adapter takes, by its first reply."""
    given = answer.members.get("takes") if isinstance(answer, Reply) else None
    return frozenset(given if isinstance(given, list) and all(map(_is_name, given)) else ())


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


@dataclass
class Other:
    """A way that gives anything else than the outcome of the text."""

    chunks: Chunks
    message: Message | str
    #: The text that was read at the same time, if it was another one.
    beside: str = ""


@dataclass
class Inside:
    """The cuts inside markers that are tokens: how many, and how many of them differ."""

    cuts: int = 0
    differing: int = 0


@dataclass
class Reading:
    """How a parser reads one text."""

    case: FormatCase
    #: What the whole gives, or why it gives nothing.
    whole: Message | str
    outcome: int | None
    cuts: int = 0
    #: Those of the cuts that give anything else, the least first.
    differing: list[Other] = field(default_factory=list)
    inside: Inside | None = None
    #: Whether in single characters all that is given comes at the end; None if nothing is given.
    is_at_close: bool | None = None
    #: How many cuts the parser was not asked, because it died of the others.
    unasked: int = 0
    #: In single characters, the first call, or the first of the text, that comes too late.
    late: Late | None = None

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.outcome is None:
            return "wrong"
        return "cuts" if self.differing else "late" if self.late else "right"

    @property
    def other(self) -> Other:
        """What shows the difference: the whole text, or the least cut."""
        return Other([self.case.text], self.whole) if self.outcome is None else self.differing[0]

    @property
    def failure(self) -> str:
        """The worst reason why some way has no answer, or nothing if each has one.

        Another difference must not hide it: who knows of that does not expect a crash.
        """
        given = [self.whole, *(one.message for one in self.differing)]
        found = {failure_of(one) for one in given if isinstance(one, str)}
        return next((kind for kind in (*_FAILURES, "fault") if kind in found), "")

    @property
    def expected(self) -> dict[str, Any]:
        """The outcome that was expected of `other`."""
        return self.case.outcomes[self.outcome or 0]

    def record(self) -> dict[str, Any]:
        """Return what a report says of the case."""
        members: dict[str, Any] = {
            "id": self.case.id,
            "revision": self.case.revision,
            "verdict": self.verdict,
            "basis": self.case.data["basis"],
        }
        members |= {"cuts": self.cuts, "differing": len(self.differing)}
        if self.inside is not None:
            members["inside_markers"] = vars(self.inside)
        if self.unasked:
            members["unasked"] = self.unasked
        if self.verdict == "right":
            return members
        if self.failure:
            members["failure"] = self.failure
        members |= {name: self.case.data[name] for name in ("title", "flags", "text")}
        members["expected"] = self.expected
        if self.verdict == "late" and self.late:
            return {**members, "late": vars(self.late), "gives": f"late: {self.late.when}"}
        other = self.other
        if self.outcome is not None:
            members["chunks"] = other.chunks
        if other.beside:
            members["beside"] = other.beside
        if isinstance(other.message, str):
            return {**members, "gives": other.message}
        if other.message.finish is not None:
            members["expected"] = self.expected | {"finish": self.case.finish_of(self.expected)}
        return {**members, "gives": other.message.shown()}


class Reader:
    """Asks a target for the texts of a format."""

    def __init__(
        self,
        target: Target,
        request: dict[str, Any],
        tokens: Sequence[str],
        taken: frozenset[str],
        *,
        markers: str = MARKERS[0],
        seed: int = 0,
        vocabulary: Vocabulary | None = None,
        known: Sequence[str] = (),
    ) -> None:
        self._target = target
        self._request = request
        self._tokens = tokens
        self._taken = taken
        self._markers = markers
        self._seed = seed
        self._vocabulary = vocabulary
        #: When what the reference gives is due.
        self._leeway = LEEWAY + 2 * max(map(len, known), default=0)

    def asks(self, case: FormatCase) -> bool:
        """Whether the adapter takes what a case needs."""
        return case.asked(self._taken) is not None

    def whole(self, case: FormatCase) -> Message | str:
        """Return what a text gives in one piece."""
        return _message(self._target.ask(self._sent(case, [case.text])), 1)

    def read(self, case: FormatCase, beside: FormatCase) -> Reading:
        """Ask for a text whole, in every cut, and together with another one."""
        whole = self.whole(case)
        outcome = None if isinstance(whole, str) else case.outcome(whole)
        reading = Reading(case, whole, outcome)
        every = cuts.ways(case.text, self._seed, self._vocabulary, name=case.id)
        places = inside(case.text, self._tokens)
        cutting = [chunks for chunks in every if _places(chunks) & places]
        if self._markers == "whole":
            every = [uncut(chunks, places) for chunks in every]
            every = [chunks for at, chunks in enumerate(every) if chunks not in every[:at]]
        reading.cuts, reading.differing = self._asked(reading, every)
        if places and self._markers == "whole":
            number, found = self._asked(reading, cutting)
            reading.inside = Inside(number, len(found))
        elif places:
            differing = sum(bool(_places(one.chunks) & places) for one in reading.differing)
            reading.inside = Inside(len(cutting), differing)
        if "sessions" in self._taken:
            reading.cuts += 1
            reading.differing += self._beside(reading, beside)
        reading.differing.sort(key=lambda one: len(one.chunks))
        return reading

    def _sent(self, case: FormatCase, chunks: Chunks) -> dict[str, Any]:
        options = {**case.tools, **(case.asked(self._taken) or {})}
        members = {**self._request, **options, "chunks": chunks}
        is_cut = _places(chunks) & inside(case.text, self._tokens)
        return {**members, "markers": "cut"} if is_cut and "markers" in self._taken else members

    def _asked(self, reading: Reading, ways: list[Chunks]) -> tuple[int, list[Other]]:
        """Return how many ways were asked, and those that give anything else.

        Of a text that kills its parser, only some are.
        """
        number = 0
        found: list[Other] = []
        deaths: list[Answer] = []
        singles: list[Any] | str = []
        asked = takewhile(lambda _: len(deaths) < DEATHS, ways)
        answers = self._target.ask_all(
            (self._sent(reading.case, chunks) for chunks in asked),
            is_moot=lambda _: len(deaths) >= DEATHS,
        )
        for place, answer in answers:
            number += 1
            if isinstance(answer, Failure) and answer.kind != "fault":
                deaths.append(answer)
            message = _message(answer, len(ways[place]))
            # The first way of all is in single characters.
            if place == 0 == reading.cuts and isinstance(message, Message) and message != Message():
                singles = cuts.fed(answer, len(ways[0]))
                reading.is_at_close = not any(singles[:-1])
            if not _is_same(reading, message):
                found.append(Other(ways[place], message))
        reading.unasked += len(ways) - number
        if singles and isinstance(singles, list):
            found += self._ahead(reading.case, ways[0], singles)
            reading.late = overdue(reading, self._request, ways[0], singles, self._leeway)
        return number, found

    def _ahead(self, case: FormatCase, chunks: Chunks, given: list[Any]) -> Iterator[Other]:
        """Yield what is wrong if what a parser gives for some chunks depends on what follows."""
        if len(case.text) < _SHORT:
            return
        rng = random.Random(f"{self._seed}/{case.id}/ahead")  # noqa: S311 - a place, not a key
        place = rng.randint(1, len(chunks) // 2)
        other = [*chunks[:place], questions.word(rng), *chunks[place:]]
        feeds = cuts.fed(self._target.ask(self._sent(case, other)), len(other))
        # A text that means nothing any more need not have an answer.
        if isinstance(feeds, list) and _said(feeds[:place]) != _said(given[:place]):
            so_far = counted(len("".join(map(str, chunks[:place]))), "character")
            yield Other(other, f"looks ahead: what {so_far} give depends on what follows")

    def _beside(self, reading: Reading, beside: FormatCase) -> Iterator[Other]:
        """Yield what is wrong if a text is read beside another, begun before it and after it."""
        each = [self._session(case) for case in (reading.case, beside, reading.case)]
        answer = self._target.ask({**self._request, **reading.case.tools, "sessions": each})
        chunks = each[0]["chunks"]
        for one in _sessions(answer, len(each)):
            message = one if isinstance(one, str) else _message(one, len(chunks))
            if not _is_same(reading, message):
                yield Other(chunks, message, beside.id)
                return

    def _session(self, case: FormatCase) -> dict[str, Any]:
        """Return a text in single characters, as one of several that are read at the same time."""
        chunks = questions.cut(case.text, range(1, len(case.text)))
        if self._markers == "whole":
            chunks = uncut(chunks, inside(case.text, self._tokens))
        return {**(case.asked(self._taken) or {}), "chunks": chunks}


def _sessions(answer: Answer, number: int) -> list[Answer | str]:
    """Return the first and the last of so many sessions, or why there are none."""
    found = answer.members.get("sessions") if isinstance(answer, Reply) else None
    if not isinstance(answer, Reply) or "error" in answer.members:
        return [answer]
    if not isinstance(found, list) or [type(one) for one in found] != [dict] * number:
        return [f"no reply with {number} objects in `sessions`"]
    return [Reply(found[at], answer.seconds) for at in (0, -1)]


def failure_of(why: str) -> str:
    """Return the verdict on a way without an answer, as `cogwire conformance run` names it."""
    kind = why.partition(":")[0]
    return kind if kind in _FAILURES else "fault"


def _is_same(reading: Reading, message: Message | str) -> bool:
    """Whether a way gives an outcome that passes, and where several do, that of the whole text."""
    outcome = None if isinstance(message, str) else reading.case.outcome(message)
    return outcome is not None and reading.outcome in (outcome, None)


def _message(answer: Answer, chunks: int) -> Message | str:
    feeds = cuts.fed(answer, chunks)
    if isinstance(feeds, str):
        return feeds
    finish = answer.members.get("finish") if isinstance(answer, Reply) else None
    if not isinstance(finish, str | None):
        return f"`finish` is no string: {finish!r}"
    return formats.message((one for feed in feeds for one in feed), finish)


def overdue(
    reading: Reading, request: dict[str, Any], chunks: Chunks, given: list[Any], leeway: int
) -> Late | None:
    """Return what comes so much later than from the reference that it is late, if anything is.

    `given` is what a parser gives for each chunk, and at the end.  Where it comes to another
    outcome than the reference, nobody says when that is due; nor is anything due at the end.
    """
    case, outcome = reading.case, reading.outcome
    feeds = fresh.reference(case, request, chunks)
    message = formats.message(chain(*feeds or ()))
    if feeds is None or isinstance(message, str) or case.outcome(message) != outcome:
        return None
    expected = case.outcomes[outcome or 0]
    ends = list(accumulate(map(len, chunks)))
    places = {"call": [_calls(each, len(expected["calls"])) for each in (feeds, given)]}
    for name in ("reasoning", "content"):
        if expected.get(name, []) is not None:
            places[name] = [_texts(each, name) for each in (feeds, given)]
    for name, (known, came) in places.items():
        for at, then in zip(known, came, strict=False):
            due = ends[min(at, len(ends) - 1)] + leeway
            if due < ends[-1] and (then == len(ends) or ends[then] > due):
                return Late({name: ""}, ends[at], ends[then] if then < len(ends) else None)
    return None


def _said(feeds: list[Any]) -> tuple[Any, ...]:
    """Return what chunks say together; the ids of calls may be others each time."""
    said = formats.message(chain(*feeds))
    return (said,) if isinstance(said, str) else (said.reasoning, said.content, said.tried)


def _calls(feeds: list[Any], number: int) -> list[int]:
    """Return with which feed each of so many calls can run."""

    def calls(place: int) -> int:
        said = formats.message(chain(*feeds[: place + 1]))
        return 0 if isinstance(said, str) else len(said.calls)

    return [bisect_left(range(len(feeds)), one, key=calls) for one in range(1, number + 1)]


def _texts(feeds: list[Any], name: str) -> list[int]:
    """Return with which feed each character of a text comes, white space aside."""
    pieces = ((at, item.get(name, "")) for at, feed in enumerate(feeds) for item in feed)
    return [at for at, piece in pieces for character in piece if not character.isspace()]


def _places(chunks: Chunks) -> set[int]:
    """Return where a text is cut."""
    return set(accumulate(map(len, chunks[:-1])))


def inside(text: str, tokens: Sequence[str]) -> set[int]:
    """Return the places inside the tokens in a text."""
    return {
        place
        for token in tokens
        for start in range(len(text))
        if text.startswith(token, start)
        for place in range(start + 1, start + len(token))
    }


def uncut(chunks: Chunks, places: set[int]) -> Chunks:
    """Return the chunks of a text without the cuts at these places; empty chunks are kept."""
    text = "".join(str(chunk) for chunk in chunks)
    kept = [at for at in accumulate(map(len, chunks[:-1])) if at not in places]
    return [text[first:last] for first, last in pairwise([0, *kept, len(text)])]


def chosen(cases: list[FormatCase], seed: int) -> list[FormatCase]:
    """Return for each case another one with the same tools, or itself, that is read beside it."""
    alike = [case for case in cases if not case.tools]
    others = random.Random(f"{seed}/beside").sample(alike, len(alike))  # noqa: S311 - an order
    beside = (
        one if one is not case else others[at - 1]
        for at, (case, one) in enumerate(zip(alike, others, strict=True))
    )
    return [case if case.tools else next(beside) for case in cases]
