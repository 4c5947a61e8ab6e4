"""The limits by default, each one below, at, and one above; smaller ones are in cases of the corpus."""

import pytest

from tests import cogwire
from tests.core.helpers import execute, run, singles

A = '{"name":"a","args":{}}'
#: A block up to the value of the argument `x`.
X = '<execute>[{"name":"a","args":{"x":'


@pytest.mark.parametrize(
    ("text", "code", "path", "allowed"),
    [
        (lambda n: "<execute>[" + ",".join([A] * n) + "]</execute>", "limit-calls", "/256", 256),
        (
            lambda n: f"{X}{'[' * n}{']' * n}}}}}]</execute>",
            "limit-depth",
            "/0/args/x" + "/0" * 125,
            125,
        ),
        (lambda n: f"{X}0.{'1' * (n - 1)}}}}}]</execute>", "limit-digits", "/0/args/x", 1000),
    ],
    ids=["calls", "depth", "digits"],
)
def test_the_defaults(text, code, path, allowed):
    """One below, at, and one above; the array is level 1, its element 2, the arguments 3."""
    for amount, is_allowed in ((allowed - 1, True), (allowed, True), (allowed + 1, False)):
        for chunks in ([text(amount)], singles(text(amount))):
            outcome = run(chunks)
            *calls, last = outcome.events
            assert outcome.state == "paused"
            assert all(event["type"] == "call" for event in calls)
            if is_allowed:
                assert last == execute()
            else:
                assert (last["code"], last["path"], last["calls"]) == (code, path, len(calls))


def test_the_place_of_an_excess_item():
    for text, offset in (
        ("<execute>[" + ",".join([A] * 257), 10 + 256 * (len(A) + 1)),
        (X + "[" * 126, len(X) + 125),
        (f"{X}0.{'1' * 1000}", len(X) + 1001),
    ):
        assert run([text]).events[-1]["offset"] == offset


def test_prose_and_thinks_have_no_limit():
    text = "<think>" + "[" * 50 + "</think>" + "1" * 50
    events = cogwire.parse(
        text, limits=cogwire.Limits(size=1, calls=1, depth=1, digits=1), clock=None
    )
    assert [event["type"] for event in events] == ["think", "respond"]


def test_the_default_size():
    """Strings of that length, so that the test is short."""
    allowed = 8_388_608 - len('[{"name":"a","args":{"x":""}}]')
    for length in (allowed - 1, allowed, allowed + 1):
        *_, last = cogwire.parse(f'{X}"{"x" * length}"}}}}]</execute>', clock=None)
        assert (last == execute()) == (length <= allowed)
    *_, last = cogwire.parse(f'{X}"{"x" * 8_388_608}', clock=None)
    assert (last["code"], last["path"]) == ("limit-size", "/0/args/x")
    assert last["offset"] == len("<execute>") + 8_388_608
