"""What the report of messages says, word for word, and which calls a turn with errors has run."""

import pytest

from tests import cogwire
from tests.core.helpers import call, execute, respond, think
from tests.core.turns.histories import OK_A, OK_B, A, B, answer, user
from tests.rows import rows

BROKEN = {"type": "error", "code": "not-object", "content": "no", "offset": 0, "calls": 0}

NO_RESULT = "no result was returned: it is written here, as cancelled"
NO_ROOM = "a member of a result that has no place here is left out"
NOT_PLAYED = "`raw` is not the whole turn, which is written from its events"


def with_raw(event, raw):
    return event | {"raw": raw}


def assemble(events, dialect):
    report = []
    messages = cogwire.to_messages(events, dialect, report=report)
    return messages, report


@rows(
    ("events", "expected"),
    [
        (
            [call(f"\n{A}"), user("q")],
            [(0, "trimmed", "white space around the call is left out"), (0, "orphan", NO_RESULT)],
        ),
        (
            [call(A), {"type": "result", "content": "x"}],
            [(1, "completed", "the content is not an array of results: it becomes that of one")],
        ),
        (
            [call(A), answer(OK_A, OK_B, OK_B, "1")],
            [(1, "surplus", "3 results without a call are left out")],
        ),
        (
            [call(A), answer(OK_A, OK_B)],
            [(1, "surplus", "1 result without a call is left out")],
        ),
        (
            [respond("\ud83d\ude00 \ud83d")],
            [
                (
                    0,
                    "neutralised",
                    "the two halves of a surrogate pair at 0, which text cannot contain",
                ),
                (0, "neutralised", "a lone surrogate at 3, which text cannot contain"),
            ],
        ),
        ([user(" \n")], [(0, "dropped", "there is no text, and nothing is written")]),
        ([user(" a")], [(0, "trimmed", "white space around the text is left out")]),
        (
            [user("a"), user("b")],
            [(1, "joined", "this is joined to the preceding text of the same role")],
        ),
        (
            [with_raw(think("a"), "a</think>")],
            [(0, "completed", "the think's opener, which was in the prompt, is written")],
        ),
        ([with_raw(think("a"), "<think>b</think>")], [(0, "mismatch", NOT_PLAYED)]),
        (
            [with_raw(execute(), "<execute>[]</execute>"), user("q")],
            [(0, "orphan", "no result was returned for this empty block: it is written here")],
        ),
        (
            [answer('{"tool": "execute", "status": "failure", "content": "no"}')],
            [(0, "void", "the block that this answers was void, and is left out")],
        ),
    ],
)
def test_each_change_has_a_description(events, expected):
    _, report = assemble(events, "xml-json")
    assert [tuple(change.values()) for change in report] == expected


@rows(
    ("events", "expected"),
    [
        (
            [call(A), respond("b"), call(B), respond("c")],
            [
                (1, "moved", "this followed a call, and is written before it"),
                (3, "moved", "this followed a call, and is written before it"),
            ],
        ),
        (
            [with_raw(BROKEN, "x"), with_raw(BROKEN, "y")],
            [
                (0, "void", "text that broke a rule of the wire is left out"),
                (0, "mismatch", NOT_PLAYED),
            ],
        ),
    ],
)
def test_a_change_in_delimiter_has_a_description(events, expected):
    """Of several errors the first is named, for the turn."""
    _, report = assemble(events, "delimiter")
    assert [tuple(change.values()) for change in report] == expected


@rows(
    ("items", "content", "expected"),
    [
        (
            ["1", OK_B],
            "§result: 1\n§result: ok",
            [(2, "completed", "an item that is not a result becomes the content of one")],
        ),
        (
            ['{"tool": "a", "id": 1, "status": "success", "content": "x", "at": 2}', OK_B],
            "§result: x\n§result: ok",
            [(2, "dropped", NO_ROOM), (2, "dropped", NO_ROOM)],
        ),
        (
            # What has nothing to leave out keeps its spelling, which is seen in a failure.
            [r'{"\u0074ool": "a", "status": "failure", "content": "x"}', OK_B],
            '§result: {"\\u0074ool": "a", "status": "failure", "content": "x"}\n§result: ok',
            [],
        ),
    ],
)
def test_in_delimiter_each_item_is_written_separately(items, content, expected):
    """Also after an item that is not a result."""
    messages, report = assemble([call(A), call(B), answer(*items)], "delimiter")
    assert messages[-1] == {"role": "user", "content": content}
    assert [tuple(change.values()) for change in report] == expected


def test_results_that_would_be_read_differently_are_reported():
    """By lines a body of text says nothing of its tool."""
    words = "the results would be read back differently"
    _, report = assemble([call(A), answer(OK_B)], "delimiter")
    assert report == [{"index": 1, "code": "mismatch", "message": words}]


@rows("around", ["\xa0{}", "{}\x0b", "{}\u2003"])
def test_only_white_space_of_the_protocol_may_surround_a_call(around):
    with pytest.raises(ValueError, match="event 0: the content is not that of one call"):
        assemble([call(around.format(A))], "xml-json")


def test_a_turn_is_played_again_however_many_calls_it_has():
    """The limits of who reads it next are not known here."""
    first, *others = [call(A) for _ in range(300)]
    calls = [with_raw(first, f"<execute>[{A}"), *(with_raw(each, f", {A}") for each in others)]
    events = [*calls, with_raw(execute(), "]</execute>")]
    messages, report = assemble(events, "xml-json")
    assert report == []
    assert messages == [
        {"role": "assistant", "content": f"<execute>[{', '.join([A] * 300)}]</execute>"}
    ]
    assert cogwire.from_messages(messages) == [*[call(A)] * 300, execute()]


def test_a_system_message_of_white_space_only_is_left_out():
    for system, messages in (
        (" \r\n\t", []),
        ("\xa0", [{"role": "system", "content": "\xa0"}]),
    ):
        assert cogwire.to_messages([], system=system) == messages


@rows(
    "before",
    [
        pytest.param("§call: 1\n§execute\n", id="a void batch"),
        pytest.param(f"§call: {B}\n§call: 1\n§execute\n", id="a void batch with a call"),
    ],
)
def test_results_are_of_the_calls_that_were_run(before):
    """All of the last batch, and none of the one before it, which was void."""
    text = f"{before}§call: {A}\n§call: {B}\n§execute"
    events = cogwire.parse_transcript(text, "delimiter", raw=True, clock=None)
    messages, report = assemble([*events, answer(OK_A, OK_B)], "delimiter")
    assert report == []
    assert messages == [
        {"role": "assistant", "content": text},
        {"role": "user", "content": "§result: ok\n§result: ok"},
    ]


def test_user_text_after_results_is_complete():
    """Though it would be read as more than one event of a model."""
    text = "x <think>y</think> z <end> u"
    messages, _ = assemble([call(A), answer(OK_A), user("q")], "xml-json")
    messages[-1]["content"] = messages[-1]["content"].replace("\n\nq", f"\n\n{text}")
    assert cogwire.from_messages(messages)[-1] == user(text)


@rows(
    ("message", "words"),
    [
        ({"role": "tool", "content": ""}, "message 1: 'tool' is not a role"),
        ({"role": "assistant"}, "message 1: `content` is not a string"),
        ({"content": ""}, "message 1: None is not a role"),
        ({"role": ["user"]}, "message 1: a value of type list is not a role"),
        ({"role": "user", "content": None}, "message 1: `content` is not a string"),
        ([], "message 1: not an object"),
    ],
)
def test_an_invalid_message_is_refused_with_a_description(message, words):
    with pytest.raises(ValueError) as caught:
        cogwire.from_messages([{"role": "user", "content": "q"}, message])
    assert str(caught.value) == words
