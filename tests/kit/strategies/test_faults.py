"""Texts with one fault: the core and the executable spec emit exactly the expected events."""

import random
import re

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from cogwire_kit.strategies import CODES, DEFAULT_LIMITS, faults
from tests import cogwire, oracle
from tests.core.helpers import DIALECTS, LINES, TAGS, run, singles, without
from tests.kit.conformance.cases import dialects_of_codes
from tests.rows import rows

LIMITS = dict(zip(("size", "calls", "depth", "digits"), DEFAULT_LIMITS, strict=True))

#: The delimiter dialects are read in the same way, so the faults of one suffice.
every_code = rows(
    "dialect, code", [(dialect, code) for dialect in (*TAGS, LINES[0]) for code in CODES[dialect]]
)

pytestmark = pytest.mark.verify


def assert_events(fault):
    """Hold the core, fed whole and by single characters, and the executable spec to a fault."""
    options = dict(fault.options)
    limits = options.pop("limits", {})
    expected = (fault.events, fault.state, fault.discarded)
    for chunks in ([fault.data], singles(fault.data)):
        outcome = run(chunks, limits=cogwire.Limits(**limits), **options)
        given_events = [
            each if each["type"] != "error" else without([each], "content")[0]
            for each in outcome.events
        ]
        assert (given_events, outcome.state, outcome.discarded) == expected, chunks
    outcome = oracle.parse(fault.data, limits=tuple((LIMITS | limits).values()), **options)
    assert (outcome.events, outcome.state, outcome.discarded) == expected


@pytest.mark.verify
@every_code
def test_a_fault_produces_its_events_and_is_drawn_in_several_ways(dialect, code):
    ways = set()

    def holds(fault):
        [error] = [each for each in fault.events if each["type"] == "error"]
        assert error["code"] == code
        ways.add((error["offset"], error.get("path"), error["calls"]))
        assert fault.options["dialect"] == dialect
        assert_events(fault)

    # Each property draws its own examples: Hypothesis derives them from the name.
    holds.__name__ = f"{dialect}_{code}".replace("-", "_")
    examples = settings.default.max_examples // (8 if dialect in LINES else 4)
    settings(max_examples=max(3, examples))(given(faults(dialect, code))(holds))()
    assert len(ways) > 1


@rows("dialect", DIALECTS)
def test_without_a_code_any_is_drawn(dialect):
    seen = set()
    settings(max_examples=40)(given(faults(dialect))(lambda fault: seen.add(fault.code)))()
    assert seen <= set(CODES[dialect])
    assert len(seen) > 5


def test_the_codes_are_those_of_the_table():
    table = dialects_of_codes()
    assert len(table) == 26
    assert {code: {each for each in CODES if code in CODES[each]} for code in table} == table
    assert set(table) == {code for codes in CODES.values() for code in codes}


@rows("dialect, kind", [("xml-json", bytes), ("xml-elements", str), ("delimiter", bytes)])
def test_an_encoding_is_damaged_as_text_and_as_bytes(dialect, kind):
    fault = find(faults(dialect, "bad-encoding"), lambda drawn: isinstance(drawn.data, kind))
    assert fault.code == "bad-encoding"


@pytest.mark.verify
@rows(
    "dialect, code, shortest",
    [
        ("xml-json", "not-array", 20),
        ("xml-json", "json-syntax", 24),
        ("xml-elements", "xml-forbidden", 26),
        ("delimiter", "trailing-text", 40),
    ],
)
def test_a_fault_shrinks_to_a_short_text(dialect, code, shortest):
    """From some of several beginnings: where no step alone makes it shorter, it stays."""
    found = (
        find(
            faults(dialect, code),
            lambda drawn: drawn.options["mode"] == "turn",
            settings=settings(derandomize=False),
            random=random.Random(seed),
        )
        for seed in range(8)
    )
    assert any(len(fault.data) <= shortest for fault in found)


@given(st.sampled_from(["json", "xml-json "]), st.sampled_from(["xml-syntax", "none", ""]))
def test_an_unknown_dialect_or_code_is_refused(dialect, code):
    with pytest.raises(ValueError, match=re.escape(repr(dialect))):
        faults(dialect)
    with pytest.raises(ValueError, match=re.escape(repr(code))):
        faults("delimiter", code)
