"""Findings of the records of data sets, whatever shape they have."""

import json

import pytest

from cogwire import Toolset
from cogwire_kit.bridges import anthropic, openai, sharegpt
from cogwire_kit.conformance import corpus
from cogwire_kit.lint import LintOptions, lint_record, records
from cogwire_kit.lint.texts import read_text
from tests.rows import rows

(FINDINGS,) = corpus.array(corpus.PLACE / "texts" / "findings.json")
BLOCK = '<execute>[{"name": "ls", "args": {}}]</execute>'
RESULTS = '<results>[{"tool": "ls", "status": "success", "content": ""}]</results>'


def chat(*messages):
    return {"messages": [dict(zip(("role", "content"), each, strict=True)) for each in messages]}


def found(record, **options):
    """Return the findings in short, notes left out: the rule and the pointer."""
    return [
        (each.rule, each.pointer)
        for each in lint_record(record, LintOptions(**options))
        if each.severity != "note"
    ]


@rows("row", FINDINGS["records"])
def test_the_findings(row):
    options = {"dialect": row["dialect"]} if "dialect" in row else {}
    assert [[*each] for each in found(row["record"], **options)] == row["findings"]


@rows("record, reason", [tuple(each.values()) for each in FINDINGS["bad records"]])
def test_a_bad_record_says_what_is_wrong_with_it(record, reason):
    (finding,) = lint_record(record)
    assert finding.rule == "bad-record"
    assert finding.message.startswith(reason)


def test_a_place_in_the_results_is_a_place_in_the_users_text():
    text = f"\n<results>[\n{RESULTS[10:-11]}, 5]</results>"
    (finding,) = lint_record(chat(("assistant", BLOCK), ("user", text))["messages"])
    assert finding.rule in {"results-shape", "results-count"}
    assert text[finding.start : finding.end] in {"5", ","}
    assert (finding.line, finding.pointer) == (3, "/1/content")


CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
OPENAI = [
    {"role": "assistant", "tool_calls": [CALL, {**CALL, "id": "d", "function": {"name": "cat"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "a"},
    {"role": "tool", "tool_call_id": "d", "content": "b"},
]
ANTHROPIC = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "ls", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "a"}]},
]
SHAREGPT = [
    {"from": "gpt", "value": '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'},
    {"from": "tool", "value": "a"},
]
TOOLS = [{"name": "ls", "parameters": {"type": "object", "required": ["path"]}}]


SAID = {"role": "user", "content": "a"}


@rows(
    "messages, place, other",
    [
        (OPENAI, "/0/tool_calls/0/function", SAID),
        (ANTHROPIC, "/0/content/0", SAID),
        (SHAREGPT, "/0/value", {"from": "human", "value": "a"}),
    ],
)
def test_calls_are_validated_with_their_tools_in_every_form(messages, place, other):
    findings = found(messages, toolset=Toolset(TOOLS))
    assert findings[0] == ("missing-arg", place)
    assert found(messages) == []
    # Without their results, and with something after them, they are orphans.
    assert found([messages[0], other]) == [("orphan", "/0")]


TWO_CALLS = '§call: {"name": "a"}\n§call: {"name": "b"}\n§execute'


@rows(
    "dialect, turn, results, own",
    [
        ("xml-json", "Hi.", "", "Thanks."),
        ("xml-json", BLOCK, RESULTS, "\n\nGo on."),
        ("xml-json", BLOCK, RESULTS, "\n<execute>[x]</execute>\ufffd"),
        ("xml-json", BLOCK, '<results>[{"tool": "</results>"}]</results>', " a"),
        ("xml-json", BLOCK, "<results>[]</results>", "<execute>[]</execute><results>[x</results>"),
        ("xml-elements", "<execute><a></execute>", "<results>[]</results>", "a"),
        ("delimiter", TWO_CALLS, "§result: a", "\n§respond: b"),
        ("delimiter", TWO_CALLS, "§result: a", f"\n{TWO_CALLS}\n§result: b"),
        ("delimiter", TWO_CALLS, "§result: a\n§result: b", "\n§end"),
    ],
)
def test_a_turn_is_read_once_whatever_a_user_adds_to_its_results(dialect, turn, results, own):
    """What the user wrote changes nothing in the findings of the turn and its results."""
    options = LintOptions(dialect)
    with pytest.MonkeyPatch.context() as patch:
        reads = []
        patch.setattr(
            records, "read_text", lambda *given: reads.append(given[0]) or read_text(*given)
        )
        with_own = lint_record(chat(("assistant", turn), ("user", results + own)), options)
    assert len(reads) == 1
    alone = lint_record(chat(("assistant", turn), ("user", results)), options)
    assert [each for each in with_own if each.rule != "unsafe-text"] == alone


@rows(
    "record, reason",
    [
        (
            {"text": "<think>a</think> b\n§end"},
            "its first marker is '<think>', but '§end' in its prose is one of another dialect",
        ),
        (
            chat(("assistant", "<execute>[]</execute>"), ("assistant", "§end")),
            "its texts have markers of different dialects",
        ),
    ],
)
def test_a_dialect_is_not_guessed(record, reason):
    """What `parse` and `convert` refuse is a finding of a record."""
    (finding,) = lint_record(record)
    assert finding.rule == "no-dialect"
    assert finding.message.startswith("this may be xml-json or ")
    assert finding.message.endswith(f", since {reason}; name the dialect")
    assert "no-dialect" not in [each.rule for each in lint_record(record, LintOptions("xml-json"))]


@rows("tools", [TOOLS, json.dumps(TOOLS)])
def test_a_record_may_have_its_own_tools(tools):
    assert found({"messages": OPENAI, "tools": tools})[0][0] == "missing-arg"
    # What is given with the command comes first.
    assert found({"messages": OPENAI, "tools": tools}, toolset=Toolset([]))[0][0] == "unknown-tool"


QWEN = "<tool_call>\n<function=ls>\n<parameter=n>\n{}\n</parameter>\n</function>\n</tool_call>"
COUNTED = [{"name": "ls", "parameters": {"properties": {"n": {"type": "integer"}}}}]


@rows(
    "number, dialect, findings",
    [
        ("1", "qwen3-coder", []),
        ("1", "auto", []),
        ("a", "qwen3-coder", [("bad-type", "/messages/0/content")]),
    ],
)
def test_texts_have_the_types_of_a_records_own_tools(number, dialect, findings):
    record = {**chat(("assistant", QWEN.format(number))), "tools": COUNTED}
    assert found(record, dialect=dialect) == findings
    # And so for tools that were declared for another dialect.
    assert found(record, dialect=dialect, toolset=Toolset(COUNTED)) == findings


def test_arguments_that_are_json_keep_their_types_whatever_the_dialect():
    call = {**CALL, "function": {"name": "ls", "arguments": '{"n": "1"}'}}
    toolset = Toolset(COUNTED, "qwen3-coder")
    messages = [{"role": "assistant", "tool_calls": [call]}]
    assert found(messages, toolset=toolset) == [("bad-type", "/0/tool_calls/0/function")]


@rows("bridge, messages", [(openai, OPENAI), (anthropic, ANTHROPIC), (sharegpt, SHAREGPT)])
def test_the_findings_are_those_of_the_bridge(bridge, messages):
    report = []
    bridge.from_messages(messages, report=report, strict=False)
    rules = [each.rule for each in lint_record(messages)]
    assert rules == [change["code"] for change in report]


NAN = {"type": "tool_use", "input": float("nan")}


@rows("value", [*FINDINGS["odd"], [{"role": "assistant", "content": [NAN]}]])
def test_no_record_raises(value):
    assert lint_record(value, LintOptions(toolset=Toolset(TOOLS))) is not None


def test_a_call_in_the_spelling_of_python_is_named_with_its_fault():
    text = "<tool_call>\n{'name': 'ls', 'arguments': {'a': True}}\n</tool_call>"
    (found,) = lint_record({"conversations": [{"from": "gpt", "value": text}]})
    assert "the call of 'ls' is invalid" in found.message
    assert "JSON strings are written in double quotes" in found.message
