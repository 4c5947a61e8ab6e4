"""Properties that hold in every dialect."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.helpers import DIALECTS, LINES

#: The line dialects are read alike, so they share the examples of one.
SHARE = dict.fromkeys(DIALECTS, 1) | dict.fromkeys(LINES, 1 / len(LINES))


class Law(NamedTuple):
    """What must hold, in each dialect for all that its strategy draws."""

    holds: Callable
    drawn: dict


def law(*strategies, dialects=DIALECTS):
    """Make of a function, of a dialect and what `strategies` draw, a test for each dialect.

    A strategy that differs with the dialect is given as a function of it.
    """

    def decorate(holds):
        drawn = {
            dialect: st.tuples(*(one(dialect) if callable(one) else one for one in strategies))
            for dialect in dialects
        }
        properties = {dialect: _property(holds, dialect, drawn[dialect]) for dialect in dialects}

        @pytest.mark.parametrize("dialect", dialects)
        def test(dialect):
            properties[dialect]()

        test.__name__, test.__doc__ = holds.__name__, holds.__doc__
        test.law = Law(holds, drawn)
        return test

    return decorate


def _property(holds, dialect, strategy):
    def holds_for(drawn):
        holds(dialect, *drawn)

    # Each property draws its own examples: Hypothesis derives them from the name.
    holds_for.__name__ = f"{holds.__name__}_in_{dialect.replace('-', '_')}"
    examples = max(1, int(settings.default.max_examples * SHARE[dialect]))
    return settings(max_examples=examples)(given(strategy)(holds_for))
