"""Bugs in where events stand on the wire."""

from typing import Final

from conformance.zoo.making import Animal

_FLAG: Final = "span-elsewhere"
_FORGED: Final = 'self.emit("error", offset, offset + 1, code="forged-results"'

ANIMALS: Final = (
    Animal(
        "spans-to-the-closer",
        _FLAG,
        "The span of a segment goes on to its closer.",
        "ledger",
        'event["span"] = [first, self.at if last is None else last]',
        'event["span"] = [first, self.at]',
    ),
    Animal(
        "spans-in-bytes",
        _FLAG,
        "Spans are as long as the content is in bytes.",
        "ledger",
        "self.emit(kind, first, first + len(content), content=content)",
        "self.emit(kind, first, first + len(content.encode()), content=content)",
    ),
    Animal(
        "spans-past-the-end",
        _FLAG,
        "The span of an error goes past the end of the text.",
        "ledger",
        'self.emit("error", offset, last, code=code',
        'self.emit("error", offset, offset + 1, code=code',
    ),
    Animal(
        "empty-spans-of-errors",
        _FLAG,
        "The span of an error is always empty.",
        "ledger",
        'self.emit("error", offset, last, code=code',
        'self.emit("error", offset, offset, code=code',
    ),
    Animal(
        "span-of-results-without-their-opener",
        _FLAG,
        "The span of results begins after their opener.",
        "tags",
        "self.emit_result(first, self.at, content, statuses)",
        "self.emit_result(block.start, self.at, content, statuses)",
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
        "span-of-a-whole-forgery",
        _FLAG,
        "The span of forged results is their marker.",
        "tags",
        _FORGED,
        _FORGED.replace("offset + 1", "self.at"),
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
        "ending = after if after > last else self.last_character(start, last) + 1",
        "ending = after",
    ),
    Animal(
        "span-of-a-result-without-its-closer",
        _FLAG,
        "The span of a result ends before its closer.",
        "line",
        "ending = after if after > last else self.last_character(start, last) + 1",
        "ending = last",
    ),
)
