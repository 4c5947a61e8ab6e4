"""Every limit one below, at, and one above, and what counts."""

import pytest

from tests import cogwire
from tests.core.helpers import call, check, error, execute, run, singles

A = '{"name":"a","args":{}}'
X = '<execute>[{"name":"a","args":{"x":'


def limits(**values):
    return cogwire.Limits(**values)


def check_runs(content, **values):
    """Assert that a block of one call runs under these limits."""
    check(f"<execute>[{content}]</execute>", [call(content), execute()], limits=limits(**values))


# --- Size -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inside",
    [
        "[]",
        "[ ]",
        " [] ",
        f"[{A}]",
        f"\n[\n{A},\n{A}\n]\n",
        '[{"name":"é","args":{"x":"\U0001f600"}}]',
    ],
)
def test_a_block_as_large_as_allowed(inside):
    """Size is counted in characters between opener and closer; the closer is not among them."""
    text = f"<execute>{inside}</execute>"
    plain = cogwire.parse(text, clock=None)
    assert plain[-1] == execute()
    for size in (len(inside), len(inside) + 1):
        check(text, plain, limits=limits(size=size), state="paused")


@pytest.mark.parametrize(
    ("text", "size", "path"),
    [
        pytest.param("<execute> ‸ []", 1, None, id="white space before the array"),
        pytest.param("<execute> ‸[]", 1, None, id="the opening bracket"),
        pytest.param("<execute>[‸ ]", 1, "/0", id="white space in the array"),
        pytest.param("<execute>[‸]", 1, "/0", id="the closing bracket"),
        pytest.param("<execute>[‸{", 1, "/0", id="an element"),
        pytest.param('<execute>[{‸"', 2, "/0", id="a key"),
        pytest.param('<execute>[{"name‸"', 7, "/0", id="the end of a key"),
        pytest.param('<execute>[{"name"‸:', 8, "/0", id="a colon"),
        pytest.param('<execute>[{"name":‸"', 9, "/0/name", id="a value"),
        pytest.param('<execute>[{"name":"a‸"', 11, "/0/name", id="the end of a string"),
        pytest.param('<execute>[{"name":"a"‸,', 12, "/0/name", id="a comma"),
        pytest.param('<execute>[{"name":"a","args":‸{', 20, "/0/args", id="a brace"),
        pytest.param(X + '"\\‸n', 27, "/0/args/x", id="an escape"),
        pytest.param(X + "1‸2", 26, "/0/args/x", id="a digit"),
        pytest.param(X + "t‸rue", 26, "/0/args/x", id="a literal"),
        pytest.param(X + "[1‸,2]", 27, "/0/args/x/0", id="a comma in an array"),
        pytest.param(X + '"</exec‸ute>', 32, "/0/args/x", id="a closer in a string"),
        pytest.param("<execute>[]‸ ", 2, None, id="white space after the array"),
    ],
)
def test_the_character_that_crosses_the_size(text, size, path):
    check(text, [error("limit-size", path)], limits=limits(size=size), state="execute")


def test_a_call_completed_by_the_crossing_character_is_not_given():
    text = "<execute>[" + A[:-1] + "‸}]</execute>"
    path = "/0/args"
    check(text, [error("limit-size", path)], limits=limits(size=len(A)), state="paused")


def test_a_call_before_the_crossing_character_is_voided():
    text = f"<execute>[{A}‸,{A}]</execute>"
    expected = [call(A), error("limit-size", "/0", calls=1)]
    check(text, expected, limits=limits(size=len(A) + 1), state="paused")


@pytest.mark.parametrize("size", [2, 3, 11])
def test_the_closer_does_not_count(size):
    check("<execute>[]</execute>", [execute()], limits=limits(size=size), state="paused")


def test_a_closer_begun_and_broken_off_is_no_size():
    """The wrong character is trailing text, whatever the size."""
    expected = [error("trailing-text")]
    check("<execute>[]</exec‸x</execute>", expected, limits=limits(size=2), state="paused")


def test_the_end_inside_the_closer_is_no_size():
    expected = [error("unclosed-execute")]
    check("<execute>[]</exec‸", expected, limits=limits(size=2), state="execute")


def test_the_size_is_of_one_block():
    text = f"<execute>[{A}]</execute>" * 3
    expected = [call(A), execute()] * 3
    check(text, expected, mode="transcript", limits=limits(size=len(A) + 2))


def test_a_replaced_character_counts_as_one():
    """It breaks its block anyway, at the same place."""
    data = b"<execute>[" + b" " * 5 + b"\xe2\x82"
    expected = [error("bad-encoding", "/0", offset=15)]
    for size in (5, 6, 7):
        chosen = [error("limit-size", "/0", offset=14)] if size == 5 else expected
        check(data + b"]</execute>", chosen, limits=limits(size=size), state="paused")


# --- Calls ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_calls_up_to_the_limit(count):
    text = "<execute>[" + ",".join([A] * count) + "]</execute>"
    for allowed in (count, count + 1):
        check(text, [*[call(A)] * count, execute()], limits=limits(calls=allowed), state="paused")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_call_more(count):
    text = "<execute>[" + ",".join([A] * count) + ", ‸" + A + "]</execute>"
    expected = [*[call(A)] * count, error("limit-calls", f"/{count}", calls=count)]
    check(text, expected, limits=limits(calls=count), state="paused")


def test_an_empty_block_has_no_calls():
    check("<execute>[]</execute>", [execute()], limits=limits(calls=1))


def test_the_number_of_calls_is_of_one_block():
    text = f"<execute>[{A}]</execute>" * 2
    check(text, [call(A), execute()] * 2, mode="transcript", limits=limits(calls=1))


def test_the_default_number_of_calls():
    for count, last in ((255, "execute"), (256, "execute"), (257, "limit-calls")):
        text = "<execute>[" + ",".join([A] * count) + "]</execute>"
        for chunks in ([text], singles(text)):
            *calls, final = run(chunks).events
            assert len(calls) == min(count, 256)
            assert final.get("code", final["type"]) == last


# --- Depth ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "depth"),
    [
        (A, 3),
        ('{"name":"a","args":{"x":[]}}', 4),
        ('{"name":"a","args":{"x":{}}}', 4),
        ('{"name":"a","args":{"x":[[]]}}', 5),
        ('{"name":"a","args":{"x":[{"y":[1]}]}}', 6),
        ('{"name":"a","why":[[[]]],"args":{}}', 5),
        ('{"name":"a","args":{"x":"[[[["}}', 3),
        ('{"name":"a","args":{"x":[],"y":[],"z":{"w":1}}}', 4),
    ],
)
def test_the_depth_of_a_call(content, depth):
    """The array is 1, the element 2, its args 3; siblings add nothing, strings neither."""
    check_runs(content, depth=depth)
    check_runs(content, depth=depth + 1)
    events = cogwire.parse(f"<execute>[{content}]</execute>", limits=limits(depth=depth - 1))
    assert [event.get("code") for event in events] == ["limit-depth"]


@pytest.mark.parametrize(
    ("text", "depth", "path"),
    [
        ("<execute>[‸{", 1, "/0"),
        ('<execute>[{"name":"a","args":‸{', 2, "/0/args"),
        ('<execute>[{"why":‸[', 2, "/0/why"),
        (X + "‸[", 3, "/0/args/x"),
        (X + "‸{", 3, "/0/args/x"),
        (X + "[1,‸{", 4, "/0/args/x/1"),
        (X + '{"y":‸[', 4, "/0/args/x/y"),
    ],
)
def test_the_bracket_that_is_too_deep(text, depth, path):
    expected = [error("limit-depth", path)]
    check(text, expected, limits=limits(depth=depth), state="execute")


def test_the_default_depth():
    for inner, last in ((124, "execute"), (125, "execute"), (126, "limit-depth")):
        text = X + "[" * inner + "]" * inner + "}}]</execute>"
        for chunks in ([text], singles(text)):
            final = run(chunks).events[-1]
            assert final.get("code", final["type"]) == last


# --- Digits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number", ["123", "-123", "1.23", "-0.12", "1e23", "1.2e3", "1E-23", "12e+3"]
)
def test_the_digits_of_a_number(number):
    """Integer, fraction and exponent; no sign, no point, no `e`."""
    content = f'{{"name":"a","args":{{"x":{number},"y":{number}}}}}'
    check_runs(content, digits=3)
    check_runs(content, digits=4)
    check(
        X + number[:-1] + "‸" + number[-1],
        [error("limit-digits", "/0/args/x")],
        limits=limits(digits=2),
        state="execute",
    )


def test_digits_in_strings_do_not_count():
    check_runs('{"name":"12345","args":{"678901":"1e999 23456"}}', digits=1)


def test_numbers_side_by_side_are_counted_alone():
    check_runs('{"name":"a","args":{"x":[1,22,333,-4.5e6]}}', digits=3)


def test_the_limit_comes_before_the_range():
    """The range is judged on the whole number."""
    check(X + "1e99‸9,", [error("limit-digits", "/0/args/x")], limits=limits(digits=3))
    check(X + "1e999‸,", [error("number-range", "/0/args/x")], limits=limits(digits=4))


def test_the_default_number_of_digits():
    for digits, last in ((999, "execute"), (1000, "execute"), (1001, "limit-digits")):
        text = f"{X}0.{'1' * (digits - 1)}}}}}]</execute>"
        for chunks in ([text], singles(text)):
            final = run(chunks).events[-1]
            assert final.get("code", final["type"]) == last


# --- All at once ------------------------------------------------------------------------------


def test_a_limit_far_beyond_the_text_changes_nothing():
    check_runs(A, size=10**18, calls=10**18, depth=10**18, digits=10**18)


def test_the_smallest_limits():
    check(
        "<execute>[‸]",
        [error("limit-size", "/0")],
        limits=limits(size=1, calls=1, depth=1, digits=1),
    )
    check("<execute>[]</execute>", [execute()], limits=limits(size=2, calls=1, depth=1, digits=1))


def test_prose_and_thinks_have_no_limit():
    text = "<think>" + "[" * 50 + "</think>" + "1" * 50
    events = cogwire.parse(text, limits=limits(size=1, calls=1, depth=1, digits=1), clock=None)
    assert [event["type"] for event in events] == ["think", "respond"]


def test_the_default_size():
    """Strings of that length, so that the test is short."""
    frame = len('[{"name":"a","args":{"x":""}}]')
    for size, last in ((-1, "execute"), (0, "execute"), (1, "limit-size")):
        text = f'{X}"{"x" * (8_388_608 - frame + size)}"}}}}]</execute>'
        *_, final = cogwire.parse(text)
        assert final.get("code", final["type"]) == last
