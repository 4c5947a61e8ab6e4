# SPDX-License-Identifier: MIT
"""What the answers to the questions of one case say, property by property.

Each property is judged apart, which distinguishes a parser that is right but late from one that is
wrong: `events` against what the case expects; `chunks`, `tokens` and `resume` against what the
same parser returns for the whole input; `prompt` against when an event must be known; `growth` by
processor time.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from cogwire.events import Code
from cogwire_kit.conformance import questions, replies
from cogwire_kit.conformance.comparing import alike, delta_faults, untimely
from cogwire_kit.conformance.corpus import Case, expanded
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.target import Answer, Failure
from cogwire_kit.texts.words import beginning, counted

#: In the order in which reports name them.
PROPERTIES: Final = ("events", "chunks", "tokens", "resume", "prompt", "growth", "fresh")


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """What is the same in every run."""

    #: The seed of everything that is drawn.
    seed: int = 0
    #: Whether what is not claimed is left out, instead of being unsupported.
    as_claimed: bool = False
    #: Whether the run ends with the first mandatory case that fails.
    is_first_enough: bool = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(CommonOptions):
    """What is judged of the cases of a corpus."""

    properties: frozenset[str] = frozenset(PROPERTIES)
    without: frozenset[str] = frozenset()


#: From best to worst.  `allowed` is another outcome that a clause allows; a text of a format
#: `grows` if the work does so too fast, is read otherwise in `cuts`, or `wrong` even in one piece.
VERDICTS: Final = (
    "pass",
    "allowed",
    "unsupported",
    "late",
    "grows",
    "differs",
    "cuts",
    "wrong",
    "timed-out",
    "crashed",
    "fault",
)
PASSING: Final = ("pass", "allowed")
LEVELS: Final = ("must", "should", "may")

#: What a report says of a case, or of the run.
Record = dict[str, Any]

#: After one of these verdicts, no more questions of the case are asked.
_DEADLY: Final = ("timed-out", "crashed", "fault")

#: How much of a content is quoted in a message.
_SHOWN: Final = 40
#: How the messages begin of work that grows too fast, of what passes in a process that is asked
#: nothing else, and of a snapshot that was refused.
GROWS: Final = "grows"
KEPT: Final = "passes alone: state is kept between requests (ad-stateless)"
REFUSED: Final = "the snapshot was refused"

_PROPERTY_OF: Final = {"twin": "events", "chunking": "chunks"}


def sizes(growth: Record) -> str:
    """Return in words how often a growth case has what is repeated in it, and its chunks."""
    chunks = counted(growth["chunk"], "character")
    return f"with n = {growth['small']:,} and then {growth['large']:,}, in chunks of {chunks}"


def is_deadly(verdict: str) -> bool:
    """Say whether a parser with this verdict gave no answer at all."""
    return verdict in _DEADLY


def is_unclaimed(case: Record) -> bool:
    """Say whether a case, or some of its properties, was not asked because it is not claimed."""
    seen = case["properties"].values()
    is_judged = any("finding" in one for one in seen) or not seen
    return case["verdict"] == "unsupported" and not is_judged


def is_failing(case: Record, levels: tuple[str, ...] = ("must",)) -> bool:
    """Say whether a case of these levels did not pass, and nobody knew of it.

    Texts of formats have no level.
    """
    is_counted = case.get("level", LEVELS[0]) in levels
    return is_counted and case["verdict"] not in PASSING and "known" not in case


def property_of(aspect: str) -> str:
    """Return the property that questions of this aspect are about."""
    return _PROPERTY_OF.get(aspect, aspect)


#: Errors that are known later than at the character that they name.
_LATER: Final = frozenset(
    {"bad-encoding", "forged-results", "missing-execute", "unclosed-call", "unclosed-execute"}
    | {"results-shape", "results-count", "results-order"}
)
#: Errors that are known at the very character that they name (m-prompt-grammar, m-prompt-values).
_AT_ITS_CHARACTER: Final = frozenset(get_args(Code)) - _LATER


@dataclass
class CaseFinding:
    """An answer that is not as required."""

    verdict: str
    question: Question
    message: str
    expected: Any = None
    actual: Any = None


@dataclass
class Judgement:
    """How one property of one case was judged."""

    verdict: str = "pass"
    runs: int = 0
    failed: int = 0
    first: CaseFinding | None = None
    #: The places at which one cut alone makes a difference.
    cuts: list[int] = field(default_factory=list)
    note: str = ""

    def add(self, finding: CaseFinding) -> None:
        """Count an answer that fails; keep the worst, and of equals the least cut."""
        self.failed += 1
        size = _size(finding)
        if size[0] == 2 and finding.question.schedule.startswith(questions.CUT_ONCE):
            self.cuts.append(len(finding.question.chunks[0]))
        rank, best = VERDICTS.index(finding.verdict), VERDICTS.index(self.verdict)
        if rank > best or self.first is None or (rank == best and size < _size(self.first)):
            self.verdict, self.first = finding.verdict, finding


def _size(finding: CaseFinding) -> tuple[int, int]:
    chunks = finding.question.chunks
    return len(chunks), sum(map(len, chunks))


class Judge:
    """Judges the answers to the questions of a case; the first is that to the whole input."""

    def __init__(
        self, case: Case, form: replies.Form, wanted: frozenset[str] = frozenset(PROPERTIES)
    ) -> None:
        self.case = case
        self._wanted = wanted
        self.properties: defaultdict[str, Judgement] = defaultdict(Judgement)
        #: Whether further questions could not change the verdict.
        self.is_over = False
        self._form = form
        self._whole: replies.Outcome | None = None
        #: The events of the whole input, in order.
        self._whole_events: list[replies.Event] = []

    @property
    def verdict(self) -> str:
        """The worst verdict of any property."""
        return max((found.verdict for found in self.properties.values()), key=VERDICTS.index)

    def refuse(self, name: str, reason: str) -> None:
        """Note that the target does not claim what a property needs."""
        self.properties[name].verdict = "unsupported"
        self.properties[name].note = reason

    def passes(self, name: str) -> bool:
        """Say whether a property was judged, and passes so far."""
        return name in self.properties and self.properties[name].verdict in PASSING

    def take(self, question: Question, answer: Answer) -> CaseFinding | None:
        """Judge one answer; return what is wrong with it, or None."""
        judgement = self.properties[property_of(question.aspect)]
        judgement.runs += 1
        finding = self.examined(question, answer)
        if finding is not None:
            if question.before:
                finding.message = f"{question.schedule}: {finding.message}"
            judgement.add(finding)
            is_dead = finding.verdict in _DEADLY
            self.is_over |= is_dead or (question.aspect == "events" and self._whole is None)
        return finding

    def examined(self, question: Question, answer: Answer) -> CaseFinding | None:
        """Return what is wrong with an answer, or None, without counting it."""
        if isinstance(answer, Failure):
            return CaseFinding(answer.kind, question, answer.message)
        reply = answer.members
        lacks = self._form.lacks
        if (fault := replies.fault(question.request, reply, lacks)) is not None:
            shown = None if fault == replies.TOO_DEEP else reply
            return CaseFinding("fault", question, fault, actual=shown)
        if question.before and "feeds" in reply:
            reply = {**reply, "feeds": [*question.before, *reply["feeds"]]}
        for member, (verdict, words) in _NO_RESULT.items():
            if member in reply:
                return CaseFinding(verdict, question, f"{words}{reply[member]}")
        try:
            actual = replies.outcome(question.case, reply, self._form)
            examine: _Examine = getattr(self, f"_examine_{question.aspect}")
            finding = examine(question, actual, reply)
        except replies.FaultError as problem:
            return CaseFinding("fault", question, str(problem), actual=reply)
        if finding is not None and "refused" in reply:
            # The adapter says why, which says more than that all the rest is missing.
            finding.message = _refused(question, reply)
            finding.actual = {"refused": reply["refused"]}
        return finding

    def _examine_events(
        self, question: Question, actual: replies.Outcome, reply: dict[str, Any]
    ) -> CaseFinding | None:
        self._whole = actual
        if "feeds" in reply:
            self._whole_events = replies.events_of(reply)
        is_parse = self.case.op == "parse"
        expected = map(self._form.outcome, self.case.expected) if is_parse else self.case.expected
        first, *others = expected
        if replies.same(self.case, first, actual):
            return None
        for number, other in enumerate(others):
            if replies.same(self.case, other, actual):
                judgement = self.properties["events"]
                judgement.verdict = "allowed"
                judgement.note = str(self.case.data["also"][number]["why"])
                return None
        return self._differs(question, first, actual)

    def _differs(
        self, question: Question, expected: replies.Outcome, actual: replies.Outcome, so: str = ""
    ) -> CaseFinding:
        """Return what is wrong with an outcome that is not the one that is expected."""
        actual = replies.written_as(question.case, expected, actual)
        message = f"{so}{difference(expected, actual)}"
        return CaseFinding("differs", question, message, expected, actual)

    def _examine_twin(
        self, question: Question, actual: replies.Outcome, _: dict[str, Any]
    ) -> CaseFinding | None:
        turns = actual.get("turns", [actual])
        if "refused" in actual:
            return CaseFinding("differs", question, "refused", None, actual)
        errors = [e for turn in turns for e in turn.get("events", []) if e["type"] == "error"]
        if errors and self.case.op == "parse":
            message = f"the nearest valid input produces the error {errors[0].get('code')}"
            return CaseFinding("differs", question, message, None, actual)
        return None

    def _examine_chunking(
        self, question: Question, actual: replies.Outcome, reply: dict[str, Any]
    ) -> CaseFinding | None:
        """Compare a cut input with the whole, and judge its deltas and the time of its events."""
        if (finding := _of_deltas(question, reply)) is not None:
            return finding
        whole = self._whole or {}
        if not replies.same(self.case, whole, actual):
            return self._differs(question, whole, actual, "not what the whole input produces: ")
        if "feeds" in reply and "messages" not in self._form.lacks:
            expected, found = _messages(self._whole_events), _messages(replies.events_of(reply))
            if expected != found:
                message = "an error is worded differently for the whole input (m-law-chunking)"
                return CaseFinding("differs", question, message, expected, found)
        self._when(question, actual, reply)
        return None

    _examine_tokens = _examine_resume = _examine_chunking

    def _when(self, question: Question, actual: replies.Outcome, reply: dict[str, Any]) -> None:
        """Judge promptness: with single characters, each event has its one feed."""
        is_single = question.schedule == "single characters" and question.aspect != "resume"
        if not is_single or "prompt" not in self._wanted or "feeds" not in reply:
            return
        if not isinstance(question.case.input, str):
            return
        text = replies.decoded(question.case.input)
        if len(text) != len(question.chunks):
            return
        judgement = self.properties["prompt"]
        judgement.runs += 1
        feeds = [*reply["feeds"], reply["close"]]
        events = [(place, event) for place, feed in enumerate(feeds) for event in feed]
        # These are in code points.
        offsets = iter([e.get("offset") for e in actual["events"] if e["type"] == "error"])
        for number, (place, event) in enumerate(events):
            is_last = number == len(events) - 1
            offset = next(offsets) if event["type"] == "error" else None
            if offset is not None and not self.passes("events"):
                # A place that may be wrong does not say when an error has to come.
                continue
            overdue = self._overdue(event, offset, text[: place + 1], place, is_last=is_last)
            if overdue is not None:
                after = "the close" if place == len(text) else counted(place + 1, "character")
                is_early = offset is not None and offset > place
                message = f"{overdue} arrives {'already' if is_early else 'only'} after {after}"
                verdict = "differs" if is_early else "late"
                judgement.add(CaseFinding(verdict, question, message, [event], [event]))
                return

    def _overdue(
        self, event: replies.Event, offset: int | None, so_far: str, place: int, *, is_last: bool
    ) -> str | None:
        """Return the name of `event` if it had to come earlier than at the feed `place`.

        `so_far` are the characters fed by then; the last feed of all is the close.
        """
        kind, wire = event["type"], self.case.wire
        is_at_close = place == len(so_far)
        if kind == "error" and event.get("code") in _AT_ITS_CHARACTER:
            return None if offset in (place, None) else f"the error at {offset}"
        if kind == "call" and wire.is_verbatim:
            is_there = so_far.endswith(str(event["content"])) and not is_at_close
            # One that is sealed waits for its `execute`, which has to come at its marker.
            is_free = "verbatim-calls" in self._form.lacks or "calls" in self.case.options
            return None if is_there or is_free else "a call"
        if kind not in wire.ends or ("segment" in event and not event.get("done")):
            return None
        is_there = so_far.endswith(wire.ends[kind]) and not is_at_close
        if kind in ("think", "respond"):
            # What ends a segment is a marker, or the end of the text.
            return None if is_there or (is_at_close and is_last) else f"the end of a {kind}"
        return None if is_there else f"`{kind}`"

    def _examine_prompt(
        self, question: Question, actual: replies.Outcome, _: dict[str, Any]
    ) -> CaseFinding | None:
        if "refused" in actual:
            return CaseFinding("differs", question, "refused", None, actual)
        expected = self._form.events(expanded(self.case.data["prompt"][question.index]["events"]))
        found = actual["events"]
        if found == expected:
            return None
        missing = _length(found) < _length(expected)
        message = "something is still held back" if missing else "something was emitted too soon"
        return CaseFinding("late" if missing else "differs", question, message, expected, found)

    def _examine_fresh(
        self, question: Question, actual: replies.Outcome, reply: dict[str, Any]
    ) -> CaseFinding | None:
        """Compare the answer to an input that is made for the run with what has to come of it."""
        expected = question.case.expected[0]
        expected = self._form.outcome(expected) if self.case.op == "parse" else expected
        if (finding := _of_deltas(question, reply)) is not None:
            return finding
        if not replies.same(question.case, expected, actual):
            return self._differs(question, expected, actual)
        if question.reference is not None and "prompt" in self._wanted:
            self._when_fresh(question, reply, question.reference)
        return None

    _examine_growth = _examine_fresh

    def _when_fresh(
        self, question: Question, reply: dict[str, Any], reference: dict[str, Any]
    ) -> None:
        """Judge when events come that are right: each with the chunk that determines it."""
        judgement = self.properties["prompt"]
        judgement.runs += 1
        expected = [feed for turn in reference.get("turns", [reference]) for feed in _feeds(turn)]
        actual = [feed for turn in reply.get("turns", [reply]) for feed in _feeds(turn)]
        if (found := untimely(expected, actual)) is None:
            return
        place, is_late = found
        when = "the close" if place == len(expected) - 1 else f"chunk {place}"
        first = _named((expected if is_late else actual)[place][0])
        how = f"later than with {when}" if is_late else f"with {when}, which is too soon"
        verdict = "late" if is_late else "differs"
        judgement.add(CaseFinding(verdict, question, f"{first} arrives {how}", expected, actual))

    def judge_growth(self, question: Question, *, is_fine: bool, note: str) -> None:
        """Judge how the work grows, as it was measured; `question` was the last."""
        judgement = self.properties["growth"]
        judgement.note = note
        if not is_fine:
            growth = self.case.data["growth"]
            asked = f"{json.dumps(self.case.data['input'])}, {sizes(growth)}"
            message = f"{GROWS}: {note}; the input is {asked}"
            judgement.add(CaseFinding("differs", question, message))


#: Returns what is wrong with an outcome, of a reply to a question of one aspect.
_Examine = Callable[[Question, replies.Outcome, dict[str, Any]], CaseFinding | None]
#: The members of replies that have no result: the verdict, and what is said before the reason.
_NO_RESULT: Final = {
    "unsupported": ("unsupported", ""),
    "crashed": ("crashed", ""),
    "error": ("fault", "answered with `error`, "),
}


def _refused(question: Question, reply: dict[str, Any]) -> str:
    """Return what was refused that should not be, and why, in the words of the adapter."""
    start = REFUSED if "restore" in question.request else "what is valid was refused"
    start = "the nearest valid input was refused" if question.aspect == "twin" else start
    return f"{start}: {json.dumps(reply['refused'], ensure_ascii=False)}"


def _of_deltas(question: Question, reply: dict[str, Any]) -> CaseFinding | None:
    """Return what is wrong with the deltas of a token stream, or None."""
    is_token = question.request.get("stream") == "token" and "refused" not in reply
    for turn in reply.get("turns", [reply]) if is_token else []:
        if (fault := delta_faults(events := replies.events_of(turn))) is not None:
            return CaseFinding("differs", question, fault, None, events)
    return None


def _feeds(reply: dict[str, Any]) -> list[list[replies.Event]]:
    return [*reply["feeds"], reply["close"]]


def _messages(events: list[replies.Event]) -> list[Any]:
    return [event.get("content") for event in events if event["type"] == "error"]


def _length(events: list[replies.Event]) -> tuple[int, int]:
    return len(events), sum(len(str(event.get("content", ""))) for event in events)


def difference(expected: replies.Outcome, actual: replies.Outcome) -> str:
    """Return in a few words where two outcomes differ."""
    if "turns" in expected and "turns" in actual:
        for number, (one, other) in enumerate(
            zip(expected["turns"], actual["turns"], strict=False)
        ):
            if one != other:
                return f"turn {number}: {difference(one, other)}"
        return f"{counted(len(actual['turns']), 'turn')}, not {len(expected['turns'])}"
    wanted, found = expected.get("events"), actual.get("events")
    if isinstance(wanted, list) and isinstance(found, list) and wanted != found:
        if (spelled := [*map(_respelled, wanted)]) != (others := [*map(_respelled, found)]):
            wanted, found = spelled, others
        place = next(
            (n for n, pair in enumerate(zip(wanted, found, strict=False)) if pair[0] != pair[1]),
            min(len(wanted), len(found)),
        )
        is_in_both = place < min(len(wanted), len(found))
        start = _place(wanted[place], found[place]) if is_in_both else 0
        expectation = _named(wanted[place], start) if place < len(wanted) else "nothing more"
        got = _named(found[place], start) if place < len(found) else "nothing more"
        if is_in_both:
            if got == expectation:
                return f"event {place}: `{_member(wanted[place], found[place])}` of {got} differs"
            if _is_within(wanted[place:], found[place + 1 :]):
                return f"event {place}: {got} is too much"
            if _is_within(found[place:], wanted[place + 1 :]):
                return f"event {place}: {expectation} is missing"
        return f"event {place}: {got}, not {expectation}"
    names = [name for name in {**expected, **actual} if expected.get(name) != actual.get(name)]
    return ", ".join(f"{name} differs" for name in names)


def _member(event: replies.Event, other: replies.Event) -> str:
    """Return the first member in which two events differ."""
    return next(name for name in {**event, **other} if event.get(name) != other.get(name))


def _is_within(some: list[replies.Event], all_of_them: list[replies.Event]) -> bool:
    """Say whether the events of the one list are in the other, in their order."""
    rest = iter(all_of_them)
    return all(event in rest for event in some)


def _respelled(event: replies.Event) -> replies.Event:
    """Return an event with the JSON of its content in one spelling, since no other is wrong."""
    try:
        value = json.loads(event["content"]) if event.get("type") in ("call", "result") else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return event
    return event if value is None else {**event, "content": json.dumps(value, ensure_ascii=False)}


def _place(event: replies.Event, other: replies.Event) -> int:
    """Return from where on the contents of two events show how they differ."""
    contents = (str(one.get("content", "")) for one in (event, other))
    before = alike(*contents) - _SHOWN // 2
    return max(before, 0) if event.get("type") == other.get("type") else 0


def _named(event: replies.Event, start: int = 0) -> str:
    """Return an event in a few words, with the beginning of its content, or what is at `start`."""
    if event.get("type") == "error":
        code = f" {event['code']}" if "code" in event else ""
        return f"error{code}" + (f" at {event['offset']}" if "offset" in event else "")
    content = str(event.get("content", ""))
    shown = "…" * (start > 0) + beginning(content[start:], _SHOWN)
    return f"{event.get('type')} {shown!r}" if content else str(event.get("type"))
