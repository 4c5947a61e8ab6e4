"""Reads a turn that is written by hand in a described format, with the core and the executable spec."""

import pytest

from tests import cogwire, oracle, schemas
from tests.core.helpers import CARET, check
from tests.rows import rows


def each_turn(*tables):
    """Give a test each row of some tables, each with the description that it is written in."""
    return rows(
        "described, row",
        [
            pytest.param(described, row, id=f"{described['name']}-{name}")
            for described, table in tables
            for name, row in table.items()
        ],
    )


def check_turn(described, row):
    """Assert that both read the events of `row`, and that the description is kept as it is."""
    schemas.validator("description").validate(described)
    assert cogwire.Format.from_json(described).to_json() == described
    check_reading(described, row)


def check_reading(described, row):
    """Assert that both read the events of `row`."""
    check(row.text, row.events, dialect=cogwire.Format.from_json(described), **row.options)
    text = row.text.replace(CARET, "")
    limits = row.options.get("limits", cogwire.Limits())
    sizes = (limits.size, limits.calls, limits.depth, limits.digits)
    start = row.options.get("start", "prose")
    seen = oracle.parse(text, described, limits=sizes, start=start)
    places = iter([place for place, char in enumerate(row.text) if char == CARET])
    expected = [
        event | {"offset": next(places)} if event["type"] == "error" else event
        for event in row.events
    ]
    assert seen.events == expected
    assert (seen.state, seen.discarded) == (row.options["state"], row.options.get("discarded", 0))
