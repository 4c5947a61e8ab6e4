"""What a reader of response templates makes of calls in every format, whole and in single characters."""

import sys

import cogwire
from cogwire_kit.conformance import corpus, formats
from tests.kit.templates.test_response import WRITTEN

sys.path += [str(corpus.PLACE / "adapters" / "formats"), str(corpus.PLACE.parent / "benchmarks")]
import response_templates

VALUES = {"path": "a b", "lines": 5, "o": {"k": [1, None, True]}}
#: Where calls are text, a value is text, and a reader takes what is JSON for a number.
TEXTS = {"path": "a b", "lines": "5"}


def misread(package):
    """Yield each format whose calls the reader of a package reads otherwise, and what it reads."""
    of_format = response_templates.of_package(package)
    for name in ("xml-json", *WRITTEN):
        args = TEXTS if cogwire.Parser(name).wire.calls.is_text else VALUES
        calls = [{"name": "read", "args": args}, {"name": "ls", "args": {}}]
        text = f"Hi.{cogwire.render_calls(calls, name)}"
        for size in (len(text), 1):
            reader = of_format(name)([])
            items = [
                item
                for at in range(0, len(text), size)
                for item in reader.feed(text[at : at + size])
            ]
            found = formats.message([*items, *reader.close()]).shown()
            calls_found = [(call["name"], call["arguments"]) for call in found["calls"]]
            is_fine = calls_found == [("read", {**args, "lines": 5}), ("ls", {})]
            if not is_fine or "".join(found["content"]).strip() != "Hi.":
                yield name, size, found
