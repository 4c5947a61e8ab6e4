"""A dialect is data: one more, in one file and one line of registration, works everywhere."""

import copy
import json
import re

import pytest

from tests import cogwire
from tests.core.brackets import BRACKETS, MIXED, dialects
from tests.core.helpers import (
    bare,
    call,
    check,
    error,
    execute,
    respond,
    result,
    room,
    think,
)
from tests.rows import rows

A = '{"name": "a", "args": {"x": [[1]]}}'
B = '{"name": "b", "args": {}}'
ITEM_A = '{"tool": "a", "status": "success", "content": "ok"}'
ITEM_B = '{"tool": "b", "status": "failure", "content": "no"}'

BLOCK = f"[[run]]\n[\n  {A},\n  {B}\n]\n[[/run]]"
RESULTS = f"[[results]]\n[\n  {ITEM_A},\n  {ITEM_B}\n]\n[[/results]]"
CONVERSATION = f"[[think]]I look.[[/think]]\n\nTwo calls.\n\n{BLOCK}\n\n{RESULTS}\n\nDone."
EVENTS = [
    think("I look."),
    respond("Two calls."),
    call(A),
    call(B),
    execute(),
    result(f"[\n  {ITEM_A},\n  {ITEM_B}\n]", 1, 1),
    respond("Done."),
]


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    """Register it, in one line."""
    monkeypatch.setitem(dialects.DIALECTS, BRACKETS.name, BRACKETS)
    monkeypatch.setitem(dialects.DIALECTS, MIXED.name, MIXED)


# --- Reading ----------------------------------------------------------------------------------


@rows(
    ("text", "events", "options"),
    [
        ("Hi [there] [[1]].", [respond("Hi [there] [[1]].")], {}),
        ("[[[[[think]]a", [respond("[[["), think("a")], {"state": "think"}),
        ("[[[th [[th[ [[[t", [respond("[[[th [[th[ [[[t")], {}),
        ("[[Think]] [[end]]<think>§end", [respond("[[Think]] [[end]]<think>§end")], {}),
        (
            f"a{BLOCK}b",
            [respond("a"), call(A), call(B), execute()],
            {"state": "paused", "discarded": 1},
        ),
        (
            f"[[run]][{B}‸[[/run]]",
            [call(B), error("json-syntax", "/0", calls=1)],
            {"state": "paused"},
        ),
        (
            "a ‸[[results]]b",
            [respond("a"), error("forged-results")],
            {"state": "paused", "discarded": 1},
        ),
    ],
)
def test_a_turn(text, events, options):
    check(text, events, dialect="brackets", **options)


def test_a_transcript():
    check(CONVERSATION, EVENTS, dialect="brackets", mode="transcript")


# --- Writing ----------------------------------------------------------------------------------


def test_calls_and_results_are_written():
    calls = [json.loads(A), json.loads(B)]
    assert cogwire.render_calls(calls, "brackets") == BLOCK
    assert cogwire.render_results([json.loads(ITEM_A), json.loads(ITEM_B)], "brackets") == RESULTS


def test_markers_are_escaped_in_what_is_written():
    """`[[run]]` and its like, in any case; other brackets stay."""
    text = cogwire.render_calls([{"name": "a", "args": {"x": "[[1]] [[/RUN]]"}}], "brackets")
    assert '"[[1]] \\u005b[/RUN]]"' in text
    results = [{"tool": "a", "status": "success", "content": "[[think]]"}]
    assert '"\\u005b[think]]"' in cogwire.render_results(results, "brackets")


def test_events_are_written_and_read_back():
    assert cogwire.render_events(EVENTS, "brackets") == CONVERSATION
    with pytest.raises(cogwire.RenderError):
        cogwire.render_events([{"type": "end"}], "brackets")
    with pytest.raises(cogwire.RenderError):
        cogwire.render_events([respond("a [[run]] b")], "brackets")


def test_the_instructions_teach_it():
    """What they show is what the parser reads, and they hold no other dialect's markers."""
    toolset = cogwire.Toolset([{"name": "read", "parameters": {"type": "object"}}], "brackets")
    text = cogwire.render_prompt(toolset)
    assert "`[[think]]` `[[/think]]` `[[run]]` `[[/run]]`" in text
    assert "&#91;[run]]" in text
    assert not re.search(r"</?(?:think|execute|results|end)|§", text)
    blocks = re.findall(r"(?s)^\[\[run\]\]\n.*?^\[\[/run\]\]", text, re.MULTILINE)
    assert blocks
    for block in blocks:
        assert cogwire.parse(block, "brackets", clock=None)[-1] == execute()


# --- Messages ---------------------------------------------------------------------------------


def test_messages():
    stored = [event for event in EVENTS if cogwire.persisted(event)]
    messages = cogwire.to_messages([{"type": "user", "content": "Go."}, *stored], "brackets")
    assert messages == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": f"[[think]]I look.[[/think]]\n\nTwo calls.\n\n{BLOCK}"},
        {"role": "user", "content": RESULTS},
        {"role": "assistant", "content": "Done."},
    ]
    read = cogwire.from_messages(messages, "brackets")
    kept = [event for event in read if cogwire.persisted(event)]
    assert bare(kept) == [{"type": "user", "content": "Go."}, *stored]


def test_markers_in_text_are_neutralised():
    report = []
    events = [{"type": "user", "content": "[[results]] and [[run]]"}, respond("say [[run]]")]
    messages = cogwire.to_messages(events, "brackets", report=report)
    assert [message["content"] for message in messages] == [
        "&#91;[results]] and [[run]]",
        "say &#91;[run]]",
    ]
    assert [change["code"] for change in report] == ["neutralised", "neutralised"]


# --- Other dialects ---------------------------------------------------------------------------


def in_tags(text):
    """Write the markers of `xml-json`."""
    for ours, theirs in (("think", "think"), ("run", "execute"), ("results", "results")):
        text = text.replace(f"[[{ours}]]", f"<{theirs}>").replace(f"[[/{ours}]]", f"</{theirs}>")
    return text


ELSEWHERE = {
    "xml-json": in_tags(CONVERSATION),
    "delimiter": "\n".join(
        [
            "§think: I look.",
            "§respond: Two calls.",
            f"§call: {A}",
            f"§call: {B}",
            "§execute",
            "§result: ok",
            f"§result: {ITEM_B}",
            "§respond: Done.",
        ]
    ),
}


@rows("other", ELSEWHERE)
def test_a_conversation_is_converted(other):
    """There and back, with nothing to report."""
    report = []
    there = cogwire.convert(CONVERSATION, "brackets", other, report=report)
    assert there == ELSEWHERE[other]
    assert bare(cogwire.parse_transcript(there, other, clock=None)) == EVENTS
    back = cogwire.convert(there, other, "brackets", report=report)
    assert bare(cogwire.parse_transcript(back, "brackets", clock=None)) == EVENTS
    assert report == []


def test_what_it_cannot_express_is_reported():
    """It has no marker for the end of a turn."""
    report = []
    assert cogwire.convert("Hi.<end>", "xml-json", "brackets", report=report) == "Hi."
    assert [(one["offset"], one["code"]) for one in report] == [(3, "dropped")]


def test_without_registration_it_is_unknown(monkeypatch):
    monkeypatch.delitem(dialects.DIALECTS, "brackets")
    with pytest.raises(ValueError, match="xml-json"):
        cogwire.Parser("brackets")


def test_markers_may_begin_with_different_characters():
    text = f"a < b [x] <think>[TOOL_CALLS]</think> [TOOL <t [TOOL_CALLS][{B}][/TOOL_CALLS]"
    expected = [
        respond("a < b [x]"),
        think("[TOOL_CALLS]"),
        respond("[TOOL <t"),
        call(B),
        execute(),
    ]
    check(text, expected, state="paused", dialect="mixed")
    history = [{"type": "user", "content": "go"}, respond("[TOOL_CALLS]"), think("<think>")]
    messages = cogwire.to_messages(history, "mixed")
    assert "&#91;TOOL_CALLS]" in messages[1]["content"]
    assert cogwire.from_messages(messages, "mixed") == [
        {"type": "user", "content": "go"},
        respond("&#91;TOOL_CALLS]"),
        think("<think>"),
    ]


@rows(
    ("like", "frame", "message"),
    [
        ("xml-json", "delimiter", "cannot have calls of the kind array.*lines can have object"),
        ("delimiter", "xml-json", "of the kind object.*tags can have array or elements"),
        ("qwen3-coder", "llama3-json", "of the kind tagged.*bare can have object"),
        ("glm-4.5", "mistral", "the closer '' after its calls.*needs '</tool_call>'"),
    ],
)
def test_a_frame_that_cannot_have_such_calls_is_refused(like, frame, message):
    calls, frame = dialects.dialect_named(like).calls, dialects.dialect_named(frame).frame
    with pytest.raises(ValueError, match=message):
        dialects.Dialect("own", frame, calls, parallel=True)


def test_a_machine_with_a_method_of_no_region_or_role_is_refused():
    machine = type(BRACKETS.machine(room("wire.frames.machine").Options(cogwire.Limits())))
    for name in ("_scan_pros", "_enter_ends"):
        with pytest.raises(TypeError, match=f"there is no {name.rpartition('_')[2]}$"):
            type("Misspelt", (machine,), {name: lambda *_: 0})


def test_what_is_constant_of_a_frame_is_no_argument():
    tags = type(BRACKETS.frame)
    with pytest.raises(TypeError, match="is_block_last"):
        tags(*BRACKETS.frame, is_block_last=False)


def test_a_dialect_can_be_copied():
    assert copy.copy(BRACKETS) == BRACKETS
    assert copy.deepcopy(BRACKETS).frame == BRACKETS.frame
