# SPDX-License-Identifier: MIT
"""How a parser reads a text: whole, in pieces, and beside another text.

An adapter that names members of requests in its first reply (`takes`) is sent them.  Any other is
asked as adapters always were, and not for texts that need more.
"""

import contextlib
import json
import random
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise, takewhile
from typing import Any, Final, NamedTuple

from cogwire_kit.conformance import corpus, formats, fresh, questions
from cogwire_kit.conformance.formats import FormatCase
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.target import (
    UNFLUSHED,
    Answer,
    Failure,
    Limits,
    Reply,
    Target,
    TargetError,
)
from cogwire_kit.conformance.vocabulary import Vocabulary
from cogwire_kit.texts.words import counted

#: How a text is read: whole and in every cut, so but too late, not in every cut, or not even whole.
VERDICTS: Final = ("right", "late", "cuts", "wrong")
#: Why there is no answer, as messages begin; every other reason is a fault of the reply.
_FAILURES: Final = ("crashed", "timed-out", "unsupported")
#: How a parser may be given the markers that are tokens: cut like any text, or always whole.
MARKERS: Final = ("cut", "whole")
#: After so many answers that a dead or silent process did not give, a text is no longer cut.
DEATHS: Final = 3
#: How often an adapter may fail for each text.
FAILURES: Final = 2 * (DEATHS + 1)
#: How many characters after the reference a parser may give what both give, besides two markers:
#: those that end a call and its section, for which it may wait.
LEEWAY: Final = 40
#: Shorter texts may be over where another word is put into them.
_SHORT: Final = 48
#: How much of an invalid reply is shown.
_SHOWN: Final = 300
#: How many reasons why no text has an answer are named.
_REASONS: Final = 3

#: What chunks and the end gave, or what these items say together.
Items = list[Any]


class Comparison(NamedTuple):
    """What is compared of the answers for a text."""

    #: Returns what items say, with why the turn is over, or in words why they say nothing.
    form: Callable[[Items, str | None], Any]
    #: Returns which outcome that is, given what the whole text says too; None if it is none.
    outcome: Callable[[FormatCase, Any, Any], int | None]


#: With what a text of a format is expected to say.
EXPECTED: Final = Comparison(formats.message, lambda case, given, _: case.outcome(given))


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
    given: Any
    #: The text that was read at the same time, if it was another one.
    beside: str = ""


@dataclass
class Late:
    """An item that arrives later than it could: in characters, or at the end if that is None."""

    item: Any
    complete: int
    came: int | None

    @property
    def when(self) -> str:
        """When it was complete, and when it came, in words."""
        arrived = "at the end" if self.came is None else f"at {self.came}"
        return f"complete at character {self.complete}, came {arrived}"


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
    whole: Any
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
    #: Where nothing is expected: what arrives later than it could.
    slow: list[Late] = field(default_factory=list)
    #: The same: after how many characters less is known in single ones than in one chunk.
    short: int | None = None

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
        given = [self.whole, *(one.given for one in self.differing)]
        found = {failure_of(one) for one in given if isinstance(one, str)}
        return next((kind for kind in (*_FAILURES, "fault") if kind in found), "")

    @property
    def expected(self) -> dict[str, Any]:
        """The outcome that was expected of `other`."""
        return self.case.outcomes[self.outcome or 0]

    def record(self) -> dict[str, Any]:
        """Return what a report says of the text of a format."""
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
        if isinstance(other.given, str):
            return {**members, "gives": other.given}
        if other.given.finish is not None:
            members["expected"] = self.expected | {"finish": self.case.finish_of(self.expected)}
        return {**members, "gives": other.given.shown()}


@contextlib.contextmanager
def started(
    command: tuple[str, ...], request: dict[str, Any], seed: int, timeout: float
) -> Iterator[tuple[Target, Answer]]:
    """Give a target that is not greeted, and has had time for its first reply, which is given too.

    Raises:
        TargetError: it cannot be run, is silent at first, or fails too often.
    """
    # What has to start, or to be fetched, may take longer for the first reply.
    limits = Limits(reply=max(timeout, Limits.start))
    with Target(list(command), limits, seed, greets=False) as target:
        answer = target.ask({**request, "chunks": [""]})
        if isinstance(answer, Failure) and answer.kind == "timed-out":
            raise TargetError(f"{answer.message} to the first request, an empty text; {UNFLUSHED}")
        limits.reply = timeout
        yield target, answer


class Reader:
    """Asks a target for texts."""

    def __init__(
        self,
        target: Target,
        request: dict[str, Any],
        compared: Comparison = EXPECTED,
        *,
        tokens: Sequence[str] = (),
        taken: frozenset[str] = frozenset(),
        markers: str = MARKERS[0],
        seed: int = 0,
        vocabulary: Vocabulary | None = None,
        as_bytes: bool = False,
        known: Sequence[str] = (),
    ) -> None:
        self._target = target
        self._request = request
        self._compared = compared
        self._tokens = tokens
        self._taken = taken
        self._markers = markers
        self._seed = seed
        self._vocabulary = vocabulary
        self._as_bytes = as_bytes
        #: When what the reference gives is due.
        self._leeway = LEEWAY + 2 * max(map(len, known), default=0)

    def asks(self, case: FormatCase) -> bool:
        """Whether the adapter takes what a case needs."""
        return case.asked(self._taken) is not None

    def given(self, case: FormatCase, chunks: Chunks) -> Any:
        """Return what a text in these chunks gives, or why it gives nothing."""
        return self._said(self._target.ask(self.sent(case, chunks)), len(chunks))

    def whole(self, case: FormatCase) -> Reading:
        """Ask for a text in one piece."""
        whole = self.given(case, [case.text])
        return Reading(case, whole, self._outcome(case, whole, whole))

    def read(self, case: FormatCase, beside: FormatCase) -> Reading:
        """Ask for a text whole, in every cut, and together with another one.

        A text of which nothing is expected, and that has no answer, is not cut.
        """
        reading = self.whole(case)
        if isinstance(reading.whole, str) and "expect" not in case.data:
            return reading
        every = self._ways(case)
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

    def seen(self, reading: Reading, chunks: Chunks, feeds: list[Items]) -> None:
        """Be given what each chunk of a text gave, where that is as it should be."""

    def sent(self, case: FormatCase, chunks: Chunks) -> dict[str, Any]:
        """Return the request for a text in these chunks."""
        options = {**case.tools, **(case.asked(self._taken) or {})}
        members = {**self._request, **options, **questions.sent(chunks)}
        is_cut = _places(chunks) & inside(case.text, self._tokens)
        return {**members, "markers": "cut"} if is_cut and "markers" in self._taken else members

    def _ways(self, case: FormatCase) -> list[Chunks]:
        """Return a text cut in every way in which cases are, and in tokens; characters first."""
        like = corpus.Case({"id": case.id, "input": case.text})
        abilities = frozenset({"bytes"} if self._as_bytes else ())
        found = [chunks for _, chunks in questions.cuttings(like, abilities, self._seed)]
        if self._vocabulary is not None:
            rng = random.Random(f"{self._seed}/{case.id}/tokens")  # noqa: S311 - cuts, not keys
            found += self._vocabulary.cuttings(case.text, rng, as_bytes=self._as_bytes)
        return found

    def _asked(self, reading: Reading, ways: list[Chunks]) -> tuple[int, list[Other]]:
        """Return how many ways were asked, and those that give anything else.

        Of a text that kills its parser, only some are.
        """
        number = 0
        found: list[Other] = []
        deaths: list[Answer] = []
        singles: list[Items] = []
        asked = takewhile(lambda _: len(deaths) < DEATHS, ways)
        answers = self._target.ask_all(
            (self.sent(reading.case, chunks) for chunks in asked),
            is_moot=lambda _: len(deaths) >= DEATHS,
        )
        for place, answer in answers:
            number += 1
            if isinstance(answer, Failure) and answer.kind != "fault":
                deaths.append(answer)
            chunks = ways[place]
            given, feeds = self._said(answer, len(chunks)), fed(answer, len(chunks))
            # The first way of all is in single characters.
            if isinstance(given, str) or isinstance(feeds, str):
                found.append(Other(chunks, given))
                continue
            if place == 0 == reading.cuts and any(feeds):
                singles = feeds
                reading.is_at_close = not any(feeds[:-1])
            if self._is_same(reading, given):
                self.seen(reading, chunks, feeds)
            else:
                found.append(Other(chunks, given))
        reading.unasked += len(ways) - number
        if singles and "expect" in reading.case.data:
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
        feeds = fed(self._target.ask(self.sent(case, other)), len(other))
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
            given = one if isinstance(one, str) else self._said(one, len(chunks))
            if not self._is_same(reading, given):
                yield Other(chunks, given, beside.id)
                return

    def _session(self, case: FormatCase) -> dict[str, Any]:
        """Return a text in single characters, as one of several that are read at the same time."""
        chunks = questions.cut(case.text, range(1, len(case.text)))
        if self._markers == "whole":
            chunks = uncut(chunks, inside(case.text, self._tokens))
        return {**(case.asked(self._taken) or {}), "chunks": chunks}

    def _said(self, answer: Answer, chunks: int) -> Any:
        feeds = fed(answer, chunks)
        if isinstance(feeds, str):
            return feeds
        finish = answer.members.get("finish") if isinstance(answer, Reply) else None
        if not isinstance(finish, str | None):
            return f"`finish` is no string: {finish!r}"
        return self._compared.form([one for feed in feeds for one in feed], finish)

    def _outcome(self, case: FormatCase, given: Any, whole: Any) -> int | None:
        return None if isinstance(given, str) else self._compared.outcome(case, given, whole)

    def _is_same(self, reading: Reading, given: Any) -> bool:
        """Whether a way has an outcome that passes, and where several do, that of the whole."""
        outcome = self._outcome(reading.case, given, reading.whole)
        return outcome is not None and reading.outcome in (outcome, None)


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


def fed(answer: Answer, chunks: int) -> list[Any] | str:
    """Return what each chunk and the end gave, or in words why that is not known."""
    if isinstance(answer, Failure):
        return f"{answer.kind}: {answer.message}"
    for name in ("error", "crashed", "unsupported"):
        if isinstance(answer.members.get(name), str):
            return f"{name}: {answer.members[name]}"
    feeds, close = answer.members.get("feeds"), answer.members.get("close")
    is_right = isinstance(feeds, list) and all(isinstance(one, list) for one in feeds)
    if not is_right or not isinstance(close, list) or len(feeds or ()) != chunks:
        shown = json.dumps({n: value for n, value in answer.members.items() if n != "id"})[:_SHOWN]
        return f"no reply with {counted(chunks, 'feed')} and a close: {shown}"
    return [*(feeds or ()), close]


def unanswered(whys: list[str]) -> Iterator[str]:
    """Yield what became of texts none of which has an answer: each reason once."""
    yield f"no text of {len(whys):,} has an answer, so none was cut"
    kinds = [re.split(r": ['\"]", why, maxsplit=1)[0] for why in whys]
    for kind, number in Counter(kinds).most_common(_REASONS):
        yield f"  {counted(number, 'time')}: {whys[kinds.index(kind)]}"
    if any("not JSON" in kind or "(ad-id)" in kind for kind in kinds):
        yield "  what an adapter logs belongs on standard error"
    yield '  expected: {"id": "…", "feeds": [[…], …], "close": […]}, as `--help` describes it'


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
            # What never comes has the number after that of the end.
            if due < ends[-1] and (then >= len(ends) or ends[then] > due):
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
