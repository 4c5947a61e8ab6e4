# SPDX-License-Identifier: MIT
"""The report of a bridge: entries like those of `cogwire.to_messages`, in the same order."""

from typing import Final, get_args

from cogwire import Change
from cogwire.tooling import ChangeCode, decode
from cogwire_kit.bridges._outcomes import ESCAPE

_RANKS: Final = {code: rank for rank, code in enumerate(get_args(ChangeCode))}


class Changes:
    """Collects the differences between input and output."""

    def __init__(self) -> None:
        self.entries: list[Change] = []

    def note(self, index: int, code: ChangeCode, message: str) -> None:
        """Note a change of the item at `index` of the input."""
        self.entries.append({"index": index, "code": code, "message": message})

    def text(self, index: int, text: str) -> str:
        """Return `text` as APIs accept it: with U+FFFD for each lone surrogate."""
        written, _ = decode(text)
        if written != text:
            self.note(index, "neutralised", "a lone surrogate, which text cannot contain")
        return written

    def json(self, index: int, text: str) -> str:
        """Return JSON text as APIs accept its value, with U+FFFD for each lone surrogate."""
        written = ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)
        if written != text:
            self.note(index, "neutralised", "half of a surrogate pair, which text cannot contain")
        return self.text(index, written)

    def give(self, report: list[Change] | None) -> None:
        """Append the entries to `report`, in the order of the input."""
        if report is not None:
            report += sorted(
                self.entries, key=lambda entry: (entry["index"], _RANKS[entry["code"]])
            )
