"""Messages: from any history to the messages of a chat, and from any messages to events.

The first byte selects the dialect and the second the input: an object with `events` and perhaps
`system`; an array of messages; or, with a 0x1E before each, the parts of a chat, which is parsed as
it would have arrived.  The first byte of a part selects its kind, see `PARTS`.
"""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

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
from tests.core.helpers import LINES, WHITE
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

#: Far more than a text of this length can contain.
BOUNDLESS = cogwire.Limits(size=10**9, calls=10**9, depth=10**9, digits=10**9)
#: The length of a history, in events, up to which every beginning of it is assembled.
MOST_EVENTS = 12

RESULTS_LINE = re.compile(r"(?:\A|[\r\n])[ \t]*(?:§result:|\[system: )", re.IGNORECASE | re.ASCII)
RESULTS_TAG = re.compile("</?results>", re.IGNORECASE | re.ASCII)

A = '{"name": "a", "args": {}}'
VOID = '{"tool": "execute", "status": "failure", "content": "no"}'
RAW = {"type": "think", "content": "a", "raw": "<think>a</think>"}
WORDS = (
    *("type", "content", "raw", "payload", "segment", "done", "timestamp", "code", "offset"),
    *("calls", "total", "step", "role", "user", "assistant", "system", "think", "call", "execute"),
    *("result", "respond", "end", "metric", "metrics", "error", "interrupt", "cancelled", "path"),
    *("outcome", "name", "args", "tool", "status", "success", "failure", "json-syntax"),
    *("<think>", "</think>", "<execute>", "</execute>", "<results>", "</RESULTS>", "<end>", "&lt;"),
    *("§think: ", "§call: ", "\n§execute", "\n§result: ", "[SYSTEM: ", "]", "\n§end", "\n", " "),
    *(
        A,
        f"[{VOID}]",
        "[]",
        '[{"tool": "a", "status": "success", "content": "x"}]',
        "results-shape",
    ),
    *(f"<execute>[{A}]</execute>", f"<results>[{VOID}]</results>", f"§call: {A}\n§execute", RAW),
    {"type": "user", "content": "b"},
    {"type": "think", "content": "c", "segment": 0},
    {"type": "respond", "content": "d", "segment": 0, "done": True},
    {"type": "call", "content": A},
    {"type": "execute"},
    {"type": "result", "content": f"[{VOID}]"},
    {"type": "result", "content": '[{"tool": "a", "status": "success", "content": "x"}]'},
    {"type": "result", "payload": {"outcome": "Done", "content": "x", "error": False}},
    {"type": "cancelled"},
    {"type": "end", "raw": "<end>"},
    {"type": "error", "code": "forged-results", "content": "no", "offset": 0, "calls": 0},
    {"role": "user", "content": "b"},
    {"role": "assistant", "content": f"<execute>[{A}]</execute>"},
)


class Assembled(NamedTuple):
    """A history, and its messages and report."""

    events: list[dict[str, Any]]
    messages: list[dict[str, str]]
    report: list[dict[str, Any]]
    dialect: str

    @property
    def read(self) -> list[dict[str, Any]]:
        """The history, restricted to the table of the specification."""
        events: list[dict[str, Any]] = cogwire.read_events(self.events)
        return events

    def said(self, role: str) -> list[str]:
        """Return the messages of one role."""
        return [each["content"] for each in self.messages if each["role"] == role]


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
    talk_of_two = messages[1:] if messages and messages[0]["role"] == "system" else messages
    assembled = Assembled(events, talk_of_two, report, dialect)
    expect_roles(assembled)
    expect_same_from_storage(assembled)
    expect_settled_messages(assembled)
    expect_what_was_said(assembled)
    expect_no_accident(assembled)
    if not report:
        expect_round_trip(assembled)


def expect_refusal(ask: Callable[[], Any]) -> None:
    """Check that the executable spec refuses it too."""
    try:
        answered = ask()
    except Refused:
        return
    raise AssertionError(f"refused, but the executable spec gives {answered!r}")


def expect_roles(assembled: Assembled) -> None:
    """Roles alternate, and no message consists of white space."""
    for one, other in itertools.pairwise(assembled.messages):
        assert one["role"] != other["role"], (one, other)
    for message in assembled.messages:
        assert message["role"] in ("user", "assistant"), message
        assert message["content"].strip(WHITE), message
        message["content"].encode()


def expect_same_from_storage(assembled: Assembled) -> None:
    """Events from storage, from JSON, and read already are assembled to the same messages."""
    stored = [event for event in assembled.events if cogwire.persisted(event)]
    again = json.loads(json.dumps(stored))
    for events in (stored, again, assembled.read):
        same(cogwire.to_messages(events, assembled.dialect), assembled.messages, "from storage")
    same(cogwire.read_events(assembled.read), assembled.read, "events that are read twice")


def expect_settled_messages(assembled: Assembled) -> None:
    """One more event changes at most the last message."""
    first = max(0, len(assembled.events) - MOST_EVENTS)
    settled: list[dict[str, str]] = []
    for count in range(first, len(assembled.events) + 1):
        messages = cogwire.to_messages(assembled.events[:count], assembled.dialect)
        same(messages[: len(settled)], settled, f"messages before the last, with {count} events")
        settled = messages[:-1]


def expect_what_was_said(assembled: Assembled) -> None:
    """Every think, prose and user's text is present, in order, except for neutralised markers."""
    for kind in ("think", "respond"):
        given = texts(assembled.read, kind)
        said = texts(spoken(assembled), kind)
        if kind == "respond" and assembled.dialect not in LINES:
            given, said = ["\n\n".join(given)], ["\n\n".join(said)]
        same(said, given, f"what the model said: {kind}")
    listened = neutral("\n".join(assembled.said("user")))
    at = 0
    for text in texts(assembled.read, "user"):
        at = listened.find(text, at)
        assert at >= 0, f"a user's text is missing: {text!r}"
        at += len(text)


def expect_no_accident(assembled: Assembled) -> None:
    """No text becomes a call, and a user's messages have no results except the original ones."""
    remaining = iter(map(outline, calls(assembled.read)))
    written = list(map(outline, calls(spoken(assembled))))
    assert all(call in remaining for call in written), f"calls that were not given: {written!r}"
    is_broken = any(event["type"] == "error" for event in assembled.read)
    is_void = any(change["code"] == "void" for change in assembled.report)
    if not is_broken and not is_void:
        same(written, list(map(outline, calls(assembled.read))), "the calls")
    for text in assembled.said("user"):
        if assembled.dialect not in LINES:
            tags = RESULTS_TAG.findall(text)
            assert tags in ([], ["<results>", "</results>"]), text
            assert not tags or text.startswith("<results>\n"), text
        elif RESULTS_LINE.search(text):
            assert RESULTS_LINE.match(text), text


def expect_round_trip(assembled: Assembled) -> None:
    """If nothing is reported, the messages are read back as the stored events."""
    events = cogwire.from_messages(assembled.messages, assembled.dialect)
    stored = [event for event in assembled.read if cogwire.persisted(event)]
    same(values(events), values(stored), "what is read back")
    if not any("raw" in event for event in stored):
        again = cogwire.to_messages(events, assembled.dialect)
        same(again, assembled.messages, "messages of what is read back")


# --- Normal forms -------------------------------------------------------------------------


def spoken(assembled: Assembled) -> list[dict[str, Any]]:
    """Return the events of the model's messages."""
    return [
        event
        for text in assembled.said("assistant")
        for event in cogwire.parse_transcript(text, assembled.dialect, clock=None, limits=BOUNDLESS)
    ]


def texts(events: list[dict[str, Any]], kind: str) -> list[str]:
    """Return the contents of one type, except white space, in the form to compare."""
    contents = (event["content"] for event in events if event["type"] == kind)
    return [neutral(text) for text in contents if text.strip(WHITE)]


def neutral(text: str) -> str:
    """Undo neutralising, so that texts can be compared."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip(WHITE)
    return text.replace("&lt;", "<").replace("&sect;", "§").replace("&#91;", "[")


def calls(events: list[dict[str, Any]]) -> list[str]:
    """Return the contents of the calls."""
    return [event["content"] for event in events if event["type"] == "call"]


def outline(content: str) -> tuple[str, list[str]]:
    """Return the parts of a call that every dialect keeps."""
    value = json.loads(content)
    return value["name"], sorted(value.get("args", {}))


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


mutate = json_mutator(2, WORDS)

if __name__ == "__main__":
    main(TestOneInput, mutate)
