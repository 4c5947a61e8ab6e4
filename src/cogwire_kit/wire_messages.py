# SPDX-License-Identifier: MIT
"""Reads messages whose texts are in a dialect; results may be in messages of their own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

import cogwire
from cogwire import Change, Event
from cogwire.tooling import WHITE, Start, format_names, notation
from cogwire_kit.bridges import sharegpt
from cogwire_kit.bridges.common.outcomes import read_outcome
from cogwire_kit.bridges.common.reading import Events, are_wide
from cogwire_kit.texts.dialects import AUTO, HAS_CALLS, is_begun, resolved


def resolved_in(messages: Iterable[Any], dialect: str) -> tuple[str | None, str]:
    """Return what `resolved` returns for the model's texts in messages.

    A call without a marker looks like prose, unless a result follows it.  So where all texts before
    results are calls of one format, and nothing else but a think, it is this format.
    """
    if dialect != AUTO:
        return dialect, ""
    turns = list(map(sharegpt.role_and_text, messages))
    followed = [text for (role, text), (after, _) in pairwise(turns) if (role, after) == _ANSWERED]
    after_thinks = (text.rpartition("</think>")[2].lstrip(WHITE) for text in followed)
    if followed and all(text.startswith(("[", "{")) for text in after_thinks):
        for name in _bare_formats():
            if all(_is_call(text, name) for text in followed):
                return name, f"read as {name}, since {HAS_CALLS}, and results follow them"
    texts = [text for role, text in turns if role == "assistant"]
    return resolved(AUTO, *texts, mode="turn")


#: The roles of a text that a result follows, and of the result.
_ANSWERED: Final = ("assistant", "tool")


@lru_cache(maxsize=1)
def _bare_formats() -> list[str]:
    """Return the formats whose calls may come without a marker."""
    return [name for name in format_names() if notation(name).form.bare]


def _is_call(text: str, name: str) -> bool:
    """Whether a turn has calls of a format that run, and nothing else but a think."""
    events = cogwire.parse(text, name, clock=None)
    return {"call", "execute"} == {event["type"] for event in events} - {"think"}


def wire_events(
    messages: Iterable[Any],
    dialect: str,
    report: list[Change] | None,
    places: list[int] | None = None,
    *,
    start: Start = "prose",
) -> list[Event]:
    """Return the events of messages whose texts are in a dialect.

    Thoughts may be in members of their own; `start` says where the texts of messages without such
    members begin.
    """
    found = Events()
    turn: list[_Message] = []
    for index, message in enumerate(messages):
        role, text = sharegpt.role_and_text(sharegpt.with_text(index, message, found))
        if not role:
            found.refuse(index, text)
            continue
        read = frozenset(sharegpt.names_in(message))
        if role == "assistant":
            # The results of a turn are in the messages up to the next one.
            _take_turn(turn, dialect, found, is_whole=report is not None)
            turn = []
            beside = found.reasoning(index, message)
            read |= beside
            text = text if beside else _opened(text, dialect, start)
        elif role == "tool":
            read |= {"tool_call_id", "name"}
        if not text and role != "tool" and read <= {*sharegpt.names_in(message)}:
            found.note_empty(index)
        found.note_unread(index, message, read)
        turn.append(_Message(index, role, text, message))
    _take_turn(turn, dialect, found, is_whole=report is not None)
    return found.end(report, places)


def _opened(text: str, dialect: str, start: Start) -> str:
    """Return a text of the model after the marker that the prompt has already written."""
    if not is_begun(text, dialect, start):
        return text
    wire = notation(dialect)
    return (wire.think[0] if start == "think" else wire.form.header.open[0]) + text


class _Message(NamedTuple):
    """A message of a conversation, with its index, role and text."""

    at: int
    role: str
    text: str
    message: Mapping[str, Any]


def left_out(code: object) -> str:
    """Return the report on an error event, which no message can express."""
    return f"what breaks a rule is left out: {code}"


def _take_turn(turn: list[_Message], dialect: str, found: Events, *, is_whole: bool) -> None:
    """Read a message of the model and the messages up to its next one.

    With `is_whole`, a text that is a whole message keeps the white space around it, so that a
    writer can report what becomes of it.
    """
    results = [each for each in turn if each.role == "tool"]
    answer = [("user", "\n".join(each.text for each in results))] if results else []
    others = [(each.role, each.text) for each in turn if each.role != "tool"]
    events: list[Event] = []
    if not results or any(notation(dialect).unsafe_in(answer[0][1])):
        events = _read_messages(others[:1] + answer + others[1:], dialect)
    if results and not any(event["type"] == "result" for event in events):
        # They are not written as the dialect writes them: each is the text of a result.
        called = _read_messages(others[:1], dialect)
        events = _read_messages(others[1:], dialect)
        _add_turn(turn[:1], called, dialect, found, is_whole=is_whole)
        _answer(called, turn[0].at, results, found)
        turn = turn[1:]
    _add_turn(turn, events, dialect, found, is_whole=is_whole)


def _read_messages(messages: Sequence[tuple[str, str]], dialect: str) -> list[Event]:
    """Return the events of messages, each a role and a text, in any dialect or format."""
    if notation(dialect).mode == "transcript":
        placed = [{"role": role, "content": text} for role, text in messages]
        return cogwire.from_messages(placed, dialect)
    events: list[Event] = []
    for role, text in messages:
        if role == "assistant":
            events += cogwire.parse(text, dialect, clock=None)
        elif role == "user" and (content := text.strip(WHITE)):
            events.append({"type": "user", "content": content})
    return events


def _add_turn(
    turn: list[_Message], events: list[Event], dialect: str, found: Events, *, is_whole: bool
) -> None:
    """Add the events of a turn, and report its errors."""
    for event in events:
        if event["type"] == "error":
            found.note(turn[0].at, "dropped", left_out(event["code"]))
    for each in turn if is_whole else ():
        kind, text = "respond" if each.role == "assistant" else "user", each.text.strip(WHITE)
        for event in events:
            if event["type"] != "respond" and event["type"] != "user":
                continue
            if event["type"] == kind and event["content"] == text:
                event["content"] = each.text
                break
        else:
            if each.role == "assistant" and are_wide(_pieces_in(events), each.text):
                found.note_trimmed(each.at, each.text, _spans_in(each.text, dialect))
    for place, event in zip(_places(turn, events), events, strict=True):
        found.add(place, event)


def _places(turn: list[_Message], events: list[Event]) -> Iterator[int]:
    """Yield the index of the message that each event of a turn comes from."""
    others = [each for each in turn if each.role in ("user", "tool")]
    for event in events:
        if event["type"] == "user":
            # The text of a message that has results may be without them.
            while len(others) > 1 and event["content"].strip(WHITE) not in others[0].text:
                del others[0]
            yield others.pop(0).at if others else turn[0].at
        else:
            yield (others or turn)[0].at if event["type"] == "result" else turn[0].at


def _pieces_in(events: list[Event]) -> list[str]:
    """Return the pieces of a turn that are not calls."""
    return [each["content"] for each in events if each["type"] in ("think", "respond")]


def _spans_in(text: str, dialect: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a turn are that are not calls."""
    for event in cogwire.parse(text, dialect, spans=True, clock=None):
        if event["type"] in ("think", "respond"):
            first, last = event["span"]
            yield first, last


def _answer(events: list[Event], at: int, results: list[_Message], found: Events) -> None:
    """Answer the calls of the message at `at`, in their order or by their ids."""
    ids = set()
    if any(event["type"] == "execute" for event in events):
        for event in events:
            if event["type"] == "call":
                ids.add(event.get("id"))
                found.pend(at, event)
    for index, _, text, message in results:
        own_id = message.get("tool_call_id")
        name = message.get("name")
        bodies = sharegpt.bodies(text) if sharegpt.is_answered(text) else None
        for body in bodies or [text]:
            found.answer(
                index,
                own_id if own_id in ids else None,
                read_outcome(body),
                name if isinstance(name, str) else None,
            )
    found.settle()
