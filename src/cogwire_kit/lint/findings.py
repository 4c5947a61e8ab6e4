# SPDX-License-Identifier: MIT
"""What is found in a transcript or a record, and what was read."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from cogwire_kit.lint.rules import RULES, Severity
from cogwire_kit.texts.notices import count_look_alikes
from cogwire_kit.texts.places import Places
from cogwire_kit.texts.words import counted

#: How many characters of a line are shown, and how many of them before the finding.
_WIDTH: Final = 100
_BEFORE: Final = 60

#: The end of an error's message that asks the model for something; a finding's help is its
#: counterpart for people.
_REQUEST: Final = re.compile(r'(?<=\.) (?:Send|Say what to run) [^"]*$')


def for_people(message: str) -> str:
    """Return the message of an error event without what it asks of the model."""
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
    """What was read of one file or of several."""

    def __init__(self) -> None:
        self.files = self.records = self.characters = 0
        #: How many files could not be read.
        self.unread = 0
        #: How many texts look like what, although they were read in another dialect.
        self.look_alikes: Counter[str] = Counter()

    def __str__(self) -> str:
        """Return for people how much was read."""
        records = [counted(self.records, "record")] if self.records else []
        parts = (counted(self.files, "file"), *records, counted(self.characters, "character"))
        return ", ".join(parts)

    def add(self, other: "Tally") -> None:
        """Add what was read beside this."""
        self.files += other.files
        self.records += other.records
        self.characters += other.characters
        self.unread += other.unread

    def compare(self, texts: Iterable[str | bytes], dialect: str) -> None:
        """Count the texts that have no marker of `dialect`, but of another one."""
        read = (e.decode("utf-8", "replace") if isinstance(e, bytes) else e for e in texts)
        self.look_alikes += count_look_alikes(read, dialect)
