"""What is nested deeply is decoded wherever the caller is, and the same as by Python's decoder."""

import json

import pytest

from cogwire.text.deep import decode, decode_at, is_equal
from tests.rows import rows

DECODER = json.JSONDecoder(object_pairs_hook=tuple)
DEPTH = 700

VALUES = (
    *("[]", "{}", "1", '"a"', "null", "[1]", "[ 1 , 2 ]", '[[], {"a": 1}, []]', "[[1],2]"),
    *('{"a":{}}', '{ "a" : [ ] , "b":{"c" :-1.5e3}}', '{"a":1,"a":2}', '["]", "}", "\\""]'),
)
BROKEN = (
    *("[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", '{"a":1]', '{"a"', '{"a":', '{"a":1'),
    *('{"a":1,', '{"a":1,}', '{"a" 1}', "{1:2}", "{,}", "[tru]", "[}", "1 2", '["a]', "{]"),
)


def deeply(function, *given):
    """Call a function where little of the stack is left."""

    def call(levels):
        return call(levels - 1) if levels else function(*given)

    return call(500)


def nested(text):
    return "[" * DEPTH + text + "]" * DEPTH


def core(value):
    for _ in range(DEPTH):
        (value,) = value
    return value


@rows("text", VALUES)
def test_a_value_is_what_the_decoder_makes_of_it(text):
    assert core(deeply(decode, DECODER, f" {nested(text)}\n")) == DECODER.decode(text)
    value, end = deeply(decode_at, DECODER, f"x{nested(text)}, 1", 1)
    assert (core(value), end) == (DECODER.decode(text), 1 + len(nested(text)))


@rows("text", BROKEN)
def test_what_is_no_json_is_a_value_error(text):
    for given in nested(text), nested("1") + text + "?":
        with pytest.raises(ValueError, match=r"."):
            deeply(decode, DECODER, given)


def test_there_is_a_limit():
    with pytest.raises(RecursionError):
        decode(DECODER, "[" * 100_000)


@rows(
    "one, other, equal",
    [
        ("1", "1", True),
        ("1", "2", False),
        ('{"a": [1], "b": 2}', '{"b": 2, "a": [1]}', True),
        ('{"a": [1], "b": 2}', '{"b": 2, "a": [2]}', False),
        ('{"a": 1}', '{"b": 1}', False),
        ("[1]", "[1, 2]", False),
        ("[]", "{}", False),
    ],
)
def test_deep_values_are_compared(one, other, equal):
    plain = json.JSONDecoder()
    values = [deeply(decode, plain, nested(text)) for text in (one, other)]
    assert deeply(is_equal, *values) == equal
