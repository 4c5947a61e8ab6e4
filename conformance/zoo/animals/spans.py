"""Bugs in where events stand on the wire."""

from typing import Final

from conformance.zoo.making import Animal

_FLAG: Final = "span-elsewhere"
_SEGMENT: Final = "return first + len(content)"
_ERROR: Final = "return min(first + 1, len(self.characters))"
_BODY: Final = "self.body_end_at = after if after > last else self.last_character(start, last) + 1"

ANIMALS: Final = (
    Animal(
        "spans-to-the-closer",
        _FLAG,
        "The span of a segment goes on to its closer.",
        "ledger",
        _SEGMENT,
        "return self.at",
    ),
    Animal(
        "spans-in-bytes",
        _FLAG,
        "Spans are as long as the content is in bytes.",
        "ledger",
        _SEGMENT,
        "return first + len(content.encode())",
    ),
    Animal(
        "spans-past-the-end",
        _FLAG,
        "The span of an error goes past the end of the text.",
        "ledger",
        _ERROR,
        "return first + 1",
    ),
    Animal(
        "empty-spans-of-errors",
        _FLAG,
        "The span of an error is always empty.",
        "ledger",
        _ERROR,
        "return first",
    ),
    Animal(
        "span-of-a-whole-forgery",
        _FLAG,
        "The span of an error goes on to where the error was seen.",
        "ledger",
        _ERROR,
        "return self.at",
    ),
    Animal(
        "span-of-results-without-their-opener",
        _FLAG,
        "The span of results begins after their opener.",
        "tags",
        "self.emit_result(first, ",
        "self.emit_result(block.start, ",
    ),
    Animal(
        "empty-span-of-an-end",
        _FLAG,
        "The span of an end is empty.",
        "tags",
        'self.emit("end", self.at - len(marker))',
        'self.emit("end", self.at)',
    ),
    Animal(
        "spans-of-elements-without-their-bracket",
        _FLAG,
        "The span of an element begins with its name.",
        "xml_block",
        "return Call(name, content, first)",
        "return Call(name, content, first + 1)",
    ),
    Animal(
        "span-of-an-execute-without-its-sign",
        _FLAG,
        "The span of an execute begins with its word.",
        "line",
        'self.emit("execute", self.at - len("§execute"))',
        'self.emit("execute", self.at - len("execute"))',
    ),
    Animal(
        "span-of-a-result-with-white-space",
        _FLAG,
        "The span of a result goes on to the next marker.",
        "line",
        _BODY,
        "self.body_end_at = after",
    ),
    Animal(
        "span-of-a-result-without-its-closer",
        _FLAG,
        "The span of a result ends before its closer.",
        "line",
        _BODY,
        "self.body_end_at = last",
    ),
)
