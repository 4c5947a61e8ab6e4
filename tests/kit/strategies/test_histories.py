"""Drawn histories: the core and the executable spec make the same messages."""

import re

import pytest
from hypothesis import find

from cogwire_kit.strategies._histories import cut_histories, histories
from tests import cogwire
from tests.core.laws import law
from tests.kit.strategies.drawing import drawn
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
def test_every_text_of_a_user_is_there_once_and_in_order(dialect, events):
    made, report = assembled(events, dialect)
    assert (made, report) == specified(events, dialect)
    user_text = "\n".join(each["content"] for each in made if each["role"] == "user")
    written = [each["content"] for each in events if each["type"] == "user"]
    numbers = re.findall(r"\(\d\) ", "\n".join(written))
    assert re.findall(r"\(\d\) ", user_text) == numbers == sorted(set(numbers))


@law(cut_histories)
def test_a_history_after_a_crash_has_the_same_messages_and_grows_at_its_end(dialect, events):
    """And an orphan in it is answered once."""
    made, report = assembled(events, dialect)
    assert (made, report) == specified(events, dialect)
    for stop in range(len(events)):
        before = assembled(events[:stop], dialect)[0]
        assert before[:-1] == made[: max(0, len(before) - 1)]
    user_text = "".join(each["content"] for each in made if each["role"] == "user")
    assert user_text.count("Cancelled: this call has no result.") == sum(
        code == "orphan" for index, code in report if events[index]["type"] == "call"
    )


@rows("dialect", ["xml-json", "delimiter"])
def test_every_change_is_drawn(dialect):
    # All are found soon: the same draws are the beginning of more of them.
    for count in (50, 400):
        reports = [specified(events, dialect)[1] for events in drawn(histories(dialect), count)]
        found = {code for report in reports for _, code in report}
        if found == CODES:
            break
    assert found == CODES


@rows("dialect", ["xml-json", "delimiter"])
def test_a_history_shrinks_to_one_text(dialect):
    events = find(histories(dialect), lambda _: True)
    assert events == [{"type": "user", "content": "(0) Hello."}]


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ValueError, match="'json'"):
        histories("json")
