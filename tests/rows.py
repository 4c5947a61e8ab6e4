"""A test that runs for every row of a table, without a separate item for each."""

import functools
import inspect
import pprint
import re

import pytest

#: The number of rows that are reported; a table that is wrong as a whole fails in each row.
_TOLD = 10
_NAMED = type(pytest.param())


def _values(row, count):
    """Return the values of a row, of which `pytest.param` may have named one."""
    if isinstance(row, _NAMED):
        return row.values
    return row if count > 1 else (row,)


def rows(names, table):
    """Run a test for each row, as `pytest.mark.parametrize` does, and report which rows fail.

    A table that takes long to build is passed as a function, so that it is built in the test.
    """
    members = re.findall(r"\w+", names) if isinstance(names, str) else list(names)
    assert table, "an empty table"

    def decorate(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def holds(**fixtures):
            failures = []
            made = list(table() if callable(table) else table)
            assert made, "an empty table"
            for number, row in enumerate(_values(row, len(members)) for row in made):
                try:
                    test(**fixtures, **dict(zip(members, row, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - reported below
                    failures.append((number, row, failure))
            if failures:
                details = [
                    f"row {number}: {pprint.pformat(row, width=100)}\n{failure!r}"
                    for number, row, failure in failures[:_TOLD]
                ]
                summary = f"{len(failures)} of {len(made)} rows fail"
                raise AssertionError("\n\n".join([summary, *details])) from failures[0][2]

        kept = [one for name, one in signature.parameters.items() if name not in members]
        holds.__signature__ = signature.replace(parameters=kept)
        return holds

    return decorate
