"""Bugs in where events stand on the wire."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_ledger: Final = bug_in("ledger")
_line: Final = bug_in("line")

_FLAG: Final = "span-elsewhere"

ANIMALS: Final = (
    _ledger(
        "spans-to-the-closer",
        _FLAG,
        "The span of a segment continues to its closer.",
        "return ⟦first + len(content)¦self.at⟧",
    ),
    _ledger(
        "spans-in-bytes",
        _FLAG,
        "Spans are as long as the content is in bytes.",
        "return first + len(content⟦¦.encode()⟧)",
    ),
    _ledger(
        "spans-past-the-end",
        _FLAG,
        "The span of an error goes past the end of the text.",
        "return ⟦min(first + 1, len(self.characters))¦first + 1⟧",
    ),
    _ledger(
        "empty-spans-of-errors",
        _FLAG,
        "The span of an error is always empty.",
        "return ⟦min(first + 1, len(self.characters))¦first⟧",
    ),
    _ledger(
        "span-of-a-whole-forgery",
        _FLAG,
        "The span of an error continues to where the error was seen.",
        "return ⟦min(first + 1, len(self.characters))¦self.at⟧",
    ),
    Animal(
        "span-of-results-without-their-opener",
        _FLAG,
        "The span of results begins after their opener.",
        "tags",
        "self.emit_result(⟦first¦block.start⟧, ",
    ),
    Animal(
        "empty-span-of-an-end",
        _FLAG,
        "The span of an end is empty.",
        "tags",
        'self.emit("end", self.at⟦ - len(marker)¦⟧)',
    ),
    Animal(
        "spans-of-elements-without-their-bracket",
        _FLAG,
        "The span of an element begins with its name.",
        "xml_block",
        "return Call(name, content, first⟦¦ + 1⟧)",
    ),
    _line(
        "span-of-an-execute-without-its-sign",
        _FLAG,
        "The span of an execute begins with its word.",
        'self.emit("execute", self.at - len("⟦§¦⟧execute"))',
    ),
    _line(
        "span-of-a-result-with-white-space",
        _FLAG,
        "The span of a result continues to the next marker.",
        "self.body_end_at = after⟦ if after > last else self.last_character(start, last) + 1¦⟧",
    ),
    _line(
        "span-of-a-result-without-its-closer",
        _FLAG,
        "The span of a result ends before its closer.",
        "self.body_end_at = ⟦after if after > last else self.last_character(start, last) + 1¦last⟧",
    ),
)
