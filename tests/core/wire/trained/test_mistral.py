"""The format `mistral`: its turns by hand, and what it does alone."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, call, error, execute, respond, think
from tests.core.wire.trained.formats import Format, delta, turn

A = 'a[ARGS]{"x": [[1]]}'
CALL_A = call('{"name": "a", "args": {"x": [[1]]}}')
CALL_B = call('{"name": "b", "args": {}}')
BLOCK = f"[TOOL_CALLS]{A}"
B = "[TOOL_CALLS]b[ARGS]{}"


def missing_args(text):
    return turn(text, [error("missing-args", "/0")], state="execute")


MISTRAL = Format(
    name="mistral",
    think=("[THINK]", "[/THINK]"),
    result="[TOOL_RESULTS]{}[/TOOL_RESULTS]",
    calls=(BLOCK, B),
    args='{"x": [[1]]}',
    spans=(A, "b[ARGS]{}"),
    broken=(f"[TOOL_CALLS]a[ARGS]{CARET}[]", "bad-args", "/args"),
    turns={
        "half a marker": turn("a [TOOL_CALLS", [respond("a [TOOL_CALLS")], state="prose"),
        "an id and white space": turn(
            "[TOOL_CALLS]\n a[CALL_ID]a1B2[ARGS]\t{}",
            [call('{"name": "a", "args": {}}'), execute()],
        ),
        "a name of signs": turn(
            '[TOOL_CALLS]"é\\:[ARGS]{"\\u0061": 1.0}',
            [call('{"name": "\\"é\\\\:", "args": {"\\u0061": 1.0}}'), execute()],
        ),
        "text after the object": turn(
            f"{BLOCK}{A}[TOOL_RES", [CALL_A, respond(f"{A}[TOOL_RES"), execute()]
        ),
        "cut in the head": turn(
            f"{BLOCK}[TOOL_CALLS]b[AR{CARET}",
            [CALL_A, error("unclosed-call", "/1", calls=1)],
            state="execute",
        ),
        "cut in the arguments": turn(
            f'{BLOCK}[TOOL_CALLS]b[ARGS]{{"x": "{CARET}',
            [CALL_A, error("unclosed-call", "/1/args/x", calls=1)],
            state="execute",
        ),
        "no value of an argument": turn(
            f'{BLOCK}[TOOL_CALLS]b[ARGS]{{"x": {CARET}}}, {B} c',
            [CALL_A, error("json-syntax", "/1/args/x", calls=1), CALL_B, respond("c")],
        ),
        "no arguments": turn(
            f"[TOOL_CALLS]a[ARGS]{CARET}{B}", [error("bad-args", "/0/args"), CALL_B]
        ),
        "no value": turn(
            f"[TOOL_CALLS]a[ARGS]{CARET}x", [error("json-syntax", "/0/args")], state="execute"
        ),
        "no marker of arguments": missing_args(f"[TOOL_CALLS]a{CARET}{{}}"),
        "white space after the name": missing_args(f"[TOOL_CALLS]a{CARET} [ARGS]{{}}"),
        "no id": missing_args(f"[TOOL_CALLS]a[CALL_ID]1{CARET}-[ARGS]{{}}"),
        "two ids": missing_args(f"[TOOL_CALLS]a[CALL_ID]1[{CARET}CALL_ID]1[ARGS]{{}}"),
        "the array of older models": turn(
            f'[TOOL_CALLS] {CARET}[{{"name": "a", "arguments": {{}}}}]',
            [error("bad-name", "/0")],
            state="execute",
        ),
        "the reserved name": turn(
            f"[TOOL_CALLS]execute{CARET}[ARGS]{{}}", [error("bad-name", "/0")], state="execute"
        ),
        "a think after an error": turn(
            f"[TOOL_CALLS]{CARET}{{}}[THINK]b[/THINK]c",
            [error("bad-name", "/0"), think("b"), respond("c")],
        ),
        "a lost character": turn(
            f"[TOOL_CALLS]a{CARET}\ud800", [error("bad-encoding", "/0")], state="execute"
        ),
        "a size that fits": turn(
            f"{BLOCK}[TOOL_CALLS]b[AR{CARET}",
            [CALL_A, error("unclosed-call", "/1", calls=1)],
            state="execute",
            limits=cogwire.Limits(size=23),
        ),
        "a size that does not": turn(
            f"{BLOCK}[TOOL_CALLS]b[A{CARET}RGS]{{}}",
            [CALL_A, error("limit-size", "/1", calls=1)],
            state="execute",
            limits=cogwire.Limits(size=22),
        ),
        "too many calls": turn(
            f"{BLOCK}[TOOL_CALLS]b[ARGS]{CARET}{{}}",
            [CALL_A, error("limit-calls", "/1/args", calls=1)],
            state="execute",
            limits=cogwire.Limits(calls=1),
        ),
        "a depth that fits": turn(BLOCK, [CALL_A, execute()], limits=cogwire.Limits(depth=4)),
        "a depth that does not": turn(
            f"[TOOL_CALLS]{A[:14]}{CARET}{A[14:]}",
            [error("limit-depth", "/0/args/x/0")],
            state="execute",
            limits=cogwire.Limits(depth=3),
        ),
    },
    feeds=(
        ('[TOOL_CALLS]a[ARGS] {"x', [delta('{"x')]),
        (
            '": 1}b',
            [
                delta('": 1}'),
                call('{"name": "a", "args": {"x": 1}}'),
                {"type": "respond", "content": "b", "segment": 0},
            ],
        ),
    ),
    streamed=(
        'a [TOOL_CALLS]b[CALL_ID]c1[ARGS]  {"x": "y\\"\\\\", "n": [12, {"k": 3, "l": true}]} c',
        '{"x": "y\\"\\\\", "n": [12, {"k": 3, "l": true}]}',
    ),
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
