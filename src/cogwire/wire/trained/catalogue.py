# SPDX-License-Identifier: MIT
"""The formats that have a name, by their names and by their aliases."""

import difflib
from collections.abc import Iterable
from typing import Final

from . import headers, heads, literals, objects, tags
from .known import KnownFormat

#: Each format, by its name.  Of two with one opener, the first is that of newer models.
FORMATS: Final = {
    each.name: each
    for source in (heads, headers, objects, tags, literals)
    for each in source.FORMATS
}
#: Each format, by its name and by each of its aliases.
NAMED: Final[dict[str, KnownFormat]] = {
    name: each for each in FORMATS.values() for name in (each.name, *each.aliases)
}


def written_by(model: str) -> tuple[KnownFormat, ...]:
    """Return the formats that a model called `model` writes; of several names in it, the first."""
    places = {name: place for name, each in FORMATS.items() if (place := each.place_in(model))}
    first = min(places.values(), default=None)
    return tuple(FORMATS[name] for name, place in places.items() if place == first)


def formats() -> tuple[KnownFormat, ...]:
    """Return the formats that models write and that have a name, with what is known of each."""
    return tuple(FORMATS.values())


def format_named(name: str) -> KnownFormat:
    """Return what is known of the format called `name`, which may be an alias.

    Raises `ValueError`, which says what `name` may mean, if there is none.
    """
    if name not in NAMED:
        raise ValueError(f"unknown format {name!r}; `cogwire format list` names all{meant(name)}")
    return NAMED[name]


def meant(name: str, others: Iterable[str] = ()) -> str:
    """Return what a name that is neither a format's nor one of `others` may mean, after `; `."""
    if written := written_by(name):
        return f"; a model of this name writes {' or '.join(each.name for each in written)}"
    known = [*others, *NAMED]
    near = [lower] if (lower := name.lower()) in known else difflib.get_close_matches(lower, known)
    names = dict.fromkeys(NAMED[each].name if each in NAMED else each for each in near)
    return f"; did you mean {' or '.join(names)}?" if names else ""
