"""A table of rows fails with the rows that fail, and passes if none does."""

import pytest

from tests.rows import rows


def test_the_rows_that_fail_are_named():
    @rows("number, square", [(1, 1), (2, 5), (3, 9), (-1, 2)])
    def squared(number, square, base):
        assert base + number**2 == square

    with pytest.raises(AssertionError, match="2 of 4 rows fail") as failure:
        squared(base=0)
    assert "row 1: (2, 5)" in str(failure.value)
    assert "row 3: (-1, 2)" in str(failure.value)
    assert "row 2" not in str(failure.value)


def test_a_row_that_should_raise_and_does_not_is_named():
    @rows("text", ["x", pytest.param("7", id="a number")])
    def refused(text):
        with pytest.raises(ValueError, match=text):
            int(text)

    with pytest.raises(AssertionError, match="1 of 2 rows fail"):
        refused()


def test_a_table_is_not_empty():
    with pytest.raises(AssertionError, match="an empty table"):
        rows("row", [])
    with pytest.raises(AssertionError, match="an empty table"):
        rows("row", list)(lambda row: row)()
