"""Texts that grow with their argument, each near a way to be slow."""

import functools

from cogwire_kit.conformance import corpus


def grown(text, size):
    """Return a text of about `size` characters, in which parts are repeated."""
    repeated = [part["repeat"] for part in text["parts"] if isinstance(part, dict)]
    return corpus.expanded(text, size // len("".join(repeated)))


GROWING = {}
for each in corpus.array(corpus.PLACE / "texts" / "growing.json"):
    families = GROWING.setdefault(each["dialect"], {})
    families[each["name"]] = functools.partial(grown, each["text"])

#: Each of them, as dialect and name.
FAMILIES = [(dialect, name) for dialect, families in GROWING.items() for name in families]
