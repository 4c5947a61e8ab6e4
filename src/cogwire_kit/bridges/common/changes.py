# SPDX-License-Identifier: MIT
"""The report of a bridge: entries like those of `cogwire.to_messages`, in the same order."""

from collections.abc import Sequence
from typing import Final, get_args

from cogwire import Change
from cogwire.tooling import ChangeCode, decode
from cogwire_kit.bridges.common.outcomes import with_whole_characters

_RANKS: Final = {code: rank for rank, code in enumerate(get_args(ChangeCode))}
#: Separates texts that are one text in the output.
JOINT: Final = "\n\n"


class Changes:
    """Collects differences between input and output; `index` is that of an item of the input."""

    def __init__(self) -> None:
        self.entries: list[Change] = []

    def note(self, index: int, code: ChangeCode, message: str) -> None:
        """Note a change of the item at `index`."""
        self.entries.append({"index": index, "code": code, "message": message})

    def joined(self, index: int, texts: Sequence[str], parts: str) -> str:
        """Return the texts of an item joined to one; `parts` names them in the report."""
        if len(texts) > 1:
            self.note(index, "joined", f"{len(texts)} {parts} are joined")
        return JOINT.join(texts)

    def sendable(self, index: int, text: str) -> str:
        """Return `text` with U+FFFD for each lone surrogate, which APIs refuse."""
        if text.isascii():
            return text
        written, _ = decode(text)
        if written != text:
            self.note(index, "neutralised", "a lone surrogate, which text cannot contain")
        return written

    def sendable_json(self, index: int, text: str) -> str:
        """Return JSON text as APIs accept its value, with U+FFFD for each lone surrogate."""
        written = with_whole_characters(text)
        if written != text:
            self.note(index, "neutralised", "half of a surrogate pair, which text cannot contain")
        return self.sendable(index, written)

    def give(self, report: list[Change] | None) -> None:
        """Append the entries to `report`, in the order of the input."""
        if report is not None:
            report += sorted(
                self.entries, key=lambda entry: (entry["index"], _RANKS[entry["code"]])
            )
