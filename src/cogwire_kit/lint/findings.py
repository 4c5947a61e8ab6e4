# SPDX-License-Identifier: MIT
"""The findings of a transcript or a record, and counts of what was read."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from cogwire.tooling import Start, notation
from cogwire_kit.lint.rules import RULES, Severity
from cogwire_kit.texts.dialects import begins_call, is_begun
from cogwire_kit.texts.notices import count_look_alikes, strange_marker
from cogwire_kit.texts.places import Places
from cogwire_kit.texts.words import counted

#: How many characters of a line are shown, and how many of them before the finding.
_WIDTH: Final = 100
_BEFORE: Final = 60

#: The end of an error's message that asks the model for something; a finding's help is its
#: counterpart for people.
_REQUEST: Final = re.compile(r'(?<=\.) (?:Send|Say what to run) [^"]*$')


def for_people(message: str) -> str:
    """Return the message of an error event without its request to the model."""
    return _REQUEST.sub("", message)


class Finding(NamedTuple):
    """A place where a text breaks a rule."""

    #: The id of the rule, a key of `RULES`.
    rule: str
    severity: Severity
    #: What is wrong here, and how to put it right.
    message: str
    help: str
    #: Where it is in the text, in code points, the end not included.
    start: int
    end: int
    #: The same as lines, which end with a line feed, and columns in code points; both from 1.
    line: int
    column: int
    end_line: int
    end_column: int
    #: The place of its event in what `parse_transcript` returns.
    event: int | None = None
    #: A JSON Pointer into the block, or into the args of the call.
    path: str | None = None
    #: In stored messages, the number of the record in its file, from 1.
    record: int | None = None
    #: A JSON Pointer to the text in the record, or in a JSON document; `start` and `end` are places
    #: in that text.
    pointer: str | None = None
    #: The line of the text that it is in, or a part of it, and where in it the finding begins.
    excerpt: str = ""
    caret: int = 0
    #: What to write in its place, where that is sure to change nothing else.
    replacement: str | None = None
    #: How many places there are, where one finding is about several: it is at the first of them.
    occurrences: int | None = None


def excerpt_at(text: str, start: int) -> tuple[str, int]:
    """Return the line of `text` that has the character at `start`, or a part, and where in it."""
    first = max(text.rfind("\n", max(start - _BEFORE, 0), start) + 1, start - _BEFORE, 0)
    last = text.find("\n", start, first + _WIDTH)
    return text[first : first + _WIDTH if last < 0 else last], start - first


class Notes:
    """The findings of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = Places()
        self._places.add(text)
        self.findings: list[Finding] = []

    def note(
        self,
        rule: str,
        place: tuple[int, int],
        message: str,
        *,
        event: int | None = None,
        path: str | None = None,
        replacement: str | None = None,
        occurrences: int | None = None,
    ) -> None:
        """Add a finding at `place`, its start and end."""
        known = RULES[rule]
        start, end = place
        excerpt, caret = excerpt_at(self._text, start)
        self.findings.append(
            Finding(
                rule,
                known.severity,
                message,
                known.help,
                start,
                end,
                *self._places.line_and_column(start),
                *self._places.line_and_column(end),
                event,
                path,
                excerpt=excerpt,
                caret=caret,
                replacement=replacement,
                occurrences=occurrences,
            )
        )

    def in_order(self) -> list[Finding]:
        """Return the findings in the order of the text."""
        return sorted(self.findings, key=lambda found: (found.start, found.end))


class Tally:
    """Counts of what was read in one file or several."""

    def __init__(self) -> None:
        self.files = self.records = self.characters = 0
        #: How many files could not be read.
        self.unread = 0
        #: The texts without a marker of their dialect, by the format that they look like.
        self.look_alikes: Counter[str] = Counter()
        #: The number of texts and lists of messages with a marker or a call.
        self.recognised = 0
        #: The dialects of texts without a marker or a call, and how many there were.
        self.unrecognised: Counter[str] = Counter()
        #: What looks like a marker in the first of these texts.
        self.strange: str | None = None
        #: What was written to stderr about the file.
        self.notes: list[str] = []

    def __str__(self) -> str:
        """Return in words how much was read."""
        records = [counted(self.records, "record")] if self.records else []
        parts = (counted(self.files, "file"), *records, counted(self.characters, "character"))
        return ", ".join(parts)

    @property
    def is_unrecognised(self) -> bool:
        """Whether there were texts, but none had a marker of its dialect."""
        return bool(self.unrecognised) and not self.recognised

    def add(self, other: "Tally") -> None:
        """Add the counts of another tally."""
        self.files += other.files
        self.records += other.records
        self.characters += other.characters
        self.unread += other.unread
        self.recognised += other.recognised
        self.unrecognised += other.unrecognised
        self.strange = other.strange if self.strange is None else self.strange or other.strange

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return vars(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Tally":
        """Return what `to_json` returned."""
        tally = cls()
        vars(tally).update(given)
        tally.look_alikes, tally.unrecognised = map(
            Counter, (given["look_alikes"], given["unrecognised"])
        )
        return tally

    def compare(self, texts: Iterable[str | bytes], dialect: str, start: Start) -> None:
        """Count the texts that have no marker of `dialect`, and those that have one of another.

        The rest of a header that the prompt has begun is like a marker.
        """
        read = [e.decode("utf-8", "replace") if isinstance(e, bytes) else e for e in texts]
        wire = notation(dialect)
        for text in read:
            looks = count_look_alikes([text], dialect)
            self.look_alikes += looks
            is_begun_header = start == "header" and is_begun(text, dialect, start)
            is_bare = wire.form is not None and wire.form.bare and begins_call(text, dialect)
            if wire.markers_in(text) or is_begun_header or is_bare:
                self.recognised += 1
            else:
                self.unrecognised[wire.name] += 1
                if not looks:
                    self.strange = self.strange or strange_marker(text)
