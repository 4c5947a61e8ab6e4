"""Findings of the records of data sets, whatever shape they have."""

import json

import pytest

from cogwire import Toolset
from cogwire_kit.bridges import anthropic, openai, sharegpt
from cogwire_kit.lint import LintOptions, lint_record, records
from cogwire_kit.lint.texts import read_text
from tests.rows import rows

BLOCK = '<execute>[{"name": "ls", "args": {}}]</execute>'
TWO_ELEMENTS = '<execute>[{"name": "ls", "args": {}}, {"name": "ls", "args": {}}]</execute>'
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


@rows(
    "record",
    [
        chat(("user", "Hi"), ("assistant", "Hello.")),
        chat(("system", "Write <results> never."), ("user", "Hi"), ("assistant", BLOCK)),
        chat(("assistant", BLOCK), ("user", RESULTS), ("assistant", "Done.<end>")),
        chat(("assistant", BLOCK), ("user", f"{RESULTS}\n\nGo on <think>."), ("assistant", "x")),
        {"text": f"{BLOCK}{RESULTS}"},
        f"{BLOCK}{RESULTS}",
        {"events": [{"type": "user", "content": "a"}, {"type": "respond", "content": "b"}]},
        [{"type": "user", "content": "a"}],
        {"events": []},
    ],
)
def test_nothing_is_wrong(record):
    assert found(record) == []


@rows(
    "record, reason",
    [
        ({"messages": "a"}, "`messages` is not a list."),
        ({"text": None, "events": 1}, "`events` is not a list."),
        ({"text": None}, "`text` is null."),
        ({"text": ["a"]}, "`text` is not a string."),
        ({"type": "bogus"}, "'bogus' is not a type of event."),
        (
            {"role": "user", "content": "a"},
            "This is a message: a record has `messages`, and a file of events has no messages.",
        ),
        ({"type": 1}, "This object has none of `messages`, `prompt`"),
    ],
)
def test_a_bad_record_says_what_is_wrong_with_it(record, reason):
    (finding,) = lint_record(record)
    assert finding.rule == "bad-record"
    assert finding.message.startswith(reason)


@rows(
    "record, findings",
    [
        (None, [("bad-record", "")]),
        ([{"role": "assistant", "content": "a", "train": False}], [("ignored-flag", "/0")]),
        (
            {"conversations": [{"from": "gpt", "value": "a", "weight": 0.5, "loss": 0}]},
            [("ignored-flag", "/conversations/0")] * 2,
        ),
        ([{"role": "assistant", "content": "a", "train": True, "weight": "0"}], []),
        ([{"role": "user", "content": "a", "train": False}], []),
        (3, [("bad-record", "")]),
        ({"question": "a"}, [("bad-record", "")]),
        (chat(("assistant", "<execute>[x]</execute>")), [("json-syntax", "/messages/0/content")]),
        (chat(("robot", "a")), [("skipped", "/messages/0")]),
        (chat(("user", None)), [("skipped", "/messages/0")]),
        ({"messages": [1]}, [("skipped", "/messages/0")]),
        # Results are in the message of a user, and are judged by the block before it.
        (
            chat(("assistant", BLOCK), ("user", "<results>[]</results>"), ("assistant", "a")),
            [("results-count", "/messages/1/content")],
        ),
        (
            chat(("assistant", BLOCK), ("user", "No."), ("assistant", "a")),
            [("unanswered-execute", "/messages/0/content")],
        ),
        (
            chat(("assistant", BLOCK), ("assistant", "a")),
            [("unanswered-execute", "/messages/0/content")],
        ),
        (
            chat(("assistant", "a"), ("user", RESULTS)),
            [("unsafe-text", "/messages/1/content")] * 2,
        ),
        ([{"from": "human", "value": 1}], [("skipped", "/0")]),
        (
            [{"from": "gpt", "value": "<tool_call>{</tool_call>"}, {"from": "human", "value": "a"}],
            [("skipped", "/0"), ("orphan", "/0")],
        ),
        ({"events": [{"type": "nothing"}]}, [("skipped", "/events/0")]),
        (
            {
                "events": [
                    {
                        "type": "error",
                        "code": "json-syntax",
                        "content": "a",
                        "offset": 0,
                        "calls": 0,
                    }
                ]
            },
            [("json-syntax", "/events/0")],
        ),
    ],
)
def test_the_findings(record, findings):
    assert found(record) == findings


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


@rows(
    "record, findings",
    [
        # Parts of a content are OpenAI's, and so are answers of tools.
        ([{"role": "user", "content": [{"type": "text", "text": "a"}]}], []),
        ([{"role": "tool", "content": "a"}], [("surplus", "/0")]),
        # Roles in capitals are read as those in lower case.
        ([{"role": "User", "content": "a"}, {"role": "Assistant", "content": "b"}], []),
        ([{"from": "Human", "value": "a"}, {"from": "GPT", "value": "b"}], []),
        # The spec reads nothing in a code fence as a call.
        (
            [{"role": "assistant", "content": '```json\n{"name": "ls", "arguments": {}}\n```'}],
            [("fenced-calls", "/0/content")],
        ),
        (
            [{"from": "gpt", "value": '\n```\n[{"name": "ls", "parameters": {}}]\n```\n'}],
            [("fenced-calls", "/0/value")],
        ),
        ([{"role": "assistant", "content": '```json\n{"name": "ls"}\n```'}], []),
        ([{"role": "assistant", "content": "```json\n[]\n```"}], []),
        ([{"role": "assistant", "content": 'So:\n```\n{"name": "ls", "args": {}}\n```'}], []),
        ([{"role": "user", "content": '```json\n{"name": "ls", "arguments": {}}\n```'}], []),
        # Calls as Hermes writes them, in messages with other names.
        (
            [{"role": "assistant", "content": "<tool_call>{</tool_call>"}],
            [("skipped", "/0")],
        ),
        # And texts of a dialect, in messages as ShareGPT has them.
        (
            [{"from": "gpt", "value": BLOCK}, {"from": "tool", "value": "<results>[]</results>"}],
            [("results-count", "/1/value")],
        ),
        # A tool may answer in a message of its own, without the marks of the dialect.
        (chat(("assistant", BLOCK), ("tool", "a"), ("assistant", "b")), []),
        (
            chat(("assistant", BLOCK), ("tool", "a"), ("tool", "b")),
            [("surplus", "/messages/2")],
        ),
        (
            chat(("assistant", TWO_ELEMENTS), ("tool", "a"), ("user", "c")),
            [("orphan", "/messages/0")],
        ),
        (
            chat(("assistant", BLOCK), ("tool", "a </results>"), ("user", "c")),
            [("unsafe-text", "/messages/1/content")],
        ),
        # Preferences have several conversations.
        (
            {"prompt": [{"role": "user", "content": "a"}], "chosen": [1], "rejected": [2]},
            [("skipped", "/chosen/0"), ("skipped", "/rejected/0")],
        ),
    ],
)
def test_messages_are_read_by_their_form(record, findings):
    assert found(record) == findings


@rows("dialect", ["auto", "hermes"])
def test_results_of_tools_answer_the_calls_of_hermes(dialect):
    called = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'
    marked = "<tool_response>\nb\n</tool_response>"
    answers = [("tool", "a"), ("tool", "b")], [("tool", marked)] * 2
    for each in answers:
        given = chat(("user", "q"), ("assistant", called * 2), *each, ("assistant", "c"))
        assert found(given, dialect=dialect) == []


@rows("dialect", ["auto", "xml-json"])
def test_hermes_calls_do_not_count_as_wire_text_without_a_block(dialect):
    hermes = '<think>a</think><tool_call>{"name": "ls", "arguments": {}}</tool_call>'
    assert found(chat(("assistant", hermes)), dialect=dialect) == []
    plain = {"conversations": [{"from": "system", "value": "a"}]}
    assert found(plain, dialect=dialect) == found(plain)


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


def test_a_detected_dialect_fits_every_turn():
    """The first turn alone may be of two dialects, which makes a difference in the second."""
    elements = "<execute><ls></l></execute>"
    record = chat(("assistant", "<think>a</think>"), ("assistant", elements))
    assert [rule for rule, _ in found(record)] == ["xml-syntax"]
    assert found(chat(("assistant", "<think>a</think>"), ("assistant", "b"))) == []


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


def test_a_dialect_that_is_given_is_the_one_that_is_read():
    text = "<tool_call>{</tool_call><execute>[x]</execute>"
    record = chat(("assistant", text))
    assert found(record, dialect="xml-json") == [("json-syntax", "/messages/0/content")]
    record = {"conversations": [{"from": "gpt", "value": text}]}
    assert found(record, dialect="xml-json") == [("json-syntax", "/conversations/0/value")]


@rows("tools", [TOOLS, json.dumps(TOOLS)])
def test_a_record_may_have_its_own_tools(tools):
    assert found({"messages": OPENAI, "tools": tools})[0][0] == "missing-arg"
    # What is given with the command comes first.
    assert found({"messages": OPENAI, "tools": tools}, toolset=Toolset([]))[0][0] == "unknown-tool"


REQUIRED = {"tools": [{"name": "ls", "parameters": {"required": ["path"]}}]}
HERMES_CALL = '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'
HERMES_ANSWER = '<tool_response>\n{"name": "ls", "content": "a"}\n</tool_response>'


def openai_(*calls, role="assistant"):
    """Return a message with calls that have these ids and arguments."""
    given = [
        {"id": own_id, "type": "function", "function": {"name": "ls", **args}}
        for own_id, args in calls
    ]
    return {"role": role, "content": "", "tool_calls": given}


def sharegpt_(*texts):
    roles = ("human", "gpt", "tool")
    return {"conversations": [{"from": roles[n], "value": text} for n, text in texts]}


@rows(
    "record, findings",
    [
        # Arguments may be missing in several ways.
        (
            {"messages": [openai_(("a", {"arguments": ""}))], **REQUIRED},
            [("missing-arg", "/messages/0/tool_calls/0/function")],
        ),
        (
            {"messages": [openai_(("a", {}))], **REQUIRED},
            [("missing-arg", "/messages/0/tool_calls/0/function")],
        ),
        ({"messages": []}, [("bad-record", "/messages")]),
        (
            {"messages": [openai_(("a", {}), ("a", {}))]},
            [("mismatch", "/messages/0")],
        ),
        ({"messages": [openai_(("a", {}), role="user")]}, [("skipped", "/messages/0")]),
        (
            [{**ANTHROPIC[0], "content": [{**ANTHROPIC[0]["content"][0], "input": "{}"}]}],
            [("skipped", "/0")],
        ),
        (
            [ANTHROPIC[0], {"role": "user", "content": [{"type": "tool_rezult"}]}],
            [("skipped", "/1"), ("orphan", "/0")],
        ),
        # In a conversation of ShareGPT.
        (
            sharegpt_((1, HERMES_CALL), (2, HERMES_ANSWER.replace("ls", "cat"))),
            [("mismatch", "/conversations/1")],
        ),
        (
            sharegpt_((1, HERMES_CALL.removesuffix("</tool_call>"))),
            [("unclosed-call", "/conversations/0/value")],
        ),
        (
            sharegpt_((0, f"Do {HERMES_CALL}"), (1, "a")),
            [("unsafe-text", "/conversations/0/value")] * 2,
        ),
        (
            sharegpt_((1, HERMES_CALL), (2, HERMES_ANSWER), (0, f"a{HERMES_ANSWER}")),
            [("unsafe-text", "/conversations/2/value")] * 2,
        ),
        (sharegpt_((0, "What is `<tool_call>`?"), (1, "`<tool_call>` opens a call.")), []),
        # Results may be of a user, where a template has no messages of tools.
        (chat(("assistant", HERMES_CALL), ("user", HERMES_ANSWER), ("assistant", "a")), []),
    ],
)
def test_faults_of_data_sets_are_found(record, findings):
    assert found(record) == findings


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


@rows("tools", ["{", "{}", [1], [{"name": ""}], {"a": 1}, 5])
def test_tools_that_cannot_be_read_are_found(tools):
    assert found({"messages": OPENAI, "tools": tools}) == [("bad-tools", "/tools")]
    assert found({"messages": OPENAI, "functions": tools}) == [("bad-tools", "/functions")]


def test_a_call_of_older_messages_is_checked_by_the_functions_of_its_record():
    call = {"name": "ls", "arguments": '{"n": "x"}'}
    messages = [{"role": "assistant", "content": None, "function_call": call}]
    problem = [("bad-type", "/messages/0/function_call")]
    assert found({"messages": messages, "functions": COUNTED}) == problem


@rows("messages", [OPENAI, ANTHROPIC, SHAREGPT])
def test_results_of_no_call_are_found(messages):
    assert found(messages[1:]) == [("surplus", f"/{index}") for index in range(len(messages) - 1)]


@rows("bridge, messages", [(openai, OPENAI), (anthropic, ANTHROPIC), (sharegpt, SHAREGPT)])
def test_the_findings_are_those_of_the_bridge(bridge, messages):
    report = []
    bridge.from_messages(messages, report=report, strict=False)
    rules = [each.rule for each in lint_record(messages)]
    assert rules == [change["code"] for change in report]


@rows(
    "value",
    [
        json.loads(text)
        for text in (
            "[[]]",
            "[null, {}]",
            '{"messages": [{"role": []}]}',
            '{"events": [{"type": []}]}',
        )
    ]
    + [
        [{"from": {}, "value": []}],
        [{"role": "assistant", "content": "a", "tool_calls": 1}],
        [{"role": "assistant", "content": "a", "tool_calls": "ls"}],
        [{"role": "assistant", "tool_calls": [None, 1, {"function": []}]}, {"role": "tool"}],
        [{"role": "assistant", "content": [{"type": "tool_use", "input": float("nan")}]}],
        [{"role": "user", "content": [{"type": "tool_result", "content": [1]}]}],
    ],
)
def test_no_record_raises(value):
    assert lint_record(value, LintOptions(toolset=Toolset(TOOLS))) is not None


HERMES = '<think>a</think>\n<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'
ANSWER = "<tool_response>\n1\n</tool_response>"


@rows(
    "text, dialect, rules",
    [
        (HERMES, "auto", []),
        # A think is of no dialect alone, so it does not make the conversation one of xml-json.
        (HERMES, "xml-json", []),
        ("<think>a</think>\n[TOOL_CALLS]ls[ARGS]{}", "mistral", ["foreign-marker"]),
        ('[TOOL_CALLS]ls[ARGS]{"a": }', "auto", ["json-syntax"]),
        ('[TOOL_CALLS]ls[ARGS]{"a": }', "xml-json", ["foreign-marker"]),
    ],
)
def test_a_conversation_is_read_in_the_format_that_it_is_in(text, dialect, rules):
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": text}]
    answers = [{"from": "tool", "value": ANSWER}, {"from": "gpt", "value": "<think>b</think>c"}]
    record = {"conversations": turns + (answers if text == HERMES else [])}
    found = lint_record(record, LintOptions(dialect))
    assert [each.rule for each in found if each.severity != "note"] == rules


def test_a_call_in_the_spelling_of_python_is_named_with_its_fault():
    text = "<tool_call>\n{'name': 'ls', 'arguments': {'a': True}}\n</tool_call>"
    (found,) = lint_record({"conversations": [{"from": "gpt", "value": text}]})
    assert "the call of 'ls' is invalid" in found.message
    assert "JSON strings are written in double quotes" in found.message
