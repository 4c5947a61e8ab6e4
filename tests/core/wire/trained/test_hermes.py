"""The format `hermes`: its turns and transcripts by hand, and what it does alone."""

import pytest

from tests import cogwire
from tests.core.helpers import CARET, call, execute, respond
from tests.core.wire.trained.formats import Format

A = '{"name": "a", "arguments": {"x": [[1]]}}'
CALL_A = call('{"name": "a", "args": {"x": [[1]]}}')
CALL_B = call('{"name": "b", "args": {}}')


def block(inside):
    return f"<tool_call>\n{inside}\n</tool_call>"


BLOCK = block(A)
WITHOUT_ARGUMENTS = block('{"name": "b"}')
B = block('{"name": "b", "arguments": {}}')
#: Calls in `xml-json`.
CALLS = '<execute>[{"name": "a", "args": {}}, {"name": "b", "args": {}}]</execute>'

HERMES = Format(
    name="hermes",
    think=("<think>", "</think>"),
    result="<tool_response>\n{}\n</tool_response>",
    calls=(BLOCK, B),
    args='{"x": [[1]]}',
    spans=(A, '{"name": "b", "arguments": {}}'),
    broken=(f"<tool_call>{CARET}[]</tool_call>", "not-object", ""),
    transcripts={"the end": (f"{BLOCK}a{B}", [CALL_A, respond("a"), CALL_B, execute()])},
    changed={
        "a batch of nothing with results": (
            "<execute>[]</execute><results>[]</results>a",
            "a",
            ["dropped"] * 2,
        ),
        "a batch of nothing": ("a<execute>[]</execute>", "a", ["dropped"]),
        "a batch without results": (
            f"<think>Hm.</think>I look.{CALLS}Then.<end>",
            None,
            [*["dropped"] * 3, "joined", "dropped"],
        ),
        "markers in prose": ("a &lt;b <tool_call> c", "a &lt;b &lt;tool_call> c", ["neutralised"]),
        "an id": (
            '<execute>[{"name":"a","args":{},"id":1}]</execute><end>',
            block('{"name": "a", "arguments": {}}'),
            ["dropped"] * 2,
        ),
    },
    taught=("`<tool_call>`", '"arguments"'),
    pieces=(
        *("<tool_call>", "</tool_call>", "</tool", "_call>", "</tool_call", A, WITHOUT_ARGUMENTS),
        *('{"name": "a"}', '{"name": "execute"}', '"name": "b"', '"arguments": {}'),
        *('"arguments": [', '"x": "</tool_call>"'),
        '{"arguments": {"x": 1, "x": 2}, "name": "a"}',
    ),
)


def test_text_between_calls_is_kept_in_delimiter_and_moved_in_xml_dialects():
    text = f"{BLOCK}\nb\n{B}"
    report = []
    lines = cogwire.convert(text, "hermes", "delimiter", report=report)
    assert lines == (
        '§call: {"name": "a", "args": {"x": [[1]]}}\n§respond: b\n'
        '§call: {"name": "b", "args": {}}\n§execute'
    )
    assert cogwire.convert(lines, "delimiter", "hermes", report=report) == text
    assert report == []
    cogwire.convert(text, "hermes", "xml-json", report=report)
    assert [difference["code"] for difference in report] == ["moved"]


def test_text_after_a_call_keeps_its_marker():
    text = f"{BLOCK}b{HERMES.answer('1')}"
    assert cogwire.convert(text, "hermes", "delimiter") == (
        '§call: {"name": "a", "args": {"x": [[1]]}}\n§respond: b\n§execute\n§result: 1'
    )


def test_a_call_without_args_is_completed():
    report = []
    got = cogwire.convert('§call: {"name": "b"}\n§execute', "delimiter", "hermes", report=report)
    assert got == B
    assert [difference["code"] for difference in report] == ["completed"]


def test_a_turn_that_the_prompt_began_is_replayed():
    text = f"Hm.</think>{BLOCK}"
    events = cogwire.parse(text, "hermes", start="think", raw=True, clock=None)
    (message,) = cogwire.to_messages(events, "hermes")
    assert message["content"] == f"<think>{text}"


def test_markers_in_strings_are_escaped():
    assert cogwire.render_calls([{"name": "a", "args": {"x": "</tool_call>"}}], "hermes") == block(
        '{"name": "a", "arguments": {"x": "\\u003c/tool_call>"}}'
    )


def test_text_does_not_end_a_batch():
    with pytest.raises(cogwire.RenderError):
        cogwire.render_events([CALL_A, execute(), respond("a"), execute()], "hermes")
