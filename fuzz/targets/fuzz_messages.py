"""Messages: from any history to the messages of a chat, and from any messages to events.

The first byte selects the dialect and the second the input: an object with `events` and perhaps
`system`; an array of messages; or, with a 0x1E before each, the parts of a chat, which is parsed as
it would have arrived.  The first byte of a part selects its kind, see `PARTS`.
"""

import json
from collections.abc import Callable
from typing import Any

from fuzz.targets.harness import (
    DIALECTS,
    Reader,
    cogwire,
    json_of,
    main,
    same,
    text_of,
)
from fuzz.targets.mutating import json_mutator
from tests import oracle
from tests.core.helpers import LINES
from tests.core.turns import test_messages_in_each_dialect as laws
from tests.oracle.refused import Refused

KINDS = ("events", "messages", "talk")
SEPARATOR = b"\x1e"

#: The kinds of parts of a chat: the text of a user; that of a model, read with these options; the
#: results of its calls, correct or with any content; or one of the events without content.
PARTS: tuple[Any, ...] = (
    "user",
    {"stream": "event", "raw": True},
    {"stream": "token", "raw": True},
    {"stream": "event", "raw": False},
    {"stream": "token", "raw": False, "start": "think"},
    {"stream": "token", "raw": True, "start": "think"},
    "answer",
    "result",
    "cancelled",
    "interrupt",
)

#: The laws of the tests for any history, and those for one line by line, or between tags.
LAWS = (
    laws.test_one_more_event_changes_at_most_the_last_message_in_every_dialect,
    laws.test_memory_and_storage_have_the_same_messages_in_every_dialect,
    laws.test_the_assistant_makes_no_call_that_was_not_given,
    laws.test_the_messages_of_the_assistant_contain_its_texts_and_nothing_else,
)
LAW_OF_LINES = laws.test_a_user_message_contains_only_real_results_in_delimiter
LAW_OF_TAGS = laws.test_a_user_message_contains_only_real_results_between_tags


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Check one history, or one chat."""
    reader = Reader(data)
    dialect, kind = reader.choice(DIALECTS), reader.choice(KINDS)
    rest = reader.rest()
    if kind == "talk":
        check_history(talk(rest, dialect), dialect, None)
        return
    try:
        value = json_of(rest)
    except ValueError:
        return
    if kind == "messages":
        check_messages(value if isinstance(value, list) else [value], dialect)
    elif isinstance(value, dict) and isinstance(value.get("events"), list):
        system = value.get("system")
        check_history(value["events"], dialect, system if isinstance(system, str) else None)


# --- Chats ------------------------------------------------------------------------------------


def talk(data: bytes, dialect: str) -> list[dict[str, Any]]:
    """Return the events of a chat."""
    events: list[dict[str, Any]] = []
    for part in data.split(SEPARATOR)[1:]:
        kind, text = PARTS[(part or b"\0")[0] % len(PARTS)], text_of(part[1:])
        if isinstance(kind, dict):
            events += cogwire.parse(text, dialect, clock=None, **kind)
        elif kind == "answer":
            events.append({"type": "result", "content": answer(events, text)})
        elif kind in ("user", "result"):
            events.append({"type": kind, "content": text})
        else:
            events.append({"type": kind})
    return events


def answer(events: list[dict[str, Any]], text: str) -> str:
    """Return results, each with the content `text`, of the calls at the end of `events`."""
    names: list[str] = []
    for event in reversed(events):
        if event["type"] == "call":
            names.insert(0, json.loads(event["content"])["name"])
        elif event["type"] not in ("execute", "interrupt", "cancelled"):
            break
    items = [{"tool": name, "status": "success", "content": text} for name in names]
    return json.dumps(items, ensure_ascii=False)


# --- From events to messages ------------------------------------------------------------------


def check_history(events: list[Any], dialect: str, system: str | None) -> None:
    """Check that the messages of one history obey the laws of the assembler."""
    report: list[dict[str, Any]] = []
    try:
        messages = cogwire.to_messages(events, dialect, system=system, report=report)
    except ValueError:
        expect_refusal(lambda: oracle.messages.messages(events, system, dialect))
        return
    expected, changes = oracle.messages.messages(events, system, dialect)
    same(messages, expected, "the executable spec")
    same(report == [], changes == [], "whether the executable spec reports nothing")
    assert all(each["message"] for each in report), report
    if messages and messages[0]["role"] == "system":
        del messages[0]
    read = cogwire.read_events(events)
    stored = list(filter(cogwire.persisted, events))
    for each in (stored, read):
        same(
            cogwire.to_messages(each, dialect),
            messages,
            "from storage, and of events that are read",
        )
    same(cogwire.read_events(read), read, "events that are read twice")
    for law in (*LAWS, LAW_OF_LINES if dialect in LINES else LAW_OF_TAGS):
        law.hypothesis.inner_test((dialect, read))
    # A replay has the text of its error too, which voids the calls beside it.
    if not report and not any(each["type"] == "error" and "raw" in each for each in events):
        expect_round_trip(read, messages, dialect)


def expect_refusal(ask: Callable[[], Any]) -> None:
    """Check that the executable spec refuses it too."""
    try:
        answered = ask()
    except Refused:
        return
    raise AssertionError(f"refused, but the executable spec gives {answered!r}")


def expect_round_trip(
    read: list[dict[str, Any]], messages: list[dict[str, str]], dialect: str
) -> None:
    """If nothing is reported, the messages are read back as the stored events."""
    events = cogwire.from_messages(messages, dialect)
    stored = [event for event in read if cogwire.persisted(event)]
    same(values(events), values(stored), "what is read back")
    if not any("raw" in event for event in stored):
        again = cogwire.to_messages(events, dialect)
        same(again, messages, "messages of what is read back")


def values(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the stored form of events, with calls and results as values.

    The payload of a result is that of the program that stored it; no message contains `cancelled`.
    """
    kept = []
    for event in events:
        if cogwire.persisted({"type": event["type"]}) and event["type"] != "cancelled":
            content = event["content"]
            if event["type"] in ("call", "result"):
                content = json.loads(content)
            kept.append({"type": event["type"], "content": content})
    return kept


# --- From messages to events ------------------------------------------------------------------


def check_messages(messages: list[Any], dialect: str) -> None:
    """Any chat has events from which a chat can be made."""
    try:
        events = cogwire.from_messages(messages, dialect)
    except ValueError:
        expect_refusal(lambda: oracle.messages.from_messages(messages, dialect))
        return
    if json.dumps(messages).count("[") + json.dumps(messages).count("{") < cogwire.Limits().depth:
        expected = oracle.messages.from_messages(messages, dialect)
        same(without_messages(events), expected, "the executable spec")
    same(cogwire.read_events(events), events, "the events as they are read")
    check_history(events, dialect, None)


def without_messages(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the messages of errors, which are not specified."""
    return [
        {key: event[key] for key in event if (event["type"], key) != ("error", "content")}
        for event in events
    ]


mutate = json_mutator(2, "messages")

if __name__ == "__main__":
    main(TestOneInput, mutate)
