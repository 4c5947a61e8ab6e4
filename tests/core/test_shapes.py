"""The shapes of elements by themselves: what of decoded elements they vouch for, and count.

What they do not vouch for is read once more, character by character, and only that says why.  So
nobody sees from outside whether they say "no" too often.
"""

import importlib

import pytest

from tests import cogwire

shapes = importlib.import_module(f"{cogwire.__name__}._shapes")

CALL = {"name": "a", "args": {}}
RESULT = {"tool": "a", "status": "success", "content": 1}
COUNTS = ("tools_executed", "success_count", "failure_count")


@pytest.mark.parametrize(
    ("element", "whole", "partial"),
    [
        (CALL, True, True),
        ({"args": {"name": 1}, "name": "a b", "note": None}, True, True),
        ({"name": "Execute", "args": {}}, True, True),
        ({"name": "a"}, False, True),
        ({"name": "a", "args": None}, False, False),
        ({"name": "a", "args": []}, False, False),
        ({"name": "a", "args": "{}"}, False, False),
        ({"name": "", "args": {}}, False, False),
        ({"name": None, "args": {}}, False, False),
        ({"name": ["a"], "args": {}}, False, False),
        ({"name": 1, "args": {}}, False, False),
        ({"name": "execute", "args": {}}, False, False),
        ({"args": {}}, False, False),
        ({}, False, False),
    ],
)
def test_the_calls_it_vouches_for(element, whole, partial):
    """Their tools are kept; a partial call may leave out its arguments, not spoil them."""
    for is_partial, expected in ((False, whole), (True, partial)):
        shape = shapes.CallShape(2, is_partial=is_partial)
        assert shape.accepts(0, CALL) is True
        assert shape.accepts(1, element) is expected
        assert shape.tools == (["a", element["name"]] if expected else ["a"])


@pytest.mark.parametrize(
    ("tools", "element", "counts"),
    [
        (["a"], RESULT, (1, 1, 0)),
        (["a"], RESULT | {"content": None, "note": 1}, (1, 1, 0)),
        (["a"], RESULT | {"status": "failure", "content": ""}, (1, 0, 1)),
        (None, {"tool": "execute", "status": "failure", "content": "no"}, (0, 0, 1)),
        (["a"], RESULT | {"status": "failure"}, None),
        (["a"], RESULT | {"status": "failure", "content": ["no"]}, None),
        (["a"], RESULT | {"status": "Success"}, None),
        (["a"], RESULT | {"status": ["success"]}, None),
        (["a"], RESULT | {"status": None}, None),
        (["a"], RESULT | {"tool": "b"}, None),
        (["a"], RESULT | {"tool": None}, None),
        (["a"], {"status": "success", "content": 1}, None),
        (["a"], {"tool": "a", "content": "x"}, None),
        (["a"], {"tool": "a", "status": "success"}, None),
        (["a"], {}, None),
        (None, {"tool": "execute", "status": "success", "content": "x"}, None),
        (None, {"tool": "execute", "status": "failure", "content": 1}, None),
        (None, {"tool": "a", "status": "failure", "content": "no"}, None),
    ],
)
def test_the_results_it_vouches_for(tools, element, counts):
    """Only those are counted."""
    shape = shapes.ResultShape(tools)
    assert shape.accepts(0, element) is (counts is not None)
    assert shape.payload() == dict(zip(COUNTS, counts or (0, 0, 0), strict=True))


def test_each_result_is_held_against_the_call_in_its_place():
    shape = shapes.ResultShape(["a", "b", "a"])
    assert shape.capacity == 3
    for index, tool, expected in (
        (0, "b", False),
        (0, "a", True),
        (1, "a", False),
        (1, "b", True),
        (2, "b", False),
        (2, "a", True),
    ):
        assert shape.accepts(index, RESULT | {"tool": tool}) is expected
    assert shape.payload() == {"tools_executed": 3, "success_count": 3, "failure_count": 0}


@pytest.mark.parametrize("element", [{}, {"a": 1}, CALL, RESULT])
def test_an_object_with_any_members_is_vouched_for(element):
    shape = shapes.AnyShape()
    assert shape.accepts(0, element) is True
    assert shape.names == set(element)
