"""Drawn histories: the core and the executable spec make exactly the expected messages."""

import pytest
from hypothesis import find, given, settings

from cogwire_kit.strategies._histories import cut_histories, histories
from tests import cogwire
from tests.core.laws import law
from tests.oracle.messages import messages
from tests.rows import rows

pytestmark = pytest.mark.verify

#: Codes of the report that a history may have.
CODES = {"trimmed", "dropped", "neutralised", "joined", "orphan", "surplus", "void"}


def assembled(events, dialect):
    """Give the messages that the core makes, and the report in short."""
    report = []
    made = cogwire.to_messages(events, dialect, report=report)
    assert all(change["message"] for change in report)
    return made, [(change["index"], change["code"]) for change in report]


def specified(events, dialect):
    """Give what the executable spec makes."""
    made, report = messages(events, None, dialect)
    return made, [(entry["index"], entry["code"]) for entry in report]


@law(histories)
def test_a_history_has_its_messages_and_its_report(dialect, history):
    for assemble in (assembled, specified):
        made, report = assemble(history.events, dialect)
        assert made == history.messages
        assert sorted(report) == history.report
        assert report == sorted(report, key=lambda entry: entry[0])


@law(histories)
def test_every_text_of_a_user_is_there_once_and_in_order(dialect, history):
    user_text = "\n".join(each["content"] for each in history.messages if each["role"] == "user")
    places = [user_text.index(text) for text in history.users]
    assert places == sorted(places)
    assert all(user_text.count(f"({number}) ") == 1 for number in range(len(history.users)))


@law(cut_histories)
def test_a_history_after_a_crash_has_the_same_messages_and_grows_at_its_end(dialect, events):
    made, report = assembled(events, dialect)
    assert (made, report) == specified(events, dialect)
    for stop in range(len(events)):
        before = assembled(events[:stop], dialect)[0]
        assert before[:-1] == made[: max(0, len(before) - 1)]


@law(cut_histories)
def test_an_orphan_is_answered_once(dialect, events):
    made, report = assembled(events, dialect)
    user_text = "".join(each["content"] for each in made if each["role"] == "user")
    assert user_text.count("Cancelled: this call has no result.") == sum(
        code == "orphan" for index, code in report if events[index]["type"] == "call"
    )


@pytest.mark.verify
@rows("dialect", ["xml-json", "delimiter"])
def test_every_change_is_drawn(dialect):
    seen = set()

    @settings(max_examples=200)
    @given(histories(dialect))
    def collect(history):
        seen.update(code for _, code in history.report)

    collect()
    assert seen == CODES


@pytest.mark.verify
@rows("dialect", ["xml-json", "delimiter"])
def test_a_history_shrinks_to_one_text(dialect):
    history = find(histories(dialect), lambda _: True)
    assert history.events == [{"type": "user", "content": "(0) Hello."}]
    assert history.report == []


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ValueError, match="'json'"):
        histories("json")
