"""Bodies of results by themselves, without the text in which they stand."""

import importlib

import pytest

from tests import cogwire

bodies = importlib.import_module(f"{cogwire.__name__}._bodies")
json = importlib.import_module(f"{cogwire.__name__}._json")

ITEM = '{{"tool": "{}", "status": "{}", "content": {}}}'


@pytest.mark.parametrize(
    ("tools", "body", "code", "path"),
    [
        ([], "x", "results-count", None),
        (None, "x", "results-shape", "/0"),
        (["a"], ITEM.format("b", "success", 1), "results-order", "/0"),
        (["a"], ITEM.format("a", "failure", 1), "results-shape", "/0"),
    ],
)
def test_a_fault_stands_at_no_place(tools, body, code, path):
    """The parser knows where the body stood; nothing is taken, so the next may come."""
    taken = bodies.Bodies(tools, cogwire.Limits())
    with pytest.raises(json.Fault) as caught:
        taken.take(body)
    assert (caught.value.code, caught.value.at, caught.value.path) == (code, -1, path)
    assert (taken.items, taken.missing) == ([], 1)
    assert taken.payload == {"tools_executed": 0, "success_count": 0, "failure_count": 0}


@pytest.mark.parametrize("size", [1, 6, 7, 1000])
def test_the_limit_of_size_is_not_for_one_body_and_its_frame(size):
    """The parser judges it over all bodies; one as long as the limit is still JSON."""
    taken = bodies.Bodies(["a"], cogwire.Limits(size=size))
    taken.take("[1, 2]")
    assert taken.items == [ITEM.format("a", "success", "[1, 2]")]
    answer = bodies.Bodies(["a"], cogwire.Limits(size=size))
    answer.take(ITEM.format("a", "failure", '"no"'))
    assert answer.payload == {"tools_executed": 1, "success_count": 0, "failure_count": 1}


def test_how_many_bodies_are_due():
    for tools, due in ((None, 1), ([], 1), (["a"], 1), (["a", "b"], 2)):
        taken = bodies.Bodies(tools, cogwire.Limits())
        assert (taken.due, taken.missing, taken.path) == (due, due, "/0")
    taken.take("x")
    assert (taken.due, taken.missing, taken.path) == (2, 1, "/1")
