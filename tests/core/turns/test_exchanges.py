"""`exchanges` as a function: what is skipped, and what one more event changes.

What single histories give is in the cases of the corpus.
"""

import json

import pytest

from tests import cogwire
from tests.core.helpers import call, respond, result, with_room
from tests.rows import rows

LS = '{"name": "ls", "args": {}}'
NAMED = '{"name": "%s", "args": {}}'


def item(tool):
    return {"tool": tool, "status": "success", "content": tool.upper()}


def ended(turns):
    """Give the tool, the status and the content of each call."""
    return [
        (each["name"], each["status"], each.get("content"))
        for turn in turns
        for each in turn["calls"]
    ]


def test_unreadable_calls_are_left_out_with_their_results():
    events = [
        {"type": "say"},
        call(NAMED % "a"),
        call("{broken"),
        call(NAMED % "c"),
        result(json.dumps([item("a"), item("b"), item("c")]), 3),
    ]
    with pytest.raises(ValueError, match=r"^event 0: 'say' is not a type of event"):
        cogwire.exchanges(events)
    with pytest.raises(ValueError, match=r"^event 1: the content is not that of one call"):
        cogwire.exchanges([respond("x"), call("{broken")])
    report = []
    turns = cogwire.exchanges(events, strict=False, report=report)
    assert ended(turns) == [("a", "success", '"A"'), ("c", "success", '"C"')]
    assert [call["id"] for call in turns[0]["calls"]] == ["call_0", "call_2"]
    assert turns[0]["surplus"] == []
    assert [(change["index"], change["code"]) for change in report] == [
        (0, "skipped"),
        (2, "skipped"),
    ]


@rows(
    "rest, content",
    [
        ('"status": "success", "content": "x" }', '"x"'),
        ('"status": "success", "content": 1.50, "more": "content"}', "1.50"),
        ('"status": "success", "content": 1, "content": [ 2 ]}', "[ 2 ]"),
        ('"content": {"content": 3}, "status": "success"}', '{"content": 3}'),
    ],
)
def test_a_result_is_verbatim_wherever_it_is_in_its_item(rest, content):
    turns = cogwire.exchanges([call(NAMED % "a"), result(f'[{{"tool": "a", {rest}]', 1)])
    assert ended(turns) == [("a", "success", content)]


def test_a_call_that_is_nested_too_deeply_is_refused_as_in_messages():
    deep = '{"name": "a", "args": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    events = [call(NAMED % "b"), call(deep)]
    reason = "event 1: the call is nested too deeply to be decoded"
    for function in (cogwire.exchanges, cogwire.to_messages):
        with pytest.raises(ValueError, match=f"^{reason}$"):
            function(events)
    report = []
    (turn,) = cogwire.exchanges(events, strict=False, report=report)
    assert [call["name"] for call in turn["calls"]] == ["b"]
    assert [(change["index"], change["code"]) for change in report] == [(1, "skipped")]


def test_a_deep_call_is_read_wherever_the_caller_is_on_the_stack():
    """Its result too: on CPython 3.11 and earlier, decoding it takes as much stack as it is deep."""
    deep = "[" * 120 + "]" * 120
    item = f'{{"tool": "a", "status": "success", "content": {deep}}}'
    events = [call(f'{{"name": "a", "args": {{"x": {deep}}}}}'), result(f"[\n  {item}\n]")]
    for dialect in ("xml-json", "delimiter"):
        for function in (cogwire.exchanges, cogwire.to_messages):
            expected = function(events, dialect)
            for room in range(60, 180, 5):
                assert with_room(room, lambda: function(events, dialect)) == expected  # noqa: B023


def test_the_dialect_is_one_that_there_is():
    with pytest.raises(ValueError, match=r"'yaml'"):
        cogwire.exchanges([], "yaml")


def test_one_more_event_changes_the_last_turn_alone():
    history = [
        {"type": "user", "content": "Go."},
        call(LS),
        {"type": "execute"},
        result(json.dumps([item("ls")]), 1),
        call(NAMED % "a"),
        {"type": "cancelled"},
        result(json.dumps([item("a")]), 1),
        respond("Done."),
        {"type": "end"},
    ]
    before = []
    for count in range(len(history) + 1):
        turns = cogwire.exchanges(history[:count])
        assert turns[: len(before) - 1] == before[:-1]
        before = turns
    assert ended(before) == [("ls", "success", '"LS"'), ("a", "success", '"A"')]


@rows(
    ("dialect", "text"),
    [
        (
            "delimiter",
            '§call: {bad\n§call: {"name":"rm"}\n§execute\n§call: {"name":"ls"}\n§execute\n',
        ),
        ("hermes", '<tool_call>{bad</tool_call><tool_call>{"name":"rm"}</tool_call>'),
    ],
)
def test_no_call_of_a_void_batch_of_a_transcript_seems_to_run(dialect, text):
    """It is neither in an exchange nor in a message, which would be read as a live call."""
    events = cogwire.parse_transcript(text, dialect, clock=None)
    calls = [each for turn in cogwire.exchanges(events, dialect) for each in turn["calls"]]
    assert [(each["name"], each["status"]) for each in calls] == [("ls", "open")] * len(calls)
    assert not any("rm" in each["content"] for each in cogwire.to_messages(events, dialect))
