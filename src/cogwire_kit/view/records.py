# SPDX-License-Identifier: MIT
"""Reads what a record contains: transcripts, or messages and events to show unchanged."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from cogwire.tooling import Start, notation
from cogwire_kit.bridges import sharegpt
from cogwire_kit.lint import LintOptions, lint_record
from cogwire_kit.masks import message_spans
from cogwire_kit.records import (
    TOOLS,
    Form,
    RefusedError,
    events_of,
    form_of,
    has_thoughts,
    members_in,
)
from cogwire_kit.texts.dialects import resolved
from cogwire_kit.texts.rendered import rendered
from cogwire_kit.view.page import ViewedTranscript
from cogwire_kit.view.rows import Item
from cogwire_kit.wire_messages import resolved_in

_BEGIN: Final = 40


def documents(
    record: Any, name: str, dialect: str, start: Start = "prose"
) -> list[ViewedTranscript]:
    """Return what a record contains, as `cogwire lint` reads it.

    A text is a transcript; of messages whose texts are in a dialect each turn is one, and what a
    user and a system wrote before it is its name.  Other messages, such as those with thoughts
    beside their texts, and events, are shown as they are.  The model's texts begin in `start`.
    """
    found: list[ViewedTranscript] = []
    for pointer, kind, given in members_in(record):
        member = pointer.removeprefix("/")
        if isinstance(given, str):
            found.append(document(name, given, dialect, start))
        elif given and ((form := form_of(given, kind, dialect)) != "wire" or has_thoughts(given)):
            items = _items(given, form, dialect, _faults(record, pointer, given, dialect))
            found.append(ViewedTranscript(f"{name}, {member}", "", form, items))
        elif given:
            for number, (before, text, turn_dialect) in enumerate(_wire(given, dialect, start), 1):
                said = " ".join(before.split())
                asked = f", after {said[:_BEGIN]!r}" if said else ""
                title = f"{name}, {member}, turn {number}{asked}"
                found.append(ViewedTranscript(title, text, turn_dialect, start=start))
    return found


def document(name: str, text: str, dialect: str, start: Start = "prose") -> ViewedTranscript:
    """Return a transcript in `dialect`, or in the one that is detected."""
    found, reason = resolved(dialect, text)
    if is_rendered := rendered(text):
        found, reason = None, is_rendered
    return ViewedTranscript(name, text if found else f"no-dialect: {reason}", found, start=start)


#: What was said before a turn, its text, and its dialect, or None and why it cannot be shown.
_Turn = tuple[str, str, str | None]

#: The author for a role or a type of event; any other is the system.
_AUTHORS: Final = {
    **dict.fromkeys(("assistant", "think", "respond", "call", "execute", "end", "error"), "model"),
    "user": "user",
}


def _faults(record: Any, pointer: str, given: list[Any], dialect: str) -> dict[str, list[str]]:
    """Return what `cogwire lint` finds in messages, by their indices; notes are left out."""
    own = record if isinstance(record, Mapping) else {}
    tools = {TOOLS: own[TOOLS]} if TOOLS in own else {}
    judged = {pointer.removeprefix("/"): given, **tools} if pointer else given
    found: dict[str, list[str]] = {}
    for each in lint_record(judged, LintOptions(dialect)):
        index = (each.pointer or "").removeprefix(f"{pointer}/").partition("/")[0]
        if each.severity != "note":
            found.setdefault(index, []).append(f"{each.severity}[{each.rule}]: {each.message}")
    return found


def _items(
    given: list[Any], form: Form, dialect: str, faults: Mapping[str, list[str]]
) -> list[Item]:
    """Return messages or events unchanged, each with its own events and its findings."""
    items: list[Item] = []
    for index, each in enumerate(given):
        kind = str(each.get("type") or "") if form == "events" and isinstance(each, Mapping) else ""
        known, text = sharegpt.role_and_text(each)
        named = each.get("role", "record") if isinstance(each, Mapping) else "record"
        role = kind or known or str(named)
        try:
            events = [] if kind == "metric" else events_of([each], form, dialect)
        except (ValueError, TypeError, RefusedError):
            events = []
        author = _AUTHORS.get("assistant" if role == "call" else role, "system")
        source = json.dumps(each, ensure_ascii=False, indent=1, default=str)
        wrong = faults.get(str(index), [])
        said = [text] if known and not kind and not events else []
        items.append(Item(role, author, source, events, "\n".join([*said, *wrong])))
    return items


def _wire(given: list[Any], dialect: str, start: Start) -> Iterator[_Turn]:
    """Yield the texts of the model, each with the results at the start of the next message."""
    said = [sharegpt.role_and_text(message) for message in given]
    name, reason = resolved_in(given, dialect)
    if name is None:
        yield "", f"no-dialect: {reason}", None
        return
    dialect = name
    messages = [
        {"role": "user" if role == "tool" else role, "content": text} for role, text in said
    ]
    pieces = message_spans(messages, dialect, start=start)
    before = ""
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            answered = [each.end for each in pieces[index] if each.author == "system"]
            is_asked = message["role"] == "user"
            before = message["content"][max(answered, default=0) if is_asked else 0 :]
            continue
        following = pieces[index + 1] if index + 1 < len(pieces) else []
        ends = [each.end for each in following if each.author == "system"]
        is_answer = bool(ends) and messages[index + 1]["role"] == "user"
        results = messages[index + 1]["content"][: ends[-1]] if is_answer else ""
        joint = notation(dialect).joint if results else ""
        yield before, f"{message['content']}{joint}{results}", dialect
        before = ""
