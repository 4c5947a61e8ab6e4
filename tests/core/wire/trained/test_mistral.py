"""The format `mistral`: its turns by hand, and what it does alone."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, call, execute
from tests.core.wire.trained.formats import Format

A = 'a[ARGS]{"x": [[1]]}'
BLOCK = f"[TOOL_CALLS]{A}"
B = "[TOOL_CALLS]b[ARGS]{}"


MISTRAL = Format(
    name="mistral",
    think=("[THINK]", "[/THINK]"),
    result="[TOOL_RESULTS]{}[/TOOL_RESULTS]",
    calls=(BLOCK, B),
    args='{"x": [[1]]}',
    spans=(A, "b[ARGS]{}"),
    broken=(f"[TOOL_CALLS]a[ARGS]{CARET}[]", "bad-args", "/args"),
    changed={
        "markers in prose": ("a [TOOL_CALLS] c", "a &#91;TOOL_CALLS] c", ["neutralised"]),
        "a batch of nothing": ("a<execute>[]</execute>", "a", ["dropped"]),
        "a name with a space": (
            '<execute>[{"name":"a b","args":{}}]</execute><results>[]</results>b',
            "b",
            ["dropped"] * 3,
        ),
        "an id": (
            '<execute>[{"name":"a","args":{},"id":1}]</execute>',
            "[TOOL_CALLS]a[ARGS]{}",
            ["dropped"],
        ),
    },
    refused={
        "a name with a space": ("my tool", {}, "/0/name"),
        "a name with a bracket": ("a[ARGS]", {}, "/0/name"),
        "a name with a brace": ("a{", {}, "/0/name"),
    },
    taught=("in upper case",),
    pieces=(
        *("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[TOOL_CALLS]a[ARGS]", "[TOOL", "_CALLS]"),
        *("[AR", "GS]", "x1", A, '{"x": "[TOOL_CALLS]"}', '{"x": 1, "x": 2}', '{"\\u0061": 1.50}'),
    ),
)


def test_no_snapshot_waits_for_a_closer_that_the_format_does_not_have():
    parser = cogwire.Parser("mistral", clock=None)
    parser.feed(BLOCK)
    assert parser.state == "prose"
    snapshot = parser.snapshot()
    snapshot["region"] = "called"
    with pytest.raises(ValueError, match="region"):
        cogwire.Parser.restore(snapshot)


def test_markers_in_strings_are_escaped():
    assert cogwire.render_calls([{"name": "a", "args": {"x": "[TOOL_CALLS]"}}], "mistral") == (
        '[TOOL_CALLS]a[ARGS]{"x": "\\u005bTOOL_CALLS]"}'
    )


def test_an_event_with_a_name_that_a_head_cannot_contain_is_refused():
    with pytest.raises(cogwire.RenderError) as refused:
        cogwire.render_events([call('{"name": "a b", "args": {}}'), execute()], "mistral")
    assert refused.value.path == "/0/content/name"
