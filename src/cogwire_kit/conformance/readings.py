# SPDX-License-Identifier: MIT
"""How a parser reads a text: whole, in pieces, and beside another text.

An adapter that names members of requests in its first reply (`takes`) is sent them.  Any other is
asked as adapters always were, and not for texts that need more.
"""

import functools
import json
import random
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar, Final

from cogwire_kit.conformance import corpus, formats, fresh_texts, grouping, questions, reports
from cogwire_kit.conformance.formats import (
    FormatCase,
    Items,
    Late,
    Other,
    ParserReading,
    ReadMessage,
    Unread,
)
from cogwire_kit.conformance.fresh_texts import CHUNK
from cogwire_kit.conformance.growth import measured
from cogwire_kit.conformance.judge import KEPT, CommonOptions, Record
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.session import Asker, Kind
from cogwire_kit.conformance.target import (
    UNFLUSHED,
    Answer,
    Failure,
    Patience,
    Reply,
    TargetError,
)
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.conformance.vocabulary import Vocabulary
from cogwire_kit.texts.words import counted

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


def takes(answer: Answer, member: str = "takes") -> frozenset[str]:
    """Return the members of requests that an adapter takes, by its first reply."""
    value = answer.members.get(member) if isinstance(answer, Reply) else None
    names = value if isinstance(value, list) else ()
    return frozenset(names if all(isinstance(name, str) for name in names) else ())


@dataclass(frozen=True, kw_only=True)
class How(CommonOptions):
    """How the texts of a run are asked."""

    vocabulary: Vocabulary | None = None
    markers: str = MARKERS[0]
    #: The markers that are tokens, and all that are known.
    tokens: tuple[str, ...] = ()
    known: Sequence[str] = ()
    as_bytes: bool = False


@dataclass
class Reader(Kind[FormatCase, ParserReading, How]):
    """The texts of a format, each read whole, in every cut, and beside another one."""

    _: KW_ONLY
    #: What every request has.
    request: dict[str, Any]
    #: What is asked, as the record of the run says it.
    about: Record
    #: Returns what items say together, or in words why they say nothing.
    form: Callable[[Items], Any] = formats.message
    _taken: frozenset[str] = field(init=False, default=frozenset())
    _beside_which: dict[str, FormatCase] = field(init=False, default_factory=dict)
    _read: list[ParserReading] = field(init=False, default_factory=list)
    #: Texts without an answer, which are not cut before any other text has one.
    _held: list[ParserReading] = field(init=False, default_factory=list)
    _is_mute: bool = field(init=False, default=True)
    greets: ClassVar[bool] = False
    #: What the first request has besides its text.
    greeting: ClassVar[Record] = {"protocol": formats.PROTOCOL}

    def header(self, asker: Asker, command: list[str]) -> Record:
        """Return the record of the run; what has to start has time for its first reply.

        Raises:
            TargetError: the target is silent at first.
        """
        target = asker.target
        usual = target.limits.reply
        target.limits.reply = max(usual, Patience.start)
        answer = asker.one({**self.request, **self.greeting, "chunks": [""]})
        if isinstance(answer, Failure) and answer.kind == "timed-out":
            raise TargetError(f"{answer.message} to the first request, an empty text; {UNFLUSHED}")
        target.limits.reply = usual
        if self.greeting:
            target.limits.failures = FAILURES * len(self.cases)
            self._greeted(answer)
        about = {**self.about, "takes": sorted(self._taken), "seed": self.options.seed}
        return reports.header(command, self.selection, **about)

    def _greeted(self, answer: Answer) -> None:
        """Be given the first reply."""
        self._taken = takes(answer)

    def parts(self, _: int, /) -> tuple[list[FormatCase], list[list[FormatCase]]]:
        """Return the texts that the adapter takes, which one process is asked."""
        asked = [case for case in self.cases if case.asked(self._taken) is not None]
        alike = [case for case in asked if not case.tools]
        rng = random.Random(f"{self.options.seed}/beside")  # noqa: S311 - an order
        others = rng.sample(alike, len(alike))
        for at, (case, one) in enumerate(zip(alike, others, strict=True)):
            self._beside_which[case.id] = one if one is not case else others[at - 1]
        self._is_mute = sum(not _is_timed(case) for case in asked) > 1
        return asked, []

    def judging(self, one: FormatCase) -> ParserReading:
        """Return what keeps how a text is read."""
        self._read.append(ParserReading(one))
        return self._read[-1]

    def ask(self, found: ParserReading, asker: Asker) -> None:
        """Ask for a text whole, in every cut, and together with another one.

        If no text has an answer, none is cut.
        """
        case = found.case
        if _is_timed(case):
            self._time(found, asker)
            return
        answer = asker.one(self._sent(case, [case.text]))
        found.whole = self._said(answer, 1)
        found.outcome = self._outcome(case, found.whole, found.whole)
        # Items that say nothing together are an answer, and a fault of the parser.
        found.is_done = self._is_mute and isinstance(fed(answer, 1), str)
        if found.is_done:
            self._held.append(found)
            return
        self._is_mute = False
        held, self._held = self._held, []
        for one in (*held, found):
            # One of which nothing is expected, and that has no answer, is not cut.
            if not isinstance(one.whole, str) or "expect" in one.case.data:
                self._cut(one, asker)
            one.is_kept = self._passes_alone(one, asker)
            one.is_done = True

    def _time(self, found: ParserReading, asker: Asker) -> None:
        """Measure the work for a long value, and a longer one; if no text has an answer, do not."""
        if self._is_mute:
            return
        found.is_done, found.outcome = True, 0
        small, large = fresh_texts.SIZES
        rng = random.Random(f"{self.options.seed}/{found.case.id}")  # noqa: S311 - words, not keys

        def ask(index: int) -> Reply | None:
            one = fresh_texts.grown(found.case, fresh_texts.SIZES[index], rng)
            chunks = self._pieces(one.text, CHUNK)
            answer = asker.target.ask_measured(self._sent(one, chunks))
            asker.answers += 1
            found.cuts += 1
            actual = self._said(answer, len(chunks))
            if isinstance(answer, Reply) and self._outcome(one, actual, actual) is not None:
                return answer
            other = ParserReading(one, actual, 0, differing=[Other(chunks, actual)])
            found.whole = actual if isinstance(actual, str) else Unread(self._cause(other))
            found.outcome = None
            return None

        is_fine, note = measured(large / small, ask) or (True, "")
        lengths = f"from {small:,} to {large:,} characters, in chunks of {CHUNK}"
        found.grows = "" if is_fine else f"{note}; a value was made longer {lengths}"

    def record(self, found: ParserReading) -> Record | None:
        """Return what a report says of a text, with the cause of what differs."""
        # Of a parser of whole texts nothing comes late by itself.
        found = replace(found, late=None) if self._at_close() else found
        if not found.is_done:
            return None
        record = found.record()
        if found.verdict != "pass":
            record["cause"] = KEPT if found.is_kept else self._cause(found)
        return record

    def _cause(self, found: ParserReading) -> str:
        """Return why a text is not read as expected."""
        return grouping.of_reading(found, self.options.known)

    def _at_close(self) -> int:
        """Return how many texts give something, if each gives it at its end alone, or else 0."""
        at_close = [one.is_at_close for one in self._read if one.is_at_close is not None]
        return len(at_close) if all(at_close) else 0

    def report(self, header: Record, records: list[Record], **end: Any) -> TextReport:
        """Return the report, in which texts are in the order of the corpus."""
        left_out = [case for case in self.cases if case.asked(self._taken) is None]
        needs = Counter(", ".join(case.needs) for case in left_out) if not self._is_mute else {}
        found = reports.footer(records, unseen=[], **end)
        found |= {"at_close": self._at_close(), "left_out": dict(needs)}
        found["unasked"] = header.get("number", len(records)) - len(records)
        return TextReport(header, records, found)

    def _given(self, asker: Asker, case: FormatCase, chunks: Chunks) -> Any:
        """Return what a text in these chunks gives, or why it gives nothing."""
        return self._said(asker.one(self._sent(case, chunks)), len(chunks))

    def _cut(self, reading: ParserReading, asker: Asker) -> None:
        case = reading.case
        every = self._ways(case)
        places = inside(case.text, self.options.tokens)
        cutting = [chunks for chunks in every if _places(chunks) & places]
        is_whole = self.options.markers == "whole"
        if is_whole:
            every = [uncut(chunks, places) for chunks in every]
            every = [chunks for at, chunks in enumerate(every) if chunks not in every[:at]]
        reading.cuts, reading.differing = self._asked(reading, asker, every)
        if places and is_whole:
            number, found = self._asked(reading, asker, cutting)
            reading.inside = {"cuts": number, "differing": len(found)}
        elif places:
            differing = sum(bool(_places(one.chunks) & places) for one in reading.differing)
            reading.inside = {"cuts": len(cutting), "differing": differing}
        if "sessions" in self._taken:
            reading.cuts += 1
            reading.differing += self._beside(reading, asker)
        reading.differing.sort(key=lambda one: len(one.chunks))

    def _passes_alone(self, reading: ParserReading, asker: Asker) -> bool:
        """Say whether what is read wrongly is right in a process that is asked nothing else."""
        if reading.verdict not in ("wrong", "cuts") or reading.other.beside:
            return False
        chunks = reading.other.chunks
        if "".join(map(str, chunks)) != reading.case.text:
            return False
        return asker.passes_alone(
            self._sent(reading.case, chunks),
            self._cause(reading),
            lambda answer: self._is_same(reading, self._said(answer, len(chunks))),
        )

    def _seen(self, reading: ParserReading, chunks: Chunks, feeds: list[Items]) -> None:
        """Be given what each chunk of a text gave, where that is as it should be."""

    def _sent(self, case: FormatCase, chunks: Chunks) -> dict[str, Any]:
        """Return the request for a text in these chunks."""
        options = {**case.tools, **(case.asked(self._taken) or {})}
        members = {**self.request, **options, **questions.sent(chunks)}
        is_told = "markers" in self._taken and _places(chunks) & inside(
            case.text, self.options.tokens
        )
        return {**members, "markers": "cut"} if is_told else members

    def _ways(self, case: FormatCase) -> list[Chunks]:
        """Return a text cut in every way in which cases are, and in tokens; characters first."""
        like = corpus.Case({"id": case.id, "input": case.text})
        abilities = frozenset({"bytes"} if self.options.as_bytes else ())
        found = [chunks for _, chunks in questions.cuttings(like, abilities, self.options.seed)]
        if self.options.vocabulary is not None:
            rng = random.Random(f"{self.options.seed}/{case.id}/tokens")  # noqa: S311 - cuts, not keys
            found += self.options.vocabulary.cuttings(
                case.text, rng, as_bytes=self.options.as_bytes
            )
        return found

    def _asked(
        self, reading: ParserReading, asker: Asker, ways: list[Chunks]
    ) -> tuple[int, list[Other]]:
        """Return how many ways were asked, and those that give anything else.

        Of a text that kills its parser, only some are.
        """
        number = 0
        found: list[Other] = []
        deaths: list[Answer] = []
        singles: list[Items] = []
        asked = ((chunks, self._sent(reading.case, chunks)) for chunks in ways)
        for chunks, answer in asker.each(asked, lambda: len(deaths) >= DEATHS):
            number += 1
            if isinstance(answer, Failure) and answer.kind != "fault":
                deaths.append(answer)
            actual, feeds = self._said(answer, len(chunks)), fed(answer, len(chunks))
            # The first way of all is in single characters.
            if isinstance(actual, str) or isinstance(feeds, str):
                found.append(Other(chunks, actual))
                continue
            # Of one chunk nobody sees whether what comes is held back.
            if number == 1 and reading.cuts == 0 and any(feeds) and len(chunks) > 1:
                singles = feeds
                reading.is_at_close = not any(feeds[:-1])
            if self._is_same(reading, actual):
                self._seen(reading, chunks, feeds)
            else:
                found.append(Other(chunks, actual))
        reading.unasked += len(ways) - number
        if singles and "expect" in reading.case.data:
            found += self._untimely(reading, asker, ways[0], singles)
        return number, found

    def _untimely(
        self, reading: ParserReading, asker: Asker, chunks: Chunks, actual: list[Any]
    ) -> Iterator[Other]:
        """Note what comes too late, and yield what comes too early."""
        yield from self._ahead(reading.case, asker, chunks, actual)
        leeway = LEEWAY + 2 * max(map(len, self.options.known), default=0)
        reading.late = overdue(reading, self.request, chunks, actual, leeway)

    def _ahead(
        self, case: FormatCase, asker: Asker, chunks: Chunks, actual: list[Any]
    ) -> Iterator[Other]:
        """Yield what is wrong if what a parser gives for some chunks depends on what follows."""
        if len(case.text) < _SHORT:
            return
        rng = random.Random(f"{self.options.seed}/{case.id}/ahead")  # noqa: S311 - a place, not a key
        place = rng.randint(1, len(chunks) // 2)
        other = [*chunks[:place], questions.word(rng), *chunks[place:]]
        # The word moves the places of what follows, but is in no marker.
        sent = {**self._sent(case, chunks), **questions.sent(other)}
        feeds = fed(asker.one(sent), len(other))
        # A text that means nothing any more need not have an answer.
        if isinstance(feeds, list) and _said(feeds[:place]) != _said(actual[:place]):
            so_far = counted(len("".join(map(str, chunks[:place]))), "character")
            why = Unread(f"looks ahead: what {so_far} give depends on what follows")
            yield Other(other, why)

    def _beside(self, reading: ParserReading, asker: Asker) -> Iterator[Other]:
        """Yield what is wrong if a text is read beside another, begun before it and after it."""
        beside = self._beside_which.get(reading.case.id, reading.case)
        each = [self._session(case) for case in (reading.case, beside, reading.case)]
        answer = asker.one({**self.request, **reading.case.tools, "sessions": each})
        chunks = each[0]["chunks"]
        for one in _sessions(answer, len(each)):
            actual = one if isinstance(one, str) else self._said(one, len(chunks))
            if not self._is_same(reading, actual):
                yield Other(chunks, actual, beside.id)
                return

    def _session(self, case: FormatCase) -> dict[str, Any]:
        """Return a text in single characters, as one of several that are read at the same time."""
        return {**(case.asked(self._taken) or {}), "chunks": self._pieces(case.text, 1)}

    def _pieces(self, text: str, size: int) -> Chunks:
        """Return a text in chunks of a size, but for markers that are always whole."""
        chunks = questions.cut(text, range(size, len(text), size))
        is_whole = self.options.markers == "whole"
        return uncut(chunks, inside(text, self.options.tokens)) if is_whole else chunks

    def _said(self, answer: Answer, chunks: int) -> Any:
        feeds = fed(answer, chunks)
        if isinstance(feeds, str):
            return feeds
        finish = answer.members.get("finish") if isinstance(answer, Reply) else None
        if not isinstance(finish, str | None):
            return f"`finish` is not a string: {finish!r}"
        said = self.form([one for feed in feeds for one in feed])
        if isinstance(said, ReadMessage):
            said.finish = finish
        return said

    def _outcome(self, case: FormatCase, actual: Any, whole: Any) -> int | None:
        """Return which outcome that is, given what the whole text says too; None if it is none."""
        return None if isinstance(actual, str) else self._which(case, actual, whole)

    def _which(self, case: FormatCase, actual: Any, _whole: Any) -> int | None:
        return case.outcome(actual)

    def _is_same(self, reading: ParserReading, actual: Any) -> bool:
        """Whether a way has an outcome that passes, and where several do, that of the whole."""
        outcome = self._outcome(reading.case, actual, reading.whole)
        return outcome is not None and reading.outcome in (outcome, None)


def _sessions(answer: Answer, number: int) -> list[Answer | str]:
    """Return the first and the last of so many sessions, or why there are none."""
    found = answer.members.get("sessions") if isinstance(answer, Reply) else None
    if not isinstance(answer, Reply) or "error" in answer.members:
        return [answer]
    if not isinstance(found, list) or [type(one) for one in found] != [dict] * number:
        return [f"no reply with {number} objects in `sessions`"]
    return [Reply(found[at], answer.seconds) for at in (0, -1)]


def unanswered(answer: Answer) -> str | None:
    """Return in words why an answer is not a result, or None if it may be one."""
    if isinstance(answer, Failure):
        return f"{answer.kind}: {answer.message}"
    for name in ("error", "crashed", "unsupported"):
        if isinstance(answer.members.get(name), str):
            return f"{name}: {answer.members[name]}"
    return None


def fed(answer: Answer, chunks: int) -> list[Any] | str:
    """Return what each chunk and the end gave, or in words why that is not known."""
    if (why := unanswered(answer)) is not None or not isinstance(answer, Reply):
        return why or ""
    feeds, close = answer.members.get("feeds"), answer.members.get("close")
    is_right = isinstance(feeds, list) and all(isinstance(one, list) for one in feeds)
    if not is_right or not isinstance(close, list) or len(feeds or ()) != chunks:
        shown = json.dumps({n: value for n, value in answer.members.items() if n != "id"})[:_SHOWN]
        return f"no reply with {counted(chunks, 'feed')} and a close: {shown}"
    return [*(feeds or ()), close]


def overdue(
    reading: ParserReading, request: dict[str, Any], chunks: Chunks, actual: list[Any], leeway: int
) -> Late | None:
    """Return what comes so much later than from the reference that it is late, if anything is.

    `actual` is what a parser gives for each chunk, and at the end.  Where it comes to another
    outcome than the reference, nobody says when that is due; nor is anything due at the end.
    """
    case, outcome = reading.case, reading.outcome
    feeds = fresh_texts.reference(case, request, chunks)
    message = formats.message(chain(*feeds or ()))
    if feeds is None or isinstance(message, str) or case.outcome(message) != outcome:
        return None
    expected = case.outcomes[outcome or 0]
    ends = list(accumulate(map(len, chunks)))
    places = {"call": [_calls(each, len(expected["calls"])) for each in (feeds, actual)]}
    for name in ("reasoning", "content"):
        if expected.get(name, []) is not None:
            places[name] = [_texts(each, name) for each in (feeds, actual)]
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


def _is_timed(case: FormatCase) -> bool:
    return bool(case.data.get("basis") == "growth")


def _places(chunks: Chunks) -> set[int]:
    """Return where a text is cut."""
    return set(accumulate(map(len, chunks[:-1])))


@functools.lru_cache(maxsize=1)  # each way of cutting a text asks for them
def inside(text: str, tokens: tuple[str, ...]) -> frozenset[int]:
    """Return the places inside the tokens in a text."""
    return frozenset(
        found.start() + place
        for token in tokens
        for found in re.finditer(f"(?={re.escape(token)})", text)
        for place in range(1, len(token))
    )


def uncut(chunks: Chunks, places: frozenset[int]) -> Chunks:
    """Return the chunks of a text without the cuts at these places; empty chunks are kept."""
    text = "".join(str(chunk) for chunk in chunks)
    kept = [at for at in accumulate(map(len, chunks[:-1])) if at not in places]
    return [text[first:last] for first, last in pairwise([0, *kept, len(text)])]
