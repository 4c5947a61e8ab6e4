"""Records of data sets: how they are read, what they say, and what `convert` keeps of them."""

import functools
import gzip
import json
import os
import threading

import pytest

from cogwire_kit.chats import tools_of
from cogwire_kit.columns import (
    begins_record,
    columns_in,
    read_columns,
    record_of,
    shared_columns,
    values_of,
)
from cogwire_kit.conformance import corpus
from cogwire_kit.conversions import chat_messages, converted, converted_rows
from cogwire_kit.lint import LintOptions, lint_record
from cogwire_kit.lint.files import lint_file
from cogwire_kit.lint.texts import lint_text
from cogwire_kit.records import RefusedError, events_in, spans_of
from cogwire_kit.texts.dialects import described
from cogwire_kit.texts.notices import notices
from cogwire_kit.texts.rendered import role_marker
from cogwire_kit.texts.rows import (
    FileError,
    NestedRow,
    Refusal,
    count,
    json_value,
    names_of,
    records,
    unpacked,
)
from tests.kit.cli.running import cogwire_
from tests.rows import rows

(FINDINGS,) = corpus.array(corpus.PLACE / "texts" / "findings.json")
TOOLS = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
BLOCK = '<execute>\n[\n  {"name": "ls", "args": {"p": "a"}}\n]\n</execute>'
RESULTS = '<results>\n[\n  {"tool": "ls", "status": "success", "content": "b"}\n]\n</results>'
#: What each form of the same conversation is in `xml-json`.
WRITTEN = [
    {"role": "system", "content": "Write <execute>."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": BLOCK},
    {"role": "user", "content": RESULTS},
    {"role": "assistant", "content": "Done."},
]
SYSTEM, ASKED, *_, DONE = WRITTEN
OPENAI = [
    SYSTEM,
    ASKED,
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "ls", "arguments": '{"p": "a"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "b"},
    DONE,
]
SHAREGPT = [
    {"from": "system", "value": "Write <execute>."},
    {"from": "human", "value": "Hi"},
    {
        "from": "gpt",
        "value": '<tool_call>\n{"name": "ls", "arguments": {"p": "a"}}\n</tool_call>',
    },
    {"from": "tool", "value": "<tool_response>\nb\n</tool_response>"},
    {"from": "gpt", "value": "Done."},
]
ANTHROPIC = [
    ASKED,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "ls", "input": {"p": "a"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "b"}]},
    DONE,
]
RESPONSES = [
    ASKED,
    {"type": "function_call", "call_id": "1", "name": "ls", "arguments": '{"p": "a"}'},
    {"type": "function_call_output", "call_id": "1", "output": "b"},
    DONE,
]
EVENTS = [
    {"type": "user", "content": "Hi"},
    {"type": "call", "content": '{"name": "ls", "args": {"p": "a"}}'},
    {"type": "execute"},
    {
        "type": "result",
        "content": '[\n  {"tool": "ls", "status": "success", "content": "b"}\n]',
        "payload": {"tools_executed": 1, "success_count": 1, "failure_count": 0},
    },
    {"type": "respond", "content": "Done."},
]
HERMES = '<tool_call>\n{"name": "ls", "arguments": {"p": "a"}}\n</tool_call>'
CALL_TYPES = ["call", "execute", "result"]
FORMS = [
    ({"messages": OPENAI, "tools": TOOLS}, {"messages": WRITTEN, "tools": TOOLS}),
    ({"conversations": SHAREGPT, "id": 1}, {"conversations": WRITTEN, "id": 1}),
    ({"messages": ANTHROPIC, "system": "S"}, {"messages": WRITTEN[1:], "system": "S"}),
    ({"messages": WRITTEN, "tools": "[]"}, {"messages": WRITTEN, "tools": "[]"}),
    ({"messages": RESPONSES}, {"messages": WRITTEN[1:]}),
    ({"events": EVENTS, "id": 2}, {"messages": WRITTEN[1:], "id": 2}),
    (
        {"prompt": OPENAI[:2], "completion": OPENAI[-1:]},
        {"prompt": WRITTEN[:2], "completion": [DONE]},
    ),
    ({"text": f"{BLOCK}\n{RESULTS}\nHi"}, {"text": f"{BLOCK}\n\n{RESULTS}\n\nHi"}),
    (OPENAI, WRITTEN),
]


def messages_in(record):
    """Return the messages of a record that was converted."""
    return record if isinstance(record, list) else record.get("messages") or record["conversations"]


def contents(found, role):
    return [each["content"] for each in messages_in(found) if each["role"] == role]


#: What a row can expect of a record that is converted: of what is written, the report, and itself.
LOOKS = {
    "written": lambda found, *_: found,
    "assistant": lambda found, *_: next(
        each for each in messages_in(found) if each["role"] == "assistant"
    ),
    "last": lambda found, *_: messages_in(found)[-1],
    "roles": lambda found, *_: " ".join(each["role"] for each in messages_in(found)),
    "contents": lambda found, *_: [each["content"] for each in messages_in(found)],
    "asked": lambda found, *_: contents(found, "user"),
    "results": lambda found, *_: contents(found, "tool"),
    "third": lambda found, *_: messages_in(found)[2],
    "calls": lambda found, *_: [
        len(each["tool_calls"]) for each in messages_in(found) if "tool_calls" in each
    ],
    "codes": lambda _, report, __: [each.code for each in report],
    "report": lambda _, report, __: [f"{each.pointer} {each.code}" for each in report],
    "dropped": lambda _, report, __: [each.pointer for each in report if each.code == "dropped"],
    "warnings": lambda _, __, record: [
        each.rule for each in lint_record(record) if each.severity != "note"
    ],
}


def becomes(record, sources="auto", to="xml-json", **expected):
    """Return a row: a record, from what and to what it is converted, and what is expected."""
    return record, sources, to, expected


def converts(record, sources, to, expected):
    """Hold a conversion to what a row expects."""
    for source in sources.split():
        report = []
        if "refused" in expected:
            with pytest.raises(RefusedError) as caught:
                converted(record, source, to, report)
            code, message = caught.value.args[0]
            assert f"{code}: {message}".startswith(expected["refused"])
        else:
            found = converted(record, source, to, report)
            assert {name: LOOKS[name](found, report, record) for name in expected} == expected


MIDDLE = {"role": "developer", "content": [{"type": "text", "text": "S"}]}
PICTURE = [SYSTEM, {**ASKED, "content": [{"type": "image_url"}]}, DONE]


@rows(
    "record, sources, to, expected",
    [
        *(becomes(record, written=written, report=[]) for record, written in FORMS),
        # A system message in the middle keeps its place.
        becomes(
            [*OPENAI, MIDDLE, ASKED],
            written=[*WRITTEN, {"role": "system", "content": "S"}, ASKED],
        ),
        # A change has the pointer of its message.
        becomes({"messages": PICTURE}, report=["/messages/1 dropped"]),
    ],
)
def test_messages_are_converted_and_all_else_is_kept(record, sources, to, expected):
    converts(record, sources, to, expected)


CALLED = OPENAI[2:4]
NAMED = "`<tool_call>` opens a call, `</tool_call>` ends it, and <tool_response> opens a result."


def said(text, **more):
    return {"role": "assistant", "content": text, **more}


@rows(
    "messages, expected",
    [
        # No text decides where calls are values, whoever wrote it.
        ([{**ASKED, "content": "What is <tool_call>?"}, *CALLED], ["user", *CALL_TYPES]),
        ([SYSTEM, said(HERMES), ASKED, *CALLED], ["respond", "user", *CALL_TYPES]),
        # Calls may be in the text of a chat with answers of tools.
        ([said(HERMES), {"role": "tool", "content": "b"}], CALL_TYPES),
        # Prose may name the markers of a call.
        ([ASKED, said(NAMED)], ["user", "respond"]),
        ([{"from": "gpt", "value": NAMED}], ["respond"]),
        ([{"from": "gpt", "value": f"{NAMED}\n{HERMES}"}], ["respond", *CALL_TYPES[:2]]),
        ([said("<tool_call> opens a call."), *CALLED], ["respond", *CALL_TYPES]),
        # A thought may be beside a text, in every form.
        ([said("a", reasoning_content="t")], ["think", "respond"]),
        ([said(BLOCK, reasoning="t")], ["think", *CALL_TYPES[:2]]),
        ([said(HERMES, reasoning="t")], ["think", *CALL_TYPES[:2]]),
        ([said("a", thinking=[{"type": "text", "text": "t"}])], ["think", "respond"]),
        ([said("", reasoning_content="", reasoning="t")], ["think"]),
        ([{"from": "gpt", "value": "a", "reasoning": "t"}], ["think", "respond"]),
        # A message that cannot be read is left out in every form.
        ([ASKED, {**ASKED, "role": "robot"}, said("a")], ["user", "respond"]),
        ([{**ASKED, "role": "robot"}, *CALLED], CALL_TYPES),
    ],
)
def test_nothing_that_messages_say_is_lost(messages, expected):
    assert [event["type"] for _, event in events_in(messages)] == expected


@rows(
    "given, reason",
    [
        ([], "there is no message"),
        ([{**ASKED, "role": "robot"}, 1], "no message remains of those in it"),
        ({"messages": [1]}, "/messages: no message remains of those in it"),
    ],
)
def test_messages_of_which_none_can_be_read_are_refused(given, reason):
    with pytest.raises(RefusedError) as problem:
        list(events_in(given))
    assert problem.value.args == (Refusal("no-text", reason),)


@rows(
    "line, code, reason",
    [
        (b"\0" * 9, "not-json", "the line is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"a": 1}'.encode("utf-16-le"), "not-json", "the line is not JSON: Expecting property"),
        (b'{"text": "a\xff"}', "not-utf8", "not UTF-8 at byte 11"),
        (b"[" * 100_000, "not-json", "the line is not JSON: it is nested too deeply"),
        (b"9" * 4301, "not-json", "the line is not JSON: Exceeds the limit (4300 digits) for"),
    ],
)
def test_a_line_that_is_not_json_is_refused_in_words_for_people(line, code, reason):
    found = json_value(line)
    assert (found.code, found.message[: len(reason)]) == (code, reason)
    assert "sys." not in found.message


def test_the_text_of_prose_that_names_markers_is_whole():
    for given in ([said(NAMED)], [{"from": "gpt", "value": NAMED}]):
        ((_, event),) = events_in(given)
        assert event["content"] == NAMED


@rows("text", FINDINGS["rendered"])
def test_a_rendered_chat_is_read_in_no_dialect(text):
    """All of it would be the model's."""
    for read in (spans_of, events_in):
        with pytest.raises(RefusedError) as caught:
            list(read({"text": text}, "hermes"))
        assert "rendered chat" in caught.value.args[0].message
    (finding,) = lint_record(text)
    assert (finding.rule, finding.help) == ("no-dialect", "Check the messages.")
    assert list(spans_of("A chat begins with <|im_start|>user.", "hermes"))


OWN = {
    "name": "orbit-2",
    "think": ["<|orb:muse|>", "<|/orb:muse|>"],
    "call": ["<user:do>", "<|orb:done|>"],
    "payload": {"kind": "object", "name": "action", "args": "inputs"},
}


@rows(
    "text, marker",
    [
        ("<s><|orb:turn|>system\nBe brief.<|orb:eot|>", "<|orb:turn|>system"),
        ('<turn by="user">\nhi\n</turn>', '<turn by="user">'),
        ("<|from|>user<|body|>hi<|eot|>", "<|from|>user"),
        ("<|orb_user|>hi<|orb_model|>yo", "<|orb_user|>"),
        # A marker of the format, and what only looks like a role.
        ('<user:do>{"action": "ls", "inputs": {}}<|orb:done|>', ""),
        ("<superuser>hi</superuser>", ""),
        ("<|orb:muse|>hm<|/orb:muse|>The user said hi.", ""),
        ("Write <user>.", ""),
    ],
)
def test_the_marker_of_a_role_is_named_in_a_format_of_ones_own(text, marker):
    """A description says nothing about what others write."""
    own = described(OWN, "own.json")
    assert role_marker(text, own) == marker
    assert role_marker(text, "hermes") == ""
    found = [each for each in lint_text(text, own) if each.rule == "foreign-marker"]
    assert [text[each.start : each.end] for each in found] == [marker][: bool(marker)]
    assert all(each.message.startswith(f"The text begins with {marker}, as a") for each in found)
    said = [each for each in notices("a.txt", text, own) if "does not say who wrote" in each]
    assert len(said) == bool(marker)


def test_a_mask_leaves_out_no_thought():
    with pytest.raises(RefusedError) as caught:
        list(spans_of([said("a", reasoning_content="t")]))
    assert "with --tokenizer" in caught.value.args[0].message


@rows("record, written", FORMS)
def test_events_are_those_of_the_messages(record, written):
    types = [event["type"] for _, event in events_in(record)]
    assert types == [event["type"] for _, event in events_in(written)]


@rows(
    "event, reason",
    [
        (5, "not an object"),
        (None, "not an object"),
        ({}, "None is not a type of event"),
        ({"type": "call"}, "`content` is not a string"),
        ({"type": "result", "content": "bad"}, "the content is not an array of results"),
        ({"type": "result", "content": "[" * 9**5}, "the content is not an array of results"),
        ({"type": "result", "content": '[{"tool": 5}]'}, "the content is not an array of results"),
        ({"type": "error", "code": "x", "calls": "y"}, "`calls` is not a number"),
        ({"type": "error", "code": "x", "calls": -1}, "`calls` is not a number"),
    ],
)
@rows("to", ["openai-messages", "hermes", "xml-json"])
def test_what_is_no_event_is_left_out_and_reported(event, reason, to):
    report = []
    events = [*EVENTS[:3], event, EVENTS[-1]]
    written = converted({"events": events}, "xml-json", to, report)
    assert written["messages" if "messages" in written else "conversations"][-1]
    found = [(each.pointer, each.code, each.message) for each in report if each.code == "skipped"]
    assert found == [("/events/3", "skipped", f"this is left out: {reason}")]


def test_spans_are_of_the_text_of_each_message():
    found = {pointer: pieces for pointer, _, pieces in spans_of({"messages": WRITTEN})}
    assert list(found) == [f"/messages/{index}/content" for index in range(5)]
    assert {each.author for each in found["/messages/3/content"]} == {"system"}
    with pytest.raises(RefusedError):
        list(spans_of({"messages": OPENAI}))
    # A tool's message is not the user's.
    *_, (_, _, result) = spans_of([ASKED, said(BLOCK), {"role": "tool", "content": "b"}])
    assert [(each.author, each.kind) for each in result] == [("system", "results")]


@rows(
    "column, names, expected",
    [
        ("text", ["text", "messages"], "text"),
        ("text", ["messages", "tools", "id"], ("messages", "tools")),
        ("text", ["log"], "text"),
        ("log", ["log", "messages"], "log"),
        ("chosen", ["chosen", "rejected"], ("chosen",)),
        ("text", ["messages", "system", "id"], ("messages", "system")),
    ],
)
def test_a_column_is_of_transcripts_or_of_records(column, names, expected):
    assert read_columns(column, names) == expected


@rows(
    "column, named, expected",
    [
        ("text", [["messages"], ["conversations", "tools"]], "messages conversations tools"),
        ("text", [["text", "id"], ["messages"]], "messages text"),
        ("log", [["log"], ["messages"]], ["log"]),
        ("text", [["text"], []], ["text"]),
        ("text", [["messages"], ["id", "tools"]], "messages"),
        ("text", [], ["text"]),
    ],
)
def test_files_may_have_different_columns(column, named, expected):
    found = shared_columns(column, named)
    assert found == (expected[0] if isinstance(expected, list) else tuple(expected.split()))


def test_members_that_only_late_rows_have_are_read(tmp_path):
    """Only the first lines are decoded, and later ones that name a member that has not been seen."""
    file = tmp_path / "a.jsonl"
    said = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    late = [
        {"conversations": [{"from": "human", "value": "b"}]},
        {"id": 3},
        {"text": "<end>", "tools": []},
    ]
    lines = [{"messages": [said]}] * 256 + late
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = [set(names) for names in columns_in(file)]
    assert found == [{"messages"}, {"conversations"}, {"text", "tools"}]
    assert shared_columns("text", found) == ("messages", "conversations", "text", "tools")
    assert [row for _, row, _ in values_of(file, "text")][255:] == [lines[255], *late[:2], "<end>"]
    converted = [row for _, row, _ in converted_rows(file, "text", "auto", "delimiter")]
    assert converted[256] == {"conversations": [{"role": "user", "content": "b"}]}
    assert (converted[257].code, converted[258]["text"]) == ("no-text", "§end")


def test_a_conversion_leaves_out_what_it_refuses(tmp_path):
    source, rejects = tmp_path / "a.jsonl", tmp_path / "rejects"
    source.write_text(
        json.dumps({"messages": OPENAI, "system": "S"}) + '\n{"messages": [\n', "utf-8"
    )
    command = ("convert", "--from", "auto", source, "--to")
    code, output, problems = cogwire_(*command, "openai-messages", "--rejects", rejects)
    first = {"role": "system", "content": "S"}
    assert (code, json.loads(output)) == (0, {"messages": [first, *OPENAI]})
    (rejected,) = map(json.loads, rejects.read_text("utf-8").splitlines())
    assert (rejected["row"], rejected["refused"]) == (1, "not-json")
    assert f"{source}: left out: 1 not-json\n" in problems
    assert f"{source}: 1 of them: the line is not JSON" in problems
    assert "; the first is line 2\n" in problems
    # A format whose name is that of an API says which one it is.
    code, output, problems = cogwire_(*command, "openai")
    assert (code, output) == (2, "")
    assert "1 of them: harmony (also called gpt-oss, openai) cannot express" in problems
    text = '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_response>1</tool_response>'
    source.write_text(json.dumps({"text": text}) + "\n" + json.dumps({"text": "b"}), "utf-8")
    code, output, problems = cogwire_(*command, "harmony")
    assert (code, json.loads(output)) == (0, {"text": "b"})
    assert "1 of them: harmony cannot express results, which this transcript has" in problems


def asked(*said, **more):
    return {"messages": [ASKED, *said], **more}


def calling(arguments="{}", name="ls", text=None, number="1"):
    function = {"name": name, "arguments": arguments}
    return said(text, tool_calls=[{"id": number, "type": "function", "function": function}])


def answer(content):
    return {"role": "tool", "tool_call_id": "1", "content": content}


VOID = "a\n<execute>[1]</execute>\nb"
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>{}"
    "<|tool_call_end|><|tool_calls_section_end|>"
)
TAGS = "<tool_call>\n<function=ls>\n<parameter=n>\n5\n</parameter>\n</function>\n</tool_call>"
TYPED = [{"name": "ls", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
LISTED = '[{"name": "ls", "arguments": {"n": 1.50}}, {"name": "cat", "arguments": {}}]'


#: The call that is read first in a text.
called = functools.partial(calling, number="call_0")


LLAMA = '{"name": "ls", "parameters": {}}'
WITHOUT_TYPES = "<tool_call>\n<function=ls>\n</function>\n</tool_call>"
EMPTY_CALL = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'


UNANSWERED = '{"status": "failure", "content": "Cancelled: this call has no result."}'


def result(content, role="tool", **more):
    return {"role": role, "content": content, **more}


def stored(entry):
    """Return a row of the corpus."""
    expected = {name: entry[name] for name in entry.keys() & {*LOOKS, "refused"}}
    return becomes(
        corpus.expanded(entry["record"]), " ".join(entry["from"]), entry["to"], **expected
    )


def answered(sources, messages, *results, codes=()):
    """Return a row of calls in a text that `results` answer, between two texts of the user."""
    return becomes(
        [ASKED, *messages, ASKED],
        sources,
        TO_OPENAI,
        calls=[len(results)] if results else [],
        results=[*results],
        asked=["Hi", "Hi"],
        codes=[*codes],
    )


def late(*between, after=(), **expected):
    """Return a row of a result of the first call that is after other messages."""
    call = calling(number="a")
    return becomes([ASKED, call, *between, LATE, *after, ASKED], to=TO_OPENAI, **expected)


def moved(*between, at, **expected):
    """Return a row of a late result that is moved to its call, the only change."""
    return late(*between, third=LATE, report=[f"/{at} moved"], warnings=[], **expected)


def listed(value, *results):
    """Return a row of a list of two calls, and of what is their answer."""
    given = [SHAREGPT[1], LISTED_CALLS, {"from": "observation", "value": value}]
    return becomes({"conversations": given}, to=TO_OPENAI, results=[*results])


def beside(sources, text):
    """Return a row of a text beside calls in messages of their own."""
    call = {"from": "function_call", "value": '{"name": "ls", "arguments": {}}'}
    given = [SHAREGPT[1], call, {"from": "observation", "value": "80"}]
    given = {"conversations": [*given, {"from": "gpt", "value": text}]}
    return becomes(given, sources, TO_OPENAI, contents=["Hi", None, "80", text], report=[])


TO_OPENAI = "openai-messages"
LATE = result("80", tool_call_id="a")
PART = {"type": "text", "text": "80"}
MARKS = [result(f"<tool_response>\n{each}\n</tool_response>") for each in ("80", "81")]
TWO = said(EMPTY_CALL * 2)
SWIFT = [result(each, "tool_response") for each in ("[1, 2]", "81")]
LISTED_CALLS = {"from": "function_call", "value": LISTED}
CONVERTED = [
    *map(stored, corpus.array(corpus.PLACE / "texts" / "records.json")),
    # Messages with results answer the calls in texts.
    answered("hermes auto", [said(EMPTY_CALL), result("80")], "80"),
    answered("hermes auto", [TWO, result("80"), result("81")], "80", "81"),
    # Calls without ids are answered in their order.
    answered(
        "hermes auto",
        [TWO, result("80", tool_call_id="x"), result("81", tool_call_id="y")],
        *("80", "81"),
    ),
    # Each may be marked as the template marks it, in messages of their own.
    answered("hermes auto", [TWO, *MARKS], "80", "81"),
    answered("qwen3-coder auto", [said(WITHOUT_TYPES), result("80")], "80"),
    answered("qwen3-coder", [said(WITHOUT_TYPES), result("80", tool_call_id="x")], "80"),
    answered("llama3-json auto", [said(f"<|python_tag|>{LLAMA}"), result("80", "ipython")], "80"),
    answered("llama3-json", [said(LLAMA), result("80", "ipython")], "80"),
    answered("xml-json auto", [calling(), result("80", "ipython")], "80"),
    # ms-swift has calls in messages of their own.
    answered(
        "xml-json auto",
        [*[result('{"name": "ls", "arguments": {}}', "tool_call")] * 2, *SWIFT],
        *("[1, 2]", "81"),
        codes=["joined"],
    ),
    # A format without markers of results has them in messages as well.
    answered("kimi-k2 auto", [said(KIMI), result("80")], "80"),
    answered("kimi-k2 auto", [said(KIMI), result("  80\n")], "  80\n"),
    # The content may be in parts, or be null.
    answered("hermes auto", [said(EMPTY_CALL), result([PART])], "80"),
    answered("kimi-k2 auto", [said(KIMI), result([PART])], "80"),
    answered("hermes auto", [said(EMPTY_CALL), result(None)], ""),
    answered("hermes auto", [TWO, result("80")], "80", UNANSWERED, codes=["orphan"]),
    answered("xml-json auto", [said(BLOCK), result(RESULTS)], "b"),
    answered("xml-json auto", [said(BLOCK), result("b", name="ls")], "b"),
    answered("xml-json", [said(BLOCK), result("b", name="cat")], "b", codes=["mismatch"]),
    answered("hermes auto", [said(EMPTY_CALL), result("80", name="cat")], "80", codes=["mismatch"]),
    # Nobody knows which of them is the call's.
    answered(
        "hermes auto",
        [said(EMPTY_CALL), result("80"), result("81")],
        UNANSWERED,
        codes=["skipped", "skipped", "orphan"],
    ),
    answered("xml-json", [said(VOID), result("80")], codes=["dropped", "surplus", "joined"]),
    # Texts beside calls in messages of their own are prose.
    beside("hermes auto", "Use `<tool_call>` to open a call."),
    beside("auto", "§call: not a call"),
    beside("xml-json hermes auto", f"Write `{EMPTY_CALL}`."),
    # A late result answers the open call that its id names.
    moved(said("Wait."), at=3, roles="user assistant tool assistant user"),
    moved({"role": "system", "content": "Wait."}, at=3, roles="user assistant tool system user"),
    moved(
        calling(number="b"),
        at=3,
        after=[result("81", tool_call_id="b")],
        roles="user assistant tool assistant tool user",
    ),
    moved(
        *(calling(number="b"), result("81", tool_call_id="b")),
        at=4,
        roles="user assistant tool assistant tool user",
    ),
    # No result is read if its id is that of no open call.
    late(
        *(result("79", tool_call_id="a"), said("Wait.")),
        roles="user assistant tool assistant user",
        report=["/4 surplus"],
    ),
    # A list of calls is answered by a list of results; another number of results is one result.
    listed('[{"r": 1.50}, "80"]', '{"r": 1.50}', "80"),
    listed('[{"name": "ls", "content": "a"}, {"name": "cat", "content": "b"}]', "a", "b"),
    listed("[1, 2, 3]", "[1, 2, 3]", UNANSWERED),
    listed("80", "80", UNANSWERED),
]


@rows("record, sources, to, expected", CONVERTED)
def test_what_becomes_of_a_record(record, sources, to, expected):
    converts(record, sources, to, expected)


HALVED = {"role": "assistant", "content": "a \ud83d"}


@rows(
    "record, place",
    [
        ({"conversations": [{"from": "gpt", "value": "a \ud83d"}]}, "/conversations/0/value"),
        ({"messages": [HALVED]}, "/messages/0/content"),
        ({"messages": [{"role": "user", "content": "\ud83d"}, said("a")]}, "/messages/0/content"),
        ({"messages": [OPENAI[1], OPENAI[2], result("\ude00")]}, "/messages/2/content"),
        ({"messages": json.dumps([HALVED])}, "/messages/0/content"),
        ([HALVED], "/0/content"),
        ({"messages": [said("a")], "\ud83d": 1}, None),
        ({"text": "a", "id": "\ud83d"}, None),
        ({"text": "a \ud83d"}, "/text"),
        ({"messages": [said("a", **{"\ud83d": 1})]}, "/messages/0"),
    ],
)
def test_half_of_a_surrogate_pair_is_no_text_in_any_form(record, place, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(record), "utf-8")
    ((_, written, _),) = converted_rows(file, "text", "auto", "hermes")
    assert written.code == "not-utf8"
    findings = [(each.rule, each.pointer) for each in lint_record(record)]
    assert [each for each in findings if each[0] != "dropped"] == (
        [] if place is None else [("replaced-character", place)]
    )


@rows(
    "texts, codes, rules",
    [
        ((EMPTY_CALL, '<tool_response>{"name": "ls", "content": "80"}</tool_response>'), [], []),
        ((EMPTY_CALL.removesuffix("</tool_call>"), "80"), ["completed"], ["unclosed-call"]),
        (("<tool_call>{</tool_call>", "80"), ["skipped", "skipped"], ["skipped", "skipped"]),
    ],
)
@rows("start", ["prose", "think"])
def test_hermes_is_read_alike_whether_it_is_named_or_found(texts, codes, rules, start):
    call, answer = texts
    thought = f"It says {EMPTY_CALL}.</think>" if start == "think" else ""
    given = [("human", "a"), ("gpt", thought + call), ("tool", answer), ("gpt", thought + "b")]
    record = {"conversations": [{"from": origin, "value": value} for origin, value in given]}
    found = []
    for dialect in ("hermes", "auto"):
        report = []
        written = converted(record, dialect, "openai-messages", report, start=start)
        findings = lint_record(record, LintOptions(dialect, start=start))
        found.append((written, report, findings))
    assert found[0] == found[1]
    written, report, findings = found[0]
    assert [each.code for each in report if each.code != "joined"] == codes
    assert [each.rule for each in findings if each.rule != "joined"] == rules
    results = [each["content"] for each in written["messages"] if each["role"] == "tool"]
    assert results == ["80"] * ("skipped" not in codes)


def test_functions_are_tools():
    """Older records of OpenAI have them, whose parameters say what the texts of arguments are."""
    record = asked(said(TAGS), functions=TYPED)
    found = converted(record, "qwen3-coder", "openai-messages", [])
    assert found == asked(calling('{"n": 5}', number="call_0"), functions=TYPED)
    wrong = {"messages": [ASKED, calling('{"n": "x"}')], "functions": TYPED}
    assert [each.rule for each in lint_record(wrong)] == ["bad-type"]
    assert [each.pointer for each in lint_record({**wrong, "functions": 1})] == ["/functions"]
    wrapped = [{"type": "function", "function": TYPED[0]}]
    for functions in (TYPED, json.dumps(TYPED)):
        assert tools_of({"functions": functions}) == wrapped
    with pytest.raises(RefusedError) as caught:
        tools_of({"functions": TYPED, "tools": TYPED})
    assert "/functions: there are `tools` too" in caught.value.args[0].message


@rows("line", ['{"messages": [], "messages": []}', '{"messages": [{"a": 1, "b": 2, "a": 3}]}'])
def test_a_member_that_is_there_twice_is_refused(line, tmp_path):
    """What was read would be one of its values, and the other would be lost."""
    file = tmp_path / "a.jsonl"
    file.write_text(line, "utf-8")
    ((_, refusal),) = records(file)
    name = "messages" if line.endswith("[]}") else "a"
    reason = f"an object has the member {name!r} twice; keep one of them"
    assert refusal == Refusal("not-json", reason)
    with file.open("rb") as lines:
        (found,) = lint_file(lines, "jsonl", LintOptions())
    assert (found.rule, found.message.lower()) == ("bad-record", f"{reason}.")


#: Numbers that are not the same as floats.
COUNTED = said(None, tool_calls=[{"function": {"name": "ls", "arguments": {"n": 10**20 + 1}}}])


@rows(
    "record, expected",
    [
        ({"messages": json.dumps([COUNTED])}, '{"n": 100000000000000000001}'),
        # Beside a list, some data sets have the prompt as a text.
        (
            {"prompt": "[{How?", "messages": [ASKED]},
            "`prompt` is not JSON: Expecting",
        ),
        ({"prompt": "[INST] How?", "messages": [COUNTED]}, '{"n": 100000000000000000001}'),
        (
            {"messages": '[{"role": "user", "content": "a", "content": "b"}]', "text": "c"},
            "`messages`: an object has the member 'content' twice; keep one of them",
        ),
        ({"messages": "x"}, "`messages`"),
        ({"tools": '[{"name": "ls"}]', "messages": json.dumps([ASKED])}, "Hi"),
    ],
)
def test_a_list_of_messages_may_be_json_in_a_text(record, expected):
    """It is read as strictly as a line is, by bulk as by the other commands."""
    for read in (record, record_of([*record.items()])):
        if isinstance(read, Refusal):
            found = read.message
        else:
            try:
                found = str([event for _, event in events_in(read)])
            except RefusedError as error:
                (refusal,) = error.args
                found = refusal.message
        assert expected in found


@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_every_command_reads_messages_that_are_json_in_a_text(kind, tmp_path):
    file = tmp_path / f"a.{kind}"
    wrong = [ASKED, said("<execute>[1]</execute>")]
    file.write_text(json.dumps({"messages": json.dumps(wrong)}), "utf-8")
    code, output, _ = cogwire_("lint", file, "--format", "jsonl", "--fix", tmp_path / "b")
    (found,) = map(json.loads, output.splitlines())
    assert (code, found["rule"], found["pointer"]) == (1, "not-object", "/messages/1/content")
    assert (found["line"], found["column"]) == (1, len('{"messages": "') + 1)
    code, output, _ = cogwire_("mask", file)
    pointers = [json.loads(line)["pointer"] for line in output.splitlines()]
    assert (code, pointers) == (0, ["/messages/0/content", "/messages/1/content"])
    _, output, problems = cogwire_("view", file, "--dialect", "auto", "--rows", 0)
    assert ("messages, turn 1" in output, problems) == (True, "")


@rows("command", ["mask", "convert --from auto --to openai-messages"])
def test_standard_input_may_be_a_data_set_but_is_not_taken_for_a_transcript(command, tmp_path):
    line = json.dumps({"id": 1, "messages": WRITTEN}).encode()
    name, *options = command.split()
    odd, packed = tmp_path / "a.data", tmp_path / "a.data.gz"
    odd.write_bytes(line)
    packed.write_bytes(gzip.compress(line))
    expected = cogwire_(name, *options, "--input", "jsonl", "-", stdin=line)
    assert (expected[0], len(expected[1]) > 0, expected[2]) == (0, True, "")
    for file in (odd, packed):
        code, output, _ = cogwire_(name, *options, "--input", "jsonl", file)
        assert (code, output.replace(str(file), "-")) == expected[:2]
    if name == "convert":
        options[-1] = "hermes"
    for given in ("-", odd):
        code, output, problems = cogwire_(name, *options, given, stdin=line)
        assert (code, output) == (2, "")
        assert "looks like the records of a data set" in problems
    text = ("--input", "text", "--dialect", "xml-json")
    assert cogwire_(name, *options, *text, odd)[0] == 0


@rows("command", ["lint", "mask", "convert --from auto --to openai-messages", "view"])
def test_a_pipe_is_read_once(command, tmp_path):
    plain, pipe = tmp_path / "plain" / "a.jsonl", tmp_path / "a.jsonl"
    plain.parent.mkdir(exist_ok=True)
    plain.write_text(json.dumps({"messages": WRITTEN}), "utf-8")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=[plain.read_bytes()], daemon=True).start()
    found, expected = (cogwire_(*command.split(), file) for file in (pipe, plain))
    assert (found[0], found[1].replace(str(pipe), str(plain)), found[2]) == expected


@rows(
    "head, is_record",
    [
        (json.dumps({"messages": WRITTEN}), True),
        (json.dumps({"id": 1, "messages": WRITTEN})[:60], True),
        ('[\n {\n  "conversations": [\n   {"from"', True),
        (json.dumps(EVENTS[0]), True),
        # A call of llama3-json is JSON, too.
        ('{"type": "function", "name": "ls", "parameters": {"text": "a", "messages": []}}', False),
        ('{"name": "send", "parameters": {"prompt": "a"', False),
        ("Here: {}", False),
        ('{"n": 1}', False),
        ("[1]", False),
    ],
)
def test_a_text_that_begins_as_records_do(head, is_record):
    assert begins_record(head) is is_record


def test_an_argument_that_nested_columns_have_as_null_is_reported():
    """A call that has no such argument looks the same there."""
    called = calling({"p": "a", "q": None, "r": [{"s/t": None}]}, number="1")
    none = {"refusal": None, "weight": None}
    row = NestedRow({"messages": [{**called, **none}], "tools": None})
    report = []
    found = converted(row, "auto", "openai-messages", report)
    assert found == {"messages": [calling('{"p": "a", "r": [{}]}', number="1")]}
    place = "/messages/0/tool_calls/0/function/arguments"
    assert [(each.pointer, each.code) for each in report] == [
        (f"{place}/q", "dropped"),
        (f"{place}/r/0/s~1t", "dropped"),
    ]
    found = [each.pointer for each in lint_record(row) if each.rule == "dropped"]
    assert found == [f"{place}/q", f"{place}/r/0/s~1t"]
    (found,) = lint_record(NestedRow({"id": 1, "messages": None}))
    assert "`transcript`, or only null; rename" in found.message


def test_rows_are_refused_by_what_changes(tmp_path):
    source, rejects = tmp_path / "a.jsonl", tmp_path / "rejects"
    lines = [{"text": VOID}, {"text": "a", "n": float("nan")}, {"text": "b"}]
    source.write_text("\n\n".join(map(json.dumps, lines)), "utf-8")
    command = ("convert", "--from", "xml-json", "--to", "hermes", source, "--refuse")
    code, output, _ = cogwire_(*command, "dropped,skipped", "--rejects", rejects)
    assert (code, json.loads(output)) == (0, {"text": "b"})
    refused = [json.loads(line) for line in rejects.read_text("utf-8").splitlines()]
    found = [(each["row"], each["line"], each["refused"]) for each in refused]
    assert found == [(0, 1, "dropped"), (1, 3, "not-json")]
    code, _, problems = cogwire_(*command, "droped")
    assert code == 2
    assert "dropped" in problems


@pytest.fixture
def packed(tmp_path):
    lines = [{"text": "a"}, {"messages": OPENAI, "id": 7}, 5]
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n\n".join(json.dumps(each).encode() for each in lines)))
    return file


def test_compressed_lines_are_read(packed):
    assert (count(packed), names_of(packed)) == (3, ["text", "messages", "id"])
    assert [row for _, row, _ in values_of(packed, "text")][:1] == ["a"]
    *_, (number, row, _) = converted_rows(packed, "messages", "auto", "xml-json")
    assert (number, row) == (2, Refusal("not-json", "it is not a JSON object"))
    (row,) = [
        row
        for number, row, _ in converted_rows(packed, "messages", "auto", "xml-json")
        if number == 1
    ]
    assert row == {"messages": WRITTEN, "id": 7}


def test_a_file_that_is_not_compressed_as_its_name_says_is_refused(tmp_path):
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(b'{"text": "a"}\n')
    with pytest.raises(FileError, match="restore the file"):
        count(file)
    with file.open("rb") as stream, pytest.raises(FileError), unpacked(stream, file) as lines:
        list(lint_file(lines, "jsonl", None))


@pytest.mark.verify
def test_jobs_share_the_files_of_lint_and_keep_their_order(tmp_path, packed):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("<Think>a" * (4 - number), "utf-8")
    one = cogwire_("lint", tmp_path, "--format", "jsonl")
    two = cogwire_("lint", tmp_path, "--format", "jsonl", "--jobs", 2)
    assert (one[:2], sorted(one[2].splitlines())) == (two[:2], sorted(two[2].splitlines()))
    assert one[0] == 1


#: Results of OpenAI, and what is said of them on the way to Hermes.
ANSWERS = [
    *((text, []) for text in ("", "null", "x", "12", '""', '"q"', ' {"a":1} ', "\n\nx\n", '"')),
    *((text, []) for text in ('{"content": "x"}', '{"tool": "f", "content": "x"}')),
    ('{"status": "failure", "content": "x"}', []),
    ('{"name": "f", "content": "x"}', ["retyped"]),
    ('{"tool_call_id": "a", "name": "f", "content": 5}', ["retyped"]),
]


@rows("text, codes", ANSWERS)
def test_a_result_that_is_written_in_hermes_is_read_back_or_reported(text, codes):
    call = calling(number="call_0")
    given = [ASKED, call, {"role": "tool", "tool_call_id": "call_0", "content": text}, DONE]
    report = []
    written = converted(given, "auto", "hermes", report)
    assert [each.code for each in report] == codes
    again = converted(written, "hermes", "openai-messages", [])
    assert (again[2]["content"] == text) == (not codes)


def test_messages_of_openai_are_after_the_place_that_they_are_made_of():
    """A prompt may end in a call that is answered after it; two texts of a user are two messages."""
    blocks = [{"type": "thinking", "thinking": "T"}, {"type": "tool_use", "name": "f", "input": {}}]
    answer = {"role": "user", "content": [{"type": "tool_result", "content": "R"}]}
    given = {
        "/prompt/0": {"role": "system", "content": "S"},
        "/prompt/1": ASKED,
        "/prompt/2": ASKED,
        "/prompt/3": {"role": "assistant", "content": blocks},
        "/chosen/0": answer,
        "/chosen/1": said("A"),
    }
    report = []
    found = chat_messages([*given.items()], "anthropic", "auto", report)
    roles = ["system", "user", "user", "assistant", "tool", "assistant"]
    assert [each["role"] for _, each in found] == roles
    assert ([at for at, _ in found], report) == ([*given], [])
    assert (found[3][1]["reasoning_content"], found[4][1]["content"]) == ("T", "R")
