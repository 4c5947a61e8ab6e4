# SPDX-License-Identifier: MIT
"""A parser of any format, compared with itself: nothing is expected of a text.

What its cuts produce is compared with what the whole text does; how soon an item arrives, with when
the parser returns it for less of the text; and how the work grows, with what the parser says that
it has counted for more of the text.
"""

import bisect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar, Final

from cogwire_kit.conformance import formats, grouping, questions
from cogwire_kit.conformance.formats import FormatCase, Items, Late, Other, ParserReading, is_text
from cogwire_kit.conformance.judge import KEPT, Record
from cogwire_kit.conformance.questions import Chunks
from cogwire_kit.conformance.readings import Reader, fed
from cogwire_kit.conformance.session import Asker
from cogwire_kit.conformance.target import Reply
from cogwire_kit.conformance.text_reports import TextReport
from cogwire_kit.texts.words import counted

#: Put after the beginning of a text, so that nothing is decided by the end, or by what follows.
_MORE: Final = ("x", "\n")
#: What comes before so many characters more is late.
_AHEAD: Final = 2
#: Texts up to here are made longer by so many characters, and by twice as many.
_SHORT: Final = 100
_STRETCH: Final = 400
#: What is always counted: the characters of the items as JSON.
COUNTED: Final = "output"
_LETTER: Final = re.compile(r"[a-z]")


@dataclass
class Asking(Reader):
    """The texts of a parser of which nothing is expected but what it makes of each itself."""

    greeting: ClassVar[Record] = {}
    #: What the single characters of a text gave, if that is what the whole does.
    _singles: Sequence[Items] = field(init=False, default=())
    #: How many times as much twice the text takes, by what is counted.
    _times: dict[str, float] = field(init=False, default_factory=dict)
    #: What is wrong with the parser, aside from its texts.
    _faults: list[str] = field(init=False, default_factory=list)

    def _which(self, _: FormatCase, actual: Any, whole: Any) -> int | None:
        """Compare all that was given with what the whole text gives."""
        return 0 if actual == whole else None

    def ask(self, found: ParserReading, asker: Asker) -> None:
        """Ask for a text whole and in every cut; after the last one, for more of a text."""
        super().ask(found, asker)
        if len(self._read) == len(self.cases) and not self._is_mute:
            self._grow(asker)

    def _cut(self, reading: ParserReading, asker: Asker) -> None:
        """Ask for a text in every cut, and for what shows least of what is wrong."""
        self._singles = []
        super()._cut(reading, asker)
        if reading.differing:
            reading.differing[0] = self._least(reading, asker)
        is_late = self._singles and not reading.is_at_close
        if is_late and len(reading.case.text) <= questions.EVERY_CUT:
            reading.slow = list(self._late(reading, asker))

    def record(self, found: ParserReading) -> Record | None:
        """Return what a report says of a text."""
        if not found.is_done:
            return None
        members: Record = {"record": "case", "id": found.case.id, "title": found.case.text}
        members |= {"verdict": found.verdict, "basis": "itself", "cuts": found.cuts}
        members |= {"differing": len(found.differing), "text": found.case.text}
        members |= {"unasked": found.unasked} if found.unasked else {}
        if found.slow:
            members["late"] = [{**vars(one), "cause": grouping.of_late(one)} for one in found.slow]
        if found.short is not None:
            members["short"] = found.short
        if isinstance(found.whole, str):
            members |= {"whole": False, "gives": found.whole}
        elif found.differing:
            least = found.differing[0]
            shown = [one if isinstance(one, str) else list(one) for one in least.chunks]
            members |= {"chunks": shown, "expected": found.whole, "gives": least.actual}
        if found.verdict != "pass":
            members["cause"] = KEPT if found.is_kept else self._cause(found)
        return members

    def _cause(self, found: ParserReading) -> str:
        if isinstance(found.whole, str):
            return grouping.of_failure(found.whole)
        return grouping.of_items(found.whole, found.other.actual)

    def report(self, header: Record, records: list[Record], **end: Any) -> TextReport:
        """Return the report, which fails if nothing is returned for any text."""
        report = super().report(header, records, **end)
        is_empty = bool(self._read) and not any(one.whole for one in self._read)
        faults = ["nothing is returned for any of them"] if is_empty else []
        report.end |= {"growth": self._times, "faults": [*faults, *self._faults]}
        return report

    def _seen(self, reading: ParserReading, chunks: Chunks, feeds: list[Items]) -> None:
        """Note what single characters gave, and when one chunk gives more than so many of them."""
        if len(chunks) == len(reading.case.text):
            self._singles = self._singles or feeds
        elif len(chunks) == 2 and self._singles and reading.short is None and chunks[0]:
            size = len(chunks[0])
            is_short = len(self._formed(self._singles[:size])) < len(self._formed(feeds[:1]))
            reading.short = size if is_short else None

    def _formed(self, feeds: Sequence[Items]) -> Any:
        return self.form([one for feed in feeds for one in feed])

    def _least(self, reading: ParserReading, asker: Asker) -> Other:
        """Take cuts away for as long as the rest still differ."""
        case, first = reading.case, reading.differing[0]

        def fails(fewer: Chunks) -> bool:
            return len(fewer) > 1 and bool(self._given(asker, case, fewer) != reading.whole)

        fewest = questions.least(first.chunks, fails)
        return first if fewest == first.chunks else Other(fewest, self._given(asker, case, fewest))

    def _late(self, reading: ParserReading, asker: Asker) -> Iterator[Late]:
        """Yield what arrives later in single characters than for less of the text in one piece.

        It counts only where more text may follow, since the end decides much, and beyond one
        character, which may be needed to distinguish a marker from a longer word.
        """
        for place, item in enumerate(reading.whole):
            if not is_text(item) and not _is_error(item):
                number = reading.whole[: place + 1].count(item)
                yield from self._late_item(reading.case, asker, item, number)

    def _late_item(self, case: FormatCase, asker: Asker, item: Any, number: int) -> Iterator[Late]:
        text = case.text

        def gives(text: str) -> bool:
            return _has(self._given(asker, case, [text]), item, number)

        def is_complete(end: int) -> bool:
            # What truly follows may still change it.
            return all(gives(text[:end] + more) for more in (*_MORE, text[end : end + 1]))

        def has_arrived(end: int) -> bool:
            return _has(self._formed(self._singles[:end]), item, number)

        size = len(text)
        arrived = bisect.bisect_left(range(size + 1), True, key=has_arrived)
        if arrived > _AHEAD and is_complete(arrived - _AHEAD):
            complete = bisect.bisect_left(range(arrived - _AHEAD), True, lo=1, key=is_complete)
            yield Late(item, complete, arrived if arrived <= size else None)

    def _grow(self, asker: Asker) -> None:
        """Find how much more twice the text takes, in single characters, by what is counted.

        That is the output, and what the target says that it has counted.  The text is a short one,
        repeated as a whole, or with a letter in it repeated; the worst of these is kept.
        """
        texts = [one.case.text for one in self._read if one.outcome is not None]
        if not texts:
            return
        short = [text for text in texts if len(text) <= _SHORT]
        text = max(short, key=len) if short else min(texts, key=len)
        for once, twice in _stretched(text):
            less, more = self._counted(once, asker), self._counted(twice, asker)
            if isinstance(less, str) or isinstance(more, str):
                why = less if isinstance(less, str) else str(more)
                self._faults = [f"grows: no answer for a longer text: {why}"]
                continue
            for name in less.keys() & more.keys():
                times = more[name] / max(less[name], 1) * 2 * len(once) / len(twice)
                self._times[name] = max(times, self._times.get(name, 0))

    def _counted(self, text: str, asker: Asker) -> dict[str, float] | str:
        chunks = questions.cut(text, range(1, len(text)))
        answer = asker.one({**self.request, "chunks": chunks})
        actual = fed(answer, len(chunks))
        if isinstance(actual, str) or not isinstance(answer, Reply):
            return f"{counted(len(text), 'character')}, one by one: {actual}"
        size = sum(len(json.dumps(one)) for feed in actual for one in feed)
        return {COUNTED: size, **counts(answer)}


def _stretched(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts: one that is made longer, and one by twice as much."""
    copies = max(1, _STRETCH // max(len(text), 1))
    yield text * copies, text * copies * 2
    found = (_LETTER.search(text, len(text) * quarter // 4) for quarter in (1, 2, 3))
    for at in dict.fromkeys(letter.start() for letter in found if letter):
        once, twice = (
            text[:at] + text[at] * number + text[at:] for number in (_STRETCH, 2 * _STRETCH)
        )
        yield once, twice


def _has(actual: Items | str, item: Any, number: int) -> bool:
    return not isinstance(actual, str) and actual.count(item) >= number


def counts(answer: Reply) -> dict[str, float]:
    """Return what a target says that it has counted: members of `counts` that are numbers."""
    reported = answer.members.get("counts")
    found = reported.items() if isinstance(reported, dict) else ()
    return {
        name: number
        for name, number in found
        if isinstance(number, int | float) and not isinstance(number, bool) and number >= 0
    }


def _is_error(item: Any) -> bool:
    """Say whether an item is an error, which may be about the end, or about what follows."""
    return isinstance(item, dict) and (item.get("type") == "error" or "error" in item)


def joined(items: Items) -> Items:
    """Return the items with adjacent pieces of text joined, and without empty ones."""
    whole: Items = []
    kept = (item for item in items if not is_text(item) or any(item.values()))
    for name, found in groupby(kept, _name_of_text):
        run = list(found)
        whole += run if name is None else [{name: "".join(item[name] for item in run)}]
    return whole


def _name_of_text(item: Any) -> str | None:
    return str(next(iter(item))) if is_text(item) else None


def of_format(items: Items) -> Items | str:
    """Return what the items of a format say: reasoning, prose, and each call with its arguments.

    The order of prose and calls is not kept, which parsers of whole texts do not report, nor is
    white space at the ends of a text, which formats leave open.
    """
    message = formats.message(items)
    if isinstance(message, str):
        return message
    texts = {"reasoning": message.reasoning, "content": message.content}
    return [*({name: text.strip()} for name, text in texts.items() if text.strip()), *message.tried]
