"""Histories as the messages of OpenAI and Anthropic, and back: what each says, and what it reports.

What their own packages make of these is tested in `tests/integrations/bridges`.
"""

import json
from types import SimpleNamespace

import pytest

import cogwire
from cogwire_kit.bridges import anthropic, openai, responses, sharegpt
from cogwire_kit.bridges.common import engines
from cogwire_kit.bridges.common.outcomes import CallOutcome, is_same, read_outcome, write_outcome
from tests.rows import rows

from .endings import anthropic_calls, openai_calls
from .histories import CHATS

BRIDGES = {
    "openai": openai,
    "anthropic": anthropic,
    "responses": responses,
    "sharegpt": sharegpt,
}
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


#: What a row can expect of events that are read.
LOOKS = {
    "types": lambda events, _: types_of(events),
    "texts": lambda events, _: [
        event["content"] for event in events if event["type"] in ("respond", "user")
    ],
    "report": lambda _, report: [[*each] for each in codes(report)],
}


@rows("row", CHATS["read"])
def test_messages_are_read(row):
    report = []
    bridge = BRIDGES[row["api"]]
    events = bridge.from_messages(row["messages"], report=report, strict=row.get("strict", True))
    expected = {name: value for name, value in row.items() if name in LOOKS}
    assert {name: LOOKS[name](events, report) for name in expected} == expected
    if "calls" in row:
        found = [call for turn in cogwire.exchanges(events) for call in turn["calls"]]
        pairs = zip(found, row["calls"], strict=True)
        assert [{name: call[name] for name in wanted} for call, wanted in pairs] == row["calls"]


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


def test_reasoning_is_left_out_where_the_api_refuses_it():
    for bridge in (openai, anthropic, responses):
        report = []
        (message,) = bridge.to_messages([THINK, RESPOND], report=report)
        assert "I look." not in str(message)
        assert codes(report) == [(0, "dropped")]


def test_a_system_prompt_comes_first():
    assert openai.to_messages([USER], system="Be brief.")[0] == {
        "role": "system",
        "content": "Be brief.",
    }
    assert len(openai.to_messages([USER], system=" \n")) == 1


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


def test_open_calls_have_no_answer():
    report = []
    messages = openai.to_messages([USER, READ, LS], report=report)
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert messages[1]["content"] is None
    assert openai.from_messages(messages, report=report) == [USER, READ, LS, EXECUTE]
    assert report == []


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


def test_that_the_user_stopped_a_turn_is_reported():
    report = []
    openai.to_messages([RESPOND, {"type": "cancelled"}], report=report)
    assert codes(report) == [(1, "dropped")]


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


def test_results_that_belong_to_no_call():
    result = {"type": "result", "content": '[{"tool": "cp", "status": "success", "content": 1}, 2]'}
    report = []
    messages = openai.to_messages([LS, result], report=report)
    assert answers(messages) == [("call_0", '{"tool": "cp", "status": "success", "content": 1}')]
    assert codes(report) == [(0, "mismatch"), (1, "surplus")]


def test_a_result_that_no_reader_accepts_is_reported():
    result = {
        "type": "result",
        "content": '[{"tool": "ls", "status": "success", "content": {"a": 1, "a": 2}}]',
    }
    report = []
    openai.to_messages([LS, result], report=report)
    assert codes(report) == [(0, "retyped")]


# --- Ids and names -------------------------------------------------------------------------------


def ids(events, report=None):
    (message,) = openai.to_messages(events, report=report)
    return [call["id"] for call in message["tool_calls"]]


def test_ids_are_those_of_the_events_or_their_numbers():
    assert ids([{**READ, "id": "r1"}, LS]) == ["r1", "call_1"]


def test_ids_that_an_api_refuses_are_rewritten_and_stay_distinct():
    report = []
    calls = [{**LS, "id": own} for own in ("a b", "a/b", "x" * 50, "x" * 51, "")]
    written = ids(calls, report)
    assert written == ["a_b", "a_b_2", "x" * 40, "x" * 38 + "_2", "_"]
    assert codes(report) == [(index, "retyped") for index in range(5)]


def test_a_name_that_an_api_refuses_is_rewritten_in_a_history_and_refused_in_a_toolset():
    report = []
    (message,) = openai.to_messages(
        [{"type": "call", "content": '{"name": "fs.read", "args": {}}'}], report=report
    )
    assert message["tool_calls"][0]["function"]["name"] == "fs_read"
    assert codes(report) == [(0, "retyped")]
    toolset = cogwire.Toolset([{"name": "fs.read"}])
    for bridge in (openai, anthropic):
        with pytest.raises(ValueError, match=r"tool 'fs\.read': its name must be of at most 64"):
            bridge.tools(toolset)


def test_ids_of_another_library_are_kept():
    messages = [
        {
            "role": "assistant",
            "tool_calls": [{"id": "abc", "function": {"name": "ls", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "abc", "content": "a.txt"},
    ]
    events = openai.from_messages(messages)
    assert events[0] == {**LS, "id": "abc"}
    assert openai.to_messages(events)[0]["tool_calls"][0]["id"] == "abc"


# --- Where texts are ---------------------------------------------------------------------------


def test_texts_of_one_kind_are_one_text_for_openai_and_blocks_for_anthropic():
    turn = [
        THINK,
        RESPOND,
        {"type": "think", "content": "More."},
        {"type": "respond", "content": "B."},
    ]
    report = []
    (message,) = openai.to_messages(turn, think=True, report=report)
    assert message["reasoning_content"] == "I look.\n\nMore."
    assert message["content"] == "One moment.\n\nB."
    assert codes(report) == [(2, "joined"), (2, "moved"), (3, "joined")]
    report = []
    messages = anthropic.to_messages(turn, think=True, report=report)
    assert anthropic.from_messages(messages, report=report) == turn
    assert report == []


def test_text_after_a_call_is_written_before_it():
    events = [LS, {"type": "respond", "content": "Behind."}]
    for bridge in (openai, anthropic):
        report = []
        bridge.to_messages(events, "delimiter", report=report)
        assert codes(report) == [(1, "moved")]


def test_white_space_and_half_characters():
    report = []
    events = [{"type": "user", "content": " \n"}, {"type": "user", "content": "a\ud800"}]
    assert openai.to_messages(events, report=report) == [{"role": "user", "content": "a\ufffd"}]
    assert codes(report) == [(0, "dropped"), (1, "neutralised")]


def test_white_space_at_the_end_of_prose_is_refused_by_anthropic():
    report = []
    events = [USER, {"type": "respond", "content": " Yes. \n"}]
    (_, message) = anthropic.to_messages(events, report=report)
    assert message["content"] == [{"type": "text", "text": " Yes."}]
    assert codes(report) == [(1, "trimmed")]


def test_two_users_texts_stay_two():
    events = [USER, {"type": "user", "content": "There."}]
    for bridge in (openai, anthropic):
        assert bridge.from_messages(bridge.to_messages(events)) == events


def test_a_users_text_is_never_a_result():
    text = '{"status": "failure", "content": "x"}'
    for bridge in (openai, anthropic):
        messages = [{"role": "user", "content": text}]
        assert bridge.from_messages(messages) == [{"type": "user", "content": text}]


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


def used(**call):
    return {"role": "assistant", "content": [{"type": "tool_use", "id": "c", **call}]}


@rows(
    "message, which",
    [
        (called("{"), "the call of 'ls'"),
        (called("[]"), "the call of 'ls'"),
        (called('{"a": 1, "a": 2}'), "the call of 'ls'"),
        (called("{}", "execute"), "the call of 'execute'"),
        (called("{}", ""), "a call"),
        (called('{"a": NaN}'), "the call of 'ls'"),
        (used(name="ls"), "the call of 'ls'"),
        (used(input={}), "a call"),
        (used(name="ls", input={"a": float("nan")}), "the call of 'ls'"),
        (used(name="ls", input=[1]), "the call of 'ls'"),
    ],
)
def test_an_invalid_call_is_refused_or_left_out_with_its_result(message, which):
    is_openai = "tool_calls" in message
    bridge = openai if is_openai else anthropic
    block = {"type": "tool_result", "tool_use_id": "c", "content": "a"}
    answer = {"role": "tool", "tool_call_id": "c", "content": "a"}
    answer = answer if is_openai else {"role": "user", "content": [block]}
    messages = [{"role": "user", "content": "Look."}, message, answer]
    with pytest.raises(ValueError, match=f"message 1: {which} is invalid"):
        bridge.from_messages(messages)
    report = []
    assert bridge.from_messages(messages, strict=False, report=report) == [USER]
    assert codes(report) == [(1, "skipped"), (2, "skipped")]


@rows("message", [None, [], {"role": "robot", "content": ""}, {"content": "a"}])
def test_an_invalid_message_is_refused_with_its_place(message):
    for bridge in (openai, anthropic):
        with pytest.raises(ValueError, match="message 0: "):
            bridge.from_messages([message])
        report = []
        assert bridge.from_messages([message], strict=False, report=report) == []
        assert codes(report) == [(0, "skipped")]


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


def test_a_result_that_is_not_json_is_refused_or_left_out():
    """Data sets have results that are values, such as a number that JSON does not have."""
    answer = {"role": "tool", "tool_call_id": "c", "content": float("nan")}
    messages = [called("{}"), answer, {"role": "user", "content": "Look."}]
    with pytest.raises(ValueError, match=r"message 1: the result is not text\. It is not JSON: "):
        openai.from_messages(messages)
    report = []
    events = openai.from_messages(messages, strict=False, report=report)
    assert types_of(events) == ["call", "execute", "user"]
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
    call = {"function": {"name": "ls", "arguments": '{"a": '}}
    with pytest.raises(ValueError, match="cut off"):
        openai.from_messages([{"role": "assistant", "tool_calls": [call]}])


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
