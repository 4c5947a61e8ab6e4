"""Histories as the messages of OpenAI and Anthropic, and back: what each says, and what it reports.

What their own packages make of these is tested in `tests/integrations/bridges`.
"""

import json
import re
from types import SimpleNamespace

import pytest

import cogwire
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt
from cogwire_kit.bridges.common import engines
from cogwire_kit.bridges.common.outcomes import CallOutcome, is_same, read_outcome, write_outcome
from tests.rows import rows

from .endings import anthropic_calls, openai_calls
from .histories import CHATS

BRIDGES = {"openai": openai, "anthropic": anthropic, "responses": responses, "sharegpt": sharegpt}
WRITTEN = CHATS["history"]
HISTORY, OPENAI, ANTHROPIC, RESPONSES = (
    WRITTEN[name] for name in ("events", "openai", "anthropic", "responses")
)
USER, THINK, RESPOND, READ, LS, EXECUTE, *_ = HISTORY


def codes(report):
    assert all(change["message"] for change in report)
    return [(change["index"], change["code"]) for change in report]


@pytest.mark.parametrize(("bridge", "expected"), [(openai, OPENAI), (responses, RESPONSES)])
def test_a_history_survives_a_round_trip(bridge, expected):
    report = []
    messages = bridge.to_messages(HISTORY, think=True, report=report)
    assert messages == expected
    assert bridge.from_messages(messages, report=report) == HISTORY
    assert report == []


def test_a_history_survives_a_round_trip_through_anthropic():
    """Except for the spelling of numbers, because arguments are not text."""
    report = []
    messages = anthropic.to_messages(HISTORY, think=True, report=report)
    assert messages == ANTHROPIC
    assert codes(report) == [(3, "retyped")]
    back = anthropic.from_messages(messages)
    assert back[3] == {"type": "call", "content": READ["content"].replace("1.50", "1.5")}
    assert back[:3] + back[4:] == HISTORY[:3] + HISTORY[4:]


def calls_in(events):
    return [call for turn in cogwire.exchanges(events) for call in turn["calls"]]


#: What a row can expect of events that are read, beside the members of their calls.
LOOKS = {
    "types": lambda events, _: types_of(events),
    "texts": lambda events, _: [
        event["content"] for event in events if event["type"] in ("respond", "user")
    ],
    "contents": lambda events, _: [event["content"] for event in events if "content" in event],
    "report": lambda _, report: [[*each] for each in codes(report)],
}


def reads(row, strict, bridge=None):
    """Hold what is read of messages to what a row expects."""
    report, bridge = [], bridge or BRIDGES[row["api"]]
    events = bridge.from_messages(row["messages"], report=report, strict=strict)
    expected = {name: value for name, value in row.items() if name in LOOKS}
    assert {name: LOOKS[name](events, report) for name in expected} == expected
    if "calls" in row:
        pairs = zip(calls_in(events), row["calls"], strict=True)
        assert [{name: call[name] for name in wanted} for call, wanted in pairs] == row["calls"]


@rows("row", [row for row in CHATS["read"] if row["api"] in BRIDGES])
def test_messages_are_read(row):
    reads(row, row.get("strict", True))


@rows("row", CHATS["refused"])
def test_messages_that_cannot_be_read_are_refused_or_left_out(row):
    with pytest.raises(ValueError, match=f"^{re.escape(row['refused'])}"):
        BRIDGES[row["api"]].from_messages(row["messages"])
    reads(row, strict=False)


@rows("row", CHATS["written"])
def test_events_are_written(row):
    report, bridge = [], BRIDGES[row["api"]]
    options = {name: row[name] for name in ("think", "system") if name in row}
    dialect = row.get("dialect", "xml-json")
    messages = bridge.to_messages(row["events"], dialect, report=report, **options)
    assert messages == row.get("messages", messages)
    if "back" in row:
        assert bridge.from_messages(messages, report=report) == row["back"]
    assert LOOKS["report"](None, report) == row.get("report", [])
    if "ids" in row:
        assert [call["id"] for each in messages for call in each["tool_calls"]] == row["ids"]


def test_the_tools_of_the_responses_api_are_accepted_by_a_toolset():
    toolset = cogwire.Toolset([{"name": "a", "description": "b", "parameters": {"type": "object"}}])
    (tool,) = responses.tools(toolset)
    assert (tool["type"], tool["name"], tool["description"]) == ("function", "a", "b")
    assert cogwire.Toolset([tool]).tools == toolset.tools


def test_a_toolset_types_arguments_that_are_text():
    schema = {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
    toolset = cogwire.Toolset([{"name": "f", "parameters": schema}], "xml-elements")
    text = "<execute><f><n>3</n><s>4</s></f><g><n>3</n></g></execute>"
    typed = [("f", {"n": 3, "s": "4"}), ("g", {"n": "3"})]
    parser = cogwire.Parser(toolset, stream="token", call_deltas=True, clock=None)
    events = list(cogwire.iter_events(text, parser))
    report = []
    (of_openai,) = openai.to_messages(events, toolset, report=report)
    (of_anthropic,) = anthropic.to_messages(events, toolset, report=report)
    items = responses.to_messages(events, toolset, report=report)
    sharegpt_texts = [each["value"] for each in sharegpt.to_messages(events, toolset)]
    assert report == []
    # One of a copy of the core is of another class.
    copied = SimpleNamespace(dialect=toolset.dialect, typed=toolset.typed)
    assert openai.to_messages(events, copied) == [of_openai]
    functions = [call["function"] for call in of_openai["tool_calls"]]
    assert [(each["name"], json.loads(each["arguments"])) for each in functions] == typed
    assert [(each["name"], each["input"]) for each in of_anthropic["content"]] == typed
    assert [(each["name"], json.loads(each["arguments"])) for each in items] == typed
    assert '"n": 3' in sharegpt_texts[0]
    assert openai_calls(list(openai.chunks(events, toolset=toolset))) == typed
    assert anthropic_calls(list(anthropic.chunks(events, toolset=toolset))) == typed


@rows(
    "written, expected, codes_",
    [
        ("1.50", "1.50", []),
        ("12345678901234567890.123", "12345678901234567890.123", []),
        ('[1.0, {"k": 1E2}]', '[1.0, {"k": 1E2}]', []),
        ("null", "null", []),
        ("a 1.50", '"a 1.50"', []),
        ("{'k': 1.50}", '{"k": 1.5}', ["retyped"]),
        ("[None, 7]", "[null, 7]", []),
        ("NaN", '"NaN"', []),
    ],
)
def test_a_number_in_a_typed_argument_keeps_its_spelling(written, expected, codes_):
    form = cogwire.format_named("minimax-m2").format.to_json()
    payload = {**form["payload"], "literals": "python"}
    form = cogwire.Format.from_json({**form, "name": "own", "payload": payload})
    schema = {"properties": {"v": {"type": ["number", "array", "object", "null"]}}}
    toolset = cogwire.Toolset([{"name": "f", "parameters": schema}], form)
    text = cogwire.render_calls([{"name": "f", "args": {"v": written}}], form)
    events = cogwire.parse(text, toolset, clock=None)
    report = []
    (message,) = openai.to_messages(events, toolset, report=report)
    arguments = f'{{"v": {expected}}}'
    assert message["tool_calls"][0]["function"]["arguments"] == arguments
    assert [each["code"] for each in report] == codes_
    sent = list(openai.chunks(events, toolset=toolset))
    assert json.dumps(arguments)[1:-1] in json.dumps(sent)


# --- Outcomes -----------------------------------------------------------------------------------


@rows("status, content, text", [tuple(each.values()) for each in CHATS["outcomes"]])
def test_an_outcome_as_text(status, content, text):
    outcome = CallOutcome(status, content)
    assert write_outcome(outcome) == text
    assert is_same(read_outcome(text), outcome)


@rows("text", ['{"a": 1, "a": 2}', "1e999", "NaN", '"\\ud800"', "[1] ", "{'a': 1}", "9" * 400])
def test_invalid_json_becomes_a_string(text):
    assert read_outcome(text).content[0] == '"'
    assert write_outcome(read_outcome(text)) == text


# --- What became of calls ------------------------------------------------------------------------

TOOLS = [("tool", "call_0"), ("tool", "call_1")]
CANCELLED = "Cancelled: this call has no result."


def answers(messages):
    return [
        (message["tool_call_id"], message["content"])
        for message in messages
        if message["role"] == "tool"
    ]


@rows("end", [{"type": "user", "content": "Stop."}, {"type": "cancelled"}])
def test_calls_without_a_result_are_answered_as_cancelled(end):
    report = []
    messages = openai.to_messages([READ, LS, end], report=report)
    failed = f'{{"status": "failure", "content": "{CANCELLED}"}}'
    assert answers(messages) == [("call_0", failed), ("call_1", failed)]
    assert codes(report)[:2] == [(0, "orphan"), (1, "orphan")]
    blocks = anthropic.to_messages([READ, LS, end])[1]["content"]
    assert [block.get("content") for block in blocks[:2]] == [CANCELLED, CANCELLED]
    assert [block.get("is_error") for block in blocks[:2]] == [True, True]


VOID = [
    USER,
    *cogwire.parse('On it.<execute>[{"name": "rm", "args": {}}, 1]</execute>', clock=None),
]


def answered(events):
    batch = cogwire.Batch(clock=None)
    return [each for event in events for each in (event, *batch.take(event))]


@rows("events", [VOID, answered(VOID), list(filter(cogwire.persisted, answered(VOID)))])
def test_a_call_of_a_void_block_is_never_shown(events):
    """Whether its error is still known, or its answer, or both."""
    for bridge in (openai, anthropic):
        report = []
        messages = bridge.to_messages(events, report=report)
        assert "rm" not in str(messages)
        assert [message["role"] for message in messages] == ["user", "assistant", "user"]
        assert "not-object" not in str(messages)
        assert "begins another value" in str(messages[2]["content"])
        assert "None of the calls in your last message has run: send " in str(messages[2])
        assert codes(report) == [(2, "void"), (3, "void")]


@rows("order", [["error", "result", "cancelled"], ["error", "cancelled", "result"]])
def test_a_model_is_not_asked_again_for_calls_that_the_user_has_stopped(order):
    parser = cogwire.Parser(clock=None)
    events = parser.feed('On it.<execute>[{"name": "rm", "args": {}}, {"na')
    (stopped,) = parser.close(cancelled=True)
    told = {each["type"]: each for each in [stopped, *cogwire.Batch(clock=None).take(stopped)]}
    told["cancelled"] = {"type": "cancelled"}
    events = [USER, *events, *(told[kind] for kind in order), USER]
    for bridge in (openai, anthropic):
        messages = str(bridge.to_messages(events))
        assert "None of the calls in your last message has run. The user stopped the" in messages
        assert "rm" not in messages


# --- Names and texts ---------------------------------------------------------------------------


def test_a_name_that_an_api_refuses_is_refused_in_a_toolset():
    toolset = cogwire.Toolset([{"name": "fs.read"}])
    for bridge in (openai, anthropic):
        with pytest.raises(ValueError, match=r"tool 'fs\.read': its name must be of at most 64"):
            bridge.tools(toolset)


def test_white_space_and_half_characters():
    report = []
    events = [{"type": "user", "content": " \n"}, {"type": "user", "content": "a\ud800"}]
    assert openai.to_messages(events, report=report) == [{"role": "user", "content": "a\ufffd"}]
    assert codes(report) == [(0, "dropped"), (1, "neutralised")]


# --- Tools ---------------------------------------------------------------------------------------


def test_tools_of_a_toolset():
    def read(file: str, lines: int = 10) -> str:
        """Read a file."""
        return file * lines

    toolset = cogwire.Toolset([read, {"name": "now", "parameters": {}}])
    schema = {
        "type": "object",
        "properties": {"file": {"type": "string"}, "lines": {"type": "integer", "default": 10}},
        "additionalProperties": False,
        "required": ["file"],
    }
    assert openai.tools(toolset) == [
        {
            "type": "function",
            "function": {"name": "read", "parameters": schema, "description": "Read a file."},
        },
        {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}},
    ]
    assert anthropic.tools(toolset) == [
        {"name": "read", "input_schema": schema, "description": "Read a file."},
        {"name": "now", "input_schema": {"type": "object"}},
    ]
    for bridge in (openai, anthropic):
        again = cogwire.Toolset(bridge.tools(toolset))
        assert again.tools[0] == toolset.tools[0]


# --- What cannot be read -------------------------------------------------------------------------


def test_an_invalid_event_is_refused_with_its_place_or_left_out():
    events = [USER, "x", {"type": "call", "content": "[]"}, {"type": []}, RESPOND]
    for bridge in (openai, anthropic):
        with pytest.raises(ValueError, match="event 1: not an object"):
            bridge.to_messages(events)
        report = []
        assert len(bridge.to_messages(events, strict=False, report=report)) == 2
        assert codes(report) == [(1, "skipped"), (2, "skipped"), (3, "skipped")]


def called(arguments, name="ls"):
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": name, "arguments": arguments}}],
    }


def test_a_value_nested_too_deeply_is_refused():
    deep = '{"a": ' * 3_000 + "1" + "}" * 3_000
    with pytest.raises(ValueError, match=r"message 0: .* nested too deeply"):
        openai.from_messages([called(deep)])
    with pytest.raises(ValueError, match="nested too deeply"):
        openai.to_messages([{"type": "call", "content": f'{{"name": "ls", "args": {deep}}}'}])


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def places_in(value, place=()):
    """Yield the place of each value in a JSON value, without that of the whole."""
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*place, step)
        if isinstance(inner, dict | list):
            yield from places_in(inner, (*place, step))


def replaced(value, place, other):
    """Return a JSON value with another one at a place."""
    if not place:
        return other
    changed = value.copy()
    changed[place[0]] = replaced(value[place[0]], place[1:], other)
    return changed


ANYTHING = [
    *(None, True, 5, 10**5_000, float("nan"), "a", "\ud800", "a" * 10_000, "[" * 10_000),
    *([1, None, "x"], {"a": 1}, {1: 2}, object(), nested(100_000)),
]


@rows(
    ("bridge", "messages"),
    [
        (openai, [*OPENAI, {"role": "assistant", "refusal": "No.", "function_call": {}}]),
        (openai, [{"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]),
        (anthropic, ANTHROPIC),
        (responses, RESPONSES),
        (responses, [{"type": "message", "role": "user", "content": "a", "status": "completed"}]),
        (sharegpt, [{"from": "human", "value": "a"}, {"from": "function_call", "value": "{}"}]),
    ],
)
def test_the_members_of_a_message_may_be_anything(bridge, messages):
    """What is left out is reported, in few words however large it is."""
    for place in places_in(messages):
        for other in ANYTHING:
            report = []
            given = replaced(messages, place, other)
            events = bridge.from_messages(given, strict=False, report=report)
            assert cogwire.read_events(events) == events
            told = [change["message"] for change in report]
            try:
                bridge.from_messages(given)
            except ValueError as problem:
                told.append(str(problem))
            assert max(map(len, told), default=0) < 300


NAN = {"a": float("nan")}


@rows(
    "bridge, messages, problem",
    [
        # Data sets have results that are values, such as a number that JSON does not have.
        (
            openai,
            [called("{}"), {"role": "tool", "tool_call_id": "c", "content": NAN["a"]}],
            "the result is not text. It is not JSON: ",
        ),
        (
            anthropic,
            [
                {"role": "user", "content": "Look."},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c", "name": "ls", "input": NAN}],
                },
            ],
            "the call of 'ls' is invalid",
        ),
    ],
)
def test_a_number_that_json_does_not_have_is_refused_or_left_out(bridge, messages, problem):
    with pytest.raises(ValueError, match=f"^message 1: {re.escape(problem)}"):
        bridge.from_messages(messages)
    report = []
    bridge.from_messages(messages, strict=False, report=report)
    assert codes(report) == [(1, "skipped")]


@rows("member", [5, ["x"], {"a": 1}])
@rows("role", ["user", "assistant"])
def test_a_block_without_a_text_says_nothing(member, role):
    """And a block of no type is left out."""
    for block in (
        {"type": "text", "text": member},
        {"type": "thinking", "thinking": member},
        {"type": member, "text": "a"},
    ):
        report = []
        assert anthropic.from_messages([{"role": role, "content": [block]}], report=report) == []
        assert report


WRITE = {"type": "tool_use", "id": "t", "name": "write", "input": {"path": "/etc/hosts"}}
#: Calls of a turn that its message or its items say was cut, and one result of theirs.
CUT = [
    *(
        (
            anthropic.from_messages,
            [{"role": "assistant", "stop_reason": reason, "content": [WRITE]}],
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}],
            },
        )
        for reason in ("max_tokens", "refusal", "a reason of tomorrow")
    ),
    *(
        (
            responses.from_messages,
            [
                {"type": "function_call", "call_id": "s", "name": "ls", "arguments": "{}"},
                {"type": kind, "call_id": "t", "name": "write", member: "{}", "status": status},
            ],
            {"type": "function_call_output", "call_id": "t", "output": "ok"},
        )
        for kind, member in (("function_call", "arguments"), ("custom_tool_call", "input"))
        for status in ("incomplete", "in_progress")
    ),
]


@rows(("read", "given", "result"), CUT)
def test_calls_of_a_turn_that_was_cut_do_not_run(read, given, result):
    """Unless a result shows that they have run; a later user's text shows nothing."""
    for more in ([], [{"role": "user", "content": "Go on."}]):
        report = []
        events = read([*given, *more], report=report)
        calls = [event for event in events if event["type"] == "call"]
        assert events[len(calls)]["code"] == "unclosed-execute"
        assert events[len(calls)]["calls"] == len(calls)
        assert [each["code"] for each in report if each["code"] == "void"] == ["void"] * len(calls)
        assert all(turn["void"] for turn in cogwire.exchanges(events) if turn["calls"])
        batch = cogwire.Batch()
        for event in events:
            assert not batch.is_open
            batch.take(event)
    assert "error" not in types_of(read([*given, result]))


@rows("reason", ["end_turn", "tool_use", "stop_sequence", None, ""])
def test_calls_of_a_turn_that_the_model_ended_may_run(reason):
    message = {"role": "assistant", "stop_reason": reason, "content": [WRITE]}
    assert types_of(anthropic.from_messages([message])) == ["call", "execute"]


def test_arguments_that_end_too_early_are_said_to():
    """The message does not quote a brace that only the event has."""
    with pytest.raises(ValueError, match="cut off"):
        openai.from_messages([called('{"a": ')])


def types_of(events):
    return [event["type"] for event in events]


@rows(
    ("form", "written", "expected"),
    [
        ("hermes", '{"name": "read", "arguments": {"n": 1.50}}', '{"n": 1.50}'),
        (
            "hermes",
            '{"name": "read", "arguments": {"n": 12345678901234567890.125}}',
            '{"n": 12345678901234567890.125}',
        ),
        (
            "qwen3-coder",
            "<function=read>\n<parameter=n>\n1.50\n</parameter>\n</function>",
            '{"n": 1.50}',
        ),
    ],
)
def test_clients_of_engines_get_numbers_as_the_model_spells_them(form, written, expected):
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    tools = cogwire.Toolset([{"name": "read", "parameters": schema}], form)
    events = cogwire.parse(f"<tool_call>\n{written}\n</tool_call>", form, clock=None)
    assert list(engines.calls(events, tools)) == [("read", expected)]
