"""Numbers within bounds, beside every number that there is in a small range."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit.grammars.nodes import Grammar, GrammarRule, Reference
from cogwire_kit.grammars.numbers import Bounds, integers, numbers
from tests.kit.grammars.reading import Matcher

pytestmark = pytest.mark.verify


def written(make, bounds):
    """Return what says whether a text is one of the numbers."""
    rules = {}

    def rule(node):
        rules[f"r{len(rules)}"] = GrammarRule(node, is_token=True)
        return Reference(f"r{len(rules) - 1}")

    node = make(bounds, 1000, rule)
    return Matcher(Grammar({"root": GrammarRule(node), **rules})).accepts


def fits(number, bounds):
    """Whether a number is within bounds, by arithmetic."""
    low, high = bounds.least, bounds.most
    return (
        (low is None or (number > low if bounds.is_above else number >= low))
        and (high is None or (number < high if bounds.is_below else number <= high))
        and (bounds.step is None or number % bounds.step == 0)
    )


def bounds_of(values, steps):
    """Draw bounds; one in two is missing."""
    return st.builds(
        Bounds,
        st.none() | values,
        st.none() | values,
        st.booleans(),
        st.booleans(),
        st.none() | steps,
    )


whole = st.integers(-250, 250).map(Fraction)
halves = st.integers(-1200, 1200).map(lambda n: Fraction(n, 100))


@given(bounds_of(whole, st.integers(1, 40).map(Fraction)))
def test_integers(bounds):
    accepts = written(integers, bounds)
    wanted = {n for n in range(-300, 301) if fits(n, bounds)}
    assert {n for n in range(-300, 301) if accepts(str(n))} == wanted


@given(bounds_of(halves, st.sampled_from([Fraction(1, 100), Fraction(1, 20), Fraction(3, 10)])))
def test_decimals_of_two_places(bounds):
    accepts = written(numbers, bounds)
    for hundredths in range(-1300, 1301, 3):
        number = Fraction(hundredths, 100)
        sign = "-" if hundredths < 0 else ""
        text = f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"
        # More places than a step has are not written, and zero has no sign.
        if bounds.step is None or bounds.step.denominator > 10:
            assert accepts(text) == fits(number, bounds), text


@given(st.integers(-(10**14), 10**14), st.integers(0, 10**14))
def test_a_bound_and_its_neighbours(low, width):
    accepts = written(integers, Bounds(Fraction(low), Fraction(low + width)))
    assert accepts(str(low))
    assert accepts(str(low + width))
    assert not accepts(str(low - 1))
    assert not accepts(str(low + width + 1))


def test_more_digits_where_every_number_has_more():
    accepts = written(integers, Bounds(Fraction(10**20)))
    assert accepts(str(10**20))
    assert not accepts(str(10**20 - 1))
    assert not accepts("5")


def test_a_large_step_is_kept_with_fewer_digits():
    accepts = written(integers, Bounds(step=Fraction(997)))
    assert accepts("0")
    assert accepts("-997")
    assert not accepts("998")
    assert accepts(str(997 * 99))
    assert not accepts(str(997 * 10**9))


def test_a_step_that_divides_a_power_of_ten_is_kept_with_all_digits():
    accepts = written(integers, Bounds(step=Fraction(2000)))
    assert accepts("0")
    assert accepts("-123456789016000")
    assert not accepts("123456789015000")
    accepts = written(numbers, Bounds(Fraction(0), step=Fraction(1, 8)))
    assert accepts("99999999999.125")
    assert not accepts("99999999999.126")
