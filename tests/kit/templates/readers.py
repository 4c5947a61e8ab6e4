"""What a reader of response templates makes of calls in every format, whole and in single characters."""

import functools
import sys
from typing import NamedTuple
from unittest import mock

import cogwire
from cogwire_kit.conformance import corpus, formats
from tests.kit.templates.test_response import DESCRIBED, TEMPLATES, WRITTEN

sys.path += [str(corpus.PLACE / "adapters" / "formats"), str(corpus.PLACE.parent / "benchmarks")]
import response_templates

VALUES = {"path": "a < b", "lines": 5, "o": {"k": [1, None, True]}}
#: Where calls are text, a value is text, and a reader takes what is JSON for a number.
TEXTS = {"path": "a < b", "lines": "5"}


def read(reader, text, size):
    """Return the message that a reader makes of a text in chunks of a size."""
    items = [item for at in range(0, len(text), size) for item in reader.feed(text[at : at + size])]
    return formats.message([*items, *reader.close()]).shown()


@functools.cache
def readers_of(package):
    """Return what makes the readers of a package; the stubs that it imports are for it alone."""
    with mock.patch.dict(sys.modules), mock.patch.object(sys, "meta_path", [*sys.meta_path]):
        return response_templates.of_package(package)


def misread(package):
    """Yield each format whose calls the reader of a package reads otherwise, and what it reads."""
    of_format = readers_of(package)
    for name in ("xml-json", *WRITTEN, *(form for form, reason in DESCRIBED if not reason)):
        args = TEXTS if cogwire.Parser(name).wire.calls.is_text else VALUES
        calls = [{"name": "read", "args": args}, {"name": "ls", "args": {}}]
        text = f"Hi.{cogwire.render_calls(calls, name)}"
        for size in (len(text), 1):
            found = read(of_format(name)([]), text, size)
            calls_found = [(call["name"], call["arguments"]) for call in found["calls"]]
            is_fine = calls_found == [("read", {**args, "lines": 5}), ("ls", {})]
            if not is_fine or "".join(found["content"]).strip() != "Hi.":
                yield name, size, found


class Lost(NamedTuple):
    """A turn that is not as it should be, and what readers of response templates make of it.

    The guide "Serve a model that speaks cogwire" has a row for each.
    """

    name: str
    text: str
    calls: list
    prose: str
    #: Whether the calls run, as cogwire reads them.
    runs: bool
    #: Whether the reader of transformers raises an exception.
    raises: bool


LOST = [Lost(*each.values()) for each in TEMPLATES["lost"]]


def lost(package, row):
    """Return the calls that the reader of a package makes of a turn, and the prose."""
    reader = readers_of(package)(row.name)([])
    found = read(reader, row.text, len(row.text))
    return [[call["name"], call["arguments"]] for call in found["calls"]], "".join(found["content"])
