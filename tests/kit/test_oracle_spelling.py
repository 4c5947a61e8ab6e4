"""The executable spec takes JSON apart and rewrites it as text."""

import pytest

from tests.oracle import DIALECTS
from tests.oracle.spelling import (
    Number,
    inner_texts,
    member_texts,
    on_one_line,
    only,
    plain_json,
    value,
    without_lookalikes,
)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("[ ]", []),
        (" {\n}", []),
        ('[ 1.50 ,\t"a, ]\\"" ]', ["1.50", '"a, ]\\""']),
        ('[[1, 2], {"a": [3]}]', ["[1, 2]", '{"a": [3]}']),
        ('{"a" : {"b": 1}, "c":"\\\\"}', ['"a" : {"b": 1}', '"c":"\\\\"']),
    ],
)
def test_what_stands_between_the_outermost_brackets(text, inner):
    assert inner_texts(text) == inner


def test_members_are_known_by_name_however_it_is_spelled():
    text = '{"\\u0061" : 1E0, "b":\n{"c" : [ ]}}'
    assert member_texts(text) == {"a": "1E0", "b": '{"c" : [ ]}'}
    assert only(("b",), text) == '{"b":\n{"c" : [ ]}}'
    assert only(("a",), '{"a": 1, "b": 2, "\\u0061": 3}') == '{"\\u0061": 3}'


def test_one_line_changes_white_space_outside_of_strings_only():
    text = '{ "a :\\" ,b"\t:[1,\r\n\n"  " ,{}] }'
    assert on_one_line(text) == '{"a :\\" ,b": [1, "  ", {}]}'


def test_lookalikes_are_escaped_by_their_first_character():
    for dialect in DIALECTS:
        by_lines = dialect.startswith("delimiter")
        escaped = (
            '"<END \\u00a7call \\u005bSystem: "' if by_lines else '"\\u003cEND §call [System: "'
        )
        assert without_lookalikes('"<END §call [System: "', dialect) == escaped


@pytest.mark.parametrize("text", ["", "1 2", '{"a": 1, "a": 2}', '"\\ud800"', "1e999", "[1,]"])
def test_a_value_follows_the_rules_of_blocks(text):
    with pytest.raises(ValueError, match="no JSON"):
        value(text)


def test_numbers_are_known_by_their_spelling():
    assert value(" [1.50] ") == [Number("1.50")]
    assert value("1") != value("1.0")
    assert plain_json('{"a": 1, "a": 1e999}') == {"a": Number("1e999")}
    assert plain_json("NaN") is None
