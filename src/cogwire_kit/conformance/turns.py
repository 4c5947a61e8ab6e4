# SPDX-License-Identifier: MIT
"""The third kind of case: a turn in a format by description, and the events that it gives.

A request has the description as its dialect, and the reply is that of a dialect: events, the state,
and what was discarded.  Everything else is as for texts of formats.  Beside turns there is what is
to be written in such a format: requests without a text, which are asked as they are.
"""

import json
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Final

from cogwire_kit.conformance import corpus, formats, fresh_texts, grouping, replies
from cogwire_kit.conformance.comparing import untimely
from cogwire_kit.conformance.formats import (
    FormatCase,
    FormatCases,
    Items,
    Late,
    Other,
    ParserReading,
    Unread,
)
from cogwire_kit.conformance.judge import Record, difference
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.readings import Reader, fed, takes, unanswered
from cogwire_kit.conformance.session import Asker
from cogwire_kit.conformance.target import Answer, Reply
from cogwire_kit.conformance.text_reports import DESCRIBED, TextReport
from cogwire_kit.texts.rows import has_half
from cogwire_kit.texts.words import counted

#: Calls are compared as JSON values, since a parser writes those of a described format itself.
_WIRE: Final = corpus.Wire(is_verbatim=False, think="", ends={}, pieces=())
#: The members that every description has.
_ALWAYS: Final = frozenset({"name", "call", "payload"})
#: What is expected of a description that contradicts the specification.
_IS_REFUSED: Final[replies.Outcome] = {"refused": True}


class _Like(corpus.Case):
    wire = _WIRE


@dataclass(frozen=True)
class DescribedTurn(FormatCase):
    """A turn, with its description in `described`, and the clauses that it is for."""

    @property
    def options(self) -> dict[str, Any]:
        """What a request has besides the text and the description."""
        return dict(self.data.get("options", {}))

    @property
    def writing(self) -> dict[str, Any] | None:
        """The members of a request to write, if the case is one."""
        return self.data.get("request")

    @property
    def parts(self) -> frozenset[str]:
        """The kind of the payload, and the members that not every description has."""
        described = self.data["described"]
        parts = frozenset({described["payload"]["kind"], *described}) - _ALWAYS
        if self.writing:
            return parts | {"writing"}
        return parts | ({"refused"} if self.data["expect"] == _IS_REFUSED else set())

    @property
    def tools(self) -> dict[str, Any]:
        """The member of a request with the description."""
        return {"dialect": self.data["described"]}

    def request(self, _: FormatCases, /) -> dict[str, Any]:
        """Return the request for the turn in one chunk, or the one to write."""
        if self.writing:
            return {**self.writing, **self.tools}
        return {"op": "parse", **self.tools, **self.options, "chunks": [self.text]}

    def asked(self, takes: Container[str] | None) -> dict[str, Any] | None:
        """Return the options for an adapter that takes these members, or None if it does not."""
        return self.options if all(name in (takes or ()) for name in self.needs) else None

    @cached_property
    def needs(self) -> list[str]:
        """What not every adapter takes: the options, halves of surrogate pairs, and to write."""
        sent = [self.text, self.data["described"], self.data["expect"], self.writing]
        abilities = {"lone-surrogates": has_half(sent), "writing": self.writing}
        return [*self.options, *(name for name, is_needed in abilities.items() if is_needed)]

    @cached_property
    def like(self) -> corpus.Case:
        """The turn as a case of a dialect."""
        asked = self.writing or {"op": "parse", "input": self.text}
        return _Like({"op": asked["op"], **asked, "expect": self.data["expect"]})


@dataclass
class TurnOutcome:
    """What a reply gives, in the normal form."""

    outcome: replies.Outcome
    #: Nothing is said of it here.
    finish: None = None
    #: Why a description is refused, in the words of the adapter.
    why: str = ""

    def shown(self) -> replies.Outcome:
        """Return it in the form in which a case expects it."""
        return self.outcome


def load(place: Path = corpus.PLACE) -> FormatCases:
    """Return the turns of the corpus in `place`, as those of one format."""
    found = [
        # A program may refuse a description that has the name of a format it knows.
        (case, {**described, "name": f"{described['name']}-{DESCRIBED}"})
        for described, case in (*formats.turns(place), *formats.turns(place, formats.WRITTEN))
    ]
    found += [(case, case["description"]) for case in formats.refusals(place)]
    implied: Record = {"basis": "clauses", "flags": [], "text": "", "expect": _IS_REFUSED}
    cases: list[FormatCase] = []
    for case, described in found:
        own: Record = {
            name: corpus.expanded(case[name]) for name in ("text", "expect") if name in case
        }
        cases.append(DescribedTurn({**implied, **case, **own, "described": described}))
    return FormatCases(DESCRIBED, "formats by description", [], cases)


def every(place: Path = corpus.PLACE) -> list[FormatCases]:
    """Return the formats of the corpus in `place`, and the turns in formats by description."""
    return [*formats.every(place), load(place)]


class Turns(Reader):
    """Turns in formats by description, each read whole and in every cut.

    The first reply may have `lacks`, as a reply to `hello` (spec/adapter.md).
    """

    #: The first request is in a format that nearly every parser of descriptions reads.
    greeting: ClassVar[Record] = {
        **Reader.greeting,
        "dialect": {"name": "mine", "call": ["<c>", "</c>"], "payload": {"kind": "object"}},
    }
    _lacks: frozenset[str] = frozenset()

    def header(self, asker: Asker, command: list[str]) -> Record:
        """Return the record of the run."""
        header = super().header(asker, command)
        # Turns are never read beside each other.
        self._taken -= {"sessions"}
        return {**header, "lacks": sorted(self._lacks)}

    def _greeted(self, answer: Answer) -> None:
        super()._greeted(answer)
        self._lacks = takes(answer, "lacks")

    def ask(self, found: ParserReading, asker: Asker) -> None:
        """Ask for a turn whole and in every cut, or once for what is to be written."""
        case: Any = found.case
        if not case.writing:
            super().ask(found, asker)
            return
        request = case.request(None)
        found.whole = self._replied(asker.one(request), case)
        found.outcome = self._outcome(case, found.whole, found.whole)
        found.is_done = True
        found.is_kept = found.verdict == "wrong" and asker.passes_alone(
            request,
            self._cause(found),
            lambda answer: self._outcome(case, self._replied(answer, case), None) is not None,
        )

    def _replied(self, answer: Answer, case: DescribedTurn) -> Any:
        """Return what is written, or in words why nothing is."""
        if (why := unanswered(answer)) is not None or not isinstance(answer, Reply):
            return why
        problem = replies.fault(case.like.data, answer.members)
        return problem or TurnOutcome(replies.outcome(case.like, answer.members))

    def record(self, found: ParserReading) -> Record | None:
        """Return what a report says of a turn, or None if it is left out as unsupported."""
        is_left_out = self.options.as_claimed and _is_unsupported(found)
        record = None if is_left_out else super().record(found)
        if record is None:
            return None
        data = found.case.data
        asked = data.get("request")
        if isinstance(record.get("gives"), dict):
            record["expected"], record["gives"] = self._outcomes(found)
            if _IS_REFUSED in (record["expected"], record["gives"]) and not asked:
                asked, why = data["described"], found.other.actual.why
                record["gives"] = {"refused": why} if why else record["gives"]
                place = {"place": data["place"]} if "place" in data else {}
                record["expected"] = {**record["expected"], **place}
        if asked is not None and "text" in record:
            record["text"] = json.dumps(asked, ensure_ascii=False)
        return {**record, "clauses": data["clauses"]}

    def _cause(self, found: ParserReading) -> str:
        if found.verdict in ("late", "grows") or not isinstance(found.other.actual, TurnOutcome):
            return super()._cause(found)
        expected, actual = self._outcomes(found)
        if _IS_REFUSED in (expected, actual):
            what = "request" if found.case.data.get("request") else "description"
            words = f"the {what} is {'not ' if expected == _IS_REFUSED else ''}refused"
        else:
            message = difference(expected, actual)
            words = grouping.of_message("differs", message).removeprefix("differs: ")
        return f"{grouping.where(found)}: {words}"

    def _outcomes(self, found: ParserReading) -> tuple[replies.Outcome, replies.Outcome]:
        """Return what is expected of a turn, and what is given instead."""
        like: Any = found.case
        expected = self._expected(found.case)
        return expected, replies.written_as(like.like, expected, found.other.actual.outcome)

    def report(self, header: Record, records: list[Record], **end: Any) -> TextReport:
        """Return the report, which says what is unsupported, and what cannot be.

        An adapter reads a description with these options, or does not; the text has no say in it.
        """
        report = super().report(header, records, **end)
        unsupported = [one.case for one in self._read if _is_unsupported(one)]
        kinds = Counter(str(one.data["described"]["payload"]["kind"]) for one in unsupported)
        read = {
            _asks(one.case): one.case.id for one in self._read if isinstance(one.whole, TurnOutcome)
        }
        report.end["unasked"] -= len(unsupported) if self.options.as_claimed else 0
        report.end["unsupported"] = dict(sorted(kinds.items()))
        report.end["faults"] = []
        if dodged := [one for one in unsupported if _asks(one) in read]:
            turns, other = counted(len(dodged), "turn is", "turns are"), read[_asks(dodged[0])]
            report.end["faults"].append(
                f"{turns} answered with `unsupported` for the text (ad-unsupported): {dodged[0].id}"
                f" is, but {other}, of the same description and with the same options, is not"
            )
        return report

    def _ways(self, case: FormatCase) -> list[Chunks]:
        """Return a turn cut in every way; what is refused has no text to cut."""
        return super()._ways(case) if case.text else []

    def _at_close(self) -> int:
        """Return 0: a parser of whole texts says that it lacks `prompt`."""
        return 0

    def _untimely(
        self, reading: ParserReading, _: Asker, chunks: Chunks, actual: list[Any]
    ) -> Iterator[Other]:
        """Note what comes after the character that determines it, and yield what comes before."""
        feeds = fresh_texts.reference(reading.case, self.request, chunks, self._taken) or []
        is_same = sum(map(len, feeds)) == sum(map(len, actual))
        if "prompt" in self._lacks or not is_same or (found := untimely(feeds, actual)) is None:
            return
        (place, is_late), ends = found, [*accumulate(map(len, chunks))]
        if is_late:
            number = sum(map(len, feeds[: place + 1]))
            came = zip(ends, accumulate(map(len, actual)), strict=False)
            then = next((end for end, amount in came if amount >= number), None)
            reading.late = Late({"type": feeds[place][0]["type"]}, ends[place], then)
            return
        so_far, kind = counted(ends[place], "character"), actual[place][0]["type"]
        why = Unread(f"looks ahead: `{kind}` comes after {so_far}, which is too soon")
        yield Other(chunks, why)

    def _said(self, answer: Answer, chunks: int) -> Any:
        if isinstance(answer, Reply) and isinstance(answer.members.get("refused"), str):
            return TurnOutcome(_IS_REFUSED, why=answer.members["refused"])
        feeds: Items | str = fed(answer, chunks)
        if isinstance(feeds, str) or not isinstance(answer, Reply):
            return feeds
        reply = answer.members
        request = {"op": "parse", "chunks": [""] * chunks}
        if problem := replies.fault(request, reply, self._lacks):
            return problem
        events = replies.joined(event for feed in feeds for event in feed)
        members: Record = {name: reply[name] for name in replies.OF_REPLIES if name in reply}
        return TurnOutcome(replies.Form(lacks=self._lacks).outcome({"events": events, **members}))

    def _expected(self, case: FormatCase) -> replies.Outcome:
        like: Any = case
        form = replies.Form() if like.writing else replies.Form(lacks=self._lacks)
        return form.outcome(dict(case.data["expect"]))

    def _which(self, case: FormatCase, actual: TurnOutcome, _whole: Any) -> int | None:
        like: Any = case
        expected = self._expected(case)
        if _IS_REFUSED in (expected, actual.outcome):
            return 0 if expected == actual.outcome else None
        return 0 if replies.same(like.like, expected, actual.outcome) else None


def _is_unsupported(found: ParserReading) -> bool:
    return isinstance(found.whole, str) and found.whole.startswith("unsupported: ")


def _asks(case: FormatCase) -> str:
    """Return what a request for a turn asks of a parser, whatever the text is."""
    op = case.data.get("request", {}).get("op")
    return json.dumps([case.data["described"], case.options, op], sort_keys=True)
