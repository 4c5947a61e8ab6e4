# SPDX-License-Identifier: MIT
"""What was read, and what of it looks like another dialect."""

from collections import Counter
from collections.abc import Iterable

from cogwire_kit.texts.notices import look_alike
from cogwire_kit.texts.words import counted


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

    def compare(self, texts: Iterable[str | bytes], dialect: str) -> None:
        """Count the texts that have no marker of `dialect`, but of another one."""
        for each in texts:
            text = each.decode("utf-8", "replace") if isinstance(each, bytes) else each
            if names := look_alike(text, dialect):
                self.look_alikes[names] += 1
