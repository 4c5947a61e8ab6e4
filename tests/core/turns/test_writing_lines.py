"""Results and calls as the dialects by lines write them; each form is read in both dialects."""

import json

import pytest

from tests import cogwire
from tests.core.helpers import LINES

#: A content, its body in the one dialect, and in the other where that differs.
BODIES = [
    ("ok", "ok"),
    ("a\nb", "a\nb"),
    ({"x": 1}, '{"x": 1}'),
    ([1, 2], "[1, 2]"),
    (None, "null"),
    ("1", '"1"'),
    ("", '""'),
    (" x", '" x"'),
    ('{"x": 1}, {}', '{"x": 1}, {}'),
    ("see [1]\nand [2]", "see [1]\nand [2]", '"see [1]\\nand [2]"'),
    ("say §end", '"say \\u00a7end"'),
    ("[System: x", '"\\u005bSystem: x"'),
    (
        {"tool": "b", "status": "x", "content": 1},
        '{"tool": "t0", "status": "success", "content": {"tool": "b", "status": "x", "content": 1}}',
    ),
]


def check_written(items, lower, upper):
    """Assert how `items` are written, and that they come back."""
    assert cogwire.render_results(items, "delimiter") == lower
    assert cogwire.render_results(items, "delimiter-upper") == upper
    calls = "".join(f'§call: {{"name": "{item["tool"]}"}}\n' for item in items)
    for text in (lower, upper):
        for dialect in LINES:
            *_, event = cogwire.parse_transcript(f"{calls}§execute\n{text}", dialect, clock=None)
            assert json.loads(event["content"]) == items


@pytest.mark.parametrize("row", BODIES, ids=lambda row: repr(row[0]))
def test_a_body_is_as_short_as_it_can_be_read_back(row):
    content, lower, upper = (*row, row[1])[:3]
    items = [{"tool": "t0", "status": "success", "content": content}]
    check_written(items, f"§result: {lower}", f"[SYSTEM: {upper}]")


def test_results_are_written():
    """A failure as a whole item, several results one by one, and none as an empty array."""
    failure = {"tool": "a", "status": "failure", "content": "no"}
    body = '{"tool": "a", "status": "failure", "content": "no"}'
    check_written([failure], f"§result: {body}", f"[SYSTEM: {body}]")
    items = [{"tool": t, "status": "success", "content": c} for t, c in (("a", "x"), ("b", 1))]
    check_written(items, "§result: x\n§result: 1", "[SYSTEM: x]\n[SYSTEM: 1]")
    check_written([], "§result: []", "[SYSTEM: []]")


def test_calls_are_written():
    """Markers in them are escaped; `tests/core/wire` reads the same text."""
    calls = [{"name": "a", "args": {"x": "§end\n[SYSTEM: é"}}, {"name": "b", "args": {}}]
    first = '{"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}}'
    lower = f'§call: {first}\n§call: {{"name": "b", "args": {{}}}}\n§execute'
    upper = f'§CALL: {first}\n§CALL: {{"name": "b", "args": {{}}}}\n§EXECUTE'
    assert cogwire.render_calls(calls, "delimiter") == lower
    assert cogwire.render_calls(calls, "delimiter-upper") == upper
    assert cogwire.render_calls([], "delimiter") == "§execute"
