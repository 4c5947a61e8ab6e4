"""Turns while they are written: whatever a model writes, and however it is cut."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogwire
from cogwire_kit import strategies
from cogwire_kit.bridges import anthropic, openai, responses
from tests.rows import rows

from .endings import anthropic_calls, executed, openai_calls

pytestmark = pytest.mark.verify

JOINT = "\n\n"


@st.composite
def turns(draw, dialect):
    """Draw what a model may write, and the events of it in pieces."""
    text = draw(st.one_of(strategies.inputs(dialect), strategies.hostile_texts(dialect)))
    size = draw(st.sampled_from([1, 2, 7, 1000]))
    sealed = draw(st.booleans())
    options = {"calls": "sealed"} if sealed else {"call_deltas": draw(st.booleans())}
    parser = cogwire.Parser(dialect, stream="token", clock=None, **options)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return cogwire.parse(text, dialect, clock=None), list(cogwire.iter_events(pieces, parser))


def expected_parts(events):
    """Return what a chat must get of a turn: its texts by kind, its calls, and whether it is void."""
    texts = {
        kind: [event["content"] for event in events if event["type"] == kind]
        for kind in ("think", "respond")
    }
    is_void = any(event["type"] == "error" for event in events)
    return texts, executed(events), is_void


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_openai_chunks(dialect):
    @given(turns(dialect))
    def holds(turn):
        whole, events = turn
        texts, calls, is_void = expected_parts(whole)
        chunks = list(openai.chunks(events))
        errors = [chunk for chunk in chunks if "error" in chunk]
        choices = [choice for chunk in chunks for choice in chunk.get("choices", ())]
        finish = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
        assert len(errors) == is_void
        assert finish == ([] if is_void else ["tool_calls" if calls else "stop"])
        if is_void:
            assert "error" in chunks[-1]
            return
        deltas = [choice["delta"] for choice in choices]
        assert "".join(delta.get("content", "") for delta in deltas) == JOINT.join(texts["respond"])
        reasoning = "".join(delta.get("reasoning_content", "") for delta in deltas)
        assert reasoning == JOINT.join(texts["think"])
        assert openai_calls(chunks) == calls

    holds()


CALL = {"type": "call", "content": '{"name":"rm"}'}
#: As some store it.
SPACED = {"type": "call", "content": '\n{"name":"rm"} '}
NOT_ONE = "the content is not that of one call."
STREAMS = [openai.chunks, anthropic.chunks, responses.chunks]


@rows("stream", STREAMS)
@rows(
    ("given", "problem"),
    [
        *((given, "not an object") for given in ("text", None, 5, [CALL])),
        ({}, "None is not a type of event"),
        ({"type": "message"}, "'message' is not a type of event"),
        ({"role": "user", "content": "a"}, "this is a chat message, not an event; from_messages"),
        *(({"type": kind}, "`content` is not a string") for kind in ("respond", "think", "call")),
        ({"type": "metric"}, "`total` is not an object"),
        ({"type": "error", "code": "no"}, "'no' is not an error code"),
        ({"type": "call_delta", "index": 0, "content": ""}, "a call_delta has an `index`, a `name"),
        ({"type": "call", "content": "rm"}, f'{NOT_ONE} Expected an object, but got "r".'),
        (
            {"type": "call", "content": '{"name":"rm","args":{"f":1}'},
            f"{NOT_ONE} The JSON of the call is cut off",
        ),
    ],
)
def test_anything_but_an_event_is_refused_with_its_index(stream, given, problem):
    """No call of it reaches a client, and its program reads what is wrong."""
    with pytest.raises(ValueError, match=f"^event 1: {re.escape(problem)}"):
        list(stream([SPACED, given, {"type": "execute"}]))


@rows("stream", STREAMS)
def test_the_last_call_of_a_turn_that_breaks_is_never_complete(stream):
    """Not even for a client that runs a call as soon as its arguments are JSON."""
    given = 'Hm.<execute>[{"name": "rm", "args": {"a": {"b": 1}}}, '
    for text, is_whole in ((f"{given}1]", False), (f"{given[:-2]}]</execute>", True)):
        parser = cogwire.Parser(stream="token", call_deltas=True, clock=None)
        sent = list(stream(cogwire.iter_events([text], parser)))
        assert json.dumps('{"a": {"b": 1}') in json.dumps(sent)
        assert ('"}"' in json.dumps(sent)) is is_whole
        stops = [event for event in sent if event.get("type") == "content_block_stop"]
        assert len(stops) == (1 + is_whole) * (stream is anthropic.chunks)


@rows("stream", STREAMS)
def test_a_later_turn_is_refused(stream):
    """The text of a broken turn may go on after its error; a later turn has an answer of its own."""
    text = {"type": "respond", "content": "a"}
    error = {"type": "error", "code": "bad-name", "content": "b", "offset": 0, "calls": 0}
    used = {"type": "metric", "total": {"input": 1, "output": 1, "duration": 1.0}}
    user = {"type": "user", "content": "c"}
    result = {"type": "result", "content": "[]"}
    for turn in ([text], [text, {"type": "end"}], [text, error, text], [{"type": "execute"}]):
        assert list(stream([user, *turn, used, result, user])) == list(stream([*turn, used]))
        older = {**used, "type": "metrics"}
        assert list(stream([*turn, older])) == list(stream([*turn, used]))
        for later in (text, {"type": "think", "content": "d"}, CALL):
            with pytest.raises(
                ValueError, match=f"^this {later['type']} is of a later turn: begin"
            ):
                list(stream([*turn, user, later]))


@rows("stream", STREAMS)
def test_a_result_shows_that_the_calls_of_a_stored_turn_have_run(stream):
    """No `execute` is stored; the answer of a void block, and a call that is missing, say otherwise."""
    result = {"type": "result", "content": '[{"tool": "rm", "status": "success", "content": 1}]'}
    assert list(stream([CALL, result])) == list(stream([CALL, {"type": "execute"}, result]))
    shown = {"type": "call_delta", "index": 0, "name": "rm", "content": "{}"}
    assert "unfinished" in str(list(stream([shown, {"type": "execute"}]))[-1])
    void = {"type": "result", "content": result["content"].replace("rm", "execute")}
    void["content"] = void["content"].replace("success", "failure").replace("1", '"No."')
    assert "unfinished" in str(list(stream([CALL, void]))[-1])


def blocks_of(events):
    """Return the content blocks of a stream, of which one is open at a time."""
    blocks, is_open = [], False
    for event in events:
        if event["type"] == "content_block_start":
            assert not is_open
            assert event["index"] == len(blocks)
            is_open = True
            blocks.append({**event["content_block"], "joined": ""})
        elif event["type"] == "content_block_delta":
            assert is_open
            assert event["index"] == len(blocks) - 1
            kind = event["delta"]["type"]
            member = {"text_delta": "text", "thinking_delta": "thinking"}.get(kind, "partial_json")
            assert event["delta"][member]
            blocks[-1]["joined"] += event["delta"][member]
        elif event["type"] == "content_block_stop":
            assert is_open
            is_open = False
    return blocks, is_open


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_anthropic_events(dialect):
    @given(turns(dialect))
    def holds(turn):
        whole, events = turn
        texts, calls, is_void = expected_parts(whole)
        stream = list(anthropic.chunks(events))
        kinds = [event["type"] for event in stream]
        assert kinds[0] == "message_start"
        blocks, is_open = blocks_of(stream)
        if is_void:
            assert kinds[-1] == "error"
            assert "message_stop" not in kinds
            return
        for kind, name in (("think", "thinking"), ("respond", "text")):
            assert [block["joined"] for block in blocks if block["type"] == name] == texts[kind]
        assert not is_open
        assert kinds[-2:] == ["message_delta", "message_stop"]
        assert stream[-2]["delta"]["stop_reason"] == ("tool_use" if calls else "end_turn")
        assert anthropic_calls(stream) == calls

    holds()


@rows(
    ("reason", "expected"),
    [
        ("stop", ("stop", "end_turn", "completed", None)),
        ("length", ("length", "max_tokens", "incomplete", "max_output_tokens")),
        ("content_filter", ("content_filter", "refusal", "incomplete", "content_filter")),
        ("SAFETY", ("content_filter", "refusal", "incomplete", "content_filter")),
        (None, ("length", "max_tokens", "incomplete", "max_output_tokens")),
    ],
)
def test_a_text_that_was_cut_ends_as_one(reason, expected):
    """A client takes half an answer for half an answer, as far as its API has a word for it."""

    def turn():
        return cogwire.iter_events(["Half an ans", cogwire.Finish(reason)], cogwire.Parser())

    choice = list(openai.chunks(turn()))[-1]["choices"][0]
    delta = list(anthropic.chunks(turn()))[-2]["delta"]
    response = list(responses.chunks(turn()))[-1]["response"]
    details = response.get("incomplete_details", {}).get("reason")
    found = (choice["finish_reason"], delta["stop_reason"], response["status"], details)
    assert found == expected
    # Clients add up the usage of responses, and have no other word for one that is not known.
    assert response["usage"]["total_tokens"] == 0
