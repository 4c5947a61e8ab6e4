"""Documents with a fault: the executable spec finds it in them."""

import random
import re

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from cogwire_kit.strategies import CODES, faults
from tests.core.helpers import DIALECTS, LINES, TAGS
from tests.core.laws import spec_of
from tests.kit.conformance.cases import dialects_of_codes
from tests.kit.strategies.drawing import drawn
from tests.rows import rows

#: The delimiter dialects are read in the same way, so the faults of one suffice.
every_code = rows(
    "dialect, code", [(dialect, code) for dialect in (*TAGS, LINES[0]) for code in CODES[dialect]]
)

pytestmark = pytest.mark.verify


def error_of(document):
    """Return the first error that the executable spec finds in a document."""
    return next((event for event in spec_of(document).events if event["type"] == "error"), None)


@every_code
def test_a_fault_has_its_code_and_is_drawn_in_several_ways(dialect, code):
    found = [(fault, error_of(fault)) for fault in drawn(faults(dialect, code), 20)]
    assert {fault.options["dialect"] for fault, _ in found} == {dialect}
    assert {error and error["code"] for _, error in found} == {code}
    assert len({(error["offset"], error.get("path"), error["calls"]) for _, error in found}) > 5


@rows("dialect", DIALECTS)
def test_without_a_code_any_is_drawn(dialect):
    seen = set()
    settings(max_examples=40)(
        given(faults(dialect))(lambda fault: seen.add(error_of(fault)["code"]))
    )()
    assert seen <= set(CODES[dialect])
    assert len(seen) > 5


def test_the_codes_are_those_of_the_table():
    table = dialects_of_codes()
    assert len(table) == 26
    assert {code: {each for each in CODES if code in CODES[each]} for code in table} == table
    assert set(table) == {code for codes in CODES.values() for code in codes}


@rows("dialect", ["xml-json", "xml-elements", "delimiter"])
def test_an_encoding_is_damaged_as_text_and_as_bytes(dialect):
    found = drawn(faults(dialect, "bad-encoding"), 20)
    assert {type(fault.data) for fault in found} == {str, bytes}


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
