"""Tests with a row for each case; CONTRIBUTING.md shows how to rerun one of them by its name."""

import functools
import inspect
import itertools
import pprint
import re
from typing import NamedTuple

import pytest

#: The number of rows that are reported; a table that is wrong as a whole fails in each row.
_REPORTED = 10
#: The number of characters of a row's name.
_LONGEST = 60
_NAMED = type(pytest.param())

#: The functions that the command line names, whose rows are separate items.
named = set()


class Row(NamedTuple):
    """The arguments of a test, and the name that the row has in the test's id."""

    name: str
    arguments: dict


def name_rows_of(arguments):
    """Have each row of the tests that `arguments` of the command line name be a separate item."""
    ids = [argument.split("::") for argument in map(str, arguments)]
    named.update(parts[-1].partition("[")[0] for parts in ids if len(parts) > 1)


def rows(names, table):
    """Run a test for each row, as `pytest.mark.parametrize` does.

    Thousands of items take longer than what they test, so the rows are one item, which reports all
    that fail; where the command line names the test, each row is an item.  A table that takes long
    to build is passed as a function, so that it is built in the test.
    """
    members = re.findall(r"\w+", names) if isinstance(names, str) else list(names)
    assert table, "an empty table"

    def decorate(test):
        if test.__name__ in named:
            made = _read(members, table)
            values = [tuple(row.arguments.values()) for row in made]
            ids = [row.name for row in made]
            return pytest.mark.parametrize(members, values, ids=ids)(test)
        return _grouped(test, members, table)

    return decorate


def _grouped(test, members, table):
    """Return a test that runs `test` for each row of its tables, of which this is the last."""
    one, tables = getattr(test, "grouped", (test, []))
    tables = [*tables, (members, table)]
    kept = [
        parameter
        for name, parameter in inspect.signature(test).parameters.items()
        if name not in members
    ]

    @functools.wraps(test)
    def holds(**fixtures):
        made = list(itertools.product(*(_read(*each) for each in tables)))
        failures = []
        for parts in made:
            arguments = {name: part.arguments[name] for part in parts for name in part.arguments}
            try:
                one(**fixtures, **arguments)
            except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - reported below
                name = "-".join(part.name for part in parts)
                shown = _shown(
                    tuple(arguments.values()), functools.partial(pprint.pformat, width=100)
                )
                failures.append((f"{one.__name__}[{name}]: {shown}\n{failure!r}", failure))
        if failures:
            summary = f"{len(failures)} of {len(made)} rows fail"
            reported = "\n\n".join([summary, *(text for text, _ in failures[:_REPORTED])])
            raise AssertionError(reported) from failures[0][1]

    holds.grouped = one, tables
    holds.__signature__ = inspect.signature(test).replace(parameters=kept)
    return holds


def _read(members, table):
    """Return the rows of a table, of which `pytest.param` may have named some."""
    made, seen = [], {}
    for row in table() if callable(table) else table:
        is_named = isinstance(row, _NAMED)
        values = row.values if is_named else row if len(members) > 1 else (row,)
        name = row.id if is_named and row.id else _name(values)
        seen[name] = number = seen.get(name, 0) + 1
        name = name if number == 1 else f"{name}-{number}"
        made.append(Row(name, dict(zip(members, values, strict=True))))
    assert made, "an empty table"
    return made


def _name(values):
    """Return the beginning of what the values are, in characters that a shell leaves alone."""
    written = "-".join(
        value if isinstance(value, str) else getattr(value, "__name__", None) or _shown(value, repr)
        for value in values
    )
    written = re.sub(r" at 0x[0-9a-f]+", "", written)
    return re.sub(r"[^\w./+=]+", "-", written, flags=re.ASCII)[:_LONGEST].strip("-") or "row"


def _shown(value, write):
    """Return how `write` shows a value, or its type where Python writes no value so deep or large."""
    try:
        return write(value)
    except (RecursionError, ValueError):
        return type(value).__name__
