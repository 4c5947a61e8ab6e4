"""A table of rows fails with the rows that fail, and a row can be rerun by its name."""

import pytest

from tests import rows as of_rows
from tests.rows import name_rows_of, rows


def test_the_rows_that_fail_are_named():
    @rows("number, square", [(1, 1), (2, 5), (3, 9), (-1, 2)])
    def squared(number, square, base):
        assert base + number**2 == square

    with pytest.raises(AssertionError, match="2 of 4 rows fail") as failure:
        squared(base=0)
    assert "squared[2-5]: (2, 5)" in str(failure.value)
    assert "squared[1-2]: (-1, 2)" in str(failure.value)
    assert "squared[3-9]" not in str(failure.value)


def test_a_row_that_should_raise_and_does_not_is_named():
    @rows("text", ["x", pytest.param("7", id="a number")])
    def refused(text):
        with pytest.raises(ValueError, match=text):
            int(text)

    with pytest.raises(AssertionError, match="1 of 2 rows fail") as failure:
        refused()
    assert "refused[a number]" in str(failure.value)


def test_each_row_of_one_table_meets_each_of_another():
    met = []

    @rows("letter", "ab")
    @rows("number", [1, 2])
    def meets(number, letter):
        met.append((number, letter))
        assert (number, letter) != (2, "b")

    with pytest.raises(AssertionError, match="1 of 4 rows fail") as failure:
        meets()
    assert sorted(met) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert "meets[2-b]" in str(failure.value)


def test_a_test_that_the_command_line_names_has_an_item_for_each_row(monkeypatch):
    monkeypatch.setattr(of_rows, "named", set())
    name_rows_of(["tests", "tests/test_x.py::test_y[a-1]"])

    def test_y(text, number, fixture):
        """Test nothing."""

    table = [("a", 1), ("§ b\n", {"c": 2}), ("a", 1), ("\n", ""), ("d", 10**5000)]
    (mark,) = rows("text, number", table)(test_y).pytestmark
    assert mark.args == (["text", "number"], table)
    assert mark.kwargs == {"ids": ["a-1", "b-c-2", "a-1-2", "row", "d-int"]}


def test_a_table_is_not_empty():
    with pytest.raises(AssertionError, match="an empty table"):
        rows("row", [])
    with pytest.raises(AssertionError, match="an empty table"):
        rows("row", list)(lambda row: row)()
