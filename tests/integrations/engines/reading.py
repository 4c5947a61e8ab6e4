"""What the tests of engines share: how a text is cut, and what a reader gives for the pieces."""

from cogwire_kit.conformance import corpus, formats

ROOT = corpus.PLACE.parent
#: Where the adapters are, which run an engine's parsers from its wheel, and what they import.
ADAPTERS = [str(ROOT / "conformance" / "adapters" / "formats"), str(ROOT / "benchmarks")]


def cuts(text):
    """Return the text whole, and in single characters; `make format-reports` cuts it at every place."""
    return [text], list(text)


def joined(reader, chunks):
    """Return what a reader gives for some chunks."""
    items = reader.whole(chunks[0]) if len(chunks) == 1 else None
    if items is None:
        fed = [item for chunk in chunks for item in reader.feed(chunk)]
        items = [*fed, *reader.close()]
    return formats.message(items)
