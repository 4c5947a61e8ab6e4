"""Runs as `ag-ui-protocol` has them: by its types, its encoder, and the order that clients demand."""

import json

import pytest
from ag_ui.core import Event, RunAgentInput, Tool
from ag_ui.encoder import EventEncoder
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import ag_ui as bridge
from tests.kit.bridges.endings import every_dialect, every_ending, every_mode, executed, turns
from tests.kit.bridges.histories import (
    CUT_TURN,
    PLAIN_TURN,
    TOOLS,
    TURN,
    VOID_TURN,
    conversation,
    deltas,
    summary,
)

from .forcing import no_extras

#: What opens each kind of thing, what goes on with it, and what ends it.
SPANS = [
    ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "messageId"),
    ("REASONING_START", None, "REASONING_END", "messageId"),
    ("REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "messageId"),
    ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "toolCallId"),
]
#: What begins a message, whose id no other one has.
FIRST = {
    *("TEXT_MESSAGE_START", "REASONING_MESSAGE_START", "ACTIVITY_SNAPSHOT", "TOOL_CALL_RESULT"),
}
#: Building it takes longer than a run.
EVENT = TypeAdapter(Event)


def on_the_wire(events):
    """Return events as an interface gets them, once they are found to be of the protocol."""
    encoder, read = EventEncoder(), []
    for event in events:
        text = encoder.encode(event)
        assert text.startswith("data: ")
        assert text.endswith("\n\n")
        value = json.loads(text[6:])
        no_extras(EVENT.validate_python(value))
        assert None not in value.values()
        read.append(value)
    in_order(read)
    return read


def in_order(events):
    """Refuse an order that a client refuses; the rules are those of the specification's 1.0."""
    kinds = [event["type"] for event in events]
    assert kinds[0] in ("RUN_STARTED", "RUN_ERROR")
    assert kinds[-1] in ("RUN_FINISHED", "RUN_ERROR")
    assert not {"RUN_FINISHED", "RUN_ERROR", "RUN_STARTED"} & set(kinds[1:-1])
    opened = {start: set() for start, *_ in SPANS}
    called, answered = set(), set()
    ids = [event["messageId"] for event in events if event["type"] in FIRST]
    assert len(set(ids)) == len(ids)
    for event in events:
        for start, content, end, name in SPANS:
            if event["type"] == start:
                assert event[name] not in opened[start]
                opened[start].add(event[name])
            elif event["type"] == content:
                assert event[name] in opened[start]
            elif event["type"] == end:
                opened[start].remove(event[name])
        if event["type"].endswith("_CONTENT"):
            assert event["delta"]
        if event["type"] == "TOOL_CALL_START":
            assert event["toolCallId"] not in called
            called.add(event["toolCallId"])
        if event["type"] == "TOOL_CALL_RESULT":
            assert event["toolCallId"] in called - answered
            answered.add(event["toolCallId"])
    if kinds[-1] == "RUN_FINISHED":
        assert not any(opened.values())
        pending = events[-1]["outcome"].get("pendingToolCallIds", [])
        if events[-1]["outcome"]["type"] == "success":
            assert pending == [
                event["toolCallId"]
                for event in events
                if event["type"] == "TOOL_CALL_START" and event["toolCallId"] not in answered
            ]


def run(events, **options):
    return on_the_wire(bridge.chunks(events, "thread", "run", **options))


def kinds(events):
    return [event["type"] for event in events]


def of(kind, events):
    return [event for event in events if event["type"] == kind]


def drafts(events):
    """Return the activities as an interface has them in the end, with their arguments as text."""
    found = {}
    for event in events:
        if event["type"] == "ACTIVITY_SNAPSHOT":
            assert event["activityType"] == "cogwire.call"
            assert event["messageId"] not in found
            found[event["messageId"]] = {**event["content"], "args": ""}
        elif event["type"] == "ACTIVITY_DELTA":
            (change,) = event["patch"]
            draft = found[event["messageId"]]
            if change["op"] == "add":
                assert change["path"] == "/args/-"
                draft["args"] += change["value"]
            else:
                assert (change["op"], change["path"]) == ("replace", "/state")
                draft["state"] = change["value"]
    return list(found.values())


def loop(*turns, **options):
    """Return the events of an agent that runs `ls`, and fails at everything else."""
    batch = cogwire.Batch(clock=None)
    events = []
    for turn in turns:
        for event in deltas(turn, **options):
            events += [event, *batch.take(event)]
        for call in batch.calls if batch.is_open else ():
            outcome = ("success", {"found": [1]}) if call.name == "ls" else ("failure", "No file.")
            events += batch.settle(call, *outcome)
    return events


@pytest.mark.parametrize("call_deltas", [False, True])
def test_a_run_of_two_turns(call_deltas):
    events = run(loop(TURN, PLAIN_TURN, call_deltas=call_deltas), calls_before=2)
    short = [
        kind
        for kind, before in zip(kinds(events), [None, *kinds(events)], strict=False)
        if kind != before
    ]
    assert short[:11] == [
        "RUN_STARTED",
        "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
        "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
        *(["ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"] if call_deltas else ["TOOL_CALL_START", "TOOL_CALL_ARGS"]),
    ]  # fmt: skip
    starts = of("TOOL_CALL_START", events)
    assert [(event["toolCallId"], event["toolCallName"]) for event in starts] == [
        ("call_2", "read"),
        ("call_3", "ls"),
    ]
    (spoken, _) = of("TEXT_MESSAGE_START", events)
    assert {event["parentMessageId"] for event in starts} == {spoken["messageId"]}
    args = "".join(
        event["delta"] for event in of("TOOL_CALL_ARGS", events) if event["toolCallId"] == "call_2"
    )
    assert args == '{"file": "config.json", "lines": [1, 2.5], "more": {"é": null}}'
    assert [
        (event["toolCallId"], event["content"]) for event in of("TOOL_CALL_RESULT", events)
    ] == [("call_2", '{"status": "failure", "content": "No file."}'), ("call_3", '{"found": [1]}')]
    assert events[-1]["outcome"] == {"type": "success"}


CALL = {"type": "call", "content": '{"name": "ls", "args": {}}', "id": "1"}
OTHER = {**CALL, "id": "2"}
SAID, THOUGHT = ({"type": kind, "content": "Hi."} for kind in ("respond", "think"))


@pytest.mark.parametrize(
    ("texts", "parent"),
    [([], "run-1"), ([SAID], "run-1"), ([SAID, THOUGHT], "run-3"), ([THOUGHT, SAID], "run-2")],
)
def test_the_calls_of_a_turn_are_of_one_message(texts, parent):
    """That of the prose before them, or one of their own: a client keeps them and answers together."""
    events = run([*texts, CALL, OTHER, {"type": "execute"}])
    starts = of("TOOL_CALL_START", events)
    assert [event["parentMessageId"] for event in starts] == [parent, parent]


def test_a_call_is_one_only_when_it_may_run():
    """An interface sees it before, but as an activity: another call may still break a rule."""
    writer, parser = (
        bridge.Chunks("t", "r"),
        cogwire.Parser(stream="token", call_deltas=True, clock=None),
    )
    for at, character in enumerate(TURN):
        for event in parser.feed(character):
            calls = [each for each in writer.take(event) if each.type.value.startswith("TOOL_CALL")]
            assert not calls or at == len(TURN) - 1
    assert calls


@pytest.mark.parametrize("turn", [VOID_TURN, CUT_TURN])
@pytest.mark.parametrize("call_deltas", [False, True])
def test_nothing_of_a_void_block_waits_for_an_interface(turn, call_deltas):
    events = run(loop(turn, PLAIN_TURN, call_deltas=call_deltas))
    assert events[-1]["outcome"] == {"type": "success"}
    (error,) = of("CUSTOM", events)
    assert error["name"] == "cogwire.error"
    assert error["value"]["code"] == ("not-object" if turn is VOID_TURN else "unclosed-execute")
    assert not [kind for kind in kinds(events) if kind.startswith("TOOL_CALL")]
    assert [draft["state"] for draft in drafts(events)] == ["void"] * call_deltas
    # The next turn's own calls are numbered after those of this one.
    assert "It is 8080." in "".join(event["delta"] for event in of("TEXT_MESSAGE_CONTENT", events))


def test_an_answer_that_was_cut_is_said_to_be():
    turn = cogwire.iter_events(["Half an ans", cogwire.Finish("length")], cogwire.Parser())
    *_, cut, end = bridge.chunks(turn, "t", "r")
    assert (cut.name, cut.value) == ("cogwire.cut", {"reason": "length"})
    assert end.type == "RUN_FINISHED"


def test_a_failure_of_the_program_is_shown_to_its_user():
    """No model reads it, and it voids nothing."""
    failure = {"type": "error", "content": "No answer."}
    events = run([SAID, CALL, failure, {"type": "execute"}])
    assert [event["value"]["message"] for event in of("CUSTOM", events)] == ["No answer."]
    assert kinds(events)[-4:-1] == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]


def test_a_draft_shows_what_becomes_of_a_call():
    """It has the arguments as they are written, and the id of the call that it becomes."""
    events = run(loop(TURN, VOID_TURN, CUT_TURN, TURN, size=1))
    calls = [
        {"toolCallId": event["toolCallId"], "name": event["toolCallName"]}
        for event in of("TOOL_CALL_START", events)
    ]
    args = [event["delta"] for event in of("TOOL_CALL_ARGS", events)]
    shown = drafts(events)
    assert [draft["state"] for draft in shown] == [*["ready"] * 2, *["void"] * 2, *["ready"] * 2]
    assert shown[3]["args"] == '{"file": "/'
    ready = [draft for draft in shown if draft["state"] == "ready"]
    assert ready == [
        {**call, "args": text, "state": "ready"} for call, text in zip(calls, args, strict=True)
    ]


def test_a_run_that_waits_for_the_interface_reports_it():
    events = run(deltas(TURN))
    assert events[-1]["outcome"] == {"type": "success", "pendingToolCallIds": ["call_0", "call_1"]}


def test_the_cost_of_a_run():
    usage = {
        "type": "metric",
        "step": {"input": 7, "output": 5},
        "total": {"input": 9, "output": 9},
    }
    events = run([*deltas(PLAIN_TURN), usage, {"type": "result", "content": "[]"}, usage])
    assert events[-1]["usage"] == [{"inputTokens": 14, "outputTokens": 10, "totalTokens": 24}]
    totals = [{"type": "metric", "total": {"input": n, "output": 1}} for n in (2, 5)]
    (used,) = run([*deltas(PLAIN_TURN), *totals])[-1]["usage"]
    assert used == {"inputTokens": 5, "outputTokens": 1, "totalTokens": 6}


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_whatever_a_model_writes_is_a_run_that_clients_accept(dialect):
    @given(strategies.inputs(dialect), st.sampled_from([1, 7, 1000]), st.booleans())
    def holds(text, size, call_deltas):
        parser = cogwire.Parser(dialect, stream="token", call_deltas=call_deltas, clock=None)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        batch = cogwire.Batch(dialect, clock=None)
        events, answers = [], []
        for event in cogwire.iter_events(pieces, parser):
            events.append(event)
            answers += batch.take(event)
        for call in batch.calls if batch.is_open else ():
            answers += batch.settle(call, "success", None)
        shown = run([*events, *answers])
        assert shown[-1]["outcome"] == {"type": "success"}

    holds()


@every_ending
@every_mode
@every_dialect
def test_the_calls_of_a_run_are_those_that_may_run(dialect, mode, ending):
    for given_events in turns(dialect, mode, ending):
        events = run(given_events)
        assert (events[-1]["type"] == "RUN_ERROR") == (ending == "interrupted")
        outcome = events[-1].get("outcome", {}).get("type")
        assert (outcome == "cancelled") == (ending == "cancelled")
        calls = executed(given_events)
        assert [event["toolCallName"] for event in of("TOOL_CALL_START", events)] == [
            name for name, _ in calls
        ]
        args = [json.loads(event["delta"]) for event in of("TOOL_CALL_ARGS", events)]
        assert args == [arguments for _, arguments in calls]
        back = bridge.from_chunks(bridge.chunks(given_events, "thread", "run"))
        assert executed(back) == calls


@pytest.mark.parametrize("call_deltas", [False, True])
@pytest.mark.parametrize("turn", [TURN, VOID_TURN, CUT_TURN])
def test_a_run_is_read_back(turn, call_deltas):
    """A void block leaves nothing in it but its custom event."""
    given_events = loop(turn, PLAIN_TURN, call_deltas=call_deltas)
    report = []
    back = bridge.from_chunks(bridge.chunks(given_events, "thread", "run"), report=report)
    assert [entry["message"] for entry in report] == ["CUSTOM has no event"] * (turn != TURN)
    assert summary(back) == summary(given_events)


def test_results_of_other_tools_are_values_and_the_last_calls_get_them():
    calls = [{"type": "call", "content": f'{{"name": "{name}", "args": {{}}}}'} for name in "abc"]
    content = '[{"tool": "z", "status": "failure", "content": "x"}, {"tool": "c"}]'
    events = run([*calls, {"type": "execute"}, {"type": "result", "content": content}])
    assert [
        (event["toolCallId"], event["content"]) for event in of("TOOL_CALL_RESULT", events)
    ] == [
        ("call_1", '{"tool": "z", "status": "failure", "content": "x"}'),
        ("call_2", '{"tool": "c"}'),
    ]
    assert events[-1]["outcome"]["pendingToolCallIds"] == ["call_0"]


def test_a_stored_run_is_the_run():
    events = loop(TURN, VOID_TURN, PLAIN_TURN, call_deltas=False)
    stored = [event for event in cogwire.read_events(events) if cogwire.persisted(event)]
    (error,) = of("CUSTOM", run(stored))
    assert error["value"]["code"] == "unfinished"  # that of the block is not stored
    for kind in ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_RESULT"):
        written, read = (of(kind, run(each)) for each in (events, stored))
        assert [each["toolCallId"] for each in read] == [each["toolCallId"] for each in written]


def test_a_result_in_its_older_form_answers_its_call():
    result = {"type": "result", "payload": {"outcome": "Success", "content": "a.txt"}}
    (answer,) = of("TOOL_CALL_RESULT", run([SAID, CALL, {"type": "execute"}, result]))
    assert (answer["toolCallId"], answer["content"]) == ("1", "Success\na.txt")


def test_the_answer_to_a_void_block_answers_no_earlier_call():
    """An earlier block may wait for the interface."""
    events = run([*deltas(TURN), {"type": "user", "content": "?"}, *loop(VOID_TURN)])
    assert of("TOOL_CALL_RESULT", events) == []
    assert events[-1]["outcome"]["pendingToolCallIds"] == ["call_0", "call_1"]


def test_the_short_forms_of_events_are_read():
    shorts = [
        {"type": "REASONING_MESSAGE_CHUNK", "messageId": "1", "delta": "Hm"},
        {"type": "REASONING_MESSAGE_CHUNK", "delta": "."},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "2", "delta": "Hi."},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "a", "toolCallName": "ls", "delta": "{"},
        {"type": "TOOL_CALL_CHUNK", "delta": "}"},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "b", "toolCallName": "ls", "delta": "{}"},
        {"type": "TOOL_CALL_RESULT", "messageId": "3", "toolCallId": "b", "content": "B"},
        {"type": "TOOL_CALL_RESULT", "messageId": "4", "toolCallId": "a", "content": "A"},
        {"type": "STATE_SNAPSHOT", "snapshot": {}},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "5", "role": "user", "delta": "Thanks."},
    ]
    report = []
    back = bridge.from_chunks([EVENT.validate_python(event) for event in shorts], report=report)
    assert summary(back) == [
        ("think", "Hm."),
        ("respond", "Hi."),
        ("ls", {}, "success", "A"),
        ("ls", {}, "success", "B"),
        ("user", "Thanks."),
    ]
    codes = [(entry["index"], entry["code"]) for entry in report]
    assert codes == [(6, "moved"), (8, "dropped")]  # the first result is of the second call


@pytest.mark.parametrize("end", [[{"type": "RUN_ERROR", "message": "reset"}], []])
def test_of_a_run_that_breaks_the_texts_are_kept_and_no_call_that_has_no_end(end):
    """Also of a call in short form, whose end is that another event follows it."""
    began = [
        {"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "rm"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "a", "delta": "{}"},
        {"type": "TEXT_MESSAGE_START", "messageId": "1"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "1", "delta": "Half an"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "of nothing"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "2", "delta": "And"},
        {"type": "TOOL_CALL_CHUNK", "delta": "of another kind"},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "b", "toolCallName": "ls", "delta": "{}"},
    ]
    events = [EVENT.validate_python(event) for event in (*began, *end)]
    report = []
    first, then, *interrupt = bridge.from_chunks(events, report=report)
    assert (first["content"], then["content"]) == ("And", "Half an")
    assert interrupt == [{"type": "interrupt"}] * len(end)
    last = len(events) - 1
    assert [(entry["index"], entry["message"]) for entry in report] == [
        *((at, "a chunk without an id, which continues nothing") for at in (4, 6)),
        *((last, f"the call of '{name}' has no end, and is left out") for name in ("rm", "ls")),
    ]


RUN = {"threadId": "t", "runId": "r"}
STARTED, FINISHED, FAILED = (
    {"type": "RUN_STARTED", **RUN},
    {"type": "RUN_FINISHED", **RUN},
    {"type": "RUN_ERROR", "message": "reset"},
)
WHOLE, OPEN = (
    [
        {"type": "TOOL_CALL_START", "toolCallId": own_id, "toolCallName": "rm"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": own_id, "delta": "{}"},
        *([{"type": "TOOL_CALL_END", "toolCallId": own_id}] if own_id == "a" else []),
    ]
    for own_id in "ab"
)
ANSWER = {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "a", "content": "ok"}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([STARTED, *WHOLE, FINISHED], ["call", "execute"]),
        ([STARTED, *WHOLE, *OPEN, FAILED], ["call", "error", "interrupt"]),
        ([STARTED, *WHOLE, *OPEN, FINISHED], ["call", "error"]),
        ([STARTED, *WHOLE], ["call", "error"]),
        ([STARTED, *WHOLE, ANSWER, *OPEN, FAILED], ["call", "execute", "result", "interrupt"]),
    ],
)
def test_of_a_block_that_was_cut_no_call_may_run(events, expected):
    """A result shows that one has."""
    back = bridge.from_chunks([EVENT.validate_python(event) for event in events])
    assert kinds(back) == expected


def test_what_begins_again_ends_what_has_its_id():
    text = {"messageId": "1", "delta": "a"}
    begun = [{"type": f"TEXT_MESSAGE_{part}", **text} for part in ("START", "CONTENT")]
    events = [EVENT.validate_python(event) for event in (*begun, *OPEN, *begun, *OPEN)]
    back = bridge.from_chunks(events, report=(report := []))
    assert [event["content"] for event in back] == ["a", "a"]
    assert [(entry["index"], entry["code"]) for entry in report] == [(6, "dropped"), (7, "dropped")]


# --- Messages and tools --------------------------------------------------------------------------


def test_an_input_of_a_run():
    toolset = cogwire.Toolset(TOOLS)
    given_input = RunAgentInput(
        thread_id="t", run_id="r", state={}, context=[], forwarded_props={},
        messages=bridge.to_messages(conversation()), tools=bridge.tools(toolset),
    )  # fmt: skip
    read = RunAgentInput.model_validate_json(given_input.model_dump_json(by_alias=True))
    assert cogwire.Toolset(read.tools).tools[0] == toolset.tools[0]
    assert all(isinstance(tool, Tool) for tool in read.tools)
    ids = [message.id for message in read.messages]
    assert len(set(ids)) == len(ids)
