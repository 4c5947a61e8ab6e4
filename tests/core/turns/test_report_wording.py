"""What the report of messages says, word for word, and which calls a turn with errors has run."""

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import call, execute, respond
from tests.core.turns.histories import OK_A, OK_B, A, B, answer, user
from tests.rows import rows

MESSAGES = corpus.PLACE / "messages"
OTHERS = "(system, user, assistant); bridges read others, and to_messages() events"


def with_raw(event, raw):
    return event | {"raw": raw}


def assemble(events, dialect):
    report = []
    messages = cogwire.to_messages(events, dialect, report=report)
    return messages, report


@rows("each", corpus.array(MESSAGES / "reports.json"))
def test_each_change_has_a_description(each):
    messages, report = assemble(corpus.expanded(each["events"]), each["dialect"])
    assert report == each["report"]
    if "last" in each:
        assert messages[-1]["content"] == corpus.expanded(each["last"])


def test_the_halves_of_a_surrogate_pair_have_a_description():
    _, report = assemble([respond("\ud83d\ude00 \ud83d")], "xml-json")
    assert [(each["code"], each["message"]) for each in report] == [
        ("neutralised", "the two halves of a surrogate pair at 0, which text cannot contain"),
        ("neutralised", "a lone surrogate at 3, which text cannot contain"),
    ]


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
    for system, messages in ((" \r\n\t", []), ("\xa0", [{"role": "system", "content": "\xa0"}])):
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
        ({"role": "tool", "content": ""}, f"message 1: 'tool' is not a role {OTHERS}"),
        ({"role": "assistant"}, "message 1: `content` is not a string"),
        ({"content": ""}, f"message 1: None is not a role {OTHERS}"),
        ({"role": ["user"]}, f"message 1: a value of type list is not a role {OTHERS}"),
        ({"role": "user", "content": None}, "message 1: `content` is not a string"),
        (
            {"role": "assistant", "content": None, "tool_calls": [{}]},
            "message 1: it has calls in `tool_calls`, which a bridge reads",
        ),
        ([], "message 1: not an object"),
    ],
)
def test_an_invalid_message_is_refused_with_a_description(message, words):
    with pytest.raises(ValueError) as caught:
        cogwire.from_messages([{"role": "user", "content": "q"}, message])
    assert str(caught.value) == words
